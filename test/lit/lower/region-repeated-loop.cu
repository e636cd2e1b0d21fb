// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A region's loop whose iterations the host may repeat: it says what they read and change. Not where anything else may differ.
// REQUIRES: nvcc
// RUN: %lower_cuda %s | %filecheck %s
#include <cstdio>
#include <cstdlib>
#include <utility>

__global__ void step(float *out, const float *in, int n, float add = 0) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    out[i] = in[i - 1] + in[i + 1] + add;
}
__global__ void add_up(float *sum, const float *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(sum, in[i]);
}

#define CHECK_CUDA(call)                                                                                                         \
  do {                                                                                                                           \
    if ((call) != cudaSuccess) {                                                                                                 \
      std::printf("failed\n");                                                                                                   \
      std::exit(1);                                                                                                              \
    }                                                                                                                            \
  } while (0)
static void advance(float *&v, float *&u, int n) {
  step<<<(n + 63) / 64, 64>>>(v, u, n);
  CHECK_CUDA(cudaGetLastError());
  std::swap(u, v);
}

// CHECK-LABEL: void repeated(
// CHECK: for (; gpurma_choice.goes_on(it, [&] { return static_cast<bool>(it < steps); }, [&] { it += 2; }, flip, v, u) && (it < steps); it += 2)
// CHECK: for (; gpurma_choice.goes_on(it, [&] { return it >= 0 && static_cast<bool>(it < steps); }, [&] { ++it; }, it % 2, it % 3) && (it < steps); ++it)
// CHECK: for (; gpurma_choice.goes_on(k, [&] { return static_cast<bool>(k != 100); }, [&] { k++; }, k % 4) && (k != 100); k++)
// CHECK: for (; gpurma_choice.goes_on(it, [&] { return static_cast<bool>(it < steps); }, [&] { ++it; }, v, u) && (it < steps); ++it)
void repeated(float *u, float *v, int n, int steps) {
  int flip = 0;
#pragma gpurma persistent distribute(u, v : rows(n))
  for (int it = 0; it < steps; it += 2) {
    const float add = flip * 0.5f;
    step<<<(n + 63) / 64, 64>>>(v, u, n, add);
    CHECK_CUDA(cudaGetLastError());
    std::swap(u, v);
    flip = 1 - flip;
  }
#pragma gpurma persistent distribute(u, v : rows(n))
  for (int it = -2; it < steps; ++it)
    step<<<(n + 63) / 64, 64>>>(it & 1 ? u : v, it % 2 ? v : u, n, it % 3);
  unsigned k;
#pragma gpurma persistent distribute(u, v : rows(n))
  for (k = 0; k != 100; k++)
    for (int s = 0; s < 2; ++s) {
      step<<<(n + 63) / 64, 64>>>(v, u, n, k & 3);
      step<<<(n + 63) / 64, 64>>>(u, v, n, s);
    }
#pragma gpurma persistent distribute(u, v : rows(n))
  for (int it = 0; it < steps; ++it)
    advance(v, u, n);
}

// Each is lowered, and none repeats.
// CHECK-LABEL: void others(
// CHECK-COUNT-14: gpurma_choice.goes_on()
// CHECK-NOT: gpurma_choice.goes_on(
void others(float *u, float *v, float *sum, int n, int steps) {
  // It reads the counter.
#pragma gpurma persistent distribute(u, v : rows(n))
  for (int it = 0; it < steps; ++it) {
    step<<<(n + 63) / 64, 64>>>(v, u, n, it);
    std::swap(u, v);
  }
#pragma gpurma persistent distribute(u, v : rows(n))
  for (int it = 0; it < steps; ++it) {
    step<<<(n + 63) / 64, 64>>>(v, u, n, it & 6);
    std::swap(u, v);
  }
#pragma gpurma persistent distribute(u, v : rows(n))
  for (int it = 0; it < steps; ++it)
    if (it % 2 != 0 || it == 100)
      step<<<(n + 63) / 64, 64>>>(v, u, n);
#pragma gpurma persistent distribute(u, v : rows(n))
  for (unsigned char k = 1; k != 0; ++k)
    step<<<(n + 63) / 64, 64>>>(v, u, n, k % 3);
  // It counts in another way.
#pragma gpurma persistent distribute(u, v : rows(n))
  for (int it = 1; it < steps; it *= 2)
    step<<<(n + 63) / 64, 64>>>(v, u, n);
#pragma gpurma persistent distribute(u, v : rows(n))
  for (int it = steps; it > 0; --it)
    step<<<(n + 63) / 64, 64>>>(v, u, n);
#pragma gpurma persistent distribute(u, v : rows(n))
  for (float time = 0; time < steps; ++time)
    step<<<(n + 63) / 64, 64>>>(v, u, n);
#pragma gpurma persistent distribute(u, v : rows(n))
  for (int it = 0, left = 10; left > 0; ++it) {
    step<<<(n + 63) / 64, 64>>>(v, u, n);
    left -= 2;
  }
#pragma gpurma persistent distribute(u, v : rows(n))
  for (int it = 0; it < steps;)
    step<<<(n + 63) / 64, 64>>>(v, u, n + ++it);
  // What the condition reads changes.
  int end = steps;
#pragma gpurma persistent distribute(u, v : rows(n))
  for (int it = 0; it < end; ++it) {
    step<<<(n + 63) / 64, 64>>>(v, u, n);
    end = steps;
  }
  // It does more than to launch.
#pragma gpurma persistent distribute(u, v : rows(n))
  for (int it = 0; it < steps; ++it) {
    step<<<(n + 63) / 64, 64>>>(v, u, n);
    std::printf("a step\n");
  }
#pragma gpurma persistent distribute(u, v : rows(n))
  for (int it = 0; it < steps; ++it) {
    step<<<(n + 63) / 64, 64>>>(v, u, n);
    cudaDeviceSynchronize();
  }
#pragma gpurma persistent distribute(u : rows(n)) reduce(+ : *sum)
  for (int it = 0; it < steps; ++it)
    add_up<<<(n + 63) / 64, 64>>>(sum, u, n);
  // It is no `for`.
  int it = 0;
#pragma gpurma persistent distribute(u, v : rows(n))
  while (it < steps) {
    step<<<(n + 63) / 64, 64>>>(v, u, n);
    ++it;
  }
}
