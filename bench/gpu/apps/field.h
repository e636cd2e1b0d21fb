// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// What all variants of all applications have in common: sizes, initial values, time, result.
///
/// An application (jacobi2d.h, horizontal_diffusion.h) is a small struct that kernels get by value.
/// Its field is made of rows; a process has some of them and App::halo rows before and behind.
/// Pointers to fields point to the first halo row, numbers of rows count from the first own one.
/// A thread updates rows of a few neighbouring points, a "column", by App::update, so that the
/// arithmetic of all variants is the same text.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "../../../examples/common/check.h"

/// Two values side by side, read and written at once.
struct alignas(16) two {
  double first;
  double second;
};

__host__ __device__ inline const two& two_at(const double* address) {
  return *reinterpret_cast<const two*>(address);
}

__host__ __device__ inline two& two_at(double* address) {
  return *reinterpret_cast<two*>(address);
}

/// A contiguous part of a number of rows.
struct section {
  int first;
  int count;
};

/// The part number `part` of `parts` which are as even as can be; the longer ones are in the
/// middle, for those at the ends have to send, too.
__host__ __device__ inline section section_of(int part, int parts, int rows) {
  const int even = rows / parts;
  const int longer = rows % parts;
  const int from = (parts - longer) / 2;
  const int longer_before = part < from ? 0 : part - from < longer ? part - from : longer;
  return {part * even + longer_before, even + (part >= from && part - from < longer ? 1 : 0)};
}

__host__ __device__ inline std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ bits >> 33) * 0xff51afd7ed558ccdu;
  bits = (bits ^ bits >> 33) * 0xc4ceb9fe1a85ec53u;
  return bits ^ bits >> 33;
}

/// From -1 to 1, and the same on every machine.
__host__ __device__ inline double noise(std::uint64_t number) {
  return static_cast<double>(mixed(number + 1) >> 11) / static_cast<double>(1ull << 52) - 1.0;
}

/// What a value adds to the hash of its field: sums of these depend on each bit and each place, and
/// not on the order.
__host__ __device__ inline std::uint64_t hashed(double value, std::uint64_t place) {
  std::uint64_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return mixed(bits + 0x9e3779b97f4a7c15u * (place + 1));
}

/// Element `e` of a row is App::value(e, row of the whole field).
template <class App> __global__ void fill_rows(App app, double* field) {
  for (int r = blockIdx.x; r < app.rows + 2 * App::halo; r += gridDim.x) {
    for (std::size_t e = threadIdx.x; e < app.row(); e += blockDim.x)
      field[r * app.row() + e] = app.value(e, app.first + r - App::halo);
  }
}

template <class App> __global__ void hash_rows(App app, const double* field, std::uint64_t* sum) {
  std::uint64_t own = 0;
  for (int r = blockIdx.x; r < app.rows; r += gridDim.x) {
    for (std::size_t e = threadIdx.x; e < app.row(); e += blockDim.x)
      own += hashed(field[(r + App::halo) * app.row() + e], (app.first + r) * app.row() + e);
  }
  atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(own));
}

/// Of a whole field with its halo.
template <class App> std::uint64_t hash_of(const App& whole, const std::vector<double>& field) {
  std::uint64_t sum = 0;
  const std::size_t size = whole.rows * whole.row();
  for (std::size_t place = 0; place < size; ++place)
    sum += hashed(field[App::halo * whole.row() + place], place);
  return sum;
}

/// A process's two fields in one allocation. Steps go from `field[0]` to `field[1]`, back, and so
/// on.
template <class App> class fields {
public:
  static std::size_t bytes(const App& app, int most_rows) {
    return 2 * elements(app, most_rows) * sizeof(double);
  }

  /// `most_rows` that any process has: in all of them the fields are equally far apart. `memory` is
  /// null or the caller's.
  fields(const App& app, int most_rows, void* memory = nullptr)
      : app_(app), apart_(elements(app, most_rows)), memory_(static_cast<double*>(memory)),
        owns_memory_(memory == nullptr) {
    if (owns_memory_)
      check(cudaMalloc(&memory_, bytes(app, most_rows)), "allocation of the fields");
    for (const int number : {0, 1}) {
      fill_rows<App><<<blocks, threads>>>(app_, (*this)[number]);
      check(cudaGetLastError(), "initial values");
    }
    check(cudaMalloc(&sum_, sizeof(*sum_)), "allocation of a hash");
    check(cudaDeviceSynchronize(), "initial values");
  }
  fields(const fields&) = delete;
  fields& operator=(const fields&) = delete;
  ~fields() {
    if (owns_memory_)
      check(cudaFree(memory_), "release of the fields");
    check(cudaFree(sum_), "release of a hash");
  }

  std::size_t apart() const { return apart_; } ///< In elements.
  double* operator[](int number) const { return memory_ + number * apart_; }

  /// Of the process's rows, after an even number of steps.
  std::uint64_t hash() const {
    std::uint64_t sum = 0;
    check(cudaMemset(sum_, 0, sizeof(sum)), "hash of the field");
    hash_rows<App><<<blocks, threads>>>(app_, memory_, sum_);
    check(cudaGetLastError(), "hash of the field");
    check(cudaMemcpy(&sum, sum_, sizeof(sum), cudaMemcpyDeviceToHost), "hash of the field");
    return sum;
  }

private:
#if GPURMA_TARGET_CPU
  static constexpr int blocks = 2, threads = 4;
#else
  static constexpr int blocks = 1024, threads = 256;
#endif

  static std::size_t elements(const App& app, int most_rows) {
    return (static_cast<std::size_t>(most_rows) + 2 * App::halo) * app.row();
  }

  App app_;
  std::size_t apart_;
  double* memory_;
  bool owns_memory_;
  std::uint64_t* sum_ = nullptr;
};

