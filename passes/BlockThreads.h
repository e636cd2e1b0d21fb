// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the threads of one block of a known size do together, found by running the kernel's text for all of them at once, a statement
// after the other: with numbers where these are known, and else with the set of elements of an array that a value combines.
//
//   for (int i = threadIdx.x; i < count; i += blockDim.x)    s: in each thread, all of its elements
//     s += partial[i];
//   part[threadIdx.x] = s; __syncthreads(); ...              part[0]: those of all threads, each once
//   if (threadIdx.x == 0) *result = part[0];
#ifndef GPURMA_PASSES_BLOCKTHREADS_H
#define GPURMA_PASSES_BLOCKTHREADS_H

#include "passes/Region.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace gpurma {

/// As err_block_numbers has them.
enum class BlockNumbersProblem {
  Local, NamedElsewhere, UsedOtherwise, NotStatement, NotNumber, NotOneThread, BlockSize, NotOneBlock, NotStoredOnce, NotAll, OtherType, OtherLaunch,
  NotAddedUp, HostNames, HostNotOwn, NotBehindCopy, HostMemory, OfStructure, NotCopied, OtherCall
};

struct RejectedBlockNumbers {
  BlockNumbersProblem Why = BlockNumbersProblem::NotAll;
  clang::SourceLocation Where;
};

/// What a kernel of one block stores through a parameter.
struct CombinedNumbers {
  Keyword Operation = Keyword::Plus;
  const clang::ParmVarDecl* Result = nullptr;
  /// How many elements are combined; null: so many.
  const clang::ParmVarDecl* Count = nullptr;
  std::int64_t Number = 0;
  /// Each thread takes one at most.
  bool OneForEachThread = false;
  bool Adds = false;
  ConstantAmongNumbers Among = ConstantAmongNumbers::Never;
  double Constant = 0;
  /// The function that takes the root; empty for none.
  std::string Root;
};

/// Whether the kernel combines the first elements of the array, all of them and, if it adds, each once, and stores that and nothing else.
std::variant<CombinedNumbers, RejectedBlockNumbers> understandCombining(const clang::FunctionDecl* Kernel, const clang::ParmVarDecl* Numbers,
                                                                        std::int64_t Threads, clang::ASTContext& Context);

/// How many threads of a block meet all conditions, each of which should be true or false; none if it depends on anything but the thread.
/// The conditions stand in the kernel or in functions that the calls lead to, each once.
std::optional<unsigned> threadsMeeting(llvm::ArrayRef<std::pair<const clang::Expr*, bool>> Conditions, const clang::FunctionDecl* Kernel,
                                       llvm::ArrayRef<const clang::CallExpr*> Calls, std::array<std::int64_t, 3> Block, clang::ASTContext& Context);

/// How many dimensions of the grid the expression numbers the blocks by, as blockIdx.y * gridDim.x + blockIdx.x does; none for others.
std::optional<unsigned> dimensionsOfBlockNumber(const clang::Expr* E, const clang::FunctionDecl* Kernel, clang::ASTContext& Context);

} // namespace gpurma

#endif // GPURMA_PASSES_BLOCKTHREADS_H
