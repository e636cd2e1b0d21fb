// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/RegionCalls.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "frontend/SourceText.h"
#include "passes/AccumulateCalls.h"
#include "passes/EarlyReturns.h"
#include "passes/ErrorChecks.h"
#include "passes/ExpressionCopier.h"
#include "passes/Extrema.h"
#include "passes/Kernels.h"
#include "passes/LocalNames.h"
#include "passes/Lvalues.h"
#include "passes/NodeBuilder.h"
#include "passes/ParameterSubstitution.h"
#include "passes/Places.h"
#include "passes/RegionObjects.h"
#include "passes/VariableChanges.h"
#include "passes/VariableUses.h"
#include "clang/AST/Attr.h"
#include "clang/AST/CXXInheritance.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace gpurma {
namespace {

/// `call == cudaSuccess || failed()`: what is done after an error is not part of a region.
bool isDecided(const BinaryOperator& Binary) {
  return Binary.isLogicalOp() && errorCheck(Binary.getLHS()) == (Binary.getOpcode() == BO_LOr);
}

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
  bool VisitIfStmt(IfStmt* If) override {
    HasConditionVariables |= If->hasVarStorage();
    return true;
  }
  bool VisitConditionalOperator(ConditionalOperator* Choice) override {
    HasErrorChecks |= errorCheck(Choice->getCond()).has_value();
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* Binary) override {
    HasErrorChecks |= isDecided(*Binary);
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator* Unary) override {
    HasSums |= accumulateCall(*Unary).has_value();
    return true;
  }
  bool VisitMemberExpr(MemberExpr* Member) override {
    OfObjects |= objectMember(Member).has_value();
    return true;
  }
  bool Launches = false, HasRangeLoops = false, HasConditionVariables = false, HasErrorChecks = false, HasSums = false, OfObjects = false;
  std::vector<const CallExpr*> Calls;
};

bool isLambda(const FunctionDecl* F) {
  const auto* Method = dyn_cast<CXXMethodDecl>(F);
  return Method && Method->getParent()->isLambda();
}

class Expander : ExpressionCopier {
public:
  Expander(WhileStmt* Loop, const FunctionDecl* Function, MemberReferences& Members,
           const ErrorsBefore& Errors, ASTContext& Context, Diagnostics& Diags)
      : ExpressionCopier(Context), Loop(Loop), Function(Function), Members(Members), Errors(Errors),
        Sources(Context.getSourceManager()), Diags(Diags), Build(Context),
        Objects(Function, Context) {
    Frames.push_back({Function, {}, nullptr});
    Frames.back().OfObject = true;
  }

  ExpandedCalls run(const Directive& Origin) {
    Objects.findInClauses(Loop, Origin);
    expandClauses();
    if (isa<ForStmt, WhileStmt, DoStmt, CompoundStmt, CXXForRangeStmt>(Loop->getBody()) && hasWork(Loop->getBody()))
      expandStatement();
    return {std::move(OnDevice), std::move(Variables), InStatement, Objects.finish(Diags)};
  }

private:
  bool hasWork(const Stmt* S) {
    CallCollector Inside(S);
    return Inside.HasRangeLoops || Inside.HasConditionVariables || Inside.HasErrorChecks || Inside.HasSums || Inside.OfObjects ||
           llvm::any_of(Inside.Calls, [&](const CallExpr* Call) {
             return isExpanded(*Call) || objectCall(Call) || swappedObjects(*Call).first || accumulateCall(*Call);
           });
  }

