// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/errors.h"

#include <array>
#include <climits>

#include "host/kernels.h"
#include "host/log.h"

namespace gpurma::host {

using detail::directive;
using detail::error_code;
using detail::error_record;

const char* directive_name(directive what) {
  switch (what) {
  case directive::none:
    return "no directive";
  case directive::window_create:
    return "window";
  case directive::window_free:
    return "window (end of its scope)";
  case directive::put:
    return "put";
  case directive::get:
    return "get";
  case directive::notify:
    return "notify";
  case directive::wait:
    return "wait";
  case directive::test:
    return "test";
  case directive::flush:
    return "flush";
  case directive::barrier:
    return "barrier";
  case directive::uniform:
    return "uniform";
  case directive::end:
    return "end of the kernel";
  case directive::stage:
    return "launch in a persistent region";
  case directive::reduce:
    return "reduced scalar of a persistent region";
  }
  return "unknown directive";
}

std::string window_text(std::uint32_t id) {
  if (id == detail::any_window_id)
    return "any";
  if (id == detail::no_window_id)
    return "none";
  return text(detail::window_comm(id) == comm::world ? "world #" : "device #",
              id / (2 * detail::max_window_slots));
}

std::string source_or_tag_text(std::int32_t value) {
  return value < 0 ? "any" : std::to_string(value);
}

std::string hindrance_text(detail::hindrance why, const std::string& target) {
  switch (why) {
  case detail::hindrance::data:
    return text("rank ", target, " has not taken earlier data");
  case detail::hindrance::room:
    return text("rank ", target,
                " has no room for more notifications; wait for them there "
                "earlier, or set GPURMA_PENDING_ENTRIES larger");
  case detail::hindrance::commands:
    return "its host has not sent earlier ones; where a target has no room for more "
           "notifications, wait for them there earlier";
  }
  return {};
}

namespace {

// Names of the values that the device library compares between threads, in its order; see
// check_uniform.
const char* argument_name(directive what, std::int64_t number) {
  if (number == 0)
    return "source line";
  static constexpr std::array transfer{"buffer", "length", "rank", "window", "offset", "tag"};
  static constexpr std::array message{"rank", "tag", "window"};
  static constexpr std::array matching{"tag", "source", "window", "count"};
  static constexpr std::array exposure{"base", "size in bytes", "communicator"};
  const auto pick = [number](const auto& names) {
    return static_cast<std::size_t>(number) <= names.size()
               ? names[static_cast<std::size_t>(number) - 1]
               : "value";
  };
  switch (what) {
  case directive::put:
  case directive::get:
    return pick(transfer);
  case directive::notify:
    return pick(message);
  case directive::wait:
  case directive::test:
    return pick(matching);
  case directive::window_create:
    return pick(exposure);
  case directive::flush:
    return "window";
  case directive::barrier:
    return "communicator";
  default:
    return "value";
  }
}

std::string range_text(const char* what, std::int64_t begin, std::int64_t bytes) {
  std::ostringstream stream;
  stream << what << " of " << bytes << " bytes at 0x" << std::hex << begin;
  return stream.str();
}

// Of a bit for each.
std::string dimensions_text(std::int64_t dimensions) {
  std::string found;
  for (int d = 0; d < 3; ++d)
    if ((dimensions >> d & 1) != 0)
      found += text(found.empty() ? "" : " and ", "xyz"[d]);
  return found;
}

// Of what to_int could not make one of.
std::string no_int(const char* what) {
  return text("the ", what, " is a number that int has not; ranks, tags and counts are from 0 to ",
              INT_MAX);
}

std::string reason(const error_record& e) {
  const auto v = [&e](int i) { return e.values[i]; };
  switch (static_cast<error_code>(e.code)) {
  case error_code::none:
    break;
  case error_code::rank_out_of_range:
    if (v(0) == INT_MIN)
      return no_int("rank");
    return text("rank ", v(0), " does not exist: the communicator has ranks 0 to ", v(1) - 1,
                "; gpurma::null_rank (-1) stands for no rank");
  case error_code::negative_tag:
    if (v(0) == INT_MIN)
      return no_int("tag");
    return text("tag ", v(0),
                " is negative; tags are 0 or larger, and only wait and test take any tag");
  case error_code::tag_without_counter:
    return text("tag ", v(0), " has no counter: counter matching knows tags 0 to ",
                counter_tags - 1, "; use queue matching");
  case error_code::source_with_counter:
    return text(
        "source ", v(0),
        " is named, but counter matching does not know where a notification comes from; use "
        "queue matching");
  case error_code::outside_window:
    if (v(2) < 0)
      return text("length ", v(2), " is negative; put or get 0 or more elements");
    return text("elements [", v(1), ", ", v(1) + v(2), ") lie outside what rank ", v(0),
                " exposes in the window, ", v(3), " elements of ", v(4),
                " bytes; make its window larger or the access smaller");
  case error_code::freed_window:
    return "the window has been freed; use it within the scope of its declaration";
  case error_code::source_not_allocated:
    return text(range_text("the source", v(0), v(1)),
                " does not lie inside an allocation of the device; use memory of "
                "cudaMalloc or cudaMallocManaged, or a __device__ variable");
  case error_code::destination_not_allocated:
    return text(range_text("the destination", v(0), v(1)),
                " does not lie inside an allocation of the device; use memory "
                "of cudaMalloc or cudaMallocManaged, or a __device__ variable");
  case error_code::window_not_allocated:
    if (v(1) < 0)
      return "the window's length is negative; expose 0 or more elements";
    return text(range_text("the window", v(0), v(1)),
                " does not lie inside an allocation of the device; use memory of "
                "cudaMalloc or cudaMallocManaged, or a __device__ variable");
  case error_code::pending_full:
    return text(v(0), " notifications have come that this wait does not match, and there is no "
                      "room for more; wait for "
                      "them earlier, or set GPURMA_PENDING_ENTRIES larger");
  case error_code::too_many_windows:
    return text("more than ", v(0),
                " windows are open at a time; set GPURMA_WINDOWS larger (at most ",
                detail::max_window_slots, ")");
  case error_code::bad_count:
    if (v(0) == INT_MIN)
      return no_int("count");
    return text("count ", v(0), " is negative; wait for 0 or more notifications");
  case error_code::different_collectives:
    return "the ranks of the device are not at the same collective (window, end of a window's "
           "scope, "
           "barrier); all ranks reach them in the same order";
  case error_code::not_uniform:
    return text("the ", argument_name(e.what, v(3)), " is ", v(1), " in thread ", v(0), " and ",
                v(2),
                " in thread 0; all threads of a block reach a directive with the same values");
  case error_code::no_context:
    return "the rank kernel was launched without gpurma::launch, so it has no ranks; compile the "
           "file that launches it with gpurmacc, and link the program with it, or call "
           "gpurma::launch";
  case error_code::wrong_version:
    return text("the program was compiled with headers of format ", v(0),
                " and linked with a library of format ", v(1), "; compile it again");
  case error_code::not_distributed: {
    std::ostringstream stream;
    stream << std::hex << v(0);
    return text("the kernel writes to an array at 0x", stream.str(),
                ", which is not the beginning of an array that the region distributes; name it in "
                "'distribute'");
  }
  case error_code::inside_array: {
    std::ostringstream stream;
    stream << std::hex << v(0);
    return text("the kernel is passed a pointer, 0x", stream.str(),
                ", which leads into an array that the region distributes, and is not taken to be "
                "that array; pass the array itself, as 'distribute' names it, and let the kernel "
                "add an offset");
  }
  case error_code::other_block_size:
    return text("blocks of ", v(0), " x ", v(1), " x ", v(2),
                " threads, but the region began with another size; all its launches have the same");
  case error_code::same_array: {
    std::ostringstream stream;
    stream << std::hex << v(0);
    return text("the kernel goes through the rows of the array at 0x", stream.str(),
                " in a loop, and reads other rows of it under another name, which other ranks "
                "write; pass it two arrays, and swap them behind the launch");
  }
  case error_code::not_in_one_dimension:
    return text("along y and z, the grid has ", v(0), " x ", v(1), " blocks of ", v(2), " x ", v(3),
                " threads, but the kernel names x only, so that several threads would have the "
                "same element; launch it in one dimension");
  case error_code::not_whole_array: {
    std::ostringstream stream;
    stream << std::hex << v(0);
    return text(v(1) ? "cudaMemset is given" : "cudaMemcpy is given", " 0x", stream.str(),
                ", which is not the beginning of an array that the region distributes; a region "
                "copies and fills such arrays whole, so write a kernel for a part of one");
  }
  case error_code::other_bytes:
    return text(v(2) ? "cudaMemset is to fill " : "cudaMemcpy is to copy ", v(0),
                " bytes of an array of ", v(1),
                " bytes; a region copies and fills distributed arrays whole, so write a kernel for "
                "a part of one");
  case error_code::not_whole_rows: {
    std::ostringstream stream;
    stream << std::hex << v(0);
    return text(v(3) ? "cudaMemset is given" : "cudaMemcpy is given", " 0x", stream.str(), " and ",
                v(1), " bytes, which is not where ", v(2), v(2) == 1 ? " row" : " rows",
                " of an array that the region distributes are; it copies and fills whole rows, so "
                "write a kernel for a part of one");
  }
  case error_code::rows_elsewhere:
    return text("cudaMemcpy copies row ", v(0), " into row ", v(1),
                ", which are not as far apart as its arguments say, since a pointer leads "
                "elsewhere than to the beginning of an array; name the array in the call, and add "
                "all that is to be added there");
  case error_code::rows_overlap:
    return text("cudaMemcpy copies ", v(2), v(2) == 1 ? " row" : " rows", " from row ", v(0),
                " into row ", v(1), " of the same array, which overlap");
  case error_code::threads_along_rows:
    return text("along ", dimensions_text(v(0)), ", the launch has ", v(1),
                " threads that the kernel does not tell from each other, so that several threads "
                "would have the same element; launch it with one");
  case error_code::rows_out_of_order:
    return text(
        "the kernel reads rows that it stores into elsewhere, in no order, where two of its "
        "arrays are the same or have fewer than ",
        v(0), " rows; launch a kernel for each");
  case error_code::threads_beyond:
    if (v(4))
      return text("along ", "xyz"[v(1)], ", the launch has ", v(2),
                  " threads, by which the kernel counts where rows of '",
                  reinterpret_cast<const char*>(v(0)), "' begin, and not ", v(3),
                  "; launch as many, or pass the kernel the length of the rows");
    return text("along ", "xyz"[v(1)], ", the launch has ", v(2),
                " threads, and no condition of the kernel keeps those behind the first ",
                std::max<std::int64_t>(v(3), 0), " in the rows and columns of '",
                reinterpret_cast<const char*>(v(0)),
                "'; guard what they do with a condition "
                "on what 'rows' names, or name there what the kernel compares, as in "
                "'rows(n + 2, n + 2)' for 'i <= n'");
  case error_code::beyond_halo:
    return text("the kernel reads rows that are up to ", v(0), " away from its own, and 'halo' says ",
                v(1), "; state at least ", v(0));
  case error_code::rows_before_first:
    return text("the launch's rows begin at ", v(0),
                ", before the first one, 0; launch it from 0 on, and "
                "let threads outside of the part return");
  case error_code::outside_reach: {
    const auto* array = reinterpret_cast<const char*>(v(0));
    return text("the kernel reads ", v(1) == 0 ? "row " : "coordinate ", v(2),
                v(1) == 0 ? "" : text(" of dimension ", v(1) + 1), " of '", array,
                "', for a tile that waits for ", v(3), " to ", v(4), " only; a clause 'halo(",
                array, " : n)' says how far it reads");
  }
  case error_code::no_element:
    return text("element ", v(0), " of an array of reduced scalars is used, of which ", v(1),
                " are named in 'reduce'; name all");
  case error_code::numbers_of_blocks:
    if (v(0) != v(1))
      return text("the grid has ", v(1), " blocks, which store into ", v(0),
                  " elements of the array that another kernel combines; number them by all "
                  "dimensions of the grid");
    if (v(0) == 0)
      return text("the kernel combines what blocks have stored before the region; launch the "
                  "kernel that stores it in the region, too, or this one outside of it");
    if (v(0) != v(2))
      return text("the kernel combines ", v(2), " numbers of blocks, but the launch before it had ",
                  v(0), " blocks; launch it for all of them");
    return text("the kernel combines ", v(2), " numbers of blocks with ", v(3),
                " threads, each of which takes one; launch it with more threads, or let them take "
                "several in a loop");
  }
  return text("unknown error ", e.code);
}

} // namespace

std::string error_text(const error_record& e) {
  if (static_cast<error_code>(e.code) == error_code::no_context)
    return reason(e);
  return text(directive_name(e.what), " at ", source_text(site{e.site_file, e.site_line}),
              " on rank ", e.rank, ": ", reason(e));
}

void device_error(const error_record& error) {
  fatal(error_text(error));
}

} // namespace gpurma::host
