// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processes of a run, by the way in which they were started: who is who, and what their hosts
// exchange before there is a transport and beside it. One implementation per folder (mpi/,
// sockets/, self/).
#ifndef GPURMA_TRANSPORT_PROCESS_GROUP_H
#define GPURMA_TRANSPORT_PROCESS_GROUP_H

#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#include "../host/watchdog.h"
#include "transport.h"

namespace gpurma::host {

class process_group {
public:
  virtual ~process_group() = default;
  virtual int rank() const = 0; // of this process
  virtual int size() const = 0;

  // The lowest process that shares this one's node. Collective.
  virtual int node_leader() = 0;
  // Independent of any that have been made before. Collective.
  virtual std::unique_ptr<collectives> make_collectives() = 0;
  virtual std::unique_ptr<heartbeat_link> make_heartbeat_link() = 0;

  // The end, once all that has been made is gone; only end_all may follow. Collective.
  virtual void leave() = 0;
  // Ends this process, and all others that have not left.
  [[noreturn]] virtual void end_all(int code) = 0;
};

inline void wait(collective& operation) {
  while (!operation.test())
    std::this_thread::yield();
}

// What each process gives, by their numbers.
template <class T> std::vector<T> allgather(collectives& among, int size, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(static_cast<std::size_t>(size));
  wait(*among.start_allgather(&mine, sizeof mine, all.data()));
  return all;
}

} // namespace gpurma::host

#endif
