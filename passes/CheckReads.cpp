// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CheckReads: with --gpurma-check, what the kernels of a region read of distributed arrays is compared with what their stages wait for. That is
// known by inference, or stated by a clause `halo`, which the compiler believes.
//
//   v += u[at(x, y)];  ->  v += (*::gpurma::stages::checked_read(&(u[at(x, y)]), ::gpurma::site{0x1234abcdu, 12}));
//
// So are those of functions that these kernels call. Those by way of references are not, nor those in the text of macros, nor those of kernels
// whose tiles run threads for what other threads store (ThreadMapping::FixedRows, PartialBlocks).
#include "passes/CallVisitor.h"
#include "passes/Pass.h"
#include "passes/VariableUses.h"

#include "frontend/SourceText.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/SetVector.h"

using namespace clang;

namespace gpurma {
namespace {

/// Whether an lvalue is found by way of a pointer.
bool isBehindPointer(const Expr* E) {
  E = E->IgnoreParens();
  if (const auto* Member = dyn_cast<MemberExpr>(E))
    return Member->isArrow() || isBehindPointer(Member->getBase());
  const Expr* Pointer = nullptr;
  if (const auto* Subscript = dyn_cast<ArraySubscriptExpr>(E))
    Pointer = Subscript->getBase()->IgnoreParens();
  else if (const auto* Operator = dyn_cast<UnaryOperator>(E); Operator && Operator->getOpcode() == UO_Deref)
    Pointer = Operator->getSubExpr()->IgnoreParens();
  if (!Pointer)
    return false;
  const auto* Cast = dyn_cast<ImplicitCastExpr>(Pointer);
  return !Cast || Cast->getCastKind() != CK_ArrayToPointerDecay || isBehindPointer(Cast->getSubExpr());
}

/// Wraps what kernels, and functions that they call, read by way of pointers.
class ReadWrapper : public CallVisitor {
public:
  ReadWrapper(Unit& U, Program& P) : U(U), P(P) {}

  void wrapReadsOf(const FunctionDecl* Kernel) {
    enter(Kernel);
    visitEntered();
  }

  /// What is not written cannot be wrapped.
  bool shouldVisitImplicitCode() const override { return false; }
  bool VisitImplicitCastExpr(ImplicitCastExpr* Cast) override {
    if (Cast->getCastKind() == CK_LValueToRValue)
      wrapElement(Cast->getSubExpr());
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* Construct) override {
    if (Construct->getConstructor()->isCopyOrMoveConstructor())
      wrapElement(Construct->getArg(0)->IgnoreImpCasts());
    return CallVisitor::VisitCXXConstructExpr(Construct);
  }
  bool VisitCallExpr(CallExpr* Call) override {
    if (identifierOf(Call->getDirectCallee()) == "__ldg" && Call->getNumArgs() == 1)
      wrap(Call->getArg(0)->IgnoreImpCasts(), "::gpurma::stages::checked_read(", ", ", ")");
    return true;
  }

private:
  bool visitFunction(const FunctionDecl* Function) override {
    // What is constexpr may have to be a constant.
    return Function->isConstexpr() || isOfSystemHeader(*Function, U.sources()) || CallVisitor::visitFunction(Function);
  }

  void wrapElement(const Expr* E) {
    if (E->isGLValue() && isBehindPointer(E))
      wrap(E, "(*::gpurma::stages::checked_read(&(", "), ", "))");
  }

  /// The read's place comes between \p Behind and \p End.
  void wrap(const Expr* E, const char* Before, const char* Behind, const char* End) {
    if (isTextOfBody(Current, E->getSourceRange()))
      P.Edits.wrap(*fileRange(E->getSourceRange(), U.sources(), U.context().getLangOpts()), Before, Behind + siteText(E->getBeginLoc(), U.sources()) + End);
  }

  Unit& U;
  Program& P;
};

class CheckReads final : public Pass {
public:
  llvm::StringRef name() const override { return "CheckReads"; }
  bool editsText() const override { return true; }

  void run(Unit& U, Program& P) override {
    if (!P.Options.Check || U.Kind == UnitKind::CudaDevice)
      return;
    llvm::SmallSetVector<const FunctionDecl*, 8> Kernels;
    llvm::DenseSet<const FunctionDecl*> Others;
    for (const Region& R : U.Regions)
      if (U.isLowered(R))
        for (const Stage& S : R.Stages)
          if (S.Kernel && S.Inferred) {
            Kernels.insert(S.Kernel);
            if (S.Accesses.Threads == ThreadMapping::FixedRows || S.Accesses.Threads == ThreadMapping::PartialBlocks)
              Others.insert(S.Kernel);
          }
    ReadWrapper Wrapper(U, P);
    for (const FunctionDecl* Kernel : Kernels)
      if (!Others.contains(Kernel))
        Wrapper.wrapReadsOf(Kernel);
  }
};

} // namespace

std::unique_ptr<Pass> createCheckReads() { return std::make_unique<CheckReads>(); }

} // namespace gpurma
