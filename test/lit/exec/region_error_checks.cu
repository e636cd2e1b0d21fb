// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// All calls of CUDA that a region may have, each behind the ways in which programs look for errors: conditions, variables, assert and functions,
// also those that return whether there was one. Errors from before a region are values.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// CHECK: sums {{[1-9][0-9]*}} {{[1-9][0-9]*}}
// CHECK: kept {{[1-9][0-9]*}}
// CHECK: before 12 12 6 4 12 6
#include "Inputs/block_sums.h"
#include "Inputs/region.h"

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <utility>

constexpr int Nx = 40, Ny = 131, N = Nx * Ny, Blocks = 9;

__global__ void apply(int *next, const int *u, int *sum, int shift) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= Nx || y >= Ny)
    return;
  int found = u[y * Nx + x] + (y > 0 ? u[(y - 1) * Nx + x] : 1) + (y < Ny - 1 ? 2 * u[(y + 1) * Nx + x] : 2) + shift;
  next[y * Nx + x] = found % 13;
  atomicAdd(sum, found % 7);
}
static const dim3 grid((Nx + 15) / 16, (Ny + 3) / 4), block(16, 4);

#define ENDS(x)                                                                                                                  \
  do {                                                                                                                           \
    if ((x) != cudaSuccess) {                                                                                                    \
      std::fprintf(stderr, "line %d\n", __LINE__);                                                                               \
      std::exit(1);                                                                                                              \
    }                                                                                                                            \
  } while (0)
#define RETURNS(x)                                                                                                               \
  if (cudaSuccess != (x)) {                                                                                                      \
    std::printf("error\n");                                                                                                      \
    return 1;                                                                                                                    \
  }
#define THROWS(x)                                                                                                                \
  {                                                                                                                              \
    auto &&status = (x);                                                                                                         \
    if (status != cudaError_t::cudaSuccess)                                                                                      \
      throw std::runtime_error(cudaGetErrorString(status));                                                                      \
  }
#define DECLARES(x)                                                                                                              \
  do {                                                                                                                           \
    if (auto status = (x)) {                                                                                                     \
      std::printf("error %d\n", static_cast<int>(status));                                                                       \
      std::exit(1);                                                                                                              \
    }                                                                                                                            \
  } while (false)
#define BEGINS(x)                                                                                                                \
  do {                                                                                                                           \
    if (cudaError_t status = (x); status != cudaSuccess) {                                                                       \
      std::cerr << cudaGetErrorString(status) << std::endl;                                                                      \
      std::exit(EXIT_FAILURE);                                                                                                   \
    }                                                                                                                            \
  } while (0)
#define ASSERTS(x) assert((x) == cudaSuccess)
#define CHOOSES(x) ((x) == cudaSuccess ? static_cast<void>(0) : std::abort())
#define OTHERWISE(x) static_cast<void>((x) == cudaSuccess || failed())
#define UNLIKELY(x)                                                                                                              \
  if (__builtin_expect(!!(x), 0))                                                                                                \
  std::abort()
#define ASSIGNS(x)                                                                                                               \
  if ((status = (x)) != 0)                                                                                                       \
  std::abort()
#define IGNORES(x) static_cast<void>(x)
#define CALLS(x) check(x, #x, __LINE__)
#define RESULTS(x)                                                                                                               \
  if (!ok(x, #x))                                                                                                                \
  return 1
#define CODES(x)                                                                                                                 \
  if (code_of(x) != 0 || 1 == code_of(cudaPeekAtLastError()))                                                                    \
  return 1
#define NUMBERS(x)                                                                                                               \
  {                                                                                                                              \
    int number = static_cast<int>(x);                                                                                            \
    if (number != cudaSuccess)                                                                                                   \
      std::exit(number);                                                                                                         \
  }
#define FOUND(x)                                                                                                                 \
  if (int number = (x)) {                                                                                                        \
    std::printf("error %d\n", number);                                                                                           \
    return 1;                                                                                                                    \
  }
#define IN_LAMBDA(x)                                                                                                             \
  [&] {                                                                                                                          \
    if ((x) != cudaSuccess)                                                                                                      \
      std::exit(1);                                                                                                              \
  }()

static bool ok(cudaError_t status, const char *what) {
  if (status == cudaSuccess)
    return true;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  return false;
}
static int code_of(cudaError_t status) {
  if (status)
    std::fprintf(stderr, "error %d\n", static_cast<int>(status));
  return static_cast<int>(status);
}
static bool failed() {
  std::exit(1);
  return true;
}
template <class T> static T check(T status, const char *what, int line) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s in line %d: %s\n", what, line, cudaGetErrorString(status));
    std::exit(1);
  }
  return status;
}

