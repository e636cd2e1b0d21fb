// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cudaMemcpy and cudaMemset of whole distributed arrays, or of some of their rows, in a persistent
// region: stages without a kernel.
//
//   cudaMemcpy(a, b, bytes, cudaMemcpyDeviceToDevice);    with a, b : rows(ny, nx)
//   cudaMemcpy(a, a + (ny - 2) * nx, nx * sizeof(float), cudaMemcpyDeviceToDevice);
//
// A tile is as large as the block of the region's launches, and the thread at the coordinates x and
// y of the array copies the element there, so that mostly the rank that copies an element is the
// one that has written it.
#ifndef GPURMA_DEVICE_ARRAY_COPIES_H
#define GPURMA_DEVICE_ARRAY_COPIES_H

#include <cuda_runtime.h>

#include <cstdint>

#include <gpurma/device/stage_plan.h>
#include <gpurma/device/thread_numbers.h>

namespace gpurma::stages {

// The plan of a copy or fill called `name`, whose rows are walked by a grid dimension, as
// stage_plan::with_walks has it, where the region's launches have such a block.
inline stage_plan plan_of_copy(const char* name, const dim3& block, unsigned row_dimension,
                               std::uint32_t walks) {
  const int dimensions = static_cast<int>(row_dimension) + 1;
  return stage_plan(name, nullptr, row_dimension, tile_of(block, dimensions), 0)
      .with_walks(walks, 1, false)
      .with_renumbered_threads(block);
}

} // namespace gpurma::stages

#endif
