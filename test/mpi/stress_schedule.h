// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each rank does in a round of stress_test, and what it must find: a pseudo-random schedule
// that every process computes for itself from the seed, the round and the numbers of ranks.
//
// A round has epochs, an epoch has stages. In a stage each rank sends, and then waits for some of
// what has been sent to it up to and including that stage. So no schedule can deadlock: by
// induction over the stages, all sends of a stage are reached, and after them every wait of that
// stage ends. A rank never has more to keep than its pending list holds (limits::pending), so that
// full rings only hold senders back.
//
// Which notifications a wait consumes must not depend on the order in which those of different
// ranks arrive, or later waits might not end. Each window therefore has its way of waiting
// (matched): by source; by a tag that is sent in one stage only; or for anything on the window.
// What is left at the end of an epoch is consumed then, and a barrier follows.
//
// Each put has its own destination, or that of an earlier put of the same pair of ranks that the
// target has not looked at. Regions have two halves, for even and odd epochs: while a rank looks at
// what an epoch has brought, the next one writes to the other half.
#ifndef GPURMA_TEST_MPI_STRESS_SCHEDULE_H
#define GPURMA_TEST_MPI_STRESS_SCHEDULE_H

#include <gpurma/types.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#ifdef __CUDACC__
#define STRESS_BOTH __host__ __device__
#else
#define STRESS_BOTH
#endif

namespace stress {

enum class action : int {
  put,
  put_notify,
  notify,
  get,
  get_notify,
  flush,
  wait,
  test_or_wait, // a test, and a wait if it was false
  poll,         // tests until one is true
  test_never,   // must be false
  barrier,
  device_barrier,
  write, // the pattern to the rank's own memory
  check, // the rank's own memory must hold the pattern
  count
};
inline constexpr const char* action_names[] = {
    "put",     "put notify",     "notify",       "get",   "get notify",
    "flush",   "wait",           "test or wait", "tests", "test that must be false",
    "barrier", "device barrier", "write",        "check"};

enum window : int { by_source, by_tag, by_window, on_device, published, windows, no_window = -1 };

// Byte `at` of a piece of data. Adding 1 << 24 to the key changes every byte.
STRESS_BOTH inline unsigned char pattern(std::uint32_t key, std::uint32_t at) {
  return static_cast<unsigned char>((key + at * 0x9e3779b1u) >> 24);
}

// Where nothing has been put: the pattern of this key, by the offset in the rank's memory.
inline constexpr std::uint32_t background = 0x5bd1e995u;

struct step {
  action what;
  int window; // or no_window; of waits and flushes: any
  int rank;   // target or source, of the window's communicator
  int tag;
  int count;
  std::uint32_t at; // offset in the window
  std::uint32_t bytes;
  std::uint32_t local; // offset in the rank's own memory
  std::uint32_t key;
  std::uint32_t first; // the first byte of the pattern
  int origin;          // of the data that is checked, a world rank; negative: nobody put any
  int operation;       // its number at its origin
};

// Memory of a rank: its part of each window, sources of puts, destinations of gets.
struct memory_map {
  std::uint32_t half; // of its part of a window
  STRESS_BOTH std::uint32_t window_at(int w) const {
    return static_cast<std::uint32_t>(w) * 2 * half;
  }
  std::uint32_t sources_at() const { return window_at(windows); }
  std::uint32_t got_at() const { return window_at(windows + 1); }
  STRESS_BOTH std::uint32_t bytes() const { return window_at(windows + 2); }
};
inline constexpr std::uint32_t largest_half = 256 << 10;

struct limits {
  std::vector<int> most_ranks; // by process
  int pending;                 // notifications that a rank can keep
};

enum class mistake { none, byte, guard, notification };

struct round {
  std::vector<int> ranks; // by process
  int threads;
  gpurma::matching matching;
  memory_map memory;
  std::vector<bool> exposes;              // by rank: its parts of the first three windows
  std::vector<std::vector<step>> program; // by rank
};

class scheduler {
public:
  scheduler(std::uint64_t seed, std::uint64_t number, const limits& within) {
    std::seed_seq all{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                      static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32)};
    random_.seed(all);
    for (const int most : within.most_ranks)
      made_.ranks.push_back(1 + below(most));
    for (const int ranks : made_.ranks) {
      first_.push_back(size_);
      size_ += ranks;
    }
    constexpr int threads[] = {1, 32, 33, 64, 128};
    made_.threads = threads[below(5)];
    made_.matching = below(4) == 0 ? gpurma::matching::counter : gpurma::matching::queue;
    constexpr std::uint32_t halves[] = {2 << 10, 32 << 10, largest_half};
    sizes_ = below(3);
    made_.memory.half = halves[sizes_];
    towards_ = static_cast<targets>(below(3));
    hot_ = below(size_);
    pending_ = within.pending;
    for (int r = 0; r < size_; ++r)
      made_.exposes.push_back(below(8) != 0);
    made_.program.resize(static_cast<std::size_t>(size_));
    operations_.assign(static_cast<std::size_t>(size_), 0);
  }

