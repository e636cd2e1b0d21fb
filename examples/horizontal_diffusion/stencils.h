// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// The four stencils of horizontal diffusion, point by point. Each reads the fields of the one
/// before at neighbouring points, so a value of `out` depends on points up to two rows away.

/// lap: how far the mean of the neighbours lies above a point, times four.
__host__ __device__ inline double laplacian(double centre, double left, double right, double above,
                                            double below) {
  return left + right + above + below - 4.0 * centre;
}

/// fli and flj: the flux of the fourth-order diffusion through the face between this point and the
/// next one, along i or along j. A flux that would sharpen a front, uphill, is left out.
__host__ __device__ inline double limited_flux(double lap, double lap_next, double in,
                                               double in_next) {
  const double flux = lap_next - lap;
  return flux * (in_next - in) > 0.0 ? 0.0 : flux;
}

/// out: the field after one step. The four fluxes are those through the faces of the point.
__host__ __device__ inline double diffused(double in, double fli_left, double fli, double flj_above,
                                           double flj) {
  constexpr double coefficient = 0.03; // below 1/32, the stability limit of the fourth order
  return in - coefficient * ((fli - fli_left) + (flj - flj_above));
}
