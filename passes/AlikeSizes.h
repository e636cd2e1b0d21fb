// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members of structures that are taken to have the same size in them, which the region finds out when it begins.
//
//   distribute(u.p, v.p : rows(u.ny, u.nx))        v.nx is u.nx, as both arrays have it, and also since
//     step<<<grid, block>>>(v, u);                 the structures change places
//     std::swap(u, v);
#ifndef GPURMA_PASSES_ALIKESIZES_H
#define GPURMA_PASSES_ALIKESIZES_H

#include "passes/Region.h"
#include "passes/VariableChanges.h"

#include "clang/AST/ASTContext.h"
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace gpurma {

class AlikeSizes {
public:
  /// \p InRegion: what changes in the region's statement, \p ByHost what the host changes in it.
  AlikeSizes(const clang::ASTContext& Context, const Region& R, const ChangeFinder& InRegion, const VariableChanges& ByHost);

  /// What clauses call the extent that the member is, whenever the region reads it; null if that is not to be seen.
  const clang::Expr* extent(const clang::VarDecl* V, const clang::FieldDecl* Field) const;
  /// The same of a member that is taken to be this extent.
  const clang::Expr* take(const clang::VarDecl* V, const clang::FieldDecl* Field);
  const std::vector<AlikeSize>& taken() const { return Taken; }

private:
  using Member = std::pair<const clang::VarDecl*, const clang::FieldDecl*>;
  /// Structures that get what others of them have, and nothing else.
  using Group = std::set<const clang::VarDecl*>;

  void findGroups(const ChangeFinder& InRegion, const VariableChanges& ByHost);
  /// The group of a structure; without one only that.
  Group withOthers(const clang::VarDecl* V) const;
  void addMembersOf(const clang::Expr* Extent, const DistributedArray& A);
  void addInitialValuesOf(const clang::Expr* Extent);
  void add(const Group& Structures, const clang::FieldDecl* Field, const clang::Expr* Extent);
  /// Whether an extent is that member itself.
  static bool isOwn(const clang::Expr* Extent, const clang::VarDecl* V,
                    const clang::FieldDecl* Field);
  /// Has the region find out whether a member is an extent.
  void check(const clang::VarDecl* V, const clang::FieldDecl* Field, const clang::Expr* Extent);

  const clang::ASTContext& Context;
  const Region& R;
  std::set<Member> Changed;
  std::vector<Group> Groups;
  std::map<Member, const clang::Expr*> Extents;
  /// What is a pitch in bytes among these.
  std::set<const clang::Expr*> Pitches;
  std::set<Member> Checked;
  std::vector<AlikeSize> Taken;
};

} // namespace gpurma

#endif // GPURMA_PASSES_ALIKESIZES_H
