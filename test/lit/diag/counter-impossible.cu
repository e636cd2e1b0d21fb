// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s
// RUN: not %gpurmacc_cpu -DCALL -c %s -o %t.o 2>&1 | %filecheck --check-prefix=CALL %s

#ifndef CALL
__global__ void kernel(float* a, int step) {
#pragma gpurma window(w = a[0:16]) match(counter)
#pragma gpurma wait tag(step)
}

// CHECK: :[[@LINE-3]]:16: error: 'match(counter)' cannot serve this directive: it has a tag that is not a constant [gpurma-0151]
// CHECK: :[[@LINE-5]]:36: note: 'match(counter)' is here

#else
__global__ void other(float* a) {
#pragma gpurma window(w = a[0:16]) match(counter)
  gpurma::wait<gpurma::matching::counter>(3, gpurma::any_source, gpurma::any_window);
  gpurma::notify(1, 3, w);
}
// CALL: :[[@LINE-2]]:3: error: 'match(counter)' cannot serve this call: its notifications are matched by a queue [gpurma-0151]
// CALL: :[[@LINE-5]]:36: note: 'match(counter)' is here
#endif
