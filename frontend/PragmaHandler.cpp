// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PragmaHandler.h"
#include "Directives.h"
#include "SourceText.h"
#include "clang/Basic/IdentifierTable.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/LiteralSupport.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/TokenConcatenation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cstring>

using namespace clang;

namespace gpurma {
namespace {

constexpr ClauseKind NamedClauses[] = {ClauseKind::To,   ClauseKind::From,  ClauseKind::At,   ClauseKind::On,    ClauseKind::Notify,
                                       ClauseKind::Tag,  ClauseKind::Count, ClauseKind::Comm, ClauseKind::Match, ClauseKind::If, ClauseKind::Distribute, ClauseKind::Halo, ClauseKind::Reduce, ClauseKind::Map, ClauseKind::Collect};

using TokenRange = llvm::ArrayRef<Token>;

bool isOpening(const Token &T) { return T.isOneOf(tok::l_paren, tok::l_square, tok::l_brace); }

tok::TokenKind closingOf(tok::TokenKind Opening) {
  return Opening == tok::l_paren ? tok::r_paren : Opening == tok::l_square ? tok::r_square : tok::r_brace;
}

bool isClosing(const Token &T) { return T.isOneOf(tok::r_paren, tok::r_square, tok::r_brace); }

/// The candidate that the user most likely meant; empty if none is close.
llvm::StringRef closest(llvm::StringRef Written, llvm::ArrayRef<llvm::StringRef> Candidates) {
  llvm::StringRef Best;
  unsigned BestDistance = 1 + std::max<size_t>(1, Written.size() / 3);
  for (llvm::StringRef Candidate : Candidates) {
    unsigned Distance = Written.edit_distance(Candidate, /*AllowReplacements=*/true, BestDistance);
    if (Distance < BestDistance) {
      Best = Candidate;
      BestDistance = Distance;
    }
  }
  return Best;
}

/// 'one', 'other' ...
std::string quotedList(llvm::ArrayRef<llvm::StringRef> Names) {
  std::string List;
  for (llvm::StringRef Name : Names)
    List += (List.empty() ? "'" : ", '") + Name.str() + "'";
  return List;
}

/// Parses the tokens of one directive. Errors are reported and make parse() or a part of it return false.
class DirectiveParser {
public:
  DirectiveParser(Preprocessor &PP, Diagnostics &Diags, TokenRange Tokens, Directive &D)
      : PP(PP), Diags(Diags), Tokens(Tokens), D(D) {}

  /// True if the directive's kind and subject are known, so that a marker call can be made; clauses with errors are left out.
  bool parse();

  /// The marker statement.
  llvm::SmallVector<Token, 64> marker();

private:
  struct Piece {
    TokenRange Tokens;
    SourceLocation Open, Close;
  };

  bool atEnd() const { return Next == Tokens.size(); }
  const Token &token() const { return Tokens[Next]; }
  SourceLocation endOf(const Token &T) const { return PP.getLocForEndOfToken(T.getLocation()); }
  std::string text(const Token &T) const { return PP.getSpelling(T); }

  bool parseArgument(Clause &C, ClauseForm Form, llvm::StringRef Name, bool Wildcard);
  std::optional<TokenRange> takeParentheses(Clause &C, llvm::StringRef Name);
  std::optional<size_t> lastSubscript(TokenRange Argument) const;
  bool parseSection(Clause &C, TokenRange Argument, llvm::StringRef Name, SourceLocation Open);
  bool parseElement(Clause &C, TokenRange Argument, llvm::StringRef Name);
  bool parseDeclaration(Clause &C, TokenRange Argument);
  bool parseKeyword(Clause &C, TokenRange Argument, llvm::StringRef Name, llvm::ArrayRef<Keyword> Allowed);
  std::optional<TokenRange> wordWithParentheses(llvm::StringRef Word, TokenRange List) const;
  bool parseDistribute(Clause &C, TokenRange Argument);
  bool parseCounted(Clause &C, TokenRange Argument);
  bool parseReduce(Clause &C, TokenRange Argument);
  bool parseMap(Clause &C, TokenRange Argument);
  bool isPublished(TokenRange Argument) const;
  bool parsePublished(Clause &C, TokenRange Argument);
  bool addList(Clause &C, TokenRange List, SourceLocation Open, SourceLocation Close, llvm::StringRef Form);
  bool badForm(const Clause &C, SourceLocation Loc, llvm::StringRef Form);
  void parseClause();
  bool addExpr(Clause &C, TokenRange Tokens, llvm::StringRef Name, SourceLocation Open, SourceLocation Close, Diag IfEmpty);
  void checkRequired();
  DiagnosticBuilder error(SourceLocation Loc, Diag Which) {
    Failed = true;
    return Diags.report(Loc, Which);
  }

