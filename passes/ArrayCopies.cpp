// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ArrayCopies.h"
#include "passes/Region.h"

using namespace clang;

namespace gpurma {
namespace {

/// As cudaMemcpyKind has them.
enum CopyKind { HostToHost, HostToDevice, DeviceToHost, DeviceToDevice, Default };

StringRef calledName(const CallExpr& Call) {
  const FunctionDecl* Callee = Call.getDirectCallee();
  return Callee && Callee->getIdentifier() && !isa<CXXMethodDecl>(Callee) ? Callee->getName() : StringRef();
}

bool isMemcpy(const CallExpr& Call) {
  StringRef Name = calledName(Call);
  return (Name == "cudaMemcpy" || Name == "cudaMemcpyAsync") && Call.getNumArgs() >= 4;
}

/// None: no constant.
std::optional<CopyKind> kindOf(const CallExpr& Memcpy) {
  const Expr* Kind = Memcpy.getArg(3);
  Expr::EvalResult Known;
  if (Kind->isValueDependent() || !Kind->EvaluateAsInt(Known, Memcpy.getDirectCallee()->getASTContext()))
    return std::nullopt;
  return static_cast<CopyKind>(Known.Val.getInt().getExtValue());
}

} // namespace

std::optional<ArrayCopy> arrayCopy(const CallExpr& Call) {
  StringRef Name = calledName(Call);
  if ((Name == "cudaMemset" || Name == "cudaMemsetAsync") && Call.getNumArgs() >= 3)
    return ArrayCopy{Call.getArg(0), nullptr, Call.getArg(1), Call.getArg(2)};
  if (!isMemcpy(Call))
    return std::nullopt;
  std::optional<CopyKind> Kind = kindOf(Call);
  if (Kind != DeviceToDevice && Kind != Default)
    return std::nullopt;
  return ArrayCopy{Call.getArg(0), Call.getArg(1), nullptr, Call.getArg(2)};
}

OffsetPointer takeApart(const Expr* Pointer, const ASTContext& Context) {
  const Expr* E = Pointer->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
  auto Plus = [&](const Expr* Base, const Expr* Count, int Sign) {
    OffsetPointer Found = takeApart(Base, Context);
    Found.Added.push_back({Count, Sign * Context.getTypeSizeInChars(Base->getType()->getPointeeType()).getQuantity()});
    return Found;
  };
  auto IsMoved = [](const Expr* Part) {
    const Type* Pointee = Part->getType()->getPointeeType().getTypePtrOrNull();
    return Part->getType()->isPointerType() && !Pointee->isIncompleteType();
  };
  if (const auto* Sum = dyn_cast<BinaryOperator>(E); Sum && Sum->isAdditiveOp()) {
    if (IsMoved(Sum->getLHS()) && Sum->getRHS()->getType()->isIntegerType())
      return Plus(Sum->getLHS(), Sum->getRHS(), Sum->getOpcode() == BO_Add ? 1 : -1);
    if (IsMoved(Sum->getRHS()))
      return Plus(Sum->getRHS(), Sum->getLHS(), 1);
  }
  if (const auto* Address = dyn_cast<UnaryOperator>(E); Address && Address->getOpcode() == UO_AddrOf)
    if (const auto* Element = dyn_cast<ArraySubscriptExpr>(Address->getSubExpr()->IgnoreParens()); Element && IsMoved(Element->getBase()))
      return Plus(Element->getBase(), Element->getIdx(), 1);
  // The first element of a row that a pointer to rows leads to.
  if (const auto* Row = dyn_cast<ArraySubscriptExpr>(E); Row && Row->getType()->isArrayType() && IsMoved(Row->getBase()))
    return Plus(Row->getBase(), Row->getIdx(), 1);
  if (const auto* Row = dyn_cast<UnaryOperator>(E); Row && Row->getOpcode() == UO_Deref && Row->getType()->isArrayType())
    return takeApart(Row->getSubExpr(), Context);
  return {E, {}};
}

bool copiesOnHost(const CallExpr& Call) {
  return isMemcpy(Call) && !arrayCopy(Call);
}

bool isCopyStage(const CallExpr& Call, const Region& R) {
  std::optional<ArrayCopy> Copy = arrayCopy(Call);
  return Copy && !R.reducedAt(Copy->To) && !(Copy->From && R.reducedAt(Copy->From));
}

} // namespace gpurma
