// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "worker_team.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <system_error>

#include "host/log.h"
#include "fibre_block.h"
#include "os_block.h"
#include "settings.h"

namespace gpurma::cpu {

namespace {

std::atomic<idle_hook> hook{nullptr};

bool call_hook() {
  const idle_hook function = hook.load(std::memory_order_acquire);
  return function != nullptr && function();
}

// A cooperative kernel calls the hook at least once in so many rounds over its blocks.
constexpr unsigned rounds_per_hook = 64;

// What a thread does whose blocks wait for others: first nothing, for what they wait for is usually near; then it lets
// other OS threads have its core, where there are more of them than cores; at last it sleeps a little.
class backoff {
 public:
  void reset() { idle_ = 0; }
  void pause() {
    ++idle_;
    if (!settings().oversubscribed) {
      if (idle_ > 4096 && idle_ % 64 == 0) sched_yield();
    } else if (idle_ > 20000) {
      const timespec nap{0, 50000};
      nanosleep(&nap, nullptr);
    } else if (idle_ > 16) {
      sched_yield();
    }
  }

 private:
  unsigned idle_ = 0;
};

void run_in_sequence(grid_launch& launch, std::atomic<unsigned>& next, unsigned chunk) {
  fibre_block block;
  backoff waiting;
  for (;;) {
    const unsigned first = next.fetch_add(chunk, std::memory_order_relaxed);
    if (first >= launch.blocks) return;
    for (unsigned number = first; number < std::min(first + chunk, launch.blocks); ++number) {
      block.start(launch, number);
      while (!block.finished()) {
        const bool progress = block.run_round();
        if (launch.error.load(std::memory_order_relaxed) != 0) return;
        if (progress)
          waiting.reset();
        else
          waiting.pause();
      }
    }
  }
}

void run_resident(grid_launch& launch, unsigned first, unsigned last) {
  std::deque<fibre_block> blocks(last - first);
  std::vector<fibre_block*> running;
  for (unsigned number = first; number < last; ++number) {
    blocks[number - first].start(launch, number);
    running.push_back(&blocks[number - first]);
  }
  backoff waiting;
  unsigned rounds = 0;
  while (!running.empty()) {
    bool progress = false;
    for (std::size_t i = 0; i < running.size();) {
      progress |= running[i]->run_round();
      if (running[i]->finished())
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      else
        ++i;
    }
    if (launch.error.load(std::memory_order_relaxed) != 0) return;
    if (!progress || ++rounds >= rounds_per_hook) {
      rounds = 0;
      progress |= call_hook();
    }
    if (progress)
      waiting.reset();
    else
      waiting.pause();
  }
}

std::thread start_block_thread(const grid_launch& launch, std::function<void()> body) {
  return start_thread(std::move(body), [&] {
    return host::text("each of the ", launch.threads, " threads of a block of kernel ", launch.name,
                      "; use smaller blocks, fewer ranks or GPURMA_CPU_THREADS=fibers");
  });
}

void run_in_sequence_on_os_threads(grid_launch& launch) {
  os_block block;
  unsigned number = 0;
  block.start(launch, number);
  // ThreadSanitizer knows this barrier, which std::barrier's operations in this library are not for
  // it.
  pthread_barrier_t between;
  pthread_barrier_init(&between, nullptr, launch.threads);
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < launch.threads; ++thread)
    threads.push_back(start_block_thread(launch, [&, thread] {
      while (number < launch.blocks) {
        block.run_thread(thread);
        if (pthread_barrier_wait(&between) == PTHREAD_BARRIER_SERIAL_THREAD &&
            ++number < launch.blocks)
          block.start(launch, number);
        pthread_barrier_wait(&between);
      }
    }));
  for (std::thread& thread : threads) thread.join();
  pthread_barrier_destroy(&between);
}

void run_resident_on_os_threads(grid_launch& launch) {
  std::deque<os_block> blocks(launch.blocks);
  std::atomic<unsigned> running{launch.blocks * launch.threads};
  for (unsigned number = 0; number < launch.blocks; ++number) blocks[number].start(launch, number);
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < launch.blocks; ++number)
    for (unsigned thread = 0; thread < launch.threads; ++thread)
      threads.push_back(start_block_thread(launch, [&, number, thread] {
        blocks[number].run_thread(thread);
        running.fetch_sub(1, std::memory_order_acq_rel);
      }));
  while (running.load(std::memory_order_acquire) != 0)
    if (!call_hook()) std::this_thread::sleep_for(std::chrono::microseconds(20));
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

std::uint32_t work_time() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint32_t>(now.tv_sec * 1000000 + now.tv_nsec / 1000);
}

std::uint32_t least_work() {
  constexpr std::uint32_t least = 1000;
  if (settings().threads == thread_kind::os_thread) return least;
  // A turn takes each of the worker's fibres through some barriers.
  constexpr std::uint32_t turn_of_fibre = 2;
  const unsigned blocks = (current.grid_blocks + settings().workers - 1) / settings().workers;
  return std::max(least, turn_of_fibre * blocks * current.block_threads);
}

void set_idle_hook(idle_hook function) { hook.store(function, std::memory_order_release); }

std::thread start_thread(std::function<void()> body, const std::function<std::string()>& purpose) {
  try {
    return std::thread(std::move(body));
  } catch (const std::system_error& error) {
    host::fatal(host::text("cannot start an OS thread (", error.what(), ") for ", purpose()));
  }
}

void worker_team::run(grid_launch& launch) {
  if (settings().threads == thread_kind::os_thread) {
    if (launch.cooperative)
      run_resident_on_os_threads(launch);
    else
      run_in_sequence_on_os_threads(launch);
    return;
  }
  const unsigned members = std::min(settings().workers, launch.blocks);
  if (launch.cooperative) {
    on_all(members, [&](unsigned member) {
      const auto begin = [&](std::size_t m) { return static_cast<unsigned>(m * launch.blocks / members); };
      run_resident(launch, begin(member), begin(member + 1));
    });
  } else {
    std::atomic<unsigned> next{0};
    const unsigned chunk = std::max(1u, launch.blocks / (members * 16));
    on_all(members, [&](unsigned) { run_in_sequence(launch, next, chunk); });
  }
}

worker_team::~worker_team() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void worker_team::on_all(unsigned members, const std::function<void(unsigned)>& work) {
  if (members > 1) {
    while (helpers_.size() + 1 < members) {
      const unsigned member = static_cast<unsigned>(helpers_.size()) + 1;
      helpers_.push_back(start_thread([this, member] { helper_main(member); }, [members] {
        return host::text("each of the ", members, " workers of a stream; use fewer streams or a lower GPURMA_CPU_WORKERS");
      }));
    }
    {
      const std::lock_guard lock(mutex_);
      work_ = &work;
      members_ = members;
      working_ = members - 1;
      ++epoch_;
    }
    changed_.notify_all();
  }
  work(0);
  if (members > 1) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return working_ == 0; });
  }
}

void worker_team::helper_main(unsigned member) {
  std::unique_lock lock(mutex_);
  for (unsigned long seen = 0;;) {
    changed_.wait(lock, [&] { return stopping_ || (epoch_ != seen && member < members_); });
    if (stopping_) return;
    seen = epoch_;
    const std::function<void(unsigned)>& work = *work_;
    lock.unlock();
    work(member);
    lock.lock();
    if (--working_ == 0) changed_.notify_all();
  }
}

}  // namespace gpurma::cpu
