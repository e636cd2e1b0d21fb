// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lambdas for the device, which the host hands to kernels, as structures: what they have captured and their types get names, by which
// the kernel of a region, which stands elsewhere, knows them. The program is parsed again with that text.
//
//                                                                 namespace { struct gpurma_lambda_0 { float *v; float *u; int n;
//                                                                   __device__ auto operator()(int i) const { v[i] = u[n - i]; } }; }
//   void run(float* u, float* v, int n) {                         void run(float* u, float* v, int n) {
//     auto flip = [=] __device__ (int i) { v[i] = u[n - i]; };  ->  auto flip = gpurma_lambda_0{v, u, n};
#ifndef GPURMA_PASSES_NAMEDLAMBDAS_H
#define GPURMA_PASSES_NAMEDLAMBDAS_H

#include "passes/EditSet.h"

namespace clang {
class ASTContext;
}

namespace gpurma {

enum class LambdasToName {
  All,
  InLaunches, ///< those that stand among a launch's arguments, since the lowered launch names the kernel with its template's arguments
};

/// Adds an edit for each such lambda of the user's files. Left as they are: those that depend on a template's parameters, with a parameter
/// `auto`, that capture by reference or have `this`, an array or a lambda of the host, that contain directives, and whose text would mean
/// something else outside of the function or class.
void nameLambdas(LambdasToName Which, clang::ASTContext& Context, EditSet& Edits);

} // namespace gpurma

#endif // GPURMA_PASSES_NAMEDLAMBDAS_H
