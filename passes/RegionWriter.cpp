// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/RegionWriter.h"
#include "frontend/DynamicRecursiveASTVisitor.h"
#include "passes/ArrayCopies.h"
#include "passes/HostFunctions.h"
#include "passes/Kernels.h"
#include "passes/Lvalues.h"
#include "passes/ThreadParts.h"
#include "passes/VariableChanges.h"
#include "frontend/SourceText.h"
#include "clang/AST/Attr.h"
#include "clang/AST/PrettyPrinter.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include <utility>

using namespace clang;

namespace gpurma {
namespace {

/// Calls that wait for what the region orders by itself, or ask for errors that it reports by itself.
bool isSuperfluous(StringRef Name) {
  static const llvm::StringSet<> Names = {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaGetLastError",
                                          "cudaPeekAtLastError"};
  return Names.contains(Name);
}

bool namesSuccess(const Expr* E) {
  const auto* Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  return Ref && Ref->getDecl()->getNameAsString() == "cudaSuccess";
}

/// What becomes cudaSuccess, or is.
bool isSuccess(const Expr* E) {
  const auto* Call = dyn_cast<CallExpr>(E->IgnoreParenImpCasts());
  return Call ? isSuperfluous(identifierOf(dyn_cast_or_null<NamedDecl>(Call->getCalleeDecl()))) : namesSuccess(E);
}

/// Functions of std that device code may not call everywhere, and that <gpurma/device/stages.h> has as well.
bool hasDeviceTwin(const FunctionDecl* Function) {
  // Not the ones with a comparison, or of an initializer list.
  static const llvm::StringMap<unsigned> Parameters = {{"swap", 2}, {"max", 2}, {"min", 2}, {"exchange", 2}, {"move", 1}, {"clamp", 3}};
  if (!Function->isInStdNamespace() || !Function->getIdentifier())
    return false;
  auto Twin = Parameters.find(Function->getName());
  return Twin != Parameters.end() && Twin->second == Function->getNumParams();
}

/// What a region says to itself, as the expressions of a full statement.
class Writer final : public PrinterHelper {
public:
  Writer(const Region& R, const std::string& Number, const LocalTypes& Types, Unit& U, Program& P)
      : R(R), Number(Number), Types(Types), U(U), P(P), Context(U.context()), Policy(sourcePolicy(Context)), Changes(R.Statement), Out(Result.Text) {
    Policy.SuppressImplicitBase = true;
    Policy.ConstantsAsWritten = true;
    Policy.PrintCanonicalTypes = true;
  }

  WrittenRegion run() {
    ChangeCollector(*this).TraverseStmt(const_cast<Stmt*>(R.Statement));
    HostScalarCollector Scalars(*this);
    Scalars.TraverseStmt(const_cast<Stmt*>(R.Statement));
    Scalars.finish();
    statement(R.Statement, 2);
    if (!R.HostParts.empty())
      line(2) << "gpurma_leave:;\n";
    for (const VarDecl* V : R.Kept)
      checkKept(*V);
    checkReferences();
    return std::move(Result);
  }

  // --- Expressions: what Clang's printer is to write differently.

  bool handledStmt(Stmt* S, raw_ostream& To) override {
    if (auto* E = dyn_cast<Expr>(S))
      if (E->isTypeDependent())
        return false;
    if (const auto* Cast = dyn_cast<ImplicitCastExpr>(S)) {
      if (Cast->getCastKind() == CK_LValueToRValue)
        if (std::optional<std::string> Bits = bitsOfVariable(*Cast->getSubExpr())) {
          To << *Bits;
          return true;
        }
      // Its value, also for a const reference: std::max(*norm, 1e-6f).
      if (Cast->getCastKind() == CK_LValueToRValue || (Cast->getCastKind() == CK_NoOp && Cast->getType().isConstQualified()))
        if (const ReducedScalar* Scalar = reducedBy(Cast->getSubExpr())) {
          To << reducedName(*Scalar) << ".value()";
          return true;
        }
      return false;
    }
    if (const auto* E = dyn_cast<Expr>(S))
      if (const ReducedScalar* Scalar = reducedBy(E)) {
        To << reducedName(*Scalar);
        return true;
      }
    // The backend warns of a comparison of something with itself.
    if (const auto* Compare = dyn_cast<BinaryOperator>(S); Compare && Compare->isEqualityOp())
      if (std::optional<bool> Known = errorCheck(Compare); Known && isSuccess(Compare->getLHS()) && isSuccess(Compare->getRHS())) {
        To << (*Known ? "true" : "false");
        return true;
      }
    if (const auto* Launch = dyn_cast<CUDAKernelCallExpr>(S)) {
      report(Launch->getBeginLoc(), Diag::err_region_launch_form);
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
    if (isa<CXXThisExpr>(S)) {
      report(S->getBeginLoc(), Diag::err_region_variable) << "this" << Member;
      return true;
    }
    if (const auto* E = dyn_cast<Expr>(S))
      if (const VarDecl* Pointer = pointerOf(E); Pointer && Result.HostScalars.count(Pointer)) {
        To << hostScalar(Pointer, E->getExprLoc());
        return true;
      }
    if (const ArraySubscriptExpr* Element = addressedElement(S);
        Element && !reducedBy(Element) && !Result.HostScalars.count(pointerOf(Element))) {
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

private:
  enum VariableProblem { NotTrivial, Unnamed, Member, ThreadOrStatic, Reduced, OtherName };

  /// Finds captured variables that the statement may change: assigned, or handed on by reference or address.
  struct ChangeCollector : DynamicRecursiveASTVisitor {
    explicit ChangeCollector(Writer& W) : W(W) {}
    void changed(const Expr* Lvalue) {
      for (const Expr* Each : alternatives(Lvalue))
        changedPlace(Each);
    }
    void changedPlace(const Expr* E) {
      if (const auto* Element = dyn_cast<ArraySubscriptExpr>(E))
        return changed(Element->getBase());
      if (const auto* Field = dyn_cast<MemberExpr>(E); Field && !Field->isArrow())
        return changed(Field->getBase());
      if (const auto* Ref = dyn_cast<DeclRefExpr>(E))
        if (const auto* V = dyn_cast<VarDecl>(Ref->getDecl()); V && !W.R.declares(V))
          W.Result.Changed.insert(V);
    }
    bool VisitBinaryOperator(BinaryOperator* B) override {
      if (B->isAssignmentOp())
        changed(B->getLHS());
      return true;
    }
    bool VisitUnaryOperator(UnaryOperator* O) override {
      if (O->isIncrementDecrementOp() || (O->getOpcode() == UO_AddrOf && !addressedElement(O)))
        changed(O->getSubExpr());
      return true;
    }
    bool VisitCallExpr(CallExpr* Call) override {
      if (isa<CUDAKernelCallExpr>(Call))
        return true;
      for (const Expr* Argument : Call->arguments())
        if (Argument->isLValue() && !Argument->getType().isConstQualified())
          changed(Argument);
      if (const auto* Member = dyn_cast<CXXMemberCallExpr>(Call); Member && Member->getMethodDecl() && !Member->getMethodDecl()->isConst())
        changed(Member->getImplicitObjectArgument());
      return true;
    }
    bool VisitVarDecl(VarDecl* D) override {
      if (D->getType()->isReferenceType() && D->getInit())
        changed(D->getInit());
      return true;
    }
    Writer& W;
  };

  /// Finds pointers to scalars of the host, pinned or not: the region copies a reduced scalar there, and else names *pointer only.
  struct HostScalarCollector : DynamicRecursiveASTVisitor {
    explicit HostScalarCollector(Writer& W) : W(W) {}
    bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
      ++Uses[Ref->getDecl()];
      return true;
    }
    bool VisitUnaryOperator(UnaryOperator* O) override { return pointee(O); }
    bool VisitArraySubscriptExpr(ArraySubscriptExpr* Element) override { return pointee(Element); }
    bool VisitCallExpr(CallExpr* Call) override {
      if (const VarDecl* V = W.copiedScalar(*Call)) {
        Copied.insert(V);
        ++Known[V];
      }
      return true;
    }
    bool pointee(const Expr* E) {
      if (const VarDecl* V = pointerOf(E))
        ++Known[V];
      return true;
    }
    void finish() {
      for (const VarDecl* V : Copied)
        if (Known[V] == Uses[V] && !W.R.declares(V)) {
          W.Result.HostScalars.insert(V);
          W.Result.Changed.insert(V);
        }
    }
    Writer& W;
    llvm::SmallSetVector<const VarDecl*, 2> Copied;
    llvm::DenseMap<const Decl*, unsigned> Uses, Known;
  };

  /// The pointer to memory of the host that a reduced scalar is copied to or from.
  const VarDecl* copiedScalar(const CallExpr& Call) const {
    const FunctionDecl* Callee = Call.getDirectCallee();
    if (!Callee || !Callee->getIdentifier() || Call.getNumArgs() < 4 ||
        (Callee->getName() != "cudaMemcpy" && Callee->getName() != "cudaMemcpyAsync"))
      return nullptr;
    const auto* Kind = dyn_cast<DeclRefExpr>(Call.getArg(3)->IgnoreParenImpCasts());
    bool ToHost = Kind && Kind->getDecl()->getNameAsString() == "cudaMemcpyDeviceToHost";
    bool FromHost = Kind && Kind->getDecl()->getNameAsString() == "cudaMemcpyHostToDevice";
    const ReducedScalar* Scalar = ToHost ? reducedPointer(Call.getArg(1)) : FromHost ? reducedPointer(Call.getArg(0)) : nullptr;
    const auto* Ref = dyn_cast<DeclRefExpr>(Call.getArg(ToHost ? 0 : 1)->IgnoreParenCasts());
    const auto* V = Scalar && Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    if (!V || (V->getType()->isReferenceType() && !memberOfObject(V)))
      return nullptr;
    QualType Pointer = V->getType().getNonReferenceType();
    return Pointer->isPointerType() && Context.hasSameType(Pointer->getPointeeType(), Scalar->Scalar->getType()) ? V : nullptr;
  }

  DiagnosticBuilder report(SourceLocation Loc, Diag Which) { return U.Diags->report(Loc, Which); }

  std::string spelled(const Stmt* S) const {
    std::string Text = spelledText(S->getSourceRange(), U.sources(), Context.getLangOpts()).value_or("");
    if (Text.empty()) {
      llvm::raw_string_ostream To(Text);
      S->printPretty(To, nullptr, PrintingPolicy(Context.getLangOpts()));
    }
    constexpr size_t Shown = 60;
    return Text.size() > Shown ? Text.substr(0, Shown) + "..." : Text;
  }

  void unsupported(const Stmt* S) {
    report(S->getBeginLoc(), Diag::err_region_statement) << spelled(S) << S->getSourceRange();
    suggestHost(S->getBeginLoc());
  }

  /// Once.
  void suggestHost(SourceLocation Loc) {
    if (!std::exchange(HasSuggestedHost, true))
      report(Loc, Diag::note_host_directive);
  }

  /// Memory that a pointer leads to: what is there depends on stages that other ranks run.
  static bool isMemoryAccess(const Stmt* S) {
    if (const auto* Deref = dyn_cast<UnaryOperator>(S))
      return Deref->getOpcode() == UO_Deref && Deref->getSubExpr()->getType()->isPointerType() &&
             !Deref->getType()->isFunctionType();
    if (const auto* Element = dyn_cast<ArraySubscriptExpr>(S))
      return !Element->getBase()->IgnoreParenImpCasts()->getType()->isArrayType();
    const auto* Member = dyn_cast<MemberExpr>(S);
    return Member && Member->isArrow() && !isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts());
  }

  /// &u[k]: nothing is accessed. Null for other expressions.
  static const ArraySubscriptExpr* addressedElement(const Stmt* S) {
    const auto* Address = dyn_cast<UnaryOperator>(S);
    if (!Address || Address->getOpcode() != UO_AddrOf || !isMemoryAccess(Address->getSubExpr()->IgnoreParens()))
      return nullptr;
    return dyn_cast<ArraySubscriptExpr>(Address->getSubExpr()->IgnoreParens());
  }

  /// n * sizeof *a: nothing is accessed.
  static bool isSizeOfMemory(const UnaryExprOrTypeTraitExpr& Size) {
    return Size.getKind() == UETT_SizeOf && !Size.isArgumentType() && isMemoryAccess(Size.getArgumentExpr()->IgnoreParens());
  }

  /// Of *norm and norm[0]; a cast of the pointer would mean its bits.
  const ReducedScalar* reducedBy(const Expr* E) const { return R.findReduction(pointerOf(E)); }

  const ReducedScalar* reducedPointer(const Expr* E) const {
    const auto* Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenCasts());
    return Ref ? R.findReduction(dyn_cast<VarDecl>(Ref->getDecl())) : nullptr;
  }

