// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// InferStages: what each launch of a persistent region reads and writes, from the kernel's
// subscripts; clauses override.
//
// Before:  lap<<<grid, block>>>(in, out, ny, nx);    in a region with distribute(in, out : rows(ny,
// nx)) After:   the Stage's Accesses: rows y; reads in (x -1..1, y -1..1); writes out (own)
//
// The text is not changed. With -Rgpurma a remark says for each launch what was found.
#include "passes/KernelInterpreter.h"
#include "passes/Pass.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace gpurma {
namespace {

/// Integer expressions of the host as polynomials over the host's variables, so that a kernel's `n`
/// and a shape's `nx` are the same symbol where the launch passes nx for n.
class HostExpressions {
public:
  /// \p Changed: variables that have several values while the region runs; \p EverChanged: the same
  /// of its function.
  HostExpressions(ASTContext& Context, const std::set<const VarDecl*>& Changed,
                  const std::set<const VarDecl*>& EverChanged)
      : Context(Context), Changed(Changed), EverChanged(EverChanged) {}

  /// None if the value may differ from one evaluation to the next.
  std::optional<Polynomial> polynomial(const Expr* E) {
    E = E->IgnoreParenImpCasts();
    if (E->isValueDependent() || !E->getType().getNonReferenceType()->isIntegralOrEnumerationType())
      return std::nullopt;
    Expr::EvalResult Known;
    if (E->EvaluateAsInt(Known, Context) && Known.Val.getInt().isRepresentableByInt64())
      return Polynomial(Known.Val.getInt().getExtValue());
    if (const auto* Cast = dyn_cast<ExplicitCastExpr>(E);
        Cast && Cast->getSubExpr()->getType()->isIntegralOrEnumerationType())
      return polynomial(Cast->getSubExpr());
    if (const auto* Ref = dyn_cast<DeclRefExpr>(E)) {
      const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
      if (!V || Changed.count(V))
        return std::nullopt;
      if (const Expr* Init = lastingValue(V))
        if (std::optional<Polynomial> P = polynomial(Init))
          return P;
      return Polynomial(Symbol{Symbol::Kind::Parameter, 0, V});
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
    }
    if (const auto* Member = dyn_cast<MemberExpr>(E))
      if (const VarDecl* V = structure(Member->getBase()); V && !Member->isArrow())
        if (const auto* Field = dyn_cast<FieldDecl>(Member->getMemberDecl()))
          return Polynomial(Symbol{Symbol::Kind::Parameter, 0, V, Field});
    return sameText(E);
  }

  /// The variable that a structure is, or is copied from; null if it may change.
  const VarDecl* structure(const Expr* E) const {
    E = E->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
    if (const auto* Copy = dyn_cast<CXXConstructExpr>(E);
        Copy && Copy->getConstructor()->isCopyOrMoveConstructor())
      return structure(Copy->getArg(0));
    const auto* Ref = dyn_cast<DeclRefExpr>(E);
    const auto* V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    return V && V->getType().getNonReferenceType()->isRecordType() && !Changed.count(V) ? V
                                                                                        : nullptr;
  }

private:
  /// What a local constant is computed from, if that has still the same value: `const int ny =
  /// size.y;`.
  const Expr* lastingValue(const VarDecl* V) const {
    if (!V->getType().isConstQualified() || !V->hasLocalStorage() || isa<ParmVarDecl>(V) ||
        !V->getInit())
      return nullptr;
    return isLasting(V->getInit()) ? V->getInit() : nullptr;
  }

  bool isLasting(const Stmt* S) const {
    if (const auto* Ref = dyn_cast<DeclRefExpr>(S)) {
      const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
      return V && V->hasLocalStorage() && !V->getType()->isReferenceType() && !EverChanged.count(V);
    }
    if (const auto* Member = dyn_cast<MemberExpr>(S); Member && Member->isArrow())
      return false;
    return isa<DeclRefExpr, MemberExpr, BinaryOperator, ParenExpr, CastExpr, IntegerLiteral>(S) &&
           llvm::all_of(S->children(),
                        [&](const Stmt* Child) { return !Child || isLasting(Child); });
  }

