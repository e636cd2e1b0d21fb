// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A structure with pointers to distributed arrays leads a function whose body is not visible to them, too.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck --implicit-check-not=error: %s
#include <gpurma/gpurma.h>

struct model {
  int nx, nz;
  float *state, *flux;
  __device__ void advance(int i) const;
};
__device__ void by_reference(const model& m, int i);
__device__ void by_value(model m, int i);
__device__ void by_pointer(const model* m, int i);
__device__ void of_pointer(float*& u, int i);
__device__ void of_pointers(float** all, int i);
__device__ void of_views(model* all, int i);
__device__ void of_numbers(int* all, int i);
__device__ void of_number(const int& nx, int i);

__device__ int thread() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}
// CHECK: :[[@LINE+3]]:16: error: distributed array 'm.state' is passed to 'by_reference', whose body is not visible here; define it in this translation unit [gpurma-0207]
// CHECK: :[[@LINE+2]]:16: error: distributed array 'm.flux' is passed to 'by_reference'
__global__ void reference(model m) {
  by_reference(m, thread());
}
// CHECK: :[[@LINE+3]]:12: error: distributed array 'm.state' is passed to 'by_value', whose body is not visible here; define it in this translation unit [gpurma-0207]
// CHECK: :[[@LINE+2]]:12: error: distributed array 'm.flux' is passed to 'by_value'
__global__ void value(model m) {
  by_value(m, thread());
}
// CHECK: :[[@LINE+3]]:14: error: distributed array 'm.state' is passed to 'by_pointer', whose body is not visible here; define it in this translation unit [gpurma-0207]
// CHECK: :[[@LINE+2]]:14: error: distributed array 'm.flux' is passed to 'by_pointer'
__global__ void pointer(model m) {
  by_pointer(&m, thread());
}
// CHECK: :[[@LINE+4]]:16: error: distributed array 'm.state' is passed to 'by_reference', whose body is not visible here; define it in this translation unit [gpurma-0207]
// CHECK: :[[@LINE+3]]:16: error: distributed array 'm.flux' is passed to 'by_reference'
__global__ void copy(model m) {
  const model other = m;
  by_reference(other, thread());
}
// CHECK: :[[@LINE+3]]:5: error: distributed array 'm.state' is passed to 'advance', whose body is not visible here; define it in this translation unit [gpurma-0207]
// CHECK: :[[@LINE+2]]:5: error: distributed array 'm.flux' is passed to 'advance'
__global__ void member(model m) {
  m.advance(thread());
}
// CHECK: :[[@LINE+2]]:14: error: distributed array 'u' is passed to 'of_pointer'
__global__ void parameter(float* u) {
  of_pointer(u, thread());
}
// CHECK: :[[@LINE+3]]:15: error: cannot tell which array is read here
__global__ void pointers(model m) {
  float* all[2] = {m.state, m.flux};
  of_pointers(all, thread());
}
// CHECK: :[[@LINE+3]]:12: error: cannot tell which array is read here
__global__ void views(model m) {
  model all[2] = {m, m};
  of_views(all, thread());
}
__global__ void number(model m) {
  const int i = thread();
  int all[2] = {i, m.nx};
  of_number(m.nx, i);
  of_numbers(all, i);
  if (i < m.nx * m.nz)
    m.state[i] = 0;
}

void run(model m, float* u, dim3 grid, dim3 block) {
#pragma gpurma persistent distribute(m.state, m.flux, u : rows(m.nz, m.nx))
  for (int step = 0; step < 6; ++step) {
    reference<<<(m.nx * m.nz + 63) / 64, 64>>>(m);
    value<<<(m.nx * m.nz + 63) / 64, 64>>>(m);
    pointer<<<(m.nx * m.nz + 63) / 64, 64>>>(m);
    copy<<<(m.nx * m.nz + 63) / 64, 64>>>(m);
    member<<<(m.nx * m.nz + 63) / 64, 64>>>(m);
    parameter<<<(m.nx * m.nz + 63) / 64, 64>>>(u);
    pointers<<<(m.nx * m.nz + 63) / 64, 64>>>(m);
    views<<<(m.nx * m.nz + 63) / 64, 64>>>(m);
    number<<<(m.nx * m.nz + 63) / 64, 64>>>(m);
  }
}
