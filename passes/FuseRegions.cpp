// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FuseRegions: writes the kernel that a persistent region becomes, and what the host does instead of
// the region's statement. LowerRegions puts both into the text.
//
// Before:  #pragma gpurma persistent distribute(a, b : rows(ny, nx)) halo(a : 1) reduce(+ : *norm)
//          for (...) { ... jacobi<<<grid, block>>>(b, a, norm, ny, nx); ... std::swap(a, b); }
// After:   namespace { struct gpurma_values_0 { float* a; float* b; ... };
//          struct gpurma_launch_0_0 { ... what the kernel is passed ... };
//          template <unsigned gpurma_registers, ::gpurma::stages::process_count gpurma_processes>
//          __global__ void gpurma_region_0(gpurma_values_0, ...) {
//            ... the loop, for the threads that lead; the others follow ... }
//          ... gpurma_kernels_0 = GPURMA_REGION_KERNELS(gpurma_region_0); }
//          and, in the function,
//          { gpurma_values_0 gpurma_values; ... ::gpurma::stages::run(gpurma_kernels_0, ...); ... }
//
// The text is not changed.
#include "frontend/DynamicRecursiveASTVisitor.h"
#include "passes/ClauseMembers.h"
#include "passes/ConstantMembers.h"
#include "passes/DeviceFunctions.h"
#include "passes/HostTables.h"
#include "passes/Kernels.h"
#include "passes/LaunchSize.h"
#include "passes/LaunchTiles.h"
#include "passes/LocalTypes.h"
#include "passes/Pass.h"
#include "passes/PointedObjects.h"
#include "passes/RegionNames.h"
#include "passes/RegionRegisters.h"
#include "passes/RegionWriter.h"
#include "passes/ThreadCooperation.h"

#include "frontend/SourceText.h"
#include "clang/AST/Attr.h"
#include "clang/AST/PrettyPrinter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace clang;

namespace gpurma {
namespace {

/// What a region's statement names, and the text that takes its place might not.
class NamedOnHost : public DynamicRecursiveASTVisitor {
public:
  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    if (const auto* V = dyn_cast<VarDecl>(Ref->getDecl()))
      Variables.insert(V);
    const auto* F = dyn_cast<FunctionDecl>(Ref->getDecl());
    if (F && !isa<CXXMethodDecl>(F) && !F->isTemplateInstantiation() && F->getFormalLinkage() == Linkage::Internal)
      Functions.insert(F->getCanonicalDecl());
    return true;
  }
  bool VisitVarDecl(VarDecl* V) override {
    Declared.insert(V);
    return true;
  }
  llvm::SmallSetVector<const VarDecl*, 16> Variables;
  llvm::DenseSet<const VarDecl*> Declared;
  llvm::SmallSetVector<const FunctionDecl*, 8> Functions;
};

/// The class by whose name a function of it reaches a static member, also a private one, and in a
/// template as that of each instance; null: it is reached by its own name.
const CXXRecordDecl* classAround(const Decl* Member, const Region& R) {
  const auto* Method = dyn_cast<CXXMethodDecl>(R.outermostFunction());
  const auto* Of = dyn_cast<CXXRecordDecl>(Member->getDeclContext());
  const CXXRecordDecl* Around = Method && Of ? Method->getParent() : nullptr;
  return Around && Around->getIdentifier() &&
                 (declaresSameEntity(Around, Of) || Around->isDerivedFrom(Of))
             ? Around
             : nullptr;
}

std::string nameOnHost(const VarDecl* V, const Region& R, const PrintingPolicy& Policy) {
  if (const FieldDecl* Member = memberOfObject(V))
    return "this->" + Member->getNameAsString();
  if (isObjectValue(V))
    return objectValueName(V);
  if (const VarDecl* Pointer = pointerToObject(V))
    return "(*" + nameOnHost(Pointer, R, Policy) + ")";
  if (vectorOfTable(V))
    return tableName(V) + ".data()";
  if (const PointerVariable Member = memberOfClause(V))
    return nameOnHost(Member.Variable, R, Policy) + Member.memberText();
  if (const CXXRecordDecl* Around = V->isStaticDataMember() ? classAround(V, R) : nullptr)
    return Around->getNameAsString() + "::" + V->getNameAsString();
  return !V->hasGlobalStorage() || V->isStaticLocal() ? V->getNameAsString() : globalName(V, Policy);
}

/// Prints the references of members as the function may name them, and what other functions name.
class HostPrinter final : public PrinterHelper {
public:
  HostPrinter(const Region& R, const PrintingPolicy& Policy) : R(R), Policy(Policy) {}

  std::string text(const Expr* E) {
    std::string Text;
    llvm::raw_string_ostream Out(Text);
    E->printPretty(Out, this, Policy);
    return Text;
  }

  bool handledStmt(Stmt* S, llvm::raw_ostream& To) override {
    // What a type is printed as may have several words.
    if (const auto* Cast = dyn_cast<CXXFunctionalCastExpr>(S); Cast && Cast->getType()->isScalarType() && !isa<InitListExpr>(Cast->getSubExpr())) {
      To << converted(Cast->getType(), Cast->getSubExpr());
      return true;
    }
    // Of an object of the region, which may be constructed from what is not known before it.
    if (const auto* Member = dyn_cast<MemberExpr>(S)) {
      const VarDecl* V = namedVariable(Member->getBase());
      const std::optional<std::int64_t> Number = V && R.declares(V) ? constantMember(Member, V->getASTContext()) : std::nullopt;
      if (Number)
        To << *Number;
      return Number.has_value();
    }
    const auto* Ref = dyn_cast<DeclRefExpr>(S);
    if (!Ref)
      return false;
    if (const auto* V = dyn_cast<VarDecl>(Ref->getDecl())) {
      To << (R.declares(V) ? converted(V->getType(), V->getInit()) : nameOnHost(V, R, Policy));
      return true;
    }
    if (Ref->getDecl()->getParentFunctionOrMethod() || !isa<EnumConstantDecl>(Ref->getDecl()))
      return false;
    To << "::";
    Ref->getDecl()->printQualifiedName(To, Policy);
    return true;
  }

private:
  std::string converted(QualType Type, const Expr* Value) {
    std::string Name = Type.getNonReferenceType().getUnqualifiedType().getAsString(Policy), Text = text(Value);
    if (!Type->isScalarType())
      return Name + (StringRef(Text).starts_with("{") ? Text : "(" + Text + ")");
    return "static_cast<" + Name + ">(" + Text + ")";
  }

  const Region& R;
  const PrintingPolicy& Policy;
};

class RegionFuser {
public:
  RegionFuser(Region& R, Unit& U, Program& P) : R(R), U(U), P(P), Context(U.context()) {}

