// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FuseRegions: checks that a persistent region can be one kernel, and writes that kernel and what
// the host does instead of the region's statement. LowerRegions puts both into the text.
//
// Before:  #pragma gpurma persistent distribute(a, b : rows(ny, nx)) halo(a : 1) reduce(+ : *norm)
//          for (...) { ... jacobi<<<grid, block>>>(b, a, norm, ny, nx); ... std::swap(a, b); }
// After:   namespace { struct gpurma_values_0 { float* a; float* b; ... };
//          template <unsigned gpurma_threads> __global__ void gpurma_region_0(gpurma_values_0, ...) {
//            ... the loop, with the launch as a loop over the rank's logical blocks ... } }
//          and, in the function,
//          { gpurma_values_0 gpurma_values; ... ::gpurma::stages::run(gpurma_region_0<256>, ...); ... }
//
// The text is not changed.
#include "passes/DeviceFunctions.h"
#include "passes/Kernels.h"
#include "passes/Pass.h"
#include "passes/RegionWriter.h"

#include "frontend/SourceText.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace gpurma {
namespace {

/// What a kernel's body and the functions that it calls do that matters to a stage.
class BodyScanner : public RecursiveASTVisitor<BodyScanner> {
public:
  explicit BodyScanner(const FunctionDecl* Kernel) : Kernel(Kernel) {
    Work.push_back(Kernel);
    while (!Work.empty()) {
      Current = Work.pop_back_val();
      const FunctionDecl* Definition = nullptr;
      if (Seen.insert(Current->getCanonicalDecl()).second && Current->hasBody(Definition))
        TraverseStmt(Definition->getBody());
    }
  }

  bool shouldVisitImplicitCode() const { return true; }
  bool VisitDeclRefExpr(DeclRefExpr* Ref) {
    const ValueDecl* D = Ref->getDecl();
    if (const auto* Function = dyn_cast<FunctionDecl>(D)) {
      if (Function->getIdentifier() &&
          (Function->getName().starts_with("__syncthreads") || Function->getName().contains("barrier")))
        HasBarrier = true;
      if (Current != Kernel && Function->getIdentifier() && Function->getName() == "__ldg")
        noteForeign("__ldg");
      Work.push_back(Function);
    } else if (const auto* Variable = dyn_cast<VarDecl>(D)) {
      HasBarrier |= Variable->hasAttr<CUDASharedAttr>();
      StringRef Name = Variable->getIdentifier() ? Variable->getName() : StringRef();
      if (Current != Kernel && Variable->hasGlobalStorage() &&
          (Name == "blockIdx" || Name == "gridDim"))
        noteForeign(Name);
    }
    return true;
  }
  bool VisitMemberExpr(MemberExpr* Member) {
    if (const auto* Function = dyn_cast<FunctionDecl>(Member->getMemberDecl()))
      Work.push_back(Function);
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* Construct) {
    Work.push_back(Construct->getConstructor());
    return true;
  }

  /// The body uses shared memory or a barrier, so that one logical block must end before the next begins.
  bool HasBarrier = false;
  /// A function of which no copy is made uses what only copies do right.
  const FunctionDecl* ForeignUser = nullptr;
  StringRef ForeignName;

  bool calls(const FunctionDecl* Function) const { return Seen.count(Function->getCanonicalDecl()); }

private:
  void noteForeign(StringRef Name) {
    if (ForeignUser)
      return;
    ForeignUser = Current;
    ForeignName = Name;
  }

