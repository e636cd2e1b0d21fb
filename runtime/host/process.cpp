// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process.h"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "../transport/mpi/mpi_group.h"
#include "../transport/mpi/mpi_transport.h"
#include "../transport/self/self_group.h"
#include "../transport/sockets/socket_group.h"
#include "../transport/sockets/unique_id.h"
#include "../transport/verbs/open_verbs.h"
#include "environment.h"
#include "log.h"
#include "watchdog.h"

namespace gpurma::host {

namespace {

using clock = std::chrono::steady_clock;

// One contribution to an exchange, with what its process believes the exchange to be.
struct exchange_record {
  std::uint32_t bytes;
  char what[124];
  std::byte payload[max_allgather_bytes];
};

// An exchange under way on one channel.
struct exchange {
  exchange_record mine;
  std::vector<exchange_record> all;
  std::unique_ptr<collective> operation;
};

enum class phase { before, started, ended };

struct process_state {
  std::recursive_mutex mutex; // of start and finalise; start may run inside MPI_Init's wrapper
  std::atomic<phase> now{phase::before};
  process_info info;
  std::optional<given_place> given;
  std::unique_ptr<process_group> group; // stays, for end_all
  std::array<std::unique_ptr<collectives>, 2> channels;
  std::unique_ptr<transport> messages;
  std::unique_ptr<watchdog> monitor;
  std::vector<std::function<void()>> at_end;
  std::atomic<bool> mpi_is_ours{
      false}; // gpurma initialised MPI and the program has not called MPI_Init
  bool exit_registered = false;
  pid_t id = 0; // not of a child
  std::atomic<bool> has_rank_kernels{false};
};

// Never destroyed: exit handlers and other threads may use it until the very end.
process_state& state() {
  static process_state* const instance = new process_state;
  return *instance;
}

bool mpi_has_ended() {
  int finalized = 0;
  PMPI_Finalized(&finalized);
  return finalized;
}

// Whether a launcher of MPI programs started this process: Open MPI, PMIx (srun --mpi=pmix), PMI
// (srun, MPICH).
bool under_launcher() {
  return std::getenv("OMPI_COMM_WORLD_SIZE") || std::getenv("PMIX_RANK") || std::getenv("PMI_RANK");
}

// srun without PMIx starts processes that cannot find each other: each would silently compute
// alone.
void warn_of_lost_tasks() {
  const char* const tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  if (tasks && std::atoi(tasks) > 1)
    log(log_level::warn, text("srun has started ", tasks,
                              " processes, but without PMIx, so that each is alone; start them "
                              "with srun --mpi=pmix or mpirun, or set "
                              "GPURMA_TRANSPORT=self"));
}

// Whether processes find each other by a unique id.
bool has_unique_id() {
  return state().given || !environment::id().empty();
}

bool asks_for_verbs() {
  const std::string& chosen = environment::transport();
  return chosen == "verbs" || chosen == "verbs-or-mpi";
}

bool wants_mpi() {
  const std::string& chosen = environment::transport();
  if (chosen == "mpi")
    return true;
  return !has_unique_id() &&
         (asks_for_verbs() || (chosen == "auto" && (mpi_runs() || under_launcher())));
}

bool is_alone() {
  return !wants_mpi() && (environment::transport() == "self" || !has_unique_id());
}

void end_all(int code) {
  if (state().group)
    state().group->end_all(code);
  std::_Exit(code);
}

void require_thread_multiple() {
  int provided = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE)
    fatal("MPI runs without MPI_THREAD_MULTIPLE, which gpurma needs because its threads send while "
          "the program computes; "
          "initialise MPI with MPI_Init_thread(..., MPI_THREAD_MULTIPLE, ...)");
}

socket_group::place place_by_unique_id() {
  const auto& given = state().given;
  socket_group::place mine;
  mine.timeout = environment::timeout();
  std::uint64_t process = environment::process();
  std::uint64_t processes = environment::processes();
  mine.id = environment::id();
  if (given) {
    mine.id = given->id;
    process = static_cast<std::uint64_t>(given->process);
    processes = static_cast<std::uint64_t>(given->processes);
  } else if (process == environment::automatic || processes == environment::automatic) {
    fatal(text("GPURMA_ID is set, but ",
               process == environment::automatic ? "GPURMA_PROCESS" : "GPURMA_PROCESSES",
               " is not; each process needs its own number and that of all processes"));
  }
  if (process >= processes)
    fatal(text("process ", process, " is not one of ", processes,
               " processes, which have the numbers from 0 (GPURMA_PROCESS, GPURMA_PROCESSES)"));
  mine.rank = static_cast<int>(process);
  mine.size = static_cast<int>(processes);
  return mine;
}

// Collective, but for a process that is alone.
std::unique_ptr<process_group> find_others(int* argc, char*** argv) {
  if (wants_mpi()) {
    if (has_unique_id())
      fatal("GPURMA_TRANSPORT is mpi, whose processes mpirun or srun starts; a unique id "
            "(GPURMA_ID) is for verbs");
    if (!mpi_runs()) {
      int provided = 0;
      PMPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
      state().mpi_is_ours = true;
    }
    return std::make_unique<mpi_group>();
  }
  if (is_alone())
    return std::make_unique<self_group>();
  const socket_group::place mine = place_by_unique_id();
  set_log_process(mine.rank);
  std::string reason;
  auto group = socket_group::join(mine, reason);
  if (!group)
    fatal(reason);
  return group;
}

process_info find_place(process_group& group, collectives& hosts) {
  process_info info;
  info.rank = group.rank();
  info.size = group.size();
  const int leader = group.node_leader();
  std::vector<int> leaders = allgather(hosts, info.size, leader);
  info.local_size = static_cast<int>(std::count(leaders.begin(), leaders.end(), leader));
  info.local_rank =
      static_cast<int>(std::count(leaders.begin(), leaders.begin() + info.rank, leader));
  std::sort(leaders.begin(), leaders.end());
  leaders.erase(std::unique(leaders.begin(), leaders.end()), leaders.end());
  info.nodes = static_cast<int>(leaders.size());
  info.node =
      static_cast<int>(std::lower_bound(leaders.begin(), leaders.end(), leader) - leaders.begin());
  return info;
}

// Variables that both ends of a message, or all monitors, must agree on.
void check_settings(collectives& hosts) {
  struct settings {
    std::uint64_t eager = environment::eager();
    std::uint64_t credits = environment::credits();
    std::uint64_t chunk = environment::chunk();
    std::uint64_t ghost_rows = environment::ghost_rows();
    bool cpu_staging = environment::cpu_staging();
    double timeout = environment::timeout();
    char transport[16] = {};
    char distributed_arrays[8] = {};
  };
  settings mine;
  environment::transport().copy(mine.transport, sizeof mine.transport - 1);
  environment::distributed_arrays().copy(mine.distributed_arrays,
                                         sizeof mine.distributed_arrays - 1);
  const std::vector<settings> all = allgather(hosts, state().info.size, mine);
  const settings& first = all[0];
  const auto refuse = [](const char* variable, auto value, std::size_t process, auto other) {
    fatal(text("processes disagree: ", variable, " is ", value, " in process 0 and ", other,
               " in process ", process, "; give it to all processes (mpirun -x ", variable, ")"));
  };
  for (std::size_t p = 1; p < all.size(); ++p) {
    if (all[p].eager != first.eager)
      refuse("GPURMA_EAGER", first.eager, p, all[p].eager);
    if (all[p].credits != first.credits)
      refuse("GPURMA_CREDITS", first.credits, p, all[p].credits);
    if (all[p].chunk != first.chunk)
      refuse("GPURMA_CHUNK", first.chunk, p, all[p].chunk);
    if (all[p].ghost_rows != first.ghost_rows) {
      const auto rows = [](std::uint64_t count) {
        return count == environment::automatic ? std::string("auto") : std::to_string(count);
      };
      refuse("GPURMA_GHOST_ROWS", rows(first.ghost_rows), p, rows(all[p].ghost_rows));
    }
    if (all[p].cpu_staging != first.cpu_staging)
      refuse("GPURMA_CPU_STAGING", first.cpu_staging, p, all[p].cpu_staging);
    if (std::strcmp(all[p].transport, first.transport) != 0)
      refuse("GPURMA_TRANSPORT", first.transport, p, all[p].transport);
    if (std::strcmp(all[p].distributed_arrays, first.distributed_arrays) != 0)
      refuse("GPURMA_DISTRIBUTED_ARRAYS", first.distributed_arrays, p, all[p].distributed_arrays);
    // Process 0's decides; but one that watches nothing sends no heartbeats.
    if ((all[p].timeout > 0) != (first.timeout > 0))
      refuse("GPURMA_TIMEOUT", first.timeout, p, all[p].timeout);
  }
}

// Collective.
std::unique_ptr<transport> open_transport(process_group& group, const process_info& self) {
  if (is_alone())
    return std::make_unique<self_transport>();
  if (asks_for_verbs() || has_unique_id()) {
    std::string reason;
    if (auto verbs = open_verbs_transport(group, self.local_rank, reason))
      return verbs;
    if (has_unique_id())
      fatal(text("a start by a unique id (GPURMA_ID) is for verbs, but ", reason,
                 "; use mpirun and GPURMA_TRANSPORT=mpi"));
    if (environment::transport() == "verbs")
      fatal(text("GPURMA_TRANSPORT is verbs, but ", reason,
                 "; use GPURMA_TRANSPORT=mpi, or verbs-or-mpi for mpi where verbs cannot be used"));
    if (self.rank == 0)
      log(log_level::info, text("verbs cannot be used, so the transport is mpi: ", reason));
  }
  mpi_transport::limits limits;
  limits.eager = environment::eager();
  limits.receives = environment::mpi_receives();
  limits.sends = environment::mpi_sends();
  limits.credits = static_cast<std::uint32_t>(environment::credits());
  return std::make_unique<mpi_transport>(MPI_COMM_WORLD, limits);
}

exchange_record make_record(const char* what, const void* mine, std::size_t bytes) {
  exchange_record record{};
  record.bytes = static_cast<std::uint32_t>(bytes);
  std::strncpy(record.what, what, sizeof record.what - 1);
  if (std::strlen(what) >= sizeof record.what)
    std::snprintf(record.what + sizeof record.what - 14, 14, "... #%08x",
                  static_cast<unsigned>(std::hash<std::string_view>{}(what)));
  if (bytes != 0)
    std::memcpy(record.payload, mine, bytes);
  return record;
}

void start_exchange(exchange& under_way, std::size_t channel) {
  state().monitor->count_exchange(channel);
  under_way.all.resize(static_cast<std::size_t>(state().info.size));
  under_way.operation = state().channels[channel]->start_allgather(
      &under_way.mine, sizeof(exchange_record), under_way.all.data());
}

// The process that an exchange waits for, as far as that is known here.
std::string awaited(std::size_t channel) {
  const int behind = state().monitor->behind(channel);
  return behind < 0 || behind == state().info.rank ? "the other processes"
                                                   : text("process ", behind);
}

// Others may compute for long before they come, so a long wait is only reported.
void wait_exchange(exchange& under_way, std::size_t channel) {
  const auto began = clock::now();
  const double report_after = environment::timeout();
  double reported = 0;
  for (long looks = 0;; ++looks) {
    if (under_way.operation->test())
      return;
    if (looks < 1000) {
      std::this_thread::yield();
      continue;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(looks < 20000 ? 50 : 1000));
    const double waited = std::chrono::duration<double>(clock::now() - began).count();
    if (report_after > 0 && waited - reported > report_after) {
      reported = waited;
      log(log_level::warn, text("waiting since ", static_cast<long>(waited), " s for ",
                                awaited(channel), ": ", under_way.mine.what));
    }
  }
}

// All processes must mean the same exchange; one that has gone another way would leave the others
// waiting for ever.
void check_agreement(const exchange& under_way) {
  for (std::size_t p = 0; p < under_way.all.size(); ++p) {
    const exchange_record& other = under_way.all[p];
    if (std::strcmp(other.what, under_way.mine.what) != 0 || other.bytes != under_way.mine.bytes)
      fatal(text("processes disagree: process ", state().info.rank, " is at: ", under_way.mine.what,
                 "; process ", p, " is at: ", other.what,
                 "; all processes must do the same in the same order"));
  }
}

// The collective end of all channels.
void leave_channels() {
  std::array<exchange, 2> last;
  for (std::size_t c = 0; c < last.size(); ++c) {
    last[c].mine = make_record("the end of gpurma (exit or MPI_Finalize)", nullptr, 0);
    start_exchange(last[c], c);
  }
  for (std::size_t c = 0; c < last.size(); ++c) {
    wait_exchange(last[c], c);
    check_agreement(last[c]);
  }
}

// A process that exits with an error must not leave the others waiting: they get a short time to
// come to their end too.
constexpr std::chrono::seconds patience_after_error(5);

// A thread of its own, because anything in this process's end may wait for the others: its kernels,
// their launches, the last exchange.
void bound_end_after_error(int status) {
  std::thread([status] {
    std::this_thread::sleep_for(patience_after_error);
    if (state().now == phase::ended)
      return;
    log(log_level::error,
        text("this process exits with code ", status, " and the others do not; ending all"));
    end_all_processes(status);
  }).detach();
}

void at_exit(int status, void*) {
  if (getpid() != state().id) // a child that ends by itself is none of the processes
    return;
  if (status != 0 && state().now == phase::started && state().info.size > 1)
    bound_end_after_error(status);
  finalize_process();
  if (state().mpi_is_ours && mpi_runs())
    PMPI_Finalize();
}

} // namespace

