// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// What only shows when a persistent region begins, or at a launch in it.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: not %t blocks 2>&1 | FileCheck --check-prefix=BLOCKS %s
// RUN: not %t undistributed 2>&1 | FileCheck --check-prefix=UNDISTRIBUTED %s
// RUN: not %t changed 2>&1 | FileCheck --check-prefix=CHANGED %s
// RUN: not %mpirun -np 3 %t rows 2>&1 | FileCheck --check-prefix=ROWS %s
// RUN: env GPURMA_CPU_RANKS=3 %t periodic | FileCheck --check-prefix=PERIODIC %s
// RUN: not %mpirun -np 2 %t periodic 2>&1 | FileCheck --check-prefix=ANY-ROW %s
// RUN: env GPURMA_CPU_RANKS=3 %t lengths | FileCheck --check-prefix=LONGER %s
// RUN: not %mpirun -np 2 %t lengths 2>&1 | FileCheck --check-prefix=LENGTHS %s
// RUN: env GPURMA_CPU_RANKS=3 %t stated-lengths | FileCheck --check-prefix=STATED-LONGER %s
// RUN: not %mpirun -np 2 %t stated-lengths 2>&1 | FileCheck --check-prefix=STATED-LENGTHS %s
// RUN: env GPURMA_CPU_RANKS=3 %t levels | FileCheck --check-prefix=FINE %s
// RUN: not %mpirun -np 2 %t levels 2>&1 | FileCheck --check-prefix=LEVELS %s
// RUN: %mpirun -np 2 %t deep | FileCheck --check-prefix=DEEP %s
// RUN: not %mpirun -np 3 %t deep 2>&1 | FileCheck --check-prefix=DEEP-OF-3 %s
// RUN: not %mpirun -np 5 %t deep 2>&1 | FileCheck --check-prefix=DEEP-OF-5 %s
// RUN: not %mpirun -np 2 %t extents 2>&1 | FileCheck --check-prefix=EXTENTS %s
// RUN: not %t planes 2>&1 | FileCheck --check-prefix=PLANES %s
// RUN: not %t few-rows 2>&1 | FileCheck --check-prefix=FEW-ROWS %s
// RUN: not %t along-rows 2>&1 | FileCheck --check-prefix=ALONG-ROWS %s
// RUN: not %t renamed 2>&1 | FileCheck --check-prefix=RENAMED %s
// RUN: not %t together 2>&1 | FileCheck --check-prefix=TOGETHER %s
// RUN: not %t shared 2>&1 | FileCheck --check-prefix=SHARED %s
// RUN: not %t apart 2>&1 | FileCheck --check-prefix=APART %s
// RUN: not %t halo 2>&1 | FileCheck --check-prefix=HALO %s
// RUN: not %t element 2>&1 | FileCheck --check-prefix=ELEMENT %s
// RUN: not %t less-halo 2>&1 | FileCheck --check-prefix=LESS-HALO %s
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t enough-halo 2>&1 | FileCheck --check-prefix=ENOUGH-HALO %s
// RUN: env GPURMA_CPU_RANKS=3 %t unsigned | FileCheck --check-prefix=UNSIGNED %s
// RUN: not %mpirun -np 2 %t unsigned 2>&1 | FileCheck --check-prefix=UNSIGNED-OF-2 %s
// RUN: env GPURMA_CPU_RANKS=3 %t deep-halo | FileCheck --check-prefix=DEEP-HALO %s
// RUN: not %t one-scalar 2>&1 | FileCheck --check-prefix=ONE-SCALAR %s
// RUN: not %t one-variable 2>&1 | FileCheck --check-prefix=ONE-VARIABLE %s
// RUN: not %t one-pointer 2>&1 | FileCheck --check-prefix=ONE-POINTER %s
// RUN: %t two-variables
#include <cstdlib>
#include <cstring>
#include <utility>

__global__ void step(float *out, const float *in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    out[y * nx + x] = in[(y - 1) * nx + x] + in[(y + 1) * nx + x];
}

