// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel(int* data) {
#pragma gpurma broadcast(data[0:4])
}

// CHECK: :[[@LINE-3]]:16: error: unknown gpurma directive 'broadcast'; there are 'window', 'put', 'get', 'notify', 'wait', 'test', 'flush', 'barrier', 'persistent', 'host' [gpurma-0002]
