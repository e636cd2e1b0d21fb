// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gpurma-info-cuda: what gpurma-info --routes runs for the CUDA target. It is a program of its own
// because the runtime of each target is written against a CUDA runtime library of that target.
#include <cstring>

#include "routes.h"

int main(int argc, char** argv) {
  return gpurma::info::print_routes(argc > 1 && std::strcmp(argv[1], "--json") == 0);
}
