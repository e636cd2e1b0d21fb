// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime knows of the program's device memory, for networks that access it themselves.
#ifndef GPURMA_HOST_ALLOCATIONS_H
#define GPURMA_HOST_ALLOCATIONS_H

#include <string>

#include "transport/transport.h"

namespace gpurma::host {

// The allocation that holds an address, and a dma-buf of one; see memory_questions. Neither waits
// for a kernel.
allocation find_allocation(const void* address);
int export_dmabuf(const allocation& of, std::string& reason);

// Makes what network devices have written into the GPU's memory visible to a kernel that runs
// there, before it is told of it. Nothing where the GPU orders such writes by itself.
void flush_network_writes();

} // namespace gpurma::host

#endif
