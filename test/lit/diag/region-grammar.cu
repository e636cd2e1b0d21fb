// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s

void grammar(float* a, float* b, float* s, int n) {
#pragma gpurma persistent
  {}
#pragma gpurma persistent distribute(a, b)
  {}
#pragma gpurma persistent distribute(a : n)
  {}
#pragma gpurma persistent distribute(a, : rows(n))
  {}
#pragma gpurma persistent distribute(a : rows(n,))
  {}
#pragma gpurma persistent distribute(a : rows(n)) halo(a)
  {}
#pragma gpurma persistent distribute(a : rows(n)) reduce(* : *s)
  {}
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ *s)
  {}
#pragma gpurma persistent distribute(a : rows(n)) map(k : rows = w)
  {}
#pragma gpurma persistent distribute(a : rows(n)) map(k<int> : rows = x)
  {}
#pragma gpurma persistent distribute(a : rows(n)) tag(1)
  {}
#pragma gpurma persistent distribute(a : rows(n)) collect(b)
  {}
}
#pragma gpurma persistent distribute(a : rows(n))

// CHECK: :5:16: error: 'persistent' needs the clause 'distribute' [gpurma-0010]
// CHECK: :7:38: error: 'distribute' is written 'distribute(array, ... : rows(n, ...))' [gpurma-0029]
// CHECK: :9:42: error: 'distribute' is written 'distribute(array, ... : rows(n, ...))' [gpurma-0029]
// CHECK: :11:41: error: 'distribute' is written 'distribute(array, ... : rows(n, ...))' [gpurma-0029]
// CHECK: :13:49: error: 'distribute' is written 'distribute(array, ... : rows(n, ...))' [gpurma-0029]
// CHECK: :15:56: error: 'halo' is written 'halo(array, ... : depth)' [gpurma-0029]
// CHECK: :17:58: error: 'reduce' is written 'reduce(+, max, min, || or && : scalar, ...)' [gpurma-0029]
// CHECK: :19:58: error: 'reduce' is written 'reduce(+, max, min, || or && : scalar, ...)' [gpurma-0029]
// CHECK: :21:66: error: 'map' is written 'map(kernel : rows = x|y|z)' [gpurma-0029]
// CHECK: :23:56: error: 'map' is written 'map(kernel : rows = x|y|z)' [gpurma-0029]
// CHECK: :25:51: error: 'persistent' takes no clause 'tag'; it takes 'distribute', 'halo', 'reduce', 'map', 'collect' [gpurma-0008]
// CHECK: :27:59: error: 'collect' is written 'collect(array, ... : elements)' [gpurma-0029]
// CHECK: :30:16: error: directive 'persistent' must stand between statements inside a function, where a statement of its own could stand [gpurma-0024]
