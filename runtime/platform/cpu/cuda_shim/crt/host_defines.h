// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name that CUDA programs include; what it declares stands in host_defines.h.
#ifndef GPURMA_SHIM_CRT_HOST_DEFINES_H
#define GPURMA_SHIM_CRT_HOST_DEFINES_H

#include "../host_defines.h"

#endif
