// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the statement of a persistent region as device code: each launch becomes a call that runs the logical blocks that the rank
// owns, calls of the CUDA runtime that the region makes superfluous disappear, and the rest stays what it is.
//
//   for (int it = 0; it < n && err > tol; ++it) {          for (int it = 0; it < n && err > tol; ++it) {
//     *norm = 0;                                             gpurma_reduced_0 = 0;
//     jacobi<<<grid, block>>>(b, a, norm);           ->      { ... gpurma_region.launch(gpurma_launch_0_0{{...}, gpurma_0, ...}, block, ...); }
//     CHECK(cudaDeviceSynchronize());                        err = ::std::sqrt(gpurma_reduced_0.value());
//     err = std::sqrt(*norm);                                ::gpurma::stages::swap(a, b);
//     std::swap(a, b);                                     }
//   }
//
// gpurma_launch_0_0 holds what the kernel is passed, and calls the function that its body becomes.
//
// It is printed from the AST, so that error-check macros can be seen through.
#ifndef GPURMA_PASSES_REGIONWRITER_H
#define GPURMA_PASSES_REGIONWRITER_H

#include "passes/LocalTypes.h"
#include "passes/Pass.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <string>
#include <vector>

namespace gpurma {

/// The device code of a region, and the variables of the host that it uses.
struct WrittenRegion {
  std::string Text;
  /// Classes with what launches pass to their kernels, and the names of the classes.
  std::string Launches;
  std::vector<std::string> LaunchNames;
  /// Not declared in the region; in order of first use.
  llvm::SetVector<const clang::VarDecl*> Captured;
  /// Of Captured, what the statement may change.
  llvm::SmallPtrSet<const clang::VarDecl*, 8> Changed;
  /// Of Captured, pointers to a scalar of the host that reduced scalars are copied to: what they point to is meant.
  llvm::SmallPtrSet<const clang::VarDecl*, 2> HostScalars;
};

/// Reports what cannot run on the device; the text is of no use then. The number is the region's.
WrittenRegion writeRegion(const Region& R, const std::string& Number, const LocalTypes& Types, Unit& U, Program& P);

} // namespace gpurma

#endif // GPURMA_PASSES_REGIONWRITER_H
