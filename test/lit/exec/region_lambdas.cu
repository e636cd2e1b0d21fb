// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Lambdas that are handed to kernels: at the launch, to functions that launch, as variables, by a macro, in a header, in member
// functions and in a template; that have captured numbers, structures, other lambdas and constants.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 GPURMA_GHOST_ROWS=8 %mpirun -np 3 %t | diff - %t.expected
// CHECK: launches {{[1-9][0-9]*}}
// CHECK: accessors {{[1-9][0-9]*}}
// CHECK: own {{[1-9][0-9]*}}
// CHECK: functions {{[1-9][0-9]*}} {{[1-9][0-9]*}}
// CHECK: variables {{[1-9][0-9]*}}
// CHECK: members {{[1-9][0-9]*}} {{[1-9][0-9]*}}
#include "Inputs/region.h"
#include "Inputs/region_lambdas.h"

#include <string>
#include <utility>

constexpr int ny = 61, nx = 45;
const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);

struct shape {
  int ny, nx;
  __host__ __device__ int at(int y, int x) const { return y * nx + x; }
};

// At the launch, in one dimension and in two, with the shape as a structure, and with a constant of the function.
static void launches(int *u, int *v) {
  constexpr int most = 1009;
  const shape s{ny, nx};
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int i = 0; i < 9; ++i) {
    for_each_point<<<grid, block>>>(ny, nx, [=] __device__(int y, int x) {
      const int up = y > 0 ? u[s.at(y - 1, x)] : 5; // a row above
      v[s.at(y, x)] = (3 * u[s.at(y, x)] + up + i) % most;
    });
    for_each_index<<<(ny * nx + 63) / 64, 64>>>(ny * nx, [to = u, v] __device__(int j) -> void { to[j] = (v[j] + j) % most; });
    parallel_for_and_mark(u, ny * nx, [=] __device__(int j) { u[j] = (u[j] + 2 * v[j]) % most; });
  }
}

// Of accessors that it has captured.
struct field {
  int *data;
  int ny, nx;
  __device__ int &operator()(int y, int x) const { return data[y * nx + x]; }
};
static void accessors(field u, field v) {
#pragma gpurma persistent distribute(u.data, v.data : rows(u.ny, u.nx))
  for (int i = 0; i < 6; ++i) {
    parallel_for(u.ny, u.nx, [=] __device__(int y, int x) {
      if (y < u.ny - 1 && x > 0)
        v(y, x) = (u(y + 1, x) + 2 * u(y, x - 1)) % 1013;
    });
    std::swap(u.data, v.data);
  }
}

// The kernels' own, which name CUDA's variables and have no default for what they capture.
__global__ void by_points(int *v, const int *u) {
  const auto column = [] { return int(blockIdx.x * blockDim.x + threadIdx.x); };
  const auto above = [u, &column] { return u[(int(blockIdx.y * blockDim.y + threadIdx.y) - 1) * nx + column()]; };
  const int x = column(), y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny)
    v[y * nx + x] = (3 * u[y * nx + x] + above()) % 1009;
}
__global__ void by_elements(int *v, const int *u, int n) {
  const auto index = [] { return int(blockIdx.x * blockDim.x + threadIdx.x); };
  const auto value = [=] { return u[index()] + 2 * [index] { return index(); }(); };
  if (index() < n)
    v[index()] = value() % 1009;
}
static void own(int *u, int *v) {
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int i = 0; i < 6; ++i) {
    by_points<<<grid, block>>>(v, u);
    by_elements<<<(ny * nx + 63) / 64, 64>>>(u, v, ny * nx);
  }
}

// Through functions; one has its lambda in a header.
static void functions(int *u, int *v, unsigned long long *total) {
  cudaMemset(total, 0, sizeof *total);
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(+ : *total)
  for (int i = 0; i < 7; ++i) {
    parallel_for(ny, nx, FOR_DEVICE(int y, int x) {
      if (y > 1 && y < ny - 2)
        v[y * nx + x] = (u[(y - 2) * nx + x] + u[(y + 2) * nx + x] + i) % 1013;
    });
    add_up(total, v, ny * nx);
    std::swap(u, v);
  }
}

// Variables of the region, and one of its function, which they have captured.
static void variables(int *u, int *v) {
  const int weight = 3;
  auto mix = [weight] __device__(int a, int b) { return (weight * a + b) % 1019; };
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int i = 0; i < 5; ++i) {
    auto forth = [=] __device__(int y, int x) { v[y * nx + x] = mix(u[y * nx + x], u[(y + 1 < ny ? y + 1 : y) * nx + x]); };
    for_each_point<<<grid, block>>>(ny, nx, forth);
    auto back = [=] __device__(int y, int x) mutable {
      int here = v[y * nx + x];
      here += v[(y > 0 ? y - 1 : 0) * nx + x] + i;
      u[y * nx + x] = mix(here, i);
    };
    for_each_point<<<grid, block>>>(ny, nx, back);
  }
}

class solver {
public:
  solver(int *u, int *v) : u(u), v(v) {}
  void run(int steps) {
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
    for (int i = 0; i < steps; ++i) {
      step(u, v, i);
      std::swap(u, v);
    }
  }
  void separately(int steps);
  int *result() const { return u; }

private:
  // Members are copied to be captured.
  static void step(int *from, int *to, int add) {
    parallel_for(ny, nx, [=] __device__(int y, int x) {
      to[y * nx + x] = (from[y * nx + x] + (y + 3 < ny ? from[(y + 3) * nx + x] : add)) % 1021;
    });
  }
  int *u, *v;
};
void solver::separately(int steps) {
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int i = 0; i < steps; ++i) {
    parallel_for(ny * nx, [u = u, v = v] __device__(int i) { v[i] = (i >= nx ? u[i - nx] : 1) + u[i] % 1021; });
    std::swap(u, v);
  }
}

int main() {
  int start[ny * nx], *u, *v;
  unsigned long long *total, sum;
  for (int i = 0; i < ny * nx; ++i)
    start[i] = i * 37 % 101;
  cudaMalloc(&u, sizeof start);
  cudaMalloc(&v, sizeof start);
  cudaMalloc(&total, sizeof *total);
  auto restart = [&] {
    cudaMemcpy(u, start, sizeof start, cudaMemcpyHostToDevice);
    cudaMemcpy(v, start, sizeof start, cudaMemcpyHostToDevice);
  };
  auto print = [](const char *what, long long a, const char *rest = "") {
    if (is_first_process())
      std::printf("%s %lld%s\n", what, a, rest);
  };
  restart();
  launches(u, v);
  print("launches", ordered_sum(u, ny * nx));

  restart();
  accessors({u, ny, nx}, {v, ny, nx});
  print("accessors", ordered_sum(u, ny * nx));
  restart();
  own(u, v);
  print("own", ordered_sum(u, ny * nx));

  restart();
  functions(u, v, total);
  cudaMemcpy(&sum, total, sizeof sum, cudaMemcpyDeviceToHost);
  print("functions", static_cast<long long>(sum), (" " + std::to_string(ordered_sum(v, ny * nx))).c_str());

  restart();
  variables(u, v);
  print("variables", ordered_sum(u, ny * nx));

  restart();
  solver s(u, v);
  s.run(4);
  const long long first = ordered_sum(s.result(), ny * nx);
  s.separately(3);
  print("members", first, (" " + std::to_string(ordered_sum(s.result(), ny * nx))).c_str());
  for (void *each : {static_cast<void *>(u), static_cast<void *>(v), static_cast<void *>(total)})
    cudaFree(each);
}
