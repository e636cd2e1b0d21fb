// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose threads first do what there is to do with arrays, each for itself, and then work together on what they have found,
// until an atomic operation adds it to a reduced scalar. If that is linear, once for all tiles of a rank is enough:
//
//   float change = ...;                      gpurma_stage_0_k, for each tile: ...; gpurma_sum_0.update(change);
//   for (int w = 16; w > 0; w /= 2)    ->    gpurma_finish_0_k(change), behind them: for (...) ...; if (threadIdx.x == 0) ...
//     change += __shfl_down_sync(~0u, change, w);
//   if (threadIdx.x == 0)
//     atomicAdd(norm, change);
#ifndef GPURMA_PASSES_TILESUMS_H
#define GPURMA_PASSES_TILESUMS_H

#include "passes/CombinedValues.h"
#include "passes/EditSet.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"
#include <string>
#include <vector>

namespace gpurma {

struct AtomicReduction;
struct PartialBlocks;

struct TileSums {
  struct Sum {
    const clang::VarDecl* Variable;
    CombinedValues::Operation Op;
  };
  /// None: the kernel is not of this form.
  std::vector<Sum> Sums;
  /// The first statement of the kernel's body that is run behind the tiles.
  const clang::Stmt* Behind = nullptr;
  /// Declarations before it that it needs, and those of them that nothing else does.
  std::vector<const clang::DeclStmt*> Needed, OnlyBehind;

  bool any() const { return !Sums.empty(); }
  /// Whether both edit a kernel's text in the same way, for other instances of its template.
  bool editsAs(const TileSums& Other) const;
};

/// \p Reductions: all its atomic operations on what pointer parameters point to. \p OfEachTile: each tile runs at least a block.
TileSums findTileSums(const clang::FunctionDecl* Kernel, const std::vector<AtomicReduction>& Reductions, bool OfEachTile,
                      clang::ASTContext& Context);

/// Adds what the kernel's body becomes for each tile, or (\p Behind) what it becomes behind them.
void editTileSums(const TileSums& Sums, const clang::FunctionDecl* Kernel, bool Behind, EditSet& Edits, llvm::StringRef Source,
                  const clang::ASTContext& Context);

/// The parameter or variable that stands for the sum of this number.
inline std::string tileSumName(size_t Number) { return "gpurma_sum_" + std::to_string(Number); }

} // namespace gpurma

#endif // GPURMA_PASSES_TILESUMS_H
