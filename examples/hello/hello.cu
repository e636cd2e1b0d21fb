// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hello: what ranks are.
//
// A kernel with a gpurma directive in it is a rank kernel: all its blocks are resident at once, on
// every process, and each of them is a rank. The host can ask how many there will be before it
// launches.
//
//   gpurmacc --gpurma-target=cpu hello.cu -o hello
//   GPURMA_CPU_RANKS=2 mpirun -np 2 ./hello
//
// prints, in any order, one line for each process and one for each rank (see expected.txt).

#include <gpurma/gpurma.h>

#include <cstdio>
#include <cstdlib>

#include "../common/check.h"

__global__ void hello() {
  // All ranks of all processes are running here at the same time. A device-wide barrier of plain
  // CUDA would end at the device.
#pragma gpurma barrier comm(world)
  if (threadIdx.x == 0) {
    printf("rank %d of %d is rank %d of %d on its device\n", gpurma::rank(), gpurma::size(),
           gpurma::device_rank(), gpurma::device_size());
  }
}

int main(int argc, char** argv) {
  gpurma::init(&argc, &argv);

  const dim3 block(32);
  const auto ranks = gpurma::query(hello, block);
  std::printf("process %d of %d: device %d runs ranks %d to %d of %d\n", ranks.process,
              ranks.processes, ranks.device, ranks.first_rank,
              ranks.first_rank + ranks.device_ranks - 1, ranks.world_ranks);

  hello<<<ranks.device_ranks, block>>>();
  check(cudaGetLastError(), "launch of hello");
  check(cudaDeviceSynchronize(), "hello");

  gpurma::finalize();
  return EXIT_SUCCESS;
}
