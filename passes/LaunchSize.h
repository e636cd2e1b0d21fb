// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sizes of a launch's grid and blocks, as far as they are constants: `<<<1, 256>>>`, `const dim3 block(32, 8)`.
#ifndef GPURMA_PASSES_LAUNCHSIZE_H
#define GPURMA_PASSES_LAUNCHSIZE_H

#include "passes/VariableChanges.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include <array>
#include <cstdint>
#include <optional>

namespace gpurma {

/// What a launch's first or second setting says, x first; nothing is known of a null one. \p Changed: what the function around the
/// launch changes. \p Copied: a copy of a part of that function, with variables of its own; null if there is none.
std::array<std::optional<std::int64_t>, 3> constantLaunchSize(const clang::Expr* E, const VariableChanges& Changed, const clang::ASTContext& Context,
                                                              const clang::Stmt* Copied = nullptr);

/// What a setting names that the region around the launch changes; null if there is none.
const clang::DeclRefExpr* changedVariable(const clang::Expr& Setting, const clang::Stmt& Region);

/// `<<<1, 1>>>`.
bool isOfOneThread(const clang::Expr* Grid, const clang::Expr* Block, const VariableChanges& Changed, const clang::ASTContext& Context);

} // namespace gpurma

#endif // GPURMA_PASSES_LAUNCHSIZE_H
