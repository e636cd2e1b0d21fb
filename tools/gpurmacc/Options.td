// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every option that gpurmacc has to understand. What is not here passes through to the backend as one word, in order; so an
// option belongs in this table only if gpurmacc acts on it, if it takes its argument from the next word, if it concerns only
// one of compiling and linking, or if it means nothing to the backend of one target.
include "llvm/Option/OptParser.td"

// The compiler derives the names of further files from the output's name, so the output is written in place.
def WritesBesideOutput : OptionFlag;

def OwnGroup : OptionGroup<"gpurmacc options">;
def StopGroup : OptionGroup<"options that say where to stop">;
def DependencyGroup : OptionGroup<"options for dependency files">;
def PreprocessGroup : OptionGroup<"options that shape what the preprocessor and the parser see">;
def LinkGroup : OptionGroup<"options for linking only">;
def NvccGroup : OptionGroup<"options of nvcc that mean nothing to the CPU target">;

// gpurmacc's own options.
def target_EQ : Joined<["--"], "gpurma-target=">, Group<OwnGroup>, MetaVarName<"<cpu|cuda>">,
  HelpText<"What to compile for; without it cuda if nvcc, a GPU and the CUDA runtime library of gpurma are there, else cpu (environment: GPURMA_TARGET)">;
def emit_source : Flag<["--"], "gpurma-emit-source">, Group<OwnGroup>,
  HelpText<"Stop after lowering; write <input>.gpurma.cu, or the file that -o names">;
def emit_source_EQ : Joined<["--"], "gpurma-emit-source=">, Group<OwnGroup>, MetaVarName<"<file|->">,
  HelpText<"Stop after lowering; write the lowered source to <file>, or to standard output">;
def print_after_EQ : CommaJoined<["--"], "gpurma-print-after=">, Group<OwnGroup>, MetaVarName<"<pass>[,<pass>]">,
  HelpText<"Print the lowered source as it is after each named pass">;
def volatile_EQ : Joined<["--"], "gpurma-volatile=">, Group<OwnGroup>, MetaVarName<"<auto|all|none>">,
  HelpText<"Which reads of window memory become volatile: those in loops that poll and those that no wait dominates (auto, the default), all, or none">;
def fuse_launches_EQ : Joined<["--"], "gpurma-fuse-launches=">, Group<OwnGroup>, MetaVarName<"<auto|none>">,
  HelpText<"Which launches of a persistent region run as one stage: consecutive ones of which none reads what others of its blocks have to store first (auto, the default), or none">;
def analysis_steps_EQ : Joined<["--"], "gpurma-analysis-steps=">, Group<OwnGroup>, MetaVarName<"<n>">,
  HelpText<"How many steps it may take to find what a kernel of a persistent region reads and writes (2000000, the default, is some seconds)">;
def check : Flag<["--"], "gpurma-check">, Group<OwnGroup>,
  HelpText<"Check at run time that all threads of a block give a directive the same clause values, and that kernels of persistent regions read no further than is known or stated">;
def remarks : Flag<["-"], "Rgpurma">, Group<OwnGroup>,
  HelpText<"Say for each stage of a persistent region which arrays it reads and writes, and with which halo">;
def cxx_EQ : Joined<["--"], "gpurma-cxx=">, Group<OwnGroup>, MetaVarName<"<program>">,
  HelpText<"The compiler behind the cpu target, a Clang (environment: GPURMA_CXX)">;
def cuda_path_EQ : Joined<["--"], "gpurma-cuda-path=">, Group<OwnGroup>, MetaVarName<"<directory>">,
  HelpText<"Where the CUDA toolkit lies (environment: CUDA_PATH, CUDA_HOME; else nvcc in PATH, else /usr/local/cuda)">;
def show : Flag<["--"], "show">, Group<OwnGroup>,
  HelpText<"Print the commands that would run, ready to be pasted into a shell, and run nothing">;
def save_temps : Flag<["--", "-"], "save-temps">, Group<OwnGroup>,
  HelpText<"Keep the lowered source as <output>.gpurma.cu">;
