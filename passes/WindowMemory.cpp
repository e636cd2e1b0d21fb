// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/WindowMemory.h"
#include "frontend/Directives.h"
#include "frontend/DynamicRecursiveASTVisitor.h"
#include "passes/CallVisitor.h"
#include "passes/ControlDependence.h"
#include "passes/DeviceFunctions.h"
#include "passes/ImplicitCalls.h"
#include "passes/Lvalues.h"
#include "passes/VariableUses.h"

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Analysis/Analyses/Dominators.h"
#include "clang/Analysis/Analyses/PostOrderCFGView.h"
#include "clang/Analysis/AnalysisDeclContext.h"
#include "clang/Analysis/CFG.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringSwitch.h"

#include <map>

using namespace clang;

namespace gpurma {
namespace {

const FunctionDecl *calleeOf(const Expr *E) {
  if (const auto *Call = dyn_cast<CallExpr>(E))
    return Call->getDirectCallee();
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(E))
    return Construct->getConstructor();
  if (const auto* Inherited = dyn_cast<CXXInheritedCtorInitExpr>(E))
    return Inherited->getConstructor();
  return nullptr;
}

/// Also of a destructor, for which no statement stands.
const FunctionDecl* calleeOf(const CFGElement& Element, ASTContext& Context) {
  if (auto Destructor = Element.getAs<CFGImplicitDtor>())
    return destructorOf(*Destructor, Context);
  const auto S = Element.getAs<CFGStmt>();
  const auto* E = S ? dyn_cast<Expr>(S->getStmt()) : nullptr;
  return E ? calleeOf(E) : nullptr;
}

bool isPointerVariable(QualType T) { return T.getNonReferenceType()->isPointerType(); }

/// An array of pointers, perhaps of several dimensions.
bool isArrayOfPointers(QualType T) {
  return T->isArrayType() && T->getBaseElementTypeUnsafe()->isPointerType();
}

/// A parameter through which a function stores pointers of its caller.
bool leadsToPointers(QualType T) {
  if (!T->isReferenceType() && !T->isPointerType())
    return false;
  const QualType To = T->getPointeeType();
  return (To->isPointerType() && !To.isConstQualified()) ||
         (T->isReferenceType() && isArrayOfPointers(To));
}

} // namespace

WindowMemory::WindowMemory(Unit &U)
    : U(U), Graphs(std::make_unique<AnalysisDeclContextManager>(U.context())) {
  addImplicitCalls(Graphs->getCFGBuildOptions());
  for (const Marker &M : U.Markers)
    Markers[M.Call] = &M;
  Functions = deviceFunctions(U.context());
  addGraphs();
  findAliases();
  findAcquires();
  findPolling();
}

WindowMemory::~WindowMemory() = default;

void WindowMemory::addGraphs() {
  auto Add = [&](const FunctionDecl* F) {
    auto& Of = Facts[F->getCanonicalDecl()];
    Of = std::make_unique<FunctionFacts>();
    Of->Graph = Graphs->getContext(F)->getCFG();
    WithImplicit.push_back(F);
  };
  for (const FunctionDecl* F : Functions)
    Add(F);
  for (size_t I = 0; I != WithImplicit.size(); ++I) {
    const CFG* Graph = factsOf(WithImplicit[I])->Graph;
    if (!Graph)
      continue;
    for (const CFGBlock* B : *Graph)
      for (const CFGElement& Element : *B) {
        const FunctionDecl* Callee = calleeOf(Element, U.context());
        const FunctionDecl* Definition = nullptr;
        if (Callee && !factsOf(Callee) && (Callee->isImplicit() || Callee->isDefaulted()) &&
            Callee->hasBody(Definition))
          Add(Definition);
      }
  }
}

//===--- Aliases
//----------------------------------------------------------------------------------------------------===//

/// An element of memory that holds pointers: what leads to these leads to none of what they lead
/// to.
static bool isOfPointerTable(const Expr* E) {
  const auto* Element = dyn_cast<ArraySubscriptExpr>(E->IgnoreParens());
  if (!Element || !Element->getType()->isPointerType())
    return false;
  const auto* Decay = dyn_cast<ImplicitCastExpr>(Element->getBase()->IgnoreParens());
  return !Decay || Decay->getCastKind() != CK_ArrayToPointerDecay;
}

const ValueDecl *WindowMemory::root(const Expr *E) {
  for (;;) {
    if (const auto* Load = dyn_cast<ImplicitCastExpr>(E->IgnoreParens());
        Load && Load->getCastKind() == CK_LValueToRValue && isOfPointerTable(Load->getSubExpr()))
      return nullptr;
    E = E->IgnoreParenCasts();
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
      const auto *Binding = dyn_cast<BindingDecl>(Ref->getDecl());
      if (!Binding || !Binding->getBinding())
        return Ref->getDecl();
      E = Binding->getBinding();
      continue;
    }
    if (const auto *Member = dyn_cast<MemberExpr>(E))
      return dyn_cast<FieldDecl>(Member->getMemberDecl());
    if (const auto Sum = pointerSum(E)) {
      E = Sum->Pointer;
    } else if (const auto* Unary = dyn_cast<UnaryOperator>(E);
               Unary && (Unary->isIncrementDecrementOp() || Unary->getOpcode() == UO_AddrOf)) {
      E = Unary->getSubExpr();
    } else if (const auto* Subscript = dyn_cast<ArraySubscriptExpr>(E)) {
      // An element of an array of pointers, or the place whose address was taken.
      E = Subscript->getBase();
    } else if (const auto* Call = dyn_cast<CXXOperatorCallExpr>(E);
               Call && Call->getOperator() == OO_Subscript) {
      E = Call->getArg(0); // std::array
    } else {
      return nullptr;
    }
  }
}

