// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// A region copies reduced scalars to memory of the host that a pointer leads to, pinned or not, reads and writes it there, and copies
// bits from a variable to another one. What the host had there before counts, and what the region has left there is seen behind it.
// The pointer may be a member of the object. Standard streams may be flushed. Bits are read through pointers to variables, too.
// RUN: %lower_cpu %s | %filecheck --check-prefix=TEXT-CHECK %s
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 3 %t | sort -u | diff - %t.expected
// TEXT-CHECK: struct gpurma_values_0 {
// TEXT-CHECK: {{^}}  int on_host;
// TEXT-CHECK: (on_host = gpurma_reduced_0.value(), ::cudaSuccess)
// TEXT-CHECK: copy_variable(gpurma_values.on_host, *on_host)
// TEXT-CHECK: copy_value(*on_host, gpurma_values.on_host)
// TEXT-CHECK: struct gpurma_values_{{[1-9]}} {
// TEXT-CHECK: {{^}}  int gpurma_this_on_host_;
// TEXT-CHECK: (gpurma_this_on_host_ = gpurma_reduced_0.value(), ::cudaSuccess)
// TEXT-CHECK: gpurma_this_largest_ = ::gpurma::stages::from_bits<float>(::gpurma::stages::bits_of(bits))
// TEXT-CHECK: copy_variable(gpurma_values.gpurma_this_on_host_, *this->on_host_)
// TEXT-CHECK: copy_value(*this->on_host_, gpurma_values.gpurma_this_on_host_)
// CHECK: after 6 steps: 600 on the host, 602 and 8.5
// CHECK: object: 507 on the host, 8.5 4.25
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

__global__ void step(int *out, const int *in, int *sum, int *most, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out[i] = i > 0 ? in[i - 1] : in[i];
  atomicAdd(sum, 1);
  atomicMax(most, __float_as_int(1 + 0.5f * in[i]));
}

/// An object with a pinned scalar.
class solver {
public:
  solver(int *a, int *b, int *sum, int *most, int n) : a_(a), b_(b), sum_(sum), most_(most), n_(n) {
    cudaMallocHost(&on_host_, sizeof(int));
    *on_host_ = 7;
  }
  int run(int most_steps);
  float largest() const { return largest_; }
  float half() const { return half_; }

private:
  float largest_ = 0, half_ = 0;
  int *a_, *b_, *sum_, *most_, *on_host_, n_;
};

int main() {
  const int n = 100;
  int *a, *b, *sum, *most, *on_host, step_count = 0;
  int *pageable = static_cast<int *>(std::malloc(sizeof(int)));
  cudaMallocHost(&on_host, sizeof(int));
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, n * sizeof(int));
  cudaMalloc(&sum, sizeof(int));
  cudaMalloc(&most, sizeof(int));
  std::vector<int> start(n);
  for (int i = 0; i < n; ++i)
    start[i] = i % 16;
  cudaMemcpy(a, start.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  *on_host = 0;
  *pageable = 2;
  float largest = 0;
#pragma gpurma persistent distribute(a, b : rows(n)) reduce(+ : *sum) reduce(max : *most)
  while (*on_host < 6 * n) {
    int bits = 0;
    cudaMemcpy(most, &bits, sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpyAsync(sum, on_host, sizeof(int), cudaMemcpyHostToDevice);
    step<<<(n + 15) / 16, 16>>>(b, a, sum, most, n);
    cudaMemcpyAsync(on_host, sum, sizeof(int), cudaMemcpyDeviceToHost);
    cudaStreamSynchronize(nullptr);
    pageable[0] += *on_host - step_count * n;
    cudaMemcpy(&bits, most, sizeof(int), cudaMemcpyDeviceToHost);
    std::memcpy(&largest, &bits, sizeof largest);
    std::swap(a, b);
    ++step_count;
    cudaMemcpy(sum, pageable, sizeof(int), cudaMemcpyHostToDevice);
  }
  std::printf("after %d steps: %d on the host, %d and %g\n", step_count, *on_host, *pageable, static_cast<double>(largest));
  solver object(a, b, sum, most, n);
  const int sums = object.run(5);
  std::printf("object: %d on the host, %g %g\n", sums, static_cast<double>(object.largest()), static_cast<double>(object.half()));
}

int solver::run(int most_steps) {
#pragma gpurma persistent distribute(a_, b_ : rows(n_)) reduce(+ : *sum_) reduce(max : *most_)
  for (int i = 0; i < most_steps; ++i) {
    cudaMemcpyAsync(sum_, on_host_, sizeof(int), cudaMemcpyHostToDevice);
    step<<<(n_ + 15) / 16, 16>>>(b_, a_, sum_, most_, n_);
    cudaMemcpyAsync(on_host_, sum_, sizeof(int), cudaMemcpyDeviceToHost);
    cudaDeviceSynchronize();
    int bits;
    cudaMemcpy(&bits, most_, sizeof(int), cudaMemcpyDeviceToHost);
    largest_ = *(float *)&bits;
    half_ = 0.5f * *reinterpret_cast<const float *>(&bits);
    if (*on_host_ > 1000)
      break;
    std::swap(a_, b_);
    fflush(stdout);
    std::fflush(nullptr);
    if (i % 2)
      fflush(stderr);
  }
  return *on_host_;
}
