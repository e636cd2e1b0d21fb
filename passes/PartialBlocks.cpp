// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/PartialBlocks.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "passes/AccessAnalysis.h"
#include "passes/CombinedValues.h"
#include "passes/FunctionCopies.h"
#include "passes/KernelMembers.h"
#include "passes/ThreadCooperation.h"
#include "passes/VariableChanges.h"
#include "passes/VariableUses.h"

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace gpurma {
namespace {

/// What is done for elements only: `if (condition) part`, `condition ? part : 0`, and loops.
struct Guarded {
  const Stmt* Whole = nullptr;
  const Expr* Condition = nullptr;
  std::vector<const Stmt*> Parts;
  bool InLoop = false;
};

class Declared : public DynamicRecursiveASTVisitor {
public:
  bool VisitVarDecl(VarDecl* V) override {
    Variables.insert(V);
    return true;
  }
  bool VisitCallExpr(CallExpr* Call) override {
    Updates.insert(Call);
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* E) override {
    if (E->isAssignmentOp())
      Updates.insert(E->getLHS());
    return true;
  }
  llvm::SmallPtrSet<const VarDecl*, 16> Variables;
  /// Calls, and what is assigned to.
  llvm::SmallPtrSet<const Expr*, 16> Updates;
};

/// Visits references, with the statements around each.
class WithParents : public DynamicRecursiveASTVisitor {
public:
  bool TraverseStmt(Stmt* S) override {
    Parents.push_back(S);
    bool Continue = DynamicRecursiveASTVisitor::TraverseStmt(S);
    Parents.pop_back();
    return Continue;
  }

protected:
  /// The outermost first; null for an empty part of a statement.
  llvm::SmallVector<const Stmt*, 32> Parents;
};

/// Whether control leaves a statement but at its end.
bool leaves(const Stmt* S, bool InLoop) {
  if (!S || isa<LambdaExpr>(S))
    return false;
  if (isa<ReturnStmt, GotoStmt, IndirectGotoStmt>(S) || (!InLoop && isa<BreakStmt, ContinueStmt>(S)))
    return true;
  InLoop |= isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S);
  return llvm::any_of(S->children(), [&](const Stmt* Child) { return leaves(Child, InLoop); });
}

const Expr* conditionOf(const Stmt* Loop) {
  if (const auto* For = dyn_cast<ForStmt>(Loop))
    return For->getConditionVariable() ? nullptr : For->getCond();
  const auto* While = dyn_cast<WhileStmt>(Loop);
  return While && !While->getConditionVariable() ? While->getCond() : nullptr;
}

/// The `i += step` at the end of `while (i < n) { ...; i += step; }`; null of others.
const Stmt* lastStep(const Stmt* Loop) {
  const auto* While = dyn_cast<WhileStmt>(Loop);
  const auto* Block = While ? dyn_cast<CompoundStmt>(While->getBody()) : nullptr;
  return Block && !Block->body_empty() ? Block->body_back() : nullptr;
}

/// Whether one iteration after the other has one value of a variable.
bool keeps(const Stmt* Loop, const VarDecl* V) {
  const Stmt* Last = lastStep(Loop);
  if (!Last)
    return isa<ForStmt>(Loop) && !VariableChanges(bodyOf(Loop)).changes(V);
  return llvm::all_of(cast<CompoundStmt>(bodyOf(Loop))->body(), [&](const Stmt* S) { return S == Last || !VariableChanges(S).changes(V); });
}

/// The index of a loop `i < n`, of which all else is the same in each iteration.
const VarDecl* indexOf(const Stmt* Loop) {
  const Expr* Condition = conditionOf(Loop);
  const auto* Compare = Condition ? dyn_cast<BinaryOperator>(Condition->IgnoreParenImpCasts()) : nullptr;
  if (!Compare || !Compare->isRelationalOp())
    return nullptr;
  bool Below = Compare->getOpcode() == BO_LT || Compare->getOpcode() == BO_LE;
  const Expr *Index = Compare->getLHS(), *Bound = Compare->getRHS();
  if (!Below)
    std::swap(Index, Bound);
  const VarDecl* V = namedVariable(Index);
  if (!V || !keeps(Loop, V) || exitOf(bodyOf(Loop)))
    return nullptr;
  const VariableChanges InLoop(Loop);
  bool BoundChanges = llvm::any_of(namedVariables(Bound), [&](const VarDecl* Named) { return InLoop.changes(Named); });
  return BoundChanges || !changedMembers(Bound).empty() ? nullptr : V;
}

/// What may be changed through a variable without naming it.
bool leadsElsewhere(QualType Type) {
  if (Type->isPointerType() || Type->isReferenceType())
    return !Type->getPointeeType().isConstQualified() || leadsElsewhere(Type->getPointeeType());
  const auto* Record = Type->getAsCXXRecordDecl();
  return Record && Record->hasDefinition() &&
         (Record->getNumBases() != 0 || llvm::any_of(Record->fields(), [](const FieldDecl* F) { return leadsElsewhere(F->getType()); }));
}

class Checker {
public:
  Checker(const FunctionDecl* Kernel, const std::vector<AtomicReduction>& Reductions, bool GridStrides,
          const GridLoops& GridIndices, ASTContext& Context)
      : Kernel(Kernel), Reductions(Reductions), GridStrides(GridStrides), GridIndices(GridIndices), Context(Context),
        Sources(Context.getSourceManager()) {}

  std::variant<PartialBlocks, RejectedPartialBlocks> run() {
    if (!findGuarded() || !checkIndices() || !checkValues() || !checkFunctions())
      return *Rejected;
    return Result;
  }

private:
  bool reject(PartialBlocksProblem Why, SourceLocation Where, StringRef Name = {}) {
    if (!Rejected)
      Rejected = {Why, Where, Name.str()};
    return false;
  }

  // --- What is done for elements only.

  /// Finds what stands around each use of a parameter that may lead to an array of the region.
  class ArrayUses : public WithParents {
  public:
    explicit ArrayUses(Checker& Of) : Of(Of) {}
    bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
      const auto* P = dyn_cast<ParmVarDecl>(Ref->getDecl());
      bool OfKernel = P && P->getDeclContext() == Of.Kernel && holdsPointers(P->getType()) &&
                      llvm::none_of(Of.Reductions, [&](const AtomicReduction& R) { return R.Scalar == P; });
      if (OfKernel && !find())
        return Of.reject(Of.GridStrides ? PartialBlocksProblem::Loop : PartialBlocksProblem::NoCondition, Ref->getLocation(), P->getName());
      return true;
    }

  private:
    bool find() {
      bool InLoop = false;
      for (size_t I = 0; I + 1 < Parents.size(); ++I) {
        if (!Parents[I])
          continue;
        if (std::optional<Guarded> Found = Of.guardedBy(Parents[I], Parents[I + 1])) {
          Found->InLoop = InLoop;
          if (llvm::none_of(Of.All, [&](const Guarded& Other) { return Other.Whole == Found->Whole; }))
            Of.All.push_back(std::move(*Found));
          return true;
        }
        InLoop |= isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(Parents[I]);
      }
      return false;
    }
    Checker& Of;
  };

  std::optional<Guarded> guardedBy(const Stmt* S, const Stmt* Child) const {
    Guarded Found{S, nullptr, {}};
    const Stmt *First = nullptr, *Second = nullptr;
    bool IsLoop = false;
    const auto* If = dyn_cast<IfStmt>(S);
    if (If && !If->getConditionVariable() && !If->isConstexpr() && (Child == If->getCond() || Child == If->getThen())) {
      Found.Condition = If->getCond();
      First = If->getThen();
    } else if (const auto* Choice = dyn_cast<ConditionalOperator>(S); Choice && Child != Choice->getFalseExpr()) {
      Found.Condition = Choice->getCond();
      First = Choice->getTrueExpr();
    } else if (const auto* While = dyn_cast<WhileStmt>(S); While && !While->getConditionVariable()) {
      Found.Condition = While->getCond();
      First = While->getBody();
      IsLoop = true;
    } else if (const auto* For = dyn_cast<ForStmt>(S); For && For->getCond() && !For->getConditionVariable() && Child != For->getInit()) {
      Found.Condition = For->getCond();
      First = For->getBody();
      Second = For->getInc();
      IsLoop = true;
    }
    if (!Found.Condition || (GridStrides && (!IsLoop || !GridIndices.count({S, indexOf(S)}))))
      return std::nullopt;
    for (const Stmt* Part : {static_cast<const Stmt*>(Found.Condition), First, Second}) {
      if (!Part)
        continue;
      if (leaves(Part, IsLoop) || exchangesValues(Kernel, Part))
        return std::nullopt;
      Found.Parts.push_back(Part);
    }
    if (GridStrides)
      Found.Parts = {S};
    return Found;
  }

  bool findGuarded() {
    ArrayUses(*this).TraverseStmt(Kernel->getBody());
    if (Rejected)
      return false;
    for (const Guarded& Each : All) {
      if (!isTextOfBody(Kernel, Each.Condition->getSourceRange()))
        return reject(PartialBlocksProblem::Text, Each.Condition->getExprLoc());
      if (GridStrides) {
        Result.Loops.emplace_back(Each.Whole, indexOf(Each.Whole));
        InBodies.TraverseStmt(const_cast<Stmt*>(bodyOf(Each.Whole)));
      } else {
        Result.Conditions.push_back(Each.Condition);
      }
      for (const Stmt* Part : Each.Parts) {
        Parts.push_back(Part);
        InParts.TraverseStmt(const_cast<Stmt*>(Part));
      }
    }
    return true;
  }

  // --- Loops by whole grids: a thread has other elements, in another block of another grid.

  class BlockUses : public WithParents {
  public:
    explicit BlockUses(Checker& Of) : Of(Of) {}
    bool VisitVarDecl(VarDecl* V) override {
      const References Init(V->getInit());
      if (!Of.InBodies.Variables.contains(V) && llvm::any_of(Init.All, [&](const DeclRefExpr* Ref) { return depends(Ref->getDecl()); }))
        Depending.insert(V);
      return true;
    }
    bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
      if (depends(Ref->getDecl()) && !mayBeNamed(Ref->getDecl()) && (!Other || Ref->getLocation() < Other->getLocation()))
        Other = Ref;
      return true;
    }
    llvm::SmallPtrSet<const ValueDecl*, 8> Depending;
    const DeclRefExpr* Other = nullptr;

  private:
    bool depends(const ValueDecl* D) const {
      return Depending.contains(D) || (isIndexVariable(D) && (D->getName() == "blockIdx" || D->getName() == "gridDim"));
    }
    bool mayBeNamed(const ValueDecl* D) const {
      for (size_t I = 0; I + 1 < Parents.size(); ++I) {
        if (const auto* Declares = dyn_cast_or_null<DeclStmt>(Parents[I]);
            Declares && llvm::all_of(Declares->decls(), [&](const Decl* Each) {
              const auto* V = dyn_cast<VarDecl>(Each);
              return V && V->getType()->isIntegerType() && !Of.InBodies.Variables.contains(V);
            }))
          return true;
        for (const auto& [Loop, Index] : Of.Result.Loops)
          if (Parents[I] == Loop && (D == Index || Parents[I + 1] != bodyOf(Loop) || isInStep(I, Loop)))
            return true;
      }
      return false;
    }
    bool isInStep(size_t Depth, const Stmt* Loop) const { return Depth + 2 < Parents.size() && Parents[Depth + 2] && Parents[Depth + 2] == lastStep(Loop); }
    Checker& Of;
  };

  bool checkIndices() {
    if (!GridStrides)
      return true;
    BlockUses Uses(*this);
    size_t Known = 0;
    do { // an index that is declared before what it is computed from is none
      Known = Uses.Depending.size();
      Uses.Other = nullptr;
      Uses.TraverseStmt(Kernel->getBody());
    } while (Uses.Depending.size() != Known);
    return !Uses.Other || reject(PartialBlocksProblem::Index, Uses.Other->getLocation(), Uses.Other->getDecl()->getName());
  }

  // --- What they leave behind.

  /// What each element has for itself, unlike what a loop declares besides its index.
  bool isOwn(const VarDecl* V) const { return (GridStrides ? InBodies : InParts).Variables.contains(V); }

  /// Variables from outside that the parts may change, and where.
  std::map<const VarDecl*, SourceLocation> changed() {
    std::map<const VarDecl*, SourceLocation> Changed;
    for (const Stmt* Part : Parts) {
      const References Named(Part);
      const PureReads Pure(Part);
      for (const DeclRefExpr* Ref : Named.All) {
        const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
        if (!V || isOwn(V) || (V->hasGlobalStorage() && !V->hasAttr<CUDASharedAttr>()))
          continue;
        bool OfKernel = isa<ParmVarDecl>(V);
        if (Pure.contains(Ref) ? !OfKernel && leadsElsewhere(V->getType())
                               : !V->getType().isConstQualified() && !Context.getBaseElementType(V->getType()).isConstQualified() &&
                                     !(OfKernel && V->getType()->isPointerType()))
          Changed.emplace(V, Ref->getLocation());
      }
      for (const auto& [V, Field] : changedMembers(Part))
        if (!isOwn(V))
          Changed.emplace(V, Part->getBeginLoc());
    }
    return Changed;
  }

  bool before(SourceLocation A, SourceLocation B) const {
    return Sources.isBeforeInTranslationUnit(Sources.getFileLoc(A), Sources.getFileLoc(B));
  }

  bool isWithin(SourceLocation Loc, const Stmt* S) const {
    return !before(Loc, S->getBeginLoc()) && !before(S->getEndLoc(), Loc);
  }

  bool inParts(const DeclRefExpr* Ref) const {
    return llvm::any_of(Parts, [&](const Stmt* Part) { return References(Part).All.contains(Ref); });
  }

  static const BinaryOperator* onlyStore(const Stmt* S) {
    if (const auto* Block = dyn_cast_or_null<CompoundStmt>(S); Block && Block->size() == 1)
      S = Block->body_front();
    const auto* E = dyn_cast_or_null<Expr>(S);
    const auto* Store = E ? dyn_cast<BinaryOperator>(E->IgnoreParens()) : nullptr;
    return Store && Store->getOpcode() == BO_Assign ? Store : nullptr;
  }

  /// The same of the only statement of several that has to do with a variable, at a place that the others leave as it is.
  static const BinaryOperator* onlyStoreInto(const Stmt* S, const VarDecl* V) {
    const auto* Block = dyn_cast_or_null<CompoundStmt>(S);
    if (!Block)
      return onlyStore(S);
    auto Mentions = [&](const Stmt* Each) { return References(Each).mention(V); };
    auto Found = llvm::find_if(Block->body(), Mentions);
    const BinaryOperator* Store = llvm::count_if(Block->body(), Mentions) == 1 ? onlyStore(*Found) : nullptr;
    const VariableChanges Changed(Block);
    return Store && llvm::none_of(namedVariables(Store->getLHS()), [&](const VarDecl* Each) { return Each != V && Changed.changes(Each); }) ? Store : nullptr;
  }

  /// Of the statements before another in its block, the `part[t] = 0;` that stores into the same place.
  const Stmt* zeroBefore(const Stmt* Later, const Expr* Place, const VarDecl* V) const {
    const CompoundStmt* Block = blockOf(Later);
    if (!Block)
      return nullptr;
    const std::set<const VarDecl*> Named = namedVariables(Place);
    const auto IsChanged = [&](const Stmt* S) {
      const VariableChanges Changed(S);
      return llvm::any_of(Named, [&](const VarDecl* Each) { return Each != V && Changed.changes(Each); });
    };
    if (IsChanged(Later))
      return nullptr;
    for (const Stmt* S : llvm::reverse(llvm::make_range(Block->body_begin(), llvm::find(Block->body(), Later)))) {
      if (const BinaryOperator* Store = onlyStore(S); Store && isSameText(*Store->getLHS(), *Place, Context))
        return CombinedValues::isZero(Store->getRHS(), Context) ? S : nullptr;
      if (References(S).mention(V) || IsChanged(S))
        return nullptr;
    }
    return nullptr;
  }
  const CompoundStmt* blockOf(const Stmt* S) const {
    struct Finder : DynamicRecursiveASTVisitor {
      explicit Finder(const Stmt* S) : S(S) {}
      bool VisitCompoundStmt(CompoundStmt* Block) override {
        if (llvm::is_contained(Block->body(), S))
          Found = Block;
        return !Found;
      }
      const Stmt* S;
      const CompoundStmt* Found = nullptr;
    } Find(S);
    Find.TraverseStmt(Kernel->getBody());
    return Find.Found;
  }

  /// All that is done in parts with a place in memory: a store, or 0.
  struct StoredOrZero {
    const IfStmt* If = nullptr;
    const Stmt* Zero = nullptr; ///< its other branch, or a statement before it
  };
  /// `if (i < n) part[t] = x[i]; else part[t] = 0;`, `part[t] = 0; if (i < n) part[t] = x[i];`.
  StoredOrZero storedOrZero(const VarDecl* V) const {
    for (const Guarded& Each : All) {
      const auto* If = dyn_cast<IfStmt>(Each.Whole);
      const BinaryOperator* Then = If ? onlyStoreInto(If->getThen(), V) : nullptr;
      if (!Then || !References(Then->getLHS()).mention(V) || References(Then->getRHS()).mention(V) || !changedMembers(Then->getLHS()).empty())
        continue;
      if (const BinaryOperator* Else = onlyStore(If->getElse()); Else && CombinedValues::isZero(Else->getRHS(), Context) &&
                                                                 isSameText(*Then->getLHS(), *Else->getLHS(), Context))
        return {If, If->getElse()};
      if (const Stmt* Zero = If->getElse() ? nullptr : zeroBefore(If, Then->getLHS(), V))
        return {If, Zero};
    }
    return {};
  }

  /// It is 0 where a thread has no element, and is not used before all threads are done with theirs.
  bool isSumOfElements(const VarDecl* V) const {
    if (GridStrides || isa<ParmVarDecl>(V) || llvm::any_of(All, [](const Guarded& Each) { return Each.InLoop; }))
      return false;
    const StoredOrZero OrZero = storedOrZero(V);
    bool BeginsWithZero = V->hasLocalStorage() && V->getType()->isArithmeticType() && V->getInit() &&
                          CombinedValues::isZero(V->getInit(), Context);
    const References Everywhere(Kernel->getBody());
    for (const DeclRefExpr* Ref : Everywhere.All) {
      if (Ref->getDecl() != V)
        continue;
      if (inParts(Ref)) {
        if (!BeginsWithZero && !(OrZero.If && isWithin(Ref->getLocation(), OrZero.If)))
          return false;
        continue;
      }
      if (OrZero.If && (isWithin(Ref->getLocation(), OrZero.If) || isWithin(Ref->getLocation(), OrZero.Zero)))
        continue;
      for (const Guarded& Each : All)
        if (!before(Each.Whole->getEndLoc(), Ref->getLocation()))
          return false;
    }
    return BeginsWithZero || OrZero.If;
  }

  /// A variable of each thread for itself that nothing outside of the parts uses.
  bool isForgotten(const VarDecl* V) const {
    if (V->hasAttr<CUDASharedAttr>())
      return false;
    const References Everywhere(Kernel->getBody());
    return llvm::all_of(Everywhere.All, [&](const DeclRefExpr* Ref) { return Ref->getDecl() != V || inParts(Ref); });
  }

  bool isIndex(const VarDecl* V) const {
    return llvm::any_of(Result.Loops, [&](const auto& Each) { return Each.second == V; });
  }

  bool checkValues() {
    CombinedValues Sums(Kernel, Parts, Context);
    const Exposed Shown(Kernel->getBody());
    for (const Guarded& Each : All)
      if (const auto* Choice = dyn_cast<ConditionalOperator>(Each.Whole)) {
        if (!CombinedValues::isZero(Choice->getFalseExpr(), Context))
          return reject(PartialBlocksProblem::Otherwise, Choice->getFalseExpr()->getExprLoc());
        Sums.addChoice(Choice);
      }
    const std::map<const VarDecl*, SourceLocation> Changed = changed();
    for (const auto& [V, Where] : Changed) {
      const bool IsArray = CombinedValues::isNameOfSharedArray(V, Kernel);
      bool Plain = IsArray || (!Shown.Variables.contains(V) && !V->getType()->isReferenceType() && !V->getType()->isPointerType());
      if (Plain && !IsArray && ((GridStrides ? isIndex(V) : true) && isForgotten(V)))
        continue;
      // Also of what has an address, for `atomicAdd(&v, ...)`: nothing else may name it.
      if (Sums.add(V))
        continue;
      if (!Plain || !isSumOfElements(V))
        return reject(PartialBlocksProblem::Kept, Where, V->getName());
      Sums.addSum(V);
    }
    for (const Guarded& Each : All)
      if (const auto* If = dyn_cast<IfStmt>(Each.Whole);
          If && If->getElse() && llvm::none_of(Changed, [&](const auto& Other) { return storedOrZero(Other.first).If == If; }))
        return reject(PartialBlocksProblem::Otherwise, If->getElse()->getBeginLoc());
    if (const Expr* Other = Sums.follow())
      return reject(PartialBlocksProblem::Used, Other->getExprLoc(), usedName(Other));
    if (const DeclRefExpr* Early = Sums.usedInParts())
      return reject(PartialBlocksProblem::Used, Early->getLocation(), Early->getDecl()->getName());
    for (const AtomicReduction& R : Reductions)
      if (!InParts.Updates.contains(R.Where) && !Sums.isUpdate(R.Where))
        return reject(PartialBlocksProblem::Updated, R.Where->getExprLoc(), R.Scalar->getName());
    return true;
  }

  // --- Functions that name the indices.

  bool checkFunctions() {
    if (const FunctionCopies Copies = findFunctionCopies(Kernel, OwnNames{/*Thread=*/true}, Context); Copies.Rejected)
      return reject(PartialBlocksProblem::Function, Copies.Rejected->Where, Copies.Rejected->Function->getNameAsString());
    const FunctionCopies OfGrid = GridStrides ? findFunctionCopies(Kernel, OwnNames(), Context) : FunctionCopies();
    return OfGrid.Functions.empty() ||
           reject(PartialBlocksProblem::Index, OfGrid.Calls.front()->getBeginLoc(), OfGrid.Functions.front()->getNameAsString());
  }

  const FunctionDecl* Kernel;
  const std::vector<AtomicReduction>& Reductions;
  bool GridStrides;
  const GridLoops& GridIndices;
  ASTContext& Context;
  const SourceManager& Sources;
  std::vector<Guarded> All;
  std::vector<const Stmt*> Parts;
  Declared InParts, InBodies;
  PartialBlocks Result;
  std::optional<RejectedPartialBlocks> Rejected;
};

} // namespace

