// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Sizes that reach kernels by variables of the region and of functions that it calls, which are no constants: with an initial value, with
// one that the block assigns, from structures that are filled in by functions before the region, and as what a function of one returns;
// extents that a function computes from these in variables, as the kernel does; members of what references and `this` lead to, and global
// variables; constants at file scope, also as the size of blocks, which may get its members one by one, or have them from objects whose
// constructors always give them the same; and parameters, as constants that kernels have in place of them, which the only call passes; and
// sizes that change before the extents are made of them.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// PLAN-COUNT-3: stage step: rows y; writes out (x 1..1, y 1..1), published (y 0..2); reads in (x 0..2, y 0..2)
// PLAN: stage rotate: rows z; writes out (x 1..1, y 1..1, z 1..1), {{.*}}reads in (x 1..1, y 1..1, z 0..2)
// PLAN: stage add: rows z in one dimension; reads psi (own)
// CHECK: initial {{[1-9]}}
// CHECK: assigned {{[1-9]}}
// CHECK: fields {{[1-9]}}
// PLAN-COUNT-3: stage step_padded: rows y; writes out (x 1..1, y 1..1), published (y 0..2); reads in (x 0..2, y 0..2)
// CHECK: size {{[1-9]}}
// CHECK: padded {{[1-9]}}
// CHECK: padded numbers {{[1-9]}}
// CHECK: given {{[1-9]}}
// PLAN-COUNT-6: stage step: rows y; writes out (x 1..1, y 1..1), published (y 0..2); reads in (x 0..2, y 0..2)
// CHECK: reference {{[1-9]}}
// CHECK: in function {{[1-9]}}
// CHECK: object {{[1-9]}}
// CHECK: global {{[1-9]}}
// CHECK: with host {{[1-9]}}
// CHECK: inner {{[1-9]}}
// PLAN-COUNT-2: stage step_in_tiles: rows y; writes out (x 1..1, y 1..1), published (y 0..2); reads in (x 0..2, y 0..2)
// CHECK: blocks {{[1-9]}}
// CHECK: blocks by members {{[1-9]}}
// CHECK: members in the region {{[1-9]}}
// PLAN: stage step_in_tiles: rows y; writes out (x 1..1, y 1..1), published (y 0..2); reads in (x 0..2, y 0..2)
// CHECK: blocks of objects {{[1-9]}}
// PLAN: stage step_in_squares: rows y; writes out (x 1..1, y 1..1), published (y 0..2); reads in (x 0..2, y 0..2)
// CHECK: passed {{[1-9]}}
// CHECK: vectors {{[1-9]}}
#include "Inputs/region.h"

#include <cuComplex.h>
#include <utility>

__global__ void step(unsigned *out, const unsigned *in, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x < nx - 1 && y < ny - 1)
    out[y * nx + x] = (in[y * nx + x - 1] + 3 * in[y * nx + x + 1] + 5 * in[(y - 1) * nx + x] + 7 * in[(y + 1) * nx + x]) % 100999;
}

struct field {
  int nx, ny;
  unsigned *values;
};
static void make(field *f, int nx, int ny) {
  f->nx = nx;
  f->ny = ny;
  f->values = array_of_numbers<unsigned>(nx * ny);
}
static void advance(field *next, field *now) {
  int nx, ny, width = 16;
  nx = now->nx;
  ny = now->ny;
  dim3 block(width, 4), grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y);
  step<<<grid, block>>>(next->values, now->values, nx, ny);
}
static void exchange(field *pointer, field *b) {
  field &a = *pointer;
  unsigned *values = a.values;
  a.values = b->values;
  b->values = values;
}

