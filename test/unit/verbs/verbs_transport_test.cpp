// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two processes' ends of the verbs transport in one process.
#include "transport/verbs/verbs_transport.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <map>
#include <set>

#include "allocation_count.h"
#include "fake_verbs.h"
#include "host/log.h"

namespace {

using namespace gpurma::test;
using namespace gpurma::host;
using namespace gpurma::host::verbs;

// Of a run in which nobody else has to come.
class nobody_else final : public collectives {
public:
  class complete final : public collective {
  public:
    bool test() override { return true; }
  };
  std::unique_ptr<collective> start_barrier() override { return std::make_unique<complete>(); }
  std::unique_ptr<collective> start_allgather(const void*, std::size_t, void*) override {
    return std::make_unique<complete>();
  }
  std::unique_ptr<collective> start_alltoall(const void*, std::size_t, void*) override {
    return std::make_unique<complete>();
  }
};

struct message {
  message_header header;
  std::vector<std::byte> payload;
};

class taker final : public receiver {
public:
  bool open = true;
  bool notes = true;
  unsigned count = 0;
  std::vector<message> taken;

  std::optional<void*> landing(const message_header&) override { return nullptr; }
  bool arrived(const message_header& header, const void* payload) override {
    if (!open && header.kind != message_kind::get_reply)
      return false;
    ++count;
    if (notes) {
      const auto* const bytes = static_cast<const std::byte*>(payload);
      taken.push_back({header, payload != nullptr ? std::vector(bytes, bytes + header.bytes)
                                                  : std::vector<std::byte>()});
    }
    return true;
  }
};

struct told final : completion {
  unsigned times = 0;
  void completed() override { ++times; }
};

message_header notification(int source, int target, int tag, std::uint32_t window = 128) {
  message_header header;
  header.source = source;
  header.target = target;
  header.tag = tag;
  header.window = window;
  header.flags = 1;
  return header;
}

struct VerbsTransport : testing::Test {
  fake_network network;
  transport_limits limits;
  taker takers[2];
  std::unique_ptr<verbs_transport> ends[2];
  std::vector<std::byte> window = std::vector<std::byte>(1 << 20);
  exposed_memory exposed;

  static inline const std::byte* known = nullptr; // memory that the lookup knows
  static inline std::size_t known_bytes = 0;
  static allocation lookup(const void* address) {
    const auto* const at = static_cast<const std::byte*>(address);
    if (at < known || at >= known + known_bytes)
      return {};
    return {reinterpret_cast<std::uint64_t>(known), known_bytes, 1, false};
  }

  ~VerbsTransport() override { network.closing = true; }

  std::unique_ptr<verbs_transport> make(int process, std::string& reason) {
    auto device = open_device(network.api(), {.local_rank = process}, reason);
    return verbs_transport::make(std::move(device), limits, process, 2,
                                 std::make_unique<nobody_else>(), reason);
  }

  void start() {
    if (network.devices.empty())
      for (const char* name : {"left", "right"})
        network.add_device(name);
    std::string reason;
    for (int p = 0; p < 2; ++p) {
      ends[p] = make(p, reason);
      ASSERT_NE(ends[p], nullptr) << reason;
      ends[p]->set_receiver(&takers[p]);
    }
    for (int p = 0; p < 2; ++p)
      ASSERT_TRUE(ends[p]->connect({ends[0]->endpoint_for(p), ends[1]->endpoint_for(p)}, reason))
          << reason;
    known = window.data();
    known_bytes = window.size();
    for (const auto& end : ends)
      end->one_sided()->forget_freed({lookup, nullptr});
    exposed = ends[1]->one_sided()->expose(window.data(), window.size(), reason);
    ASSERT_EQ(exposed.granted, 1u) << reason;
    network.counted = {};
  }

