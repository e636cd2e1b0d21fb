// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA runtime on gpurma's CPU target: what nvcc includes in every CUDA source.
#ifndef GPURMA_SHIM_CUDA_RUNTIME_H
#define GPURMA_SHIM_CUDA_RUNTIME_H

#include "host_defines.h"

#include "gpurma_shim/prelude.h"

#include "cuda_runtime_api.h"
#include "device_launch_parameters.h"
#include "gpurma_shim/absent_functions.h"
#include "gpurma_shim/atomics.h"
#include "gpurma_shim/mathematics.h"
#include "gpurma_shim/synchronization.h"
#include "vector_functions.h"
#include "vector_types.h"

#if !GPURMA_PARSE
#include <gpurma/platform/cpu/kernel.h>
#endif

#endif
