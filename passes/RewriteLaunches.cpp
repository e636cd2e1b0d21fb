// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sends launches through the library, which knows the rank kernels of all translation units.
//
//   k<<<grid, block, bytes, stream>>>(a, b);     ->   ::gpurma::launch(k, grid, block, bytes, stream)(a, b);
//   cudaLaunchKernel(f, grid, block, args);      ->   ::gpurma::launch_kernel(f, grid, block, args);
//   cudaLaunchCooperativeKernel(f, …);           ->   ::gpurma::launch_cooperative_kernel(f, …);
//
// On the CUDA target a launch stays as written if this translation unit defines the kernel and it is no rank kernel.
#include "CpuEdits.h"
#include "DeducedKernels.h"
#include "Kernels.h"
#include "Pass.h"
#include "frontend/DynamicRecursiveASTVisitor.h"
#include "frontend/SourceText.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"
#include <map>
#include <set>

using namespace clang;

namespace gpurma {
namespace {

/// Visits patterns only: an edit of a template is made once.
class LaunchRewriter : public DynamicRecursiveASTVisitor {
public:
  LaunchRewriter(Unit &U, Program &P) : U(U), P(P), Sources(U.sources()), LangOpts(U.context().getLangOpts()) {}

  void run() {
    TraverseDecl(U.context().getTranslationUnitDecl());
    writeDefaultArguments();
  }

  bool TraverseDecl(Decl *D) override {
    // System headers are not rewritten.
    if (!D || isOfSystemHeader(*D, Sources))
      return true;
    const auto *Function = llvm::dyn_cast<FunctionDecl>(D);
    llvm::SaveAndRestore Inside(Current, Function ? Function : Current);
    return DynamicRecursiveASTVisitor::TraverseDecl(D);
  }

  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *Launch) override {
    if (Sources.isInSystemHeader(Launch->getBeginLoc()) || U.isStage(Launch))
      return true;
    if (Current && (isKernel(Current) || (Current->hasAttr<CUDADeviceAttr>() && !Current->hasAttr<CUDAHostAttr>())))
      U.Diags->report(Launch->getBeginLoc(), Diag::err_launch_on_device) << Current->getQualifiedNameAsString() << Launch->getSourceRange();
    else
      rewriteLaunch(*Launch);
    return true;
  }

  bool VisitCallExpr(CallExpr *Call) override {
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (!Callee || !Callee->getIdentifier() || Sources.isInSystemHeader(Call->getBeginLoc()))
      return true;
    if (Callee->getName() == "cudaLaunchKernel" || Callee->getName() == "cudaLaunchCooperativeKernel")
      rewriteCall(*Call);
    return true;
  }

private:
  /// Whose body is visited; null outside of functions.
  const FunctionDecl *Current = nullptr;

  /// What stands before `<<<`.
  struct Callee {
    /// The kernel, if its name (and not a pointer) is launched; in a template maybe the pattern.
    const FunctionDecl *Kernel = nullptr;
    /// The text that denotes exactly this kernel; none: as written.
    std::optional<std::string> Text;
    bool KnownRank = false, DefinedHere = false, Dependent = false;
    bool Failed = false;
    /// Which instance it is depends on the template around the launch.
    const UnresolvedLookupExpr *Deduced = nullptr;
  };

  bool explicitArguments(unsigned Written, const FunctionTemplateDecl *Template) const {
    const TemplateParameterList *Parameters = Template->getTemplateParameters();
    return Written >= Parameters->size() && !Parameters->hasParameterPack();
  }

  void setKernel(Callee &C, const FunctionDecl *Kernel) const {
    const FunctionDecl *Pattern = Kernel->getTemplateInstantiationPattern();
    C.Kernel = Kernel;
    C.DefinedHere = (Pattern ? Pattern : Kernel)->isDefined();
    C.KnownRank = P.RankKernels.count(kernelKey(Kernel, Sources)) != 0;
  }

