// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ordinary block-uniform code is taken without a warning.
// RUN: %gpurmacc_cpu -Werror -c %s -o %t.o 2>&1 | %filecheck --allow-empty %s
// CHECK-NOT: {{error|warning}}:
#include <gpurma/gpurma.h>

#include <algorithm>
#include <cassert>
#include <cmath>

struct Field {
  float* in;
  float* out;
  int nx, ny;
  int neighbours[2];
};

struct Place {
  int rank, thread;
  __device__ Place() : rank(gpurma::rank()), thread(threadIdx.x) {}
  __device__ int left() const { return rank > 0 ? rank - 1 : gpurma::null_rank; }
};

__constant__ int tags[8];

__device__ void exchange(int partner, int tag, bool send) {
  if (send) {
#pragma gpurma notify(partner) tag(tag)
  }
}

template <int Steps> __device__ void pipeline(float* a) {
#pragma gpurma window(w = a[0:Steps])
  for (int step = 0; step < Steps; ++step) {
    if constexpr (Steps > 2) {
#pragma gpurma put(a[step:1]) to((gpurma::rank() + 1) % gpurma::size()) at(w[step]) notify(step)
#pragma gpurma wait tag(step)
    }
  }
}

template <class F> __device__ void apply(F f) { f(3); }

__device__ void stencil(float* out, const float* in, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    if (i == 0 || i == n - 1)
      continue;
    out[i] = 0.5f * (in[i - 1] + in[i + 1]);
  }
}

__device__ int bounded(int x) {
  assert(x >= 0);
  if (x > 3)
    return 3;
  return x;
}

__global__ void roles(Field f, float* a, int n, const int* __restrict__ order) {
  __shared__ float partial[32];
  __shared__ int flag;
  extern __shared__ char raw[];
  float* scratch = reinterpret_cast<float*>(raw);
  const int rank = gpurma::rank(), size = gpurma::size();
  int up = rank > 0 ? rank - 1 : gpurma::null_rank;
  int thread = threadIdx.x + blockDim.x * blockIdx.x;
#pragma gpurma window(w = a[0:n]) comm(device)

  // An assertion about the thread, work that is dealt to threads, and a value that one thread computes for all.
  assert(thread >= 0);
  if (threadIdx.x == 0)
    flag = n > 3;
  float sum = 0;
  for (int i = thread; i < n; i += 32)
    sum += a[i];
  partial[threadIdx.x % 32] = sum;
  __syncthreads();
  if (flag && partial[0] > 3.f) {
#pragma gpurma notify(up) tag(tags[1])
  }
  if (scratch[0] > 1.f && __syncthreads_or(sum > 0)) {
#pragma gpurma notify(order[1]) tag(1)
  }

  // Steps, with continue and break that all threads take.
  for (int step = 0; step < 10; ++step) {
    bool active = step % 2 == 0;
    if (!active)
      continue;
    stencil(f.out, f.in, n);
#pragma gpurma put(f.out[0:f.nx]) to(f.neighbours[step & 1]) at(w[(step + 1) * f.nx]) notify(step) if(rank > 0)
#pragma gpurma wait tag(step) from(up) count(std::min(2, step + 1))
    float* in = f.in;
    f.in = f.out;
    f.out = in;
    if (step == 7)
      break;
  }

  auto send = [&](int partner) {
#pragma gpurma notify(partner) tag(5)
  };
  send(up);
  apply(send);
  auto generic = [=](auto partner) {
#pragma gpurma notify(partner) tag(6)
  };
  generic(size - 1);

  exchange(up, 2, rank > 0);
  // A helper that is called with a thread's value here and a uniform one in a condition there.
  a[bounded(thread)] = 1;
  pipeline<4>(a);

  // Of objects the fields count one by one.
  Place place;
  if (place.rank > 0) {
#pragma gpurma notify(place.left()) tag(bounded(rank))
  }
  int2 pair = make_int2(rank, size);
  switch (pair.x) {
  case 0:
#pragma gpurma notify(1) tag(7)
    break;
  default:
#pragma gpurma notify(0) tag(7)
  }
  Field other{f.out, f.in, n, thread, {1, 2}};
  if (other.nx > 2) {
#pragma gpurma flush
  }

  bool done = false;
  do {
#pragma gpurma test(done) tag(8)
  } while (!done);

  float scale = std::sqrt(static_cast<float>(n));
  while (scale > 1) {
    scale *= 0.5f;
#pragma gpurma barrier
  }
}

__global__ void ranges(int n) {
  int left = gpurma::rank() - 1, right = gpurma::rank() + 1;
  for (int partner : {left, right}) {
#pragma gpurma notify(partner) tag(9)
  }
  const int tags_of_steps[] = {1, 2, n};
  for (int tag : tags_of_steps) {
#pragma gpurma wait tag(tag)
  }
}
