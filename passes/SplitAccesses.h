// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses whose subscript is one of several.
//
//   int up = y > 0 ? i - nx : i;
//   ... in[up] ...                ->  in[i - nx] where y > 0, in[i] elsewhere
#ifndef GPURMA_PASSES_SPLITACCESSES_H
#define GPURMA_PASSES_SPLITACCESSES_H

#include "passes/KernelInterpreter.h"

#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace gpurma {

/// With an access for each subscript that may be meant, where these are in different rows, or of arrays of clamped indices: another
/// choice that stays in a row is a column like others.
std::vector<ElementAccess> splitAccesses(std::vector<ElementAccess> Accesses, llvm::ArrayRef<DistributedParameter> Arrays,
                                         SymbolicSets& Sets);

} // namespace gpurma

#endif // GPURMA_PASSES_SPLITACCESSES_H
