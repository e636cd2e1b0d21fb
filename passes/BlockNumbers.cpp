// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/BlockNumbers.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "passes/BlockThreads.h"
#include "passes/CallVisitor.h"
#include "passes/FunctionCopies.h"
#include "passes/HostSums.h"
#include "passes/LaunchSize.h"
#include "passes/Lvalues.h"
#include "passes/VariableChanges.h"
#include "passes/VariableUses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include <set>

using namespace clang;

namespace gpurma {
namespace {

StringRef atomicOf(Keyword Operation) { return Operation == Keyword::Plus ? "atomicAdd" : Operation == Keyword::Max ? "atomicMax" : "atomicMin"; }

/// The stores `*pointer = ...` and `pointer[0] = ...`.
class FirstElementStores : public DynamicRecursiveASTVisitor {
public:
  FirstElementStores(const Stmt* S, const VarDecl* Pointer) : Pointer(Pointer) { TraverseStmt(const_cast<Stmt*>(S)); }
  bool VisitBinaryOperator(BinaryOperator* E) override {
    if (E->getOpcode() == BO_Assign && pointed(E->getLHS()) == Pointer)
      Found.push_back(E);
    return true;
  }
  llvm::SmallVector<BinaryOperator*, 2> Found;

private:
  const VarDecl* pointed(const Expr* E) const {
    E = E->IgnoreParens();
    if (const auto* Deref = dyn_cast<UnaryOperator>(E); Deref && Deref->getOpcode() == UO_Deref)
      return namedVariable(Deref->getSubExpr());
    const auto* Element = dyn_cast<ArraySubscriptExpr>(E);
    const bool IsFirst = Element && Element->getIdx()->isIntegerConstantExpr(Pointer->getASTContext()) &&
                         Element->getIdx()->EvaluateKnownConstInt(Pointer->getASTContext()) == 0;
    return IsFirst ? namedVariable(Element->getBase()) : nullptr;
  }

  const VarDecl* Pointer;
};

/// The calls in a statement.
class Calls : public DynamicRecursiveASTVisitor {
public:
  explicit Calls(const Stmt* S) { TraverseStmt(const_cast<Stmt*>(S)); }
  bool VisitCallExpr(CallExpr* Call) override {
    Found.push_back(Call);
    return true;
  }
  std::vector<const CallExpr*> Found;
};

/// Those of a kernel, and of the functions that it calls.
class AllCalls : public CallVisitor {
public:
  explicit AllCalls(const FunctionDecl* Kernel) {
    enter(Kernel);
    visitEntered();
  }
  bool VisitCallExpr(CallExpr* Call) override {
    Found.push_back(Call);
    return true;
  }
  std::vector<const CallExpr*> Found;
};

/// Where the type that a parameter points to is written; none if it is no pointer as it stands there.
std::optional<FileRange> pointeeText(const ParmVarDecl& P) {
  const auto Pointer = P.getTypeSourceInfo() ? P.getTypeSourceInfo()->getTypeLoc().getUnqualifiedLoc().getAs<PointerTypeLoc>() : PointerTypeLoc();
  const ASTContext& Context = P.getASTContext();
  if (!Pointer || P.getType()->getPointeeType().hasQualifiers() || P.getBeginLoc().isMacroID() || P.getEndLoc().isMacroID())
    return std::nullopt;
  return fileRange(Pointer.getPointeeLoc().getSourceRange(), Context.getSourceManager(), Context.getLangOpts());
}

class BlockNumberFinder {
public:
  explicit BlockNumberFinder(Unit& U) : U(U), Context(U.context()) {}

  bool run() {
    for (Region& R : U.Regions)
      if (!R.isPattern() && !findIn(R))
        return false;
    if (!checkOtherLaunches() || !checkOtherCalls())
      return false;
    replaceStores();
    return true;
  }

private:
  /// A store, the calls from the kernel to the function that it stands in, and the conditions around it and these.
  struct Conditional {
    BlockStore Store;
    std::vector<const CallExpr*> Calls;
    std::vector<std::pair<const Expr*, bool>> Conditions;
    /// What has the store, as a child.
    Stmt* Parent = nullptr;
  };

  /// `reduce(part, partial)` or `reduce(part, partial + number)`, of a function that can be looked into.
  struct Passing {
    const CallExpr* Call = nullptr;
    const FunctionDecl* Function = nullptr;
    const ParmVarDecl* Parameter = nullptr;
    const Expr* Number = nullptr;
  };

