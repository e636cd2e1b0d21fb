// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers to reduced scalars and collected arrays that are members of structures: the region has a variable in the place of each.
//
//   reduce(+ : *s.norm) ... step<<<grid, block>>>(s.v, s.u, s.norm)       ->       reduce(+ : *norm) ... step<<<grid, block>>>(s.v, s.u, norm)
#ifndef GPURMA_PASSES_CLAUSEMEMBERS_H
#define GPURMA_PASSES_CLAUSEMEMBERS_H

#include "frontend/PointerVariable.h"
#include "passes/Region.h"

namespace gpurma {

/// In a region's statement, with the functions that it calls, and its clauses.
void replaceClauseMembers(const Marker& Appearance, clang::WhileStmt* Loop, clang::ASTContext& Context);

/// The member that such a variable stands for; none for the program's own variables.
PointerVariable memberOfClause(const clang::VarDecl* V);

} // namespace gpurma

#endif // GPURMA_PASSES_CLAUSEMEMBERS_H
