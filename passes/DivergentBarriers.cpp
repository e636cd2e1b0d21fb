// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/DivergentBarriers.h"

#include "passes/CallVisitor.h"
#include "passes/FunctionCopies.h"
#include "passes/ThreadCooperation.h"
#include "passes/Uniformity.h"
#include "passes/VariableUses.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpurma {
namespace {

/// What a function and those that it calls wait with.
class BarrierCollector : public CallVisitor {
public:
  explicit BarrierCollector(const FunctionDecl* Function) : Sources(Function->getASTContext().getSourceManager()) {
    enter(Function);
    visitEntered();
  }
  bool VisitCallExpr(CallExpr* Call) override {
    if (Call->getDirectCallee() && isBlockBarrier(*Call->getDirectCallee()))
      Barriers.push_back(Call);
    return true;
  }
  /// One that captures nothing by default does not have the barrier of a stage.
  bool VisitLambdaExpr(LambdaExpr* Lambda) override {
    if (Lambda->getCaptureDefault() == LCD_None)
      PlainLambdas.push_back(Lambda->getSourceRange());
    return true;
  }
  std::vector<const CallExpr*> Barriers;
  std::vector<SourceRange> PlainLambdas;

private:
  bool visitFunction(const FunctionDecl* Function) override {
    return Sources.isInSystemHeader(Function->getLocation()) || CallVisitor::visitFunction(Function);
  }
  const SourceManager& Sources;
};

class DivergentBarrierFinder : public UniformityClient {
public:
  explicit DivergentBarrierFinder(const FunctionDecl* Kernel)
      : Sources(Kernel->getASTContext().getSourceManager()), Useless(uselessBarrier(Kernel)), All(Kernel), Analysis(Kernel->getASTContext(), *this) {
    if (!Analysis.containsDirective(Kernel))
      return;
    Analysis.analyze(Kernel);
    if (!Found.Any || Found.Other)
      return;
    if (const std::optional<RejectedCopy> Rejected = findFunctionCopies(Kernel, {/*Thread=*/false, /*Barrier=*/true}, Kernel->getASTContext()).Rejected;
        Rejected && !findFunctionCopies(Kernel, OwnNames(), Kernel->getASTContext()).Rejected) {
      Found.Other = Rejected->Function;
      Found.Loc = Rejected->Where;
    }
  }

  bool isDirective(const CallExpr* Call) override {
    return Call != Useless && Call->getDirectCallee() && isBlockBarrier(*Call->getDirectCallee());
  }

  void directive(const CallExpr* Barrier, const Value& Control, llvm::function_ref<Value(const Expr*)>) override {
    note(isStages(Barrier), Control, Barrier->getDirectCallee(), Barrier->getExprLoc());
  }
  /// What stands in the callee is reported as it is come to from its beginning.
  void call(SourceLocation Loc, const FunctionDecl* Callee, const Value& Control) override {
    if (Control.Level != Uniformity::Uniform)
      note(llvm::all_of(BarrierCollector(Callee).Barriers,
                        [&](const CallExpr* Barrier) { return isStages(Barrier); }),
           Control, Callee, Loc);
  }

  DivergentBarriers Found;

private:
  void note(bool OfStage, const Value& Control, const FunctionDecl* Function, SourceLocation Loc) {
    if (Control.Level == Uniformity::Uniform)
      return;
    if (OfStage) {
      Found.Any = true;
    } else if (Control.Level == Uniformity::Divergent && !Found.Other) {
      Found.Other = Function;
      Found.Loc = Loc;
    }
  }

  bool isStages(const CallExpr* Barrier) const {
    const auto* Ref = dyn_cast<DeclRefExpr>(Barrier->getCallee()->IgnoreParenImpCasts());
    const SourceLocation Loc = Sources.getExpansionLoc(Barrier->getExprLoc());
    return Ref && !Ref->hasQualifier() && identifierOf(Ref->getDecl()) == "__syncthreads" &&
           llvm::none_of(All.PlainLambdas, [&](SourceRange Lambda) { return Sources.isPointWithin(Loc, Lambda.getBegin(), Lambda.getEnd()); });
  }

  const SourceManager& Sources;
  const CallExpr* Useless;
  const BarrierCollector All;
  UniformityAnalysis Analysis;
};

} // namespace

DivergentBarriers findDivergentBarriers(const FunctionDecl* Kernel) { return DivergentBarrierFinder(Kernel).Found; }

} // namespace gpurma
