// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/FixedRowAnalysis.h"

#include "passes/VariableChanges.h"
#include "passes/VariableUses.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpurma {
namespace {

/// Whether its row says which threads do a store.
bool decidesRow(const CoordinateAccess& A) { return A.Origin->Writes || A.Origin->FoundRow; }

/// As its text says: constants and what the kernel is passed.
bool isOfParameters(const Polynomial& P) {
  return llvm::all_of(P.terms(), [](const auto& Term) { return llvm::all_of(Term.first, [](const Symbol& S) { return S.Of == Symbol::Kind::Parameter; }); });
}

/// `list[i]`, or a member of it or of a copy, or `__ldg(&list[i])`.
bool isElement(const Expr* E) {
  E = E->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
  if (const auto* Call = dyn_cast<CallExpr>(E))
    return Call->getNumArgs() == 1 && isElement(Call->getArg(0));
  if (const auto* Member = dyn_cast<MemberExpr>(E))
    return isElement(Member->getBase());
  if (const auto* V = namedVariable(E); V && V->isLocalVarDecl() && V->getInit())
    return !References(V->getInit()).mention(V) && isElement(V->getInit());
  return isa<ArraySubscriptExpr, UnaryOperator, BinaryOperator>(E);
}

/// `int(x / dx)`, or `__float2int_rd(x / dx)`.
bool isOfFloating(const Expr* E) {
  const auto* Cast = dyn_cast<CastExpr>(E);
  const auto* Call = dyn_cast<CallExpr>(E);
  return (Cast && Cast->getCastKind() == CK_FloatingToIntegral) ||
         (Call && Call->getNumArgs() == 1 && Call->getArg(0)->getType()->isRealFloatingType());
}

bool staysInPlace(const CoordinateAccess& A) {
  auto IsZero = [](std::int64_t Carry) { return Carry == 0; };
  return llvm::all_of(A.CarryLow, IsZero) && llvm::all_of(A.CarryHigh, IsZero);
}

} // namespace

std::optional<std::int64_t> FixedRowAnalysis::threadsBeyond(const LaunchFacts& Launch) {
  constexpr std::int64_t Most = 16; // through which each thread of a tile goes
  std::int64_t Count = 1;
  for (unsigned D = *Launch.RowDimension; D < 3; ++D) {
    const auto &Blocks = Launch.GridSize[D], &Threads = Launch.BlockSize[D];
    if (!Blocks || !Threads || (*Blocks != 1 && *Threads != 1) || *Blocks < 1 || *Threads < 1 || *Blocks > Most || *Threads > Most)
      return std::nullopt;
    Count *= *Blocks * *Threads;
  }
  return Count > 1 && Count <= Most ? std::optional(Count) : std::nullopt;
}

RenumberedThreads FixedRowAnalysis::threads(ArrayRef<DistributedParameter> Arrays) {
  RenumberedThreads Threads;
  const unsigned Rows = *Launch.RowDimension;
  for (unsigned D = 0; D < 3; ++D) {
    Threads.OneBlock[D] = Launch.GridSize[D] == 1;
    Threads.Coordinate[D] = D < Rows && !Launch.SearchesRows ? threadAlong(D) : coordinateBeyond(D);
    if (!Launch.WalksThreads || D < Rows)
      continue;
    // As in a loop around the kernel.
    const Polynomial Number = Sets.counter();
    Sets.assume(Sets.compare(Comparison::Less, Number, *Launch.GridSize[D] * *Launch.BlockSize[D]));
    Threads.Coordinate[D] = Number;
    if (!Threads.OneBlock[D])
      Threads.Block[D] = Number;
  }
  Threads.Row = threadAlong(Rows);
  Threads.SearchesRows = Launch.SearchesRows;
  for (const DistributedParameter& A : Arrays)
    Threads.Shapes.emplace(A.Array, A.Shape);
  return Threads;
}

