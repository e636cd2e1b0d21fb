// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of libibverbs that the transport calls, as a table: the library is loaded at run
// time, so programs run where it is not installed, and unit tests give a table of their own. What
// libibverbs defines in its header (ibv_post_send, ibv_post_srq_recv, ibv_poll_cq) goes through the
// operations of the ibv_context and is not in the table.
#ifndef GPURMA_TRANSPORT_VERBS_VERBS_API_H
#define GPURMA_TRANSPORT_VERBS_VERBS_API_H

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#include <string>

namespace gpurma::host::verbs {

#define GPURMA_VERBS_FUNCTIONS(FUNCTION)                                                           \
  FUNCTION(ibv_get_device_list)                                                                    \
  FUNCTION(ibv_free_device_list)                                                                   \
  FUNCTION(ibv_get_device_name)                                                                    \
  FUNCTION(ibv_open_device)                                                                        \
  FUNCTION(ibv_close_device)                                                                       \
  FUNCTION(ibv_query_device)                                                                       \
  FUNCTION(ibv_query_port)                                                                         \
  FUNCTION(_ibv_query_gid_ex)                                                                      \
  FUNCTION(ibv_alloc_pd)                                                                           \
  FUNCTION(ibv_dealloc_pd)                                                                         \
  FUNCTION(ibv_reg_mr)                                                                             \
  FUNCTION(ibv_reg_dmabuf_mr)                                                                      \
  FUNCTION(ibv_dereg_mr)                                                                           \
  FUNCTION(ibv_create_cq)                                                                          \
  FUNCTION(ibv_destroy_cq)                                                                         \
  FUNCTION(ibv_create_srq)                                                                         \
  FUNCTION(ibv_destroy_srq)                                                                        \
  FUNCTION(ibv_create_qp)                                                                          \
  FUNCTION(ibv_modify_qp)                                                                          \
  FUNCTION(ibv_destroy_qp)                                                                         \
  FUNCTION(ibv_qp_to_qp_ex)                                                                        \
  FUNCTION(ibv_create_ah)                                                                          \
  FUNCTION(ibv_destroy_ah)                                                                         \
  FUNCTION(ibv_get_async_event)                                                                    \
  FUNCTION(ibv_ack_async_event)                                                                    \
  FUNCTION(ibv_event_type_str)                                                                     \
  FUNCTION(ibv_wc_status_str)

// Of libmlx5: what only the devices of one maker have.
#define GPURMA_MLX5_FUNCTIONS(FUNCTION)                                                            \
  FUNCTION(mlx5dv_is_supported)                                                                    \
  FUNCTION(mlx5dv_create_qp)                                                                       \
  FUNCTION(mlx5dv_qp_ex_from_ibv_qp_ex)

#define GPURMA_VERBS_MEMBER(name) decltype(&::name) name = nullptr;
struct mlx5_api {
  GPURMA_MLX5_FUNCTIONS(GPURMA_VERBS_MEMBER)
};

struct verbs_api {
  GPURMA_VERBS_FUNCTIONS(GPURMA_VERBS_MEMBER)
  const mlx5_api* mlx5 = nullptr; // null: libmlx5 is not there
};
#undef GPURMA_VERBS_MEMBER

// The installed library; null, and why, if there is none that has all functions. Loaded once.
const verbs_api* load_verbs(std::string& reason);

} // namespace gpurma::host::verbs

#endif
