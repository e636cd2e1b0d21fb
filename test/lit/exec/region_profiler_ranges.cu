// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Ranges and marks for profilers around the steps of a region and in them, as macros of programs make them, and hints where memory is
// used next. They are left out of the region.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// CHECK: ranges {{[1-9]}}
#include "Inputs/region.h"

#include <nvtx3/nvToolsExt.h>
#include <utility>

static const unsigned colors[] = {0xff00ff00, 0xff0000ff};
#define PUSH_RANGE(name, number)                                                                                                 \
  {                                                                                                                              \
    nvtxEventAttributes_t range = {};                                                                                            \
    range.version = NVTX_VERSION;                                                                                                \
    range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;                                                                                  \
    range.colorType = NVTX_COLOR_ARGB;                                                                                           \
    range.color = colors[number];                                                                                                \
    range.messageType = NVTX_MESSAGE_TYPE_ASCII;                                                                                 \
    range.message.ascii = name;                                                                                                  \
    nvtxRangePushEx(&range);                                                                                                     \
  }

__global__ void step(unsigned *out, const unsigned *in, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x > 0 && x < n - 1)
    out[x] = (in[x - 1] + 3 * in[x] + 5 * in[x + 1]) % 100999;
}

int main() {
  constexpr int n = 997;
  unsigned *u = array_of_numbers<unsigned>(n), *next = array_of_numbers<unsigned>(n), *managed = nullptr;
  CHECK(cudaMallocManaged(&managed, n * sizeof(unsigned))); // of other memory hints are errors
  PUSH_RANGE("all steps", 0)
#pragma gpurma persistent distribute(u, next : rows(n))
  for (int k = 0; k < 7; ++k) {
    PUSH_RANGE("step", k % 2)
    const nvtxRangeId_t launch = nvtxRangeStart("launch");
    step<<<(n + 31) / 32, 32>>>(next, u, n);
    nvtxRangeEnd(launch);
    if (cudaMemPrefetchAsync(managed, n * sizeof(unsigned), cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, 0) != cudaSuccess)
      break;
    cudaMemAdvise(managed, n * sizeof(unsigned), cudaMemAdviseSetReadMostly, cudaMemLocation{cudaMemLocationTypeDevice, 0});
    nvtxRangePush("swap");
    std::swap(u, next);
    if (nvtxRangePop() < -2)
      break;
    nvtxMark("done");
    nvtxRangePop();
  }
  nvtxRangePop();
  print_sum("ranges", u, n);
}
