// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/TileSums.h"

#include "frontend/SourceText.h"
#include "passes/AccessAnalysis.h"
#include "passes/CallVisitor.h"
#include "passes/ThreadCooperation.h"
#include "passes/VariableUses.h"

#include "clang/AST/Attr.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpurma {
namespace {

/// Few kernels find more, and each operation is tried for each.
constexpr size_t MostSums = 3;

/// What statements name and call, and what the functions do that they call.
class Reached : public CallVisitor {
public:
  explicit Reached(ArrayRef<const Stmt*> Statements) {
    for (const Stmt* S : Statements)
      TraverseStmt(const_cast<Stmt*>(S));
    Direct = Named;
    visitEntered();
  }

  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    if (const auto* Function = dyn_cast<FunctionDecl>(Ref->getDecl()))
      enter(Function);
    else
      Named.push_back(Ref);
    return true;
  }
  bool VisitMemberExpr(MemberExpr* Member) override {
    // As CUDA's headers have threadIdx.x.
    const auto* Method = dyn_cast<CXXMethodDecl>(Member->getMemberDecl());
    OnlyKnown &= !Method || (Method->getIdentifier() && Method->getName().starts_with("__fetch_builtin_"));
    return true;
  }
  bool VisitStmt(Stmt* S) override {
    const auto* If = dyn_cast<IfStmt>(S);
    OnlyKnown &= !isa<AsmStmt, LambdaExpr, CXXConstructExpr, CXXNewExpr, StmtExpr, GotoStmt, IndirectGotoStmt>(S) && !(If && If->isConstexpr());
    if (const auto* Call = dyn_cast<CallExpr>(S))
      OnlyKnown &= Call->getDirectCallee() != nullptr;
    return true;
  }

  bool visitFunction(const FunctionDecl* Function) override {
    StringRef Name = Function->getIdentifier() ? Function->getName() : StringRef();
    const FunctionDecl* Definition = nullptr;
    if (isOfSystemHeader(*Function, Function->getASTContext().getSourceManager()) || !Function->hasBody(Definition)) {
      static constexpr StringRef Prefixes[] = {"__shfl", "__sync", "__reduce_", "__ballot", "__any_sync", "__all_sync", "__activemask",
                                               "__popc", "__ffs",  "__clz",     "__float_as", "__double_as", "__int_as", "__longlong_as",
                                               "__uint_as", "atomic"};
      static constexpr StringRef Names[] = {"max", "min", "fmax", "fmin", "fmaxf", "fminf", "umax", "umin", "llmax", "llmin", "abs", "fabs", "fabsf"};
      OnlyKnown &= llvm::any_of(Prefixes, [&](StringRef Each) { return Name.starts_with(Each); }) || llvm::is_contained(Names, Name);
    } else if (isa<CXXMethodDecl>(Definition)) {
      OnlyKnown = false;
    } else {
      TraverseStmt(Definition->getBody());
    }
    return true;
  }

  /// By the statements themselves, and by the functions as well.
  std::vector<const DeclRefExpr*> Direct, Named;
  /// Functions that are not known to compute something, to wait or to exchange values, and nothing else, are not called.
  bool OnlyKnown = true;
};

/// CUDA's headers have a macro in a macro for __shared__.
std::optional<FileRange> textOf(const DeclStmt& Declared, const FunctionDecl* Kernel) {
  return fileRangeInBody(Kernel, Declared.getSourceRange());
}

class TileSumFinder {
public:
  TileSumFinder(const FunctionDecl* Kernel, const std::vector<AtomicReduction>& Reductions, bool OfEachTile, ASTContext& Context)
      : Kernel(Kernel), Reductions(Reductions), OfEachTile(OfEachTile), Context(Context), Sources(Context.getSourceManager()),
        Shown(Kernel->getBody()), Pure(Kernel->getBody()) {}