def output_directory_EQ : Joined<["--"], "output-directory=">, Group<OwnGroup>, MetaVarName<"<directory>">,
  HelpText<"Where outputs go that -o does not name">;
def output_directory : Separate<["--"], "output-directory">, Alias<output_directory_EQ>;
def odir : Separate<["-"], "odir">, Alias<output_directory_EQ>;
def odir_EQ : Joined<["-"], "odir=">, Alias<output_directory_EQ>;
def dryrun : Flag<["--", "-"], "dryrun">, Alias<show>;
def version : Flag<["--"], "version">, Group<OwnGroup>,
  HelpText<"Print the versions of gpurmacc, Clang, CUDA and MPI, and the compiler behind each target">;
def V : Flag<["-"], "V">, Alias<version>;
def help : Flag<["--"], "help">, Group<OwnGroup>, HelpText<"Print this list">;
def h : Flag<["-"], "h">, Alias<help>;
def v : Flag<["-"], "v">, HelpText<"Print the commands while they run">;

// Where to stop, and where the result goes.
def o : JoinedOrSeparate<["-"], "o">, MetaVarName<"<file>">, HelpText<"Write the output to <file>">;
def output_file : Separate<["--"], "output-file">, Alias<o>;
def output_file_EQ : Joined<["--"], "output-file=">, Alias<o>;
def c : Flag<["-"], "c">, Group<StopGroup>, HelpText<"Compile, do not link">;
def compile : Flag<["--"], "compile">, Alias<c>;
def dc : Flag<["-"], "dc">, Group<StopGroup>, HelpText<"Compile to relocatable device code, do not link">;
def device_c : Flag<["--"], "device-c">, Alias<dc>;
def S : Flag<["-"], "S">, Group<StopGroup>, HelpText<"Compile to assembly">;
def ptx : Flag<["-", "--"], "ptx">, Group<StopGroup>, HelpText<"Compile to PTX (cuda)">;
def cubin : Flag<["-", "--"], "cubin">, Group<StopGroup>, HelpText<"Compile to device code (cuda)">;
def fatbin : Flag<["-", "--"], "fatbin">, Group<StopGroup>;
def dlink : Flag<["-"], "dlink">, Group<StopGroup>;
def device_link : Flag<["--"], "device-link">, Alias<dlink>;
def lib : Flag<["-", "--"], "lib">, Group<StopGroup>;
def run : Flag<["-", "--"], "run">, Group<StopGroup>;
def E : Flag<["-"], "E">, Group<StopGroup>, HelpText<"Preprocess only; the directives stay as they are">;
def preprocess : Flag<["--"], "preprocess">, Alias<E>;
def fsyntax_only : Flag<["-"], "fsyntax-only">, Group<StopGroup>, HelpText<"Check the source, write nothing">;
def M : Flag<["-"], "M">, Group<StopGroup>, HelpText<"Print the files that the source depends on, compile nothing">;
def MM : Flag<["-"], "MM">, Group<StopGroup>, HelpText<"Like -M, without system headers">;
def generate_dependencies : Flag<["--"], "generate-dependencies">, Alias<M>;
def generate_nonsystem_dependencies : Flag<["--"], "generate-nonsystem-dependencies">, Alias<MM>;
def x : JoinedOrSeparate<["-"], "x">, MetaVarName<"<language>">,
  HelpText<"Language of the inputs that follow: cu, c++, c, ..., or none to go by their names again">;

// Dependency files.
def MD : Flag<["-"], "MD">, Group<DependencyGroup>, HelpText<"Also write a dependency file">;
def MMD : Flag<["-"], "MMD">, Group<DependencyGroup>, HelpText<"Like -MD, without system headers">;
def MP : Flag<["-"], "MP">, Group<DependencyGroup>, HelpText<"Add an empty rule for each header">;
def MF : JoinedOrSeparate<["-"], "MF">, Group<DependencyGroup>, MetaVarName<"<file>">, HelpText<"Name of the dependency file">;
def MT : JoinedOrSeparate<["-"], "MT">, Group<DependencyGroup>, MetaVarName<"<target>">, HelpText<"Target of the dependency rule">;
def MQ : JoinedOrSeparate<["-"], "MQ">, Group<DependencyGroup>, MetaVarName<"<target>">, HelpText<"Like -MT, quoted for make">;

