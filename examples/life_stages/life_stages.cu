// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conway's Game of Life, a byte for each cell, tile by tile in shared memory. The world ends at its
// edges. The pragma makes one persistent kernel of all generations, which ends early if nothing
// lives any more.
//
//   mpirun -np 4 life_stages --nx 1000 --ny 1000 --steps 100
#include "../common/device_array.h"
#include "../common/options.h"

#include <utility>

constexpr int tile_width = 16;
constexpr int tile_height = 8;
using cell = unsigned char;

__host__ __device__ inline cell next_state(cell now, int neighbours) {
  return neighbours == 3 || (now != 0 && neighbours == 2);
}

__global__ void generation(cell* next, const cell* now, int* living, int ny, int nx) {
  __shared__ cell tile[tile_height + 2][tile_width + 2];
  __shared__ int alive;
  const int x0 = blockIdx.x * tile_width - 1, y0 = blockIdx.y * tile_height - 1;
  for (int i = threadIdx.y * tile_width + threadIdx.x; i < (tile_height + 2) * (tile_width + 2);
       i += tile_width * tile_height) {
    const int x = x0 + i % (tile_width + 2), y = y0 + i / (tile_width + 2);
    tile[i / (tile_width + 2)][i % (tile_width + 2)] =
        x >= 0 && x < nx && y >= 0 && y < ny ? now[y * nx + x] : 0;
  }
  if (threadIdx.x == 0 && threadIdx.y == 0)
    alive = 0;
  __syncthreads();
  const int x = blockIdx.x * tile_width + threadIdx.x;
  const int y = blockIdx.y * tile_height + threadIdx.y;
  if (x < nx && y < ny) {
    int neighbours = 0;
    for (int dy = 0; dy < 3; ++dy)
      for (int dx = 0; dx < 3; ++dx)
        if (dx != 1 || dy != 1)
          neighbours += tile[threadIdx.y + dy][threadIdx.x + dx];
    const cell state = next_state(tile[threadIdx.y + 1][threadIdx.x + 1], neighbours);
    next[y * nx + x] = state;
    if (state != 0)
      atomicAdd(&alive, 1);
  }
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0)
    atomicAdd(living, alive);
}

int main(int argc, char** argv) {
  int nx = 100, ny = 90, steps = 60;
  options given;
  given.number("nx", nx, 1);
  given.number("ny", ny, 1);
  given.number("steps", steps, 1);
  given.parse(argc, argv);

  std::vector<cell> world(static_cast<std::size_t>(nx) * ny);
  unsigned seed = 12345;
  for (cell& c : world) {
    seed = seed * 1664525u + 1013904223u;
    c = seed >> 30 == 0;
  }
  cell *now = to_device(world), *next = to_device(world);
  int* living = nullptr;
  CHECK(cudaMalloc(&living, sizeof(int)));

  const dim3 block(tile_width, tile_height);
  const dim3 grid((nx + tile_width - 1) / tile_width, (ny + tile_height - 1) / tile_height);
  int alive = 1, step = 0;
#pragma gpurma persistent distribute(now, next : rows(ny, nx)) reduce(+ : *living)
  while (step < steps) {
    CHECK(cudaMemsetAsync(living, 0, sizeof(int)));
    generation<<<grid, block>>>(next, now, living, ny, nx);
    CHECK(cudaMemcpyAsync(&alive, living, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaStreamSynchronize(nullptr));
    std::swap(now, next);
    ++step;
    if (alive == 0)
      break;
  }

  std::vector<cell> expected = world;
  int expected_alive = 1, expected_step = 0;
  while (expected_step < steps && expected_alive != 0) {
    expected_alive = 0;
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        int neighbours = 0;
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx)
            if ((dx != 0 || dy != 0) && x + dx >= 0 && x + dx < nx && y + dy >= 0 && y + dy < ny)
              neighbours += world[(y + dy) * nx + x + dx];
        expected[y * nx + x] = next_state(world[y * nx + x], neighbours);
        expected_alive += expected[y * nx + x];
      }
    world.swap(expected);
    ++expected_step;
  }
  double error = largest_error(now, world);
  if (alive != expected_alive || step != expected_step)
    error = HUGE_VAL;
  CHECK(cudaFree(now));
  CHECK(cudaFree(next));
  CHECK(cudaFree(living));
  return report("life_stages", step, error, 0);
}
