// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that leave a number for each block, which a kernel of one block combines:
//
//   dot<<<blocks, 256>>>(p, q, partial, n);        gpurma_reduced_1 = 0; launch of dot, which updates gpurma_reduced_1
//   add_up<<<1, 256>>>(partial, result, blocks);   gpurma_reduced_0 = gpurma_reduced_1.value();
//
// In the kernel, `partial[blockIdx.x] = part[0];` becomes `atomicAdd(partial, part[0]);`, in its AST here and in the text of its
// stage later. Then it is a kernel with a reduced scalar as others are. Of the second kernel nothing is left but what it computes.
#ifndef GPURMA_PASSES_BLOCKNUMBERS_H
#define GPURMA_PASSES_BLOCKNUMBERS_H

#include "passes/EditSet.h"
#include "passes/Pass.h"

namespace gpurma {

/// Finds such kernels in the unit's regions, and takes the launches of the second ones out of their stages. False after an error.
bool findBlockNumbers(Unit& U);

/// Adds what the stores of numbers become in a stage's text.
void editBlockStores(const clang::FunctionDecl* Kernel, const Unit& U, EditSet& Edits);

} // namespace gpurma

#endif // GPURMA_PASSES_BLOCKNUMBERS_H
