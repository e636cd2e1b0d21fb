// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: nvcc
// What dot products in one dimension become is compiled by nvcc without a warning, and CUDA's headers are understood as the CPU
// target's are.
// RUN: %check_cuda --Werror all-warnings -c %S/region-dot.cu -o %t.o
// RUN: %gpurmacc_cuda -arch=sm_90 --gpurma-print-after=InferStages --gpurma-emit-source=%t.lowered.cu %S/region-dot.cu | FileCheck %s
// CHECK: stage by_elements: rows y of parts of blocks in one dimension; reads a (own); adds to *sum
// CHECK: stage by_grids: rows y of parts of blocks in one dimension; reads a (own); reads b (own); adds to *sum
