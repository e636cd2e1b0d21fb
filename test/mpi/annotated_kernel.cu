// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gpurma/gpurma.h>

#include "annotated_steps.h"

namespace {

// A device function with directives of its own, on windows that its caller has made.
template <class T>
__device__ void send(T* source, int step, int rank, int target, const gpurma::window<T>& to) {
  const int count = length_of(step);
  const bool large = count > 1000;
  for (int at = threadIdx.x; at < count; at += blockDim.x)
    source[at] = value_of(rank, step, at);
#pragma gpurma put(source[0 : count]) to(target) at(to[0]) notify(step) if (!large)
#pragma gpurma put(source[0 : count]) to(target) at(to[0]) if (large)
#pragma gpurma notify(target) tag(step) on(to) if (large)
}

__device__ int count_wrong(const int* received, int step, int rank) {
  int wrong = 0;
  for (int at = threadIdx.x; at < length_of(step); at += blockDim.x)
    wrong += received[at] != value_of(rank, step, at);
  return wrong;
}

} // namespace

__global__ void exchange_steps(int* memory, int* errors) {
  const int rank = gpurma::rank(), size = gpurma::size();
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int* const mine = memory + gpurma::device_rank() * 4 * longest;
  int* const from_left = mine;
  int* const from_right = mine + longest;
  int* const source = mine + 2 * longest;
  int* const got = mine + 3 * longest;
  // A rank in three exposes no second window; its neighbour then sends nothing to it.
  const bool takes = rank % 3 != 2, left_takes = left % 3 != 2;
  int wrong = 0;
#pragma gpurma window(forward = from_left[0 : longest]) comm(world)
#pragma gpurma window(backward = from_right[0 : takes ? longest : 0]) comm(world)
  for (int step = 0; step < step_count; ++step) {
    send(source, step, rank, right, forward);
#pragma gpurma wait tag(step) from(left) on(forward)
    wrong += count_wrong(from_left, step, left);
#pragma gpurma flush

    // Back to where it came from, what came.
#pragma gpurma put(from_left[0 : length_of(step)]) to(left_takes ? left : gpurma::null_rank) \
    at(backward[0]) notify(100 + step)
    if (takes) {
      bool back = false;
      while (!back) {
#pragma gpurma test(back) tag(any) on(backward)
      }
      wrong += count_wrong(from_right, step, rank);
    }

    // What the right neighbour has received is what this rank has sent.
#pragma gpurma get(got[0 : length_of(step)]) from(right) at(forward[0]) notify(200)
#pragma gpurma flush on(forward)
    wrong += count_wrong(got, step, rank);
#pragma gpurma wait tag(200) from(any) on(forward) count(1)
#pragma gpurma barrier comm(world)
  }
  if (wrong != 0)
    atomicAdd(errors, wrong);
}
