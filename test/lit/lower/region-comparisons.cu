// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function that takes one of several ways is called with the constant that it compares with: the backend does not warn.
// RUN: %gpurmacc_cpu --gpurma-emit-source=%t.cu %s
// RUN: FileCheck %s < %t.cu
// RUN: %gpurmacc_cpu -Wall -Werror -c %s -o %t.o
#include <gpurma/gpurma.h>

const int direction_x = 1, direction_z = 2;

__global__ void up(float *u, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    u[i] += 1;
}

void step(float *u, int n, int direction) {
  if (direction == direction_x)
    up<<<(n + 127) / 128, 128>>>(u, n);
  else if (direction < direction_z)
    up<<<(n + 63) / 64, 128>>>(u, n);
}

void run(float *u, int n, float same) {
#pragma gpurma persistent distribute(u : rows(n))
  for (int t = 0; t < 3; ++t) {
    step(u, n, direction_x);
    step(u, n, direction_z);
    if (same != same)
      break;
  }
}

// CHECK: for (; t < 3; ++t)
// CHECK: if (true) {
// CHECK: if (::direction_x < ::direction_z) {
// CHECK: if (::direction_z == ::direction_x) {
// CHECK: if (false) {
// CHECK: if (same != same) {
