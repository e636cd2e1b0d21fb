// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/RegionObjects.h"

#include "passes/NodeBuilder.h"
#include "passes/Places.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace clang;

namespace gpurma {

void RegionObjects::findInClauses(WhileStmt* Loop, const Directive& Origin) {
  auto* Clauses = dyn_cast<CallExpr>(Loop->getCond()->IgnoreImplicit());
  unsigned Number = 0;
  for (const Clause& C : Origin.Clauses) {
    ++Number;
    for (unsigned I = 0; Clauses && I != C.Left; ++I) {
      unsigned At = C.Exprs[I].MarkerArg;
      Expr* E = At < Clauses->getNumArgs() ? Clauses->getArg(At) : nullptr;
      std::optional<ObjectCall> Call = E ? objectCall(E) : std::nullopt;
      if (E && !Call)
        Call = objectMember(E);
      if (E && !Call)
        Call = objectConversion(E);
      PointerVariable Object = Call && Call->type()->isPointerType() ? pointerVariable(Call->Object) : PointerVariable();
      if (!Object)
        continue;
      ObjectValue* Value = findValue(Object, *Call);
      if (!Value)
        Value = &addValue(Object, Call->Object, *Call);
      if (C.Kind == ClauseKind::Distribute)
        Value->Clause = Number;
      Clauses->setArg(At, NodeBuilder(Context).name(Value->Value, E->getExprLoc()));
    }
  }
}

VarDecl* RegionObjects::valueOf(const PointerVariable& Object, Expr* Named, const ObjectCall& Call, QualType Type) {
  ObjectValue* Found = findValue(Object, Call);
  // Arrays of one clause have one shape, and so, it is to be seen, are the numbers that their objects know.
  unsigned Clause = Type->isPointerType() ? 0 : clauseOf(Object);
  for (ObjectValue& V : Objects)
    if (!Found && Clause != 0 && !V.isPointer() && clauseOf(V.Object) == Clause && V.Call.key() == Call.key() && V.Call.isOfClassOf(Call))
      Found = &V;
  if (!Found && !isConstantCall(Call, Context.getSourceManager()))
    return nullptr;
  if (!Found)
    Found = &addValue(Object, Named, Call);
  return Found->Value;
}

void RegionObjects::change(const VarDecl* Value, SourceLocation Loc) {
  for (ObjectValue& V : Objects)
    if (V.Value == Value && V.ChangedAt.isInvalid())
      V.ChangedAt = Loc;
}

std::optional<RegionObjects::PointerPairs> RegionObjects::swap(const CallExpr& Call, Expr* NamedA, Expr* NamedB) {
  PointerVariable First = isPlace(NamedA) ? pointerVariable(NamedA) : PointerVariable();
  PointerVariable Second = isPlace(NamedB) ? pointerVariable(NamedB) : PointerVariable();
  if (!First || !Second || First == Second || (!isKnown(First, NamedA->getType()) && !isKnown(Second, NamedB->getType())))
    return std::nullopt;
  Swap& Known = Swaps.emplace_back(Swap{First, Second, &Call, {}});
  PointerPairs Pairs;
  for (const ObjectValue& V : Objects) {
    if (!V.isPointer() || !V.Object.isPartOf(First))
      continue;
    PointerVariable Other = Second;
    Other.Members.insert(Other.Members.end(), V.Object.Members.begin() + First.Members.size(), V.Object.Members.end());
    const ObjectValue* With = findValue(Other, V.Call);
    if (!With)
      continue; // finish
    Pairs.push_back({V.Value, With->Value});
    Known.Values.insert(V.Value);
    Known.Values.insert(With->Value);
  }
  return Pairs;
}

std::vector<ObjectValue> RegionObjects::finish(Diagnostics& Diags) {
  for (const Swap& Each : Swaps)
    for (const ObjectValue& V : Objects)
      if (V.isPointer() && !Diags.hasErrors() && !Each.Values.contains(V.Value) && (V.Object.isPartOf(Each.First) || V.Object.isPartOf(Each.Second)))
        Diags.report(Each.Call->getBeginLoc(), Diag::err_region_object) << V.Value->getName() << Each.Call->getSourceRange();
  for (const ObjectValue& V : Objects)
    if (V.ChangedAt.isValid())
      checkChanged(V, Diags);
  for (ObjectValue& V : Objects) {
    if (V.isPointer())
      continue;
    unsigned Clause = clauseOf(V.Object);
    for (const ObjectValue& Other : Objects) {
      bool Swapped = llvm::any_of(Swaps, [&](const Swap& Each) {
        return (V.Object == Each.First && Other.Object == Each.Second) || (V.Object == Each.Second && Other.Object == Each.First);
      });
      if (Other.isPointer() && !(Other.Object == V.Object) && (Swapped || (Clause != 0 && Other.Clause == Clause)) &&
          Other.Call.isOfClassOf(V.Call))
        V.Alike.push_back(Other.Named);
    }
  }
  return std::move(Objects);
}

void RegionObjects::checkChanged(const ObjectValue& Changed, Diagnostics& Diags) const {
  const FieldDecl* Member = Changed.Call.member();
  for (const Swap& Each : Swaps)
    if (Changed.Object.isPartOf(Each.First) || Changed.Object.isPartOf(Each.Second)) {
      Diags.report(Changed.ChangedAt, Diag::err_region_object_member)
          << Member->getName() << 0 << Changed.Named->getSourceRange();
      return;
    }
  for (const ObjectValue& Other : Objects)
    if (&Other != &Changed && Other.Object == Changed.Object &&
        dependsOn(Other.Call, Member)) {
      Diags.report(Changed.ChangedAt, Diag::err_region_object_member)
          << Member->getName() << 1 << Other.Value->getName();
      return;
    }
}

ObjectValue* RegionObjects::findValue(const PointerVariable& Object, const ObjectCall& Call) {
  const std::string Key = Call.key();
  auto It = llvm::find_if(Objects, [&](const ObjectValue& V) { return V.Object == Object && V.Call.key() == Key; });
  return It == Objects.end() ? nullptr : &*It;
}

ObjectValue& RegionObjects::addValue(const PointerVariable& Object, Expr* Named, ObjectCall Call) {
  // Of a constant reference to an object, which another name may change.
  if (Call.Method && !Named->getType().isConstQualified() && Call.Method->isConst() && !Call.Cast)
    for (const NamedDecl* D : Call.Method->getParent()->lookup(Call.Method->getDeclName()))
      if (const auto* Other = dyn_cast<CXXMethodDecl>(D); Other && !Other->isConst() && !Other->isStatic() && Other->getNumParams() == 0)
        Call.Method = Other;
  std::string Name = Object.name() + Call.key();
  if (Call.Method)
    Name = isa<CXXConversionDecl>(Call.Method) ? "(" + Object.name() + ")" : Object.name() + "." + Call.Method->getNameAsString() + "()";
  // objectValueName, of a.u.get() and of a_u.get().
  auto HaveSameText = [](StringRef A, StringRef B) {
    return std::equal(A.begin(), A.end(), B.begin(), B.end(), [](char InA, char InB) { return InA == InB || (!llvm::isAlnum(InA) && !llvm::isAlnum(InB)); });
  };
  while (llvm::any_of(Objects, [&](const ObjectValue& V) { return HaveSameText(V.Value->getName(), Name); }))
    Name.insert(Name.size() - (Call.Method ? 1 : 0), " ");
  SourceLocation Loc = Object.Variable->getLocation();
  QualType Type = Call.type();
  // A function may return a pointer to constant elements, where others change them.
  if (const FieldDecl* Member = Call.member();
      Member && Type->isPointerType() && Context.hasSimilarType(Member->getType(), Type))
    Type = Member->getType().getCanonicalType().getUnqualifiedType();
  auto* Value = VarDecl::Create(Context, const_cast<FunctionDecl*>(Function), Loc, Loc, &Context.Idents.get(Name), Type,
                                Context.getTrivialTypeSourceInfo(Type, Loc), SC_None);
  Value->setImplicit();
  return Objects.emplace_back(ObjectValue{Object, Named, Call, Value, 0, {}});
}

unsigned RegionObjects::clauseOf(const PointerVariable& Object) const {
  auto It = llvm::find_if(Objects, [&](const ObjectValue& V) { return V.Object == Object && V.Clause != 0; });
  return It == Objects.end() ? 0 : It->Clause;
}

bool RegionObjects::isKnown(const PointerVariable& Object, QualType Type) const {
  if (clauseOf(Object) != 0)
    return true;
  const auto* Class = Type->getAsCXXRecordDecl();
  return Class && Class->getNumBases() == 0 && !Class->field_empty() && llvm::all_of(Class->fields(), [&](const FieldDecl* Field) {
           PointerVariable Part = Object;
           Part.Members.push_back(Field);
           return isKnown(Part, Field->getType());
         });
}

} // namespace gpurma
