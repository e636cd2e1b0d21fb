// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "settings.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "host/environment.h"
#include "host.h"

// What every object file with a sanitizer needs. The program may be built with one that this library is built without.
extern "C" {
[[gnu::weak]] void __asan_init();
[[gnu::weak]] void __msan_init();
[[gnu::weak]] void __tsan_init();
}

namespace gpurma::cpu {

namespace {

unsigned usable_cores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&cores)));
}

// Sanitizers follow operating system threads, not fibres.
bool sanitized() { return __asan_init != nullptr || __msan_init != nullptr || __tsan_init != nullptr; }

}  // namespace

unsigned local_processes() {
  // Open MPI, MPICH and Intel MPI, Slurm (the last ones may go on, as in "4(x2)"; strtoul stops there).
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PMI_LOCAL_SIZE", "SLURM_STEP_TASKS_PER_NODE",
                           "SLURM_NTASKS_PER_NODE"}) {
    const char* text = std::getenv(name);
    if (text == nullptr) continue;
    // What the job was asked to have; a batch script has it too, where srun has started no step.
    if (std::string_view(name) == "SLURM_NTASKS_PER_NODE" && std::getenv("SLURM_STEP_ID") == nullptr) continue;
    const unsigned long value = std::strtoul(text, nullptr, 10);
    if (value > 0) return static_cast<unsigned>(std::min(value, 1ul << 16));
  }
  return 1;
}

settings_table make_settings(unsigned cores, unsigned local, unsigned workers, unsigned resident_blocks) {
  settings_table table{};
  table.workers = workers != 0 ? workers : std::max(1u, cores / local);
  table.resident_blocks = resident_blocks != 0 ? resident_blocks : 4 * table.workers;
  table.oversubscribed = table.workers * local > cores;
  return table;
}

const settings_table& settings() {
  static const settings_table table = [] {
    namespace environment = host::environment;
    settings_table made =
        make_settings(usable_cores(), local_processes(), static_cast<unsigned>(environment::cpu_workers()),
                      static_cast<unsigned>(environment::cpu_ranks()));
    made.threads = sanitized() || environment::cpu_threads() == "os" ? thread_kind::os_thread : thread_kind::fibre;
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    made.stack = (static_cast<std::size_t>(environment::cpu_stack()) + page - 1) / page * page;
    return made;
  }();
  return table;
}

unsigned resident_blocks() { return settings().resident_blocks; }
unsigned workers() { return settings().workers; }

}  // namespace gpurma::cpu
