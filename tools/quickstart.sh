#!/bin/sh
# Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# From a clean clone on Debian 12 to a running program: installs what is missing, builds gpurma in build/, compiles an example
# with gpurmacc for the CPU target and runs it on two processes.
set -eu
cd "$(dirname "$0")/.."
. tools/install-packages.sh
install_missing_packages tools/debian-packages.txt
allow_mpirun_here
jobs=$(nproc)

cmake --preset release -DGPURMA_BUILD_TESTS=OFF
cmake --build --preset release --parallel "$jobs" --target gpurma_installation

example=examples/horizontal_diffusion
out=build/quickstart
mkdir -p "$out"
run() {
  echo "$*"
  "$@"
}
echo
run build/bin/gpurmacc --gpurma-target=cpu -O3 "$example"/horizontal_diffusion.cu "$example"/image.cpp -o "$out"/horizontal_diffusion
run mpirun -np 2 "$out"/horizontal_diffusion --nx 512 --ny 512 --nz 16 --image-prefix "$out"/field
