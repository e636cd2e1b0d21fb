// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang::RecursiveASTVisitor with virtual functions. Each visitor that derives from the template compiles all of it anew, which took
// most of the time of a build; those that derive from this class share one instance. Clang 20 has a class of this name.
#ifndef GPURMA_FRONTEND_DYNAMICRECURSIVEASTVISITOR_H
#define GPURMA_FRONTEND_DYNAMICRECURSIVEASTVISITOR_H

#include "clang/AST/TypeLoc.h"

namespace clang {
class Decl;
class LambdaCapture;
class Stmt;
#define DECL(CLASS, BASE) class CLASS##Decl;
#include "clang/AST/DeclNodes.inc"
#define STMT(CLASS, PARENT) class CLASS;
#include "clang/AST/StmtNodes.inc"
} // namespace clang

namespace gpurma {

/// Visits a node before its children. The Traverse functions go through a node and what is below it, the Visit functions are called
/// for each node and each of its classes, the most general first; if one returns false, no further nodes are visited.
class DynamicRecursiveASTVisitor {
public:
  virtual ~DynamicRecursiveASTVisitor();

  virtual bool shouldVisitTemplateInstantiations() const;
  virtual bool shouldVisitImplicitCode() const;

  virtual bool TraverseDecl(clang::Decl* D);
  virtual bool TraverseVarDecl(clang::VarDecl* D);
  virtual bool TraverseStmt(clang::Stmt* S);
  virtual bool TraverseLambdaCapture(clang::LambdaExpr* Lambda, const clang::LambdaCapture* Capture, clang::Expr* Init);
#define ABSTRACT_STMT(STMT)
#define STMT(CLASS, PARENT) virtual bool Traverse##CLASS(clang::CLASS* S);
#include "clang/AST/StmtNodes.inc"

  virtual bool VisitDecl(clang::Decl* D);
#define DECL(CLASS, BASE) virtual bool Visit##CLASS##Decl(clang::CLASS##Decl* D);
#include "clang/AST/DeclNodes.inc"
  virtual bool VisitStmt(clang::Stmt* S);
#define STMT(CLASS, PARENT) virtual bool Visit##CLASS(clang::CLASS* S);
#include "clang/AST/StmtNodes.inc"
  virtual bool VisitTypeLoc(clang::TypeLoc T);
#define TYPELOC(CLASS, BASE) virtual bool Visit##CLASS##TypeLoc(clang::CLASS##TypeLoc T);
#include "clang/AST/TypeLocNodes.def"
};

} // namespace gpurma

#endif // GPURMA_FRONTEND_DYNAMICRECURSIVEASTVISITOR_H
