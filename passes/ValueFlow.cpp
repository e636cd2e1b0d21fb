// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ValueFlow.h"

#include "passes/CallVisitor.h"
#include "passes/Lvalues.h"
#include "passes/ThreadCooperation.h"
#include "passes/VariableChanges.h"
#include "passes/VariableUses.h"

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>
#include <map>

using namespace clang;

namespace gpurma {
namespace {

/// What a value is made of, at most.
enum class Source { Places, Numbers, Data };

Source most(Source A, Source B) { return std::max(A, B); }

/// Goes through all functions until nothing more is found; what is found only grows. Of kernels whose text is followed (FollowedText).
class ValueFlow : public CallVisitor {
public:
  ValueFlow(const FunctionDecl* Kernel, llvm::function_ref<bool(const ParmVarDecl*, const FieldDecl*)> IsFixed)
      : Kernel(Kernel), Context(Kernel->getASTContext()), IsFixed(IsFixed) {
    do {
      Grown = false;
      Entered.clear();
      enter(Kernel);
      visitEntered();
    } while (Grown);
    for (const auto& [Function, Called] : Calls)
      if (reaches(Function, Function))
        Use.MayBeAny = false;
  }

  ValueUse Use;

  // --- Of DynamicRecursiveASTVisitor.

  bool TraverseStmt(Stmt* S) override {
    llvm::SaveAndRestore Inside(Control, most(Control, controlOf(S)));
    return CallVisitor::TraverseStmt(S);
  }
  /// Its body is visited where it is called.
  bool TraverseLambdaExpr(LambdaExpr*) override { return true; }
  bool VisitDeclRefExpr(DeclRefExpr*) override { return true; }
  bool VisitMemberExpr(MemberExpr*) override { return true; }

  bool VisitVarDecl(VarDecl* V) override {
    if (V->getInit())
      begin(V, source(V->getInit(), V->getType()));
    if (V->getInit() && mayChange(V->getType()))
      assign(V->getInit(), Source::Data);
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* E) override {
    const BinaryOperatorKind Op = E->isCompoundAssignmentOp() ? BinaryOperator::getOpForCompoundAssignment(E->getOpcode()) : E->getOpcode();
    const bool Divides = (Op == BO_Div || Op == BO_Rem) && E->getRHS()->getType()->isIntegerType();
    if (const auto Sum = pointerSum(E))
      address(Sum->Number);
    else if (Divides || (E->isCompoundAssignmentOp() && E->getType()->isPointerType()))
      address(E->getRHS());
    if (E->isAssignmentOp())
      assign(E->getLHS(), source(E->getRHS()));
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator* E) override {
    if (E->getOpcode() == UO_AddrOf && isLocal(E->getSubExpr()))
      assign(E->getSubExpr(), Source::Data); // by another name
    if (E->isIncrementDecrementOp() && !Increments.contains(E))
      assign(E->getSubExpr(), Source::Places);
    return true;
  }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr* E) override {
    address(E->getIdx());
    return true;
  }
  bool VisitCallExpr(CallExpr* Call) override {
    const FunctionDecl* Callee = Call->getDirectCallee();
    if (!Callee)
      return refuse();
    const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
    const unsigned First = isa<CXXOperatorCallExpr>(Call) && Method && Method->isInstance() ? 1 : 0;
    const auto* Member = dyn_cast<CXXMemberCallExpr>(Call);
    const Expr* Object = First ? Call->getArg(0) : Member ? Member->getImplicitObjectArgument() : nullptr;
    if (Object && !Method->getParent()->isLambda())
      callMember(*Method, *Object->IgnoreParenImpCasts(), *Call, First);
    pass(*Callee, llvm::ArrayRef(Call->getArgs(), Call->getNumArgs()).drop_front(First));
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* Construct) override {
    pass(*Construct->getConstructor(), llvm::ArrayRef(Construct->getArgs(), Construct->getNumArgs()));
    return true;
  }
  bool VisitReturnStmt(ReturnStmt* Return) override {
    if (const Expr* Value = Return->getRetValue())
      raise(Current->getCanonicalDecl(), source(Value));
    grow(ways().Left, Control);
    return true;
  }
  bool VisitForStmt(ForStmt* Loop) override {
    // Nothing sees where a break leaves a counter that the loop declares; and no step goes without its increment.
    const auto* Step = dyn_cast_or_null<UnaryOperator>(Loop->getInc());
    const auto* Declared = dyn_cast_or_null<DeclStmt>(Loop->getInit());
    if (Step && Step->isIncrementDecrementOp() && Declared && llvm::is_contained(Declared->decls(), namedVariable(Step->getSubExpr())))
      Increments.insert(Step);
    return loop(Loop->getCond());
  }
  bool VisitWhileStmt(WhileStmt* Loop) override { return loop(Loop->getCond()); }
  bool VisitDoStmt(DoStmt* Loop) override { return loop(Loop->getCond()); }
  bool VisitCXXForRangeStmt(CXXForRangeStmt*) override { return refuse(); }
  bool VisitBreakStmt(BreakStmt*) override { return interrupt(); }
  bool VisitContinueStmt(ContinueStmt*) override { return interrupt(); }
  bool VisitGotoStmt(GotoStmt*) override { return refuse(); }
  bool VisitGCCAsmStmt(GCCAsmStmt*) override { return refuse(); }
  bool VisitCXXNewExpr(CXXNewExpr*) override { return refuse(); }
  bool VisitCXXDeleteExpr(CXXDeleteExpr*) override { return refuse(); }

private:
  bool visitFunction(const FunctionDecl* Function) override {
    const FunctionDecl* Definition = ownDefinition(*Function);
    if (!Definition)
      return true;
    Current = Definition;
    Control = Source::Places;
    return traverseDefinition(*this, Definition);
  }

