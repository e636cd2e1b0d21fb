// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random rounds of everything that ranks can do to each other, until the time is up. Each rank
// interprets its part of a schedule that says what it must find (stress_schedule.h). Ends with code
// 1 and says what was wrong, and how to do that round again.
#include <gpurma/gpurma.h>
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "check.h"
#include "stress_schedule.h"

namespace {

using gpurma::matching;
using stress::action;
using stress::step;

constexpr int most_threads = 128;

// Messages of gpurma (a wait that does not end, ...) name the round as the line of this file.
constexpr unsigned file = gpurma::hash_file_name("stress_test.round");
const gpurma::source_file file_name(file, "stress_test.round");

void check_cuda(cudaError_t error) {
  if (error != cudaSuccess)
    std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  CHECK(error == cudaSuccess);
}

// The first thing that a rank of this process has found wrong.
struct fault {
  int found; // 0: nothing
  int rank;
  int step;
  unsigned byte; // of a check
  int expected, is;
};

__device__ void report(fault* first, int index, unsigned byte, int expected, int is) {
  if (atomicCAS(&first->found, 0, 1) != 0)
    return;
  first->rank = gpurma::rank();
  first->step = index;
  first->byte = byte;
  first->expected = expected;
  first->is = is;
}

using byte_window = gpurma::window<unsigned char>;

struct window_set {
  const byte_window* of[stress::windows];
};

template <matching M>
__device__ bool test_for(const step& s, const window_set& w, gpurma::site here) {
  if constexpr (M == matching::queue) {
    if (s.window != stress::no_window)
      return gpurma::test(s.tag, s.rank, *w.of[s.window], s.count, here);
  }
  return gpurma::test<M>(s.tag, s.rank, gpurma::any_window, s.count, here);
}

template <matching M>
__device__ void wait_for(const step& s, const window_set& w, gpurma::site here) {
  if constexpr (M == matching::queue) {
    if (s.window != stress::no_window) {
      gpurma::wait(s.tag, s.rank, *w.of[s.window], s.count, here);
      return;
    }
  }
  gpurma::wait<M>(s.tag, s.rank, gpurma::any_window, s.count, here);
}

template <matching M>
__device__ void carry_out(const step& s, int index, unsigned char* mine, const window_set& w,
                          fault* first, gpurma::site here) {
  unsigned char* const local = mine + s.local;
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  switch (s.what) {
  case action::put:
    gpurma::put(local, s.bytes, s.rank, *w.of[s.window], s.at, here);
    break;
  case action::put_notify:
    gpurma::put_notify<M>(local, s.bytes, s.rank, *w.of[s.window], s.at, s.tag, here);
    break;
  case action::notify:
    if (s.window == stress::no_window)
      gpurma::notify<M>(s.rank, s.tag, gpurma::no_window, here);
    else
      gpurma::notify<M>(s.rank, s.tag, *w.of[s.window], here);
    break;
  case action::get:
    gpurma::get(local, s.bytes, s.rank, *w.of[s.window], s.at, here);
    break;
  case action::get_notify:
    gpurma::get_notify<M>(local, s.bytes, s.rank, *w.of[s.window], s.at, s.tag, here);
    break;
  case action::flush:
    if (s.window == stress::no_window)
      gpurma::flush(gpurma::any_window, here);
    else
      gpurma::flush(*w.of[s.window], here);
    break;
  case action::wait:
    wait_for<M>(s, w, here);
    break;
  case action::test_or_wait:
    if (!test_for<M>(s, w, here))
      wait_for<M>(s, w, here);
    break;
  case action::poll:
    while (!test_for<M>(s, w, here)) {
    }
    break;
  case action::test_never:
    if (test_for<M>(s, w, here) && thread == 0)
      report(first, index, 0, 0, 1);
    break;
  case action::barrier:
    gpurma::barrier(gpurma::comm::world, here);
    break;
  case action::device_barrier:
    gpurma::barrier(gpurma::comm::device, here);
    break;
  case action::write:
    for (int i = thread; i < static_cast<int>(s.bytes); i += threads)
      local[i] = stress::pattern(s.key, s.first + static_cast<unsigned>(i));
    __syncthreads();
    break;
  case action::check:
    for (int i = thread; i < static_cast<int>(s.bytes); i += threads) {
      const unsigned char expected = stress::pattern(s.key, s.first + static_cast<unsigned>(i));
      if (local[i] != expected)
        report(first, index, static_cast<unsigned>(i), expected, local[i]);
    }
    __syncthreads();
    break;
  case action::count:
    break;
  }
}

// Rank r of the device carries out steps begins[r] to begins[r + 1].
template <matching M>
__global__ void __launch_bounds__(most_threads)
    carry_out_round(const step* steps, const int* begins, const int* exposed, unsigned char* memory,
                    stress::memory_map map, fault* first, unsigned round) {
  gpurma::rank_scope scope;
  const gpurma::site here{file, round};
  const int self = gpurma::device_rank();
  unsigned char* const mine = memory + static_cast<std::size_t>(self) * map.bytes();
  const std::size_t all = std::size_t{2} * map.half;
  const std::size_t some = exposed[self] != 0 ? all : 0;
  byte_window a(mine + map.window_at(0), some, gpurma::comm::world, here);
  byte_window b(mine + map.window_at(1), some, gpurma::comm::world, here);
  byte_window c(mine + map.window_at(2), some, gpurma::comm::world, here);
  byte_window d(mine + map.window_at(3), all, gpurma::comm::device, here);
  byte_window e(mine + map.window_at(4), all, gpurma::comm::world, here);
  static_assert(stress::on_device == 3 && stress::published == 4 && stress::windows == 5);
  const window_set w{{&a, &b, &c, &d, &e}};
  for (int i = begins[self]; i < begins[self + 1]; ++i)
    carry_out<M>(steps[i], i - begins[self], mine, w, first, here);
}

template <class T> T* to_device(const std::vector<T>& values) {
  void* memory = nullptr;
  check_cuda(cudaMalloc(&memory, values.size() * sizeof(T) + 1));
  check_cuda(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyDefault));
  return static_cast<T*>(memory);
}

