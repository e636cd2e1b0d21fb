// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %gpurmacc_cpu -DFIRST=1 -D SECOND=2 -DGONE -UGONE "-DWORDS=3 + 4" -fsyntax-only %s
// RUN: not %gpurmacc_cpu -DFIRST=9 -fsyntax-only %s 2>&1 | FileCheck %s
// CHECK: defines.cu:[[#@LINE+1]]:{{.*}}error:
static_assert(FIRST == 1, "-D must reach the compiler");
static_assert(SECOND == 2);
static_assert(WORDS == 7);
#ifdef GONE
#error -U must reach the compiler
#endif
