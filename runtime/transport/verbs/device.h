// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which device, port and GID a process uses, and the device while it is open.
#ifndef GPURMA_TRANSPORT_VERBS_DEVICE_H
#define GPURMA_TRANSPORT_VERBS_DEVICE_H

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "verbs_api.h"

namespace gpurma::host::verbs {

// GPURMA_IB_DEVICE, GPURMA_IB_PORT, GPURMA_IB_GID_INDEX.
struct device_choice {
  std::string names = {};                 // separated by commas; empty: all with an active port
  std::optional<unsigned> port = {};      // nothing: the first that is active
  std::optional<unsigned> gid_index = {}; // nothing: see open_device
  int local_rank = 0;                     // of this process on its node
};

// An open device, with a protection domain. Closed by the destructor, after all that belongs to it.
class device {
public:
  device(const verbs_api& api, ibv_context* context);
  ~device();
  device(const device&) = delete;
  device& operator=(const device&) = delete;

  const verbs_api& api;
  ibv_context* const context;
  ibv_pd* domain = nullptr;
  std::string name;
  ibv_device_attr attributes{};
  std::uint8_t port = 0;
  ibv_port_attr port_attributes{};
  unsigned gid_index = 0;
  ibv_gid gid{};

  // "device rxe0, port 1"
  std::string description() const;
};

// Opens the device for this process: of the named ones, or of those with an active port, those
// nearest to the process's GPU by their places on the PCI bus where that can be told, and of these
// the one whose number is local_rank, in turn. The GID is the first of RoCE v2 with an IPv4
// address, or the first of RoCE v2, on Ethernet; number 0 on InfiniBand. Null: `reason` says why.
std::unique_ptr<device> open_device(const verbs_api& api, const device_choice& choice,
                                    std::string& reason);

// Of `devices` (folders of the PCI bus below /sys/devices), those that share the longest part of
// their path with `gpu`, as indices; all of them if none shares more than another.
std::vector<std::size_t> nearest(const std::vector<std::string>& devices, const std::string& gpu);

} // namespace gpurma::host::verbs

#endif
