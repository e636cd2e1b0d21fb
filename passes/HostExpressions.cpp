// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/HostExpressions.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "passes/HostFunctions.h"
#include "passes/HostObjects.h"
#include "passes/HostParts.h"
#include "passes/LaunchSize.h"
#include "passes/Region.h"
#include "passes/VariableUses.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace clang;

namespace gpurma {

namespace {

/// What is assigned, as a statement of the same block, to variables that are declared without a value.
class AssignmentsInBlock : public DynamicRecursiveASTVisitor {
public:
  bool VisitCompoundStmt(CompoundStmt* Block) override {
    llvm::SmallPtrSet<const VarDecl*, 8> Declared;
    for (const Stmt* S : Block->body()) {
      if (const auto* Declaration = dyn_cast<DeclStmt>(S))
        for (const Decl* D : Declaration->decls())
          if (const auto* V = dyn_cast<VarDecl>(D); V && !V->getInit() && V->hasLocalStorage())
            Declared.insert(V);
      const auto* Assignment = dyn_cast<BinaryOperator>(S);
      const VarDecl* V = Assignment && Assignment->getOpcode() == BO_Assign ? namedVariable(Assignment->getLHS()) : nullptr;
      if (V && Declared.contains(V))
        Assigned.try_emplace(V, Assignment->getRHS());
    }
    return true;
  }
  llvm::DenseMap<const VarDecl*, const Expr*> Assigned;
};

} // namespace

const VarDecl* InnerStructures::variable(const PointerVariable& Structure, const DeclContext* Function) {
  const VarDecl*& V = Variables[Structure];
  if (!V) {
    const SourceLocation Place = Structure.Variable->getLocation();
    V = VarDecl::Create(Context, const_cast<DeclContext*>(Function), Place, Place, &Context.Idents.get(Structure.name()), Structure.type(), nullptr, SC_None);
  }
  return V;
}

namespace {

/// Variables that statements change by assignments to their names alone, and not in lambdas, which
/// may be called later.
class PlainAssignments : public DynamicRecursiveASTVisitor {
public:
  void traverse(const Stmt* S) {
    TraverseStmt(const_cast<Stmt*>(S));
    All.TraverseStmt(const_cast<Stmt*>(S));
  }
  bool only(const VarDecl* V) const {
    const auto Plain = Times.find(V), Any = All.Changes.find(V);
    return Plain != Times.end() && Any != All.Changes.end() && Plain->second == Any->second &&
           !Others.contains(V);
  }
  bool VisitBinaryOperator(BinaryOperator* E) override {
    return !E->isAssignmentOp() || note(E->getLHS());
  }
  bool VisitUnaryOperator(UnaryOperator* E) override {
    return !E->isIncrementDecrementOp() || note(E->getSubExpr());
  }
  bool TraverseLambdaExpr(LambdaExpr* Lambda) override {
    for (const DeclRefExpr* Ref : References(Lambda->getBody()).All)
      Others.insert(Ref->getDecl());
    return true;
  }

private:
  bool note(const Expr* E) {
    if (const auto* Ref = dyn_cast<DeclRefExpr>(E->IgnoreParens()))
      if (const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
          V && V->hasLocalStorage() && !V->getType()->isReferenceType())
        ++Times[V];
    return true;
  }

  std::map<const VarDecl*, unsigned> Times;
  ChangeFinder All;
  llvm::SmallPtrSet<const ValueDecl*, 4> Others;
};

} // namespace

HostExpressions::HostExpressions(ASTContext& Context, const Region& R, const VariableChanges& Changed,
                                 const VariableChanges& EverChanged, InnerStructures& Inside)
    : Context(Context), R(R), Changed(Changed), EverChanged(EverChanged), Inside(Inside) {
  for (const DistributedArray& A : R.Arrays)
    for (const Expr* Extent : A.Shape)
      for (const DeclRefExpr* Ref : References(Extent).All)
        InExtents.insert(Ref->getDecl());
  auto* Statement = const_cast<Stmt*>(R.Statement);
  AssignmentsInBlock Assignments;
  Assignments.TraverseStmt(Statement);
  ChangeFinder Finder;
  Finder.TraverseStmt(Statement);
  const VariableChanges ByHost = changesOfHost(R.HostParts);
  Alike.emplace(Context, R, Finder, ByHost);
  ChangedInRegion.Members = std::move(Finder.Members);
  ChangedInRegion.Members.insert(ByHost.Members.begin(), ByHost.Members.end());
  for (const auto& [V, Value] : Assignments.Assigned)
    if (Finder.Changes[V] == 1 && !ByHost.changes(V))
      OnlyAssignments.try_emplace(V, Value);
}

std::optional<Polynomial> HostExpressions::extent(const Expr* E) {
  OfExtent = true;
  std::optional<Polynomial> P = polynomial(E);
  OfExtent = false;
  return P;
}

std::optional<Polynomial> HostExpressions::polynomial(const Expr* E) {
  return overElements(written(E));
}

std::optional<Polynomial> HostExpressions::member(const VarDecl* V, const FieldDecl* Field) {
  return overElements(writtenMember(V, Field));
}

std::optional<Polynomial> HostExpressions::initialValue(const Expr* E) {
  const auto* Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  const auto* V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!V || !V->hasLocalStorage() || isa<ParmVarDecl>(V) || !V->getInit() ||
      V->getType()->isReferenceType() || EverChanged.changes(V) || !isLasting(V->getInit(), {EverChanged}))
    return std::nullopt;
  return polynomial(V->getInit());
}