  const FunctionDecl* Kernel;
  const FunctionDecl* Current = nullptr;
  llvm::SmallVector<const FunctionDecl*, 16> Work;
  llvm::DenseSet<const FunctionDecl*> Seen;
};

/// Finds uses of a kernel's parameter that are no atomic operation of the wanted kind.
class ReducedUse : public RecursiveASTVisitor<ReducedUse> {
public:
  ReducedUse(const ParmVarDecl* Parameter, StringRef Atomic) : Parameter(Parameter), Atomic(Atomic) {}
  bool TraverseCallExpr(CallExpr* Call) {
    const FunctionDecl* Callee = Call->getDirectCallee();
    if (!Callee || !Callee->getIdentifier() || !Callee->getName().starts_with(Atomic) || Call->getNumArgs() < 2)
      return RecursiveASTVisitor::TraverseCallExpr(Call);
    const auto* Ref = dyn_cast<DeclRefExpr>(Call->getArg(0)->IgnoreParenCasts());
    if (!Ref || Ref->getDecl() != Parameter)
      return RecursiveASTVisitor::TraverseCallExpr(Call);
    return TraverseStmt(Call->getArg(1));
  }
  bool VisitDeclRefExpr(DeclRefExpr* Ref) {
    if (Ref->getDecl() == Parameter && !Found)
      Found = Ref;
    return true;
  }
  const DeclRefExpr* Found = nullptr;

private:
  const ParmVarDecl* Parameter;
  StringRef Atomic;
};

class RegionFuser {
public:
  RegionFuser(Region& R, Unit& U, Program& P) : R(R), U(U), P(P), Context(U.context()) {}

  void run() {
    if (!checkPlace() || !checkClauses())
      return;
    for (Stage& S : R.Stages)
      if (!checkStage(S))
        return;
    Written = writeRegion(R, U, P);
    if (U.Diags->hasErrors())
      return;
    Number = std::to_string(P.number("region " + fileName(U.sources().getFileID(R.directive().HashLoc), U.sources()) + ":" +
                                     std::to_string(U.sources().getFileOffset(R.directive().HashLoc))));
    R.KernelText = kernelText();
    R.LaunchText = launchText();
    P.HasRegions = true;
  }

private:
  enum Place { Device, Template, Method, Lambda, OtherRegion };

  DiagnosticBuilder report(SourceLocation Loc, Diag Which) { return U.Diags->report(Loc, Which); }

  bool checkPlace() {
    const Directive& D = R.directive();
    const FunctionDecl* F = R.function();
    std::optional<Place> Wrong;
    const auto* OnDevice = F->getAttr<CUDADeviceAttr>();
    if (F->hasAttr<CUDAGlobalAttr>() || (OnDevice && !OnDevice->isImplicit()))
      Wrong = Device;
    else if (F->isDependentContext() || F->isTemplateInstantiation())
      Wrong = Template;
    else if (const auto* M = dyn_cast<CXXMethodDecl>(F))
      Wrong = M->getParent()->isLambda() ? Lambda : Method;
    for (const Region& Other : U.Regions)
      if (&Other != &R && Other.function() == F &&
          U.sources().isPointWithin(U.sources().getFileLoc(R.Loop->getBeginLoc()), U.sources().getFileLoc(Other.Statement->getBeginLoc()),
                                    U.sources().getFileLoc(Other.Statement->getEndLoc())))
        Wrong = OtherRegion;
    if (Wrong) {
      report(D.NameLoc, Diag::err_region_place) << *Wrong;
      return false;
    }
    if (!isa<ForStmt, WhileStmt, DoStmt, CompoundStmt>(R.Statement)) {
      report(R.Statement->getBeginLoc(), Diag::err_region_kind);
      return false;
    }
    if (R.Stages.empty()) {
      report(D.NameLoc, Diag::err_region_empty);
      return false;
    }
    return true;
  }

  enum NameProblem { NotDistributed, NotLaunched, Twice, NotPointer };

  bool checkClauses() {
    bool Good = true;
    auto Wrong = [&](SourceLocation Loc, NameProblem What, StringRef Name) {
      report(Loc, Diag::err_region_clause_name) << What << Name;
      Good = false;
    };
    llvm::SmallPtrSet<const VarDecl*, 8> Named;
    for (const DistributedArray& A : R.Arrays)
      if (!Named.insert(A.Variable).second)
        Wrong(A.Loc, Twice, A.Variable->getName());
    for (const ReducedScalar& S : R.Reductions)
      if (!S.Pointer)
        Wrong(S.Scalar->getBeginLoc(), NotPointer,
              spelledText(S.Scalar->getSourceRange(), U.sources(), Context.getLangOpts()).value_or("this"));
      else if (!Named.insert(S.Pointer).second)
        Wrong(S.Scalar->getBeginLoc(), Twice, S.Pointer->getName());
    for (const HaloClause& H : R.Halos)
      if (!R.findArray(H.Array))
        Wrong(H.Loc, NotDistributed, H.Array->getName());
    for (const MapClause& M : R.Maps)
      if (llvm::none_of(R.Stages, [&](const Stage& S) { return S.Kernel && names(M, S.Kernel); }))
        Wrong(M.Loc, NotLaunched, M.Kernel);
    return Good;
  }

