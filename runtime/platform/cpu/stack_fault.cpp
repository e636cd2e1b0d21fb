// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stack_fault.h"

#include <unistd.h>

#include <cstdio>
#include <memory>
#include <mutex>

#include "block.h"
#include "fault_handler.h"
#include "host/log.h"

namespace gpurma::cpu {

namespace {

constexpr std::size_t handler_stack_bytes = 64 * 1024;
fault_handler handler;

void on_fault(int signal, siginfo_t* fault, void*) {
  const block* const running = running_block;
  if (running == nullptr || !running->is_stack_guard(fault->si_addr)) {
    handler.pass_on(signal);
    return;
  }
  const grid_launch& launch = running->launch();
  const uint3 at = coordinates(current.block, launch.grid);
  char text[320];
  const int length = std::snprintf(
      text, sizeof(text),
      "[gpurma] error: kernel %.100s, block (%u, %u, %u), thread (%u, %u, %u) needs more stack than it has; set "
      "GPURMA_CPU_STACK higher\n",
      launch.name, at.x, at.y, at.z, thread_index.x, thread_index.y, thread_index.z);
  if (length > 0 && write(STDERR_FILENO, text, static_cast<std::size_t>(length)) < 0) _exit(1);
  host::end_all_processes(1);
}

}  // namespace

void watch_stack_faults() {
  // A stack that is full cannot hold the handler, which gets one of its own on each OS thread.
  struct handler_stack {
    std::unique_ptr<char[]> memory{new char[handler_stack_bytes]};
    handler_stack() {
      stack_t stack{};
      stack.ss_sp = memory.get();
      stack.ss_size = handler_stack_bytes;
      sigaltstack(&stack, nullptr);
    }
    ~handler_stack() {
      stack_t none{};
      none.ss_flags = SS_DISABLE;
      sigaltstack(&none, nullptr);
    }
  };
  thread_local handler_stack mine;
  static std::once_flag installed;
  std::call_once(installed, [] { handler.install(on_fault); });
}

}  // namespace gpurma::cpu
