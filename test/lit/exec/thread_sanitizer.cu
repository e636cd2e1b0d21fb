// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ThreadSanitizer says nothing of a kernel whose blocks come one after the other, launched by several threads of the host, and finds a race.
// RUN: %gpurmacc_cpu -g -fsanitize=thread %s -o %t && %t 2>&1 | FileCheck --implicit-check-not=WARNING %s
// RUN: %gpurmacc_cpu -g -fsanitize=thread -DRACE %s -o %t.race && not %t.race 2>&1 | FileCheck --check-prefix=RACE %s
#include <cstdio>
#include <thread>

__global__ void reverse(int *o) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x;
#ifndef RACE
  __syncthreads();
#endif
  // RACE: WARNING: ThreadSanitizer: data race
  // RACE: thread_sanitizer.cu:[[@LINE+1]]
  o[blockIdx.x * 32 + threadIdx.x] = s[31 - threadIdx.x];
}

int main() {
  int sum[2] = {};
  std::thread threads[2];
  for (int k = 0; k < 2; ++k)
    threads[k] = std::thread([&sum, k] {
      int *o;
      cudaStream_t stream;
      cudaMallocManaged(&o, 4 * 32 * sizeof(int));
      cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
      for (int i = 0; i < 3; ++i) {
        reverse<<<4, 32, 0, stream>>>(o);
        cudaStreamSynchronize(stream);
      }
      for (int i = 0; i < 4 * 32; ++i)
        sum[k] += o[i];
    });
  for (std::thread &each : threads)
    each.join();
  // CHECK: 1984 1984
  std::printf("%d %d\n", sum[0], sum[1]);
}
