// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel becomes that regions launch: device functions, one for each kind of tiles, that all launches of the kernel, and of other
// instances of its template, share. So do they share what is found of its text.
#ifndef GPURMA_PASSES_STAGEFUNCTIONS_H
#define GPURMA_PASSES_STAGEFUNCTIONS_H

#include "passes/Pass.h"
#include <string>

namespace gpurma {

/// True if all that the kernel does with the parameter is to read *p or p[0].
bool readsOnlyScalar(const clang::FunctionDecl* Kernel, const clang::ParmVarDecl* Parameter);

/// For whom a kernel's __syncthreads() waits: all threads of the rank; those of the launch's block, which are the rank's first and whole
/// warps; or those that have not left the kernel's body.
enum class StageBarrier { OfRank, OfFirst, OfStaying };
StageBarrier stageBarrier(const clang::FunctionDecl* Kernel, ThreadMapping Threads, const Unit& U);

/// Whether ranks have threads that take no part in some of the launches of the kernel, or of other instances of its template.
bool hasFewerThreads(const clang::FunctionDecl* Kernel, ThreadMapping Threads, const Unit& U);

/// The loop through the rows that launches of the kernel, or of other instances of its template, share out; null if there is none.
const RowLoop* rowLoopOf(const clang::FunctionDecl* Kernel, const Unit& U);

/// What becomes of a kernel of which regions run parts of blocks (ThreadMapping::PartialBlocks); null of others.
const PartialBlocks* partialBlocksOf(const clang::FunctionDecl* Kernel, const Unit& U);

/// What threads keep of a kernel until all tiles are done; null if there is nothing.
const TileSums* tileSumsOf(const clang::FunctionDecl* Kernel, ThreadMapping Threads, const Unit& U);

/// The name of the device function that the kernel's body becomes, as the region calls it with a constant gpurma_copy; empty
/// if it cannot be named. \p Behind: of what is run once for all tiles (TileSums.h).
std::string stageFunctionCall(const clang::FunctionDecl* Kernel, ThreadMapping Threads, bool Behind, Unit& U, Program& P);
/// The same as it is declared, without qualification.
std::string stageFunctionName(const clang::FunctionDecl* Kernel, ThreadMapping Threads, bool Behind, Unit& U, Program& P);

} // namespace gpurma

#endif // GPURMA_PASSES_STAGEFUNCTIONS_H
