// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Launches for a part of the rows, whose first one the kernel is passed: inner rows and those at both ends in two and three dimensions, a
// window that moves from step to step, boxes that are structures, pairs of rows, vectors, sums, rows of components, and rows that begin before the first one.
// RUN: %gpurmacc_cpu -I%S %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 GPURMA_GHOST_ROWS=6 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=1 GPURMA_DISTRIBUTED_ARRAYS=banded %mpirun -np 3 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t quiet | diff - %t.expected
// RUN: not %t before 2>&1 | FileCheck --check-prefix=BEFORE %s
// CHECK: plane {{[1-9][0-9]*}}
// CHECK: boxes {{[1-9][0-9]*}}
// CHECK: views {{[1-9][0-9]*}}
// CHECK: cuboids {{[1-9][0-9]*}}
// CHECK: pairs {{[1-9][0-9]*}}
// CHECK: window {{[1-9][0-9]*}}
// CHECK: vector {{[1-9][0-9]*}}
// CHECK: changes {{[1-9][0-9]* [1-9][0-9]*}}
// CHECK: components {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <cstring>
#include <utility>

constexpr int Modulus = 100999;

// What a thread stores depends on its place in the launch, too.
__global__ void relax(int* out, const int* in, int first, int last, int left, int ny, int nx) {
  const int x = left + blockIdx.x * blockDim.x + threadIdx.x, y = first + blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx - 1 || y >= last)
    return;
  const int i = y * nx + x;
  out[i] = (in[i] * 3 + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + blockIdx.y * 7 + threadIdx.y) % Modulus;
}
static void relax_rows(int* out, const int* in, int first, int last, int left, int ny, int nx) {
  const dim3 block(16, 4), grid((nx + 15) / 16, (last - first + 3) / 4);
  relax<<<grid, block>>>(out, in, first, last, left, ny, nx);
}
static void plane(int ny, int nx, int border) {
  int* u = array_of_numbers<int>(ny * nx);
  int* v = array_of_numbers<int>(ny * nx);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < 9; ++t) {
    relax_rows(v, u, 1, border, 1, ny, nx);
    relax_rows(v, u, ny - border, ny - 1, 1, ny, nx);
    relax_rows(v, u, border, ny - border, border / 2, ny, nx);
    std::swap(u, v);
  }
  print_sum("plane", u, ny * nx);
}

// An inner box, and one above and below, as wave solvers with absorbing layers have them.
struct box {
  int z0, z1, y0, y1, x0, x1;
};
__global__ void inner(int* out, const int* in, int z0, int z1, int y0, int y1, int x0, int x1, int ny, int nx) {
  const int x = x0 + blockIdx.x * blockDim.x + threadIdx.x, y = y0 + blockIdx.y * blockDim.y + threadIdx.y;
  const int z = z0 + blockIdx.z * blockDim.z + threadIdx.z;
  if (x < x1 && y < y1 && z < z1) {
    const int i = (z * ny + y) * nx + x;
    int sum = in[i];
    for (int d = 1; d <= 2; ++d)
      sum += in[i - d] + in[i + d] + in[i - d * nx] + in[i + d * nx] + in[i - d * ny * nx] + in[i + d * ny * nx];
    out[i] = (out[i] + sum) % Modulus;
  }
}
__global__ void layer(int* out, const int* in, int* memory, int z0, int z1, int y0, int y1, int x0, int x1, int ny, int nx) {
  const int x = x0 + blockIdx.x * blockDim.x + threadIdx.x, y = y0 + blockIdx.y * blockDim.y + threadIdx.y;
  const int z = z0 + blockIdx.z * blockDim.z + threadIdx.z;
  if (x < x1 && y < y1 && z < z1) {
    const int i = (z * ny + y) * nx + x;
    out[i] = (in[i] + in[i - ny * nx] + in[i + ny * nx] + memory[i]) % Modulus;
    memory[i] = (memory[i] + in[i] % 7) % Modulus;
  }
}
static void boxes(int nz, int ny, int nx, int depth) {
  int* u = array_of_numbers<int>(nz * ny * nx);
  int* v = array_of_numbers<int>(nz * ny * nx);
  int* memory = array_of_numbers<int>(nz * ny * nx);
  const box above = {2, depth, 2, ny - 2, 2, nx - 2}, below = {nz - depth, nz - 2, 2, ny - 2, 2, nx - 2};
  const box middle = {depth, nz - depth, 3, ny - 2, 2, nx - 3};
  const dim3 threads(16, 2, 2);
  const dim3 all((nx + 15) / 16, (ny + 1) / 2, (depth + 1) / 2), most(all.x, all.y, (nz - 2 * depth + 1) / 2);
#pragma gpurma persistent distribute(u, v, memory : rows(nz, ny, nx))
  for (int t = 0; t < 6; ++t) {
    inner<<<most, threads>>>(v, u, middle.z0, middle.z1, middle.y0, middle.y1, middle.x0, middle.x1, ny, nx);
    layer<<<all, threads>>>(v, u, memory, above.z0, above.z1, above.y0, above.y1, above.x0, above.x1, ny, nx);
    layer<<<all, threads>>>(v, u, memory, below.z0, below.z1, below.y0, below.y1, below.x0, below.x1, ny, nx);
    std::swap(u, v);
  }
  print_sum("boxes", u, nz * ny * nx);
}

