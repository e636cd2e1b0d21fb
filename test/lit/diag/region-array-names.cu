// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays that programs have in objects and behind pointers: the message says how to name them.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s

struct base {
  float* u;
};
struct solver : base {
  float* all[2];
  void run(float** levels, int n) {
#pragma gpurma persistent distribute(base::u : rows(n))
    {}
#pragma gpurma persistent distribute(levels[0], all[n], all[1] : rows(n))
    {}
  }
};
// CHECK: :[[@LINE-6]]:44: error: what is distributed must be a pointer variable or a pointer in a structure variable, not a member of the object: name it by a local reference before the region, 'auto &u = this->u' [gpurma-0065]
// CHECK: :[[@LINE-5]]:38: error: what is distributed must be a pointer variable or a pointer in a structure variable, not an element of what 'levels', a pointer to pointers, leads to: before the region put these into an array, as 'float *u[2]' with levels[0] and levels[1], name that one, and pass its elements to the kernels [gpurma-0065]
// CHECK: :[[@LINE-6]]:49: error: what is distributed must be a pointer variable or a pointer in a structure variable, not an element of an array that only the running program knows: name elements of array variables by constants, 'u[0], u[1]', or give each a local pointer variable before the region [gpurma-0065]

__device__ float on_device[8][16];
void variables(float* a, int n) {
  // CHECK: :[[@LINE+1]]:41: error: what is distributed must be a pointer variable or a pointer in a structure variable, not an array of the device itself, whose memory other processes do not reach: get memory by cudaMalloc, name a pointer to it, and pass it to the kernels, which may call it 'on_device' as well: 'float (*on_device)[16]' [gpurma-0065]
#pragma gpurma persistent distribute(a, on_device : rows(n))
  {}
}

void pitched(cudaPitchedPtr u, void *const bytes, int n) {
#pragma gpurma persistent distribute(u.ptr, bytes : rows(n, u.pitch / sizeof(float)))
  {}
}
// CHECK: :[[@LINE-3]]:40: error: what is distributed must be a pointer variable or a pointer in a structure variable, not a pointer to void, which says nothing of its elements: before the region put it into a variable of their type, as 'auto *array = static_cast<float *>(u.ptr)', name that one, and pass it to the kernels, with the pitch if rows have one [gpurma-0065]
// CHECK: :[[@LINE-4]]:45: error: {{.*}}'auto *array = static_cast<float *>(bytes)', {{.*}} [gpurma-0065]
