// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --gpurma-check finds reads of distributed arrays that are further away than a clause says, which no compiler can see: of rows, by a function,
// by __ldg, of a whole element. A clause says nothing of columns: those that data choose may be any.
// RUN: %gpurmacc_cpu --gpurma-check %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu --gpurma-check -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 not %t 0 3 1 2>&1 | FileCheck --check-prefix=ROW %s
// RUN: %t.elided 0 1 20 > %t.columns
// RUN: env GPURMA_CPU_RANKS=7 %t 0 1 20 | diff - %t.columns
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t 0 1 20 | diff - %t.columns
// RUN: env GPURMA_CPU_RANKS=3 not %t 1 3 1 2>&1 | FileCheck --check-prefix=FUNCTION %s
// RUN: env GPURMA_CPU_RANKS=3 not %t 2 3 1 2>&1 | FileCheck --check-prefix=CACHED %s
// RUN: env GPURMA_CPU_RANKS=3 not %t 3 3 1 2>&1 | FileCheck --check-prefix=WHOLE %s
// The first row comes again behind the last one, and is near that.
// RUN: %t.elided 4 1 1 > %t.around
// RUN: env GPURMA_CPU_RANKS=5 %t 4 1 1 | diff - %t.around
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t 4 1 1 | diff - %t.around
// RUN: env GPURMA_CPU_RANKS=3 not %t 4 3 1 2>&1 | FileCheck --check-prefix=PERIODIC %s
// Nobody asks without the flag, and there is nothing to compare outside of a region.
// RUN: %gpurmacc_cpu %s -o %t.unchecked
// RUN: env GPURMA_CPU_RANKS=3 %t.unchecked 0 3 1 | FileCheck %s
// RUN: %t.elided 0 3 2 | FileCheck %s
// RUN: %gpurmacc_cpu --gpurma-check --gpurma-emit-source=- %s | FileCheck --check-prefix=TEXT %s
// RUN: %gpurmacc_cpu --gpurma-emit-source=- %s | not grep '^ .*checked_read('
// RUN: %gpurmacc_cpu --gpurma-check --gpurma-print-after=CheckReads %s 2>&1 | FileCheck --check-prefix=TEXT %s
// CHECK: sum {{[1-9]}}
// TEXT: (*::gpurma::stages::checked_read(&(at(in, y, x).mass), ::gpurma::site{0x{{[0-9a-f]+}}u, [[#]]}))
#include "Inputs/region.h"

#include <cstdlib>
#include <utility>

struct cell {
  int mass, heat;
};

#define at(a, y, x) a[(y) * nx + (x)]

__device__ int mass_of(const cell *in, int y, int x, int nx) {
  // FUNCTION: launch in a persistent region at {{.*}}region_checked_reads.cu:[[#@LINE+1]] on rank {{[0-2]}}: the kernel reads row {{[0-9]+}} of '{{[uv]}}', for a tile
  return at(in, y, x).mass;
}

__global__ void spread(cell *out, const cell *in, const int *rows, const int *columns, int how, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  const int far_y = y + rows[y], far_x = x + columns[x];
  int sum = in[y * nx + x].mass;
  if (how == 0) {
    // ROW: launch in a persistent region at {{.*}}region_checked_reads.cu:[[#@LINE+2]] on rank {{[0-2]}}: the kernel reads row [[#]] of '[[A:[uv]]]', for a tile that waits for [[#]] to [[#]] only; a clause 'halo([[A]] : n)' says how far it reads
    if (far_y < ny && far_x < nx)
      sum += at(in, far_y, far_x).heat;
  } else if (how == 1 && far_y < ny)
    sum += mass_of(in, far_y, x, nx);
  // CACHED: launch in a persistent region at {{.*}}region_checked_reads.cu:[[#@LINE+2]] on rank
  else if (how == 2 && far_y < ny)
    sum += __ldg(&in[far_y * nx + x].mass);
  else if (how == 3 && far_y < ny) {
    // WHOLE: launch in a persistent region at {{.*}}region_checked_reads.cu:[[#@LINE+1]] on rank
    const cell far = in[far_y * nx + x];
    sum += far.heat;
  } else if (how == 4)
    // PERIODIC: launch in a persistent region at {{.*}}region_checked_reads.cu:[[#@LINE+1]] on rank
    sum += at(in, far_y % ny, x).mass;
  out[y * nx + x] = {sum % 1009, in[y * nx + x].heat};
}

int main(int argc, char **argv) {
  const auto argument = [&](int i, int otherwise) { return argc == 4 ? std::atoi(argv[i]) : otherwise; };
  const int how = argument(1, 0), rows_away = argument(2, 1), columns_away = argument(3, 1);
  const int ny = 83, nx = 57;
  cell *u = device_array<cell>(ny * nx, [](size_t i) { return cell{int(i % 17), int(i % 13)}; });
  cell *v = device_array<cell>(ny * nx, [](size_t) { return cell{}; });
  int *rows = device_array<int>(ny, [=](size_t y) { return y == 47 ? rows_away : 1; });
  int *columns = device_array<int>(nx, [=](size_t x) { return x == 31 ? columns_away : 1; });
  const dim3 block(16, 16), grid((nx + 15) / 16, (ny + 15) / 16);
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) halo(u, v : 1)
  for (int t = 0; t < 6; ++t) {
    spread<<<grid, block>>>(v, u, rows, columns, how, ny, nx);
    std::swap(u, v);
  }
  // A kernel by itself may read what it likes.
  int *far = device_array<int>(ny, [](size_t) { return 5; });
  spread<<<grid, block>>>(v, u, far, columns, 1, ny, nx);
  long long sum = 0;
  const std::vector<cell> cells = host_copy(v, ny * nx);
  for (int i = 0; i < ny * nx; ++i)
    sum += cells[i].mass * (i % 101);
  if (is_first_process())
    std::printf("sum %lld\n", sum);
}
