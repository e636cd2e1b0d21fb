// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An instance of a kernel template is known to the runtime before it is launched by <<<>>>: its attributes can be set, and it can be
// launched by its address.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t && %t | FileCheck %s
#include <cstdio>

template <class T, int V> __global__ void fill(T *p) {
  extern __shared__ T shared[];
  shared[0] = V;
  *p = shared[0];
}

template <class F> __global__ void apply(F f, int *p) { *p = f(); }

template <class F> cudaError_t run(F f, int *p) {
  int grid = 0, block = 0;
  // A lambda, which has no name that could be written elsewhere.
  const cudaError_t found = cudaOccupancyMaxPotentialBlockSize(&grid, &block, apply<F>);
  if (found == cudaSuccess)
    apply<<<1, 1>>>(f, p);
  return found;
}

template <class T> const char *within_template(T *o) {
  if (cudaFuncSetAttribute(fill<T, 4>, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000) != cudaSuccess)
    return "no attribute";
  fill<T, 4><<<1, 1, 60000>>>(o);
  return cudaGetErrorName(cudaDeviceSynchronize());
}

// What others may not name is launched all the same.
class solver {
  struct own {
    __device__ int operator()() const { return 3; }
  };
  enum class mode { a, b };
  template <mode M> struct by_mode {
    __device__ int operator()() const { return M == mode::a ? 10 : 20; }
  };

public:
  void run(int *p) const {
    apply<own><<<1, 1>>>(own{}, p);
    cudaDeviceSynchronize();
    const int first = *p;
    apply<<<1, 1>>>(by_mode<mode::b>{}, p);
    cudaDeviceSynchronize();
    *p += first;
  }
};

int main() {
  int *o;
  cudaMallocManaged(&o, sizeof(int));
  // CHECK: in a template: cudaSuccess 4
  const char *name = within_template(o);
  std::printf("in a template: %s %d\n", name, *o);
  void *arguments[] = {&o};
  // CHECK: by address: cudaSuccess 5
  name = cudaGetErrorName(cudaLaunchKernel((void *)fill<int, 5>, 1, 1, arguments, 100, nullptr));
  cudaDeviceSynchronize();
  std::printf("by address: %s %d\n", name, *o);
  // CHECK: cooperative: cudaSuccess 6
  name = cudaGetErrorName(cudaLaunchCooperativeKernel(fill<int, 6>, 1, 1, arguments, 100));
  cudaDeviceSynchronize();
  std::printf("cooperative: %s %d\n", name, *o);
  // CHECK: extended: cudaSuccess 7
  cudaLaunchConfig_t config = {};
  config.gridDim = config.blockDim = 1;
  config.dynamicSmemBytes = 100;
  name = cudaGetErrorName(cudaLaunchKernelEx(&config, fill<int, 7>, o));
  cudaDeviceSynchronize();
  std::printf("extended: %s %d\n", name, *o);
  // CHECK: lambda: cudaSuccess 8
  name = cudaGetErrorName(run([] { return 8; }, o));
  cudaDeviceSynchronize();
  std::printf("lambda: %s %d\n", name, *o);
  // CHECK: private: 23
  solver().run(o);
  std::printf("private: %d\n", *o);
  // CHECK: attributes: cudaSuccess
  cudaFuncAttributes attributes;
  std::printf("attributes: %s\n", cudaGetErrorName(cudaFuncGetAttributes(&attributes, fill<int, 9>)));
  // CHECK: none: cudaErrorInvalidDeviceFunction
  std::printf("none: %s\n", cudaGetErrorName(cudaLaunchKernel((void *)o, 1, 1, arguments, 0, nullptr)));
}
