// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/LaunchWriter.h"

#include "frontend/SourceText.h"
#include "passes/HostFunctions.h"
#include "passes/Kernels.h"
#include "passes/LaunchTiles.h"
#include "passes/RegionNames.h"
#include "passes/RegionRegisters.h"
#include "passes/StageFunctions.h"
#include "passes/ThreadParts.h"
#include "passes/VariableUses.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace gpurma {
namespace {

/// As ::gpurma::stages::written_box has it.
std::string writtenBox(const ArrayAccess& Access) {
  const RowsBeyond& FromWritten = Access.FromWritten;
  const std::string Threads = FromWritten.some() ? ", " + std::to_string(FromWritten.Before) + ", " + std::to_string(FromWritten.After) : "";
  if (!Access.Writes)
    return Threads.empty() ? "{}" : "{{}, -1, -1" + Threads + "}";
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
    return Text + "}, " + std::to_string(Rows->Before) + ", " + std::to_string(Rows->After) + Threads + "}";
  return Text + (Threads.empty() ? "}}" : "}, -1, -1" + Threads + "}");
}

std::string boxesFunction(const std::string& Boxes) {
  return "  static __device__ __forceinline__ const ::gpurma::stages::written_box* gpurma_boxes() { static constexpr "
         "::gpurma::stages::written_box boxes[] = {" +
         Boxes + "}; return boxes; }\n";
}

/// Of integers, by what is no constant: that takes some twenty instructions for each divisor, which
/// are not to be repeated for each tile.
class DivisionFinder : public RecursiveASTVisitor<DivisionFinder> {
public:
  explicit DivisionFinder(const FunctionDecl* Kernel) : Context(Kernel->getASTContext()) {
    visit(Kernel);
  }

  bool VisitBinaryOperator(BinaryOperator* B) {
    const bool Divides = B->getOpcode() == BO_Div || B->getOpcode() == BO_Rem ||
                         B->getOpcode() == BO_DivAssign || B->getOpcode() == BO_RemAssign;
    Found |= Divides && B->getRHS()->getType()->isIntegerType() &&
             !B->getRHS()->isValueDependent() && !B->getRHS()->isEvaluatable(Context);
    return !Found;
  }
  bool VisitCallExpr(CallExpr* Call) {
    if (const FunctionDecl* Called = calledDefinition(*Call))
      visit(Called);
    return !Found;
  }

  bool Found = false;

private:
  void visit(const FunctionDecl* F) {
    if (F->hasBody() && Visited.insert(F->getCanonicalDecl()).second)
      TraverseStmt(F->getBody());
  }

  const ASTContext& Context;
  llvm::SmallPtrSet<const FunctionDecl*, 8> Visited;
};

/// Kernels with queues of registers need the most, then those with a loop and those that compute
/// their places, and those with elements of eight bytes: measured, see docs/performance.md.
StringRef rereading(const Stage& S) {
  constexpr std::uint64_t BytesOfRegister = 4;
  const KernelAccesses& Accesses = S.Accesses;
  if (Accesses.Loop && Accesses.Loop->Queues)
    return "by_all";
  bool ComputesPlaces = Accesses.Threads == ThreadMapping::OneDimension || Accesses.Threads == ThreadMapping::PartialBlocks;
  if (Accesses.Loop || ComputesPlaces)
    return "by_leading";
  return largestElement(Accesses, S.Kernel->getASTContext()) > BytesOfRegister &&
                 !DivisionFinder(S.Kernel).Found
             ? "by_all"
             : "by_none";
}

/// \p Launch: the object of the launch that has it, with a dot; empty in its own class.
std::string passedName(const PointerVariable& InKernel, const std::string& Launch = "") {
  return memberIn(Launch + "gpurma_" + std::to_string(cast<ParmVarDecl>(InKernel.Variable)->getFunctionScopeIndex()), InKernel);
}

/// Writes one launch. What the kernel is passed comes to the strings below on the way, of which the class is made at the end.
class LaunchWriter {
public:
  LaunchWriter(const Stage& S, RegionDraft& Draft, ExpressionWriter& E, raw_ostream& Out, unsigned Depth)
      : S(S), Draft(Draft), E(E), Out(Out), Depth(Depth), Index(std::to_string(&S - Draft.R.Stages.data())), Class(launchClass(Draft, Index)),
        Site(siteText(S.Launch->getBeginLoc(), Draft.U.sources())),
        Function(stageFunctionCall(S.Kernel, S.Accesses.Threads, /*Behind=*/false, Draft.U, Draft.P)) {}

  void run() {
    if (!begin())
      return;
    line() << "gpurma_region.launch(" << object() << ", " << block() << ", " << Site << ");\n";
    end();
    Draft.Result.LaunchNames.push_back(Class);
    Draft.Result.Launches += written().text();
  }

