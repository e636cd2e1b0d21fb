// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel(const int* partners) {
#pragma gpurma notify(partners[0]) tag(1)
}

// CHECK: :[[@LINE-3]]:23: warning: cannot show that the rank of 'notify' is the same for all threads of the block [gpurma-0106]
// CHECK: :[[@LINE-4]]:23: note: loaded from memory that other threads or ranks may be changing
// CHECK: :[[@LINE-5]]:23: note: if it is the same for all of them, say so with gpurma::uniform(...)
// CHECK: fix-it:{{.*}}:{[[@LINE-6]]:23-[[@LINE-6]]:23}:"gpurma::uniform("
// CHECK: fix-it:{{.*}}:{[[@LINE-7]]:34-[[@LINE-7]]:34}:")"
