// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/allocations.h"

#include "host/distributed_arrays.h"
#if GPURMA_TARGET_CPU
#include <gpurma/platform/cpu/host.h>

#include "host/environment.h"
#else
#include "host/driver.h"
#endif

namespace gpurma::host {

#if GPURMA_TARGET_CPU

allocation find_allocation(const void* address) {
  if (allocation found; find_distributed(address, found)) {
    found.on_gpu = environment::cpu_staging();
    return found;
  }
  const cpu::allocation found = cpu::find_allocation(address);
  // Where payloads take the ways of the CUDA target, host memory stands for a GPU's.
  return {reinterpret_cast<std::uint64_t>(found.base), found.size, found.id,
          environment::cpu_staging() && !found.is_host};
}

int export_dmabuf(const allocation&, std::string& reason) {
  reason = "the CPU target has no dma-bufs";
  return -1;
}

void flush_network_writes() {}

#else

allocation find_allocation(const void* address) {
  if (allocation found; find_distributed(address, found))
    return found;
  static auto* const get_attributes =
      driver_function<decltype(cuPointerGetAttributes)>("cuPointerGetAttributes");
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  unsigned long long id = 0;
  CUmemorytype type{};
  CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                 CU_POINTER_ATTRIBUTE_RANGE_SIZE, CU_POINTER_ATTRIBUTE_BUFFER_ID,
                                 CU_POINTER_ATTRIBUTE_MEMORY_TYPE};
  void* values[] = {&base, &bytes, &id, &type};
  if (get_attributes(4, names, values, reinterpret_cast<CUdeviceptr>(address)) != CUDA_SUCCESS)
    return {};
  return {base, bytes, id, type != CU_MEMORYTYPE_HOST};
}

int export_dmabuf(const allocation& of, std::string& reason) {
  static auto* const get_handle =
      driver_function<decltype(cuMemGetHandleForAddressRange)>("cuMemGetHandleForAddressRange");
  int file = -1;
  const CUresult result =
      get_handle(&file, of.base, of.bytes, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0);
  if (result == CUDA_SUCCESS)
    return file;
  reason = text("the CUDA driver exports no dma-buf of ", of.bytes, " bytes (error ",
                static_cast<int>(result), ")");
  return -1;
}

void flush_network_writes() {
  static const bool needed = [] {
    int ordering = 0;
    check_cuda(
        cudaDeviceGetAttribute(&ordering, cudaDevAttrGPUDirectRDMAWritesOrdering, memory_device()),
        "query the order of network writes");
    return ordering < cudaGPUDirectRDMAWritesOrderingOwner;
  }();
  if (needed)
    check_cuda(cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTargetCurrentDevice,
                                                  cudaFlushGPUDirectRDMAWritesToOwner),
               "make network writes visible");
}

#endif

} // namespace gpurma::host
