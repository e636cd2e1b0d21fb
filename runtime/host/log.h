// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Log lines on stderr, filtered by GPURMA_DEBUG, and the one way to end a run because of an error.
#ifndef GPURMA_HOST_LOG_H
#define GPURMA_HOST_LOG_H

#include <sstream>
#include <string>

namespace gpurma::host {

enum class log_level { error, warn, info, trace };

bool log_enabled(log_level level);

// Writes "[gpurma <process>] <message>" and a newline with one write, so that lines of processes do
// not mix.
void log(log_level level, const std::string& message);

// Writes text to stderr as it is, with one write where the system allows it. Used for tables.
void write_error(const std::string& text);

// The process number in log lines; negative (the start) leaves it out.
void set_log_process(int process);

// Concatenates its arguments as operator<< prints them.
template <class... Parts> std::string text(const Parts&... parts) {
  std::ostringstream stream;
  (stream << ... << parts);
  return stream.str();
}

// Prints "error: <message>" and ends all processes of the run with a non-zero code. Safe from every
// thread; only the first caller prints.
[[noreturn]] void fatal(const std::string& message);

// Ends all processes of the run with the given code, without a message.
[[noreturn]] void end_all_processes(int code);

// How end_all_processes reaches the others; set by the start-up code. Without one it ends this
// process only.
void set_end_all_processes(void (*end)(int code));

} // namespace gpurma::host

#endif