#define ASKS(WAY)                                                                                                                \
  WAY(cudaGetLastError());                                                                                                       \
  WAY(cudaDeviceSynchronize());                                                                                                  \
  WAY(cudaMemcpy(&found, sum, sizeof(int), cudaMemcpyDeviceToHost));                                                             \
  all += found % 1000;                                                                                                           \
  WAY(cudaStreamSynchronize(stream));                                                                                            \
  WAY(cudaEventRecord(event, stream));                                                                                           \
  WAY(cudaStreamWaitEvent(stream, event, 0));                                                                                    \
  WAY(cudaMemcpy(host, partial, Blocks * sizeof(int), cudaMemcpyDeviceToHost));                                                  \
  for (int b = 0; b < Blocks; ++b)                                                                                               \
    total += host[b]

#define COPIES(WAY)                                                                                                              \
  WAY(cudaMemset(sum, 0, sizeof(int)));                                                                                          \
  apply<<<grid, block>>>(next, u, sum, total % 5);                                                                               \
  WAY(cudaMemcpyAsync(kept, next, N * sizeof(int), cudaMemcpyDeviceToDevice, stream));                                           \
  WAY(cudaMemsetAsync(zero, 0, N * sizeof(int), stream));                                                                        \
  std::swap(u, next)

__global__ void add(int *next, const int *u, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    next[i] = u[i] + 1;
}

struct Found {
  cudaError_t error;
  int times;
};

class Solver {
public:
  explicit Solver(cudaError_t support) : support(support) {}
  int run(int *u, int *next) {
    int without = 0;
#pragma gpurma persistent distribute(u, next : rows(N))
    for (int step = 0; step < 6; ++step) {
      without += support != cudaSuccess;
      add<<<(N + 127) / 128, 128>>>(next, u, N);
      last = cudaGetLastError();
      if (last != cudaSuccess)
        std::exit(1);
      std::swap(u, next);
    }
    return without;
  }

private:
  cudaError_t support, last = cudaSuccess;
};

static void errors_from_before(int *u, int *next) {
  int slow = 0, failed = 0, fine = 0, times = 0, bad = 0;
  const cudaError_t peer = cudaSetDevice(77);
  const int code = cudaGetLastError();
  bool any = peer;
  Found found = {cudaErrorUnknown, 2};
  cudaError_t codes[] = {cudaSuccess, cudaErrorNotReady, cudaErrorUnknown}, error = cudaSuccess;
#pragma gpurma persistent distribute(u, next : rows(N))
  for (int step = 0; step < 6; ++step) {
    if (peer != cudaSuccess)
      ++slow;
    if (code)
      ++slow;
    failed += any ? 1 : 0;
    failed += error == cudaSuccess && any;
    fine += codes[step % 3] == cudaSuccess ? 2 : 0;
    fine += static_cast<int>(peer) == 0;
    for (cudaError_t each : codes)
      if (each != cudaSuccess)
        ++bad;
    if (found.error && cudaGetLastError() == cudaSuccess)
      times += found.times / 2;
    add<<<(N + 127) / 128, 128>>>(next, u, N);
    if ((error = cudaGetLastError()) != cudaSuccess)
      std::exit(static_cast<int>(error));
    std::swap(u, next);
  }
  std::printf("before %d %d %d %d %d %d\n", slow, failed, times, fine, bad, Solver(peer).run(u, next));
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  if (is_quiet(argc) && argc > 1 && std::strcmp(argv[1], "quiet") == 0)
    std::freopen("/dev/null", "w", stdout);
  int *u = array_of_numbers<int>(N), *next = array_of_numbers<int>(N), *kept = array_of_numbers<int>(N), *zero = array_of_numbers<int>(N);
  int *sum, *partial, *host = new int[Blocks], found = 0, total = 0, all = 0;
  cudaError_t status = cudaSuccess;
  cudaStream_t stream;
  cudaEvent_t event;
  ENDS(cudaMalloc(&sum, sizeof(int)));
  ASSERTS(cudaMalloc(&partial, Blocks * sizeof(int)));
  DECLARES(cudaStreamCreate(&stream));
  RETURNS(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
#pragma gpurma persistent distribute(u, next, kept, zero : rows(Ny, Nx)) reduce(+ : *sum)
  for (int step = 0; step < 2; ++step) {
    COPIES(ENDS);
    COPIES(DECLARES);
    COPIES(ASSERTS);
    COPIES(IN_LAMBDA);
    add_up<<<Blocks, Threads>>>(u, partial, N);
    ASKS(ENDS);
    ASKS(RETURNS);
    ASKS(THROWS);
    ASKS(DECLARES);
    ASKS(BEGINS);
    ASKS(ASSERTS);
    ASKS(CHOOSES);
    ASKS(OTHERWISE);
    ASKS(UNLIKELY);
    ASKS(ASSIGNS);
    ASKS(IGNORES);
    ASKS(CALLS);
    ASKS(IN_LAMBDA);
    ASKS(RESULTS);
    ASKS(CODES);
    ASKS(NUMBERS);
    ASKS(FOUND);
  }
  std::printf("sums %d %d\n", total, all);
  std::printf("kept %lld\n", ordered_sum(kept, N) + ordered_sum(zero, N));
  errors_from_before(u, next);
  return status;
}
