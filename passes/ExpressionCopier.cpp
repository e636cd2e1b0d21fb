// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ExpressionCopier.h"

#include "passes/VariableUses.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace gpurma {
namespace {

CXXCastPath path(CastExpr* Cast) { return CXXCastPath(Cast->path_begin(), Cast->path_end()); }

} // namespace

Expr* ExpressionCopier::copy(Expr* E) {
  if (!E)
    return nullptr;
  QualType T = E->getType();
  ExprValueKind VK = E->getValueKind();
  switch (E->getStmtClass()) {
  case Stmt::DeclRefExprClass:
    return copyReference(cast<DeclRefExpr>(E));
  case Stmt::ParenExprClass: {
    auto* Paren = cast<ParenExpr>(E);
    return new (Context) ParenExpr(Paren->getLParen(), Paren->getRParen(), copy(Paren->getSubExpr()));
  }
  case Stmt::ImplicitCastExprClass: {
    auto* Cast = cast<ImplicitCastExpr>(E);
    CXXCastPath Path = path(Cast);
    const bool Reads = Cast->getCastKind() == CK_LValueToRValue;
    Expr* Sub = Reads ? copyToRead(Cast->getSubExpr()) : copy(Cast->getSubExpr());
    if (Reads && Sub->isPRValue())
      return Sub; // a parameter that a value stands for
    if (Reads)
      Sub = readFrom(Sub);
    if (Cast->getCastKind() == CK_UserDefinedConversion && !isa<CallExpr, CXXConstructExpr>(Sub->IgnoreImplicit()))
      return Sub; // a variable that stands for what an object converts to
    auto* Copy = ImplicitCastExpr::Create(Context, T, Cast->getCastKind(), Sub, &Path, VK, options(Cast));
    Copy->setIsPartOfExplicitCast(Cast->isPartOfExplicitCast());
    return Copy;
  }
  case Stmt::CStyleCastExprClass: {
    auto* Cast = cast<CStyleCastExpr>(E);
    CXXCastPath Path = path(Cast);
    return CStyleCastExpr::Create(Context, T, VK, Cast->getCastKind(), copy(Cast->getSubExpr()), &Path, options(Cast),
                                  Cast->getTypeInfoAsWritten(), Cast->getLParenLoc(), Cast->getRParenLoc());
  }
  case Stmt::CXXFunctionalCastExprClass: {
    auto* Cast = cast<CXXFunctionalCastExpr>(E);
    CXXCastPath Path = path(Cast);
    return CXXFunctionalCastExpr::Create(Context, T, VK, Cast->getTypeInfoAsWritten(), Cast->getCastKind(), copy(Cast->getSubExpr()), &Path,
                                         options(Cast), Cast->getLParenLoc(), Cast->getRParenLoc());
  }
  case Stmt::CXXStaticCastExprClass: {
    auto* Cast = cast<CXXStaticCastExpr>(E);
    CXXCastPath Path = path(Cast);
    return CXXStaticCastExpr::Create(Context, T, VK, Cast->getCastKind(), copy(Cast->getSubExpr()), &Path, Cast->getTypeInfoAsWritten(),
                                     options(Cast), Cast->getOperatorLoc(), Cast->getRParenLoc(), Cast->getAngleBrackets());
  }
  case Stmt::CXXReinterpretCastExprClass: {
    auto* Cast = cast<CXXReinterpretCastExpr>(E);
    CXXCastPath Path = path(Cast);
    return CXXReinterpretCastExpr::Create(Context, T, VK, Cast->getCastKind(), copy(Cast->getSubExpr()), &Path, Cast->getTypeInfoAsWritten(),
                                          Cast->getOperatorLoc(), Cast->getRParenLoc(), Cast->getAngleBrackets());
  }
  case Stmt::CXXConstCastExprClass: {
    auto* Cast = cast<CXXConstCastExpr>(E);
    return CXXConstCastExpr::Create(Context, T, VK, copy(Cast->getSubExpr()), Cast->getTypeInfoAsWritten(), Cast->getOperatorLoc(),
                                    Cast->getRParenLoc(), Cast->getAngleBrackets());
  }
  case Stmt::UnaryOperatorClass:
    return copyUnary(cast<UnaryOperator>(E));
  case Stmt::CompoundAssignOperatorClass: {
    auto* Binary = cast<CompoundAssignOperator>(E);
    Expr *Left = copyInPlace(Binary->getLHS()), *Right = copy(Binary->getRHS());
    return CompoundAssignOperator::Create(Context, Left, Right, Binary->getOpcode(), T, VK, Binary->getObjectKind(), Binary->getOperatorLoc(),
                                          options(Binary), Binary->getComputationLHSType(), Binary->getComputationResultType());
  }
  case Stmt::BinaryOperatorClass:
    return copyBinary(cast<BinaryOperator>(E));
  case Stmt::ConditionalOperatorClass:
    return copyChoice(cast<ConditionalOperator>(E));
  case Stmt::ArraySubscriptExprClass: {
    auto* Element = cast<ArraySubscriptExpr>(E);
    Expr *Left = copyInPlace(Element->getLHS()), *Right = copyInPlace(Element->getRHS());
    return new (Context) ArraySubscriptExpr(Left, Right, T, VK, Element->getObjectKind(), Element->getRBracketLoc());
  }
  case Stmt::CUDAKernelCallExprClass: {
    auto* Launch = cast<CUDAKernelCallExpr>(E);
    auto* Config = cast<CallExpr>(copy(Launch->getConfig()));
    Expr* Kernel = copy(Launch->getCallee());
    // A launch that goes by a pointer does not say what it launches.
    if (DeclRefExpr* Named = const_cast<DeclRefExpr*>(namedFunction(Kernel)); Named && Named != Kernel->IgnoreParenImpCasts())
      Kernel = ImplicitCastExpr::Create(Context, Context.getPointerType(Named->getType()), CK_FunctionToPointerDecay, Named, nullptr, VK_PRValue,
                                        FPOptionsOverride());
    return CUDAKernelCallExpr::Create(Context, Kernel, Config, copies({Launch->getArgs(), Launch->getNumArgs()}), T, VK,
                                      Launch->getRParenLoc(), options(Launch));
  }
  case Stmt::CallExprClass:
  case Stmt::CXXMemberCallExprClass:
  case Stmt::CXXOperatorCallExprClass:
    return copyCall(cast<CallExpr>(E));
  case Stmt::MemberExprClass:
    return copyMember(cast<MemberExpr>(E));
  case Stmt::InitListExprClass:
    return copyList(cast<InitListExpr>(E));
  case Stmt::DesignatedInitExprClass: {
    auto* Init = cast<DesignatedInitExpr>(E);
    llvm::SmallVector<Expr*, 2> Indices;
    for (unsigned I = 1; I < Init->getNumSubExprs(); ++I)
      Indices.push_back(copyInPlace(Init->getSubExpr(I)));
    return DesignatedInitExpr::Create(Context, Init->designators(), Indices, Init->getEqualOrColonLoc(), Init->usesGNUSyntax(),
                                      copyInPlace(Init->getInit()));
  }
  case Stmt::CXXConstructExprClass: {
    auto* Construct = cast<CXXConstructExpr>(E);
    llvm::SaveAndRestore Where(Hoisted, Construct->getNumArgs() > 1 && Construct->isListInitialization() ? nowhere() : Hoisted);
    return CXXConstructExpr::Create(Context, T, Construct->getLocation(), Construct->getConstructor(), Construct->isElidable(),
                                    copies({Construct->getArgs(), Construct->getNumArgs()}), Construct->hadMultipleCandidates(),
                                    Construct->isListInitialization(), Construct->isStdInitListInitialization(),
                                    Construct->requiresZeroInitialization(), Construct->getConstructionKind(),
                                    Construct->getParenOrBraceRange());
  }
  case Stmt::CXXTemporaryObjectExprClass: {
    auto* Construct = cast<CXXTemporaryObjectExpr>(E);
    llvm::SaveAndRestore Where(Hoisted, Construct->getNumArgs() > 1 && Construct->isListInitialization() ? nowhere() : Hoisted);
    return CXXTemporaryObjectExpr::Create(Context, Construct->getConstructor(), T, Construct->getTypeSourceInfo(),
                                          copies({Construct->getArgs(), Construct->getNumArgs()}), Construct->getParenOrBraceRange(),
                                          Construct->hadMultipleCandidates(), Construct->isListInitialization(),
                                          Construct->isStdInitListInitialization(), Construct->requiresZeroInitialization());
  }
  case Stmt::CXXStdInitializerListExprClass:
    return new (Context)
        CXXStdInitializerListExpr(T, copy(cast<CXXStdInitializerListExpr>(E)->getSubExpr()));
  case Stmt::MaterializeTemporaryExprClass: {
    auto* Temporary = cast<MaterializeTemporaryExpr>(E);
    return new (Context) MaterializeTemporaryExpr(T, copy(Temporary->getSubExpr()), Temporary->isBoundToLvalueReference());
  }
  case Stmt::CXXBindTemporaryExprClass: {
    auto* Temporary = cast<CXXBindTemporaryExpr>(E);
    return CXXBindTemporaryExpr::Create(Context, Temporary->getTemporary(), copy(Temporary->getSubExpr()));
  }
  case Stmt::CXXNewExprClass: {
    auto* New = cast<CXXNewExpr>(E);
    if (New->getNumPlacementArgs() != 0 || !References(New->getInitializer()).All.empty())
      return E;
    const std::optional<Expr*> Size = New->getArraySize();
    return CXXNewExpr::Create(Context, New->isGlobalNew(), New->getOperatorNew(), New->getOperatorDelete(), New->passAlignment(),
                              New->doesUsualArrayDeleteWantSize(), {}, New->getTypeIdParens(), Size ? std::optional(copyInPlace(*Size)) : std::nullopt,
                              New->getInitializationStyle(), New->getInitializer(), T, New->getAllocatedTypeSourceInfo(), New->getSourceRange(),
                              New->getDirectInitRange());
  }
  case Stmt::CXXDeleteExprClass: {
    auto* Delete = cast<CXXDeleteExpr>(E);
    return new (Context) CXXDeleteExpr(T, Delete->isGlobalDelete(), Delete->isArrayForm(), Delete->isArrayFormAsWritten(),
                                       Delete->doesUsualArrayDeleteWantSize(), Delete->getOperatorDelete(), copy(Delete->getArgument()),
                                       Delete->getBeginLoc());
  }
  case Stmt::ExprWithCleanupsClass: {
    auto* Full = cast<ExprWithCleanups>(E);
    return ExprWithCleanups::Create(Context, copy(Full->getSubExpr()), Full->cleanupsHaveSideEffects(), {});
  }
  case Stmt::ConstantExprClass: {
    auto* Constant = cast<ConstantExpr>(E);
    Expr* Value = copy(Constant->getSubExpr());
    return Constant->hasAPValueResult() ? ConstantExpr::Create(Context, Value, Constant->getAPValueResult()) : ConstantExpr::Create(Context, Value);
  }
  case Stmt::UnaryExprOrTypeTraitExprClass: {
    auto* Trait = cast<UnaryExprOrTypeTraitExpr>(E);
    if (Trait->isArgumentType())
      return E;
    return new (Context) UnaryExprOrTypeTraitExpr(Trait->getKind(), copyInPlace(Trait->getArgumentExpr()), T, Trait->getOperatorLoc(),
                                                  Trait->getRParenLoc());
  }
  default:
    return E; // a constant, or nothing that a region can have
  }
}

