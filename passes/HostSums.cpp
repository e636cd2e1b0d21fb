// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/HostSums.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "frontend/SourceText.h"
#include "passes/AccumulateCalls.h"
#include "passes/ErrorChecks.h"
#include "passes/Extrema.h"
#include "passes/HostExpressions.h"
#include "passes/Kernels.h"
#include "passes/Lvalues.h"
#include "passes/VariableChanges.h"
#include "passes/VariableUses.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"
#include <set>

using namespace clang;

namespace gpurma {
namespace {

bool isCopyToHost(const CallExpr& Call) {
  const StringRef Name = identifierOf(Call.getDirectCallee());
  if ((Name != "cudaMemcpy" && Name != "cudaMemcpyAsync") || Call.getNumArgs() < 4)
    return false;
  const auto* Kind = dyn_cast<DeclRefExpr>(Call.getArg(3)->IgnoreParenImpCasts());
  return Kind && Kind->getDecl()->getNameAsString() == "cudaMemcpyDeviceToHost";
}

/// Copies to the host, launches, and the loops that may add up what is there, each behind what stands before it.
struct HostStatements : DynamicRecursiveASTVisitor {
  explicit HostStatements(const Stmt* S) { TraverseStmt(const_cast<Stmt*>(S)); }
  bool VisitCallExpr(CallExpr* Call) override {
    if (const auto* Launch = dyn_cast<CUDAKernelCallExpr>(Call))
      Launches.push_back(Launch);
    if (isCopyToHost(*Call))
      Copies.push_back(Call);
    return true;
  }
  std::vector<const CallExpr*> copiesOf(const VarDecl* Array) const {
    std::vector<const CallExpr*> Found;
    llvm::copy_if(Copies, std::back_inserter(Found), [&](const CallExpr* Call) { return namedPointer(Call->getArg(1)) == Array; });
    return Found;
  }
  bool TraverseStmt(Stmt* S) override {
    llvm::SaveAndRestore Outside(Before);
    if (isa_and_nonnull<ForStmt, CXXForRangeStmt, WhileStmt, DoStmt, SwitchStmt, CXXTryStmt, LambdaExpr>(S))
      Before.clear(); // they may be run again
    return DynamicRecursiveASTVisitor::TraverseStmt(S);
  }
  bool TraverseCompoundStmt(CompoundStmt* Block) override {
    const size_t Own = Before.size();
    for (Stmt* S : Block->body()) {
      if (const auto* Loop = dyn_cast<ForStmt>(S))
        Loops.push_back({Loop, Before, Own});
      if (!TraverseStmt(S))
        return false;
      Before.push_back(S);
    }
    return true;
  }
  bool TraverseIfStmt(IfStmt* If) override {
    for (Stmt* S : {If->getInit(), static_cast<Stmt*>(If->getConditionVariableDeclStmt()), static_cast<Stmt*>(If->getCond())})
      if (S) {
        TraverseStmt(S);
        Before.push_back(S);
      }
    return TraverseStmt(If->getThen()) && TraverseStmt(If->getElse());
  }

