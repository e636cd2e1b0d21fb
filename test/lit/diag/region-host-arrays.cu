// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of the host that numbers of blocks would be copied to, where others may look for them, and loops that need not combine all of them.
// RUN: not %gpurmacc_cpu -c -DCASE=1 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK1 %s
// RUN: not %gpurmacc_cpu -c -DCASE=2 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK2 %s
// RUN: not %gpurmacc_cpu -c -DCASE=3 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK3 %s
// RUN: not %gpurmacc_cpu -c -DCASE=4 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK4 %s
// RUN: not %gpurmacc_cpu -c -DCASE=5 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK5 %s
// RUN: not %gpurmacc_cpu -c -DCASE=6 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK6 %s
// RUN: not %gpurmacc_cpu -c -DCASE=7 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK7 %s
// RUN: not %gpurmacc_cpu -c -DCASE=8 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK8 %s
// RUN: not %gpurmacc_cpu -c -DCASE=9 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK9 %s
// RUN: not %gpurmacc_cpu -c -DCASE=10 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK10 %s
// RUN: not %gpurmacc_cpu -c -DCASE=11 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK11 %s
// RUN: not %gpurmacc_cpu -c -DCASE=12 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK12 %s
// RUN: not %gpurmacc_cpu -c -DCASE=13 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK13 %s
// RUN: not %gpurmacc_cpu -c -DCASE=14 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK14 %s
// RUN: not %gpurmacc_cpu -c -DCASE=15 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK15 %s
// RUN: not %gpurmacc_cpu -c -DCASE=16 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK16 %s
#include "../Inputs/block_sum.h"
#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>
#include <vector>
struct Work {
  float *partial, *host;
};
float *picked(float *memory) { return memory; }
float *everywhere() {
  static float memory[64];
  return memory;
}
float all_of(const float *numbers, int count) {
  float sum = 0;
  for (int i = 0; i < count; ++i)
    sum += numbers[i];
  return sum;
}

