// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LowerRegions: puts what FuseRegions has written into the text, once all other passes have edited
// the kernels' bodies, which become device functions that know their logical block:
//
//   __global__ void k(float* a) {       __global__ void k(float* a) { ... }
//     a[blockIdx.x] = 0;           ->   static __device__ __forceinline__ void gpurma_stage_0_k(
//   }                                       const uint3 blockIdx, const dim3 gridDim, float* a) {
//                                         a[blockIdx.x] = 0;
//                                       }
//
// The parameters hide CUDA's variables of these names, so that the body needs no change; where a rank's tiles are not the
// launch's blocks, threadIdx and blockDim are parameters, too, of gpurma_thread_0_k. ThreadParts.h says what
// becomes of those that stand for reduced scalars. #line keeps the lines of what is generated, and of what follows
// it, those of the source.
#include "passes/BlockNumbers.h"
#include "passes/EarlyReads.h"
#include "passes/FriendAccess.h"
#include "passes/FunctionCopies.h"
#include "passes/Kernels.h"
#include "passes/Pass.h"
#include "passes/RegionNames.h"
#include "passes/StageFunctions.h"
#include "passes/ThreadCooperation.h"
#include "passes/ThreadParts.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "frontend/SourceText.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <map>
#include <set>
#include <vector>

using namespace clang;

namespace gpurma {
namespace {

class RegionLowerer {
  static constexpr const char* CoherentLoad = "::gpurma::stages::load"; // for __ldg

public:
  RegionLowerer(Unit& U, Program& P)
      : U(U), P(P), Sources(U.sources()), LangOpts(U.context().getLangOpts()) {}

  void lower(ArrayRef<Region> Regions) {
    std::map<const Directive*, std::map<std::string, const Region*>> Instances;
    for (const Region& R : Regions) {
      if (R.isPattern()) {
        if (!U.isLowered(R))
          removePragmas(R);
        continue;
      }
      for (const Stage& S : R.Stages)
        for (const DeclRefExpr* Load : S.CachedLoads)
          replaceCachedLoad(*Load);
      for (const Stage& S : R.Stages)
        if (!S.Copy)
          addStageFunction(S.Kernel, S.Accesses.Threads);
      for (const FunctionDecl* F : R.OnDevice)
        markForDevice(F);
      std::string Condition = instanceCondition(R.function(), Sources).value_or("");
      if (!Instances[&R.directive()].emplace(Condition, &R).second)
        continue;
      addKernel(R);
      if (Condition.empty())
        replaceStatement(R, launchText(R));
    }
    for (const auto& [Origin, Each] : Instances)
      if (!Each.begin()->first.empty())
        replaceStatement(*Each.begin()->second, choice(Each));
  }

private:
  /// Lets the device have a copy of a function of the host.
  void markForDevice(const FunctionDecl* F) {
    F = patternOf(F);
    if (!Marked.insert(F).second)
      return;
    if (std::optional<FileRange> Begin = fileRange(F->getBeginLoc(), Sources, LangOpts))
      P.Edits.replace({Begin->File, Begin->Begin, Begin->Begin}, "__host__ __device__ ");
    else
      U.Diags->report(F->getLocation(), Diag::err_edit_not_in_file) << "this function";
  }

  /// In a function as it is: a plain load is right outside of regions, too.
  void replaceCachedLoad(const DeclRefExpr& Load) {
    if (std::optional<FileRange> Name = fileRange(Load.getSourceRange(), Sources, LangOpts))
      P.Edits.replace(*Name, CoherentLoad);
    else
      U.Diags->report(Load.getLocation(), Diag::err_edit_not_in_file) << "this load";
  }

  /// Each instance of a template has a kernel of its own.
  std::string choice(const std::map<std::string, const Region*>& Instances) {
    std::string Any, Branches;
    for (const auto& [Condition, R] : Instances) {
      Any += (Any.empty() ? "(" : " || (") + Condition + ")";
      Branches += (Branches.empty() ? "if constexpr (" : "else if constexpr (") + Condition + ") " + launchText(*R) + " ";
    }
    return "{ static_assert(" + Any + ", \"gpurmacc has not seen this instance of a template with a persistent region\"); " +
           Branches + "}";
  }

  std::string lineMark(SourceLocation Loc) const {
    PresumedLoc Place = Sources.getPresumedLoc(Loc);
    return "#line " + std::to_string(Place.getLine()) + " " + stringLiteral(Place.getFilename()) + "\n";
  }

