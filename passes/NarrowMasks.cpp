// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NarrowMasks: kernels exchange values among all lanes of a warp (a mask of all ones) although some do not come, since they have returned or will:
// CUDA counts those no longer (CUDA C++ Programming Guide, Warp Shuffle Functions). In a region they stay, for the next tile, and would be waited
// for. So where lanes part, they say who goes where, and masks of all ones behind become masks of those:
//
//   if (threadIdx.y == 0) {                  if (const ::gpurma::stages::lanes_where gpurma_lanes_7_3{0xffffffffu, static_cast<bool>(threadIdx.y == 0)};
//     v += __shfl_down_sync(~0u, v, 8);  ->      gpurma_lanes_7_3.holds) {
//                                              v += __shfl_down_sync(gpurma_lanes_7_3.mask, v, 8);
//
// Whoever came to the exchange has come to the condition, so that nothing waits that did not wait before. What functions
// exchange that the kernel calls is left as it is.
#include "passes/Pass.h"
#include "passes/ThreadCooperation.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpurma {
namespace {

constexpr llvm::StringLiteral AllLanes = "0xffffffffu";

/// Calls with a mask of all lanes in a statement, not in lambdas.
struct ExchangesOfAllLanes : DynamicRecursiveASTVisitor {
  explicit ExchangesOfAllLanes(const ASTContext& Context) : Context(Context) {}

  bool TraverseLambdaExpr(LambdaExpr*) override { return true; }
  bool VisitCallExpr(CallExpr* Call) override {
    const FunctionDecl* Callee = Call->getDirectCallee();
    if (!Callee || !Callee->getIdentifier() || Call->getNumArgs() == 0 || !isExchangeByMask(Callee->getName()))
      return true;
    const Expr* Mask = Call->getArg(0);
    if (const auto* Default = dyn_cast<CXXDefaultArgExpr>(Mask))
      Mask = Default->getExpr();
    Expr::EvalResult Value;
    if (!Mask->isValueDependent() && Mask->EvaluateAsInt(Value, Context) && Value.Val.getInt().trunc(32).isAllOnes())
      Found.push_back(Call);
    return true;
  }

  const ASTContext& Context;
  llvm::SmallVector<const CallExpr*, 8> Found;
};

/// Something that lanes of a warp may know differently: their indices, what they have computed or loaded.
struct ThreadValues : DynamicRecursiveASTVisitor {
  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
    if (!V)
      return true;
    if (isIndexVariable(V))
      Any |= V->getName() == "threadIdx";
    else
      Any |= V->getType()->isPointerType() || (!isa<ParmVarDecl>(V) && !V->getType().isConstQualified()) ||
             (V->isLocalVarDecl() && V->getInit() && !V->getInit()->isValueDependent() && !V->isConstexpr());
    return !Any;
  }
  bool VisitCallExpr(CallExpr* Call) override {
    const FunctionDecl* Callee = Call->getDirectCallee();
    // What threadIdx.x and blockIdx.x are in CUDA's headers.
    Any |= !Callee || !Callee->getNameAsString().starts_with("__fetch_builtin_");
    return !Any;
  }
  bool Any = false;
};

class MaskNarrowing {
public:
  MaskNarrowing(const FunctionDecl* Kernel, Unit& U, Program& P)
      : Kernel(Kernel), P(P), Sources(U.sources()), Context(U.context()) {}

  void run() { body(cast<CompoundStmt>(Kernel->getBody())); }

private:
  bool exchanges(const Stmt* S) const {
    ExchangesOfAllLanes Exchanges(Context);
    if (S)
      Exchanges.TraverseStmt(const_cast<Stmt*>(S));
    return !Exchanges.Found.empty();
  }

  /// A condition by which lanes may part.
  bool parts(const IfStmt& If) const {
    if (If.isConstexpr() || If.isConsteval() || If.getInit() || If.getConditionVariable())
      return false;
    ThreadValues Values;
    Values.TraverseStmt(const_cast<Expr*>(If.getCond()));
    return Values.Any;
  }

  static bool returns(const Stmt* S) {
    if (const auto* Block = dyn_cast<CompoundStmt>(S))
      return !Block->body_empty() && returns(Block->body_back());
    return isa<ReturnStmt>(S);
  }

