// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transport by itself, under mpirun:
// transport_test traffic|tight|pairs|pressure|parts|collectives|messages|killed|bad_key [mpi|verbs]
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "check.h"
#include "host/log.h"
#include "transport/mpi/mpi_group.h"
#include "transport/mpi/mpi_transport.h"
#include "transport/verbs/open_verbs.h"

using gpurma::host::completion;
using gpurma::host::message_header;
using gpurma::host::message_kind;
using gpurma::host::mpi_transport;
using gpurma::host::receiver;

namespace {

int rank = 0;
int size = 1;
bool verbs = false;
int sends = 0; // of MPI, by this process

// The verbs transport takes its limits from the environment, before which nothing has read it.
std::unique_ptr<gpurma::host::transport> open(const mpi_transport::limits& limits) {
  if (!verbs)
    return std::make_unique<mpi_transport>(MPI_COMM_WORLD, limits);
  const auto set = [](const char* name, std::size_t value) {
    setenv(name, std::to_string(value).c_str(), 0);
  };
  set("GPURMA_EAGER", limits.eager);
  set("GPURMA_CREDITS", limits.credits);
  set("GPURMA_IB_CHUNK", limits.chunk);
  std::string reason;
  gpurma::host::mpi_group processes;
  auto opened = gpurma::host::open_verbs_transport(processes, rank, reason);
  if (!opened)
    gpurma::host::fatal(reason);
  return opened;
}

void wait(gpurma::host::transport& transport, gpurma::host::collective& operation) {
  while (!operation.test())
    if (!transport.progress())
      std::this_thread::yield();
}

// Until every message, but replies, that any process has sent to this one is processed.
void quiesce(gpurma::host::transport& transport) {
  std::vector<std::uint64_t> sent(static_cast<std::size_t>(size)), expected(sent.size());
  for (int p = 0; p < size; ++p)
    sent[static_cast<std::size_t>(p)] = transport.sent(p);
  wait(transport, *transport.start_alltoall(sent.data(), sizeof(std::uint64_t), expected.data()));
  for (int p = 0; p < size; ++p)
    while (transport.processed(p) < expected[static_cast<std::size_t>(p)])
      if (!transport.progress())
        std::this_thread::yield();
  wait(transport, *transport.start_barrier()); // the others' sends are complete too
}

// ---- random traffic ----

constexpr int ranks_per_process = 4;

// What message number n from one rank to another carries.
std::byte content(int source, int target, std::uint64_t n, std::size_t at) {
  return static_cast<std::byte>((static_cast<std::size_t>(source) * 31 +
                                 static_cast<std::size_t>(target) * 17 + n * 7 + at * 131) >>
                                (at % 3));
}

// Source, target, and whether it is a reply: these have an order of their own.
using order_key = std::tuple<int, int, bool>;

order_key key_of(const message_header& header) {
  return {header.source, header.target, header.kind == message_kind::get_reply};
}

// Checks order and content; refuses every now and then.
class checker final : public receiver {
public:
  explicit checker(unsigned seed) : random_(seed) {}

  std::optional<void*> landing(const message_header& header) override {
    CHECK(header.cookie == next_[key_of(header)]);
    if (random_() % 8 == 0)
      return std::nullopt;
    auto& place = landings_[key_of(header)];
    if (header.cookie % 3 == 0)
      return nullptr; // the transport's buffer
    place.assign(header.bytes, std::byte{});
    return place.data();
  }

  bool arrived(const message_header& header, const void* payload) override {
    CHECK(header.target / ranks_per_process == rank);
    std::uint64_t& next = next_[key_of(header)];
    CHECK(header.cookie == next);
    if (random_() % 8 == 0)
      return false;
    CHECK((payload != nullptr) == (header.bytes != 0));
    for (std::size_t i = 0; i < header.bytes; ++i)
      CHECK(static_cast<const std::byte*>(payload)[i] ==
            content(header.source, header.target, next, i));
    ++next;
    ++(header.kind == message_kind::get_reply ? replies : taken);
    return true;
  }

