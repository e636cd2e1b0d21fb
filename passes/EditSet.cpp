// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EditSet.h"
#include "frontend/SourceText.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include <algorithm>

using namespace clang;

namespace gpurma {
namespace {

std::optional<FileRange> inOneFile(SourceLocation Begin, SourceLocation End, const SourceManager &Sources) {
  auto [BeginFile, BeginOffset] = Sources.getDecomposedLoc(Begin);
  auto [EndFile, EndOffset] = Sources.getDecomposedLoc(End);
  std::string File = fileName(BeginFile, Sources);
  if (BeginFile != EndFile || File.empty() || BeginOffset > EndOffset || Sources.isInSystemHeader(Begin))
    return std::nullopt;
  return FileRange{File, BeginOffset, EndOffset};
}

/// The macro invocation at \p Level that a token comes from; invalid if it is none.
SourceRange invocation(FileID Level, SourceLocation Loc, const SourceManager &Sources) {
  // Arguments are expanded first, so that an invocation in one comes before that of its macro.
  if (Loc.isMacroID() && Sources.getFileID(Loc) != Level && Sources.isMacroArgExpansion(Loc))
    if (const SourceLocation Spelled = Sources.getImmediateSpellingLoc(Loc); Spelled.isMacroID())
      if (const SourceRange Inner = invocation(Level, Spelled, Sources); Inner.isValid())
        return Inner;
  SourceRange Found(Loc);
  while (Sources.getFileID(Found.getBegin()) != Level) {
    if (Found.getBegin().isFileID())
      return {};
    Found = {Sources.getImmediateExpansionRange(Found.getBegin()).getBegin(), Sources.getImmediateExpansionRange(Found.getEnd()).getEnd()};
  }
  return Sources.getFileID(Loc) == Level ? SourceRange() : Found;
}

/// Where the body of the macro that is invoked at \p Level names the parameter for the argument that a token is written in; invalid if it is
/// written in none.
SourceLocation parameterOf(FileID Level, SourceLocation Loc, const SourceManager &Sources) {
  while (Loc.isMacroID() && Sources.getFileID(Loc) != Level) {
    const SourceLocation Named = Sources.getImmediateExpansionRange(Loc).getBegin();
    if (Sources.isMacroArgExpansion(Loc)) {
      const SourceLocation Spelled = Sources.getImmediateSpellingLoc(Loc);
      if (Sources.getFileID(Spelled) == Level)
        return Named;
      if (const SourceLocation Outer = parameterOf(Level, Spelled, Sources); Outer.isValid())
        return Outer;
    }
    Loc = Named;
  }
  return SourceLocation();
}

/// Where the bodies of macros name the parameters whose arguments a token has come through, the
/// outermost macro first.
std::vector<SourceLocation> parametersOf(SourceLocation Loc, const SourceManager& Sources) {
  std::vector<SourceLocation> Found;
  while (Loc.isMacroID()) {
    const SourceLocation Begin = Sources.getImmediateExpansionRange(Loc).getBegin();
    if (Sources.isMacroArgExpansion(Loc))
      Found.push_back(Begin);
    Loc = Sources.isMacroArgExpansion(Loc) ? Sources.getImmediateSpellingLoc(Loc) : Begin;
  }
  return Found;
}

} // namespace

SourceLocation raisedTo(FileID Level, SourceLocation Loc, bool AtEnd, const SourceManager &Sources) {
  if (Sources.getFileID(Loc) == Level)
    return Loc;
  if (Loc.isFileID())
    return SourceLocation();
  // An argument may itself be written at that level; else its parameter, or the invocation, is.
  if (Sources.isMacroArgExpansion(Loc))
    if (SourceLocation Written = raisedTo(Level, Sources.getImmediateSpellingLoc(Loc), AtEnd, Sources); Written.isValid())
      return Written;
  CharSourceRange Expansion = Sources.getImmediateExpansionRange(Loc);
  return raisedTo(Level, AtEnd ? Expansion.getEnd() : Expansion.getBegin(), AtEnd, Sources);
}

SourceLocation writtenAt(SourceLocation Loc, const SourceManager &Sources) {
  while (Loc.isMacroID() && Sources.isMacroArgExpansion(Loc))
    Loc = Sources.getImmediateSpellingLoc(Loc);
  return Loc;
}

std::optional<FileRange> fileRangeAt(FileID Level, SourceRange TokenRange, const SourceManager &Sources,
                                     const LangOptions &LangOpts) {
  SourceLocation Begin = raisedTo(Level, TokenRange.getBegin(), /*AtEnd=*/false, Sources);
  SourceLocation End = raisedTo(Level, TokenRange.getEnd(), /*AtEnd=*/true, Sources);
  if (Begin.isInvalid() || End.isInvalid())
    return std::nullopt;
  // What begins or ends in an argument and goes beyond it takes the whole invocation.
  const SourceRange First = invocation(Level, TokenRange.getBegin(), Sources), Last = invocation(Level, TokenRange.getEnd(), Sources);
  const SourceLocation Argument = parameterOf(Level, TokenRange.getBegin(), Sources);
  if (Argument.isInvalid() || Argument != parameterOf(Level, TokenRange.getEnd(), Sources)) {
    Begin = First.isValid() ? First.getBegin() : Begin;
    End = Last.isValid() ? Last.getEnd() : End;
  }
  End = Sources.getSpellingLoc(End);
  return inOneFile(Sources.getSpellingLoc(Begin),
                   End.getLocWithOffset(Lexer::MeasureTokenLength(End, Sources, LangOpts)), Sources);
}

std::optional<FileRange> beginningAt(FileID Level, SourceLocation First, SourceLocation Next,
                                     const SourceManager& Sources, const LangOptions& LangOpts) {
  const auto Macro = [&](SourceLocation Parameter) {
    return Sources.getImmediateExpansionRange(Parameter).getBegin();
  };
  const std::vector<SourceLocation> OfNext = parametersOf(Next, Sources);
  for (SourceLocation Parameter : parametersOf(First, Sources)) {
    if (llvm::is_contained(OfNext, Parameter))
      continue;
    // `kernel` in `kernel<<<grid, block>>>`, where the text at this level is a macro's body.
    if (Sources.getFileID(Parameter) == Level)
      break;
    if (llvm::any_of(OfNext,
                     [&](SourceLocation Other) { return Macro(Other) == Macro(Parameter); }))
      return std::nullopt;
    First = Macro(Parameter);
    break;
  }
  std::optional<FileRange> Token = fileRangeAt(Level, First, Sources, LangOpts);
  if (Token)
    Token->End = Token->Begin;
  return Token;
}

/// True for a token of the string of a _Pragma operator.
static bool inPragmaOperator(SourceLocation Loc, const SourceManager &Sources, const LangOptions &LangOpts) {
  if (!Loc.isMacroID() || !Sources.isWrittenInScratchSpace(Sources.getSpellingLoc(Loc)))
    return false;
  llvm::SmallString<16> Buffer;
  while (Loc.isMacroID()) {
    Loc = Sources.getImmediateExpansionRange(Loc).getBegin();
    if (Lexer::getSpelling(Sources.getSpellingLoc(Loc), Buffer, Sources, LangOpts) == "_Pragma")
      return true;
  }
  return false;
}

std::optional<FileRange> fileRange(SourceRange TokenRange, const SourceManager &Sources, const LangOptions &LangOpts) {
  if (inPragmaOperator(TokenRange.getBegin(), Sources, LangOpts))
    return std::nullopt;
  CharSourceRange InFile = Lexer::makeFileCharRange(CharSourceRange::getTokenRange(TokenRange), Sources, LangOpts);
  if (InFile.isValid())
    return inOneFile(InFile.getBegin(), InFile.getEnd(), Sources);
  // The innermost macro that spells both ends.
  for (SourceLocation Loc = TokenRange.getBegin(); Loc.isMacroID(); Loc = Sources.getImmediateExpansionRange(Loc).getBegin())
    if (auto Range = fileRangeAt(Sources.getFileID(Loc), TokenRange, Sources, LangOpts))
      return Range;
  return std::nullopt;
}

std::optional<FileRange> fileRangeInBody(const FunctionDecl *Function, SourceRange TokenRange) {
  const ASTContext &Context = Function->getASTContext();
  const SourceManager &Sources = Context.getSourceManager();
  return fileRangeAt(Sources.getFileID(Function->getBody()->getBeginLoc()), TokenRange, Sources, Context.getLangOpts());
}

std::optional<FileRange> wholeInBody(const FunctionDecl *Function, SourceRange TokenRange) {
  return isTextOfBody(Function, TokenRange) ? fileRangeInBody(Function, TokenRange) : std::nullopt;
}

bool isTextOfBody(const FunctionDecl *Function, SourceRange TokenRange) {
  const ASTContext &Context = Function->getASTContext();
  auto Range = [&](SourceRange Tokens) { return fileRange(Tokens, Context.getSourceManager(), Context.getLangOpts()); };
  std::optional<FileRange> Body = Range(Function->getBody()->getSourceRange()), Part = Range(TokenRange);
  return Body && Part && Body->File == Part->File && Body->Begin <= Part->Begin && Part->End <= Body->End;
}

void EditSet::add(const std::string &File, Edit E) {
  std::vector<Edit> &Edits = Files[File];
  if (llvm::is_contained(Edits, E))
    return;
  auto Encloses = [](const Edit &Outer, const Edit &Inner) {
    return Outer.Begin <= Inner.Begin && Inner.End <= Outer.End && Outer.Begin < Outer.End;
  };
  for (const Edit &Old : Edits) {
    bool Overlap = std::max(Old.Begin, E.Begin) < std::min(Old.End, E.End);
    if (!Overlap)
      continue;
    bool Nested = Encloses(Old, E) || Encloses(E, Old);
    bool SameRange = Old.Begin == E.Begin && Old.End == E.End;
    // Text that a replacement has taken is not edited any more: the edit would be lost.
    bool Late = !Old.IsWrap && Encloses(Old, E) && !(E.IsWrap && SameRange);
    if (!Nested || Late || (!Old.IsWrap && !E.IsWrap && SameRange))
      Conflict = File;
  }
  Edits.push_back(std::move(E));
}

void EditSet::replace(const FileRange &Range, std::string Text) {
  add(Range.File, {Range.Begin, Range.End, /*IsWrap=*/false, std::move(Text), {}});
}

void EditSet::wrap(const FileRange &Range, std::string Prefix, std::string Suffix) {
  add(Range.File, {Range.Begin, Range.End, /*IsWrap=*/true, std::move(Prefix), std::move(Suffix)});
}

std::string EditSet::text(const FileRange &Range, llvm::StringRef Source) const {
  std::vector<const Edit *> Within;
  if (auto It = Files.find(Range.File); It != Files.end())
    for (const Edit &E : It->second) {
      bool AtOpenEnd = E.Begin == E.End && E.Begin == Range.End && Range.End != Source.size();
      if (Range.Begin <= E.Begin && E.End <= Range.End && !AtOpenEnd)
        Within.push_back(&E);
    }
  // What lies strictly inside of a replacement is already in that replacement's text.
  auto Taken = [&](const Edit *E) {
    return llvm::any_of(Within, [&](const Edit *Outer) {
      if (Outer == E || Outer->IsWrap || Outer->Begin == Outer->End)
        return false;
      if (E->Begin == E->End)
        return Outer->Begin < E->Begin && E->Begin < Outer->End;
      bool SameRange = Outer->Begin == E->Begin && Outer->End == E->End;
      return Outer->Begin <= E->Begin && E->End <= Outer->End && !SameRange;
    });
  };
  llvm::erase_if(Within, Taken);

  // At one place: ends of wraps, the innermost first; insertions; beginnings of wraps, the outermost first; the replacement.
  struct Event {
    unsigned Place;
    int Class;
    long Order;
    const Edit *E;
  };
  std::vector<Event> Events;
  for (size_t I = 0; I < Within.size(); ++I) {
    const Edit *E = Within[I];
    long Size = E->End - E->Begin, Arrival = static_cast<long>(I), Many = static_cast<long>(Within.size());
    if (E->IsWrap) {
      Events.push_back({E->Begin, 2, -(Size * Many + Arrival), E});
      Events.push_back({E->End, 0, Size * Many + Arrival, E});
    } else {
      Events.push_back({E->Begin, E->Begin == E->End ? 1 : 3, Arrival, E});
    }
  }
  llvm::stable_sort(Events, [](const Event &A, const Event &B) {
    return std::tie(A.Place, A.Class, A.Order) < std::tie(B.Place, B.Class, B.Order);
  });
  std::string Out;
  unsigned Place = Range.Begin;
  for (const Event &Next : Events) {
    if (Next.Place > Place) {
      Out += Source.slice(Place, Next.Place);
      Place = Next.Place;
    }
    const std::string& Added = Next.Class == 0 ? Next.E->Suffix : Next.E->Text;
    const char Before = !Out.empty() ? Out.back() : Place != 0 ? Source[Place - 1] : '\0';
    if (Before == ':' && llvm::StringRef(Added).starts_with("::"))
      Out += ' '; // behind `default:`
    Out += Added;
    if (Next.Class == 3)
      Place = Next.E->End;
  }
  Out += Source.slice(std::min<size_t>(Place, Range.End), Range.End);
  return Out;
}

bool EditSet::isPartOfReplaced(const FileRange &Range) const {
  auto It = Files.find(Range.File);
  return It != Files.end() && llvm::any_of(It->second, [&](const Edit &E) {
           return !E.IsWrap && E.Begin <= Range.Begin && Range.End <= E.End && E.End - E.Begin > Range.End - Range.Begin;
         });
}

std::vector<std::string> EditSet::files() const {
  std::vector<std::string> Names;
  for (const auto &[Name, Edits] : Files)
    Names.push_back(Name);
  return Names;
}

} // namespace gpurma
