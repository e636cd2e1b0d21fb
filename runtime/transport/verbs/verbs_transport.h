// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transport over InfiniBand verbs: InfiniBand or RoCE v2, reliable connections, one shared
// receive queue per process.
//
// A put into exposed memory is an RDMA write, one that notifies an RDMA write with immediate data,
// which is one work request at the origin and one completion at the target: the notified access of
// dCUDA's network manager. The other messages (memory that is not exposed, payloads through
// buffers) are sends; a payload above the eager limit is read by the receiver.
//
// Order: all that a (source rank, target rank) pair does travels on one queue pair, chosen by the
// two ranks. A reliable connection delivers in the order of posting, and between queue pairs there
// is no order at all, so data and notification of a pair may never be on two. Of dynamic
// connections the same holds for an initiator and a target: what goes to a target stays with one
// initiator of the pool, as long as any of it is in flight.
//
// Flow control: every message that takes an entry of the receive queue at a process needs a credit
// of that process, whose credits add up to the entries that it keeps posted; replies have credits
// of their own, so that they never wait for messages. Credits, and the news that a large payload
// has been read, come back by RDMA writes to a board at the origin, which take no entry. So the
// receive queue cannot be overrun, and the transport never asks for a retry when a receiver is not
// ready.
#ifndef GPURMA_TRANSPORT_VERBS_VERBS_TRANSPORT_H
#define GPURMA_TRANSPORT_VERBS_VERBS_TRANSPORT_H

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "../pair_queues.h"
#include "../transport.h"
#include "device.h"
#include "dynamic_connections.h"
#include "notification_table.h"
#include "registration_cache.h"

namespace gpurma::host::verbs {

inline constexpr unsigned most_queue_pairs = 16; // to one process

struct transport_limits {
  std::size_t eager = 3968;      // bytes of payload that travel with the header
  std::uint32_t credits = 256;   // messages unprocessed at one process
  unsigned queue_pairs = 2;      // to each process
  unsigned initiators = 0;       // of dynamic connections, which then take the place of queue pairs
  std::uint32_t sends = 128;     // work requests in flight on each queue pair
  std::uint32_t receives = 4096; // entries of the shared receive queue, at most
  std::size_t chunk = std::size_t{16} << 20; // bytes of one work request
  unsigned timeout = 18;                     // of a retry: 4.096 us * 2^timeout
  unsigned retries = 6;
  unsigned service_level = 0;
  unsigned traffic_class = 0;
  gpu_registration of_gpus = gpu_registration::none;
};

// What a process tells another one of its end of their connection.
struct endpoint {
  std::uint32_t dynamic; // whether the numbers are those of targets
  std::uint32_t queue_pairs;
  std::uint32_t numbers[most_queue_pairs];
  std::uint32_t first_packet;
  std::uint32_t link_layer;
  std::uint32_t lid;
  std::uint32_t mtu; // ibv_mtu
  std::uint32_t reads;
  std::uint32_t credits;       // that it gives
  std::uint32_t reply_credits; // likewise
  std::uint32_t board_key;
  std::uint64_t board; // where the other one writes what it has processed
  ibv_gid gid;
  char device[64];
};

class verbs_transport final : public transport, private remote_access {
public:
  // Makes the queue pairs to all others. Null: the device cannot; `reason` says why.
  static std::unique_ptr<verbs_transport> make(std::unique_ptr<device> on,
                                               const transport_limits& limits, int rank, int size,
                                               std::unique_ptr<collectives> hosts,
                                               std::string& reason);
  // Collective. All messages must have been processed, as after a quiesce.
  ~verbs_transport() override;

  // For the process with this number, and what the processes tell this one, by their numbers. All
  // have to be connected before the first message. False: `reason` says why.
  endpoint endpoint_for(int process) const;
  bool connect(const std::vector<endpoint>& others, std::string& reason);

  const char* name() const override { return "verbs"; }
  bool serves_threads() const override { return false; }
  remote_access* one_sided() override { return this; }
  void set_receiver(receiver* to) override { receiver_ = to; }
  bool try_send(int process, const message_header& header, const void* payload, std::size_t bytes,
                completion* done) override;
  bool progress() override;
  std::uint64_t sent(int process) const override;
  std::uint64_t processed(int process) const override;
  std::unique_ptr<collective> start_barrier() override { return hosts_->start_barrier(); }
  std::unique_ptr<collective> start_allgather(const void* mine, std::size_t bytes,
                                              void* all) override {
    return hosts_->start_allgather(mine, bytes, all);
  }
  std::unique_ptr<collective> start_alltoall(const void* to, std::size_t bytes,
                                             void* from) override {
    return hosts_->start_alltoall(to, bytes, from);
  }

  // Before it is connected: its end is no longer collective.
  void abandon() { hosts_ = nullptr; }

  const device& on() const { return *device_; }

private:
  struct board;
  struct peer;
  struct lane;
  struct send_queue;
  struct work;
  struct long_access;
  struct large_read;
  struct queued_message;