  /// Quotients, results of const member functions: equal if written alike.
  std::optional<Polynomial> sameText(const Expr* E) {
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

  bool isRepeatable(const Stmt* S) const {
    if (const auto* Ref = dyn_cast<DeclRefExpr>(S))
      if (const auto* V = dyn_cast<VarDecl>(Ref->getDecl()); V && Changed.count(V))
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
    if (isa<ArraySubscriptExpr, LambdaExpr>(S))
      return false;
    return llvm::all_of(S->children(),
                        [&](const Stmt* Child) { return !Child || isRepeatable(Child); });
  }

  ASTContext& Context;
  const std::set<const VarDecl*>& Changed;
  const std::set<const VarDecl*>& EverChanged;
  std::vector<llvm::FoldingSetNodeID> Profiles;
};

class StageInference {
public:
  StageInference(Region& R, Unit& U)
      : R(R), U(U), Context(U.context()), ChangedInRegion(changedVariables(R.Statement)),
        ChangedInFunction(changedVariables(R.function()->getBody())),
        Host(Context, ChangedInRegion, ChangedInFunction) {}

  void run() {
    for (const DistributedArray& A : R.Arrays) {
      std::vector<Polynomial> Shape;
      for (const Expr* Extent : A.Shape) {
        std::optional<Polynomial> P = Host.polynomial(Extent);
        if (!P) {
          U.Diags->report(Extent->getExprLoc(), Diag::err_extent_changes)
              << A.Variable->getName() << Extent->getSourceRange();
          return;
        }
        Shape.push_back(std::move(*P));
      }
      Shapes.emplace(A.Variable, std::move(Shape));
    }
    for (Stage& S : R.Stages)
      if (S.Kernel && S.Kernel->getBody())
        infer(S);
  }

private:
  void infer(Stage& S) {
    LaunchFacts Launch;
    std::vector<DistributedParameter> Arrays;
    for (unsigned I = 0; I != S.Kernel->getNumParams() && I != S.Arguments.size(); ++I) {
      const ParmVarDecl* Parameter = S.Kernel->getParamDecl(I);
      const Expr* Argument = S.Arguments[I];
      if (!Parameter->getType()->isPointerType()) {
        if (holdsPointer(Parameter->getType()) && !checkStructure(S, Argument))
          return;
        addValue(Parameter, Argument, Launch.Arguments);
        continue;
      }
      if (!addArray(S, Parameter, Argument, Arrays))
        return;
    }
    if (Arrays.empty())
      return;
    Launch.BlockSize = blockSize(S.Block);
    for (const MapClause& M : R.Maps)
      if (names(M, S.Kernel))
        Launch.RowDimension = M.RowDimension;
    std::optional<KernelAccesses> Found =
        analyzeAccesses(S.Kernel, Arrays, Launch, Context, *U.Diags);
    if (!Found || !checkReductions(S, *Found))
      return;
    S.Accesses = std::move(*Found);
    S.Inferred = true;
    remark(S);
  }

  static bool holdsPointer(QualType Type) {
    const auto* Record = Type.getNonReferenceType()->getAsCXXRecordDecl();
    if (!Record || !Record->hasDefinition())
      return false;
    return llvm::any_of(Record->fields(),
                        [](const FieldDecl* F) {
                          QualType Each = F->getType();
                          while (Each->isArrayType())
                            Each = QualType(Each->getPointeeOrArrayElementType(), 0);
                          return Each->isPointerType() || holdsPointer(Each);
                        }) ||
           llvm::any_of(Record->bases(),
                        [](const CXXBaseSpecifier& Base) { return holdsPointer(Base.getType()); });
  }

  /// A structure hides which arrays it leads to. False after an error.
  bool checkStructure(const Stage& S, const Expr* Argument) {
    for (const VarDecl* V : namedVariables(Argument))
      if (R.findArray(V)) {
        U.Diags->report(Argument->getExprLoc(), Diag::err_array_argument)
            << V->getName() << S.Kernel->getName() << 0 << Argument->getSourceRange();
        return false;
      }
    U.Diags->report(Argument->getExprLoc(), Diag::err_pointer_not_understood)
        << 0 << Argument->getSourceRange();
    return false;
  }

