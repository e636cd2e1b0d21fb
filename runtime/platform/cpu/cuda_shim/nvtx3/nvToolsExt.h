// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where CUDA has NVTX since version 10.
#include "../nvToolsExt.h"
