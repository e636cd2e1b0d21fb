// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A region that is a loop: its kernel may leave it before an iteration, the host runs others as the program has them, and another kernel
// goes on. Not on the CPU target, not with checks, and not where the region is more than a loop or the host cannot go on.
// REQUIRES: nvcc
// RUN: %lower_cuda %s | %filecheck %s
// RUN: %lower_cuda --gpurma-check %s | %filecheck --check-prefix=NONE %s
// RUN: %lower_cpu %s | %filecheck --check-prefix=NONE %s
// NONE-NOT: gpurma_choice
// NONE-NOT: goes_on
#include <utility>

__global__ void step(float *out, const float *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    out[i] = in[i - 1] + in[i + 1];
}

__global__ void add_up(float *sum, const float *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(sum, in[i]);
}

// CHECK-LABEL: struct gpurma_values_{{[0-9]+}} {
// CHECK: int gpurma_loop_it;
// CHECK-NEXT: ::gpurma::stages::loop_progress gpurma_loop;
// CHECK: auto gpurma_loop = gpurma_values.gpurma_loop;
// CHECK: int it = 3;
// CHECK-NEXT: if (gpurma_loop.goes_on) it = gpurma_values.gpurma_loop_it;
// CHECK-NEXT: for (; gpurma_region.goes_on(gpurma_plan.loop, gpurma_loop) && (it < 100); ++it)
// CHECK: gpurma_values.gpurma_loop_it = it;
// CHECK: gpurma_values.gpurma_loop = gpurma_loop;
// CHECK-LABEL: void numbered(
// CHECK: gpurma_values.gpurma_loop = {}; for (::gpurma::stages::loop_choice gpurma_choice(gpurma_values.gpurma_loop);;) {
// CHECK-SAME: ::gpurma::stages::run(gpurma_kernels_{{[0-9]+}}, gpurma_values, gpurma_plan, {{.*}}, &gpurma_choice);
// CHECK-SAME: if (!gpurma_values.gpurma_loop.has_left) break;
// CHECK-SAME: auto& it = gpurma_values.gpurma_loop_it;
// CHECK-SAME: if (gpurma_choice.begins_on_host()) { it = 3; }
// CHECK: for (; gpurma_choice.goes_on(it, [&] { return static_cast<bool>(it < 100); }, [&] { ++it; }, v, u) && (it < 100); ++it)
// CHECK-NEXT: #line
// CHECK-NEXT: {
// CHECK-NEXT: step<<<(n + 63) / 64, 64>>>(v, u, n);
// CHECK-NEXT: std::swap(u, v);
// CHECK-NEXT: };
// CHECK: if (!gpurma_choice.returns()) break; }
void numbered(float *u, float *v, int n) {
#pragma gpurma persistent distribute(u, v : rows(n))
  for (int it = 3; it < 100; ++it) {
    step<<<(n + 63) / 64, 64>>>(v, u, n);
    std::swap(u, v);
  }
}

// A number of the program's is set where the region begins only.
// CHECK: if (!gpurma_loop.goes_on) {
// CHECK-NEXT: it = 0;
// CHECK-NEXT: }
// CHECK-NEXT: for (; gpurma_region.goes_on(gpurma_plan.loop, gpurma_loop); it += 2)
// CHECK-LABEL: void endless(
// CHECK: if (gpurma_choice.begins_on_host()) { it = 0; }
// CHECK: for (; gpurma_choice.goes_on(); it += 2)
void endless(float *u, float *v, int n) {
  int it;
#pragma gpurma persistent distribute(u, v : rows(n))
  for (it = 0;; it += 2) {
    if (it > 10)
      break;
    step<<<(n + 63) / 64, 64>>>(v, u, n);
    std::swap(u, v);
  }
}

// CHECK: while (gpurma_region.goes_on(gpurma_plan.loop, gpurma_loop) && (it < 10))
// CHECK-LABEL: void whiles(
// CHECK: for (; gpurma_choice.goes_on() && (it < 10); )
void whiles(float *u, float *v, int n) {
  int it = 0;
#pragma gpurma persistent distribute(u, v : rows(n))
  {
    while (it < 10) {
      step<<<(n + 63) / 64, 64>>>(v, u, n);
      std::swap(u, v);
      ++it;
    }
  }
}

// CHECK: while ((++it < 10) && gpurma_region.goes_on(gpurma_plan.loop, gpurma_loop));
// CHECK-LABEL: void dos(
// CHECK: do {
// CHECK: step<<<(n + 63) / 64, 64>>>(v, u, n);
// CHECK: } while ((++it < 10) && gpurma_choice.goes_on());
// CHECK: if (!gpurma_choice.returns()) break; }
void dos(float *u, float *v, int n) {
  int it = 0;
#pragma gpurma persistent distribute(u, v : rows(n))
  do {
    step<<<(n + 63) / 64, 64>>>(v, u, n);
    std::swap(u, v);
  } while (++it < 10);
}