static void with_initial_values(unsigned *u, unsigned *next, int width, int height) {
#pragma gpurma persistent distribute(u, next : rows(height, width))
  for (int k = 0; k < 5; ++k) {
    int nx = width, ny = height;
    step<<<dim3((nx + 7) / 8, (ny + 3) / 4), dim3(8, 4)>>>(next, u, nx, ny);
    std::swap(u, next);
  }
  print_sum("initial", u, width * height);
}
static void with_assignments(unsigned *u, unsigned *next, int width, int height) {
#pragma gpurma persistent distribute(u, next : rows(height, width))
  for (int k = 0; k < 5; ++k) {
    int nx, ny;
    if (k == 3)
      continue;
    ny = height;
    nx = width;
    step<<<dim3((nx + 7) / 8, (ny + 3) / 4), dim3(8, 4)>>>(next, u, nx, ny);
    std::swap(u, next);
  }
  print_sum("assigned", u, width * height);
}
static void with_fields() {
  field now, next;
  make(&now, 37, 50);
  make(&next, 37, 50);
#pragma gpurma persistent distribute(now.values, next.values : rows(now.ny, now.nx))
  for (int k = 0; k < 5; ++k) {
    advance(&next, &now);
    exchange(&next, &now);
  }
  print_sum("fields", now.values, now.nx * now.ny);
}

struct box {
  int nx, ny, nz;
  __host__ __device__ int plane() const { return nx * ny; }
  __host__ __device__ int size() const { return plane() * nz; }
  __device__ int at(int x, int y, int z) const { return x + nx * (y + ny * z); }
};
__global__ void rotate(cuDoubleComplex *out, const cuDoubleComplex *in, box of) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1, z = blockIdx.z + 1;
  if (x < of.nx - 1 && y < of.ny - 1 && z < of.nz - 1)
    out[of.at(x, y, z)] = cuCmul(cuCadd(in[of.at(x, y, z - 1)], in[of.at(x, y, z + 1)]), make_cuDoubleComplex(0, 0.5));
}
__global__ void add(const cuDoubleComplex *psi, double *sum, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(sum, cuCreal(psi[i]) + 3 * cuCimag(psi[i]));
}
static void with_size(box of) {
  const int n = of.size();
  const auto number = [](std::size_t i) { return make_cuDoubleComplex(static_cast<double>(i % 64), static_cast<double>(i % 48)); };
  cuDoubleComplex *in = device_array<cuDoubleComplex>(n, number), *out = device_array<cuDoubleComplex>(n, number);
  double *sum = device_array<double>(1, [](std::size_t) { return 0; }), found = 0;
  const dim3 block(8, 4), grid((of.nx + 7) / 8, (of.ny + 3) / 4, of.nz - 2);
#pragma gpurma persistent distribute(in, out : rows(of.nz, of.ny, of.nx)) reduce(+ : *sum)
  for (int k = 0; k < 4; ++k) {
    rotate<<<grid, block>>>(out, in, of);
    add<<<16, 64>>>(out, sum, n);
    std::swap(in, out);
  }
  CHECK(cudaMemcpy(&found, sum, sizeof found, cudaMemcpyDeviceToHost));
  if (is_first_process())
    std::printf("size %.1f\n", found);
}

// `step` within a margin of `pad` elements on each side.
__global__ void step_padded(unsigned *out, const unsigned *in, int nx, int ny, int pad) {
  const int width = nx + 2 * pad;
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x < width - 1 && y < ny + 2 * pad - 1)
    out[y * width + x] = (in[y * width + x - 1] + 3 * in[y * width + x + 1] + 5 * in[(y - 1) * width + x] + 7 * in[(y + 1) * width + x]) % 100999;
}
static void with_padding(int nx, int ny, int pad) {
  int width = nx + 2 * pad, height = ny + 2 * pad, size = width * height;
  unsigned *u = array_of_numbers<unsigned>(size), *next = array_of_numbers<unsigned>(size);
#pragma gpurma persistent distribute(u, next : rows(height, width))
  for (int k = 0; k < 5; ++k) {
    step_padded<<<dim3((width + 7) / 8, (height + 3) / 4), dim3(8, 4)>>>(next, u, nx, ny, pad);
    std::swap(u, next);
  }
  print_sum("padded", u, size);
}
static void with_padding_of_numbers() {
  int nx = 33, ny = 37, pad = 2;
  int width = nx + 2 * pad, height = ny + 2 * pad;
  unsigned *u = array_of_numbers<unsigned>(width * height), *next = array_of_numbers<unsigned>(width * height);
#pragma gpurma persistent distribute(u, next : rows(height, width))
  for (int k = 0; k < 5; ++k) {
    step_padded<<<dim3((width + 7) / 8, (height + 3) / 4), dim3(8, 4)>>>(next, u, nx, ny, pad);
    std::swap(u, next);
  }
  print_sum("padded numbers", u, width * height);
}

