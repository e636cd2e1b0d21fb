// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/RegisterQueues.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "passes/Lvalues.h"
#include "passes/VariableChanges.h"
#include "passes/VariableUses.h"

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace clang;

namespace gpurma {

bool isAroundStatements(const Stmt* S) {
  const auto* If = dyn_cast<IfStmt>(S);
  return isa<CompoundStmt>(S) || (If && !If->getInit() && !If->hasVarStorage());
}

namespace {

const Expr* withoutCleanups(const Expr* E) {
  E = E->IgnoreParens();
  if (const auto* Full = dyn_cast<FullExpr>(E))
    E = Full->getSubExpr()->IgnoreParens();
  return E;
}

/// The variable that is named, or that a structured binding is part of.
const VarDecl* variableNamed(const DeclRefExpr* Ref) {
  const auto* Binding = dyn_cast<BindingDecl>(Ref->getDecl());
  return dyn_cast_or_null<VarDecl>(Binding ? Binding->getDecomposedDecl() : Ref->getDecl());
}

/// The element of an array of the function, or the variable, that an lvalue is or is part of.
struct Target {
  const VarDecl* Variable = nullptr;
  const DeclRefExpr* Ref = nullptr;
  /// The slowest dimension first.
  std::vector<const Expr*> Indices;
  bool IsPart = false;
};

Target targetOf(const Expr* E) {
  Target T;
  while (true) {
    E = E->IgnoreParenImpCasts();
    if (const auto* Member = dyn_cast<MemberExpr>(E); Member && !Member->isArrow()) {
      E = Member->getBase();
      T.IsPart = true;
      T.Indices.clear();
    } else if (const auto* Element = dyn_cast<ArraySubscriptExpr>(E);
               Element && Element->getBase()->IgnoreParenImpCasts()->getType()->isArrayType()) {
      T.Indices.insert(T.Indices.begin(), Element->getIdx());
      E = Element->getBase();
    } else {
      break;
    }
  }
  T.Ref = dyn_cast<DeclRefExpr>(E);
  T.Variable = T.Ref ? variableNamed(T.Ref) : nullptr;
  T.IsPart |= T.Ref && isa<BindingDecl>(T.Ref->getDecl());
  return T;
}

/// An assignment, also of a structure as a whole.
struct Assignment {
  const Expr *To = nullptr, *From = nullptr;
  bool Compound = false;
};

std::optional<Assignment> assignmentOf(const Expr* E) {
  E = withoutCleanups(E);
  if (const auto* Binary = dyn_cast<BinaryOperator>(E); Binary && Binary->isAssignmentOp())
    return Assignment{Binary->getLHS(), Binary->getRHS(), Binary->isCompoundAssignmentOp()};
  const auto* Operator = dyn_cast<CXXOperatorCallExpr>(E);
  const auto* Method = Operator ? dyn_cast_or_null<CXXMethodDecl>(Operator->getCalleeDecl()) : nullptr;
  if (Method && Operator->getNumArgs() == 2 && Method->isTrivial() &&
      (Method->isCopyAssignmentOperator() || Method->isMoveAssignmentOperator()))
    return Assignment{Operator->getArg(0), Operator->getArg(1), false};
  return std::nullopt;
}

/// Variables that a statement declares or may change.
class ChangedVariables : public DynamicRecursiveASTVisitor {
public:
  explicit ChangedVariables(const Stmt* S) {
    TraverseStmt(const_cast<Stmt*>(S));
    for (const auto& [V, Field] : changedMembers(S))
      All.insert(V);
  }
  bool VisitVarDecl(VarDecl* V) override {
    All.insert(V);
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* E) override {
    if (E->isAssignmentOp())
      note(E->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator* E) override {
    if (E->isIncrementDecrementOp() || E->getOpcode() == UO_AddrOf)
      note(E->getSubExpr());
    return true;
  }
  bool VisitCallExpr(CallExpr* Call) override {
    const FunctionDecl* Callee = Call->getDirectCallee();
    const auto* Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
    bool OfObject = isa<CXXOperatorCallExpr>(Call) && Method && !Method->isStatic();
    if (OfObject && changesObject(Method))
      note(Call->getArg(0));
    if (const auto* Member = dyn_cast<CXXMemberCallExpr>(Call);
        Member && Method && changesObject(Method))
      note(Member->getImplicitObjectArgument());
    noteArguments(Callee, ArrayRef(Call->getArgs(), Call->getNumArgs()).drop_front(OfObject ? 1 : 0));
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* Construct) override {
    noteArguments(Construct->getConstructor(), ArrayRef(Construct->getArgs(), Construct->getNumArgs()));
    return true;
  }
  std::set<const VarDecl*> All;

private:
  void noteArguments(const FunctionDecl* Callee, ArrayRef<const Expr*> Arguments) {
    for (auto [I, Argument] : llvm::enumerate(Arguments)) {
      QualType Type = Callee && I < Callee->getNumParams() ? Callee->getParamDecl(I)->getType() : QualType();
      bool ByValue = !Type.isNull() && !Type->isReferenceType();
      bool ReadOnly = !Type.isNull() && Type->isReferenceType() && Type->getPointeeType().isConstQualified();
      if ((Argument->isGLValue() && !ByValue && !ReadOnly) || Argument->IgnoreParenImpCasts()->getType()->isArrayType())
        note(Argument);
    }
  }
  void note(const Expr* E) {
    if (const VarDecl* V = targetOf(E).Variable)
      All.insert(V);
  }
};

/// Variables that something else than their names leads to: pointers, references.
class AliasedVariables : public DynamicRecursiveASTVisitor {
public:
  explicit AliasedVariables(const Stmt* S) {
    TraverseStmt(const_cast<Stmt*>(S));
    for (const DeclRefExpr* Ref : References(S).All)
      if (const VarDecl* V = variableNamed(Ref); V && V->getType()->isArrayType() && !Elements.contains(Ref))
        All.insert(V);
  }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr* E) override {
    if (!E->getType()->isArrayType())
      Elements.insert(targetOf(E).Ref);
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator* E) override {
    if (E->getOpcode() == UO_AddrOf)
      note(E->getSubExpr());
    return true;
  }
  bool VisitVarDecl(VarDecl* V) override {
    if (!V->getType()->isReferenceType() || !V->getInit())
      return true;
    note(V->getInit());
    if (isa<CallExpr>(withoutCleanups(V->getInit())->IgnoreParenImpCasts())) // which may return what it is passed
      for (const DeclRefExpr* Ref : References(V->getInit()).All)
        note(Ref);
    return true;
  }
  bool contain(const VarDecl* V) const { return All.count(V) != 0; }
  bool empty() const { return All.empty(); }

private:
  void note(const Expr* E) {
    if (const VarDecl* V = targetOf(E).Variable)
      All.insert(V);
  }
  std::set<const VarDecl*> All;
  llvm::SmallPtrSet<const DeclRefExpr*, 16> Elements;
};

/// Whether a statement does nothing but to change variables of the function, with what it reads.
class PlainStatement : public DynamicRecursiveASTVisitor {
public:
  explicit PlainStatement(const Stmt* S) { TraverseStmt(const_cast<Stmt*>(S)); }
  operator bool() const { return IsPlain; }