  Callee resolve(const CUDAKernelCallExpr &Launch) const {
    Callee C;
    const Expr *Written = Launch.getCallee()->IgnoreParenImpCasts();
    if (const auto *Ref = llvm::dyn_cast<DeclRefExpr>(Written)) {
      if (const auto *Kernel = llvm::dyn_cast<FunctionDecl>(Ref->getDecl()))
        resolveNamed(C, *Ref, Kernel, Launch);
    } else if (const auto *Lookup = llvm::dyn_cast<UnresolvedLookupExpr>(Written)) {
      resolveDependent(C, *Lookup);
    }
    return C;
  }

  void resolveNamed(Callee &C, const DeclRefExpr &Ref, const FunctionDecl *Kernel, const CUDAKernelCallExpr &Launch) const {
    setKernel(C, Kernel);
    const FunctionTemplateDecl *Template = Kernel->getPrimaryTemplate();
    std::string Name = spelledText(Ref.getSourceRange(), Sources, LangOpts).value_or("");
    if (!Template || explicitArguments(Ref.getNumTemplateArgs(), Template)) {
      if (isOverloaded(Kernel))
        C.Text = exactly(Kernel, Name.empty() ? qualifiedName(Kernel).value_or("") : Name);
      return;
    }
    auto Unnameable = [&](unsigned Parameter) { return typeOfVariable(*Template, Parameter, Launch); };
    std::optional<std::string> Arguments = templateArguments(Kernel, Unnameable);
    if (!Arguments) {
      U.Diags->report(Launch.getBeginLoc(), Diag::err_launch_template_unnameable) << Kernel->getName();
      C.Failed = true;
      return;
    }
    std::string Qualified;
    llvm::raw_string_ostream Out(Qualified);
    if (NestedNameSpecifierLoc Qualifier = Ref.getQualifierLoc())
      Out << spelledText(Qualifier.getSourceRange(), Sources, LangOpts).value_or("");
    C.Text = exactly(Kernel, Qualified + Kernel->getNameAsString() + *Arguments);
  }

  /// decltype of the variable that the launch passes for a parameter whose type is template parameter \p Index by value.
  std::optional<std::string> typeOfVariable(const FunctionTemplateDecl &Template, unsigned Index,
                                            const CUDAKernelCallExpr &Launch) const {
    const FunctionDecl *Pattern = Template.getTemplatedDecl();
    for (unsigned I = 0; I < Pattern->getNumParams() && I < Launch.getNumArgs(); ++I) {
      const auto *Type = Pattern->getParamDecl(I)->getType().getUnqualifiedType()->getAs<TemplateTypeParmType>();
      const auto *Variable = llvm::dyn_cast<DeclRefExpr>(Launch.getArg(I)->IgnoreUnlessSpelledInSource());
      if (!Type || Type->getIndex() != Index || !Variable)
        continue;
      std::string Name = "decltype(" + Variable->getDecl()->getNameAsString() + ")";
      QualType Declared = Variable->getDecl()->getType();
      if (Declared->isReferenceType() || Declared.hasQualifiers())
        Name = "::std::remove_cv_t<::std::remove_reference_t<" + Name + ">>";
      return Name;
    }
    return std::nullopt;
  }

  void resolveDependent(Callee &C, const UnresolvedLookupExpr &Lookup) const {
    for (const NamedDecl *Found : Lookup.decls()) {
      const NamedDecl *Candidate = Found->getUnderlyingDecl();
      const auto *Template = llvm::dyn_cast<FunctionTemplateDecl>(Candidate);
      const FunctionDecl *Kernel = Template ? Template->getTemplatedDecl() : llvm::dyn_cast<FunctionDecl>(Candidate);
      bool Exact = Lookup.getNumDecls() == 1 && Kernel &&
                   (!Template || (Lookup.hasExplicitTemplateArgs() &&
                                  explicitArguments(Lookup.getNumTemplateArgs(), Template)));
      if (!Exact)
        C.Deduced = &Lookup;
      if (!Kernel)
        continue;
      C.DefinedHere = (!C.Kernel || C.DefinedHere) && Kernel->isDefined();
      C.KnownRank |= P.RankKernels.count(kernelPatternKey(Kernel, Sources)) != 0;
      C.Kernel = Kernel;
      C.Dependent = true;
    }
  }