  /// Opens a block and declares what the kernel is passed. False after an error.
  bool begin() {
    if (Function.empty()) {
      E.report(S.Launch->getBeginLoc(), Diag::err_launch_template_unnameable) << S.Kernel->getName();
      return false;
    }
    Out.indent(2 * Depth) << "{\n";
    beginBlockNumbers();
    if (S.Accesses.runsBlocks())
      line() << "const dim3 gpurma_grid"
             << (S.Accesses.RowsStrided || S.Accesses.Loop ? " = gpurma_region.covering_rows(dim3(" + E.text(S.Grid) + "), " + Index + ")"
                                                           : "(" + E.text(S.Grid) + ")")
             << ";\n";
    else if (!forFixedRows())
      numberThreads();
    if (!S.Accesses.runsBlocks())
      add("::gpurma::stages::" + numbering(), "gpurma_threads");
    passParts();
    passArguments();
    checksThreads();
    checksDepths();
    if (S.Accesses.Loop)
      checksApart();
    if (forFixedRows()) // it looks at the arrays that are passed
      numberThreads();
    if (storedRows() != 0) {
      std::string Type = "::gpurma::stages::stored_tile_rows<" + std::to_string(storedRows()) + ">";
      add(Type, "gpurma_tile_rows");
      line() << "const " << Type << " gpurma_tile_rows = ::gpurma::stages::tile_rows_of(gpurma_region, " << Index << ", {" << storedRowNumbers()
             << "}, gpurma_grid);\n";
    }
    return true;
  }

  /// Of the class, with what has been declared.
  std::string object() const { return Class + "{" + grid() + Values + "}"; }
  static std::string grid() { return "{gpurma_grid.x, gpurma_grid.y, gpurma_grid.z}"; }
  std::string block() { return renumbers() ? "dim3(::blockDim)" : E.text(S.Block); }

  /// Closes the block.
  void end() { Out.indent(2 * Depth) << "}\n"; }

  LaunchClass written() const {
    StringRef Between = S.Between == BetweenTiles::Nothing   ? "nothing"
                        : S.Between == BetweenTiles::Barrier ? "barrier"
                                                             : "other_copy";
    return {Class,
            Index,
            std::to_string(S.Accesses.RowDimension),
            std::to_string(storedRows()),
            Between.str(),
            rereading(S).str(),
            Arrays,
            Members,
            Parts,
            Sums,
            " " + (S.Accesses.runsBlocks()
                       ? Function + "(" + place() + TileArguments + Arguments + ");"
                       : playedThread(TileArguments + Arguments)),
            S.Sums.any() ? behind(BehindArguments + Arguments) : ""};
  }


  raw_ostream& line() { return Out.indent(2 * (Depth + 1)); }

private:
  /// A member of the class, with the value of a variable of its name.
  void add(const std::string& Type, const std::string& Name) {
    Members += "  " + Type + " " + Name + ";\n";
    Values += ", " + Name;
  }

  /// The number that this launch's blocks store begins with nothing.
  void beginBlockNumbers() {
    for (const auto& [Parameter, Dimensions] : S.BlockNumbers) {
      const ReducedScalar& Numbers =
          *Draft.R.reducedAt(S.Arguments[Parameter->getFunctionScopeIndex()]);
      line() << E.reducedName(Numbers) << " = " << operationName(Numbers, Draft.U.context()) << "::template identity<"
             << E.member(Numbers.Scalar->getType(), "") << ">;\n";
      line() << E.blocksName(Numbers) << " = ::gpurma::stages::numbered_blocks_of(dim3(" << E.text(S.Grid) << "), " << Dimensions << ", "
             << Site << ");\n";
    }
  }

  // --- What the kernel is passed.

  /// Of scalars that threads add up, and what they keep for what is behind all tiles.
  void passParts() {
    for (unsigned I : objectParameters(S.Kernel, Draft.U)) {
      std::string Name = "gpurma_" + std::to_string(I);
      const ParmVarDecl* Parameter = S.Kernel->getParamDecl(I);
      const ReducedScalar* Reduced = Draft.R.reducedAt(S.Arguments[I]);
      if (!llvm::is_contained(S.AddedUpByThreads, Parameter)) {
        TileArguments += (Reduced && readsOnlyScalar(S.Kernel, Parameter) ? ", &" : ", ") + Name;
        continue;
      }
      std::string Type = "<" + E.member(Reduced->Scalar->getType(), "") + ", " + operationName(*Reduced, Draft.U.context()) + ">";
      TileArguments += ", ::gpurma::stages::part_pointer" + Type + "{gpurma_thread." + Name + "}";
      Parts += " ::gpurma::stages::thread_part" + Type + " " + Name + ";";
      Sums += " gpurma_thread." + Name + ".add_to(gpurma_of_warps[" + std::to_string(E.reducedIndex(*Reduced)) + "]);";
    }
    BehindArguments = TileArguments;
    for (size_t I = 0; I != S.Sums.Sums.size(); ++I) {
      const TileSums::Sum& Sum = S.Sums.Sums[I];
      StringRef Operation = Sum.Op == CombinedValues::Plus ? "plus" : Sum.Op == CombinedValues::Max ? "maximum" : "minimum";
      Parts += " ::gpurma::stages::thread_part<" + E.member(Sum.Variable->getType().getCanonicalType().getUnqualifiedType(), "") +
               ", ::gpurma::stages::" + Operation.str() + "> " + tileSumName(I) + ";";
      TileArguments += ", gpurma_thread." + tileSumName(I);
      BehindArguments += ", gpurma_thread." + tileSumName(I) + ".value()";
    }
  }

