// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/LoopOnHost.h"

#include "passes/Region.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpurma {

namespace {

/// The variables that the head of a `for` declares; none if it declares anything but numbers that
/// the loop may change.
std::optional<llvm::SmallVector<const VarDecl*, 2>> declaredIn(const Stmt* Init,
                                                               const ASTContext& Context) {
  llvm::SmallVector<const VarDecl*, 2> Found;
  const auto* Declarations = dyn_cast_or_null<DeclStmt>(Init);
  if (!Declarations)
    return Found;
  for (const Decl* D : Declarations->decls()) {
    const auto* V = dyn_cast<VarDecl>(D);
    if (!V || !V->getType()->isArithmeticType() || V->getType().isConstQualified() ||
        !V->isLocalVarDecl() || V->isStaticLocal() || !V->getInit() ||
        V->getInit()->HasSideEffects(Context))
      return std::nullopt;
    Found.push_back(V);
  }
  return Found;
}

/// Of a block with one statement that.
const Stmt* onlyStatement(const Stmt* S) {
  while (const auto* Block = dyn_cast<CompoundStmt>(S)) {
    if (Block->size() != 1)
      break;
    S = Block->body_front();
  }
  return S;
}

/// Whether it stands in the file as a whole, and no macro that it is spelled in has more.
bool isTextOf(FileID File, const Stmt& Part, const SourceManager& Sources,
              const LangOptions& LangOpts) {
  const CharSourceRange Text = Lexer::makeFileCharRange(
      CharSourceRange::getTokenRange(Part.getSourceRange()), Sources, LangOpts);
  return Text.isValid() && Sources.getFileID(Text.getBegin()) == File;
}

} // namespace

std::optional<LoopOnHost> findLoopOnHost(const Region& R, const SourceManager& Sources) {
  const Directive& D = R.directive();
  if (!R.HostParts.empty() || !R.Puts.empty() || D.FromPragmaOperator || !D.HashLoc.isFileID())
    return std::nullopt;
  // What launches leave in such an array, the region's kernel has one number of.
  if (llvm::any_of(R.Reductions, [](const ReducedScalar& S) { return S.OfBlocks; }))
    return std::nullopt;
  const ASTContext& Context = R.function()->getASTContext();
  const Stmt *Written = onlyStatement(R.Written), *OnDevice = onlyStatement(R.Statement);
  if (Written->getStmtClass() != OnDevice->getStmtClass())
    return std::nullopt;
  LoopOnHost Found;
  Found.OnDevice = OnDevice;
  if (const auto* For = dyn_cast<ForStmt>(Written)) {
    const auto Named = declaredIn(For->getInit(), Context),
               Variables = declaredIn(cast<ForStmt>(OnDevice)->getInit(), Context);
    const auto NameOf = [](const VarDecl* V) { return V->getName(); };
    if (For->getConditionVariable() || !Named || !Variables ||
        !llvm::equal(llvm::map_range(*Named, NameOf), llvm::map_range(*Variables, NameOf)))
      return std::nullopt;
    Found.Begin = dyn_cast_or_null<Expr>(For->getInit());
    Found.Condition = For->getCond();
    Found.Increment = For->getInc();
    Found.Body = For->getBody();
    Found.Variables = *Variables;
    Found.Written = *Named;
  } else if (const auto* While = dyn_cast<WhileStmt>(Written)) {
    if (While->getConditionVariable())
      return std::nullopt;
    Found.Condition = While->getCond();
    Found.Body = While->getBody();
  } else if (const auto* Do = dyn_cast<DoStmt>(Written)) {
    Found.Condition = Do->getCond();
    Found.Body = Do->getBody();
    Found.IsDo = true;
  } else {
    return std::nullopt;
  }
  const FileID File = Sources.getFileID(D.HashLoc);
  bool IsInFile = Sources.getFileID(Written->getBeginLoc()) == File;
  llvm::SmallVector<const Stmt*, 8> Parts{Found.Begin, Found.Condition, Found.Increment,
                                          Found.Body};
  for (const VarDecl* V : Found.Written)
    Parts.push_back(V->getInit());
  for (const Stmt* Part : Parts)
    IsInFile &= !Part || isTextOf(File, *Part, Sources, Context.getLangOpts());
  return IsInFile ? std::optional(std::move(Found)) : std::nullopt;
}

std::string loopVariableName(const VarDecl* Variable) {
  return "gpurma_loop_" + Variable->getNameAsString();
}

} // namespace gpurma
