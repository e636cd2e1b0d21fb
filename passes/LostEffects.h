// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a region leaves out, as it has streams, events and errors no more, must change nothing:
//
//   cudaStreamSynchronize(streams[i++ % 2]);
#ifndef GPURMA_PASSES_LOSTEFFECTS_H
#define GPURMA_PASSES_LOSTEFFECTS_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include <string>
#include <vector>

namespace gpurma {

struct LostEffect {
  /// As err_region_lost_effect has them: an argument of a call that is left out, a check of errors, an error that the program sets.
  enum Kind { Argument, Check, OwnError } What = Argument;
  const clang::Expr* Where = nullptr;
  /// What is called, or the variable that is set.
  std::string Name;
};

/// In the order of the text.
std::vector<LostEffect> findLostEffects(const clang::Stmt* Region, const clang::ASTContext& Context);

} // namespace gpurma

#endif // GPURMA_PASSES_LOSTEFFECTS_H
