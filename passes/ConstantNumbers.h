// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers that are known when the program is compiled though C++ has them for no constants: `int threads = 256;`.
#ifndef GPURMA_PASSES_CONSTANTNUMBERS_H
#define GPURMA_PASSES_CONSTANTNUMBERS_H

#include "passes/VariableChanges.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include <cstdint>
#include <optional>

namespace gpurma {

/// The variable always has what it is initialised with. \p Changed: what the function that declares it changes.
bool keepsInit(const clang::VarDecl* V, const VariableChanges& Changed);

/// The value of an integer that is a constant, a local variable that keeps what it is initialised with, a member of a constant, or made of such
/// by arithmetic that stays within its types. \p Changed: what the functions that declare the variables change.
std::optional<std::int64_t> constantNumber(const clang::Expr* E, const VariableChanges& Changed, const clang::ASTContext& Context);

} // namespace gpurma

#endif // GPURMA_PASSES_CONSTANTNUMBERS_H
