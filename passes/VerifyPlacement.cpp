// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// VerifyPlacement: every directive is block-collective, so every thread of the block must reach it,
// with the same clause values. Checks on the pattern that it stands between the statements of a
// device function, and on the instantiations, with the uniformity analysis, that control flow and
// clauses do not depend on the thread.
//
// Before:  if (threadIdx.x == 0) {
//            #pragma gpurma notify(right) tag(1)
//          }
// After:   error: all threads of the block must reach directive 'notify' together, but it stands
// under a condition that
//          differs between them [gpurma-0102], with notes that lead from the condition to
//          threadIdx.
//
// The text is not changed.
#include "passes/DeviceFunctions.h"
#include "passes/Pass.h"
#include "passes/Uniformity.h"

#include "clang/AST/Attr.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/DenseMap.h"

using namespace clang;

namespace gpurma {
namespace {

/// The statement that decides at a branch of the CFG: an if, a loop, a switch, or the statement
/// around a && or ?:.
const Stmt *statementOf(const Stmt *Branch, ASTContext &Context) {
  while (isa_and_nonnull<Expr>(Branch)) {
    DynTypedNodeList Parents = Context.getParents(*Branch);
    Branch = Parents.empty() ? nullptr : Parents[0].get<Stmt>();
  }
  return Branch;
}

class Verifier : public UniformityClient {
public:
  explicit Verifier(Unit &U)
      : U(U), Context(U.context()), Sources(U.sources()), Analysis(Context, *this) {
    for (const Marker &M : U.Markers)
      Markers[M.Call] = &M;
  }

  void run() {
    for (const Marker &M : U.Markers)
      if (checkFunction(M))
        checkParent(M);
    std::vector<const FunctionDecl *> Functions = deviceFunctions(Context);
    for (const FunctionDecl *F : Functions)
      if (F->hasAttr<CUDAGlobalAttr>() && Analysis.containsDirective(F))
        Analysis.analyze(F);
    // Nothing here calls these; whoever does must do so with all threads and the same arguments.
    for (const FunctionDecl *F : Functions)
      if (!Analysis.isAnalyzed(F) && Analysis.containsDirective(F))
        Analysis.analyze(F);
  }

  bool isDirective(const CallExpr *Call) override { return Markers.count(Call); }

  void directive(const CallExpr *Call, const Value &Control,
                 llvm::function_ref<Value(const Expr *)> ValueOf) override {
    const Marker &M = *Markers.lookup(Call);
    if (!checkControl(M.Origin->NameLoc, Control, /*IsCall=*/false, spelling(M.Origin->Kind)))
      return;
    for (const Clause &C : M.Origin->Clauses)
      for (unsigned I = 0; I != C.Exprs.size(); ++I)
        checkClause(M, C, I, ValueOf);
  }

  void call(SourceLocation Loc, const FunctionDecl* Callee, const Value& Control) override {
    checkControl(Loc, Control, /*IsCall=*/true, Callee->getNameAsString(), Callee);
  }

private:
  bool checkFunction(const Marker &M) {
    const FunctionDecl *F = M.Function;
    bool OnDevice = F && (F->hasAttr<CUDAGlobalAttr>() || F->hasAttr<CUDADeviceAttr>());
    const auto *HostAttr = F ? F->getAttr<CUDAHostAttr>() : nullptr;
    bool AlsoOnHost = OnDevice && HostAttr && !HostAttr->isImplicit();
    if (OnDevice && !AlsoOnHost)
      return true;
    U.Diags->report(M.Origin->NameLoc, Diag::err_outside_kernel)
        << spelling(M.Origin->Kind) << (F ? F->getQualifiedNameAsString() : "this place")
        << AlsoOnHost;
    return false;
  }

  /// A directive becomes one statement; alone under an if or a loop it would silently become its
  /// body.
  void checkParent(const Marker &M) {
    const Stmt *S = M.Call;
    for (;;) {
      DynTypedNodeList Parents = Context.getParents(*S);
      if (Parents.empty())
        return;
      const Stmt *Parent = Parents[0].get<Stmt>();
      if (!Parent) {
        const auto *D = Parents[0].get<VarDecl>(); // of 'window'
        if (!D)
          return;
        DynTypedNodeList OfDecl = Context.getParents(*D);
        Parent = OfDecl.empty() ? nullptr : OfDecl[0].get<Stmt>();
        if (!Parent)
          return;
      }
      if (isa<CompoundStmt>(Parent))
        return;
      if (!isa<Expr, DeclStmt, LabelStmt, SwitchCase, AttributedStmt>(Parent)) {
        reportParent(M, Parent);
        return;
      }
      S = Parent;
    }
  }