// Each step moves a 1 through all rows, past the last one to the first, by a distance that only the running program knows.
__global__ void shift(int *out, const int *in, int n, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[(i + n - by) % n];
}
static int periodic(int by) {
  const int n = 64;
  int *a, *b;
  cudaMallocManaged(&a, n * sizeof(int));
  cudaMallocManaged(&b, n * sizeof(int));
  for (int i = 0; i < n; ++i)
    a[i] = b[i] = i == 0;
  // ANY-ROW: the persistent region at {{.*}}region_errors.cu:[[#@LINE+1]]: kernel 'shift' may read any row of '{{.*}}' ({{.*}}region_errors.cu:{{[0-9]+}}), and other processes have most of them; run one process, or say with 'halo(array : n)' that it reads up to n rows beyond its own, if it does
#pragma gpurma persistent distribute(a, b : rows(n))
  for (int i = 0; i < 100; ++i) {
    shift<<<8, 8>>>(b, a, n, by);
    std::swap(a, b);
  }
  // PERIODIC: the 1 is at 52
  for (int i = 0; i < n; ++i)
    if (a[i] != 0)
      printf("the %d is at %d\n", a[i], i);
  return 0;
}

// Of 40 rows, the one before the first is row 15, as 2^32 - 1 is 15 more than a multiple of 40.
__global__ void before(int *out, const int *in, unsigned rows) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows)
    out[i] = in[(i - 1) % rows];
}
static int below_zero(unsigned rows) {
  int *a, *b;
  cudaMallocManaged(&a, rows * sizeof(int));
  cudaMallocManaged(&b, rows * sizeof(int));
  for (unsigned i = 0; i < rows; ++i)
    a[i] = b[i] = static_cast<int>(i);
  // UNSIGNED-OF-2: the persistent region at {{.*}}region_errors.cu:[[#@LINE+1]]: kernel 'before' reads rows of '{{.*}}' ({{.*}}region_errors.cu:{{[0-9]+}}) far from its own, and other processes have most of them; run one process
#pragma gpurma persistent distribute(a, b : rows(rows))
  for (int i = 0; i < 2; ++i) {
    before<<<5, 8>>>(b, a, rows);
    std::swap(a, b);
  }
  // UNSIGNED: the first ones are 14 15
  printf("the first ones are %d %d\n", a[0], a[1]);
  return 0;
}

// A depth that is no number of rows, and one that is more than any array has.
static int stated(long long depth) {
  const int n = 64;
  int *a, *b;
  cudaMallocManaged(&a, n * sizeof(int));
  cudaMallocManaged(&b, n * sizeof(int));
  for (int i = 0; i < n; ++i)
    a[i] = b[i] = i;
  // HALO: the persistent region at {{.*}}region_errors.cu:[[#@LINE+1]]: 'halo' has a depth of -1 rows, which is negative
#pragma gpurma persistent distribute(a, b : rows(n)) halo(a, b : depth)
  for (int i = 0; i < 40; ++i) {
    shift<<<8, 8>>>(b, a, n, 1);
    std::swap(a, b);
  }
  // DEEP-HALO: the first ones are 24 25
  printf("the first ones are %d %d\n", a[0], a[1]);
  return 0;
}

// An array of sums, of which clauses name the first ones only.
__global__ void histogram(int *sums, const float *u, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny && u[y * nx + x] == 0)
    atomicAdd(&sums[y == 7 ? 2 : 0], 1);
}
static int unnamed_element() {
  float *u;
  int *sums;
  cudaMallocManaged(&u, 16 * 16 * sizeof(float));
  cudaMallocManaged(&sums, 3 * sizeof(int));
#pragma gpurma persistent distribute(u : rows(16, 16)) reduce(+ : sums[0], sums[1])
  {
    // ELEMENT: launch in a persistent region at {{.*}}region_errors.cu:[[#@LINE+1]] on rank {{[0-9]+}}: element 2 of an array of reduced scalars is used, of which 2 are named in 'reduce'; name all
    histogram<<<dim3(2, 2), dim3(8, 8)>>>(sums, u, 16, 16);
  }
  return 0;
}

