// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What statements do with the variables that they name, as far as their text shows it.
#ifndef GPURMA_PASSES_VARIABLEUSES_H
#define GPURMA_PASSES_VARIABLEUSES_H

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "passes/VariableChanges.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gpurma {

/// Empty for operators and constructors, and for null.
inline llvm::StringRef identifierOf(const clang::NamedDecl* D) { return D && D->getIdentifier() ? D->getName() : llvm::StringRef(); }

/// Null if the expression is not a variable.
inline const clang::VarDecl* namedVariable(const clang::Expr* E) {
  const auto* Ref = llvm::dyn_cast<clang::DeclRefExpr>(E->IgnoreParenImpCasts());
  return Ref ? llvm::dyn_cast<clang::VarDecl>(Ref->getDecl()) : nullptr;
}

/// Null if it is not a variable with a pointer.
inline const clang::VarDecl* namedPointer(const clang::Expr* E) {
  const clang::VarDecl* V = namedVariable(E);
  return V && V->getType().getNonReferenceType()->isPointerType() ? V : nullptr;
}

/// The function that an expression names, or of which it is the address, as an argument of a template is, too; null for others.
inline const clang::DeclRefExpr* namedFunction(const clang::Expr* E) {
  E = E->IgnoreParenImpCasts();
  if (const auto* Address = llvm::dyn_cast<clang::UnaryOperator>(E); Address && Address->getOpcode() == clang::UO_AddrOf)
    E = Address->getSubExpr()->IgnoreParenImpCasts();
  const auto* Ref = llvm::dyn_cast<clang::DeclRefExpr>(E);
  return Ref && llvm::isa<clang::FunctionDecl>(Ref->getDecl()) ? Ref : nullptr;
}

/// The list as it is understood, with a value for each member and the conversions; itself if it has no other form.
inline const clang::InitListExpr* understoodForm(const clang::InitListExpr* List) {
  return List->isSemanticForm() || !List->getSemanticForm() ? List : List->getSemanticForm();
}

/// Calls \p Do with each member of a structure and what a list as it is understood has for it, but for those of base classes, which come first.
template <class Function> void forEachInitializer(const clang::RecordDecl& Record, llvm::ArrayRef<clang::Expr*> Inits, Function Do) {
  const auto* Class = llvm::dyn_cast<clang::CXXRecordDecl>(&Record);
  size_t I = Class ? Class->getNumBases() : 0;
  for (const clang::FieldDecl* Field : Record.fields())
    if (!Field->isUnnamedBitField() && I < Inits.size())
      Do(Field, Inits[I++]);
}

/// True for a variable that always has the value of a constant initializer, so that a static one may be one of its block.
inline bool isConstant(const clang::VarDecl* V) {
  const clang::Expr* Init = V->getInit();
  return V->getType().isConstQualified() && Init && !Init->isValueDependent() && Init->isConstantInitializer(V->getASTContext(), false);
}

/// Whether a part of a statement is `Part`, or it is itself. Of null nothing is.
inline bool contains(const clang::Stmt* S, const clang::Stmt* Part) {
  return S && (S == Part || llvm::any_of(S->children(), [&](const clang::Stmt* Child) { return contains(Child, Part); }));
}

class References : public DynamicRecursiveASTVisitor {
public:
  explicit References(const clang::Stmt* S) {
    if (S)
      TraverseStmt(const_cast<clang::Stmt*>(S));
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* Ref) override {
    All.insert(Ref);
    return true;
  }
  bool mention(const clang::VarDecl* V) const {
    return llvm::any_of(All, [&](const clang::DeclRefExpr* Ref) { return Ref->getDecl() == V; });
  }
  /// In the order of the text.
  llvm::SetVector<const clang::DeclRefExpr*> All;
};

/// Whether two expressions are written in the same way, of the same variables, as one that is computed twice.
inline bool isSameText(const clang::Expr& One, const clang::Expr& Other, const clang::ASTContext& Context) {
  llvm::FoldingSetNodeID OfOne, OfOther;
  One.Profile(OfOne, Context, /*Canonical=*/true);
  Other.Profile(OfOther, Context, /*Canonical=*/true);
  return OfOne == OfOther;
}