Expr* ExpressionCopier::copyInPlace(Expr* E) {
  llvm::SaveAndRestore Nowhere(Hoisted, nowhere());
  return copy(E);
}

llvm::SmallVector<Expr*, 8> ExpressionCopier::copies(ArrayRef<Expr*> All) {
  llvm::SmallVector<Expr*, 8> Copies;
  for (Expr* E : All)
    Copies.push_back(copy(E));
  return Copies;
}

Expr* ExpressionCopier::copyUnary(UnaryOperator* Unary) {
  return UnaryOperator::Create(Context, copy(Unary->getSubExpr()), Unary->getOpcode(), Unary->getType(), Unary->getValueKind(),
                               Unary->getObjectKind(), Unary->getOperatorLoc(), Unary->canOverflow(), options(Unary));
}

Expr* ExpressionCopier::copyBinary(BinaryOperator* Binary) {
  // C++ says of these that the left operand comes first.
  bool InOrder = Binary->isCommaOp() || Binary->isShiftOp() || Binary->isPtrMemOp();
  bool Assigns = Binary->isAssignmentOp();
  Expr* Left = Assigns || Binary->isCommaOp() ? copyInPlace(Binary->getLHS()) : copy(Binary->getLHS());
  Expr* Right = InOrder ? copyInPlace(Binary->getRHS()) : copy(Binary->getRHS());
  return BinaryOperator::Create(Context, Left, Right, Binary->getOpcode(), Binary->getType(), Binary->getValueKind(), Binary->getObjectKind(),
                                Binary->getOperatorLoc(), options(Binary));
}

