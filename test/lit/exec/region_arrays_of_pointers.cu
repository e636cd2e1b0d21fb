// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Distributed arrays in arrays of pointers: buffers that a subscript chooses, rotations, std::array, members of the object and of
// structures, arrays of structures, elements that are not distributed, those that one launch reads and writes as the same one, and arrays that
// functions of the region are passed. Functions of a member that say which buffer it is.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t 1 | diff - %t.expected
// CHECK: hotspot {{[0-9]+}}
// CHECK: rotation {{[0-9]+}}
// CHECK: levels {{[0-9]+}}
// CHECK: members {{[0-9]+}}
// CHECK: structures {{[0-9]+}}
// CHECK: fields {{[0-9]+}}
// CHECK: assigned {{[0-9]+}}
// CHECK: passed {{[0-9]+}}
// CHECK: returned {{[0-9]+}}
#include "Inputs/region.h"

#include <array>
#include <cstdio>
#include <utility>
#include <vector>

static bool quiet = false;
constexpr int nx = 30, ny = 41, n = nx * ny;
static const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);

static int *make(int seed) {
  return device_array<int>(n, [=](size_t i) { return (i * 37 + seed) % 101; });
}
static void print(const char *name, std::initializer_list<const int *> all) {
  std::vector<int> host(n);
  unsigned long hash = 0;
  for (const int *u : all) {
    cudaMemcpy(host.data(), u, n * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i)
      hash = (hash * 31 + host[i]) % 1000003;
  }
  if (!quiet)
    std::printf("%s %lu\n", name, hash);
}

__global__ void relax(int *out, const int *in, int nx, int ny, int w) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  const int i = y * nx + x;
  const int up = y > 0 ? in[i - nx] : 0, down = y < ny - 1 ? in[i + nx] : 0;
  out[i] = (3 * up + 5 * down + in[i] + w) % 1009;
}
__global__ void wave(int *next, const int *now, const int *before, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx - 1 && y > 1 && y < ny - 2) {
    const int i = y * nx + x;
    next[i] = (2 * now[i] + now[i - 2 * nx] + now[i + 2 * nx] + now[i - 1] + before[i]) % 1009;
  }
}
__global__ void scale(int *u, const int *by, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    u[y * nx + x] = (u[y * nx + x] * by[x % 7] + 1) % 1009;
}
struct fields {
  int *u[2];
  int *source;
};
struct view {
  int *to;
  const int *from;
};
__global__ void relax_view(view v, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny)
    v.to[y * nx + x] = (v.from[(y - 1) * nx + x] + 7 * v.from[y * nx + x]) % 1009;
}

class solver {
public:
  solver() : u_{make(1), make(2)} {}
  void run(int steps) {
#pragma gpurma persistent distribute(u_[0], u_[1] : rows(ny, nx))
    for (int it = 0; it < steps; ++it) {
      relax<<<grid, block>>>(u_[1 - now_], u_[now_], nx, ny, it);
      now_ = 1 - now_;
    }
    print("members", {u_[0], u_[now_]});
  }

private:
  int *u_[2];
  int now_ = 0;
};

struct double_buffer {
  int *buf[2];
  int now;
  int *current() const { return buf[now]; }
  int *alternate() const { return buf[now ^ 1]; }
  void flip() { now ^= 1; }
};
struct simulation {
  double_buffer u;
  void step(int w) {
    relax<<<grid, block>>>(u.alternate(), u.current(), nx, ny, w);
    u.flip();
  }
  void run(int steps) {
#pragma gpurma persistent distribute(u.buf : rows(ny, nx))
    for (int it = 0; it < steps; ++it)
      step(it);
    print("returned", {u.current(), u.alternate()});
  }
};

