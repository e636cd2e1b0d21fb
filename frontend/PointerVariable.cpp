// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PointerVariable.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace clang;

namespace gpurma {

std::string PointerVariable::memberText() const {
  std::string Text;
  auto Next = Subscripts.begin();
  for (std::size_t I = 0; I <= Members.size(); ++I) {
    for (; Next != Subscripts.end() && Next->Behind == I; ++Next)
      Text += "[" + (Next->Index ? std::to_string(*Next->Index) : "") + "]";
    if (I != Members.size())
      Text += "." + Members[I]->getNameAsString();
  }
  return Text;
}

std::string PointerVariable::name() const { return Variable->getNameAsString() + memberText(); }

QualType PointerVariable::type() const {
  QualType Type = Members.empty() ? Variable->getType() : Members.back()->getType();
  for (const Subscript &S : Subscripts)
    if (S.Behind == Members.size())
      Type = arrayElements(Type)->Type;
  return Type;
}

bool PointerVariable::isAnyElement() const {
  return llvm::any_of(Subscripts, [](const Subscript &S) { return !S.Index; });
}

bool PointerVariable::matches(const PointerVariable &Other) const {
  return Variable == Other.Variable && Members == Other.Members &&
         std::equal(Subscripts.begin(), Subscripts.end(), Other.Subscripts.begin(), Other.Subscripts.end(),
                    [](const Subscript &A, const Subscript &B) { return A.Behind == B.Behind && (!A.Index || A.Index == B.Index); });
}

bool PointerVariable::isPartOf(const PointerVariable &Whole) const {
  return Variable == Whole.Variable && Members.size() >= Whole.Members.size() && Subscripts.size() >= Whole.Subscripts.size() &&
         std::equal(Whole.Members.begin(), Whole.Members.end(), Members.begin()) &&
         std::equal(Whole.Subscripts.begin(), Whole.Subscripts.end(), Subscripts.begin());
}

std::vector<PointerVariable> PointerVariable::elements() const {
  PointerVariable Whole = *this;
  // A subscript for each dimension of an array.
  while (arrayElements(Whole.type()))
    Whole.Subscripts.push_back({Members.size(), std::nullopt});
  std::vector<PointerVariable> All = {Whole};
  for (std::size_t I = 0; I != Whole.Subscripts.size(); ++I) {
    if (Whole.Subscripts[I].Index)
      continue;
    PointerVariable Array = Whole;
    Array.Subscripts.resize(I);
    Array.Members.resize(Whole.Subscripts[I].Behind);
    const std::uint64_t Count = arrayElements(Array.type())->Count;
    std::vector<PointerVariable> More;
    for (const PointerVariable &Each : All)
      for (std::uint64_t Index = 0; Index != Count; ++Index) {
        More.push_back(Each);
        More.back().Subscripts[I].Index = Index;
      }
    All = std::move(More);
  }
  return All;
}

std::vector<PointerVariable> PointerVariable::members() const {
  std::vector<PointerVariable> All;
  const RecordDecl *Record = type()->getAsRecordDecl();
  if (!Record || Record->isUnion())
    return All;
  for (const FieldDecl *Field : allFields(Record)) {
    All.push_back(*this);
    All.back().Members.push_back(Field);
  }
  return All;
}

bool isPublic(const Decl *D) { return D->getAccess() == AS_public || D->getAccess() == AS_none; }

std::vector<const FieldDecl *> allFields(const RecordDecl *Record) {
  std::vector<const FieldDecl *> All;
  if (const auto *Class = llvm::dyn_cast<CXXRecordDecl>(Record); Class && Class->hasDefinition())
    for (const CXXBaseSpecifier &Base : Class->bases())
      if (const auto *Of = Base.getType()->getAsCXXRecordDecl(); Of && !Base.isVirtual())
        llvm::append_range(All, allFields(Of));
  llvm::append_range(All, Record->fields());
  return All;
}

const CXXBaseSpecifier *baseOf(const RecordDecl *Record, const FieldDecl *Member) {
  const auto *Class = llvm::dyn_cast_or_null<CXXRecordDecl>(Record);
  if (!Class || !Class->hasDefinition() || Class->getCanonicalDecl() == Member->getParent()->getCanonicalDecl())
    return nullptr;
  auto IsOf = [&](const CXXBaseSpecifier &Base) {
    const auto *Of = Base.getType()->getAsCXXRecordDecl();
    return Of && llvm::is_contained(allFields(Of), Member);
  };
  auto It = llvm::find_if(Class->bases(), IsOf);
  return It == Class->bases_end() ? nullptr : &*It;
}

std::optional<ArrayElements> arrayElements(QualType Type) {
  Type = Type.getNonReferenceType();
  if (const auto *Array = llvm::dyn_cast_or_null<ConstantArrayType>(Type->getAsArrayTypeUnsafe()))
    return ArrayElements{Array->getElementType(), Array->getSize().getZExtValue()};
  const auto *Class = llvm::dyn_cast_or_null<ClassTemplateSpecializationDecl>(Type->getAsCXXRecordDecl());
  if (!Class || !Class->isInStdNamespace() || Class->getName() != "array" || Class->getTemplateArgs().size() != 2 ||
      Class->getTemplateArgs()[0].getKind() != TemplateArgument::Type || Class->getTemplateArgs()[1].getKind() != TemplateArgument::Integral)
    return std::nullopt;
  return ArrayElements{Class->getTemplateArgs()[0].getAsType(), Class->getTemplateArgs()[1].getAsIntegral().getZExtValue()};
}

std::pair<const Expr *, const Expr *> arraySubscript(const Expr *E) {
  std::pair<const Expr *, const Expr *> Found;
  if (const auto *Element = llvm::dyn_cast<ArraySubscriptExpr>(E))
    Found = {Element->getBase()->IgnoreParenImpCasts(), Element->getIdx()};
  else if (const auto *Call = llvm::dyn_cast<CXXOperatorCallExpr>(E); Call && Call->getOperator() == OO_Subscript && Call->getNumArgs() == 2)
    Found = {Call->getArg(0)->IgnoreParenImpCasts(), Call->getArg(1)};
  return Found.first && arrayElements(Found.first->getType()) ? Found : std::pair<const Expr *, const Expr *>();
}

PointerVariable anyPointerVariable(const Expr *E) {
  PointerVariable Found;
  // Where subscripts stand, counted from the end.
  std::vector<std::pair<std::size_t, const Expr *>> Subscripts;
  for (E = E ? E->IgnoreParenCasts() : nullptr; E; E = E->IgnoreParenImpCasts()) {
    if (const auto *Member = llvm::dyn_cast<MemberExpr>(E)) {
      const auto *Field = llvm::dyn_cast<FieldDecl>(Member->getMemberDecl());
      if (!Field || Member->isArrow())
        return {};
      Found.Members.push_back(Field);
      E = Member->getBase();
    } else if (auto [Array, Index] = arraySubscript(E); Array) {
      Subscripts.push_back({Found.Members.size(), Index});
      E = Array;
    } else {
      break;
    }
  }
  std::reverse(Found.Members.begin(), Found.Members.end());
  const auto *Ref = llvm::dyn_cast_or_null<DeclRefExpr>(E);
  Found.Variable = Ref ? llvm::dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!Found.Variable)
    return {};
  for (const auto &[FromEnd, Index] : llvm::reverse(Subscripts)) {
    Expr::EvalResult Known;
    bool IsConstant = !Index->isValueDependent() && Index->EvaluateAsInt(Known, Found.Variable->getASTContext()) && !Known.Val.getInt().isNegative();
    Found.Subscripts.push_back({Found.Members.size() - FromEnd,
                                IsConstant ? std::optional(Known.Val.getInt().getZExtValue()) : std::nullopt});
  }
  return Found;
}

PointerVariable pointerVariable(const Expr *E) {
  PointerVariable Found = anyPointerVariable(E);
  return Found && !Found.isAnyElement() ? Found : PointerVariable();
}

} // namespace gpurma