  /// The kernels of a name that have parameters for as many arguments.
  static SmallVector<const FunctionDecl *, 2> candidatesFor(const CUDAKernelCallExpr &Launch, const UnresolvedLookupExpr &Lookup) {
    auto Kernels = candidateKernels(Lookup);
    if (llvm::none_of(Launch.arguments(), llvm::IsaPred<PackExpansionExpr>))
      llvm::erase_if(Kernels, [&](const FunctionDecl *Kernel) {
        return llvm::none_of(Kernel->parameters(), [](const ParmVarDecl *P) { return P->isParameterPack(); }) &&
               (Launch.getNumArgs() < Kernel->getMinRequiredArguments() || Kernel->getNumParams() < Launch.getNumArgs());
      });
    return Kernels;
  }

  /// Lets the compiler of the host find the kernel by the arguments.
  void findByArguments(Callee &C, const CUDAKernelCallExpr &Launch) {
    const auto Kernels = candidatesFor(Launch, *C.Deduced);
    const bool Overloaded = candidateKernels(*C.Deduced).size() > 1;
    C.Text = deducedKernel(Launch, *C.Deduced, Sources, LangOpts);
    std::vector<std::pair<FileRange, std::string>> Finders;
    for (const FunctionDecl *Kernel : Kernels) {
      std::optional<FileRange> End = fileRange(Kernel->getEndLoc(), Sources, LangOpts);
      std::optional<std::string> Finder = kernelFinder(Kernel, Overloaded, Sources, LangOpts);
      // The launch gets the values of default arguments, and so must know how many there are.
      if (End && Finder && Kernel->getNumParams() == Kernels.front()->getNumParams())
        Finders.push_back({*End, *Finder});
    }
    const bool Behind = llvm::any_of(Kernels, [&](const FunctionDecl* Kernel) { return Sources.isBeforeInTranslationUnit(Launch.getBeginLoc(), Kernel->getEndLoc()); });
    if (!C.Text || Kernels.empty() || Finders.size() != Kernels.size() || Behind) {
      U.Diags->report(Launch.getBeginLoc(), Diag::err_launch_template_deduced) << C.Deduced->getName().getAsString() << (Behind ? 2 : 0);
      C.Failed = true;
      return;
    }
    if (!llvm::is_contained(Kernels, C.Kernel))
      C.Kernel = Kernels.front();
    for (const auto &[End, Finder] : Finders)
      if (Found.insert({End.File, End.End}).second)
        P.Edits.replace({End.File, End.End, End.End}, Finder);
  }

  void rewriteLaunch(const CUDAKernelCallExpr &Launch) {
    Callee C = resolve(Launch);
    const SourceRange Named = Launch.getCallee()->getSourceRange();
    if (U.Kind != UnitKind::Cpu && C.DefinedHere && !C.KnownRank) {
      // The macro may launch rank kernels, too.
      if (C.Text && !C.Failed && writtenAt(Launch.getConfig()->getBeginLoc(), Sources).isMacroID())
        replaceName(Launch, C, fileRange(Named, Sources, LangOpts));
      return;
    }
    if (C.Deduced)
      findByArguments(C, Launch);
    if (C.Failed)
      return;
    SourceLocation Opening = writtenAt(Launch.getConfig()->getBeginLoc(), Sources);
    SourceLocation Closing = Launch.getConfig()->getRParenLoc();
    FileID Level = Sources.getFileID(Opening);
    std::optional<FileRange> Before = fileRangeAt(Level, Named, Sources, LangOpts);
    const std::optional<FileRange> Head =
        beginningAt(Level, Named.getBegin(), Launch.getConfig()->getBeginLoc(), Sources, LangOpts);
    std::optional<FileRange> Open = fileRangeAt(Level, Opening, Sources, LangOpts);
    std::optional<FileRange> Close = fileRangeAt(Level, Closing, Sources, LangOpts);
    std::optional<FileRange> End = fileRangeAt(Level, Launch.getRParenLoc(), Sources, LangOpts);
    if (!Before && rewriteAround(Launch, C))
      return;
    if (!Before || !Head || !Open || !Close || !End) {
      U.Diags->report(Launch.getBeginLoc(), Diag::err_edit_not_in_file) << "this launch";
      return;
    }
    // One macro may launch many kernels: its body gets the general form.
    bool AtOnce = C.KnownRank && C.DefinedHere && Level == Sources.getFileID(Launch.getConfig()->getBeginLoc()) &&
                  Opening.isFileID() && (C.Dependent || C.Kernel->isTemplateInstantiation() || !isAccessible(C.Kernel));
    P.Edits.replace(*Head, AtOnce ? "::gpurma::launch_rank_kernel(" : "::gpurma::launch(");
    if (C.Text && !replaceName(Launch, C, Opening.isFileID() ? Before : fileRange(Named, Sources, LangOpts)))
      return;
    P.Edits.replace(*Open, ", ");
    P.Edits.replace(*Close, ")");
    addDefaultArguments(Launch, C, *End);
  }

