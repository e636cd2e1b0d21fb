// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/LoopOnHost.h"

#include "passes/ErrorChecks.h"
#include "passes/Region.h"
#include "passes/VariableUses.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace clang;

namespace gpurma {

namespace {

/// The variables that the head of a `for` declares; none if it declares anything but numbers that
/// the loop may change.
std::optional<llvm::SmallVector<const VarDecl*, 2>> declaredIn(const Stmt* Init,
                                                               const ASTContext& Context) {
  llvm::SmallVector<const VarDecl*, 2> Found;
  const auto* Declarations = dyn_cast_or_null<DeclStmt>(Init);
  if (!Declarations)
    return Found;
  for (const Decl* D : Declarations->decls()) {
    const auto* V = dyn_cast<VarDecl>(D);
    if (!V || !V->getType()->isArithmeticType() || V->getType().isConstQualified() ||
        !V->isLocalVarDecl() || V->isStaticLocal() || !V->getInit() ||
        V->getInit()->HasSideEffects(Context))
      return std::nullopt;
    Found.push_back(V);
  }
  return Found;
}

/// Of a block with one statement that.
const Stmt* onlyStatement(const Stmt* S) {
  while (const auto* Block = dyn_cast<CompoundStmt>(S)) {
    if (Block->size() != 1)
      break;
    S = Block->body_front();
  }
  return S;
}

/// Whether it takes a reduced scalar for complete that is not where the launches have not ended: by
/// its name, which may also be one of memory that the host cannot reach, or by a copy that nobody
/// may have waited for.
bool needsKernel(const Stmt* S, const Region& R) {
  if (!S)
    return false;
  if (const auto* Address = dyn_cast<UnaryOperator>(S);
      Address && Address->getOpcode() == UO_AddrOf)
    return needsKernel(Address->getSubExpr()->IgnoreParenImpCasts(), R) && !R.reducedAt(Address);
  if (const auto* Element = dyn_cast<ArraySubscriptExpr>(S);
      Element && R.findReduction(namedVariable(Element->getBase())))
    return true;
  const auto* Call = dyn_cast<CallExpr>(S);
  const auto* E = dyn_cast<Expr>(S);
  return (E && R.reducedElement(E)) ||
         (Call && identifierOf(Call->getDirectCallee()) == "cudaMemcpyAsync" &&
          llvm::any_of(Call->arguments(),
                       [&](const Expr* Argument) { return R.reducedAt(Argument); })) ||
         llvm::any_of(S->children(), [&](const Stmt* Child) { return needsKernel(Child, R); });
}

/// Whether it stands in the file as a whole, and no macro that it is spelled in has more.
bool isTextOf(FileID File, const Stmt& Part, const SourceManager& Sources,
              const LangOptions& LangOpts) {
  const CharSourceRange Text = Lexer::makeFileCharRange(
      CharSourceRange::getTokenRange(Part.getSourceRange()), Sources, LangOpts);
  return Text.isValid() && Sources.getFileID(Text.getBegin()) == File;
}

std::optional<std::int64_t> constantOf(const Expr* E, const ASTContext& Context) {
  Expr::EvalResult Number;
  if (!E->getType()->isIntegralOrEnumerationType() || !E->EvaluateAsInt(Number, Context) ||
      !Number.Val.getInt().isRepresentableByInt64())
    return std::nullopt;
  return Number.Val.getInt().getExtValue();
}

/// Of ++k and k += 2: k, of the function that the region is in.
const VarDecl* countedUp(const Expr* Increment, const ASTContext& Context) {
  Increment = Increment->IgnoreParens();
  const Expr* Counted = nullptr;
  if (const auto* Unary = dyn_cast<UnaryOperator>(Increment); Unary && Unary->isIncrementOp())
    Counted = Unary->getSubExpr();
  else if (const auto* Compound = dyn_cast<CompoundAssignOperator>(Increment);
           Compound && Compound->getOpcode() == BO_AddAssign &&
           constantOf(Compound->getRHS(), Context).value_or(0) > 0)
    Counted = Compound->getLHS();
  const VarDecl* V = Counted ? namedVariable(Counted) : nullptr;
  return V && V->hasLocalStorage() && V->getType()->isIntegerType() &&
                 !V->getType()->isEnumeralType() && !V->getType().isVolatileQualified()
             ? V
             : nullptr;
}

/// Of k % 3, and of k & 3, which is k % 4 where k is not negative. Unsigned numbers begin anew with
/// 0, which only powers of two divide alike.
std::optional<std::int64_t> divisorOf(const BinaryOperator& Binary, const VarDecl* Counter,
                                      const ASTContext& Context) {
  if (namedVariable(Binary.getLHS()) != Counter)
    return std::nullopt;
  const std::optional<std::int64_t> Right = constantOf(Binary.getRHS(), Context);
  if (Binary.getOpcode() == BO_And && Right >= 0 && Right < 1 << 30 &&
      llvm::isPowerOf2_64(*Right + 1))
    return *Right + 1;
  const bool MayWrap = Counter->getType()->isUnsignedIntegerType();
  return Binary.getOpcode() == BO_Rem && Right > 0 && (!MayWrap || llvm::isPowerOf2_64(*Right))
             ? Right
             : std::nullopt;
}

/// Whether what an iteration does is to launch kernels and to compute with variables, so that it
/// does the same where these have the same values.
class OnlyLaunches {
public:
  OnlyLaunches(const VarDecl* Counter, const ASTContext& Context)
      : Counter(Counter), Context(Context) {}

