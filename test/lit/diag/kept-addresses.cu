// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s
#include <cooperative_groups.h>
#include <gpurma/gpurma.h>

// Where a pointer lies does not say where it leads; and a function may hand on, or keep, what it is passed.
__constant__ int* tags;
__device__ int* same(int* p) { return p; }
struct kept {
  int* p;
  __device__ void keep(int* other) { p = other; }
};
__global__ void pointers(int* in_memory) {
  __shared__ int* shared;
  if (threadIdx.x == 0)
    shared = in_memory;
  __syncthreads();
  // CHECK: :[[@LINE+1]]:23: warning: cannot show {{.*}} [gpurma-0106]
#pragma gpurma notify((*shared)) tag(1)
  // CHECK: :[[@LINE+1]]:23: warning: cannot show {{.*}} [gpurma-0106]
#pragma gpurma notify((tags[1])) tag(1)
  int first = 0, second = 0;
  *same(&first) = threadIdx.x;
  // CHECK: :[[@LINE+1]]:23: error: {{.*}} it differs between them [gpurma-0105]
#pragma gpurma notify((first)) tag(1)
  kept object;
  object.keep(&second);
  *object.p = threadIdx.x;
  // CHECK: :[[@LINE+1]]:23: warning: cannot show {{.*}} [gpurma-0106]
#pragma gpurma notify((second)) tag(1)
  // CHECK: :[[@LINE+1]]:23: error: {{.*}} must be the same for all threads of the block, but it differs between them [gpurma-0105]
#pragma gpurma notify((int(cooperative_groups::coalesced_threads().size()))) tag(1)
}
