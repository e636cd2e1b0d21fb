// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums that may be taken apart: a kernel adds something up in some of its statements, and behind them all that it does with the
// sum is linear, until an atomic operation adds it to a reduced scalar. Then it does not matter whether the statements are run for
// all elements at once, or the kernel several times, each time for some of them. The same of the most and the least of values.
#ifndef GPURMA_PASSES_COMBINEDVALUES_H
#define GPURMA_PASSES_COMBINEDVALUES_H

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "passes/VariableUses.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <map>
#include <optional>
#include <vector>

namespace gpurma {

struct Extremum;

/// The variable that an expression names, or the function or operator that it calls.
llvm::StringRef usedName(const clang::Expr* E);

/// Follows such values from the statements that make them through variables, shared arrays, shuffles and functions to the atomic
/// operation.
class CombinedValues : public DynamicRecursiveASTVisitor {
public:
  enum Operation : unsigned { Plus, Max, Min };

  /// \p Parts: statements of \p Function, which stand apart from each other.
  CombinedValues(const clang::FunctionDecl* Function, llvm::ArrayRef<const clang::Stmt*> Parts, clang::ASTContext& Context);

  /// Whether the parts do nothing with the variable, or with elements of an array of the block, but to combine it with something.
  bool add(const clang::VarDecl* V);
  /// A variable or array that is 0 where no part has stored anything into it, and that nothing but these uses before all parts are
  /// done. They may do with it as they like.
  void addSum(const clang::VarDecl* V);
  /// A variable that holds what is to be combined once the parts are done.
  void addFound(const clang::VarDecl* V, Operation Op) { Combined[V] = only(Op); }
  /// A choice between something, where a part is the condition, and 0.
  void addChoice(const clang::ConditionalOperator* Choice) { Choices.insert(Choice); }

  /// Follows what has been added. Something else that is done with it, null if nothing is.
  const clang::Expr* follow();
  /// Where a part uses what is known only once all parts are done; null if none does. Behind follow().
  const clang::DeclRefExpr* usedInParts() const;

  bool isUpdate(const clang::Expr* Atomic) const { return Updates.contains(Atomic); }
  /// The types that such values have on the way, as far as they are integers. Behind follow().
  const llvm::SmallPtrSetImpl<const clang::Type*>& integerTypes() const { return Integers; }
  /// Whether a most or least of numbers in floating point is found by their bits: only of numbers that are neither negative nor NaN
  /// is that the same. Behind follow().
  bool comparesBits() const { return Bits; }
  /// Whether a part may leave a NaN in a variable that has been added, `v = v > e ? v : e`.
  bool takesNaN() const { return TakesNaN; }
  static bool isZero(const clang::Expr* E, const clang::ASTContext& Context);
  /// Whether a variable is the only name of a block's array, `extern __shared__ char bytes[]; float* part = reinterpret_cast<float*>(bytes);`.
  static bool isNameOfSharedArray(const clang::VarDecl* V, const clang::FunctionDecl* Function);

  // --- Of DynamicRecursiveASTVisitor.

  bool TraverseStmt(clang::Stmt* S) override { return (Following && Parts.contains(S)) || DynamicRecursiveASTVisitor::TraverseStmt(S); }
  bool TraverseLambdaExpr(clang::LambdaExpr* Lambda) override {
    return (Following && Current != Function) || DynamicRecursiveASTVisitor::TraverseLambdaExpr(Lambda);
  }
  bool VisitBinaryOperator(clang::BinaryOperator* E) override;
  bool VisitVarDecl(clang::VarDecl* V) override;
  bool VisitCallExpr(clang::CallExpr* Call) override;
  bool VisitStmt(clang::Stmt* S) override;
  bool VisitReturnStmt(clang::ReturnStmt* Return) override;

private:

  /// Some of the operations: what is 0 but in one place may be added up, and if it is not negative, the most be taken of it as well.
  using Operations = unsigned;
  static constexpr Operations only(Operation Op) { return 1u << Op; }
  static constexpr Operations AnyOperation = 1u << Plus | 1u << Max | 1u << Min;

