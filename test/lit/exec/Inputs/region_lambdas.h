// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs that hand lambdas to the device have in a header.
#ifndef REGION_LAMBDAS_H
#define REGION_LAMBDAS_H

#define FOR_DEVICE [=] __host__ __device__

template <class Body> __global__ void for_each_index(int n, Body body) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    body(i);
}
template <class Body> __global__ void for_each_point(int ny, int nx, Body body) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    body(y, x);
}
template <class Body> void parallel_for(int n, Body body) { for_each_index<<<(n + 63) / 64, 64>>>(n, body); }
template <class Body> void parallel_for(int ny, int nx, const Body &body) {
  const dim3 block(16, 4);
  for_each_point<<<dim3((nx + 15) / 16, (ny + 3) / 4), block>>>(ny, nx, body);
}

// One lambda is of a template, and the same in all instances.
template <class First, class Second> __global__ void for_each_twice(int n, First first, Second second) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  first(i);
  second(i);
}
template <class Body> void parallel_for_and_mark(int *v, int n, const Body &body) {
  for_each_twice<<<(n + 63) / 64, 64>>>(n, body, [v] __device__(int i) { v[i] += i % 3; });
}

// The scalar is a parameter of the kernel.
template <class Body> __global__ void sum_indices(unsigned long long *total, int n, Body body) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(total, body(i));
}
// A lambda in a header.
inline void add_up(unsigned long long *total, const int *u, int n) {
  auto body = [=] __device__(int i) { return static_cast<unsigned long long>(u[i] % 13); };
  sum_indices<<<(n + 63) / 64, 64>>>(total, n, body);
}

#endif // REGION_LAMBDAS_H
