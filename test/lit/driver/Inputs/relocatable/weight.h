// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
extern __constant__ float factor[2];
extern __device__ int calls;
__device__ float weight(int i);