/// A measurement of the command line: 1024x512:200 are 1024 x 512 points and 200 steps.
struct task {
  std::vector<int> size;
  int steps;
};

[[noreturn]] inline void stop(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(EXIT_FAILURE);
}

/// What a variant is asked for. Every run of a size makes a first launch that does not count and
/// `repetitions` more.
struct request {
  std::vector<task> tasks;
  int repetitions = 5;
  int threads = 0; ///< Of a block; 0 lets the program choose.
  int rows = 0;    ///< Of a thread in a kernel of one step, or of a tile; 0: the program chooses.
  int blocks = 0;  ///< Of a multiprocessor, in a kernel of all steps; 0 lets the program choose.
  bool staged = false; ///< Exchange through the host, even if MPI reaches memory of the device.
  bool check = false;  ///< Against App::reference, by process 0; not for contracted arithmetic.

  static constexpr const char* usage = "[--repetitions N] [--threads N] [--rows N] [--blocks N] "
                                       "[--staged] [--check] <nx>x<ny>[x<nz>]:<steps>...";

  /// Takes the command line from `argument` on; ends the program if it is wrong.
  static request from(int argc, char** argv, int argument, std::size_t dimensions) {
    request made;
    const auto wrong = [&] {
      stop(std::string("wrong or missing argument; expected ") + usage + ", nx and the steps even");
    };
    for (; argument < argc; ++argument) {
      const std::string word = argv[argument];
      if (word == "--check") {
        made.check = true;
      } else if (word == "--staged") {
        made.staged = true;
      } else if (word == "--repetitions" && argument + 1 < argc) {
        made.repetitions = std::atoi(argv[++argument]);
      } else if (word == "--threads" && argument + 1 < argc) {
        made.threads = std::atoi(argv[++argument]);
      } else if (word == "--rows" && argument + 1 < argc) {
        made.rows = std::atoi(argv[++argument]);
      } else if (word == "--blocks" && argument + 1 < argc) {
        made.blocks = std::atoi(argv[++argument]);
      } else {
        made.tasks.push_back(task_of(word));
        const task& last = made.tasks.back();
        if (last.size.size() != dimensions || last.steps < 2 || last.steps % 2 != 0 ||
            last.size[0] % 2 != 0 || *std::min_element(last.size.begin(), last.size.end()) < 1)
          wrong();
      }
    }
    if (made.tasks.empty() || made.repetitions < 1)
      wrong();
    return made;
  }

private:
  static task task_of(const std::string& word) {
    task read{{}, 0};
    const char* at = word.c_str();
    char* end = nullptr;
    do {
      read.size.push_back(static_cast<int>(std::strtol(at, &end, 10)));
      at = end + 1;
    } while (*end == 'x');
    if (*end == ':')
      read.steps = std::atoi(at);
    return read;
  }
};

/// One JSON object with the median of the repetitions, which are seconds for all steps.
inline void print_result(const char* app, const char* by, int processes, const task& done,
                         std::vector<double> seconds, std::uint64_t hash,
                         const std::string& more = "") {
  std::sort(seconds.begin(), seconds.end());
  std::string size;
  for (const int extent : done.size)
    size += (size.empty() ? "" : "x") + std::to_string(extent);
  const double scale = 1e6 / done.steps;
  std::printf("{\"what\": \"%s\", \"by\": \"%s\", \"gpus\": %d, \"size\": \"%s\", \"steps\": %d, "
              "\"us\": %.5g, \"low\": %.5g, \"high\": %.5g, \"hash\": \"%016llx\"%s}\n",
              app, by, processes, size.c_str(), done.steps, seconds[seconds.size() / 2] * scale,
              seconds.front() * scale, seconds.back() * scale,
              static_cast<unsigned long long>(hash), more.c_str());
  std::fflush(stdout);
}
