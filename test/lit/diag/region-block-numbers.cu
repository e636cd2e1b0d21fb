// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of blocks of which it is not certain that a second kernel combines all of them, and nobody else has a use for them.
// RUN: not %gpurmacc_cpu -c -DCASE=1 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK1 %s
// RUN: not %gpurmacc_cpu -c -DCASE=2 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK2 %s
// RUN: not %gpurmacc_cpu -c -DCASE=3 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK3 %s
// RUN: not %gpurmacc_cpu -c -DCASE=4 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK4 %s
// RUN: not %gpurmacc_cpu -c -DCASE=5 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK5 %s
// RUN: not %gpurmacc_cpu -c -DCASE=6 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK6 %s
// RUN: not %gpurmacc_cpu -c -DCASE=7 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK7 %s
// RUN: not %gpurmacc_cpu -c -DCASE=8 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK8 %s
// RUN: not %gpurmacc_cpu -c -DCASE=9 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK9 %s
// RUN: not %gpurmacc_cpu -c -DCASE=10 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK10 %s
// RUN: not %gpurmacc_cpu -c -DCASE=11 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK11 %s
// RUN: not %gpurmacc_cpu -c -DCASE=12 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK12 %s
// RUN: not %gpurmacc_cpu -c -DCASE=13 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK13 %s
// RUN: not %gpurmacc_cpu -c -DCASE=14 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK14 %s
// RUN: not %gpurmacc_cpu -c -DCASE=15 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK15 %s
// RUN: not %gpurmacc_cpu -c -DCASE=16 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK16 %s
// RUN: not %gpurmacc_cpu -c -DCASE=17 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK17 %s
// RUN: not %gpurmacc_cpu -c -DCASE=18 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK18 %s
// RUN: not %gpurmacc_cpu -c -DCASE=19 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK19 %s
// RUN: not %gpurmacc_cpu -c -DCASE=20 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK20 %s
// RUN: not %gpurmacc_cpu -c -DCASE=21 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK21 %s
// RUN: not %gpurmacc_cpu -c -DCASE=22 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK22 %s

__device__ float in_block(float s) {
  __shared__ float part[256];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int w = 128; w > 0; w /= 2) {
    if (threadIdx.x < w)
      part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  return part[0];
}
__global__ void sum(const float *u, float *partial, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = in_block(i < n ? u[i] : 0);
  if (threadIdx.x == 0)
    partial[blockIdx.x] = s;
}
__global__ void twice(const float *u, float *partial, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = in_block(i < n ? u[i] : 0);
  if (threadIdx.x == 0)
    partial[blockIdx.x] = s + partial[0];
}
__global__ void by_all(const float *u, float *partial, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = in_block(i < n ? u[i] : 0);
  partial[blockIdx.x] = s;
}
__global__ void backwards(const float *u, float *partial, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = in_block(i < n ? u[i] : 0);
  if (threadIdx.x == 0)
    partial[gridDim.x - 1 - blockIdx.x] = s;
}
__global__ void as_value(const float *u, float *partial, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = in_block(i < n ? u[i] : 0);
  if (threadIdx.x == 0)
    s = (partial[blockIdx.x] = s);
}
__global__ void add_up(const float *partial, float *result, int count) {
  float s = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    s += partial[i];
  s = in_block(s);
  if (threadIdx.x == 0)
    *result = s;
}
__global__ void half(const float *partial, float *result, int count) {
  float s = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    s += partial[i];
  s = in_block(s);
  if (threadIdx.x == 0)
    *result = s / 2;
}
__global__ void last(const float *partial, float *result, int count) {
  float s = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    s = partial[i];
  s = in_block(s);
  if (threadIdx.x == 0)
    *result = s;
}
__global__ void some(const float *partial, float *result, int count) {
  float s = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    s += partial[i];
  for (int w = 16; w > 0; w /= 2)
    s += __shfl_down_sync(~0u, s, w);
  if (threadIdx.x == 0)
    *result = s;
}
__global__ void from_all(const float *partial, float *result, int count) {
  float s = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    s += partial[i];
  *result = in_block(s);
}
__global__ void in_double(const float *partial, float *result, int count) {
  double s = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    s += partial[i];
  s = in_block(s);
  if (threadIdx.x == 0)
    *result = s;
}
__global__ void most(const float *partial, float *result, int count) {
  if (threadIdx.x == 0) {
    float m = 0;
    for (int i = 0; i < 8; ++i)
      m = fmaxf(m, partial[i]);
    *result = m;
  }
}
__global__ void from_second(const float *partial, float *result, int count) {
  float s = 0;
  for (int i = threadIdx.x + 1; i < count; i += blockDim.x)
    s += partial[i];
  s = in_block(s);
  if (threadIdx.x == 0)
    *result = s;
}
__global__ void less_than_all(const float *partial, float *result, int count) {
  float s = threadIdx.x + 1 < count ? partial[threadIdx.x] : 0;
  s = in_block(s);
  if (threadIdx.x == 0)
    *result = s;
}
__global__ void add_twice(const float *partial, float *result, int count) {
  float s = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    s += partial[i];
  for (int w = 16; w > 0; w /= 2)
    s += __shfl_down_sync(~0u, s, w);
  s += __shfl_sync(~0u, s, 0);
  if (threadIdx.x == 0)
    *result = s;
}
__global__ void in_two(const float *u, float *partial, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = in_block(i < n ? u[i] : 0);
  if (threadIdx.x % 128 == 0)
    partial[blockIdx.x] = s;
}
__global__ void in_loop(const float *u, float *partial, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = in_block(i < n ? u[i] : 0);
  for (int k = 0; k < 2; ++k)
    if (threadIdx.x == 0)
      partial[blockIdx.x] = s;
}
__global__ void by_whole_grids(float *out, const float *u, float *partial, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += blockDim.y * gridDim.y)
    if (x < nx)
      out[y * nx + x] = u[y * nx + x];
  if (threadIdx.x == 0 && threadIdx.y == 0)
    partial[blockIdx.y * gridDim.x + blockIdx.x] = 2;
}
__global__ void in_some_blocks(const float *u, float *partial, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = in_block(i < n ? u[i] : 0);
  if (threadIdx.x == 0 && blockIdx.x % 2 == 0)
    partial[blockIdx.x] = s;
}

void regions(float *u, float *partial, float *result, float *other, int ny, int nx, int blocks, int threads) {
  int n = ny * nx;
#if CASE == 1
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *result)
  for (int it = 0; it < 9; ++it) {
    sum<<<blocks, 256>>>(u, partial, n);
    // CHECK1: region-block-numbers.cu:[[@LINE+1]]:16: error: blocks store numbers into 'partial', which 'add_up' combines, so that the region has their sum, most or least instead of them: 'partial' is used here, too, where the region does not have the numbers; use another array [gpurma-0231]
    cudaMemset(partial, 0, sizeof *partial);
    add_up<<<1, 256>>>(partial, result, blocks);
  }
#elif CASE == 2
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *result)
  for (int it = 0; it < 9; ++it) {
    sum<<<blocks, 256>>>(u, partial, n);
    // CHECK2: region-block-numbers.cu:[[@LINE+1]]:5: error: {{.*}} 'add_up' should be launched with one block, of one dimension, with constants for both, '<<<1, 256>>>' [gpurma-0231]
    add_up<<<2, 256>>>(partial, result, blocks);
  }
#elif CASE == 3
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *result)
  for (int it = 0; it < 9; ++it) {
    // CHECK3: region-block-numbers.cu:47:31: error: {{.*}} 'twice' does something else with 'partial', too; use it for one number of each block, and nothing else [gpurma-0231]
    // CHECK3: region-block-numbers.cu:[[@LINE+1]]:5: note: that launch is here
    twice<<<blocks, 256>>>(u, partial, n);
    add_up<<<1, 256>>>(partial, result, blocks);
  }
#elif CASE == 4
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *result)
  for (int it = 0; it < 9; ++it) {
    // CHECK4: region-block-numbers.cu:52:3: error: {{.*}} one thread of each block should store here, whatever else it does: behind 'if (threadIdx.x == 0)' or 'if (threadIdx.x != 0) return;', and not in a loop [gpurma-0231]
    by_all<<<blocks, 256>>>(u, partial, n);
    add_up<<<1, 256>>>(partial, result, blocks);
  }
#elif CASE == 5
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *result)
  for (int it = 0; it < 9; ++it) {
    // CHECK5: region-block-numbers.cu:58:13: error: {{.*}} the number of the block should be the subscript, blockIdx.x or blockIdx.y * gridDim.x + blockIdx.x [gpurma-0231]
    backwards<<<blocks, 256>>>(u, partial, n);
    add_up<<<1, 256>>>(partial, result, blocks);
  }
#elif CASE == 6
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *result)
  for (int it = 0; it < 9; ++it) {
    // CHECK6: region-block-numbers.cu:64:10: error: {{.*}} each block stores one number in a statement of its own, 'partial[...] = ...;', of the type of the array [gpurma-0231]
    as_value<<<blocks, 256>>>(u, partial, n);
    add_up<<<1, 256>>>(partial, result, blocks);
  }
#elif CASE == 7
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *result)
  for (int it = 0; it < 9; ++it) {
    // CHECK7: region-block-numbers.cu:[[@LINE+1]]:5: error: {{.*}} 'sum' has blocks of a size that is not known here; write it as a constant [gpurma-0231]
    sum<<<blocks, threads>>>(u, partial, n);
    add_up<<<1, 256>>>(partial, result, blocks);
  }
#elif CASE == 8
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *result)
  for (int it = 0; it < 9; ++it) {
    sum<<<blocks, 256>>>(u, partial, n);
    // CHECK8: region-block-numbers.cu:80:17: error: {{.*}} cannot show that 'half' stores here what all numbers are combined, each once, or the root of it [gpurma-0231]
    half<<<1, 256>>>(partial, result, blocks);
  }
#elif CASE == 9
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *result)
  for (int it = 0; it < 9; ++it) {
    sum<<<blocks, 256>>>(u, partial, n);
    // CHECK9: region-block-numbers.cu:88:15: error: {{.*}} cannot show that 'last' stores here what all numbers are combined, each once, or the root of it [gpurma-0231]
    last<<<1, 256>>>(partial, result, blocks);
  }
#elif CASE == 10
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *result)
  for (int it = 0; it < 9; ++it) {
    sum<<<blocks, 256>>>(u, partial, n);
    // CHECK10: region-block-numbers.cu:97:15: error: {{.*}} cannot show that 'some' stores here what all numbers are combined, each once, or the root of it [gpurma-0231]
    some<<<1, 256>>>(partial, result, blocks);
  }
#elif CASE == 11
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *result)
  for (int it = 0; it < 9; ++it) {
    sum<<<blocks, 256>>>(u, partial, n);
    // CHECK11: region-block-numbers.cu:103:13: error: {{.*}} 'from_all' should store what it has combined once, in one thread, into the scalar that a parameter points to, '*result = ...;' [gpurma-0231]
    from_all<<<1, 256>>>(partial, result, blocks);
  }
#elif CASE == 12
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *result)
  for (int it = 0; it < 9; ++it) {
    sum<<<blocks, 256>>>(u, partial, n);
    // CHECK12: region-block-numbers.cu:108:10: error: {{.*}} 'in_double' combines numbers in another type than that of 'partial'; use one type for both [gpurma-0231]
    in_double<<<1, 256>>>(partial, result, blocks);
  }
#elif CASE == 13
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *result)
  for (int it = 0; it < 9; ++it) {
    sum<<<blocks, 256>>>(u, partial, n);
    // CHECK13: region-block-numbers.cu:[[@LINE+1]]:33: error: blocks of all processes combine 'result' here; say so with the clause 'reduce(+ : *other)' [gpurma-0216]
    add_up<<<1, 256>>>(partial, other, blocks);
  }