/// Also of `a ?: b`.
static const Expr* trueOperand(const AbstractConditionalOperator& E) {
  const auto* Binary = dyn_cast<BinaryConditionalOperator>(&E);
  return Binary ? Binary->getCommon() : E.getTrueExpr();
}

bool WindowMemory::isPointer(const Expr *E) const {
  E = E->IgnoreParens();
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    if (const auto *Binding = dyn_cast<BindingDecl>(Ref->getDecl())) {
      if (Binding->getHoldingVar()) // of std::array
        return isPointerVariable(Ref->getType()) && Pointers.count(Binding->getDecomposedDecl());
      return Binding->getBinding() && isPointer(Binding->getBinding());
    }
    return Pointers.count(Ref->getDecl()) && isPointerVariable(Ref->getDecl()->getType());
  }
  if (const auto *This = dyn_cast<CXXThisExpr>(E))
    return CalledInWindow.contains(ThisOf.lookup(This));
  if (const auto *Member = dyn_cast<MemberExpr>(E)) {
    const auto *Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
    return Field && Pointers.count(Field) && isPointerVariable(Field->getType());
  }
  if (const auto *Cast = dyn_cast<CastExpr>(E)) {
    const Expr *Sub = Cast->getSubExpr();
    if (Cast->getCastKind() != CK_ArrayToPointerDecay)
      return isPointer(Sub);
    const ValueDecl *Array =
        isa<DeclRefExpr, MemberExpr>(Sub->IgnoreParens()) ? root(Sub) : nullptr;
    if (Array && Pointers.count(Array))
      return !U.context().getBaseElementType(Array->getType())->isPointerType();
    return isObject(Sub);
  }
  if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E)) {
    const ValueDecl *Array = root(Subscript);
    return Array && Pointers.count(Array) && Array->getType()->isArrayType() &&
           E->getType()->isPointerType();
  }
  if (const auto *Binary = dyn_cast<BinaryOperator>(E)) {
    if (const auto Sum = pointerSum(Binary))
      return isPointer(Sum->Pointer);
    if (Binary->getOpcode() == BO_Comma || Binary->getOpcode() == BO_Assign)
      return isPointer(Binary->getRHS());
    return Binary->isAssignmentOp() && isPointer(Binary->getLHS());
  }
  if (const auto *Unary = dyn_cast<UnaryOperator>(E)) {
    // Of a pointer, too: a pointer to it leads to the window.
    if (Unary->getOpcode() == UO_AddrOf)
      return isObject(Unary->getSubExpr()) ||
             (isPointerVariable(Unary->getSubExpr()->getType()) && isPointer(Unary->getSubExpr()));
    if (Unary->getOpcode() == UO_Deref)
      return E->getType()->isPointerType() &&
             (isPointer(Unary->getSubExpr()) || isArrayOfKnown(Unary->getSubExpr()));
    return Unary->isIncrementDecrementOp() && isPointer(Unary->getSubExpr());
  }
  if (const auto* Conditional = dyn_cast<AbstractConditionalOperator>(E))
    return isPointer(trueOperand(*Conditional)) || isPointer(Conditional->getFalseExpr());
  if (const auto *Call = dyn_cast<CallExpr>(E)) {
    if (!Call->getType()->isPointerType())
      return false;
    const FunctionDecl *F = Call->getDirectCallee();
    const auto *Method = dyn_cast_or_null<CXXMethodDecl>(F);
    if (Method && isWindowClass(Method->getParent()))
      return true;
    if ((F && ReturnsPointer.contains(F->getCanonicalDecl())) || asksHolder(Call))
      return true;
    // A function of a library that takes and returns pointers, as std::assume_aligned.
    return F && U.sources().isInSystemHeader(F->getLocation()) &&
           llvm::any_of(Call->arguments(), [&](const Expr* Arg) {
             return Arg->getType()->isPointerType() ? isPointer(Arg)
                    : Arg->getType()->isArrayType() && isObject(Arg) // std::begin(row)
                        ? true
                        : isHolder(Arg); // std::get<0>(pointers)
           });
  }
  if (const auto* Default = dyn_cast<CXXDefaultInitExpr>(E))
    return isPointer(Default->getExpr());
  if (isa<MaterializeTemporaryExpr, ExprWithCleanups, CXXBindTemporaryExpr,
          SubstNonTypeTemplateParmExpr>(E))
    for (const Stmt *Child : E->children())
      return isPointer(cast<Expr>(Child));
  return false;
}

bool WindowMemory::isObject(const Expr *E) const {
  E = E->IgnoreParens();
  if (!E->isGLValue())
    return false;
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    if (const auto *Binding = dyn_cast<BindingDecl>(Ref->getDecl()))
      return Binding->getBinding() && isObject(Binding->getBinding());
    QualType T = Ref->getDecl()->getType();
    return Pointers.count(Ref->getDecl()) && T->isReferenceType() && !isPointerVariable(T);
  }
  if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E))
    return isPointer(Subscript->getBase());
  if (const auto *Unary = dyn_cast<UnaryOperator>(E))
    return Unary->getOpcode() == UO_Deref && isPointer(Unary->getSubExpr());
  if (const auto *Member = dyn_cast<MemberExpr>(E)) {
    const auto *Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
    if (Field && Field->getType()->isReferenceType())
      return Pointers.count(Field) && !isPointerVariable(Field->getType());
    return Field && (Member->isArrow() ? isPointer(Member->getBase()) : isObject(Member->getBase()));
  }
  if (const auto* Default = dyn_cast<CXXDefaultInitExpr>(E))
    return isObject(Default->getExpr());
  if (const auto *Cast = dyn_cast<CastExpr>(E))
    return isObject(Cast->getSubExpr());
  if (const auto* Conditional = dyn_cast<AbstractConditionalOperator>(E))
    return isObject(trueOperand(*Conditional)) || isObject(Conditional->getFalseExpr());
  if (const auto* Binary = dyn_cast<BinaryOperator>(E)) {
    if (Binary->getOpcode() == BO_Comma)
      return isObject(Binary->getRHS());
    return Binary->isPtrMemOp() && (Binary->getOpcode() == BO_PtrMemI ? isPointer(Binary->getLHS())
                                                                      : isObject(Binary->getLHS()));
  }
  if (const auto *Call = dyn_cast<CallExpr>(E))
    return Call->getDirectCallee() &&
           (ReturnsPointer.contains(Call->getDirectCallee()->getCanonicalDecl()) ||
            (asksHolder(Call) && !isPointerVariable(Call->getType())) || refersInto(Call));
  return false;
}

