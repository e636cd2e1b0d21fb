// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/EarlyReads.h"

#include "passes/Region.h"
#include "passes/ThreadCooperation.h"
#include "passes/VariableChanges.h"
#include "passes/VariableUses.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

using namespace clang;

namespace gpurma {
namespace {

/// Each keeps a register from before the store on.
constexpr size_t MostReads = 2;

struct EarlyRead {
  FileRange Read;
  unsigned Before; // in the same file
  std::string AreApart;

  bool operator<(const EarlyRead& Other) const {
    return std::tie(Read.Begin, Read.End, Before, AreApart) < std::tie(Other.Read.Begin, Other.Read.End, Other.Before, Other.AreApart);
  }
};

/// Whether control may go anywhere but to the next statement.
bool mayJump(const Stmt* S) {
  return S && (isa<BreakStmt, ContinueStmt, LabelStmt, SwitchCase, LambdaExpr, StmtExpr>(S) || mayLeave(S) || llvm::any_of(S->children(), mayJump));
}

class EarlyReadFinder : public DynamicRecursiveASTVisitor {
public:
  explicit EarlyReadFinder(const Stage& S) : Kernel(S.Kernel), Shown(S.Kernel->getBody()), Changes(S.Kernel->getBody()) {
    for (const ArrayAccess& A : S.Accesses.Arrays) {
      const auto* Parameter = dyn_cast<ParmVarDecl>(A.Array.Variable);
      const bool IsPlain = Parameter && A.Array.Members.empty() && Parameter->getType()->isPointerType() && keepsItsValue(Parameter);
      if (A.Writes || A.EndRows.some()) {
        Written.push_back(Parameter);
        IsKnown &= IsPlain;
      } else if (IsPlain && !Parameter->getType()->getPointeeType().isVolatileQualified()) {
        OnlyRead.insert(Parameter);
      }
    }
    for (const ParmVarDecl* Parameter : Kernel->parameters())
      Names.insert(identifierOf(Parameter));
  }

  std::set<EarlyRead> run() {
    if (!IsKnown || Written.empty() || OnlyRead.empty())
      return {};
    TraverseStmt(Kernel->getBody());
    return IsKnown ? std::move(Found) : std::set<EarlyRead>();
  }

  bool shouldVisitImplicitCode() const override { return false; }
  bool TraverseLambdaExpr(LambdaExpr*) override { return true; }

  /// A parameter that is hidden cannot be compared.
  bool VisitVarDecl(VarDecl* V) override {
    IsKnown &= !Names.contains(identifierOf(V));
    return true;
  }

  bool VisitCompoundStmt(CompoundStmt* Block) override {
    const auto Store = llvm::find_if(Block->body(), [&](const Stmt* S) { return isa<Expr, DeclStmt>(S) && stores(S); });
    if (Store == Block->body_end() || mayJump(*Store))
      return true;
    Before = wholeInBody(Kernel, (*Store)->getSourceRange());
    Between.assign(1, *Store);
    for (auto Next = std::next(Store); Before && Next != Block->body_end() && !mayJump(*Next); ++Next) {
      if (isa<Expr, DeclStmt>(*Next))
        findIn(*Next);
      Between.push_back(*Next);
    }
    return true;
  }

private:
  bool keepsItsValue(const VarDecl* V) const { return !Changes.changes(V) && !Shown.Variables.contains(V); }

  bool stores(const Stmt* S) const {
    return llvm::any_of(Written, [&](const ParmVarDecl* Array) { return !ElementStores(S, Array).Found.empty(); });
  }

