// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of the host that keep an array of the device, such as a DeviceArray<float> of the program, a std::unique_ptr with a deleter, or
// a thrust::device_vector. A region cannot have them, since their bytes are not to be copied. It has what they return: each call
// becomes a variable, and a swap of the objects one of these.
//
//   distribute(u.get(), v.get() : rows(n))                           float *p0 = u.get(), *p1 = v.get(); int n0 = u.size();
//   for (...) {                                                      for (...) {
//     step<<<grid, block>>>(v.get(), u.get(), u.size());     ->        step<<<grid, block>>>(p1, p0, n0);
//     std::swap(u, v);                                                 std::swap(p0, p1);
//   }                                                                }
//                                                                    if (u.get() != p0) std::swap(u, v);
#ifndef GPURMA_PASSES_HOSTOBJECTS_H
#define GPURMA_PASSES_HOSTOBJECTS_H

#include "frontend/PointerVariable.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include <optional>
#include <string>
#include <vector>

namespace gpurma {

/// Without what text has no sign of, and copies that are what they copy.
const clang::Expr *withoutCopies(const clang::Expr *E);

/// u.get(), thrust::raw_pointer_cast(u.data()), what converts u to a pointer, or a member of it, u.memory.
struct ObjectCall {
  /// u, or this->u.
  clang::Expr *Object = nullptr;
  /// Null for a member.
  const clang::CXXMethodDecl *Method = nullptr;
  /// raw_pointer_cast; null without.
  const clang::FunctionDecl *Cast = nullptr;
  const clang::FieldDecl *Field = nullptr;

  /// The same for calls that return the same, such as the one for constant objects.
  std::string key() const;
  /// With the object as it is written.
  std::string text(const std::string &Named) const;
  /// What gives the member that it returns a value.
  std::string changed(const std::string& Named, const std::string& Value) const;
  clang::QualType type() const;
  /// Whose value it returns; null for what is computed.
  const clang::FieldDecl* member() const;
  /// Whether both are functions or members of one class.
  bool isOfClassOf(const ObjectCall &Other) const;
};

/// Whether it is a variable or a member of a class whose objects cannot be copied byte by byte, or
/// keep a pointer to themselves.
bool isHostObject(const clang::Expr *E);

/// Whether a region's kernel may have a copy of such a value: it is trivially copyable, and any part of the program may copy it.
bool isCopiedByBytes(clang::QualType Type, const clang::ASTContext &Context);
/// None for other expressions, and for objects that can be copied.
std::optional<ObjectCall> objectCall(const clang::Expr *E);
/// Of a member of such an object, a number or a pointer.
std::optional<ObjectCall> objectMember(const clang::Expr *E);
/// What returns such a member, which need not be public: by a function that is, or from where it
/// lies.
std::optional<ObjectCall> objectPart(clang::Expr *Object, const clang::FieldDecl *Field);
/// Of an object itself, that converts to a pointer.
std::optional<ObjectCall> objectConversion(const clang::Expr *E);

/// Whether it always returns the same for an object that nothing but swaps change.
bool isConstantCall(const clang::CXXMethodDecl *Method, const clang::SourceManager &Sources);
bool isConstantCall(const ObjectCall &Call, const clang::SourceManager &Sources);

/// Whether what such a call returns may depend on a member of the object.
bool dependsOn(const ObjectCall& Call, const clang::FieldDecl* Member);

/// swap(u, v), u.swap(v); null for other calls.
std::pair<clang::Expr *, clang::Expr *> swappedObjects(const clang::CallExpr &Call);

/// A variable of a region that stands for such a call.
struct ObjectValue {
  PointerVariable Object;
  /// The object as the function of the region names it.
  const clang::Expr *Named = nullptr;
  ObjectCall Call;
  /// Its name is that of the call, which no variable of the program has.
  clang::VarDecl *Value = nullptr;
  /// The clause that names it, whose arrays have one shape; 0: none does.
  unsigned Clause = 0;
  /// Objects that take turns with it, and of which the call has to return the same; not of a pointer.
  std::vector<const clang::Expr *> Alike;
  /// Where the region may first change the member that the call returns, by itself rather than with the whole object; invalid: it does not.
  clang::SourceLocation ChangedAt;

  bool isPointer() const { return Value->getType()->isPointerType(); }
};

/// Whether a variable is one of these.
bool isObjectValue(const clang::VarDecl *V);
/// Its name in text.
std::string objectValueName(const clang::VarDecl *V);

} // namespace gpurma

#endif // GPURMA_PASSES_HOSTOBJECTS_H
