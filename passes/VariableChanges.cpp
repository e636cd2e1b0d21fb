// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/VariableChanges.h"

#include "passes/Lvalues.h"
#include "passes/VariableUses.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace gpurma {

namespace {

/// What an lvalue is part of, and which of its members.
std::pair<const Expr*, const FieldDecl*> partOf(const Expr* E) {
  const FieldDecl* Field = nullptr;
  while (true) {
    E = E->IgnoreParenCasts();
    if (const auto* Ref = dyn_cast<DeclRefExpr>(E))
      if (const auto* Binding = dyn_cast<BindingDecl>(Ref->getDecl()); Binding && Binding->getBinding()) {
        E = Binding->getBinding();
        continue;
      }
    if (const auto* Pointed = dyn_cast<BinaryOperator>(E); Pointed && Pointed->getOpcode() == BO_PtrMemD) {
      Field = nullptr;
      E = Pointed->getLHS();
      continue;
    }
    const auto* Member = dyn_cast<MemberExpr>(E);
    if (!Member ||
        (Member->isArrow() && !isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts())))
      break;
    Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
    E = Member->getBase();
  }
  return {E, Field};
}

/// Whether a member function that is not const could be: it makes nothing of its object but reads
/// of members, and calls of functions that make no more of it, so that no name of the object, or of
/// a part, is left: `T& operator()(int y, int x) { return p[index(y, x)]; }`.
class ObjectReads {
public:
  bool only(const CXXMethodDecl* Method) {
    const FunctionDecl* Definition = nullptr;
    // What containers of the library hold counts as theirs, and a lambda names its copies as the
    // variables that they are of.
    if (isa<CXXConstructorDecl, CXXDestructorDecl>(Method) || Method->getParent()->isLambda() ||
        Method->isVirtual() || Method->isDependentContext() || !Method->hasBody(Definition) ||
        Method->getASTContext().getSourceManager().isInSystemHeader(Method->getLocation()))
      return false;
    return !Seen.insert(Definition).second || only(Definition->getBody());
  }

private:
  bool only(const Stmt* S) {
    if (isa<CXXThisExpr, LambdaExpr>(S))
      return false;
    if (const auto* Load = dyn_cast<ImplicitCastExpr>(S);
        Load && Load->getCastKind() == CK_LValueToRValue && isMember(Load->getSubExpr()))
      return true;
    const auto* Call = dyn_cast<CallExpr>(S);
    const Expr* Object = Call ? ownObject(*Call) : nullptr;
    return llvm::all_of(S->children(), [&](const Stmt* Child) {
      return !Child || (Object && leadsTo(Child, Object)) || only(Child);
    });
  }
  static bool isMember(const Expr* E) {
    const auto* Member = dyn_cast<MemberExpr>(E->IgnoreParens());
    return Member && isa<FieldDecl>(Member->getMemberDecl()) &&
           (isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts()) ||
            (!Member->isArrow() && isMember(Member->getBase())));
  }
  /// The object itself, where a call is of one of its functions that does not change it either;
  /// null: it is another call.
  const Expr* ownObject(const CallExpr& Call) {
    const auto* Method = dyn_cast_or_null<CXXMethodDecl>(Call.getDirectCallee());
    const Expr* Object = nullptr;
    if (const auto* Member = dyn_cast<CXXMemberCallExpr>(&Call))
      Object = Member->getImplicitObjectArgument();
    else if (isa<CXXOperatorCallExpr>(Call) && Method && Method->isInstance())
      Object = Call.getArg(0);
    if (!Method || !Object)
      return nullptr;
    const auto* Pointed = dyn_cast<UnaryOperator>(Object->IgnoreParenImpCasts());
    const Expr* This = Pointed && Pointed->getOpcode() == UO_Deref ? Pointed->getSubExpr() : Object;
    return isa<CXXThisExpr>(This->IgnoreParenImpCasts()) && (Method->isConst() || only(Method))
               ? Object
               : nullptr;
  }
  /// Of a call of a member function, that is the object or the function as its member.
  static bool leadsTo(const Stmt* Part, const Expr* Object) {
    const auto* Member = dyn_cast<MemberExpr>(Part);
    return Part == Object || (Member && Member->getBase() == Object);
  }

  llvm::SmallPtrSet<const FunctionDecl*, 4> Seen;
};

} // namespace

