// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// What messages say to write instead: times that the host takes every few steps, and scalars that are variables of the device by their
// addresses.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t 1 | diff - %t.expected
// CHECK: times 3, good
// CHECK: steps {{[0-9]+}} sum {{[0-9]+}} changed 0
#include "Inputs/region.h"
#include <chrono>
#include <cstdio>
#include <utility>
#include <vector>

__device__ int changed;
__managed__ bool done;
__device__ int total;

__global__ void halve(int *out, const int *in, int *its_changed, bool *its_done, int *its_total, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < 1 || x >= n - 1)
    return;
  out[x] = (in[x - 1] + in[x] + in[x + 1]) / 4;
  if (out[x] != in[x])
    *its_changed = 1;
  if (out[x] > 3)
    *its_done = false;
  atomicAdd(its_total, out[x]);
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const bool quiet = is_quiet(argc);
  const int n = 1000;
  std::vector<int> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = (i * 37) % 1001;
  int *u, *v;
  for (int **p : {&u, &v}) {
    CHECK(cudaMalloc(p, n * sizeof(int)));
    CHECK(cudaMemcpy(*p, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  }
  int *its_changed, *its_total, steps = 0, sum = 0, again = 1;
  bool *its_done = &done;
  CHECK(cudaGetSymbolAddress((void **)&its_changed, changed));
  CHECK(cudaGetSymbolAddress((void **)&its_total, total));

  int times = 0;
  bool good = true;
  auto last = std::chrono::steady_clock::now();
#pragma gpurma persistent distribute(u, v : rows(n)) reduce(|| : *its_changed) reduce(&& : *its_done) reduce(+ : *its_total)
  for (int it = 1; it <= 9; ++it) {
    halve<<<(n + 63) / 64, 64>>>(v, u, its_changed, its_done, its_total, n);
    std::swap(u, v);
    if (it % 3 == 0) {
#pragma gpurma host
      {
        CHECK(cudaDeviceSynchronize());
        const auto now = std::chrono::steady_clock::now();
        good = good && std::chrono::duration<double>(now - last).count() > 0;
        last = now;
        ++times;
      }
    }
  }
#pragma gpurma persistent distribute(u, v : rows(n)) reduce(|| : *its_changed) reduce(&& : *its_done) reduce(+ : *its_total)
  while (again) {
    again = 0;
    CHECK(cudaMemcpy(its_changed, &again, sizeof(int), cudaMemcpyHostToDevice));
    *its_done = true;
    cudaMemset(its_total, 0, sizeof(int));
    halve<<<(n + 63) / 64, 64>>>(v, u, its_changed, its_done, its_total, n);
    std::swap(u, v);
    CHECK(cudaMemcpy(&again, its_changed, sizeof(int), cudaMemcpyDeviceToHost));
    int found;
    CHECK(cudaMemcpy(&found, its_total, sizeof(int), cudaMemcpyDeviceToHost));
    sum += found % 1000 + *its_done;
    ++steps;
  }
  int left;
  CHECK(cudaMemcpyFromSymbol(&left, changed, sizeof(int)));
  if (!quiet)
    std::printf("times %d, %s\nsteps %d sum %d changed %d\n", times, good ? "good" : "wrong", steps, sum, left);
}
