// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Polynomial.h"

#include <algorithm>

namespace gpurma {
namespace {

void joinOrigins(Monomial& M, Symbol::Kind OfIndex, Symbol::Kind OfSize, Symbol::Kind OfOrigin) {
  for (unsigned D = 0; D < 3; ++D) {
    while (true) {
      auto Index = std::find(M.begin(), M.end(), Symbol{OfIndex, D});
      auto Size = std::find(M.begin(), M.end(), Symbol{OfSize, D});
      if (Index == M.end() || Size == M.end())
        break;
      *Index = Symbol{OfOrigin, D};
      M.erase(Size);
    }
  }
}

/// blockIdx.d * blockDim.d becomes BlockOrigin d, or LaunchedOrigin d.
Monomial normalized(Monomial M) {
  joinOrigins(M, Symbol::Kind::BlockIndex, Symbol::Kind::BlockSize, Symbol::Kind::BlockOrigin);
  joinOrigins(M, Symbol::Kind::LaunchedIndex, Symbol::Kind::LaunchedSize,
              Symbol::Kind::LaunchedOrigin);
  std::sort(M.begin(), M.end());
  return M;
}

/// What is left of \p M without the factors of \p By; none if they are not all there.
std::optional<Monomial> without(const Monomial& M, const Monomial& By) {
  if (!std::includes(M.begin(), M.end(), By.begin(), By.end()))
    return std::nullopt;
  Monomial Rest;
  std::set_difference(M.begin(), M.end(), By.begin(), By.end(), std::back_inserter(Rest));
  return Rest;
}

std::int64_t nearestQuotient(std::int64_t A, std::int64_t B) {
  std::int64_t Quotient = A / B, Rest = A % B;
  std::int64_t Magnitude = B < 0 ? -B : B;
  if ((Rest < 0 ? -Rest : Rest) > Magnitude / 2)
    Quotient += (Rest < 0) == (B < 0) ? 1 : -1;
  return Quotient;
}

} // namespace

Polynomial::Polynomial(std::int64_t Constant) {
  add({}, Constant);
}

Polynomial::Polynomial(const Symbol& S) {
  add({S}, 1);
}

void Polynomial::add(Monomial M, std::int64_t Coefficient) {
  if (Coefficient == 0)
    return;
  std::int64_t& Sum = Terms[M];
  if (__builtin_add_overflow(Sum, Coefficient, &Sum))
    Overflow = true;
  if (Sum == 0)
    Terms.erase(M);
}

std::optional<std::int64_t> Polynomial::constant() const {
  if (Overflow || Terms.size() > 1 || (Terms.size() == 1 && !Terms.begin()->first.empty()))
    return std::nullopt;
  return Terms.empty() ? 0 : Terms.begin()->second;
}

std::int64_t Polynomial::coefficient(const Symbol& S) const {
  auto It = Terms.find({S});
  return It == Terms.end() ? 0 : It->second;
}

bool Polynomial::involves(Symbol::Kind Of) const {
  for (const auto& [M, Coefficient] : Terms)
    for (const Symbol& S : M)
      if (S.Of == Of)
        return true;
  return false;
}

bool Polynomial::involves(Symbol::Kind Of, unsigned Index) const {
  for (const auto& [M, Coefficient] : Terms)
    for (const Symbol& S : M)
      if (S.Of == Of && S.Index == Index)
        return true;
  return false;
}

Polynomial Polynomial::substituted(const Symbol& S, const Polynomial& By) const {
  Polynomial Result;
  Result.Overflow = Overflow;
  for (const auto& [M, Coefficient] : Terms) {
    Polynomial Term(Coefficient);
    for (const Symbol& Factor : M)
      Term = Term * (Factor == S ? By : Polynomial(Factor));
    Result = Result + Term;
  }
  return Result;
}

std::pair<Polynomial, Polynomial> Polynomial::divided(const Polynomial& Divisor) const {
  Polynomial Quotient, Remainder = *this;
  if (std::optional<std::int64_t> Number = Divisor.constant()) {
    if (*Number == 0)
      return {Quotient, Remainder};
    // What moves by less than a row stays in it; by one less than a row, it is on a diagonal,
    // unless it is the step of a grid.
    for (const auto& [M, Coefficient] : Terms) {
      std::int64_t Nearest = nearestQuotient(Coefficient, *Number);
      std::int64_t Rest = Coefficient - Nearest * *Number;
      bool OfGrid = std::any_of(M.begin(), M.end(),
                                [](const Symbol& S) { return S.Of == Symbol::Kind::GridSize; });
      bool Near = M.empty() || (!OfGrid && Rest >= -1 && Rest <= 1);
      Quotient.add(M, Near ? Nearest : Coefficient / *Number);
    }
    Remainder = *this - Quotient * Divisor;
    // With no index in the remainder there is nothing that a negative offset could be relative to.
    if (std::optional<std::int64_t> Rest = Remainder.constant(); Rest && *Rest < 0) {
      Quotient = Quotient - 1;
      Remainder = Remainder + Divisor;
    }
    return {Quotient, Remainder};
  }
  if (Divisor.Terms.empty() || Divisor.Overflow)
    return {Quotient, Remainder};
  // A graded order, so that each step removes a monomial and adds smaller ones only.
  auto Smaller = [](const auto& A, const auto& B) {
    return std::pair(A.first.size(), A.first) < std::pair(B.first.size(), B.first);
  };
  const auto& [Leading, Factor] =
      *std::max_element(Divisor.Terms.begin(), Divisor.Terms.end(), Smaller);
  while (true) {
    Polynomial Step;
    for (const auto& [M, Coefficient] : Remainder.Terms)
      if (std::optional<Monomial> Rest = without(M, Leading); Rest && Coefficient % Factor == 0) {
        Step.add(std::move(*Rest), Coefficient / Factor);
        break;
      }
    if (Step.Terms.empty() || Remainder.Overflow)
      return {Quotient, Remainder};
    Quotient = Quotient + Step;
    Remainder = Remainder - Step * Divisor;
  }
}

Polynomial operator+(const Polynomial& A, const Polynomial& B) {
  Polynomial Sum = A;
  Sum.Overflow |= B.Overflow;
  for (const auto& [M, Coefficient] : B.Terms)
    Sum.add(M, Coefficient);
  return Sum;
}

Polynomial operator-(const Polynomial& A, const Polynomial& B) {
  return A + B * Polynomial(-1);
}

Polynomial operator*(const Polynomial& A, const Polynomial& B) {
  Polynomial Product;
  Product.Overflow = A.Overflow || B.Overflow;
  for (const auto& [MA, CA] : A.Terms)
    for (const auto& [MB, CB] : B.Terms) {
      Monomial M = MA;
      M.insert(M.end(), MB.begin(), MB.end());
      std::int64_t Coefficient = 0;
      if (__builtin_mul_overflow(CA, CB, &Coefficient))
        Product.Overflow = true;
      Product.add(normalized(std::move(M)), Coefficient);
    }
  return Product;
}

} // namespace gpurma
