// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Arrays of the host that numbers of blocks are copied to, for the host to add them up: declared in the region, or in functions that it calls, as vectors
// and with memory of all kinds; members of the object; and such as are handed to functions that add them up, before the region, too.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// CHECK: declared {{[1-9][0-9]*}} {{[1-9][0-9]*}}
// CHECK: members {{[1-9][0-9]*}} {{[1-9][0-9]*}}
// CHECK: handed {{[1-9][0-9]*}} {{[1-9][0-9]*}}
#include "Inputs/block_sums.h"
#include "Inputs/region.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

constexpr int Nx = 60, Ny = 131, N = Nx * Ny, Blocks = 9;

__global__ void apply(int *next, const int *u, int shift) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < Nx && y > 0 && y < Ny - 1)
    next[y * Nx + x] = (u[y * Nx + x] + 2 * u[(y - 1) * Nx + x] + u[(y + 1) * Nx + x] + shift) % 13;
}
__global__ void most_found(const int *u, int *partial, int n) {
  __shared__ int part[Threads];
  int m = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    m = max(m, u[i] * (i % 11));
  part[threadIdx.x] = m;
  __syncthreads();
  for (unsigned w = blockDim.x / 2; w > 0; w /= 2) {
    if (threadIdx.x < w)
      part[threadIdx.x] = max(part[threadIdx.x], part[threadIdx.x + w]);
    __syncthreads();
  }
  if (threadIdx.x == 0)
    partial[blockIdx.x] = part[0];
}
static const dim3 grid((Nx + 7) / 8, (Ny + 7) / 8), block(8, 8);

