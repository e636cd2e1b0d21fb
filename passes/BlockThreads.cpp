// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/BlockThreads.h"

#include "passes/CallVisitor.h"
#include "passes/Extrema.h"
#include "passes/ThreadCooperation.h"
#include "passes/VariableChanges.h"
#include "passes/VariableUses.h"

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

using namespace clang;

namespace gpurma {
namespace {

/// What a thread has for an expression.
struct Value {
  enum Kind {
    Unknown,
    Integer,
    Real,
    Index,   ///< of an element of the array, in an iteration of a loop through all elements of a thread, plus an offset
    Below,   ///< whether such an index, or the number of the thread, is below the number of elements
    Count,   ///< the number of elements
    Place,   ///< of a variable in memory, or of what a parameter points to, plus an offset
    Numbers, ///< elements of the array, combined
  };
  Kind Of = Unknown;
  std::int64_t Whole = 0;
  double Fraction = 0;
  const VarDecl* Variable = nullptr;
  /// Of a place: at an index.
  bool AtIndex = false;
  llvm::BitVector Elements;
  /// Of all of them the root has been taken, by this function.
  std::string Root;
  /// A number is combined with them, and instead of an element that there is not.
  bool AndConstant = false, OrConstant = false;
  double Constant = 0;

  bool operator==(const Value& Other) const {
    return Of == Other.Of && Whole == Other.Whole && Fraction == Other.Fraction && Variable == Other.Variable && AtIndex == Other.AtIndex &&
           Elements == Other.Elements && Root == Other.Root &&
           AndConstant == Other.AndConstant && OrConstant == Other.OrConstant && Constant == Other.Constant;
  }
  static Value integer(std::int64_t Number) {
    Value V;
    V.Of = Integer;
    V.Whole = Number;
    return V;
  }
};

/// One for each thread.
using Values = std::vector<Value>;

class BlockRun {
public:
  BlockRun(const FunctionDecl* Kernel, const ParmVarDecl* Numbers, std::array<std::int64_t, 3> Block, ASTContext& Context)
      : Kernel(Kernel), Numbers(Numbers), Block(Block), Threads(static_cast<size_t>(Block[0] * Block[1] * Block[2])), Context(Context),
        Changed(Kernel->getBody()), Active(Threads, true), Returned(Threads), Nobody(Threads) {
    if (Numbers)
      ElementType = Context.getCanonicalType(Numbers->getType()->getPointeeType()).getUnqualifiedType();
  }

  std::variant<CombinedNumbers, RejectedBlockNumbers> run() {
    run(Kernel->getBody());
    if (!Wrong && Stores != 1)
      fail(BlockNumbersProblem::NotStoredOnce, StoredAt.isValid() ? StoredAt : Kernel->getLocation());
    // Of a sum, a thread without a number has 0.
    const bool AddsConstant = Operation.value_or(Keyword::Plus) == Keyword::Plus && Stored.Constant != 0;
    if (!Wrong && (Stored.Of != Value::Numbers || AddsConstant || (Guarded && (Unguarded || InLoop)) || (InLoop && Unguarded)))
      fail(BlockNumbersProblem::NotAll, StoredAt);
    if (!Wrong) {
      Result.Number = Stored.Elements.find_last() + 1;
      size_t Wanted = InLoop ? 2 * Threads : Guarded ? Threads : static_cast<size_t>(Result.Number);
      if (Stored.Elements.count() != Wanted || static_cast<size_t>(Result.Number) != Wanted)
        fail(BlockNumbersProblem::NotAll, StoredAt);
    }
    if (Wrong)
      return *Wrong;
    Result.Root = Stored.Root;
    if (Operation.value_or(Keyword::Plus) != Keyword::Plus)
      Result.Among = Stored.AndConstant  ? ConstantAmongNumbers::Always
                     : Stored.OrConstant ? ConstantAmongNumbers::IfFewerThanThreads
                                         : ConstantAmongNumbers::Never;
    Result.Constant = Stored.Constant;
    Result.Operation = Operation.value_or(Keyword::Plus);
    Result.OneForEachThread = Guarded;
    return Result;
  }

  /// The same in each block of a grid.
  std::optional<unsigned> meeting(ArrayRef<std::pair<const Expr*, bool>> Conditions, ArrayRef<const CallExpr*> Calls) {
    OfAnyBlock = true;
    for (const CallExpr* Call : Calls) {
      const FunctionDecl* Callee = ownDefinition(*Call->getDirectCallee());
      InCalled.emplace_back(Callee->getBody());
      for (unsigned I = 0; I != Callee->getNumParams() && I != Call->getNumArgs(); ++I)
        Passed[Callee->getParamDecl(I)] = Call->getArg(I);
    }
    unsigned Count = 0;
    std::vector<Values> Each;
    for (const auto& [Condition, Wanted] : Conditions)
      Each.push_back(eval(Condition));
    for (size_t T = 0; T != Threads; ++T) {
      bool All = true;
      for (size_t I = 0; I != Each.size(); ++I) {
        if (Each[I][T].Of != Value::Integer)
          return std::nullopt;
        All &= (Each[I][T].Whole != 0) == Conditions[I].second;
      }
      Count += All;
    }
    return Wrong ? std::nullopt : std::optional(Count);
  }

  /// In one block of a grid.
  std::optional<std::int64_t> inBlock(const Expr* E, std::array<std::int64_t, 3> At, std::array<std::int64_t, 3> Of) {
    BlockIndex = At;
    Grid = Of;
    Variables.clear();
    Value Found = eval(E).front();
    return !Wrong && Found.Of == Value::Integer ? std::optional(Found.Whole) : std::nullopt;
  }

private:
  void fail(BlockNumbersProblem Why, SourceLocation Where) {
    if (!Wrong)
      Wrong = {Why, Where};
  }
  Values nothing() const { return Values(Threads); }
  bool runs(size_t Thread) const { return Active[Thread] && !Returned[Thread]; }

  template <typename Predicate> bool any(Predicate Is) const {
    for (size_t T = 0; T != Threads; ++T)
      if (Is(T))
        return true;
    return false;
  }

