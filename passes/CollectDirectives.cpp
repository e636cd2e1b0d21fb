// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the marker calls in the AST and checks the types and constant values of their clauses.
//
//   ::gpurma_ann::put(7u, (src), (lo), (len), (r), (w), (off));     ->   a Marker of directive 7
#include "BindingVariables.h"
#include "ClauseMembers.h"
#include "ErrorsBefore.h"
#include "HostFunctions.h"
#include "HostTables.h"
#include "Pass.h"
#include "PointedObjects.h"
#include "RegionCalls.h"
#include "SharedNodes.h"
#include "frontend/Directives.h"
#include "frontend/DynamicRecursiveASTVisitor.h"
#include "frontend/SourceText.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpurma {
namespace {

class MarkerCollector : public DynamicRecursiveASTVisitor {

public:
  explicit MarkerCollector(Unit &U) : U(U) {}

  // Templates are seen as patterns and as instantiations.
  bool shouldVisitTemplateInstantiations() const override { return true; }

  bool TraverseDecl(Decl *D) override {
    // Nothing of system headers can hold a directive.
    if (!D || isOfSystemHeader(*D, U.sources()))
      return true;
    if (auto *Function = llvm::dyn_cast<FunctionDecl>(D)) {
      Functions.push_back(Function);
      bool Continue = DynamicRecursiveASTVisitor::TraverseDecl(D);
      Functions.pop_back();
      return Continue;
    }
    return DynamicRecursiveASTVisitor::TraverseDecl(D);
  }

  bool TraverseLambdaExpr(LambdaExpr *Lambda) override {
    Functions.push_back(Lambda->getCallOperator());
    bool Continue = DynamicRecursiveASTVisitor::TraverseLambdaExpr(Lambda);
    Functions.pop_back();
    // The visitor does not reach the instantiations of generic lambdas.
    if (FunctionTemplateDecl *Generic = Lambda->getCallOperator()->getDescribedFunctionTemplate())
      for (FunctionDecl *Instance : Generic->specializations())
        if (Continue && Instance->hasBody()) {
          Functions.push_back(Instance);
          Continue = TraverseStmt(Instance->getBody());
          Functions.pop_back();
        }
    return Continue;
  }

  bool TraverseVarDecl(VarDecl *Variable) override {
    Variables.push_back(Variable);
    bool Continue = DynamicRecursiveASTVisitor::TraverseVarDecl(Variable);
    Variables.pop_back();
    return Continue;
  }

  bool TraverseWhileStmt(WhileStmt* Loop) override {
    const std::optional<Marker> M = markerOf(*Loop);
    const bool IsRegion = M && M->Origin->Kind == DirectiveKind::Persistent;
    return DynamicRecursiveASTVisitor::TraverseWhileStmt(
        IsRegion && !M->Dependent ? withOwnNodes(Loop, M->Function, U.context()) : Loop);
  }

  bool VisitWhileStmt(WhileStmt *Loop) override {
    if (std::optional<Marker> M = markerOf(*Loop);
        M && M->Origin->Kind == DirectiveKind::Persistent) {
      const Stmt *Written = Loop->getBody();
      if (M->Function && !M->Dependent)
        replaceBindings(Loop, M->Function, U.context());
      std::vector<HostPart> HostParts;
      auto DirectiveOf = [&](const CallExpr *Marker) { return marker(Marker)->Origin; };
      WhileStmt *OnDevice = withoutHostParts(Loop, DirectiveOf, U.context(), *U.Diags, HostParts);
      ExpandedCalls Calls;
      if (M->Function && !M->Dependent) {
        replacePointers(OnDevice, M->Function, HostParts, U.context());
        const ErrorsBefore Errors(OnDevice, M->Function, HostParts);
        Errors.castIn(OnDevice, U.context());
        MemberReferences Members(M->Function, U.context());
        Members.replaceIn(OnDevice);
        Calls =
            expandCalls(OnDevice, *M->Origin, M->Function, Members, Errors, U.context(), *U.Diags);
        replaceClauseMembers(*M, OnDevice, U.context());
        replaceTables(OnDevice, M->Function, Calls.Objects, U.context());
      }
      Region R = makeRegion(*M, OnDevice);
      R.Written = Written;
      R.HasCalls = Calls.InStatement;
      R.OnDevice = std::move(Calls.OnDevice);
      addConstructors(OnDevice->getBody(), U.sources(), R.OnDevice);
      R.Objects = std::move(Calls.Objects);
      addHostParts(R, std::move(HostParts), Calls.Copies);
      U.Regions.push_back(std::move(R));
    }
    return true;
  }

