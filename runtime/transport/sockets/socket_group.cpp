// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "socket_group.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "../../host/log.h"
#include "unique_id.h"

namespace gpurma::host {

namespace {

using clock = std::chrono::steady_clock;

// Of this version of what follows; processes of another one are refused.
constexpr std::uint32_t magic = 0x67727031;

struct hello {
  std::uint32_t magic = gpurma::host::magic;
  std::int32_t rank = 0;
  std::int32_t size = 0;
  char token[longest_token + 1] = {};
};

struct answer {
  std::uint32_t magic = gpurma::host::magic;
  std::uint32_t accepted = 0;
  char refusal[248] = {}; // empty if it is accepted
};

enum class frame_kind : std::uint32_t {
  contribution, // of a process to a collective operation
  result,       // of the operation, for a process
  beat,         // a heartbeat
  end,          // all have to end, with `sequence` as their code
  leave         // nothing follows; from process 0: all others leave as well
};

enum class operation_kind : std::uint32_t { allgather, alltoall };

struct frame {
  frame_kind what = frame_kind::leave;
  operation_kind operation = operation_kind::allgather;
  std::int32_t source = 0;
  std::int32_t target = 0;
  std::uint64_t channel = 0;
  std::uint64_t sequence = 0;
  std::uint64_t bytes = 0; // that follow
};

// A collective operation, as one process waits for it.
struct pending_operation {
  std::byte* into = nullptr;
  std::atomic<bool> done{false};
};

using operation_key = std::pair<std::uint64_t, std::uint64_t>; // channel and number

// What process 0 has of an operation.
struct gathered {
  operation_kind operation;
  std::uint64_t bytes; // of one contribution
  int missing;
  std::vector<std::byte> all;
};

struct connection {
  int socket = -1;
  bool left = false;
  std::vector<std::byte> incoming; // the beginning of a frame
  std::vector<std::byte> outgoing; // not yet taken by the system
  std::size_t sent = 0;            // of it

  bool drained() const { return sent == outgoing.size(); }
};

void make_nonblocking(int socket) {
  fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK);
}

// Small messages that somebody waits for.
void make_prompt(int socket) {
  const int yes = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

int milliseconds_until(const std::optional<clock::time_point>& deadline) {
  if (!deadline)
    return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - clock::now()).count();
  return static_cast<int>(std::clamp<long>(left, 0, 3600 * 1000));
}

bool has_passed(const std::optional<clock::time_point>& deadline) {
  return deadline && clock::now() >= *deadline;
}

std::optional<clock::time_point> deadline_in(double seconds) {
  if (seconds <= 0)
    return std::nullopt;
  return clock::now() +
         std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(seconds));
}

// Gives a refused or a waiting process its answer; what it does with it is its affair.
void give_answer(int socket, const std::string& refusal) {
  answer given;
  given.accepted = refusal.empty() ? 1 : 0;
  std::strncpy(given.refusal, refusal.c_str(), sizeof given.refusal - 1);
  static_cast<void>(send(socket, &given, sizeof given, MSG_NOSIGNAL | MSG_DONTWAIT));
}

std::string list_of(const std::vector<int>& numbers) {
  constexpr std::size_t most = 8;
  std::string list = numbers.size() == 1 ? "process " : "processes ";
  for (std::size_t i = 0; i < std::min(most, numbers.size()); ++i)
    list += text(i == 0 ? "" : ", ", numbers[i]);
  return list + (numbers.size() > most ? text(" and ", numbers.size() - most, " more") : "");
}

std::string judge(const hello& other, const socket_group::place& mine, const std::string& token,
                  const std::vector<int>& sockets) {
  if (other.magic != magic)
    return "it is another version of gpurma";
  if (std::strncmp(other.token, token.c_str(), sizeof other.token) != 0)
    return "its token is not that of this run (GPURMA_ID)";
  if (other.size != mine.size)
    return text("it says that there are ", other.size, " processes, process 0 says ", mine.size,
                " (GPURMA_PROCESSES)");
  if (other.rank <= 0 || other.rank >= mine.size)
    return text("there is no other process ", other.rank, " among ", mine.size,
                " (GPURMA_PROCESS)");
  if (sockets[static_cast<std::size_t>(other.rank)] >= 0)
    return text("process ", other.rank, " has come already (GPURMA_PROCESS)");
  return {};
}

