// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CpuEdits.h"
#include "CallVisitor.h"
#include "Kernels.h"
#include "frontend/DynamicRecursiveASTVisitor.h"
#include "frontend/SourceText.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include <optional>

using namespace clang;

namespace gpurma {
namespace {

/// The function whose body declares the variable; an extern declaration there belongs to the namespace only in meaning.
const FunctionDecl *declaringFunction(const ValueDecl &Variable) {
  return llvm::dyn_cast<FunctionDecl>(Variable.getLexicalDeclContext());
}

bool isShared(const Decl *D) { return D && llvm::isa<VarDecl>(D) && D->hasAttr<CUDASharedAttr>(); }

/// Whether a function asks, itself or by another one, which lanes of its warp are with it.
/// Functions that do not are looked at once, whichever others call them; behind one that does it is
/// of no use.
class ActiveLanesFinder : public CallVisitor {
public:
  bool asks(const FunctionDecl* Function) {
    enter(Function);
    visitEntered();
    return Found;
  }

private:
  bool visitFunction(const FunctionDecl* Function) override {
    const IdentifierInfo* Name = Function->getIdentifier();
    Found |= Name && (Name->isStr("__activemask") || Name->isStr("coalesced_threads"));
    return !Found && CallVisitor::visitFunction(Function);
  }

  bool Found = false;
};

class CpuEditor : public DynamicRecursiveASTVisitor {

public:
  CpuEditor(Unit &U, Program &P) : U(U), P(P), Sources(U.sources()), LangOpts(U.context().getLangOpts()) {}

  bool TraverseDecl(Decl *D) override {
    if (!D || isOfSystemHeader(*D, Sources))
      return true;
    auto *Function = llvm::dyn_cast<FunctionDecl>(D);
    if (Function && Function->doesThisDeclarationHaveABody())
      Bodies.push_back({Function, Function->getBody()});
    bool Continue = DynamicRecursiveASTVisitor::TraverseDecl(D);
    if (Function && Function->doesThisDeclarationHaveABody())
      Bodies.pop_back();
    return Continue;
  }

  bool TraverseLambdaExpr(LambdaExpr *Lambda) override {
    Bodies.push_back({Lambda->getCallOperator(), Lambda->getBody()});
    bool Continue = DynamicRecursiveASTVisitor::TraverseLambdaExpr(Lambda);
    Bodies.pop_back();
    return Continue;
  }

  bool VisitDeclStmt(DeclStmt *Statement) override {
    if (llvm::none_of(Statement->decls(), isShared))
      return true;
    std::vector<const VarDecl*> Variables;
    for (const Decl* D : Statement->decls())
      if (const auto* Variable = llvm::dyn_cast<VarDecl>(D))
        Variables.push_back(Variable);
    std::string Text;
    for (const Decl *D : Statement->decls()) {
      // `__shared__ struct pair { int a, b; } one, other;`, of which the typedef of one defines the
      // class, too.
      if (const auto* Tag = llvm::dyn_cast<TagDecl>(D);
          Tag && Variables.size() > 1 && Tag->isThisDeclarationADefinition())
        Text += (Text.empty() ? "" : " ") +
                onOneLine(spelledText(Tag->getSourceRange(), Sources, LangOpts).value_or(""),
                          LangOpts) +
                ";";
      const auto *Variable = llvm::dyn_cast<VarDecl>(D);
      if (!Variable)
        continue;
      std::string Type = typedefOf(*Variable, Statement->getSourceRange(), Variables.size() == 1);
      if (Type.empty())
        return true;
      Text += (Text.empty() ? "" : " ") + Type + ' ' + reference(*Variable);
    }
    replaceDeclaration(Statement->getSourceRange(), Text, *Variables.front());
    return true;
  }

