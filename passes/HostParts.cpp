// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/HostParts.h"
#include "frontend/DynamicRecursiveASTVisitor.h"
#include "passes/VariableUses.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpurma {
namespace {

/// Makes copies of the statements around those of the host.
class Cutter {
public:
  Cutter(llvm::function_ref<const Directive*(const CallExpr*)> DirectiveOf, ASTContext& Context, Diagnostics& Diags, std::vector<HostPart>& Parts)
      : DirectiveOf(DirectiveOf), Context(Context), Diags(Diags), Parts(Parts) {}

  Stmt* cut(Stmt* S) {
    if (!S || !holdsHostMarker(S))
      return S;
    if (const CallExpr* Call = hostMarker(S))
      return cutPart(cast<IfStmt>(S), Call);
    switch (S->getStmtClass()) {
    case Stmt::CompoundStmtClass: {
      auto* Block = cast<CompoundStmt>(S);
      llvm::SmallVector<Stmt*, 8> Body;
      for (Stmt* Each : Block->body())
        Body.push_back(cut(Each));
      return CompoundStmt::Create(Context, Body, FPOptionsOverride(), Block->getLBracLoc(), Block->getRBracLoc());
    }
    case Stmt::AttributedStmtClass: {
      auto* Attributed = cast<AttributedStmt>(S);
      return AttributedStmt::Create(Context, Attributed->getAttrLoc(), Attributed->getAttrs(), cut(Attributed->getSubStmt()));
    }
    case Stmt::IfStmtClass: {
      auto* If = cast<IfStmt>(S);
      if (If->getConditionVariable() || If->isConsteval())
        break;
      return IfStmt::Create(Context, If->getIfLoc(), If->getStatementKind(), If->getInit(), nullptr, If->getCond(), If->getLParenLoc(),
                            If->getRParenLoc(), cut(If->getThen()), If->getElseLoc(), cut(If->getElse()));
    }
    case Stmt::ForStmtClass: {
      auto* For = cast<ForStmt>(S);
      if (For->getConditionVariable())
        break;
      return new (Context) ForStmt(Context, For->getInit(), For->getCond(), nullptr, For->getInc(), cut(For->getBody()), For->getForLoc(),
                                   For->getLParenLoc(), For->getRParenLoc());
    }
    case Stmt::WhileStmtClass: {
      auto* While = cast<WhileStmt>(S);
      if (While->getConditionVariable())
        break;
      return WhileStmt::Create(Context, nullptr, While->getCond(), cut(While->getBody()), While->getWhileLoc(), While->getLParenLoc(),
                               While->getRParenLoc());
    }
    case Stmt::DoStmtClass: {
      auto* Do = cast<DoStmt>(S);
      return new (Context) DoStmt(cut(Do->getBody()), Do->getCond(), Do->getDoLoc(), Do->getWhileLoc(), Do->getRParenLoc());
    }
    default:
      break;
    }
    Diags.report(S->getBeginLoc(), Diag::err_host_place) << Around;
    return S;
  }

private:
  /// As the texts of Diag::err_host_place.
  enum Problem { Elsewhere, Around, Declaration };

  Stmt* cutPart(IfStmt* If, const CallExpr* Call) {
    if (isa_and_nonnull<DeclStmt>(If->getElse()))
      Diags.report(If->getElse()->getBeginLoc(), Diag::err_host_place) << Declaration;
    Parts.push_back({Call, DirectiveOf(Call), If->getElse(), {}});
    auto* Nothing = new (Context) NullStmt(If->getElse()->getBeginLoc());
    return IfStmt::Create(Context, If->getIfLoc(), If->getStatementKind(), nullptr, nullptr, If->getCond(), If->getLParenLoc(),
                          If->getRParenLoc(), If->getThen(), If->getElseLoc(), Nothing);
  }

  llvm::function_ref<const Directive*(const CallExpr*)> DirectiveOf;
  ASTContext& Context;
  Diagnostics& Diags;
  std::vector<HostPart>& Parts;
};

class KeptVariables {
public:
  KeptVariables(const Stmt* Statement, ArrayRef<HostPart> Parts) {
    count(Statement, All);
    for (const HostPart& P : Parts)
      for (const auto& [Named, V] : P.Variables)
        ++All[V];
    around(Statement);
  }
  llvm::SetVector<const VarDecl*> Found;

private:
  using Counts = llvm::DenseMap<const VarDecl*, unsigned>;

  static void count(const Stmt* S, Counts& Of) {
    for (const DeclRefExpr* Ref : References(S).All)
      if (const auto* V = dyn_cast<VarDecl>(Ref->getDecl()))
        ++Of[V];
  }

