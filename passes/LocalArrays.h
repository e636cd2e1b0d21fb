// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small arrays of a function in which it keeps indices.
//
//   int ys[3];
//   for (int k = 0; k < 3; ++k)
//     ys[k] = max(0, min(ny - 1, y + k - 1));
//   ... in[ys[j] * nx + x] ...
#ifndef GPURMA_PASSES_LOCALARRAYS_H
#define GPURMA_PASSES_LOCALARRAYS_H

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "passes/VariableChanges.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include <cstdint>
#include <map>
#include <optional>
#include <set>

namespace gpurma {

/// How many elements an array has that may hold indices; none for other types.
std::optional<std::int64_t> indexElements(clang::QualType Array, const clang::ASTContext& Context);

/// The variable whose element, or whose member's element, an lvalue is; null for other lvalues.
const clang::VarDecl* arrayOfElement(const clang::Expr* E);

/// Which elements of arrays a loop may change.
class ElementChanges : public DynamicRecursiveASTVisitor {
public:
  explicit ElementChanges(llvm::ArrayRef<const clang::Stmt*> Parts);

  /// Those of variables that it names.
  std::set<const clang::VarDecl*> Arrays;
  /// Those of variables whose address has been taken (ArrayUses::isExposed).
  bool Others = false;

  bool VisitBinaryOperator(clang::BinaryOperator* E) override;
  bool VisitUnaryOperator(clang::UnaryOperator* E) override;
  bool VisitCallExpr(clang::CallExpr* E) override;
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* E) override;
  bool VisitGCCAsmStmt(clang::GCCAsmStmt* S) override;

private:
  void note(const clang::Expr* E);
  void noteCall(const clang::FunctionDecl* Callee);
};

/// What a statement may change, elements of arrays too.
class ValueChanges {
public:
  explicit ValueChanges(const clang::Stmt* S) : Named(S), Elements(S) {}
  /// Any part of it.
  bool changes(const clang::VarDecl* V) const;

private:
  VariableChanges Named;
  ElementChanges Elements;
};

/// What functions do with their arrays.
class ArrayUses {
public:
  /// Whether elements may be changed without naming the array, as through a pointer.
  bool isExposed(const clang::VarDecl* V);

private:
  std::map<const clang::VarDecl*, bool> Known;
};

/// Whether the iterations of a loop store into elements of an array that is there before it, by indices that the loop moves.
bool fillsElements(const clang::Stmt* Body, const std::set<const clang::VarDecl*>& Moved);

} // namespace gpurma

#endif // GPURMA_PASSES_LOCALARRAYS_H
