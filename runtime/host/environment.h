// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The environment variables of gpurma (environment.def), read once, at first use. Depends on
// nothing else of gpurma.
#ifndef GPURMA_HOST_ENVIRONMENT_H
#define GPURMA_HOST_ENVIRONMENT_H

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gpurma::host::environment {

using boolean = bool;
using count = std::uint64_t;
using bytes = std::uint64_t;
using seconds = double;
using choice = std::string;
using words = std::string;

// The value of a count that is auto.
inline constexpr count automatic = ~count{0};

// One accessor per variable: environment::timeout() and so on. A value that the table does not
// accept ends the process as end_if_not_accepted does.
#define GPURMA_ENVIRONMENT(variable, accessor, type, default_text, accepted, help)                 \
  const type& accessor();
#include "environment.def"
#undef GPURMA_ENVIRONMENT

// A row of the table, for gpurma-info.
struct variable {
  const char* name;
  const char* type;
  const char* default_text;
  const char* accepted;
  const char* help;
};
const std::vector<variable>& table();

// Current value of a row as text; is_set says whether the environment gives it.
std::string current_text(const variable& row, bool& is_set);

// If the environment has values that the table does not accept: ends the process, with a message
// for each that names the variable, the value and what is accepted.
void end_if_not_accepted();

// Parses text as the row says; the value's alternative is the row's C++ type.
struct parsed {
  std::variant<bool, std::uint64_t, double, std::string> value;
  std::string error; // empty: value is valid; otherwise what is accepted
};
parsed parse(const variable& row, std::string_view text);

// Messages about GPURMA_* names in an environment (as in environ, null-terminated) that the table
// does not have, each with the nearest known name if that is near enough to be meant.
std::vector<std::string> unknown_variables(const char* const* environment);

} // namespace gpurma::host::environment

#endif