/// A library's function that returns a reference to what is in the window memory that it is called
/// with: std::array's operator[], std::as_const.
bool WindowMemory::refersInto(const CallExpr* Call) const {
  const FunctionDecl* Callee = Call->getDirectCallee();
  if (!U.sources().isInSystemHeader(Callee->getLocation()) ||
      !Callee->getReturnType()->isReferenceType() || isPointerVariable(Callee->getReturnType()))
    return false;
  const auto [Object, Passed] = passedTo(Call);
  if (Object)
    return Object->getType()->isPointerType() ? isPointer(Object) : isObject(Object);
  return llvm::any_of(Passed, [&](const Expr* Argument) { return isObject(Argument); });
}

bool WindowMemory::asksHolder(const CallExpr *Call) const {
  const Expr *Object = passedTo(Call).Object;
  return Object && U.sources().isInSystemHeader(Call->getDirectCallee()->getLocation()) &&
         isHolder(Object);
}

/// An array of pointers or an object of a library that has one into window memory, or a part of
/// such an object: span.first(2).
bool WindowMemory::isHolder(const Expr* E) const {
  E = E->IgnoreImplicit()->IgnoreParenCasts()->IgnoreImplicit();
  if (const auto* Call = dyn_cast<CallExpr>(E);
      Call && Call->getDirectCallee() && E->getType()->getAsCXXRecordDecl())
    return asksHolder(Call);
  const ValueDecl* Holder = root(E);
  return Holder && Pointers.count(Holder) && !isPointerVariable(Holder->getType());
}

bool WindowMemory::isArrayOfKnown(const Expr* Decayed) const {
  const auto* Cast = dyn_cast<CastExpr>(Decayed->IgnoreParens());
  return Cast && Cast->getCastKind() == CK_ArrayToPointerDecay && isHolder(Cast->getSubExpr());
}

bool WindowMemory::addPointer(const ValueDecl *To, const Expr *From) {
  return To && Pointers.try_emplace(To, From).second;
}

/// Walks one function: first to spread the alias property, then to collect reads.
class WindowMemory::Collector : public DynamicRecursiveASTVisitor {
public:
  Collector(WindowMemory &W, const FunctionDecl *F, bool Reads) : W(W), F(F), CollectReads(Reads) {}
  bool Changed = false;

  bool VisitVarDecl(VarDecl *V) override {
    if (V->getInit()) {
      bind(V, V->getInit());
      if (isPointerVariable(V->getType()))
        noteStored(V, V->getInit());
    }
    return true;
  }

  bool VisitBinaryOperator(BinaryOperator *E) override {
    if (E->getOpcode() == BO_Assign && E->getLHS()->getType()->isPointerType()) {
      copy(root(E->getLHS()), E->getLHS(), E->getRHS());
      noteStored(root(E->getLHS()), E->getRHS());
    }
    return true;
  }

  /// As it is understood, not as it is written: with the reads of what it lists.
  bool TraverseInitListExpr(InitListExpr *E) override {
    const InitListExpr *List = understoodForm(E);
    bindMembers(List->getType(), List->inits());
    return llvm::all_of(List->inits(), [&](const Expr *Each) { return TraverseStmt(const_cast<Expr *>(Each)); });
  }
  bool VisitCXXParenListInitExpr(CXXParenListInitExpr *E) override {
    bindMembers(E->getType(), E->getInitExprs());
    return true;
  }
  bool TraverseCXXDefaultInitExpr(CXXDefaultInitExpr* E) override {
    return TraverseStmt(E->getExpr());
  }
  bool VisitCXXThisExpr(CXXThisExpr *E) override {
    // A lambda's body is visited as a part of the function that has it, too.
    const auto *Method = dyn_cast<CXXMethodDecl>(F);
    if (Method && W.U.context().hasSameUnqualifiedType(E->getType()->getPointeeType(),
                                                       W.U.context().getRecordType(Method->getParent())))
      Changed |= W.ThisOf.try_emplace(E, F->getCanonicalDecl()).second;
    return true;
  }

  bool VisitReturnStmt(ReturnStmt *S) override {
    const Expr *E = S->getRetValue();
    if (!E)
      return true;
    bool Returns = F->getReturnType()->isReferenceType()
                       ? W.isObject(E) || W.isPointer(E)
                       : E->getType()->isPointerType() && W.isPointer(E);
    if (Returns)
      Changed |= W.ReturnsPointer.insert(F->getCanonicalDecl()).second;
    return true;
  }

