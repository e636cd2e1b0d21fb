// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/distributed_arrays.h"

#include <gpurma/gpurma.h>
#include <gpurma/stages.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "host/environment.h"
#include "host/log.h"
#include "host/memory.h"
#include "host/process.h"
#include "host/watchdog.h"
#if GPURMA_TARGET_CPU
#include <unistd.h>

#include <cstdio>

#include <gpurma/platform/cpu/fault_handler.h>
#include <gpurma/platform/cpu/host.h>
#else
#include "host/driver.h"
#endif

namespace gpurma::host {

namespace {

// Process p's contents of the bytes bands[p] count, which are all of them together; those of all
// bytes if the array is whole.
struct distributed_array {
  distributed_array(std::uint64_t index, std::uint64_t size)
      : number(index), bytes(size), memory(size) {}

  std::uint64_t number; // the same in all processes
  std::uint64_t bytes;
  sparse_memory memory;
  std::uint64_t pages_id = 0; // changes when pages come or go; of the first piece, others have less
  bool whole = false;
  std::vector<byte_ranges> bands;
#if GPURMA_TARGET_CUDA
  // Of the other processes, where they run on this host; as long as nobody's pages have changed.
  std::map<int, peer_pages> peers;
  bool is_shared = false;
  bool is_offered = false; // to them, as the pages are; in vain if it is not shared
#endif

  std::string name() const { return text("distributed array ", number, " of ", bytes, " bytes"); }

