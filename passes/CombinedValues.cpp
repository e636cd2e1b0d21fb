// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/CombinedValues.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "passes/CallVisitor.h"
#include "passes/Extrema.h"
#include "passes/ThreadCooperation.h"
#include "passes/VariableChanges.h"

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace gpurma {
namespace {

std::optional<CombinedValues::Operation> operationOf(StringRef Function) {
  const std::optional<bool> Greater = returnsGreater(Function);
  return Greater ? std::optional(*Greater ? CombinedValues::Max : CombinedValues::Min) : std::nullopt;
}

std::optional<CombinedValues::Operation> operationOfAtomic(StringRef Function) {
  return llvm::StringSwitch<std::optional<CombinedValues::Operation>>(Function)
      .Case("atomicAdd", CombinedValues::Plus)
      .Case("atomicMax", CombinedValues::Max)
      .Case("atomicMin", CombinedValues::Min)
      .Default(std::nullopt);
}

StringRef calleeName(const Expr* E) {
  const auto* Call = dyn_cast<CallExpr>(E);
  return Call ? identifierOf(Call->getDirectCallee()) : StringRef();
}

/// The calls in a function, and in those that it calls.
class CallsFrom : public CallVisitor {
public:
  explicit CallsFrom(const FunctionDecl* Function) {
    enter(Function);
    visitEntered();
  }
  bool shouldVisitImplicitCode() const override { return false; }
  bool VisitCallExpr(CallExpr* Call) override {
    Calls.push_back(Call);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    if (const auto* Function = dyn_cast<FunctionDecl>(Ref->getDecl())) {
      Named.push_back(Ref);
      enter(Function);
    }
    return true;
  }
  std::vector<const CallExpr*> Calls;
  std::vector<const DeclRefExpr*> Named;
};

std::optional<APValue> constant(const Expr* E, const ASTContext& Context) {
  E = E->IgnoreParenImpCasts();
  Expr::EvalResult Known;
  if (E->isValueDependent() || !E->EvaluateAsRValue(Known, Context) || Known.HasSideEffects)
    return std::nullopt;
  return Known.Val;
}

bool isPositive(const Expr* E, const ASTContext& Context) {
  std::optional<APValue> Known = constant(E, Context);
  return Known && ((Known->isInt() && Known->getInt().isStrictlyPositive()) ||
                   (Known->isFloat() && !Known->getFloat().isNegative() && !Known->getFloat().isZero() && !Known->getFloat().isNaN()));
}

const FunctionDecl* definitionOf(const FunctionDecl& Function) {
  const FunctionDecl* Definition = nullptr;
  return Function.hasBody(Definition) ? Definition : nullptr;
}

} // namespace

StringRef usedName(const Expr* E) {
  if (const auto* Ref = dyn_cast<DeclRefExpr>(E))
    return Ref->getDecl()->getName();
  return isa<ConditionalOperator>(E) ? "?:" : calleeName(E);
}

CombinedValues::CombinedValues(const FunctionDecl* Function, ArrayRef<const Stmt*> Parts, ASTContext& Context)
    : Function(Function), Context(Context), Current(Function) {
  for (const Stmt* Each : Parts) {
    this->Parts.insert(Each);
    const References Named(Each);
    Inside.insert(Named.All.begin(), Named.All.end());
  }
}

bool CombinedValues::add(const VarDecl* V) {
  bool OfBlock = V->hasAttr<CUDASharedAttr>();
  QualType Type = OfBlock ? Context.getBaseElementType(V->getType()) : V->getType();
  if (!Type->isArithmeticType() || isa<ParmVarDecl>(V) || !(OfBlock || V->hasLocalStorage()))
    return false;
  Candidate = V;
  Which.reset();
  Consistent = true;
  for (const Stmt* Each : Parts) {
    if (const auto* E = dyn_cast<Expr>(Each); E && !isChosen(E))
      noteStatement(*E);
    TraverseStmt(const_cast<Stmt*>(Each));
  }
  Candidate = nullptr;
  for (const DeclRefExpr* Ref : Inside)
    if (Ref->getDecl() == V && !Updated.contains(Ref))
      return false;
  if (!Which || !Consistent || !beginsRight(V))
    return false;
  Combined[V] = only(*Which);
  return true;
}

const Expr* CombinedValues::follow() {
  for (const auto& [V, Op] : Combined)
    Added.insert(V);
  Following = true;
  for (size_t Known = 0, Next = 1; Known != Next;) {
    Known = Next;
    Consumed.clear();
    Updates.clear();
    Mixed.clear();
    Current = Function;
    TraverseStmt(Function->getBody());
    for (size_t I = 0; I != Entered.size(); ++I) {
      Current = Entered[I];
      TraverseStmt(Current->getBody());
    }
    Next = 1 + Combined.size() + Entered.size() + Returned.size() + Narrowed;
  }
  for (const ConditionalOperator* Choice : Choices)
    if (!Consumed.contains(Choice))
      return Choice;
  if (const Expr* Call = otherCall())
    return Call;
  llvm::SmallVector<const FunctionDecl*, 4> All(Entered.begin(), Entered.end());
  All.insert(All.begin(), Function);
  for (const FunctionDecl* Each : All) {
    const DeclRefExpr* Other = nullptr;
    const References Everywhere(Each->getBody());
    for (const DeclRefExpr* Ref : Everywhere.All)
      if (const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
          V && Combined.count(V) && !Inside.contains(Ref) && !Consumed.contains(Ref) &&
          (!Other || Ref->getLocation() < Other->getLocation()))
        Other = Ref;
    if (Other)
      return Other;
  }
  return nullptr;
}

const DeclRefExpr* CombinedValues::usedInParts() const {
  for (const DeclRefExpr* Ref : Inside)
    if (const auto* V = dyn_cast<VarDecl>(Ref->getDecl()); V && Combined.count(V) && !Added.contains(V))
      return Ref;
  return nullptr;
}

/// A call that uses such a value for something else, or passes something else to a function where others pass one.
const Expr* CombinedValues::otherCall() const {
  if (Entered.empty())
    return nullptr;
  const CallsFrom All(Function);
  auto IsEntered = [&](const Decl* D) {
    const auto* Callee = dyn_cast_or_null<FunctionDecl>(D);
    const FunctionDecl* Definition = Callee ? definitionOf(*Callee) : nullptr;
    return Definition && Entered.contains(Definition) ? Definition : nullptr;
  };
  llvm::SmallPtrSet<const Expr*, 16> Called;
  for (const CallExpr* Call : All.Calls)
    if (const FunctionDecl* Callee = IsEntered(Call->getDirectCallee())) {
      Called.insert(Call->getCallee()->IgnoreParenImpCasts());
      if (!passesCombined(*Call, *Callee) || (Returned.count(Callee) && Mixed.contains(Callee)) ||
          (!Callee->getReturnType()->isVoidType() && !Consumed.contains(Call)))
        return Call;
    }
  for (const DeclRefExpr* Ref : All.Named)
    if (IsEntered(Ref->getDecl()) && !Called.contains(Ref))
      return Ref;
  return nullptr;
}

bool CombinedValues::VisitBinaryOperator(BinaryOperator* E) {
  if (!E->isAssignmentOp())
    return true;
  if (Candidate)
    noteUpdate(*E);
  else if (Following)
    followAssignment(*E);
  return true;
}

bool CombinedValues::VisitVarDecl(VarDecl* V) {
  if (!Following || !V->getInit() || V->getType()->isReferenceType())
    return true;
  if (std::optional<Part> Value = part(V->getInit()); Value && Value->Ops)
    combine(V, *Value);
  return true;
}

/// Of an atomic operation whose result something uses more is known than that it combines.
bool CombinedValues::VisitStmt(Stmt* S) {
  const auto* If = Candidate || Following ? dyn_cast<IfStmt>(S) : nullptr;
  if (const std::optional<Extremum> Found = If ? extremumOf(*If, Context) : std::nullopt) {
    if (Candidate)
      noteExtremum(*Found, *Found->Assignment);
    else
      followExtremum(*Found);
  }
  if (Candidate && isa<CompoundStmt, IfStmt, ForStmt, WhileStmt, DoStmt>(S))
    for (const Stmt* Child : S->children())
      if (const auto* E = dyn_cast_or_null<Expr>(Child))
        noteStatement(*E);
  return true;
}

bool CombinedValues::VisitCallExpr(CallExpr* Call) {
  const FunctionDecl* Callee = Call->getDirectCallee();
  if (!Following || !Callee || followAtomic(*Call, *Callee))
    return true;
  const FunctionDecl* Definition = ownDefinition(*Callee);
  if (Definition && Definition != Function && !isa<CXXMethodDecl>(Definition))
    followInto(*Call, *Definition);
  return true;
}

bool CombinedValues::VisitReturnStmt(ReturnStmt* Return) {
  if (!Following || Current == Function || !Return->getRetValue())
    return true;
  std::optional<Part> Value = part(Return->getRetValue());
  if (Value && Value->Ops)
    Returned.try_emplace(Current, Value->Ops);
  auto It = Returned.find(Current);
  if (Value && It != Returned.end() && narrow(It->second, Value->possible()))
    consume(*Value);
  else
    Mixed.insert(Current);
  return true;
}

bool CombinedValues::isZero(const Expr* E, const ASTContext& Context) {
  std::optional<APValue> Known = constant(E, Context);
  return Known && ((Known->isInt() && Known->getInt().isZero()) || (Known->isFloat() && Known->getFloat().isPosZero()));
}

bool CombinedValues::isNameOfSharedArray(const VarDecl* V, const FunctionDecl* Function) {
  if (!V->getType()->isPointerType() || !V->hasLocalStorage() || isa<ParmVarDecl>(V) || V->getDeclContext() != Function || !V->getInit())
    return false;
  const auto* Ref = dyn_cast<DeclRefExpr>(V->getInit()->IgnoreParenCasts());
  if (!Ref || !Ref->getDecl()->hasAttr<CUDASharedAttr>() || !Ref->getType()->isArrayType())
    return false;
  const References Everywhere(Function->getBody());
  return llvm::count_if(Everywhere.All, [&](const DeclRefExpr* Each) { return Each->getDecl() == Ref->getDecl(); }) == 1 &&
         !VariableChanges(Function->getBody()).changes(V);
}

bool CombinedValues::isOfBlock(const VarDecl* V) const { return V->hasAttr<CUDASharedAttr>() || isNameOfSharedArray(V, Function); }

void CombinedValues::noteOperation(Operation Op) {
  Consistent &= !Which || *Which == Op;
  Which = Op;
}

/// The candidate, or an element of it whose index has nothing to do with it.
const DeclRefExpr* CombinedValues::candidateIn(const Expr* E) const {
  const DeclRefExpr* Ref = E->getType()->isArithmeticType() ? storedTo(E) : nullptr;
  if (!Ref || Ref->getDecl() != Candidate)
    return nullptr;
  const References Named(E);
  return llvm::count_if(Named.All, [&](const DeclRefExpr* Each) { return Each->getDecl() == Candidate; }) == 1 ? Ref : nullptr;
}

/// In a part: `v += e`, `v = v + e`, `v = max(v, e)`, and the same of elements.
void CombinedValues::noteUpdate(const BinaryOperator& E) {
  const DeclRefExpr* Target = candidateIn(E.getLHS());
  if (!Target)
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
  if (const auto* Choice = dyn_cast<ConditionalOperator>(Value))
    if (const std::optional<Extremum> Found = extremumOf(*Choice, Context))
      return noteExtremum(*Found, E);
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
  auto IsTarget = [&](const Expr* Side) {
    return isSameText(*E.getLHS()->IgnoreParens(), *Side->IgnoreParenImpCasts(), Context);
  };
  if (IsTarget(Second))
    std::swap(First, Second);
  const DeclRefExpr* Old = IsTarget(First) ? candidateIn(First->IgnoreParenImpCasts()) : nullptr;
  if (!Old || References(Second).mention(Candidate))
    return;
  Updated.insert(Target);
  Updated.insert(Old);
  noteOperation(*Op);
}

/// In a part: `if (v < e) v = e;`, `v = v < e ? e : v`.
void CombinedValues::noteExtremum(const Extremum& Found, const BinaryOperator& Assignment) {
  const Expr* Target = Assignment.getLHS()->IgnoreParens();
  const bool Keeps = isSameText(*Target, *Found.Kept, Context);
  if (!candidateIn(Target) || !(Keeps || isSameText(*Target, *Found.Taken, Context)) ||
      References(Keeps ? Found.Taken : Found.Kept).mention(Candidate) || (Found.Guard && References(Found.Guard).mention(Candidate)))
    return;
  const References InTarget(Target), InValue(Assignment.getRHS()), InComparison(Found.Comparison);
  for (const References* Each : {&InTarget, &InValue, &InComparison})
    for (const DeclRefExpr* Ref : Each->All)
      if (Ref->getDecl() == Candidate)
        Updated.insert(Ref);
  TakesNaN |= !Keeps;
  noteOperation(Found.Greatest ? Max : Min);
}

/// Of a statement: its comparison is the business of the assignment, which is followed by itself.
void CombinedValues::followExtremum(const Extremum& Found) {
  const Operation Op = Found.Greatest ? Max : Min;
  if (std::optional<Part> Compared = both(Found.Comparison->getLHS(), Found.Comparison->getRHS(), only(Op)); Compared && Compared->Ops)
    consume(*Compared);
}

/// Whether a part is what a choice is, which uses its value.
bool CombinedValues::isChosen(const Expr* Part) const {
  return llvm::any_of(
      Choices, [Part](const ConditionalOperator* Choice) { return Choice->getTrueExpr() == Part; });
}

/// Of an expression whose value nothing uses. What a condition uses of a call is converted, so that
/// it is no call by itself.
void CombinedValues::noteStatement(const Expr& E) {
  if (const auto* Call = dyn_cast<CallExpr>(E.IgnoreParens()))
    noteAtomic(*Call);
}

/// In a part: `atomicAdd(&v, e)`, `atomicMax(&v[i], e)`.
void CombinedValues::noteAtomic(const CallExpr& Call) {
  const std::optional<Operation> Op = operationOfAtomic(calleeName(&Call));
  if (!Op || Call.getNumArgs() != 2 || References(Call.getArg(1)).mention(Candidate))
    return;
  const auto* Address = dyn_cast<UnaryOperator>(Call.getArg(0)->IgnoreParenImpCasts());
  const DeclRefExpr* Target = Address && Address->getOpcode() == UO_AddrOf ? candidateIn(Address->getSubExpr()) : nullptr;
  if (!Target)
    return;
  Updated.insert(Target);
  noteOperation(*Op);
}

/// A sum begins with 0 each time; the most of several does not mind. What is stored into a block's array is followed.
bool CombinedValues::beginsRight(const VarDecl* V) const {
  return *Which != Plus || V->hasAttr<CUDASharedAttr>() || (V->getInit() && isZero(V->getInit(), Context));
}

void CombinedValues::addSum(const VarDecl* V) {
  Sums.insert(V);
  Combined[V] = only(Plus) | (storesNoNegative(V) ? only(Max) : 0);
}

/// Whether all that the parts store into a variable or array is no less than 0.
bool CombinedValues::storesNoNegative(const VarDecl* V) const {
  struct Stores : DynamicRecursiveASTVisitor {
    explicit Stores(const CombinedValues& Of) : Of(Of) {}
    bool VisitBinaryOperator(BinaryOperator* E) override {
      if ((E->getOpcode() == BO_Assign || E->getOpcode() == BO_AddAssign) && Of.isNotNegative(E->getRHS()))
        Targets.insert(Of.storedTo(E->getLHS()));
      return true;
    }
    const CombinedValues& Of;
    llvm::SmallPtrSet<const DeclRefExpr*, 4> Targets;
  } Found(*this);
  return llvm::all_of(Parts, [&](const Stmt* Each) {
    Found.TraverseStmt(const_cast<Stmt*>(Each));
    const References Named(Each);
    const PureReads Pure(Each);
    return llvm::all_of(Named.All, [&](const DeclRefExpr* Ref) { return Ref->getDecl() != V || Found.Targets.contains(Ref) || Pure.contains(Ref); });
  });
}

/// False if nothing is left.
bool CombinedValues::narrow(Operations& Known, Operations To) {
  if ((Known & To) == 0)
    return false;
  Narrowed += (Known & To) != Known;
  Known &= To;
  return true;
}

/// False if the variable holds something else.
bool CombinedValues::combine(const VarDecl* V, const Part& Value) {
  noteInteger(V->getType());
  if (!narrow(Combined.emplace(V, Value.Ops).first->second, Value.Ops))
    return false;
  consume(Value);
  return true;
}

/// A variable that begins with nothing: no parameter, unless all calls pass such values for it.
bool CombinedValues::isOwn(const VarDecl* V) const {
  if (isa<ParmVarDecl>(V))
    return Combined.count(V) && (!V->getType()->isReferenceType() || V->getType()->getPointeeType().isConstQualified());
  return isOfBlock(V) || (!V->getType()->isReferenceType() && !V->getType()->isPointerType() && V->hasLocalStorage());
}

const DeclRefExpr* CombinedValues::storedTo(const Expr* E) const {
  E = E->IgnoreParens();
  while (const auto* Element = dyn_cast<ArraySubscriptExpr>(E))
    E = Element->getBase()->IgnoreParenImpCasts();
  const auto* Ref = dyn_cast<DeclRefExpr>(E);
  const auto* V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return V && isOwn(V) ? Ref : nullptr;
}

void CombinedValues::followAssignment(const BinaryOperator& E) {
  const DeclRefExpr* Target = storedTo(E.getLHS());
  bool Adds = E.getOpcode() == BO_AddAssign;
  if (!Target || !(Adds || E.getOpcode() == BO_Assign) || mentionsCombinedIndex(E.getLHS()))
    return;
  const auto* V = cast<VarDecl>(Target->getDecl());
  std::optional<Part> Value = part(E.getRHS());
  if (!Value)
    return;
  auto Known = Combined.find(V);
  const Operations Possible = Value->possible() & (Adds ? only(Plus) : AnyOperation);
  if (!Value->Ops) {
    if (Known != Combined.end() && narrow(Known->second, Possible))
      Consumed.insert(Target);
    return;
  }
  if (Possible == 0)
    return;
  Value->Ops = Possible;
  // What it holds otherwise must be part of the same, too.
  if (Known == Combined.end() && !isOfBlock(V) && V->hasLocalStorage() && V->getInit() && !isZero(V->getInit(), Context))
    return;
  if (combine(V, *Value))
    Consumed.insert(Target);
}

/// The update of a reduced scalar, or of shared memory. False if the call is something else.
bool CombinedValues::followAtomic(const CallExpr& Call, const FunctionDecl& Callee) {
  if (!identifierOf(&Callee).starts_with("atomic") || Call.getNumArgs() != 2)
    return false;
  std::optional<Part> Value = part(Call.getArg(1));
  const std::optional<Operation> Op = operationOfAtomic(atomicOperation(Callee));
  const Operations Wanted = Op ? only(*Op) : 0;
  if (!Value || (Value->Ops & Wanted) == 0)
    return true;
  Value->Ops &= Wanted;
  const auto* Address = dyn_cast<UnaryOperator>(Call.getArg(0)->IgnoreParenImpCasts());
  if (const DeclRefExpr* Target = Address && Address->getOpcode() == UO_AddrOf ? storedTo(Address->getSubExpr()) : nullptr) {
    const auto* V = cast<VarDecl>(Target->getDecl());
    if (combine(V, *Value))
      Consumed.insert(Target);
    return true;
  }
  Updates.insert(&Call);
  consume(*Value);
  return true;
}

/// The array of such values that an argument points into.
const DeclRefExpr* CombinedValues::passedArray(const Expr* Argument) const {
  const Expr* E = Argument->IgnoreParenImpCasts();
  const DeclRefExpr* Ref = E->getType()->isArrayType() || E->getType()->isPointerType() ? storedTo(E) : nullptr;
  return Ref && isa<DeclRefExpr>(E) ? Ref : nullptr;
}

/// What the arguments are, the parameters are.
void CombinedValues::followInto(const CallExpr& Call, const FunctionDecl& Callee) {
  for (unsigned I = 0; I != Call.getNumArgs() && I != Callee.getNumParams(); ++I) {
    const ParmVarDecl* Parameter = Callee.getParamDecl(I);
    if (Parameter->getType()->isPointerType()) {
      const DeclRefExpr* Array = passedArray(Call.getArg(I));
      const auto* V = Array ? cast<VarDecl>(Array->getDecl()) : nullptr;
      auto OfArray = V ? Combined.find(V) : Combined.end(), OfParameter = Combined.find(Parameter);
      if (V && OfParameter != Combined.end())
        OfArray = Combined.emplace(V, OfParameter->second).first;
      if (!V || OfArray == Combined.end())
        continue;
      Entered.insert(&Callee);
      Operations& Known = Combined.emplace(Parameter, OfArray->second).first->second;
      if (narrow(Known, OfArray->second) && narrow(OfArray->second, Known))
        Consumed.insert(Array);
      continue;
    }
    std::optional<Part> Value = part(Call.getArg(I));
    if (!Value || !Value->Ops)
      continue;
    Entered.insert(&Callee);
    combine(Parameter, *Value);
  }
}

/// Whether each parameter that others pass such values for gets one.
bool CombinedValues::passesCombined(const CallExpr& Call, const FunctionDecl& Callee) const {
  for (unsigned I = 0; I != Call.getNumArgs() && I != Callee.getNumParams(); ++I) {
    auto It = Combined.find(Callee.getParamDecl(I));
    if (It == Combined.end())
      continue;
    if (const DeclRefExpr* Array = passedArray(Call.getArg(I)); Array && It->first->getType()->isPointerType()) {
      auto OfArray = Combined.find(cast<VarDecl>(Array->getDecl()));
      if (OfArray == Combined.end() || OfArray->second != It->second)
        return false;
      continue;
    }
    std::optional<Part> Value = part(Call.getArg(I));
    if (!Value || (Value->possible() & It->second) == 0)
      return false;
  }
  return true;
}

bool CombinedValues::mentionsCombined(const Expr* E) const {
  struct Finder : DynamicRecursiveASTVisitor {
    explicit Finder(const CombinedValues& Of) : Of(Of) {}
    bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
      const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
      Found |= V && Of.Combined.count(V);
      return !Found;
    }
    bool VisitCallExpr(CallExpr* Call) override {
      Found |= Of.partOfCall(*Call).has_value();
      return !Found;
    }
    const CombinedValues& Of;
    bool Found = false;
  } Find(*this);
  Find.TraverseStmt(const_cast<Expr*>(E));
  return Find.Found;
}

