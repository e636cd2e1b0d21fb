// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "measure.h"

/// The edges of a process's rows and its halo in pinned host memory, and MPI between them.
template <class App> class halo_exchange {
public:
  halo_exchange(const App& app, const mpi_process& process)
      : app_(app), process_(process), count_(App::halo * app.row()) {
    check(cudaMallocHost(&memory_, 4 * bytes()), "allocation of pinned memory");
  }
  halo_exchange(const halo_exchange&) = delete;
  halo_exchange& operator=(const halo_exchange&) = delete;
  ~halo_exchange() { check(cudaFreeHost(memory_), "release of pinned memory"); }

  bool is_needed() const { return process_.size > 1; }

  void copy_edges_to_host(const double* field, cudaStream_t stream) {
    const double* const own = field + count_;
    copy(part(upper_edge), own, process_.previous(), stream);
    copy(part(lower_edge), own + (app_.rows - App::halo) * app_.row(), process_.next(), stream);
  }

  void copy_halo_to_device(double* field, cudaStream_t stream) {
    copy(field, part(upper_halo), process_.previous(), stream);
    copy(field + (app_.rows + App::halo) * app_.row(), part(lower_halo), process_.next(), stream);
  }

  /// As copy_halo_to_device() found it, back.
  void copy_halo_to_host(const double* field) {
    copy(part(upper_halo), field, process_.previous(), nullptr);
    copy(part(lower_halo), field + (app_.rows + App::halo) * app_.row(), process_.next(), nullptr);
    check(cudaDeviceSynchronize(), "copy of the halo");
  }

  /// Sends the edges and receives the halo.
  void exchange() {
    const int count = static_cast<int>(count_);
    const int up = process_.previous(), down = process_.next();
    MPI_Request all[4];
    MPI_Irecv(part(upper_halo), count, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &all[0]);
    MPI_Irecv(part(lower_halo), count, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &all[1]);
    MPI_Isend(part(upper_edge), count, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &all[2]);
    MPI_Isend(part(lower_edge), count, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &all[3]);
    MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
  }

private:
  enum place { upper_edge, lower_edge, upper_halo, lower_halo };

  std::size_t bytes() const { return count_ * sizeof(double); }
  double* part(place which) const { return memory_ + which * count_; }

  void copy(double* to, const double* from, int neighbour, cudaStream_t stream) const {
    if (neighbour != MPI_PROC_NULL)
      check(cudaMemcpyAsync(to, from, bytes(), cudaMemcpyDefault, stream), "copy of an edge");
  }

  App app_;
  mpi_process process_;
  std::size_t count_;
  double* memory_ = nullptr;
};
