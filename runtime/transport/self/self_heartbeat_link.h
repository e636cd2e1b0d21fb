// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The watchdog's link in a process that is alone.
#ifndef GPURMA_TRANSPORT_SELF_SELF_HEARTBEAT_LINK_H
#define GPURMA_TRANSPORT_SELF_SELF_HEARTBEAT_LINK_H

#include "../../host/watchdog.h"

namespace gpurma::host {

class self_heartbeat_link final : public heartbeat_link {
public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void send(int, const heartbeat&) override {}
  bool receive(int&, heartbeat&) override { return false; }
};

} // namespace gpurma::host

#endif
