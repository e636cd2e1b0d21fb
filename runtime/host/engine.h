// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's part of a running rank kernel: the queues of its ranks, the commands that they give,
// messages of other processes for them, collectives, and what the watchdog wants to know.
// docs/runtime.md has the protocols.
#ifndef GPURMA_HOST_ENGINE_H
#define GPURMA_HOST_ENGINE_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <gpurma/device/formats.h>

#include "host/memory.h"
#include "host/peers.h"
#include "host/rings.h"
#include "host/staging.h"
#include "host/watchdog.h"
#include "transport/transport.h"

namespace gpurma::host {

class engine final : private receiver, private wait_table {
public:
  // What a launch needs of memory. Made when the launch is enqueued, so that nothing has to be
  // asked of CUDA between its beginning and its kernel.
  struct plan {
    int ranks;                       // on this device
    detail::launch_context context;  // complete but for what other processes decide
    detail::notification* mailboxes; // of rank 0; device memory
    detail::ring_entry* rings;       // likewise
    detail::meeting_point** peer_meetings;
    void* zeroed; // device memory that starts as zero
    std::size_t zeroed_bytes;
    void* shared_zeroed; // likewise, of memory that host and device reach
    std::size_t shared_zeroed_bytes;
    // Copied to and from the device on the stream.
    detail::launch_context* staged_context;
    detail::route* staged_routes;
    detail::meeting_point** staged_meetings;
    detail::rank_memory* staged_ranks;
    detail::rank_memory* watched_ranks; // what the watchdog sees of the ranks' memory
  };

  // most_ranks: that all devices together can have.
  explicit engine(std::size_t most_ranks);
  ~engine();
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  // Where kernels find the context of a launch: the same address for all.
  const detail::launch_context* context() const;

  plan make_plan(int ranks);

  // Puts on the stream what stands before begin (ranks of other processes may use this device's
  // queues as soon as it has happened), between begin and the kernel, and between the kernel and
  // end.
  void enqueue_before_begin(const plan& launch, cudaStream_t stream) const;
  void enqueue_before_kernel(const plan& launch, cudaStream_t stream) const;
  void enqueue_after_kernel(const plan& launch, cudaStream_t stream) const;

  // Prepares a launch, without work for the device. Collective over all processes, for which `what`
  // is the same; no launch may be open.
  void begin(const plan& launch, const std::string& what);
  // When the kernel has ended here: waits until it has ended everywhere and all that ranks sent has
  // arrived. Collective.
  void end();

  // Moves commands and messages; returns whether anything happened. Does nothing if another thread
  // is at it.
  bool progress();

  // Between begin and end.
  bool running() const { return running_.load(std::memory_order_acquire); }
  // Whether there is anything that progress() can do.
  bool has_remote_ranks() const { return processes_ > 1; }

  // Lets go of memory of other processes that they have freed. Before a launch is enqueued.
  void close_stale_mappings() { peers_.close_stale(); }

  // Ends all processes if a rank of the CUDA target has reported an error.
  void check_device_error() const;

private:
  // A put whose payload the transport still reads, or a get whose answer has not come.
  struct transfer final : completion {
    engine* owner = nullptr;
    int rank = 0; // device rank that gave the command
    bool finished = false;
    std::uint64_t destination = 0; // of a get
    std::uint64_t missing = 0;     // bytes of its answer
    void completed() override;
  };
  // A part of a payload, in a buffer: first it is copied from the device, then it is sent.
  struct piece final : completion {
    engine* owner = nullptr;
    message_header header;
    int process = 0;
    staging_buffer buffer;
    copy_stream* stream = nullptr;
    copy_stream::ticket copied = 0;
    bool last = false; // of its payload
    bool finished = false;
    void completed() override;
  };
  // The parts of a rank's puts, or of an answer, that have not been sent, in their order.
  struct pieces_of {
    std::uint64_t staged = 0; // bytes of the payload that is being divided
    std::deque<piece*> unsent;
  };
  // An answer to a get of another process that the transport still reads, or that has not been
  // sent; then its notification is due.
  struct reply final : completion {
    message_header request;
    bool finished = false;
    pieces_of parts;
    void completed() override { finished = true; }
  };
  // A part of a payload on its way from a buffer to the device; then what its header says is due.
  struct landing_piece {
    message_header header;
    staging_buffer buffer; // nothing once the copy is done
    copy_stream* stream;
    copy_stream::ticket copied;
    std::uint64_t to; // address on the device
  };
  // Data in an entry of a rank's inbox that may not be in place.
  struct carried_data {
    std::uint64_t position;
    int source;
    std::uint64_t begin; // addresses
    std::uint64_t end;
  };
  // What a process tells the others of a rank's part of a window.
  struct exposed_row {
    detail::window_row row;
    shared_allocation allocation;
    exposed_memory exposed;
  };
  // What a process tells the others of its memory when a launch begins.
  struct launch_info {
    int ranks;
    int node;
    std::uint32_t mailbox_entries;
    std::uint32_t ranks_at; // offsets in the allocation, in units of 64 bytes
    std::uint32_t mailboxes_at;
    std::uint32_t rings_at;
    std::uint32_t meeting_at;
    bool proxy_only;
    device_name device;
    shared_allocation memory;
  };
  // What a process tells another one at the beginning of a collective: which one it has come to,
  // and how many messages it has sent there.
  struct arrival {
    detail::directive what;
    std::uint32_t window;
    std::uint32_t site_file;
    std::uint32_t site_line;
    std::uint64_t sent;
  };
  // A collective over all processes: what is done, and how far.
  struct meeting {
    enum class step { seal, agree, gather, await_messages, leave };
    detail::directive what; // window_create, window_free, barrier or end
    std::uint32_t window;
    site where;
    int rank; // device rank that asked for it
    step now = step::seal;
    std::unique_ptr<collective> operation{};
    std::vector<exposed_row> mine{};
    std::vector<exposed_row> all{};
    std::vector<arrival> told{};  // by process
    std::vector<arrival> heard{}; // likewise
    std::vector<bool> sealed{};   // likewise
  };

