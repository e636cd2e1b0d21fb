// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/RegionCalls.h"
#include "frontend/DynamicRecursiveASTVisitor.h"
#include "frontend/SourceText.h"
#include "passes/ErrorChecks.h"
#include "passes/VariableChanges.h"
#include "passes/VariableUses.h"
#include "clang/AST/Attr.h"
#include "clang/AST/CXXInheritance.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SaveAndRestore.h"
#include <algorithm>

using namespace clang;

namespace gpurma {
namespace {

struct CallCollector : DynamicRecursiveASTVisitor {
  explicit CallCollector(const Stmt* S) { TraverseStmt(const_cast<Stmt*>(S)); }
  bool VisitCallExpr(CallExpr* Call) override {
    if (isa<CUDAKernelCallExpr>(Call))
      Launches = true;
    else
      Calls.push_back(Call);
    return true;
  }
  // Neither the kernel nor what takes the grid is a function that the launch calls.
  bool TraverseCUDAKernelCallExpr(CUDAKernelCallExpr* Launch) override {
    VisitCallExpr(Launch);
    for (Expr* Setting : Launch->getConfig()->arguments())
      TraverseStmt(Setting);
    for (Expr* Argument : Launch->arguments())
      TraverseStmt(Argument);
    return true;
  }
  bool VisitCXXForRangeStmt(CXXForRangeStmt*) override { return HasRangeLoops = true; }
  bool Launches = false, HasRangeLoops = false;
  std::vector<const CallExpr*> Calls;
};

bool isLambda(const FunctionDecl* F) {
  const auto* Method = dyn_cast<CXXMethodDecl>(F);
  return Method && Method->getParent()->isLambda();
}

/// What stands before a name in a program, without conversions that change nothing.
Expr* plain(Expr* E) {
  while (true) {
    E = E->IgnoreParens();
    auto* Cast = dyn_cast<ImplicitCastExpr>(E);
    if (!Cast || Cast->getCastKind() != CK_NoOp)
      return E;
    E = Cast->getSubExpr();
  }
}

/// A variable or a member of it: what it names does not depend on when it is evaluated.
bool isPlace(Expr* E) {
  E = plain(E);
  if (const auto* Ref = dyn_cast<DeclRefExpr>(E))
    return isa<VarDecl>(Ref->getDecl());
  const auto* Member = dyn_cast<MemberExpr>(E);
  return Member && !Member->isArrow() && isa<FieldDecl>(Member->getMemberDecl()) && isPlace(Member->getBase());
}

/// An expression of places and constants whose value changes with these only.
bool isPure(Expr* E) {
  E = E->IgnoreParens();
  if (isPlace(E) || isa<IntegerLiteral, CXXBoolLiteralExpr, CharacterLiteral, CXXNullPtrLiteralExpr, GNUNullExpr, SubstNonTypeTemplateParmExpr>(E))
    return true;
  if (auto* Ref = dyn_cast<DeclRefExpr>(E))
    return isa<EnumConstantDecl>(Ref->getDecl());
  if (auto* Cast = dyn_cast<CastExpr>(E))
    return Cast->getType()->isScalarType() && Cast->getSubExpr()->getType()->isScalarType() && isPure(Cast->getSubExpr());
  if (auto* Unary = dyn_cast<UnaryOperator>(E))
    return Unary->isArithmeticOp() && isPure(Unary->getSubExpr());
  if (auto* Binary = dyn_cast<BinaryOperator>(E))
    return !Binary->isAssignmentOp() && !Binary->isCommaOp() && isPure(Binary->getLHS()) && isPure(Binary->getRHS());
  if (auto* Choice = dyn_cast<ConditionalOperator>(E))
    return isPure(Choice->getCond()) && isPure(Choice->getTrueExpr()) && isPure(Choice->getFalseExpr());
  if (const auto* Size = dyn_cast<UnaryExprOrTypeTraitExpr>(E))
    return !Size->getTypeOfArgument()->isVariablyModifiedType();
  return false;
}

/// The variable of `&variable`.
Expr* addressed(Expr* E) {
  auto* Address = dyn_cast<UnaryOperator>(E->IgnoreParenImpCasts());
  return Address && Address->getOpcode() == UO_AddrOf && isPlace(Address->getSubExpr()) ? Address->getSubExpr() : nullptr;
}

/// Whether a statement changes neither variables nor members that a pure expression names.
class Unchanged {
public:
  explicit Unchanged(const Stmt* S) : All(S), Reads(S), Changed(changedMembers(S)) {}

  bool variable(const VarDecl* V) const {
    return llvm::all_of(All.All, [&](const DeclRefExpr* Ref) { return Ref->getDecl() != V || Reads.contains(Ref); });
  }
  bool all(Expr* E) const {
    E = E->IgnoreParens();
    if (isa<MemberExpr>(E)) {
      const FieldDecl* Outermost = nullptr;
      Expr* Base = E;
      while (auto* Each = dyn_cast<MemberExpr>(plain(Base))) {
        Outermost = cast<FieldDecl>(Each->getMemberDecl());
        Base = Each->getBase();
      }
      const auto* V = cast<VarDecl>(cast<DeclRefExpr>(plain(Base))->getDecl());
      return variable(V) || (!Changed.count({V, nullptr}) && !Changed.count({V, Outermost}));
    }
    if (const auto* Ref = dyn_cast<DeclRefExpr>(E))
      if (const auto* V = dyn_cast<VarDecl>(Ref->getDecl()))
        return variable(V);
    return llvm::all_of(E->children(), [&](Stmt* Child) { return !Child || all(cast<Expr>(Child)); });
  }

private:
  References All;
  PureReads Reads;
  std::set<std::pair<const VarDecl*, const FieldDecl*>> Changed;
};

/// What may have changed a variable when a lambda, which has a copy of it, is called.
class CopyChanges : public DynamicRecursiveASTVisitor {
public:
  CopyChanges(const VarDecl* V, const Stmt* Body, SourceLocation Copied, const SourceManager& Sources)
      : V(V), Copied(Copied), Sources(Sources), Reads(Body) {
    TraverseStmt(const_cast<Stmt*>(Body));
  }
  bool VisitBinaryOperator(BinaryOperator* E) override {
    if (E->isAssignmentOp())
      over(E->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator* E) override {
    if (E->isIncrementDecrementOp())
      over(E->getSubExpr());
    return true;
  }
  /// cudaMalloc(&u, bytes), std::swap(u, v): they do not keep the address.
  bool VisitCallExpr(CallExpr* Call) override {
    const FunctionDecl* Callee = Call->getDirectCallee();
    if (Callee && Sources.isInSystemHeader(Callee->getLocation()))
      for (Expr* Argument : Call->arguments()) {
        const auto* Address = dyn_cast<UnaryOperator>(Argument->IgnoreParenCasts());
        over(Address && Address->getOpcode() == UO_AddrOf ? Address->getSubExpr() : Argument);
      }
    return true;
  }
  /// The body of a lambda says what becomes of what it captures.
  bool TraverseLambdaCapture(LambdaExpr* Lambda, const LambdaCapture* Capture, Expr* Init) override {
    return !Lambda->isInitCapture(Capture) || TraverseStmt(Init);
  }
  /// It may be called at any time.
  bool TraverseLambdaExpr(LambdaExpr* Lambda) override {
    ++Lambdas;
    bool Continue = DynamicRecursiveASTVisitor::TraverseLambdaExpr(Lambda);
    --Lambdas;
    return Continue;
  }
  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    if (Ref->getDecl() == V && !Reads.contains(Ref))
      Found.insert(Ref);
    return true;
  }
  bool any() const {
    return llvm::any_of(Found, [&](const DeclRefExpr* Ref) { return !Over.contains(Ref); });
  }

private:
  /// Before the copy is made, once and for all.
  void over(const Expr* E) {
    const auto* Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
    if (Ref && Lambdas == 0 && Sources.isBeforeInTranslationUnit(Sources.getFileLoc(Ref->getLocation()), Copied))
      Over.insert(Ref);
  }

  const VarDecl* V;
  SourceLocation Copied;
  const SourceManager& Sources;
  PureReads Reads;
  llvm::SmallPtrSet<const DeclRefExpr*, 8> Found, Over;
  unsigned Lambdas = 0;
};

class Expander {
public:
  Expander(WhileStmt* Loop, const Directive& Origin, const FunctionDecl* Function, MemberReferences& Members, ASTContext& Context,
           Diagnostics& Diags)
      : Loop(Loop), Origin(Origin), Function(Function), Members(Members), Context(Context), Sources(Context.getSourceManager()), Diags(Diags) {
    Frames.push_back({Function, {}, nullptr});
    Frames.back().OfObject = true;
  }

  ExpandedCalls run() {
    findObjects();
    expandClauses();
    if (isa<ForStmt, WhileStmt, DoStmt, CompoundStmt, CXXForRangeStmt>(Loop->getBody()) && hasWork(Loop->getBody()))
      expandStatement();
    finishObjects();
    return {std::move(OnDevice), std::move(Variables), InStatement, std::move(Objects)};
  }

private:
  bool hasWork(const Stmt* S) {
    CallCollector Inside(S);
    return Inside.HasRangeLoops || llvm::any_of(Inside.Calls, [&](const CallExpr* Call) {
             return isExpanded(*Call) || objectCall(Call) || swappedObjects(*Call).first;
           });
  }

  void expandStatement() {
    takeNames();
    Stmt* Copy = copied(Loop->getBody());
    if (Diags.hasErrors())
      return;
    Loop->setBody(Copy);
    InStatement = true;
    checkNames();
  }

  /// Extents and depths are values of the host: what cannot stand for a call is called.
  void expandClauses() {
    auto* Clauses = dyn_cast<CallExpr>(Loop->getCond()->IgnoreImplicit());
    if (!Clauses)
      return;
    llvm::SaveAndRestore InClauses(OfClauses, true);
    for (unsigned I = 1; I < Clauses->getNumArgs(); ++I) {
      if (!hasWork(Clauses->getArg(I)))
        continue;
      ClauseFailed = false;
      Expr* Copy = copyInPlace(Clauses->getArg(I));
      if (!ClauseFailed)
        Clauses->setArg(I, Copy);
    }
  }

  using Statements = llvm::SmallVector<Stmt*, 8>;
  static Statements* nowhere() { return nullptr; }

  /// As the texts of Diag::err_region_function.
  enum Problem {
    Recursive,
    Virtual,
    Behind,
    Variadic,
    NoBlock,
    HoldsRegion,
    Static,
    EarlyReturn,
    Place,
    ReturnsObject,
    OtherObject,
    CopiedCapture,
    InitCapture,
    Hidden,
    OtherLambda,
    NotPublic
  };

  struct Frame {
    const FunctionDecl* Function;
    /// What the function calls `this`: a variable, or with OfObject the object of the region's function.
    Expr* Object = nullptr;
    VarDecl* Result = nullptr;
    bool OfObject = false;
  };

  static std::string nameOf(const FunctionDecl* F) { return isLambda(F) ? "this lambda" : "'" + F->getNameAsString() + "'"; }

  void fail(SourceLocation Loc, const FunctionDecl* F, Problem What, StringRef Name = "") {
    if (OfClauses)
      ClauseFailed = true;
    else
      Diags.report(Loc, Diag::err_region_function) << nameOf(F) << What << Name << launches(F);
  }
  const FunctionDecl* current() const { return Frames.back().Function; }

  // --- Which calls.

  bool launches(const FunctionDecl* F) {
    auto [Known, IsNew] = Launching.try_emplace(F->getCanonicalDecl(), false);
    if (!IsNew)
      return Known->second;
    llvm::SmallVector<const FunctionDecl*, 8> Work = {F};
    llvm::SmallPtrSet<const FunctionDecl*, 8> Seen = {F};
    bool Found = false;
    while (!Found && !Work.empty()) {
      CallCollector Inside(Work.pop_back_val()->getBody());
      Found = Inside.Launches;
      for (const CallExpr* Call : Inside.Calls)
        if (const FunctionDecl* Callee = calledDefinition(*Call); Callee && Seen.insert(Callee).second)
          Work.push_back(Callee);
    }
    return Launching[F->getCanonicalDecl()] = Found;
  }

  bool isExpanded(const CallExpr& Call) {
    const FunctionDecl* F = calledDefinition(Call);
    return F && !Sources.isInSystemHeader(F->getLocation()) && (isOfHost(F, Sources) || isOfObject(Call) || launches(F));
  }

  /// The device has the members that the region names, and no object.
  static bool isOfObject(const CallExpr& Call) {
    const auto* Member = dyn_cast<CXXMemberCallExpr>(&Call);
    return Member && isa<CXXThisExpr>(Member->getImplicitObjectArgument()->IgnoreParenImpCasts());
  }

  // --- Objects of the host.

  /// Those that clauses name.
  void findObjects() {
    auto* Clauses = dyn_cast<CallExpr>(Loop->getCond()->IgnoreImplicit());
    unsigned Number = 0;
    for (const Clause& C : Origin.Clauses) {
      ++Number;
      for (unsigned I = 0; Clauses && I != C.Left; ++I) {
        unsigned At = C.Exprs[I].MarkerArg;
        Expr* E = At < Clauses->getNumArgs() ? Clauses->getArg(At) : nullptr;
        std::optional<ObjectCall> Call = E ? objectCall(E) : std::nullopt;
        if (E && !Call)
          Call = objectConversion(E);
        PointerVariable Object = Call && Call->type()->isPointerType() ? pointerVariable(Call->Object) : PointerVariable();
        if (!Object)
          continue;
        ObjectValue* Value = findValue(Object, *Call);
        if (!Value)
          Value = &addValue(Object, Call->Object, *Call);
        if (C.Kind == ClauseKind::Distribute)
          Value->Clause = Number;
        Clauses->setArg(At, name(Value->Value, E->getExprLoc()));
      }
    }
  }

