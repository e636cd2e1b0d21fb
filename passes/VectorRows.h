// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that kernels load and store by vectors, as float4, of which they then have a whole number.
#ifndef GPURMA_PASSES_VECTORROWS_H
#define GPURMA_PASSES_VECTORROWS_H

#include "passes/AccessAnalysis.h"

namespace gpurma {

/// Whether the kernel, or a function that it calls, casts a pointer to one to larger objects.
bool castsToVectors(const clang::FunctionDecl* Kernel, const clang::ASTContext& Context);

/// What an analysis sees whose rows are whole numbers of vectors: extents and arguments over the numbers of these. Rows whose length is a
/// constant, or no variable of its own, stay what they are.
class VectorRows {
public:
  VectorRows(std::int64_t Elements, llvm::ArrayRef<DistributedParameter> Arrays, const LaunchFacts& Launch);

  std::vector<DistributedParameter> Arrays;
  LaunchFacts Launch;
  /// Arrays whose rows were taken to be a multiple.
  std::set<PointerVariable> Divided;

  /// A number over those of the vectors.
  Polynomial operator()(Polynomial P) const;

private:
  std::int64_t Elements;
  /// What rows have, in elements.
  std::vector<Symbol> Lengths;
};

} // namespace gpurma

#endif // GPURMA_PASSES_VECTORROWS_H
