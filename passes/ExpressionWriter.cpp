// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ExpressionWriter.h"

#include "frontend/SourceText.h"
#include "passes/ArrayCopies.h"
#include "passes/ConstantNumbers.h"
#include "passes/ErrorChecks.h"
#include "passes/HostFunctions.h"
#include "passes/HostObjects.h"
#include "passes/HostSums.h"
#include "passes/HostTables.h"
#include "passes/Kernels.h"
#include "passes/LaunchWriter.h"
#include "passes/Lvalues.h"
#include "passes/Places.h"
#include "passes/RegionNames.h"
#include "passes/StreamEvents.h"
#include "passes/StreamOutput.h"
#include "passes/VariableUses.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/Builtins.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include <utility>

using namespace clang;

namespace gpurma {
namespace {

/// Functions of std that device code may not call everywhere, and that <gpurma/device/stages.h> has as well.
bool hasDeviceTwin(const FunctionDecl* Function) {
  // Not the ones with a comparison. For those of an initializer list see listOfExtremum().
  static const llvm::StringMap<unsigned> Parameters = {{"swap", 2}, {"max", 2}, {"min", 2}, {"exchange", 2}, {"move", 1}, {"clamp", 3}};
  if (!Function->isInStdNamespace() || !Function->getIdentifier())
    return false;
  auto Twin = Parameters.find(Function->getName());
  return Twin != Parameters.end() && Twin->second == Function->getNumParams();
}

/// What `std::min({a, b, c})` and `std::max({...})` choose from; null: it is no such call.
const InitListExpr* listOfExtremum(const CallExpr& Call) {
  const FunctionDecl* Callee = Call.getDirectCallee();
  const bool IsExtremum = Callee && Callee->isInStdNamespace() && Callee->getIdentifier() &&
                          (Callee->getName() == "min" || Callee->getName() == "max");
  if (!IsExtremum || Call.getNumArgs() != 1)
    return nullptr;
  const auto* Whole = dyn_cast<CXXStdInitializerListExpr>(Call.getArg(0)->IgnoreImplicit());
  return Whole ? dyn_cast<InitListExpr>(Whole->getSubExpr()->IgnoreImplicit()) : nullptr;
}

/// Memory that a pointer leads to.
bool isBehindPointer(const Stmt* S) {
  if (const auto* Deref = dyn_cast<UnaryOperator>(S))
    return Deref->getOpcode() == UO_Deref && Deref->getSubExpr()->getType()->isPointerType() &&
           !Deref->getType()->isFunctionType();
  if (const auto* Element = dyn_cast<ArraySubscriptExpr>(S)) {
    const Expr* Base = Element->getBase()->IgnoreParenImpCasts();
    return !Base->getType()->isArrayType() || isBehindPointer(Base);
  }
  const auto* Member = dyn_cast<MemberExpr>(S);
  return Member && Member->isArrow() && !isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts());
}

/// What is behind a pointer depends on stages that other ranks run. A row of a pointer to rows, `a[y]`, is no more than an address.
bool isMemoryAccess(const Stmt* S) {
  const auto* Element = dyn_cast<ArraySubscriptExpr>(S);
  if (const VarDecl* Table = Element ? namedVariable(Element->getBase()) : nullptr; Table && vectorOfTable(Table))
    return false; // nothing changes it
  const bool Row = isa<UnaryOperator, ArraySubscriptExpr>(S) && cast<Expr>(S)->getType()->isArrayType();
  return isBehindPointer(S) && !Row;
}

/// n * sizeof *a, n * sizeof(v[0]): nothing is accessed.
bool isSizeOfMemory(const UnaryExprOrTypeTraitExpr& Size) {
  if (Size.getKind() != UETT_SizeOf || Size.isArgumentType())
    return false;
  const Expr* Of = Size.getArgumentExpr()->IgnoreParens();
  const auto* Call = dyn_cast<CallExpr>(Of);
  return isBehindPointer(Of) || (Call && isSubscriptOfContainer(*Call));
}

/// changed, of cudaMemcpyToSymbol(changed, ...) and cudaMemcpyFromSymbol(..., changed, ...).
const VarDecl* copiedSymbol(const CallExpr& Call) {
  for (unsigned I = 0; I != std::min(Call.getNumArgs(), 2u); ++I)
    if (const VarDecl* V = namedVariable(Call.getArg(I)->IgnoreParenCasts()); V && V->hasAttr<CUDADeviceAttr>() && V->getType()->isArithmeticType())
      return V;
  return nullptr;
}

/// memcpy(&value, &bits, sizeof value): between variables of the region.
bool copiesBits(const CallExpr& Call, StringRef Name) {
  return Name == "memcpy" && llvm::all_of(ArrayRef<const Expr*>{Call.getArg(0), Call.getArg(1)}, [](const Expr* E) {
           const auto* Address = dyn_cast<UnaryOperator>(E->IgnoreParenCasts());
           return Address && Address->getOpcode() == UO_AddrOf && !isMemoryAccess(Address->getSubExpr()->IgnoreParens());
         });
}

/// As err_region_call has them.
enum HostCall { OfProgram, Prints, MeasuresTime, OfLibrary, OfMemory };
HostCall wayOut(const FunctionDecl& Callee) {
  return llvm::StringSwitch<HostCall>(Callee.getNameAsString())
      .Cases("fprintf", "puts", "fputs", "putchar", "fputc", "operator<<", Prints)
      .Cases("now", "clock", "time", "gettimeofday", "clock_gettime", "MPI_Wtime", "omp_get_wtime", MeasuresTime)
      .Default(OfLibrary);
}

/// As ::gpurma::stages::row_distance has it.
std::string rowDistance(const Stage& S) {
  const AxisAccess& Rows = (*S.Accesses.Arrays.back().Reads)[S.Accesses.RowDimension];
  StringRef How = Rows.Whole ? "any" : Rows.Periodic ? "periodic" : "exact";
  return "{::gpurma::stages::row_distance::" + How.str() + ", " + std::to_string(S.Copied.Distance.value_or(0)) + "}";
}

/// Where a function is called with the constant that it compares its parameter with.
bool isOfOneVariable(const BinaryOperator& Compare) {
  const auto* Left = dyn_cast<DeclRefExpr>(Compare.getLHS()->IgnoreParenImpCasts());
  const auto* Right = dyn_cast<DeclRefExpr>(Compare.getRHS()->IgnoreParenImpCasts());
  return Left && Right && Left->getDecl() == Right->getDecl() && isa<VarDecl>(Left->getDecl()) &&
         Left->getType()->isIntegralOrEnumerationType() && !Left->getType().isVolatileQualified();
}

bool isOfSuccesses(const BinaryOperator& Compare) {
  return Compare.isEqualityOp() && errorCheck(&Compare) && isSuccess(Compare.getLHS()) && isSuccess(Compare.getRHS());
}

} // namespace

