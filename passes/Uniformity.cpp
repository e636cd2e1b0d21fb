// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Uniformity.h"
#include "frontend/Directives.h"
#include "frontend/DynamicRecursiveASTVisitor.h"
#include "passes/ControlDependence.h"
#include "passes/DeviceFunctions.h"
#include "passes/ImplicitCalls.h"
#include "passes/Lvalues.h"
#include "passes/VariableChanges.h"
#include "passes/VariableUses.h"
#include "passes/WindowMemory.h"

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Analysis/Analyses/PostOrderCFGView.h"
#include "clang/Analysis/AnalysisDeclContext.h"
#include "clang/Analysis/CFG.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringSwitch.h"

#include <deque>
#include <map>
#include <set>

using namespace clang;

namespace gpurma {
namespace {

//===--- Values
//-----------------------------------------------------------------------------------------------------===//

const Value *findField(const Value &V, const FieldDecl *Field) {
  for (const FieldValue &F : V.Fields)
    if (F.Field == Field)
      return &F.V;
  return nullptr;
}

Value rest(const Value &V) { return {V.Level, V.Why, V.Points, {}}; }

Value field(const Value &V, const FieldDecl *Field) {
  if (Field->getParent()->isUnion())
    return V.whole(); // whichever has been written
  if (const Value *F = findField(V, Field))
    return *F;
  return rest(V);
}

Value::Memory join(Value::Memory A, Value::Memory B) {
  if (A == B || B == Value::Memory::None)
    return A;
  return A == Value::Memory::None ? B : Value::Memory::Any;
}

Value join(const Value &A, const Value &B) {
  Value R = B.Level > A.Level ? rest(B) : rest(A);
  R.Points = join(A.Points, B.Points);
  for (const FieldValue &F : A.Fields)
    R.Fields.push_back({F.Field, join(F.V, field(B, F.Field))});
  for (const FieldValue &F : B.Fields)
    if (!findField(A, F.Field))
      R.Fields.push_back({F.Field, join(rest(A), F.V)});
  return R;
}

/// Raises every part of \p V to at least the level of \p By.
Value raise(Value V, const Value &By) {
  if (By.Level > V.Level) {
    V.Level = By.Level;
    V.Why = By.Why;
  }
  for (FieldValue &F : V.Fields)
    F.V = raise(F.V, By);
  return V;
}

/// Equal as far as the lattice goes: the reasons may differ.
bool sameLevels(const Value &A, const Value &B) {
  if (A.Level != B.Level || A.Points != B.Points || A.Fields.size() != B.Fields.size())
    return false;
  for (const FieldValue &F : A.Fields) {
    const Value *Other = findField(B, F.Field);
    if (!Other || !sameLevels(F.V, *Other))
      return false;
  }
  return true;
}

void setField(Value &Object, const FieldDecl *Field, const Value &V) {
  if (Field->getParent()->isUnion()) {
    Object = V.whole();
    return;
  }
  bool Found = false;
  for (FieldValue &F : Object.Fields)
    if (F.Field == Field) {
      F.V = V;
      Found = true;
    }
  if (!Found)
    Object.Fields.push_back({Field, V});
}

/// The variables of a function by declaration; the object of a member function under the null
/// declaration.
using State = std::map<const Decl *, Value>;

bool joinInto(State &Into, const State &From) {
  bool Changed = false;
  for (const auto &[D, V] : From) {
    auto [It, New] = Into.try_emplace(D, V);
    if (New) {
      Changed = true;
      continue;
    }
    Value Joined = join(It->second, V);
    if (!sameLevels(Joined, It->second)) {
      It->second = std::move(Joined);
      Changed = true;
    }
  }
  return Changed;
}

//===--- Names that mean something
//----------------------------------------------------------------------------------===//

/// Functions without a visible body whose result differs between the threads of a block.
bool isDivergentFunction(StringRef Name) {
  for (StringRef Prefix :
       {"atomic", "__shfl", "__ballot", "__match_", "__reduce_", "__nvvm_read_ptx_sreg_tid",
        "__nvvm_read_ptx_sreg_lane", "__nvvm_read_ptx_sreg_warp", "__nvvm_read_ptx_sreg_clock",
        "__nvvm_shfl", "__nvvm_vote", "__nvvm_atom", "curand", "fetch_", "compare_exchange_",
        "shfl"})
    if (Name.starts_with(Prefix))
      return true;
  return llvm::StringSwitch<bool>(Name)
      .Cases("clock", "clock64", "__clock", "__clock64", "globaltimer", "__globaltimer", true)
      .Cases("__any_sync", "__all_sync", "__any", "__all", "__activemask", "__lanemask_lt",
             "__lane_id", "__laneid", true)
      .Cases("thread_rank", "thread_index", "meta_group_rank", "ballot", "exchange", "clock_ns",
             "malloc", "coalesced_threads", true)
      .Default(false);
}

bool isUniformFunction(StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases("__syncthreads_and", "__syncthreads_or", "__syncthreads_count", true)
      .Default(false);
}

bool isThreadIndex(const VarDecl *V) {
  return !V->hasLocalStorage() && V->getIdentifier() && V->getName() == "threadIdx";
}

bool isUniformBuiltinVariable(StringRef Name) {
  return Name == "blockIdx" || Name == "blockDim" || Name == "gridDim" || Name == "warpSize";
}

//===--- What functions write
//-----------------------------------------------------------------------------------------===//

using PointerSources = llvm::DenseMap<const ValueDecl *, llvm::SmallVector<const Expr *, 2>>;

/// What a body changes of variables and of its object, elements of arrays among it, itself and through references and addresses.
class ChangedWholes : public DynamicRecursiveASTVisitor {
public:
  explicit ChangedWholes(const Stmt *Body) {
    ChangeFinder Find;
    Find.TraverseStmt(const_cast<Stmt *>(Body));
    for (const auto &[V, Field] : Find.Members)
      Variables.insert(V);
    This = !Find.OfObject.empty();
    TraverseStmt(const_cast<Stmt *>(Body));
  }
  llvm::DenseSet<const VarDecl *> Variables;
  bool This = false;

  bool VisitBinaryOperator(BinaryOperator *E) override {
    if (E->isAssignmentOp())
      note(E->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *E) override {
    if (E->isIncrementDecrementOp() || E->getOpcode() == UO_AddrOf)
      note(E->getSubExpr());
    return true;
  }
  bool VisitCallExpr(CallExpr *E) override {
    const FunctionDecl *Callee = E->getDirectCallee();
    const unsigned First = isa<CXXOperatorCallExpr>(E) && isa_and_nonnull<CXXMethodDecl>(Callee) ? 1 : 0;
    for (unsigned I = First; I < E->getNumArgs(); ++I) {
      const Expr *Arg = E->getArg(I);
      const bool IsKnown = Callee && I - First < Callee->getNumParams();
      const QualType T = IsKnown ? Callee->getParamDecl(I - First)->getType() : Arg->getType();
      const bool Leads = T->isReferenceType() || T->isPointerType() || (!IsKnown && Arg->isGLValue());
      if (Leads && !(IsKnown && T->getPointeeType().isConstQualified()))
        note(Arg);
    }
    return true;
  }

private:
  void note(const Expr *E) {
    while (true) {
      E = E->IgnoreParenCasts();
      if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E);
          Subscript && Subscript->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
        E = Subscript->getBase();
      else if (const auto *Member = dyn_cast<MemberExpr>(E); Member && (!Member->isArrow() || isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts())))
        E = Member->getBase();
      else
        break;
    }
    This |= isa<CXXThisExpr>(E);
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
      if (const auto *V = dyn_cast<VarDecl>(Ref->getDecl()); V && !V->getType()->isPointerType())
        Variables.insert(V);
  }
};

/// Local variables whose address is kept, so that they can change behind the analysis' back, and what
/// local pointers point into.
class EscapeFinder : public DynamicRecursiveASTVisitor {
public:
  llvm::DenseSet<const VarDecl *> Escaped;
  /// The same of the object that a member function is called for.
  bool EscapedThis = false;
  /// The range of each loop over an array or a list, by its variable: the loop reads it through a
  /// pointer.
  llvm::DenseMap<const VarDecl *, const Expr *> Ranges;
  /// What each local pointer is set to.
  PointerSources Pointers;

