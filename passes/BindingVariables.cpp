// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/BindingVariables.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "passes/NodeBuilder.h"

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace gpurma {
namespace {

struct Decompositions : DynamicRecursiveASTVisitor {
  bool VisitDecompositionDecl(DecompositionDecl* D) override {
    Found.insert(D);
    return true;
  }
  llvm::SmallPtrSet<const ValueDecl*, 4> Found;
};

} // namespace

void replaceBindings(Stmt* Region, const FunctionDecl* Function, ASTContext& Context) {
  Decompositions Own;
  Own.TraverseStmt(Region);
  const NodeBuilder Build(Context);
  llvm::DenseMap<const BindingDecl*, VarDecl*> Variables;
  replaceExpressions(Region, [&](Expr* E) -> Expr* {
    auto* Ref = dyn_cast<DeclRefExpr>(E);
    const auto* Binding = Ref ? dyn_cast<BindingDecl>(Ref->getDecl()) : nullptr;
    Expr* Bound = Binding ? Binding->getBinding() : nullptr;
    if (!Bound || Bound->refersToBitField() || Own.Found.contains(Binding->getDecomposedDecl()))
      return nullptr;
    VarDecl*& V = Variables[Binding];
    if (!V) {
      V = Build.standIn(Function, Binding->getIdentifier(),
                        Context.getLValueReferenceType(Ref->getType()), Bound,
                        Binding->getLocation());
      V->setImplicit(false); // it has a name in the program
    }
    return Build.name(V, Ref->getLocation());
  });
}

} // namespace gpurma
