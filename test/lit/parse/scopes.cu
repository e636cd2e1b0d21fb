// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A directive where no statement can stand is one error in the directive's terms.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s

// CHECK-DAG: scopes.cu:[[@LINE+1]]:16: error: directive 'barrier' must stand between statements inside a function, where a statement of its own could stand [gpurma-0024]
#pragma gpurma barrier
struct S {
// CHECK-DAG: scopes.cu:[[@LINE+1]]:16: error: directive 'notify' must stand between statements inside a function, where a statement of its own could stand [gpurma-0024]
#pragma gpurma notify(unknown) tag(1)
  int member;
};
enum E {
// CHECK-DAG: scopes.cu:[[@LINE+1]]:16: error: directive 'flush' must stand between statements inside a function, where a statement of its own could stand [gpurma-0024]
#pragma gpurma flush
  first
};
