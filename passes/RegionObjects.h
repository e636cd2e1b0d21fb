// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The objects of the host that one region names (HostObjects.h): which variable stands for which of their calls, and which of these change
// places where the objects do.
#ifndef GPURMA_PASSES_REGIONOBJECTS_H
#define GPURMA_PASSES_REGIONOBJECTS_H

#include "frontend/Diagnostics.h"
#include "passes/HostObjects.h"
#include "passes/Region.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>
#include <utility>
#include <vector>

namespace gpurma {

class RegionObjects {
public:
  using PointerPairs = std::vector<std::pair<clang::VarDecl*, clang::VarDecl*>>;

  /// \p Function: the region's.
  RegionObjects(const clang::FunctionDecl* Function, clang::ASTContext& Context) : Function(Function), Context(Context) {}

  /// Those that clauses name, which then name the variables.
  void findInClauses(clang::WhileStmt* Loop, const Directive& Origin);
  /// The variable that stands for u.get() or u.size(), which has the type; null if none may.
  clang::VarDecl* valueOf(const PointerVariable& Object, clang::Expr* Named, const ObjectCall& Call, clang::QualType Type);
  /// The region changes what such a variable stands for, a member of the object that the call
  /// returns.
  void change(const clang::VarDecl* Value, clang::SourceLocation Loc);
  /// Of two objects, or of two structures with nothing but such: the pointers that change places. None: the region has neither.
  std::optional<PointerPairs> swap(const clang::CallExpr& Call, clang::Expr* NamedA, clang::Expr* NamedB);
  /// All that the region has. A swap moves all that the region has of its objects, pointers by swaps and numbers since they are equal.
  std::vector<ObjectValue> finish(Diagnostics& Diags);

private:
  void checkChanged(const ObjectValue& Changed, Diagnostics& Diags) const;
  ObjectValue* findValue(const PointerVariable& Object, const ObjectCall& Call);
  ObjectValue& addValue(const PointerVariable& Object, clang::Expr* Named, ObjectCall Call);
  unsigned clauseOf(const PointerVariable& Object) const;
  /// Whether a clause names the object, or all that it has.
  bool isKnown(const PointerVariable& Object, clang::QualType Type) const;

  struct Swap {
    PointerVariable First, Second;
    const clang::CallExpr* Call;
    llvm::DenseSet<const clang::VarDecl*> Values;
  };

  const clang::FunctionDecl* Function;
  clang::ASTContext& Context;
  std::vector<ObjectValue> Objects;
  std::vector<Swap> Swaps;
};

} // namespace gpurma

#endif // GPURMA_PASSES_REGIONOBJECTS_H
