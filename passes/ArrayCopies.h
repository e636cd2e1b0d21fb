// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the CUDA runtime that copy or fill distributed arrays of a persistent region, or some of their rows, and become stages without
// a kernel.
//
//   cudaMemcpy(a, b, bytes, cudaMemcpyDeviceToDevice);     ->  reads b, writes a, each rank in its own tiles
//   cudaMemsetAsync(flux, 0, bytes, stream);               ->  writes flux
//   cudaMemcpy(a, a + (ny - 2) * nx, nx * sizeof(float), cudaMemcpyDeviceToDevice);  ->  reads a two rows before, where behind the last row
//                                                              the first one comes again; writes a, in the tiles of row 0
#ifndef GPURMA_PASSES_ARRAYCOPIES_H
#define GPURMA_PASSES_ARRAYCOPIES_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace gpurma {

struct Region;

/// The arguments of such a call. From is null where the array is filled, and Byte where it is copied.
struct ArrayCopy {
  const clang::Expr* To = nullptr;
  const clang::Expr* From = nullptr;
  const clang::Expr* Byte = nullptr;
  const clang::Expr* Bytes = nullptr;

  bool fills() const { return Byte != nullptr; }
};

/// A pointer, as `&u[k * nx]`: what bytes are added to.
struct OffsetPointer {
  const clang::Expr* Base = nullptr;
  struct Step {
    const clang::Expr* Count = nullptr;
    std::int64_t Bytes = 0; ///< for each, and below 0 where it is subtracted
  };
  std::vector<Step> Added;
};

/// Looks through casts, sums and elements whose address is taken; else all of the expression is the base.
OffsetPointer takeApart(const clang::Expr* Pointer, const clang::ASTContext& Context);

/// None for other functions, and where memory of the host takes part or may do so.
std::optional<ArrayCopy> arrayCopy(const clang::CallExpr& Call);

/// Whether a call copies from or to memory of the host, as far as its kind says.
bool copiesOnHost(const clang::CallExpr& Call);

/// Whether the region has a stage for a call: not for reduced scalars, whose copies are assignments.
bool isCopyStage(const clang::CallExpr& Call, const Region& R);

} // namespace gpurma

#endif // GPURMA_PASSES_ARRAYCOPIES_H
