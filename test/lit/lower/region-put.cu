// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What puts before launches become: a depth in what is known of the launch's arrays, and a comparison where a halo is known at run
// time only.
// RUN: %lower_cpu %s | %filecheck %s
// RUN: %gpurmacc_cpu --gpurma-print-after=CollectDirectives --gpurma-emit-source=%t.lowered.cu %s 2>&1 | %filecheck --check-prefix=DIRECTIVES %s
// RUN: %gpurmacc_cpu --gpurma-print-after=InferStages --gpurma-emit-source=%t.lowered.cu %s 2>&1 | %filecheck --check-prefix=TABLE %s
// RUN: %gpurmacc_cpu -Rgpurma -fsyntax-only %s 2>&1 | %filecheck --check-prefix=REMARK %s
#include <gpurma/gpurma.h>

__global__ void both(float* u, float* v, const float* in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny - 1)
    u[y * nx + x] = v[y * nx + x] = in[(y + 1) * nx + x];
}

#define TRY(...)                                                                                                                  \
  do {                                                                                                                            \
    __VA_ARGS__;                                                                                                                   \
    if (cudaGetLastError())                                                                                                       \
      return;                                                                                                                     \
  } while (0)
// CHECK: #define NO_V(...) both<<<grid, block>>>(__VA_ARGS__)
#define NO_V(...) _Pragma("gpurma put(v : halo(0)) notify") both<<<grid, block>>>(__VA_ARGS__)

// A put may stand in a template that is not instantiated.
template <class T> void never(T* a, T* b, T* c, int ny, int nx, dim3 grid, dim3 block) {
  // CHECK: void never
  // CHECK-NOT: put(a
#pragma gpurma persistent distribute(a, b, c : rows(ny, nx))
  {
#pragma gpurma put(a : halo(1)) notify
    both<<<grid, block>>>(a, b, c, ny, nx);
  }
}
// CHECK: struct gpurma_values_
// CHECK: static constexpr ::gpurma::stages::written_box boxes[] = {{[{][{][{][{]}}1, {0, 0}}, {0, {0, 0}}}, 2, 2}, {{[{][{][{]}}1, {0, 0}}, {0, {0, 0}}}, 1, 1}, {{[{][{]}}}, -1, -1, 0, 1}};
// CHECK: static constexpr ::gpurma::stages::written_box boxes[] = {{[{][{][{][{]}}1, {0, 0}}, {0, {0, 0}}}, 0, 1}, {{[{][{][{]}}1, {0, 0}}, {0, {0, 0}}}, 0, 0}, {{[{][{]}}}, -1, -1, 0, 1}};
// CHECK: static constexpr ::gpurma::stages::written_box boxes[] = {{[{][{][{][{]}}1, {0, 0}}, {0, {0, 0}}}, 0, 1}, {{[{][{][{]}}1, {0, 0}}, {0, {0, 0}}}, 0, 0}, {{[{][{]}}}, -1, -1, 0, 1}};
// CHECK-NOT: put(
// CHECK: void steps
// CHECK: { alignas(gpurma_values_0) {{[^;]*}}; {{[^;]*}}; ::gpurma::stages::check_put("u", 2, "both", ::gpurma::stages::halo_depth(far + 1, ::gpurma::site{{[{][^;]*}}), ::gpurma::site{{[{][^;]*}});
// TABLE: stage both: rows y; writes u (own), put with halo 2; writes v (own), put with halo 1; reads in (y 1..1)
// TABLE-NEXT: stage both: rows y; writes u (own), published (y 0..1); writes v (own), put with halo 0; reads in (x whole, y whole)
// TABLE-NEXT: stage both: rows y; writes u (own), published (y 0..1); writes v (own), not published; reads in (x whole, y whole)
// REMARK: :[[#@LINE+9]]:9: remark: stage 'both' reads 'in' with halo 1, writes 'u' (put with halo 2), writes 'v' (put with halo 1) [gpurma-0217]
// REMARK: remark: stage 'both' reads 'in' in all rows, writes 'u' (publishes 1 row to the process before), writes 'v' (put with halo 0) [gpurma-0217]
// DIRECTIVES: :[[#@LINE+5]]:16: put(u : halo(1 + 1)) notify{{$}}
// DIRECTIVES-NEXT: :[[#@LINE+5]]:16: put(v : halo(1)) notify{{$}}
void steps(float* u, float* v, float* in, int ny, int nx, int far, dim3 grid, dim3 block) {
#pragma gpurma persistent distribute(u, v, in : rows(ny, nx)) halo(u : far + 1)
  for (int i = 0; i < 9; ++i) {
#pragma gpurma put(u : halo(1 + 1)) notify
#pragma gpurma put(v : halo(1)), notify
    TRY(both<<<grid, block>>>(u, v, in, ny, nx));
    NO_V(in, v, u, ny, nx);
    both<<<grid, block>>>(in, v, u, ny, nx);
  }
}