  bool refuse() {
    Use.MayBeAny = Use.StoresAlways = false;
    return true;
  }

  /// What decides about the parts of a statement.
  Source controlOf(const Stmt* S) const {
    if (const auto* If = dyn_cast_or_null<IfStmt>(S))
      return source(If->getCond());
    if (const auto* Switch = dyn_cast_or_null<SwitchStmt>(S))
      return source(Switch->getCond());
    if (const auto* For = dyn_cast_or_null<ForStmt>(S))
      return source(For->getCond());
    if (const auto* While = dyn_cast_or_null<WhileStmt>(S))
      return source(While->getCond());
    if (const auto* Do = dyn_cast_or_null<DoStmt>(S))
      return source(Do->getCond());
    if (const auto* Choice = dyn_cast_or_null<ConditionalOperator>(S))
      return source(Choice->getCond());
    if (const auto* Logical = dyn_cast_or_null<BinaryOperator>(S); Logical && Logical->isLogicalOp())
      return source(Logical->getLHS());
    return Source::Places;
  }

  /// What decides about statements of a function beside those that they stand in: whether it has been left before, or a step of a loop.
  struct Ways {
    Source Entered = Source::Places, Left = Source::Places, Interrupted = Source::Places;
  };
  Ways& ways() { return WaysOf[Current->getCanonicalDecl()]; }
  bool interrupt() {
    grow(ways().Interrupted, Control);
    return true;
  }

  bool loop(const Expr* Condition) {
    Expr::EvalResult Known;
    const bool IsConstant = Condition && Condition->EvaluateAsInt(Known, Context);
    if (!Condition || (IsConstant && Known.Val.getInt() != 0) || source(Condition) == Source::Data)
      Use.MayBeAny = false;
    return true;
  }

  /// An index, or what an integer is divided by.
  void address(const Expr* E) {
    if (source(E) == Source::Data)
      Use.MayBeAny = false;
  }

  void grow(Source& Known, Source To) {
    if (Known < To) {
      Known = To;
      Grown = true;
    }
  }
  /// What has no value before.
  void begin(const Decl* D, Source Value) {
    auto [Known, Added] = Sources.try_emplace(D, initial(D));
    grow(Known->second, Value);
  }
  /// By its own name.
  static bool isLocalVariable(const VarDecl* V) { return V && V->hasLocalStorage() && !V->getType()->isReferenceType(); }
  /// A local variable, or a part of one.
  static bool isLocal(const Expr* E) {
    E = E->IgnoreParenImpCasts();
    if (const auto* Element = dyn_cast<ArraySubscriptExpr>(E))
      return isOwnArray(Element->getBase());
    if (const auto* Member = dyn_cast<MemberExpr>(E))
      return !Member->isArrow() && isLocal(Member->getBase());
    return isLocalVariable(namedVariable(E));
  }

