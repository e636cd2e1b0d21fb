// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <signal.h>

namespace gpurma::cpu {

// A handler of SIGSEGV that knows some faults and leaves the others to the handler before it. It runs on a stack of
// its own if the thread has one (sigaltstack).
class fault_handler {
 public:
  using function = void (*)(int signal, siginfo_t* fault, void* context);

  void install(function handler) {
    struct sigaction own {};
    own.sa_sigaction = handler;
    own.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&own.sa_mask);
    sigaction(SIGSEGV, &own, &before_);
  }
  // For a fault of somebody else: when the instruction runs again, it gets what it would have got without this handler.
  void pass_on(int signal) const { sigaction(signal, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

}  // namespace gpurma::cpu
