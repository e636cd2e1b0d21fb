// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// examples/jacobi2d for speed, without its norm.
//
//   mpirun -np 2 jacobi2d 4096x4096:500

#include "jacobi2d.h"
#include "rank_tiles.h"

int main(int argc, char** argv) {
  return measure_app<jacobi2d, shape<256, 3>, shape<512, 1>>(argc, argv);
}
