// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements that cannot run on the device.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s
#include <cstdio>
#include <string>
#include <vector>

__global__ void k(float* a, int n) { a[blockIdx.x] = n; }
__global__ void add(const float* a, float* sum) { atomicAdd(sum, a[blockIdx.x]); }
double on_host(double x);
bool more();

void calls(float* a, int n, cudaStream_t stream, cudaEvent_t event, FILE* file, int (*pointer)(int), int m) {
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n && more(); ++i) {
    k<<<n, 1>>>(a, n);
    double x = on_host(i);
    std::fprintf(file, "%g", x);
    cudaEventRecord(event, stream);
    cudaMemcpy(a, &m, n, cudaMemcpyHostToDevice);
    m = pointer(n);
    float first = a[0];
    first = *a;
    first = true ? first : (k<<<n, 1>>>(a, n), first);
  }
}
void statements(float* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n; ++i) {
    k<<<n, 1>>>(a, n);
    asm("");
    int* p = new int;
    try { ++i; } catch (...) {}
    auto f = [n = ++i] { return n; };
    static int count = 0;
    struct local { int v; };
    while (int j = i)
      ++i;
    if (i > 10)
      return;
    goto out;
  }
out:
#pragma gpurma persistent distribute(a : rows(n))
  {
    k<<<n, 1>>>(a, n);
    break;
  }
}

// CHECK: :15:28: error: 'more' is a function of the host, and the persistent region runs on the device; mark it __host__ __device__, or move the call out of the region [gpurma-0127]
// CHECK: :11:6: note: 'more' is declared here
// CHECK: :17:16: error: 'on_host' is a function of the host, and the persistent region runs on the device; mark it __host__ __device__, or move the call out of the region [gpurma-0127]
// CHECK: :10:8: note: 'on_host' is declared here
// CHECK: :18:5: error: 'fprintf' is a function of the host, and the persistent region runs on the device; print by printf, or by the host: '#pragma gpurma host' [gpurma-0127]
// CHECK: :19:5: error: 'cudaEventRecord' cannot be called in a persistent region; record events before and behind it, whose launches are one kernel, or where the host runs a statement [gpurma-0128]
// CHECK: :20:5: error: 'cudaMemcpy' cannot be called in a persistent region; move it out, and say by 'reduce' which scalars the kernels update [gpurma-0128]
// CHECK: :20:5: note: the region is one kernel
// CHECK: :21:9: error: 'pointer(n)' cannot be part of a persistent region, which runs on the device; move it out of the region [gpurma-0124]
// CHECK: :22:19: error: 'a[0]' cannot be part of a persistent region, which runs on the device; move it out of the region [gpurma-0124]
// CHECK: :23:13: error: '*a' cannot be part of a persistent region, which runs on the device; move it out of the region [gpurma-0124]
// CHECK: :24:29: error: in a persistent region, a launch must be a statement of its own [gpurma-0125]
// CHECK: :31:5: error: 'asm("")' cannot be part of a persistent region, which runs on the device; move it out of the region [gpurma-0124]
// CHECK: :32:14: error: 'new int' cannot be part of a persistent region, which runs on the device; move it out of the region [gpurma-0124]
// CHECK: :33:5: error: 'try { ++i; } catch (...) {}' cannot be part of a persistent region, which runs on the device; move it out of the region [gpurma-0124]
// CHECK: :34:14: error: '[n = ++i] { return n; }' cannot be part of a persistent region, which runs on the device; move it out of the region [gpurma-0124]
// CHECK: :35:5: error: 'static int count = 0' cannot be part of a persistent region, which runs on the device; move it out of the region [gpurma-0124]
// CHECK: :37:5: error: 'while (int j = i) ++i' cannot be part of a persistent region, which runs on the device; move it out of the region [gpurma-0124]
// CHECK: :40:7: error: 'return' would leave the persistent region; set a variable that ends its loop instead [gpurma-0126]
// CHECK: :41:5: error: 'goto' would leave the persistent region; set a variable that ends its loop instead [gpurma-0126]
// CHECK: :47:5: error: 'break' would leave the persistent region; set a variable that ends its loop instead [gpurma-0126]
