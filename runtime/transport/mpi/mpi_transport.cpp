// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi_transport.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <thread>

namespace gpurma::host {

namespace {

constexpr int message_tag = 1;
constexpr int first_data_tag = 2;

// Values of message_header::carriage.
enum : std::uint16_t { without_payload, with_header, apart };

// MPI messages of one large payload that are in flight. Not all at a time: MPI moves them side by
// side, and a transfer that shows nothing before its end looks like a stall.
constexpr std::size_t parts_in_flight = 4;

// Messages handled in one progress() before the caller gets its thread back.
constexpr int batch = 32;

} // namespace

// What a process knows of another one.
struct mpi_transport::peer {
  std::atomic<std::uint64_t> sent{0};
  std::atomic<std::uint64_t> processed{0};
  std::atomic<std::uint32_t> credits{0}; // messages that may still be sent
  std::atomic<std::uint32_t> owed{0};    // credits to give back with the next message
  std::uint32_t next_data_tag = 0;       // under send_mutex_
  bool owing = false;                    // in owing_; only the thread in progress()
};

struct mpi_transport::small_send {
  MPI_Request request = MPI_REQUEST_NULL;
  std::unique_ptr<std::byte[]> memory; // header and payload
};

// A large payload on its way, either end.
struct mpi_transport::large_payload {
  int process = 0;
  int tag = 0;
  std::byte* next = nullptr; // what has not been posted yet
  std::size_t left = 0;
  std::vector<MPI_Request> requests; // in the order of posting

