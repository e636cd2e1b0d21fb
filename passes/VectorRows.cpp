// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/VectorRows.h"

#include "passes/CallVisitor.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace gpurma {
namespace {

class VectorCastFinder : public CallVisitor {
public:
  explicit VectorCastFinder(const ASTContext& Context) : Context(Context) {}

  bool find(const FunctionDecl* Kernel) {
    enter(Kernel);
    visitEntered();
    return Found;
  }
  bool VisitCastExpr(CastExpr* Cast) override {
    const QualType To = Cast->getType(), From = Cast->getSubExpr()->getType();
    Found |= (Cast->getCastKind() == CK_BitCast && bytesOf(To->getPointeeType()) > bytesOf(From->getPointeeType())) ||
             (Cast->getCastKind() == CK_LValueBitCast && bytesOf(To) > bytesOf(From));
    return !Found;
  }

private:
  /// 0: that is not known.
  std::int64_t bytesOf(QualType Type) const {
    return Type.isNull() || Type->isIncompleteType() || Type->isFunctionType() ? 0 : Context.getTypeSizeInChars(Type).getQuantity();
  }

  const ASTContext& Context;
  bool Found = false;
};

} // namespace

bool castsToVectors(const FunctionDecl* Kernel, const ASTContext& Context) {
  return VectorCastFinder(Context).find(Kernel);
}

VectorRows::VectorRows(std::int64_t Elements, ArrayRef<DistributedParameter> Arrays, const LaunchFacts& Launch)
    : Arrays(Arrays), Launch(Launch), Elements(Elements) {
  bool AllAreMultiples = true;
  for (const DistributedParameter& A : Arrays) {
    const Polynomial& Length = A.Shape.Extents.back();
    const auto& Terms = Length.terms();
    const bool IsVariable = A.Shape.dimensions() > 1 && Terms.size() == 1 && Terms.begin()->first.size() == 1 && Terms.begin()->second == 1 &&
                            Terms.begin()->first.front().Divisor == 1;
    AllAreMultiples &= IsVariable || Length.constant().value_or(1) % Elements == 0;
    if (!IsVariable)
      continue;
    Divided.insert(A.Array);
    Lengths.push_back(Terms.begin()->first.front());
  }
  for (DistributedParameter& A : this->Arrays) {
    for (Polynomial& Extent : A.Shape.Extents)
      Extent = (*this)(Extent);
    if (A.Shape.Components)
      A.Shape.Components = (*this)(*A.Shape.Components);
  }
  for (auto& [Parameter, Value] : this->Launch.Arguments)
    Value = (*this)(Value);
  for (std::optional<Polynomial>& Most : this->Launch.MostThreads)
    if (Most)
      Most = (*this)(*Most);
  this->Launch.ComparesThreads &= Elements == 1;
  for (AssumedConstant& Constant : this->Launch.Constants)
    for (Polynomial& Value : Constant.Values)
      Value = (*this)(Value);
  if (Launch.Threads == ThreadMapping::OneDimension && AllAreMultiples)
    this->Launch.ElementsPerThread = Elements;
}

Polynomial VectorRows::operator()(Polynomial P) const {
  std::set<Symbol> Named;
  for (const auto& [M, Coefficient] : P.terms())
    Named.insert(M.begin(), M.end());
  for (const Symbol& S : Named)
    for (const Symbol& Length : Lengths)
      if (Elements % S.Divisor == 0 && S.dividedBy(1) == Length)
        P = P.substituted(S, Polynomial(Elements / S.Divisor) * Length.dividedBy(Elements));
  return P;
}

} // namespace gpurma
