// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// gpurma with directives that do nothing: with this folder before the real one, a lowered program
/// compiles to the kernels that it would have without them. Such a program cannot be linked.
/// registers.py compares the two.

#include <cuda_runtime.h>

#include <cstddef>
#include <gpurma/types.h>

namespace gpurma {

template <class T> class window {
public:
  __device__ window(T* base, std::size_t length, comm, site) : base_(base), length_(length) {}
  __device__ T* data() const { return base_; }
  __device__ std::size_t size() const { return length_; }
  __device__ std::size_t size(int) const { return length_; }

private:
  T* base_;
  std::size_t length_;
};

struct rank_scope {
  __device__ rank_scope() {}
};

__device__ inline int rank() {
  return blockIdx.x;
}
__device__ inline int size() {
  return gridDim.x;
}
__device__ inline int device_rank() {
  return blockIdx.x;
}
__device__ inline int device_size() {
  return gridDim.x;
}

template <class... P> __device__ void put(P...) {}
template <matching, class... P> __device__ void put_notify(P...) {}
template <class... P> __device__ void get(P...) {}
template <matching, class... P> __device__ void get_notify(P...) {}
template <matching, class... P> __device__ void notify(P...) {}
template <matching, class... P> __device__ void wait(P...) {}
template <matching, class... P> __device__ bool test(P...) {
  return true;
}
template <class... P> __device__ void flush(P...) {}
__device__ inline void barrier(comm, site) {}
template <class T> __device__ T read_volatile(const T& object) {
  return static_cast<const volatile T&>(object);
}
__device__ inline void sync_reg(const volatile void*) {}

struct source_file {
  source_file(unsigned, const char*) {}
};
struct rank_kernel {
  template <class... P> explicit rank_kernel(void (*)(P...)) {}
};
struct launched {
  template <class... P> void operator()(P...) const {}
};
template <class... P> launched launch(void (*)(P...), dim3, dim3) {
  return {};
}
template <class... P> launched launch_rank_kernel(void (*)(P...), dim3, dim3) {
  return {};
}
template <class... P> layout query(void (*)(P...), dim3) {
  return {};
}
inline void init(int*, char***) {}
inline void finalize() {}

} // namespace gpurma