void FixedRowAnalysis::check(const InterpretedKernel& Interpreted) {
  Stores.Searched = Launch.SearchesRows;
  if (!Stores.Searched)
    findFixedRows();
  Stores.Statements = Interpreted.RowStores;
  Stores.Reads = Interpreted.RowReads;
  StoresRows = !Interpreted.RowStores.empty();
  StoresOtherRows |= Interpreted.StoresOtherRows && !storesWalkedRows(Interpreted);
  for (const CoordinateAccess& A : Accesses) {
    if (!A.Origin->Writes)
      continue;
    StoresOtherRows |= !hasFewIterations(A, A.Coordinates[0]);
    if (A.CarryLow[0] == 0 && A.CarryHigh[0] == 0 && A.Origin->StoredRow && A.Coordinates[0] == *A.Origin->StoredRow)
      continue;
    Reports.error(A.Origin->Where, Diag::err_fixed_rows)
        << Kernel->getName() << static_cast<unsigned>(RowProblem::LeavesRow) << A.Origin->Where->getSourceRange();
  }
  for (const CoordinateAccess& Read : Accesses) {
    Sets.allowForPart();
    for (const CoordinateAccess& Write : Accesses)
      if (!Reports.failed() && !Read.Origin->Writes && Write.Origin->Writes)
        checkOrder(Read, Write);
  }
  Sets.allowForPart();
  if (!Reports.failed() && !Stores.Searched)
    checkBeyond();
  if (Launch.WalksThreads)
    Stores.ThreadsWalked = *threadsBeyond(Launch);
}

void FixedRowAnalysis::findPlaces(const InterpretedKernel& Interpreted, KernelForm& Seen) const {
  const bool OneBlock = llvm::all_of(Launch.GridSize, [](const std::optional<std::int64_t>& Blocks) { return Blocks == 1; });
  auto Loops = [&](const CoordinateAccess& A) {
    const UnknownCause* Cause = Sets.unknownIn(A.Origin->Offset);
    return (Cause && Cause->Why == UnknownCause::Loop) || !hasFewIterations(A, A.Origin->Offset);
  };
  Seen.StoresListed = llvm::all_of(Interpreted.RejectedRowStores, [&](const Polynomial& Offset) { return isListed(Offset); });
  Seen.StoresFewPlaces = true;
  bool Any = !Interpreted.RejectedRowStores.empty();
  for (const CoordinateAccess& A : Accesses) {
    if (!decidesRow(A))
      continue;
    const bool IsListed = isListed(A.Origin->Offset);
    Any = true;
    Seen.StoresListed &= IsListed;
    Seen.StoresFewPlaces &= IsListed || (OneBlock && !Loops(A));
  }
  Seen.StoresListed &= Any;
  Seen.StoresFewPlaces &= Any;
}

bool FixedRowAnalysis::isListed(const Polynomial& Offset) const {
  auto IsUnknown = [](const Symbol& S) { return S.Of == Symbol::Kind::Unknown; };
  auto IsLoaded = [&](const Symbol& S) {
    const UnknownCause* Cause = Sets.unknownIn(Polynomial(S));
    const auto* At = Cause ? dyn_cast<Expr>(Cause->At) : nullptr;
    return At && (isOfFloating(At) || (Cause->Why == UnknownCause::Loaded && isElement(At)));
  };
  // In a product with the number of a thread it is rather the length of a row.
  auto IsLength = [&](const auto& Term) {
    return llvm::any_of(Term.first, IsUnknown) &&
           llvm::any_of(Term.first, [&](const Symbol& S) { return !IsUnknown(S) && S.Of != Symbol::Kind::Parameter; });
  };
  return llvm::none_of(Offset.terms(), IsLength) &&
         llvm::any_of(Offset.terms(), [&](const auto& Term) { return llvm::any_of(Term.first, IsLoaded); });
}

