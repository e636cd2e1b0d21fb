// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that find each other by a unique id: here each is a thread, or a process where it has
// to end.
#include "transport/sockets/socket_group.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "transport/sockets/unique_id.h"

namespace {

using namespace gpurma::host;

struct joined {
  std::unique_ptr<socket_group> group;
  std::string reason;
};

joined join(int rank, int size, const std::string& id, double timeout = 20) {
  joined result;
  result.group = socket_group::join({rank, size, id, timeout}, result.reason);
  return result;
}

// At an address that any machine has. The port stays open for process 0.
std::string local_id() {
  return open_unique_id();
}

// Runs each process of a run in a thread.
void run(int size, const std::function<void(socket_group&)>& process) {
  const std::string id = local_id();
  std::vector<std::thread> threads;
  for (int p = 0; p < size; ++p)
    threads.emplace_back([&, p] {
      const joined here = join(p, size, id);
      ASSERT_NE(here.group, nullptr) << here.reason;
      process(*here.group);
      here.group->leave();
    });
  for (std::thread& each : threads)
    each.join();
}

TEST(UniqueId, IsHostPortAndToken) {
  unique_id_parts parts;
  std::string reason;
  ASSERT_TRUE(parse_unique_id("node7.example:4242/a-token", parts, reason));
  EXPECT_EQ(parts.host, "node7.example");
  EXPECT_EQ(parts.port, "4242");
  EXPECT_EQ(parts.token, "a-token");
  ASSERT_TRUE(parse_unique_id("[fe80::1]:1/t", parts, reason));
  EXPECT_EQ(parts.host, "fe80::1");
  EXPECT_TRUE(parse_unique_id(open_unique_id(), parts, reason)) << reason;
  for (const char* wrong : {"", "node7", "node7/t", "node7:4242", "node7:4242/", ":4242/t",
                            "node7:0/t", "node7:65536/t", "node7:42x/t", "node7:/t"}) {
    reason.clear();
    EXPECT_FALSE(parse_unique_id(wrong, parts, reason)) << wrong;
    EXPECT_NE(reason.find("it has the form host:port/token"), std::string::npos) << wrong;
  }
  EXPECT_FALSE(parse_unique_id("node7:1/" + std::string(64, 't'), parts, reason));
}

TEST(SocketGroup, CarriesOutCollectives) {
  run(4, [](socket_group& group) {
    const auto one = group.make_collectives();
    const auto two = group.make_collectives();
    for (int round = 0; round < 50; ++round) {
      const std::vector<int> mine = {group.rank(), round};
      std::vector<int> all(8), to(4), from(4);
      for (int p = 0; p < 4; ++p)
        to[static_cast<std::size_t>(p)] = group.rank() * 1000 + p + round;
      const auto gathered = one->start_allgather(mine.data(), 2 * sizeof(int), all.data());
      const auto met = two->start_barrier();
      const auto exchanged = one->start_alltoall(to.data(), sizeof(int), from.data());
      // In another order than they were started.
      wait(*exchanged);
      wait(*met);
      wait(*gathered);
      for (int p = 0; p < 4; ++p) {
        EXPECT_EQ(all[2 * static_cast<std::size_t>(p)], p);
        EXPECT_EQ(all[2 * static_cast<std::size_t>(p) + 1], round);
        EXPECT_EQ(from[static_cast<std::size_t>(p)], p * 1000 + group.rank() + round);
      }
    }
    // More than a socket holds at a time.
    const std::vector<int> much(1 << 18, group.rank());
    std::vector<int> all(4 * much.size());
    wait(*one->start_allgather(much.data(), much.size() * sizeof(int), all.data()));
    for (std::size_t i = 0; i < all.size(); i += 1000)
      EXPECT_EQ(all[i], static_cast<int>(i / much.size()));
    EXPECT_EQ(group.node_leader(), 0);
  });
}

TEST(SocketGroup, WaitsForWhoComesLate) {
  run(3, [](socket_group& group) {
    const auto hosts = group.make_collectives();
    if (group.rank() != 1) {
      const auto met = hosts->start_barrier();
      EXPECT_FALSE(met->test());
      group.make_heartbeat_link()->send(group.rank() == 0 ? 1 : 0, heartbeat());
      wait(*met);
    } else {
      // Both are there before this process joins them.
      const auto link = group.make_heartbeat_link();
      int process = 0;
      heartbeat beat;
      while (!link->receive(process, beat))
        std::this_thread::yield();
      wait(*hosts->start_barrier());
    }
  });
}

TEST(SocketGroup, CarriesHeartbeats) {
  run(3, [](socket_group& group) {
    const auto link = group.make_heartbeat_link();
    EXPECT_EQ(link->rank(), group.rank());
    EXPECT_EQ(link->size(), 3);
    heartbeat beat;
    beat.what = heartbeat::kind::stop;
    for (int p = 0; p < 3; ++p)
      if (p != group.rank()) {
        beat.changes = static_cast<std::uint64_t>(10 * group.rank() + p);
        link->send(p, beat);
      }
    std::vector<bool> heard(3);
    for (int n = 0; n < 2;) {
      int process = -1;
      if (!link->receive(process, beat)) {
        std::this_thread::yield();
        continue;
      }
      EXPECT_EQ(beat.what, heartbeat::kind::stop);
      EXPECT_EQ(beat.changes, static_cast<std::uint64_t>(10 * process + group.rank()));
      EXPECT_FALSE(heard[static_cast<std::size_t>(process)]);
      heard[static_cast<std::size_t>(process)] = true;
      ++n;
    }
  });
}

TEST(SocketGroup, IsAloneWithoutOthers) {
  run(1, [](socket_group& group) {
    const auto hosts = group.make_collectives();
    int all = 0;
    const int mine = 7;
    wait(*hosts->start_allgather(&mine, sizeof mine, &all));
    EXPECT_EQ(all, 7);
  });
}

TEST(SocketGroup, NamesProcessesThatDoNotCome) {
  const std::string id = local_id();
  joined second;
  std::thread other([&] { second = join(2, 4, id, 10); });
  const joined first = join(0, 4, id, 0.5);
  other.join();
  EXPECT_EQ(first.group, nullptr);
  EXPECT_NE(first.reason.find("processes 1, 3 of 4 have not come to "), std::string::npos)
      << first.reason;
  EXPECT_NE(first.reason.find(" within 0.5 s (GPURMA_TIMEOUT)"), std::string::npos);
  EXPECT_EQ(second.group, nullptr);
  EXPECT_NE(second.reason.find("has not taken this process: processes 1, 3 of 4"),
            std::string::npos)
      << second.reason;
}

TEST(SocketGroup, SaysThatProcess0IsNotThere) {
  const joined other = join(1, 2, "127.0.0.1:1/t", 0.2);
  EXPECT_EQ(other.group, nullptr);
  EXPECT_EQ(other.reason, "process 0 has not been found at 127.0.0.1:1 (GPURMA_ID) within 0.2 s "
                          "(GPURMA_TIMEOUT): Connection refused");
}

TEST(SocketGroup, RefusesWhoDoesNotBelongToTheRun) {
  const std::string id = local_id();
  joined first, second;
  std::thread zero([&] { first = join(0, 2, id); });
  const auto refused = [&](const joined& other, const std::string& why) {
    EXPECT_EQ(other.group, nullptr);
    EXPECT_NE(other.reason.find("has not taken this process: " + why), std::string::npos)
        << other.reason;
  };
  refused(join(1, 2, id + "x"), "its token is not that of this run (GPURMA_ID)");
  refused(join(1, 3, id), "it says that there are 3 processes, process 0 says 2");
  refused(join(2, 2, id), "there is no other process 2 among 2 (GPURMA_PROCESS)");
  // Nor does who says nothing, or something else, keep the others from coming.
  unique_id_parts parts;
  std::string reason;
  ASSERT_TRUE(parse_unique_id(id, parts, reason));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(parts.port)));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int silent = socket(AF_INET, SOCK_STREAM, 0), talker = socket(AF_INET, SOCK_STREAM, 0);
  for (const int each : {silent, talker})
    ASSERT_EQ(connect(each, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const std::string words(1000, '?');
  ASSERT_GT(send(talker, words.data(), words.size(), MSG_NOSIGNAL), 0);
  second = join(1, 2, id);
  zero.join();
  close(silent);
  close(talker);
  ASSERT_NE(first.group, nullptr) << first.reason;
  ASSERT_NE(second.group, nullptr) << second.reason;
  std::thread leaving([&] { first.group->leave(); });
  second.group->leave();
  leaving.join();
}

TEST(SocketGroup, RefusesASecondOneOfANumber) {
  const std::string id = local_id();
  joined zero, one, again;
  std::thread first([&] { zero = join(0, 3, id, 2); });
  std::thread second([&] { one = join(1, 3, id); });
  again = join(1, 3, id);
  first.join();
  second.join();
  // Either of the two may have come first; nobody else comes.
  std::string reasons[] = {one.reason, again.reason};
  if (reasons[0].find("process 2 of 3") == std::string::npos)
    std::swap(reasons[0], reasons[1]);
  EXPECT_NE(reasons[0].find("has not taken this process: process 2 of 3 have not come"),
            std::string::npos)
      << reasons[0];
  EXPECT_NE(reasons[1].find("has not taken this process: process 1 has come already"),
            std::string::npos)
      << reasons[1];
}

TEST(SocketGroup, TakesAProcessAgainThatHasGoneBeforeAllHaveCome) {
  const std::string id = local_id();
  joined zero, one, two;
  std::thread first([&] { zero = join(0, 3, id); });
  const joined gone = join(1, 3, id, 0.5);
  EXPECT_NE(gone.reason.find("has not said within 0.5 s (GPURMA_TIMEOUT) that all have come"),
            std::string::npos)
      << gone.reason;
  std::thread second([&] { one = join(1, 3, id); });
  two = join(2, 3, id);
  first.join();
  second.join();
  for (const joined* each : {&zero, &one, &two})
    ASSERT_NE(each->group, nullptr) << each->reason;
  std::thread others[] = {std::thread([&] { one.group->leave(); }),
                          std::thread([&] { two.group->leave(); })};
  zero.group->leave();
  for (std::thread& each : others)
    each.join();
}

TEST(SocketGroup, SaysThatThePortIsTaken) {
  const std::string id = local_id();
  unique_id_parts parts;
  std::string reason;
  ASSERT_TRUE(parse_unique_id(id, parts, reason));
  const joined first = join(0, 2, "127.0.0.1:" + parts.port + "/another", 1);
  EXPECT_EQ(first.reason, "port " + parts.port + " cannot be opened: Address already in use");
}

// The exit codes of the processes of a run, each of which does something else; by process.
std::vector<int> exit_codes(const std::vector<std::function<void(socket_group&)>>& processes) {
  const std::string id = local_id();
  std::vector<pid_t> children;
  for (std::size_t p = 0; p < processes.size(); ++p) {
    children.push_back(fork());
    if (children.back() != 0)
      continue;
    const joined here = join(static_cast<int>(p), static_cast<int>(processes.size()), id);
    if (here.group == nullptr)
      std::_Exit(100);
    processes[p](*here.group);
    std::_Exit(101);
  }
  std::vector<int> codes;
  for (const pid_t each : children) {
    int status = 0;
    waitpid(each, &status, 0);
    codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
  }
  return codes;
}

void wait_for_the_others(socket_group& group) {
  wait(*group.make_collectives()->start_barrier());
}

TEST(SocketGroup, EndsAllProcesses) {
  for (std::size_t who : {0u, 2u}) {
    std::vector<std::function<void(socket_group&)>> processes(3, wait_for_the_others);
    processes[who] = [](socket_group& group) { group.end_all(7); };
    EXPECT_EQ(exit_codes(processes), (std::vector<int>{7, 7, 7})) << who;
  }
}

TEST(SocketGroup, EndsWithAProcessThatIsKilled) {
  for (std::size_t who : {0u, 1u}) {
    std::vector<std::function<void(socket_group&)>> processes(3, wait_for_the_others);
    processes[who] = [](socket_group&) { raise(SIGKILL); };
    std::vector<int> expected(3, 1);
    expected[who] = -SIGKILL;
    EXPECT_EQ(exit_codes(processes), expected) << who;
  }
}

// Nobody listens at the port, which is the connection's own.
TEST(SocketGroup, KnowsAConnectionToItself) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const name = reinterpret_cast<sockaddr*>(&address);
  socklen_t bytes = sizeof address;
  const int alone = socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_EQ(bind(alone, name, sizeof address), 0);
  ASSERT_EQ(getsockname(alone, name, &bytes), 0);
  ASSERT_EQ(connect(alone, name, sizeof address), 0);
  EXPECT_TRUE(is_connected_to_itself(alone));
  close(alone);

  const int listens = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_port = 0;
  ASSERT_EQ(bind(listens, name, sizeof address), 0);
  ASSERT_EQ(listen(listens, 1), 0);
  ASSERT_EQ(getsockname(listens, name, &bytes), 0);
  const int asks = socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_EQ(connect(asks, name, sizeof address), 0);
  EXPECT_FALSE(is_connected_to_itself(asks));
  close(asks);
  close(listens);
}

} // namespace
