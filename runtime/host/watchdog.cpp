// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "watchdog.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <sstream>
#include <thread>
#include <unordered_map>

#include "log.h"

namespace gpurma::host {

namespace {

// How long monitors wait for each other's tables before they end the run without.
constexpr double table_patience = 5;

// A machine with many more threads than cores delays heartbeats; a shorter silence than this says
// nothing.
constexpr double least_silence = 10;

// Behind each piece of work a rank may look for so many notifications in vain. Where a rank only
// polls, the device takes another process's turn for work, but not as often.
constexpr std::uint64_t most_polls_per_work = 64;

std::string seconds_text(double seconds) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.1f", seconds);
  return buffer;
}

// Lays rows out in columns as wide as their widest cell.
std::string layout(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c)
      text +=
          "  " + row[c] + (c + 1 < row.size() ? std::string(widths[c] - row[c].size(), ' ') : "");
    text += '\n';
  }
  return text;
}

// What the monitor remembers of a rank between two looks.
struct last_look {
  std::uint64_t progress = 0;
  std::uint64_t polls = 0;
  std::uint64_t works = 0;
};

// Bits of heartbeat::active.
constexpr std::uint32_t runs_kernel = 1;
constexpr std::uint32_t runs_host_task = 2;

// A host_task.
struct watched_task {
  std::uint64_t number;
  host_task::kind how;
  std::string what;
  std::string step{};
  std::uint64_t steps = 0;
  // By the monitor: what it has seen, since when, and when it last spoke of it; negative: never.
  std::uint64_t seen = 0;
  double since = -1;
  double reported = -1;

  std::string text() const { return step.empty() ? what : what + ": " + step; }
};

// A running launch.
struct watched {
  const wait_table* table;
  std::uint64_t host_progress = 0;
  std::unordered_map<int, last_look> ranks;
};

} // namespace

std::string format_waits(int process, const std::string& reason,
                         const std::vector<wait_record>& records,
                         const std::vector<host_record>& host) {
  std::vector<std::vector<std::string>> rows = {
      {"rank", "directive", "where", "window", "source", "tag", "wanted", "arrived", "seconds"}};
  std::string remarks;
  std::size_t computing = 0, starting = 0;
  std::vector<int> finished; // what a wait names as its source may be one of them
  for (const wait_record& r : records) {
    if (r.now == wait_record::state::finished)
      finished.push_back(r.rank);
    else if (r.now == wait_record::state::starting)
      ++starting;
    else if (r.now == wait_record::state::computing && r.directive.empty())
      ++computing;
    else {
      const bool sends = !r.hindrance.empty();
      rows.push_back({std::to_string(r.rank), r.directive, r.where, r.window, r.source, r.tag,
                      sends ? "-" : std::to_string(r.wanted),
                      sends ? "-" : std::to_string(r.arrived), seconds_text(r.seconds)});
      if (sends)
        remarks += text("  the ", r.directive, " of rank ", r.rank, " waits: ", r.hindrance, "\n");
      if (!r.kept.empty())
        remarks += text("  rank ", r.rank, " keeps for later waits: ", r.kept, "\n");
    }
  }
  std::ostringstream out;
  out << "[gpurma " << process << "] error: " << reason << "\n";
  if (records.empty())
    out << "  process " << process << " runs no rank kernel\n";
  if (rows.size() > 1)
    out << layout(rows) << remarks;
  if (computing != 0)
    out << "  " << computing << " more computing, outside any directive\n";
  if (starting != 0)
    out << "  " << starting
        << " more have not begun: other work on the device leaves no room for all of them\n";
  if (!finished.empty()) {
    constexpr std::size_t most_named = 8;
    out << "  " << finished.size() << " more finished: rank" << (finished.size() > 1 ? "s " : " ");
    for (std::size_t i = 0; i < std::min(finished.size(), most_named); ++i)
      out << (i != 0 ? ", " : "") << finished[i];
    out << (finished.size() > most_named ? ", ...\n" : "\n");
  }
  for (const host_record& one : host)
    out << "  its host, for " << seconds_text(one.seconds) << " s: " << one.what << "\n";
  return out.str();
}

struct watchdog::state {
  std::unique_ptr<heartbeat_link> link;
  double timeout;
  actions act;

  // What this process knows of another one (only process 0 uses all of them).
  struct other {
    double heard = -1;
    std::uint64_t changes = 0;
    std::uint32_t active = 0;
    std::array<std::uint64_t, 2> exchanges{};
    bool stopped = false;
  };
  std::vector<other> others;
  double changed = -1; // last time that anything changed anywhere
  std::uint64_t my_changes = 0;
  double stopping = -1; // since when

  std::array<std::atomic<std::uint64_t>, 2> exchanges{}; // that this process has come to
  std::array<std::atomic<int>, 2> behind{-1, -1};

