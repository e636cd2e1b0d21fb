// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/staging.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <thread>

#include "host/environment.h"
#include "host/log.h"
#include "host/process.h"
#include "host/rings.h"

namespace gpurma::host {

namespace {

// A flag for each buffer before the buffers, in lines of their own: two processes write them.
constexpr std::size_t line = 64;
constexpr std::size_t page = 4096;

constexpr std::size_t rounded(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

constexpr std::size_t small_buffers = 64;

// How long buffers may be wanted in vain before other memory is used.
constexpr std::chrono::milliseconds patience(10);

} // namespace

void staging_buffer::give_back() {
  if (busy != nullptr)
    store(*busy, std::uint32_t{0}, std::memory_order_release);
  else
    delete[] memory;
  memory = nullptr;
}

std::size_t staging_pool::needed(std::size_t count, std::size_t bytes) {
  return rounded(count * line, page) + count * rounded(bytes, line);
}

void staging_pool::open(void* block, std::size_t count, std::size_t bytes, bool numbered) {
  block_ = static_cast<std::byte*>(block);
  count_ = count;
  bytes_ = bytes;
  numbered_ = numbered;
}

staging_buffer staging_pool::buffer(std::size_t index) const {
  return {block_ + rounded(count_ * line, page) + index * rounded(bytes_, line),
          reinterpret_cast<std::uint32_t*>(block_ + index * line),
          numbered_ ? static_cast<std::uint16_t>(index + 1) : std::uint16_t{0}};
}

staging_buffer staging_pool::take() {
  for (std::size_t looks = 0; looks < count_; ++looks) {
    const staging_buffer found = buffer(next_);
    next_ = next_ + 1 == count_ ? 0 : next_ + 1;
    if (load(*found.busy, std::memory_order_acquire) == 0) {
      store(*found.busy, std::uint32_t{1}, std::memory_order_relaxed);
      return found;
    }
  }
  return {};
}

staging_buffer staging_pool::numbered(std::uint16_t number) const {
  return buffer(std::size_t{number} - 1);
}

staging_buffer staging_pool::at(const void* memory) const {
  const auto first = reinterpret_cast<std::uintptr_t>(buffer(0).memory);
  return buffer((reinterpret_cast<std::uintptr_t>(memory) - first) / rounded(bytes_, line));
}

staging::staging() : small_(environment::eager()) {
  const std::size_t count = environment::chunks();
  const std::size_t chunk = environment::chunk();
  small_ = std::min(small_, chunk);
  const std::size_t large = staging_pool::needed(count, chunk);
  const std::size_t small = staging_pool::needed(small_buffers, small_);
  outgoing_.open(open_shared(large), count, chunk, true);
  map_others(large);
  const auto open = [&](staging_pool& pool, std::size_t bytes, std::size_t buffers,
                        std::size_t each) {
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      fatal(text("cannot allocate ", bytes, " bytes for payloads"));
    pool.open(add_block(memory, bytes), buffers, each, false);
  };
  open(outgoing_small_, small, small_buffers, small_);
  open(incoming_small_, small, small_buffers, small_);
  open(incoming_, large, count, chunk);
  warm_up();
}

staging::~staging() {
  for (const block& each : blocks_) {
    if (each.pinned)
      unpin(each.memory);
    munmap(each.memory, each.bytes);
  }
}

void* staging::add_block(void* memory, std::size_t bytes) {
  const bool pinned = pin(memory, bytes);
  if (!pinned)
    log(log_level::warn, text("cannot pin ", bytes,
                              " bytes of memory; payloads that go through "
                              "the host will be slow"));
  blocks_.push_back({memory, bytes, pinned});
  return memory;
}

// Memory that other processes of the host can map under name_, or if there is none, that they
// cannot.
void* staging::open_shared(std::size_t bytes) {
  std::snprintf(
      name_, sizeof name_, "/gpurma.%ld.%lx", static_cast<long>(getpid()),
      static_cast<unsigned long>(std::chrono::steady_clock::now().time_since_epoch().count()));
  const int file = shm_open(name_, O_RDWR | O_CREAT | O_EXCL, 0600);
  void* memory = MAP_FAILED;
  // Without room that is its own, the first access to it could end the process.
  if (file >= 0 && posix_fallocate(file, 0, static_cast<off_t>(bytes)) == 0)
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file >= 0)
    close(file);
  if (memory == MAP_FAILED) {
    if (file >= 0)
      shm_unlink(name_);
    name_[0] = 0;
    log(log_level::info, text("no ", bytes,
                              " bytes of shared memory: payloads to other processes of "
                              "this host go through MPI"));
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  if (memory == MAP_FAILED)
    fatal(text("cannot allocate ", bytes, " bytes for payloads"));
  return add_block(memory, bytes);
}

void staging::map_others(std::size_t bytes) {
  struct offer {
    int node;
    std::uint64_t bytes;
    std::uint64_t buffers;
    char name[sizeof name_];
  };
  const process_info& self = process();
  offer mine{self.node, bytes, environment::chunks(), {}};
  std::copy(std::begin(name_), std::end(name_), mine.name);
  const std::vector<offer> all = allgather(channel::query, "start of payload buffers", mine);
  others_.resize(all.size());
  // A bit for each process of the node, by its number modulo the bits that an exchange holds.
  std::array<std::uint8_t, max_allgather_bytes> mapped{};
  const auto bit = [&](std::size_t p) { return p % (8 * mapped.size()); };
  std::vector<bool> maps(all.size());
  for (std::size_t p = 0; p < all.size(); ++p) {
    const offer& other = all[p];
    if (static_cast<int>(p) == self.rank || other.node != self.node || other.name[0] == 0)
      continue;
    const int file = shm_open(other.name, O_RDWR, 0);
    if (file < 0)
      continue;
    void* const memory = mmap(nullptr, other.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED)
      continue;
    others_[p].open(add_block(memory, other.bytes), other.buffers, environment::chunk(), true);
    mapped[bit(p) / 8] |= static_cast<std::uint8_t>(1u << bit(p) % 8);
  }
  // All have mapped by then.
  const auto mapped_by = allgather(channel::query, "buffers of processes", mapped);
  if (name_[0] != 0)
    shm_unlink(name_);
  const auto me = bit(static_cast<std::size_t>(self.rank));
  for (std::size_t p = 0; p < all.size(); ++p) {
    mapped_by_.push_back(static_cast<int>(p) != self.rank && all[p].node == self.node &&
                         (mapped_by[p][me / 8] >> me % 8 & 1) != 0);
  }
}

// The first copy of a kind may set things up that wait for all running work.
void staging::warm_up() {
  memory_block<memory_kind::device> device;
  void* const memory = device.resize(chunk());
  for (const std::size_t bytes : {std::size_t{8}, small_, chunk()}) {
    staging_buffer out = take_outgoing(bytes);
    staging_buffer in = take_incoming(bytes);
    from_device(bytes).start(out.memory, memory, bytes);
    to_device(bytes).start(memory, in.memory, bytes);
    while (!leave_.idle() || !leave_soon_.idle() || !come_.idle() || !come_soon_.idle()) {
      if (!poll())
        std::this_thread::yield();
    }
    out.give_back();
    in.give_back();
  }
}

staging_buffer staging::take_outgoing(std::size_t bytes) {
  const bool is_small = bytes <= small_;
  std::chrono::steady_clock::time_point& since = exhausted_since_[is_small ? 1 : 0];
  staging_buffer found = (is_small ? outgoing_small_ : outgoing_).take();
  if (found) {
    since = {};
    return found;
  }
  const auto now = std::chrono::steady_clock::now();
  if (since == std::chrono::steady_clock::time_point{})
    since = now;
  if (now - since > patience)
    found.memory = new std::byte[bytes];
  return found;
}

staging_buffer staging::take_incoming(std::size_t bytes) {
  return (bytes <= small_ ? incoming_small_ : incoming_).take();
}

staging_buffer staging::incoming_at(const void* memory) const {
  return incoming_.at(memory);
}

staging_buffer staging::of(int process, std::uint16_t number) const {
  return others_[static_cast<std::size_t>(process)].numbered(number);
}

bool staging::poll() {
  bool any = false;
  for (copy_stream* each : {&leave_, &leave_soon_, &come_, &come_soon_}) {
    if (!each->idle())
      any |= each->poll();
  }
  return any;
}

} // namespace gpurma::host
