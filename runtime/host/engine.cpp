// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/engine.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <thread>

#include "host/allocations.h"
#include "host/cores.h"
#include "host/distributed_arrays.h"
#include "host/environment.h"
#include "host/errors.h"
#include "host/kernels.h"
#include "host/log.h"
#include "host/process.h"

namespace gpurma::host {

using detail::command;
using detail::command_entry;
using detail::command_kind;
using detail::directive;
using detail::inbox_entry;
using detail::notification;
using detail::rank_channel;
using detail::rank_memory;
using detail::window_row;

namespace {

// Divides a block of memory; all formats are aligned to 64 bytes at most.
class layout_of_memory {
public:
  template <class T> std::size_t add(std::size_t count) {
    const std::size_t begin = bytes_;
    bytes_ = (bytes_ + count * sizeof(T) + 63) / 64 * 64;
    return begin;
  }
  std::size_t bytes() const { return bytes_; }

private:
  std::size_t bytes_ = 0;
};

template <class T> T* at(void* block, std::size_t offset) {
  return reinterpret_cast<T*>(static_cast<char*>(block) + offset);
}

// Entries of rings, which are empty where they have not been used yet.
template <class Entry>
Entry* empty_entries(memory_block<memory_kind::shared>& memory, std::size_t count) {
  const void* const before = memory.data();
  void* const now = memory.resize(count * sizeof(Entry));
  if (now != before)
    std::memset(now, 0, memory.bytes());
  return static_cast<Entry*>(now);
}

// Whether the host can read and write the device's memory.
#if GPURMA_TARGET_CPU
constexpr bool host_reaches_device = true;
#else
constexpr bool host_reaches_device = false;
#endif

// Commands of one rank that are run before others get their turn.
constexpr int command_batch = 16;

// Instead of the rank whose command something is.
constexpr int no_command = -1;

} // namespace

engine::engine(std::size_t most_ranks) : most_ranks_(most_ranks) {
  if (process().size > 1 && (!host_reaches_device || environment::cpu_staging())) {
    std::thread([this] { // for its memory to be near the device
      use_memory_device();
      run_near_device();
      staging_ = std::make_unique<staging>();
    })
        .join();
  }
  context_.version = detail::format_version;
  copy_bytes(context_memory_.resize(sizeof(context_)), &context_, sizeof(context_));
}

engine::~engine() = default;

const detail::launch_context* engine::context() const {
  return static_cast<const detail::launch_context*>(context_memory_.data());
}

engine::plan engine::make_plan(int ranks) {
  const auto n = static_cast<std::size_t>(ranks);
  plan p{};
  p.ranks = ranks;
  detail::launch_context& c = p.context;
  c.version = detail::format_version;
  c.open = 1;
  c.device_size = ranks;
  c.mailbox_entries = static_cast<std::uint32_t>(environment::queue_entries());
  c.inbox_entries = c.mailbox_entries;
  c.pending_entries = static_cast<std::uint32_t>(environment::pending_entries());
  c.command_entries = static_cast<std::uint32_t>(environment::command_entries());
  c.window_slots = static_cast<std::uint32_t>(environment::windows());

  // What must start as zero comes first.
  layout_of_memory device;
  const auto ranks_at = device.add<rank_memory>(n);
  const auto meetings_at = device.add<detail::meeting_point>(2);
  const auto mailboxes_at = device.add<notification>(n * c.mailbox_entries);
  const auto rings_at = device.add<detail::ring_entry>(n * detail::rings_in * detail::ring_entries);
  p.zeroed_bytes = device.bytes();
  const auto routes_at = device.add<detail::route>(most_ranks_);
  const auto processes = static_cast<std::size_t>(process().size);
  const auto peer_meetings_at = device.add<detail::meeting_point*>(processes);
  const auto pending_at = device.add<notification>(n * c.pending_entries);
  const auto world_rows_at = device.add<window_row>(most_ranks_ * c.window_slots);
  const auto device_rows_at = device.add<window_row>(n * c.window_slots);
  void* const on_device = device_memory_.resize(device.bytes());

  layout_of_memory shared;
  const auto channels_at = shared.add<rank_channel>(n);
  const auto collectives_at = shared.add<std::uint64_t>(1);
  const auto error_at = shared.add<detail::error_record>(1);
  const auto watched_ranks_at = shared.add<rank_memory>(host_reaches_device ? 0 : n);
  p.shared_zeroed_bytes = shared.bytes();
  const auto staged_context_at = shared.add<detail::launch_context>(1);
  const auto staged_routes_at = shared.add<detail::route>(most_ranks_);
  const auto staged_meetings_at = shared.add<detail::meeting_point*>(processes);
  const auto staged_ranks_at = shared.add<rank_memory>(n);
  void* const for_both = shared_memory_.resize(shared.bytes());

  c.routes = at<detail::route>(on_device, routes_at);
  c.ranks = at<rank_memory>(on_device, ranks_at);
  c.pending = at<notification>(on_device, pending_at);
  c.world_rows = at<window_row>(on_device, world_rows_at);
  c.device_rows = at<window_row>(on_device, device_rows_at);
  c.world_meeting = at<detail::meeting_point>(on_device, meetings_at);
  c.device_meeting = c.world_meeting + 1;
  c.channels = at<rank_channel>(for_both, channels_at);
  c.commands = empty_entries<command_entry>(command_memory_, n * c.command_entries);
  c.inboxes = empty_entries<inbox_entry>(inbox_memory_, n * c.inbox_entries);
  c.collectives = at<std::uint64_t>(for_both, collectives_at);
  c.error = at<detail::error_record>(for_both, error_at);
  p.mailboxes = at<notification>(on_device, mailboxes_at);
  p.rings = at<detail::ring_entry>(on_device, rings_at);
  p.peer_meetings = at<detail::meeting_point*>(on_device, peer_meetings_at);
  p.zeroed = on_device;
  p.shared_zeroed = for_both;
  p.staged_context = at<detail::launch_context>(for_both, staged_context_at);
  p.staged_routes = at<detail::route>(for_both, staged_routes_at);
  p.staged_meetings = at<detail::meeting_point*>(for_both, staged_meetings_at);
  p.watched_ranks = at<rank_memory>(for_both, watched_ranks_at);
  p.staged_ranks = at<rank_memory>(for_both, staged_ranks_at);
  return p;
}

void engine::enqueue_before_begin(const plan& p, cudaStream_t stream) const {
  check_cuda(cudaMemsetAsync(p.zeroed, 0, p.zeroed_bytes, stream), "prepare a rank kernel");
}

void engine::enqueue_before_kernel(const plan& p, cudaStream_t stream) const {
  const char* const doing = "prepare a rank kernel";
  check_cuda(cudaMemcpyAsync(p.peer_meetings, p.staged_meetings,
                             static_cast<std::size_t>(process().size) * sizeof(*p.peer_meetings),
                             cudaMemcpyDefault, stream),
             doing);
  check_cuda(cudaMemcpyAsync(const_cast<detail::route*>(p.context.routes), p.staged_routes,
                             most_ranks_ * sizeof(detail::route), cudaMemcpyDefault, stream),
             doing);
  check_cuda(cudaMemcpyAsync(context_memory_.data(), p.staged_context,
                             sizeof(detail::launch_context), cudaMemcpyDefault, stream),
             doing);
}

void engine::enqueue_after_kernel(const plan& p, cudaStream_t stream) const {
  const char* const doing = "close a rank kernel";
  auto* const context = static_cast<detail::launch_context*>(context_memory_.data());
  check_cuda(cudaMemsetAsync(&context->open, 0, sizeof(context->open), stream), doing);
  if (log_enabled(log_level::info)) {
    check_cuda(cudaMemcpyAsync(p.staged_ranks, p.context.ranks,
                               static_cast<std::size_t>(p.ranks) * sizeof(rank_memory),
                               cudaMemcpyDefault, stream),
               doing);
  }
}

// Which processes' queues are mapped here, and where. Collective.
std::vector<std::uint64_t> engine::map_queues(const std::vector<launch_info>& all) {
  std::vector<route_offer> offers;
  for (const launch_info& each : all)
    offers.push_back({each.node, each.mailbox_entries, each.proxy_only, each.device, each.memory});
  const std::vector<found_route> routes = find_routes(peers_, offers);
  std::vector<std::uint64_t> queues(all.size(), 0);
  for (std::size_t p = 0; p < all.size(); ++p) {
    if (static_cast<int>(p) == process().rank)
      continue;
    queues[p] = routes[p].memory;
    if (queues[p] == 0 && environment::route() == "peer")
      fatal(text("GPURMA_ROUTE is peer, but process ", process().rank,
                 " cannot reach the device memory "
                 "of process ",
                 p, ": ", routes[p].obstacle, "; use GPURMA_ROUTE=auto"));
    if (log_enabled(log_level::info)) {
      log(log_level::info,
          queues[p] != 0 ? text("launch ", launches_, ": process ", p, " is reached by stores")
                         : text("launch ", launches_, ": process ", p,
                                " is reached through the host: ", routes[p].obstacle));
    }
  }
  return queues;
}

void engine::begin(const plan& launch, const std::string& what) {
  const process_info& self = process();
  const int ranks = launch.ranks;
  const auto block = reinterpret_cast<std::uint64_t>(launch.zeroed);
  launch_info info{};
  info.ranks = ranks;
  info.node = self.node;
  info.mailbox_entries = launch.context.mailbox_entries;
  info.proxy_only = environment::route() == "proxy";
  info.device = this_device();
  if (self.size > 1 && !info.proxy_only)
    info.memory = peers_.share(block);
  const auto offset = [&](const void* part) {
    return static_cast<std::uint32_t>((reinterpret_cast<std::uint64_t>(part) - info.memory.base) /
                                      64);
  };
  if (info.memory.base != 0) {
    info.ranks_at = offset(launch.context.ranks);
    info.mailboxes_at = offset(launch.mailboxes);
    info.rings_at = offset(launch.rings);
    info.meeting_at = offset(launch.context.world_meeting);
  }
  const std::vector<launch_info> all = allgather(channel::launch, what.c_str(), info);
  ++launches_;
  const std::vector<std::uint64_t> queues =
      self.size > 1 ? map_queues(all) : std::vector<std::uint64_t>(1, 0);
  {
    const std::lock_guard lock(mutex_);
    processes_ = self.size;
    ranks_ = ranks;
    device_sizes_.clear();
    for (const launch_info& one : all)
      device_sizes_.push_back(one.ranks);
    first_ranks_.assign(device_sizes_.size(), 0);
    std::exclusive_scan(device_sizes_.begin(), device_sizes_.end(), first_ranks_.begin(), 0);
    process_of_.clear();
    for (int p = 0; p < self.size; ++p) {
      process_of_.insert(process_of_.end(),
                         static_cast<std::size_t>(device_sizes_[static_cast<std::size_t>(p)]), p);
    }
    peer_queues_ = queues;
    by_hosts_.assign(queues.size(), false);
    context_ = launch.context;
    context_.world_size = static_cast<int>(process_of_.size());
    context_.first_rank = first_ranks_[static_cast<std::size_t>(self.rank)];
    context_.processes = processes_;
    context_.process = self.rank;
    context_.proxied =
        static_cast<int>(std::count(queues.begin(), queues.end(), std::uint64_t{0})) - 1;
    context_.peer_meetings =
        processes_ > 1 && context_.proxied == 0 ? launch.peer_meetings : nullptr;
    channels_ = context_.channels;
    collectives_ = context_.collectives;
    error_ = context_.error;
    final_ranks_ = launch.staged_ranks;
    watched_ranks_ = launch.watched_ranks;
    std::memset(launch.shared_zeroed, 0, launch.shared_zeroed_bytes);
    *launch.staged_context = context_;
    std::fill_n(launch.staged_routes, most_ranks_, detail::route{});
    for (std::size_t p = 0; p < all.size(); ++p) {
      const bool here = static_cast<int>(p) == self.rank;
      const auto part = [&](std::uint32_t at) {
        return reinterpret_cast<void*>(queues[p] + std::uint64_t{at} * 64);
      };
      launch.staged_meetings[p] = static_cast<detail::meeting_point*>(
          here ? static_cast<void*>(context_.world_meeting) : part(all[p].meeting_at));
      if (!here && queues[p] == 0)
        continue;
      auto* const memory = here ? context_.ranks : static_cast<rank_memory*>(part(all[p].ranks_at));
      auto* const mailboxes =
          here ? launch.mailboxes : static_cast<notification*>(part(all[p].mailboxes_at));
      auto* const rings =
          here ? launch.rings : static_cast<detail::ring_entry*>(part(all[p].rings_at));
      for (std::size_t i = 0; i < static_cast<std::size_t>(all[p].ranks); ++i) {
        detail::route& to = launch.staged_routes[static_cast<std::size_t>(first_ranks_[p]) + i];
        to.memory = memory + i;
        to.mailbox = mailboxes + i * context_.mailbox_entries;
        to.rings = rings + i * detail::rings_in * detail::ring_entries;
        to.kind = here ? detail::route_kind::device : detail::route_kind::peer;
      }
    }
    const auto n = static_cast<std::size_t>(ranks);
    completed_.assign(n, 0);
    // To clear all entries would take milliseconds: they are tens of MiB.
    for (const command_consumer& commands : commands_)
      commands.clear();
    for (const inbox_producer& inbox : inboxes_)
      inbox.clear();
    commands_.clear();
    inboxes_.clear();
    for (std::size_t i = 0; i < n; ++i) {
      commands_.push_back({context_.commands + i * context_.command_entries, &channels_[i].taken,
                           context_.command_entries - 1});
      inboxes_.push_back({context_.inboxes + i * context_.inbox_entries, &channels_[i].inbox.taken,
                          context_.inbox_entries - 1});
    }
    rows_.assign(context_.window_slots, {});
    exposed_.assign(context_.window_slots, {});
    one_sided_ = process_transport().one_sided();
    // What is used while a rank kernel runs is not freed before its end.
    if (one_sided_ != nullptr)
      one_sided_->forget_freed({find_allocation, export_dmabuf});
    written_by_network_ = false;
    leaving_.assign(n, {});
    carried_.assign(n, {});
    first_served_ = 0;
    const std::lock_guard sightings_lock(sightings_mutex_);
    sightings_.assign(n, {});
  }
  if (processes_ > 1)
    process_transport().set_receiver(this);
  running_.store(true, std::memory_order_release);
  process_watchdog().begin(*this);
  if (log_enabled(log_level::info)) {
    log(log_level::info,
        text("launch ", launches_, ": ", ranks, " ranks here, world ranks ", context_.first_rank,
             " to ", context_.first_rank + ranks - 1, " of ", context_.world_size));
  }
}

void engine::end() {
  if (processes_ > 1) {
    {
      const std::lock_guard lock(mutex_);
      start_meeting(directive::end, no_command, detail::no_window_id, site{});
    }
    const auto ended = [this] {
      const std::lock_guard lock(mutex_);
      return !meeting_.has_value();
    };
    while (!ended()) {
      if (!progress())
        std::this_thread::yield();
    }
  }
  process_watchdog().end(*this);
  running_.store(false, std::memory_order_release);
  const std::lock_guard lock(mutex_);
  if (log_enabled(log_level::info))
    report_unconsumed();
}

bool engine::progress() {
  if (!running() || processes_ == 1)
    return false;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock())
    return false;
  bool worked = process_transport().progress();
  if (!pieces_.empty() || !landings_.empty()) {
    worked |= staging_->poll();
    if (!landings_.empty())
      worked |= finish_landings();
    // Whoever comes first gets the buffers.
    first_served_ = first_served_ + 1 < ranks_ ? first_served_ + 1 : 0;
  }
  for (int rank = first_served_; rank < ranks_; ++rank)
    worked |= run_commands(rank);
  for (int rank = 0; rank < first_served_; ++rank)
    worked |= run_commands(rank);
  if (piece_finished_) {
    piece_finished_ = false;
    pieces_.remove_if([](const piece& p) { return p.finished; });
  }
  if (transfer_finished_) {
    transfer_finished_ = false;
    transfers_.remove_if([](const transfer& t) { return t.finished; });
  }
  if (!replies_.empty())
    worked |= advance_replies();
  if (meeting_)
    worked |= advance_meeting();
  if (worked)
    steps_.fetch_add(1, std::memory_order_relaxed);
  return worked;
}

