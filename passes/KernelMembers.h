// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which members of structures a kernel has to do with: a structure that all kernels are passed has more than each of them needs.
#ifndef GPURMA_PASSES_KERNELMEMBERS_H
#define GPURMA_PASSES_KERNELMEMBERS_H

#include "passes/CallVisitor.h"

namespace gpurma {

/// The members that a kernel names, itself and in the functions that it calls; all, if it may come to one in another way: by a function whose
/// definition is not visible, or by another type of pointer to a structure.
class KernelMembers : public CallVisitor {
public:
  explicit KernelMembers(const clang::FunctionDecl* Kernel);
  /// \p Member: of a structure that the kernel is passed.
  bool mayTouch(const clang::FieldDecl* Member) const;

  bool VisitMemberExpr(clang::MemberExpr* E) override;
  bool VisitCallExpr(clang::CallExpr* E) override;
  bool VisitCastExpr(clang::CastExpr* E) override;

private:
  llvm::DenseSet<const clang::FieldDecl*> Named;
  bool All = false;
};

/// Whether a value of the type is a pointer, or may have one in it: any that has base classes.
bool holdsPointers(clang::QualType Type);

} // namespace gpurma

#endif // GPURMA_PASSES_KERNELMEMBERS_H
