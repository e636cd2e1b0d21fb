// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../../host/log.h"

#undef ibv_query_port

namespace gpurma::host::verbs {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream words(list);
  for (std::string name; std::getline(words, name, ',');)
    if (!name.empty())
      names.push_back(name);
  return names;
}

bool query_port(const verbs_api& api, ibv_context* context, unsigned port, ibv_port_attr& found) {
  std::memset(&found, 0, sizeof found);
  // The function's type is that of the first version of the structure; it fills what it knows.
  return api.ibv_query_port(context, static_cast<std::uint8_t>(port),
                            reinterpret_cast<_compat_ibv_port_attr*>(&found)) == 0;
}

bool choose_port(device& of, const std::optional<unsigned>& wanted, std::string& reason) {
  const unsigned ports = of.attributes.phys_port_cnt;
  if (wanted && (*wanted == 0 || *wanted > ports)) {
    reason = text("device ", of.name, " has no port ", *wanted, " (GPURMA_IB_PORT), but ", ports);
    return false;
  }
  for (unsigned port = wanted.value_or(1); port <= wanted.value_or(ports); ++port) {
    if (!query_port(of.api, of.context, port, of.port_attributes)) {
      reason = text("port ", port, " of device ", of.name, " cannot be queried");
      return false;
    }
    if (of.port_attributes.state == IBV_PORT_ACTIVE) {
      of.port = static_cast<std::uint8_t>(port);
      return true;
    }
  }
  reason = wanted ? text("port ", *wanted, " of device ", of.name, " is not active")
                  : text("device ", of.name, " has no active port");
  return false;
}

bool is_ipv4(const ibv_gid& gid) {
  constexpr std::uint8_t prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return std::memcmp(gid.raw, prefix, sizeof prefix) == 0;
}

bool choose_gid(device& of, const std::optional<unsigned>& wanted, std::string& reason) {
  const bool ethernet = of.port_attributes.link_layer == IBV_LINK_LAYER_ETHERNET;
  const auto read = [&](unsigned index, ibv_gid_entry& entry) {
    return of.api._ibv_query_gid_ex(of.context, of.port, index, &entry, 0, sizeof entry) == 0;
  };
  ibv_gid_entry entry{};
  if (wanted) {
    if (!read(*wanted, entry)) {
      reason = text(of.description(), " has no GID ", *wanted, " (GPURMA_IB_GID_INDEX)");
      return false;
    }
    of.gid_index = *wanted;
    of.gid = entry.gid;
    return true;
  }
  bool found = false;
  for (unsigned index = 0;
       index < static_cast<unsigned>(std::max(of.port_attributes.gid_tbl_len, 0)); ++index) {
    if (!read(index, entry) || (ethernet && entry.gid_type != IBV_GID_TYPE_ROCE_V2))
      continue;
    const bool better = !found || (ethernet && is_ipv4(entry.gid));
    if (better) {
      of.gid_index = index;
      of.gid = entry.gid;
      found = true;
    }
    if (!ethernet || is_ipv4(entry.gid))
      break;
  }
  if (!found)
    reason = text(of.description(), ethernet ? " has no GID of RoCE v2" : " has no GID",
                  "; see show_gids, or set GPURMA_IB_GID_INDEX");
  return found;
}

// The folder of a device on its bus; empty if it has none (soft-RoCE).
std::string bus_folder(const fs::path& device) {
  std::error_code error;
  const fs::path folder = fs::canonical(device, error);
  return error ? "" : folder.string();
}

// The GPU that a process takes that has chosen none: CUDA numbers equal ones by their places on the
// bus. Empty: this machine has none.
std::string gpu_folder(int local_rank) {
  std::vector<std::string> gpus;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/sys/bus/pci/devices", error)) {
    std::string vendor, type;
    std::ifstream(entry.path() / "vendor") >> vendor;
    std::ifstream(entry.path() / "class") >> type;
    constexpr const char* nvidia = "0x10de";
    constexpr const char* display = "0x03";
    if (vendor == nvidia && type.rfind(display, 0) == 0)
      gpus.push_back(bus_folder(entry.path()));
  }
  std::sort(gpus.begin(), gpus.end());
  return gpus.empty() ? "" : gpus[static_cast<std::size_t>(local_rank) % gpus.size()];
}

