// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative groups on the CPU target: grids, blocks, tiles of up to 32 threads and coalesced threads. Clusters and
// groups over several devices are absent.
#ifndef GPURMA_SHIM_COOPERATIVE_GROUPS_H
#define GPURMA_SHIM_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

GPURMA_SHIM_BEGIN

namespace cooperative_groups {

class grid_group {
 public:
  bool is_valid() const { return ::gpurma::cpu::grid_is_cooperative(); }
  void sync() const { ::gpurma::cpu::sync_grid(); }
  unsigned long long size() const { return num_threads(); }
  unsigned long long num_threads() const {
    return 1ull * ::gpurma::cpu::current.grid_blocks * ::gpurma::cpu::current.block_threads;
  }
  unsigned long long num_blocks() const { return ::gpurma::cpu::current.grid_blocks; }
  unsigned long long block_rank() const { return ::gpurma::cpu::current.block; }
  unsigned long long thread_rank() const {
    return 1ull * ::gpurma::cpu::current.block * ::gpurma::cpu::current.block_threads + ::gpurma::cpu::current.thread;
  }
  dim3 group_dim() const { return gridDim; }
  dim3 dim_blocks() const { return gridDim; }
  dim3 block_index() const { return blockIdx; }
};

class thread_block {
 public:
  void sync() const { ::gpurma::cpu::sync_block(); }
  unsigned size() const { return num_threads(); }
  unsigned num_threads() const { return ::gpurma::cpu::current.block_threads; }
  unsigned thread_rank() const { return ::gpurma::cpu::current.thread; }
  dim3 group_index() const { return blockIdx; }
  dim3 thread_index() const { return threadIdx; }
  dim3 group_dim() const { return blockDim; }
  dim3 dim_threads() const { return blockDim; }
};

inline grid_group this_grid() { return grid_group(); }
inline thread_block this_thread_block() { return thread_block(); }

namespace detail {

template <class T>
T shuffle_any(unsigned mask, const T& value, unsigned source) {
  static_assert(std::is_trivially_copyable<T>::value, "shuffled values are copied as bytes");
  T out;
  for (std::size_t at = 0; at < sizeof(T); at += sizeof(std::uint64_t)) {
    const std::size_t bytes = sizeof(T) - at < sizeof(std::uint64_t) ? sizeof(T) - at : sizeof(std::uint64_t);
    std::uint64_t word = 0;
    std::memcpy(&word, reinterpret_cast<const char*>(&value) + at, bytes);
    word = ::gpurma::cpu::shuffle(mask, word, source);
    std::memcpy(reinterpret_cast<char*>(&out) + at, &word, bytes);
  }
  return out;
}

// The n-th (from 0) lane of a mask; 32 if it has fewer.
inline unsigned nth_lane(unsigned mask, unsigned n) {
  for (; mask != 0; mask &= mask - 1, --n)
    if (n == 0) return static_cast<unsigned>(__builtin_ctz(mask));
  return 32;
}

// What tiles and coalesced groups have in common: a set of lanes of one warp, ranked by their position in it.
class lane_group {
 public:
  void sync() const { __syncwarp(mask_); }
  unsigned size() const { return num_threads(); }
  unsigned num_threads() const { return static_cast<unsigned>(__builtin_popcount(mask_)); }
  unsigned thread_rank() const {
    return static_cast<unsigned>(__builtin_popcount(mask_ & ((1u << ::gpurma::cpu::lane()) - 1)));
  }

  template <class T>
  T shfl(const T& value, int rank) const {
    return shuffle_any(mask_, value, source(static_cast<unsigned>(rank)));
  }
  template <class T>
  T shfl_up(const T& value, unsigned delta) const {
    return shuffle_any(mask_, value, thread_rank() >= delta ? source(thread_rank() - delta) : ::gpurma::cpu::lane());
  }
  template <class T>
  T shfl_down(const T& value, unsigned delta) const {
    return shuffle_any(mask_, value, source(thread_rank() + delta));
  }
  int any(int predicate) const { return __any_sync(mask_, predicate); }
  int all(int predicate) const { return __all_sync(mask_, predicate); }
  unsigned ballot(int predicate) const { return packed(__ballot_sync(mask_, predicate)); }
  template <class T>
  unsigned match_any(T value) const {
    return packed(__match_any_sync(mask_, value));
  }
  template <class T>
  unsigned match_all(T value, int& all) const {
    return packed(__match_all_sync(mask_, value, &all));
  }

  explicit lane_group(unsigned mask) : mask_(mask) {}
  // The calling thread's part, of so many threads next to each other.
  lane_group tile(unsigned size) const {
    const unsigned first = thread_rank() / size * size;
    unsigned lanes = 0, rank = 0;
    for (unsigned rest = mask_; rest != 0; rest &= rest - 1, ++rank)
      if (rank >= first && rank < first + size)
        lanes |= rest & (0u - rest);
    return lane_group(lanes);
  }

protected:
  // The lane of a rank; the own one if there is none.
  unsigned source(unsigned rank) const {
    const unsigned lane = nth_lane(mask_, rank);
    return lane < 32 ? lane : ::gpurma::cpu::lane();
  }
  // Moves the bits of the group's lanes together: bit i is rank i.
  unsigned packed(unsigned lanes) const {
    unsigned bits = 0, rank = 0;
    for (unsigned rest = mask_; rest != 0; rest &= rest - 1, ++rank)
      if ((lanes & rest & (0u - rest)) != 0) bits |= 1u << rank;
    return bits;
  }

