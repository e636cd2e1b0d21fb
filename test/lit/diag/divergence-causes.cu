// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What makes a condition differ between threads, and the notes that lead there.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

__device__ int lane() { return threadIdx.x % 32; }

__device__ void store(int& to, int value) { to = value; }

// CHECK: :[[@LINE+5]]:16: error: {{.*}}'notify' {{.*}} [gpurma-0102]
// CHECK: :[[@LINE+3]]:7: note: the condition is here
// CHECK: :[[@LINE+2]]:7: note: 'atomicAdd' differs between the threads of a block
__global__ void atomic_result(int* counter) {
  if (atomicAdd(counter, 1) == 0) {
#pragma gpurma notify(1) tag(1)
  }
}

// CHECK: :[[@LINE+5]]:16: error: {{.*}}'notify' {{.*}} [gpurma-0102]
// CHECK: :[[@LINE+3]]:7: note: the condition is here
// CHECK: :[[@LINE+2]]:7: note: '__ballot_sync' differs between the threads of a block
__global__ void warp_vote(int n) {
  if (__ballot_sync(0xffffffff, n > 3)) {
#pragma gpurma notify(1) tag(1)
  }
}

// CHECK: :[[@LINE+6]]:16: error: {{.*}}'notify' {{.*}} [gpurma-0102]
// CHECK: :[[@LINE+4]]:7: note: the condition is here
// CHECK: :[[@LINE+3]]:7: note: loaded from an address that differs between threads
// CHECK: :[[@LINE+2]]:13: note: 'threadIdx' differs between the threads of a block
__global__ void own_element(const int* flags) {
  if (flags[threadIdx.x]) {
#pragma gpurma notify(1) tag(1)
  }
}

// CHECK: :[[@LINE+6]]:16: error: {{.*}}'notify' {{.*}} [gpurma-0102]
// CHECK: :[[@LINE+4]]:7: note: the condition is here
// CHECK: :[[@LINE+3]]:7: note: returned by 'lane'
// CHECK: :[[@LINE-35]]:32: note: 'threadIdx' differs between the threads of a block
__global__ void helper_result() {
  if (lane() == 0) {
#pragma gpurma notify(1) tag(1)
  }
}

// CHECK: :[[@LINE+10]]:16: error: {{.*}}'notify' {{.*}} [gpurma-0102]
// CHECK: :[[@LINE+8]]:7: note: the condition is here
// CHECK: :[[@LINE+6]]:10: note: 'mine' is assigned here, under a condition
// CHECK: :[[@LINE+4]]:7: note: the condition is here
// CHECK: :[[@LINE+3]]:7: note: 'threadIdx' differs between the threads of a block
__global__ void assigned_under_condition() {
  int mine = 0;
  if (threadIdx.x < 4)
    mine = 1;
  if (mine) {
#pragma gpurma notify(1) tag(1)
  }
}

// CHECK: :[[@LINE+9]]:16: error: {{.*}}'notify' {{.*}} [gpurma-0102]
// CHECK: :[[@LINE+7]]:7: note: the condition is here
// CHECK: :[[@LINE+5]]:3: note: 'value' gets its value here
// CHECK: :[[@LINE-57]]:48: note: 'to' gets its value here
// CHECK: :[[@LINE+3]]:16: note: parameter 'value' gets its value here
__global__ void by_reference() {
  int value = 0;
  store(value, threadIdx.x);
  if (value) {
#pragma gpurma notify(1) tag(1)
  }
}

// CHECK: :[[@LINE+8]]:16: error: {{.*}}'notify' {{.*}} [gpurma-0102]
// CHECK: :[[@LINE+6]]:7: note: the condition is here
// CHECK: :[[@LINE+4]]:9: note: 'sum' gets its value here
__global__ void loop_of_threads(int n) {
  int sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    sum += i;
  if (sum > 3) {
#pragma gpurma notify(1) tag(1)
  }
}

// CHECK: :[[@LINE+7]]:16: error: {{.*}}'notify' {{.*}} some of them leave before it [gpurma-0103]
// CHECK: :[[@LINE+4]]:9: note: which threads leave is decided here
__global__ void left_by_continue(int n) {
  for (int i = 0; i < n; ++i) {
    int x = i + threadIdx.x;
    if (x % 2)
      continue;
#pragma gpurma notify(1) tag(1)
  }
}

// CHECK: :[[@LINE+5]]:16: error: {{.*}}'notify' {{.*}} some of them leave before it [gpurma-0103]
__global__ void left_by_goto(int n) {
  if (clock64() > n)
    goto end;
  n = 0;
#pragma gpurma notify(n) tag(1)
end:;
}

// CHECK: :[[@LINE+5]]:16: error: {{.*}}'notify' {{.*}} [gpurma-0102]
__global__ void in_lambda() {
  int thread = threadIdx.x;
  auto send = [&](auto partner) {
    if (thread == 0) {
#pragma gpurma notify(partner) tag(1)
    }
  };
  send(1);
}

// CHECK: :[[@LINE+4]]:16: error: {{.*}}'notify' {{.*}} [gpurma-0102]
__device__ void in_switch(int n) {
  switch (n + lane()) {
  case 0: {
#pragma gpurma notify(n) tag(1)
  }
  }
}

// CHECK: :[[@LINE+6]]:16: error: {{.*}}'notify' {{.*}} [gpurma-0102]
struct Worker {
  int thread;
  __device__ void work() {
    thread = threadIdx.x;
    if (thread == 0) {
#pragma gpurma notify(1) tag(1)
    }
  }
};

// CHECK: :[[@LINE+4]]:16: error: {{.*}}'barrier' {{.*}} [gpurma-0102]
__device__ void in_endless_loop() {
  for (;;) {
    if (threadIdx.x == 0) {
#pragma gpurma barrier
    }
  }
}
