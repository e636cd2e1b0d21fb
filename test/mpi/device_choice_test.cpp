// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On which device processes work, with devices that are not there (fake_cuda/). The mode, see main,
// is the argument: how the program begins to use CUDA.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "check.h"
#include "host/kernels.h"
#include "host/memory.h"
#include "host/process.h"

namespace gpurma {
void init(int* argc, char*** argv);
}

namespace {

using namespace gpurma::host;

void allocate() {
  void* memory = nullptr;
  CHECK(cudaMalloc(&memory, 16) == cudaSuccess);
}

int current() {
  int device = -1;
  CHECK(cudaGetDevice(&device) == cudaSuccess);
  return device;
}

// By the launcher, since gpurma has not started.
int local_rank() {
  return std::atoi(std::getenv("OMPI_COMM_WORLD_LOCAL_RANK"));
}

} // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "connects") {
    // What is set when kernels register, here the list of none.
    CHECK(rank_kernels().empty());
    CHECK(std::string(std::getenv("CUDA_DEVICE_MAX_CONNECTIONS")) == argv[2]);
    std::printf("device_choice_test: ok\n");
    return 0;
  }
  int expected = local_rank();
  if (mode == "allocates") {
    allocate();
  } else if (mode == "streams") {
    cudaStream_t stream = nullptr;
    CHECK(cudaStreamCreate(&stream) == cudaSuccess);
  } else if (mode == "asks") {
    CHECK(current() == expected);
  } else if (mode == "threads") {
    allocate();
    int seen = -1;
    std::thread([&] {
      allocate();
      seen = current();
    }).join();
    CHECK(seen == expected);
  } else if (mode == "chooses") {
    expected += 3;
    CHECK(cudaSetDevice(expected) == cudaSuccess);
    allocate();
  } else if (mode == "chooses-0") {
    CHECK(cudaSetDevice(0) == cudaSuccess);
    allocate();
  } else if (mode == "unlaunched") {
    CHECK(unsetenv("OMPI_COMM_WORLD_LOCAL_RANK") == 0);
    allocate();
  } else if (mode == "alone") {
    expected = 0;
    allocate();
  } else if (mode != "starts") {
    return 2;
  }
  gpurma::init(&argc, &argv);
  CHECK(current() == expected);
  CHECK(memory_device() == expected);
  std::printf("device_choice_test: ok\n");
  return 0;
}