  /// The only call that a pointer is passed to by a function that does nothing else with it.
  static std::optional<Passing> passedOn(const FunctionDecl* In, const ParmVarDecl* P) {
    std::optional<Passing> Found;
    for (const CallExpr* Call : Calls(In->getBody()).Found)
      for (unsigned I = 0; I != Call->getNumArgs(); ++I) {
        const auto [Pointer, Number] = elementOf(Call->getArg(I));
        if (Pointer != P)
          continue;
        const FunctionDecl* Callee = Call->getDirectCallee();
        const FunctionDecl* Definition = Callee && !isa<CXXMethodDecl>(Callee) ? ownDefinition(*Callee) : nullptr;
        if (Found || !Definition || I >= Definition->getNumParams())
          return std::nullopt;
        Found = {Call, Definition, Definition->getParamDecl(I), Number};
      }
    const References Named(In->getBody());
    return llvm::count_if(Named.All, [&](const DeclRefExpr* Ref) { return Ref->getDecl() == P; }) == 1 ? Found : std::nullopt;
  }

  /// `p`, `p + number` or `&p[number]`: the pointer, and the number or null.
  static std::pair<const VarDecl*, const Expr*> elementOf(const Expr* E) {
    E = E->IgnoreParenImpCasts();
    if (const auto Sum = pointerSum(E); Sum && !Sum->IsSubtracted) {
      const auto [Pointer, Number] = elementOf(Sum->Pointer);
      if (!Pointer || !Number)
        return {Pointer, Sum->Number};
      // most + y * width + x
      return {Pointer, BinaryOperator::Create(Pointer->getASTContext(), const_cast<Expr*>(Number),
                                              const_cast<Expr*>(Sum->Number), BO_Add,
                                              Number->getType(), VK_PRValue, OK_Ordinary,
                                              E->getExprLoc(), FPOptionsOverride())};
    }
    const auto* Address = dyn_cast<UnaryOperator>(E);
    const auto* Element = Address && Address->getOpcode() == UO_AddrOf ? dyn_cast<ArraySubscriptExpr>(Address->getSubExpr()->IgnoreParens()) : nullptr;
    return Element ? std::pair(namedPointer(Element->getBase()), Element->getIdx()) : std::pair(namedPointer(E), static_cast<const Expr*>(nullptr));
  }

  /// Where a kernel, or a function that it passes the pointer on to, stores through it; the calls lead there.
  struct StorePlace {
    const FunctionDecl* Function = nullptr;
    const ParmVarDecl* Pointer = nullptr;
    std::vector<const CallExpr*> Calls;
    std::vector<const ParmVarDecl*> PassedOn;
    llvm::SmallVector<BinaryOperator*, 2> Stores;
    /// What a call adds to the pointer.
    PassedNumber Passed;

    /// The number of the element, and the function that names it.
    std::pair<const Expr*, const FunctionDecl*> number() const {
      return Passed.Number ? std::pair(Passed.Number, Passed.In) : std::pair(cast<ArraySubscriptExpr>(Stores.front()->getLHS()->IgnoreParens())->getIdx(), Function);
    }
  };
  static StorePlace storesOf(const FunctionDecl* Kernel, const ParmVarDecl* P) {
    constexpr unsigned MostCalls = 8;
    StorePlace Place{Kernel, P, {}, {}, ElementStores(Kernel->getBody(), P).Found, {}};
    while (Place.Stores.empty()) {
      const std::optional<Passing> On = passedOn(Place.Function, Place.Pointer);
      if (!On || Place.Calls.size() == MostCalls || (On->Number && Place.Passed.Number))
        break;
      if (On->Number) {
        const unsigned I = On->Parameter->getFunctionScopeIndex();
        Place.Passed = {On->Number, Place.Function, Place.Pointer, On->Call, I, On->Call->getArg(I)->getSourceRange()};
      }
      Place.Function = On->Function;
      Place.Pointer = On->Parameter;
      Place.Calls.push_back(On->Call);
      Place.PassedOn.push_back(On->Parameter);
      Place.Stores = Place.Passed.Number ? FirstElementStores(Place.Function->getBody(), Place.Pointer).Found
                                         : ElementStores(Place.Function->getBody(), Place.Pointer).Found;
    }
    return Place;
  }

  /// \p Other: a kernel, or an array of the host.
  bool report(SourceLocation Where, BlockNumbersProblem Why, StringRef Array, const std::string& Combining, StringRef Other = "") {
    U.Diags->report(Where, Diag::err_block_numbers) << Array << Combining << Other << static_cast<unsigned>(Why) << (Combining == TheHost);
    return false;
  }
  bool report(SourceLocation Where, BlockNumbersProblem Why, const VarDecl* Array, const std::string& Combining, const NamedDecl* Other) {
    return report(Where, Why, Array->getName(), Combining, Other ? Other->getName() : "");
  }
  static constexpr StringRef TheHost = "the host";
  static std::string quoted(const NamedDecl* D) { return "'" + D->getNameAsString() + "'"; }