  void passArguments() {
    for (unsigned I = 0; I != S.Arguments.size() && I != S.Kernel->getNumParams(); ++I) {
      const ParmVarDecl* Parameter = S.Kernel->getParamDecl(I);
      const Expr* Argument = S.Arguments[I];
      if (const auto* Default = dyn_cast<CXXDefaultArgExpr>(Argument))
        Argument = Default->getExpr();
      if (llvm::is_contained(S.AddedUpByThreads, Parameter)) {
        line() << E.reducedName(*Draft.R.reducedAt(Argument)) << ".adds_by_warp();\n";
        Arguments += ", static_cast<" + E.member(Parameter->getType(), "") + ">(nullptr)"; // its text has the parts
        continue;
      }
      std::string Name = "gpurma_" + std::to_string(I);
      Values += ", " + Name;
      if (const ReducedScalar* Scalar = Draft.R.reducedAt(Argument)) {
        if (llvm::is_contained(S.ReducedElements, Parameter))
          passElements(*Scalar, Name);
        else
          passScalar(*Scalar, *Parameter, Name);
      } else if (llvm::is_contained(S.Collected, Parameter)) {
        std::string Type = "::gpurma::stages::collected_pointer<" + E.member(Parameter->getType()->getPointeeType(), "") + ">";
        Arguments += ", " + Name + ".data";
        Members += "  " + Type + " " + Name + ";\n";
        line() << "const " << Type << " " << Name << " = ::gpurma::stages::collected_at(gpurma_values.gpurma_collected["
               << Draft.R.findCollected(Argument) - Draft.R.Collected.data() << "], " << E.text(Argument) << ");\n";
      } else {
        Arguments += ", " + Name;
        Members += "  " + E.member(Parameter->getType(), Name) + ";\n";
        line() << E.named(Parameter->getType().getNonReferenceType().getUnqualifiedType().withConst(), Name) << " = " << E.text(Argument) << ";\n";
        if (mayLeadIntoArray(*Parameter, *Argument))
          line() << "gpurma_region.check_undistributed(" << Name << ", " << Site << ");\n";
        noteArrays(*Parameter, Name);
      }
    }
  }

  /// An array of reduced scalars, each with a part of the rank's.
  void passElements(const ReducedScalar& First, const std::string& Name) {
    const ArrayRef<ReducedScalar> Elements = Draft.R.reducedElementsFrom(First);
    const std::string Type = "::gpurma::stages::reduced_elements<" + E.member(First.Scalar->getType(), "") + ">";
    Arguments += ", " + Name + ".first";
    Members += "  " + Type + " " + Name + ";\n";
    line() << "const " << Type << " " << Name << "(" << Site;
    for (const ReducedScalar& Each : Elements)
      Out << ", " << E.reducedName(Each) << ".partial()";
    Out << ");\n";
  }

  void passScalar(const ReducedScalar& Scalar, const ParmVarDecl& Parameter, const std::string& Name) {
    bool ReadsOnly = readsOnlyScalar(S.Kernel, &Parameter);
    std::string Pointer = (ReadsOnly ? "&" : "") + Name;
    QualType Type = Parameter.getType(), Pointee = Type->getPointeeType();
    if (!Pointee.isNull() && !Draft.U.context().hasSameUnqualifiedType(Pointee, Scalar.Scalar->getType()))
      Pointer = "reinterpret_cast<" + E.member(Type, "") + ">(" + Pointer + ")"; // as the launch does
    Arguments += ", " + Pointer;
    Members += "  " + E.member(Scalar.Scalar->getType(), (ReadsOnly ? "" : "*") + Name) + ";\n";
    line() << "auto " << (ReadsOnly ? "" : "* ") << "const " << Name << " = " << E.reducedName(Scalar) << (ReadsOnly ? ".value();\n" : ".partial();\n");
  }

  /// Whether the kernel may get one of the arrays under another name, which the host does not see when the region begins.
  bool mayLeadIntoArray(const ParmVarDecl& Parameter, const Expr& Argument) const {
    if (!Parameter.getType()->isPointerType() || Argument.isNullPointerConstant(Draft.U.context(), Expr::NPC_ValueDependentIsNotNull) ||
        llvm::any_of(S.Accesses.Arrays, [&](const ArrayAccess& A) { return A.Array.Variable == &Parameter; }) ||
        !References(S.Kernel->getBody()).mention(&Parameter))
      return false;
    PointerVariable Passed = anyPointerVariable(&Argument);
    // What kernels do with an array under its own name is known; this one never comes to where it does it.
    if (Passed && Draft.R.findArray(Passed))
      return false;
    return !Passed || Draft.R.declares(Passed.Variable) || (Passed.Subscripts.empty() && Draft.Changes.changes(Passed.Variable));
  }

  /// Those of a parameter, or of what it has.
  void noteArrays(const ParmVarDecl& Parameter, const std::string& Name) {
    for (const ArrayAccess& Access : S.Accesses.Arrays) {
      if (Access.Array.Variable != &Parameter)
        continue;
      Arrays.add(Access, memberIn(Name, Access.Array));
    }
  }

