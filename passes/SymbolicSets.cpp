// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/SymbolicSets.h"

#include <algorithm>
#include <isl/aff.h>
#include <isl/options.h>

namespace gpurma {
namespace {

std::vector<std::string> parametersOf(const isl::set& S) {
  std::vector<std::string> Names;
  isl_size Count = isl_set_dim(S.get(), isl_dim_param);
  for (isl_size I = 0; I < Count; ++I)
    if (isl_set_involves_dims(S.get(), isl_dim_param, static_cast<unsigned>(I), 1) == isl_bool_true)
      Names.push_back(isl_set_get_dim_name(S.get(), isl_dim_param, static_cast<unsigned>(I)));
  return Names;
}

} // namespace

SymbolicSets::SymbolicSets(const std::array<std::optional<std::int64_t>, 3>& BlockSize, unsigned long MaxOperations)
    : Context(isl_ctx_alloc()), All(isl::ctx(Context.get()), "{ : }"), Facts(All),
      BlockSize(BlockSize) {
  isl_ctx_set_max_operations(Context.get(), MaxOperations);
  isl_options_set_on_error(Context.get(), ISL_ON_ERROR_CONTINUE); // whoever gets null throws
}

SymbolicSets::~SymbolicSets() = default;

isl::set SymbolicSets::none() const {
  return isl::set::empty(All.space());
}

bool SymbolicSets::isNotNegative(const Symbol& S) const {
  if (S.Of == Symbol::Kind::Unknown)
    return false;
  if (S.Of != Symbol::Kind::Parameter)
    return true;
  const clang::ValueDecl* D = S.Field ? S.Field : S.Decl;
  return D && D->getType().getNonReferenceType()->isUnsignedIntegerType();
}

Polynomial SymbolicSets::blockSize(unsigned Dimension) const {
  if (BlockSize[Dimension])
    return *BlockSize[Dimension];
  return Symbol{Symbol::Kind::BlockSize, Dimension};
}

Polynomial SymbolicSets::pitch(unsigned Dimension) const {
  return Pitch[Dimension] ? Polynomial(*Pitch[Dimension]) : blockSize(Dimension);
}

Polynomial SymbolicSets::launchedSize(unsigned Dimension) const {
  if (LaunchedSize[Dimension])
    return *LaunchedSize[Dimension];
  return Symbol{Symbol::Kind::LaunchedSize, Dimension};
}

Polynomial SymbolicSets::normalized(const Polynomial& P) const {
  Polynomial Result;
  for (const auto& [M, Coefficient] : P.terms()) {
    Polynomial Term(Coefficient);
    for (const Symbol& S : M) {
      bool Launched = S.Of == Symbol::Kind::LaunchedIndex;
      std::optional<std::int64_t> Size = S.Of == Symbol::Kind::BlockIndex ? knownPitch(S.Index)
                                         : Launched                       ? LaunchedSize[S.Index]
                                                                          : std::nullopt;
      if (Size && Coefficient % *Size == 0 && std::count(M.begin(), M.end(), S) == 1) {
        Symbol::Kind Origin =
            Launched ? Symbol::Kind::LaunchedOrigin : Symbol::Kind::BlockOrigin;
        Term = Polynomial(Coefficient / *Size) * Symbol{Origin, S.Index};
        for (const Symbol& Other : M)
          if (!(Other == S))
            Term = Term * Other;
        break;
      }
      Term = Term * S;
    }
    Result = Result + Term;
  }
  for (const auto& [Product, Threads] : ThreadsOfGrid) {
    auto [Quotient, Rest] = Result.divided(Product);
    Result = Quotient * Threads + Rest;
  }
  return P.overflowed() ? P : Result;
}

const std::string& SymbolicSets::nameOf(const Monomial& M) {
  auto [It, New] = Names.try_emplace(M, "s" + std::to_string(Names.size()));
  if (New)
    Named.emplace(It->second, M);
  return It->second;
}

SymbolicSets::Sum SymbolicSets::sumOf(const Polynomial& P) {
  Sum Result;
  for (const auto& [M, Coefficient] : P.terms())
    if (M.empty())
      Result.Constant = Coefficient;
    else
      Result.Terms.emplace_back(nameOf(M), Coefficient);
  return Result;
}

isl_local_space* SymbolicSets::spaceOf(const Sum& Of) const {
  isl_space* Space = isl_space_params_alloc(Context.get(), Of.Terms.size());
  for (size_t I = 0; I < Of.Terms.size(); ++I)
    Space = isl_space_set_dim_name(Space, isl_dim_param, I, Of.Terms[I].first.c_str());
  return isl_local_space_from_space(Space);
}

isl::pw_aff SymbolicSets::affine(const Polynomial& P) {
  const Sum Of = sumOf(P);
  isl_aff* Affine = isl_aff_zero_on_domain(spaceOf(Of));
  for (size_t I = 0; I < Of.Terms.size(); ++I)
    Affine = isl_aff_set_coefficient_val(Affine, isl_dim_param, I,
                                         isl_val_int_from_si(Context.get(), Of.Terms[I].second));
  return isl::manage(isl_pw_aff_from_aff(
      isl_aff_set_constant_val(Affine, isl_val_int_from_si(Context.get(), Of.Constant))));
}

isl::set SymbolicSets::whereZero(const Sum& Of) const {
  return where(isl_constraint_alloc_equality(spaceOf(Of)), Of, 0);
}

isl::set SymbolicSets::whereAtLeast(unsigned Least, const Sum& Of) const {
  return where(isl_constraint_alloc_inequality(spaceOf(Of)), Of, Least);
}

isl::set SymbolicSets::where(isl_constraint* Constraint, const Sum& Of, unsigned Least) const {
  for (size_t I = 0; I < Of.Terms.size(); ++I)
    Constraint = isl_constraint_set_coefficient_val(
        Constraint, isl_dim_param, I, isl_val_int_from_si(Context.get(), Of.Terms[I].second));
  isl_val* Constant = isl_val_sub_ui(isl_val_int_from_si(Context.get(), Of.Constant), Least);
  return isl::manage(isl_set_from_basic_set(
      isl_basic_set_from_constraint(isl_constraint_set_constant_val(Constraint, Constant))));
}

isl::set SymbolicSets::compare(Comparison Op, const Polynomial& A, const Polynomial& B) {
  switch (Op) {
  case Comparison::Equal:
    return whereZero(sumOf(B - A));
  case Comparison::NotEqual:
    return compare(Comparison::Less, A, B).unite(compare(Comparison::Less, B, A));
  case Comparison::Less:
    return whereAtLeast(1, sumOf(B - A));
  case Comparison::LessEqual:
    break;
  }
  return whereAtLeast(0, sumOf(B - A));
}

Symbol SymbolicSets::unknown(const UnknownCause& Why) {
  Symbol S = number(Symbol::Kind::Unknown);
  Causes.emplace(S, Why);
  return S;
}

Symbol SymbolicSets::oneOf(std::vector<Alternative> Values, const isl::set& Otherwise) {
  Symbol Chosen = defined([&](const Polynomial& S) {
    isl::set Bounded = Otherwise;
    for (const Alternative& Each : Values)
      Bounded = Bounded.unite(Each.When.intersect(compare(Comparison::Equal, S, Each.Value)));
    return Bounded;
  });
  Alternatives.emplace(Chosen, std::move(Values));
  return Chosen;
}

const std::vector<Alternative>* SymbolicSets::alternativesOf(const Symbol& S) const {
  auto It = Alternatives.find(S);
  return It == Alternatives.end() ? nullptr : &It->second;
}

bool SymbolicSets::wrapsAround(const Polynomial& P, const Polynomial& Divisor) const {
  return std::any_of(P.terms().begin(), P.terms().end(), [&](const auto& Term) {
    return std::any_of(Term.first.begin(), Term.first.end(), [&](const Symbol& S) {
      if (auto It = Divisors.find(S); It != Divisors.end() && It->second == Divisor)
        return true;
      const std::vector<Alternative>* Values = alternativesOf(S);
      return Values && std::any_of(Values->begin(), Values->end(), [&](const Alternative& One) {
               return wrapsAround(One.Value, Divisor) ||
                      std::any_of(Values->begin(), Values->end(), [&](const Alternative& Other) { return One.Value - Other.Value == Divisor; });
             });
    });
  });
}

const UnknownCause* SymbolicSets::unknownIn(const Polynomial& P) const { return causeIn(P, /*AlsoOfChoice=*/true); }
const UnknownCause* SymbolicSets::dataIn(const Polynomial& P) const { return causeIn(P, /*AlsoOfChoice=*/false); }

const UnknownCause* SymbolicSets::causeIn(const Polynomial& P, bool AlsoOfChoice) const {
  std::set<Symbol> Seen;
  std::vector<Symbol> Pending;
  auto Add = [&](const Polynomial& More) {
    for (const auto& [M, Coefficient] : More.terms())
      Pending.insert(Pending.end(), M.begin(), M.end());
  };
  Add(P);
  while (!Pending.empty()) {
    Symbol S = Pending.back();
    Pending.pop_back();
    if (S.Of != Symbol::Kind::Unknown || !Seen.insert(S).second)
      continue;
    if (auto It = Causes.find(S); It != Causes.end())
      return &It->second;
    if (const std::vector<Alternative>* Values = AlsoOfChoice ? nullptr : alternativesOf(S)) {
      for (const Alternative& Each : *Values)
        Add(Each.Value);
      continue;
    }
    const std::vector<Symbol> Others = definedBy(S);
    Pending.insert(Pending.end(), Others.begin(), Others.end());
  }
  return nullptr;
}

std::vector<Symbol> SymbolicSets::definedBy(const Symbol& S) const {
  std::vector<Symbol> Found;
  if (auto It = Definitions.find(S); It != Definitions.end())
    for (const Monomial& M : monomialsOf(It->second))
      Found.insert(Found.end(), M.begin(), M.end());
  return Found;
}

bool SymbolicSets::standsAlone(const Symbol& S) const {
  const std::vector<Symbol> Others = definedBy(S);
  return S.Of == Symbol::Kind::Unknown && std::all_of(Others.begin(), Others.end(), [&](const Symbol& Each) { return Each == S; });
}

void SymbolicSets::assumePositive(const Polynomial& P) {
  assume(compare(Comparison::LessEqual, 1, P));
}

isl::set SymbolicSets::factsOfIndex(const Symbol& Index, std::optional<std::int64_t> Size,
                                    Symbol::Kind Of) {
  const Polynomial Origin = Symbol{Of, Index.Index};
  if (Size)
    return compare(Comparison::LessEqual, 0, Index)
        .intersect(compare(Comparison::Equal, Polynomial(Index) * *Size, Origin));
  // The product of two unknown numbers, of which the second is at least 1.
  isl::set First = compare(Comparison::Equal, Index, 0).intersect(compare(Comparison::Equal, Origin, 0));
  isl::set Other = compare(Comparison::LessEqual, 1, Index).intersect(compare(Comparison::LessEqual, Index, Origin));
  return First.unite(Other);
}

isl::set SymbolicSets::factsOf(const Monomial& M) {
  if (M.size() != 1)
    return std::all_of(M.begin(), M.end(), [&](const Symbol& S) { return isNotNegative(S); })
               ? compare(Comparison::LessEqual, 0,
                         [&] {
                           Polynomial Product(1);
                           for (const Symbol& S : M)
                             Product = Product * S;
                           return Product;
                         }())
               : All;
  const Symbol& S = M.front();
  switch (S.Of) {
  case Symbol::Kind::ThreadIndex:
    return compare(Comparison::LessEqual, 0, S)
        .intersect(compare(Comparison::Less, S, blockSize(S.Index)));
  case Symbol::Kind::LaunchedThread:
    return compare(Comparison::LessEqual, 0, S)
        .intersect(compare(Comparison::Less, S, launchedSize(S.Index)));
  case Symbol::Kind::BlockSize:
  case Symbol::Kind::GridSize:
  case Symbol::Kind::LaunchedSize:
    return compare(Comparison::LessEqual, 1, S);
  case Symbol::Kind::BlockIndex:
    return factsOfIndex(S, knownPitch(S.Index), Symbol::Kind::BlockOrigin);
  case Symbol::Kind::LaunchedIndex:
    return factsOfIndex(S, LaunchedSize[S.Index], Symbol::Kind::LaunchedOrigin);
  case Symbol::Kind::Unknown:
    if (auto It = Definitions.find(S); It != Definitions.end())
      return It->second;
    return All;
  case Symbol::Kind::BlockOrigin:
  case Symbol::Kind::LaunchedOrigin:
  case Symbol::Kind::Counter:
  case Symbol::Kind::Parameter:
    break;
  }
  return isNotNegative(S) ? compare(Comparison::LessEqual, 0, S) : All;
}

isl::set SymbolicSets::closed(const isl::set& S) {
  return closedWith(S, {});
}

isl::set SymbolicSets::withAllFacts(isl::set S) {
  std::set<std::string> Seen;
  // Those of several cases come last and the least first, so that most cases are found not to be there before they multiply.
  std::vector<isl::set> Cases;
  std::vector<std::string> Pending = parametersOf(S = S.intersect(Facts));
  while (!Pending.empty()) {
    const std::string Name = std::move(Pending.back());
    Pending.pop_back();
    auto It = Named.find(Name);
    if (It == Named.end() || !Seen.insert(Name).second)
      continue;
    isl::set Known = factsOf(It->second);
    for (std::string& Other : parametersOf(Known))
      Pending.push_back(std::move(Other));
    if (isl_set_n_basic_set(Known.get()) > 1)
      Cases.push_back(std::move(Known));
    else
      S = S.intersect(Known);
  }
  S = withRow(S);
  std::stable_sort(Cases.begin(), Cases.end(),
                   [](const isl::set& A, const isl::set& B) { return isl_set_n_basic_set(A.get()) < isl_set_n_basic_set(B.get()); });
  for (const isl::set& Known : Cases) {
    const isl::set Before = S;
    S = S.intersect(Known);
    // isl takes longer to look which of many can be one than for anything else here.
    if (isl_set_n_basic_set(S.get()) > isl_set_n_basic_set(Before.get()))
      S = S.coalesce();
  }
  return S.coalesce();
}

isl::set SymbolicSets::withRow(isl::set S) {
  if (!Numbers)
    return S;
  const auto& [Number, Row, Length, Elements] = *Numbers;
  const std::vector<Monomial> Mentioned = monomialsOf(S);
  for (const auto& [M, Coefficient] : Number.terms())
    if (std::find(Mentioned.begin(), Mentioned.end(), M) == Mentioned.end())
      return S;
  const Polynomial Rows = Elements.divided(Length).first;
  for (std::int64_t Away : {-1, 0, 1}) {
    if (!S.intersect(compare(Comparison::LessEqual, Elements, Number + Polynomial(Away) * Length)).is_empty())
      break;
    S = S.intersect(compare(Comparison::Less, Row + Away, Rows));
  }
  return S.intersect(compare(Comparison::Less, Number, Length)).is_empty() ? S.intersect(compare(Comparison::LessEqual, 1, Row)) : S;
}

isl::set SymbolicSets::inFirstRow(const isl::set& S) {
  return Numbers && S.intersect(compare(Comparison::LessEqual, Numbers->Length, Numbers->Number)).is_empty()
             ? S.intersect(compare(Comparison::Equal, Numbers->Row, 0))
             : S;
}

isl::set SymbolicSets::closedWith(const isl::set& Path, const std::vector<Polynomial>& Of) {
  std::set<Monomial> With;
  for (const Polynomial& P : Of)
    for (const auto& [M, Coefficient] : P.terms())
      if (!M.empty())
        With.insert(M);
  const std::uint32_t Hash = isl_set_get_hash(Path.get()); // to compare takes isl as long as to hash both
  auto Found = std::find_if(Closed.begin(), Closed.end(), [&](const ClosedPath& Each) {
    return Each.Hash == Hash && Each.With == With && isl_set_plain_is_equal(Each.Path.get(), Path.get()) == isl_bool_true;
  });
  if (Found != Closed.end())
    return Found->Closed;
  isl::set S = Path;
  for (size_t I = 0; I < Of.size(); ++I)
    S = bound(S, "place" + std::to_string(I), Of[I]);
  S = withAllFacts(S);
  // The names would be those of others that the result is compared with.
  for (size_t I = 0; I < Of.size(); ++I)
    S = S.project_out_param("place" + std::to_string(I));
  Closed.push_back({Hash, std::move(With), Path, S});
  return S;
}

std::optional<std::int64_t> SymbolicSets::least(const isl::set& S, const Polynomial& P) {
  isl::set Values = affine(P).intersect_domain(S).as_set().project_out_all_params();
  if (Values.is_empty())
    return std::nullopt;
  isl::val Least = Values.dim_min_val(0);
  if (!Least.is_int())
    return std::nullopt;
  return Least.num_si();
}

std::optional<std::int64_t> SymbolicSets::greatest(const isl::set& S, const Polynomial& P) {
  std::optional<std::int64_t> Least = least(S, Polynomial(0) - P);
  if (!Least)
    return std::nullopt;
  return -*Least;
}

bool SymbolicSets::isBoundedAbove(const isl::set& S, const Symbol& Of) {
  const int At = isl_set_find_dim_by_name(S.get(), isl_dim_param, nameOf({Of}).c_str());
  return At >= 0 && isl_set_dim_has_any_upper_bound(S.get(), isl_dim_param, static_cast<unsigned>(At)) != isl_bool_false;
}

isl::set SymbolicSets::bound(const isl::set& S, const std::string& Name, const Polynomial& P) {
  Sum Difference = sumOf(P);
  Difference.Terms.emplace_back(Name, -1);
  return S.intersect(whereZero(Difference));
}

isl::set SymbolicSets::differsByAtLeast(const std::string& Low, const std::string& High,
                                        const Polynomial& By) {
  Sum Difference = sumOf(Polynomial(0) - By);
  Difference.Terms.emplace_back(High, 1);
  Difference.Terms.emplace_back(Low, -1);
  return whereAtLeast(0, Difference);
}

bool SymbolicSets::mentions(const isl::set& S, Symbol::Kind Of, unsigned Index) const {
  for (const Monomial& M : monomialsOf(S))
    for (const Symbol& Factor : M)
      if (Factor.Of == Of && Factor.Index == Index)
        return true;
  return false;
}

std::vector<Monomial> SymbolicSets::monomialsOf(const isl::set& S) const {
  std::vector<Monomial> Found;
  for (const std::string& Name : parametersOf(S))
    if (auto It = Named.find(Name); It != Named.end())
      Found.push_back(It->second);
  return Found;
}

isl::set SymbolicSets::withoutData(isl::set S, const std::vector<Polynomial>& Places) const {
  std::set<Symbol> Needed;
  std::vector<Symbol> Pending;
  auto Add = [&](const Monomial& M) { Pending.insert(Pending.end(), M.begin(), M.end()); };
  for (const Polynomial& P : Places)
    for (const auto& [M, Coefficient] : P.terms())
      Add(M);
  for (const Monomial& M : monomialsOf(S))
    if (M.size() != 1 || !standsAlone(M.front()))
      Add(M);
  while (!Pending.empty()) {
    const Symbol Next = Pending.back();
    Pending.pop_back();
    if (!Needed.insert(Next).second)
      continue;
    const std::vector<Symbol> Others = definedBy(Next);
    Pending.insert(Pending.end(), Others.begin(), Others.end());
  }
  for (const Monomial& M : monomialsOf(S)) {
    if (M.size() != 1 || Needed.count(M.front()))
      continue;
    if (auto Definition = Definitions.find(M.front()); Definition != Definitions.end())
      S = S.intersect(Definition->second);
    S = S.project_out_param(Names.at(M));
  }
  return S.coalesce();
}

isl::set SymbolicSets::gist(const isl::set& S, const isl::set& Path) const {
  const isl::set Known = S.gist(Path);
  // Of a path of several parts, as behind `mask != 0`, isl leaves out what holds in all of them.
  isl::set Less = Known;
  bool Any = false;
  for (const Monomial& M : monomialsOf(Known))
    if (std::any_of(M.begin(), M.end(),
                    [&](const Symbol& Factor) { return unknownIn(Factor) != nullptr; })) {
      Less = Less.project_out_param(Names.at(M));
      Any = true;
    }
  return Any && Less.intersect(Path).is_subset(S) ? Less.coalesce() : Known;
}

isl::set SymbolicSets::withoutVarying(isl::set S, const std::set<Symbol>& Others) const {
  for (const std::string& Name : parametersOf(S)) {
    auto It = Named.find(Name);
    if (It == Named.end())
      continue;
    bool Varies = std::any_of(It->second.begin(), It->second.end(), [&](const Symbol& Factor) {
      return Others.count(Factor) != 0 || (Factor.Of != Symbol::Kind::Parameter && Factor.Of != Symbol::Kind::BlockSize &&
             Factor.Of != Symbol::Kind::GridSize && Factor.Of != Symbol::Kind::LaunchedSize);
    });
    if (Varies)
      S = S.project_out_param(Name);
  }
  return S;
}

} // namespace gpurma