  /// The only parameter for a variable; null if there is none, or another one.
  static const ParmVarDecl* parameterFor(const Stage& S, const VarDecl* V) {
    const ParmVarDecl* Found = nullptr;
    for (unsigned I = 0; S.Launch && S.Kernel && I != S.Arguments.size() && I != S.Kernel->getNumParams(); ++I) {
      if (namedPointer(S.Arguments[I]) != V)
        continue;
      if (Found)
        return nullptr;
      Found = S.Kernel->getParamDecl(I);
    }
    return Found && Found->getType()->isPointerType() && S.Kernel->getBody() ? Found : nullptr;
  }

  /// A launch whose kernel stores into an array.
  static bool stores(const Stage& S, const VarDecl* V) {
    const ParmVarDecl* P = parameterFor(S, V);
    return P && !storesOf(S.Kernel, P).Stores.empty();
  }

  bool storesNumber(const Stage& S, const VarDecl* V) const {
    const ParmVarDecl* P = parameterFor(S, V);
    return P && storesNumbers(S.Kernel, P);
  }

  static bool isDistributed(const Region& R, const VarDecl* V) {
    return llvm::any_of(R.Arrays, [&](const DistributedArray& A) { return A.Pointer.Variable == V; });
  }

  /// A launch that is passed no distributed array, and reads this one.
  static bool combines(const Region& R, const Stage& S, const VarDecl* V) {
    const ParmVarDecl* P = parameterFor(S, V);
    return P && storesOf(S.Kernel, P).Stores.empty() && References(S.Kernel->getBody()).mention(P) &&
           llvm::none_of(S.Arguments, [&](const Expr* E) {
             std::set<const VarDecl*> Named = namedVariables(E);
             return llvm::any_of(Named, [&](const VarDecl* Other) { return isDistributed(R, Other); });
           });
  }

  /// A variable of the region that does not begin as something else.
  static bool mayBeDistributed(const Region& R, const VarDecl* V) {
    if (!R.declares(V))
      return false;
    std::set<const VarDecl*> Named = namedVariables(V->getInit());
    return Named.empty() || llvm::any_of(Named, [&](const VarDecl* Other) { return isDistributed(R, Other) || mayBeDistributed(R, Other); });
  }

  /// Arrays into which one launch stores and of which another one reads.
  llvm::SmallSetVector<const VarDecl*, 2> arraysOf(const Region& R) const {
    llvm::SmallSetVector<const VarDecl*, 2> Found;
    const VariableChanges Changes(R.Statement);
    for (const Stage& S : R.Stages)
      for (const Expr* Argument : S.Arguments) {
        const VarDecl* V = namedPointer(Argument);
        if (!V || isDistributed(R, V) || mayBeDistributed(R, V) || Changes.changes(V) || R.findReduction(V) || R.findCollected(Argument))
          continue;
        bool IsStored = llvm::any_of(R.Stages, [&](const Stage& Other) { return stores(Other, V); });
        if (IsStored && (combines(R, S, V) || (hasNumbers(R, V) && isReadByHost(R, V, Context))))
          Found.insert(V);
      }
    return Found;
  }

  /// Whether a launch stores numbers of its blocks through a parameter.
  bool storesNumbers(const FunctionDecl* Kernel, const ParmVarDecl* P) const {
    if (!P->getType()->isPointerType() || !Kernel->getBody())
      return false;
    const StorePlace Place = storesOf(Kernel, P);
    if (Place.Stores.empty())
      return false;
    const auto [Number, In] = Place.number();
    return dimensionsOfBlockNumber(Number, In, Context).has_value();
  }

  /// Numbers in an array that a launch is passed by a member of a structure, and that the host copies.
  bool checkNames(const Region& R) {
    for (const Stage& S : R.Stages)
      for (unsigned I = 0; S.Launch && S.Kernel && I != S.Arguments.size() && I != S.Kernel->getNumParams(); ++I) {
        const Expr* Passed = S.Arguments[I]->IgnoreParenImpCasts();
        const PointerVariable Pointer = isa<MemberExpr>(Passed) ? anyPointerVariable(Passed) : PointerVariable();
        if (Pointer && !R.findArray(Pointer) && copiesToHost(R.Statement, *Passed, Context) && storesNumbers(S.Kernel, S.Kernel->getParamDecl(I)))
          return report(Passed->getExprLoc(), BlockNumbersProblem::OfStructure, Pointer.name(), TheHost.str());
      }
    return true;
  }

