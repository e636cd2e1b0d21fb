// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SourceText.h"
#include "clang/AST/Decl.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace gpurma {

std::string fileName(FileEntryRef File) {
  llvm::StringRef Real = File.getFileEntry().tryGetRealPathName();
  return Real.empty() ? File.getName().str() : Real.str();
}

std::string fileName(FileID File, const SourceManager &Sources) {
  OptionalFileEntryRef Entry = Sources.getFileEntryRefForID(File);
  return Entry ? fileName(*Entry) : std::string();
}

bool holdsDirective(llvm::StringRef Text) {
  llvm::SmallVector<llvm::StringRef, 8> Lines;
  Text.split(Lines, '\n');
  return llvm::any_of(llvm::drop_begin(Lines),
                      [](llvm::StringRef Line) { return Line.ltrim().starts_with("#"); });
}

std::string onOneLine(llvm::StringRef Text, const LangOptions &LangOpts) {
  if (!Text.contains('\n') && !Text.contains("/*") && !Text.contains("//"))
    return Text.str();
  std::string Buffer = Text.str(); // the lexer needs a terminating zero
  Lexer Lex(SourceLocation(), LangOpts, Buffer.data(), Buffer.data(), Buffer.data() + Buffer.size());
  std::string Line;
  Token T;
  for (bool AtEnd = false; !AtEnd;) {
    AtEnd = Lex.LexFromRawLexer(T); // true with the last token
    unsigned End = Lex.getCurrentBufferOffset();
    if (T.is(tok::eof))
      break;
    if (!Line.empty() && (T.hasLeadingSpace() || T.isAtStartOfLine()))
      Line += ' ';
    // A token may itself be continued over a line end.
    llvm::StringRef Spelling(Buffer.data() + End - T.getLength(), T.getLength());
    while (!Spelling.empty()) {
      auto [Before, After] = Spelling.split('\n');
      bool Continued = Before.size() < Spelling.size();
      Line += Continued ? Before.rtrim(" \t\r\\") : Before;
      Spelling = After;
    }
  }
  return Line;
}

std::optional<std::string> spelledText(SourceRange TokenRange, const SourceManager &Sources, const LangOptions &LangOpts) {
  CharSourceRange Range = Lexer::makeFileCharRange(CharSourceRange::getTokenRange(TokenRange), Sources, LangOpts);
  if (Range.isInvalid() || !Sources.getFileEntryForID(Sources.getFileID(Range.getBegin())))
    return std::nullopt;
  const llvm::StringRef Text = Lexer::getSourceText(Range, Sources, LangOpts);
  return holdsDirective(Text) ? std::nullopt : std::optional(onOneLine(Text, LangOpts));
}

std::vector<DirectiveText> directivesIn(llvm::StringRef Text, const LangOptions &LangOpts) {
  std::vector<DirectiveText> Found;
  if (!Text.contains("gpurma"))
    return Found;
  std::string Buffer = Text.str(); // the lexer needs a terminating zero
  Lexer Lex(SourceLocation(), LangOpts, Buffer.data(), Buffer.data(), Buffer.data() + Buffer.size());
  auto Is = [](const Token &T, llvm::StringRef Name) { return T.is(tok::raw_identifier) && T.getRawIdentifier() == Name; };
  Token Last[3]; // the tokens before T, the nearest last, and where they begin
  size_t Begins[3] = {};
  for (Token &Each : Last)
    Each.startToken();
  for (bool AtEnd = false; !AtEnd;) {
    Token T;
    AtEnd = Lex.LexFromRawLexer(T);
    size_t End = Lex.getCurrentBufferOffset(), Begin = End - T.getLength();
    if (Is(T, "gpurma") && Is(Last[2], "pragma") && Last[1].is(tok::hash) && Last[1].isAtStartOfLine()) {
      size_t LineEnd = Text.find('\n', End);
      while (LineEnd != llvm::StringRef::npos && Text.take_front(LineEnd).rtrim(" \t\r").ends_with("\\"))
        LineEnd = Text.find('\n', LineEnd + 1);
      Found.push_back({Begins[1], std::min(LineEnd, Text.size()), /*IsOperator=*/false});
    } else if (T.is(tok::r_paren) && tok::isStringLiteral(Last[2].getKind()) && Last[1].is(tok::l_paren) && Is(Last[0], "_Pragma") &&
               Text.slice(Begins[2], Begin).ltrim("LuU8R\"( \t").starts_with("gpurma")) {
      Found.push_back({Begins[0], End, /*IsOperator=*/true});
    }
    for (int I : {0, 1}) {
      Last[I] = Last[I + 1];
      Begins[I] = Begins[I + 1];
    }
    Last[2] = T;
    Begins[2] = Begin;
  }
  return Found;
}

bool isOfSystemHeader(const Decl &D, const SourceManager &Sources) {
  // A namespace may be opened in many files.
  const DeclContext *Parent = D.getDeclContext();
  return Parent && Parent->isTranslationUnit() && !llvm::isa<NamespaceDecl>(D) && D.getLocation().isValid() &&
         Sources.isInSystemHeader(D.getLocation());
}

uint32_t fileHash(llvm::StringRef Name) {
  uint32_t Hash = 2166136261u;
  for (unsigned char C : Name.bytes())
    Hash = (Hash ^ C) * 16777619u;
  return Hash;
}

std::string fileAndLine(SourceLocation Loc, const SourceManager &Sources) {
  PresumedLoc Place = Sources.getPresumedLoc(Sources.getFileLoc(Loc));
  return (llvm::sys::path::filename(Place.getFilename()) + ":" + llvm::Twine(Place.getLine())).str();
}

std::string siteText(SourceLocation Loc, const SourceManager &Sources) {
  PresumedLoc Place = Sources.getPresumedLoc(Sources.getSpellingLoc(Loc));
  std::string Text;
  llvm::raw_string_ostream(Text) << "::gpurma::site{" << llvm::format_hex(fileHash(Place.getFilename()), 10) << "u, "
                                 << Place.getLine() << "}";
  return Text;
}

std::string shortened(std::string Text) {
  constexpr size_t Shown = 60;
  return Text.size() > Shown ? Text.substr(0, Shown) + "..." : Text;
}

std::string stringLiteral(llvm::StringRef Text) {
  std::string Literal = "\"";
  for (char C : Text) {
    if (C == '"' || C == '\\')
      Literal += '\\';
    Literal += C;
  }
  return Literal + '"';
}

} // namespace gpurma
