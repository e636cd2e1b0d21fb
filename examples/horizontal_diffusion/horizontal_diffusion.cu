// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// horizontal_diffusion: four dependent stencils of a weather model in one persistent kernel.
//
// Fourth-order diffusion with a flux limiter, as the COSMO model smooths its fields with: in each
// horizontal level of a field of nx × ny × nz points,
//
//   lap  from in        the Laplacian
//   fli  from lap, in   the limited flux along i, the fast dimension
//   flj  from lap, in   the limited flux along j
//   out  from fli, flj, in
//
// The field lies in memory as ny rows of nz lines of nx values, and its rows are dealt to the ranks
// of all processes. in, lap and flj are read one row away, so before each stage every rank puts the
// first row of what it has computed to the rank before it and the last row to the rank after it,
// and waits for theirs. Nothing else synchronises: no barrier, no kernel boundary, no host. The
// same puts tell the neighbours that this rank has their last rows and has read what it needed of
// their fields, so that they may overwrite both.
//
// Windows of ranks of one device overlap, so that a put between them moves nothing and only
// delivers its notification; jacobi2d.cu has a picture of that.
//
//   gpurmacc --gpurma-target=cpu -O3 horizontal_diffusion.cu image.cpp -o horizontal_diffusion
//   mpirun -np 2 ./horizontal_diffusion --image-prefix field
//
// writes field_before.png and field_after.png of the level in the middle, and compares the result
// with a serial computation: exit code 0 if they agree and nothing of the field was lost.

#include <gpurma/gpurma.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "../common/check.h"
#include "../common/gather_rows.h"
#include "../common/options.h"
#include "../common/rows.h"
#include "field.h"
#include "image.h"
#include "stencils.h"

constexpr int in_tag = 0;
constexpr int lap_tag = 1;
constexpr int flj_tag = 2;

/// One step on the rows of a rank, with the block's x along i and its y along k. All pointers and
/// windows begin one halo row before the first of the rows. At the border of the field nothing
/// flows in or out: beyond it, the field goes on as it is.
__device__ void diffuse(const gpurma::window<double>& in_window,
                        const gpurma::window<double>& lap_window,
                        const gpurma::window<double>& flj_window,
                        const gpurma::window<double>& out_window, double* fli, extent field,
                        band own, neighbours beside) {
  double* in = in_window.data();
  double* lap = lap_window.data();
  double* flj = flj_window.data();
  double* out = out_window.data();
  const int nx = field.nx;
  const std::size_t row = field.row();
  const std::size_t first = row;            // my first row; my halo row is before it
  const std::size_t last = own.count * row; // my last row
  const std::size_t halo = (beside.previous_rows + 1) * row; // the last row of the rank before me

  // Waiting for a count is enough: no neighbour sends in_tag again before it has my lap_tag.
#pragma gpurma put(in[first : row]) to(beside.previous) at(in_window[halo]) notify(in_tag)
#pragma gpurma put(in[last : row]) to(beside.next) at(in_window[0]) notify(in_tag)
#pragma gpurma wait tag(in_tag) count(beside.count)
  for (int j = 0; j < own.count; ++j) {
    const std::size_t above = own.first + j > 0 ? row : 0;
    const std::size_t below = own.first + j < field.ny - 1 ? row : 0;
    for (int k = threadIdx.y; k < field.nz; k += blockDim.y) {
      for (int i = threadIdx.x; i < nx; i += blockDim.x) {
        const std::size_t p = first + j * row + k * nx + i;
        lap[p] = laplacian(in[p], in[i > 0 ? p - 1 : p], in[i < nx - 1 ? p + 1 : p], in[p - above],
                           in[p + below]);
      }
    }
  }
  __syncthreads(); // the next stage reads lap of other threads

#pragma gpurma put(lap[first : row]) to(beside.previous) at(lap_window[halo]) notify(lap_tag)
#pragma gpurma put(lap[last : row]) to(beside.next) at(lap_window[0]) notify(lap_tag)
#pragma gpurma wait tag(lap_tag) count(beside.count)
  for (int j = 0; j < own.count; ++j) {
    const std::size_t below = own.first + j < field.ny - 1 ? row : 0;
    for (int k = threadIdx.y; k < field.nz; k += blockDim.y) {
      for (int i = threadIdx.x; i < nx; i += blockDim.x) {
        const std::size_t p = first + j * row + k * nx + i;
        const std::size_t right = i < nx - 1 ? p + 1 : p;
        fli[p] = limited_flux(lap[p], lap[right], in[p], in[right]);
        flj[p] = limited_flux(lap[p], lap[p + below], in[p], in[p + below]);
      }
    }
  }
  __syncthreads(); // the next stage reads fli of other threads

#pragma gpurma put(flj[first : row]) to(beside.previous) at(flj_window[halo]) notify(flj_tag)
#pragma gpurma put(flj[last : row]) to(beside.next) at(flj_window[0]) notify(flj_tag)
#pragma gpurma wait tag(flj_tag) count(beside.count)
  for (int j = 0; j < own.count; ++j) {
    const bool upper_border = own.first + j == 0;
    for (int k = threadIdx.y; k < field.nz; k += blockDim.y) {
      for (int i = threadIdx.x; i < nx; i += blockDim.x) {
        const std::size_t p = first + j * row + k * nx + i;
        out[p] = diffused(in[p], i > 0 ? fli[p - 1] : 0.0, fli[p],
                          upper_border ? 0.0 : flj[p - row], flj[p]);
      }
    }
  }
  __syncthreads(); // the next step reads out of other threads
}

