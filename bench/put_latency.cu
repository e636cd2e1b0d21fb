// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ping-pong of a notified put between two ranks, and of plain MPI messages of the same size between
// two processes in the same run. Prints one-way times, half of a round trip, in microseconds.
//
//   GPURMA_CPU_RANKS=2 mpirun -np 1 put_latency   two ranks of one device
//   GPURMA_CPU_RANKS=1 mpirun -np 2 put_latency   two processes, with the MPI ping-pong
//
// Options: --bytes (a multiple of 8), --round-trips, --threads of a block.

#include <gpurma/gpurma.h>
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../examples/common/check.h"
#include "../examples/common/options.h"

/// words: 2 × count values for each rank of the device, what it sends and then what it receives.
/// wrong: one flag for each rank of the device.
__global__ void ping_pong(long long* words, int count, int round_trips, int* wrong) {
  const int rank = gpurma::rank();
  const int peer = 1 - rank;
  long long* ours = words + gpurma::device_rank() * 2 * count;
  long long* theirs = ours + count;
#pragma gpurma window(inbox = theirs[0 : count]) comm(world)

  bool failed = false;
  for (int i = 0; i < round_trips; ++i) {
    if (rank == 0) {
      for (int k = threadIdx.x; k < count; k += blockDim.x)
        ours[k] = i;
#pragma gpurma put(ours[0 : count]) to(peer) at(inbox[0]) notify(0)
#pragma gpurma wait tag(0)
      failed |= theirs[count - 1] != i;
    } else {
#pragma gpurma wait tag(0)
#pragma gpurma put(theirs[0 : count]) to(peer) at(inbox[0]) notify(0)
    }
  }
  if (threadIdx.x == 0)
    wrong[gpurma::device_rank()] = failed;
}

namespace {

using microseconds = std::chrono::duration<double, std::micro>;

/// Of one launch, until its end.
double time_launch(int ranks, int threads, long long* words, int count, int round_trips,
                   int* wrong) {
  const auto start = std::chrono::steady_clock::now();
  ping_pong<<<ranks, threads>>>(words, count, round_trips, wrong);
  check(cudaGetLastError(), "launch of ping_pong");
  check(cudaDeviceSynchronize(), "ping_pong");
  return microseconds(std::chrono::steady_clock::now() - start).count();
}

double time_mpi(int rank, int bytes, int round_trips) {
  std::vector<char> buffer(bytes);
  const int peer = 1 - rank;
  MPI_Barrier(MPI_COMM_WORLD);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < round_trips; ++i) {
    if (rank == 0) {
      MPI_Send(buffer.data(), bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
      MPI_Recv(buffer.data(), bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(buffer.data(), bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(buffer.data(), bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
    }
  }
  return microseconds(std::chrono::steady_clock::now() - start).count();
}

} // namespace

int main(int argc, char** argv) {
  int bytes = 8, round_trips = 50000, threads = 32;
  options given;
  given.number("bytes", bytes, 8);
  given.number("round-trips", round_trips, 1);
  given.number("threads", threads, 1);
  MPI_Init(&argc, &argv);
  given.parse(argc, argv);

  const auto ranks = gpurma::query(ping_pong, threads);
  if (ranks.world_ranks != 2 || bytes % 8 != 0) {
    std::fprintf(stderr,
                 "put_latency needs 2 ranks and a multiple of 8 bytes, not %d ranks and %d bytes\n",
                 ranks.world_ranks, bytes);
    return EXIT_FAILURE;
  }
  const int count = bytes / 8;
  long long* words;
  int* wrong;
  check(cudaMallocManaged(&words, sizeof(long long) * ranks.device_ranks * 2 * count),
        "allocation of the words");
  check(cudaMallocManaged(&wrong, sizeof(int) * ranks.device_ranks), "allocation of the flags");

  // The first launch only warms up. What the second one costs to start is a part of its time.
  time_launch(ranks.device_ranks, threads, words, count, round_trips / 10 + 1, wrong);
  const double elapsed = time_launch(ranks.device_ranks, threads, words, count, round_trips, wrong);
  for (int i = 0; i < ranks.device_ranks; ++i) {
    if (wrong[i]) {
      std::fprintf(stderr, "rank %d received something else than was sent\n", ranks.first_rank + i);
      return EXIT_FAILURE;
    }
  }
  if (ranks.process == 0)
    std::printf("notified put: %.4f us\n", elapsed / round_trips / 2);

  if (ranks.processes == 2) {
    time_mpi(ranks.process, bytes, round_trips / 10 + 1);
    const double mpi = time_mpi(ranks.process, bytes, round_trips);
    if (ranks.process == 0)
      std::printf("MPI: %.4f us\n", mpi / round_trips / 2);
  }

  check(cudaFree(words), "release of the words");
  check(cudaFree(wrong), "release of the flags");
  MPI_Finalize();
  return EXIT_SUCCESS;
}
