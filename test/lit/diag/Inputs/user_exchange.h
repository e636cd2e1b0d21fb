// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <gpurma/gpurma.h>
__device__ inline void exchange(int partner) {
#pragma gpurma notify(partner) tag(1)
}
