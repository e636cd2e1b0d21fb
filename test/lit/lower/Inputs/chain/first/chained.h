// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include_next <chained.h>
#define CHAIN (1 + CHAINED)
__device__ void meet() {
#pragma gpurma barrier
}
