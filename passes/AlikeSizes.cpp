// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/AlikeSizes.h"

#include "passes/VariableUses.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpurma {

namespace {

bool isStructure(QualType Type) {
  const auto* Record = Type->getAsCXXRecordDecl();
  return Record && Record->hasDefinition() && !Record->isUnion();
}

/// Structures as a whole that get what others have: by std::swap, assignments, and as initial values.
class Exchanges : public DynamicRecursiveASTVisitor {
public:
  Exchanges(const Stmt* S, const ASTContext& Context) : Context(Context) { TraverseStmt(const_cast<Stmt*>(S)); }
  bool VisitCallExpr(CallExpr* Call) override {
    const FunctionDecl* Callee = Call->getDirectCallee();
    if (!Callee || Call->getNumArgs() != 2)
      return true;
    const VarDecl *One = namedVariable(Call->getArg(0)), *Other = namedVariable(Call->getArg(1));
    const auto* Assignment = dyn_cast<CXXMethodDecl>(Callee);
    if (Assignment ? Assignment->isCopyAssignmentOperator() : Callee->isInStdNamespace() && identifierOf(Callee) == "swap") {
      join(One, Other);
      ++Changes[One];
      if (!Assignment)
        ++Changes[Other];
    }
    return true;
  }
  bool VisitVarDecl(VarDecl* V) override {
    const auto* Copy = V->getInit() ? dyn_cast<CXXConstructExpr>(V->getInit()->IgnoreImplicit()) : nullptr;
    const bool IsCopy = Copy && Copy->getConstructor()->isCopyOrMoveConstructor() && join(V, namedVariable(Copy->getArg(0)));
    const bool IsUnset = !V->getInit() || (Copy && Copy->getConstructor()->isDefaultConstructor() && Copy->getConstructor()->isTrivial() &&
                                           !Copy->isListInitialization() && !Copy->requiresZeroInitialization());
    if (IsCopy || IsUnset)
      HaveNothingElse.insert(V);
    return true;
  }

  std::map<const VarDecl*, unsigned> Changes;
  /// Declared as copies of others, or without a value.
  std::set<const VarDecl*> HaveNothingElse;
  llvm::EquivalenceClasses<const VarDecl*> Alike;

private:
  bool join(const VarDecl* One, const VarDecl* Other) {
    if (!One || !Other)
      return false;
    const QualType Type = One->getType().getNonReferenceType(), OtherType = Other->getType().getNonReferenceType();
    if (!isStructure(Type) || !Context.hasSameUnqualifiedType(Type, OtherType) || !Type.getUnqualifiedType().isTriviallyCopyableType(Context))
      return false;
    Alike.unionSets(One, Other);
    return true;
  }

  const ASTContext& Context;
};

/// The members of structures that an extent is computed from.
class NamedMembers : public DynamicRecursiveASTVisitor {
public:
  explicit NamedMembers(const Expr* E) { TraverseStmt(const_cast<Expr*>(E)); }
  bool VisitMemberExpr(MemberExpr* Member) override {
    const VarDecl* V = Member->isArrow() ? nullptr : namedVariable(Member->getBase());
    if (V && isStructure(V->getType().getNonReferenceType()) && isa<FieldDecl>(Member->getMemberDecl()))
      Found.push_back(Member);
    return true;
  }
  std::vector<const MemberExpr*> Found;
};

} // namespace

AlikeSizes::AlikeSizes(const ASTContext& Context, const Region& R, const ChangeFinder& InRegion, const VariableChanges& ByHost)
    : Context(Context), R(R), Changed(InRegion.Members) {
  findGroups(InRegion, ByHost);
  for (const DistributedArray& A : R.Arrays) {
    std::vector<const Expr*> All = A.Shape;
    if (A.Components)
      All.push_back(A.Components);
    for (const Expr* Extent : All) {
      addMembersOf(Extent, A);
      addInitialValuesOf(Extent);
      // Structures have the pitch of `pitch / sizeof(float)`.
      if (const auto* Quotient = dyn_cast<BinaryOperator>(Extent->IgnoreParenImpCasts());
          Quotient && Quotient->getOpcode() == BO_Div &&
          isa<UnaryExprOrTypeTraitExpr>(Quotient->getRHS()->IgnoreParenImpCasts())) {
        const Expr* Pitch = Quotient->getLHS()->IgnoreParenImpCasts();
        Pitches.insert(Pitch);
        if (namedVariable(Pitch))
          addInitialValuesOf(Pitch);
      }
    }
  }
}

