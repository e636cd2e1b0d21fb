// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduced scalars that the threads of a rank add up in registers over all of its tiles, instead of by an atomic for each update.
//
//   __global__ void k(float* a, float* sum) {      ->      ... gpurma_stage_0_k(..., gpurma_type_1 gpurma_part_1, float* a, float* sum) {
//     atomicAdd(sum, *a);                                    static_cast<void>(sum);
//   }                                                        { const auto sum = gpurma_part_1; { atomicAdd(sum, *a); } }
//                                                          }
//
// Where gpurma_part_1 is a ::gpurma::stages::part_pointer, the call means the function of that namespace, also if a macro makes it, and
// `*flag = 1;` stores into the register.
// A launch that passes something else gives it the pointer.
#ifndef GPURMA_PASSES_THREADPARTS_H
#define GPURMA_PASSES_THREADPARTS_H

#include "passes/Pass.h"
#include "llvm/ADT/SmallVector.h"

namespace gpurma {

/// The p of `if (p)`, `p != nullptr` and `p == NULL`; null for other expressions.
const clang::Expr* pointerTestedForNull(const clang::Expr* E);

/// True if all that the kernel does with the parameter is to call CUDA's \p Atomic for it, with a value of the scalar's type, and to
/// make no use of the result; and to test whether it is null. An empty name: to store into a flag.
bool isAddedUpByThreads(const clang::FunctionDecl* Kernel, const clang::ParmVarDecl* Parameter, clang::QualType Scalar,
                        llvm::StringRef Atomic);

/// The indices of parameters in whose place the text of the kernel's body has an object, which adds up so or stores into an array that is
/// collected (CollectedArrays.h), in any launch of the kernel, or of other instances of its template; in order.
llvm::SmallVector<unsigned, 2> objectParameters(const clang::FunctionDecl* Kernel, const Unit& U);

} // namespace gpurma

#endif // GPURMA_PASSES_THREADPARTS_H
