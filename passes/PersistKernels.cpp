// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the rank kernels, those that contain directives themselves or through functions that they call, sets up the block's state
// in them and registers them, so that launches of other translation units know them.
//
//   __global__ void k(float *p) {                     __global__ void k(float *p) { ::gpurma::rank_scope gpurma_rank_scope_;
//     ...                                       ->      ...
//   }                                                 } static const ::gpurma::rank_kernel gpurma_rank_kernel_0(k);
//
// Instantiations of kernel templates are registered at the end of the file, or where they are launched if a template argument
// has no name there. Calls through function pointers and virtual functions are not followed; a kernel that can come to a directive by
// them only is an error, and so is one that asks for its rank and has none.
#include "frontend/DynamicRecursiveASTVisitor.h"
#include "frontend/SourceText.h"

#include "CallVisitor.h"
#include "DeviceFunctions.h"
#include "ImplicitCalls.h"
#include "Kernels.h"
#include "Pass.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpurma {
namespace {

/// The functions that a function names, which are those that it may call, and those that it calls
/// without naming them.
class CalleeCollector : public ImplicitCalls {
public:
  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    return calls(llvm::dyn_cast<FunctionDecl>(Ref->getDecl()));
  }
  bool VisitMemberExpr(MemberExpr* Member) override {
    return calls(llvm::dyn_cast<FunctionDecl>(Member->getMemberDecl()));
  }
  bool VisitLambdaExpr(LambdaExpr* Lambda) override { return calls(Lambda->getCallOperator()); }
  bool VisitUnresolvedLookupExpr(UnresolvedLookupExpr *Lookup) override {
    for (const NamedDecl *Found : Lookup->decls())
      if (const auto *Template = llvm::dyn_cast<FunctionTemplateDecl>(Found->getUnderlyingDecl()))
        calls(Template->getTemplatedDecl());
      else
        calls(llvm::dyn_cast<FunctionDecl>(Found->getUnderlyingDecl()));
    return true;
  }

  llvm::SmallVector<const FunctionDecl *, 16> Callees;

private:
  bool calls(const FunctionDecl* Function) override {
    if (Function)
      Callees.push_back(Function);
    return true;
  }
};

/// Functions of the device library that know a rank kernel's ranks: those that say which and how many there are, and those that
/// directives become.
bool asksForRank(llvm::StringRef Name) { return llvm::is_contained({"rank", "size", "device_rank", "device_size"}, Name); }
bool isDirective(llvm::StringRef Name) {
  return llvm::is_contained({"put", "put_notify", "get", "get_notify", "notify", "wait", "test", "flush", "barrier"}, Name);
}

bool needsRank(const FunctionDecl *Function) {
  const llvm::StringRef Name = apiName(Function);
  return asksForRank(Name) || isDirective(Name);
}

/// What a body contains that says how its kernel has to be launched.
class LaunchNeeds : public DynamicRecursiveASTVisitor {
public:
  bool shouldVisitImplicitCode() const override { return true; }
  bool VisitDeclRefExpr(DeclRefExpr *Ref) override {
    const ValueDecl *Named = Ref->getDecl();
    if (!Named->getIdentifier())
      return true;
    AsksForBlock |= Named->getName() == "blockIdx";
    AsksForBlocks |= llvm::is_contained({"gridDim", "this_grid"}, Named->getName());
    if (const auto *Function = llvm::dyn_cast<FunctionDecl>(Named); Function && needsRank(Function)) {
      RankFunctions.push_back(Ref);
      AsksForBlocks |= llvm::is_contained({"size", "device_size"}, Function->getName());
    }
    return true;
  }
  bool VisitVarDecl(VarDecl *Variable) override {
    const CXXRecordDecl *Record = Variable->getType()->getAsCXXRecordDecl();
    HasScope |= Record && Record->getName() == "rank_scope" && isInNamespaceGpurma(Record);
    return true;
  }
  bool VisitCallExpr(CallExpr *Call) override {
    const auto *Member = llvm::dyn_cast<MemberExpr>(Call->getCallee()->IgnoreParenImpCasts());
    const auto *Method = Member ? llvm::dyn_cast<CXXMethodDecl>(Member->getMemberDecl()) : nullptr;
    if (!Call->getDirectCallee() || (Method && Method->isVirtual() && !Member->hasQualifier()))
      Unknown.push_back({Call, Method});
    return true;
  }

