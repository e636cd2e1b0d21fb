// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "environment.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>

namespace gpurma::host::environment {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> words;
  for (;;) {
    const auto at = text.find(separator);
    words.push_back(text.substr(0, at));
    if (at == std::string_view::npos)
      return words;
    text.remove_prefix(at + 1);
  }
}

// An integer with an optional binary suffix (K, M, G); nothing if it is none or does not fit.
std::optional<std::uint64_t> parse_integer(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || text.empty())
    return std::nullopt;
  const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (suffix.empty())
    return value;
  if (suffix.size() != 1)
    return std::nullopt;
  const auto shift = std::string_view("kmg").find(static_cast<char>(std::tolower(suffix[0])));
  if (shift == std::string_view::npos)
    return std::nullopt;
  const unsigned bits = 10 * (static_cast<unsigned>(shift) + 1);
  if (value > (~std::uint64_t{0} >> bits))
    return std::nullopt;
  return value << bits;
}

std::optional<double> parse_decimal(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

// "low..high rest" as the table writes it.
struct accepted_range {
  std::string_view low, high, rest;
  explicit accepted_range(std::string_view text) {
    const auto dots = text.find("..");
    low = text.substr(0, dots);
    high = text.substr(dots + 2);
    const auto space = high.find(' ');
    if (space != std::string_view::npos) {
      rest = high.substr(space + 1);
      high = high.substr(0, space);
    }
  }
};

parsed parse_boolean(std::string_view text) {
  const std::string word = lower(text);
  for (const char* yes : {"1", "yes", "on", "true"})
    if (word == yes)
      return {true, {}};
  for (const char* no : {"0", "no", "off", "false"})
    if (word == no)
      return {false, {}};
  return {false, "expected one of 0, no, off, 1, yes, on"};
}

parsed parse_choice(std::string_view text, std::string_view accepted) {
  const std::string word = lower(text);
  std::string expected;
  for (std::string_view choice : split(accepted, '|')) {
    if (lower(choice) == word)
      return {std::string(choice), {}};
    expected += (expected.empty() ? "" : ", ") + std::string(choice);
  }
  return {std::string(), "expected one of " + expected};
}

parsed parse_unsigned(std::string_view text, std::string_view accepted, bool is_bytes) {
  const accepted_range range(accepted);
  const auto value = parse_integer(text);
  const bool power_of_two = range.rest == "power of two";
  const bool may_be_auto = range.rest == "or auto";
  if (may_be_auto && lower(text) == "auto")
    return {automatic, {}};
  if (value && *value >= *parse_integer(range.low) && *value <= *parse_integer(range.high) &&
      (!power_of_two || (*value & (*value - 1)) == 0))
    return {*value, {}};
  return {std::uint64_t{0}, "expected " +
                                std::string(power_of_two ? "a power of two" : "an integer") +
                                " from " + std::string(range.low) + " to " +
                                std::string(range.high) + (may_be_auto ? ", or auto" : "") +
                                (is_bytes ? " (bytes; K, M and G are accepted as suffixes)" : "")};
}

parsed parse_seconds(std::string_view text, std::string_view accepted) {
  const accepted_range range(accepted);
  const auto value = parse_decimal(text);
  if (value && *value >= *parse_decimal(range.low) && *value <= *parse_decimal(range.high))
    return {*value, {}};
  return {0.0,
          "expected seconds, from " + std::string(range.low) + " to " + std::string(range.high)};
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

// The value of a row: from the environment, or the default.
template <class T> T read(const variable& row) {
  bool is_set = false;
  parsed result = parse(row, current_text(row, is_set));
  if (!result.error.empty())
    end_if_not_accepted();
  return std::get<T>(std::move(result.value));
}

enum index : std::size_t {
#define GPURMA_ENVIRONMENT(variable, accessor, type, default_text, accepted, help)                 \
  index_of_##accessor,
#include "environment.def"
#undef GPURMA_ENVIRONMENT
};

} // namespace

const std::vector<variable>& table() {
  static const std::vector<variable> rows = {
#define GPURMA_ENVIRONMENT(variable, accessor, type, default_text, accepted, help)                 \
  {#variable, #type, default_text, accepted, help},
#include "environment.def"
#undef GPURMA_ENVIRONMENT
  };
  return rows;
}

#define GPURMA_ENVIRONMENT(variable, accessor, type, default_text, accepted, help)                 \
  const type& accessor() {                                                                         \
    static const type value = read<type>(table()[index_of_##accessor]);                            \
    return value;                                                                                  \
  }
#include "environment.def"
#undef GPURMA_ENVIRONMENT

void end_if_not_accepted() {
  std::string errors;
  for (const variable& row : table()) {
    bool is_set = false;
    const std::string value = current_text(row, is_set);
    const parsed result = parse(row, value);
    if (!result.error.empty())
      errors += "[gpurma] error: the environment variable " + std::string(row.name) + " is '" +
                value + "'; " + result.error + "\n";
  }
  if (errors.empty())
    return;
  std::fputs(errors.c_str(), stderr);
  // Before MPI_Finalize this makes the launcher end the other processes too; each of them has the
  // same variables.
  std::_Exit(EXIT_FAILURE);
}

parsed parse(const variable& row, std::string_view text) {
  const std::string_view type = row.type;
  if (type == "choice" && text.empty() && !*row.default_text)
    return {std::string(), {}};
  if (type == "boolean")
    return parse_boolean(text);
  if (type == "choice")
    return parse_choice(text, row.accepted);
  if (type == "words")
    return {std::string(text), {}};
  if (type == "seconds")
    return parse_seconds(text, row.accepted);
  return parse_unsigned(text, row.accepted, type == "bytes");
}

std::string current_text(const variable& row, bool& is_set) {
  const char* given = std::getenv(row.name);
  is_set = given && *given;
  return is_set ? given : row.default_text;
}

std::vector<std::string> unknown_variables(const char* const* environment) {
  constexpr std::string_view prefix = "GPURMA_";
  std::vector<std::string> messages;
  for (; environment && *environment; ++environment) {
    const std::string_view entry = *environment;
    const std::string_view name = entry.substr(0, entry.find('='));
    if (name.substr(0, prefix.size()) != prefix)
      continue;
    const auto distance = [&](const variable& row) { return edit_distance(name, row.name); };
    const auto nearest =
        std::min_element(table().begin(), table().end(), [&](const variable& a, const variable& b) {
          return distance(a) < distance(b);
        });
    if (name == nearest->name)
      continue;
    std::string message =
        "the environment variable " + std::string(name) + " is not one of gpurma's";
    if (distance(*nearest) <= 3)
      message += "; did you mean " + std::string(nearest->name) + "?";
    else
      message += "; gpurma-info --environment lists them";
    messages.push_back(std::move(message));
  }
  return messages;
}

} // namespace gpurma::host::environment
