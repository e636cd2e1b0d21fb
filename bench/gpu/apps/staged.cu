// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA kernels and MPI as one writes them first: a kernel per step, then the edges through pinned
// host memory, all on one stream and one after the other.
//
//   mpirun -np 2 staged jacobi2d 4096x4096:500

#include "halo_exchange.h"
#include "measure.h"

template <class App> class staged {
public:
  static constexpr const char* name = "staged";

  staged(const App& app, const mpi_process& process, const request& given, const task& t)
      : app_(app), launch_(given), field_(app, most_rows<App>(t, process)), halo_(app, process) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creation of a stream");
  }
  staged(const staged&) = delete;
  staged& operator=(const staged&) = delete;
  ~staged() { check(cudaStreamDestroy(stream_), "release of a stream"); }

  void run(int steps) {
    for (int step = 0; step < steps; ++step) {
      const double* in = field_[step % 2];
      double* out = field_[(step + 1) % 2];
      launch_.rows(app_, in, out, 0, app_.rows, stream_);
      if (halo_.is_needed()) {
        halo_.copy_edges_to_host(out, stream_);
        check(cudaStreamSynchronize(stream_), "a step");
        halo_.exchange();
        halo_.copy_halo_to_device(out, stream_);
      }
    }
    check(cudaStreamSynchronize(stream_), "the last step");
  }

  std::uint64_t hash() const { return field_.hash(); }

private:
  App app_;
  plain_launch launch_;
  fields<App> field_;
  halo_exchange<App> halo_;
  cudaStream_t stream_ = nullptr;
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = measure_all<staged>(argc, argv, mpi_process());
  MPI_Finalize();
  return status;
}