std::pair<const VarDecl*, const FieldDecl*> memberOf(const Expr* E) {
  auto [Whole, Field] = partOf(E);
  const auto* Ref = dyn_cast<DeclRefExpr>(Whole);
  return {Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr, Field};
}

bool isUnchangeable(QualType Referred) {
  const CXXRecordDecl* Class = Referred->getAsCXXRecordDecl();
  return Referred.isConstQualified() && !(Class && Class->hasDefinition() && Class->hasMutableFields());
}

bool changesObject(const CXXMethodDecl* Method) {
  return (!Method->isConst() && !ObjectReads().only(Method)) ||
         Method->getParent()->hasMutableFields();
}

bool ChangeFinder::VisitUnaryOperator(UnaryOperator* E) {
  if (E->getOpcode() == UO_Deref)
    FollowedThis.insert(E->getSubExpr()->IgnoreParenImpCasts());
  if (E->isIncrementDecrementOp() || E->getOpcode() == UO_AddrOf)
    note(E->getSubExpr());
  return true;
}

bool ChangeFinder::VisitBinaryOperator(BinaryOperator* E) {
  if (E->isAssignmentOp())
    note(E->getLHS());
  return true;
}

bool ChangeFinder::VisitVarDecl(VarDecl* V) {
  if (V->getType()->isReferenceType() && !isUnchangeable(V->getType()->getPointeeType()) &&
      V->getInit())
    note(V->getInit());
  return true;
}

bool ChangeFinder::VisitMemberExpr(MemberExpr* E) {
  FollowedThis.insert(E->getBase()->IgnoreParenImpCasts());
  return true;
}

bool ChangeFinder::VisitLambdaExpr(LambdaExpr* E) {
  FollowedThis.insert(E->capture_init_begin(), E->capture_init_end());
  return true;
}

bool ChangeFinder::VisitCXXThisExpr(CXXThisExpr* E) {
  if (!FollowedThis.count(E))
    OfObject.insert(nullptr); // a function that gets the address may change all of it
  return true;
}

bool ChangeFinder::VisitInitListExpr(InitListExpr* E) {
  const RecordDecl* Record = E->isSemanticForm() ? E->getType()->getAsRecordDecl() : nullptr;
  if (!Record || Record->isUnion())
    return true;
  const auto* Class = dyn_cast<CXXRecordDecl>(Record);
  unsigned I = Class ? Class->getNumBases() : 0; // bases come first
  for (const FieldDecl* Field : Record->fields()) {
    if (Field->isUnnamedBitField())
      continue;
    if (I < E->getNumInits() && Field->getType()->isReferenceType() && !isUnchangeable(Field->getType()->getPointeeType()))
      note(E->getInit(I));
    ++I;
  }
  return true;
}

