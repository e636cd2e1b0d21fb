// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structured bindings that a region names: it has a reference in the place of each.
//
//   auto [nx, ny] = size; ... step<<<...>>>(v, u, nx)   ->   int& nx = size.nx; ... step<<<...>>>(v, u, nx)
#ifndef GPURMA_PASSES_BINDINGVARIABLES_H
#define GPURMA_PASSES_BINDINGVARIABLES_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"

namespace gpurma {

/// In a region's statement, what the host does in it included, and its clauses. Bindings that are
/// declared in it stay.
void replaceBindings(clang::Stmt* Region, const clang::FunctionDecl* Function,
                     clang::ASTContext& Context);

} // namespace gpurma

#endif // GPURMA_PASSES_BINDINGVARIABLES_H
