// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that are marked for the host and the device, and constexpr ones of the library, in statements of a region: what they reach by pointers
// is something else on the device. They are taken like functions of the host, or not at all.
// RUN: not %gpurmacc_cpu -std=c++20 -c %s -o %t.o 2>&1 | %filecheck %s
// RUN: not %gpurmacc_cpu -std=c++20 -DSTATIC -c %s -o %t.o 2>&1 | %filecheck --check-prefix=STATIC %s
// STATIC: :[[@LINE+15]]:14: error: 'next' is a function of the host, and a persistent region cannot take its call: its variable 'calls' is static
#include <algorithm>
#include <functional>
#include <span>
#include <utility>

__global__ void scale(float* a, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= by;
}

__host__ __device__ float element(const float* p, int i) { return p[i]; }
__host__ __device__ void count(int* counter) { *counter += 1; }
__host__ __device__ int next() {
  static int calls = 0;
  return ++calls;
}
__host__ __device__ float twice(float x) {
  const float of_both[2] = {x, x};
  return of_both[0] + of_both[1];
}
__host__ __device__ float largest(const float* values, int n) {
  float most = values[0];
  for (int i = 1; i < n; ++i)
    most = values[i] > most ? values[i] : most;
  return most;
}
struct view {
  float* p;
  __host__ __device__ float operator[](int i) const { return p[i]; }
};

void iterate(float* a, float* b, view v, int* counter, int n, float sum) {
  std::span<float> all(a, n);
  std::reference_wrapper<float*> first(a), second(b);
#pragma gpurma persistent distribute(a, b : rows(n))
  for (int i = 0; i < 4; ++i) {
    float factors[3] = {1, 2, twice(i)};
    scale<<<(n + 31) / 32, 32>>>(a, largest(factors, 3), n); // no error: an array of the region's own
    sum += element(a, i);
    // CHECK: :[[@LINE-1]]:20: error: 'a[i]' cannot be part of a persistent region
    count(counter);
    // CHECK: :[[@LINE-30]]:48: error: '*counter' cannot be part of a persistent region
#ifdef STATIC
    sum += next();
#endif
    sum += v[i];
    // CHECK: :[[@LINE-1]]:12: error: 'operator[]' is a function of the host, and the persistent region runs on the device; where what it reaches by pointers, or as a variable that is no constant, is something else; let the host call it, '#pragma gpurma host', or pass it values [gpurma-0127]
    std::copy(a, a + n, b);
    // CHECK: :[[@LINE-1]]:5: error: 'copy' is a function of the host
    all[0] = sum;
    // CHECK: :[[@LINE-1]]:5: error: 'operator[]' is a function of the host
    std::swap(first.get(), second.get());
    // CHECK: :[[@LINE-1]]:15: error: 'get' is a function of the host
    // CHECK: :[[@LINE-2]]:28: error: 'get' is a function of the host
  }
}