  bool complete() const { return left == 0 && requests.empty(); }
};

struct mpi_transport::large_send {
  large_payload payload;
  completion* done;
};

// A message behind an earlier one of its pair.
struct mpi_transport::queued_message {
  int process;
  message_header header;
  std::vector<std::byte>
      copy; // of a payload that came with the header, or where one lands that has no other place
  bool receiving = false; // a large payload is under way, or there
  void* landing = nullptr;
  large_payload payload;
};

mpi_transport::mpi_transport(MPI_Comm parent, const limits& chosen)
    : collectives_(parent), limits_(chosen) {
  check_mpi(MPI_Comm_dup(parent, &messages_), "duplicating a communicator");
  MPI_Comm_rank(messages_, &rank_);
  MPI_Comm_size(messages_, &size_);
  int* highest_tag = nullptr;
  int found = 0;
  MPI_Comm_get_attr(messages_, MPI_TAG_UB, static_cast<void*>(&highest_tag), &found);
  data_tags_ = static_cast<std::uint32_t>((found ? *highest_tag : 32767) - first_data_tag);

  peers_ = std::make_unique<peer[]>(static_cast<std::size_t>(size_));
  for (int p = 0; p < size_; ++p)
    peers_[static_cast<std::size_t>(p)].credits = limits_.credits;

  const std::size_t stride = sizeof(message_header) + limits_.eager;
  receive_memory_.resize(limits_.receives * stride);
  receive_requests_.resize(limits_.receives, MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < limits_.receives; ++i)
    check_mpi(MPI_Recv_init(&receive_memory_[i * stride], static_cast<int>(stride), MPI_BYTE,
                            MPI_ANY_SOURCE, message_tag, messages_, &receive_requests_[i]),
              "preparing a receive");
  for (MPI_Request& request : receive_requests_)
    check_mpi(MPI_Start(&request), "posting a receive");
}

mpi_transport::~mpi_transport() {
  set_receiver(nullptr);
  while (sends_in_flight_.load() != 0)
    progress();
  const auto everyone = start_barrier();
  while (!everyone->test())
    std::this_thread::yield();
  for (MPI_Request& request : receive_requests_) {
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  }
  MPI_Comm_free(&messages_);
}

std::uint64_t mpi_transport::sent(int process) const {
  return peers_[static_cast<std::size_t>(process)].sent.load(std::memory_order_acquire);
}

std::uint64_t mpi_transport::processed(int process) const {
  return peers_[static_cast<std::size_t>(process)].processed.load(std::memory_order_acquire);
}

// ---- sending ----

bool mpi_transport::try_send(int process, const message_header& header, const void* payload,
                             std::size_t bytes, completion* done) {
  peer& to = peers_[static_cast<std::size_t>(process)];
  const bool large = bytes > limits_.eager;
  assert(bytes == 0 || bytes == header.bytes);
  {
    const std::lock_guard<std::mutex> lock(send_mutex_);
    if (uses_credit(header.kind) && to.credits.load(std::memory_order_acquire) == 0)
      return false;
    if (large && large_sends_.size() >= limits_.sends)
      return false;
    small_send* const slot = take_small_send();
    if (!slot)
      return false;
    if (uses_credit(header.kind)) {
      to.credits.fetch_sub(1, std::memory_order_relaxed);
      to.sent.fetch_add(1, std::memory_order_release);
    }

    message_header marked = header;
    marked.carriage = large ? apart : bytes != 0 ? with_header : without_payload;
    marked.data_tag = large ? to.next_data_tag++ % data_tags_ : 0;
    post_small(process, marked, payload, large ? 0 : bytes, *slot);
    if (large) {
      large_send& rest =
          large_sends_.emplace_back(large_send{{process,
                                                first_data_tag + static_cast<int>(marked.data_tag),
                                                static_cast<std::byte*>(const_cast<void*>(payload)),
                                                bytes,
                                                {}},
                                               done});
      sends_in_flight_.fetch_add(1, std::memory_order_relaxed);
      advance(rest.payload, true);
    }
  }
  if (!large && done)
    done->completed();
  return true;
}

// Forgets parts that are complete, up to the first that is not, and posts the next ones; whether
// any were.
bool mpi_transport::advance(large_payload& payload, bool sending) {
  bool any = false;
  while (!payload.requests.empty()) {
    int done = 0;
    check_mpi(MPI_Test(&payload.requests.front(), &done, MPI_STATUS_IGNORE),
              "testing a large transfer");
    if (!done)
      break;
    payload.requests.erase(payload.requests.begin());
    any = true;
  }
  while (payload.left != 0 && payload.requests.size() < parts_in_flight) {
    const std::size_t bytes = std::min(limits_.chunk, payload.left);
    const int length = static_cast<int>(bytes);
    MPI_Request& request = payload.requests.emplace_back();
    if (sending)
      check_mpi(MPI_Isend(payload.next, length, MPI_BYTE, payload.process, payload.tag, messages_,
                          &request),
                "sending a large payload");
    else
      check_mpi(MPI_Irecv(payload.next, length, MPI_BYTE, payload.process, payload.tag, messages_,
                          &request),
                "receiving a large payload");
    payload.next += bytes;
    payload.left -= bytes;
  }
  return any;
}

mpi_transport::small_send* mpi_transport::take_small_send() {
  if (free_sends_.empty() && busy_sends_.size() == limits_.sends)
    reap_sends();
  if (free_sends_.empty()) {
    if (small_sends_.size() == limits_.sends)
      return nullptr;
    small_sends_.push_back(std::make_unique<small_send>());
    small_sends_.back()->memory =
        std::make_unique<std::byte[]>(sizeof(message_header) + limits_.eager);
    return small_sends_.back().get();
  }
  small_send* const slot = free_sends_.back();
  free_sends_.pop_back();
  return slot;
}

void mpi_transport::post_small(int process, const message_header& header, const void* payload,
                               std::size_t bytes, small_send& slot) {
  message_header stamped = header;
  stamped.returned =
      peers_[static_cast<std::size_t>(process)].owed.exchange(0, std::memory_order_relaxed);
  std::memcpy(slot.memory.get(), &stamped, sizeof stamped);
  if (bytes != 0)
    std::memcpy(slot.memory.get() + sizeof stamped, payload, bytes);
  check_mpi(MPI_Isend(slot.memory.get(), static_cast<int>(sizeof stamped + bytes), MPI_BYTE,
                      process, message_tag, messages_, &slot.request),
            "sending a message");
  // Between processes of one host the send is nearly always complete by now, and the same warm slot
  // serves the next one.
  int done = 0;
  check_mpi(MPI_Test(&slot.request, &done, MPI_STATUS_IGNORE), "testing a send");
  if (done) {
    free_sends_.push_back(&slot);
  } else {
    busy_sends_.push_back(&slot);
    sends_in_flight_.fetch_add(1, std::memory_order_relaxed);
  }
}

// Frees what has been sent; whether anything was. Completions of large sends are told by
// progress().
bool mpi_transport::reap_sends() {
  bool worked = false;
  for (std::size_t i = 0, looks = 0; i < busy_sends_.size() && looks < batch; ++looks) {
    int done = 0;
    check_mpi(MPI_Test(&busy_sends_[i]->request, &done, MPI_STATUS_IGNORE), "testing a send");
    if (!done) {
      ++i;
      continue;
    }
    free_sends_.push_back(busy_sends_[i]);
    busy_sends_[i] = busy_sends_.back();
    busy_sends_.pop_back();
    sends_in_flight_.fetch_sub(1, std::memory_order_relaxed);
    worked = true;
  }
  return worked;
}

// Gives credits back to processes to which nothing else goes that could carry them.
bool mpi_transport::send_credits() {
  bool worked = false;
  const std::lock_guard<std::mutex> lock(send_mutex_);
  while (!owing_.empty()) {
    const int process = owing_.back();
    peer& to = peers_[static_cast<std::size_t>(process)];
    if (to.owed.load(std::memory_order_relaxed) >= limits_.credits / 2) {
      small_send* const slot = take_small_send();
      if (!slot)
        return worked;
      message_header header;
      header.kind = message_kind::credit;
      post_small(process, header, nullptr, 0, *slot);
      worked = true;
    }
    to.owing = false;
    owing_.pop_back();
  }
  return worked;
}

// ---- receiving ----

bool mpi_transport::progress() {
  if (!receiver_.load(std::memory_order_acquire) &&
      sends_in_flight_.load(std::memory_order_relaxed) == 0)
    return false;
  if (progressing_.test_and_set(std::memory_order_acquire))
    return false;
  bool worked = receive_small();
  queues_.serve(batch, [&](queued_message& message) { return start_or_offer(message, worked); });
  if (!owing_.empty())
    worked |= send_credits();
  if (sends_in_flight_.load(std::memory_order_relaxed) != 0) {
    std::vector<completion*> done;
    {
      const std::lock_guard<std::mutex> lock(send_mutex_);
      worked |= reap_sends();
      int looks = 0;
      for (auto send = large_sends_.begin(); send != large_sends_.end() && looks < batch; ++looks) {
        worked |= advance(send->payload, true);
        if (!send->payload.complete()) {
          ++send;
          continue;
        }
        if (send->done)
          done.push_back(send->done);
        send = large_sends_.erase(send);
        sends_in_flight_.fetch_sub(1, std::memory_order_relaxed);
      }
    }
    for (completion* each : done) // outside the lock: they may send
      each->completed();
  }
  progressing_.clear(std::memory_order_release);
  return worked;
}

bool mpi_transport::receive_small() {
  if (!receiver_.load(std::memory_order_relaxed))
    return false;
  const std::size_t stride = sizeof(message_header) + limits_.eager;
  for (int n = 0; n < batch; ++n) {
    MPI_Request& request = receive_requests_[receive_head_];
    int here = 0;
    MPI_Status status;
    check_mpi(MPI_Test(&request, &here, &status), "receiving a message");
    if (!here)
      return n != 0;
    const std::byte* const memory = &receive_memory_[receive_head_ * stride];
    message_header header;
    std::memcpy(&header, memory, sizeof header);
    take(status.MPI_SOURCE, header, memory + sizeof header);
    check_mpi(MPI_Start(&request), "posting a receive");
    receive_head_ = receive_head_ + 1 == receive_requests_.size() ? 0 : receive_head_ + 1;
  }
  return true;
}

// Handles a message that has just come: at once if nothing is queued that it comes behind.
void mpi_transport::take(int process, const message_header& header, const std::byte* payload) {
  if (header.returned != 0)
    peers_[static_cast<std::size_t>(process)].credits.fetch_add(header.returned,
                                                                std::memory_order_release);
  if (header.kind == message_kind::credit)
    return;

  const std::uint64_t key = pair_key(header);
  const bool behind = queues_.has(key) || queues_.holds_back(process, header);
  if (!behind && header.carriage != apart &&
      receiver_.load(std::memory_order_relaxed)
          ->arrived(header, header.carriage == with_header ? payload : nullptr)) {
    mark_processed(process, header.kind);
    return;
  }

  queued_message message{process, header, {}, false, nullptr, {}};
  if (header.carriage == with_header)
    message.copy.assign(payload, payload + header.bytes);
  if (!behind && header.carriage == apart)
    static_cast<void>(begin_large(message)); // or when the queue is served
  queues_.push(key, std::move(message));
}

// False: the receiver has no place for it now.
bool mpi_transport::begin_large(queued_message& message) {
  const std::optional<void*> place =
      receiver_.load(std::memory_order_relaxed)->landing(message.header);
  if (!place)
    return false;
  message.receiving = true;
  message.landing = *place;
  if (!message.landing) {
    message.copy.resize(message.header.bytes);
    message.landing = message.copy.data();
  }
  message.payload = {message.process,
                     first_data_tag + static_cast<int>(message.header.data_tag),
                     static_cast<std::byte*>(message.landing),
                     message.header.bytes,
                     {}};
  advance(message.payload, false);
  return true;
}

// Moves the first message of a queue on; whether it has been taken. Sets `worked` if anything
// happened.
bool mpi_transport::start_or_offer(queued_message& message, bool& worked) {
  const void* payload = message.copy.empty() ? nullptr : message.copy.data();
  if (message.header.carriage == apart) {
    if (!message.receiving && !begin_large(message))
      return false;
    worked |= advance(message.payload, false);
    if (!message.payload.complete())
      return false;
    payload = message.landing;
  }
  if (!receiver_.load(std::memory_order_relaxed)->arrived(message.header, payload))
    return false;
  mark_processed(message.process, message.header.kind);
  worked = true;
  return true;
}

void mpi_transport::mark_processed(int process, message_kind kind) {
  if (!uses_credit(kind))
    return;
  peer& from = peers_[static_cast<std::size_t>(process)];
  from.processed.fetch_add(1, std::memory_order_release);
  const std::uint32_t owed = from.owed.fetch_add(1, std::memory_order_relaxed) + 1;
  if (owed >= limits_.credits / 2 && !from.owing) {
    from.owing = true;
    owing_.push_back(process);
  }
}

} // namespace gpurma::host
