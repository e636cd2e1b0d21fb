// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -isystem %S/Inputs/system 2>&1 | %filecheck %s
// RUN: %gpurmacc_cpu -c %s -o %t.o -I %S/Inputs/system 2>&1 | %filecheck --allow-empty --check-prefix=NONE %s
#include <gpurma/gpurma.h>
#include <exchange.h>

__global__ void kernel() {
  exchange(1);
}
// CHECK: exchange.h:3:16: error: directive 'notify' in a system header: gpurmacc rewrites only the user's own headers [gpurma-0027]
// NONE-NOT: {{(error|warning)}}:
