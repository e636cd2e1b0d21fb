// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches in one dimension over arrays of two whose threads work together, and cannot do so for some of a block's elements at a
// time.
// RUN: not %gpurmacc_cpu -fsyntax-only -ferror-limit=0 %s 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

#define POINT int i = blockIdx.x * blockDim.x + threadIdx.x
#define SHARE                                                                                      \
  __shared__ float part[256];                                                                      \
  part[threadIdx.x] = s;                                                                           \
  __syncthreads()
#define HAS_ELEMENT (i < n)

__device__ float of_block(float s) {
  SHARE;
  for (int w = blockDim.x / 2; w > 0; w /= 2) {
    if (threadIdx.x < w)
      part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  return part[0];
}
__global__ void clamped(const float* a, float* sum, int n) {
  POINT;
  float s = of_block(a[i < n ? i : n - 1]);
  if (threadIdx.x == 0)
    atomicAdd(sum, s);
}
__global__ void unconditional(const float* a, float* sum, int n) {
  POINT;
  // Also threads from n on: they cannot return before the others meet
  // (region-leaving.cu).
  atomicAdd(sum, of_block(a[i]));
}
__global__ void ones(const float* a, float* sum, int n) {
  POINT;
  float s = i < n ? a[i] : 1;
  atomicAdd(sum, of_block(s));
}
__global__ void counts_others(const float* a, float* sum, int n) {
  POINT;
  float s = 0;
  bool outside = false;
  if (i < n)
    s = a[i];
  else
    outside = true;
  atomicAdd(sum, of_block(s) * (outside ? 2 : 1));
}
__global__ void in_while(const float* a, float* sum, int n) {
  POINT;
  float s = 0;
  while (i < n) {
    s += a[i];
    i += gridDim.x * blockDim.x; s += 1;
  }
  atomicAdd(sum, of_block(s));
}
__global__ void ends_early(const float* a, float* sum, int n) {
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (a[i] < 0)
      break;
    s += a[i];
  }
  atomicAdd(sum, of_block(s));
}
__global__ void by_blocks(const float* a, float* sum, int n) {
  const int block = blockIdx.x;
  float s = 0;
  for (int i = block * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    s += a[i] * (block + 1);
  atomicAdd(sum, of_block(s));
}
__global__ void by_first_element(const float* a, float* sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, first = i;
  float s = 0;
  for (; i < n; i += gridDim.x * blockDim.x)
    s += a[i];
  atomicAdd(sum, of_block(s) * first);
}
__global__ void from_one(const float* a, float* sum, int n) {
  float s = 1;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    s += a[i];
  atomicAdd(sum, of_block(s));
}
__global__ void changes(const float* a, float* sum, int n) {
  float s = 0, last = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    s += a[i] * last;
    last = a[i];
  }
  atomicAdd(sum, of_block(s));
}
__global__ void numbers(const float* a, float* sum, int n) {
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0; i < n; i += gridDim.x * blockDim.x, ++k)
    s += a[i] * k;
  atomicAdd(sum, of_block(s));
}
__global__ void into_parameter(const float* a, float* sum, float offset, int n) {
  POINT;
  float s = i < n ? a[i] : 0;
  offset += of_block(s);
  atomicAdd(sum, offset);
}
__global__ void least_of_zero(const float* a, int* least, int n) {
  POINT;
  int low = 0;
  if (i < n)
    low = static_cast<int>(a[i]);
  __syncthreads();
  atomicMin(least, low);
}
__global__ void square(const float* a, float* sum, int n) {
  POINT;
  float s = i < n ? a[i] : 0;
  s = of_block(s);
  if (threadIdx.x == 0)
    atomicAdd(sum, s * s);
}
__global__ void if_some(const float* a, float* sum, int n) {
  POINT;
  float s = i < n ? a[i] : 0;
  s = of_block(s);
  if (s > 0)
    atomicAdd(sum, s);
}
__global__ void root(const float* a, float* sum, int n) {
  POINT;
  float s = expf(i < n ? a[i] : 0);
  atomicAdd(sum, of_block(s));
}
__device__ float once(float s) { return of_block(s) + 1; }
__global__ void and_one(const float* a, float* sum, int n) {
  POINT;
  float s = i < n ? a[i] : 0;
  atomicAdd(sum, once(s));
}
__device__ float or_one(float s) {
  if (threadIdx.x > 32)
    return 1;
  return of_block(s);
}
__global__ void some_ones(const float* a, float* sum, int n) {
  POINT;
  float s = i < n ? a[i] : 0;
  atomicAdd(sum, or_one(s));
}
__global__ void with_others(const float* a, float* sum, int n) {
  POINT;
  float s = i < n ? a[i] : 0;
  s = of_block(s) + of_block(threadIdx.x);
  atomicAdd(sum, s);
}
__global__ void again(const float* a, float* sum, int n) {
  POINT;
  float s = i < n ? a[i] : 0, t = 0;
  s = of_block(s);
  if (i < n)
    t = a[i] * s;
  atomicAdd(sum, of_block(t));
}
__global__ void threads(const float* a, float* sum, int n) {
  POINT;
  float s = i < n ? a[i] : 0;
  atomicAdd(sum, of_block(s));
  atomicAdd(sum, 1.0f);
}
__global__ void by_macro(const float* a, float* sum, int n) {
  POINT;
  float s = 0;
  if HAS_ELEMENT
    s = a[i];
  atomicAdd(sum, of_block(s));
}
struct Adder {
  __device__ float operator()(float s) const { return threadIdx.x < 16 ? s : 0; }
};
__global__ void by_object(const float* a, float* sum, int n) {
  POINT;
  float s = 0;
  if (i < n)
    s = Adder()(a[i]);
  __syncthreads();
  atomicAdd(sum, s);
}
template <bool All> __global__ void some(const float* a, float* sum, int n) {
  POINT;
  float s = 0;
  if (n > 0) {
    if constexpr (All)
      __syncthreads();
    if (i < n)
      s += a[i];
  }
  __syncthreads();
  atomicAdd(sum, s);
}
__global__ void hides(const float* a, float* sum, int n) {
  POINT;
  float s = i < n ? a[i] : 0;
  s = of_block(s);
  asm volatile("" : "+r"(i));
  atomicAdd(sum, s);
}
__global__ void dot(const float* a, float* sum, int n) {
  POINT;
  float s = i < n ? a[i] : 0;
  atomicAdd(sum, of_block(s));
}
__global__ void copy(float* out, const float* in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    out[y * nx + x] = in[y * nx + x];
}

void run(float* a, float* b, float* sum, int* least, int ny, int nx) {
  const int blocks = (nx * ny + 255) / 256;
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : *sum) reduce(min : *least)
  {
    clamped<<<blocks, 256>>>(a, sum, nx * ny);
    unconditional<<<blocks, 256>>>(a, sum, nx * ny);
    ones<<<blocks, 256>>>(a, sum, nx * ny);
    counts_others<<<blocks, 256>>>(a, sum, nx * ny);
    in_while<<<64, 256>>>(a, sum, nx * ny);
    ends_early<<<64, 256>>>(a, sum, nx * ny);
    by_blocks<<<64, 256>>>(a, sum, nx * ny);
    by_first_element<<<64, 256>>>(a, sum, nx * ny);
    from_one<<<64, 256>>>(a, sum, nx * ny);
    changes<<<64, 256>>>(a, sum, nx * ny);
    numbers<<<64, 256>>>(a, sum, nx * ny);
    into_parameter<<<blocks, 256>>>(a, sum, 2, nx * ny);
    least_of_zero<<<blocks, 256>>>(a, least, nx * ny);
    square<<<blocks, 256>>>(a, sum, nx * ny);
    if_some<<<blocks, 256>>>(a, sum, nx * ny);
    root<<<blocks, 256>>>(a, sum, nx * ny);
    and_one<<<blocks, 256>>>(a, sum, nx * ny);
    some_ones<<<blocks, 256>>>(a, sum, nx * ny);
    with_others<<<blocks, 256>>>(a, sum, nx * ny);
    again<<<blocks, 256>>>(a, sum, nx * ny);
    threads<<<blocks, 256>>>(a, sum, nx * ny);
    by_macro<<<blocks, 256>>>(a, sum, nx * ny);
    by_object<<<blocks, 256>>>(a, sum, nx * ny);
    some<false><<<blocks, 256>>>(a, sum, nx * ny);
    some<true><<<blocks, 256>>>(a, sum, nx * ny);
    hides<<<blocks, 256>>>(a, sum, nx * ny);
  }
}

