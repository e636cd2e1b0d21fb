// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A variable that something changes without its name on the left of an assignment has no known number: by a pointer to a function or to a
// member, by a cast, or in inline assembly. One that these only read has.
// RUN: not %gpurmacc_cpu -fsyntax-only -DCHANGE=1 %s 2>&1 | %filecheck --implicit-check-not=error: %s
// RUN: not %gpurmacc_cpu -fsyntax-only -DCHANGE=2 %s 2>&1 | %filecheck --implicit-check-not=error: %s
// RUN: not %gpurmacc_cpu -fsyntax-only -DCHANGE=3 %s 2>&1 | %filecheck --implicit-check-not=error: %s
// RUN: not %gpurmacc_cpu -fsyntax-only -DCHANGE=4 %s 2>&1 | %filecheck --implicit-check-not=error: %s
// RUN: not %gpurmacc_cpu -fsyntax-only -DCHANGE=5 %s 2>&1 | %filecheck --implicit-check-not=error: %s
// RUN: not %gpurmacc_cpu -fsyntax-only -DCHANGE=6 %s 2>&1 | %filecheck --implicit-check-not=error: %s
// RUN: %gpurmacc_cpu -fsyntax-only -DCHANGE=0 --gpurma-print-after=InferStages %s 2>&1 | %filecheck --check-prefix=KNOWN-CHECK %s
// RUN: not %gpurmacc_cpu -fsyntax-only -DIN_KERNEL -DCHANGE=0 %s 2>&1 | %filecheck --check-prefix=KERNEL-CHECK --implicit-check-not=error: %s
#include <utility>

struct numbers {
  int rows, other;
  __host__ __device__ void set() { rows = 9; }
  void set_other(int &to) { to = 9; }
  int read(int from) const { return from; }
};
[[maybe_unused]] static void set(int &to) { to = 9; }
[[maybe_unused]] static int read(const int &from) { return from; }

__global__ void far(float *out, const float *in, int by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= by && i < n)
    // CHECK: :[[@LINE+1]]:14: error: cannot bound how far from a logical block's own rows 'in' is read here: the distance is no constant [gpurma-0201]
    out[i] = in[i - by];
  // KNOWN-CHECK: stage far: {{.*}}reads in (x -1..-1)
}

__global__ void far_by_member(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  numbers known{1, 2};
  void (numbers::*change)() = &numbers::set;
#ifdef IN_KERNEL
  (known.*change)();
#endif
  if (i >= known.rows && i < n)
    // KERNEL-CHECK: :[[@LINE+1]]:14: error: cannot tell which elements of 'in' are read here: the subscript depends on {{.*}} [gpurma-0200]
    out[i] = in[i - known.rows];
  // KNOWN-CHECK: stage far_by_member: {{.*}}reads in (x -1..-1)
}

void run(float *u, float *v, int n) {
  numbers known{1, 2};
#if CHANGE == 3 || CHANGE == 4
#define BY known.rows
#else
#define BY rows
#endif
  int rows = 1;
#if CHANGE == 1
  void (*change)(int &) = set;
  change(rows);
#elif CHANGE == 2
  void (numbers::*change)(int &) = &numbers::set_other;
  (known.*change)(rows);
#elif CHANGE == 3
  void (numbers::*change)() = &numbers::set;
  (known.*change)();
#elif CHANGE == 4
  int numbers::*member = &numbers::rows;
  known.*member = 9;
#elif CHANGE == 5
  const int &same = rows;
  const_cast<int &>(same) = 9;
#elif CHANGE == 6
  asm volatile("" : "=r"(rows));
#else
  int (*look)(const int &) = read;
  int (numbers::*look_too)(int) const = &numbers::read;
  const int &same = rows;
  asm volatile("" : : "r"(rows));
  known.other = look(rows) + (known.*look_too)(rows) + static_cast<const int &>(same);
#endif
#pragma gpurma persistent distribute(u, v : rows(n))
  for (int k = 0; k < 2; ++k) {
    far<<<8, 8>>>(v, u, BY, n);
    far_by_member<<<8, 8>>>(u, v, n);
  }
}