  template <typename F> static void forDeclared(const Stmt* S, F Do) {
    if (const auto* Declarations = dyn_cast_or_null<DeclStmt>(S))
      for (const Decl* D : Declarations->decls())
        if (const auto* V = dyn_cast<VarDecl>(D))
          Do(V);
  }
  void keep(const Stmt* S) {
    forDeclared(S, [&](const VarDecl* V) { Found.insert(V); });
  }

  /// \p S: a statement with one of the host in it.
  void around(const Stmt* S) {
    if (!S || !holdsHostMarker(S) || hostMarker(S))
      return;
    if (const auto* Block = dyn_cast<CompoundStmt>(S)) {
      llvm::SmallVector<const Stmt*, 8> Piece;
      for (const Stmt* Each : Block->body()) {
        if (!holdsHostMarker(Each)) {
          Piece.push_back(Each);
          continue;
        }
        keepNamedElsewhere(Piece);
        Piece.clear();
        around(Each);
      }
      keepNamedElsewhere(Piece);
      return;
    }
    if (const auto* If = dyn_cast<IfStmt>(S))
      keep(If->getInit());
    if (const auto* For = dyn_cast<ForStmt>(S))
      keep(For->getInit());
    for (const Stmt* Child : S->children())
      around(Child);
  }

  void keepNamedElsewhere(ArrayRef<const Stmt*> Piece) {
    Counts Here;
    for (const Stmt* S : Piece)
      count(S, Here);
    for (const Stmt* S : Piece)
      forDeclared(S, [&](const VarDecl* V) {
        if (All.lookup(V) != Here.lookup(V))
          Found.insert(V);
      });
  }

  Counts All;
};

} // namespace

VariableChanges changesOfHost(ArrayRef<HostPart> Parts) {
  VariableChanges Found(nullptr);
  for (const HostPart& P : Parts)
    for (const auto& [V, Field] : changedMembers(P.Statement)) {
      auto InRegion = llvm::find_if(P.Variables, [V = V](const auto& Pair) { return Pair.first == V; });
      Found.Members.insert({InRegion == P.Variables.end() ? V : InRegion->second, Field});
    }
  return Found;
}

const CallExpr* hostMarker(const Stmt* S) {
  const auto* If = dyn_cast_or_null<IfStmt>(S);
  const auto* Call = If && If->getCond() ? dyn_cast<CallExpr>(If->getCond()->IgnoreImplicit()) : nullptr;
  const auto* Callee = Call ? Call->getDirectCallee() : nullptr;
  return isMarkerFunction(Callee) && Callee->getName() == spelling(DirectiveKind::Host) ? Call : nullptr;
}

bool holdsHostMarker(const Stmt* S) {
  return S && !isa<LambdaExpr>(S) && (hostMarker(S) || llvm::any_of(S->children(), holdsHostMarker));
}

WhileStmt* withoutHostParts(WhileStmt* Loop, llvm::function_ref<const Directive*(const CallExpr*)> DirectiveOf, ASTContext& Context,
                            Diagnostics& Diags, std::vector<HostPart>& Parts) {
  Stmt* Body = Cutter(DirectiveOf, Context, Diags, Parts).cut(Loop->getBody());
  return Body == Loop->getBody() ? Loop
                                 : WhileStmt::Create(Context, nullptr, Loop->getCond(), Body, Loop->getWhileLoc(), Loop->getLParenLoc(), Loop->getRParenLoc());
}

llvm::SetVector<const VarDecl*> keptVariables(const Stmt* Statement, ArrayRef<HostPart> Parts) {
  return std::move(KeptVariables(Statement, Parts).Found);
}

std::vector<const Stmt*> leavingStatements(const Stmt* S) {
  struct Finder : DynamicRecursiveASTVisitor {
    bool TraverseLambdaExpr(LambdaExpr*) override { return true; }
    bool TraverseStmt(Stmt* S) override {
      bool IsLoop = isa_and_nonnull<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S), IsSwitch = isa_and_nonnull<SwitchStmt>(S);
      Loops += IsLoop;
      Switches += IsSwitch;
      bool Continue = DynamicRecursiveASTVisitor::TraverseStmt(S);
      Loops -= IsLoop;
      Switches -= IsSwitch;
      return Continue;
    }
    bool VisitBreakStmt(BreakStmt* S) override {
      if (Loops == 0 && Switches == 0)
        Found.push_back(S);
      return true;
    }
    bool VisitContinueStmt(ContinueStmt* S) override {
      if (Loops == 0)
        Found.push_back(S);
      return true;
    }
    unsigned Loops = 0, Switches = 0;
    std::vector<const Stmt*> Found;
  } Find;
  Find.TraverseStmt(const_cast<Stmt*>(S));
  return std::move(Find.Found);
}

} // namespace gpurma