/// Of an element: by an index that depends on such a value.
bool CombinedValues::mentionsCombinedIndex(const Expr* E) const {
  for (const Expr* Outer = E->IgnoreParens(); const auto* Element = dyn_cast<ArraySubscriptExpr>(Outer);
       Outer = Element->getBase()->IgnoreParenImpCasts())
    if (mentionsCombined(Element->getIdx()))
      return true;
  return false;
}

/// \p Ops: those of which it may be the result.
std::optional<CombinedValues::Part> CombinedValues::both(const Expr* A, const Expr* B, Operations Ops) const {
  std::optional<Part> First = part(A), Second = part(B);
  if (!First || !Second)
    return std::nullopt;
  const bool Some = First->Ops || Second->Ops;
  Ops &= First->possible() & Second->possible();
  if (Some && Ops == 0)
    return std::nullopt;
  First->Ops = Some ? Ops : 0;
  First->Zero &= Second->Zero;
  First->From.insert(First->From.end(), Second->From.begin(), Second->From.end());
  return First;
}

/// What a function returns that such values are passed to.
std::optional<CombinedValues::Part> CombinedValues::partOfCall(const CallExpr& Call) const {
  const FunctionDecl* Callee = Call.getDirectCallee();
  auto It = Callee ? Returned.find(definitionOf(*Callee)) : Returned.end();
  if (It == Returned.end())
    return std::nullopt;
  return Part{It->second, {&Call}};
}

