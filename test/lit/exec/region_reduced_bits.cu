// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Reduced scalars that kernels take for another type of the same size, since CUDA has no atomicMax of floats: cast in the kernel, with a
// plain call or one whose result is used, or at the launch; of the first element of an array. Copies to and from variables of another
// type are of bits. The parts begin as what is
// nothing for that type: the least float's bits are a large unsigned integer.
// RUN: %lower_cpu %s | %filecheck --check-prefix=TEXT-CHECK %s
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 3 %t | diff - %t.expected
// TEXT-CHECK-DAG: ::gpurma::stages::reduced<float, ::gpurma::stages::as<unsigned int, ::gpurma::stages::maximum>,
// TEXT-CHECK-DAG: ::gpurma::stages::reduced<float, ::gpurma::stages::as<int, ::gpurma::stages::minimum>,
// TEXT-CHECK-DAG: ::gpurma::stages::reduced<double, ::gpurma::stages::as<unsigned long long, ::gpurma::stages::maximum>,
// TEXT-CHECK-DAG: ::gpurma::stages::reduced<int, ::gpurma::stages::plus,
// CHECK: step 0: 36 to bits 41800000, twice 72, bits 4052000000000000, count 672
// CHECK-COUNT-5: step
#include <cstdio>
#include <utility>
#include <vector>

__global__ void step(float *out, const float *in, float *most, float *least, int *count, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
    return;
  const int i = y * nx + x;
  const float value = 0.25f * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx]);
  out[i] = value;
  atomicMax((unsigned int *)most, __float_as_uint(value));
  const int before = atomicMin(reinterpret_cast<int *>(&least[0]), __float_as_int(value));
  if (before != __float_as_int(-1.f))
    atomicAdd((unsigned *)count, 1u);
}

__global__ void twice(const float *in, unsigned long long *most, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
    atomicMax(most, static_cast<unsigned long long>(__double_as_longlong(2. * in[y * nx + x])));
}

int main() {
  const int nx = 30, ny = 26, n = nx * ny;
  const dim3 block(10, 4), grid((nx + 9) / 10, (ny + 3) / 4);
  float *a, *b, *most, *least;
  double *wide;
  int *count;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&most, sizeof(float));
  cudaMalloc(&least, sizeof(float));
  cudaMalloc(&wide, sizeof(double));
  cudaMalloc(&count, sizeof(int));
  std::vector<float> start(n);
  for (int i = 0; i < n; ++i)
    start[i] = i * 37 % 53;
  cudaMemcpy(a, start.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(b, start.data(), n * sizeof(float), cudaMemcpyHostToDevice);
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(max : *most, *wide) reduce(min : *least) reduce(+ : *count)
  for (int i = 0; i < 6; ++i) {
    float high = 0;
    const unsigned low_before = 0x7149f2ca; // 1e30f
    int low = 0;
    long long wide_bits = 0;
    double wide_high = 0;
    int updates = 0;
    cudaMemset(most, 0, sizeof(float));
    cudaMemset(wide, 0, sizeof(double));
    cudaMemset(count, 0, sizeof(int));
    cudaMemcpy(least, &low_before, sizeof(float), cudaMemcpyHostToDevice);
    step<<<grid, block>>>(b, a, most, least, count, nx, ny);
    twice<<<grid, block>>>(b, (unsigned long long *)wide, nx, ny);
    cudaMemcpy(&high, most, sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(&low, least, sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(&wide_high, wide, sizeof(double), cudaMemcpyDeviceToHost);
    cudaMemcpy(&updates, count, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(&wide_bits, wide, sizeof(double), cudaMemcpyDeviceToHost);
    printf("step %d: %g to bits %x, twice %g, bits %llx, count %d\n", i, high, low, wide_high, wide_bits, updates);
    std::swap(a, b);
  }
}
