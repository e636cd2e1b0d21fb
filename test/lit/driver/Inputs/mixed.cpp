// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

const char *in_object();
const char *in_archive();
const char *in_shared();
const char *in_library();
int run_kernel();
extern "C" int class_of(int);

int main() {
  std::printf("%s %s %s %s %d %d\n", in_object(), in_archive(), in_shared(), in_library(), run_kernel(),
              class_of(run_kernel()));
  return 0;
}
