// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which coordinates of its arrays a logical block of a kernel touches.
//
//   int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
//   if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
//     out[y * nx + x] = in[(y - 1) * nx + x] + in[(y + 1) * nx + x];
//   ->  rows walked by y; reads in: x 0..0, y -1..1; writes out: x 0..0, y 0..0
//
// KernelInterpreter gives every subscript as a polynomial with the set of values for which it is
// reached. Here a subscript is taken apart into the array's coordinates by polynomial division with
// the shape's strides (delinearization: Grosser et al., "Optimistic Delinearization of
// Parametrically Sized Arrays", ICS 2015), and isl computes how far the coordinates are from the
// block's own ones, that they stay within their rows, and that no two logical blocks write one
// element (the condition of Matz et al., "Automated Partitioning of Data-Parallel Kernels using
// Polyhedral Compilation", Mekong, 2020).
#ifndef GPURMA_PASSES_ACCESSANALYSIS_H
#define GPURMA_PASSES_ACCESSANALYSIS_H

#include "frontend/Diagnostics.h"
#include "frontend/Lowering.h"
#include "frontend/PointerVariable.h"
#include "passes/ArrayShape.h"
#include "passes/ConstantMemory.h"
#include "passes/PartialBlocks.h"
#include "passes/Polynomial.h"
#include "passes/RowLoop.h"
#include "passes/StoreUses.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace gpurma {

/// Along one grid dimension d a logical block touches the coordinates
/// blockIdx.d * blockDim.d + Low ... blockIdx.d * blockDim.d + blockDim.d - 1 + High;
/// along the rows, blockDim.d times KernelAccesses::RowsPerThread.
struct AxisAccess {
  /// Any coordinate; Low and High mean nothing.
  bool Whole = false;
  std::int64_t Low = 0, High = 0;
  /// Beyond the array's ends it goes on with the other end: the row after the last one is the first.
  bool Periodic = false;
  /// Perhaps so, of rows that a clause `halo` speaks of: their subscript does not say.
  bool PerhapsPeriodic = false;

  bool isOwn() const { return !Whole && Low == 0 && High == 0; }
  /// Or some of the block's own.
  bool isWithinOwn() const { return !Whole && Low >= 0 && High <= 0; }
};

/// How many rows before and after a logical block's own.
struct RowsBeyond {
  std::int64_t Before = 0, After = 0;

  bool some() const { return Before != 0 || After != 0; }
};

/// What is touched of a dimension of an array: so many of the first and of the last coordinates.
struct DimensionEnds {
  /// Any coordinate.
  bool Whole = false;
  std::int64_t First = 0, Last = 0;

  void unite(const DimensionEnds &Other) {
    Whole |= Other.Whole;
    First = std::max(First, Other.First);
    Last = std::max(Last, Other.Last);
  }
};

/// Rows at the ends of an array that blocks write beyond their own, as `if (y == 1) u[x] = ...` does: how many, and how far they are
/// from the block's rows, as in AxisAccess.
struct WrittenEndRows {
  DimensionEnds Count;
  std::int64_t Low = 0, High = 0;

  bool some() const { return Count.First != 0 || Count.Last != 0; }
  void unite(const WrittenEndRows &Other) {
    Count.unite(Other.Count);
    Low = std::min(Low, Other.Low);
    High = std::max(High, Other.High);
  }
};

