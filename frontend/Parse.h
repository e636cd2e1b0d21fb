// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One parse of the user's translation unit with Clang, kept alive for the passes.
#ifndef GPURMA_FRONTEND_PARSE_H
#define GPURMA_FRONTEND_PARSE_H

#include "Diagnostics.h"
#include "Directive.h"
#include "Lowering.h"
#include "SourceText.h"
#include "clang/Basic/SourceLocation.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace gpurma {

enum class ParseSide { Cpu, CudaHost, CudaDevice };

/// One #include line that was followed, or one __has_include that has found its file.
struct Inclusion {
  /// Files by fileName(); the includer is empty for -include.
  std::string Includer, Included;
  /// The included file as the compiler found it.
  std::string IncludedName;
  clang::SourceLocation HashLoc;
  /// The text of the file name with its quotes or brackets, or the macro that stands for it.
  clang::CharSourceRange NameRange;
  /// The word include, include_next or import; of no meaning for __has_include.
  clang::SourceRange Keyword;
  bool Quoted = false;
  /// An #include_next, which searches from the folder of the file that it stands in.
  bool Next = false;
  /// An operator __has_include, not an #include line.
  bool IsQuestion = false;
  /// The #include stands in a system header.
  bool InSystemHeader = false;
};

/// What the parses of one translation unit report through: prints Clang's errors as Clang would, gpurma's diagnostics, and each
/// diagnostic once, even if both sides or several instantiations report it.
class DiagnosticSink {
public:
  /// True if this is the first time that this diagnostic is seen.
  bool first(const std::string &File, unsigned Offset, const std::string &Message) {
    return Seen.insert({File, Offset, Message}).second;
  }
  unsigned Errors = 0;
  /// Nothing is printed or counted.
  bool Silent = false;

private:
  std::set<std::tuple<std::string, unsigned, std::string>> Seen;
};

struct SkippedDirective {
  /// By fileName().
  std::string File;
  DirectiveText Text;
};

/// Other text that is parsed in place of a file's, by fileName().
using ReplacedFiles = std::map<std::string, std::string>;

class Parse {
public:
  /// The options, the sink and the files outlive the parse.
  Parse(const LowerOptions &Options, ParseSide Side, DiagnosticSink &Sink, const ReplacedFiles &Replaced);
  ~Parse();

  /// Parses the input. False if there were errors, which have been printed.
  bool run();

  clang::CompilerInstance &compiler() { return Compiler; }
  Diagnostics &diagnostics() { return *Diags; }
  std::deque<Directive> &directives() { return Directives; }
  const std::vector<Inclusion> &inclusions() const { return Inclusions; }
  const std::vector<Dependency> &dependencies() const { return Dependencies; }
  /// The directives of the user's files in sections that the parse has skipped each time that it has come by.
  const std::vector<SkippedDirective> &skipped() const { return Skipped; }
  ParseSide side() const { return Side; }

private:
  friend class ParseCallbacks;
  std::shared_ptr<clang::CompilerInvocation> createInvocation(const std::vector<std::string> &Args) const;
  void reportMisplaced();
  void reportDeviceOnly();

  const LowerOptions &Options;
  ParseSide Side;
  DiagnosticSink &Sink;
  const ReplacedFiles &Replaced;
  clang::CompilerInstance Compiler;
  std::unique_ptr<Diagnostics> Diags;
  std::unique_ptr<clang::FrontendAction> Action;
  std::deque<Directive> Directives;
  std::vector<Inclusion> Inclusions;
  std::vector<Dependency> Dependencies;
  std::set<unsigned> Misplaced;
  std::vector<SkippedDirective> Skipped;
};

} // namespace gpurma

#endif // GPURMA_FRONTEND_PARSE_H
