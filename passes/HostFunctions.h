// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the host that launch nothing, and that a persistent region calls: what can be done with their calls.
//
//   float h2() const { return h_ * h_; }                  one expression, which can take the place of the call
//   float tau() const { return omega_ == 0 ? 0 : ... }    of a class that keeps its members to itself: can be a function of the device, too
#ifndef GPURMA_PASSES_HOSTFUNCTIONS_H
#define GPURMA_PASSES_HOSTFUNCTIONS_H

#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SetVector.h"

namespace gpurma {

/// The definition of the function that a call names; null if it is not known here, and for launches.
const clang::FunctionDecl* calledDefinition(const clang::CallExpr& Call);

/// Whether the program defines the function for the host only. Not operators and conversions, nor functions that are given an error of CUDA,
/// of which a region has none.
bool isOfHost(const clang::FunctionDecl* F, const clang::SourceManager& Sources);

/// Whether the device may run the call in the host's place, of a function that is marked for both:
/// all that it reaches is passed to it, or constant. The pointers that it gets lead to variables,
/// of which the region has copies.
bool mayStayCall(const clang::CallExpr& Call, const clang::SourceManager& Sources);

/// Whether a function of a system's header reaches memory by what it is passed, as std::copy(u, u +
/// n, v) and `span[i]` do.
bool reachesMemory(const clang::CallExpr& Call, const clang::SourceManager& Sources);

/// `return value;`, if that is all that the body says; else null.
const clang::Expr* onlyReturned(const clang::FunctionDecl* F);

/// Whether an expression changes nothing, so that it may be evaluated anywhere between two statements, and more than once, or not at all.
bool isEffectFree(const clang::Expr* E, const clang::SourceManager& Sources);

/// Whether a function of the program names members that are not public, itself or through others of the class.
bool namesHiddenMembers(const clang::FunctionDecl* F);

/// Adds the function and those that it calls to \p Found, if a copy of it may be run by the device on objects that the region has: all that
/// it names are its parameters, its variables and members, constants and mathematics.
bool mayRunOnDevice(const clang::FunctionDecl* F, const clang::SourceManager& Sources,
                    llvm::SmallSetVector<const clang::FunctionDecl*, 8>& Found);

/// Adds constructors of the host that statements call, as far as they may be run by the device.
void addConstructors(const clang::Stmt* S, const clang::SourceManager& Sources, llvm::SmallSetVector<const clang::FunctionDecl*, 8>& Found);

/// Whether the compiler of the device has it as well: `__device__`, or mathematics of a system's header.
bool isMathematics(const clang::FunctionDecl* F, const clang::SourceManager& Sources);
bool isMarkedForDevice(const clang::FunctionDecl* F);

} // namespace gpurma

#endif // GPURMA_PASSES_HOSTFUNCTIONS_H
