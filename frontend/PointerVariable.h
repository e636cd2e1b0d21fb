// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What names an array in a clause, in a launch and in a kernel: a pointer variable, or a pointer in a structure variable.
#ifndef GPURMA_FRONTEND_POINTERVARIABLE_H
#define GPURMA_FRONTEND_POINTERVARIABLE_H

#include "clang/AST/Expr.h"
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace gpurma {

/// u, f.u, f.old.u.
struct PointerVariable {
  const clang::VarDecl *Variable = nullptr;
  /// From the outermost structure on; empty if the variable itself is meant.
  std::vector<const clang::FieldDecl *> Members;

  PointerVariable(const clang::VarDecl *Variable = nullptr, std::vector<const clang::FieldDecl *> Members = {})
      : Variable(Variable), Members(std::move(Members)) {}

  explicit operator bool() const { return Variable != nullptr; }
  /// As the program writes it.
  std::string name() const;
  /// ".old.u".
  std::string memberText() const;
  clang::QualType type() const { return Members.empty() ? Variable->getType() : Members.back()->getType(); }

  friend bool operator==(const PointerVariable &A, const PointerVariable &B) {
    return A.Variable == B.Variable && A.Members == B.Members;
  }
  friend bool operator<(const PointerVariable &A, const PointerVariable &B) {
    return std::tie(A.Variable, A.Members) < std::tie(B.Variable, B.Members);
  }
};

/// Null if the expression is something else, such as a member of what a pointer leads to.
PointerVariable pointerVariable(const clang::Expr *E);

} // namespace gpurma

#endif // GPURMA_FRONTEND_POINTERVARIABLE_H