struct options {
  double seconds = 2;
  unsigned long long seed = 1;
  unsigned long long first_round = 0;
  unsigned long long rounds = ~0ull;
  int ranks = 16;
  stress::mistake mistake = stress::mistake::none;
};

constexpr const char usage[] =
    "usage: stress_test [--seconds T] [--seed S] [--first-round R] [--rounds N] [--ranks N]\n"
    "  --seconds T      begins no more rounds after T seconds (default 2)\n"
    "  --seed S         of the schedule (default 1)\n"
    "  --first-round R  begins with this round (default 0)\n"
    "  --rounds N       makes no more than N rounds\n"
    "  --ranks N        no more ranks in a process (default 16)\n";

options read(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i], value = i + 1 < argc ? argv[++i] : "";
    char* end = nullptr;
    const auto number = std::strtoull(value.c_str(), &end, 10);
    bool good = !value.empty() && *end == '\0';
    if (option == "--seconds") {
      o.seconds = std::strtod(value.c_str(), &end);
      good = !value.empty() && *end == '\0';
    } else if (option == "--seed") {
      o.seed = number;
    } else if (option == "--first-round") {
      o.first_round = number;
    } else if (option == "--rounds") {
      o.rounds = number;
    } else if (option == "--ranks") {
      o.ranks = static_cast<int>(number);
      good = good && number >= 1 && number <= 100000;
    } else if (option == "--mistake") { // for the tests of this test
      o.mistake = value == "byte"           ? stress::mistake::byte
                  : value == "guard"        ? stress::mistake::guard
                  : value == "notification" ? stress::mistake::notification
                                            : stress::mistake::none;
      good = o.mistake != stress::mistake::none;
    } else {
      good = false;
    }
    if (!good) {
      std::fprintf(stderr, "stress_test: %s %s is not accepted\n%s", option.c_str(), value.c_str(),
                   usage);
      std::exit(2);
    }
  }
  return o;
}

std::string name_of_window(int window) {
  constexpr const char* names[] = {"waited for by source", "waited for by tag",
                                   "waited for as a window", "of the device", "of gets"};
  return window == stress::no_window ? "no window" : std::string("the window ") + names[window];
}

// What a rank has found, and what it had to find.
void print(const fault& f, const stress::round& round) {
  const step& s = round.program[static_cast<std::size_t>(f.rank)][static_cast<std::size_t>(f.step)];
  std::string what;
  if (s.what == action::test_never) {
    what = "a test found a notification that nobody has sent, or that came twice";
  } else {
    const std::string place = "byte " + std::to_string(s.local + f.byte) + " of its memory (" +
                              name_of_window(s.window) + ")";
    what = place + " is " + std::to_string(f.is) + " and not " + std::to_string(f.expected) + ": ";
    if (s.origin < 0)
      what += "nobody put anything there";
    else
      what += "byte " + std::to_string(s.first + f.byte) + " of operation " +
              std::to_string(s.operation) +
              (s.window == stress::no_window ? ", a get from rank " : ", a put by rank ") +
              std::to_string(s.origin);
  }
  std::fprintf(stderr, "stress_test: rank %d, step %d: %s\n", f.rank, f.step, what.c_str());
}

