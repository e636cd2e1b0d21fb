// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/SplitAccesses.h"

#include "llvm/ADT/STLExtras.h"
#include <cstdlib>

namespace gpurma {
namespace {

/// Of the smallest part of an array that subscripts are divided by and that \p Times are not some of; 1 if there is none.
Polynomial rowLength(const ArrayShape& Shape, std::int64_t Times) {
  size_t J = Shape.dimensions() - 1;
  while (J > 0 && Polynomial(Times).divided(Shape.stride(J - 1)).second == Polynomial(0))
    --J;
  return J > 0 ? Shape.stride(J - 1) : Shape.Components ? Shape.elements() : Polynomial(1);
}

/// The last column, nx - 1, is the only one that division takes for one of another row. Of places
/// that data chooses between it may be one.
bool leavesRow(const Polynomial& P, const Polynomial& Length, bool ByData) {
  if (P.constant() && Length.constant()) // which division would have in the row before if it is negative
    return std::abs(*P.constant()) >= *Length.constant();
  auto [Rows, Columns] = P.divided(Length);
  const std::optional<std::int64_t> Number = Rows.constant();
  return !Number || *Number < 0 || (*Number > 0 && (ByData || Columns == Polynomial(0)));
}

/// Of one that division takes for one of a row before: x - nx where x is no column of the row.
bool comesBackIntoRow(const Alternative& One, const Polynomial& Times, const Polynomial& Length, const isl::set& Path, SymbolicSets& Sets) {
  const Polynomial At = One.Value * Times;
  if (At.constant() || !At.divided(Length).first.constant())
    return false;
  const isl::set Values = Sets.closed(Sets.bound(Path.intersect(One.When), "value", One.Value));
  return Values.intersect(Sets.compare(Comparison::Less, At, 0)).is_empty() && Values.intersect(Sets.compare(Comparison::LessEqual, Length, At)).is_empty();
}

/// The values of a symbol that stands by itself in a term.
const std::vector<Alternative>* choiceOf(const Monomial& M, const SymbolicSets& Sets) {
  return M.size() == 1 ? Sets.alternativesOf(M.front()) : nullptr;
}

/// Whether some value of one leads to another row, or one of those that it may be itself.
bool mayLeaveRow(const std::vector<Alternative>& Values, const Polynomial& Times,
                 const Polynomial& Length, bool ByData, const isl::set& Path, SymbolicSets& Sets) {
  return llvm::any_of(Values, [&](const Alternative& Each) {
    if (leavesRow(Each.Value * Times, Length, ByData))
      return ByData || !comesBackIntoRow(Each, Times, Length, Path, Sets);
    return llvm::any_of(Each.Value.terms(), [&](const auto& Term) {
             const std::vector<Alternative>* Inner = choiceOf(Term.first, Sets);
             return Inner && mayLeaveRow(*Inner, Times * Polynomial(Term.second), Length, ByData,
                                         Path, Sets);
           });
  });
}

/// An element of an array of numbers that are clamped. All that is known of those that it is not would be too much for isl.
bool isOfClamped(const std::vector<Alternative>& Values, const SymbolicSets& Sets) {
  return Values.size() > 2 && llvm::any_of(Values, [&](const Alternative& Each) {
           return llvm::any_of(Each.Value.terms(), [&](const auto& Term) { return choiceOf(Term.first, Sets); });
         });
}

std::optional<Symbol> choiceToSplit(const Polynomial& Offset, const ArrayShape& Shape, const isl::set& Path, SymbolicSets& Sets) {
  if (Offset.overflowed())
    return std::nullopt;
  const auto Choices = llvm::count_if(Offset.terms(), [&](const auto& Term) { return choiceOf(Term.first, Sets) != nullptr; });
  for (const auto& [M, Coefficient] : Offset.terms()) {
    // One of several rows by itself is the row of each; with other choices the cases would multiply.
    const Polynomial Length = rowLength(Shape, Choices > 1 ? Coefficient : 1);
    if (const std::vector<Alternative>* Values = choiceOf(M, Sets);
        Values && !(Length == Polynomial(1)) &&
        mayLeaveRow(*Values, Polynomial(Coefficient), Length,
                    Sets.unknownIn(Polynomial(M.front())) != nullptr, Path, Sets))
      return M.front();
    for (const Symbol& S : M)
      if (const std::vector<Alternative>* Values = Sets.alternativesOf(S); Values && isOfClamped(*Values, Sets))
        return S;
  }
  return std::nullopt;
}

} // namespace

std::vector<ElementAccess> splitAccesses(std::vector<ElementAccess> Accesses, llvm::ArrayRef<DistributedParameter> Arrays,
                                         SymbolicSets& Sets) {
  constexpr size_t MostOfOne = 64;
  std::vector<ElementAccess> Split;
  for (ElementAccess& Access : Accesses) {
    const ArrayShape& Shape = llvm::find_if(Arrays, [&](const DistributedParameter& P) { return P.Array == Access.Array; })->Shape;
    std::vector<ElementAccess> Pending = {std::move(Access)};
    for (size_t Made = 1; !Pending.empty();) {
      ElementAccess Next = std::move(Pending.back());
      Pending.pop_back();
      const std::optional<Symbol> Choice = Next.FoundRow ? std::nullopt : choiceToSplit(Next.Offset, Shape, Next.Path, Sets);
      const std::vector<Alternative>* Values = Choice ? Sets.alternativesOf(*Choice) : nullptr;
      if (!Values || Made + Values->size() > MostOfOne) {
        Split.push_back(std::move(Next));
        continue;
      }
      Made += Values->size();
      isl::set Rest = Next.Path;
      for (const Alternative& Each : *Values) {
        ElementAccess One = Next;
        One.Path = Next.Path.intersect(Each.When);
        One.Offset = Sets.normalized(Next.Offset.substituted(*Choice, Each.Value));
        if (One.StoredRow) // which the row of the access is compared with
          One.StoredRow = Sets.normalized(Next.StoredRow->substituted(*Choice, Each.Value));
        Rest = Rest.subtract(Each.When);
        if (!Sets.closed(One.Path).is_empty())
          Pending.push_back(std::move(One));
      }
      Next.Path = Rest;
      if (!Sets.closed(Rest).is_empty())
        Split.push_back(std::move(Next));
    }
  }
  return Split;
}

} // namespace gpurma
