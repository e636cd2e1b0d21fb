// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels that leave a number for each block, which the host adds up: of memory that it shares with the device, and of copies into
// what a pointer leads to, an array, a vector and pinned memory, in a function and with several launches for each array, in a wider type, by
// std::accumulate, and in memory that the host uses so before and behind the region, too; from the first number on, with a conversion, in loops over
// vectors, and several in one loop; and with functions that are handed what vectors and std::unique_ptr lead to; of all that vectors
// have, which lambdas capture or objects keep.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t quiet | diff - %t.expected
// Fewer numbers than there are.
// RUN: not env GPURMA_CPU_RANKS=2 %t few 2>&1 | FileCheck --check-prefix=FEW %s
// RUN: not env GPURMA_CPU_RANKS=2 %t bytes 2>&1 | FileCheck --check-prefix=FEW %s
// CHECK: copies {{-?[0-9]+}} {{-?[0-9]+}}
// CHECK: shared {{[0-9]+}} {{[0-9]+}}
// CHECK: wider {{[0-9.]+}} {{[0-9.]+}} {{[0-9]+}}
// CHECK: functions {{-?[0-9]+}} {{-?[0-9]+}}
// CHECK: around {{-?[0-9]+}} {{-?[0-9]+}}
// CHECK: spellings {{[0-9]+}} {{[0-9.]+}}
// CHECK: handed {{[0-9]+}} {{[0-9]+}} {{[0-9]+}}
// CHECK: asked {{[0-9]+}} {{[0-9]+}}
// CHECK: kept {{[0-9]+}} {{[0-9]+}}
// FEW: numbers of {{.*}}blocks
#include "Inputs/region.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

constexpr int Nx = 60, Ny = 131, N = Nx * Ny, Threads = 64, Blocks = 9;

// Small numbers, of which sums are exact.
__global__ void apply(double *q, const double *p, int shift, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    q[y * nx + x] = static_cast<int>(4 * p[y * nx + x] - p[(y - 1) * nx + x] - p[(y + 1) * nx + x] + shift) % 13;
}
template <class T> __global__ void dot_partial(const double *p, const double *q, T *partial, int n) {
  __shared__ T part[Threads];
  T s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    s += static_cast<T>(p[i] * q[i]);
  part[threadIdx.x] = s;
  __syncthreads();
  for (unsigned w = blockDim.x / 2; w > 0; w /= 2) {
    if (threadIdx.x < w)
      part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    partial[blockIdx.x] = part[0];
}
// Multiples of 256, which a float has up to some 4e9: what each of several ranks adds up, but not what all of them do.
__global__ void large_partial(const double *p, const double *q, float *partial, int n) {
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    s += static_cast<float>((p[i] * q[i] + 1) * 8192 + (i == 5 ? 256 : 0));
  for (int w = 16; w > 0; w /= 2)
    s += __shfl_down_sync(~0u, s, w);
  __shared__ float part[Threads / 32];
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0)
    partial[blockIdx.x] = part[0] + part[1];
}
__global__ void most_partial(const double *q, double *partial, int n) {
  __shared__ double part[Threads];
  double most = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    most = fmax(most, fabs(q[i]));
  part[threadIdx.x] = most;
  __syncthreads();
  for (unsigned w = blockDim.x / 2; w > 0; w /= 2) {
    if (threadIdx.x < w)
      part[threadIdx.x] = fmax(part[threadIdx.x], part[threadIdx.x + w]);
    __syncthreads();
  }
  if (threadIdx.x == 0)
    partial[blockIdx.x] = part[0];
}
static double *device(int n, int seed) {
  return device_array<double>(n, [=](std::size_t i) { return static_cast<double>(i * i * seed % 5); });
}
static const dim3 grid((Nx + 7) / 8, (Ny + 7) / 8), block(8, 8);

