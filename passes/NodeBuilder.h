// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes nodes of the AST that stand for no text of the program, as what takes the place of a call needs them. Their locations are those of
// what they are made for.
#ifndef GPURMA_PASSES_NODEBUILDER_H
#define GPURMA_PASSES_NODEBUILDER_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace gpurma {

class NodeBuilder {
public:
  explicit NodeBuilder(clang::ASTContext& Context) : Context(Context) {}

  /// A variable of the region that stands for something else, which is what it is initialised with.
  clang::VarDecl* standIn(const clang::FunctionDecl* Function, clang::IdentifierInfo* Name, clang::QualType Type, clang::Expr* Init, clang::SourceLocation Loc) const;
  clang::Expr* name(clang::VarDecl* V, clang::SourceLocation Loc) const;
  /// What is read there.
  clang::Expr* valueOf(clang::Expr* Place) const;
  clang::Expr* valueOf(clang::VarDecl* V, clang::SourceLocation Loc) const;
  clang::Expr* assigned(clang::VarDecl* V, clang::Expr* Value, clang::SourceLocation Loc) const;
  clang::Expr* incremented(clang::VarDecl* V, clang::SourceLocation Loc) const;
  /// for (T index = 0; index != count; ++index) body, of a variable that begins with a number.
  clang::Stmt* counting(clang::VarDecl* Index, clang::Expr* Count, clang::Stmt* Body, clang::SourceLocation Loc) const;
  clang::Expr* isGreater(clang::Expr* One, clang::Expr* Other, clang::SourceLocation Loc) const;
  clang::Expr* differ(clang::Expr* One, clang::Expr* Other, clang::SourceLocation Loc) const;
  clang::Expr* negated(clang::Expr* E, clang::SourceLocation Loc) const;
  clang::Expr* number(uint64_t Value, clang::QualType Type, clang::SourceLocation Loc) const;
  clang::Expr* boolean(bool Value, clang::SourceLocation Loc) const;
  clang::Expr* inParentheses(clang::Expr* E, clang::SourceRange Where) const;
  /// `(T)e`; text has no implicit conversions.
  clang::Expr* cast(clang::Expr* E, clang::QualType Type, clang::SourceLocation Loc) const;
  /// array[index], of a pointer, too; null where a class of the standard library has no such operator.
  clang::Expr* elementAt(clang::Expr* Array, clang::Expr* Index, clang::SourceLocation Loc) const;
  /// std::swap(a, b).
  clang::Expr* swapped(clang::VarDecl* A, clang::VarDecl* B, clang::SourceLocation Loc) const;

  clang::Stmt* block(llvm::ArrayRef<clang::Stmt*> All, clang::SourceRange Where) const;
  clang::Stmt* declaration(clang::Decl* D, clang::SourceRange Where) const;
  /// \p Else: null for none.
  clang::Stmt* ifElse(clang::Expr* Cond, clang::Stmt* Then, clang::Stmt* Else, clang::SourceLocation Loc) const;
  /// `if (!condition) break;`.
  clang::Stmt* leavesUnless(clang::Expr* Cond) const;

private:
  clang::Expr* callee(clang::FunctionDecl* F, clang::SourceLocation Loc) const;

  clang::ASTContext& Context;
};

/// Lets what \p Replacement returns take the places of expressions in a statement, also in the form of lists that is printed, but not in
/// lambdas. Null: the expression stays, and those in it are looked at.
void replaceExpressions(clang::Stmt* S, llvm::function_ref<clang::Expr*(clang::Expr*)> Replacement);

} // namespace gpurma

#endif // GPURMA_PASSES_NODEBUILDER_H