  struct LoopBehind {
    const ForStmt* Loop;
    llvm::SmallVector<const Stmt*, 8> Before;
    size_t Own; ///< from where on these are of the loop's own block
    ArrayRef<const Stmt*> inBlock() const { return ArrayRef(Before).drop_front(Own); }
  };
  std::vector<const CallExpr*> Copies;
  std::vector<const CUDAKernelCallExpr*> Launches;
  std::vector<LoopBehind> Loops;

private:
  /// What has been run where a statement begins, and is not run again before it is: of its block, and of those around it.
  llvm::SmallVector<const Stmt*, 8> Before;
};

/// Of an array, of what a pointer leads to, or of a container of the standard library, and its subscript.
std::pair<const Expr*, const Expr*> elementOf(const Expr* E) {
  if (const auto* Element = dyn_cast<ArraySubscriptExpr>(E))
    return {Element->getBase(), Element->getIdx()};
  const auto* Call = dyn_cast<CallExpr>(E);
  if (!Call || !isSubscriptOfContainer(*Call))
    return {};
  return {Call->getArg(0), Call->getArg(1)};
}

bool isZero(const Expr* E, const ASTContext& Context) {
  Expr::EvalResult Known;
  return !E->isValueDependent() && E->EvaluateAsInt(Known, Context) && Known.Val.getInt().isZero();
}

/// Without `&...[0]`.
const Expr* withoutFirst(const Expr* Pointer, const ASTContext& Context) {
  Pointer = Pointer->IgnoreParenCasts();
  const auto* Address = dyn_cast<UnaryOperator>(Pointer);
  if (!Address || Address->getOpcode() != UO_AddrOf)
    return Pointer;
  auto [Base, At] = elementOf(Address->getSubExpr()->IgnoreParens());
  return Base && isZero(At, Context) ? Base : Pointer;
}

/// What an expression names an array of the host by: `host`, `host.data()`, `&host[0]`.
const ValueDecl* namedArray(const Expr* E, const ASTContext& Context) {
  E = withoutFirst(E, Context)->IgnoreParenCasts();
  const Expr* Container = containerOfData(*E);
  return namedPlace(Container ? Container : E);
}

struct AddedElements {
  const ValueDecl* Array = nullptr;
  HostSum Sum;
  QualType Element;
};

/// Integers of a rank might have no room in their type where those of each block have.
bool isDoubleOfFloat(QualType Total, QualType Element) {
  return Total->isSpecificBuiltinType(BuiltinType::Double) && Element->isSpecificBuiltinType(BuiltinType::Float);
}

/// Without a conversion to a type of more digits.
const Expr* narrow(const Expr* E) {
  E = E->IgnoreParenImpCasts();
  const auto* Cast = dyn_cast<ExplicitCastExpr>(E);
  return Cast && Cast->getType()->isSpecificBuiltinType(BuiltinType::Double) ? Cast->getSubExpr()->IgnoreParenImpCasts() : E;
}

/// What `total += value;`, `total = fmax(total, value);` and `if (value > total) total = value;` do.
struct Combination {
  Keyword Operation = Keyword::Plus;
  const Expr *Total = nullptr, *Value = nullptr;
};

std::optional<Combination> combination(const Stmt& S, const ASTContext& Context) {
  std::optional<Extremum> Found;
  const Expr *Total = nullptr, *First = nullptr, *Second = nullptr;
  const BinaryOperator* Adds = nullptr;
  std::optional<bool> Greater;
  const Stmt* Inner = &S;
  if (const auto* Full = dyn_cast<ExprWithCleanups>(Inner))
    Inner = Full->getSubExpr();
  if (const auto* If = dyn_cast<IfStmt>(Inner)) {
    Found = extremumOf(*If, Context);
    Total = Found && !Found->Guard ? Found->Assignment->getLHS() : nullptr;
  } else if (const auto* Assign = dyn_cast<BinaryOperator>(Inner); Assign && Assign->getOpcode() == BO_AddAssign) {
    return Combination{Keyword::Plus, Assign->getLHS(), narrow(Assign->getRHS())};
  } else if (Assign && Assign->getOpcode() == BO_Assign) {
    Total = Assign->getLHS();
    const Expr* Value = Assign->getRHS()->IgnoreParenImpCasts();
    if (const auto* Sum = dyn_cast<BinaryOperator>(Value); Sum && Sum->getOpcode() == BO_Add)
      Adds = Sum;
    else if (const auto* Choice = dyn_cast<ConditionalOperator>(Value))
      Found = extremumOf(*Choice, Context);
    else if (const auto* Call = dyn_cast<CallExpr>(Value); Call && Call->getNumArgs() == 2 && Call->getDirectCallee() &&
                                                           Context.getSourceManager().isInSystemHeader(Call->getDirectCallee()->getLocation())) {
      Greater = returnsGreater(identifierOf(Call->getDirectCallee()));
      First = Call->getArg(0);
      Second = Call->getArg(1);
    }
  }
  if (Found) {
    Greater = Found->Greatest;
    First = Found->Taken;
    Second = Found->Kept;
  }
  if (Adds) {
    First = Adds->getLHS();
    Second = Adds->getRHS();
  }
  if (!Total || (!Greater && !Adds))
    return std::nullopt;
  First = narrow(First);
  Second = narrow(Second);
  const auto IsTotal = [&](const Expr* E) { return isSameText(*E, *Total->IgnoreParens(), Context); };
  if (!IsTotal(First))
    std::swap(First, Second);
  return IsTotal(First) ? std::optional(Combination{Adds ? Keyword::Plus : *Greater ? Keyword::Max : Keyword::Min, Total, Second}) : std::nullopt;
}

/// The only variable that a statement declares; null of others.
const VarDecl* declared(const Stmt* S) {
  const auto* Declaration = dyn_cast_or_null<DeclStmt>(S);
  return Declaration && Declaration->isSingleDecl() ? dyn_cast<VarDecl>(Declaration->getSingleDecl()) : nullptr;
}

/// Whether a statement may go on elsewhere than behind itself, but out of the function.
bool mayJump(const Stmt* S, bool OwnBreak = true, bool OwnContinue = true) {
  if (!S || isa<LambdaExpr>(S))
    return false;
  if (isa<GotoStmt, IndirectGotoStmt>(S) || (OwnBreak && isa<BreakStmt>(S)) || (OwnContinue && isa<ContinueStmt>(S)))
    return true;
  const bool IsLoop = isa<ForStmt, CXXForRangeStmt, WhileStmt, DoStmt>(S);
  OwnBreak &= !IsLoop && !isa<SwitchStmt>(S);
  OwnContinue &= !IsLoop;
  return llvm::any_of(S->children(), [&](const Stmt* Child) { return mayJump(Child, OwnBreak, OwnContinue); });
}

/// `total = array[0];` or `float total = array[0];`, in the statements before a loop: the element that the total begins with. Null if something else
/// comes between, which may read the total or change the array.
const Expr* firstElement(ArrayRef<const Stmt*> Before, const AddedElements& Added, const ASTContext& Context) {
  const std::set<const VarDecl*> OfTotal = namedVariables(Added.Sum.Total);
  for (const Stmt* S : llvm::reverse(Before)) {
    const Expr* Value = nullptr;
    if (const auto* Assign = dyn_cast<BinaryOperator>(S);
        Assign && Assign->getOpcode() == BO_Assign && isSameText(*Assign->getLHS()->IgnoreParens(), *Added.Sum.Total->IgnoreParens(), Context))
      Value = Assign->getRHS();
    else if (const VarDecl* V = declared(S); V && V == namedVariable(Added.Sum.Total))
      Value = V->getInit();
    if (Value) {
      Value = narrow(Value);
      auto [Base, At] = elementOf(Value);
      const Expr* Pointer = Base && isZero(At, Context) ? Base : dereferenced(Value);
      return Pointer && namedArray(Pointer, Context) == Added.Array ? Value : nullptr;
    }
    const HostStatements Inside(S);
    const References Named(S);
    if (isa<SwitchCase, LabelStmt>(S) || mayJump(S) || !Inside.Launches.empty() || !Inside.Copies.empty() ||
        llvm::any_of(OfTotal, [&](const VarDecl* V) { return Named.mention(V); }))
      return nullptr;
  }
  return nullptr;
}

/// Of `index < count`, `index != count` and `count > index`; null of other conditions.
const Expr* boundOf(const Expr& Condition, const VarDecl* Index) {
  const auto* Cond = dyn_cast<BinaryOperator>(Condition.IgnoreParenImpCasts());
  if (Cond && (Cond->getOpcode() == BO_LT || Cond->getOpcode() == BO_NE) && namedVariable(Cond->getLHS()) == Index)
    return Cond->getRHS();
  return Cond && (Cond->getOpcode() == BO_GT || Cond->getOpcode() == BO_NE) && namedVariable(Cond->getRHS()) == Index ? Cond->getLHS() : nullptr;
}

/// `++index`, `index += 1`.
bool isIncrementOf(const Expr& E, const VarDecl* Index, const ASTContext& Context) {
  const Expr* Inner = E.IgnoreParenImpCasts();
  if (const auto* Inc = dyn_cast<UnaryOperator>(Inner))
    return Inc->isIncrementOp() && namedVariable(Inc->getSubExpr()) == Index;
  const auto* Assign = dyn_cast<BinaryOperator>(Inner);
  Expr::EvalResult Step;
  return Assign && Assign->getOpcode() == BO_AddAssign && namedVariable(Assign->getLHS()) == Index && !Assign->getRHS()->isValueDependent() &&
         Assign->getRHS()->EvaluateAsInt(Step, Context) && Step.Val.getInt() == 1;
}

/// Of a loop, also in blocks of blocks, as the copy of a loop over a vector has them.
llvm::SmallVector<const Stmt*, 4> statementsOf(const Stmt* Body) {
  const auto* Block = dyn_cast<CompoundStmt>(Body);
  if (!Block)
    return {Body};
  llvm::SmallVector<const Stmt*, 4> All;
  for (const Stmt* S : Block->body())
    All.append(statementsOf(S));
  return All;
}

/// `array.size()`.
bool isSizeOf(const Expr& E, const ValueDecl* Array) {
  const auto* Call = dyn_cast<CXXMemberCallExpr>(E.IgnoreParenCasts());
  const Expr* Object = Call ? Call->getImplicitObjectArgument() : nullptr;
  return Object && namedPlace(Object) == Array && sizeOfVector(Object->getType()) && identifierOf(Call->getMethodDecl()) == "size";
}

/// Of `for (int b = 0; b < count; ++b) total += array[b];`, or of the most or least, and of several such statements; or from the second element on behind
/// `total = array[0];`. None if the loop does anything else.
/// \p Outside: the loop is of no region, which may not be able to ask a vector for its size.
std::vector<AddedElements> addedElements(const ForStmt& Loop, ArrayRef<const Stmt*> Before, const ASTContext& Context, bool Outside = false) {
  const VarDecl* Index = declared(Loop.getInit());
  const Expr* Begin = Index ? Index->getInit() : nullptr;
  const Expr* Left = nullptr;
  if (const auto* Assign = dyn_cast_or_null<BinaryOperator>(Loop.getInit()); Assign && Assign->getOpcode() == BO_Assign) {
    Left = Assign->getLHS();
    Index = namedVariable(Left);
    Begin = Assign->getRHS();
  }
  Expr::EvalResult First;
  if (!Index || !Index->getType()->isIntegerType() || !Begin || Begin->isValueDependent() || !Begin->EvaluateAsInt(First, Context) ||
      First.Val.getInt().ugt(1) || Loop.getConditionVariable() || !Loop.getCond() || !Loop.getInc())
    return {};
  const bool Whole = First.Val.getInt().isZero();
  const Expr* Count = boundOf(*Loop.getCond(), Index);
  if (!Count || !isIncrementOf(*Loop.getInc(), Index, Context))
    return {};
  const llvm::SmallVector<const Stmt*, 4> Body = statementsOf(Loop.getBody());
  // `const float value = array[b];`, which the other statements name.
  const VarDecl* Value = Body.size() > 1 ? declared(Body.front()) : nullptr;
  if (Value && !Value->getInit())
    return {};
  std::vector<AddedElements> All;
  std::set<const VarDecl*> Changed;
  for (const Stmt* S : llvm::drop_begin(Body, Value ? 1 : 0)) {
    const std::optional<Combination> Combines = combination(*S, Context);
    if (!Combines)
      return {};
    const bool OfValue = Value && namedVariable(Combines->Value) == Value;
    const Expr* Element = OfValue ? narrow(Value->getInit()) : Combines->Value;
    auto [Base, At] = elementOf(Element);
    AddedElements Found;
    Found.Array = Base ? namedArray(Base, Context) : nullptr;
    if (!Found.Array || namedVariable(At) != Index)
      return {};
    Found.Sum.Loop = &Loop;
    Found.Sum.Operation = Combines->Operation;
    Found.Sum.Total = Combines->Total;
    Found.Sum.Count = Count;
    Found.Sum.Index = Left;
    Found.Element = Element->getType();
    if (OfValue && !Context.hasSameUnqualifiedType(Value->getType().getNonReferenceType(), Found.Element) &&
        !isDoubleOfFloat(Value->getType(), Found.Element))
      return {};
    const std::set<const VarDecl*> OfTotal = namedVariables(Found.Sum.Total);
    for (const VarDecl* V : OfTotal)
      if (V == Index || V == Value || placeOf(V) == Found.Array || !Changed.insert(V).second) // of two totals, one may be the other
        return {};
    const bool AsksForSize = Outside && isSizeOf(*Count, Found.Array);
    if (Found.Sum.Total->HasSideEffects(Context) || (!AsksForSize && Count->HasSideEffects(Context)))
      return {};
    Found.Sum.First = firstElement(Before, Found, Context);
    if ((!Whole && !Found.Sum.First) || (Whole && Found.Sum.First && Found.Sum.Operation == Keyword::Plus))
      return {};
    All.push_back(std::move(Found));
  }
  // The loop would end elsewhere.
  const References InCount(Count);
  auto IsNamed = [](const DeclRefExpr* Ref, const ValueDecl* Array) { return placeOf(dyn_cast<VarDecl>(Ref->getDecl())) == Array; };
  if (InCount.mention(Index) || (Value && InCount.mention(Value)) || llvm::any_of(Changed, [&](const VarDecl* V) { return InCount.mention(V); }) ||
      llvm::any_of(All, [&](const AddedElements& Each) {
        const bool AsksForSize = Outside && isSizeOf(*Count, Each.Array);
        return (!AsksForSize && llvm::any_of(InCount.All, [&](const DeclRefExpr* Ref) { return IsNamed(Ref, Each.Array); })) ||
               llvm::any_of(Changed, [&](const VarDecl* V) { return placeOf(V) == Each.Array; });
      }))
    return {};
  return All;
}

/// The same of `for (float value : array) total += value;`, which a region has as a loop that counts.
std::vector<AddedElements> addedElements(const CXXForRangeStmt& Loop, ArrayRef<const Stmt*> Before, const ASTContext& Context) {
  const VarDecl* Value = Loop.getLoopVariable();
  std::vector<AddedElements> All;
  for (const Stmt* S : statementsOf(Loop.getBody())) {
    const std::optional<Combination> Combines = combination(*S, Context);
    AddedElements Found;
    Found.Array = namedPlace(Loop.getRangeInit());
    if (!Found.Array || !Combines || namedVariable(Combines->Value) != Value || Combines->Total->HasSideEffects(Context))
      return {};
    const std::set<const VarDecl*> OfTotal = namedVariables(Combines->Total);
    if (llvm::any_of(OfTotal, [&](const VarDecl* V) { return V == Value || placeOf(V) == Found.Array; }))
      return {};
    Found.Sum.Operation = Combines->Operation;
    Found.Sum.Total = Combines->Total;
    if (Combines->Operation != Keyword::Plus)
      Found.Sum.First = firstElement(Before, Found, Context);
    All.push_back(std::move(Found));
  }
  return All;
}

/// The array that a variable of the region is, or stands for.
const ValueDecl* hostArray(const Region& R, const ValueDecl* Place) {
  auto It = llvm::find_if(R.Objects, [&](const ObjectValue& Each) { return Each.Value == Place && Each.isPointer(); });
  return It != R.Objects.end() && It->Object.Members.empty() && It->Object.Subscripts.empty() ? placeOf(It->Object.Variable) : Place;
}

/// Where a copy goes to: an array, what a pointer leads to, or what an object has.
const ValueDecl* hostArray(const Region& R, const CallExpr& Copy, const ASTContext& Context) {
  return hostArray(R, namedArray(Copy.getArg(0), Context));
}

/// Whether a statement never ends without a part of it, as `if (part != cudaSuccess) exit(1);`.
bool always(const Stmt* S, const Stmt* Part) {
  if (!S || S == Part)
    return S != nullptr;
  if (const auto* If = dyn_cast<IfStmt>(S))
    return always(If->getInit(), Part) || always(If->getConditionVariableDeclStmt(), Part) || always(If->getCond(), Part);
  if (const auto* Switch = dyn_cast<SwitchStmt>(S))
    return always(Switch->getInit(), Part) || always(Switch->getConditionVariableDeclStmt(), Part) || always(Switch->getCond(), Part);
  if (const auto* Do = dyn_cast<DoStmt>(S))
    return always(Do->getBody(), Part);
  if (const auto* Choice = dyn_cast<AbstractConditionalOperator>(S))
    return always(Choice->getCond(), Part);
  if (const auto* Binary = dyn_cast<BinaryOperator>(S); Binary && Binary->isLogicalOp())
    return always(Binary->getLHS(), Part);
  if (const auto* Block = dyn_cast<CompoundStmt>(S))
    for (const Stmt* Child : Block->body())
      if (contains(Child, Part) || mayJump(Child))
        return always(Child, Part);
  return !isa<ForStmt, CXXForRangeStmt, WhileStmt, CXXTryStmt, LambdaExpr>(S) &&
         llvm::any_of(S->children(), [&](const Stmt* Child) { return always(Child, Part); });
}

/// The last copy to the host's array in statements before a loop, behind which nothing is launched and nothing jumps to; null if there is none.
const CallExpr* lastCopy(ArrayRef<const Stmt*> Before, ArrayRef<const CallExpr*> Copies, const ValueDecl* To, const Region& R, const ASTContext& Context) {
  for (const Stmt* S : llvm::reverse(Before)) {
    const auto Inside = [&](const Stmt* Other) { return contains(S, Other); };
    const bool Launches = llvm::any_of(R.Stages, [&](const Stage& Each) { return Inside(Each.Launch) || Inside(Each.Copy); });
    auto It = llvm::find_if(llvm::reverse(Copies), [&](const CallExpr* Copy) {
      const std::set<const VarDecl*> Named = namedVariables(Copy->getArg(0));
      return Inside(Copy) && llvm::any_of(Named, [&](const VarDecl* V) { return hostArray(R, placeOf(V)) == To; });
    });
    if (It == Copies.rend()) {
      if (Launches || isa<SwitchCase, LabelStmt>(S))
        return nullptr;
      continue;
    }
    const CallExpr* Last = *It;
    if (Launches) {
      const auto* Block = dyn_cast<CompoundStmt>(S);
      Last = Block ? lastCopy(llvm::SmallVector<const Stmt*, 8>(Block->body()), Copies, To, R, Context) : nullptr;
    }
    return Last && hostArray(R, *Last, Context) == To && always(S, Last) ? Last : nullptr;
  }
  return nullptr;
}

/// A function that can return no memory that something else leads to: it gets no addresses, and names no variables but its own.
bool returnsNew(const FunctionDecl* F) {
  const FunctionDecl* Definition = F ? F->getDefinition() : nullptr;
  if (!Definition || isa<CXXMethodDecl>(F) ||
      llvm::any_of(Definition->parameters(), [](const ParmVarDecl* P) { return !P->getType()->isArithmeticType(); }))
    return false;
  return llvm::all_of(References(Definition->getBody()).All, [&](const DeclRefExpr* Ref) {
    const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
    const auto* Called = dyn_cast<FunctionDecl>(Ref->getDecl());
    const SourceManager& Sources = F->getASTContext().getSourceManager();
    return (!V || V->hasLocalStorage() || isConstant(V)) && (!Called || Sources.isInSystemHeader(Called->getLocation()));
  });
}

/// Memory that nothing else leads to, or none.
bool isNew(const Expr* E, const ASTContext& Context) {
  E = E->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
  if (const auto* New = dyn_cast<CXXNewExpr>(E))
    return New->getNumPlacementArgs() == 0;
  if (const auto* Construct = dyn_cast<CXXConstructExpr>(E)) // of a std::unique_ptr
    return llvm::all_of(Construct->arguments(), [&](const Expr* Argument) { return isNew(Argument, Context); });
  if (const auto* List = dyn_cast<InitListExpr>(E))
    return llvm::all_of(List->inits(), [&](const Expr* Init) { return isNew(Init, Context); });
  const auto* Call = dyn_cast<CallExpr>(E);
  const FunctionDecl* Callee = Call ? Call->getDirectCallee() : nullptr;
  return isa<CXXDefaultArgExpr, ImplicitValueInitExpr>(E) || E->isNullPointerConstant(const_cast<ASTContext&>(Context), Expr::NPC_ValueDependentIsNotNull) ||
         llvm::is_contained({"malloc", "calloc", "aligned_alloc", "make_unique"}, identifierOf(Callee)) || returnsNew(Callee);
}

/// Whether nothing else leads to the memory that a variable or member begins with.
bool hasOwnMemory(QualType Type, const Expr* Init, const ASTContext& Context) {
  const auto* Class = Type->getAsCXXRecordDecl();
  const StringRef Name = Class && Class->isInStdNamespace() ? identifierOf(Class) : StringRef();
  if (Type->isArrayType() || Name == "vector" || Name == "array")
    return true;
  return (Type->isPointerType() || Name == "unique_ptr") && (!Init || isNew(Init, Context));
}

/// `host = malloc(...)`, `cudaMallocHost(&host, ...)`, `free(host)`, `delete[] host`, `host.resize(...)`: uses no element.
bool givesMemory(const Stmt* Whole, const Stmt* Part, const ValueDecl* Host, const ASTContext& Context) {
  const auto* E = dyn_cast_or_null<Expr>(Part);
  if (!E)
    return false;
  E = E->IgnoreParenCasts();
  if (const auto* Of = dyn_cast<CXXMemberCallExpr>(Whole); Of && Of->getCallee() == Part && Of->getMethodDecl())
    return namedPlace(Of->getImplicitObjectArgument()) == Host && Of->getMethodDecl()->getParent()->isInStdNamespace() &&
           llvm::is_contained({"resize", "reserve", "assign", "size", "empty"}, identifierOf(Of->getMethodDecl()));
  if (const auto* Address = dyn_cast<UnaryOperator>(E); Address && Address->getOpcode() == UO_AddrOf)
    E = Address->getSubExpr();
  if (namedPlace(E) != Host)
    return false;
  if (const auto* Assign = dyn_cast<BinaryOperator>(Whole))
    return Assign->getOpcode() == BO_Assign && Assign->getLHS() == Part && isNew(Assign->getRHS(), Context);
  if (const auto* Assign = dyn_cast<CXXOperatorCallExpr>(Whole); Assign && Assign->getOperator() == OO_Equal && Assign->getArg(0) == Part)
    return hasOwnMemory(Host->getType(), Assign->getArg(1), Context);
  if (isa<CXXDeleteExpr>(Whole))
    return true;
  const auto* Call = dyn_cast<CallExpr>(Whole);
  return Call && llvm::is_contained({"free", "cudaFree", "cudaFreeHost", "cudaMallocHost", "cudaHostAlloc", "cudaMallocManaged", "posix_memalign"},
                                    identifierOf(Call->getDirectCallee()));
}

/// Looks for where an array of the host is named, but to get and give back its memory: it does not have the numbers of the region. Where
/// the host itself copies to it and adds up no more than that, it need not.
class OtherUses {
public:
  /// \p Host: a variable of the region's function, or a member of its object.
  OtherUses(const Region& R, const Unit& U, const ValueDecl* Host, QualType Element)
      : Name(Host->getNameAsString()), R(R), U(U), Member(dyn_cast<FieldDecl>(Host)), ElementBytes(U.context().getTypeSizeInChars(Element).getQuantity()) {
    for (const Region& Each : U.Regions) {
      const HostStatements Own(Each.Statement);
      for (const HostStatements::LoopBehind& Behind : Own.Loops)
        for (const AddedElements& Added : addedElements(*Behind.Loop, Behind.inBlock(), U.context())) {
          const CallExpr* Copy = lastCopy(Behind.Before, Own.Copies, hostArray(Each, Added.Array), Each, U.context());
          InRegions.push_back({Copy ? namedPlace(Copy->getArg(1)->IgnoreParenCasts()) : Added.Array, Added.Sum.Operation});
        }
    }
  }