  std::mutex mutex; // of what follows
  std::vector<watched> launches;
  std::vector<watched_task> tasks;
  std::uint64_t tasks_begun = 0;
  std::uint64_t task_changes = 0; // tasks that have begun or ended
  std::uint64_t task_changes_seen = 0;
  std::condition_variable wake;
  bool stop_thread = false;
  std::thread thread;

  double silence() const { return std::max(timeout, least_silence); }

  // Whether anything in this process made progress since the last look.
  bool look(watched& launch) {
    bool moved = false;
    const std::uint64_t host_progress = launch.table->host_progress();
    moved |= host_progress != launch.host_progress;
    launch.host_progress = host_progress;
    for (const wait_record& r : launch.table->snapshot()) {
      last_look& last = launch.ranks[r.rank];
      const std::uint64_t polls = r.polls - last.polls;
      const std::uint64_t works = r.works - last.works;
      // A rank between directives works, unless all it does is to poll in vain.
      const bool works_on = polls == 0 || works * most_polls_per_work >= polls;
      moved |= r.progress != last.progress || (r.now == wait_record::state::computing && works_on);
      last = {r.progress, r.polls, r.works};
    }
    return moved;
  }

  void stop_run(double now, const std::string& reason) {
    stopping = now;
    heartbeat beat;
    beat.what = heartbeat::kind::stop;
    std::strncpy(beat.reason, reason.c_str(), sizeof beat.reason - 1);
    for (int p = 0; p < link->size(); ++p)
      if (p != link->rank())
        link->send(p, beat);
    print_table(now, reason);
  }

  void print_table(double now, const std::string& reason) {
    std::vector<wait_record> records;
    std::vector<host_record> host;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      for (const watched& launch : launches) {
        const auto more = launch.table->snapshot();
        records.insert(records.end(), more.begin(), more.end());
      }
      for (const watched_task& task : tasks)
        host.push_back({task.text(), task.since < 0 ? 0 : now - task.since});
    }
    act.print(format_waits(link->rank(), reason, records, host));
    others[static_cast<std::size_t>(link->rank())].stopped = true;
  }

  void receive(double now) {
    int process = 0;
    heartbeat beat;
    while (link->receive(process, beat)) {
      other& from = others[static_cast<std::size_t>(process)];
      from.heard = now;
      if (beat.what == heartbeat::kind::stopped)
        from.stopped = true;
      if (beat.what == heartbeat::kind::alive) {
        for (std::size_t c = 0; c < behind.size(); ++c) {
          from.exchanges[c] = beat.exchanges[c];
          if (process == 0)
            behind[c] = beat.behind[c];
        }
      }
      if (beat.what == heartbeat::kind::alive &&
          (beat.changes != from.changes || beat.active != from.active)) {
        from.changes = beat.changes;
        from.active = beat.active;
        changed = now;
      }
      if (beat.what == heartbeat::kind::stop && stopping < 0) {
        stopping = now;
        print_table(now, beat.reason);
        heartbeat answer;
        answer.what = heartbeat::kind::stopped;
        link->send(process, answer);
      }
    }
  }

  watched_task& find_task(std::uint64_t number) {
    return *std::find_if(tasks.begin(), tasks.end(),
                         [number](const watched_task& each) { return each.number == number; });
  }

  // Whether the host came further since the last look. What it does for too long is reported.
  bool look_at_tasks(double now) {
    bool moved = task_changes != task_changes_seen;
    task_changes_seen = task_changes;
    for (watched_task& task : tasks) {
      if (task.since < 0 || task.steps != task.seen) {
        task.seen = task.steps;
        task.since = task.reported = now;
        moved = true;
      }
      if (now - task.reported > silence()) {
        task.reported = now;
        log(log_level::warn, text("for ", static_cast<long>(now - task.since),
                                  " s nothing has changed at: ", task.text()));
      }
    }
    return moved;
  }

  // Process 0 knows of all.
  void find_behind() {
    for (std::size_t c = 0; c < behind.size(); ++c) {
      others[0].exchanges[c] = exchanges[c];
      const auto less = [c](const other& a, const other& b) {
        return a.exchanges[c] < b.exchanges[c];
      };
      const auto [first, last] = std::minmax_element(others.begin(), others.end(), less);
      behind[c] = less(*first, *last) ? static_cast<int>(first - others.begin()) : -1;
    }
  }

  void look_and_tell(double now) {
    std::uint32_t active = 0;
    bool moved = false;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      if (!launches.empty())
        active |= runs_kernel;
      for (watched& launch : launches)
        moved |= look(launch);
      if (std::any_of(tasks.begin(), tasks.end(), [](const watched_task& task) {
            return task.how == host_task::kind::bounded;
          }))
        active |= runs_host_task;
      moved |= look_at_tasks(now);
    }
    if (link->rank() == 0)
      find_behind();
    other& self = others[static_cast<std::size_t>(link->rank())];
    self.heard = now;
    if (moved)
      ++my_changes;
    if (my_changes != self.changes || active != self.active) {
      self.changes = my_changes;
      self.active = active;
      changed = now;
    }
    heartbeat beat;
    beat.active = active;
    beat.changes = my_changes;
    for (std::size_t c = 0; c < behind.size(); ++c) {
      beat.exchanges[c] = exchanges[c];
      beat.behind[c] = behind[c];
    }
    if (link->rank() != 0)
      link->send(0, beat);
    else
      for (int p = 1; p < link->size(); ++p)
        link->send(p, beat);
  }

  // The decision is process 0's, so that all print the same reason; the others watch process 0.
  void judge(double now) {
    if (link->rank() != 0) {
      if (now - others[0].heard > silence())
        stop_run(now, text("process 0 has not answered for ", seconds_text(now - others[0].heard),
                           " s"));
      return;
    }
    for (std::size_t p = 1; p < others.size(); ++p)
      if (now - others[p].heard > silence()) {
        stop_run(now, text("process ", p, " has not answered for ",
                           seconds_text(now - others[p].heard), " s"));
        return;
      }
    const auto any_runs = [this](std::uint32_t what) {
      return std::any_of(others.begin(), others.end(),
                         [what](const other& o) { return (o.active & what) != 0; });
    };
    if (any_runs(runs_kernel) && now - changed > timeout)
      stop_run(now, text("no progress of any rank for ", seconds_text(now - changed),
                         " s (GPURMA_TIMEOUT); this is what each rank waits for"));
    else if (any_runs(runs_host_task) && now - changed > silence())
      stop_run(now, text("no progress of any process for ", seconds_text(now - changed),
                         " s (GPURMA_TIMEOUT); this is what each of them does"));
  }
};