  byte_range all() const { return {0, bytes}; }
  byte_ranges owned(int process) const {
    return whole ? byte_ranges(all()) : bands[static_cast<std::size_t>(process)];
  }
  std::uint64_t offset_of(const void* address) const {
    return static_cast<std::uint64_t>(static_cast<const char*>(address) - memory.base());
  }
  bool holds(const void* address) const {
    return address >= memory.base() && address < memory.base() + bytes;
  }
};

struct array_table {
  // Held while processes exchange data: one thread at a time uses distributed arrays.
  std::recursive_mutex mutex;
  std::map<const char*, std::unique_ptr<distributed_array>> by_base;
  std::uint64_t made = 0;
  std::uint64_t page_changes = 0;
  std::uint64_t bytes = 0;      // of all arrays
  std::uint64_t most_bytes = 0; // the largest sum so far
  std::uint64_t most_present = 0;
  std::atomic<bool> any{false}; // whether there has ever been one
};
array_table& arrays() {
  static array_table& table = *new array_table;
  return table;
}

std::atomic<bool> program_has_regions{false};
thread_local int running_regions = 0;
thread_local int ordinary = 0;

std::unique_lock<std::recursive_mutex> lock_arrays() {
  return std::unique_lock(arrays().mutex);
}

distributed_array* find_array(const void* address) {
  auto& all = arrays().by_base;
  const auto next = all.upper_bound(static_cast<const char*>(address));
  if (next == all.begin())
    return nullptr;
  distributed_array& found = *std::prev(next)->second;
  return found.holds(address) ? &found : nullptr;
}

// The one, if the process holds only a part of it.
distributed_array* find_banded(const void* address) {
  distributed_array* const found = find_array(address);
  return found != nullptr && !found->whole ? found : nullptr;
}

void pages_changed(distributed_array& array) {
  // One for each piece of what is there.
  arrays().page_changes += std::max<std::size_t>(array.memory.present().count(), 1);
  array.pages_id = arrays().page_changes;
#if GPURMA_TARGET_CUDA
  array.is_shared = array.is_offered = false;
#endif
}

bool is_banded(const void* address) {
  const auto lock = lock_arrays();
  return find_banded(address) != nullptr;
}

void note_present() {
  array_table& table = arrays();
  std::uint64_t present = 0;
  for (const auto& [base, array] : table.by_base)
    present += array->memory.present().size();
  table.most_present = std::max(table.most_present, present);
}

void grow(distributed_array& array, const byte_ranges& wanted, host_task& task) {
  const std::uint64_t before = array.memory.present().size();
  task.step(text(array.name(), ": add pages for bytes ", to_text(wanted), " to those for ",
                 to_text(array.memory.present())));
  if (array.memory.grow(wanted) != cudaSuccess) {
    fatal(
        text("there is not enough device memory for ", wanted.size(),
             " bytes of a distributed array of ", array.bytes,
             " bytes; use more processes, or let no kernel outside of persistent regions have the "
             "array"));
  }
  if (array.memory.present().size() != before)
    pages_changed(array);
  note_present();
}

void shrink(distributed_array& array, const byte_ranges& wanted, host_task& task) {
  const std::uint64_t before = array.memory.present().size();
  task.step(text(array.name(), ": of the pages for bytes ", to_text(array.memory.present()),
                 ", keep those for ", to_text(wanted)));
  array.memory.shrink(wanted);
  if (array.memory.present().size() != before)
    pages_changed(array);
}

// Without the lock: a rank kernel may need it, on its way to its end.
void wait_for_device() {
  check_cuda(cudaDeviceSynchronize(), "wait before distributed arrays change");
}

// --- Moving contents between processes

// What all processes must agree on.
struct transfer_agreement {
  std::uint64_t number;
  std::uint64_t bytes;
  std::uint64_t wanted; // a hash of what each process gets
};

using taker = std::function<void(std::uint64_t offset, const void* data, std::size_t bytes)>;

// Gives each process p the bytes wanted[p] of an array that others hold: `take` gets this process's
// in pieces. Collective; no kernel runs.
void fetch(const distributed_array& from, const std::vector<byte_ranges>& wanted, const char* doing,
           const taker& take) {
  const auto self = static_cast<std::size_t>(process().rank);
  const auto size = static_cast<std::size_t>(process().size);
  // What p sends to q.
  const auto part = [&](std::size_t p, std::size_t q) {
    return p == q || from.owned(static_cast<int>(q)).contains(wanted[q])
               ? byte_ranges{}
               : intersection(from.owned(static_cast<int>(p)), wanted[q]);
  };
  std::vector<byte_ranges> given;
  std::vector<byte_ranges> got;
  transfer_agreement mine{from.number, from.bytes, 0};
  std::uint64_t largest = 0;
  for (std::size_t q = 0; q < size; ++q) {
    for (const byte_range& one : wanted[q])
      mine.wanted = (mine.wanted * 31 + one.begin) * 31 + one.end;
    mine.wanted = mine.wanted * 31 + wanted[q].count();
    for (std::size_t p = 0; p < size; ++p)
      largest = std::max(largest, part(p, q).size());
    given.push_back(part(self, q));
    got.push_back(part(q, self));
  }
  if (largest == 0)
    return;
  if (!process_started())
    fatal(text(doing, " after the end of gpurma (gpurma::finalize or MPI_Finalize), when no other "
                      "process gives what it holds"));
  const auto others = allgather(channel::query, doing, mine);
  for (const transfer_agreement& other : others)
    if (std::memcmp(&other, &mine, sizeof mine) != 0)
      fatal(text(doing, ": processes disagree about the array or its part: process ", self,
                 " means ", wanted[self].size(), " of ", from.bytes,
                 " bytes, another one something else of ", other.bytes,
                 " bytes; with GPURMA_DISTRIBUTED_ARRAYS all processes make the same calls on "
                 "large arrays"));

  // From here on all of them are on their way.
  host_task task(process_watchdog(), host_task::kind::bounded, doing);
  task.step(text(from.name(), ": moves up to ", largest, " bytes between two processes"));
  constexpr std::uint64_t most_at_once = 256 << 10;
  const auto block = static_cast<std::size_t>(std::min(largest, most_at_once));
  std::vector<char> to(block * size);
  std::vector<char> back(to.size());
  for (std::uint64_t done = 0; done < largest; done += block) {
    // Often all get the same, which is copied from the device once.
    byte_ranges copied;
    const char* copy = nullptr;
    for (std::size_t q = 0; q < size; ++q) {
      const byte_ranges out = given[q].part(done, block);
      if (out.empty())
        continue;
      char* next = to.data() + q * block;
      if (copied == out)
        std::memcpy(next, copy, out.size());
      else
        for (const byte_range& one : out) {
          copy_bytes(next, from.memory.base() + one.begin, one.size());
          next += one.size();
        }
      copied = out;
      copy = to.data() + q * block;
    }
    wait_for(*process_transport().start_alltoall(to.data(), block, back.data()));
    for (std::size_t p = 0; p < size; ++p) {
      const char* next = back.data() + p * block;
      for (const byte_range& one : got[p].part(done, block)) {
        take(one.begin, next, one.size());
        next += one.size();
      }
    }
    task.go_on();
  }
}

void make_array_whole(distributed_array& array, const std::string& use) {
  host_task task(process_watchdog(), host_task::kind::reported, "making a distributed array whole");
  task.step(text(array.name(), " is made whole: ", use));
  grow(array, array.all(), task);
  fetch(array, std::vector<byte_ranges>(static_cast<std::size_t>(process().size), array.all()),
        "making a distributed array whole",
        [&](std::uint64_t offset, const void* data, std::size_t bytes) {
          copy_bytes(array.memory.base() + offset, data, bytes);
        });
  array.whole = true;
}

// The arrays, held in part, to which aligned words of a structure point.
std::vector<distributed_array*> pointed_to(const void* values, std::size_t bytes) {
  std::vector<distributed_array*> found;
  const auto* const begin = static_cast<const char*>(values);
  for (std::size_t at = 0; at + sizeof(void*) <= bytes; at += sizeof(void*)) {
    const void* address = nullptr;
    std::memcpy(&address, begin + at, sizeof address);
    if (distributed_array* const array = find_banded(address);
        array != nullptr && std::find(found.begin(), found.end(), array) == found.end())
      found.push_back(array);
  }
  return found;
}

// The arrays, held in part, that a launch passes to its kernel.
#if GPURMA_TARGET_CPU

std::vector<distributed_array*> passed_to(const void* kernel, void** arguments) {
  const std::unique_ptr<cpu::bound_kernel> bound(cpu::bind(kernel, arguments));
  if (!bound)
    return {};
  const cpu::argument_bytes all = bound->arguments();
  return pointed_to(all.begin, all.bytes);
}

#else

std::vector<distributed_array*> passed_to(cudaKernel_t kernel, void** arguments) {
  using parameter_info = CUresult(CUkernel, std::size_t, std::size_t*, std::size_t*);
  static auto* const get_parameter = driver_function<parameter_info>("cuKernelGetParamInfo", 12040);
  std::vector<distributed_array*> found;
  std::size_t offset = 0;
  std::size_t bytes = 0;
  for (std::size_t k = 0; get_parameter(kernel, k, &offset, &bytes) == CUDA_SUCCESS; ++k)
    for (distributed_array* const array : pointed_to(arguments[k], bytes))
      if (std::find(found.begin(), found.end(), array) == found.end())
        found.push_back(array);
  return found;
}

std::vector<distributed_array*> passed_to(const void* function, void** arguments) {
  cudaKernel_t kernel = nullptr;
  if (cudaGetKernel(&kernel, function) == cudaSuccess)
    return passed_to(kernel, arguments);
  // What is launched next says it again.
  static_cast<void>(cudaGetLastError());
  return {};
}

#endif

template <class Kernel> void make_passed_whole(Kernel kernel, void** arguments) {
  if (!arrays().any || running_regions != 0)
    return;
  const auto passed = [&] {
    const auto lock = lock_arrays();
    return passed_to(kernel, arguments);
  };
  if (passed().empty())
    return;
  wait_for_device();
  const auto lock = lock_arrays();
  for (distributed_array* const array : passed_to(kernel, arguments))
    make_array_whole(*array, "a kernel outside of persistent regions has it as an argument");
}

// --- Arrays that are made and freed

// An even share, for as long as no region says which rows a process has.
void share_evenly(distributed_array& array) {
  const auto size = static_cast<std::uint64_t>(process().size);
  const std::uint64_t page = sparse_memory::page_bytes();
  const auto first = [&](std::uint64_t p) {
    return p == size ? array.bytes : array.bytes * p / size / page * page;
  };
  array.bands.clear();
  for (std::uint64_t p = 0; p < size; ++p)
    array.bands.push_back(byte_range{first(p), first(p + 1)});
}

// With a page more on either side, which is room for most halos.
byte_ranges with_margin(const byte_ranges& owned) {
  const std::uint64_t page = sparse_memory::page_bytes();
  byte_ranges all;
  for (const byte_range& one : owned)
    all.add({one.begin - std::min(one.begin, page), one.end + page});
  return all;
}

#if GPURMA_TARGET_CPU

cpu::fault_handler handler;

// An access to what the process does not hold.
void on_fault(int signal, siginfo_t* fault, void*) {
  const std::unique_lock lock(arrays().mutex, std::try_to_lock);
  const distributed_array* const array = lock ? find_banded(fault->si_addr) : nullptr;
  if (array == nullptr) {
    handler.pass_on(signal);
    return;
  }
  char message[400];
  // The last piece before the address, or the first one.
  byte_range present;
  for (const byte_range& one : array->memory.present())
    if (present.empty() || one.begin <= array->offset_of(fault->si_addr))
      present = one;
  const int length = std::snprintf(
      message, sizeof message,
      "[gpurma %d] error: access to byte %llu of a distributed array of %llu bytes, of which this "
      "process holds %llu to %llu%s; outside of persistent regions, give the array to kernels as "
      "an "
      "argument, or set GPURMA_DISTRIBUTED_ARRAYS to whole\n",
      process().rank, static_cast<unsigned long long>(array->offset_of(fault->si_addr)),
      static_cast<unsigned long long>(array->bytes), static_cast<unsigned long long>(present.begin),
      static_cast<unsigned long long>(present.end),
      array->memory.present().count() > 1 ? ", and other pieces" : "");
  if (length > 0 && write(STDERR_FILENO, message, static_cast<std::size_t>(length)) < 0)
    _exit(1);
  end_all_processes(1);
}

void announce(const distributed_array& array) {
  cpu::add_allocation(array.memory.base(), array.bytes);
  static std::once_flag watches;
  std::call_once(watches, [] { handler.install(on_fault); });
}

void withdraw(const distributed_array& array) {
  cpu::remove_allocation(array.memory.base());
}

#else

// CUDA knows the memory.
void announce(const distributed_array&) {}
void withdraw(const distributed_array&) {}

#endif

void log_most() {
  const auto lock = lock_arrays();
  log(log_level::info, text("distributed arrays: at most ", arrays().most_present, " of ",
                            arrays().most_bytes, " bytes were held"));
}

// Gives each process what it touches of an array, and drops the rest.
void hold_band(distributed_array& array, const banded_array& plan, host_task& task) {
  const std::uint64_t begin = array.offset_of(plan.base);
  const auto in_array = [&](const std::vector<byte_ranges>& of_rows) {
    std::vector<byte_ranges> all;
    for (const byte_ranges& each : of_rows)
      all.push_back(each.moved(begin));
    // What lies before and behind the rows belongs to the first and the last process.
    all.front().add({0, begin});
    all.back().add({begin + plan.bytes, array.bytes});
    return all;
  };
  const std::vector<byte_ranges> wanted = in_array(plan.touched);
  const byte_ranges mine = wanted[static_cast<std::size_t>(process().rank)];
  grow(array, mine, task);
  fetch(array, wanted, "banding a distributed array",
        [&](std::uint64_t offset, const void* data, std::size_t bytes) {
          copy_bytes(array.memory.base() + offset, data, bytes);
        });
  shrink(array, mine, task);
  array.whole = false;
  array.bands = in_array(plan.bands);
}

#if GPURMA_TARGET_CUDA

// What processes tell each other before they map each other's arrays.
struct share_offer {
  std::uint64_t socket;  // 0: no memory of this process is to be mapped
  std::uint64_t changed; // bit k: the pages of the k-th array of the region
  int node;
};

// Why processes of this host cannot hand each other files; empty: they can.
std::string obstacle_to_files(const std::vector<share_offer>& offers) {
  if (environment::route() == "proxy")
    return "GPURMA_ROUTE is proxy";
  for (std::size_t p = 0; p < offers.size(); ++p)
    if (offers[p].node == process().node && offers[p].socket == 0)
      return text("process ", p, " has no socket, or its GPURMA_ROUTE is proxy");
  return "";
}

// Maps the pages that the other processes of this host hold of an array. Collective.
bool map_peers(distributed_array& array, file_exchange& sockets,
               const std::vector<share_offer>& offers, host_task& task, std::string& reason) {
  constexpr std::chrono::seconds patience(5);
  const auto self = static_cast<std::size_t>(process().rank);
  std::vector<std::uint64_t> names;
  for (const share_offer& other : offers)
    names.push_back(other.node == process().node ? other.socket : 0);
  task.step(text(array.name(), ": export the pages for bytes ", to_text(array.memory.present())));
  file_parcel exported;
  std::vector<file_parcel> others;
  const bool is_exported = array.memory.export_pages(exported, reason);
  task.step(
      text(array.name(), ": hand ", exported.files.size(), " files to each process of the host"));
  if (!sockets.exchange(names, self, exported, others, patience, reason) || !is_exported)
    return false;
  for (std::size_t p = 0; p < names.size(); ++p) {
    if (p == self || names[p] == 0)
      continue;
    task.step(text(array.name(), ": map ", others[p].files.size(), " files of process ", p));
    if (others[p].words.size() != 2 * others[p].files.size()) {
      reason = text("process ", p, " has not exported its pages");
      return false;
    }
    if (!array.peers[static_cast<int>(p)].map(array.bytes, others[p], reason))
      return false;
  }
  return true;
}

// Lets the processes of a host map each other's pages of arrays, where somebody's have changed.
// Collective.
void share_pages(const std::vector<distributed_array*>& of_region, host_task& task) {
  static file_exchange sockets;
  share_offer mine{environment::route() == "proxy" ? 0 : sockets.name(), 0, process().node};
  for (std::size_t k = 0; k < of_region.size(); ++k)
    if (!of_region[k]->is_offered)
      mine.changed |= std::uint64_t{1} << k;
  task.step("distributed arrays: ask the other processes whose pages have changed");
  const auto offers = allgather(channel::query, "sharing distributed arrays", mine);
  std::uint64_t changed = 0;
  for (const share_offer& other : offers)
    changed |= other.changed;
  const std::string obstacle = obstacle_to_files(offers);
  for (std::size_t k = 0; k < of_region.size(); ++k) {
    if ((changed >> k & 1) == 0)
      continue;
    distributed_array& array = *of_region[k];
    array.peers.clear();
    std::string reason = obstacle;
    const bool good = obstacle.empty() && map_peers(array, sockets, offers, task, reason);
    task.step(text(array.name(), ": ask the other processes whether they have mapped it"));
    const auto all_good = allgather(channel::query, "mapping distributed arrays", good ? 1 : 0);
    array.is_shared =
        std::all_of(all_good.begin(), all_good.end(), [](int each) { return each == 1; });
    array.is_offered = true;
    if (!array.is_shared)
      array.peers.clear();
    if (!good)
      log(obstacle.empty() ? log_level::warn : log_level::info,
          text(array.name(), " is reached through the hosts: ", reason));
  }
}

#else

void share_pages(const std::vector<distributed_array*>&, host_task&) {}

#endif

void log_held() {
  std::uint64_t present = 0;
  for (const auto& [base, array] : arrays().by_base)
    present += array->memory.present().size();
  log(log_level::info,
      text("distributed arrays: ", present, " of ", arrays().bytes, " bytes are held"));
}

// --- Copies and fills

// Of bytes of an array that the process holds in part, those that it holds, counted from the first
// of them. None: they are something else.
std::optional<byte_ranges> held_pieces(const void* to, std::size_t bytes) {
  if (!arrays().any || bytes == 0)
    return std::nullopt;
  const auto lock = lock_arrays();
  const distributed_array* const array = find_banded(to);
  if (array == nullptr || array->offset_of(to) + bytes > array->bytes)
    return std::nullopt; // CUDA says what is wrong
  const std::uint64_t begin = array->offset_of(to);
  const byte_ranges held = intersection(array->memory.present(), byte_range{begin, begin + bytes});
  log(log_level::info,
      text(array->name(), ": bytes ", begin, " to ", begin + bytes,
           " are filled, or copied to, of which this process holds ", to_text(held)));
  return held.moved(-begin);
}

// A copy from an array of which each process holds a part. Collective. False: the bytes are not all
// of one array.
bool copy_from_all(void* to, const void* from, std::size_t bytes) {
  const auto lock = lock_arrays();
  const distributed_array* const source = find_banded(from);
  if (source == nullptr)
    return false;
  const byte_range copied{source->offset_of(from), source->offset_of(from) + bytes};
  const distributed_array* const target = find_banded(to);
  if (copied.end > source->bytes ||
      (target != nullptr && target->offset_of(to) + bytes > target->bytes))
    return false; // CUDA says what is wrong
  std::vector<byte_ranges> wanted;
  for (int p = 0; p < process().size; ++p) {
    byte_ranges of_process = copied;
    if (target != nullptr) {
      const std::uint64_t begin = target->offset_of(to);
      of_process = intersection(target->owned(p), byte_range{begin, begin + bytes})
                       .moved(copied.begin - begin);
    }
    wanted.push_back(std::move(of_process));
  }
  const auto self = static_cast<std::size_t>(process().rank);
  const byte_ranges here = intersection(source->owned(process().rank), wanted[self]);
  log(log_level::info, text(source->name(), ": bytes ", to_text(copied),
                            " are copied from it, of which this process gets ",
                            to_text(wanted[self]), " and owns ", to_text(here)));
  const auto place = [&](std::uint64_t offset) {
    return static_cast<char*>(to) + (offset - copied.begin);
  };
  for (const byte_range& one : here)
    copy_bytes(place(one.begin), source->memory.base() + one.begin, one.size());
  fetch(*source, wanted, "copying a distributed array",
        [&](std::uint64_t offset, const void* data, std::size_t part) {
          copy_bytes(place(offset), data, part);
        });
  return true;
}

} // namespace

void announce_region() {
  program_has_regions = true;
}

ordinary_allocations::ordinary_allocations() {
  ++ordinary;
}
ordinary_allocations::~ordinary_allocations() {
  --ordinary;
}

region_runs::region_runs() {
  ++running_regions;
}
region_runs::~region_runs() {
  --running_regions;
}

bool allocate_distributed(void** memory, std::size_t bytes, cudaError_t& error) {
  if (ordinary != 0 || memory == nullptr || !program_has_regions ||
      environment::distributed_arrays() == "whole")
    return false;
  {
    const ordinary_allocations of_the_runtime;
    init(nullptr, nullptr);
  }
  const auto size = static_cast<std::uint64_t>(process().size);
  if (size == 1 || bytes < 2 * size * sparse_memory::page_bytes())
    return false;
  const auto lock = lock_arrays();
  array_table& table = arrays();
  auto array = std::make_unique<distributed_array>(table.made, bytes);
  share_evenly(*array);
  array->whole = environment::distributed_arrays() == "regions";
  const byte_ranges held = array->whole ? array->all() : with_margin(array->owned(process().rank));
  host_task task(process_watchdog(), host_task::kind::reported,
                 "the allocation of a distributed array");
  task.step(text(array->name(), ": begins at ", static_cast<const void*>(array->memory.base()),
                 "; this process owns bytes ", to_text(array->owned(process().rank)),
                 ", and adds pages of ", sparse_memory::page_bytes(), " for ", to_text(held)));
  error = array->memory.base() == nullptr ? cudaErrorMemoryAllocation : array->memory.grow(held);
  if (error != cudaSuccess)
    return true;
  pages_changed(*array);
  announce(*array);
  *memory = array->memory.base();
  if (!table.any)
    at_finalize(log_most);
  table.any = true;
  ++table.made;
  table.bytes += bytes;
  table.most_bytes = std::max(table.most_bytes, table.bytes);
  table.by_base[array->memory.base()] = std::move(array);
  note_present();
  return true;
}

bool free_distributed(void* memory) {
  if (!arrays().any)
    return false;
  const auto is_array = [&] {
    const auto lock = lock_arrays();
    return arrays().by_base.count(static_cast<const char*>(memory)) != 0;
  };
  if (!is_array())
    return false;
  wait_for_device();
  const auto lock = lock_arrays();
  const distributed_array* const array = find_array(memory);
  log(log_level::info, text(array->name(), " is freed"));
  withdraw(*array);
  arrays().bytes -= array->bytes;
  arrays().by_base.erase(static_cast<const char*>(memory));
  return true;
}

cudaError_t fill_held(void* to, std::size_t bytes, const fill_of_piece& real) {
  const std::optional<byte_ranges> pieces = held_pieces(to, bytes);
  if (!pieces)
    return real(to, bytes);
  for (const byte_range& one : *pieces)
    if (const cudaError_t error = real(static_cast<char*>(to) + one.begin, one.size());
        error != cudaSuccess)
      return error;
  return cudaSuccess;
}

cudaError_t copy_held(void* to, const void* from, std::size_t bytes, const copy_of_piece& real) {
  if (!arrays().any || bytes == 0)
    return real(to, from, bytes);
  if (is_banded(from)) {
    wait_for_device();
    if (copy_from_all(to, from, bytes))
      return cudaSuccess;
  }
  return fill_held(to, bytes, [&](void* here, std::size_t part) {
    const auto offset = static_cast<char*>(here) - static_cast<char*>(to);
    return real(here, static_cast<const char*>(from) + offset, part);
  });
}

void make_whole(const void* address, const char* use) {
  if (!arrays().any || !is_banded(address))
    return;
  wait_for_device();
  const auto lock = lock_arrays();
  if (distributed_array* const array = find_banded(address))
    make_array_whole(*array, use);
}

void make_arguments_whole(const void* kernel, void** arguments) {
  make_passed_whole(kernel, arguments);
}

#if GPURMA_TARGET_CUDA
void make_arguments_whole(cudaKernel_t kernel, void** arguments) {
  make_passed_whole(kernel, arguments);
}
#endif

void hold_bands(const std::string& region, std::vector<banded_array>& of_region, const void* values,
                std::size_t value_bytes) {
  if (!arrays().any)
    return;
  const auto lock = lock_arrays();
  host_task task(process_watchdog(), host_task::kind::bounded,
                 text("distributed arrays of ", region));
  // In the same order in all processes. Null: to be whole.
  const auto by_number = [](const distributed_array* a, const distributed_array* b) {
    return a->number < b->number;
  };
  std::map<distributed_array*, const banded_array*, decltype(by_number)> taken(by_number);
  for (const banded_array& one : of_region) {
    distributed_array* const array = find_array(one.base);
    if (array == nullptr)
      continue;
    const auto [entry, added] = taken.try_emplace(array, &one);
    const bool alone = added || entry->second == nullptr || entry->second->base == one.base;
    if (!alone || array->offset_of(one.base) + one.bytes > array->bytes)
      entry->second = nullptr;
  }
  for (distributed_array* const array : pointed_to(values, value_bytes))
    taken.try_emplace(array, nullptr);
  for (banded_array& one : of_region) {
    distributed_array* const array = find_array(one.base);
    if (array == nullptr || taken[array] == nullptr)
      continue;
    one.banded = true;
    if (taken[array] == &one)
      hold_band(*array, one, task);
  }
  for (const auto& [array, one] : taken)
    if (one == nullptr && !array->whole)
      make_array_whole(
          *array, "a persistent region has it, but distributes no or more than one array in it");
  std::vector<distributed_array*> of_windows;
  for (const banded_array& one : of_region)
    if (distributed_array* const array = find_array(one.base);
        array != nullptr &&
        std::find(of_windows.begin(), of_windows.end(), array) == of_windows.end())
      of_windows.push_back(array);
  if (!of_windows.empty())
    share_pages(of_windows, task);
  log_held();
}

bool find_distributed(const void* address, allocation& present) {
  if (!arrays().any)
    return false;
  const auto lock = lock_arrays();
  const distributed_array* const array = find_array(address);
  if (array == nullptr)
    return false;
  const byte_ranges& all = array->memory.present();
  const std::uint64_t offset = array->offset_of(address);
  auto there =
      std::find_if(all.begin(), all.end(), [&](const byte_range& one) { return offset < one.end; });
  if (there == all.end())
    there = all.begin();
  const byte_range piece = all.empty() ? byte_range{} : *there;
  constexpr std::uint64_t no_id_of_cuda = std::uint64_t{1} << 63;
  present = {reinterpret_cast<std::uint64_t>(array->memory.base()) + piece.begin, piece.size(),
             (array->pages_id - static_cast<std::uint64_t>(there - all.begin())) | no_id_of_cuda,
             true};
  return true;
}

bool is_held_in_pieces(const void* address) {
  if (!arrays().any)
    return false;
  const auto lock = lock_arrays();
  const distributed_array* const array = find_array(address);
  return array != nullptr && array->memory.present().count() > 1;
}

#if GPURMA_TARGET_CUDA

namespace {
// Marks the handle of a distributed array; CUDA's never look like it.
constexpr char distributed_mark[] = "gpurma distributed array";
} // namespace

bool share_distributed(std::uint64_t address, shared_allocation& found) {
  if (!arrays().any)
    return false;
  const auto lock = lock_arrays();
  const distributed_array* const array = find_array(reinterpret_cast<const void*>(address));
  if (array == nullptr)
    return false;
  found = {};
  found.base = array->is_shared ? reinterpret_cast<std::uint64_t>(array->memory.base()) : 0;
  found.bytes = array->bytes;
  found.id = array->number;
  std::memcpy(found.handle.data(), distributed_mark, sizeof distributed_mark);
  return true;
}

std::uint64_t mapped_distributed(int process, const shared_allocation& of) {
  if (std::memcmp(of.handle.data(), distributed_mark, sizeof distributed_mark) != 0)
    return 0;
  const auto lock = lock_arrays();
  for (const auto& [base, array] : arrays().by_base)
    if (array->number == of.id)
      if (const auto found = array->peers.find(process); found != array->peers.end())
        return reinterpret_cast<std::uint64_t>(found->second.here());
  return 0;
}

#endif

} // namespace gpurma::host
