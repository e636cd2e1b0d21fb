// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WindowReads: makes reads of window memory see what other ranks put. After an acquire point
// (window, wait, test, barrier) plain loads are right: the library acquires. A read that no acquire
// point dominates, or on which a loop without an acquire point waits, becomes a volatile load; one
// that may go through the non-coherent cache is an error.
//
// Before:  while (w.data()[0] == 0) {}
// After:   while (::gpurma::read_volatile(w.data()[0]) == 0) {}
//
// --gpurma-volatile=all makes every read of window memory volatile, none makes none.
#include "frontend/DynamicRecursiveASTVisitor.h"
#include "passes/Pass.h"
#include "passes/WindowMemory.h"

#include "clang/Lex/Lexer.h"

#include <set>
#include <tuple>

using namespace clang;

namespace gpurma {
namespace {

bool isConstRestrict(const ValueDecl *D) {
  QualType T = D->getType();
  return T->isPointerType() && T.isRestrictQualified() && T->getPointeeType().isConstQualified();
}

class WindowReads : public Pass {
public:
  llvm::StringRef name() const override { return "WindowReads"; }
  bool editsText() const override { return true; }

  void run(Unit &U, Program &P) override {
    WindowMemory Memory(U);
    reportNonCoherent(U, Memory);
    findPlacesInMacros(U, Memory);
    for (const WindowRead &R : Memory.reads())
      if (isVolatile(R, P.Options.Volatile) && !loadsByItself(R))
        makeVolatile(R, U, P);
  }

private:
  static bool isVolatile(const WindowRead &R, VolatileMode Mode) {
    switch (Mode) {
    case VolatileMode::None:
      return false;
    case VolatileMode::All:
      return R.IsWindow;
    case VolatileMode::Auto:
      return R.IsWindow && (R.Polled || !R.Acquired);
    }
    llvm_unreachable("unknown mode");
  }

  /// A volatile object, but of loops, where the read lets others go on.
  static bool loadsByItself(const WindowRead& R) {
    return R.Place->getType().isVolatileQualified() && !R.Polled;
  }

  void makeVolatile(const WindowRead &R, Unit &U, Program &P) {
    SourceRange Range = R.Place->getSourceRange();
    if (std::optional<FileRange> InFile = fileRange(Range, U.sources(), U.context().getLangOpts()))
      P.Edits.wrap(*InFile,
                   R.Place->getType()->isScalarType() &&
                           PlacesInMacros.count({InFile->File, InFile->Begin, InFile->End})
                       ? "::gpurma::volatile_place("
                       : "::gpurma::read_volatile(",
                   ")");
    else
      U.Diags->report(Range.getBegin(), Diag::err_edit_not_in_file)
          << "this read of window memory" << Range;
  }

  /// What a macro reads in one place, and writes in another: `#define AT(i, op) (w.data()[i] op)`.
  void findPlacesInMacros(const Unit& U, const WindowMemory& Memory) {
    struct Finder : DynamicRecursiveASTVisitor {
      std::vector<const Expr*> Found;
      bool VisitBinaryOperator(BinaryOperator* E) override {
        return !E->isAssignmentOp() || add(E->getLHS());
      }
      bool VisitUnaryOperator(UnaryOperator* E) override {
        return !(E->isIncrementDecrementOp() || E->getOpcode() == UO_AddrOf) ||
               add(E->getSubExpr());
      }
      bool add(const Expr* Place) {
        if (Place->getBeginLoc().isMacroID())
          Found.push_back(Place->IgnoreParens());
        return true;
      }
    } Find;
    for (const FunctionDecl* F : Memory.functions())
      Find.TraverseStmt(F->getBody());
    for (const Expr* Place : Find.Found)
      if (const std::optional<FileRange> InFile = fileRange(
              Place->getSourceRange(), U.context().getSourceManager(), U.context().getLangOpts()))
        PlacesInMacros.insert({InFile->File, InFile->Begin, InFile->End});
  }
  std::set<std::tuple<std::string, unsigned, unsigned>> PlacesInMacros;

