// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes that are given on the command line, before all headers: none uses such a name but T and U, as CUDA's own headers do.
// RUN: %gpurmacc_cpu -DA=1 -DB=2 -DC=3 -DD=4 -DE=5 -DF=6 -DG=7 -DH=8 -DI=9 -DJ=10 -DK=11 -DL=12 -DM=13 -DN=14 -DO=15 -DP=16 \
// RUN:   -DQ=17 -DR=18 -DS=19 -DV=21 -DW=22 -DX=23 -DY=24 -DZ=25 %s -o %t
// RUN: env GPURMA_CPU_RANKS=3 %t | FileCheck %s
// CHECK: 14 columns, 305
#include <cstdio>

__global__ void add(int* u) {
  const int x = threadIdx.x, y = blockIdx.x;
  if (x < N && y < Q)
    u[y * N + x] += A + B + C + D + E + F + G + H + I + J + K + L + M + N + O + P + Q + R + S + V + W + X + Y + Z;
}

__global__ void wait_for_oneself(int* u) {
#pragma gpurma window(w = u[0 : N])
#pragma gpurma put(u[0 : N]) to(gpurma::rank()) at(w[0]) notify(A)
#pragma gpurma wait tag(A)
}

int main() {
  int* u = nullptr;
  cudaMallocManaged(&u, Q * N * sizeof(int));
#pragma gpurma persistent distribute(u : rows(Q, N))
  for (int step = 0; step < A; ++step)
    add<<<Q, N>>>(u);
  wait_for_oneself<<<1, 32>>>(u);
  cudaDeviceSynchronize();
  std::printf("%d columns, %d\n", N, u[Q * N - 1]);
}
