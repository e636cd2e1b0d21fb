// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Distributed arrays as the CUDA target holds and shares them, without a GPU (fake_cuda/): what
// processes hold, copy and map of them. Kernels do not run. The mode, see main, is the argument.
#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "check.h"
#include "fake_cuda/fake_cuda.h"
#include "host/distributed_arrays.h"
#include "host/process.h"

namespace gpurma {
void init(int* argc, char*** argv);
namespace host {
void announce_region();
}
} // namespace gpurma

namespace {

using namespace gpurma::host;

constexpr std::uint64_t row_bytes = 96 << 10; // bands do not end with pages
constexpr std::uint64_t halo_rows = 3;

std::uint64_t rows() {
  return 80 * static_cast<std::uint64_t>(process().size);
}
// Behind the rows there is something else.
std::uint64_t array_bytes() {
  return rows() * row_bytes + 12345;
}

struct bands {
  std::uint64_t first_row; // of the array, which begins inside of its allocation
  std::uint64_t rows;

  std::uint64_t begin(int p) const {
    return rows * static_cast<std::uint64_t>(p) / static_cast<std::uint64_t>(process().size);
  }
  byte_range bytes(std::uint64_t first, std::uint64_t last) const {
    return {first * row_bytes, std::min(last, rows) * row_bytes};
  }
  banded_array of(char* memory) const {
    banded_array made{memory + first_row * row_bytes, rows * row_bytes, {}, {}};
    for (int p = 0; p < process().size; ++p) {
      made.bands.push_back(bytes(begin(p), begin(p + 1)));
      made.touched.push_back(
          bytes(begin(p) - std::min(begin(p), halo_rows), begin(p + 1) + halo_rows));
    }
    return made;
  }
};

std::vector<char> pattern(int seed) {
  std::vector<char> made(array_bytes());
  std::uint32_t state = static_cast<std::uint32_t>(seed) * 2654435761u + 1;
  for (char& each : made) {
    state = state * 1664525u + 1013904223u;
    each = static_cast<char>(state >> 24);
  }
  return made;
}

char* allocate() {
  void* memory = nullptr;
  CHECK(cudaMalloc(&memory, array_bytes()) == cudaSuccess);
  return static_cast<char*>(memory);
}

bool is_there(const char* address) {
  static const int nowhere = open("/dev/null", O_WRONLY);
  static int ends[2];
  static const int made = pipe(ends);
  CHECK(nowhere >= 0 && made == 0);
  const bool there = write(ends[1], address, 1) == 1;
  char byte = 0;
  CHECK(!there || read(ends[0], &byte, 1) == 1);
  return there;
}

allocation present(const char* memory) {
  allocation found{};
  CHECK(find_distributed(memory, found));
  return found;
}

std::size_t open_files() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

// What a copy from the array brings.
void check_contents(const char* memory, const std::vector<char>& expected) {
  std::vector<char> all(array_bytes());
  CHECK(cudaMemcpy(all.data(), memory, all.size(), cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(all == expected);
}

// What the process holds of its band and beside it.
void check_band(const char* memory, const bands& how, const std::vector<char>& expected) {
  const auto self = static_cast<std::size_t>(process().rank);
  const banded_array plan = how.of(const_cast<char*>(memory));
  CHECK(plan.touched[self].count() == 1);
  const byte_range rows = *plan.touched[self].begin();
  const std::uint64_t begin = how.first_row * row_bytes + rows.begin;
  const std::uint64_t end = how.first_row * row_bytes + rows.end;
  CHECK(std::memcmp(memory + begin, expected.data() + begin, end - begin) == 0);
  const allocation here = present(memory);
  const std::uint64_t touched = end - begin;
  const bool at_border = process().rank == 0 || process().rank == process().size - 1;
  CHECK(here.bytes >= touched);
  CHECK(at_border || here.bytes <= touched + 2 * fake_cuda::page);
  if (process().rank != 0)
    CHECK(!is_there(memory));
  if (process().rank != process().size - 1)
    CHECK(!is_there(memory + array_bytes() - 1));
}

// Whether the others map the array, and that they do so at the same place.
bool is_mapped(char* memory) {
  shared_allocation mine;
  CHECK(share_distributed(reinterpret_cast<std::uint64_t>(memory + 5), mine));
  CHECK(mine.bytes == array_bytes());
  if (mine.base == 0)
    return false;
  CHECK(mine.base == reinterpret_cast<std::uint64_t>(memory));
  for (int p = 0; p < process().size; ++p)
    CHECK((mapped_distributed(p, mine) != 0) == (p != process().rank));
  return true;
}

// Each process writes its first and its last rows into its neighbours' arrays, as ranks do.
void push_to_neighbours(char* memory, const bands& how, std::vector<char>& contents) {
  const int self = process().rank;
  const auto value = [&](int p) { return static_cast<char>(17 + 3 * p); };
  const auto pushed = [&](int p, int to) {
    const std::uint64_t first = to < p ? how.begin(p) : how.begin(p + 1) - halo_rows;
    return byte_range{(how.first_row + first) * row_bytes,
                      (how.first_row + first + halo_rows) * row_bytes};
  };
  shared_allocation mine;
  CHECK(share_distributed(reinterpret_cast<std::uint64_t>(memory), mine));
  MPI_Barrier(MPI_COMM_WORLD); // all have looked at what was there before
  for (const int to : {self - 1, self + 1}) {
    if (to < 0 || to >= process().size)
      continue;
    const byte_range rows = pushed(self, to);
    std::memset(memory + rows.begin, value(self), rows.size());
    std::memset(reinterpret_cast<char*>(mapped_distributed(to, mine)) + rows.begin, value(self),
                rows.size());
  }
  for (int p = 0; p < process().size; ++p)
    for (const int to : {p - 1, p + 1})
      if (to >= 0 && to < process().size) {
        const byte_range rows = pushed(p, to);
        std::memset(contents.data() + rows.begin, value(p), rows.size());
      }
  MPI_Barrier(MPI_COMM_WORLD);
  check_band(memory, how, contents);
  MPI_Barrier(MPI_COMM_WORLD);
}

void begin_region(const std::vector<char*>& memory, const bands& how) {
  std::vector<banded_array> plans;
  for (char* each : memory)
    plans.push_back(how.of(each));
  hold_bands("the persistent region at test:1", plans, nullptr, 0);
  for (const banded_array& each : plans)
    CHECK(each.banded);
}

void launch_with(char* memory) {
  static fake_cuda::kernel ordinary{{8, 24}};
  struct {
    std::uint64_t size;
    char* array;
    double factor;
  } structure{7, memory, 1};
  std::uint64_t number = 3;
  void* arguments[] = {&number, &structure};
  const int before = ordinary.launches;
  CHECK(cudaLaunchKernel(&ordinary, {1}, {1}, arguments, 0, nullptr) == cudaSuccess);
  CHECK(ordinary.launches == before + 1);
}

// Copies, regions with other bands, and kernels outside of them.
void everything() {
  const std::size_t files = open_files();
  char* const a = allocate();
  char* const b = allocate();
  std::vector<char> contents = pattern(1);
  CHECK(present(a).bytes < array_bytes());
  CHECK(cudaMemcpy(a, contents.data(), contents.size(), cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemset(b, 0, array_bytes()) == cudaSuccess);
  CHECK(cudaMemcpy(b, a, array_bytes(), cudaMemcpyDeviceToDevice) == cudaSuccess);
  check_contents(a, contents);
  check_contents(b, contents);

  const bands all{0, rows()};
  begin_region({a, b}, all);
  check_band(a, all, contents);
  CHECK(is_mapped(a) && is_mapped(b));
  std::vector<char> of_b = contents;
  push_to_neighbours(a, all, contents);
  check_contents(a, contents);
  check_contents(b, of_b);

  // The same pages again, and then others: an array inside of its allocation.
  const std::uint64_t id = present(a).id;
  begin_region({b, a}, all);
  CHECK(present(a).id == id && is_mapped(a));
  const bands inner{21, rows() - 33};
  begin_region({a}, inner);
  check_band(a, inner, contents);
  CHECK(is_mapped(a));
  push_to_neighbours(a, inner, contents);
  check_contents(a, contents);

  launch_with(a + 100);
  CHECK(present(a).bytes >= array_bytes() && !is_mapped(a));
  CHECK(std::memcmp(a, contents.data(), contents.size()) == 0);
  // What every process has done to the whole.
  std::memset(a + 40 * row_bytes, 9, row_bytes);
  std::memset(contents.data() + 40 * row_bytes, 9, row_bytes);
  begin_region({a, b}, all);
  check_band(a, all, contents);
  check_band(b, all, of_b);
  CHECK(is_mapped(a) && is_mapped(b));
  push_to_neighbours(b, all, of_b);
  check_contents(b, of_b);
  CHECK(cudaMemset(b + 11 * row_bytes, 5, 50 * row_bytes) == cudaSuccess);
  std::memset(of_b.data() + 11 * row_bytes, 5, 50 * row_bytes);
  check_contents(b, of_b);

  MPI_Barrier(MPI_COMM_WORLD);
  for (char* each : {a, b})
    CHECK(cudaFree(each) == cudaSuccess);
  const fake_cuda::usage left = fake_cuda::used();
  CHECK(left.reservations == 0 && left.mappings == 0 && left.handles == 0);
  CHECK(open_files() <= files + 4); // a socket, and what is_there() opens
}

// One process cannot do what others can: all go by way of the hosts, and do not try again.
void without(const std::string& function) {
  char* const a = allocate();
  const std::vector<char> contents = pattern(2);
  CHECK(cudaMemcpy(a, contents.data(), contents.size(), cudaMemcpyHostToDevice) == cudaSuccess);
  begin_region({a}, {0, rows()});
  CHECK(is_mapped(a));
  if (process().rank == 1)
    fake_cuda::fail_in(function);
  begin_region({a}, {0, rows() - 32});
  CHECK(!is_mapped(a));
  check_band(a, {0, rows() - 32}, contents);
  fake_cuda::fail_in("");
  begin_region({a}, {0, rows() - 32});
  CHECK(!is_mapped(a));
  begin_region({a}, {0, rows()});
  CHECK(is_mapped(a));
  check_contents(a, contents);
  CHECK(cudaFree(a) == cudaSuccess);
}

// A call of one process never returns.
[[noreturn]] void stuck(const std::string& function) {
  char* const a = allocate();
  if (process().rank == 1)
    fake_cuda::hang_in(function);
  begin_region({a}, {0, rows()});
  std::abort();
}

} // namespace

int main(int argc, char** argv) {
  announce_region();
  gpurma::init(&argc, &argv);
  const std::string mode = argc > 1 ? argv[1] : "";
  const std::string function = argc > 2 ? argv[2] : "";
  const auto began = std::chrono::steady_clock::now();
  if (mode == "everything")
    everything();
  else if (mode == "without")
    without(function);
  else if (mode == "stuck")
    stuck(function);
  else
    return 2;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  CHECK(mode != "without" || seconds < 4.5); // nobody has waited for files in vain
  std::printf("bands_test: ok\n");
  return 0;
}
