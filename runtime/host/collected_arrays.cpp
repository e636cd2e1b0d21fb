// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/collected_arrays.h"

#include <gpurma/stages.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "host/log.h"
#include "host/memory.h"
#include "host/process.h"
#include "host/watchdog.h"
#include "transport/transport.h"

namespace gpurma::host {

namespace {

using stages::collected_plan;

// Kept between regions, as freeing waits for the device.
std::unique_ptr<memory_block<memory_kind::device>> kept;

std::uint32_t* memory_of_ranks(std::size_t words) {
  if (!kept) {
    kept = std::make_unique<memory_block<memory_kind::device>>();
    at_finalize([] { kept.reset(); });
  }
  auto* const found = static_cast<std::uint32_t*>(kept->resize(words * sizeof(std::uint32_t)));
  check_cuda(cudaMemset(found, 0, words * sizeof(std::uint32_t)), "begin to collect arrays");
  check_cuda(cudaDeviceSynchronize(), "begin to collect arrays");
  return found;
}

void check_apart(const collected_plan& one, const char* other, const char* base,
                 std::uint64_t bytes, const std::string& region) {
  if (one.base < base + bytes && base < one.base + one.bytes())
    fatal(text(region, ": '", one.name, "', which it collects, and '", other,
               "' share memory; collect an array of its own"));
}

[[noreturn]] void fail_stored_twice(const collected_plan& array, std::size_t element,
                                    const std::string& region) {
  fatal(text(region, ": several ranks store element ", element, " of '", array.name,
             "', which it collects, so that it is not known which of them comes last; let one "
             "thread store each element, always from the same row of a distributed array"));
}

// As a rank: one of another process.
constexpr std::uint32_t stored_elsewhere = UINT32_MAX - 1;

// What processes tell each other of an array before they give each other elements.
struct stored_range {
  std::uint64_t elements = 0;
  std::uint64_t low = UINT64_MAX;
  std::uint64_t end = 0;
};

stored_range range_of(const std::vector<std::uint32_t>& ranks) {
  stored_range found;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (ranks[i] != 0) {
      ++found.elements;
      found.low = std::min<std::uint64_t>(found.low, i);
      found.end = i + 1;
    }
  return found;
}

// Gives all processes what each has stored. Collective.
void exchange(const collected_plan& array, std::vector<std::uint32_t>& ranks,
              const std::string& region) {
  const std::vector<stored_range> all =
      allgather(channel::query, "collecting arrays", range_of(ranks));
  stored_range whole;
  for (const stored_range& one : all) {
    whole.elements = std::max(whole.elements, one.elements); // of a process
    whole.low = std::min(whole.low, one.low);
    whole.end = std::max(whole.end, one.end);
  }
  if (whole.elements == 0)
    return;
  host_task task(process_watchdog(), host_task::kind::bounded,
                 text("collecting '", array.name, "'"));
  const std::size_t size = array.element_bytes;
  std::vector<char> values((whole.end - whole.low) * size);
  char* const on_device = array.base + whole.low * size;
  copy_bytes(values.data(), on_device, values.size());

  // Each process gives so many elements at once, each behind its number; UINT64_MAX behind its
  // last.
  constexpr std::uint64_t most_at_once = 16 << 10;
  const std::uint64_t at_once = std::min(whole.elements, most_at_once);
  const std::size_t record = sizeof(std::uint64_t) + size;
  std::vector<char> mine(at_once * record);
  std::vector<char> given(mine.size() * all.size());
  const auto self = static_cast<std::size_t>(process().rank);
  std::uint64_t next = all[self].elements == 0 ? UINT64_MAX : all[self].low;
  for (std::uint64_t done = 0; done < whole.elements; done += at_once) {
    for (char* to = mine.data(); to != mine.data() + mine.size(); to += record) {
      while (next < ranks.size() && (ranks[next] == 0 || ranks[next] == stored_elsewhere))
        ++next;
      const std::uint64_t element = next < ranks.size() ? next++ : UINT64_MAX;
      std::memcpy(to, &element, sizeof element);
      if (element != UINT64_MAX)
        std::memcpy(to + sizeof element, values.data() + (element - whole.low) * size, size);
    }
    wait_for(*process_transport().start_allgather(mine.data(), mine.size(), given.data()));
    for (std::size_t p = 0; p < all.size(); ++p)
      for (std::size_t k = 0; p != self && k < at_once; ++k) {
        const char* const from = given.data() + p * mine.size() + k * record;
        std::uint64_t element = 0;
        std::memcpy(&element, from, sizeof element);
        if (element == UINT64_MAX)
          break;
        if (ranks[element] != 0)
          fail_stored_twice(array, element, region);
        ranks[element] = stored_elsewhere;
        std::memcpy(values.data() + (element - whole.low) * size, from + sizeof element, size);
      }
    task.go_on();
  }
  copy_bytes(on_device, values.data(), values.size());
}

} // namespace

std::int64_t begin_collecting(const region_launch& region, const std::string& name) {
  std::int64_t elements = 0;
  for (collected_plan* one = region.collected; one != region.collected + region.collections;
       ++one) {
    if (one->count < 0)
      fatal(text(name, ": '", one->name, "' has ", one->count, " elements to collect"));
    elements += one->count;
    for (int a = 0; a < region.arrays; ++a)
      check_apart(*one, region.array[a].name, region.array[a].base, region.array[a].bytes(), name);
    for (const collected_plan* other = region.collected; other != one; ++other)
      check_apart(*one, other->name, other->base, other->bytes(), name);
  }
  if (region.collections == 0)
    return 0;
  std::uint32_t* ranks = memory_of_ranks(static_cast<std::size_t>(elements + region.collections));
  for (collected_plan* one = region.collected; one != region.collected + region.collections;
       ++one) {
    one->ranks = ranks;
    ranks += one->count + 1;
  }
  return elements;
}

void end_collecting(const region_launch& region, const std::string& name) {
  for (const collected_plan* one = region.collected; one != region.collected + region.collections;
       ++one) {
    std::vector<std::uint32_t> ranks(static_cast<std::size_t>(one->count) + 1);
    copy_bytes(ranks.data(), one->ranks, ranks.size() * sizeof(ranks[0]));
    if (ranks.back() != 0)
      fatal(text(name, ": a kernel stores an element of '", one->name, "' that is none of the ",
                 one->count, " that it collects"));
    ranks.pop_back();
    const auto twice = std::find(ranks.begin(), ranks.end(), collected_plan::several);
    if (twice != ranks.end())
      fail_stored_twice(*one, static_cast<std::size_t>(twice - ranks.begin()), name);
    if (process().size > 1)
      exchange(*one, ranks, name);
  }
}

} // namespace gpurma::host