  std::uint64_t taken = 0, replies = 0;

private:
  std::mt19937 random_;
  std::map<order_key, std::uint64_t> next_;
  std::map<order_key, std::vector<std::byte>> landings_;
};

// A payload that frees itself when it has been sent.
struct owned_payload final : completion {
  std::vector<std::byte> bytes;
  std::atomic<std::uint64_t>* completions;
  void completed() override {
    std::fill(bytes.begin(), bytes.end(),
              std::byte{0xee}); // a transport that still reads it now sends nonsense
    ++*completions;
  }
};

void traffic(const mpi_transport::limits& limits, int messages) {
  const auto opened = open(limits);
  gpurma::host::transport& transport = *opened;
  checker check(static_cast<unsigned>(rank));
  transport.set_receiver(&check);

  // Two threads, each with its own source ranks, so that each pair is used by one thread.
  std::atomic<std::uint64_t> completions{0};
  std::uint64_t sends = 0;
  std::vector<std::uint64_t> replies(static_cast<std::size_t>(size)); // sent, by process
  std::mutex mutex;
  std::vector<std::unique_ptr<owned_payload>> payloads;
  const auto send = [&](int thread) {
    std::mt19937 random(static_cast<unsigned>(1000 * rank + thread));
    std::map<order_key, std::uint64_t> next;
    std::uint64_t mine = 0;
    std::vector<std::uint64_t> my_replies(replies.size());
    for (int n = 0; n < messages; ++n) {
      const int process =
          (rank + 1 + static_cast<int>(random() % static_cast<unsigned>(size - 1))) % size;
      message_header header;
      header.kind = random() % 4 == 0 ? message_kind::get_reply : message_kind::put;
      header.source = rank * ranks_per_process + thread + 2 * static_cast<int>(random() % 2);
      header.target = process * ranks_per_process + static_cast<int>(random() % ranks_per_process);
      header.cookie = next[key_of(header)]++;
      switch (random() % 6) {
      case 0:
        header.bytes = 0;
        break;
      case 1:
        header.bytes = limits.eager + random() % 2;
        break;
      case 2:
        header.bytes = limits.eager + 1 + random() % 100000;
        break;
      default:
        header.bytes = random() % (limits.eager + 1);
        break;
      }
      auto payload = std::make_unique<owned_payload>();
      payload->completions = &completions;
      payload->bytes.resize(header.bytes);
      for (std::size_t i = 0; i < header.bytes; ++i)
        payload->bytes[i] = content(header.source, header.target, header.cookie, i);
      while (!transport.try_send(process, header, payload->bytes.data(), payload->bytes.size(),
                                 payload.get()))
        if (!transport.progress())
          std::this_thread::yield();
      ++mine;
      my_replies[static_cast<std::size_t>(process)] += header.kind == message_kind::get_reply;
      const std::lock_guard<std::mutex> lock(mutex);
      payloads.push_back(std::move(payload));
    }
    const std::lock_guard<std::mutex> lock(mutex);
    sends += mine;
    for (std::size_t p = 0; p < replies.size(); ++p)
      replies[p] += my_replies[p];
  };
  if (size > 1 && transport.serves_threads()) {
    std::thread other(send, 1);
    send(0);
    other.join();
  } else if (size > 1) {
    send(0);
    send(1);
  }
  quiesce(transport);
  // Replies are waited for by those who asked.
  std::vector<std::uint64_t> asked(replies.size());
  wait(transport, *transport.start_alltoall(replies.data(), sizeof(std::uint64_t), asked.data()));
  while (completions < sends ||
         check.replies < std::accumulate(asked.begin(), asked.end(), std::uint64_t{0}))
    transport.progress();
  CHECK(completions == sends);
  wait(transport, *transport.start_barrier());

  std::uint64_t sent = std::accumulate(replies.begin(), replies.end(), std::uint64_t{0});
  std::uint64_t processed = check.replies;
  for (int p = 0; p < size; ++p) {
    sent += transport.sent(p);
    processed += transport.processed(p);
  }
  CHECK(sent == sends);
  CHECK(processed == check.taken + check.replies);
  std::uint64_t all_sent = 0, all_taken = 0;
  MPI_Allreduce(&sent, &all_sent, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&processed, &all_taken, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  CHECK(all_sent == all_taken);
  CHECK(size == 1 ||
        all_sent == static_cast<std::uint64_t>(2 * messages) * static_cast<std::uint64_t>(size));
}

// ---- independent pairs ----

// Refuses everything from rank 1 until it has 20 messages from rank 2.
class stubborn final : public receiver {
public:
  std::vector<int> taken; // sources in order
  int from_2 = 0;
  std::vector<std::byte> place;

  std::optional<void*> landing(const message_header& header) override {
    place.resize(header.bytes);
    return place.data();
  }
  bool arrived(const message_header& header, const void*) override {
    if (header.source == 1 && from_2 < 20)
      return false;
    from_2 += header.source == 2;
    taken.push_back(header.source * 100 + header.tag);
    return true;
  }
};

void pairs() {
  mpi_transport::limits limits;
  const auto opened = open(limits);
  gpurma::host::transport& transport = *opened;
  stubborn receive;
  transport.set_receiver(&receive);
  const std::vector<std::byte> large(1 << 20);
  if (rank == 1) {
    const auto send = [&](int source, int tag, std::size_t bytes) {
      message_header header;
      header.source = source;
      header.tag = tag;
      header.bytes = bytes;
      while (!transport.try_send(0, header, large.data(), bytes, nullptr))
        transport.progress();
    };
    send(1, 0, large.size());
    send(1, 1, 8);
    send(1, 2, large.size());
    send(1, 3, 0);
    for (int i = 0; i < 20; ++i)
      send(2, i, i % 4 == 0 ? large.size() : 8);
  }
  quiesce(transport);
  if (rank == 0) {
    CHECK(receive.taken.size() == 24);
    for (std::size_t i = 0; i < 20; ++i)
      CHECK(receive.taken[i] == 200 + static_cast<int>(i));
    for (std::size_t i = 0; i < 4; ++i)
      CHECK(receive.taken[20 + i] == 100 + static_cast<int>(i));
  }
}

// ---- back-pressure ----

class gate final : public receiver {
public:
  bool open = false;
  int taken = 0, replies = 0;
  std::optional<void*> landing(const message_header&) override { return nullptr; }
  bool arrived(const message_header& header, const void*) override {
    if (header.kind == message_kind::get_reply) {
      ++replies;
      return true;
    }
    taken += open;
    return open;
  }
};

void pressure() {
  mpi_transport::limits limits;
  limits.credits = 5;
  limits.receives = 2;
  const auto opened = open(limits);
  gpurma::host::transport& transport = *opened;
  gate receive;
  transport.set_receiver(&receive);
  if (rank == 1) {
    message_header header;
    header.source = 1;
    for (unsigned i = 0; i < limits.credits; ++i)
      CHECK(transport.try_send(0, header, nullptr, 0, nullptr));
    for (int i = 0; i < 100; ++i) {
      CHECK(!transport.try_send(0, header, nullptr, 0, nullptr));
      transport.progress();
    }
    message_header reply;
    reply.kind = message_kind::get_reply;
    reply.source = 2;
    for (int i = 0; i < 10; ++i)
      while (!transport.try_send(0, reply, nullptr, 0, nullptr))
        transport.progress();
    CHECK(transport.sent(0) == limits.credits);
    MPI_Barrier(MPI_COMM_WORLD);
    while (!transport.try_send(0, header, nullptr, 0, nullptr)) // once the gate opens
      transport.progress();
  } else {
    if (rank == 0) {
      while (receive.replies < 10)
        transport.progress();
      CHECK(receive.taken == 0);
      CHECK(transport.processed(1) == 0); // replies do not stand for messages that must be in place
    }
    MPI_Barrier(MPI_COMM_WORLD);
    receive.open = true;
  }
  quiesce(transport);
  if (rank == 0)
    CHECK(receive.taken == static_cast<int>(limits.credits) + 1);
}

// ---- parts of a large payload ----

// At both ends each finished part has to count as progress, or a long transfer looks like a stall.
void parts() {
  mpi_transport::limits limits;
  limits.chunk = std::size_t{1} << 20;
  const auto opened = open(limits);
  gpurma::host::transport& transport = *opened;
  gate receive;
  receive.open = true;
  transport.set_receiver(&receive);
  struct : completion {
    bool done = false;
    void completed() override { done = true; }
  } sent;
  std::vector<std::byte> payload(64 * limits.chunk);
  int steps = 0;
  if (rank == 1) {
    message_header header;
    header.bytes = payload.size();
    CHECK(transport.try_send(0, header, payload.data(), payload.size(), &sent));
    while (!sent.done)
      steps += transport.progress();
  }
  if (rank == 0)
    while (receive.taken == 0)
      steps += transport.progress();
  // Several parts can end between two looks, but not most of them. Over verbs it is the receiver
  // that reads them.
  CHECK(rank > (verbs ? 0 : 1) || steps > 10);
  quiesce(transport);
}

// ---- how many messages of MPI a message is ----

void messages() {
  const mpi_transport::limits limits;
  const auto opened = open(limits);
  gpurma::host::transport& transport = *opened;
  gate receive;
  receive.open = true;
  transport.set_receiver(&receive);
  struct : completion {
    bool done = false;
    void completed() override { done = true; }
  } sent;
  // With its header, and apart from it.
  for (const std::size_t bytes : {limits.eager, limits.eager + 1}) {
    const std::vector<std::byte> payload(bytes);
    const int before = sends;
    sent.done = false;
    if (rank == 1) {
      message_header header;
      header.bytes = bytes;
      CHECK(transport.try_send(0, header, payload.data(), bytes, &sent));
      while (!sent.done)
        transport.progress();
      CHECK(sends - before == (bytes > limits.eager ? 2 : 1));
    }
    quiesce(transport);
  }
}

// ---- a process that is killed ----

// Process 1, between messages of process 0 that it has taken and others that are on their way. Over
// verbs the transport of process 0 has to find it out; a launcher that does not end the run is left
// to look on.
void killed() {
  const auto opened = open(mpi_transport::limits());
  gpurma::host::transport& transport = *opened;
  gate receive;
  receive.open = true;
  transport.set_receiver(&receive);
  message_header header;
  header.source = 3;
  header.target = 7;
  for (;;) {
    if (rank == 0)
      static_cast<void>(transport.try_send(1, header, nullptr, 0, nullptr));
    transport.progress();
    if (receive.taken >= 1000)
      std::raise(SIGKILL);
  }
}

// ---- memory that is not there ----

// Process 0 puts to memory of process 1 with a key that nobody has given, as if that memory had
// been freed. Over verbs only.
void bad_key() {
  const auto opened = open(mpi_transport::limits());
  gpurma::host::transport& transport = *opened;
  gate receive;
  receive.open = true;
  transport.set_receiver(&receive);
  gpurma::host::remote_access& remote = *transport.one_sided();
  static std::byte window[4096];
  remote.forget_freed({[](const void*) -> gpurma::host::allocation {
                         return {reinterpret_cast<std::uint64_t>(window), sizeof window, 1, false};
                       },
                       nullptr});
  std::string reason;
  gpurma::host::exposed_memory exposed = remote.expose(window, sizeof window, reason);
  CHECK(exposed.granted != 0);
  MPI_Bcast(&exposed, sizeof exposed, MPI_BYTE, 1, MPI_COMM_WORLD);
  exposed.key ^= 0x5a5a00;
  message_header header;
  header.source = 3;
  header.target = 7;
  const std::byte payload[8] = {};
  for (;;) {
    if (rank == 0)
      static_cast<void>(remote.try_put(1, header, true, exposed, exposed.begin, payload,
                                       sizeof payload, true, nullptr));
    transport.progress();
  }
}

// ---- collectives ----

void collectives() {
  const auto opened = open(mpi_transport::limits());
  gpurma::host::transport& transport = *opened;
  gate receive;
  receive.open = true;
  transport.set_receiver(&receive);
  for (int round = 0; round < 200; ++round) {
    const std::vector<int> mine = {rank, round};
    std::vector<int> all(2 * static_cast<std::size_t>(size));
    std::vector<int> to(static_cast<std::size_t>(size)), from(to.size());
    for (int p = 0; p < size; ++p)
      to[static_cast<std::size_t>(p)] = rank * 1000 + p + round;
    // All three in flight at once; in the order in which every process starts them.
    const auto gathered = transport.start_allgather(mine.data(), 2 * sizeof(int), all.data());
    const auto exchanged = transport.start_alltoall(to.data(), sizeof(int), from.data());
    const auto met = transport.start_barrier();
    wait(transport, *met);
    wait(transport, *exchanged);
    wait(transport, *gathered);
    CHECK(gathered->test());
    for (int p = 0; p < size; ++p) {
      CHECK(all[2 * static_cast<std::size_t>(p)] == p);
      CHECK(all[2 * static_cast<std::size_t>(p) + 1] == round);
      CHECK(from[static_cast<std::size_t>(p)] == p * 1000 + rank + round);
    }
  }
}

} // namespace

// In the place of MPI's, which is PMPI_Isend, too.
int MPI_Isend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm among,
              MPI_Request* request) {
  ++sends;
  return PMPI_Isend(from, count, type, to, tag, among, request);
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  gpurma::host::set_end_all_processes([](int code) { MPI_Abort(MPI_COMM_WORLD, code); });
  const std::string what = argc > 1 ? argv[1] : "";
  verbs = argc > 2 && std::string(argv[2]) == "verbs";
  if (what == "traffic") {
    traffic(mpi_transport::limits(), 1500);
  } else if (what == "tight") {
    mpi_transport::limits tight;
    tight.eager = 256;
    tight.receives = 2;
    tight.sends = 3;
    tight.credits = 4;
    tight.chunk = 10000;
    traffic(tight, 800);
  } else if (what == "pairs") {
    pairs();
  } else if (what == "pressure") {
    pressure();
  } else if (what == "parts") {
    parts();
  } else if (what == "messages") {
    messages();
  } else if (what == "killed") {
    killed();
  } else if (what == "bad_key") {
    bad_key();
  } else {
    CHECK(what == "collectives");
    collectives();
  }
  MPI_Finalize();
}
