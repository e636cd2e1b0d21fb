// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/HostTables.h"

#include "passes/AccumulateCalls.h"
#include "passes/Lvalues.h"
#include "passes/NodeBuilder.h"
#include "passes/VariableUses.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include <utility>

using namespace clang;

namespace gpurma {
namespace {

/// An element of a variable that is a vector, and its number; null for other expressions.
std::pair<DeclRefExpr*, Expr*> elementOfVector(Stmt* S) {
  auto* Call = dyn_cast<CallExpr>(S);
  if (!Call)
    return {};
  const auto* Member = dyn_cast<CXXMemberCallExpr>(Call);
  const bool IsAt = Member && Member->getMethodDecl() && identifierOf(Member->getMethodDecl()) == "at";
  Expr* Object = isSubscriptOfContainer(*Call) ? Call->getArg(0) : IsAt ? Member->getImplicitObjectArgument() : nullptr;
  auto* Ref = Object ? dyn_cast<DeclRefExpr>(Object->IgnoreParenImpCasts()) : nullptr;
  if (!Ref || !isa<VarDecl>(Ref->getDecl()) || !sizeOfVector(Ref->getType()) || !Call->getType()->isArithmeticType())
    return {};
  return {Ref, Call->getArg(IsAt ? 0 : 1)};
}

class TableFinder {
public:
  TableFinder(WhileStmt* Loop, const FunctionDecl* Function, ArrayRef<ObjectValue> Objects, ASTContext& Context)
      : Function(Function), Context(Context) {
    for (const ObjectValue& Each : Objects)
      if (Each.isPointer())
        Others.insert(Each.Object.Variable);
    visit(Loop);
    Tables.remove_if([&](const auto& Each) { return Others.contains(Each.first); });
  }

  void replaceIn(Stmt* S) {
    if (Tables.empty())
      return;
    replaceExpressions(S, [&](Expr* E) -> Expr* {
      auto [Ref, Number] = elementOfVector(E);
      auto Table = Ref ? Tables.find(cast<VarDecl>(Ref->getDecl())) : Tables.end();
      if (Table == Tables.end())
        return nullptr;
      replaceIn(E); // the number
      return element(Table->second, *Ref, *elementOfVector(E).second, E->getType());
    });
  }

private:
  void visit(Stmt* S) {
    if (!S)
      return;
    if (isa<LambdaExpr>(S)) {
      for (const DeclRefExpr* Ref : References(S).All)
        Others.insert(Ref->getDecl());
      return;
    }
    if (const auto* Declaration = dyn_cast<DeclStmt>(S))
      for (const Decl* D : Declaration->decls())
        Others.insert(D);
    if (auto* Load = dyn_cast<ImplicitCastExpr>(S); Load && Load->getCastKind() == CK_LValueToRValue)
      if (auto [Ref, Number] = elementOfVector(Load->getSubExpr()->IgnoreParens()); Ref) {
        Tables.insert({cast<VarDecl>(Ref->getDecl()), nullptr});
        return visit(Number);
      }
    if (const auto* Ref = dyn_cast<DeclRefExpr>(S))
      Others.insert(Ref->getDecl());
    for (Stmt* Child : S->children())
      visit(Child);
  }

  Expr* element(VarDecl*& Table, DeclRefExpr& Vector, Expr& Number, QualType Type) {
    const NodeBuilder Build(Context);
    const ValueDecl* V = Vector.getDecl();
    if (!Table)
      Table = Build.standIn(Function, V->getIdentifier(), Context.getPointerType(Type.withConst()), &Vector, V->getLocation());
    return Build.elementAt(Build.name(Table, Vector.getLocation()), &Number, Vector.getEndLoc());
  }

  const FunctionDecl* Function;
  ASTContext& Context;
  /// With the pointers that stand for them, once these are needed.
  llvm::MapVector<const VarDecl*, VarDecl*> Tables;
  /// What something else is done with.
  llvm::DenseSet<const Decl*> Others;
};

} // namespace

void replaceTables(WhileStmt* Loop, const FunctionDecl* Function, ArrayRef<ObjectValue> Objects, ASTContext& Context) {
  TableFinder(Loop, Function, Objects, Context).replaceIn(Loop);
}

const Expr* vectorOfTable(const VarDecl* V) {
  const auto* Vector = V->isImplicit() ? dyn_cast_or_null<DeclRefExpr>(V->getInit()) : nullptr;
  return Vector && sizeOfVector(Vector->getType()) ? Vector : nullptr;
}

std::string tableName(const VarDecl* V) { return "gpurma_table_" + V->getNameAsString(); }

} // namespace gpurma