  void addValue(const ParmVarDecl* Parameter, const Expr* Argument, KnownArguments& Known) {
    QualType Type = Parameter->getType();
    if (Type->isIntegralOrEnumerationType() && !Type->isBooleanType()) {
      if (std::optional<Polynomial> P = Host.polynomial(Argument))
        Known.emplace(std::pair(Parameter, nullptr), std::move(*P));
      return;
    }
    const RecordDecl* Record = Type->getAsRecordDecl();
    if (const VarDecl* V = Record ? Host.structure(Argument) : nullptr)
      for (const FieldDecl* Field : Record->fields())
        Known.emplace(std::pair(Parameter, Field), Symbol{Symbol::Kind::Parameter, 0, V, Field});
  }

  /// The distributed variables that an argument may be; empty if it is no choice of variables.
  std::vector<const DistributedArray*> candidates(const Expr* E) const {
    E = E->IgnoreParenCasts();
    if (const auto* Choice = dyn_cast<ConditionalOperator>(E)) {
      std::vector<const DistributedArray*> All = candidates(Choice->getTrueExpr()),
                                           Other = candidates(Choice->getFalseExpr());
      if (All.empty() || Other.empty())
        return {};
      All.insert(All.end(), Other.begin(), Other.end());
      return All;
    }
    const auto* Ref = dyn_cast<DeclRefExpr>(E);
    const auto* V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    if (const DistributedArray* A = R.findArray(V))
      return {A};
    // A pointer of the region itself can be a copy of any of them.
    std::vector<const DistributedArray*> All;
    if (V && U.sources().isPointWithin(U.sources().getFileLoc(V->getLocation()),
                                       U.sources().getFileLoc(R.Statement->getBeginLoc()),
                                       U.sources().getFileLoc(R.Statement->getEndLoc())))
      for (const DistributedArray& A : R.Arrays)
        if (Context.hasSameUnqualifiedType(
                A.Variable->getType()->getPointeeType().getUnqualifiedType(),
                V->getType()->getPointeeType().getUnqualifiedType()))
          All.push_back(&A);
    return All;
  }

  /// False after an error.
  bool addArray(const Stage& S, const ParmVarDecl* Parameter, const Expr* Argument,
                std::vector<DistributedParameter>& Arrays) {
    std::vector<const DistributedArray*> Possible = candidates(Argument);
    if (Possible.empty()) {
      std::set<const VarDecl*> Named = namedVariables(Argument);
      auto Distributed = llvm::find_if(Named, [&](const VarDecl* V) { return R.findArray(V); });
      if (Distributed == Named.end())
        return true;
      U.Diags->report(Argument->getExprLoc(), Diag::err_array_argument)
          << (*Distributed)->getName() << S.Kernel->getName() << 0 << Argument->getSourceRange();
      return false;
    }
    const std::vector<Polynomial>& Shape = Shapes.at(Possible.front()->Variable);
    DistributedParameter Array{Parameter, Shape, {}};
    for (const DistributedArray* A : Possible) {
      if (!(Shapes.at(A->Variable) == Shape)) {
        U.Diags->report(Argument->getExprLoc(), Diag::err_array_argument)
            << A->Variable->getName() << S.Kernel->getName() << 1 << Argument->getSourceRange();
        return false;
      }
      for (const HaloClause& H : R.Halos)
        if (H.Array == A->Variable)
          Array.Halo = StatedHalo{depth(H)};
    }
    Arrays.push_back(std::move(Array));
    return true;
  }

  std::optional<std::int64_t> depth(const HaloClause& H) const {
    Expr::EvalResult Known;
    if (H.Depth && !H.Depth->isValueDependent() && H.Depth->EvaluateAsInt(Known, Context))
      return Known.Val.getInt().getExtValue();
    return std::nullopt;
  }

