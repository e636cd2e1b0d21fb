// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For how many registers of a thread the kernel of a region is compiled: a multiprocessor has 65536 of them, which are enough for
// two blocks of 1024 threads with 32, for one with 64, or for one of 512 threads with 128.
//
// The library has the same limits, and takes one of the instances for a launch: include/gpurma/stages.h.
#ifndef GPURMA_PASSES_REGIONREGISTERS_H
#define GPURMA_PASSES_REGIONREGISTERS_H

#include "llvm/ADT/StringRef.h"

namespace gpurma {

/// What `__launch_bounds__` of the kernel template are, whose parameter is the limit.
inline constexpr llvm::StringLiteral RegionLaunchBounds = "gpurma_registers > 64 ? 512 : 1024, gpurma_registers < 64 ? 2 : 1";

/// The sum of the limits of the instances that a kernel with so many registers may be run in. In a block that has no room for 128 in
/// each thread it has 64.
constexpr unsigned registerLimitsFor(unsigned Registers) { return Registers <= 32 ? 32 : Registers <= 64 ? 64 : 64 + 128; }

/// How many more a kernel needs in the loop over tiles if its threads have several columns, whose values it has at the same time.
inline constexpr unsigned RegistersBesideColumns = 10;

} // namespace gpurma

#endif // GPURMA_PASSES_REGIONREGISTERS_H