  TileSums run() {
    const auto* Body = dyn_cast<CompoundStmt>(Kernel->getBody());
    if (!Body || Reductions.empty() || !isPlainText(*Body))
      return {};
    std::vector<const Stmt*> All(Body->body_begin(), Body->body_end());
    // What is before the first place that does not work together can be shared out best.
    for (size_t Before = 1; Before < All.size(); ++Before) {
      if (mayLeave(All[Before - 1]) || (!isShared(All[Before - 1]) && exchangesOrShares(All[Before - 1])))
        return {};
      Each = ArrayRef(All).take_front(Before);
      Once = ArrayRef(All).drop_front(Before);
      if (llvm::none_of(Once, [&](const Stmt* S) { return exchangesOrShares(S); }))
        return {};
      if (!beginsInText(Once.front(), All[Before - 1]) || !classify())
        continue;
      if (std::optional<TileSums> Found = withOperations())
        return *Found;
    }
    return {};
  }

private:
  static bool isShared(const Stmt* S) {
    const auto* Declared = dyn_cast<DeclStmt>(S);
    return Declared && llvm::all_of(Declared->decls(), [](const Decl* D) { return D->hasAttr<CUDASharedAttr>(); });
  }

  bool exchangesOrShares(const Stmt* S) const {
    const References Named(S);
    return exchangesValues(Kernel, S) ||
           llvm::any_of(Named.All, [](const DeclRefExpr* Ref) { return Ref->getDecl()->hasAttr<CUDASharedAttr>(); });
  }

  /// In a file, without lines for the preprocessor but pragmas: both parts of the body are taken out of it.
  bool isPlainText(const CompoundStmt& Body) const {
    std::optional<FileRange> Range = fileRange(Body.getSourceRange(), Sources, Context.getLangOpts());
    if (!Range || Body.getLBracLoc().isMacroID() || Body.getRBracLoc().isMacroID())
      return false;
    llvm::SmallVector<StringRef, 64> Lines;
    textBetween(Body.getLBracLoc(), Body.getRBracLoc()).split(Lines, '\n');
    return llvm::all_of(Lines, [](StringRef Line) {
      Line = Line.ltrim();
      return !Line.consume_front("#") || Line.ltrim().starts_with("pragma");
    });
  }

  StringRef textBetween(SourceLocation Begin, SourceLocation End) const {
    auto [File, From] = Sources.getDecomposedLoc(Begin);
    auto [Other, To] = Sources.getDecomposedLoc(End);
    return File == Other && From <= To ? Sources.getBufferData(File).slice(From, To) : StringRef("#");
  }

  /// And no pragma before it, which would go with it.
  bool beginsInText(const Stmt* S, const Stmt* Previous) const {
    SourceLocation Begin = S->getBeginLoc(), End = Previous->getEndLoc();
    return !Begin.isMacroID() && !textBetween(Sources.getExpansionRange(End).getEnd(), Begin).contains('#');
  }

  /// Finds out what the statements behind the tiles use of those before; false if that may be something else in another tile.
  bool classify() {
    Found = {};
    Wanted.clear();
    Found.Behind = Once.front();
    const Reached Used(Once);
    if (!Used.OnlyKnown)
      return false;
    // Of functions: their own variables, and nothing that they share with others.
    for (const DeclRefExpr* Ref : Used.Named)
      if (const auto* V = dyn_cast<VarDecl>(Ref->getDecl()); V && V->hasGlobalStorage() && !isTheSame(*V))
        return false;
    llvm::SmallSetVector<const VarDecl*, 8> Values;
    for (const DeclRefExpr* Ref : Used.Direct) {
      const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
      if (V ? !use(*V, Values) : !isa<EnumConstantDecl, NonTypeTemplateParmDecl>(Ref->getDecl()))
        return false;
    }
    for (const VarDecl* V : Values)
      Found.Sums.push_back({V, CombinedValues::Plus});
    return !Values.empty() && Values.size() <= MostSums && keepDeclarations();
  }

  static bool isTheSame(const VarDecl& V) {
    if (isIndexVariable(&V))
      return V.getName() != "blockIdx";
    return V.hasAttr<CUDASharedAttr>() || V.hasAttr<CUDAConstantAttr>() || V.getType().isConstQualified() ||
           (V.getIdentifier() && V.getName() == "warpSize");
  }

