// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that a kernel calls and that name threadIdx, blockIdx, blockDim, gridDim or __syncthreads. In a stage these are the launch's,
// which only the copy of the kernel's body is told; so such functions, and those that call them, are copied, too:
//
//   int row() { return blockIdx.y * ...; }   ->   + int gpurma_of_block_row(const uint3 blockIdx, const dim3 gridDim) { ... }
//   ... row() ...                                 ... gpurma_of_block_row(blockIdx, gridDim) ...
#ifndef GPURMA_PASSES_FUNCTIONCOPIES_H
#define GPURMA_PASSES_FUNCTIONCOPIES_H

#include "passes/EditSet.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/SetVector.h"

#include <optional>
#include <string>

namespace gpurma {

/// What a stage has of its own besides blockIdx and gridDim.
struct OwnNames {
  /// threadIdx and blockDim.
  bool Thread = false;
  /// __syncthreads, which does not wait for all threads of the rank.
  bool Barrier = false;
};

/// As err_stage_foreign has them.
enum class CopyProblem { Method, OtherUse, Order, Macro, Default };

/// A function of which there can be no copy, or a structure whose members begin with what would have to be another one's.
struct RejectedCopy {
  const clang::NamedDecl* Function = nullptr;
  CopyProblem Why = CopyProblem::OtherUse;
  /// Where it is used.
  clang::SourceLocation Where;
  /// Which of these it, or a function that it calls, names.
  std::string Index;
};

struct FunctionCopies {
  /// Definitions that are to be copied.
  llvm::SetVector<const clang::FunctionDecl*> Functions;
  /// All calls of them, in the kernel and in each other.
  llvm::SetVector<const clang::CallExpr*> Calls;
  std::optional<RejectedCopy> Rejected;
};

/// Makes a function one of those that are copied, as if it named an index: its copy stores the number of a block (BlockNumbers.h).
/// \p Why: what the message names if it cannot be copied.
void markCopied(const clang::FunctionDecl& Function, const clang::NamedDecl& Why);

FunctionCopies findFunctionCopies(const clang::FunctionDecl* Kernel, OwnNames Own, clang::ASTContext& Context);

/// How the copy of a function is called.
std::string copyName(const clang::FunctionDecl* Function, OwnNames Own);

/// Adds what becomes of the calls. Those for which \p IsRenamed holds get another name elsewhere.
void editCalls(const FunctionCopies& Copies, OwnNames Own, EditSet& Edits, const clang::ASTContext& Context,
               llvm::function_ref<bool(const clang::CallExpr*)> IsRenamed);

} // namespace gpurma

#endif // GPURMA_PASSES_FUNCTIONCOPIES_H
