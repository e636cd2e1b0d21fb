// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/RegionNames.h"

#include "passes/ClauseMembers.h"
#include "passes/HostObjects.h"
#include "passes/HostTables.h"
#include "passes/Kernels.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace clang;

namespace gpurma {

std::string operationName(const ReducedScalar& S, const ASTContext& Context) {
  std::string Name = S.Operation == Keyword::Plus  ? "::gpurma::stages::plus"
                     : S.Operation == Keyword::Max ? "::gpurma::stages::maximum"
                     : S.Operation == Keyword::Min ? "::gpurma::stages::minimum"
                     : S.Operation == Keyword::Or  ? "::gpurma::stages::logical_or"
                                                   : "::gpurma::stages::logical_and";
  if (S.Updated.isNull() || Context.hasSameUnqualifiedType(S.Updated, S.Scalar->getType()))
    return Name;
  return "::gpurma::stages::as<" + S.Updated.getAsString(sourcePolicy(Context)) + ", " + Name + ">";
}

std::string behindHostPart(const Stmt* Leaving) {
  return std::string("::gpurma::stages::behind_host_part::") +
         (!Leaving ? "next_statement" : isa<BreakStmt>(Leaving) ? "leave_loop" : "next_iteration");
}

std::string hostPartNumber(const Region& R, const HostPart& P) { return std::to_string(&P - R.HostParts.data() + 1); }

std::string keptName(const Region& R, const VarDecl* Variable) {
  return "gpurma_kept_" + std::to_string(llvm::find(R.Kept, Variable) - R.Kept.begin()) + "_" + Variable->getNameAsString();
}

std::string globalName(const VarDecl* Variable, const PrintingPolicy& Policy) {
  std::string Name = "::";
  llvm::raw_string_ostream Out(Name);
  Variable->getNameForDiagnostic(Out, Policy, /*Qualified=*/true);
  return Name;
}

std::string capturedName(const VarDecl* Variable, Program& P) {
  if (const FieldDecl* Member = memberOfObject(Variable))
    return "gpurma_this_" + Member->getNameAsString();
  if (isObjectValue(Variable))
    return objectValueName(Variable);
  if (vectorOfTable(Variable))
    return tableName(Variable);
  if (const PointerVariable Member = memberOfClause(Variable)) {
    std::string Name = "gpurma_member_" + Member.name();
    std::replace(Name.begin(), Name.end(), '.', '_');
    return Name;
  }
  bool Global = Variable->hasGlobalStorage() && !Variable->isStaticLocal();
  return Global ? "gpurma_global_" + std::to_string(P.number("global " + globalName(Variable, sourcePolicy(Variable->getASTContext())))) + "_" +
                      Variable->getNameAsString()
                : Variable->getNameAsString();
}

} // namespace gpurma