// Process 0: the sockets to all others, by their numbers.
bool receive_all(const socket_group::place& mine, const unique_id_parts& parts,
                 std::vector<int>& sockets, std::string& reason) {
  const int listener = take_listener(mine.id, parts, reason);
  if (listener < 0)
    return false;
  make_nonblocking(listener);
  struct guest {
    int socket;
    std::size_t received;
    hello said;
  };
  std::vector<guest> guests; // who have not said who they are
  const auto deadline = deadline_in(mine.timeout);
  int missing = mine.size - 1;
  std::string refusals;
  while (missing != 0 && !has_passed(deadline)) {
    std::vector<pollfd> watched{{listener, POLLIN, 0}};
    for (const guest& each : guests)
      watched.push_back({each.socket, POLLIN, 0});
    for (const int each : sockets)
      watched.push_back({each, POLLIN, 0}); // those that are not there are negative
    poll(watched.data(), watched.size(), milliseconds_until(deadline));
    // They have nothing to say before all have come.
    for (std::size_t p = 1; p < sockets.size(); ++p)
      if (watched[1 + guests.size() + p].revents != 0) {
        log(log_level::warn, text("process ", p, " has gone again before all have come"));
        close(std::exchange(sockets[p], -1));
        ++missing;
      }
    for (std::size_t g = guests.size(); g-- > 0;) {
      if (watched[g + 1].revents == 0)
        continue;
      guest& one = guests[g];
      const ssize_t got = recv(one.socket, reinterpret_cast<std::byte*>(&one.said) + one.received,
                               sizeof one.said - one.received, 0);
      if (got < 0 && (errno == EAGAIN || errno == EINTR))
        continue;
      bool is_one_of_us = false;
      if (got > 0) {
        one.received += static_cast<std::size_t>(got);
        if (one.received < sizeof one.said)
          continue;
        const std::string refusal = judge(one.said, mine, parts.token, sockets);
        is_one_of_us = refusal.empty();
        if (is_one_of_us) {
          sockets[static_cast<std::size_t>(one.said.rank)] = one.socket;
          --missing;
        } else {
          give_answer(one.socket, refusal);
          refusals = text("; one has been refused: ", refusal);
          log(log_level::warn, text("a process that came to ", parts.host, ":", parts.port,
                                    " has been refused: ", refusal));
        }
      }
      if (!is_one_of_us)
        close(one.socket);
      guests.erase(guests.begin() + static_cast<std::ptrdiff_t>(g));
    }
    if (watched[0].revents != 0)
      if (const int came = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
          came >= 0)
        guests.push_back({came, 0, {}});
  }
  close(listener);
  for (const guest& each : guests)
    close(each.socket);
  if (missing != 0) {
    std::vector<int> absent;
    for (int p = 1; p < mine.size; ++p)
      if (sockets[static_cast<std::size_t>(p)] < 0)
        absent.push_back(p);
    reason = text(list_of(absent), " of ", mine.size, " have not come to ", parts.host, ":",
                  parts.port, " within ", mine.timeout, " s (GPURMA_TIMEOUT)", refusals);
  }
  for (int& socket : sockets)
    if (socket >= 0) {
      make_prompt(socket);
      give_answer(socket, reason);
      if (!reason.empty())
        close(std::exchange(socket, -1));
    }
  return reason.empty();
}

// One attempt. Negative: errno.
int connect_to(const unique_id_parts& parts, const std::optional<clock::time_point>& deadline,
               std::string& reason) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(parts.host.c_str(), parts.port.c_str(), &hints, &found);
      error != 0) {
    reason = gai_strerror(error);
    return -1;
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  const int made = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  int error = made < 0 ? errno : 0;
  if (error == 0 && connect(made, found->ai_addr, found->ai_addrlen) != 0) {
    error = errno;
    pollfd watched{made, POLLOUT, 0};
    if (error == EINPROGRESS) {
      socklen_t length = sizeof error;
      if (poll(&watched, 1, milliseconds_until(deadline)) != 1)
        error = ETIMEDOUT;
      else
        getsockopt(made, SOL_SOCKET, SO_ERROR, &error, &length);
    }
  }
  if (error == 0 && is_connected_to_itself(made))
    error = ECONNREFUSED;
  if (error == 0)
    return made;
  if (made >= 0)
    close(made);
  reason = std::strerror(error);
  return -1;
}

