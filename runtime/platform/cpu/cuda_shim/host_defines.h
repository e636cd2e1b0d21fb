// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's qualifiers on gpurma's CPU target. While gpurmacc's frontend parses (GPURMA_PARSE, Clang in CUDA mode) they are
// Clang's attributes, so that Clang checks them; in the C++ that is finally compiled they vanish.
#ifndef GPURMA_SHIM_HOST_DEFINES_H
#define GPURMA_SHIM_HOST_DEFINES_H

#define __GPURMA_CPU__ 1
#define CUDART_VERSION 13000
#define CUDART_CB
#define CUDARTAPI
// gpurmacc defines __CUDACC__ when it compiles CUDA sources; only those are parsed.
#if GPURMA_PARSE && !defined(__CUDACC__)
#define __CUDACC__ 1
#endif
#ifdef __CUDACC__
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#endif

#if GPURMA_PARSE
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
// libstdc++ writes __attribute__((__noinline__)): in CUDA mode Clang has __noinline__ as a keyword that allows both.
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __managed__
#define __launch_bounds__(...)
#if defined(__clang__) && !GPURMA_RELOCATABLE_DEVICE_CODE
// Without relocatable device code, a __constant__ variable of a header is one variable per translation unit.
#define __constant__ __attribute__((internal_linkage))
#else
#define __constant__
#endif
// The last header of libstdc++ that writes __attribute__((__noinline__)) in programs; it must come before the macro.
#include <memory>
#define __noinline__ __attribute__((noinline))
#endif

#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __grid_constant__
#define __maxnreg__(n)
#define __device_builtin__
#define __cudart_builtin__
#define __inline_hint__
#define __cluster_dims__(...) \
  _Pragma("GCC error \"__cluster_dims__ is not provided by the gpurma CPU target; see docs/cpu-target.md\"")
#define __block_size__(...) \
  _Pragma("GCC error \"__block_size__ is not provided by the gpurma CPU target; see docs/cpu-target.md\"")

// Functions between these two are callable from host and device code.
#if GPURMA_PARSE
#define GPURMA_SHIM_BEGIN _Pragma("clang force_cuda_host_device begin")
#define GPURMA_SHIM_END _Pragma("clang force_cuda_host_device end")
#else
#define GPURMA_SHIM_BEGIN
#define GPURMA_SHIM_END
#endif

#endif
