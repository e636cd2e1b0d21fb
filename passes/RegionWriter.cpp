// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/RegionWriter.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "frontend/SourceText.h"
#include "passes/ClauseMembers.h"
#include "passes/ErrorChecks.h"
#include "passes/HostObjects.h"
#include "passes/HostTables.h"
#include "passes/LaunchWriter.h"
#include "passes/Lvalues.h"
#include "passes/RegionNames.h"
#include "passes/VariableUses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <map>
#include <utility>

using namespace clang;

namespace gpurma {
namespace {

/// Writes the statements of a region.
class Writer {
public:
  explicit Writer(RegionDraft& Draft) : Draft(Draft), E(Draft), Context(Draft.U.context()), Out(Draft.Result.Text) {}

  void run() {
    ChangeCollector(*this).TraverseStmt(const_cast<Stmt*>(Draft.R.Statement));
    HostScalarCollector Scalars(*this);
    Scalars.TraverseStmt(const_cast<Stmt*>(Draft.R.Statement));
    Scalars.finish();
    for (const FusedLaunches& Fused : Draft.R.Fused)
      for (const FusedLaunches::Member& Each : llvm::drop_end(Fused.Members))
        line(2) << "::gpurma::stages::later<" << launchClass(Draft, std::to_string(Each.Stage)) << "> " << fusedLaunchName(Each.Stage) << ";\n";
    statement(Draft.R.Statement, 2);
    if (!Draft.R.HostParts.empty())
      line(2) << "gpurma_leave:;\n";
    for (const VarDecl* V : Draft.R.Kept)
      checkKept(*V);
    checkReferences();
  }

private:
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
        if (const auto* V = dyn_cast<VarDecl>(Ref->getDecl()); V && !W.Draft.R.declares(V))
          W.Draft.Result.Changed.insert(V);
    }
    bool VisitBinaryOperator(BinaryOperator* B) override {
      if (B->isAssignmentOp())
        changed(B->getLHS());
      return true;
    }
    bool VisitUnaryOperator(UnaryOperator* O) override {
      if (O->isIncrementDecrementOp() || (O->getOpcode() == UO_AddrOf && !ExpressionWriter::addressedElement(O)))
        changed(O->getSubExpr());
      return true;
    }
    bool VisitCallExpr(CallExpr* Call) override {
      if (isa<CUDAKernelCallExpr>(Call))
        return true;
      for (const Expr* Argument : Call->arguments())
        if (Argument->isLValue() && !Argument->getType().isConstQualified())
          changed(Argument);
        else if (const Expr* Array = arrayOf(Argument);
                 Array->getType()->isArrayType() && !W.Draft.U.context().getBaseElementType(Array->getType()).isConstQualified())
          changed(Array);
      if (const auto* Member = dyn_cast<CXXMemberCallExpr>(Call); Member && Member->getMethodDecl() && !Member->getMethodDecl()->isConst())
        changed(Member->getImplicitObjectArgument());
      return true;
    }
    /// Of `history` and `history + t`.
    static const Expr* arrayOf(const Expr* E) {
      E = E->IgnoreParenImpCasts();
      const auto Sum = pointerSum(E);
      return Sum ? arrayOf(Sum->Pointer) : E;
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
      if (const VarDecl* V = W.E.copiedScalar(*Call)) {
        Copied.insert(V);
        ++Known[V];
      }
      return true;
    }
    bool pointee(const Expr* E) {
      if (const VarDecl* V = pointerOf(E); V && !vectorOfTable(V))
        ++Known[V];
      return true;
    }
    void finish() {
      for (const VarDecl* V : Copied)
        if (Known[V] == Uses[V] && !W.Draft.R.declares(V)) {
          W.Draft.Result.HostScalars.insert(V);
          W.Draft.Result.Changed.insert(V);
        }
    }
    Writer& W;
    llvm::SmallSetVector<const VarDecl*, 2> Copied;
    llvm::DenseMap<const Decl*, unsigned> Uses, Known;
  };

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
    else if (!isCopiedByBytes(Type, Context))
      Wrong = NotCopied;
    else if (E.isUnnamed(Type) || E.hasCopy(Type)) // the host's statement would have the copy
      Wrong = NotNamed;
    if (Wrong)
      E.report(Variable.getLocation(), Diag::err_host_variable) << Variable.getName() << *Wrong;
  }

  /// A member, or without one an element by its number.
  using PartOfObject = std::pair<const FieldDecl*, std::int64_t>;
  /// A variable or member of the object, and which part of it.
  struct Storage {
    const Decl* Whole = nullptr;
    llvm::SmallVector<PartOfObject, 2> Part;

    bool overlaps(const Storage& Other) const {
      size_t Common = std::min(Part.size(), Other.Part.size());
      return Whole && Whole == Other.Whole && ArrayRef(Part).take_front(Common) == ArrayRef(Other.Part).take_front(Common);
    }
  };

  /// What a variable is, or refers to as far as its initialisation shows it.
  Storage storageOf(const VarDecl* V) const {
    if (!V->getType()->isReferenceType() || !V->getInit())
      return {V->getCanonicalDecl(), {}};
    Storage Found;
    const Expr* E = V->getInit()->IgnoreParenImpCasts();
    llvm::SmallVector<PartOfObject, 2> Members;
    while (true) {
      if (const auto [Array, Index] = arraySubscript(E); Array) {
        Expr::EvalResult Number;
        if (!Index->isValueDependent() && Index->EvaluateAsInt(Number, Context))
          Members.push_back({nullptr, Number.Val.getInt().getExtValue()});
        else
          Members.clear(); // all of it
        E = Array;
        continue;
      }
      const auto* Field = dyn_cast<MemberExpr>(E);
      if (!Field)
        break;
      Members.push_back({dyn_cast<FieldDecl>(Field->getMemberDecl()), 0});
      E = Field->getBase()->IgnoreParenImpCasts();
      if (Field->isArrow() && !isa<CXXThisExpr>(E))
        return {};
    }
    const auto* Ref = dyn_cast<DeclRefExpr>(E);
    if (const auto* Named = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr)
      Found = storageOf(Named);
    else if (isa<CXXThisExpr>(E) && !Members.empty())
      Found.Whole = Members.pop_back_val().first;
    Found.Part.append(Members.rbegin(), Members.rend());
    return Found;
  }

  /// Each captured variable has a copy of its own, which another name of the same would not see change.
  void checkReferences() {
    auto Report = [&](const VarDecl* V, StringRef Other) {
      E.report(V->getLocation(), Diag::err_region_variable) << V->getName() << ExpressionWriter::OtherName << Other;
    };
    for (const VarDecl* V : Draft.Result.Captured) {
      if (!V->getType()->isReferenceType() || memberOfObject(V) || memberOfClause(V))
        continue;
      Storage Own = storageOf(V);
      for (const VarDecl* Other : Draft.Result.Captured)
        if (Other != V && (Draft.Result.Changed.count(V) || Draft.Result.Changed.count(Other)) && Own.overlaps(storageOf(Other)))
          return Report(V, Other->getName());
      for (const DistributedArray& A : Draft.R.Arrays) {
        Storage Array = storageOf(A.Pointer.Variable);
        ArrayRef<const FieldDecl*> Members = A.Pointer.Members;
        if (!A.Pointer.Subscripts.empty())
          Members = Members.take_front(A.Pointer.Subscripts.front().Behind);
        for (const FieldDecl* Member : Members)
          Array.Part.push_back({Member, 0});
        if (A.Pointer.Variable != V && Own.overlaps(Array))
          return Report(V, A.Pointer.name());
      }
    }
  }

  // --- Statements.

  raw_ostream& line(unsigned Depth) { return Out.indent(2 * Depth); }

  void statement(const Stmt* S, unsigned Depth) {
    if (Draft.R.isPut(S))
      return;
    if (const auto* Evaluated = dyn_cast<Expr>(S)) {
      expression(Evaluated, Depth);
      return;
    }
    if (const CallExpr* Marker = hostMarker(S)) {
      if (const HostPart* P = Draft.R.hostPart(Marker)) // else of another function: VerifyRegions has reported it
        hostPart(*P, Depth);
      return;
    }
    bool Leads = !Draft.R.HostParts.empty() && holdsHostMarker(S);
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
      bool AddsUp = false;
      for (const HostSum& Sum : Draft.R.HostSums)
        if (Sum.Loop == For) {
          addHostSum(Sum, Depth);
          AddsUp = true;
        }
      if (AddsUp)
        return;
      if (For->getConditionVariable())
        break;
      line(Depth) << "{\n";
      if (Leads)
        unlessGoesOn(For->getInit(), Depth + 1);
      else if (For->getInit())
        beginLoop(*For, Depth + 1);
      if (For->getInc())
        E.discard(For->getInc());
      line(Depth + 1) << "for (; " << loopCondition(*For, For->getCond(), Leads) << "; "
                      << (For->getInc() ? E.text(For->getInc()) : "") << ")\n";
      loopBody(For->getBody(), Depth + 2);
      if (isOnHost(For))
        for (const VarDecl* V : Draft.R.OnHost->Variables)
          line(Depth + 1) << "gpurma_values." << loopVariableName(V) << " = " << V->getName()
                          << ";\n";
      line(Depth) << "}\n";
      return;
    }
    case Stmt::WhileStmtClass: {
      const auto* While = cast<WhileStmt>(S);
      if (While->getConditionVariable())
        break;
      line(Depth) << "while (" << loopCondition(*While, While->getCond(), Leads) << ")\n";
      loopBody(While->getBody(), Depth + 1);
      return;
    }
    case Stmt::DoStmtClass: {
      const auto* Do = cast<DoStmt>(S);
      line(Depth) << "do\n";
      loopBody(Do->getBody(), Depth + 1);
      line(Depth) << "while (" << loopCondition(*Do, Do->getCond(), /*Leads=*/false) << ");\n";
      return;
    }
    case Stmt::SwitchStmtClass: {
      const auto* Switch = cast<SwitchStmt>(S);
      if (Switch->getConditionVariable() || !isa<CompoundStmt>(Switch->getBody()))
        break;
      line(Depth) << "{\n";
      if (Switch->getInit())
        statement(Switch->getInit(), Depth + 1);
      line(Depth + 1) << "switch (" << E.text(Switch->getCond()) << ")\n";
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
      line(Depth) << "case " << E.text(Case->getLHS()) << ":\n";
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
        E.report(S->getBeginLoc(), Diag::err_region_leaves) << (IsBreak ? "break" : "continue");
        return;
      }
      line(Depth) << (IsBreak ? "break;\n" : "continue;\n");
      return;
    }
    case Stmt::ReturnStmtClass:
      E.report(S->getBeginLoc(), Diag::err_region_leaves) << "return";
      return;
    case Stmt::GotoStmtClass:
      E.report(S->getBeginLoc(), Diag::err_region_leaves) << "goto";
      return;
    case Stmt::AttributedStmtClass:
      statement(cast<AttributedStmt>(S)->getSubStmt(), Depth);
      return;
    default:
      break;
    }
    E.unsupported(S);
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

  void expression(const Expr* Evaluated, unsigned Depth) {
    E.discard(Evaluated);
    const Expr* Inner = Evaluated->IgnoreUnlessSpelledInSource();
    if (flushesStandardStream(Inner)) {
      line(Depth) << ";\n";
      return;
    }
    if (const auto* Launch = dyn_cast<CUDAKernelCallExpr>(Inner)) {
      launch(*Launch, Depth);
      return;
    }
    const Expr* Error = checkedError(Evaluated, Draft.U.sources());
    if (!Error && (isCudaError(Evaluated->getType()) || isSuccess(Evaluated)))
      Error = Evaluated;
    if (Error) { // the backend would warn of a value that is not used
      line(Depth) << "static_cast<void>(" << E.text(Error) << ");\n";
      return;
    }
    line(Depth) << E.text(Evaluated) << ";\n";
  }

  void launch(const CUDAKernelCallExpr& Launch, unsigned Depth) {
    auto Combining = llvm::find_if(Draft.R.Combining, [&](const CombiningLaunch& C) { return C.Launch == &Launch; });
    if (Combining != Draft.R.Combining.end())
      return combining(*Combining, Depth);
    auto It = llvm::find_if(Draft.R.Stages, [&](const Stage& S) { return S.Launch == &Launch; });
    if (It == Draft.R.Stages.end() || !It->Kernel) // VerifyRegions has reported it
      return;
    const FusedLaunches* Fused = Draft.R.fusedWith(*It);
    if (!Fused)
      writeLaunch(*It, Draft, E, Out, Depth);
    else
      writeFusedLaunch(*Fused, *It, Fusing[Fused], Draft, E, Out, Depth);
  }

  /// What such a launch leaves behind.
  void combining(const CombiningLaunch& C, unsigned Depth) {
    const ReducedScalar &From = Draft.R.Reductions[C.From], &To = Draft.R.Reductions[C.To];
    line(Depth) << E.blocksCheck(From, C.Count ? E.text(C.Count) : std::to_string(C.Number), C.Threads, C.Launch->getBeginLoc()) << ";\n";
    std::string Value = E.reducedName(From) + ".value()";
    const std::string Type = E.member(From.Scalar->getType(), "");
    std::string Constant;
    llvm::raw_string_ostream(Constant) << "static_cast<" << Type << ">(" << llvm::format("%.17g", C.Constant) << ")";
    if (C.Among != ConstantAmongNumbers::Never)
      Value = operationName(From, Context) + "::combine(" + Value + ", " +
              (C.Among == ConstantAmongNumbers::Always
                   ? Constant
                   : "(" + E.blocksName(From) + " < " + std::to_string(C.Threads) + " ? " + Constant + " : " + operationName(From, Context) + "::template identity<" + Type + ">)") +
              ")";
    if (!C.Root.empty())
      Value = "::" + C.Root + "(" + (C.Root == "sqrt" ? "static_cast<double>(" + Value + ")" : Value) + ")";
    line(Depth) << E.reducedName(To) << (C.Adds ? " += " : " = ") << "static_cast<" << E.member(To.Scalar->getType(), "") << ">(" << Value << ");\n";
  }

  void addHostSum(const HostSum& Sum, unsigned Depth) {
    const ReducedScalar& From = Draft.R.Reductions[Sum.From];
    line(Depth) << E.blocksCheck(From, E.text(Sum.Count), 0, Sum.Loop->getBeginLoc()) << ";\n";
    const std::string Total = E.text(Sum.Total), Value = E.reducedName(From) + ".value()";
    if (Sum.Index)
      line(Depth) << E.text(Sum.Index) << " = " << E.text(Sum.Count) << ";\n";
    if (Sum.First) // the total has it
      return;
    if (Sum.Operation == Keyword::Plus)
      line(Depth) << Total << " += " << Value << ";\n";
    else
      line(Depth) << "if (" << Value << (Sum.Operation == Keyword::Max ? " > " : " < ") << Total << ") " << Total << " = " << Value << ";\n";
  }

  void loopBody(const Stmt* Body, unsigned Depth) {
    ++Loops;
    line(Depth) << "{\n";
    statement(Body, Depth + 1);
    line(Depth) << "}\n";
    --Loops;
  }

  void ifStatement(const IfStmt& If, unsigned Depth) {
    if (If.isConsteval()) {
      E.unsupported(&If);
      return;
    }
    line(Depth) << "{\n";
    if (If.getInit())
      statement(If.getInit(), Depth + 1);
    if (std::optional<bool> Known = errorCheck(If.getCond())) {
      // The condition's calls may do something besides.
      line(Depth + 1) << "static_cast<void>(" << E.text(If.getCond()) << ");\n";
      if (const Stmt* Taken = *Known ? If.getThen() : If.getElse())
        statement(Taken, Depth + 1);
    } else {
      line(Depth + 1) << (If.isConstexpr() ? "if constexpr (" : "if (") << E.text(If.getCond()) << ") {\n";
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
    if (Variable && Draft.R.HostArrays.contains(Variable))
      return;
    if (!Variable || isa<DecompositionDecl>(D) || (Variable->isStaticLocal() && !isConstant(Variable))) {
      E.report(D->getBeginLoc(), Diag::err_region_statement)
          << spelledText(D->getSourceRange(), Draft.U.sources(), Context.getLangOpts()).value_or("this declaration");
      return;
    }
    const QualType Type = Variable->getType().getNonReferenceType();
    const auto* Class = Type->getAsCXXRecordDecl();
    if (LocalTypes::isLocal(Type, Context) && !E.hasCopy(Type) && !(Class && Class->isLambda())) {
      E.report(Variable->getLocation(), Diag::err_region_variable) << Variable->getName() << ExpressionWriter::Unnamed;
      return;
    }
    if (Draft.R.Kept.contains(Variable)) {
      if (Variable->getInit())
        line(Depth) << keptName(Draft.R, Variable) << " = " << initialValue(*Variable) << ";\n";
      return;
    }
    if (const Expr* Init = Variable->getInit(); Init && Variable->getType()->isReferenceType() && Draft.R.findReduction(pointerOf(Init->IgnoreParenNoopCasts(Context)))) {
      E.report(Init->getExprLoc(), Diag::err_region_variable) << E.spelled(Init) << ExpressionWriter::Reduced;
      return;
    }
    std::string Text = E.named(Variable->getType(), Variable->getNameAsString());
    if (Variable->isConstexpr())
      Text = "constexpr " + Text;
    if (const Expr* Init = Variable->getInit()) {
      const auto* Construct = dyn_cast<CXXConstructExpr>(Init->IgnoreImplicit());
      bool Default = Construct && (Construct->getNumArgs() == 0 || isa<CXXDefaultArgExpr>(Construct->getArg(0))) &&
                     !Construct->isListInitialization();
      if (!Default) {
        std::string Value = E.text(Init);
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
    std::string Value = E.text(Init), Type = E.member(Variable.getType(), "");
    if (Variable.getType()->isScalarType()) {
      const auto* List = dyn_cast<InitListExpr>(Init->IgnoreImplicit());
      return List ? (List->getNumInits() != 0 ? E.text(List->getInit(0)) : "0") : Value;
    }
    if (Variable.getInitStyle() == VarDecl::CInit && !isa<InitListExpr>(Init->IgnoreImplicit()))
      return isa<CXXConstructExpr>(Init->IgnoreImplicit()) && !isa<CXXTemporaryObjectExpr>(Init->IgnoreImplicit()) && Value.empty() ? Type + "()" : Value;
    return Type + (StringRef(Value).starts_with("{") ? Value : "(" + Value + ")");
  }

  // --- Statements around parts that the host runs. Where the kernel goes on behind one, they lead there and do nothing else on the way.

  std::string goesOn(StringRef Comparison = "!=") const { return (HostPartField + (" " + Comparison)).str() + " 0"; }

  /// Whether the kernel goes on behind one in the statement.
  std::string goesOnIn(const Stmt* S) const {
    std::string Text;
    for (const HostPart& P : Draft.R.HostParts)
      if (holds(S, P.Call))
        Text += (Text.empty() ? "" : " || ") + std::string(HostPartField) + " == " + hostPartNumber(Draft.R, P);
    return Text;
  }

  static bool holds(const Stmt* S, const CallExpr* Marker) {
    return S && !isa<LambdaExpr>(S) && (hostMarker(S) == Marker || llvm::any_of(S->children(), [&](const Stmt* Child) { return holds(Child, Marker); }));
  }

  /// Of a loop that is entered where the kernel goes on in it.
  std::string loopCondition(const Stmt& Loop, const Expr* Condition, bool Leads) {
    const std::string Text = Condition ? E.text(Condition) : "";
    if (isOnHost(&Loop)) {
      const std::string GoesOn =
          std::string("gpurma_region.goes_on(gpurma_plan.loop, ") + LoopField + ")";
      return isa<DoStmt>(Loop) ? "(" + Text + ") && " + GoesOn
                               : GoesOn + (Condition ? " && (" + Text + ")" : "");
    }
    return Leads && Condition ? goesOn() + " || (" + Text + ")" : Text;
  }

  /// Whether it is the region's loop, and the host may run iterations of it.
  bool isOnHost(const Stmt* Loop) const {
    return Draft.R.OnHost && Loop == Draft.R.OnHost->OnDevice;
  }

  void beginLoop(const ForStmt& For, unsigned Depth) {
    if (!isOnHost(&For))
      return statement(For.getInit(), Depth);
    const std::string GoesOn = std::string(LoopField) + ".goes_on";
    if (!isa<DeclStmt>(For.getInit())) {
      line(Depth) << "if (!" << GoesOn << ") {\n";
      statement(For.getInit(), Depth + 1);
      line(Depth) << "}\n";
      return;
    }
    statement(For.getInit(), Depth);
    for (const VarDecl* V : Draft.R.OnHost->Variables)
      line(Depth) << "if (" << GoesOn << ") " << V->getName() << " = gpurma_values."
                  << loopVariableName(V) << ";\n";
  }

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
    std::string InThen = goesOnIn(If.getThen()), Condition = E.text(If.getCond());
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
    line(Depth + 1) << HostPartField << " = " << hostPartNumber(Draft.R, P) << ";\n";
    line(Depth + 1) << "goto gpurma_leave;\n";
    line(Depth) << "}\n";
    line(Depth) << HostPartField << " = 0;\n";
    std::vector<const Stmt*> Leaving = leavingStatements(P.Statement);
    for (bool IsBreak : {true, false}) {
      auto It = llvm::find_if(Leaving, [&](const Stmt* S) { return isa<BreakStmt>(S) == IsBreak; });
      if (It == Leaving.end())
        continue;
      if (Loops == 0)
        E.report((*It)->getBeginLoc(), Diag::err_region_leaves) << (IsBreak ? "break" : "continue");
      line(Depth) << "if (gpurma_values." << BehindField << " == " << behindHostPart(*It) << ")\n";
      line(Depth + 1) << (IsBreak ? "break;\n" : "continue;\n");
    }
  }

  RegionDraft& Draft;
  ExpressionWriter E;
  ASTContext& Context;
  llvm::raw_string_ostream Out;
  unsigned Loops = 0, Switches = 0;
  /// Of launches that run as one stage, the classes of those that have been written.
  std::map<const FusedLaunches*, std::vector<LaunchClass>> Fusing;
};

} // namespace

WrittenRegion writeRegion(const Region& R, const std::string& Number, const LocalTypes& Types, Unit& U, Program& P) {
  RegionDraft Draft{R, Number, Types, U, P, {}};
  Writer(Draft).run();
  return std::move(Draft.Result);
}

} // namespace gpurma
