// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every form of a launch.
// RUN: %lower_cpu %s | %filecheck %s
// RUN: %gpurmacc_cpu -Wall -Werror %s -o %t && env GPURMA_CPU_RANKS=2 timeout 60 %t | FileCheck %s --check-prefix=EXEC

#include <cstdio>

namespace shapes {
namespace {
struct Hidden { int value; };
}
__global__ void set(int *p, int value) { *p += value; }
__global__ void set(int *p, const Hidden hidden) { *p += hidden.value; }
template <class T> __global__ void add(T *p, T value) { *p += value; }
template <class T, class F> __global__ void apply(T *p, F function) { *p = function(*p); }
template <int... Values> __global__ void sum(int *p) { *p += (Values + ... + 0); }
__global__ void defaults(int *p, int a = 5, int b = 6) { *p += a * b; }
constexpr int depth = 3;
enum class Kind { none, some };
#define SEVEN 7
#define SCALED(name) __global__ void name(int *p, int factor = 4) { *p += factor; }
SCALED(scaled)
__global__ void constants(int *p, int a = depth + 1, Kind kind = Kind::some, unsigned long long big = ~0ull, float f = 0.5f,
                          bool b = depth > 2, const int *none = nullptr, int macro = SEVEN, uint3 place = make_uint3(1, 2, 3)) {
  if (kind == Kind::some && big == ~0ull && f == 0.5f && b && !none && place.z == 3)
    *p += a + macro;
}
template <class T> __global__ void generic_defaults(T *p, int a = depth) { *p += a; }
struct Holder {
  static __global__ void kernel(int *p) { *p += 1; }
  void start(int *p) const;

private:
  static __global__ void hidden(int *p) { *p += 2; }
};
void Holder::start(int *p) const {
  // CHECK: ::gpurma::launch(hidden, 1, 1)(p);
  hidden<<<1, 1>>>(p);
}
} // namespace shapes

template <class T> void generic(T *p) {
  // CHECK: ::gpurma::launch(shapes::add<T>, 1, dim3(1, 1))(p, T(7));
  shapes::add<T><<<1, dim3(1, 1)>>>(p, T(7));
  // CHECK: ::gpurma::launch(shapes::generic_defaults<T>, 1, 1)(p, 3);
  shapes::generic_defaults<T><<<1, 1>>>(p);
  // CHECK: ::gpurma::launch(shapes::defaults, 1, 1)(p, T(1), 6);
  shapes::defaults<<<1, 1>>>(p, T(1));
}

__global__ void rank_kernel(int *p) {
#pragma gpurma barrier
  if (threadIdx.x == 0) atomicAdd(p, 1000);
}

int main() {
  int *p;
  cudaMallocManaged(&p, sizeof(int));
  *p = 0;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  // CHECK: ::gpurma::launch(static_cast<void (*)(int *, int)>(shapes::set), 1, 1)(p, 1);
  shapes::set<<<1, 1>>>(p, 1);
  // CHECK: ::gpurma::launch(static_cast<void (*)(int *, {{(const )?}}shapes::Hidden)>(shapes::set), 1, 1, 0, stream)(p, shapes::Hidden{2});
  shapes::set<<<1, 1, 0, stream>>>(p, shapes::Hidden{2});
  cudaStreamSynchronize(stream);
  // CHECK: ::gpurma::launch(shapes::add<int>, 1, 1)(p, 3);
  shapes::add<<<1, 1>>>(p, 3);
  // CHECK: ::gpurma::launch(shapes::add<int>, 1, 1)(p, 4);
  shapes::add<int><<<1, 1>>>(p, 4);
  auto increment = [=] __device__(int value) { return value + 5; };
  // CHECK: ::gpurma::launch(shapes::apply<int, decltype(increment)>, 1, 1)(p, increment);
  shapes::apply<<<1, 1>>>(p, increment);
  // CHECK: ::gpurma::launch(shapes::sum<1, 2, 3>, 1, 1)(p);
  shapes::sum<1, 2, 3><<<1, 1>>>(p);
  // CHECK: ::gpurma::launch(shapes::defaults, 1, 1)(p, 2, 6);
  shapes::defaults<<<1, 1>>>(p, 2);
  const int depth = 100;
  // CHECK: ::gpurma::launch(shapes::scaled, 1, 1)(p, 4);
  shapes::scaled<<<1, 1>>>(p);
  // CHECK: ::gpurma::launch(shapes::constants, 1, 1)(p, 4, static_cast<shapes::Kind>(1), 18446744073709551615ull, {{0.5|5.0E-1}}, true, nullptr, 7, make_uint3(1, 2, 3));
  shapes::constants<<<1, 1>>>(p);
  *p += depth - 100;
  // CHECK: ::gpurma::launch(shapes::Holder::kernel, 1, 1)(p);
  shapes::Holder::kernel<<<1, 1>>>(p);
  shapes::Holder().start(p);
  generic(p);
  void (*pointer)(int *, int, int) = shapes::defaults;
  // CHECK: ::gpurma::launch(pointer, 1, 1)(p, 10, 10);
  pointer<<<1, 1>>>(p, 10, 10);
  cudaDeviceSynchronize();
  // EXEC: 167 no error
  std::printf("%d %s\n", *p, cudaGetErrorString(cudaGetLastError()));

  void *arguments[] = {&p};
  // CHECK: ::gpurma::launch_kernel((const void*)(rank_kernel), dim3(2), dim3(32), arguments, 0, 0);
  cudaError_t result = cudaLaunchKernel(rank_kernel, dim3(2), dim3(32), arguments, 0, 0);
  // CHECK: ::gpurma::launch_cooperative_kernel((const void *)rank_kernel, dim3(2), dim3(32), arguments, 0, stream);
  cudaError_t cooperative = cudaLaunchCooperativeKernel((const void *)rank_kernel, dim3(2), dim3(32), arguments, 0, stream);
  cudaDeviceSynchronize();
  // EXEC: 4167 no error no error
  std::printf("%d %s %s\n", *p, cudaGetErrorString(result), cudaGetErrorString(cooperative));
}
// CHECK: static const ::gpurma::registered_kernel gpurma_kernel_{{[0-9]+}}(static_cast<void (*)(int *, int)>(::shapes::set));
// CHECK-SAME: gpurma_kernel_{{[0-9]+}}(::shapes::Holder::kernel);
