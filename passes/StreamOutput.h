// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a region prints by streams and by other functions than printf:
//
//   std::cout << "step " << it << ": " << norm << std::endl;     ->     printf("step %d: %g\n", it, norm);
#ifndef GPURMA_PASSES_STREAMOUTPUT_H
#define GPURMA_PASSES_STREAMOUTPUT_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace gpurma {

struct FormattedOutput {
  /// As printf has it, a literal.
  std::string Format;
  llvm::SmallVector<const clang::Expr*, 8> Arguments;
};

/// Of `std::cout << ...` with numbers, characters and literals, where nothing in the translation unit changes how std::cout formats
/// numbers, and of `puts("...")`. None of other calls.
std::optional<FormattedOutput> formattedOutput(const clang::CallExpr& Call, clang::ASTContext& Context);

/// Whether it is `fprintf(stdout, ...)`.
bool printsToStdout(const clang::CallExpr& Call);

} // namespace gpurma

#endif // GPURMA_PASSES_STREAMOUTPUT_H
