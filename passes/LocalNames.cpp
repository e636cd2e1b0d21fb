// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/LocalNames.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace gpurma {
namespace {

struct NameCollector : DynamicRecursiveASTVisitor {
  bool VisitVarDecl(VarDecl* V) override {
    if (V->getIdentifier())
      Names.insert(V->getName());
    return true;
  }
  bool TraverseStmt(Stmt* S) override { return S == Skipped || DynamicRecursiveASTVisitor::TraverseStmt(S); }
  llvm::StringSet<> Names;
  const Stmt* Skipped = nullptr;
};

/// Goes the way to the region and notes what is declared on it. False: the region is not there.
bool findVisible(const Stmt* S, const Stmt* Place, const IdentifierInfo* Name, const VarDecl*& Meant) {
  if (S == Place)
    return true;
  const VarDecl* Before = Meant;
  if (const auto* Lambda = dyn_cast<LambdaExpr>(S)) {
    for (const ParmVarDecl* P : Lambda->getCallOperator()->parameters())
      if (P->getIdentifier() == Name)
        Meant = P;
    if (findVisible(Lambda->getBody(), Place, Name, Meant))
      return true;
  }
  for (const Stmt* Child : S->children()) {
    if (!Child)
      continue;
    if (findVisible(Child, Place, Name, Meant))
      return true;
    if (const auto* Declarations = dyn_cast<DeclStmt>(Child))
      for (const Decl* D : Declarations->decls())
        if (const auto* V = dyn_cast<VarDecl>(D); V && V->getIdentifier() == Name)
          Meant = V;
  }
  Meant = Before;
  return false;
}

} // namespace

UnusedNames::UnusedNames(Stmt* Statement, const FunctionDecl* Function) {
  NameCollector Outside;
  Outside.Skipped = Statement;
  for (ParmVarDecl* P : Function->parameters())
    Outside.VisitVarDecl(P);
  Outside.TraverseStmt(Function->getBody());
  Taken = std::move(Outside.Names);
  NameCollector Inside;
  Inside.TraverseStmt(Statement);
  for (const auto& Each : Inside.Names)
    if (!Taken.contains(Each.getKey()))
      OfStatement.insert(Each.getKey());
}

std::string UnusedNames::take(const std::string& Name, bool IsOwn) {
  std::string Unused = Name;
  // Once: a lambda may name the outer one of two where the inner one hides it.
  if (IsOwn)
    OfStatement.erase(Name);
  for (unsigned I = 2; Taken.contains(Unused) || OfStatement.contains(Unused); ++I)
    Unused = Name + "_" + std::to_string(I);
  Taken.insert(Unused);
  return Unused;
}

bool isHidden(const VarDecl* V, const Stmt* Place, const FunctionDecl* Function) {
  const VarDecl* Meant = nullptr;
  for (const ParmVarDecl* P : Function->parameters())
    if (P->getIdentifier() == V->getIdentifier())
      Meant = P;
  findVisible(Function->getBody(), Place, V->getIdentifier(), Meant);
  return Meant && Meant != V;
}

} // namespace gpurma
