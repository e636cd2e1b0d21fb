// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// jacobi2d: the five-point Jacobi iteration in one persistent kernel.
//
// The field has nx × ny points inside a frame of fixed values. Its rows are dealt to the ranks of
// all processes; each process holds the rows of its own ranks and one halo row on each side, and
// the windows of its ranks overlap: a rank's window begins with the last row of the rank before it.
//
//            process 0                       process 1
//   frame   ┌────────────┐                  ┌────────────┐
//   rank 0  │ own rows   │    ┌─ a put ───▶ │ halo row   │
//   rank 1  │ own rows   │ ───┘             │ own rows   │ rank 2
//           │ halo row   │ ◀──── a put ──── │ own rows   │ rank 3
//           └────────────┘                  └────────────┘ frame
//
// So the same two puts serve all neighbours. Between ranks of one device the row is already where
// it is put to: nothing is copied, only the notification is delivered. Between processes the row is
// sent. Ranks without a neighbour put to gpurma::null_rank, which does nothing.
//
//   gpurmacc --gpurma-target=cpu -O3 jacobi2d.cu -o jacobi2d
//   mpirun -np 2 ./jacobi2d --nx 256 --ny 256 --steps 500
//
// The first process compares the result with a serial iteration: exit code 0 if they agree.

#include <gpurma/gpurma.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "../common/check.h"
#include "../common/gather_rows.h"
#include "../common/options.h"
#include "../common/rows.h"

constexpr int block_threads = 64;
constexpr int row_tag = 0;
constexpr int change_tag = 1;

__host__ __device__ inline double mean(double left, double right, double above, double below) {
  return 0.25 * (left + right + above + below);
}

/// One sweep over the rank's rows: `in` and `out` are its windows, with a halo row on each side.
__device__ void sweep(const gpurma::window<double>& in, const gpurma::window<double>& out, int rows,
                      int nx, neighbours beside) {
  const std::size_t width = nx + 2;
  double* u = in.data();
  double* v = out.data();

  // My first row is the last halo row of the rank before me, my last row the first of the next.
  const std::size_t halo = (beside.previous_rows + 1) * width;
#pragma gpurma put(u[width : width]) to(beside.previous) at(in[halo]) notify(row_tag)
#pragma gpurma put(u[rows * width : width]) to(beside.next) at(in[0]) notify(row_tag)
  // One wait for each: a neighbour that is a sweep ahead may have sent two notifications, so two of
  // any source would not do. A wait from null_rank returns at once.
#pragma gpurma wait tag(row_tag) from(beside.previous)
#pragma gpurma wait tag(row_tag) from(beside.next)

  for (int y = 1; y <= rows; ++y) {
    for (int x = 1 + threadIdx.x; x <= nx; x += blockDim.x) {
      const std::size_t i = y * width + x;
      v[i] = mean(u[i - 1], u[i + 1], u[i - width], u[i + width]);
    }
  }
  // The next sweep reads what the other threads of this block have written.
  __syncthreads();
}

/// `a` and `b` hold the process's rows and their halo. Sweeps from `a` to `b`, back, and so on.
/// Afterwards changes[0] of world rank 0 is the largest change of any point in the last sweep;
/// `changes` has room for one value per world rank, `change` for one per rank of the device.
__global__ void jacobi(double* a, double* b, int nx, int ny, int steps, double* change,
                       double* changes) {
  const int rank = gpurma::rank();
  const std::size_t width = nx + 2;
  const band own = band_of(rank, gpurma::size(), ny);
  const neighbours beside = neighbours_of(rank, gpurma::size(), ny);
  const int first_row = band_of(rank - gpurma::device_rank(), gpurma::size(), ny).first;

  const std::size_t begin = (own.first - first_row) * width;
  const std::size_t length = own.count > 0 ? (own.count + 2) * width : 0;
#pragma gpurma window(even = a[begin : length]) comm(world)
#pragma gpurma window(odd = b[begin : length]) comm(world)

  for (int step = 0; step < steps; ++step) {
    if (step % 2 == 0)
      sweep(even, odd, own.count, nx, beside);
    else
      sweep(odd, even, own.count, nx, beside);
  }

  __shared__ double largest[block_threads];
  largest[threadIdx.x] = 0;
  for (std::size_t i = width + threadIdx.x; i < (own.count + 1) * width; i += blockDim.x)
    largest[threadIdx.x] = fmax(largest[threadIdx.x], fabs(a[begin + i] - b[begin + i]));
  for (unsigned stride = block_threads / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride)
      largest[threadIdx.x] = fmax(largest[threadIdx.x], largest[threadIdx.x + stride]);
  }

  // Only rank 0 exposes memory here; the others' windows are empty.
  double* mine = change + gpurma::device_rank();
  if (threadIdx.x == 0)
    *mine = largest[0];