  /// Puts the text that denotes exactly this kernel in the place of its name. False after an error.
  bool replaceName(const CUDAKernelCallExpr &Launch, const Callee &C, const std::optional<FileRange> &Place) {
    if (!Place) {
      U.Diags->report(Launch.getBeginLoc(), Diag::err_edit_not_in_file) << "the name of the launched kernel";
      return false;
    }
    // The commas of a macro's argument are in parentheses.
    const bool InArgument = Launch.getCallee()->getBeginLoc().isMacroID() && StringRef(*C.Text).contains(',');
    const std::string Name = InArgument ? "(" + *C.Text + ")" : *C.Text;
    auto [Known, IsNew] = Names.try_emplace({Place->File, Place->Begin}, Name);
    if (!IsNew && Known->second != Name) {
      U.Diags->report(Launch.getBeginLoc(), Diag::err_launch_template_deduced) << C.Kernel->getName() << 1;
      return false;
    }
    P.Edits.replace(*Place, Name);
    return true;
  }

  /// `kernel ARGUMENTS(grid, block)(a)` with a macro that has the angle brackets: what it is passed is written out. False, and nothing is
  /// reported: it is something else.
  bool rewriteAround(const CUDAKernelCallExpr &Launch, const Callee &C) {
    const CallExpr &Config = *Launch.getConfig();
    const SourceRange Named = Launch.getCallee()->getSourceRange();
    const FileID Level = Sources.getFileID(Named.getBegin());
    std::optional<FileRange> Before = fileRangeAt(Level, Named, Sources, LangOpts);
    std::optional<FileRange> Brackets = fileRangeAt(Level, {Config.getBeginLoc(), Config.getRParenLoc()}, Sources, LangOpts);
    std::optional<FileRange> End = fileRangeAt(Level, Launch.getRParenLoc(), Sources, LangOpts);
    if (!Before || !Brackets || !End || Before->File != Brackets->File || Brackets->Begin < Before->End || End->Begin < Brackets->End)
      return false;
    std::string Text;
    for (const Expr *Argument : Config.arguments()) {
      if (isa<CXXDefaultArgExpr>(Argument))
        break;
      std::optional<std::string> Written = spelledText(Argument->getSourceRange(), Sources, LangOpts);
      if (!Written)
        return false;
      Text += ", " + *Written;
    }
    P.Edits.replace({Before->File, Before->Begin, Before->Begin}, "::gpurma::launch(");
    if (C.Text && !replaceName(Launch, C, Before))
      return true;
    P.Edits.replace(*Brackets, Text + ")");
    addDefaultArguments(Launch, C, *End);
    return true;
  }

