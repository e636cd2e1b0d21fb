// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel may name what is not public in a class of which it is a friend. What becomes of it in a region is none, and its name cannot be
// declared in the class, which may come before all types of its parameters. So the class has nothing that is not public:
//
//   class view {                                               class view { public:
//     float* data_;                                              float* data_;
//     friend __global__ void smooth(view out, view in);   ->     friend __global__ void smooth(view out, view in);
//   };                                                         };
#ifndef GPURMA_PASSES_FRIENDACCESS_H
#define GPURMA_PASSES_FRIENDACCESS_H

#include "passes/EditSet.h"

#include "clang/AST/ASTContext.h"

namespace gpurma {

/// Makes public all of the classes of which the function names more than that. \p Function: a definition, of a template an instance.
void makeNamedMembersPublic(const clang::FunctionDecl& Function, EditSet& Edits, const clang::ASTContext& Context);

} // namespace gpurma

#endif // GPURMA_PASSES_FRIENDACCESS_H
