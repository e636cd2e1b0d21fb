// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One of each row of the lowering table in docs/architecture.md, with and without each optional clause.
// RUN: %lower_cpu %s | %filecheck %s
// RUN: %gpurmacc_cpu %s -o %t && env GPURMA_CPU_RANKS=4 timeout 60 %t | FileCheck %s --check-prefix=EXEC

#include <cstdio>

// CHECK: __global__ void everything(int *cells, int *work, unsigned *wrong) { ::gpurma::rank_scope gpurma_rank_scope_;
__global__ void everything(int *cells, int *work, unsigned *wrong) {
  int rank = gpurma::rank(), size = gpurma::size();
  int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int *mine = cells + rank * 4, *buffer = work + rank * 4;
// CHECK: ::gpurma::window w(mine + (0), 4, ::gpurma::comm::world, ::gpurma::site{0x[[FILE:[0-9a-f]+]]u, [[@LINE+1]]});
#pragma gpurma window(w = mine[0:4])
// CHECK: ::gpurma::window d(mine, 4, ::gpurma::comm::device, ::gpurma::site{0x[[FILE]]u, [[@LINE+1]]});
#pragma gpurma window(d = mine[:4]) comm(device) match(auto)
  if (threadIdx.x == 0)
    for (int i = 0; i < 4; ++i) {
      mine[i] = -1;
      buffer[i] = 10 * rank + i;
    }
  __syncthreads();
// CHECK: ::gpurma::barrier(::gpurma::comm::world, ::gpurma::site{0x[[FILE]]u, [[@LINE+1]]});
#pragma gpurma barrier
// CHECK: ::gpurma::barrier(::gpurma::comm::device, ::gpurma::site{0x[[FILE]]u, [[@LINE+1]]});
#pragma gpurma barrier comm(device)
// CHECK: ::gpurma::put(buffer + (0), 1, right, w, 0, ::gpurma::site{0x[[FILE]]u, [[@LINE+1]]});
#pragma gpurma put(buffer[0:1]) to(right) at(w[0])
// CHECK: ::gpurma::put_notify<::gpurma::matching::queue>(buffer + (1), 1, right, w, 1, 3, ::gpurma::site{0x[[FILE]]u, [[@LINE+1]]});
#pragma gpurma put(buffer[1:1]) to(right) at(w[1]) notify(3)
// CHECK: if (size > 1000000) ::gpurma::put_notify<::gpurma::matching::queue>(buffer, 2, right, w, 0, 99,
#pragma gpurma put(buffer[:2]) to(right) at(w[0]) notify(99) if(size > 1000000)
// CHECK: ::gpurma::wait<::gpurma::matching::queue>(3, left, w, 1, ::gpurma::site{0x[[FILE]]u, [[@LINE+1]]});
#pragma gpurma wait tag(3) from(left) on(w) count(1)
  if (threadIdx.x == 0 && (mine[0] != 10 * left || mine[1] != 10 * left + 1)) atomicAdd(wrong, 1u);
// CHECK: ::gpurma::notify<::gpurma::matching::queue>(right, 4, ::gpurma::no_window, ::gpurma::site
#pragma gpurma notify(right) tag(4)
// CHECK: ::gpurma::notify<::gpurma::matching::queue>(right, 5, w, ::gpurma::site
#pragma gpurma notify(right) tag(5) on(w)
// CHECK: ::gpurma::wait<::gpurma::matching::queue>(::gpurma::any_tag, ::gpurma::any_source, ::gpurma::any_window, 1, ::gpurma::site
#pragma gpurma wait
// CHECK: ::gpurma::wait<::gpurma::matching::queue>(::gpurma::any_tag, ::gpurma::any_source, ::gpurma::any_window, 1, ::gpurma::site
#pragma gpurma wait tag(any) from(any) on(any)
// CHECK: ::gpurma::get(buffer + (2), 1, right, w, 0, ::gpurma::site
#pragma gpurma get(buffer[2:1]) from(right) at(w[0])
// CHECK: ::gpurma::flush(w, ::gpurma::site
#pragma gpurma flush on(w)
  if (threadIdx.x == 0 && buffer[2] != 10 * rank) atomicAdd(wrong, 1u);
// CHECK: ::gpurma::get_notify<::gpurma::matching::queue>(buffer + (3), 1, right, w, 1, 6, ::gpurma::site
#pragma gpurma get(buffer[3:1]) from(right) at(w[1]) notify(6)
// CHECK: ::gpurma::flush(::gpurma::any_window, ::gpurma::site
#pragma gpurma flush
  bool flag = false;
  while (gpurma::uniform(!flag)) {
// CHECK: flag = ::gpurma::test<::gpurma::matching::queue>(6, ::gpurma::any_source, ::gpurma::any_window, 1, ::gpurma::site
#pragma gpurma test(flag) tag(6)
  }
// CHECK: if (rank < 0) flag = ::gpurma::test<::gpurma::matching::queue>(::gpurma::any_tag, left, ::gpurma::any_window, 2,
#pragma gpurma test(flag) from(left) count(2) if(rank < 0)
// CHECK: } static const ::gpurma::rank_kernel gpurma_rank_kernel_0(everything);
}

int main() {
  gpurma::layout ranks = gpurma::query(everything, dim3(32));
  int *cells, *work;
  unsigned *wrong;
  cudaMallocManaged(&cells, ranks.device_ranks * 4 * sizeof(int));
  cudaMalloc(&work, ranks.device_ranks * 4 * sizeof(int));
  cudaMallocManaged(&wrong, sizeof(unsigned));
  *wrong = 0;
  // CHECK: ::gpurma::launch(everything, ranks.device_ranks, 32)(cells, work, wrong);
  everything<<<ranks.device_ranks, 32>>>(cells, work, wrong);
  // EXEC: no error, 0 wrong
  std::printf("%s, %u wrong\n", cudaGetErrorString(cudaDeviceSynchronize()), *wrong);
}
// CHECK: static const ::gpurma::source_file gpurma_source_file_0(0x[[FILE]]u, "{{.*}}every-directive.cu");
