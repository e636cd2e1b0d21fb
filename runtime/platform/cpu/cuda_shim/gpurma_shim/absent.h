// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Well-known parts of CUDA that the CPU target does not provide: a use is a compile-time error that names them.
#ifndef GPURMA_SHIM_ABSENT_H
#define GPURMA_SHIM_ABSENT_H

#include "../host_defines.h"

#define GPURMA_ABSENT_TEXT(name) #name " is not provided by the gpurma CPU target; see docs/cpu-target.md"
#define GPURMA_ABSENT_ATTRIBUTE(name) __attribute__((unavailable(GPURMA_ABSENT_TEXT(name))))
// With any arguments.
#define GPURMA_ABSENT(type, name) \
  template <class... Arguments>   \
  __host__ __device__ GPURMA_ABSENT_ATTRIBUTE(name) type name(Arguments&&...);
// With a list of template arguments too, as in tex2D<float>(texture, x, y).
#define GPURMA_ABSENT_TEMPLATE(name)           \
  template <class First, class... Arguments>   \
  __host__ __device__ GPURMA_ABSENT_ATTRIBUTE(name) First name(Arguments&&...);
// With these parameters only.
#define GPURMA_ABSENT_EXACTLY(type, name, parameters) \
  __host__ __device__ GPURMA_ABSENT_ATTRIBUTE(name) type name parameters;
#define GPURMA_ABSENT_TYPE(name) typedef void* name GPURMA_ABSENT_ATTRIBUTE(name);

#endif
