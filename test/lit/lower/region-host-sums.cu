// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of the copy and the loop of the host that adds up a number of each block.
// RUN: %lower_cpu %s | grep -v '^ *//' | FileCheck %s
#include "../Inputs/block_sum.h"
void run(float *u, float *partial, int blocks, int n) {
  float host[64], total = 0;
// CHECK: unsigned long long gpurma_blocks_0;
// CHECK: ::gpurma::stages::reduced<float, ::gpurma::stages::plus, 1, 1, 1> gpurma_reduced_0
// CHECK: gpurma_reduced_0 = ::gpurma::stages::plus::template identity<float>;
// CHECK: static_cast<void>((::gpurma::stages::check_block_numbers(gpurma_blocks_0, (blocks * sizeof(float)) / 4, 0, {{.*}}), ::cudaSuccess));
// CHECK-NEXT: total = 0;
// CHECK-NEXT: ::gpurma::stages::check_block_numbers(gpurma_blocks_0, blocks, 0, {{.*}});
// CHECK-NEXT: total += gpurma_reduced_0.value();
// CHECK-NOT: host[
// CHECK: gpurma_region.dismiss();
#pragma gpurma persistent distribute(u : rows(n))
  for (int i = 0; i < 3; ++i) {
    block_sum<float, 64><<<blocks, 64>>>(u, partial, n);
    cudaMemcpy(host, partial, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    total = 0;
    for (int b = 0; b < blocks; ++b)
      total += host[b];
    if (total > 3)
      break;
  }
}
// A total in double of numbers in float is added up so over the ranks. What std::accumulate does is that loop.
#include <cmath>
#include <numeric>
#include <vector>
void accumulate(float *u, float *partial, int blocks, int n) {
  std::vector<float> host(blocks);
  double norm = 1;
// CHECK: ::gpurma::stages::reduced<float, ::gpurma::stages::plus, 1, 1, 1, double> gpurma_reduced_0
// CHECK: double total = 0.;
// CHECK-NEXT: ::gpurma::stages::check_block_numbers(gpurma_blocks_0, gpurma_object_host_size__, 0, {{.*}});
// CHECK-NEXT: total += gpurma_reduced_0.value();
// CHECK-NEXT: norm = ::sqrt(total);
#pragma gpurma persistent distribute(u : rows(n))
  while (norm > 1e-3) {
    block_sum<float, 64><<<blocks, 64>>>(u, partial, n);
    cudaMemcpy(host.data(), partial, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    norm = sqrt(std::accumulate(host.begin(), host.end(), 0.0));
  }
}