  round make() {
    for (int r = 0; r < size_; ++r) {
      write_background(r, 0, made_.memory.bytes());
      publish(r, 0);
    }
    everywhere(action::barrier);
    const int epochs = 1 + below(4);
    for (epoch_ = 0; epoch_ < epochs; ++epoch_)
      make_epoch(epoch_ + 1 == epochs);
    return std::move(made_);
  }

private:
  enum class targets { any, neighbours, one };
  static constexpr int tags_of_a_stage = 3;
  static constexpr int most_stages = 8;

  // Tags of notifications that are waited for by source; the others are those of stages and of
  // by_window. Ends with the largest tag.
  static constexpr std::array<int, 5> source_tags{40, 41, 1000, 70000, 2147483647};
  static constexpr int window_tag = 30;
  static constexpr int never_sent = 63;

  struct piece { // of data that has been put
    int window;
    std::uint32_t at, bytes, key;
    int origin, operation;
    bool checked;
  };
  struct note {
    int origin, operation, tag, window, stage;
  };
  struct taken { // of a rank's own sources or destinations of gets
    std::uint32_t local, bytes, key;
    int window, rank, operation;
    bool done;
  };
  struct rank_state {
    std::array<std::uint32_t, windows> used{}; // of its part of each window, by others
    std::map<int, std::vector<piece>> pieces;  // by origin, in the order of the origin's operations
    std::vector<note> outstanding;
    std::map<int, std::vector<note>> of_tag; // all that have been sent, by tag; not by source
    std::map<int, note> last;                // by origin
    int notes = 0;
    std::uint32_t sources_used = 0, got_used = 0;
    std::vector<taken> sources, got;
  };

  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  std::uint32_t key() { return static_cast<std::uint32_t>(random_()); }
  bool counters() const { return made_.matching == gpurma::matching::counter; }
  std::uint32_t parity() const { return static_cast<std::uint32_t>(epoch_) % 2; }

  rank_state& state(int rank) { return states_[static_cast<std::size_t>(rank)]; }
  step& add(int rank, action what) {
    auto& program = made_.program[static_cast<std::size_t>(rank)];
    program.push_back(
        {what, no_window, gpurma::any_source, gpurma::any_tag, 1, 0, 0, 0, 0, 0, -1, 0});
    return program.back();
  }
  void everywhere(action what) {
    for (int r = 0; r < size_; ++r)
      add(r, what);
  }
  int process_of(int rank) const {
    return static_cast<int>(std::upper_bound(first_.begin(), first_.end(), rank) - first_.begin()) -
           1;
  }
  // A world rank as the ranks of a window's communicator are counted.
  int in(int window, int rank) const {
    return window == on_device ? rank - first_[static_cast<std::size_t>(process_of(rank))] : rank;
  }
  bool exposes(int rank, int window) const {
    return window >= on_device || made_.exposes[static_cast<std::size_t>(rank)];
  }