const process_info& start_process(int* argc, char*** argv) {
  process_state& s = state();
  if (s.now == phase::started)
    return s.info;
  const std::lock_guard<std::recursive_mutex> lock(s.mutex);
  if (s.now == phase::started)
    return s.info;
  if (s.now == phase::ended || mpi_has_ended())
    fatal("gpurma is used after its end (gpurma::finalize or MPI_Finalize)");

  set_end_all_processes(end_all);
  environment::end_if_not_accepted();
  s.group = find_others(argc, argv);
  if (wants_mpi())
    require_thread_multiple();
  for (auto& channel : s.channels)
    channel = s.group->make_collectives();
  s.info = find_place(*s.group, *s.channels[0]);
  set_log_process(s.info.rank);
  check_settings(*s.channels[0]);
  s.messages = open_transport(*s.group, s.info);
  auto link = s.group->make_heartbeat_link();
  s.monitor = std::make_unique<watchdog>(std::move(link), environment::timeout(),
                                         watchdog::actions{write_error, end_all_processes});
  s.monitor->start();

  if (is_alone() && environment::transport() == "auto")
    warn_of_lost_tasks();
  if (s.info.rank == 0)
    for (const std::string& message : environment::unknown_variables(environ))
      log(log_level::warn, message);
  log(log_level::info, text("started: process ", s.info.rank, " of ", s.info.size, ", node ",
                            s.info.node, " of ", s.info.nodes, ", transport ", s.messages->name()));
  if (!s.exit_registered) {
    s.exit_registered = true;
    s.id = getpid();
    on_exit(at_exit, nullptr); // unlike atexit it is told the exit code
  }
  s.now = phase::started;
  return s.info;
}

