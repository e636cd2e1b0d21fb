// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ErrorChecks.h"

#include "passes/StreamEvents.h"
#include "passes/VariableChanges.h"
#include "passes/VariableUses.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/Builtins.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace gpurma {
namespace {

bool namesSuccess(const Expr* E) {
  const auto* Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  return Ref && Ref->getDecl()->getNameAsString() == "cudaSuccess";
}

/// cudaSuccess as a number, too.
bool isOfSuccess(const Expr* E) {
  const auto* Number = dyn_cast<IntegerLiteral>(E);
  return namesSuccess(E) || (Number && Number->getValue().isZero());
}

/// Without other effects than that an error is noted.
bool onlyAsksForErrors(const Stmt* S) {
  if (const auto* Call = dyn_cast<CallExpr>(S); Call && !isSuccess(Call))
    return false;
  if (const auto* Assignment = dyn_cast<BinaryOperator>(S); Assignment && Assignment->isAssignmentOp() && !isCudaError(Assignment->getType()))
    return false;
  if (const auto* Unary = dyn_cast<UnaryOperator>(S); Unary && Unary->isIncrementDecrementOp())
    return false;
  return !isa<LambdaExpr, CXXConstructExpr, CXXNewExpr>(S) &&
         llvm::all_of(S->children(), [](const Stmt* Child) { return !Child || onlyAsksForErrors(Child); });
}

bool declares(const Stmt* S, const VarDecl* V) {
  const auto* Declaration = dyn_cast_or_null<DeclStmt>(S);
  return (Declaration && llvm::is_contained(Declaration->decls(), V)) ||
         (S && llvm::any_of(S->children(), [&](const Stmt* Child) { return declares(Child, V); }));
}

/// An error of the region, and `static_cast<int>(error)`.
bool isErrorOrNumber(const Expr* E) {
  E = E->IgnoreParenImpCasts();
  if (isCudaError(E->getType()))
    return !isFromBefore(E);
  const auto* Cast = dyn_cast<ExplicitCastExpr>(E);
  return Cast && Cast->getType()->isIntegerType() && isErrorOrNumber(Cast->getSubExpr());
}

bool namesNumberOfError(const Expr* E) {
  const VarDecl* V = namedVariable(E);
  return V && isNumberOfError(*V);
}

/// What a statement returns if there is no error: with nothing in it, it goes on. None: it does something else.
using Returned = std::optional<std::int64_t>;
std::optional<Returned> returnedForSuccess(const Stmt* S, const ASTContext& Context) {
  if (!S || isa<NullStmt>(S))
    return Returned();
  if (const auto* Block = dyn_cast<CompoundStmt>(S)) {
    for (const Stmt* Child : Block->body())
      if (const std::optional<Returned> Result = returnedForSuccess(Child, Context); !Result || *Result)
        return Result;
    return Returned();
  }
  if (const auto* If = dyn_cast<IfStmt>(S); If && !If->getInit() && !If->getConditionVariable()) {
    const std::optional<bool> Known = onlyAsksForErrors(If->getCond()) ? errorCheck(If->getCond()) : std::nullopt;
    return Known ? returnedForSuccess(*Known ? If->getThen() : If->getElse(), Context) : std::nullopt;
  }
  const auto* Return = dyn_cast<ReturnStmt>(S);
  const Expr* Value = Return ? Return->getRetValue() : nullptr;
  if (!Value || Value->isValueDependent() || !onlyAsksForErrors(Value))
    return std::nullopt;
  if (isCudaError(Value->IgnoreParenCasts()->getType()))
    return Returned(0);
  if (const std::optional<bool> Known = errorCheck(Value))
    return Returned(*Known);
  Expr::EvalResult Number;
  if (!Value->EvaluateAsInt(Number, Context) || !Number.Val.getInt().isRepresentableByInt64())
    return std::nullopt;
  return Returned(Number.Val.getInt().getExtValue());
}

const Expr* errorAmong(const CallExpr& Call) {
  auto Checked = llvm::find_if(Call.arguments(), [](const Expr* Argument) {
    return isCudaError(Argument->getType()) && !isFromBefore(Argument);
  });
  return Checked == Call.arg_end() ? nullptr : *Checked;
}

} // namespace

