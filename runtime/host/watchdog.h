// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds every wait of a run: when no rank of any process has made progress for GPURMA_TIMEOUT
// seconds, or a process no longer answers, each process prints what its ranks wait for and all
// processes end with a non-zero code.
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
  // The directive it is in, or last polled; the texts are what the user wrote: "any", "-" if the
  // directive has none.
  std::string directive; // "wait", "put", ...
  std::string where;     // "file.cu:12"
  std::string window;
  std::string source; // rank waited for, or the target of a put, get or notify
  std::string tag;
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
  std::uint32_t active = 0;  // a rank kernel runs in the process
  std::uint64_t changes = 0; // grows whenever something in the process made progress
  char reason[176] = {};     // with stop: a sentence, null-terminated
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

  // Starts and stops the monitor's thread.
  void start();
  void stop();

  // One look, as the monitor's thread does it every interval(); public so that tests can drive it
  // with their own clock. now: seconds of a monotonic clock.
  void step(double now);
  double interval() const;

private:
  struct state;
  std::unique_ptr<state> state_;
};

// The table that is printed, one line per rank, ranks that compute or have finished summed up at
// the end.
std::string format_waits(int process, const std::string& reason,
                         const std::vector<wait_record>& records);

} // namespace gpurma::host

#endif
