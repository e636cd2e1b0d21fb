// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/NamedLambdas.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "frontend/SourceText.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <set>
#include <utility>

using namespace clang;

namespace gpurma {
namespace {

/// What the text of a lambda names that is not known outside of its function.
class NamesOfFunction final : public DynamicRecursiveASTVisitor {
public:
  NamesOfFunction(const LambdaExpr& Lambda, const ASTContext& Context) : Operator(Lambda.getCallOperator()), Context(Context) {
    for (const LambdaCapture& Capture : Lambda.captures())
      if (Capture.capturesVariable())
        Captured.insert(Capture.getCapturedVar());
    for (ParmVarDecl* Parameter : Operator->parameters())
      TraverseDecl(Parameter);
    TraverseStmt(Lambda.getBody());
  }

  /// Constants that are used without being captured, with their values.
  llvm::MapVector<const VarDecl*, APValue> Constants;
  bool Others = false;

  bool VisitExpr(Expr* E) override {
    Others |= E->isInstantiationDependent();
    return true;
  }
  bool VisitParmVarDecl(ParmVarDecl* P) override {
    Others |= P->getType()->isInstantiationDependentType();
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* E) override {
    const ValueDecl* D = E->getDecl();
    Others |= E->getFoundDecl() != D && E->getFoundDecl()->getDeclContext()->isFunctionOrMethod() && !isOwn(E->getFoundDecl()->getDeclContext()); // using
    if (Captured.count(D) || isOwn(D->getDeclContext()) || E->hasQualifier())
      return true;
    if (isa<CXXMethodDecl>(D)) // an operator
      return true;
    const auto* V = dyn_cast<VarDecl>(D);
    if (V && V->getDeclContext()->isFunctionOrMethod()) {
      const APValue* Value = V->isUsableInConstantExpressions(Context) && V->getType()->isIntegralType(Context) ? V->evaluateValue() : nullptr;
      if (Value && Value->isInt())
        Constants.insert({V, *Value});
      else
        Others = true;
    } else if (!isa<NonTypeTemplateParmDecl>(D) && !D->getDeclContext()->getRedeclContext()->isFileContext()) {
      Others = true;
    }
    return true;
  }
  bool VisitElaboratedTypeLoc(ElaboratedTypeLoc T) override {
    const NamedDecl* D = nullptr;
    if (const auto* Alias = T.getTypePtr()->getAs<TypedefType>())
      D = Alias->getDecl();
    else if (const auto* Tag = T.getTypePtr()->getAs<TagType>())
      D = Tag->getDecl();
    Others |= D && !T.getQualifierLoc() && !isOwn(D->getDeclContext()) && !D->getDeclContext()->getRedeclContext()->isFileContext();
    return true;
  }
  bool VisitCXXThisExpr(CXXThisExpr*) override {
    Others = true;
    return true;
  }

private:
  bool isOwn(const DeclContext* Of) const { return Operator->Encloses(Of) || Operator->Equals(Of); }

  const CXXMethodDecl* Operator;
  const ASTContext& Context;
  std::set<const ValueDecl*> Captured;
};

class LambdaNamer final : public DynamicRecursiveASTVisitor {
public:
  LambdaNamer(LambdasToName Which, ASTContext& Context, EditSet& Edits)
      : Which(Which), Context(Context), Sources(Context.getSourceManager()), LangOpts(Context.getLangOpts()), Policy(Context.getPrintingPolicy()), Edits(Edits) {
    Policy.SuppressUnwrittenScope = true;
    for (Decl* D : Context.getTranslationUnitDecl()->decls())
      if (!isOfSystemHeader(*D, Sources))
        TraverseDecl(D);
  }

  bool VisitUsingDirectiveDecl(UsingDirectiveDecl* D) override {
    Using.insert(D->getDeclContext());
    return true;
  }
  bool TraverseCUDAKernelCallExpr(CUDAKernelCallExpr* Launch) override {
    const bool Around = std::exchange(InLaunch, true);
    const bool Goes = DynamicRecursiveASTVisitor::TraverseCUDAKernelCallExpr(Launch);
    InLaunch = Around;
    return Goes;
  }
  bool TraverseLambdaExpr(LambdaExpr* Lambda) override {
    return ((Which == LambdasToName::All || InLaunch) && name(*Lambda)) || DynamicRecursiveASTVisitor::TraverseLambdaExpr(Lambda);
  }

private:
  static bool isFor(const CXXMethodDecl& Operator, const Attr* Attribute) { return Attribute && !Attribute->isImplicit() && Operator.hasBody(); }

