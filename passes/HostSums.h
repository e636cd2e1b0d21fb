// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of the host, in a region, that add up the numbers of a launch's blocks (BlockNumbers.h), or take the most or least of them; the host
// copies them first or shares them with the device:
//
//   cudaMemcpy(host, partial, blocks * sizeof(float), cudaMemcpyDeviceToHost);
//   for (int b = 0; b < blocks; ++b)           or  most = host[0];
//     total += host[b];                            for (int b = 1; b < blocks; ++b) most = fmax(most, host[b]);
//
// Such a copy has no other use, or what it copies to would be missed: nothing else names the host's array but what gets its memory and
// gives it back. It is a variable of the function, or of the region, or a private member of the object.
#ifndef GPURMA_PASSES_HOSTSUMS_H
#define GPURMA_PASSES_HOSTSUMS_H

#include "passes/BlockThreads.h"
#include "passes/Pass.h"
#include <optional>
#include <string>

namespace gpurma {

/// Whether the region's host copies the array of the device, or adds up its elements where it is.
bool isReadByHost(const Region& R, const clang::VarDecl* Array, const clang::ASTContext& Context);

/// Whether a statement copies what a pointer leads to, which is written so, to the host.
bool copiesToHost(const clang::Stmt* S, const clang::Expr& Pointer, const clang::ASTContext& Context);

/// Why the host does not add up what it copies.
struct RejectedHostSums {
  BlockNumbersProblem Why = BlockNumbersProblem::NotAddedUp;
  clang::SourceLocation Where;
  /// The array of the host; empty if it has nothing to do with that.
  std::string Host;
};

/// What becomes of the numbers.
struct CombinedByHost {
  Keyword Operation = Keyword::Plus;
  clang::QualType Total; ///< ReducedScalar::Total
};

/// Adds to Region::HostSums, and to Region::HostArrays, the loops that combine an array whose sum, most or least becomes the next of Region::Reductions.
std::variant<CombinedByHost, RejectedHostSums> findHostSums(Region& R, const clang::VarDecl* Array, const Unit& U);

/// What gets the memory of an array of the host, and gives it back: `host = new float[n]`, `free(host)`.
bool isMemoryOf(const clang::Stmt* S, const clang::VarDecl* Host, const clang::ASTContext& Context);

/// A loop that has statements for other arrays, too, which nothing combines; null if there is none.
const clang::ForStmt* partlyCombined(const Region& R, const clang::ASTContext& Context);

} // namespace gpurma

#endif // GPURMA_PASSES_HOSTSUMS_H
