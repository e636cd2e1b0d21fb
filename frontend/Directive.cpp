// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Directive.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace clang;

namespace gpurma {

llvm::StringRef spelling(DirectiveKind Kind) {
  switch (Kind) {
  case DirectiveKind::Window:
    return "window";
  case DirectiveKind::Put:
  case DirectiveKind::Publish:
    return "put";
  case DirectiveKind::Get:
    return "get";
  case DirectiveKind::Notify:
    return "notify";
  case DirectiveKind::Wait:
    return "wait";
  case DirectiveKind::Test:
    return "test";
  case DirectiveKind::Flush:
    return "flush";
  case DirectiveKind::Barrier:
    return "barrier";
  case DirectiveKind::Persistent:
    return "persistent";
  case DirectiveKind::Host:
    return "host";
  }
  llvm_unreachable("unknown directive kind");
}

llvm::StringRef spelling(ClauseKind Kind) {
  switch (Kind) {
  case ClauseKind::Subject:
    return "";
  case ClauseKind::To:
    return "to";
  case ClauseKind::From:
    return "from";
  case ClauseKind::At:
    return "at";
  case ClauseKind::On:
    return "on";
  case ClauseKind::Notify:
    return "notify";
  case ClauseKind::Tag:
    return "tag";
  case ClauseKind::Count:
    return "count";
  case ClauseKind::Comm:
    return "comm";
  case ClauseKind::Match:
    return "match";
  case ClauseKind::If:
    return "if";
  case ClauseKind::Distribute:
    return "distribute";
  case ClauseKind::Halo:
    return "halo";
  case ClauseKind::Reduce:
    return "reduce";
  case ClauseKind::Map:
    return "map";
  case ClauseKind::Collect:
    return "collect";
  }
  llvm_unreachable("unknown clause kind");
}

llvm::StringRef spelling(Keyword Word) {
  switch (Word) {
  case Keyword::None:
    return "";
  case Keyword::Any:
    return "any";
  case Keyword::World:
    return "world";
  case Keyword::Device:
    return "device";
  case Keyword::Auto:
    return "auto";
  case Keyword::Counter:
    return "counter";
  case Keyword::Queue:
    return "queue";
  case Keyword::Plus:
    return "+";
  case Keyword::Max:
    return "max";
  case Keyword::Min:
    return "min";
  case Keyword::Or:
    return "||";
  case Keyword::And:
    return "&&";
  case Keyword::X:
    return "x";
  case Keyword::Y:
    return "y";
  case Keyword::Z:
    return "z";
  }
  llvm_unreachable("unknown keyword");
}

const Clause *Directive::find(ClauseKind Kind) const {
  const Clause *It = llvm::find_if(Clauses, [&](const Clause &C) { return C.Kind == Kind; });
  return It == Clauses.end() ? nullptr : It;
}

Keyword Directive::word(ClauseKind Kind) const {
  const Clause *C = find(Kind);
  return C ? C->Word : Keyword::None;
}

const ClauseExpr *Directive::expr(ClauseKind Kind, unsigned I) const {
  const Clause *C = find(Kind);
  if (!C || I >= C->Exprs.size() || C->Exprs[I].Text.empty())
    return nullptr;
  return &C->Exprs[I];
}

bool isMarkerFunction(const NamedDecl *Function) {
  const auto *Space = Function ? llvm::dyn_cast<NamespaceDecl>(Function->getDeclContext()) : nullptr;
  return Space && Space->getName() == MarkerNamespace;
}

const Expr *Marker::expr(ClauseKind Kind, unsigned I) const {
  const ClauseExpr *E = Origin->expr(Kind, I);
  return E ? argument(*E) : nullptr;
}

const Expr *Marker::argument(const ClauseExpr &E) const {
  if (E.MarkerArg >= Call->getNumArgs())
    return nullptr;
  return Call->getArg(E.MarkerArg)->IgnoreUnlessSpelledInSource();
}

} // namespace gpurma