  bool VisitCXXForRangeStmt(CXXForRangeStmt *S) override {
    const auto *Class = S->getRangeInit()->getType()->getAsCXXRecordDecl();
    if (S->getRangeInit()->getType()->isArrayType() ||
        (Class && Class->isInStdNamespace() && Class->getIdentifier() &&
         (Class->getName() == "initializer_list" || Class->getName() == "array")))
      Ranges[S->getLoopVariable()] = S->getRangeInit();
    return true;
  }
  bool VisitCallExpr(CallExpr *E) override {
    const bool MayKeep = keepsAddresses(E->getDirectCallee());
    for (Expr *Arg : E->arguments()) {
      if (MayKeep && Arg->getType()->isPointerType() &&
          !Arg->getType()->getPointeeType().isConstQualified())
        continue;
      Harmless.insert(Arg->IgnoreParenImpCasts());
      Harmless.insert(Arg->IgnoreUnlessSpelledInSource());
    }
    return true;
  }
  /// Whether what a function of the program is passed may be behind a pointer after it: it returns
  /// one, or has an object with some.
  static bool keepsAddresses(const FunctionDecl* Callee) {
    if (!Callee || !Callee->hasBody() ||
        Callee->getASTContext().getSourceManager().isInSystemHeader(Callee->getLocation()))
      return false;
    const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
    return Callee->getReturnType()->isPointerType() ||
           (Method && !Method->isStatic() && !Method->isConst() &&
            !Method->getParent()->isLambda() &&
            llvm::any_of(Method->getParent()->fields(),
                         [](const FieldDecl* F) { return F->getType()->isPointerType(); }));
  }
  bool VisitVarDecl(VarDecl *V) override {
    if (V->getInit() && V->getType()->isPointerType())
      Pointers[V].push_back(V->getInit());
    if (V->getInit())
      if (const auto *Lambda = dyn_cast<LambdaExpr>(V->getInit()->IgnoreUnlessSpelledInSource()))
        Harmless.insert(Lambda);
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *E) override {
    if (E->getOpcode() == BO_Assign && E->getType()->isPointerType())
      if (const auto *Ref = dyn_cast<DeclRefExpr>(E->getLHS()->IgnoreParens()))
        Pointers[Ref->getDecl()].push_back(E->getRHS());
    return true;
  }
  /// A lambda that is neither called nor passed on here may be called anywhere.
  bool VisitLambdaExpr(LambdaExpr *E) override {
    for (const Expr *Init : E->capture_inits())
      if (Init)
        FollowedThis.insert(Init->IgnoreParenImpCasts());
    for (const LambdaCapture &C : E->captures()) {
      EscapedThis |= C.capturesThis() && E->getBody() && ChangedWholes(E->getBody()).This;
      if (const auto *V = C.capturesVariable() ? dyn_cast<VarDecl>(C.getCapturedVar()) : nullptr; V && V->isInitCapture() && V->getInit())
        noteKept(V->getType(), V->getInit());
    }
    if (!Harmless.contains(E))
      for (const LambdaCapture &C : E->captures())
        if (C.capturesVariable() && C.getCaptureKind() == LCK_ByRef)
          if (const auto *V = dyn_cast<VarDecl>(C.getCapturedVar()); V && V->hasLocalStorage())
            Escaped.insert(V);
    return true;
  }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr *E) override {
    const Expr *Base = E->getBase()->IgnoreParenImpCasts();
    const auto *Address = dyn_cast<UnaryOperator>(Base);
    if (!Address || Address->getOpcode() != UO_AddrOf) // (&v.x)[1] is another member
      Harmless.insert(Base);
    return true;
  }
  /// As it is understood, with the conversions of what it lists.
  bool TraverseInitListExpr(InitListExpr *E) override {
    const InitListExpr *List = understoodForm(E);
    if (const RecordDecl *Record = List->getType()->getAsRecordDecl(); Record && !Record->isUnion())
      forEachInitializer(*Record, List->inits(), [&](const FieldDecl *Field, const Expr *Init) { noteKept(Field->getType(), Init); });
    return llvm::all_of(List->inits(), [&](const Expr *Each) { return TraverseStmt(const_cast<Expr *>(Each)); });
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) override {
    const CXXConstructorDecl *Constructor = E->getConstructor();
    const CXXRecordDecl *Class = Constructor->getParent();
    const bool Keeps = Class->hasDefinition() && llvm::any_of(Class->fields(), [](const FieldDecl *Each) { return Each->getType()->isReferenceType(); });
    for (unsigned I = 0; Keeps && I != std::min(E->getNumArgs(), Constructor->getNumParams()); ++I)
      noteKept(Constructor->getParamDecl(I)->getType(), E->getArg(I));
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *E) override {
    if (E->getOpcode() == UO_Deref)
      FollowedThis.insert(E->getSubExpr()->IgnoreParenImpCasts());
    if (E->getOpcode() == UO_AddrOf && !Harmless.contains(E))
      note(E->getSubExpr());
    return true;
  }
  bool VisitMemberExpr(MemberExpr *E) override {
    FollowedThis.insert(E->getBase()->IgnoreParenImpCasts());
    return true;
  }
  bool VisitCXXThisExpr(CXXThisExpr *E) override {
    EscapedThis |= !FollowedThis.contains(E);
    return true;
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr *E) override {
    if (E->getCastKind() == CK_ArrayToPointerDecay && !isRange(E->getSubExpr()) &&
        !Harmless.contains(E->getSubExpr()->IgnoreParenImpCasts()))
      note(E->getSubExpr());
    return true;
  }

private:
  /// Something is a reference to what is given.
  void noteKept(QualType T, const Expr *To) {
    if (T->isReferenceType() && !T->getPointeeType().isConstQualified())
      note(To);
  }
  /// The variable __range of a range-based for.
  static bool isRange(const Expr *E) {
    const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
    return Ref && Ref->getDecl()->isImplicit();
  }
  void note(const Expr *E) {
    // A part stands for the whole.
    for (const Expr *Whole = E; Whole;) {
      E = Whole->IgnoreParenImpCasts();
      const auto *Member = dyn_cast<MemberExpr>(E);
      const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E);
      Whole = Member && !Member->isArrow() ? Member->getBase()
              : Subscript && Subscript->getBase()->IgnoreParenImpCasts()->getType()->isArrayType()
                  ? Subscript->getBase()
                  : nullptr;
    }
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
      if (const auto *V = dyn_cast<VarDecl>(Ref->getDecl()); V && V->hasLocalStorage())
        Escaped.insert(V);
    if (const auto *Member = dyn_cast<MemberExpr>(E))
      EscapedThis |= isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts());
  }
  llvm::DenseSet<const Expr *> Harmless, FollowedThis;
};

const FunctionDecl *definitionOf(const FunctionDecl *F) {
  const FunctionDecl *Definition = nullptr;
  return F && F->hasBody(Definition) && !Definition->isDependentContext() ? Definition : nullptr;
}

/// What one analysis of a function in one context yields.
struct Summary {
  Value Result;
  Value This;
  std::vector<Value> Params;   ///< contents of reference parameters at the end
  std::vector<Value> Pointees; ///< what was stored through pointer parameters
  State Captures;              ///< captured variables at the end
};

/// The levels that a function starts with.
struct Entry {
  std::vector<Value> Args;
  Value This;
  State Captures;
};

void encode(const Value &V, std::string &Key) {
  Key += static_cast<char>('a' + static_cast<int>(V.Level) * 4 + static_cast<int>(V.Points));
  for (const FieldValue &F : V.Fields) {
    Key += '.';
    Key += std::to_string(F.Field->getFieldIndex());
    encode(F.V, Key);
  }
  Key += ';';
}

std::string encode(const Entry &E) {
  std::string Key;
  for (const Value &V : E.Args)
    encode(V, Key);
  Key += '|';
  encode(E.This, Key);
  for (const auto &[D, V] : E.Captures)
    encode(V, Key);
  return Key;
}

constexpr unsigned MaxCallDepth = 32;

} // namespace

UniformityClient::~UniformityClient() = default;

Value Value::whole() const {
  Value R = rest(*this);
  for (const FieldValue &F : Fields)
    R = join(R, F.V.whole());
  return R;
}

//===--- The analysis
//-----------------------------------------------------------------------------------------------===//

class UniformityAnalysis::Implementation {
public:
  Implementation(ASTContext &Context, UniformityClient &Client)
      : Context(Context), Client(Client), Graphs(Context) {
    addImplicitCalls(Graphs.getCFGBuildOptions());
  }

  struct FunctionInfo {
    const CFG *Graph = nullptr;
    std::vector<const CFGBlock *> Order; ///< reverse post-order
    std::vector<std::vector<unsigned>> Controls;
    llvm::DenseSet<const VarDecl *> Escaped;
    bool EscapedThis = false;
    llvm::DenseMap<const VarDecl *, const Expr *> Ranges;
    PointerSources Pointers;
  };

