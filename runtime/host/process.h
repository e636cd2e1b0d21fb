// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Start-up and end of gpurma in a process, what the process knows of the others, and blocking
// exchanges between the host sides of all processes.
#ifndef GPURMA_HOST_PROCESS_H
#define GPURMA_HOST_PROCESS_H

#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace gpurma::host {

class collective;
class transport;
class watchdog;

struct process_info {
  int rank = 0; // of this process among all
  int size = 1;
  int node = 0; // nodes are numbered by their lowest process
  int nodes = 1;
  int local_rank = 0; // of this process among those of its node
  int local_size = 1;
};

// Starts gpurma: finds the other processes (initialises MPI if the run needs it and the program has
// not), opens the transport, starts the watchdog. Collective over all processes. Later calls return
// at once. A call after finalize() is fatal.
const process_info& start_process(int* argc = nullptr, char*** argv = nullptr);

// Before start_process: which of how many processes this one is, and the unique id by which they
// find each other (transport/sockets/unique_id.h), instead of what the environment says of it.
struct given_place {
  int process;
  int processes;
  std::string id;
};
void place_process(const given_place& here);

// As start_process, for code that runs only once gpurma is started.
const process_info& process();
bool process_started();

// Ends gpurma: runs the at_finalize functions in reverse order, waits for the other processes,
// frees what it holds. Collective. MPI itself ends when the program calls MPI_Finalize, or at
// exit if gpurma initialised it. Called by MPI_Finalize and at exit if the program does not call
// it; later calls do nothing.
void finalize_process();

// Says, at any time, that the program has rank kernels. A process that comes to MPI_Finalize
// without having started gpurma then starts it first, because the others may have, and wait for it.
void announce_rank_kernels();

// Registers what finalize_process runs first (drain devices, free queues).
void at_finalize(std::function<void()> function);

// The transport to other processes and this process's watchdog; valid between start and finalize.
transport& process_transport();
watchdog& process_watchdog();

// Waits for a collective operation of the transport.
void wait_for(collective& operation);

// Blocking exchanges, each channel with its own collectives, so that a query on the main thread
// never meets a launch on a stream's thread. Within a channel all processes make the same calls in
// the same order; `what` is compared, and if the processes disagree (one launches, another
// finalises) all end with an error that says so.
enum class channel { launch, query };
void allgather_bytes(channel where, const char* what, const void* mine, std::size_t bytes,
                     void* all);

// Upper limit of one contribution to allgather, in bytes.
inline constexpr std::size_t max_allgather_bytes = 200;

template <class T> std::vector<T> allgather(channel where, const char* what, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= max_allgather_bytes);
  std::vector<T> all(static_cast<std::size_t>(process().size));
  allgather_bytes(where, what, &mine, sizeof(T), all.data());
  return all;
}

} // namespace gpurma::host

#endif