#elif CASE == 14
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *result)
  for (int it = 0; it < 9; ++it) {
    sum<<<blocks, 256>>>(u, partial, n);
    add_up<<<1, 256>>>(partial, result, blocks);
  }
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(max : *result)
  for (int it = 0; it < 9; ++it) {
    // CHECK14: region-block-numbers.cu:[[@LINE+1]]:5: error: {{.*}} kernel 'sum' is launched in another way elsewhere, where the blocks' numbers are not combined by the same operation; write two kernels [gpurma-0231]
    sum<<<8, 256>>>(u, partial, n);
    most<<<1, 32>>>(partial, result, 8);
  }
#elif CASE == 15
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *result)
  for (int it = 0; it < 9; ++it) {
    float *const mine = partial;
    sum<<<blocks, 256>>>(u, mine, n);
    // CHECK15: region-block-numbers.cu:[[@LINE+1]]:5: error: {{.*}} 'mine' is a variable of the region; declare it before [gpurma-0231]
    add_up<<<1, 256>>>(mine, result, blocks);
  }
#elif CASE == 16
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *result)
  for (int it = 0; it < 9; ++it) {
    // CHECK16: region-block-numbers.cu:123:{{[0-9]+}}: error: {{.*}} cannot show that 'from_second' stores here what all numbers are combined, each once, or the root of it [gpurma-0231]
    sum<<<blocks, 256>>>(u, partial, n);
    from_second<<<1, 256>>>(partial, result, blocks);
  }
#elif CASE == 17
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *result)
  for (int it = 0; it < 9; ++it) {
    // CHECK17: region-block-numbers.cu:130:{{[0-9]+}}: error: {{.*}} cannot show that 'less_than_all' stores here what all numbers are combined, each once, or the root of it [gpurma-0231]
    sum<<<blocks, 256>>>(u, partial, n);
    less_than_all<<<1, 256>>>(partial, result, blocks);
  }
#elif CASE == 18
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *result)
  for (int it = 0; it < 9; ++it) {
    // CHECK18: region-block-numbers.cu:143:{{[0-9]+}}: error: {{.*}} cannot show that 'add_twice' stores here what all numbers are combined, each once, or the root of it [gpurma-0231]
    sum<<<blocks, 256>>>(u, partial, n);
    add_twice<<<1, 32>>>(partial, result, blocks);
  }
#elif CASE == 19
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *result)
  for (int it = 0; it < 9; ++it) {
    // CHECK19: region-block-numbers.cu:149:{{[0-9]+}}: error: {{.*}} one thread of each block should store here, whatever else it does: behind 'if (threadIdx.x == 0)' or 'if (threadIdx.x != 0) return;', and not in a loop [gpurma-0231]
    in_two<<<blocks, 256>>>(u, partial, n);
    add_up<<<1, 256>>>(partial, result, blocks);
  }
#elif CASE == 20
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *result)
  for (int it = 0; it < 9; ++it) {
    // CHECK20: region-block-numbers.cu:156:{{[0-9]+}}: error: {{.*}} one thread of each block should store here, whatever else it does: behind 'if (threadIdx.x == 0)' or 'if (threadIdx.x != 0) return;', and not in a loop [gpurma-0231]
    in_loop<<<blocks, 256>>>(u, partial, n);
    add_up<<<1, 256>>>(partial, result, blocks);
  }
#elif CASE == 21
#pragma gpurma persistent distribute(u, other : rows(ny, nx)) reduce(+ : *result)
  for (int it = 0; it < 9; ++it) {
    // CHECK21: region-block-numbers.cu:164:5: error: {{.*}} 'partial' is updated outside of the loop, by something else than what the iterations have added up from 0 [gpurma-0221]
    by_whole_grids<<<dim3(blocks, 2), dim3(16, 16)>>>(other, u, partial, ny, nx);
    add_up<<<1, 256>>>(partial, result, 2 * blocks);
  }
#elif CASE == 22
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *result)
  for (int it = 0; it < 9; ++it) {
    // CHECK22: region-block-numbers.cu:170:5: error: {{.*}} one thread of each block should store here, whatever else it does: behind 'if (threadIdx.x == 0)' or 'if (threadIdx.x != 0) return;', and not in a loop [gpurma-0231]
    in_some_blocks<<<blocks, 256>>>(u, partial, n);
    add_up<<<1, 256>>>(partial, result, blocks);
  }
#endif
}
