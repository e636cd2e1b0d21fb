// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__device__ bool converged(const float* norm);
__global__ void kernel(const float* norm, int partner) {
  while (*norm > 1e-6f) {
#pragma gpurma notify(partner) tag(1)
#pragma gpurma wait tag(1)
  }
  if (converged(norm)) {
#pragma gpurma barrier
  }
}

// CHECK: :[[@LINE-8]]:16: warning: cannot show that all threads of the block agree on whether directive 'notify' is reached [gpurma-0104]
// CHECK: :[[@LINE-10]]:10: note: the condition is here
// CHECK: :[[@LINE-11]]:10: note: loaded from memory that other threads or ranks may be changing
// CHECK: :[[@LINE-12]]:10: note: if it is the same for all of them, say so with gpurma::uniform(...)
// CHECK: fix-it:{{.*}}:{[[@LINE-13]]:10-[[@LINE-13]]:10}:"gpurma::uniform("
// CHECK: fix-it:{{.*}}:{[[@LINE-14]]:23-[[@LINE-14]]:23}:")"
// CHECK: :[[@LINE-10]]:16: warning: cannot show that all threads of the block agree on whether directive 'barrier' is reached [gpurma-0104]
// CHECK: :[[@LINE-12]]:7: note: the condition is here
// CHECK: :[[@LINE-13]]:7: note: the body of 'converged' is not visible here
// CHECK: :[[@LINE-14]]:7: note: if it is the same for all of them, say so with gpurma::uniform(...)
// CHECK: fix-it:{{.*}}:{[[@LINE-15]]:7-[[@LINE-15]]:7}:"gpurma::uniform("
// CHECK: fix-it:{{.*}}:{[[@LINE-16]]:22-[[@LINE-16]]:22}:")"
