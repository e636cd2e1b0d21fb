// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/LostEffects.h"

#include "passes/CallVisitor.h"
#include "passes/ErrorChecks.h"
#include "passes/VariableChanges.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace gpurma {
namespace {

/// Whether an expression, or a function that finds no error, changes more than variables of the functions that it calls.
class EffectFinder : public CallVisitor {
public:
  explicit EffectFinder(const Expr* E) {
    TraverseStmt(const_cast<Expr*>(E));
    visitEntered();
  }
  explicit EffectFinder(const FunctionDecl* Function) {
    enter(Function);
    visitEntered();
  }
  bool Found = false;

  bool TraverseIfStmt(IfStmt* If) override {
    const std::optional<bool> Known = errorCheck(If->getCond());
    if (!Known)
      return CallVisitor::TraverseIfStmt(If);
    return TraverseStmt(If->getInit()) && TraverseStmt(If->getCond()) && TraverseStmt(*Known ? If->getThen() : If->getElse());
  }
  bool TraverseConditionalOperator(ConditionalOperator* Choice) override {
    const std::optional<bool> Known = errorCheck(Choice->getCond());
    return Known ? TraverseStmt(Choice->getCond()) && TraverseStmt(*Known ? Choice->getTrueExpr() : Choice->getFalseExpr())
                 : CallVisitor::TraverseConditionalOperator(Choice);
  }
  bool VisitBinaryOperator(BinaryOperator* E) override {
    if (E->isAssignmentOp())
      note(E->getLHS());
    return !Found;
  }
  bool VisitUnaryOperator(UnaryOperator* E) override {
    if (E->isIncrementDecrementOp())
      note(E->getSubExpr());
    return !Found;
  }
  bool VisitCallExpr(CallExpr* Call) override {
    const FunctionDecl* Callee = Call->getDirectCallee();
    const unsigned Object = isa<CXXOperatorCallExpr>(Call) && isa_and_nonnull<CXXMethodDecl>(Callee) ? 1 : 0;
    for (unsigned I = 0; Callee && I < Callee->getNumParams() && I + Object < Call->getNumArgs(); ++I)
      if (const QualType P = Callee->getParamDecl(I)->getType(); P->isLValueReferenceType() && !isUnchangeable(P->getPointeeType()))
        note(Call->getArg(I + Object));
    return !Found;
  }

private:
  bool visitFunction(const FunctionDecl* Function) override {
    Current = Function;
    const FunctionDecl* Definition = ownDefinition(*Function);
    return !Definition || traverseDefinition(*this, Definition);
  }
  void note(const Expr* E) {
    const VarDecl* V = memberOf(E).first;
    const bool IsOfFunction = V && Current && V->hasLocalStorage() && !V->getType()->isReferenceType();
    // std::cerr of a message.
    const bool IsOfLibrary = V && V->getASTContext().getSourceManager().isInSystemHeader(V->getLocation());
    Found |= !IsOfFunction && !IsOfLibrary;
  }
};

/// Whether a value of cudaError_t is another one than cudaSuccess, as far as the program says so itself.
bool maySayError(const Expr* E, llvm::SmallPtrSetImpl<const VarDecl*>& Seen) {
  E = E->IgnoreParenImpCasts();
  if (isFromBefore(E))
    return true;
  if (const auto* Choice = dyn_cast<ConditionalOperator>(E))
    return maySayError(Choice->getTrueExpr(), Seen) || maySayError(Choice->getFalseExpr(), Seen);
  if (const auto* Cast = dyn_cast<ExplicitCastExpr>(E))
    return !isCudaError(Cast->getSubExpr()->getType());
  const auto* Ref = dyn_cast<DeclRefExpr>(E);
  if (const auto* Constant = Ref ? dyn_cast<EnumConstantDecl>(Ref->getDecl()) : nullptr)
    return Constant->getName() != "cudaSuccess";
  const auto* V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  const auto* Function = V ? dyn_cast_or_null<FunctionDecl>(V->getParentFunctionOrMethod()) : nullptr;
  if (!Function || !Function->hasBody() || !Seen.insert(V).second)
    return false;
  struct Finder : DynamicRecursiveASTVisitor {
    bool VisitBinaryOperator(BinaryOperator* Assignment) override {
      if (Assignment->getOpcode() == BO_Assign && memberOf(Assignment->getLHS()).first == V)
        Values.push_back(Assignment->getRHS());
      return true;
    }
    const VarDecl* V = nullptr;
    std::vector<const Expr*> Values;
  } Find;
  Find.V = V;
  if (V->getInit())
    Find.Values.push_back(V->getInit());
  Find.TraverseStmt(Function->getBody());
  return llvm::any_of(Find.Values, [&](const Expr* Value) { return maySayError(Value, Seen); });
}

class LostEffectFinder : public DynamicRecursiveASTVisitor {
public:
  explicit LostEffectFinder(const ASTContext& Context) : Sources(Context.getSourceManager()) {}
  std::vector<LostEffect> Found;

  bool VisitCallExpr(CallExpr* Call) override {
    const std::string Name = Call->getDirectCallee() ? Call->getDirectCallee()->getNameAsString() : "";
    if (const auto* Launch = dyn_cast<CUDAKernelCallExpr>(Call)) {
      constexpr unsigned Stream = 3;
      if (const CallExpr* Config = Launch->getConfig(); Config && Config->getNumArgs() > Stream)
        checkArgument(Config->getArg(Stream), Name);
      return true;
    }
    if (const FunctionDecl* Callee = Call->getDirectCallee();
        Callee && !Sources.isInSystemHeader(Callee->getLocation()))
      for (const Expr* Argument : Call->arguments())
        if (isCudaError(Argument->getType()) && isFromBefore(Argument))
          Found.push_back({LostEffect::OwnError, Argument, Name});
    const Expr* Error = checkedError(Call, Sources);
    if (Error && EffectFinder(Call->getDirectCallee()).Found)
      Found.push_back({LostEffect::Check, Call, Name});
    for (const Expr* Argument : Call->arguments())
      if (Argument != Error && (Error || isSuperfluous(*Call) || (Name.rfind("cuda", 0) == 0 && isOfStreams(Argument->getType()))))
        checkArgument(Argument, Name);
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* E) override {
    if (E->getOpcode() == BO_Assign && isCudaError(E->getType()))
      checkError(memberOf(E->getLHS()).first, E->getRHS());
    return true;
  }
  bool VisitVarDecl(VarDecl* V) override {
    if (isCudaError(V->getType()) && V->getInit())
      checkError(V, V->getInit());
    return true;
  }

private:
  static bool isOfStreams(QualType Type) {
    const RecordDecl* Record = Type->isPointerType() ? Type->getPointeeType()->getAsRecordDecl() : nullptr;
    return Record && (Record->getName() == "CUstream_st" || Record->getName() == "CUevent_st");
  }
  void checkArgument(const Expr* E, const std::string& Name) {
    if (EffectFinder(E).Found)
      Found.push_back({LostEffect::Argument, E, Name});
  }
  void checkError(const VarDecl* V, const Expr* Value) {
    llvm::SmallPtrSet<const VarDecl*, 4> Seen;
    if (maySayError(Value, Seen))
      Found.push_back({LostEffect::OwnError, Value, V ? V->getNameAsString() : "this"});
  }

  const SourceManager& Sources;
};

} // namespace

std::vector<LostEffect> findLostEffects(const Stmt* Region, const ASTContext& Context) {
  LostEffectFinder Find(Context);
  Find.TraverseStmt(const_cast<Stmt*>(Region));
  return std::move(Find.Found);
}

} // namespace gpurma