// A depth that the running program knows only, and subscripts that say which one there is.
static int counted(int depth) {
  const int nx = 8, ny = 64;
  float *a, *b;
  cudaMallocManaged(&a, nx * ny * sizeof(float));
  cudaMallocManaged(&b, nx * ny * sizeof(float));
  for (int i = 0; i < nx * ny; ++i)
    a[i] = b[i] = 1;
  // LESS-HALO: the persistent region at {{.*}}region_errors.cu:[[#@LINE+1]]: 'halo' says 0, but 'step' reads rows of 'in' that are up to 1 away from its own; it would read old values of other processes' rows
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) halo(a, b : depth)
  for (int i = 0; i < 4; ++i) {
    step<<<dim3(1, 8), dim3(8, 8)>>>(b, a, ny, nx);
    std::swap(a, b);
  }
  // ENOUGH-HALO: in the middle 16
  printf("in the middle %g\n", a[ny / 2 * nx]);
  return 0;
}

// Two names of one reduced scalar.
__global__ void count(int *in_all, int *in_first, const float *u, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny || u[y * nx + x] != 0)
    return;
  atomicAdd(in_all, 1);
  if (x == 0)
    atomicAdd(in_first, 1);
}
static int one_scalar() {
  float *u;
  int *points;
  cudaMallocManaged(&u, 16 * 16 * sizeof(float));
  cudaMallocManaged(&points, sizeof(int));
  int *edge = points;
  // ONE-SCALAR: the persistent region at {{.*}}region_errors.cu:[[#@LINE+1]] reduces 'points' and 'edge', which are one scalar: what kernels add to one would be lost for the other; use one name of it
#pragma gpurma persistent distribute(u : rows(16, 16)) reduce(+ : *points, *edge)
  for (int i = 0; i < 2; ++i)
    count<<<dim3(2, 2), dim3(8, 8)>>>(points, edge, u, 16, 16);
  return 0;
}

// Two names of one variable.
__global__ void add(float *u, int v) { u[blockIdx.x * blockDim.x + threadIdx.x] += v; }
static int count_to(float *u, int &count, const int &limit) {
  // ONE-VARIABLE: the persistent region at {{.*}}region_errors.cu:[[#@LINE+1]] has 'count' and 'limit', which are one variable: what it does to one would be lost for the other; use one name of it
#pragma gpurma persistent distribute(u : rows(64))
  for (int i = 0; i < limit; ++i) {
    add<<<8, 8>>>(u, count);
    ++count;
  }
  return count != limit;
}
static int one_variable(bool is_one) {
  float *u;
  cudaMallocManaged(&u, 64 * sizeof(float));
  int count = 0, limit = 4;
  return count_to(u, count, is_one ? count : limit);
}
static int one_pointer() {
  float *u;
  int *total;
  cudaMallocManaged(&u, 64 * sizeof(float));
  cudaMallocManaged(&total, sizeof(int));
  int seen = 0, *copy = &seen;
  // ONE-POINTER: the persistent region at {{.*}}region_errors.cu:[[#@LINE+1]] has '*copy' and 'seen', which are one variable
#pragma gpurma persistent distribute(u : rows(16, 16)) reduce(+ : *total)
  for (int i = 0; i < 2; ++i) {
    count<<<dim3(2, 2), dim3(8, 8)>>>(total, total, u, 16, 16);
    cudaMemcpy(copy, total, sizeof(int), cudaMemcpyDeviceToHost);
    if (seen > 100)
      break;
  }
  return 0;
}

// Periodic rows, next to an array with one more.
__global__ void next(int *out, const int *in, const int *edges, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[(i + 1) % n] + edges[i + 1];
}
static int lengths() {
  const int n = 64;
  int *a, *b, *edges;
  cudaMallocManaged(&a, n * sizeof(int));
  cudaMallocManaged(&b, n * sizeof(int));
  cudaMallocManaged(&edges, (n + 1) * sizeof(int));
  for (int i = 0; i < n; ++i)
    a[i] = edges[i + 1] = i;
  // LENGTHS: the persistent region at {{.*}}region_errors.cu:[[#@LINE+1]]: kernel 'next' reads rows that go on with the first one behind the last, and 'edges' has 65 rows and 'a' 64; run one process, or distribute arrays of the same number of rows
#pragma gpurma persistent distribute(a, b : rows(n)) distribute(edges : rows(n + 1))
  for (int i = 0; i < 2; ++i) {
    next<<<8, 8>>>(b, a, edges, n);
    std::swap(a, b);
  }
  // LONGER: the last ones are 125 64
  printf("the last ones are %d %d\n", a[n - 2], a[n - 1]);
  return 0;
}