ExpressionWriter::ExpressionWriter(RegionDraft& Draft) : Draft(Draft), Context(Draft.U.context()), Policy(sourcePolicy(Context)) {
  Policy.SuppressImplicitBase = true;
  Policy.ConstantsAsWritten = true;
  Policy.PrintCanonicalTypes = true;
}

std::string ExpressionWriter::text(const Expr* E) {
  std::string Text;
  llvm::raw_string_ostream To(Text);
  E->printPretty(To, this, Policy);
  return Text;
}

void ExpressionWriter::discard(const Expr* E) {
  E = E->IgnoreUnlessSpelledInSource();
  if (const auto* Cast = dyn_cast<CastExpr>(E); Cast && Cast->getCastKind() == CK_ToVoid)
    return discard(Cast->getSubExpr());
  if (const auto* Choice = dyn_cast<ConditionalOperator>(E)) {
    discard(Choice->getTrueExpr());
    discard(Choice->getFalseExpr());
  }
  if (const auto* Binary = dyn_cast<BinaryOperator>(E);
      Binary && (Binary->isCommaOp() || Binary->isLogicalOp()))
    discard(Binary->getRHS());
  if (isa<CallExpr>(E))
    Discarded.insert(E);
}

std::string ExpressionWriter::readText(const Expr* E) {
  if (const std::optional<std::string> Scalar = reducedText(E))
    return *Scalar + ".value()";
  const Expr* Inner = E->IgnoreParenImpCasts();
  if (const auto* Choice = dyn_cast<ConditionalOperator>(Inner))
    return "(" + text(Choice->getCond()) + " ? " + readText(Choice->getTrueExpr()) + " : " + readText(Choice->getFalseExpr()) + ")";
  if (const auto* Comma = dyn_cast<BinaryOperator>(Inner); Comma && Comma->isCommaOp())
    return "(" + text(Comma->getLHS()) + ", " + readText(Comma->getRHS()) + ")";
  return text(E);
}

std::string ExpressionWriter::named(QualType Type, std::string Name) const {
  Type.getAsStringInternal(Name, Policy);
  return Name;
}

std::string ExpressionWriter::member(QualType Type, std::string Name) const {
  return named(Type.getNonReferenceType().getUnqualifiedType(), std::move(Name));
}

