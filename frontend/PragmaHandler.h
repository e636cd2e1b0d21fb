// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns `#pragma gpurma ...` into a Directive and a marker call.
#ifndef GPURMA_FRONTEND_PRAGMAHANDLER_H
#define GPURMA_FRONTEND_PRAGMAHANDLER_H

#include "Diagnostics.h"
#include "Directive.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/SmallVector.h"
#include <deque>

namespace gpurma {

/// Parses the clauses of each directive (grammar errors are reported here, at the token) and injects a call of the directive's
/// marker function. The handler runs while the parser looks ahead, so it resolves no names: types, values and placement
/// are checked on the AST.
///
/// All tokens that the handler makes up have the location of the directive's name, which no other token has. An error there
/// means that a statement cannot stand here; the parse reports it in the directive's terms.
class PragmaHandler : public clang::PragmaHandler {
public:
  PragmaHandler(std::deque<Directive> &Directives, Diagnostics &Diags)
      : clang::PragmaHandler("gpurma"), Directives(Directives), Diags(Diags) {}

  void HandlePragma(clang::Preprocessor &PP, clang::PragmaIntroducer Introducer, clang::Token &FirstToken) override;

private:
  std::deque<Directive> &Directives;
  Diagnostics &Diags;
  bool InDirective = false;
};

} // namespace gpurma

#endif // GPURMA_FRONTEND_PRAGMAHANDLER_H