  std::string source(SourceRange Tokens) const { return source(Tokens, P.Edits); }

  std::string source(SourceRange Tokens, const EditSet& Edits) const {
    std::optional<FileRange> Range = fileRange(Tokens, Sources, LangOpts);
    return Range ? Edits.text(*Range, P.source(Range->File)) : std::string();
  }

  static const FunctionDecl* patternOf(const FunctionDecl* Kernel) {
    const FunctionDecl* Pattern = Kernel->getTemplateInstantiationPattern();
    return (Pattern ? Pattern : Kernel)->getCanonicalDecl();
  }

  /// All launches of the kernel, or of instances of its template, that are run so.
  std::vector<const Stage*> launchesOf(const FunctionDecl* Kernel, ThreadMapping Threads) const {
    std::vector<const Stage*> Found;
    for (const Region& R : U.Regions)
      for (const Stage& S : R.Stages)
        if (!R.isPattern() && S.Kernel && S.Accesses.Threads == Threads && patternOf(S.Kernel) == patternOf(Kernel))
          Found.push_back(&S);
    return Found;
  }

  /// Whether the thread's row has the element of a store; none: its text is not to be found.
  std::optional<std::string> guardOf(const FunctionDecl* Kernel, const StoredElement& Element, const EditSet& Plain) {
    std::optional<FileRange> Range = wholeInBody(Kernel, Element.Place->getSourceRange());
    if (!Range)
      return std::nullopt;
    const std::string Text = Plain.text(*Range, P.source(Range->File));
    return "gpurma_rows.have(" + (Element.IsAddress ? "*(" + Text + ")" : Text) + ")";
  }

  /// The body of a kernel for fixed rows: each store is done if the thread's row has it (ThreadMapping::FixedRows).
  std::string sourceForRows(const FunctionDecl* Kernel, EditSet Guarded) {
    std::optional<FileRange> Body = fileRange(Kernel->getBody()->getSourceRange(), Sources, LangOpts);
    std::set<unsigned> Done;
    const EditSet Plain = Guarded;
    for (const Stage* S : launchesOf(Kernel, ThreadMapping::FixedRows)) {
      for (const RowStore& Store : S->Accesses.FixedRows.Statements) {
        std::optional<FileRange> Whole = wholeInBody(Kernel, Store.Statement->getSourceRange());
        const std::optional<std::string> Guard = guardOf(Kernel, Store.Element, Plain);
        if (!Body || !Whole || !Guard) {
          U.Diags->report(Store.Statement->getBeginLoc(), Diag::err_edit_not_in_file) << "this store";
          return {};
        }
        if (!Done.insert(Whole->Begin).second)
          continue;
        if (Store.Chained)
          Guarded.wrap(*wholeInBody(Kernel, Store.Element.Place->getSourceRange()),
                       "gpurma_rows.element(", ")");
        else
          Guarded.wrap(*Whole, *Guard + " ? static_cast<void>(", ") : static_cast<void>(0)");
      }
      for (const RowRead& Read : S->Accesses.FixedRows.Reads) {
        std::optional<FileRange> Initial = wholeInBody(Kernel, Read.Initial->getSourceRange());
        if (!Body || !Initial) {
          U.Diags->report(Read.Initial->getBeginLoc(), Diag::err_edit_not_in_file) << "this value";
          return {};
        }
        std::string Any;
        for (const StoredElement& Element : Read.Elements)
          if (const std::optional<std::string> Guard = guardOf(Kernel, Element, Plain))
            Any += (Any.empty() ? "" : " || ") + *Guard;
        if (Done.insert(Initial->Begin).second)
          Guarded.wrap(*Initial, "::gpurma::stages::value_if(" + Any + ", [&] { return ", "; })");
      }
    }
    return Body ? Guarded.text(*Body, P.source(Body->File)) : std::string();
  }

