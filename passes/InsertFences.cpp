// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// InsertFences: keeps the compiler's own assumptions about window memory right where the library
// cannot. The library's put and notify release and its wait acquires, which orders the memory; that
// does not help where a `__restrict__` pointer tells the backend that nobody else touches the
// memory: it keeps a value in a register across a wait, or drops a store before a notify because a
// later one overwrites it. At the start of each function that synchronizes, gpurma::sync_reg(p)
// (MPI_F_sync_reg of MPI RMA) makes such a pointer, or what such a reference refers to, known to
// others; it costs no instruction. So it does whether or not that is known to lead to a window, but
// for pointers to constants, which in windows are errors (WindowReads).
//
// Before:  __device__ float step(float *__restrict__ halo, float x) {
//            #pragma gpurma wait tag(1)
// After:   __device__ float step(float *__restrict__ halo, float x) { ::gpurma::sync_reg(halo);
//            ...
//
// docs/memory-model.md says which rule orders what at each directive.
#include "frontend/DynamicRecursiveASTVisitor.h"
#include "passes/Pass.h"
#include "passes/WindowMemory.h"

#include "clang/Lex/Lexer.h"

using namespace clang;

namespace gpurma {
namespace {

/// Local variables, each with the token ({ or ;) after which the first statement of their scope can
/// stand.
struct Declarations : DynamicRecursiveASTVisitor {
  std::vector<std::pair<const VarDecl *, SourceLocation>> Found;
  bool VisitCompoundStmt(CompoundStmt *S) override {
    for (const Stmt *Child : S->body())
      add(dyn_cast<DeclStmt>(Child), Child->getEndLoc());
    return true;
  }
  bool VisitForStmt(ForStmt *S) override {
    if (const auto *Body = dyn_cast<CompoundStmt>(S->getBody()))
      add(dyn_cast_or_null<DeclStmt>(S->getInit()), Body->getLBracLoc());
    return true;
  }

private:
  void add(const DeclStmt *S, SourceLocation Token) {
    if (!S)
      return;
    for (const Decl *D : S->decls())
      if (const auto *V = dyn_cast<VarDecl>(D))
        Found.push_back({V, Token});
  }
};

class InsertFences : public Pass {
public:
  llvm::StringRef name() const override { return "InsertFences"; }
  bool editsText() const override { return true; }

  void run(Unit &U, Program &P) override {
    WindowMemory Memory(U);
    auto NeedsFence = [](const VarDecl *V) {
      const QualType T = V->getType();
      return (T->isPointerType() || T->isReferenceType()) && T.isRestrictQualified() &&
             V->getIdentifier() && !T->getPointeeType().isConstQualified();
    };
    for (const FunctionDecl *F : Memory.functions()) {
      if (!Memory.synchronizes(F))
        continue;
      const auto *Body = dyn_cast<CompoundStmt>(F->getBody());
      for (const ParmVarDecl *Param : F->parameters())
        if (Body && NeedsFence(Param))
          insert(Param, Body->getLBracLoc(), U, P, isOfPack(*Param, *F));
      Declarations Local;
      Local.TraverseStmt(F->getBody());
      for (const auto &[V, Token] : Local.Found)
        if (NeedsFence(V))
          insert(V, Token, U, P);
    }
  }

private:
  /// After the one-character token at \p Token.
  static void insert(const VarDecl* V, SourceLocation Token, Unit& U, Program& P,
                     bool IsOfPack = false) {
    std::optional<FileRange> At = fileRange(Token, U.sources(), U.context().getLangOpts());
    if (!At) {
      U.Diags->report(V->getLocation(), Diag::err_edit_not_in_file)
          << "the scope of '" + V->getNameAsString() + "'";
      return;
    }
    const std::string Call = std::string("::gpurma::sync_reg(") +
                             (V->getType()->isReferenceType() ? "&" : "") + V->getNameAsString() +
                             ")";
    P.Edits.replace({At->File, At->End, At->End},
                    IsOfPack ? " (" + Call + ", ...);" : " " + Call + ";");
  }

  /// Also of what a template's pack has become in an instance.
  static bool isOfPack(const ParmVarDecl& Param, const FunctionDecl& F) {
    const FunctionDecl* Pattern = F.getTemplateInstantiationPattern();
    return llvm::any_of((Pattern ? Pattern : &F)->parameters(), [&](const ParmVarDecl* Each) {
      return Each->isParameterPack() && Each->getLocation() == Param.getLocation();
    });
  }
};

} // namespace

std::unique_ptr<Pass> createInsertFences() { return std::make_unique<InsertFences>(); }

} // namespace gpurma