bool isCudaError(QualType Type) {
  const auto* Enum = Type.getNonReferenceType()->getAs<EnumType>();
  return Enum && Enum->getDecl()->getName() == "cudaError";
}

bool isSuperfluous(const CallExpr& Call) {
  static const llvm::StringSet<> Names = {"cudaDeviceSynchronize", "cudaThreadSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize",
                                          "cudaStreamWaitEvent",   "cudaGetLastError",      "cudaPeekAtLastError",
                                          "cudaMemPrefetchAsync",  "cudaMemAdvise"};
  StringRef Name = identifierOf(dyn_cast_or_null<NamedDecl>(Call.getCalleeDecl()));
  // NVTX names what the host does, for profilers.
  if (Name.starts_with("nvtxRange") || Name.starts_with("nvtxMark") || Name.starts_with("nvtxDomainRange") || Name.starts_with("nvtxDomainMark"))
    return true;
  return Names.contains(Name) || (recordsEvent(Name) && std::holds_alternative<OrdersStreams>(purposeOf(*Call.getArg(0))));
}

bool isSuccess(const Expr* E) {
  const auto* Call = dyn_cast<CallExpr>(E->IgnoreParenImpCasts());
  return Call ? isSuperfluous(*Call) : namesSuccess(E);
}

bool isFromBefore(const Expr* E) {
  const auto* Cast = dyn_cast<CStyleCastExpr>(E->IgnoreParenImpCasts());
  const auto* Read = Cast ? dyn_cast<ImplicitCastExpr>(Cast->getSubExpr()) : nullptr;
  return Read && Read->getCastKind() == CK_LValueToRValue &&
         Cast->getType() == Read->getType().getUnqualifiedType();
}

std::optional<bool> errorCheck(const Expr* Condition) {
  Condition = Condition->IgnoreParenImpCasts();
  if (isFromBefore(Condition))
    return std::nullopt;
  if (const auto* Not = dyn_cast<UnaryOperator>(Condition); Not && Not->getOpcode() == UO_LNot) {
    std::optional<bool> Inner = errorCheck(Not->getSubExpr());
    return Inner ? std::optional(!*Inner) : std::nullopt;
  }
  if (isErrorOrNumber(Condition))
    return false;
  if (const auto* Cast = dyn_cast<ExplicitCastExpr>(Condition); Cast && Cast->getType()->isBooleanType()) // of assert()
    return errorCheck(Cast->getSubExpr());
  if (const auto* Call = dyn_cast<CallExpr>(Condition); Call && Call->getBuiltinCallee() == Builtin::BI__builtin_expect)
    return errorCheck(Call->getArg(0));
  if (const auto* Call = dyn_cast<CallExpr>(Condition))
    if (const std::optional<std::int64_t> Result = resultForSuccess(*Call))
      return *Result != 0;
  if (namesNumberOfError(Condition))
    return false;
  const auto* Compare = dyn_cast<BinaryOperator>(Condition);
  if (Compare && Compare->isLogicalOp()) {
    std::optional<bool> Left = errorCheck(Compare->getLHS()), Right = errorCheck(Compare->getRHS());
    const bool Decides = Compare->getOpcode() == BO_LOr;
    if (Left == Decides || Right == Decides)
      return Decides;
    return Left && Right ? std::optional(!Decides) : std::nullopt;
  }
  if (!Compare || !Compare->isEqualityOp())
    return std::nullopt;
  const Expr *Left = Compare->getLHS()->IgnoreParenImpCasts(), *Right = Compare->getRHS()->IgnoreParenImpCasts();
  auto IsError = [](const Expr* E) { return isErrorOrNumber(E) || namesNumberOfError(E); };
  bool Checks = (IsError(Left) && isOfSuccess(Right)) || (IsError(Right) && isOfSuccess(Left));
  if (!isa<CallExpr>(Left))
    std::swap(Left, Right);
  const auto* Call = dyn_cast<CallExpr>(Left);
  if (const std::optional<std::int64_t> Result = !Checks && Call ? resultForSuccess(*Call) : std::nullopt)
    if (Expr::EvalResult Number; !Right->isValueDependent() && Right->EvaluateAsInt(Number, Call->getDirectCallee()->getASTContext()))
      return (Number.Val.getInt() == *Result) == (Compare->getOpcode() == BO_EQ);
  return Checks ? std::optional(Compare->getOpcode() == BO_EQ) : std::nullopt;
}