  /// The body of a kernel for launches in one dimension: the place of the thread's element is known, where the kernel divides.
  std::string sourceForElements(const FunctionDecl* Kernel, EditSet Placed) {
    std::map<std::pair<unsigned, unsigned>, std::optional<ElementPlace>> Found; // by where its text stands
    for (const Stage* S : launchesOf(Kernel, ThreadMapping::OneDimension))
      for (const auto& [E, Place] : S->Accesses.Places)
        if (std::optional<FileRange> Text = placedText(S->Kernel, E)) {
          // The outer one of two comes first.
          auto [It, IsNew] = Found.try_emplace({Text->Begin, ~Text->End}, Place);
          if (!IsNew && It->second != Place)
            It->second.reset();
        }
    std::optional<FileRange> Body = fileRange(Kernel->getBody()->getSourceRange(), Sources, LangOpts);
    if (!Body)
      return {};
    unsigned Done = 0;
    for (const auto& [Where, Place] : Found) {
      FileRange Range{Body->File, Where.first, ~Where.second};
      if (!Place || Range.Begin < Done)
        continue;
      Done = Range.End;
      constexpr const char* Names[] = {"x", "y", "z", "row"};
      Placed.replace(Range, "static_cast<decltype(" + P.Edits.text(Range, P.source(Range.File)) + ")>(gpurma_at." +
                                Names[static_cast<int>(*Place)] + ")");
    }
    return Placed.text(*Body, P.source(Body->File));
  }

  /// Where an expression of the kernel's own text stands, if something else may stand for it. In a lambda what it captures would have to.
  std::optional<FileRange> placedText(const FunctionDecl* Kernel, const Expr* E) const {
    SourceRange Text = E->getSourceRange();
    if (Text.getBegin().isMacroID() || Text.getEnd().isMacroID() || isa<CompoundAssignOperator>(E) || E->HasSideEffects(U.context()) ||
        isInLambda(Kernel->getBody(), Text.getBegin()))
      return std::nullopt;
    return isTextOfBody(Kernel, Text) ? fileRange(Text, Sources, LangOpts) : std::nullopt;
  }

  bool isInLambda(const Stmt* S, SourceLocation Where) const {
    if (!S || !Sources.isPointWithin(Where, S->getBeginLoc(), S->getEndLoc()))
      return false;
    return isa<LambdaExpr>(S) || llvm::any_of(S->children(), [&](const Stmt* Child) { return isInLambda(Child, Where); });
  }

  /// Without what lets the compiler take memory for constant as long as the kernel runs.
  std::string coherent(const std::string& Text) const {
    std::string Copy;
    Lexer Raw(SourceLocation(), LangOpts, Text.data(), Text.data(), Text.data() + Text.size());
    Raw.SetKeepWhitespaceMode(true);
    for (Token T; !Raw.LexFromRawLexer(T) || T.isNot(tok::eof);) {
      StringRef Word(Text.data() + Raw.getCurrentBufferOffset() - T.getLength(), T.getLength());
      if (T.is(tok::raw_identifier) &&
          (Word == "__restrict__" || Word == "__restrict" || Word == "__grid_constant__"))
        Copy += ' ';
      else if (T.is(tok::raw_identifier) && Word == "__ldg")
        Copy += CoherentLoad;
      else
        Copy += Word;
      if (Raw.getCurrentBufferOffset() >= Text.size())
        break;
    }
    return Copy;
  }

  /// Within `extern "C" { ... }`, where no template may stand.
  static bool isInLinkageBlock(const Decl* D) {
    const auto* Linkage = dyn_cast<LinkageSpecDecl>(D->getLexicalDeclContext());
    return Linkage && Linkage->hasBraces();
  }

  void addStageFunction(const FunctionDecl* Kernel, ThreadMapping Threads) {
    if (const FunctionDecl* Pattern = Kernel->getTemplateInstantiationPattern())
      Kernel = Pattern;
    if (!Done.insert(stageFunctionName(Kernel, Threads, /*Behind=*/false, U, P)).second)
      return;
    const TileSums* Sums = tileSumsOf(Kernel, Threads, U);
    addStageFunction(Kernel, Threads, Sums, /*Behind=*/false);
    if (Sums)
      addStageFunction(Kernel, Threads, Sums, /*Behind=*/true);
  }