  /// True if the expression names what may be something else, or nothing, at the launch.
  struct NameFinder : DynamicRecursiveASTVisitor {
    bool Found = false;
    bool isGlobal(const Decl *D) { return D->getDeclContext()->getRedeclContext()->isTranslationUnit(); }
    bool VisitDeclRefExpr(DeclRefExpr *Ref) override {
      Found |= !llvm::isa<FunctionDecl>(Ref->getDecl()) || !isGlobal(Ref->getDecl());
      return !Found;
    }
    bool VisitTagTypeLoc(TagTypeLoc Loc) override { return !(Found |= !isGlobal(Loc.getDecl())); }
    bool VisitTypedefTypeLoc(TypedefTypeLoc Loc) override { return !(Found |= !isGlobal(Loc.getTypedefNameDecl())); }
    bool VisitTemplateSpecializationTypeLoc(TemplateSpecializationTypeLoc) override { return !(Found = true); }
    bool VisitLambdaExpr(LambdaExpr *) override { return !(Found = true); }
    bool VisitCXXThisExpr(CXXThisExpr *) override { return !(Found = true); }
  };

  std::string literal(const llvm::APSInt &Value, QualType Type) const {
    if (Type->isBooleanType())
      return Value.isZero() ? "false" : "true";
    std::string Suffix = Value.isUnsigned() ? "u" : "";
    if (Value.getBitWidth() > 32)
      Suffix += "ll";
    std::string Text = Value.isMinSignedValue() ? "(" + llvm::toString(llvm::APSInt(Value + 1, /*isUnsigned=*/false), 10) + Suffix + " - 1)"
                                                : llvm::toString(Value, 10) + Suffix;
    return Type->isEnumeralType() ? "static_cast<" + Type.getCanonicalType().getAsString(sourcePolicy(U.context())) + ">(" + Text + ")"
                                  : Text;
  }

  /// The default argument as it can stand at the launch: a constant as its value.
  std::optional<std::string> textOfDefault(const ParmVarDecl &Parameter) const {
    const Expr *Default = Parameter.hasUninstantiatedDefaultArg() ? nullptr : Parameter.getDefaultArg();
    if (!Default || Default->isInstantiationDependent())
      return std::nullopt;
    Expr::EvalResult Result;
    if (Default->isPRValue() && Default->EvaluateAsRValue(Result, U.context()) && !Result.HasSideEffects) {
      if (Result.Val.isInt())
        return literal(Result.Val.getInt(), Default->getType());
      if (Result.Val.isFloat() && Result.Val.getFloat().isNegZero())
        return "-0.0";
      if (Result.Val.isFloat() && Result.Val.getFloat().isFinite()) {
        llvm::SmallString<32> Text;
        Result.Val.getFloat().toString(Text);
        return std::string(Text);
      }
      if (Result.Val.isLValue() && Result.Val.isNullPointer())
        return "nullptr";
    }
    NameFinder Names;
    Names.TraverseStmt(const_cast<Expr *>(Default));
    return Names.Found ? std::nullopt : spelledText(Parameter.getDefaultArgRange(), Sources, LangOpts);
  }

  /// The library's call has no default arguments.
  void addDefaultArguments(const CUDAKernelCallExpr &Launch, const Callee &C, const FileRange &End) {
    std::vector<const ParmVarDecl *> Absent;
    for (const Expr *Argument : Launch.arguments()) {
      if (llvm::isa<PackExpansionExpr>(Argument))
        return;
      if (const auto *Default = llvm::dyn_cast<CXXDefaultArgExpr>(Argument))
        Absent.push_back(Default->getParam());
    }
    // A launch in a template has them only once it is instantiated.
    const auto AbsentOf = [&](const FunctionDecl& Kernel) {
      std::vector<const ParmVarDecl*> Found;
      for (unsigned I = Launch.getNumArgs(); I < Kernel.getNumParams(); ++I)
        if (const ParmVarDecl* Parameter = Kernel.getMostRecentDecl()->getParamDecl(I);
            !Parameter->isParameterPack())
          Found.push_back(Parameter);
      return Found;
    };
    if (C.Kernel)
      llvm::append_range(Absent, AbsentOf(*C.Kernel));
    std::optional<std::string> Text = textOfDefaults(Absent);
    // Which of the overloads it is only an instance of the template knows.
    if (C.Deduced && Text)
      for (const FunctionDecl* Kernel : candidatesFor(Launch, *C.Deduced))
        if (textOfDefaults(AbsentOf(*Kernel)) != Text)
          Text.reset();
    if (!Text) {
      U.Diags->report(Launch.getBeginLoc(), Diag::err_default_argument)
          << Absent.front()->getName();
      return;
    }
    Defaults[{End.File, End.Begin}].push_back(
        {*Text, &Launch, Absent.empty() ? nullptr : Absent.front()});
  }