// The same by a distance that only data say.
__global__ void next_by(int *out, const int *in, const int *edges, const int *by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[(i + by[i % 2]) % n] + edges[i + 1];
}
static int stated_lengths() {
  const int n = 64;
  int *a, *b, *edges, *by;
  cudaMallocManaged(&a, n * sizeof(int));
  cudaMallocManaged(&b, n * sizeof(int));
  cudaMallocManaged(&edges, (n + 1) * sizeof(int));
  cudaMallocManaged(&by, 2 * sizeof(int));
  by[0] = by[1] = 1;
  for (int i = 0; i < n; ++i)
    a[i] = edges[i + 1] = i;
  // STATED-LENGTHS: the persistent region at {{.*}}region_errors.cu:[[#@LINE+1]]: kernel 'next_by' reads rows that go on with the first one behind the last, and 'edges' has 65 rows and 'a' 64;
#pragma gpurma persistent distribute(a, b : rows(n)) distribute(edges : rows(n + 1)) halo(a, b : 1)
  for (int i = 0; i < 2; ++i) {
    next_by<<<8, 8>>>(b, a, edges, by, n);
    std::swap(a, b);
  }
  // STATED-LONGER: the last ones are 125 64
  printf("the last ones are %d %d\n", a[n - 2], a[n - 1]);
  return 0;
}

// A coarse row for each fine one.
__global__ void refine(int *fine, const int *coarse, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    fine[i] += coarse[i / 2];
}
static int levels() {
  int n = 64, half = n / 2, *fine, *coarse;
  cudaMallocManaged(&fine, n * sizeof(int));
  cudaMallocManaged(&coarse, half * sizeof(int));
  for (int i = 0; i < n; ++i)
    fine[i] = coarse[i / 2] = i;
  // LEVELS: the persistent region at {{.*}}region_errors.cu:[[#@LINE+1]]: kernel 'refine' reads rows of '{{.*}}' ({{.*}}region_errors.cu:{{[0-9]+}}) far from its own, and other processes have most of them; run one process{{$}}
#pragma gpurma persistent distribute(fine : rows(n)) distribute(coarse : rows(half))
  for (int i = 0; i < 2; ++i)
    refine<<<8, 8>>>(fine, coarse, n);
  // FINE: the last one is 189
  printf("the last one is %d\n", fine[n - 1]);
  return 0;
}

// Threads that work together are as many as those of the region's blocks, which the compiler does not see here.
__global__ void total(const float *in, float *sum, int n) {
  __shared__ float part[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int t = 0; t < blockDim.x; ++t)
      atomicAdd(sum, part[t]);
}
static int together(int threads) {
  const int nx = 8, ny = 16;
  float *a, *b, *sum;
  cudaMallocManaged(&a, ny * nx * sizeof(float));
  cudaMallocManaged(&b, ny * nx * sizeof(float));
  cudaMallocManaged(&sum, sizeof(float));
  // TOGETHER: launch in a persistent region at {{.*}}region_errors.cu:[[#@LINE+4]] on rank {{[0-9]+}}: blocks of 8 x 1 x 1 threads, but the region began with another size; all its launches have the same
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : *sum)
  {
    step<<<dim3(1, 8), dim3(8, 2)>>>(b, a, ny, nx);
    total<<<ny * nx / threads, threads>>>(b, sum, ny * nx);
  }
  return 0;
}

// An array that one launch gets by another name.
__global__ void add(int *out, const int *in, const int *old, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n)
    out[i] = in[i] + old[i - 1];
}
static int renamed() {
  const int n = 64;
  int *a, *b;
  cudaMallocManaged(&a, n * sizeof(int));
  cudaMallocManaged(&b, n * sizeof(int));
  const int *old = a + 1;
  // RENAMED: the persistent region at {{.*}}region_errors.cu:[[#@LINE+1]]: 'old' shares memory with 'a', which the region distributes: kernels would not see there what others change; name the same variable in 'distribute' and at the launches
#pragma gpurma persistent distribute(a, b : rows(n))
  for (int i = 0; i < 100; ++i) {
    add<<<8, 8>>>(b, a, old, n);
    std::swap(a, b);
  }
  return 0;
}

