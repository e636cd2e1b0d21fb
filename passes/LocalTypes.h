// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of variables of a region that its kernel, which stands before the region's function, has no name for: structures and
// enumerations that the function declares, nameless ones, and those of the class of a member function. The kernel has a copy of each,
// with a name of its own and the same members in the same places; values go from one to the other byte by byte.
//
//   void run(float* a, float* b, int n) {                            struct gpurma_type_0_0_fields { float *u; float *v; int n; };
//     struct fields { float *u, *v; int n; } f{a, b, n};      ->     struct gpurma_values_0 { gpurma_type_0_0_fields f; ... };
//   #pragma gpurma persistent distribute(f.u, f.v : rows(f.n))
#ifndef GPURMA_PASSES_LOCALTYPES_H
#define GPURMA_PASSES_LOCALTYPES_H

#include "passes/Region.h"
#include <string>
#include <vector>

namespace gpurma {

class LocalTypes {
public:
  /// The number is the region's.
  LocalTypes(const Region& R, const std::string& Number, clang::ASTContext& Context);

  /// Of a type without a name, or of a function's.
  static bool isLocal(clang::QualType Type, const clang::ASTContext& Context);
  /// Of a type that the region's kernel has no name for: also one of a class, in a member function, since the kernel may stand before the class.
  static bool isUnnamed(clang::QualType Type, const Region& R, const clang::ASTContext& Context);
  /// What a pointer, to a pointer or not, leads to in the end; of another type that itself.
  static clang::QualType pointedType(clang::QualType Type);
  /// Whether there is a copy of it.
  bool contains(const clang::TagDecl* Tag) const;
  /// The copies, those of members first. The types have their names.
  std::string definitions(const clang::PrintingPolicy& Policy) const;

  /// As long as it lives, the types are printed as their copies.
  class Renamed {
  public:
    explicit Renamed(const LocalTypes& Types);
    ~Renamed();
    Renamed(const Renamed&) = delete;
    Renamed& operator=(const Renamed&) = delete;

  private:
    struct Original {
      clang::TagDecl* Tag;
      clang::DeclarationName Name;
      clang::DeclContext* Context;
    };
    std::vector<Original> Originals;
  };

private:
  /// False: there can be no copy of it, or of a member.
  bool add(clang::QualType Type);
  void addNamed(const clang::Stmt* S);
  bool canCopy(const clang::RecordDecl& Record);

  const Region& R;
  clang::ASTContext& Context;
  /// With the names of their copies.
  std::vector<std::pair<clang::TagDecl*, clang::IdentifierInfo*>> Types;
  llvm::DenseSet<const clang::TagDecl*> Refused;
  std::string Prefix;
};

} // namespace gpurma

#endif // GPURMA_PASSES_LOCALTYPES_H
