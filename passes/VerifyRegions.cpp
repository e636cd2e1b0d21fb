// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// VerifyRegions: checks where persistent regions stand, what their clauses name, and whether the
// kernels that they launch can be stages. The text is not changed.
//
//   #pragma gpurma persistent distribute(a : rows(n))
//   k<<<n, 1>>>(a, n);          ->   error: 'persistent' stands before a loop or a block, '{ ... }' [gpurma-0122]
#include "frontend/DynamicRecursiveASTVisitor.h"
#include "passes/BlockNumbers.h"
#include "passes/CallVisitor.h"
#include "passes/CollectedArrays.h"
#include "passes/DivergentBarriers.h"
#include "passes/ExpressionWriter.h"
#include "passes/FunctionCopies.h"
#include "passes/Kernels.h"
#include "passes/LaunchSize.h"
#include "passes/LostEffects.h"
#include "passes/Lvalues.h"
#include "passes/Pass.h"
#include "passes/RegionCalls.h"
#include "passes/StageFunctions.h"
#include "passes/ThreadCooperation.h"
#include "passes/ThreadParts.h"

#include "frontend/SourceText.h"
#include "clang/AST/Attr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallString.h"
#include <optional>
#include <set>

using namespace clang;

namespace gpurma {
namespace {

/// A call that launches a kernel by its address; null if there is none.
const CallExpr* launchingCall(const Stmt* S) {
  const auto* Call = dyn_cast_or_null<CallExpr>(S);
  const FunctionDecl* Callee = Call ? Call->getDirectCallee() : nullptr;
  if (Callee && Callee->getIdentifier() &&
      llvm::is_contained({"cudaLaunchKernel", "cudaLaunchKernelExC", "cudaLaunchKernelEx", "cudaLaunchCooperativeKernel"}, Callee->getName()))
    return Call;
  if (S)
    for (const Stmt* Child : S->children())
      if (const CallExpr* Found = launchingCall(Child))
        return Found;
  return nullptr;
}

/// What a kernel's body and the functions that it calls do that matters to a stage.
class BodyScanner : public CallVisitor {
public:
  explicit BodyScanner(const FunctionDecl* Kernel) : Kernel(Kernel), Useless(uselessBarrier(Kernel)) {
    enter(Kernel);
    visitEntered();
  }

  bool VisitMemberExpr(MemberExpr* Member) override {
    if (const auto* Function = dyn_cast<FunctionDecl>(Member->getMemberDecl());
        Function && isOfGroupLibrary(Function) && identifierOf(Function) == "group_index")
      noteForeign(Function, {}, BlockOfGroup);
    return CallVisitor::VisitMemberExpr(Member);
  }
  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    const ValueDecl* D = Ref->getDecl();
    if (const auto* Function = dyn_cast<FunctionDecl>(D)) {
      if (Function->getIdentifier() && !(Useless && Ref == Useless->getCallee()->IgnoreParenImpCasts()) &&
          (Function->getName().starts_with("__syncthreads") || Function->getName().contains("barrier")))
        HasBarrier = true;
      if (Current != Kernel && identifierOf(Function) == "__ldg")
        noteCachedLoad(*Ref);
      if (isOfGroupLibrary(Function) && isGroupOfBlocks(identifierOf(Function)))
        noteForeign(Function, {}, GroupOfBlocks);
      enter(Function);
    } else if (const auto* Variable = dyn_cast<VarDecl>(D)) {
      if (Variable->hasAttr<CUDASharedAttr>())
        noteShared(*Variable);
      else if (isOfDevice(*Variable))
        DeviceVariables.insert(Variable);
    }
    return true;
  }

  BetweenTiles between() const {
    if (!HasBarrier)
      return BetweenTiles::Nothing;
    bool Copies = !Shared.empty() && SharedBytes && *SharedBytes <= MostCopiedBytes && hasBarrierOfAll();
    return Copies ? BetweenTiles::OtherCopy : BetweenTiles::Barrier;
  }
  /// What the program may change, by names that the host has, too.
  llvm::SetVector<const VarDecl*> DeviceVariables;
  /// A function does what a stage cannot do.
  const FunctionDecl* ForeignUser = nullptr;
  StringRef ForeignName;
  /// As err_stage_foreign has them, behind CopyProblem.
  enum ForeignUse { CachedLoad = static_cast<int>(CopyProblem::Default) + 1, GroupOfBlocks, BlockOfGroup } Foreign = CachedLoad;
  /// The __ldg of functions that the kernel calls.
  llvm::SetVector<const DeclRefExpr*> CachedLoads;

  bool calls(const FunctionDecl* Function) const { return Entered.contains(Function->getCanonicalDecl()); }

private:
  /// More would leave less to the cache, or fewer blocks would fit on a multiprocessor.
  static constexpr uint64_t MostCopiedBytes = 2048;

  static bool isGroupOfBlocks(StringRef Name) { return Name == "this_grid" || Name == "this_multi_grid" || Name == "this_cluster"; }

  static bool isOfDevice(const VarDecl& Variable) {
    QualType Type = Variable.getASTContext().getBaseElementType(Variable.getType());
    return Variable.hasAttr<CUDADeviceAttr>() && !Variable.hasAttr<CUDAConstantAttr>() && Variable.hasGlobalStorage() && !Variable.isStaticLocal() &&
           !Type.isConstQualified() && !isIndexVariable(&Variable) && isPublic(&Variable);
  }

