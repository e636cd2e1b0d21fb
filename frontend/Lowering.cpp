// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowering.h"
#include "Parse.h"
#include "SourceText.h"
#include "passes/NamedLambdas.h"
#include "passes/Pipeline.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <map>
#include <set>

using namespace clang;

namespace gpurma {
namespace {

class Lowering {
public:
  Lowering(const LowerOptions &Options, llvm::raw_ostream &Out) : Options(Options), Out(Out), P(Options) {}

  LowerResult run() {
    LowerResult Result;
    Result.Success = parse(Parses) && parseNamedLambdas() && passes() && shadowHeaders();
    for (const std::unique_ptr<Parse> &Each : Parses)
      for (const Dependency &D : Each->dependencies())
        if (llvm::none_of(Result.Dependencies, [&](const Dependency &Known) { return Known.Path == D.Path; }))
          Result.Dependencies.push_back(D);
    if (Result.Success) {
      // Where kernels in headers read, which --gpurma-check says.
      for (const std::string &File : Shadowed)
        SourceNames.insert(NameOf[File]);
      Result.MainText = marked(Options.Input, P.edited(MainFile));
      if (std::string End = epilogue(); !End.empty()) {
        if (!llvm::StringRef(Result.MainText).ends_with("\n"))
          Result.MainText += '\n';
        Result.MainText += End + '\n';
      }
      Result.HasRankKernels = !P.RankKernels.empty() || P.HasRegions;
      Result.HasRegions = P.HasRegions;
      Result.Regions = P.Regions;
      Result.CallsHostConstexpr = P.CallsHostConstexpr;
      for (const std::string &File : Shadowed)
        Result.Shadows.push_back({File, shadowPath(File), marked(NameOf[File], P.edited(File))});
    } else if (Sink.Errors) {
      llvm::errs() << Sink.Errors << (Sink.Errors == 1 ? " error generated.\n" : " errors generated.\n");
    }
    return Result;
  }

private:
  bool parse(std::vector<std::unique_ptr<Parse>> &Into) {
    std::vector<ParseSide> Sides = {ParseSide::Cpu};
    if (Options.Target == Target::CUDA)
      Sides = {ParseSide::CudaHost, ParseSide::CudaDevice};
    bool Good = true;
    for (ParseSide Side : Sides) {
      Into.push_back(std::make_unique<Parse>(Options, Side, Sink, Replaced));
      Good &= Into.back()->run();
    }
    return Good;
  }

  /// Parses once more where kernels get lambdas. If names clash behind that, lambdas stay as they are.
  bool parseNamedLambdas() {
    Parse &First = *Parses.front();
    EditSet Named;
    const bool HasRegions = llvm::any_of(First.directives(), [](const Directive &D) { return D.Kind == DirectiveKind::Persistent; });
    nameLambdas(HasRegions ? LambdasToName::All : LambdasToName::InLaunches, First.compiler().getASTContext(), Named);
    const SourceManager &Sources = First.compiler().getSourceManager();
    for (const std::string &File : Named.files()) {
      OptionalFileEntryRef Entry = First.compiler().getFileManager().getOptionalFileRef(File);
      llvm::StringRef Text = Sources.getBufferData(Sources.translateFile(*Entry));
      Replaced[File] = Named.text({File, 0, static_cast<unsigned>(Text.size())}, Text);
    }
    if (Replaced.empty())
      return true;
    std::vector<std::unique_ptr<Parse>> Again;
    Sink.Silent = true;
    if (parse(Again)) {
      Parses = std::move(Again);
    } else {
      Again.clear(); // they refer to the text
      Replaced.clear();
    }
    Sink.Silent = false;
    return true;
  }

