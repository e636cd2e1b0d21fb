// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/LaunchSize.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace gpurma {

std::array<std::optional<std::int64_t>, 3> constantLaunchSize(const Expr* E, const VariableChanges& Changed,
                                                              const ASTContext& Context) {
  std::array<std::optional<std::int64_t>, 3> Size;
  while (E) {
    E = E->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
    Expr::EvalResult Known;
    if (E->getType()->isIntegralOrEnumerationType()) {
      if (!E->isValueDependent() && E->EvaluateAsInt(Known, Context))
        return {Known.Val.getInt().getExtValue(), 1, 1};
      return {std::nullopt, 1, 1};
    }
    if (const auto* Ref = dyn_cast<DeclRefExpr>(E)) {
      const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
      E = V && !isa<ParmVarDecl>(V) && !Changed.changes(V) && V->isLocalVarDeclOrParm() ? V->getInit() : nullptr;
      continue;
    }
    ArrayRef<const Expr*> Sizes;
    if (const auto* Construct = dyn_cast<CXXConstructExpr>(E)) {
      if (Construct->getConstructor()->isCopyOrMoveConstructor()) {
        E = Construct->getArg(0);
        continue;
      }
      Sizes = {Construct->getArgs(), Construct->getNumArgs()};
    } else if (const auto* List = dyn_cast<InitListExpr>(E)) {
      Sizes = {List->getInits(), List->getNumInits()};
    } else {
      return Size;
    }
    Size = {1, 1, 1};
    for (unsigned D = 0; D < 3 && D < Sizes.size(); ++D) {
      const Expr* Each = Sizes[D];
      if (const auto* Default = dyn_cast<CXXDefaultArgExpr>(Each))
        Each = Default->getExpr();
      if (!Each->isValueDependent() && Each->EvaluateAsInt(Known, Context))
        Size[D] = Known.Val.getInt().getExtValue();
      else
        Size[D] = std::nullopt;
    }
    return Size;
  }
  return Size;
}

} // namespace gpurma
