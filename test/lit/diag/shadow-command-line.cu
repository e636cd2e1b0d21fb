// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -include %S/Inputs/user_exchange.h 2>&1 | %filecheck %s
// CHECK: error: header '{{.*}}user_exchange.h' holds directives and is included by -include; include it with #include [gpurma-0156]
#include <gpurma/gpurma.h>

__global__ void kernel() {
  exchange(1);
}