  void write(int rank, std::uint32_t local, std::uint32_t bytes, std::uint32_t key,
             std::uint32_t first = 0) {
    step& s = add(rank, action::write);
    s.local = local;
    s.bytes = bytes;
    s.key = key;
    s.first = first;
  }
  void write_background(int rank, std::uint32_t local, std::uint32_t bytes) {
    write(rank, local, bytes, background, local);
  }
  step& check(int rank, std::uint32_t local, std::uint32_t bytes, std::uint32_t key,
              std::uint32_t first, int window, int origin, int operation) {
    step& s = add(rank, action::check);
    s.local = local;
    s.bytes = bytes;
    s.key = key;
    s.first = first;
    s.window = window;
    s.origin = origin;
    s.operation = operation;
    return s;
  }
  void check_background(int rank, int window, std::uint32_t local, std::uint32_t end) {
    if (local < end)
      check(rank, local, end - local, background, local, window, -1, 0);
  }
  void check_piece(int rank, const piece& p) {
    check(rank, made_.memory.window_at(p.window) + p.at, p.bytes, p.key, 0, p.window, p.origin,
          p.operation);
  }

  std::uint32_t published_key(int rank, int epoch) const {
    return static_cast<std::uint32_t>(rank) * 0x85ebca6bu +
           static_cast<std::uint32_t>(epoch) * 0xc2b2ae35u;
  }
  // What others may get from the rank in an epoch.
  void publish(int rank, int epoch) {
    const std::uint32_t half = made_.memory.half;
    write(rank, made_.memory.window_at(published) + static_cast<std::uint32_t>(epoch) % 2 * half,
          half, published_key(rank, epoch));
  }

  std::uint32_t some_length() {
    switch (below(8)) {
    case 0:
      return 0;
    case 1:
    case 2:
    case 3:
      return 1 + static_cast<std::uint32_t>(below(8));
    case 4:
      return 1 + static_cast<std::uint32_t>(below(40));
    case 5:
      return 16u << below(5);
    default: {
      constexpr int most[] = {200, 5000, 100 << 10};
      return static_cast<std::uint32_t>(below(most[sizes_]));
    }
    }
  }

  // Room for `bytes` behind `used`, at an address that is aligned or not, with a guard before it.
  bool place(std::uint32_t& used, std::uint32_t room, std::uint32_t bytes, std::uint32_t& at) {
    at = used + 1 + static_cast<std::uint32_t>(below(20));
    if (below(2) == 0)
      at = (at + 15) / 16 * 16;
    if (at + bytes + 1 > room)
      return false;
    used = at + bytes;
    return true;
  }

  int some_target(int self) {
    switch (towards_) {
    case targets::any:
      return below(size_);
    case targets::neighbours:
      return (self + size_ + below(3) - 1) % size_;
    case targets::one:
      return below(4) == 0 ? below(size_) : hot_;
    }
    return 0;
  }

  int tag_for(int window) {
    if (counters() || window == by_tag)
      return stage_ * tags_of_a_stage + below(tags_of_a_stage);
    if (window == by_window)
      return window_tag + below(4);
    return source_tags[static_cast<std::size_t>(below(source_tags.size()))];
  }

  void send(int self) {
    constexpr action kinds[] = {action::put,        action::put,        action::put_notify,
                                action::put_notify, action::put_notify, action::put_notify,
                                action::notify,     action::get,        action::get_notify};
    const action what = kinds[below(9)];
    if (below(40) == 0) { // does nothing
      step& s = add(self, action::notify);
      s.rank = gpurma::null_rank;
      s.tag = 0;
      return;
    }
    const bool gets = what == action::get || what == action::get_notify;
    int target = some_target(self);
    int window = gets ? published : below(published);
    if (window == on_device) {
      const auto p = static_cast<std::size_t>(process_of(self));
      target = first_[p] + below(made_.ranks[p]);
    }
    if (what == action::notify)
      send_notify(self, target, window);
    else if (gets)
      send_get(self, target, what);
    else
      send_put(self, target, window, what);
  }

  void send_notify(int self, int target, int window) {
    if (!counters() && window == by_source && below(2) == 0)
      window = no_window;
    if (may_notify(target))
      operate(self, action::notify, target, window, 0, 0, 0);
  }

