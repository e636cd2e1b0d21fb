// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that launch kernels, where a region calls them.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s
// RUN: not %gpurmacc_cpu -DBESIDE_LAUNCHES -c %s -o %t.o 2>&1 | %filecheck --check-prefix=BESIDE-CHECK %s
__global__ void k(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += 1;
}
void sweep(float* a, int n) {
  if (n > 0)
    k<<<n / 32 + 1, 32>>>(a, n);
}
int steps(int n);
template <int N> void sweeps(float* a, int n) {
  for (int j = 0; j < N; ++j)
    k<<<n / 32 + 1, 32>>>(a, n);
}
#ifndef BESIDE_LAUNCHES
void run(float* a, int n) {
// CHECK: :[[@LINE+5]]:16: error: no kernel is launched in this region [gpurma-0123]
// CHECK: :[[@LINE+6]]:5: note: 'sweep' launches kernels; a region takes the launches that stand in it, so write them here
// CHECK: :[[@LINE+6]]:5: note: this lambda launches kernels; a region takes the launches that stand in it, so write them here
// CHECK: :[[@LINE+6]]:5: note: 'sweeps' launches kernels
  auto again = [&](int m) { k<<<m / 32 + 1, 32>>>(a, m); };
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < 3; ++i) {
    sweep(a, n);
    again(n);
    sweeps<2>(a, n);
  }
}
#else
void run(float* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < 3; ++i) {
    k<<<n / 32 + 1, 32>>>(a, n);
    // BESIDE-CHECK: :[[@LINE+2]]:5: error: 'sweep' is a function of the host,
    // BESIDE-CHECK: :[[@LINE+1]]:5: note: 'sweep' launches kernels
    sweep(a, n);
    // BESIDE-CHECK: error: 'steps' is a function of the host,
    // BESIDE-CHECK-NOT: launches kernels
    int m = steps(n);
    k<<<n / 32 + 1, 32>>>(a, m);
  }
}
#endif