  bool use(const VarDecl& V, llvm::SmallSetVector<const VarDecl*, 8>& Values) {
    if (V.hasGlobalStorage() && !V.hasAttr<CUDASharedAttr>())
      return true; // see isTheSame
    if (isa<ParmVarDecl>(V))
      return V.getType()->isArithmeticType() ? isUnchanged(&V) : true; // a pointer must be a reduced scalar's
    const DeclStmt* Declared = declarationOf(&V);
    if (!Declared)
      return true; // its declaration is behind the tiles, too
    if (V.hasAttr<CUDASharedAttr>() || isOfAllTiles(&V)) {
      Wanted.insert(Declared);
      return true;
    }
    QualType Type = V.getType().getCanonicalType();
    if (!Type->isArithmeticType() || Type->isBooleanType() || Type.isVolatileQualified() || Context.getTypeSize(Type) < 32 ||
        V.isStaticLocal() || Shown.Variables.contains(&V))
      return false;
    Values.insert(&V);
    return true;
  }

  /// The statement of the body before the split that declares it.
  const DeclStmt* declarationOf(const VarDecl* V) const {
    for (const Stmt* S : Each)
      if (const auto* Declared = dyn_cast<DeclStmt>(S); Declared && llvm::is_contained(Declared->decls(), V))
        return Declared;
    return nullptr;
  }

  /// Nothing changes it behind its declaration.
  bool isUnchanged(const VarDecl* V) const {
    if (Shown.Variables.contains(V))
      return false;
    if (V->getType().isConstQualified())
      return true;
    const References Everywhere(Kernel->getBody());
    return llvm::all_of(Everywhere.All, [&](const DeclRefExpr* Ref) { return Ref->getDecl() != V || Pure.contains(Ref); });
  }

  /// A number that depends on the thread at most: `const int lane = threadIdx.x % 32;`.
  bool isOfAllTiles(const VarDecl* V) {
    const Expr* Init = V->getInit();
    if (!Init || !V->getType()->isArithmeticType() || V->isStaticLocal() || !isUnchanged(V) || Init->HasSideEffects(Context))
      return false;
    const Reached Used(Init);
    if (!Used.OnlyKnown || Used.Direct.size() != Used.Named.size() || exchangesOrShares(Init) || hasMemory(Init))
      return false;
    llvm::SmallVector<const DeclStmt*, 4> Before;
    for (const DeclRefExpr* Ref : Used.Direct) {
      const auto* Other = dyn_cast<VarDecl>(Ref->getDecl());
      if (!Other)
        continue;
      if (Other->hasGlobalStorage() ? !isTheSame(*Other)
          : isa<ParmVarDecl>(Other) ? !Other->getType()->isArithmeticType() || !isUnchanged(Other)
                                    : !declarationOf(Other) || !isOfAllTiles(Other))
        return false;
      if (const DeclStmt* Declared = declarationOf(Other))
        Before.push_back(Declared);
    }
    Wanted.insert(Before.begin(), Before.end());
    return true;
  }

  static bool hasMemory(const Stmt* S) {
    const auto* Unary = dyn_cast<UnaryOperator>(S);
    return isa<ArraySubscriptExpr>(S) || (Unary && Unary->getOpcode() == UO_Deref) ||
           llvm::any_of(S->children(), [](const Stmt* Child) { return Child && hasMemory(Child); });
  }

