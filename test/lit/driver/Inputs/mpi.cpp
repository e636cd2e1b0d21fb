// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <mpi.h>

int main() {
  int version = 0, subversion = 0;
  MPI_Get_version(&version, &subversion);
  std::printf("MPI %d.%d\n", version, subversion);
  return 0;
}