/// The fields hold the process's rows and a halo row on each side. Steps go from `u` to `v`, back,
/// and so on; lap, fli and flj need no initial values.
__global__ void horizontal_diffusion(double* u, double* v, double* lap, double* fli, double* flj,
                                     extent field, int steps) {
  const int rank = gpurma::rank();
  const std::size_t row = field.row();
  const band own = band_of(rank, gpurma::size(), field.ny);
  const neighbours beside = neighbours_of(rank, gpurma::size(), field.ny);
  const band first_band = band_of(rank - gpurma::device_rank(), gpurma::size(), field.ny);

  const std::size_t begin = (own.first - first_band.first) * row;
  const std::size_t length = own.count > 0 ? (own.count + 2) * row : 0;
  // By counters, though gather_rows.h has directives, too: no other source of this program includes it.
#pragma gpurma window(u_window = u[begin : length]) comm(world) match(counter)
#pragma gpurma window(v_window = v[begin : length]) comm(world)
#pragma gpurma window(lap_window = lap[begin : length]) comm(world)
#pragma gpurma window(flj_window = flj[begin : length]) comm(world)

  for (int step = 0; step < steps; ++step) {
    if (step % 2 == 0)
      diffuse(u_window, lap_window, flj_window, v_window, fli + begin, field, own, beside);
    else
      diffuse(v_window, lap_window, flj_window, u_window, fli + begin, field, own, beside);
  }
}

/// The whole field after `steps` steps, by one thread and stencil after stencil.
std::vector<double> reference(std::vector<double> in, extent field, int steps) {
  const int nx = field.nx, ny = field.ny, nz = field.nz;
  const std::size_t row = field.row();
  std::vector<double> lap(in.size()), fli(in.size()), flj(in.size()), out(in.size());
  const auto at = [=](int i, int j, int k) {
    return std::clamp(j, 0, ny - 1) * row + k * nx + std::clamp(i, 0, nx - 1);
  };
  const auto for_each_point = [=](auto stencil) {
    for (int j = 0; j < ny; ++j)
      for (int k = 0; k < nz; ++k)
        for (int i = 0; i < nx; ++i)
          stencil(i, j, k, at(i, j, k));
  };
  for (int step = 0; step < steps; ++step) {
    for_each_point([&](int i, int j, int k, std::size_t p) {
      lap[p] = laplacian(in[p], in[at(i - 1, j, k)], in[at(i + 1, j, k)], in[at(i, j - 1, k)],
                         in[at(i, j + 1, k)]);
    });
    for_each_point([&](int i, int j, int k, std::size_t p) {
      const std::size_t right = at(i + 1, j, k);
      fli[p] = limited_flux(lap[p], lap[right], in[p], in[right]);
    });
    for_each_point([&](int i, int j, int k, std::size_t p) {
      const std::size_t below = at(i, j + 1, k);
      flj[p] = limited_flux(lap[p], lap[below], in[p], in[below]);
    });
    for_each_point([&](int i, int j, int, std::size_t p) {
      out[p] =
          diffused(in[p], i > 0 ? fli[p - 1] : 0.0, fli[p], j > 0 ? flj[p - row] : 0.0, flj[p]);
    });
    std::swap(in, out);
  }
  return in;
}