static void copies(int count, std::size_t bytes) {
  double *p = device(N, 1), *q = device(N, 2), *partial = device(64, 3), *others = device(64, 4);
  double *host = static_cast<double *>(std::malloc(64 * sizeof(double))), *pinned, plain[64], total = 0, sum = 0;
  std::vector<double> numbers(Blocks);
  CHECK(cudaMallocHost(&pinned, 64 * sizeof(double)));
  int steps = 0;
#pragma gpurma persistent distribute(p, q : rows(Ny, Nx))
  while (steps < 7) {
    apply<<<grid, block>>>(q, p, static_cast<int>(sum) % 7, Ny, Nx);
    dot_partial<<<Blocks, Threads>>>(p, q, partial, N);
    dot_partial<<<2 * Blocks, Threads>>>(q, q, others, N);
    CHECK(cudaMemcpy(host, partial, bytes, cudaMemcpyDeviceToHost));
    total = 0;
    for (int b = 0; b < count; ++b)
      total += host[b];
    sum += static_cast<int>(total) % 1000;
    cudaMemcpyAsync(pinned, others, 2 * Blocks * sizeof(double), cudaMemcpyDeviceToHost);
    cudaDeviceSynchronize();
    for (int b = 0; b != 2 * Blocks; b++) {
      sum += pinned[b];
    }
    // The same array again, and other memory.
    dot_partial<<<Blocks, Threads>>>(q, p, partial, N);
    CHECK(cudaMemcpy(numbers.data(), partial, sizeof(double) * Blocks, cudaMemcpyDeviceToHost));
    for (std::size_t b = 0; b < Blocks; ++b)
      total += numbers[b];
    if (total > 3) {
      CHECK(cudaMemcpy(plain, others, sizeof(double) * 2 * Blocks, cudaMemcpyDeviceToHost));
      double more = 0;
      for (int b = 0; b < 2 * Blocks; ++b)
        more += plain[b];
      total -= more;
    }
    std::swap(p, q);
    ++steps;
  }
  // 0 tells a second process apart, which prints nothing.
  std::printf("copies %.0f %.0f\n", total, sum);
  std::free(host);
  CHECK(cudaFreeHost(pinned));
}

// Numbers in managed memory, which the host reads behind the region, too.
static void shared() {
  double *p = device(N, 1), *q = device(N, 2);
  int *partial, total = 0, behind = 0;
  CHECK(cudaMallocManaged(&partial, 64 * sizeof(int)));
#pragma gpurma persistent distribute(p, q : rows(Ny, Nx))
  for (int step = 0; step < 5; ++step) {
    apply<<<grid, block>>>(q, p, step, Ny, Nx);
    dot_partial<<<Blocks, Threads>>>(q, q, partial, N);
    CHECK(cudaDeviceSynchronize());
    for (int b = 0; b < Blocks; ++b)
      total += partial[b];
    std::swap(p, q);
  }
  CHECK(cudaDeviceSynchronize());
  for (int b = 0; b < Blocks; ++b)
    behind += partial[b];
  std::printf("shared %d %d\n", total, behind);
}

// Totals in double of numbers in float, and sums by the standard library: in an expression, of a part of a vector, and of memory that
// is shared.
static void wider() {
  double *p = device(N, 1), *q = device(N, 2), total = 0, sum = 0;
  float *partial, *others, *host = new float[Blocks];
  int *shared, found = 0;
  CHECK(cudaMalloc(&partial, 64 * sizeof(float)));
  CHECK(cudaMalloc(&others, 64 * sizeof(float)));
  CHECK(cudaMallocManaged(&shared, 64 * sizeof(int)));
  std::vector<float> numbers(Blocks), more(64);
#pragma gpurma persistent distribute(p, q : rows(Ny, Nx))
  for (int step = 0; step < 5; ++step) {
    apply<<<grid, block>>>(q, p, step, Ny, Nx);
    large_partial<<<Blocks, Threads>>>(p, q, partial, N);
    CHECK(cudaMemcpy(host, partial, Blocks * sizeof(float), cudaMemcpyDeviceToHost));
    for (int b = 0; b < Blocks; ++b)
      total += host[b];
    large_partial<<<Blocks, Threads>>>(q, q, others, N);
    CHECK(cudaMemcpy(numbers.data(), others, numbers.size() * sizeof(float), cudaMemcpyDeviceToHost));
    sum = 2 * std::accumulate(numbers.begin(), numbers.end(), 1.0) - sum / 2;
    CHECK(cudaMemcpy(more.data(), others, Blocks * sizeof(float), cudaMemcpyDeviceToHost));
    if (std::accumulate(more.begin(), more.begin() + Blocks, 0.0) > 1e6)
      sum -= 7;
    dot_partial<<<Blocks, Threads>>>(p, q, shared, N);
    CHECK(cudaDeviceSynchronize());
    found += std::accumulate(shared, shared + Blocks, 0) % 1000;
    std::swap(p, q);
  }
  std::printf("wider %.1f %.1f %d\n", total, sum, found);
  delete[] host;
}