  void run() {
    for (Stage& S : R.Stages)
      if (!checkArguments(S))
        return;
    Number = std::to_string(P.number("region " + fileName(U.sources().getFileID(R.directive().HashLoc), U.sources()) + ":" +
                                     std::to_string(U.sources().getFileOffset(R.directive().HashLoc)) + " " +
                                     instanceCondition(R.function(), U.sources()).value_or("")));
    // On the CPU target nothing is faster; and what is checked, the region's kernel checks.
    if (P.Options.Target == Target::CUDA && !P.Options.Check)
      R.OnHost = findLoopOnHost(R, U.sources());
    const LocalTypes Types(R, Number, Context);
    {
      const LocalTypes::Renamed Here(Types);
      Written = writeRegion(R, Number, Types, U, P);
      takeConstants();
      if (U.Diags->hasErrors())
        return;
      R.KernelText = kernelText(Types);
    }
    if (R.OnHost)
      findRepetition(*R.OnHost);
    R.LaunchText = launchText();
    P.HasRegions = true;
    noteRegisters();
  }

private:
  DiagnosticBuilder report(SourceLocation Loc, Diag Which) { return U.Diags->report(Loc, Which); }

  void noteRegisters() {
    RegionRegisters Noted;
    for (const Stage& S : R.Stages)
      if (S.Kernel)
        Noted.Launches.push_back(
            {S.Kernel->getNameAsString(), registersBeside(S.Accesses, R, Context)});
    if (const Stage* InBlocks = stageOfRanks())
      Noted.Threads = threadsIn(InBlocks->Accesses.LaunchedBlock).value_or(0);
    P.Regions.push_back(std::move(Noted));
  }

  /// Of a launch that is passed no distributed array nothing is known but its parameters' types.
  bool checkArguments(Stage& S) {
    if (S.Inferred || S.Copy)
      return true;
    unsigned Dimensions = 1;
    for (const DistributedArray& A : R.Arrays)
      Dimensions = std::max<unsigned>(Dimensions, std::min<size_t>(A.Shape.size(), 3));
    S.Accesses.RowDimension = Dimensions - 1;
    for (const MapClause& M : R.Maps)
      if (names(M, S.Kernel))
        S.Accesses.RowDimension = M.RowDimension;
    for (unsigned I = 0; I != S.Kernel->getNumParams() && I != S.Arguments.size(); ++I) {
      const ParmVarDecl* Parameter = S.Kernel->getParamDecl(I);
      QualType Type = Parameter->getType();
      if (!Type->isPointerType() || Type->getPointeeType().isConstQualified() ||
          R.reducedAt(S.Arguments[I]))
        continue;
      report(S.Arguments[I]->getBeginLoc(), Diag::err_stage_pointer) << S.Kernel->getName() << spelled(S.Arguments[I]);
      report(Parameter->getLocation(), Diag::note_declared_here) << Parameter;
      if (isOfOneThread(S.Grid, S.Block, VariableChanges(R.outermostFunction()->getBody()), Context))
        report(S.Launch->getBeginLoc(), Diag::note_one_thread);
      return false;
    }
    return true;
  }

  // --- Text.

  std::string type(QualType Type, std::string Name) const {
    Type = Type.getNonReferenceType();
    Qualifiers Ignored; // of the elements of an array
    Context.getUnqualifiedArrayType(Type, Ignored).getUnqualifiedType().getAsStringInternal(Name, sourcePolicy(Context));
    return Name;
  }

  std::string sizes() const {
    return std::to_string(R.Stages.size()) + ", " + std::to_string(R.Arrays.size()) + ", " +
           std::to_string(std::max<size_t>(R.Reductions.size(), 1));
  }

  std::string kernelText(const LocalTypes& Types) {
    std::string Text = "namespace {\n" + Types.definitions(sourcePolicy(Context)) + "struct gpurma_values_" + Number + " {\n";
    for (const VarDecl* V : Written.Captured)
      Text += "  " + type(isHostScalar(V) ? V->getType().getNonReferenceType()->getPointeeType() : V->getType(), capturedName(V, P)) + ";\n";
    for (unsigned I = 0; I != R.Reductions.size(); ++I)
      Text += "  " + type(R.Reductions[I].Scalar->getType(), "gpurma_scalar_" + std::to_string(I)) + ";\n";
    for (unsigned I = 0; I != R.Reductions.size(); ++I)
      if (R.Reductions[I].OfBlocks)
        Text += "  unsigned long long gpurma_blocks_" + std::to_string(I) + ";\n";
    if (!R.Collected.empty())
      Text += "  ::gpurma::stages::collected_plan gpurma_collected[" + std::to_string(R.Collected.size()) + "];\n";
    for (const VarDecl* V : R.Kept)
      Text += "  " + type(V->getType(), keptName(R, V)) + ";\n";
    if (R.OnHost) {
      for (const VarDecl* V : R.OnHost->Variables)
        Text += "  " + type(V->getType(), loopVariableName(V)) + ";\n";
      Text += std::string("  ::gpurma::stages::loop_progress ") + LoopField + ";\n";
    }
    if (!R.HostParts.empty())
      Text += std::string("  unsigned ") + HostPartField + ";\n  ::gpurma::stages::behind_host_part " + BehindField + ";\n";
    Text += "};\n" + Written.Launches;
    Text += "template <unsigned gpurma_registers, ::gpurma::stages::process_count "
            "gpurma_processes>\n__global__ void __maxnreg__(gpurma_registers) gpurma_region_" +
            Number + "(gpurma_values_" + Number +
            " gpurma_values, const __grid_constant__ ::gpurma::stages::plan<" + sizes() +
            "> gpurma_plan, const __grid_constant__ ::gpurma::stages::memory gpurma_memory, "
            "gpurma_values_" +
            Number + "* gpurma_results) {\n";
    Text += "  ::gpurma::rank_scope gpurma_rank_scope_;\n";
    Text += "  ::gpurma::stages::region_of<gpurma_processes, " + sizes() +
            "> gpurma_region(gpurma_plan, gpurma_memory);\n  if (gpurma_region.leads()) {\n";
    for (const auto& [V, Value] : Constants)
      Text += "    [[maybe_unused]] constexpr " + type(V->getType(), capturedName(V, P)) + " = " +
              Value + ";\n";
    for (const VarDecl* V : Written.Captured) {
      std::string Name = capturedName(V, P);
      Text += std::string("    [[maybe_unused]] ") + (Written.Changed.count(V) ? "" : "const ") + "auto& " + Name +
              " = gpurma_values." + Name + ";\n";
    }
    for (const VarDecl* V : R.Kept)
      Text += "    auto& " + keptName(R, V) + " = gpurma_values." + keptName(R, V) + ";\n";
    if (R.OnHost) // a copy: if functions got its address among the values, these would not be in
                  // registers
      Text += std::string("    auto ") + LoopField + " = gpurma_values." + LoopField + ";\n";
    if (!R.HostParts.empty())
      Text += std::string("    auto& ") + HostPartField + " = gpurma_values." + HostPartField + ";\n";
    for (unsigned I = 0; I != R.Reductions.size(); ++I) {
      const ReducedScalar& S = R.Reductions[I];
      std::string Operation = operationName(S, Context);
      std::string Index = std::to_string(I);
      Text += "    ::gpurma::stages::reduced<" + type(S.Scalar->getType(), "") + ", " + Operation + ", " + sizes() +
              (S.Total.isNull() ? "" : ", " + type(S.Total, "")) + "> gpurma_reduced_" + Index + "(gpurma_region, " + Index + ", gpurma_values.gpurma_scalar_" + Index + ");\n";
      if (S.OfBlocks)
        Text += "    auto& gpurma_blocks_" + Index + " = gpurma_values.gpurma_blocks_" + Index + ";\n";
    }
    Text += Written.Text;
    if (R.OnHost)
      Text += std::string("    gpurma_values.") + LoopField + " = " + LoopField + ";\n";
    for (unsigned I = 0; I != R.Reductions.size(); ++I)
      Text += "    gpurma_values.gpurma_scalar_" + std::to_string(I) + " = gpurma_reduced_" + std::to_string(I) + ".value();\n";
    llvm::ListSeparator Separator;
    std::string Launches;
    for (const std::string& Name : Written.LaunchNames)
      Launches += (StringRef(Separator) + Name).str();
    Text += "    gpurma_region.dismiss();\n  } else {\n    gpurma_region.template follow<" +
            Launches + ">();\n  }\n";
    Text += "  gpurma_region.end();\n  if (gpurma_region.reports())\n    memcpy(static_cast<void*>(gpurma_results), &gpurma_values, sizeof gpurma_values);\n}\n";
    Text += "const ::gpurma::stages::region_kernels<gpurma_values_" + Number + ", " + sizes() +
            ">::type gpurma_kernels_" + Number + " = GPURMA_REGION_KERNELS(gpurma_region_" +
            Number + ");\nconst ::gpurma::rank_kernels gpurma_rank_kernels_" + Number +
            "(gpurma_kernels_" + Number + ");\n";
    return Text + "}\n";
  }

