// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/LaunchSize.h"

#include "passes/ConstantNumbers.h"
#include "passes/LocalArrays.h"
#include "passes/VariableUses.h"

#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <utility>
#include <vector>

using namespace clang;

namespace gpurma {

namespace {

using LaunchSize = std::array<std::optional<std::int64_t>, 3>;

const BinaryOperator* assignment(const Stmt* S) {
  const auto* E = dyn_cast_or_null<Expr>(S);
  const auto* Assignment = E ? dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts()) : nullptr;
  return Assignment && Assignment->getOpcode() == BO_Assign ? Assignment : nullptr;
}

/// 1, of `threads.y = threads.z = 1`.
const Expr* valueOf(const BinaryOperator* Assignment) {
  while (const BinaryOperator* Other = assignment(Assignment->getRHS()))
    Assignment = Other;
  return Assignment->getRHS();
}

/// What `threads.x = 512;` gives members of a variable in the block that declares it.
class MembersInBlock : public DynamicRecursiveASTVisitor {
public:
  MembersInBlock(const VarDecl* V, const Stmt* Body) : V(V) { TraverseStmt(const_cast<Stmt*>(Body)); }
  bool VisitCompoundStmt(CompoundStmt* Block) override {
    const bool Declares = llvm::any_of(Block->body(), [&](const Stmt* S) {
      const auto* Declaration = dyn_cast<DeclStmt>(S);
      return Declaration && llvm::is_contained(Declaration->decls(), V);
    });
    for (const Stmt* S : Block->body())
      for (const BinaryOperator* Each = Declares ? assignment(S) : nullptr; Each; Each = assignment(Each->getRHS()))
        if (const auto [Of, Field] = memberOf(Each->getLHS()); Of == V && Field)
          Assigned.try_emplace(Field->getFieldIndex(), Each);
    return true;
  }
  std::map<unsigned, const BinaryOperator*> Assigned;

private:
  const VarDecl* V;
};

/// If each member of the variable gets one number at most, before \p Use in \p Body, and nothing else there changes it.
bool giveMembers(LaunchSize& Size, const VarDecl* V, const Stmt* Body, const Expr* Use, const VariableChanges& Changed, const ASTContext& Context) {
  if (!Body)
    return false;
  const MembersInBlock Members(V, Body);
  ChangeFinder Found;
  Found.TraverseStmt(const_cast<Stmt*>(Body));
  if (Members.Assigned.empty() || Found.Changes[V] != Members.Assigned.size())
    return false;
  const SourceManager& Sources = Context.getSourceManager();
  for (const auto& [Index, Assignment] : Members.Assigned) {
    if (Index >= Size.size() || !Sources.isBeforeInTranslationUnit(Sources.getFileLoc(Assignment->getEndLoc()), Sources.getFileLoc(Use->getBeginLoc())))
      return false;
    Size[Index] = constantNumber(valueOf(Assignment), Changed, Context);
  }
  return true;
}

/// Of a function that does nothing else than to return it; null of others.
const Expr* returnedBy(const CallExpr& Call) {
  const FunctionDecl *Callee = Call.getDirectCallee(), *Definition = nullptr;
  const auto* Body = Callee && Callee->hasBody(Definition) ? dyn_cast<CompoundStmt>(Definition->getBody()) : nullptr;
  const auto* Return = Body && Body->size() == 1 ? dyn_cast<ReturnStmt>(Body->body_front()) : nullptr;
  return Return ? Return->getRetValue() : nullptr;
}

LaunchSize findSize(const Expr* E, const VariableChanges& Changed, const ASTContext& Context, const Stmt* Copied) {
  while (E) {
    E = E->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
    if (E->getType()->isIntegralOrEnumerationType())
      return {constantNumber(E, Changed, Context), 1, 1};
    if (const auto* Ref = dyn_cast<DeclRefExpr>(E)) {
      const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
      if (!V || isa<ParmVarDecl>(V))
        return {};
      if (keepsInit(V, Changed)) {
        E = V->getInit();
        continue;
      }
      if (!V->hasLocalStorage() || !V->getInit() || Changed.changes(V, nullptr))
        return {};
      LaunchSize Size = findSize(V->getInit(), Changed, Context, Copied);
      const auto* Function = dyn_cast<FunctionDecl>(V->getDeclContext());
      const bool Known = giveMembers(Size, V, Function ? Function->getBody() : nullptr, E, Changed, Context) ||
                         giveMembers(Size, V, Copied, E, Changed, Context);
      return Known ? Size : LaunchSize();
    }
    if (const auto* Call = dyn_cast<CallExpr>(E)) {
      E = returnedBy(*Call);
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
      return {};
    }
    LaunchSize Size = {1, 1, 1};
    for (unsigned D = 0; D < 3 && D < Sizes.size(); ++D) {
      const auto* Default = dyn_cast<CXXDefaultArgExpr>(Sizes[D]);
      Size[D] = constantNumber(Default ? Default->getExpr() : Sizes[D], Changed, Context);
    }
    return Size;
  }
  return {};
}

} // namespace

