// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ConstructedMembers.h"
#include "passes/ExpressionCopier.h"
#include "passes/Region.h"
#include "passes/VariableChanges.h"
#include "passes/VariableUses.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpurma {
namespace {

bool namesThis(const Stmt* S) { return S && (isa<CXXThisExpr>(S) || llvm::any_of(S->children(), namesThis)); }

/// Puts arguments in the places of a constructor's parameters.
class Caller : ExpressionCopier {
public:
  Caller(const CXXConstructExpr& Construct, ASTContext& Context) : ExpressionCopier(Context), Construct(Construct) {}

  /// Null if that is not possible.
  const Expr* withArguments(const Expr* Value) {
    const Expr* Copy = copy(const_cast<Expr*>(Value));
    auto IsOfConstructor = [this](const DeclRefExpr* Ref) { return Ref->getDecl()->getDeclContext() == Construct.getConstructor()->getDefinition(); };
    return llvm::any_of(References(Copy).All, IsOfConstructor) ? nullptr : Copy;
  }

private:
  Expr* argument(const DeclRefExpr* Ref) const {
    const auto* Parameter = dyn_cast<ParmVarDecl>(Ref->getDecl());
    if (!Parameter || Parameter->getDeclContext() != Construct.getConstructor()->getDefinition())
      return nullptr;
    const unsigned Index = Parameter->getFunctionScopeIndex();
    if (Index >= Construct.getNumArgs())
      return nullptr;
    Expr* Argument = const_cast<Expr*>(Construct.getArg(Index));
    const auto* Default = dyn_cast<CXXDefaultArgExpr>(Argument);
    return Default ? const_cast<Expr*>(Default->getExpr()) : Argument;
  }
  Expr* copyReference(DeclRefExpr* Ref) override {
    Expr* Argument = argument(Ref);
    return Argument ? Argument : Ref;
  }
  Expr* copyMember(MemberExpr* Member) override {
    Expr* Base = copy(Member->getBase());
    // `Extent(ny, nx).nx`, of an argument that is made in its place.
    if (const auto* Field = dyn_cast<FieldDecl>(Member->getMemberDecl()); Field && !Member->isArrow())
      if (const Expr* Passed = passedFor(Base, {Field}).Expression)
        return const_cast<Expr*>(Passed);
    return MemberExpr::CreateImplicit(Context, Base, Member->isArrow(), Member->getMemberDecl(), Member->getType(),
                                      Member->getValueKind(), Member->getObjectKind());
  }
  Expr* copyCall(CallExpr* Call) override { return Call; }
  Expr* copyChoice(ConditionalOperator* Choice) override { return Choice; }

  const CXXConstructExpr& Construct;
};

/// What is left in a member at the end of a constructor, of its parameters and variables.
const Expr* givenBy(const CXXConstructorDecl& Constructor, const FieldDecl* Member) {
  const Expr* Value = nullptr;
  for (const CXXCtorInitializer* Init : Constructor.inits()) {
    const Expr* Given = givenValue(*Init);
    const auto* Base = Init->isBaseInitializer() ? Init->getBaseClass()->getAsCXXRecordDecl() : nullptr;
    if (Init->isDelegatingInitializer() || (Base && llvm::is_contained(allFields(Base), Member)))
      Value = passedFor(Given, {Member}).Expression;
    else if (Init->getMember() == Member)
      Value = Given;
  }
  for (const Stmt* S : cast<CompoundStmt>(Constructor.getBody())->body()) {
    const auto* Assignment = dyn_cast<BinaryOperator>(S);
    const auto* Assigned = Assignment && Assignment->getOpcode() == BO_Assign ? dyn_cast<MemberExpr>(Assignment->getLHS()) : nullptr;
    if (Assigned && isa<CXXThisExpr>(Assigned->getBase()) && !namesThis(Assignment->getRHS())) {
      if (Assigned->getMemberDecl() == Member)
        Value = Assignment->getRHS();
    } else if (namesThis(S) || mayLeave(S)) {
      return nullptr;
    }
  }
  return Value;
}

} // namespace

const Expr* givenValue(const CXXCtorInitializer& Init) {
  const auto* InClass = dyn_cast<CXXDefaultInitExpr>(Init.getInit());
  return InClass ? InClass->getExpr() : Init.getInit();
}

const Expr* constructedMember(const CXXConstructExpr& Construct, const FieldDecl* Member) {
  const auto* Constructor = dyn_cast_or_null<CXXConstructorDecl>(Construct.getConstructor()->getDefinition());
  if (!Constructor || Constructor->isInheritingConstructor() || Constructor->isDependentContext() || !isa_and_nonnull<CompoundStmt>(Constructor->getBody()))
    return nullptr;
  const VariableChanges Changed(Constructor->getBody());
  if (llvm::any_of(Constructor->parameters(), [&](const ParmVarDecl* P) { return Changed.changes(P); }))
    return nullptr;
  const Expr* Value = givenBy(*Constructor, Member);
  return Value && !namesThis(Value) ? Caller(Construct, Constructor->getASTContext()).withArguments(Value) : nullptr;
}

} // namespace gpurma
