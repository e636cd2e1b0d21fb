// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables in which iterations of a loop through the rows hand on what later ones use, as queues of registers do:
//
//   float below = in[i], current = in[i + plane];
//   for (int z = 1; z < nz - 1; ++z) {
//     i += plane;
//     float above = in[i + plane];
//     out[i] = below + above - 2 * current;
//     below = current;
//     current = above;
//   }
//
// Whatever the variables hold, after two iterations they hold what these have read. So a block whose rows begin at z runs of the two
// iterations before z the statements that the variables need, and then has what the whole loop has there.
#ifndef GPURMA_PASSES_REGISTERQUEUES_H
#define GPURMA_PASSES_REGISTERQUEUES_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include <map>
#include <optional>
#include <set>
#include <variant>
#include <vector>

namespace gpurma {

struct RegisterQueues {
  /// Nothing that is done behind so many iterations depends on what the variables held before them.
  unsigned Iterations = 0;
  /// What the variables need of the loop's body: statements as wholes, and the blocks and conditions around them.
  std::set<const clang::Stmt*> Statements, Around;
  /// For each element of a variable (one, if it is no array), how many iterations behind the loop's first one the last one comes that
  /// depends on what the element held at its beginning. None: no iteration does. Without variables of which something else is made
  /// before the loop.
  std::map<const clang::VarDecl*, std::vector<std::optional<unsigned>>> Needed;
  /// What such variables are given before the loop, where that is read from memory and does nothing else.
  std::vector<const clang::Expr*> FirstValues;
};

/// What is known of the variables that a loop changes.
struct LoopVariables {
  /// Those that may be queues. Nothing but their names leads to them, and nothing names them behind the loop.
  std::vector<const clang::VarDecl*> Queues;
  /// Those that each iteration moves by the same step.
  std::set<const clang::VarDecl*> Moved;
  /// Those that are added up, which an iteration must not use.
  std::set<const clang::VarDecl*> Combined;
};

/// The variable that is kept for longer than some iterations, if one is.
std::variant<RegisterQueues, const clang::VarDecl*> findRegisterQueues(const clang::FunctionDecl* Function, const clang::ForStmt* Loop,
                                                                       const LoopVariables& Variables, clang::ASTContext& Context);

/// Whether a statement may be run in part: a block, an `if` that declares nothing.
bool isAroundStatements(const clang::Stmt* S);

} // namespace gpurma

#endif // GPURMA_PASSES_REGISTERQUEUES_H
