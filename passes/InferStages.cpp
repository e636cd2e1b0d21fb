// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// InferStages: what each launch of a persistent region reads and writes, from the kernel's
// subscripts; clauses override.
//
// Before:  lap<<<grid, block>>>(in, out, ny, nx);    in a region with distribute(in, out : rows(ny,
// nx)) After:   the Stage's Accesses: rows y; reads in (x -1..1, y -1..1); writes out (own)
//
// The text is not changed. With -Rgpurma a remark says for each launch what was found.
#include "passes/ArrayCopies.h"
#include "passes/FixedRowAnalysis.h"
#include "passes/HostExpressions.h"
#include "passes/HostFunctions.h"
#include "passes/KernelMembers.h"
#include "passes/LaunchSize.h"
#include "passes/LaunchTiles.h"
#include "passes/PartialBlocks.h"
#include "passes/Pass.h"
#include "passes/PointedObjects.h"
#include "passes/PointerGroups.h"
#include "passes/StageFunctions.h"
#include "passes/ThreadCooperation.h"
#include "passes/VariableChanges.h"
#include "passes/VariableUses.h"
#include "passes/VectorRows.h"

#include "frontend/SourceText.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"
#include <numeric>

using namespace clang;

namespace gpurma {
namespace {

/// What nobody is told.
class Trial {
public:
  explicit Trial(Unit& U)
      : Engine(new DiagnosticIDs, new DiagnosticOptions, new DiagnosticConsumer),
        Unsaid(Engine, /*WarningsAsErrors=*/false, /*NoWarnings=*/false) {
    Engine.setSourceManager(&U.sources());
  }
  Diagnostics& diagnostics() { return Unsaid; }
  bool warned() const { return Engine.getClient()->getNumWarnings() != 0; }

private:
  DiagnosticsEngine Engine;
  Diagnostics Unsaid;
};

/// Text of the host names it.
bool isPublic(const PointerVariable& Place) {
  return gpurma::isPublic(Place.Variable) && llvm::all_of(Place.Members, [](const FieldDecl* F) { return gpurma::isPublic(F); });
}

class StageInference {
public:
  StageInference(Region& R, Unit& U, const LowerOptions& Options)
      : R(R), U(U), Options(Options), Context(U.context()), ChangedInRegion(R.Statement),
        ChangedInFunction(R.outermostFunction()->getBody()), ChangedInCall(nullptr),
        Host(Context, R, ChangedInRegion, ChangedInFunction, Inside), AtOnce(Context, R, ChangedInCall, ChangedInFunction, Inside), Groups(R, Context) {}

  void run() {
    for (const DistributedArray& A : R.Arrays)
      if (!findShape(A))
        return;
    for (Stage& S : R.Stages)
      if (S.Kernel && S.Kernel->getBody())
        infer(S);
    useOneBlockSize();
    for (Stage& S : R.Stages)
      if (S.Copy)
        inferCopy(S);
    for (Stage& S : R.Stages) {
      inferPublished(S);
      for (const PublishedArray& Put : S.Published)
        applyPut(S, Put);
    }
    for (const HostExpressions* Each : {&Host, &AtOnce})
      for (const AlikeSize& Size : Each->alikeSizes())
        if (!llvm::is_contained(R.AlikeSizes, Size))
          R.AlikeSizes.push_back(Size);
  }

private:
  /// False after an error.
  bool findShape(const DistributedArray& A) {
    ArrayShape Shape;
    auto Find = [&](const Expr* Extent) {
      std::optional<Polynomial> P = Host.extent(Extent);
      if (!P) {
        U.Diags->report(Extent->getExprLoc(), Diag::err_extent_changes) << A.Pointer.name() << Extent->getSourceRange();
        noteChange(*Extent);
      }
      return P;
    };
    for (const Expr* Extent : A.Shape) {
      std::optional<Polynomial> P = Find(Extent);
      if (!P)
        return false;
      Shape.Extents.push_back(std::move(*P));
    }
    if (A.Components && !(Shape.Components = Find(A.Components)))
      return false;
    Shapes.emplace(A.Pointer, std::move(Shape));
    return true;
  }

  /// Where the region may change what an extent is.
  void noteChange(const Expr& Extent) {
    ChangeFinder InRegion;
    InRegion.TraverseStmt(const_cast<Stmt*>(R.Statement));
    const auto [Variable, Field] = memberOf(&Extent);
    for (const DeclRefExpr* Ref : References(&Extent).All)
      for (const auto& [Part, Where] : InRegion.Places)
        if (Part.first == Ref->getDecl() && (!Part.second || Part.first != Variable || Part.second == Field) && Where->getExprLoc().isValid()) {
          U.Diags->report(Where->getExprLoc(), Diag::note_may_change)
              << PointerVariable(Part.first, Part.second ? std::vector{Part.second} : std::vector<const FieldDecl*>()).name() << Where->getSourceRange();
          return;
        }
  }

  void infer(Stage& S) {
    LaunchFacts Launch;
    std::vector<DistributedParameter> Arrays;
    bool Structures = false;
    if (!findFacts(S, Launch, Arrays, Structures))
      return;
    if (Arrays.empty() && !S.Collected.empty()) {
      U.Diags->report(S.Launch->getBeginLoc(), Diag::err_collected_alone) << S.Kernel->getName() << S.Collected.front()->getName();
      return;
    }
    if (Arrays.empty() && !Structures)
      return;
    std::optional<KernelAccesses> Found = mayBeInOneDimension(S, Arrays, Launch)
                                              ? analyzeInEither(S, Arrays, Launch)
                                              : analyzeInBlocks(S, Arrays, Launch);
    // Without arrays only that structures lead to none that the kernel touches.
    if (!Found || Arrays.empty() || !checkReductions(S, *Found) || !checkHalos(S, *Found))
      return;
    S.Accesses = std::move(*Found);
    if (S.Accesses.Loop && !checkApart(S))
      return;
    S.Inferred = true;
    for (const DistributedParameter& P : Arrays) {
      auto HasItsShape = [&](const DistributedArray& A) { return Shapes.at(A.Pointer) == P.Shape; };
      auto HasItsRows = [&](const DistributedArray& A) {
        return HasItsShape(A) && innermostBytes(element(A), Context) == P.ElementBytes;
      };
      const auto First =
          static_cast<size_t>(llvm::find_if(R.Arrays, HasItsShape) - R.Arrays.begin());
      if (!llvm::is_contained(S.ShapedLike, First))
        S.ShapedLike.push_back(First);
      for (ArrayAccess& A : S.Accesses.Arrays)
        if (A.Array == P.Array)
          A.ShapedLike =
              static_cast<size_t>(llvm::find_if(R.Arrays, HasItsRows) - R.Arrays.begin());
    }
  }

  /// Of a launch and its arguments. False after an error.
  bool findFacts(const Stage& S, LaunchFacts& Launch, std::vector<DistributedParameter>& Arrays, bool& Structures) {
    Launch.AnalysisSteps = Options.AnalysisSteps;
    std::optional<KernelMembers> Members; // a walk through all that the kernel calls
    for (unsigned I = 0; I != S.Kernel->getNumParams() && I != S.Arguments.size(); ++I) {
      const ParmVarDecl* Parameter = S.Kernel->getParamDecl(I);
      const Expr* Argument = S.Arguments[I];
      if (llvm::is_contained(S.Collected, Parameter)) {
        Launch.Collected.insert(Parameter);
        continue;
      }
      if (Parameter->getType()->isPointerType()) {
        if (!addArray(S, Parameter, Arrays))
          return false;
        continue;
      }
      if (holdsPointer(Parameter->getType())) {
        Structures = true;
        if (!Members)
          Members.emplace(S.Kernel);
        if (!addStructure(S, Parameter, Argument, *Members, Arrays))
          return false;
      }
      addValue(Parameter, Argument, Launch);
    }
    // Where `f[q * n + i]` means a component by the number of its elements.
    for (const DistributedParameter& A : Arrays)
      for (unsigned I = 0; A.Shape.Components && I != S.Kernel->getNumParams() && I != S.Arguments.size(); ++I)
        addCount(S.Kernel->getParamDecl(I), S.Arguments[I], A, Launch.Arguments);
    findConstants(S, Launch.Constants);
    Launch.Flags = S.Flags;
    Launch.BlockSize = constantLaunchSize(S.Block, ChangedInFunction, Context, R.Statement);
    Launch.GridSize = constantLaunchSize(S.Grid, ChangedInFunction, Context, R.Statement);
    for (unsigned D = 0; D < 3; ++D)
      if (Launch.BlockSize[D])
        Launch.MostThreads[D] = Launch.GridSize[D] ? Polynomial(*Launch.GridSize[D] * *Launch.BlockSize[D]) : Host.mostThreads(S.Grid, D, *Launch.BlockSize[D]);
    for (const MapClause& M : R.Maps)
      if (names(M, S.Kernel))
        Launch.RowDimension = M.RowDimension;
    return true;
  }

  // --- Constant memory.

  /// What one call of cudaMemcpyToSymbol may have put there. The region finds out whether it has.
  void findConstants(const Stage& S, AssumedConstants& Found) {
    auto It = NamedConstants.find(S.Kernel);
    if (It == NamedConstants.end()) {
      It = NamedConstants.try_emplace(S.Kernel).first;
      for (const PointerVariable& Place : namedConstants(S.Kernel))
        if (std::optional<AssumedConstant> Assumed = assumed(Place))
          It->second.push_back(std::move(*Assumed));
    }
    Found = It->second;
  }

  std::optional<AssumedConstant> assumed(const PointerVariable& Place) {
    AssumedConstant Found{Place, {}, {}};
    if (!Found.type(Context)->isIntegralOrEnumerationType() || !isPublic(Place))
      return std::nullopt;
    const ConstantUses Uses = constantUses(Place.Variable, Context);
    if (Uses.Others || Uses.Copies.size() != 1)
      return std::nullopt;
    for (const LikelyValue& V : likelyValues(Place, Uses.Copies.front(), Context)) {
      if (Place.type()->isArrayType()) {
        std::optional<std::vector<std::int64_t>> Values;
        if (V.Variable && Context.hasSameUnqualifiedType(V.Variable.type(), Place.type()))
          Values = initialValues(V.Variable, Context);
        if (!Values)
          continue;
        Found.Values.assign(Values->begin(), Values->end());
        return Found;
      }
      std::optional<Polynomial> P = likelyNumber(V);
      if (P && (P->constant() || findExtents(*P, Found.Extents))) {
        Found.Values = {std::move(*P)};
        return Found;
      }
    }
    return std::nullopt;
  }

  std::optional<Polynomial> likelyNumber(const LikelyValue& V, unsigned Depth = 0) {
    if (V.Expression) {
      std::optional<Polynomial> P = Host.polynomial(V.Expression);
      return P ? inRegion(std::move(*P), Depth) : P;
    }
    if (V.Variable.Members.size() > 1 || !V.Variable.Subscripts.empty() || ChangedInRegion.changes(V.Variable.Variable))
      return std::nullopt;
    return V.Variable.Members.empty() ? Polynomial(Symbol{Symbol::Kind::Parameter, 0, V.Variable.Variable})
                                      : Host.member(V.Variable.Variable, V.Variable.Members.front());
  }

