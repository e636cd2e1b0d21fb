// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/peers.h"

#include <cuda_runtime.h>

#include <algorithm>

#include "host/log.h"
#include "host/memory.h"
#include "host/process.h"
#if GPURMA_TARGET_CUDA
#include <cstring>

#include "host/distributed_arrays.h"
#include "host/driver.h"
#endif

namespace gpurma::host {

#if GPURMA_TARGET_CUDA

namespace {

bool find_allocation(std::uint64_t address, shared_allocation& found) {
  static auto* const get_range =
      driver_function<decltype(cuMemGetAddressRange)>("cuMemGetAddressRange");
  static auto* const get_attribute =
      driver_function<decltype(cuPointerGetAttribute)>("cuPointerGetAttribute");
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  unsigned long long id = 0;
  if (get_range(&base, &bytes, address) != CUDA_SUCCESS ||
      get_attribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID, address) != CUDA_SUCCESS)
    return false;
  found.base = base;
  found.bytes = bytes;
  found.id = id;
  return true;
}

} // namespace

device_name this_device() {
  device_name name{};
  check_cuda(cudaDeviceGetPCIBusId(name.data(), static_cast<int>(name.size()), memory_device()),
             "name the device");
  return name;
}

std::string obstacle_to(const device_name& other) {
  if (other == this_device())
    return "";
  int device = 0;
  if (cudaDeviceGetByPCIBusId(&device, other.data()) != cudaSuccess) {
    // Hidden by CUDA_VISIBLE_DEVICES: mapping its memory will tell.
    static_cast<void>(cudaGetLastError());
    return "";
  }
  int value = 0;
  check_cuda(cudaDeviceCanAccessPeer(&value, memory_device(), device), "query peer access");
  if (value == 0)
    return text("device ", memory_device(), " has no peer access to device ", device);
  check_cuda(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrNativeAtomicSupported, memory_device(),
                                       device),
             "query peer access");
  if (value == 0)
    return text("device ", memory_device(), " has no atomic operations on device ", device);
  return "";
}

shared_allocation peer_memory::share(std::uint64_t address) {
  shared_allocation found;
  if (share_distributed(address, found))
    return found;
  if (address == 0 || !find_allocation(address, found))
    return {};
  if (const auto known = shared_.find(found.id); known != shared_.end())
    return known->second;
  cudaIpcMemHandle_t handle;
  static_assert(sizeof(handle) == sizeof(found.handle));
  if (cudaIpcGetMemHandle(&handle, reinterpret_cast<void*>(found.base)) == cudaSuccess) {
    std::memcpy(found.handle.data(), &handle, sizeof(handle));
  } else {
    static_cast<void>(cudaGetLastError());
    found.base = 0;
  }
  return shared_[found.id] = found;
}

std::uint64_t peer_memory::map(int process, const shared_allocation& allocation,
                               std::string& reason) {
  if (allocation.base == 0) {
    reason = "its process cannot share it (cudaIpcGetMemHandle; memory must come from cudaMalloc)";
    return 0;
  }
  if (const std::uint64_t here = mapped_distributed(process, allocation); here != 0)
    return here;
  mapping& known = mapped_[{process, allocation.base}];
  if (known.here != 0 && known.allocation.id == allocation.id)
    return known.here;
  known = {allocation, 0, nullptr};
  cudaIpcMemHandle_t handle;
  std::memcpy(&handle, allocation.handle.data(), sizeof(handle));
  void* here = nullptr;
  const cudaError_t error = cudaIpcOpenMemHandle(&here, handle, cudaIpcMemLazyEnablePeerAccess);
  if (error == cudaSuccess) {
    known.in = opened_.emplace_back(std::make_shared<opened>(
        opened{process, allocation.base, reinterpret_cast<std::uint64_t>(here)}));
  } else {
    static_cast<void>(cudaGetLastError());
    if (error == cudaErrorAlreadyMapped)
      known.in = find_block(process, allocation);
    if (!known.in) {
      reason = text("cudaIpcOpenMemHandle: ", cudaGetErrorString(error));
      return 0;
    }
  }
  return known.here = known.in->here + (allocation.base - known.in->base);
}

std::shared_ptr<const peer_memory::opened>
peer_memory::find_block(int process, const shared_allocation& allocation) const {
  constexpr std::uint64_t block_bytes = 2 << 20; // from which CUDA cuts smaller allocations
  // The last: what was there before may still be open.
  const auto found = std::find_if(opened_.rbegin(), opened_.rend(), [&](const auto& open) {
    return open->process == process && open->base / block_bytes == allocation.base / block_bytes;
  });
  return found != opened_.rend() ? *found : nullptr;
}

void peer_memory::close_stale() {
  const auto stale = std::stable_partition(opened_.begin(), opened_.end(),
                                           [](const auto& open) { return open.use_count() > 1; });
  for (auto open = stale; open != opened_.end(); ++open)
    check_cuda(cudaIpcCloseMemHandle(reinterpret_cast<void*>((*open)->here)),
               "unmap memory of a peer");
  opened_.erase(stale, opened_.end());
}

peer_memory::~peer_memory() {
  // Errors are those of a program that is ending.
  for (const auto& open : opened_)
    static_cast<void>(cudaIpcCloseMemHandle(reinterpret_cast<void*>(open->here)));
}

#else

device_name this_device() {
  return {};
}
std::string obstacle_to(const device_name&) {
  return "the CPU target has no memory that another process reaches";
}
shared_allocation peer_memory::share(std::uint64_t) {
  return {};
}
std::uint64_t peer_memory::map(int, const shared_allocation&, std::string&) {
  return 0;
}
void peer_memory::close_stale() {}
peer_memory::~peer_memory() = default;

#endif

std::vector<found_route> find_routes(peer_memory& memory, const std::vector<route_offer>& all) {
  const auto self = static_cast<std::size_t>(process().rank);
  const route_offer& mine = all[self];
  std::vector<found_route> routes(all.size());
  // A bit for each process of the node, by its number modulo the bits that an exchange holds.
  std::array<std::uint8_t, max_allgather_bytes> reached{};
  const auto bit = [&](std::size_t p) { return p % (8 * reached.size()); };
  for (std::size_t p = 0; p < all.size(); ++p) {
    if (p == self)
      continue;
    const route_offer& other = all[p];
    std::string& obstacle = routes[p].obstacle;
    if (mine.proxy_only || other.proxy_only)
      obstacle = "GPURMA_ROUTE is proxy";
    else if (other.node != mine.node)
      obstacle = "it runs on another host";
    else if (other.mailbox_entries != mine.mailbox_entries)
      obstacle = "its GPURMA_QUEUE_ENTRIES differs";
    else
      obstacle = obstacle_to(other.device);
    if (obstacle.empty())
      routes[p].memory = memory.map(static_cast<int>(p), other.memory, obstacle);
    if (routes[p].memory != 0)
      reached[bit(p) / 8] |= static_cast<std::uint8_t>(1u << bit(p) % 8);
  }
  const auto reached_by = allgather(channel::launch, "routes of a rank kernel", reached);
  const auto me = bit(self);
  for (std::size_t p = 0; p < all.size(); ++p) {
    if (routes[p].memory != 0 && (reached_by[p][me / 8] >> me % 8 & 1) == 0)
      routes[p] = {0, "it does not reach this process"};
  }
  return routes;
}

} // namespace gpurma::host
