// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies and fills in persistent regions that are not of whole distributed arrays.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

struct Fields {
  float *u, *v;
};
float* chosen();

void pointers(float* a, float* b, float* other, Fields f, Fields* g, int ny, int nx) {
  const size_t bytes = ny * nx * sizeof(float);
#pragma gpurma persistent distribute(a, b, f.u : rows(ny, nx))
  for (int i = 0; i < 4; ++i)
    cudaMemcpy(a, other, bytes, cudaMemcpyDeviceToDevice);
#pragma gpurma persistent distribute(a, b, f.u : rows(ny, nx))
  for (int i = 0; i < 4; ++i)
    cudaMemcpyAsync(f.v, a, bytes, cudaMemcpyDefault, 0);
#pragma gpurma persistent distribute(a, b, f.u : rows(ny, nx))
  for (int i = 0; i < 4; ++i)
    cudaMemcpy(a, chosen(), bytes, cudaMemcpyDeviceToDevice);
#pragma gpurma persistent distribute(a, b, f.u : rows(ny, nx))
  for (int i = 0; i < 4; ++i)
    cudaMemset(other, 0, bytes);
#pragma gpurma persistent distribute(a, b, f.u : rows(ny, nx))
  for (int i = 0; i < 4; ++i)
    cudaMemcpy(b, g->u, bytes, cudaMemcpyDeviceToDevice);
#pragma gpurma persistent distribute(a, b, f.u : rows(ny, nx))
  for (int i = 0; i < 4; ++i)
    cudaMemcpy(i > 2 ? a + nx : b, b, bytes, cudaMemcpyDeviceToDevice);
}
// CHECK: :15:19: error: 'cudaMemcpy' in a persistent region cannot copy from 'other': it is not distributed; name it in 'distribute', or in 'reduce' if it is a scalar that kernels update [gpurma-0142]
// CHECK: :15:19: note: the region is one kernel, which does not reach the host's memory, and each process has its own rows only: copy before or behind the region, or in a statement that the host runs, behind '#pragma gpurma host'
// CHECK: :18:21: error: 'cudaMemcpyAsync' in a persistent region cannot copy to 'f.v': it is not distributed
// CHECK: :18:21: note: the region is one kernel
// CHECK: :21:19: error: 'cudaMemcpy' in a persistent region cannot copy from 'chosen()': it is not distributed
// CHECK: :21:19: note: the region is one kernel
// CHECK: :24:16: error: 'cudaMemset' in a persistent region cannot fill 'other': it is not distributed
// CHECK: :27:19: error: 'cudaMemcpy' in a persistent region cannot copy from 'g->u': it is not distributed
// CHECK: :27:19: note: the region is one kernel
// CHECK: :30:16: error: 'cudaMemcpy' in a persistent region cannot copy to 'i > 2 ? a + nx : b': only whole arrays are copied and filled, and whole rows, from 'a + row * stride' on; launch a kernel that does it for another part [gpurma-0142]

void shapes(float* a, float* wide, double* d, float* line, int ny, int nx) {
  const size_t bytes = ny * nx * sizeof(float);
#pragma gpurma persistent distribute(a : rows(ny, nx)) distribute(wide : rows(ny, nx + 1))
  {
    // CHECK: :[[@LINE+1]]:5: error: 'cudaMemcpy' would copy between 'wide' and 'a', or fill either, which have different shapes; launch a kernel that says which element becomes which [gpurma-0143]
    cudaMemcpy(wide, a, bytes, cudaMemcpyDeviceToDevice);
  }
#pragma gpurma persistent distribute(a : rows(ny, nx)) distribute(d : rows(ny, nx))
  {
    // CHECK: :[[@LINE+1]]:5: error: 'cudaMemcpy' would copy between 'd' and 'a', or fill either, which have elements of different sizes; launch a kernel
    cudaMemcpy(d, a, bytes, cudaMemcpyDeviceToDevice);
  }
#pragma gpurma persistent distribute(a : rows(ny, nx)) distribute(line : rows(ny * nx))
  {
    // CHECK: :[[@LINE+1]]:5: error: 'cudaMemcpy' would copy between 'line' and 'a', or fill either, which have different shapes;
    cudaMemcpy(line, a + nx, nx * sizeof(float), cudaMemcpyDeviceToDevice);
  }
#pragma gpurma persistent distribute(a : rows(ny, nx)) distribute(wide : rows(ny, nx + 1))
  for (int i = 0; i < 4; ++i)
    // CHECK: :[[@LINE+1]]:5: error: 'cudaMemset' would copy between 'a' and 'wide', or fill either, which have different shapes;
    cudaMemset(i > 2 ? a : wide, 0, bytes);
}

void sizes(float* a, float* b, char* c, char* d, int ny, int nx) {
  const int n = ny * nx;
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < 4; ++i)
    // CHECK: :[[@LINE+1]]:22: error: 'cudaMemcpy' in a persistent region copies whole arrays, or whole rows, but is not given the size of 'a', or of rows of it: as many bytes as there are elements; multiply by their size [gpurma-0144]
    cudaMemcpy(a, b, n, cudaMemcpyDeviceToDevice);
#pragma gpurma persistent distribute(a, b : rows(64, 32))
  for (int i = 0; i < 4; ++i)
    // CHECK: :[[@LINE+1]]:25: error: 'cudaMemset' in a persistent region fills whole arrays, or whole rows, but is not given the size of 'a': 100 bytes, and not 8192 [gpurma-0144]
    cudaMemset(a, 0, 25 * sizeof(float));
#pragma gpurma persistent distribute(c, d : rows(64, 32))
  for (int i = 0; i < 4; ++i)
    // CHECK: :[[@LINE+1]]:22: error: 'cudaMemcpy' in a persistent region copies whole arrays, or whole rows, but is not given the size of 'c': 2049 bytes, and not 2048 [gpurma-0144]
    cudaMemcpy(c, d, 2049, cudaMemcpyDeviceToDevice);
}
