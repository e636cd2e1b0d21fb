// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a command line to jobs: which input is lowered, compiled or linked, where each result goes, and what happens when a
// job fails.
#ifndef GPURMA_TOOLS_GPURMACC_DRIVER_H
#define GPURMA_TOOLS_GPURMACC_DRIVER_H

#include "Command.h"
#include "Toolchain.h"
#include "llvm/Option/ArgList.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gpurma::driver {

class Driver {
public:
  Driver(const llvm::opt::InputArgList &Args, const Installation &Install, TemporaryFiles &Temps)
      : Args(Args), Install(Install), Temps(Temps) {}

  /// Does what the command line asks for. Returns the exit code of gpurmacc: that of the first job that fails, else 0.
  int run();
  int printVersion();

private:
  struct Input {
    std::string Path;
    /// The input's words on the linker's command line take this argument's place.
    const llvm::opt::Arg *A;
    bool IsCuda = false;
    bool IsLinkerInput = false;
    /// For the backend's -x; empty: the backend goes by the name.
    std::string Language;
  };
  enum class Phase { Preprocess, Dependencies, EmitSource, Check, Compile, Link };
  enum class SourceUse { Temporary, Kept };

  bool error(const llvm::Twine &Message);
  bool readArguments();
  bool collectInputs();
  bool chooseTarget();

  int preprocess(const Input &In);
  int printDependencies(const Input &In);
  int emitSource(const Input &In);
  /// What the kernels of a lowered source need, for CompileStep::RegionRegisters; none if nvcc does not say.
  std::optional<unsigned> regionRegisters(CompileStep Step, const std::string& Work,
                                          llvm::ArrayRef<RegionRegisters> Regions);
  int compile(const Input &In, const std::string &Output, llvm::StringRef Stop);
  int link();

  LowerOptions lowerOptions(const Input &In, llvm::StringRef ShadowDir) const;
  /// Lowers into \p Source and writes rewritten headers under \p ShadowDir.
  std::optional<LowerResult> lowerTo(const Input &In, const std::string &Source,
                                     const std::string &ShadowDir, SourceUse Use);
  Command lowerCommand(const Input &In, const std::string &Source) const;

  bool wantsDependencyFile() const;
  /// Of an input that -o does not name one for.
  std::string defaultOutput(const Input &In, llvm::StringRef Extension) const;
  std::string dependencyFileFor(const Input &In, llvm::StringRef Output) const;
  std::string dependencyText(const Input &In, llvm::StringRef Output,
                             const std::vector<Dependency> &Files) const;
  std::vector<std::string> dependencyTargets(const Input &In, llvm::StringRef Output) const;

  bool writeFile(const std::string &Path, llvm::StringRef Text, SourceUse Use);
  /// Moves a finished output to its place.
  bool publish(const std::string &From, const std::string &To);
  bool makeFolder(const std::string &Path);
  /// A folder for what lies between input and output, made for this run; empty after an error message.
  std::string workFolder(llvm::StringRef Output);
  /// The input's name without folder and extension, with a number if inputs from different folders share it.
  std::string stem(const Input &In) const;
  std::string keptSource(const Input &In, llvm::StringRef Output) const;
  /// Whether the backend has to write the output itself: further files are named after it, or it is no regular file.
  bool writesInPlace(llvm::StringRef Output) const;
  int execute(const Command &Cmd) const;

  const llvm::opt::InputArgList &Args;
  const Installation &Install;
  TemporaryFiles &Temps;

  Phase Last = Phase::Link;
  std::string Stop;
  std::string Output;
  bool ShowOnly = false;
  Target T = Target::CPU;
  std::string WhyTarget;
  VolatileMode Volatile = VolatileMode::Auto;
  bool FuseLaunches = true;
  unsigned long AnalysisSteps = LowerOptions().AnalysisSteps;
  std::vector<std::string> PrintAfter;
  std::vector<Input> Inputs;
  std::unique_ptr<Toolchain> Tools;
  unsigned WorkFolders = 0;
};

} // namespace gpurma::driver

#endif // GPURMA_TOOLS_GPURMACC_DRIVER_H
