// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verbs_api.h"

#include <dlfcn.h>

#include "../../host/log.h"

// Macros of the header, for older programs.
#undef ibv_query_port
#undef ibv_reg_mr

namespace gpurma::host::verbs {

namespace {

struct loaded {
  verbs_api api;
  std::string reason;
};

loaded load() {
  loaded result;
  // Never unloaded: devices stay open to the end of the process.
  void* const library = dlopen("libibverbs.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    result.reason = text("libibverbs cannot be loaded: ", dlerror());
    return result;
  }
#define GPURMA_VERBS_LOAD(name)                                                                    \
  result.api.name = reinterpret_cast<decltype(result.api.name)>(dlsym(library, #name));            \
  if (result.api.name == nullptr)                                                                  \
    result.reason = "the installed libibverbs has no " #name;
  GPURMA_VERBS_FUNCTIONS(GPURMA_VERBS_LOAD)
#undef GPURMA_VERBS_LOAD
  return result;
}

} // namespace

const verbs_api* load_verbs(std::string& reason) {
  static const loaded once = load();
  reason = once.reason;
  return once.reason.empty() ? &once.api : nullptr;
}

} // namespace gpurma::host::verbs