  /// \p Behind: what is run once for all tiles.
  void addStageFunction(const FunctionDecl* Kernel, ThreadMapping Threads, const TileSums* Sums, bool Behind) {
    std::optional<FileRange> End = fileRange(Kernel->getEndLoc(), Sources, LangOpts);
    FunctionTypeLoc Type = Kernel->getFunctionTypeLoc();
    if (!End || !Type) {
      U.Diags->report(Kernel->getLocation(), Diag::err_edit_not_in_file) << "this kernel";
      return;
    }
    std::string Text = "\n" + lineMark(Kernel->getLocation());
    // A template, so that there can be two copies of its shared memory.
    std::string Parameters = "template <unsigned gpurma_copy";
    if (const FunctionTemplateDecl* Template = Kernel->getDescribedFunctionTemplate()) {
      std::string Own = onOneLine(source(Template->getTemplateParameters()->getSourceRange()), LangOpts);
      Parameters += ", " + Own.substr(Own.find('<') + 1, Own.rfind('>') - Own.find('<') - 1);
    }
    std::string ThreadParts, Uses, Shadows;
    const llvm::SmallVector<unsigned, 2> Objects = objectParameters(Kernel, U);
    for (unsigned I : Objects) {
      std::string Index = std::to_string(I);
      Parameters += ", class gpurma_type_" + Index;
      ThreadParts += ", gpurma_type_" + Index + " gpurma_part_" + Index;
      std::string Name = Kernel->getParamDecl(I)->getName().str();
      Uses += " static_cast<void>(" + Name + ");";
      Shadows += " [[maybe_unused]] const auto " + Name + " = gpurma_part_" + Index + ";";
    }
    for (size_t I = 0; Sums && I != Sums->Sums.size(); ++I) {
      std::string SumType = tileSumName(I) + "_type";
      Parameters += ", class " + SumType;
      ThreadParts += ", " + SumType + (Behind ? " " + Sums->Sums[I].Variable->getNameAsString() : "& " + tileSumName(I));
    }
    // Each of the two parts uses some only.
    for (unsigned I = 0; Sums && I != Kernel->getNumParams(); ++I)
      if (const ParmVarDecl* Parameter = Kernel->getParamDecl(I); Parameter->getIdentifier() && !llvm::is_contained(Objects, I))
        Uses += " static_cast<void>(" + Parameter->getNameAsString() + ");";
    bool ForRows = Threads == ThreadMapping::FixedRows;
    Parameters += ForRows ? ", class gpurma_rows_type> " : "> ";
    bool InParts = Threads == ThreadMapping::PartialBlocks;
    const RowLoop* Rows = ForRows || InParts ? nullptr : rowLoopOf(Kernel, U);
    bool ForElements = Threads == ThreadMapping::OneDimension;
    const PartialBlocks* Parts = InParts ? partialBlocksOf(Kernel, U) : nullptr;
    EditSet Own = P.Edits;
    editBlockStores(Kernel, U, Own);
    for (const Stage* S : launchesOf(Kernel, Threads))
      if (const CallExpr* Useless = uselessBarrier(S->Kernel))
        if (std::optional<FileRange> Barrier = fileRangeInBody(Kernel, Useless->getSourceRange()))
          Own.replace(*Barrier, "");
    captureIndices(Kernel, Threads, Own);
    const StageBarrier Barrier = stageBarrier(Kernel, Threads, U);
    const bool FewerThreads = hasFewerThreads(Kernel, Threads, U);
    const OwnNames Names{/*Thread=*/Threads != ThreadMapping::Blocks, /*Barrier=*/Barrier != StageBarrier::OfRank};
    const std::string BarrierType = Barrier == StageBarrier::OfStaying ? "::gpurma::stages::barrier_of_staying" : "::gpurma::stages::barrier_of_first";
    const std::string Handed =
        threadParameters(Threads, /*Behind=*/false) + (Names.Barrier ? ", [[maybe_unused]] const " + BarrierType + " __syncthreads" : "");
    // Copies of functions on the way to a loop over the rows have names for that.
    const auto LeadsToRows = [&](const CallExpr* Call) {
      return Rows && llvm::any_of(Rows->Calls, [&](const CallExpr* Other) { return Other->getBeginLoc() == Call->getBeginLoc(); });
    };
    llvm::SmallPtrSet<const FunctionDecl*, 4> WithIndices;
    for (const Stage* S : launchesOf(Kernel, Threads)) {
      const FunctionCopies Copies = findFunctionCopies(S->Kernel, Names, U.context());
      makeNamedMembersPublic(*S->Kernel, P.Edits, U.context());
      for (const FunctionDecl* Function : Copies.Functions)
        makeNamedMembersPublic(*Function, P.Edits, U.context());
      editCalls(Copies, Names, Own, U.context(), LeadsToRows);
      llvm::SmallPtrSet<const FunctionDecl*, 4> Called;
      for (const CallExpr* Call : Copies.Calls)
        if (!LeadsToRows(Call))
          Called.insert(Call->getDirectCallee()->getDefinition());
      for (const FunctionDecl* Function : Copies.Functions) {
        WithIndices.insert(patternOf(Function));
        if (Called.contains(Function))
          addCopy(Function, Own, copyName(Function, Names), Handed);
      }
    }
    if (Threads == ThreadMapping::Blocks && !Rows) // which have few registers
      addEarlyReads(launchesOf(Kernel, Threads), Own, P.source(End->File));
    EditSet Edited = Own;
    if (Parts) {
      editPartialBlocks(*Parts, Edited, U.context());
    } else if (Rows) {
      editRowLoop(*Rows, Edited, U.context());
      addRowFunctions(*Rows, Edited, WithIndices, Handed);
    }
    if (Sums)
      editTileSums(*Sums, Kernel, Behind, Edited, P.source(End->File), U.context());
    std::string Body = ForRows       ? sourceForRows(Kernel, Own)
                       : ForElements ? sourceForElements(Kernel, Own)
                                     : source(Kernel->getBody()->getSourceRange(), Edited);
    if (FewerThreads)
      Body = "if (::gpurma::stages::is_in_block(threadIdx, blockDim)) " + Body;
    // The kernel's name for the barrier is that of another one.
    if (Names.Barrier)
      Body = std::string(Barrier == StageBarrier::OfStaying ? "{ const ::gpurma::stages::leaving_threads gpurma_leaving{}; " : "{ ") + "[[maybe_unused]] const " +
             BarrierType + " __syncthreads" + (Barrier == StageBarrier::OfStaying ? "{}; " : "{blockDim.x * blockDim.y * blockDim.z}; ") + Body + " }";
    std::string Signature = Parameters + "[[maybe_unused]] static __device__ __forceinline__ void " + stageFunctionName(Kernel, Threads, Behind, U, P) + "(" +
                            threadParameters(Threads, Behind) +
                            (Rows && !Behind ? ", [[maybe_unused]] const ::gpurma::stages::tile_rows gpurma_rows" : "") +
                            (Parts && !Behind ? ", [[maybe_unused]] const ::gpurma::stages::tile_elements<" + std::string(FewerThreads ? "true" : "false") + "> gpurma_elements" : "") +
                            (ForRows ? ", const gpurma_rows_type& gpurma_rows" : "") +
                            (ForElements ? ", [[maybe_unused]] const ::gpurma::stages::element_place gpurma_at" : "") + ThreadParts;
    if (Kernel->getNumParams() != 0)
      Signature += ", " + coherent(onOneLine(source({Kernel->getParamDecl(0)->getBeginLoc(),
                                                     Kernel->getParamDecl(Kernel->getNumParams() - 1)->getEndLoc()}),
                                             LangOpts));
    Signature += ")";
    declareEarlier(Kernel, Signature);
    bool InBlock = isInLinkageBlock(Kernel);
    Text += (InBlock ? "extern \"C++\" { " : "") + Signature;
    // Not in the outermost block, where the parameters' names are taken.
    Text += (Uses.empty() ? "\n" : " {" + Uses + " {" + Shadows + "\n") + lineMark(Kernel->getBody()->getBeginLoc()) +
            coherent(Body) + (Uses.empty() ? "" : " } }") + (InBlock ? " }\n" : "\n") + lineMark(Kernel->getEndLoc());
    P.Edits.replace({End->File, End->End, End->End}, Text);
  }