  const FunctionInfo &info(const FunctionDecl *F) {
    auto [It, New] = Infos.try_emplace(F);
    if (!New)
      return *It->second;
    It->second = std::make_unique<FunctionInfo>();
    FunctionInfo &Info = *It->second;
    const CFG *Graph = Graphs.getContext(F)->getCFG();
    if (!Graph)
      return Info;
    Info.Graph = Graph;
    PostOrderCFGView Order(Graph);
    Info.Order.assign(Order.begin(), Order.end());
    Info.Controls = controlDependencies(*Graph);
    EscapeFinder Finder;
    Finder.TraverseStmt(F->getBody());
    Info.Escaped = std::move(Finder.Escaped);
    Info.EscapedThis = Finder.EscapedThis;
    Info.Ranges = std::move(Finder.Ranges);
    Info.Pointers = std::move(Finder.Pointers);
    return Info;
  }

  bool containsDirective(const FunctionDecl *F) {
    F = definitionOf(F);
    if (!F || isFromLibrary(F))
      return false;
    auto [It, New] = Contains.try_emplace(F, false); // false also cuts recursion
    if (!New)
      return It->second;
    struct Finder : ImplicitCalls {
      Implementation &Self;
      bool Found = false;
      explicit Finder(Implementation &Self) : Self(Self) {}
      bool VisitCallExpr(CallExpr *E) override {
        Found |= Self.Client.isDirective(E);
        if (const FunctionDecl* Callee = E->getDirectCallee(); Callee && Self.isFromLibrary(Callee))
          for (const FunctionDecl* Called : callbacks(passedTo(E).Args))
            Found |= Self.containsDirective(Called);
        return calls(E->getDirectCallee());
      }
      bool calls(const FunctionDecl* Callee) override {
        Found |= Self.containsDirective(Callee);
        return !Found;
      }
    } Find(*this);
    Find.traverseFunction(*F);
    return Contains[F] = Find.Found;
  }

  /// Functions of system headers and of gpurma itself are known by name and by a rule, not by their
  /// bodies.
  bool isFromLibrary(const FunctionDecl *F) const {
    return Context.getSourceManager().isInSystemHeader(F->getLocation()) || isInNamespaceGpurma(F);
  }

  const Cause *cause(Cause::Kind K, SourceRange Range, std::string Name, const Cause *From,
                     const Stmt *Branch = nullptr) {
    // Iterations of the fixed point ask for the same cause again.
    for (auto [It, End] = CausesAt.equal_range(Range.getBegin().getRawEncoding()); It != End; ++It)
      if (It->second->K == K && It->second->From == From && It->second->Name == Name &&
          It->second->Branch == Branch)
        return It->second;
    Causes.push_back({K, Range, std::move(Name), Branch, From});
    CausesAt.emplace(Range.getBegin().getRawEncoding(), &Causes.back());
    return &Causes.back();
  }

  /// What a body may change.
  const ChangedWholes &changesIn(const FunctionDecl *Body) {
    return Changes.try_emplace(Body, Body->getBody()).first->second;
  }

  class FunctionRun;
  const Summary &run(const FunctionDecl *F, const Entry &In, bool Report);

  ASTContext &Context;
  UniformityClient &Client;
  AnalysisDeclContextManager Graphs;
  llvm::DenseMap<const FunctionDecl *, std::unique_ptr<FunctionInfo>> Infos;
  llvm::DenseMap<const FunctionDecl *, bool> Contains;
  std::map<const FunctionDecl *, ChangedWholes> Changes;
  llvm::DenseSet<const FunctionDecl *> Reported;
  std::map<std::pair<const FunctionDecl *, std::string>, Summary> Done;
  std::set<std::pair<const FunctionDecl *, std::string>> DoneReporting;
  llvm::DenseSet<const FunctionDecl *> Active;
  /// The values that lambdas captured when they were created.
  State Captured;
  /// By the classes of lambdas, the objects that these call `this`.
  llvm::DenseMap<const CXXRecordDecl *, Value> CapturedThis;
  std::deque<Cause> Causes;
  std::multimap<unsigned, const Cause *> CausesAt;
  unsigned Depth = 0;
};

/// The fixed point over one function in one context.
class UniformityAnalysis::Implementation::FunctionRun {
public:
  FunctionRun(Implementation &A, const FunctionDecl *F, const Entry &In)
      : A(A), F(F), Info(A.info(F)) {
    Result.Params.resize(F->getNumParams());
    Result.Pointees.resize(F->getNumParams());
    for (const auto &[D, V] : In.Captures)
      Start[D] = V;
    Start[nullptr] = In.This;
    for (unsigned I = 0; I != F->getNumParams(); ++I) {
      const ParmVarDecl *P = F->getParamDecl(I);
      Value V = I < In.Args.size() ? In.Args[I] : Value();
      if (P->getType()->isPointerType())
        V.Points =
            P->getType().isRestrictQualified() && P->getType()->getPointeeType().isConstQualified()
                ? Value::Memory::ReadOnly
                : join(V.Points, I < In.Args.size() ? Value::Memory::None : Value::Memory::Any);
      Start[P] = std::move(V);
    }
  }

  Summary solve(bool Report) {
    if (!Info.Graph)
      return Result;
    Out.resize(Info.Graph->getNumBlockIDs());
    Conditions.resize(Out.size());
    Order = Info.Order;
    while (pass())
      ;
    if (Report) {
      // The fixed point does not depend on the order; Clang numbers blocks from the end of the
      // text.
      Order = Info.Order;
      llvm::sort(Order, [](const CFGBlock *A, const CFGBlock *B) {
        return A->getBlockID() > B->getBlockID();
      });
      Reporting = true;
      pass();
    }
    const State &AtExit = Out[Info.Graph->getExit().getBlockID()];
    for (const auto &[D, V] : AtExit) {
      if (!D)
        Result.This = V;
      else if (Start.count(D) && !(isa<ParmVarDecl>(D) && D->getDeclContext() == F))
        Result.Captures[D] = V;
    }
    for (unsigned I = 0; I != F->getNumParams(); ++I)
      if (auto It = AtExit.find(F->getParamDecl(I)); It != AtExit.end())
        Result.Params[I] = It->second;
    return Result;
  }

private:
  /// One round over all blocks; whether anything changed.
  bool pass() {
    bool Changed = false;
    for (const CFGBlock *B : Order) {
      unsigned Id = B->getBlockID();
      Control = Value();
      for (unsigned D : Info.Controls[Id])
        Control = join(Control, Conditions[D]);
      Now = B == &Info.Graph->getEntry() ? Start : State();
      for (const CFGBlock *P : B->preds())
        if (P)
          joinInto(Now, Out[P->getBlockID()]);
      for (const CFGElement &E : *B)
        visit(E);
      if (const auto *Condition = dyn_cast_or_null<Expr>(B->getTerminatorCondition());
          Condition && B->succ_size() > 1) {
        Value V = eval(Condition).whole();
        V.Points = Value::Memory::None;
        if (V.Level != Uniformity::Uniform)
          V.Why = A.cause(Cause::Kind::Condition, Condition->getSourceRange(), "", V.Why,
                          B->getTerminatorStmt());
        if (V.Level > Conditions[Id].Level) {
          Conditions[Id] = V;
          Changed = true;
        }
      }
      Changed |= joinInto(Out[Id], Now);
    }
    return Changed;
  }

  void visit(const CFGElement &Element) {
    if (auto Init = Element.getAs<CFGInitializer>()) {
      const CXXCtorInitializer *I = Init->getInitializer();
      if (I->getAnyMember() && I->getInit())
        setField(Now[nullptr], I->getAnyMember(),
                 named(I->getAnyMember()->getName(), I->getSourceLocation(), eval(I->getInit())));
      else if (I->getInit())
        Now[nullptr] = join(Now[nullptr], eval(I->getInit()).whole());
      return;
    }
    if (auto Destructor = Element.getAs<CFGImplicitDtor>())
      return destroy(*Destructor);
    auto Statement = Element.getAs<CFGStmt>();
    if (!Statement)
      return;
    const Stmt *S = Statement->getStmt();
    if (const auto *E = dyn_cast<Expr>(S)) {
      Values[E] = compute(E);
    } else if (const auto *D = dyn_cast<DeclStmt>(S)) {
      for (const Decl *Each : D->decls())
        if (const auto *V = dyn_cast<VarDecl>(Each); V && V->hasLocalStorage()) {
          const Expr *Range = Info.Ranges.lookup(V);
          Value Init = Range          ? contents(Range).whole()
                       : V->getInit() ? eval(V->getInit())
                                      : Value();
          Now[V] = V->getInit() ? named(V->getName(), V->getLocation(), Init) : Value();
        }
    } else if (const auto *R = dyn_cast<ReturnStmt>(S)) {
      Value V = R->getRetValue() ? eval(R->getRetValue()) : Value();
      Result.Result = join(Result.Result, raise(V, Control));
    } else if (const auto *Asm = dyn_cast<AsmStmt>(S)) {
      visitAsm(Asm);
    }
  }

