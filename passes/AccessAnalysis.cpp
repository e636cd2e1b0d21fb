// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/AccessAnalysis.h"

#include "passes/GridStrides.h"
#include "passes/KernelInterpreter.h"
#include "passes/ThreadCooperation.h"

#include "clang/AST/Attr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <bit>
#include <set>
#include <variant>

using namespace clang;

namespace gpurma {
namespace {

constexpr char DimensionName[] = {'x', 'y', 'z'};

/// How many iterations of a loop over the rows a logical block has for each of its threads. Each block fills the loop's queues anew, so
/// that it has four times as many as that takes, as far as this leaves enough blocks to a process; and a power of two, so that blocks of
/// several loops end at the same rows.
std::int64_t rowsOfLoop(unsigned FillingIterations) {
  constexpr unsigned Least = 4, Most = 16;
  return std::bit_ceil(std::clamp(4 * FillingIterations, Least, Most));
}

Polynomial originOf(unsigned Dimension) {
  return Symbol{Symbol::Kind::BlockOrigin, Dimension};
}

/// How a coordinate moves from one logical block to the next.
struct Walk {
  unsigned Dimension = 0;
  /// Coordinates for each thread of a block.
  std::int64_t Step = 1;
};

/// The grid dimension d of which P is blockIdx.d * blockDim.d, or a multiple of it, and something
/// that is the same for all blocks.
std::optional<Walk> walkOf(const Polynomial& P) {
  std::optional<Walk> Found;
  for (unsigned D = 0; D < 3; ++D) {
    if (P.involves(Symbol::Kind::BlockIndex, D))
      return std::nullopt;
    if (!P.involves(Symbol::Kind::BlockOrigin, D))
      continue;
    std::int64_t Step = P.coefficient(Symbol{Symbol::Kind::BlockOrigin, D});
    if (Found || Step < 1 ||
        (P - Polynomial(Step) * originOf(D)).involves(Symbol::Kind::BlockOrigin, D))
      return std::nullopt;
    Found = Walk{D, Step};
  }
  return Found;
}

/// The grid dimension that walks the coordinate with one coordinate for each thread.
std::optional<unsigned> walkedBy(const Polynomial& P) {
  std::optional<Walk> Found = walkOf(P);
  return Found && Found->Step == 1 ? std::optional(Found->Dimension) : std::nullopt;
}

/// A product of a parameter with something that differs between threads: a row length that is not
/// the shape's.
bool hasForeignStride(const Polynomial& P) {
  return llvm::any_of(P.terms(), [](const auto& Term) {
    const Monomial& M = Term.first;
    bool Parameter =
        llvm::any_of(M, [](const Symbol& S) { return S.Of == Symbol::Kind::Parameter; });
    return Parameter &&
           llvm::any_of(M, [](const Symbol& S) { return S.Of != Symbol::Kind::Parameter; });
  });
}

/// A product that isl cannot bound. Strides of loops, counter * blockDim.d * gridDim.d, are at
/// least known not to be negative.
bool isNonlinear(const Polynomial& P) {
  return llvm::any_of(P.terms(), [](const auto& Term) {
    const Monomial& M = Term.first;
    auto OfStride = [](const Symbol& S) {
      return S.Of == Symbol::Kind::Counter || S.Of == Symbol::Kind::BlockSize ||
             S.Of == Symbol::Kind::GridSize;
    };
    return M.size() > 1 && !llvm::all_of(M, OfStride) &&
           llvm::any_of(M, [](const Symbol& S) { return S.Of != Symbol::Kind::Parameter; });
  });
}

/// An access in coordinates of its array.
struct CoordinateAccess {
  const ElementAccess* Origin = nullptr;
  const DistributedParameter* Array = nullptr;
  /// The rows, in all components, first.
  std::vector<Polynomial> Coordinates;
  Polynomial Component;
  /// How far a coordinate that leaves its row changes the one before it: -1 or 0, and 0 or 1.
  std::vector<std::int64_t> CarryLow, CarryHigh;
  /// The values of the symbols for which it is reached, and all that is known of them.
  isl::set Domain;
};

/// Which grid dimension walks each dimension of the arrays with as many dimensions.
using DimensionWalks = std::vector<std::optional<unsigned>>;

class Analysis {
public:
  Analysis(const FunctionDecl* Kernel, ArrayRef<DistributedParameter> Arrays,
           const LaunchFacts& Launch, ASTContext& Context, Diagnostics& Diags)
      : Kernel(Kernel), Arrays(Arrays), Launch(Launch), Context(Context), Diags(Diags),
        BlockSize(Launch.Threads == ThreadMapping::Blocks ? Launch.BlockSize : decltype(BlockSize)()),
        Sets(BlockSize) {
    Sets.setLaunchedSize(Launch.BlockSize);
    Sets.setPitch(Launch.Pitch);
    Result.Pitch = Launch.Pitch;
    Result.Threads = Launch.Threads;
    Result.LaunchedBlock = Launch.BlockSize;
  }

  std::optional<KernelAccesses> run() {
    std::set<PointerVariable> Distributed;
    for (const DistributedParameter& A : Arrays) {
      Distributed.insert(A.Array);
      for (const Polynomial& Extent : A.Shape.Extents)
        Sets.assumePositive(Extent);
    }
    std::optional<RenumberedThreads> Renumbered;
    if (inOneDimension() && !(Renumbered = numberedByElements()))
      return std::nullopt;
    if (Launch.Threads == ThreadMapping::Coordinates) {
      Renumbered.emplace();
      for (unsigned D = 0; D < 3; ++D)
        Renumbered->Coordinate[D] = originOf(D) + Symbol{Symbol::Kind::ThreadIndex, D};
    }
    if (forFixedRows())
      Renumbered = numberedInRows();
    InterpretedKernel Interpreted = interpretKernel(Kernel, Launch, Distributed, Sets, Context, Diags, Renumbered ? &*Renumbered : nullptr);
    bool OfBlocks = Launch.Threads == ThreadMapping::Blocks || Launch.Threads == ThreadMapping::Coordinates;
    if (Interpreted.Understood && !Launch.RowDimension && OfBlocks && !overlap())
      if (const EnteredLoop* Over = loopOverRows(Interpreted)) {
        const EnteredLoop Found = *Over;
        if (!interpretForRows(Found, Distributed, Renumbered ? &*Renumbered : nullptr, Interpreted))
          return std::nullopt;
      }
    Result.Places = Interpreted.Places;
    for (const AssumedConstant& A : Launch.Constants)
      if (Interpreted.Constants.count(A.Place))
        Result.Constants.push_back(A);
    collectReductions(Interpreted);
    Form.Stores = llvm::any_of(Interpreted.Accesses, [](const ElementAccess& A) { return A.Writes; });
    Result.GridIndices = Interpreted.GridIndices;
    Collected = Interpreted.Collected;
    for (const ElementAccess& A : Interpreted.Accesses)
      collect(A);
    if (forFixedRows())
      checkRowStores(Interpreted);
    if (Failed || !Interpreted.Understood)
      return std::nullopt;
    if (Result.Loop && !(checkIterations(Interpreted) && checkCollected([](const CollectedStore& S) { return S.Part == LoopPart::Inside; })))
      return std::nullopt;
    if (OfBlocks && !overlap())
      findPitch();
    if (inOneDimension() ? !walkInOrder(Interpreted)
                         : !findWalks() || !resolveRowStrides(Interpreted) || !checkPitch())
      return std::nullopt;
    for (unsigned D = 0; D < 3; ++D)
      if (inOneDimension() ? D <= Result.RowDimension
                           : llvm::any_of(Accesses, [&](const CoordinateAccess& A) { return mentionsBlock(A, D); }) || collectsAlong(D, Interpreted))
        Used.push_back(D);
    if (!coversUnused())
      return std::nullopt;
    for (unsigned D = 0; D < 3; ++D)
      if (forFixedRows() ? D < Result.RowDimension && (isUsed(D) || !Collected.empty()) : isUsed(D))
        Result.FixedRows.Dimensions |= 1u << D;
    Result.FixedRows.Dimensions |= FirstBeyond;
    for (const DistributedParameter& A : Arrays) {
      bool ReadsAlongAxes = true, WritesAlongAxes = true;
      ArrayAccess Found{A.Array, axes(A, /*Writes=*/false, ReadsAlongAxes),
                        axes(A, /*Writes=*/true, WritesAlongAxes), /*ReadsAlongAxes=*/false,
                        WalksOf[A.Shape.dimensions()]};
      auto IsLeft = [](const AxisAccess& Axis) { return !Axis.isOwn(); };
      findEnds(A, Found);
      Found.OfComponents = A.Shape.Components.has_value();
      Found.FindsRows = llvm::any_of(Accesses, [&](const CoordinateAccess& Each) { return Each.Array == &A && Each.Origin->FoundRow; });
      Found.LeastRows = std::max<std::int64_t>(LeastRows[A.Array], 1);
      Found.ReadsAlongAxes = Found.Reads && ReadsAlongAxes && !Found.FindsRows && llvm::count_if(*Found.Reads, IsLeft) > 1;
      if (Found.Writes)
        checkDealing(A, Found);
      if (Found.Reads || Found.Writes)
        Result.Arrays.push_back(std::move(Found));
    }
    for (const DistributedParameter& A : Arrays)
      if (!Failed)
        checkInjective(A);
    if (Failed)
      return std::nullopt;
    return std::move(Result);
  }

