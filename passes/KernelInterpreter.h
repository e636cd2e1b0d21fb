// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the body of a kernel once for all its threads at a time: integers are polynomials over
// symbols, conditions and paths are sets of the symbols' values. Yields every access through a
// pointer parameter with its offset and the values for which it is reached. Calls are run inside;
// the body of a loop is run once, for an arbitrary iteration.
#ifndef GPURMA_PASSES_KERNELINTERPRETER_H
#define GPURMA_PASSES_KERNELINTERPRETER_H

#include "frontend/Diagnostics.h"
#include "passes/AccessAnalysis.h"
#include "passes/RowLoop.h"
#include "passes/SymbolicSets.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gpurma {

/// Where something stands, seen from the loop over the rows that was asked for. Filling: in the iterations that fill the queues of
/// a block.
enum class LoopPart { Before, Filling, Inside, Behind };

/// An element of a queue; no offset: any.
struct QueueElement {
  const clang::VarDecl* Variable = nullptr;
  std::optional<Polynomial> Offset;
};

/// A load or store of one element through a pointer parameter of the kernel, or a pointer in a
/// structure that is one.
struct ElementAccess {
  PointerVariable Array;
  /// In elements of the array's innermost type, from where the parameter points.
  Polynomial Offset;
  bool Writes = false;
  /// The values of the symbols for which it is reached.
  isl::set Path;
  const clang::Expr* Where = nullptr;
  LoopPart Part = LoopPart::Before;
  /// In a kernel for fixed rows, the row that the statement stores into.
  std::optional<Polynomial> StoredRow;
  /// There, of what is read for a store into an array that is collected, or of a point that may lie in any row: the row by which
  /// threads know whose the store is. That of the tile's thread: which one it is the program finds out.
  std::optional<Polynomial> FoundRow;
  /// Before the loop, what is read goes into this only.
  std::optional<QueueElement> FirstOf;
  /// Of what is read beside a point of any row, so many columns from it: it may also be in the row before or after it.
  std::int64_t FoundColumns = 0;
  /// How many elements lie in one row with the one at Offset, from that on: those of a float4 in an array of float.
  std::int64_t Elements = 1;
  /// Which of them are accessed: so many from that one on.
  std::int64_t Begin = 0, Count = 1;
  /// Of an atomic operation.
  bool Atomic = false;
};

/// A store into an array that is collected.
struct CollectedStore {
  const clang::ValueDecl* Parameter = nullptr;
  /// The element.
  const clang::Expr* Where = nullptr;
  LoopPart Part = LoopPart::Before;
};

/// An atomic operation on what a pointer parameter points to, or a store to it if that is a flag.
struct AtomicAccess {
  const clang::ParmVarDecl* Parameter = nullptr;
  /// As in CUDA: "atomicAdd". Empty for a store.
  std::string Function;
  const clang::Expr* Where = nullptr;
  LoopPart Part = LoopPart::Before;
};

/// A loop, and the way to it.
struct EnteredLoop {
  const clang::Stmt* Loop = nullptr;
  /// From the kernel to the function that it stands in.
  std::vector<const clang::CallExpr*> Calls;
  /// It is run in the iterations of another one.
  bool Nested = false;
};

/// A loop whose iterations are to be dealt out as rows: its counter is the row of a thread, of
/// which a logical block has RowsPerThread for each of its threads along Dimension.
struct RowLoopRequest {
  const clang::Stmt* Loop = nullptr;
  unsigned Dimension = 0;
  std::int64_t RowsPerThread = 1;
  /// Null: the loop has none, as far as is known.
  const RegisterQueues* Queues = nullptr;
};

/// A load or store of an array of the function or the block, which no other block sees.
struct PrivateAccess {
  /// Null: one in a structure, or of a temporary.
  const clang::ValueDecl* Array = nullptr;
  Polynomial Offset;
  bool Writes = false;
  isl::set Path;
  /// No condition that is not understood stands around it.
  bool Certain = true;
  const clang::Stmt* Where = nullptr;
  LoopPart Part = LoopPart::Before;
};

/// What was seen of the loop that was asked for.
struct RowLoopTrace {
  std::vector<EnteredLoop> Entered;
  /// The row, and the values of the symbols for which the loop's body is reached.
  Polynomial Row;
  std::optional<isl::set> Path;
  /// Where the counter starts.
  Polynomial Start;
  /// Variables that each iteration moves once, but for the counter.
  std::vector<MovedVariable> Moved;
  /// Variables that its iterations store to.
  std::vector<std::pair<const clang::ValueDecl*, const clang::Stmt*>> Stores;
  std::vector<PrivateAccess> Private;
};