  remote_access& origin() { return *ends[0]->one_sided(); }
  void progress(int looks = 8) {
    for (int i = 0; i < looks; ++i)
      for (const auto& end : ends)
        if (end)
          end->progress();
  }
  bool put(const message_header& header, bool notified, std::size_t at, const void* payload,
           std::size_t bytes, bool copy = true, completion* done = nullptr) {
    return origin().try_put(1, header, notified, exposed, exposed.begin + at, payload, bytes, copy,
                            done);
  }
  static std::vector<std::byte> pattern(std::size_t bytes) {
    std::vector<std::byte> made(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
      made[i] = static_cast<std::byte>(i * 7 + 1);
    return made;
  }
  bool in_window(std::size_t at, const std::vector<std::byte>& bytes) const {
    return std::memcmp(window.data() + at, bytes.data(), bytes.size()) == 0;
  }
  std::uint32_t queue_pair(unsigned number) const {
    return ends[0]->endpoint_for(1).numbers[number];
  }
};

TEST_F(VerbsTransport, PutsAndNotifiesWithOneWorkRequest) {
  start();
  const auto data = pattern(100);
  for (int tag = 0; tag < 3; ++tag) {
    network.counted = {};
    ASSERT_TRUE(put(notification(3, 7, tag), true, 1000, data.data(), data.size()));
    // The first one also says what its immediate data means.
    EXPECT_EQ(network.counted.sends, tag == 0 ? 1u : 0u);
    EXPECT_EQ(network.counted.writes_with_immediate, 1u);
    EXPECT_EQ(network.counted.posted(), tag == 0 ? 2u : 1u);
    EXPECT_EQ(network.counted.received, tag == 0 ? 2u : 1u);
    EXPECT_TRUE(in_window(1000, data));
    progress();
    ASSERT_EQ(takers[1].taken.size(), tag + 1u);
    const message_header& got = takers[1].taken.back().header;
    EXPECT_EQ(got.kind, message_kind::notify);
    EXPECT_EQ(got.source, 3);
    EXPECT_EQ(got.target, 7);
    EXPECT_EQ(got.tag, tag);
    EXPECT_EQ(got.window, 128u);
    EXPECT_EQ(got.flags, 1);
  }
}

// A short put, a longer one, and a notification alone, n times.
struct VerbsFastPath : VerbsTransport {
  const std::vector<std::byte> small = pattern(64);
  const std::vector<std::byte> eager = pattern(3000);