// --- Commands of local ranks
// --------------------------------------------------------------------------------------------

bool engine::run_commands(int rank) {
  command_consumer& commands = commands_[static_cast<std::size_t>(rank)];
  const bool sent = !pieces_.empty() && send_pieces(leaving_[static_cast<std::size_t>(rank)], rank);
  int done = 0;
  for (; done < command_batch; ++done) {
    const command_entry* next = commands.front();
    if (next == nullptr || !execute(rank, *next))
      break;
    commands.pop();
  }
  if (done != 0)
    commands.give_back();
  return sent || done != 0;
}

// False: not now; the rank's later commands wait behind it, those of other ranks do not.
bool engine::execute(int rank, const command_entry& entry) {
  const command& c = entry.what;
  // What the rank has put before comes first.
  const bool behind = !leaving_[static_cast<std::size_t>(rank)].unsent.empty();
  if (behind && (c.kind != command_kind::put || (c.flags & detail::inline_flag) != 0))
    return false;
  switch (c.kind) {
  case command_kind::put:
    return send_put(rank, entry);
  case command_kind::get:
    return send_get(rank, c);
  case command_kind::notify:
    return send_notify(rank, c);
  case command_kind::barrier:
    start_meeting(directive::barrier, rank, c.window, {c.site_file, c.site_line});
    return true;
  case command_kind::window_create:
    start_meeting(directive::window_create, rank, c.window, {c.site_file, c.site_line});
    return true;
  case command_kind::window_free:
    start_meeting(directive::window_free, rank, c.window, {c.site_file, c.site_line});
    return true;
  }
  fatal(text("rank ", context_.first_rank + rank, " gave a command of unknown kind ",
             static_cast<int>(c.kind)));
}