#pragma gpurma window(all = changes[0 : rank == 0 ? gpurma::size() : 0]) comm(world)
#pragma gpurma put(mine[0 : 1]) to(0) at(all[rank]) notify(change_tag)
  if (rank == 0) {
#pragma gpurma wait tag(change_tag) count(gpurma::size())
    if (threadIdx.x == 0) {
      for (int i = 1; i < gpurma::size(); ++i)
        changes[0] = fmax(changes[0], changes[i]);
    }
  }
}

/// The value that point (x, y) of the whole field, frame included, starts with: a warm upper edge.
double initial_value(int x, int y, int nx) {
  constexpr double pi = 3.14159265358979323846;
  return y == 0 ? std::sin(pi * x / (nx + 1)) : 0.0;
}

std::vector<double> initial_rows(int first, int count, int nx) {
  std::vector<double> rows;
  rows.reserve(static_cast<std::size_t>(count) * (nx + 2));
  for (int y = first; y < first + count; ++y)
    for (int x = 0; x < nx + 2; ++x)
      rows.push_back(initial_value(x, y, nx));
  return rows;
}

/// The whole field after `steps` sweeps, by one thread.
std::vector<double> reference(int nx, int ny, int steps) {
  const std::size_t width = nx + 2;
  std::vector<double> u = initial_rows(0, ny + 2, nx);
  std::vector<double> v = u;
  for (int step = 0; step < steps; ++step) {
    for (int y = 1; y <= ny; ++y) {
      for (int x = 1; x <= nx; ++x) {
        const std::size_t i = y * width + x;
        v[i] = mean(u[i - 1], u[i + 1], u[i - width], u[i + width]);
      }
    }
    std::swap(u, v);
  }
  return u;
}

int main(int argc, char** argv) {
  int nx = 256, ny = 256, steps = 500;
  options given;
  given.number("nx", nx, 1);
  given.number("ny", ny, 1);
  given.number("steps", steps, 1);
  gpurma::init(&argc, &argv);
  given.parse(argc, argv);

  const dim3 block(block_threads);
  const auto ranks = gpurma::query(jacobi, block);
  const band rows = band_of_ranks(ranks.first_rank, ranks.device_ranks, ranks.world_ranks, ny);
  const std::size_t width = nx + 2;

  // The process's rows are rows.first + 1 … of the field with its frame; one halo row before them.
  const std::vector<double> initial = initial_rows(rows.first, rows.count + 2, nx);
  const std::size_t bytes = initial.size() * sizeof(double);
  double *a, *b, *change, *changes, *whole = nullptr;
  check(cudaMalloc(&a, bytes), "allocation of the field");
  check(cudaMalloc(&b, bytes), "allocation of the field");
  check(cudaMalloc(&change, sizeof(double) * ranks.device_ranks), "allocation of the change");
  check(cudaMallocManaged(&changes, sizeof(double) * ranks.world_ranks),
        "allocation of the change");
  check(cudaMemcpy(a, initial.data(), bytes, cudaMemcpyHostToDevice), "copy of the initial field");
  check(cudaMemcpy(b, initial.data(), bytes, cudaMemcpyHostToDevice), "copy of the initial field");

  const auto start = std::chrono::steady_clock::now();
  jacobi<<<ranks.device_ranks, block>>>(a, b, nx, ny, steps, change, changes);
  check(cudaGetLastError(), "launch of jacobi");
  check(cudaDeviceSynchronize(), "jacobi");
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;

  if (ranks.process == 0)
    check(cudaMallocManaged(&whole, sizeof(double) * ny * width), "allocation of the whole field");
  const double* result = (steps % 2 == 0 ? a : b) + width;
  gather_rows<<<ranks.device_ranks, block>>>(result, rows, width, whole, ny);
  check(cudaGetLastError(), "launch of gather_rows");
  check(cudaDeviceSynchronize(), "gather_rows");

  int status = EXIT_SUCCESS;
  if (ranks.process == 0) {
    const std::vector<double> expected = reference(nx, ny, steps);
    double error = 0;
    for (std::size_t i = 0; i < ny * width; ++i)
      error = std::max(error, std::fabs(whole[i] - expected[width + i]));
    std::printf("jacobi2d: %d x %d points, %d sweeps\n", nx, ny, steps);
    std::printf("%d ranks on %d processes\n", ranks.world_ranks, ranks.processes);
    std::printf("time per sweep: %.4f ms\n", elapsed.count() / steps);
    std::printf("largest change in the last sweep: %.6e\n", changes[0]);
    std::printf("maximum error against the serial reference: %g\n", error);
    if (!(error <= 1e-12)) // also if it is not a number
      status = EXIT_FAILURE;
  }

  for (double* allocation : {a, b, change, changes, whole})
    check(cudaFree(allocation), "release of the field");
  gpurma::finalize();
  return status;
}