  ObjectValue* findValue(const PointerVariable& Object, const ObjectCall& Call) {
    const std::string Key = Call.key();
    auto It = llvm::find_if(Objects, [&](const ObjectValue& V) { return V.Object == Object && V.Call.key() == Key; });
    return It == Objects.end() ? nullptr : &*It;
  }

  ObjectValue& addValue(const PointerVariable& Object, Expr* Named, ObjectCall Call) {
    // Of a constant reference to an object, which another name may change.
    if (!Named->getType().isConstQualified() && Call.Method->isConst() && !Call.Cast)
      for (const NamedDecl* D : Call.Method->getParent()->lookup(Call.Method->getDeclName()))
        if (const auto* Other = dyn_cast<CXXMethodDecl>(D); Other && !Other->isConst() && !Other->isStatic() && Other->getNumParams() == 0)
          Call.Method = Other;
    std::string Name = isa<CXXConversionDecl>(Call.Method) ? "(" + Object.name() + ")" : Object.name() + "." + Call.Method->getNameAsString() + "()";
    // objectValueName, of a.u.get() and of a_u.get().
    auto HaveSameText = [](StringRef A, StringRef B) {
      return std::equal(A.begin(), A.end(), B.begin(), B.end(), [](char InA, char InB) { return InA == InB || (!llvm::isAlnum(InA) && !llvm::isAlnum(InB)); });
    };
    while (llvm::any_of(Objects, [&](const ObjectValue& V) { return HaveSameText(V.Value->getName(), Name); }))
      Name.insert(Name.size() - 1, " ");
    SourceLocation Loc = Object.Variable->getLocation();
    QualType Type = Call.type();
    auto* Value = VarDecl::Create(Context, const_cast<FunctionDecl*>(Function), Loc, Loc, &Context.Idents.get(Name), Type,
                                  Context.getTrivialTypeSourceInfo(Type, Loc), SC_None);
    Value->setImplicit();
    return Objects.emplace_back(ObjectValue{Object, Named, Call, Value, 0, {}});
  }

  unsigned clauseOf(const PointerVariable& Object) const {
    auto It = llvm::find_if(Objects, [&](const ObjectValue& V) { return V.Object == Object && V.Clause != 0; });
    return It == Objects.end() ? 0 : It->Clause;
  }

  /// What stands for u.get() or u.size(); null for other calls.
  Expr* objectValue(CallExpr& E) {
    std::optional<ObjectCall> Call = objectCall(&E);
    if (!Call)
      return nullptr;
    Expr* Named = plain(copy(Call->Object));
    PointerVariable Object = isPlace(Named) ? pointerVariable(Named) : PointerVariable();
    if (!Object || Declared.contains(Object.Variable))
      return nullptr;
    ObjectValue* Found = findValue(Object, *Call);
    QualType Type = E.getType().getCanonicalType().getUnqualifiedType();
    // Arrays of one clause have one shape, and so, it is to be seen, are the numbers that their objects know.
    unsigned Clause = Type->isPointerType() ? 0 : clauseOf(Object);
    for (ObjectValue& V : Objects)
      if (!Found && Clause != 0 && !V.isPointer() && clauseOf(V.Object) == Clause && V.Call.key() == Call->key() &&
          V.Call.Method->getParent() == Call->Method->getParent())
        Found = &V;
    if (!Found && !isConstantCall(Call->Method, Sources))
      return nullptr;
    if (!Found)
      Found = &addValue(Object, Named, *Call);
    Expr* Value = valueOf(name(Found->Value, E.getBeginLoc()));
    if (!Context.hasSameUnqualifiedType(Value->getType(), Type))
      Value = ImplicitCastExpr::Create(Context, Type, CK_NoOp, Value, nullptr, VK_PRValue, FPOptionsOverride());
    return Value;
  }

  /// Of two objects, or of two structures with nothing but such: their pointers change places. False for other calls.
  bool addSwap(CallExpr& Call, Statements& Out) {
    auto [A, B] = swappedObjects(Call);
    if (!A)
      return false;
    Expr *NamedA = plain(copy(A)), *NamedB = plain(copy(B));
    PointerVariable First = isPlace(NamedA) ? pointerVariable(NamedA) : PointerVariable();
    PointerVariable Second = isPlace(NamedB) ? pointerVariable(NamedB) : PointerVariable();
    if (!First || !Second || First == Second)
      return false;
    const bool FirstKnown = isKnown(First, NamedA->getType()), SecondKnown = isKnown(Second, NamedB->getType());
    if (!FirstKnown && !SecondKnown)
      return false;
    ObjectSwap& Swap = Swaps.emplace_back(ObjectSwap{First, Second, &Call, {}});
    for (size_t I = 0; I != Objects.size(); ++I) {
      if (!Objects[I].isPointer() || !Objects[I].Object.isPartOf(First))
        continue;
      PointerVariable Other = Second;
      Other.Members.insert(Other.Members.end(), Objects[I].Object.Members.begin() + First.Members.size(), Objects[I].Object.Members.end());
      const ObjectValue* With = findValue(Other, Objects[I].Call);
      if (!With)
        continue; // finishObjects
      Out.push_back(swapOf(Objects[I].Value, With->Value, Call.getBeginLoc()));
      Swap.Values.insert(Objects[I].Value);
      Swap.Values.insert(With->Value);
    }
    return true;
  }

  /// Whether a clause names the object, or all that it has.
  bool isKnown(const PointerVariable& Object, QualType Type) const {
    if (clauseOf(Object) != 0)
      return true;
    const auto* Class = Type->getAsCXXRecordDecl();
    return Class && Class->getNumBases() == 0 && !Class->field_empty() && llvm::all_of(Class->fields(), [&](const FieldDecl* Field) {
             PointerVariable Part = Object;
             Part.Members.push_back(Field);
             return isKnown(Part, Field->getType());
           });
  }

  /// std::swap(a, b).
  Expr* swapOf(VarDecl* A, VarDecl* B, SourceLocation Loc) {
    NamespaceDecl* Std = nullptr;
    for (NamedDecl* D : Context.getTranslationUnitDecl()->lookup(&Context.Idents.get("std")))
      if (auto* Space = dyn_cast<NamespaceDecl>(D))
        Std = Space;
    QualType Reference = Context.getLValueReferenceType(A->getType());
    QualType Type = Context.getFunctionType(Context.VoidTy, {Reference, Reference}, FunctionProtoType::ExtProtoInfo());
    auto* Swap = FunctionDecl::Create(Context, Std, Std->getLocation(), Std->getLocation(), &Context.Idents.get("swap"), Type,
                                      Context.getTrivialTypeSourceInfo(Type), SC_None);
    ParmVarDecl* Parameters[2];
    for (ParmVarDecl*& Parameter : Parameters)
      Parameter = ParmVarDecl::Create(Context, Swap, Std->getLocation(), Std->getLocation(), nullptr, Reference,
                                      Context.getTrivialTypeSourceInfo(Reference), SC_None, nullptr);
    Swap->setParams(Parameters);
    Expr* Callee = DeclRefExpr::Create(Context, NestedNameSpecifierLoc(), SourceLocation(), Swap, false, Loc, Type, VK_LValue);
    Callee = ImplicitCastExpr::Create(Context, Context.getPointerType(Type), CK_FunctionToPointerDecay, Callee, nullptr, VK_PRValue,
                                      FPOptionsOverride());
    return CallExpr::Create(Context, Callee, {name(A, Loc), name(B, Loc)}, Context.VoidTy, VK_PRValue, Loc, FPOptionsOverride());
  }

  /// A swap moves all that the region has of its objects, pointers by swaps and numbers since they are equal.
  void finishObjects() {
    for (const ObjectSwap& Swap : Swaps)
      for (const ObjectValue& V : Objects)
        if (V.isPointer() && !Diags.hasErrors() && !Swap.Values.contains(V.Value) && (V.Object.isPartOf(Swap.First) || V.Object.isPartOf(Swap.Second)))
          Diags.report(Swap.Call->getBeginLoc(), Diag::err_region_object) << V.Value->getName() << Swap.Call->getSourceRange();
    for (ObjectValue& V : Objects) {
      if (V.isPointer())
        continue;
      unsigned Clause = clauseOf(V.Object);
      for (const ObjectValue& Other : Objects) {
        bool Swapped = llvm::any_of(Swaps, [&](const ObjectSwap& Swap) {
          return (V.Object == Swap.First && Other.Object == Swap.Second) || (V.Object == Swap.Second && Other.Object == Swap.First);
        });
        if (Other.isPointer() && !(Other.Object == V.Object) && (Swapped || (Clause != 0 && Other.Clause == Clause)) &&
            Other.Call.Method->getParent() == V.Call.Method->getParent())
          V.Alike.push_back(Other.Named);
      }
    }
  }

  // --- Names.

  void takeNames() {
    struct Collector : DynamicRecursiveASTVisitor {
      bool VisitVarDecl(VarDecl* V) override {
        if (V->getIdentifier())
          Names.insert(V->getName());
        return true;
      }
      bool TraverseStmt(Stmt* S) override { return S == Skipped || DynamicRecursiveASTVisitor::TraverseStmt(S); }
      llvm::StringSet<> Names;
      const Stmt* Skipped = nullptr;
    } Outside;
    Outside.Skipped = Loop->getBody();
    const FunctionDecl* Whole = outermostFunction(Function);
    for (ParmVarDecl* P : Whole->parameters())
      Outside.VisitVarDecl(P);
    Outside.TraverseStmt(Whole->getBody());
    Taken = std::move(Outside.Names);
    Collector Inside;
    Inside.TraverseStmt(Loop->getBody());
    for (const auto& Each : Inside.Names)
      if (!Taken.contains(Each.getKey()))
        OfRegion.insert(Each.getKey());
  }

  IdentifierInfo* nameFor(const VarDecl* V, StringRef Otherwise) {
    std::string Name = V && V->getIdentifier() ? V->getNameAsString() : Otherwise.str();
    std::string Unused = Name;
    // Once: a lambda may name the outer one of two where the inner one hides it.
    if (Frames.size() == 1)
      OfRegion.erase(Name);
    for (unsigned I = 2; Taken.contains(Unused) || OfRegion.contains(Unused); ++I)
      Unused = Name + "_" + std::to_string(I);
    Taken.insert(Unused);
    return &Context.Idents.get(Unused);
  }

  /// No local variable of another function has been left, as it is or behind something that no copy is made of.
  void checkNames() {
    struct Finder : DynamicRecursiveASTVisitor {
      bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
        const DeclContext* Of = Ref->getDecl()->getParentFunctionOrMethod();
        const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
        bool Left = V && (All->Variables.count(V) || All->Bound.count(V));
        bool OfOthers = Of && isa<VarDecl, BindingDecl>(Ref->getDecl()) && !Own.contains(cast<Decl>(Of)->getCanonicalDecl());
        if ((Left || OfOthers) && !Found)
          Found = Ref;
        return true;
      }
      bool TraverseLambdaExpr(LambdaExpr*) override { return true; }
      llvm::SmallPtrSet<const Decl*, 4> Own;
      const Expander* All = nullptr;
      const DeclRefExpr* Found = nullptr;
    } Find;
    Find.All = this;
    for (const DeclContext* DC = Function; DC; DC = DC->getParent())
      if (DC->isFunctionOrMethod())
        Find.Own.insert(cast<Decl>(DC)->getCanonicalDecl());
    Find.TraverseStmt(Loop->getBody());
    if (Find.Found)
      Diags.report(Find.Found->getLocation(), Diag::err_region_statement) << Find.Found->getDecl()->getName();
  }

  // --- Statements.

  Stmt* block(Statements& All, SourceRange Where) {
    return CompoundStmt::Create(Context, All, FPOptionsOverride(), Where.getBegin(), Where.getEnd());
  }

  /// A copy as the one statement that stands behind a condition or in a loop.
  Stmt* copied(Stmt* S) {
    if (!S)
      return nullptr;
    Statements All;
    addList(S, All);
    return All.size() == 1 ? All.front() : block(All, S->getSourceRange());
  }

  void addList(ArrayRef<Stmt*> List, Statements& Out) {
    for (size_t I = 0; I != List.size(); ++I) {
      if (Frames.size() > 1 && mayReturn(List[I]))
        return addReturning(List[I], List.drop_front(I + 1), Out);
      add(List[I], Out);
    }
  }

