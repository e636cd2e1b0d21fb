// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Headers with directives, and the headers that include them, are rewritten into a directory of their own; others stay.
// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: %gpurmacc_cpu --gpurma-emit-source=%t.dir/out.cu %s
// RUN: grep -v CHECK %t.dir/out.cu | %filecheck %s
// RUN: find %t.dir -name '*.h' | sort | FileCheck %s --check-prefix=FILES
// RUN: find %t.dir -name exchange.h -exec cat {} + | FileCheck %s --check-prefix=HEADER
// RUN: find %t.dir -name outer.h -exec cat {} + | FileCheck %s --check-prefix=OUTER
// RUN: %gpurmacc_cpu -Wall -Werror %s -o %t && env GPURMA_CPU_RANKS=2 timeout 60 %t | FileCheck %s --check-prefix=EXEC
// RUN: %gpurmacc_cpu -c -MD -MF %t.d %s -o %t.o && FileCheck %s --check-prefix=DEPS --input-file=%t.d
// DEPS-DAG: {{[/ ]}}headers.cu
// DEPS-DAG: Inputs/outer.h
// DEPS-DAG: exchange.h
// DEPS-DAG: constants.h
// DEPS-DAG: plain.h

// FILES: {{/Inputs/nested/exchange.h$}}
// FILES-NEXT: {{/Inputs/outer.h$}}
// FILES-NOT: .h
// OUTER: #line 1 "{{.*}}Inputs/outer.h"
// OUTER: #include "{{/.*}}/Inputs/plain.h"
// OUTER: #include "{{.*}}.dir/{{.*}}/Inputs/nested/exchange.h"
// HEADER: #line 1 "{{.*}}exchange.h"
// HEADER: #include "{{/.*}}plain.h"
// HEADER: #include "{{/.*}}nested/constants.h"
// HEADER: ::gpurma::put_notify<::gpurma::matching::queue>(from + (0), 1, gpurma::rank() ^ 1, w, 0, tag,
// HEADER: {{\[\[}}maybe_unused]] static __device__ int doubled(int value)

// CHECK: #include "{{.*}}.dir/{{.*}}/Inputs/outer.h"
#include "Inputs/outer.h"
// CHECK: #include "Inputs/plain.h"
#include "Inputs/plain.h"
#include <cstdio>

__global__ void kernel(int *cells) {
  int *mine = cells + 2 * gpurma::rank();
#pragma gpurma window(w = mine[0:1])
  if (threadIdx.x == 0) mine[1] = exchange::doubled(gpurma::rank() + 10);
  __syncthreads();
  exchange::both(w, mine + 1);
}

int main() {
  int *cells;
  cudaMallocManaged(&cells, 4 * sizeof(int));
  kernel<<<2, 32>>>(cells);
  cudaDeviceSynchronize();
  // EXEC: 22 20
  std::printf("%d %d\n", cells[0], cells[2]);
}
// CHECK: static const ::gpurma::source_file gpurma_source_file_0({{.*}}exchange.h"); static const ::gpurma::source_file gpurma_source_file_1({{.*}}headers.cu");
