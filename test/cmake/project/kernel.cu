// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "offset.h"
#include <gpurma/gpurma.h>

// Each rank sends its number to rank 0 of all processes, which adds them up.
__global__ void gather(int *box, int *values, int *sum) {
  int me = gpurma::rank(), ranks = gpurma::size();
#pragma gpurma window(w = box[0:me == 0 ? ranks : 0])
  int *value = values + gpurma::device_rank();
  if (threadIdx.x == 0)
    *value = me + OFFSET;
  __syncthreads();
#pragma gpurma put(value[0:1]) to(0) at(w[me]) notify(0)
  if (me == 0) {
#pragma gpurma wait tag(0) count(ranks)
    if (threadIdx.x == 0)
      for (int i = 0; i < ranks; ++i)
        *sum += box[i] * SCALE;
  }
}

int expected_offset() { return OFFSET; }

int sum_of_ranks(int *processes, int *process, int *total) {
  auto layout = gpurma::query(gather, 32);
  *processes = layout.processes;
  *process = layout.process;
  int *box = nullptr, *values = nullptr, *sum = nullptr;
  cudaMalloc(&box, layout.world_ranks * sizeof(int));
  cudaMalloc(&values, layout.device_ranks * sizeof(int));
  cudaMallocManaged(&sum, sizeof(int));
  *sum = 0;
  gather<<<layout.device_ranks, 32>>>(box, values, sum);
  cudaDeviceSynchronize();
  int n = layout.world_ranks;
  int difference = *process == 0 ? *sum - (n * (n - 1) / 2 + n * OFFSET) : 0;
  *total = *sum;
  cudaFree(box);
  cudaFree(values);
  cudaFree(sum);
  return difference;
}