  /// With what the variables of other functions may have in them.
  Polynomial inRegion(Polynomial P, unsigned Depth) {
    constexpr unsigned MostSteps = 4;
    std::set<Symbol> Foreign;
    for (const auto& [M, Coefficient] : P.terms())
      for (const Symbol& S : M)
        if (const auto* V = dyn_cast_or_null<VarDecl>(S.Decl); V && S.Divisor == 1 && V->isLocalVarDeclOrParm() && V->getDeclContext() != R.function())
          Foreign.insert(S);
    for (const Symbol& S : Foreign) {
      PointerVariable V(cast<VarDecl>(S.Decl));
      if (S.Field)
        V.Members.push_back(S.Field);
      for (const LikelyValue& Other : likelyValues(V, Context))
        if (Other.Expression && Depth < MostSteps)
          if (std::optional<Polynomial> Value = likelyNumber(Other, Depth + 1)) {
            P = P.substituted(S, *Value);
            break;
          }
    }
    return P;
  }

  /// Consecutive extents of an array whose product it is.
  bool findExtents(const Polynomial& P, std::vector<const Expr*>& Found) const {
    for (const DistributedArray& A : R.Arrays) {
      const ArrayShape& Shape = Shapes.at(A.Pointer);
      for (size_t First = 0; First != A.Shape.size(); ++First) {
        Polynomial Product(1);
        for (size_t Last = First; Last != A.Shape.size(); ++Last) {
          Product = Product * Shape[Last];
          if (!(Product == P))
            continue;
          Found.assign(A.Shape.begin() + First, A.Shape.begin() + Last + 1);
          return true;
        }
      }
    }
    return false;
  }

  // --- Launches in blocks of another size.

  static std::optional<std::int64_t> threadsOf(const Stage& S) { return threadsIn(S.Accesses.LaunchedBlock); }

  static bool runsParts(const Stage& S) { return S.Inferred && S.Accesses.Threads == ThreadMapping::PartialBlocks; }
  static bool runsInBlocks(const Stage& S) { return S.Inferred && S.Accesses.Threads == ThreadMapping::Blocks; }
  /// Other threads than those of the launch's blocks would not do.
  static bool takesBlocks(const Stage& S) { return overlap(S.Accesses.Pitch) || findCooperation(S.Kernel); }

  /// The launch whose block is that of all ranks: of those whose threads work together, the one with most threads, if others have no
  /// more; or else one that has as many. Launches of parts of blocks count as well, but have no shape. Null: they say how many threads
  /// ranks have.
  Stage* findRankBlock() {
    const auto HasFewer = [](const Stage* A, const Stage& B) { return !A || threadsOf(*A).value_or(0) < threadsOf(B).value_or(0); };
    Stage *Together = nullptr, *Parts = nullptr, *First = nullptr;
    for (Stage& S : R.Stages) {
      if (runsInBlocks(S) && takesBlocks(S) && HasFewer(Together, S))
        Together = &S;
      if (runsParts(S) && HasFewer(Parts, S))
        Parts = &S;
      if (runsInBlocks(S) && (!First || (isNarrow(*First) && !isNarrow(S) && !HasFewer(&S, *First))))
        First = &S;
    }
    if (!Together && !Parts)
      return First;
    if (!Parts || (Together && !HasFewer(Together, *Parts)))
      return Together;
    if (!threadsOf(*Parts))
      return First;
    Stage* Fewest = nullptr;
    for (Stage& S : R.Stages)
      if (runsInBlocks(S) && threadsOf(S) >= threadsOf(*Parts) && (!Fewest || threadsOf(S) < threadsOf(*Fewest)))
        Fewest = &S;
    return Fewest;
  }

  /// Blocks of a few columns, as those of kernels for boundaries are, which would make tiles of a few columns and many rows for all launches.
  static bool isNarrow(const Stage& S) {
    constexpr std::int64_t FewColumns = 8;
    const std::optional<std::int64_t>& Columns = S.Accesses.LaunchedBlock[0];
    return S.Accesses.RowDimension != 0 && Columns && *Columns < FewColumns;
  }

  /// All ranks have the same block. Launches in blocks that are known to be others are given tiles of that size, if their threads do not
  /// work together; and those with fewer dimensions, also of the same size, tiles of as many rows as the others have. Where threads work
  /// together, those of ranks play them.
  void useOneBlockSize() {
    for (Stage& S : R.Stages)
      if (runsInBlocks(S) && hasFewerDimensions(S, R) && !takesBlocks(S))
        useOtherBlocks(S, Trial(U).diagnostics());
    const Stage* Of = findRankBlock();
    const auto MostParts = std::max_element(R.Stages.begin(), R.Stages.end(), [](const Stage& A, const Stage& B) { return partsOf(A) < partsOf(B); });
    const std::int64_t Ranks = Of ? threadsOf(*Of).value_or(0) : MostParts != R.Stages.end() ? partsOf(*MostParts) : 0;
    if (Ranks == 0)
      return;
    for (Stage& S : R.Stages) {
      const std::optional<std::int64_t> Threads = threadsOf(S);
      if (!Threads)
        continue;
      if (runsInBlocks(S) && (!Of || S.Accesses.LaunchedBlock != Of->Accesses.LaunchedBlock)) {
        const bool Follows = !takesBlocks(S) && useOtherBlocks(S, Trial(U).diagnostics());
        if (!Follows && *Threads > Ranks && !takesBlocks(S))
          useOtherBlocks(S, *U.Diags); // says why it cannot
        else if (!Follows && *Threads <= Ranks && !reportsOwnBlock(S, *Threads < Ranks, Of, Ranks))
          S.Accesses.Threads = ThreadMapping::PlayedBlocks;
      } else if (!runsParts(S) || *Threads >= Ranks || reportsOwnBlock(S, /*FewerThreads=*/true, Of, Ranks)) {
        continue;
      }
      S.Accesses.FewerThreads = *Threads < Ranks && (runsParts(S) || S.Accesses.Threads == ThreadMapping::PlayedBlocks);
    }
  }

  /// Of a launch of parts of blocks, whose size is known.
  static std::int64_t partsOf(const Stage& S) { return runsParts(S) ? threadsOf(S).value_or(0) : 0; }

  /// True after an error.
  bool reportsOwnBlock(const Stage& S, bool FewerThreads, const Stage* Of, std::int64_t Ranks) {
    const std::optional<ThreadCooperation> Own = findOwnBlock(S.Kernel, FewerThreads, hasWholeWarps(S.Accesses.LaunchedBlock));
    if (!Own)
      return false;
    U.Diags->report(S.Launch->getBeginLoc(), Diag::err_own_block)
        << S.Kernel->getName() << std::to_string(*threadsOf(S)) << std::to_string(Ranks) << Own->Name << FewerThreads;
    U.Diags->report(Own->Loc, Diag::note_used_here) << "'" + Own->Name + "'";
    if (Of)
      U.Diags->report(Of->Launch->getBeginLoc(), Diag::note_launch_here);
    return true;
  }

  /// Whether what threads do does not depend on their blocks, so that tiles can be others.
  bool useOtherBlocks(Stage& S, Diagnostics& Diags) {
    LaunchFacts Launch;
    std::vector<DistributedParameter> Arrays;
    bool Structures = false;
    if (!findFacts(S, Launch, Arrays, Structures))
      return false;
    Launch.Threads = ThreadMapping::Coordinates;
    std::optional<KernelAccesses> Found = analyze(S, Arrays, Launch, Diags);
    if (Found)
      S.Accesses = std::move(*Found);
    return Found.has_value();
  }

  std::optional<KernelAccesses> analyze(const Stage& S, ArrayRef<DistributedParameter> Arrays,
                                        const LaunchFacts& Launch, Diagnostics& Diags,
                                        KernelForm* Seen = nullptr) {
    KernelForm Form, OfThis;
    // It takes long to give up, and several look at the same form of a launch.
    const LaunchForm Of{
        &S,          Launch.Threads, Launch.SearchesRows, Launch.WalksThreads, Launch.JoinsBlocks,
        Launch.Pitch};
    if (llvm::is_contained(TooComplex, Of)) {
      reportTooComplex(S.Kernel, Diags);
      return std::nullopt;
    }
    auto IsPassedVectors = [&](const DistributedParameter& A) {
      const QualType Pointee = A.Array.type()->getPointeeType();
      return !Pointee->isIncompleteType() && innermostBytes(Pointee, Context) > A.ElementBytes;
    };
    if (llvm::any_of(Arrays, IsPassedVectors) || castsToVectors(S.Kernel, Context))
      analyzeAccesses(S.Kernel, Arrays, Launch, Context, Trial(U).diagnostics(), &Form);
    KernelForm& Result = Seen ? *Seen : OfThis;
    std::optional<KernelAccesses> Found = Form.VectorElements == 1 ? analyzeAccesses(S.Kernel, Arrays, Launch, Context, Diags, &Result)
                                                                   : analyzeInVectors(S, Form.VectorElements, Arrays, Launch, Diags, Result);
    if (Result.TooComplex)
      TooComplex.push_back(Of);
    return Found;
  }

  std::optional<KernelAccesses> analyzeInVectors(const Stage& S, std::int64_t Elements, ArrayRef<DistributedParameter> Arrays,
                                                 const LaunchFacts& Launch, Diagnostics& Diags, KernelForm& Seen) {
    VectorRows InVectors(Elements, Arrays, Launch);
    addNumbersOfVectors(S, InVectors);
    std::optional<KernelAccesses> Found = analyzeAccesses(S.Kernel, InVectors.Arrays, InVectors.Launch, Context, Diags, &Seen);
    if (Found)
      for (ArrayAccess& A : Found->Arrays)
        if (InVectors.Divided.count(A.Array))
          A.RowMultiple = std::lcm(A.RowMultiple, Elements);
    return Found;
  }

  /// Arguments that are quotients, `nx * ny / 4`, of what is a multiple where rows are.
  void addNumbersOfVectors(const Stage& S, VectorRows& InVectors) {
    for (unsigned I = 0; I != S.Kernel->getNumParams() && I != S.Arguments.size(); ++I) {
      const auto* Quotient = dyn_cast<BinaryOperator>(S.Arguments[I]->IgnoreParenImpCasts());
      if (!Quotient || Quotient->getOpcode() != BO_Div)
        continue;
      std::optional<Polynomial> Dividend = Host.polynomial(Quotient->getLHS()), Divisor = Host.polynomial(Quotient->getRHS());
      if (!Dividend || !Divisor || Divisor->constant().value_or(0) <= 0)
        continue;
      if (auto [Exact, Rest] = InVectors(*Dividend).divided(*Divisor); Rest == Polynomial(0))
        InVectors.Launch.Arguments.insert_or_assign({S.Kernel->getParamDecl(I), nullptr}, Exact);
    }
  }

  // --- Copies and fills.

  enum CopiedAs { Target, Source, Filled };
  enum CopyProblem { NotDistributed, Part, InRow, Overlap };

