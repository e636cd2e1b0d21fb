// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/file_exchange.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace gpurma::host {
namespace {

using namespace std::chrono_literals;

// Files that hold a number each, and that number beside them.
file_parcel parcel_of(std::size_t sender, std::size_t files) {
  file_parcel made;
  for (std::uint64_t k = 0; k < files; ++k) {
    const std::uint64_t number = 1000 * sender + k;
    made.files.emplace_back(memfd_create("gpurma-test", MFD_CLOEXEC));
    EXPECT_EQ(pwrite(made.files.back().number(), &number, sizeof number, 0),
              ssize_t{sizeof number});
    made.words.push_back(number);
  }
  return made;
}

bool holds(const file_parcel& parcel, std::size_t sender, std::size_t files) {
  if (parcel.files.size() != files || parcel.words.size() != files)
    return false;
  for (std::uint64_t k = 0; k < files; ++k) {
    std::uint64_t number = 0;
    if (pread(parcel.files[k].number(), &number, sizeof number, 0) != ssize_t{sizeof number} ||
        number != 1000 * sender + k || parcel.words[k] != number)
      return false;
  }
  return true;
}

// The exit code of a process that runs `work`.
template <class Work> int run_in_process(Work work) {
  const pid_t child = fork();
  if (child == 0)
    _exit(work() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(file_exchange, reaches_all_processes_of_the_host_that_take_part) {
  // Process 2 runs on another host; process 3 has more files than go with one message.
  constexpr std::size_t files[] = {1, 0, 0, 150};
  file_exchange sockets[4];
  const std::vector<std::uint64_t> names = {sockets[0].name(), sockets[1].name(), 0,
                                            sockets[3].name()};
  const auto take_part = [&](std::size_t self) {
    std::vector<file_parcel> all;
    std::string reason;
    if (!sockets[self].exchange(names, self, parcel_of(self, files[self]), all, 20s, reason))
      return false;
    for (const std::size_t p : {0, 1, 3})
      if (p != self && !holds(all[p], p, files[p]))
        return false;
    return all[2].files.empty();
  };
  std::vector<pid_t> others;
  for (const std::size_t p : {1, 3})
    if (const pid_t child = fork(); child == 0)
      _exit(take_part(p) ? 0 : 1);
    else
      others.push_back(child);
  EXPECT_TRUE(take_part(0));
  for (const pid_t other : others) {
    int status = -1;
    waitpid(other, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

TEST(file_exchange, says_who_is_not_there) {
  file_exchange mine;
  std::vector<file_parcel> all;
  std::string reason;
  EXPECT_FALSE(mine.exchange({mine.name(), mine.name() + 1}, 0, {}, all, 1s, reason));
  EXPECT_NE(reason.find("cannot hand files to another process of the host: Connection refused"),
            std::string::npos)
      << reason;
  // It listens, but never hands anything over.
  file_exchange silent;
  EXPECT_FALSE(mine.exchange({mine.name(), silent.name()}, 0, {}, all, 1s, reason));
  EXPECT_EQ(reason, "these processes of the host have handed over no files in 1 s: 1");
}

TEST(file_exchange, forgets_what_came_in_vain) {
  file_exchange sockets[3];
  std::vector<file_parcel> all;
  std::string reason;
  // Process 0 does not reach process 2, which has gone; so the files of process 1 are left.
  EXPECT_EQ(run_in_process([&] {
              return !sockets[1].exchange({sockets[0].name(), sockets[1].name()}, 1,
                                          parcel_of(1, 3), all, 1s, reason) &&
                     reason == "these processes of the host have handed over no files in 1 s: 0";
            }),
            0);
  const std::uint64_t nobody = sockets[2].name() + 1;
  EXPECT_FALSE(sockets[0].exchange({sockets[0].name(), 0, nobody}, 0, {}, all, 1s, reason));
  // The next exchange of both.
  const std::vector<std::uint64_t> names = {sockets[0].name(), sockets[1].name()};
  const pid_t child = fork();
  if (child == 0) {
    const bool first = sockets[1].exchange({0, sockets[1].name()}, 1, {}, all, 1s, reason);
    _exit(first && sockets[1].exchange(names, 1, parcel_of(7, 2), all, 20s, reason) ? 0 : 1);
  }
  EXPECT_TRUE(sockets[0].exchange(names, 0, {}, all, 20s, reason)) << reason;
  EXPECT_TRUE(holds(all[1], 7, 2));
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(file_exchange, says_that_there_is_no_room_for_files) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's check of a class needs a file descriptor";
#endif
  file_exchange sockets[2];
  const std::vector<std::uint64_t> names = {sockets[0].name(), sockets[1].name()};
  std::vector<file_parcel> all;
  std::string reason;
  EXPECT_EQ(run_in_process(
                [&] { return !sockets[1].exchange(names, 1, parcel_of(1, 40), all, 1s, reason); }),
            0);
  EXPECT_EQ(run_in_process([&] {
              const rlimit few{20, 20};
              const auto begun = std::chrono::steady_clock::now();
              return setrlimit(RLIMIT_NOFILE, &few) == 0 &&
                     !sockets[0].exchange(names, 0, {}, all, 20s, reason) &&
                     reason == "cannot take files from another process of the host: "
                               "Too many open files" &&
                     std::chrono::steady_clock::now() - begun < 10s;
            }),
            0);
}

TEST(file_exchange, takes_nothing_from_strangers) {
  file_exchange mine;
  const auto send_as = [&](std::size_t sender) {
    return run_in_process([&] {
      file_exchange stranger;
      std::vector<std::uint64_t> names(sender + 1);
      names[0] = mine.name();
      names[sender] = stranger.name();
      std::vector<file_parcel> all;
      std::string reason;
      // Nobody answers, but what it sends is on its way.
      return !stranger.exchange(names, sender, {}, all, 1s, reason);
    });
  };
  EXPECT_EQ(send_as(7), 0);
  std::vector<file_parcel> all;
  std::string reason;
  file_exchange expected;
  EXPECT_FALSE(mine.exchange({mine.name(), expected.name()}, 0, {}, all, 5s, reason));
  EXPECT_EQ(reason, "a process of the host hands over what nobody has asked for");
}

} // namespace
} // namespace gpurma::host
