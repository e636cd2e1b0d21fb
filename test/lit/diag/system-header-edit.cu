// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A system header that includes a header of the user with directives would have to include its copy.
// RUN: not %gpurmacc_cpu -c %s -o %t.o -I %S/Inputs -isystem %S/Inputs/system 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

#include "user_exchange.h"

#include <through.h>

__global__ void kernel() {
  exchange(1);
}
// CHECK: Inputs/system/through.h:2:1: error: the #include of '{{.*}}user_exchange.h' would have to be rewritten in the system header '{{.*}}through.h'; gpurmacc rewrites only the user's own files [gpurma-0153]