  verbs_transport(std::unique_ptr<device> on, const transport_limits& limits, int rank, int size,
                  std::unique_ptr<collectives> hosts);
  bool allocate(std::string& reason);
  bool make_queues(std::string& reason);
  bool is_dynamic() const { return limits_.initiators != 0; }
  ibv_ah_attr address_of(const endpoint* there) const;
  connection_attributes attributes_of_dynamic() const;
  bool address_target(lane& one, const endpoint& there, unsigned number, std::string& reason);
  bool connect_queue_pair(lane& one, const endpoint& there, unsigned number, std::string& reason);

  // remote_access
  void forget_freed(const memory_questions& ask) override { registrations_.forget_freed(ask); }
  bool reaches(const void* begin, std::size_t bytes) override;
  exposed_memory expose(const void* begin, std::size_t bytes, std::string& reason) override;
  bool try_put(int process, const message_header& header, bool notified,
               const exposed_memory& memory, std::uint64_t to, const void* payload,
               std::size_t bytes, bool copy, completion* done) override;
  bool try_get(int process, const message_header& header, bool notified,
               const exposed_memory& memory, std::uint64_t from, void* destination,
               std::size_t bytes, completion* done) override;
  bool try_notify(int process, const message_header& header) override;
  bool try_seal(int process) override;

  // Posting.
  lane& lane_of(int process, const message_header& header);
  lane& notifying_lane(lane& on);
  bool has_room(lane& one, unsigned requests);
  std::uint32_t credits_left(peer& of) const;
  std::byte* buffer(std::uint32_t number) const;
  std::uint32_t take_buffer();
  void post(lane& on, ibv_send_wr& request, const work& what, bool signaled);
  void post_message(lane& on, const message_header& header, const void* payload, std::size_t bytes,
                    const char* what);
  void post_notification(lane& on, const message_header& header, std::uint32_t immediate,
                         const char* what);
  bool prepare(lane& on, const message_header& header, bool notified, unsigned requests,
               unsigned buffers, outgoing_notifications::found& as);
  ibv_mr* registered(const void* begin, std::size_t bytes, int access, const message_header& header,
                     ibv_mr*& once);
  void start_access(lane& on, const long_access& access);
  bool advance_access(lane& on);
  bool tell(int process, std::size_t board_offset, std::uint32_t value);

  // Completions.
  bool poll_sends();
  bool poll_receives();
  void retire(const ibv_wc& completed);
  [[noreturn]] void fail(std::span<const ibv_wc> completed, ibv_cq* from);
  std::string describe_failure(const ibv_wc& failed, bool received) const;
  std::string name_of_process(int process) const;
  void look_for_events();

  // Receiving.
  void take(int process, const message_header& header, const std::byte* payload,
            std::uint32_t number);
  bool start_or_offer(queued_message& message, bool& worked);
  bool begin_large(queued_message& message);
  void advance_large(large_read& read);
  void mark_processed(int process, message_kind kind);
  bool owes(const peer& to) const;
  void give_back(std::uint32_t number);
  void post_receives();
  bool tell_others();
  void ask_silent();
  bool finish_large_sends();
  std::chrono::nanoseconds time_wait() const;
  void release_read(bool all);

  std::unique_ptr<device> device_;
  transport_limits limits_;
  const int rank_;
  const int size_;
  std::unique_ptr<collectives> hosts_;
  receiver* receiver_ = nullptr;
  registration_cache registrations_;
  std::uint32_t first_packet_ = 0;
  std::uint32_t given_credits_ = 0;
  std::uint32_t given_reply_credits_ = 0;
  std::uint32_t inline_bytes_ = 0; // of a work request

  ibv_cq* send_completions_ = nullptr;
  ibv_cq* receive_completions_ = nullptr;
  ibv_srq* receives_ = nullptr;
  std::vector<std::unique_ptr<peer>> peers_; // null for this process
  std::vector<lane> lanes_;                  // limits_.queue_pairs for each process
  std::vector<send_queue> send_queues_;      // one for each lane, or initiators
  std::unordered_map<std::uint32_t, std::uint32_t> lane_of_queue_pair_; // that receives

  // Buffers of a header and an eager payload: first those for receives, then those for sends.
  std::size_t stride_ = 0;
  std::byte* buffers_ = nullptr;
  ibv_mr* buffers_region_ = nullptr;
  std::vector<std::uint32_t> free_buffers_; // for sends
  board* boards_ = nullptr;                 // by process
  ibv_mr* boards_region_ = nullptr;

  std::vector<ibv_recv_wr> reposts_; // receive buffers to post again
  pair_queues<queued_message> queues_;
  std::vector<std::uint32_t> advancing_; // lanes with a long access
  std::vector<int> owing_;               // processes to tell what has been processed
  struct notice {
    int process;
    std::uint32_t slot;
    std::uint32_t sequence;
  };
  std::vector<notice> notices_; // of large payloads that have been read
  struct large_slot {
    int process;
    std::uint32_t slot;
  };
  std::vector<large_slot> large_sends_; // that have not been read
  // Regions that have been read, until no repeated request for them can come any more.
  struct read_region {
    ibv_mr* memory;
    std::chrono::steady_clock::time_point until;
  };
  std::deque<read_region> read_regions_;
  unsigned vain_ = 0; // looks since something happened
  std::chrono::steady_clock::time_point next_question_{};
};

} // namespace gpurma::host::verbs

#endif
