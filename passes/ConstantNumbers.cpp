// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ConstantNumbers.h"

#include "passes/ConstantMembers.h"

#include "llvm/Support/MathExtras.h"
#include <set>

using namespace clang;

namespace gpurma {

namespace {

class NumberFolder {
public:
  NumberFolder(const VariableChanges& Changed, const ASTContext& Context) : Changed(Changed), Context(Context) {}

  std::optional<std::int64_t> fold(const Expr* E) {
    E = E->IgnoreParens();
    if (!E->getType()->isIntegralOrEnumerationType() || E->isValueDependent())
      return std::nullopt;
    Expr::EvalResult Known;
    if (E->EvaluateAsInt(Known, Context))
      return Known.Val.getInt().isRepresentableByInt64() ? std::optional(Known.Val.getInt().getExtValue()) : std::nullopt;
    const std::optional<std::int64_t> Value = foldVariables(E);
    return Value && fits(*Value, E->getType()) ? Value : std::nullopt;
  }

private:
  std::optional<std::int64_t> foldVariables(const Expr* E) {
    if (const auto [V, Field] = memberOf(E); V && Field)
      return Changed.changes(V, Field) ? std::nullopt : constantMember(E, Context);
    if (const auto* Cast = dyn_cast<CastExpr>(E))
      return fold(Cast->getSubExpr());
    if (const auto* Ref = dyn_cast<DeclRefExpr>(E)) {
      const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
      // `int n = n;` does not end otherwise.
      const bool Follows = V && V->isLocalVarDecl() && V->getInit() && keepsInit(V, Changed) && Under.insert(V).second;
      if (!Follows)
        return std::nullopt;
      const std::optional<std::int64_t> Value = fold(V->getInit());
      Under.erase(V);
      return Value;
    }
    const auto* Operation = dyn_cast<BinaryOperator>(E);
    if (!Operation || !(Operation->isAdditiveOp() || Operation->isMultiplicativeOp()))
      return std::nullopt;
    const std::optional<std::int64_t> Left = fold(Operation->getLHS()), Right = fold(Operation->getRHS());
    return Left && Right ? compute(Operation->getOpcode(), *Left, *Right) : std::nullopt;
  }

  static std::optional<std::int64_t> compute(BinaryOperatorKind Operation, std::int64_t Left, std::int64_t Right) {
    std::int64_t Result = 0;
    switch (Operation) {
    case BO_Add:
      return llvm::AddOverflow(Left, Right, Result) ? std::nullopt : std::optional(Result);
    case BO_Sub:
      return llvm::SubOverflow(Left, Right, Result) ? std::nullopt : std::optional(Result);
    case BO_Mul:
      return llvm::MulOverflow(Left, Right, Result) ? std::nullopt : std::optional(Result);
    case BO_Div:
      return Right > 0 ? std::optional(Left / Right) : std::nullopt;
    case BO_Rem:
      return Right > 0 ? std::optional(Left % Right) : std::nullopt;
    default:
      return std::nullopt;
    }
  }

  bool fits(std::int64_t Value, QualType Type) const {
    const auto Bits = static_cast<unsigned>(Context.getIntWidth(Type));
    return Type->isUnsignedIntegerOrEnumerationType() ? Value >= 0 && (Bits >= 64 || llvm::isUIntN(Bits, static_cast<std::uint64_t>(Value)))
                                                      : Bits >= 64 || llvm::isIntN(Bits, Value);
  }

  const VariableChanges& Changed;
  const ASTContext& Context;
  std::set<const VarDecl*> Under;
};

} // namespace

bool keepsInit(const VarDecl* V, const VariableChanges& Changed) {
  return V->isLocalVarDeclOrParm() ? !Changed.changes(V) : isUnchangeable(V->getType());
}

std::optional<std::int64_t> constantNumber(const Expr* E, const VariableChanges& Changed, const ASTContext& Context) {
  return NumberFolder(Changed, Context).fold(E);
}

} // namespace gpurma
