// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Parse.h"
#include "DynamicRecursiveASTVisitor.h"
#include "PragmaHandler.h"
#include "SourceText.h"
#include "clang/Basic/CharInfo.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/TargetOptions.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Regex.h"
#include <map>

using namespace clang;

namespace gpurma {

/// What Clang tells during a parse: diagnostics, #includes, files, skipped regions.
class ParseCallbacks final : public DiagnosticConsumer {
public:
  ParseCallbacks(Parse &P, DiagnosticOptions *Options) : P(P), Printer(llvm::errs(), Options) {}

  void BeginSourceFile(const LangOptions &LangOpts, const Preprocessor *PP) override { Printer.BeginSourceFile(LangOpts, PP); }
  void EndSourceFile() override { Printer.EndSourceFile(); }

  void HandleDiagnostic(DiagnosticsEngine::Level Level, const Diagnostic &Info) override {
    if (P.Sink.Silent)
      return;
    if (Level != DiagnosticsEngine::Note)
      Printing = shows(Level, Info);
    if (!Printing)
      return;
    if (Level >= DiagnosticsEngine::Error)
      ++P.Sink.Errors;
    Printer.HandleDiagnostic(Level, Info);
    // nvcc leaves the initialisation out, with a warning or without.
    if (Info.getID() == diag::err_shared_var_init)
      llvm::errs() << "note: nothing initialises an object in shared memory: its class has a default constructor that does nothing, "
                      "'T() = default;', and no default values of members\n";
  }

private:
  bool shows(DiagnosticsEngine::Level Level, const Diagnostic &Info) {
    // Warnings about the user's own code come from the backend, which compiles the same code with the same flags; here they
    // would only appear twice.
    bool Ours = Info.getID() >= diag::DIAG_UPPER_LIMIT;
    if (!Ours && Level < DiagnosticsEngine::Error)
      return false;
    llvm::SmallString<128> Message;
    Info.FormatDiagnostic(Message);
    std::string File;
    unsigned Offset = 0;
    if (Info.getLocation().isValid() && Info.hasSourceManager()) {
      const SourceManager &Sources = Info.getSourceManager();
      if (!Ours && misplaced(Info.getLocation(), Sources))
        return false;
      std::pair<FileID, unsigned> Place = Sources.getDecomposedExpansionLoc(Info.getLocation());
      File = fileName(Place.first, Sources);
      Offset = Place.second;
    }
    return P.Sink.first(File, Offset, std::string(Message));
  }

  /// An error at a token that the pragma handler made up means that no statement can stand there; further errors within that
  /// directive follow from it.
  bool misplaced(SourceLocation Loc, const SourceManager &Sources) {
    for (const Directive &D : P.Directives) {
      bool AtName = Loc == D.NameLoc;
      if (AtName)
        P.Misplaced.insert(D.Id);
      if (AtName || (P.Misplaced.count(D.Id) && Sources.isPointWithin(Loc, D.HashLoc, D.EndLoc)))
        return true;
    }
    return false;
  }

  Parse &P;
  TextDiagnosticPrinter Printer;
  bool Printing = true;
};

namespace {

class FileCallbacks final : public PPCallbacks {
public:
  FileCallbacks(SourceManager &Sources, std::vector<Inclusion> &Inclusions, std::vector<Dependency> &Dependencies,
                const LangOptions &LangOpts, Diagnostics &Diags)
      : Sources(Sources), Inclusions(Inclusions), Dependencies(Dependencies), LangOpts(LangOpts), Diags(Diags) {}

  /// Clang ignores pragmas that it does not know, and so would the program ignore its directives.
  void PragmaDirective(SourceLocation HashLoc, PragmaIntroducerKind Introducer) override {
    if (Introducer != PIK_HashPragma || Sources.isInSystemHeader(HashLoc))
      return;
    const std::optional<Token> Pragma = Lexer::findNextToken(HashLoc, Sources, LangOpts);
    const std::optional<Token> Name = Pragma ? Lexer::findNextToken(Pragma->getLocation(), Sources, LangOpts) : std::nullopt;
    if (!Name || Name->isNot(tok::raw_identifier))
      return;
    constexpr llvm::StringLiteral Right = "gpurma";
    constexpr unsigned MostEdits = 2;
    const llvm::StringRef Word = Name->getRawIdentifier();
    if (Word != Right && llvm::StringRef(Word.lower()).edit_distance(Right, /*AllowReplacements=*/true, MostEdits) <= MostEdits)
      Diags.report(Name->getLocation(), Diag::warn_misspelt_pragma) << Word << FixItHint::CreateReplacement(Name->getLocation(), Right);
  }

