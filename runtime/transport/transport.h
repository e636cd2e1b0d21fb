// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How bytes and notifications reach another process. One implementation per folder (mpi/, verbs/,
// self/).
#ifndef GPURMA_TRANSPORT_TRANSPORT_H
#define GPURMA_TRANSPORT_TRANSPORT_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace gpurma::host {

enum class message_kind : std::uint8_t {
  put,         // payload for a window of the target rank
  get_request, // asks for bytes of a window of the target rank
  get_reply,   // payload for the origin of a get_request
  notify,      // no payload
  credit,      // the transport's own: processed messages are given back to their sender
  define       // the transport's own: what a later number stands for
};

// Bit of message_header::flags: see transport.
inline constexpr std::uint8_t keeps_place_flag = 16;

// Metadata of one message. The transport reads kind, source, target and bytes, and keeps_place_flag
// (then flags, and offset, too), and sets the last four fields; everything else is between the two
// receivers.
struct message_header {
  message_kind kind = message_kind::notify;
  std::uint8_t flags = 0;
  std::uint16_t buffer = 0; // of the sender, that holds the payload if it is not in the message
  std::int32_t source = 0;  // world rank that sends
  std::int32_t target = 0;  // world rank that it is for
  std::uint32_t window = 0;
  std::uint64_t offset = 0; // in bytes
  std::uint64_t bytes =
      0; // length of the payload; in a get_request, which has none, of what is asked for
  std::uint64_t cookie = 0;
  std::int32_t tag = 0;
  std::uint32_t site_file = 0; // gpurma::site of the directive, for error messages at the target
  std::uint32_t site_line = 0;
  std::uint16_t carriage = 0; // how the payload travels
  std::uint16_t reserved_2 = 0;
  std::uint32_t returned =
      0; // messages processed for the process that this goes to, not yet reported to it
  std::uint32_t data_tag = 0; // tells a large payload from others
};
static_assert(sizeof(message_header) == 64, "the wire format is one cache line");

// Told when a payload may be reused. completed() runs on a thread that is in try_send or progress;
// it may call try_send.
class completion {
public:
  virtual void completed() = 0;

protected:
  ~completion() = default;
};

// Where messages go. Calls come from one thread at a time, whichever is in progress().
class receiver {
public:
  // Where the payload of a message that is too large to travel with its header is to be received;
  // called when all earlier messages of its order (see transport) have been taken. Null: the
  // transport provides a temporary buffer. Nothing: not now, and it is asked again in a later
  // progress().
  virtual std::optional<void*> landing(const message_header& header) = 0;

  // A message has come; payload is the landing address for large ones, null if there is none, and
  // valid only during the call. Returns false if it cannot be taken now (a full ring, no resources
  // to reply): the same message is offered again in a later progress(), later messages of its
  // order wait behind it, and no others are delayed.
  virtual bool arrived(const message_header& header, const void* payload) = 0;

protected:
  ~receiver() = default;
};

// A collective operation in flight.
class collective {
public:
  virtual ~collective() = default;
  virtual bool test() = 0; // whether it is complete; stays true
};

// Collective operations of the hosts.
class collectives {
public:
  virtual ~collectives() = default;

  // Collective over all processes; every process starts them in the same order. Buffers stay until
  // test() is true.
  virtual std::unique_ptr<collective> start_barrier() = 0;
  // Each process gives `bytes` bytes; `all` has room for size times that.
  virtual std::unique_ptr<collective> start_allgather(const void* mine, std::size_t bytes,
                                                      void* all) = 0;
  // Block p of `to` (`bytes` long) goes to process p; block p of `from` comes from process p.
  virtual std::unique_ptr<collective> start_alltoall(const void* to, std::size_t bytes,
                                                     void* from) = 0;
};

// An allocation of this process, for a network to register.
struct allocation {
  std::uint64_t base = 0; // 0: none holds the address that was asked for
  std::uint64_t bytes = 0;
  std::uint64_t id = 0; // tells it from later allocations at the same address
  bool on_gpu = false;  // the host does not reach it, a network device perhaps
};

// What a transport asks about memory of this process.
struct memory_questions {
  // The allocation that holds an address.
  allocation (*find)(const void* address) = nullptr;
  // A file descriptor (dma-buf) of an allocation on a GPU, for the caller to close; negative:
  // `reason` says why there is none.
  int (*export_dmabuf)(const allocation& of, std::string& reason) = nullptr;
};

