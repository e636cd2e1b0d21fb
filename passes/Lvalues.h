// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GPURMA_PASSES_LVALUES_H
#define GPURMA_PASSES_LVALUES_H

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace gpurma {

/// `Pointer + Number`, `Number + Pointer` or `Pointer - Number`.
struct PointerSum {
  const clang::Expr* Pointer;
  const clang::Expr* Number;
  bool IsSubtracted;
};

/// Nothing of other expressions, and of sums behind casts.
inline std::optional<PointerSum> pointerSum(const clang::Expr* E) {
  const auto* Sum = llvm::dyn_cast<clang::BinaryOperator>(E->IgnoreParens());
  if (!Sum || !Sum->isAdditiveOp() || !Sum->getType()->isPointerType())
    return std::nullopt;
  const bool IsFirst = Sum->getLHS()->getType()->isPointerType();
  return PointerSum{IsFirst ? Sum->getLHS() : Sum->getRHS(),
                    IsFirst ? Sum->getRHS() : Sum->getLHS(), Sum->getOpcode() == clang::BO_Sub};
}

/// The lvalues of which an lvalue may be one: both of `c ? a : b`, a of `(e, a)`.
inline llvm::SmallVector<const clang::Expr*, 2> alternatives(const clang::Expr* E) {
  E = E->IgnoreParenImpCasts();
  llvm::SmallVector<const clang::Expr*, 2> All = {E};
  if (const auto* Choice = llvm::dyn_cast<clang::ConditionalOperator>(E)) {
    All = alternatives(Choice->getTrueExpr());
    All.append(alternatives(Choice->getFalseExpr()));
  } else if (const auto* Comma = llvm::dyn_cast<clang::BinaryOperator>(E);
             Comma && Comma->isCommaOp()) {
    All = alternatives(Comma->getRHS());
  }
  return All;
}

/// `v[i]` of a container of the standard library.
inline bool isSubscriptOfContainer(const clang::CallExpr& Call) {
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Call);
  const auto* Method = Operator ? llvm::dyn_cast_or_null<clang::CXXMethodDecl>(Operator->getDirectCallee()) : nullptr;
  return Method && Operator->getOperator() == clang::OO_Subscript && Method->getParent()->isInStdNamespace();
}

/// v, of `v.data()` and `v.get()` of the standard library; null of other expressions.
inline const clang::Expr* containerOfData(const clang::Expr& E) {
  const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&E);
  const clang::CXXMethodDecl* Method = Call ? Call->getMethodDecl() : nullptr;
  const clang::IdentifierInfo* Name = Method && Method->getParent()->isInStdNamespace() ? Method->getIdentifier() : nullptr;
  return Name && (Name->isStr("data") || Name->isStr("get")) ? Call->getImplicitObjectArgument() : nullptr;
}

} // namespace gpurma

#endif // GPURMA_PASSES_LVALUES_H
