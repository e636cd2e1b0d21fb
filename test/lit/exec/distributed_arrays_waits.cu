// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// What processes do when another one does not take part in moving distributed arrays: they say who is late, and end when one that
// has begun never comes to an end.
// RUN: %gpurmacc_cpu -O1 %s -o %t
// RUN: env GPURMA_DISTRIBUTED_ARRAYS=banded GPURMA_TIMEOUT=1 %mpirun -np 3 %t late 2>&1 | FileCheck --check-prefix=LATE %s
// RUN: not env GPURMA_DISTRIBUTED_ARRAYS=banded GPURMA_TIMEOUT=1 %mpirun -np 3 %t stuck 2>&1 | FileCheck --check-prefix=STUCK %s
// RUN: not env GPURMA_DISTRIBUTED_ARRAYS=banded %mpirun -np 2 %t ended 2>&1 | FileCheck --check-prefix=ENDED %s
// LATE-DAG: [gpurma 0] warning: waiting since {{[0-9]+}} s for process 2: copying a distributed array
// LATE-DAG: [gpurma 1] warning: waiting since {{[0-9]+}} s for process 2: copying a distributed array
// LATE: sum 4096
// STUCK-DAG: [gpurma 0] error: no progress of any process for {{[0-9.]+}} s (GPURMA_TIMEOUT); this is what each of them does
// STUCK-DAG: [gpurma 1] error: no progress of any process for {{[0-9.]+}} s (GPURMA_TIMEOUT); this is what each of them does
// STUCK-DAG: its host, for {{[0-9.]+}} s: copying a distributed array: distributed array 0 of 2097152 bytes: moves up to {{[0-9]+}} bytes between two processes
// ENDED: error: copying a distributed array after the end of gpurma (gpurma::finalize or MPI_Finalize), when no other process gives what it holds
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mpi.h>
#include <unistd.h>
#include <vector>

static bool stuck = false;

// What moves the data.
extern "C" int MPI_Ialltoall(const void *to, int to_count, MPI_Datatype to_type, void *from, int from_count, MPI_Datatype from_type,
                             MPI_Comm comm, MPI_Request *request) {
  while (stuck)
    pause();
  return PMPI_Ialltoall(to, to_count, to_type, from, from_count, from_type, comm, request);
}

__global__ void add(float *to, const float *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] += from[i];
}

int main(int, char **argv) {
  gpurma::init();
  const int rank = std::atoi(std::getenv("OMPI_COMM_WORLD_RANK"));
  constexpr int n = 1 << 19;
  std::vector<float> values(n, 0);
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMemset(a, 0, n * sizeof(float));
  cudaMemset(b, 0, n * sizeof(float));
  if (argv[1] == nullptr) { // only to have a region
#pragma gpurma persistent distribute(a, b : rows(n))
    for (int i = 0; i < 2; ++i)
      add<<<n / 256, 256>>>(a, b, n);
  }
  for (int i = 0; i < n; i += n / 4096)
    values[i] = 1;
  cudaMemcpy(a, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  stuck = rank == 1 && !std::strcmp(argv[1], "stuck");
  if (rank == 2)
    sleep(5);
  if (!std::strcmp(argv[1], "ended"))
    gpurma::finalize();
  cudaMemcpy(values.data(), a, n * sizeof(float), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (float each : values)
    sum += each;
  if (rank == 0)
    std::printf("sum %g\n", sum);
}
