// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of the host by the standard library. A region has the loop that each of them is:
//
//   sqrt(std::accumulate(host.begin(), host.end(), 0.0))     double total = 0.0;
//                                                      ->    for (size_t b = 0; b != host.size(); ++b) total += host[b];
//                                                            sqrt(total)
#ifndef GPURMA_PASSES_ACCUMULATECALLS_H
#define GPURMA_PASSES_ACCUMULATECALLS_H

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include <optional>

namespace gpurma {

struct AccumulateCall {
  /// A pointer, or a std::vector.
  clang::Expr* Array = nullptr;
  /// How many elements; null: as many as Size, the vector's function, says.
  clang::Expr* Count = nullptr;
  const clang::CXXMethodDecl* Size = nullptr;
  /// What the sum begins with.
  clang::Expr* Init = nullptr;
};

/// std::accumulate or std::reduce of the elements from the first one on, with a number that they are added to; none of other calls.
std::optional<AccumulateCall> accumulateCall(const clang::CallExpr& Call);

} // namespace gpurma

#endif // GPURMA_PASSES_ACCUMULATECALLS_H
