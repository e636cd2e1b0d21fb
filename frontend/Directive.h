// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The directive model: what a `#pragma gpurma` says (Directive, Clause, ClauseExpr) and where it appears in the AST (Marker).
//
// The pragma handler parses a directive's clauses into a Directive and leaves a marker call in the token stream,
//   #pragma gpurma put(src[lo:len]) to(r) at(w[off])   ->   ::gpurma_ann::put(7u, (src), (lo), (len), (r), (w), (off));
// so that Clang checks every expression. CollectDirectives finds the calls again: one Directive has one Marker for each
// function pattern and each template instantiation it is part of.
#ifndef GPURMA_FRONTEND_DIRECTIVE_H
#define GPURMA_FRONTEND_DIRECTIVE_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace gpurma {

/// Publish is spelled put, too: put(a : halo(n)) before a launch of a persistent region.
enum class DirectiveKind { Window, Put, Get, Notify, Wait, Test, Flush, Barrier, Persistent, Publish, Host };

enum class ClauseKind {
  Subject, // the parentheses right after the directive's own name: put(SRC[lo:len]), notify(RANK), test(FLAG), window(...)
  To,
  From,
  At,
  On,
  Notify,
  Tag,
  Count,
  Comm,
  Match,
  If,
  Distribute,
  Halo,
  Reduce,
  Map,
  Collect,
};

/// A clause argument that is a word of the language, not an expression.
enum class Keyword { None, Any, World, Device, Auto, Counter, Queue, Plus, Max, Min, Or, And, X, Y, Z };

llvm::StringRef spelling(DirectiveKind Kind);
/// "to", "from", ...; the empty string for ClauseKind::Subject, which is spelled as the directive's name.
llvm::StringRef spelling(ClauseKind Kind);
llvm::StringRef spelling(Keyword Word);

/// One expression of a clause.
struct ClauseExpr {
  /// Its tokens as the preprocessor delivered them: a token range that may begin or end inside a macro expansion.
  clang::SourceRange Range;
  /// The same on one line: as the user spelled it where the range is whole in the file, else the expanded tokens.
  std::string Text;
  /// Its argument index in the marker call.
  unsigned MarkerArg = 0;
};

/// One clause. What Exprs holds depends on the clause's form:
///   expression  to(r) from(r) on(w) tag(t) notify(t) count(n) if(c), subject of notify and test:   { expression }
///   section     subject of put, get, window:   { base, lower bound, length }; an absent lower bound has an empty Text and Range
///   element     at(w[off]):   { window, offset }
///   keyword     comm(...) match(...) tag(any) from(any):   {}
///   distribute(a, b : rows(ny, nx)):   { arrays, extents }
///   distribute(a, b : components(c), rows(ny, nx)):   { arrays, components, extents }
///   halo(a, b : n):                    { arrays, depth }
///   reduce(+ : *s, *t):                { scalars }, with the operation as the keyword
///   collect(a, b : n):                 { arrays, elements }
///   map(kernel : rows = y):            {}, with the dimension as the keyword and the kernel as the name
///   put(a, b : halo(n)) of a region:   { arrays, depth }
///   notify of such a put:              {}
struct Clause {
  ClauseKind Kind;
  clang::SourceLocation NameLoc, LParenLoc, RParenLoc;
  Keyword Word = Keyword::None;
  llvm::SmallVector<ClauseExpr, 3> Exprs;
  /// How many of Exprs stand before the ':' of distribute, halo, collect and a region's put.
  unsigned Left = 0;
  /// The one behind these is the number of components.
  bool HasComponents = false;
  std::string Name;
};

/// One `#pragma gpurma` line, as parsed once by one preprocessor run.
struct Directive {
  DirectiveKind Kind;
  /// First argument of its marker calls; unique in its Unit, in order of appearance.
  unsigned Id = 0;
  /// The `#` (or `_Pragma`), the directive's name, and the last token.
  clang::SourceLocation HashLoc, NameLoc, EndLoc;
  /// True when it was written as _Pragma("gpurma ...").
  bool FromPragmaOperator = false;
  /// The variable that a window directive declares.
  std::string WindowName;
  clang::SourceLocation WindowNameLoc;
  llvm::SmallVector<Clause, 4> Clauses;

  const Clause *find(ClauseKind Kind) const;
  /// The keyword of a clause, Keyword::None if the clause is absent or holds an expression.
  Keyword word(ClauseKind Kind) const;
  /// The I-th expression of a clause, null if the clause is absent, a keyword, or the expression was left out.
  const ClauseExpr *expr(ClauseKind Kind, unsigned I = 0) const;
};

/// Where the functions that marker calls call are declared: include/gpurma/annotate.h.
inline constexpr llvm::StringLiteral MarkerNamespace = "gpurma_ann";

/// True for one of these functions; false for null.
bool isMarkerFunction(const clang::NamedDecl *Function);

/// One appearance of a directive in the AST.
struct Marker {
  const Directive *Origin = nullptr;
  const clang::CallExpr *Call = nullptr;
  /// The function whose body holds it directly: a kernel, a __device__ function, or a lambda's call operator. Null outside
  /// of functions, which VerifyPlacement reports.
  const clang::FunctionDecl *Function = nullptr;
  /// The variable that a window directive declares in this appearance.
  const clang::VarDecl *Window = nullptr;
  /// True in the pattern of a template: types may depend on template parameters. Edits are made once, on the text; type
  /// questions are asked of the appearances for which this is false.
  bool Dependent = false;

  /// The expression as the user wrote it, without the implicit conversions and the parentheses that the marker call adds;
  /// null as in Directive::expr.
  const clang::Expr *expr(ClauseKind Kind, unsigned I = 0) const;
  const clang::Expr *argument(const ClauseExpr &E) const;
};

} // namespace gpurma

#endif // GPURMA_FRONTEND_DIRECTIVE_H
