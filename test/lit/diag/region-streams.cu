// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams that a region cannot print by printf.
// RUN: not %gpurmacc_cpu -fsyntax-only -DOPERANDS %s 2>&1 | FileCheck --check-prefix=OPERANDS %s
// RUN: not %gpurmacc_cpu -fsyntax-only -DPRECISION %s 2>&1 | FileCheck --check-prefix=STICKY %s
// RUN: not %gpurmacc_cpu -fsyntax-only -DMEMBER %s 2>&1 | FileCheck --check-prefix=STICKY %s
// RUN: not %gpurmacc_cpu -fsyntax-only -DPASSED %s 2>&1 | FileCheck --check-prefix=STICKY %s
// RUN: %gpurmacc_cpu -fsyntax-only -DWIDTH %s
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
