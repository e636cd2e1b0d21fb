// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bridge from polynomials to isl: sets of the values that symbols can take together. Each
// symbol is a parameter of isl's sets. A product of symbols becomes a parameter of its own, of
// which only the sign is known: sets contain at least the values that occur, so bounds that hold
// for them hold.
#ifndef GPURMA_PASSES_SYMBOLICSETS_H
#define GPURMA_PASSES_SYMBOLICSETS_H

#include "passes/Polynomial.h"

#include "clang/AST/Expr.h"
#include <array>
#include <isl/constraint.h>
#include <isl/cpp.h>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace gpurma {

/// Why the value of a symbol is not known.
struct UnknownCause {
  enum Reason { Loaded, Loop, Call, Expression } Why = Expression;
  const clang::Stmt* At = nullptr;
};

/// One of several values that a symbol may have, and the values of others for which it has it.
struct Alternative {
  isl::set When;
  Polynomial Value;
};

enum class Comparison { Equal, NotEqual, Less, LessEqual };

class SymbolicSets {
public:
  /// \p BlockSize: the sizes of a block that are known; \p MaxOperations: of isl, which then throws isl::exception.
  SymbolicSets(const std::array<std::optional<std::int64_t>, 3>& BlockSize, unsigned long MaxOperations);
  ~SymbolicSets();

  /// What comes next may take as many steps of isl as all before it: one of many alike, as a store of a kernel for boundaries is.
  void allowForPart() { isl_ctx_reset_operations(Context.get()); }

  isl::set universe() const { return All; }
  isl::set none() const;
  isl::set compare(Comparison Op, const Polynomial& A, const Polynomial& B);

  /// A value of which nothing is known.
  Symbol unknown(const UnknownCause& Why);
  /// Of which nothing is known but what \p Definition says, as for defined().
  template <typename Function> Symbol unknown(const UnknownCause& Why, Function Definition) {
    Symbol S = unknown(Why);
    Definitions.emplace(S, Definition(Polynomial(S)));
    return S;
  }
  /// A value that \p Definition (a function of the symbol) bounds. A definition must leave a value
  /// for all values of the other symbols that can occur where the new one does.
  template <typename Function> Symbol defined(Function Definition) {
    Symbol S = number(Symbol::Kind::Unknown);
    Definitions.emplace(S, Definition(Polynomial(S)));
    return S;
  }
  /// A value that is one of several; \p Otherwise, where none of the conditions holds, nothing is said of it.
  Symbol oneOf(std::vector<Alternative> Values, const isl::set& Otherwise);
  /// Null for other symbols.
  const std::vector<Alternative>* alternativesOf(const Symbol& S) const;
  /// Notes that a value is a remainder by \p Divisor.
  void setDivisor(const Symbol& Remainder, const Polynomial& Divisor) { Divisors.emplace(Remainder, Divisor); }
  /// Whether a value is made of remainders by \p Divisor, or chosen among numbers that are so far apart.
  bool wrapsAround(const Polynomial& P, const Polynomial& Divisor) const;
  Symbol counter() { return number(Symbol::Kind::Counter); }
  /// The cause of the first symbol in \p P, and in the definitions of its symbols, that is unknown.
  const UnknownCause* unknownIn(const Polynomial& P) const;
  /// The same of what it is computed from, whatever has chosen between known values.
  const UnknownCause* dataIn(const Polynomial& P) const;

  /// Blocks of a size that is known: blockIdx.d * size becomes BlockOrigin, or LaunchedOrigin.
  Polynomial normalized(const Polynomial& P) const;
  Polynomial blockSize(unsigned Dimension) const;
  /// Blocks of constant size that overlap begin so far apart: blockIdx.d * pitch becomes BlockOrigin.
  void setPitch(const std::array<std::optional<std::int64_t>, 3>& Known) { Pitch = Known; }
  /// \p Joins: so does the product with their size.
  void joinBlocks(bool Joins) { JoinsBlocks = Joins; }
  /// How far apart blocks begin, mostly their size.
  Polynomial pitch(unsigned Dimension) const;
  /// The sizes that are known of the launch's blocks, where a rank's tiles are other ones.
  void setLaunchedSize(const std::array<std::optional<std::int64_t>, 3>& Size) { LaunchedSize = Size; }
  Polynomial launchedSize(unsigned Dimension) const;
  /// How many threads the launch has along a dimension, which gridDim.d * \p BlockSize then is.
  void setThreads(unsigned Dimension, const Polynomial& BlockSize, const Polynomial& Threads) {
    ThreadsOfGrid.emplace_back(BlockSize * Symbol{Symbol::Kind::GridSize, Dimension}, Threads);
  }
  bool setsThreads() const { return !ThreadsOfGrid.empty(); }