void AlikeSizes::findGroups(const ChangeFinder& InRegion, const VariableChanges& ByHost) {
  Exchanges Found(R.Statement, Context);
  auto Stays = [&](const VarDecl* V) {
    auto All = InRegion.Changes.find(V);
    const unsigned Changes = All == InRegion.Changes.end() ? 0 : All->second;
    return Changes == Found.Changes[V] && !ByHost.changes(V) && !R.Kept.contains(V) &&
           (!R.declares(V) || (Found.HaveNothingElse.count(V) && !V->getType()->isReferenceType()));
  };
  for (auto It = Found.Alike.begin(); It != Found.Alike.end(); ++It)
    if (Group All(Found.Alike.member_begin(It), Found.Alike.member_end()); It->isLeader() && llvm::all_of(All, Stays))
      Groups.push_back(std::move(All));
}

AlikeSizes::Group AlikeSizes::withOthers(const VarDecl* V) const {
  auto It = llvm::find_if(Groups, [&](const Group& Each) { return Each.count(V); });
  return It == Groups.end() ? Group{V} : *It;
}

void AlikeSizes::addMembersOf(const Expr* Extent, const DistributedArray& A) {
  for (const MemberExpr* Member : NamedMembers(Extent).Found) {
    const VarDecl* V = namedVariable(Member->getBase());
    const auto* Field = cast<FieldDecl>(Member->getMemberDecl());
    add(withOthers(V), Field, Member);
    const VarDecl* Other = A.Pointer.Variable;
    if (A.Pointer.Members.size() == 1 && A.Pointer.Subscripts.empty() && Extents.count({V, Field}) &&
        Context.hasSameUnqualifiedType(Other->getType().getNonReferenceType(), V->getType().getNonReferenceType()))
      add(withOthers(Other), Field, Extents.at({V, Field}));
  }
}

void AlikeSizes::addInitialValuesOf(const Expr* Extent) {
  const VarDecl* Size = namedVariable(Extent);
  auto Number = [this](const Expr* E) { return E->isValueDependent() ? std::nullopt : E->getIntegerConstantExpr(Context); };
  const std::optional<llvm::APSInt> Constant = Number(Extent);
  auto IsSame = [&](const Expr* Given) {
    const std::optional<llvm::APSInt> Other = Constant ? Number(Given) : std::nullopt;
    return Other ? llvm::APSInt::isSameValue(*Other, *Constant) : Size && namedVariable(Given) == Size;
  };
  if (!Size && !Constant)
    return;
  for (const Group& Each : Groups)
    for (const VarDecl* V : Each)
      for (const FieldDecl* Field : V->getType().getNonReferenceType()->getAsCXXRecordDecl()->fields()) {
        const Expr* Given = V->getInit() && Field->getType()->isIntegerType() ? passedFor(V->getInit(), {Field}).Expression : nullptr;
        const auto* Got = Size && Size->getInit() ? dyn_cast<MemberExpr>(Size->getInit()->IgnoreParenImpCasts()) : nullptr;
        if ((Given && IsSame(Given)) ||
            (Got && !Got->isArrow() && Got->getMemberDecl() == Field && namedVariable(Got->getBase()) == V))
          add(Each, Field, Extent);
      }
}

void AlikeSizes::add(const Group& Structures, const FieldDecl* Field, const Expr* Extent) {
  if (!Field->getType()->isIntegerType() || Field->isBitField())
    return;
  for (const VarDecl* V : Structures)
    if (Structures.size() > 1 || (!Changed.count({V, nullptr}) && !Changed.count({V, Field})))
      Extents.try_emplace({V, Field}, Extent);
}

const Expr* AlikeSizes::extent(const VarDecl* V, const FieldDecl* Field) const {
  auto It = Extents.find({V, Field});
  return It == Extents.end() ? nullptr : It->second;
}

const Expr* AlikeSizes::take(const VarDecl* V, const FieldDecl* Field) {
  const Expr* Extent = extent(V, Field);
  // Of structures that change places, any may have the pitch that another one had.
  if (Pitches.count(Extent))
    for (const VarDecl* Other : withOthers(V))
      if (!isOwn(Extent, Other, Field) && llvm::any_of(R.Arrays, [&](const DistributedArray& A) {
            return A.Pointer.Variable == Other;
          }))
        check(Other, Field, Extent);
  if (!Extent || isOwn(Extent, V, Field))
    return nullptr;
  check(V, Field, Extent);
  return Extent;
}

bool AlikeSizes::isOwn(const Expr* Extent, const VarDecl* V, const FieldDecl* Field) {
  const auto* Member = dyn_cast<MemberExpr>(Extent);
  return Member && namedVariable(Member->getBase()) == V && Member->getMemberDecl() == Field;
}

void AlikeSizes::check(const VarDecl* V, const FieldDecl* Field, const Expr* Extent) {
  if (!R.declares(V) && Checked.insert({V, Field}).second)
    Taken.push_back({V, Field, Extent});
}

} // namespace gpurma