// CHECK-LABEL: void copied(
// CHECK: for (; gpurma_choice.goes_on() && (it < 10); ++it)
void copied(float *u, float *sum, int n) {
  float now[2];
#pragma gpurma persistent distribute(u : rows(n)) reduce(+ : sum[0], sum[1])
  for (int it = 0; it < 10; ++it) {
    cudaMemset(&sum[1], 0, sizeof(float));
    add_up<<<(n + 63) / 64, 64>>>(&sum[0], u, n);
    add_up<<<(n + 63) / 64, 64>>>(&sum[1], u, n);
    cudaMemcpy(now, sum, 2 * sizeof(float), cudaMemcpyDeviceToHost);
    if (now[1] > 3)
      break;
  }
}

// CHECK-LABEL: void macros(
// CHECK: for (; gpurma_choice.goes_on(it, [&] { return static_cast<bool>(it < STEPS); }, [&] { NEXT(it); }, v, u) && (it < STEPS); NEXT(it))
// CHECK-NEXT: #line
// CHECK-NEXT: ALL;
// CHECK-NEXT: #line
// CHECK-NEXT: if (!gpurma_choice.returns()) break; }
// CHECK-NOT: gpurma_choice
// CHECK-NOT: goes_on
#define STEPS 10
#define NEXT(i) ++i
#define ALL                                                                                                                                          \
  {                                                                                                                                                  \
    step<<<(n + 63) / 64, 64>>>(v, u, n);                                                                                                            \
    std::swap(u, v);                                                                                                                                 \
  }
void macros(float *u, float *v, int n) {
#pragma gpurma persistent distribute(u, v : rows(n))
  for (int it = 0; it < STEPS; NEXT(it))
    ALL
}

#define HEAD(i) for (int i = 0; i < STEPS; ++i)
#define LOOP(i) HEAD(i) ALL
#define CONDITION(i) i < STEPS; ++i
struct counter {
  int count = 0;
};
void write(const float *u);
// Nor where the text takes a reduced scalar for complete when the launches may not have ended.
void scalars(float *u, float *v, float *sum, float *pinned, int n) {
#pragma gpurma persistent distribute(u, v : rows(n)) reduce(+ : *sum)
  for (int it = 0; it < 10; ++it) {
    *sum = 0;
    add_up<<<(n + 63) / 64, 64>>>(sum, u, n);
  }
#pragma gpurma persistent distribute(u, v : rows(n)) reduce(+ : *sum)
  while (*sum < 10)
    add_up<<<(n + 63) / 64, 64>>>(sum, u, n);
#pragma gpurma persistent distribute(u, v : rows(n)) reduce(+ : sum[0], sum[1])
  for (int it = 0; it < 10; ++it) {
    add_up<<<(n + 63) / 64, 64>>>(&sum[0], u, n);
    add_up<<<(n + 63) / 64, 64>>>(&sum[1], u, n);
    for (int k = 0; k < 2; ++k)
      pinned += sum[k] > 3;
  }
#pragma gpurma persistent distribute(u, v : rows(n)) reduce(+ : *sum)
  for (int it = 0; it < 10; ++it) {
    add_up<<<(n + 63) / 64, 64>>>(sum, u, n);
    cudaMemcpyAsync(pinned, sum, sizeof(float), cudaMemcpyDeviceToHost);
  }
}
void others(float *u, float *v, int n) {
#pragma gpurma persistent distribute(u, v : rows(n))
  {
    step<<<(n + 63) / 64, 64>>>(v, u, n);
    for (int it = 0; it < 10; ++it)
      step<<<(n + 63) / 64, 64>>>(u, v, n);
  }
#pragma gpurma persistent distribute(u, v : rows(n))
  for (counter it; it.count < 10; ++it.count)
    step<<<(n + 63) / 64, 64>>>(u, v, n);
#pragma gpurma persistent distribute(u, v : rows(n))
  for (int it = 0; it < 10; ++it) {
    step<<<(n + 63) / 64, 64>>>(u, v, n);
#pragma gpurma host
    write(u);
  }
#pragma gpurma persistent distribute(u, v : rows(n))
  HEAD(it) ALL
#pragma gpurma persistent distribute(u, v : rows(n))
  LOOP(it)
#pragma gpurma persistent distribute(u, v : rows(n))
  for (int it = 0; CONDITION(it))
    ALL
}
