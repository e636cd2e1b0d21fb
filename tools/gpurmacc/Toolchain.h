// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compilers behind gpurmacc: one class per target says how a lowered source, an ordinary source and a program are made.
#ifndef GPURMA_TOOLS_GPURMACC_TOOLCHAIN_H
#define GPURMA_TOOLS_GPURMACC_TOOLCHAIN_H

#include "Command.h"
#include "frontend/Lowering.h"
#include "llvm/Option/ArgList.h"
#include <memory>
#include <string>
#include <vector>

namespace gpurma::driver {

/// Where gpurmacc is installed and what surrounds it on this machine.
struct Installation {
  /// The folder that holds bin/gpurmacc, include/gpurma and lib/libgpurma_*.a.
  std::string Prefix;
  /// The CUDA toolkit's folder, or empty.
  std::string CudaPath;
  /// The compiler behind the cpu target.
  std::string Cxx;
  bool HasGpu = false;

  std::string gpurmacc() const { return Prefix + "/bin/gpurmacc"; }
  std::string library(Target T) const;

  static Installation find(const llvm::opt::InputArgList &Args, const char *Argv0);
};

/// One source on its way through the backend compiler.
struct CompileStep {
  /// What the backend reads, and what the user named.
  std::string Source, UserSource;
  std::string Output;
  /// Language for the backend's -x; empty: it goes by the name.
  std::string Language;
  /// The option that says where to stop: -c, -S, -E, -dc, -fatbin or -fsyntax-only.
  std::string Stop;
  /// Whether the source is CUDA: lowered, or about to be preprocessed as what it will be lowered to.
  bool IsCuda = false;
  /// Whether lowered device code calls constexpr functions of the standard library.
  bool CallsHostConstexpr = false;
  /// For which numbers of registers the kernels of regions are compiled (GPURMA_REGION_REGISTERS);
  /// none: for those that the header says.
  std::optional<unsigned> RegionRegisters;
  /// The folder of a lowered source, which no output may mention; empty for a source that is compiled in place.
  std::string HiddenFolder;
};

class Toolchain {
public:
  virtual ~Toolchain() = default;

  /// What lower() needs of the command line.
  virtual std::vector<std::string> parseArgs() const = 0;
  /// The architecture of the device-side parse.
  virtual std::string gpuArch() const { return "sm_80"; }
  virtual Command compile(const CompileStep &Step) const = 0;
  /// Whether a file that the user names is linked.
  virtual bool links(llvm::StringRef /*Input*/) const { return true; }
  /// The words of \p Inputs that stand for inputs of the linker are already replaced by objects.
  virtual Command link(const std::vector<std::string> &Inputs, llvm::StringRef Output) const = 0;
  /// The words that a user's argument becomes on the linker's command line, in its place.
  virtual std::vector<std::string> linkWords(const llvm::opt::Arg &A) const = 0;

  /// Null after a message on stderr if the target cannot be used here.
  static std::unique_ptr<Toolchain> create(Target T, const Installation &Install,
                                           const llvm::opt::InputArgList &Args);
};

/// First line of what the program prints with --version, or "none".
std::string versionLine(const std::string &Program);
/// The version of a CUDA toolkit ("13.0"), or "none".
std::string cudaVersion(const std::string &CudaPath);

} // namespace gpurma::driver

#endif // GPURMA_TOOLS_GPURMACC_TOOLCHAIN_H
