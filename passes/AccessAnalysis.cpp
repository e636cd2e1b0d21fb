// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/AccessAnalysis.h"

#include "passes/AccessBounds.h"
#include "passes/AccessReports.h"
#include "passes/FixedRowAnalysis.h"
#include "passes/GridStrides.h"
#include "passes/SplitAccesses.h"
#include "passes/ThreadCooperation.h"
#include "passes/ValueFlow.h"
#include "passes/VariableUses.h"

#include "clang/AST/Attr.h"
#include "clang/Basic/CharInfo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <bit>
#include <numeric>
#include <set>
#include <variant>

using namespace clang;

namespace gpurma {
namespace {

/// How many iterations of a loop over the rows a logical block has for each of its threads. Each block fills the loop's queues anew, so
/// that it has four times as many as that takes, as far as this leaves enough blocks to a process; and a power of two, so that blocks of
/// several loops end at the same rows.
std::int64_t rowsOfLoop(unsigned FillingIterations) {
  constexpr unsigned Least = 4, Most = 16;
  return std::bit_ceil(std::clamp(4 * FillingIterations, Least, Most));
}

/// Which grid dimension walks each dimension of the arrays with as many dimensions.
using DimensionWalks = std::vector<std::optional<unsigned>>;

class Analysis {
public:
  Analysis(const FunctionDecl* Kernel, ArrayRef<DistributedParameter> Arrays,
           const LaunchFacts& Launch, ASTContext& Context, Diagnostics& Diags)
      : Kernel(Kernel), Arrays(Arrays), Launch(Launch), Context(Context), Diags(Diags),
        BlockSize(Launch.Threads == ThreadMapping::Blocks ? Launch.BlockSize : decltype(BlockSize)()),
        Sets(BlockSize, Launch.AnalysisSteps), Reports(Kernel, Launch, Sets, Context, Diags, Form), Bounds(Sets, Result, BlockSize),
        FixedRows(Kernel, Launch, Sets, Accesses, Context, Reports, Result.FixedRows) {
    Sets.setLaunchedSize(Launch.BlockSize);
    Sets.setPitch(Launch.Pitch);
    Sets.joinBlocks(Launch.JoinsBlocks);
    Result.Pitch = Launch.Pitch;
    Result.Threads = Launch.Threads;
    Result.LaunchedBlock = Launch.BlockSize;
  }

  std::optional<KernelAccesses> run() {
    ElementSizes Distributed;
    for (const DistributedParameter& A : Arrays) {
      Distributed.emplace(A.Array, A.ElementBytes);
      for (const Polynomial& Extent : A.Shape.Extents)
        Sets.assumePositive(Extent);
    }
    std::optional<RenumberedThreads> Renumbered;
    if (inOneDimension() && !(Renumbered = numberedByElements()))
      return std::nullopt;
    if (Launch.Threads == ThreadMapping::Coordinates) {
      Renumbered.emplace();
      for (unsigned D = 0; D < 3; ++D)
        Renumbered->Coordinate[D] = threadAlong(D);
      if (const std::optional<RowOrigin>& Origin = Launch.Origin) {
        Renumbered->Coordinate[Origin->Dimension] = threadAlong(Origin->Dimension) - Origin->First;
        Sets.assume(Sets.compare(Comparison::LessEqual, Origin->First, threadAlong(Origin->Dimension)));
        Result.FirstRow = Origin;
      }
      // Of blocks with one thread along a dimension, some programs name only blockIdx.
      for (unsigned D = 0; D < 3; ++D)
        if (Launch.BlockSize[D] == 1)
          Renumbered->Block[D] = Renumbered->Coordinate[D];
    }
    if (forFixedRows())
      Renumbered = FixedRows.threads(Arrays);
    InterpretedKernel Interpreted = interpret(Distributed, Renumbered ? &*Renumbered : nullptr);
    Form.VectorElements = Interpreted.VectorElements;
    if (Interpreted.Understood && !Launch.RowDimension && Launch.isInBlocks() && !overlap())
      if (const EnteredLoop* Over = loopOverRows(Interpreted)) {
        const EnteredLoop Found = *Over;
        if (!interpretForRows(Found, Distributed, Renumbered ? &*Renumbered : nullptr, Interpreted))
          return std::nullopt;
      }
    if (Launch.isInBlocks() && !Launch.RowDimension)
      for (unsigned D = 0; D < 3; ++D)
        Result.UnnamedDimensions |= unsigned(!Interpreted.GridDimensions.count(D) && Launch.GridSize[D] != 1) << D;
    Result.Places = Interpreted.Places;
    for (const AssumedConstant& A : Launch.Constants)
      if (Interpreted.Constants.count(A.Place))
        Result.Constants.push_back(A);
    collectReductions(Interpreted);
    Form.Stores = llvm::any_of(Interpreted.Accesses, [](const ElementAccess& A) { return A.Writes; });
    Result.GridIndices = Interpreted.GridIndices;
    Collected = Interpreted.Collected;
    NamedDimensions = Interpreted.GridDimensions;
    if (forFixedRows())
      for (const ElementAccess& A : Interpreted.Accesses)
        if (A.Writes && !A.FoundRow)
          fitThreads(A);
    for (const ElementAccess& A : Interpreted.Accesses) {
      if (forFixedRows())
        Sets.allowForPart();
      collect(A);
    }
    if (Launch.Threads == ThreadMapping::Blocks && !Launch.RowDimension)
      Form.Origin = findOrigin();
    if (forFixedRows())
      FixedRows.check(Interpreted);
    if (Launch.SearchesRows)
      FixedRows.findPlaces(Interpreted, Form);
    if (Reports.failed() || !Interpreted.Understood)
      return std::nullopt;
    if (Result.Loop && !(checkIterations(Interpreted) && checkCollected([](const CollectedStore& S) { return S.Part == LoopPart::Inside; })))
      return std::nullopt;
    if (Launch.isInBlocks() && !overlap())
      findPitch();
    if (inOneDimension() ? !walkInOrder(Interpreted)
                         : !findWalks() || !(Launch.SearchesRows || resolveRowStrides(Interpreted)) || !checkPitch())
      return std::nullopt;
    for (unsigned D = 0; D < 3; ++D)
      if (inOneDimension() ? D <= Result.RowDimension
                           : llvm::any_of(Accesses, [&](const CoordinateAccess& A) { return mentionsBlock(A, D); }) || collectsAlong(D, Interpreted))
        Used.push_back(D);
    if (!coversUnused())
      return std::nullopt;
    fitRows();
    for (unsigned D = 0; D < 3; ++D)
      if (Launch.SearchesRows ? D >= Result.RowDimension : forFixedRows() ? D < Result.RowDimension && (isUsed(D) || !Collected.empty()) : isUsed(D))
        Result.FixedRows.Dimensions |= 1u << D;
    for (const DistributedParameter& A : Arrays) {
      bool ReadsAlongAxes = true, WritesAlongAxes = true;
      const WrittenEndRows EndRows = findEndRows(A);
      ArrayAccess Found{A.Array, axes(A, /*Writes=*/false, ReadsAlongAxes),
                        axes(A, /*Writes=*/true, WritesAlongAxes), /*ReadsAlongAxes=*/false,
                        WalksOf[A.Shape.dimensions()]};
      auto IsLeft = [](const AxisAccess& Axis) { return !Axis.isOwn(); };
      findEnds(A, Found);
      Found.EndRows = EndRows;
      Found.OfThread = isOfThread(A, Found);
      Found.OfComponents = A.Shape.Components.has_value();
      Found.FindsRows = llvm::any_of(Accesses, [&](const CoordinateAccess& Each) { return Each.Array == &A && Each.Origin->FoundRow; });
      Found.LeastRows = std::max<std::int64_t>(LeastRows[A.Array], 1);
      Found.LeastExtents = LeastExtents[A.Array];
      Found.LeastDepth = LeastDepths[A.Array];
      Found.RowMultiple = std::max<std::int64_t>(RowMultiples[A.Array], 1);
      Found.ReadsAlongAxes = Found.Reads && ReadsAlongAxes && !Found.FindsRows && llvm::count_if(*Found.Reads, IsLeft) > 1;
      if (Found.Writes)
        checkDealing(A, Found);
      if (Found.Reads || Found.Writes)
        Result.Arrays.push_back(std::move(Found));
    }
    if (Launch.Origin && !fitsOrigin())
      return std::nullopt;
    findThreadRows();
    for (const DistributedParameter& A : Arrays)
      if (!Reports.failed() && !writesOwnOnly(A) && !Launch.SearchesRows) // of places, the program sees to it
        checkInjective(A);
    if (Reports.failed())
      return std::nullopt;
    return std::move(Result);
  }

  KernelForm form() const {
    KernelForm Seen = Form;
    Seen.StoresFixedRows = FixedRows.storesFixedRows();
    return Seen;
  }

private:
  // --- Blocks that overlap.

  bool overlap() const { return gpurma::overlap(Launch.Pitch); }

  /// The parameter that is added to the thread's row in all stores, if it may be large.
  std::optional<RowOrigin> findOrigin() const {
    std::optional<RowOrigin> Found;
    for (const CoordinateAccess& A : Accesses) {
      if (!A.Origin->Writes || A.IntoEndRow)
        continue;
      const std::optional<RowOrigin> Of = originOfRow(A.Coordinates[0]);
      if (!Of || (Found && !Found->isSameNumber(*Of)))
        return std::nullopt;
      Found = Of;
    }
    return Found;
  }

  std::optional<RowOrigin> originOfRow(const Polynomial& Row) const {
    // A few rows more are put for those between a block and what it writes.
    constexpr std::int64_t MostBetween = 8;
    std::optional<RowOrigin> Found;
    std::int64_t Least = MostBetween + 1;
    for (unsigned D = 0; D < 3; ++D) {
      const Polynomial Away = fromThread(Row, D);
      if (std::abs(Away.constant().value_or(INT64_MAX)) <= MostBetween)
        return std::nullopt;
      forEachPassedNumber([&](const PointerVariable& Number, const Polynomial& Value) {
        // Of a number that is known nothing is a multiple.
        const std::optional<std::int64_t> Times = Value.constant() ? 1 : Sets.normalized(Away).divided(Value).first.constant();
        if (!Times || *Times <= 0)
          return;
        const Polynomial First = Value * *Times;
        const std::optional<std::int64_t> Between = Sets.normalized(Away - First).constant();
        if (!Between || std::abs(*Between) >= Least)
          return;
        Least = std::abs(*Between);
        Found = RowOrigin{D, Number, *Times, First};
      });
    }
    return Found;
  }

  /// Integers that the kernel is passed, also in structures.
  void forEachPassedNumber(llvm::function_ref<void(const PointerVariable&, const Polynomial&)> Do) const {
    for (const ParmVarDecl* P : Kernel->parameters()) {
      if (P->getType()->isIntegerType())
        Do({P}, Launch.passedNumber(P, nullptr));
      else
        forEachMember({P}, P, Do);
    }
  }

  /// \p As: the variable that stands for the structure.
  void forEachMember(const PointerVariable& Structure, const VarDecl* As,
                     llvm::function_ref<void(const PointerVariable&, const Polynomial&)> Do) const {
    for (const PointerVariable& Member : Structure.members()) {
      const FieldDecl* Field = Member.Members.back();
      if (!isPublic(Field))
        continue;
      if (Field->getType()->isIntegerType())
        Do(Member, Launch.passedNumber(As, Field));
      else if (auto Inner = Launch.Inner.find(Member); Inner != Launch.Inner.end())
        forEachMember(Member, Inner->second, Do);
    }
  }

  /// Which multiples of blockIdx what is written has, or what is read if nothing is, if one for each dimension of the grid.
  void findPitch() {
    BlockPitch Found;
    const bool Stores = llvm::any_of(Accesses, [](const CoordinateAccess& A) { return A.Origin->Writes; });
    for (const CoordinateAccess& A : Accesses)
      for (const Polynomial& Coordinate : A.Coordinates)
        for (unsigned D = 0; A.Origin->Writes == Stores && D < 3; ++D) {
          std::int64_t Pitch = Coordinate.coefficient(Symbol{Symbol::Kind::BlockIndex, D});
          if (Pitch == 0)
            continue;
          if (Pitch < 0 || !Launch.BlockSize[D] || (Found[D] && *Found[D] != Pitch))
            return;
          Found[D] = Pitch;
        }
    Form.Pitch = Found;
  }