  bool VisitCallExpr(CallExpr *E) override {
    const FunctionDecl *Callee = E->getDirectCallee();
    if (const Marker *M = W.Markers.lookup(E)) {
      if (CollectReads)
        for (const Clause &C : M->Origin->Clauses)
          for (unsigned I = 0; I != C.Exprs.size(); ++I)
            if (const Expr *Operand = M->expr(C.Kind, I);
                Operand && Operand->getType()->isScalarType())
              read(E->getArg(C.Exprs[I].MarkerArg));
      return true;
    }
    if (!Callee)
      return true;
    const auto [Object, Passed] = passedTo(E);
    if (Object && (Object->getType()->isPointerType() ? W.isPointer(Object) : W.isObject(Object)))
      Changed |= W.CalledInWindow.insert(Callee->getCanonicalDecl()).second;
    if (CollectReads && isa<CXXOperatorCallExpr>(E) && isa<CXXMethodDecl>(Callee) &&
        Callee->getOverloadedOperator() == OO_Equal && E->getNumArgs() == 2)
      read(E->getArg(1));
    if (Callee->getOverloadedOperator() == OO_Equal && E->getNumArgs() == 2 &&
        isOfLibrary(E->getArg(0)->getType()))
      bind(root(E->getArg(0)), E->getArg(1));
    // A library's function that computes from an object, as real() of a complex number, reads all
    // of it; the size of an array is none of its elements.
    if (const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
        CollectReads && Object && Object->isGLValue() && Method->isConst() &&
        identifierOf(Method->getParent()) != "array" &&
        !Callee->getReturnType()->isReferenceType() && !Callee->getReturnType()->isPointerType() &&
        W.U.sources().isInSystemHeader(Callee->getLocation()))
      read(Object);
    if (Values.contains(E)) // std::max(std::max(p[0], p[1]), p[2])
      for (const Expr* Argument : Passed)
        noteValue(Argument);
    // Of those that compare, what is compared is read at once, too.
    const bool Compares = llvm::StringSwitch<bool>(identifierOf(Callee))
                              .Cases("min", "max", "clamp", Values.contains(E))
                              .Default(false);
    pass(Callee, Passed, mayRefer(Callee->getReturnType()) && !Compares);
    return true;
  }

  bool VisitCXXConstructExpr(CXXConstructExpr *E) override {
    if (CollectReads && E->getConstructor()->isCopyOrMoveConstructor() && E->getNumArgs() == 1) {
      read(E->getArg(0));
      noteValue(E->getArg(0));
    }
    const llvm::ArrayRef<const Expr *> Args(E->getArgs(), E->getNumArgs());
    const bool Refers = mayRefer(E->getType());
    pass(E->getConstructor(), Args, Refers);
    if (E->getConstructor()->isInheritingConstructor())
      pass(E->getConstructor()->getInheritedConstructor().getConstructor(), Args, Refers);
    return true;
  }

  bool VisitImplicitCastExpr(ImplicitCastExpr *E) override {
    if (CollectReads && E->getCastKind() == CK_LValueToRValue) {
      read(E->getSubExpr());
      noteValue(E->getSubExpr());
    }
    return true;
  }

  bool VisitCXXForRangeStmt(CXXForRangeStmt* Loop) override {
    if (isPointerVariable(Loop->getLoopVariable()->getType()) && W.isHolder(Loop->getRangeInit()))
      Changed |= W.addPointer(Loop->getLoopVariable(), Loop->getRangeInit());
    return true;
  }

  /// \p To may be null.
  void bind(const ValueDecl *To, const Expr *From) {
    if (!To)
      return;
    QualType T = To->getType();
    if (T->isReferenceType() && !isPointerVariable(T) && W.isObject(From)) {
      Changed |= W.addPointer(To, From);
    } else if (isPointerVariable(T)) {
      copy(To, nullptr, From);
    } else if (isArrayOfPointers(T) || isOfLibrary(T)) {
      if (const Expr *Pointer = pointerIn(From))
        Changed |= W.addPointer(To, Pointer);
    }
  }

private:
  void bindMembers(QualType T, llvm::ArrayRef<Expr *> Inits) {
    const RecordDecl *Record = T->getAsRecordDecl();
    if (Record && !Record->isUnion())
      forEachInitializer(*Record, Inits, [&](const FieldDecl *Field, const Expr *Init) { bind(Field, Init); });
  }

  bool isOfLibrary(QualType T) const {
    const auto *Class = T.getNonReferenceType()->getAsCXXRecordDecl();
    return Class && !isWindowClass(Class) && W.U.sources().isInSystemHeader(Class->getLocation());
  }

  /// A pointer into window memory among what an array or an object of a library is made of; null if
  /// there is none.
  const Expr *pointerIn(const Expr *From) const {
    const Expr *Plain = From->IgnoreImplicit()->IgnoreParenCasts()->IgnoreImplicit();
    if (const ValueDecl *Copied = isOfLibrary(Plain->getType()) ? root(Plain) : nullptr;
        Copied && W.Pointers.count(Copied))
      return From;
    if (const auto* Call = dyn_cast<CallExpr>(Plain);
        Call && Call->getDirectCallee() && isOfLibrary(Plain->getType()) && W.asksHolder(Call))
      return From; // span.begin()
    if (!isa<InitListExpr, CXXConstructExpr>(Plain))
      return nullptr;
    for (const Stmt *Child : Plain->children()) {
      const auto *Part = cast<Expr>(Child);
      if (isPointerVariable(Part->getType()) ? W.isPointer(Part) : W.isObject(Part))
        return Part;
      if (const Expr *Inner = pointerIn(Part))
        return Inner;
    }
    return nullptr;
  }

  /// A pointer variable gets another's value: both point to the same memory, whichever is known to
  /// be the window's.
  void copy(const ValueDecl *To, const Expr *ToExpr, const Expr *From) {
    if (!To)
      return;
    bool ToPoints = ToExpr ? W.isPointer(ToExpr) : W.Pointers.count(To);
    if (W.isPointer(From)) {
      Changed |= W.addPointer(To, From);
    } else if (const ValueDecl *Source =
                   ToPoints && isa<DeclRefExpr, MemberExpr>(From->IgnoreParenImpCasts())
                       ? root(From)
                       : nullptr) {
      if (isPointerVariable(Source->getType()))
        Changed |= W.addPointer(Source, From);
    }
  }

