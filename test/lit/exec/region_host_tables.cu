// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Vectors of the host that regions read element by element: what launches are passed, scalars of the region and conditions, members
// of the object, vectors that functions get, one that the host changes between, and loops over all elements.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 GPURMA_GHOST_ROWS=8 %mpirun -np 3 %t | diff - %t.expected
// CHECK: wavelet {{[1-9][0-9]*}}
// CHECK: steps {{[1-9][0-9]*}} time 7.25
// CHECK: members {{[1-9][0-9]*}}
// CHECK: changed {{[1-9][0-9]*}}
// CHECK: loops {{[1-9][0-9]*}} 12
#include "Inputs/region.h"

#include <utility>
#include <vector>

constexpr int ny = 61, nx = 45;
const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);

__global__ void spread(int *out, const int *in, int weight) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    out[y * nx + x] = (weight * in[y * nx + x] + in[(y - 1) * nx + x] + in[(y + 1) * nx + x]) % 1009;
}
__global__ void inject(int *u, int row, int value) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 7 && y == row)
    u[y * nx + x] += value;
}

static void reset(int *u, int *v) {
  int start[ny * nx];
  for (int i = 0; i < ny * nx; ++i)
    start[i] = i * 37 % 101;
  cudaMemcpy(u, start, sizeof start, cudaMemcpyHostToDevice);
  cudaMemcpy(v, start, sizeof start, cudaMemcpyHostToDevice);
}
// Functions that are taken into the region get it by reference.
static void step(int *u, int *v, const std::vector<int> &wavelet, int t) {
  spread<<<grid, block>>>(v, u, wavelet[t]);
  inject<<<grid, block>>>(v, 11, wavelet.at(t) + 1);
}

class solver {
public:
  solver(int *u, int *v, int steps) : u_(u), v_(v), weights_(steps), dumps_(steps) {
    for (int t = 0; t < steps; ++t) {
      weights_[t] = t % 3;
      dumps_[t] = t == 2 ? 'y' : 'n';
    }
  }
  int *run() {
    int dumped = 0;
#pragma gpurma persistent distribute(u_, v_ : rows(ny, nx))
    for (std::size_t t = 0; t < weights_.size(); ++t) {
      if (dumps_[t] == 'y')
        dumped += 100;
      spread<<<grid, block>>>(v_, u_, weights_[t] + dumped);
      std::swap(u_, v_);
    }
    return u_;
  }

private:
  int *u_, *v_;
  std::vector<int> weights_;
  std::vector<char> dumps_;
};

int main() {
  int *u, *v;
  cudaMalloc(&u, ny * nx * sizeof *u);
  cudaMalloc(&v, ny * nx * sizeof *v);

  const int steps = 6;
  std::vector<int> wavelet(steps);
  for (int t = 0; t < steps; ++t)
    wavelet[t] = 5 + t * t;
  reset(u, v);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < steps; ++t) {
    step(u, v, wavelet, t);
    std::swap(u, v);
  }
  if (is_first_process())
    std::printf("wavelet %lld\n", ordered_sum(u, ny * nx));

  const std::vector<double> intervals = {0.5, 2.25, 1, 3.5};
  double time = 0;
  reset(u, v);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < 4; ++t) {
    const double interval = intervals[t];
    spread<<<grid, block>>>(v, u, static_cast<int>(2 * interval));
    time += intervals[static_cast<std::size_t>(t)];
    std::swap(u, v);
  }
  if (is_first_process())
    std::printf("steps %lld time %g\n", ordered_sum(u, ny * nx), time);

  reset(u, v);
  solver s(u, v, 5);
  const long long of_members = ordered_sum(s.run(), ny * nx);
  if (is_first_process())
    std::printf("members %lld\n", of_members);

  reset(u, v);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < steps; ++t) {
    spread<<<grid, block>>>(v, u, wavelet[t]);
    std::swap(u, v);
    if (t == 3) {
#pragma gpurma host
      wavelet[4] = 17;
    }
  }
  if (is_first_process())
    std::printf("changed %lld\n", ordered_sum(u, ny * nx));

  const std::vector<short> counts = {3, 1, 2};
  int all = 0;
  reset(u, v);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (double interval : intervals)
    for (const short count : counts) {
      if (interval > 2)
        break;
      for (int t = 0; t < count; ++t) {
        spread<<<grid, block>>>(v, u, static_cast<int>(4 * interval) + t);
        std::swap(u, v);
        ++all;
      }
    }
  if (is_first_process())
    std::printf("loops %lld %d\n", ordered_sum(u, ny * nx), all);
  cudaFree(u);
  cudaFree(v);
}
