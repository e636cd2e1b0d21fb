// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

struct Exchange {
#pragma gpurma barrier
  int tag;
};

// CHECK: :[[@LINE-4]]:16: error: directive 'barrier' must stand between statements inside a function, where a statement of its own could stand [gpurma-0024]