// Reads further than the rows that five processes have each; with three, both halos together are higher.
__global__ void far(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[max(i - 16, 0)] + in[min(i + 16, n - 1)];
}
static int deep() {
  const int n = 64;
  int *a, *b;
  cudaMallocManaged(&a, n * sizeof(int));
  cudaMallocManaged(&b, n * sizeof(int));
  for (int i = 0; i < n; ++i)
    a[i] = b[i] = i;
  // DEEP-OF-3: the persistent region at {{.*}}region_errors.cu:[[#@LINE+2]]: process {{[0-2]}} of 3 would have {{[0-9]+}} of 64 rows, but the launches touch 16 rows before and 16 after those of a process, which may only be its neighbours', so that it needs 32, and its rows begin at multiples of [[UNIT:[0-9]+]], which a block of 'far' has; use fewer processes, blocks of fewer rows or a larger array
  // DEEP-OF-5: the persistent region at {{.*}}region_errors.cu:[[#@LINE+1]]: process {{[0-4]}} of 5 would have {{8|16}} of 64 rows, but the launches touch 16 rows before and 16 after those of a process, which may only be its neighbours', so that it needs 32, and its rows begin at multiples of [[UNIT:[0-9]+]], which a block of 'far' has; use fewer processes, blocks of fewer rows or a larger array
#pragma gpurma persistent distribute(a, b : rows(n))
  for (int i = 0; i < 3; ++i) {
    far<<<8, 8>>>(b, a, n);
    std::swap(a, b);
  }
  // DEEP: the sum is 16128
  int sum = 0;
  for (int i = 0; i < n; ++i)
    sum += a[i];
  printf("the sum is %d\n", sum);
  return 0;
}

// Three threads for each element.
__global__ void count(int *u, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    u[i] += 1;
}
static int planes() {
  const int nx = 16, ny = 8;
  int *u;
  cudaMallocManaged(&u, nx * ny * sizeof(int));
#pragma gpurma persistent distribute(u : rows(ny, nx))
  for (int i = 0; i < 2; ++i)
    // PLANES: launch in a persistent region at {{.*}}region_errors.cu:[[#@LINE+1]] on rank {{[0-9]+}}: along y and z, the grid has 1 x 1 blocks of 3 x 1 threads, but the kernel names x only, so that several threads would have the same element; launch it in one dimension
    count<<<2, dim3(64, 3)>>>(u, nx * ny);
  return 0;
}

// A kernel for fixed rows.
__global__ void walls(int *u, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx) {
    u[x] = u[nx + x];
    u[(ny - 1) * nx + x] = u[(ny - 2) * nx + x];
  }
}
static int fixed_rows(int ny, unsigned threads) {
  const int nx = 8;
  int *a;
  cudaMallocManaged(&a, nx * ny * sizeof(int));
#pragma gpurma persistent distribute(a : rows(ny, nx))
  {
    // FEW-ROWS: launch in a persistent region at {{.*}}region_errors.cu:[[#@LINE+2]] on rank {{[0-9]+}}: the kernel reads rows that it stores into elsewhere, in no order, where two of its arrays are the same or have fewer than 3 rows; launch a kernel for each
    // ALONG-ROWS: launch in a persistent region at {{.*}}region_errors.cu:[[#@LINE+1]] on rank {{[0-9]+}}: along y and z, the launch has 2 threads that the kernel does not tell from each other, so that several threads would have the same element; launch it with one
    walls<<<dim3(1, threads), 8>>>(a, nx, ny);
  }
  return 0;
}

