// A cooperative launch of an ordinary kernel stays one: its grid can synchronise.
// RUN: %lower_cpu %s | %filecheck %s --check-prefix=LOWERED
// RUN: %gpurmacc_cpu %s -o %t
// RUN: %t | %filecheck %s
// CHECK: 4 of 4 blocks before the barrier
#include <cooperative_groups.h>
#include <cstdio>

__global__ void count_blocks(int* arrived, int* seen) {
  if (threadIdx.x == 0)
    atomicAdd(arrived, 1);
  cooperative_groups::this_grid().sync();
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *seen = *arrived;
}

int main() {
  int *arrived, *seen;
  cudaMallocManaged(&arrived, sizeof(int));
  cudaMallocManaged(&seen, sizeof(int));
  *arrived = *seen = 0;
  void* arguments[] = {&arrived, &seen};
  // LOWERED: ::gpurma::launch_cooperative_kernel((void*)count_blocks, dim3(4), dim3(8), arguments, 0, nullptr)
  cudaError_t launched = cudaLaunchCooperativeKernel((void*)count_blocks, dim3(4), dim3(8), arguments, 0, nullptr);
  if (launched != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  std::printf("%d of 4 blocks before the barrier\n", *seen);
}
