// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Pipeline.h"
#include "frontend/Directives.h"
#include "frontend/SourceText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace gpurma {

std::vector<std::string> pipelineNames() {
  return {
#define GPURMA_PASS(Name) #Name,
#include "Passes.def"
  };
}

static std::vector<std::unique_ptr<Pass>> createPipeline() {
  std::vector<std::unique_ptr<Pass>> Passes;
#define GPURMA_PASS(Name) Passes.push_back(create##Name());
#include "Passes.def"
  return Passes;
}

bool runPipeline(Program &P, const std::function<void(const Pass &)> &After) {
  for (const std::unique_ptr<Pass> &Next : createPipeline()) {
    for (const std::unique_ptr<Unit> &U : P.Units)
      Next->run(*U, P);
    Next->finish(P);
    for (const std::unique_ptr<Unit> &U : P.Units)
      U->Diags->finish();
    if (llvm::any_of(P.Units, [](const std::unique_ptr<Unit> &U) { return U->Diags->hasErrors(); }))
      return false;
    After(*Next);
  }
  return true;
}

static void printClause(const Directive &D, const Clause &C, llvm::raw_ostream &Out) {
  if (C.Kind != ClauseKind::Subject)
    Out << ' ' << spelling(C.Kind);
  if (const ClauseRule *Rule = DirectiveClass::get(D.Kind).find(C.Kind); Rule && Rule->Bare)
    return;
  Out << '(';
  if (C.Kind == ClauseKind::Subject && D.Kind == DirectiveKind::Window)
    Out << D.WindowName << " = ";
  auto List = [&](size_t Begin, size_t End) {
    for (size_t I = Begin; I != End; ++I)
      Out << (I == Begin ? "" : ", ") << C.Exprs[I].Text;
  };
  bool Put = C.Kind == ClauseKind::Subject && D.Kind == DirectiveKind::Publish;
  if (C.Kind == ClauseKind::Distribute || C.Kind == ClauseKind::Halo || C.Kind == ClauseKind::Collect || Put) {
    bool Rows = C.Kind == ClauseKind::Distribute;
    unsigned Behind = C.Left + C.HasComponents;
    List(0, C.Left);
    if (C.HasComponents)
      Out << " : components(" << C.Exprs[C.Left].Text << "), rows(";
    else
      Out << (Rows ? " : rows(" : Put ? " : halo(" : " : ");
    List(Behind, C.Exprs.size());
    Out << (Rows || Put ? ")" : "");
  } else if (C.Kind == ClauseKind::Reduce) {
    Out << spelling(C.Word) << " : ";
    List(0, C.Exprs.size());
  } else if (C.Kind == ClauseKind::Map)
    Out << C.Name << " : rows = " << spelling(C.Word);
  else if (C.Word != Keyword::None)
    Out << spelling(C.Word);
  else if (C.Exprs.size() == 3)
    Out << C.Exprs[0].Text << '[' << C.Exprs[1].Text << ':' << C.Exprs[2].Text << ']';
  else if (C.Exprs.size() == 2)
    Out << C.Exprs[0].Text << '[' << C.Exprs[1].Text << ']';
  else if (C.Exprs.size() == 1)
    Out << C.Exprs[0].Text;
  Out << ')';
}

void printDirectives(const Program &P, llvm::raw_ostream &Out) {
  for (const std::unique_ptr<Unit> &U : P.Units) {
    Out << (U->Kind == UnitKind::Cpu        ? "// directives:\n"
            : U->Kind == UnitKind::CudaHost ? "// directives, host side:\n"
                                            : "// directives, device side:\n");
    for (const Directive &D : U->Directives) {
      Out << fileAndLine(D.NameLoc, U->sources()) << ':'
          << U->sources().getPresumedLoc(U->sources().getFileLoc(D.NameLoc)).getColumn() << ": " << spelling(D.Kind);
      for (const Clause &C : D.Clauses)
        printClause(D, C, Out);
      llvm::SmallVector<std::string, 4> In;
      for (const Marker &M : U->Markers)
        if (M.Origin == &D && M.Function) {
          std::string Name = M.Function->getQualifiedNameAsString();
          if (!llvm::is_contained(In, Name))
            In.push_back(std::move(Name));
        }
      if (!In.empty())
        Out << " in " << llvm::join(In, ", ");
      Out << '\n';
    }
  }
}

} // namespace gpurma
