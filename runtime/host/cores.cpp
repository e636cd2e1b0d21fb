// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/cores.h"

#include <sched.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>

#include "host/environment.h"
#include "host/log.h"
#include "host/memory.h"
#include "host/process.h"

namespace gpurma::host {

std::vector<int> parse_core_list(std::string_view text) {
  std::vector<int> cores;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end && *at != '\n') {
    int first = 0;
    const auto begin = std::from_chars(at, end, first);
    if (begin.ec != std::errc{})
      return {};
    int last = first;
    at = begin.ptr;
    if (at != end && *at == '-') {
      const auto range = std::from_chars(at + 1, end, last);
      if (range.ec != std::errc{})
        return {};
      at = range.ptr;
    }
    for (int core = first; core <= last; ++core)
      cores.push_back(core);
    if (at != end && *at == ',')
      ++at;
    else if (at != end && *at != '\n')
      return {};
  }
  return cores;
}

std::vector<int> choose_cores(const std::vector<int>& near, const std::vector<int>& allowed) {
  if (allowed.size() == 1)
    return near;
  std::vector<int> chosen;
  std::set_intersection(near.begin(), near.end(), allowed.begin(), allowed.end(),
                        std::back_inserter(chosen));
  return chosen;
}

#if GPURMA_TARGET_CPU

void run_near_device() {}

#else

namespace {

std::vector<int> allowed_cores() {
  cpu_set_t set;
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set))
      cores.push_back(core);
  }
  return cores;
}

} // namespace

void run_near_device() {
  if (environment::proxy_cores() != "near")
    return;
  char device[32] = {};
  if (cudaDeviceGetPCIBusId(device, sizeof device, memory_device()) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return;
  }
  std::string path = text("/sys/bus/pci/devices/", device, "/local_cpulist");
  std::transform(path.begin(), path.end(), path.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::string list;
  std::getline(std::ifstream(path), list);
  const bool is_bound_to_one = allowed_cores().size() == 1;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : choose_cores(parse_core_list(list), allowed_cores())) {
    if (core < CPU_SETSIZE)
      CPU_SET(core, &set);
  }
  // Of a process that is bound to other cores, none is left.
  if (CPU_COUNT(&set) != 0)
    static_cast<void>(sched_setaffinity(0, sizeof set, &set));
  if (is_bound_to_one && process().size > 1) {
    static std::once_flag said;
    std::call_once(said, [] {
      if (allowed_cores().size() == 1)
        log(log_level::warn,
            "the process has one core for all of its threads, which delays launches and what goes "
            "through the hosts by milliseconds; give it more (mpirun --bind-to none)");
      else
        log(log_level::info, "the process is bound to one core; the thread that serves its rank "
                             "kernels runs on any core near the device");
    });
  }
}

#endif

} // namespace gpurma::host