static void smooth(int *u[2], int *const *source, int &cur, int steps) {
  for (int k = 0; k < steps; ++k) {
    relax<<<grid, block>>>(u[1 - cur], u[cur], nx, ny, 2);
    cur = 1 - cur;
    scale<<<grid, block>>>(u[cur], source[k % 2], nx, ny);
  }
}
static void smooth_often(int *all[2], int *const *source, int &cur) {
  for (int k = 1; k < 4; ++k)
    smooth(all, source, cur, k);
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  quiet = is_quiet(argc);
  {
    int *temperature[2] = {make(3), make(4)};
    int src = 1, dst = 0;
#pragma gpurma persistent distribute(temperature[0], temperature[1] : rows(ny, nx))
    for (int t = 0; t < 9; t++) {
      int tmp = src;
      src = dst;
      dst = tmp;
      relax<<<grid, block>>>(temperature[dst], temperature[src], nx, ny, t);
    }
    print("hotspot", {temperature[0], temperature[1], temperature[dst]});
  }
  {
    int *u[3] = {make(5), make(6), make(7)};
#pragma gpurma persistent distribute(u : rows(ny, nx)) halo(u : 2)
    for (int k = 0; k < 10; ++k)
      wave<<<grid, block>>>(u[(k + 2) % 3], u[(k + 1) % 3], u[k % 3], nx, ny);
    print("rotation", {u[0], u[1], u[2]});
  }
  {
    std::array<int *, 2> u = {make(8), make(9)};
    int cur = 0;
#pragma gpurma persistent distribute(u : rows(ny, nx))
    for (int k = 0; k < 7; ++k) {
      relax<<<grid, block>>>(u[cur ^ 1], u[cur], nx, ny, k);
      cur ^= 1;
      if (k == 4)
        std::swap(u[0], u[1]);
      if (k == 5)
        cudaMemcpy(u[1], u[0], n * sizeof(int), cudaMemcpyDeviceToDevice);
    }
    print("levels", {u[0], u[1], u[cur]});
  }
  solver().run(8);
  {
    fields f = {{make(10), make(11)}, make(12)};
    int cur = 0, next = 1;
#pragma gpurma persistent distribute(f.u[0], f.u[1], f.source : rows(ny, nx))
    for (int k = 0; k < 6; ++k) {
      relax_view<<<grid, block>>>(view{f.u[next], k % 3 == 2 ? f.source : f.u[cur]}, nx, ny);
      std::swap(cur, next);
      relax<<<grid, block>>>(f.source, f.u[cur], nx, ny, k);
    }
    print("structures", {f.u[0], f.u[1], f.source});
  }
  {
    view both[2] = {{make(13), nullptr}, {make(14), nullptr}};
    both[0].from = both[1].to;
    both[1].from = both[0].to;
    int *first = both[0].to, *second = both[1].to;
#pragma gpurma persistent distribute(both[0].to, both[1].to : rows(ny, nx))
    for (int k = 0; k < 6; ++k)
      relax<<<grid, block>>>(both[k % 2].to, both[(k + 1) % 2].to, nx, ny, k);
    print("fields", {first, second});
  }
  {
    // Elements become others, and one of them is not distributed.
    int *u[2][2] = {{make(15), make(16)}, {make(17), make(18)}};
    const int *by[2] = {u[1][1], make(19)};
    int *all[4] = {u[0][0], u[0][1], u[1][0], u[1][1]};
#pragma gpurma persistent distribute(u[0][0], u[0][1], u[1][0] : rows(ny, nx))
    for (int k = 0; k < 6; ++k) {
      relax<<<grid, block>>>(u[0][k % 2], u[1][0], nx, ny, k);
      int *kept = u[0][k % 2];
      u[0][k % 2] = u[1][0];
      u[1][0] = kept;
      scale<<<grid, block>>>(u[0][1], by[k % 2], nx, ny);
    }
    print("assigned", {all[0], all[1], all[2], all[3], u[0][1]});
  }
  {
    int *u[2] = {make(20), make(21)}, *source[2] = {make(22), make(23)}, cur = 0;
#pragma gpurma persistent distribute(u : rows(ny, nx))
    {
      smooth_often(u, source, cur);
      smooth(u, source, cur, 1);
    }
    print("passed", {u[cur], u[1 - cur], source[0]});
  }
  simulation{{{make(24), make(25)}, 0}}.run(7);
}