  /// Before the kernel's first declaration, where a region launches it before its definition.
  void declareEarlier(const FunctionDecl* Kernel, const std::string& Signature) {
    const FunctionDecl* First = Kernel->getFirstDecl();
    const bool IsNeeded = llvm::any_of(U.Regions, [&](const Region& R) {
      return !R.isPattern() && Sources.isBeforeInTranslationUnit(R.writtenFunction()->getLocation(), Kernel->getLocation()) &&
             llvm::any_of(R.Stages, [&](const Stage& S) { return S.Kernel && patternOf(S.Kernel) == patternOf(Kernel); });
    });
    if (!IsNeeded)
      return;
    const SourceLocation Begin = Sources.getExpansionLoc(withTemplate(First)->getBeginLoc());
    if (std::optional<FileRange> Place = fileRange(Begin, Sources, LangOpts))
      P.Edits.replace({Place->File, Place->Begin, Place->Begin}, Signature + ";\n" + lineMark(Begin));
    else
      U.Diags->report(First->getLocation(), Diag::err_edit_not_in_file) << "this kernel";
  }

  /// `[a] { return a[blockIdx.x]; }`: what is a parameter here such lambdas name only if they capture it.
  void captureIndices(const FunctionDecl* Kernel, ThreadMapping Threads, EditSet& Edits) const {
    struct Finder : DynamicRecursiveASTVisitor {
      llvm::SmallVector<LambdaExpr*, 2> Around;
      llvm::MapVector<LambdaExpr*, llvm::SmallSetVector<const ValueDecl*, 4>> Named;
      bool TraverseLambdaExpr(LambdaExpr* Lambda) override {
        Around.push_back(Lambda);
        const bool Continue = DynamicRecursiveASTVisitor::TraverseLambdaExpr(Lambda);
        Around.pop_back();
        return Continue;
      }
      bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
        if (isIndexVariable(Ref->getDecl()))
          for (LambdaExpr* Lambda : Around)
            Named[Lambda].insert(Ref->getDecl());
        return true;
      }
    } Find;
    Find.TraverseStmt(Kernel->getBody());
    for (const auto& [Lambda, Names] : Find.Named) {
      std::string Text;
      for (const ValueDecl* Each : Names)
        if (Threads != ThreadMapping::Blocks || Each->getName() == "blockIdx" || Each->getName() == "gridDim")
          Text += (Text.empty() && Lambda->explicit_capture_begin() == Lambda->explicit_capture_end() ? "&" : ", &") + Each->getName().str();
      const std::optional<FileRange> End = fileRange(Lambda->getIntroducerRange().getEnd(), Sources, LangOpts);
      if (Lambda->getCaptureDefault() == LCD_None && !Text.empty() && End)
        Edits.replace({End->File, End->Begin, End->Begin}, Text);
    }
  }