// As from the command line.
static void with_given_numbers(int given) {
  int nx = 33, ny = 37, pad = 1;
  if (given > 30) {
    nx = given;
    ny += nx;
  }
  ++pad;
  const int width = nx + 2 * pad, height = ny + 2 * pad;
  unsigned *u = array_of_numbers<unsigned>(width * height), *next = array_of_numbers<unsigned>(width * height);
#pragma gpurma persistent distribute(u, next : rows(height, width))
  for (int k = 0; k < 5; ++k) {
    step_padded<<<dim3((width + 7) / 8, (height + 3) / 4), dim3(8, 4)>>>(next, u, nx, ny, pad);
    std::swap(u, next);
  }
  print_sum("given", u, width * height);
}

static void advance_by_references(field *pointer, field *other) {
  auto &now = *pointer;
  field &next = *other;
  int nx = now.nx, ny = now.ny;
  step<<<dim3((nx + 7) / 8, (ny + 3) / 4), dim3(8, 4)>>>(next.values, now.values, nx, ny);
  std::swap(now.values, next.values);
}
static void in_function(field *pointer, field *other) {
  field &now = *pointer, &next = *other;
#pragma gpurma persistent distribute(now.values, next.values : rows(now.ny, now.nx))
  for (int k = 0; k < 5; ++k)
    advance_by_references(&now, &next);
  print_sum("in function", now.values, now.nx * now.ny);
}
static void with_reference(field *pointer, field *other) {
  auto &now = *pointer;
  field &next = *other;
#pragma gpurma persistent distribute(now.values, next.values : rows(now.ny, now.nx))
  for (int k = 0; k < 5; ++k) {
    int nx = now.nx, ny = now.ny;
    step<<<dim3((nx + 7) / 8, (ny + 3) / 4), dim3(8, 4)>>>(next.values, now.values, nx, ny);
    std::swap(now.values, next.values);
  }
  print_sum("reference", now.values, now.nx * now.ny);
}
struct solver {
  int nx_, ny_;
  unsigned *now, *next;
  void advance() {
    const int nx = nx_, ny = ny_;
    step<<<dim3((nx + 7) / 8, (ny + 3) / 4), dim3(8, 4)>>>(next, now, nx, ny);
    std::swap(now, next);
  }
  void run() {
#pragma gpurma persistent distribute(now, next : rows(ny_, nx_))
    for (int k = 0; k < 5; ++k)
      advance();
  }
};
static int global_nx, global_ny;
static void with_global(unsigned *u, unsigned *next) {
#pragma gpurma persistent distribute(u, next : rows(global_ny, global_nx))
  for (int k = 0; k < 5; ++k) {
    const int nx = global_nx, ny = global_ny;
    step<<<dim3((nx + 7) / 8, (ny + 3) / 4), dim3(8, 4)>>>(next, u, nx, ny);
    std::swap(u, next);
  }
  print_sum("global", u, global_nx * global_ny);
}
static void with_host(field &now, field &next) {
  int steps = 0;
#pragma gpurma persistent distribute(now.values, next.values : rows(now.ny, now.nx))
  for (int k = 0; k < 5; ++k) {
    int nx = now.nx, ny = now.ny;
    step<<<dim3((nx + 7) / 8, (ny + 3) / 4), dim3(8, 4)>>>(next.values, now.values, nx, ny);
    std::swap(now.values, next.values);
#pragma gpurma host
    ++steps;
  }
  print_sum(steps == 5 ? "with host" : "too few", now.values, now.nx * now.ny);
}