static_assert(keeps_place_flag == detail::region_flag);

namespace {

message_header make_header(message_kind kind, int source, const command& c) {
  message_header h;
  h.kind = kind;
  h.flags = c.flags & static_cast<std::uint8_t>(~detail::inline_flag);
  h.source = source;
  h.target = c.target;
  h.window = c.window;
  h.offset = c.offset;
  h.bytes = c.bytes;
  h.tag = c.tag;
  h.site_file = c.site_file;
  h.site_line = c.site_line;
  return h;
}

} // namespace

void engine::complete_command(int rank) {
  std::uint64_t& completed = completed_[static_cast<std::size_t>(rank)];
  store(channel(rank).completed, ++completed, std::memory_order_release); // M8
}

// Runs inside progress(), which holds the mutex.
void engine::transfer::completed() {
  finished = true;
  owner->transfer_finished_ = true;
  owner->complete_command(rank);
}

// A rank's window memory, if the transport reaches it without that process's help.
const exposed_memory* engine::exposed_memory_of(std::uint32_t window, int target) const {
  const auto& of_window = exposed_[detail::window_slot(window)];
  if (of_window.empty() || of_window[static_cast<std::size_t>(target)].granted == 0)
    return nullptr;
  return &of_window[static_cast<std::size_t>(target)];
}

