// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A network of InfiniBand devices inside one process, behind the transport's table of verbs calls:
// reliable and dynamic connections with shared receive queues, RDMA with checked keys, and no
// timing. What is posted on a queue pair is carried out at once and in order, or when a test lets
// it.
#ifndef GPURMA_TEST_FAKE_VERBS_H
#define GPURMA_TEST_FAKE_VERBS_H

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "transport/verbs/verbs_api.h"

namespace gpurma::test {

struct fake_port {
  ibv_port_state state = IBV_PORT_ACTIVE;
  std::uint8_t link_layer = IBV_LINK_LAYER_ETHERNET;
  std::vector<ibv_gid_entry> gids;
};

struct fake_device {
  std::string name;
  std::vector<fake_port> ports;
  ibv_device_attr attributes{};
  bool opens = true;
  std::uint32_t most_inline = 256;
  std::uint32_t longest_message = 1u << 30;
  bool is_mlx5 = false;
  bool makes_targets = true; // if it is of that kind
};

// A GID that stands for an IPv4 address, or one that is local to the link.
ibv_gid_entry ipv4_gid(std::uint32_t index, std::uint32_t type);
ibv_gid_entry link_local_gid(std::uint32_t index, std::uint32_t type);

// One per test. Devices have to be added before the first is listed.
class fake_network {
public:
  fake_network();
  ~fake_network();

  // With an active port of Ethernet and limits that no test comes near.
  fake_device& add_device(const std::string& name);
  const host::verbs::verbs_api& api() const;

  // Work requests are kept, in order, until they are let through.
  void hold(std::uint32_t queue_pair);
  void release(std::uint32_t queue_pair);

  // The next work request of any queue pair fails; the queue pair then flushes all others.
  void fail_next(ibv_wc_status status) { next_status = status; }
  // What is on its way to a queue pair that has failed.
  void flush_receive(std::uint32_t queue_pair);
  void add_event(ibv_event_type type, std::uint32_t queue_pair = 0) {
    events.push_back({type, queue_pair});
  }

  struct counts {
    unsigned sends = 0;
    unsigned writes = 0;
    unsigned writes_with_immediate = 0;
    unsigned reads = 0;
    unsigned taken_along = 0; // with inline data
    unsigned signaled = 0;
    unsigned received = 0;       // entries of receive queues
    unsigned most_in_flight = 0; // of one queue pair
    unsigned not_ready = 0;      // messages that have found no entry

    unsigned posted() const { return sends + writes + writes_with_immediate + reads; }
  };
  counts counted;
  unsigned registered = 0;              // so far
  unsigned regions() const;             // now
  std::vector<std::uint32_t> posted_on; // queue pair of each work request
  bool notes_posts = false;             // into posted_on
  bool registers = true;
  unsigned refuses_registrations = 0; // the next ones
  bool registers_dmabufs = false;
  unsigned dmabufs = 0;         // registered so far
  unsigned queue_pairs() const; // now, targets and initiators included
  unsigned addresses = 0;       // now
  // The ends of a test go one after another: what the last one still sends, nobody takes.
  bool closing = false;

  // For the functions of the table.
  ibv_wc_status next_status = IBV_WC_SUCCESS;
  struct event {
    ibv_event_type type;
    std::uint32_t queue_pair;
  };
  std::deque<event> events;
  std::vector<std::unique_ptr<fake_device>> devices;
};

} // namespace gpurma::test

#endif
