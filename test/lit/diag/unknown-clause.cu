// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel() {
#pragma gpurma notify(1) tag(2) asynchronously(true)
}

// CHECK: :[[@LINE-3]]:33: error: unknown clause 'asynchronously' of 'notify'; it takes 'tag', 'on', 'if' [gpurma-0006]
