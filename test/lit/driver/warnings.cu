// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A warning about the user's code appears once, at the user's line, and -Werror makes it an error.
// RUN: %gpurmacc_cpu -Wall -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: not %gpurmacc_cpu -Wall -Werror -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: %gpurmacc_cpu -w -Wall -c %s -o %t.o 2>&1 | count 0
int f() {
  // CHECK: warnings.cu:[[#@LINE+2]]:7: warning: unused variable 'unused'
  // ERROR: warnings.cu:[[#@LINE+1]]:7: error: unused variable 'unused'
  int unused = 3;
  return 0;
}
