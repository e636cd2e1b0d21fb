// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Updates of a reduced scalar whose result nobody uses are added up by threads, in what the kernel's parameter means; all others stay
// atomics of the rank's part.
// RUN: %lower_cpu %s | %filecheck %s
// RUN: %gpurmacc_cpu -Rgpurma -c %s -o %t.o 2> %t.remarks
// RUN: %filecheck --input-file=%t.remarks --check-prefix=REMARK-CHECK --implicit-check-not=thread %s

#define UPDATE(to, value) atomicAdd(to, value)

__global__ void kinds(const int* a, int* sum, int* most, int* old, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  UPDATE(sum, a[i]);
  for (int k = 0; k < 2; atomicMax(most, k), ++k)
    static_cast<void>(atomicMax(most, a[i]));
  const int before = atomicAdd(old, a[i]);
  if (before < 0)
    atomicAdd(old, 1);
}
// CHECK: class gpurma_type_1, class gpurma_type_2> {{.*}}gpurma_stage_[[#]]_kinds({{.*}}, gpurma_type_1 gpurma_part_1, gpurma_type_2 gpurma_part_2, const int* a, int* sum, int* most, int* old, int n) { static_cast<void>(sum); static_cast<void>(most); { {{.*}}const auto sum = gpurma_part_1; {{.*}}const auto most = gpurma_part_2;
// CHECK-NEXT: #line 10 {{.*}}
// CHECK-NEXT: {
// CHECK: UPDATE(sum, a[i]);
// CHECK: const int before = atomicAdd(old, a[i]);
// CHECK: } } }

// Results that are used, names that are not looked up by their arguments, functions of the program, other scopes.
__device__ short atomicAdd(int* to, short value) { return atomicAdd(to, int(value)); }
__global__ void chosen(const int* a, int* sum) { a[blockIdx.x] > 0 ? atomicAdd(sum, 1) : 0; }
__global__ void qualified(const int* a, int* sum) { ::atomicAdd(sum, a[blockIdx.x]); }
__global__ void enclosed(const int* a, int* sum) { (atomicAdd)(sum, a[blockIdx.x]); }
__global__ void through_function(const int* a, int* sum) { atomicAdd(sum, short(a[blockIdx.x])); }
__global__ void whole_system(const int* a, int* sum) { atomicAdd_system(sum, a[blockIdx.x]); }
__global__ void converted(const int* a, int* sum) { atomicAdd((unsigned*)sum, unsigned(a[blockIdx.x])); }
__global__ void last_value(const int* a, int* sum) {
  const int value = a[blockIdx.x], old = ({ atomicAdd(sum, value); });
  static_cast<void>(old);
}
__global__ void returned(const int* a, int* sum) {
  auto add = [&](int value) { return atomicAdd(sum, value); };
  add(a[blockIdx.x]);
}
__global__ void value_before_nothing(const int* a, int* sum) {
  const int value = a[blockIdx.x], old = ({ atomicAdd(sum, value);; });
  static_cast<void>(old);
}
// CHECK: gpurma_{{stage|thread}}_[[#]]_chosen({{.*}} const int* a, int* sum)
// CHECK: gpurma_{{stage|thread}}_[[#]]_qualified({{.*}} const int* a, int* sum)
// CHECK: gpurma_{{stage|thread}}_[[#]]_enclosed({{.*}} const int* a, int* sum)
// CHECK: gpurma_{{stage|thread}}_[[#]]_through_function({{.*}} const int* a, int* sum)
// CHECK: gpurma_{{stage|thread}}_[[#]]_whole_system({{.*}} const int* a, int* sum)
// CHECK: gpurma_{{stage|thread}}_[[#]]_converted({{.*}} const int* a, int* sum)
// CHECK: gpurma_{{stage|thread}}_[[#]]_last_value({{.*}} const int* a, int* sum)
// CHECK: gpurma_{{stage|thread}}_[[#]]_returned({{.*}} const int* a, int* sum)
// CHECK: gpurma_{{stage|thread}}_[[#]]_value_before_nothing({{.*}} const int* a, int* sum)

// One instance uses the result.
template <bool Uses, class T = int> __global__ void instances(const T* a, T* sum) {
  if constexpr (Uses) {
    if (atomicAdd(sum, a[blockIdx.x]) < 0)
      return;
  } else {
    const T value = a[blockIdx.x];
    [=] { atomicAdd(sum, value); }();
  }
}
// CHECK: template <unsigned gpurma_copy, bool Uses, class T = int, class gpurma_type_1> {{.*}}gpurma_{{stage|thread}}_[[#]]_instances({{.*}}, gpurma_type_1 gpurma_part_1, const T* a, T* sum) { static_cast<void>(sum); {

// CHECK: struct gpurma_parts { ::gpurma::stages::thread_part<int, ::gpurma::stages::plus> gpurma_1; ::gpurma::stages::thread_part<int, ::gpurma::stages::maximum> gpurma_2; };
// CHECK-NEXT: { gpurma_thread.gpurma_1.add_to(gpurma_of_warps[0]); gpurma_thread.gpurma_2.add_to(gpurma_of_warps[2]); }
// CHECK-NEXT: ::gpurma::stages::part_pointer<int, ::gpurma::stages::plus>{gpurma_thread.gpurma_1}, ::gpurma::stages::part_pointer<int, ::gpurma::stages::maximum>{gpurma_thread.gpurma_2}, gpurma_0, static_cast<int *>(nullptr), static_cast<int *>(nullptr), gpurma_3, gpurma_4); }
// CHECK: struct gpurma_parts {};
// CHECK: {{^}}struct gpurma_launch_[[#]]_9 {
// CHECK: struct gpurma_parts { ::gpurma::stages::thread_part<int, ::gpurma::stages::plus> gpurma_1; };
// CHECK: {{^}}struct gpurma_launch_[[#]]_10 {
// CHECK: struct gpurma_parts {};
// CHECK: gpurma_{{stage|thread}}_[[#]]_instances<gpurma_copy, true, int>({{.*}}, gpurma_1, gpurma_0, gpurma_1); }
void steps(int* a, int* sum, int* most, int* old, int n, int count) {
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : *sum, *old) reduce(max : *most)
  for (int step = 0; step < count; ++step) {
    // REMARK-CHECK: :[[@LINE+1]]:5: remark: stage 'kinds' reads 'a', reduces '*sum' (first in each thread), reduces '*most' (first in each thread), reduces '*old' [gpurma-0217]
    kinds<<<n / 64, 64>>>(a, sum, most, old, n);
    // REMARK-CHECK: :[[@LINE+1]]:5: remark: stage 'chosen' reads 'a', reduces '*sum' [gpurma-0217]
    chosen<<<n, 1>>>(a, sum);
    qualified<<<n, 1>>>(a, sum);
    enclosed<<<n, 1>>>(a, sum);
    through_function<<<n, 1>>>(a, sum);
    whole_system<<<n, 1>>>(a, sum);
    converted<<<n, 1>>>(a, sum);
    last_value<<<n, 1>>>(a, sum);
    returned<<<n, 1>>>(a, sum);
    // REMARK-CHECK: :[[@LINE+1]]:5: remark: stage 'instances' reads 'a', reduces '*sum' (first in each thread) [gpurma-0217]
    instances<false><<<n, 1>>>(a, sum);
    // REMARK-CHECK: :[[@LINE+1]]:5: remark: stage 'instances' reads 'a', reduces '*sum' [gpurma-0217]
    instances<true><<<n, 1>>>(a, sum);
    value_before_nothing<<<n, 1>>>(a, sum);
  }
}
