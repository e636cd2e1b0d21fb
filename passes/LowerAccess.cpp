// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces each directive by a call of the device library, and picks how notifications are matched: by one arrival counter per tag
// where no wait can tell the difference, else by a queue. Calls of the library that the user wrote keep their own matching, so
// that one by a queue decides for all.
//
//   #pragma gpurma put(src[lo:len]) to(r) at(w[off]) notify(t)
//   ->  ::gpurma::put_notify<::gpurma::matching::queue>(src + (lo), len, r, w, off, t, ::gpurma::site{0x1234abcdu, 12});
//
// The statement stands on the directive's first line and is followed by as many line ends as the directive had.
#include "DeviceFunctions.h"
#include "Pass.h"
#include "frontend/Directives.h"
#include "frontend/DynamicRecursiveASTVisitor.h"
#include "frontend/SourceText.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include <set>
#include <tuple>

using namespace clang;

namespace gpurma {
namespace {

constexpr unsigned CounterTags = 64; // ::gpurma::counter_tags

/// Why a directive cannot be served by counters; in the order of err_counter_impossible.
enum class Obstacle { Source, Window, AnyTag, VariableTag, LargeTag, QueueCall };

/// Finds a call of the library's plain functions that is matched by a queue.
class QueueCallFinder : public DynamicRecursiveASTVisitor {
public:
  const CallExpr *Found = nullptr;

  bool VisitCallExpr(CallExpr *Call) override {
    const FunctionDecl *Callee = Call->getDirectCallee();
    const TemplateArgumentList *Arguments = Callee ? Callee->getTemplateSpecializationArgs() : nullptr;
    if (!Arguments || Arguments->size() == 0 || (*Arguments)[0].getKind() != TemplateArgument::Integral)
      return true;
    const auto *Enum = (*Arguments)[0].getIntegralType()->getAs<EnumType>();
    if (Enum && Enum->getDecl()->getQualifiedNameAsString() == "gpurma::matching" &&
        (*Arguments)[0].getAsIntegral() == QueueValue)
      Found = Call;
    return !Found;
  }

private:
  static constexpr int QueueValue = 0; // ::gpurma::matching::queue
};

class LowerAccess final : public Pass {
public:
  llvm::StringRef name() const override { return "LowerAccess"; }
  bool editsText() const override { return true; }

  void run(Unit &U, Program &) override {
    for (const Marker &M : U.Markers) {
      findForced(M, U);
      findWide(M, U);
      IsShared |= isShared(M, U.sources());
      if (const std::optional<FileRange> Place =
              isVolatile(M, U.context()) ? place(*M.Origin, U) : std::nullopt)
        OfVolatile.insert({Place->File, Place->Begin});
      if (std::optional<Obstacle> Why = obstacle(M, U); Why && !FirstObstacle)
        FirstObstacle = {&U, M.Origin->NameLoc, *Why};
    }
    if (U.Markers.empty() || FirstObstacle)
      return;
    QueueCallFinder Finder;
    for (const FunctionDecl *Function : deviceFunctions(U.context()))
      if (!Finder.TraverseStmt(Function->getBody())) {
        FirstObstacle = {&U, Finder.Found->getExprLoc(), Obstacle::QueueCall};
        return;
      }
  }

  void finish(Program &P) override {
    if (Forced && Forced->Word == Keyword::Counter && FirstObstacle) {
      FirstObstacle->U->Diags->report(FirstObstacle->Loc, Diag::err_counter_impossible)
          << static_cast<unsigned>(FirstObstacle->Why);
      if (Forced->U == FirstObstacle->U)
        Forced->U->Diags->report(Forced->Loc, Diag::note_match_here) << spelling(Forced->Word);
      return;
    }
    bool Counter = Forced ? Forced->Word == Keyword::Counter : !FirstObstacle && !IsShared;
    P.Match = Counter ? Matching::Counter : Matching::Queue;
    for (const std::unique_ptr<Unit> &U : P.Units)
      for (const Directive &D : U->Directives)
        if (D.Kind != DirectiveKind::Persistent && D.Kind != DirectiveKind::Host) // FuseRegions' and LowerRegions'
          lower(D, *U, P);
  }

private:
  struct ForcedMatch {
    Unit *U;
    Keyword Word;
    SourceLocation Loc;
  };
  struct FoundObstacle {
    Unit *U;
    SourceLocation Loc;
    Obstacle Why;
  };

  void findForced(const Marker &M, Unit &U) {
    const Clause *Match = M.Origin->find(ClauseKind::Match);
    if (!Match || Match->Word == Keyword::Auto)
      return;
    if (!Forced) {
      Forced = {&U, Match->Word, Match->NameLoc};
    } else if (Forced->Word != Match->Word) {
      U.Diags->report(Match->NameLoc, Diag::err_match_contradiction) << spelling(Match->Word) << spelling(Forced->Word);
      if (Forced->U == &U)
        U.Diags->report(Forced->Loc, Diag::note_match_here) << spelling(Forced->Word);
    }
  }

