// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that a region collects: each process has them whole, and kernels store elements of them, each of which one rank stores.
//
//   record<<<1, 64>>>(trace + it * receivers, u, ...);    with collect(trace : steps * receivers)
//   __global__ void record(float* trace, ...) {    ->    ... gpurma_stage_0_record(..., gpurma_type_0 gpurma_part_0, float* trace, ...) {
//     trace[r] = u[...];                                   { const auto trace = gpurma_part_0; { trace[r] = u[...]; } }
//   }
//
// There gpurma_part_0 is a ::gpurma::stages::collected_pointer, which notes who stores what. Behind the region, processes give each
// other what they have stored.
#ifndef GPURMA_PASSES_COLLECTEDARRAYS_H
#define GPURMA_PASSES_COLLECTEDARRAYS_H

#include "passes/Pass.h"

namespace gpurma {

/// Finds the parameters of the region's kernels that stand for such arrays. False after an error.
bool findCollected(Region& R, Unit& U);

} // namespace gpurma

#endif // GPURMA_PASSES_COLLECTEDARRAYS_H
