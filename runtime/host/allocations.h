// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime knows of the program's device memory, for networks that access it themselves.
#ifndef GPURMA_HOST_ALLOCATIONS_H
#define GPURMA_HOST_ALLOCATIONS_H

#include "transport/transport.h"

namespace gpurma::host {

// The allocation that holds an address; its base is 0 if there is none. Waits for no kernel.
allocation find_allocation(const void* address);

} // namespace gpurma::host

#endif
