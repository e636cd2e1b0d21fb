// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How lowered text names kernels, and members of what they are passed.
#ifndef GPURMA_PASSES_KERNELS_H
#define GPURMA_PASSES_KERNELS_H

#include "frontend/PointerVariable.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>

namespace gpurma {

/// How types are spelled so that they mean the same at any place.
clang::PrintingPolicy sourcePolicy(const clang::ASTContext &Context);

/// As the program writes it, in short; as Clang prints it where that is no text, or where it has parts of several functions.
std::string textOf(const clang::Stmt *S, const clang::ASTContext &Context);

bool isKernel(const clang::FunctionDecl *Function);

/// True if the kernel's name can be spelled at namespace scope: it is no protected or private member.
bool isAccessible(const clang::FunctionDecl *Kernel);

/// True if that holds for what its template arguments name as well.
bool hasPublicName(const clang::FunctionDecl *Kernel);

/// True if the kernel shares its name with another function of its scope, or an instance its template arguments as far as they can be
/// written, so that the name alone does not denote it.
bool isOverloaded(const clang::FunctionDecl *Kernel);

/// `Name` with a cast to the kernel's exact type if it is overloaded.
std::string exactly(const clang::FunctionDecl *Kernel, std::string Name);

/// Fully qualified, with template arguments: "::ns::k<float>". None if a template argument has no name (a lambda, a local type).
std::optional<std::string> qualifiedName(const clang::FunctionDecl *Kernel);

/// What is true in this instance of a template only, as its text has it: "::std::is_same_v<T, float> && N == 3". Empty if the
/// function is no instance; none if an argument has no name, or none before the template.
std::optional<std::string> instanceCondition(const clang::FunctionDecl *Function, const clang::SourceManager &Sources);

/// A member of the object that has the text, to be read; also one that is not public, by where it lies.
std::string memberIn(const std::string &Object, const PointerVariable &Place);

/// The template arguments in angle brackets, to the first pack: what is behind it is deduced. \p Unnameable gives the text of an
/// argument whose type has no name.
std::optional<std::string>
templateArguments(const clang::FunctionDecl *Kernel, llvm::function_ref<std::optional<std::string>(unsigned)> Unnameable);

} // namespace gpurma

#endif // GPURMA_PASSES_KERNELS_H
