// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

struct Name {
  __device__ Name(const Name& other) : length(other.length) {}
  int length;
};
__global__ void kernel(Name* names) {
#pragma gpurma window(w = names[0:16])
}

// CHECK: :[[@LINE-3]]:27: error: elements of type 'Name' cannot be copied byte by byte, so they cannot be put or got [gpurma-0062]
