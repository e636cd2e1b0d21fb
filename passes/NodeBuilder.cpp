// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/NodeBuilder.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace gpurma {

VarDecl* NodeBuilder::standIn(const FunctionDecl* Function, IdentifierInfo* Name, QualType Type, Expr* Init, SourceLocation Loc) const {
  auto* V = VarDecl::Create(Context, const_cast<FunctionDecl*>(Function), Loc, Loc, Name, Type, Context.getTrivialTypeSourceInfo(Type), SC_None);
  V->setImplicit();
  V->setInit(Init);
  return V;
}

Expr* NodeBuilder::name(VarDecl* V, SourceLocation Loc) const {
  return DeclRefExpr::Create(Context, NestedNameSpecifierLoc(), SourceLocation(), V, false, Loc, V->getType().getNonReferenceType(), VK_LValue);
}

Expr* NodeBuilder::valueOf(Expr* Place) const {
  return ImplicitCastExpr::Create(Context, Place->getType().getUnqualifiedType(), CK_LValueToRValue, Place, nullptr, VK_PRValue,
                                  FPOptionsOverride());
}

Expr* NodeBuilder::valueOf(VarDecl* V, SourceLocation Loc) const { return valueOf(name(V, Loc)); }

Expr* NodeBuilder::assigned(VarDecl* V, Expr* Value, SourceLocation Loc) const {
  return BinaryOperator::Create(Context, name(V, Loc), Value, BO_Assign, V->getType(), VK_LValue, OK_Ordinary, Loc, FPOptionsOverride());
}

Expr* NodeBuilder::incremented(VarDecl* V, SourceLocation Loc) const {
  return UnaryOperator::Create(Context, name(V, Loc), UO_PreInc, V->getType(), VK_LValue, OK_Ordinary, Loc, false, FPOptionsOverride());
}

Stmt* NodeBuilder::counting(VarDecl* Index, Expr* Count, Stmt* Body, SourceLocation Loc) const {
  return new (Context) ForStmt(Context, declaration(Index, Loc), differ(valueOf(Index, Loc), Count, Loc), nullptr, incremented(Index, Loc), Body, Loc,
                               Loc, Loc);
}

Expr* NodeBuilder::isGreater(Expr* One, Expr* Other, SourceLocation Loc) const {
  return BinaryOperator::Create(Context, One, Other, BO_GT, Context.BoolTy, VK_PRValue, OK_Ordinary, Loc, FPOptionsOverride());
}

Expr* NodeBuilder::differ(Expr* One, Expr* Other, SourceLocation Loc) const {
  return BinaryOperator::Create(Context, One, Other, BO_NE, Context.BoolTy, VK_PRValue, OK_Ordinary, Loc, FPOptionsOverride());
}

Expr* NodeBuilder::negated(Expr* E, SourceLocation Loc) const {
  return UnaryOperator::Create(Context, E, UO_LNot, Context.BoolTy, VK_PRValue, OK_Ordinary, Loc, false, FPOptionsOverride());
}

Expr* NodeBuilder::number(uint64_t Value, QualType Type, SourceLocation Loc) const {
  return IntegerLiteral::Create(Context, llvm::APInt(Context.getIntWidth(Type), Value), Type, Loc);
}

Expr* NodeBuilder::boolean(bool Value, SourceLocation Loc) const { return new (Context) CXXBoolLiteralExpr(Value, Context.BoolTy, Loc); }

Expr* NodeBuilder::inParentheses(Expr* E, SourceRange Where) const { return new (Context) ParenExpr(Where.getBegin(), Where.getEnd(), E); }

Expr* NodeBuilder::cast(Expr* E, QualType Type, SourceLocation Loc) const {
  const QualType Plain = Type.getUnqualifiedType();
  return CStyleCastExpr::Create(Context, Plain, VK_PRValue, CK_NoOp, E, nullptr, FPOptionsOverride(), Context.getTrivialTypeSourceInfo(Plain, Loc), Loc,
                                Loc);
}

Expr* NodeBuilder::callee(FunctionDecl* F, SourceLocation Loc) const {
  Expr* Named = DeclRefExpr::Create(Context, NestedNameSpecifierLoc(), SourceLocation(), F, false, Loc, F->getType(), VK_LValue);
  return ImplicitCastExpr::Create(Context, Context.getPointerType(F->getType()), CK_FunctionToPointerDecay, Named, nullptr, VK_PRValue,
                                  FPOptionsOverride());
}

