// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Processes that come to different collectives, or launch different kernels: the error says what each of them is at.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=2 not %mpirun -np 2 %t window 2>&1 | FileCheck %s --check-prefix=WINDOW
// RUN: env GPURMA_CPU_RANKS=2 not %mpirun -np 3 %t scope 2>&1 | FileCheck %s --check-prefix=SCOPE
// RUN: env GPURMA_CPU_RANKS=2 not %mpirun -np 2 %t end 2>&1 | FileCheck %s --check-prefix=END
// RUN: env GPURMA_CPU_RANKS=2 not %mpirun -np 2 %t kernel 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_TIMEOUT=1 not %mpirun -np 1 %t communicator 2>&1 | FileCheck %s --check-prefix=COMMUNICATOR
#include <cstring>
#include <gpurma/gpurma.h>

__global__ void window(int *memory) {
  if (gpurma::rank() < gpurma::device_size()) {
// WINDOW-DAG: processes disagree: the ranks of process {{[01]}} are at: {{.*}}barrier at {{.*}}different_collectives.cu:[[#@LINE+1]]{{; (those|all)}}
#pragma gpurma barrier
  } else {
// WINDOW-DAG: window world #1 at {{.*}}different_collectives.cu:[[#@LINE+1]]{{; (those|all)}}
#pragma gpurma window(w = memory[0:8])
  }
}

__global__ void scope(int *memory) {
  if (gpurma::rank() < gpurma::device_size()) {
    {
// SCOPE-DAG: window (end of its scope) world #1 at {{.*}}different_collectives.cu:[[#@LINE+1]]{{; (those|all)}}
#pragma gpurma window(w = memory[0:8])
    }
#pragma gpurma barrier
  } else {
#pragma gpurma window(w = memory[0:8])
// SCOPE-DAG: barrier at {{.*}}different_collectives.cu:[[#@LINE+1]]; {{(those of process [0-9] are at|all ranks come to barriers, to windows and to the ends of their scopes in the same order)}}
#pragma gpurma barrier
  }
}

__global__ void end() {
  if (gpurma::rank() < gpurma::device_size()) {
// END-DAG: barrier at {{.*}}different_collectives.cu:[[#@LINE+1]]{{; (those|all)}}
#pragma gpurma barrier
  }
// END-DAG: are at: end of the kernel; {{those|all}}
}

// KERNEL: processes disagree: process {{[01]}} is at: launch of a rank kernel: {{one|two}}(int); process {{[01]}} is at: launch of a rank kernel: {{one|two}}(int); all processes must do the same in the same order
__global__ void one(int) {
#pragma gpurma barrier
}

__global__ void two(int) {
#pragma gpurma barrier
}

__global__ void communicator() {
  if (gpurma::rank() == 0) {
// COMMUNICATOR-DAG: 0 barrier comm(device) {{.*}}different_collectives.cu:[[#@LINE+1]] - -
#pragma gpurma barrier comm(device)
  } else {
// COMMUNICATOR-DAG: 1 barrier comm(world) {{.*}}different_collectives.cu:[[#@LINE+1]] - -
#pragma gpurma barrier
  }
}

int main(int argc, char **argv) {
  const auto layout = gpurma::query(one, 32);
  const auto is = [&](const char *name) { return argc > 1 && std::strcmp(argv[1], name) == 0; };
  int *memory = nullptr;
  cudaMalloc(&memory, 8 * sizeof(int));
  if (is("window"))
    window<<<2, 32>>>(memory);
  if (is("scope"))
    scope<<<2, 32>>>(memory);
  if (is("end"))
    end<<<2, 32>>>();
  if (is("communicator"))
    communicator<<<2, 32>>>();
  if (is("kernel") && layout.process == 0)
    one<<<2, 32>>>(1);
  if (is("kernel") && layout.process != 0)
    two<<<2, 32>>>(2);
  return cudaDeviceSynchronize() != cudaSuccess;
}
