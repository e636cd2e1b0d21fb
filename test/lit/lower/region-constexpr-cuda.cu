// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accessors of std::array and numeric_limits in a region: nvcc takes its kernel.
// REQUIRES: nvcc
// RUN: %lower_cuda %s | %filecheck %s
// RUN: %check_cuda --Werror all-warnings -c %s -o %t.o
// RUN: %check_cuda --expt-relaxed-constexpr -c %s -o %t.o
#include <array>
#include <limits>

__global__ void set(float* a, float value) { a[blockIdx.x * blockDim.x + threadIdx.x] = value; }

void steps(float* a, int n, const std::array<float, 3>& weights) {
  std::array<float, 2> last{};
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n && last[0] < std::numeric_limits<float>::max(); ++i) {
    set<<<n, 1>>>(a, weights[i % weights.size()]);
    last[i % 2] = weights.back();
  }
}
// CHECK: const float gpurma_1 = weights[i % weights.size()];
