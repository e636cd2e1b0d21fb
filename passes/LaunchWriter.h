// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What becomes of a region's launch: what its kernel is passed is computed, and put into an object of a class of its own, which runs a tile.
//
//   { const dim3 gpurma_grid(grid);                                  struct gpurma_launch_0_0 {
//     float* const gpurma_0 = b;                                       ...
//     gpurma_region.launch(gpurma_launch_0_0{{...}, gpurma_0, ...},    float* gpurma_0;
//                          block, ...); }                              ... void gpurma_run(...) { gpurma_stage_0_jacobi<...>(...); }
//                                                                    };
#ifndef GPURMA_PASSES_LAUNCHWRITER_H
#define GPURMA_PASSES_LAUNCHWRITER_H

#include "passes/ExpressionWriter.h"

namespace gpurma {

/// The name of the class of a launch, or copy, of this number.
std::string launchClass(const RegionDraft& Draft, const std::string& Index);

/// Writes the statement, and adds the class to the region's.
void writeLaunch(const Stage& S, RegionDraft& Draft, ExpressionWriter& E, llvm::raw_ostream& Out, unsigned Depth);

/// The same of launches that run as one stage, each of which has its class as by itself, and all of them together another one.
void writeFusedLaunches(const FusedLaunches& Fused, RegionDraft& Draft, ExpressionWriter& E, llvm::raw_ostream& Out, unsigned Depth);

/// Adds the class of a copy or fill of distributed arrays.
void addCopyClass(const Stage& S, const std::string& Class, const std::string& Index, bool Fills, WrittenRegion& Result);

} // namespace gpurma

#endif // GPURMA_PASSES_LAUNCHWRITER_H
