// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bytes of an array a process has: those of its rows, which are one range, or one in each of
// the array's components.
#ifndef GPURMA_HOST_BYTE_RANGES_H
#define GPURMA_HOST_BYTE_RANGES_H

#include <cstdint>
#include <string>
#include <vector>

namespace gpurma::host {

// Bytes begin to end - 1 of an array.
struct byte_range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  bool empty() const { return end <= begin; }
  std::uint64_t size() const { return empty() ? 0 : end - begin; }
  bool operator==(const byte_range&) const = default;
};

// Ranges in ascending order, none of them empty, with something between any two.
class byte_ranges {
public:
  byte_ranges() = default;
  byte_ranges(const byte_range& only) { add(only); }

  void add(const byte_range& more);

  using iterator = std::vector<byte_range>::const_iterator;
  iterator begin() const { return ranges_.begin(); }
  iterator end() const { return ranges_.end(); }
  std::size_t count() const { return ranges_.size(); }

  bool empty() const { return ranges_.empty(); }
  std::uint64_t size() const; // bytes of all of them
  bool contains(const byte_ranges& other) const;
  // `count` of these bytes, from the `first`-th on; fewer at the end.
  byte_ranges part(std::uint64_t first, std::uint64_t count) const;
  // The bytes that are so many further on, modulo 2^64.
  byte_ranges moved(std::uint64_t by) const;
  bool operator==(const byte_ranges&) const = default;

private:
  std::vector<byte_range> ranges_;
};

byte_ranges intersection(const byte_ranges& a, const byte_ranges& b);
// What is in a and not in b.
byte_ranges difference(const byte_ranges& a, const byte_ranges& b);
// For messages.
std::string to_text(const byte_ranges& ranges);

} // namespace gpurma::host

#endif
