// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "field.h"

/// Computes `count` rows from `first` on, and in blocks of blockIdx.z 1 as many from `second` on.
/// Each thread has a column of `thread_rows` rows.
template <class App>
__global__ void update_part(App app, const double* in, double* out, int first, int second,
                            int count, int thread_rows) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int begin = blockIdx.y * thread_rows;
  if (column < app.columns())
    app.update(in, out, column, (blockIdx.z == 0 ? first : second) + begin,
               min(thread_rows, count - begin));
}

/// How the rows of a field are dealt to threads: as many rows for each, up to what is best for the
/// application, as still leave enough threads to fill the device several times.
struct plain_launch {
  int block = 256;
  int fill = 0; ///< Threads that fill the device several times.
  int asked = 0;

  explicit plain_launch(const request& given) : asked(given.rows) {
    int device = 0, processors = 0;
    check(cudaGetDevice(&device), "choice of a device");
    check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
          "query of the device");
    fill = processors * 4096;
    if (given.threads > 0)
      block = given.threads;
  }

  template <class App> int rows_of_thread(const App& app, int count) const {
    if (asked > 0)
      return asked;
    const long long threads = static_cast<long long>(app.columns()) * count;
    return static_cast<int>(
        std::clamp<long long>((threads + fill - 1) / fill, App::batch, App::most_rows));
  }

  /// Rows first ... first + count - 1.
  template <class App>
  void rows(const App& app, const double* in, double* out, int first, int count,
            cudaStream_t stream) const {
    if (count > 0)
      start(app, in, out, first, 0, count, 1, stream);
  }

  /// The rows that the neighbours need.
  template <class App>
  void edges(const App& app, const double* in, double* out, cudaStream_t stream) const {
    start(app, in, out, 0, app.rows - App::halo, App::halo, 2, stream);
  }

private:
  template <class App>
  void start(const App& app, const double* in, double* out, int first, int second, int count,
             int parts, cudaStream_t stream) const {
    const int thread_rows = rows_of_thread(app, count);
    const dim3 grid((app.columns() + block - 1) / block, (count + thread_rows - 1) / thread_rows,
                    parts);
    update_part<App><<<grid, block, 0, stream>>>(app, in, out, first, second, count, thread_rows);
    check(cudaGetLastError(), "launch of a step");
  }
};
