// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CheckReads: with --gpurma-check, what the kernels of a region read of distributed arrays is compared with what their stages wait for. That is
// known by inference, or stated by a clause `halo`, which the compiler believes.
//
//   v += u[at(x, y)];  ->  v += (*::gpurma::stages::checked_read(&(u[at(x, y)]), ::gpurma::site{0x1234abcdu, 12}));
//
// So are those of functions that these kernels call. Those by way of references are not, nor those in the text of macros, nor those of kernels
// whose tiles run threads for what other threads store (ThreadMapping::FixedRows, PartialBlocks).
#include "passes/Pass.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
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

/// What a function reads by way of pointers, and what it calls.
struct PointerReads : DynamicRecursiveASTVisitor {
  bool VisitImplicitCastExpr(ImplicitCastExpr* Cast) override {
    if (Cast->getCastKind() == CK_LValueToRValue)
      note(Cast->getSubExpr());
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* Construct) override {
    if (Construct->getConstructor()->isCopyOrMoveConstructor())
      note(Construct->getArg(0)->IgnoreImpCasts());
    return true;
  }
  bool VisitCallExpr(CallExpr* Call) override {
    const FunctionDecl* Callee = Call->getDirectCallee();
    if (!Callee)
      return true;
    if (const FunctionDecl* Definition = Callee->getDefinition())
      Called.insert(Definition);
    if (Callee->getIdentifier() && Callee->getName() == "__ldg" && Call->getNumArgs() == 1)
      Addresses.push_back(Call->getArg(0)->IgnoreImpCasts());
    return true;
  }

  void note(const Expr* E) {
    if (E->isGLValue() && isBehindPointer(E))
      Elements.push_back(E);
  }

  llvm::SmallVector<const Expr*, 16> Elements, Addresses;
  llvm::SmallSetVector<const FunctionDecl*, 8> Called;
};

class CheckReads final : public Pass {
public:
  llvm::StringRef name() const override { return "CheckReads"; }
  bool editsText() const override { return true; }

  void run(Unit& U, Program& P) override {
    if (!P.Options.Check || U.Kind == UnitKind::CudaDevice)
      return;
    llvm::SmallSetVector<const FunctionDecl*, 8> Functions;
    llvm::DenseSet<const FunctionDecl*> Others;
    for (const Region& R : U.Regions)
      if (U.isLowered(R))
        for (const Stage& S : R.Stages)
          if (S.Kernel && S.Inferred) {
            Functions.insert(S.Kernel);
            if (S.Accesses.Threads == ThreadMapping::FixedRows || S.Accesses.Threads == ThreadMapping::PartialBlocks)
              Others.insert(S.Kernel);
          }
    Functions.remove_if([&](const FunctionDecl* Kernel) { return Others.contains(Kernel); });
    for (size_t I = 0; I != Functions.size(); ++I) {
      const FunctionDecl* F = Functions[I];
      PointerReads Reads;
      Reads.TraverseStmt(F->getBody());
      for (const Expr* E : Reads.Elements)
        wrap(F, E, "(*::gpurma::stages::checked_read(&(", "), ", "))", U, P);
      for (const Expr* E : Reads.Addresses)
        wrap(F, E, "::gpurma::stages::checked_read(", ", ", ")", U, P);
      for (const FunctionDecl* Called : Reads.Called)
        // What is constexpr may have to be a constant.
        if (Called->hasBody() && !Called->isConstexpr() && !isOfSystemHeader(*Called, U.sources()))
          Functions.insert(Called);
    }
  }

private:
  static void wrap(const FunctionDecl* F, const Expr* E, const char* Before, const char* Behind, const char* End, Unit& U, Program& P) {
    if (isTextOfBody(F, E->getSourceRange()))
      P.Edits.wrap(*fileRange(E->getSourceRange(), U.sources(), U.context().getLangOpts()), Before, Behind + siteText(E->getBeginLoc(), U.sources()) + End);
  }
};

} // namespace

std::unique_ptr<Pass> createCheckReads() { return std::make_unique<CheckReads>(); }

} // namespace gpurma
