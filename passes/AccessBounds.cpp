// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/AccessBounds.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace clang;

namespace gpurma {

AxisAccess AccessBounds::bounds(const CoordinateAccess& A, size_t J, unsigned D) {
  const std::array<std::int64_t, 4> Carry = {A.CarryLow[J], A.CarryHigh[J], J > 0 ? A.CarryLow[J - 1] : 0, J > 0 ? A.CarryHigh[J - 1] : 0};
  auto Alike = std::find_if(Known.begin(), Known.end(), [&](const KnownBounds& Each) {
    return Each.Array == A.Array && Each.J == J && Each.D == D && Each.Writes == A.Origin->Writes && Each.Carry == Carry &&
           Each.Coordinate == A.Coordinates[J] && isl_set_plain_is_equal(Each.Domain.get(), A.Domains[J].get()) == isl_bool_true;
  });
  if (Alike == Known.end()) {
    Known.push_back({A.Coordinates[J], A.Domains[J], Carry, A.Array, J, D, A.Origin->Writes, findBounds(A, J, D)});
    return Known.back().Found;
  }
  return Alike->Found;
}

AxisAccess AccessBounds::findBounds(const CoordinateAccess& A, size_t J, unsigned D) {
  // What leaves its row comes to the other end of the next one.
  if (J > 0 && (A.CarryLow[J - 1] != 0 || A.CarryHigh[J - 1] != 0))
    return {/*Whole=*/true};
  Polynomial Step(stepOf(J, D));
  Polynomial Distance = A.Coordinates[J] - Step * originOf(D);
  Polynomial FromEnd = Distance - Step * Sets.pitch(D) + 1;
  // The origin and the block's size may be mentioned here only.
  isl::set Domain = Sets.closed(Sets.bound(Sets.bound(A.Domains[J], "distance", Distance), "end", FromEnd));
  const bool ReadsRows = J == 0 && !A.Origin->Writes;
  if (ReadsRows)
    Domain = Sets.inFirstRow(Domain);
  const std::optional<std::int64_t> Extent = A.Array->Shape[J].constant();
  std::optional<std::int64_t> Low = Sets.least(Domain, Distance),
                              High = Sets.greatest(Domain, FromEnd);
  const auto IsFar = [&] {
    return !Low || !High || !areCounted(*Low, *High) ||
           (Extent && (*Low < -*Extent / 2 || *High > *Extent / 2));
  };
  if (!Low || !High || (ReadsRows && IsFar())) {
    // Where coordinates are clamped or mirrored, blocks that begin beyond the array would be as far
    // away as one likes; they have no elements, so nothing of theirs is waited for.
    Domain =
        Domain.intersect(Sets.compare(Comparison::Less, Step * originOf(D), A.Array->Shape[J]));
    Low = Sets.least(Domain, Distance);
    High = Sets.greatest(Domain, FromEnd);
  }
  const bool Bounded = Low && High && areCounted(*Low, *High) && !spans(A, J, D, *Low, *High);
  if (ReadsRows && (!Bounded || IsFar()))
    if (AxisAccess Periodic = periodicRows(A, Domain, Distance, FromEnd); !Periodic.Whole)
      return Periodic;
  if (!Bounded)
    return {/*Whole=*/true};
  return {false, *Low + A.CarryLow[J], *High + A.CarryHigh[J]};
}

std::optional<bool> AccessBounds::readsFarther(const CoordinateAccess& A, unsigned D, const Polynomial& Depth, const std::set<Symbol>& Extents) {
  const Polynomial Step(stepOf(0, D)), &Rows = A.Array->Shape[0];
  // `r / ny * ny`: what a quotient by a size says of it is no product's.
  if (llvm::any_of(A.Coordinates[0].terms(), [](const auto& Term) {
        return Term.first.size() > 1 && llvm::any_of(Term.first, [](const Symbol& S) {
                 return S.Of == Symbol::Kind::Unknown;
               });
      }))
    return std::nullopt;
  isl::set Domain = ofRows(A, D, Depth);
  auto IsData = [&](const Symbol& S) {
    return Sets.unknownIn(S) || Sets.standsAlone(S) || (S.Of == Symbol::Kind::Counter && !Sets.isBoundedAbove(Domain, S));
  };
  if (llvm::any_of(Sets.monomialsOf(Domain), [&](const Monomial& M) { return llvm::any_of(M, IsData); }))
    return std::nullopt;
  if (!Rows.constant() || !Depth.constant())
    Domain = Domain.intersect(Sets.compare(Comparison::Less, Polynomial(4) * (Step * Sets.pitch(D) + Depth + 16), Rows));
  isl::set Far = Domain;
  for (const Polynomial& Turn : {Polynomial(0), Rows, Polynomial(0) - Rows})
    Far = Far.subtract(near(A, D, Depth, Turn));
  return !Domain.is_empty() && Sets.withoutVarying(Domain, Extents).is_subset(Sets.withoutVarying(Far, Extents));
}

AccessBounds::RowsWithin AccessBounds::staysWithin(const CoordinateAccess& A, unsigned D, const Polynomial& Depth) {
  const Polynomial& Rows = A.Array->Shape[0];
  isl::set Rest = ofRows(A, D, Depth).intersect(Sets.compare(Comparison::LessEqual, 0, Depth)).subtract(near(A, D, Depth, 0));
  if (Rest.is_empty())
    return RowsWithin::Shown;
  // In shorter arrays the runtime takes any row to be meant.
  Rest = Rest.intersect(Sets.compare(Comparison::LessEqual, Depth + Depth, Rows));
  for (const Polynomial& Turn : {Rows, Polynomial(0) - Rows})
    Rest = Rest.subtract(near(A, D, Depth, Turn));
  return Rest.is_empty() ? RowsWithin::ShownPeriodically : RowsWithin::NotShown;
}

isl::set AccessBounds::ofRows(const CoordinateAccess& A, unsigned D, const Polynomial& Depth) {
  const Polynomial Origin = Polynomial(stepOf(0, D)) * originOf(D);
  // Blocks that begin beyond the array have no elements.
  return Sets.inFirstRow(Sets.closedWith(A.Domains[0], {A.Coordinates[0], Origin, Sets.pitch(D), Depth}))
      .intersect(Sets.compare(Comparison::Less, Origin, A.Array->Shape[0]));
}

isl::set AccessBounds::near(const CoordinateAccess& A, unsigned D, const Polynomial& Depth, const Polynomial& Turn) {
  const Polynomial Step(stepOf(0, D)), Distance = A.Coordinates[0] - Step * originOf(D) + Turn;
  return Sets.compare(Comparison::LessEqual, Polynomial(0) - Depth, Distance + A.CarryLow[0])
      .intersect(Sets.compare(Comparison::LessEqual, Distance - Step * Sets.pitch(D) + 1 + A.CarryHigh[0], Depth));
}

std::optional<std::pair<std::int64_t, std::int64_t>> AccessBounds::rowsFromThread(const CoordinateAccess& A, unsigned D) {
  const Polynomial Distance = A.Coordinates[0] - Polynomial(stepOf(0, D)) * threadAlong(D);
  std::optional<std::int64_t> Low = Distance.constant(), High = Low;
  if (!Low) {
    isl::set Domain = Sets.closed(Sets.bound(A.Domains[0], "distance", Distance));
    if (!A.Origin->Writes)
      Domain = Sets.inFirstRow(Domain);
    Low = Sets.least(Domain, Distance);
    High = Sets.greatest(Domain, Distance);
  }
  if (!Low || !High || !areCounted(*Low, *High))
    return std::nullopt;
  return std::pair(*Low + A.CarryLow[0], *High + A.CarryHigh[0]);
}

DimensionEnds AccessBounds::endsOf(const CoordinateAccess& A, size_t J) {
  constexpr std::int64_t Most = 1024;
  const Polynomial& At = A.Coordinates[J];
  if (Sets.unknownIn(At))
    return {/*Whole=*/true};
  const Polynomial FromEnd = At - A.Array->Shape[J];
  isl::set Domain = Sets.closed(Sets.bound(Sets.bound(A.Domains[J], "coordinate", At), "end", FromEnd));
  DimensionEnds Fewest{/*Whole=*/true};
  // Where the extent is a constant, both say something.
  for (const Polynomial& Place : {At, FromEnd}) {
    std::optional<std::int64_t> Low = Sets.least(Domain, Place), High = Sets.greatest(Domain, Place);
    if (!Low || !High)
      continue;
    // What leaves the dimension is at its other end, in a row before or after.
    const std::int64_t First = std::max<std::int64_t>(*High + A.CarryHigh[J] + 1, 0), Last = std::max<std::int64_t>(-(*Low + A.CarryLow[J]), 0);
    if (First <= Most && Last <= Most && (Fewest.Whole || First + Last < Fewest.First + Fewest.Last))
      Fewest = {false, First, Last};
  }
  return Fewest;
}

AxisAccess AccessBounds::periodicRows(const CoordinateAccess& A, const isl::set& Domain, const Polynomial& Distance, const Polynomial& FromEnd) {
  const Polynomial& Rows = A.Array->Shape[0];
  const Polynomial Turns[] = {0, Rows, Polynomial(0) - Rows};
  const Polynomial Twice = Polynomial(2) * Distance;
  // In an array that is long enough, the nearest of the places where a row comes again is plain.
  isl::set Long = Domain.intersect(
      Sets.compare(Comparison::LessEqual, Polynomial(2 * Tiles.RowsPerThread) * Sets.pitch(Tiles.RowDimension) + 16, Rows));
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

bool AccessBounds::spans(const CoordinateAccess& A, size_t J, unsigned D, std::int64_t Low,
           std::int64_t High) const {
  std::optional<std::int64_t> Extent = A.Array->Shape[J].constant();
  std::optional<Walk> Walked = walkOf(A.Coordinates[J]);
  bool Fixed = Walked && Walked->Step == stepOf(J, D) && !A.Coordinates[J].involves(Symbol::Kind::Unknown);
  return Extent && !Fixed &&
         (Low <= 1 - *Extent || High + stepOf(J, D) * BlockSize[D].value_or(1) >= *Extent);
}

} // namespace gpurma
