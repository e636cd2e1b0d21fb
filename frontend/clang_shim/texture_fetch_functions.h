// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang 19's CUDA wrapper includes this header of the toolkit, which CUDA 13 no longer has.