def generate_dependencies_with_compile : Flag<["--"], "generate-dependencies-with-compile">, Alias<MD>;
def generate_nonsystem_dependencies_with_compile : Flag<["--"], "generate-nonsystem-dependencies-with-compile">, Alias<MMD>;
def generate_dependency_targets : Flag<["--"], "generate-dependency-targets">, Alias<MP>;
def dependency_output : Separate<["--"], "dependency-output">, Alias<MF>;
def dependency_target_name : Separate<["--"], "dependency-target-name">, Alias<MT>;

// What the parser must see, too.
def D : JoinedOrSeparate<["-"], "D">, Group<PreprocessGroup>, MetaVarName<"<macro>[=<value>]">, HelpText<"Define a macro">;
def define_macro : Separate<["--"], "define-macro">, Alias<D>;
def define_macro_EQ : Joined<["--"], "define-macro=">, Alias<D>;
def U : JoinedOrSeparate<["-"], "U">, Group<PreprocessGroup>, MetaVarName<"<macro>">, HelpText<"Undefine a macro">;
def undefine_macro : Separate<["--"], "undefine-macro">, Alias<U>;
def undefine_macro_EQ : Joined<["--"], "undefine-macro=">, Alias<U>;
def I : JoinedOrSeparate<["-"], "I">, Group<PreprocessGroup>, MetaVarName<"<directory>">, HelpText<"Search headers there">;
def include_path : Separate<["--"], "include-path">, Alias<I>;
def include_path_EQ : Joined<["--"], "include-path=">, Alias<I>;
def isystem : JoinedOrSeparate<["-"], "isystem">, Group<PreprocessGroup>, MetaVarName<"<directory>">, HelpText<"Search system headers there">;
def system_include : Separate<["--"], "system-include">, Alias<isystem>;
def system_include_EQ : Joined<["--"], "system-include=">, Alias<isystem>;
def iquote : JoinedOrSeparate<["-"], "iquote">, Group<PreprocessGroup>;
def idirafter : JoinedOrSeparate<["-"], "idirafter">, Group<PreprocessGroup>;
def include_ : JoinedOrSeparate<["-"], "include">, Group<PreprocessGroup>, MetaVarName<"<file>">, HelpText<"Include a file before the source">;
def pre_include : Separate<["--"], "pre-include">, Alias<include_>;
def pre_include_EQ : Joined<["--"], "pre-include=">, Alias<include_>;
def imacros : JoinedOrSeparate<["-"], "imacros">, Group<PreprocessGroup>;
def std_EQ : Joined<["-", "--"], "std=">, Group<PreprocessGroup>, MetaVarName<"<standard>">, HelpText<"Language standard; c++17 for lowered sources without it">;
def std : Separate<["-", "--"], "std">, Alias<std_EQ>;
def isysroot : JoinedOrSeparate<["-"], "isysroot">, Group<PreprocessGroup>;
def sysroot : Separate<["--"], "sysroot">, Group<PreprocessGroup>;
foreach name = ["c-isystem", "cxx-isystem", "iprefix", "iwithprefix", "iwithprefixbefore", "iwithsysroot",
                "ivfsoverlay", "working-directory"] in
  def : Separate<["-"], name>, Group<PreprocessGroup>;

// Linking only. -z, -u, -T, -e are the linker's own, as gcc and clang take them.
def l : JoinedOrSeparate<["-"], "l">, Group<LinkGroup>, MetaVarName<"<library>">, HelpText<"Link with a library">;
def library : Separate<["--"], "library">, Alias<l>;
def library_EQ : Joined<["--"], "library=">, Alias<l>;
def L : JoinedOrSeparate<["-"], "L">, Group<LinkGroup>, MetaVarName<"<directory>">, HelpText<"Search libraries there">;
def library_path : Separate<["--"], "library-path">, Alias<L>;
def library_path_EQ : Joined<["--"], "library-path=">, Alias<L>;
def Wl_COMMA : Joined<["-"], "Wl,">, Group<LinkGroup>, MetaVarName<"<option>,...">, HelpText<"Give options to the linker">;
def Xlinker : Separate<["-"], "Xlinker">, Group<LinkGroup>;
def linker_options : Separate<["--"], "linker-options">, Group<LinkGroup>;  // nvcc's; no other compiler's
def linker_options_EQ : Joined<["--"], "linker-options=">, Alias<linker_options>;
def Xlinker_EQ : Joined<["-"], "Xlinker=">, Alias<linker_options>;
foreach name = ["T", "z"] in
  def : JoinedOrSeparate<["-"], name>, Group<LinkGroup>;