static double dot(const double *a, const double *b, double *partial, double *host) {
  dot_partial<<<Blocks, Threads>>>(a, b, partial, N);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, partial, Blocks * sizeof(double), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (int i = 0; i < Blocks; ++i)
    sum += host[i];
  return sum;
}
static void functions() {
  double *p = device(N, 1), *q = device(N, 2), *partial = device(64, 3), *host = new double[Blocks];
  double sum = dot(p, q, partial, host);
#pragma gpurma persistent distribute(p, q : rows(Ny, Nx))
  for (int step = 0; step < 5; ++step) {
    apply<<<grid, block>>>(q, p, step, Ny, Nx);
    sum += dot(p, q, partial, host);
    if (step > 2 && dot(q, q, partial, host) > 100)
      sum -= 50;
    std::swap(p, q);
  }
  std::printf("functions %.0f %.0f\n", sum, dot(q, p, partial, host));
  delete[] host;
}

// The host adds up other numbers in the same memory before each of several regions, and behind it.
static double add_all(const double *a, double *partial, std::vector<double> &host, int blocks) {
  dot_partial<<<blocks, Threads>>>(a, a, partial, N);
  const std::size_t bytes = blocks * sizeof(double);
  CHECK(cudaMemcpy(host.data(), partial, bytes, cudaMemcpyDeviceToHost));
  double sum = 0;
  for (int b = 0; b < blocks; ++b)
    sum += host[b];
  return sum;
}
static void around() {
  double *p = device(N, 1), *q = device(N, 2), *partial = device(64, 3), *others = device(3, 4), plain[64], sum = 0;
  std::vector<double> host(64);
  const auto norm = [&](const double *a) {
    dot_partial<<<Blocks, Threads>>>(a, a, partial, N);
    CHECK(cudaMemcpy(plain, partial, sizeof plain / 64 * Blocks, cudaMemcpyDeviceToHost));
    double most = 0;
    for (int b = 0; b < Blocks; ++b)
      most += plain[b];
    return most;
  };
  for (int part = 0; part < 3; ++part) {
    sum += add_all(q, partial, host, 2 * Blocks + part) - norm(p);
#pragma gpurma persistent distribute(p, q : rows(Ny, Nx))
    for (int step = 0; step < 5; ++step) {
      apply<<<grid, block>>>(q, p, static_cast<int>(sum) % 7, Ny, Nx);
      sum += add_all(q, partial, host, Blocks) - norm(p);
      if (step == 3) {
#pragma gpurma host
        {
          CHECK(cudaMemcpy(plain, others, 3 * sizeof(double), cudaMemcpyDeviceToHost));
          for (int b = 0; b < 3; ++b)
            sum += plain[b];
        }
      }
      std::swap(p, q);
    }
  }
  std::printf("around %.0f %.0f\n", sum, norm(q));
}