/// The level in the middle, as an image. Returns the file's name.
std::string write_level(const std::string& path, const double* values, extent field) {
  std::vector<double> level;
  level.reserve(static_cast<std::size_t>(field.nx) * field.ny);
  for (int j = 0; j < field.ny; ++j) {
    const double* line = values + j * field.row() + field.nz / 2 * field.nx;
    level.insert(level.end(), line, line + field.nx);
  }
  if (!write_image(path, field.nx, field.ny, level.data(), -1.5, 1.9)) {
    std::fprintf(stderr, "cannot write the image %s\n", path.c_str());
    std::exit(EXIT_FAILURE);
  }
  return path;
}

/// Compares and prints, in the first process. Returns the program's exit code.
int report(const double* result, extent field, int steps, const std::string& image_prefix) {
  const std::vector<double> initial = initial_rows(0, field.ny, field);
  const std::vector<double> expected = reference(initial, field, steps);
  double error = 0, sum_before = 0, sum_after = 0;
  for (std::size_t p = 0; p < initial.size(); ++p) {
    error = std::max(error, std::fabs(result[p] - expected[p]));
    sum_before += initial[p];
    sum_after += result[p];
  }
  const double lost = std::fabs(sum_after - sum_before) / initial.size();
  std::printf("maximum error against the serial reference: %g\n", error);
  std::printf("mean of the field changed by: %.1e\n", lost);
  std::printf("variance of the field: %.9f before, %.9f after\n",
              variance(initial.data(), initial.size()), variance(result, initial.size()));
  if (!image_prefix.empty()) {
    const std::string before = write_level(image_prefix + "_before.png", initial.data(), field);
    const std::string after = write_level(image_prefix + "_after.png", result, field);
    std::printf("images: %s %s\n", before.c_str(), after.c_str());
  }
  // Written so that a NaN fails.
  return error <= 1e-12 && lost <= 1e-12 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char** argv) {
  extent field{512, 512, 16};
  int steps = 50;
  std::string image_prefix;
  options given;
  given.number("nx", field.nx, 1);
  given.number("ny", field.ny, 1);
  given.number("nz", field.nz, 1);
  given.number("steps", steps, 1);
  given.text("image-prefix", image_prefix);
  gpurma::init(&argc, &argv);
  given.parse(argc, argv);

  const dim3 block(32, 4); // a warp for each of four levels at a time
  const auto ranks = gpurma::query(horizontal_diffusion, block);
  const band rows =
      band_of_ranks(ranks.first_rank, ranks.device_ranks, ranks.world_ranks, field.ny);
  const std::size_t size = (rows.count + 2) * field.row();

  double *u, *v, *lap, *fli, *flj, *whole = nullptr;
  for (double** allocated : {&u, &v, &lap, &fli, &flj})
    check(cudaMalloc(allocated, size * sizeof(double)), "allocation of a field");
  const std::vector<double> initial = initial_rows(rows.first, rows.count, field);
  check(cudaMemcpy(u + field.row(), initial.data(), initial.size() * sizeof(double),
                   cudaMemcpyHostToDevice),
        "copy of the initial field");

  const auto start = std::chrono::steady_clock::now();
  horizontal_diffusion<<<ranks.device_ranks, block>>>(u, v, lap, fli, flj, field, steps);
  check(cudaGetLastError(), "launch of horizontal_diffusion");
  check(cudaDeviceSynchronize(), "horizontal_diffusion");
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;

  if (ranks.process == 0) {
    check(cudaMallocManaged(&whole, sizeof(double) * field.ny * field.row()),
          "allocation of the whole field");
  }
  const double* result = (steps % 2 == 0 ? u : v) + field.row();
  gather_rows<<<ranks.device_ranks, block>>>(result, rows, field.row(), whole, field.ny);
  check(cudaGetLastError(), "launch of gather_rows");
  check(cudaDeviceSynchronize(), "gather_rows");

  int status = EXIT_SUCCESS;
  if (ranks.process == 0) {
    std::printf("horizontal_diffusion: %d x %d x %d points, %d steps\n", field.nx, field.ny,
                field.nz, steps);
    std::printf("%d ranks on %d processes\n", ranks.world_ranks, ranks.processes);
    std::printf("time per step: %.3f ms\n", elapsed.count() / steps);
    status = report(whole, field, steps, image_prefix);
  }

  for (double* allocation : {u, v, lap, fli, flj, whole})
    check(cudaFree(allocation), "release of a field");
  gpurma::finalize();
  return status;
}
