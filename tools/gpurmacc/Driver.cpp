// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Driver.h"

#include "Config.h"
#include "Options.h"
#include "passes/RegionRegisters.h"
#include "clang/Basic/MakeSupport.h"
#include "clang/Basic/Version.h"
#include "clang/Frontend/DependencyOutputOptions.h"
#include "clang/Frontend/Utils.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include <cstdlib>
#include <system_error>

namespace path = llvm::sys::path;
namespace fs = llvm::sys::fs;
using llvm::StringRef;
using llvm::Twine;
using llvm::opt::Arg;

namespace gpurma::driver {

namespace {

/// Renders make rules the way that Clang's own -MD does; \p Files are handed in instead of being collected from a parse.
class DependencyWriter : public clang::DependencyFileGenerator {
public:
  explicit DependencyWriter(const clang::DependencyOutputOptions &Options)
      : DependencyFileGenerator(Options) {}

  std::string write(const std::vector<Dependency> &Files) {
    for (const Dependency &File : Files)
      maybeAddDependency(path::remove_leading_dotslash(File.Path), /*FromModule=*/false, File.IsSystem, /*IsModuleFile=*/false,
                         /*IsMissing=*/false);
    std::string Text;
    llvm::raw_string_ostream OS(Text);
    outputDependencyFile(OS);
    return Text;
  }
};

/// A make target with the characters that make reads specially escaped, as -MQ does.
std::string quoteForMake(StringRef Name) {
  llvm::SmallString<128> Quoted;
  clang::quoteMakeTarget(Name, Quoted);
  return Quoted.str().str();
}

std::string withExtension(StringRef File, StringRef Extension) {
  llvm::SmallString<256> Result(File);
  path::replace_extension(Result, Extension);
  return Result.str().str();
}

/// Of what a compilation that stops there writes.
StringRef extensionOf(StringRef Stop) {
  return llvm::StringSwitch<StringRef>(Stop).Case("-S", "s").Case("-ptx", "ptx").Case("-cubin", "cubin").Default("o");
}

std::string absolute(StringRef File) {
  llvm::SmallString<256> Result(File);
  fs::make_absolute(Result);
  path::remove_dots(Result);
  return Result.str().str();
}

const char *name(Target T) { return T == Target::CPU ? "cpu" : "cuda"; }

} // namespace

bool Driver::error(const Twine &Message) {
  llvm::errs() << "gpurmacc: error: " << Message << '\n';
  return false;
}

int Driver::execute(const Command &Cmd) const {
  if (ShowOnly) {
    print(Cmd, llvm::outs());
    return 0;
  }
  if (Args.hasArg(OPT_v))
    print(Cmd, llvm::errs());
  return driver::run(Cmd);
}

//===-- Reading the command line ------------------------------------------------------------------------------------===//

bool Driver::readArguments() {
  ShowOnly = Args.hasArg(OPT_show);
  Output = Args.getLastArgValue(OPT_o).str();
  // Compilers put a file in its place.
  if (Output == "/dev/stdout")
    Output = "-";

  // -M and its kin win over -E, -E over the rest, as in gcc.
  if (Args.hasArg(OPT_M, OPT_MM))
    Last = Phase::Dependencies;
  else if (Args.hasArg(OPT_E))
    Last = Phase::Preprocess;
  else if (Args.hasArg(OPT_emit_source, OPT_emit_source_EQ))
    Last = Phase::EmitSource;
  else if (Args.hasArg(OPT_fsyntax_only))
    Last = Phase::Check;
  else if (Args.hasArg(OPT_S, OPT_c, OPT_dc, OPT_ptx, OPT_cubin))
    Last = Phase::Compile;
  Stop = Args.hasArg(OPT_S)       ? "-S"
         : Args.hasArg(OPT_ptx)   ? "-ptx"
         : Args.hasArg(OPT_cubin) ? "-cubin"
         : Args.hasArg(OPT_dc) && T == Target::CUDA ? "-dc"
                                                    : "-c";

  if (Last == Phase::Compile && Stop == "-S" && T == Target::CUDA)
    return error("-S is for the cpu target; the cuda target has -ptx");
  if (const Arg *A = Args.getLastArg(OPT_ptx, OPT_cubin); A && T == Target::CPU)
    return error(A->getSpelling() + " is for the cuda target; the cpu target has -S");
  if (const Arg *A = Args.getLastArg(OPT_dlink))
    return error(A->getSpelling() + ": device code is linked with the program; leave the step out, and link with gpurmacc");
  if (const Arg *A = Args.getLastArg(OPT_lib))
    return error(A->getSpelling() + ": make static libraries of objects with ar");
  if (const Arg *A = Args.getLastArg(OPT_fatbin, OPT_run))
    return error(A->getSpelling() + " is not provided");

  if (const Arg *A = Args.getLastArg(OPT_emit_source_EQ)) {
    Output = A->getValue();
    if (Output.empty())
      return error("--gpurma-emit-source= needs a file name, or - for standard output");
  }

  if (const Arg *A = Args.getLastArg(OPT_volatile_EQ)) {
    auto Mode = llvm::StringSwitch<std::optional<VolatileMode>>(A->getValue())
                    .Case("auto", VolatileMode::Auto)
                    .Case("all", VolatileMode::All)
                    .Case("none", VolatileMode::None)
                    .Default(std::nullopt);
    if (!Mode)
      return error("--gpurma-volatile= is auto, all or none, not '" + Twine(A->getValue()) + "'");
    Volatile = *Mode;
  }

  if (const Arg *A = Args.getLastArg(OPT_fuse_launches_EQ)) {
    const llvm::StringRef Which = A->getValue();
    if (Which != "auto" && Which != "none")
      return error("--gpurma-fuse-launches= is auto or none, not '" + Twine(Which) + "'");
    FuseLaunches = Which == "auto";
  }

  if (const Arg *A = Args.getLastArg(OPT_analysis_steps_EQ))
    if (llvm::StringRef(A->getValue()).getAsInteger(10, AnalysisSteps) || AnalysisSteps == 0)
      return error("--gpurma-analysis-steps= is a positive number, not '" + Twine(A->getValue()) + "'");

  PrintAfter = Args.getAllArgValues(OPT_print_after_EQ);
  std::vector<std::string> Known = passNames();
  for (const std::string &Pass : PrintAfter)
    if (Pass != "all" && !llvm::is_contained(Known, Pass))
      return error("no pass is named '" + Pass + "'; the passes are " + llvm::join(Known, ", ") +
                   ", and all stands for each");
  return true;
}

bool Driver::collectInputs() {
  std::optional<std::string> Language;
  bool Good = true;
  for (const Arg *A : Args) {
    if (A->getOption().matches(OPT_x)) {
      Language = A->getValue();
      if (*Language == "none")
        Language.reset();
      continue;
    }
    if (A->getOption().getKind() != llvm::opt::Option::InputClass)
      continue;
    Input In;
    In.Path = A->getSpelling().str();
    In.A = A;
    if (Language) {
      In.IsCuda = *Language == "cu" || *Language == "cuda";
      In.Language = *Language;
    } else {
      StringRef Extension = path::extension(In.Path);
      In.IsCuda = Extension == ".cu";
      // clang++ would take .c for C++.
      if (Extension == ".c")
        In.Language = "c";
      bool IsSource = llvm::StringSwitch<bool>(Extension)
                          .Cases(".c", ".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++", ".C", true)
                          .Cases(".cu", ".i", ".ii", ".s", ".S", ".sx", ".ll", ".bc", true)
                          .Default(false);
      In.IsLinkerInput = !IsSource;
    }
    if (In.Path == "-") {
      if (In.IsCuda)
        Good = error("CUDA source cannot be read from standard input: give a file");
      else if (!Language)
        Good = error("-x is needed when the source comes from standard input");
      In.IsLinkerInput = false;
    } else if (!fs::exists(In.Path)) {
      Good = error(In.Path + ": no such file");
    } else if (fs::is_directory(In.Path)) {
      Good = error(In.Path + " is a folder: give files");
    }
    Inputs.push_back(std::move(In));
  }
  if (!Good)
    return false;
  if (Inputs.empty())
    return error("no input files");

  if (Last != Phase::Link) {
    std::size_t Sources = 0;
    for (const Input &In : Inputs) {
      if (!In.IsLinkerInput)
        ++Sources;
      else
        llvm::errs() << "gpurmacc: warning: " << In.Path << ": not used, because nothing is linked\n";
    }
    if (Sources > 1 && !Output.empty() && Output != "-")
      return error("one output file, " + Output + ", for several inputs: leave -o out, or compile them one by one");
  }
  if (const Arg *Standard = tooOldStandard(Args); Standard && llvm::any_of(Inputs, [](const Input &In) { return In.IsCuda; }))
    llvm::errs() << "gpurmacc: warning: CUDA sources are C++17 for gpurma, not " << Standard->getValue() << "; C++20 may be asked for, too\n";
  return true;
}

bool Driver::chooseTarget() {
  std::string Name;
  if (const Arg *A = Args.getLastArg(OPT_target_EQ)) {
    Name = A->getValue();
    WhyTarget = "--gpurma-target";
  } else if (auto Value = llvm::sys::Process::GetEnv("GPURMA_TARGET"); Value && !Value->empty()) {
    Name = StringRef(*Value).lower(); // as the runtime reads its choices
    WhyTarget = "GPURMA_TARGET";
  }
  if (!Name.empty()) {
    if (Name != "cpu" && Name != "cuda")
      return error("unknown target '" + Name + "' in " + WhyTarget + ": the targets are cpu and cuda");
    T = Name == "cuda" ? Target::CUDA : Target::CPU;
    return true;
  }
  if (Install.CudaPath.empty())
    WhyTarget = "nvcc was not found";
  else if (!Install.HasGpu)
    WhyTarget = "no GPU was found";
  else if (!fs::exists(Install.library(Target::CUDA)))
    WhyTarget = "gpurma was built without CUDA";
  else
    T = Target::CUDA;
  if (T == Target::CUDA)
    WhyTarget = "nvcc and a GPU were found";
  return true;
}

//===-- Files ---------------------------------------------------------------------------------------------------------===//

bool Driver::makeFolder(const std::string &Path) {
  if (std::error_code Error = fs::create_directories(Path))
    return error("cannot make the folder " + Path + ": " + Error.message());
  return true;
}

std::string Driver::workFolder(StringRef Output) {
  // Beside the output, so that a finished file is moved into place in one step; and named after it, so that the same command
  // gives the same bytes even where a compiler records its paths.
  std::string Folder;
  if (Output.empty() || writesInPlace(Output)) {
    llvm::SmallString<128> Unique;
    if (std::error_code Error = fs::createUniqueDirectory("gpurmacc", Unique)) {
      error("cannot make a temporary folder: " + Error.message() + " (TMPDIR says where)");
      return {};
    }
    Folder = Unique.str().str();
  } else {
    Folder = absolute(Output) + ".gpurma-tmp";
    if (WorkFolders)
      Folder += std::to_string(WorkFolders);
    if (!fs::exists(path::parent_path(Folder))) {
      error("cannot write " + Output + ": its folder is not there");
      return {};
    }
    if (std::error_code Error = fs::create_directory(Folder)) {
      error("cannot write beside " + Output + ": " + Error.message());
      return {};
    }
  }
  ++WorkFolders;
  Temps.addFolder(Folder);
  return Folder;
}

bool Driver::writesInPlace(StringRef Output) const {
  for (const Arg *A : Args)
    if (A->getOption().hasFlag(WritesBesideOutput))
      return true;
  return Output == "-" || (fs::exists(Output) && !fs::is_regular_file(Output));
}

bool Driver::writeFile(const std::string &Path, StringRef Text, SourceUse Use) {
  // A file that stays appears whole or not at all.
  // A link, as /dev/stdout is, stays as well.
  fs::file_status Status;
  const bool Special = !fs::status(Path, Status, /*follow=*/false) && fs::exists(Status) &&
                       !fs::is_regular_file(Status);
  std::string Written = Use == SourceUse::Kept && !Special ? Path + ".gpurma-tmp" : Path;
  if (!Special)
    Temps.add(Written);
  std::error_code Error;
  {
    llvm::raw_fd_ostream OS(Written, Error);
    if (!Error) {
      OS << Text;
      OS.close();
      Error = OS.error();
      OS.clear_error();
    }
  }
  if (Error)
    return error("cannot write " + Path + ": " + Error.message());
  return Written == Path || publish(Written, Path);
}

bool Driver::publish(const std::string &From, const std::string &To) {
  if (std::error_code Error = fs::rename(From, To))
    return error("cannot write " + To + ": " + Error.message());
  Temps.release(From);
  return true;
}

std::string Driver::stem(const Input &In) const {
  StringRef Stem = path::stem(In.Path);
  bool Unique = llvm::count_if(Inputs, [&](const Input &Other) {
                  return !Other.IsLinkerInput && path::stem(Other.Path) == Stem;
                }) == 1;
  return Unique ? Stem.str() : Stem.str() + "-" + std::to_string(&In - Inputs.data() + 1);
}

std::string Driver::keptSource(const Input &In, StringRef Output) const {
  // a.o comes from a.gpurma.cu, beside it; a program has one lowered source for each input.
  llvm::SmallString<256> Result(path::parent_path(Last == Phase::Link ? StringRef(this->Output) : Output));
  path::append(Result, Last == Phase::Compile && !Output.empty() ? path::stem(Output).str() : stem(In));
  Result += ".gpurma.cu";
  return Result.str().str();
}

//===-- Lowering ------------------------------------------------------------------------------------------------------===//

LowerOptions Driver::lowerOptions(const Input &In, StringRef ShadowDir) const {
  LowerOptions Options;
  Options.Input = In.Path;
  Options.ParseArgs = Tools->parseArgs();
  Options.Target = T;
  Options.ShadowDir = ShadowDir.str();
  Options.Prefix = Install.Prefix;
  Options.CudaPath = Install.CudaPath;
  Options.GpuArch = Tools->gpuArch();
  Options.PrintAfter = PrintAfter;
  Options.Volatile = Volatile;
  Options.FuseLaunches = FuseLaunches;
  Options.AnalysisSteps = AnalysisSteps;
  Options.Check = Args.hasArg(OPT_check);
  Options.RelocatableDeviceCode = wantsRelocatableDeviceCode(Args);
  Options.Remarks = Args.hasArg(OPT_remarks);
  return Options;
}

std::optional<LowerResult> Driver::lowerTo(const Input &In, const std::string &Source,
                                           const std::string &ShadowDir, SourceUse Use) {
  LowerResult Result = lower(lowerOptions(In, ShadowDir), llvm::outs());
  llvm::outs().flush();
  if (!Result.Success || interrupted())
    return std::nullopt;
  if (Source == "-") {
    llvm::outs() << Result.MainText;
    if (!Result.Shadows.empty())
      llvm::errs() << "gpurmacc: note: rewritten headers are not written to standard output: name a file with "
                      "--gpurma-emit-source=\n";
    return Result;
  }
  if (!writeFile(Source, Result.MainText, Use))
    return std::nullopt;
  for (const ShadowFile &Shadow : Result.Shadows)
    if (!makeFolder(path::parent_path(Shadow.Path).str()) || !writeFile(Shadow.Path, Shadow.Text, Use))
      return std::nullopt;
  return Result;
}

Command Driver::lowerCommand(const Input &In, const std::string &Source) const {
  Command Cmd;
  Cmd.add(Install.gpurmacc());
  Cmd.add(Twine("--gpurma-target=").concat(name(T)).str());
  for (const Arg *A : Args.filtered(OPT_check, OPT_remarks, OPT_volatile_EQ, OPT_fuse_launches_EQ, OPT_analysis_steps_EQ, OPT_print_after_EQ, OPT_cuda_path_EQ))
    Cmd.add(asWritten(Args, *A));
  if (Args.hasArg(OPT_dc))
    Cmd.add("-rdc=true");
  Cmd.add("--gpurma-emit-source=" + Source);
  // Whatever may shape the parse; the driver that reads this sorts it out again.
  for (const Arg *A : Args) {
    const llvm::opt::Option &O = A->getOption();
    if (O.matches(OPT_OwnGroup) || O.matches(OPT_StopGroup) || O.matches(OPT_DependencyGroup) ||
        O.matches(OPT_LinkGroup) || O.matches(OPT_o) || O.matches(OPT_x) || O.matches(OPT_v) ||
        O.getKind() == llvm::opt::Option::InputClass)
      continue;
    Cmd.add(asWritten(Args, *A));
  }
  Cmd.add("-x", "cu");
  Cmd.add(In.Path);
  return Cmd;
}

//===-- Dependency files ----------------------------------------------------------------------------------------------===//

std::string Driver::defaultOutput(const Input &In, StringRef Extension) const {
  llvm::SmallString<256> Result(Args.getLastArgValue(OPT_output_directory_EQ));
  path::append(Result, withExtension(path::filename(In.Path), Extension));
  return Result.str().str();
}

bool Driver::wantsDependencyFile() const { return Args.hasArg(OPT_MD, OPT_MMD); }

std::string Driver::dependencyFileFor(const Input &In, StringRef Output) const {
  if (const Arg *A = Args.getLastArg(OPT_MF))
    return A->getValue();
  if (this->Output.empty())
    return defaultOutput(In, "d");
  // One program from several sources: a file for each, where gcc 12 overwrites one with the next.
  if (Last == Phase::Link && Inputs.size() > 1)
    return withExtension(this->Output, "") + "-" + stem(In) + ".d";
  return withExtension(Last == Phase::Link ? StringRef(this->Output) : Output, "d");
}

std::vector<std::string> Driver::dependencyTargets(const Input &In, StringRef Output) const {
  std::vector<std::string> Targets;
  for (const Arg *A : Args.filtered(OPT_MT, OPT_MQ))
    Targets.push_back(A->getOption().matches(OPT_MQ) ? quoteForMake(A->getValue()) : A->getValue());
  if (Targets.empty())
    Targets.push_back(quoteForMake(!this->Output.empty() && Last != Phase::Dependencies
                                       ? (Last == Phase::Link ? StringRef(this->Output) : Output)
                                       : defaultOutput(In, "o")));
  return Targets;
}

std::string Driver::dependencyText(const Input &In, StringRef Output,
                                   const std::vector<Dependency> &Files) const {
  clang::DependencyOutputOptions Options;
  Options.IncludeSystemHeaders =
      Last == Phase::Dependencies ? !Args.hasArg(OPT_MM) : !Args.hasArg(OPT_MMD);
  Options.UsePhonyTargets = Args.hasArg(OPT_MP);
  Options.Targets = dependencyTargets(In, Output);
  return DependencyWriter(Options).write(Files);
}

//===-- Jobs ----------------------------------------------------------------------------------------------------------===//

int Driver::preprocess(const Input &In) {
  CompileStep Step;
  Step.Source = Step.UserSource = In.Path;
  Step.Language = In.IsCuda ? (T == Target::CPU ? "c++" : "cu") : In.Language;
  Step.IsCuda = In.IsCuda;
  Step.Stop = "-E";
  Step.Output = Output;
  Command Cmd = Tools->compile(Step);
  for (const Arg *A : Args.filtered(OPT_DependencyGroup))
    Cmd.add(asWritten(Args, *A));
  if (!Output.empty() && !writesInPlace(Output) && !ShowOnly)
    Temps.add(Output);
  int Code = execute(Cmd);
  if (Code == 0)
    Temps.release(Output);
  return Code;
}

int Driver::printDependencies(const Input &In) {
  std::string To = Args.getLastArgValue(OPT_MF, Output).str();
  if (!In.IsCuda) {
    CompileStep Step;
    Step.Source = Step.UserSource = In.Path;
    Step.Language = In.Language;
    Step.Stop = Args.hasArg(OPT_MM) ? "-MM" : "-M";
    Step.Output = To;
    Command Cmd = Tools->compile(Step);
    for (const std::string &Name : dependencyTargets(In, Output))
      Cmd.add("-MT", Name);
    if (Args.hasArg(OPT_MP))
      Cmd.add("-MP");
    return execute(Cmd);
  }
  if (ShowOnly) {
    Command Cmd = lowerCommand(In, "-");
    Cmd.add(Args.hasArg(OPT_MM) ? "-MM" : "-M");
    print(Cmd, llvm::outs());
    return 0;
  }
  LowerResult Result = lower(lowerOptions(In, {}), llvm::errs());
  if (!Result.Success)
    return 1;
  std::string Text = dependencyText(In, Output, Result.Dependencies);
  if (To.empty() || To == "-") {
    llvm::outs() << Text;
    return 0;
  }
  return writeFile(To, Text, SourceUse::Kept) ? 0 : 1;
}

int Driver::emitSource(const Input &In) {
  if (!In.IsCuda) {
    error(In.Path + ": nothing to lower: it is no CUDA source (-x cu says otherwise)");
    return 1;
  }
  std::string To = Output.empty() ? keptSource(In, {}) : Output;
  if (ShowOnly) {
    print(lowerCommand(In, To), llvm::outs());
    return 0;
  }
  std::string ShadowDir = To == "-" ? absolute("gpurma.include") : absolute(withExtension(To, "include"));
  std::optional<LowerResult> Result = lowerTo(In, To, ShadowDir, SourceUse::Kept);
  if (!Result)
    return 1;
  if (wantsDependencyFile() &&
      !writeFile(dependencyFileFor(In, To), dependencyText(In, To, Result->Dependencies), SourceUse::Kept))
    return 1;
  return 0;
}

/// Of a function, without namespaces, classes and parameters.
static std::string baseName(std::string Mangled) {
  llvm::ItaniumPartialDemangler Demangler; // keeps pointers to the text
  if (Demangler.partialDemangle(Mangled.c_str()))
    return Mangled; // extern "C"
  std::size_t Size = 0;
  char* Name = Demangler.getFunctionBaseName(nullptr, &Size);
  std::string Text = Name ? Name : Mangled;
  std::free(Name);
  return Text;
}

std::optional<unsigned> Driver::regionRegisters(CompileStep Step, const std::string& Work,
                                                llvm::ArrayRef<RegionRegisters> Regions) {
  std::string Report = Work + "/registers.txt";
  Step.Output = Work + "/kernels.fatbin";
  Step.Stop = "-fatbin";
  Step.RegionRegisters = 0;
  Temps.add(Step.Output);
  Temps.add(Report);
  Command Cmd = Tools->compile(Step);
  Cmd.add("-Xptxas=-v");
  if (Args.hasArg(OPT_v))
    print(Cmd, llvm::errs());
  // What is wrong with the source, the compilation that follows says.
  if (driver::run(Cmd, Report))
    return std::nullopt;
  auto Buffer = llvm::MemoryBuffer::getFile(Report);
  if (!Buffer)
    return std::nullopt;
  // By the names without namespaces, which are not as Clang mangles them, for each architecture.
  llvm::StringMap<std::vector<unsigned>> ByName;
  std::vector<unsigned> All;
  std::string Kernel;
  for (llvm::line_iterator Line(**Buffer); !Line.is_at_end(); ++Line) {
    if (StringRef Entry = Line->split("Compiling entry function '").second; !Entry.empty())
      Kernel = baseName(Entry.split('\'').first.str());
    StringRef Rest = Line->split("Used ").second;
    unsigned Registers = 0;
    if (Rest.consumeInteger(10, Registers) || !Rest.starts_with(" registers"))
      continue;
    ByName[Kernel].push_back(Registers);
    All.push_back(Registers);
  }
  unsigned Found = 0;
  for (const RegionRegisters& R : Regions)
    Found |= registerLimits(R, [&](StringRef Name) -> llvm::ArrayRef<unsigned> {
      auto It = ByName.find(Name);
      return It == ByName.end() ? All : It->second;
    });
  return Found ? std::optional(Found) : std::nullopt;
}

int Driver::compile(const Input &In, const std::string &Output, StringRef Stop) {
  CompileStep Step;
  Step.Source = Step.UserSource = In.Path;
  Step.Language = In.Language;
  Step.Stop = Stop.str();
  Step.IsCuda = In.IsCuda;
  bool HasOutput = Stop != "-fsyntax-only";
  bool InPlace = !HasOutput || writesInPlace(Output);
  bool Keeps = ShowOnly || Args.hasArg(OPT_save_temps);

  std::string Work;
  if (!ShowOnly && (In.IsCuda || !InPlace)) {
    Work = workFolder(HasOutput ? StringRef(Output) : StringRef());
    if (Work.empty())
      return 1;
  }
  if (HasOutput)
    Step.Output = InPlace || ShowOnly ? Output : Work + "/" + path::filename(Output).str();

  std::vector<Dependency> Dependencies;
  if (In.IsCuda) {
    Step.Language = T == Target::CPU ? "c++" : "cu";
    // The lowered file has the source's own name: it reaches the object's symbol table.
    Step.Source = Keeps ? keptSource(In, Output) : Work + "/" + path::filename(In.Path).str();
    Step.HiddenFolder = Keeps ? absolute(path::parent_path(absolute(Step.Source))) : Work;
    if (ShowOnly) {
      print(lowerCommand(In, Step.Source), llvm::outs());
    } else {
      std::string ShadowDir = Keeps ? absolute(withExtension(Step.Source, "include")) : Work + "/include";
      std::optional<LowerResult> Result =
          lowerTo(In, Step.Source, ShadowDir, Keeps ? SourceUse::Kept : SourceUse::Temporary);
      if (!Result)
        return interrupted() ? interrupted() : 1;
      Dependencies = std::move(Result->Dependencies);
      Step.CallsHostConstexpr = Result->CallsHostConstexpr;
      if (T == Target::CUDA && HasOutput && Result->HasRegions)
        Step.RegionRegisters = regionRegisters(Step, Work, Result->Regions);
      if (interrupted())
        return interrupted();
    }
  }

  if (T == Target::CPU || HasOutput) {
    Command Cmd = Tools->compile(Step);
    if (wantsDependencyFile() && !In.IsCuda) {
      Cmd.add(Args.hasArg(OPT_MMD) ? "-MMD" : "-MD");
      Cmd.add("-MF", dependencyFileFor(In, Output));
      for (const std::string &Name : dependencyTargets(In, Output))
        Cmd.add("-MT", Name);
      if (Args.hasArg(OPT_MP))
        Cmd.add("-MP");
    }
    bool Guarded = InPlace && HasOutput && !ShowOnly && (!fs::exists(Output) || fs::is_regular_file(Output));
    if (Guarded)
      Temps.add(Output);
    if (int Code = execute(Cmd))
      return Code;
    if (Guarded)
      Temps.release(Output);
  }
  if (ShowOnly)
    return 0;
  if (wantsDependencyFile() && In.IsCuda &&
      !writeFile(dependencyFileFor(In, Output), dependencyText(In, Output, Dependencies), SourceUse::Kept))
    return 1;
  if (!InPlace && !publish(Step.Output, Output))
    return 1;
  return 0;
}

int Driver::link() {
  std::string Program = Output.empty() ? "a.out" : Output;
  bool InPlace = writesInPlace(Program);
  std::string Runtime = Install.library(T);
  if (!Args.hasArg(OPT_shared) && !fs::exists(Runtime)) {
    error("the runtime library " + Runtime + " is not there: " +
          (T == Target::CUDA ? "build gpurma on a machine that has nvcc, or use --gpurma-target=cpu"
                             : "build the target gpurma_cpu, or install gpurma again"));
    return 1;
  }
  std::string Work;
  if (ShowOnly) {
    Work = path::parent_path(Program).str();
  } else {
    Work = workFolder(Program);
    if (Work.empty())
      return 1;
  }

  // Objects of sources take the places of their sources, so that -l and archives resolve as in the order given.
  int FirstCode = 0;
  std::vector<std::string> Words;
  std::size_t Next = 0;
  for (const Arg *A : Args) {
    if (A->getOption().getKind() != llvm::opt::Option::InputClass) {
      std::vector<std::string> ForLink = Tools->linkWords(*A);
      Words.insert(Words.end(), ForLink.begin(), ForLink.end());
      continue;
    }
    const Input &In = Inputs[Next++];
    if (In.IsLinkerInput) {
      if (Tools->links(In.Path))
        Words.push_back(In.Path);
      continue;
    }
    llvm::SmallString<256> Object(Work);
    // What --show prints must not overwrite an object that the user has.
    path::append(Object, stem(In) + (ShowOnly ? ".gpurma.o" : ".o"));
    int Code = compile(In, Object.str().str(), "-c");
    if (Code && !FirstCode)
      FirstCode = Code;
    if (interrupted())
      return Code;
    if (!ShowOnly)
      Temps.add(Object);
    Words.push_back(Object.str().str());
  }
  if (FirstCode)
    return FirstCode;

  std::string Written = InPlace || ShowOnly ? Program : Work + "/" + path::filename(Program).str();
  if (int Code = execute(Tools->link(Words, Written)))
    return Code;
  if (!ShowOnly && !InPlace && !publish(Written, Program))
    return 1;
  return 0;
}

int Driver::run() {
  if (!chooseTarget() || !readArguments() || !collectInputs())
    return 1;
  Tools = Toolchain::create(T, Install, Args);
  if (!Tools)
    return 1;
  if (ShowOnly || Args.hasArg(OPT_v)) {
    llvm::errs() << "gpurmacc: note: target " << name(T) << " (" << WhyTarget << ")\n";
  }
  if (Last == Phase::Link)
    return link();

  int FirstCode = 0;
  for (const Input &In : Inputs) {
    if (In.IsLinkerInput)
      continue;
    int Code = 0;
    switch (Last) {
    case Phase::Preprocess:
      Code = preprocess(In);
      break;
    case Phase::Dependencies:
      Code = printDependencies(In);
      break;
    case Phase::EmitSource:
      Code = emitSource(In);
      break;
    case Phase::Check:
      Code = compile(In, {}, "-fsyntax-only");
      break;
    case Phase::Compile:
    case Phase::Link:
      Code = compile(In, Output.empty() ? defaultOutput(In, extensionOf(Stop)) : Output, Stop);
      break;
    }
    if (Code && !FirstCode)
      FirstCode = Code;
    if (interrupted())
      break;
  }
  return FirstCode;
}

int Driver::printVersion() {
  std::string Cuda = cudaVersion(Install.CudaPath);
  llvm::raw_ostream &OS = llvm::outs();
  OS << "gpurmacc " << config::Version << '\n';
  OS << "Clang " << clang::getClangFullVersion() << '\n';
  OS << "CUDA " << Cuda;
  if (Cuda != "none")
    OS << " (" << Install.CudaPath << ')';
  OS << "\nMPI " << config::MpiVersion << '\n';
  OS << "backend cpu: " << Install.Cxx << " (" << versionLine(Install.Cxx) << ")\n";
  OS << "backend cuda: " << (Cuda == "none" ? Cuda : Install.CudaPath + "/bin/nvcc") << '\n';
  if (!chooseTarget())
    return 1;
  OS << "target: " << name(T) << " (" << WhyTarget << ")\n";
  return 0;
}

} // namespace gpurma::driver