  void reportParent(const Marker &M, const Stmt *Parent) {
    const Directive &D = *M.Origin;
    StringRef Keyword = isa<ForStmt, CXXForRangeStmt>(Parent) ? "for"
                        : isa<WhileStmt>(Parent)              ? "while"
                        : isa<DoStmt>(Parent)                 ? "do"
                        : isa<SwitchStmt>(Parent)             ? "switch"
                                                              : "if";
    if (const auto *If = dyn_cast<IfStmt>(Parent); If && If->getElse())
      if (Sources.isBeforeInTranslationUnit(If->getElseLoc(), D.HashLoc))
        Keyword = "else";
    auto Report = U.Diags->report(D.NameLoc, Diag::err_not_in_block) << spelling(D.Kind) << Keyword;
    if (!D.FromPragmaOperator && D.HashLoc.isFileID())
      Report << FixItHint::CreateInsertion(D.HashLoc, "{\n")
             << FixItHint::CreateInsertion(D.EndLoc, "\n}");
  }

  /// Whether all threads get to \p Loc; otherwise says why not.
  bool checkControl(SourceLocation Loc, const Value &Control, bool IsCall, StringRef Name,
                    const FunctionDecl *Callee = nullptr) {
    if (Control.Level == Uniformity::Uniform)
      return true;
    const Stmt *Branch = statementOf(Control.Why->Branch, Context);
    bool Encloses = !Branch || Sources.isPointWithin(Sources.getFileLoc(Loc),
                                                     Sources.getFileLoc(Branch->getBeginLoc()),
                                                     Sources.getFileLoc(Branch->getEndLoc()));
    bool Divergent = Control.Level == Uniformity::Divergent;
    // One unproven condition often governs many directives; the first is enough to act upon.
    Diag Which = !Divergent ? Diag::warn_unproven_condition
                 : Encloses ? Diag::err_divergent_condition
                            : Diag::err_divergent_exit;
    if (!Divergent && !Unproven.insert(Control.Why->Range.getBegin()).second)
      return true;
    U.Diags->report(Loc, Which) << IsCall << Name;
    if (Callee)
      if (std::vector<const Marker *> Own = U.markersOf(Callee); !Own.empty())
        U.Diags->report(Own.front()->Origin->NameLoc, Diag::note_contains_directive) << Name;
    U.Diags->report(Control.Why->Range.getBegin(),
                    Encloses ? Diag::note_condition_here : Diag::note_leaves_here)
        << Control.Why->Range;
    explain(Control.Why->From);
    if (!Divergent)
      suggestUniform(Control.Why->Range);
    return !Divergent;
  }

  void checkClause(const Marker &M, const Clause &C, unsigned I,
                   llvm::function_ref<Value(const Expr *)> ValueOf) {
    const Directive &D = *M.Origin;
    bool IsFlag = D.Kind == DirectiveKind::Test && C.Kind == ClauseKind::Subject;
    bool IsWindow = C.Kind == ClauseKind::On || (C.Kind == ClauseKind::At && I == 0);
    const Expr *E = M.expr(C.Kind, I);
    if (!E || IsFlag || IsWindow)
      return;
    Value V = ValueOf(M.Call->getArg(C.Exprs[I].MarkerArg));
    bool IsBase = C.Kind == ClauseKind::Subject && I == 0 && D.Kind != DirectiveKind::Notify;
    enum { OfThread, OfBlock, Constant };
    const bool IsWritten = D.Kind == DirectiveKind::Window || D.Kind == DirectiveKind::Get;
    const VarDecl* Private = IsBase ? privateVariable(E) : nullptr;
    const bool IsOfBlock = V.Points == Value::Memory::Shared;
    const bool IsConstant = IsWritten && V.Points == Value::Memory::ReadOnly;
    if (IsBase && (IsOfBlock || IsConstant || (!Private && V.Points == Value::Memory::Private))) {
      U.Diags->report(C.Exprs[I].Range.getBegin(), Diag::err_private_section)
          << spelling(D.Kind) << ("'" + C.Exprs[I].Text + "'")
          << (IsOfBlock    ? OfBlock
              : IsConstant ? Constant
                           : OfThread)
          << C.Exprs[I].Range;
      return;
    }
    if (Private) {
      U.Diags->report(C.Exprs[I].Range.getBegin(), Diag::err_private_section)
          << spelling(D.Kind) << Private << OfThread << C.Exprs[I].Range;
      U.Diags->report(Private->getLocation(), Diag::note_declared_here) << Private;
      return;
    }
    if (V.Level == Uniformity::Uniform)
      return;
    bool Divergent = V.Level == Uniformity::Divergent;
    Diag Which = Divergent ? Diag::err_divergent_clause : Diag::warn_unproven_clause;
    SourceLocation Loc = C.Exprs[I].Range.getBegin();
    U.Diags->report(Loc, Which) << whatIs(D, C, I) << spelling(D.Kind) << C.Exprs[I].Range;
    explain(V.Why);
    if (!Divergent)
      suggestUniform(C.Exprs[I].Range);
  }

