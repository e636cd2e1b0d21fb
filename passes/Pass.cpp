// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Pass.h"
#include "Pipeline.h"
#include "frontend/SourceText.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace gpurma {

ASTContext &Unit::context() const { return Compiler->getASTContext(); }

SourceManager &Unit::sources() const { return Compiler->getSourceManager(); }

std::vector<const Marker *> Unit::markersOf(const FunctionDecl *Function) const {
  std::vector<const Marker *> Found;
  for (const Marker &M : Markers)
    if (M.Function && M.Function->getCanonicalDecl() == Function->getCanonicalDecl())
      Found.push_back(&M);
  return Found;
}

bool Unit::isStage(const CUDAKernelCallExpr *Launch) const {
  return llvm::any_of(Regions, [&](const Region &R) {
    return isLowered(R) && (llvm::any_of(R.Stages, [&](const Stage &S) { return S.Launch == Launch; }) ||
                            llvm::any_of(R.Combining, [&](const CombiningLaunch &C) { return C.Launch == Launch; }));
  });
}

bool Unit::isLowered(const Region &R) const {
  return llvm::any_of(Regions, [&](const Region &Other) { return &Other.directive() == &R.directive() && !Other.isPattern(); });
}

unsigned Program::number(const std::string &Key) {
  return Numbers.insert({Key, static_cast<unsigned>(Numbers.size())}).first->second;
}

void Program::addEpilogue(std::string Declaration) {
  if (!llvm::is_contained(Epilogue, Declaration))
    Epilogue.push_back(std::move(Declaration));
}

llvm::StringRef Program::source(llvm::StringRef File) const {
  for (const std::unique_ptr<Unit> &U : Units)
    if (OptionalFileEntryRef Entry = U->Compiler->getFileManager().getOptionalFileRef(File))
      if (FileID Id = U->sources().translateFile(*Entry); Id.isValid())
        return U->sources().getBufferData(Id);
  return {};
}

std::string Program::edited(llvm::StringRef File) const {
  llvm::StringRef Source = source(File);
  return Edits.text({File.str(), 0, static_cast<unsigned>(Source.size())}, Source);
}

void Pass::print(const Program &P, llvm::raw_ostream &Out) const { printDirectives(P, Out); }

std::string kernelPatternKey(const FunctionDecl *Kernel, const SourceManager &Sources) {
  if (const FunctionDecl *Pattern = Kernel->getTemplateInstantiationPattern())
    Kernel = Pattern;
  if (const FunctionDecl *Definition = Kernel->getDefinition())
    Kernel = Definition;
  auto [File, Offset] = Sources.getDecomposedExpansionLoc(Kernel->getLocation());
  // One use of a macro, or a file that is included repeatedly, may define several kernels at one place.
  return fileName(File, Sources) + ':' + std::to_string(Offset) + ' ' + Kernel->getQualifiedNameAsString() + ' ' +
         Kernel->getType().getCanonicalType().getAsString(Kernel->getASTContext().getPrintingPolicy());
}

std::string kernelKey(const FunctionDecl *Kernel, const SourceManager &Sources) {
  std::string Key = kernelPatternKey(Kernel, Sources);
  llvm::raw_string_ostream Out(Key);
  if (Kernel->isTemplateInstantiation()) {
    Out << ' ';
    Kernel->getNameForDiagnostic(Out, Kernel->getASTContext().getPrintingPolicy(), /*Qualified=*/true);
  }
  return Key;
}

} // namespace gpurma