  bool VisitStmt(Stmt* S) override {
    return !isa<AsmStmt, CXXNewExpr, CXXDeleteExpr, CXXThrowExpr, CXXTryStmt, GotoStmt, LabelStmt, IndirectGotoStmt>(S) || reject();
  }
  bool VisitBinaryOperator(BinaryOperator* E) override { return !E->isAssignmentOp() || changes(E->getLHS()); }
  bool VisitUnaryOperator(UnaryOperator* E) override { return !E->isIncrementDecrementOp() || changes(E->getSubExpr()); }
  bool VisitCXXConstructExpr(CXXConstructExpr* E) override { return E->getConstructor()->isTrivial() || enter(E->getConstructor()); }
  bool VisitCallExpr(CallExpr* Call) override {
    const FunctionDecl* Callee = Call->getDirectCallee();
    if (!Callee)
      return reject();
    if (std::optional<Assignment> A = assignmentOf(Call))
      return changes(A->To);
    return enter(Callee);
  }

private:
  bool reject() {
    IsPlain = false;
    return false;
  }
  bool changes(const Expr* E) {
    E = E->IgnoreParenImpCasts();
    while (const auto* Member = dyn_cast<MemberExpr>(E)) {
      if (isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts()))
        return true;
      if (Member->isArrow())
        return reject();
      E = Member->getBase()->IgnoreParenImpCasts();
    }
    const VarDecl* V = targetOf(E).Variable;
    return (V && V->hasLocalStorage() && !V->getType()->isReferenceType()) || reject();
  }
  static bool waitsOrExchanges(StringRef Name) {
    return Name.starts_with("__sync") || Name.starts_with("__shfl") || Name.starts_with("__ballot") || Name.starts_with("__any") ||
           Name.starts_with("__all") || Name.starts_with("__reduce") || Name.starts_with("__match") || Name.starts_with("atomic") ||
           Name.starts_with("__threadfence") || Name.starts_with("__activemask");
  }
  bool enter(const FunctionDecl* Callee) {
    if (Callee->getIdentifier() && waitsOrExchanges(Callee->getName()))
      return reject();
    if (Callee->isTrivial() || !Entered.insert(Callee->getCanonicalDecl()).second)
      return true;
    const FunctionDecl* Definition = nullptr;
    if (Callee->hasBody(Definition) && !Callee->getBuiltinID())
      return TraverseStmt(Definition->getBody());
    // Functions of mathematics, loads.
    bool ByPointer = llvm::any_of(Callee->parameters(), [](const ParmVarDecl* P) {
      QualType Pointee = P->getType()->getPointeeType();
      return !Pointee.isNull() && !Pointee.isConstQualified();
    });
    return (!ByPointer && !Callee->isVariadic() && !Callee->getReturnType()->isVoidType()) || reject();
  }

  std::set<const FunctionDecl*> Entered;
  bool IsPlain = true;
};

/// Which elements of queues, as they are at the beginning of an iteration, something is made of.
using Origins = std::set<unsigned>;

void add(Origins& To, const Origins& More) { To.insert(More.begin(), More.end()); }

bool meet(const Origins& A, const Origins& B) {
  return llvm::any_of(A, [&](unsigned E) { return B.count(E) != 0; });
}

/// What is known of the variables at a place of an iteration.
struct Contents {
  bool Reachable = true;
  /// By element for queues, else one of all.
  std::map<const VarDecl*, std::vector<Origins>> Of;
  /// Of what pointers and references lead to.
  Origins Hidden;
  std::map<const VarDecl*, std::int64_t> Numbers;