bool isNumberOfError(const VarDecl& V) {
  if (!V.getType()->isIntegerType() || !V.getInit() || !isErrorOrNumber(V.getInit()))
    return false;
  if (V.getType().isConstQualified())
    return true;
  const auto* Function = dyn_cast_or_null<FunctionDecl>(V.getParentFunctionOrMethod());
  const Stmt* Body = Function ? Function->getBody() : nullptr;
  return Body && declares(Body, &V) && !VariableChanges(Body).changes(&V);
}

const Expr* checkedError(const Expr* E, const SourceManager& Sources) {
  const auto* Call = dyn_cast<CallExpr>(E->IgnoreUnlessSpelledInSource());
  const FunctionDecl* Callee = Call && !isa<CUDAKernelCallExpr>(Call) ? Call->getDirectCallee() : nullptr;
  if (!Callee || Sources.isInSystemHeader(Callee->getLocation()))
    return nullptr;
  return errorAmong(*Call);
}

std::optional<std::int64_t> resultForSuccess(const CallExpr& Call) {
  const FunctionDecl* Callee = Call.getDirectCallee();
  const FunctionDecl* Definition = Callee ? Callee->getDefinition() : nullptr;
  const auto* Method = dyn_cast_or_null<CXXMethodDecl>(Definition);
  if (!Definition || !Definition->getBody() || (Method && Method->isVirtual()) || !Definition->getReturnType()->isIntegerType() ||
      Definition->getASTContext().getSourceManager().isInSystemHeader(Definition->getLocation()))
    return std::nullopt;
  const Expr* Error = errorAmong(Call);
  if (!Error || llvm::any_of(Call.arguments(), [&](const Expr* Argument) { return Argument != Error && !onlyAsksForErrors(Argument); }))
    return std::nullopt;
  return returnedForSuccess(Definition->getBody(), Definition->getASTContext()).value_or(std::nullopt);
}

bool isErrorCheck(const Stmt* S, const SourceManager& Sources) {
  if (const auto* If = dyn_cast<IfStmt>(S)) {
    std::optional<bool> Known = errorCheck(If->getCond());
    const Stmt* Taken = Known.value_or(false) ? If->getThen() : If->getElse();
    return Known && !If->getConditionVariable() && onlyAsksForErrors(If->getCond()) && (!If->getInit() || isErrorCheck(If->getInit(), Sources)) &&
           (!Taken || isErrorCheck(Taken, Sources));
  }
  if (const auto* Declaration = dyn_cast<DeclStmt>(S))
    return llvm::all_of(Declaration->decls(), [](const Decl* D) {
      const auto* V = dyn_cast<VarDecl>(D);
      return V && isCudaError(V->getType()) && (!V->getInit() || onlyAsksForErrors(V->getInit()));
    });
  if (isa<NullStmt>(S))
    return true;
  const auto* E = dyn_cast<Expr>(S);
  if (!E)
    return false;
  E = E->IgnoreUnlessSpelledInSource();
  return onlyAsksForErrors(E) || (checkedError(E, Sources) && llvm::all_of(cast<CallExpr>(E)->arguments(), onlyAsksForErrors));
}

} // namespace gpurma
