// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/EarlyReturns.h"

#include "passes/ErrorChecks.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpurma {
namespace {

bool ownBreak(const Stmt* S) {
  if (!S || isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, SwitchStmt, LambdaExpr>(S))
    return false;
  return isa<BreakStmt>(S) || llvm::any_of(S->children(), ownBreak);
}

} // namespace

bool ownContinue(const Stmt* S) {
  if (!S || isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, LambdaExpr>(S))
    return false;
  return isa<ContinueStmt>(S) || llvm::any_of(S->children(), ownContinue);
}

const ReturnStmt* firstReturn(const Stmt* S) {
  if (!S || isa<LambdaExpr>(S))
    return nullptr;
  if (const auto* Return = dyn_cast<ReturnStmt>(S))
    return Return;
  if (const auto* If = dyn_cast<IfStmt>(S))
    if (std::optional<bool> Known = errorCheck(If->getCond()))
      return firstReturn(*Known ? If->getThen() : If->getElse());
  for (const Stmt* Child : S->children())
    if (const ReturnStmt* Found = firstReturn(Child))
      return Found;
  return nullptr;
}

bool alwaysReturns(const Stmt* S) {
  if (!S)
    return false;
  if (isa<ReturnStmt>(S))
    return true;
  if (const auto* Block = dyn_cast<CompoundStmt>(S))
    return llvm::any_of(Block->body(), alwaysReturns);
  const auto* If = dyn_cast<IfStmt>(S);
  if (!If)
    return false;
  if (std::optional<bool> Known = errorCheck(If->getCond()))
    return alwaysReturns(*Known ? If->getThen() : If->getElse());
  return alwaysReturns(If->getThen()) && alwaysReturns(If->getElse());
}

bool isOnce(const Stmt* S, const ASTContext& Context) {
  const auto* Do = dyn_cast<DoStmt>(S);
  bool Again = true;
  return Do && !Do->getCond()->isValueDependent() && Do->getCond()->EvaluateAsBooleanCondition(Again, Context) && !Again &&
         !ownContinue(Do->getBody()) && !ownBreak(Do->getBody());
}

} // namespace gpurma
