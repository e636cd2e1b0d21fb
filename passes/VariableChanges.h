// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which variables statements change, directly or through references and lambdas; of structures only some members where the
// statements name them.
#ifndef GPURMA_PASSES_VARIABLECHANGES_H
#define GPURMA_PASSES_VARIABLECHANGES_H

#include "frontend/DynamicRecursiveASTVisitor.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include <map>
#include <set>
#include <utility>

namespace gpurma {

/// The variable that an lvalue is part of, null if it is none, and which of its members.
std::pair<const clang::VarDecl*, const clang::FieldDecl*> memberOf(const clang::Expr* E);

/// Whether nothing changes an object through a reference or a pointer to such a type.
bool isUnchangeable(clang::QualType Referred);

/// Whether a member function may change the object that it is called for.
bool changesObject(const clang::CXXMethodDecl* Method);

/// How often a statement names each variable to change it, and whether it skips part of itself.
class ChangeFinder : public DynamicRecursiveASTVisitor {
public:
  std::map<const clang::VarDecl*, unsigned> Changes;
  std::set<std::pair<const clang::VarDecl*, const clang::FieldDecl*>> Members;
  /// Where it does so first.
  std::map<std::pair<const clang::VarDecl*, const clang::FieldDecl*>, const clang::Expr*> Places;
  /// Members of the object that the statement's function is called for; null if all of it may change.
  std::set<const clang::FieldDecl*> OfObject;
  bool Continues = false;

  bool shouldVisitImplicitCode() const override { return true; }
  bool VisitUnaryOperator(clang::UnaryOperator* E) override;
  bool VisitBinaryOperator(clang::BinaryOperator* E) override;
  bool VisitVarDecl(clang::VarDecl* V) override;
  bool VisitMemberExpr(clang::MemberExpr* E) override;
  bool VisitLambdaExpr(clang::LambdaExpr* E) override;
  bool VisitCXXThisExpr(clang::CXXThisExpr* E) override;
  bool VisitInitListExpr(clang::InitListExpr* E) override;
  bool VisitCallExpr(clang::CallExpr* E) override;
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* E) override;
  bool VisitContinueStmt(clang::ContinueStmt*) override;
  bool VisitExplicitCastExpr(clang::ExplicitCastExpr* E) override;
  bool VisitGCCAsmStmt(clang::GCCAsmStmt* S) override;

private:
  /// A call whose function is not known.
  void noteCallByPointer(const clang::CallExpr& E);
  void note(const clang::Expr* E);

  std::set<const clang::FunctionDecl*> Bodies;
  /// Those that lead to a member or an object, whose changes are seen where they are made.
  std::set<const clang::Expr*> FollowedThis;
};

/// The variables that a statement assigns to, or may change through a reference or an address; of a
/// structure the members, with null if all of it may change.
std::set<std::pair<const clang::VarDecl*, const clang::FieldDecl*>> changedMembers(const clang::Stmt* S);

/// The variables that a statement names.
std::set<const clang::VarDecl*> namedVariables(const clang::Stmt* S);

/// Whether something in a variable's function may have changed it between the copy that a lambda captures and a call of the lambda.
bool isChangedAfterCopy(const clang::VarDecl* V, const clang::LambdaExpr* Lambda, const clang::SourceManager& Sources);

/// What a statement may change.
struct VariableChanges {
  std::set<std::pair<const clang::VarDecl*, const clang::FieldDecl*>> Members;

  explicit VariableChanges(const clang::Stmt* S) : Members(changedMembers(S)) {}
  /// Any part of it.
  bool changes(const clang::VarDecl* V) const {
    auto It = Members.lower_bound({V, nullptr});
    return It != Members.end() && It->first == V;
  }
  bool changes(const clang::VarDecl* V, const clang::FieldDecl* Field) const {
    return Members.count({V, nullptr}) || Members.count({V, Field});
  }
};

} // namespace gpurma

#endif // GPURMA_PASSES_VARIABLECHANGES_H