bool FixedRowAnalysis::isUniform(const Polynomial& P) {
  isl::set Values = Sets.closed(Sets.bound(Sets.universe(), "value", P));
  for (const Monomial& M : Sets.monomialsOf(Values))
    for (const Symbol& S : M)
      if (S.Of != Symbol::Kind::Parameter && S.Of != Symbol::Kind::Unknown && S.Of != Symbol::Kind::Counter)
        return false;
  return !Sets.unknownIn(P);
}

bool FixedRowAnalysis::lieInRowsApart(const CoordinateAccess& First, const CoordinateAccess& Second) const {
  const Polynomial &One = First.Coordinates[0], &Other = Second.Coordinates[0];
  return staysInPlace(First) && staysInPlace(Second) && isOfParameters(One) && isOfParameters(Other) && (One - Other).constant().value_or(0) != 0;
}

bool FixedRowAnalysis::isOfPassedNumbers(const Stmt& E) const {
  if (const auto* Ref = dyn_cast<DeclRefExpr>(&E)) {
    const auto* P = dyn_cast<ParmVarDecl>(Ref->getDecl());
    return P && P->getDeclContext() == Kernel && !P->getType()->isReferenceType() &&
           !VariableChanges(Kernel->getBody()).changes(P);
  }
  const auto* Value = dyn_cast<Expr>(&E);
  return Value && !Value->getType()->isAnyPointerType() && !Value->HasSideEffects(Context) &&
         !isa<LambdaExpr>(Value) && llvm::all_of(E.children(), [&](const Stmt* Child) {
           return !Child || isOfPassedNumbers(*Child);
         });
}

bool FixedRowAnalysis::storesSameValue(const CoordinateAccess& First,
                                       const CoordinateAccess& Second) const {
  if (isWalked(First.Coordinates[0]) == isWalked(Second.Coordinates[0]))
    return false;
  const Expr *One = storedAt(First), *Other = storedAt(Second);
  if (!One || !Other || !Context.hasSameUnqualifiedType(One->getType(), Other->getType()))
    return false;
  if (isOfPassedNumbers(*One) &&
      isSameText(*One->IgnoreParenImpCasts(), *Other->IgnoreParenImpCasts(), Context))
    return true;
  Expr::EvalResult OfOne, OfOther;
  if (!One->EvaluateAsRValue(OfOne, Context) || !Other->EvaluateAsRValue(OfOther, Context) ||
      OfOne.HasSideEffects || OfOther.HasSideEffects)
    return false;
  llvm::FoldingSetNodeID OneId, OtherId;
  OfOne.Val.Profile(OneId);
  OfOther.Val.Profile(OtherId);
  return OneId == OtherId;
}

Polynomial FixedRowAnalysis::coordinateBeyond(unsigned D) const {
  const Polynomial Thread = Symbol{Symbol::Kind::LaunchedThread, D};
  return Launch.GridSize[D] == 1 ? Thread : Thread + Symbol{Symbol::Kind::LaunchedOrigin, D};
}

void FixedRowAnalysis::checkBeyond() {
  using Kind = Symbol::Kind;
  for (unsigned D = *Launch.RowDimension; D < 3; ++D) {
    if (Launch.WalksThreads) {
      Stores.Dimensions |= 1u << D;
      continue;
    }
    auto ByOthers = [&](const CoordinateAccess& A) {
      return decidesRow(A) && !A.domain().intersect(Sets.compare(Comparison::LessEqual, 1, coordinateBeyond(D))).is_empty();
    };
    auto Found = llvm::find_if(Accesses, ByOthers);
    if (Found == Accesses.end())
      Stores.Dimensions |= 1u << D;
    else if (llvm::any_of(Accesses, [&](const CoordinateAccess& A) {
               return llvm::any_of(std::array{Kind::LaunchedOrigin, Kind::LaunchedIndex, Kind::LaunchedThread},
                                   [&](Kind Of) { return llvm::any_of(A.Domains, [&](const isl::set& Each) { return Sets.mentions(Each, Of, D); }); });
             }))
      return Reports.rowsNotWalked(*Found);
  }
}

