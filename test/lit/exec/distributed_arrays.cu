// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Processes that hold only bands of arrays compute what one process computes that holds all, whatever the program does with the
// arrays before, between and after persistent regions.
// RUN: %gpurmacc_cpu -O1 %s -o %t
// RUN: %t > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 GPURMA_DISTRIBUTED_ARRAYS=banded %mpirun -np 2 %t first | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 GPURMA_DISTRIBUTED_ARRAYS=banded GPURMA_DEBUG=INFO %mpirun -np 5 %t first 2> %t.log | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_DISTRIBUTED_ARRAYS=regions GPURMA_DEBUG=INFO %mpirun -np 3 %t first 2>> %t.log | diff - %t.expected
// RUN: FileCheck --check-prefix=LOG --implicit-check-not=error %s < %t.log
// CHECK: sums
// LOG-DAG: [gpurma 4] distributed array {{[0-9]+}} of {{[0-9]+}} bytes is made whole: a kernel outside of persistent regions has it as an argument
// LOG-DAG: [gpurma 4] distributed array {{[0-9]+}} of {{[0-9]+}} bytes is made whole: a persistent region has it, but distributes no or more than one array in it
// LOG-DAG: [gpurma 4] distributed array {{[0-9]+}} of {{[0-9]+}} bytes is made whole: it is copied in another way than by cudaMemcpy
// LOG-DAG: [gpurma 2] distributed arrays: at most {{[0-9]+}} of {{[0-9]+}} bytes were held
//
// What a process holds of two arrays of 2097152 bytes: its band of 256 rows of 4096 bytes on 2 processes, two rows of halo or two
// pages around it, and at most a page on either side.
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_DISTRIBUTED_ARRAYS=banded GPURMA_DEBUG=INFO %mpirun -np 2 %t memory 2>&1 | FileCheck --check-prefix=MEMORY2 %s
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_DISTRIBUTED_ARRAYS=banded GPURMA_DEBUG=INFO %mpirun -np 4 %t memory 2>&1 | FileCheck --check-prefix=MEMORY4 %s
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_DISTRIBUTED_ARRAYS=regions GPURMA_DEBUG=INFO %mpirun -np 2 %t memory 2>&1 | FileCheck --check-prefix=REGIONS %s
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_DEBUG=INFO %mpirun -np 2 %t memory 2>&1 | FileCheck --check-prefix=WHOLE %s
// MEMORY2-DAG: [gpurma 0] distributed arrays: at most 21{{[0-9]+}} of 4194304 bytes were held
// MEMORY2-DAG: [gpurma 1] distributed arrays: at most 21{{[0-9]+}} of 4194304 bytes were held
// MEMORY4-DAG: [gpurma 1] distributed arrays: at most 10{{[0-9]+}} of 4194304 bytes were held
// MEMORY4-DAG: [gpurma 3] distributed arrays: at most 10{{[0-9]+}} of 4194304 bytes were held
// REGIONS-DAG: [gpurma 1] distributed arrays: 21{{[0-9]+}} of 4194304 bytes are held
// REGIONS-DAG: [gpurma 1] distributed arrays: at most 4194304 of 4194304 bytes were held
// WHOLE-NOT: distributed array
//
// RUN: not env GPURMA_DISTRIBUTED_ARRAYS=banded %mpirun -np 2 %t hidden 2>&1 | FileCheck --check-prefix=HIDDEN %s
// RUN: not env GPURMA_DISTRIBUTED_ARRAYS=banded %mpirun -np 2 %t alone 2>&1 | FileCheck --check-prefix=ALONE %s
// RUN: not env GPURMA_DISTRIBUTED_ARRAYS=banded %mpirun -np 2 %t parts 2>&1 | FileCheck --check-prefix=PARTS %s
// RUN: not env GPURMA_DISTRIBUTED_ARRAYS=banded %mpirun -np 2 %t full 2>&1 | FileCheck --check-prefix=FULL %s
// RUN: not %mpirun -np 1 -x GPURMA_DISTRIBUTED_ARRAYS=banded %t : -np 1 -x GPURMA_DISTRIBUTED_ARRAYS=whole %t 2>&1 | FileCheck --check-prefix=SETTINGS %s
// HIDDEN: error: access to byte {{[0-9]+}} of a distributed array of 2097152 bytes, of which this process holds {{[0-9]+}} to {{[0-9]+}}; outside of persistent regions, give the array to kernels as an argument, or set GPURMA_DISTRIBUTED_ARRAYS to whole
// ALONE: error: processes disagree: process {{[01]}} is at: {{copying a distributed array|the end of gpurma}}
// PARTS: error: copying a distributed array: processes disagree about the array or its part
// FULL: error: there is not enough device memory for 2097152 bytes of a distributed array of 2097152 bytes; use more processes, or let no kernel outside of persistent regions have the array
// SETTINGS: processes disagree: GPURMA_DISTRIBUTED_ARRAYS is banded in process 0 and whole in process 1
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/resource.h>
#include <utility>
#include <vector>

