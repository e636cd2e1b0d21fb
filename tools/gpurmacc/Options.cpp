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

} // namespace gpurma::driver