  static std::string threadParameters(ThreadMapping Threads, bool Behind) {
    std::string Block = Behind ? "" : "[[maybe_unused]] const uint3 blockIdx, ", Grid = "[[maybe_unused]] const dim3 gridDim";
    return Threads == ThreadMapping::Blocks
               ? Block + Grid
               : "[[maybe_unused]] const uint3 threadIdx, " + Block + "[[maybe_unused]] const dim3 blockDim, " + Grid;
  }

  /// Copies of the functions between the kernel and its loop over the rows, which hand the rows on; some of them what a stage has of its
  /// own, too.
  void addRowFunctions(const RowLoop& Rows, const EditSet& Clipped, const llvm::SmallPtrSetImpl<const FunctionDecl*>& WithIndices,
                       const std::string& Indices) {
    for (const CallExpr* Call : Rows.Calls) {
      const FunctionDecl* Function = nullptr;
      Call->getDirectCallee()->hasBody(Function);
      addCopy(Function, Clipped, rowsFunctionName(Function, Rows, Sources),
              (WithIndices.contains(patternOf(Function)) ? Indices + ", " : "") + "const ::gpurma::stages::tile_rows gpurma_rows");
    }
  }

  /// A copy of a function that a kernel calls, with more parameters. It stands behind its original.
  void addCopy(const FunctionDecl* Function, const EditSet& Edited, const std::string& NewName, const std::string& Parameters) {
    if (const FunctionDecl* Pattern = Function->getTemplateInstantiationPattern())
      Function = Pattern;
    // Of one name there may be several with different parameters.
    if (!Copied.emplace(Function, NewName + Parameters).second)
      return;
    std::optional<FileRange> End = fileRange(Function->getEndLoc(), Sources, LangOpts);
    FunctionTypeLoc Type = Function->getFunctionTypeLoc();
    SourceLocation Begin = withTemplate(Function)->getBeginLoc();
    std::optional<FileRange> Whole = fileRange({Begin, Function->getEndLoc()}, Sources, LangOpts);
    std::optional<FileRange> Name = fileRange(Function->getLocation(), Sources, LangOpts);
    std::optional<FileRange> Parenthesis = Type ? fileRange(Type.getLParenLoc(), Sources, LangOpts) : std::nullopt;
    if (!End || !Whole || !Name || !Parenthesis) {
      U.Diags->report(Function->getLocation(), Diag::err_edit_not_in_file) << "this function";
      return;
    }
    EditSet Renamed = Edited;
    Renamed.replace(*Name, NewName);
    Renamed.replace({Parenthesis->File, Parenthesis->End, Parenthesis->End}, Parameters + (Function->getNumParams() == 0 ? "" : ", "));
    std::string Text = "\n" + lineMark(Begin) + coherent(Renamed.text(*Whole, P.source(Whole->File))) + "\n" + lineMark(Function->getEndLoc());
    P.Edits.replace({End->File, End->End, End->End}, Text);
  }

