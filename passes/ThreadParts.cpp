// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ThreadParts.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace gpurma {
namespace {

/// Counts the uses of a kernel's parameter, and those of them that are updates without a result.
class UpdateCounter : public DynamicRecursiveASTVisitor {
public:
  UpdateCounter(const ParmVarDecl* Parameter, StringRef Atomic) : Parameter(Parameter), Atomic(Atomic) {}

  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    Uses += Ref->getDecl() == Parameter;
    return true;
  }
  bool VisitCallExpr(CallExpr* Call) override {
    Updates += Discarded.contains(Call) && isUpdate(*Call);
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* E) override {
    Updates += Atomic.empty() && E->getOpcode() == BO_Assign && Discarded.contains(E) && pointerOf(E->getLHS()) == Parameter;
    return true;
  }

  // Whatever discards a value comes before it.
  bool VisitStmt(Stmt* S) override {
    const auto* E = dyn_cast<Expr>(S);
    const Expr* Tested = E ? pointerTestedForNull(E) : nullptr;
    const auto* Name = Tested ? dyn_cast<DeclRefExpr>(Tested->IgnoreParenImpCasts()) : nullptr;
    Updates += Name && Name->getDecl() == Parameter;
    if (const auto* Block = dyn_cast<CompoundStmt>(S)) {
      for (const Stmt* Each : Block->body())
        discard(Each);
    } else if (const auto* If = dyn_cast<IfStmt>(S)) {
      discard(If->getThen());
      discard(If->getElse());
    } else if (const auto* For = dyn_cast<ForStmt>(S)) {
      discard(For->getInit());
      discard(For->getInc());
      discard(For->getBody());
    } else if (const auto* Range = dyn_cast<CXXForRangeStmt>(S)) {
      discard(Range->getBody());
    } else if (const auto* While = dyn_cast<WhileStmt>(S)) {
      discard(While->getBody());
    } else if (const auto* Do = dyn_cast<DoStmt>(S)) {
      discard(Do->getBody());
    } else if (const auto* Case = dyn_cast<SwitchCase>(S)) {
      discard(Case->getSubStmt());
    } else if (const auto* Comma = dyn_cast<BinaryOperator>(S)) {
      if (Comma->isCommaOp())
        discard(Comma->getLHS());
    } else if (const auto* Cast = dyn_cast<ExplicitCastExpr>(S)) {
      if (Cast->getType()->isVoidType())
        discard(Cast->getSubExpr());
    } else if (const auto* Value = dyn_cast<StmtExpr>(S)) {
      if (const Stmt* Result = Value->getSubStmt()->getStmtExprResult())
        Kept.insert(Result);
    }
    return true;
  }

  unsigned Uses = 0, Updates = 0;

private:
  void discard(const Stmt* S) {
    const auto* E = dyn_cast_or_null<Expr>(S);
    if (!E || Kept.contains(S))
      return;
    E = E->IgnoreParens();
    if (const auto* Cleanups = dyn_cast<ExprWithCleanups>(E))
      E = Cleanups->getSubExpr()->IgnoreParens();
    if (const auto* Comma = dyn_cast<BinaryOperator>(E); Comma && Comma->isCommaOp())
      discard(Comma->getRHS());
    else
      Discarded.insert(E);
  }

  /// The name is looked up by its arguments as well only if it is neither qualified nor in parentheses.
  bool isUpdate(const CallExpr& Call) const {
    const auto* Name = dyn_cast<DeclRefExpr>(Call.getCallee()->IgnoreImpCasts());
    const FunctionDecl* Callee = Call.getDirectCallee();
    if (!Name || Name->hasQualifier() || !Callee || !Callee->getIdentifier() || Callee->getName() != Atomic || Call.getNumArgs() != 2 ||
        !Callee->getASTContext().getSourceManager().isInSystemHeader(Callee->getLocation()))
      return false;
    const auto* Pointer = dyn_cast<DeclRefExpr>(Call.getArg(0)->IgnoreParenImpCasts());
    return Pointer && Pointer->getDecl() == Parameter;
  }

  const ParmVarDecl* Parameter;
  StringRef Atomic;
  llvm::SmallPtrSet<const Stmt*, 8> Discarded, Kept;
};

const FunctionDecl* patternOf(const FunctionDecl* Kernel) {
  const FunctionDecl* Pattern = Kernel->getTemplateInstantiationPattern();
  return (Pattern ? Pattern : Kernel)->getCanonicalDecl();
}

} // namespace

const Expr* pointerTestedForNull(const Expr* E) {
  if (const auto* Cast = dyn_cast<ImplicitCastExpr>(E))
    return Cast->getCastKind() == CK_PointerToBoolean ? Cast->getSubExpr() : nullptr;
  const auto* Comparison = dyn_cast<BinaryOperator>(E);
  if (!Comparison || !Comparison->isEqualityOp())
    return nullptr;
  const Expr *Left = Comparison->getLHS()->IgnoreParenCasts(), *Right = Comparison->getRHS()->IgnoreParenCasts();
  const auto IsNull = [](const Expr* Each) { return isa<CXXNullPtrLiteralExpr, GNUNullExpr>(Each); };
  return IsNull(Right) ? Left : IsNull(Left) ? Right : nullptr;
}

bool isAddedUpByThreads(const FunctionDecl* Kernel, const ParmVarDecl* Parameter, QualType Scalar, StringRef Atomic) {
  const auto* Pointer = Parameter->getType()->getAs<PointerType>();
  if (!Pointer || !Kernel->getASTContext().hasSameType(Pointer->getPointeeType(), Scalar))
    return false;
  UpdateCounter Counter(Parameter, Atomic);
  Counter.TraverseStmt(Kernel->getBody());
  return Counter.Uses != 0 && Counter.Uses == Counter.Updates;
}

llvm::SmallVector<unsigned, 2> objectParameters(const FunctionDecl* Kernel, const Unit& U) {
  llvm::SmallVector<unsigned, 2> Parameters;
  for (const Region& R : U.Regions)
    for (const Stage& S : R.Stages)
      if (S.Kernel && !R.isPattern() && patternOf(S.Kernel) == patternOf(Kernel))
        for (const auto* Each : {&S.AddedUpByThreads, &S.ReducedElements, &S.Collected})
          for (const ParmVarDecl* P : *Each)
            Parameters.push_back(P->getFunctionScopeIndex());
  llvm::sort(Parameters);
  Parameters.erase(llvm::unique(Parameters), Parameters.end());
  return Parameters;
}

} // namespace gpurma