std::optional<Polynomial> HostExpressions::mostThreads(const Expr* Grid, unsigned Dimension, std::int64_t BlockSize) {
  llvm::SmallVector<const VarDecl*, 2> Of;
  const Expr* E = Grid;
  std::optional<unsigned> Member = Dimension;
  for (;;) {
    E = E->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
    if (const VarDecl* V = namedVariable(E)) {
      if (!V->hasLocalStorage() || isa<ParmVarDecl>(V) || !V->getInit() || !isLasting(V, nullptr, lifetimeOf(V)))
        return std::nullopt;
      Of.push_back(V);
      E = V->getInit();
      continue;
    }
    if (E->getType()->isIntegralOrEnumerationType())
      break;
    ArrayRef<const Expr*> Sizes;
    if (const auto* Construct = dyn_cast<CXXConstructExpr>(E))
      Sizes = {Construct->getArgs(), Construct->getNumArgs()};
    else if (const auto* List = dyn_cast<InitListExpr>(E))
      Sizes = {List->getInits(), List->getNumInits()};
    const bool Copies = Sizes.size() == 1 && !Sizes.front()->getType()->isIntegralOrEnumerationType();
    if (!Copies && (!Member || *Member >= Sizes.size()))
      return std::nullopt;
    E = Sizes[Copies ? 0 : *std::exchange(Member, std::nullopt)];
  }
  const auto* Quotient = dyn_cast<BinaryOperator>(E);
  if (Member.value_or(0) != 0 || !Quotient || Quotient->getOpcode() != BO_Div || constantLaunchSize(Quotient->getRHS(), EverChanged, Context)[0] != BlockSize ||
      !llvm::all_of(Of, [&](const VarDecl* V) { return isLasting(Quotient->getLHS(), lifetimeOf(V)); }))
    return std::nullopt;
  return polynomial(Quotient->getLHS());
}

Polynomial HostExpressions::withInitialValues(Polynomial P) {
  constexpr unsigned MostSteps = 4;
  for (unsigned Step = 0; Step != MostSteps; ++Step) {
    std::set<Symbol> Named;
    for (const auto& [M, Coefficient] : P.terms())
      Named.insert(M.begin(), M.end());
    bool Changed = false;
    for (const Symbol& S : Named) {
      const auto* V = S.Field || S.Divisor != 1 ? nullptr : dyn_cast_or_null<VarDecl>(S.Decl);
      if (!V || isa<ParmVarDecl>(V) || !V->getInit() || InExtents.contains(V) || !isLasting(V, nullptr, {EverChanged}) ||
          !isLasting(V->getInit(), {EverChanged}))
        continue;
      if (std::optional<Polynomial> Value = polynomial(V->getInit())) {
        P = P.substituted(S, *Value);
        Changed = true;
      }
    }
    if (!Changed)
      break;
  }
  return P;
}

const VarDecl* HostExpressions::structure(const Expr* E) const {
  E = E->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
  if (const auto* Copy = dyn_cast<CXXConstructExpr>(E);
      Copy && Copy->getConstructor()->isCopyOrMoveConstructor())
    return structure(Copy->getArg(0));
  const auto* Ref = dyn_cast<DeclRefExpr>(E);
  const auto* V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return V && V->getType().getNonReferenceType()->isRecordType() ? V : nullptr;
}

