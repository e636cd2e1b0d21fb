// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transport over MPI point-to-point messages.
//
// Every message is one MPI message, header and small payload together, received by a ring of
// pre-posted persistent receives; because MPI matches in posting order, only the ring's head is
// ever tested. A payload above the eager limit follows as MPI messages of its own, received at the
// address that the receiver names. Credits bound what a process may have unprocessed at another
// one, so that a slow rank holds its senders back instead of filling memory.
#ifndef GPURMA_TRANSPORT_MPI_MPI_TRANSPORT_H
#define GPURMA_TRANSPORT_MPI_MPI_TRANSPORT_H

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "../pair_queues.h"
#include "../transport.h"
#include "mpi_collectives.h"

namespace gpurma::host {

class mpi_transport final : public transport {
public:
  struct limits {
    std::size_t eager = 3968;                  // bytes of payload that travel with the header
    std::size_t receives = 64;                 // receives kept posted
    std::size_t sends = 256;                   // sends in flight, small and large counted apart
    std::uint32_t credits = 256;               // messages unprocessed at one process
    std::size_t chunk = std::size_t{64} << 20; // bytes of one MPI message of a large payload
  };

  // Collective over `parent`, which is duplicated. MPI must provide MPI_THREAD_MULTIPLE.
  mpi_transport(MPI_Comm parent, const limits& chosen);
  // Collective. All messages must have been processed, as after a quiesce.
  ~mpi_transport() override;

  const char* name() const override { return "mpi"; }
  void set_receiver(receiver* to) override { receiver_.store(to, std::memory_order_release); }
  bool try_send(int process, const message_header& header, const void* payload, std::size_t bytes,
                completion* done) override;
  bool progress() override;
  std::uint64_t sent(int process) const override;
  std::uint64_t processed(int process) const override;
  std::unique_ptr<collective> start_barrier() override { return collectives_.start_barrier(); }
  std::unique_ptr<collective> start_allgather(const void* mine, std::size_t bytes,
                                              void* all) override {
    return collectives_.start_allgather(mine, bytes, all);
  }
  std::unique_ptr<collective> start_alltoall(const void* to, std::size_t bytes,
                                             void* from) override {
    return collectives_.start_alltoall(to, bytes, from);
  }

private:
  struct peer;
  struct small_send;
  struct large_payload;
  struct large_send;
  struct queued_message;

  // Sending; all but send's callers' checks run under send_mutex_.
  small_send* take_small_send();
  void post_small(int process, const message_header& header, const void* payload, std::size_t bytes,
                  small_send& slot);
  bool reap_sends();
  bool send_credits();

  // Receiving; only the thread in progress().
  bool receive_small();
  void take(int process, const message_header& header, const std::byte* payload);
  bool start_or_offer(queued_message& message, bool& worked);
  bool begin_large(queued_message& message);
  void mark_processed(int process, message_kind kind);

  // Large payloads of both: of sends under send_mutex_, of receives only the thread in progress().
  bool advance(large_payload& payload, bool sending);

  MPI_Comm messages_ = MPI_COMM_NULL;
  mpi_collectives collectives_;
  int rank_ = 0;
  int size_ = 1;
  limits limits_;
  std::uint32_t data_tags_ = 0; // how many there are
  std::atomic<receiver*> receiver_{nullptr};
  std::unique_ptr<peer[]> peers_;

  std::mutex send_mutex_;
  std::vector<std::unique_ptr<small_send>> small_sends_;
  std::vector<small_send*> free_sends_;
  std::vector<small_send*> busy_sends_;
  std::list<large_send> large_sends_;
  std::atomic<std::size_t> sends_in_flight_{0};

  std::atomic_flag progressing_ = ATOMIC_FLAG_INIT;
  std::vector<std::byte> receive_memory_;
  std::vector<MPI_Request> receive_requests_;
  std::size_t receive_head_ = 0;
  std::vector<int> owing_;             // processes that get a message only to give credits back
  pair_queues<queued_message> queues_; // of messages that could not be taken at once
};

} // namespace gpurma::host

#endif
