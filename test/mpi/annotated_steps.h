// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the two files of annotated_test share.
#ifndef GPURMA_TEST_MPI_ANNOTATED_STEPS_H
#define GPURMA_TEST_MPI_ANNOTATED_STEPS_H

enum : int { block_threads = 32, longest = 2500, step_count = 12 };

// Ints that step `step` puts: some fit in one message with their metadata, others do not.
__host__ __device__ inline int length_of(int step) {
  return step % 4 == 3 ? longest - step : step;
}

__host__ __device__ inline int value_of(int rank, int step, int at) {
  return rank * 1000003 + step * 5003 + at;
}

// Defined in annotated_kernel.cu: to the right neighbour and back, in every step; counts wrong
// values. memory: 4 * longest ints for each rank of the device.
__global__ void exchange_steps(int* memory, int* errors);

#endif