foreach name = ["u", "e"] in  // joined, they would swallow -emit-llvm and its like
  def : Separate<["-"], name>, Group<LinkGroup>;
def rpath : Separate<["-"], "rpath">, Group<LinkGroup>;
def shared : Flag<["-", "--"], "shared">, Group<LinkGroup>, HelpText<"Make a shared library">;
foreach name = ["static", "static-pie", "static-libgcc", "static-libstdc++", "pie", "no-pie", "nopie", "r", "rdynamic", "s",
                "nodefaultlibs", "nostartfiles", "nostdlib++"] in
  def : Flag<["-"], name>, Group<LinkGroup>;
def fuse_ld_EQ : Joined<["-"], "fuse-ld=">, Group<LinkGroup>;

// Pairs of gcc and clang: the next word is no input.
foreach name = ["Xclang", "Xpreprocessor", "Xassembler", "Xarch_host", "Xarch_device", "Xopenmp-target", "mllvm", "target",
                "resource-dir", "include-pch", "dumpbase", "dumpbase-ext", "dumpdir", "aux-info", "wrapper", "MJ", "B",
                "framework", "install_name", "index-store-path", "mthread-model"] in
  def : Separate<["-"], name>;
foreach name = ["param", "config", "serialize-diagnostics", "target"] in
  def : Separate<["--"], name>;

// Flags whose further outputs are named after the output.
foreach name = ["coverage", "ftest-coverage", "fprofile-arcs", "gsplit-dwarf", "ftime-trace", "fstack-usage",
                "fsave-optimization-record"] in
  def : Flag<["-"], name>, Flags<[WritesBesideOutput]>;
def coverage_long : Flag<["--"], "coverage">, Flags<[WritesBesideOutput]>;
foreach name = ["gsplit-dwarf=", "ftime-trace=", "save-temps="] in
  def : Joined<["-"], name>, Flags<[WritesBesideOutput]>;