  /// The element of which one is a copy.
  std::map<const VarDecl*, std::vector<std::optional<unsigned>>> CopyOf;
};

Contents join(Contents A, const Contents& B) {
  if (!A.Reachable)
    return B;
  if (!B.Reachable)
    return A;
  for (const auto& [V, Elements] : B.Of) {
    std::vector<Origins>& Both = A.Of[V];
    Both.resize(Elements.size());
    for (auto [To, More] : llvm::zip(Both, Elements))
      add(To, More);
  }
  add(A.Hidden, B.Hidden);
  for (auto& [V, Copies] : A.CopyOf)
    for (auto [One, Other] : llvm::zip(Copies, B.CopyOf.at(V)))
      if (One != Other)
        One.reset();
  std::erase_if(A.Numbers, [&](const auto& Known) {
    auto It = B.Numbers.find(Known.first);
    return It == B.Numbers.end() || It->second != Known.second;
  });
  return A;
}

class QueueFinder {
public:
  QueueFinder(const FunctionDecl* Function, const ForStmt* Loop, const LoopVariables& Variables, ASTContext& Context)
      : Function(Function), Loop(Loop), Variables(Variables), Context(Context), Aliased(Function->getBody()), Before(Function, Loop) {}

  std::variant<RegisterQueues, const VarDecl*> find() {
    for (const VarDecl* V : Variables.Queues)
      if (!addElements(V))
        return V;
    if (const VarDecl* Other = findStatements())
      return Other;
    findFixedConditions(Loop->getBody());
    for (const VarDecl* V : Variables.Queues)
      if (!Before.Others.count(V))
        Result.Needed[V].resize(Start.Of.at(V).size());
    for (unsigned World = 0; World != 1u << FixedConditions.size(); ++World) {
      for (auto [I, C] : llvm::enumerate(FixedConditions))
        C.Holds = (World >> I & 1) != 0;
      run();
      if (const VarDecl* Kept = countIterations())
        return Kept;
    }
    for (const auto& [V, Value] : Before.Values)
      if (Result.Needed.count(V) && isNumber(Context.getBaseElementType(V->getType())) && isNumber(Value->IgnoreImplicit()->getType()) &&
          !isa<InitListExpr>(Value->IgnoreImplicit()) && readsMemory(Value) && ChangedVariables(Value).All.empty() && PlainStatement(Value))
        Result.FirstValues.push_back(Value);
    return std::move(Result);
  }

private:
  static constexpr std::int64_t MostElements = 256;

  static bool isNumber(QualType Type) { return Type->isArithmeticType() && !Type->isEnumeralType(); }

  static bool readsMemory(const Stmt* S) {
    return S && (isa<ArraySubscriptExpr, CallExpr>(S) || (isa<UnaryOperator>(S) && cast<UnaryOperator>(S)->getOpcode() == UO_Deref) ||
                 llvm::any_of(S->children(), [](const Stmt* Child) { return readsMemory(Child); }));
  }

  // --- Elements of queues.

  std::optional<std::int64_t> elementsOf(const VarDecl* V) const {
    std::int64_t Count = 1;
    QualType Type = V->getType();
    while (const ConstantArrayType* Array = Context.getAsConstantArrayType(Type)) {
      if (Array->getSize().ugt(MostElements))
        return std::nullopt;
      Count *= static_cast<std::int64_t>(Array->getSize().getZExtValue());
      Type = Array->getElementType();
    }
    bool Plain = Type->isScalarType() || (Type->isRecordType() && Type.isTriviallyCopyableType(Context));
    return Plain && !Type.isVolatileQualified() && Count <= MostElements ? std::optional(Count) : std::nullopt;
  }

  bool addElements(const VarDecl* V) {
    std::optional<std::int64_t> Count = elementsOf(V);
    if (!Count || Aliased.contain(V))
      return false;
    for (std::int64_t I = 0; I < *Count; ++I) {
      auto E = static_cast<unsigned>(Owners.size());
      Start.Of[V].push_back({E});
      Start.CopyOf[V].push_back(E);
      Owners.push_back(V);
      Places.push_back(static_cast<size_t>(I));
    }
    return true;
  }

  // --- The statements that queues need.

  /// What of the loop queues must not be made of; null if they are not.
  const VarDecl* findStatements() {
    Wanted.insert(Variables.Queues.begin(), Variables.Queues.end());
    Wanted.insert(Variables.Moved.begin(), Variables.Moved.end());
    number(Loop->getBody());
    want(Loop->getInc());
    auto Found = [&] { return Wanted.size() + Result.Statements.size() + Result.Around.size(); };
    size_t Last = 0;
    do {
      Last = Found();
      keep(Loop->getBody());
    } while (Found() != Last);
    for (const VarDecl* V : Variables.Combined)
      if (Wanted.count(V))
        return V;
    auto IsPlain = [](const Stmt* S) { return static_cast<bool>(PlainStatement(S)); };
    bool Plain = PlainStatement(Loop->getInc()) && llvm::all_of(Result.Statements, IsPlain) && !HidesContinue &&
                 llvm::all_of(Result.Around, [&](const Stmt* S) { return !isa<IfStmt>(S) || IsPlain(cast<IfStmt>(S)->getCond()); });
    return Plain ? nullptr : Variables.Queues.front();
  }

  /// In the order of their text, without what is inside of statements that are kept as wholes.
  void number(const Stmt* S) {
    if (!S)
      return;
    Numbers.emplace(S, Numbers.size());
    if (isAroundStatements(S))
      for (const Stmt* Child : S->children())
        number(Child);
    else if (!isa<ContinueStmt>(S))
      HidesContinue |= continues(S);
  }

  static bool continues(const Stmt* S) {
    if (!S || isa<LambdaExpr, ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S))
      return false;
    return isa<ContinueStmt>(S) || llvm::any_of(S->children(), [](const Stmt* Child) { return continues(Child); });
  }

  void want(const Stmt* S) {
    for (const DeclRefExpr* Ref : References(S).All)
      if (const VarDecl* V = variableNamed(Ref))
        Wanted.insert(V);
  }