  bool findIn(Region& R) {
    if (!checkNames(R))
      return false;
    for (const VarDecl* Array : arraysOf(R)) {
      const auto First = llvm::find_if(R.Stages, [&](const Stage& S) { return combines(R, S, Array); });
      const bool OnHost = First == R.Stages.end();
      const std::string Combining = OnHost ? TheHost.str() : quoted(First->Kernel);
      if (R.declares(Array))
        return report(OnHost ? Array->getLocation() : First->Launch->getBeginLoc(), BlockNumbersProblem::Local, Array, Combining, nullptr);
      if (OnHost ? !findSums(R, Array) : !findCombining(R, Array))
        return false;
      if (!checkUses(R, Array, Combining) || !findStores(R, Array, Combining))
        return false;
      llvm::erase_if(R.Stages, [&](const Stage& S) {
        return llvm::any_of(R.Combining, [&](const CombiningLaunch& C) { return S.Launch && C.Launch == S.Launch; });
      });
    }
    if (const ForStmt* Loop = partlyCombined(R, Context)) {
      const auto Sum = llvm::find_if(R.HostSums, [&](const HostSum& Each) { return Each.Loop == Loop; });
      const VarDecl* Array = R.Reductions[Sum->From].Pointer;
      return report(Loop->getBeginLoc(), BlockNumbersProblem::NotAddedUp, Array, TheHost.str(), Array);
    }
    return true;
  }

  /// Nothing in the region but its launches names the array.
  bool checkUses(const Region& R, const VarDecl* Array, const std::string& Combining) {
    llvm::SmallPtrSet<const DeclRefExpr*, 8> Passed;
    for (const Stage& S : R.Stages)
      if (parameterFor(S, Array))
        for (const Expr* Argument : S.Arguments)
          if (namedPointer(Argument) == Array)
            Passed.insert(cast<DeclRefExpr>(Argument->IgnoreParenImpCasts()));
    for (const HostSum& Sum : R.HostSums)
      for (const Stmt* S : {Sum.Copy ? static_cast<const Stmt*>(Sum.Copy->getArg(1)) : Sum.Loop, static_cast<const Stmt*>(Sum.First)})
        for (const DeclRefExpr* Ref : References(S).All)
          Passed.insert(Ref);
    const DeclRefExpr* Other = nullptr;
    std::vector<const Stmt*> Statements = {R.Statement};
    for (const HostPart& P : R.HostParts)
      Statements.push_back(P.Statement);
    for (const Stmt* S : Statements)
      for (const DeclRefExpr* Ref : References(S).All)
        if (Ref->getDecl() == Array && !Passed.contains(Ref) && (!Other || Ref->getLocation() < Other->getLocation()))
          Other = Ref;
    return !Other || report(Other->getLocation(), BlockNumbersProblem::NamedElsewhere, Array, Combining, nullptr);
  }

  // --- The second kernel.

  bool findCombining(Region& R, const VarDecl* Array) {
    const VariableChanges Changes(R.outermostFunction()->getBody());
    const size_t From = R.Reductions.size();
    std::optional<Keyword> Operation;
    for (const Stage& S : R.Stages) {
      if (!combines(R, S, Array))
        continue;
      auto Wrong = [&](SourceLocation Where, BlockNumbersProblem Why) { return report(Where, Why, Array, quoted(S.Kernel), S.Kernel); };
      const auto Grid = constantLaunchSize(S.Grid, Changes, Context), Block = constantLaunchSize(S.Block, Changes, Context);
      constexpr std::int64_t MostThreads = 1024;
      if (Grid != std::array<std::optional<std::int64_t>, 3>{1, 1, 1} || !Block[0] || *Block[0] < 1 || *Block[0] > MostThreads || Block[1] != 1 ||
          Block[2] != 1)
        return Wrong(S.Launch->getBeginLoc(), BlockNumbersProblem::NotOneBlock);
      auto Understood = understandCombining(S.Kernel, parameterFor(S, Array), *Block[0], Context);
      if (const auto* Rejected = std::get_if<RejectedBlockNumbers>(&Understood)) {
        Wrong(Rejected->Where, Rejected->Why);
        U.Diags->report(S.Launch->getBeginLoc(), Diag::note_launch_here);
        return false;
      }
      const auto& Found = std::get<CombinedNumbers>(Understood);
      if (Operation && Operation != Found.Operation)
        return Wrong(S.Launch->getBeginLoc(), BlockNumbersProblem::OtherLaunch);
      Operation = Found.Operation;
      const Expr* Target = S.Arguments[Found.Result->getFunctionScopeIndex()];
      const VarDecl* Scalar = namedPointer(Target);
      const ReducedScalar* To = Scalar ? R.findReduction(Scalar) : nullptr;
      if (!To) {
        U.Diags->report(Target->getExprLoc(), Diag::err_not_reduced)
            << Found.Result->getName() << spelling(Found.Operation)
            << (Scalar ? Scalar->getName() : "scalar") << false;
        return false;
      }
      CombiningLaunch C;
      C.Launch = S.Launch;
      C.Kernel = S.Kernel;
      C.From = From;
      C.To = static_cast<size_t>(To - R.Reductions.data());
      C.Count = Found.Count ? S.Arguments[Found.Count->getFunctionScopeIndex()] : nullptr;
      C.Number = Found.Number;
      C.Threads = Found.OneForEachThread ? *Block[0] : 0;
      C.Adds = Found.Adds;
      C.Among = Found.Among;
      C.Constant = Found.Constant;
      C.Root = Found.Root;
      R.Combining.push_back(std::move(C));
    }
    R.Reductions.push_back(scalarOf(Array, *Operation));
    return true;
  }