  Preprocessor &PP;
  Diagnostics &Diags;
  TokenRange Tokens;
  Directive &D;
  const DirectiveClass *Class = nullptr;
  size_t Next = 0;
  bool Failed = false;
  std::vector<Piece> Pieces; // the arguments of the marker call after the id
};

bool DirectiveParser::parse() {
  const Token &Name = Tokens.front();
  D.NameLoc = Name.getLocation();
  Next = 1;
  std::string Written = text(Name);
  if (!Name.getIdentifierInfo()) {
    error(Name.getLocation(), Diag::err_expected_directive);
    return false;
  }
  Class = DirectiveClass::find(Written);
  if (!Class) {
    llvm::SmallVector<llvm::StringRef, 12> Names;
    for (const DirectiveClass *Known : DirectiveClass::all())
      if (!llvm::is_contained(Names, Known->name()))
        Names.push_back(Known->name());
    llvm::StringRef Meant = closest(Written, Names);
    if (Meant.empty())
      error(Name.getLocation(), Diag::err_unknown_directive) << Written << quotedList(Names) << SourceRange(Name.getLocation());
    else
      error(Name.getLocation(), Diag::err_unknown_directive_suggest)
          << Written << Meant << FixItHint::CreateReplacement(Name.getLocation(), Meant);
    return false;
  }
  D.Kind = Class->kind();

  if (Class->subject() != ClauseForm::None) {
    Clause Subject{ClauseKind::Subject, Name.getLocation(), {}, {}, Keyword::None, {}, 0, {}};
    if (!parseArgument(Subject, Class->subject(), Class->name(), /*Wildcard=*/false))
      return false;
    D.Clauses.push_back(std::move(Subject));
  } else if (!atEnd() && token().is(tok::l_paren)) {
    error(token().getLocation(), Diag::err_subject_not_allowed) << Class->name();
    Clause Ignored{ClauseKind::Subject, Name.getLocation(), {}, {}, Keyword::None, {}, 0, {}};
    if (!takeParentheses(Ignored, Class->name()))
      return true;
  }
  while (!atEnd()) {
    if (token().is(tok::comma) && !D.Clauses.empty() && Next + 1 < Tokens.size())
      ++Next;
    parseClause();
  }
  checkRequired();
  return true;
}

void DirectiveParser::parseClause() {
  const Token &Name = token();
  if (!Name.getIdentifierInfo()) {
    error(Name.getLocation(), Diag::err_expected_clause) << Class->name();
    Next = Tokens.size();
    return;
  }
  ++Next;
  std::string Written = text(Name);
  const ClauseKind *Kind = llvm::find_if(NamedClauses, [&](ClauseKind K) { return spelling(K) == Written; });
  const ClauseRule *Rule = Kind == std::end(NamedClauses) ? nullptr : Class->find(*Kind);
  if (!Rule) {
    llvm::SmallVector<llvm::StringRef, 8> Names;
    for (const ClauseRule &Known : Class->clauses())
      Names.push_back(spelling(Known.Kind));
    std::string List = Names.empty() ? "none" : quotedList(Names);
    llvm::StringRef Meant = closest(Written, Names);
    if (Kind != std::end(NamedClauses))
      error(Name.getLocation(), Diag::err_clause_not_allowed) << Class->name() << Written << List;
    else if (Meant.empty())
      error(Name.getLocation(), Diag::err_unknown_clause) << Written << Class->name() << List;
    else
      error(Name.getLocation(), Diag::err_unknown_clause_suggest)
          << Written << Class->name() << Meant << FixItHint::CreateReplacement(Name.getLocation(), Meant);
    Clause Ignored{ClauseKind::Subject, Name.getLocation(), {}, {}, Keyword::None, {}, 0, {}};
    if (!atEnd() && token().is(tok::l_paren))
      takeParentheses(Ignored, Written);
    return;
  }
  Clause C{*Kind, Name.getLocation(), {}, {}, Keyword::None, {}, 0, {}};
  size_t PiecesBefore = Pieces.size();
  bool Good = parseArgument(C, Rule->Bare ? ClauseForm::None : formOf(*Kind), Written, Rule->Wildcard);
  if (const Clause *First = D.find(*Kind); First && !Rule->Repeats) {
    error(Name.getLocation(), Diag::err_duplicate_clause)
        << Class->name() << Written << SourceRange(First->NameLoc, First->RParenLoc);
    Good = false;
  }
  if (Good)
    D.Clauses.push_back(std::move(C));
  else
    Pieces.resize(PiecesBefore);
}

void DirectiveParser::checkRequired() {
  if (Failed)
    return;
  for (const ClauseRule &Rule : Class->clauses())
    if (Rule.Required && !D.find(Rule.Kind))
      error(D.NameLoc, Diag::err_missing_clause)
          << Class->name() << spelling(Rule.Kind) << SourceRange(D.NameLoc, Tokens.back().getLocation());
}

/// The tokens between the parentheses that start at the next token, with brackets balanced.
std::optional<TokenRange> DirectiveParser::takeParentheses(Clause &C, llvm::StringRef Name) {
  if (atEnd() || token().isNot(tok::l_paren)) {
    error(endOf(Tokens[Next - 1]), Diag::err_expected_lparen) << Name;
    return std::nullopt;
  }
  C.LParenLoc = token().getLocation();
  size_t First = Next + 1;
  llvm::SmallVector<const Token *, 8> Open;
  for (; !atEnd(); ++Next) {
    const Token &T = token();
    if (isOpening(T)) {
      Open.push_back(&T);
    } else if (isClosing(T)) {
      if (closingOf(Open.back()->getKind()) != T.getKind()) {
        error(T.getLocation(), Diag::err_unbalanced) << text(T) << text(*Open.back()) << Open.back()->getLocation();
        Next = Tokens.size();
        return std::nullopt;
      }
      Open.pop_back();
      if (Open.empty()) {
        C.RParenLoc = T.getLocation();
        return Tokens.slice(First, Next++ - First);
      }
    } else if (T.is(tok::semi) && llvm::none_of(Open, [](const Token *O) { return O->is(tok::l_brace); })) {
      error(T.getLocation(), Diag::err_semicolon_in_clause) << Name;
      Next = Tokens.size();
      return std::nullopt;
    }
  }
  SourceLocation End = endOf(Tokens.back());
  error(End, Diag::err_expected_rparen) << Name << C.LParenLoc << FixItHint::CreateInsertion(End, ")");
  return std::nullopt;
}

bool DirectiveParser::parseArgument(Clause &C, ClauseForm Form, llvm::StringRef Name, bool Wildcard) {
  if (Form == ClauseForm::None && (atEnd() || token().isNot(tok::l_paren))) {
    C.LParenLoc = C.RParenLoc = C.NameLoc;
    return true;
  }
  SourceLocation Begin = atEnd() ? SourceLocation() : token().getLocation();
  std::optional<TokenRange> Argument = takeParentheses(C, Name);
  if (!Argument)
    return false;
  switch (Form) {
  case ClauseForm::None:
    error(Begin, Diag::err_subject_not_allowed) << Name;
    return false;
  case ClauseForm::Published:
    return parsePublished(C, *Argument);
  case ClauseForm::Section:
    if (D.Kind == DirectiveKind::Put && isPublished(*Argument)) {
      D.Kind = DirectiveKind::Publish;
      Class = &DirectiveClass::get(D.Kind);
      return parsePublished(C, *Argument);
    }
    return parseSection(C, *Argument, Name, C.LParenLoc);
  case ClauseForm::Element:
    return parseElement(C, *Argument, Name);
  case ClauseForm::Declaration:
    return parseDeclaration(C, *Argument);
  case ClauseForm::Comm:
    return parseKeyword(C, *Argument, Name, {Keyword::World, Keyword::Device});
  case ClauseForm::Match:
    return parseKeyword(C, *Argument, Name, {Keyword::Auto, Keyword::Counter, Keyword::Queue});
  case ClauseForm::Distribute:
    return parseDistribute(C, *Argument);
  case ClauseForm::Counted:
    return parseCounted(C, *Argument);
  case ClauseForm::Reduce:
    return parseReduce(C, *Argument);
  case ClauseForm::Map:
    return parseMap(C, *Argument);
  case ClauseForm::Expression:
    break;
  }
  if (Argument->size() == 1 && Argument->front().is(tok::identifier) && text(Argument->front()) == spelling(Keyword::Any)) {
    if (!Wildcard) {
      error(Argument->front().getLocation(), Diag::err_any_not_allowed) << Name << Class->name();
      return false;
    }
    C.Word = Keyword::Any;
    return true;
  }
  return addExpr(C, *Argument, Name, C.LParenLoc, C.RParenLoc, Diag::err_expected_expression);
}

bool DirectiveParser::parseKeyword(Clause &C, TokenRange Argument, llvm::StringRef Name, llvm::ArrayRef<Keyword> Allowed) {
  std::string Written;
  for (const Token &T : Argument)
    Written += text(T);
  for (Keyword Word : Allowed)
    if (spelling(Word) == Written) {
      C.Word = Word;
      return true;
    }
  std::string List;
  for (Keyword Word : Allowed)
    List += (Word == Allowed.front() ? "'" : Word == Allowed.back() ? " or '" : ", '") + spelling(Word).str() + "'";
  SourceLocation Loc = Argument.empty() ? C.RParenLoc : Argument.front().getLocation();
  error(Loc, Diag::err_expected_keyword) << Name << List << Written;
  return false;
}

/// The index of the bracket that the last token closes, if it closes one.
static std::optional<size_t> lastOpening(TokenRange Argument) {
  if (Argument.empty() || !isClosing(Argument.back()))
    return std::nullopt;
  unsigned Depth = 0;
  for (size_t I = Argument.size(); I-- > 0;) {
    if (isClosing(Argument[I]))
      ++Depth;
    else if (isOpening(Argument[I]) && --Depth == 0)
      return I;
  }
  return std::nullopt;
}

/// The index of the '[' whose ']' ends the argument.
std::optional<size_t> DirectiveParser::lastSubscript(TokenRange Argument) const {
  return Argument.empty() || Argument.back().isNot(tok::r_square) ? std::nullopt : lastOpening(Argument);
}

/// The places of the ':' of a section among the tokens of its brackets: outside of inner brackets, and not of a '?:'.
static llvm::SmallVector<size_t, 2> sectionColons(TokenRange Inside) {
  llvm::SmallVector<size_t, 2> Colons;
  unsigned Depth = 0, Questions = 0;
  for (size_t I = 0; I < Inside.size(); ++I) {
    if (isOpening(Inside[I]))
      ++Depth;
    else if (isClosing(Inside[I]))
      --Depth;
    else if (Depth == 0 && Inside[I].is(tok::question))
      ++Questions;
    else if (Depth == 0 && Inside[I].is(tok::colon)) {
      if (Questions)
        --Questions;
      else
        Colons.push_back(I);
    }
  }
  return Colons;
}

bool DirectiveParser::parseSection(Clause &C, TokenRange Argument, llvm::StringRef Name, SourceLocation Open) {
  std::optional<size_t> Square = lastSubscript(Argument);
  if (!Square || *Square == 0) {
    SourceLocation Loc = Argument.empty() ? C.RParenLoc : Argument.front().getLocation();
    error(Loc, Diag::err_expected_section) << Name << SourceRange(Open, C.RParenLoc);
    return false;
  }
  TokenRange Base = Argument.take_front(*Square), Inside = Argument.slice(*Square + 1).drop_back();
  SourceLocation LSquare = Argument[*Square].getLocation(), RSquare = Argument.back().getLocation();
  llvm::SmallVector<size_t, 2> Colons = sectionColons(Inside);
  if (Colons.size() != 1) {
    SourceLocation Loc = Colons.empty() ? RSquare : Inside[Colons[1]].getLocation();
    error(Loc, Diag::err_expected_section) << Name << SourceRange(LSquare, RSquare);
    return false;
  }
  TokenRange Lower = Inside.take_front(Colons[0]), Length = Inside.slice(Colons[0] + 1);
  SourceLocation Colon = Inside[Colons[0]].getLocation();
  if (!addExpr(C, Base, Name, Open, LSquare, Diag::err_expected_section))
    return false;
  if (Lower.empty())
    C.Exprs.push_back({});
  else
    addExpr(C, Lower, Name, LSquare, Colon, Diag::err_expected_section);
  return addExpr(C, Length, Name, Colon, RSquare, Diag::err_expected_section);
}

bool DirectiveParser::parseElement(Clause &C, TokenRange Argument, llvm::StringRef Name) {
  std::optional<size_t> Square = lastSubscript(Argument);
  if (!Square || *Square == 0) {
    SourceLocation Loc = Argument.empty() ? C.RParenLoc : Argument.front().getLocation();
    error(Loc, Diag::err_expected_element) << Name << SourceRange(C.LParenLoc, C.RParenLoc);
    return false;
  }
  TokenRange Window = Argument.take_front(*Square), Inside = Argument.slice(*Square + 1).drop_back();
  SourceLocation LSquare = Argument[*Square].getLocation(), RSquare = Argument.back().getLocation();
  if (llvm::SmallVector<size_t, 2> Colons = sectionColons(Inside); !Colons.empty()) {
    error(Inside[Colons[0]].getLocation(), Diag::err_section_in_element) << Name << Class->name();
    return false;
  }
  return addExpr(C, Window, Name, C.LParenLoc, LSquare, Diag::err_expected_element) &&
         addExpr(C, Inside, Name, LSquare, RSquare, Diag::err_expected_element);
}

bool DirectiveParser::parseDeclaration(Clause &C, TokenRange Argument) {
  if (Argument.size() < 2 || Argument[0].isNot(tok::identifier) || Argument[1].isNot(tok::equal)) {
    SourceLocation Loc = Argument.empty() ? C.RParenLoc : Argument.front().getLocation();
    error(Loc, Diag::err_expected_window_decl) << SourceRange(C.LParenLoc, C.RParenLoc);
    return false;
  }
  D.WindowName = text(Argument[0]);
  D.WindowNameLoc = Argument[0].getLocation();
  return parseSection(C, Argument.drop_front(2), Class->name(), Argument[1].getLocation());
}

bool DirectiveParser::badForm(const Clause &C, SourceLocation Loc, llvm::StringRef Form) {
  llvm::StringRef Name = C.Kind == ClauseKind::Subject ? Class->name() : spelling(C.Kind);
  error(Loc, Diag::err_expected_form) << Name << Form << SourceRange(C.LParenLoc, C.RParenLoc);
  return false;
}

/// The place of the only ':' outside of inner brackets and '?:'.
static std::optional<size_t> onlyColon(TokenRange Argument) {
  llvm::SmallVector<size_t, 2> Colons = sectionColons(Argument);
  return Colons.size() == 1 ? std::optional(Colons[0]) : std::nullopt;
}

/// Expressions between commas; none may be empty.
bool DirectiveParser::addList(Clause &C, TokenRange List, SourceLocation Open, SourceLocation Close, llvm::StringRef Form) {
  unsigned Depth = 0;
  for (size_t Begin = 0, I = 0; I <= List.size(); ++I) {
    bool AtEnd = I == List.size();
    if (!AtEnd && isOpening(List[I]))
      ++Depth;
    else if (!AtEnd && isClosing(List[I]))
      --Depth;
    if (!AtEnd && (Depth != 0 || List[I].isNot(tok::comma)))
      continue;
    SourceLocation End = AtEnd ? Close : List[I].getLocation();
    if (I == Begin)
      return badForm(C, End, Form);
    if (!addExpr(C, List.slice(Begin, I - Begin), spelling(C.Kind), Open, End, Diag::err_expected_expression))
      return false;
    Open = End;
    Begin = I + 1;
  }
  return true;
}

/// The tokens in the parentheses of `name(...)` at the beginning of a list, where the rest of it begins with a comma or is empty.
std::optional<TokenRange> DirectiveParser::wordWithParentheses(llvm::StringRef Word, TokenRange List) const {
  if (List.size() < 3 || List[0].isNot(tok::identifier) || text(List[0]) != Word || List[1].isNot(tok::l_paren))
    return std::nullopt;
  unsigned Depth = 0;
  for (size_t I = 1; I != List.size(); ++I) {
    Depth += isOpening(List[I]);
    Depth -= isClosing(List[I]);
    if (Depth == 0)
      return I + 1 == List.size() || List[I + 1].is(tok::comma) ? std::optional(List.slice(2, I - 2)) : std::nullopt;
  }
  return std::nullopt;
}

bool DirectiveParser::parseDistribute(Clause &C, TokenRange Argument) {
  constexpr llvm::StringLiteral Form = "distribute(array, ... : rows(n, ...))";
  constexpr llvm::StringLiteral FormWithComponents = "distribute(array, ... : components(c), rows(n, ...))";
  std::optional<size_t> Colon = onlyColon(Argument);
  if (!Colon)
    return badForm(C, Argument.empty() ? C.RParenLoc : Argument.front().getLocation(), Form);
  TokenRange Shape = Argument.slice(*Colon + 1);
  SourceLocation ColonLoc = Argument[*Colon].getLocation();
  C.HasComponents = !Shape.empty() && Shape[0].is(tok::identifier) && text(Shape[0]) == "components";
  std::optional<TokenRange> Components;
  TokenRange Rows = Shape;
  if (C.HasComponents) {
    Components = wordWithParentheses("components", Shape);
    size_t Length = Components ? Components->size() + 3 : 0;
    if (!Components || Length == Shape.size())
      return badForm(C, Shape.back().getLocation(), FormWithComponents);
    Rows = Shape.slice(Length + 1);
  }
  std::optional<TokenRange> Extents = wordWithParentheses("rows", Rows);
  if (!Extents || Extents->size() + 3 != Rows.size()) {
    // They come first, as in memory.
    const bool Names = llvm::any_of(Shape, [&](const Token &T) { return T.is(tok::identifier) && text(T) == "components"; });
    return badForm(C, Rows.empty() ? C.RParenLoc : Rows.front().getLocation(), Names ? FormWithComponents : Form);
  }
  if (!addList(C, Argument.take_front(*Colon), C.LParenLoc, ColonLoc, Form))
    return false;
  C.Left = C.Exprs.size();
  if (Components) {
    if (!addList(C, *Components, Shape[1].getLocation(), Shape[Components->size() + 2].getLocation(), FormWithComponents))
      return false;
    if (C.Exprs.size() != C.Left + 1)
      return badForm(C, Shape[1].getLocation(), FormWithComponents);
  }
  const size_t BeforeExtents = C.Exprs.size();
  if (!addList(C, *Extents, Rows[1].getLocation(), Rows.back().getLocation(), Form))
    return false;
  constexpr size_t MostExtents = 3; // a dimension less than without components
  if (C.HasComponents && C.Exprs.size() > BeforeExtents + MostExtents)
    return badForm(C, C.Exprs[BeforeExtents + MostExtents].Range.getBegin(), "distribute(array, ... : components(c), rows(n, ...)) with up to three extents");
  return true;
}

bool DirectiveParser::parseCounted(Clause &C, TokenRange Argument) {
  const llvm::StringRef Form = C.Kind == ClauseKind::Halo ? "halo(array, ... : depth)" : "collect(array, ... : elements)";
  std::optional<size_t> Colon = onlyColon(Argument);
  if (!Colon || *Colon + 1 == Argument.size())
    return badForm(C, Argument.empty() ? C.RParenLoc : Argument.front().getLocation(), Form);
  SourceLocation ColonLoc = Argument[*Colon].getLocation();
  if (!addList(C, Argument.take_front(*Colon), C.LParenLoc, ColonLoc, Form))
    return false;
  C.Left = C.Exprs.size();
  return addExpr(C, Argument.slice(*Colon + 1), spelling(C.Kind), ColonLoc, C.RParenLoc, Diag::err_expected_expression);
}

bool DirectiveParser::parseReduce(Clause &C, TokenRange Argument) {
  constexpr llvm::StringLiteral Form = "reduce(+, max, min, || or && : scalar, ...)";
  if (Argument.size() < 3 || Argument[1].isNot(tok::colon))
    return badForm(C, Argument.empty() ? C.RParenLoc : Argument.front().getLocation(), Form);
  for (Keyword Word : {Keyword::Plus, Keyword::Max, Keyword::Min, Keyword::Or, Keyword::And})
    if (text(Argument[0]) == spelling(Word))
      C.Word = Word;
  if (C.Word == Keyword::None)
    return badForm(C, Argument[0].getLocation(), Form);
  return addList(C, Argument.slice(2), Argument[1].getLocation(), C.RParenLoc, Form);
}

bool DirectiveParser::parseMap(Clause &C, TokenRange Argument) {
  constexpr llvm::StringLiteral Form = "map(kernel : rows = x|y|z)";
  std::optional<size_t> Colon = onlyColon(Argument);
  if (!Colon || *Colon == 0 || Argument.size() != *Colon + 4 || text(Argument[*Colon + 1]) != "rows" ||
      Argument[*Colon + 2].isNot(tok::equal))
    return badForm(C, Argument.empty() ? C.RParenLoc : Argument.front().getLocation(), Form);
  for (const Token &T : Argument.take_front(*Colon)) {
    if (T.isNot(tok::identifier) && T.isNot(tok::coloncolon))
      return badForm(C, T.getLocation(), Form);
    C.Name += text(T);
  }
  for (Keyword Word : {Keyword::X, Keyword::Y, Keyword::Z})
    if (text(Argument.back()) == spelling(Word))
      C.Word = Word;
  return C.Word != Keyword::None || badForm(C, Argument.back().getLocation(), Form);
}

/// True for a put of a region: `arrays : halo...`.
bool DirectiveParser::isPublished(TokenRange Argument) const {
  llvm::SmallVector<size_t, 2> Colons = sectionColons(Argument);
  return !Colons.empty() && Colons[0] + 1 != Argument.size() && text(Argument[Colons[0] + 1]) == spelling(ClauseKind::Halo);
}

bool DirectiveParser::parsePublished(Clause &C, TokenRange Argument) {
  constexpr llvm::StringLiteral Form = "put(array, ... : halo(depth)) notify";
  size_t Colon = sectionColons(Argument).front();
  TokenRange Halo = Argument.slice(Colon + 1);
  if (Halo.size() < 4 || Halo[1].isNot(tok::l_paren) || lastOpening(Halo) != 1)
    return badForm(C, Halo.front().getLocation(), Form);
  if (!addList(C, Argument.take_front(Colon), C.LParenLoc, Argument[Colon].getLocation(), Form))
    return false;
  C.Left = C.Exprs.size();
  return addExpr(C, Halo.slice(2).drop_back(), spelling(ClauseKind::Halo), Halo[1].getLocation(), Halo.back().getLocation(),
                 Diag::err_expected_expression);
}

bool DirectiveParser::addExpr(Clause &C, TokenRange Expr, llvm::StringRef Name, SourceLocation Open, SourceLocation Close,
                              Diag IfEmpty) {
  if (Expr.empty()) {
    error(Close, IfEmpty) << Name;
    return false;
  }
  SourceRange Range(Expr.front().getLocation(), Expr.back().getLocation());
  std::string Text;
  // The tokens of _Pragma("...") stand nowhere but in the string.
  std::optional<std::string> Spelled;
  if (!D.FromPragmaOperator)
    Spelled = spelledText(Range, PP.getSourceManager(), PP.getLangOpts());
  if (Spelled) {
    Text = std::move(*Spelled);
  } else {
    TokenConcatenation Concatenation(PP);
    Token Before, Last;
    Before.startToken();
    Last.startToken();
    for (const Token &T : Expr) {
      if (!Text.empty() && (T.hasLeadingSpace() || T.isAtStartOfLine() || T.isAnyIdentifier() || T.isLiteral() ||
                            Concatenation.AvoidConcat(Before, Last, T)))
        Text += ' ';
      Text += text(T);
      Before = Last;
      Last = T;
    }
  }
  Pieces.push_back({Expr, Open, Close});
  C.Exprs.push_back({Range, std::move(Text), static_cast<unsigned>(Pieces.size())});
  return true;
}

llvm::SmallVector<Token, 64> DirectiveParser::marker() {
  llvm::SmallVector<Token, 64> Out;
  auto Add = [&](tok::TokenKind Kind, SourceLocation Loc) -> Token & {
    Token T;
    T.startToken();
    T.setKind(Kind);
    T.setLocation(Loc);
    T.setLength(1);
    Out.push_back(T);
    return Out.back();
  };
  auto AddName = [&](llvm::StringRef Name, SourceLocation Loc) {
    IdentifierInfo *Info = PP.getIdentifierInfo(Name);
    Token &T = Add(Info->getTokenID(), Loc);
    T.setIdentifierInfo(Info);
    T.setLength(Name.size());
  };
  SourceLocation Loc = D.NameLoc;
  // A loop takes the next statement with it; an 'if' would take the 'else' of one around.
  bool OwnsStatement = D.Kind == DirectiveKind::Persistent || D.Kind == DirectiveKind::Host;
  if (OwnsStatement) {
    // `if (marker); else` leaves to loops around it what leaves a loop.
    AddName(D.Kind == DirectiveKind::Host ? "if" : "while", Loc);
    Add(tok::l_paren, Loc);
  }
  if (D.Kind == DirectiveKind::Window) {
    AddName("auto", Loc);
    AddName(D.WindowName, D.WindowNameLoc);
    Add(tok::equal, Loc);
  }
  Add(tok::coloncolon, Loc).setLength(2);
  AddName(MarkerNamespace, Loc);
  Add(tok::coloncolon, Loc).setLength(2);
  AddName(Class->name(), Loc);
  Add(tok::l_paren, Loc);
  std::string Id = std::to_string(D.Id) + "u";
  char *Literal = static_cast<char *>(PP.getPreprocessorAllocator().Allocate(Id.size() + 1, 1));
  std::memcpy(Literal, Id.c_str(), Id.size() + 1);
  Token &Number = Add(tok::numeric_constant, Loc);
  Number.setLiteralData(Literal);
  Number.setLength(Id.size());
  for (const Piece &P : Pieces) {
    Add(tok::comma, Loc);
    // The parentheses stand where the user's own brackets do, so that Clang's errors about them point there.
    Add(tok::l_paren, P.Open);
    Out.append(P.Tokens.begin(), P.Tokens.end());
    Add(tok::r_paren, P.Close);
  }
  Add(tok::r_paren, Loc);
  Add(OwnsStatement ? tok::r_paren : tok::semi, Loc);
  if (D.Kind == DirectiveKind::Host) {
    Add(tok::semi, Loc);
    AddName("else", Loc);
  }
  return Out;
}

} // namespace

/// True if the directive's line is over without the token that says so: Clang drops it in recovering from a malformed _Pragma
/// in the line. The token belongs to what follows and is given back.
static bool endsEarly(const Token &T, SourceLocation Directive, Preprocessor &PP) {
  bool Over = T.is(tok::eof);
  if (!Over && T.isAtStartOfLine() && T.getLocation().isFileID() && Directive.isFileID()) {
    const SourceManager &Sources = PP.getSourceManager();
    auto [File, Begin] = Sources.getDecomposedLoc(Directive);
    auto [EndFile, End] = Sources.getDecomposedLoc(T.getLocation());
    llvm::StringRef Text = File == EndFile ? Sources.getBufferData(File).slice(Begin, End) : llvm::StringRef();
    while (Text.contains('\n') && !Over) {
      auto [Line, Rest] = Text.split('\n');
      Over = !Line.rtrim(" \t\r").ends_with("\\");
      Text = Rest;
    }
  }
  if (Over)
    PP.EnterToken(T, /*IsReinject=*/true);
  return Over;
}

void PragmaHandler::HandlePragma(Preprocessor &PP, PragmaIntroducer Introducer, Token &FirstToken) {
  // Names of directives and clauses are not subject to macros; what stands in parentheses is. A word that is no clause but a
  // macro is expanded: it may spell a clause.
  llvm::SmallVector<Token, 32> Tokens;
  int Depth = 0;
  Token T;
  bool Nested = InDirective, Foreign = false;
  InDirective = true;
  while (true) {
    if (Depth > 0)
      PP.Lex(T);
    else
      PP.LexUnexpandedToken(T);
    if (T.is(tok::eod))
      break;
    if (endsEarly(T, FirstToken.getLocation(), PP)) {
      Foreign = true;
      break;
    }
    if (T.isAnnotation()) {
      Foreign = true;
      continue;
    }
    if (Depth <= 0 && !Tokens.empty() && T.is(tok::identifier) && PP.getMacroInfo(T.getIdentifierInfo()) &&
        !T.isExpandDisabled() && llvm::none_of(NamedClauses, [&](ClauseKind K) { return T.getIdentifierInfo()->isStr(spelling(K)); })) {
      auto Again = std::make_unique<Token[]>(1);
      Again[0] = T;
      PP.EnterTokenStream(std::move(Again), 1, /*DisableMacroExpansion=*/false, /*IsReinject=*/true);
      PP.Lex(T);
      if (T.is(tok::eod))
        break;
      if (endsEarly(T, FirstToken.getLocation(), PP)) {
        Foreign = true;
        break;
      }
    }
    if (isOpening(T))
      ++Depth;
    else if (isClosing(T))
      --Depth;
    Tokens.push_back(T);
  }
  InDirective = Nested;
  if (Nested || Foreign) {
    Diags.report(FirstToken.getLocation(), Diag::err_nested_directive);
    return;
  }
  if (Tokens.empty()) {
    Diags.report(PP.getLocForEndOfToken(FirstToken.getLocation()), Diag::err_expected_directive);
    return;
  }

  Directive D;
  D.Kind = DirectiveKind::Flush;
  D.Id = Directives.size();
  D.HashLoc = Introducer.Loc;
  D.FromPragmaOperator = Introducer.Kind == PIK__Pragma;
  D.EndLoc = Tokens.back().getLocation();
  DirectiveParser Parser(PP, Diags, Tokens, D);
  if (!Parser.parse())
    return;
  if (PP.getSourceManager().isInSystemHeader(D.HashLoc)) {
    Diags.report(D.NameLoc, Diag::err_system_header) << spelling(D.Kind);
    return;
  }
  llvm::SmallVector<Token, 64> Marker = Parser.marker();
  Directives.push_back(std::move(D));
  auto Stream = std::make_unique<Token[]>(Marker.size());
  std::copy(Marker.begin(), Marker.end(), Stream.get());
  PP.EnterTokenStream(std::move(Stream), Marker.size(), /*DisableMacroExpansion=*/true, /*IsReinject=*/false);
}

} // namespace gpurma