bool ChangeFinder::VisitCallExpr(CallExpr* E) {
  if (const auto* Operator = dyn_cast<CXXOperatorCallExpr>(E)) {
    if (const auto* Method = dyn_cast_or_null<CXXMethodDecl>(Operator->getCalleeDecl())) {
      if (changesObject(Method))
        note(Operator->getArg(0));
      // What a lambda changes, it changes where it is called.
      if (Method->getParent()->isLambda() && Method->hasBody() && Bodies.insert(Method).second)
        TraverseStmt(Method->getBody());
    }
  }
  if (const auto* Member = dyn_cast<CXXMemberCallExpr>(E))
    if (const CXXMethodDecl* Method = Member->getMethodDecl(); Method && changesObject(Method)) {
      note(Member->getImplicitObjectArgument());
      FollowedThis.insert(Member->getImplicitObjectArgument()->IgnoreParenImpCasts());
    }
  const FunctionDecl* Callee = E->getDirectCallee();
  if (!Callee)
    noteCallByPointer(*E);
  for (unsigned I = 0; Callee && I < E->getNumArgs() && I < Callee->getNumParams(); ++I) {
    unsigned Argument = I + (isa<CXXOperatorCallExpr>(E) && isa<CXXMethodDecl>(Callee) ? 1 : 0);
    QualType Type = Callee->getParamDecl(I)->getType();
    if (Argument < E->getNumArgs() && Type->isReferenceType() &&
        !isUnchangeable(Type->getPointeeType()))
      note(E->getArg(Argument));
    // A lambda that is handed on may be called there.
    if (const CXXRecordDecl* Class = Type.getNonReferenceType()->getAsCXXRecordDecl();
        Class && Class->isLambda())
      if (CXXMethodDecl* Method = Class->getLambdaCallOperator();
          Method && Method->hasBody() && Bodies.insert(Method).second)
        TraverseStmt(Method->getBody());
  }
  return true;
}

void ChangeFinder::noteCallByPointer(const CallExpr& E) {
  const Expr* Callee = E.getCallee()->IgnoreParenImpCasts();
  QualType Type = Callee->getType();
  if (const auto* Member = dyn_cast<BinaryOperator>(Callee); Member && Member->isPtrMemOp()) {
    Type = Member->getRHS()->getType()->castAs<MemberPointerType>()->getPointeeType();
    if (Member->getOpcode() == BO_PtrMemD)
      note(Member->getLHS());
  } else if (Type->isPointerType() || Type->isReferenceType()) {
    Type = Type->getPointeeType();
  }
  const auto* Function = Type->getAs<FunctionProtoType>();
  for (unsigned I = 0; Function && I < Function->getNumParams() && I < E.getNumArgs(); ++I)
    if (QualType P = Function->getParamType(I); P->isReferenceType() && !isUnchangeable(P->getPointeeType()))
      note(E.getArg(I));
}

bool ChangeFinder::VisitExplicitCastExpr(ExplicitCastExpr* E) {
  if (!E->isGLValue() || isUnchangeable(E->getType()) || !isUnchangeable(E->getSubExpr()->getType()))
    return true;
  note(E->getSubExpr());
  if (const VarDecl* V = namedVariable(E->getSubExpr()); V && V->getType()->isReferenceType() && V->getInit())
    note(V->getInit());
  return true;
}

bool ChangeFinder::VisitGCCAsmStmt(GCCAsmStmt* S) {
  for (unsigned I = 0; I < S->getNumOutputs(); ++I)
    note(S->getOutputExpr(I));
  return true;
}

bool ChangeFinder::VisitCXXConstructExpr(CXXConstructExpr* E) {
  const CXXConstructorDecl* Constructor = E->getConstructor();
  for (unsigned I = 0; I < E->getNumArgs() && I < Constructor->getNumParams(); ++I) {
    QualType Type = Constructor->getParamDecl(I)->getType();
    if (Type->isLValueReferenceType() && !isUnchangeable(Type->getPointeeType()))
      note(E->getArg(I));
  }
  return true;
}

bool ChangeFinder::VisitContinueStmt(ContinueStmt*) {
  Continues = true;
  return true;
}

void ChangeFinder::note(const Expr* E) {
  for (const Expr* Each : alternatives(E)) {
    if (auto [V, Field] = memberOf(Each); V) {
      ++Changes[V];
      Members.insert({V, Field});
      Places.try_emplace({V, Field}, Each);
    }
    auto [Whole, Field] = partOf(Each);
    if (const auto* Unary = dyn_cast<UnaryOperator>(Whole); Unary && Unary->getOpcode() == UO_Deref)
      Whole = Unary->getSubExpr()->IgnoreParenImpCasts();
    if (isa<CXXThisExpr>(Whole))
      OfObject.insert(Field);
  }
}