  /// A tile is as many coordinates, and all that is known of launches in blocks holds where a thread has one row.
  bool checkPitch() {
    if (!overlap() || (Result.RowsPerThread == 1 && !Result.RowsStrided))
      return true;
    Reports.blockStride(Accesses.front(), Result.RowDimension);
    return false;
  }

  /// Without what is said of the launch's rows as a whole.
  bool fitsOrigin() const {
    return Result.RowDimension == Launch.Origin->Dimension && !Result.Loop && !Result.RowsStrided && Result.RowsPerThread == 1 &&
           llvm::none_of(Result.Fitting, [&](const FittingThreads& Each) { return Each.Dimension == Result.RowDimension; });
  }

  // --- Launches in one dimension.

  bool inOneDimension() const { return Launch.Threads == ThreadMapping::OneDimension; }

  /// By how many elements a thread has, which rows are a multiple of.
  Polynomial inVectors(const Polynomial& Elements) const { return Elements.divided(Launch.ElementsPerThread).first; }

  /// Threads numbered as elements lie in memory. None after an error.
  std::optional<RenumberedThreads> numberedByElements() {
    const ArrayShape& Shape = Arrays.front().Shape;
    RenumberedThreads Threads;
    for (const DistributedParameter& A : Arrays) {
      if (!llvm::equal(llvm::drop_begin(Shape.Extents), llvm::drop_begin(A.Shape.Extents))) {
        Reports.error(Kernel->getLocation(), Diag::err_row_lengths)
            << Kernel->getName() << Arrays.front().Array.name() << A.Array.name();
        return std::nullopt;
      }
      Threads.Elements.push_back(inVectors(A.Shape.elements()));
    }
    Result.RowDimension = static_cast<unsigned>(Shape.dimensions()) - 1;
    Result.ColumnsPerThread[0] = Launch.ElementsPerThread;
    // Products mean nothing to isl: what follows from extents of at least 1 is said of each.
    Polynomial Number, Inner(1), Next(1), RowLength;
    for (unsigned D = 0; D <= Result.RowDimension; ++D) {
      const Polynomial Extent = D == 0 ? inVectors(Shape.Extents.back()) : Shape[Result.RowDimension - D];
      const Polynomial Origin = originOf(D), Thread = Symbol{Symbol::Kind::ThreadIndex, D};
      for (const Polynomial& Part : {Origin, Thread})
        for (const Polynomial& Length : {Next, Inner})
          Sets.assume(Sets.compare(Comparison::LessEqual, Part, Part * Length));
      Sets.assume(Sets.compare(Comparison::LessEqual, Extent, Extent * Inner));
      Sets.assume(Sets.compare(Comparison::LessEqual, Inner, Extent * Inner));
      Number = Number + (Origin + Thread) * Inner;
      RowLength = Inner;
      Threads.Places.push_back(Sets.normalized(Origin + Thread));
      Inner = Inner * Extent;
      Next = Extent;
      if (D == Result.RowDimension)
        break;
      Sets.assume(Sets.compare(Comparison::Less, Origin + Thread, Extent));
      Sets.assume(Sets.compare(Comparison::Less, Number, Inner));
    }
    auto Counted = llvm::find_if(Arrays, [](const DistributedParameter& A) { return A.Shape.Components.has_value(); });
    if (!RowLength.constant())
      Sets.setRows(Number, Threads.Places.back(), RowLength, (Counted == Arrays.end() ? Shape : Counted->Shape)[0] * RowLength);
    if (Threads.Places.size() == 3)
      Threads.Places.push_back(Sets.normalized(Threads.Places[1] + Threads.Places[2] * Shape[1]));
    Threads.Coordinate[0] = std::move(Number);
    Threads.OneBlock[1] = Threads.OneBlock[2] = true;
    return Threads;
  }

  // --- Kernels for fixed rows.

  bool forFixedRows() const { return Launch.Threads == ThreadMapping::FixedRows; }

  /// The grid dimensions of tiles walk those of the arrays.
  bool walkInOrder(const InterpretedKernel& Interpreted) {
    DimensionWalks& Map = WalksOf[Result.RowDimension + 1];
    for (unsigned D = Result.RowDimension + 1; D > 0; --D)
      Map.push_back(D - 1);
    Result.RowsStrided = Interpreted.GridStride != nullptr;
    if (!Result.RowsStrided)
      return true;
    if (const Expr* Other = otherUseOfGridSize(Kernel, Context))
      Reports.error(Other, Diag::err_writes_far) << Arrays.front().Array.name() << 3 << Other->getSourceRange();
    std::set<const Stmt*> Loops;
    for (const auto& [Loop, Index] : Interpreted.GridIndices)
      Loops.insert(Loop);
    bool InParts = findCooperation(Kernel).has_value(); // of which understandPartialBlocks says more
    return !Reports.failed() && (InParts || checkGridStrides(Loops, 0, Interpreted));
  }

  /// Whether stores into arrays that are collected are done in the iterations of loops that are shared out, so that each is done once.
  bool checkCollected(llvm::function_ref<bool(const CollectedStore&)> IsInLoop) {
    auto Outside = llvm::find_if_not(Collected, IsInLoop);
    return Outside == Collected.end() ||
           rejectLoop(Outside->Where->getExprLoc(), RowLoopProblem::WrittenOutside, cast<VarDecl>(Outside->Parameter)->getName());
  }

  /// Along a dimension of the grid that an array which is collected may be stored along, though no other is.
  bool collectsAlong(unsigned D, const InterpretedKernel& Interpreted) const {
    return !Collected.empty() && Interpreted.GridDimensions.count(D) != 0 && !forFixedRows();
  }

  bool isUsed(unsigned D) const { return llvm::is_contained(Used, D); }

  /// Loops by whole grids get a grid that has all rows.
  bool checkGridStrides(const std::set<const Stmt*>& Loops, unsigned Dimension, const InterpretedKernel& Interpreted) {
    for (const auto& [Loop, Condition] : Interpreted.LeftEarly)
      if (Loops.count(Loop))
        return rejectLoop(Condition->getExprLoc(), RowLoopProblem::Left, "");
    std::optional<RejectedRowLoop> Problem =
        dependenceOnGridSize(Kernel, Loops, Dimension, Interpreted.GridMoves, Interpreted.LoopStores, Result.Reductions, Context);
    if (Problem)
      Reports.error(Problem->Where, Diag::err_row_loop) << static_cast<unsigned>(Problem->Why) << Problem->Name;
    return !Reports.failed() && checkCollected([&](const CollectedStore& S) {
             return llvm::any_of(Loops, [&](const Stmt* Loop) { return contains(Loop, S.Where); });
           });
  }

  /// Threads of a block along a dimension that the kernel does not mention, or that of a loop over the rows, do the same: in a block of
  /// another size there would be more or fewer of them.
  bool coversUnused() const {
    if (Launch.Threads != ThreadMapping::Coordinates)
      return true;
    for (unsigned D = 0; D < 3; ++D)
      if ((!llvm::is_contained(Used, D) || (Result.Loop && D == Result.RowDimension)) && Launch.BlockSize[D] != 1)
        return false;
    return !Result.RowsStrided || Result.RowsPerThread == 1;
  }

  void collectReductions(const InterpretedKernel& Interpreted) {
    for (const AtomicAccess& A : Interpreted.Atomics) {
      auto Op = llvm::StringSwitch<std::optional<AtomicReduction::Operation>>(A.Function)
                    .Case("atomicAdd", AtomicReduction::Add)
                    .Case("atomicMax", AtomicReduction::Max)
                    .Case("atomicMin", AtomicReduction::Min)
                    .Case("", AtomicReduction::Set)
                    .Default(std::nullopt);
      if (Op)
        Result.Reductions.push_back({*Op, A.Parameter, A.Where});
      else
        Reports.error(A.Where, Diag::err_atomic_not_reduction)
            << A.Function << A.Parameter->getName() << A.Where->getSourceRange();
    }
  }

  void collect(const ElementAccess& Access) {
    CoordinateAccess A = ofArray(Access);
    if (Access.FoundRow)
      return collectFound(A);
    if (Launch.SearchesRows)
      return rejectElsewhere(A);
    const ArrayShape& Shape = A.Array->Shape;
    const auto [RawComponent, InComponent] = Shape.Components ? Access.Offset.divided(Shape.elements()) : std::pair(Polynomial(), Access.Offset);
    auto Known = llvm::find_if(Places, [&](const CollectedPlace& Each) { return Each.isOf(Access, InComponent); });
    if (Known != Places.end() && !forFixedRows())
      return collectAlike(*Known, std::move(A), RawComponent);
    findCoordinates(A);
    if (forFixedRows())
      boundThreads(A);
    if (!A.isReached())
      return;
    A.CarryLow.assign(Shape.dimensions(), 0);
    A.CarryHigh.assign(Shape.dimensions(), 0);
    if (isStated(A))
      findStated(A);
    for (size_t J = Shape.dimensions() - 1; J > 0 && !isStated(A); --J)
      if (!findCarry(A, J))
        return;
    if (Shape.Components && !isStated(A) && !(staysInComponent(A) && isOfArray(A)))
      return;
    Places.push_back({RawComponent, InComponent, A});
    collectElements(std::move(A));
  }

  CoordinateAccess ofArray(const ElementAccess& Access) const {
    CoordinateAccess A;
    A.Origin = &Access;
    A.Array = llvm::find_if(Arrays,
                            [&](const DistributedParameter& P) { return P.Array == Access.Array; });
    return A;
  }

  void findCoordinates(CoordinateAccess& A) {
    const ElementAccess& Access = *A.Origin;
    const ArrayShape& Shape = A.Array->Shape;
    auto [Component, Rest] = componentOf(Access.Offset, Shape, Access.Path, Sets);
    A.Component = std::move(Component);
    for (size_t J = 0; J + 1 < Shape.dimensions(); ++J) {
      auto [Quotient, Remainder] = Rest.divided(Shape.stride(J));
      A.Coordinates.push_back(std::move(Quotient));
      Rest = std::move(Remainder);
    }
    A.Coordinates.push_back(std::move(Rest));
    for (const Polynomial& Coordinate : A.Coordinates)
      A.Domains.push_back(Sets.closedWith(A.Origin->Path, {Coordinate}));
    A.Domains.push_back(Sets.closedWith(A.Origin->Path, {A.Component}));
  }

  /// What has been found of an access, for others that are in the same place of the same or another component, on the same path.
  struct CollectedPlace {
    /// As polynomial division has it.
    Polynomial Component, InComponent;
    CoordinateAccess Access;

    bool isOf(const ElementAccess& Other, const Polynomial& OtherInComponent) const {
      const ElementAccess& One = *Access.Origin;
      return One.Array == Other.Array && One.Writes == Other.Writes && One.Atomic == Other.Atomic &&
             One.Part == Other.Part && One.Elements == Other.Elements && One.Begin == Other.Begin &&
             One.Count == Other.Count && InComponent == OtherInComponent &&
             isl_set_plain_is_equal(One.Path.get(), Other.Path.get()) == isl_bool_true;
    }
  };

  void collectAlike(const CollectedPlace& Known, CoordinateAccess A, const Polynomial& Component) {
    A.Component = Component - Known.Component + Known.Access.Component;
    if (A.Component == Known.Access.Component)
      return;
    A.Coordinates = Known.Access.Coordinates;
    A.CarryLow = Known.Access.CarryLow;
    A.CarryHigh = Known.Access.CarryHigh;
    A.Domains = Known.Access.Domains;
    A.SaysPlace = Known.Access.SaysPlace;
    A.Domains.back() = Sets.closedWith(A.Origin->Path, {A.Component});
    if (isStated(A) || isOfArray(A))
      collectElements(std::move(A));
  }

  static bool isStated(const CoordinateAccess& A) { return A.Array->Halo && !A.Origin->Writes; }

  /// What its subscript says of a read that a clause speaks of.
  void findStated(CoordinateAccess& A) {
    A.SaysPlace = llvm::none_of(A.Coordinates, [&](const Polynomial& C) { return Sets.unknownIn(C); });
    for (size_t J = A.Coordinates.size() - 1; J > 0; --J)
      if (!findWayOut(A, J)) {
        A.SaysPlace &= !inOneDimension() && !isNonlinear(A.Coordinates[J]);
        A.CarryLow[J - 1] = A.CarryHigh[J - 1] = 0; // taken to stay in its row
      }
  }

