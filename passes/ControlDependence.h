// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GPURMA_PASSES_CONTROLDEPENDENCE_H
#define GPURMA_PASSES_CONTROLDEPENDENCE_H

#include "clang/Analysis/CFG.h"

#include <vector>

namespace gpurma {

/// For each block the blocks whose branches decide whether it runs, over the CFG without the paths
/// that end in a call that does not return. Clang's ControlDependencyCalculator counts those paths,
/// which would put everything behind an assert() under its condition.
std::vector<std::vector<unsigned>> controlDependencies(const clang::CFG &G);

} // namespace gpurma

#endif