  void FileChanged(SourceLocation Loc, FileChangeReason Reason, SrcMgr::CharacteristicKind Kind, FileID) override {
    if (Reason != EnterFile)
      return;
    OptionalFileEntryRef File = Sources.getFileEntryRefForID(Sources.getFileID(Loc));
    if (File)
      ++Entered[fileName(*File)];
    if (File && Seen.insert(File->getName().str()).second)
      Dependencies.push_back({File->getName().str(), SrcMgr::isSystem(Kind)});
  }

  void InclusionDirective(SourceLocation HashLoc, const Token &IncludeTok, llvm::StringRef, bool IsAngled,
                          CharSourceRange FilenameRange, OptionalFileEntryRef File, llvm::StringRef, llvm::StringRef,
                          const Module *, bool, SrcMgr::CharacteristicKind) override {
    if (!File)
      return;
    Inclusion I;
    I.Includer = fileName(Sources.getFileID(HashLoc), Sources);
    I.Included = fileName(*File);
    I.IncludedName = File->getName().str();
    I.HashLoc = HashLoc;
    I.NameRange = FilenameRange;
    I.Keyword = SourceRange(IncludeTok.getLocation());
    I.Quoted = !IsAngled;
    I.Next = IncludeTok.getIdentifierInfo()->getPPKeywordID() == tok::pp_include_next;
    I.InSystemHeader = Sources.isInSystemHeader(HashLoc);
    Inclusions.push_back(std::move(I));
  }

  void HasInclude(SourceLocation Loc, llvm::StringRef, bool IsAngled, OptionalFileEntryRef File,
                  SrcMgr::CharacteristicKind) override {
    if (!File || IsAngled || Loc.isMacroID())
      return;
    Inclusion I;
    I.Includer = fileName(Sources.getFileID(Loc), Sources);
    I.Included = fileName(*File);
    I.IncludedName = File->getName().str();
    I.HashLoc = Loc;
    I.NameRange = CharSourceRange::getTokenRange(Loc);
    I.Quoted = I.IsQuestion = true;
    I.InSystemHeader = Sources.isInSystemHeader(Loc);
    Inclusions.push_back(std::move(I));
  }

  void SourceRangeSkipped(SourceRange Range, SourceLocation) override {
    auto [File, Begin] = Sources.getDecomposedLoc(Range.getBegin());
    auto [EndFile, End] = Sources.getDecomposedLoc(Range.getEnd());
    if (File != EndFile || Begin >= End || Sources.isInSystemHeader(Range.getBegin()))
      return;
    for (DirectiveText Found : directivesIn(Sources.getBufferData(File).slice(Begin, End), LangOpts)) {
      Found.Begin += Begin;
      Found.End += Begin;
      auto &[Text, Times] = SkippedAt[{fileName(File, Sources), Found.Begin}];
      Text = Found;
      ++Times;
    }
  }

  std::vector<SkippedDirective> skipped() const {
    std::vector<SkippedDirective> Always;
    // A header that is included repeatedly may skip now one section, now another.
    for (const auto &[Place, Found] : SkippedAt)
      if (auto It = Entered.find(Place.first); It != Entered.end() && Found.second == It->second)
        Always.push_back({Place.first, Found.first});
    return Always;
  }

private:
  SourceManager &Sources;
  std::vector<Inclusion> &Inclusions;
  std::vector<Dependency> &Dependencies;
  const LangOptions &LangOpts;
  Diagnostics &Diags;
  std::set<std::string> Seen;
  std::map<std::string, unsigned> Entered;
  std::map<std::pair<std::string, size_t>, std::pair<DirectiveText, unsigned>> SkippedAt;
};

/// Lets every reference to a variable that is declared several times (`extern int nx;` and `int nx
/// = 64;`) name the same one of its declarations, so that passes may compare these.
class DeclarationUnifier final : public DynamicRecursiveASTVisitor {
public:
  explicit DeclarationUnifier(ASTContext& Context) : Sources(Context.getSourceManager()) {
    TraverseDecl(Context.getTranslationUnitDecl());
  }

