// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the statement of a persistent region as device code: each launch becomes a call that runs the logical blocks that the rank
// owns, calls of the CUDA runtime that the region makes superfluous disappear, and the rest stays what it is.
//
//   for (int it = 0; it < n && err > tol; ++it) {          for (int it = 0; it < n && err > tol; ++it) {
//     *norm = 0;                                             gpurma_reduced_0 = 0;
//     jacobi<<<grid, block>>>(b, a, norm);           ->      { ... gpurma_region.launch(gpurma_launch_0_0{{...}, gpurma_0, ...}, block, ...); }
//     CHECK(cudaDeviceSynchronize());                        err = ::std::sqrt(gpurma_reduced_0.value());
//     err = std::sqrt(*norm);                                ::gpurma::stages::swap(a, b);
//     std::swap(a, b);                                     }
//   }
//
// gpurma_launch_0_0 holds what the kernel is passed, and calls the function that its body becomes.
//
// It is printed from the AST, so that error-check macros can be seen through.
#ifndef GPURMA_PASSES_REGIONWRITER_H
#define GPURMA_PASSES_REGIONWRITER_H

#include "passes/LocalTypes.h"
#include "passes/Pass.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <string>
#include <vector>

namespace gpurma {

/// gpurma_values has, for a region with parts that the host runs: the number of the part that the kernel has come to, from 1, or 0 where it
/// has come to the end; and how it goes on behind that.
constexpr const char* HostPartField = "gpurma_host_part";
constexpr const char* BehindField = "gpurma_behind";
/// The value of the latter that says so: by leaving the loop around the part, by its next iteration, or with the next statement.
std::string behindHostPart(const clang::Stmt* Leaving);

/// The device code of a region, and the variables of the host that it uses.
struct WrittenRegion {
  std::string Text;
  /// Classes with what launches pass to their kernels, and the names of the classes.
  std::string Launches;
  std::vector<std::string> LaunchNames;
  /// Not declared in the region; in order of first use.
  llvm::SetVector<const clang::VarDecl*> Captured;
  /// Of Captured, what the statement may change.
  llvm::SmallPtrSet<const clang::VarDecl*, 8> Changed;
  /// Of Captured, pointers to a scalar of the host that reduced scalars are copied to: what they point to is meant.
  llvm::SmallPtrSet<const clang::VarDecl*, 2> HostScalars;
};

/// Reports what cannot run on the device; the text is of no use then. The number is the region's.
WrittenRegion writeRegion(const Region& R, const std::string& Number, const LocalTypes& Types, Unit& U, Program& P);

bool isCudaError(clang::QualType Type);

/// True for a variable that always has the value of a constant initializer, so that a static one may be one of its block.
bool isConstant(const clang::VarDecl* V);

/// cudaSuccess compared with an error: in a region there is no error to find. None: no such condition.
std::optional<bool> errorCheck(const clang::Expr* Condition);

/// How many dimensions the tiles of a launch have that are not its blocks.
unsigned tileDimensions(const KernelAccesses& Accesses);
/// The most that tiles of a launch of the region have.
unsigned tileDimensions(const Region& R);
/// True for a launch whose tiles would have more rows than blocks of the region with more dimensions do; in one dimension, than tiles.
bool hasFewerDimensions(const Stage& S, const Region& R);
/// True for a launch that is therefore given other tiles, if they are not its blocks, and for one in other blocks with a loop through the rows.
bool hasTilesOfRows(const Stage& S, const Region& R);

/// The class of ::gpurma::stages that is the clause's operation.
std::string operationName(const ReducedScalar& S, const clang::ASTContext& Context);

/// True if all that the kernel does with the parameter is to read *p or p[0].
bool readsOnlyScalar(const clang::FunctionDecl* Kernel, const clang::ParmVarDecl* Parameter);

/// The loop through the rows that launches of the kernel, or of other instances of its template, share out; null if there is none.
const RowLoop* rowLoopOf(const clang::FunctionDecl* Kernel, const Unit& U);

/// What becomes of a kernel of which regions run parts of blocks (ThreadMapping::PartialBlocks); null of others.
const PartialBlocks* partialBlocksOf(const clang::FunctionDecl* Kernel, const Unit& U);

/// What threads keep of a kernel until all tiles are done; null if there is nothing.
const TileSums* tileSumsOf(const clang::FunctionDecl* Kernel, ThreadMapping Threads, const Unit& U);

/// The name of the device function that the kernel's body becomes, as the region calls it with a constant gpurma_copy; empty
/// if it cannot be named. \p Behind: of what is run once for all tiles (TileSums.h).
std::string stageFunctionCall(const clang::FunctionDecl* Kernel, ThreadMapping Threads, bool Behind, Unit& U, Program& P);
/// The same as it is declared, without qualification.
std::string stageFunctionName(const clang::FunctionDecl* Kernel, ThreadMapping Threads, bool Behind, Unit& U, Program& P);

/// The number of a part of the region that the host runs.
std::string hostPartNumber(const Region& R, const HostPart& P);

/// The name of one of Region::Kept as a field of the region's values, and in its kernel.
std::string keptName(const Region& R, const clang::VarDecl* Variable);

/// The name under which a captured variable is a field of the region's values, and a variable in its kernel.
std::string capturedName(const clang::VarDecl* Variable, Program& P);

} // namespace gpurma

#endif // GPURMA_PASSES_REGIONWRITER_H