  /// `const T *__restrict__` and __ldg promise that nobody writes meanwhile, and other ranks do.
  void reportNonCoherent(Unit &U, const WindowMemory &Memory) {
    std::set<const ValueDecl *> Read;
    for (const WindowRead &R : Memory.reads())
      if (const ValueDecl *D = R.IsWindow ? WindowMemory::root(R.Place) : nullptr;
          D && isConstRestrict(D))
        Read.insert(D);
    for (const auto &[D, From] : Memory.pointers()) {
      if (!Read.count(D))
        continue;
      {
        auto Report = U.Diags->report(D->getLocation(), Diag::err_window_const_restrict)
                      << D->getNameAsString();
        if (SourceLocation Token = restrictToken(D, U); Token.isValid())
          Report << FixItHint::CreateRemoval(Token);
      }
      U.Diags->report(From->getBeginLoc(), Diag::note_window_of)
          << D->getNameAsString() << From->getSourceRange();
    }
    for (const FunctionDecl *F : Memory.functions()) {
      struct Finder : DynamicRecursiveASTVisitor {
        const WindowMemory &Memory;
        std::vector<const CallExpr *> Found;
        explicit Finder(const WindowMemory &Memory) : Memory(Memory) {}
        bool VisitCallExpr(CallExpr *E) override {
          const FunctionDecl *Callee = E->getDirectCallee();
          if (Callee && Callee->getIdentifier() && Callee->getName() == "__ldg" &&
              E->getNumArgs() == 1 && Memory.windowCanExist(E) && Memory.isPointer(E->getArg(0)))
            Found.push_back(E);
          return true;
        }
      } Find(Memory);
      Find.TraverseStmt(F->getBody());
      for (const CallExpr *E : Find.Found)
        reportLdg(E, U);
    }
  }

  void reportLdg(const CallExpr *E, Unit &U) {
    auto Report = U.Diags->report(E->getBeginLoc(), Diag::err_window_ldg)
                  << "__ldg" << E->getSourceRange();
    const Expr *Pointer = E->getArg(0)->IgnoreParenImpCasts();
    const auto *Unary = dyn_cast<UnaryOperator>(Pointer);
    bool IsAddress = Unary && Unary->getOpcode() == UO_AddrOf;
    const Expr *Kept = IsAddress ? Unary->getSubExpr() : E->getArg(0);
    CharSourceRange Text =
        Lexer::makeFileCharRange(CharSourceRange::getTokenRange(Kept->getSourceRange()),
                                 U.sources(), U.context().getLangOpts());
    if (Text.isInvalid() || E->getBeginLoc().isMacroID())
      return;
    std::string New = Lexer::getSourceText(Text, U.sources(), U.context().getLangOpts()).str();
    if (!IsAddress)
      New = isa<DeclRefExpr>(Pointer) ? "*" + New : "*(" + New + ")";
    Report << FixItHint::CreateReplacement(E->getSourceRange(), New);
  }

  /// The token that makes a declaration restrict-qualified; invalid if it stands in a typedef or a
  /// macro.
  static SourceLocation restrictToken(const ValueDecl *D, Unit &U) {
    const SourceManager &Sources = U.sources();
    const LangOptions &LangOpts = U.context().getLangOpts();
    SourceLocation At = D->getBeginLoc();
    while (At.isValid() && At.isFileID() &&
           Sources.isBeforeInTranslationUnit(At, D->getLocation())) {
      Token T;
      if (Lexer::getRawToken(At, T, Sources, LangOpts, /*IgnoreWhiteSpace=*/true))
        break;
      StringRef Text = T.is(tok::raw_identifier) ? T.getRawIdentifier() : "";
      if (Text == "__restrict__" || Text == "__restrict" || Text == "restrict")
        return T.getLocation();
      At = T.getEndLoc();
    }
    return {};
  }
};

} // namespace

std::unique_ptr<Pass> createWindowReads() { return std::make_unique<WindowReads>(); }

} // namespace gpurma