std::optional<FixedRow> FixedRowAnalysis::fixedRow(const CoordinateAccess& A) const {
  const Polynomial& Row = A.Coordinates[0];
  auto From = [&](const Polynomial& Begin) { return Sets.normalized(Row - Begin).constant(); };
  if (std::optional<std::int64_t> Number = Row.constant())
    return FixedRow{std::nullopt, nullptr, nullptr, *Number};
  if (std::optional<std::int64_t> Number = From(A.Array->Shape[0]))
    return FixedRow{A.Array->Array, nullptr, nullptr, *Number};
  for (const auto& [Parameter, Value] : Launch.Arguments)
    if (const auto* Of = dyn_cast<ParmVarDecl>(Parameter.first))
      if (std::optional<std::int64_t> Number = From(Value))
        return FixedRow{std::nullopt, Of, Parameter.second, *Number};
  for (const ParmVarDecl* Parameter : Kernel->parameters())
    if (std::optional<std::int64_t> Number = From(Symbol{Symbol::Kind::Parameter, 0, Parameter}))
      return FixedRow{std::nullopt, Parameter, nullptr, *Number};
  return std::nullopt;
}

void FixedRowAnalysis::findFixedRows() {
  constexpr size_t MostRows = 8; // which a rank goes through for each launch
  std::vector<FixedRow> Rows;
  std::vector<const Polynomial*> Counts; // of the rows of arrays at whose ends they begin
  for (const CoordinateAccess& A : Accesses) {
    if (!decidesRow(A))
      continue;
    std::optional<FixedRow> Row = fixedRow(A);
    if (!Row)
      return;
    const Polynomial* Count = Row->Array ? &A.Array->Shape[0] : nullptr;
    bool IsNew = true;
    for (auto [Other, OtherCount] : llvm::zip(Rows, Counts))
      IsNew = IsNew && !(Other.Parameter == Row->Parameter && Other.Field == Row->Field && Other.Number == Row->Number &&
                         (Count && OtherCount ? *Count == *OtherCount : Count == OtherCount));
    if (!IsNew)
      continue;
    Rows.push_back(std::move(*Row));
    Counts.push_back(Count);
  }
  if (Rows.size() <= MostRows)
    Stores.Rows = std::move(Rows);
}

