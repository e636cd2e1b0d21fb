// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches in one dimension over arrays of two or three whose threads work together on the way to a reduced scalar:
//
//   double s = 0;
//   if (i < n)                        ->      if ((gpurma_elements.here() && (i < n)))
//     s = x[i] * y[i];
//   s = block_reduce(s);
//   if (threadIdx.x == 0)
//     atomicAdd(sum, s);
//
// Blocks of such a launch may have elements of several tiles. Each of these runs the block once, with all its threads, which see
// the indices and sizes of the launch; only those that have an element of the tile do what is done with elements. What the
// others do does not depend on it, and the sums of a block's parts are that of the block (CombinedValues).
//
//   for (int i = ...; i < n; i += ...)   ->   for (int i = ...; (gpurma_elements.reach(i) && (i < n)); i += ...)
//
// A loop by whole grids goes through the elements of the tile, as that of a grid with one block.
#ifndef GPURMA_PASSES_PARTIALBLOCKS_H
#define GPURMA_PASSES_PARTIALBLOCKS_H

#include "passes/EditSet.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gpurma {

struct AtomicReduction;
using GridLoops = std::set<std::pair<const clang::Stmt*, const clang::VarDecl*>>;

struct PartialBlocks {
  /// Only threads that have an element of the tile evaluate these, and what is done if they are true.
  std::vector<const clang::Expr*> Conditions;
  /// Loops by whole grids, `for` and `while`, with their indices. With some there are no other conditions.
  std::vector<std::pair<const clang::Stmt*, const clang::VarDecl*>> Loops;

  /// Whether both edit a kernel's text in the same way, for other instances of its template.
  bool editsAs(const PartialBlocks& Other) const;
};

/// As err_partial_blocks has them.
enum class PartialBlocksProblem { NoCondition, Otherwise, Loop, Index, Kept, Used, Updated, Text, Function, OtherInstance };

struct RejectedPartialBlocks {
  PartialBlocksProblem Why = PartialBlocksProblem::NoCondition;
  clang::SourceLocation Where;
  std::string Name;
};

/// Whether a kernel whose threads store into distributed arrays before they work together, if at all, may be run for parts of its blocks. \p Reductions: all its atomic
/// operations on what pointer parameters point to. \p GridStrides: there are loops by whole grids, which end with the elements; of
/// \p GridIndices it is known that they begin with the number of the thread.
std::variant<PartialBlocks, RejectedPartialBlocks> understandPartialBlocks(const clang::FunctionDecl* Kernel,
                                                                           const std::vector<AtomicReduction>& Reductions,
                                                                           bool GridStrides,
                                                                           const GridLoops& GridIndices, clang::ASTContext& Context);

/// Adds what the kernel becomes.
void editPartialBlocks(const PartialBlocks& Blocks, EditSet& Edits, const clang::ASTContext& Context);

} // namespace gpurma

#endif // GPURMA_PASSES_PARTIALBLOCKS_H
