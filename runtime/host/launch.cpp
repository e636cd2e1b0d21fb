// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/launch.h"

#include <gpurma/gpurma.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

#include "host/cores.h"
#include "host/distributed_arrays.h"
#include "host/engine.h"
#include "host/environment.h"
#include "host/kernels.h"
#include "host/log.h"
#include "host/memory.h"
#include "host/process.h"
#include "host/rank_kernel_gate.h"
#include "host/watchdog.h"
#include "transport/sockets/unique_id.h"
#if GPURMA_TARGET_CPU
#include "platform/cpu/symbol_name.h"
#include <gpurma/platform/cpu/host.h>
#else
#include "host/demangled.h"
#endif

namespace gpurma::host {

namespace {

// The one thread that opens and closes launches and, while one is open, makes progress. Host
// functions of a stream hand that work to it, because they may call neither CUDA nor anything that
// waits for CUDA.
class progress_thread {
public:
  explicit progress_thread(engine& of) : engine_(of), thread_([this] { run(); }) {}

  ~progress_thread() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
      called_.store(true, std::memory_order_relaxed);
    }
    changed_.notify_all();
    thread_.join();
  }

  // Runs the function on the thread and waits for it.
  void run_there(std::function<void()> function) {
    std::unique_lock lock(mutex_);
    task_ = std::move(function);
    called_.store(true, std::memory_order_relaxed);
    changed_.notify_all();
    changed_.wait(lock, [this] { return !task_; });
  }

private:
  void run() {
    // Fails if the program ends at once; whatever needs the device says so.
    static_cast<void>(cudaSetDevice(memory_device()));
    run_near_device();
    std::unique_lock lock(mutex_);
    while (!stop_) {
      called_.store(false, std::memory_order_relaxed);
      if (task_) {
        lock.unlock();
        task_();
        lock.lock();
        task_ = nullptr;
        changed_.notify_all();
      } else if (!engine_.running()) {
        changed_.wait(lock, [this] { return stop_ || task_; });
      } else {
        lock.unlock();
        serve();
        lock.lock();
        // On the CPU target the ranks themselves make progress when they wait (the idle hook); this
        // is for times in which all of them compute.
        changed_.wait_for(lock, std::chrono::milliseconds(1), [this] { return stop_ || task_; });
      }
    }
  }

  // While there is something to do; on the CUDA target, with ranks elsewhere, until the thread is
  // called. What ranks wait for goes through here.
  void serve() {
    // To give way takes as long as many looks.
    constexpr unsigned looks_between_yields = 64;
    for (unsigned vain = 0; !called_.load(std::memory_order_relaxed);) {
      const bool worked = engine_.progress();
      engine_.check_device_error();
      if (worked)
        vain = 0;
      else if (!stays_awake || !engine_.has_remote_ranks())
        return;
      else if (++vain % looks_between_yields == 0)
        std::this_thread::yield();
    }
  }

#if GPURMA_TARGET_CUDA
  static constexpr bool stays_awake = true;
#else
  static constexpr bool stays_awake = false;
#endif

  engine& engine_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> task_;
  bool stop_ = false;
  std::atomic<bool> called_ = false; // stop_ or task_ has changed
  std::thread thread_;
};

struct runtime {
  explicit runtime(std::size_t most_ranks) : ranks(most_ranks) {}

  engine ranks;
  progress_thread progress{ranks};
  std::mutex launching; // gives launches of several threads one order
  cudaEvent_t last_launch_ended = nullptr;
};

std::mutex starting;
// stop() ends it, maybe behind the destructors of this file: a program may use it first in its own
// initialisers.
runtime* the_runtime = nullptr;

#if GPURMA_TARGET_CPU
bool progress_when_idle() {
  return the_runtime->ranks.progress();
}
#endif

void stop() {
  // Fails if the program ends so late that CUDA has ended before.
  static_cast<void>(cudaSetDevice(memory_device()));
  const cudaError_t error = cudaDeviceSynchronize();
  // A kernel that failed has left its launch open, and ranks of other processes wait for its ranks.
  if (the_runtime->ranks.running()) {
    the_runtime->ranks.check_device_error();
#if GPURMA_TARGET_CUDA
    if (error == cudaErrorCudartUnloading)
      fatal(
          "the program ends while a rank kernel runs, or after one has failed; synchronize with it "
          "and look at the error before");
#endif
    fatal(text("a rank kernel has failed: ", cudaGetErrorString(error)));
  }
  explain_cuda_errors_by(nullptr);
#if GPURMA_TARGET_CPU
  cpu::set_idle_hook(nullptr);
#endif
  static_cast<void>(cudaEventDestroy(the_runtime->last_launch_ended));
  delete std::exchange(the_runtime, nullptr);
  close_device_memory();
}

