// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects in shared memory are not constructed: Clang says that they would have to be, and what gpurmacc adds says how they need not.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s

struct counted {
  int n = 0;
};
struct plain {
  int n;
  plain() = default;
  __device__ plain(int n) : n(n) {}
};
__global__ void kernel(int* out) {
  // CHECK: :[[@LINE+1]]:22: error: initialization is not supported for __shared__ variables
  __shared__ counted all[32];
  // CHECK: note: nothing initialises an object in shared memory: its class has a default constructor that does nothing, 'T() = default;', and no default values of members
  __shared__ plain others[32];
  others[threadIdx.x] = plain(3);
  out[threadIdx.x] = all[threadIdx.x].n + others[threadIdx.x].n;
}
// CHECK: 1 error generated.