  void expandStatement() {
    Names = UnusedNames(Loop->getBody(), outermostFunction(Function));
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
      Expr* Copy = readFrom(copyInPlace(Clauses->getArg(I)));
      if (!ClauseFailed)
        Clauses->setArg(I, Copy);
    }
  }

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
    NotPublic,
    ErrorFromBefore
  };

  struct Frame {
    const FunctionDecl* Function;
    /// What the function calls `this`: a variable, or with OfObject the object of the region's function.
    Expr* Object = nullptr;
    VarDecl* Result = nullptr;
    bool OfObject = false;
    /// It is an expression that changes nothing.
    bool OnlyReads = false;
  };

  static std::string nameOf(const FunctionDecl* F) { return isLambda(F) ? "this lambda" : "'" + F->getNameAsString() + "'"; }

  void fail(SourceLocation Loc, const FunctionDecl* F, Problem What, StringRef Name = "") {
    if (OfClauses)
      ClauseFailed = true;
    else
      Diags.report(Loc, Diag::err_region_function) << nameOf(F) << What << Name << launches(F);
  }

  /// Of a statement of a function that the region calls.
  void suggestHost(SourceLocation Loc) {
    if (Frames.size() == 1 || launches(Frames[1].Function) || std::exchange(HasSuggestedHost, true))
      return;
    Diags.report(Loc, Diag::note_host_call) << nameOf(Frames[1].Function);
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
    return F && !Sources.isInSystemHeader(F->getLocation()) &&
           (isOfHost(F, Sources) || isOfObject(Call) || launches(F) || isOfBoth(Call, F));
  }

  /// A function for both that would do something else on the device, or returns a pointer, of which
  /// is to be seen which it is.
  bool isOfBoth(const CallExpr& Call, const FunctionDecl* F) const {
    return isMarkedForDevice(F) && F->hasAttr<CUDAHostAttr>() &&
           (!F->isOverloadedOperator() || F->getOverloadedOperator() == OO_Call) &&
           !isa<CXXConstructorDecl, CXXDestructorDecl, CXXConversionDecl>(F) &&
           (F->getReturnType()->isPointerType() || !mayStayCall(Call, Sources));
  }

  /// The device has the members that the region names, and no object.
  static bool isOfObject(const CallExpr& Call) {
    const auto* Member = dyn_cast<CXXMemberCallExpr>(&Call);
    return Member && isa<CXXThisExpr>(Member->getImplicitObjectArgument()->IgnoreParenImpCasts());
  }

  // --- Objects of the host.

  /// What stands for u.get() or u.size(); null for other calls.
  Expr* objectValue(CallExpr& E) {
    std::optional<ObjectCall> Call = objectCall(&E);
    if (!Call)
      return nullptr;
    QualType Type = E.getType().getCanonicalType().getUnqualifiedType();
    Expr* Object = plain(copy(Call->Object));
    VarDecl* Found = Call->Method && identifierOf(Call->Method) == "size" ? Sizes.lookup(namedVariable(Object)) : nullptr;
    if (!Found)
      Found = objectVariable(*Call, Object, Type);
    if (!Found)
      return nullptr;
    Expr* Value = Build.valueOf(Found, E.getBeginLoc());
    if (!Context.hasSameUnqualifiedType(Value->getType(), Type))
      Value = ImplicitCastExpr::Create(Context, Type, CK_NoOp, Value, nullptr, VK_PRValue, FPOptionsOverride());
    return Value;
  }

  /// Of an object that is not of the region.
  VarDecl* objectVariable(const ObjectCall& Call, Expr* Named, QualType Type) {
    PointerVariable Object = isPlace(Named) ? pointerVariable(Named) : PointerVariable();
    return Object && !Declared.contains(Object.Variable) ? Objects.valueOf(Object, Named, Call, Type) : nullptr;
  }

  /// The variable that stands for a member of an object, and which the region may change if that is
  /// a pointer; null if none does.
  Expr* memberValue(const ObjectCall& Part, Expr* Object, bool IsRead, SourceLocation Loc) {
    const bool IsKnown = IsRead || Part.type()->isPointerType();
    VarDecl* Value = IsKnown ? objectVariable(Part, plain(Object), Part.type()) : nullptr;
    if (!Value)
      return nullptr;
    if (!IsRead)
      Objects.change(Value, Loc);
    return Build.name(Value, Loc);
  }

  Expr* copyToRead(Expr* E) override {
    llvm::SaveAndRestore<const Expr*> Reads(Read, E->IgnoreParens());
    return copy(E);
  }

  /// The variable that stands for a member of an object.
  Expr* readFrom(Expr* Copy) override {
    std::optional<ObjectCall> Member = objectMember(Copy);
    VarDecl* Found = Member ? objectVariable(*Member, plain(Member->Object), Member->type()) : nullptr;
    return Found ? Build.name(Found, Copy->getBeginLoc()) : Copy;
  }

  /// How many elements a vector has; null if that is not known.
  Expr* sizeOf(Expr* Vector, const CXXMethodDecl* Size, SourceLocation Loc) {
    VarDecl* Known = Sizes.lookup(namedVariable(Vector));
    if (!Known)
      Known = objectVariable({Vector, Size}, Vector, Context.getSizeType());
    return Known ? Build.valueOf(Known, Loc) : nullptr;
  }

  /// The loop that std::accumulate or std::max_element is, before what it is called for: its total. Null if it stays a call.
  Expr* addedUp(Expr& E) {
    std::optional<AccumulateCall> Sum = Hoisted ? accumulateCall(E) : std::nullopt;
    if (!Sum)
      return nullptr;
    const SourceLocation Loc = E.getBeginLoc();
    const bool Adds = Sum->Operation == Keyword::Plus;
    Expr* Array = copyInPlace(Sum->Array);
    Expr* Count = nullptr;
    if (Sum->Count)
      Count = copyInPlace(Sum->Count);
    else if (Sum->Size)
      Count = sizeOf(Array, Sum->Size, Loc);
    else
      Count = Build.number(arrayElements(Array->getType())->Count, Context.getSizeType(), Loc);
    VarDecl* Index = newVariable(nullptr, Context.getSizeType(), Build.number(Adds ? 0 : 1, Context.getSizeType(), Loc), "index", Loc);
    Expr* Element = Build.elementAt(Array, Build.valueOf(Index, Loc), Loc);
    if (!Count || !Element)
      return nullptr;
    LastExpanded = Sum->Function;
    const QualType Type = E.getType().getUnqualifiedType();
    Expr* Init = Sum->Init ? copyInPlace(Sum->Init) : nullptr;
    if (!Adds)
      Init = Build.valueOf(Build.elementAt(Array, Build.number(0, Context.getSizeType(), Loc), Loc));
    else if (!Init)
      Init = new (Context) CXXScalarValueInitExpr(Type, Context.getTrivialTypeSourceInfo(Type, Loc), Loc);
    VarDecl* Total = declareResult(Type, Init, Adds ? "total" : Sum->Operation == Keyword::Max ? "most" : "least", Loc);
    Stmt* Body = nullptr;
    if (Adds) {
      Body = CompoundAssignOperator::Create(Context, Build.name(Total, Loc), Build.valueOf(Element), BO_AddAssign, Total->getType(), VK_LValue,
                                            OK_Ordinary, Loc, FPOptionsOverride());
    } else {
      Expr *Found = Build.valueOf(Element), *Kept = Build.valueOf(Total, Loc);
      Expr* Better = Sum->Operation == Keyword::Max ? Build.isGreater(Found, Kept, Loc) : Build.isGreater(Kept, Found, Loc);
      Body = Build.ifElse(Better, Build.assigned(Total, Found, Loc), nullptr, Loc);
    }
    Hoisted->push_back(Build.counting(Index, Count, Body, Loc));
    return Build.name(Total, Loc);
  }

  /// Of two objects, or of two structures with nothing but such: their pointers change places. False for other calls.
  bool addSwap(CallExpr& Call, Statements& Out) {
    auto [A, B] = swappedObjects(Call);
    if (!A)
      return false;
    Expr *NamedA = plain(copy(A)), *NamedB = plain(copy(B));
    std::optional<RegionObjects::PointerPairs> Pairs = Objects.swap(Call, NamedA, NamedB);
    if (!Pairs)
      return false;
    for (auto [First, Second] : *Pairs)
      Out.push_back(Build.swapped(First, Second, Call.getBeginLoc()));
    return true;
  }

  // --- Names.

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

  /// A copy as the one statement that stands behind a condition or in a loop.
  Stmt* copied(Stmt* S) {
    if (!S)
      return nullptr;
    Statements All;
    addList(S, All);
    return All.size() == 1 ? All.front() : Build.block(All, S->getSourceRange());
  }

  void addList(ArrayRef<Stmt*> List, Statements& Out) {
    for (size_t I = 0; I != List.size(); ++I) {
      if (Frames.size() > 1 && firstReturn(List[I]))
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
      Out.push_back(Build.block(Parts, S->getSourceRange()));
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
      if (auto* If = cast<IfStmt>(S); !If->isConsteval())
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
    if (HasParts) {
      Diags.report(S->getBeginLoc(), Diag::err_region_statement) << spelled(S) << S->getSourceRange();
      suggestHost(S->getBeginLoc());
    }
    Out.push_back(S);
  }

  std::string spelled(const Stmt* S) const { return textOf(S, Context); }

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
      if (Expr* Taken = taken(*Choice)) {
        Out.push_back(discarded(copyWhole(Choice->getCond())));
        addExpression(Taken, Out);
      } else {
        addDiscardedChoice(*Choice, Out);
      }
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
      return Build.block(Parts, E->getSourceRange());
    };
    Stmt *Then = Branch(Choice.getTrueExpr()), *Else = Branch(Choice.getFalseExpr());
    Out.push_back(Build.ifElse(Cond, Then, Else, Loc));
  }

  void addDeclarations(DeclStmt* S, Statements& Out) {
    for (Decl* D : S->decls()) {
      auto* V = dyn_cast<VarDecl>(D);
      if (!V || isa<DecompositionDecl>(V)) {
        Out.push_back(Build.declaration(D, S->getSourceRange()));
        continue;
      }
      if (isCalledLambda(V))
        continue;
      if (VarDecl* Copy = copyVariable(V)) {
        if (VarDecl* Size = beginsWithSize(*V, Copy))
          Out.push_back(Build.declaration(Size, S->getSourceRange()));
        Out.push_back(Build.declaration(Copy, S->getSourceRange()));
      }
    }
  }

  /// A variable for the size of `std::vector<float> host(blocks)`, which nothing in its function changes; null of others.
  VarDecl* beginsWithSize(const VarDecl& V, VarDecl* Copy) {
    if (!sizeOfVector(V.getType()) || !Copy->getInit())
      return nullptr;
    const Expr* First = firstSize(*Copy->getInit());
    if (!First || changesSize(current()->getBody(), V))
      return nullptr;
    VarDecl* Size = newVariable(nullptr, Context.getSizeType(), const_cast<Expr*>(First), V.getNameAsString() + "_size", V.getLocation());
    return Sizes[Copy] = Size;
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
      Expr* Init = passedPlace(V->getInit());
      if (!Init)
        Init = copy(V->getInit());
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
    if (isNumberOfError(*V))
      Copy->setType(V->getType().withConst()); // so that checks of the copy are known, too
    return Copy;
  }

  /// v, of `*pointer` where the function has been passed &v for the parameter, which it does not change; null for other expressions.
  Expr* passedPlace(const Expr* E) const {
    const auto* Deref = dyn_cast<UnaryOperator>(E->IgnoreParenImpCasts());
    const VarDecl* Parameter = Deref && Deref->getOpcode() == UO_Deref ? namedVariable(Deref->getSubExpr()) : nullptr;
    const VarDecl* Copy = Parameter && isa<ParmVarDecl>(Parameter) ? Variables.lookup(Parameter) : nullptr;
    Expr* Place = Copy && Copy->getInit() ? addressed(const_cast<Expr*>(Copy->getInit())) : nullptr;
    return Place && !VariableChanges(current()->getBody()).changes(Parameter) ? Place : nullptr;
  }

  VarDecl* newVariable(const VarDecl* Original, QualType Type, Expr* Init, StringRef Otherwise = "argument", SourceLocation Loc = {}) {
    if (Original)
      Loc = Original->getLocation();
    const std::string Name = Original && Original->getIdentifier() ? Original->getNameAsString() : Otherwise.str();
    IdentifierInfo& Unused = Context.Idents.get(Names.take(Name, /*IsOwn=*/Frames.size() == 1));
    auto* V = VarDecl::Create(Context, const_cast<FunctionDecl*>(Function), Loc, Loc, &Unused, Type, Context.getTrivialTypeSourceInfo(Type, Loc), SC_None);
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
    if (!If->hasVarStorage())
      return addIfAlone(If, Then, Else, Out, ThenRest, ElseRest);
    // What the condition declares is declared before it.
    Statements Parts;
    llvm::SaveAndRestore Here(Hoisted, &Parts);
    if (If->getInit())
      add(If->getInit(), Parts);
    addDeclarations(If->getConditionVariableDeclStmt(), Parts);
    addIfAlone(If, Then, Else, Parts, ThenRest, ElseRest);
    Out.push_back(Build.block(Parts, If->getSourceRange()));
  }

  void addIfAlone(IfStmt* If, Stmt* Then, Stmt* Else, Statements& Out, ArrayRef<Stmt*> ThenRest, ArrayRef<Stmt*> ElseRest) {
    Stmt* Init = nullptr;
    if (If->getInit() && !If->hasVarStorage()) {
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
      return All.size() == 1 && isa<CompoundStmt>(All.front()) ? All.front() : Build.block(All, S ? S->getSourceRange() : If->getSourceRange());
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

  /// `bool again = false;`, which is true from a loop's second iteration on. \p Loop gets the expression that says so.
  template <typename F> void addLoopAfterFirst(SourceLocation Loc, SourceRange Where, Statements& Out, F Loop) {
    VarDecl* Again = newVariable(nullptr, Context.BoolTy, Build.boolean(false, Loc), "again", Loc);
    Statements Parts;
    Parts.push_back(Build.declaration(Again, Loc));
    Parts.push_back(Loop(Build.valueOf(Again, Loc), Build.assigned(Again, Build.boolean(true, Loc), Loc)));
    Out.push_back(Build.block(Parts, Where));
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
        Body.push_back(Build.ifElse(Again, Build.block(Next, Loc), nullptr, Loc));
      Body.append(Before);
      if (Cond && !Body.empty()) {
        Body.push_back(Build.leavesUnless(Cond));
        Cond = nullptr;
      }
      const bool Computed = !Body.empty();
      Body.push_back(copied(For->getBody()));
      return new (Context) ForStmt(Context, Init, Cond, nullptr, Increment,
                                   Computed ? Build.block(Body, For->getBody()->getSourceRange()) : Body.front(), Loc, For->getLParenLoc(),
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
      Body.push_back(Build.leavesUnless(Cond));
      Cond = Build.boolean(true, While->getCond()->getExprLoc());
    }
    Stmt* Inside = copied(While->getBody());
    Body.push_back(Inside);
    Out.push_back(WhileStmt::Create(Context, nullptr, Cond, Computed ? Build.block(Body, While->getBody()->getSourceRange()) : Inside,
                                    While->getWhileLoc(), While->getLParenLoc(), While->getRParenLoc()));
  }

  /// Whether a loop may find the sum, most or least of numbers of blocks (HostSums.h): a region does nothing else with vectors.
  static bool mayCombine(const Stmt* Body) {
    const CallCollector Inside(Body);
    return !Inside.Launches && llvm::all_of(Inside.Calls, [](const CallExpr* Call) { return returnsGreater(identifierOf(Call->getDirectCallee())).has_value(); });
  }

  /// The elements of an array or of a list in braces, or of a vector; else false.
  bool addRangeLoop(CXXForRangeStmt* Range, Statements& Out) {
    const auto* Begin = dyn_cast_or_null<VarDecl>(Range->getBeginStmt() ? Range->getBeginStmt()->getSingleDecl() : nullptr);
    VarDecl* Element = Range->getLoopVariable();
    if (Range->getInit() || !Begin || !Element->getInit() || isa<DecompositionDecl>(Element))
      return false;
    SourceLocation Loc = Range->getBeginLoc();
    Expr* Over = Range->getRangeInit()->IgnoreParenImpCasts();
    if (auto* Full = dyn_cast<ExprWithCleanups>(Over))
      Over = Full->getSubExpr();
    const bool IsNamed = isPlace(Over) || namedPlace(Over);
    Statements Parts;
    Expr *Array = nullptr, *Count = nullptr;
    if (auto* List = dyn_cast<CXXStdInitializerListExpr>(Over)) {
      auto* Temporary = dyn_cast<MaterializeTemporaryExpr>(List->getSubExpr());
      if (!Temporary || !Temporary->getType()->isConstantArrayType())
        return false;
      VarDecl* V = newVariable(nullptr, Temporary->getType(), copyInPlace(Temporary->getSubExpr()), "list", Loc);
      Parts.push_back(Build.declaration(V, Loc));
      Array = Build.name(V, Loc);
    } else if (IsNamed && arrayElements(Over->getType())) {
      Array = copyInPlace(Over);
    } else if (const CXXMethodDecl* Size = IsNamed && (mayCombine(Range->getBody()) || Element->getType()->isArithmeticType()) ? sizeOfVector(Over->getType()) : nullptr) {
      Array = copyInPlace(Over);
      Count = sizeOf(Array, Size, Loc);
      if (!Count)
        return false;
    } else {
      return false;
    }
    const QualType IndexType = Count ? Context.getSizeType() : Context.UnsignedIntTy;
    VarDecl* Index = newVariable(nullptr, IndexType, Build.number(0, IndexType, Loc), "index", Loc);
    Expr* Value = Build.elementAt(Array, Build.valueOf(Index, Loc), Loc);
    if (!Value)
      return false;
    Statements Body;
    ElementOf[Begin] = Value;
    if (VarDecl* Copy = copyVariable(Element))
      Body.push_back(Build.declaration(Copy, Element->getSourceRange()));
    Stmt* Inside = copied(Range->getBody());
    Body.push_back(Inside);
    if (!Count)
      Count = Build.number(arrayElements(Array->getType())->Count, Context.UnsignedIntTy, Loc);
    Stmt* Counting = Build.counting(Index, Count, Build.block(Body, Range->getBody()->getSourceRange()), Loc);
    if (Parts.empty()) {
      Out.push_back(Counting);
    } else {
      Parts.push_back(Counting);
      Out.push_back(Build.block(Parts, Range->getSourceRange()));
    }
    return true;
  }

  void addSwitch(SwitchStmt* Switch, Statements& Out) {
    if (Switch->getInit()) {
      Statements Parts;
      add(Switch->getInit(), Parts);
      llvm::SaveAndRestore Here(Hoisted, &Parts);
      addSwitchAlone(Switch, Parts);
      Out.push_back(Build.block(Parts, Switch->getSourceRange()));
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
    Before.push_back(Build.leavesUnless(Cond));
    if (!ownContinue(Do->getBody())) {
      Before.insert(Before.begin(), Inside);
      Out.push_back(new (Context) DoStmt(Build.block(Before, Do->getBody()->getSourceRange()), Build.boolean(true, Do->getCond()->getExprLoc()), Loc,
                                         Do->getWhileLoc(), Do->getRParenLoc()));
      return;
    }
    // `continue` goes on with the condition, which stands before the body from the second iteration on.
    addLoopAfterFirst(Loc, Do->getSourceRange(), Out, [&](Expr* Again, Expr* Increment) {
      Statements Body;
      Body.push_back(Build.ifElse(Again, Build.block(Before, Loc), nullptr, Loc));
      Body.push_back(Inside);
      return new (Context) ForStmt(Context, nullptr, nullptr, nullptr, Increment, Build.block(Body, Do->getBody()->getSourceRange()), Loc, Loc, Loc);
    });
  }

  // --- Returns: what stands behind a branch that ends with one goes into the other branch.

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
      Out.push_back(Build.block(Parts, S->getSourceRange()));
    } else if (isOnce(S, Context)) {
      addList(With(cast<DoStmt>(S)->getBody()), Out);
    } else if (auto* Attributed = dyn_cast<AttributedStmt>(S)) {
      addList(With(Attributed->getSubStmt()), Out);
    } else if (auto* If = dyn_cast<IfStmt>(S); If && !If->isConsteval() &&
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
    Out.push_back(Build.assigned(Result, Copy, Return->getBeginLoc()));
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
    return Value ? Build.inParentheses(Value, Call.getSourceRange()) : nullptr;
  }

  /// Of a member function of a variable that reads what is not public, where the device can have a copy of it.
  bool staysCall(CallExpr& Call) {
    const FunctionDecl* F = calledDefinition(Call);
    const auto* Method = dyn_cast<CXXMethodDecl>(F);
    auto* Member = dyn_cast<CXXMemberCallExpr>(&Call);
    if (!Method || !Member || Method->isStatic() || Member->getCallee()->IgnoreParens()->getStmtClass() != Stmt::MemberExprClass)
      return false;
    const auto* Named = cast<MemberExpr>(Member->getCallee()->IgnoreParens());
    return !Named->isArrow() && !isHostObject(Named->getBase()->IgnoreParenImpCasts()) &&
           (namesHiddenMembers(F) || !isPlaceOfObject(Named->getBase())) && isBeforeKernel(F) &&
           mayRunOnDevice(F, Sources, OnDevice);
  }

  /// A place, or one in the object of a member function, which has become a variable.
  static bool isPlaceOfObject(Expr* E) {
    const auto* Member = dyn_cast<MemberExpr>(plain(E));
    if (!Member || !isa<FieldDecl>(Member->getMemberDecl()))
      return isPlace(E);
    return isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts())
               ? MemberReferences::isNamed(*Member)
               : !Member->isArrow() && isPlaceOfObject(Member->getBase());
  }

  /// Whether the region's kernel, which stands before the function of the region or its class, can call the function.
  bool isBeforeKernel(const FunctionDecl* F) const {
    const FunctionDecl* Own = pattern(outermostFunction(Function));
    const Decl* Place = outermostClass(Own);
    const FunctionDecl* Other = pattern(F);
    const Decl* Class = outermostClass(Other);
    return (!Place || Place != Class) && Sources.isBeforeInTranslationUnit(Other->getLocation(), (Place ? Place : Own)->getLocation());
  }

  /// As a value of the type, since text has no implicit conversions.
  Expr* converted(Expr* E, QualType Type, SourceLocation Loc) {
    if (Context.hasSameUnqualifiedType(E->IgnoreParenImpCasts()->getType(), Type))
      return E;
    return Build.cast(Build.inParentheses(E, E->getSourceRange()), Type, Loc);
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
    const bool MayChangeMember = IsPlace && &Call != Read && !OfClauses &&
                                 !Type->getPointeeType().isConstQualified() &&
                                 isa<MemberExpr>(Returned->IgnoreParens());
    Frame Inside{F, nullptr, nullptr};
    Inside.OnlyReads = !MayChangeMember;
    if (!checkCall(F, Call) || !checkCaptures(F, Call) || !findObject(Call, F, Inside))
      return nullptr;
    Diags.addCall(F->getBody()->getSourceRange(), Call.getBeginLoc(), nameOf(F));
    for (unsigned I = 0; I != Passed.size(); ++I) {
      Expr* Value = copy(Passed[I]);
      if (!F->getParamDecl(I)->getType()->isReferenceType() || !Value->isGLValue())
        Value = Build.inParentheses(converted(Value, F->getParamDecl(I)->getType().getNonReferenceType(), Value->getExprLoc()), Value->getSourceRange());
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
    return Build.inParentheses(IsPlace ? Value : converted(Value, Type, Call.getBeginLoc()), Call.getSourceRange());
  }

  /// The argument that may stand for a parameter wherever that is read; null if none may.
  Expr* passedInPlace(QualType Type, Expr* Argument) {
    if (auto* Full = dyn_cast<ExprWithCleanups>(Argument))
      Argument = Full->getSubExpr();
    if (!isEffectFree(Argument, Sources))
      return nullptr;
    if (!Type->isReferenceType()) {
      // Nothing changes the copy, nor what it is one of.
      Expr* Copied = copiedPlace(Argument);
      return isSimpleValue(Type) ? Argument : Copied && Context.hasSameUnqualifiedType(plain(Copied)->getType(), Type) ? Copied : nullptr;
    }
    if (auto* Temporary = dyn_cast<MaterializeTemporaryExpr>(Argument->IgnoreParens()))
      return isSimpleValue(Type->getPointeeType()) ? Temporary->getSubExpr() : nullptr;
    return isPlace(Argument) && Context.hasSameUnqualifiedType(plain(Argument)->getType(), Type->getPointeeType()) ? Argument : nullptr;
  }

  /// The variable, or a member of one, that a parameter is a copy of byte by byte; null if the argument is something else.
  Expr* copiedPlace(Expr* Argument) {
    auto* Copy = dyn_cast<CXXConstructExpr>(Argument->IgnoreImplicit());
    const bool IsCopy = Copy && Copy->getConstructor()->isCopyConstructor() && Copy->getNumArgs() == 1 && isBytes(Copy->getType());
    return IsCopy && isPlace(Copy->getArg(0)) ? Copy->getArg(0) : nullptr;
  }

  /// A class whose objects are copied byte by byte, and may be variables without a value.
  bool isBytes(QualType Type) const {
    const auto* Class = Type->getAsCXXRecordDecl();
    return Class && Type.isTriviallyCopyableType(Context) && Class->hasDefinition() && !Class->isLambda() && Class->hasDefaultConstructor();
  }

  /// Of a class: as `dim3{a, b}` where the function has braces only.
  Expr* object(Expr* Value, QualType Type, CallExpr& Call) {
    auto* Construct = dyn_cast<CXXConstructExpr>(Value->IgnoreImplicit());
    bool InBraces = isa<InitListExpr>(Value->IgnoreImplicit()) || (Construct && Construct->isListInitialization() && !isa<CXXTemporaryObjectExpr>(Construct));
    if (!InBraces)
      return Build.inParentheses(Value, Call.getSourceRange());
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
    if (Wanted && !Type->isScalarType() && !isBytes(Type)) {
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
      Out.push_back(Build.declaration(Result, Call.getSourceRange()));
    }
    addList(llvm::SmallVector<Stmt*>(cast<CompoundStmt>(F->getBody())->body()), Body);
    VarDecl* Result = Frames.back().Result;
    Frames.pop_back();
    if (!Diags.hasErrors())
      substituteParameters(Parameters, Body, Call.getSourceRange(), Context, [this](Expr* E) { return copy(E); });
    Out.push_back(Build.block(Body, Call.getSourceRange()));
    LastExpanded = F;
    return Result ? Build.valueOf(Result, Call.getBeginLoc()) : nullptr;
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
    const auto* Method = dyn_cast<CXXMethodDecl>(F);
    const bool IsLocal = Method && Method->getParent()->isLocalClass(); // as a lambda is
    if (!IsLocal && !isBefore(F))
      return Wrong(Call.getBeginLoc(), Behind);
    if (const Expr* Error = Errors.readIn(F)) {
      fail(Error->getExprLoc(), F, ErrorFromBefore, spelled(Error));
      return false;
    }
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
      if (Capture.getCaptureKind() == LCK_ByCopy && isChangedAfterCopy(Captured, Lambda, Sources))
        return Wrong(CopiedCapture, Captured->getName());
    }
    // Also what needs no capture. Variables of the region have names of their own.
    if (Of == Function)
      for (const DeclRefExpr* Named : References(F->getBody()).All) {
        const auto* Local = dyn_cast<VarDecl>(Named->getDecl());
        if (Local && isOfRegion(Local->getParentFunctionOrMethod()) && !Variables.count(Local) && isHidden(Local, Loop, outermostFunction(Function)))
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
      return true;
    } else if (Named && !Named->getType()->isPointerType()) {
      Inside.Object = copy(Named);
      if (isPlace(Inside.Object))
        return true;
    }
    fail(Call.getBeginLoc(), F, OtherObject);
    return false;
  }

  /// `float* field[2]` as a parameter: another name of the array that is passed, as long as it leads there.
  static bool isArrayOfPointers(const ParmVarDecl& Parameter, const Expr& Argument) {
    const QualType Pointee = Parameter.getType()->getPointeeType();
    const VarDecl* Array = namedVariable(&Argument);
    return !Pointee.isNull() && Pointee->isPointerType() && Array && Array->getType()->isConstantArrayType() &&
           !VariableChanges(cast<FunctionDecl>(Parameter.getDeclContext())->getBody()).changes(&Parameter);
  }

  /// What the function launches by the parameter's name.
  static bool isKernelName(const ParmVarDecl& Parameter, const Expr& Argument) {
    const DeclRefExpr* Named = namedFunction(&Argument);
    return Named && isKernel(cast<FunctionDecl>(Named->getDecl())) &&
           (Parameter.getType().getNonReferenceType()->isFunctionType() ||
            !VariableChanges(cast<FunctionDecl>(Parameter.getDeclContext())->getBody()).changes(&Parameter));
  }

  /// The variable that a parameter becomes, null if it is another name of what is passed.
  VarDecl* pass(ParmVarDecl* Parameter, Expr* Argument, Statements& Body) {
    QualType Type = Parameter->getType();
    if (Type->isReferenceType()) {
      if ((isPlace(Argument) || pointerOf(plain(Argument))) && Argument->isLValue()) {
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
    if (isArrayOfPointers(*Parameter, *Argument) || isKernelName(*Parameter, *Argument)) {
      bind(Parameter, Argument);
      return nullptr;
    }
    if (!Parameter->getIdentifier() && !Argument->HasSideEffects(Context))
      return nullptr;
    VarDecl* V = newVariable(Parameter, Type, Argument);
    Body.push_back(Build.declaration(V, Parameter->getSourceRange()));
    return V;
  }

  // --- Copies of expressions.

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
    Hoisted->push_back(Build.declaration(V, Loc));
    return V;
  }

  /// Of `a && b`, where something comes before b: `bool both = a; if (both) { ...; both = b; }`.
  Expr* copyLogical(BinaryOperator* E) {
    if (isDecided(*E))
      return copy(E->getLHS());
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
    Before.push_back(Build.assigned(Both, Right, Loc));
    Expr* Goes = Build.valueOf(Both, Loc);
    if (!And)
      Goes = Build.negated(Goes, Loc);
    Hoisted->push_back(Build.ifElse(Goes, Build.block(Before, Loc), nullptr, Loc));
    return Build.valueOf(Both, Loc);
  }

  /// What a check for errors goes on with, as that of assert(call == cudaSuccess).
  static Expr* taken(const ConditionalOperator& Choice) {
    const std::optional<bool> Known = errorCheck(Choice.getCond());
    return !Known ? nullptr : *Known ? Choice.getTrueExpr() : Choice.getFalseExpr();
  }

  /// Without its value.
  Expr* discarded(Expr* E) const { return Build.cast(Build.inParentheses(E, E->getSourceRange()), Context.VoidTy, E->getExprLoc()); }

  /// The same of `a ? b : c`.
  Expr* copyChoice(ConditionalOperator* E) override {
    if (Expr* Taken = taken(*E)) {
      Expr* Cond = discarded(copyInPlace(E->getCond()));
      Expr* Both = BinaryOperator::Create(Context, Cond, copyInPlace(Taken), BO_Comma, E->getType(), E->getValueKind(), E->getObjectKind(),
                                          E->getQuestionLoc(), FPOptionsOverride());
      return Build.inParentheses(Both, E->getSourceRange());
    }
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
    First.push_back(Build.assigned(Chosen, True, Loc));
    Second.push_back(Build.assigned(Chosen, False, Loc));
    Hoisted->push_back(Build.ifElse(Cond, Build.block(First, Loc), Build.block(Second, Loc), Loc));
    return Build.valueOf(Chosen, Loc);
  }

  Expr* copyUnary(UnaryOperator* Unary) override {
    if (Unary->getOpcode() == UO_Deref) {
      if (Expr* Element = elementOf(Unary->getSubExpr()))
        return Element;
      if (Expr* Total = addedUp(*Unary))
        return Total;
    }
    return ExpressionCopier::copyUnary(Unary);
  }

  /// What the iterator of a loop over a range leads to; null for other expressions.
  Expr* elementOf(const Expr* Iterator) {
    const VarDecl* V = namedVariable(Iterator);
    auto It = V ? ElementOf.find(V) : ElementOf.end();
    return It == ElementOf.end() ? nullptr : copy(It->second);
  }

  Expr* copyBinary(BinaryOperator* Binary) override {
    if (Binary->isLogicalOp())
      return copyLogical(Binary);
    if (Binary->isCommaOp() && Hoisted && hasWork(Binary)) {
      addExpression(Binary->getLHS(), *Hoisted);
      return copy(Binary->getRHS());
    }
    return ExpressionCopier::copyBinary(Binary);
  }

  Expr* copyReference(DeclRefExpr* Ref) override {
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

  Expr* copyMember(MemberExpr* Member) override {
    const bool IsRead = Member == Read;
    Expr* Base = Member->getBase()->IgnoreParenImpCasts();
    if (auto* This = dyn_cast<CXXThisExpr>(Base); This && isa<FieldDecl>(Member->getMemberDecl())) {
      const Frame& Own = Frames.back();
      auto* Field = cast<FieldDecl>(Member->getMemberDecl());
      const auto* Class = dyn_cast<CXXRecordDecl>(Field->getParent());
      if (Own.Object) {
        const std::optional<ObjectCall> Part = objectPart(plain(Own.Object), Field);
        if (Expr* Value = Part ? memberValue(*Part, copy(Own.Object), IsRead || Own.OnlyReads, Member->getBeginLoc())
                               : nullptr)
          return Value;
        if (!isPublic(Field) ||
            !isNamedIn(plain(Own.Object)->getType()->getAsCXXRecordDecl(), Class, Field))
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
    Expr* Copy = copyPlainMember(Member);
    if (IsRead || OfClauses)
      return Copy;
    const std::optional<ObjectCall> OfObject = objectMember(Copy);
    Expr* Pointer = OfObject ? memberValue(*OfObject, OfObject->Object, IsRead, Member->getBeginLoc())
                             : nullptr;
    return Pointer ? Pointer : Copy;
  }

  /// Whether `this->member` in the region's function means a member that a function of a base class names.
  bool isNamedSo(const CXXRecordDecl* Class, const FieldDecl* Field) const {
    const auto* Own = dyn_cast_or_null<CXXMethodDecl>(outermostFunction(Function));
    if (!Own || !Class || Own->getParent()->getCanonicalDecl() == Class->getCanonicalDecl())
      return true;
    return Field->getAccess() != AS_private && isNamedIn(Own->getParent(), Class, Field);
  }

  /// Whether an object of the derived class has the member by its name only.
  static bool isNamedIn(const CXXRecordDecl* Derived, const CXXRecordDecl* Class,
                        const FieldDecl* Field) {
    Derived = Derived ? Derived->getDefinition() : nullptr;
    if (!Derived || !Class || Derived->getCanonicalDecl() == Class->getCanonicalDecl())
      return true;
    // But for `using Base::member;`.
    const auto HasOther = [Field](const CXXRecordDecl& In) {
      return llvm::any_of(In.lookup(Field->getDeclName()), [&](const NamedDecl* D) {
        return !isa<UsingDecl>(D) && D->getUnderlyingDecl() != Field;
      });
    };
    CXXBasePaths Paths(/*FindAmbiguities=*/true, /*RecordPaths=*/true, /*DetectVirtual=*/false);
    bool Hides = Derived->lookupInBases(
        [&](const CXXBaseSpecifier* Base, CXXBasePath&) {
          const CXXRecordDecl* Between = Base->getType()->getAsCXXRecordDecl();
          return Between && Between->getCanonicalDecl() != Class->getCanonicalDecl() &&
                 HasOther(*Between);
        },
        Paths);
    return !Hides && !HasOther(*Derived);
  }

  /// std::forward<A>(a) and std::move(a), which are other names of what is copied byte by byte, and of functions.
  bool isOtherName(const CallExpr& Call) const {
    const FunctionDecl* Callee = Call.getDirectCallee();
    if (!Callee || !Callee->isInStdNamespace() || Call.getNumArgs() != 1 || !llvm::is_contained({"forward", "move", "as_const"}, identifierOf(Callee)))
      return false;
    const QualType Type = Call.getArg(0)->getType();
    return Type->isFunctionType() || Type.isTriviallyCopyableType(Context);
  }

  Expr* copyCall(CallExpr* Call) override {
    if (isOtherName(*Call))
      return copy(Call->getArg(0));
    if (Expr* Value = objectCall(Call) && !folded(*Call) ? objectValue(*Call) : nullptr)
      return Value;
    if (Expr* Total = addedUp(*Call))
      return Call->isGLValue() ? Total : Build.valueOf(Total);
    if (auto* Operator = dyn_cast<CXXOperatorCallExpr>(Call); Operator && Operator->getOperator() == OO_Star && Operator->getNumArgs() == 1)
      if (Expr* Element = elementOf(Operator->getArg(0)))
        return Element;
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
    if (auto* Operator = dyn_cast<CXXOperatorCallExpr>(Call)) {
      const auto* Assigns = dyn_cast_or_null<CXXMethodDecl>(Operator->getDirectCallee());
      // What is assigned byte by byte is computed before.
      const bool IsTrivial = Assigns && Operator->isAssignmentOp() && Assigns->isTrivial() && isPlace(Operator->getArg(0));
      llvm::SaveAndRestore Before(Hoisted, IsTrivial ? Hoisted : nowhere());
      CallExpr* Copy = copyPlainCall(Call);
      checkOverload(*Call, Copy->getArg(0)->getType());
      return Copy;
    }
    CallExpr* Copy = copyPlainCall(Call);
    if (const auto* Member = dyn_cast<MemberExpr>(Copy->getCallee()->IgnoreParens()); Member && !Member->isArrow())
      checkOverload(*Call, Member->getBase()->IgnoreImpCasts()->getType());
    return Copy;
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

  WhileStmt* Loop;
  const FunctionDecl* Function;
  MemberReferences& Members;
  const ErrorsBefore& Errors;
  const SourceManager& Sources;
  Diagnostics& Diags;
  NodeBuilder Build;
  RegionObjects Objects;
  /// The place whose value is read, rather than changed or passed by reference.
  const Expr* Read = nullptr;
  llvm::SmallVector<Frame, 4> Frames;
  /// What variables of the region and of functions have become.
  llvm::DenseMap<const VarDecl*, VarDecl*> Variables;
  llvm::DenseMap<const VarDecl*, Expr*> Bound;
  UnusedNames Names;
  llvm::DenseMap<const FunctionDecl*, bool> Launching;
  /// By the iterators of loops over ranges.
  llvm::DenseMap<const VarDecl*, Expr*> ElementOf;
  llvm::SmallSetVector<const FunctionDecl*, 8> OnDevice;
  /// Variables that hold what calls have returned, and the function of the last of these.
  llvm::DenseSet<const VarDecl*> Results;
  const FunctionDecl* LastExpanded = nullptr;
  bool OfClauses = false, ClauseFailed = false, InStatement = false, HasSuggestedHost = false;
  /// Variables that copies declare.
  llvm::DenseSet<const VarDecl*> Declared;
  /// Of vectors among them, what these have as many elements as.
  llvm::DenseMap<const VarDecl*, VarDecl*> Sizes;
};

} // namespace

ExpandedCalls expandCalls(WhileStmt* Loop, const Directive& Origin, const FunctionDecl* Function,
                          MemberReferences& Members, const ErrorsBefore& Errors,
                          ASTContext& Context, Diagnostics& Diags) {
  return Expander(Loop, Function, Members, Errors, Context, Diags).run(Origin);
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
