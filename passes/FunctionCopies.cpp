// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/FunctionCopies.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "passes/CallVisitor.h"
#include "passes/ThreadCooperation.h"
#include "passes/VariableUses.h"

#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

using namespace clang;

namespace gpurma {
namespace {

/// The functions that a body uses.
class Callees : public DynamicRecursiveASTVisitor {
public:
  Callees(const FunctionDecl* Function, OwnNames Own) : Own(Own) { traverseDefinition(*this, Function); }
  Callees(const Expr* E, OwnNames Own) : Own(Own) { TraverseStmt(const_cast<Expr*>(E)); }
  bool shouldVisitImplicitCode() const override { return true; }
  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    const ValueDecl* D = Ref->getDecl();
    if (isIndexVariable(D) && (Own.Thread || identifierOf(D) == "blockIdx" || identifierOf(D) == "gridDim"))
      Index = identifierOf(D).str();
    if (Own.Barrier && identifierOf(D) == "__syncthreads")
      Index = "__syncthreads";
    if (const auto* Function = dyn_cast<FunctionDecl>(D))
      Uses.emplace_back(Function, Ref);
    return true;
  }
  bool VisitMemberExpr(MemberExpr* Member) override {
    if (const auto* Function = dyn_cast<FunctionDecl>(Member->getMemberDecl()))
      Uses.emplace_back(Function, Member);
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* Construct) override {
    Uses.emplace_back(Construct->getConstructor(), Construct);
    return true;
  }
  bool VisitCallExpr(CallExpr* Call) override {
    Calls.emplace(Call->getCallee()->IgnoreParenImpCasts(), Call);
    return true;
  }
  bool TraverseCXXDefaultArgExpr(CXXDefaultArgExpr* E) override {
    Defaults.push_back({E->getExpr(), cast<NamedDecl>(E->getParam()->getDeclContext()), E->getUsedLocation()});
    return true;
  }
  bool TraverseCXXDefaultInitExpr(CXXDefaultInitExpr* E) override {
    Defaults.push_back({E->getExpr(), E->getField()->getParent(), E->getUsedLocation()});
    return true;
  }
  /// One of those that the body names, if it names any.
  std::string Index;
  std::vector<std::pair<const FunctionDecl*, const Expr*>> Uses;
  std::map<const Expr*, const CallExpr*> Calls;
  /// Text that does not stand in the body: default arguments, and what members begin with.
  struct Default {
    const Expr* Value;
    const NamedDecl* Of;
    SourceLocation Used;
  };
  std::vector<Default> Defaults;

private:
  OwnNames Own;
};

class FunctionCopyFinder {
public:
  FunctionCopyFinder(OwnNames Own, ASTContext& Context) : Own(Own), Sources(Context.getSourceManager()) {}

  FunctionCopies run(const FunctionDecl* Kernel) {
    const FunctionDecl* Definition = nullptr;
    if (Kernel->hasBody(Definition))
      visit(Definition, Definition);
    return std::move(Found);
  }

private:
  /// \p Text: the function whose text the body stands in, which is another one if this is a lambda's.
  void visit(const FunctionDecl* Function, const FunctionDecl* Text) {
    if (!Seen.insert({Function, Text}).second)
      return;
    const Callees Inside(Function, Own);
    for (const Callees::Default& Each : Inside.Defaults)
      if (const std::string Index = indexOf(Callees(Each.Value, Own)); !Index.empty() && !Found.Rejected)
        Found.Rejected = {Each.Of, CopyProblem::Default, Each.Used, Index};
    for (const auto& [Callee, Use] : Inside.Uses) {
      const FunctionDecl* Definition = ownDefinition(*Callee);
      if (!Definition)
        continue;
      const std::string Index = indexIn(Definition);
      if (Index.empty())
        continue;
      if (isLambdaIn(Definition, Text)) {
        visit(Definition, Text);
        continue;
      }
      auto Call = Inside.Calls.find(Use);
      if (std::optional<CopyProblem> Why = problemOf(Definition, Call == Inside.Calls.end() ? nullptr : Call->second, Use, Text)) {
        if (!Found.Rejected)
          Found.Rejected = {Definition, *Why, Use->getExprLoc(), Index};
        continue;
      }
      Found.Calls.insert(Call->second);
      Found.Functions.insert(Definition);
      visit(Definition, Definition);
    }
  }