  bool holds(const Stmt* S) {
    if (!S)
      return true;
    if (const auto* If = dyn_cast<IfStmt>(S))
      if (const std::optional<bool> Known = errorCheck(If->getCond()))
        return holds(If->getInit()) && holds(If->getConditionVariableDeclStmt()) &&
               holds(If->getCond()) && holds(*Known ? If->getThen() : If->getElse());
    if (const auto* Binary = dyn_cast<BinaryOperator>(S))
      if (const auto Divisor = divisorOf(*Binary, Counter, Context)) {
        Divisors.push_back(*Divisor);
        return true;
      }
    if (const auto* Ref = dyn_cast<DeclRefExpr>(S))
      return Ref->getDecl() != Counter;
    if (const auto* Declarations = dyn_cast<DeclStmt>(S))
      for (const Decl* D : Declarations->decls())
        if (const auto* V = dyn_cast<VarDecl>(D))
          if (V->isStaticLocal() && !isConstant(V))
            return false;
    if (const auto* Launch = dyn_cast<CUDAKernelCallExpr>(S))
      return allHold(Launch->arguments()) && allHold(Launch->getConfig()->arguments());
    if (const auto* Call = dyn_cast<CallExpr>(S); Call && !mayCall(*Call))
      return false;
    if (isa<CXXNewExpr, CXXDeleteExpr, LambdaExpr, AsmStmt>(S))
      return false;
    return allHold(S->children());
  }

  llvm::SmallVector<std::int64_t, 2> Divisors;

private:
  template <class Range> bool allHold(Range&& Parts) {
    return llvm::all_of(Parts, [&](const Stmt* Part) { return holds(Part); });
  }

  bool mayCall(const CallExpr& Call) {
    const FunctionDecl* Callee = Call.getDirectCallee();
    if (!Callee)
      return false;
    const StringRef Name = identifierOf(Callee);
    if (Name == "cudaGetLastError" || Name == "cudaPeekAtLastError" || Callee->isConstexpr() ||
        Callee->isInStdNamespace())
      return true;
    const FunctionDecl* Defined = nullptr;
    const SourceManager& Sources = Context.getSourceManager();
    return Callee->hasBody(Defined) && !Sources.isInSystemHeader(Defined->getLocation()) &&
           (!Looked.insert(Defined).second || holds(Defined->getBody()));
  }

