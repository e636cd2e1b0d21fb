// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/AccumulateCalls.h"

#include "passes/VariableUses.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace gpurma {
namespace {

/// Without conversions and copies, as of iterators.
Expr* written(Expr* E) {
  for (;;) {
    Expr* Inner = E->IgnoreParenImpCasts()->IgnoreImplicit();
    if (auto* Copy = dyn_cast<CXXConstructExpr>(Inner); Copy && Copy->getNumArgs() == 1)
      Inner = Copy->getArg(0);
    if (Inner == E)
      return E;
    E = Inner;
  }
}

/// The v of v.begin() or v.end(), of a std::vector.
Expr* vectorOf(Expr* Iterator, bool IsEnd) {
  auto* Call = dyn_cast<CXXMemberCallExpr>(Iterator);
  const CXXMethodDecl* Method = Call ? Call->getMethodDecl() : nullptr;
  const StringRef Name = Method ? identifierOf(Method) : StringRef();
  if (!Method || Call->getNumArgs() != 0 || !Method->getParent()->isInStdNamespace() || identifierOf(Method->getParent()) != "vector" ||
      (Name != (IsEnd ? "end" : "begin") && Name != (IsEnd ? "cend" : "cbegin")))
    return nullptr;
  Expr* Object = written(Call->getImplicitObjectArgument());
  return namedVariable(Object) && !Object->getType()->isPointerType() ? Object : nullptr;
}

/// What `first + n` adds up, of pointers and iterators.
std::pair<Expr*, Expr*> sumOf(Expr* Last) {
  if (auto* Sum = dyn_cast<BinaryOperator>(Last); Sum && Sum->getOpcode() == BO_Add)
    return {written(Sum->getLHS()), Sum->getRHS()};
  if (auto* Sum = dyn_cast<CXXOperatorCallExpr>(Last); Sum && Sum->getOperator() == OO_Plus && Sum->getNumArgs() == 2)
    return {written(Sum->getArg(0)), Sum->getArg(1)};
  return {};
}

} // namespace

std::optional<AccumulateCall> accumulateCall(const CallExpr& Call) {
  const FunctionDecl* Callee = Call.getDirectCallee();
  const StringRef Name = Callee ? identifierOf(Callee) : StringRef();
  if ((Name != "accumulate" && Name != "reduce") || !Callee->isInStdNamespace() || Call.getNumArgs() != 3 || !Call.getType()->isArithmeticType())
    return std::nullopt;
  Expr *First = written(const_cast<Expr*>(Call.getArg(0))), *Last = written(const_cast<Expr*>(Call.getArg(1)));
  AccumulateCall Found;
  Found.Init = const_cast<Expr*>(Call.getArg(2));
  auto [From, Count] = sumOf(Last);
  if (Expr* Vector = vectorOf(First, /*IsEnd=*/false)) {
    Found.Array = Vector;
    Found.Count = Count && From && vectorOf(From, /*IsEnd=*/false) ? Count : nullptr;
    Expr* End = Found.Count ? vectorOf(From, /*IsEnd=*/false) : vectorOf(Last, /*IsEnd=*/true);
    if (!End || namedVariable(End) != namedVariable(Vector))
      return std::nullopt;
    for (const NamedDecl* D : Vector->getType()->getAsCXXRecordDecl()->lookup(&Callee->getASTContext().Idents.get("size")))
      Found.Size = dyn_cast<CXXMethodDecl>(D);
    return Found.Count || Found.Size ? std::optional(Found) : std::nullopt;
  }
  const QualType Type = First->getType();
  if ((!Type->isPointerType() && !Type->isArrayType()) || !Count || !namedVariable(First) || namedVariable(From) != namedVariable(First))
    return std::nullopt;
  Found.Array = First;
  Found.Count = Count;
  return Found;
}

} // namespace gpurma
