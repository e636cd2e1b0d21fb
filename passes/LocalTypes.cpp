// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/LocalTypes.h"
#include "passes/VariableUses.h"
#include "clang/AST/Attr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace gpurma {
namespace {

TagDecl* tagOf(QualType Type, const ASTContext& Context) {
  return Context.getBaseElementType(Type.getNonReferenceType())->getAsTagDecl();
}

/// What of a region's statement a copy of a type would not fit.
class OtherUses {
public:
  OtherUses(const Region& R, const ASTContext& Context) : R(R), Context(Context) {
    visit(R.Statement);
    for (const Stage& S : R.Stages)
      for (unsigned I = 0; S.Kernel && I != S.Kernel->getNumParams(); ++I)
        note(tagOf(S.Kernel->getParamDecl(I)->getType(), Context));
  }
  llvm::DenseSet<const TagDecl*> Found;

private:
  void note(const TagDecl* Tag) {
    if (Tag)
      Found.insert(Tag->getCanonicalDecl());
  }

  void visit(const Stmt* S) {
    if (!S)
      return;
    // A constructor, and initialisers of members, are the type's own.
    if (const auto* Construct = dyn_cast<CXXConstructExpr>(S)) {
      const CXXConstructorDecl* Constructor = Construct->getConstructor();
      if (!Constructor->isCopyOrMoveConstructor() && (Constructor->isUserProvided() || Constructor->getParent()->hasInClassInitializer()))
        note(Constructor->getParent());
    }
    if (const auto* List = dyn_cast<InitListExpr>(S))
      if (llvm::any_of(List->inits(), [](const Expr* Init) { return isa<CXXDefaultInitExpr>(Init); }))
        note(List->getType()->getAsTagDecl());
    // A function that is still called has the type itself.
    if (const auto* Call = dyn_cast<CallExpr>(S))
      if (const FunctionDecl* F = Call->getDirectCallee(); F && !isa<CUDAKernelCallExpr>(Call) && !F->isInStdNamespace() && !F->isDefaulted()) {
        note(tagOf(F->getReturnType(), Context));
        for (const ParmVarDecl* P : F->parameters())
          note(tagOf(P->getType(), Context));
        if (const auto* Method = dyn_cast<CXXMethodDecl>(F))
          note(Method->getParent());
      }
    // Part of something else than a copy.
    if (const auto* Member = dyn_cast<MemberExpr>(S)) {
      QualType Base = Member->getBase()->getType();
      if (Member->isArrow())
        Base = Base->getPointeeType();
      if (!isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts()) && !LocalTypes::isUnnamed(Base, R, Context))
        note(tagOf(Member->getType(), Context));
    }
    for (const Stmt* Child : S->children())
      visit(Child);
    if (const auto* Declarations = dyn_cast<DeclStmt>(S))
      for (const Decl* D : Declarations->decls())
        if (const auto* V = dyn_cast<VarDecl>(D))
          visit(V->getInit());
  }

  const Region& R;
  const ASTContext& Context;
};

} // namespace

LocalTypes::LocalTypes(const Region& R, const std::string& Number, ASTContext& Context)
    : R(R), Context(Context), Prefix("gpurma_type_" + Number + "_") {
  Refused = OtherUses(R, Context).Found;
  for (const DeclRefExpr* Ref : References(R.Statement).All)
    if (const auto* V = dyn_cast<VarDecl>(Ref->getDecl()))
      add(V->getType());
    else if (const auto* Constant = dyn_cast<EnumConstantDecl>(Ref->getDecl()))
      add(Constant->getType());
  addNamed(R.Statement);
}

void LocalTypes::addNamed(const Stmt* S) {
  if (const auto* Declarations = dyn_cast<DeclStmt>(S))
    for (const Decl* D : Declarations->decls())
      if (const auto* V = dyn_cast<VarDecl>(D))
        add(V->getType());
  // What names a type itself.
  if (const auto* Cast = dyn_cast<ExplicitCastExpr>(S))
    add(Cast->getType());
  if (isa<CXXConstructExpr, InitListExpr>(S))
    add(cast<Expr>(S)->getType());
  if (const auto* Trait = dyn_cast<UnaryExprOrTypeTraitExpr>(S); Trait && Trait->isArgumentType())
    add(Trait->getArgumentType());
  for (const Stmt* Child : S->children())
    if (Child)
      addNamed(Child);
}

bool LocalTypes::isLocal(QualType Type, const ASTContext& Context) {
  const TagDecl* Tag = tagOf(Type, Context);
  return Tag && (!Tag->hasNameForLinkage() || Tag->getParentFunctionOrMethod());
}

/// Of a class in whose body the function stands.
static bool isOfClass(const TagDecl* Tag, const FunctionDecl* Function) {
  for (const DeclContext* Around = Function->getLexicalDeclContext(); isa<CXXRecordDecl>(Around);
       Around = Around->getLexicalParent())
    if (cast<CXXRecordDecl>(Around)->getCanonicalDecl() == Tag->getCanonicalDecl())
      return true;
  return false;
}

