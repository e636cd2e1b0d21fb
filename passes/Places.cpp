// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Places.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace gpurma {

Expr* plain(Expr* E) {
  while (true) {
    E = E->IgnoreParens();
    auto* Cast = dyn_cast<ImplicitCastExpr>(E);
    if (!Cast || Cast->getCastKind() != CK_NoOp)
      return E;
    E = Cast->getSubExpr();
  }
}

bool isPlace(Expr* E) {
  E = plain(E);
  if (const auto* Ref = dyn_cast<DeclRefExpr>(E))
    return isa<VarDecl>(Ref->getDecl());
  const auto* Member = dyn_cast<MemberExpr>(E);
  return Member && !Member->isArrow() && isa<FieldDecl>(Member->getMemberDecl()) && isPlace(Member->getBase());
}

bool isPure(Expr* E) {
  E = E->IgnoreParens();
  if (isPlace(E) || isa<IntegerLiteral, CXXBoolLiteralExpr, CharacterLiteral, CXXNullPtrLiteralExpr, GNUNullExpr, SubstNonTypeTemplateParmExpr>(E))
    return true;
  if (auto* Ref = dyn_cast<DeclRefExpr>(E))
    return isa<EnumConstantDecl>(Ref->getDecl());
  if (auto* Cast = dyn_cast<CastExpr>(E))
    return Cast->getType()->isScalarType() && Cast->getSubExpr()->getType()->isScalarType() && isPure(Cast->getSubExpr());
  if (auto* Unary = dyn_cast<UnaryOperator>(E))
    return Unary->isArithmeticOp() && isPure(Unary->getSubExpr());
  if (auto* Binary = dyn_cast<BinaryOperator>(E))
    return !Binary->isAssignmentOp() && !Binary->isCommaOp() && isPure(Binary->getLHS()) && isPure(Binary->getRHS());
  if (auto* Choice = dyn_cast<ConditionalOperator>(E))
    return isPure(Choice->getCond()) && isPure(Choice->getTrueExpr()) && isPure(Choice->getFalseExpr());
  if (const auto* Size = dyn_cast<UnaryExprOrTypeTraitExpr>(E))
    return !Size->getTypeOfArgument()->isVariablyModifiedType();
  return false;
}

Expr* addressed(Expr* E) {
  auto* Address = dyn_cast<UnaryOperator>(E->IgnoreParenImpCasts());
  return Address && Address->getOpcode() == UO_AddrOf && isPlace(Address->getSubExpr()) ? Address->getSubExpr() : nullptr;
}

} // namespace gpurma