  void noteShared(const VarDecl& Variable) {
    HasBarrier = true;
    if (!Shared.insert(&Variable).second)
      return;
    const ASTContext& Context = Variable.getASTContext();
    // Copies are made with the kernel's body, and not of what the launch sizes.
    if (Current != Kernel || Variable.hasExternalStorage() || Variable.getType()->isDependentType() ||
        Variable.getType()->isIncompleteType())
      SharedBytes.reset();
    else if (SharedBytes)
      *SharedBytes += Context.getTypeSizeInChars(Variable.getType()).getQuantity();
  }

  /// Whether all threads come to a __syncthreads() in every block: it is a statement of the body, and nothing leaves before it.
  bool hasBarrierOfAll() const {
    const FunctionDecl* Definition = nullptr;
    Kernel->hasBody(Definition);
    for (const Stmt* S : cast<CompoundStmt>(Definition->getBody())->body()) {
      const auto* Call = dyn_cast<CallExpr>(S);
      const FunctionDecl* Callee = Call ? Call->getDirectCallee() : nullptr;
      if (Callee && Callee->getIdentifier() && Callee->getName() == "__syncthreads")
        return true;
      if (mayLeave(S))
        return false;
    }
    return false;
  }

  void noteCachedLoad(const DeclRefExpr& Ref) {
    // CUDA's headers know what they do.
    if (Ref.getDecl()->getASTContext().getSourceManager().isInSystemHeader(Ref.getLocation()))
      return;
    if (Ref.getLocation().isMacroID())
      noteForeign(Current, "__ldg", CachedLoad);
    else
      CachedLoads.insert(&Ref);
  }

  void noteForeign(const FunctionDecl* User, StringRef Name, ForeignUse Use) {
    if (ForeignUser)
      return;
    ForeignUser = User;
    ForeignName = Name;
    Foreign = Use;
  }

  const FunctionDecl* Kernel;
  const CallExpr* Useless;
  bool HasBarrier = false;
  llvm::SmallPtrSet<const VarDecl*, 4> Shared;
  /// None: of a size that is not known, or another function's.
  std::optional<uint64_t> SharedBytes = 0;
};

/// The p of p, &*p or &p[0].
const ValueDecl* pointer(const Expr* E) {
  E = E->IgnoreParenCasts();
  if (const auto* Address = dyn_cast<UnaryOperator>(E); Address && Address->getOpcode() == UO_AddrOf)
    if (const Expr* Pointer = dereferenced(Address->getSubExpr()))
      E = Pointer->IgnoreParenCasts();
  const auto* Ref = dyn_cast<DeclRefExpr>(E);
  return Ref ? Ref->getDecl() : nullptr;
}

/// What CUDA has besides, for blocks, is rejected by its name later.
bool isAtomic(const FunctionDecl& Callee, StringRef Wanted) { return identifierOf(&Callee).starts_with(Wanted) || atomicOperation(Callee) == Wanted; }

/// What a kernel does with its parameter for a reduced scalar: atomic operations of the wanted kind, also in functions that it passes the
/// parameter to, and other uses.
class ReducedUse : public DynamicRecursiveASTVisitor {
public:
  ReducedUse(const FunctionDecl* Kernel, const ParmVarDecl* Parameter, StringRef Atomic) : Atomic(Atomic) {
    Parameters.insert(Parameter);
    TraverseStmt(Kernel->getBody());
    for (size_t I = 1; I < Parameters.size(); ++I) {
      Current = I;
      TraverseStmt(cast<FunctionDecl>(Parameters[I]->getDeclContext())->getBody());
    }
  }
  bool TraverseCallExpr(CallExpr* Call) override {
    const FunctionDecl* Callee = Call->getDirectCallee();
    if (Callee && isAtomic(*Callee, Atomic) && Call->getNumArgs() >= 2 && pointer(Call->getArg(0)) == Parameters[Current]) {
      Updates.push_back(Call->getArg(0));
      return TraverseStmt(Call->getArg(1));
    }
    if (Callee && isAtomic(*Callee, Atomic) && Call->getNumArgs() >= 2)
      if (const auto Pointers = alternatives(Call->getArg(0)->IgnoreParenCasts()); Pointers.size() > 1 && !Choice &&
          llvm::any_of(Pointers, [&](const Expr* Each) { return pointer(Each) == Parameters[Current]; }))
        Choice = Call->getArg(0);
    const FunctionDecl* Definition = Callee ? ownDefinition(*Callee) : nullptr;
    if (!Definition)
      return DynamicRecursiveASTVisitor::TraverseCallExpr(Call);
    for (unsigned I = 0; I != Call->getNumArgs(); ++I) {
      if (isPassedAs(*Definition, I, Call->getArg(I)))
        Parameters.insert(Definition->getParamDecl(I));
      else if (!TraverseStmt(Call->getArg(I)))
        return false;
    }
    return true;
  }
  // A reduced scalar is always there.
  bool TraverseImplicitCastExpr(ImplicitCastExpr* Cast) override { return isNullTest(*Cast) || DynamicRecursiveASTVisitor::TraverseImplicitCastExpr(Cast); }
  bool TraverseBinaryOperator(BinaryOperator* E) override { return isNullTest(*E) || DynamicRecursiveASTVisitor::TraverseBinaryOperator(E); }
  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    if (Ref->getDecl() == Parameters[Current] && !Found)
      Found = Ref;
    return true;
  }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr* E) override {
    const auto* Base = dyn_cast<DeclRefExpr>(E->getBase()->IgnoreParenCasts());
    Expr::EvalResult Index;
    bool IsOther = E->getIdx()->isValueDependent() || !E->getIdx()->EvaluateAsInt(Index, Parameters[Current]->getASTContext()) || !Index.Val.getInt().isZero();
    if (Base && Base->getDecl() == Parameters[Current] && !Element && IsOther)
      Element = E;
    return true;
  }
  const DeclRefExpr* Found = nullptr;
  /// sums[1].
  const ArraySubscriptExpr* Element = nullptr;
  /// The first pointer of an atomic operation that may be one of several.
  const Expr* Choice = nullptr;
  /// The pointers that atomic operations are given.
  llvm::SmallVector<const Expr*, 2> Updates;

private:
  bool isPassedAs(const FunctionDecl& Definition, unsigned I, const Expr* Argument) const {
    return I < Definition.getNumParams() && Definition.getParamDecl(I)->getType()->isPointerType() && pointer(Argument) == Parameters[Current];
  }
  bool isNullTest(const Expr& E) const {
    const Expr* Tested = pointerTestedForNull(&E);
    return Tested && pointer(Tested) == Parameters[Current];
  }

  StringRef Atomic;
  /// The kernel's, and those of functions that get it.
  llvm::SmallSetVector<const ParmVarDecl*, 2> Parameters;
  size_t Current = 0;
};

/// What a kernel does with its parameter for an array of reduced scalars: atomic operations on its elements, `atomicAdd(&sums[k], value)`
/// or `atomicAdd(sums + k, value)`, and other uses.
class ElementUse : public DynamicRecursiveASTVisitor {
public:
  ElementUse(const FunctionDecl* Kernel, const ParmVarDecl* Parameter, StringRef Atomic) : Parameter(Parameter), Atomic(Atomic) {
    TraverseStmt(Kernel->getBody());
  }
  bool TraverseCallExpr(CallExpr* Call) override {
    const FunctionDecl* Callee = Call->getDirectCallee();
    Expr* Index = Callee && Call->getNumArgs() >= 2 && isAtomic(*Callee, Atomic) ? indexOf(Call->getArg(0)) : nullptr;
    if (!Index)
      return DynamicRecursiveASTVisitor::TraverseCallExpr(Call);
    Updates.push_back(Call->getArg(0));
    bool Good = TraverseStmt(Index);
    for (unsigned I = 1; I != Call->getNumArgs(); ++I)
      Good = Good && TraverseStmt(Call->getArg(I));
    return Good;
  }
  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    if (Ref->getDecl() == Parameter && !Found)
      Found = Ref;
    return true;
  }
  const DeclRefExpr* Found = nullptr;
  /// The pointers that atomic operations are given.
  llvm::SmallVector<const Expr*, 2> Updates;

private:
  bool isParameter(const Expr* E) const {
    const auto* Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
    return Ref && Ref->getDecl() == Parameter;
  }
  /// Null: it is no element.
  Expr* indexOf(const Expr* Pointer) const {
    Pointer = Pointer->IgnoreParenCasts();
    if (const auto Sum = pointerSum(Pointer);
        Sum && !Sum->IsSubtracted && isParameter(Sum->Pointer))
      return const_cast<Expr*>(Sum->Number);
    const auto* Address = dyn_cast<UnaryOperator>(Pointer);
    const auto* Element =
        Address && Address->getOpcode() == UO_AddrOf ? dyn_cast<ArraySubscriptExpr>(Address->getSubExpr()->IgnoreParens()) : nullptr;
    return Element && isParameter(Element->getLHS()) ? const_cast<Expr*>(Element->getRHS()) : nullptr;
  }

  const ParmVarDecl* Parameter;
  StringRef Atomic;
};

/// What a kernel does with its parameter for a flag: stores, also in functions that it passes the parameter to, and other uses.
class FlagUse : public DynamicRecursiveASTVisitor {
public:
  struct Store {
    /// The pointer, and what is stored.
    const Expr *To, *Value;
  };

  FlagUse(const FunctionDecl* Kernel, const ParmVarDecl* Parameter) {
    Parameters.insert(Parameter);
    TraverseStmt(Kernel->getBody());
    for (size_t I = 1; I < Parameters.size(); ++I) {
      Current = I;
      TraverseStmt(cast<FunctionDecl>(Parameters[I]->getDeclContext())->getBody());
    }
  }
  bool TraverseBinaryOperator(BinaryOperator* E) override {
    const Expr* Pointer = E->getOpcode() == BO_Assign ? dereferenced(E->getLHS()) : nullptr;
    if (!Pointer || pointer(Pointer) != Parameters[Current])
      return DynamicRecursiveASTVisitor::TraverseBinaryOperator(E);
    Stores.push_back({Pointer, E->getRHS()});
    return TraverseStmt(E->getRHS());
  }
  bool TraverseCallExpr(CallExpr* Call) override {
    const FunctionDecl* Definition = Call->getDirectCallee() ? ownDefinition(*Call->getDirectCallee()) : nullptr;
    if (!Definition)
      return DynamicRecursiveASTVisitor::TraverseCallExpr(Call);
    for (unsigned I = 0; I != Call->getNumArgs(); ++I) {
      bool IsPassed = I < Definition->getNumParams() && Definition->getParamDecl(I)->getType()->isPointerType() &&
                      pointer(Call->getArg(I)) == Parameters[Current];
      if (IsPassed)
        Parameters.insert(Definition->getParamDecl(I));
      else if (!TraverseStmt(Call->getArg(I)))
        return false;
    }
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    if (Ref->getDecl() == Parameters[Current] && !Other)
      Other = Ref;
    return true;
  }