  void reportPart(const Stage& S, const Expr* E, CopiedAs As, CopyProblem Why, const std::string& Array = "") {
    const Expr* Plain = E->IgnoreParenCasts();
    U.Diags->report(E->getBeginLoc(), Diag::err_copied_array)
        << S.name() << As << spelledText(Plain->getSourceRange(), U.sources(), Context.getLangOpts()).value_or("this") << Why << Array
        << E->getSourceRange();
  }

  void inferCopy(Stage& S) {
    ArrayCopy Copy = *arrayCopy(*S.Copy);
    OffsetPointer ToPlace = takeApart(Copy.To, Context), FromPlace = takeApart(Copy.From ? Copy.From : Copy.To, Context);
    const bool Same = sameArray(ToPlace.Base, FromPlace.Base);
    const bool OfRows = !ToPlace.Added.empty() || !FromPlace.Added.empty() || isForRows(Copy);
    if (OfRows) {
      followVariables(ToPlace);
      followVariables(FromPlace);
    }
    const DistributedArray* To = copiedArray(S, ToPlace.Base, Copy.fills() ? Filled : Target);
    const DistributedArray* From = To && Copy.From ? copiedArray(S, FromPlace.Base, Source) : To;
    if (!From || !checkAlike(S, *To, *From))
      return;
    S.Copied = {elementSize(*To).getQuantity(), std::min(elementAlignment(*To), elementAlignment(*From)).getQuantity(), {}, {}};
    AxisAccess Rows;
    if (OfRows) {
      std::optional<AxisAccess> Found = inferRows(S, *To, *From, Copy, ToPlace, FromPlace, Same);
      if (!Found)
        return;
      Rows = *Found;
    } else if (!checkBytes(S, *To, Copy)) {
      return;
    }
    S.Accesses.Threads = ThreadMapping::Elements;
    S.Accesses.RowDimension = dimensionsOfTiles() - 1;
    ArrayAccess Access;
    Access.Array = S.Copy->getDirectCallee()->getParamDecl(0);
    Access.Walks = walksOfElements(Shapes.at(To->Pointer).dimensions());
    Access.OfComponents = To->Components != nullptr;
    Access.Writes.emplace();
    S.Accesses.ThreadRowsKnown = Access.WritesFixedElements = !OfRows;
    S.Accesses.Arrays.push_back(Access);
    if (Copy.From) {
      Access.Array = S.Copy->getDirectCallee()->getParamDecl(1);
      Access.Reads = std::exchange(Access.Writes, std::nullopt);
      (*Access.Reads)[S.Accesses.RowDimension] = Rows;
      S.Accesses.Arrays.push_back(Access);
    }
    S.Inferred = true;
  }

  // --- Copies and fills of rows.

  static constexpr std::int64_t MostCopiedRows = 8; // which a rank goes through for each call

  /// With what a pointer that the region declares begins with, if nothing moves it. Others may have been swapped in between; the region
  /// looks where rows lie when it comes to the call.
  void followVariables(OffsetPointer& Place) const {
    constexpr unsigned MostVariables = 4;
    for (unsigned I = 0; I != MostVariables; ++I) {
      const auto* Ref = dyn_cast<DeclRefExpr>(Place.Base);
      const auto* V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
      if (!V || !R.declares(V) || !V->hasLocalStorage() || !V->getType()->isPointerType() || !V->getInit() || ChangedInFunction.changes(V))
        return;
      OffsetPointer Begin = takeApart(V->getInit(), Context);
      Place.Base = Begin.Base;
      llvm::append_range(Place.Added, Begin.Added);
    }
  }

  /// None: it is not known, or not the same throughout the call.
  std::optional<Polynomial> bytesOf(const Expr* E) {
    std::optional<Polynomial> P = AtOnce.polynomial(E);
    return P ? AtOnce.withInitialValues(std::move(*P)) : P;
  }

  std::optional<Polynomial> bytesBefore(const OffsetPointer& Place) {
    Polynomial Sum;
    for (const OffsetPointer::Step& Step : Place.Added) {
      std::optional<Polynomial> Count = bytesOf(Step.Count);
      if (!Count)
        return std::nullopt;
      Sum = Sum + *Count * Polynomial(Step.Bytes);
    }
    return Sum;
  }

  Polynomial rowBytes(const DistributedArray& A) {
    Polynomial Bytes(elementSize(A).getQuantity());
    for (const Expr* Extent : llvm::drop_begin(A.Shape))
      Bytes = Bytes * *AtOnce.extent(Extent); // the array has a shape
    return Bytes;
  }

  /// As many rows as there are in so many bytes, if that is a small number.
  static std::optional<std::int64_t> rowsIn(const Polynomial& Bytes, const Polynomial& RowBytes) {
    auto [Rows, Rest] = Bytes.divided(RowBytes);
    std::optional<std::int64_t> Number = Rest == Polynomial() ? Rows.constant() : std::nullopt;
    return Number && *Number > 0 && *Number <= MostCopiedRows ? Number : std::nullopt;
  }

  /// Whether a call whose pointers are variables is not for all rows.
  bool isForRows(const ArrayCopy& Copy) {
    OffsetPointer To = takeApart(Copy.To, Context);
    followVariables(To);
    std::optional<Candidates> Possible = candidates(To.Base, {});
    if (!Possible || Possible->empty())
      return false;
    const DistributedArray& A = *Possible->front();
    const Polynomial Row = rowBytes(A), Size(elementSize(A).getQuantity()); // first: extents say what a pitch is
    std::optional<Polynomial> Given = bytesOf(Copy.Bytes);
    if (!Given)
      return false;
    Polynomial Whole = Row * *AtOnce.extent(A.Shape.front());
    if (A.Components)
      Whole = Whole * *AtOnce.extent(A.Components);
    return (rowsIn(*Given, Row) && !(*Given == Whole)) ||
           (Size.constant() != 1 && rowsIn(*Given * Size, Row) && !(*Given * Size == Whole));
  }

  /// Which rows of the source, in \p B, are read for one of the target, in \p A, of the same shape. \p Same: both are of one array for certain. None after an error.
  std::optional<AxisAccess> inferRows(Stage& S, const DistributedArray& A, const DistributedArray& B, const ArrayCopy& Copy,
                                      const OffsetPointer& To, const OffsetPointer& From, bool Same) {
    const Polynomial Row = rowBytes(A), Size(elementSize(A).getQuantity());
    std::optional<Polynomial> Given = bytesOf(Copy.Bytes);
    S.Copied.Rows = Given ? rowsIn(*Given, Row) : std::nullopt;
    if (!S.Copied.Rows) {
      constexpr unsigned Elements = 1, NoRows = 2;
      const bool AreElements = Given && Size.constant() != 1 && rowsIn(*Given * Size, Row);
      U.Diags->report(Copy.Bytes->getExprLoc(), Diag::err_copied_bytes)
          << S.name() << Copy.fills() << A.Pointer.name() << (AreElements ? Elements : NoRows) << std::to_string(MostCopiedRows) << ""
          << Copy.Bytes->getSourceRange();
      return std::nullopt;
    }
    std::optional<Polynomial> Target, Source;
    if (!findRow(S, A, Copy.To, To, Copy.fills() ? Filled : CopiedAs::Target, Target) ||
        (Copy.From && !findRow(S, B, Copy.From, From, CopiedAs::Source, Source)))
      return std::nullopt;
    AxisAccess Read;
    if (Copy.fills())
      return Read;
    Read.Whole = true;
    if (!Target || !Source)
      return Read;
    const Polynomial Rows = *AtOnce.extent(A.Shape.front()), Distance = *Source - *Target;
    auto Within = [&](const Polynomial& P) -> std::optional<std::int64_t> {
      std::optional<std::int64_t> Number = P.constant();
      constexpr std::int64_t Most = 1 << 16; // a process would have to have as many
      return Number && *Number >= -Most && *Number <= Most && !P.overflowed() ? Number : std::nullopt;
    };
    // In an array of constant length a row by its number may be nearer over the end.
    const std::int64_t Half = Rows.constant().value_or(INT64_MAX) / 2;
    if (std::optional<std::int64_t> Near = Within(Distance); Near && *Near >= -Half && *Near <= Half) {
      if (*Near > -*S.Copied.Rows && *Near < *S.Copied.Rows && Same) {
        reportPart(S, Copy.From, CopiedAs::Source, Overlap);
        return std::nullopt;
      }
      S.Copied.Distance = Near;
      return AxisAccess{false, *Near, *Near};
    }
    for (const Polynomial& Turned : {Distance - Rows, Distance + Rows})
      if (std::optional<std::int64_t> Near = Within(Turned); Near && *Near >= -Half && *Near <= Half) {
        S.Copied.Distance = Near;
        return AxisAccess{false, std::min<std::int64_t>(*Near, 0), std::max<std::int64_t>(*Near, 0), /*Periodic=*/true};
      }
    return Read;
  }

  /// The row that an argument leads to, as far as that is known. False after an error.
  bool findRow(const Stage& S, const DistributedArray& A, const Expr* Pointer, const OffsetPointer& Place, CopiedAs As,
               std::optional<Polynomial>& Row) {
    std::optional<Polynomial> Bytes = bytesBefore(Place);
    if (!Bytes)
      return true;
    auto [Found, Rest] = Bytes->divided(rowBytes(A));
    if (!(Rest == Polynomial())) {
      reportPart(S, Pointer, As, InRow, A.Pointer.name());
      return false;
    }
    Row = Found;
    if (A.Components) {
      // What is left is a row of the component; of the last ones, the rows that it is before the next component.
      const Polynomial Rows = *AtOnce.extent(A.Shape.front());
      Row = Found.divided(Rows).second;
      if (std::optional<std::int64_t> Number = Row->constant(); Number && *Number < 0)
        *Row = *Row + Rows;
    }
    return true;
  }

  static bool sameArray(const Expr* A, const Expr* B) {
    PointerVariable One = pointerVariable(A), Other = pointerVariable(B);
    return One && One == Other;
  }

  /// Of a grid of tiles whose slowest dimension walks the rows of all arrays, as mostly in launches, so that tiles are as theirs.
  size_t dimensionsOfTiles() const {
    size_t OfLaunches = 0, OfArrays = 1;
    for (const Stage& S : R.Stages)
      if (S.Launch && S.Inferred)
        OfLaunches = std::max<size_t>(OfLaunches, S.Accesses.RowDimension + 1);
    for (const auto& [Array, Shape] : Shapes)
      OfArrays = std::max(OfArrays, Shape.dimensions());
    return OfLaunches ? OfLaunches : std::min(OfArrays, MostGridDimensions);
  }

  std::vector<std::optional<unsigned>> walksOfElements(size_t Dimensions) const {
    std::vector<std::optional<unsigned>> Walks(Dimensions);
    Walks[0] = dimensionsOfTiles() - 1;
    size_t First = std::min(Dimensions, dimensionsOfTiles()) - 1;
    for (size_t D = 1; D <= First; ++D)
      Walks[D] = First - D;
    return Walks;
  }

