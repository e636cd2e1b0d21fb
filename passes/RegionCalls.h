// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of functions and lambdas of the host, in the statement of a region: their bodies take the place of the calls in the
// AST, so that all that comes later sees a region with launches. The functions stay as they are.
//
//   void sweep(float* out, const float* in, int n) {         for (...) {
//     const int blocks = (n + 255) / 256;                      {
//     jacobi<<<blocks, 256>>>(out, in, n);            ->         const int blocks = (nx + 255) / 256;
//   }                                                            jacobi<<<blocks, 256>>>(v, u, nx);
//   ...                                                        }
//   for (...) { sweep(v, u, nx); std::swap(u, v); }            std::swap(u, v);
//                                                            }
//
// A parameter is what is passed for it, where neither changes before the function ends, and else a variable. Variables get names
// that mean nothing else in the region's function. Nodes keep their places in the source, so that messages name the lines of the
// function; Diagnostics adds where it is called.
//
// Where a function does nothing but return a value, and that and its arguments change nothing, the value stands for the call, in the
// clauses too: `cells()` for `(this->nx_ * this->ny_)`. One that reads hidden members of a variable is still called: HostFunctions.h.
// Loops over the elements of arrays and lists become loops that count. Calls of objects that the device cannot have, and swaps of
// these, become variables and their swaps: HostObjects.h.
#ifndef GPURMA_PASSES_REGIONCALLS_H
#define GPURMA_PASSES_REGIONCALLS_H

#include "frontend/Diagnostics.h"
#include "passes/ErrorsBefore.h"
#include "passes/HostFunctions.h"
#include "passes/HostObjects.h"
#include "passes/Region.h"

namespace gpurma {

struct ExpandedCalls {
  /// The functions that are still called, of which the device needs a copy.
  llvm::SmallSetVector<const clang::FunctionDecl *, 8> OnDevice;
  /// What took the places of the region's own variables, if its statement is a copy.
  llvm::DenseMap<const clang::VarDecl *, clang::VarDecl *> Copies;
  /// Whether the statement is one.
  bool InStatement = false;
  /// What the region has of objects that it cannot have.
  std::vector<ObjectValue> Objects;
};

/// Calls that a region does not take, and that cannot be part of it either, are reported. Nothing happens to a loop without such calls.
ExpandedCalls expandCalls(clang::WhileStmt* Loop, const Directive& Origin,
                          const clang::FunctionDecl* Function, MemberReferences& Members,
                          const ErrorsBefore& Errors, clang::ASTContext& Context,
                          Diagnostics& Diags);

/// Calls whose function is not known or has no body here, so that nobody can say whether it launches kernels.
std::vector<const clang::CallExpr *> opaqueCalls(const clang::Stmt *S, const clang::SourceManager &Sources);

} // namespace gpurma

#endif // GPURMA_PASSES_REGIONCALLS_H
