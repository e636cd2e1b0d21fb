// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads behind a store, of an array that the kernel only reads: those before the store are under way together, this one is waited
// for by itself, since for the compiler the store may change it. Unless the launch is passed one array as both, it may come first:
//
//   a_new[i] = value;                   const auto gpurma_read_0 = a[i];
//   change = value - a[i];        ->    a_new[i] = value;
//                                       change = value - (::gpurma::stages::are_apart(a, a_new) ? gpurma_read_0 : a[i]);
#ifndef GPURMA_PASSES_EARLYREADS_H
#define GPURMA_PASSES_EARLYREADS_H

#include "passes/EditSet.h"

#include <vector>

namespace gpurma {

struct Stage;

/// Adds such reads to the text of a kernel, if there are some in all of its \p Launches, which may be of instances of its template.
void addEarlyReads(const std::vector<const Stage*>& Launches, EditSet& Edits, llvm::StringRef Source);

} // namespace gpurma

#endif // GPURMA_PASSES_EARLYREADS_H
