// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of values while a kernel is run for all its threads at a time (KernelInterpreter.h).
#ifndef GPURMA_PASSES_ABSTRACTVALUES_H
#define GPURMA_PASSES_ABSTRACTVALUES_H

#include "passes/IntegerArithmetic.h"

#include "clang/AST/DeclCXX.h"
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace gpurma {

/// Where an lvalue lies or a pointer points.
struct Location {
  enum Kind {
    Variable, ///< a local variable, a parameter, or a member of one
    Element,  ///< what a pointer parameter of the kernel, or a pointer in one, points to
    Private,  ///< local and shared arrays, temporaries: no other block sees them
    Global,   ///< a variable outside of the kernel
    Unknown,
  } Of = Unknown;
  const clang::ValueDecl* Decl = nullptr;
  std::vector<const clang::FieldDecl*> Members;
  Polynomial Offset;
  /// Bytes that Offset counts, of a pointer that was cast: rows of a pitch in bytes begin at
  /// (char*)a + y * pitch. 0: elements of the array.
  std::int64_t Unit = 0;
  /// How many elements of the array the pointer's are each, of one that was cast to a larger type: four of float* as float4*.
  std::int64_t Elements = 1;
  /// Such an object lies at a multiple of its size.
  bool Aligned = true;
  /// Which of them, of a member of such an object: so many from that one on. 0: all.
  std::int64_t PartBegin = 0, PartElements = 0;
  /// In an element that is a structure, of how many values that lie one behind the other it leads to the first: those of a member. 0:
  /// it leads to the element, and goes on to the next one.
  std::int64_t Within = 0;

  bool sameArray(const Location& L) const {
    return Of == L.Of && Decl == L.Decl && Members == L.Members && Unit == L.Unit && Elements == L.Elements && PartBegin == L.PartBegin &&
           PartElements == L.PartElements && Within == L.Within;
  }
  friend bool operator==(const Location& A, const Location& B) {
    return A.sameArray(B) && A.Offset == B.Offset;
  }
};

struct AbstractValue {
  std::optional<Polynomial> Number;
  std::optional<Condition> Truth;
  /// What a pointer points to, what a reference refers to.
  std::optional<Location> Place;
  /// Members of a structure that are known.
  std::map<const clang::FieldDecl*, AbstractValue> Members;
  /// Elements of an array of integers that are known (indexElements).
  std::map<std::int64_t, Polynomial> Elements;
  /// A lambda, the variables that it has copied, and the object of which it is a part.
  const clang::CXXMethodDecl* Lambda = nullptr;
  std::map<const clang::ValueDecl*, AbstractValue> Captured;
  std::optional<Location> CapturedThis;
};

/// Whether the same is known of both.
bool same(const AbstractValue& A, const AbstractValue& B);

/// Forgets the elements of an array, and of the arrays of a structure.
void forgetElements(AbstractValue& V);

/// At a place of the kernel.
struct State {
  isl::set Path;
  bool Reachable = true;
  std::map<const clang::ValueDecl*, AbstractValue> Variables;
};

} // namespace gpurma

#endif // GPURMA_PASSES_ABSTRACTVALUES_H
