// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Macros within clauses stay as written; macros that make up a clause are expanded; _Pragma is replaced where it is written.
// RUN: %lower_cpu %s | %filecheck %s
// RUN: %gpurmacc_cpu -Wall -Werror %s -o %t && env GPURMA_CPU_RANKS=2 timeout 60 %t | FileCheck %s --check-prefix=EXEC

#include <cstdio>

#define TAG(n) (10 + (n))
#define COUNT 1
#define PARTNER (gpurma::rank() ^ 1)
#define MATCH_ANYTHING tag(any) from(any)
#define SECTION(p) p[0:COUNT]
#define from broken by a macro of this name
// CHECK: #define ARRIVED() do { ::gpurma::wait<::gpurma::matching::queue>(13, ::gpurma::any_source, ::gpurma::any_window, 1, {{.*}}); } while (false)
#define ARRIVED() do { _Pragma("gpurma wait tag(13)") } while (false)
// CHECK: #define MEET ::gpurma::barrier(::gpurma::comm::world, {{.*}});{{$}}
#define MEET _Pragma("gpurma barrier")
// CHECK: #define MEET_AS(n) ::gpurma::barrier(::gpurma::comm::world, {{.*}});{{$}}
#define MEET_AS(n) _Pragma("gpurma barrier")
#define MEET_TWICE MEET MEET_AS(1)
// CHECK: #define LAUNCH(kernel, ...) ::gpurma::launch(kernel, 2, 32)(__VA_ARGS__)
#define LAUNCH(kernel, ...) kernel<<<2, 32>>>(__VA_ARGS__)
#define SUCCESS(call) (call, cudaGetLastError() == cudaSuccess)
#define RUN_BLOCK(...) __VA_ARGS__

__global__ void first(int *cells) {
  int *mine = cells + 2 * gpurma::rank();
#pragma gpurma window(w = mine[0:COUNT])
  if (threadIdx.x == 0) mine[1] = 100 + gpurma::rank();
  __syncthreads();
  // CHECK: ::gpurma::put_notify<::gpurma::matching::queue>(mine + (COUNT), COUNT, PARTNER, w, 0, TAG(1),
#pragma gpurma put(mine[COUNT:COUNT]) to(PARTNER) at(w[0]) notify(TAG(1))
  // CHECK: ::gpurma::wait<::gpurma::matching::queue>(::gpurma::any_tag, ::gpurma::any_source,
#pragma gpurma wait MATCH_ANYTHING
  // CHECK: ::gpurma::put_notify<::gpurma::matching::queue>(mine + (0), 1, PARTNER, w, 0, TAG(2),
#pragma gpurma put(SECTION(mine)) to(PARTNER) at(w[0]) notify(TAG(2)) if(false)
  // CHECK: ::gpurma::notify<::gpurma::matching::queue>({{.*}}rank() ^ 1), 13, ::gpurma::no_window,
  _Pragma("gpurma notify(PARTNER) tag(13)")
  ARRIVED();
  // CHECK: ::gpurma::notify<::gpurma::matching::queue>(PARTNER, 13, ::gpurma::no_window,
#pragma gpurma notify(PARTNER) tag(13)
  ARRIVED();
  // CHECK: {{^}}  MEET{{$}}
  MEET
  // CHECK: {{^}}  MEET_AS(2){{$}}
  MEET_AS(2)
  MEET_TWICE
  // CHECK: RUN_BLOCK(::gpurma::barrier(::gpurma::comm::world, {{.*}});)
  RUN_BLOCK(_Pragma("gpurma barrier"))
}

__global__ void second(int *cells, int) { cells[0] += 1000; }

int main() {
  int *cells;
  cudaMallocManaged(&cells, 4 * sizeof(int));
  LAUNCH(first, cells);
  LAUNCH(second, cells, 1);
  // CHECK: bool good = SUCCESS((::gpurma::launch(second, 1, 1)(cells, 2)));
  bool good = SUCCESS((second<<<1, 1>>>(cells, 2)));
  // CHECK: RUN_BLOCK(::gpurma::launch(second, 1, 1)(cells, 3);)
  RUN_BLOCK(second<<<1, 1>>>(cells, 3);)
  cudaDeviceSynchronize();
  // EXEC: 1 {{[2-9]}}{{[0-9]+}} 100
  std::printf("%d %d %d\n", good, cells[0], cells[2]);
}
