// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers that threads do not come to once they have returned stand in the kernel itself.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
__device__ void wait_for_all() { __syncthreads(); }
__global__ void smooth(float* out, const float* in, int ny, int nx) {
  __shared__ float tile[4][32];
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  tile[threadIdx.y][threadIdx.x] = in[y * nx + x];
  wait_for_all();
  out[y * nx + x] = tile[threadIdx.y][threadIdx.x / 2 * 2];
}
void iterate(float* a, float* b, int ny, int nx) {
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < 10; ++i)
    smooth<<<dim3(nx / 32, ny / 4), dim3(32, 4)>>>(b, a, ny, nx);
}
// CHECK: :17:5: error: threads of kernel 'smooth' may return before others wait for each other in 'wait_for_all'; a persistent region goes on with them: write __syncthreads() in the kernel's own body, or let all threads come there [gpurma-0162]
// CHECK: :11:3: note: in the call of 'wait_for_all' here
