// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel(const float* a) {
#pragma gpurma window(w = a[0:16])
}

// CHECK: :[[@LINE-3]]:27: error: a window needs writable memory; other ranks put into it, and its base is of type 'const float *' [gpurma-0055]