  bool keep(const Stmt* S) {
    if (!S || isa<NullStmt>(S))
      return false;
    if (isAroundStatements(S)) {
      bool Any = false;
      if (const auto* If = dyn_cast<IfStmt>(S)) {
        Any = keep(If->getThen());
        Any |= keep(If->getElse());
        if (Any)
          want(If->getCond());
      } else {
        for (const Stmt* Child : S->children())
          Any |= keep(Child);
      }
      if (Any)
        Result.Around.insert(S);
      return Any;
    }
    bool Kept = isa<ContinueStmt>(S) ? Numbers.at(S) < LastKept
                                     : llvm::any_of(changedBy(S), [&](const VarDecl* V) { return Wanted.count(V) != 0; });
    if (!Kept)
      return false;
    Result.Statements.insert(S);
    if (!isa<ContinueStmt>(S))
      LastKept = std::max(LastKept, Numbers.at(S));
    want(S);
    return true;
  }

  const std::set<const VarDecl*>& changedBy(const Stmt* S) {
    auto [It, IsNew] = Changed.try_emplace(S);
    if (IsNew)
      It->second = ChangedVariables(S).All;
    return It->second;
  }

  // --- Conditions that are the same in all iterations: what is done where they hold, and where they do not, is looked at apart.

  struct FixedCondition {
    llvm::FoldingSetNodeID Id;
    bool Holds = false;
  };

  static constexpr size_t MostConditions = 4;

  void findFixedConditions(const Stmt* S) {
    if (!S)
      return;
    if (const auto* If = dyn_cast<IfStmt>(S); If && isAroundStatements(If) && !If->isConstexpr() && isFixed(If->getCond()) &&
                                              !fixedCondition(If->getCond()) && FixedConditions.size() != MostConditions)
      FixedConditions.push_back({idOf(If->getCond())});
    for (const Stmt* Child : S->children())
      findFixedConditions(Child);
  }

  bool isFixed(const Stmt* S) {
    if (const auto* Ref = dyn_cast<DeclRefExpr>(S)) {
      const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
      if (V && V->hasGlobalStorage())
        return V->getType().isConstQualified() || isBuiltin(V);
      return V && !changedBy(Loop).count(V) && !Aliased.contain(V) && !V->getType()->isReferenceType() && !V->getType()->isArrayType();
    }
    if (const auto* Pseudo = dyn_cast<PseudoObjectExpr>(S)) // threadIdx.x in CUDA's headers
      return isFixed(Pseudo->getSyntacticForm());
    if (const auto* Property = dyn_cast<MSPropertyRefExpr>(S))
      return isFixed(Property->getBaseExpr());
    if (const auto* Opaque = dyn_cast<OpaqueValueExpr>(S))
      return Opaque->getSourceExpr() && isFixed(Opaque->getSourceExpr());
    const auto* Unary = dyn_cast<UnaryOperator>(S);
    const auto* Binary = dyn_cast<BinaryOperator>(S);
    const auto* Member = dyn_cast<MemberExpr>(S);
    bool Plain = isa<ParenExpr, CastExpr, IntegerLiteral, CXXBoolLiteralExpr, SubstNonTypeTemplateParmExpr>(S) ||
                 (Unary && Unary->getOpcode() != UO_Deref && !Unary->isIncrementDecrementOp()) || (Binary && !Binary->isAssignmentOp()) ||
                 (Member && !Member->isArrow());
    return Plain && llvm::all_of(S->children(), [&](const Stmt* Child) { return isFixed(Child); });
  }

  static bool isBuiltin(const VarDecl* V) {
    StringRef Name = V->getName();
    return Name == "threadIdx" || Name == "blockIdx" || Name == "blockDim" || Name == "gridDim";
  }

  llvm::FoldingSetNodeID idOf(const Expr* E) const {
    llvm::FoldingSetNodeID Id;
    E->IgnoreParenImpCasts()->Profile(Id, Context, /*Canonical=*/true);
    return Id;
  }

  const FixedCondition* fixedCondition(const Expr* E) const {
    auto It = llvm::find_if(FixedConditions, [Id = idOf(E)](const FixedCondition& C) { return C.Id == Id; });
    return It == FixedConditions.end() ? nullptr : &*It;
  }

  // --- What an iteration makes of the elements.

  void run() {
    Now = Start;
    Continued.clear();
    Skipping.clear();
    UsedInIteration.clear();
    exec(Loop->getBody());
    for (const Contents& Ended : Continued)
      Now = join(std::move(Now), Ended);
    for (const VarDecl* V : Variables.Queues)
      for (Origins& Each : Now.Of[V])
        add(Each, Skipping);
    InStatement = IsKept = true;
    execInside(Loop->getInc());
    InStatement = IsKept = false;
  }

  void use(const Origins& Used) {
    if (!IsKept)
      add(UsedInIteration, Used);
  }

  void exec(const Stmt* S) {
    if (!S || !Now.Reachable)
      return;
    bool Outside = !InStatement;
    if (Outside && !isAroundStatements(S)) {
      InStatement = true;
      IsKept = Result.Statements.count(S) != 0;
    }
    execInside(S);
    if (Outside) {
      InStatement = false;
      IsKept = false;
    }
  }

