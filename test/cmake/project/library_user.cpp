// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <gpurma/gpurma.h>

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  int count = 0;
  cudaGetDeviceCount(&count);
  std::printf("the library says %d device\n", count);
  gpurma::finalize();
  return 0;
}
