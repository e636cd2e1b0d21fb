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

  bool failed() const { return Failed; }
  clang::DiagnosticBuilder error(clang::SourceLocation Where, Diag Which);
  clang::DiagnosticBuilder error(const clang::Expr* Where, Diag Which);
  clang::DiagnosticBuilder note(const clang::Expr* Where, Diag Which) { return Diags.report(Where->getExprLoc(), Which); }

  /// \p P: the coordinate, or what else of the access is not.
  void notAffine(const CoordinateAccess& A, const Polynomial& P);
  void notOwn(const CoordinateAccess& A);
  enum OutsideOfComponent { Row, Component, BeforeFirst };
  void outside(const CoordinateAccess& A, OutsideOfComponent What);
  void rowsNotWalked(const CoordinateAccess& A);
  void blockStride(const CoordinateAccess& A, unsigned D);
  void gridStrides(const PointerVariable& Array, const clang::Expr* Where);

  void noteHalo(const CoordinateAccess& A);
  /// Whether rows seem to be those of several components, so many rows of the array or of its clause's product apart.
  bool noteComponents(const CoordinateAccess& A);

private:
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
  bool Failed = false;
};

} // namespace gpurma

#endif // GPURMA_PASSES_ACCESSREPORTS_H