  /// What is read for a store that is searched for, and not near it.
  void rejectElsewhere(const CoordinateAccess& A) {
    if (!Sets.closed(A.Origin->Path).is_empty())
      Reports.error(A.Origin->Where, Diag::err_fixed_rows)
          << Kernel->getName() << static_cast<unsigned>(RowProblem::ReadElsewhere) << A.Array->Array.name() << A.Origin->Where->getSourceRange();
  }

  // --- Grids that have as many threads as an array has columns or rows.

  /// Where a grid is large enough for it, kernels that go on by whole grids are given another one, but then all accesses do so.
  bool isOfLaunch(const CoordinateAccess& A, unsigned D) {
    return NamedDimensions.count(D) != 0 && mentionsBlock(A, D) &&
           llvm::none_of(A.Domains, [&](const isl::set& Each) { return Sets.mentions(Each, Symbol::Kind::GridSize, D); });
  }

  /// Threads that the launch has not do nothing.
  void boundThreads(CoordinateAccess& A) {
    for (unsigned D = 0; D < 3; ++D)
      if ((!forFixedRows() || D < *Launch.RowDimension) && isOfLaunch(A, D)) {
        if (Launch.MostThreads[D])
          A.restrictTo(Sets.compare(Comparison::Less, threadAlong(D), *Launch.MostThreads[D]));
        for (const auto& [Dimension, Beyond] : FittingBelow)
          if (Dimension == D)
            A.restrictTo(Sets.compare(Comparison::Less, threadAlong(D), Beyond));
      }
    for (isl::set& Each : A.Domains)
      Each = Sets.closed(Each);
  }

  /// How far a coordinate is from the thread's, of which there is one where blocks have one along the dimension: `y = blockIdx.y`.
  Polynomial fromThread(const Polynomial& Coordinate, unsigned D) const {
    const Polynomial Away = Sets.normalized(Coordinate - threadAlong(D));
    return Launch.BlockSize[D] == 1 ? Away.substituted(Symbol{Symbol::Kind::ThreadIndex, D}, 0) : Away;
  }

  /// Of a kernel for fixed rows, what it writes says which threads the launch has, where no condition does: rows are as long.
  void fitThreads(const ElementAccess& Access) {
    CoordinateAccess A = ofArray(Access);
    findCoordinates(A);
    for (size_t J = 1; J < A.Coordinates.size(); ++J)
      fitThreads(A, J, A.Coordinates[J]);
  }

  /// If coordinate \p J of an access, \p Last at most, is a thread's number, and nothing but the size of the grid keeps it below the extent, it is
  /// taken to do so.
  void fitThreads(const CoordinateAccess& A, size_t J, const Polynomial& Last) {
    const Polynomial& Extent = A.Array->Shape[J];
    for (unsigned D = 0; D < 3; ++D) {
      std::optional<std::int64_t> MovedBy = fromThread(Last, D).constant();
      if (!MovedBy || !Launch.ComparesThreads || !isOfLaunch(A, D) || (forFixedRows() && D >= *Launch.RowDimension) ||
          Sets.isBoundedAbove(A.Domains[J], Symbol{Symbol::Kind::BlockOrigin, D}))
        continue;
      CoordinateAccess Bounded = A;
      boundThreads(Bounded);
      if (!possible(Bounded, J, Comparison::LessEqual, Extent, Last))
        return;
      if (Launch.MostThreads[D] && !Launch.GridSize[D]) {
        // (nx - 2 + 15) / 16 blocks are meant to be for nx - 2 threads.
        std::optional<std::int64_t> Fewer = (Extent - *Launch.MostThreads[D]).constant();
        if (!Fewer)
          return;
        MovedBy = std::max(*MovedBy, *Fewer + *Launch.BlockSize[D] - 1);
      }
      Result.Fitting.push_back({D, A.Array->Array, J, *MovedBy});
      FittingBelow.push_back({D, Extent - *MovedBy});
      return;
    }
  }

  /// A condition may let threads store behind the last row, as `y <= ny` of ny rows does: then the launch has no such thread, or the array more
  /// rows than 'rows' names.
  void fitRows() {
    const unsigned D = Result.RowDimension;
    if (inOneDimension() || forFixedRows() || overlap() || !Launch.ComparesThreads)
      return;
    for (const CoordinateAccess& A : Accesses) {
      const Polynomial &Row = A.Coordinates[0], &Rows = A.Array->Shape[0];
      const std::optional<std::int64_t> MovedBy = fromThread(Row, D).constant();
      if (!A.Origin->Writes || A.IntoEndRow || !MovedBy ||
          llvm::any_of(Result.Fitting, [&](const FittingThreads& Each) {
            return Each.Dimension == D && !Each.Enough;
          }))
        continue;
      const isl::set Behind =
          A.Domains[0].intersect(Sets.compare(Comparison::LessEqual, Rows, Row));
      if (Behind.is_empty())
        continue;
      if (std::optional<PassedRow> Passed = passedRow(A.Domains[0], Row)) {
        Passed->Dimension = D;
        Passed->Array = A.Array->Array;
        Passed->MovedBy = *MovedBy;
        Result.PassedRows.push_back(*std::move(Passed));
        continue;
      }
      if (!Sets.greatest(Behind, Row - Rows))
        continue;
      std::optional<std::int64_t> Enough =
          Rows.constant() ? std::nullopt : Sets.greatest(Behind, Rows);
      if (Enough)
        ++*Enough;
      auto Known = llvm::find_if(Result.Fitting, [&](const FittingThreads& Each) {
        return Each.Dimension == D && Each.Extent == 0 && Each.MovedBy == *MovedBy &&
               Each.Array == A.Array->Array;
      });
      if (Known == Result.Fitting.end())
        Result.Fitting.push_back({D, A.Array->Array, 0, *MovedBy, /*Exactly=*/false, Enough});
      else
        Known->Enough = Enough ? std::optional(std::max(*Enough, *Known->Enough)) : std::nullopt;
    }
  }

  /// The number by which conditions let threads go on only where a coordinate is that: `y == sy`.
  std::optional<PassedRow> passedRow(const isl::set& Domain, const Polynomial& Coordinate) {
    for (const ParmVarDecl* P : Kernel->parameters()) {
      if (!P->getType()->isIntegerType())
        continue;
      const Polynomial Away = Coordinate - Polynomial(Symbol{Symbol::Kind::Parameter, 0, P});
      const std::optional<std::int64_t> Least = Sets.least(Domain, Away);
      if (Least && Sets.greatest(Domain, Away) == Least) {
        PassedRow Found;
        Found.Number = PointerVariable(P);
        Found.More = *Least;
        return Found;
      }
    }
    return std::nullopt;
  }

  /// Those of a load or store of several elements, which are in the row of the first one: such objects lie at multiples of their size, and
  /// do not leave rows that are multiples of it.
  void collectElements(CoordinateAccess A) {
    if (A.Coordinates.size() > 1) {
      std::int64_t& Multiple = RowMultiples.try_emplace(A.Array->Array, 1).first->second;
      Multiple = std::lcm(Multiple, A.Origin->Elements);
    }
    for (std::int64_t I = 0; I < A.Origin->Count; ++I) {
      Accesses.push_back(A);
      Accesses.back().Coordinates.back() = A.Coordinates.back() + (A.Origin->Begin + I);
    }
  }

  /// An element of which the program finds out whether it is in the row.
  void collectFound(CoordinateAccess& A) {
    A.Coordinates = {*A.Origin->FoundRow};
    for (const Polynomial& Extent : ArrayRef(A.Array->Shape.Extents).drop_front())
      A.Coordinates.push_back(Sets.defined([&](const Polynomial& Any) {
        return Sets.compare(Comparison::LessEqual, 0, Any).intersect(Sets.compare(Comparison::Less, Any, Extent));
      }));
    A.CarryLow.assign(A.Coordinates.size(), 0);
    A.CarryHigh.assign(A.Coordinates.size(), 0);
    const std::int64_t Columns = A.Origin->FoundColumns;
    (Columns < 0 ? A.CarryLow : A.CarryHigh)[0] = (Columns > 0) - (Columns < 0);
    // Of rows of a constant length it is less.
    if (A.Coordinates.size() > 1 && !A.Array->Shape.stride(0).constant())
      requireExtent(A, A.Coordinates.size() - 1, std::abs(Columns));
    A.Domains.assign(A.Coordinates.size() + 1, Sets.closedWith(A.Origin->Path, {A.Coordinates[0]}));
    if (A.isReached())
      Accesses.push_back(std::move(A));
  }

  /// Whether the row that an access is in is one of its component: those before and behind it are rows of other components, which
  /// other processes have. False after an error.
  bool staysInComponent(const CoordinateAccess& A) {
    const Polynomial& Rows = A.Array->Shape[0];
    const Polynomial First = A.Coordinates[0] + A.CarryLow[0], Last = A.Coordinates[0] + A.CarryHigh[0];
    const isl::set Reached = possible(A, 0, Comparison::LessEqual, Rows, Last) ? withinGrid(A, 0, Last).Domains[0] : A.Domains[0];
    isl::set Outside = Reached.intersect(Sets.compare(Comparison::Less, First, 0).unite(Sets.compare(Comparison::LessEqual, Rows, Last)));
    if (!Outside.is_empty()) {
      if (Sets.unknownIn(A.Coordinates[0])) {
        Reports.notAffine(A, A.Coordinates[0]);
        return false;
      }
      constexpr std::int64_t ManyRows = 1024;
      std::optional<std::int64_t> Most;
      if (!Rows.constant())
        Most = Sets.greatest(Outside, Rows);
      if (!Most || *Most >= ManyRows) {
        Reports.outside(A, AccessReports::Row);
        return false;
      }
      std::int64_t& Least = LeastRows[A.Array->Array];
      Least = std::max(Least, *Most + 1);
    }
    return true;
  }

  /// Whether its component is one of the array's. False after an error.
  bool isOfArray(const CoordinateAccess& A) {
    // Where it has bounds, as a number or a counter has; others are taken to be components of the array, as rows of other arrays are.
    std::optional<std::int64_t> Least = Sets.least(A.componentDomain(), A.Component),
                                Beyond = Sets.greatest(A.componentDomain(), A.Component - *A.Array->Shape.Components);
    if (Beyond && *Beyond >= 0) {
      Reports.outside(A, AccessReports::Component);
      return false;
    }
    if (Least && *Least < 0 && mayBeNegative(A)) {
      Reports.outside(A, A.Component.constant() ? AccessReports::Component : AccessReports::BeforeFirst);
      return false;
    }
    return true;
  }

  /// Also if no parameter is: of (q + first) % n it is taken that the kernel is passed what makes it a component.
  bool mayBeNegative(const CoordinateAccess& A) {
    isl::set Domain = A.componentDomain();
    for (const ParmVarDecl* P : Kernel->parameters())
      if (P->getType()->isSignedIntegerType())
        Domain = Domain.intersect(Sets.compare(Comparison::LessEqual, 0, Polynomial(Symbol{Symbol::Kind::Parameter, 0, P})));
    std::optional<std::int64_t> Least = Sets.least(Domain, A.Component);
    return Least && *Least < 0;
  }

  /// Of what coordinate \p J is made of.
  bool possible(const CoordinateAccess& A, size_t J, Comparison Op, const Polynomial& Left, const Polynomial& Right) {
    return !A.Domains[J].intersect(Sets.compare(Op, Left, Right)).is_empty();
  }

  /// How coordinate \p J leaves its row. False if it may do so by several rows.
  bool findWayOut(CoordinateAccess& A, size_t J) {
    // (y + 1) * nx - 1 is the last element of row y.
    const Polynomial Whole = A.Array->Shape[J];
    if (!possible(A, J, Comparison::LessEqual, 0, A.Coordinates[J])) {
      A.Coordinates[J] = A.Coordinates[J] + Whole;
      A.Coordinates[J - 1] = A.Coordinates[J - 1] - 1;
    } else if (!possible(A, J, Comparison::Less, A.Coordinates[J], Whole)) {
      A.Coordinates[J] = A.Coordinates[J] - Whole;
      A.Coordinates[J - 1] = A.Coordinates[J - 1] + 1;
    }
    const Polynomial &Coordinate = A.Coordinates[J], &Extent = A.Array->Shape[J];
    Polynomial Low = Coordinate + A.CarryLow[J], High = Coordinate + A.CarryHigh[J];
    bool Surely = true;
    if (possible(A, J, Comparison::Less, Low, 0)) {
      A.CarryLow[J - 1] = -1;
      Surely &= !possible(A, J, Comparison::Less, Low, Polynomial(0) - Extent);
    }
    if (possible(A, J, Comparison::LessEqual, Extent, High)) {
      A.CarryHigh[J - 1] = 1;
      Surely &= !possible(A, J, Comparison::LessEqual, Polynomial(2) * Extent, High);
    }
    return Surely;
  }

