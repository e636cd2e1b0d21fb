// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel() {
#pragma gpurma wait tagg(2)
}

// CHECK: :[[@LINE-3]]:21: error: unknown clause 'tagg' of 'wait'; did you mean 'tag'? [gpurma-0007]
// CHECK: fix-it:{{.*}}:{[[@LINE-4]]:21-[[@LINE-4]]:25}:"tag"