  /// One of the arrays that a copy may be passed; null after an error.
  const DistributedArray* copiedArray(const Stage& S, const Expr* E, CopiedAs As) {
    std::optional<Candidates> Possible = candidates(E, {});
    if (!Possible || Possible->empty()) {
      const DistributedArray* Mentioned = Possible ? nullptr : mentionedArray(E);
      reportPart(S, E, As, Mentioned ? Part : NotDistributed, Mentioned ? Mentioned->Pointer.name() : "");
      if (!Mentioned && As != Filled)
        U.Diags->report(E->getBeginLoc(), Diag::note_host_memory);
      return nullptr;
    }
    for (const DistributedArray* A : *Possible)
      if (!checkAlike(S, *Possible->front(), *A))
        return nullptr;
    return Possible->front();
  }

  /// Whether both have the same extents and size of elements.
  bool checkAlike(const Stage& S, const DistributedArray& A, const DistributedArray& B) {
    bool SameShape = Shapes.at(A.Pointer) == Shapes.at(B.Pointer);
    if (SameShape && elementSize(A) == elementSize(B))
      return true;
    U.Diags->report(S.location(), Diag::err_copied_shapes) << S.name() << A.Pointer.name() << B.Pointer.name() << SameShape;
    return false;
  }

  /// Of rows that it points to, `float (*pointer)[nx]`, those.
  QualType element(const DistributedArray& A) const { return Context.getBaseElementType(A.Pointer.type().getNonReferenceType()->getPointeeType()); }
  CharUnits elementSize(const DistributedArray& A) const { return Context.getTypeSizeInChars(element(A)); }
  CharUnits elementAlignment(const DistributedArray& A) const { return Context.getTypeAlignInChars(element(A)); }

  /// Rejects a number of bytes that cannot be the array's; the region compares others when it comes to the copy.
  bool checkBytes(const Stage& S, const DistributedArray& A, const ArrayCopy& Copy) {
    std::optional<Polynomial> Given = Host.polynomial(Copy.Bytes);
    if (!Given)
      return true;
    Polynomial Size(elementSize(A).getQuantity()), Whole = Size;
    const ArrayShape& Shape = Shapes.at(A.Pointer);
    Whole = Whole * Shape.elements() * Shape.Components.value_or(1);
    bool Elements = Size.constant() != 1 && *Given * Size == Whole;
    if (!Elements && (*Given == Whole || !Given->constant() || !Whole.constant()))
      return true;
    U.Diags->report(Copy.Bytes->getExprLoc(), Diag::err_copied_bytes)
        << S.name() << Copy.fills() << A.Pointer.name() << (Elements ? 1 : 0) << (Elements ? "" : std::to_string(*Given->constant()))
        << (Elements ? "" : std::to_string(*Whole.constant())) << Copy.Bytes->getSourceRange();
    return false;
  }

  // --- Launches in one dimension.

  static constexpr size_t MostGridDimensions = 3;

  /// Whether what the kernel and its functions name of y and z is 0 or 1.
  static bool isLaunchedInOneDimension(const LaunchFacts& Launch) {
    return Launch.BlockSize[1] == 1 && Launch.BlockSize[2] == 1 && Launch.GridSize[1] == 1 && Launch.GridSize[2] == 1;
  }

  /// Whether the kernel may number its threads as elements of the arrays lie in memory.
  static bool mayBeInOneDimension(const Stage& S, ArrayRef<DistributedParameter> Arrays,
                                  const LaunchFacts& Launch) {
    return !Launch.RowDimension && (isInOneDimension(S.Kernel) || isLaunchedInOneDimension(Launch)) && !Arrays.empty() &&
           llvm::any_of(Arrays, [](const DistributedParameter& A) { return A.Shape.dimensions() > 1; }) &&
           llvm::all_of(Arrays, [](const DistributedParameter& A) { return A.Shape.dimensions() <= MostGridDimensions; });
  }

  /// A launch for rows from a number on that the kernel is passed: by tiles of all rows, for what threads do by themselves.
  std::optional<KernelAccesses> inPartOfRows(const Stage& S, ArrayRef<DistributedParameter> Arrays, LaunchFacts Launch, const KernelForm& Seen) {
    if (!Seen.Origin || findCooperation(S.Kernel) || !isEffectFree(S.argumentOf(*Seen.Origin), U.sources()))
      return std::nullopt;
    Launch.Threads = ThreadMapping::Coordinates;
    Launch.Origin = Seen.Origin;
    Launch.MostThreads[Seen.Origin->Dimension] = std::nullopt;
    Launch.GridSize[Seen.Origin->Dimension] = std::nullopt;
    Trial Silent(U);
    std::optional<KernelAccesses> Found = analyze(S, Arrays, Launch, Silent.diagnostics());
    if (!Found || rowsBeyond(*Found) == INT64_MAX)
      return std::nullopt;
    return Silent.warned() ? analyze(S, Arrays, Launch, *U.Diags) : Found;
  }

  /// None, without a word, if the launch is not understood; of one that is, warnings are reported.
  std::optional<KernelAccesses> analyzeIfUnderstood(const Stage& S, ArrayRef<DistributedParameter> Arrays, const LaunchFacts& Launch,
                                                    KernelForm& Seen) {
    Trial Silent(U);
    std::optional<KernelAccesses> Found = analyze(S, Arrays, Launch, Silent.diagnostics(), &Seen);
    if (std::optional<KernelAccesses> InPart = inPartOfRows(S, Arrays, Launch, Seen))
      return InPart;
    if ((!Found || Silent.warned()) && !mayBeInOneDimension(S, Arrays, Launch))
      if (std::optional<KernelAccesses> InRows =
              inRowsOfBlocks(S, Arrays, Launch, /*MayGuess=*/!Found))
        return InRows;
    return Found && Silent.warned() ? analyze(S, Arrays, Launch, *U.Diags) : Found;
  }

  /// Where a row has as many elements as a block has threads, by constants, its begin looks like
  /// that of a block: `u[blockIdx.x * NX + threadIdx.x]`. Of a launch that is not understood so, or
  /// by a guess, of which a warning speaks: with blocks that begin as far apart as coordinates say
  /// that are found without it.
  std::optional<KernelAccesses> inRowsOfBlocks(const Stage& S,
                                               ArrayRef<DistributedParameter> Arrays,
                                               const LaunchFacts& Launch, bool MayGuess) {
    if (Launch.Threads != ThreadMapping::Blocks || overlap(Launch.Pitch) ||
        !threadsIn(Launch.BlockSize))
      return std::nullopt;
    LaunchFacts Apart = Launch, InRows = Launch;
    Apart.JoinsBlocks = false;
    KernelForm Seen;
    Trial OfApart(U);
    std::optional<KernelAccesses> FoundApart =
        analyze(S, Arrays, Apart, OfApart.diagnostics(), &Seen);
    for (unsigned D = 0; D < 3; ++D)
      if (Seen.Pitch[D] != Launch.BlockSize[D])
        InRows.Pitch[D] = Seen.Pitch[D];
    auto Take = [&](const LaunchFacts& Facts, std::optional<KernelAccesses> Found, bool Warned) {
      if (Warned)
        Found = Found && MayGuess ? analyze(S, Arrays, Facts, *U.Diags) : std::nullopt;
      return Found;
    };
    if (overlap(InRows.Pitch)) {
      Trial OfRows(U);
      std::optional<KernelAccesses> Found = analyze(S, Arrays, InRows, OfRows.diagnostics());
      if (Found = Take(InRows, std::move(Found), OfRows.warned()); Found)
        return Found;
    }
    return Take(Apart, std::move(FoundApart), OfApart.warned());
  }

  /// A kernel that names one dimension may walk rows with it, or elements. Reports what is wrong with it
  /// as the one that it seems to be.
  std::optional<KernelAccesses> analyzeInEither(const Stage& S, ArrayRef<DistributedParameter> Arrays,
                                                const LaunchFacts& Launch) {
    KernelForm Seen;
    if (std::optional<KernelAccesses> Found = analyzeIfUnderstood(S, Arrays, Launch, Seen))
      return orForFixedRows(S, Arrays, Launch, std::move(*Found));
    // A block for each row: `u[blockIdx.x * nx + i]`.
    KernelForm SeenInRows;
    if (const LaunchFacts InRows = withPitch(S, Arrays, Launch); InRows.Pitch[0])
      if (std::optional<KernelAccesses> Found = analyzeIfUnderstood(S, Arrays, InRows, SeenInRows))
        return Found;
    std::optional<ThreadCooperation> Together = findCooperation(S.Kernel);
    // The same where a row has as many elements as the block has threads, both by constants: its
    // begin looks like the block's.
    if (LaunchFacts OfRows = Launch; Together && threadsIn(Launch.BlockSize)) {
      OfRows.Pitch[0] = 1;
      if (std::optional<KernelAccesses> Found = analyzeIfUnderstood(S, Arrays, OfRows, SeenInRows))
        return Found;
    }
    LaunchFacts ByElements = Launch;
    ByElements.Threads = ThreadMapping::OneDimension;
    for (unsigned I = 0; I != S.Kernel->getNumParams() && I != S.Arguments.size(); ++I)
      addCount(S.Kernel->getParamDecl(I), S.Arguments[I], Arrays, ByElements.Arguments);
    KernelForm OfElements;
    if (std::optional<KernelAccesses> Found = analyze(S, Arrays, ByElements, Trial(U).diagnostics(), &OfElements)) {
      if (Together && (!OfElements.Stores || storesFirst(S.Kernel, *Found)) && !findHiddenCooperation(S.Kernel))
        return inPartialBlocks(S, Arrays, ByElements, std::move(*Found));
      if (!Together) {
        if (writesElsewhere(*Found) && storesFixedRows(S, Arrays, Launch))
          return analyzeFixedRows(S, Arrays, inFixedRows(Arrays, Launch));
        // With sizes that are numbers, fixed rows look like rows at the ends of what threads write, too.
        if (writesEnds(*Found) && storesFixedRows(S, Arrays, Launch)) {
          KernelForm SeenInFixedRows;
          if (std::optional<KernelAccesses> InFixedRows = analyzeIfUnderstood(S, Arrays, inFixedRows(Arrays, Launch), SeenInFixedRows))
            return InFixedRows;
        }
        return orForFixedRows(S, Arrays, Launch, std::move(*Found));
      }
    }
    if (const std::optional<LaunchFacts> ByRows = storesByRows(S, Arrays, Launch, Seen))
      return analyzeFixedRows(S, Arrays, *ByRows);
    if (!Seen.SeesOneRow)
      return analyze(S, Arrays, Launch, *U.Diags);
    std::optional<ThreadCooperation> Hidden = findHiddenCooperation(S.Kernel);
    if (!Hidden && !(Together && OfElements.Stores)) {
      std::optional<KernelAccesses> Found = analyze(S, Arrays, ByElements, *U.Diags);
      noteUnboundColumn(S, Arrays, Launch);
      return Found;
    }
    reportTogether(S, Arrays, OfElements.Stores ? *Together : *Hidden);
    return std::nullopt;
  }

