// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ArrayShape.h"

#include "passes/SymbolicSets.h"

#include "llvm/ADT/ArrayRef.h"
#include <algorithm>

namespace gpurma {

Polynomial ArrayShape::stride(size_t J) const {
  Polynomial Stride(1);
  for (const Polynomial& Extent : llvm::ArrayRef(Extents).drop_front(J + 1))
    Stride = Stride * Extent;
  return Stride;
}

bool isOfAnyRow(const std::vector<Polynomial>& Coordinates, size_t J) {
  auto IsZero = [](const Polynomial& P) { return P == Polynomial(0); };
  return Coordinates[J].involves(Symbol::Kind::Unknown) || std::all_of(Coordinates.begin(), Coordinates.begin() + static_cast<std::ptrdiff_t>(J), IsZero);
}

ComponentOffset componentOf(const Polynomial& Offset, const ArrayShape& Shape, const isl::set& Path, SymbolicSets& Sets) {
  if (!Shape.Components)
    return {Polynomial(), Offset};
  const Polynomial Elements = Shape.elements();
  auto [Component, InComponent] = Offset.divided(Elements);
  const Polynomial Row = InComponent.divided(Shape.stride(0)).first;
  const isl::set Domain = Sets.closedWith(Path, {Row});
  auto Never = [&](Comparison Op, const Polynomial& Left, const Polynomial& Right) {
    return Domain.intersect(Sets.compare(Op, Left, Right)).is_empty();
  };
  if (Never(Comparison::LessEqual, 0, Row))
    return {Component - 1, InComponent + Elements};
  if (Never(Comparison::Less, Row, Shape[0]))
    return {Component + 1, InComponent - Elements};
  return {Component, InComponent};
}

} // namespace gpurma