  /// What is a multiple of combined values, or a most or least of them.
  struct Part {
    Operations Ops = 0; ///< none: a constant
    /// Variables, choices, and calls of functions that return such values.
    std::vector<const clang::Expr*> From;
    /// Nothing to a sum. To the most of values, which each part may have a constant among, it is no matter.
    bool Zero = true;

    Operations possible() const { return Ops ? Ops : Zero ? AnyOperation : AnyOperation & ~only(Plus); }
  };

  void noteOperation(Operation Op);
  void noteInteger(clang::QualType Type) const;
  void noteUpdate(const clang::BinaryOperator& E);
  void noteExtremum(const Extremum& Found, const clang::BinaryOperator& Assignment);
  void followExtremum(const Extremum& Found);
  bool isChosen(const clang::Expr* Part) const;
  void noteStatement(const clang::Expr& E);
  void noteAtomic(const clang::CallExpr& Call);
  const clang::DeclRefExpr* candidateIn(const clang::Expr* E) const;
  bool beginsRight(const clang::VarDecl* V) const;
  void consume(const Part& Value) { Consumed.insert(Value.From.begin(), Value.From.end()); }
  bool combine(const clang::VarDecl* V, const Part& Value);
  bool narrow(Operations& Known, Operations To);
  bool isOwn(const clang::VarDecl* V) const;
  bool isOfBlock(const clang::VarDecl* V) const;
  const clang::DeclRefExpr* storedTo(const clang::Expr* E) const;
  void followAssignment(const clang::BinaryOperator& E);
  bool followAtomic(const clang::CallExpr& Call, const clang::FunctionDecl& Callee);
  void followInto(const clang::CallExpr& Call, const clang::FunctionDecl& Callee);
  const clang::DeclRefExpr* passedArray(const clang::Expr* Argument) const;
  bool passesCombined(const clang::CallExpr& Call, const clang::FunctionDecl& Callee) const;
  const clang::Expr* otherCall() const;
  bool mentionsCombined(const clang::Expr* E) const;
  bool mentionsCombinedIndex(const clang::Expr* E) const;
  std::optional<Part> both(const clang::Expr* A, const clang::Expr* B, Operations Ops) const;
  std::optional<Part> part(const clang::Expr* E) const;
  std::optional<Part> partOf(const clang::Expr* E) const;
  std::optional<Part> partOfCall(const clang::CallExpr& Call) const;
  bool isOfElement(const clang::Expr* E) const;
  bool isOfElement(const clang::VarDecl* V) const;
  Part allOf(const clang::Expr* E) const;
  bool storesNoNegative(const clang::VarDecl* V) const;
  bool isNotNegative(const clang::Expr* E) const;

  const clang::FunctionDecl* Function;
  clang::ASTContext& Context;
  llvm::SmallPtrSet<const clang::Stmt*, 4> Parts;
  llvm::SmallPtrSet<const clang::DeclRefExpr*, 32> Inside;
  std::map<const clang::VarDecl*, Operations> Combined;
  unsigned Narrowed = 0; ///< how often the operations of a variable or function were found to be fewer
  llvm::SmallPtrSet<const clang::VarDecl*, 4> Added, Sums;
  llvm::SmallPtrSet<const clang::ConditionalOperator*, 4> Choices;
  /// The function that is followed, and those that values are passed to, with what they return.
  const clang::FunctionDecl* Current = nullptr;
  llvm::SmallSetVector<const clang::FunctionDecl*, 4> Entered;
  std::map<const clang::FunctionDecl*, Operations> Returned;
  /// Those of them that return something else, too.
  llvm::SmallPtrSet<const clang::FunctionDecl*, 2> Mixed;
  const clang::VarDecl* Candidate = nullptr;
  std::optional<Operation> Which;
  bool Consistent = true, Following = false;
  llvm::SmallPtrSet<const clang::DeclRefExpr*, 16> Updated;
  llvm::SmallPtrSet<const clang::Expr*, 16> Consumed;
  llvm::SmallPtrSet<const clang::Expr*, 4> Updates;
  mutable llvm::SmallPtrSet<const clang::Type*, 4> Integers;
  mutable bool Bits = false;
  bool TakesNaN = false;
};

} // namespace gpurma

#endif // GPURMA_PASSES_COMBINEDVALUES_H