  /// A section of volatile elements, which windows have not: how memory is read is a matter of each read.
  static bool isVolatile(const Marker &M, const ASTContext &Context) {
    const bool HasSection = M.Origin->Kind == DirectiveKind::Window || M.Origin->Kind == DirectiveKind::Put || M.Origin->Kind == DirectiveKind::Get;
    const Expr *Base = HasSection ? M.expr(ClauseKind::Subject) : nullptr;
    if (!Base || Base->isTypeDependent())
      return false;
    const QualType Type = Base->getType().getNonReferenceType();
    const ArrayType *Array = Context.getAsArrayType(Type);
    const QualType Element = Array ? Array->getElementType() : Type->isPointerType() ? Type->getPointeeType() : QualType();
    return !Element.isNull() && Element.isVolatileQualified();
  }

  /// Whether other translation units may have the function, too, of which the linker keeps one: it is to be the same in all.
  static bool isShared(const Marker &M, const SourceManager &Sources) {
    const FunctionDecl *F = M.Function;
    return F && F->isExternallyVisible() && (F->isInlined() || F->isTemplated() || F->isTemplateInstantiation()) &&
           !Sources.isInMainFile(Sources.getExpansionLoc(F->getLocation()));
  }

  /// Ranks, tags and counts of types that have other numbers than int, or that are not known yet.
  /// One text may be several directives, of a macro or a file that is included again.
  void findWide(const Marker& M, Unit& U) {
    const ASTContext& Context = U.context();
    const std::optional<FileRange> Place = place(*M.Origin, U);
    for (ClauseKind Kind : {ClauseKind::To, ClauseKind::From, ClauseKind::Tag, ClauseKind::Notify, ClauseKind::Count, ClauseKind::Subject}) {
      const Expr *E = Kind == ClauseKind::Subject && M.Origin->Kind != DirectiveKind::Notify ? nullptr : M.expr(Kind);
      if (!E)
        continue;
      if (Place && isWide(E->IgnoreParenImpCasts()->getType().getNonReferenceType(), Context))
        Wide.insert({Place->File, Place->Begin, Kind});
    }
  }

  static bool isWide(QualType Type, const ASTContext& Context) {
    if (Type->isDependentType())
      return true;
    if (const CXXRecordDecl* Class = Type->getAsCXXRecordDecl())
      return Class->hasDefinition() &&
             llvm::any_of(
                 Class->getDefinition()->getVisibleConversionFunctions(),
                 [&](const NamedDecl* Each) {
                   const auto* Conversion = dyn_cast<CXXConversionDecl>(Each->getUnderlyingDecl());
                   return Conversion && !Conversion->isExplicit() &&
                          isWide(Conversion->getConversionType().getNonReferenceType(), Context);
                 });
    if (!Type->isIntegralOrEnumerationType())
      return false;
    const uint64_t Size = Context.getTypeSize(Type), Int = Context.getTypeSize(Context.IntTy);
    // Enumerations without a type of their own and without negative numbers count as unsigned.
    const auto* Enum = Type->getAs<EnumType>();
    const bool IsSmall =
        Enum && !Enum->getDecl()->isFixed() && Enum->getDecl()->getNumPositiveBits() < Int;
    return Size > Int || (Size == Int && Type->isUnsignedIntegerOrEnumerationType() && !IsSmall);
  }

  static std::optional<Obstacle> tagObstacle(const Marker &M, ClauseKind Kind, const ASTContext &Context) {
    const Expr *Tag = M.expr(Kind);
    if (!Tag || Tag->isTypeDependent() || Tag->isValueDependent())
      return std::nullopt;
    std::optional<llvm::APSInt> Value = userConstant(Tag, Context);
    if (!Value)
      return Obstacle::VariableTag;
    return Value->getLimitedValue() < CounterTags ? std::nullopt : std::optional(Obstacle::LargeTag);
  }

  static std::optional<Obstacle> obstacle(const Marker &M, Unit &U) {
    const Directive &D = *M.Origin;
    switch (D.Kind) {
    case DirectiveKind::Put:
    case DirectiveKind::Get:
      return tagObstacle(M, ClauseKind::Notify, U.context());
    case DirectiveKind::Notify:
      return tagObstacle(M, ClauseKind::Tag, U.context());
    case DirectiveKind::Wait:
    case DirectiveKind::Test:
      if (D.expr(ClauseKind::From))
        return Obstacle::Source;
      if (D.expr(ClauseKind::On))
        return Obstacle::Window;
      if (!D.expr(ClauseKind::Tag))
        return Obstacle::AnyTag;
      return tagObstacle(M, ClauseKind::Tag, U.context());
    default:
      return std::nullopt;
    }
  }

