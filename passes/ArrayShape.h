// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extents of a distributed array, and which component an element of it belongs to.
#ifndef GPURMA_PASSES_ARRAYSHAPE_H
#define GPURMA_PASSES_ARRAYSHAPE_H

#include "passes/Polynomial.h"

#include <optional>
#include <vector>

namespace isl {
class set;
}

namespace gpurma {

class SymbolicSets;

/// rows(ny, nx), or components(9), rows(ny, nx): as many such arrays, one behind the other in memory.
struct ArrayShape {
  /// In elements, the slowest dimension, whose coordinates are the rows, first.
  std::vector<Polynomial> Extents;
  /// None: the clause does not name any.
  std::optional<Polynomial> Components;

  size_t dimensions() const { return Extents.size(); }
  const Polynomial& operator[](size_t J) const { return Extents[J]; }
  /// How many elements there are for each coordinate of dimension \p J.
  Polynomial stride(size_t J) const;
  /// The elements of one component.
  Polynomial elements() const { return Extents[0] * stride(0); }
  bool operator==(const ArrayShape&) const = default;
};

/// Whether coordinate \p J, which is not known to stay within its extent, may be the number of an element further on: nothing before it
/// is named, or it is computed, as by a remainder.
bool isOfAnyRow(const std::vector<Polynomial>& Coordinates, size_t J);

/// An offset, in elements, taken apart: the component, and the offset in it.
struct ComponentOffset {
  Polynomial Component, InComponent;
};

/// \p Path: the values of the symbols for which the offset is meant. It says which component the last rows of one are in, whose
/// offsets are those of the next one, less some rows.
ComponentOffset componentOf(const Polynomial& Offset, const ArrayShape& Shape, const isl::set& Path, SymbolicSets& Sets);

} // namespace gpurma

#endif // GPURMA_PASSES_ARRAYSHAPE_H
