// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Statements of a region that the host runs: files every few steps, sources, launches and swaps on the host, histories of reduced
// scalars, `break`, `continue` and `return`, in nested loops, both branches, blocks, members, templates, next to calls of functions.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_DISTRIBUTED_ARRAYS=banded %mpirun -np 3 %t | diff - %t.expected
// CHECK: file 2: {{[1-9]}}
// CHECK: loops 96: {{[1-9]}}
// CHECK: left at 4 1: 4
// CHECK: history 3 6 3: 9
#include "Inputs/region.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

typedef unsigned long long number;

static int failures = 0;
static void say(const char *what, int step, number value) {
  if (is_first_process())
    std::printf("%s %d: %llu\n", what, step, value);
}

__global__ void step(number *out, const number *in, number *sum, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  number value = 3 * in[y * nx + x] + 1;
  if (y > 0)
    value += 5 * in[(y - 1) * nx + x];
  if (y < ny - 1)
    value += 7 * in[(y + 1) * nx + x];
  out[y * nx + x] = value % 10007;
  atomicAdd(sum, value % 10007);
}
template <class T> __global__ void shift(T *a, T by, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    a[y * nx + x] = (a[y * nx + x] + by) % 10007;
}

constexpr int nx = 41, ny = 67;
static const dim3 block(16, 8), grid((nx + 15) / 16, (ny + 7) / 8);

static number *device() {
  std::vector<number> host(nx * ny);
  for (int i = 0; i < nx * ny; ++i)
    host[i] = i * 7919 / 13 % 10007;
  number *a = nullptr;
  cudaMalloc(&a, nx * ny * sizeof(number));
  cudaMemcpy(a, host.data(), nx * ny * sizeof(number), cudaMemcpyHostToDevice);
  return a;
}
static number checksum(const number *a) {
  std::vector<number> host(nx * ny);
  failures += cudaMemcpy(host.data(), a, nx * ny * sizeof(number), cudaMemcpyDeviceToHost) != cudaSuccess;
  number sum = 0;
  for (int i = 0; i < nx * ny; ++i)
    sum = (sum * 31 + host[i]) % 1000000007;
  return sum;
}

// A file every three steps, with what the loop has found, and the last one with a name of its own.
static void files(number *u, number *v, number *sum) {
  std::vector<number> found;
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(+ : *sum)
  for (int it = 0; it < 8; ++it) {
    *sum = 0;
    step<<<grid, block>>>(v, u, sum, ny, nx);
    cudaDeviceSynchronize();
    const number change = *sum % 1009;
    std::swap(u, v);
    if ((it + 1) % 3 == 0) {
#pragma gpurma host
      {
        std::string name = "file";
        found.push_back(change);
        say(name.c_str(), it, checksum(u) + change);
      }
    } else if (it == 7)
#pragma gpurma host
      say("last", it, checksum(u) + found.back() + found.size());
  }
  say("after", 0, checksum(u) + checksum(v));
}

// Nested loops, with a part in the inner one that leaves it, or goes on with its next iteration.
static void loops(number *u, number *v, number *sum, const std::vector<int> &script) {
  int done = 0;
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(+ : *sum)
  for (int outer = 0; outer < 6; ++outer) {
    int inner = 0;
    do {
      *sum = 0;
      step<<<grid, block>>>(v, u, sum, ny, nx);
      std::swap(u, v);
      ++done;
#pragma gpurma host
      {
        if (script[outer] == 1 && inner == 1)
          break;
        for (int i = 0; i < 3; ++i)
          if (i == inner)
            continue;
        switch (script[outer]) {
        case 2:
          continue;
        default:
          break;
        }
        done += 10;
      }
      shift<<<grid, block>>>(u, number(outer + inner + done), ny, nx);
    } while (++inner < 3);
    if (inner == 1)
      shift<<<grid, block>>>(u, number(5), ny, nx);
  }
  say("loops", done % 100, checksum(u));
}