  std::optional<std::string> textOfDefaults(ArrayRef<const ParmVarDecl*> Absent) const {
    std::string Text;
    for (const ParmVarDecl *Parameter : Absent) {
      const std::optional<std::string> Default = textOfDefault(*Parameter);
      if (!Default)
        return std::nullopt;
      Text += (Parameter->getFunctionScopeIndex() ? ", " : "") + *Default;
    }
    return Text;
  }

  /// The body of a macro is the text of all launches that it makes.
  void writeDefaultArguments() {
    for (const auto& [Place, Launches] : Defaults) {
      const bool AreAlike = llvm::all_of(Launches, [&](const DefaultArguments& Each) {
        return Each.Text == Launches.front().Text;
      });
      for (const DefaultArguments& Each : Launches)
        if (!AreAlike && Each.First)
          U.Diags->report(Each.Launch->getBeginLoc(), Diag::err_default_argument)
              << Each.First->getName();
      if (AreAlike && !Launches.front().Text.empty())
        P.Edits.replace({Place.first, Place.second, Place.second}, Launches.front().Text);
    }
  }

  void rewriteCall(const CallExpr &Call) {
    std::optional<FileRange> Name = fileRange(Call.getCallee()->getSourceRange(), Sources, LangOpts);
    if (!Name || Call.getNumArgs() == 0) {
      U.Diags->report(Call.getBeginLoc(), Diag::err_edit_not_in_file) << "this launch";
      return;
    }
    bool Cooperative = Call.getDirectCallee()->getName() == "cudaLaunchCooperativeKernel";
    P.Edits.replace(*Name, Cooperative ? "::gpurma::launch_cooperative_kernel" : "::gpurma::launch_kernel");
    const Expr *Kernel = Call.getArg(0)->IgnoreUnlessSpelledInSource();
    QualType Type = Kernel->getType();
    if (!Type->isFunctionType() && !Type->isFunctionPointerType() && !Type->isDependentType())
      return;
    if (std::optional<FileRange> Range = fileRange(Kernel->getSourceRange(), Sources, LangOpts))
      P.Edits.wrap(*Range, "(const void*)(", ")");
  }

  Unit &U;
  Program &P;
  const SourceManager &Sources;
  const LangOptions &LangOpts;
  /// Kernels that have a function by which their arguments find them.
  std::set<std::pair<std::string, unsigned>> Found;
  struct DefaultArguments {
    std::string Text;
    const CUDAKernelCallExpr* Launch;
    /// Null: none.
    const ParmVarDecl* First;
  };
  /// By the places at which they are written.
  std::map<std::pair<std::string, unsigned>, std::vector<DefaultArguments>> Defaults;
  /// What is launched, by the place of its name.
  std::map<std::pair<std::string, unsigned>, std::string> Names;
};

class RewriteLaunches final : public Pass {
public:
  llvm::StringRef name() const override { return "RewriteLaunches"; }
  bool editsText() const override { return true; }

  void run(Unit &U, Program &P) override {
    LaunchRewriter(U, P).run();
    if (U.Kind == UnitKind::Cpu)
      addCpuEdits(U, P);
  }
};

} // namespace

std::unique_ptr<Pass> createRewriteLaunches() { return std::make_unique<RewriteLaunches>(); }

} // namespace gpurma
