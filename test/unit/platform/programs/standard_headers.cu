// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Standard headers after, and in between, those of CUDA: the device overloads of the shim must not get in their way.
#include <cuda_runtime.h>

#include <immintrin.h>

#include <algorithm>
#include <any>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <complex>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <valarray>
#include <variant>
#include <vector>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cassert>

__global__ void kernel(float* out, int n) {
  assert(n > 0);
  out[threadIdx.x] = std::max(1.0f, std::min(2.0f, out[threadIdx.x])) + std::sqrt(2.0f) + std::cos(1.0) + std::log(2.0f);
}

int main() {
  std::vector<float> values(10);
  std::iota(values.begin(), values.end(), 0.0f);
  std::sort(values.begin(), values.end(), std::greater<>());
  std::complex<double> z(1, 2);
  kernel<<<1, 32>>>(values.data(), 1);
  std::cout << std::setprecision(3) << std::abs(z) << std::sqrt(z) << std::sqrt(2.0) << ::sqrt(2.0f) << std::pow(2.0, 3) << abs(-3)
            << std::max(1, 2) << sinf(1) << clock() << std::isnan(values[0]) << '\n';
}
