// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer polynomials over what a kernel's subscripts are made of: block and thread indices, sizes,
// parameters, loop counters.
#ifndef GPURMA_PASSES_POLYNOMIAL_H
#define GPURMA_PASSES_POLYNOMIAL_H

#include "clang/AST/Decl.h"
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace gpurma {

/// An integer that an expression of a kernel may contain.
struct Symbol {
  enum class Kind : std::uint8_t {
    BlockOrigin, ///< blockIdx.d * blockDim.d, so that what is affine in CUDA's idiom is affine here
    BlockIndex,  ///< blockIdx.d where it is not multiplied with the block's size
    ThreadIndex, ///< threadIdx.d
    BlockSize,   ///< blockDim.d
    GridSize,    ///< gridDim.d
    Parameter,   ///< a variable that keeps its value while the kernel runs
    Counter,     ///< how many iterations of a loop are done, from 0
    Unknown,     ///< a value that is bounded by its definition only (SymbolicSets)
    // Where a rank's tiles are not the launch's blocks (RenumberedThreads), the launch's own:
    LaunchedOrigin, ///< blockIdx.d * blockDim.d
    LaunchedIndex,  ///< blockIdx.d where it is not multiplied with the block's size
    LaunchedSize,   ///< blockDim.d
    LaunchedThread, ///< threadIdx.d, along a dimension that tiles have not
  };
  Kind Of = Kind::Unknown;
  /// A number for Counter and Unknown, the grid dimension (0 x, 1 y, 2 z) for the others but Parameter.
  unsigned Index = 0;
  /// For Parameter: the variable, and the member of it if it is a structure.
  const clang::ValueDecl* Decl = nullptr;
  const clang::FieldDecl* Field = nullptr;
  /// For Parameter: how many times more it is than this symbol, which is a whole number.
  std::int64_t Divisor = 1;

  /// As a symbol of its own. \p By: a multiple of the divisor.
  Symbol dividedBy(std::int64_t By) const {
    Symbol Part = *this;
    Part.Divisor = By;
    return Part;
  }
  auto key() const { return std::tuple(Of, Index, Decl, Field, Divisor); }
  friend bool operator==(const Symbol& A, const Symbol& B) { return A.key() == B.key(); }
  friend bool operator<(const Symbol& A, const Symbol& B) { return A.key() < B.key(); }
};

/// A product of symbols, sorted; the empty product is 1.
using Monomial = std::vector<Symbol>;

/// A polynomial with 64-bit coefficients. Products of blockIdx.d and blockDim.d are kept as
/// BlockOrigin or LaunchedOrigin.
class Polynomial {
public:
  Polynomial(std::int64_t Constant = 0);
  Polynomial(const Symbol& S);

  const std::map<Monomial, std::int64_t>& terms() const { return Terms; }
  /// True if a coefficient has left 64 bits; the terms mean nothing then.
  bool overflowed() const { return Overflow; }
  /// The value if there are no symbols.
  std::optional<std::int64_t> constant() const;
  /// The coefficient of the symbol by itself.
  std::int64_t coefficient(const Symbol& S) const;
  bool involves(Symbol::Kind Of) const;
  bool involves(Symbol::Kind Of, unsigned Index) const;
  /// With \p By for each \p S.
  Polynomial substituted(const Symbol& S, const Polynomial& By) const;

  /// Quotient and remainder such that *this == quotient * Divisor + remainder. A symbolic divisor
  /// takes what its leading monomial divides; a constant one takes the multiple nearest to each
  /// coefficient, so that y * 1024 + x - 1 is row y, column x - 1.
  std::pair<Polynomial, Polynomial> divided(const Polynomial& Divisor) const;

  friend Polynomial operator+(const Polynomial& A, const Polynomial& B);
  friend Polynomial operator-(const Polynomial& A, const Polynomial& B);
  friend Polynomial operator*(const Polynomial& A, const Polynomial& B);
  friend bool operator==(const Polynomial& A, const Polynomial& B) {
    return A.Terms == B.Terms && A.Overflow == B.Overflow;
  }

private:
  void add(Monomial M, std::int64_t Coefficient);

  std::map<Monomial, std::int64_t> Terms; // no zero coefficients
  bool Overflow = false;
};

} // namespace gpurma

#endif // GPURMA_PASSES_POLYNOMIAL_H