bool LocalTypes::isUnnamed(QualType Type, const Region& R, const ASTContext& Context) {
  const TagDecl* Tag = tagOf(Type, Context);
  return isLocal(Type, Context) ||
         (Tag && ((isa<CXXMethodDecl>(R.function()) && Tag->getDeclContext()->isRecord()) ||
                  isOfClass(Tag, R.function())));
}

QualType LocalTypes::pointedType(QualType Type) {
  while (Type->isPointerType())
    Type = Type->getPointeeType();
  return Type;
}

bool LocalTypes::contains(const TagDecl* Tag) const {
  return llvm::any_of(Types, [&](const auto& Each) { return Each.first == Tag->getCanonicalDecl(); });
}

bool LocalTypes::add(QualType Type) {
  if (Type->isReferenceType())
    Type = Type->getPointeeType();
  if (!isUnnamed(Type, R, Context))
    return true;
  TagDecl* Tag = tagOf(Type, Context)->getCanonicalDecl();
  if (contains(Tag))
    return true;
  if (Refused.contains(Tag))
    return false;
  auto* Record = dyn_cast<RecordDecl>(Tag);
  if (Record && (!Record->getDefinition() || !canCopy(*Record->getDefinition()))) {
    Refused.insert(Tag);
    return false;
  }
  IdentifierInfo* Own = Tag->getIdentifier();
  Types.push_back({Tag, &Context.Idents.get(Prefix + std::to_string(Types.size()) + (Own ? "_" + Own->getName().str() : ""))});
  return true;
}

bool LocalTypes::canCopy(const RecordDecl& Record) {
  const auto* Class = dyn_cast<CXXRecordDecl>(&Record);
  if (!Class || Class->isUnion() || Class->isLambda() || Class->getNumBases() != 0 || Class->isPolymorphic() || Class->field_empty() ||
      Class->hasAttr<AlignedAttr>() || Class->hasAttr<PackedAttr>() || Class->hasAttr<MaxFieldAlignmentAttr>() ||
      !Context.getRecordType(Class).isTriviallyCopyableType(Context))
    return false;
  return llvm::all_of(Class->fields(), [&](const FieldDecl* Field) {
    const QualType Pointee = pointedType(Field->getType());
    // Its copy might not have been defined before.
    if (Field->getType()->isPointerType() && isUnnamed(Pointee, R, Context) && tagOf(Pointee, Context)->getCanonicalDecl() != Record.getCanonicalDecl())
      return false;
    return Field->getIdentifier() && !Field->isBitField() && !Field->isMutable() && !Field->hasAttr<AlignedAttr>() && !Field->hasAttr<PackedAttr>() &&
           !Field->getType()->isReferenceType() && add(Field->getType());
  });
}

std::string LocalTypes::definitions(const PrintingPolicy& Policy) const {
  std::string Text;
  for (const auto& [Tag, Name] : Types) {
    if (const auto* Enum = dyn_cast<EnumDecl>(Tag)) {
      // What it promotes to may depend on its values.
      Text += std::string("enum ") + (Enum->isScoped() ? "class " : "") + Name->getName().str() +
              (Enum->isFixed() ? " : " + Enum->getIntegerType().getAsString(Policy) : "") + " {";
      for (const EnumConstantDecl* Constant : Enum->enumerators())
        Text += " " + Name->getName().str() + "_" + Constant->getNameAsString() + " = " + llvm::toString(Constant->getInitVal(), 10) + ",";
      Text += " };\n";
      continue;
    }
    Text += "struct " + Name->getName().str() + " {\n";
    for (const FieldDecl* Field : cast<RecordDecl>(Tag)->getDefinition()->fields()) {
      std::string Declared = Field->getNameAsString();
      Field->getType().getCanonicalType().getAsStringInternal(Declared, Policy);
      Text += "  " + Declared + ";\n";
    }
    Text += "};\n";
  }
  return Text;
}

LocalTypes::Renamed::Renamed(const LocalTypes& Types) {
  for (const auto& [Tag, Name] : Types.Types) {
    Originals.push_back({Tag, Tag->getDeclName(), Tag->getDeclContext()});
    Tag->setDeclName(Name);
    // Names of functions' types are printed as they are, those of classes' with the class.
    if (Tag->getDeclContext()->isRecord())
      Tag->setDeclContext(Types.Context.getTranslationUnitDecl());
  }
}

LocalTypes::Renamed::~Renamed() {
  for (const Original& Each : Originals) {
    Each.Tag->setDeclName(Each.Name);
    if (Each.Tag->getDeclContext() != Each.Context)
      Each.Tag->setDeclContext(Each.Context);
  }
}

} // namespace gpurma