  /// The whole text of the directive in its file.
  static std::optional<FileRange> place(const Directive &D, Unit &U) {
    const SourceManager &Sources = U.sources();
    const LangOptions &LangOpts = U.context().getLangOpts();
    if (!D.FromPragmaOperator)
      return fileRangeAt(Sources.getFileID(D.HashLoc), SourceRange(D.HashLoc, D.EndLoc), Sources, LangOpts);
    // The tokens of _Pragma("...") are expanded from a scratch buffer into the range of the operator.
    SourceLocation Loc = D.NameLoc;
    while (Loc.isMacroID()) {
      CharSourceRange Expansion = Sources.getImmediateExpansionRange(Loc);
      if (Expansion.getBegin() == D.HashLoc) {
        std::optional<FileRange> Place = writtenOut(fileRange(Expansion.getAsRange(), Sources, LangOpts), U);
        // Of a macro that is nothing else, that is where the macro is used.
        return Place ? Place : writtenOut(fileRangeAt(Sources.getFileID(D.HashLoc), Expansion.getAsRange(), Sources, LangOpts), U);
      }
      Loc = Expansion.getBegin();
    }
    return std::nullopt;
  }

  /// The range if it reads _Pragma("...") and nothing else.
  static std::optional<FileRange> writtenOut(std::optional<FileRange> Range, Unit &U) {
    if (!Range)
      return std::nullopt;
    OptionalFileEntryRef Entry = U.Compiler->getFileManager().getOptionalFileRef(Range->File);
    FileID File = Entry ? U.sources().translateFile(*Entry) : FileID();
    if (File.isInvalid())
      return std::nullopt;
    std::string Text = U.sources().getBufferData(File).slice(Range->Begin, Range->End).str();
    Lexer Raw(SourceLocation(), U.context().getLangOpts(), Text.data(), Text.data(), Text.data() + Text.size());
    const tok::TokenKind Expected[] = {tok::raw_identifier, tok::l_paren, tok::string_literal, tok::r_paren, tok::eof};
    Token T;
    for (tok::TokenKind Kind : Expected) {
      Raw.LexFromRawLexer(T);
      if (T.isNot(Kind))
        return std::nullopt;
    }
    return Range;
  }

  /// The indentation of the next line of code, if the directive starts at the left margin, where many write their pragmas.
  static std::string indentation(llvm::StringRef Source, const FileRange &Place) {
    if (Place.Begin > 0 && Source[Place.Begin - 1] != '\n')
      return {};
    llvm::StringRef Rest = Source.substr(Place.End).split('\n').second;
    while (!Rest.empty()) {
      auto [Line, After] = Rest.split('\n');
      llvm::StringRef Code = Line.ltrim(" \t");
      if (!Code.trim().empty() && Code.front() != '#')
        return Line.drop_back(Code.size()).str() + (Code.front() == '}' ? "  " : "");
      Rest = After;
    }
    return {};
  }

  void lower(const Directive &D, Unit &U, Program &P) {
    std::optional<FileRange> Place = place(D, U);
    if (!Place) {
      U.Diags->report(D.HashLoc, Diag::err_pragma_operator_text);
      return;
    }
    std::string Text = indentation(P.source(Place->File), *Place) + statement(D, *Place, U, P);
    // Within a macro's definition lines are continued.
    const char *LineEnd = D.FromPragmaOperator && D.HashLoc.isMacroID() ? "\\\n" : "\n";
    for (size_t Lines = P.source(Place->File).slice(Place->Begin, Place->End).count('\n'); Lines > 0; --Lines)
      Text += LineEnd;
    P.Edits.replace(*Place, std::move(Text));
  }

  /// A clause's expression with the edits that earlier passes made in it.
  static std::string text(const Directive &D, const ClauseExpr *E, Unit &U, Program &P) {
    const SourceManager &Sources = U.sources();
    const LangOptions &LangOpts = U.context().getLangOpts();
    if (!D.FromPragmaOperator && spelledText(E->Range, Sources, LangOpts))
      if (std::optional<FileRange> Range = fileRange(E->Range, Sources, LangOpts))
        return onOneLine(P.Edits.text(*Range, P.source(Range->File)), LangOpts);
    return E->Text;
  }

  /// The text as an operand of a binary operator.
  static std::string operand(std::string Text) {
    int Depth = 0;
    for (char C : Text) {
      if (C == '\'' || C == '"') // of literals brackets say nothing
        return "(" + Text + ")";
      if (C == '(' || C == '[')
        ++Depth;
      else if (C == ')' || C == ']')
        --Depth;
      else if (Depth == 0 && !llvm::isAlnum(C) && C != '_' && C != ':' && C != '.')
        return "(" + Text + ")";
    }
    return Text;
  }