  const Expr* find(const ValueDecl* Host) {
    const FunctionDecl* Function = R.outermostFunction();
    std::vector<const Stmt*> Outside, Inside;
    bool InLambda = false;
    for (const Region& Other : U.Regions) {
      InLambda |= (Member || Other.outermostFunction() == Function) && Other.function() != Other.outermostFunction();
      Known.insert({Other.Loop, Other.Written});
      if (Other.isPattern() || (!Member && Other.function() != R.function()))
        continue;
      Inside.insert(Inside.end(), Other.Statement->child_begin(), Other.Statement->child_end());
      for (const HostPart& P : Other.HostParts) {
        Outside.push_back(P.Statement);
        for (const auto& [V, Copy] : P.Variables)
          if (Copy == Host) {
            note(P.Call);
            Name = V->getNameAsString();
          }
      }
      const HostStatements Own(Other.Statement);
      Known.insert(Own.Copies.begin(), Own.Copies.end());
      for (const HostStatements::LoopBehind& Each : Own.Loops)
        know(addedElements(*Each.Loop, Each.inBlock(), U.context()));
    }
    for (const Stmt* S : Inside)
      visit(S, Host, /*By=*/nullptr);
    // A call may run a lambda's region between a copy and a loop.
    auto VisitFunction = [&](const FunctionDecl* F) {
      visit(F->getBody(), Host, InLambda ? nullptr : F);
      const auto* Constructor = dyn_cast<CXXConstructorDecl>(F);
      if (!Constructor)
        return;
      for (const CXXCtorInitializer* Init : Constructor->inits()) {
        if (Init->getMember() != Host)
          visit(Init->getInit(), Host, nullptr);
        else if (!hasOwnMemory(Host->getType(), Init->getInit(), U.context()))
          note(Init->getInit(), BlockNumbersProblem::HostMemory);
      }
    };
    for (const Stmt* S : Outside)
      visit(S, Host, InLambda ? nullptr : Function);
    if (!Member) {
      VisitFunction(Function);
      return Found;
    }
    const auto* Class = cast<CXXRecordDecl>(Member->getParent());
    for (const CXXMethodDecl* Method : Class->methods())
      if (const FunctionDecl* Definition = Method->getDefinition(); Definition && Definition->getBody())
        VisitFunction(Definition);
    for (const FieldDecl* Other : Class->fields())
      if (Other != Host)
        visit(Other->getInClassInitializer(), Host, nullptr);
    return Found;
  }