LaunchSize constantLaunchSize(const Expr* E, const VariableChanges& Changed, const ASTContext& Context, const Stmt* Copied) {
  if (!Copied)
    return findSize(E, Changed, Context, nullptr);
  VariableChanges All = Changed;
  const VariableChanges InCopy(Copied);
  All.Members.insert(InCopy.Members.begin(), InCopy.Members.end());
  return findSize(E, All, Context, Copied);
}

namespace {

/// A variable, or one of its members.
using Part = std::pair<const VarDecl*, const FieldDecl*>;

bool overlap(const Part& A, const Part& B) { return A.first == B.first && (!A.second || !B.second || A.second == B.second); }

/// What statements assign to, or pass to functions that may change it, by its name.
class NamedChanges : public DynamicRecursiveASTVisitor {
public:
  explicit NamedChanges(const Stmt& S) { TraverseStmt(const_cast<Stmt*>(&S)); }
  bool VisitBinaryOperator(BinaryOperator* E) override {
    if (E->isAssignmentOp())
      note(E->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator* E) override {
    if (E->isIncrementDecrementOp())
      note(E->getSubExpr());
    return true;
  }
  bool VisitCallExpr(CallExpr* Call) override {
    const FunctionDecl* Callee = Call->getDirectCallee();
    const auto* Method = isa<CXXOperatorCallExpr>(Call) ? dyn_cast_or_null<CXXMethodDecl>(Callee) : nullptr;
    if (Method && changesObject(Method))
      note(Call->getArg(0));
    for (unsigned I = 0; Callee && I < Callee->getNumParams() && I + (Method != nullptr) < Call->getNumArgs(); ++I)
      if (const QualType P = Callee->getParamDecl(I)->getType(); P->isLValueReferenceType() && !isUnchangeable(P->getPointeeType()))
        note(Call->getArg(I + (Method != nullptr)));
    return true;
  }
  std::vector<Part> Found;

private:
  void note(const Expr* E) {
    const VarDecl* Array = arrayOfElement(E);
    if (const Part Changed = Array ? Part(Array, nullptr) : memberOf(E); Changed.first)
      Found.push_back(Changed);
  }
};

/// The variables that an expression names, and of which only members.
class NamedParts : public DynamicRecursiveASTVisitor {
public:
  explicit NamedParts(const Expr& E) { TraverseStmt(const_cast<Expr*>(&E)); }
  bool VisitMemberExpr(MemberExpr* Member) override {
    const Expr* Base = Member->getBase()->IgnoreParenImpCasts();
    if (const auto* Address = dyn_cast<UnaryOperator>(Base); Address && Address->getOpcode() == UO_AddrOf) // (&s)->block
      Base = Address->getSubExpr()->IgnoreParenImpCasts();
    if (const auto* Ref = dyn_cast<DeclRefExpr>(Base))
      Fields.try_emplace(Ref, dyn_cast<FieldDecl>(Member->getMemberDecl()));
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    if (const auto* V = dyn_cast<VarDecl>(Ref->getDecl()))
      Found.emplace_back(Ref, Part(V, Fields.lookup(Ref)));
    return true;
  }
  std::vector<std::pair<const DeclRefExpr*, Part>> Found;

private:
  llvm::DenseMap<const DeclRefExpr*, const FieldDecl*> Fields;
};

} // namespace

const DeclRefExpr* changedVariable(const Expr& Setting, const Stmt& Region) {
  const NamedChanges Changes(Region);
  for (const auto& [Ref, Named] : NamedParts(Setting).Found)
    if (llvm::any_of(Changes.Found, [&](const Part& Changed) { return overlap(Changed, Named); }))
      return Ref;
  return nullptr;
}

bool isOfOneThread(const Expr* Grid, const Expr* Block, const VariableChanges& Changed, const ASTContext& Context) {
  const LaunchSize One = {1, 1, 1};
  return constantLaunchSize(Grid, Changed, Context) == One && constantLaunchSize(Block, Changed, Context) == One;
}

} // namespace gpurma
