// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/BlockNumbers.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "passes/BlockThreads.h"
#include "passes/HostSums.h"
#include "passes/LaunchSize.h"
#include "passes/VariableChanges.h"
#include "passes/VariableUses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include <set>

using namespace clang;

namespace gpurma {
namespace {

StringRef atomicOf(Keyword Operation) { return Operation == Keyword::Plus ? "atomicAdd" : Operation == Keyword::Max ? "atomicMax" : "atomicMin"; }

class BlockNumberFinder {
public:
  explicit BlockNumberFinder(Unit& U) : U(U), Context(U.context()) {}

  bool run() {
    for (Region& R : U.Regions)
      if (!R.isPattern() && !findIn(R))
        return false;
    return checkOtherLaunches();
  }

private:
  /// What is found of a store, besides its conditions.
  struct Conditional {
    BlockStore Store;
    std::vector<std::pair<const Expr*, bool>> Conditions;
  };

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
    return P && !ElementStores(S.Kernel->getBody(), P).Found.empty();
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
    return P && ElementStores(S.Kernel->getBody(), P).Found.empty() && References(S.Kernel->getBody()).mention(P) &&
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
        bool IsStored = llvm::any_of(R.Stages, [&](const Stage& Other) { return stores(Other, V) || isChanged(Other, V); });
        if (IsStored && (combines(R, S, V) || (hasNumbers(R, V) && isReadByHost(R, V, Context))))
          Found.insert(V);
      }
    return Found;
  }

  /// By a store that has become an atomic operation for another launch.
  bool isChanged(const Stage& S, const VarDecl* V) const {
    const ParmVarDecl* P = parameterFor(S, V);
    return P && llvm::any_of(Known, [&](const Conditional& C) { return C.Store.Parameter == P; });
  }