// A part that the structure with the array knows.
struct part_view {
  __host__ __device__ part_view(int* p, int ny, int nx, int first, int last) : p(p), ny(ny), nx(nx), first(first), last(last) {}
  __device__ int& operator()(int y, int x) const { return p[y * nx + x]; }
  int *p, ny, nx, first, last;
};
__global__ void in_part(part_view out, part_view in) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = out.first + blockIdx.y * blockDim.y + threadIdx.y;
  if (x < out.nx && y > 0 && y < out.last && y < out.ny - 1)
    out(y, x) = (in(y - 1, x) + 3 * in(y + 1, x) + 1) % Modulus;
}
static void views(int ny, int nx) {
  int* u = array_of_numbers<int>(ny * nx);
  int* v = array_of_numbers<int>(ny * nx);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < 6; ++t) {
    in_part<<<dim3((nx + 15) / 16, 6), dim3(16, 4)>>>(part_view(v, ny, nx, 3 * t, 3 * t + 22), part_view(u, ny, nx, 7, 9));
    std::swap(u, v);
  }
  print_sum("views", u, ny * nx);
}

// The same by one structure, which is computed anew for each step.
struct point {
  int x, y, z;
};
struct cuboid {
  point low, high;
};
__global__ void diffuse(cuboid part, int* out, const int* in, int weight, int ny, int nx) {
  const int x = part.low.x + blockIdx.x * blockDim.x + threadIdx.x, y = part.low.y + blockIdx.y * blockDim.y + threadIdx.y;
  const int z = part.low.z + blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= part.high.x || y >= part.high.y || z >= part.high.z)
    return;
  const int i = (z * ny + y) * nx + x;
  out[i] = (in[i] * weight + in[i - ny * nx] + in[i + ny * nx] + in[i - nx] + in[i + nx] + blockIdx.z) % Modulus;
}
static void cuboids(int nz, int ny, int nx) {
  int* u = array_of_numbers<int>(nz * ny * nx);
  int* v = array_of_numbers<int>(nz * ny * nx);
  const dim3 threads(16, 2, 2);
#pragma gpurma persistent distribute(u, v : rows(nz, ny, nx))
  for (int t = 0; t < 7; ++t) {
    cuboid part = {{0, 1, 1}, {nx, ny - 1, nz / 3 + t}};
    diffuse<<<dim3((nx + 15) / 16, (ny + 1) / 2, (part.high.z - part.low.z + 1) / 2), threads>>>(part, v, u, 3, ny, nx);
    part.low.z = part.high.z;
    part.high.z = nz - 1;
    diffuse<<<dim3((nx + 15) / 16, (ny + 1) / 2, (part.high.z - part.low.z + 1) / 2), threads>>>(part, v, u, 5, ny, nx);
    std::swap(u, v);
  }
  print_sum("cuboids", u, nz * ny * nx);
}

// In pairs of rows.
__global__ void scale_pairs(int* u, int pair, int pairs, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = 2 * pair + blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < 2 * (pair + pairs) && y < ny)
    u[y * nx + x] = (u[y * nx + x] * 3 + blockIdx.y) % Modulus;
}
static void pairs_of_rows(int ny, int nx) {
  int* u = array_of_numbers<int>(ny * nx);
  const dim3 block(16, 4), grid((nx + 15) / 16, 2);
#pragma gpurma persistent distribute(u : rows(ny, nx))
  for (int t = 0; t < 30; ++t)
    scale_pairs<<<grid, block>>>(u, t % 17, 4, ny, nx);
  print_sum("pairs", u, ny * nx);
}