  BlockNumbersProblem Why = BlockNumbersProblem::HostNames;
  /// As the program calls it.
  std::string Name;

private:
  /// What combines elements; another call of its function may have brought others.
  void noteCombining(const Stmt* S, bool AreCopied) {
    (AreCopied ? NotCopied : Known).erase(S);
    (AreCopied ? Known : NotCopied).insert(S);
  }

  void note(const Expr* E) { note(E, Unknown); }
  void note(const Expr* E, BlockNumbersProblem Problem) {
    if (!std::exchange(Found, Found ? Found : E))
      Why = Problem;
  }

  /// Also of the variable that stands for `host.data()` in a region.
  bool isArray(const ValueDecl* Place, const ValueDecl* Host) const {
    return Place && (Place == Host || llvm::any_of(U.Regions, [&](const Region& Each) { return hostArray(Each, Place) == Host; }));
  }

  void know(ArrayRef<AddedElements> All) {
    for (const AddedElements& Each : All)
      Known.insert({Each.Sum.Loop, Each.Sum.First});
  }

  /// \p By: the function whose statement it is, if the host runs it outside of regions.
  void visit(const Stmt* S, const ValueDecl* Host, const FunctionDecl* By) {
    if (!S || Found || Known.contains(S) || isa<UnaryExprOrTypeTraitExpr>(S))
      return;
    llvm::SaveAndRestore Around(Unknown, NotCopied.contains(S) ? BlockNumbersProblem::NotCopied : Unknown);
    if (const auto* Ref = dyn_cast<DeclRefExpr>(S); Ref && isArray(placeOf(dyn_cast<VarDecl>(Ref->getDecl())), Host))
      note(Ref);
    if (const auto* Of = dyn_cast<MemberExpr>(S); Of && Of->getMemberDecl() == Host)
      note(Of);
    if (const auto* Assign = dyn_cast<BinaryOperator>(S); Assign && Assign->getOpcode() == BO_Assign && namedPlace(Assign->getLHS()) == Host &&
                                                           !givesMemory(S, Assign->getLHS(), Host, U.context()))
      note(Assign, BlockNumbersProblem::HostMemory);
    if (const auto* Declaration = dyn_cast<DeclStmt>(S); Declaration && By && isCalledInRegionsOnly(*Declaration, *By))
      return;
    if (const auto* Lambda = dyn_cast<LambdaExpr>(S)) {
      for (const LambdaCapture& Capture : Lambda->captures())
        if (Lambda->isInitCapture(&Capture))
          visit(cast<VarDecl>(Capture.getCapturedVar())->getInit(), Host, By);
      return visit(Lambda->getBody(), Host, By);
    }
    if (const auto* Block = dyn_cast<CompoundStmt>(S); Block && By)
      knowCombined(*Block, Host, *By);
    const auto* Call = dyn_cast<CallExpr>(S);
    for (const Stmt* Child : S->children()) {
      const bool Passes = By && Call && Child && keepsFrom(*Call, Child, Host);
      if (!Passes && !givesMemory(S, Child, Host, U.context()) && !(By && asksForMemory(S, Child, Host)))
        visit(Child, Host, By);
    }
  }

