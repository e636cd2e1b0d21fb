// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// What kernels read besides the arrays and scalars of a region must not be these by another name, nor a part of them: the run ends.
// Tables that change places, and arrays of volatile elements, are read as without the pragma.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck --check-prefix=SUM %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 3 %t | sort -u | diff - %t.expected
// RUN: not %t scalar-variable 2>&1 | FileCheck --check-prefix=SCALAR-VARIABLE %s
// RUN: not %t scalar-pointer 2>&1 | FileCheck --check-prefix=SCALAR-POINTER %s
// RUN: not %t scalar-member 2>&1 | FileCheck --check-prefix=SCALAR-MEMBER %s
// RUN: not %t array-variable 2>&1 | FileCheck --check-prefix=ARRAY-VARIABLE %s
// RUN: not %t array-template 2>&1 | FileCheck --check-prefix=ARRAY-TEMPLATE %s
// RUN: not %t changing 2>&1 | FileCheck --check-prefix=CHANGING %s
// RUN: not %t chosen 2>&1 | FileCheck --check-prefix=CHOSEN %s
// RUN: not %t declared 2>&1 | FileCheck --check-prefix=DECLARED %s
// RUN: not %t moved 2>&1 | FileCheck --check-prefix=MOVED %s
#include <cstdio>
#include <cstring>
#include <utility>

constexpr int n = 64;

struct totals {
  int all, few;
};
namespace {
__device__ int sum_of_device;
}
namespace of_device {
__device__ int numbers[2 * n];
template <int Step> __device__ int steps[n];
}

