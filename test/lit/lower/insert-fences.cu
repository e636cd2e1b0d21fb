// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `__restrict__` pointers and references, which may lead to window memory, are made known to others, in functions that synchronize.
// RUN: %lower_cpu %s | FileCheck --implicit-check-not='sync_reg(coefficients)' %s
#include <gpurma/gpurma.h>

__device__ float step(float* __restrict__ halo, const float* __restrict__ coefficients) {
  float before = halo[0];
#pragma gpurma wait tag(1)
  return before + halo[0] * coefficients[0];
}
// CHECK: {{^}}{{.*}}static __device__ float step({{.*}}) { ::gpurma::sync_reg(halo);{{$}}

// Nothing in it waits, so nothing changes meanwhile that it may know of.
__device__ float sum(float* __restrict__ p, int n) {
  float total = 0;
  for (int i = 0; i < n; ++i)
    total += p[i];
  return total;
}
// CHECK: {{^}}{{.*}}static __device__ float sum(float* __restrict__ p, int n) {{{$}}

__global__ void kernel(float* __restrict__ a, float* __restrict__ plain, const float* coefficients) {
#pragma gpurma window(w = a[0:16])
  float* __restrict__ inner = a + 1;
  plain[0] = sum(a, 16) + step(inner, coefficients) + inner[0];
}
// CHECK: {{^}}__global__ void kernel({{.*}}) { {{.*}}::gpurma::sync_reg(a); ::gpurma::sync_reg(plain);{{$}}
// CHECK: {{^}}  float* __restrict__ inner = a + 1; ::gpurma::sync_reg(inner);{{$}}

__device__ int next(int& __restrict__ slot) {
#pragma gpurma wait tag(1)
  return slot;
}
// CHECK: {{^}}{{.*}}static __device__ int next({{.*}}) { ::gpurma::sync_reg(&slot);{{$}}

// A destructor waits, or that of a member.
struct received {
  __device__ ~received() {
#pragma gpurma wait tag(1)
  }
};
struct has_received : received {
  received member;
};
__device__ int next_by_guard(int* __restrict__ slot) {
  int before = slot[0];
  { received guard; }
  return slot[0] - before;
}
// CHECK: {{^}}{{.*}}static __device__ int next_by_guard({{.*}}) { ::gpurma::sync_reg(slot);{{$}}
__device__ int next_by_member(int* __restrict__ slot) {
  int before = slot[0];
  has_received();
  return slot[0] - before;
}
// CHECK: {{^}}{{.*}}static __device__ int next_by_member({{.*}}) { ::gpurma::sync_reg(slot);{{$}}
