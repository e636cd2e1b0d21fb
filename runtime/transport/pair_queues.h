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

template <class Message> class pair_queues {
public:
  bool empty() const { return queues_.empty(); }
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
    return known->second->messages.emplace_back(std::move(message));
  }

  // Offers the first messages of up to `most` queues; offer(message) says whether it has been
  // taken. Queues have their turns: one that has been looked at goes to the end.
  template <class Offer> void serve(std::size_t most, Offer offer) {
    const std::size_t looks = std::min(queues_.size(), most);
    for (std::size_t n = 0; n < looks; ++n) {
      const auto queue = queues_.begin();
      while (!queue->messages.empty() && offer(queue->messages.front()))
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
  struct queue {
    std::uint64_t key;
    std::deque<Message> messages;
  };
  std::list<queue> queues_;
  std::unordered_map<std::uint64_t, typename std::list<queue>::iterator> queue_of_pair_;
};

} // namespace gpurma::host

#endif
