// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FuseLaunches: which launches of a persistent region run as one stage, a tile of one and then the same tile of the next (horizontal
// and vertical fusion: Filipovic et al., "Optimizing CUDA code by kernel fusion", J. Supercomput. 71, 2015). So ranks wait for each other
// once, and what both read is in the cache the second time.
//
//   flx<<<grid, block>>>(flx, lap, in);       ->  stage flx: flx, then fly
//   fly<<<grid, block>>>(fly, lap, in);
//   out<<<grid, block>>>(out, flx, fly);          no: it reads what other blocks have stored into flx
//
// One follows the other whatever happens, with nothing in between that has to do with arrays or reduced scalars, so that the first one may
// wait for the last. They have the same grid and block, and what one writes none of the others touches but in the same tile. What
// pointers that change places lead to is compared where the launches are: the text is that of one stage, which can also be run
// for each of the launches by itself.
#include "passes/ErrorChecks.h"
#include "passes/HostParts.h"
#include "passes/LocalArrays.h"
#include "passes/Pass.h"
#include "passes/StageFunctions.h"
#include "passes/VariableUses.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "frontend/SourceText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include <list>

using namespace clang;

namespace gpurma {
namespace {

/// printf, also in functions that are called: what one launch prints comes before what the next one does.
class PrintFinder : public DynamicRecursiveASTVisitor {
public:
  explicit PrintFinder(const FunctionDecl* F) { look(F); }
  bool VisitCallExpr(CallExpr* Call) override {
    if (const FunctionDecl* Callee = Call->getDirectCallee()) {
      Found |= identifierOf(Callee) == "printf";
      look(Callee);
    }
    return true;
  }
  bool Found = false;

private:
  void look(const FunctionDecl* F) {
    const FunctionDecl* Definition = nullptr;
    if (F->hasBody(Definition) && Seen.insert(Definition).second)
      TraverseStmt(Definition->getBody());
  }
  llvm::SmallPtrSet<const FunctionDecl*, 8> Seen;
};

/// Calls of CUDA that do something, launches and lambdas.
class DeviceEffectFinder : public DynamicRecursiveASTVisitor {
public:
  explicit DeviceEffectFinder(const Stmt* S) { TraverseStmt(const_cast<Stmt*>(S)); }
  bool VisitCallExpr(CallExpr* Call) override {
    const FunctionDecl* Callee = Call->getDirectCallee();
    Found |= isa<CUDAKernelCallExpr>(Call) || !Callee || (identifierOf(Callee).starts_with("cuda") && !isSuccess(Call));
    return true;
  }
  bool VisitLambdaExpr(LambdaExpr*) override {
    Found = true;
    return true;
  }
  bool Found = false;
};

/// Writes an expression with what variables of the region begin with, if nothing changes them nor what that is made of, so that it is the same
/// for `grid(nx / 32, ny / 8)` of two functions.
class ValueText : public PrinterHelper {
public:
  ValueText(const Region& R, const ValueChanges& Changes, const ASTContext& Context) : R(R), Changes(Changes), Policy(Context.getPrintingPolicy()) {}

  std::string text(const Expr* E) {
    std::string Text;
    llvm::raw_string_ostream Out(Text);
    E->printPretty(Out, this, Policy);
    return Text;
  }
  bool handledStmt(Stmt* S, raw_ostream& Out) override {
    const auto* Ref = dyn_cast<DeclRefExpr>(S);
    const auto* V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    if (!V)
      return false;
    if (R.declares(V) && !Changes.changes(V) && V->getInit() && !V->getType()->isReferenceType() && !V->isStaticLocal()) {
      ValueText Initial(*this);
      Initial.Named.clear();
      const std::string Text = Initial.text(V->getInit());
      if (llvm::none_of(Initial.Named, [&](const VarDecl* Each) { return Changes.changes(Each); })) {
        Named.insert(Initial.Named.begin(), Initial.Named.end());
        Out << '(' << V->getType().getUnqualifiedType().getAsString(Policy) << ' ' << Text << ')';
        return true;
      }
    }
    Named.insert(V);
    Out << V << ' ';
    return true;
  }
  /// The variables that are left.
  llvm::SmallPtrSet<const VarDecl*, 8> Named;

private:
  const Region& R;
  const ValueChanges& Changes;
  PrintingPolicy Policy;
};

class LaunchFusion {
public:
  LaunchFusion(Region& R, const ASTContext& Context) : R(R), Context(Context), Changes(R.Statement) {}

