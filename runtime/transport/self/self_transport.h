// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transport of a process that is alone: there is nobody to send to, and collectives are copies.
#ifndef GPURMA_TRANSPORT_SELF_SELF_TRANSPORT_H
#define GPURMA_TRANSPORT_SELF_SELF_TRANSPORT_H

#include "../transport.h"

namespace gpurma::host {

class self_transport final : public transport {
public:
  const char* name() const override { return "self"; }
  void set_receiver(receiver*) override {}
  bool try_send(int process, const message_header& header, const void* payload, std::size_t bytes,
                completion* done) override;
  bool progress() override { return false; }
  std::uint64_t sent(int) const override { return 0; }
  std::uint64_t processed(int) const override { return 0; }
  std::unique_ptr<collective> start_barrier() override;
  std::unique_ptr<collective> start_allgather(const void* mine, std::size_t bytes,
                                              void* all) override;
  std::unique_ptr<collective> start_alltoall(const void* to, std::size_t bytes,
                                             void* from) override;
};

} // namespace gpurma::host

#endif
