// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose threads go through the rows in a loop. Where the iterations are independent, the
// loop is one more grid dimension: a logical block has some of its iterations.
//
//   for (int z = 1; z < nz - 1; ++z)      ->      for (int z = gpurma_rows.from<int>(1); z < gpurma_rows.below(nz - 1); ++z)
//
// All else in the kernel is run for each such block, so that it must not have effects. Queues of registers
// are filled by iterations that come before (RegisterQueues.h).
#ifndef GPURMA_PASSES_ROWLOOP_H
#define GPURMA_PASSES_ROWLOOP_H

#include "passes/EditSet.h"
#include "passes/RegisterQueues.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace gpurma {

struct InterpretedKernel;
class SymbolicSets;

/// A variable that each iteration moves by the same step.
struct MovedVariable {
  const clang::VarDecl* Variable = nullptr;
  /// Null for 1.
  const clang::Expr* Step = nullptr;
  bool Negative = false;
};

struct RowLoop {
  const clang::ForStmt* Loop = nullptr;
  /// From the kernel to the function that it stands in.
  std::vector<const clang::CallExpr*> Calls;
  const clang::VarDecl* Counter = nullptr;
  const clang::Expr* Start = nullptr;
  /// What the counter stays below, or at most reaches.
  const clang::Expr* Bound = nullptr;
  bool Inclusive = false;
  /// Those that are declared before the loop.
  std::vector<MovedVariable> Moved;
  std::optional<RegisterQueues> Queues;

  unsigned fillingIterations() const { return Queues ? Queues->Iterations : 0; }
};

/// As err_row_loop has them.
enum class RowLoopProblem {
  Form,
  Nested,
  Left,
  Carried,
  CounterUsed,
  WrittenOutside,
  OtherRows,
  UpdatedOutside,
  RowNotCounter,
  SharedKept,
  NoDimension,
  Several,
  Text,
  OtherLoop,
  StartsBefore,
  OfBlock,
};

struct RejectedRowLoop {
  RowLoopProblem Why = RowLoopProblem::Form;
  clang::SourceLocation Where;
  /// What it is about, where the problem has one.
  std::string Name;
};

/// The variable that a loop counts from one row to the next, `for (...; z < nz; ++z)`; null for
/// other loops.
const clang::VarDecl* rowCounter(const clang::Stmt* Loop);

/// Whether the loop that the kernel was interpreted for may be shared out, as far as arrays of the
/// region have nothing to do with it.
std::variant<RowLoop, RejectedRowLoop> understandRowLoop(const clang::FunctionDecl* Kernel, const clang::Stmt* Loop,
                                                         const InterpretedKernel& Interpreted, SymbolicSets& Sets,
                                                         clang::ASTContext& Context);

/// Whether the text of a function that both stand in becomes the same.
bool editsAs(const RowLoop& One, const RowLoop& Other);

/// How a copy of \p Function that is given the rows is called.
std::string rowsFunctionName(const clang::FunctionDecl* Function, const RowLoop& Rows, const clang::SourceManager& Sources);

/// Adds what the functions on the way to the loop become. Copies of those that the kernel calls are
/// text of their own, as they are called with the rows.
void editRowLoop(const RowLoop& Rows, EditSet& Edits, clang::ASTContext& Context);

} // namespace gpurma

#endif // GPURMA_PASSES_ROWLOOP_H
