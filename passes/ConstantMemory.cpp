// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ConstantMemory.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "passes/CallVisitor.h"
#include "passes/Region.h"
#include "passes/VariableChanges.h"
#include "passes/VariableUses.h"

#include "clang/AST/Attr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace gpurma {
namespace {

/// Visits what the program itself has, with the function that it stands in.
class ProgramVisitor : public DynamicRecursiveASTVisitor {
public:
  explicit ProgramVisitor(ASTContext& Context) : Context(Context) {}

  bool shouldVisitTemplateInstantiations() const override { return true; }
  bool TraverseDecl(Decl* D) override {
    if (!D || (!isa<TranslationUnitDecl>(D) && Context.getSourceManager().isInSystemHeader(D->getLocation())))
      return true;
    const FunctionDecl* Outer = In;
    if (const auto* Function = dyn_cast<FunctionDecl>(D))
      In = Function;
    const bool Continue = DynamicRecursiveASTVisitor::TraverseDecl(D);
    In = Outer;
    return Continue;
  }

protected:
  ASTContext& Context;
  const FunctionDecl* In = nullptr;
};

class ConstantUseFinder : public ProgramVisitor {
public:
  ConstantUseFinder(const VarDecl* V, ASTContext& Context) : ProgramVisitor(Context), V(V->getCanonicalDecl()) {}

  ConstantUses run() {
    TraverseDecl(Context.getTranslationUnitDecl());
    Result.Others = llvm::any_of(References, [&](const DeclRefExpr* Ref) { return !Harmless.contains(Ref); });
    return std::move(Result);
  }

  /// It is not evaluated.
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr*) override { return true; }

  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    const auto* Named = dyn_cast<VarDecl>(Ref->getDecl());
    // Kernels cannot write constant memory.
    const bool OnDevice = In && (In->hasAttr<CUDAGlobalAttr>() || (In->hasAttr<CUDADeviceAttr>() && !In->hasAttr<CUDAHostAttr>()));
    if (Named && Named->getCanonicalDecl() == V && !OnDevice)
      References.push_back(Ref);
    return true;
  }

  bool VisitImplicitCastExpr(ImplicitCastExpr* Cast) override {
    if (Cast->getCastKind() == CK_LValueToRValue)
      if (const DeclRefExpr* Ref = reference(Cast->getSubExpr()))
        Harmless.insert(Ref);
    return true;
  }

  bool VisitCallExpr(CallExpr* Call) override {
    const FunctionDecl* Callee = Call->getDirectCallee();
    StringRef Name = Callee && Callee->getIdentifier() ? Callee->getName() : StringRef();
    constexpr unsigned Symbol = 0, Source = 1, Bytes = 2, Offset = 3;
    if (Name.starts_with("cudaMemcpyFromSymbol") && Call->getNumArgs() > 1) {
      if (const auto* Ref = dyn_cast<DeclRefExpr>(Call->getArg(1)->IgnoreParenCasts()))
        Harmless.insert(Ref);
      return true;
    }
    if (!Name.starts_with("cudaMemcpyToSymbol") || Call->getNumArgs() <= Bytes)
      return true;
    const auto* Ref = dyn_cast<DeclRefExpr>(Call->getArg(Symbol)->IgnoreParenCasts());
    const auto* To = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    if (!To || To->getCanonicalDecl() != V || number(Call->getArg(Bytes)) != Context.getTypeSizeInChars(To->getType()).getQuantity() ||
        (Call->getNumArgs() > Offset && !isa<CXXDefaultArgExpr>(Call->getArg(Offset)) && number(Call->getArg(Offset)) != 0))
      return true;
    Harmless.insert(Ref);
    Result.Copies.push_back({pointedTo(Call->getArg(Source)), Call->getArg(Source)});
    return true;
  }

