// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// VerifyLowered: nothing of the annotation language may be left where the backend compiles it; it
// would be ignored without a word, and the program would hang or be wrong. Lexes the text of every
// file as it will be written.
//
// A directive that no parse has seen (in an #if that is false on both sides) is not its business: the
// lowering makes an error for the backend of it.
//
// Before:  a lowered file that still holds `#pragma gpurma barrier` in live code
// After:   error: '#pragma gpurma' is left in the lowered text of 'user.cu', line 12 [gpurma-0120]
#include "frontend/SourceText.h"
#include "passes/Pass.h"

#include "clang/Lex/Lexer.h"
#include "llvm/Support/Path.h"

#include <map>
#include <set>

using namespace clang;

namespace gpurma {
namespace {

/// What is left of the language in a text: its spelling and line.
struct LeftOver {
  std::string Spelling;
  unsigned Line;
};

std::vector<LeftOver> findLeftOvers(StringRef Text, const LangOptions &LangOpts) {
  std::vector<LeftOver> Found;
  // Generated functions come with #line behind them.
  auto LineOf = [&](size_t Offset) {
    StringRef Before = Text.take_front(Offset);
    constexpr llvm::StringLiteral Mark = "\n#line ";
    unsigned Line = 1;
    if (size_t Last = Before.rfind(Mark); Last != StringRef::npos) {
      Before = Before.drop_front(Last + Mark.size());
      Before.consumeInteger(10, Line);
      Before = Before.split('\n').second;
    }
    return static_cast<unsigned>(Before.count('\n')) + Line;
  };
  for (const DirectiveText &D : directivesIn(Text, LangOpts))
    Found.push_back({D.IsOperator ? "_Pragma(\"gpurma ...\")" : "#pragma gpurma", LineOf(D.Begin)});
  Lexer Lex(SourceLocation(), LangOpts, Text.begin(), Text.begin(), Text.end());
  for (bool AtEnd = !Text.contains(MarkerNamespace); !AtEnd;) {
    Token T;
    AtEnd = Lex.LexFromRawLexer(T);
    if (T.is(tok::raw_identifier) && T.getRawIdentifier() == MarkerNamespace)
      Found.push_back({MarkerNamespace.str(), LineOf(Lex.getCurrentBufferOffset() - T.getLength())});
  }
  return Found;
}

class VerifyLowered : public Pass {
public:
  llvm::StringRef name() const override { return "VerifyLowered"; }
  bool editsText() const override { return true; }

  void run(Unit &U, Program &) override {
    for (const Directive &D : U.Directives) {
      SourceLocation Hash = U.sources().getSpellingLoc(D.HashLoc);
      FileID File = U.sources().getFileID(Hash);
      std::string Name = fileName(File, U.sources());
      if (!Name.empty())
        Places[Name].emplace(U.sources().getLineNumber(File, U.sources().getFileOffset(Hash)),
                             At{&U, Hash});
    }
  }

  void finish(Program &P) override {
    for (const auto &[File, Lines] : Places) {
      const At &First = Lines.begin()->second;
      StringRef Source =
          First.In->sources().getBufferData(First.In->sources().getFileID(First.Hash));
      std::string Text = P.Edits.text({File, 0, static_cast<unsigned>(Source.size())}, Source);
      for (const LeftOver &L : findLeftOvers(Text, First.In->context().getLangOpts())) {
        auto Here = Lines.find(L.Line);
        bool IsMarker = L.Spelling == MarkerNamespace;
        if (Here == Lines.end() && !IsMarker)
          continue;
        const At &Where = Here == Lines.end() ? First : Here->second;
        Where.In->Diags->report(Where.Hash, Diag::err_left_over)
            << L.Spelling << llvm::sys::path::filename(File) << L.Line;
      }
    }
  }

private:
  struct At {
    Unit *In;
    SourceLocation Hash;
  };
  /// File and line of every directive that a parse has seen. Lowering keeps lines.
  std::map<std::string, std::map<unsigned, At>> Places;
};

} // namespace

std::unique_ptr<Pass> createVerifyLowered() { return std::make_unique<VerifyLowered>(); }

} // namespace gpurma