  void execInside(const Stmt* S) {
    if (const auto* E = dyn_cast<Expr>(S))
      return execExpression(E);
    if (const auto* Attributed = dyn_cast<AttributedStmt>(S))
      return execInside(Attributed->getSubStmt());
    if (isa<NullStmt>(S))
      return;
    if (isa<ContinueStmt>(S)) {
      if (Result.Statements.count(S))
        add(Skipping, Control);
      Continued.push_back(std::exchange(Now, {}));
      Now.Reachable = false;
      return;
    }
    if (isa<CompoundStmt>(S)) {
      for (const Stmt* Child : S->children())
        exec(Child);
      return;
    }
    if (isAroundStatements(S))
      return execIf(cast<IfStmt>(S));
    if (const auto* Declared = dyn_cast<DeclStmt>(S)) {
      for (const Decl* D : Declared->decls())
        if (const auto* V = dyn_cast<VarDecl>(D))
          declare(V);
      return;
    }
    const auto* For = dyn_cast<ForStmt>(S);
    const auto* While = dyn_cast<WhileStmt>(S);
    const auto* Do = dyn_cast<DoStmt>(S);
    bool Done = (For && !For->getConditionVariable() && execIterations(For->getInit(), For->getCond(), For->getInc(), For->getBody(), false)) ||
                (While && !While->getConditionVariable() && execIterations(nullptr, While->getCond(), nullptr, While->getBody(), false)) ||
                (Do && execIterations(nullptr, Do->getCond(), nullptr, Do->getBody(), true));
    if (!Done)
      anything(S);
  }

  void execIf(const IfStmt* If) {
    if (std::optional<const Stmt*> Taken = If->getNondiscardedCase(Context))
      return exec(*Taken ? *Taken : nullptr);
    if (const FixedCondition* Fixed = fixedCondition(If->getCond()))
      return exec(Fixed->Holds ? If->getThen() : If->getElse());
    if (std::optional<std::int64_t> Known = number(If->getCond()))
      return exec(*Known ? If->getThen() : If->getElse());
    if (!ChangedVariables(If->getCond()).All.empty())
      anything(If->getCond());
    Origins On = origins(If->getCond());
    use(On);
    Origins Outer = Control;
    add(Control, On);
    Contents Before = Now;
    exec(If->getThen());
    std::swap(Now, Before);
    exec(If->getElse());
    Now = join(std::move(Before), Now);
    Control = std::move(Outer);
  }

  void declare(const VarDecl* V) {
    const Expr* Init = V->getInit();
    if (Init && !ChangedVariables(Init).All.empty())
      anything(Init);
    Origins From = Init ? origins(Init) : Origins();
    addConditions(From);
    use(From);
    if (mayBeHidden(V))
      hide(From);
    Now.Of[V] = {std::move(From)};
    note(V, Init && V->getType()->isIntegerType() ? number(Init) : std::nullopt);
  }

  /// Those on which it depends whether a statement is run.
  void addConditions(Origins& To) const {
    add(To, Control);
    add(To, Skipping);
  }

  void note(const VarDecl* V, std::optional<std::int64_t> Number) {
    if (Number && Context.getTypeSize(V->getType()) >= 32 && (*Number >= 0 || V->getType()->isSignedIntegerType()))
      Now.Numbers[V] = *Number;
    else
      Now.Numbers.erase(V);
  }

  /// True if it is known how many iterations the loop has, which are then run.
  bool execIterations(const Stmt* Init, const Expr* Cond, const Stmt* Inc, const Stmt* Body, bool BodyFirst) {
    constexpr unsigned Most = 4096;
    if (!Cond || exitOf(Body) || continues(Body) || !ChangedVariables(Cond).All.empty())
      return false;
    if (Init)
      execInside(Init);
    for (unsigned I = 0; I < Most; ++I) {
      std::optional<std::int64_t> More = BodyFirst && I == 0 ? 1 : number(Cond);
      if (!More || *More == 0)
        return More.has_value();
      execInside(Body);
      if (Inc)
        execInside(Inc);
    }
    return false;
  }

  void execExpression(const Expr* E) {
    E = withoutCleanups(E);
    if (const auto* Comma = dyn_cast<BinaryOperator>(E); Comma && Comma->getOpcode() == BO_Comma) {
      execExpression(Comma->getLHS());
      return execExpression(Comma->getRHS());
    }
    if (std::optional<Assignment> A = assignmentOf(E); A && ChangedVariables(A->From).All.empty()) {
      Target To = targetOf(A->To);
      bool PlainIndices = llvm::all_of(To.Indices, [](const Expr* Index) { return ChangedVariables(Index).All.empty(); });
      if (To.Variable && PlainIndices) {
        Origins From = origins(A->From);
        if (A->Compound)
          add(From, origins(A->To));
        std::optional<std::int64_t> Number = A->Compound ? combinedNumber(*cast<BinaryOperator>(E)) : number(A->From);
        return assign(To, std::move(From), Number, A->Compound ? std::nullopt : copiedFrom(*A));
      }
    }
    if (const auto* Unary = dyn_cast<UnaryOperator>(E); Unary && Unary->isIncrementDecrementOp()) {
      Target To = targetOf(Unary->getSubExpr());
      std::optional<std::int64_t> Old = number(Unary->getSubExpr());
      if (To.Variable && To.Indices.empty())
        return assign(To, origins(Unary->getSubExpr()),
                      Old ? std::optional(*Old + (Unary->isIncrementOp() ? 1 : -1)) : std::nullopt);
    }
    if (!ChangedVariables(E).All.empty())
      return anything(E);
    Origins From = origins(E);
    addConditions(From);
    use(From);
    if (std::optional<Assignment> A = assignmentOf(E); !A || mayLeadToVariable(A->To))
      hide(From);
  }

  std::optional<unsigned> copiedFrom(const Assignment& A) {
    Target From = targetOf(A.From);
    auto It = Now.CopyOf.find(From.Variable);
    if (From.IsPart || It == Now.CopyOf.end() || !Context.hasSameUnqualifiedType(A.From->IgnoreParenImpCasts()->getType(), A.To->getType()))
      return std::nullopt;
    std::optional<size_t> Place = element(From.Variable, From.Indices);
    return Place ? It->second[*Place] : std::nullopt;
  }