/// The stores `pointer[...] = ...`.
class ElementStores : public DynamicRecursiveASTVisitor {
public:
  ElementStores(const clang::Stmt* S, const clang::VarDecl* Pointer) : Pointer(Pointer) { TraverseStmt(const_cast<clang::Stmt*>(S)); }
  bool VisitBinaryOperator(clang::BinaryOperator* E) override {
    const auto* Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(E->getLHS()->IgnoreParens());
    if (E->getOpcode() == clang::BO_Assign && Element && namedVariable(Element->getBase()) == Pointer)
      Found.push_back(E);
    return true;
  }
  llvm::SmallVector<clang::BinaryOperator*, 2> Found;

private:
  const clang::VarDecl* Pointer;
};

/// What only reads the variable that it names.
class PureReads : public DynamicRecursiveASTVisitor {
public:
  explicit PureReads(const clang::Stmt* S) { TraverseStmt(const_cast<clang::Stmt*>(S)); }

  bool contains(const clang::DeclRefExpr* Ref) const { return Found.contains(Ref); }

  bool shouldVisitImplicitCode() const override { return false; }
  /// The body of a lambda says what becomes of what it captures.
  bool TraverseLambdaCapture(clang::LambdaExpr* Lambda, const clang::LambdaCapture* Capture, clang::Expr* Init) override {
    return !Lambda->isInitCapture(Capture) || TraverseStmt(Init);
  }
  bool VisitCastExpr(clang::CastExpr* Cast) override {
    if (Cast->getCastKind() == clang::CK_LValueToRValue || Cast->getCastKind() == clang::CK_ToVoid)
      read(Cast->getSubExpr());
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* V) override {
    if (V->getInit() && isConstReference(V->getType()))
      read(V->getInit());
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* Call) override {
    const clang::FunctionDecl* Callee = Call->getDirectCallee();
    if (!Callee)
      return true;
    const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(Callee);
    bool OfObject = llvm::isa<clang::CXXOperatorCallExpr>(Call) && Method;
    if (const auto* Member = llvm::dyn_cast<clang::CXXMemberCallExpr>(Call);
        Member && Method && !changesObject(Method))
      read(Member->getImplicitObjectArgument());
    if (OfObject && !changesObject(Method))
      read(Call->getArg(0));
    readArguments(Callee, llvm::ArrayRef(Call->getArgs(), Call->getNumArgs()).drop_front(OfObject ? 1 : 0));
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* Construct) override {
    readArguments(Construct->getConstructor(), llvm::ArrayRef(Construct->getArgs(), Construct->getNumArgs()));
    return true;
  }

private:
  static bool isConstReference(clang::QualType T) { return T->isReferenceType() && T->getPointeeType().isConstQualified(); }

  void readArguments(const clang::FunctionDecl* Callee, llvm::ArrayRef<const clang::Expr*> Arguments) {
    for (auto [Parameter, Argument] : llvm::zip(Callee->parameters(), Arguments))
      if (isConstReference(Parameter->getType()))
        read(Argument);
  }