  void send_get(int self, int target, action what) {
    const std::uint32_t half = made_.memory.half, bytes = std::min(some_length(), half);
    const auto at = static_cast<std::uint32_t>(below(static_cast<int>(half - bytes + 1)));
    // Bytes from `at` of what the target has published.
    const std::uint32_t data = published_key(target, epoch_) + at * 0x9e3779b1u;
    get_back(self, target, published, at + parity() * half, bytes, data, what);
  }

  void get_back(int self, int target, int window, std::uint32_t at, std::uint32_t bytes,
                std::uint32_t data, action what) {
    rank_state& from = state(self);
    std::uint32_t local = 0;
    if (!place(from.got_used, 2 * made_.memory.half, bytes, local))
      return;
    local += made_.memory.got_at();
    const bool notifies = what == action::get_notify && may_notify(target);
    const int operation =
        operate(self, notifies ? what : action::get, target, window, at, bytes, local);
    from.got.push_back({local, bytes, data, window, target, operation, false});
  }

  void send_put(int self, int target, int window, action what) {
    rank_state& to = state(target);
    std::uint32_t bytes = exposes(target, window) ? some_length() : 0, at = 0;
    std::uint32_t& used = to.used[static_cast<std::size_t>(window)];
    if (bytes != 0 && !place(used, made_.memory.half, bytes, at))
      bytes = 0;
    if (bytes == 0) {
      const bool notifies = what == action::put_notify && may_notify(target);
      operate(self, notifies ? what : action::put, target, window, 0, 0, made_.memory.sources_at());
      return;
    }
    to.pieces[self].push_back(
        {window, at + parity() * made_.memory.half, bytes, 0, self, -1, false});
    piece& put = to.pieces[self].back();
    put_into(put, target, what);
    if (put.operation < 0) { // there is no room for another source
      to.pieces[self].pop_back();
      return;
    }
    // Of one pair of ranks, what comes later finds what came before, however small it was: the
    // target looks at it only after the last of these puts.
    for (int n = below(4) == 0 ? 1 + below(2) : 0; n > 0; --n)
      put_into(put, target, below(2) == 0 ? action::put : action::put_notify);
    if (below(5) == 0)
      get_back(self, target, window, put.at, bytes, put.key, action::get);
  }

  // Puts new data to the place of a piece.
  void put_into(piece& to, int target, action what) {
    rank_state& from = state(to.origin);
    std::uint32_t local = 0;
    if (!place(from.sources_used, 2 * made_.memory.half, to.bytes, local))
      return;
    local += made_.memory.sources_at();
    to.key = key();
    write(to.origin, local, to.bytes, to.key);
    const bool notifies = what == action::put_notify && may_notify(target);
    to.operation = operate(to.origin, notifies ? what : action::put, target, to.window, to.at,
                           to.bytes, local);
    from.sources.push_back({local, to.bytes, to.key, to.window, target, to.operation, false});
  }

  bool may_notify(int target) { return counters() || state(target).notes < pending_; }

  // Adds what a rank does to a target; returns its number.
  int operate(int self, action what, int target, int window, std::uint32_t at, std::uint32_t bytes,
              std::uint32_t local) {
    const int operation = operations_[static_cast<std::size_t>(self)]++;
    step& s = add(self, what);
    s.window = window;
    s.rank = in(window, target);
    s.at = at;
    s.bytes = bytes;
    s.local = local;
    s.operation = operation;
    if (what == action::put || what == action::get)
      return operation;
    rank_state& to = state(target);
    s.tag = tag_for(window);
    ++to.notes;
    const note sent{self, operation, s.tag, window, stage_};
    to.outstanding.push_back(sent);
    to.last[self] = sent;
    if (counters() || window == by_tag)
      to.of_tag[s.tag].push_back(sent);
    return operation;
  }

  void flush(int self, int window) {
    add(self, action::flush).window = window;
    rank_state& from = state(self);
    for (taken& each : from.got) {
      if (!each.done && (window == no_window || window == each.window)) {
        each.done = true;
        check(self, each.local, each.bytes, each.key, 0, no_window, each.rank, each.operation);
      }
    }
    // Nobody reads the sources any more.
    for (taken& each : from.sources) {
      if (!each.done && (window == no_window || window == each.window)) {
        each.done = true;
        write(self, each.local, each.bytes, ~each.key);
      }
    }
  }

