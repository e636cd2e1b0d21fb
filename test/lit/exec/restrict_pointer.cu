// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A `__restrict__` pointer to window memory, or reference: optimised code must neither keep what it read before a wait, nor drop a store
// that another rank reads before the next one. Whether the pointer is seen to lead there does not matter.
// RUN: %gpurmacc_cpu -O3 %s -o %t
// RUN: env GPURMA_CPU_RANKS=3 %t | FileCheck %s
// CHECK: restrict_pointer: ok
#include "Inputs/exec.h"

// By how much the previous rank's put changes *slot.
template <bool IsSeen> __device__ __noinline__ int change(int *__restrict__ slot, int *source, const gpurma::window<int> &w, int next) {
  int before = *slot;
#pragma gpurma barrier comm(device)
#pragma gpurma put(source[0:1]) to(next) at(w[0]) notify(1)
#pragma gpurma wait tag(1)
  return *slot - before;
}

__device__ __noinline__ int change_by_reference(int &__restrict__ slot, int *source, const gpurma::window<int> &w, int next) {
  int before = slot;
#pragma gpurma barrier comm(device)
#pragma gpurma put(source[0:1]) to(next) at(w[0]) notify(1)
#pragma gpurma wait tag(1)
  return slot - before;
}

__device__ __noinline__ void publish_twice(int *__restrict__ mine, int next) {
  *mine = 1;
#pragma gpurma notify(next) tag(2)
#pragma gpurma wait tag(3)
  *mine = 2;
}

__global__ void kernel(int *slots, int *mines, int **table, int *failures) {
  int rank = gpurma::device_rank(), size = gpurma::device_size();
  int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  int *slot = slots + rank, *mine = mines + rank;
  *slot = 0;
  *mine = 0;
  mines[size + rank] = 7 + rank;
  table[rank] = slot;
#pragma gpurma window(w = slot[0:1]) comm(device)
#pragma gpurma window(v = mine[0:1]) comm(device)
  if (change<true>(slot, mines + size + rank, w, next) != 7 + previous && threadIdx.x == 0)
    atomicAdd(failures, 1);
  __syncthreads();
  *slot = 0;
  // Pointers are not followed through memory.
  if (change<false>(table[rank], mines + size + rank, w, next) != 7 + previous && threadIdx.x == 0)
    atomicAdd(failures, 1);
  __syncthreads();
  *slot = 0;
  if (change_by_reference(*slot, mines + size + rank, w, next) != 7 + previous && threadIdx.x == 0)
    atomicAdd(failures, 1);

  // The neighbour looks at *mine between the two stores.
  auto look = [&] {
#pragma gpurma wait tag(2)
    if (gpurma::read_volatile(mines[previous]) != 1 && threadIdx.x == 0)
      atomicAdd(failures, 1);
#pragma gpurma notify(previous) tag(3)
  };
  // Rank 0 publishes first; so the ring cannot wait for itself.
  if (rank == 0)
    publish_twice(mine, next);
  look();
  if (rank != 0)
    publish_twice(mine, next);
}

int main() {
  auto layout = gpurma::query(kernel, 4);
  int *slots = managed<int>(layout.device_ranks), *mines = managed<int>(2 * layout.device_ranks);
  int **table = managed<int *>(layout.device_ranks);
  int *failures = managed<int>(1);
  kernel<<<layout.device_ranks, 4>>>(slots, mines, table, failures);
  return finish("restrict_pointer", layout, failures);
}