  void round(int n) {
    for (int i = 0; i < n; ++i) {
      while (!put(notification(3, 7, i), true, 0, small.data(), small.size()))
        progress(1);
      while (!put(notification(4, 7, i), true, 5000, eager.data(), eager.size()))
        progress(1);
      while (!origin().try_notify(1, notification(3, 6, i)))
        progress(1);
      progress(1);
    }
  }
  void warm_up() {
    start();
    takers[1].notes = false;
    round(1000); // vectors have grown to what they need
    network.counted = {};
  }
};

TEST_F(VerbsFastPath, AllocatesNothing) {
  warm_up();
  const std::size_t before = allocation_count();
  const unsigned taken = takers[1].count;
  round(1000);
  EXPECT_EQ(allocation_count(), before);
  EXPECT_EQ(takers[1].count, taken + 3000);
  EXPECT_EQ(network.counted.writes_with_immediate, 3000u);
  EXPECT_EQ(network.counted.sends, 0u);
  // Credits: one write for each half of those that were given.
  EXPECT_LE(network.counted.writes, 3000u / (limits.credits / 2) + 1);
}

using VerbsFastPathDeathTest = VerbsFastPath;

// Ends the process at the next system call that is not its end.
void forbid_system_calls() {
  sock_filter steps[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
                         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
                         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
  const sock_fprog filter = {static_cast<unsigned short>(std::size(steps)), steps};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

TEST_F(VerbsFastPathDeathTest, DoesNotCallTheSystem) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers call the system";
#endif
  warm_up();
  EXPECT_EXIT(
      {
        forbid_system_calls();
        round(1000);
        _exit(network.counted.writes_with_immediate == 3000 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
  // That a call would be found.
  EXPECT_EXIT(
      {
        forbid_system_calls();
        getppid();
        _exit(0);
      },
      testing::KilledBySignal(SIGSYS), "");
}

TEST_F(VerbsTransport, NotifiesWithAnyTagWindowAndRank) {
  start();
  std::vector<message_header> sent;
  for (const int tag : {0, 1, 0xffff, 0x10000, 0x7fffffff, 65535, 65536})
    for (const std::uint32_t window : {0u, 128u, 0xfffffff0u})
      for (const int rank : {0, 100000, 2000000000})
        sent.push_back(notification(rank, rank / 2, tag, window));
  for (const auto& header : sent)
    while (!origin().try_notify(1, header))
      progress(1);
  progress(100);
  ASSERT_EQ(takers[1].taken.size(), sent.size());
  // Of each pair in order.
  for (const int rank : {0, 100000, 2000000000}) {
    std::vector<std::pair<int, std::uint32_t>> wanted, got;
    for (const auto& each : sent)
      if (each.source == rank)
        wanted.emplace_back(each.tag, each.window);
    for (const auto& each : takers[1].taken)
      if (each.header.source == rank)
        got.emplace_back(each.header.tag, each.header.window);
    EXPECT_EQ(got, wanted);
  }
}

TEST_F(VerbsTransport, DefinesNotificationsAnewWhenItsTableIsTooShort) {
  limits.credits = 4;
  start();
  takers[1].notes = false;
  constexpr int ranks = 3 * static_cast<int>(table_entries);
  for (int round = 0; round < 2; ++round)
    for (int rank = 0; rank < ranks; ++rank)
      while (!origin().try_notify(1, notification(rank, 0, rank % 100)))
        progress(1);
  progress(10);
  EXPECT_EQ(takers[1].count, 2u * ranks);
  EXPECT_EQ(ends[0]->sent(1), ends[1]->processed(0));
}

TEST_F(VerbsTransport, KeepsAPairOnOneQueuePair) {
  limits.queue_pairs = 4;
  start();
  network.notes_posts = true;
  const auto data = pattern(5000);
  std::vector<std::byte> got(100);
  std::map<std::pair<int, int>, std::uint32_t> used;
  for (int round = 0; round < 3; ++round)
    for (int source = 0; source < 4; ++source)
      for (int target = 0; target < 3; ++target) {
        progress();
        network.posted_on.clear();
        const auto header = notification(source, target, round);
        ASSERT_TRUE(put(header, false, 0, data.data(), 10));
        ASSERT_TRUE(put(header, true, 0, data.data(), data.size(), false));
        ASSERT_TRUE(origin().try_notify(1, header));
        ASSERT_TRUE(
            origin().try_get(1, header, true, exposed, exposed.begin, got.data(), 100, nullptr));
        while (!ends[0]->try_send(1, header, nullptr, 0, nullptr))
          ends[0]->progress(); // not the other end, which posts counts
        const std::uint32_t first =
            used.try_emplace({source, target}, network.posted_on[0]).first->second;
        for (const std::uint32_t each : network.posted_on)
          EXPECT_EQ(each, first);
        progress();
      }
  std::set<std::uint32_t> all;
  for (const auto& [pair, number] : used)
    all.insert(number);
  EXPECT_EQ(all.size(), 4u);
}

TEST_F(VerbsTransport, LetsOtherPairsPassAQueuePairThatIsHeldUp) {
  start();
  network.hold(queue_pair(0));
  for (int source = 0; source < 4; ++source)
    ASSERT_TRUE(origin().try_notify(1, notification(source, 0, source)));
  progress();
  EXPECT_EQ(takers[1].taken.size(), 2u);
  network.release(queue_pair(0));
  progress();
  EXPECT_EQ(takers[1].taken.size(), 4u);
}

TEST_F(VerbsTransport, NeverOverrunsTheReceiveQueue) {
  limits.credits = 5;
  limits.queue_pairs = 1;
  start();
  takers[1].open = false;
  unsigned accepted = 0;
  for (int i = 0; i < 100; ++i) {
    accepted += origin().try_notify(1, notification(1, 0, i)); // the first uses two
    progress(1);
  }
  EXPECT_EQ(accepted, 4u);
  // Replies pass.
  message_header reply;
  reply.kind = message_kind::get_reply;
  for (int i = 0; i < 200; ++i)
    while (!ends[0]->try_send(1, reply, nullptr, 0, nullptr))
      progress(1);
  progress();
  EXPECT_EQ(takers[1].count, 200u);
  EXPECT_EQ(ends[1]->processed(0), 1u); // the definition
  takers[1].open = true;
  progress();
  EXPECT_EQ(takers[1].count, 204u);
  for (int i = 0; i < 100; ++i)
    while (!origin().try_notify(1, notification(1, 0, i)))
      progress(1);
  progress();
  EXPECT_EQ(takers[1].count, 304u);
  EXPECT_EQ(network.counted.not_ready, 0u);
}

TEST_F(VerbsTransport, DividesAShortReceiveQueue) {
  limits.receives = 24;
  start();
  takers[1].open = false;
  unsigned accepted = 0;
  for (int i = 0; i < 100; ++i)
    accepted += ends[0]->try_send(1, notification(i, 0, i), nullptr, 0, nullptr);
  EXPECT_EQ(accepted, 18u); // and 6 for replies
  EXPECT_EQ(network.counted.not_ready, 0u);
}

TEST_F(VerbsTransport, PutsLargePayloadsInPlaceAndInParts) {
  limits.chunk = 1000;
  limits.sends = 8;
  start();
  const auto data = pattern(100500);
  told done;
  ASSERT_TRUE(put(notification(1, 2, 5), true, 10, data.data(), data.size(), false, &done));
  // Nothing of the pair passes it.
  EXPECT_FALSE(put(notification(1, 2, 6), true, 10, data.data(), 8));
  EXPECT_FALSE(origin().try_notify(1, notification(1, 2, 6)));
  EXPECT_FALSE(origin().try_seal(1));
  EXPECT_EQ(done.times, 0u);
  progress(200);
  EXPECT_EQ(done.times, 1u);
  EXPECT_TRUE(in_window(10, data));
  EXPECT_EQ(network.counted.writes, 100u);
  EXPECT_EQ(network.counted.writes_with_immediate, 1u);
  EXPECT_EQ(takers[1].taken.size(), 1u);
  EXPECT_TRUE(put(notification(1, 2, 6), true, 10, data.data(), 8));
}

// Where MPI sends a header and then the payload (mpi.transport_messages).
TEST_F(VerbsTransport, PutsLargePayloadsWithOneWorkRequest) {
  start();
  const auto data = pattern(100500);
  ASSERT_TRUE(origin().try_notify(1, notification(1, 2, 5))); // says what its immediate data means
  network.counted = {};
  told done;
  ASSERT_TRUE(put(notification(1, 2, 6), true, 10, data.data(), data.size(), false, &done));
  progress();
  EXPECT_EQ(done.times, 1u);
  EXPECT_TRUE(in_window(10, data));
  EXPECT_EQ(network.counted.posted(), 1u);
  EXPECT_EQ(network.counted.received, 1u);
}

TEST_F(VerbsTransport, ReadsAndThenNotifies) {
  limits.chunk = 1000;
  limits.sends = 8;
  start();
  const auto data = pattern(20500);
  std::memcpy(window.data() + 300, data.data(), data.size());
  std::vector<std::byte> got(data.size());
  told done;
  network.hold(queue_pair((1 * 31 + 2) % 2));
  ASSERT_TRUE(origin().try_get(1, notification(1, 2, 5), true, exposed, exposed.begin + 300,
                               got.data(), got.size(), &done));
  progress();
  EXPECT_EQ(network.counted.writes_with_immediate, 0u);
  network.release(queue_pair((1 * 31 + 2) % 2));
  progress(100);
  EXPECT_EQ(got, data);
  EXPECT_EQ(done.times, 1u);
  EXPECT_EQ(network.counted.reads, 21u);
  EXPECT_EQ(network.counted.writes_with_immediate, 1u);
  ASSERT_EQ(takers[1].taken.size(), 1u);
  EXPECT_EQ(takers[1].taken[0].header.tag, 5);
  // Of nothing: only the notification.
  ASSERT_TRUE(origin().try_get(1, notification(1, 2, 6), true, exposed, exposed.begin, got.data(),
                               0, &done));
  progress();
  EXPECT_EQ(done.times, 2u);
  EXPECT_EQ(network.counted.reads, 21u);
  EXPECT_EQ(takers[1].taken.size(), 2u);
}

TEST_F(VerbsTransport, SealsPutsThatDoNotNotify) {
  start();
  const auto data = pattern(8);
  ASSERT_TRUE(put(notification(0, 0, 0), false, 0, data.data(), 8));
  ASSERT_TRUE(put(notification(1, 0, 0), false, 8, data.data(), 8));
  ASSERT_TRUE(origin().try_notify(1, notification(1, 0, 0)));
  const std::uint64_t before = ends[0]->sent(1);
  ASSERT_TRUE(origin().try_seal(1)); // of the first put; the second has its notification behind it
  EXPECT_EQ(ends[0]->sent(1), before + 1);
  ASSERT_TRUE(origin().try_seal(1));
  EXPECT_EQ(ends[0]->sent(1), before + 1);
  progress();
  EXPECT_EQ(ends[1]->processed(0), before + 1);
  EXPECT_EQ(takers[1].taken.size(), 1u);
}

TEST_F(VerbsTransport, RegistersMemoryThatNoAllocationHoldsForOneAccess) {
  start();
  const auto data = pattern(50000);
  const unsigned before = network.regions();
  told done;
  ASSERT_TRUE(put(notification(1, 2, 5), true, 0, data.data(), data.size(), false, &done));
  EXPECT_EQ(network.regions(), before + 1);
  progress();
  EXPECT_EQ(network.regions(), before);
  EXPECT_EQ(done.times, 1u);
  EXPECT_TRUE(in_window(0, data));
}

TEST_F(VerbsTransport, KeepsWhatHasBeenReadForRequestsThatAreRepeated) {
  constexpr unsigned longest = 31; // hours
  for (const unsigned timeout : {longest, 1u}) {
    limits.timeout = timeout;
    start();
    const auto data = pattern(50000);
    const unsigned before = network.regions();
    told done;
    message_header header;
    header.kind = message_kind::put;
    header.bytes = data.size();
    ASSERT_TRUE(ends[0]->try_send(1, header, data.data(), data.size(), &done));
    while (done.times == 0)
      progress();
    if (timeout == longest) {
      progress();
      EXPECT_EQ(network.regions(), before + 1);
      // Unless it is wanted for what comes next.
      network.refuses_registrations = 1;
      ASSERT_TRUE(ends[0]->try_send(1, header, data.data(), data.size(), &done));
      EXPECT_EQ(network.regions(), before + 1);
      while (done.times == 1)
        progress();
    } else {
      while (network.regions() != before)
        progress();
    }
    network.closing = true;
    for (auto& end : ends)
      end = nullptr;
    network.closing = false;
    EXPECT_EQ(network.regions(), 0u);
  }
}

TEST_F(VerbsTransport, CarriesMessagesOfAllSizes) {
  start();
  std::vector<std::vector<std::byte>> payloads;
  std::size_t done_early = 0;
  told done;
  for (const std::size_t bytes : {0u, 1u, 64u, 65u, 128u, 3968u, 3969u, 200000u}) {
    payloads.push_back(pattern(bytes));
    message_header header;
    header.kind = message_kind::put;
    header.source = static_cast<std::int32_t>(bytes);
    header.bytes = bytes;
    ASSERT_TRUE(ends[0]->try_send(1, header, payloads.back().data(), bytes, &done));
    done_early += bytes <= limits.eager;
    EXPECT_EQ(done.times, done_early) << bytes;
  }
  progress(20);
  EXPECT_EQ(done.times, payloads.size());
  ASSERT_EQ(takers[1].taken.size(), payloads.size());
  for (const auto& payload : payloads)
    EXPECT_EQ(std::count_if(takers[1].taken.begin(), takers[1].taken.end(),
                            [&](const message& got) {
                              return got.header.source == static_cast<int>(payload.size()) &&
                                     got.payload == payload;
                            }),
              1);
}

TEST_F(VerbsTransport, WorksWithoutInlineData) {
  for (const char* name : {"left", "right"})
    network.add_device(name).most_inline = 0;
  limits.credits = 4;
  start();
  const auto data = pattern(64);
  for (int i = 0; i < 500; ++i)
    while (!put(notification(i % 5, 0, i), true, 64, data.data(), data.size()))
      progress(1);
  progress();
  EXPECT_EQ(takers[1].taken.size(), 500u);
  EXPECT_TRUE(in_window(64, data));
  EXPECT_EQ(network.counted.taken_along, 0u);
}

TEST_F(VerbsTransport, PostsNoMoreThanAQueuePairTakes) {
  limits.sends = 8;
  limits.queue_pairs = 1;
  start();
  network.hold(queue_pair(0));
  const auto data = pattern(8);
  unsigned accepted = 0;
  for (int i = 0; i < 50; ++i)
    accepted += put(notification(0, 0, 0), false, 0, data.data(), 8);
  EXPECT_EQ(accepted, 8u);
  network.release(queue_pair(0));
  progress();
  EXPECT_TRUE(put(notification(0, 0, 0), false, 0, data.data(), 8));
  EXPECT_LT(network.counted.signaled, network.counted.writes);
}

TEST_F(VerbsTransport, RefusesDevicesThatAreTooSmall) {
  fake_device& device = network.add_device("left");
  std::string reason;
  device.attributes.max_srq_wr = 3;
  EXPECT_EQ(make(0, reason), nullptr);
  EXPECT_EQ(reason,
            "device left, port 1: a receive queue of 3 entries is too short for messages of "
            "1 other processes (GPURMA_IB_RECEIVES, or the device's limit of 3)");
  device.attributes.max_srq_wr = 1000;
  device.attributes.max_cqe = 20;
  EXPECT_EQ(make(0, reason), nullptr);
  EXPECT_EQ(reason, "device left, port 1: its completion queues of 20 entries are too short for 4 "
                    "queue pairs (GPURMA_IB_QUEUE_PAIRS)");
}

TEST_F(VerbsTransport, RefusesOthersThatDoNotFit) {
  start();
  std::string reason;
  std::vector<endpoint> others = {ends[0]->endpoint_for(0), ends[1]->endpoint_for(0)};
  others[1].queue_pairs = 3;
  EXPECT_FALSE(ends[0]->connect(others, reason));
  EXPECT_EQ(reason,
            "processes disagree: GPURMA_IB_QUEUE_PAIRS is 2 in process 0 and 3 in process 1");
  others[1].queue_pairs = 2;
  others[1].link_layer = IBV_LINK_LAYER_INFINIBAND;
  EXPECT_FALSE(ends[0]->connect(others, reason));
  EXPECT_EQ(reason,
            "device left, port 1 of process 0 and device right, port 1 of process 1 are not "
            "of one kind of network");
}

// Over dynamic connections (DC): a pool of initiators instead of queue pairs.
struct DynamicConnections : VerbsTransport {
  DynamicConnections() {
    for (const char* name : {"left", "right"})
      network.add_device(name).is_mlx5 = true;
    limits.queue_pairs = 1;
    limits.initiators = 2;
  }
};

TEST_F(DynamicConnections, AreOfferedByDevicesThatHaveThem) {
  network.add_device("other");
  network.add_device("old").is_mlx5 = true;
  network.devices.back()->makes_targets = false;
  std::string reason;
  const auto offers = [&](const char* name) {
    return offers_dynamic_connections(*open_device(network.api(), {.names = name}, reason));
  };
  EXPECT_TRUE(offers("left"));
  EXPECT_FALSE(offers("other"));
  EXPECT_FALSE(offers("old"));
  EXPECT_EQ(network.queue_pairs(), 0u);
}

TEST_F(DynamicConnections, AreTakenWhereTheyAreAskedForOrSaveMuch) {
  EXPECT_TRUE(takes_dynamic_connections("dc", true, 2, 2));
  EXPECT_FALSE(takes_dynamic_connections("dc", false, 2, 2));
  EXPECT_FALSE(takes_dynamic_connections("rc", true, 10000, 2));
  EXPECT_FALSE(takes_dynamic_connections("auto", true, 513, 2));
  EXPECT_TRUE(takes_dynamic_connections("auto", true, 514, 2));
  EXPECT_FALSE(takes_dynamic_connections("auto", false, 514, 2));
}

TEST_F(DynamicConnections, PutAndNotifyWithOneWorkRequest) {
  start();
  const auto data = pattern(100);
  ASSERT_TRUE(put(notification(3, 7, 0), true, 1000, data.data(), data.size()));
  progress();
  network.counted = {};
  ASSERT_TRUE(put(notification(3, 7, 1), true, 5000, data.data(), data.size()));
  EXPECT_EQ(network.counted.writes_with_immediate, 1u);
  EXPECT_EQ(network.counted.posted(), 1u);
  EXPECT_EQ(network.counted.taken_along, 1u);
  EXPECT_TRUE(in_window(5000, data));
  progress();
  ASSERT_EQ(takers[1].taken.size(), 2u);
  EXPECT_EQ(takers[1].taken[1].header.source, 3);
  EXPECT_EQ(takers[1].taken[1].header.target, 7);
  EXPECT_EQ(takers[1].taken[1].header.tag, 1);
}

TEST_F(DynamicConnections, CarryAllKindsOfAccess) {
  limits.chunk = 1000;
  limits.sends = 8;
  start();
  const auto data = pattern(20500);
  std::vector<std::byte> got(data.size());
  told done;
  ASSERT_TRUE(put(notification(1, 2, 5), true, 10, data.data(), data.size(), false, &done));
  progress(200);
  EXPECT_TRUE(in_window(10, data));
  ASSERT_TRUE(origin().try_get(1, notification(1, 2, 6), true, exposed, exposed.begin + 10,
                               got.data(), got.size(), &done));
  progress(200);
  EXPECT_EQ(got, data);
  EXPECT_EQ(done.times, 2u);
  message_header header;
  header.kind = message_kind::put;
  header.source = 1;
  header.bytes = data.size();
  ASSERT_TRUE(ends[0]->try_send(1, header, data.data(), data.size(), &done));
  progress(200);
  EXPECT_EQ(done.times, 3u);
  ASSERT_EQ(takers[1].taken.size(), 3u);
  EXPECT_EQ(takers[1].taken[0].header.tag, 5);
  EXPECT_EQ(takers[1].taken[1].header.tag, 6);
  EXPECT_EQ(takers[1].taken[2].payload, data);
  EXPECT_LE(network.counted.most_in_flight, 8u);
  EXPECT_EQ(network.counted.not_ready, 0u);
}

TEST_F(DynamicConnections, KeepATargetOnOneInitiatorWhileAnythingIsInFlight) {
  start();
  network.notes_posts = true;
  const auto data = pattern(8);
  std::set<std::uint32_t> used;
  const auto put_one = [&] {
    ASSERT_TRUE(put(notification(0, 0, 0), false, 0, data.data(), data.size()));
    used.insert(network.posted_on.back());
  };
  put_one();
  network.hold(network.posted_on.back());
  for (int i = 0; i < 20; ++i)
    put_one();
  EXPECT_EQ(used.size(), 1u);
  network.release(*used.begin());
  progress();
}

TEST_F(DynamicConnections, UseTheInitiatorThatHasLeastToDo) {
  // Three processes, of which this test plays only the first; the others are the second's end.
  std::string reason;
  auto first = verbs_transport::make(open_device(network.api(), {}, reason), limits, 0, 3,
                                     std::make_unique<nobody_else>(), reason);
  ASSERT_NE(first, nullptr) << reason;
  auto second = verbs_transport::make(open_device(network.api(), {.local_rank = 1}, reason), limits,
                                      1, 3, std::make_unique<nobody_else>(), reason);
  ASSERT_NE(second, nullptr) << reason;
  // A target for this process at each of them.
  const std::vector<endpoint> others = {first->endpoint_for(0), second->endpoint_for(0),
                                        second->endpoint_for(2)};
  ASSERT_TRUE(first->connect(others, reason)) << reason;
  network.notes_posts = true;
  ASSERT_TRUE(first->one_sided()->try_notify(1, notification(0, 1, 0)));
  const std::uint32_t busy = network.posted_on.back();
  network.hold(busy);
  ASSERT_TRUE(first->one_sided()->try_notify(1, notification(0, 1, 0)));
  EXPECT_EQ(network.posted_on.back(), busy);
  ASSERT_TRUE(first->one_sided()->try_notify(2, notification(0, 2, 0)));
  EXPECT_NE(network.posted_on.back(), busy);
  network.release(busy);
  network.closing = true;
  first->abandon();
  second->abandon();
}

TEST_F(DynamicConnections, NeedFewSendQueues) {
  limits.initiators = 4;
  std::string reason;
  constexpr unsigned processes = 50;
  auto end = verbs_transport::make(open_device(network.api(), {}, reason), limits, 0, processes,
                                   std::make_unique<nobody_else>(), reason);
  ASSERT_NE(end, nullptr) << reason;
  EXPECT_EQ(network.queue_pairs(), processes - 1 + 4); // a target for each other process
  end->abandon();
  end = nullptr;
  EXPECT_EQ(network.queue_pairs(), 0u);
}

TEST_F(DynamicConnections, AreGivenBack) {
  start();
  EXPECT_EQ(network.addresses, 2u);
  network.closing = true;
  for (auto& end : ends)
    end = nullptr;
  EXPECT_EQ(network.addresses, 0u);
  EXPECT_EQ(network.queue_pairs(), 0u);
}

TEST_F(DynamicConnections, NeedTheSameAtBothEnds) {
  start();
  std::string reason;
  std::vector<endpoint> others = {ends[0]->endpoint_for(0), ends[1]->endpoint_for(0)};
  others[1].dynamic = 0;
  EXPECT_FALSE(ends[0]->connect(others, reason));
  EXPECT_EQ(reason, "processes disagree: process 0 uses dynamic connections, process 1 does not "
                    "(GPURMA_IB_CONNECTION)");
}

using DynamicConnectionsDeathTest = DynamicConnections;

TEST_F(DynamicConnectionsDeathTest, NameTheProcessOfWhatFails) {
  start();
  const auto data = pattern(8);
  EXPECT_EXIT(
      {
        network.fail_next(IBV_WC_RETRY_EXC_ERR);
        put(notification(3, 7, 0), false, 0, data.data(), 8);
        progress();
      },
      testing::ExitedWithCode(1),
      "verbs: a put of rank 3 for rank 7, from process 0 \\(device left, port 1\\) to process 1 "
      "\\(device right, port 1\\), has failed: transport retry counter exceeded");
}

using VerbsTransportDeathTest = VerbsTransport;

TEST_F(VerbsTransportDeathTest, NamesRanksDevicesAndStatusOfWhatFails) {
  start();
  const auto data = pattern(8);
  EXPECT_EXIT(
      {
        network.fail_next(IBV_WC_RETRY_EXC_ERR);
        put(notification(3, 7, 0), false, 0, data.data(), 8);
        for (int i = 0; i < 100; ++i)
          put(notification(3, 7, 0), false, 0, data.data(), 8);
        progress();
      },
      testing::ExitedWithCode(1),
      "verbs: a put of rank 3 for rank 7, from process 0 \\(device left, port 1\\) to process 1 "
      "\\(device right, port 1\\), has failed: transport retry counter exceeded \\(status 12, "
      "vendor's code 0\\); the process has ended, or the link between the two is down");
}

TEST_F(VerbsTransportDeathTest, NamesTheCauseOfAFlushedReceive) {
  start();
  const auto data = pattern(8);
  EXPECT_EXIT(
      {
        network.flush_receive(queue_pair(0)); // is looked for before the put
        network.fail_next(IBV_WC_RETRY_EXC_ERR);
        put(notification(3, 7, 0), false, 0, data.data(), 8);
        progress();
      },
      testing::ExitedWithCode(1),
      "verbs: a put of rank 3 for rank 7, .* has failed: transport retry counter exceeded");
}

TEST_F(VerbsTransportDeathTest, NamesTheEventThatFlushesARequest) {
  start();
  EXPECT_EXIT(
      {
        network.flush_receive(queue_pair(0));
        network.add_event(IBV_EVENT_QP_ACCESS_ERR, queue_pair(0));
        progress();
      },
      testing::ExitedWithCode(1),
      "verbs: device left, port 1 of process 0, queue pair to process 1 \\(device right, port "
      "1\\): local access violation work queue error");
}

TEST_F(VerbsTransportDeathTest, SaysThatTheCauseOfAFlushedRequestIsElsewhere) {
  start();
  EXPECT_EXIT(
      {
        network.flush_receive(queue_pair(0));
        progress();
      },
      testing::ExitedWithCode(1),
      "verbs: a receive of process 0 \\(device left, port 1\\) from process 1 \\(device right, "
      "port 1\\) has failed: Work Request Flushed Error \\(status 5, vendor's code 0\\); it "
      "follows from an earlier error, of which this process has not been told");
}

// The target has taken all that was on its way, and returns no credits.
TEST_F(VerbsTransportDeathTest, FindsAProcessThatHasEndedWithNothingOnItsWay) {
  limits.timeout = 1;
  limits.credits = 8;
  start();
  constexpr int looks = 100000;
  const auto look = [&] {
    for (int i = 0; i < looks; ++i)
      ends[0]->progress();
  };
  for (int sent = 0; origin().try_notify(1, notification(3, 7, 0)); ++sent)
    if (sent == 0)
      look();
  EXPECT_EQ(network.counted.writes, 0u); // not before it is held back
  EXPECT_EXIT(
      {
        network.fail_next(IBV_WC_RETRY_EXC_ERR);
        look();
      },
      testing::ExitedWithCode(1),
      "verbs: a count of processed messages, from process 0 \\(device left, port 1\\) to process 1 "
      "\\(device right, port 1\\), has failed: transport retry counter exceeded");
  look();
  EXPECT_GT(network.counted.writes, 0u);
  progress();
  EXPECT_TRUE(origin().try_notify(1, notification(3, 7, 0)));
}

TEST_F(VerbsTransportDeathTest, NamesFreedMemory) {
  start();
  const auto data = pattern(8);
  exposed.key += 1000;
  EXPECT_EXIT(
      {
        for (int i = 0; i < 100; ++i)
          put(notification(3, 7, 0), false, 0, data.data(), 8);
        progress();
      },
      testing::ExitedWithCode(1),
      "a put of rank 3 for rank 7.*the memory of the target has been freed");
}

TEST_F(VerbsTransportDeathTest, EndsWithItsDevice) {
  start();
  network.add_event(IBV_EVENT_DEVICE_FATAL);
  EXPECT_EXIT(progress(10000), testing::ExitedWithCode(1),
              "verbs: device left, port 1 of process 0: local catastrophic error");
}

TEST_F(VerbsTransportDeathTest, NamesMemoryThatCannotBeUsed) {
  start();
  const auto data = pattern(50000);
  network.registers = false;
  EXPECT_EXIT(put(notification(3, 7, 0), false, 0, data.data(), data.size(), false),
              testing::ExitedWithCode(1),
              "verbs: memory of an access from rank 3 to rank 7 cannot be used: 50000 bytes cannot "
              "be registered with device left, port 1: .*ulimit -l");
}

} // namespace