bool ExpressionWriter::handledStmt(Stmt* S, raw_ostream& To) {
  if (auto* E = dyn_cast<Expr>(S))
    if (E->isTypeDependent())
      return false;
  if (auto Sum = llvm::find_if(Draft.R.HostSums, [&](const HostSum& Each) { return Each.First && Each.First == S; }); Sum != Draft.R.HostSums.end()) {
    To << reducedName(Draft.R.Reductions[Sum->From]) << ".value()";
    return true;
  }
  if (const auto* E = dyn_cast<Expr>(S); E && (E->getType()->isVoidType() || E->getType()->isPointerType() || isCudaError(E->getType())) &&
                                         llvm::any_of(Draft.R.HostArrays, [&](const VarDecl* V) { return isMemoryOf(E, V, Context); })) {
    To << (isCudaError(E->getType()) ? "(static_cast<void>(0), ::cudaSuccess)" : "static_cast<void>(0)");
    return true;
  }
  if (const auto* Cast = dyn_cast<ImplicitCastExpr>(S)) {
    if (Cast->getCastKind() == CK_LValueToRValue)
      if (std::optional<std::string> Bits = bitsOfVariable(*Cast->getSubExpr())) {
        To << *Bits;
        return true;
      }
    // Its value, also for a const reference: std::max(*norm, 1e-6f).
    if (Cast->getCastKind() == CK_LValueToRValue || (Cast->getCastKind() == CK_NoOp && Cast->getType().isConstQualified()))
      if (llvm::any_of(alternatives(Cast->getSubExpr()), [&](const Expr* Each) { return reducedBy(Each) || !reducedChoice(Each).empty(); })) {
        To << readText(Cast->getSubExpr());
        return true;
      }
    return false;
  }
  if (const auto* E = dyn_cast<Expr>(S))
    if (const std::optional<std::string> Scalar = reducedText(E)) {
      if (E->isGLValue() && !Assigned.contains(E->IgnoreParens()))
        report(E->getExprLoc(), Diag::err_region_variable) << spelled(E) << Reduced;
      To << *Scalar;
      return true;
    }
  if (const auto* Assignment = dyn_cast<BinaryOperator>(S); Assignment && Assignment->isAssignmentOp())
    Assigned.insert(Assignment->getLHS()->IgnoreParens());
  if (const auto* Step = dyn_cast<UnaryOperator>(S); Step && Step->isIncrementDecrementOp())
    Assigned.insert(Step->getSubExpr()->IgnoreParens());
  if (const auto* Comma = dyn_cast<BinaryOperator>(S); Comma && Comma->isCommaOp())
    discard(Comma->getLHS());
  if (const auto* Cast = dyn_cast<CastExpr>(S); Cast && Cast->getCastKind() == CK_ToVoid)
    discard(Cast->getSubExpr());
  // The backend warns of a comparison of something with itself.
  if (const auto* Compare = dyn_cast<BinaryOperator>(S); Compare && Compare->isComparisonOp() && Compare->getOpcode() != BO_Cmp &&
                                                         (isOfOneVariable(*Compare) || isOfSuccesses(*Compare))) {
    const BinaryOperatorKind Op = Compare->getOpcode();
    To << (Op == BO_EQ || Op == BO_LE || Op == BO_GE ? "true" : "false");
    return true;
  }
  if (const auto* Launch = dyn_cast<CUDAKernelCallExpr>(S)) {
    report(Launch->getBeginLoc(), Diag::err_region_launch_form) << 0;
    return true;
  }
  if (const auto* Call = dyn_cast<CallExpr>(S))
    return call(*Call, To);
  if (const auto* Ref = dyn_cast<DeclRefExpr>(S))
    return reference(*Ref, To);
  if (const auto* Field = dyn_cast<MemberExpr>(S); Field && isa<CXXThisExpr>(Field->getBase()->IgnoreParenImpCasts())) {
    report(Field->getMemberLoc(), Diag::err_region_variable) << Field->getMemberDecl()->getNameAsString() << Member;
    return true;
  }
  if (const auto* Named = dyn_cast<MemberExpr>(S); Named && isa<VarDecl>(Named->getMemberDecl())) {
    report(Named->getMemberLoc(), Diag::err_region_variable) << Named->getMemberDecl()->getNameAsString() << StaticMember
                                                              << Named->getMemberDecl()->getQualifiedNameAsString();
    return true;
  }
  if (isa<CXXThisExpr>(S)) {
    report(S->getBeginLoc(), Diag::err_region_variable) << "this" << Member;
    return true;
  }
  if (const auto* E = dyn_cast<Expr>(S))
    if (const VarDecl* Pointer = pointerOf(E); Pointer && Draft.Result.HostScalars.count(Pointer)) {
      To << hostScalar(Pointer, E->getExprLoc());
      return true;
    }
  if (const ArraySubscriptExpr* Element = addressedElement(S);
      Element && !reducedBy(Element) && !Draft.Result.HostScalars.count(pointerOf(Element))) {
    To << "&" << text(Element->getBase()) << "[" << text(Element->getIdx()) << "]";
    return true;
  }
  if (isMemoryAccess(S)) {
    unsupported(S);
    return true;
  }
  if (const auto* Size = dyn_cast<UnaryExprOrTypeTraitExpr>(S); Size && isSizeOfMemory(*Size)) {
    To << "sizeof(" << member(Size->getArgumentExpr()->getType(), "") << ")";
    return true;
  }
  // `size_t(n)`: what a type is printed as may have several words.
  if (const auto* Cast = dyn_cast<CXXFunctionalCastExpr>(S); Cast && Cast->getType()->isScalarType()) {
    const auto* List = dyn_cast<InitListExpr>(Cast->getSubExpr()->IgnoreImplicit());
    const Expr* Value = !List ? Cast->getSubExpr() : List->getNumInits() != 0 ? List->getInit(0) : nullptr;
    To << "((" << member(Cast->getType(), "") << ")(" << (Value ? text(Value) : "0") << "))";
    return true;
  }
  if (const auto* Zero = dyn_cast<CXXScalarValueInitExpr>(S)) {
    To << "((" << member(Zero->getType(), "") << ")(0))";
    return true;
  }
  if (const auto* Construct = dyn_cast<CXXConstructExpr>(S); Construct && Construct->getConstructor()->isUserProvided())
    checkCallee(Construct->getBeginLoc(), Construct->getSourceRange(), *Construct->getConstructor());
  if (isa<CXXNewExpr, CXXDeleteExpr, CXXThrowExpr, LambdaExpr, StmtExpr, CXXTypeidExpr, CXXDynamicCastExpr>(S)) {
    unsupported(S);
    return true;
  }
  return false;
}

