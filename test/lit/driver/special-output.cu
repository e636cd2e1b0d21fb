// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Outputs that are no regular files are written in place.
// RUN: %gpurmacc_cpu -c %s -o /dev/null
// RUN: test -c /dev/null
// RUN: %gpurmacc_cpu -S %s -o - | FileCheck %s
// CHECK: answer
int answer() { return 42; }
