// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Headers are found by -I, -isystem, -iquote, -include, and beside the source although the lowered source lies elsewhere.
// RUN: %gpurmacc_cpu -I %S/Inputs/angled -isystem %S/Inputs/system -iquote %S/Inputs/quoted -include %S/Inputs/forced.h \
// RUN:   -Wextra -Werror -fsyntax-only %s
// RUN: %gpurmacc_cpu -I%S/Inputs/angled -isystem%S/Inputs/system -iquote%S/Inputs/quoted -include %S/Inputs/forced.h \
// RUN:   -c %s -o %t.o
// RUN: cd %S
// RUN: %gpurmacc_cpu -IInputs/angled -isystem Inputs/system -iquote Inputs/quoted -include Inputs/forced.h \
// RUN:   -c include-paths.cu -o %t.o
#include "Inputs/beside.h"
#include "quoted.h"
#include <angled.h>
#include <system_header.h>
static_assert(ANGLED == 1 && SYSTEM == 2 && QUOTED == 3 && FORCED == 4 && BESIDE == 5);
