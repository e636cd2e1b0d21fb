// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/HostObjects.h"
#include "passes/HostFunctions.h"
#include "passes/Kernels.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace gpurma {

const Expr *withoutCopies(const Expr *E) {
  while (true) {
    const Expr *Inner = E->IgnoreParenImpCasts()->IgnoreImplicit();
    if (const auto *Copy = dyn_cast<CXXConstructExpr>(Inner); Copy && Copy->getConstructor()->isCopyOrMoveConstructor() && Copy->getNumArgs() == 1)
      Inner = Copy->getArg(0);
    if (Inner == E)
      return E;
    E = Inner;
  }
}

/// A variable, or a member of one or of the object.
static bool isName(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
    return isa<VarDecl>(Ref->getDecl());
  const auto *Member = dyn_cast<MemberExpr>(E);
  if (!Member || !isa<FieldDecl>(Member->getMemberDecl()))
    return false;
  return Member->isArrow() ? isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts()) : isName(Member->getBase());
}

/// Clang takes a class whose copies are deleted for trivially copyable if its destructor is trivial.
static bool hasPublicCopy(const CXXRecordDecl &Class) {
  if (Class.needsImplicitCopyConstructor())
    return !Class.defaultedCopyConstructorIsDeleted() && Class.implicitCopyConstructorHasConstParam();
  return llvm::any_of(Class.ctors(), [](const CXXConstructorDecl *Constructor) {
    unsigned OfParameter = 0;
    return Constructor->isCopyConstructor(OfParameter) && (OfParameter & Qualifiers::Const) && !Constructor->isDeleted() && isPublic(Constructor);
  });
}

bool isCopiedByBytes(QualType Type, const ASTContext &Context) {
  const CXXRecordDecl *Class = Type->getAsCXXRecordDecl();
  return Type.getUnqualifiedType().isTriviallyCopyableType(Context) && (!Class || !Class->hasDefinition() || hasPublicCopy(*Class));
}

/// A pointer that only functions of the host can name, as no function of the class is for the
/// device.
static bool keepsPointer(const CXXRecordDecl& Class) {
  return !Class.isInStdNamespace() && !Class.hasFriends() &&
         llvm::any_of(
             Class.fields(),
             [](const FieldDecl* F) { return F->getType()->isPointerType() && !isPublic(F); }) &&
         llvm::none_of(Class.methods(),
                       [](const CXXMethodDecl* Method) { return isMarkedForDevice(Method); });
}

bool isHostObject(const Expr* E) {
  QualType Type = E->getType().getNonReferenceType();
  const CXXRecordDecl *Class = Type->isDependentType() ? nullptr : Type->getAsCXXRecordDecl();
  return Class && Class->hasDefinition() && !Class->isLambda() &&
         (!isCopiedByBytes(Type, Class->getASTContext()) ||
          keepsPointer(*Class->getDefinition())) &&
         isName(E);
}

static bool isNumberOrPointer(QualType Type) { return Type->isPointerType() || Type->isIntegralOrEnumerationType() || Type->isFloatingType(); }

static QualType returnType(const CXXMethodDecl *Method) { return Method->getReturnType().getCanonicalType().getUnqualifiedType(); }

QualType ObjectCall::type() const {
  const QualType Type = Field ? Field->getType() : Cast ? Cast->getReturnType() : Method->getReturnType();
  return Type.getNonReferenceType().getCanonicalType().getUnqualifiedType();
}

bool ObjectCall::isOfClassOf(const ObjectCall &Other) const {
  auto Class = [](const ObjectCall &Call) { return Call.Field ? Call.Field->getParent() : Call.Method->getParent(); };
  return Class(*this) == Class(Other);
}

const FieldDecl* ObjectCall::member() const {
  if (Field || Cast)
    return Field;
  const FunctionDecl *Definition = Method->getDefinition();
  const Expr *Returned = Definition ? onlyReturned(Definition) : nullptr;
  const auto *Member = Returned ? dyn_cast<MemberExpr>(Returned->IgnoreParenImpCasts()) : nullptr;
  return Member && isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts())
             ? dyn_cast<FieldDecl>(Member->getMemberDecl())
             : nullptr;
}

std::string ObjectCall::key() const {
  if (const FieldDecl* Member = member())
    return "." + Member->getNameAsString();
  return (Cast ? "* " : "") + Method->getNameAsString();
}

/// `offset>(object`, of the class that has the member.
static std::string placeOf(const ObjectCall& Call, const std::string& Named, StringRef Const) {
  const FieldDecl* Member = Call.member();
  const ASTContext& Context = Member->getASTContext();
  const auto* Class = cast<CXXRecordDecl>(Member->getParent());
  std::string Object = Named;
  if (Call.Object->getType().getNonReferenceType()->getAsCXXRecordDecl()->getCanonicalDecl() !=
      Class->getCanonicalDecl())
    Object = ("static_cast<" + Const +
              Context.getRecordType(Class).getAsString(sourcePolicy(Context)) + "&>(" + Named + ")")
                 .str();
  return std::to_string(Context.toCharUnitsFromBits(Context.getFieldOffset(Member)).getQuantity()) +
         ">(" + Object + ")";
}

