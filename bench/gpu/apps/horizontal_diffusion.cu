// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// examples/horizontal_diffusion for speed: the four stencils are one, so that a step has one
// exchange of two rows instead of three of one.
//
//   mpirun -np 2 horizontal_diffusion 512x512x32:200

#include "horizontal_diffusion.h"
#include "rank_tiles.h"

int main(int argc, char** argv) {
  return measure_app<horizontal_diffusion, shape<320, 2>, shape<512, 1>>(argc, argv);
}