// The host changes arrays and variables: a source, a launch that is no stage, a swap, a limit.
static void sources(number *u, number *v, number *sum) {
  int limit = 3, it = 0;
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(+ : *sum)
  while (it < limit) {
    if (it == 1) {
#pragma gpurma host
      {
        const number source[2] = {9, 10};
        cudaMemcpy(u + 20 * nx + 3, source, sizeof source, cudaMemcpyHostToDevice);
        shift<number><<<grid, block>>>(u, 4, ny, nx);
        std::swap(u, v);
        limit += 3;
      }
    }
    step<<<grid, block>>>(v, u, sum, ny, nx);
    std::swap(u, v);
    ++it;
  }
  say("sources", it, checksum(u) + checksum(v));
}

static int left(number *u, number *v, number *sum) {
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(+ : *sum)
  for (int it = 0;; ++it) {
    *sum = 0;
    step<<<grid, block>>>(v, u, sum, ny, nx);
    std::swap(u, v);
    if (it >= 4) {
#pragma gpurma host
      if (checksum(u) != 1)
        return it;
    }
  }
  return -1;
}

// A block that is no loop; the host runs a part of it in any case.
static void in_block(number *u, number *v, number *sum) {
  number between = 0;
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(+ : *sum)
  {
    *sum = 0;
    step<<<grid, block>>>(v, u, sum, ny, nx);
    cudaDeviceSynchronize();
    number first = *sum;
#pragma gpurma host
    between = checksum(v) + first;
    *sum = first % 100;
    step<<<grid, block>>>(u, v, sum, ny, nx);
    cudaDeviceSynchronize();
    first += *sum;
    between += first;
  }
  say("block", 0, between + checksum(u));
}

struct solver {
  number *u_, *v_, *sum_;
  int step_ = 0;
  std::vector<number> history_{};

  void record() {
    history_.push_back(*sum_);
    say("record", step_, checksum(u_));
    ++step_;
  }
  void run(int steps) {
#pragma gpurma persistent distribute(u_, v_ : rows(ny, nx)) reduce(+ : *sum_)
    for (int it = 0; it < steps; ++it) {
      *sum_ = 0;
      step<<<grid, block>>>(v_, u_, sum_, ny, nx);
      std::swap(u_, v_);
      step_ += 2;
#pragma gpurma host
      record();
    }
  }
};

template <class T> static void in_template(T *u, T *v, T *sum, T by) {
  T total = 0;
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(+ : *sum)
  for (T it = 0; it < 4; ++it) {
    step<<<grid, block>>>(v, u, sum, ny, nx);
    shift<T><<<grid, block>>>(v, by, ny, nx);
    std::swap(u, v);
    if (it % 2 == 1)
#pragma gpurma host
    {
      std::vector<T> kept(1, it + by);
      total += kept.front() + checksum(u);
    }
  }
  say("template", 4, total);
}

static void twice(number *&u, number *&v, number *sum) {
  int it = 7;
  step<<<grid, block>>>(v, u, sum, ny, nx);
  shift<<<grid, block>>>(v, number(it), ny, nx);
  step<<<grid, block>>>(u, v, sum, ny, nx);
}
// A function takes the place of its call, and has a variable with the loop's name; so has the function around.
static void with_calls(number *u, number *v, number *sum) {
  int it = 100;
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(+ : *sum)
  for (int it = 0; it < 5; ++it) {
    const int scaled = 3 * it;
    twice(u, v, sum);
    if (scaled >= 6)
#pragma gpurma host
      say("calls", it + scaled, checksum(u));
  }
  say("calls", it, checksum(u));
}

int main() {
  number *sum = nullptr;
  cudaMallocManaged(&sum, sizeof(number));
  files(device(), device(), sum);
  loops(device(), device(), sum, {0, 1, 2, 0, 2, 1});
  sources(device(), device(), sum);
  say("left at 4", left(device(), device(), sum) == 4, 4);
  in_block(device(), device(), sum);
  solver s{device(), device(), sum};
  s.run(3);
  say("history 3 6", int(s.history_.size()), number(s.step_));
  in_template<number>(device(), device(), sum, 3);
  with_calls(device(), device(), sum);
  return failures;
}