#if GPURMA_TARGET_CPU
using cpu::symbol_name;
#else
std::string symbol_name([[maybe_unused]] const void* kernel) {
#if CUDART_VERSION >= 12030
  const char* name = nullptr;
  if (cudaFuncGetName(&name, kernel) == cudaSuccess)
    return demangled(name);
#endif
  return "(unnamed)";
}
#endif

// The kernel is at another address in each process.
const std::string& name_of(const void* kernel, rank_kernel_entry& entry) {
  if (entry.name.empty())
    entry.name = symbol_name(kernel);
  return entry.name;
}

// Loads a rank kernel and tells its translation unit the context. CUDA loads kernels when they are
// first used, and waits for running kernels to do so; no launch may be open by then.
void prepare([[maybe_unused]] const void* kernel, rank_kernel_entry& entry,
             const detail::launch_context* context) {
  if (entry.prepared)
    return;
#if GPURMA_TARGET_CUDA
  cudaFuncAttributes attributes;
  check_cuda(cudaFuncGetAttributes(&attributes, kernel), "load a rank kernel");
  void* pointer = nullptr;
  check_cuda(cudaGetSymbolAddress(&pointer, entry.context_symbol), "load a rank kernel");
  copy_bytes(pointer, &context, sizeof(context));
  name_of(kernel, entry);
#else
  detail::context_pointer = context;
#endif
  entry.prepared = true;
}

// Once for a kernel, of a program that does not know how many blocks are resident.
void warn_of_missed_blocks(const void* kernel, rank_kernel_entry& entry, std::uint64_t asked,
                           int ranks) {
  if (entry.blocks == block_use::any_number || entry.knows_resident)
    return;
  entry.knows_resident = true;
  log(log_level::warn, text("rank kernel ", name_of(kernel, entry), " is launched with ", asked,
                            " blocks, and runs with ", ranks,
                            ", as many as are resident; it uses blockIdx, but does not ask for "
                            "gridDim or gpurma::size(), so that "
                            "what the other blocks would do is not done; let the blocks go through "
                            "all of it in steps of gridDim, or "
                            "launch as many as gpurma::query says"));
}

// Ranks that all devices together can have. Collective.
std::size_t most_ranks() {
  int blocks = 0;
  check_cuda(
      cudaDeviceGetAttribute(&blocks, cudaDevAttrMaxBlocksPerMultiprocessor, memory_device()),
      "count blocks");
  const std::vector<int> all =
      allgather(channel::query, "start of gpurma", blocks * count_multiprocessors());
  return std::accumulate(all.begin(), all.end(), std::size_t{0});
}

runtime& start(int* argc = nullptr, char*** argv = nullptr) {
  start_process(argc, argv);
  const std::lock_guard lock(starting);
  if (!the_runtime) {
    // The program's allocations wait for this start; its own must not.
    const ordinary_allocations of_the_runtime;
    host_task task(process_watchdog(), host_task::kind::reported, "the start of gpurma");
    task.step("start: device memory");
    open_device_memory();
    task.step(text("start: queues on device ", memory_device()));
    the_runtime = new runtime(most_ranks());
    check_cuda(cudaEventCreateWithFlags(&the_runtime->last_launch_ended, cudaEventDisableTiming),
               "create an event");
    task.step("start: rank kernels");
    for (const auto& [kernel, entry] : rank_kernels())
      prepare(kernel, *entry, the_runtime->ranks.context());
#if GPURMA_TARGET_CPU
    cpu::set_idle_hook(progress_when_idle);
#endif
    explain_cuda_errors_by([] { the_runtime->ranks.check_device_error(); });
    at_finalize(stop);
  }
  return *the_runtime;
}