  /// Threads that no condition keeps from what is beyond an array's rows or columns, or that would do the same as others.
  void checksThreads() {
    if (S.Accesses.UnnamedDimensions != 0)
      line() << "::gpurma::stages::check_unnamed(gpurma_region, " << S.Accesses.UnnamedDimensions << "u, dim3(" << E.text(S.Grid) << "), dim3("
             << E.text(S.Block) << "), " << Site << ");\n";
    for (const FittingThreads& Each : S.Accesses.Fitting) {
      auto Of = llvm::find_if(S.Accesses.Arrays, [&](const ArrayAccess& A) { return A.Array == Each.Array; });
      line() << "::gpurma::stages::check_threads(gpurma_region, " << Of->ShapedLike << ", "
             << Each.Extent << ", dim3(" << E.text(S.Grid) << "), dim3(" << E.text(S.Block) << "), "
             << Each.Dimension << ", " << Each.MovedBy << ", " << (Each.Exactly ? "true" : "false")
             << ", " << Site << (Each.Enough ? ", " + std::to_string(*Each.Enough) : "") << ");\n";
    }
    for (const PassedRow& Each : S.Accesses.PassedRows) {
      auto Of = llvm::find_if(S.Accesses.Arrays,
                              [&](const ArrayAccess& A) { return A.Array == Each.Array; });
      line() << "::gpurma::stages::check_row(gpurma_region, " << Of->ShapedLike << ", std::int64_t{"
             << passedName(Each.Number) << "} + " << Each.More << ", dim3(" << E.text(S.Grid)
             << "), dim3(" << E.text(S.Block) << "), " << Each.Dimension << ", " << Each.MovedBy
             << ", " << Site << ");\n";
    }
  }

  /// Numbers that say how far away a kernel reads, where a clause `halo` says so, too.
  void checksDepths() {
    for (const PassedDepth& Each : S.Accesses.PassedDepths)
      line() << "::gpurma::stages::check_depth(gpurma_region, " << Index << ", " << (Each.Times == 1 ? "" : std::to_string(Each.Times) + "LL * ")
             << passedName(Each.Number) << (Each.More == 0 ? "" : " + " + std::to_string(Each.More) + "LL") << ", " << Site << ");\n";
  }

  /// What a kernel writes row after row must not be what it reads other rows of, under another name.
  void checksApart() {
    for (const ArrayAccess& Written : S.Accesses.Arrays)
      for (const ArrayAccess& Read : S.Accesses.Arrays)
        if (&Read != &Written && readsRowsOf(S.Accesses, Written, Read))
          line() << "::gpurma::stages::check_apart(" << passedName(Written.Array) << ", " << passedName(Read.Array) << ", " << Site << ");\n";
  }

  // --- The class that has it.

  /// The logical block, and how many there are. One that has rows of a loop is the only one along their dimension.
  std::string place() const {
    const std::string Size = playsBlocks() ? launchedBlock() : "";
    const std::string Thread = playsBlocks() ? "::gpurma::stages::thread_in_block(" + Size + "), " : "", Between = playsBlocks() ? Size + ", " : "";
    if (!S.Accesses.Loop)
      return Thread + "gpurma_block, " + Between + "dim3(gpurma_grid[0], gpurma_grid[1], gpurma_grid[2])" +
             (rowLoopOf(S.Kernel, Draft.U) ? ", ::gpurma::stages::tile_rows()" : "");
    std::string Block, Grid, Rows;
    for (unsigned D = 0; D != 3; ++D) {
      std::string Axis(1, "xyz"[D]), Blocks = "gpurma_grid[" + std::to_string(D) + "]";
      bool OfRows = D == S.Accesses.RowDimension;
      Block += (D ? ", " : "") + (OfRows ? "0" : "gpurma_block." + Axis);
      Grid += (D ? ", " : "") + (OfRows ? "1" : Blocks);
      if (OfRows)
        Rows = "gpurma_block." + Axis + ", " + Blocks + ", " + (playsBlocks() ? std::to_string(*S.Accesses.LaunchedBlock[D]) + "u" : "::blockDim." + Axis) +
               " * " + std::to_string(S.Accesses.RowsPerThread) + fillingIterations();
    }
    return Thread + "uint3{" + Block + "}, " + Between + "dim3(" + Grid + "), ::gpurma::stages::tile_rows(" + Rows + ")";
  }

  /// What is run once for all tiles of a rank.
  std::string behind(const std::string& Arguments) const {
    std::string Grid;
    for (unsigned D = 0; D != 3; ++D)
      Grid += (D ? ", " : "") + (S.Accesses.Loop && D == S.Accesses.RowDimension ? "1" : "gpurma_grid[" + std::to_string(D) + "]");
    return " constexpr unsigned gpurma_copy = 0; " + stageFunctionCall(S.Kernel, S.Accesses.Threads, /*Behind=*/true, Draft.U, Draft.P) + "(" +
           (inParts() ? "::gpurma::stages::thread_of_block(), gpurma_threads.block_size(), gpurma_threads.grid(" +
                             std::string(S.Accesses.RowsStrided ? "true" : "false") + ")"
                       : "dim3(" + Grid + ")") +
           Arguments + ");";
  }

