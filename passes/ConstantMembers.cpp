// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ConstantMembers.h"

#include "passes/VariableChanges.h"
#include "passes/VariableUses.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace gpurma {

std::optional<std::int64_t> constantMember(const Expr* E, const ASTContext& Context) {
  const auto* Member = dyn_cast<MemberExpr>(E->IgnoreParenImpCasts());
  const auto* Field = Member && !Member->isArrow() ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr;
  const VarDecl* V = Field ? namedVariable(Member->getBase()) : nullptr;
  const auto* Construct = V && V->hasLocalStorage() && !V->getType()->isReferenceType() && V->getInit() ? dyn_cast<CXXConstructExpr>(V->getInit()->IgnoreImplicit()) : nullptr;
  const FunctionDecl* Definition = nullptr;
  if (!Construct || !Construct->getConstructor()->hasBody(Definition))
    return std::nullopt;
  ChangeFinder InBody;
  InBody.TraverseStmt(Definition->getBody());
  if (InBody.OfObject.count(Field) || InBody.OfObject.count(nullptr))
    return std::nullopt;
  for (const CXXCtorInitializer* Each : cast<CXXConstructorDecl>(Definition)->inits()) {
    Expr::EvalResult Known;
    if (Each->getMember() == Field && !Each->getInit()->isValueDependent() && Field->getType()->isIntegerType() &&
        Each->getInit()->EvaluateAsInt(Known, Context))
      return Known.Val.getInt().getExtValue();
  }
  return std::nullopt;
}

} // namespace gpurma
