// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tiles of launches that are not their blocks: how many dimensions they have, and whether that are those of blocks that other launches
// of the region have, so that a rank's tiles are the same rows in all of them.
#ifndef GPURMA_PASSES_LAUNCHTILES_H
#define GPURMA_PASSES_LAUNCHTILES_H

#include "passes/Region.h"

namespace gpurma {

/// How many dimensions the tiles of a launch have that are not its blocks.
unsigned tileDimensions(const KernelAccesses& Accesses);
/// The most that tiles of a launch of the region have.
unsigned tileDimensions(const Region& R);
/// True for a launch whose tiles would have more rows than blocks of the region with more dimensions do; in one dimension, than tiles.
bool hasFewerDimensions(const Stage& S, const Region& R);
/// True for a launch that is therefore given other tiles, if they are not its blocks, and for one in other blocks with a loop through the rows.
bool hasTilesOfRows(const Stage& S, const Region& R);

} // namespace gpurma

#endif // GPURMA_PASSES_LAUNCHTILES_H
