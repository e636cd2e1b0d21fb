// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/PointedObjects.h"

#include "passes/NodeBuilder.h"
#include "passes/VariableUses.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpurma {
namespace {

/// The variable whose value an expression is; null for other expressions.
const VarDecl* loadedVariable(const Expr* E) {
  const auto* Load = dyn_cast<ImplicitCastExpr>(E->IgnoreParens());
  const auto* Ref = Load && Load->getCastKind() == CK_LValueToRValue ? dyn_cast<DeclRefExpr>(Load->getSubExpr()->IgnoreParens()) : nullptr;
  return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
}

class ObjectPointers {
public:
  ObjectPointers(WhileStmt* Loop, const FunctionDecl* Function, ArrayRef<HostPart> HostParts, ASTContext& Context)
      : Function(Function), Context(Context) {
    visit(Loop);
    for (const HostPart& Part : HostParts)
      for (const DeclRefExpr* Ref : References(Part.Statement).All)
        Others.insert(Ref->getDecl());
    Pointers.remove_if([&](const auto& Each) { return Others.count(Each.first) || Declared.count(Each.first) || hasOtherName(Each.first); });
  }

  void replaceIn(Stmt* S) {
    if (!Pointers.empty())
      replaceExpressions(S, [&](Expr* E) { return replaced(E); });
  }

private:
  /// Notes what a pointer is used for, and what else names structures.
  void visit(const Stmt* S) {
    if (!S)
      return;
    if (isa<LambdaExpr>(S)) {
      for (const DeclRefExpr* Ref : References(S).All)
        Others.insert(Ref->getDecl());
      return;
    }
    if (const auto* Declaration = dyn_cast<DeclStmt>(S))
      for (const Decl* D : Declaration->decls())
        Declared.insert(D);
    if (const auto* Member = dyn_cast<MemberExpr>(S); Member && Member->isArrow())
      if (const VarDecl* V = loadedVariable(Member->getBase()))
        return note(V);
    if (const auto* Deref = dyn_cast<UnaryOperator>(S); Deref && Deref->getOpcode() == UO_Deref)
      if (const VarDecl* V = loadedVariable(Deref->getSubExpr()))
        return note(V);
    const auto* Call = dyn_cast<CallExpr>(S);
    // A kernel would get the address of the region's copy.
    if (const auto* Launch = dyn_cast<CUDAKernelCallExpr>(S))
      for (const Expr* Argument : Launch->arguments())
        if (const auto* Address = dyn_cast<UnaryOperator>(Argument->IgnoreParenImpCasts()); Address && Address->getOpcode() == UO_AddrOf)
          for (const DeclRefExpr* Ref : References(Address).All)
            if (!isa<ArraySubscriptExpr>(Address->getSubExpr()->IgnoreParens()))
              Others.insert(Ref->getDecl());
    if (const FunctionDecl* Callee = Call ? Call->getDirectCallee() : nullptr; Callee && Callee->hasBody() && !Callee->hasAttr<CUDAGlobalAttr>())
      for (const Expr* Argument : Call->arguments())
        if (const VarDecl* V = loadedVariable(Argument); V && Context.hasSameType(Argument->getType(), V->getType()))
          Passed.insert(loadOf(Argument));
    if (const auto* Ref = dyn_cast<DeclRefExpr>(S)) {
      if (const auto* V = dyn_cast<VarDecl>(Ref->getDecl())) {
        const auto* Record = V->getType().getNonReferenceType()->getAsCXXRecordDecl();
        if (Passed.count(Ref))
          note(V);
        else
          Others.insert(V);
        if (Record)
          Named.insert(Record->getCanonicalDecl());
      }
      return;
    }
    for (const Stmt* Child : S->children())
      visit(Child);
  }

  static const Expr* loadOf(const Expr* Argument) { return cast<ImplicitCastExpr>(Argument->IgnoreParens())->getSubExpr()->IgnoreParens(); }

  static const CXXRecordDecl* recordOf(const VarDecl* V) {
    const QualType Type = V->getType();
    const auto* Record = Type->isPointerType() ? Type->getPointeeType()->getAsCXXRecordDecl() : nullptr;
    return Record ? Record->getDefinition() : nullptr;
  }

  void note(const VarDecl* V) {
    const CXXRecordDecl* Record = recordOf(V);
    if (Record && !Record->isUnion() && Record->isTriviallyCopyable() && !V->getType().isVolatileQualified())
      Pointers.insert({V, nullptr});
    else
      Others.insert(V);
  }

  bool hasOtherName(const VarDecl* V) const {
    const CXXRecordDecl* Record = recordOf(V)->getCanonicalDecl();
    return Named.count(Record) ||
           llvm::any_of(Pointers, [&](const auto& Other) { return Other.first != V && recordOf(Other.first)->getCanonicalDecl() == Record; });
  }

  const VarDecl* found(const Expr* E) const {
    const VarDecl* V = loadedVariable(E);
    return V && Pointers.count(V) ? V : nullptr;
  }

  Expr* replaced(Expr* E) {
    if (auto* Member = dyn_cast<MemberExpr>(E); Member && Member->isArrow())
      if (const VarDecl* V = found(Member->getBase())) {
        Member->setBase(reference(V, Member->getBase()->getExprLoc()));
        Member->setArrow(false);
        return Member;
      }
    if (const auto* Deref = dyn_cast<UnaryOperator>(E); Deref && Deref->getOpcode() == UO_Deref)
      if (const VarDecl* V = found(Deref->getSubExpr()))
        return reference(V, E->getExprLoc());
    const VarDecl* V = found(E);
    return V ? UnaryOperator::Create(Context, reference(V, E->getExprLoc()), UO_AddrOf, E->getType(), VK_PRValue, OK_Ordinary, E->getExprLoc(), false,
                                     FPOptionsOverride())
             : nullptr;
  }

  Expr* reference(const VarDecl* V, SourceLocation Loc) {
    VarDecl*& Object = Pointers[V];
    const NodeBuilder Build(Context);
    if (!Object) {
      const QualType Type = V->getType()->getPointeeType();
      Expr* Pointed = UnaryOperator::Create(Context, Build.valueOf(const_cast<VarDecl*>(V), Loc), UO_Deref, Type, VK_LValue, OK_Ordinary, Loc, false,
                                            FPOptionsOverride());
      Object = Build.standIn(Function, V->getIdentifier(), Context.getLValueReferenceType(Type), Pointed, V->getLocation());
    }
    return Build.name(Object, Loc);
  }

  const FunctionDecl* Function;
  ASTContext& Context;
  /// With the references that stand for them, once these are needed.
  llvm::MapVector<const VarDecl*, VarDecl*> Pointers;
  llvm::DenseSet<const Expr*> Passed;
  llvm::DenseSet<const Decl*> Others, Declared;
  llvm::DenseSet<const CXXRecordDecl*> Named;
};

} // namespace

void replacePointers(WhileStmt* Loop, const FunctionDecl* Function, ArrayRef<HostPart> HostParts, ASTContext& Context) {
  ObjectPointers(Loop, Function, HostParts, Context).replaceIn(Loop);
}

const VarDecl* pointerToObject(const VarDecl* V) {
  const auto* Deref = V->isImplicit() ? dyn_cast_or_null<UnaryOperator>(V->getInit()) : nullptr;
  return Deref && Deref->getOpcode() == UO_Deref ? loadedVariable(Deref->getSubExpr()) : nullptr;
}

} // namespace gpurma
