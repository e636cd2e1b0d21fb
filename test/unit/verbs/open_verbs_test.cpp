// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// That all processes of a run take verbs, or none.
#include "transport/verbs/open_verbs.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "fake_verbs.h"
#include "transport/self/self_heartbeat_link.h"

namespace {

using namespace gpurma::test;
using namespace gpurma::host;

constexpr int size = 3;

// What the processes, which are threads, share. One of them runs at a time, because the network is
// not made for more; they change where they wait for each other.
struct meeting {
  struct operation {
    std::vector<std::byte> given[size];
    int come = 0;
  };
  std::mutex turn;
  std::condition_variable all_have_come;
  std::map<std::pair<int, int>, operation> operations; // by communicator and its operations
};

class thread_collectives final : public collectives {
public:
  thread_collectives(meeting& with, std::unique_lock<std::mutex>& turn, int rank, int number)
      : with_(with), turn_(turn), rank_(rank), number_(number) {}

  std::unique_ptr<collective> start_barrier() override {
    meet(nullptr, 0);
    return std::make_unique<complete>();
  }
  std::unique_ptr<collective> start_allgather(const void* mine, std::size_t bytes,
                                              void* all) override {
    const meeting::operation& met = meet(mine, bytes);
    for (int p = 0; p < size; ++p)
      std::memcpy(static_cast<std::byte*>(all) + static_cast<std::size_t>(p) * bytes,
                  met.given[p].data(), bytes);
    return std::make_unique<complete>();
  }
  std::unique_ptr<collective> start_alltoall(const void* to, std::size_t bytes,
                                             void* from) override {
    const meeting::operation& met = meet(to, size * bytes);
    for (int p = 0; p < size; ++p)
      std::memcpy(static_cast<std::byte*>(from) + static_cast<std::size_t>(p) * bytes,
                  met.given[p].data() + static_cast<std::size_t>(rank_) * bytes, bytes);
    return std::make_unique<complete>();
  }

private:
  class complete final : public collective {
  public:
    bool test() override { return true; }
  };

  const meeting::operation& meet(const void* mine, std::size_t bytes) {
    meeting::operation& here = with_.operations[{number_, done_++}];
    const auto* const begin = static_cast<const std::byte*>(mine);
    here.given[rank_].assign(begin, begin + bytes);
    ++here.come;
    with_.all_have_come.notify_all();
    with_.all_have_come.wait(turn_, [&] { return here.come == size; });
    return here;
  }

  meeting& with_;
  std::unique_lock<std::mutex>& turn_;
  const int rank_;
  const int number_;
  int done_ = 0;
};

class thread_group final : public process_group {
public:
  thread_group(meeting& with, std::unique_lock<std::mutex>& turn, int rank)
      : with_(with), turn_(turn), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return ::size; }
  int node_leader() override { return 0; }
  std::unique_ptr<collectives> make_collectives() override {
    return std::make_unique<thread_collectives>(with_, turn_, rank_, made_++);
  }
  std::unique_ptr<heartbeat_link> make_heartbeat_link() override {
    return std::make_unique<self_heartbeat_link>();
  }
  void leave() override {}
  [[noreturn]] void end_all(int code) override { std::_Exit(code); }

private:
  meeting& with_;
  std::unique_lock<std::mutex>& turn_;
  const int rank_;
  int made_ = 0;
};

struct OpenVerbs : testing::Test {
  fake_network network;
  const verbs::verbs_api* apis[size] = {&network.api(), &network.api(), &network.api()};
  std::string reasons[size];
  unsigned opened = 0;

  OpenVerbs() {
    for (const char* name : {"a", "b", "c"})
      network.add_device(name);
  }
  ~OpenVerbs() override { network.closing = true; }

  void open() {
    meeting all;
    std::vector<std::thread> processes;
    for (int p = 0; p < size; ++p)
      processes.emplace_back([&, p] {
        std::unique_lock<std::mutex> turn(all.turn);
        thread_group group(all, turn, p);
        const auto transport = open_verbs_transport(group, p, apis[p], reasons[p]);
        opened += transport != nullptr;
      });
    for (std::thread& process : processes)
      process.join();
  }

  // And that nothing is left of what some of them had made.
  void expect_refused(const std::string& reason) {
    EXPECT_EQ(opened, 0u);
    for (const std::string& each : reasons)
      EXPECT_EQ(each, reason);
    EXPECT_EQ(network.queue_pairs(), 0u);
    EXPECT_EQ(network.regions(), 0u);
  }
};

TEST_F(OpenVerbs, IsTakenIfAllCan) {
  open();
  EXPECT_EQ(opened, 3u);
}

TEST_F(OpenVerbs, IsRefusedWithoutADevice) {
  network.devices.clear();
  open();
  expect_refused("process 0: there is no InfiniBand or RoCE device");
}

TEST_F(OpenVerbs, IsRefusedWithoutPermission) {
  for (const auto& device : network.devices)
    device->opens = false;
  open();
  expect_refused(
      "process 0: device a cannot be opened: Permission denied; device b cannot be opened: "
      "Permission denied; device c cannot be opened: Permission denied");
}

TEST_F(OpenVerbs, IsRefusedIfOneProcessHasNoLibrary) {
  apis[1] = nullptr;
  reasons[1] = "libibverbs cannot be loaded";
  open();
  expect_refused("process 1: libibverbs cannot be loaded");
}

TEST_F(OpenVerbs, IsRefusedIfTheDeviceOfOneProcessIsTooSmall) {
  network.devices[2]->attributes.max_srq_wr = 3;
  open();
  expect_refused(
      "process 2: device c, port 1: a receive queue of 3 entries is too short for messages of "
      "2 other processes (GPURMA_IB_RECEIVES, or the device's limit of 3)");
}

TEST_F(OpenVerbs, IsRefusedIfMemoryCannotBeRegistered) {
  network.registers = false;
  open();
  expect_refused("process 0: device a, port 1: buffers cannot be registered (is the limit of "
                 "locked memory, ulimit -l, too low?): Cannot allocate memory");
}

TEST_F(OpenVerbs, IsRefusedIfDevicesCannotBeConnected) {
  network.devices[1]->ports[0].link_layer = IBV_LINK_LAYER_INFINIBAND;
  open();
  expect_refused(
      "process 0: device a, port 1 of process 0 and device b, port 1 of process 1 are not "
      "of one kind of network");
}

} // namespace