  void run() {
    scan(R.Statement);
    close();
  }

private:
  /// Goes through the statements in their order, as far as one follows the other whatever happens.
  void scan(const Stmt* S) {
    if (const auto* Block = dyn_cast<CompoundStmt>(S)) {
      for (const Stmt* Each : Block->body())
        scan(Each);
      return;
    }
    if (const auto* Do = dyn_cast<DoStmt>(S); Do && runsOnce(*Do)) // of a macro
      return scan(Do->getBody());
    if (const auto* Attributed = dyn_cast<AttributedStmt>(S))
      return scan(Attributed->getSubStmt());
    if (const Stage* Launched = launchOf(S))
      return add(*Launched);
    if (Together.empty() ? isa<Expr>(S) : mayWaitBehind(S))
      return;
    close();
    if (isa<Expr>(S))
      return;
    for (const Stmt* Child : S->children())
      if (Child) {
        scan(Child);
        close();
      }
  }

  /// Whether launches before a statement may run behind it. Notes what it changes.
  bool mayWaitBehind(const Stmt* S) {
    if (R.isPut(S) || holdsHostMarker(S))
      return false;
    if (isErrorCheck(S, Context.getSourceManager()))
      return true;
    if (!isa<Expr, DeclStmt>(S) || DeviceEffectFinder(S).Found)
      return false;
    for (const DeclRefExpr* Ref : References(S).All)
      if (const auto* V = dyn_cast<VarDecl>(Ref->getDecl()); V && (R.findReduction(V) || R.findCollected(Ref)))
        return false;
    const ValueChanges& Here = Between.emplace_back(S);
    return llvm::none_of(R.Arrays, [&](const DistributedArray& A) { return Here.changes(A.Pointer.Variable); });
  }
  bool isChanged(const VarDecl* V) const {
    return llvm::any_of(Between, [&](const ValueChanges& Each) { return Each.changes(V); });
  }

  bool runsOnce(const DoStmt& Do) const {
    Expr::EvalResult Condition;
    return Do.getCond()->EvaluateAsInt(Condition, Context) && Condition.Val.getInt() == 0;
  }

  /// Null for other statements.
  const Stage* launchOf(const Stmt* S) const {
    const auto* E = dyn_cast<Expr>(S);
    const auto* Launch = E ? dyn_cast<CUDAKernelCallExpr>(E->IgnoreUnlessSpelledInSource()) : nullptr;
    auto It = llvm::find_if(R.Stages, [&](const Stage& Each) { return Launch && Each.Launch == Launch; });
    return It == R.Stages.end() ? nullptr : &*It;
  }

  void add(const Stage& S) {
    const bool ByTiles = runsByTiles(S);
    if (!Together.empty() && !(ByTiles && isAlike(*Together.front(), S) && mayFollow(S) && joins(S)))
      close();
    if (Together.empty() && ByTiles)
      start(S);
  }

  void start(const Stage& S) {
    Together = {&S};
    Between.clear();
    Next = {};
    Next.Members.push_back({numberOf(S)});
  }

  void close() {
    if (Together.size() > 1)
      R.Fused.push_back(std::move(Next));
    Together.clear();
  }

  size_t numberOf(const Stage& S) const { return static_cast<size_t>(&S - R.Stages.data()); }

  /// Whether a tile is done when its threads have been through the kernel, and says nothing to the host.
  static bool runsByTiles(const Stage& S) {
    const KernelAccesses& A = S.Accesses;
    const bool InOneDimension = A.Threads == ThreadMapping::OneDimension;
    return S.Kernel && S.Inferred && (InOneDimension || ((A.Threads == ThreadMapping::Blocks || A.Threads == ThreadMapping::Coordinates) && !A.RowsStrided)) &&
           !A.Loop && !A.FirstRow && llvm::none_of(A.Pitch, [](const auto& Along) { return Along.has_value(); }) && S.BlockNumbers.empty() && S.Collected.empty() &&
           S.Published.empty() && !PrintFinder(S.Kernel).Found;
  }

