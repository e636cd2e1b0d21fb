// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel() {
#pragma gpurma notify(1) tag(any)
}

// CHECK: :[[@LINE-3]]:30: error: 'any' is a wildcard of 'wait' and 'test'; 'tag' of 'notify' needs a value [gpurma-0020]