  void noteStored(const ValueDecl* To, const Expr* From) {
    if (To)
      Changed |= W.Sources[To].insert(From);
  }

  /// What a function stores through its parameters is what the arguments lead to then.
  void takeBack(const FunctionDecl* Callee, llvm::ArrayRef<const Expr*> Args) {
    for (unsigned I = 0; I != std::min<size_t>(Args.size(), Callee->getNumParams()); ++I) {
      const ParmVarDecl* P = Callee->getParamDecl(I);
      const ValueDecl* To = leadsToPointers(P->getType()) ? root(Args[I]) : nullptr;
      if (!To)
        continue;
      for (const Expr* From : storedInto(P, Callee, Args)) {
        noteStored(To, From);
        if (W.isPointer(From))
          Changed |= W.addPointer(To, From);
      }
    }
  }

  /// What is stored through a parameter, also by way of the function's other variables: of what
  /// comes from parameters the arguments.
  llvm::SmallVector<const Expr*, 4> storedInto(const ParmVarDecl* Param, const FunctionDecl* Callee,
                                               llvm::ArrayRef<const Expr*> Args) const {
    llvm::SmallVector<const Expr*, 4> Found;
    llvm::SmallSetVector<const ValueDecl*, 4> Work;
    Work.insert(Param);
    for (size_t Next = 0; Next != Work.size(); ++Next) {
      const auto It = W.Sources.find(Work[Next]);
      if (It == W.Sources.end())
        continue;
      for (const Expr* From : It->second) {
        const ValueDecl* Root = root(assigned(From));
        const auto* V = dyn_cast_or_null<VarDecl>(Root);
        if (!V || !V->hasLocalStorage() || V->getDeclContext() != Callee)
          Found.push_back(From);
        else if (Work.insert(V))
          if (const auto* Other = dyn_cast<ParmVarDecl>(V);
              Other && Other->getFunctionScopeIndex() < Args.size())
            Found.push_back(Args[Other->getFunctionScopeIndex()]);
      }
    }
    return Found;
  }

  /// Of `a = b` the value of b.
  static const Expr* assigned(const Expr* E) {
    while (const auto* Assign = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts())) {
      if (Assign->getOpcode() != BO_Assign)
        break;
      E = Assign->getRHS();
    }
    return E;
  }

  /// Notes that what a call refers to is read before the expression ends.
  void noteValue(const Expr* Place) {
    Place = Place->IgnoreParenImpCasts();
    while (const auto* Member = dyn_cast<MemberExpr>(Place)) {
      if (Member->isArrow())
        return;
      Place = Member->getBase()->IgnoreParenImpCasts();
    }
    if (isa<CallExpr>(Place))
      Values.insert(Place);
  }

  /// Whether a result of the type may lead to what a function was called with.
  static bool mayRefer(QualType T) {
    if (T->isReferenceType() || T->isPointerType())
      return true;
    const CXXRecordDecl* Class = T->getAsCXXRecordDecl();
    return Class && Class->hasDefinition() &&
           (llvm::any_of(Class->fields(),
                         [](const FieldDecl* F) { return mayRefer(F->getType()); }) ||
            llvm::any_of(Class->bases(),
                         [](const CXXBaseSpecifier& Base) { return mayRefer(Base.getType()); }));
  }

  /// \p ResultRefers: what a library's function gives may lead to what it has been called with, so
  /// that a copy of this would be gone.
  void pass(const FunctionDecl* Callee, llvm::ArrayRef<const Expr*> Args, bool ResultRefers) {
    bool Library = W.U.sources().isInSystemHeader(Callee->getLocation());
    for (unsigned I = 0; I != std::min<size_t>(Args.size(), Callee->getNumParams()); ++I) {
      const ParmVarDecl *P = Callee->getParamDecl(I);
      if (!Library) {
        const FunctionDecl *Definition = nullptr;
        if (Callee->hasBody(Definition))
          P = Definition->getParamDecl(I);
        if (isPointerVariable(P->getType())
                ? W.isPointer(Args[I])
                : (P->getType()->isReferenceType() && W.isObject(Args[I])) ||
                      (isOfLibrary(P->getType()) && pointerIn(Args[I])))
          Changed |= W.addPointer(P, Args[I]);
      } else if (P->getType()->isReferenceType() &&
                 P->getType()->getPointeeType().isConstQualified()) {
        if (CollectReads && !ResultRefers)
          read(Args[I]); // std::max(a[i], b)
      } else if (isPointerVariable(P->getType()) && P->getType()->isReferenceType() &&
                 W.isPointer(Args[I])) {
        for (const Expr *Other : Args) // std::swap(a, b)
          if (isPointerVariable(Other->getType()) && Other->isLValue())
            Changed |= W.addPointer(root(Other), Args[I]);
      }
    }
    const FunctionDecl* Definition = nullptr;
    if (!Library && Callee->hasBody(Definition))
      takeBack(Definition, Args);
  }

  void read(const Expr *Place) {
    while (const auto *Cast = dyn_cast<ImplicitCastExpr>(Place->IgnoreParens()))
      Place = Cast->getSubExpr();
    QualType T = Place->getType();
    if (!W.isObject(Place) || Place->refersToBitField() ||
        !T.isTriviallyCopyableType(W.U.context()))
      return;
    auto &At = W.ReadsAt[Place->IgnoreParens()];
    if (!At.empty())
      return;
    At.push_back(W.Reads.size());
    W.Reads.push_back({Place, F, false, true, false});
  }

  WindowMemory &W;
  const FunctionDecl *F;
  bool CollectReads;
  llvm::SmallPtrSet<const Expr*, 8> Values; ///< see noteValue()
};