  bool VisitVarDecl(VarDecl *Variable) override {
    // What is written of a variable template is the template.
    if (!Variable->isFileVarDecl() || llvm::isa<VarTemplateSpecializationDecl>(Variable) || inSystemHeader(*Variable))
      return true;
    if (isShared(Variable)) {
      std::string Type = typedefOf(*Variable, Variable->getSourceRange(), /*Single=*/true);
      if (!Type.empty())
        replaceDeclaration(SourceRange(Variable->getBeginLoc(), semicolonAfter(Variable->getEndLoc())), Type, *Variable);
      return true;
    }
    bool OnDevice = !P.Options.RelocatableDeviceCode && (Variable->hasAttr<CUDADeviceAttr>() || Variable->hasAttr<CUDAConstantAttr>());
    if (OnDevice && Variable->getStorageClass() == SC_None && !Variable->isInline() && !Variable->isConstexpr() &&
        !Variable->isStaticDataMember() && !Variable->getDescribedVarTemplate() && !Variable->isExternC() &&
        Variable->isThisDeclarationADefinition() && !Variable->getPreviousDecl()) // which is extern
      makeInternal(Variable->getSourceRange());
    return true;
  }

  bool VisitFunctionDecl(FunctionDecl *Function) override {
    if (inSystemHeader(*Function) || Function->isTemplateInstantiation())
      return true;
    if (isKernel(Function))
      registerKernel(*Function);
    else if (!P.Options.RelocatableDeviceCode && belongsToUnit(*Function))
      makeInternal(Function->getSourceRange());
    if (Function->hasAttr<CUDADeviceAttr>() && Function->isThisDeclarationADefinition() &&
        ActiveLanes->asks(Function)) {
      keepCallsApart(*Function);
      ActiveLanes.emplace();
    }
    return true;
  }

  bool VisitFunctionTemplateDecl(FunctionTemplateDecl* Template) override {
    if (inSystemHeader(*Template) || !isKernel(Template->getTemplatedDecl()))
      return true;
    for (const FunctionDecl* Instance : Template->specializations())
      if (Instance->isTemplateInstantiation())
        registerInstance(*Instance);
    return true;
  }

  /// A shared variable becomes a reference, but its type is none.
  bool VisitDecltypeTypeLoc(DecltypeTypeLoc Type) override {
    const auto* Ref = llvm::dyn_cast<DeclRefExpr>(Type.getUnderlyingExpr());
    if (!Ref || !isShared(Ref->getDecl()))
      return true;
    if (std::optional<FileRange> Range = fileRange(Type.getSourceRange(), Sources, LangOpts)) {
      P.Edits.replace({Range->File, Range->Begin, Range->Begin}, "::std::remove_reference_t<");
      P.Edits.replace({Range->File, Range->End, Range->End}, ">");
    }
    return true;
  }

  /// A shared variable is static: lambdas name it without capturing it, and the reference that replaces it must not be captured.
  bool VisitDeclRefExpr(DeclRefExpr *Ref) override {
    const ValueDecl *Variable = Ref->getDecl();
    if (!isShared(Variable) || Bodies.empty())
      return true;
    if (declaringFunction(*Variable) == Bodies.back().Function)
      return true;
    const auto *Body = llvm::dyn_cast<CompoundStmt>(Bodies.back().Body);
    std::optional<FileRange> Brace = Body ? fileRange(Body->getLBracLoc(), Sources, LangOpts) : std::nullopt;
    if (!Brace || Ref->hasQualifier())
      U.Diags->report(Ref->getLocation(), Diag::err_shared_form)
          << Variable->getName() << (Brace ? "it is used by a qualified name" : "it is used in a body that a macro spells in part");
    else
      P.Edits.replace({Brace->File, Brace->End, Brace->End}, ' ' + reference(*llvm::cast<VarDecl>(Variable)));
    return true;
  }

private:
  struct Body {
    const FunctionDecl *Function;
    const Stmt *Body;
  };

  bool inSystemHeader(const Decl &D) const {
    return D.getLocation().isInvalid() || Sources.isInSystemHeader(D.getLocation());
  }