struct ArrayAccess {
  PointerVariable Array;
  /// By grid dimension x, y, z. A dimension that the kernel does not use is 0..0, one that walks
  /// none of the array's dimensions is whole.
  std::optional<std::array<AxisAccess, 3>> Reads, Writes;
  /// Reads leave the block's own coordinates along several grid dimensions, but each along one of
  /// them only, as those of a star-shaped stencil do.
  bool ReadsAlongAxes = false;
  /// The grid dimension that walks each of the array's dimensions, the slowest first.
  std::vector<std::optional<unsigned>> Walks;
  /// Of the dimensions behind the rows that none walks, what is touched, and what of that is written; by dimension, the rows' one
  /// first.
  std::vector<DimensionEnds> Ends, WrittenEnds;
  /// Not in Writes. Where no block has rows of its own, Writes has the rows of all.
  WrittenEndRows EndRows;
  /// Of what is written, the rows that neighbouring processes need: as many beyond their own as
  /// launches of the region read of the array. None: that is not known, or nothing is written.
  std::optional<RowsBeyond> Published;
  /// A put before the launch says so.
  bool PublishedByHand = false;
  /// Rows beyond the block's own of what is read, if launches of the region write the array: rows
  /// that neighbouring processes may publish.
  RowsBeyond Received;
  /// Each thread touches the element at its own coordinates only, which no other thread touches.
  bool OfThread = false;
  /// How far the rows that a thread reads are before and after those that it writes in any array (KernelAccesses::ThreadRowsKnown).
  RowsBeyond FromWritten;
  /// A thread writes the same elements, whatever data and numbers are that may change from launch to launch.
  bool WritesFixedElements = false;
  /// Which of the region's arrays has the same shape, and elements of the same size.
  size_t ShapedLike = 0;
  /// It has several components, all of whose rows may be read and written.
  bool OfComponents = false;
  /// In a kernel for fixed rows, its rows say whose stores into collected arrays are.
  bool FindsRows = false;
  /// If it has fewer rows, some that are meant to be of one component may be of the next.
  std::int64_t LeastRows = 1;
  /// By dimension, as far as one is more than 1: in a shorter one, a column that is meant to be in its row may be in the next.
  std::vector<std::int64_t> LeastExtents;
  /// How far subscripts reach beyond the rows of a block, which a clause `halo` with a depth that is known at run time may say no less than.
  std::int64_t LeastDepth = 0;
  /// If the elements of a row are no multiple of it, a load or store of several elements may be in two rows.
  std::int64_t RowMultiple = 1;
};

/// An atomic operation that many blocks apply to one scalar, which is not distributed, or a store to a flag.
struct AtomicReduction {
  enum Operation { Add, Max, Min, Set } Op = Add;
  const clang::ParmVarDecl* Scalar = nullptr;
  const clang::Expr* Where = nullptr;
};

/// A launch's blockDim, as far as it is constant.
using BlockExtents = std::array<std::optional<std::int64_t>, 3>;
/// How many threads that are, if it is known.
std::optional<std::int64_t> threadsIn(const BlockExtents& Block);
/// Whether its threads are known to fill warps.
bool hasWholeWarps(const BlockExtents& Block);

/// What a tile of a rank is.
enum class ThreadMapping {
  Blocks,       ///< a logical block of the launch
  PlayedBlocks, ///< the same, where ranks have blocks of another size: their threads play those with the same numbers
  OneDimension, ///< a piece of the array's coordinates, of a launch that numbers its threads as the elements lie in memory:
                ///< thread (z * ny + y) * nx + x is at the coordinates z, y, x
  Coordinates,  ///< a block of another size, of the same threads
  Elements,     ///< the same of a copy or fill of arrays, which has no threads
  FixedRows,    ///< a piece of the array's coordinates, of a launch with a dimension less: a thread at row r does of the
                ///< thread at its other coordinates what stores into row r
  PartialBlocks, ///< a piece of the array's coordinates, of a launch in one dimension whose threads work together: the tile runs
                 ///< the blocks that have its elements, for these only
};

/// A row by its number, which may begin at an array's end (-1 is the last row) or at the value of a parameter or a member of it.
struct FixedRow {
  std::optional<PointerVariable> Array;
  const clang::ParmVarDecl* Parameter = nullptr;
  const clang::FieldDecl* Field = nullptr;
  std::int64_t Number = 0;
};

/// What a kernel for fixed rows reads for some of its stores before these: the value that a variable begins with, and what is stored into.
struct RowRead {
  const clang::Expr* Initial = nullptr;
  std::vector<StoredElement> Elements;
};

/// A statement that stores into one element, and that element; or, where the array is collected, one that is read for it. The threads of
/// its row do the store.
struct RowStore {
  const clang::Expr* Statement = nullptr;
  StoredElement Element;
  /// One of several assignments of a value, `u[i] = u[j] = v`.
  bool Chained = false;
};

/// The stores of a kernel for fixed rows (ThreadMapping::FixedRows).
struct FixedRowStores {
  std::vector<RowStore> Statements;
  std::vector<RowRead> Reads;
  /// With fewer rows, a thread may read what the thread of another row stores.
  std::int64_t LeastRows = 1;
  /// Pairs of parameters of which the same is true if both are one array.
  std::vector<std::pair<PointerVariable, PointerVariable>> Distinct;
  /// The rows, if that is known of all of them.
  std::optional<std::vector<FixedRow>> Rows;
  /// LaunchFacts::SearchesRows.
  bool Searched = false;
  /// LaunchFacts::WalksThreads: how many there are.
  std::int64_t ThreadsWalked = 1;
  /// A bit for each dimension of the launch that the kernel's accesses depend on; of the rows and later ones, for those along which
  /// only the first thread stores.
  unsigned Dimensions = 0;
};

