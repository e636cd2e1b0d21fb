// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a persistent region becomes: a copy of the kernel's body that knows its logical block, a kernel, and a call.
// RUN: %lower_cpu %s | %filecheck %s
#include <cmath>
#include <utility>

namespace ns {
template <class T> __global__ void step(T *out, const T *__restrict__ in, T *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = __ldg(in + i);
    atomicAdd(sum, out[i]);
  }
}
// CHECK: {{^}}}
// CHECK: #line [[#]] "{{.*}}region.cu"
// CHECK: template <unsigned gpurma_copy, class T, class gpurma_type_2> {{.*}}static __device__ __forceinline__ void gpurma_stage_[[S:[0-9]+]]_step([[_:.*]] const uint3 blockIdx, {{.*}} const dim3 gridDim, gpurma_type_2 gpurma_part_2, T *out, const T * in, T *sum, int n)
// CHECK: out[i] = ::gpurma::stages::load(in + i);
} // namespace ns

#define TRY(call)                                                                                                          \
  if ((call) != cudaSuccess)                                                                                                      \
    return 1;

// CHECK: struct gpurma_values_[[R:[0-9]+]] {
// CHECK: struct gpurma_launch_[[R]]_0 {
// CHECK-NEXT: static constexpr int gpurma_stage = 0;
// CHECK-NEXT: static constexpr unsigned gpurma_row_dimension = 0;
// CHECK-NEXT: static constexpr int gpurma_stored_rows = 0;
// CHECK-NEXT: {{\[\[}}maybe_unused]] static constexpr auto gpurma_between = ::gpurma::stages::between_tiles::nothing;
// CHECK-NEXT: static constexpr auto gpurma_rereads = ::gpurma::stages::rereading::by_none;
// CHECK-NEXT: static constexpr unsigned gpurma_reads = [[#]];
// CHECK-NEXT: static constexpr unsigned gpurma_writes = 1;
// CHECK-NEXT: static constexpr unsigned gpurma_overwrites = 1;
// CHECK-NEXT: static constexpr unsigned gpurma_reads_before = 0;
// CHECK-NEXT: static constexpr unsigned gpurma_reads_after = 0;
// CHECK-NEXT: static constexpr unsigned gpurma_puts_before = 0;
// CHECK-NEXT: static constexpr unsigned gpurma_puts_after = 0;
// CHECK-NEXT: unsigned gpurma_grid[3];
// CHECK-NEXT: float *gpurma_0;
// CHECK: const float *gpurma_1;
// CHECK-NEXT: int gpurma_3;
// CHECK-NEXT: {{.*}} gpurma_arrays() const { return {{[{][{]gpurma_0, gpurma_1[}][}]}}; }
// CHECK-NEXT: {{.*}} static constexpr ::gpurma::stages::written_box boxes[] = {{.*}}0, {0, 0}{{.*}};
// CHECK-NEXT: struct gpurma_parts { ::gpurma::stages::thread_part<float, ::gpurma::stages::plus> gpurma_2; };
// CHECK-NEXT: {{.*}} void gpurma_add_up({{.*}}const gpurma_parts& gpurma_thread, {{.*}} gpurma_of_warps) const { gpurma_thread.gpurma_2.add_to(gpurma_of_warps[0]); }
// CHECK-NEXT: template <unsigned gpurma_copy> {{.*}} gpurma_run({{.*}} { ::ns::gpurma_stage_[[S]]_step<gpurma_copy, float>(gpurma_block, dim3(gpurma_grid[0], gpurma_grid[1], gpurma_grid[2]), ::gpurma::stages::part_pointer<float, ::gpurma::stages::plus>{gpurma_thread.gpurma_2}, gpurma_0, gpurma_1, static_cast<float *>(nullptr), gpurma_3); }
// CHECK: template <unsigned gpurma_registers, ::gpurma::stages::process_count gpurma_processes>
// CHECK-NEXT: __global__ void __maxnreg__(gpurma_registers) gpurma_region_[[R]](
// CHECK: ::gpurma::rank_scope gpurma_rank_scope_;
// CHECK: if (gpurma_region.leads()) {
// CHECK: const auto& n = gpurma_values.n;
// CHECK: for (; i < steps; ++i)
// CHECK: gpurma_reduced_0 = 0;
// CHECK: gpurma_region.launch(gpurma_launch_[[R]]_0{{[{][{]gpurma_grid.x, gpurma_grid.y, gpurma_grid.z[}]}}, gpurma_0, gpurma_1, gpurma_3}, block, ::gpurma::site{[[F:.*]]u, 75});
// CHECK-NOT: return 1
// CHECK: norm = ::{{(std::)?}}sqrt(gpurma_reduced_0.value());
// CHECK: ::gpurma::stages::swap(a, b);
// CHECK: gpurma_region.print("%d\n", i);
// CHECK: gpurma_region.dismiss();
// CHECK-NEXT: } else {
// CHECK-NEXT: gpurma_region.template follow<gpurma_launch_[[R]]_0>();
// CHECK: const ::gpurma::stages::region_kernels<gpurma_values_[[R]], 1, 2, 1>::type gpurma_kernels_[[R]] = GPURMA_REGION_KERNELS(gpurma_region_[[R]]);
// CHECK-NEXT: const ::gpurma::rank_kernels gpurma_rank_kernels_[[R]](gpurma_kernels_[[R]]);
// CHECK: #line [[#]]
int iterate(float *a, float *b, float *sum, int n, int steps, dim3 block) {
  float norm = 1;
// CHECK: { alignas(gpurma_values_[[R]]) unsigned char gpurma_memory[sizeof(gpurma_values_[[R]])]; gpurma_values_[[R]]& gpurma_values = *reinterpret_cast<gpurma_values_[[R]]*>(gpurma_memory);
// CHECK-SAME: ::gpurma::stages::stage_plan("step", reinterpret_cast<const void*>(static_cast<void (*)({{.*}})>(::ns::step<float>)), 0, dim3(block), 0).reads(0, 0, 0, 0, 0, 0).writes(0, 0, 0, 0, 0, 0).reads(0, 0, 0, 0, 0, 0).with_thread_rows(0, 0, 0, 0).with_walks(1u, 1, false)
// CHECK-SAME: ::gpurma::stages::array_plan("a", a, n)
// CHECK-SAME: ::gpurma::stages::run(gpurma_kernels_[[R]], gpurma_values, gpurma_plan,
#pragma gpurma persistent distribute(a, b : rows(n)) reduce(+ : *sum)
  for (int i = 0; i < steps; ++i) {
    *sum = 0;
    ns::step<float><<<n / 32 + 1, block>>>(b, a, sum, n);
    TRY(cudaGetLastError())
    norm = std::sqrt(*sum);
    std::swap(a, b);
    printf("%d\n", i);
  }
  return norm > 0;
}
