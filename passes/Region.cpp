// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Region.h"
#include "frontend/Directives.h"
#include "frontend/DynamicRecursiveASTVisitor.h"
#include "passes/ArrayCopies.h"
#include "passes/ConstantMembers.h"
#include "passes/ConstructedMembers.h"
#include "passes/Lvalues.h"
#include "passes/NodeBuilder.h"
#include "passes/VariableChanges.h"
#include "passes/VariableUses.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <climits>

using namespace clang;

namespace gpurma {
namespace {

class LaunchCollector : public DynamicRecursiveASTVisitor {

public:
  /// With a region, its copies and fills of arrays are found, too.
  explicit LaunchCollector(std::vector<Stage>& Stages, const Region* Copying = nullptr) : Stages(Stages), Copying(Copying) {}

  bool TraverseStmt(Stmt* S) override {
    bool IsOutermost = !Loop && isa_and_nonnull<ForStmt, WhileStmt, DoStmt>(S);
    if (IsOutermost)
      Loop = S;
    bool Continue = DynamicRecursiveASTVisitor::TraverseStmt(S);
    if (IsOutermost)
      Loop = nullptr;
    return Continue;
  }

  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr* Launch) override {
    Stage S;
    S.Launch = Launch;
    S.Loop = Loop;
    const auto* Ref = dyn_cast<DeclRefExpr>(Launch->getCallee()->IgnoreParenImpCasts());
    if (const auto* Kernel = Ref ? dyn_cast<FunctionDecl>(Ref->getDecl()) : nullptr)
      S.Kernel = Kernel->getDefinition();
    const CallExpr* Config = Launch->getConfig();
    const Expr** Settings[] = {&S.Grid, &S.Block, &S.Shared, &S.Stream};
    for (unsigned I = 0; I != std::size(Settings) && I < Config->getNumArgs(); ++I)
      if (!isa<CXXDefaultArgExpr>(Config->getArg(I)))
        *Settings[I] = Config->getArg(I);
    S.Arguments.assign(Launch->arg_begin(), Launch->arg_end());
    Stages.push_back(std::move(S));
    return true;
  }

  bool VisitCallExpr(CallExpr* Call) override {
    // Both forms of a list in braces are visited.
    if (!Copying || !isCopyStage(*Call, *Copying) || llvm::any_of(Stages, [&](const Stage& S) { return S.Copy == Call; }))
      return true;
    Stage S;
    S.Copy = Call;
    S.Loop = Loop;
    S.Arguments.assign(Call->arg_begin(), Call->arg_end());
    Stages.push_back(std::move(S));
    return true;
  }

private:
  std::vector<Stage>& Stages;
  const Region* Copying;
  const Stmt* Loop = nullptr;
};

/// The marker call that a statement is.
const Stmt* callOf(const Stmt* S) {
  const auto* E = dyn_cast<Expr>(S);
  return E ? E->IgnoreImplicit() : S;
}

/// Finds the puts of a region and the launch behind each.
class PutCollector : public DynamicRecursiveASTVisitor {
public:
  PutCollector(Region& R, ArrayRef<Marker> All) : R(R), All(All) {}

  bool VisitCallExpr(CallExpr* Call) override {
    if (const Marker* M = markerOf(Call))
      R.Puts.push_back({*M, Behind.lookup(Call)});
    return true;
  }

  /// Comes before the calls in it.
  bool VisitCompoundStmt(CompoundStmt* Block) override {
    llvm::SmallVector<const Stmt*, 2> Waiting;
    for (const Stmt* S : Block->body()) {
      if (markerOf(callOf(S))) {
        Waiting.push_back(callOf(S));
        continue;
      }
      for (const Stmt* Put : Waiting)
        Behind[Put] = launchOf(S);
      Waiting.clear();
    }
    return true;
  }

private:
  const Marker* markerOf(const Stmt* S) const {
    auto It = llvm::find_if(All, [&](const Marker& M) { return M.Call == S; });
    return It == All.end() ? nullptr : &*It;
  }

  /// The statement itself, or the only launch of what a macro makes of it.
  static const CUDAKernelCallExpr* launchOf(const Stmt* S) {
    if (const auto* E = dyn_cast<Expr>(S))
      if (const auto* Launch = dyn_cast<CUDAKernelCallExpr>(E->IgnoreUnlessSpelledInSource()))
        return Launch;
    if (!S->getBeginLoc().isMacroID())
      return nullptr;
    std::vector<Stage> Launched;
    LaunchCollector(Launched).TraverseStmt(const_cast<Stmt*>(S));
    return Launched.size() == 1 ? Launched.front().Launch : nullptr;
  }

