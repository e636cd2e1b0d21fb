// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Copies and fills of which only the running program knows that they are not of a whole array.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: %t whole | FileCheck --check-prefix=WHOLE %s
// RUN: not %t less 2>&1 | FileCheck --check-prefix=LESS %s
// RUN: not %mpirun -np 2 %t more 2>&1 | FileCheck --check-prefix=MORE %s
// RUN: not %t fill 2>&1 | FileCheck --check-prefix=FILL %s
// RUN: not %t from-row 2>&1 | FileCheck --check-prefix=FROM-ROW %s
// RUN: not %t to-row 2>&1 | FileCheck --check-prefix=TO-ROW %s
// RUN: not %t fill-row 2>&1 | FileCheck --check-prefix=FILL-ROW %s
#include <cstdio>
#include <cstring>

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const auto is = [&](const char *name) { return !std::strcmp(argv[1], name); };
  int nx = 20, ny = 30;
  size_t bytes = nx * ny * sizeof(float);
  float *a, *b;
  cudaMalloc(&a, bytes);
  cudaMalloc(&b, bytes);
  cudaMemset(b, 0, bytes);
  size_t copied = is("less") ? nx * sizeof(float) : is("more") ? bytes + 4 : bytes, filled = is("fill") ? 0 : bytes;
  int from = is("from-row") ? nx : 0, to = is("to-row") ? nx : 0, fill = is("fill-row") ? nx : 0;
  // LESS: launch in a persistent region at {{.*}}region_copy_errors.cu:[[#@LINE+7]] on rank {{[0-9]+}}: cudaMemcpy is to copy 80 bytes of an array of 2400 bytes; a region copies and fills distributed arrays whole, so write a kernel for a part of one
  // MORE: launch in a persistent region at {{.*}}region_copy_errors.cu:[[#@LINE+6]] on rank {{[0-9]+}}: cudaMemcpy is to copy 2404 bytes of an array of 2400 bytes
  // FROM-ROW: launch in a persistent region at {{.*}}region_copy_errors.cu:[[#@LINE+5]] on rank {{[0-9]+}}: cudaMemcpy is given 0x{{[0-9a-f]+}}, which is not the beginning of an array that the region distributes; a region copies and fills such arrays whole, so write a kernel for a part of one
  // TO-ROW: launch in a persistent region at {{.*}}region_copy_errors.cu:[[#@LINE+4]] on rank {{[0-9]+}}: cudaMemcpy is given 0x
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  {
    float *source = b + from, *target = a + to, *filling = b + fill;
    cudaMemcpy(target, source, copied, cudaMemcpyDeviceToDevice);
    // FILL: launch in a persistent region at {{.*}}region_copy_errors.cu:[[#@LINE+2]] on rank {{[0-9]+}}: cudaMemset is to fill 0 bytes of an array of 2400 bytes
    // FILL-ROW: launch in a persistent region at {{.*}}region_copy_errors.cu:[[#@LINE+1]] on rank {{[0-9]+}}: cudaMemset is given 0x
    cudaMemset(filling, 1, filled);
  }
  float last[2];
  cudaMemcpy(&last[0], a + nx * ny - 1, sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(&last[1], b + nx * ny - 1, sizeof(float), cudaMemcpyDeviceToHost);
  unsigned bits;
  std::memcpy(&bits, &last[1], sizeof bits);
  // WHOLE: 0 and 1010101
  std::printf("%g and %x\n", last[0], bits);
}
