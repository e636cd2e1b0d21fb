// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where put(array : halo(n)) stands, and which arrays it names.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s

__global__ void reset(float* a) { a[blockIdx.x] = 0; }

void names(float* a, float* c, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n; ++i) {
#pragma gpurma put(c : halo(0)) notify
    reset<<<n, 1>>>(a);
#pragma gpurma put(a, a : halo(0)) notify
    reset<<<n, 1>>>(a);
  }
}

// A put stands before a launch, and nothing between them.
__global__ void in_kernel(float* a) {
#pragma gpurma put(a : halo(1)) notify
  a[blockIdx.x] = 0;
}
void places(float* a, float* b, int n) {
#pragma gpurma put(a : halo(1)) notify
  reset<<<n, 1>>>(a);
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n; ++i) {
#pragma gpurma put(a : halo(0)) notify
    int j = i;
    reset<<<n, 1>>>(a);
#pragma gpurma put(a : halo(0)) notify
    if (j > 0)
      reset<<<n, 1>>>(a);
    if (j > 0)
#pragma gpurma put(a : halo(0)) notify
    reset<<<n, 1>>>(a);
#pragma gpurma put(a : halo(0)) notify
  }
#pragma gpurma persistent distribute(a, b : rows(n))
  for (int i = 0; i < n; ++i) {
#pragma gpurma put(a : halo(0)) notify
    cudaMemcpy(a, b, n * sizeof(float), cudaMemcpyDeviceToDevice);
  }
}

// CHECK: :10:20: error: 'c' is not distributed by this region [gpurma-0134]
// CHECK: :12:23: error: 'a' is named twice [gpurma-0134]
// CHECK: :27:16: error: 'put(array : halo(n))' must stand directly before a launch of a persistent region [gpurma-0138]
// CHECK: :30:16: error: 'put(array : halo(n))' must stand directly before a launch of a persistent region [gpurma-0138]
// CHECK: :34:16: error: 'put(array : halo(n))' must stand directly before a launch of a persistent region [gpurma-0138]
// CHECK: :36:16: error: 'put(array : halo(n))' must stand directly before a launch of a persistent region [gpurma-0138]
// CHECK: :40:16: error: 'put(array : halo(n))' must stand directly before a launch of a persistent region [gpurma-0138]
// CHECK: :19:16: error: 'put(array : halo(n))' must stand directly before a launch of a persistent region [gpurma-0138]
// CHECK: :23:16: error: 'put(array : halo(n))' must stand directly before a launch of a persistent region [gpurma-0138]
