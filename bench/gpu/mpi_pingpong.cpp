// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What plain MPI takes between the memories of two processes: a part of the floor under what goes
// through the host. Prints one JSON object per line: medians, with the lowest and the highest
// repetition, of half of a round trip.
//
//   mpicxx -O3 -std=c++17 mpi_pingpong.cpp -o mpi_pingpong && mpirun -np 2 mpi_pingpong

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int repetitions = 7;
constexpr int small_bytes = 8;
constexpr int large_bytes = 64 << 20;

/// Seconds that a message takes one way, in each repetition but for a first one that does not
/// count, in ascending order.
std::vector<double> one_way(int rank, int bytes, int round_trips) {
  std::vector<char> buffer(static_cast<std::size_t>(bytes), 1);
  const int peer = 1 - rank;
  std::vector<double> all;
  for (int r = 0; r <= repetitions; ++r) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < round_trips; ++i) {
      if (rank == 0)
        MPI_Send(buffer.data(), bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
      MPI_Recv(buffer.data(), bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank == 1)
        MPI_Send(buffer.data(), bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
    }
    if (r > 0)
      all.push_back((MPI_Wtime() - start) / round_trips / 2);
  }
  std::sort(all.begin(), all.end());
  return all;
}

void print(const char* what, int bytes, const char* unit, double median, double low, double high) {
  std::printf("{\"what\": \"%s\", \"where\": \"host\", \"by\": \"mpi\", \"bytes\": %d, "
              "\"blocks\": 0, \"threads\": 0, \"%s\": %.4g, \"low\": %.4g, \"high\": %.4g}\n",
              what, bytes, unit, median, low, high);
  std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (rank == 0)
      std::fprintf(stderr, "mpi_pingpong needs 2 processes, not %d\n", size);
    MPI_Finalize();
    return EXIT_FAILURE;
  }
  const auto small = one_way(rank, small_bytes, 20000);
  const auto large = one_way(rank, large_bytes, 10);
  if (rank == 0) {
    print("message", small_bytes, "us", small[repetitions / 2] * 1e6, small.front() * 1e6,
          small.back() * 1e6);
    print("message bandwidth", large_bytes, "gbps", large_bytes / large[repetitions / 2] / 1e9,
          large_bytes / large.back() / 1e9, large_bytes / large.front() / 1e9);
  }
  MPI_Finalize();
  return EXIT_SUCCESS;
}
