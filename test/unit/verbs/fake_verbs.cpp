// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fake_verbs.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

#undef ibv_query_port
#undef ibv_reg_mr

namespace gpurma::test {

namespace {

fake_network* network = nullptr;

struct context : ibv_context {
  fake_device* of;
  ibv_device entry;
};

template <class T> class ring {
public:
  explicit ring(std::size_t capacity) : entries_(capacity) {}
  bool empty() const { return first_ == next_; }
  bool full() const { return next_ - first_ == entries_.size(); }
  std::size_t size() const { return next_ - first_; }
  void push(const T& one) { entries_[next_++ % entries_.size()] = one; }
  T pop() { return entries_[first_++ % entries_.size()]; }

private:
  std::vector<T> entries_;
  std::size_t first_ = 0, next_ = 0;
};

struct completion_queue : ibv_cq {
  explicit completion_queue(std::size_t entries) : completions(entries) {}
  ring<ibv_wc> completions;
};

struct receive_queue : ibv_srq {
  struct entry {
    std::uint64_t id;
    ibv_sge part;
  };
  explicit receive_queue(std::size_t length) : entries(length) {}
  ring<entry> entries;
};

struct region : ibv_mr {
  int access;
};

struct request {
  ibv_send_wr what;
  std::uint32_t there;
  ibv_sge part;
  std::byte taken_along[256];
};

struct queue_pair : ibv_qp {
  queue_pair(std::size_t requests, std::uint32_t most_inline)
      : posted(requests), inline_bytes(most_inline) {}
  std::uint32_t there = 0;
  ring<request> posted;
  std::uint32_t inline_bytes;
  bool held = false;
  bool broken = false;
  std::uint64_t access_key = 0; // of a target
};

// The fields by which the driver is called come first.
struct dynamic_initiator : ibv_qp_ex {
  explicit dynamic_initiator(queue_pair& made) : ibv_qp_ex(), posts_on(made) {}
  queue_pair& posts_on;
  struct : mlx5dv_qp_ex {
    dynamic_initiator* of;
  } direct{};
  request next{}; // that is being put together
  std::uint64_t access_key = 0;
};
std::map<ibv_qp*, dynamic_initiator*> initiators;
struct address_handle : ibv_ah {};

std::map<std::uint32_t, queue_pair*> pairs;
std::map<std::uint32_t, region*> regions_by_key;
std::uint32_t next_number = 100;

std::byte* reach(std::uint32_t key, std::uint64_t address, std::size_t bytes, int access) {
  const auto found = regions_by_key.find(key);
  if (found == regions_by_key.end() || (found->second->access & access) != access)
    return nullptr;
  const auto begin = reinterpret_cast<std::uint64_t>(found->second->addr);
  if (address < begin || address + bytes > begin + found->second->length)
    return nullptr;
  return reinterpret_cast<std::byte*>(address);
}

ibv_wc_status carry_out(request& one) {
  if (const auto status = std::exchange(network->next_status, IBV_WC_SUCCESS);
      status != IBV_WC_SUCCESS)
    return status;
  if (network->closing)
    return IBV_WC_SUCCESS;
  const ibv_send_wr& what = one.what;
  const auto there = pairs.find(one.there);
  if (there == pairs.end())
    return IBV_WC_RETRY_EXC_ERR;
  queue_pair& to = *there->second;
  const std::size_t bytes = what.num_sge != 0 ? one.part.length : 0;
  const bool taken_along = (what.send_flags & IBV_SEND_INLINE) != 0;
  const bool reads = what.opcode == IBV_WR_RDMA_READ;
  std::byte* const local = bytes == 0    ? nullptr
                           : taken_along ? one.taken_along
                                         : reach(one.part.lkey, one.part.addr, bytes,
                                                 reads ? IBV_ACCESS_LOCAL_WRITE : 0);
  if (bytes != 0 && local == nullptr)
    return IBV_WC_LOC_PROT_ERR;
  if (what.opcode != IBV_WR_SEND && bytes != 0) {
    std::byte* const remote = reach(what.wr.rdma.rkey, what.wr.rdma.remote_addr, bytes,
                                    reads ? IBV_ACCESS_REMOTE_READ : IBV_ACCESS_REMOTE_WRITE);
    if (remote == nullptr)
      return IBV_WC_REM_ACCESS_ERR;
    std::memcpy(reads ? local : remote, reads ? remote : local, bytes);
  }
  if (what.opcode != IBV_WR_SEND && what.opcode != IBV_WR_RDMA_WRITE_WITH_IMM)
    return IBV_WC_SUCCESS;
  auto& receives = static_cast<receive_queue*>(to.srq)->entries;
  if (receives.empty()) {
    ++network->counted.not_ready;
    return IBV_WC_RNR_RETRY_EXC_ERR;
  }
  const receive_queue::entry entry = receives.pop();
  ++network->counted.received;
  ibv_wc done{};
  done.wr_id = entry.id;
  done.qp_num = to.qp_num;
  done.byte_len = static_cast<std::uint32_t>(bytes);
  done.opcode = IBV_WC_RECV;
  if (what.opcode == IBV_WR_SEND) {
    if (bytes > entry.part.length)
      return IBV_WC_REM_INV_REQ_ERR;
    std::memcpy(reinterpret_cast<void*>(entry.part.addr), local, bytes);
  } else {
    done.opcode = IBV_WC_RECV_RDMA_WITH_IMM;
    done.wc_flags = IBV_WC_WITH_IMM;
    done.imm_data = what.imm_data;
  }
  static_cast<completion_queue*>(to.recv_cq)->completions.push(done);
  return IBV_WC_SUCCESS;
}

void carry_out_all(queue_pair& from) {
  while (!from.held && !from.posted.empty()) {
    request one = from.posted.pop();
    ibv_wc done{};
    done.wr_id = one.what.wr_id;
    done.qp_num = from.qp_num;
    done.status = from.broken ? IBV_WC_WR_FLUSH_ERR : carry_out(one);
    from.broken |= done.status != IBV_WC_SUCCESS;
    if ((one.what.send_flags & IBV_SEND_SIGNALED) != 0 || from.broken)
      static_cast<completion_queue*>(from.send_cq)->completions.push(done);
  }
}

int post_one(queue_pair& from, request& one) {
  if (from.posted.full())
    return ENOMEM;
  auto& count = network->counted;
  if ((one.what.send_flags & IBV_SEND_INLINE) != 0) {
    if (one.part.length > from.inline_bytes)
      return EINVAL;
    std::memcpy(one.taken_along, reinterpret_cast<void*>(one.part.addr), one.part.length);
    ++count.taken_along;
  }
  const ibv_wr_opcode opcode = one.what.opcode;
  ++(opcode == IBV_WR_SEND         ? count.sends
     : opcode == IBV_WR_RDMA_WRITE ? count.writes
     : opcode == IBV_WR_RDMA_READ  ? count.reads
                                   : count.writes_with_immediate);
  count.signaled += (one.what.send_flags & IBV_SEND_SIGNALED) != 0;
  if (network->notes_posts)
    network->posted_on.push_back(from.qp_num);
  from.posted.push(one);
  count.most_in_flight = std::max(count.most_in_flight, static_cast<unsigned>(from.posted.size()));
  return 0;
}

int post_send(ibv_qp* on, ibv_send_wr* list, ibv_send_wr** refused) {
  auto& from = *static_cast<queue_pair*>(on);
  for (; list != nullptr; list = list->next) {
    *refused = list;
    request one{*list, from.there, {}, {}};
    if (list->num_sge != 0)
      one.part = *list->sg_list;
    if (const int error = post_one(from, one); error != 0)
      return error;
  }
  carry_out_all(from);
  return 0;
}

int post_receives(ibv_srq* on, ibv_recv_wr* list, ibv_recv_wr** refused) {
  auto& entries = static_cast<receive_queue*>(on)->entries;
  for (; list != nullptr; list = list->next) {
    *refused = list;
    if (entries.full())
      return ENOMEM;
    entries.push({list->wr_id, *list->sg_list});
  }
  return 0;
}

int poll_completions(ibv_cq* from, int most, ibv_wc* to) {
  auto& completions = static_cast<completion_queue*>(from)->completions;
  int count = 0;
  for (; count < most && !completions.empty(); ++count)
    to[count] = completions.pop();
  return count;
}

fake_device& device_of(ibv_context* of) {
  return *static_cast<context*>(of)->of;
}

// ---- the functions of the table ----

ibv_device** list_devices(int* count) {
  auto** const list = new ibv_device*[network->devices.size() + 1]();
  for (std::size_t i = 0; i < network->devices.size(); ++i) {
    list[i] = new ibv_device();
    std::strncpy(list[i]->name, network->devices[i]->name.c_str(), sizeof list[i]->name - 1);
  }
  *count = static_cast<int>(network->devices.size());
  return list;
}

void free_list(ibv_device** list) {
  for (ibv_device** each = list; *each != nullptr; ++each)
    delete *each;
  delete[] list;
}

const char* name_of(ibv_device* device) {
  return device->name;
}

ibv_context* open_device(ibv_device* listed) {
  const auto found = std::find_if(network->devices.begin(), network->devices.end(),
                                  [&](const auto& each) { return each->name == listed->name; });
  if (!(*found)->opens) {
    errno = EACCES;
    return nullptr;
  }
  auto* const opened = new context();
  opened->of = found->get();
  opened->async_fd = -1;
  opened->entry = ibv_device();
  found->get()->name.copy(opened->entry.name, sizeof opened->entry.name - 1);
  opened->device = &opened->entry;
  opened->ops.post_send = post_send;
  opened->ops.post_srq_recv = post_receives;
  opened->ops.poll_cq = poll_completions;
  return opened;
}

int close_device(ibv_context* opened) {
  delete static_cast<context*>(opened);
  return 0;
}

int query_device(ibv_context* of, ibv_device_attr* to) {
  *to = device_of(of).attributes;
  return 0;
}

int query_port(ibv_context* of, std::uint8_t number, _compat_ibv_port_attr* to) {
  const fake_port& port = device_of(of).ports.at(number - 1u);
  auto& found = *reinterpret_cast<ibv_port_attr*>(to);
  found.state = port.state;
  found.link_layer = port.link_layer;
  found.active_mtu = IBV_MTU_1024;
  found.max_msg_sz = device_of(of).longest_message;
  found.gid_tbl_len = static_cast<int>(port.gids.size());
  return 0;
}

int query_gid(ibv_context* of, std::uint32_t port, std::uint32_t index, ibv_gid_entry* to,
              std::uint32_t, std::size_t) {
  for (const ibv_gid_entry& each : device_of(of).ports.at(port - 1).gids)
    if (each.gid_index == index) {
      *to = each;
      return 0;
    }
  return ENODATA;
}

ibv_pd* make_domain(ibv_context* of) {
  auto* const made = new ibv_pd();
  made->context = of;
  return made;
}

int free_domain(ibv_pd* domain) {
  delete domain;
  return 0;
}

ibv_mr* register_memory(ibv_pd* domain, void* begin, std::size_t bytes, int access) {
  if (!network->registers || network->refuses_registrations != 0) {
    network->refuses_registrations -= network->registers;
    errno = ENOMEM;
    return nullptr;
  }
  auto* const made = new region();
  made->context = domain->context;
  made->pd = domain;
  made->addr = begin;
  made->length = bytes;
  made->access = access;
  made->lkey = made->rkey = ++next_number;
  regions_by_key[made->lkey] = made;
  ++network->registered;
  return made;
}

ibv_mr* register_dmabuf(ibv_pd* domain, std::uint64_t offset, std::size_t bytes,
                        std::uint64_t address, int file, int access) {
  if (!network->registers_dmabufs || file < 0 || offset != 0) {
    errno = EOPNOTSUPP;
    return nullptr;
  }
  ++network->dmabufs;
  return register_memory(domain, reinterpret_cast<void*>(address), bytes, access);
}

int deregister_memory(ibv_mr* memory) {
  regions_by_key.erase(memory->lkey);
  delete static_cast<region*>(memory);
  return 0;
}

ibv_cq* make_completion_queue(ibv_context* of, int entries, void*, ibv_comp_channel*, int) {
  auto* const made = new completion_queue(static_cast<std::size_t>(entries));
  made->context = of;
  return made;
}

int free_completion_queue(ibv_cq* queue) {
  delete static_cast<completion_queue*>(queue);
  return 0;
}

ibv_srq* make_receive_queue(ibv_pd* domain, ibv_srq_init_attr* wanted) {
  auto* const made = new receive_queue(wanted->attr.max_wr);
  made->context = domain->context;
  return made;
}

int free_receive_queue(ibv_srq* queue) {
  delete static_cast<receive_queue*>(queue);
  return 0;
}

ibv_qp* make_queue_pair(ibv_pd* domain, ibv_qp_init_attr* wanted) {
  const fake_device& device = device_of(domain->context);
  if (wanted->cap.max_inline_data > device.most_inline) {
    errno = EINVAL;
    return nullptr;
  }
  auto* const made = new queue_pair(wanted->cap.max_send_wr, wanted->cap.max_inline_data);
  made->context = domain->context;
  made->send_cq = wanted->send_cq;
  made->recv_cq = wanted->recv_cq;
  made->srq = wanted->srq;
  made->qp_num = ++next_number;
  pairs[made->qp_num] = made;
  return made;
}

// ---- dynamic connections ----

bool is_mlx5(ibv_device* listed) {
  return std::any_of(network->devices.begin(), network->devices.end(),
                     [&](const auto& each) { return each->name == listed->name && each->is_mlx5; });
}

request& being_posted(ibv_qp_ex* by) {
  return static_cast<dynamic_initiator*>(by)->next;
}

void describe(ibv_qp_ex* by, ibv_wr_opcode opcode, std::uint32_t key, std::uint64_t remote) {
  ibv_send_wr& what = being_posted(by).what;
  what.wr_id = by->wr_id;
  what.send_flags = by->wr_flags;
  what.opcode = opcode;
  what.wr.rdma = {remote, key};
}

void add_part(ibv_qp_ex* by, const ibv_sge& part, unsigned flags) {
  request& one = being_posted(by);
  one.part = part;
  one.what.num_sge = 1;
  one.what.send_flags |= flags;
}

ibv_qp* make_initiator(ibv_qp_init_attr_ex* wanted) {
  auto* const sends = new queue_pair(wanted->cap.max_send_wr, wanted->cap.max_inline_data);
  sends->context = wanted->pd->context;
  sends->send_cq = wanted->send_cq;
  sends->qp_num = ++next_number;
  pairs[sends->qp_num] = sends;
  auto* const made = new dynamic_initiator(*sends);
  made->qp_base.qp_num = sends->qp_num;
  made->wr_start = [](ibv_qp_ex* by) { being_posted(by) = {}; };
  made->wr_send = [](ibv_qp_ex* by) { describe(by, IBV_WR_SEND, 0, 0); };
  made->wr_rdma_write = [](ibv_qp_ex* by, std::uint32_t key, std::uint64_t remote) {
    describe(by, IBV_WR_RDMA_WRITE, key, remote);
  };
  made->wr_rdma_read = [](ibv_qp_ex* by, std::uint32_t key, std::uint64_t remote) {
    describe(by, IBV_WR_RDMA_READ, key, remote);
  };
  made->wr_rdma_write_imm = [](ibv_qp_ex* by, std::uint32_t key, std::uint64_t remote,
                               __be32 immediate) {
    describe(by, IBV_WR_RDMA_WRITE_WITH_IMM, key, remote);
    being_posted(by).what.imm_data = immediate;
  };
  made->wr_set_sge = [](ibv_qp_ex* by, std::uint32_t key, std::uint64_t begin,
                        std::uint32_t bytes) { add_part(by, {begin, bytes, key}, 0); };
  made->wr_set_sge_list = [](ibv_qp_ex*, std::size_t, const ibv_sge*) {};
  made->wr_set_inline_data = [](ibv_qp_ex* by, void* begin, std::size_t bytes) {
    add_part(by, {reinterpret_cast<std::uint64_t>(begin), static_cast<std::uint32_t>(bytes), 0},
             IBV_SEND_INLINE);
  };
  made->direct.of = made;
  made->direct.wr_set_dc_addr = [](mlx5dv_qp_ex* direct, ibv_ah*, std::uint32_t target,
                                   std::uint64_t key) {
    dynamic_initiator& by = *static_cast<decltype(dynamic_initiator::direct)*>(direct)->of;
    by.next.there = target;
    by.access_key = key;
  };
  made->wr_complete = [](ibv_qp_ex* by) {
    auto& from = *static_cast<dynamic_initiator*>(by);
    const auto target = pairs.find(from.next.there);
    if (target != pairs.end() && target->second->access_key != from.access_key)
      return EINVAL;
    const int error = post_one(from.posts_on, from.next);
    if (error == 0)
      carry_out_all(from.posts_on);
    return error;
  };
  initiators[&made->qp_base] = made;
  return &made->qp_base;
}

ibv_qp* make_dynamic(ibv_context* of, ibv_qp_init_attr_ex* wanted, mlx5dv_qp_init_attr* direct) {
  const fake_device& device = device_of(of);
  const bool is_target = direct->dc_init_attr.dc_type == MLX5DV_DCTYPE_DCT;
  if (is_target ? !device.makes_targets : wanted->cap.max_inline_data > device.most_inline) {
    errno = EOPNOTSUPP;
    return nullptr;
  }
  if (!is_target)
    return make_initiator(wanted);
  auto* const made = new queue_pair(1, 0); // has its number once it is ready to receive
  made->context = of;
  made->recv_cq = wanted->recv_cq;
  made->srq = wanted->srq;
  made->access_key = direct->dc_init_attr.dct_access_key;
  return made;
}

ibv_qp_ex* extended(ibv_qp* pair) {
  return initiators.at(pair);
}

mlx5dv_qp_ex* direct(ibv_qp_ex* pair) {
  return &static_cast<dynamic_initiator*>(pair)->direct;
}

ibv_ah* make_address(ibv_pd*, ibv_ah_attr*) {
  ++network->addresses;
  return new address_handle();
}

int free_address(ibv_ah* address) {
  --network->addresses;
  delete static_cast<address_handle*>(address);
  return 0;
}

int modify_queue_pair(ibv_qp* pair, ibv_qp_attr* to, int mask) {
  if (initiators.count(pair) != 0)
    return 0;
  if (static_cast<queue_pair*>(pair)->access_key != 0) {
    if (to->qp_state == IBV_QPS_RTR) {
      pair->qp_num = ++next_number;
      pairs[pair->qp_num] = static_cast<queue_pair*>(pair);
    }
    return 0;
  }
  if ((mask & IBV_QP_DEST_QPN) != 0)
    static_cast<queue_pair*>(pair)->there = to->dest_qp_num;
  return 0;
}

int free_queue_pair(ibv_qp* pair) {
  pairs.erase(pair->qp_num);
  if (const auto known = initiators.find(pair); known != initiators.end()) {
    delete &known->second->posts_on;
    delete known->second;
    initiators.erase(known);
    return 0;
  }
  delete static_cast<queue_pair*>(pair);
  return 0;
}

int get_event(ibv_context*, ibv_async_event* to) {
  if (network->events.empty())
    return -1;
  const fake_network::event& first = network->events.front();
  to->event_type = first.type;
  if (first.queue_pair != 0)
    to->element.qp = pairs.at(first.queue_pair);
  network->events.pop_front();
  return 0;
}

void acknowledge_event(ibv_async_event*) {}

const char* event_text(ibv_event_type type) {
  return type == IBV_EVENT_DEVICE_FATAL    ? "local catastrophic error"
         : type == IBV_EVENT_QP_ACCESS_ERR ? "local access violation work queue error"
                                           : "some event";
}

const char* status_text(ibv_wc_status status) {
  return status == IBV_WC_RETRY_EXC_ERR  ? "transport retry counter exceeded"
         : status == IBV_WC_WR_FLUSH_ERR ? "Work Request Flushed Error"
                                         : "some error";
}

const host::verbs::mlx5_api mlx5_table = [] {
  host::verbs::mlx5_api made;
  made.mlx5dv_is_supported = is_mlx5;
  made.mlx5dv_create_qp = make_dynamic;
  made.mlx5dv_qp_ex_from_ibv_qp_ex = direct;
  return made;
}();

const host::verbs::verbs_api table = [] {
  host::verbs::verbs_api made;
  made.mlx5 = &mlx5_table;
  made.ibv_qp_to_qp_ex = extended;
  made.ibv_create_ah = make_address;
  made.ibv_destroy_ah = free_address;
  made.ibv_get_device_list = list_devices;
  made.ibv_free_device_list = free_list;
  made.ibv_get_device_name = name_of;
  made.ibv_open_device = open_device;
  made.ibv_close_device = close_device;
  made.ibv_query_device = query_device;
  made.ibv_query_port = query_port;
  made._ibv_query_gid_ex = query_gid;
  made.ibv_alloc_pd = make_domain;
  made.ibv_dealloc_pd = free_domain;
  made.ibv_reg_mr = register_memory;
  made.ibv_reg_dmabuf_mr = register_dmabuf;
  made.ibv_dereg_mr = deregister_memory;
  made.ibv_create_cq = make_completion_queue;
  made.ibv_destroy_cq = free_completion_queue;
  made.ibv_create_srq = make_receive_queue;
  made.ibv_destroy_srq = free_receive_queue;
  made.ibv_create_qp = make_queue_pair;
  made.ibv_modify_qp = modify_queue_pair;
  made.ibv_destroy_qp = free_queue_pair;
  made.ibv_get_async_event = get_event;
  made.ibv_ack_async_event = acknowledge_event;
  made.ibv_event_type_str = event_text;
  made.ibv_wc_status_str = status_text;
  return made;
}();

ibv_gid_entry gid(std::uint32_t index, std::uint32_t type, bool ipv4) {
  ibv_gid_entry made{};
  made.gid_index = index;
  made.gid_type = type;
  if (ipv4) {
    made.gid.raw[10] = made.gid.raw[11] = 0xff;
    made.gid.raw[12] = 10;
  } else {
    made.gid.raw[0] = 0xfe;
    made.gid.raw[1] = 0x80;
  }
  made.gid.raw[15] = static_cast<std::uint8_t>(index + 1);
  return made;
}

} // namespace

ibv_gid_entry ipv4_gid(std::uint32_t index, std::uint32_t type) {
  return gid(index, type, true);
}
ibv_gid_entry link_local_gid(std::uint32_t index, std::uint32_t type) {
  return gid(index, type, false);
}

fake_network::fake_network() {
  network = this;
}

fake_network::~fake_network() {
  network = nullptr;
  pairs.clear();
  initiators.clear();
}

fake_device& fake_network::add_device(const std::string& name) {
  fake_device& made = *devices.emplace_back(std::make_unique<fake_device>());
  made.name = name;
  made.ports.push_back(
      {IBV_PORT_ACTIVE, IBV_LINK_LAYER_ETHERNET, {ipv4_gid(0, IBV_GID_TYPE_ROCE_V2)}});
  made.attributes.max_qp_wr = 1 << 14;
  made.attributes.max_cqe = 1 << 16;
  made.attributes.max_srq_wr = 1 << 14;
  made.attributes.max_qp_rd_atom = 16;
  made.attributes.max_qp_init_rd_atom = 16;
  made.attributes.phys_port_cnt = 1;
  return made;
}

const host::verbs::verbs_api& fake_network::api() const {
  return table;
}

void fake_network::hold(std::uint32_t queue_pair) {
  pairs.at(queue_pair)->held = true;
}

void fake_network::release(std::uint32_t number) {
  pairs.at(number)->held = false;
  carry_out_all(*pairs.at(number));
}

void fake_network::flush_receive(std::uint32_t number) {
  queue_pair& of = *pairs.at(number);
  ibv_wc flushed{};
  flushed.wr_id = static_cast<receive_queue*>(of.srq)->entries.pop().id;
  flushed.status = IBV_WC_WR_FLUSH_ERR;
  flushed.qp_num = number;
  static_cast<completion_queue*>(of.recv_cq)->completions.push(flushed);
}

unsigned fake_network::queue_pairs() const {
  return static_cast<unsigned>(pairs.size());
}

unsigned fake_network::regions() const {
  return static_cast<unsigned>(regions_by_key.size());
}

} // namespace gpurma::test
