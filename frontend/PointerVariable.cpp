// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PointerVariable.h"

#include <algorithm>

using namespace clang;

namespace gpurma {

std::string PointerVariable::memberText() const {
  std::string Text;
  for (const FieldDecl *Member : Members)
    Text += "." + Member->getNameAsString();
  return Text;
}

std::string PointerVariable::name() const { return Variable->getNameAsString() + memberText(); }

PointerVariable pointerVariable(const Expr *E) {
  PointerVariable Found;
  for (E = E ? E->IgnoreParenCasts() : nullptr; const auto *Member = llvm::dyn_cast_or_null<MemberExpr>(E);
       E = Member->getBase()->IgnoreParenImpCasts()) {
    const auto *Field = llvm::dyn_cast<FieldDecl>(Member->getMemberDecl());
    if (!Field || Member->isArrow())
      return {};
    Found.Members.push_back(Field);
  }
  std::reverse(Found.Members.begin(), Found.Members.end());
  const auto *Ref = llvm::dyn_cast_or_null<DeclRefExpr>(E);
  Found.Variable = Ref ? llvm::dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return Found.Variable ? Found : PointerVariable();
}

} // namespace gpurma
