// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edits of source text, collected from all parses of a translation unit and applied once.
#ifndef GPURMA_PASSES_EDITSET_H
#define GPURMA_PASSES_EDITSET_H

#include "clang/Basic/SourceLocation.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Basic/LangOptions.h"
#include "llvm/ADT/StringRef.h"
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class FunctionDecl;
}

namespace gpurma {

/// A contiguous piece of one file: bytes [Begin, End).
struct FileRange {
  std::string File; // as fileName() names it (frontend/SourceText.h)
  unsigned Begin = 0, End = 0;
};

/// Where the text of a token range stands: in the file if it stands there as a whole, else in the body of the one macro that
/// spells all of it. None if it is spelled partly in a macro and partly outside, or by a macro of a system header (report
/// err_edit_not_in_file then).
std::optional<FileRange> fileRange(clang::SourceRange TokenRange, const clang::SourceManager &Sources,
                                   const clang::LangOptions &LangOpts);

/// The location that stands for \p Loc in the text of \p Level, a file or one macro's expansion: the macro invocation (its first
/// token, or at the end its last), or the parameter through which it came. Invalid if there is none.
clang::SourceLocation raisedTo(clang::FileID Level, clang::SourceLocation Loc, bool AtEnd, const clang::SourceManager &Sources);

/// Where a token that came through macro arguments is written: a file or the body of a macro.
clang::SourceLocation writtenAt(clang::SourceLocation Loc, const clang::SourceManager &Sources);

/// The text of a token range as it stands at \p Level.
std::optional<FileRange> fileRangeAt(clang::FileID Level, clang::SourceRange TokenRange, const clang::SourceManager &Sources,
                                     const clang::LangOptions &LangOpts);

/// Where, at \p Level, text begins that has one token and then another: before the invocation of a
/// macro if the first one alone is in its argument. None if both are in arguments of one
/// invocation.
std::optional<FileRange> beginningAt(clang::FileID Level, clang::SourceLocation First,
                                     clang::SourceLocation Next,
                                     const clang::SourceManager& Sources,
                                     const clang::LangOptions& LangOpts);

/// The text of a token range as it stands in the file in which the body of a function begins.
std::optional<FileRange> fileRangeInBody(const clang::FunctionDecl *Function, clang::SourceRange TokenRange);

/// The same; none if a macro has something else, too.
std::optional<FileRange> wholeInBody(const clang::FunctionDecl *Function, clang::SourceRange TokenRange);

/// Whether the text of a token range is a part of a function's body, and not of a macro's.
bool isTextOfBody(const clang::FunctionDecl *Function, clang::SourceRange TokenRange);

/// The edits of a program. Files are keyed by name, so host and device parses and repeated inclusions meet; an edit that is
/// already there is not added again. Edits may nest: the outer one of two replacements asks text() for what it keeps.
class EditSet {
public:
  /// Replaces the range by \p Text. An empty range inserts; several insertions at one place stay in order of arrival.
  void replace(const FileRange &Range, std::string Text);
  /// Puts \p Prefix before and \p Suffix after the range. Wraps nest by their ranges, whatever their order of arrival; wraps of
  /// the same range nest in order of arrival, the first innermost.
  void wrap(const FileRange &Range, std::string Prefix, std::string Suffix);

  /// The text of a range of \p Source (the file's original content) with all edits made so far that lie within it.
  std::string text(const FileRange &Range, llvm::StringRef Source) const;

  /// Whether other text stands for something of which the range is a part.
  bool isPartOfReplaced(const FileRange &Range) const;

  std::vector<std::string> files() const;
  /// The file that holds replacements that overlap without nesting, or replace one range by two texts; none if all is well.
  std::optional<std::string> conflict() const { return Conflict; }

private:
  struct Edit {
    unsigned Begin, End;
    bool IsWrap;
    std::string Text, Suffix;
    bool operator==(const Edit &) const = default;
  };
  void add(const std::string &File, Edit E);

  std::map<std::string, std::vector<Edit>> Files;
  std::optional<std::string> Conflict;
};

} // namespace gpurma

#endif // GPURMA_PASSES_EDITSET_H
