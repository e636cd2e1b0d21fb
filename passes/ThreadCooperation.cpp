// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ThreadCooperation.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "passes/CallVisitor.h"
#include "passes/EditSet.h"
#include "passes/FunctionCopies.h"
#include "passes/VariableUses.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <array>
#include <utility>

using namespace clang;

namespace gpurma {

namespace {

/// Or of lanes of a warp.
bool isBarrier(const FunctionDecl& Function) {
  const StringRef Name = identifierOf(&Function);
  return Name.starts_with("__sync") || Name.starts_with("__barrier") || (Name.contains("barrier") && !ownDefinition(Function));
}

bool isExchange(StringRef Name) {
  return llvm::any_of(std::array<StringRef, 7>{"__shfl", "__ballot", "__any", "__all", "__reduce", "__match", "__activemask"},
                      [&](StringRef Prefix) { return Name.starts_with(Prefix); });
}

} // namespace

bool isBlockBarrier(const FunctionDecl& Function) {
  const StringRef Name = identifierOf(&Function);
  if (!isOfGroupLibrary(&Function))
    return isBarrier(Function) && Name != "__syncwarp";
  const auto* Method = dyn_cast<CXXMethodDecl>(&Function);
  return Name == "sync" ||
         (Method && !isa<CXXConstructorDecl>(Method) &&
          identifierOf(Method->getParent()).starts_with("Block")); // cub::BlockReduce
}

bool isExchangeByMask(StringRef Function) { return Function == "__syncwarp" || (isExchange(Function) && Function.ends_with("_sync")); }

namespace {

class CooperationFinder : public CallVisitor {
public:
  enum Kinds { All, Together, Hidden, Exchanges };

  explicit CooperationFinder(const FunctionDecl* Kernel, Kinds Wanted = All, const CallExpr* Useless = nullptr)
      : Kernel(Kernel), Useless(Useless), Wanted(Wanted) {
    enter(Kernel);
    visitEntered();
  }
  /// Of a statement of the kernel.
  CooperationFinder(const FunctionDecl* Kernel, const Stmt* S) : Kernel(Kernel), Useless(uselessBarrier(Kernel)), Wanted(Exchanges) {
    Current = Kernel;
    Entered.insert(Kernel->getCanonicalDecl());
    if (TraverseStmt(const_cast<Stmt*>(S)))
      visitEntered();
  }

  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    const ValueDecl* D = Ref->getDecl();
    if (Useless && Ref == Useless->getCallee()->IgnoreParenImpCasts())
      return true;
    if (const auto* Function = dyn_cast<FunctionDecl>(D))
      return call(Function, Ref->getExprLoc());
    if (D->hasAttr<CUDASharedAttr>())
      return note(ThreadCooperation::SharedMemory, D, Ref->getExprLoc());
    if (Current != Kernel && isIndexVariable(D))
      return note(ThreadCooperation::OtherFunction, D, Ref->getExprLoc());
    return true;
  }
  bool VisitMemberExpr(MemberExpr* Member) override {
    const auto* Function = dyn_cast<FunctionDecl>(Member->getMemberDecl());
    return !Function || call(Function, Member->getExprLoc());
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* Construct) override { return call(Construct->getConstructor(), Construct->getExprLoc()); }
  bool VisitGCCAsmStmt(GCCAsmStmt* Assembly) override {
    Found = ThreadCooperation{ThreadCooperation::Assembly, "asm", Assembly->getBeginLoc()};
    return false;
  }

  std::optional<ThreadCooperation> Found;

private:
  bool call(const FunctionDecl* Function, SourceLocation Loc) {
    StringRef Name = identifierOf(Function);
    if (isOfGroupLibrary(Function))
      return note(ThreadCooperation::Exchange, Function, Loc);
    if (isBarrier(*Function))
      return note(ThreadCooperation::Barrier, Function, Loc);
    if (isExchange(Name))
      return note(ThreadCooperation::Exchange, Function, Loc);
    // What CUDA's headers and the C++ library make of these is theirs to know.
    if (!Kernel->getASTContext().getSourceManager().isInSystemHeader(Function->getLocation()))
      enter(Function);
    return true;
  }

  bool isWanted(ThreadCooperation::Kind How, const NamedDecl* What) const {
    if (Wanted == Hidden)
      return How == ThreadCooperation::Exchange && isOfGroupLibrary(What);
    if (How == ThreadCooperation::OtherFunction)
      return Wanted == All;
    return Wanted != Exchanges || How != ThreadCooperation::SharedMemory || Current != Kernel;
  }

  bool note(ThreadCooperation::Kind How, const NamedDecl* What, SourceLocation Loc) {
    if (!isWanted(How, What))
      return true;
    Found = ThreadCooperation{How, What->getNameAsString(), Loc};
    return false;
  }

  const FunctionDecl* Kernel;
  const CallExpr* Useless;
  Kinds Wanted;
};

/// Whether a function lets all threads of a block wait for each other.
class BlockBarrierFinder : public CallVisitor {
public:
  explicit BlockBarrierFinder(const FunctionDecl* Function) {
    call(Function);
    visitEntered();
  }
  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    const auto* Function = dyn_cast<FunctionDecl>(Ref->getDecl());
    return !Function || call(Function);
  }
  bool VisitMemberExpr(MemberExpr* Member) override {
    const auto* Function = dyn_cast<FunctionDecl>(Member->getMemberDecl());
    return !Function || call(Function);
  }
  bool Found = false;

private:
  bool call(const FunctionDecl* Function) {
    Found |= isBlockBarrier(*Function);
    if (!Found && !Function->getASTContext().getSourceManager().isInSystemHeader(Function->getLocation()))
      enter(Function);
    return !Found;
  }
};

/// As findOwnBlock has it, but for functions that cannot be copied.
class OwnBlockFinder : public CallVisitor {
public:
  OwnBlockFinder(const FunctionDecl* Kernel, bool FewerThreads, bool WholeWarps)
      : Sources(Kernel->getASTContext().getSourceManager()), FewerThreads(FewerThreads), WholeWarps(WholeWarps) {
    enter(Kernel);
    visitEntered();
  }
  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    const auto* Function = dyn_cast<FunctionDecl>(Ref->getDecl());
    return !Function || call(Function, Ref->getExprLoc(), Ref->hasQualifier());
  }
  bool VisitMemberExpr(MemberExpr* Member) override {
    const auto* Function = dyn_cast<FunctionDecl>(Member->getMemberDecl());
    return !Function || call(Function, Member->getExprLoc(), false);
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* Construct) override { return call(Construct->getConstructor(), Construct->getExprLoc(), false); }
  bool VisitLambdaExpr(LambdaExpr* Lambda) override {
    if (FewerThreads && Lambda->getCaptureDefault() == LCD_None && BlockBarrierFinder(Lambda->getCallOperator()).Found)
      return note(ThreadCooperation::Barrier, "__syncthreads", Lambda->getBeginLoc());
    return true;
  }
  bool VisitGCCAsmStmt(GCCAsmStmt* Assembly) override { return note(ThreadCooperation::Assembly, "asm", Assembly->getBeginLoc()); }

  std::optional<ThreadCooperation> Found;

private:
  bool call(const FunctionDecl* Function, SourceLocation Loc, bool Qualified) {
    const StringRef Name = identifierOf(Function);
    if (isOfGroupLibrary(Function))
      return note(ThreadCooperation::Exchange, Function->getNameAsString(), Loc);
    if (FewerThreads && isBarrier(*Function) && Name != "__syncwarp" && (Name != "__syncthreads" || Qualified))
      return note(ThreadCooperation::Barrier, Name.str(), Loc);
    if (FewerThreads && !WholeWarps && (isExchange(Name) || Name == "__syncwarp"))
      return note(ThreadCooperation::Exchange, Name.str(), Loc);
    if (!Sources.isInSystemHeader(Function->getLocation()))
      enter(Function);
    return true;
  }
  bool note(ThreadCooperation::Kind How, std::string Name, SourceLocation Loc) {
    Found = ThreadCooperation{How, std::move(Name), Loc};
    return false;
  }
  const SourceManager& Sources;
  const bool FewerThreads, WholeWarps;
};

/// The __syncthreads() that a body ends in, if that is its own text.
const CallExpr* lastBarrier(const FunctionDecl* Kernel) {
  const FunctionDecl* Definition = nullptr;
  const auto* Body = Kernel->hasBody(Definition) ? dyn_cast<CompoundStmt>(Definition->getBody()) : nullptr;
  const auto* Call = Body && !Body->body_empty() ? dyn_cast<CallExpr>(Body->body_back()) : nullptr;
  return Call && identifierOf(Call->getDirectCallee()) == "__syncthreads" && isTextOfBody(Definition, Call->getSourceRange()) ? Call : nullptr;
}

/// What a kernel and the program's functions that it calls name of the indices.
class DimensionFinder : public CallVisitor {
public:
  explicit DimensionFinder(const FunctionDecl* Kernel) : Sources(Kernel->getASTContext().getSourceManager()) {
    enter(Kernel);
    visitEntered();
  }
  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    if (isIndexVariable(Ref->getDecl()))
      Named.insert(Ref);
    return CallVisitor::VisitDeclRefExpr(Ref);
  }
  bool VisitMemberExpr(MemberExpr* Member) override { return note(Member) && CallVisitor::VisitMemberExpr(Member); }
  bool VisitPseudoObjectExpr(PseudoObjectExpr* Pseudo) override { return note(Pseudo); }
  bool VisitMSPropertyRefExpr(MSPropertyRefExpr* Property) override { return note(Property); }

  llvm::SmallPtrSet<const DeclRefExpr*, 8> Named, OfX, OfY;

private:
  bool visitFunction(const FunctionDecl* Function) override {
    return Sources.isInSystemHeader(Function->getLocation()) || CallVisitor::visitFunction(Function);
  }
  bool note(const Expr* E) {
    if (std::optional<IndexMember> Index = indexMember(E); Index && Index->Dimension < 2)
      (Index->Dimension == 0 ? OfX : OfY).insert(Index->Variable);
    return true;
  }
  const SourceManager& Sources;
};

} // namespace

std::optional<IndexMember> indexMember(const Expr* E) {
  E = E->IgnoreParenImpCasts();
  if (const auto* Pseudo = dyn_cast<PseudoObjectExpr>(E))
    E = Pseudo->getSyntacticForm()->IgnoreParenImpCasts();
  const Expr* Base = nullptr;
  StringRef Member;
  if (const auto* Property = dyn_cast<MSPropertyRefExpr>(E)) {
    Base = Property->getBaseExpr();
    Member = identifierOf(Property->getPropertyDecl());
  } else if (const auto* Access = dyn_cast<MemberExpr>(E)) {
    Base = Access->getBase();
    Member = identifierOf(Access->getMemberDecl());
  }
  if (const auto* Opaque = dyn_cast_or_null<OpaqueValueExpr>(Base))
    Base = Opaque->getSourceExpr();
  const auto* Ref = Base ? dyn_cast<DeclRefExpr>(Base->IgnoreParenImpCasts()) : nullptr;
  if (!Ref || !isIndexVariable(Ref->getDecl()) || Member.size() != 1 || Member[0] < 'x' || Member[0] > 'z')
    return std::nullopt;
  return IndexMember{Ref, static_cast<unsigned>(Member[0] - 'x')};
}

StringRef atomicOperation(const FunctionDecl& Function) {
  static constexpr StringRef Operations[] = {"atomicAdd", "atomicMax", "atomicMin"};
  const StringRef Name = identifierOf(&Function);
  if (!Name.starts_with("atomic"))
    return {};
  if (Function.getASTContext().getSourceManager().isInSystemHeader(Function.getLocation())) {
    const StringRef Plain = Name.ends_with("_system") ? Name.drop_back(StringRef("_system").size()) : Name;
    return llvm::is_contained(Operations, Plain) ? Plain : StringRef();
  }
  StringRef Found;
  for (StringRef Each : Operations)
    if (Name.contains_insensitive(Each.drop_front(StringRef("atomic").size()))) {
      if (!Found.empty())
        return {};
      Found = Each;
    }
  return Function.getNumParams() == 2 ? Found : StringRef();
}

bool combinesWithElement(const FunctionDecl& Function) {
  StringRef Name = identifierOf(&Function);
  if (isa<CXXMethodDecl>(Function) || !Name.consume_front("atomic"))
    return false;
  if (!Function.getASTContext().getSourceManager().isInSystemHeader(Function.getLocation()))
    return !atomicOperation(Function).empty();
  Name.consume_back("_system");
  static constexpr StringRef Operations[] = {"Add", "Sub", "Exch", "Min", "Max", "Inc", "Dec", "And", "Or", "Xor"};
  return llvm::is_contained(Operations, Name);
}

bool isOfGroupLibrary(const Decl* D) {
  for (const DeclContext* Context = D->getDeclContext(); Context; Context = Context->getParent())
    if (const auto* Namespace = dyn_cast<NamespaceDecl>(Context);
        Namespace &&
        (identifierOf(Namespace) == "cooperative_groups" || identifierOf(Namespace) == "cub"))
      return true;
  return false;
}

bool isIndexVariable(const ValueDecl* D) {
  const auto* Variable = dyn_cast<VarDecl>(D);
  if (!Variable || !Variable->hasGlobalStorage())
    return false;
  StringRef Name = identifierOf(Variable);
  return Name == "threadIdx" || Name == "blockIdx" || Name == "blockDim" || Name == "gridDim";
}

const CallExpr* uselessBarrier(const FunctionDecl* Kernel) {
  const CallExpr* Last = lastBarrier(Kernel);
  const auto WorksAlone = [](const FunctionDecl* Each) { return !CooperationFinder(Each, CooperationFinder::Together, lastBarrier(Each)).Found; };
  // The instances of a template share its text.
  const FunctionTemplateDecl* Template = Kernel->getPrimaryTemplate();
  const bool IsUseless =
      Last && WorksAlone(Kernel) && (!Template || llvm::all_of(Template->specializations(), [&](const FunctionDecl* Each) { return !Each->hasBody() || WorksAlone(Each); }));
  return IsUseless ? Last : nullptr;
}

std::optional<ThreadCooperation> findHiddenCooperation(const FunctionDecl* Kernel) {
  return std::move(CooperationFinder(Kernel, CooperationFinder::Hidden).Found);
}

std::optional<ThreadCooperation> findOwnBlock(const FunctionDecl* Kernel, bool FewerThreads, bool WholeWarps) {
  if (OwnBlockFinder Find(Kernel, FewerThreads, WholeWarps); Find.Found)
    return std::move(Find.Found);
  if (const std::optional<RejectedCopy> Rejected = findFunctionCopies(Kernel, {/*Thread=*/true, /*Barrier=*/FewerThreads}, Kernel->getASTContext()).Rejected)
    return ThreadCooperation{ThreadCooperation::OtherFunction, Rejected->Function->getNameAsString(), Rejected->Where};
  return std::nullopt;
}

bool exchangesValues(const FunctionDecl* Kernel, const Stmt* S) { return CooperationFinder(Kernel, S).Found.has_value(); }

std::optional<ThreadCooperation> findCooperation(const FunctionDecl* Kernel) {
  const bool AreCopied = !findFunctionCopies(Kernel, OwnNames{/*Thread=*/true}, Kernel->getASTContext()).Rejected;
  return std::move(CooperationFinder(Kernel, AreCopied ? CooperationFinder::Together : CooperationFinder::All, uselessBarrier(Kernel)).Found);
}

bool worksTogether(const FunctionDecl* Kernel) {
  return CooperationFinder(Kernel, CooperationFinder::Together, uselessBarrier(Kernel)).Found.has_value();
}

bool isInOneDimension(const FunctionDecl* Kernel) {
  const DimensionFinder Find(Kernel);
  return !Find.Named.empty() && llvm::all_of(Find.Named, [&](const DeclRefExpr* Ref) { return Find.OfX.contains(Ref); });
}

unsigned dimensionsNamed(const FunctionDecl* Kernel) {
  const DimensionFinder Find(Kernel);
  if (llvm::all_of(Find.Named, [&](const DeclRefExpr* Ref) { return Find.OfX.contains(Ref); }))
    return Find.Named.empty() ? 0 : 1;
  return llvm::all_of(Find.Named, [&](const DeclRefExpr* Ref) { return Find.OfX.contains(Ref) || Find.OfY.contains(Ref); }) ? 2 : 3;
}

} // namespace gpurma