bool engine::send_put(int rank, const command_entry& entry) {
  const command& c = entry.what;
  const message_header header = make_header(message_kind::put, context_.first_rank + rank, c);
  const int to = process_of(c.target);
  const bool here = (c.flags & detail::inline_flag) != 0;
  // An ordered word is stored by the target's host, behind all writes before it.
  const bool ordered = (c.flags & detail::ordered_flag) != 0;
  const exposed_memory* const exposed = ordered ? nullptr : exposed_memory_of(c.window, c.target);
  const auto* const source = reinterpret_cast<const void*>(c.address);
  pieces_of& parts = leaving_[static_cast<std::size_t>(rank)];
  if (staging_ && !here) {
    const bool in_place = exposed != nullptr && c.bytes < environment::ib_staged_from() &&
                          one_sided_->reaches(source, c.bytes);
    if (in_place)
      return parts.unsent.empty() && parts.staged == 0 && send_in_place(rank, c, header, exposed);
    if (!stage(header, to, c.address, parts))
      return false;
    parts.staged = 0;
    return true;
  }
  if (!here && c.bytes > environment::eager())
    return send_in_place(rank, c, header, exposed);
  const void* const payload = here ? entry.data : source;
  const bool notified = (header.flags & detail::notified_flag) != 0;
  const bool sent =
      exposed != nullptr
          ? one_sided_->try_put(to, header, notified, *exposed, exposed->begin + c.offset, payload,
                                c.bytes, true, nullptr)
          : process_transport().try_send(to, header, payload, c.bytes, nullptr);
  if (sent)
    complete_command(rank);
  return sent;
}

// The command is complete when the transport no longer needs the source.
bool engine::send_in_place(int rank, const command& c, const message_header& header,
                           const exposed_memory* exposed) {
  const auto* const source = reinterpret_cast<const void*>(c.address);
  const int to = process_of(c.target);
  const bool notified = (header.flags & detail::notified_flag) != 0;
  transfer& t = transfers_.emplace_back();
  t.owner = this;
  t.rank = rank;
  if (exposed != nullptr
          ? one_sided_->try_put(to, header, notified, *exposed, exposed->begin + c.offset, source,
                                c.bytes, false, &t)
          : process_transport().try_send(to, header, source, c.bytes, &t))
    return true;
  transfers_.pop_back();
  return false;
}

bool engine::send_get(int rank, const command& c) {
  transfer& t = transfers_.emplace_back();
  t.owner = this;
  t.rank = rank;
  t.destination = c.address;
  t.missing = c.bytes;
  message_header header = make_header(message_kind::get_request, context_.first_rank + rank, c);
  header.cookie = reinterpret_cast<std::uint64_t>(&t);
  const exposed_memory* const exposed = exposed_memory_of(c.window, c.target);
  if (exposed != nullptr &&
      (!staging_ || one_sided_->reaches(reinterpret_cast<const void*>(c.address), c.bytes))) {
    if (one_sided_->try_get(
            process_of(c.target), header, (header.flags & detail::notified_flag) != 0, *exposed,
            exposed->begin + c.offset, reinterpret_cast<void*>(c.address), c.bytes, &t))
      return true;
    transfers_.pop_back();
    return false;
  }
  if (process_transport().try_send(process_of(c.target), header, nullptr, 0, nullptr))
    return true;
  transfers_.pop_back();
  return false;
}

bool engine::send_notify(int rank, const command& c) {
  message_header header = make_header(message_kind::notify, context_.first_rank + rank, c);
  header.bytes = 0;
  const int to = process_of(c.target);
  if (one_sided_ != nullptr ? !one_sided_->try_notify(to, header)
                            : !process_transport().try_send(to, header, nullptr, 0, nullptr))
    return false;
  complete_command(rank);
  return true;
}

// --- Messages for local ranks
// -------------------------------------------------------------------------------------------

std::uint64_t engine::window_address(const message_header& access) {
  const auto& rows = rows_[detail::window_slot(access.window)];
  // A process that is ahead uses a window as soon as it has the rows of all; then they are about to
  // arrive here as well.
  while (rows.empty()) {
    if (!meeting_)
      fatal(text("rank ", access.source, " accesses window ", access.window, " of rank ",
                 access.target, " at ", source_text(site{access.site_file, access.site_line}),
                 ", but the window is not there"));
    advance_meeting();
  }
  return rows[static_cast<std::size_t>(access.target)].base + access.offset;
}

std::optional<void*> engine::landing(const message_header& header) {
  if (staging_) {
    // A buffer is not held while something else is waited for.
    if (header.kind == message_kind::put && !may_access(header))
      return std::nullopt;
    const staging_buffer buffer = staging_->take_incoming(header.bytes);
    if (!buffer)
      return std::nullopt;
    return buffer.memory;
  }
  if (header.kind == message_kind::put)
    return reinterpret_cast<void*>(window_address(header));
  return reinterpret_cast<void*>(reinterpret_cast<transfer*>(header.cookie)->destination);
}

// Until the notification of an earlier get has been delivered, what the same source sends to the
// same target waits; but for replies, which notify nobody and on which that notification may
// depend.
bool engine::is_behind_get(const message_header& header) const {
  return std::any_of(replies_.begin(), replies_.end(), [&](const reply& earlier) {
    return (earlier.request.flags & detail::notified_flag) != 0 &&
           earlier.request.source == header.source && earlier.request.target == header.target;
  });
}

// The data of earlier notifications must be in place before it is overwritten or read by others
// than the rank, which takes it from its inbox in the order in which it came.
bool engine::may_access(const message_header& header) {
  if (is_behind_get(header))
    return false;
  if (!staging_ || header.kind == message_kind::notify)
    return true;
  const std::uint64_t begin = window_address(header);
  return is_in_place(header, begin, begin + header.bytes);
}

