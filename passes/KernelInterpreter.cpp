// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/CallVisitor.h"
#include "passes/KernelInterpreter.h"

#include "passes/AbstractValues.h"
#include "passes/DeviceFunctions.h"
#include "passes/GridStrides.h"
#include "passes/Inductions.h"
#include "passes/KernelMembers.h"
#include "passes/LocalArrays.h"
#include "passes/Lvalues.h"
#include "passes/StoreUses.h"
#include "passes/ThreadCooperation.h"
#include "passes/VariableChanges.h"
#include "passes/VariableUses.h"

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ExprConcepts.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/Builtins.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"
#include <algorithm>
#include <array>
#include <numeric>

using namespace clang;

namespace gpurma {
namespace {

constexpr unsigned MaxCallDepth = 32;

/// Of threadIdx, blockIdx, blockDim or gridDim.
Symbol::Kind builtinVariable(StringRef Name) {
  return llvm::StringSwitch<Symbol::Kind>(Name)
      .Case("threadIdx", Symbol::Kind::ThreadIndex)
      .Case("blockIdx", Symbol::Kind::BlockIndex)
      .Case("blockDim", Symbol::Kind::BlockSize)
      .Case("gridDim", Symbol::Kind::GridSize);
}

/// A function of CUDA's that exchanges values within a warp or a block; where its body is visible
/// it says nothing of arrays.
bool isCollective(const FunctionDecl& Function) {
  return !ownDefinition(Function) &&
         llvm::any_of(std::array<StringRef, 8>{"__shfl", "__ballot", "__any", "__all", "__reduce",
                                               "__match", "__sync", "__activemask"},
                      [&](StringRef Prefix) { return Function.getName().starts_with(Prefix); });
}

class Interpreter {
public:
  Interpreter(const LaunchFacts& Launch, const ElementSizes& Distributed, SymbolicSets& Sets,
              ASTContext& Context, Diagnostics& Diags, const RenumberedThreads* Renumbered,
              const std::optional<RowLoopRequest>& Rows)
      : Launch(Launch), Distributed(Distributed), Sets(Sets), Context(Context), Diags(Diags),
        Renumbered(Renumbered), Rows(Rows), Now{Sets.universe(), true, {}}, Numbers(Sets, Context, Renumbered, Now.Path) {}

  InterpretedKernel run(const FunctionDecl* Interpreted) {
    Kernel = Interpreted;
    MovesByGridSize = movesByGridSize(Kernel);
    for (const ParmVarDecl* P : Kernel->parameters()) {
      AbstractValue& V = Now.Variables[P];
      if (P->getType()->isPointerType())
        V.Place = passed(Location{Location::Element, P, {}, {}});
      else if (P->getType()->isIntegralOrEnumerationType())
        V.Number = Launch.passedNumber(P, nullptr);
      else
        addNumbers(V, {P}, P);
      addPointers(V, {P});
    }
    Frame Outermost;
    Frames.push_back(&Outermost);
    run(Kernel->getBody());
    return std::move(Result);
  }

private:
  struct Frame {
    const FunctionDecl* Function = nullptr;
    std::optional<Location> This;
    std::vector<std::pair<State, AbstractValue>> Returns;
    const CallExpr* Call = nullptr;
    /// Of a lambda: the variables that it has copied.
    std::map<const VarDecl*, const VarDecl*> Copies;
  };

  /// The numbers in a structure that is a parameter, or in one of these. \p As: the variable that stands for it.
  void addNumbers(AbstractValue& V, const PointerVariable& Structure, const VarDecl* As) {
    const RecordDecl* Record = Structure.type()->getAsRecordDecl();
    if (!Record || !As)
      return;
    for (const FieldDecl* Field : allFields(Record))
      if (Field->getType()->isIntegralOrEnumerationType()) {
        V.Members[Field].Number = Launch.passedNumber(As, Field);
      } else if (Field->getType()->isRecordType()) {
        PointerVariable Inner = Structure;
        Inner.Members.push_back(Field);
        auto It = Launch.Inner.find(Inner);
        addNumbers(V.Members[Field], Inner, It == Launch.Inner.end() ? nullptr : It->second);
      }
  }

  /// The pointers in a structure that is a parameter.
  void addPointers(AbstractValue& V, const PointerVariable& Structure) {
    for (const PointerVariable& Member : Structure.members()) {
      const FieldDecl* Field = Member.Members.back();
      if (Field->getType()->isPointerType())
        V.Members[Field].Place = passed(Location{Location::Element, Member.Variable, Member.Members, {}});
      else if (Field->getType()->isRecordType())
        addPointers(V.Members[Field], Member);
    }
  }

  // --- Values.

  /// What functions of the system's headers do is reported where they are called.
  DiagnosticBuilder error(SourceLocation Loc, Diag Which) {
    Result.Understood = false;
    for (const Frame* Each : llvm::reverse(Frames))
      if (Each->Call && Context.getSourceManager().isInSystemHeader(Loc))
        Loc = Each->Call->getExprLoc();
    return Diags.report(Loc, Which);
  }

  Polynomial unknown(UnknownCause::Reason Why, const Stmt* At) { return Sets.unknown({Why, At}); }

  Condition anything() const { return {Sets.universe(), Sets.universe()}; }

  /// The value of an integer expression that is not understood; nothing for other types.
  AbstractValue opaque(QualType Type, UnknownCause::Reason Why, const Stmt* At) {
    AbstractValue V;
    if (Type.getNonReferenceType()->isBooleanType())
      V.Truth = anything();
    else if (Type.getNonReferenceType()->isIntegralOrEnumerationType())
      V.Number = unknown(Why, At);
    else if (Type.getNonReferenceType()->isPointerType())
      V.Place = Location{};
    return V;
  }

  Condition truth(const AbstractValue& V) {
    if (V.Truth)
      return *V.Truth;
    return V.Number ? Numbers.compare(BO_NE, *V.Number, 0, QualType()) : anything();
  }

  Polynomial number(const AbstractValue& V, const Expr* E) {
    if (V.Number)
      return V.Number->overflowed() ? unknown(UnknownCause::Expression, E) : *V.Number;
    if (V.Truth)
      return Numbers.choice(V.Truth->True, 1, V.Truth->False, 0);
    return unknown(UnknownCause::Expression, E);
  }

  AbstractValue choice(const isl::set& IfA, const AbstractValue& A, const isl::set& IfB, const AbstractValue& B,
               const Stmt* At) {
    if (same(A, B))
      return A;
    AbstractValue V;
    if (A.Number && B.Number)
      V.Number = Numbers.choice(IfA, *A.Number, IfB, *B.Number);
    else if (A.Truth && B.Truth)
      V.Truth = Condition{IfA.intersect(A.Truth->True).unite(IfB.intersect(B.Truth->True)),
                          IfA.intersect(A.Truth->False).unite(IfB.intersect(B.Truth->False))};
    else if (A.Number || B.Number)
      V.Number = unknown(UnknownCause::Expression, At);
    else if (A.Truth || B.Truth)
      V.Truth = anything();
    if (A.Place && B.Place) {
      V.Place = Location{};
      if (A.Place->sameArray(*B.Place)) {
        V.Place = A.Place;
        V.Place->Offset = Numbers.choice(IfA, A.Place->Offset, IfB, B.Place->Offset);
      }
    } else if (A.Place || B.Place) {
      V.Place = Location{};
    }
    for (const auto& [Field, Member] : A.Members)
      if (auto It = B.Members.find(Field); It != B.Members.end())
        V.Members[Field] = choice(IfA, Member, IfB, It->second, At);
    for (const auto& [I, Element] : A.Elements)
      if (auto It = B.Elements.find(I); It != B.Elements.end())
        V.Elements.emplace(I, Numbers.choice(IfA, Element, IfB, It->second));
    return V;
  }

  /// A path that a condition has divided in two.
  struct Fork {
    isl::set Whole, First, Second;

    Fork(const isl::set& Path, const isl::set& First, const isl::set& Second)
        : Whole(Path), First(Path.intersect(First)), Second(Path.intersect(Second)) {}
  };

  /// \p From: where the paths come from. If nothing has left them on the way, the path goes on as if it had not been divided, so that
  /// conditions behind which all do the same do not add up.
  State join(State A, State B, const Stmt* At, const Fork* From = nullptr) {
    if (!A.Reachable)
      return B;
    if (!B.Reachable)
      return A;
    const bool IsWhole = From && A.Path.get() == From->First.get() && B.Path.get() == From->Second.get();
    State Joined{IsWhole ? From->Whole : A.Path.unite(B.Path).coalesce(), true, {}};
    for (const auto& [Variable, V] : A.Variables)
      if (auto It = B.Variables.find(Variable); It != B.Variables.end())
        Joined.Variables[Variable] = choice(A.Path, V, B.Path, It->second, At);
    return Joined;
  }

  // --- Memory.

  /// The pointer of which an element is one.
  static PointerVariable pointerTo(const Location& L) { return {cast<VarDecl>(L.Decl), L.Members}; }

  bool distributed(const Location& L) const {
    return L.Of == Location::Element && Distributed.count(pointerTo(L));
  }

  /// Kernels do nothing else with it than to store.
  bool isCollected(const Location& L) const { return L.Of == Location::Element && Launch.Collected.count(L.Decl); }

  enum Use { Read, Written, Combined };

  /// False, and reported, if a kernel does this with what a pointer in a structure leads to that is
  /// not distributed: it may be one of the arrays under another name.
  bool checkMember(const Location& L, Use How, const Expr* Where) {
    if (L.Of != Location::Element || L.Members.empty() || distributed(L))
      return true;
    error(Where->getExprLoc(), Diag::err_member_undistributed)
        << pointerTo(L).name() << How << Where->getSourceRange();
    return false;
  }

  enum PointerProblem { Unclear, FromMemory, OfOtherSize, OfVectors, ByReference };

  /// The parameter of a kernel that an expression names, if that is a reference.
  const ParmVarDecl* referenceParameter(const Expr* Element) const {
    Element = Element->IgnoreParenCasts();
    if (const auto* Address = dyn_cast<UnaryOperator>(Element); Address && Address->getOpcode() == UO_AddrOf)
      Element = Address->getSubExpr()->IgnoreParens();
    const auto* Ref = dyn_cast<DeclRefExpr>(Element);
    const auto* P = Ref ? dyn_cast<ParmVarDecl>(Ref->getDecl()) : nullptr;
    return P && P->getType()->isReferenceType() && P->getDeclContext() == Kernel ? P : nullptr;
  }

  /// The variable or member in memory that the pointer to an element is loaded from; null if none is seen.
  static const NamedDecl* loadedPointer(const Expr* Element) {
    bool Loaded = false;
    for (const Expr* E = Element;;) {
      E = E->IgnoreParenCasts();
      const auto* Subscript = dyn_cast<ArraySubscriptExpr>(E);
      const auto* Unary = dyn_cast<UnaryOperator>(E);
      if (const auto* Ref = dyn_cast<DeclRefExpr>(E)) {
        const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
        return Loaded || (V && V->hasGlobalStorage()) ? V : nullptr;
      }
      if (const auto* Member = dyn_cast<MemberExpr>(E))
        return Loaded || (Member->isArrow() && Member->getType()->isPointerType()) ? Member->getMemberDecl() : nullptr;
      if (Subscript || (Unary && Unary->getOpcode() == UO_Deref)) {
        Loaded |= E->getType()->isPointerType();
        E = Subscript ? Subscript->getBase() : Unary->getSubExpr();
      } else if (const auto Sum = pointerSum(E)) {
        E = Sum->Pointer;
      } else {
        return nullptr;
      }
    }
  }

  /// Of a distributed array. Where threads are numbered as its elements are, all have as many of these.
  bool isUnderstood(const Location& L) const { return L.Unit == 0 && (L.Elements == Launch.ElementsPerThread || Launch.isInBlocks()); }

  /// What is accessed is so by an atomic operation.
  bool InAtomic = false;

  /// An object that lies anywhere may go on in the next row, as its elements by themselves may.
  void accessElements(const Location& L, bool Writes, const Expr* Where) {
    const std::int64_t Count = L.PartElements != 0 ? L.PartElements : L.Elements;
    const Polynomial Offset = Writes ? Numbers.resolved(L.Offset) : L.Offset;
    auto Access = [&](const Polynomial& At, std::int64_t Elements, std::int64_t Begin,
                      std::int64_t Accessed) {
      Result.Accesses.push_back({pointerTo(L), At, Writes, Now.Path, Where, Part, StoredRow,
                                 std::nullopt, std::nullopt, 0, Elements, Begin, Accessed,
                                 InAtomic});
    };
    if (L.Aligned)
      return Access(Offset, L.Elements, L.PartBegin, Count);
    for (std::int64_t I = 0; I < Count; ++I)
      Access(Offset + Polynomial(L.PartBegin + I), 1, 0, 1);
  }

  void access(const Location& L, bool Writes, const Expr* Where) {
    if (!Now.Reachable)
      return;
    notePrivate(L, Writes, Where);
    if (L.Of == Location::Unknown || (distributed(L) && !isUnderstood(L))) {
      const NamedDecl* Named = L.Of == Location::Unknown ? referenceParameter(Where) : nullptr;
      const PointerProblem Known = Named ? ByReference : L.Of == Location::Unknown ? FromMemory : L.Unit != 0 ? OfOtherSize : OfVectors;
      if (Known == FromMemory)
        Named = loadedPointer(Where);
      error(Where->getExprLoc(), Diag::err_pointer_not_understood)
          << Writes << (Known == FromMemory && !Named ? Unclear : Known)
          << (L.Of != Location::Unknown ? pointerTo(L).name() : Named ? Named->getNameAsString() : "") << Where->getSourceRange();
      return;
    }
    if ((distributed(L) || isCollected(L)) && !checkRowStore(L, Writes, Where))
      return;
    if (distributed(L))
      accessElements(L, Writes, Where);
    else if (isCollected(L))
      Result.Collected.push_back({L.Decl, Where, Part});
    else if (!checkMember(L, Writes ? Written : Read, Where))
      return;
    else if (Writes && L.Of == Location::Element && Launch.Flags.count(dyn_cast<ParmVarDecl>(L.Decl)))
      storeToFlag(cast<ParmVarDecl>(L.Decl), Where);
    else if (Writes && (L.Of == Location::Element || L.Of == Location::Global)) {
      error(Where->getExprLoc(), Diag::err_write_undistributed)
          << L.Decl->getName() << (L.Of == Location::Global) << "||" << Where->getSourceRange();
      const auto* Global = L.Of == Location::Global ? dyn_cast<VarDecl>(L.Decl) : nullptr;
      if (Global && Global->getType()->isArithmeticType())
        noteDeviceVariable(Where->getExprLoc(), *Global, Diags);
    }
  }

  void storeToFlag(const ParmVarDecl* Flag, const Expr* Where) {
    if (forFixedRows())
      reportForEachRow(Where, DoneByUpdate);
    Result.Atomics.push_back({Flag, {}, Where, Part});
  }

  // --- What iterations of a loop over the rows leave behind.

  void notePrivate(const Location& L, bool Writes, const Stmt* Where) {
    if (Rows && L.Of == Location::Private)
      Result.RowLoop.Private.push_back(
          {L.Decl && L.Decl->getType()->isArrayType() ? L.Decl : nullptr, L.Offset, Writes, Now.Path, UncertainConditions == 0, Where, Part});
  }

  void noteStore(const Location& L, const Stmt* Where) {
    if (L.Of == Location::Variable || L.Of == Location::Private)
      for (const Stmt* Loop : KernelLoops)
        Result.LoopStores.emplace(Loop, dyn_cast_or_null<VarDecl>(L.Decl));
    if (Rows && L.Of == Location::Variable && Part == LoopPart::Inside)
      Result.RowLoop.Stores.emplace_back(L.Decl, Where);
  }

  // --- What queues begin with.

  /// What has been read before the loop for a variable that is a queue in it, and nothing else is made of.
  void noteFirst(const VarDecl* V, const std::optional<Polynomial>& Offset, const Expr* From, size_t Read) {
    if (Part != LoopPart::Before || !Rows || !Rows->Queues || !Rows->Queues->Needed.count(V) || !changedMembers(From).empty())
      return;
    for (ElementAccess& A : llvm::drop_begin(Result.Accesses, Read))
      A.FirstOf = QueueElement{V, Offset};
  }

  void noteFirst(const Location& L, const Expr* From, size_t Read) {
    if (L.Of == Location::Variable || L.Of == Location::Private)
      if (const auto* V = dyn_cast_or_null<VarDecl>(L.Decl); V && L.Members.empty())
        noteFirst(V, L.Offset, From, Read);
  }

  /// Counts a condition that may be true or not for what is known, as long as something depends on
  /// it.
  class Dependence {
  public:
    Dependence(Interpreter& I, const Condition& On)
        : I(I), Uncertain(I.Rows && !On.True.is_disjoint(On.False)) {
      I.UncertainConditions += Uncertain;
    }
    ~Dependence() { I.UncertainConditions -= Uncertain; }
    Dependence(const Dependence&) = delete;
    Dependence& operator=(const Dependence&) = delete;

  private:
    Interpreter& I;
    unsigned Uncertain;
  };

  /// What is in constant memory or a constant array, as far as it is known when a kernel begins. None: something else.
  const std::vector<Polynomial>* constants(const PointerVariable& Place) {
    if (auto It = llvm::find_if(Launch.Constants, [&](const AssumedConstant& A) { return A.Place == Place; }); It != Launch.Constants.end()) {
      Result.Constants.insert(Place);
      return &It->Values;
    }
    auto [It, New] = KnownConstants.try_emplace(Place);
    if (New)
      if (std::optional<std::vector<std::int64_t>> Values = constantValues(Place, Context))
        It->second.assign(Values->begin(), Values->end());
    return It->second.empty() ? nullptr : &It->second;
  }

  /// How many arrays are on the way from a variable to a place in it.
  static unsigned arraysTo(const Location& L) {
    return L.Decl->getType()->isArrayType() +
           static_cast<unsigned>(llvm::count_if(L.Members, [](const FieldDecl* Field) { return Field->getType()->isArrayType(); }));
  }

  /// The integer at a place in constant memory or in a constant array.
  std::optional<Polynomial> constantElement(const Location& L, QualType Type) {
    const auto* V = dyn_cast_or_null<VarDecl>(L.Decl);
    if (!V || L.Unit != 0 || !Type->isIntegralOrEnumerationType() || Reinterpreted.count(V))
      return std::nullopt;
    // Elements are counted in the only array on the way.
    const unsigned Arrays = arraysTo(L);
    const QualType Element = L.Members.empty() ? V->getType() : L.Members.back()->getType();
    if (Arrays > 1 || !Context.hasSameUnqualifiedType(Context.getBaseElementType(Element), Type))
      return std::nullopt;
    const std::vector<Polynomial>* Values = constants({V, L.Members});
    const auto Count = static_cast<std::int64_t>(Values ? Values->size() : 0);
    if (std::optional<std::int64_t> At = L.Offset.constant(); At && *At >= 0 && *At < Count)
      return (*Values)[static_cast<std::size_t>(*At)];
    if (Values && Arrays == 1)
      return Numbers.elementOf(*Values, L.Offset);
    // Constant memory keeps its value while a kernel runs.
    if (L.Of != Location::Global || !V->hasAttr<CUDAConstantAttr>() || Arrays != 0 || L.Members.size() > 1 || !(L.Offset == Polynomial(0)))
      return std::nullopt;
    return Polynomial(Symbol{Symbol::Kind::Parameter, 0, V, L.Members.empty() ? nullptr : L.Members.front()});
  }

