// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of reduced scalars, and of bits, that are not between scalars of the host.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s
#include <cstring>

__global__ void add(const float* a, float* sum) { atomicAdd(sum, a[blockIdx.x]); }
// A pointer to a scalar of the host is that only if the region names nothing else of it.
__global__ void scale(float* a, const float* by) { a[blockIdx.x] *= *by; }
void host_scalars(float* a, float* sum, float* passed, float* on_device, float* array, char* text, int n, double wide, int bits) {
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : *sum)
  for (int i = 0; i < n; ++i) {
    add<<<n, 1>>>(a, sum);
    cudaMemcpy(passed, sum, 4, cudaMemcpyDeviceToHost);
    scale<<<n, 1>>>(a, passed);
    cudaMemcpy(on_device, sum, 4, cudaMemcpyDeviceToDevice);
    cudaMemcpy(array, sum, 4, cudaMemcpyDeviceToHost);
    array[1] = 0;
    memcpy(text, &i, 4);
    cudaMemcpy(&wide, sum, 4, cudaMemcpyDeviceToHost);
    bits = *(int*)sum;
  }
}
// CHECK: :[[@LINE-10]]:5: error: 'cudaMemcpy' cannot be called in a persistent region
// CHECK: :[[@LINE-9]]:5: error: 'cudaMemcpy' cannot be called in a persistent region
// CHECK: :[[@LINE-9]]:5: error: 'cudaMemcpy' cannot be called in a persistent region
// CHECK: :[[@LINE-9]]:5: error: 'array[1]' cannot be part of a persistent region, which runs on the device; move it out of the region [gpurma-0124]
// CHECK: :[[@LINE-9]]:5: error: 'memcpy' is a function of the host, and the persistent region runs on the device; let the host call it, '#pragma gpurma host', or move the call out of the region [gpurma-0127]
// CHECK: :[[@LINE-9]]:5: error: 'cudaMemcpy' cannot be called in a persistent region
// CHECK: :[[@LINE-9]]:12: error: '*(int*)sum' cannot be part of a persistent region, which runs on the device; move it out of the region [gpurma-0124]

// Bits of a variable are read, by a type of its size.
void bits_of_variables(float* a, float* sum, int n, int bits, double wide) {
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : *sum)
  for (int i = 0; i < n; ++i) {
    add<<<n, 1>>>(a, sum);
    float value = *(float*)&bits;
    value += *(float*)&wide;
    *(float*)&bits = value;
  }
}
// CHECK-NOT: '*(float*)&bits' cannot be part
// CHECK: :[[@LINE-5]]:14: error: '*(float*)&wide' cannot be part of a persistent region, which runs on the device; move it out of the region [gpurma-0124]
// CHECK: :[[@LINE-5]]:5: error: '*(float*)&bits' cannot be part of a persistent region, which runs on the device; move it out of the region [gpurma-0124]
