// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Toolchain.h"

#include "Config.h"
#include "Options.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

namespace path = llvm::sys::path;
namespace fs = llvm::sys::fs;
using llvm::opt::Arg;
using llvm::opt::InputArgList;
using Words = std::vector<std::string>;

namespace gpurma::driver {

namespace {

void append(Words &To, const Words &From) { To.insert(To.end(), From.begin(), From.end()); }

Words list(llvm::StringRef Semicolons) {
  llvm::SmallVector<llvm::StringRef> Parts;
  Semicolons.split(Parts, ';', -1, /*KeepEmpty=*/false);
  return Words(Parts.begin(), Parts.end());
}

/// nvcc splits the values of -Xcompiler and --linker-options at commas, and its shell at blanks.
Words splitValues(const Arg &A) {
  llvm::BumpPtrAllocator Storage;
  llvm::StringSaver Saver(Storage);
  llvm::SmallVector<const char *> Parts;
  for (llvm::StringRef Value : A.getValues()) {
    std::string Blanks;
    for (std::size_t I = 0; I < Value.size(); ++I) {
      Blanks += Value[I] == ',' ? ' ' : Value[I];
      if (Value[I] == '\\' && I + 1 < Value.size())
        Blanks += Value[++I];
    }
    llvm::cl::TokenizeGNUCommandLine(Blanks, Saver, Parts);
  }
  return Words(Parts.begin(), Parts.end());
}

/// One word of the host compiler's as the value of -Xcompiler, which nvcc splits at commas and its shell at blanks.
std::string hostWord(llvm::StringRef Word) {
  std::string Text;
  for (char C : Word)
    Text += C == ',' ? std::string("\\,") : std::string(1, C);
  return Word.contains(' ') ? '"' + Text + '"' : Text;
}

bool inGroup(const Arg &A, OptionId Group) { return A.getOption().matches(Group); }

/// Arguments that gpurmacc acts on itself, so that no backend gets them.
bool isHandled(const Arg &A) {
  return inGroup(A, OPT_OwnGroup) || inGroup(A, OPT_StopGroup) || inGroup(A, OPT_DependencyGroup) ||
         A.getOption().matches(OPT_o) || A.getOption().matches(OPT_x) ||
         A.getOption().getKind() == llvm::opt::Option::InputClass;
}

/// Of a CUDA source, which is C++17 at least.
bool isReplacedStandard(const Arg &A, const InputArgList &Args) { return A.getOption().matches(OPT_std_EQ) && tooOldStandard(Args); }
bool isStandardOfCxx(const Arg& A) {
  return A.getOption().matches(OPT_std_EQ) && llvm::StringRef(A.getValue()).contains("++");
}
bool needsStandard(const InputArgList &Args) { return !Args.hasArg(OPT_std_EQ) || tooOldStandard(Args); }

Words mpiCompileFlags() {
  Words Flags = list(config::MpiCompileOptions);
  // As system folders: their headers are not the user's to warn about, nor to name in -MMD.
  for (const std::string &Dir : list(config::MpiIncludeDirs)) {
    Flags.push_back("-isystem");
    Flags.push_back(Dir);
  }
  return Flags;
}

/// The runtime of gpurma and what it is built on. A shared library leaves the runtime to the program that it is linked into,
/// which so has it once.
Words runtimeLibraries(const Installation &Install, Target T, const InputArgList &Args) {
  Words Flags;
  // Libraries that are loaded later may want what the program itself does not.
  const bool Whole = T == Target::CPU && llvm::any_of(Args, [](const Arg* A) {
                       return A->getSpelling() == "-rdynamic";
                     });
  if (!Args.hasArg(OPT_shared)) {
    if (Whole)
      Flags.push_back("-Wl,--whole-archive");
    Flags.push_back(Install.library(T));
    if (Whole)
      Flags.push_back("-Wl,--no-whole-archive");
  }
  for (const std::string &Library : list(config::MpiLibraries))
    Flags.push_back(Library);
  return Flags;
}

/// Makes the linker lead calls of the CUDA runtime through the host runtime.
std::string interceptedCalls(Target T) {
  constexpr llvm::StringRef ForCuda[] = {
#define GPURMA_COPY(Name, Parameters, Arguments) #Name, #Name "_ptds",
#define GPURMA_CUDA_COPY GPURMA_COPY
#define GPURMA_COPY_ASYNC(Name, Parameters, Arguments, Stream, A, B) #Name, #Name "_ptsz",
#define GPURMA_RELEASE(Name, Parameters, Arguments) #Name,
#define GPURMA_CUDA_RELEASE GPURMA_RELEASE
#define GPURMA_CALL GPURMA_RELEASE
#define GPURMA_CALL_PTDS GPURMA_COPY
#define GPURMA_CALL_PTSZ(Name, Parameters, Arguments) #Name, #Name "_ptsz",
#define GPURMA_CUDA_CALL_PTSZ GPURMA_CALL_PTSZ
#define GPURMA_CUDA_USE GPURMA_CALL
#define GPURMA_CUDA_USE_PTDS GPURMA_CALL_PTDS
#define GPURMA_CUDA_USE_PTSZ GPURMA_CALL_PTSZ
#include "runtime/host/intercepted_calls.def"
  };
  constexpr llvm::StringRef ForCpu[] = {
#define GPURMA_COPY(Name, Parameters, Arguments) #Name,
#define GPURMA_CUDA_COPY(Name, Parameters, Arguments)
#define GPURMA_COPY_ASYNC(Name, Parameters, Arguments, Stream, A, B) #Name,
#define GPURMA_RELEASE GPURMA_COPY
#define GPURMA_CUDA_RELEASE GPURMA_CUDA_COPY
#define GPURMA_CALL GPURMA_COPY
#define GPURMA_CALL_PTDS GPURMA_COPY
#define GPURMA_CALL_PTSZ GPURMA_COPY
#define GPURMA_CUDA_CALL_PTSZ GPURMA_CUDA_COPY
#define GPURMA_CUDA_USE GPURMA_CUDA_COPY
#define GPURMA_CUDA_USE_PTDS GPURMA_CUDA_COPY
#define GPURMA_CUDA_USE_PTSZ GPURMA_CUDA_COPY
#include "runtime/host/intercepted_calls.def"
  };
  return "--wrap=" + (T == Target::CUDA ? llvm::join(std::begin(ForCuda), std::end(ForCuda), ",--wrap=")
                                        : llvm::join(std::begin(ForCpu), std::end(ForCpu), ",--wrap="));
}

class CpuToolchain : public Toolchain {
public:
  CpuToolchain(const Installation &Install, const InputArgList &Args)
      : Install(Install), Args(Args) {}

