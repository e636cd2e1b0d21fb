// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

int run_kernel();

int main() {
  std::printf("kernel says %d\n", run_kernel());
  return 0;
}