  template <typename Function> Values each(Function Of) const {
    Values Found(Threads);
    for (size_t T = 0; T != Threads; ++T)
      Found[T] = Of(T);
    return Found;
  }

  // --- Statements.

  void run(const Stmt* S) {
    if (Wrong || !S)
      return;
    if (const auto* Compound = dyn_cast<CompoundStmt>(S)) {
      for (const Stmt* Each : Compound->body())
        run(Each);
    } else if (const auto* Declares = dyn_cast<DeclStmt>(S)) {
      for (const Decl* D : Declares->decls())
        if (const auto* V = dyn_cast<VarDecl>(D); V && !V->hasAttr<CUDASharedAttr>())
          Variables[V] = V->getInit() && !V->getType()->isRecordType() ? eval(V->getInit()) : nothing();
    } else if (const auto* If = dyn_cast<IfStmt>(S); If && !If->getConditionVariable() && !If->getInit()) {
      if (runExtremum(*If))
        return;
      branch(eval(If->getCond()), [&] { run(If->getThen()); }, [&] { run(If->getElse()); }, If->getBeginLoc());
    } else if (const auto* For = dyn_cast<ForStmt>(S); For && For->getCond() && !For->getConditionVariable()) {
      run(For->getInit());
      loop(For->getCond(), For->getBody(), For->getInc());
    } else if (const auto* While = dyn_cast<WhileStmt>(S); While && !While->getConditionVariable()) {
      loop(While->getCond(), While->getBody(), nullptr);
    } else if (const auto* Return = dyn_cast<ReturnStmt>(S)) {
      if (Return->getRetValue()) {
        Values Given = eval(Return->getRetValue());
        for (size_t T = 0; T != Threads; ++T)
          if (runs(T))
            ReturnValues[T] = Given[T];
      }
      for (size_t T = 0; T != Threads; ++T)
        Returned[T] = Returned[T] || Active[T];
    } else if (const auto* E = dyn_cast<Expr>(S)) {
      eval(E);
    } else if (!isa<NullStmt>(S)) {
      fail(BlockNumbersProblem::NotAll, S->getBeginLoc());
    }
  }

  using SharedMemory = std::map<const VarDecl*, std::map<std::int64_t, Value>>;
  struct Memory {
    std::map<const VarDecl*, Values> Variables;
    SharedMemory Shared;
  };

  template <typename Then, typename Else> void branch(const Values& Condition, Then RunThen, Else RunElse, SourceLocation Where) {
    std::vector<bool> Outer = Active;
    bool IsBelow = false;
    for (size_t T = 0; T != Threads; ++T) {
      if (!runs(T))
        continue;
      if (Condition[T].Of != Value::Integer && Condition[T].Of != Value::Below)
        return fail(BlockNumbersProblem::NotAll, Where);
      IsBelow |= Condition[T].Of == Value::Below;
    }
    if (IsBelow) {
      if (std::exchange(InGuard, true) || any([&](size_t T) { return runs(T) && !isOwn(Condition[T], T); }))
        return fail(BlockNumbersProblem::NotAll, Where);
      Memory Before{Variables, Shared};
      RunThen();
      InGuard = false;
      std::swap(Before.Variables, Variables);
      std::swap(Before.Shared, Shared);
      RunElse();
      for (auto& [V, Each] : Variables)
        if (auto It = Before.Variables.find(V); It != Before.Variables.end())
          for (size_t T = 0; T != Threads; ++T)
            Each[T] = either(It->second[T], Each[T]);
      for (auto& [V, Elements] : Before.Shared)
        for (auto& [At, Taken] : Elements)
          Shared[V][At] = either(Taken, Shared[V][At]);
      return;
    }
    for (bool Taken : {true, false}) {
      bool Any = false;
      for (size_t T = 0; T != Threads; ++T) {
        Active[T] = Outer[T] && !Returned[T] && Condition[T].Of == Value::Integer && (Condition[T].Whole != 0) == Taken;
        Any |= Active[T];
      }
      if (Any)
        Taken ? RunThen() : RunElse();
    }
    Active = Outer;
  }

  /// Whether the number of the thread itself is below the number of elements.
  static bool isOwn(const Value& Condition, size_t Thread) {
    return Condition.Of == Value::Below && Condition.Whole == static_cast<std::int64_t>(Thread);
  }

  /// What a thread has that may have an element or not.
  Value either(const Value& With, const Value& Without) {
    if (With == Without)
      return With;
    if (With.Of != Value::Numbers || Without.Of == Value::Numbers)
      return {};
    const std::optional<Keyword> Neutral = neutralFor(Without);
    Value Found = With;
    if (Neutral && *Neutral != Keyword::Plus)
      return by(*Neutral) ? Found : Value();
    if (!addConstant(Found, Without))
      return {};
    Found.OrConstant = true;
    return Found;
  }

  void loop(const Expr* Condition, const Stmt* Body, const Expr* Increment) {
    constexpr unsigned MostIterations = 10'000;
    std::vector<bool> Outer = Active;
    while (!Wrong) {
      Values Goes = eval(Condition);
      if (any([&](size_t T) { return runs(T) && Goes[T].Of == Value::Below; })) {
        throughElements(Condition, Goes, Body, Increment);
        break;
      }
      bool Any = false;
      for (size_t T = 0; T != Threads; ++T) {
        if (runs(T) && Goes[T].Of != Value::Integer)
          return fail(BlockNumbersProblem::NotAll, Condition->getBeginLoc());
        Active[T] = runs(T) && Goes[T].Whole != 0;
        Any |= Active[T];
      }
      if (!Any)
        break;
      if (++Iterations > MostIterations)
        return fail(BlockNumbersProblem::NotAll, Condition->getBeginLoc());
      run(Body);
      if (Increment)
        eval(Increment);
    }
    Active = Outer;
  }

