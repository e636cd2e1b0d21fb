// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rank_exchange: every way to pick notifications, between all pairs of ranks.
//
//   1. any source, a count    every rank puts a number to every rank; one wait takes them all
//   2. one source, any tag    rank 0 takes what comes in the opposite order of ranks
//   3. get with notification  a rank reads its right neighbour's number, which learns of that
//   4. test                   rank 0 works while it looks for an answer
//
//   gpurmacc --gpurma-target=cpu rank_exchange.cu -o rank_exchange
//   GPURMA_CPU_RANKS=3 mpirun -np 2 ./rank_exchange
//
// Exit code 0 and one line "all exchanges are right" for each process, else 1 and the ranks and
// exchanges that went wrong.

#include <gpurma/gpurma.h>

#include <cstdio>
#include <cstdlib>

#include "../common/check.h"

enum tag : int {
  number_tag = 1,
  read_tag = 2,
  question_tag = 3,
  answer_tag = 4,
  first_order_tag = 10
};

/// What rank `from` sends to rank `to`.
__host__ __device__ inline int number(int from, int to) {
  return 1000 * from + to;
}

/// numbers: 2 × size ints for each rank of the device, what it sends and then its inbox.
/// work: a counter for each rank. wrong: a bit set for each rank; bit e is set where exchange e
/// went wrong.
__global__ void rank_exchange(int* numbers, int* work, unsigned* wrong) {
  const int rank = gpurma::rank();
  const int size = gpurma::size();
  const int right = (rank + 1) % size;
  int* outbox = numbers + 2 * size * gpurma::device_rank();
  int* slots = outbox + size;
  unsigned errors = 0;

#pragma gpurma window(inbox = slots[0 : size]) comm(world)

  // 1. From every rank to every rank. The slot says who sent the number; the wait need not.
  for (int i = threadIdx.x; i < size; i += blockDim.x)
    outbox[i] = number(rank, i);
  for (int target = 0; target < size; ++target) {
#pragma gpurma put(outbox[target : 1]) to(target) at(inbox[rank]) notify(number_tag)
  }
#pragma gpurma wait tag(number_tag) from(any) on(inbox) count(size)
  for (int source = 0; source < size; ++source) {
    if (slots[source] != number(source, rank))
      errors |= 1u << 1;
  }

  // 2. Without data, so without a window. Those that match no wait yet stay queued.
  if (rank == 0) {
    for (int source = size - 1; source > 0; --source) {
#pragma gpurma wait tag(any) from(source)
    }
  } else {
#pragma gpurma notify(0) tag(first_order_tag + rank)
  }

  // 3. Every inbox holds the number of each rank by now, but only its owner knows when: the barrier
  // tells the others.
#pragma gpurma barrier comm(world)
#pragma gpurma get(outbox[0 : 1]) from(right) at(inbox[rank]) notify(read_tag)
#pragma gpurma flush on(inbox)
  if (outbox[0] != number(rank, right))
    errors |= 1u << 3;
#pragma gpurma wait tag(read_tag) from((rank + size - 1) % size) on(inbox)

  // 4. The last rank answers the first one. If there is only one rank, it answers itself.
  if (rank == 0) {
#pragma gpurma notify(size - 1) tag(question_tag)
  }
  if (rank == size - 1) {
#pragma gpurma wait tag(question_tag) from(0)
#pragma gpurma notify(0) tag(answer_tag)
  }
  if (rank == 0) {
    bool answered = false;
    while (!answered) {
      if (threadIdx.x == 0)
        ++work[gpurma::device_rank()];
#pragma gpurma test(answered) tag(answer_tag) from(size - 1)
    }
    if (threadIdx.x == 0 && work[gpurma::device_rank()] < 1)
      errors |= 1u << 4;
  }

  if (threadIdx.x == 0)
    wrong[gpurma::device_rank()] = errors;
}

int main(int argc, char** argv) {
  gpurma::init(&argc, &argv);

  const dim3 block(32);
  const auto ranks = gpurma::query(rank_exchange, block);

  int* numbers;
  int* work;
  unsigned* wrong;
  check(cudaMallocManaged(&numbers, sizeof(int) * ranks.device_ranks * 2 * ranks.world_ranks),
        "allocation of the numbers");
  check(cudaMallocManaged(&work, sizeof(int) * ranks.device_ranks), "allocation of the counters");
  check(cudaMallocManaged(&wrong, sizeof(unsigned) * ranks.device_ranks),
        "allocation of the results");
  check(cudaMemset(work, 0, sizeof(int) * ranks.device_ranks), "clearing of the counters");
  check(cudaMemset(wrong, 0xff, sizeof(unsigned) * ranks.device_ranks), "marking of the results");

  rank_exchange<<<ranks.device_ranks, block>>>(numbers, work, wrong);
  check(cudaGetLastError(), "launch of rank_exchange");
  check(cudaDeviceSynchronize(), "rank_exchange");

  int status = EXIT_SUCCESS;
  for (int i = 0; i < ranks.device_ranks; ++i) {
    if (wrong[i] == 0)
      continue;
    status = EXIT_FAILURE;
    std::printf("rank %d of %d: wrong exchanges, as bits: 0x%x\n", ranks.first_rank + i,
                ranks.world_ranks, wrong[i]);
  }
  if (status == EXIT_SUCCESS) {
    std::printf("process %d of %d: all exchanges of its %d ranks are right\n", ranks.process,
                ranks.processes, ranks.device_ranks);
  }

  check(cudaFree(numbers), "release of the numbers");
  check(cudaFree(work), "release of the counters");
  check(cudaFree(wrong), "release of the results");
  gpurma::finalize();
  return status;
}
