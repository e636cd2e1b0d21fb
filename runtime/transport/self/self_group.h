// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process that is alone.
#ifndef GPURMA_TRANSPORT_SELF_SELF_GROUP_H
#define GPURMA_TRANSPORT_SELF_SELF_GROUP_H

#include <cstdlib>

#include "../process_group.h"
#include "self_heartbeat_link.h"
#include "self_transport.h"

namespace gpurma::host {

class self_group final : public process_group {
public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  int node_leader() override { return 0; }
  std::unique_ptr<collectives> make_collectives() override {
    return std::make_unique<self_transport>();
  }
  std::unique_ptr<heartbeat_link> make_heartbeat_link() override {
    return std::make_unique<self_heartbeat_link>();
  }
  void leave() override {}
  [[noreturn]] void end_all(int code) override { std::_Exit(code); }
};

} // namespace gpurma::host

#endif
