// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory shared between the processes of a host (CUDA IPC), so that ranks reach each other
// by stores. The CPU target has none.
#ifndef GPURMA_HOST_PEERS_H
#define GPURMA_HOST_PEERS_H

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gpurma::host {

// A device, for other processes to find it.
using device_name = std::array<char, 16>;
device_name this_device();

// Why a device cannot be reached by stores from this process's device; empty: it can, as far as can
// be told before memory is mapped.
std::string obstacle_to(const device_name& device);

// An allocation of a process, for others to map.
struct shared_allocation {
  std::uint64_t base = 0; // in its process; 0: it cannot be shared
  std::uint64_t bytes = 0;
  std::uint64_t id = 0; // tells it from later allocations at the same address
  std::array<char, 64> handle{};
};

// Nothing here waits for a running kernel, but close_stale.
class peer_memory {
public:
  ~peer_memory();

  // The allocation of this process that holds an address.
  shared_allocation share(std::uint64_t address);

  // Where the allocation of another process begins here; 0 if it cannot be mapped, and `reason`
  // then says why. Mapped once.
  std::uint64_t map(int process, const shared_allocation& allocation, std::string& reason);

  // Unmaps what map() has found replaced by later allocations. May wait for running kernels.
  void close_stale();

private:
  // What has been opened: of a small allocation, the block that CUDA has cut it from.
  struct opened {
    int process;
    std::uint64_t base; // of the allocation by which it was opened
    std::uint64_t here;
  };
  struct mapping {
    shared_allocation allocation;
    std::uint64_t here = 0;
    std::shared_ptr<const opened> in;
  };
  // The block that holds an allocation, if it has been opened by way of another one.
  std::shared_ptr<const opened> find_block(int process, const shared_allocation& allocation) const;

  std::map<std::uint64_t, shared_allocation> shared_;       // by id
  std::map<std::pair<int, std::uint64_t>, mapping> mapped_; // by process and base
  std::vector<std::shared_ptr<const opened>> opened_;
};

// What a process tells the others so that they can choose the routes between them.
struct route_offer {
  int node = 0;
  std::uint32_t mailbox_entries = 0;
  bool proxy_only = false; // GPURMA_ROUTE
  device_name device{};
  shared_allocation memory; // for the others to map
};

// How this process reaches another one.
struct found_route {
  std::uint64_t memory = 0; // where what the other one offers begins here; 0: by the hosts
  std::string obstacle;     // why by the hosts
};

// The routes to all processes, by their numbers; the one to itself is empty. Collective (channel
// launch); a pair of processes reaches each other in both directions or in none.
std::vector<found_route> find_routes(peer_memory& memory, const std::vector<route_offer>& all);

} // namespace gpurma::host

#endif