  /// *array.
  ReducedScalar scalarOf(const VarDecl* Array, Keyword Operation) const {
    QualType Type = Array->getType().getNonReferenceType();
    SourceLocation Loc = Array->getLocation();
    auto* V = const_cast<VarDecl*>(Array);
    Expr* Ref = DeclRefExpr::Create(Context, NestedNameSpecifierLoc(), SourceLocation(), V, false, Loc, Type, VK_LValue);
    Ref = ImplicitCastExpr::Create(Context, Type, CK_LValueToRValue, Ref, nullptr, VK_PRValue, FPOptionsOverride());
    ReducedScalar S;
    S.Operation = Operation;
    S.Scalar = UnaryOperator::Create(Context, Ref, UO_Deref, Type->getPointeeType(), VK_LValue, OK_Ordinary, Loc, false, FPOptionsOverride());
    S.Pointer = Array;
    S.OfBlocks = true;
    return S;
  }

  // --- Or the host.

  /// Of what is no number of a block other messages are better.
  bool hasNumbers(const Region& R, const VarDecl* V) const {
    return llvm::any_of(R.Stages, [&](const Stage& S) { return storesNumber(S, V); });
  }

  bool findSums(Region& R, const VarDecl* Array) {
    const auto Found = findHostSums(R, Array, U);
    if (const auto* Rejected = std::get_if<RejectedHostSums>(&Found))
      return report(Rejected->Where, Rejected->Why, Array->getName(), TheHost.str(), Rejected->Host);
    const auto& Combined = std::get<CombinedByHost>(Found);
    R.Reductions.push_back(scalarOf(Array, Combined.Operation));
    R.Reductions.back().Total = Combined.Total;
    return true;
  }

  // --- The first ones.

  bool findStores(Region& R, const VarDecl* Array, const std::string& Combining) {
    const Keyword Operation = R.Reductions.back().Operation;
    const VariableChanges Changes(R.outermostFunction()->getBody());
    for (Stage& S : R.Stages) {
      const bool Passes = llvm::any_of(S.Arguments, [&](const Expr* E) { return namedPointer(E) == Array; });
      if (!Passes || combines(R, S, Array))
        continue;
      auto Wrong = [&](SourceLocation Where, BlockNumbersProblem Why) {
        report(Where, Why, Array, Combining, S.Kernel);
        U.Diags->report(S.location(), Diag::note_launch_here);
        return false;
      };
      const ParmVarDecl* P = parameterFor(S, Array);
      if (!P)
        return Wrong(S.location(), BlockNumbersProblem::UsedOtherwise);
      auto It = llvm::find_if(Known, [&](const Conditional& C) { return C.Store.Parameter == P; });
      if (It == Known.end()) {
        std::optional<RejectedBlockNumbers> Rejected = addStore(S.Kernel, P, Operation, R);
        if (Rejected)
          return Wrong(Rejected->Where, Rejected->Why);
        It = std::prev(Known.end());
      }
      if (It->Store.Operation != Operation)
        return Wrong(S.location(), BlockNumbersProblem::OtherLaunch);
      const auto Block = constantLaunchSize(S.Block, Changes, Context);
      constexpr std::int64_t MostThreads = 1024;
      if (!Block[0] || !Block[1] || !Block[2] || *Block[0] < 1 || *Block[1] < 1 || *Block[2] < 1 || *Block[0] > MostThreads ||
          *Block[1] > MostThreads || *Block[0] * *Block[1] * *Block[2] > MostThreads)
        return Wrong(S.location(), BlockNumbersProblem::BlockSize);
      if (threadsMeeting(It->Conditions, S.Kernel, It->Calls, {*Block[0], *Block[1], *Block[2]}, Context) != 1U)
        return Wrong(It->Store.Statement->getBeginLoc(), BlockNumbersProblem::NotOneThread);
      S.BlockNumbers.emplace_back(P, It->Store.Dimensions);
      if (llvm::none_of(R.BlockStores, [&](const BlockStore& B) { return B.Parameter == P; }))
        R.BlockStores.push_back(It->Store);
    }
    return true;
  }