  /// Of a lambda without captures of its own, whose body has taken the places of all calls.
  bool isCalledInRegionsOnly(const DeclStmt& Declaration, const FunctionDecl& By) const {
    const VarDecl* V = declared(&Declaration);
    const auto* Lambda = V && V->getInit() ? dyn_cast<LambdaExpr>(V->getInit()->IgnoreUnlessSpelledInSource()) : nullptr;
    if (!Lambda || llvm::any_of(Lambda->captures(), [&](const LambdaCapture& Capture) { return Lambda->isInitCapture(&Capture); }))
      return false;
    auto IsLeft = [&](const Region& Each) {
      return References(Each.Statement).mention(V) ||
             llvm::any_of(Each.HostParts, [&](const HostPart& P) { return References(P.Statement).mention(V); });
    };
    return llvm::none_of(U.Regions, IsLeft) && llvm::all_of(References(By.getBody()).All, [&](const DeclRefExpr* Ref) {
             return Ref->getDecl() != V || llvm::any_of(U.Regions, [&](const Region& Each) { return contains(Each.Written, Ref); });
           });
  }

  /// Loops and calls of a block that combine no more of the array than a statement before them copies.
  void knowCombined(const CompoundStmt& Block, const ValueDecl* Host, const FunctionDecl& By) {
    llvm::SmallVector<const Stmt*, 8> Before;
    for (const Stmt* S : Block.body()) {
      const auto* Loop = dyn_cast<ForStmt>(S);
      const auto* Range = dyn_cast<CXXForRangeStmt>(S);
      const std::vector<AddedElements> All = Loop    ? addedElements(*Loop, Before, U.context(), /*Outside=*/true)
                                             : Range ? addedElements(*Range, Before, U.context())
                                                     : std::vector<AddedElements>();
      const auto OfHost = [&](const AddedElements& Each) { return Each.Array == Host; };
      const auto NotCopiedBefore = [&](const AddedElements& Each) { return OfHost(Each) && !isCopied(Each.Sum.Count, Each.Sum.Operation, Before, Host, By); };
      if (llvm::any_of(All, OfHost)) {
        const bool Is = llvm::none_of(All, NotCopiedBefore);
        noteCombining(S, Is);
        for (const AddedElements& Each : All)
          if (Each.Sum.First)
            noteCombining(Each.Sum.First, Is);
      } else if (!Loop && !Range) {
        knowCalls(S, Before, Host, By);
      }
      Before.push_back(S);
    }
  }

  /// `host == nullptr`, `!host`.
  bool asksForMemory(const Stmt* Whole, const Stmt* Part, const ValueDecl* Host) const {
    const auto* E = dyn_cast_or_null<Expr>(Part);
    if (!E || namedPlace(E) != Host)
      return false;
    if (const auto* Cast = dyn_cast<CastExpr>(Whole))
      return Cast->getCastKind() == CK_PointerToBoolean;
    const auto* Compare = dyn_cast<BinaryOperator>(Whole);
    const Expr* Other = !Compare ? nullptr : Compare->getLHS() == E ? Compare->getRHS() : Compare->getLHS();
    return Other && Compare->isEqualityOp() && Other->IgnoreParenImpCasts()->isNullPointerConstant(U.context(), Expr::NPC_ValueDependentIsNotNull);
  }

  /// What is combined, a statement before it has copied in any case, and no region comes between, nor one that has left there what another
  /// operation combines. \p Number: null for all elements.
  bool isCopied(const Expr* Number, Keyword Operation, ArrayRef<const Stmt*> Before, const ValueDecl* Host, const FunctionDecl& By) const {
    const VariableChanges Changes(By.getBody());
    InnerStructures Inside(U.context());
    HostExpressions Expressions(U.context(), R, Changes, Changes, Inside);
    std::optional<Polynomial> Count;
    if (!Number || isSizeOf(*Number, Host))
      Count = elements(Host, By, Expressions);
    else if (!changesMembersOf(*Number, By))
      Count = Expressions.polynomial(Number);
    const Polynomial Size = ElementBytes;
    for (; !Before.empty(); Before = Before.drop_back()) {
      const Stmt* S = Before.back();
      if (mayRunRegion(S))
        return false;
      for (const CallExpr* Copy : HostStatements(S).Copies) {
        if (namedArray(Copy->getArg(0), U.context()) != Host || !always(S, Copy) ||
            (mayBeCombined(*Copy->getArg(1), Operation) && !isStoredAnew(*Copy->getArg(1), Before.drop_back())))
          continue;
        if (isOfAll(*Copy->getArg(2), Host, By))
          return true;
        const std::optional<Polynomial> Bytes = Count ? Expressions.polynomial(Copy->getArg(2)) : std::nullopt;
        if (Bytes && (*Bytes - *Count * Size).constant().value_or(-1) >= 0 && Expressions.alikeSizes().empty())
          return true;
      }
    }
    return false;
  }

  /// Whether a region may come between it and what follows.
  bool mayRunRegion(const Stmt* S) const {
    return isa<SwitchCase, LabelStmt>(S) || llvm::any_of(U.Regions, [&](const Region& Each) { return contains(S, Each.Loop); }) ||
           (Member && mayCallRegion(S));
  }

  /// Whether what a pointer of the host leads to, regions may have combined by another operation.
  bool mayBeCombined(const Expr& Pointer, Keyword Operation) const {
    const ValueDecl* Array = namedPlace(Pointer.IgnoreParenCasts());
    for (unsigned Step = 0; Array && Passed.count(Array); ++Step)
      Array = Step != MostCalls ? namedPlace(Passed.lookup(Array)->IgnoreParenCasts()) : nullptr;
    const bool IsKnown = Array && (!isa<ParmVarDecl>(Array) || Array->getDeclContext() == R.outermostFunction());
    return llvm::any_of(InRegions, [&](const auto& Each) { return Each.second != Operation && (!IsKnown || Each.first == Array); });
  }

