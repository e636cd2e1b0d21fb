// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec.h"
#include "tell.h"

void run_by_tag(int ranks, int *memory);

__global__ void by_source(int *memory) {
  int *own = memory + 2 * gpurma::device_rank();
  const int left = (gpurma::rank() + gpurma::size() - 1) % gpurma::size();
#pragma gpurma window(w = own[0 : 2])
  tell(w, own);
  tell_tag();
#pragma gpurma wait tag(7) from(left)
#pragma gpurma wait tag(8) from(left)
}

int main() {
  auto layout = gpurma::query(by_source, 32);
  int *memory = managed<int>(2 * layout.device_ranks), *failures = managed<int>(1);
  run_by_tag(layout.device_ranks, memory);
  by_source<<<layout.device_ranks, 32>>>(memory);
  return finish("shared_header", layout, failures);
}