  /// The type of an array of indices of a function, or of a structure in it, that a place is in; null for other places.
  QualType indexArray(const Location& L) const {
    const auto* V = dyn_cast_or_null<VarDecl>(L.Decl);
    if (L.Of != Location::Private || L.Unit != 0 || !V || V->hasAttr<CUDASharedAttr>() || Reinterpreted.count(V) ||
        (L.Members.empty() && V->hasGlobalStorage()) || llvm::any_of(L.Members, [](const FieldDecl* F) { return F->getParent()->isUnion(); }))
      return {};
    const QualType Array = L.Members.empty() ? V->getType() : L.Members.back()->getType();
    return indexElements(Array, Context) ? Array : QualType();
  }

  /// What is known of that array; null: nothing.
  AbstractValue* arrayValue(const Location& L) {
    auto It = Now.Variables.find(L.Decl);
    AbstractValue* V = It == Now.Variables.end() ? nullptr : &It->second;
    for (const FieldDecl* Field : L.Members) {
      auto Member = V ? V->Members.find(Field) : decltype(V->Members.end()){};
      V = V && Member != V->Members.end() ? &Member->second : nullptr;
    }
    return V;
  }

  /// One of the elements that a subscript may mean.
  std::optional<Polynomial> localElement(const Location& L, QualType Type) {
    const QualType Array = indexArray(L);
    const AbstractValue* V = Array.isNull() ? nullptr : arrayValue(L);
    if (!V || V->Elements.empty() || !Context.hasSameUnqualifiedType(Context.getBaseElementType(Array), Type))
      return std::nullopt;
    const std::int64_t Count = *indexElements(Array, Context);
    isl::set Impossible = Sets.compare(Comparison::Less, L.Offset, 0).unite(Sets.compare(Comparison::LessEqual, Count, L.Offset));
    std::vector<Alternative> Possible;
    for (std::int64_t I = 0; I < Count; ++I) {
      isl::set When = Sets.compare(Comparison::Equal, L.Offset, I);
      if (!Numbers.isPossible(When)) {
        Impossible = Impossible.unite(When);
        continue;
      }
      auto Known = V->Elements.find(I);
      if (Known == V->Elements.end())
        return std::nullopt;
      Possible.push_back({std::move(When), Known->second});
    }
    if (Possible.empty())
      return std::nullopt;
    if (Possible.size() == 1)
      return Possible.front().Value;
    Impossible = Impossible.coalesce();
    if (Numbers.isPossible(Impossible))
      Now.Path = Now.Path.subtract(Impossible); // the language has no elements outside
    // With all that is known of an index out of a table, as of `ys[dy[q]]`, sets become too large: any element is meant then.
    const bool ByTable = llvm::any_of(L.Offset.terms(), [&](const auto& Term) {
      return llvm::any_of(Term.first, [&](const Symbol& S) { return Sets.alternativesOf(S) != nullptr; });
    });
    if (ByTable) {
      Impossible = Sets.none();
      for (Alternative& Each : Possible)
        Each.When = Sets.universe();
    }
    return Polynomial(Sets.oneOf(std::move(Possible), Impossible));
  }

  void storeElement(const Location& L, const AbstractValue& V, const Expr* Where) {
    const QualType Array = indexArray(L);
    if (Array.isNull())
      return;
    AbstractValue* Target = &Now.Variables[L.Decl];
    for (const FieldDecl* Field : L.Members)
      Target = &Target->Members[Field];
    if (!Context.hasSameUnqualifiedType(Context.getBaseElementType(Array), Where->getType()))
      return Target->Elements.clear();
    const Polynomial Stored = number(V, Where);
    if (std::optional<std::int64_t> At = L.Offset.constant()) {
      Target->Elements[*At] = Stored;
      return;
    }
    for (auto& [I, Element] : Target->Elements)
      Element = Numbers.choice(Sets.compare(Comparison::Equal, L.Offset, I), Stored, Sets.compare(Comparison::NotEqual, L.Offset, I), Element);
  }

  /// A loop may have stored into any of the elements.
  void forgetElements(const ElementChanges& Changed) {
    for (auto& [Variable, V] : Now.Variables) {
      const auto* Named = dyn_cast<VarDecl>(Variable);
      if (Named && (Changed.Arrays.count(Named) || (Changed.Others && Arrays.isExposed(Named))))
        gpurma::forgetElements(V);
    }
  }

  AbstractValue load(const Location& L, const Expr* Where) {
    QualType Type = Where->getType();
    if (L.Of == Location::Variable) {
      auto It = Now.Variables.find(L.Decl);
      const AbstractValue* V = It == Now.Variables.end() || Reinterpreted.count(L.Decl) ? nullptr : &It->second;
      for (const FieldDecl* Field : L.Members) {
        auto Member = V ? V->Members.find(Field) : decltype(V->Members.end()){};
        // Another member of a union may have been stored into, and a bit-field has not all of what is.
        if (!V || Member == V->Members.end() || Field->getParent()->isUnion() || Field->isBitField()) {
          V = nullptr;
          break;
        }
        V = &Member->second;
      }
      if (V)
        return *V;
      return opaque(Type, UnknownCause::Loaded, Where);
    }
    access(L, /*Writes=*/false, Where);
    if (L.Of == Location::Global && L.Members.empty() && isCopied(L.Decl))
      return builtinCopy(builtinVariable(L.Decl->getName()), Type);
    if (L.Of == Location::Private || L.Of == Location::Global)
      if (std::optional<Polynomial> Known = constantElement(L, Type)) {
        AbstractValue V;
        V.Number = std::move(*Known);
        return V;
      }
    if (std::optional<Polynomial> Known = localElement(L, Type)) {
      AbstractValue V;
      V.Number = std::move(*Known);
      return V;
    }
    AbstractValue V = loaded(L, Type, Where);
    if (L.Of == Location::Global || isInTable(L))
      addConstantMembers(V, L, Type);
    return V;
  }

  /// Of a copy of a structure in constant memory or in a constant array.
  void addConstantMembers(AbstractValue& V, const Location& L, QualType Type) {
    const RecordDecl* Record = Type->getAsRecordDecl();
    if (!Record || Record->isUnion() || !L.Decl || isCopied(L.Decl))
      return;
    for (const FieldDecl* Field : Record->fields()) {
      Location Member = L;
      Member.Members.push_back(Field);
      if (std::optional<Polynomial> Known =
              Field->isBitField() ? std::nullopt : constantElement(Member, Field->getType()))
        V.Members[Field].Number = std::move(*Known);
    }
  }

  /// The members of an element, the last one first, that \p Where reads; none: that is not known.
  std::optional<std::vector<const ValueDecl*>> membersRead(const Location& L, const Expr* Where) const {
    std::vector<const ValueDecl*> Members;
    if (L.Unit != 0 || L.Offset.overflowed())
      return std::nullopt;
    if (L.Of == Location::Global)
      return L.Decl->hasAttr<CUDAConstantAttr>() && arraysTo(L) <= 1 ? std::optional(Members) : std::nullopt; // L has them
    if (L.Of != Location::Element || distributed(L))
      return std::nullopt;
    Where = Where->IgnoreParens();
    QualType Object = Where->getType();
    for (const auto* Member = dyn_cast<MemberExpr>(Where); Member; Member = Member->isArrow() ? nullptr : dyn_cast<MemberExpr>(Where)) {
      Members.push_back(Member->getMemberDecl());
      Where = Member->getBase()->IgnoreParens();
      Object = Member->isArrow() ? Where->getType()->getPointeeType() : Where->getType();
    }
    const QualType Element = Context.getBaseElementType(pointerTo(L).type().getNonReferenceType()->getPointeeType());
    return Context.hasSameUnqualifiedType(Object, Element) ? std::optional(Members) : std::nullopt;
  }

  /// What no kernel writes stays the same: `u[list[i]] = v[list[i]]` has one place.
  AbstractValue loaded(const Location& L, QualType Type, const Expr* Where) {
    std::optional<std::vector<const ValueDecl*>> Members = Renumbered && Renumbered->SearchesRows ? membersRead(L, Where) : std::nullopt;
    if (!Members)
      return opaque(Type, UnknownCause::Loaded, Where);
    for (const LoadedValue& Each : LoadedValues)
      if (Each.From == L && Each.Members == *Members && Context.hasSameUnqualifiedType(Each.Type, Type))
        return Each.Value;
    return LoadedValues.emplace_back(LoadedValue{L, std::move(*Members), Type, opaque(Type, UnknownCause::Loaded, Where)}).Value;
  }

  void store(const Location& L, AbstractValue V, const Expr* Where) {
    noteStore(L, Where);
    if (L.Of != Location::Variable) {
      storeElement(L, V, Where);
      return access(L, /*Writes=*/true, Where);
    }
    AbstractValue* Target = &Now.Variables[L.Decl];
    for (const FieldDecl* Field : L.Members)
      Target = &Target->Members[Field];
    *Target = std::move(V);
  }

  /// What a call or an iteration may have changed.
  void forget(const Location& L, UnknownCause::Reason Why, const Stmt* At) {
    if (Why == UnknownCause::Call) {
      if (L.Decl)
        noteStore(L, At);
      notePrivate(L, /*Writes=*/false, At);
      notePrivate(L, /*Writes=*/true, At);
    }
    if (AbstractValue* V = L.Of == Location::Private && L.Decl ? arrayValue(L) : nullptr)
      gpurma::forgetElements(*V);
    if (L.Of != Location::Variable)
      return;
    AbstractValue* Target = &Now.Variables[L.Decl];
    for (const FieldDecl* Field : L.Members)
      Target = &Target->Members[Field];
    *Target = opaque(L.Members.empty() ? L.Decl->getType() : L.Members.back()->getType(), Why, At);
  }

  std::int64_t elementsIn(QualType Type) const {
    std::int64_t Count = 1;
    while (const ConstantArrayType* Array = Context.getAsConstantArrayType(Type)) {
      Count *= static_cast<std::int64_t>(Array->getSize().getZExtValue());
      Type = Array->getElementType();
    }
    return Count;
  }

  /// Somebody may change a local variable, or a member of one, by another name than its own.
  void expose(const Location& L) {
    if (L.Of == Location::Variable)
      AddressTaken.emplace(L.Decl, L.Members);
  }

  AbstractValue exposed(Location L, QualType Reference) {
    if (!isUnchangeable(Reference->getPointeeType()))
      expose(L);
    return placed(std::move(L));
  }

  Location moved(Location L, const Polynomial& By, QualType Pointee) {
    // Where a variable's own address is moved, it leads to another part of the variable.
    if (L.Of == Location::Variable) {
      if (By == Polynomial(0))
        return L;
      if (Snapshots.count(L.Decl))
        return {};
      Reinterpreted.insert(L.Decl);
      return {Location::Private, nullptr, {}, {}};
    }
    if (L.Within != 0)
      return movedWithin(std::move(L), By, Pointee, /*Certain=*/false);
    L.Offset = Sets.normalized(L.Offset + By * Polynomial(elementsIn(Pointee) * L.Elements));
    return L;
  }

  /// In a member of an element. \p Certain: the language has it that it stays there. Unknown if it may not.
  Location movedWithin(Location L, const Polynomial& By, QualType Pointee, bool Certain) {
    const std::int64_t Each = elementsIn(Pointee);
    const std::optional<std::int64_t> Known = By.constant();
    if (Known ? *Known < 0 || *Known * Each >= L.Within
              : !Certain && (Numbers.isPossible(Numbers.compare(BO_GE, By, 0, QualType()).False) ||
                             Numbers.isPossible(Numbers.compare(BO_LT, By * Polynomial(Each), L.Within, QualType()).False)))
      return {};
    // Of what is known of a place in the middle less is left.
    L.Within = Known ? L.Within - *Known * Each : Each;
    return L;
  }

  std::int64_t bytesOf(QualType Type) const { return innermostBytes(Type, Context); }

  /// A pointer that the kernel is passed, which may be one to several elements of a distributed array, or to parts of one.
  Location passed(Location L) {
    auto It = Distributed.find(pointerTo(L));
    const QualType Pointee = It == Distributed.end() ? QualType() : It->first.type()->getPointeeType();
    return Pointee.isNull() || Pointee->isIncompleteType() ? L : recounted(std::move(L), It->second, Pointee);
  }

  /// A pointer into a distributed array, cast to one to elements of another size. Unknown if it may not be at the beginning of one.
  Location recounted(Location L, QualType From, QualType To) {
    if (To->isIncompleteType() || From->isIncompleteType())
      return {};
    if (L.Within != 0 && Context.getTypeSizeInChars(From) != Context.getTypeSizeInChars(To))
      return {};
    return recounted(std::move(L), bytesOf(From), To);
  }

  /// By bytes: several elements of the array, or parts of one.
  Location recounted(Location L, std::int64_t From, QualType To) {
    const std::int64_t New = bytesOf(To);
    if (From == New)
      return L;
    const std::int64_t Element = Distributed.at(pointerTo(L)), Old = L.Unit != 0 ? L.Unit : Element;
    L.Elements = New % Element == 0 ? New / Element : 1;
    L.Aligned = Context.getTypeAlignInChars(Context.getBaseElementType(To)).getQuantity() % New == 0;
    if (L.Aligned)
      Result.VectorElements = std::lcm(Result.VectorElements, L.Elements);
    L.Unit = New % Element == 0 ? 0 : New;
    auto [Offset, Rest] = (L.Offset * Polynomial(Old)).divided(Polynomial(L.Unit != 0 ? New : Element));
    if (!(Rest == Polynomial(0)))
      return {};
    L.Offset = std::move(Offset);
    return L;
  }

  /// A member of an object that is several elements: those that it consists of, if it is a whole number.
  void takePart(Location& L, const FieldDecl& Field) const {
    if (L.Elements == 1 || L.PartElements != 0 || Field.isBitField())
      return;
    const std::int64_t Element = Distributed.at(pointerTo(L)), Bytes = bytesOf(Field.getType()) * elementsIn(Field.getType());
    const std::int64_t Begin = Context.toCharUnitsFromBits(static_cast<std::int64_t>(Context.getFieldOffset(&Field))).getQuantity();
    if (Begin % Element != 0 || Bytes % Element != 0)
      return;
    L.PartBegin = Begin / Element;
    L.PartElements = Bytes / Element;
  }

  /// In an array of structures that nothing writes.
  bool isInTable(const Location& L) const {
    return L.Of == Location::Private && L.Decl && L.Decl->getType()->isArrayType() && Context.getBaseElementType(L.Decl->getType()).isConstQualified();
  }

