// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ClauseMembers.h"

#include "passes/NodeBuilder.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include <map>

using namespace clang;

namespace gpurma {
namespace {

class MemberVariables {
public:
  MemberVariables(const Marker& Appearance, ASTContext& Context) : Function(Appearance.Function), Context(Context) {
    for (const Clause& C : Appearance.Origin->Clauses)
      for (unsigned I = 0; I != C.Exprs.size(); ++I)
        if (C.Kind == ClauseKind::Reduce || (C.Kind == ClauseKind::Collect && I < C.Left)) {
          const Expr* Named = Appearance.argument(C.Exprs[I]);
          if (const Expr* Pointer = C.Kind == ClauseKind::Reduce ? dereferenced(Named) : Named)
            add(Pointer->IgnoreParenImpCasts());
        }
  }

  void replaceIn(Stmt* S) const {
    replaceExpressions(S, [&](Expr* E) -> Expr* {
      const auto* Member = dyn_cast<MemberExpr>(E);
      auto Found = Member ? Variables.find(pointerVariable(Member)) : Variables.end();
      return Found != Variables.end() ? NodeBuilder(Context).name(Found->second, Member->getMemberLoc()) : nullptr;
    });
  }

private:
  void add(const Expr* Pointer) {
    const PointerVariable Place = pointerVariable(Pointer);
    if (!Place || Place.Members.empty() || !Place.Subscripts.empty() || Variables.count(Place))
      return;
    Variables.emplace(Place, NodeBuilder(Context).standIn(Function, &Context.Idents.get(Place.name()), Context.getLValueReferenceType(Pointer->getType()),
                                                          const_cast<Expr*>(Pointer), Pointer->getExprLoc()));
  }

  const FunctionDecl* Function;
  ASTContext& Context;
  std::map<PointerVariable, VarDecl*> Variables;
};

} // namespace

void replaceClauseMembers(const Marker& Appearance, WhileStmt* Loop, ASTContext& Context) { MemberVariables(Appearance, Context).replaceIn(Loop); }

PointerVariable memberOfClause(const VarDecl* V) {
  const auto* Member = V->isImplicit() && !memberOfObject(V) ? dyn_cast_or_null<MemberExpr>(V->getInit()) : nullptr;
  return Member ? pointerVariable(Member) : PointerVariable();
}

} // namespace gpurma
