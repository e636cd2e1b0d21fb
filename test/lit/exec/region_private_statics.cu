// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Private static members of a class template, and protected ones of its base, that a region in a member function names, in two instances: constants,
// a table, a variable, extents and sizes of blocks, in the region and in what the host does in it. A member of the base that a using-declaration names,
// and members of unions without names.
// RUN: %gpurmacc_cpu -I%S -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// CHECK: steps 16
// CHECK: u {{[1-9][0-9]*}}
// CHECK: steps 16
// CHECK: u {{[1-9][0-9]*}}
// CHECK: union 9
#include "Inputs/region.h"

#include <utility>

template <class T> __global__ void step(T *out, const T *in, int ny, int nx, T by, T plus) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    out[y * nx + x] = (in[(y - 1) * nx + x] + by * in[(y + 1) * nx + x] + plus) % 100999;
}
static union {
  int as_int;
  float as_float;
};

template <class T> class sizes {
protected:
  static constexpr int ny = 90, nx = 20;
  int counted = 0;
};
template <class T> class solver : sizes<T> {
  using sizes<T>::ny;
  using sizes<T>::counted;
  static constexpr int width = 8, height = 4;
  static constexpr T factor = 3, plus[2] = {5, 7};
  inline static T added = 1;
  static int next(int t) { return t + 1; }
  void count() { ++counted; }
  T *u = array_of_numbers<T>(ny * sizes<T>::nx), *v = array_of_numbers<T>(ny * sizes<T>::nx);

public:
  void run() {
    const dim3 threads(width, height), grid((sizes<T>::nx + width - 1) / width, (ny + height - 1) / height);
    int done = 0;
#pragma gpurma persistent distribute(u, v : rows(ny, sizes<T>::nx))
    for (int t = 0; t < 9; t = next(t)) {
      step<T><<<grid, threads>>>(v, u, ny, sizes<T>::nx, factor, added + plus[1]);
      std::swap(u, v);
      if (t % 2 == 1) {
#pragma gpurma host
        {
          done += next(t) - t - width / 16 + added;
          as_int += done > 0 ? 1 : 0;
        }
      }
      count();
    }
    done += counted;
    if (is_first_process())
      std::printf("steps %d\n", done - 1);
    print_sum("u", u, ny * sizes<T>::nx);
  }
};

int main() {
  as_int = 1;
  solver<int>().run();
  solver<long long>().run();
  if (is_first_process())
    std::printf("union %d\n", as_int);
}
