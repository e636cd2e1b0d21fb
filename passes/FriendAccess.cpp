// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/FriendAccess.h"

#include "frontend/DynamicRecursiveASTVisitor.h"
#include "frontend/PointerVariable.h"

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/SetVector.h"

using namespace clang;

namespace gpurma {
namespace {

class HiddenMembers : public DynamicRecursiveASTVisitor {
public:
  explicit HiddenMembers(const FunctionDecl& Function) { TraverseStmt(Function.getBody()); }
  llvm::SmallSetVector<const CXXRecordDecl*, 4> Classes;

  bool VisitMemberExpr(MemberExpr* E) override { return note(*E->getMemberDecl()); }
  bool VisitDeclRefExpr(DeclRefExpr* E) override { return note(*E->getDecl()); }
  bool VisitCXXConstructExpr(CXXConstructExpr* E) override { return note(*E->getConstructor()); }

private:
  bool note(const Decl& Named) {
    const auto* Class = dyn_cast<CXXRecordDecl>(Named.getDeclContext());
    if (Class && !Class->isLambda() && !isPublic(&Named)) {
      const CXXRecordDecl* Pattern = Class->getTemplateInstantiationPattern();
      Classes.insert((Pattern ? Pattern : Class)->getDefinition());
    }
    return true;
  }
};

} // namespace

void makeNamedMembersPublic(const FunctionDecl& Function, EditSet& Edits, const ASTContext& Context) {
  const SourceManager& Sources = Context.getSourceManager();
  const auto ContinuePublic = [&](SourceLocation Behind) {
    if (std::optional<FileRange> Token = fileRange(Behind, Sources, Context.getLangOpts()))
      Edits.replace({Token->File, Token->End, Token->End}, " public:");
  };
  const HiddenMembers Named(Function);
  for (const CXXRecordDecl* Class : Named.Classes) {
    if (Class->isClass())
      ContinuePublic(Class->getBraceRange().getBegin());
    for (const Decl* Each : Class->decls())
      if (const auto* Access = dyn_cast<AccessSpecDecl>(Each); Access && Access->getAccess() != AS_public)
        ContinuePublic(Access->getColonLoc());
  }
}

} // namespace gpurma
