// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In place of the transport where rdma-core is not there to build it.
#include "open_verbs.h"

namespace gpurma::host {

std::unique_ptr<transport> open_verbs_transport(process_group&, int, std::string& reason) {
  reason = "gpurma has been built without rdma-core (libibverbs-dev)";
  return nullptr;
}

} // namespace gpurma::host