// Any other process: the socket to process 0.
bool reach_first(const socket_group::place& mine, const unique_id_parts& parts, int& socket,
                 std::string& reason) {
  const auto deadline = deadline_in(mine.timeout);
  const std::string where = text(parts.host, ":", parts.port);
  constexpr std::chrono::milliseconds between_attempts(50);
  std::string why;
  while ((socket = connect_to(parts, deadline, why)) < 0) {
    if (has_passed(deadline)) {
      reason = text("process 0 has not been found at ", where, " (GPURMA_ID) within ", mine.timeout,
                    " s (GPURMA_TIMEOUT): ", why);
      return false;
    }
    std::this_thread::sleep_for(between_attempts);
  }
  make_prompt(socket);
  hello said;
  said.rank = mine.rank;
  said.size = mine.size;
  std::strncpy(said.token, parts.token.c_str(), sizeof said.token - 1);
  // Fits into the empty buffer of a new socket.
  static_cast<void>(send(socket, &said, sizeof said, MSG_NOSIGNAL));
  answer given;
  std::size_t received = 0;
  while (received < sizeof given) {
    pollfd watched{socket, POLLIN, 0};
    const int ready = poll(&watched, 1, milliseconds_until(deadline));
    if (ready == 0)
      reason = text("process 0, at ", where, " (GPURMA_ID), has not said within ", mine.timeout,
                    " s (GPURMA_TIMEOUT) that all have come");
    const ssize_t got = ready == 1 ? recv(socket, reinterpret_cast<std::byte*>(&given) + received,
                                          sizeof given - received, 0)
                                   : -1;
    if (got == 0 || (got < 0 && ready == 1 && errno != EAGAIN && errno != EINTR))
      reason = text("what listens at ", where,
                    " (GPURMA_ID) has closed the connection: process 0 "
                    "has ended, or it is another program");
    if (!reason.empty())
      break;
    received += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  if (reason.empty() && given.magic != magic)
    reason = text("what listens at ", where,
                  " (GPURMA_ID) is another program, or another version "
                  "of gpurma");
  if (reason.empty() && given.accepted == 0) {
    given.refusal[sizeof given.refusal - 1] = 0;
    reason = text("process 0, at ", where, ", has not taken this process: ", given.refusal);
  }
  if (!reason.empty())
    close(std::exchange(socket, -1));
  return reason.empty();
}

// The same text in processes of one machine, and in no others.
std::array<char, 128> node_name() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::array<char, 128> name{};
  constexpr std::size_t longest_host = 80;
  gethostname(name.data(), longest_host);
  name[longest_host] = 0;
  std::strncat(name.data(), boot.c_str(), name.size() - longest_host - 2);
  return name;
}

} // namespace

struct socket_group::server {
  server(int own_rank, int of) : rank(own_rank), size(of) {}
  ~server() {
    for (const connection& each : connections)
      if (each.socket >= 0)
        close(each.socket);
    if (wake >= 0)
      close(wake);
  }

  const int rank;
  const int size;
  int wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  std::thread thread;

  std::mutex mutex; // of all below
  std::condition_variable changed;
  std::vector<connection> connections; // by process; all but process 0 have only that to process 0
  std::uint64_t channels = 0;
  std::map<operation_key, std::shared_ptr<pending_operation>> waiting;
  std::map<operation_key, gathered> gathering; // process 0
  std::deque<std::pair<int, heartbeat>> beats; // that have come
  std::string failure;                         // of the connections; the thread then ends the run
  std::optional<int> ended_with;               // by another process
  bool leaving = false;
  bool all_leave = false;
  bool stop = false;

  connection& to_first() { return connections[0]; }

  // ---- under the mutex ----

  void send(connection& to, const frame& head, const void* payload) {
    append(to, &head, sizeof head);
    if (head.bytes != 0)
      append(to, payload, head.bytes);
    flush(to);
    if (!to.drained())
      wake_thread(); // it then waits for room
  }
  void send(connection& to, const frame& head) { send(to, head, &head); }

  static void append(connection& to, const void* from, std::size_t bytes) {
    const auto* const begin = static_cast<const std::byte*>(from);
    to.outgoing.insert(to.outgoing.end(), begin, begin + bytes);
  }

