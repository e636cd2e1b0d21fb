// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/RegionRegisters.h"

#include "passes/AccessAnalysis.h"
#include "passes/Region.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace gpurma {

using namespace clang;

namespace {

/// gpurma::host::register_limits.
constexpr unsigned Limits[] = {32, 40, 48, 64, 80, 128};
constexpr unsigned OfMultiprocessor = 65536;
/// The last one that a block of any size has room for.
constexpr unsigned OfLargestBlock = 64;

unsigned limitFor(unsigned Registers) {
  const auto* Found = llvm::find_if(Limits, [&](unsigned Limit) { return Registers <= Limit; });
  return Found == std::end(Limits) ? *std::rbegin(Limits) : *Found;
}

std::uint64_t elementSize(const ArrayAccess& A, const ASTContext& Context) {
  const QualType Element = Context.getBaseElementType(A.Array.type()->getPointeeType());
  return Element->isIncompleteType() || Element->isDependentType()
             ? 1
             : Context.getTypeSizeInChars(Element).getQuantity();
}

std::uint64_t componentsOf(const ArrayAccess& A, const Region& R, const ASTContext& Context) {
  constexpr std::uint64_t Unknown = 2; // there are several
  const Expr* Components = A.OfComponents ? R.Arrays[A.ShapedLike].Components : nullptr;
  Expr::EvalResult Value;
  if (!Components || Components->isValueDependent())
    return A.OfComponents ? Unknown : 1;
  return Components->EvaluateAsInt(Value, Context) ? Value.Val.getInt().getLimitedValue() : Unknown;
}

} // namespace

std::uint64_t largestElement(const KernelAccesses& Accesses, const ASTContext& Context) {
  std::uint64_t Largest = 0;
  for (const ArrayAccess& A : Accesses.Arrays)
    Largest = std::max(Largest, elementSize(A, Context));
  return Largest;
}

unsigned registersBeside(const KernelAccesses& Accesses, const Region& R,
                         const ASTContext& Context) {
  std::uint64_t Columns = 1, Stored = 0;
  for (std::int64_t Each : Accesses.ColumnsPerThread)
    Columns *= static_cast<std::uint64_t>(Each);
  for (const ArrayAccess& A : Accesses.Arrays)
    if (A.Writes)
      Stored += elementSize(A, Context) * Columns * componentsOf(A, R, Context);
  const std::uint64_t Bytes = std::max(Stored, largestElement(Accesses, Context));
  return Bytes <= 4 ? 0 : Bytes <= 8 ? 11 : 15;
}

unsigned registerLimits(const RegionRegisters& R,
                        llvm::function_ref<ArrayRef<unsigned>(StringRef)> OfKernel) {
  if (R.Launches.empty()) // copies and fills
    return 1u << Limits[0] / 8;
  unsigned Least = 0, Found = 0;
  std::vector<unsigned> Possible;
  for (const RegionRegisters::Launch& L : R.Launches) {
    unsigned LeastOfLaunch = *std::rbegin(Limits);
    for (unsigned Registers : OfKernel(L.Kernel)) {
      Possible.push_back(limitFor(Registers + L.Beside));
      LeastOfLaunch = std::min(LeastOfLaunch, Possible.back());
    }
    Least = std::max(Least, LeastOfLaunch);
  }
  for (unsigned Limit : Possible) {
    if (Limit < Least)
      continue;
    Found |= 1u << Limit / 8;
    if (Limit > OfLargestBlock && (R.Threads == 0 || R.Threads * Limit > OfMultiprocessor))
      Found |= 1u << OfLargestBlock / 8;
  }
  return Found;
}

} // namespace gpurma