bool engine::arrived(const message_header& header, const void* payload) {
  const bool notified = (header.flags & detail::notified_flag) != 0;
  const bool carries = staging_ && header.kind == message_kind::put && notified &&
                       (header.flags & detail::counter_flag) == 0 &&
                       header.bytes <= detail::inline_bytes && payload != nullptr;
  if (header.kind != message_kind::get_reply &&
      (carries ? is_behind_get(header) : !may_access(header)))
    return false;
  // Data of earlier messages of the pair that is on its way to the device.
  const bool behind = staging_ && last_landing(header) != nullptr;
  switch (header.kind) {
  case message_kind::put: {
    const bool ordered = (header.flags & detail::ordered_flag) != 0;
    if (ordered && written_by_network_)
      flush_network_writes(); // M25
    if (staging_) {
      if (ordered && behind)
        return false; // copies may overtake each other
      if (!carries) {
        start_landing(header, payload, window_address(header));
        return true;
      }
      if (behind || !has_room(header))
        return false;
      carry(header, payload);
      return true;
    }
    if (notified && !has_room(header))
      return false;
    auto* const to = reinterpret_cast<void*>(window_address(header));
    if (ordered) {
      std::uint64_t word = 0;
      std::memcpy(&word, payload, sizeof(word));
      store(*static_cast<std::uint64_t*>(to), word, std::memory_order_release); // M22, M24
    } else if (to != payload && header.bytes != 0) {
      copy_bytes(to, payload, header.bytes);
    }
    if (notified)
      deliver(header);
    return true;
  }
  case message_kind::notify:
    if (behind || !has_room(header))
      return false;
    deliver(header);
    return true;
  case message_kind::get_request:
    return !behind && answer(header);
  case message_kind::get_reply: {
    auto& t = *reinterpret_cast<transfer*>(header.cookie);
    if (staging_) {
      start_landing(header, payload, t.destination + header.offset);
      return true;
    }
    auto* const to = reinterpret_cast<void*>(t.destination);
    if (to != payload && header.bytes != 0)
      copy_bytes(to, payload, header.bytes);
    t.completed();
    return true;
  }
  case message_kind::credit:
  case message_kind::define:
    break;
  }
  fatal(text("received a message of unknown kind ", static_cast<int>(header.kind), " from rank ",
             header.source));
}

namespace {

message_header make_reply(const message_header& request) {
  message_header header;
  header.kind = message_kind::get_reply;
  header.source = request.target;
  header.target = request.source;
  header.bytes = request.bytes;
  header.cookie = request.cookie;
  return header;
}

} // namespace

bool engine::answer(const message_header& request) {
  if (written_by_network_)
    flush_network_writes(); // M25, for the copy
  const bool notified = (request.flags & detail::notified_flag) != 0;
  const bool eager = request.bytes <= environment::eager();
  if (staging_) {
    replies_.emplace_back().request = request;
    return true;
  }
  if (notified && eager && !has_room(request))
    return false;
  const message_header header = make_reply(request);
  const int to = process_of(request.source);
  const auto* payload = reinterpret_cast<const char*>(window_address(request));
  if (eager) {
    if (!process_transport().try_send(to, header, payload, request.bytes, nullptr))
      return false;
    if (notified)
      deliver(request);
    return true;
  }
  reply& r = replies_.emplace_back();
  r.request = request;
  if (process_transport().try_send(to, header, payload, request.bytes, &r))
    return true;
  replies_.pop_back();
  return false;
}

bool engine::advance_replies() {
  bool worked = false;
  for (auto r = replies_.begin(); r != replies_.end();) {
    if (staging_ && !r->finished) {
      const bool staged = stage(make_reply(r->request), process_of(r->request.source),
                                window_address(r->request), r->parts);
      worked |= send_pieces(r->parts, no_command);
      r->finished = staged && r->parts.unsent.empty();
    }
    const bool notified = (r->request.flags & detail::notified_flag) != 0;
    if (!r->finished || (notified && !has_room(r->request))) {
      ++r;
      continue;
    }
    if (notified)
      deliver(r->request);
    r = replies_.erase(r);
    worked = true;
  }
  return worked;
}

// Whether a message's notification can be delivered. One that is counted is not behind those in
// the inbox, whose data must be in place before.
bool engine::has_room(const message_header& h) {
  if ((h.flags & detail::counter_flag) != 0)
    return is_in_place(h, 0, ~std::uint64_t{0});
  return inbox(h.target - context_.first_rank).has_room();
}

void engine::deliver(const message_header& h) {
  const int rank = h.target - context_.first_rank;
  if (written_by_network_)
    flush_network_writes(); // M25
  if ((h.flags & detail::counter_flag) != 0) {
    std::uint64_t& arrivals = channel(rank).arrivals[h.tag];
    store(arrivals, arrivals + 1, std::memory_order_release); // M7
  } else {
    inbox(rank).push(h.source, h.tag, h.window);
  }
}

// Delivers a notification with its payload, which the rank puts in place when it takes it.
void engine::carry(const message_header& h, const void* payload) {
  const int rank = h.target - context_.first_rank;
  const std::uint64_t address = window_address(h);
  std::deque<carried_data>& carried = carried_[static_cast<std::size_t>(rank)];
  constexpr std::size_t noted_between_looks = 64;
  if (carried.size() % noted_between_looks == noted_between_looks - 1)
    note_placed(rank);
  carried.push_back({inbox(rank).position, h.source, address, address + h.bytes});
  inbox(rank).push(h.source, h.tag, h.window, address, payload,
                   static_cast<std::uint32_t>(h.bytes));
}

// Forgets what a rank has put in place.
void engine::note_placed(int rank) {
  std::deque<carried_data>& carried = carried_[static_cast<std::size_t>(rank)];
  const rank_channel& from = channel(rank);
  const std::uint64_t placed = std::max(load(from.inbox.placed, std::memory_order_acquire),
                                        load(from.inbox.taken, std::memory_order_acquire)); // M19
  while (!carried.empty() && carried.front().position < placed)
    carried.pop_front();
}

// Whether all data that earlier messages of a message's pair carry to [begin, end) is in place.
bool engine::is_in_place(const message_header& after, std::uint64_t begin, std::uint64_t end) {
  const int rank = after.target - context_.first_rank;
  const std::deque<carried_data>& carried = carried_[static_cast<std::size_t>(rank)];
  if (carried.empty())
    return true;
  note_placed(rank);
  return std::none_of(carried.begin(), carried.end(), [&](const carried_data& one) {
    return one.source == after.source && begin < one.end && one.begin < end;
  });
}

bool engine::all_in_place() {
  for (int rank = 0; rank < ranks_; ++rank)
    note_placed(rank);
  return std::all_of(carried_.begin(), carried_.end(),
                     [](const std::deque<carried_data>& one) { return one.empty(); });
}

// --- Payloads through buffers
// -------------------------------------------------------------------------------------------

void engine::piece::completed() {
  buffer.give_back();
  finished = true;
  owner->piece_finished_ = true;
}

