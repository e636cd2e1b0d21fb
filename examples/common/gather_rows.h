// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gpurma/gpurma.h>

#include <cstddef>

#include "rows.h"

/// Collects a field that is spread over processes in world rank 0's memory. `rows` points to the
/// process's band without its halo, `whole` to space for the whole field in the process of rank 0
/// (elsewhere it is not read). Elements are counted in T, a row has `row_size` of them.
///
/// Rank 0 exposes the whole field and everybody else nothing: a window may have another size on
/// every rank, and none at all.
template <class T>
__global__ void gather_rows(const T* rows, band process_band, std::size_t row_size, T* whole,
                            int whole_rows) {
  constexpr int gathered_tag = 0;
  const std::size_t whole_size = gpurma::rank() == 0 ? whole_rows * row_size : 0;
#pragma gpurma window(field = whole[0 : whole_size]) comm(world)

  const band own = band_of(gpurma::device_rank(), gpurma::device_size(), process_band.count);
  const T* source = rows + own.first * row_size;
  const std::size_t target = (process_band.first + own.first) * row_size;
#pragma gpurma put(source[0 : own.count * row_size]) to(0) at(field[target]) notify(gathered_tag)

  if (gpurma::rank() == 0) {
#pragma gpurma wait tag(gathered_tag) count(gpurma::size())
  }
}
