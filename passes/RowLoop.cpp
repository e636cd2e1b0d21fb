// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/RowLoop.h"

#include "frontend/SourceText.h"
#include "passes/CombinedValues.h"
#include "passes/KernelInterpreter.h"
#include "passes/VariableChanges.h"
#include "passes/VariableUses.h"

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpurma {
namespace {

bool isOne(const Expr* E) {
  const auto* Literal = dyn_cast<IntegerLiteral>(E->IgnoreParenImpCasts());
  return Literal && Literal->getValue() == 1;
}

/// The parts of `a, b, c`.
void commaParts(const Expr* E, llvm::SmallVectorImpl<const Expr*>& Parts) {
  if (!E)
    return;
  const auto* Comma = dyn_cast<BinaryOperator>(E->IgnoreParens());
  if (Comma && Comma->getOpcode() == BO_Comma) {
    commaParts(Comma->getLHS(), Parts);
    commaParts(Comma->getRHS(), Parts);
  } else {
    Parts.push_back(E->IgnoreParens());
  }
}

/// The variable of `++v`, `v++`, `v += 1` and `v = v + 1`.
const VarDecl* incremented(const Expr* E) {
  if (const auto* Unary = dyn_cast<UnaryOperator>(E))
    return Unary->isIncrementOp() ? namedVariable(Unary->getSubExpr()) : nullptr;
  const auto* Binary = dyn_cast<BinaryOperator>(E);
  const VarDecl* V = Binary ? namedVariable(Binary->getLHS()) : nullptr;
  if (!V)
    return nullptr;
  if (Binary->getOpcode() == BO_AddAssign)
    return isOne(Binary->getRHS()) ? V : nullptr;
  const auto* Sum = dyn_cast<BinaryOperator>(Binary->getRHS()->IgnoreParenImpCasts());
  bool Next = Binary->getOpcode() == BO_Assign && Sum && Sum->getOpcode() == BO_Add &&
              ((namedVariable(Sum->getLHS()) == V && isOne(Sum->getRHS())) ||
               (namedVariable(Sum->getRHS()) == V && isOne(Sum->getLHS())));
  return Next ? V : nullptr;
}

/// `Counter < Bound`, in any spelling.
struct LoopCondition {
  const VarDecl* Counter = nullptr;
  const Expr* Bound = nullptr;
  bool Inclusive = false;
};

std::optional<LoopCondition> conditionOf(const ForStmt& Loop) {
  const auto* Compare = Loop.getCond() ? dyn_cast<BinaryOperator>(Loop.getCond()->IgnoreParenImpCasts()) : nullptr;
  if (!Compare || !Compare->isRelationalOp())
    return std::nullopt;
  llvm::SmallVector<const Expr*, 4> Steps;
  commaParts(Loop.getInc(), Steps);
  BinaryOperatorKind Op = Compare->getOpcode();
  bool Below = Op == BO_LT || Op == BO_LE;
  const Expr* Side = Below ? Compare->getLHS() : Compare->getRHS();
  const VarDecl* Counter = namedVariable(Side);
  if (!Counter || llvm::none_of(Steps, [&](const Expr* Step) { return incremented(Step) == Counter; }))
    return std::nullopt;
  return LoopCondition{Counter, Below ? Compare->getRHS() : Compare->getLHS(), Op == BO_LE || Op == BO_GE};
}

bool hasWrittenArgument(const CallExpr* Call) {
  return Call->getNumArgs() != 0 && !isa<CXXDefaultArgExpr>(Call->getArg(0));
}

class RowLoopChecker {
public:
  RowLoopChecker(const FunctionDecl* Kernel, const Stmt* Loop, const InterpretedKernel& Interpreted, SymbolicSets& Sets,
                 ASTContext& Context)
      : Loop(Loop), Interpreted(Interpreted), Trace(Interpreted.RowLoop), Sets(Sets), Context(Context) {
    const EnteredLoop& Way = Trace.Entered.front();
    Functions.push_back(Kernel);
    for (const CallExpr* Call : Way.Calls) {
      const FunctionDecl* Definition = nullptr;
      if (Call && Call->getDirectCallee() && Call->getDirectCallee()->hasBody(Definition))
        Functions.push_back(Definition);
    }
    Rows.Calls = Way.Calls;
  }

  std::variant<RowLoop, RejectedRowLoop> run() {
    if (!checkForm() || !checkText() || !checkExits() || !checkCounter() || !checkVariables() || !checkShared() || !checkUpdates())
      return *Rejected;
    return Rows;
  }

private:
  bool reject(RowLoopProblem Why, SourceLocation Where, StringRef Name = {}) {
    Rejected = {Why, Where, Name.str()};
    return false;
  }

  const FunctionDecl* function() const { return Functions.back(); }

  bool checkForm() {
    if (Trace.Entered.front().Nested)
      return reject(RowLoopProblem::Nested, Loop->getBeginLoc());
    if (Trace.Entered.size() != 1)
      return reject(RowLoopProblem::Several, Loop->getBeginLoc());
    const auto* For = dyn_cast<ForStmt>(Loop);
    std::optional<LoopCondition> Condition = For ? conditionOf(*For) : std::nullopt;
    auto Wrong = [&] { return reject(RowLoopProblem::Form, Loop->getBeginLoc()); };
    if (!Condition || For->getConditionVariable() || Trace.Row == Polynomial(0)) // something else changes the counter
      return Wrong();
    const VarDecl* Counter = Condition->Counter;
    QualType Type = Counter->getType();
    if (!Type->isIntegerType() || Type->isBooleanType() || Type.isVolatileQualified() || Context.getTypeSize(Type) < 32 ||
        !Counter->hasLocalStorage())
      return Wrong();
    Rows.Loop = For;
    Rows.Counter = Counter;
    Rows.Bound = Condition->Bound;
    Rows.Inclusive = Condition->Inclusive;
    if (const auto* Declared = dyn_cast_or_null<DeclStmt>(For->getInit())) {
      for (const Decl* D : Declared->decls()) {
        const auto* V = dyn_cast<VarDecl>(D);
        if (V == Counter)
          Rows.Start = V->getInit();
        else if (!V || References(V->getInit()).mention(Counter) || changes(V))
          return Wrong();
      }
    } else if (const auto* Assign = dyn_cast_or_null<BinaryOperator>(For->getInit())) {
      if (Assign->getOpcode() == BO_Assign && namedVariable(Assign->getLHS()) == Counter)
        Rows.Start = Assign->getRHS();
    }
    if (!Rows.Start)
      return Wrong();
    Rows.Start = Rows.Start->IgnoreImplicit();
    if (const auto* Braced = dyn_cast<InitListExpr>(Rows.Start); Braced && Braced->getNumInits() == 1)
      Rows.Start = Braced->getInit(0)->IgnoreImplicit();
    for (const Expr* E : {Rows.Start, Rows.Bound}) {
      if (!changedMembers(E).empty() || References(E).mention(Counter))
        return Wrong();
      for (const VarDecl* V : namedVariables(E))
        if (changes(V))
          return Wrong();
    }
    return true;
  }

  bool changes(const VarDecl* V) const { return VariableChanges(Loop).changes(V); }

  /// What is edited stands in the text of the functions.
  bool checkText() {
    for (size_t I = 0; I + 1 < Functions.size(); ++I) {
      const CallExpr* Call = Rows.Calls[I];
      const auto* Ref = dyn_cast<DeclRefExpr>(Call->getCallee()->IgnoreParenImpCasts());
      const FunctionDecl* Callee = Functions[I + 1];
      if (!Ref || isa<CXXMethodDecl>(Callee) || !isTextOfBody(Functions[I], Call->getSourceRange()) ||
          !isTextOfBody(Functions[I], Ref->getLocation()) || (hasWrittenArgument(Call) && !isTextOfBody(Functions[I], Call->getArg(0)->getSourceRange())) ||
          Callee->getTemplateSpecializationKind() == TSK_ExplicitSpecialization || Callee->getLocation().isMacroID() || Callee->getEndLoc().isMacroID() ||
          !Context.getSourceManager().isBeforeInTranslationUnit(Callee->getLocation(), Functions[I]->getLocation()))
        return reject(RowLoopProblem::Text, Call->getExprLoc());
    }
    if (Functions.size() != Rows.Calls.size() + 1)
      return reject(RowLoopProblem::Text, Loop->getBeginLoc());
    const TypeSourceInfo* Info = Rows.Counter->getTypeSourceInfo();
    if (!Info || !spelledText(Info->getTypeLoc().getSourceRange(), Context.getSourceManager(), Context.getLangOpts()))
      return reject(RowLoopProblem::Text, Rows.Counter->getLocation());
    for (const Expr* E : {Rows.Start, Rows.Bound})
      if (!isTextOfBody(function(), E->getSourceRange()) ||
          !spelledText(E->getSourceRange(), Context.getSourceManager(), Context.getLangOpts()))
        return reject(RowLoopProblem::Text, E->getExprLoc());
    return true;
  }

  bool checkExits() {
    const Stmt* Exit = exitOf(Rows.Loop->getBody());
    return !Exit || reject(RowLoopProblem::Left, Exit->getBeginLoc());
  }

  bool checkCounter() {
    References Everywhere(function()->getBody()), Inside(Loop);
    for (const DeclRefExpr* Ref : Everywhere.All)
      if (Ref->getDecl() == Rows.Counter && !Inside.All.contains(Ref))
        return reject(RowLoopProblem::CounterUsed, Ref->getLocation(), Rows.Counter->getName());
    return true;
  }

  bool inLoop(SourceLocation Loc) const {
    const SourceManager& Sources = Context.getSourceManager();
    return Sources.isPointWithin(Sources.getFileLoc(Loc), Sources.getFileLoc(Loop->getBeginLoc()),
                                 Sources.getFileLoc(Loop->getEndLoc()));
  }

  /// A variable that lives longer than an iteration.
  bool outlives(const ValueDecl* D) const {
    const auto* V = dyn_cast_or_null<VarDecl>(D);
    if (!V || V->hasGlobalStorage())
      return false;
    const auto* Owner = dyn_cast<FunctionDecl>(V->getDeclContext());
    if (!Owner || llvm::none_of(Functions, [&](const FunctionDecl* F) { return F->getCanonicalDecl() == Owner->getCanonicalDecl(); }))
      return false;
    return Owner->getCanonicalDecl() != function()->getCanonicalDecl() || !inLoop(V->getLocation());
  }

  /// Everything that iterations may leave to later ones in variables.
  bool checkVariables() {
    std::map<const VarDecl*, SourceLocation> Changed;
    auto Note = [&](const ValueDecl* D, SourceLocation Where) {
      if (outlives(D) && D != Rows.Counter)
        Changed.emplace(cast<VarDecl>(D), Where);
    };
    for (const auto& [D, Where] : Trace.Stores)
      Note(D, Where->getBeginLoc());
    for (const PrivateAccess& A : Trace.Private) {
      if (!A.Writes || A.Part != LoopPart::Inside)
        continue;
      if (!A.Array)
        return reject(RowLoopProblem::Carried, A.Where->getBeginLoc(), "an array in a structure");
      Note(A.Array, A.Where->getBeginLoc());
    }
    References Inside(Loop);
    PureReads Pure(Loop);
    for (const DeclRefExpr* Ref : Inside.All)
      if (!Pure.contains(Ref) && !Ref->getDecl()->getType().isConstQualified() &&
          !Context.getBaseElementType(Ref->getDecl()->getType()).isConstQualified())
        Note(Ref->getDecl(), Ref->getLocation());
    for (const auto& [V, Field] : changedMembers(Loop))
      Note(V, Loop->getBeginLoc());

    CombinedValues Sums(function(), Rows.Loop, Context);
    Exposed Shown(function()->getBody());
    LoopVariables Kept;
    for (const auto& [V, Where] : Changed) {
      bool Hidden = !Shown.Variables.contains(V) && !V->getType()->isReferenceType();
      if (Hidden && isMoved(V))
        Kept.Moved.insert(V);
      else if (Hidden && Sums.add(V))
        Kept.Combined.insert(V);
      else if (!Hidden || !isLeftBehind(V))
        return reject(RowLoopProblem::Carried, Where, V->getName());
      else if (!isSetFirst(V))
        Kept.Queues.push_back(V);
    }
    if (!Kept.Queues.empty() && !findQueues(Kept, Changed))
      return false;
    if (const Expr* Other = Sums.follow())
      return reject(RowLoopProblem::Carried, Other->getExprLoc(), usedName(Other));
    for (const AtomicAccess& A : Interpreted.Atomics)
      if (A.Part != LoopPart::Inside && !(A.Part == LoopPart::Behind && Sums.isUpdate(A.Where)))
        return reject(RowLoopProblem::UpdatedOutside, A.Where->getExprLoc(), A.Parameter->getName());
    return true;
  }

  /// A variable of the function whose last value nothing uses.
  bool isLeftBehind(const VarDecl* V) const {
    if (V->getDeclContext() != Rows.Counter->getDeclContext())
      return false;
    References Everywhere(function()->getBody()), Inside(Loop);
    return llvm::none_of(Everywhere.All, [&](const DeclRefExpr* Ref) {
      return Ref->getDecl() == V && !Inside.All.contains(Ref) &&
             Context.getSourceManager().isBeforeInTranslationUnit(Loop->getBeginLoc(), Ref->getLocation());
    });
  }

  /// It is moved by the same step in each iteration, so that the first one's value follows.
  bool isMoved(const VarDecl* V) {
    auto It = llvm::find_if(Trace.Moved, [&](const MovedVariable& M) { return M.Variable == V; });
    QualType Type = V->getType();
    if (It == Trace.Moved.end() || !(Type->isIntegerType() || Type->isPointerType()) || !isLeftBehind(V))
      return false;
    if (It->Step && !spelledText(It->Step->getSourceRange(), Context.getSourceManager(), Context.getLangOpts()))
      return false;
    Rows.Moved.push_back(*It);
    return true;
  }

  /// Variables whose values are made of what a few iterations before have found.
  bool findQueues(const LoopVariables& Kept, const std::map<const VarDecl*, SourceLocation>& Changed) {
    auto Found = findRegisterQueues(function(), Rows.Loop, Kept, Context);
    if (const auto* Wrong = std::get_if<const VarDecl*>(&Found))
      return reject(RowLoopProblem::Carried, Changed.at(*Wrong), (*Wrong)->getName());
    Rows.Queues = std::get<RegisterQueues>(std::move(Found));
    if (Rows.Queues->Iterations == 0)
      Rows.Queues.reset();
    return !Rows.Queues || checkQueueText();
  }

  bool checkQueueText() {
    const ForStmt* For = Rows.Loop;
    if (!isa<CompoundStmt>(For->getBody()))
      return reject(RowLoopProblem::Text, For->getBeginLoc());
    std::vector<SourceRange> Parts = {{For->getLParenLoc(), For->getRParenLoc()}, For->getCond()->getSourceRange(), For->getBody()->getSourceRange()};
    for (const Stmt* S : Rows.Queues->Statements)
      Parts.push_back(S->getSourceRange());
    for (const Stmt* S : Rows.Queues->Around)
      if (const auto* If = dyn_cast<IfStmt>(S))
        Parts.emplace_back(If->getIfLoc(), If->getRParenLoc());
    for (SourceRange Part : Parts)
      if (!isTextOfBody(function(), Part))
        return reject(RowLoopProblem::Text, Part.getBegin());
    llvm::erase_if(Rows.Queues->FirstValues, [&](const Expr* E) { return !isKnownEarly(Rows.Start) || !isTextOfBody(function(), E->getSourceRange()); });
    return true;
  }

  /// Whether an expression is the same anywhere in the function.
  bool isKnownEarly(const Expr* E) const {
    const VariableChanges Changed(function()->getBody());
    return !E->HasSideEffects(Context) && llvm::all_of(References(E).All, [&](const DeclRefExpr* Ref) {
      const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
      return !V || V->isUsableInConstantExpressions(Context) || (isa<ParmVarDecl>(V) && !Changed.changes(V));
    });
  }

  /// It gets a value at the beginning of each iteration, and is used nowhere else.
  bool isSetFirst(const VarDecl* V) const {
    References Everywhere(function()->getBody()), Inside(Loop);
    if (V->getDeclContext() != Rows.Counter->getDeclContext())
      return false;
    for (const DeclRefExpr* Ref : Everywhere.All)
      if (Ref->getDecl() == V && !Inside.All.contains(Ref))
        return false;
    if (References(Rows.Loop->getCond()).mention(V) || References(Rows.Loop->getInc()).mention(V))
      return false;
    return assignedFirst(Rows.Loop->getBody(), V);
  }

  // --- Shared memory.

  /// An iteration reads of shared memory only what it has written itself, or what none has.
  bool checkShared() {
    std::map<const ValueDecl*, const PrivateAccess*> FirstLoad;
    std::set<const ValueDecl*> Stored;
    for (const PrivateAccess& A : Trace.Private)
      if (A.Writes && A.Part == LoopPart::Inside && isShared(A))
        Stored.insert(A.Array);
    for (const PrivateAccess& A : Trace.Private) {
      if (!isShared(A) || !Stored.count(A.Array))
        continue;
      auto Kept = [&] { return reject(RowLoopProblem::SharedKept, A.Where->getBeginLoc(), cast<VarDecl>(A.Array)->getName()); };
      if (A.Part != LoopPart::Inside)
        return Kept();
      if (!A.Writes) {
        FirstLoad.emplace(A.Array, &A);
        continue;
      }
      if (FirstLoad.count(A.Array) || !A.Certain || dependsOnRow(A))
        return Kept();
    }
    // What is read at places that move with the row is not what this iteration has written.
    for (const auto& [Array, Load] : FirstLoad)
      for (const PrivateAccess& A : Trace.Private)
        if (A.Array == Array && (Sets.unknownIn(A.Offset) || mentionsRow(Sets.bound(Sets.universe(), "o", A.Offset))))
          return reject(RowLoopProblem::SharedKept, A.Where->getBeginLoc(), cast<VarDecl>(Array)->getName());
    return true;
  }

  static bool isShared(const PrivateAccess& A) { return A.Array && A.Array->hasAttr<CUDASharedAttr>(); }

  /// Whether another row would be stored elsewhere, or not at all.
  bool dependsOnRow(const PrivateAccess& A) const {
    return mentionsRow(A.Path.gist(Sets.closed(*Trace.Path))) || continues(Rows.Loop->getBody());
  }

  static bool continues(const Stmt* S) {
    return S && (isa<ContinueStmt>(S) || llvm::any_of(S->children(), [](const Stmt* Child) { return continues(Child); }));
  }

  bool mentionsRow(const isl::set& S) const {
    isl::set Closed = Sets.closed(S);
    for (const auto& [M, Coefficient] : Trace.Row.terms())
      for (const Symbol& Factor : M)
        if (Sets.mentions(Closed, Factor.Of, Factor.Index))
          return true;
    return false;
  }

  // --- Effects outside of the loop.

  bool checkUpdates() {
    for (const ElementAccess& A : Interpreted.Accesses)
      if (A.Writes && A.Part != LoopPart::Inside)
        return reject(RowLoopProblem::WrittenOutside, A.Where->getExprLoc(), A.Array.name());
    return true;
  }

  const Stmt* Loop;
  const InterpretedKernel& Interpreted;
  const RowLoopTrace& Trace;
  SymbolicSets& Sets;
  ASTContext& Context;
  /// From the kernel to that with the loop.
  std::vector<const FunctionDecl*> Functions;
  RowLoop Rows;
  std::optional<RejectedRowLoop> Rejected;
};

} // namespace

const VarDecl* rowCounter(const Stmt* Loop) {
  const auto* For = dyn_cast<ForStmt>(Loop);
  std::optional<LoopCondition> Condition = For ? conditionOf(*For) : std::nullopt;
  return Condition ? Condition->Counter : nullptr;
}

std::variant<RowLoop, RejectedRowLoop> understandRowLoop(const FunctionDecl* Kernel, const Stmt* Loop,
                                                         const InterpretedKernel& Interpreted, SymbolicSets& Sets,
                                                         ASTContext& Context) {
  return RowLoopChecker(Kernel, Loop, Interpreted, Sets, Context).run();
}

/// As a template argument; empty if the first value says it.
static std::string counterType(const RowLoop& Rows, const SourceManager& Sources, const LangOptions& LangOpts) {
  const TypeSourceInfo* Info = Rows.Counter->getTypeSourceInfo();
  if (!Info || Rows.Counter->getType()->getContainedAutoType())
    return "";
  // nvcc does not know the counter in its own first value.
  std::optional<std::string> Written = spelledText(Info->getTypeLoc().getSourceRange(), Sources, LangOpts);
  return Written ? "<" + *Written + ">" : "";
}

std::string rowsFunctionName(const FunctionDecl* Function, const RowLoop& Rows, const SourceManager& Sources) {
  return "gpurma_rows_" + std::to_string(Sources.getPresumedLoc(Sources.getFileLoc(Rows.Loop->getBeginLoc())).getLine()) + "_" +
         Function->getNameAsString();
}

bool editsAs(const RowLoop& One, const RowLoop& Other) {
  auto Places = [](const std::optional<RegisterQueues>& Queues) {
    std::set<SourceLocation> Begins;
    auto Add = [&](const auto& Some) {
      for (const Stmt* S : Some)
        Begins.insert(S->getBeginLoc());
    };
    if (Queues) {
      Add(Queues->Statements);
      Add(Queues->Around);
      Add(Queues->FirstValues);
    }
    return Begins;
  };
  return One.Loop->getBeginLoc() == Other.Loop->getBeginLoc() && One.Moved.size() == Other.Moved.size() &&
         Places(One.Queues) == Places(Other.Queues);
}

/// With `#pragma unroll` before it; null if there is none.
static const AttributedStmt* withLoopHint(const ForStmt* Loop, ASTContext& Context) {
  for (const DynTypedNode& Parent : Context.getParents(*Loop))
    if (const auto* Attributed = Parent.get<AttributedStmt>())
      return Attributed;
  return nullptr;
}

/// Where the text of a statement with attributes begins; with its line, if that is a pragma.
static unsigned beginWithPragma(const Stmt* S, const SourceManager& Sources) {
  auto [File, Offset] = Sources.getDecomposedLoc(Sources.getFileLoc(S->getBeginLoc()));
  StringRef Text = Sources.getBufferData(File);
  size_t Line = Text.rfind('\n', Offset);
  Line = Line == StringRef::npos || Text[Offset] == '\n' ? Offset : Line + 1;
  return Text.substr(Line).ltrim().starts_with("#") ? static_cast<unsigned>(Line) : Offset;
}

namespace {

/// Writes the loop that fills the queues: of the iterations before those of the rows, the statements that the queues need.
class FillingLoop {
public:
  FillingLoop(const RowLoop& Rows, const EditSet& Edits, ASTContext& Context)
      : Rows(Rows), Edits(Edits), Sources(Context.getSourceManager()), LangOpts(Context.getLangOpts()) {}

  /// \p Skip: what moves the variables that each iteration moves to the first of these iterations.
  std::string text(const std::string& Skip, const std::string& Type) const {
    const ForStmt* For = Rows.Loop;
    const FileRange Start = range(Rows.Start->getSourceRange()), Condition = range(For->getCond()->getSourceRange());
    const FileRange Open = range(For->getLParenLoc()), Close = range(For->getRParenLoc());
    auto Between = [&](unsigned Begin, unsigned End) { return part({Open.File, Begin, End}); };
    return "GPURMA_ROLLED for (" + Between(Open.End, Start.Begin) + "(" + Skip + "gpurma_rows.filled_from" + Type + "(" + part(Start) + "))" +
           Between(Start.End, Condition.Begin) + "gpurma_rows.fills(" + Rows.Counter->getNameAsString() + ") && (" + part(Condition) + ")" +
           Between(Condition.End, Close.Begin) + ") " + statement(For->getBody());
  }

private:
  FileRange range(SourceRange Tokens) const { return *fileRange(Tokens, Sources, LangOpts); }

  std::string part(const FileRange& Range) const {
    FileID File = Sources.getFileID(Sources.getFileLoc(Rows.Loop->getBeginLoc()));
    return Edits.text(Range, Sources.getBufferData(File));
  }

  std::string statement(const Stmt* S) const {
    if (!S)
      return "";
    const RegisterQueues& Queues = *Rows.Queues;
    if (Queues.Statements.count(S)) // with the pragma before it
      return "\n" + part(rangeOf(S)) + ";\n";
    if (!Queues.Around.count(S))
      return "";
    std::string Text = "{ ";
    if (const auto* If = dyn_cast<IfStmt>(S)) {
      Text += part(range({If->getIfLoc(), If->getRParenLoc()})) + " { " + statement(If->getThen()) + " }";
      if (If->getElse())
        Text += " else { " + statement(If->getElse()) + " }";
    } else {
      for (const Stmt* Child : S->children())
        Text += statement(Child);
    }
    return Text + " }";
  }

  FileRange rangeOf(const Stmt* S) const {
    FileRange Whole = range(S->getSourceRange());
    if (isa<AttributedStmt>(S))
      Whole.Begin = beginWithPragma(S, Sources);
    return Whole;
  }

  const RowLoop& Rows;
  const EditSet& Edits;
  const SourceManager& Sources;
  const LangOptions& LangOpts;
};

} // namespace

void editRowLoop(const RowLoop& Rows, EditSet& Edits, ASTContext& Context) {
  const SourceManager& Sources = Context.getSourceManager();
  const LangOptions& LangOpts = Context.getLangOpts();
  auto Text = [&](const Expr* E) { return spelledText(E->getSourceRange(), Sources, LangOpts).value_or(""); };
  auto Range = [&](SourceRange Tokens) { return *fileRange(Tokens, Sources, LangOpts); };
  for (const CallExpr* Call : Rows.Calls) {
    const auto* Ref = cast<DeclRefExpr>(Call->getCallee()->IgnoreParenImpCasts());
    Edits.replace(Range(Ref->getLocation()), rowsFunctionName(Call->getDirectCallee(), Rows, Sources));
    bool Others = hasWrittenArgument(Call);
    FileRange At = Range(Others ? Call->getArg(0)->getSourceRange() : SourceRange(Call->getRParenLoc()));
    Edits.replace({At.File, At.Begin, At.Begin}, Others ? "gpurma_rows, " : "gpurma_rows");
  }
  std::string Type = counterType(Rows, Sources, LangOpts);
  std::string Skip;
  for (const MovedVariable& M : Rows.Moved)
    Skip += M.Variable->getNameAsString() + (M.Negative ? " -= " : " += ") + "gpurma_rows.skipped" + Type + "(" + Text(Rows.Start) +
            ")" + (M.Step ? " * (" + Text(M.Step) + ")" : "") + ", ";
  const AttributedStmt* Hint = withLoopHint(Rows.Loop, Context);
  FileRange Loop = Range(Rows.Loop->getForLoc());
  if (Rows.Queues) {
    unsigned Begin = Hint ? beginWithPragma(Hint, Sources) : Loop.Begin, End = Range(Rows.Loop->getBody()->getSourceRange()).End;
    std::string Fill = FillingLoop(Rows, Edits, Context).text(std::exchange(Skip, ""), Type);
    PresumedLoc Place = Sources.getPresumedLoc(Sources.getFileLoc(Hint ? Hint->getBeginLoc() : Rows.Loop->getBeginLoc()));
    Edits.replace({Loop.File, Begin, Begin},
                  "{ " + Fill + "\n#line " + std::to_string(Place.getLine()) + " " + stringLiteral(Place.getFilename()) + "\n");
    Edits.replace({Loop.File, End, End}, " }");
    for (const Expr* Value : Rows.Queues->FirstValues)
      Edits.wrap(Range(Value->getSourceRange()), "(gpurma_rows.starts" + Type + "(" + Text(Rows.Start) + ") ? (", ") : 0)");
  }
  Edits.wrap(Range(Rows.Start->getSourceRange()), (Skip.empty() ? "" : "(" + Skip) + "gpurma_rows.from" + Type + "(",
             Skip.empty() ? ")" : "))");
  Edits.wrap(Range(Rows.Bound->getSourceRange()), std::string("gpurma_rows.") + (Rows.Inclusive ? "upto" : "below") + "(", ")");
  // Of few rows an unrolled loop has nothing but registers that the rank does not have.
  if (!Hint)
    Edits.replace({Loop.File, Loop.Begin, Loop.Begin}, "GPURMA_ROLLED ");
}

} // namespace gpurma