  void flush(connection& to) {
    while (to.socket >= 0 && !to.drained()) {
      const ssize_t taken = ::send(to.socket, to.outgoing.data() + to.sent,
                                   to.outgoing.size() - to.sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (taken < 0 && errno == EINTR)
        continue;
      if (taken < 0)
        break; // no room; or a failure, which reading finds
      to.sent += static_cast<std::size_t>(taken);
    }
    if (to.drained()) {
      to.outgoing.clear();
      to.sent = 0;
    }
  }

  void wake_thread() const {
    const std::uint64_t one = 1;
    static_cast<void>(!::write(wake, &one, sizeof one));
  }

  // Process 0.
  void contribute(int from, const frame& head, const std::byte* payload) {
    const operation_key key{head.channel, head.sequence};
    const bool exchanged = head.operation == operation_kind::alltoall;
    const auto processes = static_cast<std::size_t>(size);
    auto known = gathering.find(key);
    if (known == gathering.end())
      known = gathering
                  .emplace(key, gathered{head.operation, head.bytes, size,
                                         std::vector<std::byte>(processes * head.bytes)})
                  .first;
    gathered& here = known->second;
    if (here.operation != head.operation || here.bytes != head.bytes) {
      failure = text("process ", from,
                     " is at another exchange than the others; do all run the "
                     "same program?");
      return;
    }
    if (head.bytes != 0)
      std::memcpy(here.all.data() + static_cast<std::size_t>(from) * head.bytes, payload,
                  head.bytes);
    if (--here.missing != 0)
      return;
    std::vector<std::byte> exchanged_parts(exchanged ? head.bytes : 0);
    const std::size_t part = head.bytes / processes;
    for (int p = 0; p < size; ++p) {
      const std::vector<std::byte>* result = &here.all;
      if (exchanged) {
        for (std::size_t q = 0; q < processes && part != 0; ++q)
          std::memcpy(exchanged_parts.data() + q * part,
                      here.all.data() + q * head.bytes + static_cast<std::size_t>(p) * part, part);
        result = &exchanged_parts;
      }
      frame answer = head;
      answer.what = frame_kind::result;
      answer.bytes = result->size();
      if (p == rank)
        complete(key, result->data(), result->size());
      else
        send(connections[static_cast<std::size_t>(p)], answer, result->data());
    }
    gathering.erase(known);
  }

  void complete(const operation_key& key, const std::byte* result, std::size_t bytes) {
    const auto known = waiting.find(key);
    if (bytes != 0)
      std::memcpy(known->second->into, result, bytes);
    known->second->done.store(true, std::memory_order_release);
    waiting.erase(known);
    changed.notify_all();
  }

  void take(int from, const frame& head, const std::byte* payload) {
    switch (head.what) {
    case frame_kind::contribution:
      contribute(from, head, payload);
      break;
    case frame_kind::result:
      complete({head.channel, head.sequence}, payload, head.bytes);
      break;
    case frame_kind::beat: {
      if (head.target != rank) {
        send(connections[static_cast<std::size_t>(head.target)], head, payload);
        break;
      }
      heartbeat beat;
      std::memcpy(&beat, payload, sizeof beat);
      beats.emplace_back(head.source, beat);
      break;
    }
    case frame_kind::end:
      for (std::size_t p = 1; p < connections.size(); ++p) // none but at process 0
        if (static_cast<int>(p) != from)
          send(connections[p], head);
      ended_with = static_cast<int>(head.sequence);
      failure = text("process ", head.source, " has ended the run");
      break;
    case frame_kind::leave:
      connections[static_cast<std::size_t>(from)].left = true;
      all_leave |= rank != 0;
      leave_together();
      break;
    }
  }

  // Process 0, once all others and it have come to their end.
  void leave_together() {
    const bool others_have = std::all_of(connections.begin() + 1, connections.end(),
                                         [](const connection& each) { return each.left; });
    if (rank == 0 && leaving && others_have && !all_leave) {
      all_leave = true;
      frame head;
      for (int p = 1; p < size; ++p)
        send(connections[static_cast<std::size_t>(p)], head);
    }
    changed.notify_all();
  }

  void read(int from) {
    connection& here = connections[static_cast<std::size_t>(from)];
    std::array<std::byte, 65536> piece;
    std::optional<std::string> gone;
    for (;;) {
      const ssize_t got = recv(here.socket, piece.data(), piece.size(), MSG_DONTWAIT);
      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0 && errno == EAGAIN)
        break;
      if (got <= 0) {
        gone = got < 0 ? text(": ", std::strerror(errno)) : "";
        close(std::exchange(here.socket, -1));
        break;
      }
      here.incoming.insert(here.incoming.end(), piece.begin(), piece.begin() + got);
    }
    std::size_t at = 0;
    frame head;
    while (here.incoming.size() - at >= sizeof head) {
      std::memcpy(&head, here.incoming.data() + at, sizeof head);
      if (here.incoming.size() - at - sizeof head < head.bytes)
        break;
      take(from, head, here.incoming.data() + at + sizeof head);
      at += sizeof head + head.bytes;
    }
    here.incoming.erase(here.incoming.begin(), here.incoming.begin() + static_cast<long>(at));
    if (gone && !here.left && failure.empty())
      failure = text("process ", from, " has ended without coming to the end of gpurma", *gone);
  }

