// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Diagnostics.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <set>
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
  if (Severity != DiagnosticIDs::Note) {
    finish();
    if (Severity != DiagnosticIDs::Ignored)
      Last = Loc;
  }
  std::string Text = Entry.Text;
  if (Severity != DiagnosticIDs::Note)
    llvm::raw_string_ostream(Text) << llvm::format(" [gpurma-%04u]", Entry.Id);
  return Engine.Report(Loc, Engine.getDiagnosticIDs()->getCustomDiagID(Severity, Text));
}

void Diagnostics::addCall(SourceRange Body, SourceLocation Call, std::string Function) {
  Calls.push_back({Body, Call, std::move(Function)});
}

bool Diagnostics::isWithin(SourceLocation Loc, SourceRange Text) const {
  const SourceManager &Sources = Engine.getSourceManager();
  return Sources.isPointWithin(Sources.getFileLoc(Loc), Sources.getFileLoc(Text.getBegin()), Sources.getFileLoc(Text.getEnd()));
}

bool Diagnostics::lastIsOutside(SourceRange Text) const { return Last.isValid() && !isWithin(Last, Text); }

void Diagnostics::finish() {
  std::vector<SourceLocation> Places;
  if (Last.isValid() && !Calls.empty())
    Places.push_back(Last);
  Last = SourceLocation();
  std::set<SourceLocation> Seen;
  const unsigned Note = Engine.getDiagnosticIDs()->getCustomDiagID(DiagnosticIDs::Note, Table[static_cast<unsigned>(Diag::note_called_here)].Text);
  for (size_t I = 0; I != Places.size(); ++I) {
    for (const CalledBody &C : Calls)
      if (isWithin(Places[I], C.Body) && Seen.insert(C.Call).second) {
        Engine.Report(C.Call, Note) << C.Function;
        Places.push_back(C.Call);
      }
  }
}

} // namespace gpurma
