// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -c makes an object: beside -o, or in the current folder under the source's name.
// RUN: rm -rf %t && mkdir -p %t/sub && cd %t
// RUN: %gpurmacc_cpu -c %s -o sub/named.o
// RUN: test -f sub/named.o
// RUN: %gpurmacc_cpu -c %s
// RUN: test -f compile-object.o
// RUN: %gpurmacc_cpu -c %s -osub/joined.o
// RUN: test -f sub/joined.o
// RUN: ls -A . sub | %filecheck %s
// CHECK-NOT: gpurma-tmp
// CHECK: compile-object.o
// CHECK-NOT: gpurma-tmp
int answer() { return 42; }