  // ---- the thread ----

  void serve(socket_group& group) {
    std::vector<pollfd> watched;
    std::vector<int> processes;
    std::unique_lock<std::mutex> lock(mutex);
    while (!stop) {
      watched.assign(1, {wake, POLLIN, 0});
      processes.assign(1, -1);
      for (std::size_t p = 0; p < connections.size(); ++p)
        if (const connection& each = connections[p]; each.socket >= 0) {
          watched.push_back(
              {each.socket, static_cast<short>(each.drained() ? POLLIN : POLLIN | POLLOUT), 0});
          processes.push_back(static_cast<int>(p));
        }
      lock.unlock();
      poll(watched.data(), watched.size(), -1);
      lock.lock();
      std::uint64_t woken = 0;
      static_cast<void>(!::read(wake, &woken, sizeof woken));
      for (std::size_t i = 1; i < watched.size(); ++i) {
        if ((watched[i].revents & POLLOUT) != 0)
          flush(connections[static_cast<std::size_t>(processes[i])]);
        if ((watched[i].revents & ~POLLOUT) != 0)
          read(processes[i]);
      }
      changed.notify_all(); // of what has been flushed
      if (!failure.empty()) {
        lock.unlock();
        log(log_level::error, failure);
        group.end_all(ended_with.value_or(EXIT_FAILURE));
      }
    }
  }
};

namespace {

class socket_operation final : public collective {
public:
  explicit socket_operation(std::shared_ptr<pending_operation> of) : of_(std::move(of)) {}
  // Until then its result has a place.
  ~socket_operation() override { wait(*this); }
  bool test() override { return of_->done.load(std::memory_order_acquire); }

private:
  const std::shared_ptr<pending_operation> of_;
};

template <class Server> class socket_collectives final : public collectives {
public:
  socket_collectives(Server& server, std::uint64_t channel) : server_(server), channel_(channel) {}

  std::unique_ptr<collective> start_barrier() override {
    return start(operation_kind::allgather, nullptr, 0, nullptr);
  }
  std::unique_ptr<collective> start_allgather(const void* mine, std::size_t bytes,
                                              void* all) override {
    return start(operation_kind::allgather, mine, bytes, all);
  }
  std::unique_ptr<collective> start_alltoall(const void* to, std::size_t bytes,
                                             void* from) override {
    return start(operation_kind::alltoall, to, bytes * static_cast<std::size_t>(server_.size),
                 from);
  }

private:
  std::unique_ptr<collective> start(operation_kind what, const void* mine, std::size_t bytes,
                                    void* into) {
    const auto operation = std::make_shared<pending_operation>();
    operation->into = static_cast<std::byte*>(into);
    const std::lock_guard<std::mutex> lock(server_.mutex);
    frame head;
    head.what = frame_kind::contribution;
    head.operation = what;
    head.source = server_.rank;
    head.channel = channel_;
    head.sequence = started_++;
    head.bytes = bytes;
    server_.waiting.emplace(operation_key{channel_, head.sequence}, operation);
    if (server_.rank == 0)
      server_.contribute(0, head, static_cast<const std::byte*>(mine));
    else
      server_.send(server_.to_first(), head, mine);
    return std::make_unique<socket_operation>(operation);
  }

  Server& server_;
  const std::uint64_t channel_;
  std::uint64_t started_ = 0;
};

template <class Server> class socket_heartbeat_link final : public heartbeat_link {
public:
  explicit socket_heartbeat_link(Server& server) : server_(server) {}

  int rank() const override { return server_.rank; }
  int size() const override { return server_.size; }
  void send(int process, const heartbeat& beat) override {
    const std::lock_guard<std::mutex> lock(server_.mutex);
    connection& to = server_.connections[server_.rank == 0 ? static_cast<std::size_t>(process) : 0];
    // A process that takes nothing is not sent more of them.
    if (beat.what == heartbeat::kind::alive && !to.drained())
      return;
    frame head;
    head.what = frame_kind::beat;
    head.source = server_.rank;
    head.target = process;
    head.bytes = sizeof beat;
    server_.send(to, head, &beat);
  }
  bool receive(int& process, heartbeat& beat) override {
    const std::lock_guard<std::mutex> lock(server_.mutex);
    if (server_.beats.empty())
      return false;
    std::tie(process, beat) = server_.beats.front();
    server_.beats.pop_front();
    return true;
  }

private:
  Server& server_;
};

} // namespace