  llvm::SmallVector<const DeclRefExpr *, 4> RankFunctions;
  /// Virtual calls with the method that they name, and calls through pointers.
  llvm::SmallVector<std::pair<const CallExpr *, const CXXMethodDecl *>, 4> Unknown;
  bool AsksForBlock = false, AsksForBlocks = false, HasScope = false;
};

/// The kernels, and the functions that are called otherwise than by their names.
class KernelCollector : public DynamicRecursiveASTVisitor {
public:
  bool shouldVisitTemplateInstantiations() const override { return true; }
  bool VisitFunctionDecl(FunctionDecl *Function) override {
    if (isKernel(Function) && Function->doesThisDeclarationHaveABody())
      Kernels.push_back(Function);
    if (Function->hasAttr<CUDADeviceAttr>() && Function->isThisDeclarationADefinition() && Function->isExternallyVisible() && !Function->isInlined() &&
        !Function->isTemplated() && !Function->isTemplateInstantiation())
      ForOtherUnits.push_back(Function);
    if (const auto *Method = llvm::dyn_cast<CXXMethodDecl>(Function); Method && Method->size_overridden_methods() != 0)
      Overriders.push_back(Method);
    return true;
  }
  bool VisitCallExpr(CallExpr *Call) override {
    if (const auto *Ref = llvm::dyn_cast<DeclRefExpr>(Call->getCallee()->IgnoreParenImpCasts()))
      Called.insert(Ref);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *Ref) override {
    if (llvm::isa<FunctionDecl>(Ref->getDecl()))
      References.push_back(Ref);
    return true;
  }

  std::vector<const FunctionDecl *> addressed() const {
    std::vector<const FunctionDecl *> Functions;
    for (const DeclRefExpr *Ref : References)
      if (const auto *Function = llvm::cast<FunctionDecl>(Ref->getDecl()); !Called.count(Ref) && !isKernel(Function))
        Functions.push_back(Function);
    return Functions;
  }

  std::vector<const FunctionDecl *> Kernels;
  /// Device functions that other translation units can call.
  std::vector<const FunctionDecl *> ForOtherUnits;
  std::vector<const CXXMethodDecl *> Overriders;

private:
  llvm::DenseSet<const DeclRefExpr *> Called;
  std::vector<const DeclRefExpr *> References;
};

class PersistKernels final : public Pass {
public:
  llvm::StringRef name() const override { return "PersistKernels"; }
  bool editsText() const override { return true; }

