// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verbs_transport.h"

#include <arpa/inet.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "../../host/log.h"

#undef ibv_reg_mr

namespace gpurma::host::verbs {

namespace {

// Values of message_header::carriage.
enum : std::uint16_t { without_payload, with_header, apart };

// Follows the header of a message whose payload the receiver reads for itself.
struct payload_elsewhere {
  std::uint64_t address;
  std::uint32_t key;
  std::uint32_t slot; // of the board, for the news that it has been read
  std::uint32_t sequence;
  std::uint32_t reserved;
};

// Follows the header of a message that defines a notification.
struct definition {
  std::uint32_t number;
  notification_entry entry;
};

// A number that another process writes. The bus may split a write, so it says itself whether it is
// whole.
struct written_count {
  std::uint32_t value = 0;
  std::uint32_t inverse = ~std::uint32_t{0};

  // Leaves `seen` as it is while a write is on its way.
  void read(std::uint32_t& seen) const {
    const auto whole = std::bit_cast<written_count>(
        std::atomic_ref(reinterpret_cast<std::uint64_t&>(const_cast<written_count&>(*this)))
            .load(std::memory_order_acquire));
    if (whole.value == ~whole.inverse)
      seen = whole.value;
  }
};
static_assert(sizeof(written_count) == 8);

// Payloads above the eager limit that may be unread at one process.
constexpr std::uint32_t large_slots = 64;

// Completions handled in one progress() before the caller gets its thread back.
constexpr int batch = 32;

// Work requests of one large read that are in flight; see mpi_transport.
constexpr std::uint32_t reads_in_flight = 4;

// Credits for replies, which are few: one for each part of a get through buffers.
constexpr std::uint32_t most_reply_credits = 32;

// For the receive queue, where the eager limit is so large that buffers would take more.
constexpr std::size_t most_buffer_bytes = std::size_t{64} << 20;

// That a work request takes along, so that its buffer may be reused at once: a header and a small
// payload.
constexpr std::uint32_t most_inline_bytes = 128;

// In flight on a queue pair.
constexpr int enough_reads = 16;

constexpr std::uint32_t no_buffer = ~std::uint32_t{0};

// Of a notification, with its definition.
constexpr std::uint32_t most_needed_credits = 2;

// The events of a device are looked for with a system call, so seldom, and when nothing else
// happens.
constexpr unsigned vain_looks_between_events = 4096;

// How long the cause of a flushed request is looked for.
constexpr std::chrono::seconds patience_for_cause(2);

} // namespace

// What another process writes here.
struct verbs_transport::board {
  alignas(8) written_count processed; // messages of this process
  written_count replies;              // likewise
  written_count read[large_slots];    // number of the last payload that it has read, by slot
};

struct verbs_transport::peer {
  struct large_send {
    completion* done = nullptr;
    ibv_mr* once = nullptr;
    std::uint32_t sequence = 0;
    bool busy = false;
  };
  endpoint there{};
  const board* news = nullptr; // that it writes here
  std::uint64_t sent = 0;      // messages that use credits
  std::uint64_t processed = 0;
  std::uint32_t replies_sent = 0;
  std::uint32_t replies_processed = 0;
  std::uint32_t processed_told = 0;
  std::uint32_t replies_told = 0;
  std::uint32_t processed_there = 0; // as the board said last
  std::uint32_t replies_there = 0;
  bool owing = false; // in owing_
  large_send large[large_slots];
};

// A work request that has not completed.
struct verbs_transport::work {
  const char* what = nullptr;
  std::uint32_t lane = 0;
  int source = -1; // ranks; negative: for the transport itself
  int target = -1;
  std::uint32_t buffer = no_buffer; // free when it completes
  completion* done = nullptr;
  ibv_mr* once = nullptr;
  large_read* read = nullptr;
};

// An access that has not been posted to its end, for want of room; others of its lane wait.
struct verbs_transport::long_access {
  ibv_wr_opcode opcode = IBV_WR_RDMA_WRITE;
  std::uint64_t remote = 0;
  std::uint32_t remote_key = 0;
  std::uint64_t local = 0;
  std::uint32_t local_key = 0;
  std::size_t left = 0;
  work what;
  bool notified = false;
  std::uint32_t immediate = 0;
  message_header header;
  const send_queue* posted_on = nullptr; // its last request
  std::uint32_t end = 0;                 // of its requests, as send_queue::posted
};

// What posts work requests: a queue pair to another process, or an initiator of dynamic
// connections.
struct verbs_transport::send_queue {
  ibv_qp* pair = nullptr;
  initiator dynamic;
  std::uint32_t posted = 0; // work requests, as the next
  std::uint32_t completed = 0;
  std::uint32_t unsignaled = 0; // since the last that asks for a completion
  std::vector<work> ring;       // a power of two

  std::uint32_t in_flight() const { return posted - completed; }
  work& at(std::uint32_t position) { return ring[position & (ring.size() - 1)]; }
};

// One of the orders in which things go to another process.
struct verbs_transport::lane {
  ibv_qp* receives = nullptr; // the queue pair, or the target, that the other process addresses
  std::uint32_t target = 0;   // of dynamic connections: the other process's
  ibv_ah* address = nullptr;  // likewise
  send_queue* sends = nullptr;
  std::uint32_t in_flight = 0; // work requests, on `sends`
  int process = 0;
  bool unsealed = false; // a write that no message follows yet
  bool advancing = false;
  long_access access;
  outgoing_notifications outgoing;
  incoming_notifications incoming;
};

// A payload above the eager limit that is being read from its sender.
struct verbs_transport::large_read {
  lane* on = nullptr;
  message_header header;
  payload_elsewhere from{};
  std::byte* next = nullptr; // what has not been posted yet
  std::uint32_t key = 0;
  std::size_t left = 0;
  std::uint32_t in_flight = 0;
  ibv_mr* once = nullptr;
  bool progressed = false;

