// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements of a kernel that store one value, and the variables that are for such values only.
#ifndef GPURMA_PASSES_STOREUSES_H
#define GPURMA_PASSES_STOREUSES_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <vector>

namespace gpurma {

/// An element, or its address, as atomic operations have it.
struct StoredElement {
  const clang::Expr* Place = nullptr;
  bool IsAddress = false;
};

/// A statement that stores one value, or combines it with what is in the element; into several
/// elements one behind the other.
struct ElementStore {
  StoredElement Element;
  const clang::Expr* Value = nullptr;
  /// `u[j] = v` of `u[i] = u[j] = v`; null: it stores one value once.
  const clang::Expr* Next = nullptr;

  explicit operator bool() const { return Value; }
};

/// Nothing of other expressions. Of an atomic operation it is for who asks to know that nothing uses its result.
ElementStore storeOf(const clang::Expr* E);

/// Where its operator stands.
clang::SourceLocation operatorOf(const clang::Expr* E);

/// The block that declares a variable; null if it is declared elsewhere.
const clang::CompoundStmt* blockOf(const clang::Stmt* S, const clang::VarDecl* V);

/// Where a kernel names its variables.
class StoreUses {
public:
  explicit StoreUses(const clang::Stmt* Body) { findUses(Body, {}); }

  /// Adds the stores that a variable is for. False if it is used for something else.
  bool findStores(const clang::VarDecl* V, llvm::SmallPtrSetImpl<const clang::VarDecl*>& Seen, std::vector<const clang::Expr*>& Stores);

private:
  /// In values that are stored, in those that other variables begin with (null: elsewhere).
  struct VariableUse {
    const clang::Expr* Store = nullptr;
    const clang::VarDecl* Initial = nullptr;
  };
  void findUses(const clang::Stmt* S, const VariableUse& At);

  llvm::DenseMap<const clang::VarDecl*, std::vector<VariableUse>> Uses;
};

} // namespace gpurma

#endif // GPURMA_PASSES_STOREUSES_H
