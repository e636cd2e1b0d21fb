// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements of a region that the host runs, `#pragma gpurma host`: the region's kernel ends there, and begins again behind them.
//
//   for (int it = 0; it < steps; ++it) {
//     step<<<grid, block>>>(v, u);                              The kernel has gone as far as the statement when it ends;
//     std::swap(u, v);                                  ->      what is kept of its variables is copied out, the host runs
//     if (it % 100 == 0)                                        write(u), and the next kernel goes on behind it.
//   #pragma gpurma host
//       write(u);
//   }
//
// All that looks at a region sees it without what the host runs: each kernel gets the host's variables and whole arrays anew, so that
// whatever the host does with them is done between two regions.
#ifndef GPURMA_PASSES_HOSTPARTS_H
#define GPURMA_PASSES_HOSTPARTS_H

#include "frontend/Diagnostics.h"
#include "frontend/Directive.h"
#include "passes/VariableChanges.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include <utility>
#include <vector>

namespace gpurma {

struct HostPart {
  /// `if (::gpurma_ann::host(7u)); else statement`, which owns the statement in the program, and stands without it in the region.
  const clang::CallExpr *Call = nullptr;
  const Directive *Origin = nullptr;
  const clang::Stmt *Statement = nullptr;
  /// The variables of the region that it names, and what they are there: other ones, where functions took the places of their calls.
  std::vector<std::pair<const clang::VarDecl *, const clang::VarDecl *>> Variables;
};

/// What the statements change, of variables as the region has them.
VariableChanges changesOfHost(llvm::ArrayRef<HostPart> Parts);

/// The marker call of such an `if`; null of other statements.
const clang::CallExpr *hostMarker(const clang::Stmt *S);

/// Whether there is one in the statement, outside of lambdas.
bool holdsHostMarker(const clang::Stmt *S);

/// The region's loop without the statements that the host runs, which are added to \p Parts; \p Loop itself if there are none. Those in
/// statements that a kernel cannot go on in are reported.
clang::WhileStmt *withoutHostParts(clang::WhileStmt *Loop, llvm::function_ref<const Directive *(const clang::CallExpr *)> DirectiveOf,
                                   clang::ASTContext &Context, Diagnostics &Diags, std::vector<HostPart> &Parts);

/// The variables of a region's statement that have to keep their values while the host runs: counters of loops around its parts, and what is
/// named in another piece of the statement than that which declares it. In the order of their declarations.
llvm::SetVector<const clang::VarDecl *> keptVariables(const clang::Stmt *Statement, llvm::ArrayRef<HostPart> Parts);

/// The `break` and `continue` of the statement that leave loops around it.
std::vector<const clang::Stmt *> leavingStatements(const clang::Stmt *S);

} // namespace gpurma

#endif // GPURMA_PASSES_HOSTPARTS_H
