// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What names an array in a clause, in a launch and in a kernel: a pointer variable, or a pointer in a structure variable or in an
// array variable.
#ifndef GPURMA_FRONTEND_POINTERVARIABLE_H
#define GPURMA_FRONTEND_POINTERVARIABLE_H

#include "clang/AST/Expr.h"
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace gpurma {

/// u, f.u, f.old.u, levels[1], f.u[0], fields[1].u.
struct PointerVariable {
  /// One of an array on the way.
  struct Subscript {
    /// How many of the members stand before it.
    std::size_t Behind = 0;
    /// None: any element.
    std::optional<std::uint64_t> Index;

    friend bool operator==(const Subscript &A, const Subscript &B) { return A.Behind == B.Behind && A.Index == B.Index; }
    friend bool operator<(const Subscript &A, const Subscript &B) { return std::tie(A.Behind, A.Index) < std::tie(B.Behind, B.Index); }
  };

  const clang::VarDecl *Variable = nullptr;
  /// From the outermost structure on; empty if the variable itself is meant.
  std::vector<const clang::FieldDecl *> Members;
  /// In the order in which they are written.
  std::vector<Subscript> Subscripts;

  PointerVariable(const clang::VarDecl *Variable = nullptr, std::vector<const clang::FieldDecl *> Members = {})
      : Variable(Variable), Members(std::move(Members)) {}

  explicit operator bool() const { return Variable != nullptr; }
  /// As the program writes it.
  std::string name() const;
  /// ".old.u", "[1].u".
  std::string memberText() const;
  clang::QualType type() const;
  /// True if it stands for several.
  bool isAnyElement() const;
  /// Whether it is \p Other, or stands for it, too.
  bool matches(const PointerVariable &Other) const;
  /// Whether it is \p Whole or a part of it, as far as is known.
  bool isPartOf(const PointerVariable &Whole) const;
  /// All that it stands for; where it is an array of pointers, its elements.
  std::vector<PointerVariable> elements() const;
  /// Of a structure: what it has, with what it has from base classes (allFields); none of a union, nor of other types.
  std::vector<PointerVariable> members() const;

  friend bool operator==(const PointerVariable &A, const PointerVariable &B) {
    return A.Variable == B.Variable && A.Members == B.Members && A.Subscripts == B.Subscripts;
  }
  friend bool operator<(const PointerVariable &A, const PointerVariable &B) {
    return std::tie(A.Variable, A.Members, A.Subscripts) < std::tie(B.Variable, B.Members, B.Subscripts);
  }
};

/// Whether a member may be named outside of its class; so may what is no member.
bool isPublic(const clang::Decl *D);

/// Its own, and those of its base classes, but for virtual ones.
std::vector<const clang::FieldDecl *> allFields(const clang::RecordDecl *Record);
/// The one of its base classes that a member is of, directly or by a base of its own; null for its own members.
const clang::CXXBaseSpecifier *baseOf(const clang::RecordDecl *Record, const clang::FieldDecl *Member);

/// The elements of an array type or of a std::array, and how many there are.
struct ArrayElements {
  clang::QualType Type;
  std::uint64_t Count = 0;
};
/// None for other types.
std::optional<ArrayElements> arrayElements(clang::QualType Type);

/// The array and the subscript of an element of such an array; null for other expressions, as for elements of what a pointer leads to.
std::pair<const clang::Expr *, const clang::Expr *> arraySubscript(const clang::Expr *E);

/// Null if the expression is something else, such as a member of what a pointer leads to, or an element whose subscript is no constant.
PointerVariable pointerVariable(const clang::Expr *E);
/// The same, where an element with such a subscript is any one.
PointerVariable anyPointerVariable(const clang::Expr *E);

} // namespace gpurma

#endif // GPURMA_FRONTEND_POINTERVARIABLE_H