  bool shouldVisitTemplateInstantiations() const override { return true; }
  bool shouldVisitImplicitCode() const override { return true; }
  bool TraverseDecl(Decl* D) override {
    if (D && !isa<TranslationUnitDecl>(D) && Sources.isInSystemHeader(D->getLocation()))
      return true;
    return DynamicRecursiveASTVisitor::TraverseDecl(D);
  }
  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    if (auto* V = dyn_cast<VarDecl>(Ref->getDecl()))
      Ref->setDecl(declarationOf(V));
    return true;
  }
  bool VisitMemberExpr(MemberExpr* Member) override {
    if (auto* V = dyn_cast<VarDecl>(Member->getMemberDecl()))
      Member->setMemberDecl(declarationOf(V));
    return true;
  }

private:
  static VarDecl* declarationOf(VarDecl* V) {
    if (V->hasAttr<CUDASharedAttr>()) // `extern __shared__` is each function's own
      return V;
    const VarDecl* Initialized = nullptr;
    return V->getAnyInitializer(Initialized) ? const_cast<VarDecl*>(Initialized)
                                             : V->getCanonicalDecl();
  }

  const SourceManager& Sources;
};

/// Leaves out the bodies of host functions in system headers, which no pass looks into: parsing and instantiating them takes
/// longer than all the rest. Clang itself keeps those that constant expressions and deduced return types need.
class SkimmingConsumer final : public ASTConsumer {
public:
  explicit SkimmingConsumer(CompilerInstance &Compiler) : Compiler(Compiler) {}

  bool shouldSkipFunctionBody(Decl *D) override {
    const FunctionDecl *F = D->getAsFunction();
    return F && !F->hasAttr<CUDADeviceAttr>() && !F->hasAttr<CUDAGlobalAttr>() &&
           Compiler.getSourceManager().isInSystemHeader(F->getLocation());
  }
  void HandleTranslationUnit(ASTContext& Context) override { DeclarationUnifier{Context}; }

private:
  CompilerInstance &Compiler;
};

class KeepAction final : public ASTFrontendAction {
public:
  explicit KeepAction(std::function<void(CompilerInstance &)> Begin) : Begin(std::move(Begin)) {}

protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &Compiler, llvm::StringRef) override {
    return std::make_unique<SkimmingConsumer>(Compiler);
  }
  bool BeginSourceFileAction(CompilerInstance &Compiler) override {
    Begin(Compiler);
    return true;
  }

private:
  std::function<void(CompilerInstance &)> Begin;
};

/// The last header that is included before the user's own -include files.
constexpr llvm::StringLiteral LastHeader = "gpurma/annotate.h";

/// Defines macros of one letter from the command line (-DN=1024) behind the headers that are included before the source: those
/// of CUDA that Clang's own wrapper includes, and nvcc does not, have parameters and template parameters of such names.
void defineLettersBehindHeaders(Preprocessor &PP) {
  llvm::SmallVector<llvm::StringRef, 0> Lines;
  llvm::StringRef(PP.getPredefines()).split(Lines, '\n');
  std::string Predefines, Letters;
  for (llvm::StringRef Line : Lines) {
    llvm::StringRef Name = Line;
    bool IsLetter = (Name.consume_front("#define ") || Name.consume_front("#undef ")) && !Name.empty() && isUppercase(Name[0]) &&
                    (Name.size() == 1 || !isAsciiIdentifierContinue(Name[1]));
    (IsLetter ? Letters : Predefines) += (Line + "\n").str();
    if (Line == ("#include \"" + LastHeader + "\"").str()) {
      Predefines += Letters;
      Letters.clear();
    }
  }
  PP.setPredefines(Predefines + Letters);
}

/// The places of gpurma pragmas, found without parsing.
class PlaceHandler final : public clang::PragmaHandler {
public:
  PlaceHandler(std::set<std::pair<std::string, unsigned>> &Places) : clang::PragmaHandler("gpurma"), Places(Places) {}
  void HandlePragma(Preprocessor &PP, PragmaIntroducer Introducer, Token &) override {
    SourceManager &Sources = PP.getSourceManager();
    auto [File, Offset] = Sources.getDecomposedExpansionLoc(Introducer.Loc);
    Places.insert({fileName(File, Sources), Offset});
    PP.DiscardUntilEndOfDirective();
  }

private:
  std::set<std::pair<std::string, unsigned>> &Places;
};

class PlaceAction final : public PreprocessOnlyAction {
public:
  explicit PlaceAction(std::set<std::pair<std::string, unsigned>> &Places) : Places(Places) {}

protected:
  bool BeginSourceFileAction(CompilerInstance &Compiler) override {
    defineLettersBehindHeaders(Compiler.getPreprocessor());
    Compiler.getPreprocessor().AddPragmaHandler(new PlaceHandler(Places));
    return true;
  }

private:
  std::set<std::pair<std::string, unsigned>> &Places;
};

