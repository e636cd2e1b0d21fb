// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernel of a region does where the host runs a statement, and what the host does.
// RUN: %gpurmacc_cpu --gpurma-emit-source=- %s | FileCheck %s
__global__ void step(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    out[i] = in[i - 1] + in[i + 1];
}
bool write(const float *u, int it);

void run(float *u, float *v, int n) {
#pragma gpurma persistent distribute(u, v : rows(n))
  for (int it = 0; it < 100; ++it) {
    const int kept = 2 * it;
    int passing = it + 1;
    step<<<(n + 63) / 64, 64>>>(v, u, n);
    float *t = u;
    u = v;
    v = t;
    if (it % 10 == passing) {
#pragma gpurma host
      if (!write(u, kept))
        break;
    }
    step<<<(n + 63) / 64, 64>>>(v, u, n);
  }
}
// The pointer t is named before the statement only.
// CHECK: struct gpurma_values_0 {
// CHECK: int gpurma_kept_0_it;
// CHECK-NEXT: int gpurma_kept_1_kept;
// CHECK-NEXT: int gpurma_kept_2_passing;
// CHECK-NEXT: unsigned gpurma_host_part;
// CHECK-NEXT: ::gpurma::stages::behind_host_part gpurma_behind;
// CHECK-NEXT: };
// CHECK: auto& gpurma_kept_0_it = gpurma_values.gpurma_kept_0_it;
// CHECK: auto& gpurma_host_part = gpurma_values.gpurma_host_part;
// CHECK: if (gpurma_host_part == 0) {
// CHECK-NEXT: gpurma_kept_0_it = 0;
// CHECK-NEXT: }
// CHECK-NEXT: for (; gpurma_host_part != 0 || (gpurma_kept_0_it < 100); ++gpurma_kept_0_it)
// CHECK: if (gpurma_host_part == 0) {
// CHECK-NEXT: gpurma_kept_1_kept = 2 * gpurma_kept_0_it;
// CHECK-NEXT: gpurma_kept_2_passing = gpurma_kept_0_it + 1;
// CHECK: float *t = u;
// CHECK: if (gpurma_host_part == 0 || gpurma_host_part == 1) {
// CHECK-NEXT: if (gpurma_host_part != 0 ? gpurma_host_part == 1 : bool(gpurma_kept_0_it % 10 == gpurma_kept_2_passing)) {
// CHECK: if (gpurma_host_part == 0) {
// CHECK-NEXT: gpurma_host_part = 1;
// CHECK-NEXT: goto gpurma_leave;
// CHECK-NEXT: }
// CHECK-NEXT: gpurma_host_part = 0;
// CHECK-NEXT: if (gpurma_values.gpurma_behind == ::gpurma::stages::behind_host_part::leave_loop)
// CHECK-NEXT: break;
// CHECK: if (gpurma_host_part == 0) {
// CHECK: gpurma_leave:;
// CHECK: gpurma_values.gpurma_host_part = 0; for (;;) { {{.*}}::gpurma::stages::run({{.*}}if (gpurma_values.gpurma_host_part == 0) break; gpurma_values.gpurma_behind = ::gpurma::stages::behind_host_part::next_statement; if (gpurma_values.gpurma_host_part == 1) { {{.*}}const auto& kept = gpurma_values.gpurma_kept_1_kept;
// CHECK-NEXT: #line 22
// CHECK-NEXT: if (!write(u, kept))
// CHECK-NEXT: { gpurma_values.gpurma_behind = ::gpurma::stages::behind_host_part::leave_loop; continue; };
// CHECK-NEXT: #line 13
// CHECK-NEXT: continue; } }