  bool passes() {
    for (const std::unique_ptr<Parse> &Each : Parses) {
      auto U = std::make_unique<Unit>();
      U->Kind = Each->side() == ParseSide::Cpu        ? UnitKind::Cpu
                : Each->side() == ParseSide::CudaHost ? UnitKind::CudaHost
                                                      : UnitKind::CudaDevice;
      U->Compiler = &Each->compiler();
      U->Diags = &Each->diagnostics();
      U->Directives = std::move(Each->directives());
      for (const Directive &D : U->Directives) {
        PresumedLoc Place = U->sources().getPresumedLoc(U->sources().getSpellingLoc(D.HashLoc));
        SourceNames.insert(Place.getFilename());
      }
      P.Units.push_back(std::move(U));
    }
    SourceManager &Sources = P.Units.front()->sources();
    MainFile = fileName(Sources.getMainFileID(), Sources);
    bool Good = runPipeline(P, [&](const Pass &After) { print(After); });
    // Launches in functions of other files that regions call.
    for (const std::unique_ptr<Unit> &U : P.Units)
      for (const Region &R : U->Regions)
        for (const Stage &S : R.Stages)
          SourceNames.insert(U->sources().getPresumedLoc(U->sources().getSpellingLoc(S.location())).getFilename());
    if (Good)
      rejectSkipped();
    return Good;
  }

  /// Directives that no parse has seen: the backend, which may define other macros than Clang, must not drop them silently.
  void rejectSkipped() {
    std::map<std::pair<std::string, size_t>, std::pair<DirectiveText, size_t>> Times;
    for (const std::unique_ptr<Parse> &Each : Parses)
      for (const SkippedDirective &D : Each->skipped()) {
        auto &[Text, Count] = Times[{D.File, D.Text.Begin}];
        Text = D.Text;
        ++Count;
      }
    for (const auto &[Place, Found] : Times) {
      const auto &[Text, Count] = Found;
      const FileRange Range{Place.first, static_cast<unsigned>(Text.Begin), static_cast<unsigned>(Text.End)};
      // A region's text goes as a whole.
      if (Count != Parses.size() || P.Edits.isPartOfReplaced(Range))
        continue;
      const std::string Message = "\"gpurma: directive in a section that gpurmacc's parse skipped\"";
      std::string Rejection = Text.IsOperator ? "static_assert(false, " + Message + ");" : "#error " + Message;
      llvm::StringRef Source = P.source(Place.first);
      const char *LineEnd = Text.IsOperator ? "\\\n" : "\n";
      for (size_t Lines = Source.slice(Text.Begin, Text.End).count('\n'); Lines > 0; --Lines)
        Rejection += LineEnd;
      P.Edits.replace(Range, std::move(Rejection));
    }
  }

  void print(const Pass &After) {
    if (llvm::none_of(Options.PrintAfter, [&](const std::string &Name) { return Name == "all" || Name == After.name(); }))
      return;
    Out << "// after " << After.name() << '\n';
    if (After.editsText())
      Out << P.edited(MainFile);
    else
      After.print(P, Out);
    if (After.editsText())
      for (const std::string &File : P.Edits.files())
        if (File != MainFile)
          Out << "// after " << After.name() << ": " << llvm::sys::path::filename(File) << '\n' << P.edited(File);
  }

