// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An access of a kernel in coordinates of its array, and how these move with the blocks of the grid.
#ifndef GPURMA_PASSES_COORDINATEACCESS_H
#define GPURMA_PASSES_COORDINATEACCESS_H

#include "passes/KernelInterpreter.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace gpurma {

inline constexpr char DimensionName[] = {'x', 'y', 'z'};

/// An access in coordinates of its array.
struct CoordinateAccess {
  const ElementAccess* Origin = nullptr;
  const DistributedParameter* Array = nullptr;
  /// The rows, in all components, first.
  std::vector<Polynomial> Coordinates;
  Polynomial Component;
  /// How far a coordinate that leaves its row changes the one before it: -1 or 0, and 0 or 1.
  std::vector<std::int64_t> CarryLow, CarryHigh;
  /// A store beyond the block's own rows, into one of the array's first or last (ArrayAccess::EndRows).
  bool IntoEndRow = false;
  /// Of a read that a clause `halo` speaks of: the subscript says as much.
  bool SaysPlace = false;
  /// By coordinate, and of the component at the end: the values of the symbols for which it is reached, and all that is known of them and of
  /// those that the coordinate is made of. What is known of others would multiply with it, as ways around in three dimensions do.
  std::vector<isl::set> Domains;

  /// All that is known of all coordinates.
  isl::set domain() const;
  const isl::set& componentDomain() const { return Domains.back(); }
  bool isReached() const;
  void restrictTo(const isl::set& Values);
};

/// Whether its block's number stands in it without the block's size.
bool mentionsIndexAlone(const CoordinateAccess& A, unsigned D);

/// blockIdx.d * blockDim.d.
Polynomial originOf(unsigned Dimension);

/// blockIdx.d * blockDim.d + threadIdx.d.
Polynomial threadAlong(unsigned Dimension);

/// How a coordinate moves from one logical block to the next.
struct Walk {
  unsigned Dimension = 0;
  /// Coordinates for each thread of a block.
  std::int64_t Step = 1;
};

/// The grid dimension d of which P is blockIdx.d * blockDim.d, or a multiple of it, and something
/// that is the same for all blocks.
std::optional<Walk> walkOf(const Polynomial& P);

/// The grid dimension that walks the coordinate with one coordinate for each thread.
std::optional<unsigned> walkedBy(const Polynomial& P);

/// How far apart, in elements, threads next to each other along a dimension of the grid are.
Polynomial strideAlong(const Polynomial& Offset, unsigned Dimension);

/// Made of parameters only.
bool isGiven(const Polynomial& P);

/// A product of a parameter with something that differs between threads: a row length that is not
/// the shape's.
bool hasForeignStride(const Polynomial& P);

/// A product that isl cannot bound. Strides of loops, counter * blockDim.d * gridDim.d, are at
/// least known not to be negative.
bool isNonlinear(const Polynomial& P);

} // namespace gpurma

#endif // GPURMA_PASSES_COORDINATEACCESS_H