  std::string launchedBlock() const {
    const auto& Size = S.Accesses.LaunchedBlock;
    return "dim3(" + std::to_string(*Size[0]) + ", " + std::to_string(*Size[1]) + ", " + std::to_string(*Size[2]) + ")";
  }

  // --- Tiles that are not blocks of the launch.

  bool renumbers() const { return S.Accesses.Threads != ThreadMapping::Blocks; }
  /// All launches of the kernel run one text.
  bool hasFewerThreads() const { return gpurma::hasFewerThreads(S.Kernel, S.Accesses.Threads, Draft.U); }
  bool playsBlocks() const { return S.Accesses.Threads == ThreadMapping::PlayedBlocks; }
  bool inParts() const { return S.Accesses.Threads == ThreadMapping::PartialBlocks; }
  bool inOneDimension() const { return S.Accesses.Threads == ThreadMapping::OneDimension || inParts(); }
  std::string dimensions() const { return std::to_string(tileDimensions(S.Accesses)); }

  std::string numbering() const {
    if (forFixedRows())
      return "row_threads<" + std::to_string(arraysOfRows().size()) + ">";
    if (inParts())
      return "numbered_blocks";
    return inOneDimension() ? "thread_numbers" : "thread_places";
  }

  /// The tiles of a launch that are not its blocks, and what the threads in them are to it.
  void numberThreads() {
    StringRef Covers = S.Accesses.RowsStrided || S.Accesses.Loop ? "true" : "false";
    line() << "const ::gpurma::stages::" << numbering() << " gpurma_threads = ::gpurma::stages::";
    if (forFixedRows())
      threadsOfRows();
    else if (inOneDimension()) {
      llvm::ListSeparator Separator;
      Out << (inParts() ? std::string("number_blocks") + (hasFewerThreads() ? "<true>" : "") + "(gpurma_region, " + Index + ", {"
                        : "number_threads(gpurma_region, {");
      for (size_t Array : S.ShapedLike)
        Out << Separator << Array;
      Out << "}, " << dimensions() << ", " << Covers << ", dim3(" << E.text(S.Grid) << "), dim3(" << E.text(S.Block) << "), " << Site
          << (S.Accesses.ColumnsPerThread[0] != 1 ? ", " + std::to_string(S.Accesses.ColumnsPerThread[0]) : "") << ");\n";
    } else {
      Out << "place_threads(gpurma_region, " << Index << ", " << Covers << ", dim3(" << E.text(S.Grid) << "), dim3(" << E.text(S.Block) << ")";
      if (const Expr* First = S.firstRow())
        Out << ", " << S.Accesses.FirstRow->text(E.text(First)) << ", " << Site;
      Out << ");\n";
    }
    line() << "const dim3 gpurma_grid = ::gpurma::stages::tiles_of(gpurma_region, " << Index << ", "
           << (inOneDimension() ? dimensions() + ", " : "") << "gpurma_threads);\n";
  }

  std::string playedThread(const std::string& Arguments) const {
    const auto& Block = S.Accesses.LaunchedBlock;
    std::string Size = std::to_string(Block[0].value_or(0));
    std::string Type = "numbered_thread<" + dimensions() + ", " + Size + ">";
    if (S.Accesses.Threads == ThreadMapping::Coordinates)
      Type = "placed_thread<" + dimensions() + ", " + Size + ", " + std::to_string(Block[1].value_or(0)) + ", " + std::to_string(Block[2].value_or(0)) +
             (S.Accesses.FirstRow || hasTilesOfRows(S, Draft.R) ? std::string(", ") + (hasTilesOfRows(S, Draft.R) ? "true" : "false") : "") +
             (S.Accesses.FirstRow ? ", " + std::to_string(S.Accesses.RowDimension) : "") + ">";
    if (forFixedRows())
      Type = rowThread();
    if (S.Accesses.FixedRows.Searched || S.Accesses.FixedRows.ThreadsWalked != 1)
      return "for (::gpurma::stages::" + Type + " gpurma_played(gpurma_threads, gpurma_block); gpurma_played.exists(); gpurma_played.go_on()) " + Function +
             "(gpurma_played.thread(), gpurma_played.block(), gpurma_played.block_size(), gpurma_played.grid()" + ownRows() + Arguments + ");";
    if (inParts())
      return "for (::gpurma::stages::tile_blocks<" + dimensions() + ", " + (S.Accesses.RowsStrided ? "true" : "false") +
             (hasFewerThreads() ? ", true" : "") + "> gpurma_played(gpurma_threads, gpurma_block); gpurma_played.exist(); gpurma_played.go_on()) " + Function +
             "(gpurma_played.thread(), gpurma_played.block(), gpurma_played.block_size(), gpurma_played.grid(), gpurma_played.elements()" + Arguments + ");";
    return "const ::gpurma::stages::" + Type + " gpurma_played(gpurma_threads, gpurma_block); if (gpurma_played.exists()) " + Function +
           "(gpurma_played.thread(), gpurma_played.block(), gpurma_played.block_size(), gpurma_played.grid()" + (forFixedRows() ? ownRows() : playedRows()) +
           (S.Accesses.Threads == ThreadMapping::OneDimension ? ", gpurma_played.place()" : "") + Arguments + ");";
  }