// Starts to copy the next parts of a payload from the device. False: some are left, for want of
// buffers, or because CUDA has been given enough at a time: the first part is to leave soon.
bool engine::stage(const message_header& whole, int to, std::uint64_t source, pieces_of& parts) {
  constexpr int at_a_time = 2;
  for (int started = 0; parts.staged < whole.bytes; ++started) {
    if (started == at_a_time)
      return false;
    const std::size_t bytes =
        std::min<std::uint64_t>(staging_->chunk(), whole.bytes - parts.staged);
    const staging_buffer buffer = staging_->take_outgoing(bytes);
    if (!buffer)
      return false;
    piece& p = pieces_.emplace_back();
    p.owner = this;
    p.header = whole;
    p.header.offset += parts.staged;
    p.header.bytes = bytes;
    p.process = to;
    p.buffer = buffer;
    p.stream = &staging_->from_device(bytes);
    p.copied =
        p.stream->start(buffer.memory, reinterpret_cast<const void*>(source + parts.staged), bytes);
    parts.staged += bytes;
    p.last = parts.staged == whole.bytes;
    if (!p.last)
      p.header.flags &= detail::region_flag;
    parts.unsent.push_back(&p);
  }
  return true;
}

// Sends what has been copied; rank: whose commands these are, or no_command.
bool engine::send_pieces(pieces_of& parts, int rank) {
  bool worked = false;
  while (!parts.unsent.empty()) {
    piece& p = *parts.unsent.front();
    if (!p.stream->is_done(p.copied))
      break;
    const exposed_memory* const exposed = p.header.kind == message_kind::put
                                              ? exposed_memory_of(p.header.window, p.header.target)
                                              : nullptr;
    const bool read_there =
        exposed == nullptr && p.buffer.number != 0 && staging_->is_mapped_by(p.process);
    if (exposed != nullptr) {
      // Also where the processes map each other's buffers: all data of a window takes one way.
      if (!one_sided_->try_put(p.process, p.header, (p.header.flags & detail::notified_flag) != 0,
                               *exposed, exposed->begin + p.header.offset, p.buffer.memory,
                               p.header.bytes, false, &p))
        break;
    } else if (read_there) {
      p.header.buffer = p.buffer.number; // the other process gives it back
      if (!process_transport().try_send(p.process, p.header, nullptr, 0, nullptr))
        break;
      p.finished = piece_finished_ = true;
    } else if (!process_transport().try_send(p.process, p.header, p.buffer.memory, p.header.bytes,
                                             &p)) {
      break;
    }
    parts.unsent.pop_front();
    if (p.last && rank != no_command)
      complete_command(rank);
    worked = true;
  }
  return worked;
}

// Starts to copy a payload to the device. What ranks of one process put to the same place one after
// the other, as stages of a persistent region do, is of several pairs, and stays in the order in
// which it came.
void engine::start_landing(const message_header& header, const void* payload, std::uint64_t to) {
  staging_buffer buffer;
  if (header.buffer != 0) {
    buffer = staging_->of(process_of(header.source), header.buffer);
  } else if (header.bytes > environment::eager()) {
    buffer = staging_->incoming_at(payload);
  } else {
    // All small ones are on their way to the device, and come back when they are there.
    while (!(buffer = staging_->take_incoming(header.bytes))) {
      staging_->poll();
      finish_landings();
    }
    std::memcpy(buffer.memory, payload, header.bytes);
  }
  // Copies of one stream do not overtake each other (M26).
  const landing_piece* const earlier = last_landing(header);
  copy_stream& stream =
      earlier != nullptr && earlier->buffer ? *earlier->stream : staging_->to_device(header.bytes);
  for (const landing_piece& other : landings_)
    while (other.stream != &stream && other.to < to + header.bytes &&
           to < other.to + other.header.bytes && !other.stream->is_done(other.copied))
      staging_->poll();
  landings_.push_back({header, buffer, &stream,
                       stream.start(reinterpret_cast<void*>(to), buffer.memory, header.bytes), to});
}

// The last part of a pair that is on its way to the device, or waits for room for its notification.
const engine::landing_piece* engine::last_landing(const message_header& pair) const {
  const auto found =
      std::find_if(landings_.rbegin(), landings_.rend(), [&](const landing_piece& one) {
        return one.header.source == pair.source && one.header.target == pair.target &&
               (one.header.kind == message_kind::get_reply) ==
                   (pair.kind == message_kind::get_reply);
      });
  return found == landings_.rend() ? nullptr : &*found;
}

// Notifications of a pair are delivered in the order of its messages.
bool engine::finish_landings() {
  bool worked = false;
  for (auto l = landings_.begin(); l != landings_.end();) {
    if (!l->stream->is_done(l->copied)) {
      ++l;
      continue;
    }
    if (l->buffer) {
      l->buffer.give_back();
      worked = true;
    }
    const message_header& h = l->header;
    if (h.kind == message_kind::get_reply) {
      auto& t = *reinterpret_cast<transfer*>(h.cookie);
      t.missing -= h.bytes;
      if (t.missing == 0)
        t.completed();
    } else if ((h.flags & detail::notified_flag) != 0) {
      const bool first = std::none_of(landings_.begin(), l, [&](const landing_piece& one) {
        return one.header.kind != message_kind::get_reply && one.header.source == h.source &&
               one.header.target == h.target;
      });
      if (!first || !has_room(h)) {
        ++l;
        continue;
      }
      deliver(h);
    }
    l = landings_.erase(l);
    worked = true;
  }
  return worked;
}

// --- Collectives
// --------------------------------------------------------------------------------------------------------

void engine::start_meeting(directive what, int rank, std::uint32_t window, site where) {
  if (meeting_)
    fatal("two collectives of one launch at a time; the ranks do not agree on their order");
  meeting& m = meeting_.emplace(meeting{what, window, where, rank});
  // A new window has nothing to wait for.
  m.sealed.assign(static_cast<std::size_t>(processes_),
                  one_sided_ == nullptr || what == directive::window_create);
  if (seal_puts())
    start_agreement();
}

// Puts that do not notify are no messages that could be counted; whether all are behind one.
bool engine::seal_puts() {
  meeting& m = *meeting_;
  for (int p = 0; p < processes_; ++p) {
    auto sealed = m.sealed[static_cast<std::size_t>(p)];
    if (!sealed)
      sealed = p == process().rank || one_sided_->try_seal(p);
  }
  return std::find(m.sealed.begin(), m.sealed.end(), false) == m.sealed.end();
}

void engine::start_agreement() {
  meeting& m = *meeting_;
  const auto processes = static_cast<std::size_t>(processes_);
  m.told.assign(processes, arrival{m.what, m.window, m.where.file, m.where.line, 0});
  m.heard.resize(processes);
  for (int p = 0; p < processes_; ++p) {
    if (p != process().rank)
      m.told[static_cast<std::size_t>(p)].sent = process_transport().sent(p);
  }
  m.now = meeting::step::agree;
  m.operation = process_transport().start_alltoall(m.told.data(), sizeof(arrival), m.heard.data());
}

