// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What processes need to find each other without a launcher: an address of process 0 and a token
// that tells the run from others, as text: "host:port/token", "[::1]:port/token".
#ifndef GPURMA_TRANSPORT_SOCKETS_UNIQUE_ID_H
#define GPURMA_TRANSPORT_SOCKETS_UNIQUE_ID_H

#include <string>

namespace gpurma::host {

inline constexpr std::size_t longest_token = 63;

struct unique_id_parts {
  std::string host;
  std::string port;
  std::string token;
};

// False: `reason` says what is wrong with the text.
bool parse_unique_id(const std::string& id, unique_id_parts& parts, std::string& reason);

// Opens a port of this machine, and names it with a random token. The port stays open until
// take_listener.
std::string open_unique_id();

// A socket that listens at the port of an id: the one that open_unique_id has left open, or a new
// one. Negative: `reason` says why.
int take_listener(const std::string& id, const unique_id_parts& parts, std::string& reason);

} // namespace gpurma::host

#endif