// What a process tells the others of memory that they may write and read without its help.
struct exposed_memory {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::uint32_t key = 0;
  std::uint32_t granted = 0; // 0: it must be asked by messages
};

// Accesses of other processes' memory in which they take no part (MPI RMA). They keep the order of
// their (source rank, target rank) pair with each other and with the pair's messages: what a put
// writes is in place when the receiver there is given any later message of the pair. Called by the
// thread that is in progress(), or by one that keeps others out of it.
class remote_access {
public:
  virtual ~remote_access() = default;

  // Forgets what it knows of allocations that have been freed, and asks `ask` from now on. No
  // access may be under way, and between two calls none of the memory used may be freed.
  virtual void forget_freed(const memory_questions& ask) = 0;

  // Whether it can use [begin, begin + bytes) in place, as a put's payload or a get's destination.
  virtual bool reaches(const void* begin, std::size_t bytes) = 0;

  // Makes [begin, begin + bytes) accessible. Not granted: `reason` says why.
  virtual exposed_memory expose(const void* begin, std::size_t bytes, std::string& reason) = 0;

  // Each never blocks; false: no resources now, nothing has happened, try again after progress().
  // header: source, target, and what the receiver is told of the access, as a message of kind
  // notify without payload, if it is `notified`.
  //
  // Writes `bytes` bytes from `payload` to `to`, then notifies. `done` is told when the payload may
  // be reused, perhaps before the call returns. copy: the payload may be reused as soon as the call
  // returns, and the host reads it; not more than GPURMA_EAGER bytes.
  virtual bool try_put(int process, const message_header& header, bool notified,
                       const exposed_memory& memory, std::uint64_t to, const void* payload,
                       std::size_t bytes, bool copy, completion* done) = 0;
  // Reads `bytes` bytes from `from` to `destination`, then notifies; `done` is told when they are
  // there.
  virtual bool try_get(int process, const message_header& header, bool notified,
                       const exposed_memory& memory, std::uint64_t from, void* destination,
                       std::size_t bytes, completion* done) = 0;
  virtual bool try_notify(int process, const message_header& header) = 0;

  // Puts that do not notify are no messages. Afterwards, those made so far to a process are in
  // place when it has processed what sent() then says.
  virtual bool try_seal(int process) = 0;
};

// Messages from one source rank to one target rank are taken in the order in which they were sent;
// get_replies are in an order of their own, apart from the other messages of their pair. Puts with
// no flag but keeps_place_flag that overlap, of one process to one rank, are taken in the order in
// which they were sent, too, whatever rank has sent them.
// All functions may be called from inside receiver and completion, and from several threads where
// serves_threads() says so; else from one thread at a time.
class transport : public collectives {
public:
  virtual const char* name() const = 0;
  virtual bool serves_threads() const { return true; }

  // Null: there are only messages.
  virtual remote_access* one_sided() { return nullptr; }

  // Set before the first message can come; null once none can come any more. progress() takes no
  // message without one.
  virtual void set_receiver(receiver* to) = 0;

  // Sends to another process; never blocks. False: no resources now, nothing has happened, try
  // again after progress(). `bytes` is the payload's length; header.bytes equals it unless it is 0.
  // A payload of up to GPURMA_EAGER bytes is copied before the call returns; a larger one must stay
  // until `done` is told. `done` may be null and is told in both cases, perhaps before try_send
  // returns. A get_reply is never held back by flow control (its request was), so answering
  // requests cannot deadlock.
  virtual bool try_send(int process, const message_header& header, const void* payload,
                        std::size_t bytes, completion* done) = 0;

  // Moves messages; returns whether anything happened, finished parts of a large payload included.
  // One thread at a time does the work, others return false at once.
  virtual bool progress() = 0;

  // Messages sent to a process, and messages of a process that the receiver has taken; get_replies
  // count in neither: one that is sent after the counts have been exchanged would stand for a
  // message that has not come, and who asked for it waits for it anyway. To quiesce:
  // exchange sent() with start_alltoall, then progress until processed(p) has reached what p says
  // that it sent.
  virtual std::uint64_t sent(int process) const = 0;
  virtual std::uint64_t processed(int process) const = 0;
};

} // namespace gpurma::host

#endif