  Region& R;
  ArrayRef<Marker> All;
  llvm::DenseMap<const Stmt*, const CUDAKernelCallExpr*> Behind;
};

} // namespace

bool names(const MapClause& M, const FunctionDecl* Kernel) {
  return M.Kernel == Kernel->getNameAsString() || M.Kernel == Kernel->getQualifiedNameAsString() ||
         M.Kernel == "::" + Kernel->getQualifiedNameAsString();
}

const FunctionDecl* outermostFunction(const FunctionDecl* F) {
  for (const auto* M = dyn_cast<CXXMethodDecl>(F); M && M->getParent()->isLambda(); M = dyn_cast_or_null<CXXMethodDecl>(F))
    F = dyn_cast<FunctionDecl>(M->getParent()->getDeclContext());
  return F;
}

const FunctionDecl* Region::writtenFunction() const {
  const FunctionDecl* F = outermostFunction();
  const FunctionDecl* Pattern = F ? F->getTemplateInstantiationPattern() : nullptr;
  return Pattern ? Pattern : F;
}

const DistributedArray* Region::findArray(const PointerVariable& Pointer) const {
  auto It = llvm::find_if(Arrays, [&](const DistributedArray& A) { return A.Pointer == Pointer; });
  return Pointer && It != Arrays.end() ? &*It : nullptr;
}

const ReducedScalar* Region::findReduction(const VarDecl* Pointer) const {
  auto It = llvm::find_if(Reductions, [&](const ReducedScalar& R) { return R.Pointer == Pointer; });
  return Pointer && It != Reductions.end() ? &*It : nullptr;
}

ArrayRef<ReducedScalar> Region::reducedElements(const VarDecl* Pointer) const {
  return ArrayRef(Reductions).drop_until([&](const ReducedScalar& R) { return R.Pointer == Pointer; }).take_while([&](const ReducedScalar& R) {
    return R.Pointer == Pointer;
  });
}

ArrayRef<ReducedScalar> Region::reducedElementsFrom(const ReducedScalar& First) const {
  const ArrayRef<ReducedScalar> All = reducedElements(First.Pointer);
  return All.drop_front(&First - All.data());
}

/// A constant that is not negative.
static std::optional<std::int64_t> elementNumber(const Expr& Index, const ASTContext& Context) {
  const std::optional<llvm::APSInt> Number = Index.isValueDependent() ? std::nullopt : Index.getIntegerConstantExpr(Context);
  return Number && *Number >= 0 && Number->getActiveBits() < 32 ? std::optional(Number->getExtValue()) : std::nullopt;
}

const ReducedScalar* Region::reducedElement(const Expr* Scalar) const {
  const auto [Pointer, Element] = namedElement(Scalar);
  const ArrayRef<ReducedScalar> Elements = Pointer ? reducedElements(Pointer) : ArrayRef<ReducedScalar>();
  return static_cast<size_t>(Element) < Elements.size() ? &Elements[static_cast<size_t>(Element)] : nullptr;
}

const ReducedScalar* Region::reducedAt(const Expr* Pointer) const {
  Pointer = Pointer->IgnoreParenCasts();
  if (const auto* Address = dyn_cast<UnaryOperator>(Pointer); Address && Address->getOpcode() == UO_AddrOf)
    return reducedElement(Address->getSubExpr());
  const std::optional<PointerSum> Sum = pointerSum(Pointer);
  const auto* Ref = dyn_cast<DeclRefExpr>(
      Sum && !Sum->IsSubtracted ? Sum->Pointer->IgnoreParenImpCasts() : Pointer);
  const auto* V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!V || !Sum)
    return findReduction(V);
  const std::optional<std::int64_t> Element = elementNumber(*Sum->Number, V->getASTContext());
  const ArrayRef<ReducedScalar> Elements = reducedElements(V);
  return Element && static_cast<size_t>(*Element) < Elements.size() ? &Elements[static_cast<size_t>(*Element)] : nullptr;
}

const CollectedArray* Region::findCollected(const Expr* Argument) const {
  std::set<const VarDecl*> Named = namedVariables(Argument);
  auto It = llvm::find_if(Collected, [&](const CollectedArray& C) { return Named.count(C.Pointer); });
  return It == Collected.end() ? nullptr : &*It;
}

