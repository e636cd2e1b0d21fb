// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/RowLoop.h"

#include "frontend/SourceText.h"
#include "passes/KernelInterpreter.h"

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace gpurma {
namespace {

const VarDecl* namedVariable(const Expr* E) {
  const auto* Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
}

bool isOne(const Expr* E) {
  const auto* Literal = dyn_cast<IntegerLiteral>(E->IgnoreParenImpCasts());
  return Literal && Literal->getValue() == 1;
}

/// The parts of `a, b, c`.
void commaParts(const Expr* E, llvm::SmallVectorImpl<const Expr*>& Parts) {
  if (!E)
    return;
  const auto* Comma = dyn_cast<BinaryOperator>(E->IgnoreParens());
  if (Comma && Comma->getOpcode() == BO_Comma) {
    commaParts(Comma->getLHS(), Parts);
    commaParts(Comma->getRHS(), Parts);
  } else {
    Parts.push_back(E->IgnoreParens());
  }
}

/// The variable of `++v`, `v++`, `v += 1` and `v = v + 1`.
const VarDecl* incremented(const Expr* E) {
  if (const auto* Unary = dyn_cast<UnaryOperator>(E))
    return Unary->isIncrementOp() ? namedVariable(Unary->getSubExpr()) : nullptr;
  const auto* Binary = dyn_cast<BinaryOperator>(E);
  const VarDecl* V = Binary ? namedVariable(Binary->getLHS()) : nullptr;
  if (!V)
    return nullptr;
  if (Binary->getOpcode() == BO_AddAssign)
    return isOne(Binary->getRHS()) ? V : nullptr;
  const auto* Sum = dyn_cast<BinaryOperator>(Binary->getRHS()->IgnoreParenImpCasts());
  bool Next = Binary->getOpcode() == BO_Assign && Sum && Sum->getOpcode() == BO_Add &&
              ((namedVariable(Sum->getLHS()) == V && isOne(Sum->getRHS())) ||
               (namedVariable(Sum->getRHS()) == V && isOne(Sum->getLHS())));
  return Next ? V : nullptr;
}

/// `Counter < Bound`, in any spelling.
struct LoopCondition {
  const VarDecl* Counter = nullptr;
  const Expr* Bound = nullptr;
  bool Inclusive = false;
};

std::optional<LoopCondition> conditionOf(const ForStmt& Loop) {
  const auto* Compare = Loop.getCond() ? dyn_cast<BinaryOperator>(Loop.getCond()->IgnoreParenImpCasts()) : nullptr;
  if (!Compare || !Compare->isRelationalOp())
    return std::nullopt;
  llvm::SmallVector<const Expr*, 4> Steps;
  commaParts(Loop.getInc(), Steps);
  BinaryOperatorKind Op = Compare->getOpcode();
  bool Below = Op == BO_LT || Op == BO_LE;
  const Expr* Side = Below ? Compare->getLHS() : Compare->getRHS();
  const VarDecl* Counter = namedVariable(Side);
  if (!Counter || llvm::none_of(Steps, [&](const Expr* Step) { return incremented(Step) == Counter; }))
    return std::nullopt;
  return LoopCondition{Counter, Below ? Compare->getRHS() : Compare->getLHS(), Op == BO_LE || Op == BO_GE};
}

class References : public RecursiveASTVisitor<References> {
public:
  explicit References(const Stmt* S) {
    if (S)
      TraverseStmt(const_cast<Stmt*>(S));
  }
  bool VisitDeclRefExpr(DeclRefExpr* Ref) {
    All.insert(Ref);
    return true;
  }
  bool mention(const VarDecl* V) const {
    return llvm::any_of(All, [&](const DeclRefExpr* Ref) { return Ref->getDecl() == V; });
  }
  llvm::SmallPtrSet<const DeclRefExpr*, 32> All;
};

/// What only reads the variable that it names.
class PureReads : public RecursiveASTVisitor<PureReads> {
public:
  explicit PureReads(const Stmt* S) { TraverseStmt(const_cast<Stmt*>(S)); }

  bool contains(const DeclRefExpr* Ref) const { return Found.contains(Ref); }

  bool shouldVisitImplicitCode() const { return false; }
  /// The body of a lambda says what becomes of what it captures.
  bool TraverseLambdaCapture(LambdaExpr* Lambda, const LambdaCapture* Capture, Expr* Init) {
    return !Lambda->isInitCapture(Capture) || TraverseStmt(Init);
  }
  bool VisitCastExpr(CastExpr* Cast) {
    if (Cast->getCastKind() == CK_LValueToRValue || Cast->getCastKind() == CK_ToVoid)
      read(Cast->getSubExpr());
    return true;
  }
  bool VisitVarDecl(VarDecl* V) {
    if (V->getInit() && isConstReference(V->getType()))
      read(V->getInit());
    return true;
  }
  bool VisitCallExpr(CallExpr* Call) {
    const FunctionDecl* Callee = Call->getDirectCallee();
    if (!Callee)
      return true;
    const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
    bool OfObject = isa<CXXOperatorCallExpr>(Call) && Method;
    if (const auto* Member = dyn_cast<CXXMemberCallExpr>(Call); Member && Method && Method->isConst())
      read(Member->getImplicitObjectArgument());
    if (OfObject && Method->isConst())
      read(Call->getArg(0));
    readArguments(Callee, llvm::ArrayRef(Call->getArgs(), Call->getNumArgs()).drop_front(OfObject ? 1 : 0));
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* Construct) {
    readArguments(Construct->getConstructor(), llvm::ArrayRef(Construct->getArgs(), Construct->getNumArgs()));
    return true;
  }

private:
  static bool isConstReference(QualType T) { return T->isReferenceType() && T->getPointeeType().isConstQualified(); }

  void readArguments(const FunctionDecl* Callee, ArrayRef<const Expr*> Arguments) {
    for (auto [Parameter, Argument] : llvm::zip(Callee->parameters(), Arguments))
      if (isConstReference(Parameter->getType()))
        read(Argument);
  }

  /// Of the variable itself, or of a part of it.
  void read(const Expr* E) {
    while (true) {
      E = E->IgnoreParenImpCasts();
      if (const auto* Member = dyn_cast<MemberExpr>(E); Member && !Member->isArrow())
        E = Member->getBase();
      else if (const auto* Element = dyn_cast<ArraySubscriptExpr>(E);
               Element && Element->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
        E = Element->getBase();
      else
        break;
    }
    if (const auto* Ref = dyn_cast<DeclRefExpr>(E))
      Found.insert(Ref);
  }

  llvm::SmallPtrSet<const DeclRefExpr*, 32> Found;
};

/// Variables that something may change without naming them.
class Exposed : public RecursiveASTVisitor<Exposed> {
public:
  explicit Exposed(const Stmt* S) { TraverseStmt(const_cast<Stmt*>(S)); }
  bool VisitUnaryOperator(UnaryOperator* E) {
    if (E->getOpcode() == UO_AddrOf)
      note(E->getSubExpr());
    return true;
  }
  bool VisitVarDecl(VarDecl* V) {
    if (V->getType()->isReferenceType() && V->getInit())
      note(V->getInit());
    return true;
  }
  bool VisitLambdaExpr(LambdaExpr* Lambda) {
    for (const LambdaCapture& Capture : Lambda->captures())
      if (Capture.capturesVariable())
        Variables.insert(Capture.getCapturedVar());
    return true;
  }
  llvm::SmallPtrSet<const ValueDecl*, 8> Variables;

private:
  void note(const Expr* E) {
    if (const VarDecl* V = namedVariable(E))
      Variables.insert(V);
  }
};

/// What leaves the loop before its condition ends it.
const Stmt* exitOf(const Stmt* S, bool OwnBreak = true) {
  if (!S || isa<LambdaExpr>(S))
    return nullptr;
  if (isa<ReturnStmt, GotoStmt, IndirectGotoStmt>(S) || (OwnBreak && isa<BreakStmt>(S)))
    return S;
  bool Inner = OwnBreak && !isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, SwitchStmt>(S);
  for (const Stmt* Child : S->children())
    if (const Stmt* Exit = exitOf(Child, Inner))
      return Exit;
  return nullptr;
}

/// A sum (or most, or least) over the iterations, which is added to a reduced scalar behind the loop: each logical block adds its
/// own part of it. Follows it through variables, shared arrays and shuffles to the atomic operation.
class CombinedValues : public RecursiveASTVisitor<CombinedValues> {
public:
  enum Operation { Plus, Max, Min };

  CombinedValues(const FunctionDecl* Function, const ForStmt* Loop, ASTContext& Context)
      : Function(Function), Loop(Loop), Context(Context), Inside(Loop) {}

  /// Whether the loop does nothing with the variable but to combine it with something.
  bool add(const VarDecl* V) {
    if (!V->getType()->isArithmeticType() || isa<ParmVarDecl>(V) || !V->hasLocalStorage())
      return false;
    Updated.clear();
    Candidate = V;
    Which.reset();
    Consistent = true;
    TraverseStmt(const_cast<ForStmt*>(Loop));
    Candidate = nullptr;
    for (const DeclRefExpr* Ref : Inside.All)
      if (Ref->getDecl() == V && !Updated.contains(Ref))
        return false;
    if (!Which || !Consistent || !beginsRight(V))
      return false;
    Combined[V] = *Which;
    return true;
  }

  /// Follows what has been added; a variable that is used otherwise, null if none is.
  const DeclRefExpr* follow() {
    Following = true;
    for (size_t Known = 0; Known != Combined.size();) {
      Known = Combined.size();
      Consumed.clear();
      Updates.clear();
      TraverseStmt(Function->getBody());
    }
    References Everywhere(Function->getBody());
    const DeclRefExpr* Other = nullptr;
    for (const DeclRefExpr* Ref : Everywhere.All)
      if (const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
          V && Combined.count(V) && !Inside.All.contains(Ref) && !Consumed.contains(Ref) &&
          (!Other || Ref->getLocation() < Other->getLocation()))
        Other = Ref;
    return Other;
  }

  bool isUpdate(const Expr* Atomic) const { return Updates.contains(Atomic); }
  bool contains(const VarDecl* V) const { return Combined.count(V); }

  bool TraverseForStmt(ForStmt* S) {
    return (Following && S == Loop) || RecursiveASTVisitor::TraverseForStmt(S);
  }
  bool VisitBinaryOperator(BinaryOperator* E) {
    if (!E->isAssignmentOp())
      return true;
    if (Candidate)
      noteUpdate(*E);
    else if (Following)
      followAssignment(*E);
    return true;
  }
  bool VisitVarDecl(VarDecl* V) {
    if (!Following || !V->getInit() || V->getType()->isReferenceType())
      return true;
    if (std::optional<Part> Value = part(V->getInit()); Value && Value->Op)
      combine(V, *Value);
    return true;
  }
  bool VisitCallExpr(CallExpr* Call) {
    const FunctionDecl* Callee = Call->getDirectCallee();
    if (!Following || !Callee || !Callee->getIdentifier() || Call->getNumArgs() != 2)
      return true;
    std::optional<Part> Value = part(Call->getArg(1));
    StringRef Name = Callee->getName();
    if (!Value || !Value->Op)
      return true;
    StringRef Wanted = *Value->Op == Plus ? "atomicAdd" : *Value->Op == Max ? "atomicMax" : "atomicMin";
    if (Name != Wanted)
      return true;
    Updates.insert(Call);
    Consumed.insert(Value->From.begin(), Value->From.end());
    return true;
  }

private:
  /// What is a multiple of combined values, or a most or least of them. No operation: 0.
  struct Part {
    std::optional<Operation> Op;
    std::vector<const DeclRefExpr*> From;
  };

  static std::optional<Operation> operationOf(StringRef Function) {
    return llvm::StringSwitch<std::optional<Operation>>(Function)
        .Cases("max", "fmax", "fmaxf", "umax", "llmax", Max)
        .Cases("min", "fmin", "fminf", "umin", "llmin", Min)
        .Default(std::nullopt);
  }

  static StringRef calleeName(const Expr* E) {
    const auto* Call = dyn_cast<CallExpr>(E);
    const FunctionDecl* Callee = Call ? Call->getDirectCallee() : nullptr;
    return Callee && Callee->getIdentifier() ? Callee->getName() : StringRef();
  }

  static bool isZero(const Expr* E, const ASTContext& Context) {
    E = E->IgnoreParenImpCasts();
    if (E->isValueDependent())
      return false;
    Expr::EvalResult Known;
    if (!E->EvaluateAsRValue(Known, Context) || Known.HasSideEffects)
      return false;
    return (Known.Val.isInt() && Known.Val.getInt().isZero()) || (Known.Val.isFloat() && Known.Val.getFloat().isPosZero());
  }

  void noteOperation(Operation Op) {
    Consistent &= !Which || *Which == Op;
    Which = Op;
  }

  /// In the loop: `v += e`, `v = v + e`, `v = max(v, e)`.
  void noteUpdate(const BinaryOperator& E) {
    const auto* Target = dyn_cast<DeclRefExpr>(E.getLHS()->IgnoreParens());
    if (!Target || Target->getDecl() != Candidate)
      return;
    if (E.getOpcode() == BO_AddAssign || E.getOpcode() == BO_SubAssign) {
      if (References(E.getRHS()).mention(Candidate))
        return;
      Updated.insert(Target);
      noteOperation(Plus);
      return;
    }
    if (E.getOpcode() != BO_Assign)
      return;
    const Expr* Value = E.getRHS()->IgnoreParenImpCasts();
    const Expr *First = nullptr, *Second = nullptr;
    std::optional<Operation> Op;
    if (const auto* Sum = dyn_cast<BinaryOperator>(Value); Sum && Sum->getOpcode() == BO_Add) {
      First = Sum->getLHS();
      Second = Sum->getRHS();
      Op = Plus;
    } else if (const auto* Call = dyn_cast<CallExpr>(Value); Call && Call->getNumArgs() == 2) {
      First = Call->getArg(0);
      Second = Call->getArg(1);
      Op = operationOf(calleeName(Call));
    }
    if (!Op)
      return;
    if (namedVariable(Second) == Candidate)
      std::swap(First, Second);
    const auto* Old = dyn_cast<DeclRefExpr>(First->IgnoreParenImpCasts());
    if (!Old || Old->getDecl() != Candidate || References(Second).mention(Candidate))
      return;
    Updated.insert(Target);
    Updated.insert(Old);
    noteOperation(*Op);
  }

  /// A sum begins with 0 in each logical block; the most of several does not mind.
  bool beginsRight(const VarDecl* V) const { return *Which != Plus || (V->getInit() && isZero(V->getInit(), Context)); }

  void combine(const VarDecl* V, const Part& Value) {
    auto [It, New] = Combined.emplace(V, *Value.Op);
    if (It->second == *Value.Op)
      Consumed.insert(Value.From.begin(), Value.From.end());
  }

  static const DeclRefExpr* storedTo(const Expr* E) {
    E = E->IgnoreParens();
    while (const auto* Element = dyn_cast<ArraySubscriptExpr>(E))
      E = Element->getBase()->IgnoreParenImpCasts();
    const auto* Ref = dyn_cast<DeclRefExpr>(E);
    const auto* V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    bool Own = V && !V->getType()->isReferenceType() && !V->getType()->isPointerType() &&
               (V->hasAttr<CUDASharedAttr>() || V->hasLocalStorage());
    return Own ? Ref : nullptr;
  }

  void followAssignment(const BinaryOperator& E) {
    const DeclRefExpr* Target = storedTo(E.getLHS());
    bool Adds = E.getOpcode() == BO_AddAssign;
    if (!Target || !(Adds || E.getOpcode() == BO_Assign))
      return;
    const auto* V = cast<VarDecl>(Target->getDecl());
    std::optional<Part> Value = part(E.getRHS());
    if (!Value)
      return;
    auto Known = Combined.find(V);
    if (!Value->Op) { // 0 is nothing to a sum
      if (Known != Combined.end() && Known->second == Plus)
        Consumed.insert(Target);
      return;
    }
    if (Adds && *Value->Op != Plus)
      return;
    // What it holds otherwise must be part of the same, too.
    if (Known == Combined.end() && V->hasLocalStorage() && V->getInit() && !isZero(V->getInit(), Context))
      return;
    combine(V, *Value);
    if (Combined.at(V) == *Value->Op)
      Consumed.insert(Target);
  }

  bool mentionsCombined(const Expr* E) const {
    References Named(E);
    return llvm::any_of(Named.All, [&](const DeclRefExpr* Ref) {
      const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
      return V && Combined.count(V);
    });
  }

  std::optional<Part> both(const Expr* A, const Expr* B, std::optional<Operation> Op) const {
    std::optional<Part> First = part(A), Second = part(B);
    if (!First || !Second)
      return std::nullopt;
    for (const Part* Each : {&*First, &*Second}) {
      if (Each->Op && Op && *Each->Op != *Op)
        return std::nullopt;
      if (!Each->Op && Op && *Op != Plus)
        return std::nullopt;
      if (Each->Op)
        Op = Each->Op;
    }
    First->Op = First->From.empty() && Second->From.empty() ? std::nullopt : Op;
    First->From.insert(First->From.end(), Second->From.begin(), Second->From.end());
    return First;
  }

  std::optional<Part> part(const Expr* E) const {
    E = E->IgnoreParens();
    if (const auto* Full = dyn_cast<FullExpr>(E))
      return part(Full->getSubExpr());
    if (const auto* Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
      return part(Temporary->getSubExpr());
    if (isZero(E, Context))
      return Part{};
    if (const auto* Cast = dyn_cast<CastExpr>(E)) {
      switch (Cast->getCastKind()) {
      case CK_LValueToRValue:
      case CK_NoOp:
      case CK_FloatingCast:
      case CK_IntegralToFloating:
      case CK_IntegralCast:
        return part(Cast->getSubExpr());
      default:
        return std::nullopt;
      }
    }
    if (const DeclRefExpr* Ref = storedTo(E)) {
      const auto* V = cast<VarDecl>(Ref->getDecl());
      auto It = Combined.find(V);
      if (It == Combined.end())
        return std::nullopt;
      // Not by an index that depends on it.
      for (const Expr* Outer = E->IgnoreParens(); const auto* Element = dyn_cast<ArraySubscriptExpr>(Outer);
           Outer = Element->getBase()->IgnoreParenImpCasts())
        if (mentionsCombined(Element->getIdx()))
          return std::nullopt;
      return Part{It->second, {Ref}};
    }
    if (const auto* Binary = dyn_cast<BinaryOperator>(E)) {
      switch (Binary->getOpcode()) {
      case BO_Add:
      case BO_Sub:
        return both(Binary->getLHS(), Binary->getRHS(), Plus);
      case BO_Mul:
      case BO_Div: {
        bool Quotient = Binary->getOpcode() == BO_Div;
        const Expr *Value = Binary->getLHS(), *Factor = Binary->getRHS();
        if (!Quotient && mentionsCombined(Factor))
          std::swap(Value, Factor);
        std::optional<Part> Multiple = part(Value);
        if (!Multiple || Multiple->Op != Plus || mentionsCombined(Factor) || (Quotient && !E->getType()->isFloatingType()))
          return std::nullopt;
        return Multiple;
      }
      default:
        return std::nullopt;
      }
    }
    if (const auto* Choice = dyn_cast<ConditionalOperator>(E))
      return mentionsCombined(Choice->getCond()) ? std::nullopt
                                                 : both(Choice->getTrueExpr(), Choice->getFalseExpr(), std::nullopt);
    if (const auto* Call = dyn_cast<CallExpr>(E)) {
      StringRef Name = calleeName(Call);
      if (std::optional<Operation> Op = operationOf(Name); Op && Call->getNumArgs() == 2)
        return both(Call->getArg(0), Call->getArg(1), Op);
      if (Name.starts_with("__shfl") && Call->getNumArgs() >= 3) {
        for (unsigned I = 0; I != Call->getNumArgs(); ++I)
          if (I != 1 && mentionsCombined(Call->getArg(I)))
            return std::nullopt;
        return part(Call->getArg(1));
      }
      // Larger numbers have larger bits, if they are not negative.
      if ((Name == "__float_as_int" || Name == "__float_as_uint" || Name == "__double_as_longlong") && Call->getNumArgs() == 1)
        if (std::optional<Part> Bits = part(Call->getArg(0)); Bits && Bits->Op && *Bits->Op != Plus)
          return Bits;
    }
    return std::nullopt;
  }

  const FunctionDecl* Function;
  const ForStmt* Loop;
  ASTContext& Context;
  References Inside;
  std::map<const VarDecl*, Operation> Combined;
  const VarDecl* Candidate = nullptr;
  std::optional<Operation> Which;
  bool Consistent = true, Following = false;
  llvm::SmallPtrSet<const DeclRefExpr*, 16> Updated, Consumed;
  llvm::SmallPtrSet<const Expr*, 4> Updates;
};

bool hasWrittenArgument(const CallExpr* Call) {
  return Call->getNumArgs() != 0 && !isa<CXXDefaultArgExpr>(Call->getArg(0));
}

class RowLoopChecker {
public:
  RowLoopChecker(const FunctionDecl* Kernel, const Stmt* Loop, const InterpretedKernel& Interpreted, SymbolicSets& Sets,
                 ASTContext& Context)
      : Loop(Loop), Interpreted(Interpreted), Trace(Interpreted.RowLoop), Sets(Sets), Context(Context) {
    const EnteredLoop& Way = Trace.Entered.front();
    Functions.push_back(Kernel);
    for (const CallExpr* Call : Way.Calls) {
      const FunctionDecl* Definition = nullptr;
      if (Call && Call->getDirectCallee() && Call->getDirectCallee()->hasBody(Definition))
        Functions.push_back(Definition);
    }
    Rows.Calls = Way.Calls;
  }

  std::variant<RowLoop, RejectedRowLoop> run() {
    if (!checkForm() || !checkText() || !checkExits() || !checkCounter() || !checkVariables() || !checkShared() || !checkUpdates())
      return *Rejected;
    return Rows;
  }

private:
  bool reject(RowLoopProblem Why, SourceLocation Where, StringRef Name = {}) {
    Rejected = {Why, Where, Name.str()};
    return false;
  }

  const FunctionDecl* function() const { return Functions.back(); }

  bool checkForm() {
    if (Trace.Entered.front().Nested)
      return reject(RowLoopProblem::Nested, Loop->getBeginLoc());
    if (Trace.Entered.size() != 1)
      return reject(RowLoopProblem::Several, Loop->getBeginLoc());
    const auto* For = dyn_cast<ForStmt>(Loop);
    std::optional<LoopCondition> Condition = For ? conditionOf(*For) : std::nullopt;
    auto Wrong = [&] { return reject(RowLoopProblem::Form, Loop->getBeginLoc()); };
    if (!Condition || For->getConditionVariable() || Trace.Row == Polynomial(0)) // something else changes the counter
      return Wrong();
    const VarDecl* Counter = Condition->Counter;
    QualType Type = Counter->getType();
    if (!Type->isIntegerType() || Type->isBooleanType() || Type.isVolatileQualified() || Context.getTypeSize(Type) < 32 ||
        !Counter->hasLocalStorage())
      return Wrong();
    Rows.Loop = For;
    Rows.Counter = Counter;
    Rows.Bound = Condition->Bound;
    Rows.Inclusive = Condition->Inclusive;
    if (const auto* Declared = dyn_cast_or_null<DeclStmt>(For->getInit())) {
      for (const Decl* D : Declared->decls()) {
        const auto* V = dyn_cast<VarDecl>(D);
        if (V == Counter)
          Rows.Start = V->getInit();
        else if (!V || References(V->getInit()).mention(Counter) || changes(V))
          return Wrong();
      }
    } else if (const auto* Assign = dyn_cast_or_null<BinaryOperator>(For->getInit())) {
      if (Assign->getOpcode() == BO_Assign && namedVariable(Assign->getLHS()) == Counter)
        Rows.Start = Assign->getRHS();
    }
    if (!Rows.Start)
      return Wrong();
    Rows.Start = Rows.Start->IgnoreImplicit();
    if (const auto* Braced = dyn_cast<InitListExpr>(Rows.Start); Braced && Braced->getNumInits() == 1)
      Rows.Start = Braced->getInit(0)->IgnoreImplicit();
    for (const Expr* E : {Rows.Start, Rows.Bound}) {
      if (!changedMembers(E).empty() || References(E).mention(Counter))
        return Wrong();
      for (const VarDecl* V : namedVariables(E))
        if (changes(V))
          return Wrong();
    }
    return true;
  }

  bool changes(const VarDecl* V) const {
    auto Changed = changedMembers(Loop);
    auto It = Changed.lower_bound({V, nullptr});
    return It != Changed.end() && It->first == V;
  }

  /// What is edited stands in the text of the functions.
  bool checkText() {
    for (size_t I = 0; I + 1 < Functions.size(); ++I) {
      const CallExpr* Call = Rows.Calls[I];
      const auto* Ref = dyn_cast<DeclRefExpr>(Call->getCallee()->IgnoreParenImpCasts());
      const FunctionDecl* Callee = Functions[I + 1];
      if (!Ref || isa<CXXMethodDecl>(Callee) || !inText(Functions[I], Call->getSourceRange()) ||
          !inText(Functions[I], Ref->getLocation()) || (hasWrittenArgument(Call) && !inText(Functions[I], Call->getArg(0)->getSourceRange())) ||
          Callee->getTemplateSpecializationKind() == TSK_ExplicitSpecialization || Callee->getLocation().isMacroID() || Callee->getEndLoc().isMacroID() ||
          !Context.getSourceManager().isBeforeInTranslationUnit(Callee->getLocation(), Functions[I]->getLocation()))
        return reject(RowLoopProblem::Text, Call->getExprLoc());
    }
    if (Functions.size() != Rows.Calls.size() + 1)
      return reject(RowLoopProblem::Text, Loop->getBeginLoc());
    const TypeSourceInfo* Info = Rows.Counter->getTypeSourceInfo();
    if (!Info || !spelledText(Info->getTypeLoc().getSourceRange(), Context.getSourceManager(), Context.getLangOpts()))
      return reject(RowLoopProblem::Text, Rows.Counter->getLocation());
    for (const Expr* E : {Rows.Start, Rows.Bound})
      if (!inText(function(), E->getSourceRange()) ||
          !spelledText(E->getSourceRange(), Context.getSourceManager(), Context.getLangOpts()))
        return reject(RowLoopProblem::Text, E->getExprLoc());
    return true;
  }

  bool inText(const FunctionDecl* Function, SourceRange Part) const {
    const SourceManager& Sources = Context.getSourceManager();
    std::optional<FileRange> Whole = fileRange(Function->getBody()->getSourceRange(), Sources, Context.getLangOpts()),
                             Inner = fileRange(Part, Sources, Context.getLangOpts());
    return Whole && Inner && Whole->File == Inner->File && Whole->Begin <= Inner->Begin && Inner->End <= Whole->End;
  }

  bool checkExits() {
    const Stmt* Exit = exitOf(Rows.Loop->getBody());
    return !Exit || reject(RowLoopProblem::Left, Exit->getBeginLoc());
  }

  bool checkCounter() {
    References Everywhere(function()->getBody()), Inside(Loop);
    for (const DeclRefExpr* Ref : Everywhere.All)
      if (Ref->getDecl() == Rows.Counter && !Inside.All.contains(Ref))
        return reject(RowLoopProblem::CounterUsed, Ref->getLocation(), Rows.Counter->getName());
    return true;
  }

  bool inLoop(SourceLocation Loc) const {
    const SourceManager& Sources = Context.getSourceManager();
    return Sources.isPointWithin(Sources.getFileLoc(Loc), Sources.getFileLoc(Loop->getBeginLoc()),
                                 Sources.getFileLoc(Loop->getEndLoc()));
  }

  /// A variable that lives longer than an iteration.
  bool outlives(const ValueDecl* D) const {
    const auto* V = dyn_cast_or_null<VarDecl>(D);
    if (!V || V->hasGlobalStorage())
      return false;
    const auto* Owner = dyn_cast<FunctionDecl>(V->getDeclContext());
    if (!Owner || llvm::none_of(Functions, [&](const FunctionDecl* F) { return F->getCanonicalDecl() == Owner->getCanonicalDecl(); }))
      return false;
    return Owner->getCanonicalDecl() != function()->getCanonicalDecl() || !inLoop(V->getLocation());
  }

  /// Everything that iterations may leave to later ones in variables.
  bool checkVariables() {
    std::map<const VarDecl*, SourceLocation> Changed;
    auto Note = [&](const ValueDecl* D, SourceLocation Where) {
      if (outlives(D) && D != Rows.Counter)
        Changed.emplace(cast<VarDecl>(D), Where);
    };
    for (const auto& [D, Where] : Trace.Stores)
      Note(D, Where->getBeginLoc());
    for (const PrivateAccess& A : Trace.Private) {
      if (!A.Writes || A.Part != LoopPart::Inside)
        continue;
      if (!A.Array)
        return reject(RowLoopProblem::Carried, A.Where->getBeginLoc(), "an array in a structure");
      Note(A.Array, A.Where->getBeginLoc());
    }
    References Inside(Loop);
    PureReads Pure(Loop);
    for (const DeclRefExpr* Ref : Inside.All)
      if (!Pure.contains(Ref) && !Ref->getDecl()->getType().isConstQualified() &&
          !Context.getBaseElementType(Ref->getDecl()->getType()).isConstQualified())
        Note(Ref->getDecl(), Ref->getLocation());
    for (const auto& [V, Field] : changedMembers(Loop))
      Note(V, Loop->getBeginLoc());

    CombinedValues Sums(function(), Rows.Loop, Context);
    Exposed Shown(function()->getBody());
    for (const auto& [V, Where] : Changed) {
      bool Hidden = !Shown.Variables.contains(V) && !V->getType()->isReferenceType();
      if (Hidden && (isMoved(V) || isSetFirst(V) || Sums.add(V)))
        continue;
      return reject(RowLoopProblem::Carried, Where, V->getName());
    }
    if (const DeclRefExpr* Other = Sums.follow())
      return reject(RowLoopProblem::Carried, Other->getLocation(), Other->getDecl()->getName());
    for (const AtomicAccess& A : Interpreted.Atomics)
      if (A.Part != LoopPart::Inside && !(A.Part == LoopPart::Behind && Sums.isUpdate(A.Where)))
        return reject(RowLoopProblem::UpdatedOutside, A.Where->getExprLoc(), A.Parameter->getName());
    return true;
  }

  /// It is moved by the same step in each iteration, so that the first one's value follows.
  bool isMoved(const VarDecl* V) {
    auto It = llvm::find_if(Trace.Moved, [&](const MovedVariable& M) { return M.Variable == V; });
    QualType Type = V->getType();
    if (It == Trace.Moved.end() || !(Type->isIntegerType() || Type->isPointerType()) ||
        V->getDeclContext() != Rows.Counter->getDeclContext())
      return false;
    const SourceManager& Sources = Context.getSourceManager();
    References Everywhere(function()->getBody()), Inside(Loop);
    for (const DeclRefExpr* Ref : Everywhere.All)
      if (Ref->getDecl() == V && !Inside.All.contains(Ref) &&
          Sources.isBeforeInTranslationUnit(Loop->getBeginLoc(), Ref->getLocation()))
        return false; // its last value is used
    if (It->Step && !spelledText(It->Step->getSourceRange(), Sources, Context.getLangOpts()))
      return false;
    Rows.Moved.push_back(*It);
    return true;
  }

  /// It gets a value at the beginning of each iteration, and is used nowhere else.
  bool isSetFirst(const VarDecl* V) const {
    References Everywhere(function()->getBody()), Inside(Loop);
    if (V->getDeclContext() != Rows.Counter->getDeclContext())
      return false;
    for (const DeclRefExpr* Ref : Everywhere.All)
      if (Ref->getDecl() == V && !Inside.All.contains(Ref))
        return false;
    if (References(Rows.Loop->getCond()).mention(V) || References(Rows.Loop->getInc()).mention(V))
      return false;
    const auto* Block = dyn_cast<CompoundStmt>(Rows.Loop->getBody());
    if (!Block)
      return false;
    auto First = llvm::find_if(Block->body(), [&](const Stmt* S) { return References(S).mention(V); });
    const auto* Assign = First == Block->body_end() ? nullptr : dyn_cast<BinaryOperator>(*First);
    return Assign && Assign->getOpcode() == BO_Assign && isa<DeclRefExpr>(Assign->getLHS()->IgnoreParens()) &&
           namedVariable(Assign->getLHS()) == V && !References(Assign->getRHS()).mention(V);
  }

  // --- Shared memory.

  /// An iteration reads of shared memory only what it has written itself, or what none has.
  bool checkShared() {
    std::map<const ValueDecl*, const PrivateAccess*> FirstLoad;
    std::set<const ValueDecl*> Stored;
    for (const PrivateAccess& A : Trace.Private)
      if (A.Writes && A.Part == LoopPart::Inside && isShared(A))
        Stored.insert(A.Array);
    for (const PrivateAccess& A : Trace.Private) {
      if (!isShared(A) || !Stored.count(A.Array))
        continue;
      auto Kept = [&] { return reject(RowLoopProblem::SharedKept, A.Where->getBeginLoc(), cast<VarDecl>(A.Array)->getName()); };
      if (A.Part != LoopPart::Inside)
        return Kept();
      if (!A.Writes) {
        FirstLoad.emplace(A.Array, &A);
        continue;
      }
      if (FirstLoad.count(A.Array) || !A.Certain || dependsOnRow(A))
        return Kept();
    }
    // What is read at places that move with the row is not what this iteration has written.
    for (const auto& [Array, Load] : FirstLoad)
      for (const PrivateAccess& A : Trace.Private)
        if (A.Array == Array && (Sets.unknownIn(A.Offset) || mentionsRow(Sets.bound(Sets.universe(), "o", A.Offset))))
          return reject(RowLoopProblem::SharedKept, A.Where->getBeginLoc(), cast<VarDecl>(Array)->getName());
    return true;
  }

  static bool isShared(const PrivateAccess& A) { return A.Array && A.Array->hasAttr<CUDASharedAttr>(); }

  /// Whether another row would be stored elsewhere, or not at all.
  bool dependsOnRow(const PrivateAccess& A) const {
    return mentionsRow(A.Path.gist(Sets.closed(*Trace.Path))) || continues(Rows.Loop->getBody());
  }

  static bool continues(const Stmt* S) {
    return S && (isa<ContinueStmt>(S) || llvm::any_of(S->children(), [](const Stmt* Child) { return continues(Child); }));
  }

  bool mentionsRow(const isl::set& S) const {
    isl::set Closed = Sets.closed(S);
    for (const auto& [M, Coefficient] : Trace.Row.terms())
      for (const Symbol& Factor : M)
        if (Sets.mentions(Closed, Factor.Of, Factor.Index))
          return true;
    return false;
  }

  // --- Effects outside of the loop.

  bool checkUpdates() {
    for (const ElementAccess& A : Interpreted.Accesses)
      if (A.Writes && A.Part != LoopPart::Inside)
        return reject(RowLoopProblem::WrittenOutside, A.Where->getExprLoc(), A.Array.name());
    return true;
  }

  const Stmt* Loop;
  const InterpretedKernel& Interpreted;
  const RowLoopTrace& Trace;
  SymbolicSets& Sets;
  ASTContext& Context;
  /// From the kernel to that with the loop.
  std::vector<const FunctionDecl*> Functions;
  RowLoop Rows;
  std::optional<RejectedRowLoop> Rejected;
};

} // namespace

const VarDecl* rowCounter(const Stmt* Loop) {
  const auto* For = dyn_cast<ForStmt>(Loop);
  std::optional<LoopCondition> Condition = For ? conditionOf(*For) : std::nullopt;
  return Condition ? Condition->Counter : nullptr;
}

std::variant<RowLoop, RejectedRowLoop> understandRowLoop(const FunctionDecl* Kernel, const Stmt* Loop,
                                                         const InterpretedKernel& Interpreted, SymbolicSets& Sets,
                                                         ASTContext& Context) {
  return RowLoopChecker(Kernel, Loop, Interpreted, Sets, Context).run();
}

/// As a template argument; empty if the first value says it.
static std::string counterType(const RowLoop& Rows, const SourceManager& Sources, const LangOptions& LangOpts) {
  const TypeSourceInfo* Info = Rows.Counter->getTypeSourceInfo();
  if (!Info || Rows.Counter->getType()->getContainedAutoType())
    return "";
  // nvcc does not know the counter in its own first value.
  std::optional<std::string> Written = spelledText(Info->getTypeLoc().getSourceRange(), Sources, LangOpts);
  return Written ? "<" + *Written + ">" : "";
}

std::string rowsFunctionName(const FunctionDecl* Function, const RowLoop& Rows, const SourceManager& Sources) {
  return "gpurma_rows_" + std::to_string(Sources.getPresumedLoc(Sources.getFileLoc(Rows.Loop->getBeginLoc())).getLine()) + "_" +
         Function->getNameAsString();
}

/// `#pragma unroll` before it.
static bool hasLoopHint(const ForStmt* Loop, ASTContext& Context) {
  return llvm::any_of(Context.getParents(*Loop), [](const DynTypedNode& Parent) { return Parent.get<AttributedStmt>() != nullptr; });
}

void editRowLoop(const RowLoop& Rows, EditSet& Edits, ASTContext& Context) {
  const SourceManager& Sources = Context.getSourceManager();
  const LangOptions& LangOpts = Context.getLangOpts();
  auto Text = [&](const Expr* E) { return spelledText(E->getSourceRange(), Sources, LangOpts).value_or(""); };
  auto Range = [&](SourceRange Tokens) { return *fileRange(Tokens, Sources, LangOpts); };
  for (const CallExpr* Call : Rows.Calls) {
    const auto* Ref = cast<DeclRefExpr>(Call->getCallee()->IgnoreParenImpCasts());
    Edits.replace(Range(Ref->getLocation()), rowsFunctionName(Call->getDirectCallee(), Rows, Sources));
    bool Others = hasWrittenArgument(Call);
    FileRange At = Range(Others ? Call->getArg(0)->getSourceRange() : SourceRange(Call->getRParenLoc()));
    Edits.replace({At.File, At.Begin, At.Begin}, Others ? "gpurma_rows, " : "gpurma_rows");
  }
  std::string Type = counterType(Rows, Sources, LangOpts);
  std::string Skip;
  for (const MovedVariable& M : Rows.Moved)
    Skip += M.Variable->getNameAsString() + (M.Negative ? " -= " : " += ") + "gpurma_rows.skipped" + Type + "(" + Text(Rows.Start) +
            ")" + (M.Step ? " * (" + Text(M.Step) + ")" : "") + ", ";
  Edits.wrap(Range(Rows.Start->getSourceRange()), (Skip.empty() ? "" : "(" + Skip) + "gpurma_rows.from" + Type + "(",
             Skip.empty() ? ")" : "))");
  Edits.wrap(Range(Rows.Bound->getSourceRange()), std::string("gpurma_rows.") + (Rows.Inclusive ? "upto" : "below") + "(", ")");
  // Of few rows an unrolled loop has nothing but registers that the rank does not have.
  if (!hasLoopHint(Rows.Loop, Context)) {
    FileRange At = Range(Rows.Loop->getForLoc());
    Edits.replace({At.File, At.Begin, At.Begin}, "GPURMA_ROLLED ");
  }
}

} // namespace gpurma
