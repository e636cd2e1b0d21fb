// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stencils of examples/horizontal_diffusion in plain OpenMP: the whole field in one process,
// one parallel loop over the rows for each stage. Prints the time per step in milliseconds and the
// variance of the result, by which run.py sees that both compute the same.
//
//   horizontal_diffusion_openmp <nx> <ny> <nz> <steps>

#include <omp.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "../examples/horizontal_diffusion/field.h"
#include "../examples/horizontal_diffusion/stencils.h"

namespace {

/// The first and the last point of a line have no neighbour on one side; the compiler makes vector
/// code of what lies between.
template <class Stencil> void for_line(int nx, const Stencil& stencil) {
  if (nx == 1) {
    stencil(0, 0, 0);
    return;
  }
  stencil(0, 0, 1);
#pragma omp simd
  for (int i = 1; i < nx - 1; ++i)
    stencil(i, 1, 1);
  stencil(nx - 1, 1, 0);
}

void step(const extent field, const double* in, double* lap, double* fli, double* flj,
          double* out) {
  const std::size_t row = field.row();
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int j = 0; j < field.ny; ++j) {
      const std::size_t above = j > 0 ? row : 0, below = j < field.ny - 1 ? row : 0;
      for (int k = 0; k < field.nz; ++k) {
        const std::size_t line = j * row + k * field.nx;
        for_line(field.nx, [=](int i, int left, int right) {
          const std::size_t p = line + i;
          lap[p] = laplacian(in[p], in[p - left], in[p + right], in[p - above], in[p + below]);
        });
      }
    }
#pragma omp for schedule(static)
    for (int j = 0; j < field.ny; ++j) {
      const std::size_t below = j < field.ny - 1 ? row : 0;
      for (int k = 0; k < field.nz; ++k) {
        const std::size_t line = j * row + k * field.nx;
        for_line(field.nx, [=](int i, int, int right) {
          const std::size_t p = line + i;
          fli[p] = limited_flux(lap[p], lap[p + right], in[p], in[p + right]);
          flj[p] = limited_flux(lap[p], lap[p + below], in[p], in[p + below]);
        });
      }
    }
#pragma omp for schedule(static)
    for (int j = 0; j < field.ny; ++j) {
      const std::size_t above = j > 0 ? row : 0;
      for (int k = 0; k < field.nz; ++k) {
        const std::size_t line = j * row + k * field.nx;
        for_line(field.nx, [=](int i, int left, int) {
          const std::size_t p = line + i;
          out[p] = diffused(in[p], left ? fli[p - left] : 0.0, fli[p], above ? flj[p - above] : 0.0,
                            flj[p]);
        });
      }
    }
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s <nx> <ny> <nz> <steps>\n", argv[0]);
    return EXIT_FAILURE;
  }
  const extent field{std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[3])};
  const int steps = std::atoi(argv[4]);
  if (field.nx < 1 || field.ny < 1 || field.nz < 1 || steps < 1) {
    std::fprintf(stderr, "%s: sizes and steps must be whole numbers from 1\n", argv[0]);
    return EXIT_FAILURE;
  }
  std::vector<double> in = initial_rows(0, field.ny, field);
  std::vector<double> lap(in.size()), fli(in.size()), flj(in.size()), out(in.size());

  const auto start = std::chrono::steady_clock::now();
  for (int s = 0; s < steps; ++s) {
    step(field, in.data(), lap.data(), fli.data(), flj.data(), out.data());
    std::swap(in, out);
  }
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;

  std::printf("threads: %d\n", omp_get_max_threads());
  std::printf("time per step: %.3f ms\n", elapsed.count() / steps);
  std::printf("variance after: %.9f\n", variance(in.data(), in.size()));
  return EXIT_SUCCESS;
}