  /// Whether a launch in the statements before its copy has stored into it.
  bool isStoredAnew(const Expr& Pointer, ArrayRef<const Stmt*> Before) const {
    for (const Stmt* S : llvm::reverse(Before)) {
      if (mayRunRegion(S))
        return false;
      for (const CUDAKernelCallExpr* Launch : HostStatements(S).Launches)
        if (always(S, Launch) && llvm::any_of(Launch->arguments(), [&](const Expr* Argument) {
              return isSameText(*Argument->IgnoreParenCasts(), *Pointer.IgnoreParenCasts(), U.context());
            }))
          return true;
    }
    return false;
  }

  /// How many elements an array has, as far as it is known that nothing changes that.
  std::optional<Polynomial> elements(const ValueDecl* Array, const FunctionDecl& By, HostExpressions& Expressions) const {
    if (const std::optional<ArrayElements> Known = arrayElements(Array->getType().getNonReferenceType()))
      return Polynomial(static_cast<std::int64_t>(Known->Count));
    if (!sizeOfVector(Array->getType()))
      return std::nullopt;
    if (const auto* Member = dyn_cast<FieldDecl>(Array)) {
      const std::optional<FirstElements> All = keepsSize(Member, By) ? firstElements(*Member) : std::nullopt;
      return All && All->Number ? std::optional(Polynomial(*All->Number)) : std::nullopt;
    }
    const Expr* Init = cast<VarDecl>(Array)->getInit();
    const Expr* First = Init && !isa<ParmVarDecl>(Array) ? firstSize(*Init) : nullptr;
    return First && keepsSize(Array, By) ? Expressions.polynomial(First) : std::nullopt;
  }

  /// Whether no function that may name a vector changes how many elements it has.
  static bool keepsSize(const ValueDecl* Vector, const FunctionDecl& By) {
    const auto* Member = dyn_cast<FieldDecl>(Vector);
    if (!Member)
      return !changesSize(By.getBody(), *Vector);
    return llvm::none_of(cast<CXXRecordDecl>(Member->getParent())->methods(), [&](const CXXMethodDecl* Method) {
      const FunctionDecl* Definition = Method->getDefinition();
      return Definition && !Definition->isDefaulted() && changesSize(Definition->getBody(), *Vector);
    });
  }

  /// What all constructors give a vector as many elements as: a constant, or a member that nothing changes.
  struct FirstElements {
    std::optional<std::int64_t> Number;
    const FieldDecl* Field = nullptr;
    bool operator==(const FirstElements& Other) const { return Number == Other.Number && Field == Other.Field; }
  };
  std::optional<FirstElements> firstElements(const FieldDecl& Vector) const {
    const auto* Class = cast<CXXRecordDecl>(Vector.getParent());
    std::optional<FirstElements> All;
    for (const CXXConstructorDecl* Each : Class->ctors()) {
      const auto* Constructor = cast_or_null<CXXConstructorDecl>(Each->getDefinition());
      if (!Constructor || Each->isCopyOrMoveConstructor() || Constructor->isDelegatingConstructor())
        continue;
      const std::optional<FirstElements> Found = firstElements(*Constructor, Vector);
      if (!Found || *Found != All.value_or(*Found))
        return std::nullopt;
      All = Found;
    }
    return All;
  }
  std::optional<FirstElements> firstElements(const CXXConstructorDecl& Constructor, const FieldDecl& Vector) const {
    const auto Init = llvm::find_if(Constructor.inits(), [&](const CXXCtorInitializer* Each) { return Each->getMember() == &Vector; });
    const Expr* Value = Init == Constructor.init_end() ? nullptr : (*Init)->getInit();
    if (const auto* Default = dyn_cast_or_null<CXXDefaultInitExpr>(Value))
      Value = Default->getExpr();
    const Expr* First = Value ? firstSize(*Value) : nullptr;
    if (!First || First->isValueDependent())
      return std::nullopt;
    Expr::EvalResult Known;
    if (First->EvaluateAsInt(Known, U.context()) && Known.Val.getInt().isRepresentableByInt64())
      return FirstElements{Known.Val.getInt().getExtValue()};
    const auto* Named = dyn_cast_or_null<FieldDecl>(namedPlace(First));
    // `Solver(int blocks) : blocks_(blocks), host_(blocks)`
    if (const VarDecl* V = namedVariable(First); V && isa<ParmVarDecl>(V) && !VariableChanges(Constructor.getBody()).changes(V))
      for (const CXXCtorInitializer* Each : Constructor.inits())
        if (const FieldDecl* Field = Each->getMember();
            Field && namedVariable(Each->getInit()) == V && U.context().hasSameUnqualifiedType(Field->getType(), V->getType()))
          Named = Field;
    return Named && isUnchanged(*Named) ? std::optional(FirstElements{std::nullopt, Named}) : std::nullopt;
  }

  /// A member that all functions only read.
  static bool isUnchanged(const FieldDecl& Member) {
    struct MemberUses : DynamicRecursiveASTVisitor {
      bool VisitMemberExpr(MemberExpr* E) override {
        if (E->getMemberDecl() == Member && !Reads.contains(E))
          Changes = true;
        return true;
      }
      bool VisitCastExpr(CastExpr* Cast) override {
        if (Cast->getCastKind() == CK_LValueToRValue)
          Reads.insert(Cast->getSubExpr()->IgnoreParens());
        return true;
      }
      const FieldDecl* Member = nullptr;
      llvm::SmallPtrSet<const Expr*, 8> Reads;
      bool Changes = false;
    } Uses;
    Uses.Member = &Member;
    for (const CXXMethodDecl* Method : cast<CXXRecordDecl>(Member.getParent())->methods())
      if (const FunctionDecl* Definition = Method->getDefinition(); Definition && !Definition->isDefaulted()) {
        Uses.TraverseStmt(Definition->getBody());
        if (const auto* Constructor = dyn_cast<CXXConstructorDecl>(Definition))
          for (const CXXCtorInitializer* Init : Constructor->inits())
            Uses.TraverseStmt(Init->getInit());
      }
    return Member.getType().isConstQualified() || (Member.getAccess() == AS_private && !Uses.Changes);
  }

  /// `host.size()`, or a member that is as much.
  bool isSize(const Expr& E, const ValueDecl* Array, const FunctionDecl& By) const {
    if (isSizeOf(E, Array))
      return true;
    const auto* Member = dyn_cast<FieldDecl>(Array);
    const auto* Named = Member ? dyn_cast_or_null<FieldDecl>(namedPlace(E.IgnoreParenCasts())) : nullptr;
    const std::optional<FirstElements> All = Named && keepsSize(Member, By) ? firstElements(*Member) : std::nullopt;
    return All && All->Field == Named;
  }

  /// Bytes of as many elements as an array has: `host.size() * sizeof(float)`.
  bool isOfAll(const Expr& Bytes, const ValueDecl* Array, const FunctionDecl& By) const {
    const Expr* E = Bytes.IgnoreParenImpCasts();
    if (const VarDecl* V = namedVariable(E); V && V->getType().isConstQualified() && V->getInit())
      return keepsSize(Array, By) && isOfAll(*V->getInit(), Array, By);
    const auto* Product = dyn_cast<BinaryOperator>(E);
    if (!Product || Product->getOpcode() != BO_Mul)
      return false;
    const Expr *Left = Product->getLHS(), *Right = Product->getRHS();
    if (!isSize(*Left, Array, By))
      std::swap(Left, Right);
    Expr::EvalResult Each;
    return isSize(*Left, Array, By) && !Right->isValueDependent() && Right->EvaluateAsInt(Each, U.context()) &&
           Each.Val.getInt().getExtValue() >= ElementBytes;
  }