/// Where the element of a thread lies (ThreadMapping::OneDimension): along the array's last dimension, the one
/// before it and the one before that, and which row of the last dimension it is in.
enum class ElementPlace { X, Y, Z, Row };

/// Quotients and remainders of a kernel for launches in one dimension. None: not always the same of these.
using ElementPlaces = std::map<const clang::Expr*, std::optional<ElementPlace>>;

/// Of blocks that overlap, along each grid dimension; none: they lie side by side.
using BlockPitch = std::array<std::optional<std::int64_t>, 3>;
bool overlap(const BlockPitch& Pitch);

/// Where no condition keeps a kernel's threads from what is beyond an extent of an array: the last thread of the launch along a dimension, moved
/// on by a number, is within it. The region looks when it comes to the launch.
struct FittingThreads {
  unsigned Dimension = 0;
  PointerVariable Array;
  /// Of the array's extents, the rows first.
  size_t Extent = 0;
  std::int64_t MovedBy = 0;
  /// It is the last one within the extent: rows are as long as the grid.
  bool Exactly = false;
  /// If the extent is as much, conditions say so: `y == 20`.
  std::optional<std::int64_t> Enough = std::nullopt;
};

/// A row that threads store into where they are those of a number that the kernel is passed, and of so many more: `y == sy + 1`.
struct PassedRow {
  unsigned Dimension = 0;
  PointerVariable Array;
  PointerVariable Number;
  std::int64_t More = 0;
  /// How far the row is behind the thread.
  std::int64_t MovedBy = 0;
};

/// A number that the kernel is passed, as a radius, says how many rows from its block's own are read, where a clause `halo` says how many those
/// are. The region compares them when it comes to the launch.
struct PassedDepth {
  PointerVariable Number;
  /// It is so many times the number, and so many more.
  std::int64_t Times = 1, More = 0;

  friend bool operator==(const PassedDepth& A, const PassedDepth& B) {
    return std::tie(A.Number, A.Times, A.More) == std::tie(B.Number, B.Times, B.More);
  }
};

/// A read that is farther from a logical block's own rows than a clause `halo` says.
struct ExceededHalo {
  const clang::Expr* Where = nullptr;
  PointerVariable Array;
  std::int64_t Depth = 0;
  enum { Before, Behind, Far } Beyond = Before;
  /// Of those before and behind, how far.
  std::int64_t Reads = 0;
};

/// Of a launch for a part of the rows: their first one is a number that the kernel is passed, by itself or in a structure, or a multiple of it,
/// as in `y = first + blockIdx.y * blockDim.y + threadIdx.y`. A tile's thread at row y is then the launch's at y - first.
struct RowOrigin {
  unsigned Dimension = 0;
  PointerVariable Number;
  std::int64_t Times = 1;
  /// The value of all that.
  Polynomial First;

  bool isSameNumber(const RowOrigin& Other) const {
    return std::tie(Dimension, Number, Times) == std::tie(Other.Dimension, Other.Number, Other.Times);
  }
  /// As the program could write it where the structure, or the number by itself, has this text.
  std::string text(const std::string& Variable) const;
};

struct KernelAccesses {
  /// Where tiles are no logical blocks, all that is said of these here is said of tiles.
  ThreadMapping Threads = ThreadMapping::Blocks;
  /// The size of the launch's blocks, as far as it is constant.
  BlockExtents LaunchedBlock;
  /// A bit for each grid dimension of which the kernel names neither index nor size, and that may have several blocks.
  unsigned UnnamedDimensions = 0;
  /// Of ThreadMapping::PlayedBlocks and PartialBlocks: blocks have fewer threads than the ranks, so that some take no part.
  bool FewerThreads = false;

