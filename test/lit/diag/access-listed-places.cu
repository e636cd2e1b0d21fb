// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores into places that only data say, which each tile looks for: what hinders it, and what is said of others.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck --implicit-check-not=error: %s
// RUN: %gpurmacc_cpu -DACCEPTED -Rgpurma -fsyntax-only %s 2>&1 | %filecheck --check-prefix=REMARKS-CHECK %s
#include <gpurma/gpurma.h>

#define PLACE                                                                                                                    \
  const int id = blockIdx.x * blockDim.x + threadIdx.x;                                                                          \
  if (id >= n)                                                                                                                   \
    return;                                                                                                                      \
  const int k = list[id]

struct Link {
  int to, from;
};
__constant__ Link links[16];
struct Chain {
  int at[3];
};
__constant__ Chain chains[16];
__constant__ int flat[16];
// Other members of an element, by their names or by references; and places that only look alike.
__global__ void from_other_member(float* u, const float* v, const Link* all, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n)
    u[all[id].to] = v[all[id].from];
}
__global__ void by_references(float* u, const float* v, const Link* all, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n)
    return;
  const int &to = all[id].to, &from = all[id].from;
  u[to] = v[from];
}
__global__ void of_constants(float* u, const float* v, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n)
    u[links[id].to] = v[links[id].from];
}
__global__ void of_chains(float* u, const float* v, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n)
    u[chains[id].at[1]] = v[chains[id + 1].at[0]];
}
__global__ void in_bytes(float* u, const float* v, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n)
    u[flat[4 * id]] = v[*(const int*)((const char*)flat + 4 * id)];
}

__global__ void scatters(float* u, const float* v, const int* list, int n, int nx) {
  PLACE;
  u[k] = v[id];
}
__global__ void from_other_list(float* u, const float* v, const int* list, int n, int nx) {
  PLACE;
  u[k] = v[list[id + n]];
}
__global__ void far_beside(float* u, const float* v, const int* list, int n, int nx) {
  PLACE;
  u[k] = v[k + 20];
}
__global__ void in_order(float* u, const float* v, const int* list, int n, int nx) {
  PLACE;
  u[k] = u[k + nx];
}
__global__ void tests(float* u, const float* v, const int* list, int n, int nx) {
  PLACE;
  if (u[k] > 0)
    u[k] = 0;
}
__global__ void uses_result(float* u, const float* v, const int* list, int n, int nx) {
  PLACE;
  const float before = atomicAdd(&u[k], 1.0f);
  if (before > 0)
    u[k] = 0;
}
__device__ void add(float* u, int k) { atomicAdd(&u[k], 1.0f); }
__global__ void by_call(float* u, const float* v, const int* list, int n, int nx) {
  PLACE;
  add(u, k);
}
__global__ void together(float* u, const float* v, const int* list, int n, int nx) {
  __shared__ int places[32];
  places[threadIdx.x] = list[threadIdx.x];
  __syncthreads();
  u[places[31 - threadIdx.x]] += 1;
}
// A row length out of memory is no list.
__global__ void lengths(float* u, const float* v, const int* list, int n, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < list[0] && y < n)
    u[y * list[0] + x] = 0;
}
// Not a few threads, nor a few iterations.
__global__ void bell(float* u, const float* v, const int* list, int n, int nx) {
  if (threadIdx.x < nx) u[(n + threadIdx.y) * nx + threadIdx.x] += 1;
}
__global__ void all_rows(float* u, const float* v, const int* list, int n, int nx) {
  for (int y = threadIdx.y; y < n; y += blockDim.y)
    u[y * nx + threadIdx.x] += 1;
}
__global__ void accepted(float* u, const float* v, const int* list, int n, int nx) {
  PLACE;
  u[k] += v[k + nx];
}
__global__ void of_numbers(float* u, const float* v, int n, int nx) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n)
    u[int(0.5f * id) * nx + int(n / 3.0f)] = id;
}

