// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An annotated program of two files over several processes, which uses MPI for itself as well: the
// kernel is in the other file, so that this launch finds out at run time that it is one of ranks.
#include <gpurma/gpurma.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "annotated_steps.h"

namespace {

void check(bool right, const char* what) {
  if (right)
    return;
  std::fprintf(stderr, "annotated_test: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

} // namespace

__global__ void clear(int* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] = -1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int process = 0, processes = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);

  const gpurma::layout layout = gpurma::query(exchange_steps, block_threads);
  check(layout.process == process && layout.processes == processes, "the layout is wrong");
  const int ranks = process % 2 == 0 ? layout.device_ranks : 1;
  const int count = ranks * 4 * longest;
  int *memory, *errors;
  check(cudaMalloc(&memory, count * sizeof(int)) == cudaSuccess, "no memory");
  check(cudaMallocManaged(&errors, sizeof(int)) == cudaSuccess, "no memory");
  *errors = 0;
  for (int round = 0; round < 3; ++round) {
    clear<<<(count + 127) / 128, 128>>>(memory, count);
    exchange_steps<<<ranks, block_threads>>>(memory, errors);
    int before = process, sum = 0;
    MPI_Allreduce(&before, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(sum == processes * (processes - 1) / 2, "MPI adds wrongly");
    check(cudaDeviceSynchronize() == cudaSuccess, "the kernel has failed");
    check(*errors == 0, "wrong values have arrived");
  }
  cudaFree(memory);
  cudaFree(errors);
  MPI_Finalize();
  if (process == 0)
    std::printf("all steps are right\n");
}