  Words parseArgs() const override {
    // The backend is a Clang, too: what it takes, the parse takes.
    Words Result = mpiCompileFlags();
    for (const Arg *A : Args)
      if (!isReplacedStandard(*A, Args))
        append(Result, compileWords(*A));
    return Result;
  }

  Command compile(const CompileStep &Step) const override {
    Command Cmd;
    Cmd.add(Install.Cxx);
    if (!Step.Language.empty())
      Cmd.add("-x", Step.Language);
    Cmd.add("-DGPURMA_TARGET_CPU=1");
    if (Args.hasArg(OPT_check))
      Cmd.add("-DGPURMA_CHECK=1");
    if (Step.IsCuda) {
      // Lowered code calls the library, whatever the user includes; the parse saw this header first, too.
      Cmd.add("-include", "gpurma/gpurma.h");
      // CUDA sources ask for it to know that they are compiled as such; host sources that share headers must not see it.
      Cmd.add("-D__CUDACC__=1");
      if (needsStandard(Args))
        Cmd.add("-std=c++17");
      if (wantsRelocatableDeviceCode(Args))
        Cmd.add("-DGPURMA_RELOCATABLE_DEVICE_CODE=1");
    }
    if (!Step.HiddenFolder.empty()) {
      llvm::StringRef Dir = path::parent_path(Step.UserSource);
      // A lowered source lies elsewhere, but its #include "x.h" means the folder of the user's file.
      Cmd.add("-iquote", Dir.empty() ? "." : Dir);
      Cmd.add(("-ffile-prefix-map=" + Step.HiddenFolder + "=" + (Dir.empty() ? "." : Dir)).str());
    }
    const bool IsC =
        Step.Language.empty() ? path::extension(Step.Source) == ".c" : Step.Language == "c";
    for (const Arg *A : Args)
      if (!(Step.IsCuda && isReplacedStandard(*A, Args)) && !(IsC && isStandardOfCxx(*A)))
        Cmd.add(compileWords(*A));
    Cmd.add("-isystem", Install.Prefix + "/include");
    Cmd.add("-isystem", Install.Prefix + "/lib/gpurma/cuda_shim");
    Cmd.add(mpiCompileFlags());
    Cmd.add(Step.Stop);
    Cmd.add(Step.Source);
    if (!Step.Output.empty())
      Cmd.add("-o", Step.Output);
    return Cmd;
  }