  bool checkStage(Stage& S) {
    SourceLocation Loc = S.Launch->getBeginLoc();
    bool Visible = S.Kernel && U.sources().isBeforeInTranslationUnit(S.Kernel->getLocation(), R.function()->getLocation());
    if (const FunctionDecl* Pattern = S.Kernel ? S.Kernel->getTemplateInstantiationPattern() : nullptr)
      Visible = U.sources().isBeforeInTranslationUnit(Pattern->getLocation(), R.function()->getLocation());
    if (!Visible) {
      const auto* Ref = dyn_cast<DeclRefExpr>(S.Launch->getCallee()->IgnoreParenImpCasts());
      report(Loc, Diag::err_stage_not_visible) << (Ref ? Ref->getDecl()->getNameAsString() : "this kernel");
      return false;
    }
    BodyScanner Scan(S.Kernel);
    for (const Marker& M : U.Markers)
      if (M.Function && (M.Function->getCanonicalDecl() == S.Kernel->getCanonicalDecl() || Scan.calls(M.Function))) {
        report(Loc, Diag::err_stage_directive) << S.Kernel->getName();
        return false;
      }
    if (Scan.ForeignUser) {
      report(Loc, Diag::err_stage_foreign) << Scan.ForeignUser->getNameAsString() << S.Kernel->getName() << Scan.ForeignName
                                           << (Scan.ForeignName == "__ldg");
      report(Scan.ForeignUser->getLocation(), Diag::note_declared_here) << Scan.ForeignUser;
      return false;
    }
    S.HasBarrier = Scan.HasBarrier;
    return checkForm(S) && checkSetting(S.Block, 0) && checkSetting(S.Shared, 1) && checkArguments(S);
  }

  enum FormProblem { Macro, OutOfClass, Specialized };

  bool checkForm(const Stage& S) {
    const FunctionDecl* Pattern = S.Kernel->getTemplateInstantiationPattern();
    if (!Pattern)
      Pattern = S.Kernel;
    std::optional<FormProblem> Wrong;
    if (Pattern->getLocation().isMacroID() || Pattern->getBody()->getBeginLoc().isMacroID() || Pattern->getEndLoc().isMacroID())
      Wrong = Macro;
    else if (Pattern->isOutOfLine())
      Wrong = OutOfClass;
    else if (S.Kernel->getTemplateSpecializationKind() == TSK_ExplicitSpecialization)
      Wrong = Specialized;
    if (!Wrong)
      return true;
    report(S.Launch->getBeginLoc(), Diag::err_stage_form) << S.Kernel->getName() << *Wrong;
    report(S.Kernel->getLocation(), Diag::note_declared_here) << S.Kernel;
    return false;
  }

  /// The host needs the setting before the region's kernel begins.
  bool checkSetting(const Expr* E, unsigned Which) {
    struct Finder : RecursiveASTVisitor<Finder> {
      SourceRange Inside;
      const SourceManager* Sources;
      const DeclRefExpr* Found = nullptr;
      bool VisitDeclRefExpr(DeclRefExpr* Ref) {
        if (isa<VarDecl>(Ref->getDecl()) &&
            Sources->isPointWithin(Sources->getFileLoc(Ref->getDecl()->getLocation()), Sources->getFileLoc(Inside.getBegin()),
                                   Sources->getFileLoc(Inside.getEnd())))
          Found = Ref;
        return !Found;
      }
    } Find;
    if (!E)
      return true;
    Find.Inside = R.Statement->getSourceRange();
    Find.Sources = &U.sources();
    Find.TraverseStmt(const_cast<Expr*>(E));
    if (Find.Found)
      report(Find.Found->getLocation(), Diag::err_region_setting) << Which << Find.Found->getDecl()->getNameAsString();
    return !Find.Found;
  }

  static const VarDecl* variable(const Expr* E) {
    const auto* Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenCasts());
    return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  }

  bool declaredOutside(const VarDecl* V) const {
    const SourceManager& Sources = U.sources();
    return !Sources.isPointWithin(Sources.getFileLoc(V->getLocation()), Sources.getFileLoc(R.Statement->getBeginLoc()),
                                  Sources.getFileLoc(R.Statement->getEndLoc()));
  }