// CHECK: :[[@LINE-227]]:22: error: 'clamped' goes through the rows of 'a' in one dimension, and its threads work together, so that blocks are run for some of their elements at a time: 'a' is used here by threads that have no element, too; put it behind the condition that they have one, 'if (i < n)' or 'i < n ? ... : 0', which no barrier, exchange or return stands behind [gpurma-0229]
// CHECK: :[[@LINE-220]]:27: error: 'unconditional' goes through the rows of 'a' in one dimension, and its threads work together, so that blocks are run for some of their elements at a time: 'a' is used here by threads that have no element, too; put it behind the condition that they have one, 'if (i < n)' or 'i < n ? ... : 0', which no barrier, exchange or return stands behind [gpurma-0229]
// CHECK: :[[@LINE-30]]:5: note: that launch is here
// CHECK: :[[@LINE-218]]:28: error: 'ones' goes through the rows of 'a' in one dimension, and its threads work together, so that blocks are run for some of their elements at a time: threads without an element should have 0 here [gpurma-0229]
// CHECK: :[[@LINE-31]]:5: note: that launch is here
// CHECK: :[[@LINE-210]]:5: error: 'counts_others' goes through the rows of 'a' in one dimension, and its threads work together, so that blocks are run for some of their elements at a time: threads without an element should have 0 here [gpurma-0229]
// CHECK: :[[@LINE-32]]:5: note: that launch is here
// CHECK: :[[@LINE-205]]:10: error: 'in_while' goes through the rows of 'a' in one dimension, and its threads work together, so that blocks are run for some of their elements at a time: 'a' should be used in a loop 'for (...; i < n; ...)' or 'while (i < n) ...' by whole grids, where i begins with blockIdx.x * blockDim.x + threadIdx.x and n is the product of the extents, and which nothing leaves [gpurma-0229]
// CHECK: :[[@LINE-33]]:5: note: that launch is here
// CHECK: :[[@LINE-199]]:9: error: 'ends_early' goes through the rows of 'a' in one dimension, and its threads work together, so that blocks are run for some of their elements at a time: 'a' should be used in a loop 'for (...; i < n; ...)' or 'while (i < n) ...' by whole grids, where i begins with blockIdx.x * blockDim.x + threadIdx.x and n is the product of the extents, and which nothing leaves [gpurma-0229]
// CHECK: :[[@LINE-34]]:5: note: that launch is here
// CHECK: :[[@LINE-191]]:18: error: 'by_blocks' goes through the rows of 'a' in one dimension, and its threads work together, so that blocks are run for some of their elements at a time: 'block' depends on the grid, which differs; use nothing of it but the index of the loop, in the loop [gpurma-0229]
// CHECK: :[[@LINE-35]]:5: note: that launch is here
// CHECK: :[[@LINE-185]]:32: error: 'by_first_element' goes through the rows of 'a' in one dimension, and its threads work together, so that blocks are run for some of their elements at a time: 'first' depends on the grid, which differs; use nothing of it but the index of the loop, in the loop [gpurma-0229]
// CHECK: :[[@LINE-36]]:5: note: that launch is here
// CHECK: :[[@LINE-182]]:5: error: 'from_one' goes through the rows of 'a' in one dimension, and its threads work together, so that blocks are run for some of their elements at a time: 's' keeps what is found for elements, and is no sum that begins with 0, nor the most or least of values; write 'v += ...' or 'v = max(v, ...)', and use it behind that only [gpurma-0229]
// CHECK: :[[@LINE-37]]:5: note: that launch is here
// CHECK: :[[@LINE-177]]:5: error: 'changes' goes through the rows of 'a' in one dimension, and its threads work together, so that blocks are run for some of their elements at a time: 'last' keeps what is found for elements, and is no sum that begins with 0, nor the most or least of values; write 'v += ...' or 'v = max(v, ...)', and use it behind that only [gpurma-0229]
// CHECK: :[[@LINE-38]]:5: note: that launch is here
// CHECK: :[[@LINE-173]]:100: error: 'numbers' goes through the rows of 'a' in one dimension, and its threads work together, so that blocks are run for some of their elements at a time: 'k' keeps what is found for elements, and is no sum that begins with 0, nor the most or least of values; write 'v += ...' or 'v = max(v, ...)', and use it behind that only [gpurma-0229]
// CHECK: :[[@LINE-39]]:5: note: that launch is here
// CHECK: :[[@LINE-168]]:13: error: 'into_parameter' goes through the rows of 'a' in one dimension, and its threads work together, so that blocks are run for some of their elements at a time: 'of_block' holds a sum, most or least of some elements here, of which only a multiple may go on, through variables, shared memory, shuffles and functions, to an atomic operation of its kind [gpurma-0229]
// CHECK: :[[@LINE-40]]:5: note: that launch is here
// CHECK: :[[@LINE-161]]:20: error: 'least_of_zero' goes through the rows of 'a' in one dimension, and its threads work together, so that blocks are run for some of their elements at a time: 'low' holds a sum, most or least of some elements here, of which only a multiple may go on, through variables, shared memory, shuffles and functions, to an atomic operation of its kind [gpurma-0229]
// CHECK: :[[@LINE-41]]:5: note: that launch is here
// CHECK: :[[@LINE-156]]:20: error: 'square' goes through the rows of 'a' in one dimension, and its threads work together, so that blocks are run for some of their elements at a time: 's' holds a sum, most or least of some elements here, of which only a multiple may go on, through variables, shared memory, shuffles and functions, to an atomic operation of its kind [gpurma-0229]
// CHECK: :[[@LINE-42]]:5: note: that launch is here
// CHECK: :[[@LINE-152]]:7: error: 'if_some' goes through the rows of 'a' in one dimension, and its threads work together, so that blocks are run for some of their elements at a time: 's' holds a sum, most or least of some elements here, of which only a multiple may go on, through variables, shared memory, shuffles and functions, to an atomic operation of its kind [gpurma-0229]
// CHECK: :[[@LINE-43]]:5: note: that launch is here
// CHECK: :[[@LINE-149]]:18: error: 'root' goes through the rows of 'a' in one dimension, and its threads work together, so that blocks are run for some of their elements at a time: '?:' holds a sum, most or least of some elements here, of which only a multiple may go on, through variables, shared memory, shuffles and functions, to an atomic operation of its kind [gpurma-0229]
// CHECK: :[[@LINE-44]]:5: note: that launch is here
// CHECK: :[[@LINE-144]]:18: error: 'and_one' goes through the rows of 'a' in one dimension, and its threads work together, so that blocks are run for some of their elements at a time: 'once' holds a sum, most or least of some elements here, of which only a multiple may go on, through variables, shared memory, shuffles and functions, to an atomic operation of its kind [gpurma-0229]
// CHECK: :[[@LINE-45]]:5: note: that launch is here
// CHECK: :[[@LINE-136]]:18: error: 'some_ones' goes through the rows of 'a' in one dimension, and its threads work together, so that blocks are run for some of their elements at a time: 'or_one' holds a sum, most or least of some elements here, of which only a multiple may go on, through variables, shared memory, shuffles and functions, to an atomic operation of its kind [gpurma-0229]
// CHECK: :[[@LINE-46]]:5: note: that launch is here
// CHECK: :[[@LINE-133]]:21: error: 'with_others' goes through the rows of 'a' in one dimension, and its threads work together, so that blocks are run for some of their elements at a time: 'of_block' holds a sum, most or least of some elements here, of which only a multiple may go on, through variables, shared memory, shuffles and functions, to an atomic operation of its kind [gpurma-0229]
// CHECK: :[[@LINE-47]]:5: note: that launch is here
// CHECK: :[[@LINE-127]]:16: error: 'again' goes through the rows of 'a' in one dimension, and its threads work together, so that blocks are run for some of their elements at a time: 's' holds a sum, most or least of some elements here, of which only a multiple may go on, through variables, shared memory, shuffles and functions, to an atomic operation of its kind [gpurma-0229]
// CHECK: :[[@LINE-48]]:5: note: that launch is here
// CHECK: :[[@LINE-122]]:3: error: 'threads' goes through the rows of 'a' in one dimension, and its threads work together, so that blocks are run for some of their elements at a time: 'sum' is updated here by something else than what is found for elements, which would be done once for each part of a block [gpurma-0229]
// CHECK: :[[@LINE-49]]:5: note: that launch is here
// CHECK: :[[@LINE-119]]:6: error: 'by_macro' goes through the rows of 'a' in one dimension, and its threads work together, so that blocks are run for some of their elements at a time: this condition stands in a macro; write it in the kernel [gpurma-0229]
// CHECK: :[[@LINE-282]]:24: note: expanded from macro 'HAS_ELEMENT'
// CHECK: :[[@LINE-51]]:5: note: that launch is here
// CHECK: :[[@LINE-111]]:16: error: 'by_object' goes through the rows of 'a' in one dimension, and its threads work together, so that blocks are run for some of their elements at a time: 'operator()' names threadIdx or blockDim, of which it would see those of the ranks; make it an ordinary function that stands before the kernel and is called by its name [gpurma-0229]
// CHECK: :[[@LINE-52]]:5: note: that launch is here
// CHECK: :[[@LINE-93]]:3: error: 'hides' goes through the rows of 'a' in one dimension, so that any thread has to be able to take any element; here it may be that threads work together ('asm') [gpurma-0225]
// CHECK: :[[@LINE-51]]:5: note: that launch is here
// CHECK: :[[@LINE-53]]:5: error: 'some' goes through the rows of 'a' in one dimension, and its threads work together, so that blocks are run for some of their elements at a time: other instances of the template have other conditions; write two kernels [gpurma-0229]
