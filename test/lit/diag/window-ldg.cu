// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel(float* a, float* out) {
#pragma gpurma window(w = a[0:16])
#pragma gpurma wait tag(1)
  out[0] = __ldg(a) + __ldg(&a[1]) + __ldg(a + 2);
}

// CHECK: :[[@LINE-3]]:12: error: '__ldg' reads window memory through the non-coherent cache and may never see what other ranks put [gpurma-0111]
// CHECK: fix-it:{{.*}}:{[[@LINE-4]]:12-[[@LINE-4]]:20}:"*a"
// CHECK: :[[@LINE-5]]:23: error: '__ldg' reads window memory through the non-coherent cache and may never see what other ranks put [gpurma-0111]
// CHECK: fix-it:{{.*}}:{[[@LINE-6]]:23-[[@LINE-6]]:35}:"a[1]"
// CHECK: :[[@LINE-7]]:38: error: '__ldg' reads window memory through the non-coherent cache and may never see what other ranks put [gpurma-0111]
// CHECK: fix-it:{{.*}}:{[[@LINE-8]]:38-[[@LINE-8]]:50}:"*(a + 2)"
