// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// System headers are not rewritten: a directive or a launch there is an error that says where.
// RUN: not %gpurmacc_cpu -c -isystem %S/Inputs %s -o %t.o 2>&1 | %filecheck %s
// RUN: not %gpurmacc_cpu -c -DINDIRECT -isystem %S/Inputs/system -I %S/Inputs %s -o %t.o 2>&1 | FileCheck %s --check-prefix=INDIRECT

#ifdef INDIRECT
// The header is the user's, but a system header includes it, too.
#include "with_directive.h"
#include <includes_user_header.h>
// INDIRECT: includes_user_header.h:2:1: error: the #include of '{{.*}}with_directive.h' would have to be rewritten in the system header '{{.*}}includes_user_header.h'; gpurmacc rewrites only the user's own files [gpurma-0153]
#else
#include <with_directive.h>
// CHECK: with_directive.h:4:16: error: directive 'barrier' in a system header: gpurmacc rewrites only the user's own headers [gpurma-0027]
#endif