// Blocks of a kernel that are on the device at the same time; 0: not even one.
int resident_blocks(const void* kernel, dim3 block, std::size_t shared_bytes) {
  int per_multiprocessor = 0;
  check_cuda(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(
          &per_multiprocessor, kernel, static_cast<int>(block.x * block.y * block.z), shared_bytes),
      "find out how many blocks of a rank kernel fit");
  return per_multiprocessor * count_multiprocessors();
}

// A launch between its call and its end on the stream.
struct open_launch {
  runtime* in;
  engine::plan plan;
  std::string what;
};

void begin_launch(void* state) {
  const auto& launch = *static_cast<open_launch*>(state);
  launch.in->progress.run_there([&launch] { launch.in->ranks.begin(launch.plan, launch.what); });
}

// The library's own launch of a rank kernel, which goes by the functions that programs call, too.
struct own_launch {
  static thread_local bool is_open;
  own_launch() { is_open = true; }
  ~own_launch() { is_open = false; }
  own_launch(const own_launch&) = delete;
  own_launch& operator=(const own_launch&) = delete;
};
thread_local bool own_launch::is_open = false;

// After its beginning the other processes count on this kernel, so that it cannot fail alone.
void enqueue_kernel(const void* kernel, dim3 block, void** arguments, std::size_t shared_bytes,
                    const open_launch& launch, cudaStream_t stream) {
  engine& ranks = launch.in->ranks;
  ranks.enqueue_before_kernel(launch.plan, stream);
  const own_launch own;
  check_cuda(cudaLaunchCooperativeKernel(kernel, dim3(static_cast<unsigned>(launch.plan.ranks)),
                                         block, arguments, shared_bytes, stream),
             "launch a rank kernel");
  ranks.enqueue_after_kernel(launch.plan, stream);
}

// What the numbers of a block in two or three dimensions are with as many blocks in one.
std::string numbers_of_block(dim3 grid) {
  const std::string in_plane = text("blockIdx.x / ", grid.x);
  return grid.z == 1 ? text("blockIdx.x % ", grid.x, " and ", in_plane)
                     : text("blockIdx.x % ", grid.x, ", ", in_plane, " % ", grid.y,
                            " and blockIdx.x / ", std::uint64_t{grid.x} * grid.y);
}

void end_launch(void* state) {
  const std::unique_ptr<open_launch> launch(static_cast<open_launch*>(state));
  launch->in->progress.run_there([&launch] { launch->in->ranks.end(); });
  rank_kernels_on_device().close();
}

} // namespace

rank_kernel_gate& rank_kernels_on_device() {
  static rank_kernel_gate gate;
  return gate;
}

cudaError_t launch(const void* kernel, dim3 grid, dim3 block, void** arguments,
                   std::size_t shared_bytes, cudaStream_t stream, launch_function ordinary) {
  rank_kernel_entry* const entry = find_rank_kernel(kernel);
  if (entry == nullptr)
    return ordinary(kernel, grid, block, arguments, shared_bytes, stream);
  const auto asked = std::uint64_t{grid.x} * grid.y * grid.z;
  // CUDA's own error for an empty grid or block, without a launch.
  if (asked == 0 || block.x == 0 || block.y == 0 || block.z == 0)
    return ordinary(kernel, grid, block, arguments, shared_bytes, stream);
  if (grid.y != 1 || grid.z != 1)
    fatal(text("a rank kernel cannot run: '", name_of(kernel, *entry),
               "' is launched with a grid of ", grid.x, " x ", grid.y, " x ", grid.z,
               " blocks, but its blocks are the ranks of the device, which blockIdx.x "
               "numbers; launch it with ",
               asked, " blocks, and compute ", numbers_of_block(grid), " in the kernel"));
  runtime& r = start();
  check_current_device();
  make_arguments_whole(kernel, arguments); // while no launch is open
  const int resident = resident_blocks(kernel, block, shared_bytes);
  if (resident == 0) {
    fatal(text(
        "a rank kernel cannot run: '", name_of(kernel, *entry), "' has no block of ", block.x,
        " x ", block.y, " x ", block.z, " threads with ", shared_bytes,
        " bytes of dynamic shared memory that fits on a multiprocessor; make the block smaller"));
  }
  const int ranks =
      static_cast<int>(std::min<std::uint64_t>(asked, static_cast<std::uint64_t>(resident)));

  const std::lock_guard lock(r.launching);
  prepare(kernel, *entry, r.ranks.context());
  if (asked > static_cast<std::uint64_t>(ranks) && process().rank == 0)
    warn_of_missed_blocks(kernel, *entry, asked, ranks);
  r.ranks.close_stale_mappings();
  std::string what = "launch of a rank kernel";
  if (process().size > 1)
    what += ": " + name_of(kernel, *entry);
  auto* const launch = // end_launch deletes it
      new open_launch{&r, r.ranks.make_plan(ranks), std::move(what)};
  rank_kernels_on_device().open();
  check_cuda(cudaStreamWaitEvent(stream, r.last_launch_ended, 0), "order rank kernels");
  r.ranks.enqueue_before_begin(launch->plan, stream);
  check_cuda(cudaLaunchHostFunc(stream, begin_launch, launch), "begin a rank kernel");
  enqueue_kernel(kernel, block, arguments, shared_bytes, *launch, stream);
  check_cuda(cudaLaunchHostFunc(stream, end_launch, launch), "end a rank kernel");
  check_cuda(cudaEventRecord(r.last_launch_ended, stream), "order rank kernels");
  return cudaSuccess;
}