void place_process(const given_place& here) {
  process_state& s = state();
  const std::lock_guard<std::recursive_mutex> lock(s.mutex);
  if (s.now != phase::before)
    fatal("gpurma has been started already, so that gpurma::init with a unique id comes too late");
  if (here.process < 0 || here.processes < 1)
    fatal(text("process ", here.process, " of ", here.processes,
               " processes: gpurma::init takes a number from 0, and one process or more"));
  s.given = here;
}

const process_info& process() {
  return state().info;
}

bool process_started() {
  return state().now == phase::started;
}

void finalize_process() {
  process_state& s = state();
  const std::lock_guard<std::recursive_mutex> lock(s.mutex);
  if (s.now != phase::started)
    return;
  while (!s.at_end.empty()) {
    const auto function = std::move(s.at_end.back());
    s.at_end.pop_back();
    function();
  }
  leave_channels();
  s.monitor->stop();
  s.monitor.reset();
  s.messages.reset();
  for (auto& channel : s.channels)
    channel.reset();
  s.group->leave();
  s.now = phase::ended;
}

void announce_rank_kernels() {
  state().has_rank_kernels = true;
}

void at_finalize(std::function<void()> function) {
  process_state& s = state();
  const std::lock_guard<std::recursive_mutex> lock(s.mutex);
  s.at_end.push_back(std::move(function));
}