  std::string number(const VarDecl &Variable) const {
    const VarDecl *Named = declaringFunction(Variable) ? &Variable : Variable.getCanonicalDecl();
    auto Place = fileRange(Named->getLocation(), Sources, LangOpts);
    return std::to_string(
        P.number(Place ? Place->File + ':' + std::to_string(Place->Begin) : Variable.getQualifiedNameAsString()));
  }

  std::string typeName(const VarDecl &Variable) const {
    return "gpurma_" + Variable.getNameAsString() + "_" + number(Variable);
  }

  /// The same in all translation units that have the function: the linker may take any one's copy
  /// of it.
  std::string keyName(const VarDecl& Variable) const {
    return "gpurma_key_" +
           (declaringFunction(Variable) ? Variable.getNameAsString() : number(Variable));
  }

  /// "typedef float gpurma_t_0[32];" and the key; empty (and reported) if it cannot be written.
  std::string typedefOf(const VarDecl &Variable, SourceRange Declaration, bool Single) {
    const std::optional<FileRange> Range =
        Single ? fileRange(Declaration, Sources, LangOpts) : std::nullopt;
    const llvm::StringRef Written =
        Range ? P.source(Range->File).slice(Range->Begin, Range->End) : llvm::StringRef();
    const bool Chosen = holdsDirective(Written); // by the preprocessor
    std::string Text = !Single || (Chosen && holdsWholeConditions(Written))
                           ? printedTypedef(Variable)
                       : Chosen ? ""
                                : writtenTypedef(Variable, Declaration);
    if (Text.empty())
      U.Diags->report(Variable.getLocation(), Diag::err_shared_form)
          << Variable.getName()
          << (Chosen   ? "a directive of the preprocessor stands in its declaration"
              : Single ? "its declaration is spelled in part by a macro"
                       : "declare it in a statement of its own");
    else if (!isDynamic(Variable))
      Text += declaringFunction(Variable) ? " struct " + keyName(Variable) + ";"
                                          : " namespace { struct " + keyName(Variable) + "; }";
    return Text;
  }

  /// Whether each #if of a text ends in it.
  static bool holdsWholeConditions(llvm::StringRef Text) {
    int Open = 0;
    for (llvm::StringRef Rest = Text; !Rest.empty();) {
      llvm::StringRef Line;
      std::tie(Line, Rest) = Rest.split('\n');
      Line = Line.ltrim();
      if (!Line.consume_front("#"))
        continue;
      Line = Line.ltrim();
      Open += Line.starts_with("if");
      Open -= Line.starts_with("endif");
    }
    return Open == 0;
  }

  static bool isDynamic(const VarDecl &Variable) { return Variable.hasExternalStorage(); }

  static bool hasDependentAlignment(const VarDecl& Variable) {
    return llvm::any_of(Variable.specific_attrs<AlignedAttr>(),
                        [](const AlignedAttr* A) { return A->isAlignmentDependent(); });
  }

  /// What is known of the alignment when the template is compiled only, a typedef may not say.
  std::string alignment(const VarDecl& Variable, const std::string& Type) const {
    if (!hasDependentAlignment(Variable))
      return Variable.hasAttr<AlignedAttr>() ? ", alignof(" + Type + ")" : "";
    std::string Largest = "alignof(" + Type + ")";
    for (const AlignedAttr* A : Variable.specific_attrs<AlignedAttr>()) {
      const std::optional<std::string> Written =
          A->isAlignmentExpr()
              ? spelledText(A->getAlignmentExpr()->getSourceRange(), Sources, LangOpts)
              : spelledText(A->getAlignmentType()->getTypeLoc().getSourceRange(), Sources,
                            LangOpts);
      if (Written)
        Largest = "::gpurma::cpu::larger(" + Largest + ", " +
                  (A->isAlignmentExpr() ? *Written : "alignof(" + *Written + ")") + ")";
    }
    return ", " + Largest;
  }