  /// Whether coordinate \p J, which may leave its row by several, does so by a known number of
  /// them: `u[y * nx + x - i]` for i < 2 * nx.
  bool findRowsLeft(CoordinateAccess& A, size_t J, const Polynomial& Low, const Polynomial& High) {
    constexpr std::int64_t Most = 8;
    const Polynomial& Extent = A.Array->Shape[J];
    const auto Below = [&](std::int64_t Rows) {
      return possible(A, J, Comparison::Less, Low, Polynomial(-Rows) * Extent);
    };
    const auto Above = [&](std::int64_t Rows) {
      return possible(A, J, Comparison::LessEqual, Polynomial(Rows + 1) * Extent, High);
    };
    if (Below(Most) || Above(Most))
      return false;
    std::int64_t Before = 0, Behind = 0;
    while (Below(Before))
      ++Before;
    while (Above(Behind))
      ++Behind;
    A.CarryLow[J - 1] = -Before;
    A.CarryHigh[J - 1] = Behind;
    return true;
  }

  /// The dimension of the grid by which rows are seen to be of another length than coordinate \p J has, which is not known to stay within: one along which
  /// both go, since each is of one coordinate only otherwise, or that of the rows where it leaves its own by several, however few there are.
  std::optional<unsigned> otherRowsAlong(const CoordinateAccess& A, size_t J) {
    const auto GoesAlong = [](const Polynomial& P, unsigned D) {
      using Kind = Symbol::Kind;
      return llvm::any_of(std::array{Kind::ThreadIndex, Kind::BlockIndex, Kind::BlockOrigin, Kind::LaunchedThread, Kind::LaunchedIndex, Kind::LaunchedOrigin},
                          [&](Kind Of) { return P.involves(Of, D); });
    };
    const bool Leaves = surelyLeaves(A, J);
    for (unsigned D = 0; D < 3; ++D) {
      const Polynomial Stride = strideAlong(A.Origin->Offset, D);
      if (!isGiven(Stride) || !(Leaves || GoesAlong(A.Coordinates[J], D)))
        continue;
      for (size_t K = 0; K < J; ++K)
        if (GoesAlong(A.Coordinates[K], D) && !(Stride == A.Array->Shape.stride(K)))
          return D;
    }
    return std::nullopt;
  }

  /// Whether coordinate \p J leaves its row by more than one, whatever the kernel is passed, though conditions bound it.
  bool surelyLeaves(const CoordinateAccess& A, size_t J) {
    const Polynomial& Coordinate = A.Coordinates[J];
    const isl::set& Domain = A.Domains[J];
    const auto IsUnbounded = [&](const Monomial& M) {
      return llvm::any_of(M, [&](const Symbol& S) {
        return S.Of == Symbol::Kind::Unknown || (S.Of == Symbol::Kind::BlockOrigin && !Sets.isBoundedAbove(Domain, S));
      });
    };
    if (llvm::any_of(Coordinate.terms(), [&](const auto& Term) { return IsUnbounded(Term.first); }))
      return false;
    const isl::set Far = Domain.intersect(Sets.compare(Comparison::LessEqual, Polynomial(2) * A.Array->Shape[J], Coordinate + A.CarryHigh[J]));
    return !Domain.is_empty() && Sets.withoutVarying(Domain).is_subset(Sets.withoutVarying(Far));
  }

  /// Whether each block begins at an element of a row by its own number, `blockIdx.x * NX` of rows
  /// and blocks of NX elements, so that those of one row are of one block.
  bool beginsRowByBlock(const Polynomial& Coordinate, const Polynomial& Extent) const {
    for (unsigned D = 0; D < 3; ++D) {
      const std::int64_t Step = Coordinate.coefficient(Symbol{Symbol::Kind::BlockOrigin, D}) *
                                Launch.BlockSize[D].value_or(0);
      if (Step != 0 && !Launch.Pitch[D] && Extent.constant() && Step % *Extent.constant() == 0)
        return true;
    }
    return false;
  }

  /// Whether coordinate \p J can leave its row, and by how many rows. False after an error.
  bool findCarry(CoordinateAccess& A, size_t J) {
    const bool Surely = findWayOut(A, J);
    const Polynomial &Coordinate = A.Coordinates[J], &Extent = A.Array->Shape[J];
    const Polynomial Low = Coordinate + A.CarryLow[J], High = Coordinate + A.CarryHigh[J];
    const bool InRow = A.CarryLow[J - 1] == 0 && A.CarryHigh[J - 1] == 0;
    if (!InRow && forFixedRows() && FixedRows.isUniform(Coordinate)) {
      // `u[1]` and `u[nx - 2]` are in the first row if it is long enough, `u[k]` may be in any.
      if (isOfAnyRow(A.Coordinates, J) &&
          (A.Array->Shape.Components || !fitsLongExtent(A, J, Low, High))) {
        Reports.notAffine(A, Coordinate);
        return false;
      }
      // A point, which is taken to lie in its row.
      A.CarryLow[J - 1] = A.CarryHigh[J - 1] = 0;
      return true;
    }
    // Behind a row of a component is that of another one.
    if (!InRow && (A.Origin->Writes || !Surely || A.Array->Shape.Components) && !inOneDimension() && fitsLongExtent(A, J, Low, High)) {
      A.CarryLow[J - 1] = A.CarryHigh[J - 1] = 0;
      return true;
    }
    if (Surely)
      return true;
    if (const CoordinateAccess OfGrid = withinGrid(A, J, High);
        !possible(OfGrid, J, Comparison::Less, Low, 0) && !possible(OfGrid, J, Comparison::LessEqual, Extent, High)) {
      A.CarryLow[J - 1] = A.CarryHigh[J - 1] = 0;
      return true;
    }
    if (!A.Origin->Writes && !A.Array->Shape.Components && findRowsLeft(A, J, Low, High))
      return true;
    Form.SeesOneRow = true;
    if (A.Origin->Writes) {
      FixedRows.noteOtherStore();
      if (forFixedRows() && !(A.Coordinates[0] == Polynomial(0)) && FixedRows.isUniform(A.Coordinates[0]))
        Form.UnboundColumn = A.Origin->Where;
    }
    if (inOneDimension() && !Sets.unknownIn(Coordinate)) {
      Reports.notOwn(A);
      return false;
    }
    if (Sets.unknownIn(Coordinate) || isNonlinear(Coordinate)) {
      Reports.notAffine(A, Coordinate);
      return false;
    }
    if (const std::optional<unsigned> D = otherRowsAlong(A, J)) {
      Reports.rowLength(A, J, *D);
      return false;
    }
    if (A.Array->Shape.Components) { // columns of a component further on, as with padding between them
      Reports.outside(A, AccessReports::Row);
      return false;
    }
    if (beginsRowByBlock(Coordinate, Extent)) {
      Reports.notAffine(A, Coordinate);
      return false;
    }
    A.CarryLow[J - 1] = A.CarryHigh[J - 1] = 0;
    // What one access of a kernel lacks, others lack, too: its grid is to fit the arrays.
    if (Warned.insert(A.Array->Shape.dimensions() - J).second)
      Diags.report(A.Origin->Where->getExprLoc(), Diag::warn_leaves_row)
          << A.Array->Array.name() << static_cast<unsigned>(A.Array->Shape.dimensions() - J - 1)
          << A.Origin->Where->getSourceRange();
    return true;
  }

  /// Whether coordinate \p J leaves its row only where that is short, as column 2 does of rows of two elements. The region looks.
  bool fitsLongExtent(CoordinateAccess& A, size_t J, const Polynomial& Low, const Polynomial& High) {
    constexpr std::int64_t Long = 1024;
    const Polynomial& Extent = A.Array->Shape[J];
    const bool IsPoint = forFixedRows() && FixedRows.isUniform(A.Coordinates[J]);
    if (Extent.constant() || !(IsPoint || isWalkedByGrid(A.Coordinates[0])) ||
        Sets.unknownIn(A.Coordinates[J]))
      return false;
    const isl::set Outside = A.Domains[J].intersect(Sets.compare(Comparison::Less, Low, 0).unite(Sets.compare(Comparison::LessEqual, Extent, High)));
    const std::optional<std::int64_t> Most = Sets.greatest(Outside, Extent);
    if (!Most || *Most >= Long)
      return false;
    requireExtent(A, J, *Most + 1);
    A.restrictTo(Sets.compare(Comparison::Less, *Most, Extent));
    return true;
  }

  /// An access that may leave an extent, with what is known of the grid; of arrays with components, also that coordinate \p J, \p High at most,
  /// does not leave it, if the region may look.
  CoordinateAccess withinGrid(CoordinateAccess A, size_t J, const Polynomial& High) {
    if (!Launch.isInBlocks() || overlap())
      return A;
    if (A.Array->Shape.Components)
      fitThreads(A, J, High);
    boundThreads(A);
    return A;
  }

  /// Lets the region look.
  void requireExtent(const CoordinateAccess& A, size_t J, std::int64_t Extent) {
    std::vector<std::int64_t>& Least = LeastExtents[A.Array->Array];
    Least.resize(A.Coordinates.size(), 1);
    Least[J] = std::max(Least[J], Extent);
  }

  InterpretedKernel interpret(const ElementSizes& Distributed, const RenumberedThreads* Renumbered,
                              const std::optional<RowLoopRequest>& Rows = std::nullopt) {
    InterpretedKernel Interpreted = interpretKernel(Kernel, Launch, Distributed, Sets, Context, Diags, Renumbered, Rows);
    if (Interpreted.Understood && takeGridForRows(Interpreted))
      Interpreted = interpretKernel(Kernel, Launch, Distributed, Sets, Context, Diags, Renumbered, Rows);
    for (ElementAccess& A : Interpreted.Accesses)
      A.Path = Sets.withoutData(A.Path, {A.Offset, A.StoredRow.value_or(0), A.FoundRow.value_or(0)});
    Interpreted.Accesses = splitAccesses(std::move(Interpreted.Accesses), Arrays, Sets);
    return Interpreted;
  }

  /// Rows, or planes, that are as long as the grid has threads, `x + y * gridDim.x * blockDim.x`: those of the array are taken to be, less a
  /// number that the grid's own text says. The region looks. False if there are none.
  bool takeGridForRows(const InterpretedKernel& Interpreted) {
    if (!Launch.isInBlocks() || overlap() || !Launch.ComparesThreads || movesByGridSize(Kernel) || !Result.Fitting.empty())
      return false;
    for (const ElementAccess& A : Interpreted.Accesses) {
      const ArrayShape& Shape = llvm::find_if(Arrays, [&](const DistributedParameter& P) { return P.Array == A.Array; })->Shape;
      std::optional<unsigned> Columns;
      for (unsigned D = 0; D < 3; ++D)
        if (A.Offset.coefficient(Symbol{Symbol::Kind::BlockOrigin, D}) == 1)
          Columns = D;
      for (unsigned D = 0; D < 3 && Columns && Shape.dimensions() > 1; ++D) {
        const size_t Extent = Shape.dimensions() - (D == *Columns ? 1 : 2);
        const Polynomial BlockSize = Launch.Threads == ThreadMapping::Blocks ? Sets.blockSize(D) : Sets.launchedSize(D);
        if (!A.Offset.involves(Symbol::Kind::GridSize, D) || A.Offset.divided(BlockSize * Symbol{Symbol::Kind::GridSize, D}).first == Polynomial(0))
          continue;
        std::int64_t Fewer = Launch.MostThreads[D] ? (Shape[Extent] - *Launch.MostThreads[D]).constant().value_or(0) : 0;
        if (Fewer < 0 && !Launch.GridSize[D])
          Fewer += *Launch.BlockSize[D] - 1; // (nx + 15) / 16
        Sets.setThreads(D, BlockSize, Shape[Extent] - Fewer);
        FittingBelow.push_back({D, Shape[Extent] - Fewer});
        Result.Fitting.push_back({D, A.Array, Extent, Fewer, /*Exactly=*/true});
      }
      if (!Result.Fitting.empty())
        return true;
    }
    return false;
  }

  // --- Loops over the rows.

