// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "mpi_process.h"

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

/// Whether MPI sends from memory of the device and receives there.
inline bool mpi_reaches_device_memory() {
#if GPURMA_TARGET_CPU
  return true; // which is memory of the host
#elif defined(OMPI_HAVE_MPI_EXT_CUDA) && OMPI_HAVE_MPI_EXT_CUDA
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

enum class neighbour { previous, next };
constexpr neighbour neighbours[] = {neighbour::previous, neighbour::next};

/// The edges of a process's rows and its halo in pinned host memory, and MPI between them. An
/// application has `rows`, row() values in each of them, and a halo.
template <class App, class T = double> class halo_exchange {
public:
  halo_exchange(const App& app, const mpi_process& process)
      : app_(app), process_(process), count_(App::halo * app.row()) {
    check(cudaMallocHost(&memory_, 4 * bytes()), "allocation of pinned memory");
  }
  halo_exchange(const halo_exchange&) = delete;
  halo_exchange& operator=(const halo_exchange&) = delete;
  ~halo_exchange() { check(cudaFreeHost(memory_), "release of pinned memory"); }

  bool is_needed() const { return process_.size > 1; }
  bool has(neighbour which) const { return rank_of(which) != MPI_PROC_NULL; }

  void copy_edge_to_host(neighbour which, const T* field, cudaStream_t stream) {
    copy(staged(which).edge, in(field, which).edge, which, stream);
  }
  void copy_halo_to_device(neighbour which, T* field, cudaStream_t stream) {
    copy(in(field, which).halo, staged(which).halo, which, stream);
  }

  void copy_edges_to_host(const T* field, cudaStream_t stream) {
    for (const neighbour which : neighbours)
      copy_edge_to_host(which, field, stream);
  }
  void copy_halo_to_device(T* field, cudaStream_t stream) {
    for (const neighbour which : neighbours)
      copy_halo_to_device(which, field, stream);
  }

  /// As copy_halo_to_device() found it, back.
  void copy_halo_to_host(const T* field) {
    for (const neighbour which : neighbours)
      copy(staged(which).halo, in(field, which).halo, which, nullptr);
    check(cudaDeviceSynchronize(), "copy of the halo");
  }

  /// Sends the edges and receives the halo.
  void exchange() { exchange(staged(neighbour::previous), staged(neighbour::next)); }
  /// The same in the device's memory, if MPI reaches it.
  void exchange_in(T* field) {
    exchange(in(field, neighbour::previous), in(field, neighbour::next));
  }

private:
  /// What goes to a neighbour, and what comes from it.
  template <class Value> struct places {
    Value* edge;
    Value* halo;
  };

  std::size_t bytes() const { return count_ * sizeof(T); }
  int rank_of(neighbour which) const {
    return which == neighbour::previous ? process_.previous() : process_.next();
  }

  places<T> staged(neighbour which) const {
    return which == neighbour::previous ? places<T>{memory_, memory_ + 2 * count_}
                                        : places<T>{memory_ + count_, memory_ + 3 * count_};
  }
  template <class Value> places<Value> in(Value* field, neighbour which) const {
    Value* const behind = field + (app_.rows + App::halo) * app_.row();
    return which == neighbour::previous ? places<Value>{field + count_, field}
                                        : places<Value>{behind - count_, behind};
  }

  void copy(T* to, const T* from, neighbour which, cudaStream_t stream) const {
    if (has(which))
      check(cudaMemcpyAsync(to, from, bytes(), cudaMemcpyDefault, stream), "copy of an edge");
  }

  void exchange(const places<T>& previous, const places<T>& next) {
    static_assert(std::is_same_v<T, double> || std::is_same_v<T, float>);
    const MPI_Datatype type = std::is_same_v<T, double> ? MPI_DOUBLE : MPI_FLOAT;
    const int count = static_cast<int>(count_);
    const int up = process_.previous(), down = process_.next();
    MPI_Request all[4];
    MPI_Irecv(previous.halo, count, type, up, 0, MPI_COMM_WORLD, &all[0]);
    MPI_Irecv(next.halo, count, type, down, 1, MPI_COMM_WORLD, &all[1]);
    MPI_Isend(previous.edge, count, type, up, 1, MPI_COMM_WORLD, &all[2]);
    MPI_Isend(next.edge, count, type, down, 0, MPI_COMM_WORLD, &all[3]);
    MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
  }

  App app_;
  mpi_process process_;
  std::size_t count_;
  T* memory_ = nullptr;
};