  void add(Stmt* S, Statements& Out) {
    llvm::SaveAndRestore Here(Hoisted, &Out);
    if (auto* E = dyn_cast<Expr>(S))
      return addExpression(E, Out);
    switch (S->getStmtClass()) {
    case Stmt::CompoundStmtClass: {
      Statements Parts;
      auto* Block = cast<CompoundStmt>(S);
      addList(llvm::SmallVector<Stmt*>(Block->body()), Parts);
      Out.push_back(block(Parts, S->getSourceRange()));
      return;
    }
    case Stmt::DeclStmtClass:
      addDeclarations(cast<DeclStmt>(S), Out);
      return;
    case Stmt::IfStmtClass:
      if (hostMarker(S)) {
        Out.push_back(S);
        return;
      }
      if (auto* If = cast<IfStmt>(S); !If->getConditionVariable() && !If->isConsteval())
        return addIf(If, If->getThen(), If->getElse(), Out);
      break;
    case Stmt::ForStmtClass:
      if (auto* For = cast<ForStmt>(S); !For->getConditionVariable())
        return addFor(For, Out);
      break;
    case Stmt::WhileStmtClass:
      if (auto* While = cast<WhileStmt>(S); !While->getConditionVariable())
        return addWhile(While, Out);
      break;
    case Stmt::DoStmtClass:
      return addDo(cast<DoStmt>(S), Out);
    case Stmt::SwitchStmtClass:
      if (auto* Switch = cast<SwitchStmt>(S); !Switch->getConditionVariable())
        return addSwitch(Switch, Out);
      break;
    case Stmt::CXXForRangeStmtClass:
      if (addRangeLoop(cast<CXXForRangeStmt>(S), Out))
        return;
      break;
    case Stmt::CaseStmtClass:
      if (auto* Case = cast<CaseStmt>(S); !Case->getRHS()) {
        auto* Copy = CaseStmt::Create(Context, copyInPlace(Case->getLHS()), nullptr, Case->getCaseLoc(), Case->getEllipsisLoc(), Case->getColonLoc());
        Copy->setSubStmt(copied(Case->getSubStmt()));
        Out.push_back(Copy);
        return;
      }
      break;
    case Stmt::DefaultStmtClass: {
      auto* Default = cast<DefaultStmt>(S);
      Out.push_back(new (Context) DefaultStmt(Default->getDefaultLoc(), Default->getColonLoc(), copied(Default->getSubStmt())));
      return;
    }
    case Stmt::AttributedStmtClass:
      return add(cast<AttributedStmt>(S)->getSubStmt(), Out);
    default:
      break;
    }
    bool HasParts = S->child_begin() != S->child_end();
    if (HasParts)
      Diags.report(S->getBeginLoc(), Diag::err_region_statement) << spelled(S) << S->getSourceRange();
    Out.push_back(S);
  }

  std::string spelled(const Stmt* S) const {
    std::string Text = spelledText(S->getSourceRange(), Sources, Context.getLangOpts()).value_or("this statement");
    constexpr size_t Shown = 60;
    return Text.size() > Shown ? Text.substr(0, Shown) + "..." : Text;
  }

  void addExpression(Expr* E, Statements& Out) {
    Expr* Discarded = E;
    while (true) {
      Discarded = Discarded->IgnoreParens();
      if (auto* Full = dyn_cast<ExprWithCleanups>(Discarded))
        Discarded = Full->getSubExpr();
      else if (auto* Cast = dyn_cast<CastExpr>(Discarded); Cast && Cast->getCastKind() == CK_ToVoid)
        Discarded = Cast->getSubExpr();
      else
        break;
    }
    if (auto* Call = dyn_cast<CallExpr>(Discarded); Call && addSwap(*Call, Out))
      return;
    if (auto* Call = dyn_cast<CallExpr>(Discarded); Call && isExpanded(*Call) && !staysCall(*Call)) {
      expand(*Call, Out, /*Wanted=*/false);
      return;
    }
    if (auto* Choice = dyn_cast<ConditionalOperator>(Discarded); Choice && Choice->getType()->isVoidType() && hasWork(Choice)) {
      addDiscardedChoice(*Choice, Out);
      return;
    }
    if (auto* Comma = dyn_cast<BinaryOperator>(Discarded); Comma && Comma->isCommaOp() && hasWork(Comma)) {
      addExpression(Comma->getLHS(), Out);
      addExpression(Comma->getRHS(), Out);
      return;
    }
    const size_t Before = Out.size();
    Expr* Copy = copyWhole(E);
    // All that there is to a result that nobody wants stands before it.
    const VarDecl* Unwanted = Out.size() != Before ? namedVariable(Copy) : nullptr;
    if (!Unwanted || !Results.contains(Unwanted))
      Out.push_back(Copy);
  }

  /// `condition ? sweep(u, v) : sweep(v, u);`, of functions without a result.
  void addDiscardedChoice(ConditionalOperator& Choice, Statements& Out) {
    SourceLocation Loc = Choice.getQuestionLoc();
    Expr* Cond = copyWhole(Choice.getCond());
    auto Branch = [&](Expr* E) {
      Statements Parts;
      llvm::SaveAndRestore Here(Hoisted, &Parts);
      addExpression(E, Parts);
      return block(Parts, E->getSourceRange());
    };
    Stmt *Then = Branch(Choice.getTrueExpr()), *Else = Branch(Choice.getFalseExpr());
    Out.push_back(IfStmt::Create(Context, Loc, IfStatementKind::Ordinary, nullptr, nullptr, Cond, Loc, Loc, Then, Loc, Else));
  }

  void addDeclarations(DeclStmt* S, Statements& Out) {
    for (Decl* D : S->decls()) {
      auto* V = dyn_cast<VarDecl>(D);
      if (!V || isa<DecompositionDecl>(V)) {
        Out.push_back(new (Context) DeclStmt(DeclGroupRef(D), S->getBeginLoc(), S->getEndLoc()));
        continue;
      }
      if (isCalledLambda(V))
        continue;
      if (VarDecl* Copy = copyVariable(V))
        Out.push_back(new (Context) DeclStmt(DeclGroupRef(Copy), S->getBeginLoc(), S->getEndLoc()));
    }
  }

  /// Its calls are all that there is to it.
  bool isCalledLambda(const VarDecl* V) {
    const auto* Class = V->getType()->getAsCXXRecordDecl();
    if (!Class || !Class->isLambda() || !V->getInit() || V->getInit()->HasSideEffects(Context))
      return false;
    auto IsExpanded = [&](const FunctionDecl* F) { return F->hasBody() && (isOfHost(F, Sources) || launches(F)); };
    if (const FunctionTemplateDecl* Generic = Class->getDependentLambdaCallOperator())
      return llvm::any_of(Generic->specializations(), IsExpanded);
    const CXXMethodDecl* Operator = Class->getLambdaCallOperator();
    return Operator && IsExpanded(Operator);
  }

  /// Null if it has become another name of what it refers to, or after an error.
  VarDecl* copyVariable(VarDecl* V) {
    bool IsStatic = V->isStaticLocal() && !isConstant(V);
    if (IsStatic && Frames.size() > 1) {
      fail(V->getLocation(), current(), Static, V->getName());
      return nullptr;
    }
    if (Frames.size() > 1 && V->getType()->isLValueReferenceType() && V->getInit()) {
      Expr* Init = copy(V->getInit());
      if (isPlace(Init)) {
        bind(V, plain(Init));
        return nullptr;
      }
      return newVariable(V, V->getType(), Init);
    }
    VarDecl* Copy = newVariable(V, V->getType(), nullptr);
    if (IsStatic)
      Copy->setStorageClass(SC_Static); // the writer says that a region has none
    Copy->setConstexpr(V->isConstexpr());
    Copy->setInitStyle(V->getInitStyle());
    if (V->getInit())
      Copy->setInit(copyWhole(V->getInit()));
    return Copy;
  }

  VarDecl* newVariable(const VarDecl* Original, QualType Type, Expr* Init, StringRef Otherwise = "argument", SourceLocation Loc = {}) {
    if (Original)
      Loc = Original->getLocation();
    auto* V = VarDecl::Create(Context, const_cast<FunctionDecl*>(Function), Loc, Loc, nameFor(Original, Otherwise), Type,
                              Context.getTrivialTypeSourceInfo(Type, Loc), SC_None);
    V->setInit(Init);
    Declared.insert(V);
    if (Original) {
      Bound.erase(Original);
      Variables[Original] = V;
    }
    return V;
  }

  void bind(const VarDecl* Reference, Expr* Place) {
    Variables.erase(Reference);
    Bound[Reference] = Place;
  }

  /// A condition is evaluated once, here.
  void addIf(IfStmt* If, Stmt* Then, Stmt* Else, Statements& Out, ArrayRef<Stmt*> ThenRest = {}, ArrayRef<Stmt*> ElseRest = {}) {
    Stmt* Init = nullptr;
    if (If->getInit()) {
      llvm::SaveAndRestore Nowhere(Hoisted, nowhere());
      Init = copiedInit(If->getInit());
    }
    Expr* Cond;
    {
      llvm::SaveAndRestore Where(Hoisted, Init ? nowhere() : Hoisted);
      Cond = copyWhole(If->getCond());
    }
    // What is done after an error is not part of a region, nor is its `return`.
    std::optional<bool> Known = errorCheck(If->getCond());
    auto Branch = [&](Stmt* S, ArrayRef<Stmt*> Rest, bool Taken) -> Stmt* {
      Statements All;
      llvm::SmallVector<Stmt*> List;
      if (S && Taken)
        List.push_back(S);
      List.append(Rest.begin(), Rest.end());
      addList(List, All);
      return All.size() == 1 && isa<CompoundStmt>(All.front()) ? All.front() : block(All, S ? S->getSourceRange() : If->getSourceRange());
    };
    Stmt* CopiedThen = Branch(Then, ThenRest, Known != false);
    Stmt* CopiedElse = (Else && Known != true) || !ElseRest.empty() ? Branch(Else, ElseRest, Known != true) : nullptr;
    Out.push_back(IfStmt::Create(Context, If->getIfLoc(), If->isConstexpr() ? IfStatementKind::Constexpr : IfStatementKind::Ordinary, Init,
                                 nullptr, Cond, If->getLParenLoc(), If->getRParenLoc(), CopiedThen, If->getElseLoc(), CopiedElse));
  }

  /// The first part of a `for` or an `if`: one declaration statement or expression.
  Stmt* copiedInit(Stmt* S) {
    if (auto* E = dyn_cast<Expr>(S))
      return copy(E);
    auto* Declarations = dyn_cast<DeclStmt>(S);
    llvm::SmallVector<Decl*, 2> Copies;
    for (Decl* D : Declarations ? llvm::SmallVector<Decl*, 2>(Declarations->decls()) : llvm::SmallVector<Decl*, 2>())
      if (auto* V = dyn_cast<VarDecl>(D))
        if (VarDecl* Copy = copyVariable(V))
          Copies.push_back(Copy);
    if (Copies.empty())
      return new (Context) NullStmt(S->getBeginLoc());
    return new (Context) DeclStmt(DeclGroupRef::Create(Context, Copies.data(), Copies.size()), S->getBeginLoc(), S->getEndLoc());
  }

  /// What has to come before a condition that is evaluated in each iteration: `if (!condition) break;` stands behind it then.
  Expr* loopCondition(Expr* Cond, Statements& Before) {
    llvm::SaveAndRestore Where(Hoisted, &Before);
    return copyWhole(Cond);
  }
  Stmt* leavesUnless(Expr* Cond) {
    SourceLocation Loc = Cond->getExprLoc();
    Expr* Paren = new (Context) ParenExpr(Cond->getBeginLoc(), Cond->getEndLoc(), Cond);
    Expr* Not = UnaryOperator::Create(Context, Paren, UO_LNot, Context.BoolTy, VK_PRValue, OK_Ordinary, Loc, false, FPOptionsOverride());
    return IfStmt::Create(Context, Loc, IfStatementKind::Ordinary, nullptr, nullptr, Not, Loc, Loc, new (Context) BreakStmt(Loc));
  }
  Expr* boolean(bool Value, SourceLocation Loc) { return new (Context) CXXBoolLiteralExpr(Value, Context.BoolTy, Loc); }

  /// `bool again = false;`, which is true from a loop's second iteration on. \p Loop gets the expression that says so.
  template <typename F> void addLoopAfterFirst(SourceLocation Loc, SourceRange Where, Statements& Out, F Loop) {
    VarDecl* Again = newVariable(nullptr, Context.BoolTy, boolean(false, Loc), "again", Loc);
    Statements Parts;
    Parts.push_back(new (Context) DeclStmt(DeclGroupRef(Again), Loc, Loc));
    Parts.push_back(Loop(valueOf(name(Again, Loc)), assigned(Again, boolean(true, Loc), Loc)));
    Out.push_back(block(Parts, Where));
  }
  Stmt* onlyIf(Expr* Cond, Statements& Parts, SourceLocation Loc) {
    return IfStmt::Create(Context, Loc, IfStatementKind::Ordinary, nullptr, nullptr, Cond, Loc, Loc, block(Parts, Loc));
  }

  void addFor(ForStmt* For, Statements& Out) {
    SourceLocation Loc = For->getForLoc();
    Stmt* Init = nullptr;
    if (For->getInit()) {
      auto* Declarations = dyn_cast<DeclStmt>(For->getInit());
      llvm::SaveAndRestore Where(Hoisted, !Declarations || Declarations->isSingleDecl() ? Hoisted : nowhere());
      Init = copiedInit(For->getInit());
    }
    Statements Before;
    Expr* Cond = For->getCond() ? loopCondition(For->getCond(), Before) : nullptr;
    Statements Next;
    if (For->getInc()) {
      llvm::SaveAndRestore Here(Hoisted, &Next);
      addExpression(For->getInc(), Next);
    }
    auto* Inc = Next.size() == 1 ? dyn_cast<Expr>(Next.front()) : nullptr;
    const bool Steps = !Next.empty() && !Inc;
    auto Whole = [&](Expr* Again, Expr* Increment) {
      Statements Body;
      if (Steps)
        Body.push_back(onlyIf(Again, Next, Loc));
      Body.append(Before);
      if (Cond && !Body.empty()) {
        Body.push_back(leavesUnless(Cond));
        Cond = nullptr;
      }
      const bool Computed = !Body.empty();
      Body.push_back(copied(For->getBody()));
      return new (Context) ForStmt(Context, Init, Cond, nullptr, Increment,
                                   Computed ? block(Body, For->getBody()->getSourceRange()) : Body.front(), Loc, For->getLParenLoc(),
                                   For->getRParenLoc());
    };
    // Statements of the last part stand before the condition, as `continue` goes on with them.
    if (Steps)
      addLoopAfterFirst(Loc, For->getSourceRange(), Out, Whole);
    else
      Out.push_back(Whole(nullptr, Inc));
  }