  const VarDecl* Counter;
  const ASTContext& Context;
  llvm::SmallPtrSet<const FunctionDecl*, 4> Looked;
};

} // namespace

std::optional<LoopOnHost> findLoopOnHost(const Region& R, const SourceManager& Sources) {
  const Directive& D = R.directive();
  if (!R.HostParts.empty() || !R.Puts.empty() || D.FromPragmaOperator || !D.HashLoc.isFileID())
    return std::nullopt;
  // What launches leave in such an array, the region's kernel has one number of.
  if (llvm::any_of(R.Reductions, [](const ReducedScalar& S) { return S.OfBlocks; }))
    return std::nullopt;
  if (needsKernel(R.Statement, R))
    return std::nullopt;
  const ASTContext& Context = R.function()->getASTContext();
  const Stmt *Written = onlyStatement(R.Written), *OnDevice = onlyStatement(R.Statement);
  if (Written->getStmtClass() != OnDevice->getStmtClass())
    return std::nullopt;
  LoopOnHost Found;
  Found.OnDevice = OnDevice;
  if (const auto* For = dyn_cast<ForStmt>(Written)) {
    const auto Named = declaredIn(For->getInit(), Context),
               Variables = declaredIn(cast<ForStmt>(OnDevice)->getInit(), Context);
    if (For->getConditionVariable() || !Named || !Variables || Named->size() != Variables->size())
      return std::nullopt;
    Found.Begin = dyn_cast_or_null<Expr>(For->getInit());
    Found.Condition = For->getCond();
    Found.Increment = For->getInc();
    Found.Body = For->getBody();
    Found.Variables = *Variables;
    Found.Written = *Named;
  } else if (const auto* While = dyn_cast<WhileStmt>(Written)) {
    if (While->getConditionVariable())
      return std::nullopt;
    Found.Condition = While->getCond();
    Found.Body = While->getBody();
  } else if (const auto* Do = dyn_cast<DoStmt>(Written)) {
    Found.Condition = Do->getCond();
    Found.Body = Do->getBody();
    Found.IsDo = true;
  } else {
    return std::nullopt;
  }
  const FileID File = Sources.getFileID(D.HashLoc);
  bool IsInFile = Sources.getFileID(Written->getBeginLoc()) == File;
  llvm::SmallVector<const Stmt*, 8> Parts{Found.Begin, Found.Condition, Found.Increment,
                                          Found.Body};
  for (const VarDecl* V : Found.Written)
    Parts.push_back(V->getInit());
  for (const Stmt* Part : Parts)
    IsInFile &= !Part || isTextOf(File, *Part, Sources, Context.getLangOpts());
  return IsInFile ? std::optional(std::move(Found)) : std::nullopt;
}

void findCounter(LoopOnHost& Loop, const Region& R,
                 llvm::function_ref<bool(const VarDecl*)> IsChanged) {
  const ASTContext& Context = R.function()->getASTContext();
  const auto* OnDevice = dyn_cast<ForStmt>(Loop.OnDevice);
  // What a reduced scalar is, iterations do not know.
  if (!OnDevice || !Loop.Condition || !Loop.Increment || !R.Reductions.empty() ||
      !R.Collected.empty() || Loop.Written.size() > 1)
    return;
  const VarDecl* Counter = countedUp(Loop.Increment, Context);
  const VarDecl* CounterOnDevice = Counter ? countedUp(OnDevice->getInc(), Context) : nullptr;
  if (!CounterOnDevice || (!Loop.Written.empty() && Loop.Written.front() != Counter))
    return;
  const auto MayRead = [&](const DeclRefExpr* Ref) {
    const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
    return V && (V == CounterOnDevice || !IsChanged(V)) && !V->getType().isVolatileQualified();
  };
  if (OnDevice->getCond()->HasSideEffects(Context) ||
      !llvm::all_of(References(OnDevice->getCond()).All, MayRead))
    return;
  OnlyLaunches Body(Counter, Context);
  if (!Body.holds(Loop.Body))
    return;
  Loop.Counter = Counter;
  Loop.Divisors = std::move(Body.Divisors);
  llvm::sort(Loop.Divisors);
  Loop.Divisors.erase(llvm::unique(Loop.Divisors), Loop.Divisors.end());
}

std::string loopVariableName(const VarDecl* Variable) {
  return "gpurma_loop_" + Variable->getNameAsString();
}

} // namespace gpurma