  /// The variable of which each thread has its own, if a section lies in one.
  static const VarDecl *privateVariable(const Expr *Base) {
    bool IsAddress = Base->getType()->isArrayType();
    for (;;) {
      Base = Base->IgnoreParenCasts();
      if (const auto *Unary = dyn_cast<UnaryOperator>(Base);
          Unary && Unary->getOpcode() == UO_AddrOf) {
        IsAddress = true;
        Base = Unary->getSubExpr();
      } else if (const auto *Member = dyn_cast<MemberExpr>(Base);
                 Member && !Member->isArrow() && IsAddress) {
        Base = Member->getBase();
      } else if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(Base);
                 Subscript && IsAddress &&
                 Subscript->getBase()->IgnoreParenImpCasts()->getType()->isArrayType()) {
        Base = Subscript->getBase();
      } else {
        break;
      }
    }
    const auto *Ref = dyn_cast<DeclRefExpr>(Base);
    const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    return V && IsAddress && V->hasLocalStorage() && !V->getType()->isReferenceType() ? V : nullptr;
  }

  static StringRef whatIs(const Directive &D, const Clause &C, unsigned I) {
    switch (C.Kind) {
    case ClauseKind::Subject:
      if (D.Kind == DirectiveKind::Notify)
        return "rank";
      return I == 0 ? "base" : I == 1 ? "first element" : "length";
    case ClauseKind::To:
    case ClauseKind::From:
      return "rank";
    case ClauseKind::At:
      return "offset";
    case ClauseKind::Notify:
    case ClauseKind::Tag:
      return "tag";
    case ClauseKind::Count:
      return "count";
    case ClauseKind::If:
      return "condition";
    default:
      return "argument";
    }
  }

  /// Notes along the way to the source. Chains through loops and calls can be long; their start and
  /// their end say the most.
  void explain(const Cause *Why) {
    std::vector<const Cause *> Chain;
    for (; Why; Why = Why->From)
      Chain.push_back(Why);
    constexpr size_t Shown = 8;
    for (size_t I = 0; I != Chain.size(); ++I)
      if (I < Shown - 2 || I + 2 >= Chain.size())
        U.Diags->report(Chain[I]->Range.getBegin(), noteFor(*Chain[I])) << Chain[I]->Name;
  }

  static Diag noteFor(const Cause &C) {
    switch (C.K) {
    case Cause::Kind::Source:
      return Diag::note_differs;
    case Cause::Kind::Load:
      return Diag::note_differing_address;
    case Cause::Kind::Memory:
      return Diag::note_shared_memory;
    case Cause::Kind::Opaque:
      return Diag::note_opaque_result;
    case Cause::Kind::Assigned:
      return Diag::note_assigned_here;
    case Cause::Kind::AssignedIf:
      return Diag::note_assigned_under_condition;
    case Cause::Kind::Argument:
      return Diag::note_argument_here;
    case Cause::Kind::Result:
      return Diag::note_result_of;
    case Cause::Kind::Condition:
      return Diag::note_condition_here;
    }
    llvm_unreachable("unknown kind of cause");
  }

  void suggestUniform(SourceRange Range) {
    CharSourceRange InFile = Lexer::makeFileCharRange(CharSourceRange::getTokenRange(Range),
                                                      Sources, Context.getLangOpts());
    auto Note = U.Diags->report(Range.getBegin(), Diag::note_say_uniform);
    if (InFile.isValid())
      Note << FixItHint::CreateInsertion(InFile.getBegin(), "gpurma::uniform(")
           << FixItHint::CreateInsertion(InFile.getEnd(), ")");
  }

  Unit &U;
  ASTContext &Context;
  const SourceManager &Sources;
  llvm::DenseMap<const CallExpr *, const Marker *> Markers;
  /// Conditions that have been warned about.
  llvm::DenseSet<SourceLocation> Unproven;
  UniformityAnalysis Analysis;
};

class VerifyPlacement : public Pass {
public:
  llvm::StringRef name() const override { return "VerifyPlacement"; }
  void run(Unit &U, Program &) override { Verifier(U).run(); }
};

} // namespace

std::unique_ptr<Pass> createVerifyPlacement() { return std::make_unique<VerifyPlacement>(); }

} // namespace gpurma
