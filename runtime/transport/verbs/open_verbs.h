// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Start of the verbs transport. Includes nothing of rdma-core, without which gpurma can be built.
#ifndef GPURMA_TRANSPORT_VERBS_OPEN_VERBS_H
#define GPURMA_TRANSPORT_VERBS_OPEN_VERBS_H

#include <memory>
#include <string>

#include "../process_group.h"

namespace gpurma::host {

namespace verbs {
struct verbs_api;
}

// The transport over verbs, with what the environment says; the group carries its set-up and its
// collectives. Collective. Null in all processes if one of them cannot use it:
// `reason` then names the first such process, and why. local_rank: of this process on its node.
std::unique_ptr<transport> open_verbs_transport(process_group& among, int local_rank,
                                                std::string& reason);

// The same with the given table of calls; null: this process has none, as `reason` says. Only where
// gpurma is built with rdma-core.
std::unique_ptr<transport> open_verbs_transport(process_group& among, int local_rank,
                                                const verbs::verbs_api* api, std::string& reason);

} // namespace gpurma::host

#endif
