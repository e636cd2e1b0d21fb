// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gpurma/gpurma.h>

/// A contiguous band of rows of a field.
struct band {
  int first;
  int count;
};

/// The band of `part` when `rows` rows are dealt to `parts` parts in order and as evenly as can be:
/// the first rows % parts parts have one row more than the others, and with fewer rows than parts
/// the last ones have none.
__host__ __device__ inline band band_of(int part, int parts, int rows) {
  const int even = rows / parts;
  const int extra = rows % parts;
  return {part * even + (part < extra ? part : extra), even + (part < extra ? 1 : 0)};
}

/// The band of a process is those of its ranks together, which lie side by side.
__host__ __device__ inline band band_of_ranks(int first_rank, int ranks, int world_ranks,
                                              int rows) {
  const int begin = band_of(first_rank, world_ranks, rows).first;
  return {begin, band_of(first_rank + ranks, world_ranks, rows).first - begin};
}

/// The ranks that own the rows before and after those of a rank: gpurma::null_rank at the borders
/// of the field and for ranks without rows.
struct neighbours {
  int previous;
  int next;
  int previous_rows; ///< How many rows `previous` owns; 0 if there is none.
  int count;         ///< How many of the two there are.
};

__host__ __device__ inline neighbours neighbours_of(int rank, int ranks, int rows) {
  neighbours found{gpurma::null_rank, gpurma::null_rank, 0, 0};
  if (band_of(rank, ranks, rows).count == 0)
    return found;
  if (rank > 0) {
    found.previous = rank - 1;
    found.previous_rows = band_of(rank - 1, ranks, rows).count;
    ++found.count;
  }
  if (rank + 1 < ranks && band_of(rank + 1, ranks, rows).count > 0) {
    found.next = rank + 1;
    ++found.count;
  }
  return found;
}