__global__ void add(int *out, const int *in, int *sum, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size)
    return;
  out[i] = in[i] + 1;
  atomicAdd(sum, 1);
}
__device__ int sum_so_far() { return sum_of_device; }
__global__ void add_sum_of_device(int *out, const int *in, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size)
    out[i] = in[i] + sum_so_far();
}
__global__ void add_number(int *out, const int *in, const int *number, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size)
    out[i] = in[i] + *number;
}
__global__ void add_few(int *out, const int *in, const totals *all, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size)
    out[i] = in[i] + all->few;
}
__global__ void add_numbers(int *out, const int *in, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size)
    out[i] = in[i] + of_device::numbers[size - 1 - i];
}
__global__ void add_step(int *out, const int *in, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size)
    out[i] = in[i] + of_device::steps<2>[size - 1 - i];
}
__global__ void add_table(int *out, const int *in, const int *table, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size)
    out[i] = in[i] + table[size - 1 - i];
}
__global__ void add_next(int *out, const int *in, const int *next, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size - 8)
    out[i] = in[i] + next[i];
}
__global__ void shift(volatile int *out, const volatile int *in, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size)
    out[i] = i > 0 ? in[i - 1] : in[i];
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  const auto is = [&](const char *name) { return std::strcmp(what, name) == 0; };
  int *a, *b, *sum, *tables[2];
  cudaMallocManaged(&a, n * sizeof(int));
  cudaMallocManaged(&b, n * sizeof(int));
  cudaMallocManaged(&tables[0], n * sizeof(int));
  cudaMallocManaged(&tables[1], n * sizeof(int));
  cudaMallocManaged(&sum, sizeof(int));
  for (int i = 0; i < n; ++i) {
    a[i] = i;
    b[i] = 0;
    tables[0][i] = 3 * i;
    tables[1][i] = i * i;
  }
  if (is("scalar-variable")) {
    cudaGetSymbolAddress(reinterpret_cast<void **>(&sum), sum_of_device);
    // SCALAR-VARIABLE: the persistent region at {{.*}}region_other_names.cu:[[#@LINE+1]]: kernels read 'sum', which the region reduces, as 'sum_of_device', and would not see there what others add; pass them 'sum'
#pragma gpurma persistent distribute(a, b : rows(n)) reduce(+ : *sum)
    for (int step = 0; step < 3; ++step) {
      add<<<8, 8>>>(b, a, sum, n);
      add_sum_of_device<<<8, 8>>>(a, b, n);
    }
  } else if (is("scalar-pointer")) {
    const int *same = sum;
    // SCALAR-POINTER: the persistent region at {{.*}}region_other_names.cu:[[#@LINE+1]]: kernels read 'sum', which the region reduces, as 'same', and would not see there what others add; pass them 'sum'
#pragma gpurma persistent distribute(a, b : rows(n)) reduce(+ : *sum)
    for (int step = 0; step < 3; ++step) {
      add<<<8, 8>>>(b, a, sum, n);
      add_number<<<8, 8>>>(a, b, same, n);
    }
  } else if (is("scalar-member")) {
    totals *both;
    cudaMallocManaged(&both, sizeof(totals));
    int *few = &both->few;
    // SCALAR-MEMBER: the persistent region at {{.*}}region_other_names.cu:[[#@LINE+1]]: kernels read 'few', which the region reduces, as 'both', and would not see there what others add; pass them 'few'
#pragma gpurma persistent distribute(a, b : rows(n)) reduce(+ : *few)
    for (int step = 0; step < 3; ++step) {
      add<<<8, 8>>>(b, a, few, n);
      add_few<<<8, 8>>>(a, b, both, n);
    }
  } else if (is("array-variable")) {
    int *numbers;
    cudaGetSymbolAddress(reinterpret_cast<void **>(&numbers), of_device::numbers);
    numbers += n;
    // ARRAY-VARIABLE: the persistent region at {{.*}}region_other_names.cu:[[#@LINE+1]]: 'numbers' shares memory with 'numbers', which the region distributes
#pragma gpurma persistent distribute(numbers, b : rows(n))
    for (int step = 0; step < 3; ++step) {
      add_numbers<<<8, 8>>>(b, numbers, n);
      std::swap(numbers, b);
    }
  } else if (is("array-template")) {
    int *steps;
    cudaGetSymbolAddress(reinterpret_cast<void **>(&steps), of_device::steps<2>);
    // ARRAY-TEMPLATE: the persistent region at {{.*}}region_other_names.cu:[[#@LINE+1]]: 'steps' shares memory with 'steps', which the region distributes
#pragma gpurma persistent distribute(steps, b : rows(n))
    for (int step = 0; step < 3; ++step) {
      add_step<<<8, 8>>>(b, steps, n);
      std::swap(steps, b);
    }
  } else if (is("changing")) {
    const int *table = tables[0], *other = a;
    // CHANGING: launch in a persistent region at {{.*}}region_other_names.cu:[[#@LINE+3]] on rank {{[0-9]+}}: the kernel is passed a pointer, 0x{{[0-9a-f]+}}, which leads into an array that the region distributes, and is not taken to be that array; pass the array itself, as 'distribute' names it, and let the kernel add an offset
#pragma gpurma persistent distribute(a, b : rows(n))
    for (int step = 0; step < 3; ++step) {
      add_table<<<8, 8>>>(b, a, table, n);
      std::swap(a, b);
      std::swap(table, other);
    }
  } else if (is("chosen")) {
    const int *other = a;
    // CHOSEN: launch in a persistent region at {{.*}}region_other_names.cu:[[#@LINE+3]] on rank {{[0-9]+}}: the kernel is passed a pointer
#pragma gpurma persistent distribute(a, b : rows(n))
    for (int step = 0; step < 3; ++step) {
      add_table<<<8, 8>>>(b, a, step == 1 ? other : tables[1], n);
      std::swap(a, b);
    }
  } else if (is("declared")) {
    // DECLARED: launch in a persistent region at {{.*}}region_other_names.cu:[[#@LINE+4]] on rank {{[0-9]+}}: the kernel is passed a pointer
#pragma gpurma persistent distribute(a, b : rows(n))
    for (int step = 0; step < 3; ++step) {
      const int *next = a + 8;
      add_next<<<8, 8>>>(b, a, next, n);
      std::swap(a, b);
    }
  } else if (is("moved")) {
    // MOVED: launch in a persistent region at {{.*}}region_other_names.cu:[[#@LINE+4]] on rank {{[0-9]+}}: the kernel is passed a pointer
#pragma gpurma persistent distribute(a, b : rows(n))
    for (int step = 0; step < 3; ++step) {
      a += 8;
      add_next<<<8, 8>>>(b, b, a, n);
      a -= 8;
    }
  } else {
    const int *table = tables[0], *other = tables[1];
    *sum = 0;
#pragma gpurma persistent distribute(a, b : rows(n)) reduce(+ : *sum)
    for (int step = 0; step < 4; ++step) {
      add_table<<<8, 8>>>(b, a, table, n);
      std::swap(table, other);
      add_table<<<8, 8>>>(a, b, step % 2 ? other : tables[1], n);
      shift<<<8, 8>>>(b, a, n);
      add_sum_of_device<<<8, 8>>>(a, b, n);
      add<<<8, 8>>>(b, a, sum, n);
      std::swap(a, b);
    }
    cudaDeviceSynchronize();
    long long all = 0;
    for (int i = 0; i < n; ++i)
      all += static_cast<long long>(i + 1) * a[i];
    // SUM: 256 updates, {{[0-9]+}}
    printf("%d updates, %lld\n", *sum, all);
  }
  return 0;
}
