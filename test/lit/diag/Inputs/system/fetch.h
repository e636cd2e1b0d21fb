// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As headers of CUDA fetch from textures.
template <class T> __device__ void fetch_by(T* value, unsigned long long from, int at) {
  asm volatile("tex.1d.f32 %0, [%1, {%2}];" : "=r"(*value) : "r"(from), "r"(at));
}
template <class T> __device__ T fetch(unsigned long long from, int at) {
  T value;
  fetch_by(&value, from, at);
  return value;
}