Expr* ExpressionCopier::copyPlainMember(MemberExpr* Member) {
  return MemberExpr::Create(Context, copy(Member->getBase()), Member->isArrow(), Member->getOperatorLoc(), Member->getQualifierLoc(),
                            Member->getTemplateKeywordLoc(), Member->getMemberDecl(), Member->getFoundDecl(), Member->getMemberNameInfo(),
                            nullptr, Member->getType(), Member->getValueKind(), Member->getObjectKind(), Member->isNonOdrUse());
}

CallExpr* ExpressionCopier::copyPlainCall(CallExpr* Call) {
  const QualType T = Call->getType();
  const ExprValueKind VK = Call->getValueKind();
  Expr* Callee = copyInPlace(Call->getCallee());
  const llvm::SmallVector<Expr*, 8> Arguments = copies({Call->getArgs(), Call->getNumArgs()});
  if (const auto* Operator = dyn_cast<CXXOperatorCallExpr>(Call))
    return CXXOperatorCallExpr::Create(Context, Operator->getOperator(), Callee, Arguments, T, VK,
                                       Operator->getOperatorLoc(), options(Call),
                                       Call->getADLCallKind());
  if (isa<CXXMemberCallExpr>(Call))
    return CXXMemberCallExpr::Create(Context, Callee, Arguments, T, VK, Call->getRParenLoc(),
                                     options(Call));
  return CallExpr::Create(Context, Callee, Arguments, T, VK, Call->getRParenLoc(), options(Call), 0,
                          Call->getADLCallKind());
}

