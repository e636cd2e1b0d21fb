// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/AccessReports.h"

#include "clang/AST/Attr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdlib>

using namespace clang;

namespace gpurma {
namespace {

/// What a variable begins with; other expressions themselves.
const Expr* written(const Expr* E) {
  E = E->IgnoreParenImpCasts();
  const auto* Ref = dyn_cast<DeclRefExpr>(E);
  const auto* V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return V && !isa<ParmVarDecl>(V) && V->getInit() ? V->getInit()->IgnoreParenImpCasts() : E;
}

/// `... % n`, also as a part of a sum.
bool wrapsAround(const Expr* Index, const KnownArguments& Arguments, const Polynomial& Elements, unsigned Depth = 0) {
  constexpr unsigned MostTerms = 6;
  const auto* Of = dyn_cast<BinaryOperator>(written(Index));
  if (Of && Of->isAdditiveOp() && Depth < MostTerms)
    return wrapsAround(Of->getLHS(), Arguments, Elements, Depth + 1) || wrapsAround(Of->getRHS(), Arguments, Elements, Depth + 1);
  if (!Of || Of->getOpcode() != BO_Rem)
    return false;
  const Expr* By = written(Of->getRHS());
  const auto* Product = dyn_cast<BinaryOperator>(By);
  const auto* Ref = dyn_cast<DeclRefExpr>(By);
  const auto* Parameter = Ref ? dyn_cast<ParmVarDecl>(Ref->getDecl()) : nullptr;
  auto Passed = Arguments.find({Parameter, nullptr});
  return (Product && Product->getOpcode() == BO_Mul) || (Passed != Arguments.end() && Passed->second == Elements);
}

/// The variable or member behind a parameter.
std::string nameOf(const Symbol& S) { return S.Decl->getNameAsString() + (S.Field ? "." + S.Field->getNameAsString() : ""); }

/// Of parameters, as a program has it, products of more factors first: 2 * ny * nx + nx - 1.
std::string textOf(const Polynomial& P) {
  std::vector<std::pair<Monomial, std::int64_t>> Terms(P.terms().begin(), P.terms().end());
  llvm::stable_sort(Terms, [](const auto& A, const auto& B) { return A.first.size() > B.first.size(); });
  std::string Text;
  for (const auto& [Factors, Coefficient] : Terms) {
    std::vector<std::string> Words;
    if (const std::int64_t Times = std::abs(Coefficient); Times != 1 || Factors.empty())
      Words.push_back(std::to_string(Times));
    for (const Symbol& Factor : Factors)
      Words.push_back((Factor.Decl ? nameOf(Factor) : "...") + (Factor.Divisor == 1 ? "" : " / " + std::to_string(Factor.Divisor)));
    Text += (Text.empty() ? (Coefficient < 0 ? "-" : "") : Coefficient < 0 ? " - " : " + ") + llvm::join(Words, " * ");
  }
  return Text.empty() ? "0" : Text;
}

/// Of how many factors its longest product is.
size_t degreeOf(const Polynomial& P) {
  size_t Most = 0;
  for (const auto& [Factors, Coefficient] : P.terms())
    Most = std::max(Most, Factors.size());
  return Most;
}

} // namespace

DiagnosticBuilder AccessReports::error(SourceLocation Where, Diag Which) {
  Failed = true;
  return Diags.report(Where, Which);
}

DiagnosticBuilder AccessReports::error(const Expr* Where, Diag Which) { return error(Where->getExprLoc(), Which); }

bool AccessReports::otherRowLength(const CoordinateAccess& A) {
  const ArrayShape& Shape = A.Array->Shape;
  const size_t Last = Shape.dimensions() - 1;
  std::array<Polynomial, 3> Strides;
  for (unsigned D = 0; D < 3; ++D)
    Strides[D] = strideAlong(A.Origin->Offset, D);
  const auto IsUnit = [](const Polynomial& P) { return P == Polynomial(1) || P == Polynomial(-1); };
  for (unsigned D = 0; D < 3; ++D) {
    const Polynomial& Stride = Strides[D];
    if (Stride == Polynomial(0) || IsUnit(Stride) || !isGiven(Stride) || llvm::none_of(Strides, IsUnit))
      continue;
    const auto IsOf = [&](size_t K) {
      const auto [Quotient, Remainder] = Stride.divided(Shape.stride(K));
      return Remainder == Polynomial(0) && Quotient.constant();
    };
    size_t K = 0;
    while (K != Last && !IsOf(K))
      ++K;
    if (K != Last)
      continue;
    const bool IsOfPlanes = Last > 1 && llvm::any_of(Strides, [&](const Polynomial& Other) {
      return !(Other == Polynomial(0)) && !IsUnit(Other) && degreeOf(Other) < degreeOf(Stride);
    });
    rowLength(A, IsOfPlanes ? Last - 1 : Last, D);
    return true;
  }
  return false;
}

void AccessReports::notAffine(const CoordinateAccess& A, const Polynomial& P) {
  const UnknownCause* Why = Sets.unknownIn(P);
  if (!Why && A.Array->Shape.dimensions() > 1 && !Sets.setsThreads() && otherRowLength(A)) {
    for (const Polynomial& Coordinate : A.Coordinates)
      noteConstants(A, Coordinate);
    noteOtherExtents(A);
    return;
  }
  unsigned Reason = !Why                        ? (hasForeignStride(P) || !isNonlinear(P) ? 4 : 3)
                    : Why->Why == UnknownCause::Loaded ? 0
                    : Why->Why == UnknownCause::Loop   ? 1
                    : Why->Why == UnknownCause::Call   ? 2
                                                : 3;
  error(A.Origin->Where, Diag::err_subscript_not_affine)
      << A.Array->Array.name() << A.Origin->Writes << Reason
      << A.Origin->Where->getSourceRange();
  if (Why && Why->At)
    Diags.report(Why->At->getBeginLoc(), Diag::note_value_from_here) << Why->At->getSourceRange();
  if (Why && Why->Why == UnknownCause::Loaded)
    if (const auto* Loaded = dyn_cast_or_null<Expr>(Why->At))
      noteConstant(A, anyPointerVariable(Loaded));
  for (const Polynomial& Coordinate : A.Coordinates)
    noteConstants(A, Coordinate);
  if (noteComponents(A))
    return;
  if (!Why)
    noteOtherExtents(A);
  if (Sets.setsThreads() || llvm::any_of(A.Coordinates, [](const Polynomial& Each) { return Each.involves(Symbol::Kind::GridSize); }))
    note(A.Origin->Where, Diag::note_rows_of_grid) << A.Array->Array.name();
  if (!A.Origin->Writes)
    noteHalo(A);
}

void AccessReports::noteOtherExtents(const CoordinateAccess& A) {
  const ArrayShape& Shape = A.Array->Shape;
  std::set<Symbol> Known;
  for (unsigned D = 0; D != Shape.dimensions(); ++D)
    for (const auto& [Factors, Coefficient] : Shape[D].terms())
      Known.insert(Factors.begin(), Factors.end());
  for (const Polynomial& Coordinate : A.Coordinates)
    for (const auto& [Factors, Coefficient] : Coordinate.terms())
      for (const Symbol& S : Factors)
        if (Factors.size() > 1 && S.Of == Symbol::Kind::Parameter && S.Decl && !Known.count(S) && NotedExtents.insert(S).second)
          note(A.Origin->Where, Diag::note_other_extent)
              << nameOf(S) << A.Array->Array.name()
              << (S.Decl->getDeclContext() != Kernel ? 0 : S.Field ? 2 : 1);
}

void AccessReports::rowLength(const CoordinateAccess& A, size_t J, unsigned D) {
  Failed = true;
  // What one subscript of a kernel has, all have.
  if (!NotedRows.insert(A.Array->Array).second)
    return;
  error(A.Origin->Where, Diag::err_row_length) << (J + 1 < A.Array->Shape.dimensions()) << A.Array->Array.name() << textOf(A.Array->Shape.stride(J - 1))
                                               << std::string(1, DimensionName[D]) << textOf(strideAlong(A.Origin->Offset, D))
                                               << A.Origin->Where->getSourceRange();
}

void AccessReports::notOwn(const CoordinateAccess& A) {
  error(A.Origin->Where, Diag::err_not_own_element)
      << Kernel->getName() << A.Array->Array.name() << A.Origin->Where->getSourceRange();
  for (const Polynomial& Coordinate : A.Coordinates)
    noteConstants(A, Coordinate);
  const auto* Element = dyn_cast<ArraySubscriptExpr>(A.Origin->Where->IgnoreParenImpCasts());
  if (Element && wrapsAround(Element->getIdx(), Launch.Arguments, A.Array->Shape.elements()))
    note(A.Origin->Where, Diag::note_wrapped_elements);
}

void AccessReports::outside(const CoordinateAccess& A, OutsideOfComponent What) {
  error(A.Origin->Where, Diag::err_leaves_component) << A.Array->Array.name() << What << A.Origin->Where->getSourceRange();
  for (const Polynomial& Coordinate : A.Coordinates)
    noteConstants(A, Coordinate);
}

void AccessReports::rowsNotWalked(const CoordinateAccess& A) {
  const Polynomial& Row = A.Coordinates[0];
  if (Sets.unknownIn(Row))
    return notAffine(A, Row);
  Form.SeesOneRow |= Row.involves(Symbol::Kind::Unknown);
  for (unsigned D = 0; D < 3; ++D)
    if (Row.involves(Symbol::Kind::BlockIndex, D) || Row.involves(Symbol::Kind::BlockOrigin, D))
      return blockStride(A, D);
  if (A.Array->Shape.dimensions() > 1 && otherRowLength(A))
    return;
  error(A.Origin->Where, Diag::err_rows_not_walked)
      << A.Array->Array.name() << A.Origin->Where->getSourceRange();
  if (noteComponents(A))
    return;
  if (A.Origin->Writes)
    note(A.Origin->Where, Diag::note_store_own_row);
  else
    note(A.Origin->Where, Diag::note_state_rows) << Kernel->getName();
}

void AccessReports::blockStride(const CoordinateAccess& A, unsigned D) {
  error(A.Origin->Where, Diag::err_block_stride)
      << std::string(1, DimensionName[D]) << A.Array->Array.name()
      << A.Origin->Where->getSourceRange();
  if (!Launch.BlockSize[D])
    note(A.Origin->Where, Diag::note_block_size_unknown)
        << std::string(1, DimensionName[D]);
  else if (mentionsIndexAlone(A, D))
    note(A.Origin->Where, Diag::note_block_pitch) << std::string(1, DimensionName[D]) << 0 << "";
}

void AccessReports::gridStrides(const PointerVariable& Array, const Expr* Where) {
  error(Where, Diag::err_writes_far) << Array.name() << 1 << Where->getSourceRange();
}

void AccessReports::noteHalo(const CoordinateAccess& A) {
  note(A.Origin->Where, Diag::note_state_halo) << A.Array->NamedByClauses;
}

void AccessReports::noteRowOffset(const CoordinateAccess& A) {
  const Polynomial& Row = A.Coordinates[0];
  if (!walkedBy(Row))
    return;
  for (const auto& [M, Coefficient] : Row.terms())
    if (M.size() == 1 && M.front().Of == Symbol::Kind::Parameter && M.front().Decl) {
      const Symbol& S = M.front();
      note(A.Origin->Where, Diag::note_row_offset) << S.Decl->getNameAsString() + (S.Field ? "." + S.Field->getNameAsString() : "");
      return;
    }
}

bool AccessReports::noteComponents(const CoordinateAccess& A) {
  const ArrayShape& Shape = A.Array->Shape;
  auto IsOfExtent = [&](const Symbol& S) {
    return llvm::any_of(Shape[0].terms(), [&](const auto& Term) { return llvm::is_contained(Term.first, S); });
  };
  bool Far = llvm::any_of(A.Coordinates[0].terms(), [&](const auto& Term) { return llvm::any_of(Term.first, IsOfExtent); });
  if (Shape.Components || !(Far || A.Array->RowsAreProduct))
    return false;
  note(A.Origin->Where, Diag::note_state_components) << A.Array->Array.name();
  return true;
}

void AccessReports::noteConstants(const CoordinateAccess& A, const Polynomial& P) {
  for (const auto& [M, Coefficient] : P.terms())
    for (const Symbol& S : M)
      if (const auto* V = dyn_cast_or_null<VarDecl>(S.Decl); V && S.Of == Symbol::Kind::Parameter)
        noteConstant(A, S.Field ? PointerVariable(V, {S.Field}) : PointerVariable(V));
}

void AccessReports::noteConstant(const CoordinateAccess& A, PointerVariable Place) {
  const bool Table = !Place.Subscripts.empty();
  Place.Subscripts.clear();
  if (!Place || !Place.Variable->hasAttr<CUDAConstantAttr>() || !NotedConstants.insert(Place).second)
    return;
  enum { Unwritten, Several, Other };
  const ConstantUses Uses = constantUses(Place.Variable, Context);
  note(A.Origin->Where, Diag::note_constant_unknown)
      << Place.name() << (!Uses.written() ? Unwritten : Uses.Others || Uses.Copies.size() != 1 ? Several : Other) << Table;
}

} // namespace gpurma
