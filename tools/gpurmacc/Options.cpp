// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.h"

#include "llvm/Option/Option.h"

using namespace llvm::opt;

namespace gpurma::driver {

namespace {
#define PREFIX(NAME, VALUE)                                                                        \
  static constexpr llvm::StringLiteral NAME##_init[] = VALUE;                                      \
  static constexpr llvm::ArrayRef<llvm::StringLiteral> NAME(NAME##_init,                           \
                                                            std::size(NAME##_init) - 1);
#include "Options.inc"
#undef PREFIX

constexpr OptTable::Info InfoTable[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};
} // namespace

OptionTable::OptionTable() : GenericOptTable(InfoTable) {}

std::vector<std::string> asWritten(const InputArgList &Args, const Arg &A) {
  std::string First = Args.getArgString(A.getIndex());
  if (A.getOption().getKind() == Option::JoinedOrSeparateClass && !A.getAlias() &&
      First.size() > A.getSpelling().size())
    return {First};
  ArgStringList Rendered;
  A.render(Args, Rendered);
  return {Rendered.begin(), Rendered.end()};
}

} // namespace gpurma::driver
