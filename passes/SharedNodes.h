// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of a template does not depend on its parameters Clang keeps once, for the pattern and all instances: `++step_;` of a member function.
#ifndef GPURMA_PASSES_SHAREDNODES_H
#define GPURMA_PASSES_SHAREDNODES_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/StmtCXX.h"

namespace gpurma {

/// The loop with nodes of its own, where its function is an instance of a template: what others share is copied, so that one instance can be
/// changed. The loop itself, if nothing in it is shared; what no region can have stays as it is.
clang::WhileStmt* withOwnNodes(clang::WhileStmt* Loop, const clang::FunctionDecl* Function, clang::ASTContext& Context);

} // namespace gpurma

#endif // GPURMA_PASSES_SHAREDNODES_H
