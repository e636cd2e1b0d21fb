// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ParameterSubstitution.h"

#include "passes/Lvalues.h"
#include "passes/NodeBuilder.h"
#include "passes/Places.h"
#include "passes/Region.h"
#include "passes/VariableChanges.h"
#include "passes/VariableUses.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace clang;

namespace gpurma {
namespace {

/// Whether a statement changes neither variables nor members that a pure expression names.
class Unchanged {
public:
  explicit Unchanged(const Stmt* S) : All(S), Reads(S), Data(S), Changed(changedMembers(S)) {}

  bool variable(const VarDecl* V) const {
    return llvm::all_of(All.All, [&](const DeclRefExpr* Ref) { return Ref->getDecl() != V || Reads.contains(Ref); });
  }
  /// Of a container, where its elements are.
  bool memory(const Expr* Container) const {
    const VarDecl* V = namedVariable(Container);
    return V && llvm::all_of(All.All, [&](const DeclRefExpr* Ref) { return Ref->getDecl() != V || Reads.contains(Ref) || Data.All.contains(Ref); });
  }
  bool all(Expr* E) const {
    E = E->IgnoreParens();
    if (isa<MemberExpr>(E)) {
      const FieldDecl* Outermost = nullptr;
      Expr* Base = E;
      while (auto* Each = dyn_cast<MemberExpr>(plain(Base))) {
        Outermost = cast<FieldDecl>(Each->getMemberDecl());
        Base = Each->getBase();
      }
      const auto* V = cast<VarDecl>(cast<DeclRefExpr>(plain(Base))->getDecl());
      return variable(V) || (!Changed.count({V, nullptr}) && !Changed.count({V, Outermost}));
    }
    if (const auto* Ref = dyn_cast<DeclRefExpr>(E))
      if (const auto* V = dyn_cast<VarDecl>(Ref->getDecl()))
        return variable(V);
    return llvm::all_of(E->children(), [&](Stmt* Child) { return !Child || all(cast<Expr>(Child)); });
  }

private:
  /// Containers that are asked for their elements.
  struct DataCalls : DynamicRecursiveASTVisitor {
    explicit DataCalls(const Stmt* S) { TraverseStmt(const_cast<Stmt*>(S)); }
    bool VisitCallExpr(CallExpr* Call) override {
      const Expr* Container = isSubscriptOfContainer(*Call) ? Call->getArg(0) : containerOfData(*Call);
      if (const auto* Ref = Container ? dyn_cast<DeclRefExpr>(Container->IgnoreParenImpCasts()) : nullptr)
        All.insert(Ref);
      return true;
    }
    llvm::SmallPtrSet<const DeclRefExpr*, 4> All;
  };

  References All;
  PureReads Reads;
  DataCalls Data;
  std::set<std::pair<const VarDecl*, const FieldDecl*>> Changed;
};

class Substitution {
public:
  Substitution(ASTContext& Context, llvm::function_ref<Expr*(Expr*)> Copy) : Context(Context), Build(Context), Copy(Copy) {}