  unsigned mask_;
};

}  // namespace detail

template <unsigned Size, class Parent = thread_block>
class thread_block_tile : public detail::lane_group {
  static_assert(Size != 0 && (Size & (Size - 1)) == 0, "the size of a tile is a power of two");
  static_assert(Size <= 32, "tiles of more than 32 threads are not provided by the gpurma CPU target; see docs/cpu-target.md");

 public:
  thread_block_tile() : lane_group(tile_mask()) {}

  static constexpr unsigned size() { return Size; }
  static constexpr unsigned num_threads() { return Size; }
  unsigned thread_rank() const { return ::gpurma::cpu::current.thread % Size; }
  unsigned meta_group_rank() const {
    return ::gpurma::cpu::current.thread % parent_threads() / Size;
  }
  unsigned meta_group_size() const { return (parent_threads() + Size - 1) / Size; }
  template <class T>
  T shfl_xor(const T& value, unsigned lane_mask) const {
    return detail::shuffle_any(mask_, value, source(thread_rank() ^ lane_mask));
  }

 private:
  static unsigned tile_mask() {
    return (Size == 32 ? ~0u : (1u << Size % 32) - 1) << (::gpurma::cpu::lane() & ~(Size - 1));
  }
  static unsigned parent_threads();
};

namespace detail {
template <class Group>
struct threads_of;
template <>
struct threads_of<thread_block> {
  static unsigned get() { return ::gpurma::cpu::current.block_threads; }
};
template <unsigned Size, class Parent>
struct threads_of<thread_block_tile<Size, Parent>> {
  static unsigned get() { return Size; }
};
}  // namespace detail

template <unsigned Size, class Parent>
unsigned thread_block_tile<Size, Parent>::parent_threads() {
  return detail::threads_of<Parent>::get();
}

template <unsigned Size>
thread_block_tile<Size> tiled_partition(const thread_block&) {
  return thread_block_tile<Size>();
}
template <unsigned Size, unsigned Outer, class Parent>
thread_block_tile<Size, thread_block_tile<Outer, Parent>> tiled_partition(const thread_block_tile<Outer, Parent>&) {
  static_assert(Size <= Outer, "a tile is no larger than the group that it is a part of");
  return thread_block_tile<Size, thread_block_tile<Outer, Parent>>();
}

class coalesced_group : public detail::lane_group {
 public:
  explicit coalesced_group(unsigned mask) : lane_group(mask) {}
  explicit coalesced_group(const lane_group& lanes) : lane_group(lanes) {}
};
__attribute__((always_inline)) inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// Any of them: what functions take that do not care which one.
class thread_group {
public:
  thread_group(const grid_group&) : kind_(kind::grid) {}
  thread_group(const thread_block&) : kind_(kind::block) {}
  thread_group(const detail::lane_group& lanes) : kind_(kind::lanes), lanes_(lanes) {}

  bool is_valid() const { return kind_ != kind::grid || this_grid().is_valid(); }
  void sync() const {
    switch (kind_) {
    case kind::grid:
      this_grid().sync();
      break;
    case kind::block:
      this_thread_block().sync();
      break;
    case kind::lanes:
      lanes_.sync();
      break;
    }
  }
  unsigned long long size() const { return num_threads(); }
  unsigned long long num_threads() const {
    return kind_ == kind::grid    ? this_grid().num_threads()
           : kind_ == kind::block ? this_thread_block().num_threads()
                                  : lanes_.num_threads();
  }
  unsigned long long thread_rank() const {
    return kind_ == kind::grid    ? this_grid().thread_rank()
           : kind_ == kind::block ? this_thread_block().thread_rank()
                                  : lanes_.thread_rank();
  }

private:
  friend thread_group tiled_partition(const thread_group& parent, unsigned size);
  enum class kind { grid, block, lanes };
  kind kind_;
  detail::lane_group lanes_ = detail::lane_group(0);
};

// `size` is a power of two up to 32, of a block or of the lanes of a warp.
inline thread_group tiled_partition(const thread_group& parent, unsigned size) {
  if (size == 0 || size > 32 || (size & (size - 1)) != 0 ||
      parent.kind_ == thread_group::kind::grid)
    __trap();
  const unsigned first_bits = size == 32 ? ~0u : (1u << size) - 1;
  if (parent.kind_ == thread_group::kind::block)
    return detail::lane_group(first_bits << (::gpurma::cpu::lane() & ~(size - 1)));
  return parent.lanes_.tile(size);
}
inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned size) {
  if (size == 0 || size > 32 || (size & (size - 1)) != 0)
    __trap();
  return coalesced_group(parent.tile(size));
}

template <class Group>
void sync(const Group& group) {
  group.sync();
}
template <class Group>
auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
auto group_size(const Group& group) {
  return group.size();
}

GPURMA_ABSENT(int, this_cluster)
GPURMA_ABSENT(int, this_multi_grid)
GPURMA_ABSENT(int, binary_partition)
GPURMA_ABSENT(int, labeled_partition)
GPURMA_ABSENT(int, memcpy_async)
GPURMA_ABSENT_TYPE(multi_grid_group)
GPURMA_ABSENT_TYPE(cluster_group)

}  // namespace cooperative_groups

GPURMA_SHIM_END

#endif