// All processes must mean the same collective, since what follows is not the same for all.
void engine::check_agreement() const {
  const meeting& m = *meeting_;
  const auto described = [](const arrival& one) {
    const site where{one.site_file, one.site_line};
    return text(directive_name(one.what),
                one.window != detail::no_window_id ? " " + window_text(one.window) : "",
                one.what != directive::end ? " at " + source_text(where) : "");
  };
  const auto self = static_cast<std::size_t>(process().rank);
  for (std::size_t p = 0; p < m.heard.size(); ++p) {
    const arrival& other = m.heard[p];
    if (other.what != m.what || other.window != m.window)
      fatal(text("processes disagree: the ranks of process ", self, " are at: ",
                 described(m.told[self]), "; those of process ", p, " are at: ", described(other),
                 "; all ranks come to barriers, to windows and to the ends of their scopes in the "
                 "same order"));
  }
}

void engine::gather_window_rows() {
  meeting& m = *meeting_;
  const auto widest =
      static_cast<std::size_t>(*std::max_element(device_sizes_.begin(), device_sizes_.end()));
  m.mine.resize(widest);
  m.all.resize(widest * static_cast<std::size_t>(processes_));
  std::vector<window_row> rows(static_cast<std::size_t>(ranks_));
  copy_bytes(rows.data(),
             context_.world_rows + std::size_t{detail::window_slot(m.window)} * process_of_.size() +
                 static_cast<std::size_t>(context_.first_rank),
             rows.size() * sizeof(window_row));
  const bool shares = std::any_of(peer_queues_.begin(), peer_queues_.end(),
                                  [](std::uint64_t queues) { return queues != 0; });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // Often all ranks have the same memory, and CUDA takes 100 ns to say what it is.
    if (i > 0 && rows[i].base == rows[i - 1].base && rows[i].bytes == rows[i - 1].bytes) {
      m.mine[i] = m.mine[i - 1];
      m.mine[i].row = rows[i];
      continue;
    }
    m.mine[i].row = rows[i];
    if (shares && rows[i].bytes != 0)
      m.mine[i].allocation = peers_.share(rows[i].base);
    if (one_sided_ != nullptr && rows[i].bytes != 0)
      m.mine[i].exposed = expose(rows[i]);
  }
  m.now = meeting::step::gather;
  m.operation = process_transport().start_allgather(m.mine.data(), widest * sizeof(exposed_row),
                                                    m.all.data());
}

bool engine::advance_meeting() {
  meeting& m = *meeting_;
  if (m.operation && !m.operation->test())
    return false;
  switch (m.now) {
  case meeting::step::seal:
    if (!seal_puts())
      return false;
    start_agreement();
    return true;
  case meeting::step::agree:
    m.operation.reset();
    check_agreement();
    if (m.what == directive::window_create)
      gather_window_rows();
    else
      m.now = meeting::step::await_messages;
    return true;
  case meeting::step::gather:
    finish_window_rows();
    break;
  case meeting::step::await_messages:
    for (int p = 0; p < processes_; ++p) {
      if (p != process().rank &&
          process_transport().processed(p) < m.heard[static_cast<std::size_t>(p)].sent)
        return false;
    }
    if (!replies_.empty() || !landings_.empty())
      return false;
    if (written_by_network_)
      flush_network_writes(); // M25, of puts that did not notify
    // When a launch ends, nobody takes anything any more.
    if (m.what != directive::end && !all_in_place())
      return false;
    m.operation = process_transport().start_barrier();
    m.now = meeting::step::leave;
    return true;
  case meeting::step::leave:
    break;
  }
  const bool of_ranks = m.what != directive::end;
  const int rank = m.rank;
  if (m.what == directive::window_free) {
    const unsigned slot = detail::window_slot(m.window);
    rows_[slot].clear();
    exposed_[slot].clear();
  }
  meeting_.reset();
  if (of_ranks) {
    complete_command(rank);
    store(*collectives_, *collectives_ + 1, std::memory_order_release); // M8
  }
  return true;
}

// Lets the other processes access a rank's window memory themselves, if the transport can.
exposed_memory engine::expose(const window_row& row) {
  std::string reason = "it is a distributed array held in several pieces";
  // Of a distributed array what is there, at its place in the whole.
  allocation there{row.base, row.bytes, 0, false};
  static_cast<void>(find_distributed(reinterpret_cast<const void*>(row.base), there));
  exposed_memory exposed{};
  if (!is_held_in_pieces(reinterpret_cast<const void*>(row.base)))
    exposed = one_sided_->expose(reinterpret_cast<const void*>(there.base), there.bytes, reason);
  exposed.begin = row.base;
  if (exposed.granted != 0)
    written_by_network_ = true;
  else
    log(log_level::info,
        text("launch ", launches_, ": puts to window ", row.window, " go as messages: ", reason));
  return exposed;
}

void engine::finish_window_rows() {
  const meeting& m = *meeting_;
  const unsigned slot = detail::window_slot(m.window);
  std::vector<window_row>& rows = rows_[slot];
  rows.resize(process_of_.size());
  std::vector<exposed_memory>& exposed_rows = exposed_[slot];
  exposed_rows.resize(rows.size());
  const std::size_t widest = m.mine.size();
  const auto self = static_cast<std::size_t>(process().rank);
  for (std::size_t p = 0; p < device_sizes_.size(); ++p) {
    const exposed_row* const exposed = &m.all[p * widest];
    const auto ranks = static_cast<std::size_t>(device_sizes_[p]);
    for (std::size_t i = 0; i < ranks; ++i) {
      window_row& row = rows[static_cast<std::size_t>(first_ranks_[p]) + i];
      row = exposed[i].row;
      exposed_rows[static_cast<std::size_t>(first_ranks_[p]) + i] = exposed[i].exposed;
      if (p == self || row.bytes == 0)
        continue;
      row.reached = 0;
      if (!is_peer(static_cast<int>(p)) || exposed[i].allocation.base == 0)
        continue;
      std::string reason;
      const std::uint64_t here = peers_.map(static_cast<int>(p), exposed[i].allocation, reason);
      if (here == 0) {
        fatal(text("the window memory of rank ", first_ranks_[p] + static_cast<int>(i),
                   " cannot be mapped by process ", self, ": ", reason,
                   "; use GPURMA_ROUTE=proxy"));
      }
      row.reached = here + (row.base - exposed[i].allocation.base);
    }
  }
  notify_by_hosts();
  copy_bytes(context_.world_rows + std::size_t{slot} * rows.size(), rows.data(),
             rows.size() * sizeof(window_row)); // M13
}

