// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cuda_check.h"

#include <cmath>
#include <cstddef>
#include <vector>

/// An allocation of the device with the contents of `values`; the caller frees it.
template <class T> T* to_device(const std::vector<T>& values) {
  T* memory = nullptr;
  CHECK(cudaMalloc(&memory, values.size() * sizeof(T)));
  CHECK(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}

/// The largest difference between an array of the device and what it should be.
template <class T> double largest_error(const T* memory, const std::vector<T>& expected) {
  std::vector<T> values(expected.size());
  CHECK(cudaMemcpy(values.data(), memory, values.size() * sizeof(T), cudaMemcpyDeviceToHost));
  double error = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    error = std::fmax(error, std::fabs(static_cast<double>(values[i]) - expected[i]));
  return error;
}

/// Prints one line for the whole program, and says how it ends.
inline int report(const char* program, int steps, double error, double tolerance) {
  const bool good = error <= tolerance; // not if it is not a number
  std::printf("%s: %s after %d steps, maximum error %g\n", program, good ? "right" : "wrong", steps,
              error);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