class stress_run {
public:
  explicit stress_run(const options& chosen) : options_(chosen) {
    MPI_Comm_rank(MPI_COMM_WORLD, &process_);
    int processes = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    const dim3 block(most_threads);
    const int resident =
        std::min(gpurma::query(carry_out_round<matching::queue>, block).device_ranks,
                 gpurma::query(carry_out_round<matching::counter>, block).device_ranks);
    const int most = std::min(resident, options_.ranks);
    limits_.most_ranks.resize(static_cast<std::size_t>(processes));
    MPI_Allgather(&most, 1, MPI_INT, limits_.most_ranks.data(), 1, MPI_INT, MPI_COMM_WORLD);
    const char* const pending = std::getenv("GPURMA_PENDING_ENTRIES");
    limits_.pending = pending != nullptr ? std::atoi(pending) : 4096;
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, static_cast<std::size_t>(most) *
                                       stress::memory_map{stress::largest_half}.bytes()));
    memory_ = static_cast<unsigned char*>(memory);
    fault_ = to_device(std::vector<fault>(1));
  }

  // Rounds until the time is up or one has gone wrong; whether all were right.
  bool run() {
    const auto began = std::chrono::steady_clock::now();
    bool right = true, more = options_.rounds != 0;
    unsigned long long number = options_.first_round;
    for (; right && more; ++number) {
      right = one(number);
      more = std::chrono::steady_clock::now() - began <
                 std::chrono::duration<double>(options_.seconds) &&
             number + 1 - options_.first_round < options_.rounds;
      MPI_Bcast(&more, 1, MPI_CXX_BOOL, 0, MPI_COMM_WORLD);
    }
    if (process_ == 0)
      print_summary(number - options_.first_round, right);
    return right;
  }

private:
  bool one(unsigned long long number) {
    stress::round round = stress::scheduler(options_.seed, number, limits_).make();
    if (options_.mistake != stress::mistake::none && stress::make_mistake(round, options_.mistake))
      options_.mistake = stress::mistake::none;
    const auto process = static_cast<std::size_t>(process_);
    const int ranks = round.ranks[process];
    const auto first = static_cast<std::size_t>(
        std::accumulate(round.ranks.begin(), round.ranks.begin() + process_, 0));
    std::vector<step> steps;
    std::vector<int> begins{0}, exposed;
    for (std::size_t r = first; r < first + static_cast<std::size_t>(ranks); ++r) {
      steps.insert(steps.end(), round.program[r].begin(), round.program[r].end());
      begins.push_back(static_cast<int>(steps.size()));
      exposed.push_back(round.exposes[r]);
    }
    for (const auto& program : round.program) {
      for (const step& s : program) {
        ++done_[static_cast<std::size_t>(s.what)];
        const bool moves = s.what <= action::get_notify && s.what != action::notify;
        bytes_ += moves ? s.bytes : 0;
      }
    }
    step* const its_steps = to_device(steps);
    int* const its_begins = to_device(begins);
    int* const its_exposed = to_device(exposed);
    const auto kernel = round.matching == matching::queue ? carry_out_round<matching::queue>
                                                          : carry_out_round<matching::counter>;
    gpurma::launch_rank_kernel(kernel, dim3(static_cast<unsigned>(ranks)),
                               dim3(static_cast<unsigned>(round.threads)))(
        its_steps, its_begins, its_exposed, memory_, round.memory, fault_,
        static_cast<unsigned>(number));
    check_cuda(cudaGetLastError());
    check_cuda(cudaDeviceSynchronize());
    for (void* each : {static_cast<void*>(its_steps), static_cast<void*>(its_begins),
                       static_cast<void*>(its_exposed)})
      check_cuda(cudaFree(each));
    fault found{};
    check_cuda(cudaMemcpy(&found, fault_, sizeof found, cudaMemcpyDefault));
    if (found.found != 0) {
      print(found, round);
      std::fprintf(stderr,
                   "stress_test: wrong in round %llu of seed %llu (%d threads in a block, %s "
                   "matching); again with --seed %llu --first-round %llu --rounds 1 --ranks %d, "
                   "%zu processes and the same environment\n",
                   number, options_.seed, round.threads,
                   round.matching == matching::queue ? "queue" : "counter", options_.seed, number,
                   options_.ranks, limits_.most_ranks.size());
    }
    int wrong = found.found, any = 0;
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return any == 0;
  }

  void print_summary(unsigned long long rounds, bool right) const {
    std::string kinds;
    for (std::size_t i = 0; i < done_.size(); ++i)
      kinds += (i == 0 ? "" : ", ") + std::to_string(done_[i]) + " " + stress::action_names[i];
    std::printf("stress_test: seed %llu, %llu rounds, %llu bytes: %s\n", options_.seed, rounds,
                bytes_, kinds.c_str());
    std::printf("stress_test: %s\n", right ? "all rounds are right" : "a round was wrong");
    std::fflush(stdout);
  }

  options options_;
  int process_ = 0;
  stress::limits limits_;
  unsigned char* memory_ = nullptr;
  fault* fault_ = nullptr;
  std::array<unsigned long long, static_cast<std::size_t>(action::count)> done_{};
  unsigned long long bytes_ = 0;
};

} // namespace

int main(int argc, char** argv) {
  const options chosen = read(argc, argv);
  MPI_Init(&argc, &argv);
  int process = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  if (process == 0) { // before a run that may not end
    std::printf("stress_test: seed %llu\n", chosen.seed);
    std::fflush(stdout);
  }
  const bool right = stress_run(chosen).run();
  MPI_Finalize();
  return right ? 0 : 1;
}