std::optional<Polynomial> HostExpressions::overElements(std::optional<Polynomial> P) const {
  for (const auto& [Pitch, Elements] : Pitches)
    if (P)
      P = P->substituted(Pitch, Elements);
  return P;
}

std::optional<Polynomial> HostExpressions::converted(std::optional<Polynomial> P, QualType From,
                                                     QualType To,
                                                     std::optional<unsigned> OfBits) const {
  if (!P)
    return std::nullopt;
  const auto BitsOf = [&](QualType Type) {
    return Type->isBooleanType() ? 1 : static_cast<unsigned>(Context.getIntWidth(Type));
  };
  const unsigned Bits = OfBits.value_or(BitsOf(To));
  const bool IsUnsigned = To->isUnsignedIntegerOrEnumerationType();
  if (std::optional<std::int64_t> Value = P->constant()) {
    if (To->isBooleanType())
      return Polynomial(*Value != 0);
    const llvm::APInt Cut = llvm::APInt(64, static_cast<std::uint64_t>(*Value), /*isSigned=*/true)
                                .trunc(std::min(Bits, 64U));
    const llvm::APSInt Found(Cut, IsUnsigned);
    return Found.isRepresentableByInt64() ? std::optional(Polynomial(Found.getExtValue()))
                                          : std::nullopt;
  }
  // Sizes fit into 32 bits and more.
  constexpr unsigned BitsOfSizes = 32;
  const bool Keeps =
      Bits >= BitsOfSizes ||
      BitsOf(From) + (From->isUnsignedIntegerOrEnumerationType() && !IsUnsigned ? 1 : 0) <= Bits;
  const bool LosesSign =
      Bits < BitsOfSizes && IsUnsigned && !From->isUnsignedIntegerOrEnumerationType();
  return Keeps && !LosesSign ? P : std::nullopt;
}

std::optional<Polynomial> HostExpressions::written(const Expr* E) {
  E = E->IgnoreParens();
  if (E->isValueDependent() || !E->getType().getNonReferenceType()->isIntegralOrEnumerationType())
    return std::nullopt;
  Expr::EvalResult Known;
  if (E->EvaluateAsInt(Known, Context) && Known.Val.getInt().isRepresentableByInt64())
    return Polynomial(Known.Val.getInt().getExtValue());
  if (const auto* Cast = dyn_cast<ImplicitCastExpr>(E)) {
    const Expr* Of = Cast->getSubExpr();
    return Of->getType()->isIntegralOrEnumerationType()
               ? converted(polynomial(Of), Of->getType(), Cast->getType())
               : std::nullopt;
  }
  if (const auto* Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
    return written(Temporary->getSubExpr());
  if (const auto* Full = dyn_cast<FullExpr>(E))
    return written(Full->getSubExpr());
  if (const auto* Cast = dyn_cast<ExplicitCastExpr>(E);
      Cast && Cast->getSubExpr()->getType()->isIntegralOrEnumerationType())
    if (std::optional<Polynomial> P = converted(polynomial(Cast->getSubExpr()),
                                                Cast->getSubExpr()->getType(), Cast->getType()))
      return P;
  if (const auto* Ref = dyn_cast<DeclRefExpr>(E)) {
    const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
    if (!V || (Changed.changes(V) && !OnlyAssignments.contains(V)))
      return std::nullopt;
    if (const Expr* Value = lastingValue(V))
      if (std::optional<Polynomial> P = polynomial(Value))
        return P;
    if (Changed.changes(V))
      return std::nullopt;
    return assumed(V).value_or(Polynomial(Symbol{Symbol::Kind::Parameter, 0, V}));
  }
  if (const auto* Binary = dyn_cast<BinaryOperator>(E); Binary) {
    std::optional<Polynomial> Left = polynomial(Binary->getLHS()),
                              Right = polynomial(Binary->getRHS());
    if (Left && Right && Binary->getOpcode() == BO_Add)
      return *Left + *Right;
    if (Left && Right && Binary->getOpcode() == BO_Sub)
      return *Left - *Right;
    if (Left && Right && Binary->getOpcode() == BO_Mul)
      return *Left * *Right;
    if (OfExtent && Left && Right && Binary->getOpcode() == BO_Div)
      notePitch(*Binary, *Left, *Right);
    if (Left && Right && Binary->getOpcode() == BO_Div && !isa<UnaryExprOrTypeTraitExpr>(Binary->getRHS()->IgnoreParenImpCasts()))
      if (std::optional<Polynomial> Part = quotient(*Left, *Right))
        return Part;
  }
  if (const auto* Member = dyn_cast<MemberExpr>(E)) {
    const bool OfThis = isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts());
    const VarDecl* V = OfThis ? Object : Member->isArrow() ? nullptr : structure(Member->getBase());
    if (const auto* Field = dyn_cast<FieldDecl>(Member->getMemberDecl()); V && Field)
      return member(V, Field);
    if (const PointerVariable Inner = pointerVariable(E))
      if (std::optional<Polynomial> P = member(Inner))
        return P;
  }
  if (const auto* Call = dyn_cast<CXXMemberCallExpr>(E))
    if (std::optional<Polynomial> P = returned(*Call))
      return P;
  // Members of different objects are written alike.
  return Object ? std::nullopt : sameText(E);
}