  std::optional<CopyProblem> problemOf(const FunctionDecl* Function, const CallExpr* Call, const Expr* Use, const FunctionDecl* Caller) const {
    const auto* Method = dyn_cast<CXXMethodDecl>(Function);
    if (isa<CXXConstructorDecl, CXXConversionDecl, CXXDestructorDecl>(Function) || Function->isOverloadedOperator() ||
        (Method && (Method->isOutOfLine() || Method->isVirtual() || Method->getParent()->isLambda())))
      return CopyProblem::Method;
    if (!Call || Function->getTemplateSpecializationKind() == TSK_ExplicitSpecialization)
      return CopyProblem::OtherUse;
    if (!isTextOfBody(Caller, Call->getSourceRange()) || !isTextOfBody(Caller, Use->getExprLoc()) || Function->getLocation().isMacroID() ||
        Function->getEndLoc().isMacroID())
      return CopyProblem::Macro;
    // The copies stand behind the originals.
    if (!isInOneClass(Function, Caller) && !Sources.isBeforeInTranslationUnit(Function->getLocation(), Caller->getLocation()))
      return CopyProblem::Order;
    return std::nullopt;
  }

  static bool isInOneClass(const FunctionDecl* A, const FunctionDecl* B) {
    return isa<CXXMethodDecl>(A) && isa<CXXMethodDecl>(B) && A->getDeclContext()->getPrimaryContext() == B->getDeclContext()->getPrimaryContext();
  }

  bool isLambdaIn(const FunctionDecl* Function, const FunctionDecl* Text) const {
    const auto* Method = dyn_cast<CXXMethodDecl>(Function);
    return Method && Method->getParent()->isLambda() && Sources.isPointWithin(Function->getBody()->getBeginLoc(), Text->getBeginLoc(), Text->getEndLoc());
  }

  /// What makes a function one that has to be copied; empty if it has not to be.
  std::string indexIn(const FunctionDecl* Function) {
    auto [It, IsNew] = Indices.emplace(Function, "");
    if (!IsNew)
      return It->second;
    std::string Index = indexOf(Callees(Function, Own));
    if (const auto* Mark = Function->getAttr<AnnotateAttr>(); Mark && Mark->isImplicit())
      Index = Mark->getAnnotation().str();
    return Indices[Function] = Index;
  }
  std::string indexOf(const Callees& Inside) {
    std::string Index = Inside.Index;
    for (const auto& [Callee, Use] : Inside.Uses)
      if (const FunctionDecl* Definition = ownDefinition(*Callee); Definition && Index.empty())
        Index = indexIn(Definition);
    for (const Callees::Default& Each : Inside.Defaults)
      if (Index.empty())
        Index = indexOf(Callees(Each.Value, Own));
    return Index;
  }

  OwnNames Own;
  const SourceManager& Sources;
  std::set<std::pair<const FunctionDecl*, const FunctionDecl*>> Seen;
  std::map<const FunctionDecl*, std::string> Indices;
  FunctionCopies Found;
};

SourceLocation nameOfCallee(const CallExpr* Call) {
  const Expr* Callee = Call->getCallee()->IgnoreParenImpCasts();
  const auto* Member = dyn_cast<MemberExpr>(Callee);
  return Member ? Member->getMemberLoc() : cast<DeclRefExpr>(Callee)->getLocation();
}

} // namespace

void markCopied(const FunctionDecl& Function, const NamedDecl& Why) {
  const_cast<FunctionDecl&>(Function).addAttr(AnnotateAttr::CreateImplicit(Function.getASTContext(), Why.getName(), nullptr, 0));
}

FunctionCopies findFunctionCopies(const FunctionDecl* Kernel, OwnNames Own, ASTContext& Context) { return FunctionCopyFinder(Own, Context).run(Kernel); }

std::string copyName(const FunctionDecl* Function, OwnNames Own) {
  return std::string(Own.Barrier ? "gpurma_waiting" : "gpurma") + (Own.Thread ? "_of_thread_" : "_of_block_") + Function->getNameAsString();
}

void editCalls(const FunctionCopies& Copies, OwnNames Own, EditSet& Edits, const ASTContext& Context,
               llvm::function_ref<bool(const CallExpr*)> IsRenamed) {
  auto Range = [&](SourceRange Tokens) { return *fileRange(Tokens, Context.getSourceManager(), Context.getLangOpts()); };
  const std::string Indices = std::string(Own.Thread ? "threadIdx, blockIdx, blockDim, gridDim" : "blockIdx, gridDim") + (Own.Barrier ? ", __syncthreads" : "");
  for (const CallExpr* Call : Copies.Calls) {
    if (!IsRenamed(Call))
      Edits.replace(Range(nameOfCallee(Call)), copyName(Call->getDirectCallee(), Own));
    const bool Others = Call->getNumArgs() != 0 && !isa<CXXDefaultArgExpr>(Call->getArg(0));
    FileRange At = Range(Others ? Call->getArg(0)->getSourceRange() : SourceRange(Call->getRParenLoc()));
    Edits.replace({At.File, At.Begin, At.Begin}, Others ? Indices + ", " : Indices);
  }
}

} // namespace gpurma