Expr* NodeBuilder::elementAt(Expr* Array, Expr* At, SourceLocation Loc) const {
  QualType Type = Array->getType();
  if (const ArrayType* Plain = Context.getAsArrayType(Type)) {
    Expr* Decayed = ImplicitCastExpr::Create(Context, Context.getArrayDecayedType(Type), CK_ArrayToPointerDecay, Array, nullptr, VK_PRValue,
                                             FPOptionsOverride());
    return new (Context) ArraySubscriptExpr(Decayed, At, Plain->getElementType(), VK_LValue, OK_Ordinary, Loc);
  }
  if (Type->isPointerType())
    return new (Context) ArraySubscriptExpr(valueOf(Array), At, Type->getPointeeType(), VK_LValue, OK_Ordinary, Loc);
  for (NamedDecl* Found : Type->getAsCXXRecordDecl()->lookup(Context.DeclarationNames.getCXXOperatorName(OO_Subscript))) {
    auto* Method = dyn_cast<CXXMethodDecl>(Found);
    if (!Method || Method->isConst() != Type.isConstQualified() || Method->getNumParams() != 1)
      continue;
    At = ImplicitCastExpr::Create(Context, Method->getParamDecl(0)->getType(), CK_IntegralCast, At, nullptr, VK_PRValue, FPOptionsOverride());
    return CXXOperatorCallExpr::Create(Context, OO_Subscript, callee(Method, Loc), {Array, At}, Method->getReturnType().getNonReferenceType(), VK_LValue,
                                       Loc, FPOptionsOverride());
  }
  return nullptr;
}

Expr* NodeBuilder::swapped(VarDecl* A, VarDecl* B, SourceLocation Loc) const {
  NamespaceDecl* Std = nullptr;
  for (NamedDecl* D : Context.getTranslationUnitDecl()->lookup(&Context.Idents.get("std")))
    if (auto* Space = dyn_cast<NamespaceDecl>(D))
      Std = Space;
  QualType Reference = Context.getLValueReferenceType(A->getType());
  QualType Type = Context.getFunctionType(Context.VoidTy, {Reference, Reference}, FunctionProtoType::ExtProtoInfo());
  auto* Swap = FunctionDecl::Create(Context, Std, Std->getLocation(), Std->getLocation(), &Context.Idents.get("swap"), Type,
                                    Context.getTrivialTypeSourceInfo(Type), SC_None);
  ParmVarDecl* Parameters[2];
  for (ParmVarDecl*& Parameter : Parameters)
    Parameter = ParmVarDecl::Create(Context, Swap, Std->getLocation(), Std->getLocation(), nullptr, Reference,
                                    Context.getTrivialTypeSourceInfo(Reference), SC_None, nullptr);
  Swap->setParams(Parameters);
  return CallExpr::Create(Context, callee(Swap, Loc), {name(A, Loc), name(B, Loc)}, Context.VoidTy, VK_PRValue, Loc, FPOptionsOverride());
}

Stmt* NodeBuilder::block(llvm::ArrayRef<Stmt*> All, SourceRange Where) const {
  return CompoundStmt::Create(Context, All, FPOptionsOverride(), Where.getBegin(), Where.getEnd());
}

Stmt* NodeBuilder::declaration(Decl* D, SourceRange Where) const {
  return new (Context) DeclStmt(DeclGroupRef(D), Where.getBegin(), Where.getEnd());
}

Stmt* NodeBuilder::ifElse(Expr* Cond, Stmt* Then, Stmt* Else, SourceLocation Loc) const {
  return IfStmt::Create(Context, Loc, IfStatementKind::Ordinary, nullptr, nullptr, Cond, Loc, Loc, Then, Else ? Loc : SourceLocation(), Else);
}

Stmt* NodeBuilder::leavesUnless(Expr* Cond) const {
  const SourceLocation Loc = Cond->getExprLoc();
  return ifElse(negated(inParentheses(Cond, Cond->getSourceRange()), Loc), new (Context) BreakStmt(Loc), nullptr, Loc);
}

void replaceExpressions(Stmt* S, llvm::function_ref<Expr*(Expr*)> Replacement) {
  if (isa<LambdaExpr>(S)) // names other variables
    return;
  for (auto Child = S->child_begin(); Child != S->child_end(); ++Child) {
    auto* E = dyn_cast_or_null<Expr>(*Child);
    if (Expr* Other = E ? Replacement(E) : nullptr)
      *Child = Other;
    else if (*Child)
      replaceExpressions(*Child, Replacement);
  }
  // It is this form that is printed.
  if (const auto* List = dyn_cast<InitListExpr>(S); List && List->isSemanticForm() && List->getSyntacticForm())
    replaceExpressions(List->getSyntacticForm(), Replacement);
}

} // namespace gpurma
