// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name that CUDA programs include; what it declares stands in cuda_runtime_api.h.
#ifndef GPURMA_SHIM_CUDA_PROFILER_API_H
#define GPURMA_SHIM_CUDA_PROFILER_API_H

#include "cuda_runtime_api.h"

#endif
