// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of kernel templates within other templates, where the compiler of the host has to find out which instance is meant:
//
//   template <class T> __global__ void step(T* out, const T* in, int n) { ... }
//   template <class T> void run(T* u, T* v, int n) { step<<<g, b>>>(v, u, n); }
//
// Behind the kernel stands a function with its parameters that is never called, and whose type holds the kernel:
//
//   template <class T> auto gpurma_kernel_step(T* out, const T* in, int n) -> ::gpurma::kernel_constant<step<T>>;
//   ... ::gpurma::launch(decltype(gpurma_kernel_step(v, u, n))::value, g, b)(v, u, n);
#ifndef GPURMA_PASSES_DEDUCEDKERNELS_H
#define GPURMA_PASSES_DEDUCEDKERNELS_H

#include "clang/AST/ExprCXX.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace gpurma {

/// The kernels that the name before `<<<` may mean; none if one of them is something else, or has no body before the launch.
llvm::SmallVector<const clang::FunctionDecl*, 2> candidateKernels(const clang::UnresolvedLookupExpr& Lookup);

/// The function that stands behind a kernel or kernel template; none where it cannot be written: for template parameters without names, and
/// in macros. \p Overloaded: there are several kernels of the name.
std::optional<std::string> kernelFinder(const clang::FunctionDecl* Kernel, bool Overloaded, const clang::SourceManager& Sources,
                                        const clang::LangOptions& LangOpts);

/// What stands for the kernel in its launch; none where the arguments cannot be written twice: lambdas, and in macros.
std::optional<std::string> deducedKernel(const clang::CUDAKernelCallExpr& Launch, const clang::UnresolvedLookupExpr& Lookup,
                                         const clang::SourceManager& Sources, const clang::LangOptions& LangOpts);

} // namespace gpurma

#endif // GPURMA_PASSES_DEDUCEDKERNELS_H
