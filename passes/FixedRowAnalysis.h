// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that store into fixed rows, as those for boundaries do (ThreadMapping::FixedRows):
//
//   u[x] = u[nx + x]; u[(ny - 1) * nx + x] = u[(ny - 2) * nx + x];   for one thread for each x
//
// A thread at row r does the stores into that row, so that the order in which one thread did them all must not matter.
#ifndef GPURMA_PASSES_FIXEDROWANALYSIS_H
#define GPURMA_PASSES_FIXEDROWANALYSIS_H

#include "passes/AccessReports.h"

namespace gpurma {

class FixedRowAnalysis {
public:
  /// Of the accesses as they are when something is asked. What the stores need goes to \p Stores.
  FixedRowAnalysis(const clang::FunctionDecl* Kernel, const LaunchFacts& Launch, SymbolicSets& Sets, const std::vector<CoordinateAccess>& Accesses,
                   clang::ASTContext& Context, AccessReports& Reports, FixedRowStores& Stores)
      : Kernel(Kernel), Launch(Launch), Sets(Sets), Accesses(Accesses), Context(Context), Reports(Reports), Stores(Stores) {}

  /// Threads of the launch along all dimensions but that of the rows.
  RenumberedThreads threads(llvm::ArrayRef<DistributedParameter> Arrays);
  /// Whether there are few threads along the other dimensions, and how many, where blocks have one of them or there is one block.
  static std::optional<std::int64_t> threadsBeyond(const LaunchFacts& Launch);
  /// Whether the stores may be shared out so. What hinders it is reported.
  void check(const InterpretedKernel& Interpreted);
  /// Whether it is the same for all threads.
  bool isUniform(const Polynomial& P);
  /// Whether both are in fixed rows a constant number apart, which takes no sets to see: kernels for boundaries have many accesses, each
  /// of which is compared with each store.
  bool lieInRowsApart(const CoordinateAccess& First, const CoordinateAccess& Second) const;
  /// A store into a fixed row and one into a column, of which it does not matter which one comes last: walls of one value meet in corners.
  bool storesSameValue(const CoordinateAccess& First, const CoordinateAccess& Second) const;
  /// The kernel stores elsewhere, too.
  void noteOtherStore() { StoresOtherRows = true; }
  /// Whether what the kernel stores is in such rows, and in no others.
  bool storesFixedRows() const { return StoresRows && !StoresOtherRows; }
  /// KernelForm::StoresListed and StoresFewPlaces.
  void findPlaces(const InterpretedKernel& Interpreted, KernelForm& Seen) const;

private:
  /// The launch's thread along a dimension that tiles have not.
  Polynomial coordinateBeyond(unsigned D) const;
  /// Along dimensions that tiles have not, the first thread does all stores; or there is but one, as the region finds.
  void checkBeyond();
  /// None: something else.
  std::optional<FixedRow> fixedRow(const CoordinateAccess& A) const;
  void findFixedRows();
  /// Whether the kernel also stores into rows that are the number of a thread, as one for all borders does into the first and last
  /// columns, and into no others. A thread at row r and the coordinates of the launch's thread r then does that.
  bool storesWalkedRows(const InterpretedKernel& Interpreted);
  /// The number of the launch's thread, plus a constant.
  bool isWalked(const Polynomial& Row) const;
  /// Whether the loops around it whose counters are in \p P have few iterations. One that goes through all rows would do so once more for
  /// each of them.
  bool hasFewIterations(const CoordinateAccess& A, const Polynomial& P) const;
  /// An element that memory says, as `u[points[i]]` does, or numbers in floating point.
  bool isListed(const Polynomial& Offset) const;
  /// The rows of an access, but that of the thread that has it.
  isl::set rowsElsewhere(const CoordinateAccess& A);
  /// Borders meet in the rows that stores into columns go through, so that of these the elements are compared.
  bool comparesElements(const CoordinateAccess& Read, const CoordinateAccess& Write) const;
  isl::set rowsInNoOrder(const CoordinateAccess& Read, const CoordinateAccess& Write);
  /// What a thread reads of another row than its own, or of what other threads of the launch store.
  isl::set elementsInNoOrder(const CoordinateAccess& Read, const CoordinateAccess& Write);
  isl::set elementsOfThreads(const CoordinateAccess& A, isl::set Reached, const std::string& Thread);
  /// The launch's thread reads and stores in the order of its statements; a thread for each row knows no such order.
  void checkOrder(const CoordinateAccess& Read, const CoordinateAccess& Write);
  /// The value of `u[...] = value;`; null for other statements.
  const clang::Expr* storedAt(const CoordinateAccess& A) const;
  /// A value that is made of constants and of what the kernel is passed and does not change, the
  /// same in all threads.
  bool isOfPassedNumbers(const clang::Stmt& E) const;

  const clang::FunctionDecl* Kernel;
  const LaunchFacts& Launch;
  SymbolicSets& Sets;
  const std::vector<CoordinateAccess>& Accesses;
  clang::ASTContext& Context;
  AccessReports& Reports;
  FixedRowStores& Stores;
  bool StoresRows = false, StoresOtherRows = false;
};

} // namespace gpurma

#endif // GPURMA_PASSES_FIXEDROWANALYSIS_H