  bool name(const LambdaExpr& Lambda) {
    const CXXMethodDecl& Operator = *Lambda.getCallOperator();
    if (!isFor(Operator, Operator.getAttr<CUDADeviceAttr>()) || Lambda.isGenericLambda())
      return false;
    // Names are looked up elsewhere then.
    for (const DeclContext* Context = Operator.getDeclContext(); !Context->isFileContext(); Context = Context->getParent())
      if (Using.contains(Context))
        return false;
    const Decl* Around = outermost(Operator);
    const SourceLocation Before = beginOf(*Around), Body = Lambda.getBody()->getBeginLoc(), End = Lambda.getEndLoc();
    auto [File, Begin] = Sources.getDecomposedExpansionLoc(Lambda.getBeginLoc());
    if (Body.isMacroID() || End.isMacroID() || Sources.getFileID(Body) != File || Sources.getFileID(Before) != File)
      return false;
    const FileRange Whole{fileName(File, Sources), Begin, Sources.getFileOffset(End) + 1};
    StringRef Source = Sources.getBufferData(File);
    if (!directivesIn(Source.slice(Whole.Begin, Whole.End), LangOpts).empty())
      return false;

    const NamesOfFunction Names(Lambda, Context);
    std::optional<Members> Has = members(Lambda);
    std::optional<std::string> Head = headOf(Lambda);
    if (Names.Others || !Has || !Head)
      return false;
    const std::string Name = "gpurma_lambda_" + std::to_string(Named.size());
    Named.emplace(Lambda.getLambdaClass()->getCanonicalDecl(), Name);
    // Without a name for the linker: other translation units number theirs alike.
    std::string Text =
        lineOf(Lambda.getBeginLoc()) + "namespace { struct " + Name + " { " + Has->Declared;
    for (const auto& [V, Value] : Names.Constants) {
      Text += "static constexpr " + declared(V->getType(), V->getNameAsString()) + " = " + Value.getAsString(Context, V->getType()) + "; ";
      // Nothing else may name it.
      const unsigned Declared = Sources.getFileOffset(V->getBeginLoc());
      if (V->getBeginLoc().isFileID())
        Edits.replace({fileName(Sources.getFileID(V->getBeginLoc()), Sources), Declared, Declared}, "[[maybe_unused]] ");
    }
    Text += "\n" + lineOf(Lambda.getBeginLoc()) + *Head + "\n" + inPlace(Body) +
            Source.slice(Sources.getFileOffset(Body), Whole.End).str() + "\n}; }\n" +
            inPlace(Before);
    const unsigned Place = Sources.getFileOffset(Before);
    Edits.replace({Whole.File, Place, Place}, "\n" + Text);
    // What follows keeps its lines.
    Edits.replace(Whole, Name + "{" + Has->Values + "}" + std::string(Source.slice(Whole.Begin, Whole.End).count('\n'), '\n'));
    return true;
  }

  /// What stands in no function or class.
  static const Decl* outermost(const Decl& D) {
    const Decl* Around = &D;
    while (!Around->getDeclContext()->isFileContext())
      Around = cast<Decl>(Around->getDeclContext());
    const TemplateDecl* Template = Around->getDescribedTemplate();
    return Template ? Template : Around;
  }

  /// With attributes before it.
  SourceLocation beginOf(const Decl& D) const {
    SourceLocation Begin = Sources.getExpansionLoc(D.getBeginLoc());
    for (const Attr* Attribute : D.attrs()) {
      SourceLocation Loc = Sources.getExpansionLoc(Attribute->getRange().getBegin());
      if (Loc.isValid() && Sources.isBeforeInTranslationUnit(Loc, Begin) && Sources.getFileID(Loc) == Sources.getFileID(Begin))
        Begin = Loc;
    }
    return Begin;
  }

