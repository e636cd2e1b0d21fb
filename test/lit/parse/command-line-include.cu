// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A header that is included by -include cannot be redirected to its rewritten copy.
// RUN: not %gpurmacc_cpu -c -include %S/Inputs/with_directive.h %s -o %t.o 2>&1 | %filecheck %s
// CHECK: error: header '{{.*}}with_directive.h' holds directives and is included by -include; include it with #include [gpurma-0156]

__global__ void kernel() { from_header(); }
