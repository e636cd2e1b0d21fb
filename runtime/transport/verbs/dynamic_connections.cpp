// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dynamic_connections.h"

#include <cerrno>

namespace gpurma::host::verbs {

namespace {

// Any, but the same at both ends; what others may write and read is guarded by its own keys.
constexpr std::uint64_t access_key = 0x6770726d61;

ibv_qp* create(const device& on, const ibv_qp_init_attr& queue, mlx5dv_qp_init_attr& direct) {
  ibv_qp_init_attr_ex wanted{};
  wanted.send_cq = queue.send_cq;
  wanted.recv_cq = queue.recv_cq;
  wanted.srq = queue.srq;
  wanted.cap = queue.cap;
  wanted.qp_type = IBV_QPT_DRIVER;
  wanted.comp_mask = IBV_QP_INIT_ATTR_PD;
  wanted.pd = on.domain;
  direct.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC;
  if (direct.dc_init_attr.dc_type == MLX5DV_DCTYPE_DCI) {
    wanted.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
    wanted.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE |
                            IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ;
  }
  return on.api.mlx5->mlx5dv_create_qp(on.context, &wanted, &direct);
}

bool modify(const device& on, ibv_qp* pair, ibv_qp_attr& to, int mask) {
  const int error = on.api.ibv_modify_qp(pair, &to, mask);
  if (error == 0)
    return true;
  on.api.ibv_destroy_qp(pair);
  errno = error;
  return false;
}

} // namespace

bool offers_dynamic_connections(const device& on) {
  if (on.api.mlx5 == nullptr || !on.api.mlx5->mlx5dv_is_supported(on.context->device))
    return false;
  ibv_cq* const receives = on.api.ibv_create_cq(on.context, 1, nullptr, nullptr, 0);
  ibv_srq_init_attr wanted{};
  wanted.attr.max_wr = 1;
  wanted.attr.max_sge = 1;
  ibv_srq* const entries = on.api.ibv_create_srq(on.domain, &wanted);
  connection_attributes as;
  as.mtu = on.port_attributes.active_mtu;
  as.address.port_num = on.port;
  ibv_qp* const target =
      receives != nullptr && entries != nullptr ? make_target(on, receives, entries, as) : nullptr;
  if (target != nullptr)
    on.api.ibv_destroy_qp(target);
  if (entries != nullptr)
    on.api.ibv_destroy_srq(entries);
  if (receives != nullptr)
    on.api.ibv_destroy_cq(receives);
  return target != nullptr;
}

bool takes_dynamic_connections(const std::string& connection, bool all_offer, int processes,
                               unsigned queue_pairs) {
  constexpr std::size_t many_queue_pairs = 1024;
  return all_offer && (connection == "dc" ||
                       (connection == "auto" &&
                        static_cast<std::size_t>(processes - 1) * queue_pairs > many_queue_pairs));
}

initiator make_initiator(const device& on, const ibv_qp_init_attr& queue,
                         const connection_attributes& as) {
  mlx5dv_qp_init_attr direct{};
  direct.dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI;
  ibv_qp* const made = create(on, queue, direct);
  if (made == nullptr)
    return {};
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_INIT;
  to.port_num = on.port;
  if (!modify(on, made, to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT))
    return {};
  to = {};
  to.qp_state = IBV_QPS_RTR;
  to.path_mtu = as.mtu;
  to.ah_attr = as.address;
  if (!modify(on, made, to, IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_AV))
    return {};
  to = {};
  to.qp_state = IBV_QPS_RTS;
  to.timeout = as.timeout;
  to.retry_cnt = as.retries;
  to.max_rd_atomic = as.reads;
  if (!modify(on, made, to,
              IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                  IBV_QP_MAX_QP_RD_ATOMIC))
    return {};
  ibv_qp_ex* const extended = on.api.ibv_qp_to_qp_ex(made);
  return {made, extended, on.api.mlx5->mlx5dv_qp_ex_from_ibv_qp_ex(extended)};
}

ibv_qp* make_target(const device& on, ibv_cq* receives, ibv_srq* entries,
                    const connection_attributes& as) {
  mlx5dv_qp_init_attr direct{};
  direct.dc_init_attr.dc_type = MLX5DV_DCTYPE_DCT;
  direct.dc_init_attr.dct_access_key = access_key;
  ibv_qp_init_attr queue{};
  queue.send_cq = receives;
  queue.recv_cq = receives;
  queue.srq = entries;
  ibv_qp* const made = create(on, queue, direct);
  if (made == nullptr)
    return nullptr;
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_INIT;
  to.port_num = on.port;
  to.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
  if (!modify(on, made, to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
    return nullptr;
  constexpr std::uint8_t shortest_wait = 12; // of who finds no entry, which credits prevent
  to = {};
  to.qp_state = IBV_QPS_RTR;
  to.path_mtu = as.mtu;
  to.min_rnr_timer = shortest_wait;
  to.ah_attr = as.address;
  return modify(on, made, to, IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_AV | IBV_QP_MIN_RNR_TIMER)
             ? made
             : nullptr;
}

int post_to_target(const initiator& by, const ibv_send_wr& request, ibv_ah* address,
                   std::uint32_t target) {
  ibv_qp_ex* const on = by.extended;
  ibv_wr_start(on);
  on->wr_id = request.wr_id;
  on->wr_flags = request.send_flags & ~static_cast<unsigned>(IBV_SEND_INLINE);
  const std::uint64_t remote = request.wr.rdma.remote_addr;
  const std::uint32_t key = request.wr.rdma.rkey;
  switch (request.opcode) {
  case IBV_WR_RDMA_WRITE:
    ibv_wr_rdma_write(on, key, remote);
    break;
  case IBV_WR_RDMA_WRITE_WITH_IMM:
    ibv_wr_rdma_write_imm(on, key, remote, request.imm_data);
    break;
  case IBV_WR_RDMA_READ:
    ibv_wr_rdma_read(on, key, remote);
    break;
  case IBV_WR_SEND:
    ibv_wr_send(on);
    break;
  default:
    ibv_wr_abort(on);
    return EINVAL;
  }
  mlx5dv_wr_set_dc_addr(by.direct, address, target, access_key);
  if (request.num_sge == 0)
    ibv_wr_set_sge_list(on, 0, nullptr);
  else if ((request.send_flags & IBV_SEND_INLINE) != 0)
    ibv_wr_set_inline_data(on, reinterpret_cast<void*>(request.sg_list->addr),
                           request.sg_list->length);
  else
    ibv_wr_set_sge(on, request.sg_list->lkey, request.sg_list->addr, request.sg_list->length);
  return ibv_wr_complete(on);
}

} // namespace gpurma::host::verbs