  /// Whole statements stand in the text of what is run behind the tiles.
  bool keepDeclarations() {
    for (const Stmt* S : Each) {
      const auto* Declared = dyn_cast<DeclStmt>(S);
      if (!Declared)
        continue;
      // The text behind may name types as it likes.
      bool OfTypes = llvm::none_of(Declared->decls(), [](const Decl* D) { return isa<ValueDecl>(D); });
      if (!OfTypes && !Wanted.contains(Declared))
        continue;
      for (const Decl* D : Declared->decls()) {
        const auto* V = dyn_cast<VarDecl>(D);
        if (!OfTypes && (!V || !(V->hasAttr<CUDASharedAttr>() || isOfAllTiles(V))))
          return false;
      }
      if (!textOf(*Declared, Kernel))
        return false;
      Found.Needed.push_back(Declared);
    }
    // From the last one on, since one may need another.
    for (const DeclStmt* Declared : llvm::reverse(Found.Needed)) {
      bool UsedElsewhere = llvm::any_of(Each, [&](const Stmt* S) {
        const References Named(S);
        return S != Declared && !llvm::is_contained(Found.OnlyBehind, S) &&
               llvm::any_of(Declared->decls(), [&](const Decl* D) { return !isa<VarDecl>(D) || Named.mention(cast<VarDecl>(D)); });
      });
      if (!UsedElsewhere)
        Found.OnlyBehind.push_back(Declared);
    }
    return true;
  }

  /// Each of the values is a sum, or a most or least.
  std::optional<TileSums> withOperations() {
    size_t Choices = 1;
    for (size_t I = 0; I != Found.Sums.size(); ++I)
      Choices *= OfEachTile ? 3 : 1;
    for (size_t Choice = 0; Choice != Choices; ++Choice) {
      CombinedValues Values(Kernel, Each, Context);
      for (size_t I = 0, Rest = Choice; I != Found.Sums.size(); ++I, Rest /= 3) {
        Found.Sums[I].Op = static_cast<CombinedValues::Operation>(Rest % 3);
        Values.addFound(Found.Sums[I].Variable, Found.Sums[I].Op);
      }
      if (!Values.follow() && onlyUpdates(Values) && (!Values.comparesBits() || llvm::all_of(Found.Sums, [&](const TileSums::Sum& Sum) { return hasOrderedBits(Sum); })))
        return Found;
    }
    return std::nullopt;
  }

  /// Of numbers in floating point: a most from 0 or more on, of which fmax and `if (v > most) most = v;` keep NaN away. Others may be negative or NaN, whose bits have
  /// another order than they have, so that it matters which of them are compared as bits.
  bool hasOrderedBits(const TileSums::Sum& Sum) const {
    if (!Sum.Variable->getType()->isFloatingType() || Sum.Op == CombinedValues::Plus)
      return true;
    const Expr* Init = Sum.Variable->getInit();
    Expr::EvalResult First;
    CombinedValues Found(Kernel, Each, Context);
    return Sum.Op == CombinedValues::Max && Init && Init->EvaluateAsRValue(First, Context) && First.Val.isFloat() &&
           !First.Val.getFloat().isNegative() && !First.Val.getFloat().isNaN() && Found.add(Sum.Variable) && !Found.takesNaN();
  }

  /// All that is done with memory behind the tiles are updates with such values, of types that have room for those of many tiles.
  bool onlyUpdates(const CombinedValues& Values) const {
    llvm::SmallPtrSet<const DeclRefExpr*, 8> Scalars;
    for (const AtomicReduction& A : Reductions) {
      bool Behind = llvm::any_of(Once, [&](const Stmt* S) { return contains(S, A.Where); });
      if (!Behind)
        continue;
      const auto* Call = dyn_cast<CallExpr>(A.Where);
      if (!Call || !Values.isUpdate(Call) || !hasRoom(Values, *Call))
        return false;
      const References Named(Call->getArg(0));
      Scalars.insert(Named.All.begin(), Named.All.end());
    }
    for (const Stmt* S : Once) {
      const References Named(S);
      for (const DeclRefExpr* Ref : Named.All)
        if (isa<ParmVarDecl>(Ref->getDecl()) && !Ref->getDecl()->getType()->isArithmeticType() && !Scalars.contains(Ref))
          return false;
    }
    return !Scalars.empty();
  }

