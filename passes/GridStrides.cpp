// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/GridStrides.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "passes/AccessAnalysis.h"
#include "passes/CallVisitor.h"
#include "passes/CombinedValues.h"
#include "passes/FunctionCopies.h"
#include "passes/ThreadCooperation.h"
#include "passes/VariableChanges.h"
#include "passes/VariableUses.h"

#include "clang/AST/Attr.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace clang;

namespace gpurma {
namespace {

/// gridDim and the variables that are computed from it, what they are used for but steps of loops, and what they move.
class GridSizeUses : public DynamicRecursiveASTVisitor {
public:
  explicit GridSizeUses(const Stmt* Body) {
    size_t Known = 0;
    do { // variables that hold a step come before the loops that use them
      Known = Steps.size();
      Others.clear();
      TraverseStmt(const_cast<Stmt*>(Body));
    } while (Steps.size() != Known);
  }

  bool TraverseVarDecl(VarDecl* V) override {
    if (V->getType()->isIntegerType() && V->getInit() && mentions(V->getInit())) {
      Steps.insert(V);
      return true;
    }
    return DynamicRecursiveASTVisitor::TraverseVarDecl(V);
  }
  bool TraverseStmt(Stmt* S) override {
    const bool IsLoop = S && isa<ForStmt, WhileStmt, DoStmt>(S);
    Depth += IsLoop;
    const bool Continue = DynamicRecursiveASTVisitor::TraverseStmt(S);
    Depth -= IsLoop;
    return Continue;
  }
  bool TraverseCompoundAssignOperator(CompoundAssignOperator* E) override {
    const auto* Moved = dyn_cast<DeclRefExpr>(E->getLHS()->IgnoreParens());
    if (E->getOpcode() != BO_AddAssign || !Moved || Depth == 0)
      return DynamicRecursiveASTVisitor::TraverseCompoundAssignOperator(E);
    if (mentions(E->getRHS()))
      Moves.insert(Moved);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* E) override {
    if (isStep(E->getDecl()))
      Others.push_back(E);
    return true;
  }

  std::vector<const Expr*> Others;
  /// The i of `i += gridDim.x * blockDim.x`.
  llvm::SmallPtrSet<const DeclRefExpr*, 4> Moves;

private:
  bool isStep(const ValueDecl* D) const {
    const auto* V = dyn_cast<VarDecl>(D);
    return V && (Steps.count(V) || (isIndexVariable(V) && V->getName() == "gridDim"));
  }
  bool mentions(const Stmt* S) const {
    if (const auto* Ref = dyn_cast_or_null<DeclRefExpr>(S))
      return isStep(Ref->getDecl());
    if (const auto* Opaque = dyn_cast_or_null<OpaqueValueExpr>(S)) // of a property in CUDA's headers
      return mentions(Opaque->getSourceExpr());
    return S && llvm::any_of(S->children(), [&](const Stmt* Child) { return mentions(Child); });
  }

  std::set<const VarDecl*> Steps;
  /// How many loops are around.
  unsigned Depth = 0;
};

/// Uses of which block along a dimension a thread is of, but for what goes on by whole grids from there.
class BlockUses : public DynamicRecursiveASTVisitor {
public:
  BlockUses(const Stmt* Body, const std::set<const Stmt*>& Loops, unsigned Dimension, const GridLoops& Moves, const ASTContext& Context)
      : Loops(Loops), Dimension(Dimension), Moves(Moves), Context(Context) {
    size_t Known = 0;
    do { // variables of which others are computed come before them
      Known = Depending.size();
      Other = nullptr;
      TraverseStmt(const_cast<Stmt*>(Body));
    } while (Depending.size() != Known);
  }
  const Expr* other() const { return Other; }

