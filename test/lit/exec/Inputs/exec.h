// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the programs of this suite share: memory, a count of failed expectations, and one line at the end.
#ifndef GPURMA_TEST_EXEC_H
#define GPURMA_TEST_EXEC_H

#include <cstddef>
#include <cstdio>
#include <gpurma/gpurma.h>

template <class T> T *managed(std::size_t count) {
  T *memory = nullptr;
  if (cudaMallocManaged(&memory, count * sizeof(T)) != cudaSuccess)
    return nullptr;
  for (std::size_t i = 0; i < count; ++i)
    memory[i] = T();
  return memory;
}

/// One thread of a block counts what did not hold.
__device__ inline void expect(int *failures, bool condition) {
  if (threadIdx.x == 0 && !condition)
    atomicAdd(failures, 1);
}

/// Ends a test after its kernels: exit code 0 and, on process 0, "<name>: ok" if all expectations held.
inline int finish(const char *name, const gpurma::layout &layout, const int *failures) {
  if (cudaError_t error = cudaDeviceSynchronize()) {
    std::printf("%s: %s\n", name, cudaGetErrorString(error));
    return 1;
  }
  if (*failures) {
    std::printf("%s: %d expectations failed on process %d\n", name, *failures, layout.process);
    return 1;
  }
  if (layout.process == 0)
    std::printf("%s: ok\n", name);
  return 0;
}

#endif
