// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of a run that stands still says how many ranks of the device have come to a barrier; and a block that is too large is an error
// that names its kernel.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: not env GPURMA_TIMEOUT=1 GPURMA_CPU_RANKS=4 %t 2>&1 | FileCheck %s
// RUN: not %t large 2>&1 | FileCheck --check-prefix=LARGE %s
// LARGE: error: a rank kernel cannot run: 'stuck()' has no block of 2000 x 1 x 1 threads with 0 bytes of dynamic shared memory that fits on a multiprocessor; make the block smaller
__global__ void stuck() {
  if (gpurma::rank() == 0) {
    // CHECK: 0 wait {{.*}}barrier_timeout.cu:[[#@LINE+1]] any any 1 1 0
#pragma gpurma wait tag(1)
  } else {
    // CHECK-COUNT-3: barrier comm(device) {{.*}}barrier_timeout.cu:[[#@LINE+1]] - - - 4 3
#pragma gpurma barrier comm(device)
  }
}

int main(int argc, char **) {
  stuck<<<4, argc > 1 ? 2000 : 8>>>();
  return cudaDeviceSynchronize();
}