watchdog::watchdog(std::unique_ptr<heartbeat_link> link, double timeout, actions what_to_do)
    : state_(std::make_unique<state>()) {
  state_->link = std::move(link);
  state_->timeout = timeout;
  state_->act = std::move(what_to_do);
  state_->others.resize(static_cast<std::size_t>(state_->link->size()));
}

watchdog::~watchdog() {
  stop();
}

void watchdog::begin(const wait_table& table) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->launches.push_back({&table, 0, {}});
}

void watchdog::end(const wait_table& table) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  std::erase_if(state_->launches, [&](const watched& each) { return each.table == &table; });
}

void watchdog::count_exchange(std::size_t channel) {
  ++state_->exchanges[channel];
}

int watchdog::behind(std::size_t channel) const {
  return state_->behind[channel];
}

double watchdog::interval() const {
  return std::clamp(state_->timeout / 10, 0.05, 1.0);
}

void watchdog::start() {
  if (state_->timeout <= 0 || state_->thread.joinable())
    return;
  state_->thread = std::thread([this] {
    const auto pause = std::chrono::duration<double>(interval());
    std::unique_lock<std::mutex> lock(state_->mutex);
    while (!state_->wake.wait_for(lock, pause, [this] { return state_->stop_thread; })) {
      lock.unlock();
      step(std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
               .count());
      lock.lock();
    }
  });
}

void watchdog::stop() {
  if (!state_->thread.joinable())
    return;
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->stop_thread = true;
  }
  state_->wake.notify_all();
  state_->thread.join();
}

host_task::host_task(watchdog& monitor, kind how, std::string what) : in_(*monitor.state_) {
  const std::lock_guard<std::mutex> lock(in_.mutex);
  number_ = ++in_.tasks_begun;
  ++in_.task_changes;
  in_.tasks.push_back({number_, how, std::move(what)});
}

host_task::~host_task() {
  const std::lock_guard<std::mutex> lock(in_.mutex);
  ++in_.task_changes;
  std::erase_if(in_.tasks, [this](const watched_task& each) { return each.number == number_; });
}

void host_task::step(std::string what) {
  log(log_level::info, what);
  const std::lock_guard<std::mutex> lock(in_.mutex);
  watched_task& task = in_.find_task(number_);
  task.step = std::move(what);
  ++task.steps;
}

void host_task::go_on() {
  const std::lock_guard<std::mutex> lock(in_.mutex);
  ++in_.find_task(number_).steps;
}

void watchdog::step(double now) {
  state& s = *state_;
  if (s.changed < 0) {
    s.changed = now;
    for (auto& each : s.others)
      each.heard = now;
  }
  s.receive(now);
  if (s.stopping < 0) {
    s.look_and_tell(now);
    s.judge(now);
  }
  if (s.stopping < 0)
    return;
  // Process 0 ends the run once all have printed; the others only if that does not happen.
  const bool all_printed = std::all_of(s.others.begin(), s.others.end(),
                                       [](const state::other& each) { return each.stopped; });
  if ((s.link->rank() == 0 && all_printed) ||
      now - s.stopping > (s.link->rank() == 0 ? table_patience : 2 * table_patience))
    s.act.end(EXIT_FAILURE);
}

} // namespace gpurma::host