static void spellings() {
  double *p = device(N, 1), *q = device(N, 2), *partial = device(64, 3), *others = device(64, 4), sum = 0, all = 0;
  float *small;
  CHECK(cudaMalloc(&small, 64 * sizeof(float)));
  std::vector<double> host(Blocks), more(Blocks);
  std::vector<float> single(Blocks);
  int b = 0;
#pragma gpurma persistent distribute(p, q : rows(Ny, Nx))
  for (int step = 0; step < 5; ++step) {
    apply<<<grid, block>>>(q, p, step, Ny, Nx);
    dot_partial<<<Blocks, Threads>>>(p, q, partial, N);
    dot_partial<<<Blocks, Threads>>>(q, q, others, N);
    CHECK(cudaMemcpy(&host[0], partial, Blocks * sizeof(double), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(more.data(), others, Blocks * sizeof(double), cudaMemcpyDeviceToHost));
    double first = host[0];
    for (int i = 1; i < Blocks; ++i)
      first += host[i];
    for (double found : host)
      sum += found;
    for (b = 0; b < Blocks; b++) {
      sum = sum + host[b];
      all = more[b] + all;
    }
    sum += first - b + std::reduce(more.begin(), more.end()) + std::accumulate(host.begin(), host.end(), 3.0, std::plus<>());
    large_partial<<<Blocks, Threads>>>(p, q, small, N);
    CHECK(cudaMemcpy(single.data(), small, Blocks * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < Blocks; ++i)
      all += static_cast<double>(single[i]);
    for (const double found : single)
      all += found;
    std::swap(p, q);
  }
  std::printf("spellings %.0f %.1f\n", sum, all);
}

static double sum_of(const double *numbers, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += numbers[i];
  return sum;
}
static double most_of(const double *numbers, int count) {
  double most = numbers[0];
  for (int i = 1; i < count; ++i)
    most = numbers[i] > most ? numbers[i] : most;
  return most;
}
static double copied_sum(const double *partial, double *host, int count) {
  CHECK(cudaMemcpy(host, partial, count * sizeof(double), cudaMemcpyDeviceToHost));
  return sum_of(host, count);
}
static double own_sum(const double *a, double *partial, int blocks) {
  std::vector<double> host(blocks);
  dot_partial<<<blocks, Threads>>>(a, a, partial, N);
  CHECK(cudaMemcpy(host.data(), partial, host.size() * sizeof(double), cudaMemcpyDeviceToHost));
  return sum_of(host.data(), blocks);
}
static double object_sum(const double *a, double *partial, std::unique_ptr<double[]> &host) {
  dot_partial<<<Blocks, Threads>>>(a, a, partial, N);
  return copied_sum(partial, host.get(), Blocks);
}
static void handed() {
  double *p = device(N, 1), *q = device(N, 2), *partial = device(64, 3), *others = device(64, 4);
  std::vector<double> vector(64), numbers(Blocks);
  std::unique_ptr<double[]> object(new double[Blocks]);
  dot_partial<<<Blocks, Threads>>>(p, q, partial, N);
  double sum = copied_sum(partial, vector.data(), Blocks), most = 0, plain[Blocks];
#pragma gpurma persistent distribute(p, q : rows(Ny, Nx))
  for (int step = 0; step < 5; ++step) {
    apply<<<grid, block>>>(q, p, static_cast<int>(sum) % 7, Ny, Nx);
    dot_partial<<<Blocks, Threads>>>(p, q, partial, N);
    sum += copied_sum(partial, vector.data(), Blocks) + own_sum(p, partial, Blocks) - object_sum(q, partial, object);
    dot_partial<<<Blocks, Threads>>>(q, q, partial, N);
    std::vector<double> inside(Blocks);
    sum -= copied_sum(partial, inside.data(), Blocks);
    auto made = std::make_unique<double[]>(Blocks);
    sum += 3 * copied_sum(partial, made.get(), Blocks) + copied_sum(partial, plain, Blocks);
    CHECK(cudaMemcpy(object.get(), partial, Blocks * sizeof(double), cudaMemcpyDeviceToHost));
    sum -= std::accumulate(object.get(), object.get() + Blocks, 0.0);
    CHECK(cudaMemcpy(&numbers[0], partial, Blocks * sizeof(double), cudaMemcpyDeviceToHost));
    sum += sum_of(&numbers[0], Blocks) - sum_of(numbers.data(), Blocks) / 2;
    most_partial<<<Blocks, Threads>>>(q, others, N);
    CHECK(cudaMemcpy(vector.data(), others, Blocks * sizeof(double), cudaMemcpyDeviceToHost));
    most += most_of(vector.data(), Blocks) + step;
    std::swap(p, q);
  }
  std::printf("handed %.0f %.0f %.0f\n", sum, most, object_sum(p, partial, object));
}

// Outside of regions, too, which have what vectors are asked for as numbers.
static double sum_of_all(const std::vector<double> &numbers) {
  double sum = 0;
  for (double found : numbers)
    sum += found;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    sum += numbers[i];
  return sum + std::accumulate(numbers.begin(), numbers.end(), 0.0);
}
static void asked() {
  double *p = device(N, 1), *q = device(N, 2), *partial = device(64, 3), *others = device(64, 4), most = 0;
  std::vector<double> host(Blocks), inside(Blocks), larger(Blocks);
  const auto copied_sum_of_all = [&] {
    dot_partial<<<Blocks, Threads>>>(p, q, partial, N);
    CHECK(cudaMemcpy(host.data(), partial, host.size() * sizeof(double), cudaMemcpyDeviceToHost));
    return std::accumulate(host.begin(), host.end(), 0.0);
  };
  // Where it is called in the region only, the copy may stand there.
  const auto sum_inside = [&inside] {
    double sum = 0;
    for (const double &found : inside) {
      sum += found;
    }
    return sum;
  };
  double sum = copied_sum_of_all();
  dot_partial<<<Blocks, Threads>>>(q, q, partial, N);
  CHECK(cudaMemcpy(host.data(), partial, Blocks * sizeof(double), cudaMemcpyDeviceToHost));
  sum += sum_of_all(host);
#pragma gpurma persistent distribute(p, q : rows(Ny, Nx))
  for (int step = 0; step < 5; ++step) {
    apply<<<grid, block>>>(q, p, static_cast<int>(sum) % 7, Ny, Nx);
    sum += copied_sum_of_all();
    dot_partial<<<Blocks, Threads>>>(q, q, partial, N);
    CHECK(cudaMemcpy(inside.data(), partial, Blocks * sizeof(double), cudaMemcpyDeviceToHost));
    sum -= sum_inside() / 2;
    most_partial<<<Blocks, Threads>>>(q, others, N);
    CHECK(cudaMemcpy(larger.data(), others, larger.size() * sizeof(double), cudaMemcpyDeviceToHost));
    most += *std::max_element(larger.begin(), larger.end()) + step;
    std::swap(p, q);
  }
  most_partial<<<Blocks, Threads>>>(q, others, N);
  const std::size_t bytes = larger.size() * sizeof(double);
  CHECK(cudaMemcpy(larger.data(), others, bytes, cudaMemcpyDeviceToHost));
  double last = larger[0];
  for (double found : larger)
    last = std::max(last, found);
  std::printf("asked %.0f %.0f\n", sum + copied_sum_of_all(), most + last);
}

class Solver {
public:
  explicit Solver(int blocks) : blocks_(blocks), as_many_(blocks) {
    CHECK(cudaMalloc(&partial_, 64 * sizeof(double)));
    CHECK(cudaMalloc(&others_, 64 * sizeof(double)));
  }
  double run(int steps) {
    double sum = dot() + all() - largest() + plain();
#pragma gpurma persistent distribute(p_, q_ : rows(Ny, Nx))
    for (int step = 0; step < steps; ++step) {
      apply<<<grid, block>>>(q_, p_, static_cast<int>(sum) % 7, Ny, Nx);
      sum += dot() / 2;
      if (step % 2 == 1)
        sum -= all();
      sum += largest() - plain() / 2;
      std::swap(p_, q_);
    }
    return sum + dot() + all() - largest();
  }

private:
  static constexpr std::size_t bytes_of(int numbers) { return numbers * sizeof(double); }
  double dot() {
    dot_partial<<<blocks_, Threads>>>(p_, q_, partial_, N);
    CHECK(cudaMemcpy(as_many_.data(), partial_, blocks_ * sizeof(double), cudaMemcpyDeviceToHost));
    return std::accumulate(as_many_.begin(), as_many_.end(), 0.0);
  }
  // An array, handed to a function of the class.
  double plain() {
    dot_partial<<<Blocks, Threads>>>(p_, p_, partial_, N);
    CHECK(cudaMemcpy(plain_, partial_, sizeof plain_, cudaMemcpyDeviceToHost));
    return sum_of(plain_, Blocks);
  }
  static double sum_of(const double *numbers, int count) {
    double sum = 0;
    for (int i = 0; i < count; ++i)
      sum += numbers[i];
    return sum;
  }
  double all() {
    double sum = 0;
    dot_partial<<<Blocks, Threads>>>(q_, q_, partial_, N);
    CHECK(cudaMemcpy(constant_.data(), partial_, bytes_of(Blocks), cudaMemcpyDeviceToHost));
    for (double found : constant_)
      sum += found;
    return sum;
  }
  double largest() {
    most_partial<<<Blocks, Threads>>>(q_, others_, N);
    CHECK(cudaMemcpy(constant_.data(), others_, constant_.size() * sizeof(double), cudaMemcpyDeviceToHost));
    double most = constant_[0];
    for (std::size_t i = 1; i < constant_.size(); ++i)
      most = std::max(most, constant_[i]);
    return most;
  }

  int blocks_;
  double plain_[Blocks];
  std::vector<double> as_many_, constant_ = std::vector<double>(Blocks);
  double *p_ = device(N, 1), *q_ = device(N, 2), *partial_ = nullptr, *others_ = nullptr;
};

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  if (is_quiet(argc) && argc > 1 && std::strcmp(argv[1], "quiet") == 0)
    std::freopen("/dev/null", "w", stdout);
  const bool few = argc > 1 && std::strcmp(argv[1], "few") == 0, bytes = argc > 1 && std::strcmp(argv[1], "bytes") == 0;
  copies(few ? Blocks - 1 : Blocks, (bytes ? Blocks + 1 : Blocks) * sizeof(double));
  shared();
  wider();
  functions();
  around();
  spellings();
  handed();
  asked();
  Solver solver(2 * Blocks);
  const double first = solver.run(5);
  std::printf("kept %.0f %.0f\n", first, solver.run(4));
}
