// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A macro that gets the name of a kernel and the rest of its launch as two arguments.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | FileCheck %s
__global__ void k(int *p, int n) { *p = n; }
#define LAUNCH(name, ...) name __VA_ARGS__
void run(int *p) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: this launch is spelled partly in a macro and partly outside of it; write it out whole in either [gpurma-0152]
  LAUNCH(k, <<<1, 1>>>(p, 1));
}
