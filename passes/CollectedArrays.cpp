// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/CollectedArrays.h"

#include "passes/ArrayCopies.h"
#include "passes/VariableChanges.h"
#include "passes/VariableUses.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpurma {
namespace {

/// As err_collected has them.
enum class CollectedProblem { NotVariable, Changed, UsedOtherwise, NotStored, OtherType, NoLaunch };

class CollectedArrayFinder {
public:
  CollectedArrayFinder(Region& R, Unit& U) : R(R), U(U), Changes(R.Statement), Named(R.Statement) {}

  bool run() {
    for (Stage& S : R.Stages)
      for (unsigned I = 0; S.Kernel && I != S.Arguments.size() && I != S.Kernel->getNumParams(); ++I)
        if (const CollectedArray* C = R.findCollected(S.Arguments[I]); C && !checkParameter(S, *C, S.Arguments[I], S.Kernel->getParamDecl(I)))
          return false;
    return llvm::all_of(R.Collected, [&](const CollectedArray& C) { return checkArray(C); });
  }

private:
  bool report(SourceLocation Where, CollectedProblem Why, StringRef Array, StringRef Kernel = {}, StringRef Parameter = {}) {
    U.Diags->report(Where, Diag::err_collected) << Array << static_cast<unsigned>(Why) << Kernel << Parameter;
    return false;
  }

  /// An argument that names the array.
  bool checkParameter(Stage& S, const CollectedArray& C, const Expr* Argument, const ParmVarDecl* P) {
    StringRef Name = C.Pointer->getName();
    const auto* Base = dyn_cast<DeclRefExpr>(takeApart(Argument, U.context()).Base);
    if (!Base || Base->getDecl() != C.Pointer || !P->getType()->isPointerType())
      return report(Argument->getExprLoc(), CollectedProblem::UsedOtherwise, Name);
    Passed.insert(Base);
    if (!S.Kernel->getBody())
      return true; // VerifyRegions reports it
    const ElementStores Stores(S.Kernel->getBody(), P);
    const DeclRefExpr* Other = nullptr;
    for (const DeclRefExpr* Ref : References(S.Kernel->getBody()).All)
      if (Ref->getDecl() == P && (!Other || Ref->getLocation() < Other->getLocation()) && llvm::none_of(Stores.Found, [&](const BinaryOperator* Store) {
            return cast<ArraySubscriptExpr>(Store->getLHS()->IgnoreParens())->getBase()->IgnoreParenImpCasts() == Ref;
          }))
        Other = Ref;
    if (Other) {
      report(Other->getLocation(), CollectedProblem::NotStored, Name, S.Kernel->getName(), P->getName());
      U.Diags->report(S.Launch->getBeginLoc(), Diag::note_launch_here);
      return false;
    }
    if (!U.context().hasSameType(P->getType()->getPointeeType(), C.Pointer->getType().getNonReferenceType()->getPointeeType()))
      return report(Argument->getExprLoc(), CollectedProblem::OtherType, Name, S.Kernel->getName());
    S.Collected.push_back(P);
    return true;
  }

  StringRef writtenName(const CollectedArray& C) const {
    for (const Clause& Each : R.directive().Clauses)
      for (const ClauseExpr& E : Each.Exprs)
        if (E.Range.getBegin() == C.Loc)
          return E.Text;
    llvm_unreachable("a clause names it");
  }

  bool checkArray(const CollectedArray& C) {
    if (!C.Pointer || R.declares(C.Pointer))
      return report(C.Loc, CollectedProblem::NotVariable, writtenName(C));
    StringRef Name = C.Pointer->getName();
    if (Changes.changes(C.Pointer))
      return report(C.Loc, CollectedProblem::Changed, Name);
    const DeclRefExpr* Other = nullptr;
    for (const DeclRefExpr* Ref : Named.All)
      if (Ref->getDecl() == C.Pointer && !Passed.contains(Ref) && (!Other || Ref->getLocation() < Other->getLocation()))
        Other = Ref;
    if (Other)
      return report(Other->getLocation(), CollectedProblem::UsedOtherwise, Name);
    auto OfIt = [&](const DeclRefExpr* Ref) { return Ref->getDecl() == C.Pointer; };
    return llvm::any_of(Passed, OfIt) || report(C.Loc, CollectedProblem::NoLaunch, Name);
  }

  Region& R;
  Unit& U;
  const VariableChanges Changes;
  const References Named;
  /// What names such arrays in arguments of launches.
  llvm::SmallPtrSet<const DeclRefExpr*, 8> Passed;
};

} // namespace

bool findCollected(Region& R, Unit& U) { return CollectedArrayFinder(R, U).run(); }

} // namespace gpurma