std::vector<std::string> clangArguments(const LowerOptions &Options, ParseSide Side) {
  std::vector<std::string> Args = {GPURMA_CLANG_EXECUTABLE, "-resource-dir", GPURMA_CLANG_RESOURCE_DIR, "-fsyntax-only",
                                   "-Qunused-arguments", "-Xclang", "-fcuda-allow-variadic-functions", "-DGPURMA_PARSE=1"};
  auto Add = [&](std::initializer_list<std::string> More) { Args.insert(Args.end(), More); };
  if (Side == ParseSide::Cpu) {
    Add({"--cuda-host-only", "-nocudainc", "-nocudalib", "-DGPURMA_TARGET_CPU=1", "-D__GPURMA_CPU__=1", "-isystem",
         Options.Prefix + "/lib/gpurma/cuda_shim"});
  } else {
    Add({Side == ParseSide::CudaHost ? "--cuda-host-only" : "--cuda-device-only", "--cuda-path=" + Options.CudaPath,
         "--cuda-gpu-arch=" + Options.GpuArch, "-nocudalib", "-Wno-unknown-cuda-version", "-DGPURMA_TARGET_CUDA=1", "-isystem",
         Options.Prefix + "/lib/gpurma/clang_shim", "-isystem", Options.CudaPath + "/include/cccl"});
  }
  if (Options.Check)
    Add({"-DGPURMA_CHECK=1"});
  // Before the user's own -include files, which may hold directives.
  Add({"-isystem", Options.Prefix + "/include", "-include", "gpurma/gpurma.h"});
  if (Side != ParseSide::Cpu)
    Add({"-include", "managed_variables.h", "-include", "cached_accesses.h"});
  Add({"-include", LastHeader.str()});
  for (const std::string &Arg : Options.ParseArgs)
    // Warnings of Clang are not shown, so none may stop the parse; -Werror applies to gpurma's own (see Diagnostics).
    if (!llvm::StringRef(Arg).starts_with("-Werror") && Arg != "-pedantic-errors")
      Args.push_back(Arg);
  Add({"-x", "cuda", "--", Options.Input});
  return Args;
}

/// Null if the arguments are wrong; Clang's driver has said so then.
std::unique_ptr<CompilerInvocation> makeInvocation(const std::vector<std::string> &Args) {
  std::vector<const char *> Pointers;
  for (const std::string &Arg : Args)
    Pointers.push_back(Arg.c_str());
  IntrusiveRefCntPtr<DiagnosticOptions> DriverOptions = new DiagnosticOptions;
  DriverOptions->ShowColors = llvm::sys::Process::StandardErrHasColors();
  CreateInvocationOptions Options;
  Options.Diags = CompilerInstance::createDiagnostics(DriverOptions.get(), new TextDiagnosticPrinter(llvm::errs(), DriverOptions.get()));
  Options.Diags->setSuppressAllDiagnostics(false);
  Options.Diags->setIgnoreAllWarnings(true);
  return clang::createInvocation(Pointers, std::move(Options));
}

bool wantsColors(const std::vector<std::string> &Args) {
  bool Colors = llvm::sys::Process::StandardErrIsDisplayed() && llvm::sys::Process::StandardErrHasColors();
  for (llvm::StringRef Arg : Args) {
    if (Arg == "-fcolor-diagnostics" || Arg == "-fdiagnostics-color" || Arg == "-fdiagnostics-color=always")
      Colors = true;
    else if (Arg == "-fno-color-diagnostics" || Arg == "-fno-diagnostics-color" || Arg == "-fdiagnostics-color=never")
      Colors = false;
  }
  return Colors;
}

} // namespace

Parse::Parse(const LowerOptions &Options, ParseSide Side, DiagnosticSink &Sink, const ReplacedFiles &Replaced)
    : Options(Options), Side(Side), Sink(Sink), Replaced(Replaced) {}

Parse::~Parse() {
  if (Action)
    Action->EndSourceFile();
}

std::shared_ptr<CompilerInvocation> Parse::createInvocation(const std::vector<std::string> &Args) const {
  std::shared_ptr<CompilerInvocation> Invocation = makeInvocation(Args);
  if (Invocation)
    for (const auto &[File, Text] : Replaced)
      Invocation->getPreprocessorOpts().addRemappedFile(File, llvm::MemoryBuffer::getMemBuffer(Text, File).release());
  return Invocation;
}

