// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gpurma: remote memory access with notifications from inside kernels, within and between GPUs.
// This header is all that a program includes; gpurmacc includes it by itself.
#ifndef GPURMA_GPURMA_H
#define GPURMA_GPURMA_H

#include <gpurma/device.h>
#include <gpurma/launch.h>
#include <gpurma/stages.h>
#include <gpurma/types.h>

namespace gpurma {

// Starts gpurma: MPI if the run needs it and the program has not initialised it, the process's
// device, the runtime. Collective over all processes. Optional: the first query or launch of a rank
// kernel does it.
void init(int* argc = nullptr, char*** argv = nullptr);

// What the processes of a run find each other by where no launcher of MPI programs starts them: text,
// null-terminated, "host:port/token".
struct unique_id {
  char text[128];
};

// Opens a port of this machine, and names it. For the process that will be number 0, which hands it
// to the others as it likes.
unique_id make_unique_id();

// As init, for process number `process` of `processes`, without MPI (docs/runtime.md); before
// anything else of gpurma. Processes that have not come within GPURMA_TIMEOUT seconds are an error.
void init(int process, int processes, const unique_id& id);

// Waits for all rank kernels and all processes and frees what gpurma holds. Collective. Optional:
// the end of the program, or MPI_Finalize, does it. gpurma cannot be used afterwards.
void finalize();

} // namespace gpurma

#endif
