// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches by the kernel's address, which a region does not look into.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s

__global__ void k(float* u, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    u[i] = 0;
}
void run(float* u, int n) {
  void* arguments[] = {&u, &n};
#pragma gpurma persistent distribute(u : rows(n))
  for (int t = 0; t < 3; ++t)
    cudaLaunchKernel(reinterpret_cast<const void*>(k), dim3(4), dim3(256), arguments, 0, nullptr);
}
// CHECK: :[[@LINE-4]]:16: error: no kernel is launched in this region: write the call of 'cudaLaunchKernel' as a launch, 'kernel<<<grid, block, bytes, stream>>>(...)' [gpurma-0123]

// Also where another launch is one, and what the call is given would be reported.
void mixed(float* u, int n) {
#pragma gpurma persistent distribute(u : rows(n))
  for (int t = 0; t < 3; ++t) {
    k<<<4, 256>>>(u, n);
    void* arguments[] = {&u, &n};
    if (cudaLaunchKernel(reinterpret_cast<const void*>(k), dim3(4), dim3(256), arguments, 0, nullptr) != cudaSuccess)
      return;
  }
}
// CHECK: :[[@LINE-4]]:9: error: a persistent region does not look into a call of 'cudaLaunchKernel': write it as a launch, 'kernel<<<grid, block, bytes, stream>>>(...)' [gpurma-0123]
// CHECK: 2 errors generated
