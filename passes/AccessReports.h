// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is said of accesses of a kernel that cannot be shared out: where, why, and which clause would state what cannot be inferred.
#ifndef GPURMA_PASSES_ACCESSREPORTS_H
#define GPURMA_PASSES_ACCESSREPORTS_H

#include "frontend/Diagnostics.h"
#include "passes/CoordinateAccess.h"

#include <set>

namespace gpurma {

class AccessReports {
public:
  /// Notes in \p Seen what errors say of the kernel's form.
  AccessReports(const clang::FunctionDecl* Kernel, const LaunchFacts& Launch, SymbolicSets& Sets, clang::ASTContext& Context, Diagnostics& Diags,
                KernelForm& Seen)
      : Kernel(Kernel), Launch(Launch), Sets(Sets), Context(Context), Diags(Diags), Form(Seen) {}

  /// Whether there was an error.
  bool failed() const { return Failed; }
  clang::DiagnosticBuilder error(clang::SourceLocation Where, Diag Which);
  clang::DiagnosticBuilder error(const clang::Expr* Where, Diag Which);
  clang::DiagnosticBuilder note(const clang::Expr* Where, Diag Which) { return Diags.report(Where->getExprLoc(), Which); }

  /// \p P: the coordinate, or what else of the access is not.
  void notAffine(const CoordinateAccess& A, const Polynomial& P);
  /// Coordinate \p J goes along grid dimension \p D as one of more elements does, and so is none of the clause's.
  void rowLength(const CoordinateAccess& A, size_t J, unsigned D);
  /// A launch in one dimension touches something else than each thread's element.
  void notOwn(const CoordinateAccess& A);
  enum OutsideOfComponent { Row, Component, BeforeFirst };
  /// An access may leave its component of the array.
  void outside(const CoordinateAccess& A, OutsideOfComponent What);
  /// No dimension of the grid goes through the rows.
  void rowsNotWalked(const CoordinateAccess& A);
  /// Blocks are not as far apart along the dimension as they are large.
  void blockStride(const CoordinateAccess& A, unsigned D);
  /// A loop that goes on by whole grids would have other iterations in a grid that has all rows.
  void gridStrides(const PointerVariable& Array, const clang::Expr* Where);

  /// The clause that would state how far reads go.
  void noteHalo(const CoordinateAccess& A);
  /// What a row's distance from the thread's own depends on, if that is a parameter.
  void noteRowOffset(const CoordinateAccess& A);
  /// Whether rows seem to be those of several components, so many rows of the array or of its clause's product apart.
  bool noteComponents(const CoordinateAccess& A);

private:
  /// Says so if threads along a dimension of the grid are no whole rows of the clause apart.
  bool otherRowLength(const CoordinateAccess& A);
  /// Says once of each size that a coordinate is made of, and the clause does not name, what the launch passes for it.
  void noteOtherExtents(const CoordinateAccess& A);
  void noteConstants(const CoordinateAccess& A, const Polynomial& P);
  /// Says once why it is not known what is in constant memory, if the place is there.
  void noteConstant(const CoordinateAccess& A, PointerVariable Place);

  const clang::FunctionDecl* Kernel;
  const LaunchFacts& Launch;
  SymbolicSets& Sets;
  clang::ASTContext& Context;
  Diagnostics& Diags;
  KernelForm& Form;
  std::set<PointerVariable> NotedConstants;
  std::set<Symbol> NotedExtents;
  /// Arrays whose rows are of other lengths than the clause says.
  std::set<PointerVariable> NotedRows;
  bool Failed = false;
};

} // namespace gpurma

#endif // GPURMA_PASSES_ACCESSREPORTS_H