const FusedLaunches* Region::fusedWith(const Stage& S) const {
  const auto Index = static_cast<size_t>(&S - Stages.data());
  auto It = llvm::find_if(Fused, [&](const FusedLaunches& F) {
    return llvm::any_of(F.Members, [&](const FusedLaunches::Member& Each) { return Each.Stage == Index; });
  });
  return It == Fused.end() ? nullptr : &*It;
}

bool VariablesKnownBefore::isChanged(const VarDecl* V) const {
  return R.Kept.contains(V) ||
         llvm::any_of(Named.All, [&](const DeclRefExpr* Ref) { return Ref->getDecl() == V && !Reads.contains(Ref); });
}

/// Without variables that the region changes, or that cannot be known, and what may be memory.
bool VariablesKnownBefore::isKnown(const Stmt* S) const {
  if (const auto* Ref = dyn_cast<DeclRefExpr>(S)) {
    const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
    return !V || (R.declares(V) ? contains(V) : !isChanged(V));
  }
  if (const auto* Member = dyn_cast<MemberExpr>(S)) {
    const VarDecl* V = Member->isArrow() ? nullptr : namedVariable(Member->getBase());
    if (V && !isChanged(V) && constantMember(Member, V->getASTContext()))
      return true;
  }
  if (isa<CallExpr, LambdaExpr, ArraySubscriptExpr, CXXNewExpr, StmtExpr>(S))
    return false;
  if (const auto* Unary = dyn_cast<UnaryOperator>(S); Unary && (Unary->isIncrementDecrementOp() || Unary->getOpcode() == UO_Deref))
    return false;
  if (const auto* Binary = dyn_cast<BinaryOperator>(S); Binary && Binary->isAssignmentOp())
    return false;
  if (const auto* Member = dyn_cast<MemberExpr>(S); Member && Member->isArrow())
    return false;
  return llvm::all_of(S->children(), [&](const Stmt* Child) { return !Child || isKnown(Child); });
}

const HostPart* Region::hostPart(const CallExpr* Marker) const {
  auto It = llvm::find_if(HostParts, [&](const HostPart& P) { return P.Call == Marker; });
  return It == HostParts.end() ? nullptr : &*It;
}

bool Region::isPut(const Stmt* S) const {
  return llvm::any_of(Puts, [&](const RegionPut& P) { return P.Appearance.Call == callOf(S); });
}

void addHostParts(Region& R, std::vector<HostPart> Parts, const llvm::DenseMap<const VarDecl*, VarDecl*>& Copies) {
  for (HostPart& P : Parts) {
    llvm::SetVector<const VarDecl*> Named;
    for (const DeclRefExpr* Ref : References(P.Statement).All)
      if (const auto* V = dyn_cast<VarDecl>(Ref->getDecl()))
        Named.insert(V);
    for (const VarDecl* V : Named) {
      const VarDecl* Copy = Copies.lookup(V);
      if (R.declares(Copy ? Copy : V))
        P.Variables.push_back({V, Copy ? Copy : V});
    }
    llvm::sort(P.Variables, [](const auto& A, const auto& B) { return A.first->getLocation() < B.first->getLocation(); });
  }
  R.HostParts = std::move(Parts);
  R.Kept = keptVariables(R.Statement, R.HostParts);
}

/// Of an entry of a clause: the pointers of an array, or the one that it is, null after an error.
static std::vector<PointerVariable> namedPointers(const Expr* E) {
  PointerVariable Named = pointerVariable(E);
  return Named ? Named.elements() : std::vector<PointerVariable>{Named};
}

void addPuts(Region& R, ArrayRef<Marker> Puts, ASTContext& Context) {
  PutCollector(R, Puts).TraverseStmt(const_cast<Stmt*>(R.Statement));
  for (const RegionPut& Put : R.Puts) {
    auto It = llvm::find_if(R.Stages, [&](const Stage& S) { return S.Launch && S.Launch == Put.Launch; });
    const Clause& C = *Put.Appearance.Origin->find(ClauseKind::Subject);
    std::optional<llvm::APSInt> Depth = userConstant(Put.Appearance.argument(C.Exprs[C.Left]), Context);
    for (unsigned I = 0; I != C.Left && It != R.Stages.end(); ++I)
      for (PointerVariable& Pointer : namedPointers(Put.Appearance.argument(C.Exprs[I])))
        It->Published.push_back({std::move(Pointer), Depth ? static_cast<std::int64_t>(Depth->getLimitedValue(INT_MAX)) : 0,
                                 C.Exprs[I].Range.getBegin()});
  }
}

