// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/StageFunctions.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "passes/Kernels.h"
#include "clang/AST/PrettyPrinter.h"

using namespace clang;

namespace gpurma {
namespace {

/// Finds uses of a parameter, and those of them that read *p or p[0].
class ScalarReads : public DynamicRecursiveASTVisitor {
public:
  explicit ScalarReads(const ParmVarDecl* Parameter) : Parameter(Parameter) {}
  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    Uses += Ref->getDecl() == Parameter;
    return true;
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr* Cast) override {
    if (Cast->getCastKind() != CK_LValueToRValue)
      return true;
    Reads += pointerOf(Cast->getSubExpr()) == Parameter;
    return true;
  }
  unsigned Uses = 0, Reads = 0;

private:
  const ParmVarDecl* Parameter;
};

/// The first launch of the kernel, or of another instance of its template, of which that is true; null if there is none.
template <typename Predicate>
const Stage* findLaunch(const FunctionDecl* Kernel, const Unit& U, Predicate IsIt) {
  std::string Key = kernelPatternKey(Kernel, U.sources());
  for (const Region& R : U.Regions)
    for (const Stage& S : R.Stages)
      if (!R.isPattern() && S.Kernel && IsIt(S) && kernelPatternKey(S.Kernel, U.sources()) == Key)
        return &S;
  return nullptr;
}

} // namespace

bool readsOnlyScalar(const FunctionDecl* Kernel, const ParmVarDecl* Parameter) {
  ScalarReads Found(Parameter);
  Found.TraverseStmt(Kernel->getBody());
  return Found.Uses != 0 && Found.Uses == Found.Reads;
}

StageBarrier stageBarrier(const FunctionDecl* Kernel, ThreadMapping Threads, const Unit& U) {
  const auto NeedsStaying = [&](const Stage& S) {
    return S.WaitsForStaying || (S.Accesses.Threads == Threads && S.Accesses.FewerThreads && !hasWholeWarps(S.Accesses.LaunchedBlock));
  };
  if (findLaunch(Kernel, U, NeedsStaying))
    return StageBarrier::OfStaying;
  return hasFewerThreads(Kernel, Threads, U) ? StageBarrier::OfFirst : StageBarrier::OfRank;
}

bool hasFewerThreads(const FunctionDecl* Kernel, ThreadMapping Threads, const Unit& U) {
  return findLaunch(Kernel, U, [&](const Stage& S) { return S.Accesses.Threads == Threads && S.Accesses.FewerThreads; });
}

const RowLoop* rowLoopOf(const FunctionDecl* Kernel, const Unit& U) {
  const Stage* Found = findLaunch(Kernel, U, [](const Stage& S) { return S.Accesses.Loop.has_value(); });
  return Found ? &*Found->Accesses.Loop : nullptr;
}

const PartialBlocks* partialBlocksOf(const FunctionDecl* Kernel, const Unit& U) {
  const Stage* Found = findLaunch(Kernel, U, [](const Stage& S) { return S.Accesses.Threads == ThreadMapping::PartialBlocks; });
  return Found ? &Found->Accesses.Partial : nullptr;
}

const TileSums* tileSumsOf(const FunctionDecl* Kernel, ThreadMapping Threads, const Unit& U) {
  const Stage* Found = findLaunch(Kernel, U, [&](const Stage& S) { return S.Sums.any() && S.Accesses.Threads == Threads; });
  return Found ? &Found->Sums : nullptr;
}

std::string stageFunctionName(const FunctionDecl* Kernel, ThreadMapping Threads, bool Behind, Unit& U, Program& P) {
  const char* Tile = Threads == ThreadMapping::Blocks          ? "stage_"
                     : Threads == ThreadMapping::FixedRows     ? "rows_"
                     : Threads == ThreadMapping::OneDimension  ? "element_"
                     : Threads == ThreadMapping::PartialBlocks ? "part_"
                     : Threads == ThreadMapping::PlayedBlocks  ? "played_"
                                                               : "thread_";
  return (Behind ? "gpurma_behind_" : "gpurma_") + std::string(Tile) +
         std::to_string(P.number("stage " + kernelPatternKey(Kernel, U.sources()))) + "_" + Kernel->getNameAsString();
}

std::string stageFunctionCall(const FunctionDecl* Kernel, ThreadMapping Threads, bool Behind, Unit& U, Program& P) {
  std::string Name = "::";
  llvm::raw_string_ostream Out(Name);
  Kernel->printNestedNameSpecifier(Out, sourcePolicy(U.context()));
  Out << stageFunctionName(Kernel, Threads, Behind, U, P) << "<gpurma_copy";
  std::string Own = "<>"; // of a kernel that is no template
  if (Kernel->getTemplateSpecializationArgs()) {
    std::optional<std::string> Arguments = templateArguments(Kernel, [](unsigned) { return std::nullopt; });
    if (!Arguments)
      return {};
    Own = *Arguments;
  }
  Out << (Own == "<>" ? "" : ", ") << StringRef(Own).drop_front();
  return Name;
}

} // namespace gpurma