  bool checkArguments(Stage& S) {
    bool Inferred = !S.Accesses.Arrays.empty();
    unsigned Dimensions = 1;
    for (const DistributedArray& A : R.Arrays)
      Dimensions = std::max<unsigned>(Dimensions, std::min<size_t>(A.Shape.size(), 3));
    if (!Inferred)
      S.Accesses.RowDimension = Dimensions - 1;
    for (const MapClause& M : R.Maps)
      if (names(M, S.Kernel))
        S.Accesses.RowDimension = M.RowDimension;
    for (unsigned I = 0; I != S.Kernel->getNumParams() && I != S.Arguments.size(); ++I) {
      const ParmVarDecl* Parameter = S.Kernel->getParamDecl(I);
      if (!Parameter->getType()->isPointerType())
        continue;
      const VarDecl* Passed = variable(S.Arguments[I]);
      bool Writes = !Parameter->getType()->getPointeeType().isConstQualified();
      if (const ReducedScalar* Scalar = R.findReduction(Passed)) {
        if (!checkReduced(S, Parameter, *Scalar))
          return false;
        continue;
      }
      auto Known = llvm::find_if(S.Accesses.Arrays, [&](const ArrayAccess& A) { return A.Array == Parameter; });
      if (Inferred)
        Writes = Known != S.Accesses.Arrays.end() && Known->Writes;
      bool Distributed = R.findArray(Passed) || !Passed || !declaredOutside(Passed);
      if (!Distributed && Writes) {
        report(S.Arguments[I]->getBeginLoc(), Diag::err_stage_pointer) << S.Kernel->getName() << Passed->getName();
        report(Parameter->getLocation(), Diag::note_declared_here) << Parameter;
        return false;
      }
      if (Inferred || !Distributed)
        continue;
      ArrayAccess Access;
      Access.Array = Parameter;
      // Each thread writes its own point, and reads any of its rows.
      std::array<AxisAccess, 3> Own;
      if (Writes)
        Access.Writes = Own;
      for (unsigned Axis = 0; Axis != 3; ++Axis)
        Own[Axis].Whole = Axis != S.Accesses.RowDimension;
      Access.Reads = Own;
      S.Accesses.Arrays.push_back(Access);
    }
    return true;
  }

  bool checkReduced(const Stage& S, const ParmVarDecl* Parameter, const ReducedScalar& Scalar) {
    StringRef Atomic = Scalar.Operation == Keyword::Plus  ? "atomicAdd"
                       : Scalar.Operation == Keyword::Max ? "atomicMax"
                                                          : "atomicMin";
    ReducedUse Use(Parameter, Atomic);
    Use.TraverseStmt(S.Kernel->getBody());
    if (!Use.Found)
      return true;
    report(Use.Found->getLocation(), Diag::err_stage_reduced)
        << S.Kernel->getName() << Parameter->getName() << spelling(Scalar.Operation);
    return false;
  }

  // --- Text.

  std::string type(QualType Type, std::string Name) const {
    Type.getNonReferenceType().getUnqualifiedType().getAsStringInternal(Name, sourcePolicy(Context));
    return Name;
  }

  static const char* operationName(const ReducedScalar& S) {
    return S.Operation == Keyword::Plus ? "plus" : S.Operation == Keyword::Max ? "maximum" : "minimum";
  }

  std::string sizes() const {
    return std::to_string(R.Stages.size()) + ", " + std::to_string(R.Arrays.size()) + ", " +
           std::to_string(std::max<size_t>(R.Reductions.size(), 1));
  }

