// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %gpurmacc_cpu -S -O2 %s
// RUN: %filecheck %s < assembly.s
// CHECK: {{.*}}answer{{.*}}:
int answer() { return 42; }