Expr* ExpressionCopier::copyList(InitListExpr* List) {
  if (!List->isSemanticForm())
    List = List->getSemanticForm();
  llvm::SaveAndRestore Where(Hoisted, List->getNumInits() > 1 ? nowhere() : Hoisted);
  llvm::DenseMap<Expr*, Expr*> Same;
  auto Copied = [&](InitListExpr* Form) {
    llvm::SmallVector<Expr*, 4> Inits;
    for (Expr* Init : Form->inits()) {
      Expr*& Copy = Same[Init];
      Inits.push_back(Copy ? Copy : Copy = copy(Init));
    }
    auto* Result = new (Context) InitListExpr(Context, Form->getLBraceLoc(), Inits, Form->getRBraceLoc());
    Result->setType(Form->getType());
    return Result;
  };
  InitListExpr* Semantic = Copied(List);
  Semantic->setValueKind(List->getValueKind());
  if (List->hasArrayFiller())
    Semantic->setArrayFiller(List->getArrayFiller());
  if (List->getInitializedFieldInUnion())
    Semantic->setInitializedFieldInUnion(List->getInitializedFieldInUnion());
  if (InitListExpr* Syntactic = List->getSyntacticForm())
    Semantic->setSyntacticForm(Copied(Syntactic));
  return Semantic;
}

} // namespace gpurma