  void addWhile(WhileStmt* While, Statements& Out) {
    Statements Body;
    Expr* Cond = loopCondition(While->getCond(), Body);
    bool Computed = !Body.empty();
    if (Computed) {
      Body.push_back(leavesUnless(Cond));
      Cond = boolean(true, While->getCond()->getExprLoc());
    }
    Stmt* Inside = copied(While->getBody());
    Body.push_back(Inside);
    Out.push_back(WhileStmt::Create(Context, nullptr, Cond, Computed ? block(Body, While->getBody()->getSourceRange()) : Inside,
                                    While->getWhileLoc(), While->getLParenLoc(), While->getRParenLoc()));
  }

  /// The elements of an array or of a list in braces; else false.
  bool addRangeLoop(CXXForRangeStmt* Range, Statements& Out) {
    const auto* Begin = dyn_cast_or_null<VarDecl>(Range->getBeginStmt() ? Range->getBeginStmt()->getSingleDecl() : nullptr);
    VarDecl* Element = Range->getLoopVariable();
    if (Range->getInit() || !Begin || !Element->getInit() || isa<DecompositionDecl>(Element))
      return false;
    SourceLocation Loc = Range->getBeginLoc();
    Expr* Over = Range->getRangeInit()->IgnoreParenImpCasts();
    if (auto* Full = dyn_cast<ExprWithCleanups>(Over))
      Over = Full->getSubExpr();
    Statements Parts;
    Expr* Array = nullptr;
    if (auto* List = dyn_cast<CXXStdInitializerListExpr>(Over)) {
      auto* Temporary = dyn_cast<MaterializeTemporaryExpr>(List->getSubExpr());
      if (!Temporary || !Temporary->getType()->isConstantArrayType())
        return false;
      VarDecl* V = newVariable(nullptr, Temporary->getType(), copyInPlace(Temporary->getSubExpr()), "list", Loc);
      Parts.push_back(new (Context) DeclStmt(DeclGroupRef(V), Loc, Loc));
      Array = name(V, Loc);
    } else if (isPlace(Over) && arrayElements(Over->getType())) {
      Array = copyInPlace(Over);
    } else {
      return false;
    }
    VarDecl* Index = newVariable(nullptr, Context.UnsignedIntTy, literal(0, Context.UnsignedIntTy, Loc), "index", Loc);
    Expr* Value = elementAt(Array, Index, Loc);
    if (!Value)
      return false;
    Statements Body;
    ElementOf[Begin] = Value;
    if (VarDecl* Copy = copyVariable(Element))
      Body.push_back(new (Context) DeclStmt(DeclGroupRef(Copy), Element->getBeginLoc(), Element->getEndLoc()));
    Stmt* Inside = copied(Range->getBody());
    Body.push_back(Inside);
    Expr* Last = literal(arrayElements(Array->getType())->Count, Context.UnsignedIntTy, Loc);
    Expr* Cond = BinaryOperator::Create(Context, valueOf(name(Index, Loc)), Last, BO_NE, Context.BoolTy, VK_PRValue, OK_Ordinary, Loc,
                                        FPOptionsOverride());
    Expr* Inc = UnaryOperator::Create(Context, name(Index, Loc), UO_PreInc, Context.UnsignedIntTy, VK_LValue, OK_Ordinary, Loc, false,
                                      FPOptionsOverride());
    Stmt* Init = new (Context) DeclStmt(DeclGroupRef(Index), Loc, Loc);
    Stmt* Counting = new (Context) ForStmt(Context, Init, Cond, nullptr, Inc, block(Body, Range->getBody()->getSourceRange()), Loc, Loc, Loc);
    if (Parts.empty()) {
      Out.push_back(Counting);
    } else {
      Parts.push_back(Counting);
      Out.push_back(block(Parts, Range->getSourceRange()));
    }
    return true;
  }

  Expr* literal(uint64_t Value, QualType Type, SourceLocation Loc) {
    return IntegerLiteral::Create(Context, llvm::APInt(Context.getIntWidth(Type), Value), Type, Loc);
  }

  /// array[index]; null where a std::array has no such operator.
  Expr* elementAt(Expr* Array, VarDecl* Index, SourceLocation Loc) {
    QualType Type = Array->getType();
    Expr* At = valueOf(name(Index, Loc));
    if (const ArrayType* Plain = Context.getAsArrayType(Type)) {
      Expr* Decayed = ImplicitCastExpr::Create(Context, Context.getArrayDecayedType(Type), CK_ArrayToPointerDecay, Array, nullptr, VK_PRValue,
                                               FPOptionsOverride());
      return new (Context) ArraySubscriptExpr(Decayed, At, Plain->getElementType(), VK_LValue, OK_Ordinary, Loc);
    }
    for (NamedDecl* Found : Type->getAsCXXRecordDecl()->lookup(Context.DeclarationNames.getCXXOperatorName(OO_Subscript))) {
      auto* Method = dyn_cast<CXXMethodDecl>(Found);
      if (!Method || Method->isConst() != Type.isConstQualified() || Method->getNumParams() != 1)
        continue;
      Expr* Callee = DeclRefExpr::Create(Context, NestedNameSpecifierLoc(), SourceLocation(), Method, false, Loc, Method->getType(), VK_LValue);
      Callee = ImplicitCastExpr::Create(Context, Context.getPointerType(Method->getType()), CK_FunctionToPointerDecay, Callee, nullptr, VK_PRValue,
                                        FPOptionsOverride());
      At = ImplicitCastExpr::Create(Context, Method->getParamDecl(0)->getType(), CK_IntegralCast, At, nullptr, VK_PRValue, FPOptionsOverride());
      return CXXOperatorCallExpr::Create(Context, OO_Subscript, Callee, {Array, At}, Method->getReturnType().getNonReferenceType(), VK_LValue, Loc,
                                         FPOptionsOverride());
    }
    return nullptr;
  }

  void addSwitch(SwitchStmt* Switch, Statements& Out) {
    if (Switch->getInit()) {
      Statements Parts;
      add(Switch->getInit(), Parts);
      llvm::SaveAndRestore Here(Hoisted, &Parts);
      addSwitchAlone(Switch, Parts);
      Out.push_back(block(Parts, Switch->getSourceRange()));
    } else {
      addSwitchAlone(Switch, Out);
    }
  }

  void addSwitchAlone(SwitchStmt* Switch, Statements& Out) {
    auto* Copy = SwitchStmt::Create(Context, nullptr, nullptr, copyWhole(Switch->getCond()), Switch->getLParenLoc(), Switch->getRParenLoc());
    Copy->setSwitchLoc(Switch->getSwitchLoc());
    Copy->setBody(copied(Switch->getBody()));
    Out.push_back(Copy);
  }

  void addDo(DoStmt* Do, Statements& Out) {
    SourceLocation Loc = Do->getDoLoc();
    Stmt* Inside = copied(Do->getBody());
    Statements Before;
    Expr* Cond = loopCondition(Do->getCond(), Before);
    if (Before.empty()) {
      Out.push_back(new (Context) DoStmt(Inside, Cond, Loc, Do->getWhileLoc(), Do->getRParenLoc()));
      return;
    }
    Before.push_back(leavesUnless(Cond));
    if (!ownContinue(Do->getBody())) {
      Before.insert(Before.begin(), Inside);
      Out.push_back(new (Context) DoStmt(block(Before, Do->getBody()->getSourceRange()), boolean(true, Do->getCond()->getExprLoc()), Loc,
                                         Do->getWhileLoc(), Do->getRParenLoc()));
      return;
    }
    // `continue` goes on with the condition, which stands before the body from the second iteration on.
    addLoopAfterFirst(Loc, Do->getSourceRange(), Out, [&](Expr* Again, Expr* Increment) {
      Statements Body;
      Body.push_back(onlyIf(Again, Before, Loc));
      Body.push_back(Inside);
      return new (Context) ForStmt(Context, nullptr, nullptr, nullptr, Increment, block(Body, Do->getBody()->getSourceRange()), Loc, Loc, Loc);
    });
  }

  static bool ownContinue(const Stmt* S) {
    if (!S || isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, LambdaExpr>(S))
      return false;
    return isa<ContinueStmt>(S) || llvm::any_of(S->children(), ownContinue);
  }

  // --- Returns: what stands behind a branch that ends with one goes into the other branch.

  static bool mayReturn(const Stmt* S) { return S && firstReturn(S); }

  /// Not those after errors.
  static const ReturnStmt* firstReturn(const Stmt* S) {
    if (!S || isa<LambdaExpr>(S))
      return nullptr;
    if (const auto* Return = dyn_cast<ReturnStmt>(S))
      return Return;
    if (const auto* If = dyn_cast<IfStmt>(S))
      if (std::optional<bool> Known = errorCheck(If->getCond()))
        return firstReturn(*Known ? If->getThen() : If->getElse());
    for (const Stmt* Child : S->children())
      if (const ReturnStmt* Found = firstReturn(Child))
        return Found;
    return nullptr;
  }

  static bool alwaysReturns(const Stmt* S) {
    if (!S)
      return false;
    if (isa<ReturnStmt>(S))
      return true;
    if (const auto* Block = dyn_cast<CompoundStmt>(S))
      return llvm::any_of(Block->body(), alwaysReturns);
    const auto* If = dyn_cast<IfStmt>(S);
    if (!If)
      return false;
    if (std::optional<bool> Known = errorCheck(If->getCond()))
      return alwaysReturns(*Known ? If->getThen() : If->getElse());
    return alwaysReturns(If->getThen()) && alwaysReturns(If->getElse());
  }

  /// do { ... } while (0), as macros have it.
  bool isOnce(const Stmt* S) const {
    const auto* Do = dyn_cast<DoStmt>(S);
    bool Again = true;
    return Do && !Do->getCond()->isValueDependent() && Do->getCond()->EvaluateAsBooleanCondition(Again, Context) && !Again &&
           !ownContinue(Do->getBody()) && !ownBreak(Do->getBody());
  }
  static bool ownBreak(const Stmt* S) {
    if (!S || isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, SwitchStmt, LambdaExpr>(S))
      return false;
    return isa<BreakStmt>(S) || llvm::any_of(S->children(), ownBreak);
  }

  void addReturning(Stmt* S, ArrayRef<Stmt*> Rest, Statements& Out) {
    llvm::SaveAndRestore Here(Hoisted, &Out);
    auto With = [&](ArrayRef<Stmt*> First) {
      llvm::SmallVector<Stmt*> List(First);
      List.append(Rest.begin(), Rest.end());
      return List;
    };
    if (auto* Return = dyn_cast<ReturnStmt>(S)) {
      addReturned(Return, Out);
    } else if (auto* Block = dyn_cast<CompoundStmt>(S)) {
      Statements Parts;
      addList(With(llvm::SmallVector<Stmt*>(Block->body())), Parts);
      Out.push_back(block(Parts, S->getSourceRange()));
    } else if (isOnce(S)) {
      addList(With(cast<DoStmt>(S)->getBody()), Out);
    } else if (auto* Attributed = dyn_cast<AttributedStmt>(S)) {
      addList(With(Attributed->getSubStmt()), Out);
    } else if (auto* If = dyn_cast<IfStmt>(S); If && !If->getConditionVariable() && !If->isConsteval() &&
                                               (Rest.empty() || alwaysReturns(If->getThen()) || alwaysReturns(If->getElse()) ||
                                                errorCheck(If->getCond()))) {
      // Of a check for errors one branch is left, and what follows stands behind it.
      std::optional<bool> Known = errorCheck(If->getCond());
      bool Then = Known ? *Known : !alwaysReturns(If->getThen()), Else = Known ? !*Known : alwaysReturns(If->getThen());
      addIf(If, If->getThen(), If->getElse(), Out, Then ? Rest : ArrayRef<Stmt*>(), Else ? Rest : ArrayRef<Stmt*>());
    } else {
      fail(firstReturn(S)->getBeginLoc(), current(), EarlyReturn);
    }
  }

  void addReturned(ReturnStmt* Return, Statements& Out) {
    Expr* Value = Return->getRetValue();
    VarDecl* Result = Frames.back().Result;
    if (!Value)
      return;
    if (!Result) {
      if (Value->HasSideEffects(Context))
        addExpression(Value, Out);
      return;
    }
    Expr* Copy = copyWhole(Value);
    Out.push_back(assigned(Result, Copy, Return->getBeginLoc()));
  }

  // --- Calls.

  Expr* name(VarDecl* V, SourceLocation Loc) {
    return DeclRefExpr::Create(Context, NestedNameSpecifierLoc(), SourceLocation(), V, false, Loc, V->getType().getNonReferenceType(),
                               VK_LValue);
  }

  Expr* assigned(VarDecl* V, Expr* Value, SourceLocation Loc) {
    return BinaryOperator::Create(Context, name(V, Loc), Value, BO_Assign, V->getType(), VK_LValue, OK_Ordinary, Loc, FPOptionsOverride());
  }

  Expr* valueOf(Expr* Place) {
    return ImplicitCastExpr::Create(Context, Place->getType().getUnqualifiedType(), CK_LValueToRValue, Place, nullptr, VK_PRValue,
                                    FPOptionsOverride());
  }

  // --- Calls that a value stands for, or that stay.

