// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What turns CUDA C++ into C++ for the CPU target, beyond launches:
//
//   __shared__ float t[32];          ->  typedef float gpurma_t_0[32]; struct gpurma_key_t;
//                                        gpurma_t_0& t = ::gpurma::cpu::shared_variable<gpurma_t_0, gpurma_key_t>();
//   extern __shared__ float s[];     ->  typedef float gpurma_s_1[]; gpurma_s_1& s = ::gpurma::cpu::dynamic_shared<gpurma_s_1>();
//   __device__ float f(float);       ->  [[maybe_unused]] static __device__ float f(float);
//   __global__ void k();             ->  at the end of the file: static const ::gpurma::registered_kernel gpurma_kernel_2(::k);
//
// The third, also made for variables, because without relocatable device code (-rdc=true, which leaves it out) device functions and
// variables belong to their translation unit.
#ifndef GPURMA_PASSES_CPUEDITS_H
#define GPURMA_PASSES_CPUEDITS_H

#include "Pass.h"

namespace gpurma {

void addCpuEdits(Unit &U, Program &P);

} // namespace gpurma

#endif // GPURMA_PASSES_CPUEDITS_H
