// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "block.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "host/log.h"

namespace gpurma::cpu {

namespace {

std::size_t round_up(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

// Bytes of shared variables in every block: zeroed ones lie after the arena's origin, the others before it.
std::atomic<std::size_t> zeroed_bytes{0};
std::atomic<std::size_t> plain_bytes{0};

// Below the lowest stack, the only one that a kernel without waiting threads uses: wide, so that a large array hits it.
constexpr std::size_t lowest_guard = std::size_t{1} << 20;
// Guards between stacks, in all.
constexpr unsigned most_guards = 8192;
std::atomic<unsigned> guards{0};

char* map_pages(std::size_t bytes) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED)
    host::fatal(host::text("cannot map ", bytes, " bytes for the memory of a block: ", std::strerror(errno),
                           "; lower GPURMA_CPU_RANKS or GPURMA_CPU_STACK"));
  // A huge page behind every stack would take as much memory as all stacks together.
  madvise(pages, bytes, MADV_NOHUGEPAGE);
  return static_cast<char*>(pages);
}

}  // namespace

__thread uint3 thread_index asm("threadIdx");
__thread uint3 block_index asm("blockIdx");
__thread extent block_extent asm("blockDim");
__thread extent grid_extent asm("gridDim");
__thread block* running_block = nullptr;

__thread execution current = {};
__thread unsigned unchanged_atomics = 0;
unsigned fence_object = 0;  // of programs with ThreadSanitizer, whether or not this has it

uint3 coordinates(unsigned linear, const dim3& extent) {
  if (extent.y == 1 && extent.z == 1) return uint3{linear, 0, 0};
  return uint3{linear % extent.x, linear / extent.x % extent.y, linear / extent.x / extent.y};
}

std::string describe(const grid_launch& launch, unsigned number) {
  const uint3 at = coordinates(number, launch.grid);
  return host::text("kernel ", launch.name, ", block (", at.x, ", ", at.y, ", ", at.z, ")");
}

void fail_mask(const grid_launch& launch, unsigned number, unsigned thread, unsigned mask) {
  const uint3 at = coordinates(thread, launch.block);
  char text[16];
  std::snprintf(text, sizeof(text), "0x%08x", mask);
  host::fatal(host::text(describe(launch, number), ", thread (", at.x, ", ", at.y, ", ", at.z,
                         "): a warp operation is called with mask ", text, ", which does not have the calling lane ",
                         thread % 32));
}

void block::begin(grid_launch& launch, unsigned number) {
  launch_ = &launch;
  number_ = number;
  live_ = launch.threads;
  arrived_ = votes_ = converging_ = 0;
  warps_.resize((launch.threads + 31) / 32);
  for (warp_state& warp : warps_) {
    warp.live = ~0u;
    warp.exchanging = warp.converging = 0;
  }
  if (launch.threads % 32 != 0) warps_.back().live = (1u << launch.threads % 32) - 1;
}

unsigned block::first_live() const {
  for (unsigned i = 0; i < warps_.size(); ++i)
    if (warps_[i].live != 0) return i * 32 + static_cast<unsigned>(std::countr_zero(warps_[i].live));
  return 0;
}

std::string block::describe_waiting() const {
  std::string text = host::text(describe(*launch_, number_), ": no thread can go on: ", arrived_, " of ", live_,
                                " threads that have not returned wait at __syncthreads");
  for (unsigned i = 0; i < warps_.size(); ++i) {
    const warp_state& warp = warps_[i];
    if (warp.exchanging == 0) continue;
    const int lane = std::countr_zero(warp.exchanging);
    char line[160];
    std::snprintf(line, sizeof(line),
                  "; in warp %u lanes 0x%08x wait at a warp operation, lane %d with mask 0x%08x, where 0x%08x have not come",
                  i, warp.exchanging, lane, warp.masks[lane], warp.masks[lane] & warp.live & ~warp.exchanging);
    text += line;
  }
  return text;
}

block_memory::block_memory(unsigned stacks_wanted, std::size_t stack_bytes, std::size_t dynamic_shared)
    : threads(stacks_wanted), stack(stack_bytes), dynamic_bytes(round_up(dynamic_shared + 1, 16 * 1024)) {
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  // An odd number of pages from stack to stack, so that the hot ends of the stacks spread over the sets of the caches;
  // at least one of them is between two stacks.
  stride = stack == 0 ? 0 : ((stack / page + 1) | 1) * page;
  if (stack != 0) {
    stacks = map_pages(lowest_guard + stride * threads) + lowest_guard;
    mprotect(stacks - lowest_guard, lowest_guard, PROT_NONE);
    // The page between two stacks guards the upper one. Each costs the system a mapping, of which a process has not
    // many; stacks without a guard still have their canary.
    for (unsigned i = 1; i < threads && guards.load() < most_guards; ++i) {
      mprotect(stacks + i * stride - page, page, PROT_NONE);
      ++guarded;
      ++guards;
    }
  }
  before = round_up(plain_bytes.load(), page);
  dynamic_offset = round_up(zeroed_bytes.load(), 1024);
  after = round_up(dynamic_offset + dynamic_bytes, page);
  shared = map_pages(before + after) + before;
}

