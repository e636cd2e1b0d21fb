// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shared variable has the alignment of its declaration, in templates as well; and declarations that the preprocessor chooses parts of, or
// that stand in a macro's argument.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror -O2 %s -o %t && %t | FileCheck %s
// RUN: not %gpurmacc_cpu -DHALF -c %s -o %t.o 2>&1 | FileCheck --check-prefix=HALF %s
#include <cstdint>
#include <cstdio>

__device__ int is_aligned(const void *p, unsigned bytes) { return reinterpret_cast<std::uintptr_t>(p) % bytes == 0; }

__shared__ __align__(64) char of_file[3];

template <class T> __device__ T *dynamic_memory() {
  extern __shared__ __align__(sizeof(T)) unsigned char memory[];
  return reinterpret_cast<T *>(memory);
}

template <class T> __device__ int of_template() {
  __shared__ char before;
  alignas(T) __shared__ char raw[4 * sizeof(T)];
  __shared__ __align__(4 * sizeof(T)) char more[3];
  before = 1;
  *reinterpret_cast<T *>(raw) = {};
  raw[4 * sizeof(T) - 1] = before;
  more[0] = 0;
  return is_aligned(raw, alignof(T)) + is_aligned(more, 4 * sizeof(T));
}

#define TWICE(text) text text

__global__ void aligned(int *found) {
  __shared__ char flag;
  __shared__ __align__(16) char raw[512];
  alignas(32) __shared__ short one;
  __shared__ char odd, __attribute__((aligned(128))) first, second __attribute__((aligned(64)));
  flag = odd = 1;
  first = second = 2;
  one = 3;
  reinterpret_cast<float4 *>(raw)[threadIdx.x] = make_float4(flag, 2, 3, 4);
  __syncthreads();
  dynamic_memory<double>()[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    found[0] = static_cast<int>(reinterpret_cast<float4 *>(raw)[31].w) + is_aligned(raw, 16) + is_aligned(&one, 32);
    found[1] = is_aligned(of_file, 64) + is_aligned(&first, 128) + is_aligned(&second, 64) + one + odd;
    found[2] = of_template<double2>();
    found[3] = static_cast<int>(dynamic_memory<double>()[31]);
  }
  __shared__ int chosen[
#ifdef LARGE
      64
#else
      32
#endif
  ];
  if (threadIdx.x == 0) {
    chosen[0] = sizeof chosen;
    found[4] = chosen[0];
    found[5] = 0;
    TWICE({
      __shared__ int sum;
      sum = 4;
      found[5] += sum;
    })
  }
#ifdef HALF
  // HALF: error: __shared__ variable 'half' cannot be lowered for the CPU target: a directive of the preprocessor stands in its declaration [gpurma-0157]
  __shared__ int
#if 1
      half;
#endif
  half = 1;
#endif
}

int main() {
  int *found;
  cudaMallocManaged(&found, 6 * sizeof(int));
  aligned<<<1, 32, 32 * sizeof(double)>>>(found);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  // CHECK: 6 7 2 31 128 8
  std::printf("%d %d %d %d %d %d\n", found[0], found[1], found[2], found[3], found[4], found[5]);
}