  /// What a statement reads whatever its values are.
  void findIn(const Stmt* S) {
    if (!S)
      return;
    if (const auto* Operator = dyn_cast<BinaryOperator>(S); Operator && Operator->isLogicalOp())
      return findIn(Operator->getLHS());
    if (const auto* Choice = dyn_cast<AbstractConditionalOperator>(S))
      return findIn(Choice->getCond());
    if (isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, CXXTypeidExpr>(S))
      return;
    if (const auto* Cast = dyn_cast<ImplicitCastExpr>(S); Cast && Cast->getCastKind() == CK_LValueToRValue)
      if (const auto* Element = dyn_cast<ArraySubscriptExpr>(Cast->getSubExpr()->IgnoreParens()))
        note(*Element);
    for (const Stmt* Child : S->children())
      findIn(Child);
  }

  void note(const ArraySubscriptExpr& Element) {
    const auto* Array = dyn_cast_or_null<ParmVarDecl>(namedVariable(Element.getBase()));
    if (!Array || !OnlyRead.contains(Array) || !Element.getType()->isArithmeticType() || !isSameBefore(Element.getIdx()))
      return;
    const std::optional<FileRange> Read = wholeInBody(Kernel, Element.getSourceRange());
    if (!Read || Read->File != Before->File)
      return;
    std::string AreApart;
    for (const ParmVarDecl* Each : Written)
      AreApart += (AreApart.empty() ? "" : " && ") + ("::gpurma::stages::are_apart(" + Array->getName() + ", " + Each->getName() + ")").str();
    Found.insert({*Read, Before->Begin, AreApart});
  }

  /// Whether a subscript has the same value before the store, where all that it names is known.
  bool isSameBefore(const Expr* E) const {
    E = E->IgnoreParens();
    if (isa<IntegerLiteral>(E))
      return true;
    if (const auto* Cast = dyn_cast<CastExpr>(E))
      return Cast->getType()->isIntegerType() && isSameBefore(Cast->getSubExpr());
    if (const auto* Operator = dyn_cast<UnaryOperator>(E))
      return (Operator->getOpcode() == UO_Minus || Operator->getOpcode() == UO_Plus) && isSameBefore(Operator->getSubExpr());
    if (const auto* Operator = dyn_cast<BinaryOperator>(E))
      return (Operator->isAdditiveOp() || Operator->isMultiplicativeOp()) && isSameBefore(Operator->getLHS()) && isSameBefore(Operator->getRHS());
    const VarDecl* V = namedVariable(E);
    return V && V->hasLocalStorage() && V->getType()->isIntegerType() && !V->getType().isVolatileQualified() && !Shown.Variables.contains(V) &&
           llvm::none_of(Between, [&](const Stmt* S) { return declares(S, V) || VariableChanges(S).changes(V); });
  }

  static bool declares(const Stmt* S, const VarDecl* V) {
    const auto* Declaration = dyn_cast<DeclStmt>(S);
    return Declaration && llvm::is_contained(Declaration->decls(), V);
  }

  const FunctionDecl* Kernel;
  Exposed Shown;
  VariableChanges Changes;
  bool IsKnown = true;
  std::vector<const ParmVarDecl*> Written;
  llvm::SmallPtrSet<const ParmVarDecl*, 4> OnlyRead;
  std::set<StringRef> Names;
  /// Where reads may be done early, and the statements from there on.
  std::optional<FileRange> Before;
  std::vector<const Stmt*> Between;
  std::set<EarlyRead> Found;
};

} // namespace

void addEarlyReads(const std::vector<const Stage*>& Launches, EditSet& Edits, StringRef Source) {
  std::map<EarlyRead, size_t> Found;
  for (const Stage* S : Launches)
    for (const EarlyRead& Each : EarlyReadFinder(*S).run())
      ++Found[Each];
  size_t Number = 0;
  for (const auto& [Each, Count] : Found) {
    if (Count != Launches.size() || Number == MostReads)
      continue;
    const std::string Name = "gpurma_read_" + std::to_string(Number++), Text = Edits.text(Each.Read, Source);
    Edits.wrap(Each.Read, "(" + Each.AreApart + " ? " + Name + " : ", ")");
    Edits.replace({Each.Read.File, Each.Before, Each.Before}, "const auto " + Name + " = " + Text + "; ");
  }
}

} // namespace gpurma
