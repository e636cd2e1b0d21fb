// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums, and the most and least, of the host by the standard library. A region has the loop that each of them is:
//
//   sqrt(std::accumulate(host.begin(), host.end(), 0.0))     double total = 0.0;
//                                                      ->    for (size_t b = 0; b != host.size(); ++b) total += host[b];
//                                                            sqrt(total)
//   *std::max_element(host, host + blocks)                   float most = host[0];
//                                                      ->    for (size_t b = 1; b != blocks; ++b) if (host[b] > most) most = host[b];
//                                                            most
#ifndef GPURMA_PASSES_ACCUMULATECALLS_H
#define GPURMA_PASSES_ACCUMULATECALLS_H

#include "frontend/Directive.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include <optional>

namespace gpurma {

struct AccumulateCall {
  Keyword Operation = Keyword::Plus;
  /// A pointer, or a std::vector.
  clang::Expr* Array = nullptr;
  /// How many elements; null: as many as Size, the vector's function, says, or the array has.
  clang::Expr* Count = nullptr;
  const clang::CXXMethodDecl* Size = nullptr;
  /// What the sum begins with; null for 0, and of a most or least.
  clang::Expr* Init = nullptr;
  const clang::FunctionDecl* Function = nullptr;
};

/// The function size() of a std::vector; null for other types.
const clang::CXXMethodDecl* sizeOfVector(clang::QualType Type);

/// How many elements a std::vector begins with, `std::vector<float> host(blocks)`; null where its initialiser does not say it so.
const clang::Expr* firstSize(const clang::Expr& Init);

/// Whether a statement does anything with a std::vector, a variable or a member of the object, but to look at its elements and size.
bool changesSize(const clang::Stmt* S, const clang::ValueDecl& Vector);

/// std::accumulate or std::reduce of the elements from the first one on, with a number that they are added to, or what std::max_element or
/// std::min_element of them leads to; none of other expressions.
std::optional<AccumulateCall> accumulateCall(const clang::Expr& E);

} // namespace gpurma

#endif // GPURMA_PASSES_ACCUMULATECALLS_H
