// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For how many registers of a thread the kernel of a region is compiled: what its kernels have by
// themselves, and what the loop over tiles takes besides. A multiprocessor has 65536, so that each
// limit leaves room for another number of blocks of 256 threads.
//
// The library has the same limits, and takes one of the instances for a launch:
// include/gpurma/stages.h.
#ifndef GPURMA_PASSES_REGIONREGISTERS_H
#define GPURMA_PASSES_REGIONREGISTERS_H

#include "frontend/Lowering.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace gpurma {

struct KernelAccesses;
struct Region;

/// How large the largest elements of the arrays are that a kernel is passed.
std::uint64_t largestElement(const KernelAccesses& Accesses, const clang::ASTContext& Context);

/// How many registers a kernel needs in the loop over tiles besides those that it has by itself:
/// the more bytes of elements its threads have at a time, the less the compiler finds room for
/// (docs/performance.md).
unsigned registersBeside(const KernelAccesses& Accesses, const Region& R,
                         const clang::ASTContext& Context);

/// A bit for each of the instances that may be run, of kernels that have so many registers by
/// themselves: GPURMA_REGION_REGISTERS. \p OfKernel: of the kernels of a name, which may be
/// several.
unsigned registerLimits(const RegionRegisters& R,
                        llvm::function_ref<llvm::ArrayRef<unsigned>(llvm::StringRef)> OfKernel);

} // namespace gpurma

#endif // GPURMA_PASSES_REGIONREGISTERS_H
