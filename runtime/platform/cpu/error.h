// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error state of the CUDA runtime: the last error of each host thread, and the sticky one of the device.
#ifndef GPURMA_PLATFORM_CPU_ERROR_H
#define GPURMA_PLATFORM_CPU_ERROR_H

#include "cuda_shim/cuda_runtime_api.h"

namespace gpurma::cpu {

// What an API function returns: notes an error, which cudaErrorNotReady is not, as the calling thread's last one. A sticky
// error overrides success.
cudaError_t result(cudaError_t error);

// Makes the device fail: nothing more runs on it, and every call returns error until cudaDeviceReset.
void fail_device(cudaError_t error);
cudaError_t device_error();
// Forgets the sticky error, and the calling thread's last one.
void reset_device_error();

}  // namespace gpurma::cpu

#endif