  KernelForm form() const {
    KernelForm Seen = Form;
    Seen.StoresFixedRows = StoresRows && !StoresOtherRows;
    return Seen;
  }

private:
  DiagnosticBuilder error(const Expr* Where, Diag Which) {
    Failed = true;
    return Diags.report(Where->getExprLoc(), Which);
  }

  // --- Blocks that overlap.

  static bool someOf(const BlockPitch& Pitch) {
    return llvm::any_of(Pitch, [](const auto& Along) { return Along.has_value(); });
  }
  bool overlap() const { return someOf(Launch.Pitch); }

  /// Which multiples of blockIdx what is written has, if one for each dimension of the grid.
  void findPitch() {
    BlockPitch Found;
    for (const CoordinateAccess& A : Accesses)
      for (const Polynomial& Coordinate : A.Coordinates)
        for (unsigned D = 0; A.Origin->Writes && D < 3; ++D) {
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
    reportStride(Accesses.front(), Result.RowDimension);
    return false;
  }

  // --- Launches in one dimension.

  bool inOneDimension() const { return Launch.Threads == ThreadMapping::OneDimension; }

  /// Threads numbered as elements lie in memory. None after an error.
  std::optional<RenumberedThreads> numberedByElements() {
    const ArrayShape& Shape = Arrays.front().Shape;
    RenumberedThreads Threads;
    for (const DistributedParameter& A : Arrays) {
      if (!llvm::equal(llvm::drop_begin(Shape.Extents), llvm::drop_begin(A.Shape.Extents))) {
        Failed = true;
        Diags.report(Kernel->getLocation(), Diag::err_row_lengths)
            << Kernel->getName() << Arrays.front().Array.name() << A.Array.name();
        return std::nullopt;
      }
      Threads.Elements.push_back(A.Shape.elements());
    }
    Result.RowDimension = static_cast<unsigned>(Shape.dimensions()) - 1;
    // Products mean nothing to isl: what follows from extents of at least 1 is said of each.
    Polynomial Number, Inner(1), Next(1);
    for (unsigned D = 0; D <= Result.RowDimension; ++D) {
      const Polynomial& Extent = Shape[Result.RowDimension - D];
      const Polynomial Origin = originOf(D), Thread = Symbol{Symbol::Kind::ThreadIndex, D};
      for (const Polynomial& Part : {Origin, Thread})
        for (const Polynomial& Length : {Next, Inner})
          Sets.assume(Sets.compare(Comparison::LessEqual, Part, Part * Length));
      Sets.assume(Sets.compare(Comparison::LessEqual, Extent, Extent * Inner));
      Sets.assume(Sets.compare(Comparison::LessEqual, Inner, Extent * Inner));
      Number = Number + (Origin + Thread) * Inner;
      Threads.Places.push_back(Sets.normalized(Origin + Thread));
      Inner = Inner * Extent;
      Next = Extent;
      if (D == Result.RowDimension)
        break;
      Sets.assume(Sets.compare(Comparison::Less, Origin + Thread, Extent));
      Sets.assume(Sets.compare(Comparison::Less, Number, Inner));
    }
    for (const DistributedParameter& A : Arrays)
      if (A.Shape.Components)
        assumeRowsInOrder(A.Shape, Number);
    if (Threads.Places.size() == 3)
      Threads.Places.push_back(Sets.normalized(Threads.Places[1] + Threads.Places[2] * Shape[1]));
    Threads.Coordinate[0] = std::move(Number);
    return Threads;
  }

  /// Of elements in one dimension: y * nx + x is less than ny * nx where y is less than ny only, and so it is of the rows next to it.
  void assumeRowsInOrder(const ArrayShape& Shape, const Polynomial& Number) {
    const Polynomial Row = originOf(Result.RowDimension) + Symbol{Symbol::Kind::ThreadIndex, Result.RowDimension};
    const Polynomial Length = Shape.stride(0);
    for (std::int64_t Away : {-1, 0, 1})
      Sets.assume(Sets.compare(Comparison::Less, Row + Away, Shape[0])
                      .unite(Sets.compare(Comparison::LessEqual, Shape.elements(), Number + Polynomial(Away) * Length)));
    Sets.assume(Sets.compare(Comparison::LessEqual, 1, Row).unite(Sets.compare(Comparison::Less, Number, Length)));
  }

  // --- Kernels for fixed rows.

  bool forFixedRows() const { return Launch.Threads == ThreadMapping::FixedRows; }

  /// Threads of the launch along all dimensions but that of the rows.
  RenumberedThreads numberedInRows() const {
    RenumberedThreads Threads;
    const unsigned Rows = *Launch.RowDimension;
    auto Coordinate = [](unsigned D) { return originOf(D) + Symbol{Symbol::Kind::ThreadIndex, D}; };
    for (unsigned D = 0; D < 3; ++D) {
      Threads.OneBlock[D] = Launch.GridSize[D] == 1;
      Threads.Coordinate[D] = D < Rows ? Coordinate(D) : coordinateBeyond(D);
    }
    Threads.Row = Coordinate(Rows);
    for (const DistributedParameter& A : Arrays)
      Threads.Shapes.emplace(A.Array, A.Shape);
    return Threads;
  }

  /// The launch's thread along a dimension that tiles have not.
  Polynomial coordinateBeyond(unsigned D) const {
    const Polynomial Thread = Symbol{Symbol::Kind::LaunchedThread, D};
    return Launch.GridSize[D] == 1 ? Thread : Thread + Symbol{Symbol::Kind::LaunchedOrigin, D};
  }

  /// Along dimensions that tiles have not, the first thread does all stores; or there is but one, as the region finds.
  void checkBeyond() {
    using Kind = Symbol::Kind;
    for (unsigned D = *Launch.RowDimension; D < 3; ++D) {
      auto ByOthers = [&](const CoordinateAccess& A) { return decidesRow(A) && possible(A, Comparison::LessEqual, 1, coordinateBeyond(D)); };
      auto Found = llvm::find_if(Accesses, ByOthers);
      if (Found == Accesses.end())
        FirstBeyond |= 1u << D;
      else if (llvm::any_of(Accesses, [&](const CoordinateAccess& A) {
                 return llvm::any_of(std::array{Kind::LaunchedOrigin, Kind::LaunchedIndex, Kind::LaunchedThread},
                                     [&](Kind Of) { return Sets.mentions(A.Domain, Of, D); });
               }))
        return reportRowsNotWalked(*Found);
    }
  }

  bool isUniform(const Polynomial& P) {
    isl::set Values = Sets.closed(Sets.bound(Sets.universe(), "value", P));
    for (const Monomial& M : Sets.monomialsOf(Values))
      for (const Symbol& S : M)
        if (S.Of != Symbol::Kind::Parameter && S.Of != Symbol::Kind::Unknown && S.Of != Symbol::Kind::Counter)
          return false;
    return !Sets.unknownIn(P);
  }

  /// None: something else.
  std::optional<FixedRow> fixedRow(const CoordinateAccess& A) const {
    const Polynomial& Row = A.Coordinates[0];
    auto From = [&](const Polynomial& Begin) { return Sets.normalized(Row - Begin).constant(); };
    if (std::optional<std::int64_t> Number = Row.constant())
      return FixedRow{std::nullopt, nullptr, nullptr, *Number};
    if (std::optional<std::int64_t> Number = From(A.Array->Shape[0]))
      return FixedRow{A.Array->Array, nullptr, nullptr, *Number};
    for (const auto& [Parameter, Value] : Launch.Arguments)
      if (std::optional<std::int64_t> Number = From(Value))
        return FixedRow{std::nullopt, Parameter.first, Parameter.second, *Number};
    for (const ParmVarDecl* Parameter : Kernel->parameters())
      if (std::optional<std::int64_t> Number = From(Symbol{Symbol::Kind::Parameter, 0, Parameter}))
        return FixedRow{std::nullopt, Parameter, nullptr, *Number};
    return std::nullopt;
  }

  /// Whether its row says which threads do a store.
  static bool decidesRow(const CoordinateAccess& A) { return A.Origin->Writes || A.Origin->FoundRow; }

  void findFixedRows() {
    constexpr size_t MostRows = 8; // which a rank goes through for each launch
    std::vector<FixedRow> Rows;
    for (const CoordinateAccess& A : Accesses) {
      if (!decidesRow(A))
        continue;
      std::optional<FixedRow> Row = fixedRow(A);
      if (!Row)
        return;
      Rows.push_back(std::move(*Row));
    }
    if (Rows.size() <= MostRows)
      Result.FixedRows.Rows = std::move(Rows);
  }

  void checkRowStores(const InterpretedKernel& Interpreted) {
    findFixedRows();
    Result.FixedRows.Statements = Interpreted.RowStores;
    Result.FixedRows.Reads = Interpreted.RowReads;
    StoresRows = !Interpreted.RowStores.empty();
    StoresOtherRows |= Interpreted.StoresOtherRows && !storesWalkedRows(Interpreted);
    for (const CoordinateAccess& A : Accesses) {
      if (!A.Origin->Writes)
        continue;
      StoresOtherRows |= !hasFewRows(A);
      if (A.CarryLow[0] == 0 && A.CarryHigh[0] == 0 && A.Origin->StoredRow && A.Coordinates[0] == *A.Origin->StoredRow)
        continue;
      constexpr unsigned LeavesRow = 4;
      error(A.Origin->Where, Diag::err_fixed_rows) << Kernel->getName() << LeavesRow << A.Origin->Where->getSourceRange();
    }
    for (const CoordinateAccess& Read : Accesses)
      for (const CoordinateAccess& Write : Accesses)
        if (!Failed && !Read.Origin->Writes && Write.Origin->Writes)
          checkOrder(Read, Write);
    if (!Failed)
      checkBeyond();
  }

  /// Whether the kernel also stores into rows that are the number of a thread, as one for all borders does into the first and last
  /// columns, and into no others. A thread at row r and the coordinates of the launch's thread r then does that.
  bool storesWalkedRows(const InterpretedKernel& Interpreted) {
    if (Failed || !Interpreted.Understood)
      return false;
    bool Fixed = false;
    for (const CoordinateAccess& A : Accesses) {
      if (!A.Origin->Writes)
        continue;
      const bool Uniform = isUniform(A.Coordinates[0]);
      Fixed |= Uniform;
      if (!Uniform && !isWalked(A.Coordinates[0]))
        return false;
    }
    return Fixed;
  }

  /// The number of the launch's thread, plus a constant.
  bool isWalked(const Polynomial& Row) const {
    std::optional<unsigned> D = walkedBy(Row);
    return D && *D < *Launch.RowDimension &&
           Sets.normalized(Row - originOf(*D) - Symbol{Symbol::Kind::ThreadIndex, *D}).constant().has_value();
  }

  /// A loop that goes through all rows would do so once more for each of them.
  bool hasFewRows(const CoordinateAccess& A) {
    constexpr std::int64_t MostIterations = 64;
    for (const auto& [M, Coefficient] : A.Coordinates[0].terms())
      for (const Symbol& S : M)
        if (S.Of == Symbol::Kind::Counter) {
          std::optional<std::int64_t> Last = Sets.greatest(A.Domain, S);
          if (!Last || *Last >= MostIterations)
            return false;
        }
    return true;
  }

  /// The rows of an access, but that of the thread that has it.
  isl::set rowsElsewhere(const CoordinateAccess& A) {
    isl::set Rows = Sets.none();
    for (std::int64_t Carry = A.CarryLow[0]; Carry <= A.CarryHigh[0]; ++Carry) {
      const Polynomial Row = A.Coordinates[0] + Carry;
      Rows = Rows.unite(Sets.bound(A.Domain.intersect(Sets.compare(Comparison::NotEqual, Row, *A.Origin->StoredRow)), "row", Row));
    }
    return Sets.withoutVarying(Sets.closed(Rows));
  }

  static bool staysInPlace(const CoordinateAccess& A) {
    auto IsZero = [](std::int64_t Carry) { return Carry == 0; };
    return llvm::all_of(A.CarryLow, IsZero) && llvm::all_of(A.CarryHigh, IsZero);
  }

  /// Borders meet in the rows that stores into columns go through, so that of these the elements are compared.
  bool comparesElements(const CoordinateAccess& Read, const CoordinateAccess& Write) const {
    return (isWalked(*Read.Origin->StoredRow) || isWalked(Write.Coordinates[0])) && staysInPlace(Read) && staysInPlace(Write) &&
           !Read.Array->Halo;
  }

  isl::set rowsInNoOrder(const CoordinateAccess& Read, const CoordinateAccess& Write) {
    return rowsElsewhere(Read).intersect(Sets.withoutVarying(Sets.closed(Sets.bound(Write.Domain, "row", Write.Coordinates[0]))));
  }

  /// What a thread reads of another row than its own, or of what other threads of the launch store.
  isl::set elementsInNoOrder(const CoordinateAccess& Read, const CoordinateAccess& Write) {
    const isl::set Elsewhere = Read.Domain.intersect(Sets.compare(Comparison::NotEqual, Read.Coordinates[0], *Read.Origin->StoredRow));
    const isl::set Stored = elementsOfThreads(Write, Write.Domain, "b");
    const isl::set Common = elementsOfThreads(Read, Read.Domain, "a").intersect(Stored);
    isl::set Found = elementsOfThreads(Read, Elsewhere, "a").intersect(Stored);
    for (unsigned D = 0; D < *Launch.RowDimension; ++D) {
      const std::string A = std::string("a") + DimensionName[D], B = std::string("b") + DimensionName[D];
      Found = Found.unite(Common.intersect(Sets.differsByAtLeast(A, B, Polynomial(1)).unite(Sets.differsByAtLeast(B, A, Polynomial(1)))));
    }
    return Found;
  }

  isl::set elementsOfThreads(const CoordinateAccess& A, isl::set Reached, const std::string& Thread) {
    for (unsigned D = 0; D < *Launch.RowDimension; ++D)
      Reached = Sets.bound(Reached, Thread + DimensionName[D], originOf(D) + Symbol{Symbol::Kind::ThreadIndex, D});
    for (size_t J = 0; J < A.Coordinates.size(); ++J)
      Reached = Sets.bound(Reached, "e" + std::to_string(J), A.Coordinates[J]);
    return Sets.withoutVarying(Sets.closed(Sets.bound(Reached, "component", A.Component)));
  }

  /// The launch's thread reads and stores in the order of its statements; a thread for each row knows no such order.
  void checkOrder(const CoordinateAccess& Read, const CoordinateAccess& Write) {
    const ArrayShape& Shape = Read.Array->Shape;
    if (!(Shape == Write.Array->Shape))
      return;
    isl::set Common = comparesElements(Read, Write) ? elementsInNoOrder(Read, Write) : rowsInNoOrder(Read, Write);
    if (Common.is_empty())
      return;
    if (Read.Array != Write.Array) {
      std::pair Both(Read.Array->Array, Write.Array->Array);
      if (!llvm::is_contained(Result.FixedRows.Distinct, Both))
        Result.FixedRows.Distinct.push_back(std::move(Both));
      return;
    }
    std::optional<std::int64_t> Most;
    if (!Shape[0].constant())
      Most = Sets.greatest(Common, Shape[0]);
    constexpr std::int64_t ManyRows = 1024;
    if (Most && *Most < ManyRows) {
      Result.FixedRows.LeastRows = std::max(Result.FixedRows.LeastRows, *Most + 1);
      return;
    }
    error(Read.Origin->Where, Diag::err_fixed_rows_order)
        << Kernel->getName() << Read.Array->Array.name() << Read.Origin->Where->getSourceRange();
    Diags.report(Write.Origin->Where->getExprLoc(), Diag::note_row_stored_here) << Write.Origin->Where->getSourceRange();
  }

  /// The grid dimensions of tiles walk those of the arrays.
  bool walkInOrder(const InterpretedKernel& Interpreted) {
    DimensionWalks& Map = WalksOf[Result.RowDimension + 1];
    for (unsigned D = Result.RowDimension + 1; D > 0; --D)
      Map.push_back(D - 1);
    Result.RowsStrided = Interpreted.GridStride != nullptr;
    if (!Result.RowsStrided)
      return true;
    if (const Expr* Other = otherUseOfGridSize(Kernel))
      error(Other, Diag::err_writes_far) << Arrays.front().Array.name() << 3 << Other->getSourceRange();
    std::set<const Stmt*> Loops;
    for (const auto& [Loop, Index] : Interpreted.GridIndices)
      Loops.insert(Loop);
    bool InParts = !Form.Stores && findCooperation(Kernel); // of which understandPartialBlocks says more
    return !Failed && (InParts || checkGridStrides(Loops, 0, Interpreted.GridMoves));
  }

  /// Whether stores into arrays that are collected are done in the iterations of loops that are shared out, so that each is done once.
  bool checkCollected(llvm::function_ref<bool(const CollectedStore&)> IsInLoop) {
    auto Outside = llvm::find_if_not(Collected, IsInLoop);
    return Outside == Collected.end() ||
           rejectLoop(Outside->Where->getExprLoc(), RowLoopProblem::WrittenOutside, cast<VarDecl>(Outside->Parameter)->getName());
  }

  static bool contains(const Stmt* S, const Expr* Part) {
    return S && (S == Part || llvm::any_of(S->children(), [&](const Stmt* Child) { return contains(Child, Part); }));
  }

  /// Along a dimension of the grid that an array which is collected may be stored along, though no other is.
  bool collectsAlong(unsigned D, const InterpretedKernel& Interpreted) const {
    return !Collected.empty() && Interpreted.GridDimensions.count(D) != 0 && !forFixedRows();
  }

  bool isUsed(unsigned D) const { return llvm::is_contained(Used, D); }

  /// Loops by whole grids get a grid that has all rows.
  bool checkGridStrides(const std::set<const Stmt*>& Loops, unsigned Dimension, const GridLoops& Moves) {
    std::optional<RejectedRowLoop> Problem = dependenceOnGridSize(Kernel, Loops, Dimension, Moves, Result.Reductions, Context);
    if (Problem) {
      Failed = true;
      Diags.report(Problem->Where, Diag::err_row_loop) << static_cast<unsigned>(Problem->Why) << Problem->Name;
    }
    return !Failed && checkCollected([&](const CollectedStore& S) {
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

  void reportNotOwn(const CoordinateAccess& A) {
    error(A.Origin->Where, Diag::err_not_own_element)
        << Kernel->getName() << A.Array->Array.name() << A.Origin->Where->getSourceRange();
    for (const Polynomial& Coordinate : A.Coordinates)
      noteConstants(A, Coordinate);
    if (wrapsAround(A.Origin->Where))
      Diags.report(A.Origin->Where->getExprLoc(), Diag::note_wrapped_elements);
  }

  /// u[... % n].
  static bool wrapsAround(const Expr* Element) {
    const auto* Subscript = dyn_cast<ArraySubscriptExpr>(Element->IgnoreParenImpCasts());
    const auto* Index = Subscript ? dyn_cast<BinaryOperator>(Subscript->getIdx()->IgnoreParenImpCasts()) : nullptr;
    return Index && Index->getOpcode() == BO_Rem;
  }

  void collectReductions(const InterpretedKernel& Interpreted) {
    for (const AtomicAccess& A : Interpreted.Atomics) {
      auto Op = llvm::StringSwitch<std::optional<AtomicReduction::Operation>>(A.Function)
                    .Cases("atomicAdd", "atomicAdd_system", AtomicReduction::Add)
                    .Cases("atomicMax", "atomicMax_system", AtomicReduction::Max)
                    .Cases("atomicMin", "atomicMin_system", AtomicReduction::Min)
                    .Case("", AtomicReduction::Set)
                    .Default(std::nullopt);
      if (Op)
        Result.Reductions.push_back({*Op, A.Parameter, A.Where});
      else
        error(A.Where, Diag::err_atomic_not_reduction)
            << A.Function << A.Parameter->getName() << A.Where->getSourceRange();
    }
  }

  void noteHalo(const CoordinateAccess& A) {
    Diags.report(A.Origin->Where->getExprLoc(), Diag::note_state_halo) << A.Array->Array.name();
  }

  void reportNotAffine(const CoordinateAccess& A, const Polynomial& P) {
    const Cause* Why = Sets.unknownIn(P);
    unsigned Reason = !Why                        ? (hasForeignStride(P) ? 4 : 3)
                      : Why->Why == Cause::Loaded ? 0
                      : Why->Why == Cause::Loop   ? 1
                      : Why->Why == Cause::Call   ? 2
                                                  : 3;
    error(A.Origin->Where, Diag::err_subscript_not_affine)
        << A.Array->Array.name() << A.Origin->Writes << Reason
        << A.Origin->Where->getSourceRange();
    if (Why && Why->At)
      Diags.report(Why->At->getBeginLoc(), Diag::note_value_from_here) << Why->At->getSourceRange();
    if (Why && Why->Why == Cause::Loaded)
      if (const auto* Loaded = dyn_cast_or_null<Expr>(Why->At))
        noteConstant(A, anyPointerVariable(Loaded));
    for (const Polynomial& Coordinate : A.Coordinates)
      noteConstants(A, Coordinate);
    if (noteComponents(A))
      return;
    if (!A.Origin->Writes)
      noteHalo(A);
  }

  void noteConstants(const CoordinateAccess& A, const Polynomial& P) {
    for (const auto& [M, Coefficient] : P.terms())
      for (const Symbol& S : M)
        if (const auto* V = dyn_cast_or_null<VarDecl>(S.Decl); V && S.Of == Symbol::Kind::Parameter)
          noteConstant(A, S.Field ? PointerVariable(V, {S.Field}) : PointerVariable(V));
  }

  /// Says once why it is not known what is in constant memory, if the place is there.
  void noteConstant(const CoordinateAccess& A, PointerVariable Place) {
    const bool Table = !Place.Subscripts.empty();
    Place.Subscripts.clear();
    if (!Place || !Place.Variable->hasAttr<CUDAConstantAttr>() || !NotedConstants.insert(Place).second)
      return;
    enum { Unwritten, Several, Other };
    const ConstantUses Uses = constantUses(Place.Variable, Context);
    Diags.report(A.Origin->Where->getExprLoc(), Diag::note_constant_unknown)
        << Place.name() << (!Uses.written() ? Unwritten : Uses.Others || Uses.Copies.size() != 1 ? Several : Other) << Table;
  }

  /// Whether rows seem to be those of several components, so many rows of the array or of its clause's product apart.
  bool noteComponents(const CoordinateAccess& A) {
    const ArrayShape& Shape = A.Array->Shape;
    auto IsOfExtent = [&](const Symbol& S) {
      return llvm::any_of(Shape[0].terms(), [&](const auto& Term) { return llvm::is_contained(Term.first, S); });
    };
    bool Far = llvm::any_of(A.Coordinates[0].terms(), [&](const auto& Term) { return llvm::any_of(Term.first, IsOfExtent); });
    if (Shape.Components || !(Far || A.Array->RowsAreProduct))
      return false;
    Diags.report(A.Origin->Where->getExprLoc(), Diag::note_state_components) << A.Array->Array.name();
    return true;
  }

  void collect(const ElementAccess& Access) {
    CoordinateAccess A;
    A.Origin = &Access;
    A.Array = llvm::find_if(Arrays,
                            [&](const DistributedParameter& P) { return P.Array == Access.Array; });
    const ArrayShape& Shape = A.Array->Shape;
    if (Access.FoundRow)
      return collectFound(A);
    auto [Component, Rest] = componentOf(Access.Offset, Shape, Access.Path, Sets);
    A.Component = std::move(Component);
    for (size_t J = 0; J + 1 < Shape.dimensions(); ++J) {
      auto [Quotient, Remainder] = Rest.divided(Shape.stride(J));
      A.Coordinates.push_back(std::move(Quotient));
      Rest = std::move(Remainder);
    }
    A.Coordinates.push_back(std::move(Rest));
    isl::set Path = Access.Path;
    // Mentions the symbols of the coordinates, so that what is known of them is added.
    for (size_t J = 0; J < Shape.dimensions(); ++J)
      Path = Sets.bound(Path, "c" + std::to_string(J), A.Coordinates[J]);
    Path = Sets.bound(Path, "component", A.Component);
    A.Domain = Sets.closed(Path);
    // Their names would be those of other accesses that this one is compared with, whose coordinates may be shifted by a row (findCarry).
    for (size_t J = 0; J < Shape.dimensions(); ++J)
      A.Domain = A.Domain.project_out_param("c" + std::to_string(J));
    A.Domain = A.Domain.project_out_param("component");
    if (A.Domain.is_empty())
      return;
    bool Stated = A.Array->Halo && !Access.Writes;
    A.CarryLow.assign(Shape.dimensions(), 0);
    A.CarryHigh.assign(Shape.dimensions(), 0);
    for (size_t J = Shape.dimensions() - 1; J > 0 && !Stated; --J)
      if (!findCarry(A, J))
        return;
    if (Shape.Components && !Stated && !staysInComponent(A))
      return;
    Accesses.push_back(std::move(A));
  }

  /// An element of which the program finds out whether it is in the row.
  void collectFound(CoordinateAccess& A) {
    A.Coordinates.assign(A.Array->Shape.dimensions(), Polynomial());
    A.Coordinates[0] = *A.Origin->FoundRow;
    A.CarryLow.assign(A.Coordinates.size(), 0);
    A.CarryHigh.assign(A.Coordinates.size(), 0);
    A.Domain = Sets.closed(Sets.bound(A.Origin->Path, "c0", A.Coordinates[0])).project_out_param("c0");
    if (!A.Domain.is_empty())
      Accesses.push_back(std::move(A));
  }

  enum OutsideOfComponent { Row, Component, BeforeFirst };
  void reportOutside(const CoordinateAccess& A, OutsideOfComponent What) {
    error(A.Origin->Where, Diag::err_leaves_component) << A.Array->Array.name() << What << A.Origin->Where->getSourceRange();
    for (const Polynomial& Coordinate : A.Coordinates)
      noteConstants(A, Coordinate);
  }

  /// Whether the row that an access is in is one of its component: those before and behind it are rows of other components, which
  /// other processes have. False after an error.
  bool staysInComponent(const CoordinateAccess& A) {
    const Polynomial& Rows = A.Array->Shape[0];
    const Polynomial First = A.Coordinates[0] + A.CarryLow[0], Last = A.Coordinates[0] + A.CarryHigh[0];
    isl::set Outside = A.Domain.intersect(Sets.compare(Comparison::Less, First, 0).unite(Sets.compare(Comparison::LessEqual, Rows, Last)));
    if (!Outside.is_empty()) {
      if (Sets.unknownIn(A.Coordinates[0])) {
        reportNotAffine(A, A.Coordinates[0]);
        return false;
      }
      constexpr std::int64_t ManyRows = 1024;
      std::optional<std::int64_t> Most;
      if (!Rows.constant())
        Most = Sets.greatest(Outside, Rows);
      if (!Most || *Most >= ManyRows) {
        reportOutside(A, Row);
        return false;
      }
      std::int64_t& Least = LeastRows[A.Array->Array];
      Least = std::max(Least, *Most + 1);
    }
    // Where it has bounds, as a number or a counter has; others are taken to be components of the array, as rows of other arrays are.
    std::optional<std::int64_t> Least = Sets.least(A.Domain, A.Component),
                                Beyond = Sets.greatest(A.Domain, A.Component - *A.Array->Shape.Components);
    if (Beyond && *Beyond >= 0) {
      reportOutside(A, Component);
      return false;
    }
    if (Least && *Least < 0 && mayBeNegative(A)) {
      reportOutside(A, A.Component.constant() ? Component : BeforeFirst);
      return false;
    }
    return true;
  }

  /// Also if no parameter is: of (q + first) % n it is taken that the kernel is passed what makes it a component.
  bool mayBeNegative(const CoordinateAccess& A) {
    isl::set Domain = A.Domain;
    for (const ParmVarDecl* P : Kernel->parameters())
      if (P->getType()->isSignedIntegerType())
        Domain = Domain.intersect(Sets.compare(Comparison::LessEqual, 0, Polynomial(Symbol{Symbol::Kind::Parameter, 0, P})));
    std::optional<std::int64_t> Least = Sets.least(Domain, A.Component);
    return Least && *Least < 0;
  }

  bool possible(const CoordinateAccess& A, Comparison Op, const Polynomial& Left,
                const Polynomial& Right) {
    return !A.Domain.intersect(Sets.compare(Op, Left, Right)).is_empty();
  }

  /// Whether coordinate \p J can leave its row, and by how many rows. False after an error.
  bool findCarry(CoordinateAccess& A, size_t J) {
    // (y + 1) * nx - 1 is the last element of row y.
    const Polynomial Whole = A.Array->Shape[J];
    if (!possible(A, Comparison::LessEqual, 0, A.Coordinates[J])) {
      A.Coordinates[J] = A.Coordinates[J] + Whole;
      A.Coordinates[J - 1] = A.Coordinates[J - 1] - 1;
    } else if (!possible(A, Comparison::Less, A.Coordinates[J], Whole)) {
      A.Coordinates[J] = A.Coordinates[J] - Whole;
      A.Coordinates[J - 1] = A.Coordinates[J - 1] + 1;
    }
    const Polynomial &Coordinate = A.Coordinates[J], &Extent = A.Array->Shape[J];
    Polynomial Low = Coordinate + A.CarryLow[J], High = Coordinate + A.CarryHigh[J];
    bool Surely = true;
    if (possible(A, Comparison::Less, Low, 0)) {
      A.CarryLow[J - 1] = -1;
      Surely &= !possible(A, Comparison::Less, Low, Polynomial(0) - Extent);
    }
    if (possible(A, Comparison::LessEqual, Extent, High)) {
      A.CarryHigh[J - 1] = 1;
      Surely &= !possible(A, Comparison::LessEqual, Polynomial(2) * Extent, High);
    }
    const bool InRow = A.CarryLow[J - 1] == 0 && A.CarryHigh[J - 1] == 0;
    if (!InRow && forFixedRows() && isUniform(Coordinate)) { // a point, which is taken to lie in its row
      A.CarryLow[J - 1] = A.CarryHigh[J - 1] = 0;
      return true;
    }
    if (Surely)
      return true;
    Form.SeesOneRow = true;
    StoresOtherRows |= A.Origin->Writes;
    if (inOneDimension() && !Sets.unknownIn(Coordinate)) {
      reportNotOwn(A);
      return false;
    }
    if (Sets.unknownIn(Coordinate) || isNonlinear(Coordinate)) {
      reportNotAffine(A, Coordinate);
      return false;
    }
    if (A.Array->Shape.Components) { // columns of a component further on, as with padding between them
      reportOutside(A, Row);
      return false;
    }
    A.CarryLow[J - 1] = A.CarryHigh[J - 1] = 0;
    // What one access of an array lacks, others mostly lack, too.
    if (Warned.insert({A.Array->Array, J}).second)
      Diags.report(A.Origin->Where->getExprLoc(), Diag::warn_leaves_row)
          << A.Array->Array.name() << static_cast<unsigned>(A.Array->Shape.dimensions() - J - 1)
          << A.Origin->Where->getSourceRange();
    return true;
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
    Failed = true;
    Form.LoopsOverRows = true;
    Diags.report(Where, Diag::err_row_loop) << static_cast<unsigned>(Why) << Name;
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
  bool interpretForRows(const EnteredLoop& Over, const std::set<PointerVariable>& Distributed,
                        RenumberedThreads* Renumbered, InterpretedKernel& Interpreted) {
    std::optional<unsigned> D = freeDimension(Interpreted.GridDimensions);
    if (!D)
      return rejectLoop(Over.Loop->getBeginLoc(), RowLoopProblem::NoDimension);
    RowLoopRequest Rows{Over.Loop, *D, rowsOfLoop(0)};
    if (Renumbered) { // coversUnused
      Renumbered->Coordinate[*D] = Polynomial();
      Renumbered->OneBlock[*D] = true;
    }
    Interpreted = interpretKernel(Kernel, Launch, Distributed, Sets, Context, Diags, Renumbered, Rows);
    if (!Interpreted.Understood)
      return false;
    auto Understood = understandRowLoop(Kernel, Over.Loop, Interpreted, Sets, Context);
    if (const auto* Wrong = std::get_if<RejectedRowLoop>(&Understood))
      return rejectLoop(Wrong->Where, Wrong->Why, Wrong->Name);
    Result.Loop = std::get<RowLoop>(std::move(Understood));
    return !Result.Loop->Queues || interpretWithQueues(Rows, Distributed, Renumbered, Interpreted);
  }

  /// The same, with the iterations that fill the queues of a block.
  bool interpretWithQueues(RowLoopRequest Rows, const std::set<PointerVariable>& Distributed, RenumberedThreads* Renumbered,
                           InterpretedKernel& Interpreted) {
    const RegisterQueues& Queues = *Result.Loop->Queues;
    Rows.Queues = &Queues;
    Rows.RowsPerThread = rowsOfLoop(Queues.Iterations);
    Interpreted = interpretKernel(Kernel, Launch, Distributed, Sets, Context, Diags, Renumbered, Rows);
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

  void vote(bool Writes) {
    for (const CoordinateAccess& A : Accesses) {
      if (A.Origin->Writes != Writes)
        continue;
      DimensionWalks& Map = WalksOf[A.Coordinates.size()];
      Map.resize(A.Coordinates.size());
      for (size_t J = 0; J < A.Coordinates.size(); ++J) {
        std::optional<Walk> Found = walkOf(A.Coordinates[J]);
        if (!Found || Map[J] || llvm::is_contained(Map, std::optional(Found->Dimension)) ||
            (J > 0 && Found->Step != 1))
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
    vote(/*Writes=*/true);
    vote(/*Writes=*/false);
    const CoordinateAccess* First = nullptr;
    for (bool Writes : {true, false})
      for (const CoordinateAccess& A : Accesses) {
        if (A.Origin->Writes != Writes || (First && !Writes))
          continue;
        const std::optional<unsigned>& Row = WalksOf[A.Coordinates.size()][0];
        if (!Row && Writes) {
          reportRowsNotWalked(A);
          return false;
        }
        if (!Row)
          continue;
        if (!First) {
          First = &A;
          Result.RowDimension = *Row;
        } else if (*Row != Result.RowDimension) {
          error(A.Origin->Where, Diag::err_rows_contradict)
              << std::string(1, DimensionName[*Row]) << A.Array->Array.name()
              << std::string(1, DimensionName[Result.RowDimension])
              << First->Array->Array.name() << A.Origin->Where->getSourceRange();
          return false;
        }
      }
    if (!First && !Accesses.empty()) {
      reportRowsNotWalked(Accesses.front());
      return false;
    }
    Result.RowsPerThread = RowStep.value_or(1);
    if (First)
      for (auto& [Rank, Map] : WalksOf)
        if (!Map[0] && !llvm::is_contained(Map, std::optional(Result.RowDimension)))
          Map[0] = Result.RowDimension;
    return true;
  }

  void reportRowsNotWalked(const CoordinateAccess& A) {
    const Polynomial& Row = A.Coordinates[0];
    if (Sets.unknownIn(Row))
      return reportNotAffine(A, Row);
    Form.SeesOneRow |= Row.involves(Symbol::Kind::Unknown);
    for (unsigned D = 0; D < 3; ++D)
      if (Row.involves(Symbol::Kind::BlockIndex, D) || Row.involves(Symbol::Kind::BlockOrigin, D))
        return reportStride(A, D);
    error(A.Origin->Where, Diag::err_rows_not_walked)
        << A.Array->Array.name() << A.Origin->Where->getSourceRange();
    if (noteComponents(A))
      return;
    if (A.Origin->Writes)
      Diags.report(A.Origin->Where->getExprLoc(), Diag::note_store_own_row);
    else
      Diags.report(A.Origin->Where->getExprLoc(), Diag::note_state_rows) << Kernel->getName();
  }

  void reportStride(const CoordinateAccess& A, unsigned D) {
    error(A.Origin->Where, Diag::err_block_stride)
        << std::string(1, DimensionName[D]) << A.Array->Array.name()
        << A.Origin->Where->getSourceRange();
    if (!Launch.BlockSize[D])
      Diags.report(A.Origin->Where->getExprLoc(), Diag::note_block_size_unknown)
          << std::string(1, DimensionName[D]);
    else if (mentionsIndexAlone(A, D))
      Diags.report(A.Origin->Where->getExprLoc(), Diag::note_block_pitch) << std::string(1, DimensionName[D]) << 0 << "";
  }

  // --- How far from the block's own coordinates.

  /// The bounds of coordinate \p J relative to the block's own in grid dimension \p D.
  AxisAccess bounds(const CoordinateAccess& A, size_t J, unsigned D) {
    // What leaves its row comes to the other end of the next one.
    if (J > 0 && (A.CarryLow[J - 1] != 0 || A.CarryHigh[J - 1] != 0))
      return {/*Whole=*/true};
    Polynomial Step(J == 0 ? Result.RowsPerThread : 1);
    Polynomial Distance = A.Coordinates[J] - Step * originOf(D);
    Polynomial FromEnd = Distance - Step * Sets.pitch(D) + 1;
    // The origin and the block's size may be mentioned here only.
    isl::set Domain = Sets.closed(Sets.bound(Sets.bound(A.Domain, "distance", Distance), "end", FromEnd));
    std::optional<std::int64_t> Low = Sets.least(Domain, Distance),
                                High = Sets.greatest(Domain, FromEnd);
    if (!Low || !High) {
      // Where coordinates are clamped, blocks that begin beyond the array would be as far away as
      // one likes; they have no elements, so nothing of theirs is waited for.
      Domain =
          Domain.intersect(Sets.compare(Comparison::Less, Step * originOf(D), A.Array->Shape[J]));
      Low = Sets.least(Domain, Distance);
      High = Sets.greatest(Domain, FromEnd);
    }
    const bool Bounded = Low && High && areCounted(*Low, *High) && !spans(A, J, D, *Low, *High);
    std::optional<std::int64_t> Extent = A.Array->Shape[J].constant();
    const bool Far = !Bounded || (Extent && (*Low < -*Extent / 2 || *High > *Extent / 2));
    if (Far && J == 0 && !A.Origin->Writes)
      if (AxisAccess Periodic = periodicRows(A, Domain, Distance, FromEnd); !Periodic.Whole)
        return Periodic;
    if (!Bounded)
      return {/*Whole=*/true};
    return {false, *Low + A.CarryLow[J], *High + A.CarryHigh[J]};
  }

  /// Of rows that wrap around, as `(y + 1) % ny`: how far they are if behind the last row the first one comes again.
  AxisAccess periodicRows(const CoordinateAccess& A, const isl::set& Domain, const Polynomial& Distance, const Polynomial& FromEnd) {
    const Polynomial& Rows = A.Array->Shape[0];
    const Polynomial Turns[] = {0, Rows, Polynomial(0) - Rows};
    const Polynomial Twice = Polynomial(2) * Distance;
    // In an array that is long enough, the nearest of the places where a row comes again is plain.
    isl::set Long = Domain.intersect(
        Sets.compare(Comparison::LessEqual, Polynomial(2 * Result.RowsPerThread) * Sets.pitch(Result.RowDimension) + 16, Rows));
    const isl::set Parts[] = {Long.intersect(Sets.compare(Comparison::LessEqual, Twice, Rows))
                                  .intersect(Sets.compare(Comparison::LessEqual, Polynomial(0) - Rows, Twice)),
                              Long.intersect(Sets.compare(Comparison::Less, Twice, Polynomial(0) - Rows)),
                              Long.intersect(Sets.compare(Comparison::Less, Rows, Twice))};
    AxisAccess Found{false, 0, 0, true};
    for (size_t I = 0; I != std::size(Parts); ++I) {
      if (Parts[I].is_empty())
        continue;
      std::optional<std::int64_t> Low = Sets.least(Parts[I], Distance + Turns[I]), High = Sets.greatest(Parts[I], FromEnd + Turns[I]);
      if (!Low || !High || !areCounted(*Low, *High))
        return {/*Whole=*/true};
      Found.Low = std::min(Found.Low, *Low);
      Found.High = std::max(Found.High, *High);
    }
    // And in any other it is one of them, if it is not so short that the program begins at the wrong end. The runtime knows.
    const std::int64_t Most = std::max(-Found.Low, Found.High);
    isl::set Rest = Domain.intersect(Sets.compare(Comparison::LessEqual, 2 * Most, Rows));
    for (const Polynomial& Turn : Turns)
      Rest = Rest.subtract(Sets.compare(Comparison::LessEqual, Found.Low, Distance + Turn)
                               .intersect(Sets.compare(Comparison::LessEqual, FromEnd + Turn, Found.High)));
    // In an array of constant length everything is near somehow, also a row by its number.
    if (!Rest.is_empty() || Long.is_empty() || Rows.constant().value_or(4 * Most) < 4 * Most)
      return {/*Whole=*/true};
    Found.Low += A.CarryLow[0];
    Found.High += A.CarryHigh[0];
    return Found;
  }

  /// Whether the runtime has numbers for such distances. Farther apart are unsigned numbers that go below 0.
  static bool areCounted(std::int64_t Low, std::int64_t High) {
    constexpr std::int64_t Most = 1 << 28;
    return Low >= -Most && High <= Most;
  }

  /// True if a coordinate that is not at a fixed distance is bounded only because the array ends:
  /// one that wraps around, or a fixed one. Of arrays whose extent is no constant it has no bounds.
  bool spans(const CoordinateAccess& A, size_t J, unsigned D, std::int64_t Low,
             std::int64_t High) const {
    std::optional<std::int64_t> Extent = A.Array->Shape[J].constant();
    bool Fixed = walkedBy(A.Coordinates[J]) && !A.Coordinates[J].involves(Symbol::Kind::Unknown);
    return Extent && !Fixed &&
           (Low <= 1 - *Extent || High + BlockSize[D].value_or(1) >= *Extent);
  }

  /// Reports a row that cannot be bounded, unless any row may be meant.
  void checkWholeRows(const CoordinateAccess& A) {
    const Polynomial& Row = A.Coordinates[0];
    if (Sets.unknownIn(Row))
      return reportNotAffine(A, Row);
    if (A.Origin->Writes && inOneDimension())
      return reportNotOwn(A);
    if (A.Origin->Writes) {
      for (unsigned D = 0; D < 3; ++D)
        if (!walkedBy(Row) && (Row.involves(Symbol::Kind::BlockIndex, D) ||
                               Row.involves(Symbol::Kind::BlockOrigin, D)))
          return reportStride(A, D);
      error(A.Origin->Where, Diag::err_writes_far)
          << A.Array->Array.name() << (Row.involves(Symbol::Kind::GridSize) ? 1 : 0)
          << A.Origin->Where->getSourceRange();
      noteComponents(A);
      return;
    }
    // Fixed rows and loops over all rows are read whole; a distance that the source names is meant
    // to be bounded.
    if (walkedBy(Row) == Result.RowDimension && !Row.involves(Symbol::Kind::GridSize) &&
        !Row.involves(Symbol::Kind::Unknown)) {
      error(A.Origin->Where, Diag::err_halo_unbounded)
          << A.Array->Array.name() << A.Origin->Where->getSourceRange();
      if (!noteComponents(A))
        noteHalo(A);
    }
  }

  /// Sets AlongAxes to false if an access leaves the block's own coordinates along two dimensions.
  std::optional<std::array<AxisAccess, 3>> axes(const DistributedParameter& Array, bool Writes,
                                                bool& AlongAxes) {
    std::optional<std::array<AxisAccess, 3>> Axes;
    std::array<bool, 3> Seen = {};
    unsigned Left = 0; // the dimensions along which an access leaves them
    auto Add = [&](unsigned D, const AxisAccess& Found) {
      AxisAccess& Axis = (*Axes)[D];
      Left += !Found.isOwn();
      Axis.Whole |= Found.Whole;
      Axis.Periodic |= Found.Periodic;
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
            Add(D, {/*Whole=*/D != Result.RowDimension});
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
          // In one dimension, the element after the last one of a row is in the next; a thread for fixed rows has none of its own.
          bool Bounded = Depth && areCounted(-*Depth, *Depth) && (!(inOneDimension() || forFixedRows()) || D == Result.RowDimension);
          Add(D, Bounded ? AxisAccess{false, -*Depth, *Depth} : AxisAccess{/*Whole=*/true});
          continue;
        }
        auto J = static_cast<size_t>(It - Map.begin());
        AxisAccess Found = bounds(A, J, D);
        if (Found.Whole && D == Result.RowDimension)
          checkWholeRows(A);
        else if (Found.Whole && Sets.unknownIn(A.Coordinates[J]))
          reportNotAffine(A, A.Coordinates[J]);
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

  /// A boundary's columns are few, and a rank that has none of them has nothing to wait for.
  void findEnds(const DistributedParameter& Array, ArrayAccess& Found) {
    const DimensionWalks& Map = WalksOf[Array.Shape.dimensions()];
    Found.Ends.resize(Map.size());
    Found.WrittenEnds.resize(Map.size());
    bool Known = Launch.Threads == ThreadMapping::Blocks || Launch.Threads == ThreadMapping::Coordinates;
    for (size_t J = 1; J < Map.size(); ++J) {
      if (Map[J])
        continue;
      for (const CoordinateAccess& A : Accesses) {
        if (A.Array != &Array)
          continue;
        DimensionEnds Ends = Known && (A.Origin->Writes || !Array.Halo) ? endsOf(A, J) : DimensionEnds{/*Whole=*/true};
        Found.Ends[J].unite(Ends);
        if (A.Origin->Writes)
          Found.WrittenEnds[J].unite(Ends);
      }
    }
  }

  DimensionEnds endsOf(const CoordinateAccess& A, size_t J) {
    constexpr std::int64_t Most = 1024;
    const Polynomial& At = A.Coordinates[J];
    if (Sets.unknownIn(At))
      return {/*Whole=*/true};
    const Polynomial FromEnd = At - A.Array->Shape[J];
    isl::set Domain = Sets.closed(Sets.bound(Sets.bound(A.Domain, "coordinate", At), "end", FromEnd));
    for (const Polynomial& Place : {At, FromEnd}) {
      std::optional<std::int64_t> Low = Sets.least(Domain, Place), High = Sets.greatest(Domain, Place);
      if (!Low || !High)
        continue;
      // What leaves the dimension is at its other end, in a row before or after.
      std::int64_t First = *High + A.CarryHigh[J] + 1, Last = -(*Low + A.CarryLow[J]);
      if (First <= Most && Last <= Most)
        return {false, std::max<std::int64_t>(First, 0), std::max<std::int64_t>(Last, 0)};
    }
    return {/*Whole=*/true};
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
      for (const Monomial& M : Sets.monomialsOf(A.Domain)) {
        if (!isGridStep(M, Result.RowDimension))
          continue;
        Polynomial Step = productOf(M);
        Polynomial Rows = Polynomial(Launch.BlockSize[Result.RowDimension].value_or(1)) * Step;
        if (possible(A, Comparison::LessEqual, A.Array->Shape[0], Rows)) {
          reportStrides(A.Array->Array, A.Origin->Where);
          return false;
        }
        Inside = true;
        for (const Symbol& Factor : M)
          if (auto Loop = Interpreted.Loops.find(Factor.Index); Factor.Of == Symbol::Kind::Counter && Loop != Interpreted.Loops.end()) {
            InKernel &= Loop->second.Calls.empty();
            Loops.insert(Loop->second.Loop);
          }
        A.Domain = A.Domain.intersect(Sets.compare(Comparison::Equal, Step, 0));
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
      reportStrides(Outside->Array->Array, Outside->Origin->Where);
    else if (const Expr* Other = otherUseOfGridSize(Kernel))
      error(Other, Diag::err_writes_far) << Accesses.front().Array->Array.name() << 4 << Other->getSourceRange();
    return !Failed && checkGridStrides(Loops, Result.RowDimension, Interpreted.GridMoves);
  }

  void reportStrides(const PointerVariable& Array, const Expr* Where) {
    error(Where, Diag::err_writes_far) << Array.name() << 1 << Where->getSourceRange();
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
      if (Failed)
        return;
      auto Outside = llvm::find_if(Accesses, [&](const CoordinateAccess& A) {
        if (A.Array != &Array || !A.Origin->Writes)
          return false;
        AxisAccess One = bounds(A, 0, D);
        return One.Low < 0 || One.High > 0;
      });
      error(Outside->Origin->Where, Diag::err_writes_far)
          << Array.Array.name() << 2 << Outside->Origin->Where->getSourceRange();
      if (Launch.Pitch[D])
        Diags.report(Outside->Origin->Where->getExprLoc(), Diag::note_block_pitch)
            << std::string(1, DimensionName[D]) << 1 << std::to_string(*Launch.Pitch[D]);
      return;
    }
  }

  /// The elements that a block writes, as a set of the named origins of blocks and coordinates.
  isl::set elementsOf(const CoordinateAccess& A, const std::string& Block) {
    isl::set S = A.Domain;
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

  void checkInjective(const DistributedParameter& Array) {
    std::vector<const CoordinateAccess*> Writes;
    for (const CoordinateAccess& A : Accesses)
      if (A.Array == &Array && A.Origin->Writes)
        Writes.push_back(&A);
    for (const CoordinateAccess* First : Writes)
      for (const CoordinateAccess* Second : Writes) {
        if (storesSameConstant(*First, *Second))
          continue;
        isl::set Common = elementsOf(*First, "a").intersect(elementsOf(*Second, "b"));
        for (unsigned D : Used) {
          std::string A = std::string("a") + DimensionName[D];
          std::string B = std::string("b") + DimensionName[D];
          if (Common.intersect(Sets.differsByAtLeast(A, B, Sets.pitch(D))).is_empty())
            continue;
          error(Second->Origin->Where, Diag::err_writes_not_injective)
              << Array.Array.name() << std::string(1, DimensionName[D])
              << Second->Origin->Where->getSourceRange();
          if (!Launch.BlockSize[D] && mentionsIndexAlone(*Second, D))
            Diags.report(Second->Origin->Where->getExprLoc(), Diag::note_block_index_alone) << std::string(1, DimensionName[D]);
          if (First->Origin->Where != Second->Origin->Where)
            Diags.report(First->Origin->Where->getExprLoc(), Diag::note_other_write)
                << First->Origin->Where->getSourceRange();
          return;
        }
      }
  }

  static bool mentionsIndexAlone(const CoordinateAccess& A, unsigned D) {
    return llvm::any_of(A.Coordinates, [&](const Polynomial& C) { return C.involves(Symbol::Kind::BlockIndex, D); });
  }

  /// A store into a fixed row and one into a column, of which it does not matter which one comes last: walls of one value meet in corners.
  bool storesSameConstant(const CoordinateAccess& First, const CoordinateAccess& Second) const {
    if (!forFixedRows() || isWalked(First.Coordinates[0]) == isWalked(Second.Coordinates[0]))
      return false;
    const Expr *One = storedAt(First), *Other = storedAt(Second);
    Expr::EvalResult OfOne, OfOther;
    if (!One || !Other || !Context.hasSameUnqualifiedType(One->getType(), Other->getType()) || !One->EvaluateAsRValue(OfOne, Context) ||
        !Other->EvaluateAsRValue(OfOther, Context) || OfOne.HasSideEffects || OfOther.HasSideEffects)
      return false;
    llvm::FoldingSetNodeID OneId, OtherId;
    OfOne.Val.Profile(OneId);
    OfOther.Val.Profile(OtherId);
    return OneId == OtherId;
  }

  /// The value of `u[...] = value;`; null for other statements.
  const Expr* storedAt(const CoordinateAccess& A) const {
    for (const RowStore& Store : Result.FixedRows.Statements) {
      const auto* Binary = dyn_cast<BinaryOperator>(Store.Statement->IgnoreParens());
      if (Binary && Binary->getOpcode() == BO_Assign && Binary->getLHS() == A.Origin->Where)
        return Binary->getRHS();
    }
    return nullptr;
  }

  /// A dimension that no subscript and no condition mentions has one block.
  bool mentionsBlock(const CoordinateAccess& A, unsigned D) {
    return Sets.mentions(A.Domain, Symbol::Kind::BlockOrigin, D) ||
           Sets.mentions(A.Domain, Symbol::Kind::BlockIndex, D);
  }

  const FunctionDecl* Kernel;
  ArrayRef<DistributedParameter> Arrays;
  const LaunchFacts& Launch;
  ASTContext& Context;
  Diagnostics& Diags;
  /// Of a tile, as far as it is known.
  std::array<std::optional<std::int64_t>, 3> BlockSize;
  SymbolicSets Sets;
  // Hold sets, so that they go before them.
  std::vector<CoordinateAccess> Accesses;
  std::vector<CollectedStore> Collected;
  std::map<size_t, DimensionWalks> WalksOf;
  /// Of the rows, by the first access that says so; writes come first.
  std::optional<std::int64_t> RowStep;
  /// Grid dimensions that subscripts or conditions mention; others have one block.
  std::vector<unsigned> Used;
  KernelAccesses Result;
  /// Arrays and their dimensions of which a warning says that subscripts may leave them.
  std::set<std::pair<PointerVariable, size_t>> Warned;
  std::set<PointerVariable> NotedConstants;
  bool Failed = false;
  /// Of arrays with components.
  std::map<PointerVariable, std::int64_t> LeastRows;
  KernelForm Form;
  bool StoresRows = false, StoresOtherRows = false;
  /// A bit for each dimension of the launch beyond those of tiles along which only its first thread stores.
  unsigned FirstBeyond = 0;
};

} // namespace

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
        Out << ' ' << Axis.Low << ".." << Axis.High << (Axis.Periodic ? " periodic" : "");
      Separator = ", ";
    }
    Out << (Separator[0] == ',' ? ")" : " (own)");
  };
  Out << "rows " << DimensionName[Accesses.RowDimension];
  if (Accesses.Threads == ThreadMapping::OneDimension)
    Out << " in one dimension";
  if (Accesses.Threads == ThreadMapping::FixedRows)
    Out << " of stores into fixed rows";
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
  if (Accesses.Threads == ThreadMapping::Coordinates)
    Out << "; in blocks of another size";
  for (unsigned D = 0; D < 3; ++D)
    if (Accesses.Pitch[D])
      Out << "; blocks begin " << *Accesses.Pitch[D] << " apart in " << DimensionName[D];
}

std::optional<KernelAccesses> analyzeAccesses(const FunctionDecl* Kernel,
                                              ArrayRef<DistributedParameter> Arrays,
                                              const LaunchFacts& Launch, ASTContext& Context,
                                              Diagnostics& Diags, KernelForm* Seen) {
  try {
    Analysis Analyse(Kernel, Arrays, Launch, Context, Diags);
    std::optional<KernelAccesses> Found = Analyse.run();
    if (Seen)
      *Seen = Analyse.form();
    return Found;
  } catch (const isl::exception&) {
    // isl gives up after a number of operations.
    Diags.report(Kernel->getLocation(), Diag::err_too_complex) << Kernel->getName();
    return std::nullopt;
  }
}

void noteDeviceVariable(SourceLocation Loc, const VarDecl& Variable, Diagnostics& Diags) {
  const PrintingPolicy Policy(Variable.getASTContext().getLangOpts());
  Diags.report(Loc, Diag::note_device_variable)
      << Variable.getName() << Variable.getType().getUnqualifiedType().getAsString(Policy) << ("its_" + Variable.getName()).str();
}

} // namespace gpurma
