// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Inductions.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <set>
#include <vector>

using namespace clang;

namespace gpurma {
namespace {

const VarDecl* variableOf(const Expr* E) { return memberOf(E).first; }

std::optional<Update> updateOf(const Stmt* S) {
  const auto* E = dyn_cast_or_null<Expr>(S);
  if (!E)
    return std::nullopt;
  E = E->IgnoreUnlessSpelledInSource();
  if (const auto* Unary = dyn_cast<UnaryOperator>(E); Unary && Unary->isIncrementDecrementOp())
    if (const VarDecl* V = variableOf(Unary->getSubExpr()))
      return Update{V, nullptr, Unary->isDecrementOp()};
  const auto* Binary = dyn_cast<BinaryOperator>(E);
  const auto* Target =
      Binary ? dyn_cast<DeclRefExpr>(Binary->getLHS()->IgnoreParenCasts()) : nullptr;
  const auto* V = Target ? dyn_cast<VarDecl>(Target->getDecl()) : nullptr;
  if (!V)
    return std::nullopt;
  if (Binary->getOpcode() == BO_AddAssign || Binary->getOpcode() == BO_SubAssign)
    return Update{V, Binary->getRHS(), Binary->getOpcode() == BO_SubAssign};
  if (Binary->getOpcode() != BO_Assign)
    return std::nullopt;
  const auto* Sum = dyn_cast<BinaryOperator>(Binary->getRHS()->IgnoreParenImpCasts());
  if (!Sum || !Sum->isAdditiveOp())
    return std::nullopt;
  if (variableOf(Sum->getLHS()) == V)
    return Update{V, Sum->getRHS(), Sum->getOpcode() == BO_Sub};
  if (Sum->getOpcode() == BO_Add && variableOf(Sum->getRHS()) == V)
    return Update{V, Sum->getLHS(), false};
  return std::nullopt;
}

/// Updates among what a statement evaluates once, and in any case.
class CertainUpdates : public DynamicRecursiveASTVisitor {
public:
  explicit CertainUpdates(std::vector<Update>& Updates) : Updates(Updates) {}

  bool TraverseStmt(Stmt* S) override {
    if (!S || isa<SwitchStmt, ForStmt, CXXForRangeStmt, WhileStmt, DoStmt, LabelStmt, LambdaExpr, UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, CXXTypeidExpr>(S))
      return true;
    if (const std::optional<Update> U = updateOf(S))
      Updates.push_back(*U);
    if (auto* If = dyn_cast<IfStmt>(S))
      return TraverseStmt(If->getInit()) && TraverseStmt(If->getCond());
    if (auto* Choice = dyn_cast<AbstractConditionalOperator>(S))
      return TraverseStmt(Choice->getCond());
    if (auto* Binary = dyn_cast<BinaryOperator>(S); Binary && Binary->isLogicalOp())
      return TraverseStmt(Binary->getLHS());
    return DynamicRecursiveASTVisitor::TraverseStmt(S);
  }

private:
  std::vector<Update>& Updates;
};

class DeclaredVariables : public DynamicRecursiveASTVisitor {
public:
  explicit DeclaredVariables(ArrayRef<const Stmt*> Parts) {
    for (const Stmt* S : Parts)
      TraverseStmt(const_cast<Stmt*>(S));
  }
  bool VisitVarDecl(VarDecl* V) override {
    All.insert(V);
    return true;
  }
  llvm::SmallPtrSet<const VarDecl*, 8> All;
};

/// Whether a condition ends a loop before a counter leaves the numbers of its type: `i < n` of one that goes up.
bool bounds(const Expr* Cond, const Update& U) {
  const auto* Binary = dyn_cast<BinaryOperator>(Cond->IgnoreParenImpCasts());
  if (Binary && Binary->getOpcode() == BO_LAnd)
    return bounds(Binary->getLHS(), U) || bounds(Binary->getRHS(), U);
  if (!Binary || !Binary->isRelationalOp())
    return false;
  const bool IsLess = Binary->getOpcode() == BO_LT || Binary->getOpcode() == BO_LE;
  return variableOf(IsLess == U.Negative ? Binary->getRHS() : Binary->getLHS()) == U.Variable;
}

std::map<const VarDecl*, Update> movedBy(const std::vector<Update>& Updates, const Expr* Cond,
                                         const DeclaredVariables& Own, const ChangeFinder& Found) {
  // What an iteration declares has no value before it, and a sum of numbers in floating point is no
  // subscript.
  std::map<const VarDecl*, Update> Inductions;
  for (const Update& U : Updates)
    if (U.Variable->getType()->isIntegerType() || U.Variable->getType()->isPointerType()) {
      auto It = Found.Changes.find(U.Variable);
      bool Fixed = !U.Step || llvm::none_of(namedVariables(U.Step), [&](const VarDecl* V) {
        return Found.Changes.count(V) || Own.All.contains(V);
      });
      // Bytes wrap around, unless a condition ends the loop before.
      bool Wide = (!U.Step && Cond && bounds(Cond, U)) ||
                  U.Variable->getASTContext().getTypeSize(U.Variable->getType()) >= 32;
      if (It != Found.Changes.end() && It->second == 1 && Fixed && Wide)
        Inductions[U.Variable] = U;
    }
  return Inductions;
}

} // namespace

std::map<const VarDecl*, Update> inductions(const Expr* Cond, const Expr* Inc, const Stmt* Body,
                                            ArrayRef<const Stmt*> Heads,
                                            const ChangeFinder& Found) {
  std::vector<Update> Updates;
  CertainUpdates Find(Updates);
  Find.TraverseStmt(const_cast<Expr*>(Inc));
  // What `continue` may skip does not count.
  if (!Found.Continues)
    Find.TraverseStmt(const_cast<Stmt*>(Body));
  std::vector<const Stmt*> Declaring(Heads);
  Declaring.push_back(Body);
  return movedBy(Updates, Cond, DeclaredVariables(Declaring), Found);
}

std::map<const VarDecl*, Update> inductionsOfCondition(const Expr* Cond, const Stmt* Body,
                                                       const ChangeFinder& Found) {
  std::vector<Update> Updates;
  CertainUpdates(Updates).TraverseStmt(const_cast<Expr*>(Cond));
  llvm::erase_if(Updates, [](const Update& U) { return U.Step != nullptr; });
  return movedBy(Updates, Cond, DeclaredVariables(Body), Found);
}

} // namespace gpurma
