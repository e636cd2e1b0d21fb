// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether rank kernels are on the device, for calls of the program that would wait for one inside
// CUDA.
#ifndef GPURMA_HOST_RANK_KERNEL_GATE_H
#define GPURMA_HOST_RANK_KERNEL_GATE_H

#include <mutex>
#include <shared_mutex>

namespace gpurma::host {

class rank_kernel_gate {
public:
  /// From before a rank kernel is enqueued until it has ended. Waits for calls inside
  /// run_unless_open.
  void open() {
    const std::lock_guard lock(mutex_);
    ++kernels_;
  }
  void close() {
    const std::lock_guard lock(mutex_);
    --kernels_;
  }

  /// Calls call() if no rank kernel is enqueued, and keeps others from being so until it returns.
  template <class Call> bool run_unless_open(Call call) {
    const std::shared_lock lock(mutex_);
    if (kernels_ == 0)
      call();
    return kernels_ == 0;
  }

private:
  std::shared_mutex mutex_;
  int kernels_ = 0;
};

/// The process's.
rank_kernel_gate& rank_kernels_on_device();

} // namespace gpurma::host

#endif