  void run(Unit &U, Program &P) override {
    WithMarkers.clear();
    for (const Marker &M : U.Markers)
      if (M.Function)
        WithMarkers.insert(M.Function->getCanonicalDecl());
    KernelCollector Collector;
    Collector.TraverseDecl(U.context().getTranslationUnitDecl());
    countPlaces(Collector.Kernels, U);
    std::map<std::string, const FunctionDecl *> Plain;
    std::vector<const FunctionDecl *> WithoutDirectives, RankKernels;
    for (const FunctionDecl *Kernel : Collector.Kernels) {
      if (!reaches(Kernel)) {
        WithoutDirectives.push_back(Kernel);
        if (Kernel->isTemplateInstantiation())
          Plain.insert({kernelPatternKey(Kernel, U.sources()), Kernel});
        continue;
      }
      RankKernels.push_back(Kernel);
      U.RankKernels.insert(Kernel->getCanonicalDecl());
      if (const FunctionDecl *Pattern = Kernel->getTemplateInstantiationPattern())
        U.RankKernels.insert(Pattern->getCanonicalDecl());
      P.RankKernels.insert(kernelKey(Kernel, U.sources()));
      P.RankKernels.insert(kernelPatternKey(Kernel, U.sources()));
      setUp(Kernel, U, P);
      registerKernel(Kernel, U, P);
    }
    checkBraces(RankKernels, WithoutDirectives, U, P);
    if (P.Options.RelocatableDeviceCode)
      checkOtherUnits(RankKernels, Collector, U);
    for (const FunctionDecl *Kernel : WithoutDirectives)
      checkOrdinary(Kernel, Collector, U);
    for (const auto &[Key, Kernel] : Plain)
      if (P.RankKernels.count(Key)) {
        std::string Name;
        llvm::raw_string_ostream Out(Name);
        Kernel->getNameForDiagnostic(Out, U.context().getPrintingPolicy(), /*Qualified=*/true);
        U.Diags->report(Kernel->getLocation(), Diag::err_partly_rank_template) << Name;
      }
  }

private:
  /// A kernel or function and all that it may call, until \p Visit says that it has seen enough.
  static bool anyReached(const FunctionDecl *Root, llvm::function_ref<bool(const FunctionDecl *)> Visit) {
    llvm::DenseSet<const FunctionDecl *> Seen;
    std::vector<const FunctionDecl *> Work = {Root};
    while (!Work.empty()) {
      const FunctionDecl *Function = Work.back();
      Work.pop_back();
      if (!Seen.insert(Function->getCanonicalDecl()).second)
        continue;
      if (Visit(Function))
        return true;
      CalleeCollector Collector;
      Collector.traverseFunction(*Function);
      Work.insert(Work.end(), Collector.Callees.begin(), Collector.Callees.end());
    }
    return false;
  }

  bool reaches(const FunctionDecl *Root) const {
    return anyReached(Root, [this](const FunctionDecl *Function) {
      if (WithMarkers.count(Function->getCanonicalDecl()))
        return true;
      const FunctionDecl *Pattern = Function->getTemplateInstantiationPattern();
      return Pattern && WithMarkers.count(Pattern->getCanonicalDecl()) && !Function->hasBody();
    });
  }

  /// What all bodies that a kernel may come to need; the library's own are not looked at.
  static LaunchNeeds needsOf(const FunctionDecl *Kernel) {
    LaunchNeeds Needs;
    anyReached(Kernel, [&Needs](const FunctionDecl *Function) {
      const FunctionDecl *Definition = nullptr;
      if (!isInNamespaceGpurma(Function) && Function->hasBody(Definition))
        traverseDefinition(Needs, Definition);
      return false;
    });
    return Needs;
  }

  static bool overrides(const CXXMethodDecl *Method, const CXXMethodDecl *Base) {
    return llvm::any_of(Method->overridden_methods(), [Base](const CXXMethodDecl *Each) {
      return Each->getCanonicalDecl() == Base->getCanonicalDecl() || overrides(Each, Base);
    });
  }

  /// A function with directives that a virtual call of \p Method, or one through a pointer, may come to; null if there is none.
  const FunctionDecl *mayReach(const CallExpr &Call, const CXXMethodDecl *Method, const KernelCollector &All, Unit &U) const {
    if (WithMarkers.empty())
      return nullptr;
    if (Method) {
      auto It = llvm::find_if(All.Overriders, [&](const CXXMethodDecl *Each) { return overrides(Each, Method) && reaches(Each); });
      return It != All.Overriders.end() ? *It : nullptr;
    }
    const QualType Type = Call.getCallee()->getType()->getPointeeType();
    if (Type.isNull())
      return nullptr;
    for (const FunctionDecl *Each : All.addressed())
      if (U.context().hasSameFunctionTypeIgnoringExceptionSpec(Each->getType(), Type) && reaches(Each))
        return Each;
    return nullptr;
  }