void run(float *u, float *partial, float *others, float *buffer, Work w, int n) {
  float total = 0, most = 0;
  const int blocks = (n + 255) / 256, bytes = blocks * sizeof(float);
#if CASE == 1
  float *host = buffer;
#elif CASE == 2
  float *host;
  // CHECK2: :[[@LINE+1]]:8: error: {{.*}}: 'host', to which they are copied, may lead to memory that has other names, too; {{.*}} [gpurma-0231]
  host = picked(buffer);
#elif CASE == 3
  std::unique_ptr<float[]> host(buffer);
#elif CASE == 4
  float *host = everywhere();
#elif CASE == 12
  std::vector<float> host(64);
  cudaMemcpy(host.data(), partial, bytes, cudaMemcpyDeviceToHost);
  // CHECK12: :[[@LINE+1]]:18: error: {{.*}}: 'host', to which they are copied, is combined here, too, {{.*}} [gpurma-0231]
  total = all_of(host.data(), blocks + 1);
#elif CASE != 5
  std::vector<float> host(64);
#endif
#pragma gpurma persistent distribute(u : rows(n))
  for (int it = 0; it < 9; ++it) {
#if CASE == 7
    // CHECK7: :[[@LINE+1]]:49: error: {{.*}}: 'w.partial' is a member of a structure; name it by a variable, 'float* numbers = w.partial;' before the region, and use that in it [gpurma-0231]
    block_sum<float, 256><<<blocks, 256>>>(u, w.partial, n);
    cudaMemcpy(host.data(), w.partial, bytes, cudaMemcpyDeviceToHost);
    for (int b = 0; b < blocks; ++b)
      total += host[b];
#else
    block_sum<float, 256><<<blocks, 256>>>(u, partial, n);
#endif
#if CASE == 1 || CASE == 2 || CASE == 4
    // CHECK1: :[[@LINE+2]]:5: error: {{.*}}: 'host', to which they are copied, may lead to memory that has other names, too; use an array, a std::vector, or a pointer that gets its memory by 'new', 'malloc' or 'cudaMallocHost' [gpurma-0231]
    // CHECK4: :[[@LINE+1]]:5: error: {{.*}}: 'host', to which they are copied, may lead to memory that has other names, too; {{.*}} [gpurma-0231]
    cudaMemcpy(host, partial, bytes, cudaMemcpyDeviceToHost);
    for (int b = 0; b < blocks; ++b)
      total += host[b];
#elif CASE == 3
    // CHECK3: :[[@LINE+1]]:5: error: {{.*}}: 'host', to which they are copied, may lead to memory that has other names, too; {{.*}} [gpurma-0231]
    cudaMemcpy(host.get(), partial, bytes, cudaMemcpyDeviceToHost);
    for (int b = 0; b < blocks; ++b)
      total += host[b];
#elif CASE == 5
    std::vector<float> host(blocks);
    cudaMemcpy(host.data(), partial, bytes, cudaMemcpyDeviceToHost);
    for (int b = 0; b < blocks; ++b)
      total += host[b];
    if (it % 3 == 0) {
      // CHECK5: :[[@LINE+1]]:16: error: {{.*}}: 'host', to which they are copied, is named here, too, {{.*}} [gpurma-0231]
#pragma gpurma host
      std::printf("%g\n", host[0]);
    }
#elif CASE == 6
    // CHECK6: :[[@LINE+1]]:5: error: {{.*}}: 'w.host', to which they are copied, should be a local variable of the function, or a private member of a class without friends, all of whose functions are defined here, as it does not have them where others look [gpurma-0231]
    cudaMemcpy(w.host, partial, bytes, cudaMemcpyDeviceToHost);
    for (int b = 0; b < blocks; ++b)
      total += w.host[b];
#elif CASE == 8
    // CHECK8: :[[@LINE+1]]:5: error: {{.*}}: the host should add up all of them behind the copy, {{.*}} [gpurma-0231]
    cudaMemcpy(host.data(), partial, bytes, cudaMemcpyDeviceToHost);
    most = host[0];
    if (it % 2)
      for (int b = 1; b < blocks; ++b)
        most = std::max(most, host[b]);
#elif CASE == 9
    // CHECK9: :[[@LINE+1]]:5: error: {{.*}}: the host should add up all of them behind the copy, {{.*}} [gpurma-0231]
    cudaMemcpy(host.data(), partial, bytes, cudaMemcpyDeviceToHost);
    most = host[0];
    if (it == 7)
      break;
    for (int b = 1; b < blocks; ++b)
      most = std::max(most, host[b]);
#elif CASE == 10
    cudaMemcpy(host.data(), partial, bytes, cudaMemcpyDeviceToHost);
    // CHECK10: :[[@LINE+1]]:5: error: {{.*}}: the host should add up all of them behind the copy, {{.*}} [gpurma-0231]
    for (int b = 0; b < blocks; ++b) {
      total += host[b];
      most += others[b];
    }
#elif CASE == 11
    // CHECK11: :[[@LINE+1]]:5: error: {{.*}}: the host should add up all of them behind the copy, {{.*}} [gpurma-0231]
    cudaMemcpy(host.data(), partial, bytes, cudaMemcpyDeviceToHost);
    for (int b = 0; b < blocks; ++b) {
      total += host[b];
      total = std::max(total, host[b]);
    }
#elif CASE == 13
    cudaMemcpy(host.data(), partial, bytes, cudaMemcpyDeviceToHost);
    if (it % 2) {
      block_sum<float, 256><<<blocks, 256>>>(u, partial, n);
      // CHECK13: :[[@LINE+1]]:7: error: {{.*}}: the copy to 'host' should stand before this loop in the same block of statements or around it, in the same loop, behind no condition but a check for errors, with no launch in between [gpurma-0231]
      for (int b = 0; b < blocks; ++b)
        total += host[b];
    }
#elif CASE == 14
    cudaMemcpy(host.data(), partial, bytes, cudaMemcpyDeviceToHost);
    for (int k = 0; k < 2; ++k) {
      // CHECK14: :[[@LINE+1]]:7: error: {{.*}}: the copy to 'host' should stand before this loop in the same block of statements or around it, {{.*}} [gpurma-0231]
      for (int b = 0; b < blocks; ++b)
        total += host[b];
      block_sum<float, 256><<<blocks, 256>>>(u, partial, n);
    }
#elif CASE == 15
    // CHECK15: :[[@LINE+3]]:5: error: {{.*}}: the host should add up all of them behind the copy, {{.*}} [gpurma-0231]
    std::vector<float> more(blocks);
    more.push_back(1);
    cudaMemcpy(more.data(), partial, bytes, cudaMemcpyDeviceToHost);
    total += std::accumulate(more.begin(), more.end(), 0.0f);
#elif CASE == 16
    // CHECK16: :[[@LINE+1]]:5: error: {{.*}}: the host should add up all of them behind the copy, {{.*}} [gpurma-0231]
    cudaMemcpy(host.data(), partial, bytes, cudaMemcpyDeviceToHost);
    total = host[0];
    for (int b = 0; b < blocks; ++b)
      total += host[b];
#elif CASE == 12
    cudaMemcpy(host.data(), partial, bytes, cudaMemcpyDeviceToHost);
    for (int b = 0; b < blocks; ++b)
      total += host[b];
#endif
  }
  std::printf("%g %g\n", total, most);
}