socket_group::socket_group(std::unique_ptr<server> serves) : server_(std::move(serves)) {
  server_->thread = std::thread([this] { server_->serve(*this); });
}

std::unique_ptr<socket_group> socket_group::join(const place& mine, std::string& reason) {
  reason.clear();
  unique_id_parts parts;
  if (!parse_unique_id(mine.id, parts, reason))
    return nullptr;
  std::vector<int> sockets(mine.rank == 0 ? static_cast<std::size_t>(mine.size) : 1, -1);
  if (mine.rank == 0 ? !receive_all(mine, parts, sockets, reason)
                     : !reach_first(mine, parts, sockets[0], reason))
    return nullptr;
  auto made = std::make_unique<server>(mine.rank, mine.size);
  for (const int socket : sockets) {
    connection one;
    one.socket = socket;
    made->connections.push_back(std::move(one));
  }
  return std::unique_ptr<socket_group>(new socket_group(std::move(made)));
}

socket_group::~socket_group() {
  {
    const std::lock_guard<std::mutex> lock(server_->mutex);
    server_->stop = true;
  }
  server_->wake_thread();
  if (server_->thread.joinable())
    server_->thread.join();
}

int socket_group::rank() const {
  return server_->rank;
}

int socket_group::size() const {
  return server_->size;
}

int socket_group::node_leader() {
  const auto mine = node_name();
  const auto names = allgather(*make_collectives(), size(), mine);
  return static_cast<int>(std::find(names.begin(), names.end(), mine) - names.begin());
}

std::unique_ptr<collectives> socket_group::make_collectives() {
  const std::lock_guard<std::mutex> lock(server_->mutex);
  return std::make_unique<socket_collectives<server>>(*server_, server_->channels++);
}

std::unique_ptr<heartbeat_link> socket_group::make_heartbeat_link() {
  return std::make_unique<socket_heartbeat_link<server>>(*server_);
}

void socket_group::leave() {
  server& s = *server_;
  std::unique_lock<std::mutex> lock(s.mutex);
  s.leaving = true;
  if (s.rank != 0)
    s.send(s.to_first(), frame{});
  else
    s.leave_together();
  s.changed.wait(lock, [&] {
    return s.all_leave && std::all_of(s.connections.begin(), s.connections.end(),
                                      [](const connection& each) { return each.drained(); });
  });
  s.stop = true;
  lock.unlock();
  s.wake_thread();
  s.thread.join();
  for (connection& each : s.connections)
    if (each.socket >= 0)
      close(std::exchange(each.socket, -1));
}

void socket_group::end_all(int code) {
  server& s = *server_;
  constexpr std::chrono::seconds patience(1);
  const auto until = clock::now() + patience;
  frame head;
  head.what = frame_kind::end;
  head.source = s.rank;
  head.sequence = static_cast<std::uint64_t>(code);
  bool told = false;
  for (bool drained = false; !drained && clock::now() < until;) {
    const std::lock_guard<std::mutex> lock(s.mutex);
    drained = true;
    for (connection& each : s.connections)
      if (each.socket >= 0) {
        if (!told)
          s.send(each, head);
        else
          s.flush(each);
        drained &= each.drained();
      }
    told = true;
    if (!drained)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::_Exit(code);
}

bool is_connected_to_itself(int socket) {
  sockaddr_storage here{}, there{};
  socklen_t here_bytes = sizeof here, there_bytes = sizeof there;
  return getsockname(socket, reinterpret_cast<sockaddr*>(&here), &here_bytes) == 0 &&
         getpeername(socket, reinterpret_cast<sockaddr*>(&there), &there_bytes) == 0 &&
         here_bytes == there_bytes && std::memcmp(&here, &there, here_bytes) == 0;
}

} // namespace gpurma::host