  /// Static members among them may be declared only, and are then not there to be copied.
  void takeConstants() {
    for (const VarDecl* V : Written.Captured)
      if (V->isUsableInConstantExpressions(Context) && V->getType()->isIntegralOrEnumerationType())
        if (std::optional<std::string> Value = constant(V))
          Constants.emplace_back(V, *Value);
    for (const auto& [V, Value] : Constants)
      Written.Captured.remove(V);
  }

  std::optional<std::string> constant(const VarDecl* V) const {
    const APValue* Value = V->evaluateValue();
    if (!Value || !Value->isInt())
      return std::nullopt;
    return "static_cast<" + type(V->getType(), "") + ">(" + llvm::toString(Value->getInt(), 10) + ")";
  }

  std::string spelled(const Expr* E) const {
    // The text of a member's reference leaves out `this->`, which tells it from what hides it; and an object's value is its call.
    if (!mentions(E, [](const VarDecl* V) { return memberOfObject(V) != nullptr || isObjectValue(V); }))
      if (std::optional<std::string> Spelled = spelledText(E->getSourceRange(), U.sources(), Context.getLangOpts()))
        return *Spelled;
    const PrintingPolicy Policy = sourcePolicy(Context);
    return HostPrinter(R, Policy).text(E);
  }

  /// Of a launch's settings, before the region: its function, which may be another, names more than can be named there.
  std::string setting(const Expr* E) const {
    if (!R.HasCalls && !mentions(E, [&](const VarDecl* V) { return R.declares(V); }))
      return spelled(E);
    // dim3 block; block.x = 32;
    if (const VariableChanges Changed(R.Statement); mentions(E, [&](const VarDecl* V) { return R.declares(V) && Changed.changes(V); }))
      if (const auto Size = constantLaunchSize(E, VariableChanges(R.outermostFunction()->getBody()), Context, R.Statement); Size[0] && Size[1] && Size[2])
        return std::to_string(*Size[0]) + ", " + std::to_string(*Size[1]) + ", " + std::to_string(*Size[2]);
    const PrintingPolicy Policy = sourcePolicy(Context);
    return HostPrinter(R, Policy).text(E);
  }

  static bool mentions(const Stmt* S, llvm::function_ref<bool(const VarDecl*)> Which) {
    const auto* Ref = dyn_cast<DeclRefExpr>(S);
    const auto* V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    return (V && Which(V)) || llvm::any_of(S->children(), [&](const Stmt* Child) { return Child && mentions(Child, Which); });
  }

  /// Low and high of each axis; the depth of a halo clause in place of what the row axis has.
  std::string reach(const std::array<AxisAccess, 3>& Axes, unsigned RowDimension, const Expr* Halo) const {
    std::string Text;
    for (unsigned Axis = 0; Axis != 3; ++Axis) {
      Text += Axis ? ", " : "";
      if (Halo && Axis == RowDimension)
        Text += "-" + depth(Halo) + ", " + depth(Halo);
      else if (Axes[Axis].Whole)
        Text += "::gpurma::stages::whole, ::gpurma::stages::whole";
      else
        Text += std::to_string(Axes[Axis].Low) + ", " + std::to_string(Axes[Axis].High);
    }
    return Text;
  }

  std::string depth(const Expr* Halo) const {
    return "::gpurma::stages::halo_depth(" + spelled(Halo) + ", " + siteText(R.directive().HashLoc, U.sources()) + ")";
  }

  const Expr* haloOf(const Stage& S, const PointerVariable& InKernel) const {
    const Expr* Depth = nullptr;
    const PointerVariable Passed = passedFor(S, InKernel).Element;
    for (const HaloClause& H : R.Halos) {
      if (!Passed || !Passed.matches(H.Array))
        continue;
      // Of elements with different ones none is stated.
      if (Depth && spelled(Depth) != spelled(H.Depth))
        return nullptr;
      Depth = H.Depth;
    }
    return Depth;
  }

  /// The kernel as it is launched elsewhere; the type chooses among overloads.
  std::string kernelAddress(const FunctionDecl* Kernel) const {
    return "reinterpret_cast<const void*>(static_cast<" + type(Context.getPointerType(Kernel->getType()), "") + ">(" +
           qualifiedName(Kernel).value_or("") + "))";
  }