  /// A destructor that is called where no text says so.
  void destroy(const CFGImplicitDtor& Element) {
    SourceLocation Loc = F->getLocation();
    Value Self;
    if (auto Variable = Element.getAs<CFGAutomaticObjDtor>()) {
      Loc = Variable->getVarDecl()->getLocation();
      Self = variable(Variable->getVarDecl(), Loc);
    } else if (auto Temporary = Element.getAs<CFGTemporaryDtor>()) {
      const CXXBindTemporaryExpr* Bind = Temporary->getBindTemporaryExpr();
      Loc = Bind->getExprLoc();
      Self = eval(Bind);
    } else if (auto Delete = Element.getAs<CFGDeleteDtor>()) {
      Loc = Delete->getDeleteExpr()->getExprLoc();
      Self = load(eval(Delete->getDeleteExpr()->getArgument()), Delete->getDeleteExpr());
    } else if (auto Member = Element.getAs<CFGMemberDtor>()) {
      Self = field(Now[nullptr], Member->getFieldDecl());
    } else {
      Self = Now[nullptr];
    }
    const FunctionDecl* Body = definitionOf(destructorOf(Element, A.Context));
    if (!Body || !A.containsDirective(Body) || A.Active.contains(Body) || A.Depth >= MaxCallDepth)
      return;
    Entry In;
    In.This = Self;
    if (Reporting)
      A.Client.call(Loc, Body, Control);
    A.run(Body, In, Reporting);
  }

  void visitAsm(const AsmStmt *S) {
    std::string Text = S->generateAsmString(A.Context);
    bool Divergent = false;
    for (StringRef Register : {"%tid", "%laneid", "%lanemask", "%warpid", "%clock", "%globaltimer",
                               "atom.", "shfl.", "activemask"})
      Divergent |= StringRef(Text).contains(Register);
    Value V;
    V.Level = Divergent ? Uniformity::Divergent : Uniformity::Unknown;
    V.Why = A.cause(Divergent ? Cause::Kind::Source : Cause::Kind::Opaque, S->getBeginLoc(), "asm",
                    nullptr);
    const auto *Gcc = dyn_cast<GCCAsmStmt>(S);
    for (unsigned I = 0; Gcc && I != Gcc->getNumOutputs(); ++I)
      assign(Gcc->getOutputExpr(I), V, Gcc->getBeginLoc());
  }

  //===--- Expressions
  //----------------------------------------------------------------------------------------------===//

  /// The value of a prvalue, or the contents of what a glvalue designates.
  Value eval(const Expr *E) {
    auto It = Values.find(E);
    return It != Values.end() ? It->second : compute(E);
  }

  Value compute(const Expr *E) {
    Value V = computeAny(E);
    if (E->getType()->isArithmeticType() || E->getType()->isEnumeralType())
      V.Points = Value::Memory::None;
    return V;
  }