/// Why a kernel cannot be run for fixed rows, in the order of err_fixed_rows.
enum class RowProblem : unsigned { ReadOutside, NoStatement, DoneByUpdate, UnknownCall, LeavesRow, InMacro, NoElement, ReadElsewhere, NoAtomicStatement };

/// A launch whose threads do not work together, so that the threads of a rank's tiles may play the
/// part of any of them.
struct RenumberedThreads {
  /// What blockIdx.d * blockDim.d + threadIdx.d is to a tile's thread.
  std::array<Polynomial, 3> Coordinate;
  /// The launch has one block along it, whose blockIdx.d is 0.
  std::array<bool, 3> OneBlock = {};
  /// blockIdx.d, of a launch whose blocks have one thread along it, if it is another number than the launch's.
  std::array<std::optional<Polynomial>, 3> Block;
  /// Of a launch in one dimension, which numbers its threads as the elements of arrays lie in
  /// memory: how many elements the arrays have. A loop that goes on by whole grids then has one
  /// iteration, for the launch gets a thread for each of them.
  std::vector<Polynomial> Elements;
  /// Of such a launch, in the order of ElementPlace.
  std::vector<Polynomial> Places;
  /// Of a kernel for fixed rows: the row of a tile's thread, and the arrays' shapes.
  std::optional<Polynomial> Row;
  std::map<PointerVariable, ArrayShape> Shapes;
  /// LaunchFacts::SearchesRows.
  bool SearchesRows = false;

  bool inOneDimension() const { return !Elements.empty(); }
};

struct InterpretedKernel {
  /// False if something was reported; the rest is then incomplete.
  bool Understood = true;
  std::vector<ElementAccess> Accesses;
  std::vector<AtomicAccess> Atomics;
  std::vector<CollectedStore> Collected;
  /// By the number of their counter.
  std::map<unsigned, EnteredLoop> Loops;
  /// Grid dimensions of which blockIdx or gridDim is mentioned.
  std::set<unsigned> GridDimensions;
  RowLoopTrace RowLoop;
  ElementPlaces Places;
  /// With RenumberedThreads: a loop goes on by whole grids.
  const clang::Stmt* GridStride = nullptr;
  /// Such loops, and their variables that begin with the number of the thread and go on so.
  std::set<std::pair<const clang::Stmt*, const clang::VarDecl*>> GridIndices;
  /// Loops and variables in which an iteration leaves what they begin with for the thread of the next grid.
  GridLoops GridMoves;
  /// Loops in which something moves so and that a thread may leave before an element for which
  /// their condition holds, which is given.
  std::map<const clang::Stmt*, const clang::Expr*> LeftEarly;
  /// Loops of the kernel itself, and variables and arrays of threads that an iteration stores into, by whatever name; null: into any
  /// whose address has been taken.
  GridLoops LoopStores;
  /// In a kernel for fixed rows, the statements that store into them, and whether others store into rows that
  /// differ between threads.
  std::vector<RowStore> RowStores;
  std::vector<RowRead> RowReads;
  /// The elements that others store into, which are reported.
  std::vector<Polynomial> RejectedRowStores;
  bool StoresOtherRows = false;
  /// Which of the assumed constants were read.
  std::set<PointerVariable> Constants;
  /// The least common multiple of Location::Elements.
  std::int64_t VectorElements = 1;
};

/// Pointers to distributed arrays, and how many bytes an element of the array has.
using ElementSizes = std::map<PointerVariable, std::int64_t>;

/// \p Launch: parameters of which nothing is known at the launch are symbols of their own, as its constants are. \p
/// Distributed: pointers that must not be lost sight of. \p Renumbered: null where tiles are the
/// launch's blocks. With \p Rows the counter of that loop is a row of the block. Reports what is not
/// understood.
InterpretedKernel interpretKernel(const clang::FunctionDecl* Kernel,
                                  const LaunchFacts& Launch,
                                  const ElementSizes& Distributed,
                                  SymbolicSets& Sets, clang::ASTContext& Context,
                                  Diagnostics& Diags,
                                  const RenumberedThreads* Renumbered = nullptr,
                                  const std::optional<RowLoopRequest>& Rows = std::nullopt);

} // namespace gpurma

#endif // GPURMA_PASSES_KERNELINTERPRETER_H