  /// The template that a function or class is the pattern of, or itself.
  static const Decl* withTemplate(const Decl* D) {
    const TemplateDecl* Template = D->getDescribedTemplate();
    return Template ? Template : D;
  }

  /// The kernel stands before the function that holds the region, or the class in which that is defined.
  void addKernel(const Region& R) {
    const Decl* Place = withTemplate(R.writtenFunction());
    while (const auto* Class = dyn_cast<CXXRecordDecl>(Place->getLexicalDeclContext()))
      Place = withTemplate(Class);
    const char *Prefix = "", *Suffix = "";
    if (isInLinkageBlock(Place)) {
      Prefix = "extern \"C++\" {\n";
      Suffix = "}\n";
    } else if (const auto* Linkage = dyn_cast<LinkageSpecDecl>(Place->getLexicalDeclContext())) {
      Place = Linkage;
    }
    std::optional<FileRange> Begin = fileRange(Place->getBeginLoc(), Sources, LangOpts);
    if (!Begin) {
      U.Diags->report(R.function()->getLocation(), Diag::err_edit_not_in_file) << "this function";
      return;
    }
    P.Edits.replace({Begin->File, Begin->Begin, Begin->Begin},
                    "\n" + lineMark(R.directive().HashLoc) + Prefix + R.KernelText + Suffix + lineMark(Place->getBeginLoc()));
  }

  /// The pragma or the statement, between which an #endif may stand, in the file; none is reported.
  std::optional<FileRange> rangeOf(const Region& R, SourceRange Part) {
    const Directive& D = R.directive();
    std::optional<FileRange> Range;
    if (!D.FromPragmaOperator && D.HashLoc.isFileID())
      Range = fileRangeAt(Sources.getFileID(D.HashLoc), Part, Sources, LangOpts);
    if (!Range)
      U.Diags->report(D.NameLoc, Diag::err_edit_not_in_file) << "this region";
    return Range;
  }

  bool removePragma(const Region& R, const Directive& D) {
    std::optional<FileRange> Pragma = rangeOf(R, {D.HashLoc, D.EndLoc});
    if (Pragma)
      P.Edits.replace(*Pragma, newlinesOf(*Pragma));
    return Pragma.has_value();
  }

  void removePragmas(const Region& R) {
    removePragma(R, R.directive());
    for (const HostPart& Part : R.HostParts)
      removePragma(R, *Part.Origin);
  }

  /// What takes the place of the region's statement.
  std::string launchText(const Region& R) {
    std::string Text;
    for (const HostText& Each : R.LaunchText)
      Text += Each.Text + (Each.Part ? partText(R, *Each.Part) : Each.IsLoop ? loopText(R) : "");
    return Text;
  }

  /// The region's loop as it stands in the source, from where the kernel has left it.
  std::string loopText(const Region& R) {
    const auto TextOf = [&](const Stmt* S) -> std::string {
      const std::optional<FileRange> Range = S ? rangeOf(R, S->getSourceRange()) : std::nullopt;
      return Range ? P.Edits.text(*Range, P.source(Range->File)) : "";
    };
    const LoopOnHost& Loop = *R.OnHost;
    std::string Begin;
    for (const VarDecl* V : Loop.Written)
      Begin += V->getNameAsString() + " = " + TextOf(V->getInit()) + "; ";
    if (Loop.Begin)
      Begin = TextOf(Loop.Begin) + "; ";
    if (!Begin.empty())
      Begin = "if (gpurma_choice.begins_on_host()) { " + Begin + "}";
    if (Loop.IsDo)
      return "\n" + lineMark(Loop.Body->getBeginLoc()) + "do {\n" + TextOf(Loop.Body) +
             ";\n} while ((" + TextOf(Loop.Condition) + ") && gpurma_choice.goes_on());\n" +
             lineMark(R.Statement->getBeginLoc());
    return Begin + "\n" + lineMark((Loop.Condition ? Loop.Condition : Loop.Body)->getBeginLoc()) +
           "for (; gpurma_choice.goes_on(" +
           (Loop.Counter ? repetition(Loop, TextOf(Loop.Condition), TextOf(Loop.Increment)) : "") +
           ")" + (Loop.Condition ? " && (" + TextOf(Loop.Condition) + ")" : "") + "; " +
           TextOf(Loop.Increment) + ")\n" + lineMark(Loop.Body->getBeginLoc()) + TextOf(Loop.Body) +
           ";\n" + lineMark(R.Statement->getBeginLoc());
  }