  /// Of the variable itself, or of a part of it; of both that a choice may be.
  void read(const clang::Expr* E) {
    while (true) {
      E = E->IgnoreParenImpCasts();
      if (const auto* Member = llvm::dyn_cast<clang::MemberExpr>(E); Member && !Member->isArrow())
        E = Member->getBase();
      else if (const auto* Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(E);
               Element && Element->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
        E = Element->getBase();
      else
        break;
    }
    if (const auto* Choice = llvm::dyn_cast<clang::ConditionalOperator>(E)) {
      read(Choice->getTrueExpr());
      read(Choice->getFalseExpr());
    }
    if (const auto* Ref = llvm::dyn_cast<clang::DeclRefExpr>(E))
      Found.insert(Ref);
  }

  llvm::SmallPtrSet<const clang::DeclRefExpr*, 32> Found;
};

/// Variables that something may change without naming them.
class Exposed : public DynamicRecursiveASTVisitor {
public:
  explicit Exposed(const clang::Stmt* S) { TraverseStmt(const_cast<clang::Stmt*>(S)); }
  bool VisitUnaryOperator(clang::UnaryOperator* E) override {
    if (E->getOpcode() == clang::UO_AddrOf)
      note(E->getSubExpr());
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* V) override {
    if (V->getType()->isReferenceType() && V->getInit())
      note(V->getInit());
    return true;
  }
  bool VisitLambdaExpr(clang::LambdaExpr* Lambda) override {
    for (const clang::LambdaCapture& Capture : Lambda->captures())
      if (Capture.capturesVariable())
        Variables.insert(Capture.getCapturedVar());
    return true;
  }
  llvm::SmallPtrSet<const clang::ValueDecl*, 8> Variables;

private:
  void note(const clang::Expr* E) {
    if (const clang::VarDecl* V = namedVariable(E))
      Variables.insert(V);
  }
};

/// Whether control may leave the function in a statement, or assembly does what is not known.
inline bool mayLeave(const clang::Stmt* S) {
  return S && (llvm::isa<clang::ReturnStmt, clang::GotoStmt, clang::IndirectGotoStmt, clang::AsmStmt>(S) || llvm::any_of(S->children(), mayLeave));
}

/// Of a `for`, `while` or `do`.
inline const clang::Stmt* bodyOf(const clang::Stmt* Loop) {
  if (const auto* For = llvm::dyn_cast<clang::ForStmt>(Loop))
    return For->getBody();
  if (const auto* While = llvm::dyn_cast<clang::WhileStmt>(Loop))
    return While->getBody();
  return llvm::cast<clang::DoStmt>(Loop)->getBody();
}

/// What leaves the loop before its condition ends it.
inline const clang::Stmt* exitOf(const clang::Stmt* S, bool OwnBreak = true) {
  if (!S || llvm::isa<clang::LambdaExpr>(S))
    return nullptr;
  if (llvm::isa<clang::ReturnStmt, clang::GotoStmt, clang::IndirectGotoStmt>(S) || (OwnBreak && llvm::isa<clang::BreakStmt>(S)))
    return S;
  bool Inner = OwnBreak && !llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt, clang::SwitchStmt>(S);
  for (const clang::Stmt* Child : S->children())
    if (const clang::Stmt* Exit = exitOf(Child, Inner))
      return Exit;
  return nullptr;
}

/// Whether a statement uses of the variable only what it has given it before itself.
inline bool assignedFirst(const clang::Stmt* S, const clang::VarDecl* V) {
  if (!S || !References(S).mention(V))
    return true;
  if (const auto* Assign = llvm::dyn_cast<clang::BinaryOperator>(S))
    return Assign->getOpcode() == clang::BO_Assign && llvm::isa<clang::DeclRefExpr>(Assign->getLHS()->IgnoreParens()) &&
           namedVariable(Assign->getLHS()) == V && !References(Assign->getRHS()).mention(V);
  auto Mentions = [V](const clang::Stmt* Child) { return References(Child).mention(V); };
  if (const auto* Block = llvm::dyn_cast<clang::CompoundStmt>(S)) {
    auto First = llvm::find_if(Block->body(), Mentions);
    const auto* Loop = llvm::dyn_cast<clang::ForStmt>(*First);
    bool Certainly = llvm::isa<clang::BinaryOperator>(*First) || (Loop && Loop->getInit() && Mentions(Loop->getInit()));
    return assignedFirst(*First, V) && (Certainly || llvm::count_if(Block->body(), Mentions) == 1);
  }
  if (const auto* If = llvm::dyn_cast<clang::IfStmt>(S))
    return !Mentions(If->getCond()) && !Mentions(If->getInit()) && assignedFirst(If->getThen(), V) && assignedFirst(If->getElse(), V);
  if (const auto* For = llvm::dyn_cast<clang::ForStmt>(S)) {
    bool InInit = For->getInit() && Mentions(For->getInit());
    return InInit ? assignedFirst(For->getInit(), V) : !Mentions(For->getCond()) && !Mentions(For->getInc()) && assignedFirst(For->getBody(), V);
  }
  return false;
}

} // namespace gpurma

#endif // GPURMA_PASSES_VARIABLEUSES_H
