// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Extrema.h"

#include "passes/Lvalues.h"
#include "passes/ThreadCooperation.h"
#include "passes/VariableUses.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace gpurma {
namespace {

/// As often as it is evaluated, it has one value and does nothing else.
bool isPure(const Expr* E, const ASTContext& Context) {
  auto IsPure = [&](const Stmt* Each) {
    const auto* Call = dyn_cast<CallExpr>(Each);
    static constexpr StringRef Magnitudes[] = {"abs", "labs", "llabs", "fabs", "fabsf"};
    return !Call || isSubscriptOfContainer(*Call) || (Call->getDirectCallee() && llvm::is_contained(Magnitudes, identifierOf(Call->getDirectCallee())));
  };
  auto AllArePure = [&](auto& Self, const Stmt* Each) -> bool {
    const auto* Part = dyn_cast<Expr>(Each); // threadIdx.x may be the call of a function
    return (Part && indexMember(Part)) || (IsPure(Each) && llvm::all_of(Each->children(), [&](const Stmt* Child) { return !Child || Self(Self, Child); }));
  };
  return !E->HasSideEffects(Context, /*IncludePossibleEffects=*/false) && AllArePure(AllArePure, E);
}

std::optional<Extremum> extremum(const Expr* Condition, const Expr* Taken, const Expr* Kept, const ASTContext& Context) {
  const auto* Comparison = dyn_cast<BinaryOperator>(Condition->IgnoreParenImpCasts());
  if (!Comparison || !Comparison->isRelationalOp() || !Comparison->getLHS()->getType()->isArithmeticType() ||
      !Comparison->getRHS()->getType()->isArithmeticType())
    return std::nullopt;
  const Expr *Left = Comparison->getLHS()->IgnoreParenImpCasts(), *Right = Comparison->getRHS()->IgnoreParenImpCasts();
  Taken = Taken->IgnoreParenImpCasts();
  Kept = Kept->IgnoreParenImpCasts();
  const bool IsGreater = Comparison->getOpcode() == BO_GT || Comparison->getOpcode() == BO_GE;
  const bool TakesLeft = isSameText(*Taken, *Left, Context) && isSameText(*Kept, *Right, Context);
  if (!TakesLeft && !(isSameText(*Taken, *Right, Context) && isSameText(*Kept, *Left, Context)))
    return std::nullopt;
  if (!keepsOrder(Left->getType(), Comparison->getLHS()->getType(), Context) || !keepsOrder(Right->getType(), Comparison->getRHS()->getType(), Context) ||
      !isPure(Left, Context) || !isPure(Right, Context))
    return std::nullopt;
  return Extremum{IsGreater == TakesLeft, Comparison, Taken, Kept};
}

} // namespace

bool keepsOrder(QualType From, QualType To, const ASTContext& Context) {
  if (!From->isIntegralOrEnumerationType() || !To->isIntegralOrEnumerationType())
    return true;
  return From->isUnsignedIntegerOrEnumerationType() == To->isUnsignedIntegerOrEnumerationType() ||
         (From->isUnsignedIntegerOrEnumerationType() && Context.getTypeSize(From) < Context.getTypeSize(To));
}

std::optional<bool> returnsGreater(StringRef Function) {
  return llvm::StringSwitch<std::optional<bool>>(Function)
      .Cases("max", "fmax", "fmaxf", "umax", "llmax", true)
      .Cases("min", "fmin", "fminf", "umin", "llmin", false)
      .Default(std::nullopt);
}

std::optional<Extremum> extremumOf(const ConditionalOperator& Choice, const ASTContext& Context) {
  return extremum(Choice.getCond(), Choice.getTrueExpr(), Choice.getFalseExpr(), Context);
}

std::optional<Extremum> extremumOf(const IfStmt& If, const ASTContext& Context) {
  const Stmt* Then = If.getThen();
  if (const auto* Block = dyn_cast<CompoundStmt>(Then); Block && Block->size() == 1)
    Then = Block->body_front();
  const auto* E = dyn_cast<Expr>(Then);
  const auto* Assignment = E ? dyn_cast<BinaryOperator>(E->IgnoreParens()) : nullptr;
  if (If.getElse() || If.isConstexpr() || If.getConditionVariable() || !Assignment || Assignment->getOpcode() != BO_Assign)
    return std::nullopt;
  const auto* Both = dyn_cast<BinaryOperator>(If.getCond()->IgnoreParenImpCasts());
  const bool Guarded = Both && Both->getOpcode() == BO_LAnd;
  std::optional<Extremum> Found = extremum(Guarded ? Both->getRHS() : If.getCond(), Assignment->getRHS(), Assignment->getLHS(), Context);
  if (!Found || !keepsOrder(Found->Taken->getType(), Found->Kept->getType(), Context))
    return std::nullopt;
  Found->Guard = Guarded ? Both->getLHS() : nullptr;
  Found->Assignment = Assignment;
  return Found;
}

} // namespace gpurma
