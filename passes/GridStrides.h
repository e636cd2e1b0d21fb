// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that go through the rows by whole grids. A region runs them with a grid that has a thread for each row, in which each loop
// has one iteration at most:
//
//   for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += blockDim.y * gridDim.y)
//
// So nothing may depend on how many blocks there are, nor on which iterations are those of one thread.
#ifndef GPURMA_PASSES_GRIDSTRIDES_H
#define GPURMA_PASSES_GRIDSTRIDES_H

#include "passes/PartialBlocks.h"
#include "passes/RowLoop.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <set>

namespace gpurma {

struct AtomicReduction;

/// Whether a statement of the kernel moves a variable by the size of the grid, `i += gridDim.x * blockDim.x`.
bool movesByGridSize(const clang::FunctionDecl* Kernel);

/// A use of gridDim that is not the step of a loop, or a call of a function that uses blockIdx or gridDim; null if there is none.
const clang::Expr* otherUseOfGridSize(const clang::FunctionDecl* Kernel, clang::ASTContext& Context);

/// What makes a difference to which iterations of \p Loops, which stand in the kernel itself and go on along \p Dimension, are those
/// of one thread. \p Moves: what goes on with them (InterpretedKernel::GridMoves). \p Stores: InterpretedKernel::LoopStores. \p Reductions:
/// all its updates of reduced scalars.
std::optional<RejectedRowLoop> dependenceOnGridSize(const clang::FunctionDecl* Kernel, const std::set<const clang::Stmt*>& Loops,
                                                    unsigned Dimension, const GridLoops& Moves, const GridLoops& Stores,
                                                    llvm::ArrayRef<AtomicReduction> Reductions, clang::ASTContext& Context);

} // namespace gpurma

#endif // GPURMA_PASSES_GRIDSTRIDES_H
