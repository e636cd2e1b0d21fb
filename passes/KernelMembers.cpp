// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/KernelMembers.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpurma {

KernelMembers::KernelMembers(const FunctionDecl* Kernel) {
  enter(Kernel);
  visitEntered();
}

bool KernelMembers::mayTouch(const FieldDecl* Member) const {
  // Captured variables have the names that they have outside.
  return All || Named.contains(Member) || cast<CXXRecordDecl>(Member->getParent())->isLambda();
}

bool KernelMembers::VisitMemberExpr(MemberExpr* E) {
  if (const auto* Field = dyn_cast<FieldDecl>(E->getMemberDecl()))
    Named.insert(Field);
  return CallVisitor::VisitMemberExpr(E);
}

bool KernelMembers::VisitCallExpr(CallExpr* E) {
  const FunctionDecl* Callee = E->getDirectCallee();
  const auto* Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
  const bool IsKnown = Callee && !(Method && Method->isVirtual()) &&
                       (Callee->hasBody() || Callee->getBuiltinID() || Callee->isDefaulted() ||
                        Callee->getASTContext().getSourceManager().isInSystemHeader(Callee->getLocation()));
  All |= !IsKnown;
  return true;
}

bool KernelMembers::VisitCastExpr(CastExpr* E) {
  const QualType From = E->getSubExpr()->getType()->getPointeeType(), To = E->getType()->getPointeeType();
  All |= !From.isNull() && From->isRecordType() && (To.isNull() ? E->getCastKind() == CK_PointerToIntegral : !To->isRecordType());
  return true;
}

bool holdsPointers(QualType Type) {
  Type = QualType(Type->getBaseElementTypeUnsafe(), 0);
  if (Type->isAnyPointerType() || Type->isReferenceType())
    return true;
  const auto* Record = Type->getAsCXXRecordDecl();
  return Record && Record->hasDefinition() &&
         (Record->getNumBases() != 0 || llvm::any_of(Record->fields(), [](const FieldDecl* F) {
            return holdsPointers(F->getType());
          }));
}

} // namespace gpurma
