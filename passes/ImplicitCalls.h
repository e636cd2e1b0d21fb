// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GPURMA_PASSES_IMPLICITCALLS_H
#define GPURMA_PASSES_IMPLICITCALLS_H

#include "frontend/DynamicRecursiveASTVisitor.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Analysis/CFG.h"

namespace gpurma {

/// Finds what a function calls without naming it: constructors, destructors, allocation functions. A class that derives from it adds
/// the calls that are written.
class ImplicitCalls : public DynamicRecursiveASTVisitor {
public:
  bool shouldVisitImplicitCode() const override { return true; }

  /// All that a call of a function runs but what it calls; false if the visitor has had enough.
  bool traverseFunction(const clang::FunctionDecl& Function) {
    const clang::FunctionDecl* Definition = nullptr;
    for (const clang::ParmVarDecl* Param : Function.parameters())
      if (!destroys(Param->getType()))
        return false;
    if (const auto* Destructor = llvm::dyn_cast<clang::CXXDestructorDecl>(&Function); Destructor && !destroysParts(*Destructor->getParent()))
      return false;
    if (!Function.hasBody(Definition))
      return true;
    if (const auto* Constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(Definition))
      for (const clang::CXXCtorInitializer* Initializer : Constructor->inits())
        if (!TraverseStmt(Initializer->getInit()))
          return false;
    return TraverseStmt(Definition->getBody());
  }

  bool VisitCXXConstructExpr(clang::CXXConstructExpr* Construct) override { return calls(Construct->getConstructor()); }
  bool VisitCXXInheritedCtorInitExpr(clang::CXXInheritedCtorInitExpr* Init) override { return calls(Init->getConstructor()); }
  bool VisitCXXBindTemporaryExpr(clang::CXXBindTemporaryExpr* Bind) override { return calls(Bind->getTemporary()->getDestructor()); }
  bool VisitCXXNewExpr(clang::CXXNewExpr* New) override { return calls(New->getOperatorNew()); }
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr* Delete) override {
    const clang::QualType Type = Delete->getDestroyedType();
    return calls(Delete->getOperatorDelete()) && (Type.isNull() || destroys(Type));
  }
  bool VisitVarDecl(clang::VarDecl* Variable) override { return destroys(Variable->getType()); }
  bool VisitBindingDecl(clang::BindingDecl* Binding) override {
    const clang::VarDecl* Holding = Binding->getHoldingVar(); // what get<0>() has returned
    return !Holding || TraverseStmt(const_cast<clang::Expr*>(Holding->getInit()));
  }
  /// The elements of an array that a list does not give.
  bool VisitInitListExpr(clang::InitListExpr* List) override { return !List->hasArrayFiller() || TraverseStmt(List->getArrayFiller()); }

protected:
  /// Also of a function without a body; null if it is not known. False ends the search.
  virtual bool calls(const clang::FunctionDecl* Function) = 0;

private:
  bool destroys(clang::QualType Type) {
    const clang::CXXRecordDecl* Class = Type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    if (!Class || !Class->hasDefinition() || Class->hasTrivialDestructor())
      return true;
    const clang::CXXDestructorDecl* Destructor = Class->getDestructor();
    return Destructor ? calls(Destructor) : destroysParts(*Class);
  }

  bool destroysParts(const clang::CXXRecordDecl& Class) {
    const clang::CXXRecordDecl* Definition = Class.getDefinition();
    if (!Definition)
      return true;
    for (const clang::FieldDecl* Field : Definition->fields())
      if (!Definition->isUnion() && !destroys(Field->getType()))
        return false;
    for (const clang::CXXBaseSpecifier& Base : Definition->bases())
      if (!destroys(Base.getType()))
        return false;
    for (const clang::CXXBaseSpecifier& Base : Definition->vbases())
      if (!destroys(Base.getType()))
        return false;
    return true;
  }
};

/// Has flow graphs with all statements, and with initialisers and destructors where they are called.
inline void addImplicitCalls(clang::CFG::BuildOptions& Options) {
  Options.setAllAlwaysAdd();
  Options.AddInitializers = true;
  Options.AddImplicitDtors = true;
  Options.AddTemporaryDtors = true;
  Options.AddCXXDefaultInitExprInCtors = true;
  Options.AddCXXDefaultInitExprInAggregates = true;
}

/// Clang's own function does not know those of bases.
inline const clang::CXXDestructorDecl* destructorOf(const clang::CFGImplicitDtor& Element, clang::ASTContext& Context) {
  if (const auto Base = Element.getAs<clang::CFGBaseDtor>())
    return Base->getBaseSpecifier()->getType()->getAsCXXRecordDecl()->getDestructor();
  return Element.getDestructorDecl(Context);
}

} // namespace gpurma

#endif // GPURMA_PASSES_IMPLICITCALLS_H