static dim3 second;
static void halve_second() { second.y = 1; }
int main(int, char **argv) {
  if (!std::strcmp(argv[1], "one-variable") || !std::strcmp(argv[1], "two-variables"))
    return one_variable(argv[1][0] == 'o');
  if (!std::strcmp(argv[1], "one-pointer"))
    return one_pointer();
  if (!std::strcmp(argv[1], "one-scalar"))
    return one_scalar();
  if (!std::strcmp(argv[1], "unsigned"))
    return below_zero(40);
  if (!std::strcmp(argv[1], "halo"))
    return stated(-1);
  if (!std::strcmp(argv[1], "element"))
    return unnamed_element();
  if (!std::strcmp(argv[1], "less-halo"))
    return counted(0);
  if (!std::strcmp(argv[1], "enough-halo"))
    return counted(1);
  if (!std::strcmp(argv[1], "deep-halo"))
    return stated(1LL << 32);
  if (!std::strcmp(argv[1], "deep"))
    return deep();
  if (!std::strcmp(argv[1], "periodic"))
    return periodic(5);
  if (!std::strcmp(argv[1], "lengths"))
    return lengths();
  if (!std::strcmp(argv[1], "stated-lengths"))
    return stated_lengths();
  if (!std::strcmp(argv[1], "levels"))
    return levels();
  if (!std::strcmp(argv[1], "together"))
    return together(8);
  if (!std::strcmp(argv[1], "few-rows"))
    return fixed_rows(2, 1);
  if (!std::strcmp(argv[1], "along-rows"))
    return fixed_rows(9, 2);
  if (!std::strcmp(argv[1], "planes"))
    return planes();
  if (!std::strcmp(argv[1], "renamed"))
    return renamed();
  const bool rows = !std::strcmp(argv[1], "rows"), extents = !std::strcmp(argv[1], "extents");
  const bool undistributed = !std::strcmp(argv[1], "undistributed"), changed = !std::strcmp(argv[1], "changed");
  const char *rank = std::getenv("OMPI_COMM_WORLD_RANK");
  const int nx = 8, ny = rows ? 5 : extents && rank && std::atoi(rank) ? 40 : 32;
  float *a, *b, *other;
  for (float **each : {&a, &b, &other}) {
    cudaMalloc(each, 40 * nx * sizeof(float));
    cudaMemset(*each, 0, 40 * nx * sizeof(float));
  }
  if (!std::strcmp(argv[1], "apart"))
    b = a + nx;
  dim3 block(8, 2);
  second = dim3(8, !std::strcmp(argv[1], "blocks") ? 4 : 2);
  const dim3 grid(1, 20);
  const size_t shared_bytes = !std::strcmp(argv[1], "shared") ? 1 << 30 : 0;
  // APART: the persistent region at {{.*}}region_errors.cu:[[#@LINE+7]]: 'a' and 'b' share memory in which their rows have different numbers; distribute one of them, and let kernels add the offset
  // SHARED: the persistent region at {{.*}}region_errors.cu:[[#@LINE+6]]: no block of 8 x 2 x 1 threads with 1073741824 bytes of dynamic shared memory fits on a multiprocessor; make the block or its memory smaller
  // BLOCKS: the persistent region at {{.*}}region_errors.cu:[[#@LINE+5]]: kernel 'step' is launched with blocks of 8 x 4 x 1 threads, and 'step' of 8 x 2 x 1; all launches of a region have blocks of the same size
  // ROWS: the persistent region at {{.*}}region_errors.cu:[[#@LINE+4]]: process 2 of 3 would have 1 of 5 rows, but the launches touch 1 rows before and 1 after those of a process, which may only be its neighbours', so that it needs 2, and its rows begin at multiples of 2, which a block of 'step' has; use fewer processes, blocks of fewer rows or a larger array
  // EXTENTS: the persistent region at {{.*}}region_errors.cu:[[#@LINE+3]]: the distributed arrays have {{[0-9]+}} bytes on process {{[01]}} and {{[0-9]+}} on process {{[01]}}; all processes run the region with the same extents
  // UNDISTRIBUTED: launch in a persistent region at {{.*}}region_errors.cu:[[#@LINE+5]] on rank {{[0-9]+}}: the kernel writes to an array at 0x{{[0-9a-f]+}}, which is not the beginning of an array that the region distributes; name it in 'distribute'
  // CHANGED: the persistent region at {{.*}}region_errors.cu:[[#@LINE+1]]: kernel 'step' is launched with blocks of 8 x 1 x 1 threads, and 'step' of 8 x 2 x 1; all launches of a region have blocks of the same size
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < 2; ++i) {
    float *to = undistributed ? other : b;
    step<<<grid, block, shared_bytes>>>(to, a, ny, nx);
#pragma gpurma host
    if (changed)
      halve_second();
    step<<<grid, second>>>(a, b, ny, nx);
  }
  return 0;
}
