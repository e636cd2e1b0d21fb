// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/AbstractValues.h"

#include <algorithm>

namespace gpurma {

bool same(const AbstractValue& A, const AbstractValue& B) {
  auto SameTruth = [&] {
    if (!A.Truth || !B.Truth)
      return !A.Truth && !B.Truth;
    return A.Truth->True.is_equal(B.Truth->True) && A.Truth->False.is_equal(B.Truth->False);
  };
  auto SameEntries = [](const auto& X, const auto& Y) {
    return X.size() == Y.size() && std::equal(X.begin(), X.end(), Y.begin(), [](auto& P, auto& Q) {
             return P.first == Q.first && same(P.second, Q.second);
           });
  };
  return A.Number == B.Number && SameTruth() && A.Place == B.Place && A.Lambda == B.Lambda && A.Elements == B.Elements &&
         SameEntries(A.Members, B.Members) && SameEntries(A.Captured, B.Captured) && A.CapturedThis == B.CapturedThis;
}

void forgetElements(AbstractValue& V) {
  V.Elements.clear();
  for (auto& [Field, Member] : V.Members)
    forgetElements(Member);
}

} // namespace gpurma
