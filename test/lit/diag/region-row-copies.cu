// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies and fills in persistent regions that are not of whole rows.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

void rows(float* a, float* b, float* f, int ny, int nx, int some) {
  const size_t row = nx * sizeof(float);
  int start = 2 * nx;
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < 4; ++i) {
    // CHECK: :[[@LINE+1]]:16: error: 'cudaMemcpy' in a persistent region cannot copy to 'a + 3': this is not proven to be where a row of 'a' begins; add a multiple of its rows' elements, as 'a + row * stride', or launch a kernel that does it for a part [gpurma-0142]
    cudaMemcpy(a + 3, b, row, cudaMemcpyDeviceToDevice);
    // CHECK: :[[@LINE+1]]:28: error: 'cudaMemcpyAsync' in a persistent region cannot copy from '&b[(ny - 1) * (nx + 1)]': this is not proven to be where a row of 'b' begins
    cudaMemcpyAsync(&a[0], &b[(ny - 1) * (nx + 1)], row, cudaMemcpyDeviceToDevice);
    start += nx;
    // CHECK: :[[@LINE+1]]:16: error: 'cudaMemset' in a persistent region cannot fill 'b + start': this is not proven
    cudaMemset(b + start, 0, row);
    // CHECK: :[[@LINE+1]]:19: error: 'cudaMemcpy' in a persistent region cannot copy from 'a + nx': the rows overlap those that they become [gpurma-0142]
    cudaMemcpy(a, a + nx, 2 * row, cudaMemcpyDeviceToDevice);
    // CHECK: :[[@LINE+1]]:27: error: 'cudaMemcpy' in a persistent region copies whole arrays, or whole rows, but is not given the size of 'a', or of rows of it: as many bytes as there are elements; multiply by their size
    cudaMemcpy(a, a + nx, nx, cudaMemcpyDeviceToDevice);
    // CHECK: :[[@LINE+1]]:29: error: 'cudaMemcpy' in a persistent region copies whole arrays, or whole rows, but is not given the size of rows of 'a': the bytes are not proven to be those of 1 to 8 rows; multiply the elements of a row by their number, a constant, and by their size [gpurma-0144]
    cudaMemcpy(a, b + nx, 9 * row, cudaMemcpyDeviceToDevice);
    // CHECK: :[[@LINE+1]]:32: error: 'cudaMemset' in a persistent region fills whole arrays, or whole rows, but is not given the size of rows of 'a': the bytes
    cudaMemset(a + nx, 0, some * row);
    // CHECK: :[[@LINE+1]]:47: error: 'cudaMemcpy' in a persistent region copies whole arrays, or whole rows, but is not given the size of rows of 'a': the bytes
    cudaMemcpy(a, b + nx + nx, (ny - 2) * row - sizeof(float), cudaMemcpyDeviceToDevice);
  }
  // Components lie apart.
#pragma gpurma persistent distribute(f : components(3), rows(ny, nx))
  for (int i = 0; i < 4; ++i)
    // CHECK: :[[@LINE+1]]:35: error: 'cudaMemcpy' in a persistent region copies whole arrays, or whole rows, but is not given the size of rows of 'f': the bytes
    cudaMemcpy(f, f + ny * nx, ny * row, cudaMemcpyDeviceToDevice);
}
