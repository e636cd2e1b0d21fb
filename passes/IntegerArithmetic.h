// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C's arithmetic of integers whose values are polynomials: what is none, as a quotient, becomes a symbol that is defined by a set.
#ifndef GPURMA_PASSES_INTEGERARITHMETIC_H
#define GPURMA_PASSES_INTEGERARITHMETIC_H

#include "passes/SymbolicSets.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace gpurma {

struct RenumberedThreads;

/// When an expression is surely true and when it is surely false; values in both sets are those for
/// which it is not known.
struct Condition {
  isl::set True, False;
};

class IntegerArithmetic {
public:
  /// \p Path: the values of the symbols for which the place is reached that is run, whenever something is asked.
  IntegerArithmetic(SymbolicSets& Sets, const clang::ASTContext& Context, const RenumberedThreads* Renumbered, const isl::set& Path)
      : Sets(Sets), Context(Context), Renumbered(Renumbered), Path(Path) {}

  /// Whether the path has some of these values.
  bool isPossible(const isl::set& Values) const;
  /// Of numbers of a type; without one, of differences.
  Condition compare(clang::BinaryOperatorKind Op, const Polynomial& A, const Polynomial& B,
                    clang::QualType Type);
  /// \p A where \p IfA holds, \p B where \p IfB does.
  Polynomial choice(const isl::set& IfA, const Polynomial& A, const isl::set& IfB,
                    const Polynomial& B);
  /// With what has been chosen where only one of two is possible: min(y, ny - 1) behind `if (y >= ny) return;`.
  Polynomial resolved(const Polynomial& P);
  /// One of a table, which of the larger ones is known to be one of them only.
  Polynomial elementOf(const std::vector<Polynomial>& Values, const Polynomial& Offset);
  /// Of a binary operator of numbers.
  Polynomial valueOf(clang::BinaryOperatorKind Op, Polynomial A, Polynomial B, const clang::BinaryOperator* E);
  /// An unsigned number of 32 or 64 bits with the highest one set is below zero, as differences may be: x + ~0u is x - 1.
  Polynomial constant(const llvm::APSInt& Number, const clang::Expr* E);
  /// The lower 32 bits of a number of 64.
  Polynomial truncated(const Polynomial& A);
  /// What an unsigned number is where it may be below zero, as a difference. Products of two unknown sizes are taken not to be.
  Polynomial wrapped(const Polynomial& A, clang::QualType Type);
  /// Index types of 32 bits and more are taken not to overflow, as the language has it for signed ones.
  bool isNarrow(clang::QualType Type) const;

private:
  /// Of a value \p A that is one of two numbers, of which \p B is one, the other. None: it is another value.
  std::optional<std::int64_t> otherOfTwo(const Polynomial& A, const Polynomial& B) const;
  /// Whether it is a sum of several values of which nothing is known, as a stencil of integers is.
  bool addsData(const Polynomial& A) const;
  /// Of several values of which nothing is known, or a multiple of one: why. Null for others.
  const UnknownCause* causeOfMixedData(const Polynomial& A) const;
  /// Of a number that adds up what data choose among numbers, as how many neighbours of an element are alive, where these are several: why it is not
  /// known. Null for others.
  const UnknownCause* causeOfCount(const Polynomial& A) const;
  /// Whether all that a value may be is made of numbers and data; \p Choices gets the symbols that it is chosen by.
  bool isOfData(const Polynomial& Value, std::set<Symbol>& Choices) const;
  /// Quotient and remainder of a thread's or an element's number by a row's length and the like,
  /// where the remainder that polynomial division leaves is C's.
  std::optional<std::pair<Polynomial, Polynomial>> rowAndColumn(const Polynomial& A,
                                                                const Polynomial& B);
  /// The quotient by a positive number, rounded down.
  Polynomial roundedDown(const Polynomial& A, const Polynomial& B);
  /// A & Mask, which is one less than a power of two.
  Polynomial lowBits(const Polynomial& A, std::int64_t Mask);
  /// C's quotient, which is rounded towards zero.
  Polynomial quotient(const Polynomial& A, const Polynomial& B);
  Polynomial remainder(const Polynomial& A, const Polynomial& B);
  /// Of data a remainder by a positive number, if there is one.
  Polynomial dataBetween(const UnknownCause& Why, std::optional<std::int64_t> Divisor, bool MayBeNegative = true);
  /// The same where \p B is the number of all elements, and whole rows wrap around, or all elements of rows; none if that is not known.
  std::optional<Polynomial> remainderOfRows(const Polynomial& A, const Polynomial& B);
  /// Of what is a remainder by the same number and some more: `((x + w - 1) % w + 1) % w`.
  std::optional<Polynomial> remainderOfRemainder(const Polynomial& A, const Polynomial& B);
  Polynomial newRemainder(const Polynomial& A, const Polynomial& B);
  /// The cases of a value's definition without those that no \p A and \p B are in on any path: they
  /// would be in all that is asked of it.
  isl::set possibleOf(const std::vector<isl::set>& Cases, const Polynomial& A,
                      const Polynomial& B) const;

  SymbolicSets& Sets;
  const clang::ASTContext& Context;
  const RenumberedThreads* Renumbered;
  const isl::set& Path;
  using Terms = std::map<Monomial, std::int64_t>;
  /// That of the same numbers is the same each time, as of `(x + 1) % nx` in many subscripts.
  std::map<std::pair<Terms, Terms>, Polynomial> Remainders;
};

} // namespace gpurma

#endif // GPURMA_PASSES_INTEGERARITHMETIC_H