bool ExpressionWriter::reference(const DeclRefExpr& Ref, raw_ostream& To) {
  const ValueDecl* D = Ref.getDecl();
  if (const auto* Function = dyn_cast<FunctionDecl>(D)) {
    if (isa<CXXMethodDecl>(Function) || Function->isOverloadedOperator())
      return false;
    if (hasDeviceTwin(Function)) {
      To << "::gpurma::stages::" << Function->getName();
      if (Ref.hasExplicitTemplateArgs()) // std::min<long>(i, n)
        To << '<' << member(Function->getTemplateSpecializationArgs()->get(0).getAsType(), "") << '>';
    } else if (Function->getTemplateSpecializationArgs() && Ref.hasExplicitTemplateArgs())
      To << qualifiedName(Function).value_or(Function->getNameAsString());
    else {
      To << "::";
      Function->printQualifiedName(To, Policy);
    }
    return true;
  }
  if (const auto* Constant = dyn_cast<EnumConstantDecl>(D)) {
    if (hasCopy(Constant->getType())) {
      To << "static_cast<" << member(Constant->getType(), "") << ">(" << llvm::toString(Constant->getInitVal(), 10) << ")";
      return true;
    }
    To << "::";
    D->printQualifiedName(To, Policy);
    return true;
  }
  const auto* Variable = dyn_cast<VarDecl>(D);
  if (!Variable) {
    report(Ref.getLocation(), Diag::err_region_variable) << D->getNameAsString() << Unnamed;
    return true;
  }
  if (Draft.R.Kept.contains(Variable)) {
    To << keptName(Draft.R, Variable);
    return true;
  }
  if (Draft.R.declares(Variable))
    return false;
  if (Draft.R.findReduction(Variable)) {
    report(Ref.getLocation(), Diag::err_region_variable) << Variable->getName() << Reduced;
    return true;
  }
  bool Global = Variable->hasGlobalStorage() && !Variable->isStaticLocal();
  // The region's kernel may not name what is private to a class.
  const bool IsConstant = Variable->isUsableInConstantExpressions(Context) && !Variable->getType()->isReferenceType();
  if (Global && IsConstant && !Variable->isStaticDataMember()) {
    To << globalName(Variable, Policy);
    return true;
  }
  capture(*Variable, Ref.getLocation());
  To << capturedName(Variable, Draft.P);
  return true;
}

/// What a copy of it changes by these is another one's.
static bool hasReferences(QualType Type) {
  const auto* Record = Type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  return Record && Record->hasDefinition() && !Record->isLambda() && llvm::any_of(Record->fields(), [](const FieldDecl* F) {
    return F->getType()->isReferenceType() || hasReferences(F->getType());
  });
}

bool ExpressionWriter::isUnnamed(QualType Type) const {
  return LocalTypes::isUnnamed(Type, Draft.R, Context) && !hasCopy(Type);
}

bool ExpressionWriter::hasCopy(QualType Type) const {
  const TagDecl* Tag = Context.getBaseElementType(Type)->getAsTagDecl();
  return Tag && Draft.Types.contains(Tag);
}

void ExpressionWriter::capture(const VarDecl& Variable, SourceLocation Loc) {
  if (!Draft.Result.Captured.insert(&Variable))
    return;
  QualType Type = Variable.getType().getNonReferenceType();
  if (!isCopiedByBytes(Type, Context) || hasReferences(Type))
    report(Loc, Diag::err_region_variable) << Variable.getName() << NotTrivial;
  else if (isUnnamed(Type) || isUnnamed(LocalTypes::pointedType(Type)))
    report(Loc, Diag::err_region_variable) << Variable.getName() << Unnamed;
  else if (Variable.getTLSKind() != VarDecl::TLS_None || Variable.hasAttr<CUDADeviceAttr>())
    report(Loc, Diag::err_region_variable) << Variable.getName() << ThreadOrStatic;
  else
    return;
  report(Variable.getLocation(), Diag::note_declared_here) << &Variable;
  const auto* Class = Type->getAsCXXRecordDecl();
  if (Class && !isCopiedByBytes(Type, Context) && !Draft.U.sources().isInSystemHeader(Class->getLocation()))
    report(Loc, Diag::note_object_stays) << Class->getName();
}

DiagnosticBuilder ExpressionWriter::report(SourceLocation Loc, Diag Which) { return Draft.U.Diags->report(Loc, Which); }

std::string ExpressionWriter::spelled(const Stmt* S) const { return textOf(S, Context); }

void ExpressionWriter::unsupported(const Stmt* S) {
  report(S->getBeginLoc(), Diag::err_region_statement) << spelled(S) << S->getSourceRange();
  suggestHost(S->getBeginLoc());
}

void ExpressionWriter::suggestHost(SourceLocation Loc) {
  if (!std::exchange(HasSuggestedHost, true))
    report(Loc, Diag::note_host_directive);
}

void ExpressionWriter::explainEvent(const CallExpr& Call) {
  if (recordsEvent(Call.getDirectCallee()->getName())) {
    EventPurpose Purpose = purposeOf(*Call.getArg(0));
    if (const auto* Use = std::get_if<const Expr*>(&Purpose))
      report((*Use)->getExprLoc(), Diag::note_event_use) << spelled(*Use);
    else
      report(Call.getArg(0)->getExprLoc(), Diag::note_event_unknown) << spelled(Call.getArg(0));
  }
  explainTimes(Call.getBeginLoc());
}

void ExpressionWriter::explainTimes(SourceLocation Loc) {
  if (!std::exchange(HasExplainedTimes, true))
    report(Loc, Diag::note_times);
}

const ArraySubscriptExpr* ExpressionWriter::addressedElement(const Stmt* S) {
  const auto* Address = dyn_cast<UnaryOperator>(S);
  if (!Address || Address->getOpcode() != UO_AddrOf || !isMemoryAccess(Address->getSubExpr()->IgnoreParens()))
    return nullptr;
  return dyn_cast<ArraySubscriptExpr>(Address->getSubExpr()->IgnoreParens());
}

// --- Reduced scalars, and what is copied to them and from them.

const ReducedScalar* ExpressionWriter::reducedBy(const Expr* E) const { return Draft.R.reducedElement(E); }

