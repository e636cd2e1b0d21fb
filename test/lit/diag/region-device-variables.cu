// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flags and sums that are variables of the device: what to write instead is said where they are named.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck --implicit-check-not=error: %s
// RUN: not %gpurmacc_cpu -fsyntax-only -DCLAUSES %s 2>&1 | %filecheck --check-prefix=CLAUSES-CHECK --implicit-check-not=error: %s
// RUN: not %gpurmacc_cpu -fsyntax-only -DCOPIES %s 2>&1 | %filecheck --check-prefix=COPIES-CHECK --implicit-check-not=error: %s
__device__ int changed;
__managed__ bool done;
__device__ double total;
__device__ float table[16];

__global__ void relax(float* out, const float* in, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= n)
    return;
  out[x] = in[x] / 2;
#if !defined(CLAUSES) && !defined(COPIES)
  // CHECK: :[[@LINE+2]]:5: error: 'changed' is written here, but each process has a copy of its own; as a variable of the device it can be neither distributed nor reduced [gpurma-0206]
  // CHECK: :[[@LINE+1]]:5: note: reduced is what kernels are passed a pointer to: give them a parameter 'int *its_changed' and its address, which 'cudaGetSymbolAddress' finds before the region ('&changed', if it is __managed__), and write '*its_changed' in kernels, 'reduce' and region, with 'cudaMemcpy' for copies
    changed = 1;
  // CHECK: :[[@LINE+2]]:5: error: 'done' is written here, {{.*}} [gpurma-0206]
  // CHECK: :[[@LINE+1]]:5: note: {{.*}} 'bool *its_done' and its address, {{.*}}
    done = false;
  // CHECK: error: 'total' is written here, {{.*}} [gpurma-0206]
  // CHECK: note: {{.*}} 'double *its_total' and its address, {{.*}}
  atomicAdd(&total, 1.0);
  // CHECK: error: 'table' is written here, {{.*}}; as a variable of the device it can be neither distributed nor reduced [gpurma-0206]
  // CHECK-NOT: note: reduced is what
  table[x % 16] = 1;
#endif
}

void run(float* u, float* v, int n) {
#ifdef CLAUSES
  // CLAUSES-CHECK: :[[@LINE+4]]:67: error: 'changed' is a variable of the device [gpurma-0134]
  // CLAUSES-CHECK: :[[@LINE+3]]:67: note: reduced is what kernels are passed a pointer to: give them a parameter 'int *its_changed' and its address, {{.*}}
  // CLAUSES-CHECK: :[[@LINE+2]]:87: error: 'total' is a variable of the device [gpurma-0134]
  // CLAUSES-CHECK: :[[@LINE+1]]:87: note: reduced is what
#pragma gpurma persistent distribute(u, v : rows(n)) reduce(max : changed) reduce(+ : total)
#else
#pragma gpurma persistent distribute(u, v : rows(n))
#endif
  for (int h = 1; h;) {
#ifdef COPIES
    // COPIES-CHECK: :[[@LINE+2]]:5: error: 'cudaMemcpyToSymbol' cannot be called in a persistent region; pass kernels the value as an argument, or let the host call it, '#pragma gpurma host' [gpurma-0128]
    // COPIES-CHECK: :[[@LINE+1]]:5: note: reduced is what kernels are passed a pointer to: give them a parameter 'int *its_changed' and its address, {{.*}}
    cudaMemcpyToSymbol(changed, &h, sizeof h);
    // COPIES-CHECK: :[[@LINE+2]]:5: error: 'cudaMemcpyFromSymbol' cannot be called
    // COPIES-CHECK: :[[@LINE+1]]:5: note: reduced is what
    cudaMemcpyFromSymbol(&h, changed, sizeof h);
#endif
    relax<<<n / 32 + 1, 32>>>(v, u, n);
    relax<<<n / 32 + 1, 32>>>(u, v, n);
  }
}
