// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A flag is a reduced scalar of an operation of its own. Stores that are statements of the kernel go into a register, in what the kernel's
// parameter means; others, and those in functions, into the rank's part.
// RUN: %lower_cpu %s | %filecheck %s
// RUN: %gpurmacc_cpu -Rgpurma --gpurma-print-after=InferStages -c %s -o %t.o > %t.printed 2> %t.remarks
// RUN: %filecheck --input-file=%t.printed --check-prefix=PRINT-CHECK %s
// RUN: %filecheck --input-file=%t.remarks --check-prefix=REMARK-CHECK %s

__global__ void stores(const int* a, int* changed, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && a[i] < 0)
    *changed = 1;
  else if (i < n && a[i] > 5)
    changed[0] = true, (*(changed)) = 1;
}
// CHECK: gpurma_stage_[[#]]_stores({{.*}}, gpurma_type_1 gpurma_part_1, const int* a, int* changed, int n) { static_cast<void>(changed); { {{.*}}const auto changed = gpurma_part_1;
// CHECK-NEXT: #line 9 {{.*}}
// CHECK-NEXT: {
// CHECK: *changed = 1;
// CHECK: changed[0] = true, (*(changed)) = 1;
// CHECK: } }

__device__ void clear(bool* flag) { *flag = false; }
__global__ void in_function(const int* a, bool* done) {
  if (a[blockIdx.x] < 0)
    clear(done);
}
__global__ void value_used(const int* a, bool* done) {
  if (a[blockIdx.x] < 0) {
    const bool stored = *done = false;
    static_cast<void>(stored);
  }
}
__global__ void as_other(const int* a, float* low) {
  if (a[blockIdx.x] < 0)
    *reinterpret_cast<int*>(low) = 3;
}
// CHECK: gpurma_{{stage|thread}}_[[#]]_in_function({{.*}} const int* a, bool* done)
// CHECK: gpurma_{{stage|thread}}_[[#]]_value_used({{.*}} const int* a, bool* done)
// CHECK: gpurma_{{stage|thread}}_[[#]]_as_other({{.*}} const int* a, float* low)

// CHECK: struct gpurma_parts { ::gpurma::stages::thread_part<int, ::gpurma::stages::logical_or> gpurma_1; };
// CHECK: ::gpurma::stages::part_pointer<int, ::gpurma::stages::logical_or>{gpurma_thread.gpurma_1}
// CHECK: ::gpurma::stages::reduced<int, ::gpurma::stages::logical_or,
// CHECK: ::gpurma::stages::reduced<float, ::gpurma::stages::as<int, ::gpurma::stages::logical_or>,
// CHECK: ::gpurma::stages::reduced<bool, ::gpurma::stages::logical_and,
// CHECK: (gpurma_reduced_0 = 0, ::cudaSuccess)
// CHECK: (gpurma_reduced_0 = static_cast<int>(16843009ull), ::cudaSuccess)
// CHECK: (gpurma_reduced_2 = static_cast<bool>(1ull), ::cudaSuccess)
void steps(int* a, int* changed, bool* done, float* low, int n, int count) {
#pragma gpurma persistent distribute(a : rows(n)) reduce(|| : *changed, *low) reduce(&& : *done)
  for (int step = 0; step < count; ++step) {
    cudaMemset(changed, 0, sizeof(int));
    if (step == 3)
      cudaMemset(changed, 1, sizeof(int));
    cudaMemsetAsync(done, true, sizeof(bool));
    // REMARK-CHECK: :[[@LINE+2]]:5: remark: stage 'stores' reads 'a', sets '*changed' (first in each thread) [gpurma-0217]
    // PRINT-CHECK: :[[@LINE+1]]: stage stores: {{.*}}; sets *changed{{.*}}; *changed first in each thread
    stores<<<n / 64, 64>>>(a, changed, n);
    // REMARK-CHECK: :[[@LINE+2]]:5: remark: stage 'in_function' reads 'a', sets '*done' [gpurma-0217]
    // PRINT-CHECK: :[[@LINE+1]]: stage in_function: {{.*}}; sets *done; in blocks of another size
    in_function<<<n, 1>>>(a, done);
    value_used<<<n, 1>>>(a, done);
    as_other<<<n, 1>>>(a, low);
  }
}
