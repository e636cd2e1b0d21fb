// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/LostEffects.h"

#include "passes/CallVisitor.h"
#include "passes/EarlyReturns.h"
#include "passes/ErrorChecks.h"
#include "passes/VariableChanges.h"
#include "passes/VariableUses.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace gpurma {
namespace {

/// Of the standard library: what changes nothing although it is not const.
bool isAccessor(const FunctionDecl& Callee) {
  static const llvm::StringSet<> Names = {"at",   "front", "back",  "top",   "data",
                                          "get",  "value", "begin", "end",   "rbegin",
                                          "rend", "find",  "lock",  "unlock"};
  return llvm::is_contained({OO_Subscript, OO_Star, OO_Arrow}, Callee.getOverloadedOperator()) ||
         Names.contains(identifierOf(&Callee));
}

bool prints(const FunctionDecl& Callee) {
  static const llvm::StringSet<> Names = {"printf", "fprintf", "vprintf", "vfprintf",
                                          "puts",   "fputs",   "putchar", "putc",
                                          "fputc",  "fwrite",  "perror"};
  return Names.contains(identifierOf(&Callee));
}

/// The object that a member function is called for; null: it is another function.
const Expr* objectOf(const CallExpr& Call) {
  if (const auto* Member = dyn_cast<CXXMemberCallExpr>(&Call))
    return Member->getImplicitObjectArgument();
  const auto* Method = isa<CXXOperatorCallExpr>(Call)
                           ? dyn_cast_or_null<CXXMethodDecl>(Call.getDirectCallee())
                           : nullptr;
  return Method && !Method->isStatic() ? Call.getArg(0) : nullptr;
}

/// Whether an expression, or a function that finds no error, prints, or changes more than variables
/// of the functions that it calls.
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
    const std::optional<bool> Known = known(If->getCond());
    if (!Known)
      return CallVisitor::TraverseIfStmt(If);
    return TraverseStmt(If->getInit()) && TraverseStmt(If->getCond()) && TraverseStmt(*Known ? If->getThen() : If->getElse());
  }
  bool TraverseConditionalOperator(ConditionalOperator* Choice) override {
    const std::optional<bool> Known = known(Choice->getCond());
    return Known ? TraverseStmt(Choice->getCond()) && TraverseStmt(*Known ? Choice->getTrueExpr() : Choice->getFalseExpr())
                 : CallVisitor::TraverseConditionalOperator(Choice);
  }
  /// `error == cudaSuccess || fail(error)`.
  bool TraverseBinaryOperator(BinaryOperator* E) override {
    const bool IsDecided = E->isLogicalOp() && known(E->getLHS()) == (E->getOpcode() == BO_LOr);
    return IsDecided ? TraverseStmt(E->getLHS()) : CallVisitor::TraverseBinaryOperator(E);
  }
  /// Not what stands behind `if (error == cudaSuccess) return;`.
  bool TraverseCompoundStmt(CompoundStmt* Block) override {
    for (Stmt* Child : Block->body()) {
      if (!TraverseStmt(Child))
        return false;
      if (alwaysReturns(Child))
        return true;
    }
    return true;
  }
  /// A lambda does something where it is named, which may be behind an error only.
  bool TraverseVarDecl(VarDecl* V) override {
    return lambdaOf(V) || CallVisitor::TraverseVarDecl(V);
  }
  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
    if (const LambdaExpr* Lambda = V ? lambdaOf(V) : nullptr; Lambda && !Lambda->isGenericLambda())
      enter(Lambda->getCallOperator());
    return CallVisitor::VisitDeclRefExpr(Ref);
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
    if (!Callee)
      return true;
    Found |= prints(*Callee);
    const unsigned First = isa<CXXOperatorCallExpr>(Call) && isa<CXXMethodDecl>(Callee) ? 1 : 0;
    for (unsigned I = 0; I < Callee->getNumParams() && I + First < Call->getNumArgs(); ++I)
      if (const QualType P = Callee->getParamDecl(I)->getType(); P->isLValueReferenceType() && !isUnchangeable(P->getPointeeType()))
        note(Call->getArg(I + First));
    // Of functions of the program, the bodies are visited.
    const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
    if (const Expr* Object = objectOf(*Call);
        Object && Method && !Method->isConst() && isOfLibrary(*Callee) && !isAccessor(*Callee)) {
      if (Object->getType()->isPointerType())
        Found = true;
      else
        note(Object);
    }
    return !Found;
  }