std::string ObjectCall::changed(const std::string& Named, const std::string& Value) const {
  const FieldDecl* Member = member();
  if (isPublic(Member))
    return Named + "." + Member->getNameAsString() + " = " + Value;
  std::string Place = placeOf(*this, Named, "");
  Place.back() = ',';
  return "::gpurma::stages::store_member<" + Place + " " + Value + ")";
}

std::string ObjectCall::text(const std::string &Named) const {
  if (Field && isPublic(Field))
    return Named + "." + Field->getNameAsString();
  if (Field)
    return "::gpurma::stages::member_at<" +
           type().getAsString(sourcePolicy(Field->getASTContext())) + ", " +
           placeOf(*this, Named, "const ");
  if (isa<CXXConversionDecl>(Method)) {
    const PrintingPolicy Policy = sourcePolicy(Method->getASTContext());
    return "static_cast<" + type().getAsString(Policy) + ">(" + Named + ")";
  }
  std::string Call = Named + "." + Method->getNameAsString() + "()";
  return Cast ? "::" + Cast->getQualifiedNameAsString() + "(" + Call + ")" : Call;
}

std::optional<ObjectCall> objectCall(const Expr *E) {
  E = withoutCopies(E);
  if (const auto *Member = dyn_cast<CXXMemberCallExpr>(E)) {
    const CXXMethodDecl *Method = Member->getMethodDecl();
    Expr *Object = Member->getImplicitObjectArgument();
    const auto *Callee = dyn_cast<MemberExpr>(Member->getCallee()->IgnoreParens());
    if (!Method || Member->getNumArgs() != 0 || Method->isVirtual() || !Callee || Callee->isArrow() || Callee->hasExplicitTemplateArgs() ||
        !isHostObject(Object->IgnoreParenImpCasts()))
      return std::nullopt;
    if (!isNumberOrPointer(returnType(Method)))
      return std::nullopt;
    return ObjectCall{Object->IgnoreParenImpCasts(), Method};
  }
  const auto *Call = dyn_cast<CallExpr>(E);
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  if (!Callee || !Callee->getIdentifier() || Callee->getName() != "raw_pointer_cast" || Call->getNumArgs() != 1 ||
      !Callee->getReturnType()->isPointerType())
    return std::nullopt;
  const auto *Data = dyn_cast<CXXMemberCallExpr>(withoutCopies(Call->getArg(0)));
  const CXXMethodDecl *Method = Data ? Data->getMethodDecl() : nullptr;
  Expr *Object = Method ? Data->getImplicitObjectArgument()->IgnoreParenImpCasts() : nullptr;
  if (!Object || Data->getNumArgs() != 0 || !Method->getIdentifier() || Method->getName() != "data" || Object->getType()->isPointerType() ||
      !isHostObject(Object))
    return std::nullopt;
  return ObjectCall{Object, Method, Callee};
}

static bool isReadable(const FieldDecl* Field) {
  return Field->getIdentifier() && !Field->isBitField() && !Field->isMutable() &&
         !Field->getType().isVolatileQualified() && isNumberOrPointer(Field->getType());
}

std::optional<ObjectCall> objectMember(const Expr *E) {
  const auto *Member = dyn_cast<MemberExpr>(E->IgnoreParenImpCasts());
  const auto *Field = Member && !Member->isArrow() ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr;
  if (!Field || !isReadable(Field) || !isHostObject(Member->getBase()->IgnoreParenImpCasts()))
    return std::nullopt;
  return ObjectCall{Member->getBase()->IgnoreParenImpCasts(), nullptr, nullptr, Field};
}

std::optional<ObjectCall> objectPart(Expr *Object, const FieldDecl *Field) {
  if (!isHostObject(Object) || !isReadable(Field))
    return std::nullopt;
  const ObjectCall Part{Object, nullptr, nullptr, Field};
  if (isPublic(Field))
    return Part;
  for (const CXXMethodDecl *Method : cast<CXXRecordDecl>(Field->getParent())->methods())
    if (Method->getAccess() == AS_public && Method->getIdentifier() && Method->isInstance() && Method->getNumParams() == 0 && !Method->isVirtual() &&
        ObjectCall{Object, Method}.key() == Part.key())
      return ObjectCall{Object, Method};
  return Part;
}

std::optional<ObjectCall> objectConversion(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (!isHostObject(E))
    return std::nullopt;
  const CXXConversionDecl *Found = nullptr;
  for (const NamedDecl *D : E->getType()->getAsCXXRecordDecl()->getDefinition()->getVisibleConversionFunctions())
    if (const auto *Conversion = dyn_cast<CXXConversionDecl>(D); Conversion && !Conversion->isExplicit() && Conversion->getConversionType()->isPointerType())
      if (!Found || Found->isConst())
        Found = Conversion;
  return Found ? std::optional(ObjectCall{const_cast<Expr *>(E), Found}) : std::nullopt;
}