  Polynomial rowOf(const ElementAccess& Access) {
    const ArrayShape& Shape =
        llvm::find_if(Arrays, [&](const DistributedParameter& P) { return P.Array == Access.Array; })->Shape;
    return componentOf(Access.Offset, Shape, Access.Path, Sets).InComponent.divided(Shape.stride(0)).first;
  }

  static bool isWalkedByGrid(const Polynomial& Row) {
    return Row.involves(Symbol::Kind::BlockOrigin) || Row.involves(Symbol::Kind::BlockIndex) ||
           Row.involves(Symbol::Kind::GridSize);
  }

  /// The loop whose counter goes through the rows of what is written, or of what is read if nothing
  /// is, where no grid dimension does.
  const EnteredLoop* loopOverRows(const InterpretedKernel& Interpreted) {
    bool Writes =
        llvm::any_of(Interpreted.Accesses, [](const ElementAccess& A) { return A.Writes; });
    const EnteredLoop* Found = nullptr;
    for (const ElementAccess& A : Interpreted.Accesses) {
      if (A.Writes != Writes)
        continue;
      Polynomial Row = rowOf(A);
      if (isWalkedByGrid(Row))
        return nullptr;
      for (const auto& [M, Coefficient] : Row.terms())
        if (M.size() == 1 && M.front().Of == Symbol::Kind::Counter && !Found)
          if (auto It = Interpreted.Loops.find(M.front().Index); It != Interpreted.Loops.end())
            Found = &It->second;
    }
    return Found;
  }

  bool rejectLoop(SourceLocation Where, RowLoopProblem Why, StringRef Name = {}) {
    Form.LoopsOverRows = true;
    Reports.error(Where, Diag::err_row_loop) << static_cast<unsigned>(Why) << Name;
    return false;
  }

  /// The grid dimension that is to walk the rows: one more than the kernel has.
  std::optional<unsigned> freeDimension(const std::set<unsigned>& Mentioned) const {
    for (unsigned D = 0; D < 3; ++D)
      if (Mentioned.empty() || D > *Mentioned.rbegin())
        return D;
    for (unsigned D = 0; D < 3; ++D)
      if (!Mentioned.count(D))
        return D;
    return std::nullopt;
  }

  /// Interprets the kernel with the counter of the loop as the row of a block. False after an error.
  bool interpretForRows(const EnteredLoop& Over, const ElementSizes& Distributed,
                        RenumberedThreads* Renumbered, InterpretedKernel& Interpreted) {
    std::optional<unsigned> D = freeDimension(Interpreted.GridDimensions);
    if (!D)
      return rejectLoop(Over.Loop->getBeginLoc(), RowLoopProblem::NoDimension);
    RowLoopRequest Rows{Over.Loop, *D, rowsOfLoop(0)};
    if (Renumbered) { // coversUnused
      Renumbered->Coordinate[*D] = Polynomial();
      Renumbered->OneBlock[*D] = true;
    }
    Interpreted = interpret(Distributed, Renumbered, Rows);
    if (!Interpreted.Understood)
      return false;
    auto Understood = understandRowLoop(Kernel, Over.Loop, Interpreted, Sets, Context);
    if (const auto* Wrong = std::get_if<RejectedRowLoop>(&Understood))
      return rejectLoop(Wrong->Where, Wrong->Why, Wrong->Name);
    Result.Loop = std::get<RowLoop>(std::move(Understood));
    return !Result.Loop->Queues || interpretWithQueues(Rows, Distributed, Renumbered, Interpreted);
  }

  /// The same, with the iterations that fill the queues of a block.
  bool interpretWithQueues(RowLoopRequest Rows, const ElementSizes& Distributed, RenumberedThreads* Renumbered,
                           InterpretedKernel& Interpreted) {
    const RegisterQueues& Queues = *Result.Loop->Queues;
    Rows.Queues = &Queues;
    Rows.RowsPerThread = rowsOfLoop(Queues.Iterations);
    Interpreted = interpret(Distributed, Renumbered, Rows);
    std::set<const ValueDecl*> Stored;
    for (const PrivateAccess& A : Interpreted.RowLoop.Private)
      if (A.Writes && A.Part != LoopPart::Before)
        Stored.insert(A.Array);
    for (const PrivateAccess& A : Interpreted.RowLoop.Private)
      if (A.Part == LoopPart::Filling && A.Array && A.Array->hasAttr<CUDASharedAttr>() && Stored.count(A.Array))
        return rejectLoop(A.Where->getBeginLoc(), RowLoopProblem::Carried, cast<VarDecl>(A.Array)->getName());
    for (const AtomicAccess& A : Interpreted.Atomics)
      if (A.Part == LoopPart::Filling)
        return rejectLoop(A.Where->getExprLoc(), RowLoopProblem::UpdatedOutside, A.Parameter->getName());
    for (ElementAccess& A : Interpreted.Accesses) {
      if (A.Writes && A.Part == LoopPart::Filling)
        return rejectLoop(A.Where->getExprLoc(), RowLoopProblem::WrittenOutside, A.Array.name());
      if (A.FirstOf)
        A.Path = A.Path.intersect(blocksThatNeed(*A.FirstOf, Rows, Interpreted.RowLoop.Start));
    }
    return Interpreted.Understood;
  }

  /// Those that have the loop's first iteration, or begin no later than the last one that what an element of a queue holds before the
  /// loop goes into. To others it is nothing.
  isl::set blocksThatNeed(const QueueElement& Element, const RowLoopRequest& Rows, const Polynomial& Start) {
    const Polynomial First = Polynomial(Rows.RowsPerThread) * originOf(Rows.Dimension);
    const Polynomial End = First + Polynomial(Rows.RowsPerThread) * Sets.blockSize(Rows.Dimension);
    isl::set Blocks = Sets.none();
    for (auto [I, Last] : llvm::enumerate(Rows.Queues->Needed.at(Element.Variable))) {
      if (!Last)
        continue;
      isl::set Needing = Sets.compare(Comparison::LessEqual, First, Start + *Last);
      if (Element.Offset)
        Needing = Needing.intersect(Sets.compare(Comparison::Equal, *Element.Offset, static_cast<std::int64_t>(I)));
      Blocks = Blocks.unite(Needing);
    }
    return Blocks.intersect(Sets.compare(Comparison::Less, Start, End));
  }

  /// Whether each iteration leaves alone what others write: all that it does with an array that the
  /// kernel writes is in the row that the iteration writes.
  bool checkIterations(const InterpretedKernel& Interpreted) {
    const Polynomial& Row = Interpreted.RowLoop.Row;
    std::map<PointerVariable, Polynomial> Written;
    for (const CoordinateAccess& A : Accesses) {
      if (!A.Origin->Writes)
        continue;
      SourceLocation Where = A.Origin->Where->getExprLoc();
      Polynomial Beyond = A.Coordinates[0] - Row;
      if (isWalkedByGrid(Beyond) || Beyond.involves(Symbol::Kind::Counter) ||
          Beyond.involves(Symbol::Kind::Unknown))
        return rejectLoop(Where, RowLoopProblem::RowNotCounter, A.Array->Array.name());
      if (!startsInside(Interpreted.RowLoop) && (!Beyond.constant() || *Beyond.constant() > 0))
        return rejectLoop(Where, RowLoopProblem::StartsBefore, A.Array->Array.name());
      if (!(Written.try_emplace(A.Array->Array, Beyond).first->second == Beyond) || carriesIntoRow(A))
        return rejectLoop(Where, RowLoopProblem::OtherRows, A.Array->Array.name());
    }
    bool AnyRow = llvm::any_of(Accesses, [&](const CoordinateAccess& A) {
      std::optional<std::int64_t> Beyond = (A.Coordinates[0] - Row).constant();
      return A.Origin->Part == LoopPart::Inside && Beyond && *Beyond <= 0;
    });
    if (Written.empty() && !AnyRow && !Accesses.empty() && !startsInside(Interpreted.RowLoop))
      return rejectLoop(Accesses.front().Origin->Where->getExprLoc(), RowLoopProblem::StartsBefore,
                        Accesses.front().Array->Array.name());
    for (const CoordinateAccess& A : Accesses) {
      auto It = Written.find(A.Array->Array);
      if (A.Origin->Writes || It == Written.end())
        continue;
      bool Own = A.Origin->Part == LoopPart::Inside && A.Coordinates[0] - Row == It->second &&
                 !carriesIntoRow(A);
      if (!Own)
        return rejectLoop(A.Origin->Where->getExprLoc(), RowLoopProblem::OtherRows,
                          A.Array->Array.name());
    }
    return true;
  }

  /// Iterations before row 0 are no block's rows. What they do with an array in their own row, or in
  /// one before it, is outside of the array, so that there are none.
  static bool startsInside(const RowLoopTrace& Loop) {
    std::optional<std::int64_t> Start = Loop.Start.constant();
    return Start && *Start >= 0;
  }

  static bool carriesIntoRow(const CoordinateAccess& A) {
    return A.CarryLow[0] != 0 || A.CarryHigh[0] != 0;
  }

  // --- Which grid dimension walks which dimension of the arrays.

  /// \p Several: also where each thread has several columns.
  void vote(bool Writes, bool Several) {
    for (const CoordinateAccess& A : Accesses) {
      if (A.Origin->Writes != Writes)
        continue;
      DimensionWalks& Map = WalksOf[A.Coordinates.size()];
      Map.resize(A.Coordinates.size());
      for (size_t J = 0; J < A.Coordinates.size(); ++J) {
        std::optional<Walk> Found = walkOf(A.Coordinates[J]);
        if (!Found || Map[J] || llvm::is_contained(Map, std::optional(Found->Dimension)) || (J > 0 && Found->Step != 1 && !Several))
          continue;
        if (J > 0 && ColumnSteps.try_emplace(Found->Dimension, Found->Step).first->second != Found->Step)
          continue;
        Map[J] = Found->Dimension;
        if (J == 0 && !RowStep)
          RowStep = Found->Step;
      }
    }
  }

  bool findWalks() {
    if (Launch.RowDimension)
      for (const DistributedParameter& A : Arrays) {
        DimensionWalks& Map = WalksOf[A.Shape.dimensions()];
        Map.resize(A.Shape.dimensions());
        Map[0] = Launch.RowDimension;
      }
    vote(/*Writes=*/true, /*Several=*/false);
    if (Launch.isInBlocks() && !overlap())
      vote(/*Writes=*/true, /*Several=*/true);
    vote(/*Writes=*/false, /*Several=*/false);
    const CoordinateAccess* First = nullptr;
    for (bool Writes : {true, false})
      for (const CoordinateAccess& A : Accesses) {
        if (A.Origin->Writes != Writes || (First && !Writes))
          continue;
        const std::optional<unsigned>& Row = WalksOf[A.Coordinates.size()][0];
        if (!Row && Writes) {
          Reports.rowsNotWalked(A);
          return false;
        }
        if (!Row)
          continue;
        if (!First) {
          First = &A;
          Result.RowDimension = *Row;
        } else if (*Row != Result.RowDimension) {
          Reports.error(A.Origin->Where, Diag::err_rows_contradict)
              << std::string(1, DimensionName[*Row]) << A.Array->Array.name()
              << std::string(1, DimensionName[Result.RowDimension])
              << First->Array->Array.name() << A.Origin->Where->getSourceRange();
          return false;
        }
      }
    if (!First && !Accesses.empty()) {
      Reports.rowsNotWalked(Accesses.front());
      return false;
    }
    Result.RowsPerThread = RowStep.value_or(1);
    for (const auto& [D, Step] : ColumnSteps)
      if (D != Result.RowDimension)
        Result.ColumnsPerThread[D] = Step;
    if (First)
      for (auto& [Rank, Map] : WalksOf)
        if (!Map[0] && !llvm::is_contained(Map, std::optional(Result.RowDimension)))
          Map[0] = Result.RowDimension;
    return true;
  }

  // --- How far from the block's own coordinates.

