// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lambdas in launches and shared variables of inline functions get names in each translation unit: the linker takes no kernel of one unit's
// lambda for another's, and whichever unit's copy of the function it takes, the variable is the same.
// RUN: %gpurmacc_cpu -O2 -I%S/Inputs -Wall -Wextra -Werror %s %S/Inputs/same_names_other.cu -o %t
// RUN: %t | FileCheck %s
// RUN: %gpurmacc_cpu -O2 -I%S/Inputs %S/Inputs/same_names_other.cu %s -o %t
// RUN: %t | FileCheck %s
// RUN: %gpurmacc_cpu -O0 -I%S/Inputs %s %S/Inputs/same_names_other.cu -o %t
// RUN: %t | FileCheck %s
// CHECK: sum 1001, the same variable 4 0
#include "same_names.h"

void add_thousand(int *sum);
__global__ void compare(int *same);

__global__ void store(int *same) {
  slots()[threadIdx.x] = 5;
  __syncthreads();
  int *(*volatile function)() = slots;
  atomicAdd(same, function()[threadIdx.x] == 5 && function() == slots());
}

int main() {
  int *numbers;
  if (cudaMallocManaged(&numbers, 3 * sizeof(int)) != cudaSuccess)
    return 1;
  numbers[0] = numbers[1] = numbers[2] = 0;
  each<<<1, 32>>>(1, [=] __device__(int i) { numbers[i] += 1; });
  add_thousand(numbers);
  store<<<1, 4>>>(numbers + 1);
  compare<<<1, 1>>>(numbers + 2);
  const bool failed = cudaDeviceSynchronize() != cudaSuccess;
  std::printf("sum %d, the same variable %d %d\n", numbers[0], numbers[1], numbers[2]);
  return failed;
}