  std::string printedTypedef(const VarDecl &Variable) const {
    PrintingPolicy Policy = U.context().getPrintingPolicy();
    if (const auto *Tag = Variable.getType()->getBaseElementTypeUnsafe()->getAsTagDecl(); Tag && !Tag->getIdentifier())
      return {};
    std::string Text = typeName(Variable), Alignment;
    Variable.getType().getAsStringInternal(Text, Policy);
    if (Variable.hasAttr<AlignedAttr>()) {
      if (hasDependentAlignment(Variable))
        return {};
      Alignment = " __attribute__((aligned(" +
                  std::to_string(U.context().getDeclAlign(&Variable).getQuantity()) + ")))";
    }
    return "typedef " + Text + Alignment + ";";
  }

  /// The declaration as written, less storage class and __shared__.
  std::string writtenTypedef(const VarDecl &Variable, SourceRange Declaration) const {
    std::optional<FileRange> Range = fileRange(Declaration, Sources, LangOpts);
    std::optional<FileRange> Name = fileRange(Variable.getLocation(), Sources, LangOpts);
    if (!Range || !Name || Name->File != Range->File || Name->Begin < Range->Begin || Name->End > Range->End)
      return {};
    std::string Source = onOneLine(P.source(Range->File).slice(Range->Begin, Name->Begin), LangOpts);
    std::string Rest = onOneLine(P.source(Range->File).slice(Name->End, Range->End), LangOpts);
    llvm::StringRef Tail = llvm::StringRef(Rest).rtrim("; ");
    std::string Text = "typedef";
    Lexer Raw(SourceLocation(), LangOpts, Source.data(), Source.data(), Source.data() + Source.size());
    Token T;
    // The memory that a launch asks for is aligned for anything.
    const bool DropsAlignment = isDynamic(Variable) || hasDependentAlignment(Variable);
    bool Aligning = false, Dropping = false;
    for (int Depth = 0; !Raw.LexFromRawLexer(T) || T.isNot(tok::eof);) {
      llvm::StringRef Word(Source.data() + Raw.getCurrentBufferOffset() - T.getLength(), T.getLength());
      bool Dropped = T.is(tok::raw_identifier) && (Word == "__shared__" || Word == "extern" || Word == "static");
      const bool Alignas =
          T.is(tok::raw_identifier) && Word == "alignas"; // not allowed on a typedef
      Dropping |= DropsAlignment && (Alignas || (T.is(tok::raw_identifier) && Word == "__align__"));
      if (Dropping) {
        Depth += T.is(tok::l_paren);
        if (T.is(tok::r_paren) && --Depth == 0)
          Dropping = false;
      } else if (!Dropped) {
        if (T.hasLeadingSpace() || Text == "typedef")
          Text += ' ';
        Text += Alignas ? "__attribute__((aligned" : Word;
        Aligning |= Alignas;
        if (T.is(tok::l_paren))
          ++Depth;
        else if (T.is(tok::r_paren) && --Depth == 0 && Aligning) {
          Text += "))";
          Aligning = false;
        }
      }
      if (Raw.getCurrentBufferOffset() >= Source.size())
        break;
    }
    if (!llvm::StringRef(Text).ends_with(" ") && !llvm::StringRef(Text).ends_with("(") && !llvm::StringRef(Text).ends_with("*"))
      Text += ' ';
    return Text + typeName(Variable) + Tail.str() + ";";
  }

  std::string reference(const VarDecl &Variable) const {
    std::string Scope;
    if (!declaringFunction(Variable)) {
      PrintingPolicy Policy = U.context().getPrintingPolicy();
      Policy.SuppressUnwrittenScope = true;
      llvm::raw_string_ostream Out(Scope);
      Out << "::";
      Variable.printNestedNameSpecifier(Out, Policy);
    }
    std::string Type = Scope + typeName(Variable);
    std::string Object = isDynamic(Variable)
                             ? "dynamic_shared<" + Type + ">"
                             : "shared_variable<" + Type + ", " + Scope + keyName(Variable) +
                                   alignment(Variable, Type) + ">";
    Object = "::gpurma::cpu::" + Object + "()";
    if (Sources.isMacroArgExpansion(Variable.getLocation())) // commas would part it
      Object = "(" + Object + ")";
    return (isDynamic(Variable) ? "[[maybe_unused]] " : "") + Type + "& " +
           Variable.getNameAsString() + " = " + Object + ";";
  }

