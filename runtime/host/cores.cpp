// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/cores.h"

#include <sched.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>
#include <string>

#include "host/environment.h"
#include "host/log.h"
#include "host/memory.h"

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

#if GPURMA_TARGET_CPU

void run_near_device() {}

#else

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
  cpu_set_t allowed, near;
  CPU_ZERO(&near);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    return;
  for (const int core : parse_core_list(list)) {
    if (core < CPU_SETSIZE && CPU_ISSET(core, &allowed))
      CPU_SET(core, &near);
  }
  // Of a process that is bound to other cores, none is left.
  if (CPU_COUNT(&near) != 0)
    static_cast<void>(sched_setaffinity(0, sizeof near, &near));
}

#endif

} // namespace gpurma::host
