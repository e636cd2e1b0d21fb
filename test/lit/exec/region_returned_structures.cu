// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Functions of the host that return structures of numbers: grids in one expression and in several statements, with structures as
// parameters, members, lambdas and other calls as arguments, states of the host that are assigned, declared and taken apart.
// RUN: %gpurmacc_cpu -I%S -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// CHECK: grids {{[1-9][0-9]*}}
// CHECK: states {{[1-9][0-9]* [1-9][0-9]* [1-9][0-9]*}}
#include "Inputs/region.h"

#include <utility>

constexpr int Modulus = 100999;

struct extents {
  int ny, nx;
  int count() const { return ny * nx; }
};
__global__ void step(int* out, const int* in, int ny, int nx, int by) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    out[y * nx + x] = (in[(y - 1) * nx + x] + by * in[(y + 1) * nx + x] + blockIdx.y) % Modulus;
}

static dim3 blocks_for(const extents& size, dim3 threads) { return dim3((size.nx + threads.x - 1) / threads.x, (size.ny + threads.y - 1) / threads.y); }
static dim3 by_steps(int ny, int nx, const dim3& threads) {
  dim3 grid;
  grid.x = (nx + threads.x - 1) / threads.x;
  grid.y = (ny + threads.y - 1) / threads.y;
  return grid;
}
static dim3 chosen(extents size, bool wide) {
  if (wide)
    return dim3((size.nx + 31) / 32, (size.ny + 3) / 4);
  size.nx = (size.nx + 31) / 32;
  return {static_cast<unsigned>(size.nx), static_cast<unsigned>((size.ny + 3) / 4), 1};
}
class mesh {
public:
  explicit mesh(extents size) : size_(size) {}
  dim3 grid(dim3 threads) const { return blocks_for(size_, threads); }
  extents size() const { return size_; }

private:
  extents size_;
};
static void grids(extents size) {
  int* u = array_of_numbers<int>(size.count());
  int* v = array_of_numbers<int>(size.count());
  const dim3 threads(32, 4);
  const mesh m(size);
  auto of_lambda = [&](int height) { return dim3((size.nx + 31) / 32, (size.ny + height - 1) / height); };
#pragma gpurma persistent distribute(u, v : rows(size.ny, size.nx))
  for (int t = 0; t < 7; ++t) {
    step<<<blocks_for(size, threads), threads>>>(v, u, size.ny, size.nx, 3);
    step<<<by_steps(size.ny, size.nx, threads), threads>>>(u, v, size.ny, size.nx, 5);
    step<<<chosen(size, t % 2 == 0), threads>>>(v, u, size.ny, size.nx, 7);
    step<<<m.grid(threads), threads>>>(u, v, size.ny, size.nx, 11);
    const dim3 grid = of_lambda(4);
    step<<<grid, threads>>>(v, u, size.ny, size.nx, 13);
    step<<<blocks_for({size.ny, size.nx}, dim3(32, 4)), threads>>>(u, v, size.ny, size.nx, 17);
    std::swap(u, v);
  }
  print_sum("grids", u, size.count());
}

struct state {
  int now = 3, next = 5;
  double time = 0;
};
static state after(state s, int t) {
  state r = s;
  if (t % 3 == 1)
    std::swap(r.now, r.next);
  r.time += 0.5 * r.now;
  return r;
}
struct pair {
  int first, second;
};
static pair halves(int n) { return {n / 2, n - n / 2}; }
// Launches, too.
static state advance(int* out, const int* in, extents size, const state& s) {
  step<<<dim3((size.nx + 31) / 32, (size.ny + 3) / 4), dim3(32, 4)>>>(out, in, size.ny, size.nx, s.now);
  state r = s;
  r.now = (s.now * 7 + s.next) % 13;
  return r;
}
static void states(extents size) {
  int* u = array_of_numbers<int>(size.count());
  int* v = array_of_numbers<int>(size.count());
  state s;
  int total = 0;
#pragma gpurma persistent distribute(u, v : rows(size.ny, size.nx))
  for (int t = 0; t < 9; ++t) {
    s = after(s, t);
    const state ahead = after(after(s, t + 1), t + 2);
    s = advance(v, u, size, ahead);
    const pair two = halves(t);
    total += two.first * 3 + two.second + ahead.next;
    std::swap(u, v);
  }
  const long long sum = ordered_sum(u, size.count());
  if (is_first_process())
    std::printf("states %lld %d %.0f\n", sum, total * 100 + s.now, s.time * 2);
}

int main() {
  grids({61, 45});
  states({53, 33});
}