private:
  /// Of the variable itself, or of what is read as a part of it.
  const DeclRefExpr* reference(const Expr* E) const {
    while (true) {
      E = E->IgnoreParenNoopCasts(Context);
      if (const auto* Ref = dyn_cast<DeclRefExpr>(E))
        return Ref;
      if (const auto* Member = dyn_cast<MemberExpr>(E); Member && !Member->isArrow())
        E = Member->getBase();
      else if (const auto* Subscript = dyn_cast<ArraySubscriptExpr>(E)) {
        const auto* Decay = dyn_cast<ImplicitCastExpr>(Subscript->getBase()->IgnoreParens());
        if (!Decay || Decay->getCastKind() != CK_ArrayToPointerDecay)
          return nullptr;
        E = Decay->getSubExpr();
      } else
        return nullptr;
    }
  }

  std::optional<std::int64_t> number(const Expr* E) const {
    Expr::EvalResult Known;
    if (E->isValueDependent() || !E->EvaluateAsInt(Known, Context) || !Known.Val.getInt().isRepresentableByInt64())
      return std::nullopt;
    return Known.Val.getInt().getExtValue();
  }

  /// x of &x and &x[0], and an array by its name; null for other pointers.
  const Expr* pointedTo(const Expr* E) const {
    E = E->IgnoreParenCasts();
    if (const auto* Address = dyn_cast<UnaryOperator>(E); Address && Address->getOpcode() == UO_AddrOf) {
      E = Address->getSubExpr()->IgnoreParenCasts();
      const auto* Element = dyn_cast<ArraySubscriptExpr>(E);
      return Element && number(Element->getIdx()) == 0 ? Element->getBase()->IgnoreParenImpCasts() : E;
    }
    return E->getType()->isArrayType() ? E : nullptr;
  }

  const VarDecl* V;
  ConstantUses Result;
  std::vector<const DeclRefExpr*> References;
  llvm::SmallPtrSet<const DeclRefExpr*, 8> Harmless;
};

/// The calls of a function.
class CallFinder : public ProgramVisitor {
public:
  CallFinder(const FunctionDecl* F, ASTContext& Context) : ProgramVisitor(Context), F(F->getCanonicalDecl()) { TraverseDecl(Context.getTranslationUnitDecl()); }

  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    const auto* Named = dyn_cast<FunctionDecl>(Ref->getDecl());
    References += Named && Named->getCanonicalDecl() == F;
    return true;
  }
  bool VisitCallExpr(CallExpr* Call) override {
    const FunctionDecl* Callee = Call->getDirectCallee();
    if (Callee && Callee->getCanonicalDecl() == F && !isa<CXXMethodDecl>(Callee))
      Calls.push_back(Call);
    return true;
  }

  std::vector<const CallExpr*> Calls;
  unsigned References = 0;

private:
  const FunctionDecl* F;
};

/// What is assigned to a variable or a member.
class AssignmentFinder : public DynamicRecursiveASTVisitor {
public:
  explicit AssignmentFinder(const PointerVariable& To) : To(To) {}
  bool VisitBinaryOperator(BinaryOperator* E) override {
    if (E->getOpcode() == BO_Assign && pointerVariable(E->getLHS()) == To)
      Values.push_back(E->getRHS());
    return true;
  }
  std::vector<const Expr*> Values;

private:
  const PointerVariable& To;
};

class ValueSources {
public:
  explicit ValueSources(ASTContext& Context) : Context(Context) {}

  void addVariable(const PointerVariable& V, unsigned Depth = 0) {
    constexpr unsigned MostSteps = 8;
    if (!V || Depth == MostSteps)
      return;
    const auto* In = dyn_cast<FunctionDecl>(V.Variable->getDeclContext());
    Found.push_back({nullptr, V});
    if (const auto* Parameter = dyn_cast<ParmVarDecl>(V.Variable)) {
      if (const Expr* Passed = passed(Parameter))
        addExpression(Passed, V.Members, Depth);
      return;
    }
    if (V.Members.size() == 1)
      addConstructed(V, Depth);
    if (const Expr* Init = V.Variable->getInit(); Init && !Init->isValueDependent()) {
      if (V.Members.empty())
        addExpression(Init, {}, Depth);
      else
        addExpression(Init, V.Members, Depth);
    }
    AssignmentFinder Assignments(V);
    if (In && In->hasBody())
      Assignments.TraverseStmt(In->getBody());
    if (Assignments.Values.size() == 1)
      addExpression(Assignments.Values.front(), {}, Depth);
    const FieldDecl* Field = V.Members.empty() ? memberOfObject(V.Variable) : V.Members.size() == 1 ? V.Members.front() : nullptr;
    if (const Expr* OfClass = Field && Field->hasInClassInitializer() ? Field->getInClassInitializer() : nullptr; OfClass && !OfClass->isValueDependent())
      addExpression(OfClass, {}, Depth);
  }