std::optional<cudaError_t> launch_if_rank_kernel(const void* kernel, dim3 grid, dim3 block,
                                                 void** arguments, std::size_t shared_bytes,
                                                 cudaStream_t stream) {
  const bool is_empty = std::uint64_t{grid.x} * grid.y * grid.z == 0 ||
                        std::uint64_t{block.x} * block.y * block.z == 0;
  if (is_empty || own_launch::is_open || find_rank_kernel(kernel) == nullptr)
    return std::nullopt;
  return launch(kernel, grid, block, arguments, shared_bytes, stream, cudaLaunchKernel);
}

cudaError_t run_to_end(const void* kernel, const std::string& what, int ranks, dim3 block,
                       void** arguments, std::size_t shared_bytes) {
  runtime& r = start();
  check_current_device();
  const std::lock_guard lock(r.launching);
  prepare(kernel, *find_rank_kernel(kernel), r.ranks.context());
  r.ranks.close_stale_mappings();
  const open_launch launch{&r, r.ranks.make_plan(ranks), what};
  rank_kernels_on_device().open();
  check_cuda(cudaStreamWaitEvent(nullptr, r.last_launch_ended, 0), "order rank kernels");
  r.ranks.enqueue_before_begin(launch.plan, nullptr);
  check_cuda(cudaStreamSynchronize(nullptr), "begin a rank kernel");
  r.progress.run_there([&] { r.ranks.begin(launch.plan, launch.what); });
  enqueue_kernel(kernel, block, arguments, shared_bytes, launch, nullptr);
  const cudaError_t result = cudaStreamSynchronize(nullptr);
  // A launch that has failed stays open, and the program ends.
  if (result == cudaSuccess) {
    r.progress.run_there([&] { r.ranks.end(); });
    rank_kernels_on_device().close();
  }
  return result;
}

layout query(const void* kernel, dim3 block, std::size_t shared_bytes) {
  runtime& r = start();
  if (rank_kernel_entry* const entry = find_rank_kernel(kernel)) {
    const std::lock_guard lock(r.launching);
    entry->knows_resident = true;
  }
  const process_info& self = process();
  layout found{};
  found.device_ranks = resident_blocks(kernel, block, shared_bytes);
  found.process = self.rank;
  found.processes = self.size;
  found.device = memory_device();
  found.devices_per_node = self.local_size;
  found.node = self.node;
  found.nodes = self.nodes;
  const std::vector<int> ranks =
      allgather(channel::query, "query of a rank kernel", found.device_ranks);
  for (int p = 0; p < self.size; ++p) {
    if (p < self.rank)
      found.first_rank += ranks[static_cast<std::size_t>(p)];
    found.world_ranks += ranks[static_cast<std::size_t>(p)];
  }
  return found;
}

} // namespace gpurma::host

namespace gpurma {

void init(int* argc, char*** argv) {
  host::start(argc, argv);
}

unique_id make_unique_id() {
  unique_id made{};
  host::open_unique_id().copy(made.text, sizeof made.text - 1);
  return made;
}

void init(int process, int processes, const unique_id& id) {
  host::place_process({process, processes, {id.text, strnlen(id.text, sizeof id.text)}});
  host::start(nullptr, nullptr);
}

void finalize() {
  host::finalize_process();
}

} // namespace gpurma
