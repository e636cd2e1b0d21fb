// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies expressions node by node, each at the place of its original. Who derives from it says what becomes of names and calls, which may
// need statements before the one that the expression stands in.
#ifndef GPURMA_PASSES_EXPRESSIONCOPIER_H
#define GPURMA_PASSES_EXPRESSIONCOPIER_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace gpurma {

class ExpressionCopier {
public:
  virtual ~ExpressionCopier() = default;

protected:
  using Statements = llvm::SmallVector<clang::Stmt*, 8>;
  static Statements* nowhere() { return nullptr; }

  explicit ExpressionCopier(clang::ASTContext& Context) : Context(Context) {}

  /// Null for null.
  clang::Expr* copy(clang::Expr* E);
  /// Of something that may not be evaluated, or not before all else.
  clang::Expr* copyInPlace(clang::Expr* E);
  llvm::SmallVector<clang::Expr*, 8> copies(llvm::ArrayRef<clang::Expr*> All);

  virtual clang::Expr* copyReference(clang::DeclRefExpr* Ref) = 0;
  virtual clang::Expr* copyMember(clang::MemberExpr* Member) = 0;
  virtual clang::Expr* copyCall(clang::CallExpr* Call) = 0;
  clang::CallExpr* copyPlainCall(clang::CallExpr* Call);
  clang::Expr* copyPlainMember(clang::MemberExpr* Member);
  /// Of what a value is read from.
  virtual clang::Expr* copyToRead(clang::Expr* E) { return copy(E); }
  /// What a copy is read from; itself, if nothing derived knows better.
  virtual clang::Expr* readFrom(clang::Expr* Copy) { return Copy; }
  virtual clang::Expr* copyChoice(clang::ConditionalOperator* Choice) = 0;
  /// As they are, if nothing derived knows better.
  virtual clang::Expr* copyUnary(clang::UnaryOperator* Unary);
  virtual clang::Expr* copyBinary(clang::BinaryOperator* Binary);

  template <typename T> static clang::FPOptionsOverride options(const T* E) {
    return E->hasStoredFPFeatures() ? E->getStoredFPFeatures() : clang::FPOptionsOverride();
  }

  clang::ASTContext& Context;
  /// Where statements stand that come before the one that is copied; null where none may.
  Statements* Hoisted = nullptr;

private:
  clang::Expr* copyList(clang::InitListExpr* List);
};

} // namespace gpurma

#endif // GPURMA_PASSES_EXPRESSIONCOPIER_H