/// Of CUDA, or of what stands for it.
static bool isNamedStruct(QualType Type, StringRef Name) {
  const RecordDecl* Record = Type->getAsRecordDecl();
  return Record && identifierOf(Record) == Name && Record->getDeclContext()->getRedeclContext()->isTranslationUnit();
}

/// make_int2 and its kin.
static bool makesVector(const CallExpr& Call) {
  const FunctionDecl* Function = Call.getDirectCallee();
  StringRef Name = identifierOf(Function);
  return Name.consume_front("make_") && isNamedStruct(Call.getType(), Name);
}

PassedPointer passedFor(const Expr* Argument, ArrayRef<const FieldDecl*> Members) {
  auto Named = [](const Expr* Expression, PointerVariable Element) {
    return PassedPointer{Expression, Element.isAnyElement() ? PointerVariable() : Element, Element};
  };
  if (Members.empty())
    return Named(Argument, anyPointerVariable(Argument));
  const Expr* E = Argument->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
  if (const auto* Copy = dyn_cast<CXXConstructExpr>(E); Copy && Copy->getConstructor()->isCopyOrMoveConstructor())
    return passedFor(Copy->getArg(0), Members);
  if (PointerVariable Structure = anyPointerVariable(E)) {
    Structure.Members.insert(Structure.Members.end(), Members.begin(), Members.end());
    return Named(nullptr, std::move(Structure));
  }
  const unsigned Index = Members.front()->getFieldIndex();
  const auto* Construct = dyn_cast<CXXConstructExpr>(E);
  const Expr* Value = nullptr;
  if (const auto* List = dyn_cast<InitListExpr>(E)) {
    // Bases come first.
    const auto* Class = List->getType()->getAsCXXRecordDecl();
    const CXXBaseSpecifier* Base = baseOf(Class, Members.front());
    const auto At = Base ? static_cast<unsigned>(Base - Class->bases_begin()) : Class ? Class->getNumBases() + Index : 0;
    Value = Class && At < List->getNumInits() ? List->getInit(At) : nullptr;
    if (Base && Value)
      return passedFor(Value, Members);
  } else if (const auto* Call = dyn_cast<CallExpr>(E); Call && makesVector(*Call)) {
    Value = Index < Call->getNumArgs() ? Call->getArg(Index) : nullptr;
  } else if (Construct && isNamedStruct(Construct->getType(), "dim3")) {
    Value = Index < Construct->getNumArgs() ? Construct->getArg(Index) : nullptr;
  } else if (Construct) {
    Value = constructedMember(*Construct, Members.front());
  }
  return Value ? passedFor(Value, Members.drop_front()) : PassedPointer();
}

PassedPointer passedFor(const Stage& S, const PointerVariable& InKernel) {
  unsigned I = cast<ParmVarDecl>(InKernel.Variable)->getFunctionScopeIndex();
  return I < S.Arguments.size() ? passedFor(S.Arguments[I], InKernel.Members) : PassedPointer();
}

void MemberReferences::replaceIn(Stmt* S) {
  replaceExpressions(S, [&](Expr* E) -> Expr* {
    const auto* Member = dyn_cast<MemberExpr>(E);
    return Member && isNamed(*Member) ? reference(*Member) : nullptr;
  });
}

bool MemberReferences::isNamed(const MemberExpr& Member) {
  const auto* Field = dyn_cast<FieldDecl>(Member.getMemberDecl());
  return Field && Field->getIdentifier() && !Field->isBitField() && !Member.hasQualifier() &&
         isa<CXXThisExpr>(Member.getBase()->IgnoreParenImpCasts());
}

Expr* MemberReferences::reference(const MemberExpr& Member) {
  auto* Field = cast<FieldDecl>(Member.getMemberDecl());
  VarDecl*& Reference = References[Field];
  const NodeBuilder Build(Context);
  if (!Reference)
    Reference = Build.standIn(Function, Field->getIdentifier(), Context.getLValueReferenceType(Member.getType()), const_cast<MemberExpr*>(&Member),
                              Field->getLocation());
  return Build.name(Reference, Member.getMemberLoc());
}

const Expr* dereferenced(const Expr* E) {
  E = E->IgnoreParens();
  if (const auto* Deref = dyn_cast<UnaryOperator>(E); Deref && Deref->getOpcode() == UO_Deref)
    return Deref->getSubExpr();
  const auto* Element = dyn_cast<ArraySubscriptExpr>(E);
  const auto* Index = Element ? dyn_cast<IntegerLiteral>(Element->getIdx()->IgnoreParenImpCasts()) : nullptr;
  return Index && Index->getValue().isZero() ? Element->getBase() : nullptr;
}