  bool TraverseStmt(Stmt* S) override {
    if (std::optional<IndexMember> Index = isa_and_nonnull<Expr>(S) ? indexMember(cast<Expr>(S)) : std::nullopt;
        Index && Index->Dimension != Dimension)
      return true;
    const bool Entered = S && Loops.count(S);
    if (Entered)
      Around.push_back(S);
    const bool Continue = DynamicRecursiveASTVisitor::TraverseStmt(S);
    if (Entered)
      Around.pop_back();
    return Continue;
  }
  bool TraverseVarDecl(VarDecl* V) override { return begins(V, V->getInit()) || DynamicRecursiveASTVisitor::TraverseVarDecl(V); }
  bool TraverseBinaryOperator(BinaryOperator* E) override {
    const auto* V = E->getOpcode() == BO_Assign ? namedVariable(E->getLHS()) : nullptr;
    return (V && begins(V, E->getRHS())) || DynamicRecursiveASTVisitor::TraverseBinaryOperator(E);
  }
  /// Threads that have no row, at which all loops end at once.
  bool TraverseIfStmt(IfStmt* If) override {
    const Stmt* Then = If->getThen();
    if (const auto* Block = dyn_cast<CompoundStmt>(Then); Block && Block->size() == 1)
      Then = Block->body_front();
    const bool Returns = isa<ReturnStmt>(Then) && !If->getElse() && !If->getConditionVariable() && !If->getInit();
    if (!Returns)
      return DynamicRecursiveASTVisitor::TraverseIfStmt(If);
    llvm::SmallVector<Expr*, 4> Conditions = {If->getCond()};
    while (!Conditions.empty()) {
      Expr* Each = Conditions.pop_back_val()->IgnoreParenImpCasts();
      if (auto* Or = dyn_cast<BinaryOperator>(Each); Or && Or->getOpcode() == BO_LOr)
        Conditions.append({Or->getLHS(), Or->getRHS()});
      else if (!endsLoops(*Each))
        TraverseStmt(Each);
    }
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    if (depends(Ref->getDecl()) && !goesOn(Ref->getDecl()) && (!Other || Ref->getLocation() < Other->getLocation()))
      Other = Ref;
    return true;
  }

private:
  bool depends(const ValueDecl* D) const {
    return Depending.contains(D) || (isIndexVariable(D) && D->getName() == "blockIdx");
  }
  bool goesOn(const ValueDecl* D) const {
    return llvm::any_of(Around, [&](const Stmt* Loop) { return Moves.count({Loop, dyn_cast<VarDecl>(D)}) != 0; });
  }
  bool mentions(const Stmt* S) const {
    if (const auto* E = dyn_cast_or_null<Expr>(S))
      if (std::optional<IndexMember> Index = indexMember(E))
        return Index->Dimension == Dimension && depends(Index->Variable->getDecl());
    if (const auto* Ref = dyn_cast_or_null<DeclRefExpr>(S))
      return depends(Ref->getDecl()) && !goesOn(Ref->getDecl());
    return S && llvm::any_of(S->children(), [&](const Stmt* Child) { return mentions(Child); });
  }
  /// Of a number or a pointer that is computed from such. In CUDA's headers blockIdx.x is a call.
  bool begins(const VarDecl* V, const Expr* Value) {
    if (!(V->getType()->isIntegerType() || V->getType()->isPointerType()) || V->hasGlobalStorage() || !Value ||
        Value->HasSideEffects(Context, /*IncludePossibleEffects=*/false) || !mentions(Value))
      return false;
    Depending.insert(V);
    return true;
  }
  /// `y >= ny` of loops that go on as long as `y < ny`.
  bool endsLoops(const Expr& E) const {
    const auto* Ends = dyn_cast<BinaryOperator>(&E);
    return Ends && Ends->getOpcode() == BO_GE && llvm::all_of(Loops, [&](const Stmt* Loop) {
      const auto* For = dyn_cast<ForStmt>(Loop);
      const auto* While = dyn_cast<WhileStmt>(Loop);
      const Expr* Cond = For ? For->getCond() : While ? While->getCond() : nullptr;
      const auto* Goes = Cond ? dyn_cast<BinaryOperator>(Cond->IgnoreParenImpCasts()) : nullptr;
      return Goes && Goes->getOpcode() == BO_LT && isSameText(*Goes->getLHS(), *Ends->getLHS(), Context) && isSameText(*Goes->getRHS(), *Ends->getRHS(), Context);
    });
  }