  /// A variable or a member of one, also through pointers to variables: `s->nx`, where that is called with `&s`.
  PointerVariable place(const Expr* E, unsigned Depth = 0) const {
    E = E->IgnoreUnlessSpelledInSource()->IgnoreParens();
    if (PointerVariable V = pointerVariable(E))
      return V;
    const auto* Member = dyn_cast<MemberExpr>(E);
    const auto* Field = Member ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr;
    if (!Field)
      return {};
    PointerVariable V = Member->isArrow() ? pointee(Member->getBase(), Depth) : place(Member->getBase(), Depth);
    if (V)
      V.Members.push_back(Field);
    return V;
  }

  /// Of an address, or a variable that begins with one.
  PointerVariable pointee(const Expr* Pointer, unsigned Depth = 0) const {
    constexpr unsigned MostSteps = 4;
    Pointer = Pointer->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
    if (const auto* Address = dyn_cast<UnaryOperator>(Pointer); Address && Address->getOpcode() == UO_AddrOf)
      return place(Address->getSubExpr(), Depth);
    const VarDecl* V = namedVariable(Pointer);
    const auto* Parameter = dyn_cast_or_null<ParmVarDecl>(V);
    const Expr* From = Parameter ? passed(Parameter) : V ? V->getInit() : nullptr;
    return From && Depth != MostSteps ? pointee(From, Depth + 1) : PointerVariable();
  }

  std::vector<LikelyValue> Found;

private:
  /// For a parameter, in the only call of its function, or in all; null if that is not known.
  const Expr* passed(const ParmVarDecl* Parameter) const {
    const auto* In = dyn_cast<FunctionDecl>(Parameter->getDeclContext());
    const unsigned Index = Parameter->getFunctionScopeIndex();
    if (!In || Index >= In->getNumParams() || In->getParamDecl(Index) != Parameter)
      return nullptr;
    const CallFinder Calls(In, Context);
    if (Calls.Calls.empty() || Calls.References != Calls.Calls.size() ||
        llvm::any_of(Calls.Calls, [&](const CallExpr* Call) { return Index >= Call->getNumArgs(); }))
      return nullptr;
    const Expr* Passed = Calls.Calls.front()->getArg(Index);
    const bool Alike = llvm::all_of(llvm::drop_begin(Calls.Calls), [&](const CallExpr* Call) { return areSameNumber(*Passed, *Call->getArg(Index)); });
    return Alike ? Passed : nullptr;
  }

  bool areSameNumber(const Expr& One, const Expr& Other) const {
    Expr::EvalResult OfOne, OfOther;
    return !One.isValueDependent() && !Other.isValueDependent() && One.EvaluateAsInt(OfOne, Context) && Other.EvaluateAsInt(OfOther, Context) &&
           llvm::APSInt::isSameValue(OfOne.Val.getInt(), OfOther.Val.getInt());
  }

  /// What a constructor of the variable is passed for it.
  void addConstructed(const PointerVariable& V, unsigned Depth) {
    const FieldDecl* Field = V.Members.front();
    const auto* Construct = V.Variable->getInit() ? dyn_cast<CXXConstructExpr>(V.Variable->getInit()->IgnoreImplicit()) : nullptr;
    const FunctionDecl* Definition = nullptr;
    if (Construct && Construct->getConstructor()->hasBody(Definition))
      for (const CXXCtorInitializer* Each : cast<CXXConstructorDecl>(Definition)->inits()) {
        if (Each->getMember() != Field)
          continue;
        const auto* Parameter = dyn_cast_or_null<ParmVarDecl>(namedVariable(Each->getInit()->IgnoreParenImpCasts()));
        if (Parameter && Parameter->getFunctionScopeIndex() < Construct->getNumArgs())
          addExpression(Construct->getArg(Parameter->getFunctionScopeIndex()), {}, Depth);
      }
  }

  void addExpression(const Expr* E, const std::vector<const FieldDecl*>& Members, unsigned Depth) {
    if (Members.empty())
      Found.push_back({E, {}});
    else if (const PassedPointer From = passedFor(E, Members); From.Expression)
      return addExpression(From.Expression, {}, Depth + 1);
    PointerVariable V = place(E);
    V.Members.insert(V.Members.end(), Members.begin(), Members.end());
    addVariable(V, Depth + 1);
  }

  ASTContext& Context;
};