block_memory::~block_memory() {
  guards -= guarded;
  if (stacks != nullptr) munmap(stacks - lowest_guard, lowest_guard + stride * threads);
  munmap(shared - before, before + after);
}

bool block_memory::is_guard(const void* address) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address), lowest = reinterpret_cast<std::uintptr_t>(stacks);
  if (stacks == nullptr || at < lowest - lowest_guard || at >= lowest + stride * threads) return false;
  return at < lowest || (at - lowest) % stride >= stack;
}

bool block_memory::fits(unsigned wanted, std::size_t dynamic_shared) const {
  return (stack == 0 || threads >= wanted) && dynamic_bytes >= dynamic_shared && before >= plain_bytes.load() &&
         dynamic_offset >= zeroed_bytes.load();
}

void block_memory::zero() const { std::memset(shared, 0, zeroed_bytes.load(std::memory_order_relaxed)); }

namespace {

struct memory_pool {
  std::mutex mutex;
  std::vector<std::unique_ptr<block_memory>> free;
};
// Never destroyed: launches may end after main has returned.
memory_pool& pool() {
  static memory_pool& instance = *new memory_pool;
  return instance;
}
[[maybe_unused]] const memory_pool& made_before_threads =
    pool(); // ThreadSanitizer does not see the guard

}  // namespace

std::unique_ptr<block_memory> take_memory(const grid_launch& launch, std::size_t stack) {
  {
    const std::lock_guard lock(pool().mutex);
    auto& free = pool().free;
    for (std::size_t i = free.size(); i-- > 0;) {
      if (free[i]->stack != stack || !free[i]->fits(launch.threads, launch.dynamic_shared)) continue;
      std::unique_ptr<block_memory> found = std::move(free[i]);
      free.erase(free.begin() + static_cast<std::ptrdiff_t>(i));
      return found;
    }
    // What no longer fits is replaced, not kept beside the new one.
    if (!free.empty()) free.erase(free.begin());
  }
  return std::make_unique<block_memory>(std::bit_ceil(std::max(launch.threads, 32u)), stack, launch.dynamic_shared);
}

void keep_memory(std::unique_ptr<block_memory> memory) {
  const std::lock_guard lock(pool().mutex);
  pool().free.push_back(std::move(memory));
}

std::ptrdiff_t place_shared(std::size_t bytes, std::size_t alignment, shared_kind kind) {
  // Called by initialisers of variables, one after the other or under the lock of a library that is being loaded.
  if (kind == shared_kind::zeroed) {
    const std::size_t offset = round_up(zeroed_bytes.load(), alignment);
    zeroed_bytes = offset + bytes;
    return static_cast<std::ptrdiff_t>(offset);
  }
  plain_bytes = round_up(plain_bytes.load() + bytes, alignment);
  return -static_cast<std::ptrdiff_t>(plain_bytes.load());
}

bool in_kernel() { return running_block != nullptr; }

block& require_block(const char* operation) {
  if (running_block == nullptr) host::fatal(host::text(operation, " is called outside a kernel"));
  return *running_block;
}

bool grid_is_cooperative() { return running_block != nullptr && running_block->launch().cooperative; }

void sync_grid() {
  block& mine = require_block("grid synchronisation");
  grid_launch& launch = mine.launch();
  if (!launch.cooperative)
    host::fatal(host::text("kernel ", launch.name,
                           ": grid synchronisation in a kernel that was not launched with cudaLaunchCooperativeKernel"));
  mine.sync(false);
  if (current.thread == mine.first_live()) {
    const unsigned phase = launch.phase.load(std::memory_order_acquire);
    if (launch.blocks_arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == launch.blocks) {
      launch.blocks_arrived.store(0, std::memory_order_relaxed);
      launch.phase.store(phase + 1, std::memory_order_release);
    } else {
      while (launch.phase.load(std::memory_order_acquire) == phase) mine.yield();
    }
  }
  mine.sync(false);
}

void end_kernel(int error) {
  block& mine = require_block("__trap");
  int none = 0;
  mine.launch().error.compare_exchange_strong(none, error);
  mine.end_kernel();
  __builtin_unreachable();
}

}  // namespace gpurma::cpu

// glibc's, so that a failing assert() in a kernel ends the kernel as CUDA's does and not the process.
extern "C" void __assert_fail(const char* assertion, const char* file, unsigned int line, const char* function) noexcept {
  using namespace gpurma::cpu;
  if (const block* const running = running_block) {
    const uint3 at = coordinates(current.block, running->launch().grid);
    const uint3 thread = coordinates(current.thread, running->launch().block);
    std::fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file, line, function,
                 at.x, at.y, at.z, thread.x, thread.y, thread.z, assertion);
    end_kernel(710 /* cudaErrorAssert */);
  }
  std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, assertion);
  std::abort();
}
