// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GPURMA_PASSES_DEVICEFUNCTIONS_H
#define GPURMA_PASSES_DEVICEFUNCTIONS_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

#include <vector>

namespace gpurma {

/// The user's functions with a body that can run on the device (__global__, __device__, lambdas in
/// them), in the order of the source: of templates the instantiations, not the pattern. System
/// headers are left out.
std::vector<const clang::FunctionDecl *> deviceFunctions(clang::ASTContext &Context);

/// A part of the library, not of the program.
bool isInNamespaceGpurma(const clang::Decl *D);

/// Loads and stores with cache hints, __ldcg(address) and __stcg(address, value).
bool isCachedLoad(llvm::StringRef Name);
bool isCachedStore(llvm::StringRef Name);

/// What a call hands over: the object that a member function is called for, null for others, and what the parameters get.
struct PassedValues {
  const clang::Expr *Object;
  llvm::ArrayRef<const clang::Expr *> Args;
};
PassedValues passedTo(const clang::CallExpr *Call);

/// The program's functions that a library's function may call, as std::invoke and std::for_each do:
/// those among what it is passed, and the call operators of lambdas and other objects.
llvm::SmallVector<const clang::FunctionDecl*, 2> callbacks(llvm::ArrayRef<const clang::Expr*> Args);

/// The name of a function of gpurma's own device API; empty for others.
llvm::StringRef apiName(const clang::FunctionDecl *F);

} // namespace gpurma

#endif
