// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/PointerGroups.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "passes/ArrayCopies.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <vector>

using namespace clang;

namespace gpurma {
namespace {

/// The pointers, and structures with pointers, that a statement names.
struct Mentions : DynamicRecursiveASTVisitor {
  explicit Mentions(const Region& R) : R(R) {}
  /// A copy of arrays makes no pointer another.
  bool TraverseCallExpr(CallExpr* Call) override { return isCopyStage(*Call, R) || DynamicRecursiveASTVisitor::TraverseCallExpr(Call); }
  bool TraverseMemberExpr(MemberExpr* Member) override { return isNamed(Member) || DynamicRecursiveASTVisitor::TraverseMemberExpr(Member); }
  bool TraverseArraySubscriptExpr(ArraySubscriptExpr* Element) override {
    return isNamed(Element) || DynamicRecursiveASTVisitor::TraverseArraySubscriptExpr(Element);
  }
  bool TraverseCXXOperatorCallExpr(CXXOperatorCallExpr* Call) override {
    return isNamed(Call) || DynamicRecursiveASTVisitor::TraverseCXXOperatorCallExpr(Call);
  }
  /// What a number is made of makes no pointer another; nor does what decides between two.
  bool TraverseImplicitCastExpr(ImplicitCastExpr* Cast) override {
    return (Cast->getCastKind() == CK_LValueToRValue && (Cast->getType()->isArithmeticType() || Cast->getType()->isEnumeralType())) ||
           DynamicRecursiveASTVisitor::TraverseImplicitCastExpr(Cast);
  }
  bool TraverseConditionalOperator(ConditionalOperator* Choice) override {
    return TraverseStmt(Choice->getTrueExpr()) && TraverseStmt(Choice->getFalseExpr());
  }
  /// Else all of the variable is mentioned, as by a subscript that is no constant.
  bool isNamed(const Expr* E) {
    PointerVariable Found = pointerVariable(E);
    if (Found)
      All.push_back(std::move(Found));
    return static_cast<bool>(Found);
  }
  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    if (const auto* V = dyn_cast<VarDecl>(Ref->getDecl()))
      All.push_back(V);
    return true;
  }
  std::vector<PointerVariable> All;
  const Region& R;
};

} // namespace

PointerGroups::PointerGroups(const Region& R, const ASTContext& Context) : R(R), Context(Context) {
  for (const DistributedArray& A : R.Arrays)
    Groups.insert(node(A));
  TraverseStmt(const_cast<Stmt*>(R.Statement));
}

bool PointerGroups::VisitBinaryOperator(BinaryOperator* B) {
  if (B->isAssignmentOp())
    join(B);
  return true;
}

bool PointerGroups::VisitCallExpr(CallExpr* Call) {
  if (!isa<CUDAKernelCallExpr>(Call) && !R.isPut(Call))
    join(Call);
  return true;
}

bool PointerGroups::VisitVarDecl(VarDecl* V) {
  if (V->getInit())
    join(V->getInit(), V);
  return true;
}

bool PointerGroups::VisitCastExpr(CastExpr* Cast) {
  QualType From = Cast->getSubExpr()->getType(), To = Cast->getType();
  bool OfPointers = From->isPointerType() && To->isPointerType();
  // Variables of type void * are followed.
  bool Hides = Cast->getCastKind() == CK_PointerToIntegral || Cast->getCastKind() == CK_IntegralToPointer ||
               (Cast->getCastKind() == CK_BitCast && OfPointers && !From->isVoidPointerType() && !To->isVoidPointerType() &&
                element(From) != element(To)) ||
               Cast->getCastKind() == CK_LValueBitCast;
  if (Hides)
    for (const DistributedArray& A : R.Arrays)
      Groups.unionSets(node(R.Arrays.front()), node(A));
  return true;
}

const Type* PointerGroups::element(QualType Pointer) const {
  // A pointer to rows may become one to their elements.
  QualType Pointee = Context.getBaseElementType(Pointer.getNonReferenceType()->getPointeeType());
  return Context.getCanonicalType(Pointee).getUnqualifiedType().getTypePtr();
}

bool PointerGroups::mayHold(QualType T, const Type* Element) const {
  while (std::optional<ArrayElements> Elements = arrayElements(T))
    T = Elements->Type.getNonReferenceType();
  if (T->isArithmeticType() || T->isEnumeralType())
    return false;
  QualType Pointee = T->getPointeeType();
  return Pointee.isNull() || Pointee->isVoidType() || Pointee->isPointerType() ||
         Pointee->isRecordType() || element(T) == Element;
}

void PointerGroups::join(const Stmt* S, const VarDecl* Declared) {
  Mentions Found(R);
  Found.TraverseStmt(const_cast<Stmt*>(S));
  if (Declared)
    Found.All.push_back(Declared);
  std::map<const Type*, Node> First;
  auto Add = [&](const PointerVariable& P, const Type* Element) {
    auto [It, IsNew] = First.try_emplace(Element, P, Element);
    Groups.unionSets(It->second, {P, Element});
  };
  for (const PointerVariable& P : Found.All) {
    QualType Named = P.type().getNonReferenceType();
    bool HoldsArrays = llvm::any_of(R.Arrays, [&](const DistributedArray& A) { return A.Pointer.isPartOf(P); });
    // Elements that are not distributed may become others.
    bool HoldsElements = llvm::any_of(R.Arrays, [&](const DistributedArray& A) {
      return A.Pointer.isPartOf(P) && A.Pointer.Subscripts.size() > P.Subscripts.size();
    });
    for (const DistributedArray& A : R.Arrays) {
      const Type* Element = element(A.Pointer.type());
      if (A.Pointer.isPartOf(P))
        Add(A.Pointer, Element);
      if ((!HoldsArrays || HoldsElements) && mayHold(Named, Element))
        Add(P.Variable, Element);
    }
  }
}

} // namespace gpurma