constexpr int nx = 64;

struct field {
  float *values;
  int rows;
};

__global__ void smooth(float *out, const float *in, const float *weight, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 1 && y < ny - 2)
    out[y * nx + x] = in[(y - 2) * nx + x] + in[y * nx + (x + 1) % nx] - in[(y + 2) * nx + x] + weight[x];
}

__global__ void scale(field f, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < f.rows * nx)
    f.values[i] = f.values[i] * factor + i % 7;
}

__device__ float *table[1];
__global__ void scale_hidden() { table[0][blockIdx.x * blockDim.x + threadIdx.x] *= 2; }

static double sum(const float *values, int n) {
  double all = 0;
  for (int i = 0; i < n; ++i)
    all += (i % 13 + 1.0) * values[i];
  return all;
}

// Two arrays of 512 rows of 1024 elements.
static int memory(const char *what) {
  constexpr int width = 1024, ny = 512;
  const std::size_t bytes = sizeof(float) * width * ny;
  std::vector<float> start(width * ny, 1), result(width * ny);
  float *a, *b, *weights;
  cudaMalloc(&a, bytes);
  cudaMalloc(&b, bytes);
  cudaMalloc(&weights, nx * sizeof(float));
  cudaMemset(weights, 0, nx * sizeof(float));
  cudaMemcpy(a, start.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(b, a, bytes, cudaMemcpyDeviceToDevice);
  const char *rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (!std::strcmp(what, "hidden")) {
    cudaMemcpyToSymbol(table, &a, sizeof a);
    scale_hidden<<<width * ny / 256, 256>>>();
    cudaDeviceSynchronize();
  }
  if (!std::strcmp(what, "full")) {
    void *too_large;
    const rlimit no_more = {1 << 20, 1 << 20};
    if (cudaMalloc(&too_large, std::size_t{1} << 50) != cudaErrorMemoryAllocation || setrlimit(RLIMIT_DATA, &no_more) != 0)
      return 0;
    scale<<<width * ny / 256, 256>>>(field{a, width * ny / nx}, 1);
  }
  if (!std::strcmp(what, "parts"))
    cudaMemcpy(result.data(), a, bytes - 4 * std::atoi(rank), cudaMemcpyDeviceToHost);
#pragma gpurma persistent distribute(a, b : rows(ny * width / nx, nx)) map(smooth : rows = y)
  for (int i = 0; i < 2; ++i) {
    smooth<<<dim3(4, 2048), dim3(16, 4)>>>(b, a, weights, ny * width / nx);
    std::swap(a, b);
  }
  if (std::strcmp(what, "alone") || *rank == '0')
    cudaMemcpy(result.data(), a, bytes, cudaMemcpyDeviceToHost);
  return 0;
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  if (argc > 1 && std::strcmp(argv[1], "first"))
    return memory(argv[1]);
  const char *rank = std::getenv("OMPI_COMM_WORLD_RANK");
  const bool quiet = argc > 1 && rank && *rank != '0';
  const int ny = argc > 2 ? std::atoi(argv[2]) : 331, n = nx * ny;
  const std::size_t bytes = n * sizeof(float);
  std::vector<float> start(2 * n), result(2 * n);
  for (int i = 0; i < 2 * n; ++i)
    start[i] = i * 5 % 17;
  double sums[6] = {};

  float *a, *b, *c, *both, *weights;
  cudaMalloc(&a, bytes);
  cudaMalloc(&b, bytes);
  cudaMalloc(&c, bytes);
  cudaMalloc(&both, 2 * bytes);
  cudaMalloc(&weights, bytes);
  cudaMemcpy(a, start.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemset(b, 0, bytes);
  cudaMemsetAsync(c, 0, bytes, 0);
  cudaMemcpyAsync(both, start.data(), 2 * bytes, cudaMemcpyHostToDevice, 0);
  cudaMemcpy(weights, start.data() + 3, bytes, cudaMemcpyHostToDevice);
  // From one distribution to the same one, and shifted by some rows.
  cudaMemcpy(b, a, bytes, cudaMemcpyDeviceToDevice);
  cudaMemcpyAsync(c, a + 100 * nx + 5, bytes - (100 * nx + 5) * sizeof(float), cudaMemcpyDeviceToDevice, 0);
  cudaMemcpy(result.data(), c, bytes, cudaMemcpyDeviceToHost);
  sums[0] = sum(result.data(), n);

  const dim3 block(16, 4), grid(nx / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < 3; ++i) {
    smooth<<<grid, block>>>(b, a, weights, ny);
    std::swap(a, b);
  }
  float one;
  cudaMemcpy(&one, a + n / 2 + 7, sizeof one, cudaMemcpyDeviceToHost);
  cudaMemcpyAsync(result.data(), a, bytes, cudaMemcpyDeviceToHost, 0);
  cudaDeviceSynchronize();
  sums[1] = sum(result.data(), n) + one;

  // Copies fill what a process owns; then bands and halos are to come from elsewhere.
  const int fewer = ny - 41;
  cudaMemcpy(b, a, bytes, cudaMemcpyDeviceToDevice);
#pragma gpurma persistent distribute(b, c : rows(fewer, nx))
  for (int i = 0; i < 1; ++i)
    smooth<<<grid, block>>>(c, b, weights, fewer);
  cudaMemcpy(result.data(), c, bytes, cudaMemcpyDeviceToHost);
  sums[1] += sum(result.data(), n);

  scale<<<(n + 255) / 256, 256>>>(field{a, ny}, 0.5f);
  // Fewer rows, so other bands; and an array that begins inside of its allocation.
  float *inner = c + 30 * nx;
#pragma gpurma persistent distribute(a, inner : rows(fewer, nx))
  for (int i = 0; i < 2; ++i) {
    smooth<<<grid, block>>>(inner, a, weights, fewer);
    smooth<<<grid, block>>>(a, inner, weights, fewer);
  }
  cudaMemcpy(result.data(), a, bytes, cudaMemcpyDeviceToHost);
  cudaMemcpy(result.data() + n, c, bytes, cudaMemcpyDefault);
  sums[2] = sum(result.data(), 2 * n);

  // Two arrays of one allocation.
  float *lower = both, *upper = both + n;
#pragma gpurma persistent distribute(lower, upper : rows(ny, nx))
  for (int i = 0; i < 2; ++i) {
    smooth<<<grid, block>>>(upper, lower, a, ny);
    std::swap(lower, upper);
  }
  cudaMemcpy(result.data(), both, 2 * bytes, cudaMemcpyDeviceToHost);
  sums[3] = sum(result.data(), 2 * n);

  cudaMemcpy2D(result.data(), 4, b, 4 * nx, 4, ny, cudaMemcpyDeviceToHost);
  sums[4] = sum(result.data(), ny);
  cudaMemset(b + 50, 1, bytes / 2);
  // From host memory to a part, and from memory that is not distributed.
  cudaMemcpy(c + 77, start.data(), bytes / 3, cudaMemcpyHostToDevice);
  float *small;
  cudaMalloc(&small, 256);
  cudaMemcpy(small, start.data(), 256, cudaMemcpyHostToDevice);
  cudaMemcpy(c + 150 * nx, small, 256, cudaMemcpyDeviceToDevice);
  cudaMemcpy(small, c + 170 * nx, 128, cudaMemcpyDeviceToDevice);
  cudaMemcpy(result.data(), b, bytes, cudaMemcpyDeviceToHost);
  cudaMemcpy(result.data() + n, c, bytes, cudaMemcpyDeviceToHost);
  cudaMemcpy(result.data(), small, 256, cudaMemcpyDeviceToHost);
  sums[5] = sum(result.data(), 2 * n);
#if __GPURMA_CPU__ // CUDA does not look so closely
  if (cudaMemcpy(result.data(), c + n - 1, 8, cudaMemcpyDeviceToHost) == cudaSuccess || cudaMemset(c + n - 1, 0, 8) == cudaSuccess)
    return 1;
#endif
  for (float *each : {a, b, c, both, weights, small})
    if (cudaFree(each) != cudaSuccess)
      return 1;
  if (!quiet)
    std::printf("sums %.17g %.17g %.17g %.17g %.17g %.17g\n", sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]);
}