  /// Kernels of other translation units that come to directives are not known to be rank kernels.
  void checkOtherUnits(const std::vector<const FunctionDecl *> &RankKernels, const KernelCollector &All, Unit &U) const {
    llvm::DenseSet<const FunctionDecl *> Called;
    for (const FunctionDecl *Kernel : RankKernels)
      anyReached(Kernel, [&Called](const FunctionDecl *Function) {
        Called.insert(Function->getCanonicalDecl());
        return false;
      });
    for (const FunctionDecl *Function : All.ForOtherUnits)
      if (!Called.count(Function->getCanonicalDecl()) && reaches(Function))
        U.Diags->report(Function->getLocation(), Diag::err_directives_for_other_units) << Function->getQualifiedNameAsString();
  }

  /// A kernel that is launched as written must not need to be a rank kernel.
  void checkOrdinary(const FunctionDecl *Kernel, const KernelCollector &All, Unit &U) const {
    if (Kernel->isDependentContext() || isOfSystemHeader(*Kernel, U.sources()))
      return;
    const LaunchNeeds Needs = needsOf(Kernel);
    if (Needs.HasScope)
      return;
    for (const auto &[Call, Method] : Needs.Unknown)
      if (const FunctionDecl *Target = mayReach(*Call, Method, All, U)) {
        U.Diags->report(Kernel->getLocation(), Diag::err_unknown_directive_call)
            << Kernel->getName() << Target->getQualifiedNameAsString() << !Method;
        U.Diags->report(Call->getBeginLoc(), Diag::note_unknown_directive_call);
        return;
      }
    if (Needs.RankFunctions.empty())
      return;
    const DeclRefExpr *First = Needs.RankFunctions.front();
    const llvm::StringRef Name = llvm::cast<FunctionDecl>(First->getDecl())->getName();
    U.Diags->report(Kernel->getLocation(), Diag::err_rank_in_ordinary_kernel)
        << Kernel->getName() << Name << isDirective(Name);
    U.Diags->report(First->getBeginLoc(), Diag::note_rank_function) << Name;
  }

  /// A file that is included repeatedly has several kernels at one place.
  void countPlaces(const std::vector<const FunctionDecl *> &Kernels, Unit &U) {
    KernelsAt.clear();
    for (const FunctionDecl *Kernel : Kernels)
      if (std::optional<FileRange> Place = fileRange(Kernel->getLocation(), U.sources(), U.context().getLangOpts());
          Place && !Kernel->isTemplateInstantiation())
        ++KernelsAt[{Place->File, Place->Begin}];
  }

  static std::optional<FileRange> openingBrace(const FunctionDecl *Kernel, Unit &U) {
    const auto *Body = llvm::dyn_cast<CompoundStmt>(Kernel->getBody());
    return Body ? fileRange(Body->getLBracLoc(), U.sources(), U.context().getLangOpts()) : std::nullopt;
  }

  /// The text of one brace may open several kernels; what rank kernels need there must not get into others. Instances of one
  /// template are reported as such.
  static void checkBraces(const std::vector<const FunctionDecl *> &RankKernels, const std::vector<const FunctionDecl *> &Others,
                          Unit &U, const Program &P) {
    std::set<std::pair<std::string, unsigned>> Braces;
    for (const FunctionDecl *Kernel : Others)
      if (std::optional<FileRange> Brace = openingBrace(Kernel, U);
          Brace && !Kernel->isDependentContext() && !P.RankKernels.count(kernelPatternKey(Kernel, U.sources())))
        Braces.insert({Brace->File, Brace->Begin});
    for (const FunctionDecl *Kernel : RankKernels)
      if (std::optional<FileRange> Brace = openingBrace(Kernel, U); Brace && Braces.count({Brace->File, Brace->Begin}))
        U.Diags->report(Kernel->getLocation(), Diag::err_edit_not_in_file) << "the body of this rank kernel";
  }

  static void setUp(const FunctionDecl *Kernel, Unit &U, Program &P) {
    std::optional<FileRange> Brace = openingBrace(Kernel, U);
    if (!Brace) {
      U.Diags->report(Kernel->getLocation(), Diag::err_edit_not_in_file) << "the body of this rank kernel";
      return;
    }
    P.Edits.replace({Brace->File, Brace->End, Brace->End}, " ::gpurma::rank_scope gpurma_rank_scope_;");
  }