  std::string reducedName(const ReducedScalar& Scalar) const {
    return "gpurma_reduced_" + std::to_string(&Scalar - R.Reductions.data());
  }

  std::string text(const Expr* E) {
    std::string Text;
    llvm::raw_string_ostream To(Text);
    E->printPretty(To, this, Policy);
    return Text;
  }

  bool reference(const DeclRefExpr& Ref, raw_ostream& To) {
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
    if (R.Kept.contains(Variable)) {
      To << keptName(R, Variable);
      return true;
    }
    if (R.declares(Variable))
      return false;
    if (R.findReduction(Variable)) {
      report(Ref.getLocation(), Diag::err_region_variable) << Variable->getName() << Reduced;
      return true;
    }
    bool Global = Variable->hasGlobalStorage() && !Variable->isStaticLocal();
    // The region's kernel may not name what is private to a class.
    if (Global && Variable->isUsableInConstantExpressions(Context) && !Variable->isStaticDataMember()) {
      To << "::";
      Variable->printQualifiedName(To, Policy);
      return true;
    }
    capture(*Variable, Ref.getLocation());
    To << capturedName(Variable, P);
    return true;
  }

  /// A type that the region's kernel, which stands outside of its function, has neither a name for nor a copy of.
  bool isUnnamed(QualType Type) const {
    return LocalTypes::isUnnamed(Type, R, Context) && !hasCopy(Type);
  }
  bool hasCopy(QualType Type) const {
    const TagDecl* Tag = Context.getBaseElementType(Type)->getAsTagDecl();
    return Tag && Types.contains(Tag);
  }

  void checkKept(const VarDecl& Variable) {
    enum { Reference, Array, Constant, NotCopied, NotNamed };
    QualType Type = Variable.getType();
    std::optional<unsigned> Wrong;
    if (Type->isReferenceType())
      Wrong = Reference;
    else if (Type->isArrayType())
      Wrong = Array;
    else if (Variable.isConstexpr() || Variable.isStaticLocal())
      Wrong = Constant;
    else if (!Type.getUnqualifiedType().isTriviallyCopyableType(Context))
      Wrong = NotCopied;
    else if (isUnnamed(Type) || hasCopy(Type)) // the host's statement would have the copy
      Wrong = NotNamed;
    if (Wrong)
      report(Variable.getLocation(), Diag::err_host_variable) << Variable.getName() << *Wrong;
  }

  void capture(const VarDecl& Variable, SourceLocation Loc) {
    if (!Result.Captured.insert(&Variable))
      return;
    QualType Type = Variable.getType().getNonReferenceType();
    if (!Type.getUnqualifiedType().isTriviallyCopyableType(Context))
      report(Loc, Diag::err_region_variable) << Variable.getName() << NotTrivial;
    else if (isUnnamed(Type))
      report(Loc, Diag::err_region_variable) << Variable.getName() << Unnamed;
    else if (Variable.getTLSKind() != VarDecl::TLS_None || Variable.hasAttr<CUDADeviceAttr>())
      report(Loc, Diag::err_region_variable) << Variable.getName() << ThreadOrStatic;
    else
      return;
    report(Variable.getLocation(), Diag::note_declared_here) << &Variable;
  }

  /// A variable or member of the object, and which part of it.
  struct Storage {
    const Decl* Whole = nullptr;
    llvm::SmallVector<const FieldDecl*, 2> Part;

    bool overlaps(const Storage& Other) const {
      size_t Common = std::min(Part.size(), Other.Part.size());
      return Whole && Whole == Other.Whole && ArrayRef(Part).take_front(Common) == ArrayRef(Other.Part).take_front(Common);
    }
  };

  /// What a variable is, or refers to as far as its initialisation shows it.
  static Storage storageOf(const VarDecl* V) {
    if (!V->getType()->isReferenceType() || !V->getInit())
      return {V->getCanonicalDecl(), {}};
    Storage Found;
    const Expr* E = V->getInit()->IgnoreParenImpCasts();
    llvm::SmallVector<const FieldDecl*, 2> Members;
    while (true) {
      // All of an array is taken.
      if (const Expr* Array = arraySubscript(E).first) {
        Members.clear();
        E = Array;
        continue;
      }
      const auto* Field = dyn_cast<MemberExpr>(E);
      if (!Field)
        break;
      Members.push_back(dyn_cast<FieldDecl>(Field->getMemberDecl()));
      E = Field->getBase()->IgnoreParenImpCasts();
      if (Field->isArrow() && !isa<CXXThisExpr>(E))
        return {};
    }
    const auto* Ref = dyn_cast<DeclRefExpr>(E);
    if (const auto* Named = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr)
      Found = storageOf(Named);
    else if (isa<CXXThisExpr>(E) && !Members.empty())
      Found.Whole = Members.pop_back_val();
    Found.Part.append(Members.rbegin(), Members.rend());
    return Found;
  }

  /// Each captured variable has a copy of its own, which another name of the same would not see change.
  void checkReferences() {
    auto Report = [&](const VarDecl* V, StringRef Other) {
      report(V->getLocation(), Diag::err_region_variable) << V->getName() << OtherName << Other;
    };
    for (const VarDecl* V : Result.Captured) {
      if (!V->getType()->isReferenceType() || memberOfObject(V))
        continue;
      Storage Own = storageOf(V);
      for (const VarDecl* Other : Result.Captured)
        if (Other != V && (Result.Changed.count(V) || Result.Changed.count(Other)) && Own.overlaps(storageOf(Other)))
          return Report(V, Other->getName());
      for (const DistributedArray& A : R.Arrays) {
        Storage Array = storageOf(A.Pointer.Variable);
        ArrayRef<const FieldDecl*> Members = A.Pointer.Members;
        if (!A.Pointer.Subscripts.empty())
          Members = Members.take_front(A.Pointer.Subscripts.front().Behind);
        Array.Part.append(Members.begin(), Members.end());
        if (A.Pointer.Variable != V && Own.overlaps(Array))
          return Report(V, A.Pointer.name());
      }
    }
  }

  std::string hostScalar(const VarDecl* Pointer, SourceLocation Loc) {
    capture(*Pointer, Loc);
    return capturedName(Pointer, P);
  }

  /// What a copy names as &variable, or as a pointer to a scalar of the host, and its type. None: something else.
  std::optional<std::pair<std::string, QualType>> copiedValue(const CallExpr& Call, unsigned Argument) {
    const Expr* E = Call.getArg(Argument)->IgnoreParenCasts();
    if (const auto* Address = dyn_cast<UnaryOperator>(E); Address && Address->getOpcode() == UO_AddrOf)
      return std::pair(text(Address->getSubExpr()), Address->getSubExpr()->getType());
    if (const VarDecl* Pointer = copiedScalar(Call); Pointer && Result.HostScalars.count(Pointer))
      return std::pair(hostScalar(Pointer, E->getExprLoc()), Pointer->getType().getNonReferenceType()->getPointeeType());
    return std::nullopt;
  }