  const std::set<const Stmt*>& Loops;
  const unsigned Dimension;
  const GridLoops& Moves;
  const ASTContext& Context;
  llvm::SmallPtrSet<const ValueDecl*, 8> Depending;
  /// The loops that are being visited.
  llvm::SmallVector<const Stmt*, 4> Around;
  const DeclRefExpr* Other = nullptr;
};

/// The calls that a kernel makes itself and in functions, and what it assigns to, but for what it does in some of its statements.
class UpdatesOutside : public CallVisitor {
public:
  UpdatesOutside(const FunctionDecl* Kernel, const std::set<const Stmt*>& Without) : Without(Without) {
    enter(Kernel);
    visitEntered();
  }
  bool TraverseStmt(Stmt* S) override { return Without.count(S) || CallVisitor::TraverseStmt(S); }
  bool VisitCallExpr(CallExpr* Call) override {
    All.insert(Call);
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* E) override {
    if (E->isAssignmentOp())
      All.insert(E->getLHS());
    return true;
  }
  llvm::SmallPtrSet<const Expr*, 16> All;

private:
  const std::set<const Stmt*>& Without;
};

class Checker {
public:
  Checker(const FunctionDecl* Kernel, const std::set<const Stmt*>& Loops, unsigned Dimension, const GridLoops& Moves, const GridLoops& Stores,
          ASTContext& Context)
      : Kernel(Kernel), Loops(Loops), Dimension(Dimension), Moves(Moves), Stores(Stores), Context(Context), Everywhere(Kernel->getBody()),
        Shown(Kernel->getBody()), Uses(Kernel->getBody()) {
    for (const Stmt* Loop : Loops) {
      const References Named(Loop);
      Inside.insert(Named.All.begin(), Named.All.end());
    }
  }

  std::optional<RejectedRowLoop> run(ArrayRef<AtomicReduction> Reductions) {
    for (const Stmt* Loop : Loops)
      if (const Stmt* Exit = exitOf(bodyOf(Loop)))
        return RejectedRowLoop{RowLoopProblem::Left, Exit->getBeginLoc(), {}};
    CombinedValues Sums(Kernel, std::vector<const Stmt*>(Loops.begin(), Loops.end()), Context);
    for (const auto& [V, Where] : changed()) {
      bool Hidden = !Shown.Variables.contains(V) && !V->getType()->isReferenceType();
      if (!(Hidden && (isMoved(V) || isForgotten(V))) && !Sums.add(V))
        return RejectedRowLoop{RowLoopProblem::Carried, Where, V->getName().str()};
    }
    const Expr* Other = Sums.follow();
    if (!Other)
      Other = Sums.usedInParts();
    if (Other)
      return RejectedRowLoop{RowLoopProblem::Carried, Other->getExprLoc(), usedName(Other).str()};
    if (const Expr* Number = BlockUses(Kernel->getBody(), Loops, Dimension, Moves, Context).other())
      return RejectedRowLoop{RowLoopProblem::OfBlock, Number->getExprLoc(), usedName(Number).str()};
    const UpdatesOutside Outside(Kernel, Loops);
    for (const AtomicReduction& R : Reductions)
      if (Outside.All.contains(R.Where) && !Sums.isUpdate(R.Where))
        return RejectedRowLoop{RowLoopProblem::UpdatedOutside, R.Where->getExprLoc(), R.Scalar->getName().str()};
    return std::nullopt;
  }

private:
  bool before(SourceLocation A, SourceLocation B) const {
    const SourceManager& Sources = Context.getSourceManager();
    return Sources.isBeforeInTranslationUnit(Sources.getFileLoc(A), Sources.getFileLoc(B));
  }

  bool isWithin(SourceLocation Where, const Stmt* Loop) const {
    return !before(Where, Loop->getBeginLoc()) && !before(Loop->getEndLoc(), Where);
  }

  /// Variables that live longer than a loop, and that it may change, in the order of the text.
  std::vector<std::pair<const VarDecl*, SourceLocation>> changed() const {
    std::map<const VarDecl*, SourceLocation> Found;
    auto Note = [&](const VarDecl* V, SourceLocation Where) {
      auto [It, New] = Found.emplace(V, Where);
      if (!New && before(Where, It->second))
        It->second = Where;
    };
    for (const Stmt* Loop : Loops) {
      const References Named(Loop);
      const PureReads Pure(Loop);
      auto Outlives = [&](const VarDecl* V) {
        return V && !isWithin(V->getLocation(), bodyOf(Loop)) && (V->hasAttr<CUDASharedAttr>() || !V->hasGlobalStorage()) &&
               V->getDeclContext() == Kernel && !V->getType().isConstQualified() &&
               !Context.getBaseElementType(V->getType()).isConstQualified();
      };
      for (const DeclRefExpr* Ref : Named.All)
        if (const auto* V = dyn_cast<VarDecl>(Ref->getDecl()); !Pure.contains(Ref) && Outlives(V))
          Note(V, Ref->getLocation());
      for (const auto& [V, Field] : changedMembers(Loop))
        if (Outlives(V))
          Found.emplace(V, Loop->getBeginLoc());
      // Without its name.
      for (const auto& [In, V] : Stores) {
        if (In == Loop && Outlives(V))
          Found.emplace(V, Loop->getBeginLoc());
        for (const ValueDecl* Each : Shown.Variables)
          if (const auto* Any = dyn_cast<VarDecl>(Each); In == Loop && !V && Outlives(Any))
            Found.emplace(Any, Loop->getBeginLoc());
      }
    }
    std::vector<std::pair<const VarDecl*, SourceLocation>> Ordered(Found.begin(), Found.end());
    llvm::sort(Ordered, [&](const auto& A, const auto& B) { return before(A.second, B.second); });
    return Ordered;
  }

