// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of blocks of which it is not certain that the host adds up all of them, and nobody else has a use for them.
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
// RUN: not %gpurmacc_cpu -c -DCASE=17 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK17 %s
// RUN: not %gpurmacc_cpu -c -DCASE=18 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK18 %s
// RUN: not %gpurmacc_cpu -c -DCASE=19 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK19 %s
// RUN: not %gpurmacc_cpu -c -DCASE=20 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK20 %s
// RUN: not %gpurmacc_cpu -c -DCASE=21 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK21 %s
// RUN: not %gpurmacc_cpu -c -DCASE=22 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK22 %s
// RUN: not %gpurmacc_cpu -c -DCASE=23 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK23 %s
// RUN: not %gpurmacc_cpu -c -DCASE=24 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK24 %s
#include "../Inputs/block_sum.h"
#include <cstdio>
#include <vector>
__global__ void fill(float *u, float *v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    u[i] = v[i] = 1;
}
float first_of(const float *host) { return host[0]; }
float most_of_copied(const float *partial, float *host, int count) {
  float most = 0;
  cudaMemcpy(host, partial, count * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < count; ++i)
    most = fmaxf(most, host[i]);
  return most;
}
float most_of_both(const float *partial, float *host, int count) { return most_of_copied(partial, host, count) + 1; }
float sum_of(const float *host, int count) {
  float sum = 0;
  for (int i = 0; i < count; ++i)
    sum += host[i];
  return sum;
}

struct Workspace {
  std::vector<float> host;
};

