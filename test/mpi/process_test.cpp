// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Start-up and end of processes: process_test <mode>, see main.
#include <csignal>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>

#include "check.h"
#include "host/process.h"
#include "host/watchdog.h"
#include "transport/transport.h"

namespace host = gpurma::host;

namespace {

int mpi_rank() {
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int mpi_size() {
  int size = -1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

// What a program does with MPI for itself.
void use_mpi() {
  int sum = 0;
  const int mine = mpi_rank() + 1;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == mpi_size() * (mpi_size() + 1) / 2);
}

void use_gpurma() {
  const host::process_info& info = host::start_process();
  CHECK(&info == &host::process());
  CHECK(host::process_started());
  CHECK(info.nodes == 1 && info.node == 0 && info.local_rank == info.rank &&
        info.local_size == info.size);
  for (int round = 0; round < 20; ++round)
    for (const host::channel channel : {host::channel::launch, host::channel::query}) {
      const auto all = host::allgather(channel, "a test", info.rank * 100 + round);
      CHECK(all.size() == static_cast<std::size_t>(info.size));
      for (int p = 0; p < info.size; ++p)
        CHECK(all[static_cast<std::size_t>(p)] == p * 100 + round);
    }
}

// Nothing of MPI may be needed, or started, without a launcher.
void alone() {
  use_gpurma();
  int initialized = 1;
  MPI_Initialized(&initialized);
  CHECK(!initialized);
  CHECK(std::string(host::process_transport().name()) == "self");
  CHECK(host::process().size == 1);
}

void mpi_alone() {
  use_gpurma();
  int initialized = 0;
  MPI_Initialized(&initialized);
  CHECK(initialized);
  CHECK(std::string(host::process_transport().name()) == "mpi");
  CHECK(host::process().size == 1);
}

// Processes that have found each other by a unique id. MPI may be there, but is not started.
void by_id() {
  use_gpurma();
  int initialized = 1;
  MPI_Initialized(&initialized);
  CHECK(!initialized);
  CHECK(std::string(host::process_transport().name()) == "verbs");
}

void gpurma_only() {
  use_gpurma();
  CHECK(host::process().rank == mpi_rank() && host::process().size == mpi_size());
  static bool ended = false;
  host::at_finalize([] { CHECK(ended); }); // the last one registered runs first
  host::at_finalize([] { ended = true; });
}

void mpi_first(bool threaded) {
  int provided = MPI_THREAD_MULTIPLE;
  if (threaded)
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  else
    MPI_Init(nullptr, nullptr);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  use_mpi();
  use_gpurma();
  use_mpi();
  MPI_Finalize();
  CHECK(!host::process_started());
}

void gpurma_first() {
  use_gpurma();
  MPI_Init(nullptr, nullptr);
  use_mpi();
  MPI_Finalize();
}

void finalize_early() {
  MPI_Init(nullptr, nullptr);
  use_gpurma();
  host::finalize_process();
  host::finalize_process();
  use_mpi();
  MPI_Finalize();
}

void use_after_end() {
  use_gpurma();
  host::finalize_process();
  host::start_process();
}

void use_after_mpi_end() {
  MPI_Init(nullptr, nullptr);
  MPI_Finalize();
  host::start_process();
}

void disagree() {
  use_gpurma();
  if (host::process().rank == 0)
    host::allgather(host::channel::launch, "launch of a rank kernel", 1);
}

void exit_with_error() {
  use_gpurma();
  if (host::process().rank != 0) {
    int never = 0;
    MPI_Recv(&never, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  std::exit(3);
}

void all_exit_with_error() {
  use_gpurma();
  std::exit(3);
}

void killed() {
  use_gpurma();
  if (host::process().rank == host::process().size - 1)
    std::raise(SIGKILL);
  host::allgather(host::channel::query, "something that never happens", 1);
}

class stalled final : public host::wait_table {
  std::vector<host::wait_record> snapshot() const override {
    host::wait_record record;
    record.now = host::wait_record::state::in_directive;
    record.rank = 10 * host::process().rank;
    record.directive = "wait";
    record.where = "stalled.cu:42";
    record.window = "any";
    record.source = "any";
    record.tag = "5";
    record.wanted = 1;
    return {record};
  }
};

void stall() {
  use_gpurma();
  static const stalled table;
  host::process_watchdog().begin(table);
  for (;;)
    std::this_thread::yield();
}

} // namespace

int main(int argc, char** argv) {
  const std::map<std::string, void (*)()> modes = {
      {"alone", alone},
      {"mpi_alone", mpi_alone},
      {"by_id", by_id},
      {"gpurma_only", gpurma_only},
      {"mpi_first", [] { mpi_first(false); }},
      {"mpi_first_threaded", [] { mpi_first(true); }},
      {"gpurma_first", gpurma_first},
      {"finalize_early", finalize_early},
      {"use_after_end", use_after_end},
      {"use_after_mpi_end", use_after_mpi_end},
      {"disagree", disagree},
      {"exit_with_error", exit_with_error},
      {"all_exit_with_error", all_exit_with_error},
      {"killed", killed},
      {"stall", stall},
  };
  const auto mode = modes.find(argc > 1 ? argv[1] : "");
  if (mode == modes.end())
    return 2;
  mode->second();
}
