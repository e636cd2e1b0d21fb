// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The expressions of a region's clauses.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s

struct big { big(const big&); float v; };

void clauses(float* a, float* b, float* s, int* i, bool* flag, const float* c, big* objects, int n, double x) {
#pragma gpurma persistent distribute(a + 1 : rows(n))
  {}
#pragma gpurma persistent distribute(n : rows(n))
  {}
#pragma gpurma persistent distribute(objects : rows(n))
  {}
#pragma gpurma persistent distribute(a : rows(x))
  {}
#pragma gpurma persistent distribute(a : rows(-4))
  {}
#pragma gpurma persistent distribute(a : rows(n)) halo(a : -1)
  {}
#pragma gpurma persistent distribute(a : rows(n)) halo(a : s)
  {}
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : s)
  {}
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : *flag)
  {}
#pragma gpurma persistent distribute(a : rows(n)) reduce(max : *c)
  {}
#pragma gpurma persistent distribute(a : rows(n)) reduce(min : *s + 1)
  {}
}
struct view { float* data; int n; };
void members(view* p, view v) {
#pragma gpurma persistent distribute(p->data : rows(p->n))
  { ++p; }
#pragma gpurma persistent distribute(v : rows(v.n))
  {}
#pragma gpurma persistent distribute(v.n : rows(v.n))
  {}
}
void puts(float* a, int n, int depth) {
  const int constant = 2;
#pragma gpurma persistent distribute(a : rows(n))
  {
#pragma gpurma put(a : halo(-1)) notify
    {}
#pragma gpurma put(a : halo(depth)) notify
    {}
#pragma gpurma put(a : halo(1.5)) notify
    {}
#pragma gpurma put(a + constant : halo(constant)) notify
    {}
  }
}

// CHECK: :44:29: error: depth -1 is negative [gpurma-0067]
// CHECK: :46:29: error: the depth of 'put' must be a constant, which can be compared with what later launches read [gpurma-0068]
// CHECK: :48:29: error: 'halo' takes an integer, not a value of type 'double' [gpurma-0050]
// CHECK: :50:22: error: what is distributed must be a pointer variable or a pointer in a structure variable, not an expression of type 'float *' [gpurma-0065]
// CHECK: :8:40: error: what is distributed must be a pointer variable or a pointer in a structure variable, not an expression of type 'float *' [gpurma-0065]
// CHECK: :10:38: error: what is distributed must be a pointer variable or a pointer in a structure variable, not an expression of type 'int' [gpurma-0065]
// CHECK: :12:38: error: elements of type 'big' cannot be copied byte by byte, so they cannot be put or got [gpurma-0062]
// CHECK: :14:47: error: 'rows' takes an integer, not a value of type 'double' [gpurma-0050]
// CHECK: :16:47: error: extent -4 is negative [gpurma-0067]
// CHECK: :18:60: error: depth -1 is negative [gpurma-0067]
// CHECK: :20:60: error: 'halo' takes an integer, not a value of type 'float *' [gpurma-0050]
// CHECK: :22:62: error: 'reduce' takes a scalar in memory that kernels update, not a value of type 'float *'; write '*pointer' [gpurma-0066]
// CHECK: :24:62: error: 'reduce' takes a scalar in memory that kernels update, not a value of type 'bool' [gpurma-0066]
// CHECK: :26:64: error: 'reduce' takes a scalar in memory that kernels update, not a value of type 'const float' [gpurma-0066]
// CHECK: :28:67: error: 'reduce' takes a scalar in memory that kernels update, not a value of type 'float' [gpurma-0066]
// CHECK: :33:41: error: what is distributed must be a pointer variable or a pointer in a structure variable, not a member of what 'p' points to: give that a name before the region, 'auto &object = *p', and write 'object.data'; {{.*}} [gpurma-0065]
// CHECK: :35:38: error: what is distributed must be a pointer variable or a pointer in a structure variable, not an expression of type 'view' [gpurma-0065]
// CHECK: :37:40: error: what is distributed must be a pointer variable or a pointer in a structure variable, not an expression of type 'int' [gpurma-0065]