  bool VisitCallExpr(CallExpr *Call) override {
    std::optional<Marker> Found = marker(Call);
    if (!Found || Found->Origin->Kind == DirectiveKind::Persistent)
      return true;
    Marker &M = *Found;
    if (M.Origin->Kind == DirectiveKind::Publish) {
      U.Puts.push_back(M);
      return true;
    }
    if (M.Origin->Kind == DirectiveKind::Host) {
      U.HostMarkers.push_back(M);
      return true;
    }
    if (M.Origin->Kind == DirectiveKind::Window && !Variables.empty())
      M.Window = Variables.back();
    U.Markers.push_back(M);
    return true;
  }

private:
  std::optional<Marker> marker(const CallExpr *Call) const {
    if (!isMarker(Call->getCallee()->IgnoreImplicit()))
      return std::nullopt;
    const auto *Id = Call->getNumArgs() ? llvm::dyn_cast<IntegerLiteral>(Call->getArg(0)->IgnoreImplicit()) : nullptr;
    if (!Id || Id->getValue().getZExtValue() >= U.Directives.size())
      return std::nullopt;
    Marker M;
    M.Origin = &U.Directives[Id->getValue().getZExtValue()];
    M.Call = Call;
    M.Function = Functions.empty() ? nullptr : Functions.back();
    M.Dependent = M.Function && M.Function->isDependentContext();
    return M;
  }

  /// Of a region's loop.
  std::optional<Marker> markerOf(const WhileStmt& Loop) const {
    const auto* Call =
        Loop.getCond() ? llvm::dyn_cast<CallExpr>(Loop.getCond()->IgnoreImplicit()) : nullptr;
    return Call ? marker(Call) : std::nullopt;
  }

  static bool isMarker(const Expr *Callee) {
    const NamedDecl *Named = nullptr;
    if (const auto *Ref = llvm::dyn_cast<DeclRefExpr>(Callee))
      Named = Ref->getDecl();
    else if (const auto *Lookup = llvm::dyn_cast<UnresolvedLookupExpr>(Callee); Lookup && Lookup->getNumDecls())
      Named = *Lookup->decls_begin();
    return isMarkerFunction(Named);
  }

  Unit &U;
  std::vector<const FunctionDecl *> Functions;
  std::vector<const VarDecl *> Variables;
};

/// f(a, b) in one clause is one expression; a top-level comma most likely is not meant.
void checkCommas(const Marker &M, Diagnostics &Diags) {
  for (const Clause &C : M.Origin->Clauses)
    for (const ClauseExpr &E : C.Exprs) {
      if (E.Text.empty() || E.MarkerArg >= M.Call->getNumArgs())
        continue;
      const auto *Parens = llvm::dyn_cast<ParenExpr>(M.Call->getArg(E.MarkerArg)->IgnoreImplicit());
      const auto *Comma = Parens ? llvm::dyn_cast<BinaryOperator>(Parens->getSubExpr()) : nullptr;
      if (Comma && Comma->getOpcode() == BO_Comma)
        Diags.report(Comma->getOperatorLoc(), Diag::err_comma_in_clause)
            << (C.Kind == ClauseKind::Subject ? spelling(M.Origin->Kind) : spelling(C.Kind));
    }
}

class CollectDirectives final : public Pass {
public:
  llvm::StringRef name() const override { return "CollectDirectives"; }

  void run(Unit &U, Program &) override {
    MarkerCollector(U).TraverseDecl(U.context().getTranslationUnitDecl());
    for (const Marker &M : U.Markers)
      check(M, U);
    for (const Marker &M : U.Puts)
      check(M, U);
    for (Region &R : U.Regions) {
      // Members and objects have their variables in instances only.
      if (!R.Appearance.Dependent)
        check(R.Appearance, U);
      addPuts(R, U.Puts, U.context());
    }
  }

private:
  static void check(const Marker &M, Unit &U) {
    checkCommas(M, *U.Diags);
    ClauseChecker Checker(M, U.context(), *U.Diags);
    DirectiveClass::get(M.Origin->Kind).check(Checker);
  }
};

} // namespace

std::unique_ptr<Pass> createCollectDirectives() { return std::make_unique<CollectDirectives>(); }

} // namespace gpurma