  /// The same of std::accumulate and its like in a statement, and of functions that do nothing else with the array.
  void knowCalls(const Stmt* S, ArrayRef<const Stmt*> Before, const ValueDecl* Host, const FunctionDecl& By) {
    const auto* E = dyn_cast_or_null<Expr>(S);
    const std::optional<AccumulateCall> Sum = E ? accumulateCall(*E) : std::nullopt;
    if (Sum && namedArray(Sum->Array, U.context()) == Host)
      noteCombining(S, isCopied(Sum->Count, Sum->Operation, Before, Host, By));
    const auto* Call = dyn_cast_or_null<CallExpr>(S);
    const FunctionDecl* Callee = Call && Call->getDirectCallee() ? Call->getDirectCallee()->getDefinition() : nullptr;
    const auto* Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
    const bool IsSeen = Callee && !isa<CXXOperatorCallExpr>(Call) && (!Method || !Method->isVirtual());
    for (unsigned I = 0; IsSeen && I != Callee->getNumParams() && I != Call->getNumArgs(); ++I)
      if (namedArray(Call->getArg(I), U.context()) == Host)
        if (const std::optional<Combining> Does = combining(*Callee, Callee->getParamDecl(I))) {
          const Expr* Number = Does->Count ? Call->getArg(Does->Count->getFunctionScopeIndex()) : nullptr;
          noteCombining(Call->getArg(I), isCopied(Number, Does->Operation, Before, Host, By));
        }
    if (S && !isa<CompoundStmt, ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, LambdaExpr>(S) && !(Member && mayCallRegion(S)))
      for (const Stmt* Child : S->children())
        knowCalls(Child, Before, Host, By);
  }

  /// What a function combines of an array that it is handed, which it does nothing else with.
  struct Combining {
    /// How many elements; null for all.
    const ParmVarDecl* Count = nullptr;
    Keyword Operation = Keyword::Plus;
  };
  std::optional<Combining> combining(const FunctionDecl& F, const ParmVarDecl* Array) const {
    const VariableChanges Changes(F.getBody());
    std::optional<Combining> Found;
    References Others(F.getBody());
    auto Take = [&](const Expr* Number, Keyword Operation, std::initializer_list<const Stmt*> Parts) {
      const bool All = !Number || isSizeOf(*Number, Array);
      const auto* Count = All ? nullptr : dyn_cast_or_null<ParmVarDecl>(namedVariable(Number));
      if ((!All && (!Count || Changes.changes(Count))) || (Found && (Found->Count != Count || Found->Operation != Operation)))
        return;
      Found = Combining{Count, Operation};
      for (const Stmt* Part : Parts)
        for (const DeclRefExpr* Ref : References(Part).All)
          Others.All.remove(Ref);
    };
    for (const HostStatements::LoopBehind& Each : HostStatements(F.getBody()).Loops)
      for (const AddedElements& Added : addedElements(*Each.Loop, Each.inBlock(), U.context(), /*Outside=*/true))
        if (Added.Array == Array)
          Take(Added.Sum.Count, Added.Sum.Operation, {Each.Loop, Added.Sum.First});
    struct WholeArrays : DynamicRecursiveASTVisitor {
      bool VisitCXXForRangeStmt(CXXForRangeStmt* Range) override {
        Ranges.push_back(Range);
        return true;
      }
      bool VisitExpr(Expr* E) override {
        if (const std::optional<AccumulateCall> Sum = accumulateCall(*E))
          Calls.push_back({E, *Sum});
        return true;
      }
      std::vector<const CXXForRangeStmt*> Ranges;
      std::vector<std::pair<const Expr*, AccumulateCall>> Calls;
    } Whole;
    Whole.TraverseStmt(F.getBody());
    for (const CXXForRangeStmt* Range : Whole.Ranges)
      for (const AddedElements& Added : addedElements(*Range, {}, U.context()))
        if (Added.Array == Array)
          Take(nullptr, Added.Sum.Operation, {Range});
    for (const auto& [E, Sum] : Whole.Calls)
      if (namedArray(Sum.Array, U.context()) == Array)
        Take(Sum.Count, Sum.Operation, {E});
    return (Array->getType()->isPointerType() && Changes.changes(Array)) || Others.mention(Array) ? std::nullopt : Found;
  }

  /// Whether a function changes members of the object that an expression names.
  static bool changesMembersOf(const Expr& E, const FunctionDecl& By) {
    ChangeFinder Changes;
    Changes.TraverseStmt(By.getBody());
    auto IsChanged = [&](auto& Self, const Stmt* S) -> bool {
      const auto* Of = dyn_cast_or_null<MemberExpr>(S);
      const auto* Field = Of && isa<CXXThisExpr>(Of->getBase()->IgnoreParenImpCasts()) ? dyn_cast<FieldDecl>(Of->getMemberDecl()) : nullptr;
      return (Field && (Changes.OfObject.count(Field) || Changes.OfObject.count(nullptr))) ||
             (S && llvm::any_of(S->children(), [&](const Stmt* Child) { return Self(Self, Child); }));
    };
    return IsChanged(IsChanged, &E);
  }

  /// Functions of the program, but checks for errors, may run a region for the same object.
  bool mayCallRegion(const Stmt* S) const {
    llvm::SmallPtrSet<const FunctionDecl*, 8> Seen;
    return mayCallRegion(S, Seen);
  }
  bool mayCallRegion(const Stmt* S, llvm::SmallPtrSetImpl<const FunctionDecl*>& Seen) const {
    const auto* Call = dyn_cast_or_null<CallExpr>(S);
    if (Call && !isa<CUDAKernelCallExpr>(Call) && !checkedError(Call, U.sources())) {
      const FunctionDecl* Callee = Call->getDirectCallee();
      const FunctionDecl* Definition = Callee ? Callee->getDefinition() : nullptr;
      const auto* Method = dyn_cast_or_null<CXXMethodDecl>(Definition);
      if (!Callee || (!U.sources().isInSystemHeader(Callee->getLocation()) && (!Definition || (Method && Method->isVirtual()))))
        return true;
      if (Definition && !U.sources().isInSystemHeader(Callee->getLocation()) && Seen.insert(Definition).second &&
          (mayCallRegion(Definition->getBody(), Seen) || llvm::any_of(U.Regions, [&](const Region& Each) { return contains(Definition->getBody(), Each.Loop); })))
        return true;
    }
    return S && llvm::any_of(S->children(), [&](const Stmt* Child) { return mayCallRegion(Child, Seen); });
  }

  /// A copy to it, or a function that does nothing else with it either.
  bool keepsFrom(const CallExpr& Call, const Stmt* Argument, const ValueDecl* Host) {
    const auto Index = static_cast<unsigned>(llvm::find(Call.arguments(), Argument) - Call.arg_begin());
    if (Index == Call.getNumArgs() || namedArray(Call.getArg(Index), U.context()) != Host)
      return false;
    if (isCopyToHost(Call))
      return Index == 0;
    const FunctionDecl* Callee = Call.getDirectCallee() ? Call.getDirectCallee()->getDefinition() : nullptr;
    const auto* Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
    if (!Callee || isa<CXXOperatorCallExpr>(Call) || (Method && Method->isVirtual()) || Index >= Callee->getNumParams())
      return false;
    if (Followed.insert(Callee->getParamDecl(Index)).second) {
      llvm::SaveAndRestore Outer(Passed, Passed);
      for (unsigned I = 0; I != Callee->getNumParams() && I != Call.getNumArgs(); ++I)
        Passed[Callee->getParamDecl(I)] = Call.getArg(I);
      visit(Callee->getBody(), Callee->getParamDecl(Index), Callee);
      Followed.erase(Callee->getParamDecl(Index)); // another call may pass another array of the device
    }
    if (!std::exchange(Found, nullptr))
      return true;
    if (Why == BlockNumbersProblem::NotCopied)
      NotCopied.insert(Argument);
    return false;
  }