  /// A loop that begins with the number of the thread and goes on by the number of all: what the first two iterations do to the only variable
  /// that they change, all do.
  void throughElements(const Expr* Condition, const Values& Goes, const Stmt* Body, const Expr* Increment) {
    const VarDecl* V = comparedIndex(Condition);
    auto Found = Variables.find(V);
    if (!V || InGuard || std::exchange(InLoop, true) || exitOf(Body) || Found == Variables.end())
      return fail(BlockNumbersProblem::NotAll, Condition->getBeginLoc());
    for (size_t T = 0; T != Threads; ++T)
      if (!runs(T) || !isOwn(Goes[T], T))
        return fail(BlockNumbersProblem::NotAll, Condition->getBeginLoc());
    const Memory Before{Variables, Shared};
    Sharing.clear();
    InElements = true;
    for (Iteration = 0; Iteration != 2; ++Iteration) {
      Value Index;
      Index.Of = Value::Index;
      Variables[V] = Values(Threads, Index);
      run(Body);
      if (Increment)
        eval(Increment);
      for (const Value& Next : Variables[V])
        if (Next.Of != Value::Index || Next.Whole != static_cast<std::int64_t>(Threads))
          return fail(BlockNumbersProblem::NotAll, Condition->getBeginLoc());
    }
    InElements = false;
    Variables[V] = nothing();
    unsigned Others = 0;
    for (const auto& [Other, Each] : Before.Variables)
      Others += Other != V && Variables[Other] != Each;
    if (Others > 1 || !changesOwnElements(Before.Shared, /*Most=*/1 - Others))
      fail(BlockNumbersProblem::NotAll, Condition->getBeginLoc());
  }

  /// Whether no thread has changed more elements that threads share than \p Most, and no other one looks at these: they are like variables.
  bool changesOwnElements(const SharedMemory& Before, unsigned Most) {
    std::vector<unsigned> Count(Threads);
    for (const auto& [V, Elements] : Shared)
      for (const auto& [At, Now] : Elements) {
        const auto Array = Before.find(V);
        if (Array != Before.end())
          if (const auto Old = Array->second.find(At); Old != Array->second.end() && Old->second == Now)
            continue;
        const std::optional<size_t> Owner = Sharing[{V, At}];
        if (!Owner || ++Count[*Owner] > Most)
          return false;
      }
    return true;
  }

  /// In a loop through the elements.
  void noteShared(const Value& At, size_t Thread) {
    if (!InElements)
      return;
    auto [It, IsFirst] = Sharing.try_emplace({At.Variable, At.Whole}, Thread);
    if (!IsFirst && It->second != Thread)
      It->second.reset();
  }

  /// i, of `i < count`.
  static const VarDecl* comparedIndex(const Expr* Condition) {
    const auto* Compare = dyn_cast<BinaryOperator>(Condition->IgnoreParenImpCasts());
    return !Compare ? nullptr : namedVariable(Compare->getOpcode() == BO_LT ? Compare->getLHS() : Compare->getRHS());
  }

  // --- Expressions.

