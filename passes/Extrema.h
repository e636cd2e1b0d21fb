// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The most and the least of two values, by a comparison: `a > b ? a : b`, `if (a > b) b = a;`, `if (c && a > b) b = a;`.
#ifndef GPURMA_PASSES_EXTREMA_H
#define GPURMA_PASSES_EXTREMA_H

#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include <optional>

namespace gpurma {

struct Extremum {
  bool Greatest = false;
  const clang::BinaryOperator* Comparison = nullptr;
  /// What it is if the comparison is true, and what it is otherwise, as also for a NaN.
  const clang::Expr* Taken = nullptr;
  const clang::Expr* Kept = nullptr;
  /// Of a statement, what else is a condition for it, if anything is.
  const clang::Expr* Guard = nullptr;
  /// And that of what is taken to what is kept.
  const clang::BinaryOperator* Assignment = nullptr;
};

/// Whether a function returns the greater of two values, or the smaller, by its name; none of others.
std::optional<bool> returnsGreater(llvm::StringRef Function);

std::optional<Extremum> extremumOf(const clang::ConditionalOperator& Choice, const clang::ASTContext& Context);
std::optional<Extremum> extremumOf(const clang::IfStmt& If, const clang::ASTContext& Context);

/// Of integers, which are taken not to overflow: a negative one would be more than all others in an unsigned type.
bool keepsOrder(clang::QualType From, clang::QualType To, const clang::ASTContext& Context);

} // namespace gpurma

#endif // GPURMA_PASSES_EXTREMA_H