  bool links(llvm::StringRef Library) const override { return !isOfToolkit(Library); }

  Words linkWords(const Arg &A) const override {
    if (isHandled(A) || inGroup(A, OPT_PreprocessGroup) || inGroup(A, OPT_NvccGroup) ||
        (A.getOption().matches(OPT_l) &&
         isOfToolkit(("lib" + llvm::StringRef(A.getValue())).str())))
      return {};
    if (A.getOption().matches(OPT_Xcompiler))
      return splitValues(A);
    if (A.getOption().matches(OPT_linker_options)) {
      Words Flags;
      for (const std::string &Word : splitValues(A))
        append(Flags, {"-Xlinker", Word});
      return Flags;
    }
    return asWritten(Args, A);
  }

  Command link(const Words &Inputs, llvm::StringRef Output) const override {
    Command Cmd;
    Cmd.add(Install.Cxx);
    Cmd.add(Inputs);
    Cmd.add(runtimeLibraries(Install, Target::CPU, Args));
    // Also a shared library, whose runtime is that of the program.
    Cmd.add("-Wl," + interceptedCalls(Target::CPU));
    Cmd.add(list(config::MpiLinkFlags));
    Cmd.add("-lboost_context");
    Cmd.add("-lpthread");
    Cmd.add("-o", Output);
    return Cmd;
  }

private:
  Words compileWords(const Arg &A) const {
    if (isHandled(A) || inGroup(A, OPT_LinkGroup) || inGroup(A, OPT_NvccGroup))
      return {};
    if (A.getOption().matches(OPT_Xcompiler))
      return splitValues(A);
    // The toolkit's own headers would come before the target's.
    if ((A.getOption().matches(OPT_I) || A.getOption().matches(OPT_isystem)) &&
        hasCudaHeaders(A.getValue()))
      return {"-idirafter", A.getValue()};
    return asWritten(Args, A);
  }

  static bool hasCudaHeaders(llvm::StringRef Folder) {
    llvm::SmallString<256> Header(Folder);
    path::append(Header, "cuda_runtime.h");
    return fs::exists(Header);
  }

  /// CUDA's runtime and driver: this target has its own, behind what the program is linked with.
  static bool isOfToolkit(llvm::StringRef Library) {
    const llvm::StringRef Name = path::filename(Library).split('.').first;
    return llvm::is_contained({"libcudart", "libcudart_static", "libcudadevrt", "libcuda"}, Name);
  }

  const Installation &Install;
  const InputArgList &Args;
};

class CudaToolchain : public Toolchain {
public:
  CudaToolchain(const Installation &Install, const InputArgList &Args)
      : Install(Install), Args(Args) {}

  Words parseArgs() const override {
    Words Result = mpiCompileFlags();
    for (const Arg *A : Args) {
      if (isHandled(*A) || inGroup(*A, OPT_NvccGroup) || inGroup(*A, OPT_LinkGroup))
        continue;
      if (inGroup(*A, OPT_PreprocessGroup)) {
        if (!isReplacedStandard(*A, Args))
          append(Result, asWritten(Args, *A));
        continue;
      }
      for (const std::string &Word :
           A->getOption().matches(OPT_Xcompiler) ? splitValues(*A) : asWritten(Args, *A))
        if (shapesTheParse(Word))
          Result.push_back(Word);
    }
    return Result;
  }

  std::string gpuArch() const override {
    // The first real or virtual architecture that is named; -arch=native and -arch=all name none.
    for (const Arg *A : Args)
      if (A->getOption().matches(OPT_arch_EQ) || A->getOption().matches(OPT_gencode))
        for (llvm::StringRef Prefix : {"sm_", "compute_"}) {
          llvm::StringRef Value = A->getValue();
          if (std::size_t At = Value.find(Prefix); At != llvm::StringRef::npos)
            return "sm_" + Value.substr(At + Prefix.size()).take_while(llvm::isAlnum).str();
        }
    return Toolchain::gpuArch();
  }