  /// Those of a loop over the rows, of which each thread has some.
  std::string playedRows() const {
    if (!rowLoopOf(S.Kernel, Draft.U))
      return "";
    if (!S.Accesses.Loop)
      return ", ::gpurma::stages::tile_rows()";
    return ", gpurma_played.rows<" + std::to_string(S.Accesses.RowDimension) + ">(" + std::to_string(S.Accesses.RowsPerThread) +
           fillingIterations() + ")";
  }

  std::string fillingIterations() const {
    unsigned Filling = S.Accesses.Loop->fillingIterations();
    return Filling ? ", " + std::to_string(Filling) : "";
  }

  // --- Kernels for fixed rows.

  bool forFixedRows() const { return S.Accesses.Threads == ThreadMapping::FixedRows; }

  /// Whose rows say which threads do a store.
  std::vector<const ArrayAccess*> arraysOfRows() const {
    std::vector<const ArrayAccess*> Found;
    for (const ArrayAccess& A : S.Accesses.Arrays)
      if (A.Writes || A.FindsRows)
        Found.push_back(&A);
    return Found;
  }

  void threadsOfRows() {
    const FixedRowStores& Stores = S.Accesses.FixedRows;
    Out << "threads_of_rows(gpurma_region, " << Index << ", {";
    llvm::ListSeparator Separator, PairSeparator;
    for (const ArrayAccess* A : arraysOfRows())
      Out << Separator << A->ShapedLike;
    Out << "}, " << Stores.Dimensions << "u, " << Stores.LeastRows << ", {";
    for (const auto& [Read, Stored] : Stores.Distinct)
      Out << PairSeparator << "{" << passedName(Read) << ", " << passedName(Stored) << "}";
    Out << (Stores.Distinct.empty() ? "{nullptr, nullptr}" : "") << "}, dim3(" << E.text(S.Grid) << "), dim3(" << E.text(S.Block) << "), " << Site
        << ");\n";
  }

  /// 0 also where it is not known which.
  size_t storedRows() const {
    const auto& Rows = S.Accesses.FixedRows.Rows;
    return Rows ? Rows->size() : 0;
  }

  std::string storedRowNumbers() const {
    std::string Numbers;
    llvm::ListSeparator Separator;
    for (const FixedRow& Row : *S.Accesses.FixedRows.Rows) {
      Numbers += StringRef(Separator);
      for (const ArrayAccess* A : arraysOfRows())
        if (Row.Array && A->Array == *Row.Array)
          Numbers += "gpurma_region.rows_of(" + std::to_string(A->ShapedLike) + ") + ";
      if (Row.Parameter)
        Numbers += "static_cast<std::int64_t>(gpurma_" + std::to_string(Row.Parameter->getFunctionScopeIndex()) +
                   (Row.Field ? "." + Row.Field->getNameAsString() : "") + ") + ";
      Numbers += std::to_string(Row.Number);
    }
    return Numbers;
  }

  std::string rowThread() const {
    const auto& Block = S.Accesses.LaunchedBlock;
    const bool OfRows = hasTilesOfRows(S, Draft.R), OfComponents = hasRowsOfComponents();
    const std::string ArraysAndRows = std::to_string(arraysOfRows().size()) + ", " + std::to_string(S.Accesses.RowDimension);
    if (S.Accesses.FixedRows.Searched)
      return "searching_thread<" + ArraysAndRows + (OfComponents ? ", true>" : ">");
    return (S.Accesses.FixedRows.ThreadsWalked != 1 ? "walking_row_thread<" : "row_thread<") + ArraysAndRows + ", " +
           std::to_string(Block[0].value_or(0)) + ", " + std::to_string(Block[1].value_or(0)) +
           (OfRows ? ", true" : OfComponents ? ", false" : "") + (OfComponents ? ", true>" : ">");
  }

  bool hasRowsOfComponents() const {
    return llvm::any_of(arraysOfRows(), [](const ArrayAccess* A) { return A->OfComponents; });
  }

  std::string ownRows() const {
    llvm::ListSeparator Separator;
    std::string Pointers;
    for (const ArrayAccess* A : arraysOfRows())
      Pointers += (StringRef(Separator) + passedName(A->Array)).str();
    return ", gpurma_played.rows({" + Pointers + "})";
  }

