// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tell.h"

__global__ void by_tag(int *memory) {
  int *own = memory + 2 * gpurma::device_rank();
#pragma gpurma window(w = own[0 : 2])
  tell(w, own);
  tell_tag();
#pragma gpurma wait tag(7)
#pragma gpurma wait tag(8)
}
void run_by_tag(int ranks, int *memory) { by_tag<<<ranks, 32>>>(memory); }