  bool isAlike(const Stage& One, const Stage& Other) const {
    const KernelAccesses &A = One.Accesses, &B = Other.Accesses;
    return A.Threads == B.Threads && A.LaunchedBlock == B.LaunchedBlock &&
           A.RowDimension == B.RowDimension && A.RowsPerThread == B.RowsPerThread &&
           A.ColumnsPerThread == B.ColumnsPerThread && A.RowsStrided == B.RowsStrided &&
           walksAlike(A, B) && writtenRows(A) == writtenRows(B) &&
           periodicRows(A) == periodicRows(B) &&
           (A.Threads != ThreadMapping::OneDimension || One.ShapedLike == Other.ShapedLike) &&
           isSame(One.Grid, Other.Grid) && isSame(One.Block, Other.Block);
  }

  bool isSame(const Expr* One, const Expr* Other) const {
    ValueText Text(R, Changes, Context);
    return Text.text(One) == Text.text(Other) && !One->HasSideEffects(Context, /*IncludePossibleEffects=*/false) &&
           llvm::none_of(Text.Named, [&](const VarDecl* V) { return isChanged(V) || R.findReduction(V); });
  }

  /// Arrays with as many dimensions by the same dimensions of the grid.
  static bool walksAlike(const KernelAccesses& A, const KernelAccesses& B) {
    return llvm::all_of(A.Arrays, [&](const ArrayAccess& One) {
      return llvm::all_of(B.Arrays, [&](const ArrayAccess& Other) { return One.Walks.size() != Other.Walks.size() || One.Walks == Other.Walks; });
    });
  }

  /// From where to where blocks write rows, whatever the array: where launches run one after the
  /// other, neighbouring processes are given what each of them would write of the other's arrays,
  /// which it has not.
  static std::pair<std::int64_t, std::int64_t> writtenRows(const KernelAccesses& A) {
    std::optional<std::pair<std::int64_t, std::int64_t>> Rows;
    for (const ArrayAccess& One : A.Arrays)
      if (One.Writes) {
        const AxisAccess& Axis = (*One.Writes)[A.RowDimension];
        Rows = {std::min(Rows ? Rows->first : Axis.Low, Axis.Low),
                std::max(Rows ? Rows->second : Axis.High, Axis.High)};
      }
    return Rows.value_or(std::pair<std::int64_t, std::int64_t>());
  }

  /// Whether rows that it reads are periodic, and whether some perhaps are.
  static std::pair<bool, bool> periodicRows(const KernelAccesses& A) {
    std::pair<bool, bool> Some;
    for (const ArrayAccess& One : A.Arrays)
      if (One.Reads) {
        Some.first |= (*One.Reads)[A.RowDimension].Periodic;
        Some.second |= (*One.Reads)[A.RowDimension].PerhapsPeriodic;
      }
    return Some;
  }

  /// Whether what the launch is passed does not depend on what those before it add to reduced scalars.
  bool mayFollow(const Stage& S) const {
    for (unsigned I = 0; I != S.Arguments.size() && I != S.Kernel->getNumParams(); ++I) {
      const ParmVarDecl* Parameter = S.Kernel->getParamDecl(I);
      const bool IsPointer = Parameter->getType()->isPointerType();
      for (const DeclRefExpr* Ref : References(S.Arguments[I]).All)
        if (const auto* V = dyn_cast<VarDecl>(Ref->getDecl()); V && R.findReduction(V) && (!IsPointer || readsOnlyScalar(S.Kernel, Parameter)))
          return false;
    }
    return true;
  }

