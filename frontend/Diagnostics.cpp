// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Diagnostics.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

using namespace clang;

namespace gpurma {
namespace {

struct TableEntry {
  unsigned Id;
  DiagnosticIDs::Level Severity;
  const char *Text;
};

constexpr TableEntry Table[] = {
#define GPURMA_DIAG(Name, Id, Severity, Text) {Id, DiagnosticIDs::Severity, Text},
#include "Diagnostics.def"
};

} // namespace

DiagnosticBuilder Diagnostics::report(SourceLocation Loc, Diag Which) {
  const TableEntry &Entry = Table[static_cast<unsigned>(Which)];
  DiagnosticIDs::Level Severity = Entry.Severity;
  // Clang maps severities of its own table only, so -Werror and -w are applied to ours here.
  if (Severity == DiagnosticIDs::Warning && WarningsAsErrors)
    Severity = DiagnosticIDs::Error;
  else if (Severity == DiagnosticIDs::Warning && NoWarnings)
    Severity = DiagnosticIDs::Ignored;
  else if (Severity == DiagnosticIDs::Remark && !Remarks)
    Severity = DiagnosticIDs::Ignored;
  std::string Text = Entry.Text;
  if (Severity != DiagnosticIDs::Note)
    llvm::raw_string_ostream(Text) << llvm::format(" [gpurma-%04u]", Entry.Id);
  return Engine.Report(Loc, Engine.getDiagnosticIDs()->getCustomDiagID(Severity, Text));
}

} // namespace gpurma
