// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that go on by steps in the iterations of a loop.
#ifndef GPURMA_PASSES_INDUCTIONS_H
#define GPURMA_PASSES_INDUCTIONS_H

#include "passes/VariableChanges.h"

#include "clang/AST/Expr.h"
#include "llvm/ADT/ArrayRef.h"
#include <map>

namespace gpurma {

/// `Variable += Step`, in any spelling.
struct Update {
  const clang::VarDecl* Variable = nullptr;
  /// Null for 1.
  const clang::Expr* Step = nullptr;
  bool Negative = false;
};

/// The variables that each iteration moves once, by what does not change in the loop. \p Heads
/// declare variables of an iteration as well.
std::map<const clang::VarDecl*, Update> inductions(const clang::Expr* Cond, const clang::Expr* Inc,
                                                   const clang::Stmt* Body,
                                                   llvm::ArrayRef<const clang::Stmt*> Heads,
                                                   const ChangeFinder& Found);
/// The same of those that the condition moves by one, before each iteration.
std::map<const clang::VarDecl*, Update>
inductionsOfCondition(const clang::Expr* Cond, const clang::Stmt* Body, const ChangeFinder& Found);

} // namespace gpurma

#endif // GPURMA_PASSES_INDUCTIONS_H