  const Stage& S;
  RegionDraft& Draft;
  ExpressionWriter& E;
  raw_ostream& Out;
  unsigned Depth;
  const std::string Index, Class, Site, Function;
  /// The members of the launch's class, and their values.
  std::string Members, Values;
  /// What is passed to the kernel for its parameters, and before that for a tile, and behind all tiles.
  std::string Arguments, TileArguments, BehindArguments;
  /// What each thread of a rank keeps, and adds up at the end.
  std::string Parts, Sums;
  PassedArrays Arrays;
};

/// Runs all of them, behind what the last one is passed, and adds the class that they have together.
void writeTogether(const FusedLaunches& Fused, ArrayRef<LaunchClass> Members, LaunchWriter& Last, RegionDraft& Draft) {
  LaunchClass All = Members.front();
  All.Name = "gpurma_launches_" + Draft.Number + "_" + All.Stage;
  All.Arrays = {};
  All.Rereads = "by_all"; // measured, see docs/performance.md
  All.Members = All.Parts = All.Sums = All.Run = All.Behind = "";
  std::string Objects, Apart;
  for (size_t I = 0; I != Members.size(); ++I) {
    const LaunchClass& One = Members[I];
    const std::string Name = fusedLaunchName(Fused.Members[I].Stage), Thread = "gpurma_thread." + Name;
    const std::string RunsIt = " if ((gpurma_runs & " + std::to_string(1u << I) + ") != 0) ";
    Objects += ", " + (I + 1 != Members.size() ? Name + ".get()" : Last.object());
    All.Members += "  " + One.Name + " " + Name + ";\n";
    All.Arrays.add(One.Arrays, Name);
    if (One.Between == "barrier" || All.Between == "nothing")
      All.Between = One.Between;
    All.Parts += " " + One.Name + "::gpurma_parts " + Name + ";";
    All.Sums += " " + Name + ".gpurma_add_up(" + Thread + ", gpurma_of_warps);";
    if (Fused.Members[I].Before == BetweenLaunches::Reload)
      All.Run += " ::gpurma::platform::forget_memory();";
    else if (Fused.Members[I].Before == BetweenLaunches::Barrier)
      All.Run += " ::gpurma::platform::sync_block();"; // docs/memory-model.md, launches that run together
    All.Run += RunsIt + Name + ".gpurma_run<gpurma_copy>(gpurma_block, " + Thread + ");";
    if (!One.Behind.empty())
      All.Behind += (All.Behind.empty() ? "" : " ::gpurma::platform::sync_block();") + RunsIt + Name + ".gpurma_finish(" + Thread + ");";
  }
  auto Pointer = [&](const FusedLaunches::Passed& Array) {
    return passedName(Array.Array, fusedLaunchName(Fused.Members[Array.Member].Stage) + ".");
  };
  llvm::ListSeparator And(" && ");
  for (const auto& [One, Other] : Fused.Apart)
    Apart += (StringRef(And) + "::gpurma::stages::are_apart(" + Pointer(One) + ", " + Pointer(Other) + ")").str();
  All.Members = "  unsigned gpurma_runs;\n" + All.Members + "  static constexpr unsigned gpurma_count = " + std::to_string(Members.size()) +
                ";\n  __device__ __forceinline__ bool gpurma_are_apart() const { return " + (Apart.empty() ? "true" : Apart) + "; }\n";
  Last.line() << "gpurma_region.launch_together(" << All.Name << "{" << LaunchWriter::grid() << ", 0" << Objects << "}, " << Last.block() << ", "
              << siteText(Draft.R.Stages[Fused.Members.front().Stage].Launch->getBeginLoc(), Draft.U.sources()) << ");\n";
  Draft.Result.LaunchNames.push_back(All.Name);
  Draft.Result.Launches += All.text();
}

} // namespace

void RowCrossing::add(const ArrayAccess& Access, unsigned Index) {
  ReadsBefore |= unsigned(Access.Received.Before != 0) << Index;
  ReadsAfter |= unsigned(Access.Received.After != 0) << Index;
  // What is read after a process's rows is the next process's.
  bool Writes = Access.Writes.has_value(), Known = Access.Published.has_value();
  PutsBefore |= unsigned(Writes && (!Known || Access.Published->After != 0)) << Index;
  PutsAfter |= unsigned(Writes && (!Known || Access.Published->Before != 0)) << Index;
  Overwrites |= unsigned(Writes && Access.WritesFixedElements) << Index;
}

void RowCrossing::add(const RowCrossing& Other, unsigned Index) {
  ReadsBefore |= Other.ReadsBefore << Index;
  ReadsAfter |= Other.ReadsAfter << Index;
  PutsBefore |= Other.PutsBefore << Index;
  PutsAfter |= Other.PutsAfter << Index;
  Overwrites |= Other.Overwrites << Index;
}

std::string RowCrossing::text() const {
  return ";\n  static constexpr unsigned gpurma_overwrites = " + std::to_string(Overwrites) +
         ";\n  static constexpr unsigned gpurma_reads_before = " + std::to_string(ReadsBefore) +
         ";\n  static constexpr unsigned gpurma_reads_after = " + std::to_string(ReadsAfter) +
         ";\n  static constexpr unsigned gpurma_puts_before = " + std::to_string(PutsBefore) +
         ";\n  static constexpr unsigned gpurma_puts_after = " + std::to_string(PutsAfter);
}

void PassedArrays::add(const ArrayAccess& Access, const std::string& Pointer) {
  const size_t Index = Pointers.size();
  Boxes += (Index ? ", " : "") + writtenBox(Access);
  Reads |= (Access.Reads ? 1u : 0u) << Index;
  Writes |= (Access.Writes ? 1u : 0u) << Index;
  Crosses.add(Access, Index);
  Pointers.push_back(Pointer);
}