  /// Finds the headers that must be rewritten: those with edits and, up to the main file, those that include them.
  bool shadowHeaders() {
    std::vector<std::pair<Parse *, const Inclusion *>> Inclusions;
    for (const std::unique_ptr<Parse> &Each : Parses)
      for (const Inclusion &I : Each->inclusions())
        Inclusions.push_back({Each.get(), &I});
    for (const std::string &File : P.Edits.files())
      Shadowed.insert(File);
    for (const auto &[File, Text] : Replaced)
      Shadowed.insert(File);
    Shadowed.erase(MainFile);
    for (bool Grown = true; Grown;) {
      Grown = false;
      for (auto [From, I] : Inclusions)
        if (!I->IsQuestion && Shadowed.count(I->Included) && !I->Includer.empty() && I->Includer != MainFile && !I->InSystemHeader)
          Grown |= Shadowed.insert(I->Includer).second;
    }
    bool Good = true;
    for (auto [From, I] : Inclusions) {
      if (I->IsQuestion) {
        if (Shadowed.count(I->Includer))
          redirect(*From, *I, I->Included);
      } else if (Shadowed.count(I->Included)) {
        NameOf.insert({I->Included, I->IncludedName});
        if (I->Includer.empty()) {
          From->diagnostics().report({}, Diag::err_shadow_command_line) << I->IncludedName;
          Good = false;
        } else if (I->InSystemHeader) {
          From->diagnostics().report(I->HashLoc, Diag::err_system_header_edit)
              << ("the #include of '" + I->IncludedName + "'") << I->Includer;
          Good = false;
        } else {
          redirect(*From, *I, shadowPath(I->Included));
        }
      } else if (Shadowed.count(I->Includer) && (I->Quoted || I->Next)) {
        // The copy lies in another folder.
        redirect(*From, *I, I->Included);
      }
    }
    if (std::optional<std::string> File = P.Edits.conflict()) {
      P.Units.front()->Diags->report({}, Diag::err_internal_conflict) << *File;
      Good = false;
    }
    return Good;
  }

  void redirect(Parse &From, const Inclusion &I, const std::string &Path) {
    const SourceManager &Sources = From.compiler().getSourceManager();
    auto Place = [&](CharSourceRange Range) {
      // A macro may spell the name; the #include names the file itself then.
      CharSourceRange InFile = Sources.getExpansionRange(Range);
      InFile.setTokenRange(Range.isTokenRange() || Range.getBegin().isMacroID());
      InFile = Lexer::makeFileCharRange(InFile, Sources, From.compiler().getLangOpts());
      return FileRange{I.Includer, Sources.getFileOffset(InFile.getBegin()), Sources.getFileOffset(InFile.getEnd())};
    };
    P.Edits.replace(Place(I.NameRange), stringLiteral(Path));
    if (I.Next)
      P.Edits.replace(Place(CharSourceRange::getTokenRange(I.Keyword)), "include");
  }

  /// The header's absolute path below the shadow directory, so that no two headers meet there.
  std::string shadowPath(llvm::StringRef File) const {
    llvm::SmallString<256> Path(Options.ShadowDir);
    llvm::sys::path::append(Path, llvm::sys::path::relative_path(File));
    return std::string(Path);
  }

  /// Text with the name of its file. A byte order mark is one at the beginning only.
  static std::string marked(llvm::StringRef Name, llvm::StringRef Text) {
    Text.consume_front("\xEF\xBB\xBF");
    return "#line 1 " + stringLiteral(Name) + "\n" + Text.str();
  }

  std::string epilogue() const {
    std::vector<std::string> Parts = P.Epilogue;
    unsigned Number = 0;
    for (const std::string &Name : SourceNames) {
      std::string Part = "static const ::gpurma::source_file gpurma_source_file_" + std::to_string(Number++) + "(";
      llvm::raw_string_ostream(Part) << llvm::format_hex(fileHash(Name), 10) << "u, " << stringLiteral(Name) << ");";
      Parts.push_back(std::move(Part));
    }
    return llvm::join(Parts, " ");
  }

  const LowerOptions &Options;
  llvm::raw_ostream &Out;
  DiagnosticSink Sink;
  ReplacedFiles Replaced;
  std::vector<std::unique_ptr<Parse>> Parses; // the program's units live in them
  Program P;
  std::string MainFile;
  std::set<std::string> Shadowed;
  std::set<std::string> SourceNames;
  std::map<std::string, std::string> NameOf;
};

} // namespace

LowerResult lower(const LowerOptions &Options, llvm::raw_ostream &Out) { return Lowering(Options, Out).run(); }

std::vector<std::string> passNames() { return pipelineNames(); }

} // namespace gpurma
