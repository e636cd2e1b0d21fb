// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which lanes of a warp go where, for exchanges of values behind (passes/NarrowMasks.cpp).
#ifndef GPURMA_DEVICE_LANE_MASKS_H
#define GPURMA_DEVICE_LANE_MASKS_H

#include <gpurma/device/stages.h>

namespace gpurma::stages {

// All lanes of `among` come here together; those of them for which a condition holds are `mask`.
struct lanes_where {
  bool holds;
  unsigned mask, rest;

  GPURMA_DEVICE lanes_where(unsigned among, bool condition)
      : holds(condition), mask(__ballot_sync(among, condition)), rest(among & ~mask) {}
};

} // namespace gpurma::stages

#endif