  Command compile(const CompileStep &Step) const override {
    Command Cmd = nvcc();
    if (!Step.Language.empty())
      Cmd.add("-x", Step.Language);
    Cmd.add("-DGPURMA_TARGET_CUDA=1");
    if (Args.hasArg(OPT_check))
      Cmd.add("-DGPURMA_CHECK=1");
    if (Step.IsCuda) {
      // Lowered code calls the library, whatever the user includes; the parse saw this header first, too.
      Cmd.add("-include", "gpurma/gpurma.h");
      if (needsStandard(Args))
        Cmd.add("-std=c++17");
      if (Step.CallsHostConstexpr)
        Cmd.add("--expt-relaxed-constexpr");
      if (Step.RegionRegisters)
        Cmd.add("-DGPURMA_REGION_REGISTERS=" + std::to_string(*Step.RegionRegisters));
    }
    if (!Step.HiddenFolder.empty()) {
      llvm::StringRef Dir = path::parent_path(Step.UserSource);
      // nvcc has no -iquote of its own.
      Cmd.add("-Xcompiler", hostWord(("-iquote" + (Dir.empty() ? "." : Dir)).str()));
      Cmd.add("-Xcompiler",
              hostWord(("-ffile-prefix-map=" + Step.HiddenFolder + "=" + (Dir.empty() ? "." : Dir)).str()));
      // Else nvcc names its intermediate files after its process number, and the object holds one such name.
      Cmd.add("-objtemp");
    }
    for (const Arg *A : Args)
      if (!isHandled(*A) && !inGroup(*A, OPT_LinkGroup) && !(Step.IsCuda && isReplacedStandard(*A, Args)))
        Cmd.add(asWritten(Args, *A));
    Cmd.add("-isystem", Install.Prefix + "/include");
    Cmd.add(mpiCompileFlags());
    Cmd.add(Step.Stop);
    Cmd.add(Step.Source);
    if (!Step.Output.empty())
      Cmd.add("-o", Step.Output);
    return Cmd;
  }

  Words linkWords(const Arg &A) const override {
    if (isHandled(A) || inGroup(A, OPT_PreprocessGroup))
      return {};
    return asWritten(Args, A);
  }

  Command link(const Words &Inputs, llvm::StringRef Output) const override {
    Command Cmd = nvcc();
    Cmd.add(Inputs);
    Cmd.add(runtimeLibraries(Install, Target::CUDA, Args));
    // They refer to the runtime, which a shared library does not have.
    if (!Args.hasArg(OPT_shared))
      Cmd.add("-Xlinker", interceptedCalls(Target::CUDA));
    Cmd.add(mpiLinkFlags());
    Cmd.add("-o", Output);
    return Cmd;
  }

private:
  /// nvcc's host compiler is a gcc, of whose options Clang's parse knows only a part.
  static bool shapesTheParse(llvm::StringRef Word) {
    for (llvm::StringRef Prefix : {"-D", "-U", "-I", "-W", "-w", "-m", "-pedantic", "-fopenmp"})
      if (Word.starts_with(Prefix))
        return true;
    for (llvm::StringRef Whole : {"-fno-exceptions", "-fexceptions", "-fno-rtti", "-frtti",
                                  "-fsigned-char", "-funsigned-char", "-fcolor-diagnostics",
                                  "-fno-color-diagnostics"})
      if (Word == Whole)
        return true;
    return false;
  }

  /// The flags are those of a host compiler that links; nvcc passes on what it is told for whom.
  static Words mpiLinkFlags() {
    Words Flags;
    for (const std::string &Flag : list(config::MpiLinkFlags)) {
      llvm::StringRef Word = Flag;
      if (Word.consume_front("-Wl,")) {
        llvm::SmallVector<llvm::StringRef> Parts;
        Word.split(Parts, ',', -1, /*KeepEmpty=*/false);
        for (llvm::StringRef Part : Parts)
          append(Flags, {"-Xlinker", Part.str()});
      } else if (Word.starts_with("-L") || Word.starts_with("-l")) {
        Flags.push_back(Flag);
      } else {
        append(Flags, {"-Xcompiler", Flag});
      }
    }
    return Flags;
  }

  Command nvcc() const {
    Command Cmd;
    Cmd.add(Install.CudaPath + "/bin/nvcc");
    Cmd.add("-forward-unknown-to-host-compiler");
    Cmd.add("-forward-unknown-to-host-linker");
    if (!Args.hasArg(OPT_arch_EQ, OPT_gencode))
      Cmd.add("-arch=" + gpuArch());
    return Cmd;
  }