private:
  bool visitFunction(const FunctionDecl* Function) override {
    const FunctionDecl* Definition = ownDefinition(*Function);
    Current = Definition;
    return !Definition || traverseDefinition(*this, Definition);
  }
  static const LambdaExpr* lambdaOf(const VarDecl* V) {
    return V->getInit() ? dyn_cast<LambdaExpr>(V->getInit()->IgnoreImplicit()) : nullptr;
  }
  static bool isOfLibrary(const FunctionDecl& F) {
    return F.getASTContext().getSourceManager().isInSystemHeader(F.getLocation());
  }

  std::optional<bool> known(const Expr* Condition) const {
    Condition = Condition->IgnoreParenImpCasts();
    if (const auto* Not = dyn_cast<UnaryOperator>(Condition); Not && Not->getOpcode() == UO_LNot) {
      const std::optional<bool> Inner = known(Not->getSubExpr());
      return Inner ? std::optional(!*Inner) : std::nullopt;
    }
    // const bool failed = error != cudaSuccess;
    if (const VarDecl* V = namedVariable(Condition);
        V && V->getType()->isBooleanType() && V->getInit() &&
        V->getParentFunctionOrMethod() == Current && Current &&
        !VariableChanges(Current->getBody()).changes(V))
      return errorCheck(V->getInit());
    return errorCheck(Condition);
  }

  /// `text << a << b`, `counts[i]`, `s.append(a).append(b)`: text, counts and s.
  static const Expr* changed(const Expr* E) {
    while (true) {
      E = E->IgnoreParenImpCasts();
      const auto* Call = dyn_cast<CallExpr>(E);
      const auto* Element = dyn_cast<ArraySubscriptExpr>(E);
      if (Element && Element->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
        E = Element->getBase();
      else if (Call && E->isLValue() && Call->getDirectCallee() &&
               isOfLibrary(*Call->getDirectCallee()) &&
               !llvm::is_contained({OO_Star, OO_Arrow},
                                   Call->getDirectCallee()->getOverloadedOperator()) &&
               (objectOf(*Call) || Call->getNumArgs() != 0))
        E = objectOf(*Call) ? objectOf(*Call) : Call->getArg(0);
      else
        return E;
    }
  }
  /// Whether it is a member of the object that a constructor makes.
  bool isOfNewObject(const Expr* E) const {
    const auto* Member = dyn_cast<MemberExpr>(E);
    if (!Member || !isa_and_nonnull<CXXConstructorDecl>(Current))
      return false;
    const Expr* Base = Member->getBase()->IgnoreParenImpCasts();
    return !Member->getMemberDecl()->getType()->isReferenceType() &&
           (isa<CXXThisExpr>(Base) || (!Member->isArrow() && isOfNewObject(Base)));
  }
  /// Of one of the functions, and of lambdas in them.
  bool isOfFunction(const VarDecl* V) const {
    if (!V->hasLocalStorage() || V->isInitCapture() || V->getType()->isReferenceType())
      return false;
    for (const DeclContext* Around = V->getDeclContext(); Around; Around = Around->getParent())
      if (const auto* F = dyn_cast<FunctionDecl>(Around);
          F && Entered.contains(F->getCanonicalDecl()))
        return true;
    return false;
  }
  void note(const Expr* E) {
    E = changed(E);
    const VarDecl* V = memberOf(E).first;
    const bool IsTemporary = E->isPRValue() && !E->getType()->isPointerType();
    Found |= !IsTemporary && !isOfNewObject(E) && !(V && isOfFunction(V) && E->isLValue());
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
    if (!namedVariable(E) && EffectFinder(E).Found)
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