bool FixedRowAnalysis::storesWalkedRows(const InterpretedKernel& Interpreted) {
  if (Reports.failed() || !Interpreted.Understood)
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

bool FixedRowAnalysis::isWalked(const Polynomial& Row) const {
  std::optional<unsigned> D = walkedBy(Row);
  return D && *D < *Launch.RowDimension &&
         Sets.normalized(Row - threadAlong(*D)).constant().has_value();
}

bool FixedRowAnalysis::hasFewIterations(const CoordinateAccess& A, const Polynomial& P) const {
  constexpr std::int64_t MostIterations = 64;
  for (const auto& [M, Coefficient] : P.terms())
    for (const Symbol& S : M)
      if (S.Of == Symbol::Kind::Counter) {
        std::optional<std::int64_t> Last = Sets.greatest(A.Domains[0], S);
        if (!Last || *Last >= MostIterations)
          return false;
      }
  return true;
}

isl::set FixedRowAnalysis::rowsElsewhere(const CoordinateAccess& A) {
  const isl::set Domain = A.domain();
  isl::set Rows = Sets.none();
  for (std::int64_t Carry = A.CarryLow[0]; Carry <= A.CarryHigh[0]; ++Carry) {
    const Polynomial Row = A.Coordinates[0] + Carry;
    Rows = Rows.unite(Sets.bound(Domain.intersect(Sets.compare(Comparison::NotEqual, Row, *A.Origin->StoredRow)), "row", Row));
  }
  return Sets.withoutVarying(Sets.closed(Rows));
}

bool FixedRowAnalysis::comparesElements(const CoordinateAccess& Read, const CoordinateAccess& Write) const {
  return (isWalked(*Read.Origin->StoredRow) || isWalked(Write.Coordinates[0])) && staysInPlace(Read) && staysInPlace(Write) &&
         !Read.Array->Halo;
}

isl::set FixedRowAnalysis::rowsInNoOrder(const CoordinateAccess& Read, const CoordinateAccess& Write) {
  return rowsElsewhere(Read).intersect(Sets.withoutVarying(Sets.closed(Sets.bound(Write.domain(), "row", Write.Coordinates[0]))));
}

isl::set FixedRowAnalysis::elementsInNoOrder(const CoordinateAccess& Read, const CoordinateAccess& Write) {
  const isl::set Domain = Read.domain();
  const isl::set Elsewhere = Domain.intersect(Sets.compare(Comparison::NotEqual, Read.Coordinates[0], *Read.Origin->StoredRow));
  const isl::set Stored = elementsOfThreads(Write, Write.domain(), "b");
  const isl::set Common = elementsOfThreads(Read, Domain, "a").intersect(Stored);
  isl::set Found = elementsOfThreads(Read, Elsewhere, "a").intersect(Stored);
  for (unsigned D = 0; D < *Launch.RowDimension; ++D) {
    const std::string A = std::string("a") + DimensionName[D], B = std::string("b") + DimensionName[D];
    Found = Found.unite(Common.intersect(Sets.differsByAtLeast(A, B, Polynomial(1)).unite(Sets.differsByAtLeast(B, A, Polynomial(1)))));
  }
  return Found;
}

isl::set FixedRowAnalysis::elementsOfThreads(const CoordinateAccess& A, isl::set Reached, const std::string& Thread) {
  for (unsigned D = 0; D < *Launch.RowDimension; ++D)
    Reached = Sets.bound(Reached, Thread + DimensionName[D], threadAlong(D));
  for (size_t J = 0; J < A.Coordinates.size(); ++J)
    Reached = Sets.bound(Reached, "e" + std::to_string(J), A.Coordinates[J]);
  return Sets.withoutVarying(Sets.closed(Sets.bound(Reached, "component", A.Component)));
}

void FixedRowAnalysis::checkOrder(const CoordinateAccess& Read, const CoordinateAccess& Write) {
  const ArrayShape& Shape = Read.Array->Shape;
  if (!(Shape == Write.Array->Shape) || lieInRowsApart(Read, Write))
    return;
  const std::pair Both(Read.Array->Array, Write.Array->Array);
  if (llvm::is_contained(Stores.Distinct, Both))
    return;
  isl::set Common = comparesElements(Read, Write) ? elementsInNoOrder(Read, Write) : rowsInNoOrder(Read, Write);
  if (Common.is_empty())
    return;
  if (Read.Array != Write.Array) {
    Stores.Distinct.push_back(Both);
    return;
  }
  std::optional<std::int64_t> Most;
  if (!Shape[0].constant())
    Most = Sets.greatest(Common, Shape[0]);
  constexpr std::int64_t ManyRows = 1024;
  if (Most && *Most < ManyRows) {
    Stores.LeastRows = std::max(Stores.LeastRows, *Most + 1);
    return;
  }
  Reports.error(Read.Origin->Where, Diag::err_fixed_rows_order)
      << Kernel->getName() << Read.Array->Array.name() << Read.Origin->Where->getSourceRange();
  Reports.note(Write.Origin->Where, Diag::note_row_stored_here) << Write.Origin->Where->getSourceRange();
}

const Expr* FixedRowAnalysis::storedAt(const CoordinateAccess& A) const {
  for (const RowStore& Store : Stores.Statements) {
    const auto* Binary = dyn_cast<BinaryOperator>(Store.Statement->IgnoreParens());
    if (Binary && Binary->getOpcode() == BO_Assign && Binary->getLHS() == A.Origin->Where)
      return storeOf(Binary).Value;
  }
  return nullptr;
}

} // namespace gpurma
