// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Structures that programs know by pointers only: in clauses, in the region, in functions that it calls, in conditions; parameters, local
// and global pointers, to constants, and to a structure with another one. Reduced scalars and
// collected arrays that are members of structures.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 GPURMA_GHOST_ROWS=8 %mpirun -np 3 %t | diff - %t.expected
// CHECK: parameter {{[1-9][0-9]*}} steps 7 largest {{[1-9][0-9]*}}
// CHECK: global {{[1-9][0-9]*}} steps 11
// CHECK: local {{[1-9][0-9]*}} 14 {{[1-9][0-9]*}}
// CHECK: member {{[1-9][0-9]*}} largest {{[1-9][0-9]*}} again {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <utility>

struct settings {
  int most_steps, every, weight;
};
struct size {
  int x, y;
};
typedef struct chunk {
  int *u, *v, *largest, *trace;
  size cells;
  int steps;
} chunk;

__global__ void relax(int *out, const int *in, int *largest, int ny, int nx, int weight) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y < 1 || y >= ny - 1)
    return;
  const int value = (weight * in[y * nx + x] + in[(y - 1) * nx + x] + in[(y + 1) * nx + x]) % 1009;
  out[y * nx + x] = value;
  atomicMax(largest, value);
}

__global__ void record(int *trace, const int *u, int nx) { trace[0] = u[17 * nx + 3]; }

static void step(chunk *c, const settings *s) {
  const dim3 block(16, 4), grid((c->cells.x + 15) / 16, (c->cells.y + 3) / 4);
  relax<<<grid, block>>>(c->v, c->u, c->largest, c->cells.y, c->cells.x, s->weight);
  int *const last = c->u;
  c->u = c->v;
  c->v = last;
  c->steps++;
}
static void two_steps(chunk *c, const settings *s) {
  step(c, s);
  step(c, s);
}

static chunk *make(int ny, int nx) {
  chunk *c = new chunk{nullptr, nullptr, nullptr, nullptr, {nx, ny}, 0};
  int start[64 * 64];
  for (int i = 0; i < ny * nx; ++i)
    start[i] = i * 37 % 101;
  for (int **each : {&c->u, &c->v}) {
    cudaMalloc(each, ny * nx * sizeof **each);
    cudaMemcpy(*each, start, ny * nx * sizeof **each, cudaMemcpyHostToDevice);
  }
  cudaMalloc(&c->trace, 8 * sizeof *c->trace);
  cudaMemset(c->trace, 0, 8 * sizeof *c->trace);
  cudaMallocManaged(&c->largest, sizeof *c->largest);
  *c->largest = 0;
  return c;
}
static void destroy(chunk *c) {
  cudaFree(c->u);
  cudaFree(c->v);
  cudaFree(c->largest);
  cudaFree(c->trace);
  delete c;
}

static void advance(chunk *const c, const settings *s) {
#pragma gpurma persistent distribute(c->u, c->v : rows(c->cells.y, c->cells.x)) reduce(max : *c->largest)
  for (int i = 0; i < s->most_steps; ++i) {
    relax<<<dim3((c->cells.x + 15) / 16, (c->cells.y + 3) / 4), dim3(16, 4)>>>(c->v, c->u, c->largest, c->cells.y, c->cells.x, s->weight + i);
    std::swap(c->u, c->v);
    c->steps += 1;
    if (c->steps % s->every == 0)
      ++c->steps;
  }
}

static chunk *current;
static void advance_global(const settings *s) {
#pragma gpurma persistent distribute(current->u, current->v : rows(current->cells.y, current->cells.x)) reduce(max : current->largest[0])
  while (current->steps < s->most_steps) {
    if (current->steps + 2 <= s->most_steps)
      two_steps(current, s);
    else
      step(current, s);
  }
}

// Of a member of the object, and of a variable.
struct solver {
  chunk c;
  void run(int steps) {
#pragma gpurma persistent distribute(c.u, c.v : rows(c.cells.y, c.cells.x)) reduce(max : *c.largest)
    for (int i = 0; i < steps; ++i) {
      *c.largest = i;
      relax<<<dim3(2, 9), dim3(16, 4)>>>(c.v, c.u, c.largest, c.cells.y, c.cells.x, 1);
      std::swap(c.u, c.v);
      cudaDeviceSynchronize();
    }
  }
};
static int run_copy(chunk c, const settings &s) {
  int found = 0, all = 0;
#pragma gpurma persistent distribute(c.u, c.v : rows(c.cells.y, c.cells.x)) reduce(max : *c.largest)
  for (int i = 0; i < 3; ++i) {
    cudaMemset(c.largest, 0, sizeof *c.largest);
    step(&c, &s);
    cudaMemcpy(&found, c.largest, sizeof found, cudaMemcpyDeviceToHost);
    all += found;
  }
  return all;
}

int main() {
  const settings s{6, 5, 3};
  const settings other{11, 100, 2};
  chunk *c = make(61, 45);
  advance(c, &s);
  int largest;
  cudaMemcpy(&largest, c->largest, sizeof largest, cudaMemcpyDeviceToHost);
  if (is_first_process())
    std::printf("parameter %lld steps %d largest %d\n", ordered_sum(c->u, 61 * 45), c->steps, largest);
  destroy(c);

  current = make(61, 45);
  advance_global(&other);
  if (is_first_process())
    std::printf("global %lld steps %d\n", ordered_sum(current->u, 61 * 45), current->steps);
  destroy(current);

  chunk *const local = make(33, 20);
  struct {
    int count;
  } counts = {0}, *counted = &counts;
#pragma gpurma persistent distribute(local->u, (*local).v : rows(local->cells.y, local->cells.x)) reduce(max : *(*local).largest) collect(local->trace : 8)
  for (int i = 0; i < 4; ++i) {
    relax<<<dim3(2, 9), dim3(16, 4)>>>(local->v, local->u, local->largest, local->cells.y, local->cells.x, 1);
    std::swap((*local).u, local->v);
    record<<<1, 1>>>(local->trace + i, local->u, local->cells.x);
    counted->count += 1;
    cudaDeviceSynchronize();
    if (*local->largest > 200 && i == 1)
      counted->count += 10;
  }
  if (is_first_process())
    std::printf("local %lld %d %lld\n", ordered_sum(local->u, 33 * 20), counts.count, ordered_sum(local->trace, 8));

  solver of{*local};
  of.run(4);
  cudaDeviceSynchronize();
  const int most = *local->largest, all = run_copy(*local, s);
  if (is_first_process())
    std::printf("member %lld largest %d again %d\n", ordered_sum(of.c.u, 33 * 20), most, all);
  destroy(local);
}
