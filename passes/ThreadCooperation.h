// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the threads of a kernel work together, or each for itself. In the latter case any thread may play the part of any other, so
// that a rank's tiles need not be the launch's blocks (ThreadMapping).
#ifndef GPURMA_PASSES_THREADCOOPERATION_H
#define GPURMA_PASSES_THREADCOOPERATION_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace gpurma {

/// What of a kernel, or of a function that it calls, only the threads of the launch's own blocks do right.
struct ThreadCooperation {
  /// In the order of err_threads_together. OtherFunction: a function that the kernel calls names threadIdx or its kin, and cannot be
  /// copied (FunctionCopies.h).
  enum Kind { SharedMemory, Barrier, Exchange, Assembly, OtherFunction } How = SharedMemory;
  std::string Name;
  clang::SourceLocation Loc;
};

/// The first in the order of the source; none if each thread works for itself.
std::optional<ThreadCooperation> findCooperation(const clang::FunctionDecl* Kernel);

/// Whether threads of a block work together.
bool worksTogether(const clang::FunctionDecl* Kernel);

/// What of the kernel, or of the functions that it calls, says nothing of what threads exchange: inline assembly and cooperative groups.
std::optional<ThreadCooperation> findHiddenCooperation(const clang::FunctionDecl* Kernel);

/// The `__syncthreads();` that the body of a kernel ends in whose threads else work each for itself: nothing is behind it that they could wait for, and stages
/// are made without it. Null if there is none.
const clang::CallExpr* uselessBarrier(const clang::FunctionDecl* Kernel);

/// What of the kernel, or of the functions that it calls, counts on a block's threads being all those of a rank: by their indices or, if
/// a rank has more of them, \p FewerThreads, by their number. \p WholeWarps: the block's threads fill warps.
std::optional<ThreadCooperation> findOwnBlock(const clang::FunctionDecl* Kernel, bool FewerThreads, bool WholeWarps);

/// True if a statement of the kernel, or a function that it calls, lets threads wait for each other or exchange values, or if such
/// a function shares memory.
bool exchangesValues(const clang::FunctionDecl* Kernel, const clang::Stmt* S);

/// Of CUDA's functions and types by which threads of a block wait for each other, cooperative groups among them; none of the program's own,
/// as `is_barrier(x, y)` of a channel with obstacles.
bool isBlockBarrier(const clang::FunctionDecl& Function);

/// Of CUDA's functions by which those lanes of a warp exchange values or wait for each other whose mask is the first argument.
bool isExchangeByMask(llvm::StringRef Function);

/// Which of atomicAdd, atomicMax and atomicMin a function is by its name: one of CUDA's, or a program's own, `atomicMaxFloat`. Empty of others.
llvm::StringRef atomicOperation(const clang::FunctionDecl& Function);

/// Whether f(p, v) combines *p with v for threads of all blocks, and does nothing else.
bool combinesWithElement(const clang::FunctionDecl& Function);

/// Of CUDA's cooperative groups, or of CUB: what threads of a block do together.
bool isOfGroupLibrary(const clang::Decl* D);

/// threadIdx, blockIdx, blockDim or gridDim.
bool isIndexVariable(const clang::ValueDecl* D);

/// threadIdx.x and its kin.
struct IndexMember {
  /// The variable that is named.
  const clang::DeclRefExpr* Variable = nullptr;
  /// 0 for x.
  unsigned Dimension = 0;

  llvm::StringRef name() const { return Variable->getDecl()->getName(); }
};

/// Members of variables on the CPU target, properties in CUDA's headers.
std::optional<IndexMember> indexMember(const clang::Expr* E);

/// True if all that the kernel and its functions name of threadIdx, blockIdx, blockDim and gridDim is x.
bool isInOneDimension(const clang::FunctionDecl* Kernel);

/// Of how many dimensions, x first, the kernel and its functions name the index or the size; 3 if that cannot be seen.
unsigned dimensionsNamed(const clang::FunctionDecl* Kernel);

} // namespace gpurma

#endif // GPURMA_PASSES_THREADCOOPERATION_H