const int halo = 1;
constexpr int rows_per_step = 2;
static void with_constants(unsigned *u, unsigned *next, int nx, int ny) {
#pragma gpurma persistent distribute(u, next : rows(ny, nx))
  for (int k = 0; k < 5; ++k) {
    int inner_nx = nx - 2 * halo, inner_ny = ny - rows_per_step;
    step<<<dim3((nx + 7) / 8, (ny + 3) / 4), dim3(8, 4)>>>(next, u, inner_nx + 2 * halo, inner_ny + rows_per_step);
    std::swap(u, next);
  }
  print_sum("inner", u, nx * ny);
}

const dim3 tile(16, 4);
__global__ void step_in_tiles(unsigned *out, const unsigned *in, int nx, int ny) {
  const int x = blockIdx.x * 16 + threadIdx.x + 1, y = blockIdx.y * 4 + threadIdx.y + 1;
  if (x < nx - 1 && y < ny - 1)
    out[y * nx + x] = (in[y * nx + x - 1] + 3 * in[y * nx + x + 1] + 5 * in[(y - 1) * nx + x] + 7 * in[(y + 1) * nx + x]) % 100999;
}
static void with_constant_block(unsigned *u, unsigned *next, int nx, int ny) {
#pragma gpurma persistent distribute(u, next : rows(ny, nx))
  for (int k = 0; k < 5; ++k) {
    step_in_tiles<<<dim3((nx + 15) / 16, (ny + 3) / 4), tile>>>(next, u, nx, ny);
    std::swap(u, next);
  }
  print_sum("blocks", u, nx * ny);
}
static void with_members_of_block(unsigned *u, unsigned *next, int nx, int ny) {
  dim3 threads(8), blocks;
  threads.x = 16;
  threads.y = 4;
  blocks.x = (nx + 15) / 16;
  blocks.y = (ny + 3) / 4;
#pragma gpurma persistent distribute(u, next : rows(ny, nx))
  for (int k = 0; k < 5; ++k) {
    step_in_tiles<<<blocks, threads>>>(next, u, nx, ny);
    std::swap(u, next);
  }
  print_sum("blocks by members", u, nx * ny);
}
// The same in a function that the region calls, and in the region.
static void step_by_members(unsigned *next, const unsigned *u, int nx, int ny) {
  dim3 threads, blocks;
  threads.x = 16;
  threads.y = 4;
  threads.z = blocks.z = 1;
  blocks.x = (nx + threads.x - 1) / threads.x;
  blocks.y = (ny + threads.y - 1) / threads.y;
  step_in_tiles<<<blocks, threads>>>(next, u, nx, ny);
}
static void with_members_in_region(unsigned *u, unsigned *next, int nx, int ny) {
#pragma gpurma persistent distribute(u, next : rows(ny, nx))
  for (int k = 0; k < 4; ++k) {
    step_by_members(next, u, nx, ny);
    dim3 threads(1, 4);
    threads.x = 16;
    step_in_tiles<<<dim3((nx + 15) / 16, (ny + 3) / 4), threads>>>(u, next, nx, ny);
  }
  print_sum("members in the region", u, nx * ny);
}

template <int N> struct range {
  int first, last, blocks, threads;
  __host__ __device__ range(int first, int last) : first(first), last(last), threads(N) { blocks = (last - first + N - 1) / N; }
};
static void advance_in_ranges(unsigned *out, const unsigned *in, int nx, int ny) {
  int first = 0;
  if (nx > ny)
    first = 1;
  range<16> x(first, nx);
  range<4> y(0, ny);
  dim3 threads(x.threads, y.threads), blocks(x.blocks, y.blocks);
  step_in_tiles<<<blocks, threads>>>(out, in, nx, ny);
}
static void with_block_of_objects(unsigned *u, unsigned *next, int nx, int ny) {
#pragma gpurma persistent distribute(u, next : rows(ny, nx))
  for (int k = 0; k < 5; ++k) {
    advance_in_ranges(next, u, nx, ny);
    std::swap(u, next);
  }
  print_sum("blocks of objects", u, nx * ny);
}

