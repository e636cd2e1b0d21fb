// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ring: notified puts with a tag that is computed at run time.
//
// Every rank starts with its own number. In step s it puts the number that it holds into its right
// neighbour's inbox and notifies it with tag s; then it waits for tag s from the left. After as
// many steps as there are ranks each number has gone round once, so every rank has its own number
// back and has seen the sum of all.
//
//   gpurmacc --gpurma-target=cpu ring.cu -o ring
//   GPURMA_CPU_RANKS=3 mpirun -np 2 ./ring
//
// Exit code 0 and "every number went round" if that is so, else 1 and the first rank that
// disagrees.

#include <gpurma/gpurma.h>

#include <cstdio>
#include <cstdlib>

#include "../common/check.h"

__global__ void ring(int* inboxes, int* sums) {
  const int rank = gpurma::rank();
  const int size = gpurma::size();
  const int right = (rank + 1) % size;
  const int left = (rank + size - 1) % size;

  // One slot per step, so that a fast left neighbour can run ahead without overwriting a number
  // that is still to be passed on.
  int* slots = inboxes + gpurma::device_rank() * (size + 1);
#pragma gpurma window(inbox = slots[0 : size + 1]) comm(world)

  if (threadIdx.x == 0)
    slots[0] = rank;

  int sum = 0;
  for (int step = 0; step < size; ++step) {
#pragma gpurma put(slots[step : 1]) to(right) at(inbox[step + 1]) notify(step)
#pragma gpurma wait tag(step) from(left) on(inbox)
    sum += slots[step + 1];
  }

  if (threadIdx.x == 0)
    sums[gpurma::device_rank()] = sum;
}

int main(int argc, char** argv) {
  gpurma::init(&argc, &argv);

  const dim3 block(32);
  const auto ranks = gpurma::query(ring, block);
  const int slots = ranks.world_ranks + 1;

  int* inboxes;
  int* sums;
  check(cudaMallocManaged(&inboxes, sizeof(int) * ranks.device_ranks * slots),
        "allocation of the inboxes");
  check(cudaMallocManaged(&sums, sizeof(int) * ranks.device_ranks), "allocation of the sums");

  ring<<<ranks.device_ranks, block>>>(inboxes, sums);
  check(cudaGetLastError(), "launch of ring");
  check(cudaDeviceSynchronize(), "ring");

  const int expected_sum = ranks.world_ranks * (ranks.world_ranks - 1) / 2;
  int status = EXIT_SUCCESS;
  for (int i = 0; i < ranks.device_ranks && status == EXIT_SUCCESS; ++i) {
    const int returned = inboxes[i * slots + ranks.world_ranks];
    if (returned != ranks.first_rank + i || sums[i] != expected_sum) {
      std::printf("rank %d got %d back and saw a sum of %d, expected %d and %d\n",
                  ranks.first_rank + i, returned, sums[i], ranks.first_rank + i, expected_sum);
      status = EXIT_FAILURE;
    }
  }
  if (status == EXIT_SUCCESS) {
    std::printf("process %d of %d: every number went round %d ranks\n", ranks.process,
                ranks.processes, ranks.world_ranks);
  }

  check(cudaFree(inboxes), "release of the inboxes");
  check(cudaFree(sums), "release of the sums");
  gpurma::finalize();
  return status;
}
