// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors in launches in one dimension: next to single elements, of rows that are no multiple of them, and where threads work together;
// and elements that are parts of the array's.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
// RUN: not %gpurmacc_cuda -fsyntax-only %s 2>&1 | %filecheck %s

__global__ void both(float *out, const float *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4)
    reinterpret_cast<float4 *>(out)[i] = make_float4(in[i], 0, 0, 0);
}
__global__ void odd(float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4)
    reinterpret_cast<float4 *>(out)[i] = make_float4(1, 2, 3, 4);
}
__global__ void dot(float *sum, const float *in, int n) {
  __shared__ float part[64];
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x)
    s += reinterpret_cast<const float4 *>(in)[i].x;
  part[threadIdx.x] = s;
  __syncthreads();
  for (int w = 32; w > 0; w /= 2) {
    if (threadIdx.x < w)
      part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    atomicAdd(sum, part[0]);
}
__global__ void halves(short *out, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    out[y * nx + x] = 1;
}

void run(float *u, float *v, float *w, float *sum, int ny, int nx) {
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) distribute(w : rows(ny, 39)) reduce(+ : *sum)
  {
    both<<<nx * ny / 256, 64>>>(v, u, nx * ny);
    odd<<<39 * ny / 256, 64>>>(w, 39 * ny);
    dot<<<4, 64>>>(sum, u, nx * ny);
    halves<<<dim3(4, 4), dim3(32, 8)>>>(reinterpret_cast<short *>(u), ny, 2 * nx);
  }
}

// CHECK: :10:54: error: cannot tell which element is read here: in one dimension a kernel whose threads do not work together may load and store 'in' by vectors of which rows have a whole number, and then all arrays by vectors of as many elements; launch it in blocks, or let threads have an element each [gpurma-0205]
// CHECK: :15:5: error: cannot tell which element is written here: in one dimension a kernel whose threads do not work together may load and store 'out' by vectors of which rows have a whole number, and then all arrays by vectors of as many elements; launch it in blocks, or let threads have an element each [gpurma-0205]
// CHECK: :21:50: error: cannot tell which element is read here: in one dimension a kernel whose threads do not work together may load and store 'in' by vectors of which rows have a whole number, and then all arrays by vectors of as many elements; launch it in blocks, or let threads have an element each [gpurma-0205]
// CHECK: :35:5: error: cannot tell which array is written here: 'out' is taken for elements of another size, or begins within one; index a pointer parameter of the kernel, which no branch or loop exchanges [gpurma-0205]
