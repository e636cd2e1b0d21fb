// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/LaunchTiles.h"

#include "passes/VariableUses.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace clang;

namespace gpurma {
namespace {

/// As tiles of rows have them.
bool walksRowsLast(const Stage& S) { return S.Accesses.RowDimension + 1 == tileDimensions(S.Accesses); }

/// Whether the launch has an array of several dimensions, or one with a value for each row of such an array. Others may have very many rows.
bool hasRowsOfSeveral(const Stage& S, const Region& R) {
  return llvm::any_of(S.ShapedLike, [&](size_t Index) {
    const Expr* Rows = R.Arrays[Index].Shape.front()->IgnoreParenImpCasts();
    return llvm::any_of(R.Arrays, [&](const DistributedArray& A) {
      return A.Shape.size() > 1 && isSameText(*A.Shape.front()->IgnoreParenImpCasts(), *Rows, S.Kernel->getASTContext());
    });
  });
}

} // namespace

unsigned tileDimensions(const KernelAccesses& Accesses) {
  unsigned Dimensions = Accesses.RowDimension + 1;
  for (const ArrayAccess& A : Accesses.Arrays)
    for (const std::optional<unsigned>& D : A.Walks)
      Dimensions = std::max(Dimensions, D.value_or(0) + 1);
  return Dimensions;
}

unsigned tileDimensions(const Region& R) {
  unsigned Most = 1;
  for (const Stage& S : R.Stages)
    if (S.Launch && S.Inferred)
      Most = std::max(Most, tileDimensions(S.Accesses));
  return Most;
}

bool hasFewerDimensions(const Stage& S, const Region& R) {
  unsigned Dimensions = tileDimensions(S.Accesses);
  auto HasMore = [&](const Stage& Other) {
    bool OfBlocks = Other.Accesses.runsBlocks();
    return Other.Launch && Other.Inferred && (OfBlocks || Dimensions == 1) && tileDimensions(Other.Accesses) > Dimensions;
  };
  return S.Launch && S.Inferred && walksRowsLast(S) && hasRowsOfSeveral(S, R) && llvm::any_of(R.Stages, HasMore);
}

bool hasTilesOfRows(const Stage& S, const Region& R) {
  switch (S.Accesses.Threads) {
  case ThreadMapping::Coordinates:
    return (S.Accesses.Loop && walksRowsLast(S)) || hasFewerDimensions(S, R);
  case ThreadMapping::FixedRows:
    return hasFewerDimensions(S, R);
  default:
    return false;
  }
}

} // namespace gpurma
