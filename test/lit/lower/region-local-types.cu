// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The copies of types that the region's kernel has no name for. The function keeps its own.
// RUN: %lower_cpu %s | grep -v '^ *//' | FileCheck %s
__global__ void set(float *u, float v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    u[i] = v;
}
void run(float *a, int n) {
// CHECK: namespace {
// CHECK-NEXT: enum gpurma_type_0_0_kind { gpurma_type_0_0_kind_left = 0, gpurma_type_0_0_kind_right = 4, };
// CHECK-NEXT: struct gpurma_type_0_1 {
// CHECK-NEXT: double weights[2];
// CHECK-NEXT: };
// CHECK-NEXT: struct gpurma_type_0_2_state {
// CHECK-NEXT: float *u;
// CHECK-NEXT: gpurma_type_0_1 inner;
// CHECK-NEXT: int n;
// CHECK-NEXT: };
// CHECK-NEXT: struct gpurma_values_0 {
// CHECK-DAG: {{^  }}gpurma_type_0_2_state s;
// CHECK-DAG: {{^  }}gpurma_type_0_0_kind k;
// CHECK: k = static_cast<gpurma_type_0_0_kind>(4);
// CHECK: gpurma_type_0_2_state other = s;
// CHECK: {{^  }}struct state {
// CHECK: {{^  }}state s{a, {{[{][{]}}1, 2}}, n};
// CHECK: ::gpurma::stages::copy_value(gpurma_values.s, s);
  struct state {
    float *u;
    struct {
      double weights[2];
    } inner;
    int n;
  };
  enum kind { left, right = 4 };
  state s{a, {{1, 2}}, n};
  kind k = left;
#pragma gpurma persistent distribute(s.u : rows(s.n))
  for (int i = 0; i < 3; ++i) {
    k = right;
    state other = s;
    set<<<n / 32 + 1, 32>>>(s.u, other.inner.weights[1] + k, s.n);
  }
}
