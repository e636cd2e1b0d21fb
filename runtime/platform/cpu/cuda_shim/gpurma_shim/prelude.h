// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The standard headers whose functions CUDA lets device code call, and what the frontend needs to know of them.
#ifndef GPURMA_SHIM_PRELUDE_H
#define GPURMA_SHIM_PRELUDE_H

#include "../host_defines.h"

#if GPURMA_PARSE
#include "device_declarations.h"
#endif

#include <math.h>
#include <stdlib.h>

#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#endif
