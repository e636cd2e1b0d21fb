// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What constructors of the program's own give the members of an object:
//
//   View(float* data, int ny, int nx) : data(data), ny(ny) { this->nx = nx; }
//   View(v, n, n + 2)   ->   data: v; ny: n; nx: n + 2
#ifndef GPURMA_PASSES_CONSTRUCTEDMEMBERS_H
#define GPURMA_PASSES_CONSTRUCTEDMEMBERS_H

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

namespace gpurma {

/// What an initializer of a constructor says, or the class for it.
const clang::Expr* givenValue(const clang::CXXCtorInitializer& Init);

/// The value that a member gets, of what the constructor is called with; null where that cannot be seen: where it depends on other members,
/// is left to statements other than assignments, or the constructor is not defined.
const clang::Expr* constructedMember(const clang::CXXConstructExpr& Construct, const clang::FieldDecl* Member);

} // namespace gpurma

#endif // GPURMA_PASSES_CONSTRUCTEDMEMBERS_H