/// Whether nothing changes a variable outside of the parts, and it is 0 in threads without an element that they are for, which are the same
/// threads for all parts.
bool CombinedValues::isOfElement(const VarDecl* V) const {
  if (!V || !V->hasLocalStorage() || isa<ParmVarDecl>(V) || V->hasAttr<CUDASharedAttr>() || !V->getType()->isArithmeticType() || !V->getInit() ||
      V->getDeclContext() != Function)
    return false;
  ChangeFinder Everywhere, InParts;
  Everywhere.TraverseStmt(Function->getBody());
  for (const Stmt* Each : Parts)
    InParts.TraverseStmt(const_cast<Stmt*>(Each));
  if (Everywhere.Changes[V] != InParts.Changes[V])
    return false;
  return Sums.contains(V) ? isZero(V->getInit(), Context) : InParts.Changes[V] == 0 && isOfElement(V->getInit());
}

/// Whether a value is 0 in threads without an element that the parts are for: of the runs of a block, one has it.
bool CombinedValues::isOfElement(const Expr* E) const {
  E = E->IgnoreParens();
  if (const auto* Full = dyn_cast<FullExpr>(E))
    return isOfElement(Full->getSubExpr());
  const auto IsOther = [&](const Expr* Side) { return !mentionsCombined(Side); };
  if (const auto* Cast = dyn_cast<CastExpr>(E))
    return E->getType()->isArithmeticType() && Cast->getSubExpr()->getType()->isArithmeticType() && isOfElement(Cast->getSubExpr());
  if (const auto* Ref = dyn_cast<DeclRefExpr>(E))
    return isOfElement(dyn_cast<VarDecl>(Ref->getDecl()));
  if (const auto* Unary = dyn_cast<UnaryOperator>(E))
    return (Unary->getOpcode() == UO_Minus || Unary->getOpcode() == UO_Plus) && isOfElement(Unary->getSubExpr());
  if (const auto* Binary = dyn_cast<BinaryOperator>(E)) {
    const Expr *Left = Binary->getLHS(), *Right = Binary->getRHS();
    const bool First = isOfElement(Left), Second = isOfElement(Right);
    switch (Binary->getOpcode()) {
    case BO_Add:
    case BO_Sub:
      return First && Second;
    case BO_Mul:
      return (First && (Second || IsOther(Right))) || (Second && IsOther(Left));
    case BO_Div:
      return First && IsOther(Right);
    default:
      return false;
    }
  }
  if (const auto* Choice = dyn_cast<ConditionalOperator>(E))
    return Choices.contains(Choice) || (isOfElement(Choice->getTrueExpr()) && isOfElement(Choice->getFalseExpr()));
  const auto* Call = dyn_cast<CallExpr>(E);
  const StringRef Name = calleeName(E);
  if (!Call || Call->getNumArgs() == 0 || !isOfElement(Call->getArg(0)))
    return false;
  if (Call->getNumArgs() == 1)
    return llvm::is_contained({"fabs", "fabsf", "abs", "sqrt", "sqrtf"}, Name);
  return Call->getNumArgs() == 2 && (operationOf(Name) ? isOfElement(Call->getArg(1))
                                                       : (Name == "pow" || Name == "powf") && isPositive(Call->getArg(1), Context));
}

