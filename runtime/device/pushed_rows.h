// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a rank writes into the arrays of neighbouring processes: the rows of a stage's tiles that
// they read. What its tiles have written is divided into boxes, which are kept for the next time.
#ifndef GPURMA_DEVICE_PUSHED_ROWS_H
#define GPURMA_DEVICE_PUSHED_ROWS_H

#include <gpurma/device/tile_owners.h>

#include <cstring>

namespace gpurma::stages {

template <int Stages, int Arrays, int Scalars> class pushed_rows {
  using state = region_state<Stages, Arrays, Scalars>;

public:
  // Those that are lines of words in memory that the rank reaches: false, if there are others.
  GPURMA_DEVICE static bool put_lines(const state& r, int stage) {
    const pushed_boxes& known = r.pushed[stage];
    if (!are_valid(r, known))
      return false;
    bool all = true;
    GPURMA_ROLLED
    for (int k = 0; k < known.count; ++k)
      all &= put_line(r, known.box[k]);
    return all;
  }

  // How many of the threads that follow put all of them, if they are so few that each of these puts
  // up to two words, while the leading threads go on; otherwise 0.
  GPURMA_DEVICE static unsigned putting_threads(const state& r, int stage) {
    const unsigned threads = r.putting_threads[stage];
    return threads != 0 && (r.arrays_are_alike || are_lines(r, r.pushed[stage])) ? threads : 0;
  }

  // A word that a thread puts; of 0 bytes: none.
  struct one_word {
    const char* from;
    char* to;
    unsigned bytes;
  };
  GPURMA_DEVICE static one_word word_at(const state& r, int stage, unsigned number) {
    const pushed_boxes& known = r.pushed[stage];
    GPURMA_ROLLED
    for (int k = 0; k < known.count; ++k) {
      const pushed_box& box = known.box[k];
      const unsigned words = words_of(box);
      if (number < words)
        return word_of(r, box, box.offset + offset_in_line(box, number));
      number -= words;
    }
    return {nullptr, nullptr, 0};
  }
  // Both loads before the first store, which waits for its own.
  GPURMA_DEVICE static void put_words(const one_word& first, const one_word& second) {
    const sixteen_bytes values[2] = {load(first), load(second)};
    store(first, values[0]);
    store(second, values[1]);
  }

  // Those that are not. All threads.
  GPURMA_SLOW_DEVICE static void put_others(state& r, int stage) {
    const pushed_boxes& known = r.pushed[stage];
    // Those that are too many are not kept.
    const bool lines_are_put = are_valid(r, known);
    if (known.count != pushed_boxes::too_many && !lines_are_put)
      find_boxes(r, stage);
    if (known.count == pushed_boxes::too_many)
      visit_boxes(r, stage, putting);
    GPURMA_ROLLED
    for (int k = 0; k < known.count; ++k)
      if (!lines_are_put || !is_single_line(r, known.box[k]))
        put(r, known.box[k], stage);
  }

private:
  // Boxes depend on the extents of the arrays, which are the same for arrays that take turns.
  GPURMA_DEVICE static bool are_valid(const state& r, const pushed_boxes& known) {
    bool valid = known.count >= 0;
    GPURMA_ROLLED
    for (int k = 0; k < known.count; ++k)
      valid &= r.shape_of[r.array_of[known.box[k].passed]] == known.shape[k];
    return valid;
  }

  GPURMA_DEVICE static bool are_lines(const state& r, const pushed_boxes& known) {
    bool lines = are_valid(r, known);
    GPURMA_ROLLED
    for (int k = 0; k < known.count; ++k)
      lines &= is_single_line(r, known.box[k]);
    return lines;
  }

  // Whole warps put words, and those that tell of the stage's end are among them.
  GPURMA_DEVICE static unsigned threads_that_put(const state& r, const pushed_boxes& known) {
    if (!are_lines(r, known))
      return 0;
    unsigned words = 0;
    GPURMA_ROLLED
    for (int k = 0; k < known.count; ++k)
      words += words_of(known.box[k]);
    const unsigned width = platform::polling_threads();
    const unsigned following = platform::block_threads() - width;
    const unsigned whole = words > 2 * width ? (words + width - 1) / width * width : 2 * width;
    const unsigned threads = whole < following ? whole : following;
    return words <= 2 * threads ? threads : 0;
  }

  GPURMA_SLOW_DEVICE static void find_boxes(state& r, int stage) {
    platform::sync_block();
    if (platform::thread_index() == 0) {
      pushed_boxes& known = r.pushed[stage];
      known.count = 0;
      visit_boxes(r, stage, keeping);
      if (const int places = count_places(known); places > memory::most_places)
        known.count = pushed_boxes::too_many;
      else if (places > known.count)
        list_places(r, stage);
      r.putting_threads[stage] = static_cast<std::uint16_t>(threads_that_put(r, known));
    }
    platform::sync_block();
  }

  GPURMA_SLOW_DEVICE static void list_places(state& r, int stage) {
    pushed_boxes& known = r.pushed[stage];
    GPURMA_ROLLED
    for (int k = 0; k < known.count; ++k)
      known.box[k].places = 0; // so many have been listed
    visit_boxes(r, stage, listing);
  }

  // Of all boxes, one behind the other.
  GPURMA_DEVICE static int count_places(pushed_boxes& known) {
    int places = 0;
    GPURMA_ROLLED
    for (int k = 0; k < known.count; ++k) {
      known.box[k].first_place = static_cast<std::uint16_t>(places);
      places += known.box[k].places;
    }
    return places;
  }

  // What is done with a box. One function for all, since compilers take as long for this code as
  // for the rest of a region.
  enum visit { keeping, listing, putting };
  GPURMA_DEVICE static void take(state& r, int stage, const pushed_box& box, visit way) {
    if (way == putting) {
      put(r, box, stage);
      return;
    }
    pushed_boxes& known = r.pushed[stage];
    if (known.count == pushed_boxes::too_many)
      return;
    int k = 0;
    while (k < known.count && !are_alike(r, known.box[k], box))
      ++k;
    if (k == pushed_boxes::most) {
      known.count = pushed_boxes::too_many;
      return;
    }
    pushed_box& first = known.box[k];
    if (k == known.count) {
      first = box;
      first.places = 0;
      known.shape[known.count++] = r.shape_of[r.array_of[box.passed]];
    } else if (way == listing) {
      places_of(r, stage)[first.first_place + first.places] =
          static_cast<std::int32_t>(elements_between(r, first, box));
    }
    if (++first.places > memory::most_places)
      known.count = pushed_boxes::too_many;
  }

  // Whether two boxes differ in their place only.
  GPURMA_DEVICE static bool are_alike(const state& r, const pushed_box& a, const pushed_box& b) {
    bool alike = a.passed == b.passed && a.side == b.side && a.bytes == b.bytes &&
                 a.line_words == b.line_words;
    for (int i = 0; i < 3; ++i)
      alike &= a.strides[i] == b.strides[i] && a.counts[i] == b.counts[i];
    const std::int64_t elements = elements_between(r, a, b);
    return alike && elements == static_cast<std::int32_t>(elements);
  }
  GPURMA_DEVICE static std::int64_t elements_between(const state& r, const pushed_box& a,
                                                     const pushed_box& b) {
    const auto bytes = static_cast<std::int64_t>(b.offset - a.offset);
    return bytes / static_cast<std::int64_t>(r.plans.array[r.array_of[a.passed]].element_bytes);
  }

  GPURMA_DEVICE static std::int32_t* places_of(const state& r, int stage) {
    return r.words.places + r.words.place_at(stage, r.rank);
  }
  // Of the first piece at a place.
  GPURMA_DEVICE static std::uint64_t offset_at(const state& r, const pushed_box& box, int stage,
                                               unsigned place) {
    if (place == 0)
      return box.offset;
    const std::int64_t elements = places_of(r, stage)[box.first_place + place];
    return box.offset + static_cast<std::uint64_t>(
                            elements * static_cast<std::int64_t>(
                                           r.plans.array[r.array_of[box.passed]].element_bytes));
  }

  // What the rank's tiles of a stage have written of rows that neighbouring processes read.
  GPURMA_SLOW_DEVICE static void visit_boxes(state& r, int stage, visit way) {
    const banding& bands = r.plans.bands;
    const stage_state& s = r.stage[stage];
    GPURMA_ROLLED
    for (int side = memory::before; side <= memory::after; ++side) {
      if (!r.informs[side])
        continue;
      GPURMA_ROLLED
      for (int k = 0; k < most_arrays_passed; ++k) {
        if (!launch_traits::has(r.sides[stage].puts[side], k))
          continue;
        const written_box& written = r.traits[stage].boxes[k];
        const std::int64_t rows = bands.ghost_rows != 0    ? bands.ghost_rows
                                  : side == memory::before ? bands.put_at_begin(written.read_after)
                                                           : bands.put_at_end(written.read_before);
        const extent needed = side == memory::before
                                  ? extent{0, bands.begin(bands.process) + rows - 1}
                                  : extent{bands.begin(bands.process + 1) - rows, bands.rows - 1};
        GPURMA_ROLLED
        for (int part = 0; part < 2; ++part)
          visit_tiles(r, stage, k, part == 0 ? s.own_begin : s.own_end - s.part[1].count,
                      part == 0 ? s.own_begin + s.part[0].count : s.own_end, side, needed, way);
      }
    }
  }

  struct extent {
    std::int64_t first;
    std::int64_t last;
  };

  // Neighbouring tiles, by grid dimension.
  struct tile_box {
    extent axis[3];
  };

  // The dimensions of an array of which tiles write the ends only: a bit for each.
  GPURMA_DEVICE static unsigned dimensions_with_ends(const state& r, const written_box& written) {
    unsigned found = 0;
    for (unsigned j = 0; j < 4; ++j)
      found |= unsigned{!r.puts_lines && written.axis[j].walked_by < 0 &&
                        written.axis[j].ends.first >= 0}
               << j;
    return found;
  }

  // What tiles write along a dimension of an array, of `size` coordinates: of one with ends, at the
  // first or at the last of these.
  GPURMA_DEVICE static extent written_along(const stage_plan& plan, const tile_box& tiles,
                                            const written_axis& axis, std::int64_t size,
                                            bool has_ends, bool at_last) {
    if (has_ends) {
      const std::int64_t first = size - axis.ends.last;
      const std::int64_t last = std::int64_t{axis.ends.first} - 1;
      return at_last ? extent{first > 0 ? first : 0, size - 1}
                     : extent{0, last < size - 1 ? last : size - 1};
    }
    if (axis.walked_by < 0)
      return {0, size - 1};
    const auto walked_by = static_cast<unsigned>(axis.walked_by);
    const std::int64_t length = plan.extent(walked_by);
    const extent& at = tiles.axis[walked_by];
    const std::int64_t low = at.first * length + axis.reach.low;
    const std::int64_t high = at.last * length + length - 1 + axis.reach.high;
    return {low > 0 ? low : 0, high < size - 1 ? high : size - 1};
  }

  // The boxes of what the rank's tiles [begin, end) have written of the needed rows of the stage's
  // k-th array.
  GPURMA_DEVICE static void visit_tiles(state& r, int stage, int k, int begin, int end, int side,
                                        const extent& needed, visit way) {
    const stage_plan& plan = r.plans.stage[stage];
    const stage_state& s = r.stage[stage];
    const written_box& written = r.traits[stage].boxes[k];
    const unsigned with_ends = dimensions_with_ends(r, written);
    // What lies between tiles may belong to others.
    bool neighbours = s.dealt.how == dealing::contiguous;
    for (const written_axis& axis : written.axis)
      neighbours &= axis.reach.low <= axis.reach.high;
    const unsigned inner = plan.row == 0 ? 1 : 0;
    const unsigned outer = plan.row == 2 ? 1 : 2;
    GPURMA_ROLLED
    while (begin < end) {
      const std::int64_t number = tile_number(s, r.rank, begin);
      const auto row = static_cast<int>(number / s.per_row);
      const auto from = static_cast<int>(number - std::int64_t{row} * s.per_row);
      const int most = neighbours ? end - begin : 1;
      const int to = from + most < s.per_row ? from + most : s.per_row;
      begin += to - from;
      // Of the lines of tiles, the first and the last may be incomplete.
      GPURMA_ROLLED
      for (int at = from; at < to;) {
        const int line = at / s.inner;
        const int first = at - line * s.inner;
        const int lines = first == 0 && to - at >= s.inner ? (to - at) / s.inner : 1;
        const int width = lines > 1 || to - at >= s.inner - first ? s.inner - first : to - at;
        tile_box tiles;
        tiles.axis[plan.row] = {row, row};
        tiles.axis[outer] = {line, line + lines - 1};
        tiles.axis[inner] = {first, first + width - 1};
        unsigned at_last = with_ends; // each part of these
        GPURMA_ROLLED
        for (bool more = true; more; at_last = (at_last - 1) & with_ends) {
          more = at_last != 0;
          pushed_box box;
          if (find_box(r, stage, k, tiles, needed, with_ends, at_last, box)) {
            box.passed = static_cast<std::int8_t>(k);
            box.side = static_cast<std::int8_t>(side);
            take(r, stage, box, way);
          }
        }
        at = lines > 1 ? at + lines * s.inner : at + width;
      }
    }
  }

  // What neighbouring tiles have written; false: nothing. By dimension, a bit: whether they write
  // its ends only, and whether it is the last coordinates of these.
  GPURMA_SLOW_DEVICE static bool find_box(const state& r, int stage, int k, const tile_box& tiles,
                                          const extent& needed, unsigned with_ends,
                                          unsigned at_last, pushed_box& box) {
    const stage_plan& plan = r.plans.stage[stage];
    const array_plan& array = r.plans.array[r.array_of[k]];
    const written_box* const boxes = r.traits[stage].boxes;
    box = {0, {0, 0, 0}, array.element_bytes, {1, 1, 1}, 0, 0, 1, 0, 0, 0};
    std::uint64_t stride = array.element_bytes;
    bool gap = false;
    int place = 2; // of the next dimension that pieces are apart along
    GPURMA_ROLLED
    for (int j = 3; j >= 0; --j) {
      const std::int64_t size = array.extent(j);
      extent span = written_along(plan, tiles, boxes[k].axis[j], size, (with_ends >> j & 1) != 0,
                                  (at_last >> j & 1) != 0);
      if (j == array.row_dimension()) {
        span.first = span.first > needed.first ? span.first : needed.first;
        span.last = span.last < needed.last ? span.last : needed.last;
      }
      const std::int64_t count = span.last - span.first + 1;
      if (count <= 0)
        return false;
      box.offset += static_cast<std::uint64_t>(span.first) * stride;
      // Elements of the fastest dimensions lie next to each other.
      if (!gap) {
        box.bytes *= static_cast<std::uint64_t>(count);
      } else if (count != 1) {
        box.strides[place] = stride;
        box.counts[place--] = static_cast<std::uint32_t>(count);
      }
      gap |= count != size;
      stride *= static_cast<std::uint64_t>(size);
    }
    const std::uint64_t bits = box.offset | box.bytes | box.strides[2];
    box.word_bytes = word_bytes_of(bits);
    if (box.counts[0] * box.counts[1] == 1 &&
        box.bytes / box.word_bytes * box.counts[2] <= platform::block_threads())
      box.line_words = static_cast<std::uint32_t>(box.bytes / box.word_bytes);
    return true;
  }

  // Whether a box is in a line for these arrays.
  GPURMA_DEVICE static bool is_line(const state& r, const pushed_box& box) {
    const int a = r.array_of[box.passed];
    const char* const there = r.arrays_of[box.side][a];
    const auto bits = reinterpret_cast<std::uintptr_t>(r.plans.array[a].base) |
                      reinterpret_cast<std::uintptr_t>(there);
    return there != nullptr && box.line_words != 0 && (bits & (box.word_bytes - 1)) == 0;
  }

  // What put_line writes.
  GPURMA_DEVICE static bool is_single_line(const state& r, const pushed_box& box) {
    return box.places == 1 && is_line(r, box);
  }

  // Writes it into another process's array, if it is. All threads.
  GPURMA_DEVICE static bool put_line(const state& r, const pushed_box& box) {
    if (!is_single_line(r, box))
      return false;
    const unsigned thread = platform::thread_index_again();
    if (thread < words_of(box))
      copy_word(r, box, box.offset + offset_in_line(box, thread));
    return true;
  }

  // Writes the same line of several places. All threads, which take some places at a time.
  GPURMA_DEVICE static void put_lines_of_places(const state& r, const pushed_box& box, int stage) {
    const unsigned words = words_of(box);
    const unsigned at_a_time = platform::block_threads() / words;
    const unsigned first = platform::thread_index() / words;
    const std::uint64_t in_line = offset_in_line(box, platform::thread_index() - first * words);
    if (first >= at_a_time)
      return;
    GPURMA_ROLLED
    for (unsigned place = first; place < box.places; place += at_a_time)
      copy_word(r, box, offset_at(r, box, stage, place) + in_line);
  }

  // Of a box in a line.
  GPURMA_DEVICE static unsigned words_of(const pushed_box& box) {
    return box.line_words * box.counts[2];
  }
  GPURMA_DEVICE static std::uint64_t offset_in_line(const pushed_box& box, unsigned word) {
    const unsigned piece = box.counts[2] == 1 ? 0 : word / box.line_words;
    return piece * box.strides[2] + (word - piece * box.line_words) * box.word_bytes;
  }
  GPURMA_DEVICE static one_word word_of(const state& r, const pushed_box& box,
                                        std::uint64_t offset) {
    const int a = r.array_of[box.passed];
    return {r.plans.array[a].base + offset, r.arrays_of[box.side][a] + offset, box.word_bytes};
  }
  GPURMA_DEVICE static void copy_word(const state& r, const pushed_box& box, std::uint64_t offset) {
    const one_word word = word_of(r, box, offset);
    copy_word(word.to, word.from, word.bytes);
  }

  struct alignas(16) sixteen_bytes {
    std::uint64_t words[2];
  };
  // Calls use with a value of the type of words of so many bytes.
  template <class Use> GPURMA_DEVICE static void with_type_of(unsigned word_bytes, const Use& use) {
    if (word_bytes == 16)
      use(sixteen_bytes{});
    else if (word_bytes == 8)
      use(std::uint64_t{});
    else if (word_bytes == 4)
      use(std::uint32_t{});
    else
      use(char{});
  }
  GPURMA_DEVICE static void copy_word(char* to, const char* from, unsigned word_bytes) {
    with_type_of(word_bytes, [&](auto word) {
      using type = decltype(word);
      *reinterpret_cast<type*>(to) = *reinterpret_cast<const type*>(from);
    });
  }
  GPURMA_DEVICE static sixteen_bytes load(const one_word& word) {
    sixteen_bytes value{};
    if (word.bytes != 0)
      with_type_of(word.bytes, [&](auto loaded) {
        loaded = *reinterpret_cast<const decltype(loaded)*>(word.from);
        std::memcpy(&value, &loaded, sizeof(loaded));
      });
    return value;
  }
  GPURMA_DEVICE static void store(const one_word& word, const sixteen_bytes& value) {
    if (word.bytes != 0)
      with_type_of(word.bytes, [&](auto stored) {
        std::memcpy(&stored, &value, sizeof(stored));
        *reinterpret_cast<decltype(stored)*>(word.to) = stored;
      });
  }
  // Of the largest words whose length divides all of `offsets`, which are or-ed: a power of two.
  GPURMA_DEVICE static unsigned char word_bytes_of(std::uint64_t offsets) {
    return offsets % 16 == 0 ? 16 : offsets % 8 == 0 ? 8 : offsets % 4 == 0 ? 4 : 1;
  }

  // Writes a box of the rank's array into another process's. All threads.
  GPURMA_SLOW_DEVICE static void put(state& r, const pushed_box& box, int stage) {
    if (box.places != 1 && is_line(r, box)) {
      put_lines_of_places(r, box, stage);
      return;
    }
    GPURMA_ROLLED
    for (unsigned place = 0; place < box.places; ++place)
      put_at(r, box, stage, offset_at(r, box, stage, place));
  }
  GPURMA_DEVICE static void put_at(state& r, const pushed_box& box, int stage,
                                   std::uint64_t first) {
    const int a = r.array_of[box.passed];
    const array_plan& array = r.plans.array[a];
    char* const there = r.arrays_of[box.side][a];
    if (there != nullptr) {
      const auto bits = reinterpret_cast<std::uintptr_t>(array.base) |
                        reinterpret_cast<std::uintptr_t>(there) | first | box.bytes |
                        box.strides[0] | box.strides[1] | box.strides[2];
      copy_box(there + first, array.base + first, box, word_bytes_of(bits));
    } else if (platform::thread_index() == 0) {
      const int target = r.first_rank[box.side];
      const std::uint64_t base = r.windows[a].rows[target].base;
      for (std::uint32_t i = 0; i < box.counts[0]; ++i)
        for (std::uint32_t j = 0; j < box.counts[1]; ++j)
          for (std::uint32_t k = 0; k < box.counts[2]; ++k) {
            const std::uint64_t offset =
                first + i * box.strides[0] + j * box.strides[1] + k * box.strides[2];
            const detail::destination d{nullptr, base + offset, offset, box.bytes, target, true};
            detail::post_transfer(detail::block(), detail::command_kind::put, directive::stage,
                                  r.traits[stage].where, array.base + offset, d, r.windows[a].id, 0,
                                  detail::region_flag); // M26
          }
      r.owes_flush = true;
    }
  }

  // By all threads: each takes every block_threads()-th word of all pieces. From first piece to
  // first piece.
  GPURMA_DEVICE static void copy_box(char* to, const char* from, const pushed_box& box,
                                     unsigned word_bytes) {
    const std::uint64_t words = box.bytes / word_bytes;
    const std::uint32_t pieces = box.counts[0] * box.counts[1] * box.counts[2];
    const unsigned threads = platform::block_threads();
    const unsigned thread = platform::thread_index();
    // Without a division for each word.
    const unsigned pieces_on = words < threads ? threads / static_cast<unsigned>(words) : 0;
    const std::uint64_t words_on = threads - pieces_on * words;
    std::uint32_t piece = words < threads ? thread / static_cast<unsigned>(words) : 0;
    std::uint64_t word = thread - piece * words;
    while (piece < pieces) {
      const std::uint32_t line = piece / box.counts[2];
      const std::uint32_t plane = line / box.counts[1];
      const std::uint64_t offset =
          plane * box.strides[0] + (line - plane * box.counts[1]) * box.strides[1] +
          (piece - line * box.counts[2]) * box.strides[2] + word * word_bytes;
      copy_word(to + offset, from + offset, word_bytes);
      piece += pieces_on;
      word += words_on;
      if (word >= words) {
        word -= words;
        ++piece;
      }
    }
  }
};

} // namespace gpurma::stages

#endif
