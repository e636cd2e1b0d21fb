// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of which it is not certain that a region only stores elements of them, each once.
// RUN: not %gpurmacc_cpu -fsyntax-only -DCLAUSES %s 2>&1 | %filecheck --check-prefix=CLAUSES-CHECK %s
// RUN: not %gpurmacc_cpu -fsyntax-only -DREGIONS %s 2>&1 | %filecheck --check-prefix=REGIONS-CHECK %s
// RUN: not %gpurmacc_cpu -fsyntax-only -DKERNELS %s 2>&1 | %filecheck --check-prefix=KERNELS-CHECK %s
#include <gpurma/gpurma.h>
#include <utility>

struct View {
  float *trace, *traces[2];
  int n;
};

#define ROW int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x >= nx || y >= ny) return

__global__ void step(float *v, const float *u, int ny, int nx) {
  ROW;
  v[y * nx + x] = u[y * nx + x];
}
__global__ void record(float *to, const float *u, int t) { to[t] = u[5]; }

#ifdef CLAUSES
void clauses(float *u, float *trace, int n, float x, View *f) {
#pragma gpurma persistent distribute(u : rows(n)) collect(trace + 1 : n)
  record<<<1, 1>>>(trace, u, 0);
#pragma gpurma persistent distribute(u : rows(n)) collect(trace : x)
  record<<<1, 1>>>(trace, u, 0);
#pragma gpurma persistent distribute(u : rows(n)) collect(trace : -1)
  record<<<1, 1>>>(trace, u, 0);
#pragma gpurma persistent distribute(u : rows(n)) collect(f->trace : n)
  record<<<1, 1>>>((f + 1)->trace, u, 0);
}
// CLAUSES-CHECK: :[[@LINE-9]]:65: error: what is collected must be a pointer variable or a pointer in a structure variable, not an expression of type 'float *' [gpurma-0065]
// CLAUSES-CHECK: :[[@LINE-8]]:67: error: 'collect' takes an integer, not a value of type 'float' [gpurma-0050]
// CLAUSES-CHECK: :[[@LINE-7]]:67: error: number of elements -1 is negative [gpurma-0067]
// CLAUSES-CHECK: :[[@LINE-6]]:62: error: what is collected must be a pointer variable or a pointer in a structure variable, not a member of what 'f' points to: give that a name before the region, 'auto &object = *f', and write 'object.trace'; {{.*}} [gpurma-0065]
#endif

#ifdef REGIONS
__global__ void adds(float *to, const float *u, int t) { to[t] += u[5]; }
__global__ void reads(const float *from, float *u) { u[5] = from[0]; }
__global__ void moves(float *to, const float *u, int t) {
  to += t;
  to[0] = u[5];
}
__device__ void set(float *at, float value) { *at = value; }
__global__ void passes_on(float *to, const float *u, int t) { set(to + t, u[5]); }
__global__ void as_integers(int *to, const float *u, int t) { to[t] = u[5]; }

