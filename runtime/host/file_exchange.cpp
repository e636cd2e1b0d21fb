// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/file_exchange.h"

#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <utility>

#include "host/log.h"

namespace gpurma::host {

open_file::~open_file() {
  if (number_ >= 0)
    close(number_);
}

open_file& open_file::operator=(open_file&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

namespace {

// What comes first on a connection.
struct greeting {
  std::uint64_t exchange; // they are numbered
  std::uint64_t sender;
  std::uint64_t files;
  std::uint64_t words;
};

constexpr std::uint64_t most_of_a_parcel = 4096;
// Files that go with one byte; the system takes up to 253.
constexpr std::size_t most_files_at_once = 64;

// In the abstract namespace: nothing is left behind in the file system.
socklen_t make_address(std::uint64_t name, sockaddr_un& address) {
  address = {};
  address.sun_family = AF_UNIX;
  const int length = std::snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1,
                                   "gpurma-%016llx", static_cast<unsigned long long>(name));
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 +
                                static_cast<std::size_t>(length));
}

std::string system_error(const char* call) {
  return text(call, ": ", std::strerror(errno));
}

bool send_all(int to, const void* data, std::size_t bytes) {
  const auto* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = send(to, next, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      return false;
    next += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int from, void* data, std::size_t bytes) {
  auto* next = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t received = recv(from, next, bytes, 0);
    if (received < 0 && errno == EINTR)
      continue;
    if (received <= 0)
      return false;
    next += received;
    bytes -= static_cast<std::size_t>(received);
  }
  return true;
}

// A message of one byte, with room for files.
struct file_message {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(most_files_at_once * sizeof(int))] = {};
  msghdr header{};

  explicit file_message(std::size_t files) {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = CMSG_SPACE(files * sizeof(int));
  }
};

bool send_files(int to, const std::vector<open_file>& files) {
  for (std::size_t first = 0; first < files.size(); first += most_files_at_once) {
    const std::size_t count = std::min(most_files_at_once, files.size() - first);
    file_message message(count);
    cmsghdr* const numbers = CMSG_FIRSTHDR(&message.header);
    numbers->cmsg_level = SOL_SOCKET;
    numbers->cmsg_type = SCM_RIGHTS;
    numbers->cmsg_len = CMSG_LEN(count * sizeof(int));
    for (std::size_t k = 0; k < count; ++k) {
      const int number = files[first + k].number();
      std::memcpy(CMSG_DATA(numbers) + k * sizeof(int), &number, sizeof number);
    }
    while (sendmsg(to, &message.header, MSG_NOSIGNAL) != 1)
      if (errno != EINTR)
        return false;
  }
  return true;
}

bool receive_files(int from, std::size_t count, std::vector<open_file>& files) {
  while (files.size() < count) {
    file_message message(most_files_at_once);
    const ssize_t received = recvmsg(from, &message.header, MSG_CMSG_CLOEXEC);
    if (received < 0 && errno == EINTR)
      continue;
    if ((message.header.msg_flags & MSG_CTRUNC) != 0) {
      errno = EMFILE; // some have been closed on their way
      return false;
    }
    const cmsghdr* const numbers = received == 1 ? CMSG_FIRSTHDR(&message.header) : nullptr;
    if (numbers == nullptr || numbers->cmsg_type != SCM_RIGHTS)
      return false;
    for (std::size_t at = 0; at + sizeof(int) <= numbers->cmsg_len - CMSG_LEN(0);
         at += sizeof(int)) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(numbers) + at, sizeof number);
      files.emplace_back(number);
    }
  }
  return files.size() == count;
}

bool is_of_this_user(int connection) {
  ucred other{};
  socklen_t bytes = sizeof other;
  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &other, &bytes) == 0 &&
         other.uid == geteuid();
}

bool send_parcel(std::uint64_t to, const greeting& first, const file_parcel& mine,
                 const timeval& limit, std::string& reason) {
  sockaddr_un address;
  const socklen_t bytes = make_address(to, address);
  const open_file connection(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  setsockopt(connection.number(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  if (connect(connection.number(), reinterpret_cast<const sockaddr*>(&address), bytes) == 0 &&
      send_all(connection.number(), &first, sizeof first) &&
      send_all(connection.number(), mine.words.data(), mine.words.size() * sizeof(std::uint64_t)) &&
      send_files(connection.number(), mine.files))
    return true;
  reason = system_error("cannot hand files to another process of the host");
  return false;
}

} // namespace

file_exchange::file_exchange() {
  sockaddr_un address;
  std::uint64_t name = 0;
  if (getrandom(&name, sizeof name, 0) != sizeof name || name == 0)
    return;
  const socklen_t bytes = make_address(name, address);
  open_file opened(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (bind(opened.number(), reinterpret_cast<const sockaddr*>(&address), bytes) != 0 ||
      listen(opened.number(), SOMAXCONN) != 0)
    return;
  socket_ = std::move(opened);
  name_ = name;
}

bool file_exchange::exchange(const std::vector<std::uint64_t>& names, std::size_t self,
                             const file_parcel& mine, std::vector<file_parcel>& all,
                             std::chrono::seconds patience, std::string& reason) {
  all.clear();
  all.resize(names.size());
  const greeting mine_first{++exchanges_, self, mine.files.size(), mine.words.size()};
  const timeval limit{static_cast<time_t>(patience.count()), 0};
  std::vector<bool> awaited(names.size());
  bool all_sent = true;
  for (std::size_t p = 0; p < names.size(); ++p) {
    if (p == self || names[p] == 0)
      continue;
    awaited[p] = true;
    // Waits for nobody: what has been sent can be received later. Who can be reached gets it even
    // if another one cannot, not to wait in vain.
    all_sent &= send_parcel(names[p], mine_first, mine, limit, reason);
  }
  if (!all_sent)
    return false;
  const auto end = std::chrono::steady_clock::now() + patience;
  while (std::find(awaited.begin(), awaited.end(), true) != awaited.end()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd incoming{socket_.number(), POLLIN, 0};
    const int ready = left.count() > 0 ? poll(&incoming, 1, static_cast<int>(left.count())) : 0;
    if (ready < 0)
      continue; // a signal
    if (ready == 0) {
      std::string silent;
      for (std::size_t p = 0; p < awaited.size(); ++p)
        if (awaited[p])
          silent += text(silent.empty() ? "" : ", ", p);
      reason = text("these processes of the host have handed over no files in ", patience.count(),
                    " s: ", silent);
      return false;
    }
    const open_file connection(accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (connection.number() < 0 || !is_of_this_user(connection.number()))
      continue;
    setsockopt(connection.number(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    greeting first{};
    const bool greeted = receive_all(connection.number(), &first, sizeof first);
    if (greeted && first.exchange < exchanges_)
      continue; // of an exchange that has failed here
    if (!greeted || first.exchange > exchanges_ || first.sender >= names.size() ||
        !awaited[first.sender] || first.files > most_of_a_parcel ||
        first.words > most_of_a_parcel) {
      reason = "a process of the host hands over what nobody has asked for";
      return false;
    }
    file_parcel& parcel = all[first.sender];
    parcel.words.resize(first.words);
    if (!receive_all(connection.number(), parcel.words.data(),
                     first.words * sizeof(std::uint64_t)) ||
        !receive_files(connection.number(), first.files, parcel.files)) {
      reason = system_error("cannot take files from another process of the host");
      return false;
    }
    awaited[first.sender] = false;
  }
  return true;
}

} // namespace gpurma::host