  /// Reports a row that cannot be bounded, unless any row may be meant.
  void checkWholeRows(const CoordinateAccess& A) {
    const Polynomial& Row = A.Coordinates[0];
    if (Sets.unknownIn(Row))
      return Reports.notAffine(A, Row);
    if (A.Origin->Writes && inOneDimension())
      return Reports.notOwn(A);
    if (A.Origin->Writes) {
      for (unsigned D = 0; D < 3; ++D)
        if (!walkedBy(Row) && (Row.involves(Symbol::Kind::BlockIndex, D) ||
                               Row.involves(Symbol::Kind::BlockOrigin, D)))
          return Reports.blockStride(A, D);
      Reports.error(A.Origin->Where, Diag::err_writes_far)
          << A.Array->Array.name() << (Row.involves(Symbol::Kind::GridSize) ? 1 : 0)
          << A.Origin->Where->getSourceRange();
      if (!Bounds.endsOf(A, 0).Whole)
        Diags.report(A.Origin->Where->getExprLoc(), Diag::note_far_end_row) << A.Array->Array.name();
      else if (!Reports.noteComponents(A))
        Reports.noteRowOffset(A);
      return;
    }
    // Fixed rows and loops over all rows are read whole; a distance that the source names is meant
    // to be bounded.
    if (walkedBy(Row) == Result.RowDimension && !Row.involves(Symbol::Kind::GridSize) &&
        !Row.involves(Symbol::Kind::Unknown)) {
      Reports.error(A.Origin->Where, Diag::err_halo_unbounded)
          << A.Array->Array.name() << A.Origin->Where->getSourceRange();
      if (!Reports.noteComponents(A)) {
        Reports.noteRowOffset(A);
        Reports.noteHalo(A);
      }
    }
  }

  /// What the extents of all arrays are made of.
  std::set<Symbol> extents() const {
    std::set<Symbol> Found;
    for (const DistributedParameter& A : Arrays)
      for (const Polynomial& Extent : A.Shape.Extents)
        Found.merge(symbolsIn(Extent));
    return Found;
  }

  static std::set<Symbol> symbolsIn(const Polynomial& P) {
    std::set<Symbol> Found;
    for (const auto& [M, Coefficient] : P.terms())
      Found.insert(M.begin(), M.end());
    return Found;
  }

  /// The rows of a read that a clause speaks of, \p Depth at most from the block's own if that is known here. Of what subscripts do not say, data may
  /// wrap around from the last row to the first one.
  AxisAccess statedRows(const CoordinateAccess& A, std::optional<std::int64_t> Depth) {
    AxisAccess Rows = Depth ? AxisAccess{false, -*Depth, *Depth} : AxisAccess{/*Whole=*/true};
    if (!A.SaysPlace && (!Launch.isInBlocks() || Sets.unknownIn(A.Coordinates[0]))) {
      Rows.Periodic = wrapsAround(A);
      Rows.PerhapsPeriodic = !Rows.Periodic;
      return Rows;
    }
    const AxisAccess Found = Bounds.bounds(A, 0, Result.RowDimension);
    checkDepth(A, Found, Depth);
    Rows.Periodic = Found.Periodic;
    if (Found.Whole) {
      using RowsWithin = AccessBounds::RowsWithin;
      const std::optional<Polynomial>& Stated = A.Array->Halo->Rows;
      const RowsWithin How = Stated ? Bounds.staysWithin(A, Result.RowDimension, *Stated) : RowsWithin::NotShown;
      Rows.Periodic = How == RowsWithin::ShownPeriodically || (How == RowsWithin::NotShown && wrapsAround(A));
      Rows.PerhapsPeriodic = How == RowsWithin::NotShown && !Rows.Periodic;
      if (How == RowsWithin::NotShown)
        findPassedDepths(A);
    }
    return Rows;
  }

  /// Which numbers that the kernel is passed are how far a read goes, and no less.
  void findPassedDepths(const CoordinateAccess& A) {
    std::set<Symbol> Mentioned = symbolsIn(A.Coordinates[0]);
    for (const Monomial& M : Sets.monomialsOf(A.Domains[0]))
      Mentioned.insert(M.begin(), M.end());
    const std::set<Symbol> OfShapes = extents();
    const auto SaysDepth = [&](const Symbol& S) { return Mentioned.count(S) != 0 && OfShapes.count(S) == 0; };
    forEachPassedNumber([&](const PointerVariable& Number, const Polynomial& Value) {
      const std::set<Symbol> Symbols = symbolsIn(Value);
      if (Symbols.empty() || !llvm::all_of(Symbols, SaysDepth))
        return;
      for (const auto& [Times, More] : {std::pair(1, 0), std::pair(1, 1), std::pair(2, 0)}) {
        const Polynomial Depth = Value * Times + More;
        if (Bounds.staysWithin(A, Result.RowDimension, Depth) == AccessBounds::RowsWithin::NotShown ||
            Bounds.readsFarther(A, Result.RowDimension, Depth - 1, OfShapes) != true)
          continue;
        const PassedDepth Found{Number, Times, More};
        if (!llvm::is_contained(Result.PassedDepths, Found))
          Result.PassedDepths.push_back(Found);
        break;
      }
    });
  }

  /// Whether the subscript says that behind the last row the first one comes again, wherever else it may lead: by a remainder, or by as many rows
  /// to or from the thread's.
  bool wrapsAround(const CoordinateAccess& A) const {
    const Polynomial &Row = A.Coordinates[0], &Rows = A.Array->Shape[0];
    if (Sets.wrapsAround(Row, Rows))
      return true;
    if (!Row.involves(Symbol::Kind::BlockOrigin, Result.RowDimension))
      return false;
    const auto& [All, Number] = *Rows.terms().rbegin();
    const auto Added = Row.terms().find(All);
    return Added != Row.terms().end() && 2 * std::abs(Added->second) > std::abs(Number);
  }

  /// Whether a read is farther than \p Depth rows for some values of parameters only, as of a radius that the kernel is passed.
  bool isUnderstated(const CoordinateAccess& A, std::int64_t Depth) {
    return !forFixedRows() && Bounds.readsFarther(A, Result.RowDimension, Depth) == false;
  }

  /// A clause may say what subscripts do not, but nothing else than they do. Without a depth, the region looks.
  void checkDepth(const CoordinateAccess& A, const AxisAccess& Found, std::optional<std::int64_t> Depth) {
    const std::int64_t Most = std::max(-Found.Low, Found.High);
    if (!Depth) {
      if (!Found.Whole && !isUnderstated(A, Most - 1)) {
        std::int64_t& Least = LeastDepths[A.Array->Array];
        Least = std::max(Least, Most);
      }
      return;
    }
    ExceededHalo Exceeded{A.Origin->Where, A.Array->Array, *Depth};
    // 2 * y, of an array with more rows than that of the threads, is near in arrays of constant length only because these end.
    const std::optional<Walk> Moves = walkOf(A.Coordinates[0]);
    const bool OtherLevel = Moves && Moves->Step != Result.RowsPerThread;
    const bool Understated = !Found.Whole && isUnderstated(A, *Depth);
    if (Understated)
      findPassedDepths(A);
    if (Understated && !OtherLevel)
      return;
    if (Found.Whole ? A.SaysPlace && Bounds.readsFarther(A, Result.RowDimension, *Depth) == true : OtherLevel && Most > *Depth)
      Exceeded.Beyond = ExceededHalo::Far;
    else if (!Found.Whole && -Found.Low > *Depth)
      Exceeded.Reads = -Found.Low;
    else if (!Found.Whole && Found.High > *Depth)
      std::tie(Exceeded.Beyond, Exceeded.Reads) = std::pair(ExceededHalo::Behind, Found.High);
    else
      return;
    auto Same = llvm::find_if(Result.Exceeded, [&](const ExceededHalo& E) { return E.Where == Exceeded.Where && E.Beyond == Exceeded.Beyond; });
    if (Same == Result.Exceeded.end())
      Result.Exceeded.push_back(std::move(Exceeded));
    else
      Same->Reads = std::max(Same->Reads, Exceeded.Reads);
  }

  /// Sets AlongAxes to false if an access leaves the block's own coordinates along two dimensions.
  std::optional<std::array<AxisAccess, 3>> axes(const DistributedParameter& Array, bool Writes,
                                                bool& AlongAxes) {
    std::optional<std::array<AxisAccess, 3>> Axes;
    std::array<bool, 3> Seen = {};
    unsigned Left = 0; // the dimensions along which an access leaves them
    auto Add = [&](unsigned D, const AxisAccess& Found) {
      AxisAccess& Axis = (*Axes)[D];
      Left += !Found.isWithinOwn();
      Axis.Whole |= Found.Whole;
      Axis.Periodic |= Found.Periodic;
      Axis.PerhapsPeriodic |= Found.PerhapsPeriodic;
      Axis.Low = Seen[D] ? std::min(Axis.Low, Found.Low) : Found.Low;
      Axis.High = Seen[D] ? std::max(Axis.High, Found.High) : Found.High;
      Seen[D] = true;
    };
    for (const CoordinateAccess& A : Accesses) {
      if (A.Array != &Array || A.Origin->Writes != Writes)
        continue;
      if (!Axes)
        Axes.emplace();
      Left = 0;
      const DimensionWalks& Map = WalksOf[Array.Shape.dimensions()];
      for (unsigned D = 0; D < 3; ++D) {
        if (A.Origin->FoundRow) { // whatever a clause says
          if (D <= Result.RowDimension)
            Add(D, D == Result.RowDimension ? Bounds.bounds(A, 0, D) : AxisAccess{/*Whole=*/true});
          continue;
        }
        auto It = llvm::find(Map, std::optional(D));
        if (It == Map.end()) {
          if (llvm::is_contained(Used, D))
            Add(D, {/*Whole=*/true});
          continue;
        }
        if (!Writes && Array.Halo) {
          const std::optional<std::int64_t>& Depth = Array.Halo->Depth;
          const bool Bounded = Depth && AccessBounds::areCounted(-*Depth, *Depth);
          const auto J = static_cast<size_t>(It - Map.begin());
          if (D == Result.RowDimension) {
            Add(D, statedRows(A, Bounded ? Depth : std::nullopt));
          } else if (Bounded && !inOneDimension() && !forFixedRows() && !Sets.unknownIn(A.Coordinates[J])) {
            Add(D, Bounds.bounds(A, J, D));
          } else {
            // The clause is about rows. In one dimension, the element after the last one of a row is in the next; a thread for fixed rows
            // has none of its own.
            Add(D, {/*Whole=*/true});
          }
          continue;
        }
        if (A.IntoEndRow && D == Result.RowDimension)
          continue;
        auto J = static_cast<size_t>(It - Map.begin());
        AxisAccess Found = Bounds.bounds(A, J, D);
        if (Found.Whole && D == Result.RowDimension) {
          checkWholeRows(A);
          Result.ReadsFar |= !Writes && !Reports.failed() && Bounds.readsFar(A, D, extents());
          if (!Writes && !Result.ReadsAnyRow)
            Result.ReadsAnyRow = {Array.Array, A.Origin->Where};
        } else if (Found.Whole && Sets.unknownIn(A.Coordinates[J])) {
          Reports.notAffine(A, A.Coordinates[J]);
        }
        Add(D, Found);
      }
      AlongAxes &= Left <= 1;
    }
    // Two ways around an array of constant length meet.
    if (Axes)
      if (AxisAccess& Rows = (*Axes)[Result.RowDimension]; Rows.Periodic && Array.Shape[0].constant().value_or(INT64_MAX) < 2 * std::max(-Rows.Low, Rows.High))
        Rows = {/*Whole=*/true};
    return Axes;
  }

  /// How far the rows that threads read are from those that they write. What a thread keeps from row to row of a loop is not seen.
  void findThreadRows() {
    if (Reports.failed() || Result.Loop || overlap() || forFixedRows() || Launch.Threads == ThreadMapping::PartialBlocks)
      return;
    struct Range {
      std::int64_t Low = INT64_MAX, High = INT64_MIN;
      void add(const std::pair<std::int64_t, std::int64_t>& Rows) {
        Low = std::min(Low, Rows.first);
        High = std::max(High, Rows.second);
      }
    } Written;
    std::map<PointerVariable, Range> Read;
    std::set<PointerVariable> Changing;
    const std::set<Symbol> Extents = extents();
    for (const CoordinateAccess& A : Accesses) {
      auto SaysNothing = [&](const Polynomial& P) { return Sets.unknownIn(P) != nullptr; };
      const bool IsStated = !A.Origin->Writes && A.Array->Halo && !A.SaysPlace;
      if (IsStated || A.IntoEndRow || A.Origin->FoundRow || SaysNothing(A.Component) || llvm::any_of(A.Coordinates, SaysNothing))
        return;
      const auto Rows = Bounds.rowsFromThread(A, Result.RowDimension);
      if (!Rows)
        return;
      (A.Origin->Writes ? Written : Read[A.Array->Array]).add(*Rows);
      if (A.Origin->Writes && dependsOnChanging(A, Extents))
        Changing.insert(A.Array->Array);
    }
    if (Written.Low > Written.High)
      return;
    const ValueUse Values = findValueUse(Kernel, [&](const ParmVarDecl* Parameter, const FieldDecl* Field) {
      auto Known = Launch.Arguments.find({Parameter, Field});
      auto OfExtents = [&](const Symbol& S) { return Extents.count(S) != 0; };
      return Known != Launch.Arguments.end() &&
             llvm::all_of(Known->second.terms(), [&](const auto& Term) { return llvm::all_of(Term.first, OfExtents); });
    });
    if (!Values.MayBeAny)
      return;
    // A thread may have computed what it writes to one of its rows from what it has read for another.
    const std::int64_t Others = Result.RowsPerThread - 1;
    for (ArrayAccess& A : Result.Arrays) {
      if (auto Rows = Read.find(A.Array); Rows != Read.end())
        A.FromWritten = {std::max<std::int64_t>(Written.High - Rows->second.Low + Others, 0), std::max<std::int64_t>(Rows->second.High - Written.Low + Others, 0)};
      A.WritesFixedElements = A.Writes && Values.StoresAlways && !Changing.count(A.Array);
    }
    Result.ThreadRowsKnown = true;
  }