  std::optional<RejectedBlockNumbers> addStore(const FunctionDecl* Kernel, const ParmVarDecl* P, Keyword Operation, const Region& R) {
    auto Reject = [](BlockNumbersProblem Why, SourceLocation Where) { return RejectedBlockNumbers{Why, Where}; };
    StorePlace Place = storesOf(Kernel, P);
    if (Place.Stores.empty())
      return Reject(BlockNumbersProblem::UsedOtherwise, P->getLocation());
    BinaryOperator* Store = Place.Stores.front();
    const References Named(Place.Function->getBody()), InStore(Store->getLHS());
    for (const DeclRefExpr* Ref : Named.All)
      if (Ref->getDecl() == Place.Pointer && !InStore.All.contains(Ref))
        return Reject(BlockNumbersProblem::UsedOtherwise, Ref->getLocation());
    const auto [Number, NumberIn] = Place.number();
    Conditional Found;
    Found.Store = {Kernel, P, Place.Function, Place.Pointer, std::move(Place.PassedOn), Place.Passed, Store, Operation, 1};
    Found.Calls = std::move(Place.Calls);
    if (!isTextOfBody(Place.Function, Store->getSourceRange()) || !isTextOfBody(NumberIn, Number->getSourceRange()) ||
        !Context.hasSameUnqualifiedType(Place.Pointer->getType()->getPointeeType(), R.Reductions.back().Scalar->getType()) ||
        !Store->getType()->isArithmeticType() ||
        !llvm::all_of(Found.Store.PassedOn, [](const ParmVarDecl* On) { return pointeeText(*On).has_value(); }))
      return Reject(BlockNumbersProblem::NotStatement, Store->getBeginLoc());
    const std::optional<unsigned> Dimensions = dimensionsOfBlockNumber(Number, NumberIn, Context);
    if (!Dimensions)
      return Reject(BlockNumbersProblem::NotNumber, Number->getBeginLoc());
    Found.Store.Dimensions = *Dimensions;
    const FunctionDecl* In = Kernel;
    for (const CallExpr* Call : Found.Calls) {
      if (auto Rejected = addConditions(In, Call, Found))
        return Rejected;
      In = ownDefinition(*Call->getDirectCallee());
    }
    if (auto Rejected = addConditions(In, Store, Found))
      return Rejected;
    Found.Parent = const_cast<Stmt*>(Path[Path.size() - 2]);
    Known.push_back(std::move(Found));
    return std::nullopt;
  }

  /// Of a store or call in a function, which is a statement that is come to once.
  std::optional<RejectedBlockNumbers> addConditions(const FunctionDecl* In, const Expr* E, Conditional& Found) {
    Path.clear();
    if (!findPath(In->getBody(), E))
      return RejectedBlockNumbers{BlockNumbersProblem::NotStatement, E->getBeginLoc()};
    for (size_t I = 0; I + 1 < Path.size(); ++I) {
      const Stmt *Outer = Path[I], *Inner = Path[I + 1];
      if (const auto* If = dyn_cast<IfStmt>(Outer); If && !If->getInit() && !If->getConditionVariable() && Inner != If->getCond()) {
        Found.Conditions.emplace_back(If->getCond(), Inner == If->getThen());
        continue;
      }
      const auto* Block = dyn_cast<CompoundStmt>(Outer);
      if (!Block && !isa<ExprWithCleanups>(Outer))
        return RejectedBlockNumbers{isa<Expr, DeclStmt>(Outer) ? BlockNumbersProblem::NotStatement : BlockNumbersProblem::NotOneThread, E->getBeginLoc()};
      if (!Block)
        continue;
      for (const Stmt* Before : llvm::make_range(Block->body_begin(), llvm::find(Block->body(), Inner))) {
        if (const Expr* Leaves = conditionOfReturn(Before))
          Found.Conditions.emplace_back(Leaves, false);
        else if (mayLeave(Before))
          return RejectedBlockNumbers{BlockNumbersProblem::NotOneThread, E->getBeginLoc()};
      }
    }
    return std::nullopt;
  }

  /// Of `if (condition) return;`.
  static const Expr* conditionOfReturn(const Stmt* S) {
    const auto* If = dyn_cast<IfStmt>(S);
    if (!If || If->getElse() || If->getInit() || If->getConditionVariable())
      return nullptr;
    const Stmt* Then = If->getThen();
    if (const auto* Block = dyn_cast<CompoundStmt>(Then); Block && Block->size() == 1)
      Then = Block->body_front();
    return isa<ReturnStmt>(Then) ? If->getCond() : nullptr;
  }

  /// From the body to the statement.
  bool findPath(const Stmt* S, const Stmt* To) {
    if (!S)
      return false;
    Path.push_back(S);
    if (S == To || llvm::any_of(S->children(), [&](const Stmt* Child) { return findPath(Child, To); }))
      return true;
    Path.pop_back();
    return false;
  }

