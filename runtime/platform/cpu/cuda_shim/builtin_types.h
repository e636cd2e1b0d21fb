// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name that CUDA programs include; what it declares stands in driver_types.h.
#ifndef GPURMA_SHIM_BUILTIN_TYPES_H
#define GPURMA_SHIM_BUILTIN_TYPES_H

#include "driver_types.h"

#endif
