// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of the program that become a CUDA graph instead of being run
// (stages::make_launch_recorder).
#ifndef GPURMA_HOST_LAUNCH_GRAPH_H
#define GPURMA_HOST_LAUNCH_GRAPH_H

#include <cuda_runtime.h>

namespace gpurma::host {

// Counts a launch of the calling thread, and says to which stream it goes: one that is captured
// while launches are recorded, or its own.
cudaStream_t stream_of_launch(cudaStream_t stream);

} // namespace gpurma::host

#endif
