// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assembly in a kernel of a region that may do more than make numbers of numbers: it names memory or registers, leaves, or waits.
// RUN: not %gpurmacc_cpu -fsyntax-only '-DASSEMBLY=asm("mul.lo.u32 %%0, %%1, 2;" : "=r"(a) : "r"(x), "l"(out))' %s 2>&1 | %filecheck %s
// RUN: not %gpurmacc_cpu -fsyntax-only '-DASSEMBLY=asm("ld.global.u32 %%0, [%%1];" : "=r"(a) : "r"(x))' %s 2>&1 | %filecheck %s
// RUN: not %gpurmacc_cpu -fsyntax-only '-DASSEMBLY=asm("movl (%%1), %%0" : "=r"(a) : "r"(x))' %s 2>&1 | %filecheck %s
// RUN: not %gpurmacc_cpu -fsyntax-only '-DASSEMBLY=asm("mov.u32 %%0, %%%%ctaid.x;" : "=r"(a))' %s 2>&1 | %filecheck %s
// RUN: not %gpurmacc_cpu -fsyntax-only '-DASSEMBLY=asm("exit;" : "=r"(a))' %s 2>&1 | %filecheck %s
// RUN: not %gpurmacc_cpu -fsyntax-only '-DASSEMBLY=asm("bar.sync 0;" : "=r"(a))' %s 2>&1 | %filecheck %s
// RUN: not %gpurmacc_cpu -fsyntax-only '-DASSEMBLY=asm("" : "=r"(a) :: "memory")' %s 2>&1 | %filecheck %s
// RUN: not %gpurmacc_cpu -fsyntax-only '-DASSEMBLY=asm goto("" :::: there); there:' %s 2>&1 | %filecheck %s
// RUN: %gpurmacc_cpu -fsyntax-only '-DASSEMBLY=asm("mul.lo.u32 %%0, %%1, 2;" : "=r"(a) : "r"(x))' %s

__global__ void computes(float* out, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int a = 0;
  if (x >= nx || y >= ny)
    return;
  // CHECK: :[[@LINE+1]]:3: error: this statement is not understood in a kernel of a persistent region; use structured control flow [gpurma-0209]
  ASSEMBLY;
  out[y * nx + x] = a;
}
void run(float* u, int ny, int nx, dim3 grid, dim3 block) {
#pragma gpurma persistent distribute(u : rows(ny, nx))
  for (int step = 0; step < 6; ++step)
    computes<<<grid, block>>>(u, ny, nx);
}