  /// Whether where or whether an access is depends on more than places and \p Extents.
  bool dependsOnChanging(const CoordinateAccess& A, const std::set<Symbol>& Extents) const {
    auto Changes = [&](const Symbol& S) {
      switch (S.Of) {
      case Symbol::Kind::Parameter:
        return Extents.count(S) == 0;
      case Symbol::Kind::Unknown:
        return true;
      default:
        return false;
      }
    };
    auto SomeChange = [&](const Monomial& M) { return llvm::any_of(M, Changes); };
    auto OfSome = [&](const Polynomial& P) { return llvm::any_of(P.terms(), [&](const auto& Term) { return SomeChange(Term.first); }); };
    return OfSome(A.Component) || llvm::any_of(A.Coordinates, OfSome) ||
           llvm::any_of(A.Domains, [&](const isl::set& Domain) { return llvm::any_of(Sets.monomialsOf(Domain), SomeChange); });
  }

  /// Marks stores beyond the rows of a block that go into the array's first or last rows, as those of `if (y == 1) u[x] = ...`. Where these
  /// are near, nobody but the process that has them needs them, if it has enough rows; the runtime looks.
  WrittenEndRows findEndRows(const DistributedParameter& Array) {
    constexpr std::int64_t Most = 8;
    WrittenEndRows Found;
    auto IsStore = [&](const CoordinateAccess& A) { return A.Array == &Array && A.Origin->Writes; };
    // What threads of a block read again in a later step of a loop would be another block's.
    const bool ReadsAgain = Result.RowsStrided && llvm::any_of(Accesses, [&](const CoordinateAccess& A) { return A.Array == &Array && !A.Origin->Writes; });
    if (forFixedRows() || Result.Loop || overlap() || ReadsAgain || llvm::count_if(Accesses, IsStore) < 2)
      return Found;
    std::vector<std::pair<CoordinateAccess*, AxisAccess>> Stores;
    for (CoordinateAccess& A : Accesses)
      if (IsStore(A) && !carriesIntoRow(A) && !Sets.unknownIn(A.Coordinates[0]))
        Stores.push_back({&A, Bounds.bounds(A, 0, Result.RowDimension)});
    AxisAccess All{false, INT64_MAX, INT64_MIN};
    for (const auto& [A, Rows] : Stores)
      All = {All.Whole || Rows.Whole, std::min(All.Low, Rows.Low), std::max(All.High, Rows.High)};
    if (All.Whole || All.High <= All.Low || All.Low < -Most || All.High > Most)
      return Found;
    AxisAccess Own{false, INT64_MAX, INT64_MIN};
    std::vector<std::pair<CoordinateAccess*, WrittenEndRows>> AtEnds;
    for (const auto& [A, Rows] : Stores)
      if (DimensionEnds Ends = Bounds.endsOf(*A, 0); !Ends.Whole && Ends.First + Ends.Last <= Most)
        AtEnds.push_back({A, {Ends, Rows.Low, Rows.High}});
      else
        Own = {false, std::min(Own.Low, Rows.Low), std::max(Own.High, Rows.High)};
    if (Own.Low > Own.High)
      Own = {};
    for (const auto& [A, Rows] : AtEnds)
      if (Rows.Low < Own.Low || Rows.High > Own.High) {
        A->IntoEndRow = true;
        Found.unite(Rows);
      }
    return Found;
  }

  /// ArrayAccess::OfThread.
  bool isOfThread(const DistributedParameter& Array, const ArrayAccess& Found) {
    if (Found.EndRows.some())
      return false;
    for (const auto& Axes : {Found.Reads, Found.Writes})
      if (Axes && !llvm::all_of(*Axes, [](const AxisAccess& Axis) { return Axis.isOwn(); }))
        return false;
    if (inOneDimension())
      return true; // an element is some way from the one that has the thread's number
    const DimensionWalks& Map = WalksOf[Array.Shape.dimensions()];
    return llvm::all_of(Accesses, [&](const CoordinateAccess& A) {
      if (A.Array != &Array)
        return true;
      for (size_t J = 0; J < Map.size(); ++J)
        if (Map[J] && !(A.Coordinates[J] == threadAlong(*Map[J])))
          return false;
      return !A.Origin->FoundRow;
    });
  }

  /// A boundary's columns are few, and a rank that has none of them has nothing to wait for.
  void findEnds(const DistributedParameter& Array, ArrayAccess& Found) {
    const DimensionWalks& Map = WalksOf[Array.Shape.dimensions()];
    Found.Ends.resize(Map.size());
    Found.WrittenEnds.resize(Map.size());
    bool Known = Launch.isInBlocks();
    for (size_t J = 1; J < Map.size(); ++J) {
      if (Map[J])
        continue;
      for (const CoordinateAccess& A : Accesses) {
        if (A.Array != &Array)
          continue;
        DimensionEnds Ends = Known && (A.Origin->Writes || !Array.Halo) ? Bounds.endsOf(A, J) : DimensionEnds{/*Whole=*/true};
        Found.Ends[J].unite(Ends);
        if (A.Origin->Writes)
          Found.WrittenEnds[J].unite(Ends);
      }
    }
  }

  static Polynomial productOf(const Monomial& M) {
    Polynomial Product(1);
    for (const Symbol& Factor : M)
      Product = Product * Factor;
    return Product;
  }

  /// A kernel with a loop of whole grids through the rows is given a grid that has all rows. If its
  /// loop then ends after an iteration, the steps are 0; nothing else may depend on how large it
  /// is.
  bool resolveRowStrides(const InterpretedKernel& Interpreted) {
    const CoordinateAccess* Outside = nullptr;
    std::set<const Stmt*> Loops;
    for (CoordinateAccess& A : Accesses) {
      bool Inside = false, InKernel = true;
      std::set<Monomial> Mentioned;
      for (const isl::set& Each : A.Domains)
        for (const Monomial& M : Sets.monomialsOf(Each))
          Mentioned.insert(M);
      for (const Monomial& M : Mentioned) {
        if (!isGridStep(M, Result.RowDimension))
          continue;
        Polynomial Step = productOf(M);
        Polynomial Rows = Polynomial(Launch.BlockSize[Result.RowDimension].value_or(1)) * Step;
        if (possible(A, 0, Comparison::LessEqual, A.Array->Shape[0], Rows)) {
          Reports.gridStrides(A.Array->Array, A.Origin->Where);
          return false;
        }
        Inside = true;
        for (const Symbol& Factor : M)
          if (auto Loop = Interpreted.Loops.find(Factor.Index); Factor.Of == Symbol::Kind::Counter && Loop != Interpreted.Loops.end()) {
            InKernel &= Loop->second.Calls.empty();
            Loops.insert(Loop->second.Loop);
          }
        A.restrictTo(Sets.compare(Comparison::Equal, Step, 0));
        for (Polynomial& C : A.Coordinates)
          if (auto It = C.terms().find(M); It != C.terms().end())
            C = C - Polynomial(It->second) * Step;
      }
      Result.RowsStrided |= Inside;
      if (!Inside || !InKernel)
        Outside = &A;
    }
    if (!Result.RowsStrided)
      return true;
    if (Outside)
      Reports.gridStrides(Outside->Array->Array, Outside->Origin->Where);
    else if (const Expr* Other = otherUseOfGridSize(Kernel, Context))
      Reports.error(Other, Diag::err_writes_far) << Accesses.front().Array->Array.name() << 4 << Other->getSourceRange();
    return !Reports.failed() && checkGridStrides(Loops, Result.RowDimension, Interpreted);
  }

  // --- Whether writes can be shared out.

  /// What a block may write must be its own for certain: it is put to other processes, whether it
  /// was written or not.
  void checkDealing(const DistributedParameter& Array, const ArrayAccess& Found) {
    for (unsigned D : Used) {
      const AxisAccess& Axis = (*Found.Writes)[D];
      if (!Axis.Whole && Axis.High <= Axis.Low)
        continue;
      if (D != Result.RowDimension) {
        Result.RowsTogether = true;
        continue;
      }
      if (Reports.failed())
        return;
      std::vector<std::pair<const CoordinateAccess*, AxisAccess>> Stores;
      for (const CoordinateAccess& A : Accesses)
        if (A.Array == &Array && A.Origin->Writes && !A.IntoEndRow)
          Stores.push_back({&A, Bounds.bounds(A, 0, D)});
      // The nearest one is meant to be into the block's own rows, and the one that is furthest from it is not.
      auto Between = [](const AxisAccess& Rows, const AxisAccess& Others) {
        return Rows.Whole || Others.Whole ? INT64_MAX : std::max(std::abs(Rows.Low - Others.Low), std::abs(Rows.High - Others.High));
      };
      const AxisAccess Meant =
          llvm::min_element(Stores, [&](const auto& A, const auto& B) { return Between(A.second, {}) < Between(B.second, {}); })->second;
      const CoordinateAccess* Outside =
          llvm::max_element(Stores, [&](const auto& A, const auto& B) { return Between(A.second, Meant) < Between(B.second, Meant); })->first;
      Reports.error(Outside->Origin->Where, Diag::err_writes_far)
          << Array.Array.name() << 2 << Outside->Origin->Where->getSourceRange();
      if (Launch.Pitch[D])
        Diags.report(Outside->Origin->Where->getExprLoc(), Diag::note_block_pitch)
            << std::string(1, DimensionName[D]) << 1 << std::to_string(*Launch.Pitch[D]);
      return;
    }
  }

  /// The elements that a block writes, as a set of the named origins of blocks and coordinates.
  isl::set elementsOf(const CoordinateAccess& A, const std::string& Block) {
    isl::set S = A.domain();
    for (unsigned D = 0; D < 3; ++D) {
      // A loop that walks on by whole grids comes to blocks of its own: blocks that differ stay
      // apart in all of its steps.
      Polynomial Origin = originOf(D);
      for (const Polynomial& C : A.Coordinates)
        if (std::optional<Walk> Found = walkOf(C);
            Found && Found->Dimension == D && Found->Step == 1)
          Origin = Origin + gridSteps(C, D);
      S = Sets.bound(S, Block + DimensionName[D], Origin);
    }
    for (size_t J = 0; J < A.Coordinates.size(); ++J)
      S = Sets.bound(S, "e" + std::to_string(J), A.Coordinates[J]);
    S = Sets.bound(S, "component", A.Component);
    return Sets.withoutVarying(Sets.closed(S)).coalesce();
  }

  /// The part of a coordinate by which a loop goes on through it by whole grids.
  Polynomial gridSteps(const Polynomial& Coordinate, unsigned D) const {
    Polynomial Steps;
    for (const auto& [M, Coefficient] : Coordinate.terms())
      if (Coefficient == Launch.BlockSize[D].value_or(1) && isGridStep(M, D))
        Steps = Steps + Polynomial(Coefficient) * productOf(M);
    return Steps;
  }

  bool isGridStep(const Monomial& M, unsigned D) const {
    Monomial Expected = {Symbol{Symbol::Kind::GridSize, D}};
    if (!Launch.BlockSize[D])
      Expected.push_back(Symbol{Symbol::Kind::BlockSize, D});
    return M.size() == Expected.size() + 1 &&
           llvm::all_of(Expected, [&](const Symbol& S) { return llvm::is_contained(M, S); }) &&
           llvm::any_of(M, [](const Symbol& S) { return S.Of == Symbol::Kind::Counter; });
  }

