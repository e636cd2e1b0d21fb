// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: nvcc
// What numbers of blocks become is compiled by nvcc without a warning, and CUDA's headers are understood as the CPU target's are.
// RUN: %check_cuda --Werror all-warnings -c %S/region-block-numbers.cu -o %t.o
// RUN: %gpurmacc_cuda -arch=sm_90 --gpurma-print-after=InferStages --gpurma-emit-source=%t.lowered.cu %S/region-block-numbers.cu | FileCheck %s
// CHECK: stage step: rows y; writes out (own), not published; reads in (y -1..0); adds to *partial; *partial first in each thread; s first over all tiles
