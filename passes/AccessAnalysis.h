// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which coordinates of its arrays a logical block of a kernel touches.
#ifndef GPURMA_PASSES_ACCESSANALYSIS_H
#define GPURMA_PASSES_ACCESSANALYSIS_H

#include "clang/AST/Decl.h"
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace gpurma {

/// Along one grid dimension d a logical block touches the coordinates
/// blockIdx.d * blockDim.d + Low ... blockIdx.d * blockDim.d + blockDim.d - 1 + High.
struct AxisAccess {
  /// Any coordinate; Low and High mean nothing.
  bool Whole = false;
  std::int64_t Low = 0, High = 0;
};

struct ArrayAccess {
  const clang::ParmVarDecl *Array = nullptr;
  /// By grid dimension x, y, z.
  std::optional<std::array<AxisAccess, 3>> Reads, Writes;
};

struct KernelAccesses {
  /// The grid dimension (0 x, 1 y, 2 z) that walks the arrays' slowest dimension.
  unsigned RowDimension = 0;
  std::vector<ArrayAccess> Arrays;
};

} // namespace gpurma

#endif // GPURMA_PASSES_ACCESSANALYSIS_H
