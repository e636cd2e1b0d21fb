// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// To nvcc a __managed__ variable is one of the device, whether or not __device__ stands beside it; Clang 19 has the attribute for HIP only.
#undef __managed__
#define __managed__ __attribute__((device))
