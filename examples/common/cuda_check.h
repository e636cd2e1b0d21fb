// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

/// Ends the program with a message if a call of the CUDA runtime fails.
#define CHECK(call)                                                                                \
  do {                                                                                             \
    const cudaError_t check_error = (call);                                                        \
    if (check_error != cudaSuccess) {                                                              \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(check_error));    \
      std::exit(EXIT_FAILURE);                                                                     \
    }                                                                                              \
  } while (0)
