// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <dlfcn.h>

int main(int, char **arguments) {
  void *const library = dlopen(arguments[1], RTLD_NOW);
  if (library == nullptr) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  std::printf("kernel says %d\n", reinterpret_cast<int (*)()>(dlsym(library, "_Z10run_kernelv"))());
  return 0;
}
