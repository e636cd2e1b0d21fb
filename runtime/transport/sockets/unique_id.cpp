// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unique_id.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

#include "../../host/log.h"

namespace gpurma::host {

namespace {

struct left_open {
  std::mutex mutex;
  std::string id;
  int listener = -1;
};

left_open& state() {
  static left_open instance;
  return instance;
}

// At all addresses of this machine: a name may stand for one that others do not reach (Debian's
// 127.0.1.1). Negative: errno.
int listen_at(int family, std::uint16_t port) {
  const int made = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0)
    return -1;
  const int yes = 1;
  setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(port);
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(port);
  const bool is_six = family == AF_INET6;
  if (bind(made,
           is_six ? reinterpret_cast<const sockaddr*>(&six)
                  : reinterpret_cast<const sockaddr*>(&four),
           is_six ? sizeof six : sizeof four) == 0 &&
      listen(made, SOMAXCONN) == 0)
    return made;
  const int error = errno;
  close(made);
  errno = error;
  return -1;
}

// An address at which other machines reach this one, if it has any.
std::string own_address() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0)
    list = nullptr;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, freeifaddrs);
  for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET ||
        (each->ifa_flags & IFF_UP) == 0 || (each->ifa_flags & IFF_LOOPBACK) != 0)
      continue;
    std::array<char, INET_ADDRSTRLEN> name{};
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(each->ifa_addr)->sin_addr, name.data(),
              name.size());
    return name.data();
  }
  return "127.0.0.1";
}

} // namespace

bool parse_unique_id(const std::string& id, unique_id_parts& parts, std::string& reason) {
  const auto slash = id.rfind('/');
  const std::string address = id.substr(0, slash);
  const auto colon = address.rfind(':');
  unsigned port = 0;
  if (slash != std::string::npos && colon != std::string::npos) {
    parts.host = address.substr(0, colon);
    parts.port = address.substr(colon + 1);
    parts.token = id.substr(slash + 1);
    if (parts.host.size() > 2 && parts.host.front() == '[' && parts.host.back() == ']')
      parts.host = parts.host.substr(1, parts.host.size() - 2);
    const char* const end = parts.port.data() + parts.port.size();
    const auto [last, error] = std::from_chars(parts.port.data(), end, port);
    if (error != std::errc() || last != end)
      port = 0;
  }
  if (parts.host.empty() || port == 0 || port > 0xffff || parts.token.empty() ||
      parts.token.size() > longest_token) {
    reason = text("'", id,
                  "' is no unique id; it has the form host:port/token, with a port from 1 "
                  "to 65535 and a token of 1 to ",
                  longest_token, " characters");
    return false;
  }
  return true;
}

std::string open_unique_id() {
  const int listener = listen_at(AF_INET, 0);
  sockaddr_in bound{};
  socklen_t length = sizeof bound;
  std::array<unsigned char, 16> random{};
  if (listener < 0 || getsockname(listener, reinterpret_cast<sockaddr*>(&bound), &length) != 0 ||
      getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size()))
    fatal(text("no unique id can be made: ", std::strerror(errno)));
  std::string token;
  for (const unsigned char byte : random)
    for (const int digit : {byte >> 4, byte & 15})
      token += "0123456789abcdef"[digit];
  left_open& s = state();
  const std::lock_guard<std::mutex> lock(s.mutex);
  if (s.listener >= 0)
    close(s.listener);
  s.listener = listener;
  s.id = text(own_address(), ':', ntohs(bound.sin_port), '/', token);
  return s.id;
}

int take_listener(const std::string& id, const unique_id_parts& parts, std::string& reason) {
  {
    left_open& s = state();
    const std::lock_guard<std::mutex> lock(s.mutex);
    if (s.listener >= 0 && s.id == id)
      return std::exchange(s.listener, -1);
  }
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(parts.host.c_str(), parts.port.c_str(), &hints, &found);
      error != 0) {
    reason = text("the address ", parts.host, " is not known: ", gai_strerror(error));
    return -1;
  }
  const int family = found->ai_family;
  freeaddrinfo(found);
  const int listener = listen_at(family, static_cast<std::uint16_t>(std::stoi(parts.port)));
  if (listener < 0)
    reason = text("port ", parts.port, " cannot be opened: ", std::strerror(errno));
  return listener;
}

} // namespace gpurma::host