  void callMember(const CXXMethodDecl& Method, const Expr& Object, const CallExpr& Call, unsigned First) {
    beginFields(*Method.getParent(), Object);
    if (Method.isConst())
      return;
    if (First != 0 && Call.getNumArgs() == 2 && (Method.isCopyAssignmentOperator() || Method.isMoveAssignmentOperator()) && !Method.isUserProvided())
      return assign(&Object, source(Call.getArg(1)));
    assign(&Object, Source::Data);
  }
  /// Those that a member function finds.
  void beginFields(const CXXRecordDecl& Class, const Expr& Object) {
    const auto* Parameter = dyn_cast_or_null<ParmVarDecl>(namedVariable(&Object));
    for (const FieldDecl* Field : Class.fields())
      if (!isa<CXXThisExpr>(Object))
        begin(Field, isFixedMember(Parameter, Field) ? Source::Places : source(&Object));
  }
  void raise(const Decl* D, Source To) { begin(D, most(To, most(Control, ways().Interrupted))); }

  void assign(const Expr* To, Source Value) {
    To = To->IgnoreParenImpCasts();
    if (const auto* Element = dyn_cast<ArraySubscriptExpr>(To); Element && isOwnArray(Element->getBase()))
      return assign(Element->getBase()->IgnoreParenImpCasts(), most(Value, source(Element->getIdx())));
    if (const auto* Member = dyn_cast<MemberExpr>(To)) {
      if (isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts()))
        return raise(Member->getMemberDecl(), Value);
      if (!Member->isArrow())
        return assign(Member->getBase(), Value);
    }
    if (const VarDecl* V = namedVariable(To); isLocalVariable(V))
      return raise(V, Value);
    if (mostOfWay() != Source::Places)
      Use.StoresAlways = false;
  }

  Source mostOfWay() {
    const Ways& Here = ways();
    return most(most(Control, Here.Entered), most(Here.Left, Here.Interrupted));
  }

  static bool isOwnArray(const Expr* Base) {
    const VarDecl* V = namedVariable(Base);
    return V && V->hasLocalStorage() && V->getType()->isArrayType();
  }

  void pass(const FunctionDecl& Callee, llvm::ArrayRef<const Expr*> Arguments) {
    const FunctionDecl* Definition = ownDefinition(Callee);
    for (size_t I = 0; I != Arguments.size(); ++I) {
      const QualType Type = I < Callee.getNumParams() ? Callee.getParamDecl(I)->getType() : Arguments[I]->getType();
      if (Definition && I < Definition->getNumParams())
        begin(Definition->getParamDecl(I), source(Arguments[I], Type));
      // What it may change.
      const Expr* Changed = Arguments[I]->IgnoreParenImpCasts();
      if (const auto* Address = dyn_cast<UnaryOperator>(Changed); Address && Address->getOpcode() == UO_AddrOf)
        Changed = Address->getSubExpr();
      else if (!Type->isReferenceType() && !isOwnArray(Changed))
        continue;
      if (!Type->isReferenceType() || mayChange(Type))
        assign(Changed, Source::Data);
    }
    if (Definition) {
      const FunctionDecl* Canonical = Definition->getCanonicalDecl();
      grow(WaysOf[Canonical].Entered, mostOfWay());
      Calls[Current->getCanonicalDecl()].insert(Canonical);
      enter(Definition);
      return;
    }
    const bool Speaks = llvm::StringSwitch<bool>(identifierOf(&Callee))
                            .Cases("printf", "vprintf", "malloc", "free", "__nanosleep", "__trap", "__assert_fail", "__assertfail", true)
                            .Default(Callee.isNoReturn());
    if (Speaks)
      Use.MayBeAny = false;
  }

  bool reaches(const FunctionDecl* From, const FunctionDecl* To) const {
    llvm::SmallVector<const FunctionDecl*, 8> Waiting(1, From);
    llvm::DenseSet<const FunctionDecl*> Seen;
    while (!Waiting.empty()) {
      const auto Called = Calls.find(Waiting.pop_back_val());
      if (Called == Calls.end())
        continue;
      for (const FunctionDecl* Each : Called->second) {
        if (Each == To)
          return true;
        if (Seen.insert(Each).second)
          Waiting.push_back(Each);
      }
    }
    return false;
  }

