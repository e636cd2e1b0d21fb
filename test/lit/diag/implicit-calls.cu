// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constructors and destructors with directives, and what they are called with, must not differ between threads.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s

struct at_entry {
  __device__ explicit at_entry(int tag) {
#pragma gpurma wait tag(tag)
  }
};
struct at_exit_of_scope {
  int tag;
  __device__ ~at_exit_of_scope() {
#pragma gpurma wait tag(tag)
  }
};
struct has_member {
  int other;
  at_exit_of_scope member;
};
struct has_base : at_exit_of_scope {};
struct copied {
  __device__ copied() {}
  __device__ copied(const copied&) {
#pragma gpurma barrier
  }
};
struct has_copied {
  copied member;
};

__global__ void leaves() {
  at_exit_of_scope exit{1};
  if (threadIdx.x == 0)
    return;
  exit.tag = 1;
}
// CHECK: :[[@LINE-5]]:20: error: all threads of the block must reach the call of '~at_exit_of_scope', which contains directives, together, but some of them leave before it [gpurma-0103]
// CHECK: :[[@LINE-25]]:16: note: '~at_exit_of_scope' contains this directive
// CHECK: error: the tag of 'wait' must be the same
// CHECK: note: 'tag' is assigned here, under a condition

__global__ void conditions() {
  has_copied whole;
  if (threadIdx.x == 0) {
    at_entry entry(1);
    has_copied copy = whole;
    has_base exit{{1}};
  }
}
// CHECK: :[[@LINE-5]]:14: error: all threads of the block must reach the call of 'at_entry', which contains directives, together, but it stands under a condition that differs between them [gpurma-0102]
// CHECK: :[[@LINE-5]]:23: error: all threads of the block must reach the call of 'has_copied', {{.*}} [gpurma-0102]
// CHECK: :[[@LINE-5]]:14: error: all threads of the block must reach the call of '~has_base', {{.*}} [gpurma-0102]

struct of_variable {
  int tag;
  __device__ ~of_variable() {
#pragma gpurma wait tag(tag)
  }
};
struct of_member {
  int tag;
  __device__ ~of_member() {
#pragma gpurma wait tag(tag)
  }
};
struct of_base {
  int tag;
  __device__ ~of_base() {
#pragma gpurma wait tag(tag)
  }
};
struct of_temporary {
  int tag;
  __device__ ~of_temporary() {
#pragma gpurma wait tag(tag)
  }
};
struct of_parameter {
  int tag;
  __device__ ~of_parameter() {
#pragma gpurma wait tag(tag)
  }
};
struct has_all : of_base {
  of_member member;
};
struct initialised {
  at_entry member{int(threadIdx.x)};
};
__device__ void by_value(of_parameter) {}

__global__ void values() {
  of_variable variable{int(threadIdx.x)};
  has_all all{{int(threadIdx.x)}, {int(threadIdx.x)}};
  of_temporary{int(threadIdx.x)};
  by_value({int(threadIdx.x)});
  initialised last;
}
// CHECK: :[[@LINE-24]]:25: error: the tag of 'wait' must be the same for all threads of the block, but it differs between them [gpurma-0105]
// CHECK: :[[@LINE-19]]:25: error: the tag of 'wait' must be the same for all threads of the block, but it differs between them [gpurma-0105]
// CHECK: :[[@LINE-94]]:25: error: the tag of 'wait' must be the same for all threads of the block, but it differs between them [gpurma-0105]
// CHECK: :[[@LINE-14]]:19: note: parameter 'tag' gets its value here
// CHECK: :[[@LINE-40]]:25: error: the tag of 'wait' must be the same for all threads of the block, but it differs between them [gpurma-0105]
// CHECK: :[[@LINE-10]]:40: note: 'threadIdx' differs between the threads of a block
// CHECK: :[[@LINE-36]]:25: error: the tag of 'wait' must be the same for all threads of the block, but it differs between them [gpurma-0105]
// CHECK: :[[@LINE-12]]:20: note: 'threadIdx' differs between the threads of a block
// CHECK: :[[@LINE-50]]:25: error: the tag of 'wait' must be the same for all threads of the block, but it differs between them [gpurma-0105]
// CHECK: :[[@LINE-15]]:15: note: 'variable' gets its value here
// CHECK: 11 errors generated.

__global__ void right(int n) {
  at_exit_of_scope exit{n};
  for (int i = 0; i < n; ++i) {
    at_entry entry(i);
    has_member member{i, {i}};
    of_temporary{i};
    by_value({i});
    if (i == 3)
      return;
  }
}