std::optional<Polynomial> HostExpressions::returned(const CXXMemberCallExpr& Call) {
  const Expr* Of = Call.getImplicitObjectArgument()->IgnoreParenImpCasts();
  const VarDecl* V = isa<CXXThisExpr>(Of) ? Object : structure(Of);
  const CXXMethodDecl* Method = Call.getMethodDecl();
  if (!V || !Method || Call.getNumArgs() != 0 || !isConstantCall(Method, Context.getSourceManager()))
    return std::nullopt;
  const FunctionDecl* Definition = Method->getDefinition();
  const Expr* Value = Definition ? onlyReturned(Definition) : nullptr;
  if (!Value)
    return std::nullopt;
  const VarDecl* Outer = std::exchange(Object, V);
  std::optional<Polynomial> P = polynomial(Value);
  Object = Outer;
  return P;
}

std::optional<Polynomial> HostExpressions::writtenMember(const VarDecl* V, const FieldDecl* Field) {
  if (Changed.changes(V, Field) && !Alike->extent(V, Field))
    return std::nullopt;
  // `const Fields f{u, v, ny, nx};` has the ny of the region's clause.
  if (const Lifetime During = lifetimeOf(V);
      V->hasLocalStorage() && !isa<ParmVarDecl>(V) && V->getInit() && !During.Changes.changes(V, Field)) {
    const PassedPointer From = passedFor(V->getInit(), {Field});
    if (From.Expression && isLasting(From.Expression, During))
      if (std::optional<Polynomial> P = inField(*From.Expression, *Field))
        return P;
    // A copy of another structure, of which this stays.
    if (From.Pointer && From.Pointer.Members.size() == 1 && From.Pointer.Subscripts.empty() && isLasting(From.Pointer.Variable, Field, During))
      return writtenMember(From.Pointer.Variable, Field);
  }
  const Expr* Extent = Alike->take(V, Field);
  return Extent ? polynomial(Extent) : assumed({V, {Field}}).value_or(Polynomial(Symbol{Symbol::Kind::Parameter, 0, V, Field}));
}

std::optional<Polynomial> HostExpressions::inField(const Expr& Initial, const FieldDecl& Field) {
  return converted(polynomial(&Initial), Initial.getType(), Field.getType(),
                   Field.isBitField() ? std::optional(Field.getBitWidthValue(Context))
                                      : std::nullopt);
}

std::optional<Polynomial> HostExpressions::member(const Expr* Passed, ArrayRef<const FieldDecl*> Members) {
  const PassedPointer From = passedFor(Passed, Members);
  if (From.Expression)
    return Members.empty() ? polynomial(From.Expression)
                           : inField(*From.Expression, *Members.back());
  return From.Pointer ? member(From.Pointer) : std::nullopt;
}

std::optional<Polynomial> HostExpressions::member(const PointerVariable& Place) {
  const VarDecl* V = Place.Variable;
  if (Place.Members.empty() || !Place.Subscripts.empty())
    return std::nullopt;
  const FieldDecl* First = Place.Members.front();
  if (Place.Members.size() == 1)
    return member(V, First);
  if (Changed.changes(V, First))
    return std::nullopt;
  if (const Lifetime During = lifetimeOf(V); V->hasLocalStorage() && !isa<ParmVarDecl>(V) && V->getInit() && isLasting(V, First, During)) {
    const PassedPointer From = passedFor(V->getInit(), Place.Members);
    if (From.Expression && isLasting(From.Expression, During))
      if (std::optional<Polynomial> P = inField(*From.Expression, *Place.Members.back()))
        return P;
    if (From.Pointer && !From.Pointer.Members.empty() && isLasting(From.Pointer.Variable, From.Pointer.Members.front(), During))
      return member(From.Pointer);
  }
  PointerVariable Structure = Place;
  Structure.Members.pop_back();
  return Polynomial(Symbol{Symbol::Kind::Parameter, 0, Inside.variable(Structure, V->getDeclContext()), Place.Members.back()});
}

