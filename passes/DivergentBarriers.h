// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers of a block to which some of its threads come only: behind a return of others, or under a condition. CUDA does not wait for those
// that have ended meanwhile; in a persistent region none ends, so that barriers have to be told which threads have left the kernel's body.
#ifndef GPURMA_PASSES_DIVERGENTBARRIERS_H
#define GPURMA_PASSES_DIVERGENTBARRIERS_H

#include "clang/AST/Decl.h"
#include "clang/Basic/SourceLocation.h"

namespace gpurma {

struct DivergentBarriers {
  /// There are some that are __syncthreads(), in the kernel or in functions that it calls.
  bool Any = false;
  /// One that is not, or in a function of which there can be no copy: the function that is called for it.
  const clang::NamedDecl* Other = nullptr;
  clang::SourceLocation Loc;
};

/// Of those of which it is not known whether all threads come to them, only __syncthreads() count.
DivergentBarriers findDivergentBarriers(const clang::FunctionDecl* Kernel);

} // namespace gpurma

#endif // GPURMA_PASSES_DIVERGENTBARRIERS_H
