// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds every wait of a run: when no rank of any process has made progress for GPURMA_TIMEOUT
// seconds, or a process no longer answers, each process prints what its ranks wait for and all
// processes end with a non-zero code. The same holds for what hosts do together outside of rank
// kernels (host_task).
#ifndef GPURMA_HOST_WATCHDOG_H
#define GPURMA_HOST_WATCHDOG_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gpurma::host {

// What one rank does at the moment.
struct wait_record {
  enum class state {
    computing,    // between directives
    starting,     // its kernel has been launched but has not begun
    in_directive, // inside a directive that has not returned
    finished      // its kernel has ended
  };
  state now = state::computing;
  int rank = 0;               // world rank
  std::uint64_t progress = 0; // directives completed (a test that found nothing does not count)
  std::uint64_t polls = 0;    // tests that found nothing: a rank that only polls is not progress
  std::uint64_t works = 0;    // of these, the ones that came after work
  // The directive it is in, or last polled; the texts are what the user wrote: "any", "-" if the
  // directive has none.
  std::string directive; // "wait", "put", ...
  std::string where;     // "file.cu:12"
  std::string window;
  std::string source; // rank waited for, or the target of a put, get or notify
  std::string tag;
  std::string hindrance;    // what holds a put, get or notify back, which wants no notifications
  std::string kept;         // notifications that a wait or test leaves to later ones; empty: none
  std::uint64_t wanted = 0; // notifications
  std::uint64_t arrived = 0;
  double seconds = 0; // since the directive began
};

// Implemented by the launch code; snapshot may be called from the monitor's thread at any time
// between begin and end.
class wait_table {
public:
  virtual ~wait_table() = default;
  // All local ranks, in order of rank. Approximate: the ranks keep running.
  virtual std::vector<wait_record> snapshot() const = 0;
  // Host work that is progress although no rank moves: bytes moved, messages processed. Never
  // decreases.
  virtual std::uint64_t host_progress() const { return 0; }
};

// What monitors tell each other.
struct heartbeat {
  enum class kind : std::uint32_t { alive, stop, stopped };
  kind what = kind::alive;
  std::uint32_t active = 0;          // bits: what in the process must make progress
  std::uint64_t changes = 0;         // grows whenever something in the process made progress
  std::uint64_t exchanges[2] = {};   // that the hosts have come to, by channel
  std::int32_t behind[2] = {-1, -1}; // from process 0: one that others wait for there; -1: none
  char reason[176] = {};             // with stop: a sentence, null-terminated
};

// How monitors reach each other. Used by one thread.
class heartbeat_link {
public:
  virtual ~heartbeat_link() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual void send(int process, const heartbeat& beat) = 0; // never blocks
  virtual bool receive(int& process, heartbeat& beat) = 0;
};

class watchdog {
public:
  struct actions {
    std::function<void(const std::string&)> print; // the table
    std::function<void(int)> end;                  // ends all processes with a code
  };

  // timeout: seconds; 0 watches nothing and starts no thread.
  watchdog(std::unique_ptr<heartbeat_link> link, double timeout, actions what_to_do);
  ~watchdog();
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

  // A rank kernel runs between begin and end; `table` must live until end returns.
  void begin(const wait_table& table);
  void end(const wait_table& table);

  // The process comes to the next exchange between the hosts on a channel; and a process that has
  // not come to one to which others have, or -1: none is known. Thread-safe.
  void count_exchange(std::size_t channel);
  int behind(std::size_t channel) const;

  // Starts and stops the monitor's thread.
  void start();
  void stop();

  // One look, as the monitor's thread does it every interval(); public so that tests can drive it
  // with their own clock. now: seconds of a monotonic clock.
  void step(double now);
  double interval() const;

private:
  friend class host_task;
  struct state;
  std::unique_ptr<state> state_;
};

// What a host does outside of rank kernels that may wait, for other processes or for CUDA: it is in
// the table that is printed at an end, each step of it in the log, and what takes longer than
// GPURMA_TIMEOUT is reported.
class host_task {
public:
  // reported: others may let it wait for long, or nobody knows how long it takes. bounded: the
  // processes have agreed to do it together, so that the run ends if no process makes progress.
  enum class kind { reported, bounded };

  host_task(watchdog& monitor, kind how, std::string what);
  ~host_task();
  host_task(const host_task&) = delete;
  host_task& operator=(const host_task&) = delete;

  // What is done next, which is progress; `what` with the level info.
  void step(std::string what);
  // The same step has come further.
  void go_on();

private:
  watchdog::state& in_;
  std::uint64_t number_;
};

// What a host does, for the table.
struct host_record {
  std::string what;
  double seconds; // since it last came further
};

// The table that is printed, one line per rank, ranks that compute or have finished summed up at
// the end; then what the host does.
std::string format_waits(int process, const std::string& reason,
                         const std::vector<wait_record>& records,
                         const std::vector<host_record>& host = {});

} // namespace gpurma::host

#endif
