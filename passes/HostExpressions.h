// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's integers, as far as the kernels that it launches can know them.
#ifndef GPURMA_PASSES_HOSTEXPRESSIONS_H
#define GPURMA_PASSES_HOSTEXPRESSIONS_H

#include "frontend/PointerVariable.h"
#include "passes/AlikeSizes.h"
#include "passes/Polynomial.h"
#include "passes/VariableChanges.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <map>
#include <optional>
#include <vector>

namespace gpurma {

struct Region;

/// Structures that are members of variables, as variables of their own: their numbers have names as those of other structures then.
class InnerStructures {
public:
  explicit InnerStructures(clang::ASTContext& Context) : Context(Context) {}
  const clang::VarDecl* variable(const PointerVariable& Structure, const clang::DeclContext* Function);

private:
  clang::ASTContext& Context;
  std::map<PointerVariable, const clang::VarDecl*> Variables;
};

/// Integer expressions of the host as polynomials over the host's variables, so that a kernel's `n`
/// and a shape's `nx` are the same symbol where the launch passes nx for n.
class HostExpressions {
public:
  /// \p Changed: variables that have several values while the region runs; \p EverChanged: the same
  /// of its function.
  HostExpressions(clang::ASTContext& Context, const Region& R, const VariableChanges& Changed,
                  const VariableChanges& EverChanged, InnerStructures& Inside);

  /// The same of an extent. In `pitch / sizeof(float)` the pitch is a multiple, as cudaMallocPitch's is:
  /// where a kernel is passed it, that is so many floats.
  std::optional<Polynomial> extent(const clang::Expr* E);
  /// None if the value may differ from one evaluation to the next.
  std::optional<Polynomial> polynomial(const clang::Expr* E);
  /// An integer member of a structure.
  std::optional<Polynomial> member(const clang::VarDecl* V, const clang::FieldDecl* Field);
  /// The same of what a launch is passed. \p Members: from the outermost structure on.
  std::optional<Polynomial> member(const clang::Expr* Passed, llvm::ArrayRef<const clang::FieldDecl*> Members);
  /// Of a local variable that nothing changes what it was initialised with.
  std::optional<Polynomial> initialValue(const clang::Expr* E);
  /// How many threads a launch with blocks of a known size has along a dimension at most, where its grid is a quotient by that size: `nx / 16`,
  /// also as what variables were initialised with that nothing changes.
  std::optional<Polynomial> mostThreads(const clang::Expr* Grid, unsigned Dimension, std::int64_t BlockSize);
  /// With what local variables that nothing changes were initialised with, if that has still the same value; but extents are what they
  /// are called.
  Polynomial withInitialValues(Polynomial P);
  /// The variable that a structure is, or is copied from.
  const clang::VarDecl* structure(const clang::Expr* E) const;
  /// What the region has to check of sizes that have been taken to be the same.
  const std::vector<AlikeSize>& alikeSizes() const { return Alike->taken(); }

private:
  /// An integer at the end of such members.
  std::optional<Polynomial> member(const PointerVariable& Place);
  /// With pitches in bytes as so many elements.
  std::optional<Polynomial> overElements(std::optional<Polynomial> P) const;
  std::optional<Polynomial> written(const clang::Expr* E);
  /// A value after its conversion to another type, or to a field of so many bits; none if it may be
  /// another one then.
  std::optional<Polynomial> converted(std::optional<Polynomial> P, clang::QualType From,
                                      clang::QualType To,
                                      std::optional<unsigned> OfBits = std::nullopt) const;
  /// What a member is that an expression initialises.
  std::optional<Polynomial> inField(const clang::Expr& Initial, const clang::FieldDecl& Field);
  std::optional<Polynomial> writtenMember(const clang::VarDecl* V, const clang::FieldDecl* Field);
  /// What the region compares when it begins.
  std::optional<Polynomial> assumed(const PointerVariable& Place) const;
  /// Of a function of a structure that returns an expression of its members: `int size() const { return nx * ny; }`.
  std::optional<Polynomial> returned(const clang::CXXMemberCallExpr& Call);
  /// A number or a variable, by a positive number. None: it is no whole polynomial, and no variable.
  static std::optional<Polynomial> quotient(const Polynomial& Dividend, const Polynomial& Divisor);
  void notePitch(const clang::BinaryOperator& Quotient, const Polynomial& Bytes, const Polynomial& Size);
  /// What a local variable that nothing changes is computed from, if that has still the same value: `int ny = size.y;`, `int first = 1;`. Extents
  /// that are numbers are what they are called, unless they are constants.
  const clang::Expr* lastingValue(const clang::VarDecl* V) const;
  /// What a variable of the region is initialised with, or gets in the block that declares it, `int ny; ny = size.y;`, by the only assignment
  /// to it.
  const clang::Expr* firstValue(const clang::VarDecl* V) const;
  /// What may become of other variables while one has its value.
  struct Lifetime {
    const VariableChanges& Changes;
    /// The kernel of the region has a copy of each variable that it names, so that only what names a reference or a global variable changes it.
    bool OfCopies = false;
  };
  /// From a variable's declaration on.
  Lifetime lifetimeOf(const clang::VarDecl* V) const;
  /// What the function may change from there on, also by other names that it has made before.
  const VariableChanges& changedSince(const clang::VarDecl* V) const;
  bool isLasting(const clang::VarDecl* V, const clang::FieldDecl* Field, const Lifetime& During) const;
  bool isLasting(const clang::Stmt* S, const Lifetime& During) const;
  /// Quotients, results of const member functions: equal if written alike.
  std::optional<Polynomial> sameText(const clang::Expr* E);
  bool isRepeatable(const clang::Stmt* S) const;

  clang::ASTContext& Context;
  const Region& R;
  const VariableChanges& Changed;
  VariableChanges ChangedInRegion{nullptr}; ///< also by the host, between the region's kernels
  std::optional<AlikeSizes> Alike;
  const VariableChanges& EverChanged;
  mutable std::map<const clang::VarDecl*, VariableChanges> Since;
  llvm::DenseMap<const clang::VarDecl*, const clang::Expr*> OnlyAssignments;
  llvm::SmallPtrSet<const clang::ValueDecl*, 8> InExtents;
  std::vector<llvm::FoldingSetNodeID> Profiles;
  bool OfExtent = false;
  /// What `this` is in the function that returned() looks into.
  const clang::VarDecl* Object = nullptr;
  /// Pitches in bytes, over how many elements they are.
  std::map<Symbol, Polynomial> Pitches;
  InnerStructures& Inside;
};

} // namespace gpurma

#endif // GPURMA_PASSES_HOSTEXPRESSIONS_H
