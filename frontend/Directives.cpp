// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Directives.h"
#include "PointerVariable.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <limits>

using namespace clang;

namespace gpurma {

ClauseForm formOf(ClauseKind Kind) {
  switch (Kind) {
  case ClauseKind::At:
    return ClauseForm::Element;
  case ClauseKind::Comm:
    return ClauseForm::Comm;
  case ClauseKind::Match:
    return ClauseForm::Match;
  case ClauseKind::Distribute:
    return ClauseForm::Distribute;
  case ClauseKind::Halo:
  case ClauseKind::Collect:
    return ClauseForm::Counted;
  case ClauseKind::Reduce:
    return ClauseForm::Reduce;
  case ClauseKind::Map:
    return ClauseForm::Map;
  default:
    return ClauseForm::Expression;
  }
}

bool isWindowClass(const CXXRecordDecl *Class) {
  if (!Class || !Class->getIdentifier() || Class->getName() != "window")
    return false;
  const auto *Space = llvm::dyn_cast<NamespaceDecl>(Class->getDeclContext()->getRedeclContext());
  return Space && Space->getName() == "gpurma" && Space->getDeclContext()->getRedeclContext()->isTranslationUnit();
}

QualType windowElement(QualType Type) {
  const CXXRecordDecl *Record = Type.getNonReferenceType()->getAsCXXRecordDecl();
  const auto *Window = llvm::dyn_cast_or_null<ClassTemplateSpecializationDecl>(Record);
  if (!isWindowClass(Window) || Window->getTemplateArgs().size() == 0)
    return {};
  const TemplateArgument &Element = Window->getTemplateArgs()[0];
  return Element.getKind() == TemplateArgument::Type ? Element.getAsType() : QualType();
}

std::optional<llvm::APSInt> userConstant(const Expr *E, const ASTContext &Context) {
  if (!E || E->isTypeDependent() || E->isValueDependent())
    return std::nullopt;
  if (const auto *Ref = llvm::dyn_cast<DeclRefExpr>(E))
    if (const auto *Space = llvm::dyn_cast<NamespaceDecl>(Ref->getDecl()->getDeclContext()->getRedeclContext()))
      if (Space->getName() == "gpurma")
        return std::nullopt;
  return E->getIntegerConstantExpr(Context);
}

static bool convertsTo(QualType Type, bool (*Accepts)(QualType), bool ExplicitToo) {
  Type = Type.getNonReferenceType();
  if (Accepts(Type))
    return true;
  const CXXRecordDecl *Record = Type->getAsCXXRecordDecl();
  if (!Record || !Record->hasDefinition())
    return false;
  for (const NamedDecl *Function : Record->getVisibleConversionFunctions()) {
    const auto *Conversion = llvm::dyn_cast<CXXConversionDecl>(Function->getUnderlyingDecl());
    if (!Conversion) // a conversion template may convert to anything
      return true;
    if (Accepts(Conversion->getConversionType().getNonReferenceType()) && (ExplicitToo || !Conversion->isExplicit()))
      return true;
  }
  return false;
}

static bool isInteger(QualType Type) { return Type->isIntegralOrUnscopedEnumerationType(); }
static bool isCondition(QualType Type) { return Type->isScalarType() && !Type->isScopedEnumeralType(); }

std::string ClauseChecker::clauseName(ClauseKind Kind) const {
  return (Kind == ClauseKind::Subject ? spelling(M.Origin->Kind) : spelling(Kind)).str();
}

bool ClauseChecker::integer(ClauseKind Kind, unsigned I) {
  const Expr *E = M.expr(Kind, I);
  if (!E || E->isTypeDependent())
    return false;
  if (convertsTo(E->getType(), isInteger, /*ExplicitToo=*/false))
    return true;
  Diags.report(E->getExprLoc(), Diag::err_not_integer) << clauseName(Kind) << E->getType() << E->getSourceRange();
  return false;
}

void ClauseChecker::notNegative(ClauseKind Kind, unsigned I, Diag Which) {
  if (!integer(Kind, I))
    return;
  const Expr *E = M.expr(Kind, I);
  std::optional<llvm::APSInt> Value = userConstant(E, Context);
  if (Value && Value->isSigned() && Value->isNegative())
    Diags.report(E->getExprLoc(), Which) << llvm::toString(*Value, 10) << E->getSourceRange();
}

void ClauseChecker::rank(ClauseKind Kind) {
  // null_rank has its value behind other names, too; a number that is written there is a mistake.
  const Expr *E = M.expr(Kind);
  std::optional<llvm::APSInt> Value = userConstant(E, Context);
  const auto *Minus = E ? llvm::dyn_cast<UnaryOperator>(E->IgnoreParenImpCasts()) : nullptr;
  bool Written = Minus && llvm::isa<IntegerLiteral>(Minus->getSubExpr()->IgnoreParenImpCasts());
  if (Value && Value->isSigned() && Value->isAllOnes() && !Written)
    integer(Kind, 0);
  else
    notNegative(Kind, 0, Diag::err_negative_rank);
}

void ClauseChecker::tag(ClauseKind Kind) {
  notNegative(Kind, 0, Diag::err_negative_tag);
  const Expr *E = M.expr(Kind);
  std::optional<llvm::APSInt> Value = userConstant(E, Context);
  if (Value && llvm::APSInt::compareValues(*Value, llvm::APSInt::get(std::numeric_limits<int>::max())) > 0)
    Diags.report(E->getExprLoc(), Diag::err_tag_too_large) << llvm::toString(*Value, 10) << E->getSourceRange();
}

void ClauseChecker::count() { notNegative(ClauseKind::Count, 0, Diag::err_negative_count); }

void ClauseChecker::condition() {
  const Expr *E = M.expr(ClauseKind::If);
  if (E && !E->isTypeDependent() && !convertsTo(E->getType(), isCondition, /*ExplicitToo=*/true))
    Diags.report(E->getExprLoc(), Diag::err_not_condition) << E->getType() << E->getSourceRange();
}

void ClauseChecker::flag() {
  const Expr *E = M.expr(ClauseKind::Subject);
  if (!E || E->isTypeDependent())
    return;
  enum { RValue, Const, OtherType };
  std::optional<unsigned> Wrong;
  if (!E->isLValue())
    Wrong = RValue;
  else if (!E->getType()->isBooleanType())
    Wrong = OtherType;
  else if (E->getType().isConstQualified())
    Wrong = Const;
  if (Wrong)
    Diags.report(E->getExprLoc(), Diag::err_test_flag) << *Wrong << E->getType() << E->getSourceRange();
}

void ClauseChecker::window(ClauseKind Kind) {
  const Expr *E = M.expr(Kind);
  if (E && !E->isTypeDependent() && windowElement(E->getType()).isNull())
    Diags.report(E->getExprLoc(), Diag::err_not_window) << clauseName(Kind) << E->getType() << E->getSourceRange();
}

/// The element type of the section, null if the base is dependent or (reported) no pointer.
QualType ClauseChecker::sectionElement(const Expr *&Base) {
  Base = M.expr(ClauseKind::Subject, 0);
  if (!Base || Base->isTypeDependent())
    return {};
  QualType Type = Base->getType().getNonReferenceType();
  QualType Element;
  if (const ArrayType *Array = Context.getAsArrayType(Type))
    Element = Array->getElementType();
  else if (Type->isPointerType())
    Element = Type->getPointeeType();
  if (Element.isNull() || Element->isVoidType() || Element->isFunctionType()) {
    Diags.report(Base->getExprLoc(), Diag::err_section_not_pointer) << Base->getType() << Base->getSourceRange();
    return {};
  }
  if (Element->isDependentType())
    return {};
  if (!Element->isIncompleteType() && !Element.isTriviallyCopyableType(Context)) {
    Diags.report(Base->getExprLoc(), Diag::err_element_not_trivial) << Element << Base->getSourceRange();
    return {};
  }
  return Element;
}

void ClauseChecker::section(bool Written) {
  const Expr *Base;
  QualType Element = sectionElement(Base);
  if (Written && !Element.isNull() && Element.isConstQualified())
    Diags.report(Base->getExprLoc(), Diag::err_get_const) << Element << Base->getSourceRange();
  integer(ClauseKind::Subject, 1);
  notNegative(ClauseKind::Subject, 2, Diag::err_negative_length);
}

void ClauseChecker::element() {
  window(ClauseKind::At);
  notNegative(ClauseKind::At, 1, Diag::err_negative_offset);
  const Expr *Window = M.expr(ClauseKind::At, 0), *Base = M.expr(ClauseKind::Subject, 0);
  if (!Window || !Base || Window->isTypeDependent() || Base->isTypeDependent())
    return;
  QualType InWindow = windowElement(Window->getType());
  QualType Section = Base->getType().getNonReferenceType();
  if (const ArrayType *Array = Context.getAsArrayType(Section))
    Section = Array->getElementType();
  else if (Section->isPointerType())
    Section = Section->getPointeeType();
  else
    return;
  if (InWindow.isNull() || Section->isVoidType() || Context.hasSameUnqualifiedType(InWindow, Section))
    return;
  Diags.report(Base->getExprLoc(), Diag::err_element_mismatch) << Section.getUnqualifiedType() << InWindow << Base->getSourceRange()
                                                               << Window->getSourceRange();
  if (const auto *Ref = llvm::dyn_cast<DeclRefExpr>(Window))
    Diags.report(Ref->getDecl()->getLocation(), Diag::note_window_declared) << Ref->getDecl()->getName();
}

void ClauseChecker::windowBase() {
  const Expr *Base;
  QualType Element = sectionElement(Base);
  if (!Element.isNull() && Element.isConstQualified())
    Diags.report(Base->getExprLoc(), Diag::err_window_const) << Base->getType() << Base->getSourceRange();
  integer(ClauseKind::Subject, 1);
  notNegative(ClauseKind::Subject, 2, Diag::err_negative_length);
}

/// An array of distribute, halo, collect or a region's put: the pointer that the launches of the region pass, by itself, in a structure or in an
/// array; or such an array.
void ClauseChecker::distributed(const Expr *Array, bool Collected) {
  const PointerVariable Pointer = llvm::isa<DeclRefExpr, MemberExpr>(Array) || arraySubscript(Array).first ? pointerVariable(Array) : PointerVariable();
  bool Named = static_cast<bool>(Pointer);
  QualType Type = Array->getType().getNonReferenceType();
  while (std::optional<ArrayElements> Elements = arrayElements(Type))
    Type = Elements->Type;
  QualType Element = Type->isPointerType() ? Type->getPointeeType() : QualType();
  if (!Named || Element.isNull() || Element->isVoidType() || Element->isFunctionType()) {
    enum Problem { Other, ThisMember, ArrayElement, PointedElement, PointedMember, DeviceArray, Void } What =
        llvm::isa<ArraySubscriptExpr, CXXOperatorCallExpr>(Array) ? ArrayElement : Other;
    std::string Member, Spelled = Type.getAsString(Context.getPrintingPolicy());
    // `float *u[2]` of a parameter, too.
    if (const auto *Subscript = llvm::dyn_cast<ArraySubscriptExpr>(Array))
      if (const auto *Ref = llvm::dyn_cast<DeclRefExpr>(Subscript->getBase()->IgnoreParenImpCasts());
          Ref && Ref->getType()->isPointerType() && Type->isPointerType()) {
        What = PointedElement;
        Member = Ref->getDecl()->getNameAsString();
      }
    std::string Inner;
    const Expr *Outer = Array;
    for (const auto *Field = llvm::dyn_cast<MemberExpr>(Outer); Field; Field = llvm::dyn_cast<MemberExpr>(Outer)) {
      Outer = Field->getBase()->IgnoreParenImpCasts();
      Member = Field->getMemberDecl()->getNameAsString();
      Inner = Inner.empty() ? Member : Member + "." + Inner;
      if (const auto *Pointer = llvm::dyn_cast<DeclRefExpr>(Outer); Pointer && Field->isArrow()) {
        What = PointedMember;
        Member = Pointer->getDecl()->getNameAsString();
      }
    }
    if (llvm::isa<CXXThisExpr>(Outer))
      What = ThisMember;
    if (const auto *Ref = llvm::dyn_cast<DeclRefExpr>(Array);
        Ref && Ref->getDecl()->hasAttr<CUDADeviceAttr>() && Ref->getType()->isArrayType()) {
      What = DeviceArray;
      Member = Spelled = Ref->getDecl()->getNameAsString();
      Context.getArrayDecayedType(Ref->getType()).getAsStringInternal(Spelled, Context.getPrintingPolicy());
    }
    if (Named && Type->isVoidPointerType()) {
      What = Void;
      Member = Pointer.name();
    }
    Diags.report(Array->getExprLoc(), Diag::err_distributed_not_pointer)
        << Array->getType() << What << Member << Spelled << Inner << Collected << Array->getSourceRange();
  } else if (!Element->isIncompleteType() && !Element.isTriviallyCopyableType(Context))
    Diags.report(Array->getExprLoc(), Diag::err_element_not_trivial) << Element << Array->getSourceRange();
}

void ClauseChecker::region() {
  for (const Clause &C : M.Origin->Clauses) {
    for (unsigned I = 0; I != C.Exprs.size(); ++I) {
      const Expr *E = M.argument(C.Exprs[I]);
      if (!E || E->isTypeDependent())
        continue;
      if (C.Kind == ClauseKind::Reduce) {
        QualType Type = E->getType().getNonReferenceType();
        const bool IsFlag = C.Word == Keyword::Or || C.Word == Keyword::And;
        if (!E->isLValue() || !Type->isArithmeticType() || (Type->isBooleanType() && !IsFlag) || Type.isConstQualified())
          Diags.report(E->getExprLoc(), Diag::err_reduce_not_scalar) << Type << Type->isPointerType() << E->getSourceRange();
      } else if (I < C.Left) {
        distributed(E, C.Kind == ClauseKind::Collect);
      } else if (!convertsTo(E->getType(), isInteger, /*ExplicitToo=*/false)) {
        Diags.report(E->getExprLoc(), Diag::err_not_integer)
            << (C.Kind != ClauseKind::Distribute        ? spelling(C.Kind)
                : C.HasComponents && I == C.Left ? "components"
                                                 : "rows")
            << E->getType() << E->getSourceRange();
      } else if (std::optional<llvm::APSInt> Value = userConstant(E, Context);
                 Value && Value->isSigned() && Value->isNegative()) {
        Diags.report(E->getExprLoc(), Diag::err_negative_extent)
            << (C.Kind == ClauseKind::Distribute ? 1 : C.Kind == ClauseKind::Collect ? 2 : 0) << llvm::toString(*Value, 10) << E->getSourceRange();
      }
    }
  }
}

void ClauseChecker::published() {
  const Clause &C = *M.Origin->find(ClauseKind::Subject);
  for (unsigned I = 0; I != C.Left; ++I)
    if (const Expr *Array = M.argument(C.Exprs[I]); Array && !Array->isTypeDependent())
      distributed(Array, /*Collected=*/false);
  const Expr *Depth = M.argument(C.Exprs[C.Left]);
  if (!Depth || Depth->isTypeDependent() || Depth->isValueDependent())
    return;
  std::optional<llvm::APSInt> Value = userConstant(Depth, Context);
  if (!convertsTo(Depth->getType(), isInteger, /*ExplicitToo=*/false))
    Diags.report(Depth->getExprLoc(), Diag::err_not_integer) << spelling(ClauseKind::Halo) << Depth->getType() << Depth->getSourceRange();
  else if (!Value)
    Diags.report(Depth->getExprLoc(), Diag::err_depth_not_constant) << Depth->getSourceRange();
  else if (Value->isSigned() && Value->isNegative())
    Diags.report(Depth->getExprLoc(), Diag::err_negative_extent) << 0 << llvm::toString(*Value, 10) << Depth->getSourceRange();
}

namespace {

class WindowDirective final : public DirectiveClass {
public:
  DirectiveKind kind() const override { return DirectiveKind::Window; }
  ClauseForm subject() const override { return ClauseForm::Declaration; }
  llvm::ArrayRef<ClauseRule> clauses() const override {
    static constexpr ClauseRule Rules[] = {{ClauseKind::Comm}, {ClauseKind::Match}};
    return Rules;
  }
  void check(ClauseChecker &C) const override { C.windowBase(); }
};

class PutDirective final : public DirectiveClass {
public:
  DirectiveKind kind() const override { return DirectiveKind::Put; }
  ClauseForm subject() const override { return ClauseForm::Section; }
  llvm::ArrayRef<ClauseRule> clauses() const override {
    static constexpr ClauseRule Rules[] = {
        {ClauseKind::To, true}, {ClauseKind::At, true}, {ClauseKind::Notify}, {ClauseKind::If}};
    return Rules;
  }
  void check(ClauseChecker &C) const override {
    C.section(/*Written=*/false);
    C.rank(ClauseKind::To);
    C.element();
    C.tag(ClauseKind::Notify);
    C.condition();
  }
};

class GetDirective final : public DirectiveClass {
public:
  DirectiveKind kind() const override { return DirectiveKind::Get; }
  ClauseForm subject() const override { return ClauseForm::Section; }
  llvm::ArrayRef<ClauseRule> clauses() const override {
    static constexpr ClauseRule Rules[] = {
        {ClauseKind::From, true}, {ClauseKind::At, true}, {ClauseKind::Notify}, {ClauseKind::If}};
    return Rules;
  }
  void check(ClauseChecker &C) const override {
    C.section(/*Written=*/true);
    C.rank(ClauseKind::From);
    C.element();
    C.tag(ClauseKind::Notify);
    C.condition();
  }
};

class NotifyDirective final : public DirectiveClass {
public:
  DirectiveKind kind() const override { return DirectiveKind::Notify; }
  ClauseForm subject() const override { return ClauseForm::Expression; }
  llvm::ArrayRef<ClauseRule> clauses() const override {
    static constexpr ClauseRule Rules[] = {{ClauseKind::Tag, true}, {ClauseKind::On}, {ClauseKind::If}};
    return Rules;
  }
  void check(ClauseChecker &C) const override {
    C.rank(ClauseKind::Subject);
    C.tag(ClauseKind::Tag);
    C.window(ClauseKind::On);
    C.condition();
  }
};

constexpr ClauseRule MatchingRules[] = {{ClauseKind::Tag, false, /*Wildcard=*/true},
                                        {ClauseKind::From, false, /*Wildcard=*/true},
                                        {ClauseKind::On, false, /*Wildcard=*/true},
                                        {ClauseKind::Count},
                                        {ClauseKind::If}};

class WaitDirective final : public DirectiveClass {
public:
  DirectiveKind kind() const override { return DirectiveKind::Wait; }
  ClauseForm subject() const override { return ClauseForm::None; }
  llvm::ArrayRef<ClauseRule> clauses() const override { return MatchingRules; }
  void check(ClauseChecker &C) const override {
    C.tag(ClauseKind::Tag);
    C.rank(ClauseKind::From);
    C.window(ClauseKind::On);
    C.count();
    C.condition();
  }
};

class TestDirective final : public DirectiveClass {
public:
  DirectiveKind kind() const override { return DirectiveKind::Test; }
  ClauseForm subject() const override { return ClauseForm::Expression; }
  llvm::ArrayRef<ClauseRule> clauses() const override { return MatchingRules; }
  void check(ClauseChecker &C) const override {
    C.flag();
    C.tag(ClauseKind::Tag);
    C.rank(ClauseKind::From);
    C.window(ClauseKind::On);
    C.count();
    C.condition();
  }
};

class FlushDirective final : public DirectiveClass {
public:
  DirectiveKind kind() const override { return DirectiveKind::Flush; }
  ClauseForm subject() const override { return ClauseForm::None; }
  llvm::ArrayRef<ClauseRule> clauses() const override {
    static constexpr ClauseRule Rules[] = {{ClauseKind::On}, {ClauseKind::If}};
    return Rules;
  }
  void check(ClauseChecker &C) const override {
    C.window(ClauseKind::On);
    C.condition();
  }
};

class BarrierDirective final : public DirectiveClass {
public:
  DirectiveKind kind() const override { return DirectiveKind::Barrier; }
  ClauseForm subject() const override { return ClauseForm::None; }
  llvm::ArrayRef<ClauseRule> clauses() const override {
    static constexpr ClauseRule Rules[] = {{ClauseKind::Comm}};
    return Rules;
  }
  void check(ClauseChecker &) const override {}
};

class PersistentDirective final : public DirectiveClass {
public:
  DirectiveKind kind() const override { return DirectiveKind::Persistent; }
  ClauseForm subject() const override { return ClauseForm::None; }
  llvm::ArrayRef<ClauseRule> clauses() const override {
    static constexpr ClauseRule Rules[] = {{ClauseKind::Distribute, true, false, /*Repeats=*/true},
                                           {ClauseKind::Halo, false, false, true},
                                           {ClauseKind::Reduce, false, false, true},
                                           {ClauseKind::Map, false, false, true},
                                           {ClauseKind::Collect, false, false, true}};
    return Rules;
  }
  void check(ClauseChecker &C) const override { C.region(); }
};

class PublishDirective final : public DirectiveClass {
public:
  DirectiveKind kind() const override { return DirectiveKind::Publish; }
  ClauseForm subject() const override { return ClauseForm::Published; }
  llvm::ArrayRef<ClauseRule> clauses() const override {
    static constexpr ClauseRule Rules[] = {{ClauseKind::Notify, true, false, false, /*Bare=*/true}};
    return Rules;
  }
  void check(ClauseChecker &C) const override { C.published(); }
};

class HostDirective final : public DirectiveClass {
public:
  DirectiveKind kind() const override { return DirectiveKind::Host; }
  ClauseForm subject() const override { return ClauseForm::None; }
  llvm::ArrayRef<ClauseRule> clauses() const override { return {}; }
  void check(ClauseChecker &) const override {}
};

} // namespace

const ClauseRule *DirectiveClass::find(ClauseKind Kind) const {
  const ClauseRule *It = llvm::find_if(clauses(), [&](const ClauseRule &R) { return R.Kind == Kind; });
  return It == clauses().end() ? nullptr : It;
}

llvm::ArrayRef<const DirectiveClass *> DirectiveClass::all() {
  static const WindowDirective Window;
  static const PutDirective Put;
  static const GetDirective Get;
  static const NotifyDirective Notify;
  static const WaitDirective Wait;
  static const TestDirective Test;
  static const FlushDirective Flush;
  static const BarrierDirective Barrier;
  static const PersistentDirective Persistent;
  static const PublishDirective Publish;
  static const HostDirective Host;
  static const DirectiveClass *const All[] = {&Window, &Put, &Get, &Notify, &Wait, &Test, &Flush, &Barrier, &Persistent, &Publish, &Host};
  return All;
}

const DirectiveClass *DirectiveClass::find(llvm::StringRef Name) {
  for (const DirectiveClass *Class : all())
    if (Class->name() == Name)
      return Class;
  return nullptr;
}

const DirectiveClass &DirectiveClass::get(DirectiveKind Kind) { return *all()[static_cast<unsigned>(Kind)]; }

} // namespace gpurma