void regions(float *u, float *trace, float *other, View f, int n, int steps) {
#pragma gpurma persistent distribute(u : rows(n)) collect(f.traces[1] : steps)
  for (int t = 0; t < steps; ++t)
    record<<<1, 1>>>(f.traces[1], u, t);
#pragma gpurma persistent distribute(u : rows(n)) collect(trace : steps)
  for (int t = 0; t < steps; ++t) {
    record<<<1, 1>>>(trace, u, t);
    std::swap(trace, other);
  }
#pragma gpurma persistent distribute(u : rows(n)) collect(trace : steps)
  for (int t = 0; t < steps; ++t) {
    record<<<1, 1>>>(trace, u, t);
    record<<<1, 1>>>(t > 3 ? trace : other, u, t);
  }
#pragma gpurma persistent distribute(u : rows(n)) collect(trace : steps)
  for (int t = 0; t < steps; ++t) {
    record<<<1, 1>>>(trace, u, t);
    float *copy = trace;
    record<<<1, 1>>>(copy, u, t);
  }
#pragma gpurma persistent distribute(u : rows(n)) collect(trace : steps)
  for (int t = 0; t < steps; ++t)
    adds<<<1, 1>>>(trace, u, t);
#pragma gpurma persistent distribute(u : rows(n)) collect(trace : steps)
  for (int t = 0; t < steps; ++t) {
    record<<<1, 1>>>(trace, u, t);
    reads<<<1, 1>>>(trace, u);
  }
#pragma gpurma persistent distribute(u : rows(n)) collect(trace : steps)
  for (int t = 0; t < steps; ++t)
    moves<<<1, 1>>>(trace, u, t);
#pragma gpurma persistent distribute(u : rows(n)) collect(trace : steps)
  for (int t = 0; t < steps; ++t)
    passes_on<<<1, 1>>>(trace, u, t);
#pragma gpurma persistent distribute(u : rows(n)) collect(trace : steps)
  for (int t = 0; t < steps; ++t)
    as_integers<<<1, 1>>>((int *)trace, u, t);
#pragma gpurma persistent distribute(u : rows(n)) collect(trace, other : steps)
  for (int t = 0; t < steps; ++t)
    record<<<1, 1>>>(trace, u, t);
#pragma gpurma persistent distribute(u : rows(n)) collect(u : n)
  for (int t = 0; t < steps; ++t)
    record<<<1, 1>>>(u, u, t);
}
// REGIONS-CHECK: :51:59: error: 'f.traces[1]' is collected by this region, and is no pointer variable of the function or the object; give it a name before the region, 'float *trace = f.trace' [gpurma-0161]
// REGIONS-CHECK: :54:59: error: 'trace' is collected by this region, which gives the variable another value; let launches add to it, 'trace + first' [gpurma-0161]
// REGIONS-CHECK: :62:22: error: 'trace' is collected by this region, which may only pass it to kernels, as 'trace', 'trace + first' or '&trace[first]' [gpurma-0161]
// REGIONS-CHECK: :67:19: error: 'trace' is collected by this region, which may only pass it to kernels, as 'trace', 'trace + first' or '&trace[first]' [gpurma-0161]
// REGIONS-CHECK: :40:58: error: 'trace' is collected by this region, but kernel 'adds' does something else with 'to' than to store elements, 'to[...] = value;' [gpurma-0161]
// REGIONS-CHECK: :72:5: note: that launch is here
// REGIONS-CHECK: :41:61: error: 'trace' is collected by this region, but kernel 'reads' does something else with 'from' than to store elements, 'from[...] = value;' [gpurma-0161]
// REGIONS-CHECK: :43:3: error: 'trace' is collected by this region, but kernel 'moves' does something else with 'to' than to store elements, 'to[...] = value;' [gpurma-0161]
// REGIONS-CHECK: :47:67: error: 'trace' is collected by this region, but kernel 'passes_on' does something else with 'to' than to store elements, 'to[...] = value;' [gpurma-0161]
// REGIONS-CHECK: :86:27: error: 'trace' is collected by this region, but kernel 'as_integers' takes it for elements of another type [gpurma-0161]
// REGIONS-CHECK: :87:66: error: 'other' is collected by this region, but no launch of it stores there [gpurma-0161]
// REGIONS-CHECK: :90:59: error: 'u' is named twice [gpurma-0134]
#endif

#ifdef KERNELS
__global__ void stamp(float *to, int t) { to[t] = t; }
__global__ void dot(const float *u, float *to, int n) {
  __shared__ float part[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? u[i] : 0;
  __syncthreads();
  if (threadIdx.x == 0)
    to[blockIdx.x] = part[0] + part[1];
}
__global__ void behind_loop(float *v, const float *u, float *to, int nz, int ny, int nx) {
  ROW;
  for (int z = 0; z < nz; ++z)
    v[(z * ny + y) * nx + x] = u[(z * ny + y) * nx + x];
  to[y * nx + x] = 1;
}
__global__ void before_strides(float *v, const float *u, float *to, int ny, int nx) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  to[threadIdx.x] = 1;
  for (; y < ny; y += blockDim.x * gridDim.x)
    v[y * nx] = u[y * nx];
}
__global__ void running(float *v, const float *u, float *to, int nz, int ny, int nx) {
  ROW;
  float sum = 0;
  for (int z = 0; z < nz; ++z) {
    v[(z * ny + y) * nx + x] = u[(z * ny + y) * nx + x];
    sum += u[(z * ny + y) * nx + x];
    if (x == 0 && y == 0)
      to[z] = sum;
  }
}
__global__ void running_strides(float *v, const float *u, float *to, int ny, int nx) {
  float sum = 0;
  for (int y = blockIdx.x * blockDim.x + threadIdx.x; y < ny; y += blockDim.x * gridDim.x) {
    v[y * nx] = u[y * nx];
    sum += u[y * nx];
    to[y] = sum;
  }
}
__global__ void chosen(float *to, const float *u, int t, int i) { to[t] = t > 3 ? u[i] : 0; }
__device__ float at(const float *u, int i) { return u[i]; }
__global__ void called(float *to, const float *u, int t, int i) { to[t] = at(u, i); }
__global__ void tested(float *to, const float *u, int t, int i) {
  if (u[i] > 0)
    to[t] = u[i];
}
__global__ void counted(float *to, const float *u, int t, int i) {
  float value = u[i];
  value *= 2;
  to[t++] = value;
}
#define KEEP(value) to[t] = value
__global__ void spelled(float *to, const float *u, int t, int i) { KEEP(u[i]); }

