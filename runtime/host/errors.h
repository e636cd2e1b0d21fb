// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts of messages about ranks: errors that ranks find, and what ranks wait for.
#ifndef GPURMA_HOST_ERRORS_H
#define GPURMA_HOST_ERRORS_H

#include <string>

#include <gpurma/device/formats.h>

namespace gpurma::host {

// "put at stencil.cu:12 on rank 3: ..."
std::string error_text(const detail::error_record& error);

// As in the program's source: "put", "wait"; a window's end is "window (end of its scope)".
const char* directive_name(detail::directive what);

// "any", "none", or "world #2": the second window over world that the launch made.
std::string window_text(std::uint32_t id);
// "any", or the number.
std::string source_or_tag_text(std::int32_t value);

// Says why a put, get or notify to a target does not go on.
std::string hindrance_text(detail::hindrance why, const std::string& target);

// Prints the error and ends all processes. The CPU target's device code calls it.
[[noreturn]] void device_error(const detail::error_record& error);

} // namespace gpurma::host

#endif
