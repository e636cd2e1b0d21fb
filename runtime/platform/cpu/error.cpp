// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "error.h"

#include <atomic>

namespace gpurma::cpu {

namespace {

thread_local cudaError_t last_error = cudaSuccess;
std::atomic<cudaError_t> sticky_error{cudaSuccess};

}  // namespace

cudaError_t device_error() { return sticky_error.load(std::memory_order_acquire); }

void fail_device(cudaError_t error) {
  cudaError_t none = cudaSuccess;
  sticky_error.compare_exchange_strong(none, error, std::memory_order_acq_rel);
}

void reset_device_error() {
  sticky_error.store(cudaSuccess, std::memory_order_release);
  last_error = cudaSuccess;
}

cudaError_t result(cudaError_t error) {
  if (const cudaError_t sticky = device_error(); sticky != cudaSuccess) error = sticky;
  // Not ready is an answer, not an error (CUDA C++ Programming Guide, "Error Checking").
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error = error;
  return error;
}

}  // namespace gpurma::cpu

using namespace gpurma::cpu;

cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() {
  const cudaError_t sticky = device_error();
  return sticky != cudaSuccess ? sticky : last_error;
}

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define GPURMA_CUDA_ERROR(name, value, text) \
  case name:                 \
    return #name;
#include "cuda_shim/gpurma_shim/errors.def"
#undef GPURMA_CUDA_ERROR
  }
  return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define GPURMA_CUDA_ERROR(name, value, text) \
  case name:                 \
    return text;
#include "cuda_shim/gpurma_shim/errors.def"
#undef GPURMA_CUDA_ERROR
  }
  return "unrecognized error code";
}
