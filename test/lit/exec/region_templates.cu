// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Regions in function templates with several instances, in a member function of a class template and of a class in it, in a
// function template that nothing calls, in lambdas. Kernels with packs, empty ones too.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 3 %t 1 | diff - %t.expected
// RUN: %lower_cpu %s > %t.lowered.cu
// RUN: FileCheck --check-prefix=LOWERED --input-file=%t.lowered.cu %s
// CHECK: int 2: {{-?[0-9]+}}
// CHECK: double 1: {{-?[0-9]+}}
// CHECK: double 3: {{-?[0-9]+}}
// CHECK: solver: {{-?[0-9]+ -?[0-9]+}}
// CHECK: outside: {{-?[0-9]+}}
// CHECK: lambda: {{-?[0-9]+}} {{-?[0-9]+}}
#include "Inputs/region.h"

#include <cstdio>
#include <utility>
#include <vector>

template <class T, int Radius> __global__ void average(T* out, const T* in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y >= Radius && y < ny - Radius) {
    T sum = 0;
    for (int r = -Radius; r <= Radius; ++r)
      sum += in[(y + r) * nx + x];
    out[y * nx + x] = sum / (2 * Radius + 1) + 1;
  }
}
template <class T> __global__ void add(const T* in, T* total, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    atomicAdd(total, static_cast<T>(static_cast<int>(in[y * nx + x]) % 16));
}

template <class T, int... Weights> __global__ void add_weights(T* in_place, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    in_place[y * nx + x] += (Weights + ... + 1);
}
// CUDA's kernels have one pack, which is their last parameter.
template <class T, int First, class... More> __global__ void add_all(T* in_place, int ny, int nx, More... more) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    in_place[y * nx + x] += First + (int(more) + ... + 1);
}

static bool quiet = false;

template <class T> static T* device(int n) {
  return device_array<T>(n, [](size_t i) { return i * 7919 % 1009; });
}
template <class T> static long long hash(const T* memory, int n) {
  std::vector<T> values(n);
  cudaMemcpy(values.data(), memory, n * sizeof(T), cudaMemcpyDeviceToHost);
  long long sum = 0;
  for (int i = 0; i < n; ++i)
    sum = (sum * 31 + static_cast<long long>(values[i] * 64)) % 1000000007;
  return sum;
}
template <class... Parts> static void print(const char* format, Parts... parts) {
  if (!quiet)
    std::printf(format, parts...);
}

constexpr int ny = 83, nx = 21, n = ny * nx;
static const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);

namespace app {
enum class order { one, two };
struct tag {};

// LOWERED-DAG: if constexpr (::std::is_same_v<T, double> && Radius == 1 && Order == app::order::one && ::std::is_same_v<Tag, app::tag>)
// LOWERED-DAG: else if constexpr (::std::is_same_v<T, int> && Radius == 2 && Order == app::order::two && ::std::is_same_v<Tag, app::tag>)
// LOWERED-DAG: "gpurmacc has not seen this instance of a template with a persistent region"
template <class T, int Radius, order Order = order::one, class Tag = tag> T iterate(T* a, T* b, T* total) {
  constexpr int steps = Order == order::one ? 5 : 4;
  T seen = 0;
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : *total)
  for (int i = 0; i < steps; ++i) {
    average<T, Radius><<<grid, block>>>(b, a, ny, nx);
    *total = T(0);
    add<T><<<grid, block>>>(b, total, ny, nx);
    cudaDeviceSynchronize();
    if constexpr (Order == order::one)
      seen = seen / 2 + *total;
    else
      seen += *total;
    std::swap(a, b);
  }
  return seen + static_cast<T>(hash(a, n) % 1000);
}
} // namespace app

template <class T> void never_called(T* a, T* b) {
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  {
    average<T, 7><<<grid, block>>>(b, a, ny, nx);
  }
}

template <class T> class solver {
public:
  long long run(int steps) {
    T *now = a, *next = b;
#pragma gpurma persistent distribute(now, next : rows(ny, nx))
    for (int i = 0; i < steps; ++i) {
      average<T, 1><<<grid, block>>>(next, now, ny, nx);
      std::swap(now, next);
    }
    return hash(now, n);
  }
  long long outside(int steps);

private:
  T *a = device<T>(n), *b = device<T>(n);
};

template <class Element> long long solver<Element>::outside(int steps) {
  Element *now = a, *next = b;
#pragma gpurma persistent distribute(now, next : rows(ny, nx))
  for (int i = 0; i < steps; ++i) {
    average<Element, 2><<<grid, block>>>(next, now, ny, nx);
    std::swap(now, next);
  }
  return hash(now, n);
}

int main(int argc, char** argv) {
  gpurma::init(&argc, &argv);
  quiet = is_quiet(argc);

  int* total = nullptr;
  double* mean = nullptr;
  cudaMallocManaged(&total, sizeof *total);
  cudaMallocManaged(&mean, sizeof *mean);
  *total = 0;
  *mean = 0;
  print("int 2: %d\n", app::iterate<int, 2, app::order::two>(device<int>(n), device<int>(n), total));
  print("double 1: %.0f\n", app::iterate<double, 1>(device<double>(n), device<double>(n), mean));
  print("double 3: %.0f\n", app::iterate<double, 3>(device<double>(n), device<double>(n), mean));
  const long long of_int = solver<int>().run(5), of_double = solver<double>().run(4);
  print("solver: %lld %lld\n", of_int, of_double);
  const long long outside = solver<double>().outside(4);
  print("outside: %lld\n", outside);

  int *a = device<int>(n), *b = device<int>(n), last = 0;
  const auto advance = [&](int steps) {
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
    for (int i = 0; i < steps; ++i) {
      average<int, 1><<<grid, block>>>(b, a, ny, nx);
      add_weights<int><<<grid, block>>>(b, ny, nx);
      add_weights<int, 3, 4><<<grid, block>>>(b, ny, nx);
      add_all<int, 7><<<grid, block>>>(b, ny, nx, i, 2.5);
      std::swap(a, b);
      last = i;
    }
    const auto once_more = [&] {
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
      {
        average<int, 3><<<grid, block>>>(b, a, ny, nx);
        last += 100;
      }
      std::swap(a, b);
    };
    once_more();
  };
  advance(4);
  const long long of_lambda = hash(a, n);
  print("lambda: %lld %d\n", of_lambda, last);
  return 0;
}