  /// What holds for all symbols throughout: sizes are positive.
  void assume(const isl::set& Fact) {
    Facts = Facts.intersect(Fact);
    Closed.clear();
  }
  void assumePositive(const Polynomial& P);
  /// The number of a thread is \p Row times \p Length and something from 0 to less than that, which isl cannot tell of products.
  void setRows(const Polynomial& Number, const Polynomial& Row, const Polynomial& Length, const Polynomial& Elements) {
    Numbers = {Number, Row, Length, Elements};
    Closed.clear();
  }
  /// \p S; if it says that the number of the thread is less than a row is long, with what that says of its row.
  isl::set inFirstRow(const isl::set& S);
  /// \p S with all that is known of the symbols that it mentions.
  isl::set closed(const isl::set& S);
  /// The same of a path, and of the symbols that \p Of are made of.
  isl::set closedWith(const isl::set& Path, const std::vector<Polynomial>& Of);

  /// The least value of \p P over \p S, which is closed; none if it has no lower bound or \p S is
  /// empty.
  std::optional<std::int64_t> least(const isl::set& S, const Polynomial& P);
  std::optional<std::int64_t> greatest(const isl::set& S, const Polynomial& P);

  /// Whether something in \p S says that a symbol is not any larger.
  bool isBoundedAbove(const isl::set& S, const Symbol& Of);
  /// \p S with \p Name equal to \p P.
  isl::set bound(const isl::set& S, const std::string& Name, const Polynomial& P);
  isl::set differsByAtLeast(const std::string& Low, const std::string& High, const Polynomial& By);
  bool mentions(const isl::set& S, Symbol::Kind Of, unsigned Index) const;
  std::vector<Monomial> monomialsOf(const isl::set& S) const;
  /// \p S without values that say nothing of others, as loaded ones, and of which \p Places are not made.
  isl::set withoutData(isl::set S, const std::vector<Polynomial>& Places) const;
  /// Values that are the same as \p S within \p Path, of which they are part, without data of which
  /// \p Path alone says something.
  isl::set gist(const isl::set& S, const isl::set& Path) const;
  /// \p S without the symbols that differ between the threads of a launch, and \p Others.
  isl::set withoutVarying(isl::set S, const std::set<Symbol>& Others = {}) const;
  /// A value by itself: nothing that is known of it is said of others as well.
  bool standsAlone(const Symbol& S) const;

private:
  isl::set withAllFacts(isl::set S);
  const UnknownCause* causeIn(const Polynomial& P, bool AlsoOfChoice) const;
  /// The symbols that stand in the definition of one.
  std::vector<Symbol> definedBy(const Symbol& S) const;
  Symbol number(Symbol::Kind Of) { return {Of, Next++}; }
  /// Parameters of sets by their names, with coefficients, and a constant.
  struct Sum {
    std::vector<std::pair<std::string, std::int64_t>> Terms;
    std::int64_t Constant = 0;
  };
  Sum sumOf(const Polynomial& P);
  isl_local_space* spaceOf(const Sum& Of) const;
  isl::pw_aff affine(const Polynomial& P);
  /// Where a sum is so large: isl takes several times as long to compare functions.
  isl::set whereZero(const Sum& Of) const;
  isl::set whereAtLeast(unsigned Least, const Sum& Of) const;
  isl::set where(isl_constraint* Constraint, const Sum& Of, unsigned Least) const;
  /// \p S with what threads of such numbers say of their rows, and of those next to them: i < n of rows that there are.
  isl::set withRow(isl::set S);
  const std::string& nameOf(const Monomial& M);
  isl::set factsOf(const Monomial& M);
  /// What blockIdx.d says of blockIdx.d * blockDim.d.
  isl::set factsOfIndex(const Symbol& Index, std::optional<std::int64_t> Size, Symbol::Kind Of);
  bool isNotNegative(const Symbol& S) const;

  struct FreeContext {
    void operator()(isl_ctx* Context) const { isl_ctx_free(Context); }
  };
  // First, so that it is freed last.
  std::unique_ptr<isl_ctx, FreeContext> Context;
  isl::set All, Facts;
  /// From one block to the next, if it is known.
  std::optional<std::int64_t> knownPitch(unsigned Dimension) const {
    return Pitch[Dimension] ? Pitch[Dimension] : JoinsBlocks ? BlockSize[Dimension] : std::nullopt;
  }
  std::array<std::optional<std::int64_t>, 3> BlockSize, LaunchedSize, Pitch;
  bool JoinsBlocks = true;
  /// Products, and what they are.
  std::vector<std::pair<Polynomial, Polynomial>> ThreadsOfGrid;
  std::map<Monomial, std::string> Names;
  std::map<std::string, Monomial> Named;
  std::map<Symbol, isl::set> Definitions;
  std::map<Symbol, UnknownCause> Causes;
  std::map<Symbol, std::vector<Alternative>> Alternatives;
  std::map<Symbol, Polynomial> Divisors;
  struct NumbersInRows {
    Polynomial Number, Row, Length, Elements;
  };
  std::optional<NumbersInRows> Numbers;
  struct ClosedPath {
    std::uint32_t Hash; ///< of the path
    std::set<Monomial> With;
    isl::set Path, Closed;
  };
  /// What has been asked for: most accesses of a kernel have a path and coordinates of others.
  std::vector<ClosedPath> Closed;
  unsigned Next = 0;
};

} // namespace gpurma

#endif // GPURMA_PASSES_SYMBOLICSETS_H
