// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/DeducedKernels.h"
#include "frontend/SourceText.h"
#include "passes/EditSet.h"
#include "passes/Kernels.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace gpurma {
namespace {

std::string finderName(const FunctionDecl* Kernel) { return "gpurma_kernel_" + Kernel->getNameAsString(); }

/// As it is written, or, where the preprocessor chooses among its parameters, as the compiler has
/// it.
std::optional<std::string> parameterList(const FunctionDecl* Kernel, const SourceManager& Sources,
                                         const LangOptions& LangOpts) {
  FunctionTypeLoc Type = Kernel->getFunctionTypeLoc();
  if (!Type)
    return std::nullopt;
  const SourceRange Range(Type.getLParenLoc(), Type.getRParenLoc());
  if (std::optional<std::string> Text = spelledText(Range, Sources, LangOpts))
    return Text;
  if (!fileRange(Range, Sources, LangOpts))
    return std::nullopt;
  std::string Text = "(";
  llvm::raw_string_ostream Out(Text);
  llvm::ListSeparator Separator;
  for (const ParmVarDecl* Parameter : Kernel->parameters()) {
    Out << Separator;
    Parameter->print(
        Out, Kernel->getASTContext().getPrintingPolicy()); // template parameters by their names
  }
  return Text + ")";
}

/// With what the template requires, if anything; none if that is no text.
std::optional<std::string> constrained(const std::string& Text, const Expr* Constraint,
                                       const SourceManager& Sources, const LangOptions& LangOpts) {
  if (!Constraint)
    return Text;
  const std::optional<std::string> Required =
      spelledText(Constraint->getSourceRange(), Sources, LangOpts);
  return Required ? std::optional(Text + " requires " + *Required) : std::nullopt;
}

/// `template <class T, int N = 3>`, whose default arguments may stand at an earlier declaration;
/// with what else chooses among templates. None if a parameter has no name.
std::optional<std::string> templateHeader(const FunctionTemplateDecl* Template,
                                          const SourceManager& Sources,
                                          const LangOptions& LangOpts) {
  const TemplateParameterList* Parameters = Template->getTemplateParameters();
  const TemplateParameterList* First = Template->getCanonicalDecl()->getTemplateParameters();
  for (const NamedDecl* Parameter : *Parameters)
    if (!Parameter->getIdentifier())
      return std::nullopt;
  if (llvm::equal(*Parameters, *First, [](const NamedDecl* A, const NamedDecl* B) {
        return A->getDeclName() == B->getDeclName();
      }))
    Parameters = First;
  std::optional<std::string> Text = spelledText(Parameters->getSourceRange(), Sources, LangOpts);
  const FunctionDecl* Kernel = Template->getTemplatedDecl();
  // std::enable_if_t<...>
  if (Text && Kernel->getReturnType()->isDependentType()) {
    std::optional<std::string> Returned =
        spelledText(Kernel->getReturnTypeSourceRange(), Sources, LangOpts);
    if (!Returned || Text->empty() || Text->back() != '>')
      return std::nullopt;
    Text->pop_back();
    *Text += ", ::gpurma::returned_by_kernel<" + *Returned + ">* = nullptr>";
  }
  return Text ? constrained(*Text, Parameters->getRequiresClause(), Sources, LangOpts)
              : std::nullopt;
}

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
  std::optional<std::string> Parameters = parameterList(Kernel, Sources, LangOpts);
  if (Parameters)
    Parameters =
        constrained(*Parameters, Kernel->getTrailingRequiresClause(), Sources, LangOpts);
  if (!Parameters)
    return std::nullopt;
  std::string Header, Name = Kernel->getNameAsString();
  if (const FunctionTemplateDecl* Template = Kernel->getDescribedFunctionTemplate()) {
    std::optional<std::string> Own = templateHeader(Template, Sources, LangOpts);
    if (!Own)
      return std::nullopt;
    Header = *Own + " ";
    llvm::ListSeparator Separator;
    Name += "<";
    for (const NamedDecl* Parameter : *Template->getTemplateParameters())
      Name += (StringRef(Separator) + Parameter->getName() + (Parameter->isParameterPack() ? "..." : "")).str();
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
  // `using detail::step;` brings the kernel, but not the function behind it.
  if (llvm::any_of(Lookup.decls(), llvm::IsaPred<UsingShadowDecl>)) {
    const NamedDecl* Kernel = (*Lookup.decls_begin())->getUnderlyingDecl();
    if (Lookup.getQualifierLoc() || llvm::any_of(Lookup.decls(), [&](const NamedDecl* Other) {
          return Other->getUnderlyingDecl()->getDeclContext() != Kernel->getDeclContext();
        }))
      return std::nullopt;
    llvm::raw_string_ostream Out(Text);
    PrintingPolicy Policy = sourcePolicy(Kernel->getASTContext());
    Policy.SuppressUnwrittenScope = true;
    Out << "::";
    Kernel->printNestedNameSpecifier(Out, Policy);
  }
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
