// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GPURMA_FRONTEND_SOURCETEXT_H
#define GPURMA_FRONTEND_SOURCETEXT_H

#include "clang/AST/DeclBase.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Basic/SourceLocation.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace gpurma {

/// The name under which a file is known to edits and inclusions, whatever path led to it: its real path. Empty for what is no
/// file (predefined macros, the command line, pasted tokens).
std::string fileName(clang::FileEntryRef File);
std::string fileName(clang::FileID File, const clang::SourceManager &Sources);

/// Whether lines of the text are directives of the preprocessor.
bool holdsDirective(llvm::StringRef Text);

/// The text on one line: line continuations, line ends and comments become a space.
std::string onOneLine(llvm::StringRef Text, const clang::LangOptions &LangOpts);

/// What the user wrote for a token range, on one line; none if the range is not whole in a file (it
/// begins or ends within a macro expansion, or comes from _Pragma), or if a directive of the
/// preprocessor stands in it.
std::optional<std::string> spelledText(clang::SourceRange TokenRange, const clang::SourceManager &Sources,
                                       const clang::LangOptions &LangOpts);

/// A directive in a text: `#pragma gpurma` up to the end of its line, or `_Pragma("gpurma ...")`.
struct DirectiveText {
  size_t Begin, End;
  bool IsOperator;
};

/// The directives of a text, found without regard to the preprocessor's conditions and macros.
std::vector<DirectiveText> directivesIn(llvm::StringRef Text, const clang::LangOptions &LangOpts);

/// True for a declaration that no pass need look into, since all of it stands in a system header. An instantiation has the place
/// of its pattern.
bool isOfSystemHeader(const clang::Decl &D, const clang::SourceManager &Sources);

/// The 32-bit FNV-1a hash by which run-time messages know a file.
uint32_t fileHash(llvm::StringRef Name);

/// "file.cu:12", as in what --gpurma-print-after shows; the place of a macro is where it is used.
std::string fileAndLine(clang::SourceLocation Loc, const clang::SourceManager &Sources);

/// "::gpurma::site{0x1234abcdu, 12}" for the place of a directive.
std::string siteText(clang::SourceLocation Loc, const clang::SourceManager &Sources);

/// As much of what the user wrote as a message shows.
std::string shortened(std::string Text);

/// The text as a C++ string literal, quotes included.
std::string stringLiteral(llvm::StringRef Text);

} // namespace gpurma

#endif // GPURMA_FRONTEND_SOURCETEXT_H
