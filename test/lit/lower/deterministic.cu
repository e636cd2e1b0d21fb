// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same input gives the same text, for the output and for what --gpurma-print-after prints.
// RUN: %lower_cpu --gpurma-print-after=all %s > %t.first
// RUN: %lower_cpu --gpurma-print-after=all %s > %t.second
// RUN: cmp %t.first %t.second
// Also of a region that names many variables.
// RUN: %lower_cpu %S/../exec/region_local_types.cu > %t.first
// RUN: %lower_cpu %S/../exec/region_local_types.cu > %t.second
// RUN: cmp %t.first %t.second
// RUN: %gpurmacc_cpu --gpurma-print-after=CollectDirectives --gpurma-emit-source=%t.cu %s | FileCheck %s
// RUN: %gpurmacc_cpu --gpurma-print-after=PersistKernels --gpurma-emit-source=%t.cu %s | FileCheck %s --check-prefix=TEXT

template <class T> __device__ void exchange(T *data) {
// CHECK: // after CollectDirectives
// CHECK-NEXT: // directives:
// CHECK-NEXT: deterministic.cu:[[@LINE+1]]:16: window(w = data[0:4]) comm(device) in exchange{{$}}
#pragma gpurma window(w = data[0:4]) comm(device)
// CHECK-NEXT: deterministic.cu:[[@LINE+1]]:16: put(data[:1]) to(1) at(w[0]) notify(2) in exchange{{$}}
#pragma gpurma put(data[:1]) to(1) at(w[0]) notify(2)
// CHECK-NEXT: deterministic.cu:[[@LINE+1]]:16: wait tag(any) count(3) in exchange{{$}}
#pragma gpurma wait tag(any) count(3)
}
// TEXT: // after PersistKernels
// TEXT: #pragma gpurma wait tag(any) count(3)
// TEXT: __global__ void kernel(float *f, int *i) { ::gpurma::rank_scope gpurma_rank_scope_;
__global__ void kernel(float *f, int *i) {
  exchange(f);
  exchange(i);
}
