// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs with regions share: arrays of the device, and a number that stands for what is in them. The same programs without
// directives, which say what is right, include it, too.
#ifndef GPURMA_TEST_REGION_H
#define GPURMA_TEST_REGION_H

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

/// Ends the program where a call of CUDA fails.
#define CHECK(call)                                                                                                              \
  do {                                                                                                                           \
    cudaError_t error = (call);                                                                                                  \
    if (error != cudaSuccess) {                                                                                                  \
      std::fprintf(stderr, "%s\n", cudaGetErrorString(error));                                                                   \
      std::exit(1);                                                                                                              \
    }                                                                                                                            \
  } while (0)

/// An array of the device with the values of_index(0), of_index(1), ...
template <class T, class OfIndex> T *device_array(std::size_t count, OfIndex of_index) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<T>(of_index(i));
  T *memory = nullptr;
  CHECK(cudaMalloc(&memory, count * sizeof(T)));
  CHECK(cudaMemcpy(memory, values.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}

template <class T> std::vector<T> host_copy(const T *memory, std::size_t count) {
  std::vector<T> values(count);
  CHECK(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

/// A number that stands for integers and their order.
template <class T> long long ordered_sum(const T *memory, std::size_t count, long long modulus = 1000000007) {
  long long sum = 0;
  for (T value : host_copy(memory, count))
    sum = (sum * 31 + static_cast<long long>(value)) % modulus;
  return sum;
}

inline bool is_first_process() {
  const char *rank = std::getenv("OMPI_COMM_WORLD_RANK");
  return !rank || std::atoi(rank) == 0;
}

/// An array of the device with numbers below 100999.
template <class T> T *array_of_numbers(std::size_t count) {
  return device_array<T>(count, [](std::size_t i) { return (i + 1ull) * 7919 % 100999; });
}
/// Prints an array's sum, once.
template <class T> void print_sum(const char *name, const T *memory, std::size_t count) {
  const long long sum = ordered_sum(memory, count);
  if (is_first_process())
    std::printf("%s %lld\n", name, sum);
}

/// True if the program has an argument and another process prints the same.
inline bool is_quiet(int argc) { return argc > 1 && !is_first_process(); }

#endif
