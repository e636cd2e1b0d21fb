// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's driver API is absent; programs that use the runtime API include this header for CUDA_VERSION.
#ifndef GPURMA_SHIM_CUDA_H
#define GPURMA_SHIM_CUDA_H

#include "gpurma_shim/absent.h"

#define CUDA_VERSION CUDART_VERSION

GPURMA_ABSENT_TYPE(CUdevice)
GPURMA_ABSENT_TYPE(CUcontext)
GPURMA_ABSENT_TYPE(CUmodule)
GPURMA_ABSENT_TYPE(CUfunction)
GPURMA_ABSENT_TYPE(CUstream)
GPURMA_ABSENT_TYPE(CUevent)
GPURMA_ABSENT_TYPE(CUdeviceptr)
GPURMA_ABSENT_TYPE(CUresult)
GPURMA_ABSENT_TYPE(CUarray)
GPURMA_ABSENT_TYPE(CUtexref)
GPURMA_ABSENT_TYPE(CUtensorMap)
GPURMA_ABSENT_TYPE(CUmemGenericAllocationHandle)
GPURMA_ABSENT(int, cuInit)
GPURMA_ABSENT(int, cuDeviceGet)
GPURMA_ABSENT(int, cuDeviceGetCount)
GPURMA_ABSENT(int, cuDeviceGetName)
GPURMA_ABSENT(int, cuDeviceGetAttribute)
GPURMA_ABSENT(int, cuCtxCreate)
GPURMA_ABSENT(int, cuCtxDestroy)
GPURMA_ABSENT(int, cuCtxGetCurrent)
GPURMA_ABSENT(int, cuCtxSetCurrent)
GPURMA_ABSENT(int, cuCtxSynchronize)
GPURMA_ABSENT(int, cuDevicePrimaryCtxRetain)
GPURMA_ABSENT(int, cuModuleLoad)
GPURMA_ABSENT(int, cuModuleLoadData)
GPURMA_ABSENT(int, cuModuleGetFunction)
GPURMA_ABSENT(int, cuModuleGetGlobal)
GPURMA_ABSENT(int, cuLaunchKernel)
GPURMA_ABSENT(int, cuLaunchCooperativeKernel)
GPURMA_ABSENT(int, cuMemAlloc)
GPURMA_ABSENT(int, cuMemFree)
GPURMA_ABSENT(int, cuMemcpyHtoD)
GPURMA_ABSENT(int, cuMemcpyDtoH)
GPURMA_ABSENT(int, cuMemcpyDtoD)
GPURMA_ABSENT(int, cuMemsetD8)
GPURMA_ABSENT(int, cuMemsetD32)
GPURMA_ABSENT(int, cuMemCreate)
GPURMA_ABSENT(int, cuMemMap)
GPURMA_ABSENT(int, cuMemSetAccess)
GPURMA_ABSENT(int, cuMemAddressReserve)
GPURMA_ABSENT(int, cuStreamCreate)
GPURMA_ABSENT(int, cuStreamSynchronize)
GPURMA_ABSENT(int, cuStreamWriteValue32)
GPURMA_ABSENT(int, cuStreamWaitValue32)
GPURMA_ABSENT(int, cuEventCreate)
GPURMA_ABSENT(int, cuEventRecord)
GPURMA_ABSENT(int, cuGetErrorString)
GPURMA_ABSENT(int, cuGetErrorName)
GPURMA_ABSENT(int, cuTensorMapEncodeTiled)

#endif
