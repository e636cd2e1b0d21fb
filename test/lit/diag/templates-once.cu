// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instantiations are analyzed; each mistake is reported once, on the pattern, and only if some instantiation makes it.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

struct Threads {
  static __device__ int index() { return threadIdx.x; }
};
struct Blocks {
  static __device__ int index() { return blockIdx.x; }
};

template <class Over> __global__ void some(int partner) {
  if (Over::index() == 0) {
// CHECK: :[[@LINE+1]]:16: error: {{.*}}'notify' {{.*}} [gpurma-0102]
#pragma gpurma notify(partner) tag(1)
  }
}

template <class Over> __global__ void none(int partner) {
  if (Over::index() == 0) {
#pragma gpurma notify(partner) tag(1)
  }
}

template <class T> __global__ void all(T partner) {
  if (threadIdx.x == 0) {
// CHECK: :[[@LINE+1]]:16: error: {{.*}}'notify' {{.*}} [gpurma-0102]
#pragma gpurma notify(partner) tag(1)
  }
}

void start() {
  some<Threads><<<1, 32>>>(0);
  some<Blocks><<<1, 32>>>(0);
  none<Blocks><<<1, 32>>>(0);
  all<int><<<1, 32>>>(0);
  all<short><<<1, 32>>>(0);
}
// CHECK-NOT: {{(error|warning)}}:
