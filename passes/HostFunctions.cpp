// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/HostFunctions.h"
#include "frontend/DynamicRecursiveASTVisitor.h"
#include "frontend/PointerVariable.h"
#include "passes/ConstructedMembers.h"
#include "passes/ErrorChecks.h"
#include "passes/Lvalues.h"
#include "clang/AST/Attr.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpurma {
namespace {

bool isArithmetic(QualType Type) {
  return Type.getNonReferenceType()->isArithmeticType() && (!Type->isReferenceType() || Type->getPointeeType().isConstQualified());
}

/// std::max, std::min, std::clamp: values of their arguments.
bool choosesArgument(const FunctionDecl* F) {
  return F->isInStdNamespace() && F->getIdentifier() && (F->getName() == "max" || F->getName() == "min" || F->getName() == "clamp") &&
         llvm::all_of(F->parameters(), [](const ParmVarDecl* P) { return isArithmetic(P->getType()); });
}

/// Not rand() or putchar(c).
bool isFunctionOfValues(const FunctionDecl* F) {
  const Builtin::Context& Builtins = F->getASTContext().BuiltinInfo;
  unsigned Id = F->getBuiltinID();
  return Id == 0 ? F->isInStdNamespace() && F->getNumParams() != 0 : Builtins.isConst(Id) || Builtins.isConstWithoutErrnoAndExceptions(Id);
}

/// std::array's accessors, which name its memory.
bool isAccessor(const CXXMethodDecl* Method) {
  return Method->isConst() && Method->isConstexpr() && Method->isInStdNamespace();
}

class EffectFinder : public DynamicRecursiveASTVisitor {
public:
  explicit EffectFinder(const SourceManager& Sources) : Sources(Sources) {}
  bool Found = false;

  bool VisitBinaryOperator(BinaryOperator* E) override { return !(Found |= E->isAssignmentOp()); }
  bool VisitUnaryOperator(UnaryOperator* E) override { return !(Found |= E->isIncrementDecrementOp()); }
  bool VisitLambdaExpr(LambdaExpr*) override { return !(Found = true); }
  bool VisitCXXNewExpr(CXXNewExpr*) override { return !(Found = true); }
  bool VisitCXXDeleteExpr(CXXDeleteExpr*) override { return !(Found = true); }
  bool VisitCXXThrowExpr(CXXThrowExpr*) override { return !(Found = true); }
  bool VisitStmtExpr(StmtExpr*) override { return !(Found = true); }
  bool VisitCXXConstructExpr(CXXConstructExpr* E) override {
    const CXXConstructorDecl* Constructor = E->getConstructor();
    Found |= !Constructor->isTrivial() && !Constructor->isConstexpr() && !onlyInitialises(*Constructor);
    return !Found;
  }
  bool VisitCallExpr(CallExpr* Call) override {
    Found |= isa<CUDAKernelCallExpr>(Call) || !isFree(*Call);
    return !Found;
  }

private:
  bool isFree(const CallExpr& Call) {
    const FunctionDecl* Callee = Call.getDirectCallee();
    if (!Callee)
      return false;
    if ((isMathematics(Callee, Sources) && isFunctionOfValues(Callee)) || choosesArgument(Callee))
      return true;
    if (const auto* Method = dyn_cast<CXXMethodDecl>(Callee); Method && Sources.isInSystemHeader(Callee->getLocation()))
      return isAccessor(Method);
    if (Sources.isInSystemHeader(Callee->getLocation()))
      return false;
    const FunctionDecl* Definition = calledDefinition(Call);
    const Expr* Returned = Definition ? onlyReturned(Definition) : nullptr;
    if (!Returned || Depth == MostCalls)
      return false;
    ++Depth;
    TraverseStmt(const_cast<Expr*>(Returned));
    --Depth;
    return !Found;
  }

  /// `View(float* p, int n) : p(p), n(n) {}`.
  bool onlyInitialises(const CXXConstructorDecl& Constructor) {
    const auto* Definition = dyn_cast_or_null<CXXConstructorDecl>(Constructor.getDefinition());
    const auto* Body = Definition ? dyn_cast_or_null<CompoundStmt>(Definition->getBody()) : nullptr;
    if (!Body || !Body->body_empty() || Sources.isInSystemHeader(Definition->getLocation()) || Depth == MostCalls)
      return false;
    ++Depth;
    for (const CXXCtorInitializer* Init : Definition->inits())
      TraverseStmt(const_cast<Expr*>(givenValue(*Init)));
    --Depth;
    return !Found;
  }

  static constexpr unsigned MostCalls = 16;
  const SourceManager& Sources;
  unsigned Depth = 0;
};

/// The constructor that the program defines, if it is for the host only; null where its definition is not known, none for others.
std::optional<const FunctionDecl*> constructorOfHost(const CXXConstructExpr& E) {
  const CXXConstructorDecl* Constructor = E.getConstructor();
  if (!Constructor->isUserProvided() || isMarkedForDevice(Constructor))
    return std::nullopt;
  const FunctionDecl* Definition = nullptr;
  return Constructor->hasBody(Definition) ? Definition : nullptr;
}

/// Looks for what device code cannot do, or would do to something else than the host.
class DeviceChecker : public DynamicRecursiveASTVisitor {
public:
  explicit DeviceChecker(const SourceManager& Sources) : Sources(Sources) {}
  bool Rejected = false;
  /// Pointers lead to what the region has copies of.
  bool FollowsPointers = false;
  /// Those that are marked for the device are looked at, too.
  bool LooksAtMarked = false;
  llvm::SmallSetVector<const FunctionDecl*, 8> Called;

  bool VisitStmt(Stmt* S) override {
    Rejected |= isa<CXXNewExpr, CXXDeleteExpr, CXXThrowExpr, CXXTryStmt, LambdaExpr, StmtExpr, CXXTypeidExpr, CXXDynamicCastExpr, AsmStmt,
                    GotoStmt, IndirectGotoStmt, PredefinedExpr, StringLiteral, CXXForRangeStmt>(S);
    return !Rejected;
  }
  bool VisitVarDecl(VarDecl* V) override {
    const QualType Type = V->getType().getNonReferenceType();
    Rejected |= V->isStaticLocal() || !Type.isTriviallyCopyableType(V->getASTContext());
    return !Rejected;
  }
  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
    bool IsValue = V && V->isUsableInConstantExpressions(V->getASTContext()) && V->getType()->isArithmeticType();
    Rejected |= (V && !V->hasLocalStorage() && !IsValue) || isa<BindingDecl>(Ref->getDecl());
    return !Rejected;
  }
  /// What a pointer leads to may be an array.
  bool VisitUnaryOperator(UnaryOperator* E) override {
    Rejected |= E->getOpcode() == UO_Deref && !FollowsPointers &&
                !isa<CXXThisExpr>(E->getSubExpr()->IgnoreParenImpCasts());
    return !Rejected;
  }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr* E) override {
    Rejected |= !FollowsPointers && !E->getBase()->IgnoreParenImpCasts()->getType()->isArrayType();
    return !Rejected;
  }
  bool VisitMemberExpr(MemberExpr* E) override {
    const auto* V = dyn_cast<VarDecl>(E->getMemberDecl());
    Rejected |= (E->isArrow() && !FollowsPointers &&
                 !isa<CXXThisExpr>(E->getBase()->IgnoreParenImpCasts())) ||
                (V && !V->isConstexpr());
    return !Rejected;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* E) override {
    if (const std::optional<const FunctionDecl*> Constructor = constructorOfHost(*E)) {
      if (*Constructor)
        Called.insert(*Constructor);
      Rejected |= !*Constructor;
    }
    return !Rejected;
  }
  bool VisitCallExpr(CallExpr* Call) override {
    const FunctionDecl* Callee = Call->getDirectCallee();
    const FunctionDecl* Definition = calledDefinition(*Call);
    if (Callee && (isMathematics(Callee, Sources) || isMarkedForDevice(Callee))) {
      if (LooksAtMarked && Definition && !Sources.isInSystemHeader(Callee->getLocation()))
        Called.insert(Definition);
      return true;
    }
    if (!Definition || Callee->isOverloadedOperator() || Sources.isInSystemHeader(Callee->getLocation()))
      Rejected = true;
    else
      Called.insert(Definition);
    return !Rejected;
  }

private:
  const SourceManager& Sources;
};

bool isAggregateOfLibrary(const CXXRecordDecl* Class) {
  return Class && Class->isInStdNamespace() && Class->getIdentifier() &&
         llvm::is_contained({"array", "pair", "tuple", "optional", "variant", "complex"},
                            Class->getName());
}

const Expr* objectOf(const CallExpr& Call) {
  const auto* Member = dyn_cast<CXXMemberCallExpr>(&Call);
  return Member ? Member->getImplicitObjectArgument()->IgnoreParenImpCasts() : nullptr;
}

bool isOwnPlace(const Expr* E);

/// Of a variable, or a part of one, rather than of what a pointer leads to.
bool isOwnPointer(const Expr* E) {
  E = E->IgnoreParenCasts();
  if (E->getType()->isArrayType())
    return isOwnPlace(E);
  if (const auto Sum = pointerSum(E))
    return isOwnPointer(Sum->Pointer);
  if (const auto* Unary = dyn_cast<UnaryOperator>(E))
    return Unary->getOpcode() == UO_AddrOf && isOwnPlace(Unary->getSubExpr());
  // sizes.data(), std::begin(fields)
  const auto* Call = dyn_cast<CallExpr>(E);
  const Expr* All = Call ? objectOf(*Call) : nullptr;
  if (Call && !All && Call->getNumArgs() == 1)
    All = Call->getArg(0)->IgnoreParenImpCasts();
  return All &&
         (All->getType()->isArrayType() ||
          isAggregateOfLibrary(All->getType()->getAsCXXRecordDecl())) &&
         isOwnPlace(All);
}

bool isOwnPlace(const Expr* E) {
  E = E->IgnoreParenImpCasts();
  if (const auto* Member = dyn_cast<MemberExpr>(E))
    return isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts()) ||
           (!Member->isArrow() && isOwnPlace(Member->getBase()));
  if (const auto* Element = dyn_cast<ArraySubscriptExpr>(E))
    return isOwnPointer(Element->getBase());
  const auto* Ref = dyn_cast<DeclRefExpr>(E);
  return Ref && isa<VarDecl>(Ref->getDecl()) && !Ref->getType()->isPointerType();
}

/// Aggregates of the library have what they are made of within them; other classes with pointers
/// lead elsewhere, as std::span does.
bool holdsPointers(QualType Type) {
  Type = Type.getCanonicalType();
  if (Type->isReferenceType() || Type->isPointerType())
    return true;
  if (const auto* Array = Type->getAsArrayTypeUnsafe())
    return holdsPointers(Array->getElementType());
  const CXXRecordDecl* Class = Type->getAsCXXRecordDecl();
  return Class && Class->hasDefinition() &&
         (llvm::any_of(Class->fields(),
                       [](const FieldDecl* F) { return holdsPointers(F->getType()); }) ||
          llvm::any_of(Class->bases(),
                       [](const CXXBaseSpecifier& Base) { return holdsPointers(Base.getType()); }));
}

/// Whether the text before its name can say for whom it is: no other declaration would have to say so, too.
bool canBeMarked(const FunctionDecl* F) {
  const FunctionDecl* Pattern = F->getTemplateInstantiationPattern();
  if (!Pattern)
    Pattern = F;
  return !Pattern->isOutOfLine() && Pattern->getPreviousDecl() == nullptr && Pattern->getBeginLoc().isFileID() &&
         F->getTemplateSpecializationKind() != TSK_ExplicitSpecialization;
}

} // namespace

const FunctionDecl* calledDefinition(const CallExpr& Call) {
  const FunctionDecl* Definition = nullptr;
  const FunctionDecl* Callee = isa<CUDAKernelCallExpr>(Call) ? nullptr : Call.getDirectCallee();
  return Callee && Callee->hasBody(Definition) ? Definition : nullptr;
}

bool isMarkedForDevice(const FunctionDecl* F) {
  const auto* Device = F->getAttr<CUDADeviceAttr>();
  return Device && !Device->isImplicit();
}

bool mayStayCall(const CallExpr& Call, const SourceManager& Sources) {
  const FunctionDecl* F = calledDefinition(Call);
  if (!F)
    return true;
  auto Leads = [](const Expr* E) {
    const QualType Type = E->getType();
    return Type->isPointerType() ? !isOwnPointer(E) : holdsPointers(Type.getNonReferenceType());
  };
  const Expr* Object = objectOf(Call);
  const bool LeadsElsewhere =
      (Object &&
       (Object->getType()->isPointerType() ? !isa<CXXThisExpr>(Object) : Leads(Object))) ||
      llvm::any_of(Call.arguments(), Leads);
  llvm::SmallSetVector<const FunctionDecl*, 8> Work;
  Work.insert(F);
  for (size_t I = 0; I != Work.size(); ++I) {
    DeviceChecker Check(Sources);
    Check.LooksAtMarked = true;
    Check.FollowsPointers = !LeadsElsewhere;
    Check.TraverseStmt(Work[I]->getBody());
    if (Check.Rejected)
      return false;
    Work.insert(Check.Called.begin(), Check.Called.end());
  }
  return true;
}

bool reachesMemory(const CallExpr& Call, const SourceManager& Sources) {
  const FunctionDecl* F = Call.getDirectCallee();
  if (!F || !Sources.isInSystemHeader(F->getLocation()))
    return false;
  auto IsView = [](QualType Type) {
    const CXXRecordDecl* Class = Type.getNonReferenceType()->getAsCXXRecordDecl();
    return Class && Class->isInStdNamespace() && !isAggregateOfLibrary(Class) &&
           holdsPointers(Type.getNonReferenceType());
  };
  const Expr* Object = objectOf(Call);
  if (Object && IsView(Object->getType()))
    return true;
  const unsigned First = isa<CXXOperatorCallExpr>(Call) && isa<CXXMethodDecl>(F) ? 1 : 0;
  for (unsigned I = 0; I != Call.getNumArgs(); ++I) {
    if (IsView(Call.getArg(I)->getType()))
      return true;
    if (I >= First && I - First < F->getNumParams() &&
        F->getParamDecl(I - First)->getType()->isPointerType() && !isOwnPointer(Call.getArg(I)) &&
        !Call.getArg(I)->isNullPointerConstant(F->getASTContext(),
                                               Expr::NPC_ValueDependentIsNotNull))
      return true;
  }
  return false;
}

bool isMathematics(const FunctionDecl* F, const SourceManager& Sources) {
  // INFINITY, NAN, HUGE_VAL and HUGE_VALF.
  if (F->getBuiltinID() != 0 && F->getIdentifier() &&
      llvm::is_contained({"__builtin_inf", "__builtin_inff", "__builtin_nan", "__builtin_nanf", "__builtin_huge_val", "__builtin_huge_valf"},
                         F->getName()))
    return true;
  auto IsNumber = [](QualType Type) { return Type.getNonReferenceType()->isArithmeticType(); };
  auto IsFloat = [](QualType Type) { return Type.getNonReferenceType()->isRealFloatingType(); };
  // rand() and clock() have no parameters, and usleep(n) and putchar(c) have integers only.
  if (!Sources.isInSystemHeader(F->getLocation()) || F->param_empty() || !IsNumber(F->getReturnType()) ||
      !llvm::all_of(F->parameters(), [&](const ParmVarDecl* P) { return IsNumber(P->getType()); }))
    return false;
  return F->isInStdNamespace() ||
         (F->isExternC() && (IsFloat(F->getReturnType()) || llvm::any_of(F->parameters(), [&](const ParmVarDecl* P) { return IsFloat(P->getType()); }) ||
                             (F->getIdentifier() && llvm::is_contained({"abs", "labs", "llabs"}, F->getName()))));
}

bool isOfHost(const FunctionDecl* F, const SourceManager& Sources) {
  if (isMarkedForDevice(F) || F->hasAttr<CUDAGlobalAttr>() || F->isDefaulted() || Sources.isInSystemHeader(F->getLocation()) ||
      isa<CXXConstructorDecl, CXXDestructorDecl, CXXConversionDecl>(F) || (F->isOverloadedOperator() && F->getOverloadedOperator() != OO_Call))
    return false;
  return llvm::none_of(F->parameters(), [](const ParmVarDecl* P) { return isCudaError(P->getType()); });
}

const Expr* onlyReturned(const FunctionDecl* F) {
  const auto* Body = dyn_cast_or_null<CompoundStmt>(F->getBody());
  const auto* Return = Body && Body->size() == 1 ? dyn_cast<ReturnStmt>(Body->body_front()) : nullptr;
  return Return ? Return->getRetValue() : nullptr;
}

bool isEffectFree(const Expr* E, const SourceManager& Sources) {
  EffectFinder Effects(Sources);
  Effects.TraverseStmt(const_cast<Expr*>(E));
  return !Effects.Found;
}

bool namesHiddenMembers(const FunctionDecl* F) {
  struct Finder : DynamicRecursiveASTVisitor {
    bool Found = false;
    llvm::SmallSetVector<const FunctionDecl*, 8> Work;
    bool VisitMemberExpr(MemberExpr* E) override {
      Found |= isa<CXXThisExpr>(E->getBase()->IgnoreParenImpCasts()) && !isPublic(E->getMemberDecl()) &&
               isa<FieldDecl, VarDecl>(E->getMemberDecl());
      return true;
    }
    bool VisitCallExpr(CallExpr* Call) override {
      if (const FunctionDecl* Definition = calledDefinition(*Call); Definition && isa<CXXMethodDecl>(Definition))
        Work.insert(Definition);
      return true;
    }
  } Find;
  Find.Work.insert(F);
  for (size_t I = 0; I != Find.Work.size() && !Find.Found; ++I)
    Find.TraverseStmt(Find.Work[I]->getBody());
  return Find.Found;
}

bool mayRunOnDevice(const FunctionDecl* F, const SourceManager& Sources, llvm::SmallSetVector<const FunctionDecl*, 8>& Found) {
  llvm::SmallSetVector<const FunctionDecl*, 8> Work;
  Work.insert(F);
  for (size_t I = 0; I != Work.size(); ++I) {
    const FunctionDecl* Each = Work[I];
    const auto* Method = dyn_cast<CXXMethodDecl>(Each);
    if (!canBeMarked(Each) || Each->isVariadic() || (Method && Method->isVirtual()) || !isa_and_nonnull<CompoundStmt>(Each->getBody()))
      return false;
    DeviceChecker Check(Sources);
    for (ParmVarDecl* Parameter : Each->parameters())
      Check.VisitVarDecl(Parameter);
    if (const auto* Constructor = dyn_cast<CXXConstructorDecl>(Each))
      for (const CXXCtorInitializer* Init : Constructor->inits())
        Check.TraverseStmt(const_cast<Expr*>(givenValue(*Init)));
    Check.TraverseStmt(Each->getBody());
    if (Check.Rejected)
      return false;
    Work.insert(Check.Called.begin(), Check.Called.end());
  }
  Found.insert(Work.begin(), Work.end());
  return true;
}

void addConstructors(const Stmt* S, const SourceManager& Sources, llvm::SmallSetVector<const FunctionDecl*, 8>& Found) {
  struct Finder : DynamicRecursiveASTVisitor {
    llvm::SmallSetVector<const FunctionDecl*, 8> All;
    bool shouldVisitImplicitCode() const override { return true; }
    bool VisitCXXConstructExpr(CXXConstructExpr* E) override {
      if (const FunctionDecl* Constructor = constructorOfHost(*E).value_or(nullptr))
        All.insert(Constructor);
      return true;
    }
  } Find;
  Find.TraverseStmt(const_cast<Stmt*>(S));
  for (const FunctionDecl* Constructor : Find.All)
    if (!Sources.isInSystemHeader(Constructor->getLocation()))
      mayRunOnDevice(Constructor, Sources, Found);
}

} // namespace gpurma