void WindowMemory::findAliases() {
  for (const Marker &M : U.Markers)
    if (M.Origin->Kind == DirectiveKind::Window && !M.Dependent)
      if (const Expr* Base = M.expr(ClauseKind::Subject); Base && !isOfPointerTable(Base))
        addPointer(root(Base), Base);
  while (collect(/*Reads=*/false))
    ;
  collect(/*Reads=*/true);
}

/// Whether anything was new.
bool WindowMemory::collect(bool Reads) {
  bool Changed = false;
  for (size_t I = 0; I != WithImplicit.size(); ++I)
    Changed |= collectIn(WithImplicit[I], /*HasText=*/I < Functions.size(), Reads);
  return Changed;
}

/// Of a function without text only what its class's members begin with.
bool WindowMemory::collectIn(const FunctionDecl* F, bool HasText, bool Reads) {
  Collector C(*this, F, Reads);
  if (U.sources().isInSystemHeader(F->getLocation()))
    return false;
  if (const auto* Constructor = dyn_cast<CXXConstructorDecl>(F))
    for (const CXXCtorInitializer* I : Constructor->inits()) {
      if (!I->isWritten() && !isa<CXXDefaultInitExpr>(I->getInit()))
        continue;
      if (I->getAnyMember() && !Reads)
        C.bind(I->getAnyMember(), I->getInit());
      C.TraverseStmt(I->getInit());
    }
  if (HasText)
    C.TraverseStmt(F->getBody());
  return C.Changed;
}

//===--- Acquire points
//---------------------------------------------------------------------------------------------===//

WindowMemory::FunctionFacts* WindowMemory::factsOf(const FunctionDecl* Callee) const {
  auto It = Callee ? Facts.find(Callee->getCanonicalDecl()) : Facts.end();
  return It == Facts.end() ? nullptr : It->second.get();
}

bool WindowMemory::isAcquire(const CFGElement& Element) const {
  const auto S = Element.getAs<CFGStmt>();
  if (const auto* Call = S ? dyn_cast<CallExpr>(S->getStmt()) : nullptr) {
    if (const Marker *M = Markers.lookup(Call)) {
      switch (M->Origin->Kind) {
      case DirectiveKind::Window:
      case DirectiveKind::Wait:
      case DirectiveKind::Test:
      case DirectiveKind::Barrier:
        return !M->Origin->find(ClauseKind::If);
      default:
        return false;
      }
    }
    StringRef Name = apiName(Call->getDirectCallee());
    if (Name == "wait" || Name == "test" || Name == "barrier")
      return true;
  }
  if (const auto* Construct = S ? dyn_cast<CXXConstructExpr>(S->getStmt()) : nullptr;
      Construct && isWindowClass(Construct->getConstructor()->getParent()))
    return true;
  const FunctionFacts* Callee = factsOf(calleeOf(Element, U.context()));
  return Callee && Callee->AlwaysAcquires;
}

/// What a call of a library's function may call; null: nothing.
llvm::SmallVector<const FunctionDecl*, 2> WindowMemory::calledBack(const CallExpr* Call) const {
  const FunctionDecl* Callee = Call ? Call->getDirectCallee() : nullptr;
  if (!Callee || !U.sources().isInSystemHeader(Callee->getLocation()))
    return {};
  return callbacks(passedTo(Call).Args);
}

bool WindowMemory::synchronizes(const FunctionDecl *F) const {
  auto It = Facts.find(F->getCanonicalDecl());
  return It != Facts.end() && It->second->Synchronizes;
}

void WindowMemory::findAcquires() {
  // What a function does to its caller, from the leaves up.
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const FunctionDecl* F : WithImplicit) {
      FunctionFacts &Of = *Facts[F->getCanonicalDecl()];
      if (!Of.Graph)
        continue;
      for (const CFGBlock *B : *Of.Graph)
        for (const CFGElement& Element : *B) {
          FunctionFacts* Callee = factsOf(calleeOf(Element, U.context()));
          if (Callee)
            Callee->HasCallers = true;
          const auto S = Element.getAs<CFGStmt>();
          const auto* Call = S ? dyn_cast<CallExpr>(S->getStmt()) : nullptr;
          bool Synchronizes = (Call && Markers.count(Call)) || (Callee && Callee->Synchronizes);
          for (const FunctionDecl* Called : calledBack(Call))
            if (const FunctionFacts* OfCalled = factsOf(Called))
              Synchronizes |= OfCalled->Synchronizes;
          Changed |= Synchronizes && !Of.Synchronizes;
          Of.Synchronizes |= Synchronizes;
        }
      bool Saved = Of.AcquiredAtEntry;
      Of.AcquiredAtEntry = false;
      bool Always = flow(F, /*Record=*/false);
      Of.AcquiredAtEntry = Saved;
      Changed |= Always && !Of.AlwaysAcquires;
      Of.AlwaysAcquires |= Always;
    }
  }
  // What callers have done before.
  for (const FunctionDecl* F : WithImplicit) {
    FunctionFacts &Of = *Facts[F->getCanonicalDecl()];
    bool IsKernel = F->hasAttr<CUDAGlobalAttr>();
    Of.WindowAtEntry = !IsKernel && !Of.HasCallers;
    Of.AcquiredAtEntry = !IsKernel && Of.HasCallers;
  }
  auto Entries = [&] {
    std::vector<bool> All;
    for (const FunctionDecl* F : WithImplicit) {
      FunctionFacts &Of = *Facts[F->getCanonicalDecl()];
      All.push_back(Of.WindowAtEntry);
      All.push_back(Of.AcquiredAtEntry);
    }
    return All;
  };
  for (std::vector<bool> Before; Before != Entries();) {
    Before = Entries();
    for (const FunctionDecl* F : WithImplicit)
      flow(F, /*Record=*/true);
  }
}