void kernels(float *u, float *v, float *trace, int nz, int ny, int nx, int n) {
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) collect(trace : n)
  for (int t = 0; t < n; ++t) {
    step<<<dim3(nx / 8, ny / 8), dim3(8, 8)>>>(v, u, ny, nx);
    stamp<<<1, 1>>>(trace, t);
    dot<<<nx * ny / 64, 64>>>(u, trace, nx * ny);
    before_strides<<<4, 64>>>(v, u, trace, ny, nx);
    running_strides<<<4, 64>>>(v, u, trace, ny, nx);
    chosen<<<1, 1>>>(trace, u, t, n);
    called<<<1, 1>>>(trace, u, t, n);
    tested<<<1, 1>>>(trace, u, t, n);
    counted<<<1, 1>>>(trace, u, t, n);
    spelled<<<1, 1>>>(trace, u, t, n);
  }
#pragma gpurma persistent distribute(u, v : rows(nz, ny, nx)) collect(trace : n)
  for (int t = 0; t < n; ++t) {
    behind_loop<<<dim3(nx / 8, ny / 8), dim3(8, 8)>>>(v, u, trace, nz, ny, nx);
    running<<<dim3(nx / 8, ny / 8), dim3(8, 8)>>>(v, u, trace, nz, ny, nx);
  }
}
// KERNELS-CHECK: :167:5: error: kernel 'stamp' stores into the collected 'to' and is passed no distributed array, whose rows would say which process does it; let the host set 'to' before or behind the region [gpurma-0241]
// KERNELS-CHECK: :168:5: error: threads of 'dot' work together over arrays in one dimension, so that blocks are run for some of their elements at a time, and none of them has what it should store into the collected 'to'; add it up in a reduced scalar [gpurma-0242]
// KERNELS-CHECK: :126:3: error: the iterations of a loop over the rows must be independent, so that they can be dealt to processes: 'to' is written outside of the loop, which would be done once for each part of it; write it in a kernel of its own [gpurma-0221]
// KERNELS-CHECK: :144:5: error: the iterations of a loop over the rows must be independent, so that they can be dealt to processes: 'sum' is kept from one iteration to the next; let each iteration compute it, or read it from the arrays [gpurma-0221]
// KERNELS-CHECK: :148:73: error: no grid dimension of 'chosen' walks rows, so that it runs once for each of them, and stores into that one only; here no element of a distributed array is read in any case for what is collected, whose row would say where: store 'u[...]', and read it in the kernel itself [gpurma-0235]
// KERNELS-CHECK: :150:73: error: no grid dimension of 'called' walks rows, so that it runs once for each of them, and stores into that one only; here no element of a distributed array is read in any case for what is collected, whose row would say where: store 'u[...]', and read it in the kernel itself [gpurma-0235]
// KERNELS-CHECK: :152:7: error: no grid dimension of 'tested' walks rows, so that it runs once for each of them, and stores into that one only; here a distributed array is read outside of such a store: write 'u[...] = ...;' as one statement [gpurma-0235]
// KERNELS-CHECK: :156:17: error: no grid dimension of 'counted' walks rows, so that it runs once for each of them, and stores into that one only; here a distributed array is read outside of such a store: write 'u[...] = ...;' as one statement [gpurma-0235]
// KERNELS-CHECK: :158:11: error: no grid dimension of 'counted' walks rows, so that it runs once for each of them, and stores into that one only; here the store is not a statement 'u[...] = ...;' of its own that changes nothing else [gpurma-0235]
// KERNELS-CHECK: :161:68: error: no grid dimension of 'spelled' walks rows, so that it runs once for each of them, and stores into that one only; here the store stands in a macro [gpurma-0235]
// KERNELS-CHECK: :122:3: error: the iterations of a loop over the rows must be independent, so that they can be dealt to processes: 'to' is written outside of the loop, which would be done once for each part of it; write it in a kernel of its own [gpurma-0221]
// KERNELS-CHECK: :135:5: error: the iterations of a loop over the rows must be independent, so that they can be dealt to processes: 'sum' is kept from one iteration to the next; let each iteration compute it, or read it from the arrays [gpurma-0221]
#endif