  void assign(const Target& To, Origins From, std::optional<std::int64_t> Number, std::optional<unsigned> Copied = std::nullopt) {
    for (const Expr* Index : To.Indices)
      add(From, origins(Index));
    addConditions(From);
    use(From);
    const VarDecl* V = To.Variable;
    if (mayBeHidden(V))
      hide(From);
    auto It = Now.Of.find(V);
    bool OfQueue = It != Now.Of.end() && It->second.size() > 1;
    std::optional<size_t> Element = OfQueue ? element(V, To.Indices) : std::optional<size_t>(0);
    std::vector<Origins>& Elements = Now.Of[V];
    if (Elements.empty())
      Elements.resize(1);
    bool Whole = !To.IsPart && (OfQueue || To.Indices.empty() || isQueue(V));
    if (Whole && Element)
      Elements[*Element] = std::move(From);
    else
      for (Origins& Each : Elements)
        add(Each, From);
    if (isQueue(V)) {
      std::vector<std::optional<unsigned>>& Copies = Now.CopyOf[V];
      if (Whole && Element)
        Copies[*Element] = Copied;
      else
        std::ranges::fill(Copies, std::nullopt);
    }
    note(V, To.IsPart || !To.Indices.empty() || V->getType()->isReferenceType() || !V->getType()->isIntegerType() ? std::nullopt : Number);
  }

  bool isQueue(const VarDecl* V) const { return llvm::is_contained(Variables.Queues, V); }

  /// Which one the indices name, if they are known and in range.
  std::optional<size_t> element(const VarDecl* V, const std::vector<const Expr*>& Indices) {
    QualType Type = V->getType();
    std::int64_t Place = 0;
    for (const Expr* Index : Indices) {
      const ConstantArrayType* Array = Context.getAsConstantArrayType(Type);
      std::optional<std::int64_t> Number = number(Index);
      if (!Array || !Number || *Number < 0 || Array->getSize().ule(static_cast<std::uint64_t>(*Number)))
        return std::nullopt;
      Place = Place * static_cast<std::int64_t>(Array->getSize().getZExtValue()) + *Number;
      Type = Array->getElementType();
    }
    return Type->isArrayType() ? std::nullopt : std::optional(static_cast<size_t>(Place));
  }

  /// A statement that is not looked into: all that it changes may be made of all that it names.
  void anything(const Stmt* S) {
    Origins From = Now.Hidden;
    addConditions(From);
    for (const DeclRefExpr* Ref : References(S).All)
      if (const VarDecl* V = variableNamed(Ref))
        add(From, originsOf(V));
    use(From);
    for (const VarDecl* V : ChangedVariables(S).All) {
      std::vector<Origins>& Elements = Now.Of[V];
      if (Elements.empty())
        Elements.resize(1);
      for (Origins& Each : Elements)
        add(Each, From);
      if (auto It = Now.CopyOf.find(V); It != Now.CopyOf.end())
        std::ranges::fill(It->second, std::nullopt);
      Now.Numbers.erase(V);
    }
    hide(From);
  }

  void hide(const Origins& From) {
    if (!Aliased.empty())
      add(Now.Hidden, From);
  }

  /// Something else than its name may lead to it.
  bool mayBeHidden(const VarDecl* V) const { return V->getType()->isReferenceType() || Aliased.contain(V); }

  /// What is reached through a pointer may be a variable of the function.
  bool mayLeadToVariable(const Expr* E) {
    if (Aliased.empty())
      return false;
    while (true) {
      E = E->IgnoreParenCasts();
      if (const auto* Element = dyn_cast<ArraySubscriptExpr>(E))
        E = Element->getBase();
      else if (const auto* Member = dyn_cast<MemberExpr>(E))
        E = Member->getBase();
      else if (const auto* Unary = dyn_cast<UnaryOperator>(E))
        E = Unary->getSubExpr();
      else if (const auto Sum = pointerSum(E))
        E = Sum->Pointer;
      else
        break;
    }
    const auto* Ref = dyn_cast<DeclRefExpr>(E);
    const auto* V = Ref ? dyn_cast<ParmVarDecl>(Ref->getDecl()) : nullptr;
    return !V || changedBy(Function->getBody()).count(V);
  }

  Origins originsOf(const VarDecl* V) const {
    Origins From;
    if (auto It = Now.Of.find(V); It != Now.Of.end())
      for (const Origins& Each : It->second)
        add(From, Each);
    if (mayBeHidden(V))
      add(From, Now.Hidden);
    if (const CXXRecordDecl* Class = V->getType().getNonReferenceType()->getAsCXXRecordDecl(); Class && Class->isLambda())
      for (const LambdaCapture& Capture : Class->captures())
        if (Capture.capturesVariable() && Capture.getCapturedVar() != V)
          if (const auto* Captured = dyn_cast<VarDecl>(Capture.getCapturedVar()))
            add(From, originsOf(Captured));
    return From;
  }

  /// Of the value of an expression that changes nothing.
  Origins origins(const Stmt* S) {
    Origins From;
    if (!S)
      return From;
    if (const auto* Lambda = dyn_cast<LambdaExpr>(S)) {
      for (const DeclRefExpr* Ref : References(Lambda).All)
        if (const VarDecl* V = variableNamed(Ref))
          add(From, originsOf(V));
      return From;
    }
    if (const auto* Element = dyn_cast<ArraySubscriptExpr>(S))
      if (Target Of = targetOf(Element); Of.Variable && isQueue(Of.Variable)) {
        for (const Expr* Index : Of.Indices)
          add(From, origins(Index));
        std::optional<size_t> Place = element(Of.Variable, Of.Indices);
        add(From, Place ? Now.Of.at(Of.Variable)[*Place] : originsOf(Of.Variable));
        return From;
      }
    if (const auto* Ref = dyn_cast<DeclRefExpr>(S))
      if (const VarDecl* V = variableNamed(Ref))
        return originsOf(V);
    bool ByPointer = isa<ArraySubscriptExpr, UnaryOperator, MemberExpr>(S) && mayLeadToVariable(cast<Expr>(S));
    if (ByPointer || isa<CallExpr, CXXConstructExpr>(S))
      add(From, Now.Hidden);
    for (const Stmt* Child : S->children())
      add(From, origins(Child));
    return From;
  }