  /// Lets the variables that parameters have become disappear where that makes no difference, and be constants else.
  void run(ArrayRef<VarDecl*> Parameters, llvm::SmallVectorImpl<Stmt*>& Body, SourceRange Where) {
    for (VarDecl* V : Parameters) {
      if (V->getType()->isReferenceType())
        continue;
      Stmt* Block = Build.block(Body, Where);
      Unchanged Same(Block);
      if (!Same.variable(V))
        continue;
      Expr* Init = V->getInit();
      Expr* Place = copiedPlace(V, Init);
      Expr* Address = addressed(Init);
      if (Address && !Context.hasSameUnqualifiedType(Address->getType(), V->getType()->getPointeeType()))
        Address = nullptr;
      const Expr* Container = containerOf(*Init->IgnoreParenImpCasts());
      bool Lasts = Place ? Same.all(Place) : Address || isArray(Init) || (Container ? Same.memory(Container) : isPure(Init) && Same.all(Init));
      bool Followed = V->getType()->isIntegralOrEnumerationType() || (V->getType()->isPointerType() && keepsPointer(V, Init));
      Replacement With{V, Place ? Place : Address, Place == nullptr};
      if (Lasts && (Place || Address || Followed) && isReplaceable(Block, With)) {
        replaceIn(Block, With);
        llvm::erase_if(Body, [&](Stmt* S) { return isa<DeclStmt>(S) && *cast<DeclStmt>(S)->decl_begin() == V; });
      } else {
        V->setType(V->getType().withConst());
      }
    }
  }

private:
  /// What a variable is a copy of, without a conversion that its text would not have.
  Expr* copiedPlace(const VarDecl* V, Expr* Init) const {
    Init = Init->IgnoreParens();
    if (auto* Full = dyn_cast<ExprWithCleanups>(Init))
      Init = Full->getSubExpr();
    if (auto* Construct = dyn_cast<CXXConstructExpr>(Init); Construct && Construct->getNumArgs() == 1 && !isa<CXXTemporaryObjectExpr>(Init)) {
      Expr* From = Construct->getArg(0);
      bool Copies = Construct->getConstructor()->isCopyConstructor() && isPlace(From);
      return Copies && Context.hasSameUnqualifiedType(plain(From)->getType(), V->getType()) ? plain(From) : nullptr;
    }
    Expr* Read = plain(Init);
    auto* Cast = dyn_cast<ImplicitCastExpr>(Read);
    if (!Cast || Cast->getCastKind() != CK_LValueToRValue || !isPlace(Cast->getSubExpr()))
      return nullptr;
    Expr* From = plain(Cast->getSubExpr());
    QualType Have = From->getType(), Want = V->getType();
    bool Same = Context.hasSameUnqualifiedType(Have, Want) ||
                (Have->isPointerType() && Want->isPointerType() && Context.hasSameUnqualifiedType(Have->getPointeeType(), Want->getPointeeType()));
    return Same ? From : nullptr;
  }

  /// Whether a pointer is written as one to such elements, or is null.
  bool keepsPointer(const VarDecl* V, Expr* Init) const {
    QualType Written = Init->IgnoreParenImpCasts()->getType().getNonReferenceType();
    if (const auto* Array = Context.getAsArrayType(Written))
      Written = Context.getPointerType(Array->getElementType());
    return isNull(Init) ||
           (Written->isPointerType() && Context.hasSameUnqualifiedType(Written->getPointeeType(), V->getType()->getPointeeType()));
  }

  /// The first element of an array, which is where it is.
  static bool isArray(Expr* Init) {
    Expr* Array = Init->IgnoreParenImpCasts();
    return Array->getType().getNonReferenceType()->isConstantArrayType() && isPlace(Array);
  }

  /// v, of `v.data()` and `&v[0]`; null of other expressions.
  const Expr* containerOf(const Expr& E) const {
    const auto* Address = dyn_cast<UnaryOperator>(&E);
    const auto* Element = Address && Address->getOpcode() == UO_AddrOf ? dyn_cast<CallExpr>(Address->getSubExpr()->IgnoreParens()) : nullptr;
    if (!Element || !isSubscriptOfContainer(*Element))
      return containerOfData(E);
    return Element->getArg(1)->isValueDependent() || !Element->getArg(1)->isEvaluatable(Context) ? nullptr : Element->getArg(0);
  }

  static bool isNull(Expr* Init) {
    const auto* Cast = dyn_cast<ImplicitCastExpr>(Init->IgnoreParens());
    return Cast && Cast->getCastKind() == CK_NullToPointer;
  }

  struct Replacement {
    const VarDecl* Variable;
    /// The variable or member itself, or what it points to; null for the value of a pure expression.
    Expr* Place;
    bool OfPointer;
  };

