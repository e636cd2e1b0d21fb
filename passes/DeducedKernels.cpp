// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/DeducedKernels.h"
#include "frontend/SourceText.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace gpurma {
namespace {

std::string finderName(const FunctionDecl* Kernel) { return "gpurma_kernel_" + Kernel->getNameAsString(); }

bool holdsLambda(const Stmt* S) { return isa<LambdaExpr>(S) || llvm::any_of(S->children(), [](const Stmt* Child) { return Child && holdsLambda(Child); }); }

} // namespace

llvm::SmallVector<const FunctionDecl*, 2> candidateKernels(const UnresolvedLookupExpr& Lookup) {
  llvm::SmallVector<const FunctionDecl*, 2> Kernels;
  for (const NamedDecl* Found : Lookup.decls()) {
    const auto* Kernel = Found->getUnderlyingDecl()->getAsFunction();
    const FunctionDecl* Definition = Kernel ? Kernel->getDefinition() : nullptr;
    if (!Definition || Definition->isOutOfLine())
      return {};
    Kernels.push_back(Definition);
  }
  return Kernels;
}

std::optional<std::string> kernelFinder(const FunctionDecl* Kernel, bool Overloaded, const SourceManager& Sources, const LangOptions& LangOpts) {
  FunctionTypeLoc Type = Kernel->getFunctionTypeLoc();
  std::optional<std::string> Parameters =
      Type ? spelledText({Type.getLParenLoc(), Type.getRParenLoc()}, Sources, LangOpts) : std::nullopt;
  if (!Parameters)
    return std::nullopt;
  std::string Header, Name = Kernel->getNameAsString();
  if (const FunctionTemplateDecl* Template = Kernel->getDescribedFunctionTemplate()) {
    std::optional<std::string> Own = spelledText(Template->getTemplateParameters()->getSourceRange(), Sources, LangOpts);
    if (!Own)
      return std::nullopt;
    Header = *Own + " ";
    llvm::ListSeparator Separator;
    Name += "<";
    for (const NamedDecl* Parameter : *Template->getTemplateParameters()) {
      if (!Parameter->getIdentifier())
        return std::nullopt;
      Name += (StringRef(Separator) + Parameter->getName() + (Parameter->isParameterPack() ? "..." : "")).str();
    }
    Name += ">";
  }
  if (Overloaded) {
    std::string Types;
    llvm::ListSeparator Separator;
    for (const ParmVarDecl* Parameter : Kernel->parameters()) {
      if (!Parameter->getIdentifier())
        return std::nullopt;
      Types += (StringRef(Separator) + "decltype(" + Parameter->getName() + ")" + (Parameter->isParameterPack() ? "..." : "")).str();
    }
    Name = "static_cast<void (*)(" + Types + ")>(" + Name + ")";
  }
  // Not as the type that it is declared to return: nvcc does not find the instance of a kernel again that stands there.
  std::string Body;
  for (const ParmVarDecl* Parameter : Kernel->parameters())
    if (Parameter->getIdentifier())
      Body += Parameter->isParameterPack() ? "(static_cast<void>(" + Parameter->getName().str() + "), ...); " : "static_cast<void>(" + Parameter->getName().str() + "); ";
  return " " + Header + "[[maybe_unused]] " + (isa<CXXMethodDecl>(Kernel) ? "static " : "") + "auto " + finderName(Kernel) + *Parameters + " { " + Body +
         "return ::gpurma::kernel_constant<" + Name + ">{}; }";
}

std::optional<std::string> deducedKernel(const CUDAKernelCallExpr& Launch, const UnresolvedLookupExpr& Lookup, const SourceManager& Sources,
                                         const LangOptions& LangOpts) {
  std::string Text = "decltype(";
  auto Add = [&](SourceRange Range) {
    std::optional<std::string> Part = spelledText(Range, Sources, LangOpts);
    Text += Part.value_or("");
    return Part.has_value();
  };
  if (NestedNameSpecifierLoc Qualifier = Lookup.getQualifierLoc(); Qualifier && !Add(Qualifier.getSourceRange()))
    return std::nullopt;
  Text += "gpurma_kernel_" + Lookup.getName().getAsString();
  if (Lookup.hasExplicitTemplateArgs() && !Add({Lookup.getLAngleLoc(), Lookup.getRAngleLoc()}))
    return std::nullopt;
  llvm::ListSeparator Separator;
  Text += "(";
  for (const Expr* Argument : Launch.arguments()) {
    Text += StringRef(Separator);
    if (holdsLambda(Argument) || !Add(Argument->getSourceRange()))
      return std::nullopt;
  }
  return Text + "))::value";
}

} // namespace gpurma