  // --- Numbers that are known, as the counters of short loops are.

  std::optional<std::int64_t> number(const Expr* E) {
    E = E->IgnoreParenImpCasts();
    if (!E->getType()->isIntegralOrEnumerationType() || E->isValueDependent())
      return std::nullopt;
    Expr::EvalResult Known;
    if (E->EvaluateAsInt(Known, Context) && Known.Val.getInt().isRepresentableByInt64())
      return Known.Val.getInt().getExtValue();
    if (const auto* Ref = dyn_cast<DeclRefExpr>(E)) {
      const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
      auto It = V && !mayBeHidden(V) ? Now.Numbers.find(V) : Now.Numbers.end();
      return It == Now.Numbers.end() ? std::nullopt : std::optional(It->second);
    }
    if (const auto* Binary = dyn_cast<BinaryOperator>(E); Binary && !Binary->isAssignmentOp()) {
      std::optional<std::int64_t> A = number(Binary->getLHS()), B = number(Binary->getRHS());
      return A && B ? result(Binary->getOpcode(), *A, *B, Binary->getLHS()->getType()) : std::nullopt;
    }
    return std::nullopt;
  }

  std::optional<std::int64_t> combinedNumber(const BinaryOperator& E) {
    std::optional<std::int64_t> A = number(E.getLHS()), B = number(E.getRHS());
    return A && B ? result(BinaryOperator::getOpForCompoundAssignment(E.getOpcode()), *A, *B, E.getType()) : std::nullopt;
  }

  /// Of numbers so small that all types have the result, if it is not negative.
  static std::optional<std::int64_t> result(BinaryOperatorKind Op, std::int64_t A, std::int64_t B, QualType Type) {
    constexpr std::int64_t Most = 1 << 15;
    bool Negative = A < 0 || B < 0 || (Op == BO_Sub && A < B);
    if (std::max(std::abs(A), std::abs(B)) > Most || (Negative && !Type->isSignedIntegerType()))
      return std::nullopt;
    switch (Op) {
    case BO_Add:
      return A + B;
    case BO_Sub:
      return A - B;
    case BO_Mul:
      return A * B;
    case BO_Div:
      return B ? std::optional(A / B) : std::nullopt;
    case BO_Rem:
      return B ? std::optional(A % B) : std::nullopt;
    case BO_LT:
      return A < B;
    case BO_LE:
      return A <= B;
    case BO_GT:
      return A > B;
    case BO_GE:
      return A >= B;
    case BO_EQ:
      return A == B;
    case BO_NE:
      return A != B;
    default:
      return std::nullopt;
    }
  }

  // --- For how long.

  /// The elements that may still hold, an iteration later, something that is made of what some hold now.
  Origins madeOf(const Origins& Some) const {
    Origins Later;
    for (unsigned E = 0; E != Owners.size(); ++E)
      if (meet(endOf(E), Some))
        Later.insert(E);
    return Later;
  }

  const Origins& endOf(unsigned E) const { return Now.Of.at(Owners[E])[Places[E]]; }

  /// The variable that is kept for ever, null if none is.
  const VarDecl* countIterations() {
    Origins Old, Alike;
    for (unsigned E = 0; E != Owners.size(); ++E)
      Old.insert(E);
    for (unsigned Iterations = 0; meet(Old, UsedInIteration); Old = madeOf(Old)) {
      Result.Iterations = std::max(Result.Iterations, ++Iterations);
      if (madeOf(Old) != Old)
        continue;
      if (!areAlike(Old))
        return Owners[*llvm::find_if(Old, [&](unsigned E) { return UsedInIteration.count(E) != 0; })];
      Alike = Old;
      break;
    }
    for (unsigned E = 0; E != Owners.size(); ++E) {
      auto It = Result.Needed.find(Owners[E]);
      if (It == Result.Needed.end() || Alike.count(E))
        continue;
      std::optional<unsigned>& Last = It->second[Places[E]];
      Origins Some = {E};
      for (unsigned I = 0; I <= Result.Iterations; ++I, Some = madeOf(Some))
        if (meet(Some, UsedInIteration))
          Last = std::max(Last.value_or(0), I);
    }
    return nullptr;
  }

  /// Whether elements are only copied among each other, and begin with nothing, or all with 0. Then it does not matter how often.
  bool areAlike(const Origins& Some) {
    return llvm::all_of(Some, [&](unsigned E) {
      const std::optional<unsigned>& From = Now.CopyOf.at(Owners[E])[Places[E]];
      return From && Some.count(*From) && beginsWithNothing(Owners[E]);
    });
  }

  bool beginsWithNothing(const VarDecl* V) {
    const Expr* Init = V->getInit();
    bool Zero = !Init || isa<ImplicitValueInitExpr>(Init) || isZero(Init);
    return !isa<ParmVarDecl>(V) && !Before.Others.count(V) && Zero && llvm::all_of(Before.AssignedUnder[V], [&](const auto& Under) {
      return llvm::any_of(Under, [&](const std::pair<const IfStmt*, bool>& Each) {
        const FixedCondition* Fixed = fixedCondition(Each.first->getCond());
        return Fixed && Fixed->Holds != Each.second && keepsUntilLoop(Each.first);
      });
    });
  }

