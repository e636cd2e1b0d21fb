// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/StoreUses.h"

#include "passes/ThreadCooperation.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpurma {

namespace {

/// One of `a = b`, of numbers or of structures that are copied so.
ElementStore assignmentOf(const Expr* E) {
  if (const auto* Binary = dyn_cast<BinaryOperator>(E); Binary && Binary->getOpcode() == BO_Assign)
    return {{Binary->getLHS()}, Binary->getRHS()};
  const auto* Operator = dyn_cast<CXXOperatorCallExpr>(E);
  const auto* Method =
      Operator ? dyn_cast_or_null<CXXMethodDecl>(Operator->getCalleeDecl()) : nullptr;
  if (Method && Operator->getNumArgs() == 2 && Method->isTrivial() &&
      (Method->isCopyAssignmentOperator() || Method->isMoveAssignmentOperator()))
    return {{Operator->getArg(0)}, Operator->getArg(1)};
  return {};
}

/// What an assignment that is stored stores itself.
ElementStore ofLastValue(ElementStore Store) {
  for (const Expr* E = Store.Value->IgnoreParenImpCasts();
       const ElementStore Inner = assignmentOf(E); E = Store.Value->IgnoreParenImpCasts()) {
    if (!Store.Next)
      Store.Next = E;
    Store.Value = Inner.Value;
  }
  return Store;
}

} // namespace

ElementStore storeOf(const Expr* E) {
  E = E->IgnoreParens();
  if (const auto* Full = dyn_cast<FullExpr>(E))
    E = Full->getSubExpr()->IgnoreParens();
  if (const auto* Binary = dyn_cast<BinaryOperator>(E); Binary && Binary->isAssignmentOp())
    return ofLastValue({{Binary->getLHS()}, Binary->getRHS()});
  // What it had before is part of what it gets.
  if (const auto* Unary = dyn_cast<UnaryOperator>(E); Unary && Unary->isIncrementDecrementOp())
    return {{Unary->getSubExpr()}, Unary->getSubExpr()};
  if (const auto* Call = dyn_cast<CallExpr>(E))
    if (const FunctionDecl* Callee = Call->getDirectCallee(); Callee && Call->getNumArgs() == 2 && combinesWithElement(*Callee))
      return {{Call->getArg(0), /*IsAddress=*/true}, Call->getArg(1)};
  const ElementStore Assignment = assignmentOf(E);
  return Assignment ? ofLastValue(Assignment) : ElementStore{};
}

SourceLocation operatorOf(const Expr* E) {
  E = E->IgnoreParens();
  if (const auto* Full = dyn_cast<FullExpr>(E))
    E = Full->getSubExpr()->IgnoreParens();
  if (const auto* Unary = dyn_cast<UnaryOperator>(E))
    return Unary->getOperatorLoc();
  const auto* Binary = dyn_cast<BinaryOperator>(E);
  return Binary ? Binary->getOperatorLoc() : E->getExprLoc();
}

const CompoundStmt* blockOf(const Stmt* S, const VarDecl* V) {
  if (const auto* Block = dyn_cast<CompoundStmt>(S))
    for (const Stmt* Each : Block->body())
      if (const auto* Declarations = dyn_cast<DeclStmt>(Each); Declarations && llvm::is_contained(Declarations->decls(), V))
        return Block;
  for (const Stmt* Child : S->children())
    if (const CompoundStmt* Found = Child ? blockOf(Child, V) : nullptr)
      return Found;
  return nullptr;
}

void StoreUses::findUses(const Stmt* S, const VariableUse& At) {
  if (!S)
    return;
  if (const auto* Ref = dyn_cast<DeclRefExpr>(S))
    if (const auto* V = dyn_cast<VarDecl>(Ref->getDecl()))
      Uses[V].push_back(At);
  if (const auto* Declarations = dyn_cast<DeclStmt>(S)) {
    for (const Decl* D : Declarations->decls())
      if (const auto* V = dyn_cast<VarDecl>(D))
        findUses(V->getInit(), {nullptr, V});
    return;
  }
  if (const auto* E = dyn_cast<Expr>(S); E && !At.Store && !At.Initial)
    if (const ElementStore Store = storeOf(E)) {
      for (const Expr* Each = E; Each; Each = storeOf(Each).Next) {
        findUses(storeOf(Each).Element.Place, {});
        findUses(Store.Value, {Each, nullptr});
      }
      return;
    }
  for (const Stmt* Child : S->children())
    findUses(Child, At);
}

bool StoreUses::findStores(const VarDecl* V, llvm::SmallPtrSetImpl<const VarDecl*>& Seen, std::vector<const Expr*>& Stores) {
  if (!Seen.insert(V).second)
    return true;
  if (V->hasGlobalStorage() || V->getType()->isReferenceType() || V->getType()->isAnyPointerType() || V->getType()->isArrayType())
    return false;
  for (const VariableUse& Use : Uses[V]) {
    if (Use.Initial ? !findStores(Use.Initial, Seen, Stores) : !Use.Store)
      return false;
    if (Use.Store)
      Stores.push_back(Use.Store);
  }
  return true;
}

} // namespace gpurma
