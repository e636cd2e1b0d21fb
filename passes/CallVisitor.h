// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel does, itself and in the functions that it calls: visitors that go from one to the next.
#ifndef GPURMA_PASSES_CALLVISITOR_H
#define GPURMA_PASSES_CALLVISITOR_H

#include "frontend/DynamicRecursiveASTVisitor.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace gpurma {

/// The definition of a function that is not CUDA's or the C++ library's; null if none is visible.
inline const clang::FunctionDecl* ownDefinition(const clang::FunctionDecl& Function) {
  const clang::FunctionDecl* Definition = nullptr;
  const bool IsOwn = Function.hasBody(Definition) && !Function.getASTContext().getSourceManager().isInSystemHeader(Definition->getLocation());
  return IsOwn ? Definition : nullptr;
}

/// A function's body, and what a constructor initialises before; false if the visitor has had enough.
inline bool traverseDefinition(DynamicRecursiveASTVisitor& Visitor, const clang::FunctionDecl* Definition) {
  if (const auto* Constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(Definition))
    for (const clang::CXXCtorInitializer* Initializer : Constructor->inits())
      if (!Visitor.TraverseStmt(Initializer->getInit()))
        return false;
  return Visitor.TraverseStmt(Definition->getBody());
}

/// Visits each function that it is told to enter once, the last one first. It enters those that are named, called as members, or
/// constructors; a class with such a Visit function of its own says itself what it enters.
class CallVisitor : public DynamicRecursiveASTVisitor {
public:
  bool shouldVisitImplicitCode() const override { return true; }
  bool VisitDeclRefExpr(clang::DeclRefExpr* Ref) override {
    if (const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(Ref->getDecl()))
      enter(Function);
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr* Member) override {
    if (const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(Member->getMemberDecl()))
      enter(Function);
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* Construct) override {
    enter(Construct->getConstructor());
    return true;
  }

protected:
  void enter(const clang::FunctionDecl* Function) { Waiting.push_back(Function); }

  /// Until nothing is to be entered, or a Visit function returns false.
  void visitEntered() {
    bool Continue = true;
    while (Continue && !Waiting.empty()) {
      const clang::FunctionDecl* Next = Waiting.pop_back_val();
      if (Entered.insert(Next->getCanonicalDecl()).second)
        Continue = visitFunction(Next);
    }
  }

  /// One without a body does nothing.
  virtual bool visitFunction(const clang::FunctionDecl* Function) {
    Current = Function;
    const clang::FunctionDecl* Definition = nullptr;
    return !Function->hasBody(Definition) || traverseDefinition(*this, Definition);
  }

  /// The one that is being visited.
  const clang::FunctionDecl* Current = nullptr;
  /// Canonical declarations.
  llvm::DenseSet<const clang::FunctionDecl*> Entered;

private:
  llvm::SmallVector<const clang::FunctionDecl*, 16> Waiting;
};

} // namespace gpurma

#endif // GPURMA_PASSES_CALLVISITOR_H