/// Arithmetic, members of the object, and calls for which the same holds.
static bool isConstantOf(const Expr *E, const SourceManager &Sources) {
  E = E->IgnoreParens();
  if (isa<IntegerLiteral, FloatingLiteral, CXXBoolLiteralExpr, SubstNonTypeTemplateParmExpr, UnaryExprOrTypeTraitExpr, CXXThisExpr>(E))
    return true;
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
    return isa<EnumConstantDecl>(Ref->getDecl()) || (V && V->isConstexpr());
  }
  if (const auto *Member = dyn_cast<MemberExpr>(E)) {
    const auto *Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
    return Field && !Field->isMutable() && !Field->getType().isVolatileQualified() && !Field->getType()->isReferenceType() &&
           (!Member->isArrow() || isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts())) && isConstantOf(Member->getBase(), Sources);
  }
  if (const auto *Cast = dyn_cast<CastExpr>(E))
    return isConstantOf(Cast->getSubExpr(), Sources);
  if (const auto *Unary = dyn_cast<UnaryOperator>(E))
    return Unary->isArithmeticOp() && isConstantOf(Unary->getSubExpr(), Sources);
  if (const auto *Binary = dyn_cast<BinaryOperator>(E))
    return !Binary->isAssignmentOp() && isConstantOf(Binary->getLHS(), Sources) && isConstantOf(Binary->getRHS(), Sources);
  const auto *Call = dyn_cast<CXXMemberCallExpr>(E);
  return Call && Call->getNumArgs() == 0 && Call->getMethodDecl() && isConstantOf(Call->getImplicitObjectArgument(), Sources) &&
         isConstantCall(Call->getMethodDecl(), Sources);
}

bool isConstantCall(const CXXMethodDecl *Method, const SourceManager &Sources) {
  if (Sources.isInSystemHeader(Method->getLocation())) {
    static const llvm::StringSet<> Names = {"get", "data", "size", "length", "empty"};
    return Method->getIdentifier() && Names.contains(Method->getName());
  }
  const FunctionDecl *Definition = Method->getDefinition();
  const Expr *Returned = Definition ? onlyReturned(Definition) : nullptr;
  return Returned && isConstantOf(Returned, Sources);
}

static bool dependsOn(const CXXMethodDecl* Method, const FieldDecl* Member);

static bool dependsOn(const Stmt* S, const FieldDecl* Member) {
  if (const auto* Read = dyn_cast<MemberExpr>(S);
      Read && Read->getMemberDecl()->getCanonicalDecl() == Member->getCanonicalDecl())
    return true;
  if (const auto* Call = dyn_cast<CXXMemberCallExpr>(S);
      Call && (!Call->getMethodDecl() || dependsOn(Call->getMethodDecl(), Member)))
    return true;
  return llvm::any_of(S->children(),
                      [&](const Stmt* Child) { return Child && dependsOn(Child, Member); });
}

static bool dependsOn(const CXXMethodDecl* Method, const FieldDecl* Member) {
  const FunctionDecl* Definition = Method->getDefinition();
  const Expr* Returned = Definition ? onlyReturned(Definition) : nullptr; // isConstantCall
  return !Returned || dependsOn(Returned, Member);
}

bool dependsOn(const ObjectCall& Call, const FieldDecl* Member) {
  return Call.Field ? Call.Field->getCanonicalDecl() == Member->getCanonicalDecl()
                    : dependsOn(Call.Method, Member);
}

bool isConstantCall(const ObjectCall &Call, const SourceManager &Sources) { return Call.Field || isConstantCall(Call.Method, Sources); }

bool isObjectValue(const VarDecl *V) {
  return V->isImplicit() && !V->getInit() && V->getIdentifier() && (V->getName().ends_with(")") || V->getName().contains('.'));
}

std::string objectValueName(const VarDecl *V) {
  std::string Name = "gpurma_object_" + V->getNameAsString();
  for (char &C : Name)
    if (!llvm::isAlnum(C))
      C = '_';
  return Name;
}

std::pair<Expr *, Expr *> swappedObjects(const CallExpr &Call) {
  const FunctionDecl *Callee = Call.getDirectCallee();
  if (!Callee || !Callee->getIdentifier() || Callee->getName() != "swap")
    return {};
  std::pair<const Expr *, const Expr *> Found;
  if (const auto *Member = dyn_cast<CXXMemberCallExpr>(&Call); Member && Call.getNumArgs() == 1)
    Found = {Member->getImplicitObjectArgument(), Call.getArg(0)};
  else if (!isa<CXXMethodDecl>(Callee) && Call.getNumArgs() == 2)
    Found = {Call.getArg(0), Call.getArg(1)};
  if (!Found.first || !isHostObject(Found.first->IgnoreParenImpCasts()) || !isHostObject(Found.second->IgnoreParenImpCasts()))
    return {};
  return {const_cast<Expr *>(Found.first->IgnoreParenImpCasts()), const_cast<Expr *>(Found.second->IgnoreParenImpCasts())};
}

} // namespace gpurma
