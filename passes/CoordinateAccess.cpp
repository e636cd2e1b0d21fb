// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/CoordinateAccess.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpurma {

isl::set CoordinateAccess::domain() const {
  isl::set All = Domains.front();
  for (const isl::set& Each : llvm::drop_begin(Domains))
    All = All.intersect(Each);
  return All.coalesce();
}

bool CoordinateAccess::isReached() const {
  return llvm::none_of(Domains, [](const isl::set& Each) { return Each.is_empty(); });
}

void CoordinateAccess::restrictTo(const isl::set& Values) {
  for (isl::set& Each : Domains)
    Each = Each.intersect(Values);
}

Polynomial originOf(unsigned Dimension) {
  return Symbol{Symbol::Kind::BlockOrigin, Dimension};
}

Polynomial threadAlong(unsigned Dimension) { return originOf(Dimension) + Symbol{Symbol::Kind::ThreadIndex, Dimension}; }

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

std::optional<unsigned> walkedBy(const Polynomial& P) {
  std::optional<Walk> Found = walkOf(P);
  return Found && Found->Step == 1 ? std::optional(Found->Dimension) : std::nullopt;
}

Polynomial strideAlong(const Polynomial& Offset, unsigned D) {
  Polynomial Stride;
  for (const Symbol::Kind Of : {Symbol::Kind::ThreadIndex, Symbol::Kind::LaunchedThread, Symbol::Kind::BlockOrigin, Symbol::Kind::LaunchedOrigin,
                                Symbol::Kind::BlockIndex, Symbol::Kind::LaunchedIndex}) {
    const Symbol Index{Of, D};
    for (const auto& [Factors, Coefficient] : Offset.terms()) {
      const auto At = llvm::find(Factors, Index);
      if (At == Factors.end())
        continue;
      Polynomial Product(Coefficient);
      for (auto Factor = Factors.begin(); Factor != Factors.end(); ++Factor)
        if (Factor != At)
          Product = Product * *Factor;
      Stride = Stride + Product;
    }
    if (!(Stride == Polynomial(0)))
      break;
  }
  return Stride;
}

bool isGiven(const Polynomial& P) {
  return llvm::all_of(P.terms(), [](const auto& Term) { return llvm::all_of(Term.first, [](const Symbol& S) { return S.Of == Symbol::Kind::Parameter; }); });
}

bool hasForeignStride(const Polynomial& P) {
  return llvm::any_of(P.terms(), [](const auto& Term) {
    const Monomial& M = Term.first;
    bool Parameter =
        llvm::any_of(M, [](const Symbol& S) { return S.Of == Symbol::Kind::Parameter; });
    return Parameter &&
           llvm::any_of(M, [](const Symbol& S) { return S.Of != Symbol::Kind::Parameter; });
  });
}

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

bool mentionsIndexAlone(const CoordinateAccess& A, unsigned D) {
  return llvm::any_of(A.Coordinates, [&](const Polynomial& C) { return C.involves(Symbol::Kind::BlockIndex, D); });
}

} // namespace gpurma
