// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What becomes of a region's launch: what its kernel is passed is computed, and put into an object of a class of its own, which runs a tile.
//
//   { const dim3 gpurma_grid(grid);                                  struct gpurma_launch_0_0 {
//     float* const gpurma_0 = b;                                       ...
//     gpurma_region.launch(gpurma_launch_0_0{{...}, gpurma_0, ...},    float* gpurma_0;
//                          block, ...); }                              ... void gpurma_run(...) { gpurma_stage_0_jacobi<...>(...); }
//                                                                    };
#ifndef GPURMA_PASSES_LAUNCHWRITER_H
#define GPURMA_PASSES_LAUNCHWRITER_H

#include "passes/ExpressionWriter.h"

namespace gpurma {

/// What a launch does with rows of its arrays that come from neighbouring processes, or go to them: a bit for each array.
struct RowCrossing {
  unsigned ReadsBefore = 0, ReadsAfter = 0, PutsBefore = 0, PutsAfter = 0;
  /// What it writes the same elements of each time, so that nothing older of them is left.
  unsigned Overwrites = 0;

  void add(const ArrayAccess& Access, unsigned Index);
  void add(const RowCrossing& Other, unsigned Index);
  std::string text() const;
};

/// The arrays that a launch is passed, a bit for each in the numbers.
struct PassedArrays {
  std::vector<std::string> Pointers;
  std::string Boxes;
  unsigned Reads = 0, Writes = 0;
  RowCrossing Crosses;

  void add(const ArrayAccess& Access, const std::string& Pointer);
  /// Those of a member.
  void add(const PassedArrays& Other, const std::string& Member);
  std::string text() const;
};

/// A launch's class, as ::gpurma::stages::region::launch has it.
struct LaunchClass {
  std::string Name, Stage, RowDimension, StoredRows, Between, Rereads;
  PassedArrays Arrays;
  /// What the kernel is passed; what threads keep, and add up; and what runs a tile, and is behind all tiles.
  std::string Members, Parts, Sums, Run, Behind;

  std::string text() const;
  /// Of a launch that others run with.
  std::string textOfMember() const;

private:
  std::string members() const;
  std::string functions() const;
};

/// The name of the class of a launch, or copy, of this number.
std::string launchClass(const RegionDraft& Draft, const std::string& Index);

/// Writes the statement, and adds the class to the region's.
void writeLaunch(const Stage& S, RegionDraft& Draft, ExpressionWriter& E, llvm::raw_ostream& Out, unsigned Depth);

/// The same of a launch of several that run as one stage: what it is passed is kept under its name until all of them run, where the last one
/// stands. \p Members: the classes of those before it, to which its own is added.
void writeFusedLaunch(const FusedLaunches& Fused, const Stage& S, std::vector<LaunchClass>& Members, RegionDraft& Draft, ExpressionWriter& E,
                      llvm::raw_ostream& Out, unsigned Depth);
std::string fusedLaunchName(size_t Stage);

/// Adds the class of a copy or fill of distributed arrays.
void addCopyClass(const Stage& S, const std::string& Class, const std::string& Index, bool Fills, WrittenRegion& Result);

} // namespace gpurma

#endif // GPURMA_PASSES_LAUNCHWRITER_H
