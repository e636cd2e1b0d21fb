// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where statements of a function that a region calls return, but for what is done after errors, of which a region has none.
#ifndef GPURMA_PASSES_EARLYRETURNS_H
#define GPURMA_PASSES_EARLYRETURNS_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"

namespace gpurma {

/// Null if it has none.
const clang::ReturnStmt* firstReturn(const clang::Stmt* S);
bool alwaysReturns(const clang::Stmt* S);

/// do { ... } while (0), as macros have it.
bool isOnce(const clang::Stmt* S, const clang::ASTContext& Context);

/// Whether a loop's body goes on with its next iteration somewhere.
bool ownContinue(const clang::Stmt* S);

} // namespace gpurma

#endif // GPURMA_PASSES_EARLYRETURNS_H