  std::vector<Store> Stores;
  const DeclRefExpr* Other = nullptr;

private:
  /// The kernel's, and those of functions.
  llvm::SmallSetVector<const ParmVarDecl*, 4> Parameters;
  size_t Current = 0;
};

class RegionVerifier {
public:
  RegionVerifier(Region& R, Unit& U) : R(R), U(U), Context(U.context()) {}

  void run() {
    if (!checkPlace() || R.isPattern() || !checkClauses() || !checkPuts())
      return;
    if (!findCollected(R, U))
      return;
    KnownBefore.emplace(R);
    for (Stage& S : R.Stages)
      if (!S.Copy && !checkStage(S))
        return;
    for (const LostEffect& Lost : findLostEffects(R.Statement, Context))
      report(Lost.Where->getExprLoc(), Diag::err_region_lost_effect) << Lost.What << Lost.Name << Lost.Where->getSourceRange();
  }

private:
  enum Place { Device, Template, Method, Lambda, OtherRegion };

  DiagnosticBuilder report(SourceLocation Loc, Diag Which) { return U.Diags->report(Loc, Which); }

  bool checkPlace() {
    const Directive& D = R.directive();
    const FunctionDecl* F = R.function();
    std::optional<Place> Wrong;
    const auto* OnDevice = F->getAttr<CUDADeviceAttr>();
    if (F->hasAttr<CUDAGlobalAttr>() || (OnDevice && !OnDevice->isImplicit()))
      Wrong = Device;
    else if (const FunctionDecl* Outer = R.outermostFunction();
             Outer != F && (!Outer || F->isDependentContext() || F->getTemplateInstantiationPattern() ||
                            Outer->getTemplateInstantiationPattern()))
      Wrong = Lambda;
    else if (const auto* M = dyn_cast<CXXMethodDecl>(F); M && M->getParent()->isLocalClass() && !M->getParent()->isLambda())
      Wrong = Method;
    else if (!R.isPattern() && !instanceCondition(F, U.sources()))
      Wrong = Template;
    for (const Region& Other : U.Regions)
      if (&Other != &R && Other.function() == F &&
          U.sources().isPointWithin(U.sources().getFileLoc(R.Loop->getBeginLoc()), U.sources().getFileLoc(Other.Statement->getBeginLoc()),
                                    U.sources().getFileLoc(Other.Statement->getEndLoc())))
        Wrong = OtherRegion;
    if (Wrong) {
      report(D.NameLoc, Diag::err_region_place) << *Wrong;
      return false;
    }
    // Of a loop over a range each instance has the loop by a subscript that it is.
    if (!isa<ForStmt, WhileStmt, DoStmt, CompoundStmt>(R.Statement) &&
        !(R.isPattern() && isa<CXXForRangeStmt>(R.Statement))) {
      report(R.Statement->getBeginLoc(), Diag::err_region_kind);
      return false;
    }
    if (R.Stages.empty() && !R.isPattern()) {
      const CallExpr* Launching = launchingCall(R.Written);
      report(D.NameLoc, Diag::err_region_empty) << (Launching ? 1 : 0) << (Launching ? Launching->getDirectCallee()->getName() : "");
      for (const CallExpr* Call : opaqueCalls(R.Statement, U.sources())) {
        const FunctionDecl* Callee = Call->getDirectCallee();
        report(Call->getBeginLoc(), Diag::note_call_opaque) << (Callee ? "'" + Callee->getNameAsString() + "'" : "what is called here");
      }
      return false;
    }
    if (const CallExpr* Launching = R.isPattern() ? nullptr : launchingCall(R.Statement)) {
      report(Launching->getBeginLoc(), Diag::err_region_empty)
          << 2 << Launching->getDirectCallee()->getName() << Launching->getSourceRange();
      return false;
    }
    return true;
  }

  enum NameProblem { NotDistributed, NotLaunched, Twice, NotPointer, OfDevice, NotNext };

  /// Of an element of an array, whether the one before it is, too, by the same operation.
  bool followsOn(const ReducedScalar& S) const {
    if (&S == R.Reductions.data())
      return false;
    const ReducedScalar& Before = *(&S - 1);
    return Before.Pointer == S.Pointer && Before.Element == S.Element - 1 && Before.Operation == S.Operation && !S.isFlag();
  }

  bool checkClauses() {
    bool Good = true;
    auto Wrong = [&](SourceLocation Loc, NameProblem What, StringRef Name) {
      report(Loc, Diag::err_region_clause_name) << What << Name;
      Good = false;
    };
    std::set<PointerVariable> Named;
    for (const DistributedArray& A : R.Arrays)
      if (!Named.insert(A.Pointer).second)
        Wrong(A.Loc, Twice, A.Pointer.name());
    for (const ReducedScalar& S : R.Reductions)
      if (const VarDecl* V = namedVariable(S.Scalar); V && V->hasAttr<CUDADeviceAttr>()) {
        Wrong(S.Scalar->getBeginLoc(), OfDevice, V->getName());
        noteDeviceVariable(S.Scalar->getBeginLoc(), *V, *U.Diags);
      } else if (!S.Pointer)
        Wrong(S.Scalar->getBeginLoc(), NotPointer,
              spelledText(S.Scalar->getSourceRange(), U.sources(), Context.getLangOpts()).value_or("this"));
      else if (S.Element == 0 ? !Named.insert(S.Pointer).second : llvm::any_of(R.Reductions, [&](const ReducedScalar& Other) {
                 return &Other < &S && Other.Pointer == S.Pointer && Other.Element == S.Element;
               }))
        Wrong(S.Scalar->getBeginLoc(), Twice, S.Pointer->getName());
      else if (S.Element != 0 && !followsOn(S))
        Wrong(S.Scalar->getBeginLoc(), NotNext, spelledText(S.Scalar->getSourceRange(), U.sources(), Context.getLangOpts()).value_or("this"));
    for (const CollectedArray& C : R.Collected)
      if (C.Pointer && !Named.insert(C.Pointer).second)
        Wrong(C.Loc, Twice, C.Pointer->getName());
    for (const HaloClause& H : R.Halos)
      if (!R.findArray(H.Array))
        Wrong(H.Loc, NotDistributed, H.Array.name());
    for (const MapClause& M : R.Maps)
      if (llvm::none_of(R.Stages, [&](const Stage& S) { return S.Kernel && names(M, S.Kernel); }))
        Wrong(M.Loc, NotLaunched, M.Kernel);
    return Good;
  }

  bool checkPuts() {
    bool Good = true;
    for (const RegionPut& Put : R.Puts)
      if (!Put.Launch) {
        report(Put.Appearance.Origin->NameLoc, Diag::err_put_place);
        Good = false;
      }
    for (const Stage& S : R.Stages) {
      std::set<PointerVariable> Named;
      for (const PublishedArray& A : S.Published) {
        bool Again = !Named.insert(A.Array).second;
        if (!Again && R.findArray(A.Array))
          continue;
        report(A.Loc, Diag::err_region_clause_name) << (Again ? Twice : NotDistributed) << A.Array.name();
        Good = false;
      }
    }
    return Good;
  }

  /// Whether the kernel is defined before the region, or is declared there, so that a function with its body can be, too.
  bool isVisible(const FunctionDecl* Kernel) const {
    const FunctionDecl* Pattern = Kernel ? Kernel->getTemplateInstantiationPattern() : nullptr;
    const FunctionDecl* Definition = nullptr;
    if (!Kernel || !(Pattern ? Pattern : Kernel)->hasBody(Definition))
      return false;
    const auto IsBefore = [&](const FunctionDecl* F) { return U.sources().isBeforeInTranslationUnit(F->getLocation(), R.writtenFunction()->getLocation()); };
    return IsBefore(Definition) || (IsBefore(Definition->getFirstDecl()) && canBeDeclaredEarlier(Definition));
  }

  /// What its body becomes has the parameters that the definition has.
  static bool canBeDeclaredEarlier(const FunctionDecl* Definition) {
    const FunctionDecl* First = Definition->getFirstDecl();
    const FunctionTemplateDecl* Template = Definition->getDescribedFunctionTemplate();
    return !isa<CXXMethodDecl>(Definition) && First->getLexicalDeclContext()->isFileContext() &&
           llvm::none_of(Definition->parameters(), [&](const ParmVarDecl* P) { return P->hasDefaultArg() && !P->hasInheritedDefaultArg(); }) &&
           (!Template || llvm::none_of(*Template->getTemplateParameters(), [](const NamedDecl* P) {
             const auto* Type = dyn_cast<TemplateTypeParmDecl>(P);
             const auto* Value = dyn_cast<NonTypeTemplateParmDecl>(P);
             return (Type && Type->hasDefaultArgument() && !Type->defaultArgumentWasInherited()) ||
                    (Value && Value->hasDefaultArgument() && !Value->defaultArgumentWasInherited());
           }));
  }

  bool checkStage(Stage& S) {
    SourceLocation Loc = S.Launch->getBeginLoc();
    if (!isVisible(S.Kernel)) {
      const Expr* Callee = S.Launch->getCallee()->IgnoreParenImpCasts();
      const auto* Ref = dyn_cast<DeclRefExpr>(Callee);
      const bool IsChosen = !Ref || isa<VarDecl>(Ref->getDecl());
      report(Loc, Diag::err_stage_not_visible) << (Ref ? Ref->getDecl()->getNameAsString() : spelledText(Callee->getSourceRange(), U.sources(), Context.getLangOpts()).value_or("this kernel"))
                                               << IsChosen;
      return false;
    }
    // What the region becomes comes before the class, which has the copy of the kernel's body.
    const DeclContext* Class = nullptr;
    for (const DeclContext* Each = R.writtenFunction()->getLexicalDeclContext(); Each->isRecord(); Each = Each->getLexicalParent())
      Class = Each;
    if (Class && Class->Encloses(S.Kernel->getDeclContext())) {
      report(Loc, Diag::err_stage_not_visible) << S.Kernel->getNameAsString() << 2;
      return false;
    }
    BodyScanner Scan(S.Kernel);
    for (const Marker& M : U.Markers)
      if (M.Function && (M.Function->getCanonicalDecl() == S.Kernel->getCanonicalDecl() || Scan.calls(M.Function))) {
        report(Loc, Diag::err_stage_directive) << S.Kernel->getName();
        return false;
      }
    const DivergentBarriers Barriers = findDivergentBarriers(S.Kernel);
    if (Barriers.Other) {
      report(Loc, Diag::err_divergent_barrier) << Barriers.Other->getNameAsString() << S.Kernel->getName();
      report(Barriers.Loc, Diag::note_called_here) << Barriers.Other;
    }
    const std::optional<RejectedCopy> NotCopied = findFunctionCopies(S.Kernel, OwnNames(), U.context()).Rejected;
    if (const NamedDecl* Foreign = Scan.ForeignUser ? Scan.ForeignUser : NotCopied ? NotCopied->Function : nullptr) {
      report(Loc, Diag::err_stage_foreign) << Foreign->getNameAsString() << S.Kernel->getName()
                                           << (Scan.ForeignUser ? Scan.ForeignName : StringRef(NotCopied->Index))
                                           << (Scan.ForeignUser ? static_cast<unsigned>(Scan.Foreign) : static_cast<unsigned>(NotCopied->Why));
      report(Foreign->getLocation(), Diag::note_declared_here) << Foreign;
      return false;
    }
    S.CachedLoads = std::move(Scan.CachedLoads);
    S.Between = Scan.between();
    S.WaitsForStaying = Barriers.Any;
    S.DeviceVariables = std::move(Scan.DeviceVariables);
    return checkForm(S) && checkSetting(S.Block, 0) && checkSetting(S.Shared, 1) && checkReductions(S);
  }