/// The integers of a value, or of a member of it or of its elements. False if it has others.
bool addIntegers(const APValue& Value, QualType Type, ArrayRef<const FieldDecl*> Members, const ASTContext& Context, std::vector<std::int64_t>& To) {
  constexpr std::size_t MostValues = 4096;
  if (const ConstantArrayType* Array = Context.getAsConstantArrayType(Type)) {
    const std::uint64_t Count = Array->getSize().getZExtValue();
    if (!Value.isArray() || To.size() + Count > MostValues)
      return false;
    for (std::uint64_t I = 0; I != Count; ++I) {
      const bool Given = I < Value.getArrayInitializedElts();
      if ((!Given && !Value.hasArrayFiller()) ||
          !addIntegers(Given ? Value.getArrayInitializedElt(I) : Value.getArrayFiller(), Array->getElementType(), Members, Context, To))
        return false;
    }
    return true;
  }
  if (!Members.empty()) {
    const FieldDecl* Field = Members.front();
    const RecordDecl* Record = Type->getAsRecordDecl();
    if (!Value.isStruct() || !Record || Record->getCanonicalDecl() != Field->getParent()->getCanonicalDecl())
      return false;
    return addIntegers(Value.getStructField(Field->getFieldIndex()), Field->getType(), Members.drop_front(), Context, To);
  }
  if (!Value.isInt() || !Value.getInt().isRepresentableByInt64())
    return false;
  To.push_back(Value.getInt().getExtValue());
  return true;
}

class ConstantCollector : public CallVisitor {
public:
  explicit ConstantCollector(const FunctionDecl* Kernel) {
    enter(Kernel);
    visitEntered();
  }
  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    note(Ref);
    return CallVisitor::VisitDeclRefExpr(Ref);
  }
  bool VisitMemberExpr(MemberExpr* Member) override {
    note(Member);
    return CallVisitor::VisitMemberExpr(Member);
  }
  std::vector<PointerVariable> Found;

private:
  /// Members of elements are none of their own.
  void note(const Expr* E) {
    const PointerVariable V = pointerVariable(E);
    if (V && V.Subscripts.empty() && V.Variable->hasAttr<CUDAConstantAttr>() && !llvm::is_contained(Found, V))
      Found.push_back(V);
  }
};

} // namespace

ConstantUses constantUses(const VarDecl* V, ASTContext& Context) { return ConstantUseFinder(V, Context).run(); }

std::optional<std::vector<std::int64_t>> initialValues(const PointerVariable& Place, ASTContext& Context) {
  const VarDecl* Defining = nullptr;
  const Expr* Init = Place.Variable->getAnyInitializer(Defining);
  if (!Init || Init->isValueDependent() || Init->isTypeDependent())
    return std::nullopt;
  const APValue* Value = Defining->evaluateValue();
  std::vector<std::int64_t> Found;
  if (!Value || !addIntegers(*Value, Defining->getType(), Place.Members, Context, Found))
    return std::nullopt;
  return Found;
}

std::optional<std::vector<std::int64_t>> constantValues(const PointerVariable& Place, ASTContext& Context) {
  const VarDecl* V = Place.Variable;
  const bool Constant = isUnchangeable(Context.getBaseElementType(V->getType()));
  if (!Constant && !V->hasAttr<CUDAConstantAttr>())
    return std::nullopt;
  std::optional<std::vector<std::int64_t>> Values = initialValues(Place, Context);
  if (!Values || (!Constant && constantUses(V, Context).written()))
    return std::nullopt;
  return Values;
}

std::vector<LikelyValue> likelyValues(const PointerVariable& V, ASTContext& Context) {
  ValueSources Sources(Context);
  Sources.addVariable(V);
  return std::move(Sources.Found);
}

std::vector<LikelyValue> likelyValues(const PointerVariable& Place, const SymbolCopy& Copy, ASTContext& Context) {
  ValueSources Sources(Context);
  PointerVariable Source = Copy.Source ? Sources.place(Copy.Source) : Sources.pointee(Copy.Pointer);
  Source.Members.insert(Source.Members.end(), Place.Members.begin(), Place.Members.end());
  Sources.addVariable(Source);
  return std::move(Sources.Found);
}

std::vector<PointerVariable> namedConstants(const FunctionDecl* Kernel) { return std::move(ConstantCollector(Kernel).Found); }

} // namespace gpurma