  /// Whether a launch stores numbers of its blocks through a parameter.
  bool storesNumbers(const FunctionDecl* Kernel, const ParmVarDecl* P) const {
    return P->getType()->isPointerType() && Kernel->getBody() && llvm::any_of(ElementStores(Kernel->getBody(), P).Found, [&](const BinaryOperator* Store) {
      const auto* Element = cast<ArraySubscriptExpr>(Store->getLHS()->IgnoreParens());
      return dimensionsOfBlockNumber(Element->getIdx(), Kernel, Context).has_value();
    });
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
            << Found.Result->getName() << spelling(Found.Operation) << (Scalar ? Scalar->getName() : "scalar");
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
    return llvm::any_of(R.Stages, [&](const Stage& S) { return isChanged(S, V) || storesNumber(S, V); });
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
      if (threadsMeeting(It->Conditions, S.Kernel, {*Block[0], *Block[1], *Block[2]}, Context) != 1U)
        return Wrong(It->Store.Statement->getBeginLoc(), BlockNumbersProblem::NotOneThread);
      S.BlockNumbers.emplace_back(P, It->Store.Dimensions);
      if (llvm::none_of(R.BlockStores, [&](const BlockStore& B) { return B.Parameter == P; }))
        R.BlockStores.push_back(It->Store);
    }
    return true;
  }

  std::optional<RejectedBlockNumbers> addStore(const FunctionDecl* Kernel, const ParmVarDecl* P, Keyword Operation, const Region& R) {
    auto Reject = [](BlockNumbersProblem Why, SourceLocation Where) { return RejectedBlockNumbers{Why, Where}; };
    const ElementStores All(Kernel->getBody(), P);
    if (All.Found.empty())
      return Reject(BlockNumbersProblem::UsedOtherwise, P->getLocation());
    BinaryOperator* Store = All.Found.front();
    const auto* Element = cast<ArraySubscriptExpr>(Store->getLHS()->IgnoreParens());
    const References InKernel(Kernel->getBody());
    for (const DeclRefExpr* Ref : InKernel.All)
      if (Ref->getDecl() == P && Ref != Element->getBase()->IgnoreParenImpCasts())
        return Reject(BlockNumbersProblem::UsedOtherwise, Ref->getLocation());
    Conditional Found;
    Found.Store = {Kernel, P, Store, Operation, 1};
    Path.clear();
    if (!findPath(Kernel->getBody(), Store) || !isTextOfBody(Kernel, Store->getSourceRange()) ||
        !Context.hasSameUnqualifiedType(P->getType()->getPointeeType(), R.Reductions.back().Scalar->getType()) ||
        !Store->getType()->isArithmeticType())
      return Reject(BlockNumbersProblem::NotStatement, Store->getBeginLoc());
    const std::optional<unsigned> Dimensions = dimensionsOfBlockNumber(Element->getIdx(), Kernel, Context);
    if (!Dimensions)
      return Reject(BlockNumbersProblem::NotNumber, Element->getIdx()->getBeginLoc());
    Found.Store.Dimensions = *Dimensions;
    for (size_t I = 0; I + 1 < Path.size(); ++I) {
      const Stmt *Outer = Path[I], *Inner = Path[I + 1];
      if (const auto* If = dyn_cast<IfStmt>(Outer); If && !If->getInit() && !If->getConditionVariable() && Inner != If->getCond()) {
        Found.Conditions.emplace_back(If->getCond(), Inner == If->getThen());
        continue;
      }
      const auto* Block = dyn_cast<CompoundStmt>(Outer);
      if (!Block && !isa<ExprWithCleanups>(Outer))
        return Reject(isa<Expr, DeclStmt>(Outer) ? BlockNumbersProblem::NotStatement : BlockNumbersProblem::NotOneThread, Store->getBeginLoc());
      if (Block && llvm::any_of(llvm::make_range(Block->body_begin(), llvm::find(Block->body(), Inner)), mayLeave))
        return Reject(BlockNumbersProblem::NotOneThread, Store->getBeginLoc());
    }
    replaceStore(*Store, *Element, Operation);
    Known.push_back(std::move(Found));
    return std::nullopt;
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

  /// Puts the atomic operation where the path leads to.
  void replaceStore(BinaryOperator& Store, const ArraySubscriptExpr& Element, Keyword Operation) {
    IdentifierInfo* Name = &Context.Idents.get(atomicOf(Operation));
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
    Expr* Arguments[] = {const_cast<Expr*>(Element.getBase()), Store.getRHS()};
    auto* Call = CallExpr::Create(Context, Callee, Arguments, Type, VK_PRValue, Store.getEndLoc(), FPOptionsOverride());
    auto* Parent = const_cast<Stmt*>(Path[Path.size() - 2]);
    for (Stmt*& Child : Parent->children())
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

void editBlockStores(const FunctionDecl* Kernel, const Unit& U, EditSet& Edits) {
  const std::string Key = kernelPatternKey(Kernel, U.sources());
  std::set<unsigned> Done;
  for (const Region& R : U.Regions)
    for (const BlockStore& B : R.BlockStores) {
      if (kernelPatternKey(B.Kernel, U.sources()) != Key)
        continue;
      std::optional<FileRange> Whole = fileRangeInBody(Kernel, B.Statement->getSourceRange());
      std::optional<FileRange> Value = fileRangeInBody(Kernel, B.Statement->getRHS()->getSourceRange());
      if (!Whole || !Value || !Done.insert(Whole->Begin).second)
        continue; // addStore has looked at the text
      std::string Call = (atomicOf(B.Operation) + "(" + B.Parameter->getName() + ", ").str();
      const auto* Element = dyn_cast<ArraySubscriptExpr>(B.Statement->getLHS()->IgnoreParens());
      std::optional<FileRange> Number = Element ? fileRangeInBody(Kernel, Element->getIdx()->getSourceRange()) : std::nullopt;
      if (Number) {
        // Or compilers would warn of variables that nothing else uses.
        Edits.replace({Whole->File, Whole->Begin, Number->Begin}, "static_cast<void>(");
        Edits.replace({Whole->File, Number->End, Value->Begin}, "), " + Call);
      } else {
        Edits.replace({Whole->File, Whole->Begin, Value->Begin}, Call);
      }
      Edits.wrap(*Value, "", ")");
    }
}

} // namespace gpurma