bool CombinedValues::isNotNegative(const Expr* E) const {
  E = E->IgnoreParens();
  if (const auto* Full = dyn_cast<FullExpr>(E))
    return isNotNegative(Full->getSubExpr());
  if (E->getType()->isUnsignedIntegerType() || isZero(E, Context) || isPositive(E, Context))
    return true;
  if (const auto* Cast = dyn_cast<CastExpr>(E))
    return Cast->getCastKind() == CK_NoOp || Cast->getCastKind() == CK_FloatingCast || Cast->getCastKind() == CK_IntegralToFloating
               ? isNotNegative(Cast->getSubExpr())
               : false;
  if (const auto* Binary = dyn_cast<BinaryOperator>(E); Binary && E->getType()->isFloatingType())
    return (Binary->getOpcode() == BO_Mul && isSameText(*Binary->getLHS(), *Binary->getRHS(), Context)) ||
           ((Binary->getOpcode() == BO_Mul || Binary->getOpcode() == BO_Div || Binary->getOpcode() == BO_Add) && isNotNegative(Binary->getLHS()) &&
            isNotNegative(Binary->getRHS()));
  if (const auto* Choice = dyn_cast<ConditionalOperator>(E))
    return isNotNegative(Choice->getTrueExpr()) && isNotNegative(Choice->getFalseExpr());
  const auto* Call = dyn_cast<CallExpr>(E);
  const StringRef Name = calleeName(E);
  if (Call && Call->getNumArgs() == 2 && operationOf(Name) == Max)
    return isNotNegative(Call->getArg(0)) || isNotNegative(Call->getArg(1));
  return Call && Call->getNumArgs() == 1 && E->getType()->isFloatingType() && llvm::is_contained({"fabs", "fabsf", "sqrt", "sqrtf", "abs"}, Name);
}