ArrayRef<ReducedScalar> ExpressionWriter::reducedChoice(const Expr* E) const {
  const auto* Element = dyn_cast<ArraySubscriptExpr>(E->IgnoreParenImpCasts());
  const VarDecl* V = Element ? namedVariable(Element->getBase()) : nullptr;
  const ArrayRef<ReducedScalar> Elements = V ? Draft.R.reducedElements(V) : ArrayRef<ReducedScalar>();
  return Elements.size() > 1 && !reducedBy(Element) ? Elements : ArrayRef<ReducedScalar>();
}

std::optional<std::string> ExpressionWriter::reducedText(const Expr* E) {
  if (const ReducedScalar* Scalar = reducedBy(E))
    return reducedName(*Scalar);
  const ArrayRef<ReducedScalar> Elements = reducedChoice(E);
  if (Elements.empty())
    return std::nullopt;
  const auto* Element = cast<ArraySubscriptExpr>(E->IgnoreParenImpCasts());
  std::string Text = "::gpurma::stages::element_of(" + siteText(E->getExprLoc(), Draft.U.sources()) + ", " + text(Element->getIdx());
  for (const ReducedScalar& Each : Elements)
    Text += ", " + reducedName(Each);
  return Text + ")";
}

size_t ExpressionWriter::reducedIndex(const ReducedScalar& Scalar) const { return &Scalar - Draft.R.Reductions.data(); }

std::string ExpressionWriter::reducedName(const ReducedScalar& Scalar) const { return "gpurma_reduced_" + std::to_string(reducedIndex(Scalar)); }

const VarDecl* ExpressionWriter::copiedScalar(const CallExpr& Call) const {
  const FunctionDecl* Callee = Call.getDirectCallee();
  if (!Callee || !Callee->getIdentifier() || Call.getNumArgs() < 4 ||
      (Callee->getName() != "cudaMemcpy" && Callee->getName() != "cudaMemcpyAsync"))
    return nullptr;
  const auto* Kind = dyn_cast<DeclRefExpr>(Call.getArg(3)->IgnoreParenImpCasts());
  bool ToHost = Kind && Kind->getDecl()->getNameAsString() == "cudaMemcpyDeviceToHost";
  bool FromHost = Kind && Kind->getDecl()->getNameAsString() == "cudaMemcpyHostToDevice";
  const ReducedScalar* Scalar = ToHost     ? Draft.R.reducedAt(Call.getArg(1))
                                : FromHost ? Draft.R.reducedAt(Call.getArg(0))
                                           : nullptr;
  const auto* Ref = dyn_cast<DeclRefExpr>(Call.getArg(ToHost ? 0 : 1)->IgnoreParenCasts());
  const auto* V = Scalar && Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!V || (V->getType()->isReferenceType() && !memberOfObject(V)))
    return nullptr;
  QualType Pointer = V->getType().getNonReferenceType();
  return Pointer->isPointerType() && Context.hasSameType(Pointer->getPointeeType(), Scalar->Scalar->getType()) ? V : nullptr;
}

std::string ExpressionWriter::hostScalar(const VarDecl* Pointer, SourceLocation Loc) {
  capture(*Pointer, Loc);
  return capturedName(Pointer, Draft.P);
}

std::optional<std::pair<std::string, QualType>> ExpressionWriter::copiedValue(const CallExpr& Call, unsigned Argument) {
  const Expr* E = Call.getArg(Argument)->IgnoreParenCasts();
  if (const auto* Address = dyn_cast<UnaryOperator>(E); Address && Address->getOpcode() == UO_AddrOf) {
    Assigned.insert(Address->getSubExpr()->IgnoreParens());
    return std::pair(text(Address->getSubExpr()), Address->getSubExpr()->getType());
  }
  // history + t
  const std::optional<PointerSum> Sum = pointerSum(E);
  const Expr* Array = Sum && !Sum->IsSubtracted ? Sum->Pointer->IgnoreParenImpCasts() : E;
  if (const ArrayType* Elements = isPlace(const_cast<Expr*>(Array)) ? Context.getAsArrayType(Array->getType()) : nullptr)
    return std::pair(text(Array) + "[" + (Sum ? text(Sum->Number) : "0") + "]",
                     Elements->getElementType());
  if (const VarDecl* Pointer = copiedScalar(Call); Pointer && Draft.Result.HostScalars.count(Pointer))
    return std::pair(hostScalar(Pointer, E->getExprLoc()), Pointer->getType().getNonReferenceType()->getPointeeType());
  return std::nullopt;
}

std::optional<std::string> ExpressionWriter::bitsOfVariable(const Expr& E) {
  const auto* Deref = dyn_cast<UnaryOperator>(E.IgnoreParens());
  if (!Deref || Deref->getOpcode() != UO_Deref || !isa<ExplicitCastExpr>(Deref->getSubExpr()->IgnoreParens()))
    return std::nullopt;
  const auto* Address = dyn_cast<UnaryOperator>(Deref->getSubExpr()->IgnoreParenCasts());
  if (!Address || Address->getOpcode() != UO_AddrOf)
    return std::nullopt;
  const Expr* Variable = Address->getSubExpr()->IgnoreParens();
  if (!isa<DeclRefExpr>(Variable) || !Variable->getType()->isArithmeticType() || Variable->getType().isVolatileQualified() ||
      !Deref->getType()->isArithmeticType())
    return std::nullopt;
  return copied(text(Variable), Variable->getType(), Deref->getType().getUnqualifiedType());
}

