// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Functions that launch kernels, called where they may not be called: behind &&, || and ?:, in conditions of loops that `continue`, and
// in the last part of a `for`.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t 1 | diff - %t.expected
// CHECK: loops {{[0-9]+}} [[#]] [[#]]
// CHECK: operators {{[0-9]+}} [[#]] [[#]]
// CHECK: errors {{[0-9]+}} 8
// CHECK: host {{[0-9]+}} [[#]] [[#]]
#include "Inputs/region_calls.h"
#include <utility>
#include <vector>

constexpr int nx = 50, ny = 41;
static bool quiet = false;

static void make(int *&u, int *&v, int *&m) {
  for (int **p : {&u, &v})
    *p = device_array<int>(nx * ny, [](std::size_t i) { return i * 37 % 101; });
  CHECK(cudaMallocManaged(&m, sizeof(int)));
}
static long sum(const int *u) { return ordered_sum(u, nx * ny, 1000003); }

static void sweep(int *&u, int *&v, int w) {
  relax<<<dim3((nx + 15) / 16, (ny + 1) / 2), dim3(16, 2)>>>(v, u, nx, ny, w);
  std::swap(u, v);
}
// What it returns depends on all that has been done.
static int step(int *&u, int *&v, int *m, int w) {
  *m = 0;
  sweep(u, v, w);
  most_of<<<dim3((nx + 15) / 16, (ny + 1) / 2), dim3(16, 2)>>>(u, m, nx, ny);
  CHECK(cudaDeviceSynchronize());
  return *m;
}
static bool launched(int *&u, int *&v, int w) {
  sweep(u, v, w);
  return cudaGetLastError() == cudaSuccess;
}
static cudaError_t status(int *&u, int *&v, int w) {
  sweep(u, v, w);
  return cudaGetLastError();
}
static bool both(int *&u, int *&v, int *m, int it) {
  return it % 2 == 0 && step(u, v, m, it) % 3 != 0;
}

static void loops() {
  int *u, *v, *m, total = 0;
  make(u, v, m);
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(max : *m)
  for (int it = 0; it < 2; ++it) {
    int k = 0;
    do {
      if (++k % 2)
        continue;
      total += k;
      if (k > 8)
        break;
    } while (step(u, v, m, k) % 5 != 0 || k < 4);
    total += 100 * k;
    while (step(u, v, m, k), *m % 4 != 0) {
      if (++k % 3 == 0)
        continue;
      total += k;
      if (k > 20)
        break;
    }
    for (int i = 0; i < 6; sweep(u, v, i), ++i) {
      if (i % 3 == 1)
        continue;
      int again = 3;
      total += again;
    }
    for (int i = 0; step(u, v, m, i) % 7 != 0 && i < 5; i += step(u, v, m, i) % 2 ? 1 : 2) {
      if (i == 2)
        continue;
      total += 1000;
      for (;; sweep(u, v, 3)) {
        if (total % 3 == 0)
          break;
        ++total;
      }
    }
  }
  int more = 0;
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(max : *m)
  do {
    if (++more % 3 != 0)
      continue;
    total += more;
  } while (step(u, v, m, more) % 11 > 2 && more < 9);
  if (!quiet)
    std::printf("loops %ld %d %d\n", sum(u), total, more);
}

static void operators() {
  int *u, *v, *m, total = 0, made = 0;
  make(u, v, m);
  auto count = [&](int w) {
    sweep(u, v, w);
    return ++made;
  };
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(max : *m)
  for (int it = 0; it < 6; ++it) {
    if (it > 2 && step(u, v, m, it) % 2)
      total += 1;
    if (it < 2 || step(u, v, m, it) % 2 || launched(u, v, it))
      total += 10;
    else
      total -= 1;
    if ((it % 3 == 0 && both(u, v, m, it)) || (launched(u, v, 1) && both(u, v, m, it + 1)))
      total += 100;
    total += it % 2 ? step(u, v, m, it) : made;
    int chosen = it == 3 ? -1 : it == 4 ? count(it) : step(u, v, m, 1) % 10;
    total += chosen;
    it % 2 ? sweep(u, v, 2) : sweep(v, u, 3);
    it % 3 ? (void)step(u, v, m, it) : (void)0;
    it % 4 && launched(u, v, 4);
    total++ % 2 == 0 && count(total) > 3 && (total += 5);
    bool all = it < 5;
    all = all && launched(u, v, 5);
    all = all && count(6) % 4;
    total += all, sweep(u, v, total % 3);
    // What is on the left is found before what is called changes it.
    if (made % 2 == 0 || count(1) % 3 == 0)
      total += made;
    total += !(it % 2 && count(2)) + (made > 8 ? made : -count(3));
  }
  if (!quiet)
    std::printf("operators %ld %d %d\n", sum(u), total, made);
}

static void errors() {
  int *u, *v, *m, good = 0;
  make(u, v, m);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int it = 0; it < 4; ++it) {
    if (status(u, v, it) != cudaSuccess || status(v, u, it) != cudaSuccess) {
      std::fprintf(stderr, "failed\n");
      std::exit(1);
    }
    if (status(u, v, it) == cudaSuccess && status(u, v, it + 1) == cudaSuccess)
      ++good;
    cudaError_t first = status(u, v, 2), second = cudaGetLastError();
    if (first == cudaSuccess && second == cudaSuccess)
      ++good;
    else
      std::fprintf(stderr, "failed\n");
    if (quiet && first != cudaSuccess)
      std::exit(1);
  }
  if (!quiet)
    std::printf("errors %ld %d\n", sum(u), good);
}

// The kernel ends in the loops, and another one goes on in them.
static void host_statements() {
  int *u, *v, *m, total = 0;
  long hash = 0;
  make(u, v, m);
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(max : *m)
  for (int it = 0; it < 2; ++it) {
    int k = 0;
    do {
      if (++k == 2)
        continue;
      if (k % 3 == 0) {
#pragma gpurma host
        {
          hash += sum(u);
          if (k == 6)
            continue;
          if (k == 9)
            break;
        }
      }
      total += k;
    } while (step(u, v, m, k) % 13 != 1 || k < 3);
    for (int i = 0; i < 3; sweep(u, v, i), ++i) {
      if (i == 1) {
#pragma gpurma host
        hash += 7 * sum(v);
        total += 100;
      }
    }
  }
  if (!quiet)
    std::printf("host %ld %d %ld\n", sum(u), total, hash);
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  quiet = is_quiet(argc);
  loops();
  operators();
  errors();
  host_statements();
}