  enum FormProblem { Macro, OutOfClass, Specialized };

  bool checkForm(const Stage& S) {
    const FunctionDecl* Pattern = S.Kernel->getTemplateInstantiationPattern();
    if (!Pattern)
      Pattern = S.Kernel;
    std::optional<FormProblem> Wrong;
    if (Pattern->getLocation().isMacroID() || Pattern->getBody()->getBeginLoc().isMacroID() || Pattern->getEndLoc().isMacroID())
      Wrong = Macro;
    else if (Pattern->isOutOfLine())
      Wrong = OutOfClass;
    else if (S.Kernel->getTemplateSpecializationKind() == TSK_ExplicitSpecialization)
      Wrong = Specialized;
    if (!Wrong)
      return true;
    report(S.Launch->getBeginLoc(), Diag::err_stage_form) << S.Kernel->getName() << *Wrong;
    report(S.Kernel->getLocation(), Diag::note_declared_here) << S.Kernel;
    return false;
  }

  /// The host needs the setting before the region's kernel begins.
  bool checkSetting(const Expr* E, unsigned Which) {
    struct Finder : DynamicRecursiveASTVisitor {
      const Region* R = nullptr;
      const VariablesKnownBefore* Known = nullptr;
      const DeclRefExpr* Found = nullptr;
      bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
        if (const auto* V = dyn_cast<VarDecl>(Ref->getDecl()); V && R->declares(V) && !Known->contains(V))
          Found = Ref;
        return !Found;
      }
    } Find;
    if (!E)
      return true;
    Find.R = &R;
    Find.Known = &*KnownBefore;
    Find.TraverseStmt(const_cast<Expr*>(E));
    // dim3 block; block.x = 32;
    if (Find.Found && Which == 0 && llvm::all_of(constantLaunchSize(E, VariableChanges(R.outermostFunction()->getBody()), Context, R.Statement), [](const auto& Size) { return Size.has_value(); }))
      return true;
    const DeclRefExpr* Changed = Find.Found ? nullptr : changedVariable(*E, *R.Statement);
    if (Changed)
      Find.Found = Changed;
    if (Find.Found)
      report(Find.Found->getLocation(), Diag::err_region_setting)
          << Which << spelledText(Find.Found->getSourceRange(), U.sources(), Context.getLangOpts()).value_or(Find.Found->getDecl()->getNameAsString())
          << (Changed != nullptr);
    return !Find.Found;
  }

  bool checkReductions(Stage& S) {
    for (unsigned I = 0; I != S.Kernel->getNumParams() && I != S.Arguments.size(); ++I) {
      const ReducedScalar* Found = R.reducedAt(S.Arguments[I]);
      if (Found && !checkReduced(S, S.Kernel->getParamDecl(I), R.Reductions[Found - R.Reductions.data()]))
        return false;
    }
    return true;
  }

  /// A launch of one block may be meant to combine what the blocks of another one leave, by stores that are not found.
  void noteBlockNumbers(const Stage& S) {
    const VariableChanges Changes(R.outermostFunction()->getBody());
    if (constantLaunchSize(S.Grid, Changes, U.context()) != std::array<std::optional<std::int64_t>, 3>{1, 1, 1})
      return;
    for (const Expr* Argument : S.Arguments) {
      const VarDecl* V = namedPointer(Argument);
      if (!V || R.findReduction(V) || R.findArray(V))
        continue;
      for (const Stage& Other : R.Stages)
        for (unsigned I = 0; &Other != &S && Other.Kernel && I != Other.Arguments.size() && I != Other.Kernel->getNumParams(); ++I)
          if (const QualType Type = Other.Kernel->getParamDecl(I)->getType();
              Type->isPointerType() && !Type->getPointeeType().isConstQualified() && References(Other.Arguments[I]).mention(V)) {
            report(Other.Launch->getBeginLoc(), Diag::note_numbers_by_function) << V->getName() << S.Kernel->getName();
            return;
          }
    }
  }

  bool checkReduced(Stage& S, const ParmVarDecl* Parameter, ReducedScalar& Scalar) {
    StringRef Atomic = Scalar.Operation == Keyword::Plus  ? "atomicAdd"
                       : Scalar.Operation == Keyword::Max ? "atomicMax"
                                                          : "atomicMin";
    if (readsOnlyScalar(S.Kernel, Parameter))
      return true;
    if (Scalar.isFlag())
      return checkFlag(S, Parameter, Scalar);
    const ReducedUse Use(S.Kernel, Parameter, Atomic);
    if (Use.Found && R.reducedElementsFrom(Scalar).size() > 1)
      return checkElements(S, Parameter, Scalar, Atomic);
    for (const Expr* Pointer : Use.Updates)
      if (!checkUpdated(S, Pointer, Scalar))
        return false;
    if (!Use.Found) {
      if (S.storesNumber(Parameter) || isAddedUpByThreads(S.Kernel, Parameter, Scalar.Scalar->getType(), Atomic))
        S.AddedUpByThreads.push_back(Parameter);
      return true;
    }
    report(Use.Found->getLocation(), Diag::err_stage_reduced)
        << S.Kernel->getName() << Parameter->getName() << spelling(Scalar.Operation);
    if (isOfOneThread(S.Grid, S.Block, VariableChanges(R.outermostFunction()->getBody()), Context))
      report(S.Launch->getBeginLoc(), Diag::note_one_thread);
    noteBlockNumbers(S);
    const FlagUse Stores(S.Kernel, Parameter);
    if (std::optional<APValue> Stored = Stores.Other || Stores.Stores.empty() ? std::nullopt : constant(*Stores.Stores.front().Value))
      report(Stores.Stores.front().To->getExprLoc(), Diag::note_flag)
          << text(*Stored, Scalar.Scalar->getType()) << spelling(isZero(*Stored) ? Keyword::And : Keyword::Or)
          << Scalar.Pointer->getName();
    if (Use.Choice)
      report(Use.Choice->getExprLoc(), Diag::note_reduced_choice);
    if (Use.Element)
      report(Use.Element->getExprLoc(), Diag::note_reduced_element)
          << spelledText(Use.Element->getSourceRange(), U.sources(), Context.getLangOpts()).value_or("this") << Parameter->getName();
    return false;
  }

  /// \p First: of an array of reduced scalars.
  bool checkElements(Stage& S, const ParmVarDecl* Parameter, ReducedScalar& First, StringRef Atomic) {
    const ElementUse Use(S.Kernel, Parameter, Atomic);
    if (!Use.Found && Use.Updates.empty())
      return true;
    if (Use.Found || !Context.hasSameType(Parameter->getType()->getPointeeType(), First.Scalar->getType())) {
      const SourceLocation Where = Use.Found ? Use.Found->getLocation() : Parameter->getLocation();
      report(Where, Diag::err_stage_reduced) << S.Kernel->getName() << Parameter->getName() << spelling(First.Operation);
      report(Where, Diag::note_reduced_elements)
          << Atomic << Parameter->getName() << First.Scalar->getType().getAsString(Context.getPrintingPolicy());
      return false;
    }
    const size_t Begin = &First - R.Reductions.data(), Count = R.reducedElementsFrom(First).size();
    for (const Expr* Pointer : Use.Updates)
      for (size_t I = 0; I != Count; ++I)
        if (!checkUpdated(S, Pointer, R.Reductions[Begin + I]))
          return false;
    S.ReducedElements.push_back(Parameter);
    return true;
  }

  enum FlagProblem { OtherUse, NoConstant, OtherClause, OtherConstant };

  /// All that is stored into a flag by any kernel is the same, so that it does not matter who does.
  bool checkFlag(Stage& S, const ParmVarDecl* Parameter, ReducedScalar& Scalar) {
    const FlagUse Use(S.Kernel, Parameter);
    const bool Clears = Scalar.Operation == Keyword::And;
    std::string Stored, Before;
    auto Wrong = [&](SourceLocation Where, FlagProblem Why) {
      report(Where, Diag::err_stage_flag) << S.Kernel->getName() << Parameter->getName() << spelling(Scalar.Operation) << Clears << Why << Stored << Before
                                          << spelling(Clears ? Keyword::Or : Keyword::And);
      return false;
    };
    for (const FlagUse::Store& Store : Use.Stores) {
      std::optional<APValue> Value = constant(*Store.Value);
      if (!Value)
        return Wrong(Store.Value->getExprLoc(), NoConstant);
      if (!checkUpdated(S, Store.To, Scalar))
        return false;
      Stored = text(*Value, Scalar.Updated);
      if (isZero(*Value) != Clears)
        return Wrong(Store.Value->getExprLoc(), OtherClause);
      if (!Scalar.Stored) {
        Scalar.Stored = Value;
        Scalar.StoredAt = Store.Value->getExprLoc();
      }
      if (!isSame(*Value, *Scalar.Stored)) {
        Before = text(*Scalar.Stored, Scalar.Updated);
        Wrong(Store.Value->getExprLoc(), OtherConstant);
        report(Scalar.StoredAt, Diag::note_flag_stored) << Before;
        return false;
      }
    }
    if (Use.Other)
      return Wrong(Use.Other->getLocation(), OtherUse);
    S.Flags.insert(Parameter);
    if (isAddedUpByThreads(S.Kernel, Parameter, Scalar.Scalar->getType(), /*Atomic=*/{}))
      S.AddedUpByThreads.push_back(Parameter);
    return true;
  }

  /// Converted to the type of the scalar.
  std::optional<APValue> constant(const Expr& Value) const {
    Expr::EvalResult Known;
    bool IsNumber = Value.EvaluateAsRValue(Known, Context) && !Known.HasSideEffects && (Known.Val.isInt() || Known.Val.isFloat());
    return IsNumber ? std::optional(Known.Val) : std::nullopt;
  }
  static bool isZero(const APValue& Value) { return Value.isInt() ? Value.getInt().isZero() : Value.getFloat().isZero(); }
  static bool isSame(const APValue& A, const APValue& B) {
    return A.isInt() ? A.getInt() == B.getInt() : A.getFloat().bitwiseIsEqual(B.getFloat());
  }
  std::string text(const APValue& Value, QualType Type) const {
    llvm::SmallString<16> Number;
    if (Value.isInt())
      return Value.getAsString(Context, Type);
    Value.getFloat().toString(Number);
    return Number.str().str();
  }

  /// The order of a float's bits as an integer is not its own: all updates take the scalar for the same type.
  bool checkUpdated(const Stage& S, const Expr* Pointer, ReducedScalar& Scalar) {
    QualType Own = Context.getCanonicalType(Scalar.Scalar->getType()).getUnqualifiedType();
    QualType Type = Context.getCanonicalType(Pointer->getType()->getPointeeType()).getUnqualifiedType();
    // Sums of signed and unsigned integers are the same bits.
    if (Scalar.Operation == Keyword::Plus && Own->isIntegerType() && Type->isIntegerType() &&
        Context.getTypeSize(Own) == Context.getTypeSize(Type))
      Type = Own;
    bool Sized = Type->isArithmeticType() && Context.getTypeSize(Type) == Context.getTypeSize(Own);
    if (Sized && Scalar.Updated.isNull())
      Scalar.Updated = Type;
    if (Sized && Scalar.Updated == Type)
      return true;
    report(Pointer->getExprLoc(), Diag::err_reduced_type)
        << S.Kernel->getName() << Scalar.Pointer->getName() << Type.getAsString(Context.getPrintingPolicy())
        << (Sized ? Scalar.Updated : Own).getAsString(Context.getPrintingPolicy()) << Sized;
    return false;
  }

  Region& R;
  Unit& U;
  ASTContext& Context;
  std::optional<VariablesKnownBefore> KnownBefore;
};