  std::string kernelText() {
    std::string Text = "namespace {\nstruct gpurma_values_" + Number + " {\n";
    for (const VarDecl* V : Written.Captured)
      Text += "  " + type(V->getType(), capturedName(V, P)) + ";\n";
    for (unsigned I = 0; I != R.Reductions.size(); ++I)
      Text += "  " + type(R.Reductions[I].Scalar->getType(), "gpurma_scalar_" + std::to_string(I)) + ";\n";
    Text += "};\n";
    Text += "template <unsigned gpurma_registers>\n__global__ void __launch_bounds__(gpurma_registers > 64 ? 512 : 1024, gpurma_registers < 64 ? 2 : 1) gpurma_region_" + Number +
            "(gpurma_values_" + Number + " gpurma_values, const __grid_constant__ ::gpurma::stages::plan<" + sizes() +
            "> gpurma_plan, const __grid_constant__ ::gpurma::stages::memory gpurma_memory, gpurma_values_" + Number + "* gpurma_results) {\n";
    Text += "  ::gpurma::rank_scope gpurma_rank_scope_;\n";
    Text += "  ::gpurma::stages::region<" + sizes() + "> gpurma_region(gpurma_plan, gpurma_memory);\n";
    for (const VarDecl* V : Written.Captured) {
      std::string Name = capturedName(V, P);
      if (V->isUsableInConstantExpressions(Context) && V->getType()->isIntegralOrEnumerationType())
        if (std::optional<std::string> Value = constant(V)) {
          Text += "  [[maybe_unused]] constexpr " + type(V->getType(), Name) + " = " + *Value + ";\n";
          continue;
        }
      Text += std::string("  [[maybe_unused]] ") + (Written.Changed.count(V) ? "" : "const ") + "auto& " + Name +
              " = gpurma_values." + Name + ";\n";
    }
    for (unsigned I = 0; I != R.Reductions.size(); ++I) {
      const ReducedScalar& S = R.Reductions[I];
      StringRef Operation = operationName(S);
      std::string Index = std::to_string(I);
      Text += ("  ::gpurma::stages::reduced<" + type(S.Scalar->getType(), "") + ", ::gpurma::stages::" + Operation +
               ", " + sizes() + "> gpurma_reduced_" + Index + "(gpurma_region, " + Index + ", gpurma_values.gpurma_scalar_" + Index + ");\n")
                  .str();
    }
    Text += Written.Text;
    for (unsigned I = 0; I != R.Reductions.size(); ++I)
      Text += "  gpurma_values.gpurma_scalar_" + std::to_string(I) + " = gpurma_reduced_" + std::to_string(I) + ".value();\n";
    Text += "  gpurma_region.end();\n  if (gpurma_region.reports())\n    *gpurma_results = gpurma_values;\n}\n";
    for (const char* Registers : {"32", "64", "128"})
      Text += "const ::gpurma::rank_kernel gpurma_rank_kernel_" + Number + "_" + Registers + "(gpurma_region_" + Number + "<" + Registers +
              ">);\n";
    return Text + "}\n";
  }

  std::optional<std::string> constant(const VarDecl* V) const {
    const APValue* Value = V->evaluateValue();
    if (!Value || !Value->isInt())
      return std::nullopt;
    return "static_cast<" + type(V->getType(), "") + ">(" + llvm::toString(Value->getInt(), 10) + ")";
  }

  std::string spelled(const Expr* E) const {
    std::string Text;
    if (std::optional<std::string> Spelled = spelledText(E->getSourceRange(), U.sources(), Context.getLangOpts()))
      return *Spelled;
    llvm::raw_string_ostream Out(Text);
    E->printPretty(Out, nullptr, Context.getPrintingPolicy());
    return Text;
  }

  /// Low and high of each axis; the depth of a halo clause in place of what the row axis has.
  std::string reach(const std::array<AxisAccess, 3>& Axes, unsigned RowDimension, const Expr* Halo) const {
    std::string Text;
    for (unsigned Axis = 0; Axis != 3; ++Axis) {
      Text += Axis ? ", " : "";
      if (Halo && Axis == RowDimension)
        Text += "-int(" + spelled(Halo) + "), int(" + spelled(Halo) + ")";
      else if (Axes[Axis].Whole)
        Text += "::gpurma::stages::whole, ::gpurma::stages::whole";
      else
        Text += std::to_string(Axes[Axis].Low) + ", " + std::to_string(Axes[Axis].High);
    }
    return Text;
  }

  const Expr* haloOf(const Stage& S, const ParmVarDecl* Parameter) const {
    unsigned I = Parameter->getFunctionScopeIndex();
    const VarDecl* Passed = I < S.Arguments.size() ? variable(S.Arguments[I]) : nullptr;
    for (const HaloClause& H : R.Halos)
      if (H.Array == Passed)
        return H.Depth;
    return nullptr;
  }