// Why the device could not be opened. libibverbs says of a file that it may not open that there is
// none.
int why_not_opened(const ibv_device& listed, int error) {
  const std::string file = text("/dev/infiniband/", listed.dev_name);
  return access(file.c_str(), R_OK | W_OK) != 0 && errno == EACCES ? EACCES : error;
}

// Opens one device; null: `reason` says why.
std::unique_ptr<device> open_one(const verbs_api& api, ibv_device* listed,
                                 const device_choice& choice, std::string& reason) {
  const std::string name = api.ibv_get_device_name(listed);
  ibv_context* const context = api.ibv_open_device(listed);
  if (context == nullptr) {
    reason =
        text("device ", name, " cannot be opened: ", std::strerror(why_not_opened(*listed, errno)));
    return nullptr;
  }
  auto opened = std::make_unique<device>(api, context);
  opened->name = name;
  if (api.ibv_query_device(context, &opened->attributes) != 0) {
    reason = text("device ", name, " cannot be queried");
    return nullptr;
  }
  if (!choose_port(*opened, choice.port, reason) || !choose_gid(*opened, choice.gid_index, reason))
    return nullptr;
  opened->domain = api.ibv_alloc_pd(context);
  if (opened->domain == nullptr) {
    reason = text("device ", name, " gives no protection domain: ", std::strerror(errno));
    return nullptr;
  }
  // Events are looked for now and then, not waited for.
  fcntl(context->async_fd, F_SETFL, fcntl(context->async_fd, F_GETFL) | O_NONBLOCK);
  return opened;
}

std::size_t common_length(const std::string& a, const std::string& b) {
  std::size_t common = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()) && a[i] == b[i]; ++i)
    if (a[i] == '/')
      common = i;
  return common;
}

} // namespace

device::device(const verbs_api& functions, ibv_context* opened) : api(functions), context(opened) {}

device::~device() {
  if (domain != nullptr)
    api.ibv_dealloc_pd(domain);
  api.ibv_close_device(context);
}

std::string device::description() const {
  return text("device ", name, ", port ", static_cast<unsigned>(port));
}

std::vector<std::size_t> nearest(const std::vector<std::string>& devices, const std::string& gpu) {
  std::size_t longest = 0;
  for (const std::string& each : devices)
    longest = std::max(longest, common_length(each, gpu));
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (common_length(devices[i], gpu) == longest)
      chosen.push_back(i);
  return chosen;
}

std::unique_ptr<device> open_device(const verbs_api& api, const device_choice& choice,
                                    std::string& reason) {
  int count = 0;
  ibv_device** const list = api.ibv_get_device_list(&count);
  const std::unique_ptr<ibv_device*, decltype(api.ibv_free_device_list)> owner(
      list, api.ibv_free_device_list);
  if (list == nullptr || count == 0) {
    reason = list == nullptr ? text("no list of devices: ", std::strerror(errno))
                             : std::string("there is no InfiniBand or RoCE device");
    return nullptr;
  }
  const auto turn = static_cast<std::size_t>(choice.local_rank);
  const std::vector<std::string> names = names_in(choice.names);
  if (!names.empty()) {
    const std::string& name = names[turn % names.size()];
    for (int i = 0; i < count; ++i)
      if (api.ibv_get_device_name(list[i]) == name)
        return open_one(api, list[i], choice, reason);
    reason = text("there is no device ", name, " (GPURMA_IB_DEVICE)");
    for (int i = 0; i < count; ++i)
      reason += text(i == 0 ? "; there are " : ", ", api.ibv_get_device_name(list[i]));
    return nullptr;
  }
  std::vector<std::unique_ptr<device>> usable;
  std::vector<std::string> folders;
  std::string reasons;
  for (int i = 0; i < count; ++i) {
    std::string why;
    if (auto opened = open_one(api, list[i], choice, why)) {
      folders.push_back(bus_folder(fs::path(list[i]->ibdev_path) / "device"));
      usable.push_back(std::move(opened));
    } else {
      reasons += (reasons.empty() ? "" : "; ") + why;
    }
  }
  if (usable.empty()) {
    reason = reasons;
    return nullptr;
  }
  const std::vector<std::size_t> near = nearest(folders, gpu_folder(choice.local_rank));
  return std::move(usable[near[turn % near.size()]]);
}

} // namespace gpurma::host::verbs
