// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel(float* a) {
  int lane = threadIdx.x % 32;
#pragma gpurma window(w = a[0:64])
#pragma gpurma put(a[lane:1]) to(1) at(w[0])
#pragma gpurma notify(1) tag(lane)
}

// CHECK: :[[@LINE-4]]:22: error: the first element of 'put' must be the same for all threads of the block, but it differs between them [gpurma-0105]
// CHECK: :[[@LINE-7]]:7: note: 'lane' gets its value here
// CHECK: :[[@LINE-8]]:14: note: 'threadIdx' differs between the threads of a block
// CHECK: :[[@LINE-6]]:30: error: the tag of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
// CHECK: :[[@LINE-10]]:7: note: 'lane' gets its value here
// CHECK: :[[@LINE-11]]:14: note: 'threadIdx' differs between the threads of a block

// What each thread gets of a counter that all of them count on, and what a lambda reads of the object around it.
struct own {
  int lane;
  __device__ int get() {
    auto read = [this] { return lane; };
    return read();
  }
};
__global__ void counted(float* a) {
  __shared__ int next;
  if (threadIdx.x == 0)
    next = 0;
  __syncthreads();
  own thread{static_cast<int>(threadIdx.x)};
#pragma gpurma window(w = a[0:64])
#pragma gpurma put(a[0:1]) to(1) at(w[next++])
#pragma gpurma notify(1) tag(next += 2)
#pragma gpurma notify(1) tag(thread.get())
#pragma gpurma notify(1) tag(next)
}
// CHECK: :[[@LINE-5]]:39: error: the offset of 'put' must be the same for all threads of the block, but it differs between them [gpurma-0105]
// CHECK: :[[@LINE-6]]:39: note: 'the new value of next' differs between the threads of a block
// CHECK: :[[@LINE-6]]:30: error: the tag of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
// CHECK: :[[@LINE-6]]:30: error: the tag of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
// CHECK: :[[@LINE-7]]:30: note: returned by 'get'