  Values eval(const Expr* E) {
    if (Wrong)
      return nothing();
    E = E->IgnoreParens();
    if (const auto* Full = dyn_cast<FullExpr>(E))
      return eval(Full->getSubExpr());
    if (const auto* Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
      return eval(Temporary->getSubExpr());
    if (const auto* Substituted = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
      return eval(Substituted->getReplacement());
    if (std::optional<IndexMember> Member = indexMember(E))
      return indexValues(Member->name(), Member->Dimension);
    if (std::optional<Value> Known = constant(E))
      return Values(Threads, *Known);
    if (const auto* Cast = dyn_cast<CastExpr>(E))
      return cast(*Cast);
    if (E->isGLValue() && !isa<CallExpr, BinaryOperator, UnaryOperator, ConditionalOperator>(E))
      return load(E);
    if (const auto* Binary = dyn_cast<BinaryOperator>(E))
      return binary(*Binary);
    if (const auto* Unary = dyn_cast<UnaryOperator>(E))
      return unary(*Unary);
    if (const auto* Choice = dyn_cast<ConditionalOperator>(E)) {
      if (const std::optional<Extremum> Found = extremumOf(*Choice, Context); Found && comparesNumbers(*Found))
        return extremum(eval(Choice->getTrueExpr()), eval(Choice->getFalseExpr()), Found->Greatest ? Keyword::Max : Keyword::Min, E->getType());
      Values Condition = eval(Choice->getCond()), Then = nothing(), Else = nothing();
      branch(Condition, [&] { Then = eval(Choice->getTrueExpr()); }, [&] { Else = eval(Choice->getFalseExpr()); }, E->getExprLoc());
      return each([&](size_t T) { return Condition[T].Of == Value::Below ? either(Then[T], Else[T]) : Condition[T].Whole ? Then[T] : Else[T]; });
    }
    if (const auto* Call = dyn_cast<CallExpr>(E))
      return call(*Call);
    return nothing();
  }

  std::optional<Value> constant(const Expr* E) const {
    Expr::EvalResult Known;
    if (E->isValueDependent() || !E->getType()->isArithmeticType() || E->isGLValue() || !E->EvaluateAsRValue(Known, Context) || Known.HasSideEffects)
      return std::nullopt;
    if (Known.Val.isInt())
      return Value::integer(Known.Val.getInt().getExtValue());
    if (!Known.Val.isFloat())
      return std::nullopt;
    Value V;
    V.Of = Value::Real;
    llvm::APFloat Number = Known.Val.getFloat();
    bool Loses = false;
    Number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &Loses);
    V.Fraction = Number.convertToDouble();
    return V;
  }

  Values indexValues(StringRef Name, unsigned Dimension) const {
    return each([&](size_t T) {
      const auto Thread = static_cast<std::int64_t>(T);
      if (Name == "blockDim")
        return Value::integer(Block[Dimension]);
      if (OfAnyBlock && Name != "threadIdx")
        return Value();
      if (Name == "gridDim")
        return Value::integer(Grid[Dimension]);
      if (Name == "blockIdx")
        return Value::integer(BlockIndex[Dimension]);
      return Value::integer(Dimension == 0 ? Thread % Block[0] : Dimension == 1 ? Thread / Block[0] % Block[1] : Thread / Block[0] / Block[1]);
    });
  }

  Values cast(const CastExpr& Cast) {
    switch (Cast.getCastKind()) {
    case CK_LValueToRValue:
      return load(Cast.getSubExpr());
    case CK_ArrayToPointerDecay:
      return address(Cast.getSubExpr());
    case CK_NoOp:
    case CK_BitCast: {
      return Cast.getSubExpr()->isGLValue() && Cast.isGLValue() ? load(Cast.getSubExpr()) : eval(Cast.getSubExpr());
    }
    case CK_ToVoid:
      eval(Cast.getSubExpr());
      return nothing();
    case CK_IntegralCast:
    case CK_IntegralToBoolean:
    case CK_IntegralToFloating:
    case CK_FloatingCast: {
      Values Found = eval(Cast.getSubExpr());
      for (Value& V : Found) {
        if (V.Of == Value::Numbers && !Context.hasSameUnqualifiedType(Cast.getType(), ElementType))
          V = otherType(Cast.getExprLoc());
        else if (V.Of == Value::Integer && Cast.getCastKind() == CK_IntegralToFloating)
          V = real(rounded(static_cast<double>(V.Whole), Cast.getType()));
        else if (V.Of == Value::Real && Cast.getCastKind() == CK_FloatingCast)
          V = real(rounded(V.Fraction, Cast.getType()));
        else
          V = fitted(V, Cast.getType());
      }
      return Found;
    }
    default:
      return nothing();
    }
  }

  Value otherType(SourceLocation Where) {
    fail(BlockNumbersProblem::OtherType, Where);
    return {};
  }

  static Value real(double Number) {
    Value V;
    V.Of = Value::Real;
    V.Fraction = Number;
    return V;
  }

  /// Wraps around as the type does.
  Value fitted(Value V, QualType Type) const {
    if (V.Of != Value::Integer || !Type->isIntegralOrEnumerationType())
      return V;
    if (Type->isBooleanType())
      return Value::integer(V.Whole != 0);
    llvm::APSInt Number(llvm::APInt(64, static_cast<std::uint64_t>(V.Whole)), /*isUnsigned=*/false);
    Number = Number.extOrTrunc(Context.getIntWidth(Type));
    Number.setIsUnsigned(Type->isUnsignedIntegerOrEnumerationType());
    return Value::integer(Number.getExtValue());
  }

  /// The place of an lvalue, in memory that threads share, or where a parameter points to.
  Values address(const Expr* E) {
    E = E->IgnoreParens();
    if (const auto* Cast = dyn_cast<CastExpr>(E); Cast && Cast->getCastKind() == CK_NoOp)
      return address(Cast->getSubExpr());
    if (const VarDecl* V = namedVariable(E)) {
      Value At;
      At.Of = V->hasAttr<CUDASharedAttr>() ? Value::Place : Value::Unknown;
      At.Variable = V;
      return Values(Threads, At);
    }
    if (const auto* Element = dyn_cast<ArraySubscriptExpr>(E)) {
      if (Element->getType()->isArrayType())
        return nothing();
      Values Base = eval(Element->getBase()), Index = eval(Element->getIdx());
      return each([&](size_t T) { return moved(Base[T], Index[T]); });
    }
    if (const auto* Deref = dyn_cast<UnaryOperator>(E); Deref && Deref->getOpcode() == UO_Deref)
      return eval(Deref->getSubExpr());
    return nothing();
  }

  static Value moved(Value Base, const Value& Index) {
    bool Known = Index.Of == Value::Integer || (Index.Of == Value::Index && !Base.AtIndex);
    if (Base.Of != Value::Place || !Known)
      return {};
    Base.Whole += Index.Whole;
    Base.AtIndex |= Index.Of == Value::Index;
    return Base;
  }

  Values load(const Expr* E) {
    E = E->IgnoreParens();
    if (isa<ConditionalOperator>(E))
      return eval(E);
    if (std::optional<IndexMember> Member = indexMember(E))
      return indexValues(Member->name(), Member->Dimension);
    if (const VarDecl* V = isa<DeclRefExpr>(E) ? namedVariable(E) : nullptr; V && !V->hasAttr<CUDASharedAttr>())
      return variable(*V);
    if (std::optional<Value> Known = E->getType()->isArithmeticType() ? constantOf(E) : std::nullopt)
      return Values(Threads, *Known);
    Values At = address(E);
    return each([&](size_t T) { return runs(T) ? loaded(At[T], T, E->getExprLoc()) : Value(); });
  }

  /// Of a variable of the whole program, or an element of a constant table.
  std::optional<Value> constantOf(const Expr* E) const {
    Expr::EvalResult Known;
    if (E->isValueDependent() || !E->EvaluateAsRValue(Known, Context) || !Known.Val.isInt())
      return std::nullopt;
    return Value::integer(Known.Val.getInt().getExtValue());
  }

  Values variable(const VarDecl& V) {
    if (identifierOf(&V) == "warpSize" && V.hasGlobalStorage())
      return Values(Threads, Value::integer(WarpSize));
    if (auto It = Variables.find(&V); It != Variables.end())
      return It->second;
    Value Only;
    if (const auto* Parameter = dyn_cast<ParmVarDecl>(&V); Parameter && Parameter->getDeclContext() == Kernel && !Changed.changes(&V)) {
      Only.Variable = &V;
      Only.Of = V.getType()->isPointerType() ? Value::Place : V.getType()->isIntegerType() ? Value::Count : Value::Unknown;
      return Values(Threads, Only);
    }
    // Of a kernel of which conditions are looked at only.
    const Expr* Init = isa<ParmVarDecl>(V) ? Passed.lookup(&V) : V.getInit();
    const bool IsFixed = V.hasLocalStorage() && Init && V.getType()->isArithmeticType() && !Changed.changes(&V) &&
                         llvm::none_of(InCalled, [&](const VariableChanges& In) { return In.changes(&V); });
    if (IsFixed && !Numbers)
      return Variables[&V] = eval(Init);
    return nothing();
  }

  Value loaded(const Value& At, size_t Thread, SourceLocation Where) {
    if (At.Of != Value::Place)
      return {};
    if (At.Variable->hasAttr<CUDASharedAttr>()) {
      if (At.AtIndex)
        return {};
      noteShared(At, Thread);
      return Shared[At.Variable][At.Whole];
    }
    if (At.Variable != Numbers)
      return {};
    constexpr std::int64_t MostNumbers = 1 << 16;
    std::int64_t Element = At.Whole;
    if (At.AtIndex) {
      if (!InElements || At.Whole != 0)
        return {};
      Element = static_cast<std::int64_t>(Iteration * Threads + Thread);
    } else if (InGuard) {
      if (At.Whole != static_cast<std::int64_t>(Thread))
        return {};
      Guarded = true;
    } else {
      Unguarded = true;
    }
    if (Element < 0 || Element >= MostNumbers) {
      fail(BlockNumbersProblem::NotAll, Where);
      return {};
    }
    Value V;
    V.Of = Value::Numbers;
    V.Elements.resize(static_cast<unsigned>(std::max<std::int64_t>(2 * static_cast<std::int64_t>(Threads), Element + 1)));
    V.Elements.set(static_cast<unsigned>(Element));
    return V;
  }

  void store(const Expr* To, const Values& Given, const Expr* From) {
    To = To->IgnoreParens();
    if (const VarDecl* V = isa<DeclRefExpr>(To) ? namedVariable(To) : nullptr; V && !V->hasAttr<CUDASharedAttr>()) {
      if (!V->hasLocalStorage() || V->getType()->isReferenceType())
        return fail(BlockNumbersProblem::NotAll, To->getExprLoc());
      Values& Own = Variables.try_emplace(V, nothing()).first->second;
      for (size_t T = 0; T != Threads; ++T)
        if (runs(T))
          Own[T] = Given[T];
      return;
    }
    Values At = address(To);
    for (size_t T = 0; T != Threads; ++T) {
      if (!runs(T))
        continue;
      const auto* Parameter = dyn_cast_or_null<ParmVarDecl>(At[T].Variable);
      if (At[T].Of == Value::Place && !At[T].AtIndex && At[T].Variable->hasAttr<CUDASharedAttr>()) {
        noteShared(At[T], T);
        Shared[At[T].Variable][At[T].Whole] = Given[T];
      } else if (At[T].Of == Value::Place && Parameter && Parameter != Numbers && At[T].Whole == 0 && !At[T].AtIndex && !InElements && !InGuard) {
        ++Stores;
        StoredAt = From ? From->getExprLoc() : To->getExprLoc();
        Stored = Given[T];
        Result.Result = Parameter;
      } else {
        return fail(BlockNumbersProblem::NotAll, To->getExprLoc());
      }
    }
  }

  /// Without what converts it to the type of the result or of a root.
  Values unconverted(const Expr* E) {
    const Expr* Inner = E->IgnoreParens();
    while (const auto* Cast = dyn_cast<CastExpr>(Inner)) {
      bool Converts = Cast->getCastKind() == CK_FloatingCast || Cast->getCastKind() == CK_IntegralToFloating;
      if (!Converts && !(Cast->getCastKind() == CK_NoOp && !Cast->isGLValue()))
        break;
      Inner = Cast->getSubExpr()->IgnoreParens();
    }
    return eval(Inner);
  }

  bool isResult(const Expr* To) {
    const Expr* Pointer = To->IgnoreParens();
    if (const auto* Deref = dyn_cast<UnaryOperator>(Pointer); Deref && Deref->getOpcode() == UO_Deref)
      Pointer = Deref->getSubExpr();
    else if (const auto* Element = dyn_cast<ArraySubscriptExpr>(Pointer))
      Pointer = Element->getBase();
    const auto* Parameter = dyn_cast_or_null<ParmVarDecl>(namedVariable(Pointer));
    return Parameter && Parameter != Numbers && Parameter->getDeclContext() == Kernel;
  }

  Values binary(const BinaryOperator& E) {
    if (E.getOpcode() == BO_Comma) {
      eval(E.getLHS());
      return eval(E.getRHS());
    }
    if (E.isAssignmentOp()) {
      bool ToResult = Numbers && isResult(E.getLHS());
      Values Given = ToResult ? unconverted(E.getRHS()) : eval(E.getRHS());
      if (E.isCompoundAssignmentOp()) {
        if (ToResult && E.getOpcode() == BO_AddAssign) {
          Result.Adds = true;
        } else {
          Values Old = load(E.getLHS());
          Given = each([&](size_t T) { return runs(T) ? operated(BinaryOperator::getOpForCompoundAssignment(E.getOpcode()), Old[T], Given[T], E) : Value(); });
        }
      }
      store(E.getLHS(), Given, E.getRHS());
      return Given;
    }
    if (E.isLogicalOp()) {
      Values Left = eval(E.getLHS()), Right = eval(E.getRHS());
      const bool Decides = E.getOpcode() == BO_LOr;
      return each([&](size_t T) {
        for (const Value* V : {&Left[T], &Right[T]})
          if (V->Of == Value::Integer && (V->Whole != 0) == Decides)
            return Value::integer(Decides);
        bool Both = Left[T].Of == Value::Integer && Right[T].Of == Value::Integer;
        return Both ? Value::integer(!Decides) : Value();
      });
    }
    Values Left = eval(E.getLHS()), Right = eval(E.getRHS());
    return each([&](size_t T) { return runs(T) ? operated(E.getOpcode(), Left[T], Right[T], E) : Value(); });
  }

  Value operated(BinaryOperatorKind Op, const Value& A, const Value& B, const BinaryOperator& E) {
    if (A.Of == Value::Place || B.Of == Value::Place)
      return Op == BO_Add ? A.Of == Value::Place ? moved(A, B) : moved(B, A) : Value();
    if (A.Of == Value::Integer && B.Of == Value::Integer)
      return integers(Op, A.Whole, B.Whole, E);
    if ((A.Of == Value::Index && B.Of == Value::Integer) || (A.Of == Value::Integer && B.Of == Value::Index)) {
      Value Moved = A.Of == Value::Index ? A : B;
      if (Op != BO_Add)
        return {};
      Moved.Whole = A.Whole + B.Whole;
      return Moved;
    }
    if (A.Of == Value::Count || B.Of == Value::Count)
      return below(Op, A, B);
    if (Op == BO_Add)
      return combined(A, B, Keyword::Plus, E.getType());
    return {};
  }

  Value integers(BinaryOperatorKind Op, std::int64_t A, std::int64_t B, const BinaryOperator& E) const {
    switch (Op) {
    case BO_Add:
      return fitted(Value::integer(A + B), E.getType());
    case BO_Sub:
      return fitted(Value::integer(A - B), E.getType());
    case BO_Mul:
      return fitted(Value::integer(A * B), E.getType());
    case BO_Div:
      return B != 0 ? fitted(Value::integer(A / B), E.getType()) : Value();
    case BO_Rem:
      return B != 0 ? fitted(Value::integer(A % B), E.getType()) : Value();
    case BO_Shl:
      return B >= 0 && B < 63 ? fitted(Value::integer(static_cast<std::int64_t>(static_cast<std::uint64_t>(A) << B)), E.getType()) : Value();
    case BO_Shr:
      return B >= 0 && B < 64 ? fitted(Value::integer(A >> B), E.getType()) : Value();
    case BO_And:
      return fitted(Value::integer(A & B), E.getType());
    case BO_Or:
      return fitted(Value::integer(A | B), E.getType());
    case BO_Xor:
      return fitted(Value::integer(A ^ B), E.getType());
    case BO_LT:
      return Value::integer(A < B);
    case BO_GT:
      return Value::integer(A > B);
    case BO_LE:
      return Value::integer(A <= B);
    case BO_GE:
      return Value::integer(A >= B);
    case BO_EQ:
      return Value::integer(A == B);
    case BO_NE:
      return Value::integer(A != B);
    default:
      return {};
    }
  }

  /// Of the number of a thread, or of what a loop has added to it.
  Value below(BinaryOperatorKind Op, const Value& A, const Value& B) {
    const bool Swapped = Op == BO_GT;
    const Value &Index = Swapped ? B : A, &Bound = Swapped ? A : B;
    if ((Op != BO_LT && Op != BO_GT) || Bound.Of != Value::Count || Index.Of != Value::Integer)
      return {};
    const auto* Parameter = dyn_cast<ParmVarDecl>(Bound.Variable);
    if (Result.Count && Result.Count != Parameter)
      return {};
    Result.Count = Parameter;
    Value V;
    V.Of = Value::Below;
    V.Whole = Index.Whole;
    return V;
  }

  Values unary(const UnaryOperator& E) {
    if (E.getOpcode() == UO_AddrOf)
      return address(E.getSubExpr());
    if (E.getOpcode() == UO_Deref)
      return load(&E);
    if (E.isIncrementDecrementOp()) {
      Values Old = load(E.getSubExpr()), New = Old;
      for (Value& V : New)
        if (V.Of == Value::Integer || V.Of == Value::Index)
          V.Whole += E.isIncrementOp() ? 1 : -1;
        else
          V = {};
      store(E.getSubExpr(), New, nullptr);
      return E.isPrefix() ? New : Old;
    }
    Values Found = eval(E.getSubExpr());
    for (Value& V : Found) {
      if (V.Of != Value::Integer)
        V = {};
      else if (E.getOpcode() == UO_LNot)
        V = Value::integer(V.Whole == 0);
      else if (E.getOpcode() == UO_Minus || E.getOpcode() == UO_Not)
        V = fitted(Value::integer(E.getOpcode() == UO_Minus ? -V.Whole : ~V.Whole), E.getType());
      else if (E.getOpcode() != UO_Plus)
        V = {};
    }
    return Found;
  }

  // --- What is combined.

  /// 0 is nothing to a sum, the least number to the most, the most to the least.
  std::optional<Keyword> neutralFor(const Value& V) const {
    if ((V.Of == Value::Integer && V.Whole == 0) || (V.Of == Value::Real && V.Fraction == 0))
      return Keyword::Plus;
    if (ElementType->isIntegerType() && V.Of == Value::Integer) {
      const unsigned Width = static_cast<unsigned>(Context.getIntWidth(ElementType));
      const bool Unsigned = ElementType->isUnsignedIntegerType();
      if (V.Whole == llvm::APSInt::getMinValue(Width, Unsigned).getExtValue())
        return Keyword::Max;
      if (V.Whole == llvm::APSInt::getMaxValue(Width, Unsigned).getExtValue())
        return Keyword::Min;
    }
    if (ElementType->isRealFloatingType() && V.Of == Value::Real) {
      double Most = llvm::APFloat::getLargest(Context.getFloatTypeSemantics(ElementType)).convertToDouble();
      if (V.Fraction <= -Most)
        return Keyword::Max;
      if (V.Fraction >= Most)
        return Keyword::Min;
    }
    return std::nullopt;
  }

  Value combined(const Value& A, const Value& B, Keyword By, QualType Type) {
    if (A.Of == Value::Real && B.Of == Value::Real)
      return real(By == Keyword::Plus  ? A.Fraction + B.Fraction
                  : By == Keyword::Max ? std::max(A.Fraction, B.Fraction)
                                       : std::min(A.Fraction, B.Fraction));
    if (A.Of != Value::Numbers)
      return B.Of == Value::Numbers ? combined(B, A, By, Type) : Value();
    if (!Context.hasSameUnqualifiedType(Type, ElementType) || !A.Root.empty() || !B.Root.empty() || !by(By))
      return {};
    Value All = A;
    if (B.Of != Value::Numbers) {
      if (neutralFor(B) == By)
        return All;
      if (By == Keyword::Plus || !addConstant(All, B))
        return {};
      All.AndConstant = true;
      return All;
    }
    if (By == Keyword::Plus && A.Elements.anyCommon(B.Elements))
      return {};
    All.Elements |= B.Elements;
    const bool Has = A.AndConstant || A.OrConstant, OtherHas = B.AndConstant || B.OrConstant;
    if (Has && OtherHas && A.Constant != B.Constant)
      return {};
    All.Constant = Has ? A.Constant : B.Constant;
    All.AndConstant |= B.AndConstant;
    All.OrConstant |= B.OrConstant;
    return All;
  }

  /// Of numbers that have one constant among them. It is one of their type.
  bool addConstant(Value& To, const Value& V) const {
    if (V.Of != Value::Integer && V.Of != Value::Real)
      return false;
    const double Number = V.Of == Value::Real ? V.Fraction : static_cast<double>(V.Whole);
    constexpr std::int64_t MostWhole = 1 << 24; // has one text and value in all types
    const bool IsOfType = ElementType->isRealFloatingType() && V.Of == Value::Real ? std::isfinite(Number) && rounded(Number, ElementType) == Number
                                                                                  : V.Of == Value::Integer && std::abs(V.Whole) <= MostWhole;
    if (!IsOfType || ((To.AndConstant || To.OrConstant) && Number != To.Constant))
      return false;
    To.Constant = Number;
    return true;
  }

  double rounded(double Number, QualType Type) const {
    llvm::APFloat Value(Number);
    bool LosesInfo = false;
    Value.convert(Context.getFloatTypeSemantics(Type), llvm::APFloat::rmNearestTiesToEven, &LosesInfo);
    return Value.convertToDouble();
  }

  /// \p Op: Max or Min.
  Values extremum(const Values& A, const Values& B, Keyword Op, QualType Type) {
    return each([&](size_t T) {
      if (A[T].Of == Value::Integer && B[T].Of == Value::Integer)
        return Value::integer((Op == Keyword::Max) == (A[T].Whole > B[T].Whole) ? A[T].Whole : B[T].Whole);
      return runs(T) ? combined(A[T], B[T], Op, Type) : Value();
    });
  }

  /// Whether threads that run compare what is not known of the numbers.
  bool comparesNumbers(const Extremum& Found) {
    const Values Less = eval(Found.Comparison);
    return any([&](size_t T) { return runs(T) && Less[T].Of != Value::Integer && Less[T].Of != Value::Below; });
  }

  /// `if (v < e) v = e;`. False: it is no such statement, or a condition like any other.
  bool runExtremum(const IfStmt& If) {
    const std::optional<Extremum> Found = extremumOf(If, Context);
    if (!Found || !comparesNumbers(*Found))
      return false;
    auto Run = [&] {
      const Expr* Target = Found->Assignment->getLHS();
      const Values Kept = load(Target), Taken = eval(Found->Assignment->getRHS());
      store(Target, extremum(Kept, Taken, Found->Greatest ? Keyword::Max : Keyword::Min, Target->getType()), Found->Assignment->getRHS());
    };
    if (Found->Guard)
      branch(eval(Found->Guard), Run, [] {}, If.getBeginLoc());
    else
      Run();
    return true;
  }

  /// False if it is another operation than before.
  bool by(Keyword Op) {
    if (!Operation)
      Operation = Op;
    return Operation == Op;
  }

  Values call(const CallExpr& Call) {
    const FunctionDecl* Callee = Call.getDirectCallee();
    StringRef Name = identifierOf(Callee);
    if (!Callee || isa<CXXMethodDecl>(Callee))
      return unknownCall(Call);
    if (Name == "__syncthreads" || Name == "__syncwarp" || Name.starts_with("__threadfence"))
      return nothing();
    if (Name == "__ldg" && Call.getNumArgs() == 1) {
      Values At = eval(Call.getArg(0));
      return each([&](size_t T) { return runs(T) ? loaded(At[T], T, Call.getExprLoc()) : Value(); });
    }
    auto Most = llvm::StringSwitch<std::optional<Keyword>>(Name)
                    .Cases("max", "fmax", "fmaxf", "umax", Keyword::Max)
                    .Cases("min", "fmin", "fminf", "umin", Keyword::Min)
                    .Default(std::nullopt);
    if (Most && Call.getNumArgs() == 2) {
      return extremum(evalArgument(Call.getArg(0)), evalArgument(Call.getArg(1)), *Most, Call.getType().getNonReferenceType());
    }
    if ((Name == "sqrt" || Name == "sqrtf") && Call.getNumArgs() == 1 && Call.getType()->isRealFloatingType()) {
      Values Found = unconverted(Call.getArg(0));
      for (Value& V : Found)
        if (V.Of == Value::Numbers && V.Root.empty())
          V.Root = Context.hasSameUnqualifiedType(Call.getType(), Context.FloatTy) ? "sqrtf" : "sqrt";
        else
          V = {};
      return Found;
    }
    if (Name.starts_with("__shfl") && Name.ends_with("_sync") && Call.getNumArgs() >= 3)
      return exchanged(Call, Name);
    const FunctionDecl* Definition = ownDefinition(*Callee);
    return Definition ? called(Call, *Definition) : unknownCall(Call);
  }

  Values evalArgument(const Expr* E) { return E->isGLValue() ? load(E->IgnoreParenImpCasts()) : eval(E); }

  Values unknownCall(const CallExpr& Call) {
    fail(BlockNumbersProblem::NotAll, Call.getExprLoc());
    return nothing();
  }

  Values exchanged(const CallExpr& Call, StringRef Name) {
    Values Own = eval(Call.getArg(1)), By = eval(Call.getArg(2));
    Values Widths = Call.getNumArgs() > 3 ? eval(Call.getArg(3)) : Values(Threads, Value::integer(WarpSize));
    return each([&](size_t T) {
      std::int64_t Width = Widths[T].Whole;
      if (!runs(T) || By[T].Of != Value::Integer || Widths[T].Of != Value::Integer || Width <= 0 || Width > WarpSize)
        return Value();
      const auto Thread = static_cast<std::int64_t>(T), Lane = Thread % Width;
      std::int64_t Other = Name == "__shfl_down_sync"  ? Lane + By[T].Whole
                           : Name == "__shfl_up_sync"  ? Lane - By[T].Whole
                           : Name == "__shfl_xor_sync" ? Lane ^ By[T].Whole
                                                       : (By[T].Whole % Width + Width) % Width;
      if (Other < 0 || Other >= Width)
        Other = Lane;
      const auto From = static_cast<size_t>(Thread - Lane + Other);
      bool Known = From < Threads && runs(From) && (Own[From].Of == Value::Integer || Own[From].Of == Value::Real || Own[From].Of == Value::Numbers);
      return Known ? Own[From] : Value();
    });
  }

  Values called(const CallExpr& Call, const FunctionDecl& Callee) {
    constexpr unsigned MostCalls = 16;
    if (Depth == MostCalls || llvm::any_of(Callee.parameters(), [](const ParmVarDecl* P) { return P->getType()->isReferenceType(); }))
      return unknownCall(Call);
    std::vector<Values> Arguments;
    for (const Expr* Argument : Call.arguments())
      Arguments.push_back(eval(Argument));
    for (unsigned I = 0; I != Arguments.size() && I != Callee.getNumParams(); ++I)
      Variables[Callee.getParamDecl(I)] = Arguments[I];
    const std::vector<bool> OuterReturned = Returned, OuterActive = Active;
    const Values OuterValues = std::exchange(ReturnValues, nothing());
    // Those that have left the caller are not in the function.
    for (size_t T = 0; T != Threads; ++T)
      Active[T] = runs(T);
    Returned = Nobody;
    ++Depth;
    run(Callee.getBody());
    --Depth;
    Active = OuterActive;
    Returned = OuterReturned;
    return std::exchange(ReturnValues, OuterValues);
  }

  static constexpr std::int64_t WarpSize = 32;

  const FunctionDecl* Kernel;
  const ParmVarDecl* Numbers;
  std::array<std::int64_t, 3> Block, Grid = {1, 1, 1}, BlockIndex = {0, 0, 0};
  bool OfAnyBlock = false;
  size_t Threads;
  ASTContext& Context;
  QualType ElementType;
  const VariableChanges Changed;
  /// Of functions that are called on the way to conditions, and what these are passed.
  std::vector<VariableChanges> InCalled;
  llvm::DenseMap<const VarDecl*, const Expr*> Passed;
  std::map<const VarDecl*, Values> Variables;
  SharedMemory Shared;
  /// Which thread names an element in a loop through the elements of the array; none if several do.
  std::map<std::pair<const VarDecl*, std::int64_t>, std::optional<size_t>> Sharing;
  std::vector<bool> Active, Returned;
  const std::vector<bool> Nobody;
  Values ReturnValues = Values(Threads);
  /// What has been seen of the elements: a loop through all of them, one for each thread behind a condition, others.
  bool InLoop = false, Guarded = false, Unguarded = false;
  /// In such a loop, and behind such a condition.
  bool InElements = false, InGuard = false;
  size_t Iteration = 0;
  unsigned Iterations = 0, Depth = 0;
  std::optional<Keyword> Operation;
  unsigned Stores = 0;
  SourceLocation StoredAt;
  Value Stored;
  CombinedNumbers Result;
  std::optional<RejectedBlockNumbers> Wrong;
};

} // namespace

std::variant<CombinedNumbers, RejectedBlockNumbers> understandCombining(const FunctionDecl* Kernel, const ParmVarDecl* Numbers, std::int64_t Threads,
                                                                        ASTContext& Context) {
  return BlockRun(Kernel, Numbers, {Threads, 1, 1}, Context).run();
}

std::optional<unsigned> threadsMeeting(ArrayRef<std::pair<const Expr*, bool>> Conditions, const FunctionDecl* Kernel, ArrayRef<const CallExpr*> Calls,
                                       std::array<std::int64_t, 3> Block, ASTContext& Context) {
  return BlockRun(Kernel, nullptr, Block, Context).meeting(Conditions, Calls);
}

/// A sum of products of numbers of blocks and sizes of the grid.
static bool isOfBlocks(const Expr* E, const VariableChanges& Changed) {
  E = E->IgnoreParenImpCasts();
  if (const auto* Cast = dyn_cast<ExplicitCastExpr>(E))
    return Cast->getType()->isIntegerType() && isOfBlocks(Cast->getSubExpr(), Changed);
  if (std::optional<IndexMember> Member = indexMember(E))
    return Member->name() == "blockIdx" || Member->name() == "gridDim";
  if (const VarDecl* V = namedVariable(E))
    return V->hasLocalStorage() && !isa<ParmVarDecl>(V) && V->getType()->isIntegerType() && V->getInit() && !Changed.changes(V) &&
           isOfBlocks(V->getInit(), Changed);
  const auto* Binary = dyn_cast<BinaryOperator>(E);
  return Binary && (Binary->getOpcode() == BO_Add || Binary->getOpcode() == BO_Mul) && isOfBlocks(Binary->getLHS(), Changed) &&
         isOfBlocks(Binary->getRHS(), Changed);
}

std::optional<unsigned> dimensionsOfBlockNumber(const Expr* E, const FunctionDecl* Kernel, ASTContext& Context) {
  // Sums and products of a few of these numbers are the same everywhere if they are the same at so many values of each.
  constexpr std::int64_t Most = 4;
  std::array<bool, 3> Fits = {true, true, true}, FitsTurned = {false, true, true};
  if (!isOfBlocks(E, VariableChanges(Kernel->getBody())))
    return std::nullopt;
  BlockRun Run(Kernel, nullptr, {1, 1, 1}, Context);
  for (std::int64_t Code = 0; Code != Most * Most * Most * Most * Most; ++Code) {
    auto Digit = [&, Rest = Code]() mutable { return std::exchange(Rest, Rest / Most) % Most; };
    const std::int64_t X = Digit(), Y = Digit(), Z = Digit(), Nx = Digit() + 1, Ny = Digit() + 1, Nz = Code % (Most + 1) + 1;
    std::optional<std::int64_t> Number = Run.inBlock(E, {X, Y, Z}, {Nx, Ny, Nz});
    if (!Number)
      return std::nullopt;
    Fits[0] &= *Number == X;
    Fits[1] &= *Number == Y * Nx + X;
    Fits[2] &= *Number == (Z * Ny + Y) * Nx + X;
    FitsTurned[1] &= *Number == X * Ny + Y;
    FitsTurned[2] &= *Number == (X * Ny + Y) * Nz + Z;
  }
  for (unsigned D = 0; D != 3; ++D)
    if (Fits[D] || FitsTurned[D])
      return D + 1;
  return std::nullopt;
}

} // namespace gpurma