void PassedArrays::add(const PassedArrays& Other, const std::string& Member) {
  const size_t Index = Pointers.size();
  Boxes += (Index ? ", " : "") + Other.Boxes;
  Reads |= Other.Reads << Index;
  Writes |= Other.Writes << Index;
  Crosses.add(Other.Crosses, Index);
  for (const std::string& Each : Other.Pointers)
    Pointers.push_back(Member + "." + Each);
}

std::string PassedArrays::text() const {
  return "  __device__ __forceinline__ ::gpurma::stages::pointers<" + std::to_string(std::max<size_t>(Pointers.size(), 1)) +
         "> gpurma_arrays() const { return {{" + (Pointers.empty() ? "nullptr" : llvm::join(Pointers, ", ")) + "}}; }\n" +
         boxesFunction(Pointers.empty() ? "{}" : Boxes);
}

std::string LaunchClass::text() const {
  return "struct " + Name + " {\n  static constexpr int gpurma_stage = " + Stage + ";\n  static constexpr unsigned gpurma_row_dimension = " + RowDimension +
         ";\n  static constexpr int gpurma_stored_rows = " + StoredRows +
         ";\n  [[maybe_unused]] static constexpr auto gpurma_between = ::gpurma::stages::between_tiles::" + Between +
         ";\n  [[maybe_unused]] static constexpr auto gpurma_rereads = ::gpurma::stages::rereading::" + Rereads +
         ";\n  static constexpr unsigned gpurma_reads = " + std::to_string(Arrays.Reads) +
         ";\n  static constexpr unsigned gpurma_writes = " + std::to_string(Arrays.Writes) + Arrays.Crosses.text() + ";\n" + members() + Arrays.text() +
         functions() + "};\n";
}

std::string LaunchClass::textOfMember() const { return "struct " + Name + " {\n" + members() + functions() + "};\n"; }

std::string LaunchClass::members() const { return "  unsigned gpurma_grid[3];\n" + Members; } // nvcc 13.0 fails at copies of some classes with a dim3

std::string LaunchClass::functions() const {
  return "  struct gpurma_parts {" + Parts + (Parts.empty() ? "" : " ") +
         "};\n  __device__ __forceinline__ void gpurma_add_up([[maybe_unused]] const gpurma_parts& gpurma_thread, "
         "[[maybe_unused]] ::gpurma::stages::parts_of_warps* gpurma_of_warps) const {" +
         Sums +
         (Sums.empty() ? "" : " ") +
         "}\n  template <unsigned gpurma_copy> __device__ __forceinline__ void gpurma_run(const uint3& gpurma_block, "
         "[[maybe_unused]] gpurma_parts& gpurma_thread) {" +
         Run + " }\n  __device__ __forceinline__ void gpurma_finish([[maybe_unused]] gpurma_parts& gpurma_thread) const {" + Behind +
         (Behind.empty() ? "" : " ") + "}\n";
}

std::string launchClass(const RegionDraft& Draft, const std::string& Index) { return "gpurma_launch_" + Draft.Number + "_" + Index; }

void writeLaunch(const Stage& S, RegionDraft& Draft, ExpressionWriter& E, raw_ostream& Out, unsigned Depth) { LaunchWriter(S, Draft, E, Out, Depth).run(); }

std::string fusedLaunchName(size_t Stage) { return "gpurma_launched_" + std::to_string(Stage); }

void writeFusedLaunch(const FusedLaunches& Fused, const Stage& S, std::vector<LaunchClass>& Members, RegionDraft& Draft, ExpressionWriter& E,
                      raw_ostream& Out, unsigned Depth) {
  LaunchWriter Writer(S, Draft, E, Out, Depth);
  if (!Writer.begin())
    return;
  Members.push_back(Writer.written());
  Draft.Result.Launches += Members.back().textOfMember();
  if (Members.size() == Fused.Members.size())
    writeTogether(Fused, Members, Writer, Draft);
  else
    Writer.line() << fusedLaunchName(Fused.Members[Members.size() - 1].Stage) << ".set(" << Writer.object() << ");\n";
  Writer.end();
}

void addCopyClass(const Stage& S, const std::string& Class, const std::string& Index, bool Fills, WrittenRegion& Result) {
  RowCrossing Crosses;
  std::string Boxes;
  for (const ArrayAccess& Access : S.Accesses.Arrays) {
    Crosses.add(Access, &Access - S.Accesses.Arrays.data());
    Boxes += (Boxes.empty() ? "" : ", ") + writtenBox(Access);
  }
  std::string Kind = S.Accesses.Arrays.front().OfComponents ? ", true" : S.Copied.Rows ? ", false" : "";
  if (S.Copied.Rows)
    Kind += ", " + std::to_string(*S.Copied.Rows);
  Result.LaunchNames.push_back(Class);
  Result.Launches += "struct " + Class + " : ::gpurma::stages::array_" + (Fills ? "fill" : "copy") + "<" + std::to_string(S.Accesses.RowDimension) +
                     ", " + std::to_string(S.Copied.Bytes) + ", " + std::to_string(S.Copied.Alignment) + Kind +
                     "> {\n  static constexpr int gpurma_stage = " + Index + Crosses.text() + ";\n" + boxesFunction(Boxes) + "};\n";
}

} // namespace gpurma
