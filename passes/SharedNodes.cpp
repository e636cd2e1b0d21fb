// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/SharedNodes.h"

#include "passes/ExpressionCopier.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/DenseSet.h"

using namespace clang;

namespace gpurma {
namespace {

class NodeCopier : ExpressionCopier {
public:
  NodeCopier(const Stmt* Pattern, ASTContext& Context) : ExpressionCopier(Context) { note(Pattern); }

  WhileStmt* loop(WhileStmt* Loop) {
    if (Shared.contains(Loop))
      return cast<WhileStmt>(copyStatement(Loop));
    own(Loop);
    return Loop;
  }

private:
  void note(const Stmt* S) {
    if (!S || !Shared.insert(S).second)
      return;
    for (const Stmt* Child : S->children())
      note(Child);
  }

  /// Lets nodes of its own take the places of those that are shared.
  void own(Stmt* S) {
    for (auto Child = S->child_begin(); Child != S->child_end(); ++Child)
      if (*Child && Shared.contains(*Child))
        *Child = copyStatement(*Child);
      else if (*Child)
        own(*Child);
  }

  Stmt* copyStatement(Stmt* S) {
    if (!S)
      return nullptr;
    if (auto* E = dyn_cast<Expr>(S))
      return copy(E);
    switch (S->getStmtClass()) {
    case Stmt::CompoundStmtClass: {
      auto* Block = cast<CompoundStmt>(S);
      llvm::SmallVector<Stmt*, 8> All;
      for (Stmt* Each : Block->body())
        All.push_back(copyStatement(Each));
      return CompoundStmt::Create(Context, All, FPOptionsOverride(), Block->getLBracLoc(), Block->getRBracLoc());
    }
    case Stmt::IfStmtClass: {
      auto* If = cast<IfStmt>(S);
      return IfStmt::Create(Context, If->getIfLoc(), If->getStatementKind(), copyStatement(If->getInit()), If->getConditionVariable(), copy(If->getCond()),
                            If->getLParenLoc(), If->getRParenLoc(), copyStatement(If->getThen()), If->getElseLoc(), copyStatement(If->getElse()));
    }
    case Stmt::WhileStmtClass: {
      auto* While = cast<WhileStmt>(S);
      return WhileStmt::Create(Context, While->getConditionVariable(), copy(While->getCond()), copyStatement(While->getBody()), While->getWhileLoc(),
                               While->getLParenLoc(), While->getRParenLoc());
    }
    case Stmt::DoStmtClass: {
      auto* Do = cast<DoStmt>(S);
      return new (Context)
          DoStmt(copyStatement(Do->getBody()), copy(Do->getCond()), Do->getDoLoc(), Do->getWhileLoc(), Do->getRParenLoc());
    }
    case Stmt::ForStmtClass: {
      auto* For = cast<ForStmt>(S);
      return new (Context) ForStmt(Context, copyStatement(For->getInit()), copy(For->getCond()), For->getConditionVariable(), copy(For->getInc()),
                                   copyStatement(For->getBody()), For->getForLoc(), For->getLParenLoc(), For->getRParenLoc());
    }
    default:
      return S; // declarations and switches belong to one instance
    }
  }

  Expr* copyReference(DeclRefExpr* Ref) override { return Ref; }
  Expr* copyMember(MemberExpr* Member) override { return copyPlainMember(Member); }
  Expr* copyChoice(ConditionalOperator* Choice) override {
    return new (Context) ConditionalOperator(copy(Choice->getCond()), Choice->getQuestionLoc(), copy(Choice->getTrueExpr()), Choice->getColonLoc(),
                                             copy(Choice->getFalseExpr()), Choice->getType(), Choice->getValueKind(), Choice->getObjectKind());
  }
  Expr* copyCall(CallExpr* Call) override { return copyPlainCall(Call); }

  llvm::DenseSet<const Stmt*> Shared;
};

} // namespace

WhileStmt* withOwnNodes(WhileStmt* Loop, const FunctionDecl* Function, ASTContext& Context) {
  const FunctionDecl* Pattern = Function ? Function->getTemplateInstantiationPattern() : nullptr;
  return Pattern && Pattern != Function && Pattern->hasBody() ? NodeCopier(Pattern->getBody(), Context).loop(Loop) : Loop;
}

} // namespace gpurma