  /// Once all is looked at: a function may be one that a combining kernel calls, too.
  void replaceStores() {
    for (const Conditional& C : Known) {
      replaceStore(C.Store, *C.Parent);
      if (C.Store.Function != C.Store.Kernel)
        markCopied(*C.Store.Function, *C.Store.Pointer);
      if (const PassedNumber& Passed = C.Store.Passed; Passed.Number)
        const_cast<CallExpr*>(Passed.Call)->setArg(Passed.Argument, valueOf(*Passed.Pointer, Passed.Number->getBeginLoc()));
    }
  }

  /// Of a parameter.
  Expr* valueOf(const ParmVarDecl& P, SourceLocation Loc) const {
    const QualType Type = P.getType();
    Expr* Ref = DeclRefExpr::Create(Context, NestedNameSpecifierLoc(), SourceLocation(), const_cast<ParmVarDecl*>(&P), false, Loc, Type, VK_LValue);
    return ImplicitCastExpr::Create(Context, Type.getUnqualifiedType(), CK_LValueToRValue, Ref, nullptr, VK_PRValue, FPOptionsOverride());
  }

  void replaceStore(const BlockStore& B, Stmt& Parent) {
    const BinaryOperator& Store = *B.Statement;
    IdentifierInfo* Name = &Context.Idents.get(atomicOf(B.Operation));
    DeclContext* Everywhere = Context.getTranslationUnitDecl();
    // As CUDA's own, which there is not for all types.
    auto Declared = Everywhere->lookup(Name);
    SourceLocation Place = Declared.empty() ? SourceLocation() : Declared.front()->getLocation();
    QualType Type = Store.getLHS()->getType().getUnqualifiedType();
    QualType Types[] = {Context.getPointerType(Type), Type};
    QualType Function = Context.getFunctionType(Type, Types, FunctionProtoType::ExtProtoInfo());
    auto* Atomic = FunctionDecl::Create(Context, Everywhere, Place, Place, Name, Function, Context.getTrivialTypeSourceInfo(Function), SC_None);
    llvm::SmallVector<ParmVarDecl*, 2> Parameters;
    for (QualType Each : Types)
      Parameters.push_back(ParmVarDecl::Create(Context, Atomic, Place, Place, nullptr, Each, Context.getTrivialTypeSourceInfo(Each), SC_None, nullptr));
    Atomic->setParams(Parameters);
    Expr* Callee = DeclRefExpr::Create(Context, NestedNameSpecifierLoc(), SourceLocation(), Atomic, false, Store.getBeginLoc(), Function, VK_LValue);
    Callee = ImplicitCastExpr::Create(Context, Context.getPointerType(Function), CK_FunctionToPointerDecay, Callee, nullptr, VK_PRValue, FPOptionsOverride());
    Expr* Arguments[] = {valueOf(*B.Pointer, Store.getBeginLoc()), Store.getRHS()};
    auto* Call = CallExpr::Create(Context, Callee, Arguments, Type, VK_PRValue, Store.getEndLoc(), FPOptionsOverride());
    for (Stmt*& Child : Parent.children())
      if (Child == &Store)
        Child = Call;
  }

  /// All launches of a kernel run one text.
  bool checkOtherLaunches() {
    for (const Region& R : U.Regions)
      for (const Stage& S : R.Stages) {
        if (R.isPattern() || !S.Kernel)
          continue;
        for (const Conditional& C : Known) {
          unsigned I = C.Store.Parameter->getFunctionScopeIndex();
          if (kernelPatternKey(S.Kernel, U.sources()) != kernelPatternKey(C.Store.Kernel, U.sources()) || I >= S.Arguments.size())
            continue;
          const VarDecl* V = namedPointer(S.Arguments[I]);
          const ReducedScalar* Numbers = V ? R.findReduction(V) : nullptr;
          if (Numbers && Numbers->OfBlocks && Numbers->Operation == C.Store.Operation && S.storesNumber(S.Kernel->getParamDecl(I)))
            continue;
          report(S.location(), BlockNumbersProblem::OtherLaunch, C.Store.Parameter, combiningOf(C), S.Kernel);
          return false;
        }
      }
    return true;
  }

  /// Nor is there another copy of a function that stores numbers for what else calls it.
  bool checkOtherCalls() {
    for (const Region& R : U.Regions)
      for (const Stage& S : R.Stages) {
        if (R.isPattern() || !S.Kernel || !S.Kernel->getBody())
          continue;
        const AllCalls Called(S.Kernel);
        for (const Conditional& C : Known) {
          const FunctionDecl* In = C.Store.Kernel;
          for (const CallExpr* Known : C.Calls) {
            const FunctionDecl* Callee = ownDefinition(*Known->getDirectCallee());
            for (const CallExpr* Call : Called.Found)
              if (isCallOf(Call, Callee) && !isKnownCall(Call, C.Store.Operation)) {
                report(Call->getBeginLoc(), BlockNumbersProblem::OtherCall, C.Store.Parameter, combiningOf(C), S.Kernel);
                U.Diags->report(Known->getBeginLoc(), Diag::note_numbers_by_call) << In->getName();
                return false;
              }
            In = Callee;
          }
        }
      }
    return true;
  }