  bool isFixed(const ParmVarDecl& Parameter) const {
    if (const auto* Class = Parameter.getType()->getAsCXXRecordDecl(); Class && Class->hasDefinition())
      return Class->getNumBases() == 0 && llvm::all_of(Class->fields(), [&](const FieldDecl* Field) {
               return Field->getType()->isPointerType() || IsFixed(&Parameter, Field);
             });
    return Parameter.getType()->isPointerType() || IsFixed(&Parameter, nullptr);
  }
  Source initial(const Decl* D) const {
    const auto* V = dyn_cast<VarDecl>(D);
    if (const auto* Parameter = dyn_cast<ParmVarDecl>(D); Parameter && Parameter->getDeclContext() == Kernel)
      return isFixed(*Parameter) ? Source::Places : Source::Numbers;
    if (!V || V->hasLocalStorage() || isConstant(V))
      return Source::Places;
    return V->hasAttr<CUDAConstantAttr>() || V->getType().isConstQualified() ? Source::Numbers : Source::Data;
  }
  Source of(const Decl* D) const {
    const auto Known = Sources.find(D);
    return Known != Sources.end() ? Known->second : initial(D);
  }

  static bool mayChange(QualType Type) { return Type->isReferenceType() && !Type.getNonReferenceType().isConstQualified(); }
  /// Of what a variable of a type begins with.
  Source source(const Expr* E, QualType Of) const {
    return Of->isReferenceType() && E->isGLValue() ? loaded(E->IgnoreParenImpCasts()) : source(E);
  }
  Source source(const Expr* E) const {
    if (!E)
      return Source::Places;
    E = E->IgnoreParens();
    if (indexMember(E))
      return Source::Places;
    if (const auto* Ref = dyn_cast<DeclRefExpr>(E))
      return isa<VarDecl>(Ref->getDecl()) ? of(Ref->getDecl()) : isa<BindingDecl>(Ref->getDecl()) ? Source::Data : Source::Places;
    if (const auto* Member = dyn_cast<MemberExpr>(E))
      return ofMember(*Member);
    if (const auto* Cast = dyn_cast<CastExpr>(E)) {
      if (Cast->getCastKind() == CK_LValueToRValue)
        return loaded(Cast->getSubExpr()->IgnoreParens());
      if (Cast->getCastKind() == CK_ArrayToPointerDecay)
        return addressOf(Cast->getSubExpr()->IgnoreParens());
      // Which array a launch is passed, or whether one, may change.
      if (Cast->getCastKind() == CK_PointerToBoolean || Cast->getCastKind() == CK_PointerToIntegral)
        return most(Source::Numbers, source(Cast->getSubExpr()));
    }
    if (const auto* Compared = dyn_cast<BinaryOperator>(E); Compared && Compared->isComparisonOp() && Compared->getLHS()->getType()->isPointerType())
      return most(Source::Numbers, most(source(Compared->getLHS()), source(Compared->getRHS())));
    if (const auto* Unary = dyn_cast<UnaryOperator>(E); Unary && Unary->getOpcode() == UO_AddrOf)
      return addressOf(Unary->getSubExpr()->IgnoreParens());
    if (isa<ArraySubscriptExpr>(E) || (isa<UnaryOperator>(E) && cast<UnaryOperator>(E)->getOpcode() == UO_Deref))
      return loaded(E);
    if (const auto* Call = dyn_cast<CallExpr>(E))
      return ofCall(*Call);
    if (isa<LambdaExpr>(E))
      return Source::Places;
    if (isa<CXXThisExpr>(E))
      return Source::Numbers;
    if (isa<StmtExpr, PseudoObjectExpr>(E))
      return Source::Data;
    Source All = Source::Places;
    for (const Stmt* Child : E->children())
      if (const auto* Part = dyn_cast_or_null<Expr>(Child))
        All = most(All, source(Part));
    return All;
  }
  Source ofMember(const MemberExpr& Member) const {
    const Expr* Base = Member.getBase()->IgnoreParenImpCasts();
    if (isa<CXXThisExpr>(Base))
      return of(Member.getMemberDecl());
    if (isFixedMember(dyn_cast_or_null<ParmVarDecl>(namedVariable(Base)), dyn_cast<FieldDecl>(Member.getMemberDecl())))
      return Source::Places;
    return Member.isArrow() ? Source::Data : source(Base);
  }
  Source addressOf(const Expr* E) const {
    if (const auto* Element = dyn_cast<ArraySubscriptExpr>(E))
      return most(source(Element->getBase()), source(Element->getIdx()));
    if (const auto* Unary = dyn_cast<UnaryOperator>(E); Unary && Unary->getOpcode() == UO_Deref)
      return source(Unary->getSubExpr());
    if (const auto* Member = dyn_cast<MemberExpr>(E))
      return Member->isArrow() ? source(Member->getBase()) : addressOf(Member->getBase()->IgnoreParens());
    return source(E);
  }
  /// Of what the kernel is passed, and has not changed.
  bool isFixedMember(const ParmVarDecl* Parameter, const FieldDecl* Field) const {
    return Parameter && Field && Parameter->getDeclContext() == Kernel && !Sources.count(Parameter) &&
           (Field->getType()->isPointerType() || IsFixed(Parameter, Field));
  }
  Source ofCall(const CallExpr& Call) const {
    const FunctionDecl* Callee = Call.getDirectCallee();
    if (!Callee)
      return Source::Data;
    if (const FunctionDecl* Definition = ownDefinition(*Callee)) // or what it leads to
      return Call.isGLValue() ? Source::Data : of(Definition->getCanonicalDecl());
    Source All = Source::Places;
    for (const Expr* Argument : Call.arguments())
      All = most(All, Argument->getType()->isPointerType() ? Source::Data : source(Argument));
    return All;
  }
  /// The value of what an expression leads to.
  Source loaded(const Expr* From) const {
    if (const auto* Element = dyn_cast<ArraySubscriptExpr>(From))
      if (const VarDecl* V = namedVariable(Element->getBase()); V && V->getType()->isArrayType())
        return most(of(V), source(Element->getIdx()));
    if (isa<DeclRefExpr, MemberExpr>(From))
      return source(From);
    if (const auto* Choice = dyn_cast<ConditionalOperator>(From))
      return most(source(Choice->getCond()), most(loaded(Choice->getTrueExpr()->IgnoreParens()), loaded(Choice->getFalseExpr()->IgnoreParens())));
    if (const auto* Call = dyn_cast<CallExpr>(From)) // std::min
      return ofCall(*Call);
    return Source::Data;
  }

