// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far from a block's own coordinates those of an access are, and from the ends of its array.
#ifndef GPURMA_PASSES_ACCESSBOUNDS_H
#define GPURMA_PASSES_ACCESSBOUNDS_H

#include "passes/CoordinateAccess.h"

namespace gpurma {

class AccessBounds {
public:
  /// \p Tiles: which dimension of the grid walks the rows, and how many a thread has, when a bound is asked for. \p BlockSize: of a tile, as
  /// far as it is known.
  AccessBounds(SymbolicSets& Sets, const KernelAccesses& Tiles, const std::array<std::optional<std::int64_t>, 3>& BlockSize)
      : Sets(Sets), Tiles(Tiles), BlockSize(BlockSize) {}

  /// The bounds of coordinate \p J relative to the block's own in grid dimension \p D.
  AxisAccess bounds(const CoordinateAccess& A, size_t J, unsigned D);
  /// Whether an access is farther than \p Depth rows from the block's own for some threads, whatever parameters it depends on are but \p Extents, in
  /// arrays that are long enough, where behind the last row the first one may come again. Grid dimension \p D walks the rows. None: data that are
  /// rows, choose among them or say how long a loop through them is may keep it near.
  std::optional<bool> readsFarther(const CoordinateAccess& A, unsigned D, const Polynomial& Depth, const std::set<Symbol>& Extents = {});
  /// The same of as many rows as neighbouring processes may give each other: two have that before and behind those of the block.
  bool readsFar(const CoordinateAccess& A, unsigned D, const std::set<Symbol>& Extents) {
    constexpr std::int64_t Many = 1 << 20;
    const std::optional<std::int64_t> Rows = A.Array->Shape[0].constant();
    return readsFarther(A, D, Rows ? *Rows / 4 : Many, Extents) == true;
  }
  enum class RowsWithin { NotShown, Shown, ShownPeriodically };
  /// Whether the rows of an access are \p Depth at most from the block's own, perhaps where behind the last row the first one comes again.
  RowsWithin staysWithin(const CoordinateAccess& A, unsigned D, const Polynomial& Depth);
  /// The least and the most rows from that of its thread; none if that has no bounds. Grid dimension \p D walks the rows.
  std::optional<std::pair<std::int64_t, std::int64_t>> rowsFromThread(const CoordinateAccess& A, unsigned D);
  /// Of coordinate \p J, from its array's ends.
  DimensionEnds endsOf(const CoordinateAccess& A, size_t J);

  /// Whether the runtime has numbers for such distances. Farther apart are unsigned numbers that go below 0.
  static bool areCounted(std::int64_t Low, std::int64_t High) {
    constexpr std::int64_t Most = 1 << 28;
    return Low >= -Most && High <= Most;
  }

private:
  /// What has been found of a coordinate, for accesses that differ in others.
  struct KnownBounds {
    Polynomial Coordinate;
    isl::set Domain;
    std::array<std::int64_t, 4> Carry;
    const DistributedParameter* Array = nullptr;
    size_t J = 0;
    unsigned D = 0;
    bool Writes = false;
    AxisAccess Found;
  };
  AxisAccess findBounds(const CoordinateAccess& A, size_t J, unsigned D);
  /// For which an access is reached, with all that is known of its row and \p Depth.
  isl::set ofRows(const CoordinateAccess& A, unsigned D, const Polynomial& Depth);
  /// Where its row, \p Turn rows further on, is \p Depth at most from the block's own.
  isl::set near(const CoordinateAccess& A, unsigned D, const Polynomial& Depth, const Polynomial& Turn);
  /// How many of coordinate \p J a thread has along grid dimension \p D.
  std::int64_t stepOf(size_t J, unsigned D) const { return J == 0 ? Tiles.RowsPerThread : Tiles.ColumnsPerThread[D]; }
  /// Of rows that wrap around, as `(y + 1) % ny`: how far they are if behind the last row the first one comes again.
  AxisAccess periodicRows(const CoordinateAccess& A, const isl::set& Domain, const Polynomial& Distance, const Polynomial& FromEnd);
  /// True if a coordinate that is not at a fixed distance is bounded only because the array ends:
  /// one that wraps around, or a fixed one. Of arrays whose extent is no constant it has no bounds.
  bool spans(const CoordinateAccess& A, size_t J, unsigned D, std::int64_t Low,
             std::int64_t High) const;

  SymbolicSets& Sets;
  const KernelAccesses& Tiles;
  const std::array<std::optional<std::int64_t>, 3>& BlockSize;
  std::vector<KnownBounds> Known;
};

} // namespace gpurma

#endif // GPURMA_PASSES_ACCESSBOUNDS_H
