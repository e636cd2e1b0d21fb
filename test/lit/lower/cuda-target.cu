// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA target: both sides are parsed, the edits merged, ordinary launches stay, and nvcc takes the result.
// REQUIRES: nvcc
// RUN: %lower_cuda %s | %filecheck %s
// RUN: %gpurmacc_cuda -arch=sm_80 -c %s -o %t.80.o
// RUN: %gpurmacc_cuda -arch=sm_90 -c %s -o %t.90.o

// CHECK: __global__ void kernel(float *data, int n) { ::gpurma::rank_scope gpurma_rank_scope_;
__global__ void kernel(float *data, int n) {
  // CHECK: __shared__ float tile[32];
  __shared__ float tile[32];
  tile[threadIdx.x % 32] = 0;
#pragma gpurma window(w = data[0:n])
#ifdef __CUDA_ARCH__
  // CHECK: ::gpurma::notify<::gpurma::matching::counter>(gpurma::rank(), 1, ::gpurma::no_window,
#pragma gpurma notify(gpurma::rank()) tag(1)
#else
  // CHECK: ::gpurma::notify<::gpurma::matching::counter>(gpurma::rank(), 2, ::gpurma::no_window,
#pragma gpurma notify(gpurma::rank()) tag(2)
#endif
  // CHECK: ::gpurma::wait<::gpurma::matching::counter>(1,
#pragma gpurma wait tag(1)
}

// CHECK: {{^}}__device__ float device_only(float x) { return x; }
__device__ float device_only(float x) { return x; }
__global__ void only_for_devices(float *data) {
#ifdef __CUDA_ARCH__
  data[0] = device_only(data[0]);
  // CHECK: ::gpurma::barrier(::gpurma::comm::world,
#pragma gpurma barrier
#endif
}
// CHECK: __global__ void ordinary(float *data) { data[0] = 1; }
__global__ void ordinary(float *data) { data[0] = 1; }
__global__ void elsewhere(float *data);

void run(float *data) {
  // CHECK: ::gpurma::launch(kernel, 4, 32)(data, 8);
  kernel<<<4, 32>>>(data, 8);
  // CHECK: ::gpurma::launch(only_for_devices, 4, 32)(data);
  only_for_devices<<<4, 32>>>(data);
  // CHECK: ordinary<<<4, 32>>>(data);
  ordinary<<<4, 32>>>(data);
  // CHECK: ::gpurma::launch(elsewhere, 4, 32)(data);
  elsewhere<<<4, 32>>>(data);
}
