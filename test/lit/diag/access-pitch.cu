// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that are found by bytes, and not at the beginning of an element, or as bytes.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s

__global__ void between(float* out, size_t pitch, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    ((float*)((char*)out + y * pitch + 2))[x] = 0;
}
__global__ void bytes(float* out, size_t pitch, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    ((char*)out + y * pitch)[x] = 0;
}
__global__ void other(float* out, size_t stride, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    ((float*)((char*)out + y * stride))[x] = 0;
}
void run(float* a, size_t pitch, size_t stride, int nx, int ny, dim3 grid) {
  const dim3 block(32, 8);
#pragma gpurma persistent distribute(a : rows(ny, pitch / sizeof(float)))
  {
    between<<<grid, block>>>(a, pitch, nx, ny);
    bytes<<<grid, block>>>(a, pitch, nx, ny);
    other<<<grid, block>>>(a, stride, nx, ny);
  }
}
// CHECK: :8:5: error: cannot tell which array is written here: the pointer may be one of several, or lead to what is not known; index a pointer parameter of the kernel, which no branch or loop exchanges [gpurma-0205]
// CHECK: :13:5: error: cannot tell which array is written here: 'out' is taken for elements of another size, or begins within one; index a pointer parameter of the kernel, which no branch or loop exchanges [gpurma-0205]
// CHECK: :18:5: error: cannot tell which array is written here: the pointer may be one of several, or lead to what is not known; index a pointer parameter of the kernel, which no branch or loop exchanges [gpurma-0205]