  Value computeAny(const Expr *E) {
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
      return variable(Ref->getDecl(), Ref->getLocation());
    if (const auto *Member = dyn_cast<MemberExpr>(E))
      return computeMember(Member);
    if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E))
      return computeSubscript(Subscript);
    if (const auto *Cast = dyn_cast<CastExpr>(E))
      return Cast->getCastKind() == CK_ArrayToPointerDecay ? address(Cast->getSubExpr())
                                                           : eval(Cast->getSubExpr());
    if (const auto *Unary = dyn_cast<UnaryOperator>(E))
      return computeUnary(Unary);
    if (const auto *Binary = dyn_cast<BinaryOperator>(E))
      return computeBinary(Binary);
    if (const auto *Conditional = dyn_cast<ConditionalOperator>(E))
      return raise(join(eval(Conditional->getTrueExpr()), eval(Conditional->getFalseExpr())),
                   eval(Conditional->getCond()).whole());
    if (const auto *Call = dyn_cast<CallExpr>(E))
      return computeCall(Call);
    if (const auto *Construct = dyn_cast<CXXConstructExpr>(E))
      return computeConstruct(Construct);
    if (isa<CXXNewExpr>(E))
      return source(E->getBeginLoc(), "new"); // each thread's own memory
    if (const auto *Lambda = dyn_cast<LambdaExpr>(E)) {
      for (const LambdaCapture &C : Lambda->captures())
        if (C.capturesThis()) {
          Value &Object = A.CapturedThis[Lambda->getLambdaClass()];
          Object = join(Object, Now[nullptr]);
        } else if (C.capturesVariable())
          if (const auto *V = dyn_cast<VarDecl>(C.getCapturedVar())) {
            if (V->isInitCapture() && V->getInit())
              Now[V] = eval(V->getInit());
            joinInto(A.Captured, {{V, variable(V, C.getLocation())}});
          }
      for (const auto& [V, Copy] : copiesIn(*Lambda->getLambdaClass()))
        Now[Copy] = variable(V, Lambda->getBeginLoc());
      return {};
    }
    if (const auto *List = dyn_cast<InitListExpr>(E))
      return computeInitList(List);
    if (const auto *Default = dyn_cast<CXXDefaultArgExpr>(E))
      return eval(Default->getExpr());
    if (const auto *Default = dyn_cast<CXXDefaultInitExpr>(E))
      return eval(Default->getExpr());
    if (const auto *Opaque = dyn_cast<OpaqueValueExpr>(E))
      return Opaque->getSourceExpr() ? eval(Opaque->getSourceExpr()) : Value();
    if (const auto *Pseudo = dyn_cast<PseudoObjectExpr>(E))
      return eval(Pseudo->getSyntacticForm());
    if (isa<AtomicExpr>(E))
      return source(E->getBeginLoc(), "atomic");
    if (isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, CXXTypeidExpr, OffsetOfExpr>(E))
      return {};
    if (const auto *Compound = dyn_cast<StmtExpr>(E)) {
      const Stmt *Last =
          Compound->getSubStmt()->body_empty() ? nullptr : Compound->getSubStmt()->body_back();
      return Last && isa<Expr>(Last) ? eval(cast<Expr>(Last)) : Value();
    }
    // What remains is as divergent as its operands; wrappers of one operand are transparent.
    std::optional<Value> R;
    for (const Stmt *Child : E->children())
      if (const auto *Operand = dyn_cast_or_null<Expr>(Child))
        R = R ? join(R->whole(), eval(Operand).whole()) : eval(Operand);
    return R.value_or(Value());
  }

  Value source(SourceLocation Loc, StringRef Name) {
    Value V;
    V.Level = Uniformity::Divergent;
    V.Why = A.cause(Cause::Kind::Source, Loc, Name.str(), nullptr);
    return V;
  }

  Value unknown(Cause::Kind K, SourceLocation Loc, StringRef Name) {
    Value V;
    V.Level = Uniformity::Unknown;
    V.Why = A.cause(K, Loc, Name.str(), nullptr);
    return V;
  }

  /// An object that a directive makes, with the whole block, and that nothing changes.
  static bool isWindow(QualType T) {
    const auto *Class = T.getNonReferenceType()->getAsCXXRecordDecl();
    return Class && isWindowClass(Class);
  }

  /// What a load through pointer \p P yields.
  Value load(const Value &P, const Expr *E) {
    Value V = P.whole();
    if (isWindow(E->getType()))
      return rest(V);
    if (V.Level == Uniformity::Divergent)
      V.Why = A.cause(Cause::Kind::Load, E->getExprLoc(), "", V.Why);
    else if (V.Points != Value::Memory::Shared && V.Points != Value::Memory::ReadOnly)
      V = join(unknown(Cause::Kind::Memory, E->getExprLoc(), ""), V);
    if (!E->getType()->isArrayType())
      V.Points = Value::Memory::None;
    return V;
  }

  /// The variables that a lambda captures by copy, with its members that hold them.
  static llvm::SmallVector<std::pair<const VarDecl*, const FieldDecl*>, 4>
  copiesIn(const CXXRecordDecl& Lambda) {
    llvm::SmallVector<std::pair<const VarDecl*, const FieldDecl*>, 4> Found;
    for (const auto [C, Field] : llvm::zip(Lambda.captures(), Lambda.fields()))
      if (const auto* V = C.capturesVariable() ? dyn_cast<VarDecl>(C.getCapturedVar()) : nullptr;
          V && C.getCaptureKind() == LCK_ByCopy)
        Found.push_back({V, Field});
    return Found;
  }

  static Value::Memory memoryOf(const VarDecl *V) {
    if (V->hasLocalStorage() && !V->getType()->isReferenceType())
      return Value::Memory::Private;
    if (V->hasAttr<CUDASharedAttr>())
      return Value::Memory::Shared;
    if (V->hasGlobalStorage() &&
        (V->hasAttr<CUDAConstantAttr>() || V->isConstexpr() || V->getType().isConstQualified() ||
         (V->getType()->isArrayType() &&
          V->getASTContext().getBaseElementType(V->getType()).isConstQualified())))
      return Value::Memory::ReadOnly;
    return Value::Memory::Any;
  }

  /// The variable that a local reference of this function stands for, as an expression; null if it
  /// is not one.
  static const Expr *referred(const ValueDecl *D) {
    const auto *V = dyn_cast<VarDecl>(D);
    if (!V || !V->getType()->isReferenceType() || !V->hasLocalStorage() || isa<ParmVarDecl>(V) ||
        !V->getInit())
      return nullptr;
    const Expr* E = V->getInit()->IgnoreParenCasts();
    const Expr *Root = E;
    for (;;) {
      const auto* M = dyn_cast<MemberExpr>(Root);
      const auto* Subscript = dyn_cast<ArraySubscriptExpr>(Root);
      const Expr* Array = Subscript ? subscriptedArray(Subscript) : nullptr;
      if (!M && !Array)
        break;
      Root = (M ? M->getBase() : Array)->IgnoreParenCasts();
      if (M && M->isArrow() && !isa<CXXThisExpr>(Root))
        return nullptr;
    }
    return isa<DeclRefExpr, CXXThisExpr>(Root) ? E : nullptr;
  }

  Value variable(const ValueDecl *D, SourceLocation Loc) {
    if (const auto *Binding = dyn_cast<BindingDecl>(D))
      return Binding->getBinding() ? eval(Binding->getBinding()) : Value();
    const auto *V = dyn_cast<VarDecl>(D);
    if (!V)
      return {};
    if (const Expr *E = referred(V))
      return contents(E);
    if (V->hasLocalStorage()) {
      auto It = Now.find(V);
      if (It == Now.end()) {
        It = A.Captured.find(V);
        if (It == A.Captured.end())
          return {};
      }
      return Info.Escaped.contains(V) && !isWindow(V->getType())
                 ? join(It->second.whole(), unknown(Cause::Kind::Memory, Loc, V->getName()))
                 : It->second;
    }
    if (isThreadIndex(V))
      return source(Loc, V->getName());
    if (V->getIdentifier() && isUniformBuiltinVariable(V->getName()))
      return {};
    Value R;
    R.Points = memoryOf(V);
    if (R.Points == Value::Memory::Any)
      return join(R, unknown(Cause::Kind::Memory, Loc, V->getName()));
    if (V->getType()->isPointerType())
      R.Points = Value::Memory::None; // where a pointer lies does not say where it leads
    return R;
  }

  /// Whether an object, or what it is a part of, is no variable of a function.
  static bool isOfProgram(const Expr* E) {
    for (E = E->IgnoreParenImpCasts();;) {
      if (const auto* Member = dyn_cast<MemberExpr>(E); Member && !Member->isArrow())
        E = Member->getBase()->IgnoreParenImpCasts();
      else if (const auto* Subscript = dyn_cast<ArraySubscriptExpr>(E);
               Subscript && subscriptedArray(Subscript))
        E = subscriptedArray(Subscript)->IgnoreParenImpCasts();
      else
        break;
    }
    const auto* Ref = dyn_cast<DeclRefExpr>(E);
    const auto* V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    return V && !V->hasLocalStorage();
  }

  Value computeMember(const MemberExpr *E) {
    const auto *Field = dyn_cast<FieldDecl>(E->getMemberDecl());
    if (!Field)
      return isa<VarDecl>(E->getMemberDecl()) ? variable(E->getMemberDecl(), E->getMemberLoc())
                                              : eval(E->getBase());
    if (!E->isArrow()) {
      Value V = field(eval(E->getBase()), Field);
      if (Field->getType()->isPointerType() && isOfProgram(E->getBase()))
        V.Points = Value::Memory::None;
      return V;
    }
    if (isa<CXXThisExpr>(E->getBase()->IgnoreParenImpCasts()))
      return field(Now[nullptr], Field);
    return load(eval(E->getBase()), E);
  }

  /// The array that a subscript's base decays from; null if the base is a pointer.
  static const Expr *subscriptedArray(const ArraySubscriptExpr *E) {
    const auto *Decay = dyn_cast<ImplicitCastExpr>(E->getBase()->IgnoreParens());
    return Decay && Decay->getCastKind() == CK_ArrayToPointerDecay ? Decay->getSubExpr() : nullptr;
  }

  Value computeSubscript(const ArraySubscriptExpr *E) {
    Value Index = eval(E->getIdx()).whole();
    const Expr *Array = subscriptedArray(E);
    if (!Array)
      return load(raise(eval(E->getBase()), Index), E);
    Value V = eval(Array);
    if (Index.Level == Uniformity::Divergent)
      Index.Why = A.cause(Cause::Kind::Load, E->getExprLoc(), "", Index.Why);
    V = raise(V, Index);
    if (!E->getType()->isArrayType())
      V.Points = Value::Memory::None;
    return V;
  }

  /// The address of what a glvalue designates.
  Value address(const Expr *E) {
    E = E->IgnoreParens();
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
      Value V;
      if (const auto *Var = dyn_cast<VarDecl>(Ref->getDecl())) {
        if (isThreadIndex(Var))
          return source(Ref->getLocation(), Var->getName()); // each thread has its own there
        if (const Expr* Referred = referred(Var))
          return address(Referred);
        V.Points = memoryOf(Var);
      }
      return V;
    }
    if (const auto *Member = dyn_cast<MemberExpr>(E))
      return Member->isArrow() ? eval(Member->getBase()) : address(Member->getBase());
    if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E)) {
      const Expr *Array = subscriptedArray(Subscript);
      return raise(Array ? address(Array) : eval(Subscript->getBase()),
                   eval(Subscript->getIdx()).whole());
    }
    if (const auto *Unary = dyn_cast<UnaryOperator>(E); Unary && Unary->getOpcode() == UO_Deref)
      return eval(Unary->getSubExpr());
    if (const auto *Cast = dyn_cast<CastExpr>(E))
      return address(Cast->getSubExpr());
    Value V = eval(E).whole();
    V.Points = Value::Memory::Any;
    return V;
  }

  Value computeUnary(const UnaryOperator *E) {
    const Expr *Sub = E->getSubExpr();
    switch (E->getOpcode()) {
    case UO_AddrOf:
      return address(Sub);
    case UO_Deref:
      if (isa<CXXThisExpr>(Sub->IgnoreParenImpCasts()))
        return Now[nullptr];
      return load(eval(Sub), E);
    case UO_PreInc:
    case UO_PreDec:
    case UO_PostInc:
    case UO_PostDec: {
      Value V = contents(Sub);
      assign(Sub, V, E->getOperatorLoc());
      return changedByAll(Sub, std::move(V));
    }
    default:
      return eval(Sub);
    }
  }

  Value computeBinary(const BinaryOperator *E) {
    if (E->getOpcode() == BO_Comma)
      return eval(E->getRHS());
    if (!E->isAssignmentOp())
      return join(eval(E->getLHS()).whole(), eval(E->getRHS()).whole());
    Value V = eval(E->getRHS());
    if (E->isCompoundAssignmentOp())
      V = join(contents(E->getLHS()).whole(), V.whole());
    assign(E->getLHS(), V, E->getOperatorLoc());
    return E->isCompoundAssignmentOp() ? changedByAll(E->getLHS(), std::move(V)) : V;
  }

  /// What a thread gets of an object that all of them count on, one after the other.
  Value changedByAll(const Expr *Place, Value V) {
    if (address(Place).Points != Value::Memory::Shared)
      return V;
    const ValueDecl *Root = WindowMemory::root(Place);
    return join(source(Place->getExprLoc(), "the new value of " + (Root ? Root->getNameAsString() : "shared memory")), V.whole());
  }

  Value computeInitList(const InitListExpr *E) {
    const auto *Record = E->getType()->getAsRecordDecl();
    Value R;
    if (!Record || Record->isUnion()) {
      for (const Expr *Init : E->inits())
        R = join(R, eval(Init).whole());
      return R;
    }
    if (const auto *Class = dyn_cast<CXXRecordDecl>(Record))
      for (unsigned I = 0; I < Class->getNumBases() && I < E->getNumInits(); ++I)
        R = join(R, eval(E->getInit(I)).whole());
    forEachInitializer(*Record, E->inits(), [&](const FieldDecl *Field, const Expr *Init) { setField(R, Field, eval(Init)); });
    return R;
  }

  //===--- Assignments
  //----------------------------------------------------------------------------------------------===//

  /// Notes that variable \p Name has got \p V here, and under which control.
  Value named(StringRef Name, SourceLocation Loc, Value V) {
    if (V.Level != Uniformity::Uniform && !Name.empty())
      V.Why = A.cause(Cause::Kind::Assigned, Loc, Name.str(), V.Why);
    for (FieldValue &Part : V.Fields)
      if (Part.V.Level != Uniformity::Uniform)
        Part.V.Why = A.cause(Cause::Kind::Assigned, Loc, Name.str(), Part.V.Why);
    if (Control.Level == Uniformity::Uniform)
      return V;
    Value By = Control;
    By.Why = A.cause(Cause::Kind::AssignedIf, Loc, Name.str(), Control.Why);
    return raise(V, By);
  }

  /// The contents of an lvalue now, whatever it was when the expression was evaluated.
  Value contents(const Expr *E) {
    E = E->IgnoreParenImpCasts();
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
      return variable(Ref->getDecl(), Ref->getLocation());
    if (const auto *Member = dyn_cast<MemberExpr>(E)) {
      const auto *Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
      if (Field && !Member->isArrow())
        return field(contents(Member->getBase()), Field);
      if (Field && isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts()))
        return field(Now[nullptr], Field);
    }
    const auto* Subscript = dyn_cast<ArraySubscriptExpr>(E);
    if (const Expr* Array = Subscript ? subscriptedArray(Subscript) : nullptr) {
      Value V = raise(contents(Array), eval(Subscript->getIdx()).whole());
      if (!E->getType()->isArrayType())
        V.Points = Value::Memory::None;
      return V;
    }
    return eval(E);
  }

  void assign(const Expr *To, const Value &V, SourceLocation Loc) {
    To = To->IgnoreParenImpCasts();
    std::string Name;
    if (const auto *Ref = dyn_cast<DeclRefExpr>(To))
      Name = Ref->getDecl()->getNameAsString();
    else if (const auto *Member = dyn_cast<MemberExpr>(To))
      Name = Member->getMemberDecl()->getNameAsString();
    store(To, named(Name, Loc, V));
  }

  void store(const Expr *To, const Value &V) {
    To = To->IgnoreParenImpCasts();
    if (const auto *Ref = dyn_cast<DeclRefExpr>(To)) {
      const auto *Binding = dyn_cast<BindingDecl>(Ref->getDecl());
      if (Binding && Binding->getBinding())
        store(Binding->getBinding(), V);
      else if (const Expr *E = referred(Ref->getDecl()))
        store(E, V);
      else if (const auto *Var = dyn_cast<VarDecl>(Ref->getDecl()); Var && Var->hasLocalStorage()) {
        Now[Var] = V;
        if (const Expr *Range = Info.Ranges.lookup(Var); Range && Var->getType()->isReferenceType())
          store(Range, join(contents(Range).whole(), V.whole()));
        else if (Var->getType()->isReferenceType() && !isa<ParmVarDecl>(Var) && Var->getInit())
          store(Var->getInit(), V);
      }
      return;
    }
    if (const auto *Member = dyn_cast<MemberExpr>(To)) {
      const auto *Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
      if (!Field)
        return;
      if (Member->isArrow()) {
        if (isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts()))
          setField(Now[nullptr], Field, V);
        else
          storeThrough(Member->getBase(), V);
        return;
      }
      Value Object = contents(Member->getBase());
      setField(Object, Field, V);
      store(Member->getBase(), Object);
      return;
    }
    if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(To)) {
      Value Stored = raise(V, eval(Subscript->getIdx()).whole());
      if (const Expr *Array = subscriptedArray(Subscript))
        store(Array, join(contents(Array), Stored.whole()));
      else
        storeThrough(Subscript->getBase(), Stored);
      return;
    }
    if (const auto *Unary = dyn_cast<UnaryOperator>(To); Unary && Unary->getOpcode() == UO_Deref) {
      if (isa<CXXThisExpr>(Unary->getSubExpr()->IgnoreParenImpCasts()))
        Now[nullptr] = V;
      else
        storeThrough(Unary->getSubExpr(), V);
      return;
    }
    if (const auto* Unary = dyn_cast<UnaryOperator>(To); Unary && Unary->isIncrementDecrementOp())
      return store(Unary->getSubExpr(), V);
    if (const auto *Choice = dyn_cast<ConditionalOperator>(To)) {
      const Value Stored = raise(V, eval(Choice->getCond()).whole());
      for (const Expr *Each : {Choice->getTrueExpr(), Choice->getFalseExpr()})
        store(Each, join(contents(Each).whole(), Stored.whole()));
      return;
    }
    if (const auto *Cast = dyn_cast<ExplicitCastExpr>(To); Cast && To->isGLValue())
      return store(Cast->getSubExpr(), join(contents(Cast->getSubExpr()).whole(), V.whole()));
    if (const auto *Binary = dyn_cast<BinaryOperator>(To))
      return store(Binary->isCommaOp() ? Binary->getRHS() : Binary->getLHS(), V);
    if (const auto *Call = dyn_cast<CallExpr>(To))
      storeInto(Call, V);
  }

  /// Stores into what a call returns a reference, or a pointer, to.
  void storeInto(const CallExpr *Call, const Value &V) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    const FunctionDecl *Body = Callee && !A.isFromLibrary(Callee) ? definitionOf(Callee) : nullptr;
    const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
    const auto [Object, Args] = passedTo(Call);
    const ReturnedPlaces Returned(Body, Method);
    if (Object && Returned.InObject) {
      if (Object->getType()->isPointerType())
        write(Object, V, Call->getBeginLoc());
      else
        store(Object, join(contents(Object).whole(), V.whole()));
    }
    for (const VarDecl *Captured : Returned.Variables)
      if (auto It = Now.find(Captured); It != Now.end())
        It->second = raise(join(It->second.whole(), V.whole()), Control);
    for (unsigned I = 0; I != Args.size(); ++I) {
      const QualType T = Callee && I < Callee->getNumParams() ? Callee->getParamDecl(I)->getType() : QualType();
      if (T.isNull() || !(Returned.Any || Returned.Parameters.contains(I)))
        continue;
      if (T->isLValueReferenceType() && !T->getPointeeType().isConstQualified())
        store(Args[I], join(contents(Args[I]).whole(), V.whole()));
      else if (T->isPointerType() && !T->getPointeeType().isConstQualified())
        write(Args[I], V, Call->getBeginLoc());
    }
  }

  /// What a function's returned reference or pointer may lead to: parts of its object, or what its parameters lead to. Not memory that the
  /// object points to, of which nothing is known.
  struct ReturnedPlaces : DynamicRecursiveASTVisitor {
    bool Any = false, InObject = false;
    llvm::SmallSet<unsigned, 4> Parameters;
    /// That a lambda captures.
    llvm::SmallPtrSet<const VarDecl *, 2> Variables;

    ReturnedPlaces(const FunctionDecl *Body, const CXXMethodDecl *Method) {
      if (Body)
        TraverseStmt(Body->getBody());
      else
        Any = true;
      InObject |= Any && Method;
    }
    bool VisitReturnStmt(ReturnStmt *Return) override {
      if (const Expr *E = Return->getRetValue())
        E->getType()->isPointerType() && !E->isGLValue() ? pointer(E) : place(E);
      return true;
    }
    bool TraverseLambdaExpr(LambdaExpr *) override { return true; }

  private:
    void place(const Expr *E) {
      E = E->IgnoreParenImpCasts();
      if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E))
        return pointer(Subscript->getBase());
      if (const auto *Member = dyn_cast<MemberExpr>(E)) {
        if (!Member->isArrow())
          return place(Member->getBase());
        InObject |= isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts());
        return pointer(Member->getBase());
      }
      if (const auto *Unary = dyn_cast<UnaryOperator>(E); Unary && Unary->getOpcode() == UO_Deref) {
        InObject |= isa<CXXThisExpr>(Unary->getSubExpr()->IgnoreParenImpCasts());
        return pointer(Unary->getSubExpr());
      }
      if (const auto *Choice = dyn_cast<ConditionalOperator>(E)) {
        place(Choice->getTrueExpr());
        return place(Choice->getFalseExpr());
      }
      if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
        if (const auto *P = dyn_cast<ParmVarDecl>(Ref->getDecl()))
          Parameters.insert(P->getFunctionScopeIndex());
        else if (const auto *V = dyn_cast<VarDecl>(Ref->getDecl()); V && V->hasLocalStorage() && !V->getType()->isReferenceType())
          Variables.insert(V);
        else
          Any = true;
        return;
      }
      Any = true;
    }
    void pointer(const Expr *E) {
      E = E->IgnoreParens();
      if (const auto *Cast = dyn_cast<CastExpr>(E))
        return Cast->getCastKind() == CK_ArrayToPointerDecay ? place(Cast->getSubExpr()) : pointer(Cast->getSubExpr());
      if (isa<CXXThisExpr>(E))
        return;
      if (const auto *Unary = dyn_cast<UnaryOperator>(E); Unary && Unary->getOpcode() == UO_AddrOf)
        return place(Unary->getSubExpr());
      if (const auto Sum = pointerSum(E))
        return pointer(Sum->Pointer);
      if (const auto *Member = dyn_cast<MemberExpr>(E); Member && isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts()))
        return;
      if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
        if (const auto *P = dyn_cast<ParmVarDecl>(Ref->getDecl())) {
          Parameters.insert(P->getFunctionScopeIndex());
          return;
        }
      Any = true;
    }
  };

  /// Notes what is stored through a pointer that comes from a parameter.
  void storeThrough(const Expr *Pointer, const Value &V) {
    if (const auto *Call = dyn_cast<CallExpr>(Pointer->IgnoreParenImpCasts()))
      storeInto(Call, V);
    llvm::SmallPtrSet<const ValueDecl *, 4> Seen;
    llvm::SmallVector<const Expr *, 4> Work{Pointer};
    while (!Work.empty()) {
      const ValueDecl *Root = WindowMemory::root(Work.pop_back_val());
      if (!Root || !Seen.insert(Root).second)
        continue;
      if (const auto *Param = dyn_cast<ParmVarDecl>(Root);
          Param && Param->getDeclContext() == F &&
          Param->getFunctionScopeIndex() < Result.Pointees.size()) {
        Value &Pointee = Result.Pointees[Param->getFunctionScopeIndex()];
        Pointee = join(Pointee, V.whole());
      }
      if (auto It = Info.Pointers.find(Root); It != Info.Pointers.end())
        Work.append(It->second.begin(), It->second.end());
    }
  }

  /// The local variable or array whose address an argument passes; null if none.
  static const Expr *addressed(const Expr *Arg) {
    Arg = Arg->IgnoreParens();
    if (const auto *Cast = dyn_cast<CastExpr>(Arg)) {
      if (Cast->getCastKind() == CK_ArrayToPointerDecay)
        return Cast->getSubExpr();
      return addressed(Cast->getSubExpr());
    }
    const auto *Unary = dyn_cast<UnaryOperator>(Arg);
    return Unary && Unary->getOpcode() == UO_AddrOf ? Unary->getSubExpr() : nullptr;
  }

  //===--- Calls
  //----------------------------------------------------------------------------------------------------===//

  Value computeCall(const CallExpr *E) {
    if (A.Client.isDirective(E)) {
      const FunctionDecl *MarkerFunction = E->getDirectCallee();
      for (unsigned I = 0; I != E->getNumArgs(); ++I) // the flag that 'test' writes
        if (MarkerFunction && I < MarkerFunction->getNumParams() &&
            E->getArg(I)->getType()->isBooleanType())
          if (QualType T = MarkerFunction->getParamDecl(I)->getType();
              T->isLValueReferenceType() && !T->getPointeeType().isConstQualified())
            assign(E->getArg(I), Value(), E->getBeginLoc());
      if (Reporting)
        A.Client.directive(E, Control,
                           [this](const Expr *Operand) {
                             // The base of a section may be an array.
                             const bool IsArray = Operand->IgnoreParenImpCasts()->getType()->isArrayType();
                             return (IsArray ? address(Operand) : eval(Operand)).whole();
                           });
      return {};
    }

    const FunctionDecl *Callee = E->getDirectCallee();
    const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
    const auto [Object, Args] = passedTo(E);
    bool ThroughPointer = Object && Object->getType()->isPointerType();
    bool OnThis = Object && isa<CXXThisExpr>(Object->IgnoreParenImpCasts());
    Value Self;
    if (OnThis)
      Self = Now[nullptr];
    else if (Object)
      Self = ThroughPointer ? load(eval(Object), Object) : contents(Object);

    const auto *Named = dyn_cast<MemberExpr>(E->getCallee()->IgnoreParens());
    bool Virtual = Method && Method->isVirtual() && Named &&
                   Named->performsVirtualDispatch(A.Context.getLangOpts());
    const FunctionDecl *Body =
        Callee && !Virtual && !A.isFromLibrary(Callee) ? definitionOf(Callee) : nullptr;
    if (!Body || A.Active.contains(Body) || A.Depth >= MaxCallDepth) {
      if (Reporting && Body && A.containsDirective(Body))
        A.Client.call(E->getExprLoc(), Callee, Control);
      return computeOpaqueCall(E, Callee, Args, Object, Self);
    }

    Entry In = entryFor(Body, Args);
    In.This = Self;
    if (Method)
      if (auto Around = A.CapturedThis.find(Method->getParent()); Around != A.CapturedThis.end())
        In.This = Around->second;
    Captures Kept(A);
    if (Method)
      Kept.add(Method->getParent());
    enter(Kept, In, E->getBeginLoc());

    bool Reports = Reporting && A.containsDirective(Body);
    if (Reports)
      A.Client.call(E->getExprLoc(), Callee, Control);
    const Summary &S = A.run(Body, In, Reports);
    takeBack(Body, Args, S, E->getBeginLoc());
    leave(Kept, S);
    if (Method && !Method->getParent()->isLambda() && Object && !Method->isConst() &&
        A.changesIn(Body).This) {
      Value Changed = S.This;
      if (A.info(Body).EscapedThis)
        Changed = join(Changed.whole(), unknown(Cause::Kind::Memory, E->getBeginLoc(), Callee->getNameAsString()));
      if (OnThis)
        Now[nullptr] = raise(Changed, Control);
      else if (ThroughPointer)
        write(Object, ofMembers(Changed), E->getBeginLoc());
      else
        store(Object, raise(Changed, Control));
    }
    Value R = S.Result;
    if (R.Level != Uniformity::Uniform)
      R.Why = A.cause(Cause::Kind::Result, E->getBeginLoc(), Callee->getNameAsString(), R.Why);
    return R;
  }

  /// What has been stored into members of an object of which nothing else is known.
  static Value ofMembers(const Value& Object) {
    if (Object.Fields.empty())
      return Object.whole();
    Value R;
    for (const FieldValue& Each : Object.Fields)
      R = join(R, Each.V.whole());
    return R;
  }

  /// The variables that lambdas capture, also those that these capture or objects keep; by reference those that they may change.
  struct Captures {
    explicit Captures(Implementation &A) : A(A) {}

    Implementation &A;
    llvm::SmallPtrSet<const VarDecl *, 4> All, ByReference;
    llvm::SmallDenseMap<const VarDecl*, const FieldDecl*, 4> Copies;
    llvm::SmallPtrSet<const CXXRecordDecl *, 4> Seen;

    void add(const CXXRecordDecl *Class) {
      if (!Class || !Class->hasDefinition() || !Seen.insert(Class->getDefinition()).second)
        return;
      if (!Class->isLambda()) {
        for (const FieldDecl *Field : Class->getDefinition()->fields())
          add(Field->getType().getNonReferenceType()->getAsCXXRecordDecl());
        return;
      }
      for (const auto& [V, Copy] : copiesIn(*Class))
        Copies.try_emplace(V, Copy);
      for (const LambdaCapture &C : Class->captures())
        if (const auto *V =
                C.capturesVariable() ? dyn_cast<VarDecl>(C.getCapturedVar()) : nullptr) {
          if (C.getCaptureKind() == LCK_ByRef && mayChange(Class, V))
            ByReference.insert(V);
          All.insert(V);
          add(V->getType().getNonReferenceType()->getAsCXXRecordDecl());
        }
    }
    void add(llvm::ArrayRef<const Expr *> Args) {
      for (const Expr *Arg : Args)
        add(Arg->getType()->getAsCXXRecordDecl());
    }

  private:
    /// Whether a lambda's body may change a variable.
    bool mayChange(const CXXRecordDecl *Lambda, const VarDecl *V) const {
      const CXXMethodDecl *Operator = Lambda->isGenericLambda() ? nullptr : Lambda->getLambdaCallOperator();
      return !Operator || !Operator->getBody() || A.changesIn(Operator).Variables.contains(V);
    }
  };

  void enter(const Captures &C, Entry &In, SourceLocation Loc) {
    for (const VarDecl* V : C.All) {
      const auto Copy = C.ByReference.contains(V) ? Now.end() : Now.find(C.Copies.lookup(V));
      In.Captures[V] = Copy != Now.end() && Copy->first ? Copy->second : variable(V, Loc);
    }
  }

  void leave(const Captures &C, const Summary &S) {
    for (const VarDecl *V : C.ByReference)
      if (auto It = S.Captures.find(V); It != S.Captures.end() && Now.count(V))
        Now[V] = raise(It->second, Control);
  }

  /// What functions and lambdas return, and write, that a call takes whose body is not looked into:
  /// if it calls them as often as its arguments say, with \p Given, or what pointers among them
  /// lead to.
  Value callBack(llvm::ArrayRef<const Expr*> Args, Value Given, SourceLocation Loc) {
    Value Returned;
    const llvm::SmallVector<const FunctionDecl*, 2> Bodies = callbacks(Args);
    if (Bodies.empty())
      return Returned;
    Value HowOften = Control;
    for (const Expr *Arg : Args) {
      HowOften = join(HowOften, eval(Arg).whole());
      if (Arg->getType()->isPointerType() && !addressed(Arg))
        Given = join(Given, load(eval(Arg), Arg).whole());
    }
    for (const FunctionDecl* Body : Bodies) {
      const bool Reports = Reporting && A.containsDirective(Body);
      if (Reports)
        A.Client.call(Loc, Body, HowOften);
      if (A.Active.contains(Body) || A.Depth >= MaxCallDepth)
        continue;
      Captures C(A);
      if (const auto* Method = dyn_cast<CXXMethodDecl>(Body))
        C.add(Method->getParent());
      for (bool Changed = true; Changed;) { // it may be called repeatedly
        Entry In;
        In.Args.assign(Body->getNumParams(), Given);
        enter(C, In, Loc);
        State Before = Now;
        const Summary& S = A.run(Body, In, Reports);
        Returned = join(Returned, S.Result.whole());
        leave(C, S);
        Changed = joinInto(Before, Now);
        Now = std::move(Before);
      }
    }
    return Returned;
  }

  Entry entryFor(const FunctionDecl *Body, llvm::ArrayRef<const Expr *> Args) {
    Entry In;
    for (unsigned I = 0; I != std::min<size_t>(Args.size(), Body->getNumParams()); ++I) {
      const ParmVarDecl *P = Body->getParamDecl(I);
      Value V = eval(Args[I]);
      if (V.Level != Uniformity::Uniform)
        V.Why = A.cause(Cause::Kind::Argument, Args[I]->getBeginLoc(), P->getNameAsString(), V.Why);
      In.Args.push_back(std::move(V));
    }
    Captures C(A);
    C.add(Args);
    enter(C, In, Args.empty() ? SourceLocation() : Args.front()->getBeginLoc());
    return In;
  }

  /// What a call wrote to variables that it got by reference or by address.
  void takeBack(const FunctionDecl *Body, llvm::ArrayRef<const Expr *> Args, const Summary &S,
                SourceLocation Loc) {
    for (unsigned I = 0; I != std::min<size_t>(Args.size(), Body->getNumParams()); ++I) {
      QualType T = Body->getParamDecl(I)->getType();
      if (T->isLValueReferenceType() && !T->getPointeeType().isConstQualified()) {
        if (A.changesIn(Body).Variables.contains(Body->getParamDecl(I)))
          assign(Args[I], S.Params[I], Loc);
      } else if (T->isPointerType() && S.Pointees[I].Level != Uniformity::Uniform)
        write(Args[I], S.Pointees[I], Loc);
    }
    Captures C(A);
    C.add(Args);
    leave(C, S);
  }

  /// Something is written through a pointer that a call takes.
  void write(const Expr *Pointer, const Value &V, SourceLocation Loc) {
    if (const Expr *Target = addressed(Pointer))
      assign(Target, join(contents(Target).whole(), V), Loc);
    else
      storeThrough(Pointer, raise(V, Control));
  }

  /// A call whose body is not looked into: of a library, not visible, or recursive.
  Value computeOpaqueCall(const CallExpr *E, const FunctionDecl *Callee,
                          llvm::ArrayRef<const Expr *> Args, const Expr *Object,
                          const Value &Self) {
    SourceLocation Loc = E->getBeginLoc();
    StringRef Name = Callee && Callee->getIdentifier() ? Callee->getName() : "";
    bool Library = Callee && (A.isFromLibrary(Callee) || Callee->getBuiltinID());
    bool HasBody = Callee && definitionOf(Callee);
    if (isUniformFunction(Name))
      return {};
    if ((Library || !HasBody) && isDivergentFunction(Name)) {
      Value V = source(Loc, Name);
      writeArguments(Callee, Args, V, Loc);
      return V;
    }
    if (Library && isInNamespaceGpurma(Callee) && (Name == "uniform" || Name == "test"))
      return {};
    if (isCachedLoad(Name) && Args.size() == 1) {
      Value P = eval(Args[0]);
      if (Name == "__ldg")
        P.Points = Value::Memory::ReadOnly;
      return load(P, E);
    }
    Value R = Self.whole();
    for (const Expr *Arg : Args) {
      R = join(R, eval(Arg).whole());
      if (const Expr *Read = addressed(Arg)) // memcpy(&to, &from, sizeof to)
        R = join(R, contents(Read).whole());
    }
    if (!Library && !(HasBody && A.Active.contains(definitionOf(Callee))))
      R = join(R, unknown(Cause::Kind::Opaque, Loc, Name));
    R = join(R, callBack(Args, R, Loc));
    Value Written = R;
    if (Written.Points == Value::Memory::Private) // where it is written, not where it leads
      Written.Points = Value::Memory::Any;
    writeArguments(Callee, Args, Written, Loc);
    const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
    if (Method && Object && !Method->isConst() && !Object->getType()->isPointerType())
      store(Object, raise(join(Self, R), Control));
    return R;
  }

  void writeArguments(const FunctionDecl *Callee, llvm::ArrayRef<const Expr *> Args, const Value &V,
                      SourceLocation Loc) {
    for (unsigned I = 0; I != Args.size(); ++I) {
      QualType T =
          Callee && I < Callee->getNumParams() ? Callee->getParamDecl(I)->getType() : QualType();
      bool Writes = T.isNull() || ((T->isLValueReferenceType() || T->isPointerType()) &&
                                   !T->getPointeeType().isConstQualified());
      if (!Writes)
        continue;
      if (!T.isNull() && T->isLValueReferenceType())
        assign(Args[I], join(contents(Args[I]).whole(), V), Loc);
      else
        write(Args[I], V, Loc);
    }
  }

  Value computeConstruct(const CXXConstructExpr *E) {
    const CXXConstructorDecl *Constructor = E->getConstructor();
    if (Constructor->isCopyOrMoveConstructor() && E->getNumArgs() == 1 &&
        !(Constructor->isUserProvided() && !A.isFromLibrary(Constructor)) &&
        !A.containsDirective(Constructor))
      return eval(E->getArg(0));
    if (Constructor->isInheritingConstructor())
      Constructor = Constructor->getInheritedConstructor().getConstructor();
    llvm::ArrayRef<const Expr *> Args(E->getArgs(), E->getNumArgs());
    const FunctionDecl *Body = A.isFromLibrary(Constructor) ? nullptr : definitionOf(Constructor);
    if (!Body || A.Active.contains(Body) || A.Depth >= MaxCallDepth) {
      Value R;
      for (const Expr *Arg : Args)
        R = join(R, eval(Arg).whole());
      return R;
    }
    const bool Reports = Reporting && A.containsDirective(Body);
    if (Reports)
      A.Client.call(E->getExprLoc(), Body, Control);
    const Summary& S = A.run(Body, entryFor(Body, Args), Reports);
    takeBack(Body, Args, S, E->getBeginLoc());
    return S.This;
  }

  Implementation &A;
  const FunctionDecl *F;
  const FunctionInfo &Info;
  State Start, Now;
  Value Control;
  bool Reporting = false;
  std::vector<const CFGBlock *> Order;
  std::vector<State> Out;
  std::vector<Value> Conditions;
  llvm::DenseMap<const Expr *, Value> Values;
  Summary Result;
};