bool Parse::run() {
  std::shared_ptr<CompilerInvocation> Invocation = createInvocation(clangArguments(Options, Side));
  if (!Invocation) {
    ++Sink.Errors;
    return false;
  }
  // Clang's driver leaves the device side's CUDA version out where no libdevice is linked, and then launches look as of old.
  if (llvm::VersionTuple &Sdk = Invocation->getTargetOpts().SDKVersion; Side == ParseSide::CudaDevice && Sdk.empty())
    Sdk = llvm::VersionTuple(12, 5);
  Invocation->getFrontendOpts().DisableFree = false;
  Invocation->getFrontendOpts().SkipFunctionBodies = true; // where SkimmingConsumer says so
  Invocation->getDiagnosticOpts().ShowColors = wantsColors(Options.ParseArgs);
  Compiler.setInvocation(Invocation);
  Compiler.createDiagnostics(new ParseCallbacks(*this, &Invocation->getDiagnosticOpts()), /*ShouldOwnClient=*/true);
  bool WarningsAsErrors = false, NoWarnings = false;
  for (llvm::StringRef Arg : Options.ParseArgs) {
    if (Arg == "-Werror" || Arg == "-Wno-error")
      WarningsAsErrors = Arg == "-Werror";
    NoWarnings |= Arg == "-w";
  }
  Diags = std::make_unique<Diagnostics>(Compiler.getDiagnostics(), WarningsAsErrors, NoWarnings, Options.Remarks);
  if (!Compiler.createTarget())
    return false;
  FileCallbacks *Files = nullptr; // lives as long as the preprocessor
  auto Begin = [&](CompilerInstance &Compiler) {
    Preprocessor &PP = Compiler.getPreprocessor();
    defineLettersBehindHeaders(PP);
    PP.AddPragmaHandler(new gpurma::PragmaHandler(Directives, *Diags));
    auto Callbacks = std::make_unique<FileCallbacks>(Compiler.getSourceManager(), Inclusions, Dependencies, Compiler.getLangOpts(), *Diags);
    Files = Callbacks.get();
    PP.addPPCallbacks(std::move(Callbacks));
  };
  Action = std::make_unique<KeepAction>(Begin);
  if (!Action->BeginSourceFile(Compiler, Compiler.getFrontendOpts().Inputs.front())) {
    Action.reset();
    return false;
  }
  llvm::consumeError(Action->Execute());
  Skipped = Files->skipped();
  reportMisplaced();
  // A directive that cannot be read is missing among Directives, too.
  if (Side == ParseSide::Cpu && !Skipped.empty() && !Diags->hasErrors())
    reportDeviceOnly();
  return !Diags->hasErrors();
}

void Parse::reportMisplaced() {
  for (unsigned Id : Misplaced)
    Diags->report(Directives[Id].NameLoc, Diag::err_directive_not_statement) << spelling(Directives[Id].Kind);
}

/// Reports directives that appear once __CUDA_ARCH__ is defined: the CPU target would drop them silently.
void Parse::reportDeviceOnly() {
  std::vector<std::string> Args = clangArguments(Options, Side);
  Args.insert(Args.begin() + 1, "-D__CUDA_ARCH__=800");
  std::shared_ptr<CompilerInvocation> Invocation = createInvocation(Args);
  if (!Invocation)
    return;
  CompilerInstance Scanner;
  Scanner.setInvocation(Invocation);
  Scanner.createDiagnostics(new IgnoringDiagConsumer, /*ShouldOwnClient=*/true);
  std::set<std::pair<std::string, unsigned>> Places;
  PlaceAction Scan(Places);
  if (!Scanner.createTarget() || !Scan.BeginSourceFile(Scanner, Scanner.getFrontendOpts().Inputs.front()))
    return;
  llvm::consumeError(Scan.Execute());
  Scan.EndSourceFile();

  SourceManager &Sources = Compiler.getSourceManager();
  for (const Directive &D : Directives) {
    auto [File, Offset] = Sources.getDecomposedExpansionLoc(D.HashLoc);
    Places.erase({fileName(File, Sources), Offset});
  }
  for (const auto &[File, Offset] : Places) {
    auto Entry = Compiler.getFileManager().getOptionalFileRef(File);
    FileID Id = Entry ? Sources.translateFile(*Entry) : FileID();
    if (Id.isInvalid())
      continue;
    SourceLocation Loc = Sources.getComposedLoc(Id, Offset);
    llvm::StringRef Line = Sources.getBufferData(Id).substr(Offset);
    llvm::SmallVector<llvm::StringRef, 2> Match;
    static const llvm::Regex Name("gpurma[ \t]+([A-Za-z_]+)");
    if (Name.match(Line.take_until([](char C) { return C == '\n'; }), &Match))
      Diags->report(Loc, Diag::err_only_cuda_arch) << Match[1];
  }
}

} // namespace gpurma