  /// Whether threads store into arrays, each one element, before they work together, so that it does not depend on the others.
  bool storesFirst(const FunctionDecl* Kernel, const KernelAccesses& Found) const {
    const auto* Body = dyn_cast<CompoundStmt>(Kernel->getBody());
    if (!Body || Found.Reductions.empty() || Found.ColumnsPerThread[0] != 1)
      return false;
    bool Together = false;
    for (const Stmt* S : Body->body()) {
      const References Named(S);
      Together |= exchangesValues(Kernel, S);
      if (Together && llvm::any_of(Found.Arrays, [&](const ArrayAccess& A) { return A.Writes && Named.mention(A.Array.Variable); }))
        return false;
    }
    return true;
  }

  /// A kernel whose threads work together on the way to reduced scalars only.
  std::optional<KernelAccesses> inPartialBlocks(const Stage& S, ArrayRef<DistributedParameter> Arrays, LaunchFacts Launch, KernelAccesses Found) {
    if (Found.ColumnsPerThread[0] != 1) {
      Launch.Threads = ThreadMapping::PartialBlocks; // whose threads have an element each
      return analyze(S, Arrays, Launch, *U.Diags);
    }
    if (!S.Collected.empty()) {
      U.Diags->report(S.Launch->getBeginLoc(), Diag::err_collected_in_parts) << S.Kernel->getName() << S.Collected.front()->getName();
      return std::nullopt;
    }
    auto Understood = understandPartialBlocks(S.Kernel, Found.Reductions, Found.RowsStrided, Found.GridIndices, Context);
    if (const auto* Wrong = std::get_if<RejectedPartialBlocks>(&Understood)) {
      reportPartialBlocks(S, Arrays.front().Array.name(), *Wrong);
      return std::nullopt;
    }
    Found.Threads = ThreadMapping::PartialBlocks;
    Found.ThreadRowsKnown = false; // nothing is run for other rows
    Found.Partial = std::get<PartialBlocks>(std::move(Understood));
    return Found;
  }

  void reportPartialBlocks(const Stage& S, const std::string& Array, const RejectedPartialBlocks& Wrong) {
    U.Diags->report(Wrong.Where, Diag::err_partial_blocks) << S.Kernel->getName() << Array << static_cast<unsigned>(Wrong.Why) << Wrong.Name;
    U.Diags->report(S.Launch->getBeginLoc(), Diag::note_launch_here);
  }

  void reportTogether(const Stage& S, ArrayRef<DistributedParameter> Arrays, const ThreadCooperation& Together) {
    U.Diags->report(Together.Loc, Diag::err_threads_together)
        << S.Kernel->getName() << Arrays.front().Array.name() << Together.How << Together.Name;
    U.Diags->report(S.Launch->getBeginLoc(), Diag::note_launch_here);
    if (Together.How < ThreadCooperation::Assembly)
      U.Diags->report(Together.Loc, Diag::note_each_thread);
  }

  // --- Kernels for fixed rows.

  std::optional<KernelAccesses> analyzeInBlocks(const Stage& S, ArrayRef<DistributedParameter> Arrays, const LaunchFacts& Launch) {
    if (mayBeForFixedRows(Arrays, Launch)) {
      KernelForm Seen;
      if (std::optional<KernelAccesses> Found = analyzeIfUnderstood(S, Arrays, Launch, Seen)) {
        const std::optional<LaunchFacts> Walking = writesElsewhere(*Found) && rowsBeyond(*Found) == INT64_MAX ? byFewThreads(S, Arrays, Launch) : std::nullopt;
        return Walking ? analyzeFixedRows(S, Arrays, *Walking) : orForFixedRows(S, Arrays, Launch, std::move(*Found));
      }
      if (const std::optional<LaunchFacts> ByRows = storesByRows(S, Arrays, Launch, Seen))
        return analyzeFixedRows(S, Arrays, *ByRows);
    }
    KernelForm Seen;
    if (std::optional<KernelAccesses> Found = analyzeIfUnderstood(S, Arrays, Launch, Seen))
      return Found;
    std::optional<KernelAccesses> Found = analyze(S, Arrays, withPitch(S, Arrays, Launch), *U.Diags);
    if (!Found)
      noteUnboundColumn(S, Arrays, Launch);
    return Found;
  }

  /// Of a launch that is not understood since its blocks do not begin their size apart: with what they begin apart.
  LaunchFacts withPitch(const Stage& S, ArrayRef<DistributedParameter> Arrays, LaunchFacts Launch) {
    KernelForm Seen;
    if (threadsIn(Launch.BlockSize) && !analyze(S, Arrays, Launch, Trial(U).diagnostics(), &Seen))
      Launch.Pitch = Seen.Pitch;
    return Launch;
  }

  /// Whether tiles may have a dimension for the rows where the kernel has none, or uses one thread of it.
  static bool mayBeForFixedRows(ArrayRef<DistributedParameter> Arrays, const LaunchFacts& Launch) {
    if (Launch.RowDimension || Arrays.empty())
      return false;
    size_t Dimensions = Arrays.front().Shape.dimensions();
    return Dimensions <= 3 && llvm::all_of(Arrays, [&](const DistributedParameter& A) { return A.Shape.dimensions() == Dimensions; });
  }

  /// Rows that are some way from those of the threads that write them: of constants, rather far.
  static bool writesElsewhere(const KernelAccesses& Found) {
    return llvm::any_of(Found.Arrays, [&](const ArrayAccess& A) { return A.Writes && !(*A.Writes)[Found.RowDimension].isOwn(); });
  }

  static bool writesEnds(const KernelAccesses& Found) {
    return llvm::any_of(Found.Arrays, [](const ArrayAccess& A) { return A.EndRows.some(); });
  }

  static LaunchFacts inFixedRows(ArrayRef<DistributedParameter> Arrays, LaunchFacts Launch, bool Searches = false) {
    Launch.Threads = ThreadMapping::FixedRows;
    Launch.SearchesRows = Searches;
    Launch.RowDimension = static_cast<unsigned>(Arrays.front().Shape.dimensions()) - 1;
    return Launch;
  }

  bool storesFixedRows(const Stage& S, ArrayRef<DistributedParameter> Arrays, const LaunchFacts& Launch) {
    return formInFixedRows(S, Arrays, Launch).StoresFixedRows;
  }

  KernelForm formInFixedRows(const Stage& S, ArrayRef<DistributedParameter> Arrays, const LaunchFacts& Launch) {
    KernelForm Seen;
    if (mayBeForFixedRows(Arrays, Launch))
      analyze(S, Arrays, inFixedRows(Arrays, Launch), Trial(U).diagnostics(), &Seen);
    return Seen;
  }

  /// What a launch that is not understood may lack to be one for fixed rows.
  void noteUnboundColumn(const Stage& S, ArrayRef<DistributedParameter> Arrays, const LaunchFacts& Launch) {
    if (const Expr* Column = formInFixedRows(S, Arrays, Launch).UnboundColumn)
      U.Diags->report(Column->getExprLoc(), Diag::note_unbound_column) << Column->getSourceRange();
  }

  /// The same, unless its user should rather hear what is wrong with a loop over the rows that the kernel is \p Seen to have, or with the
  /// dimension that would walk them.
  bool mayStoreFixedRows(const Stage& S, ArrayRef<DistributedParameter> Arrays, const LaunchFacts& Launch, const KernelForm& Seen) {
    return storesFixedRows(S, Arrays, Launch) &&
           ((!Seen.LoopsOverRows && dimensionsNamed(S.Kernel) < Arrays.front().Shape.dimensions()) ||
            analyze(S, Arrays, inFixedRows(Arrays, Launch), Trial(U).diagnostics()));
  }

  /// A launch of a few threads along the rows' dimension, all of which each thread of a tile can go through; none: it is no such launch.
  std::optional<LaunchFacts> byFewThreads(const Stage& S, ArrayRef<DistributedParameter> Arrays, const LaunchFacts& Launch) {
    LaunchFacts Walking = inFixedRows(Arrays, Launch);
    Walking.WalksThreads = FixedRowAnalysis::threadsBeyond(Walking).has_value();
    KernelForm Seen; // whose rows are few
    const bool Takes = Walking.WalksThreads && !findCooperation(S.Kernel) && analyze(S, Arrays, Walking, Trial(U).diagnostics(), &Seen);
    return Takes && Seen.StoresFixedRows ? std::optional(std::move(Walking)) : std::nullopt;
  }

  /// As what a launch of a kernel for fixed rows is to be looked at, or of one that seems to be meant as such; none: it is something else.
  std::optional<LaunchFacts> storesByRows(const Stage& S, ArrayRef<DistributedParameter> Arrays, const LaunchFacts& Launch, const KernelForm& Seen) {
    if (!mayBeForFixedRows(Arrays, Launch))
      return std::nullopt;
    const bool IsFixed = mayStoreFixedRows(S, Arrays, Launch, Seen);
    const LaunchFacts InRows = inFixedRows(Arrays, Launch), Searching = inFixedRows(Arrays, Launch, /*Searches=*/true);
    if (IsFixed && analyze(S, Arrays, InRows, Trial(U).diagnostics()))
      return InRows;
    KernelForm Searched;
    const bool Understood = analyze(S, Arrays, Searching, Trial(U).diagnostics(), &Searched).has_value();
    if (Searched.StoresListed ? Understood || !IsFixed : Searched.StoresFewPlaces && Understood && !findCooperation(S.Kernel))
      return Searching;
    if (const std::optional<LaunchFacts> Walking = byFewThreads(S, Arrays, Launch))
      return Walking;
    return IsFixed ? std::optional(InRows) : std::nullopt;
  }

  /// How many rows beyond its own a launch reads.
  static std::int64_t rowsBeyond(const KernelAccesses& Found) {
    std::int64_t Most = 0;
    for (const ArrayAccess& A : Found.Arrays)
      if (A.Reads) {
        const AxisAccess& Rows = (*A.Reads)[Found.RowDimension];
        Most = Rows.Whole ? INT64_MAX : std::max({Most, -Rows.Low, Rows.High});
      }
    return Most;
  }

  /// What is found of a launch; but if it only stores into arrays that are collected, and reads rows away from its own, these say where it
  /// is run.
  std::optional<KernelAccesses> orForFixedRows(const Stage& S, ArrayRef<DistributedParameter> Arrays, const LaunchFacts& Launch,
                                               KernelAccesses Found) {
    // Where a clause states how far launches read, their subscripts may still say another thing.
    const bool Stated = llvm::any_of(Arrays, [](const DistributedParameter& A) { return A.Halo.has_value(); });
    if (S.Collected.empty() || (rowsBeyond(Found) == 0 && !Stated) || !storesFixedRows(S, Arrays, Launch) || findCooperation(S.Kernel))
      return Found;
    KernelForm Seen;
    std::optional<KernelAccesses> InRows = analyzeIfUnderstood(S, Arrays, inFixedRows(Arrays, Launch), Seen);
    return InRows && (Stated || rowsBeyond(*InRows) < rowsBeyond(Found)) ? InRows : Found;
  }