  /// Of a constexpr function with constant arguments; null if the value is not known, or has no literal.
  Expr* folded(CallExpr& Call) {
    const FunctionDecl* F = calledDefinition(Call);
    QualType Type = Call.getType().getCanonicalType().getUnqualifiedType();
    const auto* Simple = dyn_cast<BuiltinType>(Type);
    Expr::EvalResult Found;
    if (!F || !F->isConstexpr() || !Simple || Call.isValueDependent() || Call.isGLValue() || !Call.EvaluateAsRValue(Found, Context) ||
        Found.HasSideEffects)
      return nullptr;
    SourceLocation Loc = Call.getBeginLoc();
    Expr* Value = nullptr;
    if (Type->isBooleanType() && Found.Val.isInt())
      Value = new (Context) CXXBoolLiteralExpr(!Found.Val.getInt().isZero(), Type, Loc);
    else if (Found.Val.isInt() && llvm::is_contained({BuiltinType::Int, BuiltinType::UInt, BuiltinType::Long, BuiltinType::ULong,
                                                      BuiltinType::LongLong, BuiltinType::ULongLong},
                                                     Simple->getKind()))
      Value = Found.Val.getInt().isMinSignedValue() ? nullptr : IntegerLiteral::Create(Context, Found.Val.getInt(), Type, Loc);
    else if (Found.Val.isFloat() && Found.Val.getFloat().isFinite() && (Type->isSpecificBuiltinType(BuiltinType::Float) || Type->isSpecificBuiltinType(BuiltinType::Double)))
      Value = FloatingLiteral::Create(Context, Found.Val.getFloat(), /*isexact=*/true, Type, Loc);
    return Value ? inParentheses(Value, Call) : nullptr;
  }

  /// Of a member function of a variable that reads what is not public, where the device can have a copy of it.
  bool staysCall(CallExpr& Call) {
    const FunctionDecl* F = calledDefinition(Call);
    const auto* Method = dyn_cast<CXXMethodDecl>(F);
    auto* Member = dyn_cast<CXXMemberCallExpr>(&Call);
    if (!Method || !Member || Method->isStatic() || Member->getCallee()->IgnoreParens()->getStmtClass() != Stmt::MemberExprClass)
      return false;
    const auto* Named = cast<MemberExpr>(Member->getCallee()->IgnoreParens());
    return !Named->isArrow() && (namesHiddenMembers(F) || !isPlace(Named->getBase())) && isBeforeKernel(F) && mayRunOnDevice(F, Sources, OnDevice);
  }

  /// Whether the region's kernel, which stands before the function of the region or its class, can call the function.
  bool isBeforeKernel(const FunctionDecl* F) const {
    const FunctionDecl* Own = pattern(outermostFunction(Function));
    const Decl* Place = outermostClass(Own);
    const FunctionDecl* Other = pattern(F);
    const Decl* Class = outermostClass(Other);
    return (!Place || Place != Class) && Sources.isBeforeInTranslationUnit(Other->getLocation(), (Place ? Place : Own)->getLocation());
  }

  Expr* inParentheses(Expr* E, CallExpr& Call) { return new (Context) ParenExpr(Call.getBeginLoc(), Call.getEndLoc(), E); }

  /// As a value of the type, since text has no implicit conversions.
  Expr* converted(Expr* E, QualType Type, SourceLocation Loc) {
    if (Context.hasSameUnqualifiedType(E->IgnoreParenImpCasts()->getType(), Type))
      return E;
    Expr* Paren = new (Context) ParenExpr(E->getBeginLoc(), E->getEndLoc(), E);
    QualType Plain = Type.getUnqualifiedType();
    return CStyleCastExpr::Create(Context, Plain, VK_PRValue, CK_NoOp, Paren, nullptr, FPOptionsOverride(),
                                  Context.getTrivialTypeSourceInfo(Plain, Loc), Loc, Loc);
  }

  /// Whether a value of the type is what a function returns, or gets, by its expression alone.
  static bool isSimpleValue(QualType Type) { return Type->isArithmeticType() || Type->isEnumeralType(); }

  /// What the function of a call returns, in terms of what is passed to it; none if that is not all that it does, null after an error.
  std::optional<Expr*> inlined(CallExpr& Call) {
    const FunctionDecl* F = calledDefinition(Call);
    Expr* Returned = const_cast<Expr*>(onlyReturned(F));
    if (!Returned || !isEffectFree(Returned, Sources) || Call.getNumArgs() < F->getNumParams())
      return std::nullopt;
    QualType Type = F->getReturnType();
    bool IsPlace = Type->isReferenceType();
    bool IsObject = !IsPlace && Type->isRecordType() && Type.isTriviallyCopyableType(Context);
    bool IsPointer = Type->isPointerType() && Context.hasSameUnqualifiedType(Returned->IgnoreParenImpCasts()->getType(), Type);
    if (!IsPlace && !IsObject && !IsPointer && !isSimpleValue(Type))
      return std::nullopt;
    ArrayRef<Expr*> Arguments(Call.getArgs(), Call.getNumArgs());
    if (isa<CXXOperatorCallExpr>(Call) && isa<CXXMethodDecl>(F) && !cast<CXXMethodDecl>(F)->isStatic())
      Arguments = Arguments.drop_front();
    std::vector<Expr*> Passed;
    for (unsigned I = 0; I != F->getNumParams(); ++I) {
      Expr* Argument = Arguments[I];
      if (auto* Default = dyn_cast<CXXDefaultArgExpr>(Argument))
        Argument = Default->getExpr();
      Argument = passedInPlace(F->getParamDecl(I)->getType(), Argument);
      if (!Argument)
        return std::nullopt;
      Passed.push_back(Argument);
    }
    Frame Inside{F, nullptr, nullptr};
    if (!checkCall(F, Call) || !checkCaptures(F, Call) || !findObject(Call, F, Inside))
      return nullptr;
    Diags.addCall(F->getBody()->getSourceRange(), Call.getBeginLoc(), nameOf(F));
    for (unsigned I = 0; I != Passed.size(); ++I) {
      Expr* Value = copy(Passed[I]);
      if (!F->getParamDecl(I)->getType()->isReferenceType() || !Value->isGLValue())
        Value = new (Context) ParenExpr(Value->getBeginLoc(), Value->getEndLoc(), converted(Value, F->getParamDecl(I)->getType().getNonReferenceType(), Value->getExprLoc()));
      Passed[I] = Value;
    }
    Frames.push_back(Inside);
    for (unsigned I = 0; I != Passed.size(); ++I)
      bind(F->getParamDecl(I), Passed[I]);
    if (auto* Full = dyn_cast<ExprWithCleanups>(Returned))
      Returned = Full->getSubExpr();
    Expr* Value = copyInPlace(Returned);
    Frames.pop_back();
    for (const ParmVarDecl* P : F->parameters())
      Bound.erase(P);
    // What is stored to is to be seen.
    if (IsPlace && !Type->getPointeeType().isConstQualified() && !isPlace(Value) && !arraySubscript(plain(Value)).first)
      return std::nullopt;
    if (IsObject)
      return object(Value, Type, Call);
    return inParentheses(IsPlace ? Value : converted(Value, Type, Call.getBeginLoc()), Call);
  }

  /// The argument that may stand for a parameter wherever that is read; null if none may.
  Expr* passedInPlace(QualType Type, Expr* Argument) {
    if (auto* Full = dyn_cast<ExprWithCleanups>(Argument))
      Argument = Full->getSubExpr();
    if (!isEffectFree(Argument, Sources))
      return nullptr;
    if (!Type->isReferenceType())
      return isSimpleValue(Type) ? Argument : nullptr;
    if (auto* Temporary = dyn_cast<MaterializeTemporaryExpr>(Argument->IgnoreParens()))
      return isSimpleValue(Type->getPointeeType()) ? Temporary->getSubExpr() : nullptr;
    return isPlace(Argument) && Context.hasSameUnqualifiedType(plain(Argument)->getType(), Type->getPointeeType()) ? Argument : nullptr;
  }

  /// Of a class: as `dim3{a, b}` where the function has braces only.
  Expr* object(Expr* Value, QualType Type, CallExpr& Call) {
    auto* Construct = dyn_cast<CXXConstructExpr>(Value->IgnoreImplicit());
    bool InBraces = isa<InitListExpr>(Value->IgnoreImplicit()) || (Construct && Construct->isListInitialization() && !isa<CXXTemporaryObjectExpr>(Construct));
    if (!InBraces)
      return inParentheses(Value, Call);
    SourceLocation Loc = Call.getBeginLoc();
    return CXXFunctionalCastExpr::Create(Context, Type.getUnqualifiedType(), VK_PRValue, Context.getTrivialTypeSourceInfo(Type.getUnqualifiedType(), Loc),
                                         CK_NoOp, Value, nullptr, FPOptionsOverride(), SourceLocation(), SourceLocation());
  }

  /// The result; null if there is none, or after an error.
  Expr* expand(CallExpr& Call, Statements& Out, bool Wanted) {
    const FunctionDecl* F = calledDefinition(Call);
    Frame Inside{F, nullptr, nullptr};
    if (!checkCall(F, Call) || !checkCaptures(F, Call) || !findObject(Call, F, Inside))
      return nullptr;
    Diags.addCall(F->getBody()->getSourceRange(), Call.getBeginLoc(), nameOf(F));
    if (!checkBody(F))
      return nullptr;
    QualType Type = F->getReturnType().getUnqualifiedType();
    if (Wanted && !Type->isScalarType()) {
      fail(Call.getBeginLoc(), F, ReturnsObject, F->getReturnType().getAsString(Context.getPrintingPolicy()));
      return nullptr;
    }
    Statements Body;
    std::vector<VarDecl*> Parameters;
    ArrayRef<Expr*> Arguments(Call.getArgs(), Call.getNumArgs());
    if (isa<CXXOperatorCallExpr>(Call) && isa<CXXMethodDecl>(F) && !cast<CXXMethodDecl>(F)->isStatic())
      Arguments = Arguments.drop_front();
    {
      llvm::SaveAndRestore Here(Hoisted, &Out);
      std::vector<std::pair<ParmVarDecl*, Expr*>> Passed;
      for (unsigned I = 0; I != F->getNumParams() && I != Arguments.size(); ++I) {
        Expr* Argument = Arguments[I];
        if (auto* Default = dyn_cast<CXXDefaultArgExpr>(Argument))
          Argument = Default->getExpr();
        Passed.push_back({const_cast<ParmVarDecl*>(F->getParamDecl(I)), copy(Argument)});
      }
      Frames.push_back(Inside);
      for (auto [Parameter, Argument] : Passed)
        if (VarDecl* V = pass(Parameter, Argument, Body))
          Parameters.push_back(V);
    }
    if (Wanted) {
      VarDecl* Result = newVariable(nullptr, Type, nullptr, isLambda(F) ? "result" : F->getNameAsString() + "_result", Call.getBeginLoc());
      Frames.back().Result = Result;
      Results.insert(Result);
      Out.push_back(new (Context) DeclStmt(DeclGroupRef(Result), Call.getBeginLoc(), Call.getEndLoc()));
    }
    addList(llvm::SmallVector<Stmt*>(cast<CompoundStmt>(F->getBody())->body()), Body);
    VarDecl* Result = Frames.back().Result;
    Frames.pop_back();
    if (!Diags.hasErrors())
      substitute(Parameters, Body, Call.getSourceRange());
    Out.push_back(block(Body, Call.getSourceRange()));
    LastExpanded = F;
    return Result ? valueOf(name(Result, Call.getBeginLoc())) : nullptr;
  }

  bool checkCall(const FunctionDecl* F, const CallExpr& Call) {
    auto Wrong = [&](SourceLocation Loc, Problem What) {
      fail(Loc, F, What);
      return false;
    };
    for (const Frame& Each : Frames)
      if (Each.Function->getCanonicalDecl() == F->getCanonicalDecl())
        return Wrong(Call.getBeginLoc(), Recursive);
    const auto* Member = dyn_cast<MemberExpr>(Call.getCallee()->IgnoreParens());
    if (const auto* Method = dyn_cast<CXXMethodDecl>(F); Method && Method->isVirtual() && !(Member && Member->hasQualifier()))
      return Wrong(Call.getBeginLoc(), Virtual);
    if (F->isVariadic())
      return Wrong(Call.getBeginLoc(), Variadic);
    if (!isLambda(F) && !isBefore(F))
      return Wrong(Call.getBeginLoc(), Behind);
    return true;
  }

  bool checkBody(const FunctionDecl* F) {
    const Stmt* Region = regionIn(F->getBody());
    bool IsBlock = isa<CompoundStmt>(F->getBody());
    if (!IsBlock)
      fail(F->getBody()->getBeginLoc(), F, NoBlock);
    else if (Region)
      fail(Region->getBeginLoc(), F, HoldsRegion);
    return IsBlock && !Region;
  }

  /// The region's kernel stands before its function, or class, and names what the called function does.
  bool isBefore(const FunctionDecl* F) const {
    const FunctionDecl* Own = pattern(outermostFunction(Function));
    const FunctionDecl* Other = pattern(F);
    const Decl* Class = outermostClass(Own);
    return (Class && Class == outermostClass(Other)) || Sources.isBeforeInTranslationUnit(Other->getLocation(), Own->getLocation());
  }

  static const FunctionDecl* pattern(const FunctionDecl* F) {
    const FunctionDecl* Found = F->getTemplateInstantiationPattern();
    return Found ? Found : F;
  }

  static const Decl* outermostClass(const Decl* D) {
    const Decl* Class = nullptr;
    for (const DeclContext* DC = D->getLexicalDeclContext(); isa<CXXRecordDecl>(DC); DC = DC->getLexicalParent())
      Class = cast<CXXRecordDecl>(DC);
    return Class;
  }

  static const Stmt* regionIn(const Stmt* S) {
    if (!S)
      return nullptr;
    if (const auto* While = dyn_cast<WhileStmt>(S))
      if (const auto* Call = dyn_cast<CallExpr>(While->getCond()->IgnoreImplicit()); Call && isMarkerFunction(Call->getDirectCallee()))
        return S;
    for (const Stmt* Child : S->children())
      if (const Stmt* Found = regionIn(Child))
        return Found;
    return nullptr;
  }