  std::string stagePlan(const Stage& S) const {
    if (S.Copy)
      return copyPlan(S);
    std::string Text = "::gpurma::stages::stage_plan(" + stringLiteral(S.Kernel->getNameAsString()) + ", " + kernelAddress(S.Kernel) + ", " +
                       std::to_string(S.Accesses.RowDimension) + ", " + tile(S) + ", " +
                       (S.Shared ? setting(S.Shared) : "0") + ")";
    bool Periodic = false, PerhapsPeriodic = false, Far = false, RowsTogether = false;
    std::uint32_t Walks = 0;
    WrittenEndRows EndRows;
    const std::vector<const Stage*> Launches = runBy(S);
    for (const Stage* L : Launches) {
      for (const ArrayAccess& A : L->Accesses.Arrays) {
        if (A.Reads) {
          Text += (A.ReadsAlongAxes ? ".reads_along_axes(" : ".reads(") + reach(*A.Reads, S.Accesses.RowDimension, haloOf(*L, A.Array)) + ")";
          Periodic |= (*A.Reads)[S.Accesses.RowDimension].Periodic;
          PerhapsPeriodic |= (*A.Reads)[S.Accesses.RowDimension].PerhapsPeriodic;
        }
        if (A.Writes)
          Text += ".writes(" + reach(*A.Writes, S.Accesses.RowDimension, nullptr) + ")";
        EndRows.unite(A.EndRows);
      }
      Far |= L->Accesses.ReadsFar;
      RowsTogether |= L->Accesses.RowsTogether;
      Walks |= walksCode(L->Accesses); // the same in all, where both have arrays of a rank
    }
    Text += Periodic ? ".with_periodic_rows()" : PerhapsPeriodic ? ".with_perhaps_periodic_rows()" : "";
    Text += Far ? ".with_far_rows()" : "";
    for (const Stage* L : Launches)
      if (const auto& Any = L->Accesses.ReadsAnyRow) {
        Text += ".with_read_of_any_row(" + stringLiteral("'" + Any->Array.name() + "' (" + fileAndLine(Any->Where->getExprLoc(), U.sources()) + ")") + ")";
        break;
      }
    Text += threadRows(Launches);
    if (const unsigned Beside = registersBeside(S.Accesses, R, Context))
      Text += ".with_registers_beside(" + std::to_string(Beside) + ")";
    return Text + ".with_walks(" + std::to_string(Walks) + "u, " + std::to_string(S.Accesses.RowsPerThread) + ", " + (RowsTogether ? "true" : "false") + ")" +
           (S.Accesses.Threads != ThreadMapping::Blocks ? ".with_renumbered_threads(" + blockOfRanks() + ")"
            : overlap(S.Accesses.Pitch)              ? ".with_renumbered_threads(dim3(" + setting(S.Block) + "))"
                                                        : "") +
           (S.Accesses.FixedRows.Rows ? ".with_few_rows()" : "") + writtenEndRows(EndRows) + columnsPerThread(S.Accesses) + touchedEnds(Launches) +
           (Launches.empty() ? ".run_in_another()" : "");
  }

  /// How far threads read from what they write, where a process may run tiles of its neighbours as well: threads that work each for itself,
  /// and leave nothing behind but in the arrays.
  std::string threadRows(ArrayRef<const Stage*> Launches) const {
    // What it has written under another grid a launch does not put again.
    const VariablesKnownBefore Known(R);
    if (llvm::any_of(Launches, [&](const Stage* L) { return (L->Grid && !Known.isKnown(L->Grid)) || (L->firstRow() && !Known.isKnown(L->firstRow())); }))
      return "";
    std::optional<RowsBeyond> Most, Least;
    // What threads of a tile have written for each other is no rows of their own.
    if (const FusedLaunches* Fused = Launches.empty() ? nullptr : R.fusedWith(*Launches.front()))
      if (llvm::any_of(Fused->Members, [](const FusedLaunches::Member& Each) { return Each.Before == BetweenLaunches::Barrier; }))
        return "";
    for (const Stage* L : Launches) {
      const bool AddsParts = llvm::all_of(L->Accesses.Reductions, [&](const AtomicReduction& A) {
        return (L->Sums.any() && A.Op != AtomicReduction::Set) || llvm::is_contained(L->AddedUpByThreads, A.Scalar);
      });
      if (!L->Accesses.ThreadRowsKnown || !AddsParts || !L->Collected.empty() || (!L->Sums.any() && worksTogether(L->Kernel)))
        return "";
      for (const ArrayAccess& A : L->Accesses.Arrays) {
        if (!A.Reads)
          continue;
        Most = {std::max(A.FromWritten.Before, Most ? Most->Before : INT64_MIN), std::max(A.FromWritten.After, Most ? Most->After : INT64_MIN)};
        Least = {std::min(A.FromWritten.Before, Least ? Least->Before : INT64_MAX), std::min(A.FromWritten.After, Least ? Least->After : INT64_MAX)};
      }
    }
    if (Launches.empty() || P.Options.Check)
      return "";
    auto Text = [](const std::optional<RowsBeyond>& Rows) {
      return Rows ? std::to_string(Rows->Before) + ", " + std::to_string(Rows->After) : "0, 0";
    };
    return ".with_thread_rows(" + Text(Most) + ", " + Text(Least) + ")";
  }

  /// The launches that a stage runs; none, if another one runs it.
  std::vector<const Stage*> runBy(const Stage& S) const {
    const FusedLaunches* Fused = R.fusedWith(S);
    if (!Fused)
      return {&S};
    std::vector<const Stage*> Launches;
    if (R.isFirstOf(*Fused, S))
      for (const FusedLaunches::Member& Each : Fused->Members)
        Launches.push_back(&R.Stages[Each.Stage]);
    return Launches;
  }

  static std::string writtenEndRows(const WrittenEndRows& Rows) {
    if (!Rows.some())
      return "";
    return ".writes_end_rows(" + std::to_string(Rows.Count.First) + ", " + std::to_string(Rows.Count.Last) + ", " + std::to_string(Rows.Low) + ", " +
           std::to_string(Rows.High) + ")";
  }

  static std::string columnsPerThread(const KernelAccesses& Accesses) {
    const std::array<std::int64_t, 3>& Columns = Accesses.ColumnsPerThread;
    if (!Accesses.hasSeveralColumns())
      return "";
    return ".with_columns_per_thread(" + std::to_string(Columns[0]) + ", " + std::to_string(Columns[1]) + ", " + std::to_string(Columns[2]) + ")";
  }

  /// What the launch touches of the dimensions behind the rows that its grid does not walk, of any of its arrays.
  static std::string touchedEnds(ArrayRef<const Stage*> Launches) {
    std::string Text;
    for (size_t J = 1; J < 4; ++J) {
      std::optional<DimensionEnds> All;
      for (const Stage* L : Launches)
        for (const ArrayAccess& A : L->Accesses.Arrays) {
          if (A.Walks.size() <= J || A.Walks[J])
            continue;
          if (!All)
            All = DimensionEnds();
          All->unite(A.Ends.empty() ? DimensionEnds{/*Whole=*/true} : A.Ends[J]);
        }
      if (All && !All->Whole)
        Text += ".touches_ends(" + std::to_string(J) + ", " + std::to_string(All->First) + ", " + std::to_string(All->Last) + ")";
    }
    return Text;
  }

