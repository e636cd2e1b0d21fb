// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of the host that a region only reads, such as a wavelet or time steps: each of its kernels has a copy of the elements.
//
//   std::vector<float> source(steps); ... add<<<1, 1>>>(u, source[it]);     ->     add<<<1, 1>>>(u, table[it]);
#ifndef GPURMA_PASSES_HOSTTABLES_H
#define GPURMA_PASSES_HOSTTABLES_H

#include "passes/HostObjects.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace gpurma {

/// In a region's statement, with the functions that it calls. A vector of numbers that is declared outside has a pointer in its place if
/// all that is done with it there is to read elements, `source[it]` or `source.at(it)`. \p Objects: what the region has of others.
void replaceTables(clang::WhileStmt* Loop, const clang::FunctionDecl* Function, llvm::ArrayRef<ObjectValue> Objects, clang::ASTContext& Context);

/// The vector of such a pointer, as the function of the region names it; null for the program's own variables.
const clang::Expr* vectorOfTable(const clang::VarDecl* V);
/// The name of the copy in the lowered text.
std::string tableName(const clang::VarDecl* V);

} // namespace gpurma

#endif // GPURMA_PASSES_HOSTTABLES_H