  /// The kernel as it is launched elsewhere; the type chooses among overloads.
  std::string kernelAddress(const FunctionDecl* Kernel) const {
    return "reinterpret_cast<const void*>(static_cast<" + type(Context.getPointerType(Kernel->getType()), "") + ">(" +
           kernelName(Kernel, U) + "))";
  }

  std::string stagePlan(const Stage& S) const {
    std::string Text = "::gpurma::stages::stage_plan(" + stringLiteral(S.Kernel->getNameAsString()) + ", " + kernelAddress(S.Kernel) + ", " +
                       std::to_string(S.Accesses.RowDimension) + ", dim3(" + spelled(S.Block) + "), " +
                       (S.Shared ? spelled(S.Shared) : "0") + ")";
    for (const ArrayAccess& A : S.Accesses.Arrays) {
      if (A.Reads)
        Text += ".reads(" + reach(*A.Reads, S.Accesses.RowDimension, haloOf(S, A.Array)) + ")";
      if (A.Writes)
        Text += ".writes(" + reach(*A.Writes, S.Accesses.RowDimension, nullptr) + ")";
    }
    return Text;
  }

  std::string launchText() const {
    std::string Values = "gpurma_values_" + Number;
    std::string Text = "{ " + Values + " gpurma_values; ";
    for (const VarDecl* V : Written.Captured)
      Text += "::gpurma::stages::copy_value(gpurma_values." + capturedName(V, P) + ", " + hostName(V) + "); ";
    for (unsigned I = 0; I != R.Reductions.size(); ++I)
      Text += "::gpurma::stages::load_scalar(gpurma_values.gpurma_scalar_" + std::to_string(I) + ", " +
              R.Reductions[I].Pointer->getNameAsString() + "); ";
    Text += "::gpurma::stages::plan<" + sizes() + "> gpurma_plan{{";
    for (unsigned I = 0; I != R.Stages.size(); ++I)
      Text += (I ? ", " : "") + stagePlan(R.Stages[I]);
    Text += "}, {";
    for (unsigned I = 0; I != R.Arrays.size(); ++I) {
      const DistributedArray& A = R.Arrays[I];
      Text += (I ? ", " : "") + std::string("::gpurma::stages::array_plan(") + stringLiteral(A.Variable->getName()) + ", " +
              A.Variable->getNameAsString();
      for (const Expr* Extent : A.Shape)
        Text += ", " + spelled(Extent);
      Text += ")";
    }
    Text += "}, {";
    for (unsigned I = 0; I != R.Reductions.size(); ++I)
      Text += (I ? ", " : "") + std::string("::gpurma::stages::identity_bits<") + type(R.Reductions[I].Scalar->getType(), "") +
              ", ::gpurma::stages::" + operationName(R.Reductions[I]) + ">()";
    std::string Kernel = "gpurma_region_" + Number;
    Text += "}}; ::gpurma::stages::run({" + Kernel + "<32>, " + Kernel + "<64>, " + Kernel + "<128>}, gpurma_values, gpurma_plan, " +
            siteText(R.directive().HashLoc, U.sources()) + "); ";
    for (const VarDecl* V : Written.Captured)
      if (Written.Changed.count(V))
        Text += "::gpurma::stages::copy_value(" + hostName(V) + ", gpurma_values." + capturedName(V, P) + "); ";
    for (unsigned I = 0; I != R.Reductions.size(); ++I)
      Text += "::gpurma::stages::store_scalar(" + R.Reductions[I].Pointer->getNameAsString() + ", gpurma_values.gpurma_scalar_" +
              std::to_string(I) + "); ";
    return Text + "}";
  }

  std::string hostName(const VarDecl* V) const {
    if (!V->hasGlobalStorage() || V->isStaticLocal())
      return V->getNameAsString();
    std::string Name = "::";
    llvm::raw_string_ostream Out(Name);
    V->printQualifiedName(Out, sourcePolicy(Context));
    return Name;
  }

  Region& R;
  Unit& U;
  Program& P;
  ASTContext& Context;
  WrittenRegion Written;
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
      RegionFuser(R, U, P).run();
  }
};

} // namespace

std::unique_ptr<Pass> createFuseRegions() { return std::make_unique<FuseRegions>(); }

} // namespace gpurma
