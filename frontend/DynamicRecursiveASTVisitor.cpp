// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/DynamicRecursiveASTVisitor.h"

#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace gpurma {

namespace {

/// Asks a visitor at each node. It has no state, so that the visitor may begin with a new one at any node.
class Dispatcher : public RecursiveASTVisitor<Dispatcher> {
public:
  using Base = RecursiveASTVisitor<Dispatcher>;

  explicit Dispatcher(DynamicRecursiveASTVisitor& Visitor) : Visitor(Visitor) {}

  bool shouldVisitTemplateInstantiations() const { return Visitor.shouldVisitTemplateInstantiations(); }
  bool shouldVisitImplicitCode() const { return Visitor.shouldVisitImplicitCode(); }

  bool TraverseDecl(Decl* D) { return Visitor.TraverseDecl(D); }
  bool TraverseVarDecl(VarDecl* D) { return Visitor.TraverseVarDecl(D); }
  bool TraverseStmt(Stmt* S) { return Visitor.TraverseStmt(S); }
  bool TraverseLambdaCapture(LambdaExpr* Lambda, const LambdaCapture* Capture, Expr* Init) {
    return Visitor.TraverseLambdaCapture(Lambda, Capture, Init);
  }
#define ABSTRACT_STMT(STMT)
#define STMT(CLASS, PARENT)                                                                                                        \
  bool Traverse##CLASS(CLASS* S) { return Visitor.Traverse##CLASS(S); }
#include "clang/AST/StmtNodes.inc"

  bool VisitDecl(Decl* D) { return Visitor.VisitDecl(D); }
#define DECL(CLASS, BASE)                                                                                                          \
  bool Visit##CLASS##Decl(CLASS##Decl* D) { return Visitor.Visit##CLASS##Decl(D); }
#include "clang/AST/DeclNodes.inc"
  bool VisitStmt(Stmt* S) { return Visitor.VisitStmt(S); }
#define STMT(CLASS, PARENT)                                                                                                        \
  bool Visit##CLASS(CLASS* S) { return Visitor.Visit##CLASS(S); }
#include "clang/AST/StmtNodes.inc"
  bool VisitTypeLoc(TypeLoc T) { return Visitor.VisitTypeLoc(T); }
#define TYPELOC(CLASS, BASE)                                                                                                       \
  bool Visit##CLASS##TypeLoc(CLASS##TypeLoc T) { return Visitor.Visit##CLASS##TypeLoc(T); }
#include "clang/AST/TypeLocNodes.def"

private:
  DynamicRecursiveASTVisitor& Visitor;
};

} // namespace

// Also what does nothing is defined here: inline, each translation unit with a visitor would have all of it.

DynamicRecursiveASTVisitor::~DynamicRecursiveASTVisitor() = default;

bool DynamicRecursiveASTVisitor::shouldVisitTemplateInstantiations() const { return false; }
bool DynamicRecursiveASTVisitor::shouldVisitImplicitCode() const { return false; }

bool DynamicRecursiveASTVisitor::TraverseDecl(Decl* D) { return Dispatcher(*this).Base::TraverseDecl(D); }
bool DynamicRecursiveASTVisitor::TraverseVarDecl(VarDecl* D) { return Dispatcher(*this).Base::TraverseVarDecl(D); }
bool DynamicRecursiveASTVisitor::TraverseStmt(Stmt* S) { return Dispatcher(*this).Base::TraverseStmt(S); }
bool DynamicRecursiveASTVisitor::TraverseLambdaCapture(LambdaExpr* Lambda, const LambdaCapture* Capture, Expr* Init) {
  return Dispatcher(*this).Base::TraverseLambdaCapture(Lambda, Capture, Init);
}
#define ABSTRACT_STMT(STMT)
#define STMT(CLASS, PARENT)                                                                                                        \
  bool DynamicRecursiveASTVisitor::Traverse##CLASS(CLASS* S) { return Dispatcher(*this).Base::Traverse##CLASS(S); }
#include "clang/AST/StmtNodes.inc"

bool DynamicRecursiveASTVisitor::VisitDecl(Decl*) { return true; }
#define DECL(CLASS, BASE)                                                                                                          \
  bool DynamicRecursiveASTVisitor::Visit##CLASS##Decl(CLASS##Decl*) { return true; }
#include "clang/AST/DeclNodes.inc"
bool DynamicRecursiveASTVisitor::VisitStmt(Stmt*) { return true; }
#define STMT(CLASS, PARENT)                                                                                                        \
  bool DynamicRecursiveASTVisitor::Visit##CLASS(CLASS*) { return true; }
#include "clang/AST/StmtNodes.inc"
bool DynamicRecursiveASTVisitor::VisitTypeLoc(TypeLoc) { return true; }
#define TYPELOC(CLASS, BASE)                                                                                                       \
  bool DynamicRecursiveASTVisitor::Visit##CLASS##TypeLoc(CLASS##TypeLoc) { return true; }
#include "clang/AST/TypeLocNodes.def"

} // namespace gpurma