  bool isZero(const Expr* E) const {
    E = E->IgnoreParenImpCasts();
    if (const auto* List = dyn_cast<InitListExpr>(E))
      return llvm::all_of(List->inits(), [&](const Expr* Each) { return isa<ImplicitValueInitExpr>(Each) || isZero(Each); });
    const auto* Float = dyn_cast<FloatingLiteral>(E);
    const auto* Integer = dyn_cast<IntegerLiteral>(E);
    return (Float && Float->getValue().isPosZero()) || (Integer && Integer->getValue() == 0);
  }

  /// Whether the condition before the loop is the same in it: nothing changes its variables from there on.
  bool keepsUntilLoop(const IfStmt* If) {
    if (!isFixed(If->getCond()))
      return false;
    const SourceManager& Sources = Context.getSourceManager();
    SourceLocation From = outermostLoop(If)->getBeginLoc();
    References Named(If->getCond()), Everywhere(Function->getBody());
    return llvm::none_of(Everywhere.All, [&](const DeclRefExpr* Ref) {
      const VarDecl* V = variableNamed(Ref);
      return V && Named.mention(V) && !isBuiltin(V) && Sources.isBeforeInTranslationUnit(From, Ref->getLocation()) &&
             !Before.Reads.contains(Ref);
    });
  }

  /// That a statement is run in, or itself.
  const Stmt* outermostLoop(const Stmt* S) const {
    const Stmt* Found = S;
    for (DynTypedNodeList Parents = Context.getParents(*S); !Parents.empty(); Parents = Context.getParents(Parents[0]))
      if (const auto* Parent = Parents[0].get<Stmt>(); Parent && isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(Parent))
        Found = Parent;
    return Found;
  }

  /// What is done with variables outside of the loop.
  class NamesBefore : public DynamicRecursiveASTVisitor {
  public:
    NamesBefore(const FunctionDecl* Function, const ForStmt* Loop) : Reads(Function->getBody()), Loop(Loop) {
      TraverseStmt(Function->getBody());
      for (const auto& [Ref, V] : Refs)
        if (!Targets.contains(Ref))
          Others.insert(V);
    }
    bool TraverseForStmt(ForStmt* S) override {
      if (S == Loop)
        return true;
      statement(S->getBody());
      return DynamicRecursiveASTVisitor::TraverseForStmt(S);
    }
    bool VisitCompoundStmt(CompoundStmt* S) override {
      for (const Stmt* Child : S->body())
        statement(Child);
      return true;
    }
    bool TraverseIfStmt(IfStmt* S) override {
      if (!isAroundStatements(S))
        return DynamicRecursiveASTVisitor::TraverseIfStmt(S);
      bool Continue = TraverseStmt(S->getCond());
      for (Stmt* Branch : {S->getThen(), S->getElse()}) {
        Under.emplace_back(S, Branch == S->getThen());
        statement(Branch);
        Continue = Continue && TraverseStmt(Branch);
        Under.pop_back();
      }
      return Continue;
    }
    bool VisitVarDecl(VarDecl* V) override {
      if (V->getInit() && !V->getType()->getContainedAutoType() && V->getInitStyle() == VarDecl::CInit && !V->getType()->isArrayType())
        Values.emplace_back(V, V->getInit());
      return true;
    }
    bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
      if (const VarDecl* V = variableNamed(Ref))
        Refs.emplace_back(Ref, V);
      return true;
    }
    /// Those with which something else is done than to assign to them in statements.
    std::set<const VarDecl*> Others;
    /// What they are given.
    std::vector<std::pair<const VarDecl*, const Expr*>> Values;
    /// For each such statement, the branches that it stands in.
    std::map<const VarDecl*, std::vector<std::vector<std::pair<const IfStmt*, bool>>>> AssignedUnder;
    PureReads Reads;

  private:
    void statement(const Stmt* S) {
      const auto* E = dyn_cast_or_null<Expr>(S);
      std::optional<Assignment> A = E ? assignmentOf(E) : std::nullopt;
      Target To = A && !A->Compound ? targetOf(A->To) : Target();
      if (!To.Variable)
        return;
      Targets.insert(To.Ref);
      Values.emplace_back(To.Variable, A->From);
      AssignedUnder[To.Variable].push_back(Under);
    }
    const ForStmt* Loop;
    std::vector<std::pair<const IfStmt*, bool>> Under;
    llvm::SmallPtrSet<const DeclRefExpr*, 16> Targets;
    std::vector<std::pair<const DeclRefExpr*, const VarDecl*>> Refs;
  };

  const FunctionDecl* Function;
  const ForStmt* Loop;
  const LoopVariables& Variables;
  ASTContext& Context;
  AliasedVariables Aliased;
  NamesBefore Before;
  RegisterQueues Result;
  /// The variables of all elements, and where they are in these.
  std::vector<const VarDecl*> Owners;
  std::vector<size_t> Places;
  std::set<const VarDecl*> Wanted;
  std::map<const Stmt*, size_t> Numbers;
  std::map<const Stmt*, std::set<const VarDecl*>> Changed;
  size_t LastKept = 0;
  bool HidesContinue = false;
  std::vector<FixedCondition> FixedConditions;
  Contents Start, Now;
  std::vector<Contents> Continued;
  /// What the conditions around a statement are made of, and those of what ends an iteration before it.
  Origins Control, Skipping;
  Origins UsedInIteration;
  bool InStatement = false, IsKept = false;
};

} // namespace

std::variant<RegisterQueues, const VarDecl*> findRegisterQueues(const FunctionDecl* Function, const ForStmt* Loop,
                                                                const LoopVariables& Variables, ASTContext& Context) {
  return QueueFinder(Function, Loop, Variables, Context).find();
}

} // namespace gpurma
