// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams that a region cannot print by printf.
// RUN: not %gpurmacc_cpu -fsyntax-only -DOPERANDS %s 2>&1 | FileCheck --check-prefix=OPERANDS %s
// RUN: not %gpurmacc_cpu -fsyntax-only -DPRECISION %s 2>&1 | FileCheck --check-prefix=STICKY %s
// RUN: not %gpurmacc_cpu -fsyntax-only -DMEMBER %s 2>&1 | FileCheck --check-prefix=STICKY %s
// RUN: not %gpurmacc_cpu -fsyntax-only -DPASSED %s 2>&1 | FileCheck --check-prefix=STICKY %s
// RUN: %gpurmacc_cpu -fsyntax-only -DWIDTH %s
// RUN: not %gpurmacc_cpu -fsyntax-only -DRESULTS %s 2>&1 | FileCheck --check-prefix=RESULTS %s
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <string>

__global__ void set(float *u, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    u[i] = 1;
}

#ifdef OPERANDS
void operands(float *u, int n, const std::string &name, const char *text, long double more) {
#pragma gpurma persistent distribute(u : rows(n))
  for (int i = 0; i < 3; ++i) {
    set<<<n / 64, 64>>>(u, n);
    std::cout << std::setw(5) << i;
    std::cerr << i;
    std::cout << more << '\n';
    std::fprintf(stderr, "%d", i);
  }
}
// OPERANDS: :[[@LINE-6]]:5: error: 'operator<<' is a function of the host{{.*}} [gpurma-0127]
// OPERANDS: :[[@LINE-6]]:5: error: 'operator<<' is a function of the host{{.*}} [gpurma-0127]
// OPERANDS: :[[@LINE-6]]:5: error: 'operator<<' is a function of the host{{.*}} [gpurma-0127]
// OPERANDS: :[[@LINE-6]]:5: error: 'fprintf' is a function of the host{{.*}} [gpurma-0127]
#elif defined RESULTS
int wanted(int i) { return std::printf("%d\n", i); }
void results(float *u, int n, bool says) {
  int characters = 0;
#pragma gpurma persistent distribute(u : rows(n))
  for (int i = 0; i < 3; std::printf("next\n"), ++i) {
    set<<<n / 64, 64>>>(u, n);
    says && std::printf("%d\n", i);
    says ? (void)std::printf("%d\n", i) : (void)0;
    wanted(i);
    std::puts("step"), ++characters;
    characters += std::printf("%d\n", i);
    characters += wanted(i);
    if (std::fprintf(stdout, "%d\n", i) < 0)
      break;
    const bool good = std::puts("step") >= 0 && says;
    characters += good;
  }
}
// RESULTS: :[[@LINE-8]]:19: error: in a persistent region, one rank prints, so that the others do not know what 'printf' returns; write the call as a statement of its own [gpurma-0125]
// RESULTS: :[[@LINE-19]]:28: error: {{.*}} what 'printf' returns
// RESULTS: :[[@LINE-8]]:9: error: {{.*}} what 'fprintf' returns
// RESULTS: :[[@LINE-7]]:23: error: {{.*}} what 'puts' returns
// RESULTS: 4 errors generated
#else

void precise(double value) {
#if defined PRECISION
  std::cout << std::setprecision(9) << value;
#elif defined MEMBER
  std::cout.precision(9);
  std::cout << value;
#elif defined PASSED
  std::ostream &out = std::cout;
  out << std::scientific << value;
#else
  std::cout << std::setw(9) << value;
#endif
}
void sticky(float *u, int n) {
#pragma gpurma persistent distribute(u : rows(n))
  for (int i = 0; i < 3; ++i) {
    set<<<n / 64, 64>>>(u, n);
    std::cout << i << '\n';
  }
}
// STICKY: :[[@LINE-3]]:5: error: 'operator<<' is a function of the host{{.*}} [gpurma-0127]
#endif
