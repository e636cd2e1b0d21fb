// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's complex numbers: float2 and double2 with the real part in x, and functions of them.
#ifndef GPURMA_SHIM_CUCOMPLEX_H
#define GPURMA_SHIM_CUCOMPLEX_H

#include <cmath>
#include <cuda_runtime.h>

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

namespace gpurma::platform::complex_numbers {

template <class Complex> using real_of = decltype(Complex::x);

template <class Complex> __host__ __device__ inline Complex product(Complex a, Complex b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

// Both are divided by the size of the divisor first, so that squares do not overflow.
template <class Complex> __host__ __device__ inline Complex quotient(Complex a, Complex b) {
  const real_of<Complex> scale = 1 / (std::fabs(b.x) + std::fabs(b.y));
  const Complex numerator = {a.x * scale, a.y * scale}, divisor = {b.x * scale, b.y * scale};
  const real_of<Complex> inverse = 1 / (divisor.x * divisor.x + divisor.y * divisor.y);
  return {(numerator.x * divisor.x + numerator.y * divisor.y) * inverse, (numerator.y * divisor.x - numerator.x * divisor.y) * inverse};
}

// The larger part, times the root of 1 and the square of their ratio, so that squares do not overflow.
template <class Complex> __host__ __device__ inline real_of<Complex> absolute_value(Complex a) {
  const real_of<Complex> x = std::fabs(a.x), y = std::fabs(a.y);
  const real_of<Complex> larger = x > y ? x : y, smaller = x > y ? y : x;
  if (larger == 0 || std::isinf(larger) || std::isinf(smaller))
    return larger + smaller;
  const real_of<Complex> ratio = smaller / larger;
  return larger * std::sqrt(1 + ratio * ratio);
}

} // namespace gpurma::platform::complex_numbers

__host__ __device__ inline cuFloatComplex make_cuFloatComplex(float real, float imaginary) { return {real, imaginary}; }
__host__ __device__ inline cuDoubleComplex make_cuDoubleComplex(double real, double imaginary) { return {real, imaginary}; }
__host__ __device__ inline cuComplex make_cuComplex(float real, float imaginary) { return {real, imaginary}; }
__host__ __device__ inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
  return {static_cast<float>(a.x), static_cast<float>(a.y)};
}
__host__ __device__ inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return {a.x, a.y}; }

__host__ __device__ inline float cuCrealf(cuFloatComplex a) { return a.x; }
__host__ __device__ inline float cuCimagf(cuFloatComplex a) { return a.y; }
__host__ __device__ inline cuFloatComplex cuConjf(cuFloatComplex a) { return {a.x, -a.y}; }
__host__ __device__ inline cuFloatComplex cuCaddf(cuFloatComplex a, cuFloatComplex b) { return {a.x + b.x, a.y + b.y}; }
__host__ __device__ inline cuFloatComplex cuCsubf(cuFloatComplex a, cuFloatComplex b) { return {a.x - b.x, a.y - b.y}; }
__host__ __device__ inline cuFloatComplex cuCmulf(cuFloatComplex a, cuFloatComplex b) { return gpurma::platform::complex_numbers::product(a, b); }
__host__ __device__ inline cuFloatComplex cuCdivf(cuFloatComplex a, cuFloatComplex b) { return gpurma::platform::complex_numbers::quotient(a, b); }
__host__ __device__ inline float cuCabsf(cuFloatComplex a) { return gpurma::platform::complex_numbers::absolute_value(a); }
__host__ __device__ inline cuFloatComplex cuCfmaf(cuFloatComplex a, cuFloatComplex b, cuFloatComplex c) { return cuCaddf(cuCmulf(a, b), c); }

__host__ __device__ inline double cuCreal(cuDoubleComplex a) { return a.x; }
__host__ __device__ inline double cuCimag(cuDoubleComplex a) { return a.y; }
__host__ __device__ inline cuDoubleComplex cuConj(cuDoubleComplex a) { return {a.x, -a.y}; }
__host__ __device__ inline cuDoubleComplex cuCadd(cuDoubleComplex a, cuDoubleComplex b) { return {a.x + b.x, a.y + b.y}; }
__host__ __device__ inline cuDoubleComplex cuCsub(cuDoubleComplex a, cuDoubleComplex b) { return {a.x - b.x, a.y - b.y}; }
__host__ __device__ inline cuDoubleComplex cuCmul(cuDoubleComplex a, cuDoubleComplex b) { return gpurma::platform::complex_numbers::product(a, b); }
__host__ __device__ inline cuDoubleComplex cuCdiv(cuDoubleComplex a, cuDoubleComplex b) { return gpurma::platform::complex_numbers::quotient(a, b); }
__host__ __device__ inline double cuCabs(cuDoubleComplex a) { return gpurma::platform::complex_numbers::absolute_value(a); }
__host__ __device__ inline cuDoubleComplex cuCfma(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c) { return cuCadd(cuCmul(a, b), c); }

#endif