transport& process_transport() {
  return *state().messages;
}

watchdog& process_watchdog() {
  return *state().monitor;
}

void wait_for(collective& operation) {
  while (!operation.test()) {
    process_transport().progress();
    std::this_thread::yield();
  }
}

void allgather_bytes(channel where, const char* what, const void* mine, std::size_t bytes,
                     void* all) {
  exchange under_way;
  under_way.mine = make_record(what, mine, bytes);
  start_exchange(under_way, static_cast<std::size_t>(where));
  wait_exchange(under_way, static_cast<std::size_t>(where));
  check_agreement(under_way);
  for (std::size_t p = 0; p < under_way.all.size(); ++p)
    std::memcpy(static_cast<std::byte*>(all) + p * bytes, under_way.all[p].payload, bytes);
}

namespace {

int init_mpi(int* argc, char*** argv, int required, int* provided) {
  process_state& s = state();
  const std::lock_guard<std::recursive_mutex> lock(s.mutex);
  if (s.mpi_is_ours.exchange(false)) { // gpurma came first; from here on MPI is the program's
    PMPI_Query_thread(provided);
    return MPI_SUCCESS;
  }
  return PMPI_Init_thread(argc, argv, std::max(required, static_cast<int>(MPI_THREAD_MULTIPLE)),
                          provided);
}

// The others' start waits for this process. If they have not started either, start and end meet
// quietly; with a lower level of threads they cannot have.
void start_before_end() {
  process_state& s = state();
  if (s.now != phase::before || !s.has_rank_kernels || !mpi_runs() || !wants_mpi())
    return;
  int provided = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&provided);
  if (provided == MPI_THREAD_MULTIPLE)
    start_process();
}

} // namespace

} // namespace gpurma::host

// The program's own calls of MPI come here (MPI's profiling interface): gpurma needs every thread
// to be allowed to call MPI, and must end before MPI does.
extern "C" {

int MPI_Init(int* argc, char*** argv) {
  int provided = 0;
  return gpurma::host::init_mpi(argc, argv, MPI_THREAD_SINGLE, &provided);
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return gpurma::host::init_mpi(argc, argv, required, provided);
}

int MPI_Finalize() {
  gpurma::host::start_before_end();
  gpurma::host::finalize_process();
  return PMPI_Finalize();
}
}
