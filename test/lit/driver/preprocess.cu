// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -E shows the source as the user wrote it, directives included, and writes no file.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %gpurmacc_cpu -E -DVALUE=7 %s | %filecheck %s
// RUN: %gpurmacc_cpu -E -DVALUE=7 %s -o out.i
// RUN: %filecheck %s < out.i
// RUN: ls -A | count 1
// CHECK: int value = 7;
// CHECK: #pragma gpurma barrier
int value = VALUE;
void f() {
#pragma gpurma barrier
}