  /// \p InRows: as inFixedRows makes it.
  std::optional<KernelAccesses> analyzeFixedRows(const Stage& S, ArrayRef<DistributedParameter> Arrays, const LaunchFacts& InRows) {
    if (std::optional<ThreadCooperation> Together = findCooperation(S.Kernel)) {
      reportTogether(S, Arrays, *Together);
      return std::nullopt;
    }
    return analyze(S, Arrays, InRows, *U.Diags);
  }

  /// `int n = nx * ny;` that nothing changes is as many elements, where the kernel is passed n.
  void addCount(const ParmVarDecl* Parameter, const Expr* Argument, ArrayRef<DistributedParameter> Arrays,
                KnownArguments& Known) {
    auto It = Known.find({Parameter, nullptr});
    if (It == Known.end())
      return;
    std::optional<Polynomial> Initial = Host.initialValue(Argument);
    for (const DistributedParameter& A : Arrays) {
      Polynomial Elements = A.Shape.elements();
      if (Initial && *Initial == Elements)
        It->second = Elements;
    }
  }

  /// Whether an array that a kernel writes row after row is not the same as another one, of which it reads other rows.
  bool checkApart(const Stage& S) {
    for (const ArrayAccess& Written : S.Accesses.Arrays)
      for (const ArrayAccess& Read : S.Accesses.Arrays) {
        if (&Read == &Written || !readsRowsOf(S.Accesses, Written, Read))
          continue;
        PointerVariable One = passedFor(S, Written.Array).Pointer, Other = passedFor(S, Read.Array).Pointer;
        if (!One || !(One == Other))
          continue;
        U.Diags->report(S.Launch->getBeginLoc(), Diag::err_row_loop)
            << static_cast<unsigned>(RowLoopProblem::OtherRows) << Read.Array.name();
        return false;
      }
    return true;
  }

  static bool isArrayOfPointers(QualType Type) {
    if (!Type->isArrayType())
      return false;
    QualType Element(Type->getBaseElementTypeUnsafe(), 0);
    return Element->isPointerType() || holdsPointer(Element);
  }

  static bool holdsPointer(QualType Type) {
    const auto* Record = Type.getNonReferenceType()->getAsCXXRecordDecl();
    if (!Record || !Record->hasDefinition())
      return false;
    return llvm::any_of(Record->fields(),
                        [](const FieldDecl* F) {
                          return F->getType()->isPointerType() || holdsPointer(F->getType()) ||
                                 isArrayOfPointers(F->getType());
                        }) ||
           llvm::any_of(Record->bases(),
                        [](const CXXBaseSpecifier& Base) { return holdsPointer(Base.getType()); });
  }

  /// Of a virtual base class, or of one of which the class has several.
  static bool holdsPointerElsewhere(const CXXRecordDecl& Class) {
    std::vector<const FieldDecl*> All = allFields(&Class);
    llvm::sort(All);
    return Class.getNumVBases() != 0 || std::adjacent_find(All.begin(), All.end()) != All.end();
  }

  enum StructureProblem { InArray, InUnion, InBase, NotPublic };

  /// The arrays that a structure leads to, as far as the kernel may touch them. False after an error.
  bool addStructure(const Stage& S, const PointerVariable& Structure, const Expr* Argument, const KernelMembers& Members,
                    std::vector<DistributedParameter>& Arrays) {
    const CXXRecordDecl* Class = Structure.type().getNonReferenceType()->getAsCXXRecordDecl();
    std::optional<StructureProblem> Wrong;
    if (Class->isUnion())
      Wrong = InUnion;
    if (holdsPointerElsewhere(*Class))
      Wrong = InBase;
    for (const FieldDecl* Field : allFields(Class)) {
      QualType Type = Field->getType();
      if ((!Type->isPointerType() && !holdsPointer(Type) && !isArrayOfPointers(Type)) || !Members.mayTouch(Field))
        continue;
      if (isArrayOfPointers(Type))
        Wrong = InArray;
      else if (Class->isLambda())
        Wrong = NotPublic; // compilers need not put captures in the same places
      if (Wrong)
        break;
      PointerVariable Member = Structure;
      Member.Members.push_back(Field);
      if (!(Type->isPointerType() ? addArray(S, Member, Arrays)
                                  : addStructure(S, Member, Argument, Members, Arrays)))
        return false;
    }
    if (!Wrong)
      return true;
    U.Diags->report(Argument->getExprLoc(), Diag::err_structure_not_understood)
        << S.Kernel->getName() << (Class->isLambda() ? "lambda" : Class->getName()) << *Wrong << Argument->getSourceRange();
    return false;
  }

  void addValue(const ParmVarDecl* Parameter, const Expr* Argument, LaunchFacts& Launch) {
    QualType Type = Parameter->getType();
    if (Type->isIntegralOrEnumerationType() && !Type->isBooleanType()) {
      if (std::optional<Polynomial> P = Host.polynomial(Argument))
        Launch.Arguments.emplace(std::pair(Parameter, nullptr), std::move(*P));
    } else {
      addMembers({Parameter}, Parameter, Argument, Launch);
    }
  }

  /// The numbers in a structure that a launch is passed. \p As: the variable that stands for it.
  void addMembers(const PointerVariable& Structure, const VarDecl* As, const Expr* Argument, LaunchFacts& Launch) {
    for (const PointerVariable& Member : Structure.members()) {
      const FieldDecl* Field = Member.Members.back();
      if (Field->getType()->isIntegralOrEnumerationType() && !Field->getType()->isBooleanType()) {
        if (std::optional<Polynomial> P = Host.member(Argument, Member.Members))
          Launch.Arguments.emplace(std::pair(As, Field), std::move(*P));
      } else if (Field->getType()->isRecordType()) {
        const VarDecl* Inner = Inside.variable(Member, Structure.Variable->getDeclContext());
        Launch.Inner.emplace(Member, Inner);
        addMembers(Member, Inner, Argument, Launch);
      }
    }
  }

  using Candidates = std::vector<const DistributedArray*>;

  /// All arrays that a pointer of this type can be.
  Candidates anyOf(QualType Pointer) const {
    Candidates All;
    for (const DistributedArray& A : R.Arrays)
      if (Context.hasSameUnqualifiedType(element(A), Context.getBaseElementType(Pointer->getPointeeType())))
        All.push_back(&A);
    return All;
  }

  /// Whether a pointer in a structure that is declared before the region begins as an array: `View now(u, ny, nx);`. One by itself is another
  /// name of it, by which kernels may read a table.
  bool beginsAsArray(const PointerVariable& Pointer) const {
    const VarDecl* V = Pointer.Variable;
    if (Pointer.Members.empty() || !V->hasLocalStorage() || isa<ParmVarDecl>(V) || !V->getInit() || !Pointer.Subscripts.empty())
      return false;
    const PointerVariable From = passedFor(V->getInit(), Pointer.Members).Element;
    return From && llvm::any_of(R.Arrays, [&](const DistributedArray& A) { return From.matches(A.Pointer); });
  }

  /// The arrays that a pointer of the host may be; none if it is outside of the region, not
  /// distributed, does not begin as an array, and is not assigned in it. A pointer of the region
  /// itself is a copy of what it is initialised with or assigned, one in a structure of any of
  /// them.
  Candidates candidates(const PointerVariable& Pointer) const {
    if (const DistributedArray* A = R.findArray(Pointer))
      return {A};
    const Candidates All = anyOf(Pointer.type().getNonReferenceType());
    const bool IsOfRegion = R.declares(Pointer.Variable);
    if (IsOfRegion ? !Pointer.Members.empty() : beginsAsArray(Pointer))
      return All;
    Candidates Named;
    llvm::copy_if(All, std::back_inserter(Named), [&](const DistributedArray* A) {
      return Pointer.matches(A->Pointer) || Groups.mayBe(Pointer.Variable, *A);
    });
    return IsOfRegion && Named.empty() ? All : Named;
  }

  /// a, of &a[0], and of a[0] and *a if these are rows; null for other expressions.
  const Expr* pointerToFirst(const Expr* E) const {
    const OffsetPointer Moved = takeApart(E, Context);
    const bool First = llvm::all_of(Moved.Added, [&](const OffsetPointer::Step& Part) {
      std::optional<llvm::APSInt> Count = Part.Count->getIntegerConstantExpr(Context);
      return Count && *Count == 0;
    });
    return First && Moved.Base != E ? Moved.Base : nullptr;
  }

  /// The arrays that the members, or without members the pointer itself, of an argument may be; none
  /// if it is no choice of variables.
  std::optional<Candidates> candidates(const Expr* E, ArrayRef<const FieldDecl*> Members) const {
    const Expr* Plain = E->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
    if (isNullPointer(Plain) || isa<ImplicitValueInitExpr>(Plain))
      return Candidates();
    if (const Expr* Array = pointerToFirst(Plain))
      return candidates(Array, Members);
    if (const auto* Choice = dyn_cast<ConditionalOperator>(Plain)) {
      std::optional<Candidates> All = candidates(Choice->getTrueExpr(), Members),
                                Other = candidates(Choice->getFalseExpr(), Members);
      if (!All || !Other || All->empty() != Other->empty())
        return std::nullopt;
      All->insert(All->end(), Other->begin(), Other->end());
      return All;
    }
    PassedPointer Passed = passedFor(E, Members);
    if (Passed.Element)
      return candidates(Passed.Element);
    if (Passed.Expression && !Members.empty())
      return candidates(Passed.Expression, {});
    // What a function or a constructor has put into a structure.
    if (!Members.empty())
      return anyOf(Members.back()->getType());
    return std::nullopt;
  }

  /// Whether an expression names an array, or all of the structure that it is in.
  class Mention : public DynamicRecursiveASTVisitor {
  public:
    Mention(const Expr* E, const PointerVariable& Array) : Array(Array) { TraverseStmt(const_cast<Expr*>(E)); }
    bool TraverseMemberExpr(MemberExpr* Member) override {
      const PointerVariable Part = anyPointerVariable(Member);
      if (!Part || Part.Variable != Array.Variable)
        return DynamicRecursiveASTVisitor::TraverseMemberExpr(Member);
      Found |= Part.isPartOf(Array) || Array.isPartOf(Part);
      return true;
    }
    bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
      Found |= Ref->getDecl() == Array.Variable;
      return true;
    }
    bool Found = false;

  private:
    const PointerVariable& Array;
  };

  /// An array that an expression names.
  const DistributedArray* mentionedArray(const Expr* E) const {
    auto It = llvm::find_if(R.Arrays, [&](const DistributedArray& A) { return Mention(E, A.Pointer).Found; });
    return It == R.Arrays.end() ? nullptr : &*It;
  }

  /// A pointer variable that an expression names and that may be an array.
  const VarDecl* mentionedCopy(const Expr* E) const {
    for (const VarDecl* V : namedVariables(E)) {
      PointerVariable Whole(V);
      while (std::optional<ArrayElements> Elements = arrayElements(Whole.type()))
        Whole.Subscripts.push_back({0, std::nullopt});
      if (Whole.type().getNonReferenceType()->isPointerType() && !candidates(Whole).empty())
        return V;
    }
    return nullptr;
  }

