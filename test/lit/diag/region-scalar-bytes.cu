// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is cleared or copied is the reduced scalar and nothing behind it.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s

__global__ void add(const float* a, float* sum) { atomicAdd(sum, a[blockIdx.x]); }
void run(float* a, float* s, float* host, int n, size_t bytes) {
  const size_t known = sizeof(float);
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : *s)
  for (int i = 0; i < n; ++i) {
    cudaMemset(s, 0, 2 * sizeof(float));
    add<<<n, 1>>>(a, s);
    cudaMemcpy(host, s, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(host, s, known, cudaMemcpyDeviceToHost);
    cudaMemcpy(s, host, sizeof *s, cudaMemcpyHostToDevice);
  }
}
// Of an array of them, some or all, and not what is behind a pointer.
__global__ void add_element(const float* a, float* sums) { atomicAdd(&sums[1], a[blockIdx.x]); }
void counted(float* a, float* s, float* host, int n, int count) {
  float known[2];
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : s[0], s[1])
  for (int i = 0; i < n; ++i) {
    add_element<<<n, 1>>>(a, s);
    cudaMemcpy(known, s, count * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(host, s, 2 * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemset(s, 0, 3 * sizeof(float));
    cudaMemset(s + 1, 0, sizeof(float));
    cudaMemcpy(known, s, sizeof known, cudaMemcpyDeviceToHost);
  }
}
// CHECK: :10:5: error: 'cudaMemset' cannot be called in a persistent region; move it out, and say by 'reduce' which scalars the kernels update [gpurma-0128]
// CHECK: :10:24: note: the reduced '*s' is 4 bytes; say by a constant that it is these that are copied or cleared
// CHECK: :12:5: error: 'cudaMemcpy' cannot be called in a persistent region
// CHECK: :12:25: note: the reduced '*s' is 4 bytes
// CHECK: :24:5: error: 'cudaMemcpy' cannot be called in a persistent region
// CHECK: :24:32: note: 's[0]' is the first of 2 reduced scalars of 4 bytes: say by a constant how many of them are copied, to or from an array of the host that the region can have, 'float host[2];', which is neither a std::vector nor behind a pointer
// CHECK: :25:5: error: 'cudaMemcpy' cannot be called in a persistent region
// CHECK: :25:27: note: 's[0]' is the first of 2 reduced scalars
// CHECK: :26:5: error: 'cudaMemset' cannot be called in a persistent region
// CHECK: :26:24: note: 's[0]' is the first of 2 reduced scalars of 4 bytes: say by a constant how many of them are cleared
// CHECK-NOT: error:
