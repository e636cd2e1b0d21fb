// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ErrorsBefore.h"

#include "passes/ErrorChecks.h"
#include "passes/NodeBuilder.h"
#include "passes/VariableUses.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace gpurma {

ErrorsBefore::ErrorsBefore(WhileStmt* Loop, const FunctionDecl* Function,
                           ArrayRef<HostPart> HostParts)
    : Function(Function) {
  note(Loop->getBody());
  for (const HostPart& Part : HostParts)
    note(Part.Statement);
  visitEntered();
  for (const CXXForRangeStmt* Each : Loops)
    if (contains(Each->getRangeInit()))
      Elements.insert(Each->getLoopVariable());
}

bool ErrorsBefore::VisitVarDecl(VarDecl* V) {
  Declared.insert(V);
  return true;
}

bool ErrorsBefore::VisitCXXForRangeStmt(CXXForRangeStmt* Loop) {
  if (const QualType Type = Loop->getLoopVariable()->getType();
      isCudaError(Type) && (!Type->isReferenceType() || Type->getPointeeType().isConstQualified()))
    Loops.push_back(Loop);
  return true;
}

bool ErrorsBefore::visitFunction(const FunctionDecl* F) {
  Current = F;
  if (const FunctionDecl* Definition = ownDefinition(*F))
    note(Definition->getBody());
  return true;
}

void ErrorsBefore::note(const Stmt* S) {
  const size_t Before = Loops.size();
  TraverseStmt(const_cast<Stmt*>(S));
  ChangeFinder Changes;
  Changes.TraverseStmt(const_cast<Stmt*>(S));
  // A loop over an array refers to it, and changes nothing by that.
  for (const CXXForRangeStmt* Each : ArrayRef(Loops).drop_front(Before))
    if (const VarDecl* Array = namedVariable(Each->getRangeInit());
        Array && --Changes.Changes[Array] == 0)
      Changes.Members.erase({Array, nullptr});
  Changed.insert(Changes.Members.begin(), Changes.Members.end());
  ChangedMembers.insert(Changes.OfObject.begin(), Changes.OfObject.end());
}

bool ErrorsBefore::contains(const Expr* Place) const {
  const FieldDecl* Member = nullptr;
  while (true) {
    Place = Place->IgnoreParenImpCasts();
    const auto* Named = dyn_cast<MemberExpr>(Place);
    if (Named && isa<CXXThisExpr>(Named->getBase()->IgnoreParenImpCasts())) {
      const auto* Field = dyn_cast<FieldDecl>(Named->getMemberDecl());
      const auto* Own = dyn_cast<CXXMethodDecl>(Function);
      return Field && Own && Own->getParent() == Field->getParent() &&
             !ChangedMembers.count(Field) && !ChangedMembers.count(nullptr);
    }
    if (Named && !Named->isArrow()) {
      Member = dyn_cast<FieldDecl>(Named->getMemberDecl());
      Place = Named->getBase();
    } else if (const auto* Element = dyn_cast<ArraySubscriptExpr>(Place);
               Element && Element->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
      Place = Element->getBase();
    else
      break;
  }
  const auto* Ref = dyn_cast<DeclRefExpr>(Place);
  const auto* V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!V)
    return false;
  if (Elements.contains(V))
    return true;
  const bool IsOutside = !Declared.contains(V) &&
                         (!V->isLocalVarDeclOrParm() || V->getDeclContext()->Encloses(Function));
  return IsOutside && !Changed.count({V, nullptr}) && !Changed.count({V, Member});
}

bool ErrorsBefore::isRead(const Expr* E) const {
  const auto* Load = dyn_cast<ImplicitCastExpr>(E);
  if (!Load || Load->getCastKind() != CK_LValueToRValue || !contains(Load->getSubExpr()))
    return false;
  const auto* Ref = dyn_cast<DeclRefExpr>(Load->getSubExpr()->IgnoreParenImpCasts());
  const auto* V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return isCudaError(Load->getType()) || (V && isNumberOfError(*V));
}

void ErrorsBefore::castIn(WhileStmt* Loop, ASTContext& Context) const {
  const NodeBuilder Build(Context);
  replaceExpressions(Loop, [&](Expr* E) {
    return isRead(E) ? Build.cast(E, E->getType(), E->getExprLoc()) : nullptr;
  });
}

const Expr* ErrorsBefore::readIn(const FunctionDecl* F) const {
  struct Finder : DynamicRecursiveASTVisitor {
    bool VisitImplicitCastExpr(ImplicitCastExpr* E) override {
      Found = Errors->isRead(E) ? E : nullptr;
      return !Found;
    }
    const ErrorsBefore* Errors = nullptr;
    const Expr* Found = nullptr;
  } Find;
  Find.Errors = this;
  Find.TraverseStmt(F->getBody());
  return Find.Found;
}

} // namespace gpurma