  bool isCallOf(const CallExpr* Call, const FunctionDecl* Function) const {
    const FunctionDecl* Callee = Call->getDirectCallee();
    return Callee && kernelPatternKey(Callee, U.sources()) == kernelPatternKey(Function, U.sources());
  }
  /// Instances of a template are one text.
  bool isKnownCall(const CallExpr* Call, Keyword Operation) const {
    return llvm::any_of(Known, [&](const Conditional& C) {
      return C.Store.Operation == Operation &&
             llvm::any_of(C.Calls, [&](const CallExpr* Known) { return Known->getBeginLoc() == Call->getBeginLoc() && Known->getEndLoc() == Call->getEndLoc(); });
    });
  }

  std::string combiningOf(const Conditional& C) const {
    for (const Region& R : U.Regions)
      if (llvm::any_of(R.BlockStores, [&](const BlockStore& B) { return B.Parameter == C.Store.Parameter; }))
        return R.Combining.empty() ? TheHost.str() : quoted(R.Combining.front().Kernel);
    return quoted(C.Store.Kernel);
  }

  Unit& U;
  ASTContext& Context;
  std::vector<Conditional> Known;
  std::vector<const Stmt*> Path;
};

} // namespace

bool findBlockNumbers(Unit& U) { return BlockNumberFinder(U).run(); }

/// `T* out` of a function's copy: what takes the pointer's place in the kernel (ThreadParts.h).
static void editPassedOn(const ParmVarDecl& P, Keyword Operation, EditSet& Edits) {
  const ASTContext& Context = P.getASTContext();
  const std::optional<FileRange> Whole = fileRange(P.getSourceRange(), Context.getSourceManager(), Context.getLangOpts()), Pointee = pointeeText(P);
  if (!Whole || !Pointee)
    return; // addStore has looked at the text
  const StringRef Name = Operation == Keyword::Plus ? "plus" : Operation == Keyword::Max ? "maximum" : "minimum";
  Edits.replace({Whole->File, Whole->Begin, Pointee->Begin}, "const ::gpurma::stages::part_pointer<");
  Edits.replace({Whole->File, Pointee->End, Whole->End}, (", ::gpurma::stages::" + Name + "> " + P.getName()).str());
}

void editBlockStores(const FunctionDecl* Kernel, const Unit& U, EditSet& Edits) {
  const std::string Key = kernelPatternKey(Kernel, U.sources());
  std::set<std::pair<std::string, unsigned>> Done;
  for (const Region& R : U.Regions)
    for (const BlockStore& B : R.BlockStores) {
      if (kernelPatternKey(B.Kernel, U.sources()) != Key)
        continue;
      std::optional<FileRange> Whole = fileRangeInBody(B.Function, B.Statement->getSourceRange());
      std::optional<FileRange> Value = fileRangeInBody(B.Function, B.Statement->getRHS()->getSourceRange());
      if (!Whole || !Value || !Done.emplace(Whole->File, Whole->Begin).second)
        continue; // addStore has looked at the text
      std::string Call = (atomicOf(B.Operation) + "(" + B.Pointer->getName() + ", ").str();
      const auto* Element = B.Passed.Number ? nullptr : dyn_cast<ArraySubscriptExpr>(B.Statement->getLHS()->IgnoreParens());
      std::optional<FileRange> Number = Element ? fileRangeInBody(B.Function, Element->getIdx()->getSourceRange()) : std::nullopt;
      if (Number) {
        // Or compilers would warn of variables that nothing else uses.
        Edits.replace({Whole->File, Whole->Begin, Number->Begin}, "static_cast<void>(");
        Edits.replace({Whole->File, Number->End, Value->Begin}, "), " + Call);
      } else {
        Edits.replace({Whole->File, Whole->Begin, Value->Begin}, Call);
      }
      Edits.wrap(*Value, "", ")");
      for (const ParmVarDecl* On : B.PassedOn)
        editPassedOn(*On, B.Operation, Edits);
      if (!B.Passed.Number)
        continue;
      if (std::optional<FileRange> Passed = fileRangeInBody(B.Passed.In, B.Passed.Text))
        if (Done.emplace(Passed->File, Passed->Begin).second)
          Edits.replace(*Passed, B.Passed.Pointer->getNameAsString());
    }
}

} // namespace gpurma
