// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/AccumulateCalls.h"

#include "passes/HostObjects.h"
#include "passes/Region.h"
#include "passes/VariableUses.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace gpurma {

const CXXMethodDecl* sizeOfVector(QualType Type) {
  const auto* Class = Type.getNonReferenceType()->getAsCXXRecordDecl();
  if (!Class || !Class->isInStdNamespace() || identifierOf(Class) != "vector")
    return nullptr;
  const CXXMethodDecl* Found = nullptr;
  for (const NamedDecl* D : Class->lookup(&Class->getASTContext().Idents.get("size")))
    Found = dyn_cast<CXXMethodDecl>(D);
  return Found;
}

namespace {

/// The v of v.begin() or v.end(), std::begin(v) or std::end(v), of a std::vector or an array.
const Expr* rangeOf(const Expr* Iterator, bool IsEnd) {
  const auto* Call = dyn_cast<CallExpr>(Iterator);
  const FunctionDecl* Callee = Call ? Call->getDirectCallee() : nullptr;
  const StringRef Name = identifierOf(Callee);
  const auto* Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
  if (!Callee || !(Method ? Method->getParent()->isInStdNamespace() : Callee->isInStdNamespace()) ||
      (Name != (IsEnd ? "end" : "begin") && Name != (IsEnd ? "cend" : "cbegin")))
    return nullptr;
  const auto* Member = dyn_cast<CXXMemberCallExpr>(Call);
  if (Call->getNumArgs() != (Member ? 0 : 1))
    return nullptr;
  const Expr* Object = withoutCopies(Member ? Member->getImplicitObjectArgument() : Call->getArg(0));
  return namedPlace(Object) && (Object->getType()->isConstantArrayType() || sizeOfVector(Object->getType())) ? Object : nullptr;
}

/// What `first + n` adds up, of pointers and iterators.
std::pair<const Expr*, const Expr*> sumOf(const Expr* Last) {
  if (const auto* Sum = dyn_cast<BinaryOperator>(Last); Sum && Sum->getOpcode() == BO_Add)
    return {withoutCopies(Sum->getLHS()), Sum->getRHS()};
  if (const auto* Sum = dyn_cast<CXXOperatorCallExpr>(Last); Sum && Sum->getOperator() == OO_Plus && Sum->getNumArgs() == 2)
    return {withoutCopies(Sum->getArg(0)), Sum->getArg(1)};
  return {};
}

const Expr* withoutTemporary(const Expr* E) {
  E = withoutCopies(E);
  const auto* Temporary = dyn_cast<MaterializeTemporaryExpr>(E);
  return Temporary ? withoutCopies(Temporary->getSubExpr()) : E;
}

/// std::plus<float>(), std::plus<>{}.
bool isPlus(const Expr* Operation) {
  const auto* Class = Operation->getType().getNonReferenceType()->getAsCXXRecordDecl();
  return Class && Class->isInStdNamespace() && identifierOf(Class) == "plus";
}

/// The call that an expression dereferences the pointer or iterator of; null of others.
const CallExpr* dereferencedCall(const Expr& E) {
  const Expr* Inner = nullptr;
  if (const auto* Unary = dyn_cast<UnaryOperator>(&E); Unary && Unary->getOpcode() == UO_Deref)
    Inner = Unary->getSubExpr();
  else if (const auto* Operator = dyn_cast<CXXOperatorCallExpr>(&E); Operator && Operator->getOperator() == OO_Star && Operator->getNumArgs() == 1)
    Inner = Operator->getArg(0);
  return Inner ? dyn_cast<CallExpr>(withoutTemporary(Inner)) : nullptr;
}

} // namespace

std::optional<AccumulateCall> accumulateCall(const Expr& E) {
  const CallExpr* Dereferenced = dereferencedCall(E);
  const auto* Sum = dyn_cast<CallExpr>(&E);
  if (!Dereferenced && !Sum)
    return std::nullopt;
  const CallExpr& Call = Dereferenced ? *Dereferenced : *Sum;
  const FunctionDecl* Callee = Call.getDirectCallee();
  const StringRef Name = identifierOf(Callee);
  if (!Callee || !Callee->isInStdNamespace() || !E.getType()->isArithmeticType())
    return std::nullopt;
  AccumulateCall Found;
  Found.Function = Callee;
  if (Dereferenced) {
    if ((Name != "max_element" && Name != "min_element") || Call.getNumArgs() != 2)
      return std::nullopt;
    Found.Operation = Name == "max_element" ? Keyword::Max : Keyword::Min;
  } else if ((Name != "accumulate" && Name != "reduce") || Call.getNumArgs() < (Name == "reduce" ? 2 : 3) || Call.getNumArgs() > 4 ||
             (Call.getNumArgs() == 4 && !isPlus(Call.getArg(3)))) {
    return std::nullopt;
  } else if (Call.getNumArgs() > 2) {
    Found.Init = const_cast<Expr*>(Call.getArg(2));
  }
  const Expr *First = withoutCopies(Call.getArg(0)), *Last = withoutCopies(Call.getArg(1));
  auto [From, Count] = sumOf(Last);
  if (const Expr* Range = rangeOf(First, /*IsEnd=*/false)) {
    Found.Array = const_cast<Expr*>(Range);
    const Expr* End = From ? rangeOf(From, /*IsEnd=*/false) : nullptr;
    if (End)
      Found.Count = const_cast<Expr*>(Count);
    else
      End = rangeOf(Last, /*IsEnd=*/true);
    if (!End || namedPlace(End) != namedPlace(Range))
      return std::nullopt;
    Found.Size = sizeOfVector(Range->getType());
    return Found;
  }
  const QualType Type = First->getType();
  if ((!Type->isPointerType() && !Type->isArrayType()) || !Count || !namedPlace(First) || namedPlace(From) != namedPlace(First))
    return std::nullopt;
  Found.Array = const_cast<Expr*>(First);
  Found.Count = const_cast<Expr*>(Count);
  return Found;
}

} // namespace gpurma