/// One fixed point over \p F from its entry facts; whether an acquire point has been passed at its
/// end. With \p Record, notes what holds at reads and hands it on to the functions that it calls.
bool WindowMemory::flow(const FunctionDecl *F, bool Record) {
  FunctionFacts &Of = *Facts[F->getCanonicalDecl()];
  if (!Of.Graph)
    return false;
  struct Known {
    bool Window = false, Acquired = true;
  };
  std::vector<Known> Out(Of.Graph->getNumBlockIDs());
  PostOrderCFGView Order(Of.Graph);
  auto Pass = [&](bool Final) {
    bool Changed = false;
    for (const CFGBlock *B : Order) {
      Known Now;
      if (B == &Of.Graph->getEntry())
        Now = {Of.WindowAtEntry, Of.AcquiredAtEntry};
      for (const CFGBlock *P : B->preds())
        if (P) {
          Now.Window |= Out[P->getBlockID()].Window;
          Now.Acquired &= Out[P->getBlockID()].Acquired;
        }
      for (const CFGElement &Element : *B) {
        auto S = Element.getAs<CFGStmt>();
        const auto *E = S ? dyn_cast<Expr>(S->getStmt()) : nullptr;
        if (Final && E)
          for (size_t I : ReadsAt.lookup(E)) {
            Reads[I].IsWindow |= Now.Window;
            Reads[I].Acquired &= Now.Acquired;
          }
        if (Final && Now.Window) {
          if (isa_and_nonnull<CallExpr, CXXConstructExpr>(E))
            WindowAt.insert(E);
          if (FunctionFacts* Callee = factsOf(calleeOf(Element, U.context()))) {
            Callee->WindowAtEntry = true;
            Callee->AcquiredAtEntry &= Now.Acquired;
          }
        }
        if (isAcquire(Element))
          Now.Acquired = true;
        const auto* Call = dyn_cast_or_null<CallExpr>(E);
        const Marker *M = Call ? Markers.lookup(Call) : nullptr;
        const auto* Construct = dyn_cast_or_null<CXXConstructExpr>(E);
        if ((M && M->Origin->Kind == DirectiveKind::Window) ||
            (Construct && isWindowClass(Construct->getConstructor()->getParent())))
          Now.Window = true;
      }
      Known &Then = Out[B->getBlockID()];
      Changed |= Then.Window != Now.Window || Then.Acquired != Now.Acquired;
      Then = Now;
    }
    return Changed;
  };
  while (Pass(/*Final=*/false))
    ;
  if (Record)
    Pass(/*Final=*/true);
  return Out[Of.Graph->getExit().getBlockID()].Acquired;
}

//===--- Polling loops
//----------------------------------------------------------------------------------------------===//

namespace {

/// The blocks of the natural loop of each loop header.
llvm::MapVector<unsigned, llvm::BitVector> naturalLoops(const CFG &Graph) {
  CFGDomTree Dominators(const_cast<CFG *>(&Graph));
  llvm::MapVector<unsigned, llvm::BitVector> Loops;
  for (const CFGBlock *B : Graph)
    for (const CFGBlock *Header : B->succs()) {
      if (!Header || !Dominators.dominates(Header, B))
        continue;
      auto &Body = Loops.try_emplace(Header->getBlockID(), llvm::BitVector(Graph.getNumBlockIDs()))
                       .first->second;
      Body.set(Header->getBlockID());
      std::vector<const CFGBlock *> Work{B};
      while (!Work.empty()) {
        const CFGBlock *Next = Work.back();
        Work.pop_back();
        if (Body.test(Next->getBlockID()))
          continue;
        Body.set(Next->getBlockID());
        for (const CFGBlock *P : Next->preds())
          if (P)
            Work.push_back(P);
      }
    }
  return Loops;
}

/// Whether there is a way around a loop that comes through none of the blocks \p Avoided.
bool returnsWithout(const llvm::BitVector& Avoided, const CFG& Graph, unsigned Header,
                    const llvm::BitVector& Loop) {
  if (Avoided.test(Header))
    return false;
  llvm::BitVector Seen(Graph.getNumBlockIDs());
  std::vector<const CFGBlock*> Work;
  for (const CFGBlock* B : Graph)
    if (B->getBlockID() == Header)
      Work.push_back(B);
  while (!Work.empty()) {
    const CFGBlock* Next = Work.back();
    Work.pop_back();
    for (const CFGBlock* S : Next->succs()) {
      if (!S || !Loop.test(S->getBlockID()) || Avoided.test(S->getBlockID()))
        continue;
      if (S->getBlockID() == Header)
        return true;
      if (!Seen.test(S->getBlockID()))
        Work.push_back(S);
      Seen.set(S->getBlockID());
    }
  }
  return false;
}

/// The variables and fields that an expression names, and the expressions within it.
struct Contents : DynamicRecursiveASTVisitor {
  llvm::DenseSet<const ValueDecl *> Variables;
  std::vector<const Expr *> Exprs;
  bool VisitExpr(Expr *E) override {
    Exprs.push_back(E);
    const auto *Ref = dyn_cast<DeclRefExpr>(E);
    const auto *Binding = Ref ? dyn_cast<BindingDecl>(Ref->getDecl()) : nullptr;
    if (Ref && isa<VarDecl>(Ref->getDecl()))
      Variables.insert(Ref->getDecl());
    else if (Binding)
      Variables.insert(Binding->getDecomposedDecl());
    else if (const auto *Member = dyn_cast<MemberExpr>(E);
             Member && isa<FieldDecl>(Member->getMemberDecl()))
      Variables.insert(Member->getMemberDecl());
    return true;
  }
};

} // namespace