#define SIZE 45
__global__ void step_in_squares(unsigned *out, const unsigned *in, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x < n - 1 && y < n - 1)
    out[y * SIZE + x] = (in[y * SIZE + x - 1] + 3 * in[y * SIZE + x + 1] + 5 * in[(y - 1) * SIZE + x] + 7 * in[(y + 1) * SIZE + x]) % 100999;
}
void with_passed_number(unsigned *u, unsigned *next, int n) {
#pragma gpurma persistent distribute(u, next : rows(n, n))
  for (int k = 0; k < 5; ++k) {
    step_in_squares<<<dim3((n + 7) / 8, (n + 3) / 4), dim3(8, 4)>>>(next, u, n);
    std::swap(u, next);
  }
  print_sum("passed", u, n * n);
}

// Extents as vectors, which launches make or have made.
template <class Size> __global__ void step_in_size(unsigned *out, const unsigned *in, Size n) {
  const int nx = n.x, ny = n.y;
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x < nx - 1 && y < ny - 1)
    out[y * nx + x] = (in[y * nx + x - 1] + 3 * in[y * nx + x + 1] + 5 * in[(y - 1) * nx + x] + 7 * in[(y + 1) * nx + x]) % 100999;
}
void with_vectors(unsigned *u, unsigned *next, int nx, int ny) {
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4), size(nx, ny);
#pragma gpurma persistent distribute(u, next : rows(ny, nx))
  for (int k = 0; k < 5; ++k) {
    step_in_size<<<grid, block>>>(next, u, make_int2(nx, ny));
    step_in_size<<<grid, block>>>(u, next, dim3(nx, ny));
    step_in_size<<<grid, block>>>(next, u, size);
    step_in_size<<<grid, block>>>(u, next, int3{nx, ny, 1});
  }
  print_sum("vectors", u, nx * ny);
}

int main(int argc, char **) {
  with_initial_values(array_of_numbers<unsigned>(29 * 41), array_of_numbers<unsigned>(29 * 41), 29, 41);
  with_assignments(array_of_numbers<unsigned>(29 * 41), array_of_numbers<unsigned>(29 * 41), 29, 41);
  with_fields();
  with_size({21, 13, 30});
  with_padding(33, 37, 2);
  with_padding_of_numbers();
  with_given_numbers(argc > 0 ? 35 : 0);
  field now, next;
  make(&now, 37, 50);
  make(&next, 37, 50);
  with_reference(&now, &next);
  in_function(&now, &next);
  solver s{37, 50, now.values, next.values};
  s.run();
  print_sum("object", s.now, 37 * 50);
  global_nx = 37;
  global_ny = 50;
  with_global(s.now, s.next);
  with_host(now, next);
  with_constants(array_of_numbers<unsigned>(29 * 41), array_of_numbers<unsigned>(29 * 41), 29, 41);
  with_constant_block(array_of_numbers<unsigned>(29 * 41), array_of_numbers<unsigned>(29 * 41), 29, 41);
  const int size = SIZE;
  with_members_of_block(array_of_numbers<unsigned>(29 * 41), array_of_numbers<unsigned>(29 * 41), 29, 41);
  with_members_in_region(array_of_numbers<unsigned>(29 * 41), array_of_numbers<unsigned>(29 * 41), 29, 41);
  with_block_of_objects(array_of_numbers<unsigned>(29 * 41), array_of_numbers<unsigned>(29 * 41), 29, 41);
  with_passed_number(array_of_numbers<unsigned>(size * size), array_of_numbers<unsigned>(size * size), size);
  with_vectors(array_of_numbers<unsigned>(29 * 41), array_of_numbers<unsigned>(29 * 41), 29, 41);
}
