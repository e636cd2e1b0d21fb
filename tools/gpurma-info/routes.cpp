// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "routes.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/environment.h"
#include "host/memory.h"
#include "host/peers.h"
#include "host/process.h"

namespace gpurma::info {

namespace {

using json = nlohmann::ordered_json;

#if GPURMA_TARGET_CUDA
constexpr const char target[] = "cuda";
#else
constexpr const char target[] = "cpu";
#endif

// One process's way to another, in an exchange.
struct way {
  char kind[8]; // as docs/runtime.md names the routes; none: GPURMA_ROUTE forbids what there is
  char reason[host::max_allgather_bytes - 8];
};

way make_way(bool itself, const host::found_route& found) {
  way made{};
  const bool none = host::environment::route() == "peer" && found.memory == 0;
  const std::string kind = itself ? "device" : found.memory != 0 ? "peer" : none ? "none" : "proxy";
  kind.copy(made.kind, sizeof made.kind - 1);
  found.obstacle.copy(made.reason, sizeof made.reason - 1);
  return made;
}

json describe_process(int number, const host::route_offer& offer) {
  return {{"process", number},
          {"node", offer.node},
          {"device", offer.device[0] != '\0' ? json(offer.device.data()) : json()}};
}

// Whether other processes can map memory of each kind, so that puts into windows of it are stores.
json describe_memory([[maybe_unused]] host::peer_memory& memory) {
  json kinds = json::array();
#if GPURMA_TARGET_CUDA
  const auto look = [&](const char* name, cudaError_t error, void* allocated) {
    const bool shared =
        error == cudaSuccess && memory.share(reinterpret_cast<std::uint64_t>(allocated)).base != 0;
    kinds.push_back({{"allocated_by", name}, {"mapped", shared}});
    static_cast<void>(error == cudaSuccess ? cudaFree(allocated) : cudaGetLastError());
  };
  constexpr std::size_t bytes = 1 << 20;
  void* allocated = nullptr;
  cudaError_t error = cudaMalloc(&allocated, bytes);
  look("cudaMalloc", error, allocated);
  error = cudaMallocManaged(&allocated, bytes);
  look("cudaMallocManaged", error, allocated);
  error = cudaMallocAsync(&allocated, bytes, nullptr);
  look("cudaMallocAsync", error, allocated);
#endif
  return kinds;
}

// Of the whole run, on every process. Collective.
json describe(void* queues) {
  const host::process_info& self = host::process();
  host::peer_memory memory;
  host::route_offer mine;
  mine.node = self.node;
  mine.mailbox_entries = static_cast<std::uint32_t>(host::environment::queue_entries());
  mine.proxy_only = host::environment::route() == "proxy";
  mine.device = host::this_device();
  if (self.size > 1 && !mine.proxy_only)
    mine.memory = memory.share(reinterpret_cast<std::uint64_t>(queues));

  const auto offers = host::allgather(host::channel::launch, "offers of routes", mine);
  const auto found = host::find_routes(memory, offers);
  json processes = json::array(), routes = json::array();
  for (int p = 0; p < self.size; ++p)
    processes.push_back(describe_process(p, offers[static_cast<std::size_t>(p)]));
  // Each process's way to p; the rows of the matrix are sorted out afterwards.
  std::vector<std::vector<way>> to;
  for (int p = 0; p < self.size; ++p)
    to.push_back(host::allgather(host::channel::launch, "routes to a process",
                                 make_way(p == self.rank, found[static_cast<std::size_t>(p)])));
  for (int from = 0; from < self.size; ++from) {
    for (int p = 0; p < self.size; ++p) {
      const way& one = to[static_cast<std::size_t>(p)][static_cast<std::size_t>(from)];
      routes.push_back({{"from", from},
                        {"to", p},
                        {"route", one.kind},
                        {"reason", one.reason[0] != '\0' ? json(one.reason) : json()}});
    }
  }
  return {{"target", target},
          {"setting", host::environment::route()},
          {"processes", processes},
          {"routes", routes},
          {"window_memory", describe_memory(memory)}};
}

bool has_none(const json& all) {
  return std::any_of(all["routes"].begin(), all["routes"].end(),
                     [](const json& each) { return each["route"] == "none"; });
}

void print(const json& all) {
  const auto& processes = all["processes"];
  std::cout << "target " << all["target"].get<std::string>() << ", " << processes.size()
            << (processes.size() == 1 ? " process" : " processes") << ", GPURMA_ROUTE "
            << all["setting"].get<std::string>() << "\n\nprocesses\n";
  for (const json& each : processes)
    std::cout << "  " << each["process"] << ": node " << each["node"]
              << (each["device"].is_null() ? "" : ", device " + each["device"].get<std::string>())
              << "\n";
  std::cout << "\nroutes between their ranks (from a row to a column)\n" << std::setw(8) << "";
  for (const json& each : processes)
    std::cout << std::setw(8) << each["process"].dump();
  for (const json& each : all["routes"])
    std::cout << (each["to"] == 0 ? "\n" + std::string(7 - each["from"].dump().size(), ' ') +
                                        each["from"].dump() + " "
                                  : "")
              << std::setw(8) << each["route"].get<std::string>();
  std::cout << "\n\n"
            << "  device  stores to memory of the same device\n"
               "  peer    stores to memory of the other process\n"
               "  proxy   by the hosts of both processes\n";
  if (has_none(all))
    std::cout << "  none    GPURMA_ROUTE is peer, but stores are not possible: a program would end "
                 "with an error\n";
  if (processes.size() == 1)
    std::cout << "\nonly one process: mpirun -np <processes> gpurma-info --routes shows more\n";
  std::map<std::string, std::vector<std::string>> pairs; // by reason
  for (const json& each : all["routes"])
    if (!each["reason"].is_null())
      pairs[each["reason"]].push_back(each["from"].dump() + " to " + each["to"].dump());
  std::string heading = "\nwhy not by stores\n";
  for (const auto& [reason, of] : pairs) {
    std::cout << heading << "  " << reason << ":";
    if (of.size() == processes.size() * (processes.size() - 1))
      std::cout << " all pairs";
    else
      for (const std::string& pair : of)
        std::cout << (pair == of.front() ? " " : ", ") << pair;
    std::cout << "\n";
    heading.clear();
  }
  heading = "\nmemory of windows: what peers can map; puts into other memory go by the hosts\n";
  for (const json& each : all["window_memory"]) {
    std::cout << heading << "  " << each["allocated_by"].get<std::string>()
              << (each["mapped"].get<bool>() ? ": can be mapped" : ": cannot be mapped") << "\n";
    heading.clear();
  }
}

} // namespace

int print_routes(bool as_json) {
  host::start_process();
  host::open_device_memory();
  void* queues = nullptr; // shared as a launch shares its own
  host::check_cuda(cudaMalloc(&queues, 1 << 20), "allocate memory");
  const json all = describe(queues);
  // Others have mapped it until here.
  host::allgather(host::channel::launch, "end of routes", 0);
  host::check_cuda(cudaFree(queues), "free memory");
  if (host::process().rank == 0 && as_json)
    std::cout << all.dump(2) << "\n";
  else if (host::process().rank == 0)
    print(all);
  std::cout.flush();
  host::close_device_memory();
  host::finalize_process();
  return has_none(all) ? 1 : 0;
}

} // namespace gpurma::info