// What functions of the region declare, each for its call.
static int in_vector(const int *u, int *partial, int blocks) {
  add_up<<<blocks, Threads>>>(u, partial, N);
  std::vector<int> host(blocks);
  CHECK(cudaMemcpy(host.data(), partial, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  return std::accumulate(host.begin(), host.end(), 0);
}
static int in_memory(const int *u, int *partial, int blocks) {
  add_up<<<blocks, Threads>>>(u, partial, N);
  int *host = static_cast<int *>(std::malloc(blocks * sizeof(int))), total = 0;
  CHECK(cudaMemcpy(host, partial, blocks * sizeof(int), cudaMemcpyDeviceToHost));
  for (int b = 0; b < blocks; ++b)
    total += host[b];
  std::free(host);
  return total;
}
static int in_new_memory(const int *u, int *partial, int blocks) {
  add_up<<<blocks, Threads>>>(u, partial, N);
  int *host = new int[blocks]();
  CHECK(cudaMemcpy(host, partial, blocks * sizeof(int), cudaMemcpyDeviceToHost));
  const int total = std::accumulate(host, host + blocks, 0);
  delete[] host;
  return total;
}
static int in_pinned_memory(const int *u, int *partial, int blocks) {
  add_up<<<blocks, Threads>>>(u, partial, N);
  int *host, total = 0;
  CHECK(cudaMallocHost(&host, blocks * sizeof(int)));
  CHECK(cudaMemcpy(host, partial, blocks * sizeof(int), cudaMemcpyDeviceToHost));
  for (int b = 0; b < blocks; ++b)
    total += host[b];
  CHECK(cudaFreeHost(host));
  return total;
}
static int in_unique(const int *u, int *partial, int blocks) {
  add_up<<<blocks, Threads>>>(u, partial, N);
  std::unique_ptr<int[]> host(new int[blocks]);
  const auto more = std::make_unique<int[]>(blocks);
  CHECK(cudaMemcpy(host.get(), partial, blocks * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(more.get(), partial, blocks * sizeof(int), cudaMemcpyDeviceToHost));
  int total = 0;
  for (int b = 0; b < blocks; ++b)
    total += host[b];
  for (int b = 0; b < blocks; ++b)
    total += more[b];
  return total;
}
static void declared() {
  int *u = array_of_numbers<int>(N), *next = array_of_numbers<int>(N), *partial = array_of_numbers<int>(64);
  int total = in_vector(u, partial, Blocks) % 100, sum = 0;
#pragma gpurma persistent distribute(u, next : rows(Ny, Nx))
  for (int step = 0; step < 4; ++step) {
    apply<<<grid, block>>>(next, u, total % 7);
    std::swap(u, next);
    total += in_vector(u, partial, Blocks) % 1000 + in_memory(u, partial, Blocks + 2) % 100;
    if (in_new_memory(u, partial, Blocks) > 1000)
      total += in_pinned_memory(u, partial, Blocks) - in_unique(u, partial, 2 * Blocks) / 2;
    add_up<<<Blocks, Threads>>>(u, partial, N);
    std::vector<int> host(Blocks, 1), kept;
    kept.resize(Blocks);
    CHECK(cudaMemcpy(&host[0], partial, Blocks * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(kept.data(), partial, Blocks * sizeof(int), cudaMemcpyDeviceToHost));
    for (int found : host)
      sum += found;
    auto again = std::vector<int>(Blocks);
    CHECK(cudaMemcpy(again.data(), partial, again.size() * sizeof(again[0]), cudaMemcpyDeviceToHost));
    sum += std::accumulate(std::begin(again), std::end(again), 0);
    int plain[Blocks];
    CHECK(cudaMemcpy(plain, partial, sizeof plain, cudaMemcpyDeviceToHost));
    for (int b = 0; Blocks > b; b += 1)
      total += plain[b];
    sum += std::accumulate(std::begin(plain), std::end(plain), 0);
    for (int b = 0; b < Blocks; ++b)
      sum += kept[b];
    for (std::size_t b = 0; b < host.size(); ++b)
      total += host[b];
  }
  std::printf("declared %d %d\n", total, sum + in_unique(u, partial, Blocks));
}

// What an object keeps for all steps.
class Solver {
public:
  explicit Solver(int blocks) : blocks_(blocks), host_(blocks), more_(new int[blocks]) {
    CHECK(cudaMalloc(&partial_, 64 * sizeof(int)));
    CHECK(cudaMallocHost(&pinned_, blocks * sizeof(int)));
    unsized_ = std::vector<int>(blocks);
  }
  ~Solver() {
    cudaFree(partial_);
    cudaFreeHost(pinned_);
  }
  int total() {
    add_up<<<blocks_, Threads>>>(u_, partial_, N);
    CHECK(cudaMemcpy(host_.data(), partial_, blocks_ * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(pinned_, partial_, blocks_ * sizeof(int), cudaMemcpyDeviceToHost));
    int sum = 0, more = 0;
    for (int b = 0; b < blocks_; ++b) {
      sum += host_[b];
      more += pinned_[b];
    }
    add_up<<<blocks_, Threads>>>(next_, partial_, N);
    CHECK(cudaMemcpy(more_.get(), partial_, blocks_ * sizeof(int), cudaMemcpyDeviceToHost));
    for (int b = 0; b < blocks_; ++b)
      more += more_[b];
    CHECK(cudaMemcpy(unsized_.data(), partial_, blocks_ * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(plain_, partial_, blocks_ * sizeof(int), cudaMemcpyDeviceToHost));
    sum += std::accumulate(unsized_.begin(), unsized_.begin() + blocks_, 0);
    return sum % 1000 + more % 100 + std::accumulate(plain_, plain_ + blocks_, 0) % 10;
  }
  int run(int steps) {
    int found = 0;
#pragma gpurma persistent distribute(u_, next_ : rows(Ny, Nx))
    for (int step = 0; step < steps; ++step) {
      apply<<<grid, block>>>(next_, u_, found % 5);
      std::swap(u_, next_);
      found += total();
    }
    return found;
  }

private:
  int blocks_;
  int *u_ = array_of_numbers<int>(N), *next_ = array_of_numbers<int>(N), *partial_ = nullptr, *pinned_ = nullptr, plain_[64];
  std::vector<int> host_, unsized_;
  std::unique_ptr<int[]> more_;
};

// What is not instantiated is not run.
template <class T> class Steps {
public:
  Steps() { CHECK(cudaMalloc(&partial_, 64 * sizeof(T))); }
  T first() const { return host_[0]; }
  T run(int steps) {
    T found = 0;
#pragma gpurma persistent distribute(u_, next_ : rows(Ny, Nx))
    for (int step = 0; step < steps; ++step) {
      apply<<<grid, block>>>(next_, u_, found % 5);
      std::swap(u_, next_);
      add_up<<<Blocks, Threads>>>(u_, partial_, N);
      CHECK(cudaMemcpy(host_.data(), partial_, Blocks * sizeof(T), cudaMemcpyDeviceToHost));
      found += std::accumulate(host_.begin(), host_.end(), T(0));
    }
    return found;
  }

private:
  T *u_ = array_of_numbers<T>(N), *next_ = array_of_numbers<T>(N), *partial_ = nullptr;
  std::vector<T> host_ = std::vector<T>(Blocks);
};

static int all_of(const int *numbers, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i)
    sum += numbers[i];
  return sum;
}
static int most_of(const int *numbers, int count) {
  int most = numbers[0];
  for (int i = 1; i < count; ++i)
    most = std::max(most, numbers[i]);
  return most;
}
template <class T> static T *memory_for(std::size_t count) {
  T *memory = static_cast<T *>(std::calloc(count, sizeof(T)));
  return memory;
}
static void handed() {
  int *u = array_of_numbers<int>(N), *next = array_of_numbers<int>(N), *partial = array_of_numbers<int>(64), *partial_most = array_of_numbers<int>(64);
  int *host = memory_for<int>(Blocks), *again = new int[Blocks], most = 0;
  if (!host || again == nullptr)
    return;
  add_up<<<Blocks, Threads>>>(u, partial, N);
  CHECK(cudaMemcpy(host, partial, Blocks * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(again, partial, Blocks * sizeof(int), cudaMemcpyDeviceToHost));
  int total = all_of(host, Blocks) % 10 + most_of(again, Blocks) % 100;
  CHECK(cudaMemcpy(host, partial, Blocks * sizeof(int), cudaMemcpyDeviceToHost));
  total += std::accumulate(host, host + Blocks, 0) % 10;
#pragma gpurma persistent distribute(u, next : rows(Ny, Nx))
  for (int step = 0; step < 4; ++step) {
    apply<<<grid, block>>>(next, u, total % 7);
    std::swap(u, next);
    add_up<<<Blocks, Threads>>>(u, partial, N);
    if (cudaMemcpy(host, partial, Blocks * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess) {
      if (step > 1)
        total += all_of(host, Blocks) % 1000;
    }
    most_found<<<Blocks, Threads>>>(u, partial_most, N);
    CHECK(cudaMemcpy(again, partial_most, Blocks * sizeof(int), cudaMemcpyDeviceToHost));
    most = most_of(again, Blocks);
    total += most;
  }
  std::printf("handed %d %d\n", total, most);
  std::free(host);
  delete[] again;
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  if (is_quiet(argc) && argc > 1 && std::strcmp(argv[1], "quiet") == 0)
    std::freopen("/dev/null", "w", stdout);
  declared();
  Solver solver(Blocks);
  const int before = solver.total(), found = solver.run(4);
  std::printf("members %d %d\n", before + found, solver.total() + Steps<int>().run(4));
  handed();
}
