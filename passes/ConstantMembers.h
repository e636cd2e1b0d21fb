// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members that objects of a class always have the same number in, whatever their constructor gets.
#ifndef GPURMA_PASSES_CONSTANTMEMBERS_H
#define GPURMA_PASSES_CONSTANTMEMBERS_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include <cstdint>
#include <optional>

namespace gpurma {

/// What the constructor of a local variable gives this member of it: `range<8> r(first, last);` and `r.threads`, of a class with
/// `range(int first, int last) : threads(N)`. None for other expressions. What comes behind the declaration may change it.
std::optional<std::int64_t> constantMember(const clang::Expr* E, const clang::ASTContext& Context);

} // namespace gpurma

#endif // GPURMA_PASSES_CONSTANTMEMBERS_H