std::set<std::pair<const VarDecl*, const FieldDecl*>> changedMembers(const Stmt* S) {
  ChangeFinder Found;
  Found.TraverseStmt(const_cast<Stmt*>(S));
  return std::move(Found.Members);
}

std::set<const VarDecl*> namedVariables(const Stmt* S) {
  std::set<const VarDecl*> Variables;
  for (const DeclRefExpr* Ref : References(S).All)
    if (const auto* Variable = memberOf(Ref).first)
      Variables.insert(Variable);
  return Variables;
}

namespace {

/// What may have changed a variable when a lambda, which has a copy of it, is called.
class CopyChanges : public DynamicRecursiveASTVisitor {
public:
  CopyChanges(const VarDecl* V, const Stmt* Body, SourceLocation Copied, const SourceManager& Sources)
      : V(V), Copied(Copied), Sources(Sources), Reads(Body) {
    TraverseStmt(const_cast<Stmt*>(Body));
  }
  bool VisitBinaryOperator(BinaryOperator* E) override {
    if (E->isAssignmentOp())
      over(E->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator* E) override {
    if (E->isIncrementDecrementOp())
      over(E->getSubExpr());
    return true;
  }
  /// cudaMalloc(&u, bytes), std::swap(u, v): they do not keep the address.
  bool VisitCallExpr(CallExpr* Call) override {
    const FunctionDecl* Callee = Call->getDirectCallee();
    if (Callee && Sources.isInSystemHeader(Callee->getLocation()))
      for (Expr* Argument : Call->arguments()) {
        const auto* Address = dyn_cast<UnaryOperator>(Argument->IgnoreParenCasts());
        over(Address && Address->getOpcode() == UO_AddrOf ? Address->getSubExpr() : Argument);
      }
    return true;
  }
  /// The body of a lambda says what becomes of what it captures.
  bool TraverseLambdaCapture(LambdaExpr* Lambda, const LambdaCapture* Capture, Expr* Init) override {
    return !Lambda->isInitCapture(Capture) || TraverseStmt(Init);
  }
  /// It may be called at any time.
  bool TraverseLambdaExpr(LambdaExpr* Lambda) override {
    ++Lambdas;
    bool Continue = DynamicRecursiveASTVisitor::TraverseLambdaExpr(Lambda);
    --Lambdas;
    return Continue;
  }
  bool VisitDeclRefExpr(DeclRefExpr* Ref) override {
    if (Ref->getDecl() == V && !Reads.contains(Ref))
      Found.insert(Ref);
    return true;
  }
  bool any() const {
    return llvm::any_of(Found, [&](const DeclRefExpr* Ref) { return !Over.contains(Ref); });
  }

private:
  /// Before the copy is made, once and for all.
  void over(const Expr* E) {
    const auto* Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
    if (Ref && Lambdas == 0 && Sources.isBeforeInTranslationUnit(Sources.getFileLoc(Ref->getLocation()), Copied))
      Over.insert(Ref);
  }

  const VarDecl* V;
  SourceLocation Copied;
  const SourceManager& Sources;
  PureReads Reads;
  llvm::SmallPtrSet<const DeclRefExpr*, 8> Found, Over;
  unsigned Lambdas = 0;
};

} // namespace

bool isChangedAfterCopy(const VarDecl* V, const LambdaExpr* Lambda, const SourceManager& Sources) {
  const auto* Of = dyn_cast_or_null<FunctionDecl>(V->getParentFunctionOrMethod());
  if (!Of || !Of->hasBody() || V->isStaticLocal() || V->getType()->isReferenceType())
    return true;
  return !V->getType().isConstQualified() && CopyChanges(V, Of->getBody(), Sources.getFileLoc(Lambda->getBeginLoc()), Sources).any();
}

} // namespace gpurma