  /// Where a declaration at namespace scope can follow the kernel: after its body or after the class that it is a member of.
  static std::optional<FileRange> placeAfter(const FunctionDecl *Kernel, Unit &U) {
    const SourceManager &Sources = U.sources();
    const LangOptions &LangOpts = U.context().getLangOpts();
    const CXXRecordDecl *Class = nullptr;
    for (const DeclContext *DC = Kernel->getLexicalDeclContext(); llvm::isa<CXXRecordDecl>(DC); DC = DC->getLexicalParent())
      Class = llvm::cast<CXXRecordDecl>(DC);
    std::optional<FileRange> End = fileRange(Class ? Class->getEndLoc() : Kernel->getBody()->getEndLoc(), Sources, LangOpts);
    if (Class && End) {
      std::optional<Token> Next = Lexer::findNextToken(Sources.getFileLoc(Class->getEndLoc()), Sources, LangOpts);
      End = Next && Next->is(tok::semi) ? fileRange(Next->getLocation(), Sources, LangOpts) : std::nullopt;
    }
    if (!End)
      return std::nullopt;
    return FileRange{End->File, End->End, End->End};
  }

  void registerKernel(const FunctionDecl *Kernel, Unit &U, Program &P) const {
    if (Kernel->isDependentContext() || !isAccessible(Kernel))
      return;
    std::optional<std::string> Name = qualifiedName(Kernel);
    if (!Name)
      return;
    const LaunchNeeds Needs = needsOf(Kernel);
    const std::string Blocks = Needs.AsksForBlock && !Needs.AsksForBlocks ? ", ::gpurma::block_use::each" : "";
    auto Declaration = [&Blocks](const std::string &Suffix, const std::string &Kernel) {
      return "static const ::gpurma::rank_kernel gpurma_rank_kernel_" + Suffix + "(" + Kernel + Blocks + ");";
    };
    std::string Number = std::to_string(P.number(kernelPatternKey(Kernel, U.sources())));
    if (Kernel->isTemplateInstantiation()) {
      // Instantiations share their pattern's number; the order of their registration tells them apart.
      std::string Text = exactly(Kernel, *Name);
      if (P.RegisteredInstantiations.insert(Text).second)
        P.addEpilogue(Declaration(Number + "_" + std::to_string(P.RegisteredInstantiations.size()), Text));
      return;
    }
    std::optional<FileRange> After = placeAfter(Kernel, U);
    bool AtPlace = After && standsAlone(Kernel, After->File, U);
    std::string Text = exactly(Kernel, AtPlace && !llvm::isa<CXXRecordDecl>(Kernel->getDeclContext()) &&
                                               !Kernel->getTemplateSpecializationArgs()
                                           ? Kernel->getNameAsString()
                                           : *Name);
    if (AtPlace)
      P.Edits.replace(*After, " " + Declaration(Number, Text));
    else
      P.addEpilogue(Declaration(Number, Text));
  }

  /// True if the text of the kernel, which ends in \p File, is that of this kernel only: no macro spells its name or its end.
  bool standsAlone(const FunctionDecl *Kernel, const std::string &File, Unit &U) const {
    if (!Kernel->getLocation().isFileID() || !Kernel->getBody()->getEndLoc().isFileID())
      return false;
    std::optional<FileRange> Place = fileRange(Kernel->getLocation(), U.sources(), U.context().getLangOpts());
    if (!Place || Place->File != File)
      return false;
    auto It = KernelsAt.find({Place->File, Place->Begin});
    return It != KernelsAt.end() && It->second == 1;
  }

  llvm::DenseSet<const FunctionDecl *> WithMarkers;
  std::map<std::pair<std::string, unsigned>, unsigned> KernelsAt;
};

} // namespace

std::unique_ptr<Pass> createPersistKernels() { return std::make_unique<PersistKernels>(); }

} // namespace gpurma