  static bool names(const Stmt* S, const VarDecl* V) {
    const auto* E = dyn_cast_or_null<Expr>(S);
    const auto* Ref = E ? dyn_cast<DeclRefExpr>(E->IgnoreParens()) : nullptr;
    return Ref && Ref->getDecl() == V;
  }

  static Expr* readValue(Stmt* S, const VarDecl* V) {
    auto* Cast = dyn_cast<ImplicitCastExpr>(S);
    return Cast && Cast->getCastKind() == CK_LValueToRValue && names(Cast->getSubExpr(), V) ? Cast : nullptr;
  }

  /// A value has no name that a reference could take, and of a constant variable other functions might be called.
  static bool isReplaceable(const Stmt* S, const Replacement& R) {
    if (isa<LambdaExpr>(S))
      return !References(S).mention(R.Variable);
    if (const auto* Call = dyn_cast<CXXMemberCallExpr>(S); Call && names(Call->getImplicitObjectArgument()->IgnoreImpCasts(), R.Variable))
      return false;
    for (const Stmt* Child : S->children()) {
      if (!Child || readValue(const_cast<Stmt*>(Child), R.Variable))
        continue;
      if (names(Child, R.Variable) ? !R.Place || R.OfPointer : !isReplaceable(Child, R))
        return false;
    }
    return true;
  }

  void replaceIn(Stmt* S, const Replacement& R) {
    for (auto Child = S->child_begin(); Child != S->child_end(); ++Child) {
      if (!*Child)
        continue;
      if (Expr* Place = pointedTo(*Child, R)) {
        *Child = Place;
      } else if (readValue(*Child, R.Variable)) {
        *Child = value(cast<Expr>(*Child), R);
      } else if (names(*Child, R.Variable)) {
        *Child = Copy(R.Place);
      } else {
        if (auto* Member = dyn_cast<MemberExpr>(*Child); Member && Member->isArrow() && R.OfPointer && R.Place &&
                                                         names(Member->getBase()->IgnoreImpCasts(), R.Variable)) {
          Member->setBase(Copy(R.Place));
          Member->setArrow(false);
        }
        replaceIn(*Child, R);
      }
    }
    if (const auto* List = dyn_cast<InitListExpr>(S); List && List->isSemanticForm() && List->getSyntacticForm())
      replaceIn(List->getSyntacticForm(), R);
  }

  /// Of *p and p[0], where p is the address of a variable.
  Expr* pointedTo(Stmt* S, const Replacement& R) {
    auto* E = dyn_cast<Expr>(S);
    const Expr* Pointer = E && R.OfPointer && R.Place ? dereferenced(E) : nullptr;
    return Pointer && names(Pointer->IgnoreImpCasts(), R.Variable) ? Copy(R.Place) : nullptr;
  }

  Expr* value(Expr* Read, const Replacement& R) {
    if (R.Place && !R.OfPointer)
      return Build.valueOf(Copy(R.Place));
    Expr* Init = Copy(const_cast<Expr*>(R.Variable->getInit()));
    QualType Want = R.Variable->getType();
    const SourceRange Where = Read->getSourceRange();
    // Text has no implicit conversions.
    QualType Written = Init->IgnoreParenImpCasts()->getType();
    if (isNull(Init) || (Want->isIntegralOrEnumerationType() && !Context.hasSameUnqualifiedType(Written, Want)))
      Init = Build.cast(Build.inParentheses(Init, Where), Want, Read->getExprLoc());
    return Build.inParentheses(Init, Where);
  }

  ASTContext& Context;
  NodeBuilder Build;
  llvm::function_ref<Expr*(Expr*)> Copy;
};

} // namespace

void substituteParameters(ArrayRef<VarDecl*> Parameters, llvm::SmallVectorImpl<Stmt*>& Body, SourceRange Where, ASTContext& Context,
                          llvm::function_ref<Expr*(Expr*)> Copy) {
  Substitution(Context, Copy).run(Parameters, Body, Where);
}

} // namespace gpurma
