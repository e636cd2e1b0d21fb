// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

void iterate(float* a, int steps) {
#pragma gpurma persistent
  for (int step = 0; step < steps; ++step) {
    a[step] = 0;
  }
}

// CHECK: :[[@LINE-6]]:16: error: host directive 'persistent' is not supported by this version of gpurmacc; use kernel directives inside the kernel [gpurma-0004]