  std::string copyPlan(const Stage& S) const {
    std::string Text = "::gpurma::stages::plan_of_copy(" + stringLiteral(S.name()) + ", " + blockOfRanks() + ", " +
                       std::to_string(S.Accesses.RowDimension) + ", " + std::to_string(walksCode(S.Accesses)) + "u)";
    bool Periodic = false;
    for (const ArrayAccess& A : S.Accesses.Arrays) {
      Text += A.Reads ? ".reads(" + reach(*A.Reads, S.Accesses.RowDimension, nullptr) + ")"
                      : ".writes(" + reach(*A.Writes, S.Accesses.RowDimension, nullptr) + ")";
      Periodic |= A.Reads && (*A.Reads)[S.Accesses.RowDimension].Periodic;
    }
    return Text + (Periodic ? ".with_periodic_rows()" : "") + (S.Copied.Rows ? ".with_few_rows()" : "") +
           (S.Accesses.ThreadRowsKnown && !P.Options.Check ? ".with_thread_rows(0, 0, 0, 0)" : "");
  }

  /// A block, or what takes its place: one with the threads of the region's other launches, so that all ranks have the same.
  std::string tile(const Stage& S) const {
    if (overlap(S.Accesses.Pitch))
      return tileOfOverlapping(S.Accesses);
    if (S.Accesses.runsBlocks())
      return "dim3(" + setting(S.Block) + ")";
    if (S.Accesses.Threads == ThreadMapping::PartialBlocks)
      return tileInLine(S);
    std::string Dimensions = std::to_string(tileDimensions(S.Accesses));
    if (!hasTilesOfRows(S, R))
      return "::gpurma::stages::tile_of(" + blockOfRanks() + ", " + Dimensions + ")";
    const Stage* Other = stageOfRanks();
    return "::gpurma::stages::tile_of_rows(" + blockOfRanks() + ", " +
           std::to_string(Other ? Other->Accesses.RowDimension : tileDimensions(R) - 1) + ", " +
           std::to_string(Other ? Other->Accesses.RowsPerThread : 1) + ", " + Dimensions + ", " + std::to_string(S.Accesses.RowsPerThread) + ")";
  }

  /// As many coordinates as blocks begin apart.
  static std::string tileOfOverlapping(const KernelAccesses& Accesses) {
    std::string Text;
    for (unsigned D = 0; D != 3; ++D)
      Text += (D ? ", " : "dim3(") + std::to_string(Accesses.Pitch[D].value_or(*Accesses.LaunchedBlock[D]));
    return Text + ")";
  }

  /// The launch whose block is that of the ranks; null if none runs in its blocks.
  const Stage* stageOfRanks() const {
    auto InBlocks = llvm::find_if(R.Stages, [](const Stage& S) { return S.Accesses.Threads == ThreadMapping::Blocks; });
    return InBlocks == R.Stages.end() ? nullptr : &*InBlocks;
  }

  /// A piece of consecutive elements.
  std::string tileInLine(const Stage& S) const {
    std::string Text = "::gpurma::stages::tile_in_line(" + blockOfRanks() + ", " + (S.Accesses.RowsStrided ? "true" : "false");
    for (const Expr* Extent : llvm::reverse(llvm::drop_begin(R.Arrays[S.ShapedLike.front()].Shape)))
      Text += ", " + spelled(Extent);
    return Text + ")";
  }

  std::string blockOfRanks() const {
    if (const Stage* InBlocks = stageOfRanks())
      return "dim3(" + setting(InBlocks->Block) + ")";
    // The first of those with most threads.
    auto InLine = R.Stages.end();
    for (auto It = R.Stages.begin(); It != R.Stages.end(); ++It)
      if (It->Accesses.Threads == ThreadMapping::PartialBlocks &&
          (InLine == R.Stages.end() || threadsIn(It->Accesses.LaunchedBlock) > threadsIn(InLine->Accesses.LaunchedBlock)))
        InLine = It;
    // One for a point may have a single thread.
    if (InLine == R.Stages.end())
      InLine = llvm::find_if(R.Stages, [](const Stage& Other) { return Other.Launch && Other.Accesses.Threads != ThreadMapping::FixedRows; });
    if (InLine == R.Stages.end())
      InLine = llvm::find_if(R.Stages, [](const Stage& Other) { return Other.Launch; });
    return "::gpurma::stages::block_of_line(dim3(" + (InLine != R.Stages.end() ? setting(InLine->Block) : "256") + "))";
  }

  /// As ::gpurma::stages::stage_plan has it.
  static std::uint32_t walksCode(const KernelAccesses& Accesses) {
    std::uint32_t Code = 0;
    for (const ArrayAccess& A : Accesses.Arrays) {
      unsigned Rank = A.Walks.size();
      unsigned Shift = 3 * (Rank * (Rank - 1) / 2);
      for (const std::optional<unsigned>& D : A.Walks) {
        constexpr std::uint32_t None = 4;
        Code &= ~(7u << Shift);
        Code |= (D ? *D + 1 : None) << Shift;
        Shift += 3;
      }
    }
    return Code;
  }

  /// With what the host runs in between.
  std::vector<HostText> launchText() const {
    // What is captured need not have a default constructor.
    std::string Values = "gpurma_values_" + Number;
    std::string Memory = "{ alignas(" + Values + ") unsigned char gpurma_memory[sizeof(" + Values + ")]; " + Values +
                         "& gpurma_values = *reinterpret_cast<" + Values + "*>(gpurma_memory); " + noBlocks();
    if (R.OnHost)
      return loopText(Memory);
    if (R.HostParts.empty())
      return {{Memory + launch() + uses() + "}"}};
    std::string Part = std::string("gpurma_values.") + HostPartField;
    std::vector<HostText> Texts;
    std::string Text = Memory + Part + " = 0; for (;;) { " + launch() + "if (" + Part + " == 0) break; gpurma_values." + BehindField + " = " +
                       behindHostPart(nullptr) + "; ";
    for (const HostPart& P : R.HostParts) {
      Text += "if (" + Part + " == " + hostPartNumber(R, P) + ") { ";
      for (const auto& [Named, V] : P.Variables)
        if (R.Kept.contains(V))
          Text += std::string("[[maybe_unused]] ") + (V->getType().isConstQualified() ? "const " : "") + "auto& " + Named->getNameAsString() + " = gpurma_values." +
                  keptName(R, V) + "; ";
      Texts.push_back({Text, &P});
      Text = "continue; } ";
    }
    Texts.push_back({Text + "} " + uses() + "}"});
    return Texts;
  }