  const Installation &Install;
  const InputArgList &Args;
};

/// The folder above bin/ of the nvcc that a path leads to.
std::string toolkitOf(llvm::StringRef Nvcc) {
  llvm::SmallString<256> Real;
  if (fs::real_path(Nvcc, Real))
    return {};
  return path::parent_path(path::parent_path(Real)).str();
}

std::string findCuda(const InputArgList &Args) {
  // Asked for by name: no other may take its place.
  if (const Arg *A = Args.getLastArg(OPT_cuda_path_EQ))
    return fs::can_execute(A->getValue() + std::string("/bin/nvcc")) ? A->getValue() : "";
  for (const char *Variable : {"CUDA_PATH", "CUDA_HOME"})
    if (auto Value = llvm::sys::Process::GetEnv(Variable);
        Value && fs::can_execute(*Value + "/bin/nvcc"))
      return *Value;
  if (auto Nvcc = llvm::sys::findProgramByName("nvcc"))
    if (std::string Toolkit = toolkitOf(*Nvcc);
        !Toolkit.empty() && fs::exists(Toolkit + "/include/cuda_runtime.h"))
      return Toolkit;
  if (fs::can_execute("/usr/local/cuda/bin/nvcc"))
    return "/usr/local/cuda";
  return {};
}

/// Whether a path is executable, or PATH leads from a name to a program.
bool isProgram(const std::string &Name) {
  return Name.find('/') != std::string::npos ? fs::can_execute(Name)
                                             : bool(llvm::sys::findProgramByName(Name));
}

} // namespace

std::string Installation::library(Target T) const {
  return Prefix + "/lib/libgpurma_" + (T == Target::CPU ? "cpu" : "cuda") + ".a";
}

Installation Installation::find(const InputArgList &Args, const char *Argv0) {
  Installation Result;
  static int Anchor;
  std::string Self = fs::getMainExecutable(Argv0, &Anchor);
  Result.Prefix = path::parent_path(path::parent_path(Self)).str();
  Result.CudaPath = findCuda(Args);
  if (const Arg *A = Args.getLastArg(OPT_cxx_EQ))
    Result.Cxx = A->getValue();
  else if (auto Value = llvm::sys::Process::GetEnv("GPURMA_CXX"); Value && !Value->empty())
    Result.Cxx = *Value;
  else
    Result.Cxx = config::DefaultCxx;
  Result.HasGpu = fs::exists("/dev/nvidia0") || fs::exists("/dev/dxg");
  return Result;
}

std::unique_ptr<Toolchain> Toolchain::create(Target T, const Installation &Install,
                                             const InputArgList &Args) {
  if (T == Target::CPU) {
    if (!isProgram(Install.Cxx)) {
      llvm::errs() << "gpurmacc: error: the compiler of the cpu target, '" << Install.Cxx
                   << "', is not there: install Clang 19 (Debian: clang-19) or name a Clang with "
                      "--gpurma-cxx= or GPURMA_CXX\n";
      return nullptr;
    }
    return std::make_unique<CpuToolchain>(Install, Args);
  }
  if (Install.CudaPath.empty()) {
    llvm::errs() << "gpurmacc: error: the cuda target needs nvcc, which was not found";
    if (const Arg *A = Args.getLastArg(OPT_cuda_path_EQ))
      llvm::errs() << " at " << A->getValue() << "/bin/nvcc";
    llvm::errs() << ": install the CUDA toolkit 12 or later from NVIDIA, name its folder with --gpurma-cuda-path= or CUDA_PATH, or use "
                    "--gpurma-target=cpu\n";
    return nullptr;
  }
  return std::make_unique<CudaToolchain>(Install, Args);
}

std::string versionLine(const std::string &Program) {
  if (!isProgram(Program))
    return "none";
  auto Found = llvm::sys::findProgramByName(Program);
  Command Cmd;
  Cmd.add(*Found, "--version");
  std::string Text = capture(Cmd);
  return llvm::StringRef(Text).split('\n').first.str();
}

std::string cudaVersion(const std::string &CudaPath) {
  if (CudaPath.empty())
    return "none";
  Command Cmd;
  Cmd.add(CudaPath + "/bin/nvcc", "--version");
  std::string Text = capture(Cmd);
  llvm::StringRef Release = llvm::StringRef(Text).split("release ").second;
  return Release.empty() ? "unknown" : Release.take_until([](char C) { return C == ','; }).str();
}

} // namespace gpurma::driver