const VarDecl* pointerOf(const Expr* Scalar) {
  const Expr* Pointer = dereferenced(Scalar);
  const auto* Ref = Pointer ? dyn_cast<DeclRefExpr>(Pointer->IgnoreParenImpCasts()) : nullptr;
  return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
}

std::pair<const VarDecl*, std::int64_t> namedElement(const Expr* Scalar) {
  const auto* Subscript = dyn_cast<ArraySubscriptExpr>(Scalar->IgnoreParenImpCasts());
  const auto* Ref = Subscript ? dyn_cast<DeclRefExpr>(Subscript->getBase()->IgnoreParenImpCasts()) : nullptr;
  const auto* Pointer = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!Pointer)
    return {pointerOf(Scalar), 0};
  const std::optional<std::int64_t> Element = elementNumber(*Subscript->getIdx(), Pointer->getASTContext());
  return {Element ? Pointer : nullptr, Element.value_or(0)};
}

const FieldDecl* memberOfObject(const VarDecl* V) {
  const auto* Member = V->isImplicit() ? dyn_cast_or_null<MemberExpr>(V->getInit()) : nullptr;
  return Member && isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts()) ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr;
}

const ValueDecl* placeOf(const VarDecl* V) {
  const FieldDecl* Member = V ? memberOfObject(V) : nullptr;
  return Member ? static_cast<const ValueDecl*>(Member) : V;
}

const ValueDecl* namedPlace(const Expr* E) {
  E = E->IgnoreParenImpCasts();
  if (const auto* Member = dyn_cast<MemberExpr>(E); Member && isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts()))
    return dyn_cast<FieldDecl>(Member->getMemberDecl());
  return placeOf(namedVariable(E));
}

namespace {
struct DeclCollector : DynamicRecursiveASTVisitor {
  explicit DeclCollector(llvm::DenseSet<const VarDecl*>& Declared) : Declared(Declared) {}
  bool VisitVarDecl(VarDecl* V) override {
    Declared.insert(V);
    return true;
  }
  llvm::DenseSet<const VarDecl*>& Declared;
};
} // namespace

Region makeRegion(const Marker& Appearance, const WhileStmt* Loop) {
  Region R;
  R.Appearance = Appearance;
  R.Loop = Loop;
  R.Statement = R.Written = Loop->getBody();
  DeclCollector(R.Locals).TraverseStmt(const_cast<Stmt*>(R.Statement));
  for (const Clause& C : Appearance.Origin->Clauses) {
    auto Argument = [&](unsigned I) { return Appearance.argument(C.Exprs[I]); };
    switch (C.Kind) {
    case ClauseKind::Distribute:
      for (unsigned I = 0; I != C.Left; ++I)
        for (PointerVariable& Pointer : namedPointers(Argument(I))) {
          DistributedArray A;
          A.Pointer = std::move(Pointer);
          A.Loc = C.Exprs[I].Range.getBegin();
          if (C.HasComponents)
            A.Components = Argument(C.Left);
          for (unsigned Extent = C.Left + C.HasComponents; Extent != C.Exprs.size(); ++Extent)
            A.Shape.push_back(Argument(Extent));
          R.Arrays.push_back(std::move(A));
        }
      break;
    case ClauseKind::Halo:
      for (unsigned I = 0; I != C.Left; ++I)
        for (PointerVariable& Pointer : namedPointers(Argument(I)))
          R.Halos.push_back({std::move(Pointer), Argument(C.Left), C.Exprs[I].Range.getBegin()});
      break;
    case ClauseKind::Collect:
      for (unsigned I = 0; I != C.Left; ++I)
        R.Collected.push_back({namedVariable(Argument(I)), Argument(C.Left), C.Exprs[I].Range.getBegin()});
      break;
    case ClauseKind::Reduce:
      for (unsigned I = 0; I != C.Exprs.size(); ++I) {
        const Expr* Scalar = Argument(I);
        const auto [Pointer, Element] = Scalar ? namedElement(Scalar) : std::pair<const VarDecl*, std::int64_t>();
        R.Reductions.push_back({C.Word, Scalar, Pointer, Element});
      }
      break;
    case ClauseKind::Map:
      R.Maps.push_back({C.Name, C.Word == Keyword::X ? 0u : C.Word == Keyword::Y ? 1u : 2u, C.NameLoc});
      break;
    default:
      break;
    }
  }
  LaunchCollector(R.Stages, &R).TraverseStmt(const_cast<Stmt*>(R.Statement));
  return R;
}

} // namespace gpurma