  /// The sizes that a launch's second setting gives as constants.
  std::array<std::optional<std::int64_t>, 3> blockSize(const Expr* E) const {
    std::array<std::optional<std::int64_t>, 3> Size;
    while (E) {
      E = E->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
      Expr::EvalResult Known;
      if (E->getType()->isIntegralOrEnumerationType()) {
        if (!E->isValueDependent() && E->EvaluateAsInt(Known, Context))
          return {Known.Val.getInt().getExtValue(), 1, 1};
        return {std::nullopt, 1, 1};
      }
      if (const auto* Ref = dyn_cast<DeclRefExpr>(E)) {
        const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
        E = V && !isa<ParmVarDecl>(V) && !ChangedInFunction.count(V) && V->isLocalVarDeclOrParm()
                ? V->getInit()
                : nullptr;
        continue;
      }
      ArrayRef<const Expr*> Sizes;
      if (const auto* Construct = dyn_cast<CXXConstructExpr>(E)) {
        if (Construct->getConstructor()->isCopyOrMoveConstructor()) {
          E = Construct->getArg(0);
          continue;
        }
        Sizes = {Construct->getArgs(), Construct->getNumArgs()};
      } else if (const auto* List = dyn_cast<InitListExpr>(E)) {
        Sizes = {List->getInits(), List->getNumInits()};
      } else {
        return Size;
      }
      Size = {1, 1, 1};
      for (unsigned D = 0; D < 3 && D < Sizes.size(); ++D) {
        const Expr* Each = Sizes[D];
        if (const auto* Default = dyn_cast<CXXDefaultArgExpr>(Each))
          Each = Default->getExpr();
        if (!Each->isValueDependent() && Each->EvaluateAsInt(Known, Context))
          Size[D] = Known.Val.getInt().getExtValue();
        else
          Size[D] = std::nullopt;
      }
      return Size;
    }
    return Size;
  }

  bool checkReductions(const Stage& S, const KernelAccesses& Found) {
    for (const AtomicReduction& A : Found.Reductions) {
      const Expr* Argument = S.Arguments[A.Scalar->getFunctionScopeIndex()]->IgnoreParenCasts();
      const auto* Ref = dyn_cast<DeclRefExpr>(Argument);
      const auto* V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
      if (V && R.findReduction(V))
        continue;
      U.Diags->report(A.Where->getExprLoc(), Diag::err_not_reduced)
          << A.Scalar->getName()
          << (A.Op == AtomicReduction::Add   ? "+"
              : A.Op == AtomicReduction::Max ? "max"
                                             : "min")
          << (V ? V->getName() : "scalar") << A.Where->getSourceRange();
      return false;
    }
    return true;
  }

  void remark(const Stage& S) {
    std::vector<std::string> Parts;
    for (const ArrayAccess& A : S.Accesses.Arrays)
      if (A.Reads) {
        const AxisAccess& Rows = (*A.Reads)[S.Accesses.RowDimension];
        std::string Text = "reads '" + A.Array->getName().str() + "'";
        if (Rows.Whole)
          Text += " in all rows";
        else if (std::int64_t Halo = std::max(-Rows.Low, Rows.High); Halo > 0)
          Text += " with halo " + std::to_string(Halo);
        Parts.push_back(std::move(Text));
      }
    for (const ArrayAccess& A : S.Accesses.Arrays)
      if (A.Writes)
        Parts.push_back("writes '" + A.Array->getName().str() + "'");
    for (const AtomicReduction& A : S.Accesses.Reductions)
      Parts.push_back("reduces '*" + A.Scalar->getName().str() + "'");
    U.Diags->report(S.Launch->getBeginLoc(), Diag::remark_stage)
        << S.Kernel->getName() << llvm::join(Parts, ", ");
  }

  Region& R;
  Unit& U;
  ASTContext& Context;
  std::set<const VarDecl*> ChangedInRegion, ChangedInFunction;
  HostExpressions Host;
  std::map<const VarDecl*, std::vector<Polynomial>> Shapes;
};

class InferStages final : public Pass {
public:
  llvm::StringRef name() const override { return "InferStages"; }

  void run(Unit& U, Program&) override {
    // The other parse of the CUDA target sees the same regions.
    if (U.Kind == UnitKind::CudaDevice)
      return;
    for (Region& R : U.Regions)
      if (R.function() && !R.function()->isDependentContext())
        StageInference(R, U).run();
  }

  void print(const Program& P, llvm::raw_ostream& Out) const override {
    for (const std::unique_ptr<Unit>& U : P.Units)
      for (const Region& R : U->Regions)
        for (const Stage& S : R.Stages) {
          if (!S.Kernel)
            continue;
          PresumedLoc Place =
              U->sources().getPresumedLoc(U->sources().getFileLoc(S.Launch->getBeginLoc()));
          Out << llvm::sys::path::filename(Place.getFilename()) << ':' << Place.getLine()
              << ": stage " << S.Kernel->getName() << ": ";
          gpurma::print(S.Accesses, Out);
          Out << '\n';
        }
  }
};

} // namespace

std::unique_ptr<Pass> createInferStages() {
  return std::make_unique<InferStages>();
}

} // namespace gpurma