/// The variables and choices that it is computed from.
CombinedValues::Part CombinedValues::allOf(const Expr* E) const {
  struct Finder : DynamicRecursiveASTVisitor {
    Finder(const CombinedValues& Of, Part& Found) : Of(Of), Found(Found) {}
    bool TraverseStmt(Stmt* S) override { return Of.Parts.contains(S) || DynamicRecursiveASTVisitor::TraverseStmt(S); }
    bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
      Found.From.push_back(Ref);
      return true;
    }
    bool VisitConditionalOperator(ConditionalOperator* Choice) override {
      Found.From.push_back(Choice);
      return true;
    }
    const CombinedValues& Of;
    Part& Found;
  };
  Part Found{only(Plus) | (isNotNegative(E) ? only(Max) : 0)};
  Finder(*this, Found).TraverseStmt(const_cast<Expr*>(E));
  return Found;
}

std::optional<CombinedValues::Part> CombinedValues::part(const Expr* E) const {
  std::optional<Part> Value = partOf(E);
  if (Value && Value->Ops)
    noteInteger(E->getType());
  return Value;
}

void CombinedValues::noteInteger(QualType Type) const {
  Type = Context.getBaseElementType(Type.getNonReferenceType()).getCanonicalType();
  if (Type->isIntegerType())
    Integers.insert(Type.getTypePtr());
}