  void findRepetition(LoopOnHost& Loop) const {
    findCounter(Loop, R, [&](const VarDecl* V) { return Written.Changed.count(V) != 0; });
    if (!Loop.Counter)
      return;
    for (const VarDecl* V : Written.Captured)
      if (Written.Changed.count(V) && V != Loop.Counter)
        Loop.Changed.push_back(hostValue(V));
  }

  /// The kernel and the host by turns, as gpurma_choice says.
  std::vector<HostText> loopText(const std::string& Memory) const {
    const std::string Loop = std::string("gpurma_values.") + LoopField;
    std::string Variables;
    for (const auto& [Named, V] : llvm::zip_equal(R.OnHost->Written, R.OnHost->Variables))
      Variables += "[[maybe_unused]] auto& " + Named->getNameAsString() + " = gpurma_values." +
                   loopVariableName(V) + "; ";
    return {{Memory + Loop + " = {}; for (::gpurma::stages::loop_choice gpurma_choice(" + Loop +
                 ");;) { " + launch() + "if (!" + Loop + ".has_left) break; " + Variables,
             nullptr, /*IsLoop=*/true},
            {"if (!gpurma_choice.returns()) break; } " + uses() + "}"}};
  }

  /// No launch of the region has stored numbers of its blocks.
  std::string noBlocks() const {
    std::string Text;
    for (unsigned I = 0; I != R.Reductions.size(); ++I)
      if (R.Reductions[I].OfBlocks)
        Text += "gpurma_values.gpurma_blocks_" + std::to_string(I) + " = 0; ";
    return Text;
  }

  /// That no two names are those of one scalar: the region would have a copy for each.
  std::string scalarsCheck() const {
    if (R.Reductions.size() < 2)
      return "";
    return "::gpurma::stages::check_scalars({" + scalarsInMemory() + "}, " + siteText(R.directive().HashLoc, U.sources()) + "); ";
  }

  /// Of the first element nothing.
  static std::string elementText(const ReducedScalar& S, StringRef Before, StringRef Behind) {
    return S.Element == 0 ? "" : (Before + std::to_string(S.Element) + Behind).str();
  }
  std::string scalarAddress(const ReducedScalar& S) const { return hostName(S.Pointer) + elementText(S, " + ", ""); }

  std::string scalarsInMemory() const {
    std::string Text;
    llvm::ListSeparator Comma;
    for (const ReducedScalar& S : R.Reductions)
      Text += (StringRef(Comma) + "::gpurma::stages::memory_at(" + stringLiteral(S.Pointer->getName().str() + elementText(S, "[", "]")) + ", " + scalarAddress(S) +
               ")")
                  .str();
    return Text;
  }

  /// Whether two variables are one, of which the region would have two: where references and pointers lead only the program knows.
  std::string variablesCheck() const {
    std::string Changed, Others;
    llvm::ListSeparator BetweenChanged, BetweenOthers;
    bool ByOtherNames = false;
    for (const VarDecl* V : Written.Captured) {
      if (vectorOfTable(V) || isObjectValue(V) || memberOfClause(V)) // the region uses the object for its other members
        continue;
      ByOtherNames |= isHostScalar(V) || V->getType()->isReferenceType();
      const bool Changes = Written.Changed.count(V);
      (Changes ? Changed : Others) += (StringRef(Changes ? BetweenChanged : BetweenOthers) + "::gpurma::stages::memory_at(" +
                                       stringLiteral((isHostScalar(V) ? "*" : "") + V->getNameAsString()) + ", " + (isHostScalar(V) ? "" : "&") + hostName(V) + ")")
                                          .str();
    }
    for (const ReducedScalar& S : R.Reductions)
      if (!S.OfBlocks)
        Changed += (StringRef(BetweenChanged) + "::gpurma::stages::memory_at(" + stringLiteral("*" + S.Pointer->getNameAsString()) + ", " + scalarAddress(S) + ")").str();
    return ByOtherNames && !Changed.empty()
               ? "::gpurma::stages::check_variables({" + Changed + "}, {" + Others + "}, " + siteText(R.directive().HashLoc, U.sources()) + "); "
               : "";
  }