  Location locate(const Expr* E) {
    E = E->IgnoreParens();
    if (const auto* Ref = dyn_cast<DeclRefExpr>(E)) {
      const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
      if (const auto* Binding = dyn_cast<BindingDecl>(Ref->getDecl())) {
        if (Ref->refersToEnclosingVariableOrCapture() && Now.Variables.count(Binding))
          return {Location::Variable, Binding, {}, {}};
        V = Binding->getHoldingVar();
        if (Binding->getBinding() && !V)
          return locate(Binding->getBinding());
      }
      if (const VarDecl* Copy = inLambda(V); Copy != V && Ref->refersToEnclosingVariableOrCapture())
        return {Location::Variable, Copy, {}, {}};
      if (!V)
        return {Location::Private, nullptr, {}, {}};
      if (V->getType()->isReferenceType()) {
        auto It = Now.Variables.find(V);
        return It != Now.Variables.end() && It->second.Place ? *It->second.Place : Location{};
      }
      bool Shared = V->hasAttr<CUDASharedAttr>();
      if (V->getType()->isArrayType())
        return {V->hasGlobalStorage() && !Shared ? Location::Global : Location::Private, V, {}, {}};
      if (Shared)
        return {Location::Private, V, {}, {}};
      return {V->hasGlobalStorage() ? Location::Global : Location::Variable, V, {}, {}};
    }
    if (const auto* Subscript = dyn_cast<ArraySubscriptExpr>(E)) {
      AbstractValue Base = eval(Subscript->getBase()), Index = eval(Subscript->getIdx());
      if (Base.Place && Base.Place->Within != 0 && Subscript->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
        return movedWithin(*Base.Place, number(Index, Subscript->getIdx()), Subscript->getType(), /*Certain=*/true);
      return moved(Base.Place.value_or(Location{}), number(Index, Subscript->getIdx()),
                   Subscript->getType());
    }
    if (const auto* Unary = dyn_cast<UnaryOperator>(E)) {
      if (Unary->getOpcode() == UO_Deref)
        return eval(Unary->getSubExpr()).Place.value_or(Location{});
      if (Unary->isPrefix() && Unary->isIncrementDecrementOp())
        return eval(Unary).Place.value_or(Location{});
      if (Unary->getOpcode() == UO_Extension)
        return locate(Unary->getSubExpr());
    }
    if (const auto* Member = dyn_cast<MemberExpr>(E)) {
      const bool OfThis = isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts());
      Location L = OfThis              ? Frames.back()->This.value_or(Location{})
                   : Member->isArrow() ? eval(Member->getBase()).Place.value_or(Location{})
                                       : object(Member->getBase());
      const auto* Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
      // A reference or an array within a structure.
      if (Field && Field->getType()->isReferenceType()) {
        L.Members.push_back(Field);
        return load(L, Member).Place.value_or(Location{});
      }
      if (Field && (L.Of == Location::Global || isInTable(L)))
        L.Members.push_back(Field);
      if (L.Of == Location::Element && Field) {
        takePart(L, *Field);
        L.Within = elementsIn(Field->getType());
      }
      if (L.Of != Location::Variable)
        return L; // a member of an element is the element
      if (!Field)
        return {Location::Private, nullptr, {}, {}};
      L.Members.push_back(Field);
      if (Field->getType()->isArrayType())
        L.Of = Location::Private;
      return L;
    }
    if (const auto* Binary = dyn_cast<BinaryOperator>(E)) {
      if (Binary->isAssignmentOp())
        return eval(Binary).Place.value_or(Location{});
      if (Binary->getOpcode() == BO_Comma) {
        eval(Binary->getLHS());
        return locate(Binary->getRHS());
      }
    }
    if (const auto* Choice = dyn_cast<ConditionalOperator>(E)) {
      // Nobody writes through `const int& least = a < b ? a : b;`, so that its value is enough.
      if (Choice->getType().isConstQualified() && Choice->getType()->isScalarType()) {
        AbstractValue V = read(Choice);
        return snapshot(std::move(V), Choice, {Choice->getTrueExpr(), Choice->getFalseExpr()});
      }
      AbstractValue Chosen = either(Choice, [&](const Expr* Arm) {
        AbstractValue V;
        V.Place = locate(Arm);
        return V;
      });
      return Chosen.Place.value_or(Location{});
    }
    if (const auto* Cast = dyn_cast<CastExpr>(E); Cast && Cast->getCastKind() == CK_LValueBitCast)
      if (Location L = locate(Cast->getSubExpr()); distributed(L))
        return recounted(std::move(L), Cast->getSubExpr()->getType(), Cast->getType());
    if (const auto* Cast = dyn_cast<CastExpr>(E);
        Cast && (Cast->getCastKind() == CK_NoOp || Cast->getCastKind() == CK_DerivedToBase ||
                 Cast->getCastKind() == CK_UncheckedDerivedToBase || Cast->getCastKind() == CK_BaseToDerived)) {
      Location L = locate(Cast->getSubExpr());
      if (Cast->getCastKind() == CK_NoOp)
        rejectConstCast(Cast, L);
      else if (Cast->getCastKind() != CK_BaseToDerived)
        rejectRepeatedBase(Cast);
      return L;
    }
    if (isa<CallExpr>(E))
      if (AbstractValue V = eval(E); V.Place)
        return *V.Place;
    if (const auto* Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
      return object(Temporary->getSubExpr());
    if (const auto* Cleanups = dyn_cast<ExprWithCleanups>(E))
      return locate(Cleanups->getSubExpr());
    if (isa<StringLiteral, PredefinedExpr>(E))
      return {Location::Private, nullptr, {}, {}};
    eval(E);
    return {};
  }

  /// Where an object lies; a temporary one gets a variable.
  Location object(const Expr* E) {
    E = E->IgnoreParens();
    if (isa<CXXThisExpr>(E))
      return Frames.back()->This.value_or(Location{});
    if (const auto* Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
      return object(Temporary->getSubExpr());
    if (E->isGLValue())
      return locate(E);
    return held(eval(E), E);
  }

  /// One that the kernel does not have.
  VarDecl* ownVariable(QualType Type, const Expr* For) {
    return VarDecl::Create(Context, Context.getTranslationUnitDecl(), For->getBeginLoc(), For->getBeginLoc(), nullptr, Type, nullptr, SC_None);
  }

  /// A variable for the value that one of several places has now.
  Location snapshot(AbstractValue V, const Expr* E, ArrayRef<const Expr*> Of) {
    Location L = held(std::move(V), E);
    std::vector<Location>& Sources = Snapshots[L.Decl];
    for (const Expr* Each : Of)
      Sources.push_back(placeOf({Each}));
    return L;
  }

  /// Where a reference leads that lives on, or a pointer: of a value that may have become another one nothing is known.
  Location bound(Location L) {
    const auto MayChange = [](const Location& Source) {
      const auto* V = dyn_cast_or_null<VarDecl>(Source.Decl);
      const auto* Of = V && Source.Of == Location::Variable ? dyn_cast_or_null<FunctionDecl>(V->getParentFunctionOrMethod()) : nullptr;
      if (Of && Of->hasBody())
        return !V->getType().isConstQualified() && VariableChanges(Of->getBody()).changes(V);
      return Source.Of == Location::Private || Source.Of == Location::Unknown;
    };
    auto Snapshot = L.Of == Location::Variable ? Snapshots.find(L.Decl) : Snapshots.end();
    return Snapshot != Snapshots.end() && llvm::any_of(Snapshot->second, MayChange) ? Location{Location::Private, nullptr, {}, {}} : L;
  }

  /// A variable for a value that has none.
  Location held(AbstractValue V, const Expr* E) {
    VarDecl* Holder = ownVariable(E->getType(), E);
    Now.Variables[Holder] = std::move(V);
    return {Location::Variable, Holder, {}, {}};
  }

  /// The value of a glvalue. Of `a < b ? a : b` that is one of two, though no place is either.
  AbstractValue read(const Expr* E) {
    E = E->IgnoreParens();
    if (const ConditionalOperator* Choice = choiceIn(E))
      return either(Choice, [&](const Expr* Arm) { return read(Arm); });
    // With a number in it all of an object that is one of two is read.
    if (const auto* Member = dyn_cast<MemberExpr>(E);
        Member && Member->getMemberDecl()->getType()->isArithmeticType() && !Member->isArrow() &&
        choiceIn(Member->getBase())) {
      const AbstractValue Object = read(Member->getBase());
      const auto* Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
      const bool IsWhole =
          Field && !Field->getParent()->isUnion() && !Field->isBitField(); // as load() has it
      const auto Known = IsWhole ? Object.Members.find(Field) : Object.Members.end();
      return Known != Object.Members.end() ? Known->second
                                           : opaque(E->getType(), UnknownCause::Loaded, E);
    }
    return load(locate(E), E);
  }

  /// The `?:` that a glvalue is, which may be const where those that it chooses from are not, as
  /// what a structure is copied from.
  static const ConditionalOperator* choiceIn(const Expr* E) {
    for (E = E->IgnoreParens();;) {
      const auto* Cast = dyn_cast<ImplicitCastExpr>(E);
      if (!Cast || Cast->getCastKind() != CK_NoOp)
        return dyn_cast<ConditionalOperator>(E);
      E = Cast->getSubExpr()->IgnoreParens();
    }
  }

  // --- Expressions.

  Polynomial arithmetic(BinaryOperatorKind Op, const Polynomial& A, const Polynomial& B,
                        const BinaryOperator* E) {
    Polynomial V = Numbers.valueOf(Op, A, B, E);
    if (Renumbered && Renumbered->inOneDimension() && (Op == BO_Div || Op == BO_Rem || Op == BO_Shr || Op == BO_And))
      notePlace(E, V);
    return V;
  }

  /// What is the same place of the thread's element each time needs no division.
  void notePlace(const Expr* E, const Polynomial& V) {
    auto Found = llvm::find(Renumbered->Places, V);
    std::optional<ElementPlace> Place;
    if (Found != Renumbered->Places.end())
      Place = static_cast<ElementPlace>(Found - Renumbered->Places.begin());
    auto [It, IsNew] = Result.Places.try_emplace(E, Place);
    if (!IsNew && It->second != Place)
      It->second.reset();
  }

  static bool isOfThread(const std::optional<Location>& L) {
    return L && (L->Of == Location::Variable || L->Of == Location::Private) && !(L->Decl && L->Decl->hasAttr<CUDASharedAttr>());
  }

  /// Runs both arms of `?:` and chooses.
  template <typename Function> AbstractValue either(const AbstractConditionalOperator* E, Function Arm) {
    const Expr* Cond = E->getCond();
    if (bool Known = false; !Cond->isValueDependent() && !Cond->HasSideEffects(Context) && Cond->EvaluateAsBooleanCondition(Known, Context))
      return Arm(Known ? E->getTrueExpr() : E->getFalseExpr());
    Condition If = truth(eval(E->getCond()));
    Dependence On(*this, If);
    const Fork Paths(Now.Path, If.True, If.False);
    State Before = Now;
    Now.Path = Paths.First;
    AbstractValue True = Arm(E->getTrueExpr());
    State AfterTrue = std::move(Now);
    Now = std::move(Before);
    Now.Path = Paths.Second;
    AbstractValue False = Arm(E->getFalseExpr());
    AbstractValue V = choice(AfterTrue.Path, True, Now.Path, False, E);
    if (V.Place && V.Place->Of == Location::Unknown && isOfThread(True.Place) && isOfThread(False.Place)) {
      // `const state& upwind = speed > 0 ? left : right`: either may change by that name.
      for (const AbstractValue* Each : {&True, &False})
        if (Each->Place->Decl)
          Reinterpreted.insert(Each->Place->Decl);
      V.Place = Location{Location::Private, nullptr, {}, {}};
    }
    Now = join(std::move(AfterTrue), std::move(Now), E, &Paths);
    return V;
  }

  /// What is stored, and where.
  std::pair<AbstractValue, Location> assign(const BinaryOperator* E) {
    size_t Read = Result.Accesses.size();
    AbstractValue V = eval(E->getRHS());
    Location L = locate(E->getLHS());
    store(L, V, E->getLHS());
    noteFirst(L, E->getRHS(), Read);
    return {std::move(V), std::move(L)};
  }

  AbstractValue evalBinary(const BinaryOperator* E) {
    BinaryOperatorKind Op = E->getOpcode();
    if (Op == BO_Comma) {
      eval(E->getLHS());
      return E->isGLValue() ? placed(locate(E->getRHS())) : eval(E->getRHS());
    }
    if (Op == BO_Assign) {
      auto [V, L] = assign(E);
      return E->isGLValue() ? placed(std::move(L)) : std::move(V);
    }
    if (E->isCompoundAssignmentOp()) {
      AbstractValue Right = eval(E->getRHS());
      Location L = locate(E->getLHS());
      AbstractValue Left = load(L, E->getLHS());
      AbstractValue V = combined(BinaryOperator::getOpForCompoundAssignment(Op), Left, E->getLHS(), Right,
                         E->getRHS(), E);
      if (V.Number && Numbers.isNarrow(E->getType()))
        V = opaque(E->getType(), UnknownCause::Expression, E);
      store(L, V, E->getLHS());
      return placed(L);
    }
    if (E->isLogicalOp()) {
      bool And = Op == BO_LAnd;
      Condition Left = truth(eval(E->getLHS()));
      Dependence On(*this, Left);
      const Fork Paths(Now.Path, And ? Left.True : Left.False, And ? Left.False : Left.True);
      State Skipped = Now;
      Skipped.Path = Paths.Second;
      Now.Path = Paths.First;
      Condition Right = truth(eval(E->getRHS()));
      Now = join(std::move(Now), std::move(Skipped), E, &Paths);
      AbstractValue V;
      V.Truth = And ? Condition{Left.True.intersect(Right.True),
                                Left.False.unite(Left.True.intersect(Right.False))}
                    : Condition{Left.True.unite(Left.False.intersect(Right.True)),
                                Left.False.intersect(Right.False)};
      return V;
    }
    AbstractValue Left = eval(E->getLHS()), Right = eval(E->getRHS());
    return combined(Op, Left, E->getLHS(), Right, E->getRHS(), E);
  }

  AbstractValue combined(BinaryOperatorKind Op, const AbstractValue& Left, const Expr* LeftExpr, const AbstractValue& Right,
                 const Expr* RightExpr, const BinaryOperator* E) {
    QualType LeftType = LeftExpr->getType(), RightType = RightExpr->getType();
    AbstractValue V;
    if (LeftType->isPointerType() && RightType->isIntegralOrEnumerationType()) {
      Polynomial By = number(Right, RightExpr);
      V.Place = moved(Left.Place.value_or(Location{}), Op == BO_Sub ? Polynomial(0) - By : By,
                      LeftType->getPointeeType());
      return V;
    }
    if (RightType->isPointerType() && LeftType->isIntegralOrEnumerationType()) {
      V.Place = moved(Right.Place.value_or(Location{}), number(Left, LeftExpr),
                      RightType->getPointeeType());
      return V;
    }
    if (BinaryOperator::isComparisonOp(Op) && Op != BO_Cmp && Left.Place && Right.Place &&
        inSameArray(*Left.Place, *Right.Place)) {
      V.Truth = Numbers.compare(Op, Left.Place->Offset, Right.Place->Offset,
                                Context.getPointerDiffType());
      return V;
    }
    if (!LeftType->isIntegralOrEnumerationType() || !RightType->isIntegralOrEnumerationType())
      return opaque(E->getType(), UnknownCause::Expression, E);
    if ((Op == BO_And || Op == BO_Or) && Left.Truth && Right.Truth) {
      V.Truth = Op == BO_And ? Condition{Left.Truth->True.intersect(Right.Truth->True),
                                         Left.Truth->False.unite(Right.Truth->False)}
                             : Condition{Left.Truth->True.unite(Right.Truth->True),
                                         Left.Truth->False.intersect(Right.Truth->False)};
      return V;
    }
    Polynomial A = number(Left, LeftExpr), B = number(Right, RightExpr);
    if (BinaryOperator::isComparisonOp(Op) && Op != BO_Cmp)
      V.Truth = Numbers.compare(Op, A, B, LeftType);
    else
      V.Number = arithmetic(Op, A, B, E);
    return V;
  }

  /// Whether pointers lead to elements of one array, which are known by their offsets. Those of
  /// pointers that were cast count the same elements in distributed arrays only.
  bool inSameArray(const Location& A, const Location& B) const {
    if (!A.sameArray(B) || !A.Decl || A.Within != 0 || A.Offset.overflowed() ||
        B.Offset.overflowed())
      return false;
    const bool IsArray =
        A.Of == Location::Element ||
        ((A.Of == Location::Private || A.Of == Location::Global) && arraysTo(A) == 1);
    return distributed(A) || (IsArray && A.Unit == 0 && !Reinterpreted.count(A.Decl));
  }

  AbstractValue evalUnary(const UnaryOperator* E) {
    switch (E->getOpcode()) {
    case UO_Plus:
    case UO_Extension:
      return eval(E->getSubExpr());
    case UO_Minus: {
      AbstractValue V = eval(E->getSubExpr());
      if (!E->getType()->isIntegralOrEnumerationType())
        return {};
      V.Number = Polynomial(0) - number(V, E);
      V.Truth.reset();
      return V;
    }
    case UO_Not: {
      AbstractValue V = eval(E->getSubExpr());
      V.Number = Polynomial(-1) - number(V, E);
      V.Truth.reset();
      return V;
    }
    case UO_LNot: {
      Condition C = truth(eval(E->getSubExpr()));
      AbstractValue V;
      V.Truth = Condition{C.False, C.True};
      return V;
    }
    case UO_AddrOf: {
      Location L = bound(object(E->getSubExpr()));
      expose(L);
      return placed(std::move(L));
    }
    case UO_Deref:
      return placed(locate(E));
    case UO_PreInc:
    case UO_PreDec:
    case UO_PostInc:
    case UO_PostDec: {
      Location L = locate(E->getSubExpr());
      AbstractValue Old = load(L, E->getSubExpr()), New;
      Polynomial Step(E->isIncrementOp() ? 1 : -1);
      if (E->getType()->isPointerType())
        New.Place = moved(Old.Place.value_or(Location{}), Step, E->getType()->getPointeeType());
      else if (E->getType()->isIntegralOrEnumerationType())
        New.Number = Numbers.isNarrow(E->getType()) ? unknown(UnknownCause::Expression, E) : number(Old, E) + Step;
      store(L, New, E->getSubExpr());
      return E->isGLValue() ? placed(L) : E->isPrefix() ? New : Old;
    }
    default:
      eval(E->getSubExpr());
      return opaque(E->getType(), UnknownCause::Expression, E);
    }
  }

  static AbstractValue placed(Location L) {
    AbstractValue V;
    V.Place = std::move(L);
    return V;
  }

  AbstractValue evalCast(const CastExpr* E) {
    const Expr* Sub = E->getSubExpr();
    switch (E->getCastKind()) {
    case CK_LValueToRValue:
      // `u[i] = u[j] = 0` reads nothing.
      if (const auto* Assignment = dyn_cast<BinaryOperator>(Sub->IgnoreParens()); Assignment && Assignment->getOpcode() == BO_Assign)
        return assign(Assignment).first;
      return read(Sub);
    case CK_LValueToRValueBitCast:
      read(Sub);
      return opaque(E->getType(), UnknownCause::Expression, E);
    case CK_ArrayToPointerDecay:
      return placed(locate(Sub));
    case CK_DerivedToBase:
    case CK_UncheckedDerivedToBase:
      rejectRepeatedBase(E);
      return E->isGLValue() ? placed(locate(Sub)) : eval(Sub);
    case CK_NoOp: {
      AbstractValue V = E->isGLValue() ? placed(locate(Sub)) : eval(Sub);
      rejectConstCast(E, V.Place);
      return V;
    }
    case CK_BaseToDerived:
    case CK_ConstructorConversion:
    case CK_UserDefinedConversion:
      return E->isGLValue() ? placed(locate(Sub)) : eval(Sub);
    case CK_BitCast: {
      AbstractValue V = eval(Sub);
      QualType To = E->getType()->getPointeeType(), From = Sub->getType()->getPointeeType();
      if (To.isNull() || From.isNull() || !V.Place)
        return opaque(E->getType(), UnknownCause::Expression, E);
      if (distributed(*V.Place))
        V.Place = recounted(*V.Place, From, To);
      else if ((V.Place->Of == Location::Variable || V.Place->Of == Location::Private) && V.Place->Decl && !To->isVoidType() &&
               !Context.hasSameUnqualifiedType(From, To))
        Reinterpreted.insert(V.Place->Decl);
      else if ((V.Place->Of == Location::Element || V.Place->Of == Location::Global) && !Context.hasSameUnqualifiedType(From, To))
        V.Place->Unit = To->isVoidType() || To->isIncompleteType() ? 1 : bytesOf(To);
      return V;
    }
    case CK_IntegralCast: {
      AbstractValue V = eval(Sub);
      if (!V.Truth && Numbers.isNarrow(E->getType()) && Context.getTypeSize(E->getType()) < Context.getTypeSize(Sub->getType()))
        return opaque(E->getType(), UnknownCause::Expression, E);
      const bool Wraps = E->getType()->isSignedIntegerType() || Sub->getType()->isUnsignedIntegerType();
      if (V.Number && Wraps && Context.getTypeSize(E->getType()) > Context.getTypeSize(Sub->getType()))
        V.Number = Numbers.wrapped(*V.Number, Sub->getType());
      if (V.Number && Context.getTypeSize(E->getType()) == 32 && Context.getTypeSize(Sub->getType()) == 64)
        V.Number = Numbers.truncated(*V.Number);
      return V;
    }
    case CK_IntegralToBoolean: {
      AbstractValue V;
      V.Truth = truth(eval(Sub));
      return V;
    }
    default:
      if (Sub->isGLValue())
        locate(Sub);
      else
        eval(Sub);
      return opaque(E->getType(), UnknownCause::Expression, E);
    }
  }

  AbstractValue eval(const Expr* E) {
    E = E->IgnoreParens();
    if (const auto* Full = dyn_cast<FullExpr>(E))
      return eval(Full->getSubExpr());
    QualType Type = E->getType();
    Expr::EvalResult Known;
    if (E->isPRValue() && Type->isIntegralOrEnumerationType() && !E->isValueDependent() &&
        E->EvaluateAsInt(Known, Context, Expr::SE_NoSideEffects)) {
      AbstractValue V;
      const llvm::APSInt& Number = Known.Val.getInt();
      if (Type->isBooleanType())
        V.Truth = Number != 0 ? Condition{Sets.universe(), Sets.none()}
                              : Condition{Sets.none(), Sets.universe()};
      else
        V.Number = Numbers.constant(Number, E);
      return V;
    }
    if (const auto* Substituted = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
      return eval(Substituted->getReplacement());
    if (const auto* Default = dyn_cast<CXXDefaultArgExpr>(E))
      return eval(Default->getExpr());
    if (const auto* Default = dyn_cast<CXXDefaultInitExpr>(E))
      return eval(Default->getExpr());
    if (const auto* Bind = dyn_cast<CXXBindTemporaryExpr>(E)) {
      rejectDestructor(Bind->getType(), Bind->getBeginLoc());
      return eval(Bind->getSubExpr());
    }
    if (const auto* Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
      return placed(object(Temporary));
    if (const auto* Cast = dyn_cast<CastExpr>(E)) {
      if (std::optional<AbstractValue> V = builtinMember(E))
        return *V;
      return evalCast(Cast);
    }
    if (std::optional<AbstractValue> V = builtinMember(E))
      return *V;
    if (const auto* Binary = dyn_cast<BinaryOperator>(E))
      return evalBinary(Binary);
    if (const auto* Unary = dyn_cast<UnaryOperator>(E))
      return evalUnary(Unary);
    if (const auto* Choice = dyn_cast<ConditionalOperator>(E))
      return either(Choice, [&](const Expr* Arm) {
        return Arm->isGLValue() ? placed(locate(Arm)) : eval(Arm);
      });
    if (isa<CXXThisExpr>(E)) {
      if (!Frames.back()->This)
        return {};
      expose(*Frames.back()->This);
      return placed(*Frames.back()->This);
    }
    if (const auto* Lambda = dyn_cast<LambdaExpr>(E))
      return evalLambda(Lambda);
    if (const auto* Construct = dyn_cast<CXXConstructExpr>(E))
      return evalConstruct(Construct);
    if (const auto* List = dyn_cast<InitListExpr>(E))
      return evalList(List);
    if (const auto* Call = dyn_cast<CallExpr>(E))
      return evalCall(Call);
    if (E->isGLValue() && isa<DeclRefExpr, ArraySubscriptExpr, MemberExpr>(E))
      return placed(locate(E));
    if (isa<CXXNullPtrLiteralExpr, GNUNullExpr>(E))
      return placed({Location::Private, nullptr, {}, {}});
    if (const auto* Block = dyn_cast<StmtExpr>(E))
      return evalStatements(Block->getSubStmt());
    if (const auto* Literal = dyn_cast<CompoundLiteralExpr>(E))
      return eval(Literal->getInitializer());
    if (const auto* Rewritten = dyn_cast<CXXRewrittenBinaryOperator>(E))
      return eval(Rewritten->getSemanticForm());
    if (!isMadeOfOperands(E))
      error(E->getBeginLoc(), Diag::err_statement_not_understood) << NotUnderstood::Expression << E->getSourceRange();
    for (const Stmt* Child : E->children())
      if (const auto* Sub = dyn_cast_or_null<Expr>(Child))
        Sub->isGLValue() ? void(locate(Sub)) : void(eval(Sub));
    return opaque(Type, UnknownCause::Expression, E);
  }

  /// Whether an expression does nothing but what its operands, all of which are evaluated, do.
  static bool isMadeOfOperands(const Expr* E) {
    return isa<IntegerLiteral, FloatingLiteral, CharacterLiteral, StringLiteral, CXXBoolLiteralExpr, PredefinedExpr, SourceLocExpr, UnaryExprOrTypeTraitExpr,
               OffsetOfExpr, TypeTraitExpr, ArrayTypeTraitExpr, ExpressionTraitExpr, CXXNoexceptExpr, SizeOfPackExpr, ConceptSpecializationExpr, RequiresExpr,
               CXXInheritedCtorInitExpr, CXXScalarValueInitExpr, ImplicitValueInitExpr, NoInitExpr, CXXStdInitializerListExpr, CXXParenListInitExpr,
               DesignatedInitUpdateExpr, OpaqueValueExpr, ArrayInitLoopExpr, ArrayInitIndexExpr, CXXPseudoDestructorExpr, DeclRefExpr, MemberExpr, ArraySubscriptExpr,
               ExtVectorElementExpr, ConvertVectorExpr, ShuffleVectorExpr, CXXTypeidExpr, PseudoObjectExpr, MSPropertyRefExpr>(E);
  }

  std::optional<AbstractValue> builtinMember(const Expr* E) {
    std::optional<IndexMember> Member = indexMember(E);
    if (!Member)
      return std::nullopt;
    AbstractValue V;
    V.Number = builtinNumber(builtinVariable(Member->name()), Member->Dimension);
    return V;
  }

  Polynomial builtinNumber(Symbol::Kind Kind, unsigned Dimension) {
    if (Kind == Symbol::Kind::BlockIndex || Kind == Symbol::Kind::GridSize)
      Result.GridDimensions.insert(Dimension);
    if (Renumbered)
      return Sets.normalized(renumbered(Kind, Dimension));
    // `y * gridDim.x * blockDim.x` is a number of rows.
    if (Kind == Symbol::Kind::GridSize && Launch.GridSize[Dimension] && !MovesByGridSize)
      return Polynomial(*Launch.GridSize[Dimension]);
    return Sets.normalized(Kind == Symbol::Kind::BlockSize ? Sets.blockSize(Dimension) : Polynomial(Symbol{Kind, Dimension}));
  }

  /// All of threadIdx, blockIdx or blockDim, as `const uint3 block = blockIdx;` has it.
  AbstractValue builtinCopy(Symbol::Kind Kind, QualType Type) {
    AbstractValue V;
    if (const RecordDecl* Record = Type->getAsRecordDecl())
      for (const FieldDecl* Field : Record->fields())
        if (StringRef Name = identifierOf(Field); Name == "x" || Name == "y" || Name == "z")
          V.Members[Field].Number = builtinNumber(Kind, static_cast<unsigned>(Name[0] - 'x'));
    return V;
  }

  /// Of gridDim nothing is known: what depends on how large a grid is has to be seen (GridStrides).
  static bool isCopied(const ValueDecl* D) { return D && isIndexVariable(D) && identifierOf(D) != "gridDim"; }

  /// What threads of a block do together is CUDA's to know.
  bool isOfBlock(const FunctionDecl& Callee) const {
    return isOfGroupLibrary(&Callee) &&
           Context.getSourceManager().isInSystemHeader(Callee.getLocation());
  }

  /// What a function of these is passed: `cg::sync(block)` does nothing to the object.
  void passToBlock(ArrayRef<const Expr*> Arguments, const Expr* Call, const FunctionDecl* Callee) {
    for (const Expr* Arg : Arguments)
      if (const CXXRecordDecl* Class = Arg->getType()->getAsCXXRecordDecl();
          !Class || !isOfGroupLibrary(Class))
        passOn(Arg, Call, Callee);
  }

  /// What a block of cooperative groups says of its threads. It has those of the launch's blocks only where tiles are these.
  std::optional<AbstractValue> evalOfBlock(const CallExpr* E, const FunctionDecl* Callee) {
    const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
    if (!Method || identifierOf(Method->getParent()) != "thread_block" || Renumbered)
      return std::nullopt;
    using Kind = Symbol::Kind;
    const StringRef Name = identifierOf(Method);
    if (Name == "thread_index")
      return builtinCopy(Kind::ThreadIndex, E->getType());
    if (Name == "dim_threads" || Name == "group_dim")
      return builtinCopy(Kind::BlockSize, E->getType());
    if (Name != "thread_rank")
      return std::nullopt;
    Polynomial Rank;
    for (unsigned D : {2u, 1u, 0u})
      Rank = Rank * Sets.blockSize(D) + Polynomial(Symbol{Kind::ThreadIndex, D});
    AbstractValue V;
    V.Number = Sets.normalized(Rank);
    return V;
  }

  /// threadIdx.d is whatever makes the sum with the block's origin the thread's coordinate.
  Polynomial renumbered(Symbol::Kind Kind, unsigned Dimension) {
    bool OneBlock = Renumbered->OneBlock[Dimension];
    const std::optional<Polynomial>& Block = Renumbered->Block[Dimension];
    switch (Kind) {
    case Symbol::Kind::ThreadIndex:
      return Renumbered->Coordinate[Dimension] -
             (OneBlock ? Polynomial() : Block ? *Block : Polynomial(Symbol{Symbol::Kind::LaunchedOrigin, Dimension}));
    case Symbol::Kind::BlockIndex:
      return Block ? *Block : OneBlock ? Polynomial() : Polynomial(Symbol{Symbol::Kind::LaunchedIndex, Dimension});
    case Symbol::Kind::BlockSize:
      return Sets.launchedSize(Dimension);
    default:
      return Symbol{Kind, Dimension};
    }
  }

  /// `({ ... })`.
  AbstractValue evalStatements(const CompoundStmt* Block) {
    const auto* Result = dyn_cast_or_null<Expr>(Block->getStmtExprResult());
    for (const Stmt* S : Block->body())
      if (S != Result)
        run(S);
    if (!Result || !Now.Reachable)
      return {};
    return Result->isGLValue() ? evalObject(Result) : eval(Result);
  }

  /// What a variable is in the body of a lambda that has a copy of it.
  const VarDecl* inLambda(const VarDecl* V) const {
    auto It = Frames.back()->Copies.find(V);
    return It == Frames.back()->Copies.end() ? V : It->second;
  }

  AbstractValue evalLambda(const LambdaExpr* E) {
    AbstractValue V;
    V.Lambda = E->getCallOperator();
    auto Init = E->capture_init_begin();
    const VariableChanges Changes(E->getBody());
    for (const LambdaCapture& C : E->captures()) {
      const Expr* Initial = *Init++;
      if (C.capturesThis()) {
        const Location This = Frames.back()->This.value_or(Location{});
        V.CapturedThis = C.getCaptureKind() == LCK_This ? This : held(load(This, Initial), Initial);
        if (C.getCaptureKind() == LCK_This)
          exposeMembers(This, *E->getBody());
      }
      if (!C.capturesVariable())
        continue;
      const ValueDecl* Variable = C.getCapturedVar();
      if (E->isInitCapture(&C)) {
        V.Captured[Variable] =
            Variable->getType()->isReferenceType() ? exposed(bound(locate(Initial)), Variable->getType()) : evalObject(Initial);
      } else if (C.getCaptureKind() == LCK_ByRef && Variable->getType()->isReferenceType()) {
        V.Captured[Variable] = placed(bound(locate(Initial))); // by the time of a call the reference may be another one
      } else if (isa<BindingDecl>(Variable) && C.getCaptureKind() == LCK_ByCopy) {
        V.Captured[Variable] = evalObject(Initial);
      } else if (const ValueDecl* Here = inLambda(dyn_cast<VarDecl>(Variable)); C.getCaptureKind() == LCK_ByCopy || (Here && Here != Variable)) {
        if (Variable->getType()->isReferenceType()) // of what it refers to
          V.Captured[Variable] = placed(held(evalObject(Initial), Initial));
        else if (auto It = Now.Variables.find(Here ? Here : Variable); It != Now.Variables.end())
          V.Captured[Variable] = It->second;
        else
          V.Captured[Variable] = opaque(Variable->getType(), UnknownCause::Expression, E);
      }
      // Wherever it is called from then on, it changes them.
      if (const auto* Referred = dyn_cast<VarDecl>(Variable); Referred && C.getCaptureKind() == LCK_ByRef && Changes.changes(Referred))
        expose(locate(Initial));
    }
    return V;
  }

  /// What a lambda changes of the object that it is in, wherever it is called.
  void exposeMembers(const Location& This, const Stmt& Body) {
    ChangeFinder Found;
    Found.TraverseStmt(const_cast<Stmt*>(&Body));
    for (const FieldDecl* Field : Found.OfObject) {
      Location Part = This;
      if (Field)
        Part.Members.push_back(Field);
      expose(Part);
    }
  }

  /// The value that an object is initialised with.
  AbstractValue evalObject(const Expr* E) {
    return E->isGLValue() ? read(E) : eval(E);
  }

  /// As err_statement_not_understood has them.
  enum NotUnderstood {
    Statement,
    VirtualCall,
    Destructor,
    InheritedConstructor,
    RepeatedBase,
    Expression,
    Recursion,
    ConstCast,
    OwnAddress
  };

  /// Whether a copy constructor or an assignment does nothing else, as those of libraries are taken to do, nor those of members.
  static bool copiesMembers(const CXXMethodDecl& Copy) { return Copy.isTrivial() || !ownDefinition(Copy); }
  /// The program's own class whose destructor does something at the end of an object; null if there is none.
  const CXXRecordDecl* destroyedBy(QualType Type) const {
    const auto* Class = Type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    if (!Class || !Class->hasDefinition() || Class->hasTrivialDestructor())
      return nullptr;
    const CXXDestructorDecl* Destructor = Class->getDestructor();
    const FunctionDecl* Definition = Destructor && Destructor->isUserProvided() ? ownDefinition(*Destructor) : nullptr;
    if (Definition && !Definition->getBody()->children().empty())
      return Class;
    for (const FieldDecl* Field : Class->fields())
      if (const CXXRecordDecl* Member = destroyedBy(Field->getType()))
        return Member;
    for (const CXXBaseSpecifier& Base : Class->bases())
      if (const CXXRecordDecl* Member = destroyedBy(Base.getType()))
        return Member;
    return nullptr;
  }
  void rejectDestructor(QualType Type, SourceLocation Loc) {
    if (const CXXRecordDecl* Class = destroyedBy(Type))
      error(Loc, Diag::err_statement_not_understood) << NotUnderstood::Destructor << Class->getName();
  }
  /// Members are told apart by what declares them.
  void rejectRepeatedBase(const CastExpr* E) {
    const CXXRecordDecl* Class = E->getSubExpr()->getType()->isPointerType() ? E->getSubExpr()->getType()->getPointeeCXXRecordDecl()
                                                                             : E->getSubExpr()->getType()->getAsCXXRecordDecl();
    llvm::SmallPtrSet<const CXXRecordDecl*, 4> Seen;
    if (const CXXRecordDecl* Twice = Class ? repeatedBase(*Class, Seen) : nullptr)
      error(E->getBeginLoc(), Diag::err_statement_not_understood) << NotUnderstood::RepeatedBase << Twice->getName() << E->getSourceRange();
  }
  static const CXXRecordDecl* repeatedBase(const CXXRecordDecl& Class, llvm::SmallPtrSetImpl<const CXXRecordDecl*>& Seen) {
    for (const CXXBaseSpecifier& Base : Class.getDefinition()->bases()) {
      const CXXRecordDecl* Record = Base.getType()->getAsCXXRecordDecl()->getDefinition();
      if (!Seen.insert(Record).second)
        return Record;
      if (const CXXRecordDecl* Twice = repeatedBase(*Record, Seen))
        return Twice;
    }
    return nullptr;
  }
  /// Of a function that calls itself, or is called too deep to be followed, if it may get to more than numbers.
  void rejectRecursion(const FunctionDecl& Function, SourceRange Call) {
    const auto* Method = dyn_cast<CXXMethodDecl>(&Function);
    const auto LeadsOn = [](const ParmVarDecl* P) { return P->getType()->isReferenceType() || P->getType()->isAnyPointerType() || P->getType()->isRecordType(); };
    if ((Method && !Method->isStatic()) || llvm::any_of(Function.parameters(), LeadsOn))
      error(Call.getBegin(), Diag::err_statement_not_understood) << NotUnderstood::Recursion << Function.getNameAsString() << Call;
  }
  /// What nobody changes is told by its type.
  void rejectConstCast(const CastExpr* E, const std::optional<Location>& Place) {
    const auto Refers = [](const Expr* Of) { return Of->isGLValue() ? Of->getType() : Of->getType()->getPointeeType(); };
    const QualType From = Refers(E->getSubExpr()), To = Refers(E);
    if (isa<ExplicitCastExpr>(E) && Place && Place->Of == Location::Variable && !From.isNull() && !To.isNull() && From.isConstQualified() && !To.isConstQualified())
      error(E->getBeginLoc(), Diag::err_statement_not_understood) << NotUnderstood::ConstCast << E->getSourceRange();
  }
  /// Of an object whose class is not known.
  void rejectVirtual(const CXXMethodDecl& Method, const CallExpr& Call) {
    const auto* Member = dyn_cast<MemberExpr>(Call.getCallee()->IgnoreParens());
    if (!Method.isVirtual() || (Member && Member->hasQualifier()))
      return;
    const CXXMethodDecl* Known = Member ? Method.getDevirtualizedMethod(Member->getBase(), /*IsAppleKext=*/false) : nullptr;
    if (!Known || Known->getCanonicalDecl() != Method.getCanonicalDecl())
      error(Call.getBeginLoc(), Diag::err_statement_not_understood) << NotUnderstood::VirtualCall << Method.getNameAsString() << Call.getSourceRange();
  }

  AbstractValue evalConstruct(const CXXConstructExpr* E) {
    const CXXConstructorDecl* Constructor = E->getConstructor();
    if (Constructor->isInheritingConstructor())
      error(E->getBeginLoc(), Diag::err_statement_not_understood) << NotUnderstood::InheritedConstructor << Constructor->getParent()->getName() << E->getSourceRange();
    if (Constructor->isCopyOrMoveConstructor() && E->getNumArgs() >= 1 && copiesMembers(*Constructor))
      return evalObject(E->getArg(0));
    const FunctionDecl* Definition = nullptr;
    if (isOfBlock(*Constructor)) {
      passToBlock(ArrayRef(E->getArgs(), E->getNumArgs()), E, Constructor);
      return {};
    }
    if (!Constructor->hasBody(Definition) || !enter(Definition)) {
      if (Definition)
        rejectRecursion(*Definition, E->getSourceRange());
      for (const Expr* Arg : E->arguments())
        passOn(Arg, E, Constructor);
      return {};
    }
    VarDecl* Object = ownVariable(E->getType(), E);
    Now.Variables[Object];
    bind(evalParameters(Definition, {E->getArgs(), E->getNumArgs()}));
    Frame Inner{Definition, Location{Location::Variable, Object, {}, {}}, {}, nullptr, {}};
    Frames.push_back(&Inner);
    for (const CXXCtorInitializer* Init : cast<CXXConstructorDecl>(Definition)->inits())
      if (const FieldDecl* Field = Init->getMember()) {
        AbstractValue V = Field->getType()->isReferenceType() ? exposed(bound(locate(Init->getInit())), Field->getType())
                                                      : eval(Init->getInit());
        Now.Variables[Object].Members[Field] = std::move(V);
      } else {
        eval(Init->getInit());
      }
    leave(Inner, Definition);
    rejectOwnAddress(*Object, E);
    return Now.Variables[Object];
  }

  /// Of a new object that keeps its own address, or that of a part: what is made is a copy of it.
  void rejectOwnAddress(const VarDecl& Object, const Expr* E) {
    const auto LeadsThere = [&](const AbstractValue& V, const auto& Self) -> bool {
      const auto InPart = [&](const auto& Part) { return Self(Part.second, Self); };
      return (V.Place && V.Place->Decl == &Object) ||
             (V.CapturedThis && V.CapturedThis->Decl == &Object) ||
             llvm::any_of(V.Members, InPart) || llvm::any_of(V.Captured, InPart);
    };
    if (auto It = Now.Variables.find(&Object);
        It != Now.Variables.end() && LeadsThere(It->second, LeadsThere))
      error(E->getBeginLoc(), Diag::err_statement_not_understood)
          << NotUnderstood::OwnAddress << E->getType().getAsString(Context.getPrintingPolicy())
          << E->getSourceRange();
  }

  AbstractValue evalList(const InitListExpr* E) {
    AbstractValue V;
    const RecordDecl* Record = E->getType()->getAsRecordDecl();
    if (E->getType()->isArrayType() && !E->isTransparent())
      return evalElements(E);
    if (!Record || E->isTransparent()) {
      for (const Expr* Init : E->inits())
        V = eval(Init);
      return E->getNumInits() == 1 ? V : AbstractValue{};
    }
    const auto Evaluated = [&](const Expr* Init) {
      return Init->isGLValue() ? exposed(bound(locate(Init)), Context.getLValueReferenceType(Init->getType())) : eval(Init);
    };
    VarDecl* Object = ownVariable(E->getType(), E);
    Now.Variables[Object];
    auto Field = Record->field_begin();
    for (const Expr* Init : E->inits()) {
      AbstractValue Member;
      if (isa<CXXDefaultInitExpr>(Init)) { // which may name other members
        Frame Inner{Frames.back()->Function, Location{Location::Variable, Object, {}, {}}, {}, Frames.back()->Call, {}};
        Frames.push_back(&Inner);
        Member = Evaluated(Init);
        Frames.pop_back();
      } else {
        Member = Evaluated(Init);
      }
      // Bases come first; nothing is known of them.
      if (E->getNumInits() ==
              static_cast<unsigned>(std::distance(Record->field_begin(), Record->field_end())) &&
          Field != Record->field_end())
        Now.Variables[Object].Members[*Field++] = std::move(Member);
    }
    rejectOwnAddress(*Object, E);
    return Now.Variables[Object];
  }

  /// `{y - 1, y, y + 1}` of an array, whose other elements are zero.
  AbstractValue evalElements(const InitListExpr* E) {
    AbstractValue V;
    const std::optional<std::int64_t> Count = indexElements(E->getType(), Context);
    const std::int64_t Each = elementsIn(Context.getAsArrayType(E->getType())->getElementType());
    for (std::int64_t I = 0; Count && I < *Count; ++I)
      V.Elements.emplace(I, 0);
    for (auto [I, Init] : llvm::enumerate(E->inits())) {
      const AbstractValue Element = evalObject(Init);
      const std::int64_t First = static_cast<std::int64_t>(I) * Each;
      if (Count && Init->getType()->isIntegralOrEnumerationType())
        V.Elements[First] = number(Element, Init);
      for (std::int64_t J = 0; Count && Init->getType()->isArrayType() && J < Each; ++J)
        if (auto Known = Element.Elements.find(J); Known != Element.Elements.end())
          V.Elements[First + J] = Known->second;
        else
          V.Elements.erase(First + J);
    }
    return V;
  }

  // --- Calls.

  bool enter(const FunctionDecl* Definition) {
    return Frames.size() < MaxCallDepth &&
           llvm::none_of(Frames, [&](const Frame* F) { return F->Function == Definition; });
  }

  using BoundParameters = std::vector<std::pair<const ParmVarDecl*, AbstractValue>>;
  BoundParameters evalParameters(const FunctionDecl* Definition, ArrayRef<const Expr*> Arguments) {
    BoundParameters Bound;
    for (unsigned I = 0; I < Definition->getNumParams() && I < Arguments.size(); ++I) {
      const ParmVarDecl* P = Definition->getParamDecl(I);
      Bound.emplace_back(P, P->getType()->isReferenceType() ? placed(object(Arguments[I]))
                                                            : evalObject(Arguments[I]));
    }
    for (const Expr* Variadic :
         Arguments.drop_front(std::min<size_t>(Arguments.size(), Definition->getNumParams())))
      evalObject(Variadic);
    return Bound;
  }
  void bind(BoundParameters Bound) {
    for (auto& [P, V] : Bound)
      Now.Variables[P] = std::move(V);
  }

  /// Runs the body and comes back with what is returned.
  AbstractValue leave(Frame& Inner, const FunctionDecl* Definition) {
    run(Definition->getBody());
    Frames.pop_back();
    bool Any = Now.Reachable;
    AbstractValue V;
    for (auto& [After, Returned] : Inner.Returns) {
      V = Any ? choice(Now.Path, V, After.Path, Returned, Definition->getBody()) : Returned;
      Now = Any ? join(std::move(Now), std::move(After), Definition->getBody()) : std::move(After);
      Any = true;
    }
    return V;
  }

  /// An argument of a function whose body is not known: what it can reach may be read and changed.
  void passOn(const Expr* Arg, const Expr* Call, const FunctionDecl* Callee) {
    const bool IsPlace = Arg->isGLValue();
    const AbstractValue V = IsPlace ? placed(locate(Arg)) : eval(Arg);
    std::vector<Location> Reached;
    if (!IsPlace && !Arg->getType()->isAnyPointerType())
      reach(V, Arg->getType(), Arg, Reached);
    else if (V.Place)
      reach(*V.Place, Arg, Reached);
    for (const Location& L : Reached)
      if (distributed(L)) {
        rejectOpaqueCall(L, Arg, Callee);
      } else if (L.Of == Location::Unknown) {
        access(L, /*Writes=*/false, Arg);
      } else {
        checkMember(L, Read, Arg);
        forget(L, UnknownCause::Call, Call);
      }
  }

  /// The object of a member function whose body is not known, or that is called through a pointer.
  void passObject(const Location& L, const Expr* Call, const FunctionDecl* Callee, bool Changes) {
    std::vector<Location> Reached;
    reach(L, Call, Reached);
    for (const Location& Each : Reached)
      if (distributed(Each))
        rejectOpaqueCall(Each, Call, Callee);
      else if (Changes || !(Each == L))
        forget(Each, UnknownCause::Call, Call);
  }

  /// Adds a place, and those to which what lies there leads.
  void reach(const Location& L, const Expr* Arg, std::vector<Location>& Reached) {
    // Also what lies behind a member, as memcpy has it.
    Location Whole = L;
    if (L.Of == Location::Variable && Arg->getType()->isVoidPointerType())
      Whole.Members.clear();
    if (llvm::is_contained(Reached, Whole))
      return;
    Reached.push_back(Whole);
    if (Whole.Of == Location::Variable)
      reach(heldValue(Whole), Whole.Members.empty() ? Whole.Decl->getType() : Whole.Members.back()->getType(), Arg, Reached);
    else if (Whole.Of == Location::Private && Whole.Decl && holdsPointers(Whole.Decl->getType()))
      Reached.push_back({}); // an array of pointers, or of structures with some
  }

  /// Adds the places to which a value of a type leads; Location::Unknown for those that are not known.
  void reach(const AbstractValue& V, QualType Type, const Expr* Arg, std::vector<Location>& Reached) {
    if (Type->isReferenceType() || Type->isAnyPointerType()) {
      reach(V.Place.value_or(Location{}), Arg, Reached);
      return;
    }
    const auto* Class = Type->getAsCXXRecordDecl();
    if (Class && Class->isLambda()) {
      if (V.CapturedThis)
        reach(*V.CapturedThis, Arg, Reached);
      for (const LambdaCapture& Capture : Class->captures()) {
        const ValueDecl* Variable = Capture.capturesVariable() ? Capture.getCapturedVar() : nullptr;
        if (auto It = V.Captured.find(Variable); It != V.Captured.end())
          reach(It->second, Variable->getType(), Arg, Reached);
        else if (Variable && Capture.getCaptureKind() == LCK_ByRef && !Variable->getType()->isReferenceType())
          reach(Location{Location::Variable, Variable, {}, {}}, Arg, Reached);
        else if (Variable && holdsPointers(Variable->getType()))
          Reached.push_back({});
      }
      return;
    }
    if (Type->isArrayType() && holdsPointers(Type))
      Reached.push_back({});
    const RecordDecl* Record = Type->getAsRecordDecl();
    for (const FieldDecl* Field : Record ? allFields(Record) : std::vector<const FieldDecl*>())
      if (auto It = V.Members.find(Field); It != V.Members.end())
        reach(It->second, Field->getType(), Arg, Reached);
      else if (holdsPointers(Field->getType()))
        Reached.push_back({});
  }

  void rejectOpaqueCall(const Location& L, const Expr* Arg, const FunctionDecl* Callee) {
    error(Arg->getExprLoc(), Diag::err_opaque_call)
        << pointerTo(L).name() << (Callee ? Callee->getNameAsString() : "a function pointer") << (Callee && Callee->hasBody()) << Arg->getSourceRange();
  }

  /// The program's own functions of such names are what these say where a scalar is combined, and
  /// in kernels for fixed rows.
  bool isFollowedAtomic(const CallExpr* E, const FunctionDecl& Callee) {
    return ownDefinition(Callee) &&
           (atomicOperation(Callee).empty() ||
            (!forFixedRows() && distributed(placeOf({E->getArg(0), /*IsAddress=*/true}))));
  }

  AbstractValue evalAtomic(const CallExpr* E, const FunctionDecl& Callee) {
    AbstractValue Pointer = eval(E->getArg(0));
    for (unsigned I = 1; I < E->getNumArgs(); ++I)
      eval(E->getArg(I));
    Location L = Pointer.Place.value_or(Location{});
    if (forFixedRows()) {
      if (distributed(L))
        rejectRowStore(L, E, NoAtomicStatement);
      else
        reportForEachRow(E, DoneByUpdate);
      return opaque(E->getType(), UnknownCause::Loaded, E);
    }
    if (distributed(L) || L.Of == Location::Unknown) {
      llvm::SaveAndRestore Operation(InAtomic, true);
      access(L, /*Writes=*/false, E->getArg(0));
      if (L.Of != Location::Unknown)
        access(L, /*Writes=*/true, E->getArg(0));
    } else if (!checkMember(L, Combined, E->getArg(0))) {
      return opaque(E->getType(), UnknownCause::Loaded, E);
    } else if (L.Of == Location::Element) {
      const StringRef Operation = atomicOperation(Callee);
      Result.Atomics.push_back({cast<ParmVarDecl>(L.Decl), (Operation.empty() ? Callee.getName() : Operation).str(), E, Part});
    } else if (L.Of == Location::Global) {
      access(L, /*Writes=*/true, E->getArg(0));
    } else {
      forget(L, UnknownCause::Call, E);
    }
    return opaque(E->getType(), UnknownCause::Loaded, E);
  }

  /// memcpy(&u[i], &v[i], sizeof u[i]), of an array that is distributed.
  bool copiesElement(const CallExpr* E) {
    Expr::EvalResult Bytes;
    if (forFixedRows() || !E->getArg(2)->EvaluateAsInt(Bytes, Context))
      return false;
    bool Distributed = false;
    for (const Expr* Pointer :
         {E->getArg(0)->IgnoreParenImpCasts(), E->getArg(1)->IgnoreParenImpCasts()}) {
      const QualType Element = Pointer->getType()->getPointeeType();
      if (Element.isNull() || Element->isIncompleteType() ||
          Context.getTypeSizeInChars(Element).getQuantity() != Bytes.Val.getInt())
        return false;
      Distributed |= distributed(placeOf({Pointer, /*IsAddress=*/true}));
    }
    return Distributed;
  }

  std::optional<AbstractValue> evalKnown(const CallExpr* E, const FunctionDecl* Callee) {
    if (!Callee->getIdentifier() || isa<CXXMethodDecl>(Callee))
      return std::nullopt;
    StringRef Name = Callee->getName();
    unsigned Count = E->getNumArgs();
    // Clang has no bodies of these.
    if (llvm::is_contained({Builtin::BImove, Builtin::BImove_if_noexcept, Builtin::BIforward, Builtin::BIas_const}, Callee->getBuiltinID()) && Count == 1)
      return placed(locate(E->getArg(0)));
    if (Name.starts_with("atomic") && Count >= 2 && !isFollowedAtomic(E, *Callee))
      return evalAtomic(E, *Callee);
    if (isCachedLoad(Name) && Count == 1) {
      Location L = eval(E->getArg(0)).Place.value_or(Location{});
      access(L, /*Writes=*/false, E->getArg(0));
      return loaded(L, E->getType(), E);
    }
    if (isCachedStore(Name) && Count == 2) {
      Location L = eval(E->getArg(0)).Place.value_or(Location{});
      eval(E->getArg(1));
      access(L, /*Writes=*/true, E->getArg(0));
      return AbstractValue{};
    }
    if (isCollective(*Callee)) {
      for (const Expr* Argument : E->arguments())
        passOn(Argument, E, Callee);
      return opaque(E->getType(), UnknownCause::Call, E);
    }
    if (Name == "memcpy" && Count == 3 && !ownDefinition(*Callee) && copiesElement(E)) {
      // Not as pointers to void, which elements of what type is no longer known of.
      const Expr *Target = E->getArg(0)->IgnoreParenImpCasts(),
                 *Source = E->getArg(1)->IgnoreParenImpCasts();
      const Location To = eval(Target).Place.value_or(Location{}),
                     From = eval(Source).Place.value_or(Location{});
      access(From, /*Writes=*/false, Source);
      if (distributed(To))
        access(To, /*Writes=*/true, Target);
      else
        forget(To, UnknownCause::Loaded, E);
      return opaque(E->getType(), UnknownCause::Call, E);
    }
    bool Min = Name == "min" || Name == "umin", Max = Name == "max" || Name == "umax";
    QualType Type = E->getType().getNonReferenceType();
    // The program's own functions of these names are followed.
    bool IsOwn = Callee->hasBody() && !Context.getSourceManager().isInSystemHeader(Callee->getLocation());
    if (!Type->isIntegralOrEnumerationType() || Type->isBooleanType() || IsOwn)
      return std::nullopt;
    auto Argument = [&](unsigned I) {
      const Expr* Arg = E->getArg(I);
      return number(evalObject(Arg), Arg);
    };
    auto Least = [&](const Polynomial& A, const Polynomial& B) {
      Condition First = Numbers.compare(BO_LE, A, B, Type);
      return Numbers.choice(First.True, A, First.False, B);
    };
    auto Greatest = [&](const Polynomial& A, const Polynomial& B) {
      Condition First = Numbers.compare(BO_LE, A, B, Type);
      return Numbers.choice(First.True, B, First.False, A);
    };
    AbstractValue V;
    if ((Min || Max) && Count == 2) {
      Polynomial A = Argument(0), B = Argument(1);
      V.Number = Min ? Least(A, B) : Greatest(A, B);
    } else if (Name == "clamp" && Count == 3) {
      Polynomial A = Argument(0), Low = Argument(1), High = Argument(2);
      V.Number = Least(Greatest(A, Low), High);
    } else if ((Name == "abs" || Name == "labs") && Count == 1) {
      Polynomial A = Argument(0);
      V.Number = Greatest(A, Polynomial(0) - A);
    } else {
      return std::nullopt;
    }
    // std::min and its kin return references.
    return E->isGLValue() ? placed(snapshot(std::move(V), E, ArrayRef(E->getArgs(), Count))) : V;
  }

  AbstractValue evalCall(const CallExpr* E) {
    const FunctionDecl* Callee = E->getDirectCallee();
    std::optional<Location> This;
    std::vector<const Expr*> Arguments(E->arg_begin(), E->arg_end());
    std::optional<BoundParameters> Bound;
    const FunctionDecl* Definition = nullptr;
    const bool IsOfGroup = Callee && isOfBlock(*Callee);
    const bool HasBody = Callee && !IsOfGroup && Callee->hasBody(Definition) && !Definition->isDependentContext(), Enters = HasBody && enter(Definition);
    const auto* Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
    if (Method)
      rejectVirtual(*Method, *E);
    if (const auto* Member = dyn_cast<CXXMemberCallExpr>(E)) {
      const Expr* Object = Member->getImplicitObjectArgument();
      This = isa<CXXThisExpr>(Object->IgnoreParenImpCasts()) ? Frames.back()->This.value_or(Location{})
             : Object->getType()->isPointerType() ? eval(Object).Place.value_or(Location{})
                                                : object(Object);
    } else if (isa<CXXOperatorCallExpr>(E) && Method && !Method->isStatic()) {
      // An assignment of structures is one of elements.
      if ((Method->isCopyAssignmentOperator() || Method->isMoveAssignmentOperator()) && copiesMembers(*Method) &&
          Arguments.size() == 2) {
        size_t Read = Result.Accesses.size();
        AbstractValue V = evalObject(Arguments[1]);
        Location L = locate(Arguments[0]);
        store(L, std::move(V), Arguments[0]);
        noteFirst(L, Arguments[1], Read);
        return placed(L);
      }
      // Of an assignment the right side comes first.
      if (cast<CXXOperatorCallExpr>(E)->isAssignmentOp() && Context.getLangOpts().CPlusPlus17 && Enters)
        Bound = evalParameters(Definition, ArrayRef(Arguments).drop_front());
      This = object(Arguments[0]);
      Arguments.erase(Arguments.begin());
    }
    if (!Callee) {
      eval(E->getCallee());
      for (const Expr* Arg : Arguments)
        passOn(Arg, E, nullptr);
      if (This) // through a pointer to a member function
        passObject(*This, E, nullptr, /*Changes=*/true);
      return opaque(E->getType(), UnknownCause::Call, E);
    }
    if (std::optional<AbstractValue> V = evalKnown(E, Callee))
      return *V;
    // In CUDA's headers the variables convert to structures.
    if (const auto* Named = This && This->Of == Location::Global && isa<CXXConversionDecl>(Callee) ? This->Decl : nullptr; isCopied(Named))
      return builtinCopy(builtinVariable(Named->getName()), E->getType());
    if (IsOfGroup)
      if (std::optional<AbstractValue> V = evalOfBlock(E, Callee))
        return *V;
    if (!Enters) {
      const bool Before = std::exchange(Result.Understood, true);
      if (IsOfGroup)
        passToBlock(Arguments, E, Callee);
      else
        for (const Expr* Arg : Arguments)
          passOn(Arg, E, Callee);
      if (This && !IsOfGroup)
        passObject(*This, E, Callee, Method && changesObject(Method));
      if (HasBody && Result.Understood)
        rejectRecursion(*Definition, E->getSourceRange());
      Result.Understood &= Before;
      return opaque(E->getType(), UnknownCause::Call, E);
    }
    bind(Bound ? std::move(*Bound) : evalParameters(Definition, Arguments));
    // A lambda sees the variables as they were when it was made, or has copies of them.
    std::map<const VarDecl*, const VarDecl*> Copies;
    std::map<const ValueDecl*, std::optional<AbstractValue>> Hidden;
    if (This && Method && Method->getParent()->isLambda()) {
      AbstractValue Lambda = heldValue(*This);
      for (const LambdaCapture& Capture : Method->getParent()->captures()) {
        if (!Capture.capturesVariable())
          continue;
        const ValueDecl* Variable = Capture.getCapturedVar();
        const auto Found = Lambda.Captured.find(Variable);
        // What is captured by reference goes by its own name, if it is no reference.
        if (Found == Lambda.Captured.end() && Capture.getCaptureKind() == LCK_ByRef && !Variable->getType()->isReferenceType())
          continue;
        // An earlier call may have changed its copies.
        const bool IsKnown = Found != Lambda.Captured.end() && (Method->isConst() || Capture.getCaptureKind() == LCK_ByRef);
        AbstractValue Here = IsKnown ? Found->second : opaque(Variable->getType(), UnknownCause::Call, E);
        if (!IsKnown && Variable->getType()->isReferenceType())
          Here = placed(Location{});
        const auto* Copied = dyn_cast<VarDecl>(Variable);
        if (Copied && !Copied->isInitCapture() && !Copied->getType()->isReferenceType() && !Copied->getType()->isArrayType()) {
          VarDecl* Copy = ownVariable(Copied->getType(), E);
          Now.Variables[Copy] = std::move(Here);
          Copies.emplace(Copied, Copy);
          continue;
        }
        auto It = Now.Variables.find(Variable);
        Hidden[Variable] = It == Now.Variables.end() ? std::nullopt : std::optional(It->second);
        Now.Variables[Variable] = std::move(Here);
      }
      This = Lambda.CapturedThis;
    }
    Frame Inner{Definition, This, {}, E, std::move(Copies)};
    Frames.push_back(&Inner);
    AbstractValue V = leave(Inner, Definition);
    for (auto& [Variable, Old] : Hidden)
      if (Old)
        Now.Variables[Variable] = *Old;
      else
        Now.Variables.erase(Variable);
    return V;
  }

  /// What a variable, or a member of one, has now; reads nothing.
  AbstractValue heldValue(const Location& L) {
    if (L.Of != Location::Variable)
      return {};
    auto It = Now.Variables.find(L.Decl);
    const AbstractValue* V = It == Now.Variables.end() ? nullptr : &It->second;
    for (const FieldDecl* Field : L.Members) {
      if (!V || !V->Members.count(Field))
        return {};
      V = &V->Members.at(Field);
    }
    return V ? *V : AbstractValue{};
  }

  // --- Statements.

  /// Assembly that makes numbers of numbers: PTX has memory in brackets, other assembly in
  /// parentheses, and registers (`%%ctaid.x`, which is no logical block's) have names.
  static bool computesValues(const GCCAsmStmt& Assembly) {
    const auto IsNumber = [](const Expr* E) { return E->getType()->isArithmeticType(); };
    const StringRef Text = Assembly.getAsmString()->getString();
    llvm::SmallVector<StringRef, 8> Words;
    llvm::SplitString(Text, Words, " \t\n;{},.");
    const auto Leaves = [](StringRef Word) {
      return llvm::is_contained(
          {"exit", "ret", "bra", "brx", "call", "trap", "brkpt", "bar", "barrier"}, Word);
    };
    bool NamesRegisters = false;
    for (size_t I = 0; I + 1 < Text.size(); ++I)
      NamesRegisters |= Text[I] == '%' && llvm::isAlpha(Text[I + 1]);
    return !Assembly.isAsmGoto() && !NamesRegisters && !Text.contains('[') && !Text.contains('(') &&
           llvm::none_of(Words, Leaves) && llvm::all_of(Assembly.inputs(), IsNumber) &&
           llvm::all_of(Assembly.outputs(), IsNumber) && [&] {
             for (unsigned I = 0; I != Assembly.getNumClobbers(); ++I)
               if (Assembly.getClobber(I) == "memory")
                 return false;
             return true;
           }();
  }

  void runAssembly(const GCCAsmStmt& Assembly) {
    for (const Expr* Input : Assembly.inputs())
      eval(Input);
    for (const Expr* Output : Assembly.outputs()) {
      const Location To = locate(Output);
      if (To.Of == Location::Variable)
        forget(To, UnknownCause::Expression, &Assembly);
      else
        store(To, opaque(Output->getType(), UnknownCause::Expression, &Assembly), Output);
    }
  }

  void run(const Stmt* S) {
    if (!S || !Now.Reachable)
      return;
    if (InSelectedStatements && !Rows->Queues->Around.count(S)) {
      if (Rows->Queues->Statements.count(S))
        whole([&] { run(S); });
      return;
    }
    if (const auto* E = dyn_cast<Expr>(S)) {
      const auto* Full = dyn_cast<FullExpr>(E);
      const auto* Comma = dyn_cast<BinaryOperator>((Full ? Full->getSubExpr() : E)->IgnoreParens());
      if (forFixedRows() && Comma && Comma->getOpcode() == BO_Comma) {
        run(Comma->getLHS());
        run(Comma->getRHS());
        return;
      }
      if (forFixedRows() && runRowStore(E))
        return;
      E->isGLValue() ? void(evalDiscarded(E)) : void(eval(E));
      return;
    }
    switch (S->getStmtClass()) {
    case Stmt::CompoundStmtClass:
      for (const Stmt* Child : cast<CompoundStmt>(S)->body())
        run(Child);
      return;
    case Stmt::DeclStmtClass:
      for (const Decl* D : cast<DeclStmt>(S)->decls())
        if (const auto* V = dyn_cast<VarDecl>(D)) {
          declare(V);
          if (const auto* Parts = dyn_cast<DecompositionDecl>(V))
            for (const BindingDecl* Part : Parts->bindings())
              if (const VarDecl* Holding = Part->getHoldingVar())
                declare(Holding);
        }
      return;
    case Stmt::IfStmtClass:
      return runIf(cast<IfStmt>(S));
    case Stmt::ForStmtClass: {
      const auto* For = cast<ForStmt>(S);
      run(For->getInit());
      return runLoop(For, {For->getConditionVariableDeclStmt(), For->getCond()}, For->getInc(),
                     For->getBody(), false);
    }
    case Stmt::WhileStmtClass: {
      const auto* While = cast<WhileStmt>(S);
      return runLoop(S, {While->getConditionVariableDeclStmt(), While->getCond()}, nullptr,
                     While->getBody(), false);
    }
    case Stmt::DoStmtClass:
      return runLoop(S, {nullptr, cast<DoStmt>(S)->getCond()}, nullptr, cast<DoStmt>(S)->getBody(),
                     true);
    case Stmt::CXXForRangeStmtClass: {
      const auto* For = cast<CXXForRangeStmt>(S);
      run(For->getInit());
      if (const InitListExpr* List = listInBraces(For))
        return runForEach(*For, *List);
      run(For->getRangeStmt());
      run(For->getBeginStmt());
      run(For->getEndStmt());
      return runLoop(For, {nullptr, For->getCond()}, For->getInc(), For->getBody(), false,
                     For->getLoopVarStmt());
    }
    case Stmt::SwitchStmtClass:
      return runSwitch(cast<SwitchStmt>(S));
    case Stmt::CaseStmtClass:
    case Stmt::DefaultStmtClass:
      return run(cast<SwitchCase>(S)->getSubStmt());
    case Stmt::AttributedStmtClass:
      return run(cast<AttributedStmt>(S)->getSubStmt());
    case Stmt::ReturnStmtClass: {
      const Expr* E = cast<ReturnStmt>(S)->getRetValue();
      AbstractValue V = !E ? AbstractValue{} : E->isGLValue() ? placed(locate(E)) : eval(E);
      Frames.back()->Returns.emplace_back(Now, std::move(V));
      Now.Reachable = false;
      return;
    }
    case Stmt::BreakStmtClass:
      if (!Breaks.empty() && Breaks.back())
        Breaks.back()->push_back(Now);
      Now.Reachable = false;
      return;
    case Stmt::ContinueStmtClass:
      Continues.back()->push_back(Now);
      Now.Reachable = false;
      return;
    case Stmt::GCCAsmStmtClass:
      if (const auto* Assembly = cast<GCCAsmStmt>(S); computesValues(*Assembly))
        return runAssembly(*Assembly);
      error(S->getBeginLoc(), Diag::err_statement_not_understood)
          << NotUnderstood::Statement << S->getSourceRange();
      return;
    case Stmt::NullStmtClass:
      return;
    default:
      error(S->getBeginLoc(), Diag::err_statement_not_understood) << NotUnderstood::Statement << S->getSourceRange();
      return;
    }
  }

  /// A glvalue whose value nobody takes: `a[i] = 0;` is no load.
  void evalDiscarded(const Expr* E) {
    const Expr* Plain = E->IgnoreParens();
    if (isa<BinaryOperator, UnaryOperator, CallExpr, ExprWithCleanups>(Plain))
      eval(Plain);
    else
      locate(Plain);
  }

  void declare(const VarDecl* V) {
    rejectDestructor(V->getType(), V->getLocation());
    const Expr* Init = V->getInit();
    if (V->hasAttr<CUDASharedAttr>() || V->hasGlobalStorage()) {
      if (Init && V->isStaticLocal() && !V->hasAttr<CUDASharedAttr>())
        eval(Init);
      return;
    }
    if (!Init) {
      Now.Variables.erase(V);
      return;
    }
    if (forFixedRows() && declareRowRead(V))
      return;
    size_t Read = Result.Accesses.size();
    AbstractValue Initial = V->getType()->isReferenceType() ? placed(bound(object(Init))) : evalObject(Init);
    Now.Variables[V] = std::move(Initial);
    noteFirst(V, V->getType()->isArrayType() ? std::nullopt : std::optional(Polynomial(0)), Init, Read);
  }

  void runIf(const IfStmt* S) {
    run(S->getInit());
    if (const DeclStmt* Variable = S->getConditionVariableDeclStmt())
      run(Variable);
    if (std::optional<const Stmt*> Taken = S->getNondiscardedCase(Context)) {
      run(*Taken);
      return;
    }
    Condition If = anything();
    whole([&] { If = truth(eval(S->getCond())); });
    Dependence On(*this, If);
    const Fork Paths(Now.Path, If.True, If.False);
    State Else = Now;
    Now.Path = Paths.First;
    Else.Path = Paths.Second;
    run(S->getThen());
    std::swap(Now, Else);
    run(S->getElse());
    Now = join(std::move(Else), std::move(Now), S, &Paths);
  }

  /// Runs all statements that are come to, in an iteration of which only some are run.
  template <typename Function> void whole(Function Run) {
    bool Selected = std::exchange(InSelectedStatements, false);
    Run();
    InSelectedStatements = Selected;
  }

  /// Of a loop, whether there is another iteration.
  struct LoopCondition {
    /// `while (int n = next())`.
    const DeclStmt* Variable = nullptr;
    const Expr* Value = nullptr;
  };

  Condition evalCondition(const LoopCondition& C) {
    run(C.Variable);
    return truth(eval(C.Value));
  }

  void runLoop(const Stmt* Loop, const LoopCondition& Again, const Expr* Inc, const Stmt* Body,
               bool BodyFirst, const Stmt* Each = nullptr) {
    if (!Now.Reachable)
      return;
    const Expr* Cond = Again.Value;
    ChangeFinder Found;
    for (const Stmt* Part :
         {static_cast<const Stmt*>(Again.Variable), static_cast<const Stmt*>(Cond),
          static_cast<const Stmt*>(Inc), Body, Each})
      if (Part)
        Found.TraverseStmt(const_cast<Stmt*>(Part));
    const ElementChanges Elements({Again.Variable, Cond, Inc, Body, Each});
    if (bool More = false; BodyFirst && !exitOf(Body) && !Found.Continues && !Cond->isValueDependent() && !Cond->HasSideEffects(Context) &&
                           Cond->EvaluateAsBooleanCondition(More, Context) && !More)
      return run(Body); // `do { ... } while (0)`, as macros have it
    std::map<const VarDecl*, Update> Inductions =
        inductions(Cond, Inc, Body, {Again.Variable, Each}, Found);
    keepFixed(Inductions, Loop, Found, Elements);
    State Before = Now;
    bool Strided = goesOnByGrids(Inductions);
    if (Strided)
      checkGridStride(Loop, Again, Found, Inductions);
    noteGridMoves(Loop, Inductions);
    if (movesByGrids(Loop) && Cond && !staysEnded(Loop, Again, Found))
      Result.LeftEarly.emplace(Loop, Cond);
    bool OverRows = Rows && Rows->Loop == Loop && Part == LoopPart::Before;
    std::optional<std::int64_t> Iterations;
    if (!OverRows && !BodyFirst && !Strided)
      Iterations = knownIterations(Cond, Body, Inductions);
    if (Iterations && isUnrolled(*Iterations, Body, Found)) {
      runUnrolled(*Iterations, Cond, Inc, Body);
      return;
    }
    // Where a loop goes through rows, or on by whole grids, the condition only ends it.
    if (Cond && !OverRows && !Strided && !BodyFirst) {
      std::map<const VarDecl*, Update> OfCondition = inductionsOfCondition(Cond, Body, Found);
      keepFixed(OfCondition, Loop, Found, Elements);
      Inductions.merge(OfCondition);
    }
    Symbol Counter = Sets.counter();
    EnteredLoop Entered = entered(Loop);
    auto Run = [&](const Polynomial& Count) {
      startIteration(Loop, Count, Found, Inductions);
      forgetElements(Elements);
      if (Cond && !BodyFirst) {
        const isl::set NotPast =
            exitOf(Body) ? Sets.universe() : beforeEquality(Cond, Found, Inductions);
        const Condition If = evalCondition(Again);
        Now.Path = Now.Path.intersect(If.True).intersect(NotPast);
      }
      if (Part == LoopPart::Inside && OverRows)
        Result.RowLoop.Path = Now.Path;
      ++LoopDepth;
      if (Frames.size() == 1)
        KernelLoops.push_back(Loop);
      run(Each);
      Breaks.push_back(nullptr);
      std::vector<State> Continued;
      Continues.push_back(&Continued);
      InSelectedStatements = OverRows && Part == LoopPart::Filling;
      run(Body);
      InSelectedStatements = false;
      Continues.pop_back();
      Breaks.pop_back();
      for (State& Each : Continued)
        Now = join(std::move(Now), std::move(Each), Loop);
      if (Now.Reachable && BodyFirst && Cond)
        eval(Cond);
      if (Now.Reachable && Inc)
        run(Inc);
      if (Frames.size() == 1)
        KernelLoops.pop_back();
      --LoopDepth;
      Now = Before;
    };
    if (OverRows && Rows->Queues) {
      Part = LoopPart::Filling;
      const Polynomial Filling(Rows->Queues->Iterations);
      Run(rowIterations(Loop, Found, Inductions, Polynomial(Sets.counter()) - Filling, Polynomial(0) - Filling, 0));
    }
    if (Rows && Rows->Loop == Loop)
      Result.RowLoop.Entered.push_back(Entered);
    Result.Loops.emplace(Counter.Index, std::move(Entered));
    unsigned UncertainBefore = UncertainConditions;
    if (OverRows) {
      Part = LoopPart::Inside;
      UncertainConditions = 0;
      Run(rowIterations(Loop, Found, Inductions, Counter, 0, Polynomial(Rows->RowsPerThread) * Sets.blockSize(Rows->Dimension)));
      Part = LoopPart::Behind;
      UncertainConditions = UncertainBefore;
    } else {
      Run(Strided ? Polynomial(0) : Polynomial(Counter));
    }
    std::map<const VarDecl*, AbstractValue> Last;
    for (const auto& [Variable, Times] : Found.Changes)
      Last.emplace(Variable, Iterations ? moved(Variable, *Iterations, Inductions, Loop) : opaque(Variable->getType(), UnknownCause::Loop, Loop));
    change(std::move(Last), Found, Loop);
    forgetElements(Elements);
  }

  /// Short loops that fill an array with indices are run as they are.
  bool isUnrolled(std::int64_t Iterations, const Stmt* Body, const ChangeFinder& Found) const {
    constexpr std::int64_t Most = 64;
    std::set<const VarDecl*> Moved;
    for (const auto& [Variable, Times] : Found.Changes)
      Moved.insert(Variable);
    return !Found.Continues && Iterations * UnrolledIterations <= Most && fillsElements(Body, Moved);
  }

  void runUnrolled(std::int64_t Iterations, const Expr* Cond, const Expr* Inc, const Stmt* Body) {
    const std::int64_t Around = std::exchange(UnrolledIterations, UnrolledIterations * std::max<std::int64_t>(Iterations, 1));
    ++LoopDepth;
    Breaks.push_back(nullptr);
    // What an iteration does not understand it reports once.
    for (std::int64_t I = 0; I < Iterations && Now.Reachable && (I == 0 || Result.Understood); ++I) {
      eval(Cond);
      run(Body);
      run(Inc);
    }
    Breaks.pop_back();
    --LoopDepth;
    UnrolledIterations = Around;
  }

  /// What `for (int by : {-1, 1})` goes through, if it is not left early.
  static const InitListExpr* listInBraces(const CXXForRangeStmt* For) {
    constexpr unsigned Most = 16;
    const auto* Range = dyn_cast<CXXStdInitializerListExpr>(For->getRangeInit()->IgnoreImplicit());
    const auto* List = Range ? dyn_cast<InitListExpr>(Range->getSubExpr()->IgnoreImplicit()) : nullptr;
    ChangeFinder Found;
    Found.TraverseStmt(const_cast<Stmt*>(For->getBody()));
    return List && List->getNumInits() <= Most && !exitOf(For->getBody()) && !Found.Continues ? List : nullptr;
  }

  void runForEach(const CXXForRangeStmt& For, const InitListExpr& List) {
    const VarDecl* V = For.getLoopVariable();
    const std::int64_t Around = std::exchange(UnrolledIterations, UnrolledIterations * std::max(1u, List.getNumInits()));
    std::vector<AbstractValue> Elements;
    for (const Expr* Init : List.inits())
      Elements.push_back(evalObject(Init));
    for (auto [Init, Element] : llvm::zip(List.inits(), Elements)) {
      if (!Context.hasSameUnqualifiedType(V->getType().getNonReferenceType(), Init->getType()))
        Element = opaque(V->getType().getNonReferenceType(), UnknownCause::Expression, Init);
      Now.Variables[V] = V->getType()->isReferenceType() ? placed(held(std::move(Element), Init)) : std::move(Element);
      if (Now.Reachable && Result.Understood)
        run(For.getBody());
    }
    UnrolledIterations = Around;
  }

  /// Of a loop between constants, which nothing leaves early.
  std::optional<std::int64_t> knownIterations(const Expr* Cond, const Stmt* Body, const std::map<const VarDecl*, Update>& Inductions) {
    constexpr std::int64_t Most = 64;
    const auto* Compare = Cond ? dyn_cast<BinaryOperator>(Cond->IgnoreParenImpCasts()) : nullptr;
    if (!Compare || !(Compare->isRelationalOp() || Compare->getOpcode() == BO_NE) || exitOf(Body))
      return std::nullopt;
    bool Left = Inductions.count(namedVariable(Compare->getLHS())) != 0;
    const Expr *Side = Left ? Compare->getLHS() : Compare->getRHS(), *Limit = Left ? Compare->getRHS() : Compare->getLHS();
    auto Counter = Inductions.find(namedVariable(Side));
    auto Start = Counter == Inductions.end() ? Now.Variables.end() : Now.Variables.find(Counter->first);
    Expr::EvalResult End, Step;
    if (Start == Now.Variables.end() || !Start->second.Number || !Start->second.Number->constant() || Limit->isValueDependent() ||
        !Limit->EvaluateAsInt(End, Context) || Side->getType()->isUnsignedIntegerType() || Limit->getType()->isUnsignedIntegerType() ||
        (Counter->second.Step && !Counter->second.Step->EvaluateAsInt(Step, Context)))
      return std::nullopt;
    std::int64_t By = Counter->second.Step ? Step.Val.getInt().getExtValue() : 1;
    By = Counter->second.Negative ? -By : By;
    BinaryOperatorKind Op = Left ? Compare->getOpcode() : BinaryOperator::reverseComparisonOp(Compare->getOpcode());
    std::int64_t Value = *Start->second.Number->constant(), Last = End.Val.getInt().getExtValue();
    for (std::int64_t Count = 0; Count <= Most; ++Count, Value += By) {
      bool More = Op == BO_LT   ? Value < Last
                  : Op == BO_LE ? Value <= Last
                  : Op == BO_GT ? Value > Last
                  : Op == BO_GE ? Value >= Last
                                : Value != Last;
      if (!More)
        return Count;
    }
    return std::nullopt;
  }

  /// Where the counter of `i != n` is before n: it goes on by one until it is n, as a signed number
  /// or a pointer does not wrap around to it, unless something else leaves the loop.
  isl::set beforeEquality(const Expr* Cond, const ChangeFinder& Found,
                          const std::map<const VarDecl*, Update>& Inductions) {
    const Expr *Side = Cond->IgnoreParenImpCasts(), *Limit = nullptr;
    if (const auto* Compare = dyn_cast<BinaryOperator>(Side);
        Compare && Compare->getOpcode() == BO_NE) {
      Side = Compare->getLHS()->IgnoreParenImpCasts();
      Limit = Compare->getRHS();
      if (Inductions.count(namedVariable(Limit)) != 0)
        std::swap(Side, Limit);
    }
    const auto* Step = dyn_cast<UnaryOperator>(Side);
    const bool Moves = Step && Step->isIncrementDecrementOp();
    const VarDecl* V = namedVariable(Moves ? Step->getSubExpr() : Side);
    auto Counter = Inductions.find(V);
    auto Start = Now.Variables.find(V);
    const bool LimitChanges =
        Limit && (Limit->HasSideEffects(Context) ||
                  llvm::any_of(namedVariables(Limit), [&](const VarDecl* Named) {
                    return Found.Changes.count(Named) != 0;
                  }));
    if (Counter == Inductions.end() || Start == Now.Variables.end() || Counter->second.Step ||
        LimitChanges)
      return Sets.universe();
    const std::optional<Location>& Place = Start->second.Place;
    std::optional<Polynomial> Compared, End;
    if (V->getType()->isSignedIntegerType() && Start->second.Number) {
      Compared = Start->second.Number;
      End = Limit ? number(eval(Limit), Limit) : Polynomial(0);
    } else if (V->getType()->isPointerType() && Place && Limit) {
      Compared = Place->Offset;
      if (const AbstractValue To = eval(Limit); To.Place && inSameArray(*Place, *To.Place))
        End = To.Place->Offset;
    }
    if (!Compared || !End || Sets.unknownIn(*End))
      return Sets.universe();
    if (Moves && Step->isPrefix())
      Compared = *Compared + Polynomial(Counter->second.Negative ? -1 : 1);
    return Counter->second.Negative ? Sets.compare(Comparison::Less, *End, *Compared)
                                    : Sets.compare(Comparison::Less, *Compared, *End);
  }

  /// What so many iterations of a loop make of a variable.
  AbstractValue moved(const VarDecl* Variable, const Polynomial& Count, const std::map<const VarDecl*, Update>& Inductions, const Stmt* Loop) {
    AbstractValue V = opaque(Variable->getType(), UnknownCause::Loop, Loop);
    auto It = Now.Variables.find(Variable);
    auto Induction = Inductions.find(Variable);
    if (It == Now.Variables.end() || Induction == Inductions.end())
      return V;
    const Update& U = Induction->second;
    AbstractValue Step = U.Step ? eval(U.Step) : AbstractValue{};
    Polynomial By = U.Step ? number(Step, U.Step) : Polynomial(1);
    By = (U.Negative ? Polynomial(0) - By : By) * Count;
    if (Variable->getType()->isPointerType() && It->second.Place)
      V.Place = moved(*It->second.Place, By, Variable->getType()->getPointeeType());
    else if (It->second.Number)
      V.Number = Sets.normalized(*It->second.Number + By);
    return V;
  }

  /// Takes out those that an iteration may change under another name, or whose step: through a pointer, or as a member or an element.
  void keepFixed(std::map<const VarDecl*, Update>& Inductions, const Stmt* Loop, const ChangeFinder& Found, const ElementChanges& Elements) {
    const auto Step = [&](const Update& U) { return number(eval(U.Step), U.Step); };
    std::map<const VarDecl*, std::pair<std::optional<Polynomial>, AbstractValue>> First;
    const bool ByOtherNames = !AddressTaken.empty() || llvm::any_of(Found.Changes, [](const auto& Each) { return Each.first->getType()->isReferenceType(); });
    for (const auto& [Variable, U] : Inductions)
      if (U.Step || ByOtherNames)
        First.emplace(Variable, std::pair(U.Step ? std::optional(Step(U)) : std::nullopt, moved(Variable, 1, Inductions, Loop)));
    if (First.empty())
      return;
    State Before = Now;
    startIteration(Loop, 1, Found, Inductions);
    forgetElements(Elements);
    for (const auto& [Variable, Known] : First) {
      const auto& [FirstStep, Next] = Known;
      const bool IsOther = FirstStep && !(Step(Inductions.at(Variable)) == *FirstStep);
      if (IsOther || (Before.Variables.count(Variable) && !same(Now.Variables[Variable], Next)))
        Inductions.erase(Variable);
    }
    Now = std::move(Before);
  }

  /// The values of variables at the head of an arbitrary iteration: inductions move with the counter, of other changes nothing is
  /// known.
  void startIteration(const Stmt* Loop, const Polynomial& Count, const ChangeFinder& Found,
                      const std::map<const VarDecl*, Update>& Inductions) {
    const State Before = Now;
    std::map<const VarDecl*, AbstractValue> Heads;
    for (const auto& [Variable, Times] : Found.Changes)
      Heads.emplace(Variable, moved(Variable, Count, Inductions, Loop));
    change(std::move(Heads), Found, Loop);
    Now.Path = Now.Path.intersect(Sets.compare(Comparison::LessEqual, 0, Count));
  }

  EnteredLoop entered(const Stmt* Loop) const {
    EnteredLoop Way{Loop, {}, LoopDepth != 0};
    for (const Frame* F : ArrayRef(Frames).drop_front())
      Way.Calls.push_back(F->Call);
    return Way;
  }

  /// How many iterations come before the one of a row of the block, from the row \p Low of it to the one before \p High: the number of
  /// the row, less that of the first one.
  Polynomial rowIterations(const Stmt* Loop, const ChangeFinder& Found,
                           const std::map<const VarDecl*, Update>& Inductions,
                           const Polynomial& RowInBlock, const Polynomial& Low, const Polynomial& High) {
    const VarDecl* Counter = rowCounter(Loop);
    auto It = Now.Variables.find(Counter);
    auto Induction = Inductions.find(Counter);
    if (!Counter || It == Now.Variables.end() || !It->second.Number || !Found.Changes.count(Counter) ||
        Induction == Inductions.end())
      return RowInBlock; // reported by who has asked for the rows
    Polynomial Row = Sets.normalized(Polynomial(Rows->RowsPerThread) * Symbol{Symbol::Kind::BlockOrigin, Rows->Dimension} +
                                     RowInBlock);
    Now.Path = Now.Path.intersect(Sets.compare(Comparison::LessEqual, Low, RowInBlock))
                   .intersect(Sets.compare(Comparison::Less, RowInBlock, High));
    Result.RowLoop.Row = Row;
    Result.RowLoop.Start = *It->second.Number;
    Result.RowLoop.Moved.clear();
    for (const auto& [Variable, U] : Inductions)
      if (Variable != Counter)
        Result.RowLoop.Moved.push_back({Variable, U.Step, U.Negative});
    return Row - *It->second.Number;
  }

  // --- Kernels for fixed rows: a thread of each row runs the body, and does of the stores those into
  // its row.

  using enum RowProblem;

  bool forFixedRows() const { return Renumbered && Renumbered->Row; }

  void reportForEachRow(const Expr* Where, RowProblem What) {
    error(Where->getExprLoc(), Diag::err_fixed_rows)
        << Kernel->getName() << static_cast<unsigned>(What) << Where->getSourceRange();
  }

  /// False, and reported, if an access is not one of a statement that stores into a row.
  bool checkRowStore(const Location& L, bool Writes, const Expr* Where) {
    if (!forFixedRows() || (StoredRow && (!Writes || Where == WrittenElement)))
      return true;
    if (Writes && distributed(L))
      rejectRowStore(L, Where, NoStatement);
    else
      reportForEachRow(Where, Writes ? NoStatement : ReadOutside);
    return false;
  }

  void rejectRowStore(const Location& L, const Expr* Where, RowProblem What) {
    noteRowStore(L, {Where, {Where}});
    Result.RejectedRowStores.push_back(L.Offset);
    reportForEachRow(Where, What);
  }

  /// The same for all threads of a launch.
  bool isUniform(const Polynomial& P) {
    isl::set Values = Sets.closed(Sets.bound(Sets.universe(), "value", P));
    using Kind = Symbol::Kind;
    for (Kind Of : {Kind::ThreadIndex, Kind::BlockOrigin, Kind::BlockIndex, Kind::LaunchedOrigin, Kind::LaunchedIndex, Kind::LaunchedThread})
      for (unsigned D = 0; D < 3; ++D)
        if (Sets.mentions(Values, Of, D))
          return false;
    return !Sets.unknownIn(P);
  }

  struct ElementCoordinates {
    std::vector<Polynomial> At;
    /// The values of the symbols for which it is reached.
    isl::set Domain;
  };
  ElementCoordinates coordinatesOf(const Location& L) {
    const ArrayShape& Shape = Renumbered->Shapes.at(pointerTo(L));
    std::vector<Polynomial> Coordinates;
    Polynomial Rest = componentOf(L.Offset, Shape, Now.Path, Sets).InComponent;
    isl::set Domain = Now.Path;
    for (size_t J = 0; J < Shape.dimensions(); ++J) {
      auto [Quotient, Remainder] = J + 1 < Shape.dimensions() ? Rest.divided(Shape.stride(J)) : std::pair(Rest, Polynomial());
      Domain = Sets.bound(Domain, "c" + std::to_string(J), Quotient);
      Coordinates.push_back(std::move(Quotient));
      Rest = std::move(Remainder);
    }
    return {std::move(Coordinates), Sets.closed(Domain)};
  }

  /// As the analysis has it, which takes (y + 1) * nx - 1 for the last element of row y.
  Polynomial rowOf(const Location& L) {
    const ArrayShape& Shape = Renumbered->Shapes.at(pointerTo(L));
    auto [Coordinates, Domain] = coordinatesOf(L);
    for (size_t J = Shape.dimensions() - 1; J > 0; --J)
      if (Domain.intersect(Sets.compare(Comparison::LessEqual, 0, Coordinates[J])).is_empty())
        Coordinates[J - 1] = Coordinates[J - 1] - 1;
      else if (Domain.intersect(Sets.compare(Comparison::Less, Coordinates[J], Shape[J])).is_empty())
        Coordinates[J - 1] = Coordinates[J - 1] + 1;
    return Coordinates[0];
  }

  void noteRowStore(const Location& L, const RowStore& Store) {
    Result.StoresOtherRows |= !Renumbered->SearchesRows && !isUniform(rowOf(L));
    noteRowStore(Store);
  }
  void noteRowStore(const RowStore& Store) {
    if (llvm::none_of(Result.RowStores, [&](const RowStore& Each) { return Each.Statement == Store.Statement; }))
      Result.RowStores.push_back(Store);
  }

  Location locate(const StoredElement& E) { return E.IsAddress ? eval(E.Place).Place.value_or(Location{}) : locate(E.Place); }

  /// An expression's place, without what it does.
  Location placeOf(const StoredElement& E) {
    State Before = Now;
    const size_t Accesses = Result.Accesses.size();
    Location L = locate(E);
    Now = std::move(Before);
    Result.Accesses.erase(Result.Accesses.begin() + static_cast<std::ptrdiff_t>(Accesses), Result.Accesses.end());
    return L;
  }

  bool isRowElement(const Location& L) const { return distributed(L) && isUnderstood(L); }

  /// An element of a distributed array that is read for a value in any case, so that one row has it; null: none.
  const Expr* elementRead(const Expr* E) {
    E = E->IgnoreParenCasts();
    if (const VarDecl* V = namedVariable(E)) // that of one whose value is read for stores is
      return V->isLocalVarDecl() && V->getInit() && !References(V->getInit()).mention(V) ? elementRead(V->getInit()) : nullptr;
    const auto* Deref = dyn_cast<UnaryOperator>(E);
    const bool IsElement = isa<ArraySubscriptExpr>(E) || (isa<CallExpr>(E) && E->isGLValue()) || (Deref && Deref->getOpcode() == UO_Deref);
    if (IsElement && isRowElement(placeOf({E})))
      return E;
    if (isa<UnaryExprOrTypeTraitExpr, LambdaExpr>(E))
      return nullptr;
    if (const auto* Choice = dyn_cast<AbstractConditionalOperator>(E))
      return elementRead(Choice->getCond());
    if (const auto* Binary = dyn_cast<BinaryOperator>(E); Binary && Binary->isLogicalOp())
      return elementRead(Binary->getLHS());
    for (const Stmt* Child : E->children())
      if (const auto* Part = dyn_cast_or_null<Expr>(Child))
        if (const Expr* Found = elementRead(Part))
          return Found;
    return nullptr;
  }

  /// The element whose row has a store; null: it is no store of rows.
  StoredElement elementOfRow(const ElementStore& Store) {
    Location L = placeOf(Store.Element);
    return isRowElement(L) ? Store.Element : StoredElement{isCollected(L) && !Store.Element.IsAddress ? elementRead(Store.Value) : nullptr};
  }

  /// The row of a store, as the analysis has it.
  struct EnteredRow {
    /// The row that has the element (ElementAccess::FoundRow); none: that of its subscript.
    std::optional<Polynomial> Found;
    /// Which row of the array that is only the program finds out.
    bool Searched = false;
  };

  /// Goes on on the threads of the row of an element that is stored into, or (\p Reads) read for an array that is collected.
  EnteredRow enterRowOf(const Location& L, bool Reads) {
    if (Renumbered->SearchesRows) {
      StoredRow = *Renumbered->Row;
      return {*Renumbered->Row, /*Searched=*/true};
    }
    Polynomial Row = rowOf(L);
    const ArrayShape& Shape = Renumbered->Shapes.at(pointerTo(L));
    EnteredRow Entered;
    bool Certain = !Sets.unknownIn(Row), IsPoint = true;
    auto [Coordinates, Domain] = coordinatesOf(L);
    for (size_t J = 1; J < Shape.dimensions(); ++J) {
      isl::set Outside = Sets.compare(Comparison::Less, Coordinates[J], 0).unite(Sets.compare(Comparison::LessEqual, Shape[J], Coordinates[J]));
      const bool Inside = Domain.intersect(Outside).is_empty(), Uniform = isUniform(Coordinates[J]);
      Certain &= Inside;
      IsPoint &= Uniform;
      Entered.Searched |= !Inside && Uniform && isOfAnyRow(Coordinates, J);
    }
    const bool Known = !Entered.Searched && (!Reads || Certain || (IsPoint && !Sets.unknownIn(Row)));
    StoredRow = Known ? Row : *Renumbered->Row;
    if (Known)
      Now.Path = Now.Path.intersect(Sets.compare(Comparison::Equal, Row, *Renumbered->Row));
    if (Reads || Entered.Searched)
      Entered.Found = Reads && Certain ? Row : *Renumbered->Row;
    return Entered;
  }

  /// Of what has been read and stored for a store, the element whose row has it; where that is searched for, also what is read in rows
  /// that lie a number of rows from it.
  void noteFoundRow(size_t Before, const Expr* Element, const Location& Place, const EnteredRow& Row) {
    if (!Row.Found)
      return;
    Element = Element->IgnoreParenCasts();
    for (ElementAccess& A : llvm::drop_begin(Result.Accesses, Before)) {
      const Expr* Where = A.Where->IgnoreParenCasts();
      for (const auto* Member = dyn_cast<MemberExpr>(Where); Member && Where != Element; Member = dyn_cast<MemberExpr>(Where))
        Where = Member->getBase()->IgnoreParenCasts();
      if (Where == Element)
        A.FoundRow = Row.Found;
      else if (Row.Searched)
        noteRelativeRow(A, Place, *Row.Found);
    }
  }

  void noteRelativeRow(ElementAccess& A, const Location& From, const Polynomial& RowOfThat) {
    const ArrayShape& Shape = Renumbered->Shapes.at(A.Array);
    if (!(Shape == Renumbered->Shapes.at(pointerTo(From))))
      return;
    constexpr std::int64_t MostColumns = 8;
    Polynomial Away = Sets.normalized(A.Offset - From.Offset);
    if (Shape.Components && Away.divided(Shape.elements()).second == Polynomial(0))
      Away = Polynomial(); // the same place of another component
    auto [Rows, Columns] = Away.divided(Shape.stride(0));
    const std::optional<std::int64_t> Beside = Columns.constant();
    const bool Near = Beside && (std::abs(*Beside) <= MostColumns || Shape.stride(0).constant());
    if (!Near)
      return;
    A.FoundRow = RowOfThat + Rows;
    A.FoundColumns = *Beside;
  }

  /// A member function that is called, and may change its object as far as its declaration says.
  static const CXXMethodDecl* calledNotConst(const Stmt* S) {
    if (const auto* Call = dyn_cast<CallExpr>(S))
      if (const auto* Method = dyn_cast_or_null<CXXMethodDecl>(Call->getDirectCallee()); Method && !Method->isStatic() && !Method->isConst())
        return Method;
    for (const Stmt* Child : S->children())
      if (const CXXMethodDecl* Found = Child ? calledNotConst(Child) : nullptr)
        return Found;
    return nullptr;
  }

  /// memcpy(&to, &from, sizeof to), by which bits become a number.
  static bool copiesToVariable(const CallExpr& Call) {
    if (Call.getDirectCallee()->getMemoryFunctionKind() != Builtin::BImemcpy || Call.getNumArgs() == 0)
      return false;
    const auto* Address = dyn_cast<UnaryOperator>(Call.getArg(0)->IgnoreParenCasts());
    const VarDecl* To = Address && Address->getOpcode() == UO_AddrOf ? namedVariable(Address->getSubExpr()) : nullptr;
    return To && To->hasLocalStorage() && !To->getType()->isReferenceType();
  }

  /// Runs a statement that stores into an element of a fixed row, on the threads of that row. False if it is another.
  bool runRowStore(const Expr* E) {
    if (const auto* Call = dyn_cast<CallExpr>(E->IgnoreParens());
        Call && Call->getDirectCallee() && !Call->getDirectCallee()->hasBody() && !storeOf(E) && !StoredRow && !copiesToVariable(*Call) && Call != uselessBarrier(Kernel))
      reportForEachRow(E, UnknownCall);
    const ElementStore Store = storeOf(E);
    const auto [Element, IsAddress] = Store.Element;
    const Expr* Stored = Store.Value;
    if (!Store || !(IsAddress || isa<ArraySubscriptExpr, UnaryOperator, MemberExpr, CallExpr>(Element->IgnoreParens())) || Frames.size() != 1)
      return false;
    Sets.allowForPart();
    State Before = Now;
    size_t Accesses = Result.Accesses.size();
    Location L = locate(Store.Element);
    if (!isRowElement(L) && (IsAddress || !isCollected(L))) {
      Now = std::move(Before);
      Result.Accesses.erase(Result.Accesses.begin() + static_cast<std::ptrdiff_t>(Accesses), Result.Accesses.end());
      return false;
    }
    if (Store.Next) {
      runChainedStores(E);
      Now = std::move(Before);
      return true;
    }
    const StoredElement OfRow = isCollected(L) ? StoredElement{elementRead(Stored)} : Store.Element;
    if (isCollected(L))
      noteRowStore({E, OfRow});
    else
      noteRowStore(L, {E, OfRow});
    if (!OfRow.Place) {
      reportForEachRow(E, NoElement);
    } else if (operatorOf(E).isMacroID()) {
      reportForEachRow(E, InMacro);
    } else if (!changedMembers(E).empty() || Element->HasSideEffects(Context, /*IncludePossibleEffects=*/false) ||
               Stored->HasSideEffects(Context, /*IncludePossibleEffects=*/false)) {
      reportForEachRow(E, NoStatement);
      for (const Expr* Part : {Element, Stored})
        if (const CXXMethodDecl* Method = calledNotConst(Part)) {
          Diags.report(Part->getExprLoc(), Diag::note_not_const) << Method->getNameAsString();
          break;
        }
    } else {
      const Location Place = isCollected(L) ? placeOf(OfRow) : L;
      const EnteredRow Row = enterRowOf(Place, isCollected(L));
      WrittenElement = Element;
      AbstractValue V = evalObject(Stored);
      if (const auto* Binary = dyn_cast<BinaryOperator>(E->IgnoreParens()); IsAddress || (Binary && Binary->isCompoundAssignmentOp()))
        access(L, /*Writes=*/false, Element);
      store(L, std::move(V), Element);
      noteFoundRow(Accesses, OfRow.Place, Place, Row);
      StoredRow.reset();
      WrittenElement = nullptr;
    }
    Now = std::move(Before);
    return true;
  }

  /// `u[i] = u[j] = v;`: v is read by the threads of each of these rows.
  void runChainedStores(const Expr* E) {
    RowRead Read{storeOf(E).Value, {}};
    bool Plain = !Read.Initial->HasSideEffects(Context, /*IncludePossibleEffects=*/false);
    std::vector<RowStore> Stores;
    for (const Expr* Each = E; Each; Each = storeOf(Each).Next) {
      const StoredElement Element = storeOf(Each).Element;
      Plain &= !isa<CompoundAssignOperator>(Each->IgnoreParens()) &&
               !operatorOf(Each).isMacroID() &&
               !Element.Place->HasSideEffects(Context, /*IncludePossibleEffects=*/false) &&
               isRowElement(placeOf(Element));
      Stores.push_back({Each, Element, /*Chained=*/true});
      Read.Elements.push_back(Element);
    }
    for (const RowStore& Store : Stores) {
      const Location Place = placeOf(Store.Element);
      if (!isRowElement(Place))
        continue;
      noteRowStore(Place, Store);
      if (!Plain)
        continue;
      State Outside = Now;
      const size_t Earlier = Result.Accesses.size();
      const EnteredRow Row = enterRowOf(Place, /*Reads=*/false);
      WrittenElement = Store.Element.Place;
      AbstractValue V = evalObject(Read.Initial);
      store(Place, std::move(V), WrittenElement);
      noteFoundRow(Earlier, WrittenElement, Place, Row);
      StoredRow.reset();
      WrittenElement = nullptr;
      Now = std::move(Outside);
    }
    if (!Plain)
      reportForEachRow(E, NoStatement);
    else if (llvm::none_of(Result.RowReads,
                           [&](const RowRead& Each) { return Each.Initial == Read.Initial; }))
      Result.RowReads.push_back(std::move(Read));
  }

  /// `float v = u[nx + x];` of a variable that is for stores only: it is read by the threads of their rows. False: it is not such a
  /// variable, or reads nothing, or what is stored into is not known where it is declared.
  bool declareRowRead(const VarDecl* V) {
    const Expr* Init = V->getInit();
    if (Frames.size() != 1 || V->isConstexpr() || isa<InitListExpr>(Init->IgnoreImplicit()) ||
        Init->HasSideEffects(Context, /*IncludePossibleEffects=*/false))
      return false;
    if (!Uses)
      Uses.emplace(Kernel->getBody());
    llvm::SmallPtrSet<const VarDecl*, 4> Seen;
    RowRead Read{Init, {}};
    const CompoundStmt* Block = blockOf(Kernel->getBody(), V);
    std::vector<const Expr*> Stores;
    if (!Block || !Uses->findStores(V, Seen, Stores) || Stores.empty())
      return false;
    for (const Expr* Store : Stores) {
      Read.Elements.push_back(elementOfRow(storeOf(Store)));
      if (!Read.Elements.back().Place)
        return false;
    }
    References All(Block);
    PureReads Reads(Block);
    const SourceManager& Sources = Context.getSourceManager();
    for (const StoredElement& Element : Read.Elements)
      for (const DeclRefExpr* Ref : References(Element.Place).All) {
        const auto* Named = dyn_cast<VarDecl>(Ref->getDecl());
        bool Changes = Named && llvm::any_of(All.All, [&](const DeclRefExpr* Each) { return Each->getDecl() == Named && !Reads.contains(Each); });
        if (Changes || (Named && !Sources.isBeforeInTranslationUnit(Named->getLocation(), V->getLocation())))
          return false;
      }
    const size_t Before = Result.Accesses.size();
    AbstractValue Initial;
    for (auto [Store, Element] : llvm::zip(Stores, Read.Elements)) {
      State Outside = Now;
      const bool ForCollected = Element.Place != storeOf(Store).Element.Place;
      const size_t Earlier = Result.Accesses.size();
      const Location Place = placeOf(Element);
      const EnteredRow Row = enterRowOf(Place, ForCollected);
      Initial = evalObject(Init);
      noteFoundRow(Earlier, Element.Place, Place, Row);
      StoredRow.reset();
      Now = std::move(Outside);
    }
    if (Result.Accesses.size() != Before) {
      Initial = opaque(V->getType(), UnknownCause::Loaded, Init);
      if (llvm::none_of(Result.RowReads, [&](const RowRead& Each) { return Each.Initial == Init; }))
        Result.RowReads.push_back(std::move(Read));
    }
    Now.Variables[V] = std::move(Initial);
    return true;
  }

  bool isGridStride(const Update& U) {
    if (!U.Step || U.Negative)
      return false;
    AbstractValue Step = eval(U.Step);
    return Step.Number && *Step.Number == Sets.normalized(Sets.launchedSize(0) *
                                                          Symbol{Symbol::Kind::GridSize, 0});
  }

  bool goesOnByGrids(const std::map<const VarDecl*, Update>& Inductions) {
    return Renumbered && Renumbered->inOneDimension() &&
           llvm::any_of(Inductions, [&](const auto& Each) { return isGridStride(Each.second); });
  }

  /// For the thread of the next grid along a dimension.
  Polynomial ofNextGrid(Polynomial P, unsigned Dimension) const {
    const Polynomial Blocks(Symbol{Symbol::Kind::GridSize, Dimension});
    const Polynomial Threads = Blocks * (Renumbered ? Sets.launchedSize(Dimension) : Sets.pitch(Dimension));
    using Kind = Symbol::Kind;
    for (const auto& [Of, By] : {std::pair(Kind::BlockIndex, Blocks), std::pair(Kind::LaunchedIndex, Blocks),
                                 std::pair(Kind::BlockOrigin, Threads), std::pair(Kind::LaunchedOrigin, Threads)}) {
      const Symbol S{Of, Dimension};
      P = P.substituted(S, Polynomial(S) + By);
    }
    return Sets.normalized(P);
  }

  void noteGridMoves(const Stmt* Loop, const std::map<const VarDecl*, Update>& Inductions) {
    for (const auto& [Variable, U] : Inductions) {
      auto It = Now.Variables.find(Variable);
      if (!U.Step || It == Now.Variables.end())
        continue;
      const AbstractValue &First = It->second, Next = moved(Variable, 1, Inductions, Loop);
      const bool IsPointer = First.Place && Next.Place && Next.Place->sameArray(*First.Place);
      if (!IsPointer && !(First.Number && Next.Number))
        continue;
      const Polynomial &From = IsPointer ? First.Place->Offset : *First.Number, &To = IsPointer ? Next.Place->Offset : *Next.Number;
      bool Moves = Renumbered && Renumbered->inOneDimension() && (IsPointer || Result.GridIndices.count({Loop, Variable}));
      for (unsigned D = 0; D < 3; ++D)
        Moves |= To.involves(Symbol::Kind::GridSize, D) && ofNextGrid(From, D) == To;
      if (Moves)
        Result.GridMoves.emplace(Loop, Variable);
    }
  }

  bool movesByGrids(const Stmt* Loop) const {
    const auto It = Result.GridMoves.lower_bound({Loop, nullptr});
    return It != Result.GridMoves.end() && It->first == Loop;
  }

  /// Whether the condition of a loop by whole grids, once it does not hold, does not hold for any
  /// further element either: then it says of each element by itself whether there is an iteration
  /// for it.
  bool staysEnded(const Stmt* Loop, const LoopCondition& Again, const ChangeFinder& Found) {
    const State Before = Now;
    const size_t Accesses = Result.Accesses.size();
    const isl::set Ended = evalCondition(Again).False;
    Now = Before;
    Now.Path = Now.Path.intersect(Ended);
    const auto NumberOf = [](const AbstractValue& V) {
      return V.Place ? std::optional(V.Place->Offset) : V.Number;
    };
    const bool MayGoOn = mayHoldLater(
        Loop, Again, Found,
        [&](const VarDecl* Variable, const AbstractValue& First, AbstractValue& Later) {
          if (!Result.GridMoves.count({Loop, Variable}))
            return;
          if (First.Place) {
            Later = First;
            Later.Place->Offset = *opaque(Context.LongLongTy, UnknownCause::Loop, Loop).Number;
          }
          const std::optional<Polynomial> From = NumberOf(First), To = NumberOf(Later);
          if (From && To)
            Now.Path = Now.Path.intersect(Sets.compare(Comparison::Less, *From, *To));
        });
    Now = Before;
    Result.Accesses.erase(Result.Accesses.begin() + static_cast<std::ptrdiff_t>(Accesses),
                          Result.Accesses.end());
    return !MayGoOn;
  }

  /// Whether a loop may go on in a later iteration. \p Relate(variable, its value now, the later
  /// one) says in Now.Path, which is as before afterwards, what is known of what the loop changes.
  template <typename Function>
  bool mayHoldLater(const Stmt* Loop, const LoopCondition& Again, const ChangeFinder& Found,
                    Function Relate) {
    State Before = Now;
    std::map<const VarDecl*, AbstractValue> Laters;
    for (const auto& [Variable, Times] : Found.Changes) {
      AbstractValue Later = opaque(Variable->getType(), UnknownCause::Loop, Loop);
      if (auto It = Before.Variables.find(Variable); It != Before.Variables.end())
        Relate(Variable, It->second, Later);
      Laters.emplace(Variable, std::move(Later));
    }
    change(std::move(Laters), Found, Loop);
    const bool MayHold = !Again.Value || Numbers.isPossible(evalCondition(Again).True);
    Now = std::move(Before);
    return MayHold;
  }

  /// Reports a loop whose condition may not end it after an iteration when the launch has a thread
  /// for each element.
  void checkGridStride(const Stmt* Loop, const LoopCondition& Again, const ChangeFinder& Found,
                       const std::map<const VarDecl*, Update>& Inductions) {
    const bool MayGoOn = mayHoldLater(
        Loop, Again, Found,
        [&](const VarDecl* Variable, const AbstractValue& First, AbstractValue& Later) {
          auto Induction = Inductions.find(Variable);
          if (!First.Number || !Later.Number || Induction == Inductions.end() ||
              !isGridStride(Induction->second))
            return;
          if (*First.Number == Renumbered->Coordinate[0])
            Result.GridIndices.emplace(Loop, Variable);
          for (const Polynomial& Elements : Renumbered->Elements)
            Now.Path = Now.Path.intersect(
                Sets.compare(Comparison::LessEqual, *First.Number + Elements, *Later.Number));
        });
    if (Result.GridStride == nullptr)
      Result.GridStride = Loop;
    if (MayGoOn)
      error(Loop->getBeginLoc(), Diag::err_grid_stride_unbounded);
  }

  /// A loop changes variables, or what they refer to.
  void change(std::map<const VarDecl*, AbstractValue> Values, const ChangeFinder& Found, const Stmt* Loop) {
    std::vector<Location> Others;
    for (auto& [Variable, V] : Values) {
      if (!Variable->getType()->isReferenceType())
        Now.Variables[Variable] = std::move(V);
      else if (auto It = Now.Variables.find(Variable); It != Now.Variables.end() && It->second.Place)
        Others.push_back(*It->second.Place);
    }
    // Through a pointer, a loop may change what has had its address taken.
    for (const auto& [Exposed, Members] : AddressTaken)
      Others.push_back({Location::Variable, Exposed, Members, {}});
    if (const std::optional<Location>& Object = Frames.back()->This)
      for (const FieldDecl* Field : Found.OfObject) {
        Others.push_back(*Object);
        if (Field && Object->Of == Location::Variable)
          Others.back().Members.push_back(Field);
      }
    for (const Location& Each : Others)
      forget(Each, UnknownCause::Loop, Loop);
  }

  void runSwitch(const SwitchStmt* S) {
    run(S->getInit());
    if (const DeclStmt* Variable = S->getConditionVariableDeclStmt())
      run(Variable);
    AbstractValue On = eval(S->getCond());
    Dependence OnCase(*this, anything());
    State Before = Now;
    std::vector<State> Broken;
    Breaks.push_back(&Broken);
    Now.Reachable = false;
    isl::set Default = Sets.universe();
    bool HasDefault = false;
    auto Selected = [&](const SwitchCase* Label) {
      const auto* Case = dyn_cast<CaseStmt>(Label);
      Expr::EvalResult Low, High;
      if (!Case || !On.Number || !Case->getLHS()->EvaluateAsInt(Low, Context) ||
          (Case->getRHS() && !Case->getRHS()->EvaluateAsInt(High, Context)))
        return anything();
      std::int64_t First = Low.Val.getInt().getExtValue();
      std::int64_t Last = Case->getRHS() ? High.Val.getInt().getExtValue() : First;
      const QualType Type = S->getCond()->getType();
      const Condition Begins = Numbers.compare(BO_LE, First, *On.Number, Type), Ends = Numbers.compare(BO_LE, *On.Number, Last, Type);
      return Condition{Begins.True.intersect(Ends.True), Begins.False.unite(Ends.False)};
    };
    for (const SwitchCase* Label = S->getSwitchCaseList(); Label;
         Label = Label->getNextSwitchCase())
      if (isa<CaseStmt>(Label))
        Default = Default.intersect(Selected(Label).False);
    const auto* Block = dyn_cast<CompoundStmt>(S->getBody());
    std::ptrdiff_t Labels = 0;
    for (const SwitchCase* Label = S->getSwitchCaseList(); Label; Label = Label->getNextSwitchCase())
      ++Labels;
    for (const Stmt* Child :
         Block ? llvm::ArrayRef<Stmt*>(const_cast<Stmt**>(Block->body_begin()), Block->size())
               : llvm::ArrayRef<Stmt*>()) {
      for (const auto* Label = dyn_cast<SwitchCase>(Child); Label;
           Label = dyn_cast<SwitchCase>(Label->getSubStmt())) {
        State Entry = Before;
        --Labels;
        HasDefault |= isa<DefaultStmt>(Label);
        Entry.Path = Entry.Path.intersect(isa<DefaultStmt>(Label) ? Default : Selected(Label).True);
        Now = join(std::move(Now), std::move(Entry), S);
      }
      run(Child);
    }
    if (Labels != 0) // that lead into a loop or a block
      error(S->getBeginLoc(), Diag::err_statement_not_understood) << NotUnderstood::Statement << S->getSourceRange();
    Breaks.pop_back();
    if (!HasDefault) {
      State Skipped = Before;
      Skipped.Path = Skipped.Path.intersect(Default);
      Now = join(std::move(Now), std::move(Skipped), S);
    }
    for (State& After : Broken)
      Now = join(std::move(Now), std::move(After), S);
  }

  const LaunchFacts& Launch;
  bool MovesByGridSize = false;
  const ElementSizes& Distributed;
  SymbolicSets& Sets;
  ASTContext& Context;
  Diagnostics& Diags;
  const RenumberedThreads* Renumbered;
  const std::optional<RowLoopRequest>& Rows;
  LoopPart Part = LoopPart::Before;
  unsigned LoopDepth = 0;
  /// The loops of the kernel itself around what is run.
  std::vector<const Stmt*> KernelLoops;
  /// Of the loops around that are run as they are, all together.
  std::int64_t UnrolledIterations = 1;
  ArrayUses Arrays;
  unsigned UncertainConditions = 0;
  /// In the body of a loop over the rows, of which the statements are run that its queues need.
  bool InSelectedStatements = false;
  State Now;
  IntegerArithmetic Numbers;
  std::vector<Frame*> Frames;
  /// Where `break` of the innermost loop or switch leaves its state; null for a loop, which forgets
  /// what it changes.
  std::vector<std::vector<State>*> Breaks;
  /// Where `continue` of the innermost loop leaves its state.
  std::vector<std::vector<State>*> Continues;
  std::set<std::pair<const ValueDecl*, std::vector<const FieldDecl*>>> AddressTaken;
  /// Variables that are changed as something of another type, or in parts; nothing is known of these.
  std::set<const ValueDecl*> Reinterpreted;
  /// Variables for values that one of several places had, and these.
  std::map<const ValueDecl*, std::vector<Location>> Snapshots;
  const FunctionDecl* Kernel = nullptr;
  /// While a statement that stores into a fixed row is run, that row and the element.
  std::optional<Polynomial> StoredRow;
  const Expr* WrittenElement = nullptr;
  std::optional<StoreUses> Uses;
  struct LoadedValue {
    Location From;
    std::vector<const ValueDecl*> Members;
    QualType Type;
    AbstractValue Value;
  };
  std::vector<LoadedValue> LoadedValues;
  /// Of those with initialisers; empty: not known.
  std::map<PointerVariable, std::vector<Polynomial>> KnownConstants;
  InterpretedKernel Result;
};

} // namespace

InterpretedKernel interpretKernel(const FunctionDecl* Kernel, const LaunchFacts& Launch,
                                  const ElementSizes& Distributed,
                                  SymbolicSets& Sets, ASTContext& Context, Diagnostics& Diags,
                                  const RenumberedThreads* Renumbered,
                                  const std::optional<RowLoopRequest>& Rows) {
  return Interpreter(Launch, Distributed, Sets, Context, Diags, Renumbered, Rows).run(Kernel);
}

} // namespace gpurma
