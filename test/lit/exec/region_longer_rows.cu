// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// A structure with arrays whose rows differ in length, passed to kernels in one dimension that have to do with one of them.
// RUN: %gpurmacc_cpu -I%S -Wall -Wextra -Werror --gpurma-print-after=InferStages %s -o %t | FileCheck --check-prefix=STAGES %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S -Wno-unused %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// CHECK: state {{[0-9]+}}
// CHECK: flux {{[0-9]+}}
#include "Inputs/region.h"

struct model {
  int nx, nz;
  int *flux, *state, *corner;
};

__device__ void damp(const model& m, int i) {
  m.state[i] = m.state[i] * 3 % 10007;
}
// STAGES: stage scale: rows y in one dimension; reads m.state (own); writes m.state (own)
__global__ void scale(model m) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m.nz * m.nx)
    damp(m, i);
}
// STAGES: stage advance: rows y; writes m.flux (x 1..1), not published; reads m.state (y -1..0)
__global__ void advance(model m) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < m.nx && k > 0 && k < m.nz)
    m.flux[k * (m.nx + 1) + i + 1] = m.state[k * m.nx + i] + m.state[(k - 1) * m.nx + i];
}
// STAGES: stage apply: rows y; reads m.flux (x 0..1); reads m.state (own); writes m.state (own)
__global__ void apply(model m) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < m.nx && k < m.nz)
    m.state[k * m.nx + i] = (m.state[k * m.nx + i] + m.flux[k * (m.nx + 1) + i + 1] - m.flux[k * (m.nx + 1) + i] + 10007) % 10007;
}

int main(int argc, char**) {
  model m{43, 37, nullptr, nullptr, nullptr};
  m.flux = array_of_numbers<int>(m.nz * (m.nx + 1));
  m.state = array_of_numbers<int>(m.nz * m.nx);
  const dim3 block(16, 8), grid((m.nx + 15) / 16, (m.nz + 7) / 8);
#pragma gpurma persistent distribute(m.state : rows(m.nz, m.nx)) distribute(m.flux : rows(m.nz, m.nx + 1))
  for (int step = 0; step < 6; ++step) {
    scale<<<(m.nx * m.nz + 63) / 64, 64>>>(m);
    advance<<<grid, block>>>(m);
    apply<<<grid, block>>>(m);
  }
  if (argc < 2 || is_first_process()) {
    print_sum("state", m.state, m.nz * m.nx);
    print_sum("flux", m.flux, m.nz * (m.nx + 1));
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