  /// Blocks that differ then write different elements, since they have different coordinates along a dimension.
  bool writesOwnOnly(const DistributedParameter& Array) const {
    auto Found = llvm::find_if(Result.Arrays, [&](const ArrayAccess& A) { return A.Array == Array.Array; });
    return (Launch.isInBlocks() || inOneDimension()) && Found != Result.Arrays.end() && Found->Writes && !Found->EndRows.some() &&
           llvm::all_of(Used, [&](unsigned D) { return (*Found->Writes)[D].isWithinOwn(); });
  }

  void checkInjective(const DistributedParameter& Array) {
    struct Store {
      const CoordinateAccess* Access = nullptr;
      isl::set OfOne, OfOther;
    };
    std::vector<Store> Stores;
    if (forFixedRows())
      Sets.allowForPart();
    for (const CoordinateAccess& A : Accesses)
      if (A.Array == &Array && A.Origin->Writes)
        Stores.push_back({&A, elementsOf(A, "a"), elementsOf(A, "b")});
    for (const Store& First : Stores)
      for (const Store& Second : Stores) {
        if (forFixedRows() && (FixedRows.lieInRowsApart(*First.Access, *Second.Access) ||
                               FixedRows.storesSameValue(*First.Access, *Second.Access)))
          continue;
        isl::set Common = First.OfOne.intersect(Second.OfOther);
        for (unsigned D : Used) {
          std::string A = std::string("a") + DimensionName[D];
          std::string B = std::string("b") + DimensionName[D];
          if (Common.intersect(Sets.differsByAtLeast(A, B, Sets.pitch(D))).is_empty())
            continue;
          // Of a row, for which one process runs all blocks.
          if (First.Access->Origin->Atomic && Second.Access->Origin->Atomic &&
              D != Result.RowDimension && Launch.isInBlocks() && !forFixedRows()) {
            Result.RowsTogether = true;
            Result.ThreadRowsKnown = false;
            continue;
          }
          Reports.error(Second.Access->Origin->Where, Diag::err_writes_not_injective)
              << Array.Array.name() << std::string(1, DimensionName[D])
              << Second.Access->Origin->Where->getSourceRange();
          if (!Launch.BlockSize[D] && mentionsIndexAlone(*Second.Access, D))
            Diags.report(Second.Access->Origin->Where->getExprLoc(), Diag::note_block_index_alone) << std::string(1, DimensionName[D]);
          if (First.Access->Origin->Where != Second.Access->Origin->Where)
            Diags.report(First.Access->Origin->Where->getExprLoc(), Diag::note_other_write)
                << First.Access->Origin->Where->getSourceRange();
          return;
        }
      }
  }

  /// A dimension that no subscript and no condition mentions has one block.
  bool mentionsBlock(const CoordinateAccess& A, unsigned D) {
    return llvm::any_of(A.Domains, [&](const isl::set& Each) {
      return Sets.mentions(Each, Symbol::Kind::BlockOrigin, D) || Sets.mentions(Each, Symbol::Kind::BlockIndex, D);
    });
  }

  const FunctionDecl* Kernel;
  ArrayRef<DistributedParameter> Arrays;
  const LaunchFacts& Launch;
  ASTContext& Context;
  Diagnostics& Diags;
  /// Of a tile, as far as it is known.
  std::array<std::optional<std::int64_t>, 3> BlockSize;
  SymbolicSets Sets;
  AccessReports Reports;
  AccessBounds Bounds;
  FixedRowAnalysis FixedRows;
  // Hold sets, so that they go before them.
  std::vector<CoordinateAccess> Accesses;
  std::vector<CollectedPlace> Places;
  std::vector<CollectedStore> Collected;
  /// Grid dimensions that the kernel names.
  std::set<unsigned> NamedDimensions;
  /// Of Result.Fitting: along a dimension, what threads are below.
  std::vector<std::pair<unsigned, Polynomial>> FittingBelow;
  std::map<size_t, DimensionWalks> WalksOf;
  /// Of the rows, by the first access that says so; writes come first.
  std::optional<std::int64_t> RowStep;
  /// By grid dimension, of what walks others than the rows.
  std::map<unsigned, std::int64_t> ColumnSteps;
  /// Grid dimensions that subscripts or conditions mention; others have one block.
  std::vector<unsigned> Used;
  KernelAccesses Result;
  /// Arrays and their dimensions of which a warning says that subscripts may leave them.
  /// Dimensions, from the fastest one, that warn_leaves_row has told of.
  std::set<size_t> Warned;
  /// Of arrays with components.
  std::map<PointerVariable, std::int64_t> LeastRows, RowMultiples;
  /// Of arrays with a clause that says it at run time only: how far subscripts reach.
  std::map<PointerVariable, std::int64_t> LeastDepths;
  /// By dimension.
  std::map<PointerVariable, std::vector<std::int64_t>> LeastExtents;
  KernelForm Form;
};

} // namespace

std::string endRows(const DimensionEnds& Count) {
  auto Rows = [](std::int64_t Number, const char* Which) {
    return std::string("its ") + Which + (Number == 1 ? " row" : " " + std::to_string(Number) + " rows");
  };
  if (Count.Last == 0)
    return Rows(Count.First, "first");
  return (Count.First == 0 ? "" : Rows(Count.First, "first") + " and ") + Rows(Count.Last, "last");
}

bool readsRowsOf(const KernelAccesses& Accesses, const ArrayAccess& Written,
                 const ArrayAccess& Read) {
  return Written.Writes && Read.Reads &&
         !((*Written.Writes)[Accesses.RowDimension].isOwn() &&
           (*Read.Reads)[Accesses.RowDimension].isOwn());
}

void print(const KernelAccesses& Accesses, llvm::raw_ostream& Out) {
  auto PrintAxes = [&](const std::array<AxisAccess, 3>& Axes) {
    const char* Separator = " (";
    for (unsigned D = 0; D < 3; ++D) {
      const AxisAccess& Axis = Axes[D];
      if (Axis.isOwn())
        continue;
      Out << Separator << DimensionName[D];
      if (Axis.Whole)
        Out << " whole";
      else
        Out << ' ' << Axis.Low << ".." << Axis.High;
      Out << (Axis.Periodic ? " periodic" : Axis.PerhapsPeriodic ? " perhaps periodic" : "");
      Separator = ", ";
    }
    Out << (Separator[0] == ',' ? ")" : " (own)");
  };
  Out << "rows " << DimensionName[Accesses.RowDimension];
  if (Accesses.FirstRow)
    Out << " from '" << Accesses.FirstRow->text(Accesses.FirstRow->Number.Variable->getNameAsString()) << "' on";
  if (Accesses.Threads == ThreadMapping::OneDimension)
    Out << " in one dimension";
  if (Accesses.Threads == ThreadMapping::FixedRows)
    Out << (Accesses.FixedRows.Searched ? " of stores that are searched for" : " of stores into fixed rows");
  if (Accesses.FixedRows.ThreadsWalked != 1)
    Out << " by " << Accesses.FixedRows.ThreadsWalked << " threads each";
  if (Accesses.Threads == ThreadMapping::PartialBlocks)
    Out << " of parts of blocks in one dimension";
  if (Accesses.RowsPerThread != 1)
    Out << " (" << Accesses.RowsPerThread << " per thread" << (Accesses.Loop ? ", in a loop" : "");
  if (unsigned Filling = Accesses.Loop ? Accesses.Loop->fillingIterations() : 0)
    Out << " after " << Filling << " for its queues";
  if (Accesses.RowsPerThread != 1)
    Out << ')';
  for (const ArrayAccess& A : Accesses.Arrays) {
    if (A.Reads) {
      Out << "; reads " << A.Array.name();
      PrintAxes(*A.Reads);
      if (A.ReadsAlongAxes)
        Out << " along axes";
    }
    if (A.Writes) {
      Out << "; writes " << A.Array.name();
      PrintAxes(*A.Writes);
      if (A.EndRows.some())
        Out << " and " << endRows(A.EndRows.Count);
      if (A.Published && A.PublishedByHand)
        Out << ", put with halo " << A.Published->Before;
      else if (A.Published && A.Published->some())
        Out << ", published (" << DimensionName[Accesses.RowDimension] << ' '
            << -A.Published->Before << ".." << A.Published->After << ')';
      else if (A.Published)
        Out << ", not published";
    }
  }
  for (const AtomicReduction& R : Accesses.Reductions)
    Out << (R.Op == AtomicReduction::Add   ? "; adds to *"
            : R.Op == AtomicReduction::Max ? "; maximum in *"
            : R.Op == AtomicReduction::Min ? "; minimum in *"
                                           : "; sets *")
        << R.Scalar->getName();
  if ((Accesses.Threads == ThreadMapping::Coordinates && !Accesses.FirstRow) || Accesses.Threads == ThreadMapping::PlayedBlocks)
    Out << "; in blocks of another size";
  if (Accesses.FewerThreads)
    Out << "; by some of the threads";
  for (unsigned D = 0; D < 3; ++D)
    if (Accesses.ColumnsPerThread[D] != 1)
      Out << "; " << Accesses.ColumnsPerThread[D] << " per thread in " << DimensionName[D];
  for (unsigned D = 0; D < 3; ++D)
    if (Accesses.Pitch[D])
      Out << "; blocks begin " << *Accesses.Pitch[D] << " apart in " << DimensionName[D];
}

Polynomial LaunchFacts::passedNumber(const VarDecl* Of, const FieldDecl* Field) const {
  auto Known = Arguments.find({Of, Field});
  return Known != Arguments.end() ? Known->second : Polynomial(Symbol{Symbol::Kind::Parameter, 0, Of, Field});
}

std::string RowOrigin::text(const std::string& Variable) const {
  const bool IsName = isValidAsciiIdentifier(Variable);
  const bool IsWhole = Number.Members.empty() && Times == 1;
  return (Times != 1 ? std::to_string(Times) + " * " : "") + (IsName || IsWhole ? Variable : "(" + Variable + ")") + Number.memberText();
}

bool overlap(const BlockPitch& Pitch) {
  return llvm::any_of(Pitch, [](const auto& Along) { return Along.has_value(); });
}

std::optional<std::int64_t> threadsIn(const BlockExtents& Block) {
  std::int64_t Threads = 1;
  for (const std::optional<std::int64_t>& Extent : Block) {
    if (!Extent)
      return std::nullopt;
    Threads *= *Extent;
  }
  return Threads;
}

bool hasWholeWarps(const BlockExtents& Block) {
  constexpr std::int64_t Warp = 32;
  const std::optional<std::int64_t> Threads = threadsIn(Block);
  return Threads && *Threads % Warp == 0;
}

std::optional<KernelAccesses> analyzeAccesses(const FunctionDecl* Kernel,
                                              ArrayRef<DistributedParameter> Arrays,
                                              const LaunchFacts& Launch, ASTContext& Context,
                                              Diagnostics& Diags, KernelForm* Seen) {
  Diags.finish(); // what is noted below belongs to what is found here
  Analysis Analyse(Kernel, Arrays, Launch, Context, Diags);
  std::optional<KernelAccesses> Found;
  bool TooComplex = false;
  try {
    Found = Analyse.run();
  } catch (const isl::exception&) {
    // isl gives up after a number of operations.
    TooComplex = true;
  }
  if (Seen) {
    *Seen = Analyse.form();
    Seen->TooComplex = TooComplex;
  }
  if (TooComplex) {
    reportTooComplex(Kernel, Diags);
  } else if (!Found && Diags.lastIsOutside(Kernel->getSourceRange())) {
    Diags.report(Kernel->getLocation(), Diag::note_of_kernel) << Kernel->getName();
  }
  return Found;
}

void reportTooComplex(const FunctionDecl* Kernel, Diagnostics& Diags) {
  Diags.report(Kernel->getLocation(), Diag::err_too_complex) << Kernel->getName();
}

void noteDeviceVariable(SourceLocation Loc, const VarDecl& Variable, Diagnostics& Diags) {
  const PrintingPolicy Policy(Variable.getASTContext().getLangOpts());
  Diags.report(Loc, Diag::note_device_variable)
      << Variable.getName() << Variable.getType().getUnqualifiedType().getAsString(Policy) << ("its_" + Variable.getName()).str();
}

} // namespace gpurma
