// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The directives of the language, one class each: which clauses it takes, and which types and values they may have.
#ifndef GPURMA_FRONTEND_DIRECTIVES_H
#define GPURMA_FRONTEND_DIRECTIVES_H

#include "Diagnostics.h"
#include "Directive.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace gpurma {

/// What stands between the parentheses of a clause.
enum class ClauseForm {
  None,        // nothing, not even parentheses
  Expression,  // tag(t)
  Section,     // put(base[first : count])
  Element,     // at(w[offset])
  Declaration, // window(name = base[first : count])
  Comm,        // comm(world|device)
  Match,       // match(auto|counter|queue)
  Distribute,  // distribute(a, b : rows(ny, nx)), distribute(a, b : components(c), rows(ny, nx))
  Counted,     // halo(a, b : n), collect(a, b : n)
  Reduce,      // reduce(+ : *s, *t)
  Map,         // map(kernel : rows = x|y|z)
  Published,   // put(a, b : halo(n))
};

struct ClauseRule {
  ClauseKind Kind;
  bool Required = false;
  /// The clause accepts the wildcard 'any'.
  bool Wildcard = false;
  /// The clause may be written several times.
  bool Repeats = false;
  /// The clause is a word without parentheses.
  bool Bare = false;
};

ClauseForm formOf(ClauseKind Kind);

/// Checks the types and constant values of one marker's clauses and reports what is wrong. Questions about dependent types have
/// no answer and report nothing; they are asked again of each instantiation.
class ClauseChecker {
public:
  ClauseChecker(const Marker &M, clang::ASTContext &Context, Diagnostics &Diags) : M(M), Context(Context), Diags(Diags) {}

  void rank(ClauseKind Kind);
  void tag(ClauseKind Kind);
  void count();
  void condition();
  void flag();
  void window(ClauseKind Kind);
  /// The base, first and count of the directive's section. \p Written: the directive writes to the section.
  void section(bool Written);
  /// at(w[off]) and that the window's elements are the section's.
  void element();
  /// The section of a window declaration.
  void windowBase();
  /// distribute, halo, collect and reduce of a region.
  void region();
  /// The arrays and the depth of a put in a region.
  void published();

private:
  void distributed(const clang::Expr *Array, bool Collected);
  clang::QualType sectionElement(const clang::Expr *&Base);
  bool integer(ClauseKind Kind, unsigned I);
  void notNegative(ClauseKind Kind, unsigned I, Diag Which);
  std::string clauseName(ClauseKind Kind) const;

  const Marker &M;
  clang::ASTContext &Context;
  Diagnostics &Diags;
};

class DirectiveClass {
public:
  virtual ~DirectiveClass() = default;
  virtual DirectiveKind kind() const = 0;
  /// The form of the parentheses after the directive's name.
  virtual ClauseForm subject() const = 0;
  virtual llvm::ArrayRef<ClauseRule> clauses() const = 0;
  virtual void check(ClauseChecker &) const = 0;

  llvm::StringRef name() const { return spelling(kind()); }
  const ClauseRule *find(ClauseKind Kind) const;

  /// All directives, in the order of DirectiveKind.
  static llvm::ArrayRef<const DirectiveClass *> all();
  /// The first of the name; what stands in its parentheses tells a region's put from a kernel's.
  static const DirectiveClass *find(llvm::StringRef Name);
  static const DirectiveClass &get(DirectiveKind Kind);
};

/// True for gpurma::window, the template and its specializations.
bool isWindowClass(const clang::CXXRecordDecl *Class);

/// T if \p Type is gpurma::window<T> (or a reference to it), else a null type.
clang::QualType windowElement(clang::QualType Type);

/// The value of an integer constant expression that does not name one of gpurma's own constants (null_rank, any_tag ...).
std::optional<llvm::APSInt> userConstant(const clang::Expr *E, const clang::ASTContext &Context);

} // namespace gpurma

#endif // GPURMA_FRONTEND_DIRECTIVES_H
