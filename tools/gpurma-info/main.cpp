// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gpurma-info: what this installation of gpurma consists of, and how the environment sets it up.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "config.h"
#include "devices.h"
#include "host/environment.h"
#include "routes.h"

namespace environment = gpurma::host::environment;
namespace config = gpurma::info::config;
// Keeps keys in the order in which they are written here.
using json = nlohmann::ordered_json;

namespace {

constexpr const char usage[] =
    "usage: gpurma-info [--json] [--environment | --routes [--target cpu|cuda]]\n"
    "  --environment  only the environment variables, with what they mean and accept\n"
    "  --routes       only how the processes that mpirun has started reach each other's ranks;\n"
    "                 for the cuda target if there is a GPU, unless --target says which\n"
    "  --json         the same as JSON\n";

// The first line of what the MPI library says of itself; callable before MPI_Init.
std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string whole(text, static_cast<std::size_t>(length));
  return whole.substr(0, whole.find_first_of(",\n"));
}

json describe_environment() {
  json rows = json::array();
  for (const environment::variable& row : environment::table()) {
    bool is_set = false;
    const std::string value = environment::current_text(row, is_set);
    const std::string error = environment::parse(row, value).error;
    rows.push_back({{"name", row.name},
                    {"value", value},
                    {"default", row.default_text},
                    {"set", is_set},
                    {"type", row.type},
                    {"accepted", row.accepted},
                    {"help", row.help},
                    {"error", error.empty() ? json() : json(error)}});
  }
  return rows;
}

bool has_error(const json& rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [](const json& row) { return !row["error"].is_null(); });
}

json present(const char* version) {
  return *version ? json(version) : json();
}

json describe(const json& rows) {
  json devices = json::array();
  // A device cannot be made from values that are not valid; the environment's part of the output
  // names them.
  if (!has_error(rows))
    for (const gpurma::info::device& each : gpurma::info::find_devices())
      devices.push_back({{"target", each.target},
                         {"index", each.index},
                         {"name", each.name},
                         {"multiprocessors", each.multiprocessors},
                         {"ranks", each.ranks != 0 ? json(each.ranks) : json()}});
  return {
      {"version", config::version},
      {"built_with", config::compiler},
      {"build_type", config::build_type},
      {"clang", present(config::clang)},
      {"mpi", mpi_library()},
      {"cuda_toolkit", present(config::cuda)},
      {"targets",
       {{{"name", "cpu"}, {"compiled", true}},
        {{"name", "cuda"}, {"compiled", *config::cuda != '\0'}}}},
      {"transports",
       {{{"name", "mpi"}, {"library", mpi_library()}}, {{"name", "self"}, {"library", json()}}}},
      {"devices", devices},
      {"environment", rows}};
}

// The routes for a target; empty: for GPUs if there are any.
int show_routes(std::string target, bool as_json) {
  const auto for_cuda =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "gpurma-info-cuda";
  if (target.empty()) {
    const auto devices = gpurma::info::find_devices();
    const bool has_gpu =
        std::any_of(devices.begin(), devices.end(),
                    [](const gpurma::info::device& each) { return each.target == "cuda"; });
    target = has_gpu && std::filesystem::exists(for_cuda) ? "cuda" : "cpu";
  }
  if (target == "cpu")
    return gpurma::info::print_routes(as_json);
  execl(for_cuda.c_str(), for_cuda.c_str(), as_json ? "--json" : nullptr, nullptr);
  std::cerr << "gpurma-info: cannot run " << for_cuda.string() << ": " << std::strerror(errno)
            << "; build gpurma where the CUDA toolkit is found\n";
  return 1;
}

std::string text_of(const json& value) {
  return value.is_null() ? "none" : value.get<std::string>();
}

void print_environment(const json& rows, bool with_help) {
  for (const json& row : rows) {
    std::cout << "  " << std::left << std::setw(24) << row["name"].get<std::string>() << "= "
              << std::setw(8) << row["value"].get<std::string>();
    if (row["set"].get<bool>())
      std::cout << " (default " << row["default"].get<std::string>() << ")";
    std::cout << "\n";
    if (!row["error"].is_null())
      std::cout << "      error: " << row["error"].get<std::string>() << "\n";
    if (with_help) {
      std::cout << "      " << row["help"].get<std::string>() << "\n";
      if (!row["accepted"].get<std::string>().empty())
        std::cout << "      accepted: " << row["accepted"].get<std::string>() << "\n";
    }
  }
  for (const std::string& message : environment::unknown_variables(environ))
    std::cout << "  warning: " << message << "\n";
}

void print(const json& all) {
  std::cout << "gpurma " << all["version"].get<std::string>() << " (built with "
            << all["built_with"].get<std::string>() << ", " << all["build_type"].get<std::string>()
            << ")\n"
            << "Clang " << text_of(all["clang"]) << ", CUDA toolkit "
            << text_of(all["cuda_toolkit"]) << ", " << all["mpi"].get<std::string>()
            << "\n\ntargets\n";
  for (const json& target : all["targets"])
    std::cout << "  " << target["name"].get<std::string>()
              << (target["compiled"].get<bool>() ? "" : ": not compiled in") << "\n";
  std::cout << "\ntransports\n";
  for (const json& transport : all["transports"])
    std::cout << "  " << transport["name"].get<std::string>()
              << (transport["library"].is_null() ? "" : ": " + text_of(transport["library"]))
              << "\n";
  std::cout << "\ndevices (as a process started like this one has them)\n";
  for (const json& device : all["devices"])
    std::cout << "  " << device["target"].get<std::string>() << " " << device["index"] << ": "
              << device["name"].get<std::string>() << ", " << device["multiprocessors"]
              << " multiprocessors, "
              << (device["ranks"].is_null() ? "ranks by the kernel's occupancy"
                                            : device["ranks"].dump() + " ranks")
              << "\n";
  std::cout << "\nenvironment (gpurma-info --environment explains it)\n";
  print_environment(all["environment"], false);
}

} // namespace

int main(int argc, char** argv) {
  bool as_json = false, only_environment = false, only_routes = false;
  std::string target;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--json") {
      as_json = true;
    } else if (option == "--environment") {
      only_environment = true;
    } else if (option == "--routes") {
      only_routes = true;
    } else if (option == "--target" && i + 1 < argc && only_routes &&
               (!std::strcmp(argv[i + 1], "cpu") || !std::strcmp(argv[i + 1], "cuda"))) {
      target = argv[++i];
    } else if (option == "--help") {
      std::cout << usage;
      return 0;
    } else if (option == "--version") {
      std::cout << "gpurma-info " << config::version << "\n";
      return 0;
    } else {
      std::cerr << "gpurma-info: unknown option " << option << "\n" << usage;
      return 1;
    }
  }
  if (only_routes)
    return show_routes(target, as_json);
  const json rows = describe_environment();
  if (only_environment && as_json)
    std::cout << rows.dump(2) << "\n";
  else if (only_environment)
    print_environment(rows, true);
  else if (as_json)
    std::cout << describe(rows).dump(2) << "\n";
  else
    print(describe(rows));
  return has_error(rows) ? 1 : 0;
}
