// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels on the CPU target: a kernel is an ordinary function, and cudaLaunchKernel finds by its address how to call it.
#ifndef GPURMA_PLATFORM_CPU_KERNEL_H
#define GPURMA_PLATFORM_CPU_KERNEL_H

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace gpurma::cpu {

struct argument_bytes {
  const void* begin;
  std::size_t bytes;
};

// A kernel with the arguments of one launch.
class bound_kernel {
 public:
  virtual ~bound_kernel() = default;
  // The body of one CUDA thread.
  virtual void run_thread() const = 0;
  // Where all arguments lie.
  virtual argument_bytes arguments() const = 0;
};

// Copies the arguments (args[i] points to the i-th), so that the launch can return before they are used. The caller owns
// the result; it is no unique_ptr because <memory> would double what every program with a kernel has to parse.
using bind_kernel = bound_kernel* (*)(const void* kernel, void** args);

// Makes kernel launchable; registering it again changes nothing. name, which must stay valid, is for messages; an
// empty one stands for the function's own. Returns true, so that an initialiser can call it.
bool register_kernel_binder(const void* kernel, const char* name, bind_kernel bind);

template <class Result, class... Parameters>
class bound_function final : public bound_kernel {
 public:
  template <std::size_t... Places>
  bound_function(Result (*function)(Parameters...), void** args, std::index_sequence<Places...>)
      : function_(function), arguments_(*static_cast<std::remove_reference_t<Parameters>*>(args[Places])...) {
    static_cast<void>(args);
  }
  void run_thread() const override { std::apply(function_, arguments_); }
  argument_bytes arguments() const override { return {&arguments_, sizeof(arguments_)}; }

  static bound_kernel* bind(const void* kernel, void** args) {
    return new bound_function(reinterpret_cast<Result (*)(Parameters...)>(const_cast<void*>(kernel)), args,
                              std::index_sequence_for<Parameters...>{});
  }

 private:
  Result (*function_)(Parameters...);
  std::tuple<std::remove_cv_t<Parameters>...> arguments_;
};

template <class Result, class... Parameters>
bool register_kernel(Result (*kernel)(Parameters...), const char* name = "") {
  return register_kernel_binder(reinterpret_cast<const void*>(kernel), name, &bound_function<Result, Parameters...>::bind);
}

}  // namespace gpurma::cpu

#endif
