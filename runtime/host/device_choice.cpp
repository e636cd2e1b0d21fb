// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/device_choice.h"

#if GPURMA_TARGET_CUDA

#include <cuda_runtime.h>

#include <cstdlib>

#include "host/driver.h"
#include "host/environment.h"
#include "host/log.h"
#include "host/memory.h"
#include "host/process.h"

namespace gpurma::host {

namespace {

// What launchers call the number of a process among those of its node: Open MPI, Intel MPI and
// MPICH, MVAPICH, Cray PALS, srun. Under mpirun in an allocation of Slurm both are set, and
// mpirun's is the process's.
constexpr const char* local_rank_names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                            "MV2_COMM_WORLD_LOCAL_RANK", "PALS_LOCAL_RANKID",
                                            "SLURM_LOCALID"};

struct launched {
  const char* name = nullptr; // null: no launcher tells
  int local_rank = 0;
};

launched by_launcher() {
  for (const char* name : local_rank_names) {
    if (const char* value = std::getenv(name))
      return {name, std::atoi(value)};
  }
  return {};
}

// Since CUDA 12 cudaSetDevice counts, too.
bool uses_device_0() {
  unsigned flags = 0;
  int used = 0;
  const auto get_state =
      driver_function<decltype(cuDevicePrimaryCtxGetState)>("cuDevicePrimaryCtxGetState");
  return get_state(0, &flags, &used) == CUDA_SUCCESS && used != 0;
}

} // namespace

void choose_device_before_use() {
  thread_local bool done = false;
  if (done)
    return;
  done = true; // the calls below come here, too
  const launched process = by_launcher();
  int devices = 0;
  int current = 0;
  if (process.local_rank <= 0 || environment::transport() == "self" ||
      cudaGetDeviceCount(&devices) != cudaSuccess || process.local_rank % devices == 0 ||
      cudaGetDevice(&current) != cudaSuccess || current != 0 || uses_device_0())
    return;
  const int own = process.local_rank % devices;
  log(log_level::info, text("the program has chosen no device; this process works on device ", own,
                            " of ", devices, ", since ", process.name, " is ", process.local_rank));
  static_cast<void>(cudaSetDevice(own));
}

int device_at_start() {
  int devices = 0;
  int device = 0;
  check_cuda(cudaGetDeviceCount(&devices), "count devices");
  check_cuda(cudaGetDevice(&device), "find the current device");
  const int own = process().local_rank % devices;
  if (device != 0 || own == 0)
    return device;
  if (uses_device_0()) {
    fatal(text("the program has used device 0 before gpurma starts, which would work on device ",
               own,
               " in this process; leave the choice to gpurma (no cudaSetDevice, and a launcher "
               "that tells each process its number on its node), or call gpurma::init or "
               "cudaSetDevice(",
               own, ") first; for processes that share device 0, set CUDA_VISIBLE_DEVICES=0"));
  }
  return own;
}

} // namespace gpurma::host

#endif
