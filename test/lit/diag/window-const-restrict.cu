// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__device__ float sum(const float* __restrict__ halo, int n) {
  float total = 0;
  for (int i = 0; i < n; ++i)
    total += halo[i];
  return total;
}
__global__ void kernel(float* a, float* out) {
#pragma gpurma window(w = a[0:16])
#pragma gpurma wait tag(1)
  out[0] = sum(a, 16);
}

// CHECK: :[[@LINE-12]]:48: error: window memory is read through 'halo', which is 'const' and '__restrict__': the compiler may read it through the non-coherent cache and never see what other ranks put [gpurma-0110]
// CHECK: fix-it:{{.*}}:{[[@LINE-13]]:35-[[@LINE-13]]:48}:""
// CHECK: :[[@LINE-5]]:16: note: 'halo' becomes window memory here
