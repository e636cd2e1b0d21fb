// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that find each other by a unique id, without MPI: each holds a TCP connection to
// process 0, which carries out the collective operations and passes the rest on. A thread of each
// process serves its connections, so nothing depends on what its other threads do.
#ifndef GPURMA_TRANSPORT_SOCKETS_SOCKET_GROUP_H
#define GPURMA_TRANSPORT_SOCKETS_SOCKET_GROUP_H

#include <memory>
#include <string>

#include "../process_group.h"

namespace gpurma::host {

class socket_group final : public process_group {
public:
  struct place {
    int rank = 0; // of this process
    int size = 1;
    std::string id;      // see unique_id.h
    double timeout = 60; // seconds in which all have to come; 0: for ever
  };

  // Returns when all processes have come. Null: `reason` says why they have not.
  static std::unique_ptr<socket_group> join(const place& mine, std::string& reason);
  ~socket_group() override;

  int rank() const override;
  int size() const override;
  int node_leader() override;
  std::unique_ptr<collectives> make_collectives() override;
  std::unique_ptr<heartbeat_link> make_heartbeat_link() override;
  void leave() override;
  [[noreturn]] void end_all(int code) override;

private:
  struct server;
  explicit socket_group(std::unique_ptr<server> serves);
  std::unique_ptr<server> server_;
};

// Whether a TCP connection ends where it begins: that is what becomes of an attempt to reach a port
// of this machine where nobody listens, if the system happens to give the attempt that port.
bool is_connected_to_itself(int socket);

} // namespace gpurma::host

#endif