// nvcc's options. The cpu target takes the host part of them (-Xcompiler) and ignores what only a GPU has.
def Xcompiler : Separate<["-"], "Xcompiler">;
def Xcompiler_EQ : Joined<["-"], "Xcompiler=">, Alias<Xcompiler>;
def compiler_options : Separate<["--"], "compiler-options">, Alias<Xcompiler>;
def compiler_options_EQ : Joined<["--"], "compiler-options=">, Alias<Xcompiler>;
def O : Joined<["-"], "O">;
def optimize : Separate<["--"], "optimize">, Alias<O>;
def optimize_EQ : Joined<["--"], "optimize=">, Alias<O>;
def g : Flag<["-"], "g">;
def debug : Flag<["--"], "debug">, Alias<g>;
def w : Flag<["-"], "w">;
def disable_warnings : Flag<["--"], "disable-warnings">, Alias<w>;
def pg : Flag<["-"], "pg">;
def profile : Flag<["--"], "profile">, Alias<pg>;
def arch_EQ : Joined<["-"], "arch=">, Group<NvccGroup>;
def arch : Separate<["-"], "arch">, Alias<arch_EQ>;
def gpu_architecture_EQ : Joined<["--"], "gpu-architecture=">, Alias<arch_EQ>;
def gpu_architecture : Separate<["--"], "gpu-architecture">, Alias<arch_EQ>;
def gencode : Separate<["-"], "gencode">, Group<NvccGroup>;
def gencode_EQ : Joined<["-"], "gencode=">, Alias<gencode>;
def generate_code : Separate<["--"], "generate-code">, Alias<gencode>;
def generate_code_EQ : Joined<["--"], "generate-code=">, Alias<gencode>;
def rdc_EQ : Joined<["-"], "rdc=">, Group<NvccGroup>;
def rdc : Separate<["-"], "rdc">, Alias<rdc_EQ>;
def relocatable_device_code_EQ : Joined<["--"], "relocatable-device-code=">, Alias<rdc_EQ>;
def relocatable_device_code : Separate<["--"], "relocatable-device-code">, Alias<rdc_EQ>;
// Each takes its value from the same word after "=" or from the next word.
foreach name = ["Xptxas", "Xcudafe", "Xnvlink", "Xfatbin", "Xarchive", "code", "ccbin", "maxrregcount", "cudart",
                "cudadevrt", "default-stream", "ftz", "fmad", "prec-div", "prec-sqrt", "diag-error", "diag-suppress",
                "diag-warn", "split-compile", "t", "ldir", "keep-dir", "m", "opt-info", "idp", "ddp", "dopt",
                "run-args", "entries", "static-global-template-stub", "compress-mode", "Ofc", "frandom-seed",
                "fdevice-time-trace", "device-entity-has-hidden-visibility"] in {
  def : Separate<["-"], name>, Group<NvccGroup>;
  def : Joined<["-"], name # "=">, Group<NvccGroup>;
}
foreach name = ["ptxas-options", "cudafe-options", "nvlink-options", "fatbin-options", "archive-options", "gpu-code",
                "compiler-bindir", "maxrregcount", "cudart", "cudadevrt", "default-stream", "ftz",
                "fmad", "prec-div", "prec-sqrt", "diag-error", "diag-suppress", "diag-warn", "split-compile", "threads",
                "libdevice-directory", "keep-dir", "machine", "optimization-info",
                "input-drive-prefix", "dependency-drive-prefix", "dopt", "time", "run-args", "entries", "brief-diagnostics", "Werror",
                "static-global-template-stub", "compress-mode", "Ofast-compile", "frandom-seed", "fdevice-time-trace",
                "device-entity-has-hidden-visibility"] in {
  def : Separate<["--"], name>, Group<NvccGroup>;
  def : Joined<["--"], name # "=">, Group<NvccGroup>;
}
foreach name = ["G", "link", "lineinfo", "keep", "extended-lambda", "expt-extended-lambda", "expt-relaxed-constexpr", "use_fast_math",
                "restrict", "res-usage", "src-in-ptx", "ewp", "dlto", "forward-unknown-to-host-compiler",
                "forward-unknown-to-host-linker", "forward-unknown-opts", "objtemp", "extra-device-vectorization", "clean", "noprof",
                "allow-unsupported-compiler", "err-no", "no-err-no", "no-compress", "minimal", "use-local-env", "device-int128",
                "Wno-deprecated-gpu-targets", "Wext-lambda-captures-this", "Wmissing-launch-bounds", "Wdefault-stream-launch"] in
  def : Flag<["-"], name>, Group<NvccGroup>;
// The other kinds of -Werror are gcc's and clang's, too.
foreach kind = ["all-warnings", "cross-execution-space-call", "default-stream-launch", "missing-launch-bounds", "ext-lambda-captures-this"] in
  def : Flag<["-"], "Werror=" # kind>, Group<NvccGroup>;
foreach name = ["device-debug", "link", "generate-line-info", "keep", "extended-lambda", "expt-extended-lambda",
                "expt-relaxed-constexpr", "use_fast_math", "restrict", "resource-usage", "source-in-ptx",
                "extensible-whole-program", "dlink-time-opt", "forward-unknown-to-host-compiler",
                "forward-unknown-to-host-linker", "forward-unknown-opts", "objdir-as-tempdir", "extra-device-vectorization",
                "allow-unsupported-compiler", "display-error-number", "no-display-error-number", "no-compress", "minimal",
                "use-local-env", "device-int128", "Wno-deprecated-gpu-targets", "Wext-lambda-captures-this",
                "Wmissing-launch-bounds", "Wdefault-stream-launch"] in
  def : Flag<["--"], name>, Group<NvccGroup>;
