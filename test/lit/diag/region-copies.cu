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
    cudaMemcpy(a + nx, b, bytes, cudaMemcpyDeviceToDevice);
#pragma gpurma persistent distribute(a, b, f.u : rows(ny, nx))
  for (int i = 0; i < 4; ++i)
    cudaMemcpy(a, &b[nx], bytes, cudaMemcpyDeviceToDevice);
#pragma gpurma persistent distribute(a, b, f.u : rows(ny, nx))
  for (int i = 0; i < 4; ++i)
    cudaMemset(f.u + i * nx, 0, nx * sizeof(float));
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
// CHECK: :30:16: error: 'cudaMemcpy' in a persistent region cannot copy to 'a + nx': arrays are copied and filled whole; launch a kernel that does it for a part [gpurma-0142]
// CHECK: :33:19: error: 'cudaMemcpy' in a persistent region cannot copy from '&b[nx]': arrays are copied and filled whole
// CHECK: :36:16: error: 'cudaMemset' in a persistent region cannot fill 'f.u + i * nx': arrays are copied and filled whole

void shapes(float* a, float* wide, double* d, float* line, int ny, int nx) {
  const size_t bytes = ny * nx * sizeof(float);
#pragma gpurma persistent distribute(a : rows(ny, nx)) distribute(wide : rows(ny, nx + 1))
  {
    cudaMemcpy(wide, a, bytes, cudaMemcpyDeviceToDevice);
  }
#pragma gpurma persistent distribute(a : rows(ny, nx)) distribute(d : rows(ny, nx))
  {
    cudaMemcpy(d, a, bytes, cudaMemcpyDeviceToDevice);
  }
#pragma gpurma persistent distribute(a : rows(ny, nx)) distribute(line : rows(ny * nx))
  {
    cudaMemcpy(line, a, bytes, cudaMemcpyDeviceToDevice);
  }
#pragma gpurma persistent distribute(a : rows(ny, nx)) distribute(wide : rows(ny, nx + 1))
  for (int i = 0; i < 4; ++i)
    cudaMemset(i > 2 ? a : wide, 0, bytes);
}
// CHECK: :55:5: error: 'cudaMemcpy' would copy between 'wide' and 'a', or fill either, which have different shapes; launch a kernel that says which element becomes which [gpurma-0143]
// CHECK: :59:5: error: 'cudaMemcpy' would copy between 'd' and 'a', or fill either, which have elements of different sizes; launch a kernel
// CHECK: :63:5: error: 'cudaMemcpy' would copy between 'line' and 'a', or fill either, which have different shapes;
// CHECK: :67:5: error: 'cudaMemset' would copy between 'a' and 'wide', or fill either, which have different shapes;

void sizes(float* a, float* b, char* c, char* d, int ny, int nx) {
  const int n = ny * nx;
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < 4; ++i)
    cudaMemcpy(a, b, n, cudaMemcpyDeviceToDevice);
#pragma gpurma persistent distribute(a, b : rows(64, 32))
  for (int i = 0; i < 4; ++i)
    cudaMemset(a, 0, 32 * sizeof(float));
#pragma gpurma persistent distribute(c, d : rows(64, 32))
  for (int i = 0; i < 4; ++i)
    cudaMemcpy(c, d, 2049, cudaMemcpyDeviceToDevice);
}
// CHECK: :78:22: error: 'cudaMemcpy' in a persistent region copies arrays whole, but is not given the size of 'a': as many bytes as it has elements; multiply by their size [gpurma-0144]
// CHECK: :81:25: error: 'cudaMemset' in a persistent region fills arrays whole, but is not given the size of 'a': 128 bytes, and not 8192 [gpurma-0144]
// CHECK: :84:22: error: 'cudaMemcpy' in a persistent region copies arrays whole, but is not given the size of 'c': 2049 bytes, and not 2048 [gpurma-0144]
