// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s

void grammar(float* a, float* b, int n) {
#pragma gpurma put(a : halo(1))
#pragma gpurma put(a : halo) notify
#pragma gpurma put(a : halo()) notify
#pragma gpurma put(a, : halo(1)) notify
#pragma gpurma put(a : halo(1) + (1)) notify
#pragma gpurma put(a : halo(1), b : halo(2)) notify
#pragma gpurma put(a : halo(1)) notify(3)
#pragma gpurma put(a : halo(1)) notify to(3)
#pragma gpurma put(a : halo(1)) notify notify
#pragma gpurma put(a : rows(1)) notify
}

// CHECK: :5:16: error: 'put' needs the clause 'notify' [gpurma-0010]
// CHECK: :6:24: error: 'put' is written 'put(array, ... : halo(depth)) notify' [gpurma-0029]
// CHECK: :7:24: error: 'put' is written 'put(array, ... : halo(depth)) notify' [gpurma-0029]
// CHECK: :8:23: error: 'put' is written 'put(array, ... : halo(depth)) notify' [gpurma-0029]
// CHECK: :9:24: error: 'put' is written 'put(array, ... : halo(depth)) notify' [gpurma-0029]
// CHECK: :10:24: error: 'put' is written 'put(array, ... : halo(depth)) notify' [gpurma-0029]
// CHECK: :11:39: error: 'notify' takes no argument of its own [gpurma-0023]
// CHECK: :12:40: error: 'put' takes no clause 'to'; it takes 'notify' [gpurma-0008]
// CHECK: :13:40: error: 'put' has two clauses 'notify' [gpurma-0009]
// CHECK: :14:20: error: 'put' takes an array section 'pointer[first : count]' [gpurma-0015]