  /// Tiles are logical blocks of the launch.
  bool runsBlocks() const { return Threads == ThreadMapping::Blocks || Threads == ThreadMapping::PlayedBlocks; }
  /// Of ThreadMapping::Coordinates: where the launch's rows begin, if not at 0.
  std::optional<RowOrigin> FirstRow;
  /// How far apart the launch's blocks begin, where that is not their size; all that is said of blocks is then said of as many coordinates.
  BlockPitch Pitch;
  /// The grid dimension (0 x, 1 y, 2 z) that walks the arrays' slowest dimension.
  unsigned RowDimension = 0;
  /// How many rows a logical block has for each of its threads along RowDimension.
  std::int64_t RowsPerThread = 1;
  /// The same along the other dimensions, of what the arrays have along them.
  std::array<std::int64_t, 3> ColumnsPerThread = {1, 1, 1};
  bool hasSeveralColumns() const { return ColumnsPerThread != std::array<std::int64_t, 3>{1, 1, 1}; }
  /// A loop of the kernel goes on through the rows, or in one dimension through all elements, by whole grids, so that a grid of any size does
  /// the same: with one that has a block for all rows, it ends after an iteration, and what is said
  /// here holds.
  bool RowsStrided = false;
  /// ArrayAccess::FromWritten has been found of all arrays, of threads that each work for themselves and in places that no data say.
  bool ThreadRowsKnown = false;
  /// Logical blocks that have the same rows may write between each other's elements.
  bool RowsTogether = false;
  /// It reads rows that are so far from the logical block's own that no clause could say how far.
  bool ReadsFar = false;
  /// The first read that may be of any row, and that no clause `halo` speaks of.
  struct WholeRead {
    PointerVariable Array;
    const clang::Expr* Where;
  };
  std::optional<WholeRead> ReadsAnyRow;
  /// Threads go through the rows in a loop, of which a logical block has the iterations of its rows.
  std::optional<RowLoop> Loop;
  std::vector<ArrayAccess> Arrays;
  std::vector<AtomicReduction> Reductions;
  std::vector<ExceededHalo> Exceeded;
  FixedRowStores FixedRows;
  ElementPlaces Places;
  /// Of ThreadMapping::PartialBlocks.
  struct PartialBlocks Partial;
  /// In one dimension, loops by whole grids, and their indices that begin with the number of the thread.
  std::set<std::pair<const clang::Stmt*, const clang::VarDecl*>> GridIndices;
  /// Those of the launch's that the analysis has used.
  AssumedConstants Constants;
  std::vector<FittingThreads> Fitting;
  std::vector<PassedRow> PassedRows;
  std::vector<PassedDepth> PassedDepths;
};

/// Whether, if two of a kernel's arrays were the same, it would read rows of it that other logical
/// blocks write.
bool readsRowsOf(const KernelAccesses& Accesses, const ArrayAccess& Written,
                 const ArrayAccess& Read);

/// What a clause `halo(array : n)` says: reads stay within n rows of the block's own, where behind the last row the first one may come again.
/// Without a depth it is known when the program runs, and all rows may be read as far as is known here.
struct StatedHalo {
  std::optional<std::int64_t> Depth;
  /// The same over symbols that the shapes may use, too, if it is known.
  std::optional<Polynomial> Rows;
};

/// Of an array of arrays, as `double (*a)[5]` leads to, those of a number.
inline std::int64_t innermostBytes(clang::QualType Type, const clang::ASTContext& Context) {
  return Context.getTypeSizeInChars(Context.getBaseElementType(Type)).getQuantity();
}

/// A pointer parameter, or a pointer in a structure that is a parameter, whose array is distributed.
struct DistributedParameter {
  PointerVariable Array;
  /// Over parameters (Symbol::Kind::Parameter) and constants.
  ArrayShape Shape;
  /// Of an element of the array; the pointer may be one to others.
  std::int64_t ElementBytes = 0;
  std::optional<StatedHalo> Halo;
  /// The clause gives the number of rows as a product.
  bool RowsAreProduct = false;
  /// As clauses name the arrays that it may be, `u, v`.
  std::string NamedByClauses;
};

/// Values of integer parameters, and of integer members of structures that are passed by value (the
/// field is null for a parameter itself), over symbols that the shapes may use, too.
using KnownArguments =
    std::map<std::pair<const clang::VarDecl*, const clang::FieldDecl*>, Polynomial>;

/// What stands for structures in structures that are parameters.
using InnerParameters = std::map<PointerVariable, const clang::VarDecl*>;

using CollectedParameters = std::set<const clang::ValueDecl*>;

