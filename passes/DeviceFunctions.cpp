// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/DeviceFunctions.h"

#include "frontend/DynamicRecursiveASTVisitor.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace gpurma {
namespace {

class DeviceFunctionFinder : public DynamicRecursiveASTVisitor {
public:
  explicit DeviceFunctionFinder(const SourceManager &Sources) : Sources(Sources) {}
  std::vector<const FunctionDecl *> Functions;

  bool shouldVisitTemplateInstantiations() const override { return true; }

  bool TraverseDecl(Decl *D) override {
    // Most of a translation unit.
    if (D && !isa<TranslationUnitDecl>(D) && Sources.isInSystemHeader(D->getLocation()))
      return true;
    return DynamicRecursiveASTVisitor::TraverseDecl(D);
  }

  bool VisitFunctionDecl(FunctionDecl *F) override {
    if (F->doesThisDeclarationHaveABody())
      add(F);
    return true;
  }

  bool VisitLambdaExpr(LambdaExpr *E) override {
    add(E->getCallOperator());
    // The visitor does not reach the instantiations of generic lambdas.
    if (FunctionTemplateDecl *Generic = E->getCallOperator()->getDescribedFunctionTemplate())
      for (FunctionDecl *Instance : Generic->specializations())
        if (Instance->hasBody()) {
          add(Instance);
          TraverseStmt(Instance->getBody());
        }
    return true;
  }

private:
  void add(const FunctionDecl *F) {
    if (!F->isDependentContext() &&
        (F->hasAttr<CUDAGlobalAttr>() || F->hasAttr<CUDADeviceAttr>()) && !isHostLambda(F))
      Functions.push_back(F);
  }

  /// Clang lets any lambda run on the device; one that launches kernels runs on the host.
  static bool isHostLambda(const FunctionDecl* F) {
    const auto* Operator = dyn_cast<CXXMethodDecl>(F);
    const auto* Device = F->getAttr<CUDADeviceAttr>();
    if (!Operator || !Operator->getParent()->isLambda() || !Device || !Device->isImplicit())
      return false;
    struct LaunchFinder : DynamicRecursiveASTVisitor {
      bool Found = false;
      bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr*) override {
        Found = true;
        return false;
      }
    } Find;
    Find.TraverseStmt(F->getBody());
    return Find.Found;
  }

  const SourceManager &Sources;
};

} // namespace

std::vector<const FunctionDecl *> deviceFunctions(ASTContext &Context) {
  DeviceFunctionFinder Find(Context.getSourceManager());
  Find.TraverseDecl(Context.getTranslationUnitDecl());
  return std::move(Find.Functions);
}

bool isInNamespaceGpurma(const Decl *D) {
  for (const DeclContext *C = D->getDeclContext(); C; C = C->getParent())
    if (const auto *N = dyn_cast<NamespaceDecl>(C))
      if (N->getName() == "gpurma" && N->getParent()->getRedeclContext()->isTranslationUnit())
        return true;
  return false;
}

PassedValues passedTo(const CallExpr *Call) {
  const llvm::ArrayRef<const Expr *> Args(Call->getArgs(), Call->getNumArgs());
  if (const auto *MemberCall = dyn_cast<CXXMemberCallExpr>(Call))
    return {MemberCall->getImplicitObjectArgument(), Args};
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Call->getDirectCallee());
  if (!isa<CXXOperatorCallExpr>(Call) || !Method || Args.empty())
    return {nullptr, Args};
  return {Method->isStatic() ? nullptr : Args.front(), Args.drop_front()};
}

llvm::SmallVector<const FunctionDecl*, 2> callbacks(llvm::ArrayRef<const Expr*> Args) {
  llvm::SmallVector<const FunctionDecl*, 2> Found;
  auto Add = [&](const FunctionDecl* F) {
    const FunctionDecl* Definition = nullptr;
    if (F->hasBody(Definition) && !F->hasAttr<CUDAGlobalAttr>() &&
        !F->getASTContext().getSourceManager().isInSystemHeader(Definition->getLocation()))
      Found.push_back(Definition);
  };
  for (const Expr* Arg : Args) {
    const Expr* Passed = Arg->IgnoreParenImpCasts();
    if (const auto* Address = dyn_cast<UnaryOperator>(Passed);
        Address && Address->getOpcode() == UO_AddrOf)
      Passed = Address->getSubExpr()->IgnoreParenImpCasts();
    if (const auto* Ref = dyn_cast<DeclRefExpr>(Passed))
      if (const auto* F = dyn_cast<FunctionDecl>(Ref->getDecl()))
        Add(F);
    const CXXRecordDecl* Class = Arg->getType().getNonReferenceType()->getAsCXXRecordDecl();
    if (!Class || !Class->hasDefinition())
      continue;
    for (const Decl* Member : Class->getDefinition()->decls()) {
      const auto* Template = dyn_cast<FunctionTemplateDecl>(Member);
      const auto* Method =
          dyn_cast<CXXMethodDecl>(Template ? Template->getTemplatedDecl() : Member);
      if (!Method || Method->getOverloadedOperator() != OO_Call)
        continue;
      if (!Template)
        Add(Method);
      else
        for (const FunctionDecl* Instance : Template->specializations())
          Add(Instance);
    }
  }
  return Found;
}

StringRef apiName(const FunctionDecl *F) {
  const auto *Space = F ? dyn_cast<NamespaceDecl>(F->getDeclContext()) : nullptr;
  if (!Space || Space->getName() != "gpurma" || !Space->getParent()->isTranslationUnit() ||
      !F->getIdentifier())
    return "";
  return F->getName();
}

bool isCachedLoad(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases("__ldg", "__ldcg", "__ldca", "__ldcs", "__ldlu", "__ldcv", true)
      .Default(false);
}

bool isCachedStore(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases("__stwb", "__stcg", "__stcs", "__stwt", true)
      .Default(false);
}

} // namespace gpurma