const Summary &UniformityAnalysis::Implementation::run(const FunctionDecl *F, const Entry &In,
                                                       bool Report) {
  std::pair Key(F, encode(In));
  auto It = Done.find(Key);
  if (It != Done.end() && (!Report || DoneReporting.count(Key)))
    return It->second;
  Active.insert(F);
  ++Depth;
  Summary S = FunctionRun(*this, F, In).solve(Report);
  --Depth;
  Active.erase(F);
  if (Report) {
    DoneReporting.insert(Key);
    Reported.insert(F->getCanonicalDecl());
  }
  return Done.insert_or_assign(std::move(Key), std::move(S)).first->second;
}

UniformityAnalysis::UniformityAnalysis(ASTContext &Context, UniformityClient &Client)
    : Impl(std::make_unique<Implementation>(Context, Client)) {}

UniformityAnalysis::~UniformityAnalysis() = default;

void UniformityAnalysis::analyze(const FunctionDecl *F) {
  if (const FunctionDecl *Body = definitionOf(F))
    Impl->run(Body, Entry(), /*Report=*/true);
}

bool UniformityAnalysis::containsDirective(const FunctionDecl *F) {
  return Impl->containsDirective(F);
}

bool UniformityAnalysis::isAnalyzed(const FunctionDecl *F) const {
  return Impl->Reported.contains(F->getCanonicalDecl());
}

} // namespace gpurma
