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
  mlx5_api mlx5;
  std::string reason;
};

#define GPURMA_VERBS_LOAD(name)                                                                    \
  to.name = reinterpret_cast<decltype(to.name)>(dlsym(library, #name));                            \
  if (to.name == nullptr)                                                                          \
    missing = #name;

// Its devices are used in the ordinary way if it is not there.
bool load_mlx5(mlx5_api& to) {
  void* const library = dlopen("libmlx5.so.1", RTLD_NOW | RTLD_LOCAL);
  const char* missing = nullptr;
  if (library != nullptr) {
    GPURMA_MLX5_FUNCTIONS(GPURMA_VERBS_LOAD)
  }
  return library != nullptr && missing == nullptr;
}

// Never unloaded: devices stay open to the end of the process.
void load(loaded& result) {
  void* const library = dlopen("libibverbs.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    result.reason = text("libibverbs cannot be loaded: ", dlerror());
    return;
  }
  verbs_api& to = result.api;
  const char* missing = nullptr;
  GPURMA_VERBS_FUNCTIONS(GPURMA_VERBS_LOAD)
  if (missing != nullptr)
    result.reason = text("the installed libibverbs has no ", missing);
  to.mlx5 = load_mlx5(result.mlx5) ? &result.mlx5 : nullptr;
}

#undef GPURMA_VERBS_LOAD

} // namespace

const verbs_api* load_verbs(std::string& reason) {
  static loaded once;
  static const bool is_loaded = (load(once), once.reason.empty());
  reason = once.reason;
  return is_loaded ? &once.api : nullptr;
}

} // namespace gpurma::host::verbs