std::optional<std::string> ExpressionWriter::copied(const std::string& Value, QualType From, QualType To) const {
  if (Context.hasSameUnqualifiedType(From, To))
    return Value;
  if (!From->isArithmeticType() || !To->isArithmeticType() || Context.getTypeSize(From) != Context.getTypeSize(To))
    return std::nullopt;
  return "::gpurma::stages::from_bits<" + member(To, "") + ">(::gpurma::stages::bits_of(" + Value + "))";
}

bool ExpressionWriter::assignCopy(const std::string& Target, QualType To, const std::string& Value, QualType From, raw_ostream& Out) const {
  std::optional<std::string> Copy = copied(Value, From, To);
  if (Copy)
    Out << "(" << Target << " = " << *Copy << ", ::cudaSuccess)";
  return Copy.has_value();
}

int ExpressionWriter::bytesOf(const ReducedScalar& Scalar) const {
  return static_cast<int>(Context.getTypeSizeInChars(Scalar.Scalar->getType()).getQuantity());
}

bool ExpressionWriter::isOfBytes(const CallExpr& Call, const ReducedScalar& Scalar, size_t Count) const {
  if (Call.getNumArgs() <= 2)
    return false;
  // `size_t bytes = sizeof(float);`, which nothing changes.
  const VariableChanges InFunction(Draft.R.outermostFunction()->getBody());
  return constantNumber(Call.getArg(2), InFunction, Context) == bytesOf(Scalar) * static_cast<std::int64_t>(Count);
}

ArrayRef<ReducedScalar> ExpressionWriter::reducedArray(const CallExpr& Call, unsigned Argument) const {
  const ReducedScalar* First = Draft.R.reducedAt(Call.getArg(Argument));
  const ArrayRef<ReducedScalar> Elements =
      First ? Draft.R.reducedElementsFrom(*First) : ArrayRef<ReducedScalar>();
  for (size_t Count = Elements.size(); Count != 0; --Count)
    if (isOfBytes(Call, *First, Count))
      return Elements.take_front(Count);
  return {};
}

bool ExpressionWriter::arrayTransfer(const CallExpr& Call, StringRef Name, raw_ostream& To) {
  const bool Fills = Name == "cudaMemset" || Name == "cudaMemsetAsync", Copies = Name == "cudaMemcpy" || Name == "cudaMemcpyAsync";
  if (!(Fills || Copies) || Call.getNumArgs() < 3)
    return false;
  const ArrayRef<ReducedScalar> Into = reducedArray(Call, 0), From = Copies ? reducedArray(Call, 1) : ArrayRef<ReducedScalar>();
  const ArrayRef<ReducedScalar> Elements = Into.empty() ? From : Into;
  if (Into.empty() == From.empty())
    return false;
  const Expr* Host = Copies ? Call.getArg(Into.empty() ? 0 : 1)->IgnoreParenImpCasts() : nullptr;
  const auto* Array = Host ? Context.getAsConstantArrayType(Host->getType()) : nullptr;
  std::optional<std::uint64_t> Filled = Fills ? filledWith(*Call.getArg(1), Elements.front()) : std::nullopt;
  const QualType Type = Elements.front().Scalar->getType();
  if (Fills ? !Filled : !Array || Array->getSize().ult(Elements.size()) || !Context.hasSameUnqualifiedType(Array->getElementType(), Type))
    return false;
  To << "(";
  for (const ReducedScalar& Each : Elements) {
    const std::string Of = Fills ? "" : text(Host) + "[" + std::to_string(&Each - Elements.data()) + "]";
    if (Fills)
      To << reducedName(Each) << " = " << filling(*Filled, Type);
    else if (Into.empty())
      To << Of << " = " << reducedName(Each) << ".value()";
    else
      To << reducedName(Each) << " = " << Of;
    To << ", ";
  }
  To << "::cudaSuccess)";
  return true;
}

std::string ExpressionWriter::filling(std::uint64_t Bits, QualType Type) const {
  const std::string Number = std::to_string(Bits);
  return Bits == 0 ? Number : "static_cast<" + member(Type, "") + ">(" + Number + "ull)";
}

std::optional<std::uint64_t> ExpressionWriter::filledWith(const Expr& Byte, const ReducedScalar& Scalar) const {
  Expr::EvalResult Known;
  QualType Type = Scalar.Scalar->getType();
  if (!Byte.EvaluateAsInt(Known, Context))
    return std::nullopt;
  const std::uint64_t Each = Known.Val.getInt().extOrTrunc(8).getZExtValue();
  if (Each != 0 && (!Type->isIntegerType() || (Type->isBooleanType() && Each != 1)))
    return std::nullopt;
  std::uint64_t All = 0;
  for (int I = 0; I != bytesOf(Scalar); ++I)
    All = All << 8 | Each;
  return All;
}

bool ExpressionWriter::scalarTransfer(const CallExpr& Call, StringRef Name, raw_ostream& To) {
  if (Call.getNumArgs() < 3)
    return false;
  auto Reduced = [&](unsigned I) { return Draft.R.reducedAt(Call.getArg(I)); };
  for (unsigned I : {0, 1})
    if (Reduced(I) && !isOfBytes(Call, *Reduced(I)))
      return false;
  if (Name == "cudaMemset" || Name == "cudaMemsetAsync") {
    std::optional<std::uint64_t> Filled = Reduced(0) ? filledWith(*Call.getArg(1), *Reduced(0)) : std::nullopt;
    if (!Filled)
      return false;
    To << "(" << reducedName(*Reduced(0)) << " = " << filling(*Filled, Reduced(0)->Scalar->getType()) << ", ::cudaSuccess)";
    return true;
  }
  if (Name != "cudaMemcpy" && Name != "cudaMemcpyAsync")
    return false;
  const ReducedScalar *Into = Reduced(0), *From = Reduced(1);
  if (Into && From)
    return assignCopy(reducedName(*Into), Into->Scalar->getType(), reducedName(*From) + ".value()", From->Scalar->getType(), To);
  if (From)
    if (auto Target = copiedValue(Call, 0))
      return assignCopy(Target->first, Target->second, reducedName(*From) + ".value()", From->Scalar->getType(), To);
  if (Into)
    if (auto Value = copiedValue(Call, 1))
      return assignCopy(reducedName(*Into), Into->Scalar->getType(), Value->first, Value->second, To);
  return false;
}

