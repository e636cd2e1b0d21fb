// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region's loop that the host, too, can run, as the program has it: the kernel may leave it
// before any iteration, and another one may go on there.
//
//   for (int k = 0; k < steps; ++k) {                   int k = 0; if (goes_on) k = loop_k;
//     step<<<grid, block>>>(v, u);          ->          for (; gpurma_region.goes_on() && k <
//     steps; ++k) { ... } std::swap(u, v);                                  loop_k = k;
//   }
//                                                 and   for (; gpurma_choice.goes_on() && (k <
//                                                 steps); ++k) { ... }
//
// If the host begins, it sets the loop's variables as well. With one process, that is
// (::gpurma::stages::loop_choice).
#ifndef GPURMA_PASSES_LOOPONHOST_H
#define GPURMA_PASSES_LOOPONHOST_H

#include "clang/AST/Stmt.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace clang {
class SourceManager;
class VarDecl;
} // namespace clang

namespace gpurma {

struct Region;

struct LoopOnHost {
  /// The region's loop.
  const clang::Stmt* OnDevice = nullptr;
  /// Of the loop that the program has. Null where it has none, Begin also where it declares
  /// variables.
  const clang::Expr *Begin = nullptr, *Condition = nullptr, *Increment = nullptr;
  const clang::Stmt* Body = nullptr;
  /// It is a `do`, which is left behind its condition.
  bool IsDo = false;
  /// What the region's loop declares at its head, and the program's by the same names.
  llvm::SmallVector<const clang::VarDecl*, 2> Variables, Written;
};

/// None if the region is no loop, or none that the host can go on with.
std::optional<LoopOnHost> findLoopOnHost(const Region& R, const clang::SourceManager& Sources);

/// The field of the region's values that keeps a variable of its loop.
std::string loopVariableName(const clang::VarDecl* Variable);

} // namespace gpurma

#endif // GPURMA_PASSES_LOOPONHOST_H
