// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gpurma's diagnostics: the table is Diagnostics.def, the road is Clang's DiagnosticsEngine.
#ifndef GPURMA_FRONTEND_DIAGNOSTICS_H
#define GPURMA_FRONTEND_DIAGNOSTICS_H

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace gpurma {

enum class Diag {
#define GPURMA_DIAG(Name, Id, Severity, Text) Name,
#include "Diagnostics.def"
};

/// Emits gpurma's diagnostics for one parse. The text of each ends in its stable id, [gpurma-0012]; notes carry none.
class Diagnostics {
public:
  /// \p WarningsAsErrors: the user asked for -Werror. \p NoWarnings: the user asked for -w. \p Remarks: for -Rgpurma.
  Diagnostics(clang::DiagnosticsEngine &Engine, bool WarningsAsErrors, bool NoWarnings, bool Remarks = false)
      : Engine(Engine), WarningsAsErrors(WarningsAsErrors), NoWarnings(NoWarnings), Remarks(Remarks) {}

  /// Use as Clang's own: `Diags.report(Loc, Diag::err_x) << Arg << Range << FixItHint::...;`. A note belongs to the
  /// diagnostic reported before it.
  clang::DiagnosticBuilder report(clang::SourceLocation Loc, Diag Which);

  /// What is reported in this body from now on is followed by notes that say where the function is called.
  void addCall(clang::SourceRange Body, clang::SourceLocation Call, std::string Function);
  /// The notes of the last diagnostic, which else come with the next one.
  void finish();

  /// Whether the last diagnostic, if there is one, is elsewhere than in this text.
  bool lastIsOutside(clang::SourceRange Text) const;

  /// True once an error of anyone (Clang's or ours) has been reported for this parse.
  bool hasErrors() const { return Engine.hasErrorOccurred(); }

private:
  struct CalledBody {
    clang::SourceRange Body;
    clang::SourceLocation Call;
    std::string Function;
  };

  bool isWithin(clang::SourceLocation Loc, clang::SourceRange Text) const;

  clang::DiagnosticsEngine &Engine;
  bool WarningsAsErrors, NoWarnings, Remarks;
  std::vector<CalledBody> Calls;
  clang::SourceLocation Last;
};

} // namespace gpurma

#endif // GPURMA_FRONTEND_DIAGNOSTICS_H