  bool usedBehind(const VarDecl* V) const {
    return llvm::any_of(Everywhere.All, [&](const DeclRefExpr* Ref) {
      return Ref->getDecl() == V && !Inside.contains(Ref) &&
             llvm::any_of(Loops, [&](const Stmt* Loop) { return before(Loop->getBeginLoc(), Ref->getLocation()); });
    });
  }

  /// The index of a loop, and what goes on with it: where it goes is known of each subscript.
  bool isMoved(const VarDecl* V) const {
    if (!(V->getType()->isIntegerType() || V->getType()->isPointerType()) || usedBehind(V))
      return false;
    return llvm::all_of(Loops, [&](const Stmt* Loop) {
      const auto* For = dyn_cast<ForStmt>(Loop);
      const References Named(Loop), Start(For ? For->getInit() : nullptr);
      const PureReads Pure(Loop);
      return llvm::all_of(Named.All, [&](const DeclRefExpr* Ref) {
        return Ref->getDecl() != V || Pure.contains(Ref) || (Uses.Moves.contains(Ref) && Moves.count({Loop, V})) || Start.All.contains(Ref);
      });
    });
  }

  /// Nothing that an iteration leaves in it is used: each begins with another value. What threads share, and nobody uses
  /// outside of the loops, they have stored in the iteration.
  bool isForgotten(const VarDecl* V) const {
    if (llvm::any_of(Everywhere.All, [&](const DeclRefExpr* Ref) { return Ref->getDecl() == V && !Inside.contains(Ref); }))
      return false;
    return V->hasAttr<CUDASharedAttr>() || llvm::all_of(Loops, [&](const Stmt* Loop) {
      const References InBody(bodyOf(Loop)), InLoop(Loop);
      auto OfVariable = [&](const References& Named) {
        return llvm::count_if(Named.All, [&](const DeclRefExpr* Ref) { return Ref->getDecl() == V; });
      };
      return OfVariable(InLoop) == OfVariable(InBody) && (!InBody.mention(V) || assignedFirst(bodyOf(Loop), V));
    });
  }

  const FunctionDecl* Kernel;
  const std::set<const Stmt*>& Loops;
  const unsigned Dimension;
  const GridLoops& Moves;
  const GridLoops& Stores;
  ASTContext& Context;
  const References Everywhere;
  const Exposed Shown;
  const GridSizeUses Uses;
  llvm::SmallPtrSet<const DeclRefExpr*, 32> Inside;
};

} // namespace

bool movesByGridSize(const FunctionDecl* Kernel) { return !GridSizeUses(Kernel->getBody()).Moves.empty(); }

const Expr* otherUseOfGridSize(const FunctionDecl* Kernel, ASTContext& Context) {
  const GridSizeUses Uses(Kernel->getBody());
  if (!Uses.Others.empty())
    return Uses.Others.front();
  const FunctionCopies Copies = findFunctionCopies(Kernel, OwnNames(), Context);
  return Copies.Calls.empty() ? nullptr : Copies.Calls.front();
}

std::optional<RejectedRowLoop> dependenceOnGridSize(const FunctionDecl* Kernel, const std::set<const Stmt*>& Loops, unsigned Dimension,
                                                    const GridLoops& Moves, const GridLoops& Stores, ArrayRef<AtomicReduction> Reductions,
                                                    ASTContext& Context) {
  return Checker(Kernel, Loops, Dimension, Moves, Stores, Context).run(Reductions);
}

} // namespace gpurma
