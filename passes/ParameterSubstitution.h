// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that parameters of a function have become, where its body has taken the place of a call. Where nothing changes them, nor what
// they were given, that stands for them:
//
//   { const int count = n; float* const to = v; scale<<<(count + 255) / 256, 256>>>(to, count); }   ->   { scale<<<(n + 255) / 256, 256>>>(v, n); }
#ifndef GPURMA_PASSES_PARAMETERSUBSTITUTION_H
#define GPURMA_PASSES_PARAMETERSUBSTITUTION_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace gpurma {

/// Lets the variables that parameters have become disappear from the statements where that makes no difference, and be constants else.
void substituteParameters(llvm::ArrayRef<clang::VarDecl*> Parameters, llvm::SmallVectorImpl<clang::Stmt*>& Body, clang::SourceRange Where,
                          clang::ASTContext& Context, llvm::function_ref<clang::Expr*(clang::Expr*)> Copy);

} // namespace gpurma

#endif // GPURMA_PASSES_PARAMETERSUBSTITUTION_H