  SourceLocation semicolonAfter(SourceLocation Loc) const {
    std::optional<Token> Next = Lexer::findNextToken(Sources.getFileLoc(Loc), Sources, LangOpts);
    return Next && Next->is(tok::semi) ? Next->getLocation() : Loc;
  }

  void replaceDeclaration(SourceRange Declaration, std::string Text, const VarDecl &Variable) {
    std::optional<FileRange> Range = fileRange(Declaration, Sources, LangOpts);
    if (!Range) {
      U.Diags->report(Variable.getLocation(), Diag::err_shared_form)
          << Variable.getName() << "its declaration is spelled in part by a macro";
      return;
    }
    llvm::StringRef Source = P.source(Range->File).slice(Range->Begin, Range->End);
    if (!Source.ends_with(";") && !declaringFunction(Variable)) {
      U.Diags->report(Variable.getLocation(), Diag::err_shared_form) << Variable.getName() << "declare it in a statement of its own";
      return;
    }
    if (!Source.ends_with(";")) // a macro spells the declaration, its use the semicolon
      Text.pop_back();
    const char *LineEnd = Declaration.getBegin().isMacroID() && Declaration.getEnd().isMacroID() ? "\\\n" : "\n";
    for (size_t Lines = Source.count('\n'); Lines > 0; --Lines)
      Text += LineEnd;
    P.Edits.replace(*Range, Text);
  }

  /// A device function that other translation units cannot call: its name must not clash with theirs.
  static bool belongsToUnit(const FunctionDecl &Function) {
    return Function.hasAttr<CUDADeviceAttr>() && !Function.hasAttr<CUDAHostAttr>() &&
           !Function.isInlined() && !Function.isConstexpr() &&
           Function.getStorageClass() != SC_Static && Function.isDefined() &&
           !Function.getDescribedFunctionTemplate() &&
           !Function.isFunctionTemplateSpecialization() &&
           !llvm::isa<CXXRecordDecl>(Function.getDeclContext()) && !Function.isExternC() &&
           !Function.getParentFunctionOrMethod() &&
           // What a macro spells, too, keeps its linkage.
           llvm::none_of(Function.redecls(), [](const FunctionDecl* Each) {
             return Each->getFriendObjectKind() != Decl::FOK_None ||
                    Each->getLexicalDeclContext()->isFunctionOrMethod() ||
                    Each->getLocation().isMacroID();
           });
  }

  /// How much text of a declaration nothing may come before: `__device__ [[nodiscard]] `, of which
  /// the CPU target has the attribute only.
  unsigned attributesAt(llvm::StringRef Text) const {
    Lexer Raw(SourceLocation(), LangOpts, Text.data(), Text.data(), Text.data() + Text.size());
    unsigned Open = 0, Ended = 0;
    for (Token T; !Raw.LexFromRawLexer(T);) {
      const bool IsSpecifier =
          T.is(tok::raw_identifier) &&
          llvm::is_contained({"__device__", "__host__", "__forceinline__", "__noinline__"},
                             T.getRawIdentifier());
      if (T.is(tok::l_square))
        ++Open;
      else if (T.is(tok::r_square) && Open != 0 && --Open == 0)
        Ended = Raw.getCurrentBufferOffset();
      else if (Open == 0 && !IsSpecifier)
        break;
    }
    return Ended;
  }