  const FunctionDecl* Kernel;
  const ASTContext& Context;
  llvm::function_ref<bool(const ParmVarDecl*, const FieldDecl*)> IsFixed;
  std::map<const Decl*, Source> Sources;
  std::map<const FunctionDecl*, Ways> WaysOf;
  std::map<const FunctionDecl*, llvm::DenseSet<const FunctionDecl*>> Calls;
  llvm::DenseSet<const Stmt*> Increments;
  /// Of the statements that a statement stands in.
  Source Control = Source::Places;
  bool Grown = false;
};

/// Whether all that a kernel does is written in ways that ValueFlow follows; and what it does to arrays by atomics.
class FollowedText : public CallVisitor {
public:
  explicit FollowedText(const FunctionDecl* Kernel) {
    enter(Kernel);
    visitEntered();
  }

  bool IsFollowed = true;
  bool UpdatesElements = false;

  bool VisitVarDecl(VarDecl* V) override {
    const QualType Type = V->getType();
    require(isPlain(Type) && Type.isDestructedType() == QualType::DK_none);
    if (V->getInit() && isChangeable(Type))
      require(isPlace(V->getInit()));
    return true;
  }
  bool VisitCastExpr(CastExpr* Cast) override {
    switch (Cast->getCastKind()) {
    case CK_DerivedToBase:
    case CK_UncheckedDerivedToBase:
    case CK_BaseToDerived:
    case CK_Dynamic:
    case CK_LValueBitCast:
      require(false);
      break;
    case CK_ArrayToPointerDecay:
      require(Allowed.contains(Cast) || !isOwn(Cast->getSubExpr()));
      break;
    default:
      break;
    }
    return CallVisitor::VisitCastExpr(Cast);
  }
  bool VisitUnaryOperator(UnaryOperator* E) override {
    if (E->getOpcode() == UO_AddrOf)
      require(Allowed.contains(E) || !isOwn(E->getSubExpr()));
    else if (E->isIncrementDecrementOp())
      require(isPlace(E->getSubExpr()));
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* E) override {
    require(!E->isPtrMemOp() && (!E->isAssignmentOp() || isPlace(E->getLHS())));
    return true;
  }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr* E) override {
    Allowed.insert(E->getBase()->IgnoreParens());
    return true;
  }
  bool VisitMemberExpr(MemberExpr* Member) override {
    Allowed.insert(Member->getBase()->IgnoreParenImpCasts());
    return CallVisitor::VisitMemberExpr(Member);
  }
  bool VisitCXXThisExpr(CXXThisExpr* E) override {
    require(Allowed.contains(E));
    return true;
  }
  bool VisitLambdaExpr(LambdaExpr* Lambda) override {
    const VariableChanges Changes(Lambda->getBody());
    for (const LambdaCapture& Capture : Lambda->captures())
      if (Capture.capturesVariable())
        require(!Lambda->isInitCapture(&Capture) && !Changes.changes(cast<VarDecl>(Capture.getCapturedVar())));
    return true;
  }
  bool VisitCallExpr(CallExpr* Call) override {
    const FunctionDecl* Callee = Call->getDirectCallee();
    if (!Callee)
      return require(false);
    const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
    const bool OfObject = isa<CXXOperatorCallExpr>(Call) && Method && Method->isInstance();
    const llvm::ArrayRef<Expr*> Arguments = llvm::ArrayRef(Call->getArgs(), Call->getNumArgs()).drop_front(OfObject ? 1 : 0);
    if (OfObject && !Method->isUserProvided() && (Method->isCopyAssignmentOperator() || Method->isMoveAssignmentOperator()))
      return require(isPlace(Call->getArg(0)));
    if (!ownDefinition(*Callee))
      return require(isKnown(*Callee, Arguments));
    if (Method && Method->isInstance())
      require(!Method->isVirtual() && Method->isConst());
    for (auto [I, Argument] : llvm::enumerate(Arguments)) {
      Allowed.insert(Argument->IgnoreParenImpCasts());
      if (const auto* Decayed = dyn_cast<ImplicitCastExpr>(Argument->IgnoreParens()))
        Allowed.insert(Decayed);
      if (I < Callee->getNumParams() && isChangeable(Callee->getParamDecl(I)->getType()))
        require(isPlace(Argument));
    }
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* Construct) override {
    const CXXConstructorDecl* Constructor = Construct->getConstructor();
    const bool IsNumbers = llvm::all_of(Construct->arguments(), [](const Expr* E) { return E->getType()->isArithmeticType(); });
    return require(!Constructor->isUserProvided() || (!ownDefinition(*Constructor) && IsNumbers));
  }
  bool VisitCXXInheritedCtorInitExpr(CXXInheritedCtorInitExpr*) override { return require(false); }
  bool VisitCXXBindTemporaryExpr(CXXBindTemporaryExpr*) override { return require(false); }
  bool VisitCXXConstCastExpr(CXXConstCastExpr*) override { return require(false); }
  bool VisitBinaryConditionalOperator(BinaryConditionalOperator*) override { return require(false); }
  bool VisitStmtExpr(StmtExpr*) override { return require(false); }