  /// What the lambda names is what the region would.
  bool checkCaptures(const FunctionDecl* F, const CallExpr& Call) {
    const auto* Operator = dyn_cast<CXXMethodDecl>(F);
    if (!Operator || !Operator->getParent()->isLambda())
      return true;
    auto Wrong = [&](Problem What, StringRef Name = "") {
      fail(Call.getBeginLoc(), F, What, Name);
      return false;
    };
    const Expr* Called = Call.getNumArgs() != 0 ? Call.getArg(0)->IgnoreParenImpCasts() : nullptr;
    const auto* Ref = Called ? dyn_cast<DeclRefExpr>(Called) : nullptr;
    const auto* V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    const Expr* Value = V ? V->getInit() : Called;
    const auto* Lambda = Value ? dyn_cast<LambdaExpr>(Value->IgnoreUnlessSpelledInSource()) : nullptr;
    const DeclContext* Of = V ? V->getParentFunctionOrMethod() : nullptr;
    bool OfFrame = llvm::any_of(Frames, [&](const Frame& Each) { return Of == Each.Function; });
    if (!Lambda || Lambda->getLambdaClass() != Operator->getParent() || (V && (!OfFrame || V->isStaticLocal())))
      return Wrong(OtherLambda);
    for (const LambdaCapture& Capture : Lambda->captures()) {
      if (Capture.getCaptureKind() == LCK_StarThis)
        return Wrong(InitCapture, "*this");
      if (!Capture.capturesVariable())
        continue;
      const auto* Captured = dyn_cast<VarDecl>(Capture.getCapturedVar());
      if (!Captured || Lambda->isInitCapture(&Capture))
        return Wrong(InitCapture, Capture.getCapturedVar()->getName());
      if (Capture.getCaptureKind() == LCK_ByCopy && isChangedAfter(Captured, Lambda))
        return Wrong(CopiedCapture, Captured->getName());
    }
    // Also what needs no capture. Variables of the region have names of their own.
    if (Of == Function)
      for (const DeclRefExpr* Named : References(F->getBody()).All) {
        const auto* Local = dyn_cast<VarDecl>(Named->getDecl());
        if (Local && isOfRegion(Local->getParentFunctionOrMethod()) && !Variables.count(Local) && isHidden(Local))
          return Wrong(Hidden, Local->getName());
      }
    return true;
  }

  /// The region's function, or one around it.
  bool isOfRegion(const DeclContext* Of) const {
    for (const DeclContext* DC = Function; DC; DC = DC->getParent())
      if (DC->isFunctionOrMethod() && DC == Of)
        return true;
    return false;
  }

  bool isChangedAfter(const VarDecl* V, const LambdaExpr* Lambda) const {
    const auto* Of = dyn_cast_or_null<FunctionDecl>(V->getParentFunctionOrMethod());
    if (!Of || !Of->hasBody() || V->isStaticLocal() || V->getType()->isReferenceType())
      return true;
    return !V->getType().isConstQualified() &&
           CopyChanges(V, Of->getBody(), Sources.getFileLoc(Lambda->getBeginLoc()), Sources).any();
  }

  /// Whether the name means another variable at the place of the region.
  bool isHidden(const VarDecl* V) const {
    const VarDecl* Meant = nullptr;
    for (const ParmVarDecl* P : outermostFunction(Function)->parameters())
      if (P->getIdentifier() == V->getIdentifier())
        Meant = P;
    findVisible(outermostFunction(Function)->getBody(), V->getIdentifier(), Meant);
    return Meant && Meant != V;
  }

  /// Goes the way to the region and notes what is declared on it. False: the region is not there.
  bool findVisible(const Stmt* S, const IdentifierInfo* Name, const VarDecl*& Meant) const {
    if (S == Loop)
      return true;
    const VarDecl* Before = Meant;
    if (const auto* Lambda = dyn_cast<LambdaExpr>(S)) {
      for (const ParmVarDecl* P : Lambda->getCallOperator()->parameters())
        if (P->getIdentifier() == Name)
          Meant = P;
      if (findVisible(Lambda->getBody(), Name, Meant))
        return true;
    }
    for (const Stmt* Child : S->children()) {
      if (!Child)
        continue;
      if (findVisible(Child, Name, Meant))
        return true;
      if (const auto* Declarations = dyn_cast<DeclStmt>(Child))
        for (const Decl* D : Declarations->decls())
          if (const auto* V = dyn_cast<VarDecl>(D); V && V->getIdentifier() == Name)
            Meant = V;
    }
    Meant = Before;
    return false;
  }

  bool findObject(CallExpr& Call, const FunctionDecl* F, Frame& Inside) {
    const auto* Method = dyn_cast<CXXMethodDecl>(F);
    if (!Method || Method->isStatic())
      return true;
    if (Method->getParent()->isLambda()) {
      for (const Frame& Each : Frames)
        if (Each.Function == Method->getParent()->getParentFunctionOrMethod()) {
          Inside.Object = Each.Object;
          Inside.OfObject = Each.OfObject;
        }
      return true;
    }
    auto* Member = dyn_cast<CXXMemberCallExpr>(&Call);
    Expr* Object = Member ? Member->getImplicitObjectArgument() : isa<CXXOperatorCallExpr>(Call) ? Call.getArg(0) : nullptr;
    Expr* Named = Object ? Object->IgnoreParenImpCasts() : nullptr;
    if (Named && isa<CXXThisExpr>(Named)) {
      Inside.Object = Frames.back().Object;
      Inside.OfObject = Frames.back().OfObject;
      bool SameClass = Named->getType()->getPointeeCXXRecordDecl()->getCanonicalDecl() == Method->getParent()->getCanonicalDecl();
      if (SameClass || (Inside.OfObject && !Inside.Object))
        return true;
    } else if (Named && !Named->getType()->isPointerType() &&
               Named->getType()->getAsCXXRecordDecl()->getCanonicalDecl() == Method->getParent()->getCanonicalDecl()) {
      Inside.Object = copy(Named);
      if (isPlace(Inside.Object))
        return true;
    }
    fail(Call.getBeginLoc(), F, OtherObject);
    return false;
  }

  /// The variable that a parameter becomes, null if it is another name of what is passed.
  VarDecl* pass(ParmVarDecl* Parameter, Expr* Argument, Statements& Body) {
    QualType Type = Parameter->getType();
    if (Type->isReferenceType()) {
      if (isPlace(Argument) && Argument->isLValue()) {
        bind(Parameter, plain(Argument));
        return nullptr;
      }
      if (auto* Temporary = dyn_cast<MaterializeTemporaryExpr>(Argument->IgnoreParens())) {
        Argument = Temporary->getSubExpr();
        Type = Type->getPointeeType();
      } else if (auto* Full = dyn_cast<ExprWithCleanups>(Argument)) {
        if (auto* Inner = dyn_cast<MaterializeTemporaryExpr>(Full->getSubExpr()->IgnoreParens())) {
          Argument = Inner->getSubExpr();
          Type = Type->getPointeeType();
        }
      }
    }
    if (!Parameter->getIdentifier() && !Argument->HasSideEffects(Context))
      return nullptr;
    VarDecl* V = newVariable(Parameter, Type, Argument);
    Body.push_back(new (Context) DeclStmt(DeclGroupRef(V), Parameter->getBeginLoc(), Parameter->getEndLoc()));
    return V;
  }

  // --- Parameters that are what is passed for them.

  /// Lets the variables that parameters have become disappear where that makes no difference, and be constants else.
  void substitute(ArrayRef<VarDecl*> Parameters, Statements& Body, SourceRange Where) {
    for (VarDecl* V : Parameters) {
      if (V->getType()->isReferenceType())
        continue;
      Stmt* Block = block(Body, Where);
      Unchanged Same(Block);
      if (!Same.variable(V))
        continue;
      Expr* Init = V->getInit();
      Expr* Place = copiedPlace(V, Init);
      Expr* Address = addressed(Init);
      if (Address && !Context.hasSameUnqualifiedType(Address->getType(), V->getType()->getPointeeType()))
        Address = nullptr;
      bool Lasts = Place ? Same.all(Place) : Address || (isPure(Init) && Same.all(Init));
      bool Followed = V->getType()->isIntegralOrEnumerationType() || (V->getType()->isPointerType() && keepsPointer(V, Init));
      Replacement With{V, Place ? Place : Address, Place == nullptr};
      if (Lasts && (Place || Address || Followed) && isReplaceable(Block, With)) {
        replaceIn(Block, With);
        llvm::erase_if(Body, [&](Stmt* S) { return isa<DeclStmt>(S) && *cast<DeclStmt>(S)->decl_begin() == V; });
      } else {
        V->setType(V->getType().withConst());
      }
    }
  }

  /// What a variable is a copy of, without a conversion that its text would not have.
  Expr* copiedPlace(const VarDecl* V, Expr* Init) const {
    Init = Init->IgnoreParens();
    if (auto* Full = dyn_cast<ExprWithCleanups>(Init))
      Init = Full->getSubExpr();
    if (auto* Construct = dyn_cast<CXXConstructExpr>(Init); Construct && Construct->getNumArgs() == 1 && !isa<CXXTemporaryObjectExpr>(Init)) {
      Expr* From = Construct->getArg(0);
      bool Copies = Construct->getConstructor()->isCopyConstructor() && isPlace(From);
      return Copies && Context.hasSameUnqualifiedType(plain(From)->getType(), V->getType()) ? plain(From) : nullptr;
    }
    Expr* Read = plain(Init);
    auto* Cast = dyn_cast<ImplicitCastExpr>(Read);
    if (!Cast || Cast->getCastKind() != CK_LValueToRValue || !isPlace(Cast->getSubExpr()))
      return nullptr;
    Expr* From = plain(Cast->getSubExpr());
    QualType Have = From->getType(), Want = V->getType();
    bool Same = Context.hasSameUnqualifiedType(Have, Want) ||
                (Have->isPointerType() && Want->isPointerType() && Context.hasSameUnqualifiedType(Have->getPointeeType(), Want->getPointeeType()));
    return Same ? From : nullptr;
  }

  /// Whether a pointer is written as one to such elements, or is null.
  bool keepsPointer(const VarDecl* V, Expr* Init) const {
    QualType Written = Init->IgnoreParenImpCasts()->getType();
    return isNull(Init) ||
           (Written->isPointerType() && Context.hasSameUnqualifiedType(Written->getPointeeType(), V->getType()->getPointeeType()));
  }
  static bool isNull(Expr* Init) {
    const auto* Cast = dyn_cast<ImplicitCastExpr>(Init->IgnoreParens());
    return Cast && Cast->getCastKind() == CK_NullToPointer;
  }

  struct Replacement {
    const VarDecl* Variable;
    /// The variable or member itself, or what it points to; null for the value of a pure expression.
    Expr* Place;
    bool OfPointer;
  };

  static bool names(const Stmt* S, const VarDecl* V) {
    const auto* E = dyn_cast_or_null<Expr>(S);
    const auto* Ref = E ? dyn_cast<DeclRefExpr>(E->IgnoreParens()) : nullptr;
    return Ref && Ref->getDecl() == V;
  }
  static Expr* readValue(Stmt* S, const VarDecl* V) {
    auto* Cast = dyn_cast<ImplicitCastExpr>(S);
    return Cast && Cast->getCastKind() == CK_LValueToRValue && names(Cast->getSubExpr(), V) ? Cast : nullptr;
  }

  /// A value has no name that a reference could take, and of a constant variable other functions might be called.
  static bool isReplaceable(const Stmt* S, const Replacement& R) {
    if (isa<LambdaExpr>(S))
      return !References(S).mention(R.Variable);
    if (const auto* Call = dyn_cast<CXXMemberCallExpr>(S); Call && names(Call->getImplicitObjectArgument()->IgnoreImpCasts(), R.Variable))
      return false;
    for (const Stmt* Child : S->children()) {
      if (!Child || readValue(const_cast<Stmt*>(Child), R.Variable))
        continue;
      if (names(Child, R.Variable) ? !R.Place || R.OfPointer : !isReplaceable(Child, R))
        return false;
    }
    return true;
  }

  void replaceIn(Stmt* S, const Replacement& R) {
    for (auto Child = S->child_begin(); Child != S->child_end(); ++Child) {
      if (!*Child)
        continue;
      if (Expr* Place = pointedTo(*Child, R)) {
        *Child = Place;
      } else if (readValue(*Child, R.Variable)) {
        *Child = value(cast<Expr>(*Child), R);
      } else if (names(*Child, R.Variable)) {
        *Child = copy(R.Place);
      } else {
        if (auto* Member = dyn_cast<MemberExpr>(*Child); Member && Member->isArrow() && R.OfPointer && R.Place &&
                                                         names(Member->getBase()->IgnoreImpCasts(), R.Variable)) {
          Member->setBase(copy(R.Place));
          Member->setArrow(false);
        }
        replaceIn(*Child, R);
      }
    }
    if (const auto* List = dyn_cast<InitListExpr>(S); List && List->isSemanticForm() && List->getSyntacticForm())
      replaceIn(List->getSyntacticForm(), R);
  }

  /// Of *p and p[0], where p is the address of a variable.
  Expr* pointedTo(Stmt* S, const Replacement& R) {
    auto* E = dyn_cast<Expr>(S);
    const Expr* Pointer = E && R.OfPointer && R.Place ? dereferenced(E) : nullptr;
    return Pointer && names(Pointer->IgnoreImpCasts(), R.Variable) ? copy(R.Place) : nullptr;
  }

