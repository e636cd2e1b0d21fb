// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

template <bool Exchange> __global__ void kernel(int partner) {
  if constexpr (Exchange) {
#pragma gpurma notify(partner) tag(1)
  }
}
void start() {
  kernel<true><<<1, 32>>>(0);
  kernel<false><<<1, 32>>>(0);
}

// CHECK: :[[@LINE-10]]:42: error: kernel template instance 'kernel<false>' reaches no directive while others of this template do; a kernel is a rank kernel for all its template arguments or for none [gpurma-0159]