std::optional<CombinedValues::Part> CombinedValues::partOf(const Expr* E) const {
  E = E->IgnoreParens();
  if (const auto* Full = dyn_cast<FullExpr>(E))
    return part(Full->getSubExpr());
  if (const auto* Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
    return part(Temporary->getSubExpr());
  if (E->getType()->isArithmeticType() && constant(E, Context))
    return Part{0, {}, isZero(E, Context)};
  if (isa<BinaryOperator, CallExpr, ConditionalOperator>(E) && isOfElement(E))
    return allOf(E);
  if (const auto* Cast = dyn_cast<CastExpr>(E)) {
    switch (Cast->getCastKind()) {
    case CK_LValueToRValue:
    case CK_NoOp:
    case CK_FloatingCast:
    case CK_IntegralToFloating:
      return part(Cast->getSubExpr());
    case CK_IntegralCast: {
      std::optional<Part> Value = part(Cast->getSubExpr());
      // What a part of a sum loses so differs from what the sum would.
      const auto* Implicit = dyn_cast<ImplicitCastExpr>(Cast);
      if (Value && Value->Ops && !(Implicit && !Implicit->isPartOfExplicitCast()) &&
          Context.getTypeSize(E->getType()) < Context.getTypeSize(Cast->getSubExpr()->getType()))
        return std::nullopt;
      if (!Value || !Value->Ops || keepsOrder(Cast->getSubExpr()->getType(), E->getType(), Context))
        return Value;
      Value->Ops &= only(Plus);
      return Value->Ops ? Value : std::nullopt;
    }
    default:
      return std::nullopt;
    }
  }
  if (const DeclRefExpr* Ref = storedTo(E)) {
    const auto* V = cast<VarDecl>(Ref->getDecl());
    auto It = Combined.find(V);
    if (It == Combined.end() || E->getType()->isPointerType() || mentionsCombinedIndex(E))
      return std::nullopt;
    return Part{It->second, {Ref}};
  }
  if (const auto* Binary = dyn_cast<BinaryOperator>(E)) {
    switch (Binary->getOpcode()) {
    case BO_Add:
    case BO_Sub:
      return both(Binary->getLHS(), Binary->getRHS(), only(Plus));
    case BO_Mul:
    case BO_Div: {
      bool Quotient = Binary->getOpcode() == BO_Div;
      const Expr *Value = Binary->getLHS(), *Factor = Binary->getRHS();
      if (!Quotient && mentionsCombined(Factor))
        std::swap(Value, Factor);
      std::optional<Part> Multiple = part(Value);
      if (!Multiple || (Multiple->Ops & only(Plus)) == 0 || mentionsCombined(Factor) || (Quotient && !E->getType()->isFloatingType()))
        return std::nullopt;
      Multiple->Ops = only(Plus);
      return Multiple;
    }
    default:
      return std::nullopt;
    }
  }
  if (const auto* Choice = dyn_cast<ConditionalOperator>(E))
    if (const std::optional<Extremum> Found = extremumOf(*Choice, Context)) {
      const Operations Op = only(Found->Greatest ? Max : Min);
      std::optional<Part> Value = both(Choice->getTrueExpr(), Choice->getFalseExpr(), Op);
      const std::optional<Part> Compared = both(Found->Comparison->getLHS(), Found->Comparison->getRHS(), Op);
      if (Value && Compared)
        Value->From.insert(Value->From.end(), Compared->From.begin(), Compared->From.end());
      return Compared ? Value : std::nullopt;
    }
  if (const auto* Choice = dyn_cast<ConditionalOperator>(E))
    return mentionsCombined(Choice->getCond()) ? std::nullopt
                                               : both(Choice->getTrueExpr(), Choice->getFalseExpr(), AnyOperation);
  if (const auto* Call = dyn_cast<CallExpr>(E)) {
    StringRef Name = calleeName(Call);
    if (std::optional<Operation> Op = operationOf(Name); Op && Call->getNumArgs() == 2)
      return both(Call->getArg(0), Call->getArg(1), only(*Op));
    if (Name.starts_with("__reduce_add_sync") && Call->getNumArgs() == 2 && !mentionsCombined(Call->getArg(0)))
      return both(Call->getArg(1), Call->getArg(1), only(Plus));
    if (Name.starts_with("__shfl") && Call->getNumArgs() >= 3) {
      for (unsigned I = 0; I != Call->getNumArgs(); ++I)
        if (I != 1 && mentionsCombined(Call->getArg(I)))
          return std::nullopt;
      return part(Call->getArg(1));
    }
    // Larger numbers have larger bits, if they are not negative.
    if ((Name == "__float_as_int" || Name == "__float_as_uint" || Name == "__double_as_longlong") && Call->getNumArgs() == 1)
      if (std::optional<Part> Value = part(Call->getArg(0)); Value && (Value->Ops & ~only(Plus)) != 0) {
        Bits = true;
        Value->Ops &= ~only(Plus);
        return Value;
      }
    return partOfCall(*Call);
  }
  return std::nullopt;
}

} // namespace gpurma