// --- Numbers of blocks.

std::string ExpressionWriter::blocksName(const ReducedScalar& Scalar) const {
  return "gpurma_blocks_" + std::to_string(&Scalar - Draft.R.Reductions.data());
}

std::string ExpressionWriter::blocksCheck(const ReducedScalar& From, const std::string& Count, std::int64_t Threads, SourceLocation Loc) const {
  return "::gpurma::stages::check_block_numbers(" + blocksName(From) + ", " + Count + ", " + std::to_string(Threads) + ", " +
         siteText(Loc, Draft.U.sources()) + ")";
}

bool ExpressionWriter::copyOfNumbers(const CallExpr& Call, raw_ostream& To) {
  auto It = llvm::find_if(Draft.R.HostSums, [&](const HostSum& Each) { return Each.Copy == &Call; });
  if (It == Draft.R.HostSums.end())
    return false;
  const ReducedScalar& From = Draft.R.Reductions[It->From];
  To << "(" << blocksCheck(From, "(" + text(Call.getArg(2)) + ") / " + std::to_string(bytesOf(From)), 0, Call.getBeginLoc()) << ", ::cudaSuccess)";
  return true;
}

// --- Calls.

bool ExpressionWriter::call(const CallExpr& Call, raw_ostream& To) {
  const FunctionDecl* Callee = Call.getDirectCallee();
  if (!Callee) {
    unsupported(&Call);
    return true;
  }
  if (const std::optional<std::int64_t> Result = resultForSuccess(Call)) {
    To << "(static_cast<void>(" << text(checkedError(&Call, Draft.U.sources())) << "), static_cast<" << member(Call.getType(), "") << ">(" << *Result
       << "))";
    return true;
  }
  if (const std::optional<FormattedOutput> Output = formattedOutput(Call, Context)) {
    checkPrinting(Call);
    To << "gpurma_region.print(" << Output->Format;
    for (const Expr* Argument : Output->Arguments)
      To << ", " << text(Argument);
    To << ")";
    return true;
  }
  const bool ReachesMemory = reachesMemory(Call, Draft.U.sources()) ||
                             (isMarkedForDevice(Callee) && !mayStayCall(Call, Draft.U.sources()));
  if (isa<CXXMethodDecl>(Callee) || Callee->isOverloadedOperator()) {
    checkCallee(Call.getBeginLoc(), Call.getSourceRange(), *Callee, ReachesMemory);
    return false;
  }
  StringRef Name = Callee->getIdentifier() ? Callee->getName() : StringRef();
  if (isSuperfluous(Call)) {
    To << "::cudaSuccess";
    return true;
  }
  if (Callee->getBuiltinID() == Builtin::BI__builtin_expect) {
    To << "(" << text(Call.getArg(0)) << ")";
    return true;
  }
  if (Name.starts_with("cuda") && !Callee->hasAttr<CUDADeviceAttr>()) {
    if (copyOfNumbers(Call, To) || arrayCopy(Call, To) || arrayTransfer(Call, Name, To) || scalarTransfer(Call, Name, To))
      return true;
    report(Call.getBeginLoc(), Diag::err_region_cuda_call) << Name << (Name.starts_with("cudaEvent") ? 1 : Name.contains("Symbol") ? 2 : 0) << Call.getSourceRange();
    if (copiesOnHost(Call))
      report(Call.getBeginLoc(), Diag::note_host_memory);
    else if (Name.starts_with("cudaEvent"))
      explainEvent(Call);
    else if (const VarDecl* Symbol = Name.contains("Symbol") ? copiedSymbol(Call) : nullptr)
      noteDeviceVariable(Call.getBeginLoc(), *Symbol, *Draft.U.Diags);
    else if (Name.starts_with("cudaMemcpy") || Name.starts_with("cudaMemset"))
      report(Call.getBeginLoc(), Diag::note_copied_whole) << Name.starts_with("cudaMemset");
    else
      suggestHost(Call.getBeginLoc());
    for (unsigned I = 0; Call.getNumArgs() > 2 && I != 2; ++I) {
      const ReducedScalar* Scalar = Draft.R.reducedAt(Call.getArg(I));
      const size_t Count = Scalar ? Draft.R.reducedElements(Scalar->Pointer).size() : 0;
      if (Count > 1)
        report(Call.getArg(2)->getExprLoc(), Diag::note_scalars_copied) << spelled(Scalar->Scalar) << static_cast<unsigned>(Count) << bytesOf(*Scalar)
                                                                        << member(Scalar->Scalar->getType(), "") << Name.starts_with("cudaMemset");
      else if (Scalar && !isOfBytes(Call, *Scalar))
        report(Call.getArg(2)->getExprLoc(), Diag::note_scalar_bytes) << spelled(Scalar->Scalar) << bytesOf(*Scalar);
    }
    return true;
  }
  if (Name == "printf" || printsToStdout(Call)) {
    checkPrinting(Call);
    // All ranks find the values, one prints them.
    To << "gpurma_region.print";
    arguments(Call, To, /*First=*/Name == "printf" ? 0 : 1);
    return true;
  }
  if (const InitListExpr* List = listOfExtremum(Call); List && List->getNumInits() != 0) {
    // The first of those that are equal, as the library's.
    const std::string Type = member(Call.getType().getUnqualifiedType(), "");
    To << "static_cast<" << Type << ">(";
    for (unsigned I = 1; I < List->getNumInits(); ++I)
      To << "::gpurma::stages::" << Name << "<" << Type << ">(";
    To << text(List->getInit(0));
    for (const Expr* Each : llvm::drop_begin(List->inits()))
      To << ", " << text(Each) << ")";
    To << ")";
    return true;
  }
  if (Name == "__assert_fail") {
    assertion(Call, To);
    return true;
  }
  if (!copiesBits(Call, Name))
    checkCallee(Call.getBeginLoc(), Call.getSourceRange(), *Callee, ReachesMemory);
  return false;
}

