// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Events that order the streams of a step: in variables, in an array, and in a class with the launches in one of its functions. A region
// orders its launches and copies by itself. Without it, ghost rows are copied on another stream than the kernel's.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// CHECK: variables {{[1-9]}}
// CHECK: array {{[1-9]}}
// CHECK: class {{[1-9]}}
#include "Inputs/region.h"

#include <utility>

__global__ void step(unsigned *out, const unsigned *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x < nx - 1 && y < ny - 1)
    out[y * nx + x] = (in[y * nx + x - 1] + 3 * in[(y - 1) * nx + x] + 5 * in[(y + 1) * nx + x]) % 10007;
}
__global__ void most_of(const unsigned *in, unsigned *most, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    atomicMax(most, in[y * nx + x]);
}

constexpr int nx = 40, ny = 53, bytes_of_row = nx * sizeof(unsigned);
static const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);

static void with_variables(unsigned *u, unsigned *next) {
  cudaStream_t computing, copying;
  cudaEvent_t computed, copied;
  CHECK(cudaStreamCreate(&computing));
  CHECK(cudaStreamCreate(&copying));
  CHECK(cudaEventCreateWithFlags(&computed, cudaEventDisableTiming));
  CHECK(cudaEventCreate(&copied));
#pragma gpurma persistent distribute(u, next : rows(ny, nx))
  for (int k = 0; k < 6; ++k) {
    CHECK(cudaStreamWaitEvent(computing, copied, 0));
    step<<<grid, block, 0, computing>>>(next, u, ny, nx);
    CHECK(cudaEventRecord(computed, computing));
    CHECK(cudaStreamWaitEvent(copying, computed, 0));
    CHECK(cudaMemcpyAsync(next, next + (ny - 2) * nx, bytes_of_row, cudaMemcpyDeviceToDevice, copying));
    CHECK(cudaMemcpyAsync(next + (ny - 1) * nx, next + nx, bytes_of_row, cudaMemcpyDeviceToDevice, copying));
    CHECK(cudaEventRecord(copied, copying));
    std::swap(u, next);
  }
  CHECK(cudaEventSynchronize(copied));
  print_sum("variables", u, nx * ny);
  for (cudaStream_t stream : {computing, copying})
    CHECK(cudaStreamDestroy(stream));
  CHECK(cudaEventDestroy(computed));
  CHECK(cudaEventDestroy(copied));
}

static void with_array(unsigned *u, unsigned *next, unsigned *most) {
  cudaStream_t stream[2];
  cudaEvent_t done[2];
  for (int k = 0; k < 2; ++k) {
    CHECK(cudaStreamCreate(&stream[k]));
    CHECK(cudaEventCreateWithFlags(&done[k], cudaEventDisableTiming));
  }
  unsigned so_far = 0;
#pragma gpurma persistent distribute(u, next : rows(ny, nx)) reduce(max : *most)
  for (int k = 0; k < 6; ++k) {
    CHECK(cudaMemsetAsync(most, 0, sizeof(unsigned), stream[1]));
    CHECK(cudaEventRecord(done[1], stream[1]));
    step<<<grid, block, 0, stream[k % 2]>>>(next, u, ny, nx);
    CHECK(cudaEventRecord(done[0], stream[k % 2]));
    CHECK(cudaEventSynchronize(done[0]));
    CHECK(cudaEventSynchronize(done[1]));
    most_of<<<grid, block, 0, stream[0]>>>(next, most, ny, nx);
    CHECK(cudaEventRecord(done[0], stream[0]));
    CHECK(cudaEventSynchronize(done[0]));
    unsigned found = 0;
    CHECK(cudaMemcpy(&found, most, sizeof found, cudaMemcpyDeviceToHost));
    so_far += found * (k + 1);
    std::swap(u, next);
  }
  print_sum("array", u, nx * ny);
  if (is_first_process())
    std::printf("most %u\n", so_far);
  for (int k = 0; k < 2; ++k) {
    CHECK(cudaStreamDestroy(stream[k]));
    CHECK(cudaEventDestroy(done[k]));
  }
}

class solver {
public:
  solver() {
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&done));
  }
  ~solver() {
    CHECK(cudaEventDestroy(done));
    CHECK(cudaStreamDestroy(stream));
  }
  void run(int steps) {
#pragma gpurma persistent distribute(u, next : rows(ny, nx))
    for (int k = 0; k < steps; ++k)
      advance();
    CHECK(cudaEventSynchronize(done));
    print_sum("class", u, nx * ny);
  }

private:
  void advance() {
    step<<<grid, block, 0, stream>>>(next, u, ny, nx);
    CHECK(cudaEventRecordWithFlags(done, stream, cudaEventRecordDefault));
    CHECK(cudaStreamWaitEvent(stream, done, 0));
    std::swap(u, next);
  }
  unsigned *u = array_of_numbers<unsigned>(nx * ny), *next = array_of_numbers<unsigned>(nx * ny);
  cudaStream_t stream;
  cudaEvent_t done;
};

int main() {
  with_variables(array_of_numbers<unsigned>(nx * ny), array_of_numbers<unsigned>(nx * ny));
  with_array(array_of_numbers<unsigned>(nx * ny), array_of_numbers<unsigned>(nx * ny), device_array<unsigned>(1, [](std::size_t) { return 0; }));
  solver().run(5);
}
