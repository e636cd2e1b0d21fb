// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AddressSanitizer sees the first byte behind an allocation of the device, whatever its size.
// RUN: %gpurmacc_cpu -fsanitize=address -g %s -o %t
// RUN: %t 100 99
// RUN: not %t 100 100 2>&1 | FileCheck %s
// RUN: not %t 256 256 2>&1 | FileCheck %s
// CHECK: heap-buffer-overflow
// CHECK: WRITE of size 1
// CHECK: address_sanitizer.cu:[[#@LINE + 3]]
#include <cstdlib>

__global__ void store(char *memory, int at) { memory[at] = 1; }

int main(int, char **argv) {
  char *memory = nullptr;
  if (cudaMalloc(&memory, std::atoi(argv[1])) != cudaSuccess)
    return 1;
  store<<<1, 1>>>(memory, std::atoi(argv[2]));
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(memory);
  return error;
}