void ExpressionWriter::checkPrinting(const CallExpr& Call) {
  if (!Discarded.contains(&Call))
    report(Call.getBeginLoc(), Diag::err_region_launch_form)
        << 1 << Call.getDirectCallee()->getNameAsString() << Call.getSourceRange();
}

void ExpressionWriter::assertion(const CallExpr& Call, raw_ostream& To) {
  To << "(gpurma_region.reports() ? ::__assert_fail(";
  for (unsigned I = 0; I < Call.getNumArgs(); ++I) {
    const Expr* Argument = Call.getArg(I)->IgnoreParenImpCasts();
    if (const auto* Marked = dyn_cast<UnaryOperator>(Argument);
        Marked && Marked->getOpcode() == UO_Extension)
      Argument = Marked->getSubExpr()->IgnoreParenImpCasts();
    To << (I != 0 ? ", " : "");
    if (const auto* Name = dyn_cast<PredefinedExpr>(Argument); Name && Name->getFunctionName())
      Name->getFunctionName()->outputString(To);
    else
      To << text(Argument);
  }
  To << ") : void())";
}

void ExpressionWriter::arguments(const CallExpr& Call, raw_ostream& To, unsigned First) {
  To << '(';
  for (unsigned I = First; I < Call.getNumArgs() && !isa<CXXDefaultArgExpr>(Call.getArg(I)); ++I)
    To << (I != First ? ", " : "") << text(Call.getArg(I));
  To << ')';
}

bool ExpressionWriter::arrayCopy(const CallExpr& Call, raw_ostream& To) {
  auto It = llvm::find_if(Draft.R.Stages, [&](const Stage& S) { return S.Copy == &Call; });
  if (It == Draft.R.Stages.end())
    return false;
  const Stage& S = *It;
  const ArrayCopy Copy = *gpurma::arrayCopy(Call);
  const std::string Index = std::to_string(It - Draft.R.Stages.begin()), Class = launchClass(Draft, Index);
  To << "::gpurma::stages::" << (Copy.fills() ? "fill" : "copy") << (S.Copied.Rows ? "_rows<" : "_array<") << Class << ">(gpurma_region, "
     << S.Accesses.Arrays.front().Walks.size() << ", " << text(Copy.To) << ", " << text(Copy.fills() ? Copy.Byte : Copy.From) << ", "
     << text(Copy.Bytes) << ", " << (S.Copied.Rows && !Copy.fills() ? rowDistance(S) + ", " : "") << siteText(Call.getBeginLoc(), Draft.U.sources())
     << ")";
  addCopyClass(S, Class, Index, Copy.fills(), Draft.Result);
  return true;
}

void ExpressionWriter::checkCallee(SourceLocation Loc, SourceRange Range,
                                   const FunctionDecl& Callee, bool ReachesMemory) {
  bool InHeader = Draft.U.sources().isInSystemHeader(Callee.getLocation());
  const FunctionDecl* Definition = nullptr;
  if ((isMarkedForDevice(&Callee) && !ReachesMemory) || hasDeviceTwin(&Callee) ||
      Callee.isDefaulted() || (Callee.hasBody(Definition) && Draft.R.OnDevice.contains(Definition)))
    return;
  // Accessors of the standard library's aggregates (std::array), numeric_limits: Clang takes them for device code, too.
  bool Constant =
      Callee.hasAttr<CUDADeviceAttr>() && InHeader && Callee.isConstexpr() && !ReachesMemory;
  Draft.P.CallsHostConstexpr |= Constant;
  if (isMathematics(&Callee, Draft.U.sources()) || Constant)
    return;
  if (!Callee.hasBody() && wayOut(Callee) == MeasuresTime)
    InHeader = true; // mpi.h need not be a system's
  report(Loc, Diag::err_region_call) << Callee.getNameAsString()
                                     << (InHeader        ? wayOut(Callee)
                                         : ReachesMemory ? OfMemory
                                                         : OfProgram)
                                     << Range;
  if (!InHeader) {
    report(Callee.getLocation(), Diag::note_declared_here) << &Callee;
    if (!Callee.hasBody())
      report(Loc, Diag::note_call_opaque) << "'" + Callee.getNameAsString() + "'";
  }
  if (InHeader && wayOut(Callee) == MeasuresTime)
    explainTimes(Loc);
  else
    suggestHost(Loc);
}

} // namespace gpurma
