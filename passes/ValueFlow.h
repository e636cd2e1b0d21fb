// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What depends on the values that a kernel finds in memory: whether its threads may run where these are out of date, and whether they
// store into the same elements each time.
//
//   for (int k = 0; k < n; ++k) s += w[k] * in[i + k];      may: how often is known without data
//   while (r > e) r = step(r, in[i]);                       may not: with other values it might not end
//   out[table[i]] = s;                                      may not: with other values it might lead anywhere
//   if (s > 0) out[i] = s;                                  may, but does not always store
#ifndef GPURMA_PASSES_VALUEFLOW_H
#define GPURMA_PASSES_VALUEFLOW_H

#include "clang/AST/Decl.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace gpurma {

struct ValueUse {
  /// Whatever the values are, the threads end, without an error, compute no addresses from them, and say nothing to the host.
  bool MayBeAny = true;
  /// Neither they nor numbers that the kernel is passed decide whether it stores.
  bool StoresAlways = true;
};

/// Of a kernel and the program's functions that it calls. \p IsFixed: whether a parameter, or (if not null) its member, is the same number in all
/// launches.
ValueUse findValueUse(const clang::FunctionDecl* Kernel, llvm::function_ref<bool(const clang::ParmVarDecl*, const clang::FieldDecl*)> IsFixed);

} // namespace gpurma

#endif // GPURMA_PASSES_VALUEFLOW_H