  // What the origin had put before it notified.
  void check_before(int self, const note& n) {
    for (piece& p : state(self).pieces[n.origin]) {
      if (p.operation <= n.operation && !p.checked) {
        p.checked = true;
        check_piece(self, p);
      }
    }
  }

  void add_wait(int self, int tag, int source, int window, int count) {
    constexpr action kinds[] = {action::wait, action::wait, action::test_or_wait, action::poll};
    step& s = add(self, kinds[below(4)]);
    s.tag = tag;
    s.rank = source == gpurma::any_source ? source : in(window, source);
    s.window = window;
    s.count = count;
  }

  // Waits for some of what has been sent, by one of the outstanding notifications.
  void wait_like(int self, const note model, bool all) {
    rank_state& to = state(self);
    int tag = model.tag, source = gpurma::any_source,
        window = below(2) == 0 ? model.window : no_window;
    if (counters()) {
      window = no_window;
    } else if (model.window == by_window) {
      tag = gpurma::any_tag;
      window = by_window;
    } else if (model.window != by_tag) {
      source = model.origin;
      if (model.window != no_window && below(3) == 0) {
        tag = gpurma::any_tag;
        window = model.window;
      }
    }
    const auto matches = [&](const note& n) {
      return (tag == gpurma::any_tag || n.tag == tag) &&
             (source == gpurma::any_source || n.origin == source) &&
             (window == no_window || n.window == window);
    };
    const auto matching =
        static_cast<int>(std::count_if(to.outstanding.begin(), to.outstanding.end(), matches));
    const int count = all ? matching : below(2) == 0 ? 1 : 1 + below(matching);
    add_wait(self, tag, source, window, count);
    int left = count;
    std::vector<note> consumed, kept;
    for (const note& n : to.outstanding)
      (left > 0 && matches(n) ? (--left, consumed) : kept).push_back(n);
    to.outstanding = kept;
    if (source != gpurma::any_source) {
      for (const note& n : consumed)
        check_before(self, n);
    } else if (tag != gpurma::any_tag && count == matching) {
      // The tag's stage is over for all that send, so these were the last.
      for (const note& n : to.of_tag[tag])
        check_before(self, n);
    }
  }

  void some_waits(int self) {
    rank_state& to = state(self);
    for (int n = below(4); n > 0 && !to.outstanding.empty(); --n)
      wait_like(
          self,
          to.outstanding[static_cast<std::size_t>(below(static_cast<int>(to.outstanding.size())))],
          false);
    if (below(8) == 0) {
      step& s = add(self, action::test_never);
      s.tag = never_sent;
      if (!counters() && below(2) == 0)
        s.window = by_source;
    }
    if (below(16) == 0)
      add_wait(self, never_sent, gpurma::any_source, no_window, 0);
  }

  void end_of_epoch(int self) {
    rank_state& to = state(self);
    if (!counters() && below(2) == 0) {
      if (!to.outstanding.empty())
        add_wait(self, gpurma::any_tag, gpurma::any_source, no_window,
                 static_cast<int>(to.outstanding.size()));
      to.outstanding.clear();
    }
    while (!to.outstanding.empty())
      wait_like(
          self,
          to.outstanding[static_cast<std::size_t>(below(static_cast<int>(to.outstanding.size())))],
          true);
    for (const auto& [origin, n] : to.last)
      check_before(self, n);
    // More than was sent must not come.
    if (counters()) {
      for (const auto& [tag, notes] : to.of_tag)
        add(self, action::test_never).tag = tag;
    } else {
      add(self, action::test_never);
    }
  }