  Expr* value(Expr* Read, const Replacement& R) {
    if (R.Place && !R.OfPointer)
      return valueOf(copy(R.Place));
    Expr* Init = copy(const_cast<Expr*>(R.Variable->getInit()));
    QualType Want = R.Variable->getType();
    // Text has no implicit conversions.
    QualType Written = Init->IgnoreParenImpCasts()->getType();
    auto InParentheses = [&](Expr* E) { return new (Context) ParenExpr(Read->getBeginLoc(), Read->getEndLoc(), E); };
    if (isNull(Init) || (Want->isIntegralOrEnumerationType() && !Context.hasSameUnqualifiedType(Written, Want)))
      Init = CStyleCastExpr::Create(Context, Want.getUnqualifiedType(), VK_PRValue, CK_NoOp, InParentheses(Init), nullptr, FPOptionsOverride(),
                                    Context.getTrivialTypeSourceInfo(Want.getUnqualifiedType(), Read->getExprLoc()), Read->getExprLoc(),
                                    Read->getExprLoc());
    return InParentheses(Init);
  }

  // --- Copies of expressions.

  template <typename T> static FPOptionsOverride options(const T* E) {
    return E->hasStoredFPFeatures() ? E->getStoredFPFeatures() : FPOptionsOverride();
  }
  static CXXCastPath path(CastExpr* Cast) { return CXXCastPath(Cast->path_begin(), Cast->path_end()); }

  llvm::SmallVector<Expr*, 8> copies(ArrayRef<Expr*> All) {
    llvm::SmallVector<Expr*, 8> Copies;
    for (Expr* E : All)
      Copies.push_back(copy(E));
    return Copies;
  }

  /// Of all that a statement evaluates at a time. What calls in it change is changed before it, so that it may not name that besides; but
  /// what is assigned to is found behind the value.
  Expr* copyWhole(Expr* E) {
    const size_t Before = Hoisted ? Hoisted->size() : 0;
    Expr* Copy = copy(E);
    checkOrder(E, Copy, Before);
    return Copy;
  }
  void checkOrder(const Expr* E, const Expr* Copy, size_t Before) {
    const Expr* Read = Copy->IgnoreParenImpCasts();
    if (const auto* Assigned = dyn_cast<BinaryOperator>(Read); Assigned && Assigned->isAssignmentOp())
      Read = Assigned->getRHS();
    if (isDisturbed(Read, Before))
      fail(E->getBeginLoc(), LastExpanded, Place);
  }
  /// Whether statements that come before it change what it names.
  bool isDisturbed(const Expr* Copy, size_t Before) const {
    if (!Hoisted || Hoisted->size() == Before)
      return false;
    std::set<const VarDecl*> Changed;
    for (Stmt* S : ArrayRef(*Hoisted).drop_front(Before))
      for (const auto& [V, Field] : changedMembers(S))
        Changed.insert(V);
    return llvm::any_of(References(Copy).All, [&](const DeclRefExpr* Ref) {
      const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
      return V && Changed.count(V) && !Results.contains(V);
    });
  }

  /// One that may not be evaluated; what comes before it does then not happen either.
  Expr* copyOperand(Expr* E, Statements& Before) {
    llvm::SaveAndRestore Where(Hoisted, Hoisted ? &Before : nowhere());
    return copyWhole(E);
  }

  VarDecl* declareResult(QualType Type, Expr* Init, StringRef Name, SourceLocation Loc) {
    VarDecl* V = newVariable(nullptr, Type.getUnqualifiedType(), Init, Name, Loc);
    Results.insert(V);
    Hoisted->push_back(new (Context) DeclStmt(DeclGroupRef(V), Loc, Loc));
    return V;
  }

  /// Of `a && b`, where something comes before b: `bool both = a; if (both) { ...; both = b; }`.
  Expr* copyLogical(BinaryOperator* E) {
    const size_t Start = Hoisted ? Hoisted->size() : 0;
    SourceLocation Loc = E->getOperatorLoc();
    Expr* Left = copy(E->getLHS());
    Statements Before;
    Expr* Right = copyOperand(E->getRHS(), Before);
    // It comes behind what the left one changes, too.
    if (Before.empty() && !isDisturbed(Right, Start))
      return BinaryOperator::Create(Context, Left, Right, E->getOpcode(), E->getType(), E->getValueKind(), E->getObjectKind(), Loc, options(E));
    checkOrder(E->getLHS(), Left, Start);
    const bool And = E->getOpcode() == BO_LAnd;
    VarDecl* Both = declareResult(E->getType(), Left, And ? "both" : "either", Loc);
    Before.push_back(assigned(Both, Right, Loc));
    Expr* Goes = valueOf(name(Both, Loc));
    if (!And)
      Goes = UnaryOperator::Create(Context, Goes, UO_LNot, Context.BoolTy, VK_PRValue, OK_Ordinary, Loc, false, FPOptionsOverride());
    Hoisted->push_back(onlyIf(Goes, Before, Loc));
    return valueOf(name(Both, Loc));
  }

  /// The same of `a ? b : c`.
  Expr* copyChoice(ConditionalOperator* E) {
    const size_t Start = Hoisted ? Hoisted->size() : 0;
    SourceLocation Loc = E->getQuestionLoc();
    Expr* Cond = copy(E->getCond());
    Statements First, Second;
    Expr *True = copyOperand(E->getTrueExpr(), First), *False = copyOperand(E->getFalseExpr(), Second);
    if (First.empty() && Second.empty() && !isDisturbed(True, Start) && !isDisturbed(False, Start))
      return new (Context) ConditionalOperator(Cond, Loc, True, E->getColonLoc(), False, E->getType(), E->getValueKind(), E->getObjectKind());
    if (!E->isPRValue() || !E->getType()->isScalarType()) {
      fail(E->getBeginLoc(), LastExpanded, Place);
      return E;
    }
    checkOrder(E->getCond(), Cond, Start);
    VarDecl* Chosen = declareResult(E->getType(), nullptr, "chosen", Loc);
    First.push_back(assigned(Chosen, True, Loc));
    Second.push_back(assigned(Chosen, False, Loc));
    Hoisted->push_back(IfStmt::Create(Context, Loc, IfStatementKind::Ordinary, nullptr, nullptr, Cond, Loc, Loc, block(First, Loc), Loc,
                                      block(Second, Loc)));
    return valueOf(name(Chosen, Loc));
  }

  /// Of something that may not be evaluated, or not before all else.
  Expr* copyInPlace(Expr* E) {
    llvm::SaveAndRestore Nowhere(Hoisted, nowhere());
    return copy(E);
  }

  Expr* copy(Expr* E) {
    if (!E)
      return nullptr;
    QualType T = E->getType();
    ExprValueKind VK = E->getValueKind();
    switch (E->getStmtClass()) {
    case Stmt::DeclRefExprClass:
      return copyReference(cast<DeclRefExpr>(E));
    case Stmt::ParenExprClass: {
      auto* Paren = cast<ParenExpr>(E);
      return new (Context) ParenExpr(Paren->getLParen(), Paren->getRParen(), copy(Paren->getSubExpr()));
    }
    case Stmt::ImplicitCastExprClass: {
      auto* Cast = cast<ImplicitCastExpr>(E);
      CXXCastPath Path = path(Cast);
      Expr* Sub = copy(Cast->getSubExpr());
      if (Cast->getCastKind() == CK_LValueToRValue && Sub->isPRValue())
        return Sub; // a parameter that a value stands for
      if (Cast->getCastKind() == CK_UserDefinedConversion && !isa<CallExpr, CXXConstructExpr>(Sub->IgnoreImplicit()))
        return Sub; // a variable that stands for what an object converts to
      auto* Copy = ImplicitCastExpr::Create(Context, T, Cast->getCastKind(), Sub, &Path, VK, options(Cast));
      Copy->setIsPartOfExplicitCast(Cast->isPartOfExplicitCast());
      return Copy;
    }
    case Stmt::CStyleCastExprClass: {
      auto* Cast = cast<CStyleCastExpr>(E);
      CXXCastPath Path = path(Cast);
      return CStyleCastExpr::Create(Context, T, VK, Cast->getCastKind(), copy(Cast->getSubExpr()), &Path, options(Cast),
                                    Cast->getTypeInfoAsWritten(), Cast->getLParenLoc(), Cast->getRParenLoc());
    }
    case Stmt::CXXFunctionalCastExprClass: {
      auto* Cast = cast<CXXFunctionalCastExpr>(E);
      CXXCastPath Path = path(Cast);
      return CXXFunctionalCastExpr::Create(Context, T, VK, Cast->getTypeInfoAsWritten(), Cast->getCastKind(), copy(Cast->getSubExpr()), &Path,
                                           options(Cast), Cast->getLParenLoc(), Cast->getRParenLoc());
    }
    case Stmt::CXXStaticCastExprClass: {
      auto* Cast = cast<CXXStaticCastExpr>(E);
      CXXCastPath Path = path(Cast);
      return CXXStaticCastExpr::Create(Context, T, VK, Cast->getCastKind(), copy(Cast->getSubExpr()), &Path, Cast->getTypeInfoAsWritten(),
                                       options(Cast), Cast->getOperatorLoc(), Cast->getRParenLoc(), Cast->getAngleBrackets());
    }
    case Stmt::CXXReinterpretCastExprClass: {
      auto* Cast = cast<CXXReinterpretCastExpr>(E);
      CXXCastPath Path = path(Cast);
      return CXXReinterpretCastExpr::Create(Context, T, VK, Cast->getCastKind(), copy(Cast->getSubExpr()), &Path, Cast->getTypeInfoAsWritten(),
                                            Cast->getOperatorLoc(), Cast->getRParenLoc(), Cast->getAngleBrackets());
    }
    case Stmt::CXXConstCastExprClass: {
      auto* Cast = cast<CXXConstCastExpr>(E);
      return CXXConstCastExpr::Create(Context, T, VK, copy(Cast->getSubExpr()), Cast->getTypeInfoAsWritten(), Cast->getOperatorLoc(),
                                      Cast->getRParenLoc(), Cast->getAngleBrackets());
    }
    case Stmt::UnaryOperatorClass: {
      auto* Unary = cast<UnaryOperator>(E);
      if (const VarDecl* Iterator = Unary->getOpcode() == UO_Deref ? namedVariable(Unary->getSubExpr()) : nullptr)
        if (auto It = ElementOf.find(Iterator); It != ElementOf.end())
          return copy(It->second);
      return UnaryOperator::Create(Context, copy(Unary->getSubExpr()), Unary->getOpcode(), T, VK, Unary->getObjectKind(),
                                   Unary->getOperatorLoc(), Unary->canOverflow(), options(Unary));
    }
    case Stmt::CompoundAssignOperatorClass: {
      auto* Binary = cast<CompoundAssignOperator>(E);
      Expr *Left = copyInPlace(Binary->getLHS()), *Right = copy(Binary->getRHS());
      return CompoundAssignOperator::Create(Context, Left, Right, Binary->getOpcode(), T, VK, Binary->getObjectKind(), Binary->getOperatorLoc(),
                                            options(Binary), Binary->getComputationLHSType(), Binary->getComputationResultType());
    }
    case Stmt::BinaryOperatorClass: {
      auto* Binary = cast<BinaryOperator>(E);
      if (Binary->isLogicalOp())
        return copyLogical(Binary);
      if (Binary->isCommaOp() && Hoisted && hasWork(Binary)) {
        addExpression(Binary->getLHS(), *Hoisted);
        return copy(Binary->getRHS());
      }
      // C++ says of these that the left operand comes first.
      bool InOrder = Binary->isCommaOp() || Binary->isShiftOp() || Binary->isPtrMemOp();
      bool Assigns = Binary->isAssignmentOp();
      Expr* Left = Assigns || Binary->isCommaOp() ? copyInPlace(Binary->getLHS()) : copy(Binary->getLHS());
      Expr* Right = InOrder ? copyInPlace(Binary->getRHS()) : copy(Binary->getRHS());
      return BinaryOperator::Create(Context, Left, Right, Binary->getOpcode(), T, VK, Binary->getObjectKind(), Binary->getOperatorLoc(),
                                    options(Binary));
    }
    case Stmt::ConditionalOperatorClass:
      return copyChoice(cast<ConditionalOperator>(E));
    case Stmt::ArraySubscriptExprClass: {
      auto* Element = cast<ArraySubscriptExpr>(E);
      Expr *Left = copyInPlace(Element->getLHS()), *Right = copyInPlace(Element->getRHS());
      return new (Context) ArraySubscriptExpr(Left, Right, T, VK, Element->getObjectKind(), Element->getRBracketLoc());
    }
    case Stmt::CUDAKernelCallExprClass: {
      auto* Launch = cast<CUDAKernelCallExpr>(E);
      auto* Config = cast<CallExpr>(copy(Launch->getConfig()));
      return CUDAKernelCallExpr::Create(Context, copy(Launch->getCallee()), Config, copies({Launch->getArgs(), Launch->getNumArgs()}), T, VK,
                                        Launch->getRParenLoc(), options(Launch));
    }
    case Stmt::CallExprClass:
    case Stmt::CXXMemberCallExprClass:
    case Stmt::CXXOperatorCallExprClass:
      return copyCall(cast<CallExpr>(E));
    case Stmt::MemberExprClass:
      return copyMember(cast<MemberExpr>(E));
    case Stmt::InitListExprClass:
      return copyList(cast<InitListExpr>(E));
    case Stmt::DesignatedInitExprClass: {
      auto* Init = cast<DesignatedInitExpr>(E);
      llvm::SmallVector<Expr*, 2> Indices;
      for (unsigned I = 1; I < Init->getNumSubExprs(); ++I)
        Indices.push_back(copyInPlace(Init->getSubExpr(I)));
      return DesignatedInitExpr::Create(Context, Init->designators(), Indices, Init->getEqualOrColonLoc(), Init->usesGNUSyntax(),
                                        copyInPlace(Init->getInit()));
    }
    case Stmt::CXXConstructExprClass: {
      auto* Construct = cast<CXXConstructExpr>(E);
      llvm::SaveAndRestore Where(Hoisted, Construct->getNumArgs() > 1 && Construct->isListInitialization() ? nowhere() : Hoisted);
      return CXXConstructExpr::Create(Context, T, Construct->getLocation(), Construct->getConstructor(), Construct->isElidable(),
                                      copies({Construct->getArgs(), Construct->getNumArgs()}), Construct->hadMultipleCandidates(),
                                      Construct->isListInitialization(), Construct->isStdInitListInitialization(),
                                      Construct->requiresZeroInitialization(), Construct->getConstructionKind(),
                                      Construct->getParenOrBraceRange());
    }
    case Stmt::CXXTemporaryObjectExprClass: {
      auto* Construct = cast<CXXTemporaryObjectExpr>(E);
      llvm::SaveAndRestore Where(Hoisted, Construct->getNumArgs() > 1 && Construct->isListInitialization() ? nowhere() : Hoisted);
      return CXXTemporaryObjectExpr::Create(Context, Construct->getConstructor(), T, Construct->getTypeSourceInfo(),
                                            copies({Construct->getArgs(), Construct->getNumArgs()}), Construct->getParenOrBraceRange(),
                                            Construct->hadMultipleCandidates(), Construct->isListInitialization(),
                                            Construct->isStdInitListInitialization(), Construct->requiresZeroInitialization());
    }
    case Stmt::MaterializeTemporaryExprClass: {
      auto* Temporary = cast<MaterializeTemporaryExpr>(E);
      return new (Context) MaterializeTemporaryExpr(T, copy(Temporary->getSubExpr()), Temporary->isBoundToLvalueReference());
    }
    case Stmt::ExprWithCleanupsClass: {
      auto* Full = cast<ExprWithCleanups>(E);
      return ExprWithCleanups::Create(Context, copy(Full->getSubExpr()), Full->cleanupsHaveSideEffects(), {});
    }
    case Stmt::ConstantExprClass: {
      auto* Constant = cast<ConstantExpr>(E);
      Expr* Value = copy(Constant->getSubExpr());
      return Constant->hasAPValueResult() ? ConstantExpr::Create(Context, Value, Constant->getAPValueResult()) : ConstantExpr::Create(Context, Value);
    }
    case Stmt::UnaryExprOrTypeTraitExprClass: {
      auto* Trait = cast<UnaryExprOrTypeTraitExpr>(E);
      if (Trait->isArgumentType())
        return E;
      return new (Context) UnaryExprOrTypeTraitExpr(Trait->getKind(), copyInPlace(Trait->getArgumentExpr()), T, Trait->getOperatorLoc(),
                                                    Trait->getRParenLoc());
    }
    default:
      return E; // a constant, or nothing that a region can have
    }
  }