void run(float *u, float *partial, float *passed, int n) {
  float host[64], total = 0;
  std::vector<float> numbers(64);
  Workspace work{std::vector<float>(64)};
  const int blocks = (n + 255) / 256, bytes = blocks * sizeof(float);
#if CASE == 12
  cudaMemcpy(host, partial, bytes, cudaMemcpyDeviceToHost);
  for (int b = 0; b < blocks + 1; ++b)
    // CHECK12: :[[@LINE+1]]:14: error: {{.*}}: 'host', to which they are copied, is combined here, too, but not known to hold what a copy before it, in the same block of statements, has brought, as it does not have them from the region: combine as many as that copy names, or copy as many as 'host' has, and by the same operation as the region, or behind a launch that stores them anew [gpurma-0231]
    total += host[b];
#elif CASE == 13
  if (n > 5)
    cudaMemcpy(host, partial, bytes, cudaMemcpyDeviceToHost);
  for (int b = 0; b < blocks; ++b)
    // CHECK13: :[[@LINE+1]]:14: error: {{.*}}: 'host', to which they are copied, is combined here, too, {{.*}} [gpurma-0231]
    total += host[b];
#elif CASE == 14
  // CHECK14: :[[@LINE+1]]:20: error: {{.*}}: 'host', to which they are copied, is named here, too, {{.*}} [gpurma-0231]
  total = first_of(host);
#elif CASE == 15
  cudaMemcpy(host, partial, bytes, cudaMemcpyDeviceToHost);
#elif CASE == 20
  // How many elements it has is known, but not that there are as many blocks.
  cudaMemcpy(numbers.data(), partial, bytes, cudaMemcpyDeviceToHost);
  for (float value : numbers)
    total += value;
  // CHECK20: :[[@LINE-2]]:22: error: {{.*}}: 'numbers', to which they are copied, is combined here, too, {{.*}}: combine as many as that copy names, or copy as many as 'numbers' has, {{.*}} [gpurma-0231]
#elif CASE == 21
  // Called before the region, too, where nothing has been copied.
  const auto sum = [&] {
    float all = 0;
    for (float value : numbers)
      all += value;
    // CHECK21: :[[@LINE-2]]:24: error: {{.*}}: 'numbers', to which they are copied, is combined here, too, {{.*}} [gpurma-0231]
    return all;
  };
  total = sum();
#endif
#pragma gpurma persistent distribute(u : rows(n))
  for (int it = 0; it < 9; ++it) {
#if CASE != 10
    block_sum<float, 256><<<blocks, 256>>>(u, partial, n);
#endif
#if CASE == 1
    // CHECK1: :[[@LINE+1]]:5: error: blocks store numbers into 'partial', which the host combines, so that the region has their sum, most or least instead of them: the host should add up all of them behind the copy, or the launch if it reads 'partial' itself, or find the most or least, and nothing else with them: 'for (int b = 0; b < blocks; ++b) total += host[b];' or '... most = fmax(most, host[b]);', with a total of their type; else distribute or collect 'partial', and put '#pragma gpurma host' before what the host does with it [gpurma-0231]
    cudaMemcpy(host, partial, bytes, cudaMemcpyDeviceToHost);
    total += host[0];
#elif CASE == 11
    cudaMemcpy(host, partial, bytes, cudaMemcpyDeviceToHost);
    for (int b = 0; b < blocks; ++b)
      total += host[b];
    float least = 0;
    // CHECK11: :[[@LINE+1]]:5: error: {{.*}}: the host should add up all of them behind the copy, {{.*}} or find the most or least, {{.*}} [gpurma-0231]
    for (int b = 0; b < blocks; ++b)
      if (host[b] < least)
        least = host[b];
#elif CASE == 2
    cudaMemcpy(host, partial, bytes, cudaMemcpyDeviceToHost);
    long all = 0;
    // CHECK2: :[[@LINE+1]]:5: error: blocks store numbers into 'partial', {{.*}}: the host combines numbers in another type than that of 'partial'; use one type for both, or a total in double of numbers in float [gpurma-0231]
    for (int b = 0; b < blocks; ++b)
      all += host[b];
#elif CASE == 3
    // CHECK3: :[[@LINE+1]]:5: error: {{.*}}: 'passed', to which they are copied, should be a local variable of the function, {{.*}}, as it does not have them where others look [gpurma-0231]
    cudaMemcpy(passed, partial, bytes, cudaMemcpyDeviceToHost);
    for (int b = 0; b < blocks; ++b)
      total += passed[b];
#elif CASE == 24
    // CHECK24: :[[@LINE+1]]:5: error: {{.*}}: 'work.host.data()', to which they are copied, should be a local variable of the function, {{.*}} [gpurma-0231]
    cudaMemcpy(work.host.data(), partial, bytes, cudaMemcpyDeviceToHost);
    for (int b = 0; b < blocks; ++b)
      total += work.host[b];
#elif CASE == 17
    {
      cudaMemcpy(host, partial, bytes, cudaMemcpyDeviceToHost);
      block_sum<float, 256><<<blocks, 256>>>(u, partial, n);
    }
    // CHECK17: :[[@LINE+1]]:5: error: {{.*}}: the copy to 'host' should stand before this loop {{.*}} [gpurma-0231]
    for (int b = 0; b < blocks; ++b)
      total += host[b];
#elif CASE == 18
    do {
      if (it % 2)
        continue;
      cudaMemcpy(host, partial, bytes, cudaMemcpyDeviceToHost);
    } while (false);
    // CHECK18: :[[@LINE+1]]:5: error: {{.*}}: the copy to 'host' should stand before this loop {{.*}} [gpurma-0231]
    for (int b = 0; b < blocks; ++b)
      total += host[b];
#elif CASE == 20
    cudaMemcpy(numbers.data(), partial, bytes, cudaMemcpyDeviceToHost);
    total += sum_of(numbers.data(), blocks);
#elif CASE == 21
    cudaMemcpy(numbers.data(), partial, bytes, cudaMemcpyDeviceToHost);
    total += sum();
#elif CASE == 19
    cudaMemcpy(numbers.data(), partial, bytes, cudaMemcpyDeviceToHost);
    total += sum_of(numbers.data(), blocks);
    // CHECK19: :[[@LINE+1]]:21: error: {{.*}}: 'numbers', to which they are copied, is named here, too, {{.*}} [gpurma-0231]
    total += sum_of(numbers.data() + 1, blocks - 1);
#elif CASE == 4 || CASE >= 12
#if CASE == 16
    total > 5 &&
#endif
    cudaMemcpy(host, partial, bytes, cudaMemcpyDeviceToHost);
    // CHECK16: :[[@LINE+1]]:5: error: {{.*}}: the copy to 'host' should stand before this loop {{.*}} [gpurma-0231]
    for (int b = 0; b < blocks; ++b)
      total += host[b];
#elif CASE == 5
    cudaMemcpy(host, partial, bytes, cudaMemcpyDeviceToHost);
    block_sum<float, 256><<<blocks, 256>>>(u, partial, n);
    // CHECK5: :[[@LINE+1]]:5: error: {{.*}}: the copy to 'host' should stand before this loop {{.*}} [gpurma-0231]
    for (int b = 0; b < blocks; ++b)
      total += host[b];
#elif CASE == 6
    if (it % 2)
      cudaMemcpy(host, partial, bytes, cudaMemcpyDeviceToHost);
    // CHECK6: :[[@LINE+1]]:5: error: {{.*}}: the copy to 'host' should stand before this loop {{.*}} [gpurma-0231]
    for (int b = 0; b < blocks; ++b)
      total += host[b];
#elif CASE == 7
    // CHECK7: :[[@LINE+1]]:5: error: {{.*}}: the host should add up all of them behind the copy, {{.*}} [gpurma-0231]
    cudaMemcpy(host, partial, bytes, cudaMemcpyDeviceToHost);
    for (int b = 1; b < blocks; ++b)
      total += host[b];
#elif CASE == 8
    cudaMemcpy(host, partial, bytes, cudaMemcpyDeviceToHost);
    for (int b = 0; b < blocks; ++b)
      total += host[b];
    if (it % 3 == 0) {
#pragma gpurma host
      // CHECK8: :[[@LINE+1]]:27: error: {{.*}}: 'host', to which they are copied, is named here, too, {{.*}} [gpurma-0231]
      std::printf("%g\n", host[0]);
    }
#elif CASE == 9
    for (int b = 0; b < blocks; ++b)
      total += partial[b];
    // CHECK9: :[[@LINE+1]]:14: error: {{.*}}: 'partial' is used here, too, where the region does not have the numbers; use another array [gpurma-0231]
    total += partial[1];
#else
    // What is no number of a block is an array that is not distributed.
    // CHECK10: :{{[0-9]+}}:5: error: 'u' is written here, but each process has a copy of its own; name it in 'distribute', {{.*}} [gpurma-0206]
    fill<<<blocks, 256>>>(passed, u, n);
    cudaMemcpy(host, passed, bytes, cudaMemcpyDeviceToHost);
#endif
  }
  // CHECK4: :[[@LINE+2]]:33: error: {{.*}}: 'host', to which they are copied, is named here, too, where it does not have them; use another array, or add up, outside of the region, no more than what the same statements have just copied to it [gpurma-0231]
#if CASE == 4
  std::printf("%g %g\n", total, host[3]);
#elif CASE == 22
  // The region has left one number there, and nothing else to a sum.
  cudaMemcpy(host, partial, bytes, cudaMemcpyDeviceToHost);
  for (int b = 0; b < blocks; ++b)
    // CHECK22: :[[@LINE+1]]:26: error: {{.*}}: 'host', to which they are copied, is combined here, too, {{.*}} and by the same operation as the region, or behind a launch that stores them anew [gpurma-0231]
    total = fmaxf(total, host[b]);
#elif CASE == 23
  // Of other numbers it may be the most, and of these where they are stored anew.
  total = most_of_both(passed, host, blocks);
  block_sum<float, 256><<<blocks, 256>>>(u, partial, n);
  cudaMemcpy(host, partial, bytes, cudaMemcpyDeviceToHost);
  for (int b = 0; b < blocks; ++b)
    total = fmaxf(total, host[b]);
  // CHECK23: :[[@LINE+1]]:34: error: {{.*}}: 'host', to which they are copied, is combined here, too, {{.*}} [gpurma-0231]
  total += most_of_both(partial, host, blocks);
#elif CASE == 15
  for (int b = 0; b < blocks; ++b)
    // CHECK15: :[[@LINE+1]]:14: error: {{.*}}: 'host', to which they are copied, is combined here, too, {{.*}} [gpurma-0231]
    total += host[b];
#endif
}