private:
  bool visitFunction(const FunctionDecl* Function) override {
    return Function->isDefaulted() || !ownDefinition(*Function) || CallVisitor::visitFunction(Function);
  }

  /// Goes on only while all is followed.
  bool require(bool Condition) {
    IsFollowed &= Condition;
    return IsFollowed;
  }

  /// Numbers, pointers, and what is made of these by their names alone.
  static bool isPlain(QualType Type) {
    const auto* Class = Type.getNonReferenceType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    return !Class || Class->isLambda() || !Class->hasDefinition() ||
           (Class->getNumBases() == 0 && !Class->isPolymorphic() && llvm::all_of(Class->fields(), [](const FieldDecl* Field) {
              return !Field->getType()->isReferenceType() && !Field->isMutable() && isPlain(Field->getType());
            }));
  }
  static bool isChangeable(QualType Type) { return Type->isReferenceType() && !Type.getNonReferenceType().isConstQualified(); }
  /// A variable of a function, or a part of one.
  static bool isOwn(const Expr* E) {
    E = E->IgnoreParenImpCasts();
    if (const auto* Element = dyn_cast<ArraySubscriptExpr>(E))
      return Element->getBase()->IgnoreParenImpCasts()->getType()->isArrayType() && isOwn(Element->getBase());
    if (const auto* Member = dyn_cast<MemberExpr>(E))
      return Member->isArrow() ? isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts()) : isOwn(Member->getBase());
    const VarDecl* V = namedVariable(E);
    return !isa<StringLiteral, PredefinedExpr>(E) && (!V || V->hasLocalStorage());
  }
  /// What is changed by its own name, or by a pointer.
  bool isPlace(const Expr* E) const {
    E = E->IgnoreParens();
    if (const auto* Cast = dyn_cast<ImplicitCastExpr>(E); Cast && Cast->getCastKind() == CK_NoOp)
      return isPlace(Cast->getSubExpr());
    if (const auto* Member = dyn_cast<MemberExpr>(E))
      return Member->isArrow() || isPlace(Member->getBase());
    if (const auto* Call = dyn_cast<CallExpr>(E))
      return Call->getDirectCallee() && leadsToElement(*Call->getDirectCallee());
    const auto* Unary = dyn_cast<UnaryOperator>(E);
    return isa<DeclRefExpr, ArraySubscriptExpr>(E) || (Unary && Unary->getOpcode() == UO_Deref);
  }
  /// `return values[i];` of a pointer.
  static bool leadsToElement(const FunctionDecl& Function) {
    const FunctionDecl* Definition = ownDefinition(Function);
    const auto* Body = Definition ? dyn_cast<CompoundStmt>(Definition->getBody()) : nullptr;
    const auto* Return = Body && !Body->body_empty() ? dyn_cast<ReturnStmt>(Body->body_back()) : nullptr;
    const Expr* Value = Return && Body->size() == 1 ? Return->getRetValue() : nullptr;
    const auto* Element = Value ? dyn_cast<ArraySubscriptExpr>(Value->IgnoreParens()) : nullptr;
    return Element && !Element->getBase()->IgnoreParenImpCasts()->getType()->isArrayType();
  }
  /// CUDA's atomics and loads, barriers, and functions of numbers.
  bool isKnown(const FunctionDecl& Callee, llvm::ArrayRef<Expr*> Arguments) {
    const StringRef Name = identifierOf(&Callee);
    if (Name.starts_with("atomic")) {
      UpdatesElements |= !Arguments.empty() && !isa<DeclRefExpr>(Arguments[0]->IgnoreParenImpCasts());
      return true;
    }
    if (Name.starts_with("__ld") || Name.starts_with("__sync"))
      return true;
    if (Callee.isNoReturn() || Name == "printf")
      return true; // ValueFlow refuses it
    const auto IsNumber = [](QualType Type) {
      return Type.getNonReferenceType()->isArithmeticType() && (!Type->isReferenceType() || Type.getNonReferenceType().isConstQualified());
    };
    const bool OfClass = isa<CXXMethodDecl>(Callee) && !Arguments.empty();
    const bool OfNumbers = llvm::all_of(Callee.parameters(), [&](const ParmVarDecl* P) { return IsNumber(P->getType()); });
    return !OfClass && OfNumbers && IsNumber(Callee.getReturnType());
  }

  llvm::SmallPtrSet<const Stmt*, 16> Allowed;
};

} // namespace

ValueUse findValueUse(const FunctionDecl* Kernel, llvm::function_ref<bool(const ParmVarDecl*, const FieldDecl*)> IsFixed) {
  const FollowedText Text(Kernel);
  if (!Text.IsFollowed)
    return {false, false};
  ValueUse Use = ValueFlow(Kernel, IsFixed).Use;
  Use.StoresAlways &= !Text.UpdatesElements;
  return Use;
}

} // namespace gpurma
