// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "log.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "environment.h"

namespace gpurma::host {

namespace {

std::atomic<int> log_process{-1};
std::atomic<void (*)(int)> end_of_all_processes{nullptr};

log_level chosen_level() {
  static const log_level level = [] {
    const std::string& name = environment::debug();
    if (name == "ERROR")
      return log_level::error;
    if (name == "INFO")
      return log_level::info;
    return name == "TRACE" ? log_level::trace : log_level::warn;
  }();
  return level;
}

} // namespace

bool log_enabled(log_level level) {
  return level <= chosen_level();
}

void write_error(const std::string& text) {
  // A pipe takes up to PIPE_BUF bytes in one piece; stdio might split a line between two writes.
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(STDERR_FILENO, text.data() + at, text.size() - at);
    if (written < 0 && errno != EINTR)
      return;
    at += written > 0 ? static_cast<std::size_t>(written) : 0;
  }
}

void log(log_level level, const std::string& message) {
  if (!log_enabled(level))
    return;
  const int process = log_process.load(std::memory_order_relaxed);
  const char* const mark = level == log_level::error  ? "error: "
                           : level == log_level::warn ? "warning: "
                                                      : "";
  write_error(process < 0 ? text("[gpurma] ", mark, message, '\n')
                          : text("[gpurma ", process, "] ", mark, message, '\n'));
}

void set_log_process(int process) {
  log_process.store(process, std::memory_order_relaxed);
}

void set_end_all_processes(void (*end)(int)) {
  end_of_all_processes.store(end);
}

void end_all_processes(int code) {
  if (auto* end = end_of_all_processes.load())
    end(code);
  std::_Exit(code);
}

void fatal(const std::string& message) {
  static std::atomic<bool> ending{false};
  if (ending.exchange(true))
    for (;;) // the first caller is about to end the process
      ::pause();
  log(log_level::error, message);
  end_all_processes(EXIT_FAILURE);
}

} // namespace gpurma::host