  std::string statement(const Directive& D, const FileRange& Place, Unit& U, Program& P) const {
    auto Value = [&](ClauseKind Kind, unsigned I = 0) { return text(D, D.expr(Kind, I), U, P); };
    auto ValueOr = [&](ClauseKind Kind, llvm::StringRef Absent) { return D.expr(Kind) ? Value(Kind) : Absent.str(); };
    auto Number = [&](ClauseKind Kind, llvm::StringRef Absent = "") {
      return Wide.count({Place.File, Place.Begin, Kind}) ? "::gpurma::to_int(" + Value(Kind) + ")"
                                                         : ValueOr(Kind, Absent);
    };
    auto Section = [&] {
      std::string Base = Value(ClauseKind::Subject, 0);
      if (OfVolatile.count({Place.File, Place.Begin}))
        Base = "::gpurma::without_volatile(" + Base + ")";
      return (D.expr(ClauseKind::Subject, 1) ? operand(Base) + " + (" + Value(ClauseKind::Subject, 1) + ")" : Base) + ", " +
             Value(ClauseKind::Subject, 2);
    };
    auto Comm = [&] { return D.word(ClauseKind::Comm) == Keyword::Device ? "::gpurma::comm::device" : "::gpurma::comm::world"; };
    std::string Site = siteText(D.HashLoc, U.sources());
    std::string Match = P.Match == Matching::Counter ? "<::gpurma::matching::counter>" : "<::gpurma::matching::queue>";
    auto Access = [&](llvm::StringRef Name, ClauseKind Rank) {
      std::string Notified = D.expr(ClauseKind::Notify) ? "_notify" + Match : std::string();
      std::string Tag = D.expr(ClauseKind::Notify) ? ", " + Number(ClauseKind::Notify) : std::string();
      return ("::gpurma::" + Name + Notified + "(" + Section() + ", " + Number(Rank) + ", " + Value(ClauseKind::At, 0) + ", " +
              Value(ClauseKind::At, 1) + Tag + ", " + Site + ");")
          .str();
    };
    auto Matched = [&](llvm::StringRef Name) {
      return ("::gpurma::" + Name + Match + "(" + Number(ClauseKind::Tag, "::gpurma::any_tag") + ", " +
              Number(ClauseKind::From, "::gpurma::any_source") + ", " + ValueOr(ClauseKind::On, "::gpurma::any_window") + ", " +
              Number(ClauseKind::Count, "1") + ", " + Site + ");")
          .str();
    };
    std::string Call;
    switch (D.Kind) {
    case DirectiveKind::Window:
      return "::gpurma::window " + D.WindowName + "(" + Section() + ", " + Comm() + ", " + Site + ");";
    case DirectiveKind::Put:
      Call = Access("put", ClauseKind::To);
      break;
    case DirectiveKind::Get:
      Call = Access("get", ClauseKind::From);
      break;
    case DirectiveKind::Notify:
      Call = "::gpurma::notify" + Match + "(" + Number(ClauseKind::Subject) + ", " + Number(ClauseKind::Tag) + ", " +
             ValueOr(ClauseKind::On, "::gpurma::no_window") + ", " + Site + ");";
      break;
    case DirectiveKind::Wait:
      Call = Matched("wait");
      break;
    case DirectiveKind::Test:
      Call = operand(Value(ClauseKind::Subject)) + " = " + Matched("test");
      break;
    case DirectiveKind::Flush:
      Call = "::gpurma::flush(" + ValueOr(ClauseKind::On, "::gpurma::any_window") + ", " + Site + ");";
      break;
    case DirectiveKind::Publish: // the launch behind it says what it says
      return "";
    case DirectiveKind::Persistent:
    case DirectiveKind::Host:
      llvm_unreachable("a region is no call");
    case DirectiveKind::Barrier:
      Call = std::string("::gpurma::barrier(") + Comm() + ", " + Site + ");";
      break;
    }
    return D.expr(ClauseKind::If) ? "if (" + Value(ClauseKind::If) + ") " + Call : Call;
  }

  std::optional<ForcedMatch> Forced;
  std::optional<FoundObstacle> FirstObstacle;
  bool IsShared = false;
  /// By the places of directives.
  std::set<std::pair<std::string, unsigned>> OfVolatile;
  std::set<std::tuple<std::string, unsigned, ClauseKind>> Wide;
};

} // namespace

std::unique_ptr<Pass> createLowerAccess() { return std::make_unique<LowerAccess>(); }

} // namespace gpurma