class VerifyRegions final : public Pass {
public:
  llvm::StringRef name() const override { return "VerifyRegions"; }

  /// False if a variable of a region's function is initialised with itself, as by `int nx = nx;` that should shadow another: whoever asks what it begins
  /// with would ask forever.
  static bool checkInitialisers(Unit& U) {
    struct Finder : DynamicRecursiveASTVisitor {
      explicit Finder(Unit& U) : U(U) {}
      Unit& U;
      llvm::SmallPtrSet<const VarDecl*, 4> Found;
      bool VisitVarDecl(VarDecl* V) override {
        if (const Expr* Init = V->getInit(); Init && !V->getType()->isReferenceType() && reads(Init, V) && Found.insert(V).second)
          U.Diags->report(V->getLocation(), Diag::err_region_variable)
              << V->getName() << ExpressionWriter::OfItself << shortened(spelledText(Init->getSourceRange(), U.sources(), U.context().getLangOpts()).value_or("")) << Init->getSourceRange();
        return true;
      }
      /// As its value: `void* self = &self` is none.
      static bool reads(const Expr* Init, const VarDecl* V) {
        struct Reads : DynamicRecursiveASTVisitor {
          const VarDecl* V = nullptr;
          bool Found = false;
          bool TraverseLambdaExpr(LambdaExpr*) override { return true; }
          bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr*) override { return true; }
          bool VisitImplicitCastExpr(ImplicitCastExpr* Cast) override {
            note(Cast->getCastKind() == CK_LValueToRValue ? Cast->getSubExpr() : nullptr);
            return true;
          }
          bool VisitCXXConstructExpr(CXXConstructExpr* Copy) override {
            note(Copy->getConstructor()->isCopyOrMoveConstructor() ? Copy->getArg(0) : nullptr);
            return true;
          }
          void note(const Expr* Read) {
            while (const auto* Member = dyn_cast_or_null<MemberExpr>(Read ? Read->IgnoreParenImpCasts() : nullptr))
              Read = Member->isArrow() ? nullptr : Member->getBase();
            const auto* Ref = dyn_cast_or_null<DeclRefExpr>(Read ? Read->IgnoreParenImpCasts() : nullptr);
            Found |= Ref && Ref->getDecl() == V;
          }
        } Find;
        Find.V = V;
        Find.TraverseStmt(const_cast<Expr*>(Init));
        return Find.Found;
      }
    } Find(U);
    for (const Region& R : U.Regions) {
      if (const FunctionDecl* Outer = R.outermostFunction(); Outer && Outer->getBody())
        Find.TraverseStmt(Outer->getBody());
      Find.TraverseStmt(const_cast<Stmt*>(R.Statement)); // with the functions that it calls
    }
    return Find.Found.empty();
  }

  void run(Unit& U, Program&) override {
    // The other parse of the CUDA target sees the same regions.
    if (U.Kind == UnitKind::CudaDevice)
      return;
    if (!checkInitialisers(U) || !findBlockNumbers(U))
      return;
    for (Region& R : U.Regions)
      RegionVerifier(R, U).run();
    for (const Marker& M : U.Puts)
      if (llvm::none_of(U.Regions, [&](const Region& R) { return R.isPut(M.Call); }))
        U.Diags->report(M.Origin->NameLoc, Diag::err_put_place);
    for (const Marker& M : U.HostMarkers)
      if (llvm::none_of(U.Regions, [&](const Region& R) { return R.hostPart(M.Call); }))
        U.Diags->report(M.Origin->NameLoc, Diag::err_host_place) << 0;
  }
};

} // namespace

std::unique_ptr<Pass> createVerifyRegions() { return std::make_unique<VerifyRegions>(); }

} // namespace gpurma