std::optional<Polynomial> HostExpressions::assumed(const PointerVariable& Place) const {
  auto Found = llvm::find_if(R.AssumedNumbers, [&](const AssumedNumber& Each) { return Each.Place == Place; });
  return Found == R.AssumedNumbers.end() ? std::nullopt : std::optional(Polynomial(Found->Value));
}

std::optional<Polynomial> HostExpressions::quotient(const Polynomial& Dividend, const Polynomial& Divisor) {
  const std::optional<std::int64_t> By = Divisor.constant();
  if (!By || *By <= 0)
    return std::nullopt;
  if (auto [Quotient, Rest] = Dividend.divided(Divisor); Rest == Polynomial(0))
    return Quotient;
  const auto& Terms = Dividend.terms();
  if (Terms.size() != 1 || Terms.begin()->first.size() != 1 || Terms.begin()->second != 1 || Terms.begin()->first.front().Divisor != 1)
    return std::nullopt;
  return Polynomial(Terms.begin()->first.front().dividedBy(*By));
}

void HostExpressions::notePitch(const BinaryOperator& Quotient, const Polynomial& Bytes, const Polynomial& Size) {
  const auto& Terms = Bytes.terms();
  std::optional<std::int64_t> Elements = Size.constant();
  if (!isa<UnaryExprOrTypeTraitExpr>(Quotient.getRHS()->IgnoreParenImpCasts()) || !Elements || Terms.size() != 1 ||
      Terms.begin()->first.size() != 1 || Terms.begin()->second != 1)
    return;
  if (std::optional<Polynomial> Count = sameText(&Quotient))
    Pitches.emplace(Terms.begin()->first.front(), *Count * Polynomial(*Elements));
}

const Expr* HostExpressions::lastingValue(const VarDecl* V) const {
  const Expr* Value = firstValue(V);
  if (!V->hasLocalStorage() || isa<ParmVarDecl>(V) || !Value)
    return nullptr;
  const Lifetime During = lifetimeOf(V);
  const bool Unchanged = V->getType().isConstQualified() || OnlyAssignments.contains(V) ||
                         ((!InExtents.contains(V) || !References(Value).All.empty()) && isLasting(V, nullptr, During));
  Expr::EvalResult Known;
  const bool Lasts = isLasting(Value, During) || (!Value->isValueDependent() && Value->EvaluateAsInt(Known, Context));
  return Unchanged && Lasts ? Value : nullptr;
}

const Expr* HostExpressions::firstValue(const VarDecl* V) const {
  auto It = OnlyAssignments.find(V);
  return It == OnlyAssignments.end() ? V->getInit() : It->second;
}

const VariableChanges& HostExpressions::changedSince(const VarDecl* V) const {
  const auto* Body = dyn_cast<CompoundStmt>(R.outermostFunction()->getBody());
  const auto Declares = [&](const Stmt* S) {
    const auto* Declaration = dyn_cast<DeclStmt>(S);
    return Declaration && llvm::is_contained(Declaration->decls(), V);
  };
  const auto* const Found = Body ? llvm::find_if(Body->body(), Declares) : nullptr;
  if (!Body || Found == Body->body_end())
    return EverChanged;
  auto [It, IsNew] = Since.try_emplace(V, nullptr);
  if (!IsNew)
    return It->second;
  PlainAssignments Before;
  for (const Stmt* S : llvm::make_range(Body->body_begin(), Found))
    Before.traverse(S);
  bool HasCome = false;
  for (const Stmt* S : Body->body()) {
    HasCome |= S == *Found;
    for (const auto& Part : changedMembers(S))
      if (HasCome || !Before.only(Part.first))
        It->second.Members.insert(Part);
  }
  return It->second;
}

HostExpressions::Lifetime HostExpressions::lifetimeOf(const VarDecl* V) const {
  // What it keeps while the host runs may change behind another name.
  return R.declares(V) ? Lifetime{ChangedInRegion, !R.Kept.contains(V)} : Lifetime{changedSince(V)};
}