  const Region& R;
  const Unit& U;
  const FieldDecl* Member;
  std::int64_t ElementBytes;
  llvm::SmallPtrSet<const Stmt*, 8> Known;
  /// What arrays of the device regions combine, and how.
  std::vector<std::pair<const ValueDecl*, Keyword>> InRegions;
  /// What would be known behind a copy.
  llvm::SmallPtrSet<const Stmt*, 8> NotCopied;
  llvm::SmallPtrSet<const ParmVarDecl*, 4> Followed;
  static constexpr unsigned MostCalls = 16;
  /// What the function that is followed has got for its parameters.
  llvm::DenseMap<const ValueDecl*, const Expr*> Passed;
  BlockNumbersProblem Unknown = BlockNumbersProblem::HostNames;
  const Expr* Found = nullptr;
};

/// A variable of the function, or a member that nothing but functions of its class can name, all of which are to be seen.
bool isOwn(const ValueDecl* Host, const SourceManager& Sources) {
  const auto* Member = dyn_cast<FieldDecl>(Host);
  if (!Member) {
    const auto* V = cast<VarDecl>(Host);
    return V->hasLocalStorage() && !isa<ParmVarDecl>(V) && !V->getType()->isReferenceType();
  }
  const auto* Class = cast<CXXRecordDecl>(Member->getParent());
  // Of a template, what is not instantiated here is not run, unless another translation unit has it, too.
  const bool IsInstance = isa<ClassTemplateSpecializationDecl>(Class);
  const auto IsSeen = [&](const CXXMethodDecl* Method) {
    return IsInstance || Method->getDefinition() || Method->isImplicit() || Method->isDefaulted() || Method->isDeleted();
  };
  return Member->getAccess() == AS_private && !Class->hasFriends() && !Class->isTemplated() &&
         (!IsInstance || Sources.isInMainFile(Sources.getExpansionLoc(Class->getLocation()))) &&
         llvm::all_of(Class->methods(), IsSeen) && llvm::none_of(Class->decls(), [](const Decl* D) {
           const auto* Inner = dyn_cast<CXXRecordDecl>(D);
           return isa<FunctionTemplateDecl, ClassTemplateDecl>(D) || (Inner && !Inner->isInjectedClassName() && Inner->hasDefinition() && !Inner->methods().empty());
         });
}

const Expr* initialValue(const ValueDecl* Host) {
  const auto* Member = dyn_cast<FieldDecl>(Host);
  return Member ? Member->getInClassInitializer() : cast<VarDecl>(Host)->getInit();
}

} // namespace

bool isMemoryOf(const Stmt* S, const VarDecl* Host, const ASTContext& Context) {
  return llvm::any_of(S->children(), [&](const Stmt* Child) { return givesMemory(S, Child, Host, Context); });
}

bool copiesToHost(const Stmt* S, const Expr& Pointer, const ASTContext& Context) {
  return llvm::any_of(HostStatements(S).Copies, [&](const CallExpr* Copy) {
    return isSameText(*Copy->getArg(1)->IgnoreParenCasts(), Pointer, Context);
  });
}

bool isReadByHost(const Region& R, const VarDecl* Array, const ASTContext& Context) {
  const HostStatements Found(R.Statement);
  return !Found.copiesOf(Array).empty() || llvm::any_of(Found.Loops, [&](const auto& Each) {
           return llvm::any_of(addedElements(*Each.Loop, Each.inBlock(), Context), [&](const AddedElements& Added) { return Added.Array == placeOf(Array); });
         });
}

std::variant<CombinedByHost, RejectedHostSums> findHostSums(Region& R, const VarDecl* Array, const Unit& U) {
  const ASTContext& Context = U.context();
  const HostStatements Found(R.Statement);
  const std::vector<const CallExpr*> Copies = Found.copiesOf(Array);
  const size_t From = R.Reductions.size();
  auto Wrong = [](SourceLocation Where, BlockNumbersProblem Why, const ValueDecl* Host) { return RejectedHostSums{Why, Where, Host ? Host->getNameAsString() : ""}; };
  llvm::SmallPtrSet<const CallExpr*, 4> AddedUp;
  std::optional<Keyword> Operation;
  QualType Wider;
  for (const HostStatements::LoopBehind& Behind : Found.Loops) {
    const ForStmt* Loop = Behind.Loop;
    for (AddedElements& Added : addedElements(*Loop, Behind.inBlock(), Context)) {
      if (Added.Array != placeOf(Array)) {
        Added.Array = hostArray(R, Added.Array);
        if (llvm::none_of(Copies, [&](const CallExpr* Copy) { return hostArray(R, *Copy, Context) == Added.Array; }))
          continue;
        const CallExpr* Copy = lastCopy(Behind.Before, Found.Copies, Added.Array, R, Context);
        if (!Copy)
          return Wrong(Loop->getBeginLoc(), BlockNumbersProblem::NotBehindCopy, Added.Array);
        if (namedPointer(Copy->getArg(1)) != Array)
          continue;
        // Others may look at what a parameter or a static variable leads to.
        if (!isOwn(Added.Array, U.sources()))
          return Wrong(Copy->getBeginLoc(), BlockNumbersProblem::HostNotOwn, Added.Array);
        if (!hasOwnMemory(Added.Array->getType(), initialValue(Added.Array), Context))
          return Wrong(Copy->getBeginLoc(), BlockNumbersProblem::HostMemory, Added.Array);
        OtherUses Others(R, U, Added.Array, Added.Element);
        if (const Expr* Other = Others.find(Added.Array))
          return RejectedHostSums{Others.Why, Other->getExprLoc(), Others.Name};
        if (const auto* V = dyn_cast<VarDecl>(Added.Array); V && R.declares(V) && !V->getType()->isArrayType())
          R.HostArrays.insert(V);
        Added.Sum.Copy = Copy;
        AddedUp.insert(Copy);
      }
      const QualType Total = Added.Sum.Total->getType().getUnqualifiedType();
      if (Operation && *Operation != Added.Sum.Operation)
        return Wrong(Loop->getBeginLoc(), BlockNumbersProblem::NotAddedUp, Added.Array);
      Operation = Added.Sum.Operation;
      const bool IsWider = isDoubleOfFloat(Total, Added.Element);
      if ((!IsWider && !Context.hasSameUnqualifiedType(Total, Added.Element)) ||
          !Context.hasSameUnqualifiedType(Added.Element, Array->getType().getNonReferenceType()->getPointeeType()))
        return Wrong(Loop->getBeginLoc(), BlockNumbersProblem::OtherType, nullptr);
      if (IsWider && Operation == Keyword::Plus)
        Wider = Total;
      Added.Sum.From = From;
      R.HostSums.push_back(Added.Sum);
    }
  }
  for (const CallExpr* Copy : Copies)
    if (!AddedUp.contains(Copy)) {
      const ValueDecl* To = hostArray(R, *Copy, Context);
      const auto* V = dyn_cast_or_null<VarDecl>(To);
      if (!To || (V && isObjectValue(V))) // of a member of a variable
        return RejectedHostSums{BlockNumbersProblem::HostNotOwn, Copy->getBeginLoc(),
                                V ? V->getNameAsString() : textOf(Copy->getArg(0)->IgnoreParenCasts(), Context)};
      return Wrong(Copy->getBeginLoc(), BlockNumbersProblem::NotAddedUp, To);
    }
  return CombinedByHost{Operation.value_or(Keyword::Plus), Wider};
}

const ForStmt* partlyCombined(const Region& R, const ASTContext& Context) {
  for (const HostStatements::LoopBehind& Each : HostStatements(R.Statement).Loops) {
    const auto Combined = llvm::count_if(R.HostSums, [&](const HostSum& Sum) { return Sum.Loop == Each.Loop; });
    if (Combined != 0 && static_cast<size_t>(Combined) != addedElements(*Each.Loop, Each.inBlock(), Context).size())
      return Each.Loop;
  }
  return nullptr;
}

} // namespace gpurma
