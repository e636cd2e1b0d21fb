// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the expressions of a persistent region as device code, by Clang's printer and what it is to write differently: names of variables
// that the kernel has as values, reduced scalars, and calls that the device has under other names, or that the region makes superfluous.
#ifndef GPURMA_PASSES_EXPRESSIONWRITER_H
#define GPURMA_PASSES_EXPRESSIONWRITER_H

#include "passes/RegionWriter.h"
#include "passes/VariableChanges.h"
#include "clang/AST/Expr.h"
#include "clang/AST/PrettyPrinter.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <optional>
#include <string>
#include <utility>

namespace gpurma {

/// A region whose text is being written.
struct RegionDraft {
  const Region& R;
  const std::string& Number;
  const LocalTypes& Types;
  Unit& U;
  Program& P;
  WrittenRegion Result;
  const VariableChanges Changes{R.Statement};
};

class ExpressionWriter final : public clang::PrinterHelper {
public:
  explicit ExpressionWriter(RegionDraft& Draft);

  std::string text(const clang::Expr* E);
  /// Notes that nothing wants the value of what is to be written, nor of its last parts.
  void discard(const clang::Expr* E);
  /// `T name`.
  std::string named(clang::QualType Type, std::string Name) const;
  /// `T name`, for the type of a value.
  std::string member(clang::QualType Type, std::string Name) const;

  size_t reducedIndex(const ReducedScalar& Scalar) const;
  std::string reducedName(const ReducedScalar& Scalar) const;
  /// The pointer to memory of the host that a reduced scalar is copied to or from.
  const clang::VarDecl* copiedScalar(const clang::CallExpr& Call) const;
  /// How many blocks a launch had that have left their numbers in a scalar.
  std::string blocksName(const ReducedScalar& Scalar) const;
  /// Whether there are as many as are added up. \p Threads: as CombiningLaunch has them.
  std::string blocksCheck(const ReducedScalar& From, const std::string& Count, std::int64_t Threads, clang::SourceLocation Loc) const;

  /// A type that the region's kernel, which stands outside of its function, has neither a name for nor a copy of.
  bool isUnnamed(clang::QualType Type) const;
  bool hasCopy(clang::QualType Type) const;

  /// &u[k]: nothing is accessed. Null for other expressions.
  static const clang::ArraySubscriptExpr* addressedElement(const clang::Stmt* S);

  /// As err_region_variable has them.
  enum VariableProblem { NotTrivial, Unnamed, Member, StaticMember, ThreadOrStatic, Reduced, OtherName, OfItself };

  clang::DiagnosticBuilder report(clang::SourceLocation Loc, Diag Which);
  void unsupported(const clang::Stmt* S);
  std::string spelled(const clang::Stmt* S) const;

  /// What is printed here.
  bool handledStmt(clang::Stmt* S, llvm::raw_ostream& To) override;

private:
  /// Of an lvalue that is read, which may be a reduced scalar or one of several: c ? *old : *now.
  std::string readText(const clang::Expr* E);
  bool call(const clang::CallExpr& Call, llvm::raw_ostream& To);
  /// One rank prints, so that the others do not know what such a call returns.
  void checkPrinting(const clang::CallExpr& Call);
  void arguments(const clang::CallExpr& Call, llvm::raw_ostream& To, unsigned First = 0);
  /// A copy or fill of distributed arrays, as an expression. False: the call is something else.
  bool arrayCopy(const clang::CallExpr& Call, llvm::raw_ostream& To);
  /// Such a copy leaves nothing but the question whether it is of all numbers.
  bool copyOfNumbers(const clang::CallExpr& Call, llvm::raw_ostream& To);
  /// A copy or filling of a reduced scalar, which the region knows. False: it is something else.
  bool scalarTransfer(const clang::CallExpr& Call, llvm::StringRef Name, llvm::raw_ostream& To);
  /// Whether device code may call the function.
  void checkCallee(clang::SourceLocation Loc, clang::SourceRange Range,
                   const clang::FunctionDecl& Callee, bool ReachesMemory = false);
  bool reference(const clang::DeclRefExpr& Ref, llvm::raw_ostream& To);
  void capture(const clang::VarDecl& Variable, clang::SourceLocation Loc);
  std::string hostScalar(const clang::VarDecl* Pointer, clang::SourceLocation Loc);
  /// Of *norm and norm[0], and of norm[2] where that is one; a cast of the pointer would mean its bits.
  const ReducedScalar* reducedBy(const clang::Expr* E) const;
  /// The same as text, also of an element of an array of scalars whose number only the running program knows, sums[k]. None: it is none.
  std::optional<std::string> reducedText(const clang::Expr* E);
  /// The scalars that sums[k] may be; empty of other expressions.
  llvm::ArrayRef<ReducedScalar> reducedChoice(const clang::Expr* E) const;
  /// Of an assertion: all ranks find that it does not hold, one says so, in the name of the
  /// program's function.
  void assertion(const clang::CallExpr& Call, llvm::raw_ostream& To);
  /// What a copy names as &variable, or as a pointer to a scalar of the host, and its type. None: something else.
  std::optional<std::pair<std::string, clang::QualType>> copiedValue(const clang::CallExpr& Call, unsigned Argument);
  /// *(float*)&bits, which is read: a number of a variable of the region as one of another type of its size.
  std::optional<std::string> bitsOfVariable(const clang::Expr& E);
  /// The text of a value as a copy of its bytes makes one of another type of it. None: the sizes differ.
  std::optional<std::string> copied(const std::string& Value, clang::QualType From, clang::QualType To) const;
  bool assignCopy(const std::string& Target, clang::QualType To, const std::string& Value, clang::QualType From, llvm::raw_ostream& Out) const;
  int bytesOf(const ReducedScalar& Scalar) const;
  /// Whether a copy or clearing is of as many scalars, one behind the other, and nothing else.
  bool isOfBytes(const clang::CallExpr& Call, const ReducedScalar& Scalar, size_t Count = 1) const;
  /// Elements of an array of scalars, one behind the other, which a call copies or clears; empty for others.
  llvm::ArrayRef<ReducedScalar> reducedArray(const clang::CallExpr& Call, unsigned Argument) const;
  /// cudaMemset of such an array, and cudaMemcpy between it and an array of the host.
  bool arrayTransfer(const clang::CallExpr& Call, llvm::StringRef Name, llvm::raw_ostream& To);
  /// The number that a scalar is if all its bytes are this one. None: it is no constant, or that is no number to write.
  std::optional<std::uint64_t> filledWith(const clang::Expr& Byte, const ReducedScalar& Scalar) const;
  std::string filling(std::uint64_t Bits, clang::QualType Type) const;
  /// Once.
  void suggestHost(clang::SourceLocation Loc);
  /// Once.
  void explainEvent(const clang::CallExpr& Call);
  void explainTimes(clang::SourceLocation Loc);

  RegionDraft& Draft;
  clang::ASTContext& Context;
  clang::PrintingPolicy Policy;
  /// Lvalues that are assigned to, which a reduced scalar does by operators of its own.
  llvm::SmallPtrSet<const clang::Expr*, 8> Assigned;
  /// Calls whose value nothing wants.
  llvm::SmallPtrSet<const clang::Expr*, 8> Discarded;
  bool HasSuggestedHost = false, HasExplainedTimes = false;
};

} // namespace gpurma

#endif // GPURMA_PASSES_EXPRESSIONWRITER_H