  bool joins(const Stage& S) {
    FusedLaunches More = Next;
    FusedLaunches::Member Member{numberOf(S)};
    size_t Passed = S.Accesses.Arrays.size();
    for (size_t I = 0; I != Together.size(); ++I) {
      Passed += Together[I]->Accesses.Arrays.size();
      if (Together[I]->Shared && S.Shared)
        return false;
      if (Together[I]->Kernel == S.Kernel && usesSharedMemory(S))
        Member.Before = BetweenLaunches::Barrier;
      for (const ArrayAccess& Before : Together[I]->Accesses.Arrays)
        for (const ArrayAccess& Behind : S.Accesses.Arrays) {
          if (!Before.Writes && !Behind.Writes)
            continue;
          if (Before.EndRows.some() || Behind.EndRows.some())
            return false;
          PointerVariable One = passedFor(*Together[I], Before.Array).Pointer, Other = passedFor(S, Behind.Array).Pointer;
          if (!One || !Other || !One.matches(Other)) {
            More.Apart.push_back({{I, Before.Array}, {Together.size(), Behind.Array}});
            continue;
          }
          if (isChanged(One.Variable) || !staysInTile(Before, Behind))
            return false;
          Member.Before = std::max(Member.Before, Before.OfThread && Behind.OfThread ? BetweenLaunches::Reload : BetweenLaunches::Barrier);
        }
    }
    if (Passed > MostPassed)
      return false;
    More.Members.push_back(Member);
    Next = std::move(More);
    Together.push_back(&S);
    return true;
  }

  /// Also behind all tiles.
  static bool usesSharedMemory(const Stage& S) { return S.Between != BetweenTiles::Nothing || S.Sums.any(); }

  /// Whether two launches come to an element in the same tile only, if one of them writes it.
  static bool staysInTile(const ArrayAccess& Before, const ArrayAccess& Behind) {
    return isOwn(Before.Writes) && isOwn(Behind.Writes) && (!Behind.Writes || isOwn(Before.Reads)) && (!Before.Writes || isOwn(Behind.Reads));
  }
  static bool isOwn(const std::optional<std::array<AxisAccess, 3>>& Axes) {
    return !Axes || llvm::all_of(*Axes, [](const AxisAccess& Axis) { return Axis.isWithinOwn(); });
  }

  /// As runtime/device/region_state.h has it.
  static constexpr size_t MostPassed = 32;

  Region& R;
  const ASTContext& Context;
  const ValueChanges Changes;
  /// The launches so far, and what has been between them.
  std::vector<const Stage*> Together;
  std::list<ValueChanges> Between;
  FusedLaunches Next;
};

class FuseLaunches final : public Pass {
public:
  llvm::StringRef name() const override { return "FuseLaunches"; }

  void run(Unit& U, Program& P) override {
    // The other parse of the CUDA target sees the same regions.
    if (U.Kind == UnitKind::CudaDevice || !P.Options.FuseLaunches)
      return;
    for (Region& R : U.Regions) {
      if (!R.isPattern())
        LaunchFusion(R, U.context()).run();
      for (const FusedLaunches& Each : R.Fused) {
        const std::vector<std::string> Names = names(R, Each);
        U.Diags->report(R.Stages[Each.Members.front().Stage].location(), Diag::remark_stage)
            << Names.front() << "runs together with '" + llvm::join(llvm::drop_begin(Names), "', '") + "'";
      }
    }
  }

  void print(const Program& P, llvm::raw_ostream& Out) const override {
    for (const std::unique_ptr<Unit>& U : P.Units)
      for (const Region& R : U->Regions)
        for (const FusedLaunches& Each : R.Fused) {
          Out << fileAndLine(R.Stages[Each.Members.front().Stage].location(), U->sources()) << ": one stage:";
          for (const FusedLaunches::Member& Member : Each.Members)
            Out << (Member.Before == BetweenLaunches::Barrier  ? ", barrier, "
                    : Member.Before == BetweenLaunches::Reload ? ", then "
                    : &Member != Each.Members.data()           ? ", "
                                                               : " ")
                << R.Stages[Member.Stage].name();
          for (const auto& [One, Other] : Each.Apart)
            Out << (&One == &Each.Apart.front().first ? "; if " : ", ") << describe(R, Each, One) << " is not " << describe(R, Each, Other);
          Out << '\n';
        }
  }

private:
  static std::vector<std::string> names(const Region& R, const FusedLaunches& Fused) {
    std::vector<std::string> Names;
    for (const FusedLaunches::Member& Each : Fused.Members)
      Names.push_back(R.Stages[Each.Stage].name().str());
    return Names;
  }

  static std::string describe(const Region& R, const FusedLaunches& Fused, const FusedLaunches::Passed& Array) {
    return (R.Stages[Fused.Members[Array.Member].Stage].name() + "'s " + Array.Array.name()).str();
  }
};

} // namespace

std::unique_ptr<Pass> createFuseLaunches() { return std::make_unique<FuseLaunches>(); }

} // namespace gpurma
