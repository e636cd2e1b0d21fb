// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is in `__constant__` memory and in constant variables, which kernels have sizes and tables of directions in.
//
//   __constant__ int ex[9] = {0, 1, 0, -1, ...};   nothing writes it: its elements are known
//   __constant__ int NX;                           cudaMemcpyToSymbol(NX, &nx, sizeof nx): as a region is analysed, what nx is, which the
//                                                  region compares when it begins
#ifndef GPURMA_PASSES_CONSTANTMEMORY_H
#define GPURMA_PASSES_CONSTANTMEMORY_H

#include "frontend/PointerVariable.h"
#include "passes/Polynomial.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace gpurma {

/// What a kernel's analysis takes a `__constant__` variable, or a member of one, to have in it while a region runs.
struct AssumedConstant {
  PointerVariable Place;
  /// Of an array, its elements, as they lie in memory.
  std::vector<Polynomial> Values;
  /// Of one that is no constant: the extents, in clauses of the region, of which it is the product.
  std::vector<const clang::Expr*> Extents;

  /// Of an element.
  clang::QualType type(const clang::ASTContext& Context) const { return Context.getBaseElementType(Place.type()); }
};
using AssumedConstants = std::vector<AssumedConstant>;

/// A call of cudaMemcpyToSymbol.
struct SymbolCopy {
  /// What is copied: a variable of the host, or a member of one. Null: what Pointer leads to.
  const clang::Expr *Source = nullptr, *Pointer = nullptr;
};

/// How a translation unit changes a variable.
struct ConstantUses {
  /// Copies to all of it.
  std::vector<SymbolCopy> Copies;
  /// It is named in another way than to read it.
  bool Others = false;

  bool written() const { return Others || !Copies.empty(); }
};
ConstantUses constantUses(const clang::VarDecl* V, clang::ASTContext& Context);

/// The integers of a variable, or of a member of it or of its elements, as they lie in memory, if it has them from its initialiser and
/// nothing writes it. One for what is no array.
std::optional<std::vector<std::int64_t>> constantValues(const PointerVariable& Place, clang::ASTContext& Context);
/// Those of its initialiser, whatever becomes of it.
std::optional<std::vector<std::int64_t>> initialValues(const PointerVariable& Place, clang::ASTContext& Context);

/// What a number may be: that of an expression of some function of the host, or of a variable.
struct LikelyValue {
  /// Null: the variable's.
  const clang::Expr* Expression = nullptr;
  PointerVariable Variable;
};
/// What a variable of the host, or a member of one, may have in it, the nearest first: that itself, what it is initialised with or
/// assigned in its function, and what is passed where it is a parameter of a function with one call. They are guesses, since nothing is
/// said of when that is done.
std::vector<LikelyValue> likelyValues(const PointerVariable& V, clang::ASTContext& Context);
/// The same of what a copy puts into a place.
std::vector<LikelyValue> likelyValues(const PointerVariable& Place, const SymbolCopy& Copy, clang::ASTContext& Context);

/// `__constant__` variables that a kernel names, and members of these, with those of the functions that it calls.
std::vector<PointerVariable> namedConstants(const clang::FunctionDecl* Kernel);

} // namespace gpurma

#endif // GPURMA_PASSES_CONSTANTMEMORY_H