  /// Integers of many tiles may be larger than those of one. They wrap around as the scalar does, if nothing on the way is narrower.
  bool hasRoom(const CombinedValues& Values, const CallExpr& Update) const {
    QualType Scalar = Update.getArg(0)->getType()->getPointeeType();
    if (Scalar.isNull())
      return false;
    for (const TileSums::Sum& Sum : Found.Sums) {
      QualType Type = Sum.Variable->getType();
      if (!Type->isIntegerType())
        continue;
      if (!Scalar->isIntegerType() || Context.getTypeSize(Scalar) > Context.getTypeSize(Type))
        return false;
      for (const clang::Type* Other : Values.integerTypes())
        if (Sum.Op == CombinedValues::Plus ? Context.getTypeSize(Other) < Context.getTypeSize(Scalar)
                                           : Other != Type.getCanonicalType().getTypePtr())
          return false;
    }
    return true;
  }

  const FunctionDecl* Kernel;
  const std::vector<AtomicReduction>& Reductions;
  bool OfEachTile;
  ASTContext& Context;
  const SourceManager& Sources;
  Exposed Shown;
  PureReads Pure;
  ArrayRef<const Stmt*> Each, Once;
  llvm::SmallPtrSet<const DeclStmt*, 8> Wanted;
  TileSums Found;
};

} // namespace

bool TileSums::editsAs(const TileSums& Other) const {
  auto SamePlaces = [](const std::vector<const DeclStmt*>& A, const std::vector<const DeclStmt*>& B) {
    return std::equal(A.begin(), A.end(), B.begin(), B.end(),
                      [](const DeclStmt* First, const DeclStmt* Second) { return First->getBeginLoc() == Second->getBeginLoc(); });
  };
  return any() == Other.any() &&
         (!any() || (Behind->getBeginLoc() == Other.Behind->getBeginLoc() && SamePlaces(Needed, Other.Needed) && SamePlaces(OnlyBehind, Other.OnlyBehind) &&
                     std::equal(Sums.begin(), Sums.end(), Other.Sums.begin(), Other.Sums.end(), [](const Sum& A, const Sum& B) {
                       return A.Variable->getLocation() == B.Variable->getLocation();
                     })));
}

TileSums findTileSums(const FunctionDecl* Kernel, const std::vector<AtomicReduction>& Reductions, bool OfEachTile, ASTContext& Context) {
  return TileSumFinder(Kernel, Reductions, OfEachTile, Context).run();
}

void editTileSums(const TileSums& Sums, const FunctionDecl* Kernel, bool Behind, EditSet& Edits, StringRef Source, const ASTContext& Context) {
  const SourceManager& Sources = Context.getSourceManager();
  const LangOptions& LangOpts = Context.getLangOpts();
  const auto* Body = cast<CompoundStmt>(Kernel->getBody());
  const FileRange Whole = *fileRange(Body->getSourceRange(), Sources, LangOpts);
  const FileRange First = *fileRange(Sums.Behind->getBeginLoc(), Sources, LangOpts);
  auto Lines = [&](unsigned Begin, unsigned End) { return std::string(Source.slice(Begin, End).count('\n'), '\n'); };
  if (Behind) {
    std::string Declarations;
    unsigned From = Whole.Begin + 1;
    for (const DeclStmt* Declared : Sums.Needed) {
      FileRange Range = *textOf(*Declared, Kernel);
      Declarations += Lines(From, Range.Begin) + Edits.text(Range, Source);
      From = Range.End;
    }
    Edits.replace({Whole.File, Whole.Begin + 1, First.Begin}, Declarations + Lines(From, First.Begin) + " ");
    return;
  }
  for (const DeclStmt* Declared : Sums.OnlyBehind) {
    FileRange Range = *textOf(*Declared, Kernel);
    // From a character before it on, as it may have been replaced itself.
    Edits.replace({Range.File, Range.Begin - 1, Range.End}, Source[Range.Begin - 1] + Lines(Range.Begin, Range.End));
  }
  std::string Updates;
  for (size_t I = 0; I != Sums.Sums.size(); ++I)
    Updates += tileSumName(I) + ".update(" + Sums.Sums[I].Variable->getNameAsString() + "); ";
  Edits.replace({Whole.File, First.Begin, Whole.End - 1}, Updates);
}

} // namespace gpurma
