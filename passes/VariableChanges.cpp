// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/VariableChanges.h"

#include "passes/Lvalues.h"
#include "passes/VariableUses.h"

using namespace clang;

namespace gpurma {

namespace {

/// What an lvalue is part of, and which of its members.
std::pair<const Expr*, const FieldDecl*> partOf(const Expr* E) {
  const FieldDecl* Field = nullptr;
  while (true) {
    E = E->IgnoreParenCasts();
    const auto* Member = dyn_cast<MemberExpr>(E);
    if (!Member ||
        (Member->isArrow() && !isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts())))
      break;
    Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
    E = Member->getBase();
  }
  return {E, Field};
}

} // namespace

std::pair<const VarDecl*, const FieldDecl*> memberOf(const Expr* E) {
  auto [Whole, Field] = partOf(E);
  const auto* Ref = dyn_cast<DeclRefExpr>(Whole);
  return {Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr, Field};
}

bool ChangeFinder::VisitUnaryOperator(UnaryOperator* E) {
  if (E->isIncrementDecrementOp() || E->getOpcode() == UO_AddrOf)
    note(E->getSubExpr());
  return true;
}

bool ChangeFinder::VisitBinaryOperator(BinaryOperator* E) {
  if (E->isAssignmentOp())
    note(E->getLHS());
  return true;
}

bool ChangeFinder::VisitVarDecl(VarDecl* V) {
  if (V->getType()->isReferenceType() && !V->getType()->getPointeeType().isConstQualified() &&
      V->getInit())
    note(V->getInit());
  return true;
}

bool ChangeFinder::VisitCallExpr(CallExpr* E) {
  if (const auto* Operator = dyn_cast<CXXOperatorCallExpr>(E)) {
    if (const auto* Method = dyn_cast_or_null<CXXMethodDecl>(Operator->getCalleeDecl())) {
      if (!Method->isConst())
        note(Operator->getArg(0));
      // What a lambda changes, it changes where it is called.
      if (Method->getParent()->isLambda() && Method->hasBody() && Bodies.insert(Method).second)
        TraverseStmt(Method->getBody());
    }
  }
  if (const auto* Member = dyn_cast<CXXMemberCallExpr>(E))
    if (const CXXMethodDecl* Method = Member->getMethodDecl(); Method && !Method->isConst())
      note(Member->getImplicitObjectArgument());
  const FunctionDecl* Callee = E->getDirectCallee();
  for (unsigned I = 0; Callee && I < E->getNumArgs() && I < Callee->getNumParams(); ++I) {
    unsigned Argument = I + (isa<CXXOperatorCallExpr>(E) && isa<CXXMethodDecl>(Callee) ? 1 : 0);
    QualType Type = Callee->getParamDecl(I)->getType();
    if (Argument < E->getNumArgs() && Type->isReferenceType() &&
        !Type->getPointeeType().isConstQualified())
      note(E->getArg(Argument));
    // A lambda that is handed on may be called there.
    if (const CXXRecordDecl* Class = Type.getNonReferenceType()->getAsCXXRecordDecl();
        Class && Class->isLambda())
      if (CXXMethodDecl* Method = Class->getLambdaCallOperator();
          Method && Method->hasBody() && Bodies.insert(Method).second)
        TraverseStmt(Method->getBody());
  }
  return true;
}

bool ChangeFinder::VisitCXXConstructExpr(CXXConstructExpr* E) {
  const CXXConstructorDecl* Constructor = E->getConstructor();
  for (unsigned I = 0; I < E->getNumArgs() && I < Constructor->getNumParams(); ++I) {
    QualType Type = Constructor->getParamDecl(I)->getType();
    if (Type->isLValueReferenceType() && !Type->getPointeeType().isConstQualified())
      note(E->getArg(I));
  }
  return true;
}

bool ChangeFinder::VisitContinueStmt(ContinueStmt*) {
  Continues = true;
  return true;
}

void ChangeFinder::note(const Expr* E) {
  for (const Expr* Each : alternatives(E)) {
    if (auto [V, Field] = memberOf(Each); V) {
      ++Changes[V];
      Members.insert({V, Field});
    }
    auto [Whole, Field] = partOf(Each);
    if (const auto* Unary = dyn_cast<UnaryOperator>(Whole); Unary && Unary->getOpcode() == UO_Deref)
      Whole = Unary->getSubExpr()->IgnoreParenImpCasts();
    if (isa<CXXThisExpr>(Whole))
      OfObject.insert(Field);
  }
}

std::set<std::pair<const VarDecl*, const FieldDecl*>> changedMembers(const Stmt* S) {
  ChangeFinder Found;
  Found.TraverseStmt(const_cast<Stmt*>(S));
  return std::move(Found.Members);
}

std::set<const VarDecl*> namedVariables(const Stmt* S) {
  std::set<const VarDecl*> Variables;
  for (const DeclRefExpr* Ref : References(S).All)
    if (const auto* Variable = dyn_cast<VarDecl>(Ref->getDecl()))
      Variables.insert(Variable);
  return Variables;
}

} // namespace gpurma
