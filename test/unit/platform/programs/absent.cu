// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each part of this file uses something that the CPU target does not provide.
#include <cuda_runtime.h>

#ifdef ABSENT_HEADER
#include ABSENT_HEADER
#endif

#ifdef ABSENT_cudaGraphCreate
int main() { return cudaGraphCreate(nullptr, 0); }
#endif

#ifdef ABSENT_tex2D
__global__ void kernel(float* out) { *out = tex2D<float>(1, 0.5f, 0.5f); }
#endif

#ifdef ABSENT___fadd_rz
__global__ void kernel(float* out) { *out = __fadd_rz(out[1], out[2]); }
#endif

#ifdef ABSENT___shfl
__global__ void kernel(int* out) { *out = __shfl(out[threadIdx.x], 0); }
#endif

#ifdef ABSENT_cuLaunchKernel
#include <cuda.h>
int main() { return cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr); }
#endif

#ifdef ABSENT_this_cluster
#include <cooperative_groups.h>
__global__ void kernel(int* out) { *out = cooperative_groups::this_cluster(); }
#endif

#ifdef ABSENT_erfinv
__global__ void kernel(double* out) { *out = erfinv(out[1]); }
#endif