  std::string lineOf(SourceLocation Loc) const {
    PresumedLoc Place = Sources.getPresumedLoc(Sources.getExpansionLoc(Loc));
    return "#line " + std::to_string(Place.getLine()) + " " + stringLiteral(Place.getFilename()) + "\n";
  }

  /// What comes next is where messages say that it is, also on its line.
  std::string inPlace(SourceLocation Loc) const { return lineOf(Loc) + std::string(Sources.getSpellingColumnNumber(Loc) - 1, ' '); }

  /// `float *v; int n; ` and `v, n`.
  struct Members {
    std::string Declared, Values;
  };
  std::optional<Members> members(const LambdaExpr& Lambda) const {
    Members Found;
    auto Field = Lambda.getLambdaClass()->field_begin();
    for (const LambdaCapture& Capture : Lambda.captures()) {
      if (!Capture.capturesVariable() || Capture.getCaptureKind() != LCK_ByCopy || Capture.isPackExpansion())
        return std::nullopt;
      const ValueDecl* V = Capture.getCapturedVar();
      const QualType Type = Field++->getType();
      const auto* Class = Type->getAsCXXRecordDecl();
      if (Type->isArrayType() || Type->isInstantiationDependentType() || (Class && Class->isLambda() && !Named.count(Class->getCanonicalDecl())))
        return std::nullopt;
      std::optional<std::string> Value = V->getNameAsString();
      if (V->isInitCapture())
        Value = spelledText(cast<VarDecl>(V)->getInit()->IgnoreImplicit()->getSourceRange(), Sources, LangOpts);
      if (!Value)
        return std::nullopt;
      Found.Declared += declared(Type.getUnqualifiedType(), V->getNameAsString()) + "; ";
      Found.Values += (Found.Values.empty() ? "" : ", ") + *Value;
    }
    return Found;
  }

  std::string declared(QualType Type, std::string Name) const {
    const auto* Class = Type->getAsCXXRecordDecl();
    if (auto It = Class ? Named.find(Class->getCanonicalDecl()) : Named.end(); It != Named.end())
      return It->second + " " + Name;
    Type.getCanonicalType().getAsStringInternal(Name, Policy);
    return Name;
  }

  /// `__device__ auto operator()(int i) const`.
  std::optional<std::string> headOf(const LambdaExpr& Lambda) const {
    const CXXMethodDecl& Operator = *Lambda.getCallOperator();
    std::string Head = isFor(Operator, Operator.getAttr<CUDAHostAttr>()) ? "__host__ __device__ auto operator()(" : "__device__ auto operator()(";
    const auto Type = Operator.getTypeSourceInfo()->getTypeLoc().getAsAdjusted<FunctionProtoTypeLoc>();
    if (!Type)
      return std::nullopt;
    if (Operator.getNumParams() != 0) {
      std::optional<std::string> Parameters =
          spelledText({Operator.getParamDecl(0)->getBeginLoc(), Operator.getParamDecl(Operator.getNumParams() - 1)->getEndLoc()}, Sources, LangOpts);
      if (!Parameters)
        return std::nullopt;
      Head += *Parameters;
    }
    Head += Lambda.isMutable() ? ")" : ") const";
    if (Lambda.hasExplicitResultType()) {
      std::optional<std::string> Result = spelledText(Type.getReturnLoc().getSourceRange(), Sources, LangOpts);
      if (!Result)
        return std::nullopt;
      Head += " -> " + *Result;
    }
    return Head;
  }

  const LambdasToName Which;
  ASTContext& Context;
  const SourceManager& Sources;
  const LangOptions& LangOpts;
  PrintingPolicy Policy;
  EditSet& Edits;
  bool InLaunch = false;
  /// Functions with `using namespace`.
  llvm::DenseSet<const DeclContext*> Using;
  std::map<const CXXRecordDecl*, std::string> Named;
};

} // namespace

void nameLambdas(LambdasToName Which, ASTContext& Context, EditSet& Edits) { LambdaNamer(Which, Context, Edits); }

} // namespace gpurma