bool PartialBlocks::editsAs(const PartialBlocks& Other) const {
  auto Begins = [](const PartialBlocks& Blocks) {
    std::set<SourceLocation> Found;
    for (const Expr* E : Blocks.Conditions)
      Found.insert(E->getBeginLoc());
    for (const auto& [Loop, Index] : Blocks.Loops)
      Found.insert(Loop->getBeginLoc());
    return Found;
  };
  return Begins(*this) == Begins(Other);
}

std::variant<PartialBlocks, RejectedPartialBlocks> understandPartialBlocks(const FunctionDecl* Kernel,
                                                                           const std::vector<AtomicReduction>& Reductions,
                                                                           bool GridStrides,
                                                                           const GridLoops& GridIndices, ASTContext& Context) {
  return Checker(Kernel, Reductions, GridStrides, GridIndices, Context).run();
}

namespace {

/// Of `for (index = Start; index < End; …)`.
struct LoopBounds {
  const Expr *Start, *End;
};

/// A loop with one condition, on its counter alone, is one that the backend unrolls, so that several loads are under way.
std::optional<LoopBounds> boundsOf(const Stmt* Any, const VarDecl* Index) {
  const auto* Loop = dyn_cast<ForStmt>(Any);
  if (!Loop)
    return std::nullopt;
  auto IsIndex = [&](const Expr* E) {
    const auto* Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
    return Ref && Ref->getDecl() == Index;
  };
  const auto* Declares = dyn_cast_or_null<DeclStmt>(Loop->getInit());
  const auto* Compares = dyn_cast_or_null<BinaryOperator>(Loop->getCond()->IgnoreParenImpCasts());
  if (!Declares || !llvm::is_contained(Declares->decls(), Index) || Index->getInitStyle() != VarDecl::CInit ||
      Index->getTypeSourceInfo()->getType()->getContainedAutoType() || !Compares)
    return std::nullopt;
  bool Below = Compares->getOpcode() == BO_LT && IsIndex(Compares->getLHS());
  if (!Below && !(Compares->getOpcode() == BO_GT && IsIndex(Compares->getRHS())))
    return std::nullopt;
  return LoopBounds{Index->getInit(), Below ? Compares->getRHS() : Compares->getLHS()};
}

} // namespace

void editPartialBlocks(const PartialBlocks& Blocks, EditSet& Edits, const ASTContext& Context) {
  const SourceManager& Sources = Context.getSourceManager();
  const LangOptions& LangOpts = Context.getLangOpts();
  auto Range = [&](SourceRange Tokens) { return *fileRange(Tokens, Sources, LangOpts); };
  for (const Expr* Condition : Blocks.Conditions)
    Edits.wrap(Range(Condition->getSourceRange()), "(gpurma_elements.here() && (", "))");
  for (const auto& [Loop, Index] : Blocks.Loops) {
    if (std::optional<LoopBounds> Bounds = boundsOf(Loop, Index)) {
      Edits.wrap(Range(Bounds->Start->getSourceRange()), "gpurma_elements.from(", ")");
      Edits.wrap(Range(Bounds->End->getSourceRange()), "gpurma_elements.below(", ")");
    } else {
      Edits.wrap(Range(conditionOf(Loop)->getSourceRange()), "(gpurma_elements.reach(" + Index->getNameAsString() + ") && (", "))");
    }
  }
}

} // namespace gpurma
