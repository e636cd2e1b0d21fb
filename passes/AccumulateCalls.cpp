// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/AccumulateCalls.h"

#include "passes/HostObjects.h"
#include "passes/VariableUses.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace gpurma {
namespace {

/// The v of v.begin() or v.end(), of a std::vector.
const Expr* vectorOf(const Expr* Iterator, bool IsEnd) {
  const auto* Call = dyn_cast<CXXMemberCallExpr>(Iterator);
  const CXXMethodDecl* Method = Call ? Call->getMethodDecl() : nullptr;
  const StringRef Name = Method ? identifierOf(Method) : StringRef();
  if (!Method || Call->getNumArgs() != 0 || !Method->getParent()->isInStdNamespace() || identifierOf(Method->getParent()) != "vector" ||
      (Name != (IsEnd ? "end" : "begin") && Name != (IsEnd ? "cend" : "cbegin")))
    return nullptr;
  const Expr* Object = withoutCopies(Call->getImplicitObjectArgument());
  return namedVariable(Object) && !Object->getType()->isPointerType() ? Object : nullptr;
}

/// What `first + n` adds up, of pointers and iterators.
std::pair<const Expr*, const Expr*> sumOf(const Expr* Last) {
  if (const auto* Sum = dyn_cast<BinaryOperator>(Last); Sum && Sum->getOpcode() == BO_Add)
    return {withoutCopies(Sum->getLHS()), Sum->getRHS()};
  if (const auto* Sum = dyn_cast<CXXOperatorCallExpr>(Last); Sum && Sum->getOperator() == OO_Plus && Sum->getNumArgs() == 2)
    return {withoutCopies(Sum->getArg(0)), Sum->getArg(1)};
  return {};
}

} // namespace

std::optional<AccumulateCall> accumulateCall(const CallExpr& Call) {
  const FunctionDecl* Callee = Call.getDirectCallee();
  const StringRef Name = Callee ? identifierOf(Callee) : StringRef();
  if ((Name != "accumulate" && Name != "reduce") || !Callee->isInStdNamespace() || Call.getNumArgs() != 3 || !Call.getType()->isArithmeticType())
    return std::nullopt;
  const Expr *First = withoutCopies(Call.getArg(0)), *Last = withoutCopies(Call.getArg(1));
  AccumulateCall Found;
  Found.Init = const_cast<Expr*>(Call.getArg(2));
  auto [From, Count] = sumOf(Last);
  if (const Expr* Vector = vectorOf(First, /*IsEnd=*/false)) {
    Found.Array = const_cast<Expr*>(Vector);
    const Expr* End = From ? vectorOf(From, /*IsEnd=*/false) : nullptr;
    if (End)
      Found.Count = const_cast<Expr*>(Count);
    else
      End = vectorOf(Last, /*IsEnd=*/true);
    if (!End || namedVariable(End) != namedVariable(Vector))
      return std::nullopt;
    for (const NamedDecl* D : Vector->getType()->getAsCXXRecordDecl()->lookup(&Callee->getASTContext().Idents.get("size")))
      Found.Size = dyn_cast<CXXMethodDecl>(D);
    return Found.Count || Found.Size ? std::optional(Found) : std::nullopt;
  }
  const QualType Type = First->getType();
  if ((!Type->isPointerType() && !Type->isArrayType()) || !Count || !namedVariable(First) || namedVariable(From) != namedVariable(First))
    return std::nullopt;
  Found.Array = const_cast<Expr*>(First);
  Found.Count = const_cast<Expr*>(Count);
  return Found;
}

} // namespace gpurma
