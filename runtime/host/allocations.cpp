// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/allocations.h"

#if GPURMA_TARGET_CPU
#include <gpurma/platform/cpu/host.h>
#else
#include "host/driver.h"
#endif

namespace gpurma::host {

#if GPURMA_TARGET_CPU

allocation find_allocation(const void* address) {
  const cpu::allocation found = cpu::find_allocation(address);
  return {reinterpret_cast<std::uint64_t>(found.base), found.size, found.id, true};
}

#else

allocation find_allocation(const void* address) {
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
  return {base, bytes, id, type == CU_MEMORYTYPE_HOST};
}

#endif

} // namespace gpurma::host
