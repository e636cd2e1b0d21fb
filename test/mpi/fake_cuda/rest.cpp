// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of CUDA that the host runtime links and no test with fake_cuda.h calls. Without CUDA's
// headers, so that their parameters do not matter.
#include <cstdio>
#include <cstdlib>

#define GPURMA_NOT_THERE(name)                                                                     \
  extern "C" int name() {                                                                          \
    std::fprintf(stderr, "fake CUDA: error: %s is not there\n", #name);                            \
    std::abort();                                                                                  \
  }

GPURMA_NOT_THERE(__cudaLaunchKernel_ptsz)
GPURMA_NOT_THERE(cudaDeviceCanAccessPeer)
GPURMA_NOT_THERE(cudaDeviceFlushGPUDirectRDMAWrites)
GPURMA_NOT_THERE(cudaDeviceGetByPCIBusId)
GPURMA_NOT_THERE(cudaDeviceGetP2PAttribute)
GPURMA_NOT_THERE(cudaFreeArray)
GPURMA_NOT_THERE(cudaFuncGetAttributes)
GPURMA_NOT_THERE(cudaGetSymbolAddress)
GPURMA_NOT_THERE(cudaIpcCloseMemHandle)
GPURMA_NOT_THERE(cudaIpcGetMemHandle)
GPURMA_NOT_THERE(cudaIpcOpenMemHandle)
GPURMA_NOT_THERE(cudaLaunchCooperativeKernel)
GPURMA_NOT_THERE(cudaLaunchCooperativeKernel_ptsz)
GPURMA_NOT_THERE(cudaLaunchHostFunc)
GPURMA_NOT_THERE(cudaLaunchKernelExC)
GPURMA_NOT_THERE(cudaLaunchKernelExC_ptsz)
GPURMA_NOT_THERE(cudaLaunchKernel_ptsz)
GPURMA_NOT_THERE(cudaMemcpy2D)
GPURMA_NOT_THERE(cudaMemcpy2DAsync)
GPURMA_NOT_THERE(cudaMemcpy2DAsync_ptsz)
GPURMA_NOT_THERE(cudaMemcpy2DFromArray)
GPURMA_NOT_THERE(cudaMemcpy2DFromArray_ptds)
GPURMA_NOT_THERE(cudaMemcpy2DToArray)
GPURMA_NOT_THERE(cudaMemcpy2DToArray_ptds)
GPURMA_NOT_THERE(cudaMemcpy2D_ptds)
GPURMA_NOT_THERE(cudaMemcpy3D)
GPURMA_NOT_THERE(cudaMemcpy3DAsync)
GPURMA_NOT_THERE(cudaMemcpy3DAsync_ptsz)
GPURMA_NOT_THERE(cudaMemcpy3D_ptds)
GPURMA_NOT_THERE(cudaMemcpyAsync_ptsz)
GPURMA_NOT_THERE(cudaMemcpyFromSymbol)
GPURMA_NOT_THERE(cudaMemcpyFromSymbolAsync)
GPURMA_NOT_THERE(cudaMemcpyFromSymbolAsync_ptsz)
GPURMA_NOT_THERE(cudaMemcpyFromSymbol_ptds)
GPURMA_NOT_THERE(cudaMemcpyToSymbol)
GPURMA_NOT_THERE(cudaMemcpyToSymbolAsync)
GPURMA_NOT_THERE(cudaMemcpyToSymbolAsync_ptsz)
GPURMA_NOT_THERE(cudaMemcpyToSymbol_ptds)
GPURMA_NOT_THERE(cudaMemcpy_ptds)
GPURMA_NOT_THERE(cudaMemsetAsync_ptsz)
GPURMA_NOT_THERE(cudaMemset_ptds)
GPURMA_NOT_THERE(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
GPURMA_NOT_THERE(cudaStreamWaitEvent)