// Where a process cannot share the memory of a new window (managed memory, cudaMallocAsync), puts
// to it go through the hosts. For their order, the notifications between the two processes do so
// too, from here on.
void engine::notify_by_hosts() {
  const meeting& m = *meeting_;
  const std::size_t widest = m.mine.size();
  const auto shares_all = [&](std::size_t p) {
    const exposed_row* const exposed = &m.all[p * widest];
    return std::all_of(exposed, exposed + device_sizes_[p], [](const exposed_row& each) {
      return each.row.bytes == 0 || each.allocation.base != 0;
    });
  };
  const bool shares = shares_all(static_cast<std::size_t>(process().rank));
  const int before = context_.proxied;
  for (std::size_t p = 0; p < device_sizes_.size(); ++p) {
    if (static_cast<int>(p) == process().rank || !is_peer(static_cast<int>(p)) || by_hosts_[p] ||
        (shares && shares_all(p)))
      continue;
    by_hosts_[p] = true;
    ++context_.proxied;
    const std::vector<detail::route> routes(static_cast<std::size_t>(device_sizes_[p]));
    copy_bytes(const_cast<detail::route*>(context_.routes) + first_ranks_[p], routes.data(),
               routes.size() * sizeof(detail::route));
    log(log_level::info, text("launch ", launches_, ": process ", p,
                              " is reached through the host from here on: window memory that is "
                              "managed, or not from cudaMalloc, cannot be mapped"));
  }
  if (context_.proxied == before)
    return;
  context_.peer_meetings = nullptr;
  copy_bytes(context_memory_.data(), &context_, sizeof(context_)); // M13
}

// --- Reports
// ------------------------------------------------------------------------------------------------------------

namespace {

// Notifications that have come to a rank and that what it is in, by its status, does not take.
std::string kept_text(const rank_memory& memory, const rank_channel& channel) {
  const auto relaxed = std::memory_order_relaxed; // M12
  std::string kept;
  if (const std::uint32_t count = load(channel.kept.count, relaxed); count != 0) {
    const std::uint32_t window = load(channel.kept.window, relaxed);
    kept = text(count, count == 1 ? ", from rank " : ", the first from rank ",
                load(channel.kept.source, relaxed), " with tag ", load(channel.kept.tag, relaxed));
    if (window != detail::no_window_id)
      kept += " for window " + window_text(window);
  }
  const bool counts = load(channel.status.peer, relaxed) == any_source;
  for (int tag = 0; tag < counter_tags; ++tag) {
    const std::uint64_t left = load(memory.arrivals[tag], relaxed) +
                               load(channel.arrivals[tag], relaxed) -
                               load(memory.consumed[tag], relaxed);
    if (left != 0 && !(counts && load(channel.status.tag, relaxed) == tag))
      kept += text(kept.empty() ? "" : "; ", left, " counted with tag ", tag);
  }
  return kept;
}

} // namespace

std::vector<wait_record> engine::snapshot() const {
  const auto n = static_cast<std::size_t>(ranks_);
  std::vector<wait_record> records(n);
  std::vector<bool> opened(n);
  for (std::size_t i = 0; i < n; ++i)
    opened[i] = load(channels_[i].opened, std::memory_order_acquire) != 0; // M15
#if GPURMA_TARGET_CUDA
  // If it does not come, what there is from before will do: most of a table is in the channels.
  if (std::find(opened.begin(), opened.end(), true) != opened.end())
    static_cast<void>(try_copy_bytes(watched_ranks_, context_.ranks, n * sizeof(rank_memory)));
#endif
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(sightings_mutex_);
  for (std::size_t i = 0; i < n; ++i) {
    const rank_memory& memory = host_reaches_device ? context_.ranks[i] : watched_ranks_[i];
    const detail::wait_status& status = channels_[i].status;
    const auto relaxed = std::memory_order_relaxed; // M12
    wait_record& r = records[i];
    r.rank = context_.first_rank + static_cast<int>(i);
    if (!opened[i]) {
      r.now = wait_record::state::starting;
      continue;
    }
    r.progress = load(memory.directives, relaxed);
    r.polls = load(memory.polls, relaxed);
    r.works = load(memory.works, relaxed);
    const auto what = static_cast<directive>(load(status.what, relaxed));
    if (load(memory.finished, relaxed) != 0) {
      r.now = wait_record::state::finished;
      continue;
    }
    if (what == directive::none)
      continue;
    // A test that found nothing leaves its status for the table.
    if (what != directive::test)
      r.now = wait_record::state::in_directive;
    r.directive = directive_name(what);
    r.where = source_text(site{load(status.site_file, relaxed), load(status.site_line, relaxed)});
    const bool matches = what == directive::wait || what == directive::test;
    const bool sends = detail::is_sending(what);
    const std::uint32_t window = load(status.window, relaxed);
    const bool meets = what == directive::barrier;
    if (meets)
      r.directive += detail::window_comm(window) == comm::world ? " comm(world)" : " comm(device)";
    r.window = window != detail::no_window_id && !meets ? window_text(window) : "-";
    r.source = matches || sends ? source_or_tag_text(load(status.peer, relaxed)) : "-";
    r.tag = matches || sends ? source_or_tag_text(load(status.tag, relaxed)) : "-";
    r.wanted = load(status.wanted, relaxed);
    r.arrived = load(status.arrived, relaxed);
    if (matches)
      r.kept = kept_text(memory, channels_[i]);
    if (sends)
      r.hindrance = hindrance_text(static_cast<detail::hindrance>(r.wanted), r.source);
    const std::uint64_t begun = load(status.begun, relaxed);
    sighting& seen = sightings_[i];
    if (seen.begun != begun)
      seen = sighting{begun, now};
    r.seconds = std::chrono::duration<double>(now - seen.since).count();
  }
  return records;
}

void engine::report_unconsumed() {
  const auto n = static_cast<std::size_t>(ranks_);
  const rank_memory* const memory = final_ranks_;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t left = memory[i].left + memory[i].mailbox_tickets - memory[i].mailbox_taken +
                         inboxes_[i].position - memory[i].inbox_taken;
    for (int tag = 0; tag < counter_tags; ++tag)
      left += memory[i].arrivals[tag] + channels_[i].arrivals[tag] - memory[i].consumed[tag];
    if (left == 0)
      continue;
    log(log_level::info,
        text("launch ", launches_, ": rank ", context_.first_rank + static_cast<int>(i),
             " ended with ", left, " notifications that no wait or test has consumed"));
  }
}

void engine::check_device_error() const {
  if (!running() || load(error_->code, std::memory_order_acquire) == 0)
    return; // M14
  device_error(*error_);
}

} // namespace gpurma::host