  bool complete() const { return left == 0 && in_flight == 0; }
};

// A message that could not be taken when it came.
struct verbs_transport::queued_message {
  int process;
  message_header header;
  std::uint32_t buffer; // receive buffer that holds its payload, or no_buffer
  const std::byte* payload;
  payload_elsewhere from{};
  std::unique_ptr<large_read> read{};
  void* landing = nullptr;
  std::vector<std::byte> own{}; // where it lands that has no other place
};

// ---- set-up ----

verbs_transport::verbs_transport(std::unique_ptr<device> on, const transport_limits& limits,
                                 int rank, int size, std::unique_ptr<collectives> hosts)
    : device_(std::move(on)), limits_(limits), rank_(rank), size_(size), hosts_(std::move(hosts)),
      registrations_(*device_, limits.of_gpus) {}

std::unique_ptr<verbs_transport> verbs_transport::make(std::unique_ptr<device> on,
                                                       const transport_limits& limits, int rank,
                                                       int size, std::unique_ptr<collectives> hosts,
                                                       std::string& reason) {
  std::unique_ptr<verbs_transport> made(
      new verbs_transport(std::move(on), limits, rank, size, std::move(hosts)));
  if (!made->allocate(reason)) {
    made->abandon();
    return nullptr;
  }
  return made;
}

bool verbs_transport::allocate(std::string& reason) {
  const verbs_api& api = device_->api;
  const ibv_device_attr& device = device_->attributes;
  const auto others = static_cast<std::uint32_t>(size_ - 1);
  const auto processes = static_cast<std::uint32_t>(size_);
  const auto failed = [&](const char* what) {
    reason = text(device_->description(), ": ", what, ": ", std::strerror(errno));
    return false;
  };

  limits_.chunk = std::min<std::size_t>(limits_.chunk, device_->port_attributes.max_msg_sz);
  stride_ = sizeof(message_header) +
            std::max({limits_.eager, sizeof(payload_elsewhere), sizeof(definition)});
  stride_ = (stride_ + 63) / 64 * 64;

  // Each process gets an equal share of the receive queue.
  const auto affordable = static_cast<std::uint32_t>(most_buffer_bytes / stride_);
  const std::uint32_t entries =
      std::min({limits_.receives, static_cast<std::uint32_t>(device.max_srq_wr),
                static_cast<std::uint32_t>(device.max_cqe), std::max(affordable, 4 * others)});
  const std::uint32_t share = others != 0 ? entries / others : entries;
  given_reply_credits_ = std::clamp(share / 4, 2u, most_reply_credits);
  if (share < given_reply_credits_ + 2) {
    reason = text(device_->description(), ": a receive queue of ", entries, " entries is too short",
                  " for messages of ", others,
                  " other processes (GPURMA_IB_RECEIVES, or the "
                  "device's limit of ",
                  device.max_srq_wr, ")");
    return false;
  }
  given_credits_ = std::min(limits_.credits, share - given_reply_credits_);
  const std::uint32_t receives = std::max(1u, others * (given_credits_ + given_reply_credits_));

  const std::uint32_t queues = is_dynamic() ? limits_.initiators : processes * limits_.queue_pairs;
  limits_.sends = std::min({limits_.sends, static_cast<std::uint32_t>(device.max_qp_wr),
                            static_cast<std::uint32_t>(device.max_cqe) / queues});
  constexpr std::uint32_t fewest_sends = 8;
  if (limits_.sends < fewest_sends) {
    reason = text(device_->description(), ": its completion queues of ", device.max_cqe,
                  " entries are too short for ", queues,
                  is_dynamic() ? " initiators (GPURMA_IB_INITIATORS)"
                               : " queue pairs (GPURMA_IB_QUEUE_PAIRS)");
    return false;
  }

  const auto send_buffers = static_cast<std::uint32_t>(
      std::clamp<std::size_t>(most_buffer_bytes / stride_, 4, 2 * limits_.sends));
  constexpr std::size_t page = 4096;
  const auto pages = [](std::size_t bytes) { return (bytes + page - 1) / page * page; };
  const std::size_t buffer_bytes = pages((receives + send_buffers) * stride_);
  const std::size_t board_bytes = pages(processes * sizeof(board));
  buffers_ = static_cast<std::byte*>(std::aligned_alloc(page, buffer_bytes + board_bytes));
  if (buffers_ == nullptr)
    return failed("no memory for buffers");
  std::memset(buffers_, 0, buffer_bytes);
  boards_ = reinterpret_cast<board*>(buffers_ + buffer_bytes);
  for (std::uint32_t p = 0; p < processes; ++p)
    new (&boards_[p]) board();
  // Apart, so that what others write is all that others can write.
  buffers_region_ = api.ibv_reg_mr(device_->domain, buffers_, buffer_bytes, IBV_ACCESS_LOCAL_WRITE);
  boards_region_ = api.ibv_reg_mr(device_->domain, boards_, board_bytes,
                                  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
  if (buffers_region_ == nullptr || boards_region_ == nullptr)
    return failed("buffers cannot be registered (is the limit of locked memory, ulimit -l, too "
                  "low?)");
  for (std::uint32_t i = 0; i < send_buffers; ++i)
    free_buffers_.push_back(receives + send_buffers - 1 - i);

  send_completions_ = api.ibv_create_cq(device_->context, static_cast<int>(queues * limits_.sends),
                                        nullptr, nullptr, 0);
  receive_completions_ =
      api.ibv_create_cq(device_->context, static_cast<int>(receives), nullptr, nullptr, 0);
  if (send_completions_ == nullptr || receive_completions_ == nullptr)
    return failed("no completion queue");
  ibv_srq_init_attr queue{};
  queue.attr.max_wr = receives;
  queue.attr.max_sge = 1;
  receives_ = api.ibv_create_srq(device_->domain, &queue);
  if (receives_ == nullptr)
    return failed("no shared receive queue");

  if (!make_queues(reason))
    return false;
  reposts_.reserve(receives);
  for (std::uint32_t i = 0; i < receives; ++i)
    give_back(i);
  post_receives();
  return true;
}

// What sends and what receives, for each lane.
bool verbs_transport::make_queues(std::string& reason) {
  const verbs_api& api = device_->api;
  const auto processes = static_cast<std::uint32_t>(size_);
  const auto failed = [&](const char* what) {
    reason = text(device_->description(), ": ", what, ": ", std::strerror(errno));
    return false;
  };
  const connection_attributes as = attributes_of_dynamic();
  ibv_qp_init_attr wanted{};
  wanted.send_cq = send_completions_;
  wanted.recv_cq = receive_completions_;
  wanted.cap.max_send_wr = limits_.sends;
  wanted.cap.max_send_sge = 1;
  const auto make_sender = [&](send_queue& one) {
    one.ring.resize(std::bit_ceil(limits_.sends));
    // A header and a small payload; devices with less refuse it.
    for (const std::uint32_t bytes : {most_inline_bytes, 64u, 0u}) {
      wanted.cap.max_inline_data = bytes;
      if (is_dynamic())
        one.dynamic = make_initiator(*device_, wanted, as);
      one.pair = is_dynamic() ? one.dynamic.pair : api.ibv_create_qp(device_->domain, &wanted);
      if (one.pair != nullptr)
        break;
    }
    inline_bytes_ = std::min(wanted.cap.max_inline_data, most_inline_bytes);
    return one.pair != nullptr;
  };

  first_packet_ = static_cast<std::uint32_t>(getpid()) * 2654435761u >> 8; // 24 bits
  peers_.resize(processes);
  lanes_.resize(processes * limits_.queue_pairs);
  send_queues_.resize(is_dynamic() ? limits_.initiators : lanes_.size());
  if (is_dynamic())
    for (send_queue& one : send_queues_)
      if (!make_sender(one))
        return failed("no initiator");
  wanted.srq = receives_;
  wanted.qp_type = IBV_QPT_RC;
  for (std::uint32_t l = 0; l < lanes_.size(); ++l) {
    lane& one = lanes_[l];
    one.process = static_cast<int>(l / limits_.queue_pairs);
    if (one.process == rank_)
      continue;
    auto& to = peers_[static_cast<std::size_t>(one.process)];
    if (!to) {
      to = std::make_unique<peer>();
      to->news = &boards_[one.process];
    }
    one.sends = &send_queues_[is_dynamic() ? 0 : l];
    if (!is_dynamic() && !make_sender(*one.sends))
      return failed("no queue pair");
    one.receives =
        is_dynamic() ? make_target(*device_, receive_completions_, receives_, as) : one.sends->pair;
    if (one.receives == nullptr)
      return failed("no target");
    lane_of_queue_pair_.emplace(one.receives->qp_num, l);
  }
  return true;
}

endpoint verbs_transport::endpoint_for(int process) const {
  endpoint here{};
  here.dynamic = is_dynamic() ? 1 : 0;
  here.queue_pairs = limits_.queue_pairs;
  for (unsigned q = 0; q < limits_.queue_pairs; ++q) {
    const lane& one = lanes_[static_cast<std::size_t>(process) * limits_.queue_pairs + q];
    here.numbers[q] = one.receives != nullptr ? one.receives->qp_num : 0;
  }
  here.first_packet = first_packet_;
  here.link_layer = device_->port_attributes.link_layer;
  here.lid = device_->port_attributes.lid;
  here.mtu = device_->port_attributes.active_mtu;
  here.reads =
      static_cast<std::uint32_t>(std::min(device_->attributes.max_qp_rd_atom, enough_reads));
  here.credits = given_credits_;
  here.reply_credits = given_reply_credits_;
  here.board_key = boards_region_->rkey;
  here.board = reinterpret_cast<std::uint64_t>(&boards_[process]);
  here.gid = device_->gid;
  std::strncpy(here.device, device_->description().c_str(), sizeof here.device - 1);
  return here;
}

bool verbs_transport::connect(const std::vector<endpoint>& others, std::string& reason) {
  for (int p = 0; p < size_; ++p) {
    if (p == rank_)
      continue;
    const endpoint& there = others[static_cast<std::size_t>(p)];
    if (there.queue_pairs != limits_.queue_pairs) {
      reason = text("processes disagree: GPURMA_IB_QUEUE_PAIRS is ", limits_.queue_pairs,
                    " in process ", rank_, " and ", there.queue_pairs, " in process ", p);
      return false;
    }
    if ((there.dynamic != 0) != is_dynamic()) {
      reason = text("processes disagree: process ", is_dynamic() ? rank_ : p,
                    " uses dynamic connections, process ", is_dynamic() ? p : rank_,
                    " does not (GPURMA_IB_CONNECTION)");
      return false;
    }
    if (there.link_layer != device_->port_attributes.link_layer) {
      reason = text(device_->description(), " of process ", rank_, " and ", there.device,
                    " of process ", p, " are not of one kind of network");
      return false;
    }
    peers_[static_cast<std::size_t>(p)]->there = there;
    for (unsigned q = 0; q < limits_.queue_pairs; ++q) {
      lane& one = lanes_[static_cast<std::size_t>(p) * limits_.queue_pairs + q];
      if (is_dynamic() ? !address_target(one, there, q, reason)
                       : !connect_queue_pair(one, there, q, reason))
        return false;
    }
  }
  return true;
}

// Of another process's port; null: of this one's, for initiators and targets, which learn the other
// end from each request.
ibv_ah_attr verbs_transport::address_of(const endpoint* there) const {
  ibv_ah_attr address{};
  address.port_num = device_->port;
  address.sl = static_cast<std::uint8_t>(limits_.service_level);
  if (there != nullptr)
    address.dlid = static_cast<std::uint16_t>(there->lid);
  // Ethernet has no local identifiers.
  if (device_->port_attributes.link_layer == IBV_LINK_LAYER_ETHERNET) {
    address.is_global = 1;
    if (there != nullptr)
      address.grh.dgid = there->gid;
    address.grh.sgid_index = static_cast<std::uint8_t>(device_->gid_index);
    address.grh.hop_limit = 64;
    address.grh.traffic_class = static_cast<std::uint8_t>(limits_.traffic_class);
  }
  return address;
}

connection_attributes verbs_transport::attributes_of_dynamic() const {
  connection_attributes as;
  as.mtu = device_->port_attributes.active_mtu;
  as.address = address_of(nullptr);
  as.timeout = static_cast<std::uint8_t>(limits_.timeout);
  as.retries = static_cast<std::uint8_t>(limits_.retries);
  as.reads =
      static_cast<std::uint8_t>(std::min(device_->attributes.max_qp_init_rd_atom, enough_reads));
  return as;
}

bool verbs_transport::address_target(lane& one, const endpoint& there, unsigned number,
                                     std::string& reason) {
  ibv_ah_attr address = address_of(&there);
  one.target = there.numbers[number];
  one.address = device_->api.ibv_create_ah(device_->domain, &address);
  if (one.address == nullptr)
    reason = text("process ", rank_, " (", device_->description(), ") cannot address process ",
                  one.process, " (", there.device, "): ", std::strerror(errno));
  return one.address != nullptr;
}

bool verbs_transport::connect_queue_pair(lane& one, const endpoint& there, unsigned number,
                                         std::string& reason) {
  const auto modify = [&](ibv_qp_attr& to, int mask, const char* state) {
    const int error = device_->api.ibv_modify_qp(one.receives, &to, mask);
    if (error != 0)
      reason = text("the queue pair from process ", rank_, " (", device_->description(),
                    ") to process ", one.process, " (", there.device, ") cannot be made ", state,
                    ": ", std::strerror(error));
    return error == 0;
  };
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_INIT;
  to.port_num = device_->port;
  to.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
  if (!modify(to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
              "initialised"))
    return false;

  to = {};
  to.qp_state = IBV_QPS_RTR;
  to.path_mtu =
      static_cast<ibv_mtu>(std::min<std::uint32_t>(there.mtu, device_->port_attributes.active_mtu));
  to.dest_qp_num = there.numbers[number];
  to.rq_psn = there.first_packet & 0xffffffu;
  to.max_dest_rd_atomic = static_cast<std::uint8_t>(
      std::min<std::uint32_t>(16, static_cast<std::uint32_t>(device_->attributes.max_qp_rd_atom)));
  to.min_rnr_timer = 12;
  to.ah_attr = address_of(&there);
  if (!modify(to,
              IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
              "ready to receive"))
    return false;

  to = {};
  to.qp_state = IBV_QPS_RTS;
  to.sq_psn = first_packet_ & 0xffffffu;
  to.timeout = static_cast<std::uint8_t>(limits_.timeout);
  to.retry_cnt = static_cast<std::uint8_t>(limits_.retries);
  to.rnr_retry = 0; // credits see to it that receivers are ready
  to.max_rd_atomic = static_cast<std::uint8_t>(std::min<std::uint32_t>(
      there.reads, static_cast<std::uint32_t>(device_->attributes.max_qp_init_rd_atom)));
  return modify(to,
                IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                    IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC,
                "ready to send");
}

verbs_transport::~verbs_transport() {
  set_receiver(nullptr);
  const verbs_api& api = device_->api;
  if (hosts_) {
    // The last requests of a queue may not have asked for a completion. Those of a lane that has
    // some in flight go to that queue.
    for (lane& one : lanes_)
      if (one.in_flight != 0 && one.sends->unsignaled != 0) {
        while (!has_room(one, 1))
          progress();
        ibv_send_wr last{};
        last.opcode = IBV_WR_RDMA_WRITE;
        const peer& to = *peers_[static_cast<std::size_t>(one.process)];
        last.wr.rdma = {to.there.board, to.there.board_key};
        post(one, last, {.what = "the last write"}, true);
      }
    const auto unfinished = [](const send_queue& one) { return one.in_flight() != 0; };
    while (std::any_of(send_queues_.begin(), send_queues_.end(), unfinished) ||
           !large_sends_.empty())
      progress();
    const auto everyone = hosts_->start_barrier();
    while (!everyone->test())
      std::this_thread::yield();
  }
  for (const send_queue& one : send_queues_)
    if (one.pair != nullptr)
      api.ibv_destroy_qp(one.pair);
  for (const lane& one : lanes_) {
    if (is_dynamic() && one.receives != nullptr)
      api.ibv_destroy_qp(one.receives);
    if (one.address != nullptr)
      api.ibv_destroy_ah(one.address);
  }
  release_read(true);
  if (receives_ != nullptr)
    api.ibv_destroy_srq(receives_);
  for (ibv_cq* const queue : {send_completions_, receive_completions_})
    if (queue != nullptr)
      api.ibv_destroy_cq(queue);
  for (ibv_mr* const region : {buffers_region_, boards_region_})
    if (region != nullptr)
      api.ibv_dereg_mr(region);
  std::free(buffers_);
}

std::uint64_t verbs_transport::sent(int process) const {
  return process == rank_ ? 0 : peers_[static_cast<std::size_t>(process)]->sent;
}

std::uint64_t verbs_transport::processed(int process) const {
  return process == rank_ ? 0 : peers_[static_cast<std::size_t>(process)]->processed;
}

// ---- posting ----

verbs_transport::lane& verbs_transport::lane_of(int process, const message_header& header) {
  const std::uint32_t pair =
      static_cast<std::uint32_t>(header.source) * 31 + static_cast<std::uint32_t>(header.target);
  // Queue pairs do not keep the order of each other's messages (M26).
  const bool one_for_all = (header.flags & keeps_place_flag) != 0;
  return lanes_[static_cast<std::size_t>(process) * limits_.queue_pairs +
                (one_for_all ? 0 : pair % limits_.queue_pairs)];
}

// Another one only in a build for test/verbs, which has to find that data and notification no
// longer keep their order.
verbs_transport::lane& verbs_transport::notifying_lane(lane& on) {
#ifdef GPURMA_TEST_NOTIFY_ON_ANOTHER_QUEUE_PAIR
  const auto index = static_cast<std::size_t>(&on - lanes_.data());
  const std::size_t number = index % limits_.queue_pairs;
  return lanes_[index - number + (number + 1) % limits_.queue_pairs];
#else
  return on;
#endif
}

// Of dynamic connections, a lane with nothing in flight moves to the initiator that has least to
// do; before, its order would be lost.
bool verbs_transport::has_room(lane& one, unsigned requests) {
  if (is_dynamic() && one.in_flight == 0)
    one.sends = &*std::min_element(
        send_queues_.begin(), send_queues_.end(),
        [](const send_queue& a, const send_queue& b) { return a.in_flight() < b.in_flight(); });
  return one.sends->in_flight() + requests <= limits_.sends;
}

std::uint32_t verbs_transport::credits_left(peer& of) const {
  const auto left = [&] {
    return of.there.credits - (static_cast<std::uint32_t>(of.sent) - of.processed_there);
  };
  if (left() < most_needed_credits)
    of.news->processed.read(of.processed_there);
  return left();
}

void verbs_transport::post(lane& on, ibv_send_wr& request, const work& what, bool signaled) {
  send_queue& by = *on.sends;
  const auto index = static_cast<std::uint64_t>(&by - send_queues_.data());
  request.wr_id = index << 32 | by.posted;
  // So that room is found again at the latest when three quarters are posted.
  signaled |= ++by.unsignaled >= limits_.sends / 4 || what.done != nullptr ||
              what.buffer != no_buffer || what.once != nullptr || what.read != nullptr;
  if (signaled) {
    request.send_flags |= IBV_SEND_SIGNALED;
    by.unsignaled = 0;
  }
  work& entry = by.at(by.posted);
  entry = what;
  entry.lane = static_cast<std::uint32_t>(&on - lanes_.data());
  ibv_send_wr* refused = nullptr;
  const int error = is_dynamic() ? post_to_target(by.dynamic, request, on.address, on.target)
                                 : ibv_post_send(by.pair, &request, &refused);
  if (error != 0)
    fatal(text("verbs: ", what.what, " cannot be posted to process ", on.process, " by ",
               device_->description(), ": ", std::strerror(error)));
  ++by.posted;
  ++on.in_flight;
}

std::byte* verbs_transport::buffer(std::uint32_t number) const {
  return buffers_ + number * stride_;
}

std::uint32_t verbs_transport::take_buffer() {
  const std::uint32_t number = free_buffers_.back();
  free_buffers_.pop_back();
  return number;
}

// Sends up to a header and an eager payload. Needs room for one request, and a buffer if the device
// takes less along.
void verbs_transport::post_message(lane& on, const message_header& header, const void* payload,
                                   std::size_t bytes, const char* what) {
  ibv_send_wr request{};
  ibv_sge part{};
  alignas(8) std::byte small[most_inline_bytes];
  work posted{.what = what, .source = header.source, .target = header.target};
  std::byte* memory = small;
  if (sizeof header + bytes <= inline_bytes_) {
    request.send_flags = IBV_SEND_INLINE;
  } else {
    posted.buffer = take_buffer();
    memory = buffer(posted.buffer);
    part.lkey = buffers_region_->lkey;
  }
  std::memcpy(memory, &header, sizeof header);
  if (bytes != 0)
    std::memcpy(memory + sizeof header, payload, bytes);
  part.addr = reinterpret_cast<std::uint64_t>(memory);
  part.length = static_cast<std::uint32_t>(sizeof header + bytes);
  request.opcode = IBV_WR_SEND;
  request.sg_list = &part;
  request.num_sge = 1;
  post(on, request, posted, false);
  on.unsealed = false;
}

// What has to be there for an access of up to `requests` requests, and for its notification. False:
// it is not, and nothing has happened.
bool verbs_transport::prepare(lane& on, const message_header& header, bool notified,
                              unsigned requests, unsigned buffers,
                              outgoing_notifications::found& as) {
  if (on.advancing)
    return false;
  if (!notified)
    return has_room(on, requests) && free_buffers_.size() >= buffers;
  peer& to = *peers_[static_cast<std::size_t>(on.process)];
  as = on.outgoing.find(header);
  if (as.defined) {
    if (!has_room(on, requests) || free_buffers_.size() < buffers || credits_left(to) == 0)
      return false;
  } else {
    if (!has_room(on, requests + 1) || free_buffers_.size() < buffers + 1 || credits_left(to) < 2)
      return false;
    message_header defining = header;
    defining.kind = message_kind::define;
    defining.carriage = with_header;
    const definition what{as.number, as.entry};
    defining.bytes = sizeof what;
    post_message(on, defining, &what, sizeof what, "the definition of a notification");
    on.outgoing.define(as.number, as.entry);
    ++to.sent;
  }
  ++to.sent;
  return true;
}

void verbs_transport::post_notification(lane& on, const message_header& header,
                                        std::uint32_t immediate, const char* what) {
  const endpoint& there = peers_[static_cast<std::size_t>(on.process)]->there;
  ibv_send_wr request{};
  request.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
  request.imm_data = htonl(immediate);
  request.wr.rdma = {there.board, there.board_key}; // of no bytes, so nothing is written
  post(on, request, {.what = what, .source = header.source, .target = header.target}, false);
  on.unsealed = false;
}

// The region of memory that is to be used in place, with at least this access; `once`: what to
// release then.
ibv_mr* verbs_transport::registered(const void* begin, std::size_t bytes, int access,
                                    const message_header& header, ibv_mr*& once) {
  std::string reason;
  if (ibv_mr* const known = registrations_.find(begin, bytes, reason))
    return known;
  once = registrations_.register_once(begin, bytes, access, reason);
  if (once == nullptr && !read_regions_.empty()) {
    release_read(true); // rather than end for want of memory that may be locked
    once = registrations_.register_once(begin, bytes, access, reason);
  }
  if (once == nullptr)
    fatal(text("verbs: memory of an access from rank ", header.source, " to rank ", header.target,
               " cannot be used: ", reason));
  return once;
}

exposed_memory verbs_transport::expose(const void* begin, std::size_t bytes, std::string& reason) {
  const ibv_mr* const region = registrations_.find(begin, bytes, reason);
  if (region == nullptr)
    return {};
  return {reinterpret_cast<std::uint64_t>(begin), bytes, region->rkey, 1};
}

bool verbs_transport::reaches(const void* begin, std::size_t bytes) {
  std::string reason;
  return registrations_.find(begin, bytes, reason) != nullptr;
}

bool verbs_transport::try_put(int process, const message_header& header, bool notified,
                              const exposed_memory& memory, std::uint64_t to, const void* payload,
                              std::size_t bytes, bool copy, completion* done) {
  lane& on = lane_of(process, header);
  lane& notifying = notifying_lane(on);
  const bool taken_along = copy && bytes <= inline_bytes_;
  const bool buffered = copy && !taken_along;
  outgoing_notifications::found as{};
  if (&notifying != &on && (on.advancing || !has_room(on, 1)))
    return false;
  if (!prepare(notifying, header, notified, 1, buffered ? 1 : 0, as))
    return false;

  work what{.what = "a put", .source = header.source, .target = header.target};
  ibv_sge part{};
  part.addr = reinterpret_cast<std::uint64_t>(payload);
  part.length = static_cast<std::uint32_t>(bytes);
  if (buffered) {
    what.buffer = take_buffer();
    std::memcpy(buffer(what.buffer), payload, bytes);
    part.addr = reinterpret_cast<std::uint64_t>(buffer(what.buffer));
    part.lkey = buffers_region_->lkey;
  } else if (!taken_along && bytes != 0) {
    part.lkey = registered(payload, bytes, 0, header, what.once)->lkey;
    what.done = done;
  }
  if (bytes > limits_.chunk) {
    start_access(on, {IBV_WR_RDMA_WRITE, to, memory.key, part.addr, part.lkey, bytes, what,
                      notified, as.immediate, header});
    return true;
  }
  const bool together = notified && &notifying == &on;
  ibv_send_wr request{};
  request.opcode = together ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE;
  request.imm_data = htonl(as.immediate);
  request.send_flags = taken_along && bytes != 0 ? static_cast<unsigned>(IBV_SEND_INLINE) : 0u;
  request.sg_list = &part;
  request.num_sge = bytes != 0 ? 1 : 0;
  request.wr.rdma = {to, memory.key};
  post(on, request, what, false);
  on.unsealed = !together;
  if (notified && !together)
    post_notification(notifying, header, as.immediate, "a notification");
  if (done != nullptr && what.done == nullptr)
    done->completed();
  return true;
}

bool verbs_transport::try_get(int process, const message_header& header, bool notified,
                              const exposed_memory& memory, std::uint64_t from, void* destination,
                              std::size_t bytes, completion* done) {
  lane& on = lane_of(process, header);
  outgoing_notifications::found as{};
  if (!prepare(on, header, notified, 2, 0, as))
    return false;
  long_access access{IBV_WR_RDMA_READ,
                     from,
                     memory.key,
                     reinterpret_cast<std::uint64_t>(destination),
                     0,
                     bytes,
                     {.what = "a get", .source = header.source, .target = header.target},
                     notified,
                     as.immediate,
                     header};
  if (bytes != 0) {
    access.local_key =
        registered(destination, bytes, IBV_ACCESS_LOCAL_WRITE, header, access.what.once)->lkey;
    access.what.done = done;
  }
  start_access(on, access);
  if (bytes == 0 && done != nullptr)
    done->completed();
  return true;
}

bool verbs_transport::try_notify(int process, const message_header& header) {
  lane& on = lane_of(process, header);
  outgoing_notifications::found as{};
  if (!prepare(on, header, true, 1, 0, as))
    return false;
  post_notification(on, header, as.immediate, "a notification");
  return true;
}

bool verbs_transport::try_seal(int process) {
  for (unsigned q = 0; q < limits_.queue_pairs; ++q) {
    lane& on = lanes_[static_cast<std::size_t>(process) * limits_.queue_pairs + q];
    peer& to = *peers_[static_cast<std::size_t>(process)];
    if (on.advancing)
      return false;
    if (!on.unsealed)
      continue;
    if (!has_room(on, 1) || credits_left(to) == 0)
      return false;
    ++to.sent;
    post_notification(on, {.source = -1, .target = -1}, seal_immediate, "the end of puts");
  }
  return true;
}

void verbs_transport::start_access(lane& on, const long_access& access) {
  on.access = access;
  on.advancing = true;
  if (!advance_access(on))
    advancing_.push_back(static_cast<std::uint32_t>(&on - lanes_.data()));
}

// Posts what there is room for; whether that was all.
bool verbs_transport::advance_access(lane& on) {
  long_access& access = on.access;
  const bool reads = access.opcode == IBV_WR_RDMA_READ;
  while (access.left != 0) {
    if (!has_room(on, 1))
      return false;
    const std::size_t bytes = std::min(limits_.chunk, access.left);
    const bool last = bytes == access.left;
    const bool together = last && access.notified && !reads;
    ibv_sge part{access.local, static_cast<std::uint32_t>(bytes), access.local_key};
    ibv_send_wr request{};
    request.opcode = together ? IBV_WR_RDMA_WRITE_WITH_IMM : access.opcode;
    request.imm_data = htonl(access.immediate);
    request.sg_list = &part;
    request.num_sge = 1;
    request.wr.rdma = {access.remote, access.remote_key};
    const work& what = access.what;
    // Every part asks for a completion, so that a long transfer does not look like a stall.
    post(on, request,
         last ? what : work{.what = what.what, .source = what.source, .target = what.target}, true);
    if (!reads)
      on.unsealed = !together;
    access.remote += bytes;
    access.local += bytes;
    access.left -= bytes;
    access.posted_on = on.sends;
    access.end = on.sends->posted;
  }
  if (reads && access.notified) {
    // Only then, because a queue pair does not keep what is sent behind a read from being carried
    // out before it. A fence would; but soft-RoCE (Linux 6.1) now and then hangs at one.
    const bool is_read = access.posted_on == nullptr ||
                         static_cast<std::int32_t>(access.posted_on->completed - access.end) >= 0;
    if (!is_read || !has_room(on, 1))
      return false;
    post_notification(on, access.header, access.immediate, "the notification of a get");
  }
  on.advancing = false;
  return true;
}

bool verbs_transport::try_send(int process, const message_header& header, const void* payload,
                               std::size_t bytes, completion* done) {
  assert(bytes == 0 || bytes == header.bytes);
  lane& on = lane_of(process, header);
  peer& to = *peers_[static_cast<std::size_t>(process)];
  const bool large = bytes > limits_.eager;
  const bool is_reply = !uses_credit(header.kind);
  if (on.advancing || !has_room(on, 1) || free_buffers_.empty())
    return false;
  if (is_reply) {
    const auto unprocessed = [&] { return to.replies_sent - to.replies_there; };
    if (unprocessed() == to.there.reply_credits)
      to.news->replies.read(to.replies_there);
    if (unprocessed() == to.there.reply_credits)
      return false;
  } else if (credits_left(to) == 0) {
    return false;
  }
  message_header marked = header;
  marked.carriage = large ? apart : bytes != 0 ? with_header : without_payload;
  if (!large) {
    post_message(on, marked, payload, bytes, "a message");
  } else {
    peer::large_send* const slot =
        std::find_if(std::begin(to.large), std::end(to.large),
                     [](const peer::large_send& one) { return !one.busy; });
    if (slot == std::end(to.large))
      return false;
    const auto number = static_cast<std::uint32_t>(slot - to.large);
    slot->busy = true;
    slot->done = done;
    slot->once = nullptr;
    ++slot->sequence;
    const ibv_mr* const region =
        registered(payload, bytes, IBV_ACCESS_REMOTE_READ, header, slot->once);
    const payload_elsewhere where{reinterpret_cast<std::uint64_t>(payload), region->rkey, number,
                                  slot->sequence, 0};
    post_message(on, marked, &where, sizeof where, "a message");
    large_sends_.push_back({process, number});
  }
  if (is_reply)
    ++to.replies_sent;
  else
    ++to.sent;
  if (!large && done != nullptr)
    done->completed();
  return true;
}

// Writes a count to the board of another process. Always on the same queue pair, so that a later
// count is never overwritten by an earlier one. False: no room now.
bool verbs_transport::tell(int process, std::size_t board_offset, std::uint32_t value) {
  lane& on = lanes_[static_cast<std::size_t>(process) * limits_.queue_pairs];
  const bool taken_along = sizeof(written_count) <= inline_bytes_;
  if (!has_room(on, 1) || (!taken_along && free_buffers_.empty()))
    return false;
  const endpoint& there = peers_[static_cast<std::size_t>(process)]->there;
  const written_count count{value, ~value};
  work what{.what = "a count of processed messages"};
  ibv_sge part{reinterpret_cast<std::uint64_t>(&count), sizeof count, 0};
  if (!taken_along) {
    what.buffer = take_buffer();
    std::memcpy(buffer(what.buffer), &count, sizeof count);
    part.addr = reinterpret_cast<std::uint64_t>(buffer(what.buffer));
    part.lkey = buffers_region_->lkey;
  }
  ibv_send_wr request{};
  request.opcode = IBV_WR_RDMA_WRITE;
  request.send_flags = taken_along ? static_cast<unsigned>(IBV_SEND_INLINE) : 0u;
  request.sg_list = &part;
  request.num_sge = 1;
  request.wr.rdma = {there.board + board_offset, there.board_key};
  post(on, request, what, false);
  return true;
}

// ---- completions ----

bool verbs_transport::progress() {
  bool worked = false;
  if (receiver_ != nullptr) {
    worked |= poll_receives();
    queues_.serve(batch, [&](queued_message& message) { return start_or_offer(message, worked); });
    post_receives();
  }
  worked |= poll_sends();
  for (std::size_t i = 0; i < advancing_.size();) {
    if (!advance_access(lanes_[advancing_[i]])) {
      ++i;
      continue;
    }
    advancing_[i] = advancing_.back();
    advancing_.pop_back();
  }
  if (!owing_.empty() || !notices_.empty())
    worked |= tell_others();
  if (!large_sends_.empty())
    worked |= finish_large_sends();
  if (!read_regions_.empty())
    release_read(false);
  if (worked) {
    vain_ = 0;
  } else if (++vain_ == vain_looks_between_events) {
    vain_ = 0;
    look_for_events();
    ask_silent();
  }
  return worked;
}

bool verbs_transport::poll_sends() {
  ibv_wc completed[batch];
  const int count = ibv_poll_cq(send_completions_, batch, completed);
  if (count < 0)
    fatal(text("verbs: the completions of ", device_->description(), " cannot be read"));
  for (int i = 0; i < count; ++i) {
    if (completed[i].status != IBV_WC_SUCCESS)
      fail({completed + i, completed + count}, send_completions_);
    retire(completed[i]);
  }
  return count != 0;
}

// A completion stands for all earlier requests of its queue pair, too.
void verbs_transport::retire(const ibv_wc& completed) {
  send_queue& on = send_queues_[completed.wr_id >> 32];
  const std::uint32_t end = static_cast<std::uint32_t>(completed.wr_id) + 1;
  while (on.completed != end) {
    const work what = on.at(on.completed++);
    --lanes_[what.lane].in_flight;
    if (what.buffer != no_buffer)
      free_buffers_.push_back(what.buffer);
    if (what.once != nullptr)
      registrations_.release(what.once);
    if (what.read != nullptr) {
      --what.read->in_flight;
      what.read->progressed = true;
    }
    if (what.done != nullptr)
      what.done->completed();
  }
}

// Once anything on a queue pair has failed, all else that it holds is flushed, and that may be
// found first: a receive before the request that has failed, or either while only the other end
// knows what it has refused. So the cause is looked for, and the other end given the time to tell
// its own.
void verbs_transport::fail(std::span<const ibv_wc> completed, ibv_cq* from) {
  const auto is_cause = [](const ibv_wc& one) {
    return one.status != IBV_WC_SUCCESS && one.status != IBV_WC_WR_FLUSH_ERR;
  };
  const auto cause = std::find_if(completed.begin(), completed.end(), is_cause);
  ibv_wc failed = cause != completed.end() ? *cause : completed.front();
  bool received = from == receive_completions_;
  const auto until = std::chrono::steady_clock::now() + patience_for_cause;
  while (!is_cause(failed) && std::chrono::steady_clock::now() < until) {
    look_for_events();
    bool found = false;
    for (ibv_cq* const queue : {send_completions_, receive_completions_}) {
      ibv_wc next{};
      if (ibv_poll_cq(queue, 1, &next) != 1)
        continue;
      found = true;
      if (is_cause(next)) {
        failed = next;
        received = queue == receive_completions_;
        break;
      }
    }
    if (!found)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  fatal(describe_failure(failed, received));
}

std::string verbs_transport::describe_failure(const ibv_wc& failed, bool received) const {
  const char* meaning = "";
  switch (failed.status) {
  case IBV_WC_RETRY_EXC_ERR:
    meaning = "; the process has ended, or the link between the two is down";
    break;
  case IBV_WC_REM_ACCESS_ERR:
    meaning = "; the memory of the target has been freed";
    break;
  case IBV_WC_LOC_PROT_ERR:
    meaning = "; the memory of the origin has been freed";
    break;
  case IBV_WC_WR_FLUSH_ERR:
    meaning = "; it follows from an earlier error, of which this process has not been told: the "
              "other one has refused a request, or its queue pair has failed";
    break;
  default:
    break;
  }
  const std::string status =
      text("has failed: ", device_->api.ibv_wc_status_str(failed.status), " (status ",
           static_cast<int>(failed.status), ", vendor's code ", failed.vendor_err, ")", meaning);
  if (received) {
    const auto known = lane_of_queue_pair_.find(failed.qp_num);
    return text("verbs: a receive of process ", rank_, " (", device_->description(), ") ",
                known == lane_of_queue_pair_.end()
                    ? std::string()
                    : text("from ", name_of_process(lanes_[known->second].process), " "),
                status);
  }
  const send_queue& on = send_queues_[failed.wr_id >> 32];
  const work& what = on.ring[static_cast<std::uint32_t>(failed.wr_id) & (on.ring.size() - 1)];
  const std::string ranks =
      what.source < 0 ? "" : text(" of rank ", what.source, " for rank ", what.target);
  return text("verbs: ", what.what, ranks, ", from process ", rank_, " (", device_->description(),
              ") to ", name_of_process(lanes_[what.lane].process), ", ", status);
}

std::string verbs_transport::name_of_process(int process) const {
  return text("process ", process, " (", peers_[static_cast<std::size_t>(process)]->there.device,
              ")");
}

void verbs_transport::look_for_events() {
  ibv_async_event event;
  while (device_->api.ibv_get_async_event(device_->context, &event) == 0) {
    const ibv_event_type type = event.event_type;
    std::string of;
    if (type == IBV_EVENT_QP_FATAL || type == IBV_EVENT_QP_REQ_ERR ||
        type == IBV_EVENT_QP_ACCESS_ERR) {
      const auto known = lane_of_queue_pair_.find(event.element.qp->qp_num);
      if (known != lane_of_queue_pair_.end())
        of = text(", queue pair to ", name_of_process(lanes_[known->second].process));
    }
    const std::string what = text("verbs: ", device_->description(), " of process ", rank_, of,
                                  ": ", device_->api.ibv_event_type_str(type));
    device_->api.ibv_ack_async_event(&event);
    switch (type) {
    case IBV_EVENT_PORT_ERR:
      log(log_level::warn, text(what, "; what is on its way is tried again, ", limits_.retries,
                                " times (GPURMA_IB_RETRIES)"));
      break;
    case IBV_EVENT_DEVICE_FATAL:
    case IBV_EVENT_CQ_ERR:
    case IBV_EVENT_SRQ_ERR:
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
      fatal(what);
    default:
      log(log_level::info, what);
    }
  }
}

// ---- receiving ----

bool verbs_transport::poll_receives() {
  ibv_wc completed[batch];
  const int count = ibv_poll_cq(receive_completions_, batch, completed);
  if (count < 0)
    fatal(text("verbs: the completions of ", device_->description(), " cannot be read"));
  for (int i = 0; i < count; ++i) {
    const ibv_wc& one = completed[i];
    const auto number = static_cast<std::uint32_t>(one.wr_id);
    const auto known = lane_of_queue_pair_.find(one.qp_num);
    if (one.status != IBV_WC_SUCCESS)
      fail({completed + i, completed + count}, receive_completions_);
    if (known == lane_of_queue_pair_.end())
      fatal(text("verbs: ", device_->description(), " of process ", rank_,
                 " has received from the unknown queue pair ", one.qp_num));
    lane& from = lanes_[known->second];
    if (one.opcode == IBV_WC_RECV_RDMA_WITH_IMM) {
      give_back(number);
      const std::uint32_t immediate = ntohl(one.imm_data);
      message_header header;
      if (immediate == seal_immediate)
        mark_processed(from.process, message_kind::notify);
      else if (from.incoming.read(immediate, header))
        take(from.process, header, nullptr, no_buffer);
      else
        fatal(text("verbs: process ", from.process, " notifies process ", rank_,
                   " by a number that it has not defined, ", immediate));
      continue;
    }
    message_header header;
    std::memcpy(&header, buffer(number), sizeof header);
    const std::byte* const payload = buffer(number) + sizeof header;
    if (header.kind == message_kind::define) {
      definition what;
      std::memcpy(&what, payload, sizeof what);
      from.incoming.define(what.number, what.entry);
      mark_processed(from.process, header.kind);
      give_back(number);
    } else {
      take(from.process, header, payload, number);
    }
  }
  return count != 0;
}

// Handles a message that has just come: at once if nothing is queued that it comes behind. number:
// the receive buffer that holds its payload, or no_buffer.
void verbs_transport::take(int process, const message_header& header, const std::byte* payload,
                           std::uint32_t number) {
  const std::uint64_t key = pair_key(header);
  const bool is_apart = header.carriage == apart;
  if (!is_apart && !queues_.has(key) && !queues_.holds_back(process, header) &&
      receiver_->arrived(header, header.carriage == with_header ? payload : nullptr)) {
    mark_processed(process, header.kind);
    if (number != no_buffer)
      give_back(number);
    return;
  }
  queued_message message{process, header, no_buffer, nullptr};
  if (header.carriage == with_header) {
    message.buffer = number;
    message.payload = payload;
  } else {
    if (is_apart)
      std::memcpy(&message.from, payload, sizeof message.from);
    if (number != no_buffer)
      give_back(number);
  }
  queues_.push(key, std::move(message));
}

// Moves the first message of a queue on; whether it has been taken. Sets `worked` if anything
// happened.
bool verbs_transport::start_or_offer(queued_message& message, bool& worked) {
  const void* payload = message.payload;
  if (message.header.carriage == apart) {
    if (!message.read && !begin_large(message))
      return false;
    large_read& read = *message.read;
    worked |= std::exchange(read.progressed, false);
    advance_large(read);
    if (!read.complete())
      return false;
    if (read.on != nullptr) {
      // The sender's buffer is free, whenever the message is taken.
      read.on = nullptr;
      notices_.push_back({message.process, read.from.slot, read.from.sequence});
      if (read.once != nullptr)
        registrations_.release(read.once);
    }
    payload = message.landing;
  }
  if (!receiver_->arrived(message.header, payload))
    return false;
  mark_processed(message.process, message.header.kind);
  if (message.buffer != no_buffer)
    give_back(message.buffer);
  worked = true;
  return true;
}

// False: the receiver has no place for it now.
bool verbs_transport::begin_large(queued_message& message) {
  const std::optional<void*> place = receiver_->landing(message.header);
  if (!place)
    return false;
  message.landing = *place;
  if (message.landing == nullptr) {
    message.own.resize(message.header.bytes);
    message.landing = message.own.data();
  }
  message.read = std::make_unique<large_read>();
  large_read& read = *message.read;
  read.on = &lane_of(message.process, message.header);
  read.header = message.header;
  read.from = message.from;
  read.next = static_cast<std::byte*>(message.landing);
  read.left = message.header.bytes;
  read.key =
      registered(message.landing, read.left, IBV_ACCESS_LOCAL_WRITE, message.header, read.once)
          ->lkey;
  return true;
}

// Posts the next parts of a payload that is being read.
void verbs_transport::advance_large(large_read& read) {
  while (read.left != 0 && read.in_flight < reads_in_flight && has_room(*read.on, 1)) {
    const std::size_t bytes = std::min(limits_.chunk, read.left);
    ibv_sge part{reinterpret_cast<std::uint64_t>(read.next), static_cast<std::uint32_t>(bytes),
                 read.key};
    ibv_send_wr request{};
    request.opcode = IBV_WR_RDMA_READ;
    request.sg_list = &part;
    request.num_sge = 1;
    request.wr.rdma = {read.from.address, read.from.key};
    post(*read.on, request,
         {.what = "the payload of a message",
          .source = read.header.source,
          .target = read.header.target,
          .read = &read},
         true);
    ++read.in_flight;
    read.next += bytes;
    read.from.address += bytes;
    read.left -= bytes;
  }
}

void verbs_transport::mark_processed(int process, message_kind kind) {
  peer& from = *peers_[static_cast<std::size_t>(process)];
  if (uses_credit(kind))
    ++from.processed;
  else
    ++from.replies_processed;
  if (!from.owing && owes(from)) {
    from.owing = true;
    owing_.push_back(process);
  }
}

// Whether a process should be told now how many of its messages have been processed.
bool verbs_transport::owes(const peer& to) const {
  return static_cast<std::uint32_t>(to.processed) - to.processed_told >= given_credits_ / 2 ||
         to.replies_processed - to.replies_told >= given_reply_credits_ / 2;
}

void verbs_transport::give_back(std::uint32_t number) {
  ibv_recv_wr entry{};
  entry.wr_id = number;
  reposts_.push_back(entry);
}

// Before others are told that messages have been processed: a credit is an entry of the queue.
void verbs_transport::post_receives() {
  if (reposts_.empty())
    return;
  ibv_sge parts[batch];
  for (std::size_t begin = 0; begin < reposts_.size(); begin += batch) {
    const std::size_t end = std::min(reposts_.size(), begin + batch);
    for (std::size_t i = begin; i < end; ++i) {
      ibv_recv_wr& entry = reposts_[i];
      ibv_sge& part = parts[i - begin];
      part = {reinterpret_cast<std::uint64_t>(buffer(static_cast<std::uint32_t>(entry.wr_id))),
              static_cast<std::uint32_t>(stride_), buffers_region_->lkey};
      entry.sg_list = &part;
      entry.num_sge = 1;
      entry.next = i + 1 < end ? &reposts_[i + 1] : nullptr;
    }
    ibv_recv_wr* refused = nullptr;
    const int error = ibv_post_srq_recv(receives_, &reposts_[begin], &refused);
    if (error != 0)
      fatal(text("verbs: receives cannot be posted by ", device_->description(), ": ",
                 std::strerror(error)));
  }
  reposts_.clear();
}

// Credits, and large payloads that have been read.
bool verbs_transport::tell_others() {
  bool worked = false;
  while (!notices_.empty()) {
    const notice& one = notices_.back();
    if (!tell(one.process, offsetof(board, read) + one.slot * sizeof(written_count), one.sequence))
      break;
    notices_.pop_back();
    worked = true;
  }
  while (!owing_.empty()) {
    peer& to = *peers_[static_cast<std::size_t>(owing_.back())];
    const auto processed_now = static_cast<std::uint32_t>(to.processed);
    if (processed_now != to.processed_told) {
      if (!tell(owing_.back(), offsetof(board, processed), processed_now))
        break;
      to.processed_told = processed_now;
    }
    if (to.replies_processed != to.replies_told) {
      if (!tell(owing_.back(), offsetof(board, replies), to.replies_processed))
        break;
      to.replies_told = to.replies_processed;
    }
    to.owing = false;
    owing_.pop_back();
    worked = true;
  }
  return worked;
}

bool verbs_transport::finish_large_sends() {
  bool worked = false;
  for (std::size_t i = 0; i < large_sends_.size();) {
    const large_slot where = large_sends_[i];
    peer& to = *peers_[static_cast<std::size_t>(where.process)];
    peer::large_send& one = to.large[where.slot];
    std::uint32_t read = one.sequence - 1;
    to.news->read[where.slot].read(read);
    if (read != one.sequence) {
      ++i;
      continue;
    }
    large_sends_[i] = large_sends_.back();
    large_sends_.pop_back();
    one.busy = false;
    if (one.once != nullptr)
      read_regions_.push_back({one.once, std::chrono::steady_clock::now() + time_wait()});
    if (completion* const done = std::exchange(one.done, nullptr))
      done->completed();
    worked = true;
  }
  return worked;
}

// A process that has ended returns no credits, and if nothing is on its way to it, nothing fails.
// So those that hold this one back are told again what it has processed.
void verbs_transport::ask_silent() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_question_)
    return;
  next_question_ = now + time_wait();
  for (int p = 0; p < size_; ++p) {
    peer* const to = peers_[static_cast<std::size_t>(p)].get();
    if (to != nullptr && credits_left(*to) < most_needed_credits &&
        tell(p, offsetof(board, processed), static_cast<std::uint32_t>(to->processed)))
      to->processed_told = static_cast<std::uint32_t>(to->processed);
  }
}

// As long as a packet is taken to be on its way, which is when it is sent again if there is no
// answer.
std::chrono::nanoseconds verbs_transport::time_wait() const {
  constexpr std::int64_t unit = 4096;
  return std::chrono::nanoseconds(unit << limits_.timeout);
}

// A read may have been asked for twice, and a request for memory that has been taken back breaks
// the queue pair, although the answer is no longer wanted.
void verbs_transport::release_read(bool all) {
  const auto now = std::chrono::steady_clock::now();
  while (!read_regions_.empty() && (all || read_regions_.front().until <= now)) {
    registrations_.release(read_regions_.front().memory);
    read_regions_.pop_front();
  }
}

} // namespace gpurma::host::verbs
