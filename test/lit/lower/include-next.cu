// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In the copy of a header #include_next means what it meant in the header.
// RUN: %gpurmacc_cpu -I %S/Inputs/chain/first -I %S/Inputs/chain/second -c %s -o %t.o
#include <chained.h>
static_assert(CHAIN == 3);
__global__ void kernel() { meet(); }
