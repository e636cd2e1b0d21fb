// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "open_verbs.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "../../host/environment.h"
#include "../../host/log.h"
#include "verbs_transport.h"

namespace gpurma::host {

namespace {

// Whether all processes have come here without a reason not to go on; else `reason` is the first
// one's, with its number.
bool all_can(collectives& hosts, int size, std::string& reason) {
  struct word {
    char text[400];
  };
  word mine{};
  std::strncpy(mine.text, reason.c_str(), sizeof mine.text - 1);
  const std::vector<word> all = allgather(hosts, size, mine);
  for (int p = 0; p < size; ++p) {
    const char* const word = all[static_cast<std::size_t>(p)].text;
    if (*word != 0) {
      reason = text("process ", p, ": ", word);
      return false;
    }
  }
  return true;
}

} // namespace

std::unique_ptr<transport> open_verbs_transport(process_group& among, int local_rank,
                                                std::string& reason) {
  const verbs::verbs_api* const api = verbs::load_verbs(reason);
  return open_verbs_transport(among, local_rank, api, reason);
}

std::unique_ptr<transport> open_verbs_transport(process_group& among, int local_rank,
                                                const verbs::verbs_api* api, std::string& reason) {
  const int rank = among.rank();
  const int size = among.size();
  const auto hosts = among.make_collectives();
  auto of_transport = among.make_collectives();

  verbs::device_choice choice;
  choice.names = environment::ib_device();
  choice.local_rank = local_rank;
  if (environment::ib_port() != 0)
    choice.port = static_cast<unsigned>(environment::ib_port());
  if (environment::ib_gid_index() != environment::automatic)
    choice.gid_index = static_cast<unsigned>(environment::ib_gid_index());
  verbs::transport_limits limits;
  limits.eager = environment::eager();
  limits.credits = static_cast<std::uint32_t>(environment::credits());
  limits.queue_pairs = static_cast<unsigned>(environment::ib_queue_pairs());
  limits.sends = static_cast<std::uint32_t>(environment::ib_sends());
  limits.receives = static_cast<std::uint32_t>(environment::ib_receives());
  limits.chunk = environment::ib_chunk();
  limits.timeout = static_cast<unsigned>(environment::ib_timeout());
  limits.retries = static_cast<unsigned>(environment::ib_retries());
  limits.service_level = static_cast<unsigned>(environment::ib_service_level());
  limits.traffic_class = static_cast<unsigned>(environment::ib_traffic_class());

  const std::string& of_gpus = environment::ib_gpu_memory();
  limits.of_gpus = of_gpus == "dmabuf"    ? verbs::gpu_registration::dmabuf
                   : of_gpus == "peermem" ? verbs::gpu_registration::peermem
                   : of_gpus == "auto"    ? verbs::gpu_registration::any
                                          : verbs::gpu_registration::none;

  std::unique_ptr<verbs::device> device;
  if (api != nullptr) {
    reason.clear();
    device = verbs::open_device(*api, choice, reason);
  }
  const bool offers = device && verbs::offers_dynamic_connections(*device);
  const std::vector<char> offered = allgather(*hosts, size, static_cast<char>(offers));
  const bool all_offer =
      std::all_of(offered.begin(), offered.end(), [](char each) { return each != 0; });
  const std::string& connection = environment::ib_connection();
  if (verbs::takes_dynamic_connections(connection, all_offer, size, limits.queue_pairs)) {
    limits.initiators = static_cast<unsigned>(environment::ib_initiators());
    limits.queue_pairs = 1;
  } else if (connection == "dc" && device && !offers) {
    reason = text(device->description(),
                  " has no dynamic connections, which GPURMA_IB_CONNECTION asks for");
    device = nullptr;
  }
  std::unique_ptr<verbs::verbs_transport> made;
  if (device)
    made = verbs::verbs_transport::make(std::move(device), limits, rank, size,
                                        std::move(of_transport), reason);
  if (!all_can(*hosts, size, reason)) {
    if (made)
      made->abandon();
    return nullptr;
  }

  std::vector<verbs::endpoint> mine(static_cast<std::size_t>(size)), others(mine.size());
  for (int p = 0; p < size; ++p)
    mine[static_cast<std::size_t>(p)] = made->endpoint_for(p);
  wait(*hosts->start_alltoall(mine.data(), sizeof(verbs::endpoint), others.data()));
  static_cast<void>(made->connect(others, reason));
  // Behind it, the queue pairs of all processes receive.
  if (!all_can(*hosts, size, reason)) {
    made->abandon();
    return nullptr;
  }
  log(log_level::info,
      text("verbs: ", made->on().description(),
           limits.initiators != 0 ? text(", ", limits.initiators, " initiators") : ""));
  return made;
}

} // namespace gpurma::host