  static std::string nameInClause(const PointerVariable& Array) {
    const VarDecl* Pointer = pointerToObject(Array.Variable);
    return Pointer ? Pointer->getNameAsString() + "->" + StringRef(Array.memberText()).drop_front().str() : Array.name();
  }

  /// False after an error.
  bool addArray(const Stage& S, const PointerVariable& InKernel,
                std::vector<DistributedParameter>& Arrays) {
    const Expr* Argument =
        S.Arguments[cast<ParmVarDecl>(InKernel.Variable)->getFunctionScopeIndex()];
    std::optional<Candidates> Possible = candidates(Argument, InKernel.Members);
    if (!Possible) {
      const DistributedArray* Mentioned = mentionedArray(Argument);
      const VarDecl* Copy = Mentioned ? nullptr : mentionedCopy(Argument);
      if (!Mentioned && !Copy)
        return true;
      // An element of `float **u`, or of the parameter `float *u[2]`.
      const auto* Subscript = dyn_cast<ArraySubscriptExpr>(Argument->IgnoreParenImpCasts());
      const bool Element = Mentioned && Subscript && Subscript->getType()->isPointerType();
      U.Diags->report(Argument->getExprLoc(), Diag::err_array_argument)
          << (Mentioned ? Mentioned->Pointer.name() : Copy->getNameAsString()) << S.Kernel->getName() << (Element ? 2 : 0)
          << Argument->IgnoreParenImpCasts()->getType().getAsString(Context.getPrintingPolicy()) << Argument->getSourceRange();
      return false;
    }
    if (Possible->empty())
      return true;
    const ArrayShape& Shape = Shapes.at(Possible->front()->Pointer);
    DistributedParameter Array{InKernel, Shape, innermostBytes(element(*Possible->front()), Context), {}};
    for (const DistributedArray* A : *Possible) {
      const auto* Rows = dyn_cast<BinaryOperator>(A->Shape.front()->IgnoreParenImpCasts());
      Array.RowsAreProduct |= Rows && Rows->getOpcode() == BO_Mul;
      Array.NamedByClauses += (Array.NamedByClauses.empty() ? "" : ", ") + nameInClause(A->Pointer);
      if (!(Shapes.at(A->Pointer) == Shape) || innermostBytes(element(*A), Context) != Array.ElementBytes) {
        U.Diags->report(Argument->getExprLoc(), Diag::err_array_argument)
            << A->Pointer.name() << S.Kernel->getName() << 1 << "" << Argument->getSourceRange();
        return false;
      }
      for (const HaloClause& H : R.Halos)
        if (H.Array == A->Pointer)
          Array.Halo = Array.Halo ? deeper(*Array.Halo, stated(H)) : stated(H);
    }
    Arrays.push_back(std::move(Array));
    return true;
  }

  StatedHalo stated(const HaloClause& H) { return {depth(H), Host.polynomial(H.Depth)}; }

  /// Of a pointer that may be any of two arrays.
  static StatedHalo deeper(const StatedHalo& A, const StatedHalo& B) {
    if (A.Depth && B.Depth)
      return *A.Depth < *B.Depth ? B : A;
    return A.Rows && B.Rows && *A.Rows == *B.Rows ? A : StatedHalo{};
  }

  std::optional<std::int64_t> depth(const HaloClause& H) const {
    Expr::EvalResult Known;
    if (H.Depth && !H.Depth->isValueDependent() && H.Depth->EvaluateAsInt(Known, Context))
      return Known.Val.getInt().getExtValue();
    return std::nullopt;
  }

  bool checkHalos(const Stage& S, const KernelAccesses& Found) {
    for (const ExceededHalo& Each : Found.Exceeded)
      U.Diags->report(Each.Where->getExprLoc(), Diag::err_halo_exceeded)
          << Each.Array.name() << std::to_string(Each.Depth) << S.Kernel->getName() << static_cast<unsigned>(Each.Beyond) << std::to_string(Each.Reads)
          << Each.Where->getSourceRange();
    return Found.Exceeded.empty();
  }

  bool checkReductions(const Stage& S, const KernelAccesses& Found) {
    for (const AtomicReduction& A : Found.Reductions) {
      const Expr* Argument = S.Arguments[A.Scalar->getFunctionScopeIndex()]->IgnoreParenCasts();
      // The kernel may ask whether the scalar is there: it is not in a launch without.
      if (reducedScalar(Argument) || isNullPointer(Argument))
        continue;
      const VarDecl* OrNull = reducedScalarOrNull(Argument);
      const VarDecl* Scalar = OrNull ? OrNull : namedVariable(Argument);
      U.Diags->report(A.Where->getExprLoc(), Diag::err_not_reduced)
          << A.Scalar->getName()
          << (A.Op == AtomicReduction::Add   ? "+"
              : A.Op == AtomicReduction::Max ? "max"
                                             : "min")
          << (Scalar ? Scalar->getName() : "scalar") << (OrNull != nullptr) << A.Where->getSourceRange();
      return false;
    }
    return true;
  }

  bool isNullPointer(const Expr* E) const {
    return E->isNullPointerConstant(Context, Expr::NPC_ValueDependentIsNotNull) !=
           Expr::NPCK_NotNull;
  }

  /// e of `e` or `e + 1`, if the region reduces that.
  const VarDecl* reducedScalar(const Expr* E) const {
    const ReducedScalar* Scalar = R.reducedAt(E);
    return Scalar ? Scalar->Pointer : nullptr;
  }
  /// e of `looks ? e : nullptr`.
  const VarDecl* reducedScalarOrNull(const Expr* E) const {
    const auto* Choice = dyn_cast<ConditionalOperator>(E->IgnoreParenCasts());
    if (!Choice || isNullPointer(Choice->getTrueExpr()) == isNullPointer(Choice->getFalseExpr()))
      return nullptr;
    return reducedScalar(isNullPointer(Choice->getTrueExpr()) ? Choice->getFalseExpr()
                                                              : Choice->getTrueExpr());
  }

  // --- What processes publish to their neighbours.

  /// A pointer that cannot be followed may be any array.
  bool mayBeSame(const Candidates& Some, const Candidates& Others) const {
    return Some.empty() || Others.empty() || llvm::any_of(Some, [&](const DistributedArray* One) {
             return llvm::any_of(Others, [&](const DistributedArray* Other) { return Groups.same(*One, *Other); });
           });
  }

  /// Calls Visit(Access, Stage) for what launches do with arrays that may be one of these.
  template <typename Visitor>
  void visitAccesses(const Candidates& Arrays, Visitor Visit) const {
    for (const Stage& S : R.Stages)
      for (const ArrayAccess& A : S.Accesses.Arrays)
        if (mayBeSame(Arrays, candidates(S, A)))
          Visit(A, S);
  }

  /// None: any row.
  static std::optional<RowsBeyond> rowsRead(const ArrayAccess& A, const Stage& S) {
    if (!A.Reads)
      return RowsBeyond();
    const AxisAccess& Rows = (*A.Reads)[S.Accesses.RowDimension];
    if (Rows.Whole)
      return std::nullopt;
    return RowsBeyond{std::max<std::int64_t>(-Rows.Low, 0), std::max<std::int64_t>(Rows.High, 0)};
  }

  /// Launches may be repeated, and skipped, so that all that read the array count, also those before.
  void inferPublished(Stage& S) {
    for (ArrayAccess& A : S.Accesses.Arrays) {
      std::optional<RowsBeyond> Most = RowsBeyond();
      bool Changes = false;
      visitAccesses(candidates(S, A), [&](const ArrayAccess& Other, const Stage& Of) {
        Changes |= Other.Writes.has_value();
        std::optional<RowsBeyond> Rows = rowsRead(Other, Of);
        if (Most && Rows)
          Most = {std::max(Most->Before, Rows->Before), std::max(Most->After, Rows->After)};
        else
          Most.reset();
      });
      if (A.Writes)
        A.Published = Most;
      if (Changes)
        A.Received = rowsRead(A, S).value_or(RowsBeyond{1, 1});
    }
  }

  // --- Puts before launches.

  void applyPut(Stage& S, const PublishedArray& Put) {
    const DistributedArray& Array = *R.findArray(Put.Array);
    bool Written = false;
    for (ArrayAccess& A : S.Accesses.Arrays) {
      Candidates Possible = candidates(S, A);
      if (!A.Writes || !llvm::is_contained(Possible, &Array))
        continue;
      Written = true;
      std::int64_t Depth = A.PublishedByHand ? std::max(A.Published->Before, Put.Depth) : Put.Depth;
      A.Published = {Depth, Depth};
      A.PublishedByHand = true;
      if (!isDeepEnough(S, Possible, Put))
        return;
    }
    // Without what is inferred, an error has been reported.
    if (!Written && !U.Diags->hasErrors())
      U.Diags->report(Put.Loc, Diag::err_put_not_written) << S.Kernel->getName() << Put.Array.name();
  }

  Candidates candidates(const Stage& S, const ArrayAccess& A) const {
    unsigned I = cast<ParmVarDecl>(A.Array.Variable)->getFunctionScopeIndex();
    OffsetPointer Argument{S.Arguments[I], {}};
    if (S.Copied.Rows) {
      Argument = takeApart(S.Arguments[I], Context);
      followVariables(Argument);
    }
    return candidates(Argument.Base, A.Array.Members).value_or(Candidates());
  }

  /// Whether launches that may follow read no more rows than are put. A launch between them may
  /// leave rows as they are, so that all of them count.
  bool isDeepEnough(const Stage& S, const Candidates& Written, const PublishedArray& Put) {
    for (const Stage& Later : R.Stages) {
      if (!Later.Inferred || !(&Later > &S || (S.Loop && Later.Loop == S.Loop)))
        continue;
      for (const ArrayAccess& A : Later.Accesses.Arrays) {
        Candidates Read = candidates(Later, A);
        bool Same = llvm::any_of(Written, [&](const DistributedArray* One) {
          return llvm::any_of(Read, [&](const DistributedArray* Other) { return Groups.same(*One, *Other); });
        });
        if (!A.Reads || !Same)
          continue;
        const AxisAccess& Rows = (*A.Reads)[Later.Accesses.RowDimension];
        if (Rows.Whole) {
          noteStatedDepths(Later, Read, Put);
        } else if (std::int64_t Depth = std::max(-Rows.Low, Rows.High); Depth > Put.Depth) {
          U.Diags->report(Put.Loc, Diag::err_put_too_shallow)
              << Put.Array.name() << std::to_string(Put.Depth) << Later.name() << std::to_string(Depth);
          U.Diags->report(Later.location(), Diag::note_launch_here);
          return false;
        }
      }
    }
    return true;
  }

  void noteStatedDepths(const Stage& Later, const Candidates& Read, const PublishedArray& Put) {
    for (const DistributedArray* A : Read)
      for (const HaloClause& H : R.Halos)
        if (H.Array == A->Pointer && !depth(H)) {
          DepthCheck Check{Put.Array.name(), Later.name().str(), Put.Depth, H.Depth};
          if (!llvm::is_contained(R.DepthChecks, Check))
            R.DepthChecks.push_back(std::move(Check));
        }
  }

