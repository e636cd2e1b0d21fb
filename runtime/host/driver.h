// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the CUDA driver, which programs need not link. CUDA target only.
#ifndef GPURMA_HOST_DRIVER_H
#define GPURMA_HOST_DRIVER_H

#include <cuda.h>
#include <cuda_runtime.h>

#include "host/log.h"
#include "host/memory.h"
#include "host/process.h"

namespace gpurma::host {

// F: the type of the function, decltype(cuMemGetAddressRange); `since`: the version of CUDA that
// brought it. Ends the run if the driver has none.
template <class F> F* driver_function(const char* name, [[maybe_unused]] unsigned since = 12000) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
  check_cuda(cudaGetDriverEntryPointByVersion(name, &found, since, cudaEnableDefault, &result),
             "find a function of the driver");
#else
  check_cuda(cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result),
             "find a function of the driver");
#endif
  if (found == nullptr)
    fatal(text("the CUDA driver has no ", name, "; install a newer one"));
  return reinterpret_cast<F*>(found);
}

} // namespace gpurma::host

#endif