  Expr* copyReference(DeclRefExpr* Ref) {
    auto* V = dyn_cast<VarDecl>(Ref->getDecl());
    // Callers in the region take all that functions return for cudaSuccess.
    if (!V && Frames.size() > 1 && isCudaError(Ref->getType()) && isa<EnumConstantDecl>(Ref->getDecl()) &&
        Ref->getDecl()->getName() != "cudaSuccess")
      Diags.report(Ref->getLocation(), Diag::err_region_statement) << Ref->getDecl()->getName();
    // The arguments of a template may be named by what only the function has.
    if (const auto* Kernel = dyn_cast<FunctionDecl>(Ref->getDecl()); Kernel && Kernel->hasAttr<CUDAGlobalAttr>() && Ref->hasExplicitTemplateArgs())
      return DeclRefExpr::Create(Context, Ref->getQualifierLoc(), SourceLocation(), Ref->getDecl(), false, Ref->getLocation(), Ref->getType(),
                                 Ref->getValueKind());
    if (!V)
      return Ref;
    if (auto It = Bound.find(V); It != Bound.end())
      return copy(It->second);
    if (auto It = Variables.find(V); It != Variables.end())
      V = It->second;
    return DeclRefExpr::Create(Context, V == Ref->getDecl() ? Ref->getQualifierLoc() : NestedNameSpecifierLoc(), SourceLocation(), V, false,
                               Ref->getLocation(), Ref->getType(), Ref->getValueKind(), nullptr, nullptr, Ref->isNonOdrUse());
  }

  Expr* copyMember(MemberExpr* Member) {
    Expr* Base = Member->getBase()->IgnoreParenImpCasts();
    if (auto* This = dyn_cast<CXXThisExpr>(Base); This && isa<FieldDecl>(Member->getMemberDecl())) {
      const Frame& Own = Frames.back();
      auto* Field = cast<FieldDecl>(Member->getMemberDecl());
      const auto* Class = dyn_cast<CXXRecordDecl>(Field->getParent());
      if (Own.Object) {
        if (Field->getAccess() != AS_public && Field->getAccess() != AS_none)
          fail(Member->getMemberLoc(), current(), NotPublic, Field->getName());
        return MemberExpr::Create(Context, copy(Own.Object), false, Member->getMemberLoc(), NestedNameSpecifierLoc(), SourceLocation(),
                                  Member->getMemberDecl(), Member->getFoundDecl(), Member->getMemberNameInfo(), nullptr, Member->getType(),
                                  Member->getValueKind(), Member->getObjectKind(), Member->isNonOdrUse());
      }
      if (Own.OfObject && MemberReferences::isNamed(*Member)) {
        if (Frames.size() > 1 && !isNamedSo(Class, Field))
          fail(Member->getMemberLoc(), current(), NotPublic, Field->getName());
        return Members.reference(*Member);
      }
    }
    Expr* Copy = copy(Member->getBase());
    return MemberExpr::Create(Context, Copy, Member->isArrow(), Member->getOperatorLoc(), Member->getQualifierLoc(),
                              Member->getTemplateKeywordLoc(), Member->getMemberDecl(), Member->getFoundDecl(), Member->getMemberNameInfo(),
                              nullptr, Member->getType(), Member->getValueKind(), Member->getObjectKind(), Member->isNonOdrUse());
  }

  /// Whether `this->member` in the region's function means a member that a function of a base class names.
  bool isNamedSo(const CXXRecordDecl* Class, const FieldDecl* Field) const {
    const auto* Own = dyn_cast_or_null<CXXMethodDecl>(outermostFunction(Function));
    if (!Own || !Class || Own->getParent()->getCanonicalDecl() == Class->getCanonicalDecl())
      return true;
    if (Field->getAccess() == AS_private)
      return false;
    const CXXRecordDecl* Derived = Own->getParent()->getDefinition();
    CXXBasePaths Paths(/*FindAmbiguities=*/true, /*RecordPaths=*/true, /*DetectVirtual=*/false);
    bool Hides = Derived->lookupInBases(
        [&](const CXXBaseSpecifier* Base, CXXBasePath&) {
          const CXXRecordDecl* Between = Base->getType()->getAsCXXRecordDecl();
          return Between && Between->getCanonicalDecl() != Class->getCanonicalDecl() && !Between->lookup(Field->getDeclName()).empty();
        },
        Paths);
    return !Hides && Derived->lookup(Field->getDeclName()).empty();
  }

  Expr* copyCall(CallExpr* Call) {
    if (Expr* Value = objectCall(Call) && !folded(*Call) ? objectValue(*Call) : nullptr)
      return Value;
    if (isExpanded(*Call) && !staysCall(*Call)) {
      if (Expr* Constant = folded(*Call))
        return Constant;
      if (std::optional<Expr*> Value = inlined(*Call))
        return *Value ? *Value : Call;
      if (OfClauses) {
        ClauseFailed = true;
        return Call;
      }
      if (!Hoisted) {
        if (checkCall(calledDefinition(*Call), *Call))
          fail(Call->getBeginLoc(), calledDefinition(*Call), Place);
        return Call;
      }
      if (Expr* Result = expand(*Call, *Hoisted, /*Wanted=*/true))
        return Result;
      return Call;
    }
    QualType T = Call->getType();
    ExprValueKind VK = Call->getValueKind();
    if (auto* Operator = dyn_cast<CXXOperatorCallExpr>(Call)) {
      llvm::SaveAndRestore Nowhere(Hoisted, nowhere());
      Expr* Callee = copy(Call->getCallee());
      llvm::SmallVector<Expr*, 8> Operands = copies({Call->getArgs(), Call->getNumArgs()});
      checkOverload(*Call, Operands.front()->getType());
      return CXXOperatorCallExpr::Create(Context, Operator->getOperator(), Callee, Operands, T, VK, Operator->getOperatorLoc(), options(Call),
                                         Call->getADLCallKind());
    }
    Expr* Callee = copyInPlace(Call->getCallee());
    if (const auto* Member = dyn_cast<MemberExpr>(Callee->IgnoreParens()); Member && !Member->isArrow())
      checkOverload(*Call, Member->getBase()->IgnoreImpCasts()->getType());
    llvm::SmallVector<Expr*, 8> Arguments = copies({Call->getArgs(), Call->getNumArgs()});
    if (isa<CXXMemberCallExpr>(Call))
      return CXXMemberCallExpr::Create(Context, Callee, Arguments, T, VK, Call->getRParenLoc(), options(Call));
    return CallExpr::Create(Context, Callee, Arguments, T, VK, Call->getRParenLoc(), options(Call), 0, Call->getADLCallKind());
  }

  /// A parameter `const T&` is the variable that is passed for it, of which another function of the name might be called. Those of the
  /// standard library do the same.
  void checkOverload(const CallExpr& Call, QualType Object) {
    const auto* Method = dyn_cast_or_null<CXXMethodDecl>(Call.getDirectCallee());
    if (Frames.size() == 1 || !Method || !Method->isConst() || Object.isConstQualified() || Sources.isInSystemHeader(Method->getLocation()))
      return;
    for (const NamedDecl* Other : Method->getParent()->lookup(Method->getDeclName())) {
      const auto* Overload = dyn_cast_or_null<CXXMethodDecl>(Other->getAsFunction());
      if (Overload && !Overload->isConst() && !Overload->isStatic()) {
        Diags.report(Call.getBeginLoc(), Diag::err_region_statement) << spelled(&Call) << Call.getSourceRange();
        return;
      }
    }
  }

  Expr* copyList(InitListExpr* List) {
    if (!List->isSemanticForm())
      List = List->getSemanticForm();
    llvm::SaveAndRestore Where(Hoisted, List->getNumInits() > 1 ? nowhere() : Hoisted);
    llvm::DenseMap<Expr*, Expr*> Same;
    auto Copied = [&](InitListExpr* Form) {
      llvm::SmallVector<Expr*, 4> Inits;
      for (Expr* Init : Form->inits()) {
        Expr*& Copy = Same[Init];
        Inits.push_back(Copy ? Copy : Copy = copy(Init));
      }
      auto* Result = new (Context) InitListExpr(Context, Form->getLBraceLoc(), Inits, Form->getRBraceLoc());
      Result->setType(Form->getType());
      return Result;
    };
    InitListExpr* Semantic = Copied(List);
    Semantic->setValueKind(List->getValueKind());
    if (List->hasArrayFiller())
      Semantic->setArrayFiller(List->getArrayFiller());
    if (List->getInitializedFieldInUnion())
      Semantic->setInitializedFieldInUnion(List->getInitializedFieldInUnion());
    if (InitListExpr* Syntactic = List->getSyntacticForm())
      Semantic->setSyntacticForm(Copied(Syntactic));
    return Semantic;
  }

  WhileStmt* Loop;
  const Directive& Origin;
  const FunctionDecl* Function;
  MemberReferences& Members;
  ASTContext& Context;
  const SourceManager& Sources;
  Diagnostics& Diags;
  llvm::SmallVector<Frame, 4> Frames;
  /// Where statements stand that come before the one that is copied; null where none may.
  Statements* Hoisted = nullptr;
  /// What variables of the region and of functions have become.
  llvm::DenseMap<const VarDecl*, VarDecl*> Variables;
  llvm::DenseMap<const VarDecl*, Expr*> Bound;
  llvm::StringSet<> Taken, OfRegion;
  llvm::DenseMap<const FunctionDecl*, bool> Launching;
  /// By the iterators of loops over ranges.
  llvm::DenseMap<const VarDecl*, Expr*> ElementOf;
  llvm::SmallSetVector<const FunctionDecl*, 8> OnDevice;
  /// Variables that hold what calls have returned, and the function of the last of these.
  llvm::DenseSet<const VarDecl*> Results;
  const FunctionDecl* LastExpanded = nullptr;
  bool OfClauses = false, ClauseFailed = false, InStatement = false;
  /// Variables that copies declare.
  llvm::DenseSet<const VarDecl*> Declared;
  std::vector<ObjectValue> Objects;
  struct ObjectSwap {
    PointerVariable First, Second;
    const CallExpr* Call;
    llvm::DenseSet<const VarDecl*> Values;
  };
  std::vector<ObjectSwap> Swaps;
};

} // namespace

ExpandedCalls expandCalls(WhileStmt* Loop, const Directive& Origin, const FunctionDecl* Function, MemberReferences& Members, ASTContext& Context,
                          Diagnostics& Diags) {
  return Expander(Loop, Origin, Function, Members, Context, Diags).run();
}

std::vector<const CallExpr*> opaqueCalls(const Stmt* S, const SourceManager& Sources) {
  CallCollector Found(S);
  llvm::erase_if(Found.Calls, [&](const CallExpr* Call) {
    const FunctionDecl* Callee = Call->getDirectCallee();
    return Callee && (Callee->hasBody() || Callee->getBuiltinID() != 0 || Sources.isInSystemHeader(Callee->getLocation()));
  });
  return std::move(Found.Calls);
}

} // namespace gpurma