  void body(const CompoundStmt* Body) {
    std::string Lanes;
    for (auto It = Body->body_begin(); It != Body->body_end(); ++It) {
      const auto* If = dyn_cast<IfStmt>(*It);
      if (!If || !parts(*If) || If->getElse() || !returns(If->getThen()) || exchanges(If->getThen())) {
        statement(*It, Lanes);
        continue;
      }
      narrow(If->getCond(), Lanes);
      if (llvm::none_of(llvm::make_range(It + 1, Body->body_end()), [&](const Stmt* Later) { return exchanges(Later); }))
        return;
      if (std::optional<std::string> Name = declare(*If, Lanes, /*Before=*/true))
        Lanes = *Name + ".rest";
    }
  }

  void statement(const Stmt* S, const std::string& Lanes) {
    if (!S || !exchanges(S))
      return;
    if (const auto* If = dyn_cast<IfStmt>(S)) {
      const bool Inside = exchanges(If->getThen()) || exchanges(If->getElse());
      std::optional<std::string> Name = Inside && parts(*If) ? declare(*If, Lanes, /*Before=*/false) : std::nullopt;
      for (const Stmt* Child : If->children())
        statement(Child, !Name                    ? Lanes
                         : Child == If->getThen() ? *Name + ".mask"
                         : Child == If->getElse() ? *Name + ".rest"
                                                  : Lanes);
    } else if (isa<CompoundStmt, ForStmt, WhileStmt, DoStmt, AttributedStmt>(S)) {
      for (const Stmt* Child : S->children())
        statement(Child, Lanes);
    } else
      narrow(S, Lanes);
  }

  /// \p Before: in a statement of its own, so that those that follow know it, too. None if the text is a macro's.
  std::optional<std::string> declare(const IfStmt& If, const std::string& Among, bool Before) {
    std::optional<FileRange> Head = fileRangeInBody(Kernel, {If.getIfLoc(), If.getLParenLoc()}),
                             Condition = fileRangeInBody(Kernel, If.getCond()->getSourceRange());
    const SourceLocation Place = Sources.getFileLoc(If.getIfLoc());
    if (!Head || !Condition || !isTextOfBody(Kernel, If.getSourceRange()))
      return std::nullopt;
    std::string Name = "gpurma_lanes_" + std::to_string(Sources.getSpellingLineNumber(Place)) + "_" +
                       std::to_string(Sources.getSpellingColumnNumber(Place));
    std::string Declared = "const ::gpurma::stages::lanes_where " + Name + "{" + (Among.empty() ? AllLanes.str() : Among) + ", static_cast<bool>(";
    if (Before)
      P.Edits.replace(*Head, Declared);
    P.Edits.wrap(*Condition, Before ? "" : Declared, Before ? ")}; if (" + Name + ".holds" : ")}; " + Name + ".holds");
    return Name;
  }

  /// Nothing where all lanes are.
  void narrow(const Stmt* S, const std::string& Lanes) {
    if (Lanes.empty())
      return;
    ExchangesOfAllLanes Exchanges(Context);
    Exchanges.TraverseStmt(const_cast<Stmt*>(S));
    for (const CallExpr* Call : Exchanges.Found) {
      const bool IsGiven = !isa<CXXDefaultArgExpr>(Call->getArg(0));
      std::optional<FileRange> Range = fileRangeInBody(Kernel, IsGiven ? Call->getArg(0)->getSourceRange() : SourceRange(Call->getRParenLoc()));
      if (!Range)
        continue;
      if (!IsGiven)
        Range->End = Range->Begin;
      P.Edits.replace(*Range, Lanes);
    }
  }

  const FunctionDecl* Kernel;
  Program& P;
  const SourceManager& Sources;
  ASTContext& Context;
};

class NarrowMasks final : public Pass {
public:
  llvm::StringRef name() const override { return "NarrowMasks"; }
  bool editsText() const override { return true; }

  void run(Unit& U, Program& P) override {
    if (U.Kind == UnitKind::CudaDevice)
      return;
    llvm::DenseSet<const FunctionDecl*> Done;
    for (const Region& R : U.Regions)
      if (U.isLowered(R))
        for (const Stage& S : R.Stages)
          if (S.Kernel && Done.insert(S.Kernel).second)
            MaskNarrowing(S.Kernel, U, P).run();
  }
};

} // namespace

std::unique_ptr<Pass> createNarrowMasks() { return std::make_unique<NarrowMasks>(); }

} // namespace gpurma
