// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name that CUDA programs include; what it declares stands in vector_functions.h.
#ifndef GPURMA_SHIM_VECTOR_FUNCTIONS_HPP
#define GPURMA_SHIM_VECTOR_FUNCTIONS_HPP

#include "vector_functions.h"

#endif
