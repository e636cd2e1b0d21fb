// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types that a region's kernel has neither a name for nor a copy of.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck --implicit-check-not=error: %s
__global__ void set(float* a, int v) { a[blockIdx.x * blockDim.x + threadIdx.x] = v; }

// Structures of a function of which there is no copy.
void local_types(float* a, int n) {
  struct other { int k; };
  struct pointing { float* u; other* o; int n; } pointing{a, nullptr, n};
  struct derived : other { int n; } derived{{1}, n};
  struct made { int n = 3; };
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n; ++i) {
    // CHECK: :[[@LINE+1]]:22: error: 'pointing' cannot be used in a persistent region: its type has no name at namespace scope, and is more {{.*}} [gpurma-0129]
    set<<<n, 1>>>(a, pointing.n);
    // CHECK: error: 'derived' cannot be used in a persistent region: its type has no name at namespace scope, {{.*}} [gpurma-0129]
    set<<<n, 1>>>(a, derived.n);
    // CHECK: :[[@LINE+1]]:10: error: 'm' cannot be used in a persistent region: its type has no name at namespace scope, {{.*}} [gpurma-0129]
    made m;
    set<<<n, 1>>>(a, m.n);
  }
}