  std::string launch() const {
    std::string Text = objectValues() + constantChecks() + sizeChecks() + numberChecks();
    for (const DepthCheck& C : R.DepthChecks)
      Text += "::gpurma::stages::check_put(" + stringLiteral(C.Array) + ", " + std::to_string(C.Depth) + ", " + stringLiteral(C.Kernel) +
              ", " + depth(C.Halo) + ", " + siteText(R.directive().HashLoc, U.sources()) + "); ";
    for (const Stage& S : R.Stages)
      for (const ArrayAccess& A : S.Accesses.Arrays) {
        const std::vector<const Expr*>& Shape = R.Arrays[A.ShapedLike].Shape;
        const auto Check = [&](StringRef Function, const Expr* Extent, std::int64_t Wanted) {
          if (Wanted > 1)
            Text += "::gpurma::stages::" + Function.str() + "(" + stringLiteral(A.Array.name()) + ", " + spelled(Extent) + ", " + std::to_string(Wanted) +
                    ", " + stringLiteral(S.name()) + ", " + siteText(R.directive().HashLoc, U.sources()) + "); ";
        };
        Check("check_rows", Shape.front(), A.LeastRows);
        for (size_t J = 0; J != A.LeastExtents.size(); ++J)
          Check("check_extent", Shape[J], A.LeastExtents[J]);
        Check("check_row_length", Shape.back(), A.RowMultiple);
        if (const Expr* Halo = A.LeastDepth > 0 ? haloOf(S, A.Array) : nullptr)
          Text += "::gpurma::stages::check_halo(" + stringLiteral(A.Array.name()) + ", " + depth(Halo) + ", " + std::to_string(A.LeastDepth) + ", " +
                  stringLiteral(S.name()) + ", " + siteText(R.directive().HashLoc, U.sources()) + "); ";
      }
    Text += tables() + variablesCheck();
    for (const VarDecl* V : Written.Captured)
      Text += std::string("::gpurma::stages::copy_") +
              (Written.Changed.count(V) ? "variable" : "value") + "(gpurma_values." +
              capturedName(V, P) + ", " + hostValue(V) + "); ";
    Text += scalarsCheck();
    for (unsigned I = 0; I != R.Reductions.size(); ++I) {
      bool OfBlocks = R.Reductions[I].OfBlocks;
      Text += std::string("::gpurma::stages::load_") + (OfBlocks ? "block_numbers" : "scalar") + "(gpurma_values.gpurma_scalar_" + std::to_string(I) + ", " +
              scalarAddress(R.Reductions[I]) + (OfBlocks ? ", gpurma_values.gpurma_blocks_" + std::to_string(I) : "") + "); ";
    }
    for (unsigned I = 0; I != R.Collected.size(); ++I)
      Text += "gpurma_values.gpurma_collected[" + std::to_string(I) + "] = ::gpurma::stages::collected_plan(" +
              stringLiteral(R.Collected[I].Pointer->getName()) + ", " + hostName(R.Collected[I].Pointer) + ", " + spelled(R.Collected[I].Count) + "); ";
    Text += "::gpurma::stages::plan<" + sizes() + "> gpurma_plan{{";
    for (unsigned I = 0; I != R.Stages.size(); ++I)
      Text += (I ? ", " : "") + stagePlan(R.Stages[I]);
    Text += "}, {";
    for (unsigned I = 0; I != R.Arrays.size(); ++I) {
      const DistributedArray& A = R.Arrays[I];
      Text += (I ? ", " : "") + std::string("::gpurma::stages::array_plan(") + stringLiteral(A.Pointer.name()) + ", " +
              hostName(A.Pointer.Variable) + A.Pointer.memberText();
      for (const Expr* Extent : A.Shape)
        Text += ", " + spelled(Extent);
      Text += A.Components ? ").with_components(" + spelled(A.Components) + ")" : ")";
    }
    Text += "}, {";
    for (unsigned I = 0; I != R.Reductions.size(); ++I)
      Text += (I ? ", " : "") + std::string("::gpurma::stages::identity_bits<") + type(R.Reductions[I].Scalar->getType(), "") +
              ", " + operationName(R.Reductions[I], Context) + ">()";
    Text += "}}; " + undistributedChecks() + "::gpurma::stages::run(gpurma_kernels_" + Number +
            ", gpurma_values, gpurma_plan, " + siteText(R.directive().HashLoc, U.sources()) +
            (R.OnHost              ? ", &gpurma_choice"
             : R.Collected.empty() ? ""
                                   : ", nullptr") +
            (R.Collected.empty()
                 ? ""
                 : ", gpurma_values.gpurma_collected, " + std::to_string(R.Collected.size())) +
            "); ";
    for (const VarDecl* V : Written.Captured)
      if (Written.Changed.count(V))
        Text += "::gpurma::stages::copy_value(" + hostValue(V) + ", gpurma_values." + capturedName(V, P) + "); ";
    for (unsigned I = 0; I != R.Reductions.size(); ++I) {
      const ReducedScalar& S = R.Reductions[I];
      std::string Index = std::to_string(I);
      Text += "::gpurma::stages::store_" + (S.OfBlocks ? "block_numbers<" + operationName(S, Context) + ">" : "scalar") + "(" + scalarAddress(S) +
              ", gpurma_values.gpurma_scalar_" + Index + (S.OfBlocks ? ", gpurma_values.gpurma_blocks_" + Index : "") + "); ";
    }
    return Text + swappedObjects();
  }

  /// Copies of vectors that the region reads.
  std::string tables() const {
    const PrintingPolicy Policy = sourcePolicy(Context);
    HostPrinter Printer(R, Policy);
    std::string Text;
    for (const VarDecl* V : Written.Captured)
      if (const Expr* Vector = vectorOfTable(V))
        Text += "const ::gpurma::stages::host_table " + tableName(V) + "(" + Printer.text(Vector) + "); ";
    return Text;
  }

  /// What the region has of objects of the host.
  std::string objectValues() const {
    const PrintingPolicy Policy = sourcePolicy(Context);
    HostPrinter Printer(R, Policy);
    std::string Text;
    for (const ObjectValue& V : R.Objects) {
      std::string Read = V.Call.text(Printer.text(V.Named));
      const bool AddsConst =
          V.isPointer() && !Context.hasSameType(V.Call.type(), V.Value->getType());
      Text +=
          "[[maybe_unused]] " + type(V.Value->getType(), objectValueName(V.Value)) + " = " +
          (AddsConst ? "const_cast<" + type(V.Value->getType(), "") + ">(" + Read + ")" : Read) +
          "; ";
      for (const Expr* Other : V.Alike)
        Text += "::gpurma::stages::check_alike(" + stringLiteral(Read) + ", " + stringLiteral(V.Call.text(Printer.text(Other))) + ", " +
                objectValueName(V.Value) + " == " + V.Call.text(Printer.text(Other)) + ", " + siteText(R.directive().HashLoc, U.sources()) + "); ";
    }
    return Text;
  }

  /// Members of structures that have been taken to be extents.
  std::string sizeChecks() const {
    std::string Text;
    for (const AlikeSize& Each : R.AlikeSizes) {
      const PointerVariable Size(Each.Structure, {Each.Field});
      const std::string Extent = spelled(Each.Extent);
      Text += "::gpurma::stages::check_alike(" + stringLiteral(Size.name()) + ", " + stringLiteral(Extent) + ", static_cast<long long>(" +
              memberIn(hostName(Each.Structure), Size) + ") == static_cast<long long>(" + Extent + "), " +
              siteText(R.directive().HashLoc, U.sources()) + "); ";
    }
    return Text;
  }

  /// What variables have been taken to be.
  std::string numberChecks() const {
    std::string Text;
    for (const AssumedNumber& Each : R.AssumedNumbers)
      Text += "::gpurma::stages::check_number(" + stringLiteral(Each.Place.name()) + ", static_cast<long long>(" +
              memberIn(hostName(Each.Place.Variable), Each.Place) + "), " + std::to_string(Each.Value) + ", " +
              siteText(R.directive().HashLoc, U.sources()) + "); ";
    return Text;
  }

  /// What kernels have been taken to have in constant memory.
  std::string constantChecks() const {
    std::string Text;
    std::set<PointerVariable> Checked;
    for (const Stage& S : R.Stages)
      for (const AssumedConstant& A : S.Accesses.Constants) {
        if (!Checked.insert(A.Place).second)
          continue;
        std::string Expected;
        llvm::ListSeparator Comma;
        for (const Polynomial& Value : A.Values)
          if (std::optional<std::int64_t> Number = Value.constant())
            Expected += (StringRef(Comma) + std::to_string(*Number)).str();
        llvm::ListSeparator Times(" * ");
        for (const Expr* Extent : A.Extents)
          Expected += (StringRef(Times) + "static_cast<long long>(" + spelled(Extent) + ")").str();
        std::int64_t Bits = 0;
        for (const FieldDecl* Field : A.Place.Members)
          Bits += Context.getFieldOffset(Field);
        Text += "::gpurma::stages::check_constant<" + type(A.type(Context), "") + ">(" + stringLiteral(A.Place.name()) + ", " + hostName(A.Place.Variable) +
                ", " + std::to_string(Context.toCharUnitsFromBits(Bits).getQuantity()) + ", {" + Expected + "}, " +
                siteText(R.directive().HashLoc, U.sources()) + "); ";
      }
    return Text;
  }