  // receiver
  std::optional<void*> landing(const message_header& header) override;
  bool arrived(const message_header& header, const void* payload) override;

  // wait_table
  std::vector<wait_record> snapshot() const override;
  std::uint64_t host_progress() const override { return steps_.load(std::memory_order_relaxed); }

  std::vector<std::uint64_t> map_queues(const std::vector<launch_info>& all);
  bool run_commands(int rank);
  bool execute(int rank, const detail::command_entry& entry);
  bool send_put(int rank, const detail::command_entry& entry);
  bool send_in_place(int rank, const detail::command& c, const message_header& header,
                     const exposed_memory* exposed);
  bool send_get(int rank, const detail::command& command);
  bool send_notify(int rank, const detail::command& command);
  void complete_command(int rank);
  void start_meeting(detail::directive what, int rank, std::uint32_t window, site where);
  bool advance_meeting();
  bool seal_puts();
  void start_agreement();
  void check_agreement() const;
  void gather_window_rows();
  void finish_window_rows();
  exposed_memory expose(const detail::window_row& row);
  const exposed_memory* exposed_memory_of(std::uint32_t window, int target) const;
  void notify_by_hosts();
  bool answer(const message_header& request);
  bool advance_replies();

  // Payloads through buffers.
  bool stage(const message_header& whole, int to, std::uint64_t source, pieces_of& parts);
  bool send_pieces(pieces_of& parts, int rank);
  void start_landing(const message_header& header, const void* payload, std::uint64_t to);
  bool finish_landings();
  const landing_piece* last_landing(const message_header& pair) const;
  void note_placed(int rank);
  bool is_in_place(const message_header& after, std::uint64_t begin, std::uint64_t end);
  bool all_in_place();

  bool is_behind_get(const message_header& header) const;
  bool may_access(const message_header& header);
  bool has_room(const message_header& notified);
  void carry(const message_header& put, const void* payload);
  void deliver(const message_header& notified);
  std::uint64_t window_address(const message_header& access);
  void report_unconsumed();

  detail::rank_channel& channel(int rank) const { return channels_[rank]; }
  inbox_producer& inbox(int rank) { return inboxes_[static_cast<std::size_t>(rank)]; }
  bool is_peer(int of) const { return peer_queues_[static_cast<std::size_t>(of)] != 0; }
  int process_of(int world_rank) const { return process_of_[static_cast<std::size_t>(world_rank)]; }

  mutable std::mutex mutex_; // all below but atomics
  std::atomic<bool> running_ = false;
  std::atomic<std::uint64_t> steps_ = 0;
  std::uint64_t launches_ = 0;

  detail::launch_context context_{}; // as the device sees it
  int processes_ = 1;
  int ranks_ = 0;
  std::vector<int> device_sizes_; // by process
  std::vector<int> first_ranks_;  // by process
  std::vector<int> process_of_;   // by world rank
  peer_memory peers_;
  std::vector<std::uint64_t> peer_queues_; // by process: its queues here, or 0
  std::vector<bool> by_hosts_;             // by process: notify_by_hosts() has changed the route

  const std::size_t most_ranks_;
  memory_block<memory_kind::device> context_memory_;
  memory_block<memory_kind::device> device_memory_;
  memory_block<memory_kind::shared> shared_memory_;
  // A rank's entries have the same place in each launch, so that only those are cleared that the
  // one before has used.
  memory_block<memory_kind::shared> command_memory_;
  memory_block<memory_kind::shared> inbox_memory_;
  detail::rank_channel* channels_ = nullptr;
  std::uint64_t* collectives_ = nullptr;
  detail::error_record* error_ = nullptr;
  detail::rank_memory* watched_ranks_ = nullptr;
  const detail::rank_memory* final_ranks_ =
      nullptr; // what ranks_ looked like when the kernel ended

  std::vector<std::uint64_t> completed_;              // by device rank: commands
  std::vector<command_consumer> commands_;            // by device rank
  std::vector<inbox_producer> inboxes_;               // by device rank
  std::vector<std::vector<detail::window_row>> rows_; // by slot of world windows, then world rank
  remote_access* one_sided_ = nullptr;                // null: the transport has messages only
  std::vector<std::vector<exposed_memory>> exposed_;  // as rows_
  // Whether network devices write this process's windows without the host's copies.
  bool written_by_network_ = false;
  std::optional<meeting> meeting_;
  std::list<transfer> transfers_;
  std::list<reply> replies_;
  bool transfer_finished_ = false;

  // Null: the transport reads and writes the device's memory itself.
  std::unique_ptr<staging> staging_;
  std::list<piece> pieces_;
  bool piece_finished_ = false;
  std::vector<pieces_of> leaving_;                // by device rank: of its puts
  int first_served_ = 0;                          // rank whose commands come first
  std::list<landing_piece> landings_;             // in the order of their messages
  std::vector<std::deque<carried_data>> carried_; // by device rank, in the order of its inbox

  // When a rank began what it waits for, as far as snapshots have seen.
  struct sighting {
    std::uint64_t begun = 0;
    std::chrono::steady_clock::time_point since;
  };
  mutable std::mutex sightings_mutex_;
  mutable std::vector<sighting> sightings_;
};

} // namespace gpurma::host

#endif