bool HostExpressions::isLasting(const VarDecl* V, const FieldDecl* Field, const Lifetime& During) const {
  if (isConstant(V) && isUnchangeable(V->getType()))
    return true;
  if (During.OfCopies && Field && Alike->extent(V, Field))
    return true;
  const bool HasOtherNames = !V->hasLocalStorage() || V->getType()->isReferenceType();
  const bool Changes = Field ? During.Changes.changes(V, Field) : During.Changes.changes(V);
  return !Changes && (!HasOtherNames || (During.OfCopies && !R.declares(V)));
}

bool HostExpressions::isLasting(const Stmt* S, const Lifetime& During) const {
  if (const auto* Ref = dyn_cast<DeclRefExpr>(S)) {
    const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
    return V && isLasting(V, nullptr, During);
  }
  if (const auto* Member = dyn_cast<MemberExpr>(S)) {
    const auto* Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
    const auto* Ref = dyn_cast<DeclRefExpr>(Member->getBase()->IgnoreParenImpCasts());
    const auto* V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    if (Member->isArrow())
      return false;
    if (V && Field)
      return isLasting(V, Field, During);
  }
  if (const auto* Size = dyn_cast<UnaryExprOrTypeTraitExpr>(S); Size && Size->getKind() == UETT_SizeOf)
    return !Size->getTypeOfArgument()->isVariableArrayType();
  // Of a structure that nothing changes.
  if (const auto* Call = dyn_cast<CXXMemberCallExpr>(S)) {
    const VarDecl* V = namedVariable(Call->getImplicitObjectArgument());
    const CXXMethodDecl* Method = Call->getMethodDecl();
    return V && Method && Call->getNumArgs() == 0 && isLasting(V, nullptr, During) &&
           isConstantCall(Method, V->getASTContext().getSourceManager());
  }
  return isa<DeclRefExpr, MemberExpr, BinaryOperator, ParenExpr, CastExpr, IntegerLiteral>(S) &&
         llvm::all_of(S->children(), [&](const Stmt* Child) { return !Child || isLasting(Child, During); });
}

std::optional<Polynomial> HostExpressions::sameText(const Expr* E) {
  if (!isRepeatable(E))
    return std::nullopt;
  llvm::FoldingSetNodeID Id;
  E->Profile(Id, Context, /*Canonical=*/true);
  auto It = llvm::find(Profiles, Id);
  auto Number = static_cast<unsigned>(It - Profiles.begin());
  if (It == Profiles.end())
    Profiles.push_back(Id);
  // Number 0 is taken by variables.
  return Polynomial(Symbol{Symbol::Kind::Parameter, Number + 1});
}

bool HostExpressions::isRepeatable(const Stmt* S) const {
  if (const auto* Member = dyn_cast<MemberExpr>(S); Member && !Member->isArrow())
    if (const auto* Field = dyn_cast<FieldDecl>(Member->getMemberDecl()))
      if (const auto* Ref = dyn_cast<DeclRefExpr>(Member->getBase()->IgnoreParenImpCasts()))
        if (const auto* V = dyn_cast<VarDecl>(Ref->getDecl()))
          return !Changed.changes(V, Field) || Alike->extent(V, Field);
  if (const auto* Ref = dyn_cast<DeclRefExpr>(S))
    if (const auto* V = dyn_cast<VarDecl>(Ref->getDecl()); V && Changed.changes(V))
      return false;
  if (const auto* Call = dyn_cast<CallExpr>(S)) {
    const auto* Member = dyn_cast<CXXMemberCallExpr>(Call);
    if (!Member || !Member->getMethodDecl() || !Member->getMethodDecl()->isConst())
      return false;
  }
  // What a pointer points to may be changed behind its back.
  if (const auto* Member = dyn_cast<MemberExpr>(S);
      Member && Member->isArrow() && !isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts()))
    return false;
  if (const auto* Unary = dyn_cast<UnaryOperator>(S);
      Unary && (Unary->isIncrementDecrementOp() || Unary->getOpcode() == UO_Deref))
    return false;
  if (const auto* Element = dyn_cast<ArraySubscriptExpr>(S);
      Element && !Element->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
    return false;
  if (isa<LambdaExpr>(S))
    return false;
  return llvm::all_of(S->children(),
                      [&](const Stmt* Child) { return !Child || isRepeatable(Child); });
}

} // namespace gpurma
