// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name that CUDA programs include; what it declares stands in cuda_runtime.h.
#ifndef GPURMA_SHIM_MATH_FUNCTIONS_H
#define GPURMA_SHIM_MATH_FUNCTIONS_H

#include "cuda_runtime.h"

#endif