/// What is known of one launch.
struct LaunchFacts {
  KnownArguments Arguments;
  /// A number that the kernel is passed by itself, or as a field of a structure: what is known of it, or a symbol.
  Polynomial passedNumber(const clang::VarDecl* Of, const clang::FieldDecl* Field) const;
  InnerParameters Inner;
  /// blockDim where it is constant. Kernels that write a number instead of blockDim need it.
  BlockExtents BlockSize;
  /// gridDim where it is constant.
  std::array<std::optional<std::int64_t>, 3> GridSize;
  /// As many threads as it has along a dimension at most: 64 of four blocks of 16, nx of nx / 16.
  std::array<std::optional<Polynomial>, 3> MostThreads;
  /// Extents are those of the clause, so that the region may compare the launch's threads with them.
  bool ComparesThreads = true;
  /// What a clause `map(kernel : rows = y)` says.
  std::optional<unsigned> RowDimension;
  ThreadMapping Threads = ThreadMapping::Blocks;
  /// Of ThreadMapping::FixedRows: the threads of a tile run all threads of the launch, whose stores then are looked for in all of its rows.
  bool SearchesRows = false;
  /// The same: a thread of a tile does what the launch's threads at its other coordinates do, one after the other, of which there are few.
  bool WalksThreads = false;
  /// Of ThreadMapping::Coordinates.
  std::optional<RowOrigin> Origin;
  /// Parameters for arrays that are collected.
  CollectedParameters Collected;
  /// Of ThreadMapping::Blocks, with a constant BlockSize.
  BlockPitch Pitch;
  /// `blockIdx.x * 32` is where a block of 32 threads begins, rather than the number of a row of 32
  /// elements.
  bool JoinsBlocks = true;
  /// What is in `__constant__` memory.
  AssumedConstants Constants;
  /// Parameters that stand for flags of a clause `reduce(|| : *flag)`.
  std::set<const clang::ParmVarDecl*> Flags;

  unsigned long AnalysisSteps = LowerOptions().AnalysisSteps;

  /// Of ThreadMapping::OneDimension: how many elements a thread has, one behind the other, by vectors.
  std::int64_t ElementsPerThread = 1;

  /// Its tiles have the threads of blocks, of the launch's size or another.
  bool isInBlocks() const { return Threads == ThreadMapping::Blocks || Threads == ThreadMapping::Coordinates; }
};

/// What else a kernel looks like, which says what to try if its accesses cannot be inferred.
struct KernelForm {
  /// Subscripts go through arrays of several dimensions as if they had one: they leave their rows, or have quotients where
  /// rows are.
  bool SeesOneRow = false;
  /// Of ThreadMapping::FixedRows: what the kernel stores is in rows that are the same for all threads.
  bool StoresFixedRows = false;
  /// There, with LaunchFacts::SearchesRows: what the kernel stores is in places that only data say, as `u[points[i]]`; or in such and in few.
  bool StoresListed = false, StoresFewPlaces = false;
  /// The same, but of a store no condition says that it stays in its row. Null: there is none.
  const clang::Expr* UnboundColumn = nullptr;
  /// Threads go through the rows in a loop, which is not understood.
  bool LoopsOverRows = false;
  /// The kernel stores into a distributed array.
  bool Stores = false;
  /// What the coordinates say of blocks that do not lie side by side: blockIdx.y * 14 of 16.
  BlockPitch Pitch;
  /// All that the kernel stores is a constant number of rows from that of its thread, in a launch whose rows begin there.
  std::optional<RowOrigin> Origin;
  /// Pointers to distributed arrays are cast to pointers to multiples of so many elements.
  std::int64_t VectorElements = 1;
  /// The analysis has given up.
  bool TooComplex = false;
};

/// Analyses a kernel's definition (for a template, an instantiation). Integer arithmetic of 32 bits
/// and more is taken not to overflow, and a grid dimension that the kernel does not mention to be
/// one block. Arrays are in the order of \p Arrays and left out if they are not accessed. None
/// after an error, which is reported at the subscript and names the clause that would state what
/// cannot be inferred. \p Seen is filled in either case.
std::optional<KernelAccesses> analyzeAccesses(const clang::FunctionDecl* Kernel,
                                              llvm::ArrayRef<DistributedParameter> Arrays,
                                              const LaunchFacts& Launch, clang::ASTContext& Context,
                                              Diagnostics& Diags, KernelForm* Seen = nullptr);

/// "its first row and its last 2 rows".
std::string endRows(const DimensionEnds& Count);

/// One line: "rows y; reads in (x -1..1, y -1..1); writes out (own); adds to *sum". Dimensions of
/// 0..0 are left out.
void print(const KernelAccesses& Accesses, llvm::raw_ostream& Out);

/// A kernel is too complex to analyse.
void reportTooComplex(const clang::FunctionDecl* Kernel, Diagnostics& Diags);

/// What to write instead of a variable of the device that is to be reduced.
void noteDeviceVariable(clang::SourceLocation Loc, const clang::VarDecl& Variable, Diagnostics& Diags);

} // namespace gpurma

#endif // GPURMA_PASSES_ACCESSANALYSIS_H
