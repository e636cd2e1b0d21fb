// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GPURMA_HOST_LAUNCH_H
#define GPURMA_HOST_LAUNCH_H

#include <cuda_runtime.h>

#include <cstddef>
#include <optional>
#include <string>

namespace gpurma::host {

// Runs a rank kernel on the default stream, from its beginning to its end. The host waits anyway,
// so that nothing of it goes through functions of the stream, each of which takes 20 to 300 us to
// be called. `ranks`: at least one, and no more than fit. Collective, as any launch of a rank
// kernel; `what` is the same on all processes.
cudaError_t run_to_end(const void* kernel, const std::string& what, int ranks, dim3 block,
                       void** arguments, std::size_t shared_bytes);

// A launch by one of CUDA's functions, wherever the program calls it: gpurma::launch of a rank
// kernel, none for others, for empty grids and blocks, and for what the library launches itself.
std::optional<cudaError_t> launch_if_rank_kernel(const void* kernel, dim3 grid, dim3 block,
                                                 void** arguments, std::size_t shared_bytes,
                                                 cudaStream_t stream);

} // namespace gpurma::host

#endif
