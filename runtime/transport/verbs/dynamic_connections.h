// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dynamically connected transport (DC) of mlx5 devices: an initiator (DCI) connects itself to
// the target (DCT) that a work request names, so that few of them, with their send queues, serve
// any number of processes.
#ifndef GPURMA_TRANSPORT_VERBS_DYNAMIC_CONNECTIONS_H
#define GPURMA_TRANSPORT_VERBS_DYNAMIC_CONNECTIONS_H

#include <cstdint>
#include <string>

#include "device.h"

namespace gpurma::host::verbs {

// The ends of queue pairs, as both kinds of connection take them.
struct connection_attributes {
  ibv_mtu mtu = IBV_MTU_1024;
  ibv_ah_attr address{}; // of an initiator or target: only its own port and service level
  std::uint8_t timeout = 0;
  std::uint8_t retries = 0;
  std::uint8_t reads = 0; // in flight
};

struct initiator {
  ibv_qp* pair = nullptr; // null: errno says why
  ibv_qp_ex* extended = nullptr;
  mlx5dv_qp_ex* direct = nullptr;
};

// Whether the device can: a target is made, and thrown away.
bool offers_dynamic_connections(const device& on);

// Whether they are used, by GPURMA_IB_CONNECTION and if all devices offer them.
bool takes_dynamic_connections(const std::string& connection, bool all_offer, int processes,
                               unsigned queue_pairs);

// Ready to send; `queue`: as for ibv_create_qp.
initiator make_initiator(const device& on, const ibv_qp_init_attr& queue,
                         const connection_attributes& as);

// Ready to receive, because its number is known only then. Null: errno says why.
ibv_qp* make_target(const device& on, ibv_cq* receives, ibv_srq* entries,
                    const connection_attributes& as);

// Posts a request with at most one part to a target. As ibv_post_send, errno or 0.
int post_to_target(const initiator& by, const ibv_send_wr& request, ibv_ah* address,
                   std::uint32_t target);

} // namespace gpurma::host::verbs

#endif
