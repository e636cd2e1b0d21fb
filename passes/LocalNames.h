// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What names of variables mean at a place of a function, and which mean nothing there.
#ifndef GPURMA_PASSES_LOCALNAMES_H
#define GPURMA_PASSES_LOCALNAMES_H

#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/StringSet.h"
#include <string>

namespace gpurma {

/// Names for the variables of a statement that takes the place of another one, such that each means nothing else in the function.
class UnusedNames {
public:
  UnusedNames() = default;
  UnusedNames(clang::Stmt* Statement, const clang::FunctionDecl* Function);

  /// The name, or with a number behind it. \p IsOwn: of a variable that the statement itself has, which keeps its name if it can.
  std::string take(const std::string& Name, bool IsOwn);

private:
  llvm::StringSet<> Taken, OfStatement;
};

/// Whether the name of a variable means another one at a place in the function.
bool isHidden(const clang::VarDecl* V, const clang::Stmt* Place, const clang::FunctionDecl* Function);

} // namespace gpurma

#endif // GPURMA_PASSES_LOCALNAMES_H
