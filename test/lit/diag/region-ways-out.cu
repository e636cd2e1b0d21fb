// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What to write instead is said of what programs often have in a loop.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
// RUN: not %gpurmacc_cpu -fsyntax-only -DFLAG %s 2>&1 | %filecheck --check-prefix=FLAG-CHECK %s
// RUN: not %gpurmacc_cpu -fsyntax-only -DMEMBERS %s 2>&1 | %filecheck --check-prefix=MEMBERS-CHECK %s
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <iostream>

extern "C" double MPI_Wtime(void); // of a header that is not a system's

struct simulation {
  float *u;
  struct {
    float *p;
  } fields;
};
__global__ void k(float *a, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < n)
    a[x] = x;
}
__global__ void flags(float *a, int *changed, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < n && a[x] < 0) {
    a[x] = 0;
    *changed = 1;
  }
}

void calls(float *a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n; ++i) {
    k<<<n, 1>>>(a, n);
    // CHECK: :[[@LINE+1]]:10: error: 'rand' is a function of the host, and the persistent region runs on the device; let the host call it, '#pragma gpurma host', or move the call out of the region [gpurma-0127]
    i += std::rand();
    // CHECK-NOT: note: the body of
    // CHECK: :[[@LINE+2]]:18: error: 'now' is a function of the host, and the persistent region runs on the device; take times before and behind the region, whose launches are one kernel, or where the host runs a statement [gpurma-0127]
    // CHECK: :[[@LINE+1]]:18: note: no step of it ends at a time of its own. To print the time of every n steps, let the host take it then, where the region's kernel ends: '#pragma gpurma host', '{ auto now = clock::now(); printf(...); last = now; }'
    auto begin = std::chrono::steady_clock::now();
    // CHECK: :[[@LINE+2]]:5: error: 'operator<<' is a function of the host, and the persistent region runs on the device; print by printf, or by the host: '#pragma gpurma host' [gpurma-0127]
    // CHECK: :[[@LINE+1]]:10: error: 'cerr' cannot be used in a persistent region
    std::cerr << i;
    // CHECK: :[[@LINE+1]]:10: error: 'clock' is a function of the host, and the persistent region runs on the device; take times before and behind the region, whose launches are one kernel, or where the host runs a statement [gpurma-0127]
    i += std::clock() > 0;
    // CHECK: :[[@LINE+2]]:10: error: 'MPI_Wtime' is a function of the host, and the persistent region runs on the device; take times before and behind the region, whose launches are one kernel, or where the host runs a statement [gpurma-0127]
    // CHECK-NOT: note: 'MPI_Wtime' is declared here
    i += MPI_Wtime() > 0;
    i += std::abs(-1) + std::min(i, 1) + static_cast<int>(std::lround(std::pow(2., i)));
  }
}
#ifdef FLAG
void flag(float *a, int *changed, int n) {
#pragma gpurma persistent distribute(a : rows(n)) reduce(max : *changed)
  do {
    *changed = 0;
    // FLAG-CHECK: :[[#FLAGS:]]:6: error: kernel 'flags' may update the reduced 'changed' only by atomicAdd, atomicMax or atomicMin that fits the clause 'reduce(max : ...)' [gpurma-0136]
    // FLAG-CHECK: :[[#FLAGS]]:6: note: a flag that threads set to 1 takes the clause 'reduce(|| : *changed)'
    flags<<<n, 1>>>(a, changed, n);
  } while (*changed);
}
#endif
#ifdef MEMBERS
void members(simulation *s, simulation *next, int n) {
  // MEMBERS-CHECK: :[[@LINE+2]]:41: error: what is distributed must be {{.*}}, not a member of what 's' points to: give that a name before the region, 'auto &object = *s', and write 'object.u'; or, if 's' changes places with another pointer in the region, give its sizes and the array names, 'auto *array = s->u', which changes places instead and is assigned to 's->u' behind the region [gpurma-0065]
  // MEMBERS-CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: what is distributed must be {{.*}} 'auto &object = *s', and write 'object.fields.p'; {{.*}} [gpurma-0065]
#pragma gpurma persistent distribute(s->u, s->fields.p : rows(n))
  for (int i = 0; i < n; ++i) {
    k<<<n, 1>>>(s->u, n);
    s = next;
  }
}
#endif