void WindowMemory::findPolling() {
  std::vector<const FunctionDecl *> Called;
  std::map<const FunctionDecl*, Contents> Bodies; // each is asked for by every call in a loop
  auto Mark = [&](const Expr *E) {
    for (size_t I : ReadsAt.lookup(E))
      Reads[I].Polled = true;
    FunctionFacts* Callee = factsOf(calleeOf(E));
    if (Callee && !Callee->PolledFromOutside) {
      Callee->PolledFromOutside = true;
      Called.push_back(calleeOf(E));
    }
  };

  for (const FunctionDecl *F : Functions) {
    const CFG *Graph = Facts[F->getCanonicalDecl()]->Graph;
    if (!Graph)
      continue;
    auto Loops = naturalLoops(*Graph);
    std::vector<std::vector<unsigned>> Controls;
    std::vector<const Stmt *> Conditions(Graph->getNumBlockIDs());
    if (!Loops.empty()) {
      Controls = controlDependencies(*Graph);
      for (const CFGBlock *B : *Graph)
        Conditions[B->getBlockID()] = B->getTerminatorCondition();
    }
    for (const auto &[Header, Body] : Loops) {
      llvm::BitVector Acquiring(Graph->getNumBlockIDs());
      Contents Deciding;
      llvm::BitVector Decides(Graph->getNumBlockIDs());
      auto Decide = [&](unsigned Block) {
        if (Conditions[Block] && !Decides.test(Block))
          Deciding.TraverseStmt(const_cast<Stmt *>(Conditions[Block]));
        Decides.set(Block);
      };
      std::vector<std::pair<const Stmt *, unsigned>> Statements;
      for (const CFGBlock *B : *Graph) {
        if (!Body.test(B->getBlockID()))
          continue;
        for (const CFGElement& Element : *B) {
          if (auto S = Element.getAs<CFGStmt>())
            Statements.push_back({S->getStmt(), B->getBlockID()});
          if (isAcquire(Element))
            Acquiring.set(B->getBlockID());
        }
        bool Leaves = llvm::any_of(
            B->succs(), [&](const CFGBlock *S) { return S && !Body.test(S->getBlockID()); });
        if (Leaves)
          Decide(B->getBlockID());
      }
      if (!returnsWithout(Acquiring, *Graph, Header, Body))
        continue;
      // What the loop computes of variables that decide decides, too, and so does whether it does.
      auto IsDeciding = [&](const Expr* To) {
        const ValueDecl* Root = root(To);
        if (!Root || Deciding.Variables.contains(Root))
          return Root != nullptr;
        // What a reference or a pointer leads to.
        const auto* V = dyn_cast<VarDecl>(Root);
        return V && V->getInit() &&
               (V->getType()->isReferenceType() || V->getType()->isPointerType()) &&
               Deciding.Variables.contains(root(V->getInit()));
      };
      auto Assigned = [&](const Expr* To, const Expr* From, unsigned Block) {
        if (!IsDeciding(To))
          return;
        if (From)
          Deciding.TraverseStmt(const_cast<Expr *>(From));
        for (unsigned Control : Controls[Block])
          if (Body.test(Control))
            Decide(Control);
      };
      // A function may change what it is passed a reference or pointer to, or what it names, as a
      // lambda does.
      auto MayChange = [&](const CallExpr &Call) {
        const FunctionDecl *Callee = Call.getDirectCallee();
        if (!Callee)
          return false;
        if (llvm::any_of(Call.arguments(), [&](const Expr* Arg) {
              return (Arg->isGLValue() || Arg->getType()->isPointerType()) &&
                     !Arg->getType().isConstQualified() && IsDeciding(Arg);
            }))
          return true;
        if (const Expr* Object = passedTo(&Call).Object; Object && IsDeciding(Object))
          return true;
        if (!factsOf(Callee))
          return false;
        const auto [Named, IsNew] = Bodies.try_emplace(Callee->getDefinition());
        if (IsNew)
          Named->second.TraverseStmt(Callee->getDefinition()->getBody());
        return llvm::any_of(Named->second.Variables,
                            [&](const ValueDecl* V) { return Deciding.Variables.contains(V); });
      };
      for (size_t Before = 0; Before != Deciding.Variables.size();) {
        Before = Deciding.Variables.size();
        for (auto [S, Block] : Statements) {
          if (const auto *Assign = dyn_cast<BinaryOperator>(S);
              Assign && Assign->isAssignmentOp()) {
            Assigned(Assign->getLHS(), Assign->getRHS(), Block);
          } else if (const auto *Unary = dyn_cast<UnaryOperator>(S);
                     Unary && Unary->isIncrementDecrementOp()) {
            Assigned(Unary->getSubExpr(), nullptr, Block);
          } else if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(S);
                     Operator && Operator->isAssignmentOp() && Operator->getNumArgs() == 2) {
            Assigned(Operator->getArg(0), Operator->getArg(1), Block); // of structures
          } else if (const auto* Call = dyn_cast<CallExpr>(S); Call && MayChange(*Call)) {
            for (const Expr* Arg : passedTo(Call).Args)
              Deciding.TraverseStmt(const_cast<Expr*>(Arg));
          } else if (const auto* Declares = dyn_cast<DeclStmt>(S)) {
            for (const Decl *D : Declares->decls())
              if (const auto *V = dyn_cast<VarDecl>(D);
                  V && V->getInit() && Deciding.Variables.contains(V))
                Deciding.TraverseStmt(const_cast<Expr *>(V->getInit()));
          }
        }
      }
      for (const Expr *E : Deciding.Exprs)
        Mark(E);
      for (auto [S, Block] : Statements)
        if (const auto *Call = dyn_cast<CallExpr>(S); Call && MayChange(*Call))
          Mark(Call);
    }
  }
  while (!Called.empty()) {
    const FunctionDecl *F = Called.back()->getDefinition();
    Called.pop_back();
    Contents All;
    if (F && F->getBody())
      traverseDefinition(All, F);
    for (const Expr *E : All.Exprs)
      Mark(E);
  }
}

} // namespace gpurma