// The rows move, and nothing else is known of the first one.
static void window(int ny, int nx, int height) {
  int* u = array_of_numbers<int>(ny * nx);
  int* v = array_of_numbers<int>(ny * nx);
  const dim3 block(16, 4), grid((nx + 15) / 16, (height + 3) / 4);
  int first = 1;
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < 8; ++t) {
    relax<<<grid, block>>>(v, u, first, first + height, 1, ny, nx);
    relax<<<grid, block>>>(u, v, first, first + height, 1, ny, nx);
    first += 5;
  }
  print_sum("window", u, ny * nx);
}

__global__ void smooth(int* out, const int* in, int begin, int end) {
  const int i = begin + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < end)
    out[i] = (in[i - 1] + 5 * in[i] + in[i + 1]) % Modulus;
}
static void vector(int n, int begin, int end) {
  int* u = array_of_numbers<int>(n);
  int* v = array_of_numbers<int>(n);
#pragma gpurma persistent distribute(u, v : rows(n))
  for (int t = 0; t < 9; ++t) {
    smooth<<<(end - begin + 31) / 32, 32>>>(v, u, begin, end);
    std::swap(u, v);
  }
  print_sum("vector", u, n);
}

__global__ void count_changes(int* u, int* changed, int first, int last, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = first + blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < last) {
    const int next = u[y * nx + x] * 5 % 97;
    if (next != u[y * nx + x])
      atomicAdd(changed, 1);
    u[y * nx + x] = next;
  }
}
static void changes(int ny, int nx, int first, int last) {
  int* u = array_of_numbers<int>(ny * nx);
  int* changed = device_array<int>(1, [](std::size_t) { return 0; });
  int total = 0, now = 0;
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *changed)
  for (int t = 0; t < 5; ++t) {
    CHECK(cudaMemset(changed, 0, sizeof(int)));
    count_changes<<<dim3((nx + 15) / 16, (last - first + 3) / 4), dim3(16, 4)>>>(u, changed, first, last, nx);
    CHECK(cudaMemcpy(&now, changed, sizeof now, cudaMemcpyDeviceToHost));
    total += now;
  }
  const long long sum = ordered_sum(u, ny * nx);
  if (is_first_process())
    std::printf("changes %d %lld\n", total, sum);
}

static void before(int ny, int nx, int first) {
  int* u = array_of_numbers<int>(ny * nx);
  int* v = array_of_numbers<int>(ny * nx);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < 2; ++t) {
    // BEFORE: error: {{.*}}region_parts_of_rows.cu:[[@LINE+1]] on rank {{[0-9]+}}: the launch's rows begin at -3, before the first one, 0; launch it from 0 on, and let threads outside of the part return
    relax<<<dim3((nx + 15) / 16, 4), dim3(16, 4)>>>(v, u, first, 8, 1, ny, nx);
    std::swap(u, v);
  }
}

// Stores into both components.
__global__ void couple(int* f, const int* g, int first, int last, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = first + blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < last && y < ny - 1 && y > 0) {
    f[y * nx + x] = (g[(y + 1) * nx + x] + g[(ny + y) * nx + x]) % Modulus;
    f[(ny + y) * nx + x] = (g[y * nx + x] + g[(ny + y - 1) * nx + x]) % Modulus;
  }
}
static void components(int ny, int nx, int first, int last) {
  int* f = array_of_numbers<int>(2 * ny * nx);
  int* g = array_of_numbers<int>(2 * ny * nx);
#pragma gpurma persistent distribute(f, g : components(2), rows(ny, nx))
  for (int t = 0; t < 5; ++t) {
    couple<<<dim3((nx + 15) / 16, (last - first + 3) / 4), dim3(16, 4)>>>(f, g, first, last, ny, nx);
    std::swap(f, g);
  }
  print_sum("components", f, 2 * ny * nx);
}

int main(int argc, char** argv) {
  const int many = argc > 5 ? 2 : 1; // which compilers do not know
  if (argc > 1 && std::strcmp(argv[1], "before") == 0) {
    before(61, 45, -3 * many);
    return 0;
  }
  plane(61 * many, 45, 13 * many);
  boxes(37, 11, 29, 11 * many);
  views(61 * many, 45);
  cuboids(37 * many, 11, 29);
  pairs_of_rows(33 * many, 45);
  window(67, 45, 18 * many);
  vector(1203, 301 * many, 1111 * many);
  changes(53, 33, 19 * many, 47 * many);
  components(41, 23, 9 * many, 33 * many);
}
