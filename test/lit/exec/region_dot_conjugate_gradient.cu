// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// A solver of the Poisson equation by conjugate gradients as users write it: the operator in blocks of 16 x 16, vector updates and
// scalar products in one dimension, which blocks add up in shared memory and by shuffles.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: grep -v "#pragma gpurma" %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t | diff - %t.expected
// CHECK: converged
// CHECK: error below 1e-5
#include "Inputs/region.h"

#include <cmath>
#include <cstdio>
#include <vector>

__global__ void laplacian(double *__restrict__ q, const double *__restrict__ p, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  const int i = y * nx + x;
  double sum = 4 * p[i];
  if (x > 0)
    sum -= p[i - 1];
  if (x < nx - 1)
    sum -= p[i + 1];
  if (y > 0)
    sum -= p[i - nx];
  if (y < ny - 1)
    sum -= p[i + nx];
  q[i] = sum;
}
__global__ void dot(int n, const double *a, const double *b, double *result) {
  __shared__ double part[256];
  double sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    sum += a[i] * b[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int w = blockDim.x / 2; w > 0; w /= 2) {
    if (threadIdx.x < w)
      part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    atomicAdd(result, part[0]);
}
template <class T> __device__ T block_sum(T value) {
  __shared__ T warps[8];
  for (int off = 16; off > 0; off /= 2)
    value += __shfl_down_sync(0xffffffffu, value, off);
  if (threadIdx.x % 32 == 0)
    warps[threadIdx.x / 32] = value;
  __syncthreads();
  T sum = 0;
  for (int w = 0; w < 8; ++w)
    sum += warps[w];
  return sum;
}
__global__ void norm(int n, const double *a, double *result) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  double value = 0;
  if (i < n)
    value = a[i] * a[i];
  const double sum = block_sum(value);
  if (threadIdx.x == 0)
    atomicAdd(result, sum);
}
__global__ void axpy(int n, double a, const double *x, double *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] += a * x[i];
}
__global__ void xpby(int n, const double *x, double b, double *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  y[i] = x[i] + b * y[i];
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const int nx = 45, ny = 93;
  const int n = nx * ny;
  const size_t bytes = n * sizeof(double);
  std::vector<double> exact(n), right(n);
  const double pi = std::acos(-1.0);
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x)
      exact[y * nx + x] = std::sin(pi * (x + 1) / (nx + 1)) * std::sin(2 * pi * (y + 1) / (ny + 1)) + 0.001 * (x % 5) * (y % 3);
  auto at = [&](int y, int x) { return x < 0 || x >= nx || y < 0 || y >= ny ? 0 : exact[y * nx + x]; };
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x)
      right[y * nx + x] = 4 * at(y, x) - at(y, x - 1) - at(y, x + 1) - at(y - 1, x) - at(y + 1, x);

  double *u, *r, *p, *q, *rr, *pq;
  CHECK(cudaMalloc(&u, bytes));
  CHECK(cudaMalloc(&r, bytes));
  CHECK(cudaMalloc(&p, bytes));
  CHECK(cudaMalloc(&q, bytes));
  CHECK(cudaMallocManaged(&rr, sizeof(double)));
  CHECK(cudaMallocManaged(&pq, sizeof(double)));
  CHECK(cudaMemset(u, 0, bytes));
  CHECK(cudaMemset(q, 0, bytes));
  CHECK(cudaMemcpy(r, right.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(p, right.data(), bytes, cudaMemcpyHostToDevice));
  double old = 0;
  for (double value : right)
    old += value * value;

  const dim3 block(16, 16), grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y);
  const int threads = 256, blocks = (n + threads - 1) / threads;
  int iterations = 0;
#pragma gpurma persistent distribute(u, r, p, q : rows(ny, nx)) reduce(+ : *rr, *pq)
  while (old > 1e-12 && iterations < 1000) {
    laplacian<<<grid, block>>>(q, p, nx, ny);
    *pq = 0;
    dot<<<8, threads>>>(nx * ny, p, q, pq);
    CHECK(cudaDeviceSynchronize());
    const double alpha = old / *pq;
    axpy<<<blocks, threads>>>(n, alpha, p, u);
    axpy<<<blocks, threads>>>(n, -alpha, q, r);
    *rr = 0;
    norm<<<blocks, threads>>>(n, r, rr);
    CHECK(cudaDeviceSynchronize());
    const double now = *rr;
    xpby<<<blocks, threads>>>(n, r, now / old, p);
    CHECK(cudaGetLastError());
    old = now;
    ++iterations;
  }
  std::vector<double> found(n);
  CHECK(cudaMemcpy(found.data(), u, bytes, cudaMemcpyDeviceToHost));
  double worst = 0;
  for (int i = 0; i < n; ++i)
    worst = std::fmax(worst, std::fabs(found[i] - exact[i]));
  // What rounding does to the last digits is not compared.
  if (is_first_process())
    std::printf("%s\nerror %s 1e-5\n", iterations > 10 && iterations < 1000 ? "converged" : "not converged", worst < 1e-5 ? "below" : "above");
}
