// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of CUDA that a region has from before it: no call of the region finds them, so that they
// are values like others.
//
//   cudaError_t peer = cudaDeviceEnablePeerAccess(1, 0);
//   for (...)
//     if (peer != cudaSuccess) ++slow;     ->     if ((cudaError_t)peer != cudaSuccess) ++slow;
#ifndef GPURMA_PASSES_ERRORSBEFORE_H
#define GPURMA_PASSES_ERRORSBEFORE_H

#include "passes/CallVisitor.h"
#include "passes/HostParts.h"
#include "passes/VariableChanges.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/DenseSet.h"

namespace gpurma {

/// Variables, and members of the region's object, with a cudaError_t (or a number of one) that are
/// declared outside of the region and that neither it nor a function that it calls changes.
class ErrorsBefore : CallVisitor {
public:
  ErrorsBefore(clang::WhileStmt* Loop, const clang::FunctionDecl* Function,
               llvm::ArrayRef<HostPart> HostParts);

  /// Casts what the region's own statement reads of them, for isFromBefore(). Errors that it gets
  /// by loops over arrays of them are such, too.
  void castIn(clang::WhileStmt* Loop, clang::ASTContext& Context) const;

  /// Where a function that the region calls reads one; null if it does not.
  const clang::Expr* readIn(const clang::FunctionDecl* F) const;

  bool VisitVarDecl(clang::VarDecl* V) override;
  bool VisitCXXForRangeStmt(clang::CXXForRangeStmt* Loop) override;

private:
  bool visitFunction(const clang::FunctionDecl* F) override;
  void note(const clang::Stmt* S);
  /// Of the place that an expression names.
  bool contains(const clang::Expr* Place) const;
  /// The value of such a place.
  bool isRead(const clang::Expr* E) const;

  const clang::FunctionDecl* Function;
  llvm::DenseSet<const clang::VarDecl*> Declared;
  std::set<std::pair<const clang::VarDecl*, const clang::FieldDecl*>> Changed;
  std::set<const clang::FieldDecl*> ChangedMembers;
  /// Of loops over arrays, what has one element after the other.
  std::vector<const clang::CXXForRangeStmt*> Loops;
  llvm::DenseSet<const clang::VarDecl*> Elements;
};

} // namespace gpurma

#endif // GPURMA_PASSES_ERRORSBEFORE_H