  /// What loop_choice::goes_on is passed. What is left of negative numbers is another matter.
  static std::string repetition(const LoopOnHost& Loop, const std::string& Condition,
                                const std::string& Increment) {
    const std::string Counter = Loop.Counter->getNameAsString();
    const bool MayBeNegative =
        !Loop.Divisors.empty() && Loop.Counter->getType()->isSignedIntegerType();
    std::string Text = Counter + ", [&] { return " + (MayBeNegative ? Counter + " >= 0 && " : "") +
                       "static_cast<bool>(" + Condition + "); }, [&] { " + Increment + "; }";
    for (const std::string& Changed : Loop.Changed)
      Text += ", " + Changed;
    for (const std::int64_t Divisor : Loop.Divisors)
      Text += ", " + Counter + " % " + std::to_string(Divisor);
    return Text;
  }

  /// The statement of the host as it stands in the source, but that to leave a loop around it is for the region's next kernel.
  std::string partText(const Region& R, const HostPart& Part) {
    if (Part.Origin->HashLoc.isMacroID()) { // at the level of the region stands more than the statement
      U.Diags->report(Part.Origin->NameLoc, Diag::err_edit_not_in_file) << "this statement of the host";
      return {};
    }
    EditSet Edited = P.Edits;
    for (const Stmt* S : leavingStatements(Part.Statement))
      if (std::optional<FileRange> Leaving = rangeOf(R, S->getSourceRange()))
        Edited.replace(*Leaving, std::string("{ gpurma_values.") + BehindField + " = " + behindHostPart(S) + "; continue; }");
    std::optional<FileRange> Range = rangeOf(R, Part.Statement->getSourceRange());
    if (!Range)
      return {};
    return "\n" + lineMark(Part.Statement->getBeginLoc()) + Edited.text(*Range, P.source(Range->File)) + ";\n" + lineMark(R.Statement->getBeginLoc());
  }

  void replaceStatement(const Region& R, const std::string& Text) {
    if (!removePragma(R, R.directive()))
      return;
    std::optional<FileRange> Statement = rangeOf(R, R.Statement->getSourceRange());
    if (!Statement)
      return;
    if (holdsMore(*Statement, R.Statement->getSourceRange()))
      U.Diags->report(R.directive().NameLoc, Diag::err_edit_not_in_file) << "this region";
    P.Edits.replace(*Statement, Text + newlinesOf(*Statement));
  }

  /// Whether a macro that a statement is spelled in, which goes as a whole, makes other statements too.
  bool holdsMore(const FileRange& Replaced, SourceRange Statement) const {
    auto IsAll = [&](SourceLocation End) {
      CharSourceRange Spelled = Lexer::makeFileCharRange(CharSourceRange::getTokenRange(Statement.getBegin(), End), Sources, LangOpts);
      return Spelled.isValid() && Sources.getFileOffset(Spelled.getBegin()) == Replaced.Begin && Sources.getFileOffset(Spelled.getEnd()) == Replaced.End;
    };
    const SourceLocation End = Statement.getEnd();
    if (IsAll(End))
      return false;
    // The semicolon behind it is no part of a statement without braces.
    const SourceLocation Written = Sources.getSpellingLoc(End);
    const std::optional<Token> Next = Lexer::findNextToken(Written, Sources, LangOpts);
    return !Next || !Next->is(tok::semi) ||
           !IsAll(End.getLocWithOffset(static_cast<int>(Sources.getFileOffset(Next->getLocation()) - Sources.getFileOffset(Written))));
  }

  std::string newlinesOf(const FileRange& Range) const {
    return std::string(P.source(Range.File).slice(Range.Begin, Range.End).count('\n'), '\n');
  }

  Unit& U;
  Program& P;
  const SourceManager& Sources;
  const LangOptions& LangOpts;
  /// Of the functions that have been added the names, and of what are copies.
  std::set<std::string> Done;
  std::set<std::pair<const FunctionDecl*, std::string>> Copied;
  /// Functions of the host that devices run, too.
  std::set<const FunctionDecl*> Marked;
};

class LowerRegions final : public Pass {
public:
  llvm::StringRef name() const override { return "LowerRegions"; }
  bool editsText() const override { return true; }

  void run(Unit& U, Program& P) override {
    if (U.Kind == UnitKind::CudaDevice)
      return;
    RegionLowerer(U, P).lower(U.Regions);
  }
};

} // namespace

std::unique_ptr<Pass> createLowerRegions() { return std::make_unique<LowerRegions>(); }

} // namespace gpurma
