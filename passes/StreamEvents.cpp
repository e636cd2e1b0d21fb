// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/StreamEvents.h"

#include "passes/Region.h"
#include "passes/VariableUses.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace gpurma {
namespace {

/// Where the variable or member is named that an event, or a pointer to one, is or is an element of. Null: there is none.
const Expr* namedEvent(const Expr* E) {
  E = E->IgnoreParenImpCasts();
  if (const auto* Unary = dyn_cast<UnaryOperator>(E); Unary && (Unary->getOpcode() == UO_AddrOf || Unary->getOpcode() == UO_Deref))
    return namedEvent(Unary->getSubExpr());
  if (const auto* Element = dyn_cast<ArraySubscriptExpr>(E))
    return namedEvent(Element->getBase());
  if (const auto* Element = dyn_cast<CXXOperatorCallExpr>(E); Element && Element->getOperator() == OO_Subscript)
    return namedEvent(Element->getArg(0));
  return isa<DeclRefExpr, MemberExpr>(E) ? E : nullptr;
}

const ValueDecl* declaredBy(const Expr* Name) {
  if (const auto* Member = dyn_cast_or_null<MemberExpr>(Name))
    return Member->getMemberDecl();
  const auto* Ref = dyn_cast_or_null<DeclRefExpr>(Name);
  const auto* V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  const FieldDecl* Member = V ? memberOfObject(V) : nullptr;
  return Member ? cast<ValueDecl>(Member) : V;
}

/// Calls that make, wait for, ask for or destroy an event, and take no time from it.
bool takesNoTime(StringRef Function) {
  static const llvm::StringSet<> Names = {"cudaEventCreate", "cudaEventCreateWithFlags", "cudaEventSynchronize",
                                          "cudaEventQuery",  "cudaEventDestroy",         "cudaStreamWaitEvent"};
  return recordsEvent(Function) || Names.contains(Function);
}

/// Whether a value may be that of an event that has another name: of a variable, a member or a call, which is no number.
class OtherValues : public DynamicRecursiveASTVisitor {
public:
  explicit OtherValues(const Expr* Init) {
    if (Init)
      TraverseStmt(const_cast<Expr*>(Init));
  }
  bool VisitExpr(Expr* E) override {
    Found |= isa<DeclRefExpr, MemberExpr, CallExpr>(E) && !E->getType()->isArithmeticType();
    return !Found;
  }
  bool Found = false;
};

/// Where an event is used, and which of that is to order streams.
class EventUses : public DynamicRecursiveASTVisitor {
public:
  explicit EventUses(const ValueDecl& Event) : Event(Event) {}
  bool shouldVisitTemplateInstantiations() const override { return true; }
  bool VisitCallExpr(CallExpr* Call) override {
    if (takesNoTime(identifierOf(dyn_cast_or_null<NamedDecl>(Call->getCalleeDecl()))))
      for (const Expr* Argument : Call->arguments())
        Ordering.insert(namedEvent(Argument));
    return true;
  }
  /// `for (cudaEvent_t& each : done)`: other names of its elements.
  bool VisitCXXForRangeStmt(CXXForRangeStmt* Loop) override {
    const Expr* Range = namedEvent(Loop->getRangeInit());
    if (isEvent(declaredBy(Range))) {
      Ordering.insert(Range);
      Elements.insert(Loop->getLoopVariable());
    }
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* Ref) override { return add(Ref); }
  bool VisitMemberExpr(MemberExpr* Member) override { return add(Member); }
  bool VisitVarDecl(VarDecl* V) override {
    if (V == &Event)
      addValue(V->getInit());
    return true;
  }
  bool VisitFieldDecl(FieldDecl* Member) override {
    if (Member == &Event)
      addValue(Member->getInClassInitializer());
    return true;
  }
  bool VisitInitListExpr(InitListExpr* List) override {
    const auto* Member = dyn_cast<FieldDecl>(&Event);
    if (Member && List->getType()->getAsRecordDecl() == Member->getParent())
      addValue(List);
    return true;
  }
  bool VisitCXXConstructorDecl(CXXConstructorDecl* Constructor) override {
    for (const CXXCtorInitializer* Init : Constructor->inits())
      if (Init->getMember() == &Event)
        addValue(Init->getInit());
    return true;
  }

  EventPurpose purpose() const {
    auto Other = llvm::find_if(All, [&](const Expr* Use) { return !Ordering.contains(Use); });
    if (Other != All.end())
      return *Other;
    // What became of the parameter of a function that the region calls is named nowhere else.
    if (All.empty())
      return UnknownUses();
    return OrdersStreams();
  }

private:
  bool add(const Expr* Name) {
    if (isEvent(declaredBy(Name)))
      All.insert(Name);
    return true;
  }
  bool isEvent(const ValueDecl* Named) const {
    return Named && (Named == &Event || Elements.contains(Named));
  }
  void addValue(const Expr* Value) {
    if (OtherValues(Value).Found)
      All.insert(Value);
  }
  const ValueDecl& Event;
  llvm::SetVector<const Expr*> All;
  llvm::SmallPtrSet<const Expr*, 8> Ordering;
  llvm::SmallPtrSet<const ValueDecl*, 2> Elements;
};

/// The function that the variable is local to; of one in a lambda, the function around it.
const FunctionDecl* functionAround(const VarDecl& V) {
  const FunctionDecl* Outermost = nullptr;
  for (const DeclContext* C = V.getDeclContext(); C; C = C->getParent())
    if (const auto* F = dyn_cast<FunctionDecl>(C))
      Outermost = F;
  return Outermost;
}

/// Whether other translation units may use it, or callers of the function.
bool isSeenElsewhere(const ValueDecl& Event) {
  if (const auto* Member = dyn_cast<FieldDecl>(&Event)) {
    const auto* Class = dyn_cast<CXXRecordDecl>(Member->getParent());
    return !Class || llvm::any_of(Class->methods(), [](const CXXMethodDecl* M) { return !M->isImplicit() && !M->isDeleted() && !M->isDefined(); });
  }
  const auto* V = dyn_cast<VarDecl>(&Event);
  return !V || isa<ParmVarDecl>(V) || V->getType()->isReferenceType() || (!V->isLocalVarDecl() && V->isExternallyVisible());
}

} // namespace

bool recordsEvent(StringRef Function) { return Function == "cudaEventRecord" || Function == "cudaEventRecordWithFlags"; }

EventPurpose purposeOf(const Expr& Event) {
  const ValueDecl* D = declaredBy(namedEvent(&Event));
  if (!D || isSeenElsewhere(*D))
    return UnknownUses();
  EventUses Uses(*D);
  const auto* V = dyn_cast<VarDecl>(D);
  if (const FunctionDecl* F = V ? functionAround(*V) : nullptr) {
    Uses.TraverseDecl(const_cast<FunctionDecl*>(F));
  } else {
    const ASTContext& Context = D->getASTContext();
    for (Decl* Outer : Context.getTranslationUnitDecl()->decls())
      if (!Context.getSourceManager().isInSystemHeader(Outer->getLocation()))
        Uses.TraverseDecl(Outer);
  }
  return Uses.purpose();
}

} // namespace gpurma
