// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structures of the host that a region names by a pointer, `Chunk* chunk`: the region has a reference in its place.
//
//   chunk->u, step(chunk), *chunk       ->       object.u, step(&object), object        with        Chunk& object = *chunk;
#ifndef GPURMA_PASSES_POINTEDOBJECTS_H
#define GPURMA_PASSES_POINTEDOBJECTS_H

#include "passes/HostParts.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/StmtCXX.h"

namespace gpurma {

/// In a region's statement and its clauses. A pointer is a variable that is declared outside of the region and does nothing there but
/// lead to its structure, which can be copied byte by byte and has no other name of the same type in the region. Others stay as they are.
void replacePointers(clang::WhileStmt* Loop, const clang::FunctionDecl* Function, llvm::ArrayRef<HostPart> HostParts, clang::ASTContext& Context);

/// The pointer of such a reference; null for the program's own variables.
const clang::VarDecl* pointerToObject(const clang::VarDecl* V);

} // namespace gpurma

#endif // GPURMA_PASSES_POINTEDOBJECTS_H
