// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the host tells the ranks of a persistent region before it begins: the arrays, what a logical
// block of each stage touches, and how rows are banded over the processes. docs/runtime.md has the
// protocol.
#ifndef GPURMA_DEVICE_STAGE_PLAN_H
#define GPURMA_DEVICE_STAGE_PLAN_H

#include <cuda_runtime.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include <gpurma/types.h>

namespace gpurma::stages {

// As low or high of a reach: any coordinate.
inline constexpr int whole = INT_MIN;

// Along one grid dimension d, a logical block touches the coordinates blockIdx.d * blockDim.d + low
// to blockIdx.d * blockDim.d + blockDim.d - 1 + high.
struct axis_reach {
  int low;
  int high;
};

// What a logical block reads or writes of any of its arrays.
struct reach {
  axis_reach axis[3];
  bool some;
};

// One launch of a region. Made on the host by the text that gpurmacc generates.
struct stage_plan {
  const char* name; // of the kernel; the host's
  unsigned row;     // the grid dimension that walks the rows: 0 x, 1 y, 2 z
  dim3 block;
  std::size_t shared_bytes;
  bool has_barrier; // shared memory is reused from one logical block to the next
  reach read;
  reach written;

  stage_plan() = default;
  stage_plan(const char* kernel, unsigned row_dimension, dim3 threads, std::size_t dynamic_bytes,
             bool barrier)
      : name(kernel), row(row_dimension), block(threads), shared_bytes(dynamic_bytes),
        has_barrier(barrier), read{}, written{} {}

  // An array more, by lows and highs of x, y and z.
  stage_plan reads(int xl, int xh, int yl, int yh, int zl, int zh) const {
    stage_plan more = *this;
    add(more.read, {{{xl, xh}, {yl, yh}, {zl, zh}}, true});
    return more;
  }
  stage_plan writes(int xl, int xh, int yl, int yh, int zl, int zh) const {
    stage_plan more = *this;
    add(more.written, {{{xl, xh}, {yl, yh}, {zl, zh}}, true});
    return more;
  }

private:
  static void add(reach& all, const reach& one) {
    for (int d = 0; d < 3; ++d) {
      axis_reach& to = all.axis[d];
      const axis_reach& from = one.axis[d];
      if (!all.some)
        to = from;
      else if (to.low == whole || from.low == whole)
        to = {whole, whole};
      else
        to = {to.low < from.low ? to.low : from.low, to.high > from.high ? to.high : from.high};
    }
    all.some = true;
  }
};

// A distributed array: `rows` rows of `lines` lines of `width` elements.
struct array_plan {
  const char* name; // the host's
  char* base;
  std::uint64_t element_bytes;
  std::uint64_t lines;
  std::uint64_t width;
  std::int64_t rows;
  bool banded = false; // each process holds its band and what it touches; filled in by the host

  array_plan() = default;
  template <class T>
  array_plan(const char* variable, T* pointer, std::int64_t n0, std::int64_t n1 = 1,
             std::int64_t n2 = 1, std::int64_t n3 = 1)
      : name(variable), base(const_cast<char*>(reinterpret_cast<const volatile char*>(pointer))),
        element_bytes(sizeof(T)), lines(1), width(static_cast<std::uint64_t>(n1)), rows(n0) {
    if (n3 != 1 || n2 != 1) {
      lines = static_cast<std::uint64_t>(n3 != 1 ? n1 * n2 : n1);
      width = static_cast<std::uint64_t>(n3 != 1 ? n3 : n2);
    }
  }

  __host__ __device__ std::uint64_t row_bytes() const { return lines * width * element_bytes; }
  __host__ __device__ std::uint64_t bytes() const {
    return static_cast<std::uint64_t>(rows) * row_bytes();
  }
};

// Rows in contiguous bands over the processes; bands begin at multiples of `unit`.
struct banding {
  std::int64_t rows;
  std::int64_t unit;
  int processes;
  int process;
  // Rows of a band's neighbour that are read beyond the band: before it, after it.
  int need_before;
  int need_after;
  // The same for all accesses.
  int touch_before;
  int touch_after;

  // First row of a process's band; of `processes`: all rows.
  __host__ __device__ std::int64_t begin(int p) const {
    const std::int64_t units = (rows + unit - 1) / unit;
    const std::int64_t row = p * units / processes * unit;
    return row < rows ? row : rows;
  }
};

// For up to S stages, A arrays and R reduced scalars.
template <int S, int A, int R> struct plan {
  stage_plan stage[S];
  array_plan array[A];
  std::uint64_t identity[R]; // bits of each operation's neutral element
  banding bands{};
  site where{};
};

// Device memory of a region. All processes divide theirs in the same way.
struct memory {
  std::uint64_t* words;
  const int* first_ranks; // of each process and, last, of all
  int most_ranks;         // of any process
  int processes;

  // Epochs: stages that a rank has completed; of the device's own ranks, of those of the process
  // before, and of those of the process after.
  enum side : int { own, before, after };
  __host__ __device__ std::size_t epoch_at(int of, int rank) const {
    return static_cast<std::size_t>(of) * most_ranks + rank;
  }
  // Of a reduced scalar: what the ranks of the device have added up, what each process has, and
  // the number of the meeting that this belongs to; how many ranks have come to meetings.
  static constexpr std::size_t line = 16; // words; atomics of one do not slow others down
  __host__ __device__ std::size_t scalar_at(int scalar) const {
    return (3 * static_cast<std::size_t>(most_ranks) + line - 1) / line * line +
           scalar * (3 * line + 4 * static_cast<std::size_t>(processes));
  }
  __host__ __device__ std::size_t partial_at(int scalar, unsigned slot) const {
    return scalar_at(scalar) + slot * line;
  }
  __host__ __device__ std::size_t arrived_at(int scalar) const {
    return scalar_at(scalar) + 2 * line;
  }
  __host__ __device__ std::size_t total_at(int scalar, unsigned slot, int process) const {
    return scalar_at(scalar) + 3 * line + (2 * static_cast<std::size_t>(processes)) * slot +
           2 * static_cast<std::size_t>(process);
  }
  __host__ __device__ std::size_t words_for(int scalars) const { return scalar_at(scalars); }
};

// Operations of reduce.
struct plus {
  template <class T> __host__ __device__ static T combine(T a, T b) { return a + b; }
  template <class T> static T identity() { return T(0); }
};
struct maximum {
  template <class T> __host__ __device__ static T combine(T a, T b) { return a < b ? b : a; }
  template <class T> static T identity() { return std::numeric_limits<T>::lowest(); }
};
struct minimum {
  template <class T> __host__ __device__ static T combine(T a, T b) { return b < a ? b : a; }
  template <class T> static T identity() { return std::numeric_limits<T>::max(); }
};

template <class T> __host__ __device__ std::uint64_t bits_of(T value) {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <class T> __host__ __device__ T from_bits(std::uint64_t bits) {
  T value;
  memcpy(&value, &bits, sizeof(T));
  return value;
}
template <class T, class Operation> std::uint64_t identity_bits() {
  return bits_of<T>(Operation::template identity<T>());
}

} // namespace gpurma::stages

#endif
