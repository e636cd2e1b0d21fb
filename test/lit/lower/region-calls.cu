// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What calls of functions that launch kernels become in a region: parameters that nothing changes are what is passed for them, others
// variables with names of their own. The functions stay as they are, and so do the lines behind the region.
// RUN: %lower_cpu %s | grep -v '^ *//' > %t.cu
// RUN: FileCheck --input-file=%t.cu %s
// RUN: %gpurmacc_cpu --gpurma-print-after=InferStages -c %s -o %t.o | FileCheck --check-prefix=STAGES %s
#include "Inputs/region-calls.h"
void turn(float*& a, float*& b, int n, int count) {
  for (; count > 0; --count) {
    shift(b, a, n);
    float* c = a;
    a = b;
    b = c;
  }
}
// STAGES: region-calls.h:11: stage left: rows x; writes a (own), published (x -1..0); reads b (x -1..-1)
// CHECK: {{^}}void turn(float*& a, float*& b, int n, int count) {
// CHECK: {{^    }}shift(b, a, n);
void run(float* u, float* v, int nx, int c) {
// CHECK: {{.*}}maybe_unused{{.*}} int count = c / 2;
// CHECK: for (; count > 0; --count)
// CHECK: {{.*}}maybe_unused{{.*}} const dim3 block(::width, 1, 1);
// CHECK: const dim3 gpurma_grid((nx + 31) / 32);
// CHECK: float *const gpurma_0 = v;
// CHECK-NEXT: const float *const gpurma_1 = u;
// CHECK-NEXT: const int gpurma_2 = nx;
// CHECK: gpurma_region.launch({{.*}}, block, ::gpurma::site{0x[[#%x,HEADER:]]u, 11});
// CHECK: {{.*}}maybe_unused{{.*}} float *c_2 = u;
// CHECK: {{^ *}}u = v;
// CHECK: {{^ *}}v = c_2;
// CHECK: ::gpurma::stages::stage_plan("left", {{.*}}, dim3(dim3(::width, 1, 1)), 0)
#pragma gpurma persistent distribute(u, v : rows(nx))
  for (int i = 0; i < 3; ++i)
    turn(u, v, nx, c / 2);
  static_assert(__LINE__ == 35, "the lines behind the region");
}
// What is behind && stands behind a condition, and what a loop goes on with before its body, but not in the first iteration.
// CHECK: {{.*}}maybe_unused{{.*}} bool again = false;
// CHECK: for (; ; again = true)
// CHECK: if (again) {
// CHECK: {{.*}}maybe_unused{{.*}} bool both = c > 3;
// CHECK: if (both) {
// CHECK: {{.*}}maybe_unused{{.*}} int left_of_result;
// CHECK: both = left_of_result < c;
// CHECK: if (!(both)) {
// CHECK-NEXT: break;
// CHECK: continue;
static int left_of(float*& u, float*& v, int nx, int c) {
  turn(u, v, nx, c);
  return c + 3;
}
void run_again(float* u, float* v, int nx, int c) {
#pragma gpurma persistent distribute(u, v : rows(nx))
  do {
    if (--c % 2)
      continue;
    c -= 2;
  } while (c > 3 && left_of(u, v, nx, c) < c);
}
// CHECK: ::gpurma::source_file gpurma_source_file_{{[0-9]}}({{.*}}region-calls.h");
