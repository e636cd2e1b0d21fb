// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

void exchange(int partner) {
#pragma gpurma notify(partner) tag(1)
}
__host__ __device__ void both(int partner) {
#pragma gpurma notify(partner) tag(2)
}

// CHECK: :[[@LINE-6]]:16: error: directive 'notify' must stand in a __global__ or __device__ function; 'exchange' runs on the host [gpurma-0100]
// CHECK: :[[@LINE-4]]:16: error: directive 'notify' must stand in a __global__ or __device__ function; 'both' may also run on the host [gpurma-0100]
