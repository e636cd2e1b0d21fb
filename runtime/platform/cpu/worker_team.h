// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The OS threads that run the kernels of one stream, and how blocks are dealt to them: in order of their numbers, one at a
// time per thread, for an ordinary launch; all at once, each fixed to a thread, for a cooperative one.
#ifndef GPURMA_PLATFORM_CPU_WORKER_TEAM_H
#define GPURMA_PLATFORM_CPU_WORKER_TEAM_H

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "block.h"
#include "host.h"

namespace gpurma::cpu {

// Where the system has no thread left, the program ends with a message that has what purpose() returns: what the thread is
// for, and what would need fewer.
std::thread start_thread(std::function<void()> body, const std::function<std::string()>& purpose);

class worker_team {
 public:
  worker_team() = default;
  ~worker_team();
  worker_team(const worker_team&) = delete;
  worker_team& operator=(const worker_team&) = delete;

  // Runs the launch to its end; the calling thread is one of the team.
  void run(grid_launch& launch);

 private:
  void on_all(unsigned members, const std::function<void(unsigned)>& work);
  void helper_main(unsigned member);

  std::vector<std::thread> helpers_;  // started when first needed; member i + 1 of the team
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void(unsigned)>* work_ = nullptr;
  unsigned members_ = 0;      // that take part in the current work
  unsigned long epoch_ = 0;   // counts works
  unsigned working_ = 0;      // helpers that have not finished it
  bool stopping_ = false;
};

}  // namespace gpurma::cpu

#endif