  /// Behind the region each of them gets the array that it has there.
  std::string swappedObjects() const {
    const PrintingPolicy Policy = sourcePolicy(Context);
    HostPrinter Printer(R, Policy);
    std::string Text;
    for (auto V = R.Objects.begin(); V != R.Objects.end(); ++V)
      for (auto Other = V + 1; Other != R.Objects.end(); ++Other) {
        std::string A = Printer.text(V->Named), B = Printer.text(Other->Named);
        if (Written.Changed.count(V->Value) && Written.Changed.count(Other->Value) &&
            V->isPointer() && !V->ChangedAt.isValid() && V->Call.key() == Other->Call.key() &&
            Context.hasSameUnqualifiedType(V->Named->getType(), Other->Named->getType()))
          Text += "if (" + V->Call.text(A) + " != " + objectValueName(V->Value) + " && " + Other->Call.text(B) + " == " + objectValueName(V->Value) +
                  ") { ::gpurma::stages::swap_objects(" + A + ", " + B + "); ::gpurma::stages::check_swapped(" + stringLiteral(V->Call.text(A)) +
                  ", " + stringLiteral(Other->Call.text(B)) + ", " + V->Call.text(A) + " == " + objectValueName(V->Value) + ", " +
                  siteText(R.directive().HashLoc, U.sources()) + "); } ";
      }
    for (const ObjectValue& V : R.Objects)
      if (V.ChangedAt.isValid() && Written.Changed.count(V.Value))
        Text += V.Call.changed(Printer.text(V.Named), objectValueName(V.Value)) + "; ";
    return Text;
  }

  /// What kernels get besides the arrays and scalars must not be these under other names.
  std::string undistributedChecks() const {
    std::string Text;
    auto Check = [&](const std::string& Memory, bool Changes) {
      std::string Site = siteText(R.directive().HashLoc, U.sources());
      // Else the launch looks at it.
      if (!Changes)
        Text += "::gpurma::stages::check_undistributed(" + Memory + ", gpurma_plan, " + Site +
                (R.Collected.empty() ? "" : ", gpurma_values.gpurma_collected, " + std::to_string(R.Collected.size())) + "); ";
      if (!R.Reductions.empty())
        Text += "::gpurma::stages::check_unreduced(" + Memory + ", {" + scalarsInMemory() + "}, " + Site + "); ";
    };
    std::set<PointerVariable> Checked;
    llvm::SetVector<const VarDecl*> OfDevice;
    for (const Stage& S : R.Stages) {
      OfDevice.insert(S.DeviceVariables.begin(), S.DeviceVariables.end());
      for (unsigned I = 0; !S.Copy && I != S.Arguments.size() && I != S.Kernel->getNumParams(); ++I) {
        PointerVariable Any = anyPointerVariable(S.Arguments[I]);
        const ParmVarDecl* Parameter = S.Kernel->getParamDecl(I);
        if (!Any || !Any.type().getNonReferenceType()->isPointerType() || !Written.Captured.count(Any.Variable) || isHostScalar(Any.Variable) ||
            R.findCollected(S.Arguments[I]) ||
            llvm::any_of(S.Accesses.Arrays, [&](const ArrayAccess& A) { return A.Array.Variable == Parameter; }))
          continue;
        // Of an array, other elements may change.
        bool Changes = Written.Changed.count(Any.Variable) && Any.Subscripts.empty();
        for (const PointerVariable& Passed : Any.elements())
          if (!R.findArray(Passed) && Checked.insert(Passed).second)
            Check("::gpurma::stages::memory_at(" + stringLiteral(Passed.name()) + ", " + memberIn(hostName(Passed.Variable), Passed) + ")", Changes);
      }
    }
    for (const VarDecl* V : OfDevice)
      Check("::gpurma::stages::memory_of(" + stringLiteral(V->getName()) + ", " + hostName(V) + ")", /*Changes=*/false);
    return Text;
  }

  /// Uses of what the program names in the region only, so that the backend does not call it unused.
  std::string uses() const {
    NamedOnHost Named;
    Named.TraverseStmt(const_cast<Stmt*>(R.Written));
    // Subscripts in clauses: their values are in the text.
    for (const Expr* E : R.Appearance.Call->arguments())
      if (arraySubscript(E->IgnoreParenImpCasts()).first)
        Named.TraverseStmt(const_cast<Expr*>(E));
    std::string Text;
    for (const VarDecl* V : Named.Variables)
      if (V->getIdentifier() && !Named.Declared.contains(V) && !Written.Captured.count(V) &&
          !V->hasAttr<CUDADeviceAttr>() && !V->hasAttr<CUDAConstantAttr>())
        // nvcc finds that a lambda is not used by its name alone.
        Text += (isLambda(V) ? "static_cast<void>(&" : "static_cast<void>(") + hostName(V) + "); ";
    for (const FunctionDecl* F : Named.Functions) {
      const CXXRecordDecl* Around = classAround(F, R);
      std::string Name = Around ? Around->getNameAsString() + "::" : "::";
      llvm::raw_string_ostream Out(Name);
      if (Around)
        F->printName(Out, sourcePolicy(Context));
      else
        F->printQualifiedName(Out, sourcePolicy(Context));
      if (!F->isConsteval())
        Text += "static_cast<void>(static_cast<" + type(Context.getPointerType(F->getType()), "") +
                ">(&" + Name + ")); ";
      else if (F->getMinRequiredArguments() == 0) // it has no address
        Text += "static_cast<void>(" + Name + "()); ";
    }
    return Text;
  }

  static bool isLambda(const VarDecl* V) {
    const auto* Class = V->getType()->getAsCXXRecordDecl();
    return Class && Class->isLambda();
  }

  bool isHostScalar(const VarDecl* V) const { return Written.HostScalars.count(V); }

  /// What is captured.
  std::string hostValue(const VarDecl* V) const { return (isHostScalar(V) ? "*" : "") + hostName(V); }

  std::string hostName(const VarDecl* V) const { return nameOnHost(V, R, sourcePolicy(Context)); }

  Region& R;
  Unit& U;
  Program& P;
  ASTContext& Context;
  WrittenRegion Written;
  std::vector<std::pair<const VarDecl*, std::string>> Constants; ///< Captured, too.
  std::string Number;
};

class FuseRegions final : public Pass {
public:
  llvm::StringRef name() const override { return "FuseRegions"; }

  void run(Unit& U, Program& P) override {
    // The other parse of the CUDA target sees the same regions.
    if (U.Kind == UnitKind::CudaDevice)
      return;
    for (Region& R : U.Regions)
      if (!R.isPattern())
        RegionFuser(R, U, P).run();
  }
};

} // namespace

std::unique_ptr<Pass> createFuseRegions() { return std::make_unique<FuseRegions>(); }

} // namespace gpurma