  Region& R;
  Unit& U;
  const LowerOptions& Options;
  ASTContext& Context;
  InnerStructures Inside{Context};
  VariableChanges ChangedInRegion, ChangedInFunction, ChangedInCall;
  HostExpressions Host;
  /// What expressions of one call have in common, whose variables have the same values in each of them.
  HostExpressions AtOnce;
  PointerGroups Groups;
  std::map<PointerVariable, ArrayShape> Shapes;
  /// By kernel.
  std::map<const FunctionDecl*, AssumedConstants> NamedConstants;
  using LaunchForm = std::tuple<const Stage*, ThreadMapping, bool, bool, bool, BlockPitch>;
  std::vector<LaunchForm> TooComplex;
};

class InferStages final : public Pass {
public:
  llvm::StringRef name() const override { return "InferStages"; }

  void run(Unit& U, Program& P) override {
    // The other parse of the CUDA target sees the same regions.
    if (U.Kind == UnitKind::CudaDevice)
      return;
    for (Region& R : U.Regions)
      if (!R.isPattern())
        infer(R, U, P.Options);
    findSums(U);
    checkTexts(U);
    remarkStages(U);
  }

  /// With numbers that variables have from the file, if the launches are not understood without; with no more of them than that takes.
  static void infer(Region& R, Unit& U, const LowerOptions& Options) {
    std::vector<AssumedNumber> Given = givenNumbers(R, U.context());
    if (!Given.empty() && !isUnderstood(R, U, Options)) {
      Region Assuming = R;
      Assuming.AssumedNumbers = Given;
      if (isUnderstood(Assuming, U, Options)) {
        for (const AssumedNumber& Each : Given) {
          Region Fewer = Assuming;
          llvm::erase_if(Fewer.AssumedNumbers, [&](const AssumedNumber& Other) { return Other.Place == Each.Place; });
          if (isUnderstood(Fewer, U, Options))
            Assuming.AssumedNumbers = std::move(Fewer.AssumedNumbers);
        }
        R.AssumedNumbers = std::move(Assuming.AssumedNumbers);
      }
    }
    StageInference(R, U, Options).run();
  }

  static bool isUnderstood(Region R, Unit& U, const LowerOptions& Options) {
    Trial Silent(U);
    llvm::SaveAndRestore Unsaid(U.Diags, &Silent.diagnostics());
    StageInference(R, U, Options).run();
    return !Silent.diagnostics().hasErrors();
  }

  /// Of variables from before the region that it names and does not change: parameters, and those at file scope, also as members of structures.
  static std::vector<AssumedNumber> givenNumbers(const Region& R, ASTContext& Context) {
    std::vector<AssumedNumber> Found;
    const VariableChanges InRegion(R.Statement), ByHost = changesOfHost(R.HostParts), InFunction(R.outermostFunction()->getBody());
    auto Add = [&](const PointerVariable& Place) {
      const FieldDecl* Field = Place.Members.empty() ? nullptr : Place.Members.front();
      if (Place.Variable->isLocalVarDecl() && InFunction.changes(Place.Variable, Field))
        return;
      if (!Place.type().getNonReferenceType()->isIntegerType() || !isPublic(Place) || InRegion.changes(Place.Variable, Field) || ByHost.changes(Place.Variable, Field) ||
          llvm::any_of(Found, [&](const AssumedNumber& Each) { return Each.Place == Place; }))
        return;
      for (const LikelyValue& V : likelyValues(Place, Context)) {
        Expr::EvalResult Known;
        if (!V.Expression || V.Expression->isValueDependent() || !V.Expression->EvaluateAsInt(Known, Context))
          continue;
        Found.push_back({Place, Known.Val.getInt().getExtValue()});
        break;
      }
    };
    for (const References& Named : {References(R.Statement), References(R.Appearance.Call)})
      for (const DeclRefExpr* Ref : Named.All) {
        const auto* V = dyn_cast<VarDecl>(Ref->getDecl());
        if (!V || R.declares(V) || isUnchangeable(V->getType()) || V->hasAttr<CUDADeviceAttr>() || V->hasAttr<CUDAConstantAttr>())
          continue;
        const RecordDecl* Record = V->getType().getNonReferenceType()->getAsRecordDecl();
        if (Record && Record->getDefinition())
          for (const FieldDecl* Field : Record->getDefinition()->fields())
            Add({V, {Field}});
        else if (isa<ParmVarDecl>(V) || !V->isLocalVarDecl() || memberOfObject(V)) // what others are initialised with is known
          Add(V);
      }
    return Found;
  }

  /// All launches of a kernel run one text, which keeps the same values until all tiles are done.
  static void findSums(Unit& U) {
    std::map<std::pair<std::string, ThreadMapping>, std::vector<Stage*>> Texts;
    for (Region& R : U.Regions)
      for (Stage& S : R.Stages)
        if (!R.isPattern() && S.Kernel && S.Kernel->getBody())
          Texts[{kernelPatternKey(S.Kernel, U.sources()), S.Accesses.Threads}].push_back(&S);
    for (auto& [Text, Stages] : Texts) {
      if (Text.second != ThreadMapping::Blocks && Text.second != ThreadMapping::PartialBlocks)
        continue;
      for (Stage* S : Stages)
        if (S->Inferred)
          S->Sums = findTileSums(S->Kernel, S->Accesses.Reductions, Text.second == ThreadMapping::Blocks, U.context());
      bool Agree = llvm::all_of(Stages, [&](const Stage* S) { return S->Sums.editsAs(Stages.front()->Sums); });
      for (Stage* S : Stages)
        if (!Agree)
          S->Sums = {};
        else if (S->Sums.any())
          S->Between = BetweenTiles::Nothing; // shared memory is used behind them only
    }
  }

  /// All launches of a kernel run one text.
  static void checkTexts(Unit& U) {
    for (const Region& R : U.Regions)
      for (const Stage& S : R.Stages) {
        if (!R.isPattern() && S.Accesses.Threads == ThreadMapping::PartialBlocks &&
            !S.Accesses.Partial.editsAs(*partialBlocksOf(S.Kernel, U)))
          U.Diags->report(S.Launch->getBeginLoc(), Diag::err_partial_blocks)
              << S.Kernel->getName() << S.Accesses.Arrays.front().Array.name() << static_cast<unsigned>(PartialBlocksProblem::OtherInstance) << "";
        if (R.isPattern() || !S.Accesses.Loop)
          continue;
        if (!editsAs(*rowLoopOf(S.Kernel, U), *S.Accesses.Loop))
          U.Diags->report(S.Launch->getBeginLoc(), Diag::err_row_loop) << static_cast<unsigned>(RowLoopProblem::OtherLoop) << "";
      }
  }

  static void remarkStages(Unit& U) {
    for (const Region& R : U.Regions)
      for (const Stage& S : R.Stages)
        if (S.Inferred)
          remark(S, U);
    for (const Region& R : U.Regions)
      for (const CombiningLaunch& C : R.Combining)
        U.Diags->report(C.Launch->getBeginLoc(), Diag::remark_stage)
            << C.Kernel->getName()
            << "is not run: '*" + R.Reductions[C.To].Pointer->getNameAsString() + (C.Adds ? "' adds what '" : "' becomes what '") +
                   R.Reductions[C.From].Pointer->getNameAsString() + "' is reduced to";
  }

  static std::string published(const ArrayAccess& A) {
    if (!A.Published)
      return "";
    if (A.PublishedByHand)
      return " (put with halo " + std::to_string(A.Published->Before) + ")";
    if (!A.Published->some())
      return " (publishes nothing)";
    // What launches read after their own rows is the next process's.
    auto [After, Before] = *A.Published;
    std::string Text = " (publishes " + std::to_string(Before ? Before : After) +
                       ((Before ? Before : After) == 1 ? " row" : " rows") + " to the process ";
    if (Before && After)
      return Text + "before, " + std::to_string(After) + " to the one after)";
    return Text + (Before ? "before)" : "after)");
  }

  static void remark(const Stage& S, Unit& U) {
    std::vector<std::string> Parts;
    for (const ArrayAccess& A : S.Accesses.Arrays)
      if (A.Reads) {
        const AxisAccess& Rows = (*A.Reads)[S.Accesses.RowDimension];
        std::string Text = "reads '" + A.Array.name() + "'";
        if (Rows.Whole)
          Text += " in all rows";
        else if (std::int64_t Halo = std::max(-Rows.Low, Rows.High); Halo > 0)
          Text += " with halo " + std::to_string(Halo) + (Rows.Periodic ? ", periodically" : "");
        Parts.push_back(std::move(Text));
      }
    for (const ArrayAccess& A : S.Accesses.Arrays)
      if (A.Writes)
        Parts.push_back("writes '" + A.Array.name() + "'" + (A.EndRows.some() ? " and " + endRows(A.EndRows.Count) : "") + published(A));
    if (S.Accesses.FixedRows.Searched)
      Parts.push_back("in places that each tile looks for");
    llvm::SmallPtrSet<const VarDecl*, 4> Named; // a kernel may update a scalar at several places
    for (const AtomicReduction& A : S.Accesses.Reductions) {
      if (!Named.insert(A.Scalar).second)
        continue;
      const bool Sets = A.Op == AtomicReduction::Set;
      Parts.push_back((S.storesNumber(A.Scalar)                            ? "reduces what blocks store in '"
                       : llvm::is_contained(S.ReducedElements, A.Scalar) ? "reduces elements of '"
                       : Sets                                            ? "sets '*"
                                                                         : "reduces '*") +
                      A.Scalar->getName().str() + "'" +
                      (S.Sums.any() && !Sets                              ? " (once for all tiles)"
                       : llvm::is_contained(S.AddedUpByThreads, A.Scalar) ? " (first in each thread)"
                                                                          : ""));
    }
    for (const ParmVarDecl* P : S.Collected)
      Parts.push_back("collects '" + P->getName().str() + "'");
    U.Diags->report(S.location(), Diag::remark_stage)
        << S.name() << llvm::join(Parts, ", ");
  }

  void print(const Program& P, llvm::raw_ostream& Out) const override {
    for (const std::unique_ptr<Unit>& U : P.Units)
      for (const Region& R : U->Regions)
        for (const Stage& S : R.Stages) {
          if (!S.Kernel && !S.Copy)
            continue;
          Out << fileAndLine(S.location(), U->sources()) << ": stage " << S.name() << ": ";
          gpurma::print(S.Accesses, Out);
          for (const ParmVarDecl* Scalar : S.AddedUpByThreads)
            Out << "; *" << Scalar->getName() << " first in each thread";
          for (const ParmVarDecl* Parameter : S.Collected)
            Out << "; collects " << Parameter->getName();
          for (const TileSums::Sum& Sum : S.Sums.Sums)
            Out << "; " << Sum.Variable->getName() << " first over all tiles";
          if (S.Copied.Rows)
            Out << "; of " << *S.Copied.Rows << (*S.Copied.Rows == 1 ? " row" : " rows");
          Out << '\n';
        }
  }
};

} // namespace

std::unique_ptr<Pass> createInferStages() {
  return std::make_unique<InferStages>();
}

} // namespace gpurma
