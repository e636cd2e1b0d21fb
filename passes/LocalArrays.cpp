// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/LocalArrays.h"

#include "passes/KernelMembers.h"
#include "passes/Lvalues.h"
#include "passes/VariableUses.h"

#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace gpurma {
namespace {

bool isIndex(QualType Type) { return Type->isIntegralOrEnumerationType() && !Type->isBooleanType(); }

/// The array of an element of it, `a` of `a[i][j]`, or the pointer.
const Expr* baseOfElement(const Expr* E) {
  E = E->IgnoreParenImpCasts();
  const auto* Subscript = dyn_cast<ArraySubscriptExpr>(E);
  if (!Subscript)
    return nullptr;
  for (; Subscript; Subscript = dyn_cast<ArraySubscriptExpr>(E))
    E = Subscript->getBase()->IgnoreParenImpCasts();
  return E;
}

/// Variables that are declared in a statement.
std::set<const VarDecl*> declaredIn(const Stmt* S) {
  struct Finder : DynamicRecursiveASTVisitor {
    bool VisitVarDecl(VarDecl* V) override {
      Found.insert(V);
      return true;
    }
    std::set<const VarDecl*> Found;
  } Find;
  Find.TraverseStmt(const_cast<Stmt*>(S));
  return std::move(Find.Found);
}

/// `a[i] = ...`, `++a[i]` of arrays, by the expressions that name these.
class DirectStores : public DynamicRecursiveASTVisitor {
public:
  explicit DirectStores(const Stmt* S) { TraverseStmt(const_cast<Stmt*>(S)); }
  bool VisitBinaryOperator(BinaryOperator* E) override {
    if (E->isAssignmentOp())
      note(E->getLHS(), E->getRHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator* E) override {
    if (E->isIncrementDecrementOp())
      note(E->getSubExpr(), nullptr);
    return true;
  }
  std::set<const Expr*> Names;
  struct Element {
    const ArraySubscriptExpr* Place = nullptr;
    /// What is assigned or added; null for 1.
    const Expr* Value = nullptr;
  };
  std::vector<Element> Elements;

private:
  void note(const Expr* E, const Expr* Value) {
    const Expr* Base = baseOfElement(E);
    if (!Base)
      return;
    Elements.push_back({cast<ArraySubscriptExpr>(E->IgnoreParenImpCasts()), Value});
    while (const auto* Member = dyn_cast<MemberExpr>(Base)) {
      if (Member->isArrow())
        return;
      Base = Member->getBase()->IgnoreParenImpCasts();
    }
    const auto* Ref = dyn_cast<DeclRefExpr>(Base);
    if (Ref && !Ref->refersToEnclosingVariableOrCapture() && !Ref->getType()->isPointerType())
      Names.insert(Ref);
  }
};

/// Whether it has elements that a pointer leads to: such an array holds data.
bool loads(const Stmt* S) {
  const auto* E = dyn_cast_or_null<Expr>(S);
  const Expr* Base = E ? baseOfElement(E) : nullptr;
  return S && ((Base && Base->getType()->isPointerType()) || llvm::any_of(S->children(), loads));
}

bool holdsArrays(QualType Type) {
  const auto* Record = Type->getAsCXXRecordDecl();
  return Type->isArrayType() ||
         (Record && Record->hasDefinition() && llvm::any_of(Record->fields(), [](const FieldDecl* F) { return holdsArrays(F->getType()); }));
}

bool findExposure(const VarDecl* V) {
  const auto* Of = dyn_cast_or_null<FunctionDecl>(V->getParentFunctionOrMethod());
  if (!Of || !Of->hasBody() || V->getType()->isReferenceType())
    return true;
  const PureReads Reads(Of->getBody());
  const DirectStores Stores(Of->getBody());
  return llvm::any_of(References(Of->getBody()).All, [&](const DeclRefExpr* Ref) {
    return Ref->getDecl() == V && !Reads.contains(Ref) && !Stores.Names.count(Ref);
  });
}

} // namespace

std::optional<std::int64_t> indexElements(QualType Array, const ASTContext& Context) {
  constexpr std::int64_t Most = 64;
  std::int64_t Count = 1;
  QualType Element = Array;
  for (const ConstantArrayType* Each = Context.getAsConstantArrayType(Element); Each; Each = Context.getAsConstantArrayType(Element)) {
    if (Each->getSize().ugt(static_cast<std::uint64_t>(Most)))
      return std::nullopt;
    Count *= static_cast<std::int64_t>(Each->getSize().getZExtValue());
    Element = Each->getElementType();
    if (Count > Most)
      return std::nullopt;
  }
  return Array->isArrayType() && isIndex(Element) ? std::optional(Count) : std::nullopt;
}

const VarDecl* arrayOfElement(const Expr* E) {
  const Expr* Base = baseOfElement(E);
  return Base && Base->getType()->isArrayType() ? memberOf(Base).first : nullptr;
}

ElementChanges::ElementChanges(ArrayRef<const Stmt*> Parts) {
  for (const Stmt* Part : Parts)
    if (Part)
      TraverseStmt(const_cast<Stmt*>(Part));
}

bool ElementChanges::VisitBinaryOperator(BinaryOperator* E) {
  if (E->isAssignmentOp())
    note(E->getLHS());
  return true;
}

bool ElementChanges::VisitUnaryOperator(UnaryOperator* E) {
  if (E->isIncrementDecrementOp())
    note(E->getSubExpr());
  return true;
}

bool ElementChanges::VisitCallExpr(CallExpr* E) {
  noteCall(E->getDirectCallee());
  return true;
}

bool ElementChanges::VisitCXXConstructExpr(CXXConstructExpr* E) {
  noteCall(E->getConstructor());
  return true;
}

bool ElementChanges::VisitGCCAsmStmt(GCCAsmStmt*) {
  Others = true;
  return true;
}

void ElementChanges::note(const Expr* E) {
  for (const Expr* Each : alternatives(E)) {
    if (!Each->getType()->isIntegralOrEnumerationType() && !Each->getType()->isRecordType())
      continue;
    const VarDecl *Array = arrayOfElement(Each), *Named = Array ? Array : namedVariable(Each);
    if (Array)
      Arrays.insert(Array);
    Others |= !Named || Named->getType()->isReferenceType();
  }
}

void ElementChanges::noteCall(const FunctionDecl* Callee) {
  // What CUDA's headers and the C++ library have of this kind is not called with arrays of indices.
  const auto* Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
  auto MayReach = [](const ParmVarDecl* P) {
    const QualType Type = P->getType(), Referred = Type->getPointeeType();
    return Type->isRecordType() || (!Referred.isNull() && (Referred->isRecordType() || !Referred.isConstQualified()));
  };
  // A member function that changes no member may change what one points to.
  const auto ChangesObject = [&] { return changesObject(Method) || holdsPointers(Method->getThisType()->getPointeeType()); };
  Others |= !Callee || (Method && !Method->isStatic() && ChangesObject()) || (Method && Method->getParent()->isLambda()) ||
            llvm::any_of(Callee->parameters(), MayReach);
}

bool ValueChanges::changes(const VarDecl* V) const {
  return Named.changes(V) || Elements.Arrays.count(V) || (Elements.Others && holdsArrays(V->getType().getNonReferenceType()));
}

bool ArrayUses::isExposed(const VarDecl* V) {
  auto [It, New] = Known.try_emplace(V, true);
  if (New)
    It->second = findExposure(V);
  return It->second;
}

bool fillsElements(const Stmt* Body, const std::set<const VarDecl*>& Moved) {
  const std::set<const VarDecl*> Own = declaredIn(Body);
  auto IsMoved = [&](const DeclRefExpr* Ref) {
    const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
    return V && Moved.count(V) && !Own.count(V);
  };
  return llvm::any_of(DirectStores(Body).Elements, [&](const DirectStores::Element& E) {
    const VarDecl* Base = memberOf(baseOfElement(E.Place)).first;
    if (!Base || Own.count(Base) || !isIndex(E.Place->getType()) || loads(E.Value))
      return false;
    for (const Expr* Part = E.Place; const auto* Subscript = dyn_cast<ArraySubscriptExpr>(Part); Part = Subscript->getBase()->IgnoreParenImpCasts())
      if (llvm::any_of(References(Subscript->getIdx()).All, IsMoved))
        return true;
    return false;
  });
}

} // namespace gpurma