  /// *(float*)&bits, which is read: a number of a variable of the region as one of another type of its size.
  std::optional<std::string> bitsOfVariable(const Expr& E) {
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

  /// The text of a value as a copy of its bytes makes one of another type of it. None: the sizes differ.
  std::optional<std::string> copied(const std::string& Value, QualType From, QualType To) const {
    if (Context.hasSameUnqualifiedType(From, To))
      return Value;
    if (!From->isArithmeticType() || !To->isArithmeticType() || Context.getTypeSize(From) != Context.getTypeSize(To))
      return std::nullopt;
    return "::gpurma::stages::from_bits<" + member(To, "") + ">(::gpurma::stages::bits_of(" + Value + "))";
  }

  bool assignCopy(const std::string& Target, QualType To, const std::string& Value, QualType From, raw_ostream& Out) const {
    std::optional<std::string> Copy = copied(Value, From, To);
    if (Copy)
      Out << "(" << Target << " = " << *Copy << ", ::cudaSuccess)";
    return Copy.has_value();
  }

  void arguments(const CallExpr& Call, raw_ostream& To) {
    To << '(';
    for (unsigned I = 0; I != Call.getNumArgs() && !isa<CXXDefaultArgExpr>(Call.getArg(I)); ++I)
      To << (I ? ", " : "") << text(Call.getArg(I));
    To << ')';
  }

  int bytesOf(const ReducedScalar& Scalar) const {
    return static_cast<int>(Context.getTypeSizeInChars(Scalar.Scalar->getType()).getQuantity());
  }

  /// Whether a copy or clearing is of the scalar and nothing behind it.
  bool isOfBytes(const CallExpr& Call, const ReducedScalar& Scalar) const {
    Expr::EvalResult Bytes;
    return Call.getNumArgs() > 2 && Call.getArg(2)->EvaluateAsInt(Bytes, Context) && Bytes.Val.getInt() == bytesOf(Scalar);
  }

  /// The number that a scalar is if all its bytes are this one. None: it is no constant, or that is no number to write.
  std::optional<std::uint64_t> filledWith(const Expr& Byte, const ReducedScalar& Scalar) const {
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

  /// A copy or filling of a reduced scalar, which the region knows. False: it is something else.
  bool scalarTransfer(const CallExpr& Call, StringRef Name, raw_ostream& To) {
    if (Call.getNumArgs() < 3)
      return false;
    auto Reduced = [&](unsigned I) { return reducedPointer(Call.getArg(I)); };
    for (unsigned I : {0, 1})
      if (Reduced(I) && !isOfBytes(Call, *Reduced(I)))
        return false;
    if (Name == "cudaMemset" || Name == "cudaMemsetAsync") {
      std::optional<std::uint64_t> Filled = Reduced(0) ? filledWith(*Call.getArg(1), *Reduced(0)) : std::nullopt;
      if (!Filled)
        return false;
      const std::string Number = std::to_string(*Filled);
      To << "(" << reducedName(*Reduced(0)) << " = "
         << (*Filled == 0 ? Number : "static_cast<" + member(Reduced(0)->Scalar->getType(), "") + ">(" + Number + "ull)") << ", ::cudaSuccess)";
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

  bool call(const CallExpr& Call, raw_ostream& To) {
    const FunctionDecl* Callee = Call.getDirectCallee();
    if (!Callee) {
      unsupported(&Call);
      return true;
    }
    if (isa<CXXMethodDecl>(Callee) || Callee->isOverloadedOperator()) {
      checkCallee(Call.getBeginLoc(), Call.getSourceRange(), *Callee);
      return false;
    }
    StringRef Name = Callee->getIdentifier() ? Callee->getName() : StringRef();
    if (isSuperfluous(Name)) {
      To << "::cudaSuccess";
      return true;
    }
    if (Name.starts_with("cuda") && !Callee->hasAttr<CUDADeviceAttr>()) {
      if (copyOfNumbers(Call, To) || arrayCopy(Call, To) || scalarTransfer(Call, Name, To))
        return true;
      report(Call.getBeginLoc(), Diag::err_region_cuda_call) << Name << Name.starts_with("cudaEvent") << Call.getSourceRange();
      if (copiesOnHost(Call))
        report(Call.getBeginLoc(), Diag::note_host_memory);
      else if (Name.starts_with("cudaEvent"))
        explainTimes(Call.getBeginLoc());
      else if (const VarDecl* Symbol = Name.contains("Symbol") ? copiedSymbol(Call) : nullptr)
        noteDeviceVariable(Call.getBeginLoc(), *Symbol, *U.Diags);
      else if (Name.starts_with("cudaMemcpy") || Name.starts_with("cudaMemset"))
        report(Call.getBeginLoc(), Diag::note_copied_whole) << Name.starts_with("cudaMemset");
      else
        suggestHost(Call.getBeginLoc());
      for (unsigned I = 0; Call.getNumArgs() > 2 && I != 2; ++I)
        if (const ReducedScalar* Scalar = reducedPointer(Call.getArg(I)); Scalar && !isOfBytes(Call, *Scalar))
          report(Call.getArg(2)->getExprLoc(), Diag::note_scalar_bytes) << spelled(Scalar->Scalar) << bytesOf(*Scalar);
      return true;
    }
    if (Name == "printf") {
      // All ranks find the values, one prints them.
      To << "gpurma_region.print";
      arguments(Call, To);
      return true;
    }
    if (!copiesBits(Call, Name))
      checkCallee(Call.getBeginLoc(), Call.getSourceRange(), *Callee);
    return false;
  }

  /// changed, of cudaMemcpyToSymbol(changed, ...) and cudaMemcpyFromSymbol(..., changed, ...).
  static const VarDecl* copiedSymbol(const CallExpr& Call) {
    for (unsigned I = 0; I != std::min(Call.getNumArgs(), 2u); ++I)
      if (const VarDecl* V = namedVariable(Call.getArg(I)->IgnoreParenCasts()); V && V->hasAttr<CUDADeviceAttr>() && V->getType()->isArithmeticType())
        return V;
    return nullptr;
  }

  /// memcpy(&value, &bits, sizeof value): between variables of the region.
  static bool copiesBits(const CallExpr& Call, StringRef Name) {
    return Name == "memcpy" && llvm::all_of(ArrayRef<const Expr*>{Call.getArg(0), Call.getArg(1)}, [](const Expr* E) {
             const auto* Address = dyn_cast<UnaryOperator>(E->IgnoreParenCasts());
             return Address && Address->getOpcode() == UO_AddrOf && !isMemoryAccess(Address->getSubExpr()->IgnoreParens());
           });
  }

  /// As err_region_call has them.
  enum HostCall { OfProgram, Prints, MeasuresTime, OfLibrary };
  static HostCall wayOut(const FunctionDecl& Callee) {
    return llvm::StringSwitch<HostCall>(Callee.getNameAsString())
        .Cases("fprintf", "puts", "fputs", "putchar", "fputc", "operator<<", Prints)
        .Cases("now", "clock", "time", "gettimeofday", "clock_gettime", "MPI_Wtime", "omp_get_wtime", MeasuresTime)
        .Default(OfLibrary);
  }

  /// Whether device code may call the function.
  void checkCallee(SourceLocation Loc, SourceRange Range, const FunctionDecl& Callee) {
    bool InHeader = U.sources().isInSystemHeader(Callee.getLocation());
    const FunctionDecl* Definition = nullptr;
    if (isMarkedForDevice(&Callee) || hasDeviceTwin(&Callee) || Callee.isDefaulted() ||
        (Callee.hasBody(Definition) && R.OnDevice.contains(Definition)))
      return;
    // Accessors of the standard library's aggregates (std::array), numeric_limits: Clang takes them for device code, too.
    bool Constant = Callee.hasAttr<CUDADeviceAttr>() && InHeader && Callee.isConstexpr();
    P.CallsHostConstexpr |= Constant;
    if (isMathematics(&Callee, U.sources()) || Constant)
      return;
    if (!Callee.hasBody() && wayOut(Callee) == MeasuresTime)
      InHeader = true; // mpi.h need not be a system's
    report(Loc, Diag::err_region_call) << Callee.getNameAsString() << (InHeader ? wayOut(Callee) : OfProgram) << Range;
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

  /// Once.
  void explainTimes(SourceLocation Loc) {
    if (!std::exchange(HasExplainedTimes, true))
      report(Loc, Diag::note_times);
  }

  // --- Statements.

  raw_ostream& line(unsigned Depth) {
    for (; Depth != 0; --Depth)
      Out << "  ";
    return Out;
  }

  /// check(cudaGetLastError(), __FILE__, __LINE__): a call of the user's with an error to look at.
  const Expr* checkedError(const Expr* E) const {
    const auto* Call = dyn_cast<CallExpr>(E->IgnoreUnlessSpelledInSource());
    const FunctionDecl* Callee = Call && !isa<CUDAKernelCallExpr>(Call) ? Call->getDirectCallee() : nullptr;
    if (!Callee || U.sources().isInSystemHeader(Callee->getLocation()))
      return nullptr;
    for (const Expr* Argument : Call->arguments())
      if (isCudaError(Argument->getType()))
        return Argument;
    return nullptr;
  }

  void statement(const Stmt* S, unsigned Depth) {
    if (R.isPut(S))
      return;
    if (const auto* E = dyn_cast<Expr>(S)) {
      expression(E, Depth);
      return;
    }
    if (const CallExpr* Marker = hostMarker(S)) {
      if (const HostPart* P = R.hostPart(Marker)) // else of another function: VerifyRegions has reported it
        hostPart(*P, Depth);
      return;
    }
    bool Leads = !R.HostParts.empty() && holdsHostMarker(S);
    switch (S->getStmtClass()) {
    case Stmt::CompoundStmtClass:
      line(Depth) << "{\n";
      if (Leads)
        pieces(*cast<CompoundStmt>(S), Depth + 1);
      else
        for (const Stmt* Part : cast<CompoundStmt>(S)->body())
          statement(Part, Depth + 1);
      line(Depth) << "}\n";
      return;
    case Stmt::NullStmtClass:
      line(Depth) << ";\n";
      return;
    case Stmt::DeclStmtClass:
      for (const Decl* D : cast<DeclStmt>(S)->decls())
        declaration(D, Depth);
      return;
    case Stmt::IfStmtClass:
      if (Leads)
        ifAroundHostPart(*cast<IfStmt>(S), Depth);
      else
        ifStatement(*cast<IfStmt>(S), Depth);
      return;
    case Stmt::ForStmtClass: {
      const auto* For = cast<ForStmt>(S);
      if (auto Sum = llvm::find_if(R.HostSums, [&](const HostSum& Each) { return Each.Loop == For; }); Sum != R.HostSums.end()) {
        addHostSum(*Sum, Depth);
        return;
      }
      if (For->getConditionVariable())
        break;
      line(Depth) << "{\n";
      if (Leads)
        unlessGoesOn(For->getInit(), Depth + 1);
      else if (For->getInit())
        statement(For->getInit(), Depth + 1);
      line(Depth + 1) << "for (; " << (For->getCond() ? loopCondition(For->getCond(), Leads) : "") << "; "
                      << (For->getInc() ? text(For->getInc()) : "") << ")\n";
      loopBody(For->getBody(), Depth + 2);
      line(Depth) << "}\n";
      return;
    }
    case Stmt::WhileStmtClass: {
      const auto* While = cast<WhileStmt>(S);
      if (While->getConditionVariable())
        break;
      line(Depth) << "while (" << loopCondition(While->getCond(), Leads) << ")\n";
      loopBody(While->getBody(), Depth + 1);
      return;
    }
    case Stmt::DoStmtClass: {
      const auto* Do = cast<DoStmt>(S);
      line(Depth) << "do\n";
      loopBody(Do->getBody(), Depth + 1);
      line(Depth) << "while (" << text(Do->getCond()) << ");\n";
      return;
    }
    case Stmt::SwitchStmtClass: {
      const auto* Switch = cast<SwitchStmt>(S);
      if (Switch->getConditionVariable() || !isa<CompoundStmt>(Switch->getBody()))
        break;
      line(Depth) << "{\n";
      if (Switch->getInit())
        statement(Switch->getInit(), Depth + 1);
      line(Depth + 1) << "switch (" << text(Switch->getCond()) << ")\n";
      ++Switches;
      statement(Switch->getBody(), Depth + 1);
      --Switches;
      line(Depth) << "}\n";
      return;
    }
    case Stmt::CaseStmtClass: {
      const auto* Case = cast<CaseStmt>(S);
      if (Case->getRHS())
        break;
      line(Depth) << "case " << text(Case->getLHS()) << ":\n";
      statement(Case->getSubStmt(), Depth + 1);
      return;
    }
    case Stmt::DefaultStmtClass:
      line(Depth) << "default:\n";
      statement(cast<DefaultStmt>(S)->getSubStmt(), Depth + 1);
      return;
    case Stmt::BreakStmtClass:
    case Stmt::ContinueStmtClass: {
      bool IsBreak = isa<BreakStmt>(S);
      if (Loops == 0 && !(IsBreak && Switches != 0)) {
        report(S->getBeginLoc(), Diag::err_region_leaves) << (IsBreak ? "break" : "continue");
        return;
      }
      line(Depth) << (IsBreak ? "break;\n" : "continue;\n");
      return;
    }
    case Stmt::ReturnStmtClass:
      report(S->getBeginLoc(), Diag::err_region_leaves) << "return";
      return;
    case Stmt::GotoStmtClass:
      report(S->getBeginLoc(), Diag::err_region_leaves) << "goto";
      return;
    case Stmt::AttributedStmtClass:
      statement(cast<AttributedStmt>(S)->getSubStmt(), Depth);
      return;
    default:
      break;
    }
    unsupported(S);
  }

  void loopBody(const Stmt* Body, unsigned Depth) {
    ++Loops;
    line(Depth) << "{\n";
    statement(Body, Depth + 1);
    line(Depth) << "}\n";
    --Loops;
  }

  // --- Statements around parts that the host runs. Where the kernel goes on behind one, they lead there and do nothing else on the way.

  std::string goesOn(StringRef Comparison = "!=") const { return (HostPartField + (" " + Comparison)).str() + " 0"; }

  /// Whether the kernel goes on behind one in the statement.
  std::string goesOnIn(const Stmt* S) const {
    std::string Text;
    for (const HostPart& P : R.HostParts)
      if (holds(S, P.Call))
        Text += (Text.empty() ? "" : " || ") + std::string(HostPartField) + " == " + hostPartNumber(R, P);
    return Text;
  }

  static bool holds(const Stmt* S, const CallExpr* Marker) {
    return S && !isa<LambdaExpr>(S) && (hostMarker(S) == Marker || llvm::any_of(S->children(), [&](const Stmt* Child) { return holds(Child, Marker); }));
  }

  /// Of a loop that is entered where the kernel goes on in it.
  std::string loopCondition(const Expr* Condition, bool Leads) { return Leads ? goesOn() + " || (" + text(Condition) + ")" : text(Condition); }

  /// The statements of a block: those between two parts of the host together, so that they have one scope.
  void pieces(const CompoundStmt& Block, unsigned Depth) {
    for (auto It = Block.body_begin(), End = Block.body_end(); It != End;) {
      bool Leads = holdsHostMarker(*It);
      line(Depth) << "if (" << goesOn("==") << (Leads ? " || " + goesOnIn(*It) : "") << ") {\n";
      do
        statement(*It++, Depth + 1);
      while (!Leads && It != End && !holdsHostMarker(*It));
      line(Depth) << "}\n";
    }
  }

  void unlessGoesOn(const Stmt* S, unsigned Depth) {
    if (!S)
      return;
    line(Depth) << "if (" << goesOn("==") << ") {\n";
    statement(S, Depth + 1);
    line(Depth) << "}\n";
  }

  void ifAroundHostPart(const IfStmt& If, unsigned Depth) {
    unlessGoesOn(If.getInit(), Depth);
    std::string InThen = goesOnIn(If.getThen()), Condition = text(If.getCond());
    if (std::optional<bool> Known = errorCheck(If.getCond()))
      Condition = "(static_cast<void>(" + Condition + "), " + (*Known ? "true)" : "false)");
    line(Depth) << "if (" << goesOn() << " ? " << (InThen.empty() ? "false" : InThen) << " : bool(" << Condition << ")) {\n";
    statement(If.getThen(), Depth + 1);
    if (If.getElse()) {
      line(Depth) << "} else {\n";
      statement(If.getElse(), Depth + 1);
    }
    line(Depth) << "}\n";
  }

  void hostPart(const HostPart& P, unsigned Depth) {
    line(Depth) << "if (" << goesOn("==") << ") {\n";
    line(Depth + 1) << HostPartField << " = " << hostPartNumber(R, P) << ";\n";
    line(Depth + 1) << "goto gpurma_leave;\n";
    line(Depth) << "}\n";
    line(Depth) << HostPartField << " = 0;\n";
    std::vector<const Stmt*> Leaving = leavingStatements(P.Statement);
    for (bool IsBreak : {true, false}) {
      auto It = llvm::find_if(Leaving, [&](const Stmt* S) { return isa<BreakStmt>(S) == IsBreak; });
      if (It == Leaving.end())
        continue;
      if (Loops == 0)
        report((*It)->getBeginLoc(), Diag::err_region_leaves) << (IsBreak ? "break" : "continue");
      line(Depth) << "if (gpurma_values." << BehindField << " == " << behindHostPart(*It) << ")\n";
      line(Depth + 1) << (IsBreak ? "break;\n" : "continue;\n");
    }
  }

  void ifStatement(const IfStmt& If, unsigned Depth) {
    if (If.getConditionVariable() || If.isConsteval()) {
      unsupported(&If);
      return;
    }
    line(Depth) << "{\n";
    if (If.getInit())
      statement(If.getInit(), Depth + 1);
    if (std::optional<bool> Known = errorCheck(If.getCond())) {
      // The condition's calls may do something besides.
      line(Depth + 1) << "static_cast<void>(" << text(If.getCond()) << ");\n";
      if (const Stmt* Taken = *Known ? If.getThen() : If.getElse())
        statement(Taken, Depth + 1);
    } else {
      line(Depth + 1) << (If.isConstexpr() ? "if constexpr (" : "if (") << text(If.getCond()) << ") {\n";
      statement(If.getThen(), Depth + 2);
      if (If.getElse()) {
        line(Depth + 1) << "} else {\n";
        statement(If.getElse(), Depth + 2);
      }
      line(Depth + 1) << "}\n";
    }
    line(Depth) << "}\n";
  }

  void declaration(const Decl* D, unsigned Depth) {
    if (isa<TypedefNameDecl, StaticAssertDecl, UsingDecl, UsingDirectiveDecl, EmptyDecl>(D))
      return; // types are printed canonically, functions by their full names
    if (isa<TagDecl>(D))
      return; // what variables need is copied
    const auto* Variable = dyn_cast<VarDecl>(D);
    if (!Variable || isa<DecompositionDecl>(D) || (Variable->isStaticLocal() && !isConstant(Variable))) {
      report(D->getBeginLoc(), Diag::err_region_statement)
          << spelledText(D->getSourceRange(), U.sources(), Context.getLangOpts()).value_or("this declaration");
      return;
    }
    const TagDecl* Tag = Context.getBaseElementType(Variable->getType().getNonReferenceType())->getAsTagDecl();
    const auto* Class = dyn_cast_or_null<CXXRecordDecl>(Tag);
    if (Tag && !(Class && Class->isLambda()) && (Tag->getParentFunctionOrMethod() || !Tag->hasNameForLinkage()) && isUnnamed(Variable->getType().getNonReferenceType())) {
      report(Variable->getLocation(), Diag::err_region_variable) << Variable->getName() << Unnamed;
      return;
    }
    if (R.Kept.contains(Variable)) {
      if (Variable->getInit())
        line(Depth) << keptName(R, Variable) << " = " << initialValue(*Variable) << ";\n";
      return;
    }
    std::string Text = Variable->getNameAsString();
    Variable->getType().getAsStringInternal(Text, Policy);
    if (Variable->isConstexpr())
      Text = "constexpr " + Text;
    if (const Expr* Init = Variable->getInit()) {
      const auto* Construct = dyn_cast<CXXConstructExpr>(Init->IgnoreImplicit());
      bool Default = Construct && (Construct->getNumArgs() == 0 || isa<CXXDefaultArgExpr>(Construct->getArg(0))) &&
                     !Construct->isListInitialization();
      if (!Default) {
        std::string Value = text(Init);
        switch (Variable->getInitStyle()) {
        case VarDecl::CInit:
          Text += " = " + Value;
          break;
        case VarDecl::CallInit:
        case VarDecl::ParenListInit:
          Text += "(" + Value + ")";
          break;
        case VarDecl::ListInit:
          Text += StringRef(Value).starts_with("{") ? Value : "{" + Value + "}";
          break;
        }
      }
    }
    line(Depth) << "[[maybe_unused]] " << Text << ";\n";
  }

  /// As a value that can be assigned.
  std::string initialValue(const VarDecl& Variable) {
    const Expr* Init = Variable.getInit();
    std::string Value = text(Init), Type = member(Variable.getType(), "");
    if (Variable.getType()->isScalarType()) {
      const auto* List = dyn_cast<InitListExpr>(Init->IgnoreImplicit());
      return List ? (List->getNumInits() != 0 ? text(List->getInit(0)) : "0") : Value;
    }
    if (Variable.getInitStyle() == VarDecl::CInit && !isa<InitListExpr>(Init->IgnoreImplicit()))
      return isa<CXXConstructExpr>(Init->IgnoreImplicit()) && !isa<CXXTemporaryObjectExpr>(Init->IgnoreImplicit()) && Value.empty() ? Type + "()" : Value;
    return Type + (StringRef(Value).starts_with("{") ? Value : "(" + Value + ")");
  }

  /// fflush(stdout), and of all: what printf has printed is shown when CUDA shows it.
  static bool flushesStandardStream(const Expr* E) {
    const auto* Call = dyn_cast<CallExpr>(E);
    const FunctionDecl* Callee = Call ? Call->getDirectCallee() : nullptr;
    if (!Callee || !Callee->isExternC() || !Callee->getIdentifier() || Callee->getName() != "fflush" || Call->getNumArgs() != 1)
      return false;
    const Expr* Stream = Call->getArg(0)->IgnoreParenImpCasts();
    if (isa<CXXNullPtrLiteralExpr, GNUNullExpr>(Stream))
      return true;
    const auto* Ref = dyn_cast<DeclRefExpr>(Stream);
    const auto* V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    return V && V->isExternC() && (V->getName() == "stdout" || V->getName() == "stderr");
  }

  void expression(const Expr* E, unsigned Depth) {
    const Expr* Inner = E->IgnoreUnlessSpelledInSource();
    if (flushesStandardStream(Inner)) {
      line(Depth) << ";\n";
      return;
    }
    if (const auto* Launch = dyn_cast<CUDAKernelCallExpr>(Inner)) {
      launch(*Launch, Depth);
      return;
    }
    const Expr* Error = checkedError(E);
    if (!Error && isCudaError(E->getType()))
      Error = E;
    if (Error) { // the backend would warn of a value that is not used
      line(Depth) << "static_cast<void>(" << text(Error) << ");\n";
      return;
    }
    line(Depth) << text(E) << ";\n";
  }

  /// `const T name = value;`, for an argument of a kernel.
  std::string typed(QualType Type, std::string Name) const {
    Type.getNonReferenceType().getUnqualifiedType().withConst().getAsStringInternal(Name, Policy);
    return Name;
  }

  /// `T name`, for the same in the class of a launch.
  std::string member(QualType Type, std::string Name) const {
    Type.getNonReferenceType().getUnqualifiedType().getAsStringInternal(Name, Policy);
    return Name;
  }

  /// As ::gpurma::stages::written_box has it.
  static std::string writtenBox(const ArrayAccess& Access) {
    if (!Access.Writes)
      return "{}";
    std::string Text = Access.OfComponents ? "{{{}" : "";
    for (size_t J = 0; J < Access.Walks.size(); ++J) {
      const std::optional<unsigned>& D = Access.Walks[J];
      Text += Text.empty() ? "{{" : ", ";
      if (D && !(*Access.Writes)[*D].Whole)
        Text += "{" + std::to_string(*D) + ", {" + std::to_string((*Access.Writes)[*D].Low) + ", " +
                std::to_string((*Access.Writes)[*D].High) + "}}";
      else if (J != 0 && !D && J < Access.WrittenEnds.size() && !Access.WrittenEnds[J].Whole)
        Text += "{-1, {}, {" + std::to_string(Access.WrittenEnds[J].First) + ", " + std::to_string(Access.WrittenEnds[J].Last) + "}}";
      else
        Text += "{}";
    }
    if (const std::optional<RowsBeyond>& Rows = Access.Published)
      return Text + "}, " + std::to_string(Rows->Before) + ", " + std::to_string(Rows->After) + "}";
    return Text + "}}";
  }

  /// What a launch does with rows of its arrays that come from neighbouring processes, or go to them: a bit for each array.
  struct Crossing {
    unsigned ReadsBefore = 0, ReadsAfter = 0, PutsBefore = 0, PutsAfter = 0;

    void add(const ArrayAccess& Access, unsigned Index) {
      ReadsBefore |= unsigned(Access.Received.Before != 0) << Index;
      ReadsAfter |= unsigned(Access.Received.After != 0) << Index;
      // What is read after a process's rows is the next process's.
      bool Writes = Access.Writes.has_value(), Known = Access.Published.has_value();
      PutsBefore |= unsigned(Writes && (!Known || Access.Published->After != 0)) << Index;
      PutsAfter |= unsigned(Writes && (!Known || Access.Published->Before != 0)) << Index;
    }
    std::string text() const {
      return ";\n  static constexpr unsigned gpurma_reads_before = " + std::to_string(ReadsBefore) +
             ";\n  static constexpr unsigned gpurma_reads_after = " + std::to_string(ReadsAfter) +
             ";\n  static constexpr unsigned gpurma_puts_before = " + std::to_string(PutsBefore) +
             ";\n  static constexpr unsigned gpurma_puts_after = " + std::to_string(PutsAfter);
    }
  };

  /// The number that this launch's blocks store begins with nothing.
  void beginBlockNumbers(const Stage& S, unsigned Depth) {
    for (const auto& [Parameter, Dimensions] : S.BlockNumbers) {
      const ReducedScalar& Numbers = *reducedPointer(S.Arguments[Parameter->getFunctionScopeIndex()]);
      line(Depth) << reducedName(Numbers) << " = " << operationName(Numbers, Context) << "::template identity<" << member(Numbers.Scalar->getType(), "")
                  << ">;\n";
      line(Depth) << blocksName(Numbers) << " = ::gpurma::stages::numbered_blocks_of(dim3(" << text(S.Grid) << "), " << Dimensions << ", "
                  << siteText(S.Launch->getBeginLoc(), U.sources()) << ");\n";
    }
  }

  std::string blocksName(const ReducedScalar& Scalar) const {
    return "gpurma_blocks_" + std::to_string(&Scalar - R.Reductions.data());
  }

  std::string blocksCheck(const ReducedScalar& From, const std::string& Count, SourceLocation Loc) const {
    return "::gpurma::stages::check_block_numbers(" + blocksName(From) + ", " + Count + ", 0, " + siteText(Loc, U.sources()) + ")";
  }

  void addHostSum(const HostSum& Sum, unsigned Depth) {
    const ReducedScalar& From = R.Reductions[Sum.From];
    line(Depth) << blocksCheck(From, text(Sum.Count), Sum.Loop->getBeginLoc()) << ";\n";
    line(Depth) << text(Sum.Total) << " += " << reducedName(From) << ".value();\n";
  }

  /// Such a copy leaves nothing but the question whether it is of all numbers.
  bool copyOfNumbers(const CallExpr& Call, raw_ostream& To) {
    auto It = llvm::find_if(R.HostSums, [&](const HostSum& Each) { return Each.Copy == &Call; });
    if (It == R.HostSums.end())
      return false;
    const ReducedScalar& From = R.Reductions[It->From];
    To << "(" << blocksCheck(From, "(" + text(Call.getArg(2)) + ") / " + std::to_string(bytesOf(From)), Call.getBeginLoc()) << ", ::cudaSuccess)";
    return true;
  }

  /// Whether a kernel may get one of the arrays under another name, which the host does not see when the region begins.
  bool mayLeadIntoArray(const Stage& S, const ParmVarDecl* Parameter, const Expr* Argument) const {
    if (!Parameter->getType()->isPointerType() || Argument->isNullPointerConstant(Context, Expr::NPC_ValueDependentIsNotNull) ||
        llvm::any_of(S.Accesses.Arrays, [&](const ArrayAccess& A) { return A.Array.Variable == Parameter; }))
      return false;
    PointerVariable Passed = anyPointerVariable(Argument);
    return !Passed || R.declares(Passed.Variable) || (Passed.Subscripts.empty() && Changes.changes(Passed.Variable));
  }

  /// What such a launch leaves behind.
  void combining(const CombiningLaunch& C, unsigned Depth) {
    const ReducedScalar &From = R.Reductions[C.From], &To = R.Reductions[C.To];
    line(Depth) << "::gpurma::stages::check_block_numbers(" << blocksName(From) << ", " << (C.Count ? text(C.Count) : std::to_string(C.Number)) << ", "
                << C.Threads << ", " << siteText(C.Launch->getBeginLoc(), U.sources()) << ");\n";
    std::string Value = reducedName(From) + ".value()";
    std::string Type = member(From.Scalar->getType(), "");
    if (C.Zero != ZeroAmongNumbers::Never)
      Value = operationName(From, Context) + "::combine(" + Value + ", " +
              (C.Zero == ZeroAmongNumbers::Always ? Type + "(0)"
                                                  : "(" + blocksName(From) + " < " + std::to_string(C.Threads) + " ? " + Type + "(0) : " +
                                                        operationName(From, Context) + "::template identity<" + Type + ">)") +
              ")";
    if (!C.Root.empty())
      Value = "::" + C.Root + "(" + (C.Root == "sqrt" ? "static_cast<double>(" + Value + ")" : Value) + ")";
    line(Depth) << reducedName(To) << (C.Adds ? " += " : " = ") << "static_cast<" << member(To.Scalar->getType(), "") << ">(" << Value << ");\n";
  }

  void launch(const CUDAKernelCallExpr& Launch, unsigned Depth) {
    if (auto Combining = llvm::find_if(R.Combining, [&](const CombiningLaunch& C) { return C.Launch == &Launch; }); Combining != R.Combining.end()) {
      combining(*Combining, Depth);
      return;
    }
    auto It = llvm::find_if(R.Stages, [&](const Stage& S) { return S.Launch == &Launch; });
    if (It == R.Stages.end() || !It->Kernel)
      return; // VerifyRegions has reported it
    const Stage& S = *It;
    std::string Index = std::to_string(It - R.Stages.begin());
    std::string Function = stageFunctionCall(S.Kernel, S.Accesses.Threads, /*Behind=*/false, U, P);
    if (Function.empty()) {
      report(Launch.getBeginLoc(), Diag::err_launch_template_unnameable) << S.Kernel->getName();
      return;
    }
    std::string Class = "gpurma_launch_" + Number + "_" + Index;
    line(Depth) << "{\n";
    beginBlockNumbers(S, Depth + 1);
    bool Renumbered = S.Accesses.Threads != ThreadMapping::Blocks;
    if (Renumbered && !forFixedRows(S))
      numberThreads(S, Index, siteText(Launch.getBeginLoc(), U.sources()), Depth + 1);
    else if (!Renumbered)
      line(Depth + 1) << "const dim3 gpurma_grid"
                      << (S.Accesses.RowsStrided || S.Accesses.Loop ? " = gpurma_region.covering_rows(dim3(" + text(S.Grid) + "), " + Index + ")"
                                                 : "(" + text(S.Grid) + ")")
                      << ";\n";
    std::string Members, Values, Arguments, Pointers, Boxes, Parts, Sums;
    if (Renumbered) {
      Members = "  ::gpurma::stages::" + numbering(S) + " gpurma_threads;\n";
      Values = ", gpurma_threads";
    }
    for (unsigned I : objectParameters(S.Kernel, U)) {
      std::string Name = "gpurma_" + std::to_string(I);
      const ParmVarDecl* Parameter = S.Kernel->getParamDecl(I);
      const ReducedScalar* Reduced = reducedPointer(S.Arguments[I]);
      if (!llvm::is_contained(S.AddedUpByThreads, Parameter)) {
        Arguments += (Reduced && readsOnlyScalar(S.Kernel, Parameter) ? ", &" : ", ") + Name;
        continue;
      }
      std::string Type = "<" + member(Reduced->Scalar->getType(), "") + ", " + operationName(*Reduced, Context) + ">";
      Arguments += ", ::gpurma::stages::part_pointer" + Type + "{gpurma_thread." + Name + "}";
      Parts += " ::gpurma::stages::thread_part" + Type + " " + Name + ";";
      Sums += " gpurma_thread." + Name + ".add_to(" + Name + ");";
    }
    std::string BehindArguments = Arguments;
    for (size_t I = 0; I != S.Sums.Sums.size(); ++I) {
      const TileSums::Sum& Sum = S.Sums.Sums[I];
      StringRef Operation = Sum.Op == CombinedValues::Plus ? "plus" : Sum.Op == CombinedValues::Max ? "maximum" : "minimum";
      Parts += " ::gpurma::stages::thread_part<" + member(Sum.Variable->getType().getCanonicalType().getUnqualifiedType(), "") +
               ", ::gpurma::stages::" + Operation.str() + "> " + tileSumName(I) + ";";
      Arguments += ", gpurma_thread." + tileSumName(I);
      BehindArguments += ", gpurma_thread." + tileSumName(I) + ".value()";
    }
    const size_t OfTiles = Arguments.size();
    unsigned Reads = 0, Writes = 0, Count = 0;
    Crossing Crosses;
    for (unsigned I = 0; I != S.Arguments.size() && I != S.Kernel->getNumParams(); ++I) {
      const ParmVarDecl* Parameter = S.Kernel->getParamDecl(I);
      const Expr* Argument = S.Arguments[I];
      if (const auto* Default = dyn_cast<CXXDefaultArgExpr>(Argument))
        Argument = Default->getExpr();
      std::string Name = "gpurma_" + std::to_string(I);
      Values += ", " + Name;
      if (const ReducedScalar* Scalar = reducedPointer(Argument)) {
        bool ReadsOnly = readsOnlyScalar(S.Kernel, Parameter);
        std::string Pointer = (ReadsOnly ? "&" : "") + Name;
        QualType Type = Parameter->getType(), Pointee = Type->getPointeeType();
        if (!Pointee.isNull() && !Context.hasSameUnqualifiedType(Pointee, Scalar->Scalar->getType()))
          Pointer = "reinterpret_cast<" + member(Type, "") + ">(" + Pointer + ")"; // as the launch does
        Arguments += ", " + Pointer;
        Members += "  " + member(Scalar->Scalar->getType(), (ReadsOnly ? "" : "*") + Name) + ";\n";
        line(Depth + 1) << "auto " << (ReadsOnly ? "" : "* ") << "const " << Name << " = " << reducedName(*Scalar)
                        << (ReadsOnly ? ".value();\n" : ".partial();\n");
        continue;
      }
      if (llvm::is_contained(S.Collected, Parameter)) {
        std::string Type = "::gpurma::stages::collected_pointer<" + member(Parameter->getType()->getPointeeType(), "") + ">";
        Arguments += ", " + Name + ".data";
        Members += "  " + Type + " " + Name + ";\n";
        line(Depth + 1) << "const " << Type << " " << Name << " = ::gpurma::stages::collected_at(gpurma_values.gpurma_collected["
                        << R.findCollected(Argument) - R.Collected.data() << "], " << text(Argument) << ");\n";
        continue;
      }
      Arguments += ", " + Name;
      Members += "  " + member(Parameter->getType(), Name) + ";\n";
      line(Depth + 1) << typed(Parameter->getType(), Name) << " = " << text(Argument) << ";\n";
      if (mayLeadIntoArray(S, Parameter, Argument))
        line(Depth + 1) << "gpurma_region.check_undistributed(" << Name << ", " << siteText(Launch.getBeginLoc(), U.sources()) << ");\n";
      for (const ArrayAccess& Access : S.Accesses.Arrays) {
        if (Access.Array.Variable != Parameter)
          continue;
        Pointers += (Count ? ", " : "") + Name + Access.Array.memberText();
        Boxes += (Count ? ", " : "") + writtenBox(Access);
        Reads |= (Access.Reads ? 1u : 0u) << Count;
        Writes |= (Access.Writes ? 1u : 0u) << Count;
        Crosses.add(Access, Count);
        ++Count;
      }
    }
    if (S.Accesses.Loop)
      checksApart(S, siteText(Launch.getBeginLoc(), U.sources()), Depth + 1);
    StringRef Between = S.Between == BetweenTiles::Nothing   ? "nothing"
                        : S.Between == BetweenTiles::Barrier ? "barrier"
                                                             : "other_copy";
    if (forFixedRows(S)) // it looks at the arrays that are passed
      numberThreads(S, Index, siteText(Launch.getBeginLoc(), U.sources()), Depth + 1);
    if (storedRows(S) != 0) {
      std::string Type = "::gpurma::stages::stored_tile_rows<" + std::to_string(storedRows(S)) + ">";
      Members += "  " + Type + " gpurma_tile_rows;\n";
      Values += ", gpurma_tile_rows";
      line(Depth + 1) << "const " << Type << " gpurma_tile_rows = ::gpurma::stages::tile_rows_of(gpurma_region, " << Index << ", {"
                      << storedRowNumbers(S) << "}, gpurma_grid);\n";
    }
    line(Depth + 1) << "gpurma_region.launch(" << Class << "{{gpurma_grid.x, gpurma_grid.y, gpurma_grid.z}" << Values << "}, "
                    << (Renumbered ? "dim3(blockDim)" : text(S.Block)) << ", "
                    << siteText(Launch.getBeginLoc(), U.sources()) << ");\n";
    line(Depth) << "}\n";
    Result.LaunchNames.push_back(Class);
    Result.Launches += "struct " + Class + " {\n  static constexpr int gpurma_stage = " + Index +
                       ";\n  static constexpr unsigned gpurma_row_dimension = " + std::to_string(S.Accesses.RowDimension) +
                       ";\n  static constexpr int gpurma_stored_rows = " + std::to_string(storedRows(S)) +
                       ";\n  [[maybe_unused]] static constexpr auto gpurma_between = ::gpurma::stages::between_tiles::" + Between.str() +
                       ";\n  [[maybe_unused]] static constexpr auto gpurma_rereads = ::gpurma::stages::rereading::" + rereading(S.Accesses).str() +
                       ";\n  static constexpr unsigned gpurma_reads = " + std::to_string(Reads) +
                       ";\n  static constexpr unsigned gpurma_writes = " + std::to_string(Writes) + Crosses.text() +
                       ";\n  unsigned gpurma_grid[3];\n" + Members + // nvcc 13.0 fails at copies of some classes with a dim3
                       "  __device__ __forceinline__ ::gpurma::stages::pointers<" + std::to_string(std::max(Count, 1u)) +
                       "> gpurma_arrays() const { return {{" + (Count ? Pointers : "nullptr") +
                       "}}; }\n  static __device__ __forceinline__ const ::gpurma::stages::written_box* gpurma_boxes() { static constexpr "
                       "::gpurma::stages::written_box boxes[] = {" +
                       (Count ? Boxes : "{}") +
                       "}; return boxes; }\n  struct gpurma_parts {" + Parts + (Parts.empty() ? "" : " ") +
                       "};\n  __device__ __forceinline__ void gpurma_add_up([[maybe_unused]] const gpurma_parts& gpurma_thread) const {" + Sums +
                       (Sums.empty() ? "" : " ") +
                       "}\n  template <unsigned gpurma_copy> __device__ __forceinline__ void gpurma_run(const uint3& gpurma_block, "
                       "[[maybe_unused]] gpurma_parts& gpurma_thread) { " +
                       (Renumbered ? playedThread(S, Function, Arguments) : Function + "(" + place(S) + Arguments + ");") +
                       " }\n  __device__ __forceinline__ void gpurma_finish([[maybe_unused]] gpurma_parts& gpurma_thread) const {" +
                       (S.Sums.any() ? behind(S, BehindArguments + Arguments.substr(OfTiles)) : "") + "}\n};\n";
  }

  /// A copy or fill of distributed arrays, as an expression. False: the call is something else.
  bool arrayCopy(const CallExpr& Call, raw_ostream& To) {
    auto It = llvm::find_if(R.Stages, [&](const Stage& S) { return S.Copy == &Call; });
    if (It == R.Stages.end())
      return false;
    const Stage& S = *It;
    const ArrayCopy Copy = *gpurma::arrayCopy(Call);
    std::string Index = std::to_string(It - R.Stages.begin());
    std::string Class = "gpurma_launch_" + Number + "_" + Index;
    To << "::gpurma::stages::" << (Copy.fills() ? "fill" : "copy") << (S.Copied.Rows ? "_rows<" : "_array<") << Class << ">(gpurma_region, "
       << S.Accesses.Arrays.front().Walks.size() << ", " << text(Copy.To) << ", " << text(Copy.fills() ? Copy.Byte : Copy.From) << ", "
       << text(Copy.Bytes) << ", " << (S.Copied.Rows && !Copy.fills() ? rowDistance(S) + ", " : "") << siteText(Call.getBeginLoc(), U.sources())
       << ")";
    Crossing Crosses;
    std::string Boxes;
    for (const ArrayAccess& Access : S.Accesses.Arrays) {
      Crosses.add(Access, &Access - S.Accesses.Arrays.data());
      Boxes += (Boxes.empty() ? "" : ", ") + writtenBox(Access);
    }
    Result.LaunchNames.push_back(Class);
    std::string Kind = S.Accesses.Arrays.front().OfComponents ? ", true" : S.Copied.Rows ? ", false" : "";
    if (S.Copied.Rows)
      Kind += ", " + std::to_string(*S.Copied.Rows);
    Result.Launches += "struct " + Class + " : ::gpurma::stages::array_" + (Copy.fills() ? "fill" : "copy") + "<" +
                       std::to_string(S.Accesses.RowDimension) + ", " + std::to_string(S.Copied.Bytes) + ", " +
                       std::to_string(S.Copied.Alignment) + Kind + "> {\n  static constexpr int gpurma_stage = " + Index + Crosses.text() +
                       ";\n  static __device__ __forceinline__ const ::gpurma::stages::written_box* gpurma_boxes() { static constexpr "
                       "::gpurma::stages::written_box boxes[] = {" +
                       Boxes + "}; return boxes; }\n};\n";
    return true;
  }

  /// As ::gpurma::stages::row_distance has it.
  static std::string rowDistance(const Stage& S) {
    const AxisAccess& Rows = (*S.Accesses.Arrays.back().Reads)[S.Accesses.RowDimension];
    StringRef How = Rows.Whole ? "any" : Rows.Periodic ? "periodic" : "exact";
    return "{::gpurma::stages::row_distance::" + How.str() + ", " + std::to_string(S.Copied.Distance.value_or(0)) + "}";
  }

  /// Kernels with queues of registers need the most, then those with a loop and those that compute their places: measured, see
  /// docs/performance.md.
  static StringRef rereading(const KernelAccesses& Accesses) {
    if (Accesses.Loop && Accesses.Loop->Queues)
      return "by_all";
    bool ComputesPlaces = Accesses.Threads == ThreadMapping::OneDimension || Accesses.Threads == ThreadMapping::PartialBlocks;
    return Accesses.Loop || ComputesPlaces ? "by_leading" : "by_none";
  }

  static std::string dimensionsOf(const Stage& S) { return std::to_string(tileDimensions(S.Accesses)); }

  /// The tiles of a launch that are not its blocks, and what the threads in them are to it.
  void numberThreads(const Stage& S, const std::string& Index, const std::string& Site, unsigned Depth) {
    StringRef Covers = S.Accesses.RowsStrided || S.Accesses.Loop ? "true" : "false";
    line(Depth) << "const ::gpurma::stages::" << numbering(S) << " gpurma_threads = ::gpurma::stages::";
    if (forFixedRows(S))
      threadsOfRows(S, Index, Site);
    else if (inOneDimension(S)) {
      llvm::ListSeparator Separator;
      Out << (inParts(S) ? "number_blocks(gpurma_region, " + Index + ", {" : "number_threads(gpurma_region, {");
      for (size_t Array : S.ShapedLike)
        Out << Separator << Array;
      Out << "}, " << dimensionsOf(S) << ", " << Covers << ", dim3(" << text(S.Grid) << "), dim3(" << text(S.Block) << "), " << Site << ");\n";
    } else {
      Out << "place_threads(gpurma_region, " << Index << ", " << Covers << ", dim3(" << text(S.Grid) << "), dim3(" << text(S.Block) << "));\n";
    }
    line(Depth) << "const dim3 gpurma_grid = ::gpurma::stages::tiles_of(gpurma_region, " << Index << ", "
                << (inOneDimension(S) ? dimensionsOf(S) + ", " : "") << "gpurma_threads);\n";
  }

  static bool inParts(const Stage& S) { return S.Accesses.Threads == ThreadMapping::PartialBlocks; }
  static bool inOneDimension(const Stage& S) { return S.Accesses.Threads == ThreadMapping::OneDimension || inParts(S); }

  // --- Launches of kernels for fixed rows.

  static bool forFixedRows(const Stage& S) { return S.Accesses.Threads == ThreadMapping::FixedRows; }

  /// Whose rows say which threads do a store.
  static std::vector<const ArrayAccess*> arraysOfRows(const Stage& S) {
    std::vector<const ArrayAccess*> Found;
    for (const ArrayAccess& A : S.Accesses.Arrays)
      if (A.Writes || A.FindsRows)
        Found.push_back(&A);
    return Found;
  }

  static std::string passedName(const PointerVariable& InKernel) {
    return "gpurma_" + std::to_string(cast<ParmVarDecl>(InKernel.Variable)->getFunctionScopeIndex()) + InKernel.memberText();
  }

  void threadsOfRows(const Stage& S, const std::string& Index, const std::string& Site) {
    const FixedRowStores& Stores = S.Accesses.FixedRows;
    Out << "threads_of_rows(gpurma_region, " << Index << ", {";
    llvm::ListSeparator Separator, PairSeparator;
    for (const ArrayAccess* A : arraysOfRows(S))
      Out << Separator << A->ShapedLike;
    Out << "}, " << Stores.Dimensions << "u, " << Stores.LeastRows << ", {";
    for (const auto& [Read, Stored] : Stores.Distinct)
      Out << PairSeparator << "{" << passedName(Read) << ", " << passedName(Stored) << "}";
    Out << (Stores.Distinct.empty() ? "{nullptr, nullptr}" : "") << "}, dim3(" << text(S.Grid) << "), dim3(" << text(S.Block) << "), " << Site
        << ");\n";
  }

  /// 0 also where it is not known which.
  static size_t storedRows(const Stage& S) {
    const auto& Rows = S.Accesses.FixedRows.Rows;
    return Rows ? Rows->size() : 0;
  }

  static std::string storedRowNumbers(const Stage& S) {
    std::string Numbers;
    llvm::ListSeparator Separator;
    for (const FixedRow& Row : *S.Accesses.FixedRows.Rows) {
      Numbers += StringRef(Separator);
      for (const ArrayAccess* A : arraysOfRows(S))
        if (Row.Array && A->Array == *Row.Array)
          Numbers += "gpurma_region.rows_of(" + std::to_string(A->ShapedLike) + ") + ";
      if (Row.Parameter)
        Numbers += "static_cast<std::int64_t>(gpurma_" + std::to_string(Row.Parameter->getFunctionScopeIndex()) +
                   (Row.Field ? "." + Row.Field->getNameAsString() : "") + ") + ";
      Numbers += std::to_string(Row.Number);
    }
    return Numbers;
  }

  std::string rowThread(const Stage& S) const {
    const auto& Block = S.Accesses.LaunchedBlock;
    return "row_thread<" + std::to_string(arraysOfRows(S).size()) + ", " + std::to_string(S.Accesses.RowDimension) + ", " +
           std::to_string(Block[0].value_or(0)) + ", " + std::to_string(Block[1].value_or(0)) + (hasTilesOfRows(S, R)    ? ", true"
                                                                                                                  : hasRowsOfComponents(S) ? ", false"
                                                                                                                                        : "") +
           (hasRowsOfComponents(S) ? ", true>" : ">");
  }

  static bool hasRowsOfComponents(const Stage& S) {
    return llvm::any_of(arraysOfRows(S), [](const ArrayAccess* A) { return A->OfComponents; });
  }

  static std::string ownRows(const Stage& S) {
    llvm::ListSeparator Separator;
    std::string Pointers;
    for (const ArrayAccess* A : arraysOfRows(S))
      Pointers += (StringRef(Separator) + passedName(A->Array)).str();
    return ", gpurma_played.rows({" + Pointers + "})";
  }

  static std::string numbering(const Stage& S) {
    if (forFixedRows(S))
      return "row_threads<" + std::to_string(arraysOfRows(S).size()) + ">";
    if (inParts(S))
      return "numbered_blocks";
    return inOneDimension(S) ? "thread_numbers" : "thread_places";
  }

  std::string playedThread(const Stage& S, const std::string& Function, const std::string& Arguments) {
    const auto& Block = S.Accesses.LaunchedBlock;
    std::string Size = std::to_string(Block[0].value_or(0));
    std::string Type = "numbered_thread<" + dimensionsOf(S) + ", " + Size + ">";
    if (S.Accesses.Threads == ThreadMapping::Coordinates)
      Type = "placed_thread<" + dimensionsOf(S) + ", " + Size + ", " + std::to_string(Block[1].value_or(0)) + ", " + std::to_string(Block[2].value_or(0)) +
             (hasTilesOfRows(S, R) ? ", true>" : ">");
    if (forFixedRows(S))
      Type = rowThread(S);
    if (inParts(S))
      return "for (::gpurma::stages::tile_blocks<" + dimensionsOf(S) + ", " + (S.Accesses.RowsStrided ? "true" : "false") +
             "> gpurma_played(gpurma_threads, gpurma_block); gpurma_played.exist(); gpurma_played.go_on()) " + Function +
             "(gpurma_played.thread(), gpurma_played.block(), gpurma_played.block_size(), gpurma_played.grid(), gpurma_played.elements()" + Arguments + ");";
    return "const ::gpurma::stages::" + Type + " gpurma_played(gpurma_threads, gpurma_block); if (gpurma_played.exists()) " + Function +
           "(gpurma_played.thread(), gpurma_played.block(), gpurma_played.block_size(), gpurma_played.grid()" + (forFixedRows(S) ? ownRows(S) : playedRows(S)) +
           (S.Accesses.Threads == ThreadMapping::OneDimension ? ", gpurma_played.place()" : "") + Arguments + ");";
  }

  /// What is run once for all tiles of a rank.
  std::string behind(const Stage& S, const std::string& Arguments) {
    std::string Grid;
    for (unsigned D = 0; D != 3; ++D)
      Grid += (D ? ", " : "") + (S.Accesses.Loop && D == S.Accesses.RowDimension ? "1" : "gpurma_grid[" + std::to_string(D) + "]");
    return " constexpr unsigned gpurma_copy = 0; " + stageFunctionCall(S.Kernel, S.Accesses.Threads, /*Behind=*/true, U, P) + "(" +
           (inParts(S) ? "::gpurma::stages::thread_of_block(), gpurma_threads.block_size(), gpurma_threads.grid(" +
                             std::string(S.Accesses.RowsStrided ? "true" : "false") + ")"
                       : "dim3(" + Grid + ")") +
           Arguments + "); ";
  }

  /// Those of a loop over the rows, of which each thread has some.
  std::string playedRows(const Stage& S) const {
    if (!rowLoopOf(S.Kernel, U))
      return "";
    if (!S.Accesses.Loop)
      return ", ::gpurma::stages::tile_rows()";
    return ", gpurma_played.rows<" + std::to_string(S.Accesses.RowDimension) + ">(" + std::to_string(S.Accesses.RowsPerThread) +
           fillingIterations(S) + ")";
  }

  static std::string fillingIterations(const Stage& S) {
    unsigned Filling = S.Accesses.Loop->fillingIterations();
    return Filling ? ", " + std::to_string(Filling) : "";
  }

  /// What a kernel writes row after row must not be what it reads other rows of, under another name.
  void checksApart(const Stage& S, const std::string& Site, unsigned Depth) {
    auto Text = [](const ArrayAccess& A) {
      return "gpurma_" + std::to_string(cast<ParmVarDecl>(A.Array.Variable)->getFunctionScopeIndex()) + A.Array.memberText();
    };
    for (const ArrayAccess& Written : S.Accesses.Arrays)
      for (const ArrayAccess& Read : S.Accesses.Arrays)
        if (&Read != &Written && readsRowsOf(S.Accesses, Written, Read))
          line(Depth) << "::gpurma::stages::check_apart(" << Text(Written) << ", " << Text(Read) << ", " << Site << ");\n";
  }

  /// The logical block, and how many there are. One that has rows of a loop is the only one along their dimension.
  std::string place(const Stage& S) const {
    if (!rowLoopOf(S.Kernel, U))
      return "gpurma_block, dim3(gpurma_grid[0], gpurma_grid[1], gpurma_grid[2])";
    if (!S.Accesses.Loop)
      return "gpurma_block, dim3(gpurma_grid[0], gpurma_grid[1], gpurma_grid[2]), ::gpurma::stages::tile_rows()";
    std::string Block, Grid, Rows;
    for (unsigned D = 0; D != 3; ++D) {
      std::string Axis(1, "xyz"[D]), Blocks = "gpurma_grid[" + std::to_string(D) + "]";
      bool OfRows = D == S.Accesses.RowDimension;
      Block += (D ? ", " : "") + (OfRows ? "0" : "gpurma_block." + Axis);
      Grid += (D ? ", " : "") + (OfRows ? "1" : Blocks);
      if (OfRows)
        Rows = "gpurma_block." + Axis + ", " + Blocks + ", blockDim." + Axis + " * " + std::to_string(S.Accesses.RowsPerThread) + fillingIterations(S);
    }
    return "uint3{" + Block + "}, dim3(" + Grid + "), ::gpurma::stages::tile_rows(" + Rows + ")";
  }

  const Region& R;
  const std::string& Number;
  const LocalTypes& Types;
  Unit& U;
  Program& P;
  ASTContext& Context;
  PrintingPolicy Policy;
  const VariableChanges Changes;
  WrittenRegion Result;
  llvm::raw_string_ostream Out;
  unsigned Loops = 0, Switches = 0;
  bool HasSuggestedHost = false, HasExplainedTimes = false;
};

/// Finds uses of a parameter, and those of them that read *p or p[0].
class ScalarReads : public DynamicRecursiveASTVisitor {
public:
  explicit ScalarReads(const ParmVarDecl* Parameter) : Parameter(Parameter) {}
  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    Uses += Ref->getDecl() == Parameter;
    return true;
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr* Cast) override {
    if (Cast->getCastKind() != CK_LValueToRValue)
      return true;
    Reads += pointerOf(Cast->getSubExpr()) == Parameter;
    return true;
  }
  unsigned Uses = 0, Reads = 0;

private:
  const ParmVarDecl* Parameter;
};

} // namespace

bool isCudaError(QualType Type) {
  const auto* Enum = Type.getNonReferenceType()->getAs<EnumType>();
  return Enum && Enum->getDecl()->getName() == "cudaError";
}

bool isConstant(const VarDecl* V) {
  const Expr* Init = V->getInit();
  return V->getType().isConstQualified() && Init && !Init->isValueDependent() && Init->isConstantInitializer(V->getASTContext(), false);
}

std::optional<bool> errorCheck(const Expr* Condition) {
  Condition = Condition->IgnoreParenImpCasts();
  if (const auto* Not = dyn_cast<UnaryOperator>(Condition); Not && Not->getOpcode() == UO_LNot) {
    std::optional<bool> Inner = errorCheck(Not->getSubExpr());
    return Inner ? std::optional(!*Inner) : std::nullopt;
  }
  if (isCudaError(Condition->getType()))
    return false;
  const auto* Compare = dyn_cast<BinaryOperator>(Condition);
  if (Compare && Compare->isLogicalOp()) {
    std::optional<bool> Left = errorCheck(Compare->getLHS()), Right = errorCheck(Compare->getRHS());
    const bool Decides = Compare->getOpcode() == BO_LOr;
    if (Left == Decides || Right == Decides)
      return Decides;
    return Left && Right ? std::optional(!Decides) : std::nullopt;
  }
  if (!Compare || !Compare->isEqualityOp())
    return std::nullopt;
  const Expr *Left = Compare->getLHS()->IgnoreParenImpCasts(), *Right = Compare->getRHS()->IgnoreParenImpCasts();
  bool Checks = (isCudaError(Left->getType()) && namesSuccess(Right)) || (isCudaError(Right->getType()) && namesSuccess(Left));
  return Checks ? std::optional(Compare->getOpcode() == BO_EQ) : std::nullopt;
}

unsigned tileDimensions(const KernelAccesses& Accesses) {
  unsigned Dimensions = Accesses.RowDimension + 1;
  for (const ArrayAccess& A : Accesses.Arrays)
    for (const std::optional<unsigned>& D : A.Walks)
      Dimensions = std::max(Dimensions, D.value_or(0) + 1);
  return Dimensions;
}

unsigned tileDimensions(const Region& R) {
  unsigned Most = 1;
  for (const Stage& S : R.Stages)
    if (S.Launch && S.Inferred)
      Most = std::max(Most, tileDimensions(S.Accesses));
  return Most;
}

/// As tiles of rows have them.
static bool walksRowsLast(const Stage& S) { return S.Accesses.RowDimension + 1 == tileDimensions(S.Accesses); }

static bool isSameText(const Expr* A, const Expr* B, const ASTContext& Context) {
  llvm::FoldingSetNodeID One, Other;
  A->IgnoreParenImpCasts()->Profile(One, Context, /*Canonical=*/true);
  B->IgnoreParenImpCasts()->Profile(Other, Context, /*Canonical=*/true);
  return One == Other;
}

/// Whether the launch has an array of several dimensions, or one with a value for each row of such an array. Others may have very many rows.
static bool hasRowsOfSeveral(const Stage& S, const Region& R) {
  return llvm::any_of(S.ShapedLike, [&](size_t Index) {
    return llvm::any_of(R.Arrays, [&](const DistributedArray& A) {
      return A.Shape.size() > 1 && isSameText(A.Shape.front(), R.Arrays[Index].Shape.front(), S.Kernel->getASTContext());
    });
  });
}

bool hasFewerDimensions(const Stage& S, const Region& R) {
  unsigned Dimensions = tileDimensions(S.Accesses);
  auto HasMore = [&](const Stage& Other) {
    bool OfBlocks = Other.Accesses.Threads == ThreadMapping::Blocks;
    return Other.Launch && Other.Inferred && (OfBlocks || Dimensions == 1) && tileDimensions(Other.Accesses) > Dimensions;
  };
  return S.Launch && S.Inferred && walksRowsLast(S) && hasRowsOfSeveral(S, R) && llvm::any_of(R.Stages, HasMore);
}

bool hasTilesOfRows(const Stage& S, const Region& R) {
  switch (S.Accesses.Threads) {
  case ThreadMapping::Coordinates:
    return (S.Accesses.Loop && walksRowsLast(S)) || hasFewerDimensions(S, R);
  case ThreadMapping::FixedRows:
    return hasFewerDimensions(S, R);
  default:
    return false;
  }
}

std::string operationName(const ReducedScalar& S, const ASTContext& Context) {
  std::string Name = S.Operation == Keyword::Plus  ? "::gpurma::stages::plus"
                     : S.Operation == Keyword::Max ? "::gpurma::stages::maximum"
                     : S.Operation == Keyword::Min ? "::gpurma::stages::minimum"
                     : S.Operation == Keyword::Or  ? "::gpurma::stages::logical_or"
                                                   : "::gpurma::stages::logical_and";
  if (S.Updated.isNull() || Context.hasSameUnqualifiedType(S.Updated, S.Scalar->getType()))
    return Name;
  return "::gpurma::stages::as<" + S.Updated.getAsString(sourcePolicy(Context)) + ", " + Name + ">";
}

bool readsOnlyScalar(const FunctionDecl* Kernel, const ParmVarDecl* Parameter) {
  ScalarReads Found(Parameter);
  Found.TraverseStmt(Kernel->getBody());
  return Found.Uses != 0 && Found.Uses == Found.Reads;
}

/// The first launch of the kernel, or of another instance of its template, of which that is true; null if there is none.
template <typename Predicate>
static const Stage* findLaunch(const FunctionDecl* Kernel, const Unit& U, Predicate IsIt) {
  std::string Key = kernelPatternKey(Kernel, U.sources());
  for (const Region& R : U.Regions)
    for (const Stage& S : R.Stages)
      if (!R.isPattern() && S.Kernel && IsIt(S) && kernelPatternKey(S.Kernel, U.sources()) == Key)
        return &S;
  return nullptr;
}

const RowLoop* rowLoopOf(const FunctionDecl* Kernel, const Unit& U) {
  const Stage* Found = findLaunch(Kernel, U, [](const Stage& S) { return S.Accesses.Loop.has_value(); });
  return Found ? &*Found->Accesses.Loop : nullptr;
}

const PartialBlocks* partialBlocksOf(const FunctionDecl* Kernel, const Unit& U) {
  const Stage* Found = findLaunch(Kernel, U, [](const Stage& S) { return S.Accesses.Threads == ThreadMapping::PartialBlocks; });
  return Found ? &Found->Accesses.Partial : nullptr;
}

const TileSums* tileSumsOf(const FunctionDecl* Kernel, ThreadMapping Threads, const Unit& U) {
  const Stage* Found = findLaunch(Kernel, U, [&](const Stage& S) { return S.Sums.any() && S.Accesses.Threads == Threads; });
  return Found ? &Found->Sums : nullptr;
}

std::string stageFunctionName(const FunctionDecl* Kernel, ThreadMapping Threads, bool Behind, Unit& U, Program& P) {
  const char* Tile = Threads == ThreadMapping::Blocks          ? "stage_"
                     : Threads == ThreadMapping::FixedRows     ? "rows_"
                     : Threads == ThreadMapping::OneDimension  ? "element_"
                     : Threads == ThreadMapping::PartialBlocks ? "part_"
                                                               : "thread_";
  return (Behind ? "gpurma_behind_" : "gpurma_") + std::string(Tile) + std::to_string(P.number("stage " + kernelPatternKey(Kernel, U.sources()))) + "_" + Kernel->getNameAsString();
}

std::string stageFunctionCall(const FunctionDecl* Kernel, ThreadMapping Threads, bool Behind, Unit& U, Program& P) {
  std::string Name = "::";
  llvm::raw_string_ostream Out(Name);
  Kernel->printNestedNameSpecifier(Out, sourcePolicy(U.context()));
  Out << stageFunctionName(Kernel, Threads, Behind, U, P) << "<gpurma_copy";
  std::string Own = "<>"; // of a kernel that is no template
  if (Kernel->getTemplateSpecializationArgs()) {
    std::optional<std::string> Arguments = templateArguments(Kernel, [](unsigned) { return std::nullopt; });
    if (!Arguments)
      return {};
    Own = *Arguments;
  }
  Out << (Own == "<>" ? "" : ", ") << StringRef(Own).drop_front();
  return Name;
}

std::string behindHostPart(const Stmt* Leaving) {
  return std::string("::gpurma::stages::behind_host_part::") +
         (!Leaving ? "next_statement" : isa<BreakStmt>(Leaving) ? "leave_loop" : "next_iteration");
}

std::string hostPartNumber(const Region& R, const HostPart& P) { return std::to_string(&P - R.HostParts.data() + 1); }

std::string keptName(const Region& R, const VarDecl* Variable) {
  return "gpurma_kept_" + std::to_string(llvm::find(R.Kept, Variable) - R.Kept.begin()) + "_" + Variable->getNameAsString();
}

std::string capturedName(const VarDecl* Variable, Program& P) {
  if (const FieldDecl* Member = memberOfObject(Variable))
    return "gpurma_this_" + Member->getNameAsString();
  if (isObjectValue(Variable))
    return objectValueName(Variable);
  bool Global = Variable->hasGlobalStorage() && !Variable->isStaticLocal();
  return Global ? "gpurma_global_" + std::to_string(P.number("global " + Variable->getQualifiedNameAsString())) + "_" +
                      Variable->getNameAsString()
                : Variable->getNameAsString();
}

WrittenRegion writeRegion(const Region& R, const std::string& Number, const LocalTypes& Types, Unit& U, Program& P) {
  return Writer(R, Number, Types, U, P).run();
}

} // namespace gpurma
