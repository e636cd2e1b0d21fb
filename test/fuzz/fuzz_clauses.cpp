// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "clauses.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  std::string Problem = gpurma::checkSetUp();
  if (Problem.empty())
    return 0;
  std::fprintf(stderr, "%s\n", Problem.c_str());
  std::exit(1);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *Data, std::size_t Size) {
  std::string Problem = gpurma::checkClauses(std::string(reinterpret_cast<const char *>(Data), Size));
  if (Problem.empty())
    return 0;
  std::fprintf(stderr, "%s\n", Problem.c_str());
  std::abort();
}
