// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// threadIdx and its kin. They are variables, not macros, so that a parameter of the same name can hide one. Each is constant
// for a CUDA thread, which is what const tells the compiler: the scheduler changes them only between two threads.
#ifndef GPURMA_SHIM_DEVICE_LAUNCH_PARAMETERS_H
#define GPURMA_SHIM_DEVICE_LAUNCH_PARAMETERS_H

#include "vector_types.h"

#if GPURMA_PARSE
extern const __device__ uint3 threadIdx;
extern const __device__ uint3 blockIdx;
extern const __device__ dim3 blockDim;
extern const __device__ dim3 gridDim;
#else
// __thread, not thread_local: no initialisation check at each use.
extern const __thread uint3 threadIdx __attribute__((tls_model("initial-exec")));
extern const __thread uint3 blockIdx __attribute__((tls_model("initial-exec")));
extern const __thread dim3 blockDim __attribute__((tls_model("initial-exec")));
extern const __thread dim3 gridDim __attribute__((tls_model("initial-exec")));
#endif
constexpr int warpSize = 32;

#endif
