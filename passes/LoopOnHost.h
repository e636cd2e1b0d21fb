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
//
// Where iterations do nothing but launch kernels, by what is the same each time but for what they
// change and a counter that is counted up, the host may also record some and repeat them:
//
//   gpurma_choice.goes_on(k, [&] { return k < steps; }, [&] { ++k; }, u, v) && (k < steps)
#ifndef GPURMA_PASSES_LOOPONHOST_H
#define GPURMA_PASSES_LOOPONHOST_H

#include "clang/AST/Stmt.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
  /// What the region's loop declares at its head, and the program's in the same order.
  llvm::SmallVector<const clang::VarDecl*, 2> Variables, Written;

  /// What Increment counts up, if iterations can be repeated; null if not. The body reads nothing
  /// of it but what is left when it is divided by these.
  const clang::VarDecl* Counter = nullptr;
  llvm::SmallVector<std::int64_t, 2> Divisors;
  /// The other variables that iterations change, as the program's text names them.
  std::vector<std::string> Changed;
};

/// None if the region is no loop, or none that the host can go on with.
std::optional<LoopOnHost> findLoopOnHost(const Region& R, const clang::SourceManager& Sources);

/// Looks for a counter. \p IsChanged: whether the region changes a variable that is not its own.
void findCounter(LoopOnHost& Loop, const Region& R,
                 llvm::function_ref<bool(const clang::VarDecl*)> IsChanged);

/// The field of the region's values that keeps a variable of its loop.
std::string loopVariableName(const clang::VarDecl* Variable);

} // namespace gpurma

#endif // GPURMA_PASSES_LOOPONHOST_H
