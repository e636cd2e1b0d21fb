// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/IntegerArithmetic.h"

#include "passes/KernelInterpreter.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <set>

using namespace clang;

namespace gpurma {

/// What numbers of 32 bits are the same modulo.
static constexpr std::int64_t Period = std::int64_t{1} << 32;

bool IntegerArithmetic::isPossible(const isl::set& Values) const {
  return !Sets.closed(Path.intersect(Values)).is_empty();
}

Condition IntegerArithmetic::compare(BinaryOperatorKind Op, const Polynomial& A, const Polynomial& B,
                  QualType Type) {
  // Between numbers that were loaded, or of what was counted in them: that says nothing of places, and would be in all that is asked behind it.
  if ((Sets.dataIn(A) && Sets.dataIn(B)) || causeOfCount(A) || causeOfCount(B))
    return {Sets.universe(), Sets.universe()};
  const bool Unsigned = !Type.isNull() && Type->isUnsignedIntegerType();
  switch (Op) {
  case BO_GT:
    return compare(BO_LT, B, A, Type);
  case BO_GE:
    return compare(BO_LE, B, A, Type);
  case BO_NE: {
    Condition Equal = compare(BO_EQ, A, B, Type);
    return {Equal.False, Equal.True};
  }
  case BO_EQ: {
    Condition Equal{Sets.compare(Comparison::Equal, A, B), Sets.compare(Comparison::NotEqual, A, B)};
    // `x > y ? 1 : 0` is 1 if it is not 0, of which the numbers below and above would be two cases.
    if (std::optional<std::int64_t> Other = otherOfTwo(A, B))
      return {std::move(Equal.True), Sets.compare(Comparison::Equal, A, *Other)};
    // A large constant is one below zero; what it is compared with may be neither.
    if (!Unsigned || Context.getTypeSize(Type) != 32)
      return Equal;
    for (const auto& [Constant, Other] : {std::pair(A, B), std::pair(B, A)})
      if (Constant.constant() && *Constant.constant() < 0) {
        const Polynomial Large = Constant + Polynomial(Period);
        Equal.True = Equal.True.unite(Sets.compare(Comparison::Equal, Large, Other));
        Equal.False = Equal.False.intersect(Sets.compare(Comparison::NotEqual, Large, Other));
      }
    return Equal;
  }
  default:
    break;
  }
  bool Strict = Op == BO_LT;
  auto Order = [&](const Polynomial& X, const Polynomial& Y, bool Less) {
    const Comparison Before = Less ? Comparison::Less : Comparison::LessEqual;
    isl::set Plain = Sets.compare(Before, X, Y);
    if (!Unsigned)
      return Plain;
    // A negative number converts to one larger than all others.
    isl::set NegativeX = Sets.compare(Comparison::Less, X, 0),
             NegativeY = Sets.compare(Comparison::Less, Y, 0);
    isl::set Mixed = NegativeY.subtract(NegativeX);
    // But what is as large as a large constant may not be below zero.
    if (Context.getTypeSize(Type) == 32 && (X.constant() || Y.constant()))
      Mixed = Mixed.intersect(Sets.compare(Before, X, Y + Polynomial(Period)))
                  .unite(NegativeX.subtract(NegativeY).intersect(Sets.compare(Before, X + Polynomial(Period), Y)));
    return Plain
        .intersect(NegativeX.intersect(NegativeY).unite(
            NegativeX.complement().intersect(NegativeY.complement())))
        .unite(Mixed);
  };
  return {Order(A, B, Strict), Order(B, A, !Strict)};
}

std::optional<std::int64_t> IntegerArithmetic::otherOfTwo(const Polynomial& A, const Polynomial& B) const {
  if (A.terms().size() != 1 || A.terms().begin()->first.size() != 1 || A.terms().begin()->second != 1 || !B.constant())
    return std::nullopt;
  const std::vector<Alternative>* Values = Sets.alternativesOf(A.terms().begin()->first.front());
  if (!Values || Values->size() != 2 || !Values->front().Value.constant() || !Values->back().Value.constant())
    return std::nullopt;
  const std::int64_t First = *Values->front().Value.constant(), Second = *Values->back().Value.constant();
  return *B.constant() == First ? std::optional(Second) : *B.constant() == Second ? std::optional(First) : std::nullopt;
}

Polynomial IntegerArithmetic::choice(const isl::set& IfA, const Polynomial& A, const isl::set& IfB,
                  const Polynomial& B) {
  if (A == B || IfB.is_empty())
    return A;
  if (IfA.is_empty())
    return B;
  // A definition of another symbol may mention this one where neither holds, so it must have a
  // value there, too. What both have in common is left out first: it is the path on which the
  // symbol is used.
  isl::set Either = IfA.unite(IfB).coalesce();
  isl::set FirstIf = Sets.gist(IfA, Either), SecondIf = Sets.gist(IfB, Either);
  return Sets.oneOf({{FirstIf, A}, {SecondIf, B}}, FirstIf.unite(SecondIf).complement());
}

Polynomial IntegerArithmetic::resolved(const Polynomial& P) {
  for (const auto& [M, Coefficient] : P.terms())
    for (const Symbol& S : M)
      if (const std::vector<Alternative>* Values = Sets.alternativesOf(S))
        for (const Alternative& One : *Values)
          if (!isPossible(Sets.compare(Comparison::NotEqual, S, One.Value)))
            return resolved(Sets.normalized(P.substituted(S, One.Value)));
  return P;
}

Polynomial IntegerArithmetic::elementOf(const std::vector<Polynomial>& Values, const Polynomial& Offset) {
  constexpr std::size_t MostApart = 64;
  const auto Count = static_cast<std::int64_t>(Values.size());
  const isl::set Outside = Sets.compare(Comparison::Less, Offset, 0).unite(Sets.compare(Comparison::LessEqual, Count, Offset));
  if (Values.size() > MostApart)
    return Sets.defined([&](const Polynomial& S) {
      auto Less = [](const Polynomial& A, const Polynomial& B) { return *A.constant() < *B.constant(); };
      auto [Least, Most] = std::minmax_element(Values.begin(), Values.end(), Less);
      return Outside.unite(Sets.compare(Comparison::LessEqual, *Least, S).intersect(Sets.compare(Comparison::LessEqual, S, *Most)));
    });
  std::vector<Alternative> Elements;
  for (std::int64_t I = 0; I < Count; ++I)
    Elements.push_back({Sets.compare(Comparison::Equal, Offset, I), Values[static_cast<std::size_t>(I)]});
  return Sets.oneOf(std::move(Elements), Outside);
}

Polynomial IntegerArithmetic::valueOf(BinaryOperatorKind Op, Polynomial A, Polynomial B, const BinaryOperator* E) {
  // The cases of a count multiply, and what is computed of it is no place.
  if (!BinaryOperator::isAdditiveOp(Op) && Op != BO_Mul)
    for (const Polynomial& Each : {A, B})
      if (const UnknownCause* Data = addsData(Each) ? causeOfMixedData(Each) : causeOfCount(Each))
        return dataBetween(*Data, Op == BO_Rem ? B.constant() : std::nullopt);
  if (Op == BO_Div || Op == BO_Rem || Op == BO_Shr) {
    // `a >>= b` converts to the type of the result on the way.
    const auto* Compound = dyn_cast<CompoundAssignOperator>(E);
    const QualType Type = Compound ? Compound->getComputationResultType() : E->getType();
    A = wrapped(A, Type);
    B = Op == BO_Shr ? B : wrapped(B, Type);
  }
  switch (Op) {
  case BO_Add:
    return Sets.normalized(A + B);
  case BO_Sub:
    return Sets.normalized(A - B);
  case BO_Mul:
    return Sets.normalized(A * B);
  case BO_Div:
    return quotient(A, B);
  case BO_Rem:
    return remainder(A, B);
  case BO_Shl:
  case BO_Shr: {
    std::optional<std::int64_t> Shift = B.constant();
    if (!Shift || *Shift < 0 || *Shift > 62)
      break;
    Polynomial Power(std::int64_t{1} << *Shift);
    if (Op == BO_Shl)
      return Sets.normalized(A * Power);
    if (auto Known = rowAndColumn(A, Power))
      return Known->first;
    return roundedDown(A, Power);
  }
  case BO_And:
  case BO_Or:
  case BO_Xor: {
    if (A.constant())
      std::swap(A, B);
    std::optional<std::int64_t> Mask = B.constant();
    if (!Mask)
      break;
    const bool KeepsHigh = Op == BO_And && *Mask < 0;
    const std::int64_t Low = KeepsHigh ? ~*Mask : *Mask;
    if (Low < 0 || (Low & (Low + 1)) != 0)
      break;
    const Polynomial Bits = lowBits(A, Low);
    if (KeepsHigh)
      return Sets.normalized(A - Bits);
    if (Op == BO_And)
      return Bits;
    return Sets.normalized(Op == BO_Or ? A - Bits + Polynomial(Low) : A - Bits - Bits + Polynomial(Low));
  }
  default:
    break;
  }
  return Sets.unknown({UnknownCause::Expression, E});
}

Polynomial IntegerArithmetic::roundedDown(const Polynomial& A, const Polynomial& B) {
  if (auto [Exact, Rest] = A.divided(B); Rest == Polynomial(0))
    return Exact;
  return Sets.defined([&](const Polynomial& Q) {
    return Sets.compare(Comparison::LessEqual, 0, A - Q * B)
        .intersect(Sets.compare(Comparison::Less, A - Q * B, B));
  });
}

Polynomial IntegerArithmetic::lowBits(const Polynomial& A, std::int64_t Mask) {
  if (Mask == 0)
    return 0;
  // A remainder for all numbers in two's complement.
  if (auto Known = rowAndColumn(A, Mask + 1))
    return Known->second;
  const Polynomial Rest = A - roundedDown(A, Mask + 1) * Polynomial(Mask + 1);
  return Sets.defined([&](const Polynomial& R) { return Sets.compare(Comparison::Equal, R, Rest); }); // as in remainder()
}

Polynomial IntegerArithmetic::constant(const llvm::APSInt& Number, const Expr* E) {
  if (Number.isUnsigned() && (Number.getBitWidth() == 32 || Number.getBitWidth() == 64))
    return Number.getSExtValue();
  return Number.isRepresentableByInt64() ? Polynomial(Number.getExtValue()) : Sets.unknown({UnknownCause::Expression, E});
}

Polynomial IntegerArithmetic::truncated(const Polynomial& A) {
  auto Constant = A.terms().find({});
  if (Constant == A.terms().end() || (Constant->second >= -Period / 2 && Constant->second < Period / 2))
    return A;
  const std::int64_t Low = Constant->second & (Period - 1);
  return A + Polynomial((Low >= Period / 2 ? Low - Period : Low) - Constant->second);
}

bool IntegerArithmetic::addsData(const Polynomial& A) const {
  return llvm::count_if(A.terms(), [&](const auto& Term) {
           return llvm::any_of(Term.first,
                               [&](const Symbol& S) { return Sets.dataIn(S) != nullptr; });
         }) > 1;
}

const UnknownCause* IntegerArithmetic::causeOfMixedData(const Polynomial& A) const {
  const UnknownCause* First = nullptr;
  for (const auto& [M, Coefficient] : A.terms())
    for (const Symbol& S : M)
      if (const UnknownCause* Cause = Sets.dataIn(S)) {
        if (First || (Coefficient != 1 && Coefficient != -1))
          return Cause;
        First = Cause;
      }
  return nullptr;
}

bool IntegerArithmetic::isOfData(const Polynomial& Value, std::set<Symbol>& Choices) const {
  return llvm::all_of(Value.terms(), [&](const auto& Term) {
    return llvm::all_of(Term.first, [&](const Symbol& S) {
      const std::vector<Alternative>* Values = Sets.alternativesOf(S);
      if (!Values)
        return Sets.dataIn(S) != nullptr;
      return !Choices.insert(S).second || llvm::all_of(*Values, [&](const Alternative& Each) { return isOfData(Each.Value, Choices); });
    });
  });
}

const UnknownCause* IntegerArithmetic::causeOfCount(const Polynomial& A) const {
  constexpr std::size_t Several = 3;
  std::set<Symbol> All;
  std::size_t MostOfOne = 0;
  bool OfData = true;
  for (const auto& [M, Coefficient] : A.terms())
    for (const Symbol& S : M) {
      std::set<Symbol> Choices;
      if (!isOfData(S, Choices)) {
        OfData = false;
        continue;
      }
      MostOfOne = std::max(MostOfOne, Choices.size());
      All.insert(Choices.begin(), Choices.end());
    }
  // With a place, one of several next to it may be meant.
  if ((OfData ? All.size() : MostOfOne) <= Several)
    return nullptr;
  if (const UnknownCause* Data = Sets.unknownIn(A))
    return Data;
  // Data that are compared with each other say nothing of the choice.
  static constexpr UnknownCause Compared{UnknownCause::Expression, nullptr};
  return llvm::any_of(All, [&](const Symbol& S) {
           const std::vector<Alternative>& Values = *Sets.alternativesOf(S);
           return Values.size() == 2 && !Values.front().When.intersect(Values.back().When).is_empty();
         })
             ? &Compared
             : nullptr;
}

Polynomial IntegerArithmetic::wrapped(const Polynomial& A, QualType Type) {
  if (!Type->isUnsignedIntegerType() || isNarrow(Type) || A.overflowed() || llvm::any_of(A.terms(), [](const auto& Term) { return Term.first.size() > 1; }))
    return A;
  // Sums and products of what was loaded are no places in arrays, and what each of their steps says of the next is too much for isl.
  const UnknownCause* Data = causeOfMixedData(A);
  if (Data || (Data = causeOfCount(A)))
    return Sets.unknown(*Data, [&](const Polynomial& S) { return Sets.compare(Comparison::LessEqual, 0, S); });
  const isl::set Negative = Sets.compare(Comparison::Less, A, 0);
  if (!isPossible(Negative))
    return A;
  if (Context.getTypeSize(Type) == 32)
    return A.constant() ? A + Polynomial(Period) : choice(Negative.complement(), A, Negative, A + Polynomial(Period));
  return Sets.defined([&](const Polynomial& S) { return Negative.unite(Sets.compare(Comparison::Equal, S, A)).intersect(Sets.compare(Comparison::LessEqual, 0, S)); });
}

bool IntegerArithmetic::isNarrow(QualType Type) const { return Context.getTypeSize(Type) < 32; }

std::optional<std::pair<Polynomial, Polynomial>> IntegerArithmetic::rowAndColumn(const Polynomial& A,
                                                              const Polynomial& B) {
  const bool InOneDimension = Renumbered && Renumbered->inOneDimension();
  if ((!InOneDimension && B.constant()) || A.overflowed())
    return std::nullopt;
  auto [Quotient, Remainder] = A.divided(B);
  if (Quotient == Polynomial(0))
    return std::nullopt;
  const isl::set Known = Sets.closedWith(Path, {Quotient, Remainder, B});
  auto Never = [&](Comparison Op, const Polynomial& X, const Polynomial& Y) { return Known.intersect(Sets.compare(Op, X, Y)).is_empty(); };
  if (!Never(Comparison::Less, Remainder, 0) || !Never(Comparison::LessEqual, B, Remainder) || !Never(Comparison::Less, Quotient, 0))
    return std::nullopt;
  return std::pair(std::move(Quotient), std::move(Remainder));
}

Polynomial IntegerArithmetic::quotient(const Polynomial& A, const Polynomial& B) {
  std::optional<std::int64_t> Divisor = B.constant();
  if (Divisor && *Divisor > 0)
    if (auto [Exact, Rest] = A.divided(B); Rest == Polynomial(0))
      return Exact;
  if (auto Known = rowAndColumn(A, B))
    return Known->first;
  isl::set Negative = Sets.compare(Comparison::Less, A, 0);
  return Sets.defined([&](const Polynomial& Q) {
    if (Divisor && *Divisor > 0) {
      Polynomial Rest = A - Q * B;
      return possibleOf({Negative.complement()
                             .intersect(Sets.compare(Comparison::LessEqual, 0, Rest))
                             .intersect(Sets.compare(Comparison::Less, Rest, B)),
                         Negative.intersect(Sets.compare(Comparison::LessEqual, Rest, 0))
                             .intersect(Sets.compare(Comparison::Less, Polynomial(0) - B, Rest))},
                        A, B);
    }
    // By a positive divisor nothing grows; of others nothing is said.
    isl::set Bounded = Sets.compare(Comparison::LessEqual, 0, Q)
                           .intersect(Sets.compare(Comparison::LessEqual, Q, A));
    isl::set Small =
        Sets.compare(Comparison::Less, A, B).intersect(Sets.compare(Comparison::Equal, Q, 0));
    isl::set Large = Sets.compare(Comparison::LessEqual, B, A)
                         .intersect(Sets.compare(Comparison::LessEqual, 1, Q));
    return possibleOf({Negative, Sets.compare(Comparison::LessEqual, B, 0),
                       Bounded.intersect(Small), Bounded.intersect(Large)},
                      A, B);
  });
}

isl::set IntegerArithmetic::possibleOf(const std::vector<isl::set>& Cases, const Polynomial& A,
                                       const Polynomial& B) const {
  const isl::set Known = Sets.closedWith(Sets.universe(), {A, B});
  isl::set Possible = Sets.none();
  for (const isl::set& Each : Cases)
    if (!Known.intersect(Each).is_empty())
      Possible = Possible.unite(Each);
  return Possible;
}

Polynomial IntegerArithmetic::remainder(const Polynomial& A, const Polynomial& B) {
  if (auto Known = rowAndColumn(A, B))
    return Known->second;
  // In (y + ny) % ny, y itself where it is known to lie in the array: macros wrap what they are given, in stores as well.
  if (A.overflowed())
    return newRemainder(A, B);
  const isl::set Known = Sets.closedWith(Path, {A, B});
  for (const Polynomial& Place : {A, A - B})
    if (Known.intersect(Sets.compare(Comparison::Less, Place, 0)).is_empty() && Known.intersect(Sets.compare(Comparison::LessEqual, B, Place)).is_empty())
      return Place;
  if (std::optional<Polynomial> Rows = remainderOfRows(A, B))
    return *Rows;
  if (std::optional<Polynomial> Again = remainderOfRemainder(A, B))
    return *Again;
  const std::optional<std::int64_t> Divisor = B.constant();
  // What was loaded is mostly data, and conditions on the rest of it would be in all that is asked behind them.
  if (const UnknownCause* Data = Divisor && *Divisor > 0 ? Sets.dataIn(A) : nullptr)
    return dataBetween(*Data, *Divisor, !Known.intersect(Sets.compare(Comparison::Less, A, 0)).is_empty());
  auto [It, IsNew] = Remainders.try_emplace({A.terms(), B.terms()});
  if (IsNew)
    It->second = newRemainder(A, B);
  return It->second;
}

Polynomial IntegerArithmetic::dataBetween(const UnknownCause& Why, std::optional<std::int64_t> Divisor, bool MayBeNegative) {
  if (!Divisor || *Divisor <= 0)
    return Sets.unknown(Why);
  const Symbol Between = Sets.unknown(Why, [&](const Polynomial& R) {
    return Sets.compare(Comparison::LessEqual, MayBeNegative ? 1 - *Divisor : 0, R).intersect(Sets.compare(Comparison::Less, R, *Divisor));
  });
  Sets.setDivisor(Between, *Divisor);
  return Between;
}

std::optional<Polynomial> IntegerArithmetic::remainderOfRows(const Polynomial& A, const Polynomial& B) {
  if (B.terms().size() != 1 || B.terms().begin()->first.size() > 3 || B.terms().begin()->second <= 0)
    return std::nullopt;
  const auto& [Extents, Number] = *B.terms().begin();
  // What is known as a number is the length of a row if subscripts are made of it.
  std::set<std::int64_t> Lengths = {1, Number};
  for (const auto& [M, Coefficient] : A.terms())
    if (Coefficient > 0 && Number % Coefficient == 0)
      Lengths.insert(Coefficient);
  for (const std::int64_t Length : Lengths)
    for (unsigned Of = 0; Of != 1u << Extents.size(); ++Of) { // a bit for each factor of a row, or plane
      Polynomial Row(Length), Rows(Number / Length);
      for (size_t I = 0; I != Extents.size(); ++I)
        (Of >> I & 1 ? Row : Rows) = (Of >> I & 1 ? Row : Rows) * Extents[I];
      const auto [Quotient, Column] = A.divided(Row);
      if (Row == Polynomial(1) || Rows == Polynomial(1) || Quotient == Polynomial(0))
        continue;
      const isl::set Known = Sets.closedWith(Path, {Quotient, Column, Row});
      auto Never = [&](Comparison Op, const Polynomial& X, const Polynomial& Y) { return Known.intersect(Sets.compare(Op, X, Y)).is_empty(); };
      if (Never(Comparison::Less, Column, 0) && Never(Comparison::LessEqual, Row, Column) && (Column == Polynomial(0) || Never(Comparison::Less, Quotient, 0)))
        return Sets.normalized(remainder(Quotient, Rows) * Row + Column);
    }
  return std::nullopt;
}

std::optional<Polynomial> IntegerArithmetic::remainderOfRemainder(const Polynomial& A, const Polynomial& B) {
  for (const auto& [Operands, Value] : Remainders) {
    if (Operands.second != B.terms() || Value.terms().size() != 1 || Value.terms().begin()->first.size() != 1)
      continue;
    const Symbol& Inner = Value.terms().begin()->first.front();
    if (A.coefficient(Inner) != 1)
      continue;
    Polynomial Dividend;
    for (const auto& [M, Coefficient] : Operands.first) {
      Polynomial Term(Coefficient);
      for (const Symbol& S : M)
        Term = Term * S;
      Dividend = Dividend + Term;
    }
    const Polynomial All = A - Value + Dividend;
    const isl::set Known = Sets.closedWith(Path, {A, Dividend, All});
    // Of what may be negative, C's remainder is another one.
    if (llvm::all_of(std::initializer_list<Polynomial>{A, Dividend, All}, [&](const Polynomial& P) { return Known.intersect(Sets.compare(Comparison::Less, P, 0)).is_empty(); }))
      return remainder(All, B);
  }
  return std::nullopt;
}

Polynomial IntegerArithmetic::newRemainder(const Polynomial& A, const Polynomial& B) {
  if (const std::optional<std::int64_t> Divisor = B.constant(); Divisor && *Divisor > 0) {
    // A symbol of its own, so that it stays in its row when a subscript is taken apart.
    Polynomial Rest = A - quotient(A, B) * B;
    const Symbol Remainder = Sets.defined([&](const Polynomial& R) { return Sets.compare(Comparison::Equal, R, Rest); });
    Sets.setDivisor(Remainder, B);
    return Remainder;
  }
  isl::set Negative = Sets.compare(Comparison::Less, A, 0);
  const Symbol Remainder = Sets.defined([&](const Polynomial& R) {
    isl::set Small = Negative.complement()
                         .intersect(Sets.compare(Comparison::Less, A, B))
                         .intersect(Sets.compare(Comparison::Equal, R, A));
    // Once and twice around, as (y + d + ny) % ny may be.
    isl::set Once = Sets.compare(Comparison::LessEqual, B, A).intersect(Sets.compare(Comparison::Equal, R, A - B));
    isl::set Twice = Sets.compare(Comparison::LessEqual, B + B, A).intersect(Sets.compare(Comparison::Equal, R, A - B - B));
    isl::set More = Sets.compare(Comparison::LessEqual, B + B + B, A);
    const isl::set Inside =
        Sets.compare(Comparison::LessEqual, 0, R).intersect(Sets.compare(Comparison::Less, R, B));
    // Itself next to 0, as in ((y - d) % ny + ny) % ny.
    isl::set Below = Negative.intersect(Sets.compare(Comparison::Less, Polynomial(0) - B, R))
                         .intersect(Sets.compare(Comparison::LessEqual, R, 0))
                         .intersect(Sets.compare(Comparison::LessEqual, A, Polynomial(0) - B).unite(Sets.compare(Comparison::Equal, R, A)));
    return possibleOf({Small, More.intersect(Inside), Once.intersect(Inside),
                       Twice.intersect(Inside), Below, Sets.compare(Comparison::LessEqual, B, 0)},
                      A, B);
  });
  Sets.setDivisor(Remainder, B);
  return Remainder;
}

} // namespace gpurma
