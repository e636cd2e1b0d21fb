// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler's entry: annotated CUDA source in, ordinary CUDA (or C++, for the CPU target) source out.
#ifndef GPURMA_FRONTEND_LOWERING_H
#define GPURMA_FRONTEND_LOWERING_H

#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <string>
#include <vector>

namespace gpurma {

enum class Target { CPU, CUDA };

/// Which reads of window memory become volatile loads (--gpurma-volatile).
enum class VolatileMode { Auto, All, None };

struct LowerOptions {
  /// The source file, as the user named it.
  std::string Input;
  /// The user's arguments that matter to a parse: -D -U -I -isystem -iquote -include -std= -W... -f... in their order.
  std::vector<std::string> ParseArgs;
  gpurma::Target Target = gpurma::Target::CPU;
  /// Where rewritten headers will be written by the caller; absolute. Their paths appear in the lowered text.
  std::string ShadowDir;
  /// The installation: <Prefix>/include/gpurma, <Prefix>/lib/gpurma.
  std::string Prefix;
  /// The CUDA toolkit (CUDA target).
  std::string CudaPath;
  /// The architecture of the device-side parse (CUDA target).
  std::string GpuArch = "sm_80";
  /// Names of passes after which to print the program to the stream that lower() is given; "all" prints after each.
  std::vector<std::string> PrintAfter;
  VolatileMode Volatile = VolatileMode::Auto;
  /// -Rgpurma: say what was inferred.
  bool Remarks = false;
  /// --gpurma-fuse-launches: whether launches of a persistent region that stand one behind the other may run as one stage.
  bool FuseLaunches = true;
  /// --gpurma-analysis-steps: how many steps of isl it may take to find what a kernel of a persistent region accesses. The default is some seconds on a
  /// pathological kernel; those of the examples need a small part of it.
  unsigned long AnalysisSteps = 2'000'000;
  /// --gpurma-check: run-time checks of block-uniform clause values, and of what kernels of regions read.
  bool Check = false;
  /// -rdc=true, -dc: device functions and variables may be those of other translation units.
  bool RelocatableDeviceCode = false;
};

/// A user's header with directives or launches, rewritten.
struct ShadowFile {
  std::string Original, Path, Text;
};

struct Dependency {
  std::string Path;
  bool IsSystem = false;
};

/// What says for how many registers the kernel of a region is compiled (passes/RegionRegisters.h).
struct RegionRegisters {
  struct Launch {
    /// Of the kernel, without what it is a member of.
    std::string Kernel;
    /// What it needs in the loop over tiles besides those that it has by itself.
    unsigned Beside = 0;
  };
  std::vector<Launch> Launches;
  /// Threads of its ranks; 0 if they are not known before it runs.
  std::uint64_t Threads = 0;
};

struct LowerResult {
  bool Success = false;
  /// The lowered main file. It keeps the line count of the source; relative #includes that are not rewritten resolve against
  /// the directory of the input (pass it to the backend as -iquote).
  std::string MainText;
  std::vector<ShadowFile> Shadows;
  /// Every file that the parse read, the input first, in order of first inclusion.
  std::vector<Dependency> Dependencies;
  bool HasRankKernels = false;
  bool HasRegions = false;
  std::vector<RegionRegisters> Regions;
  /// Device code that nvcc takes with --expt-relaxed-constexpr only has been written.
  bool CallsHostConstexpr = false;
};

/// Parses, checks and lowers one source file. Diagnostics go to stderr in Clang's format. \p Out receives what
/// Options.PrintAfter asks for.
LowerResult lower(const LowerOptions &Options, llvm::raw_ostream &Out);

/// The names of the passes, in order; what PrintAfter may hold.
std::vector<std::string> passNames();

} // namespace gpurma

#endif // GPURMA_FRONTEND_LOWERING_H
