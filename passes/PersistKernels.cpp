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
// has no name there. Calls through function pointers and virtual functions are not followed.
#include "frontend/DynamicRecursiveASTVisitor.h"

#include "Kernels.h"
#include "Pass.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpurma {
namespace {

/// The functions that a body names, which are those that it may call.
class CalleeCollector : public DynamicRecursiveASTVisitor {
public:
  bool shouldVisitImplicitCode() const override { return true; }
  bool VisitDeclRefExpr(DeclRefExpr *Ref) override { return add(Ref->getDecl()); }
  bool VisitMemberExpr(MemberExpr *Member) override { return add(Member->getMemberDecl()); }
  bool VisitCXXConstructExpr(CXXConstructExpr *Construct) override { return add(Construct->getConstructor()); }
  bool VisitLambdaExpr(LambdaExpr *Lambda) override { return add(Lambda->getCallOperator()); }
  bool VisitVarDecl(VarDecl *Variable) override {
    const CXXRecordDecl *Record = Variable->getType()->getAsCXXRecordDecl();
    return !Record || !Record->hasDefinition() || add(Record->getDestructor());
  }
  bool VisitUnresolvedLookupExpr(UnresolvedLookupExpr *Lookup) override {
    for (const NamedDecl *Found : Lookup->decls())
      if (const auto *Template = llvm::dyn_cast<FunctionTemplateDecl>(Found->getUnderlyingDecl()))
        add(Template->getTemplatedDecl());
      else
        add(Found->getUnderlyingDecl());
    return true;
  }

  llvm::SmallVector<const FunctionDecl *, 16> Callees;

private:
  bool add(const Decl *D) {
    if (const auto *Function = llvm::dyn_cast_or_null<FunctionDecl>(D))
      Callees.push_back(Function);
    return true;
  }
};

class KernelCollector : public DynamicRecursiveASTVisitor {
public:
  bool shouldVisitTemplateInstantiations() const override { return true; }
  bool VisitFunctionDecl(FunctionDecl *Function) override {
    if (isKernel(Function) && Function->doesThisDeclarationHaveABody())
      Kernels.push_back(Function);
    return true;
  }
  std::vector<const FunctionDecl *> Kernels;
};

class PersistKernels final : public Pass {
public:
  llvm::StringRef name() const override { return "PersistKernels"; }
  bool editsText() const override { return true; }

  void run(Unit &U, Program &P) override {
    if (U.Markers.empty())
      return;
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
    for (const auto &[Key, Kernel] : Plain)
      if (P.RankKernels.count(Key)) {
        std::string Name;
        llvm::raw_string_ostream Out(Name);
        Kernel->getNameForDiagnostic(Out, U.context().getPrintingPolicy(), /*Qualified=*/true);
        U.Diags->report(Kernel->getLocation(), Diag::err_partly_rank_template) << Name;
      }
  }

private:
  bool reaches(const FunctionDecl *Root) {
    llvm::DenseSet<const FunctionDecl *> Seen;
    std::vector<const FunctionDecl *> Work = {Root};
    while (!Work.empty()) {
      const FunctionDecl *Function = Work.back();
      Work.pop_back();
      if (!Seen.insert(Function->getCanonicalDecl()).second)
        continue;
      if (WithMarkers.count(Function->getCanonicalDecl()))
        return true;
      if (const FunctionDecl *Pattern = Function->getTemplateInstantiationPattern())
        if (WithMarkers.count(Pattern->getCanonicalDecl()) && !Function->hasBody())
          return true;
      const FunctionDecl *Definition = nullptr;
      if (!Function->hasBody(Definition))
        continue;
      CalleeCollector Collector;
      Collector.TraverseStmt(Definition->getBody());
      Work.insert(Work.end(), Collector.Callees.begin(), Collector.Callees.end());
    }
    return false;
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
    auto Declaration = [](const std::string &Suffix, const std::string &Kernel) {
      return "static const ::gpurma::rank_kernel gpurma_rank_kernel_" + Suffix + "(" + Kernel + ");";
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
