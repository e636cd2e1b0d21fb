// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/byte_ranges.h"

#include <algorithm>

#include "host/log.h"

namespace gpurma::host {

void byte_ranges::add(const byte_range& more) {
  if (more.empty())
    return;
  // Those that it touches become one with it.
  const auto first = std::find_if(ranges_.begin(), ranges_.end(),
                                  [&](const byte_range& one) { return one.end >= more.begin; });
  const auto last = std::find_if(first, ranges_.end(),
                                 [&](const byte_range& one) { return one.begin > more.end; });
  byte_range all = more;
  if (first != last)
    all = {std::min(more.begin, first->begin), std::max(more.end, std::prev(last)->end)};
  ranges_.insert(ranges_.erase(first, last), all);
}

std::uint64_t byte_ranges::size() const {
  std::uint64_t bytes = 0;
  for (const byte_range& one : ranges_)
    bytes += one.size();
  return bytes;
}

bool byte_ranges::contains(const byte_ranges& other) const {
  return difference(other, *this).empty();
}

byte_ranges byte_ranges::part(std::uint64_t first, std::uint64_t count) const {
  byte_ranges found;
  std::uint64_t before = 0;
  for (const byte_range& one : ranges_) {
    const std::uint64_t from = first > before ? first - before : 0;
    const std::uint64_t to = first + count > before ? first + count - before : 0;
    found.add({one.begin + std::min(from, one.size()), one.begin + std::min(to, one.size())});
    before += one.size();
  }
  return found;
}

byte_ranges byte_ranges::moved(std::uint64_t by) const {
  byte_ranges found;
  for (const byte_range& one : ranges_)
    found.add({one.begin + by, one.end + by});
  return found;
}

byte_ranges intersection(const byte_ranges& a, const byte_ranges& b) {
  byte_ranges found;
  for (auto one = a.begin(), other = b.begin(); one != a.end() && other != b.end();) {
    found.add({std::max(one->begin, other->begin), std::min(one->end, other->end)});
    if (one->end < other->end)
      ++one;
    else
      ++other;
  }
  return found;
}

byte_ranges difference(const byte_ranges& a, const byte_ranges& b) {
  byte_ranges found;
  auto other = b.begin();
  for (const byte_range& one : a) {
    std::uint64_t begin = one.begin;
    while (other != b.end() && other->end <= begin)
      ++other;
    for (auto next = other; next != b.end() && next->begin < one.end; ++next) {
      found.add({begin, next->begin});
      begin = std::max(begin, next->end);
    }
    found.add({begin, one.end});
  }
  return found;
}

std::string to_text(const byte_ranges& ranges) {
  if (ranges.empty())
    return "none";
  const byte_range& first = *ranges.begin();
  std::string all = text(first.begin, " to ", first.end);
  if (ranges.count() > 1)
    all += text(" and ", ranges.count() - 1, " more pieces up to ", std::prev(ranges.end())->end);
  return all;
}

} // namespace gpurma::host
