// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pointers of a persistent region may be the same.
#ifndef GPURMA_PASSES_POINTERGROUPS_H
#define GPURMA_PASSES_POINTERGROUPS_H

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "frontend/PointerVariable.h"
#include "passes/Region.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include <utility>

namespace gpurma {

/// Which pointers of a region may come to hold what others held: those that one assignment,
/// initialisation or call names; and all, if a cast hides what a pointer is.
class PointerGroups : public DynamicRecursiveASTVisitor {
public:
  PointerGroups(const Region& R, const clang::ASTContext& Context);

  bool same(const DistributedArray& A, const DistributedArray& B) const {
    return Groups.isEquivalent(node(A), node(B));
  }
  /// Whether a variable that is no array may come to hold it.
  bool mayBe(const clang::VarDecl* V, const DistributedArray& A) const {
    return Groups.isEquivalent({V, element(A.Pointer.type())}, node(A));
  }

  bool VisitBinaryOperator(clang::BinaryOperator* B) override;
  bool VisitCallExpr(clang::CallExpr* Call) override;
  bool VisitVarDecl(clang::VarDecl* V) override;
  bool VisitCastExpr(clang::CastExpr* Cast) override;

private:
  /// A pointer, or the pointers of a type in a structure.
  using Node = std::pair<PointerVariable, const clang::Type*>;

  const clang::Type* element(clang::QualType Pointer) const;

  Node node(const DistributedArray& A) const { return {A.Pointer, element(A.Pointer.type())}; }

  /// Whether a variable that is no array may have a pointer to such elements in it.
  bool mayHold(clang::QualType T, const clang::Type* Element) const;
  void join(const clang::Stmt* S, const clang::VarDecl* Declared = nullptr);

  const Region& R;
  const clang::ASTContext& Context;
  llvm::EquivalenceClasses<Node> Groups;
};

} // namespace gpurma

#endif // GPURMA_PASSES_POINTERGROUPS_H
