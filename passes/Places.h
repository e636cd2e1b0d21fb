// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions that may stand for a parameter in the body of a function, since it does not matter when they are evaluated.
#ifndef GPURMA_PASSES_PLACES_H
#define GPURMA_PASSES_PLACES_H

#include "clang/AST/Expr.h"

namespace gpurma {

/// What stands before a name in a program, without conversions that change nothing.
clang::Expr* plain(clang::Expr* E);

/// A variable or a member of it: what it names does not depend on when it is evaluated.
bool isPlace(clang::Expr* E);

/// An expression of places and constants whose value changes with these only.
bool isPure(clang::Expr* E);

/// The variable of `&variable`; null for other expressions.
clang::Expr* addressed(clang::Expr* E);

} // namespace gpurma

#endif // GPURMA_PASSES_PLACES_H