  void check_all(int self, bool last) {
    rank_state& to = state(self);
    const memory_map& memory = made_.memory;
    std::array<std::vector<piece>, windows> all;
    for (const auto& [origin, pieces] : to.pieces) {
      for (const piece& p : pieces)
        all[static_cast<std::size_t>(p.window)].push_back(p);
    }
    for (int w = 0; w < published; ++w) {
      auto& pieces = all[static_cast<std::size_t>(w)];
      std::sort(pieces.begin(), pieces.end(),
                [](const piece& a, const piece& b) { return a.at < b.at; });
      const std::uint32_t begin = memory.window_at(w) + parity() * memory.half;
      const std::uint32_t end =
          last ? begin + memory.half
               : std::min(begin + to.used[static_cast<std::size_t>(w)] + 500, begin + memory.half);
      std::uint32_t at = begin;
      for (const piece& p : pieces) {
        check_background(self, w, at, memory.window_at(w) + p.at);
        check_piece(self, p);
        at = memory.window_at(w) + p.at + p.bytes;
      }
      check_background(self, w, at, end);
      if (last) {
        const std::uint32_t other = memory.window_at(w) + (1 - parity()) * memory.half;
        check_background(self, w, other, other + memory.half);
      }
      write_background(self, begin, end - begin);
    }
    std::uint32_t at = memory.got_at();
    for (const taken& each : to.got) { // in the order of their places
      check_background(self, no_window, at, each.local);
      at = each.local + each.bytes;
    }
    check_background(self, no_window, at, std::min(at + 500, memory.bytes()));
    write_background(self, memory.got_at(), to.got_used);
  }

  void make_epoch(bool last) {
    states_.assign(static_cast<std::size_t>(size_), {});
    const int stages = 1 + below(most_stages), most_sends = 1 + below(8);
    for (stage_ = 0; stage_ < stages; ++stage_) {
      for (int r = 0; r < size_; ++r) {
        for (int n = below(most_sends + 1); n > 0; --n)
          send(r);
        if (below(4) == 0)
          flush(r, below(windows + 1) - 1);
      }
      for (int r = 0; r < size_; ++r)
        some_waits(r);
      for (std::size_t p = 0; p < first_.size(); ++p) {
        if (below(8) == 0) {
          for (int r = first_[p]; r < first_[p] + made_.ranks[p]; ++r)
            add(r, action::device_barrier);
        }
      }
      if (below(8) == 0) {
        everywhere(action::barrier);
        for (int r = 0; r < size_; ++r) {
          for (auto& [origin, pieces] : state(r).pieces) {
            for (piece& p : pieces) {
              if (!p.checked)
                check_piece(r, p);
              p.checked = true;
            }
          }
        }
      }
    }
    for (int r = 0; r < size_; ++r) {
      const bool flush_first = below(2) == 0;
      if (flush_first)
        flush(r, no_window);
      end_of_epoch(r);
      if (!flush_first)
        flush(r, no_window);
      publish(r, epoch_ + 1);
    }
    everywhere(action::barrier);
    for (int r = 0; r < size_; ++r)
      check_all(r, last);
  }

  std::mt19937_64 random_;
  round made_;
  std::vector<int> first_; // world rank of each process's first
  int size_ = 0;
  int sizes_ = 0; // how large messages are
  targets towards_ = targets::any;
  int hot_ = 0;
  int pending_ = 0;
  int epoch_ = 0;
  int stage_ = 0;
  std::vector<int> operations_; // by rank, so far
  std::vector<rank_state> states_;
};

// Makes what a rank expects wrong, so that the test must fail; whether the round has a place for
// it.
inline bool make_mistake(round& in, mistake which) {
  for (auto& program : in.program) {
    for (step& s : program) {
      const bool data = s.what == action::check && s.bytes != 0;
      if ((which == mistake::byte && data && s.origin >= 0) ||
          (which == mistake::guard && data && s.origin < 0)) {
        const std::uint32_t byte = s.bytes / 2;
        s.local += byte;
        s.first += byte;
        s.bytes = 1;
        s.key += 1u << 24;
        return true;
      }
      if (which == mistake::notification && s.count > 1 &&
          (s.what == action::wait || s.what == action::poll)) {
        --s.count;
        return true;
      }
    }
  }
  return false;
}

} // namespace stress

#undef STRESS_BOTH

#endif
