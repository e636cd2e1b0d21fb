// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages that could not be taken when they came, in a queue for each order (see transport.h), so
// that a message waits for earlier ones of its own order only.
#ifndef GPURMA_TRANSPORT_PAIR_QUEUES_H
#define GPURMA_TRANSPORT_PAIR_QUEUES_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <list>
#include <unordered_map>
#include <utility>

#include "transport.h"

namespace gpurma::host {

// Replies have pairs of their own: they answer requests of the other direction, and one that waited
// behind a message of its rank could wait for a notification that itself waits for a reply.
inline std::uint64_t pair_key(const message_header& header) {
  const std::uint64_t reply = header.kind == message_kind::get_reply ? 1 : 0;
  return reply << 63 | std::uint64_t{static_cast<std::uint32_t>(header.source)} << 32 |
         static_cast<std::uint32_t>(header.target);
}

// Replies use no credits: the number of requests bounds them, and a reply that waited for credits
// could wait for a process that waits for this one's reply.
inline bool uses_credit(message_kind kind) {
  return kind != message_kind::get_reply && kind != message_kind::credit;
}

// A put that those of a process to the same place must be taken in order with, whatever ranks have
// sent them (M26).
inline bool keeps_place(const message_header& header) {
  return header.kind == message_kind::put && header.flags == keeps_place_flag;
}

// Not by their windows, since several may be for the same memory.
inline bool overlap(const message_header& one, const message_header& other) {
  return one.target == other.target && one.offset < other.offset + other.bytes &&
         other.offset < one.offset + one.bytes;
}

// Message: has `process`, which it comes from, and `header`.
template <class Message> class pair_queues {
public:
  bool empty() const { return queues_.empty(); }
  // Whether an earlier message that has not been taken is for the place of one that comes now.
  bool holds_back(int process, const message_header& header) const {
    return is_held_back(process, header, next_);
  }
  bool has(std::uint64_t key) const {
    return !queue_of_pair_.empty() && queue_of_pair_.count(key) != 0;
  }

  // Behind earlier ones of its pair. The reference stays valid until the message is taken.
  Message& push(std::uint64_t key, Message message) {
    auto known = queue_of_pair_.find(key);
    if (known == queue_of_pair_.end()) {
      queues_.push_back({key, {}});
      known = queue_of_pair_.emplace(key, std::prev(queues_.end())).first;
    }
    return known->second->messages.emplace_back(entry{next_++, std::move(message)}).message;
  }

  // Offers the first messages of up to `most` queues, but those that are held back; offer(message)
  // says whether it has been taken. Queues have their turns: one that has been looked at goes to
  // the end.
  template <class Offer> void serve(std::size_t most, Offer offer) {
    const std::size_t looks = std::min(queues_.size(), most);
    for (std::size_t n = 0; n < looks; ++n) {
      const auto queue = queues_.begin();
      while (!queue->messages.empty() && !is_held_back(queue->messages.front()) &&
             offer(queue->messages.front().message))
        queue->messages.pop_front();
      if (queue->messages.empty()) {
        queue_of_pair_.erase(queue->key);
        queues_.erase(queue);
      } else {
        queues_.splice(queues_.end(), queues_, queue);
      }
    }
  }

private:
  struct entry {
    std::uint64_t number; // in the order in which they have come
    Message message;
  };
  struct queue {
    std::uint64_t key;
    std::deque<entry> messages;
  };

  bool is_held_back(const entry& one) const {
    return is_held_back(one.message.process, one.message.header, one.number);
  }
  bool is_held_back(int process, const message_header& header, std::uint64_t number) const {
    if (!keeps_place(header))
      return false;
    return std::any_of(queues_.begin(), queues_.end(), [&](const queue& each) {
      return std::any_of(each.messages.begin(), each.messages.end(), [&](const entry& earlier) {
        return earlier.number < number && earlier.message.process == process &&
               keeps_place(earlier.message.header) && overlap(earlier.message.header, header);
      });
    });
  }

  std::uint64_t next_ = 0;
  std::list<queue> queues_;
  std::unordered_map<std::uint64_t, typename std::list<queue>::iterator> queue_of_pair_;
};

} // namespace gpurma::host

#endif
