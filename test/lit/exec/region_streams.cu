// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// What regions print by std::cout, fprintf(stdout, ...) and puts: numbers of each type, characters, text that printf takes for something
// else, in branches and in functions that the region calls.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// CHECK: 100% of "step" 0 \ of 4: t = 0
// CHECK-NEXT: integers -3 4 -5 6 -7 12345678901 -8 9
// CHECK-NEXT: others 1x{{$}}
// CHECK-NEXT: tab	µs 1e-09 0.333333 1234.57 1.23457e+08
// CHECK: value of a function 3 0.75
// CHECK-NEXT: fields 3.142 of 4
// CHECK-NEXT: a 50% line
#include "Inputs/region.h"

#include <iomanip>
#include <iostream>
#include <utility>

__global__ void halve(float *v, const float *u, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    v[i] = 0.5f * u[i];
}
// Of another stream.
static void write(std::ostream &out, double value) { out << std::setprecision(12) << value; }

static void report(int step, float value) { std::cout << "value of a function " << step << ' ' << value << std::endl; }

int main(int argc, char **) {
  const int n = 1000, steps = 4;
  float *u, *v;
  cudaMalloc(&u, n * sizeof *u);
  cudaMalloc(&v, n * sizeof *v);
  cudaMemset(u, 0, n * sizeof *u);
  short small = -3;
  unsigned short positive = 4;
  long wide = -7;
  unsigned long large = 12345678901;
  long long wider = -8;
  unsigned long long most = 9;
  bool yes = true;
  char letter = 'x';
  const float tiny = 1e-9f;
  double time = 0;
  if (argc > 99)
    write(std::cerr, time);
#pragma gpurma persistent distribute(u, v : rows(n))
  for (int step = 0; step < steps; ++step) {
    halve<<<(n + 127) / 128, 128>>>(v, u, n);
    std::swap(u, v);
    if (step % 2 == 0) {
      std::cout << "100% of \"step\" " << step << " \\ of " << steps << ": t = " << time << "\n";
      std::cout << "integers " << small << ' ' << positive << " " << -5 << ' ' << 6u << ' ' << wide << ' ' << large << " " << wider << " " << most << std::endl;
      std::cout << "others " << yes << letter << '\n'
                << "tab\tµs " << tiny << ' ' << 1.0 / 3 << ' ' << 1234.567f << ' ' << 123456789.0 << '\n' << std::flush;
    } else
      report(step, 0.25f * step);
    time += 0.125 * (1 + step);
    fprintf(stdout, "fields %.3f of %d\n", 3.14159, steps);
    puts("a 50% line");
  }
  cudaFree(u);
  cudaFree(v);
}
