// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Outputs that are no regular files are written in place.
// RUN: %gpurmacc_cpu -c %s -o /dev/null
// RUN: test -c /dev/null
// RUN: %gpurmacc_cpu -S %s -o - | FileCheck %s
// CHECK: answer
int answer() { return 42; }
// RUN: %gpurmacc_cpu -S %s -o /dev/stdout > %t.s
// RUN: FileCheck %s < %t.s
// RUN: test -L /dev/stdout
// Of text that gpurmacc writes itself, links stay, and what they lead to is written.
// RUN: rm -rf %t && mkdir %t && ln -s missing %t/dangling && ln -s depends %t/depfile && touch %t/depends
// RUN: %gpurmacc_cpu -c %s -MMD -MF %t/depfile -o %t/object
// RUN: test -L %t/depfile && test -s %t/depends
// RUN: %gpurmacc_cpu --gpurma-emit-source=%t/dangling %s
// RUN: test -L %t/dangling && test -s %t/missing