void run(float* a, float* b, const int* list, const Link* all, int ny, int nx, int n, dim3 grid) {
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  {
#ifndef ACCEPTED
    scatters<<<n, 32>>>(a, b, list, n, nx);
    from_other_list<<<n, 32>>>(a, b, list, n, nx);
    from_other_member<<<n, 32>>>(a, b, all, n);
    by_references<<<n, 32>>>(a, b, all, n);
    of_constants<<<n, 32>>>(a, b, n);
    of_chains<<<n, 32>>>(a, b, n);
    in_bytes<<<n, 32>>>(a, b, n);
    far_beside<<<n, 32>>>(a, b, list, n, nx);
    in_order<<<n, 32>>>(a, b, list, n, nx);
    tests<<<n, 32>>>(a, b, list, n, nx);
    uses_result<<<n, 32>>>(a, b, list, n, nx);
    by_call<<<n, 32>>>(a, b, list, n, nx);
    together<<<1, 32>>>(a, b, list, n, nx);
    lengths<<<grid, dim3(16, 16)>>>(a, b, list, n, nx);
    bell<<<grid, dim3(5, 5)>>>(a, b, list, n, nx);
    all_rows<<<1, dim3(32, 8)>>>(a, b, list, n, nx);
#endif
    accepted<<<n, 32>>>(a, b, list, n, nx);
    of_numbers<<<n, 32>>>(a, b, n, nx);
    bell<<<1, dim3(5, 5)>>>(a, b, list, n, nx);
  }
}
// CHECK: :[[@LINE-86]]:10: error: no grid dimension of 'scatters' walks rows, so that it runs once for each of them, and stores into that one only; here 'v' is read at another place than that of the store, and that need be no row of the process that stores: only what lies a constant number of rows, and up to eight columns, from the stored element may be read [gpurma-0235]
// CHECK: :[[@LINE-83]]:10: error: {{.*}}'from_other_list' {{.*}} 'v' is read at another place
// CHECK: :[[@LINE-115]]:21: error: {{.*}}'from_other_member' {{.*}} 'v' is read at another place
// CHECK: :[[@LINE-109]]:11: error: {{.*}}'by_references' {{.*}} 'v' is read at another place
// CHECK: :[[@LINE-105]]:23: error: {{.*}}'of_constants' {{.*}} 'v' is read at another place
// CHECK: :[[@LINE-101]]:27: error: {{.*}}'of_chains' {{.*}} 'v' is read at another place
// CHECK: :[[@LINE-97]]:23: error: {{.*}}'in_bytes' {{.*}} 'v' is read at another place
// CHECK: :[[@LINE-85]]:10: error: {{.*}}'far_beside' {{.*}} 'v' is read at another place
// CHECK: :[[@LINE-82]]:10: error: 'in_order' reads a row of 'u' here that it stores into elsewhere; {{.*}} [gpurma-0236]
// CHECK: :[[@LINE-83]]:3: note: the row is stored into here
// CHECK: :[[@LINE-80]]:7: error: {{.*}}'tests' {{.*}} here a distributed array is read outside of such a store
// CHECK: :[[@LINE-76]]:24: error: {{.*}}'uses_result' {{.*}} here the atomic operation is no statement 'atomicAdd(&u[...], ...);' of the kernel itself, whose result nothing uses [gpurma-0235]
// CHECK: :[[@LINE-73]]:40: error: {{.*}}'by_call' {{.*}} here the atomic operation is no statement
// CHECK: :[[@LINE-67]]:3: error: 'together' {{.*}} here threads of a block share memory ('places') [gpurma-0225]
// CHECK: :[[@LINE-60]]:5: error: cannot tell which elements of 'u' are written here: the subscript depends on a value that is loaded from memory [gpurma-0200]
// CHECK: :[[@LINE-57]]:25: error: no grid dimension walks the rows of 'u'{{.*}} [gpurma-0203]
// CHECK: :[[@LINE-55]]:3: error: {{.*}} [gpurma-0221]
// REMARKS-CHECK: :[[@LINE-22]]:5: remark: stage 'accepted' reads 'u', reads 'v' with halo 1, writes 'u' (publishes nothing), in places that each tile looks for [gpurma-0217]
// REMARKS-CHECK: :[[@LINE-22]]:5: remark: stage 'of_numbers' writes 'u' (publishes nothing), in places that each tile looks for [gpurma-0217]
// REMARKS-CHECK: :[[@LINE-22]]:5: remark: stage 'bell' reads 'u', writes 'u' (publishes nothing), in places that each tile looks for [gpurma-0217]