  /// Where it stands among what a declaration begins with.
  std::optional<unsigned> specifierAt(llvm::StringRef Text, llvm::StringRef Specifier) const {
    Lexer Raw(SourceLocation(), LangOpts, Text.data(), Text.data(), Text.data() + Text.size());
    for (Token T; !Raw.LexFromRawLexer(T) && T.is(tok::raw_identifier);) {
      if (T.getRawIdentifier() == Specifier)
        return Raw.getCurrentBufferOffset() - T.getLength();
      if (!T.getRawIdentifier().starts_with("__"))
        break;
    }
    return std::nullopt;
  }

  void makeInternal(SourceRange Declaration) {
    // What one macro spells as a whole keeps its linkage: it may spell more than this.
    SourceLocation Begin = Sources.getExpansionLoc(Declaration.getBegin());
    if (Declaration.getBegin().isMacroID() && Begin == Sources.getExpansionLoc(Declaration.getEnd()))
      return;
    const std::optional<FileRange> Range = fileRange(Begin, Sources, LangOpts);
    if (!Range)
      return;
    P.Edits.replace({Range->File, Range->Begin, Range->Begin}, "[[maybe_unused]] ");
    const llvm::StringRef Text = P.source(Range->File).substr(Range->Begin);
    const unsigned Place = Range->Begin + attributesAt(Text);
    if (const std::optional<unsigned> Extern = specifierAt(Text, "extern"))
      P.Edits.replace({Range->File, Range->Begin + *Extern, Range->Begin + *Extern + 6}, "static");
    else
      P.Edits.replace({Range->File, Place, Place}, "static ");
  }

  /// Lanes of a warp that come to a function from different places are not with each other; the
  /// backend must not make one call of two.
  void keepCallsApart(const FunctionDecl& Function) {
    // Of what one macro spells as a whole the beginning may be another declaration's.
    const SourceLocation Begin = Sources.getExpansionLoc(Function.getBeginLoc());
    const std::optional<FileRange> Range = Begin == Sources.getExpansionLoc(Function.getLocation())
                                               ? std::nullopt
                                               : fileRange(Begin, Sources, LangOpts);
    if (!Range)
      return;
    const unsigned Place = Range->Begin + attributesAt(P.source(Range->File).substr(Range->Begin));
    P.Edits.replace({Range->File, Place, Place}, "__attribute__((nomerge)) ");
  }

  /// `(void *)kernel<T>` names one that may be launched by its address only.
  void registerInstance(const FunctionDecl& Kernel) {
    if (!Kernel.isDefined() || Kernel.isDependentContext() || !hasPublicName(&Kernel) ||
        P.RankKernels.count(kernelKey(&Kernel, Sources)))
      return;
    if (std::optional<std::string> Name = qualifiedName(&Kernel)) {
      std::string Text = exactly(&Kernel, *Name);
      if (P.RegisteredInstantiations.insert(Text).second)
        P.addEpilogue("static const ::gpurma::registered_kernel gpurma_kernel_instance_" +
                      std::to_string(P.RegisteredInstantiations.size()) + "(" + Text + ");");
    }
  }
  void registerKernel(const FunctionDecl &Kernel) {
    if (!Kernel.doesThisDeclarationHaveABody() || Kernel.isDependentContext() || !isAccessible(&Kernel) ||
        P.RankKernels.count(kernelKey(&Kernel, Sources)))
      return;
    if (std::optional<std::string> Name = qualifiedName(&Kernel))
      P.addEpilogue("static const ::gpurma::registered_kernel gpurma_kernel_" +
                    std::to_string(P.number(kernelKey(&Kernel, Sources))) + "(" + exactly(&Kernel, *Name) + ");");
  }

  Unit &U;
  Program &P;
  const SourceManager &Sources;
  const LangOptions &LangOpts;
  std::vector<Body> Bodies;
  std::optional<ActiveLanesFinder> ActiveLanes{std::in_place};
};

} // namespace

void addCpuEdits(Unit &U, Program &P) { CpuEditor(U, P).TraverseDecl(U.context().getTranslationUnitDecl()); }

} // namespace gpurma
