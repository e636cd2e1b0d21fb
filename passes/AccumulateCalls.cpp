// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/AccumulateCalls.h"

#include "passes/HostObjects.h"
#include "passes/Lvalues.h"
#include "passes/Region.h"
#include "passes/VariableUses.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

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

const Expr* firstSize(const Expr& Init) {
  const Expr* Value = Init.IgnoreImplicit();
  if (const auto* Cast = dyn_cast<CXXFunctionalCastExpr>(Value)) // auto host = std::vector<float>(blocks)
    Value = Cast->getSubExpr()->IgnoreImplicit();
  const auto* Construct = dyn_cast<CXXConstructExpr>(Value);
  return Construct && !Construct->isListInitialization() && Construct->getNumArgs() != 0 && Construct->getArg(0)->getType()->isIntegerType()
             ? Construct->getArg(0)
             : nullptr;
}

bool changesSize(const Stmt* S, const ValueDecl& Vector) {
  if (!S)
    return false;
  const auto* Call = dyn_cast<CallExpr>(S);
  const auto* Member = dyn_cast<CXXMemberCallExpr>(S);
  const FunctionDecl* Callee = Call ? Call->getDirectCallee() : nullptr;
  const bool OfStd = Callee && !Member && Callee->isInStdNamespace() && Call->getNumArgs() == 1; // std::begin
  const Expr* Object = Member ? Member->getImplicitObjectArgument() : OfStd || (Call && isSubscriptOfContainer(*Call)) ? Call->getArg(0) : nullptr;
  if (Object && namedPlace(Object) == &Vector) {
    static constexpr StringRef Names[] = {"data", "begin", "end", "cbegin", "cend", "size", "empty", "front", "back", "at"};
    return ((Member || OfStd) && !llvm::is_contained(Names, identifierOf(Callee))) ||
           llvm::any_of(Call->arguments(), [&](const Expr* Argument) { return Argument != Object && changesSize(Argument, Vector); });
  }
  if (Callee && !isa<CXXOperatorCallExpr>(Call))
    return llvm::any_of(llvm::enumerate(Call->arguments()), [&](const auto& Each) {
      const bool Looks = Each.index() < Callee->getNumParams() && isUnchangeable(Callee->getParamDecl(Each.index())->getType().getNonReferenceType());
      return (!Looks || namedPlace(Each.value()) != &Vector) && changesSize(Each.value(), Vector);
    }) || changesSize(Call->getCallee(), Vector);
  if (const auto* Range = dyn_cast<CXXForRangeStmt>(S); Range && namedPlace(Range->getRangeInit()) == &Vector)
    return changesSize(Range->getBody(), Vector);
  // The body says what becomes of what is captured.
  if (const auto* Lambda = dyn_cast<LambdaExpr>(S))
    return changesSize(Lambda->getBody(), Vector) || llvm::any_of(Lambda->captures(), [&](const LambdaCapture& Capture) {
             return Lambda->isInitCapture(&Capture) && changesSize(cast<VarDecl>(Capture.getCapturedVar())->getInit(), Vector);
           });
  const auto* Ref = dyn_cast<DeclRefExpr>(S);
  const auto* Of = dyn_cast<MemberExpr>(S); // also of another object
  if ((Ref && namedPlace(Ref) == &Vector) || (Of && Of->getMemberDecl() == &Vector))
    return true;
  return llvm::any_of(S->children(), [&](const Stmt* Child) { return changesSize(Child, Vector); });
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
  auto PlaceOf = [](const Expr* Pointer) {
    const Expr* Container = containerOfData(*Pointer);
    return namedPlace(Container ? Container : Pointer);
  };
  if ((!Type->isPointerType() && !Type->isArrayType()) || !Count || !PlaceOf(First) || PlaceOf(From) != PlaceOf(First))
    return std::nullopt;
  Found.Array = const_cast<Expr*>(First);
  Found.Count = const_cast<Expr*>(Count);
  return Found;
}

} // namespace gpurma
